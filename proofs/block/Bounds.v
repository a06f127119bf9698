(** * SIB and FIB of a thread block, at every dispatch depth: docs/proofs.md, theorem 1;
    beside other thread blocks: lemma 3

    [fib_bound], [sib_charge_bound]: the thread block is alone on the SM.
    [window_fib] (depth 0), [window_sib] (depth 0 and unlimited): with others beside it
    the time from [t0] on is at most the bound and the cycles in which these initiate.
    Any width, number of sub-cores and instances, with barriers and releases, for times
    up to the stated ones. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Idle Instances Weights Queue Isolation Late.
Import ListNotations.

(** ** What a warp [w] is charged in section [q] for an instruction [y] *)

(** Of another warp of the thread block, in this section. *)
Definition beside (b : block) (m : machine) (w q : nat) (y : key) : bool :=
  negb (fst y =? w) && (group m (fst y) =? group m w) && (sec (get b y) =? q).

(** unit(j|w) where [w] can reach the unit: the initiation, at a finite depth of 1 or more
    the largest of any instruction on that unit. *)
Definition cost (b : block) (m : machine) (y : key) : nat :=
  match depth m with Some (S _) => cmax b (fu (get b y)) | _ => init (get b y) end.

(** Some instruction of sub-core [c] runs on [f]. *)
Definition in_reach (b : block) (m : machine) (c f : nat) : bool :=
  existsb (fun x => (core m (fst x) =? c) && on b f x) (keys b).

Definition charges := nat -> nat -> key -> nat.

Definition sib_charge (b : block) (m : machine) : charges := fun w q y =>
  if beside b m w q y then if in_reach b m (core m w) (fu (get b y)) then cost b m y else 0 else 0.

(** The same with every unit in reach that [shared] says sub-cores share. *)
Definition shared_charge (b : block) (m : machine) (shared : nat -> bool) : charges := fun w q y =>
  if beside b m w q y then
    if (core m (fst y) =? core m w) || shared (fu (get b y)) then cost b m y else 0
  else 0.

(** Where [w] does not use the unit in the section: slot(j|w). *)
Definition fib_charge (b : block) (m : machine) : charges := fun w q y =>
  if beside b m w q y then
    if uses b w q (fu (get b y)) then cost b m y
    else if core m (fst y) =? core m w then takes (get b y) else 0
  else 0.

(** ** The bounds *)

Definition charged (b : block) (ch : charges) (w q : nat) : nat := sum (ch w q) (keys b).

(** The instructions of section [q] of thread block [g]; the largest, over its warps that take
    time there, of isolation and what is charged. *)
Definition of_section (b : block) (m : machine) (g q : nat) : list key :=
  filter (fun x => (group m (fst x) =? g) && (sec (get b x) =? q)) (keys b).

Definition block_term (b : block) (m : machine) (ch : charges) (iD : key -> nat) (g q : nat) : nat :=
  list_max (map (fun x => iD x + init (get b x) + lat (get b x) + charged b ch (fst x) q)
                (filter (fun x => (group m (fst x) =? g) && (sec (get b x) =? q)
                                  && (0 <? iD x + init (get b x) + lat (get b x))) (keys b))).

Fixpoint block_start (b : block) (m : machine) (ch : charges) (iD : key -> nat) (g q : nat) : nat :=
  match q with
  | 0 => 0
  | S r => block_start b m ch iD g r + block_term b m ch iD g r + release m q
  end.

Definition last_section (b : block) (m : machine) (g : nat) : nat :=
  list_max (map (fun x => sec (get b x)) (filter (fun x => group m (fst x) =? g) (keys b))).

Definition block_bound (b : block) (m : machine) (ch : charges) (iD : key -> nat) (g : nat) : nat :=
  block_start b m ch iD g (last_section b m g) + block_term b m ch iD g (last_section b m g).

(** The cycles of [t0, e) in which instructions of other thread blocks initiate, added up: the
    X of lemma 3. *)
Definition foreign (b : block) (m : machine) (s : schedule) (g t0 e : nat) : nat :=
  sum (fun y => if group m (fst y) =? g then 0 else active s t0 e y) (keys b).

(** No other thread block has instructions on the SM. *)
Definition alone (b : block) (m : machine) (g : nat) : Prop :=
  forall x, In x (keys b) -> group m (fst x) = g.

(** ** Lemmas on them *)

Lemma beside_iff b m w q y : beside b m w q y = true <->
  fst y <> w /\ group m (fst y) = group m w /\ sec (get b y) = q.
Proof. unfold beside. rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq, !Nat.eqb_eq. tauto. Qed.

Lemma in_section b m g q x : In x (of_section b m g q) <->
  In x (keys b) /\ group m (fst x) = g /\ sec (get b x) = q.
Proof. unfold of_section. rewrite filter_In, andb_true_iff, !Nat.eqb_eq. tauto. Qed.

Lemma cost_init b m y : In y (keys b) -> init (get b y) <= cost b m y.
Proof. intros Hy. unfold cost. destruct (depth m) as [[|d]|]; auto using cmax_ge. Qed.

Lemma sum_plus {A} (f g : A -> nat) l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. unfold sum. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma foreign_split b m s g t0 T e : t0 <= T -> T <= e ->
  foreign b m s g t0 e = foreign b m s g t0 T + foreign b m s g T e.
Proof.
  intros H1 H2. unfold foreign. rewrite <- sum_plus. unfold sum. f_equal. apply map_ext. intros y.
  destruct (group m (fst y) =? g); [reflexivity|]. apply active_split; assumption.
Qed.

Lemma foreign_alone b m s g t0 e : alone b m g -> foreign b m s g t0 e = 0.
Proof.
  intros A. unfold foreign, sum. induction (keys b) as [|x l IH] eqn:E; [reflexivity|].
  assert (forall l', (forall y, In y l' -> group m (fst y) = g) ->
    list_sum (map (fun y => if group m (fst y) =? g then 0 else active s t0 e y) l') = 0) as Z.
  { induction l' as [|y l' IH']; intros H; [reflexivity|]. simpl. rewrite (H y (or_introl eq_refl)), Nat.eqb_refl.
    apply IH'. intros z Hz. apply H. right. exact Hz. }
  apply Z. intros y Hy. apply A. rewrite E. exact Hy.
Qed.

Lemma start_mono m b ch iD g q d : block_start b m ch iD g q + block_term b m ch iD g q <= block_start b m ch iD g (S q + d).
Proof. induction d as [|d IH]; [rewrite Nat.add_0_r; cbn [block_start]; lia|]. rewrite Nat.add_succ_r. cbn [block_start]. lia. Qed.

Section Bounds.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis HI : iso_edges b m iI iD.

  Variables (ch : charges) (meets : nat -> nat -> nat -> Prop) (g : nat).
  (* the units on which [w] is delayed by initiations, and what is charged at least *)
  Hypothesis Meets_own : forall w k, In (w, k) (keys b) -> meets w (sec (get b (w, k))) (fu (get b (w, k))).
  Hypothesis Ch_unit : forall w q y, In y (keys b) -> beside b m w q y = true -> meets w q (fu (get b y)) ->
    cost b m y <= ch w q y.
  Hypothesis Ch_slot : forall w q y, In y (keys b) -> beside b m w q y = true ->
    core m (fst y) = core m w -> takes (get b y) <= ch w q y.
  (* beside other thread blocks: depth 0, or unlimited with every unit of the sub-core charged *)
  Hypothesis Others : alone b m g \/ depth m = Some 0 \/
    (depth m = None /\ forall w q y, In y (keys b) -> core m (fst y) = core m w -> meets w q (fu (get b y))).

  Lemma isolated w q : timeless b w q (fun j => In (w, j) (keys b) /\ sec (get b (w, j)) = q
    /\ iI (w, j) = 0 /\ init (get b (w, j)) = 0).
  Proof.
    intros k [Hk [Hq [Hz Hu]]]. destruct (HI w k Hk) as [H1 [H2 _]]. destruct (W w k Hk) as [_ [Wp _]].
    split; [exact Hk|]. split; [exact Hq|]. split; [exact Hu|]. split.
    - intros j -> Sj. specialize (H1 j eq_refl ltac:(congruence)).
      pose proof (keys_before _ _ _ j Hk ltac:(lia)). repeat split; auto; lia.
    - intros p Hp Sp. specialize (Wp p Hp). specialize (H2 p Hp ltac:(congruence)).
      pose proof (keys_before _ _ _ p Hk ltac:(lia)) as Kp. destruct (HI w p Kp) as [_ [_ [H3 _]]].
      repeat split; auto; lia.
  Qed.

  Lemma one_section q T N : begin s g <= T ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> C s y <= T) ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T) ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) = q -> C s y <= N) ->
    (exists x, In x (keys b) /\ group m (fst x) = g /\ sec (get b x) = q /\ C s x = N) ->
    T < N -> N <= T + block_term b m ch iD g q + foreign b m s g T N.
  Proof.
    intros HT Old Rel End [[w k] [Hk [Hg [Hq HN]]]] TN. simpl in Hg. subst g.
    assert (0 < iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) as Pk.
    { destruct (Nat.eq_dec (iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) 0) as [E|E]; [exfalso|lia].
      pose proof (timeless_done m b s w q T _ W V (isolated w q) HT Old Rel k
        ltac:(destruct (HI w k Hk) as [_ [_ [H3 _]]]; repeat split; auto; lia)) as [H1 H2].
      pose proof (v_init _ _ _ V _ Hk). pose proof (v_lat _ _ _ V _ Hk). unfold C in HN. lia. }
    destruct (le_lt_dec N (T + block_term b m ch iD (group m w) q + foreign b m s (group m w) T N)) as [L|L]; [exact L|exfalso].
    destruct (instances_exist m b s (v_cap _ _ _ V)) as [ins Ins].
    set (top := block_term b m ch iD (group m w) q - charged b ch w q).
    assert (forall j, In (w, j) (keys b) -> sec (get b (w, j)) = q -> 0 < iD (w, j) + init (get b (w, j)) + lat (get b (w, j)) ->
      iD (w, j) + init (get b (w, j)) + lat (get b (w, j)) + charged b ch w q <= block_term b m ch iD (group m w) q) as Term.
    { intros j Hj Sj Pj. apply list_max_ge, in_map_iff. exists (w, j). split; [reflexivity|].
      apply filter_In. rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt. auto. }
    set (h := fun y => ch w q y + (if group m (fst y) =? group m w then 0 else active s T N y)).
    assert (forall y, rival m b w q y -> group m (fst y) = group m w -> beside b m w q y = true) as Be.
    { intros y [_ [Y1 Y2]] G. apply beside_iff. auto. }
    pose proof (Term k Hk Hq Pk) as Tk.
    enough (C s (w, k) < N) by lia.
    apply (not_late m b s iI iD M W V HI ins Ins w q T N top h HT Old Rel End (meets w q)); auto.
    - intros j Hj <- _. apply Meets_own, Hj.
    - intros D0 y [Hy _] Hg Hc _. destruct Others as [A|[A|[_ A]]]; [|contradiction|apply A; assumption].
      specialize (A y Hy). contradiction.
    - intros y R Hm. unfold h. destruct (Nat.eqb_spec (group m (fst y)) (group m w)) as [G|G]; [|lia].
      pose proof (Ch_unit w q y (proj1 R) (Be y R G) Hm). pose proof (cost_init b m y (proj1 R)).
      pose proof (active_init m b s T N y V (proj1 R)). lia.
    - intros d y Hd R Hm. destruct Others as [A|[A|[A _]]]; [|congruence|congruence].
      pose proof (A y (proj1 R)) as G.
      pose proof (Ch_unit w q y (proj1 R) (Be y R G) Hm) as U. unfold cost in U. rewrite Hd in U. unfold h. lia.
    - intros y R Hc Hu TI DN. unfold h. destruct (Nat.eqb_spec (group m (fst y)) (group m w)) as [G|G].
      + pose proof (Ch_slot w q y (proj1 R) (Be y R G) Hc). lia.
      + pose proof (v_start _ _ _ V y (proj1 R)). pose proof (v_init _ _ _ V y (proj1 R)).
        pose proof (active_some s T N y (D s y) ltac:(lia) ltac:(apply init_iff; lia)). lia.
    - intros j Hj Sj. destruct (Nat.eq_dec (iD (w, j) + init (get b (w, j))) 0) as [E|E]; [lia|].
      specialize (Term j Hj Sj ltac:(lia)). unfold top. lia.
    - unfold wsum. assert (sum (fun y => if true then h y else 0) (keys b) = charged b ch w q + foreign b m s (group m w) T N) as E.
      { unfold charged, foreign, h. apply sum_plus. }
      cbv beta. rewrite E. unfold top. lia.
    - unfold top. lia.
  Qed.

  (** ** Section by section *)

  Variables (t0 e : nat).
  Hypothesis Start : begin s g <= t0.
  Hypothesis Finish : forall x, In x (keys b) -> group m (fst x) = g -> C s x <= e.

  Lemma section_end q T : begin s g <= T <= e ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> C s y <= T) ->
    (forall z, In z (keys b) -> group m (fst z) = g -> sec (get b z) = q ->
       forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T) ->
    exists N, T <= N <= e /\ N <= T + block_term b m ch iD g q + foreign b m s g T N
      /\ forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) <= q -> C s y <= N.
  Proof.
    intros HT Old Rel. destruct (of_section b m g q) as [|z0 l0] eqn:E.
    - exists T. split; [lia|]. split; [lia|]. intros y Hy Hg Hs. apply Old; auto.
      enough (sec (get b y) <> q) by lia. intros Sy.
      assert (In y (of_section b m g q)) as X by (apply in_section; auto). rewrite E in X. destruct X.
    - destruct (latest (C s) (of_section b m g q)) as [x [Hx Lx]]; [rewrite E; discriminate|].
      apply in_section in Hx as [Hx [Gx Sx]].
      destruct (le_lt_dec (C s x) T) as [L|L].
      + exists T. split; [lia|]. split; [lia|]. intros y Hy Hg Hs.
        destruct (Nat.eq_dec (sec (get b y)) q) as [Sy|Sy]; [|apply Old; auto; lia].
        specialize (Lx y ltac:(apply in_section; auto)). lia.
      + exists (C s x). split; [specialize (Finish x Hx Gx); lia|]. split.
        * apply one_section; eauto; [lia|]. intros y Hy Hg Sy. apply Lx, in_section. auto.
        * intros y Hy Hg Hs. destruct (Nat.eq_dec (sec (get b y)) q) as [Sy|Sy].
          -- apply Lx, in_section. auto.
          -- specialize (Old y Hy Hg ltac:(lia)). lia.
  Qed.

  Lemma sections q : t0 <= e ->
    exists T, t0 <= T <= e /\ T <= t0 + block_start b m ch iD g q + foreign b m s g t0 T
      /\ (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> C s y <= T)
      /\ (forall z, In z (keys b) -> group m (fst z) = g -> sec (get b z) = q ->
            forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T).
  Proof.
    intros He. induction q as [|q [T [HT [B [Old Rel]]]]].
    - exists t0. repeat split; intros; lia.
    - destruct (section_end q T ltac:(lia) Old Rel) as [N [HN [BN AN]]].
      exists (Nat.min e (N + release m (S q))). split; [lia|]. split; [|split].
      + cbn [block_start]. rewrite (foreign_split b m s g t0 N) by lia. rewrite (foreign_split b m s g t0 T N) by lia. lia.
      + intros y Hy Hg Hs. specialize (AN y Hy Hg ltac:(lia)). lia.
      + intros z Hz Gz Sz y Hy Hg Hs. specialize (AN y Hy Hg ltac:(lia)).
        pose proof (v_rel _ _ _ V g (S q)). pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy).
        pose proof (v_barrier _ _ _ V z y Hz Hy ltac:(congruence) ltac:(lia)) as R.
        specialize (Finish z Hz Gz). pose proof (v_start _ _ _ V z Hz). unfold C in *. rewrite Gz, Sz in R. lia.
  Qed.

  Theorem block_end x : In x (keys b) -> group m (fst x) = g ->
    C s x <= t0 + block_bound b m ch iD g + foreign b m s g t0 e.
  Proof.
    intros Hx Hg. pose proof (Finish x Hx Hg) as Fx. destruct (le_lt_dec e t0) as [L|L]; [lia|].
    destruct (sections (sec (get b x)) ltac:(lia)) as [T [HT [B [Old Rel]]]].
    destruct (section_end _ T ltac:(lia) Old Rel) as [N [HN [BN AN]]].
    specialize (AN x Hx Hg (le_n _)).
    rewrite (foreign_split b m s g t0 N) by lia. rewrite (foreign_split b m s g t0 T N) by lia.
    assert (sec (get b x) <= last_section b m g) as Hq.
    { apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In. split; [exact Hx|]. apply Nat.eqb_eq, Hg. }
    unfold block_bound. destruct (Nat.eq_dec (sec (get b x)) (last_section b m g)) as [E|NE]; [rewrite <- E; lia|].
    pose proof (start_mono m b ch iD g (sec (get b x)) (last_section b m g - S (sec (get b x)))) as Hs.
    replace (S (sec (get b x)) + (last_section b m g - S (sec (get b x)))) with (last_section b m g) in Hs by lia. lia.
  Qed.
