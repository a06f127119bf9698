(** * Oldest first (docs/policy-bounds.md, section 7): what a thread block waits for

    Dispatch depth 0, units that sub-cores have to themselves.  An instruction of thread block [b]
    waits for what [b] and older thread blocks do, and for the rest of one initiation that a younger
    one has begun before. So what [b] and its elders do is an execution of them alone, in which a
    pause precedes every instruction: an instruction without a unit that takes no longer than that
    rest.  What is proven of all valid executions then holds of them, whatever younger thread blocks
    the SM holds. *)

From Warpbound Require Import Base Cycles Largest Share Model Elb.

(** ** Pauses *)

(** [hold f]: the most that an instruction of unit [f] waits for a younger thread block. *)
Definition wait_of (hold : nat -> nat) (i : instr) : nat := match init i with 0 => 0 | _ =>
  hold (fu i) end.

(** Instruction [k] of a warp comes to stand at [2 k + 1], behind its pause.  [none] is no unit. *)
Definition behind (k : nat) : nat := S (2 * k).
Definition pause (hold : nat -> nat) (none : nat) (i : instr) : instr :=
  Instr none 0 (wait_of hold i) (map behind (ops i)) (sec i).
Definition paused (k : nat) (i : instr) : instr := Instr (fu i) (init i) (lat i)
  (2 * k :: map behind (ops i)) (sec i).
Fixpoint pauses (hold : nat -> nat) (none k : nat) (l : list instr) : list instr :=
  match l with [] => [] | i :: l => pause hold none i :: paused k i :: pauses hold none (S k) l end.

(** What [b] and its elders execute; [age] is the order in which thread blocks came to the SM. *)
Definition elders (m : machine) (age hold : nat -> nat) (b : nat) (p : block) : block :=
  map (fun w => if age (group m w) <=? age b then pauses hold
    (S (list_max (map (fun x => fu (get p x)) (keys p)))) 0 (nth w p []) else [])
    (seq 0 (length p)).

(** ** The policy

    A warp that only its unit or a slot could keep from being issued was not issued: the slots of
    its sub-core went to thread blocks that are no younger; or no instance of its unit was left, and
    those that began in this cycle are of such thread blocks.  This is R6 for depth 0, and says who
    comes first: a machine that picks, one after the other, a warp of the oldest thread block of
    those that could be issued is like that. *)
Definition no_younger (m : machine) (age : nat -> nat) (g : nat) (x : key) : bool :=
  age (group m (fst x)) <=? age g.

(** No younger warp takes the slot or the unit of an older one. *)
Definition oldest_first (m : machine) (p : block) (s : schedule) (age : nat -> nat) : Prop :=
  forall w k t, In (w, k) (keys p) -> eligible p m s w k t ->
    let f := fu (get p (w, k)) in
    width m <= count p (fun x => (core m (fst x) =? core m w)
      && ((I s x =? t) && (1 <=? init (get p x))) && no_younger m age (group m w) x)
    \/ inst m f <= count p (fun x => on p f x && initiates s t x
      && ((I s x <? t) || no_younger m age (group m w) x)).

(** ** Positions *)

Lemma pauses_length hold none l : forall k, length (pauses hold none k l) = 2 * length l.
Proof.
  induction l as [|i l IH]; intros k; [reflexivity|]. cbn [pauses length]. rewrite IH. lia.
Qed.

Lemma pauses_nth hold none d l : forall k n, k < length l ->
  nth (2 * k) (pauses hold none n l) d = pause hold none (nth k l d)
  /\ nth (behind k) (pauses hold none n l) d = paused (n + k) (nth k l d).
Proof.
  induction l as [|i l IH]; intros k n H; [cbn in H; lia|]. destruct k as [|k].
  - cbn. rewrite Nat.add_0_r. split; reflexivity.
  - cbn [length] in H. specialize (IH k (S n) ltac:(lia)). unfold behind in *.
    replace (2 * S k) with (S (S (2 * k))) by lia. cbn [pauses nth] in *. rewrite Nat.add_succ_r.
    exact IH.
Qed.

Lemma half_even k : Nat.div2 (2 * k) = k.
Proof. apply Nat.div2_double. Qed.

Lemma half_odd k : Nat.div2 (behind k) = k.
Proof. apply Nat.div2_succ_double. Qed.

