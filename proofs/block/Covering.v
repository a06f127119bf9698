(** * Blocks that cover others: docs/covering-paths.md, section 6, theorem 2

    [b] covers [b'] if the warps of [b'] execute, section by section, some of the
    instructions of [b], none of which is dearer in [b'].  SIB, FIB and ELB of [b] are
    then no less than those of [b'], and bound its time. *)

From Warpbound Require Import Base Cycles Model Elb Paths Instances Queue Isolation Bounds
  IsolationPaths.

(** [k] waits for [p] in [b], itself or by way of other operands.  What reads a register waits
    for its last writer, and each writer for the one before it: so leaving writers out leaves
    such a chain. *)
Inductive chained (b : block) (w p : nat) : nat -> Prop :=
  | chain_ops k : In p (ops (get b (w, k))) -> chained b w p k
  | chain_on q k : In q (ops (get b (w, k))) -> chained b w p q -> chained b w p k.

(** Instruction [k] of warp [w] in [b'] is instruction [pos w k] of that warp in [b]. *)
Record covers (b b' : block) (pos : nat -> nat -> nat) : Prop := {
  c_key : forall w k, In (w, k) (keys b') -> In (w, pos w k) (keys b);
  c_order : forall w k j, In (w, k) (keys b') -> j < k -> pos w j < pos w k;
  c_unit : forall w k, In (w, k) (keys b') -> fu (get b' (w, k)) = fu (get b (w, pos w k));
  c_sec : forall w k, In (w, k) (keys b') -> sec (get b' (w, k)) = sec (get b (w, pos w k));
  c_init : forall w k, In (w, k) (keys b') -> init (get b' (w, k)) <= init (get b (w, pos w k));
  c_lat : forall w k, In (w, k) (keys b') -> lat (get b' (w, k)) <= lat (get b (w, pos w k));
  c_ops : forall w k p, In (w, k) (keys b') -> In p (ops (get b' (w, k))) ->
    chained b w (pos w p) (pos w k) }.

(** ** Sums over some of the instructions *)

Lemma sum_incl {A} (f : A -> nat) l : NoDup l -> forall l', incl l l' -> sum f l <= sum f l'.
Proof.
  induction 1 as [|x l N _ IH]; intros l' H; [unfold sum; simpl; lia|].
  destruct (in_split x l' (H x (or_introl eq_refl))) as [l1 [l2 ->]].
  assert (incl l (l1 ++ l2)) as I.
  { intros y Y. pose proof (H y (or_intror Y)) as P. rewrite in_app_iff in *. simpl in P.
    destruct P as [P|[->|P]]; tauto. }
  specialize (IH _ I). unfold sum in *. rewrite map_app, list_sum_app in *. simpl. lia.
Qed.

Section Covering.
  Variables (b b' : block) (m : machine) (pos : nat -> nat -> nat).
  Hypotheses (W : wf b) (W' : wf b') (K : covers b b' pos).

  (** The instruction of the covering block that stands for [x]. *)
  Definition there (x : key) : key := (fst x, pos (fst x) (snd x)).

  Lemma there_key x : In x (keys b') -> In (there x) (keys b).
  Proof. destruct x as [w k]. apply (c_key _ _ _ K). Qed.

  Lemma there_inst x : In x (keys b') -> fu (get b' x) = fu (get b (there x))
    /\ sec (get b' x) = sec (get b (there x)) /\ init (get b' x) <= init (get b (there x))
    /\ lat (get b' x) <= lat (get b (there x)).
  Proof.
    destruct x as [w k]. intros H. repeat split; [apply (c_unit _ _ _ K)|apply (c_sec _ _ _ K)|
      apply (c_init _ _ _ K)|apply (c_lat _ _ _ K)]; exact H.
  Qed.

  Lemma there_one x y : In x (keys b') -> In y (keys b') -> there x = there y -> x = y.
  Proof.
    destruct x as [w k], y as [v j]. unfold there. simpl. intros Hx Hy E. inversion E as [[E1 E2]].
    subst v. f_equal. destruct (lt_eq_lt_dec k j) as [[L|L]|L]; [|exact L|].
    - pose proof (c_order _ _ _ K w j k Hy L). lia.
    - pose proof (c_order _ _ _ K w k j Hx L). lia.
  Qed.

  Lemma sum_there f f' : (forall x, In x (keys b') -> f' x <= f (there x)) ->
    sum f' (keys b') <= sum f (keys b).
  Proof.
    intros H. transitivity (sum f (map there (keys b'))).
    - unfold sum. rewrite map_map. apply (sum_le f' (fun x => f (there x))), H.
    - apply sum_incl; [apply nodup_map; [apply keys_nodup|exact there_one]|].
      intros y Y. apply in_map_iff in Y as [x [<- X]]. apply there_key, X.
  Qed.

  Lemma max_there f f' (p p' : key -> bool) :
    (forall x, In x (keys b') -> p' x = true -> p (there x) = true /\ f' x <= f (there x)) ->
    list_max (map f' (filter p' (keys b'))) <= list_max (map f (filter p (keys b))).
  Proof.
    intros H. apply list_max_le, Forall_forall. intros t Ht. apply in_map_iff in Ht as [x [<- X]].
    apply filter_In in X as [X P]. destruct (H x X P) as [H1 H2]. etransitivity; [exact H2|].
    apply list_max_ge, in_map, filter_In. split; [apply there_key, X|exact H1].
  Qed.

  (** Positions of [b] in between are of the same section. *)
  Lemma between w i j l : In (w, l) (keys b) -> i <= j <= l ->
    sec (get b (w, i)) = sec (get b (w, l)) ->
    sec (get b (w, j)) = sec (get b (w, l)).
  Proof.
    intros Hl Hj E. destruct (W w l Hl) as [_ [_ S1]].
    destruct (Nat.eq_dec j l) as [->|Nj]; [reflexivity|]. specialize (S1 j ltac:(lia)).
    destruct (Nat.eq_dec i j) as [->|Ni]; [exact E|].
    destruct (W w j (keys_before _ _ _ j Hl ltac:(lia))) as [_ [_ S2]].
    specialize (S2 i ltac:(lia)). lia.
  Qed.

  Lemma chained_lt w p k : In (w, k) (keys b) -> chained b w p k -> p < k.
  Proof.
    intros Hk H. induction H as [k H|q k H H' IH]; destruct (W w k Hk) as [_ [Wp _]];
      specialize (Wp _ H); [exact Wp|]. specialize (IH (keys_before _ _ _ q Hk ltac:(lia))). lia.
  Qed.

  (** ** What keeps the edges of [b] keeps those of [b'] *)

  Section Isolation.
    Variables iI iD : key -> nat.
    Hypothesis HE : iso_edges b m iI iD.

    Lemma issue_chain w i : forall l, In (w, l) (keys b) -> i < l ->
      sec (get b (w, i)) = sec (get b (w, l)) ->
      iI (w, i) + takes (get b (w, i)) <= iI (w, l).
    Proof.
      induction l as [|l IH]; intros Hl Hi E; [lia|].
      assert (sec (get b (w, l)) = sec (get b (w, S l))) as El
        by (apply (between w i l (S l)); auto; lia). destruct (HE w (S l) Hl) as [H1 _].
      specialize (H1 l eq_refl El). destruct (Nat.eq_dec i l) as [->|N]; [exact H1|].
      specialize (IH (keys_before _ _ _ l Hl ltac:(lia)) ltac:(lia) ltac:(congruence)). lia.
    Qed.

    Lemma ops_chain w p k : In (w, k) (keys b) -> chained b w p k ->
      sec (get b (w, p)) = sec (get b (w, k)) ->
      iD (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iI (w, k).
    Proof.
      intros Hk H. induction H as [k H|q k H H' IH]; intros E; destruct (HE w k Hk) as [_ [H2 _]].
      - apply H2; assumption.
      - destruct (W w k Hk) as [_ [Wp _]]. specialize (Wp q H).
        pose proof (keys_before _ _ _ q Hk ltac:(lia)) as Hq. pose proof (chained_lt w p q Hq H').
        assert (sec (get b (w, q)) = sec (get b (w, k))) as Eq
          by (apply (between w p q k); auto; lia). specialize (IH Hq ltac:(congruence)).
        specialize (H2 q H Eq). destruct (HE w q Hq) as [_ [_ [H3 _]]]. lia.
    Qed.

    Lemma iso_there : iso_edges b' m (fun x => iI (there x)) (fun x => iD (there x)).
    Proof.
      intros w k Hk. pose proof (there_key _ Hk) as Tk. unfold there in *. cbn [fst snd] in *.
      destruct (there_inst _ Hk) as [Fk [Sk [_ _]]]. unfold there in *. cbn [fst snd] in *.
      assert (forall j, j < k -> In (w, j) (keys b') /\ pos w j < pos w k /\ fu (get b' (w, j))
        = fu (get b (w, pos w j)) /\ sec (get b' (w, j)) = sec (get b (w, pos w j)) /\
        init (get b' (w, j)) <= init (get b (w, pos w j)) /\
        lat (get b' (w, j)) <= lat (get b (w, pos w j))) as J.
      { intros j Hj. pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Kj. split; [exact Kj|].
        split; [apply (c_order _ _ _ K); assumption|]. apply (there_inst _ Kj). }
      destruct (HE w (pos w k) Tk) as [_ [_ [H3 H4]]]. split; [|split; [|split; [exact H3|]]].
      - intros j -> Hs. destruct (J j ltac:(lia)) as [_ [Lj [_ [Sj [Ij _]]]]].
        pose proof (issue_chain w (pos w j) (pos w (S j)) Tk Lj ltac:(congruence)). lia.
      - intros p Hp Hs. destruct (W' w k Hk) as [_ [Wp _]].
        destruct (J p (Wp p Hp)) as [_ [_ [_ [Sp [Ip Lp]]]]].
        pose proof (ops_chain w (pos w p) (pos w k) Tk (c_ops _ _ _ K w k p Hk Hp)
          ltac:(congruence)). lia.
      - intros o Ho Hs Hf. destruct (J o Ho) as [_ [Lo [Fo [So [Io _]]]]].
        destruct (H4 (pos w o) Lo ltac:(congruence) ltac:(congruence)) as [H5 H6]. split; [lia|].
        destruct (depth m) as [[|d]|]; lia.
    Qed.
  End Isolation.

  (** ** Charges *)

  Lemma uses_there w q f : uses b' w q f = true -> uses b w q f = true.
  Proof.
    intros H. apply existsb_exists in H as [x [Hx H]]. apply existsb_exists. exists (there x).
    split; [apply there_key, Hx|]. destruct (there_inst x Hx) as [F [S _]]. unfold on in *.
    rewrite <- F, <- S. exact H.
  Qed.

  Lemma reach_there c f : in_reach b' m c f = true -> in_reach b m c f = true.
  Proof.
    intros H. apply existsb_exists in H as [x [Hx H]]. apply existsb_exists. exists (there x).
    split; [apply there_key, Hx|]. destruct (there_inst x Hx) as [F _]. unfold on in *.
    rewrite <- F. exact H.
  Qed.

  Lemma cost_there x : In x (keys b') -> cost b' m x <= cost b m (there x).
  Proof.
    intros Hx. destruct (there_inst x Hx) as [F [_ [Ix _]]]. unfold cost, cmax. rewrite <- F.
    destruct (depth m) as [[|d]|]; [exact Ix| |exact Ix]. apply max_there. intros y Hy P.
    destruct (there_inst y Hy) as [Fy [_ [Iy _]]]. unfold on in *. rewrite <- Fy. auto.
  Qed.

  Lemma beside_there w q x : In x (keys b') -> beside b' m w q x = beside b m w q (there x).
  Proof.
    intros Hx. destruct (there_inst x Hx) as [_ [S _]]. unfold beside. rewrite <- S. reflexivity.
  Qed.

  Lemma fib_there w q : charged b' (fib_charge b' m) w q <= charged b (fib_charge b m) w q.
  Proof.
    apply sum_there. intros x Hx. unfold fib_charge. rewrite <- (beside_there w q x Hx).
    destruct (there_inst x Hx) as [F [_ [Ix _]]]. pose proof (cost_there x Hx).
    pose proof (cost_init b m _ (there_key x Hx)). rewrite <- F.
    change (fst (there x)) with (fst x). destruct (beside b' m w q x); [|lia].
    destruct (uses b' w q (fu (get b' x))) eqn:U.
    - rewrite (uses_there w q _ U). exact H.
    - destruct (uses b w q (fu (get b' x))), (core m (fst x) =? core m w); lia.
  Qed.

  Lemma sib_there w q : charged b' (sib_charge b' m) w q <= charged b (sib_charge b m) w q.
  Proof.
    apply sum_there. intros x Hx. unfold sib_charge. rewrite <- (beside_there w q x Hx).
    destruct (there_inst x Hx) as [F _]. pose proof (cost_there x Hx). rewrite <- F.
    destruct (beside b' m w q x); [|lia].
    destruct (in_reach b' m (core m w) (fu (get b' x))) eqn:U; [|lia]. rewrite (reach_there _ _ U).
    exact H.
  Qed.

  (** ** The bounds *)

  Section Bound.
    Variables (ch ch' : charges) (iD iD' : key -> nat) (g : nat).
    Hypothesis HC : forall w q, charged b' ch' w q <= charged b ch w q.
    Hypothesis HD : forall x, In x (keys b') -> iD' x <= iD (there x).

    Lemma term_there q : block_term b' m ch' iD' g q <= block_term b m ch iD g q.
    Proof.
      apply max_there. intros x Hx P. destruct (there_inst x Hx) as [_ [S [Ix Lx]]].
      specialize (HD x Hx). rewrite <- S, !andb_true_iff, !Nat.ltb_lt in *.
      split; [destruct P; split; [assumption|lia]|]. specialize (HC (fst x) q).
      change (fst (there x)) with (fst x). lia.
    Qed.

    Lemma start_there q : block_start b' m ch' iD' g q <= block_start b m ch iD g q.
    Proof. induction q as [|q IH]; cbn [block_start]; [lia|]. pose proof (term_there q). lia. Qed.

    Lemma bound_there : block_bound b' m ch' iD' g <= block_bound b m ch iD g.
    Proof.
      assert (last_section b' m g <= last_section b m g) as L.
      { apply max_there. intros x Hx P. destruct (there_inst x Hx) as [_ [S _]]. rewrite <- S.
        auto. }
      unfold block_bound. set (q := last_section b' m g) in *.
      pose proof (start_there q). pose proof (term_there q).
      destruct (Nat.eq_dec q (last_section b m g)) as [E|N]; [rewrite <- E; lia|].
      pose proof (start_mono m b ch iD g q (last_section b m g - S q)) as M.
      replace (S q + (last_section b m g - S q)) with (last_section b m g) in M by lia. lia.
    Qed.
  End Bound.

  Lemma isoD_there x : In x (keys b') -> isoD_at b' m x <= isoD_at b m (there x).
  Proof.
    destruct x as [w k]. intros Hx.
    apply (iso_at_least b' m W' _ _ (iso_there _ _ (iso_at_edges b m W)) w k Hx).
  Qed.

  (** *** Theorem 2 of covering-paths.md *)
  Theorem FIB_covers g : FIB_at b' m g <= FIB_at b m g.
  Proof. apply bound_there; [exact fib_there|exact isoD_there]. Qed.

  (** SIB of a block is at most SIB of a block that covers it. *)
  Theorem SIB_covers g : SIB_at b' m g <= SIB_at b m g.
  Proof. apply bound_there; [exact sib_there|exact isoD_there]. Qed.

  Lemma lam_there L : lam_cert m b L -> lam_cert m b' (fun x => L (there x)).
  Proof.
    intros HL w k Hk. pose proof (there_key _ Hk) as Tk. destruct (there_inst _ Hk) as [_ [Sk _]].
    unfold there in *. cbn [fst snd] in *.
    assert (forall i l, In (w, l) (keys b) -> i <= l -> L (w, i) <= L (w, l)) as Up.
    { intros i l Hl Hi. induction Hi as [|l Hi IH]; [lia|]. destruct (HL w (S l) Hl) as [H _].
      specialize (IH (keys_before _ _ _ l Hl ltac:(lia))). specialize (H l eq_refl). lia. }
    split; [|split].
    - intros j ->. apply Up; [exact Tk|]. apply Nat.lt_le_incl, (c_order _ _ _ K); [exact Hk|lia].
    - intros p Hp. destruct (W' w k Hk) as [_ [Wp _]].
      pose proof (keys_before _ _ _ p Hk ltac:(specialize (Wp p Hp); lia)) as Kp.
      pose proof (c_lat _ _ _ K w p Kp) as Lp. pose proof (c_ops _ _ _ K w k p Hk Hp) as H.
      clear Hk Sk Hp Wp Kp.
      enough (L (w, pos w p) + lat (get b (w, pos w p)) <= L (w, pos w k)) by lia.
      induction H as [l H|q l H H' IH]; destruct (HL w l Tk) as [_ [H2 _]]; specialize (H2 _ H);
        [exact H2|]. destruct (W w l Tk) as [_ [Wp _]].
      specialize (IH (keys_before _ _ _ q Tk ltac:(specialize (Wp q H); lia))). lia.
    - intros y Hy Hg Hs. destruct (there_inst y Hy) as [_ [Sy _]].
      destruct (HL w (pos w k) Tk) as [_ [_ H3]]. specialize (H3 (there y) (there_key y Hy) Hg).
      unfold there in *. rewrite <- Sk, <- Sy in H3. auto.
  Qed.

  (** ELB of a block is at most ELB of a block that covers it. *)
  Theorem ELB_covers : ELB b' m <= ELB b m.
  Proof.
    unfold ELB. apply Nat.add_le_mono.
    - apply sum_there. intros x Hx. apply there_inst, Hx.
    - apply list_max_le, Forall_forall. intros t Ht. apply in_map_iff in Ht as [x [<- Hx]].
      pose proof (lamI_least b' m W' _ (lam_there _ (lamI_cert b m W)) x Hx) as Lx. cbv beta in Lx.
      destruct (there_inst x Hx) as [_ [_ [_ Hl]]].
      etransitivity; [|apply (list_max_ge (lamI b m (there x) + lat (get b (there x))))].
      + lia.
      + apply in_map_iff. exists (there x). split; [reflexivity|apply there_key, Hx].
  Qed.
End Covering.

(** What is proven of the covering block bounds every schedule of the covered one. *)
Theorem covered_fib b b' m pos s g x : wf b -> wf b' -> covers b b' pos -> machine_ok m ->
  valid m b' s ->
  alone b' m g -> In x (keys b') -> C s x <= begin s g + FIB_at b m g.
Proof.
  intros W W' K M V A Hx. pose proof (FIB_at_bound m b' s g M W' V A x Hx).
  pose proof (FIB_covers b b' m pos W W' K g). lia.
Qed.

(** ELB of a covering block bounds every block that it covers. *)
Theorem covered_elb b b' m pos s x : wf b -> wf b' -> covers b b' pos -> machine_ok m ->
  valid m b' s ->
  In x (keys b') -> C s x <= begin s (group m (fst x)) + ELB b m.
Proof.
  intros W W' K M V Hx. pose proof (ELB_bound m b' s M W' V x Hx).
  pose proof (ELB_covers b b' m pos W W' K). lia.
Qed.