End Bounds.

(** ** SIB and FIB *)

Lemma uses_own b w k : In (w, k) (keys b) -> uses b w (sec (get b (w, k))) (fu (get b (w, k))) = true.
Proof.
  intros Hk. apply existsb_exists. exists (w, k). split; [exact Hk|]. unfold on. simpl. rewrite !Nat.eqb_refl. reflexivity.
Qed.

Lemma in_reach_of b m y c : In y (keys b) -> core m (fst y) = c -> in_reach b m c (fu (get b y)) = true.
Proof.
  intros Hy <-. apply existsb_exists. exists y. split; [exact Hy|]. unfold on. rewrite !Nat.eqb_refl. reflexivity.
Qed.

Section Theorems.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat) (g : nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis HI : iso_edges b m iI iD.

  Let FIB := block_bound b m (fib_charge b m) iD g.
  Let SIB := block_bound b m (sib_charge b m) iD g.

  Lemma fib_unit w q y : In y (keys b) -> beside b m w q y = true -> uses b w q (fu (get b y)) = true ->
    cost b m y <= fib_charge b m w q y.
  Proof. intros _ B U. unfold fib_charge. rewrite B, U. lia. Qed.

  Lemma fib_slot w q y : In y (keys b) -> beside b m w q y = true -> core m (fst y) = core m w ->
    takes (get b y) <= fib_charge b m w q y.
  Proof.
    intros Hy B Hc. unfold fib_charge. rewrite B, Hc, Nat.eqb_refl.
    destruct (uses b w q (fu (get b y))); [pose proof (cost_init b m y Hy)|]; lia.
  Qed.

  Lemma sib_unit w q y : In y (keys b) -> beside b m w q y = true -> in_reach b m (core m w) (fu (get b y)) = true ->
    cost b m y <= sib_charge b m w q y.
  Proof. intros _ B U. unfold sib_charge. rewrite B, U. lia. Qed.

  Lemma sib_slot w q y : In y (keys b) -> beside b m w q y = true -> core m (fst y) = core m w ->
    takes (get b y) <= sib_charge b m w q y.
  Proof.
    intros Hy B Hc. unfold sib_charge. rewrite B, (in_reach_of b m y _ Hy Hc).
    pose proof (cost_init b m y Hy). lia.
  Qed.

  Lemma finish_exists : exists e, forall x, In x (keys b) -> group m (fst x) = g -> C s x <= e.
  Proof. exists (list_max (map (C s) (keys b))). intros x Hx _. apply list_max_ge, in_map, Hx. Qed.

  (** *** Theorem 1: FIB, at every dispatch depth *)
  Theorem fib_bound x : alone b m g -> In x (keys b) -> C s x <= begin s g + FIB.
  Proof.
    intros A Hx. destruct finish_exists as [e He].
    pose proof (block_end m b s iI iD M W V HI (fib_charge b m) (fun w q f => uses b w q f = true) g
      (fun w k Hk => uses_own b w k Hk) fib_unit fib_slot (or_introl A) (begin s g) e (le_n _) He x Hx (A x Hx)) as H.
    rewrite foreign_alone in H by exact A. unfold FIB. lia.
  Qed.

  (** *** Theorem 1: SIB, at every dispatch depth *)
  Theorem sib_charge_bound x : alone b m g -> In x (keys b) -> C s x <= begin s g + SIB.
  Proof.
    intros A Hx. destruct finish_exists as [e He].
    pose proof (block_end m b s iI iD M W V HI (sib_charge b m) (fun w q f => in_reach b m (core m w) f = true) g
      (fun w k Hk => in_reach_of b m (w, k) _ Hk eq_refl) sib_unit sib_slot (or_introl A) (begin s g) e (le_n _) He x Hx (A x Hx)) as H.
    rewrite foreign_alone in H by exact A. unfold SIB. lia.
  Qed.

  (** *** Lemma 3: the time that a thread block has to go at [t0], beside others on the SM *)
  Theorem window_fib t0 e x : depth m = Some 0 -> begin s g <= t0 ->
    (forall y, In y (keys b) -> group m (fst y) = g -> C s y <= e) ->
    In x (keys b) -> group m (fst x) = g -> C s x <= t0 + FIB + foreign b m s g t0 e.
  Proof.
    intros D0 Ht He Hx Hg. apply (block_end m b s iI iD M W V HI _ (fun w q f => uses b w q f = true) g
      (fun w k Hk => uses_own b w k Hk) fib_unit fib_slot (or_intror (or_introl D0)) t0 e Ht He x Hx Hg).
  Qed.

  Theorem window_sib t0 e x : depth m = Some 0 \/ depth m = None -> begin s g <= t0 ->
    (forall y, In y (keys b) -> group m (fst y) = g -> C s y <= e) ->
    In x (keys b) -> group m (fst x) = g -> C s x <= t0 + SIB + foreign b m s g t0 e.
  Proof.
    intros Dm Ht He Hx Hg. apply (block_end m b s iI iD M W V HI _ (fun w q f => in_reach b m (core m w) f = true) g
      (fun w k Hk => in_reach_of b m (w, k) _ Hk eq_refl) sib_unit sib_slot); auto.
    destruct Dm as [D0|D1]; [auto|right; right]. split; [exact D1|]. intros w q y Hy Hc. apply in_reach_of; assumption.
  Qed.
End Theorems.