Lemma is_even k : Nat.even (2 * k) = true.
Proof. rewrite Nat.even_mul. reflexivity. Qed.

Lemma is_odd k : Nat.even (behind k) = false.
Proof. unfold behind. rewrite Nat.even_succ, <- Nat.negb_even, is_even. reflexivity. Qed.

Lemma sum_by_warp b (f : key -> nat) :
  sum f (keys b) = sum (fun w => sum (fun k => f (w, k)) (seq 0 (len b w))) (seq 0 (length b)).
Proof.
  unfold keys. induction (seq 0 (length b)) as [|w l IH]; [reflexivity|]. cbn [flat_map].
  rewrite sum_cons, <- IH, sum_app. unfold sum at 1. rewrite map_map. reflexivity.
Qed.

Lemma sum_double (f f' : nat -> nat) n : (forall k, k < n -> f' (2 * k) + f' (behind k) = f k) ->
  sum f' (seq 0 (2 * n)) = sum f (seq 0 n).
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. specialize (H n (Nat.lt_succ_diag_r n)) as Hn.
  unfold behind in *. replace (2 * S n) with (S (S (2 * n))) by lia.
  rewrite !seq_S, !sum_app, IH by (intros; apply H; lia). rewrite !Nat.add_0_l. unfold sum.
  cbn [map list_sum fold_right]. lia.
Qed.

Section Oldest.
  Variables (m : machine) (p : block) (s : schedule) (age hold : nat -> nat) (b : nat).
  Hypotheses (M : machine_ok m) (W : wf p) (V : valid m p s) (Depth : depth m = Some 0).
  Hypothesis First : oldest_first m p s age.
  (* the longest initiation of a unit, in the grid or on the SM *)
  Hypothesis Hold : forall x, In x (keys p) -> init (get p x) <= S (hold (fu (get p x))).
  (* units are private *)
  Hypothesis Private : forall x y, In x (keys p) -> In y (keys p) -> fu (get p x) = fu (get p y) ->
    1 <= init (get p x) ->
    core m (fst x) = core m (fst y).
  Notation o := (elders m age hold b p).
  Notation kept w := (age (group m w) <=? age b).
  Notation none := (S (list_max (map (fun x => fu (get p x)) (keys p)))).

  Lemma elders_nth w : nth w o [] = if (w <? length p)
    && kept w then pauses hold none 0 (nth w p []) else [].
  Proof.
    unfold elders. set (f := fun w => if kept w then pauses hold none 0 (nth w p []) else []).
    destruct (Nat.ltb_spec w (length p)) as [L|L]; cbn [andb].
    - rewrite (nth_indep _ [] (f 0)) by (rewrite map_length, seq_length; exact L).
      rewrite map_nth, seq_nth by exact L. reflexivity.
    - apply nth_overflow. rewrite map_length, seq_length. exact L.
  Qed.

  Lemma elders_len w : len o w = if (w <? length p) && kept w then 2 * len p w else 0.
  Proof. unfold len. rewrite elders_nth. destruct (_ && _); [apply pauses_length|reflexivity]. Qed.

  Lemma elders_keys w j : In (w, j) (keys o) <-> kept w = true /\ exists k, In (w, k) (keys p) /\
    (j = 2 * k \/ j = behind k).
  Proof.
    rewrite in_keys, elders_len. unfold elders at 1. rewrite map_length, seq_length. split.
    - intros [H1 H2]. rewrite (proj2 (Nat.ltb_lt _ _) H1) in H2. cbn [andb] in H2.
      destruct (kept w); [|lia]. split; [reflexivity|]. exists (Nat.div2 j). rewrite in_keys.
      unfold behind. destruct (Nat.Even_or_Odd j) as [[k ->]|[k ->]];
        [rewrite Nat.div2_double|rewrite Nat.add_1_r, Nat.div2_succ_double in *]; lia.
    - intros [H1 [k [H2 H3]]]. rewrite in_keys in H2.
      rewrite (proj2 (Nat.ltb_lt w (length p)) ltac:(lia)), H1. cbn [andb]. unfold behind in H3.
      lia.
  Qed.

  Lemma elders_get w k : kept w = true -> In (w, k) (keys p) ->
    get o (w, 2 * k) = pause hold none (get p (w, k)) /\
    get o (w, behind k) = paused k (get p (w, k)).
  Proof.
    intros H1 H2. apply in_keys in H2 as [H2 H3]. unfold get. cbn [fst snd].
    rewrite elders_nth, H1, (proj2 (Nat.ltb_lt _ _) H2). cbn [andb].
    apply (pauses_nth hold none nop (nth w p []) k 0 H3).
  Qed.

  Lemma unit_less x : In x (keys p) -> fu (get p x) < none.
  Proof. intros H. apply le_n_S, (list_max_in_ge (fun x => fu (get p x)) (keys p) x H). Qed.

  Theorem elders_wf : wf o.
  Proof.
    intros w j H. apply elders_keys in H as [K [k [Hk E]]].
    destruct (elders_get w k K Hk) as [G1 G2]. destruct (W w k Hk) as [W1 [W2 W3]].
    assert (forall y, In y (keys o) -> exists v n, y = (v, 2 * n) /\ fu (get o y) = none /\
      init (get o y) = 0 \/ y = (v, behind n) /\ In (v, n) (keys p) /\
      fu (get o y) = fu (get p (v, n)) /\ init (get o y) = init (get p (v, n))) as Y.
    { intros [v n] Hy. apply elders_keys in Hy as [Kv [c [Hc En]]].
      destruct (elders_get v c Kv Hc) as [Y1 Y2]. exists v, c.
      destruct En as [->| ->]; [left; rewrite Y1|right; rewrite Y2]; cbn; auto. }
    split; [|split].
    - intros y Hy F Z. destruct (Y y Hy) as [v [n [[-> [F1 Z1]]|[-> [Hn [F1 Z1]]]]]]; [exact Z1|].
      rewrite Z1. rewrite F1 in F. pose proof (unit_less (v, n) Hn).
      destruct E as [->| ->]; [rewrite G1 in F|rewrite G2 in F, Z]; cbn in *; [lia|].
      apply (W1 (v, n) Hn F Z).
    - intros q Hq.
      assert (In q (map behind (ops (get p (w, k)))) \/ j = behind k /\ q = 2 * k) as Q.
      { destruct E as [->| ->]; [rewrite G1 in Hq|rewrite G2 in Hq; destruct Hq as [<-|Hq]]; auto. }
      destruct Q as [Q|[-> ->]]; [|unfold behind; lia]. apply in_map_iff in Q as [c [<- Hc]].
      specialize (W2 c Hc). unfold behind in *. lia.
    - intros i Hi. assert (In (w, i) (keys o)) as Hin.
      { apply (keys_before o w j i); [|lia]. apply elders_keys. eauto. }
      apply elders_keys in Hin as [_ [c [Hc Ec]]]. destruct (elders_get w c K Hc) as [C1 C2].
      assert (c <= k) by (unfold behind in *; lia).
      assert (sec (get p (w, c)) <= sec (get p (w, k)))
        by (destruct (Nat.eq_dec c k) as [->|]; [lia|apply W3; lia]).
      destruct E as [->| ->], Ec as [->| ->]; rewrite ?G1, ?G2, ?C1, ?C2; exact H0.
  Qed.

  (** ** The execution of the elders *)

  (** From when on only its unit or a slot can keep an instruction. *)
  Definition readies (w k : nat) : list nat :=
    begin s (group m w) :: match k with 0 => [] | S j => [I s (w, j) + takes (get p (w, j))] end
      ++ map (fun j => C s (w, j)) (ops (get p (w, k)))
      ++ map (fun y => I s y + takes (get p y) + ar s (group m w) (sec (get p (w, k))))
             (filter (fun y => (group m (fst y) =? group m w)
               && (sec (get p y) <? sec (get p (w, k)))) (keys p)).
  Definition ready (w k : nat) : nat := list_max (readies w k).

  Lemma ready_iff w k t : ready w k <= t <-> begin s (group m w) <= t
    /\ (forall j, k = S j -> I s (w, j) + takes (get p (w, j)) <= t)
    /\ (forall q, In q (ops (get p (w, k))) -> C s (w, q) <= t)
    /\ (forall y, In y (keys p) -> group m (fst y) = group m w -> sec (get p y)
         < sec (get p (w, k)) ->
          I s y + takes (get p y) + ar s (group m w) (sec (get p (w, k))) <= t).
  Proof.
    unfold ready. rewrite list_max_le, Forall_forall. unfold readies. split.
    - intros H. repeat split.
      + apply H. left. reflexivity.
      + intros j ->. apply H. right. apply in_or_app. left. left. reflexivity.
      + intros q Hq. apply H. right. apply in_or_app. right. apply in_or_app. left.
        apply in_map_iff. eauto.
      + intros y Hy Gy Sy. apply H. right. apply in_or_app. right. apply in_or_app. right.
        apply in_map_iff. exists y. split; [reflexivity|]. apply filter_In. split; [exact Hy|].
        rewrite Gy, Nat.eqb_refl. apply Nat.ltb_lt, Sy.
    - intros [H1 [H2 [H3 H4]]] t0 Hin. cbn [In] in Hin. rewrite !in_app_iff, !in_map_iff in Hin.
      destruct Hin as [<-|[Hin|[[q [<- Hq]]|[y [<- Hy]]]]]; [exact H1| |apply H3, Hq|].
      + destruct k as [|j]; [destruct Hin|destruct Hin as [<-|[]]]. apply H2. reflexivity.
      + apply filter_In in Hy as [Hy Y]. apply andb_prop in Y as [Y1 Y2]. apply Nat.eqb_eq in Y1.
        apply Nat.ltb_lt in Y2. auto.
  Qed.

  Lemma ready_eligible w k t : eligible p m s w k t <-> ready w k <= t < I s (w, k).
  Proof. unfold eligible. rewrite (and_comm (ready w k <= t)), ready_iff. tauto. Qed.

  Lemma ready_issue w k : In (w, k) (keys p) -> ready w k <= I s (w, k).
  Proof.
    intros H. apply ready_iff. split; [apply (v_begin _ _ _ V (w, k) H)|]. split; [|split].
    - intros j ->. apply (v_order _ _ _ V w j H).
    - intros q. apply (v_ops _ _ _ V w k q H).
    - intros y Hy Gy Sy. apply (v_barrier _ _ _ V (w, k) y H Hy Gy Sy).
  Qed.

  (** What is left of a pause when an instruction is ready. *)
  Definition rest (w k : nat) : nat := min (wait_of hold (get p (w, k))) (I s (w, k) - ready w k).
  (** [alike] takes pauses from [f] and instructions from [g]. *)
  Definition alike {A} (f : nat -> nat -> A) (g : key -> A) (x : key) : A :=
    if Nat.even (snd x) then f (fst x) (Nat.div2 (snd x)) else g (fst x, Nat.div2 (snd x)).
  (** The schedule of the elders, with pauses. *)
  Definition elder_schedule : schedule :=
    Schedule (alike ready (I s)) (alike ready (D s)) (alike (fun _ _ => 0) (ai s))
      (alike rest (al s)) (ar s) (begin s).
  Notation s' := elder_schedule.

  Lemma alike_even {A} f (g : key -> A) w k : alike f g (w, 2 * k) = f w k.
  Proof. unfold alike. cbn [fst snd]. rewrite is_even, half_even. reflexivity. Qed.

  Lemma alike_odd {A} f (g : key -> A) w k : alike f g (w, behind k) = g (w, k).
  Proof. unfold alike. cbn [fst snd]. rewrite is_odd, half_odd. reflexivity. Qed.

  (** What [b] and its elders do is when it was. *)
  Lemma same_complete w k : C s' (w, behind k) = C s (w, k).
  Proof. unfold C. cbn [D ai al elder_schedule]. rewrite !alike_odd. reflexivity. Qed.

  Lemma no_queue x : In x (keys p) -> D s x = I s x.
  Proof.
    intros Hx. destruct (v_room _ _ _ V x Hx) as [E|Q]; [exact E|]. rewrite Depth in Q. lia.
  Qed.

  (** Sums over what the elders execute, and over what they executed. *)
  Lemma sum_elders (f f' : key -> nat) :
    (forall w k, kept w = true -> In (w, k) (keys p) -> f' (w, 2 * k) + f' (w, behind k)
      = f (w, k)) ->
    sum f' (keys o) = sum (fun x => if kept (fst x) then f x else 0) (keys p).
  Proof.
    intros H. rewrite !sum_by_warp. unfold elders at 2. rewrite map_length, seq_length.
    apply sum_ext. intros w Hw. apply in_seq in Hw.
    rewrite elders_len, (proj2 (Nat.ltb_lt w (length p))) by lia. cbn [andb fst].
    destruct (kept w) eqn:K.
    - apply sum_double. intros k Hk. apply (H w k K). apply in_keys. lia.
    - symmetry. apply sum_zero. reflexivity.
  Qed.

  Lemma count_elders q q' :
    (forall w k, kept w = true -> In (w, k) (keys p) -> q' (w, 2 * k) = false /\ q' (w, behind k)
      = q (w, k)) ->
    count o q' = count p (fun x => kept (fst x) && q x).
  Proof.
    intros H. unfold count. rewrite !length_sum, (sum_elders (fun x => Nat.b2n (q x))).
    - apply sum_ext. intros x _. destruct (kept (fst x)); reflexivity.
    - intros w k K Hk. destruct (H w k K Hk) as [-> ->]. reflexivity.
  Qed.

  Lemma elders_init f t : n_init o s' f t = count p (fun x => kept (fst x)
    && (on p f x && initiates s t x)).
  Proof.
    apply count_elders. intros w k K Hk. destruct (elders_get w k K Hk) as [G1 G2].
    unfold on, initiates. cbn [D ai elder_schedule]. rewrite G1, G2, !alike_even, !alike_odd.
    cbn [fu pause paused]. split; [|reflexivity]. apply andb_false_intro2.
    destruct (Nat.leb_spec (ready w k) t), (Nat.ltb_spec t (ready w k + 0)); cbn; lia.
  Qed.

  Lemma elders_issue c t : n_issue o m s' c t
    = count p (fun x => kept (fst x) && ((core m (fst x) =? c)
      && ((I s x =? t) && (1 <=? init (get p x))))).
  Proof.
    apply count_elders. intros w k K Hk. destruct (elders_get w k K Hk) as [G1 G2].
    cbn [I elder_schedule fst]. rewrite G1, G2, !alike_even, !alike_odd. cbn [init pause paused].
    rewrite !andb_false_r. auto.
  Qed.

  Lemma elders_eligible w k t : kept w = true -> In (w, k) (keys p) ->
    ~ eligible o m s' w (2 * k) t
    /\ (eligible o m s' w (behind k) t -> eligible p m s w k t /\ ready w k + rest w k <= t).
  Proof.
    intros K Hk. destruct (elders_get w k K Hk) as [G1 G2]. unfold eligible at 1 2.
    cbn [I begin ar elder_schedule]. assert (forall y, In y (keys p) -> group m (fst y)
      = group m w -> In (fst y, behind (snd y)) (keys o) /\ get o (fst y, behind (snd y))
      = paused (snd y) (get p y)) as Y.
    { intros [v n] Hy E. cbn [fst snd] in *. assert (kept v = true) as Kv by (rewrite E; exact K).
      split.
      - apply elders_keys. eauto.
      - apply (elders_get v n Kv Hy). }
    assert (forall j, In (w, j) (keys p) -> get o (w, behind j) = paused j (get p (w, j))) as J
      by (intros j Hj; apply (Y (w, j) Hj eq_refl)).
    assert (forall j, sec (get o (w, j)) = sec (get p (w, k)) ->
      (forall y, In y (keys o) -> group m (fst y) = group m w -> sec (get o y)
      < sec (get o (w, j)) -> alike ready (I s) y + takes (get o y)
      + ar s (group m w) (sec (get o (w, j))) <= t) -> forall y, In y (keys p) -> group m (fst y)
      = group m w -> sec (get p y) < sec (get p (w, k)) ->
      I s y + takes (get p y) + ar s (group m w) (sec (get p (w, k))) <= t) as B.
    { intros j Ej H y Hy Gy Sy. destruct (Y y Hy Gy) as [Y1 Y2]. specialize (H _ Y1 Gy).
      rewrite Y2, alike_odd, Ej in H. rewrite <- surjective_pairing in H. apply (H Sy). }
    split.
    - intros [H1 [H2 [H3 [H4 H5]]]]. rewrite alike_even in H1. enough (ready w k <= t) by lia.
      apply ready_iff. split; [exact H2|]. split; [|split].
      + intros j ->. pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Kj.
        specialize (H3 (behind j) ltac:(unfold behind; lia)). rewrite alike_odd, (J j Kj) in H3.
        exact H3.
      + intros q Hq. rewrite <- same_complete. apply H4. rewrite G1. apply in_map, Hq.
      + apply (B (2 * k)); [rewrite G1; reflexivity|exact H5].
    - intros [H1 [H2 [H3 [H4 H5]]]]. rewrite alike_odd in H1.
      assert (ready w k + rest w k <= t) as H6.
      { specialize (H4 (2 * k)). rewrite G2 in H4. specialize (H4 (or_introl eq_refl)).
        unfold C in H4. cbn [D ai al elder_schedule] in H4. rewrite !alike_even in H4. lia. }
      split; [|exact H6]. apply ready_eligible. lia.
  Qed.

  (** What a younger thread block has in the unit of an instruction that is ready was there
      before. *)
  Lemma begun_before w k x t : In (w, k) (keys p) -> kept w = true -> In x (keys p) ->
    fu (get p x) = fu (get p (w, k)) ->
    1 <= init (get p (w, k)) -> kept (fst x) = false -> initiates s t x = true -> t < I s (w, k) ->
    ready w k + wait_of hold (get p (w, k)) <= t -> False.
  Proof.
    intros Hk K Hx F Hi Kx Hin Ht Hr. pose proof (no_queue x Hx) as Dx.
    pose proof (v_init _ _ _ V x Hx) as Ix. pose proof (Hold x Hx) as Hh.
    assert (1 <= init (get p x)) as Ux by (apply (same_unit p W (w, k)); auto).
    unfold initiates in Hin. apply andb_prop in Hin as [H1 H2]. apply Nat.leb_le in H1.
    apply Nat.ltb_lt in H2. unfold wait_of in Hr. rewrite F in Hh.
    destruct (init (get p (w, k))) as [|n] eqn:N; [lia|].
    assert (eligible p m s w k (I s x)) as E by (apply ready_eligible; lia).
    assert (no_younger m age (group m w) x = false) as Y.
    { unfold no_younger. apply Nat.leb_gt. apply Nat.leb_gt in Kx. apply Nat.leb_le in K. lia. }
    destruct (First w k (I s x) Hk E) as [A|A].
    - apply (Nat.lt_irrefl (width m)).
      eapply Nat.lt_le_trans; [|apply (v_width _ _ _ V (core m w) (I s x))].
      eapply Nat.le_lt_trans; [exact A|]. unfold n_issue. apply (count_lt p _ _ x Hx).
      + rewrite (Private x (w, k) Hx Hk F Ux). cbn [fst]. rewrite !Nat.eqb_refl.
        apply Nat.leb_le, Ux.
      + rewrite Y. apply andb_false_r.
      + intros y _ Hy. apply andb_prop in Hy as [Hy _]. exact Hy.
    - apply (Nat.lt_irrefl (inst m (fu (get p (w, k))))).
      eapply Nat.lt_le_trans; [|apply (v_cap _ _ _ V _ (I s x))].
      eapply Nat.le_lt_trans; [exact A|]. unfold n_init. apply (count_lt p _ _ x Hx).
      + unfold on, initiates. rewrite F, Nat.eqb_refl, Dx, Nat.leb_refl. apply Nat.ltb_lt. lia.
      + rewrite Y, Nat.ltb_irrefl. apply andb_false_r.
      + intros y _ Hy. apply andb_prop in Hy as [Hy _]. exact Hy.
  Qed.

  (** *** What a thread block and its elders do is valid of them alone, with pauses. *)
  Theorem elders_valid : valid m o s'.
  Proof.
    assert (forall w j, In (w, j) (keys o) -> exists k, kept w = true /\ In (w, k) (keys p) /\
      (j = 2 * k /\ get o (w, j) = pause hold none (get p (w, k)) \/ j = behind k /\ get o (w, j)
      = paused k (get p (w, k)))) as Case.
    { intros w j H. apply elders_keys in H as [K [k [Hk E]]].
      destruct (elders_get w k K Hk) as [G1 G2]. exists k. destruct E as [->| ->]; auto. }
    pose proof V as [Vi Vl Vr Vb Vo Vp Vs Vc Vf Va Vq Vw Vk Vz Vn].
    constructor; cbn [I D ai al ar begin elder_schedule].
    - intros [w j] H. destruct (Case w j H) as [k [K [Hk [[-> ->]|[-> ->]]]]]; rewrite ?alike_even,
        ?alike_odd; [cbn; lia|apply Vi, Hk].
    - intros [w j] H. destruct (Case w j H) as [k [K [Hk [[-> ->]|[-> ->]]]]]; rewrite ?alike_even,
        ?alike_odd; [|apply Vl, Hk]. unfold rest. cbn [lat pause]. lia.
    - exact Vr.
    - intros [w j] H. destruct (Case w j H) as [k [K [Hk [[-> _]|[-> _]]]]]; rewrite ?alike_even,
        ?alike_odd; [|apply (Vb (w, k) Hk)]. apply (proj1 (ready_iff w k (ready w k)) (le_n _)).
    - intros w j H. destruct (Case w (S j) H) as [k [K [Hk E]]]. destruct E as [[E _]|[E _]].
      + destruct k as [|n]; [lia|]. assert (j = behind n) as -> by (unfold behind; lia).
        rewrite E, alike_even, alike_odd.
        rewrite (proj2 (elders_get w n K (keys_before _ _ _ n Hk ltac:(lia)))).
        apply (proj1 (proj2 (proj1 (ready_iff w (S n) _) (le_n _))) n eq_refl).
      + assert (j = 2 * k) as -> by (unfold behind in E; lia). rewrite E, alike_even, alike_odd.
        rewrite (proj1 (elders_get w k K Hk)). cbn [init pause]. pose proof (ready_issue w k Hk).
        lia.
    - intros w j q H Hq. destruct (Case w j H) as [k [K [Hk [[-> E]|[-> E]]]]]; rewrite E in Hq;
        rewrite ?alike_even, ?alike_odd.
      + apply in_map_iff in Hq as [c [<- Hc]]. rewrite same_complete.
        apply (proj1 (ready_iff w k _) (le_n _)), Hc.
      + destruct Hq as [<-|Hq].
        * unfold C. cbn [D ai al elder_schedule]. rewrite !alike_even. unfold rest.
          pose proof (ready_issue w k Hk). lia.
        * apply in_map_iff in Hq as [c [<- Hc]]. rewrite same_complete. apply (Vp w k c Hk Hc).
    - intros [w j] H. destruct (Case w j H) as [k [K [Hk [[-> _]|[-> _]]]]]; rewrite ?alike_even,
        ?alike_odd; [lia|apply Vs, Hk].
    - intros f t. rewrite elders_init. etransitivity; [|apply (Vc f t)]. apply count_le.
      intros x _ E. apply andb_prop in E. apply E.
    - intros [w j] [v n] H1 H2. destruct (Case w j H1) as [k [K [Hk [[-> ->]|[-> ->]]]]],
        (Case v n H2) as [c [Kc [Hc [[-> ->]|[-> ->]]]]]; rewrite ?alike_even, ?alike_odd;
        cbn [fu pause paused]; intros F.
      + lia.
      + pose proof (unit_less (v, c) Hc). lia.
      + pose proof (unit_less (w, k) Hk). lia.
      + apply Vf; assumption.
    - intros [w j] t H Wt. exfalso. unfold waits in Wt. cbn [I D elder_schedule] in Wt.
      destruct (Case w j H) as [k [K [Hk [[-> _]|[-> _]]]]]; rewrite ?alike_even, ?alike_odd in Wt;
        apply andb_prop in Wt as [W1 W2]; apply Nat.leb_le in W1; apply Nat.ltb_lt in W2; [lia|].
      rewrite (no_queue _ Hk) in W2. lia.
    - intros f t. rewrite Depth. apply Nat.le_0_r. unfold n_wait.
      rewrite (count_elders (fun _ => false)).
      + unfold count. rewrite length_sum. apply sum_zero. intros x _. rewrite andb_false_r.
        reflexivity.
      + intros w k K Hk. unfold waits. cbn [I D elder_schedule].
        rewrite !alike_even, !alike_odd, (no_queue _ Hk). split; apply andb_false_intro2.
        * destruct (Nat.leb_spec (ready w k) t), (Nat.ltb_spec t (ready w k)); cbn; lia.
        * destruct (Nat.leb_spec (I s (w, k)) t), (Nat.ltb_spec t (I s (w, k))); cbn; lia.
    - intros c t. rewrite elders_issue. etransitivity; [|apply (Vw c t)]. apply count_le.
      intros x _ E. apply andb_prop in E. apply E.
    - intros w j t H El. destruct (Case w j H) as [k [K [Hk [[-> _]|[-> G2]]]]].
      + destruct (proj1 (elders_eligible w k t K Hk) El).
      + apply (elders_eligible w k t K Hk) in El as [El Hr]. rewrite G2. cbn [fu paused].
        pose proof El as [Ht _]. pose proof (proj1 (ready_eligible w k t) El) as Rt.
        destruct (Nat.eq_dec (init (get p (w, k))) 0) as [Z|NZ];
          [destruct (proj2 (Vn w k Hk Z) t El)|]. unfold rest in Hr.
        assert (ready w k + wait_of hold (get p (w, k)) <= t) as Hw by lia.
        assert (forall x, no_younger m age (group m w) x = true -> kept (fst x) = true) as Older.
        { intros x E. unfold no_younger in E. apply Nat.leb_le in E, K. apply Nat.leb_le. lia. }
        destruct (First w k t Hk El) as [A|A]; [left|right; split].
        * apply Nat.le_antisymm.
          -- rewrite elders_issue. etransitivity; [|apply (Vw (core m w) t)]. apply count_le.
             intros x _ E. apply andb_prop in E. apply E.
          -- rewrite elders_issue. etransitivity; [exact A|]. apply count_le. intros x Hx E.
             apply andb_prop in E as [E1 E2]. rewrite E1, (Older x E2). reflexivity.
        * rewrite elders_init. etransitivity; [exact A|]. apply count_le. intros x Hx E.
          apply andb_prop in E as [E1 E2]. rewrite E1, andb_true_r.
          destruct (kept (fst x)) eqn:Kx; [reflexivity|exfalso]. apply andb_prop in E1 as [F Hin].
          apply Nat.eqb_eq in F. apply (begun_before w k x t Hk K Hx F ltac:(lia) Kx Hin Ht Hw).
        * rewrite Depth. lia.
    - intros [w j] [v n] H1 H2.
      destruct (Case w j H1) as [k [K [Hk E1]]], (Case v n H2) as [c [Kc [Hc E2]]]. cbn [fst].
      intros Gy Sy. assert (sec (get p (v, c)) < sec (get p (w, k))) as Sp
        by (destruct E1 as [[_ E1]|[_ E1]], E2 as [[_ E2]|[_ E2]]; rewrite E1, E2 in Sy; exact Sy).
      assert (sec (get o (w, j)) = sec (get p (w, k))) as ->
        by (destruct E1 as [[_ E1]|[_ E1]]; rewrite E1; reflexivity).
      assert (alike ready (I s) (v, n) + takes (get o (v, n)) <= I s (v, c) + takes (get p (v, c)))
        as Le1.
      { destruct E2 as [[-> ->]|[-> ->]]; rewrite ?alike_even, ?alike_odd;
          cbn [init pause paused]; [|lia]. pose proof (ready_issue v c Hc). lia. }
      assert (I s (v, c) + takes (get p (v, c)) + ar s (group m w) (sec (get p (w, k)))
        <= ready w k) as Le2 by (apply (proj1 (ready_iff w k _) (le_n _)) with (y := (v, c));
        assumption). pose proof (ready_issue w k Hk).
      destruct E1 as [[-> _]|[-> _]]; rewrite ?alike_even, ?alike_odd; lia.
    - intros w j H.
      destruct (Case w j H) as [k [K [Hk [[-> ->]|[-> ->]]]]]; rewrite ?alike_even, ?alike_odd.
      + intros _. split; [reflexivity|]. intros t El.
        destruct (proj1 (elders_eligible w k t K Hk) El).
      + cbn [init paused]. intros Z. destruct (Vn w k Hk Z) as [N1 N2]. split; [exact N1|].
        intros t El. apply (elders_eligible w k t K Hk) in El as [El _]. apply (N2 t El).
  Qed.
End Oldest.
