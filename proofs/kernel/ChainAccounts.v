(** * The accounts of ChainFormulas.v, from a route of each thread block by itself

    A route gives each cycle a sub-core.  [pays c g t]: what thread block [g] pays in cycle [t] for
    sub-core [c].  From any time of its stay a thread block has a route to its end, and takes little
    but for what others pay along it; what a thread block pays along a route follows from how often
    the route changes in its stay.  Routes of the thread blocks of a slot, one behind the other, are
    the path of a slot. *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Ledger Tail
  GridLedger.

(** The route changes behind cycle [t]. *)
Definition turns_at (ro : nat -> nat) (t : nat) : bool := negb (ro t =? ro (S t)).
(** One route until [a], then another one. *)
Definition splice (a : nat) (ro ro' : nat -> nat) (t : nat) : nat :=
  if t <? a then ro t else ro' t.

Lemma splice_before a ro ro' t : t < a -> splice a ro ro' t = ro t.
Proof. intros H. unfold splice. rewrite (proj2 (Nat.ltb_lt _ _) H). reflexivity. Qed.

Lemma splice_behind a ro ro' t : a <= t -> splice a ro ro' t = ro' t.
Proof. intros H. unfold splice. rewrite (proj2 (Nat.ltb_ge _ _) H). reflexivity. Qed.

Lemma splice_turns a ro ro' z : cnt (turns_at (splice a ro ro')) z
  <= cnt (turns_at ro) z + 1 + cnt (fun t => (a <=? t) && turns_at ro' t) z.
Proof.
  transitivity (cnt (fun t => (turns_at ro t || ((a - 1 <=? t) && (t <? a - 1 + 1)))
    || ((a <=? t) && turns_at ro' t)) z).
  - apply cnt_le. intros t _ H. unfold turns_at in *.
    destruct (Nat.leb_spec a t) as [L|L].
    + rewrite !splice_behind in H by lia. rewrite H, orb_true_r. reflexivity.
    + rewrite splice_before in H by exact L. cbn [andb]. rewrite orb_false_r.
      destruct (le_lt_dec a (S t)) as [L'|L'].
      * rewrite (proj2 (Nat.leb_le (a - 1) t)), (proj2 (Nat.ltb_lt t (a - 1 + 1))) by lia.
        apply orb_true_r.
      * rewrite splice_before in H by exact L'. rewrite H. reflexivity.
  - etransitivity; [apply cnt_or|]. apply Nat.add_le_mono_r. etransitivity; [apply cnt_or|].
    pose proof (cnt_interval (a - 1) 1 z). lia.
Qed.

(** As the other route from the beginning on. *)
Definition steady (a : nat) (ro : nat -> nat) : nat -> nat :=
  splice a (fun _ => ro a) ro.

Lemma steady_turns a ro z : cnt (turns_at (steady a ro)) z <= cnt (fun t => (a <=? t) && turns_at ro
  t) z.
Proof.
  apply cnt_le. intros t _ H. unfold turns_at, steady in *. destruct (Nat.leb_spec a t) as [L|L].
  - rewrite !splice_behind in H by lia. exact H.
  - rewrite splice_before in H by exact L. destruct (le_lt_dec a (S t)) as [L'|L'].
    + rewrite splice_behind in H by exact L'. replace (S t) with a in H by lia.
      rewrite Nat.eqb_refl in H. discriminate.
    + rewrite splice_before, Nat.eqb_refl in H by exact L'. discriminate.
Qed.

(** The sub-cores that a route visits in [a, z) *)
Lemma visited ro a z : exists vs, NoDup vs
  /\ length vs <= S (cnt (fun t => (a <=? t) && (S t <? z) && turns_at ro t) z)
  /\ forall t, a <= t < z -> In (ro t) vs.
Proof.
  induction z as [|z [vs [N [Len Vs]]]].
  - exists []. split; [constructor|]. split; [cbn; lia|lia].
  - set (p := fun t => (a <=? t) && (S t <? S z) && turns_at ro t).
    assert (cnt (fun t => (a <=? t) && (S t <? z) && turns_at ro t) z <= cnt p z) as G.
    { apply cnt_le. intros t _ H. unfold p. rewrite !andb_true_iff, Nat.leb_le, !Nat.ltb_lt in *.
      intuition lia. }
    pose proof (cnt_rises p z) as Rz.
    destruct (in_dec Nat.eq_dec (ro z) vs) as [I|I].
    { exists vs. split; [exact N|]. split; [lia|]. intros t Ht.
      destruct (Nat.eq_dec t z) as [->|]; [exact I|apply Vs; lia]. }
    destruct (le_lt_dec z a) as [L|L].
    { exists [ro z]. split; [repeat constructor; easy|]. split; [cbn; lia|]. intros t Ht. left.
      f_equal. lia. }
    exists (ro z :: vs). split; [constructor; assumption|]. split.
    + cbn [length]. enough (cnt (fun t => (a <=? t) && (S t <? z) && turns_at ro t) z + 1 <= cnt p
      z)
        by lia.
      destruct z as [|y]; [lia|]. cbn [cnt] in *.
      assert (p y = true) as ->.
      { unfold p, turns_at. rewrite (proj2 (Nat.leb_le a y)), (proj2 (Nat.ltb_lt _ _)) by lia.
        apply negb_true_iff, Nat.eqb_neq. intros E. apply I. rewrite <- E. apply Vs. lia. }
      rewrite (proj2 (Nat.ltb_ge (S y) (S y)) (le_n _)), andb_false_r. cbn [andb].
      enough (cnt (fun t => (a <=? t) && (S t <? S y) && turns_at ro t) y <= cnt p y) by lia.
      apply cnt_le. intros t _ H. unfold p. rewrite !andb_true_iff, Nat.leb_le, !Nat.ltb_lt in *.
      intuition lia.
    + intros t Ht. destruct (Nat.eq_dec t z) as [->|]; [left; reflexivity|right; apply Vs; lia].
Qed.

Section Accounts.
  Variables (r : run) (M R delta : nat) (ck : nat -> chain_kind).
  Hypothesis Lg : ledger r M R delta (fun b => plain (ck b)).
  Variable pays : nat -> nat -> nat -> nat.
  (** Who pays is there. *)
  Hypothesis Span : forall c g t, g < count r -> pays c g t <> 0 -> start r g <= t < fin r g.
  (** What [g] pays along a route in [a, z) *)
  Definition along (ro : nat -> nat) (a z g : nat) : nat :=
    sum (fun t => if a <=? t then pays (ro t) g t else 0) (seq 0 z).
  (** Cycle [t] is in the stay of [g], and the next one. *)
  Definition inside (g t : nat) : bool := (start r g <=? t) && (S t <? fin r g).
  Notation met ro g := (cnt (fun t => inside g t && turns_at ro t) (fin r g)).
  (** Of [n] changes in the stay *)
  Hypothesis Charges : forall g ro n, g < count r -> met ro g <= n ->
    along ro 0 (fin r g) g <= charge (ck g) n.
  Hypothesis Less : forall g, g < count r -> cW (ck g) <= cE (ck g) /\ 1 <= cH (ck g).
  (** A route with less than [chg] changes from [t0] on *)
  Notation route ro t0 g := (forall z, cnt (fun t => (t0 <=? t) && turns_at ro t) z + 1 <= cH (ck
    g)).
  (** But for what others pay, it takes W + own; *)
  Hypothesis Timed : forall g t0, g < count r -> start r g <= t0 <= fin r g -> exists ro,
    route ro t0 g /\ fin r g <= t0 + (cW (ck g) + cO (ck g)) + sum (along ro t0 (fin r g)) (others r
      g).
  (** but for what all pay, lam. *)
  Hypothesis Idle : forall g t0, g < count r -> start r g <= t0 <= fin r g -> exists ro,
    route ro t0 g /\ fin r g <= t0 + cL (ck g) + sum (along ro t0 (fin r g)) (on_sm r (sm r g)).

  Lemma paid_none ro a z g : g < count r -> fin r g <= a \/ z <= start r g -> along ro a z g = 0.
  Proof.
    intros Hg H. apply sum_zero. intros t Ht. apply in_seq in Ht.
    destruct (Nat.leb_spec a t) as [L|L]; [|reflexivity].
    destruct (Nat.eq_dec (pays (ro t) g t) 0) as [E|E]; [exact E|]. apply (Span _ _ _ Hg) in E. lia.
  Qed.

  Lemma paid_splice x a z ro ro' g : x <= a -> x <= z ->
    along ro 0 x g + along ro' a z g <= along (splice a ro ro') 0 z g.
  Proof.
    intros Hx Hz. unfold along.
    assert (sum (fun t => if 0 <=? t then pays (ro t) g t else 0) (seq 0 x)
      <= sum (fun t => if t <? x then pays (ro t) g t else 0) (seq 0 z)) as H.
    { replace z with (x + (z - x)) by lia. rewrite seq_app, sum_app.
      etransitivity; [|apply Nat.le_add_r]. apply sum_le. intros t Ht. apply in_seq in Ht.
      rewrite (proj2 (Nat.ltb_lt t x)) by lia. destruct (0 <=? t); lia. }
    etransitivity; [apply Nat.add_le_mono_r, H|]. rewrite <- sum_add. apply sum_le. intros t _.
    cbn [Nat.leb]. destruct (Nat.leb_spec a t) as [L|L].
    - rewrite splice_behind by exact L. rewrite (proj2 (Nat.ltb_ge t x)) by lia. apply le_n.
    - rewrite splice_before by exact L. destruct (t <? x); lia.
  Qed.

  (** What is paid in a stay, at most *)
  Lemma paid_stay ro a z g n : g < count r -> met ro g <= n -> along ro a z g <= charge (ck g) n.
  Proof.
    intros Hg Hn. etransitivity; [|apply (Charges g ro n Hg Hn)]. unfold along.
    assert (forall t, (if a <=? t then pays (ro t) g t else 0) <= if 0 <=? t then pays (ro t) g t
      else 0) as A by (intros t; cbn; destruct (a <=? t); lia).
    destruct (le_lt_dec z (fin r g)) as [L|L].
    - replace (fin r g) with (z + (fin r g - z)) by lia. rewrite seq_app, sum_app.
      etransitivity; [|apply Nat.le_add_r]. apply sum_le. auto.
    - replace z with (fin r g + (z - fin r g)) by lia. rewrite seq_app, sum_app.
      rewrite (sum_zero _ (seq (0 + fin r g) _)); [rewrite Nat.add_0_r; apply sum_le; auto|].
      intros t Ht. apply in_seq in Ht. destruct (a <=? t); [|reflexivity].
      destruct (Nat.eq_dec (pays (ro t) g t) 0) as [E|E]; [exact E|]. apply (Span _ _ _ Hg) in E.
      lia.
  Qed.

  Section Sm.
    Variable i : nat.
    Notation here := (on_sm r i).

    Lemma here_is g : In g here -> g < count r /\ sm r g = i.
    Proof. apply in_on_sm. Qed.

    Lemma times_of g : In g here -> disp r g <= start r g <= fin r g.
    Proof. intros Hg. apply (l_disp _ _ _ _ _ Lg), here_is, Hg. Qed.

    Lemma same_place g g' : In g here -> In g' here -> ord r g = ord r g' -> g = g'.
    Proof. intros Hg Hg'. apply (l_ord _ _ _ _ _ Lg); apply here_is; assumption. Qed.

    (** The thread blocks of a slot meet different changes. *)
    Lemma slot_meets ro n l : NoDup l -> incl l here ->
      (forall g g', In g l -> In g' l -> room r g = room r g') ->
      (forall z, cnt (turns_at ro) z <= n) -> sum (fun g => met ro g) l <= n.
    Proof.
      intros N Hl Hr Hn. set (z := list_max (map (fin r) l)).
      etransitivity; [|apply (Hn z)]. rewrite <- cycles_cnt. unfold cycles.
      transitivity (sum (fun g => sum (fun t => Nat.b2n (inside g t && turns_at ro t)) (seq 0 z))
        l).
      - apply sum_le. intros g Hg. rewrite <- cycles_cnt. change (cycles (fin r g)
          (fun t => inside g t && turns_at ro t) <= cycles z (fun t => inside g t && turns_at ro
            t)).
        apply cycles_longer, list_max_in_ge, Hg.
      - rewrite sum_swap. apply sum_le. intros t _. apply sum_once; [exact N| |].
        + intros g _. destruct (inside g t), (turns_at ro t); cbn; lia.
        + intros g g' Hg Hg' E E'. unfold inside in E, E'.
          destruct (Nat.leb_spec (start r g) t), (Nat.ltb_spec (S t) (fin r g)),
            (Nat.leb_spec (start r g') t), (Nat.ltb_spec (S t) (fin r g')); try easy.
          pose proof (times_of g (Hl g Hg)). pose proof (times_of g' (Hl g' Hg')).
          destruct (Nat.lt_trichotomy (ord r g) (ord r g')) as [O|[O|O]];
            [|apply same_place; auto|].
          * pose proof (slot_after r M R delta _ Lg i g g' (Hl g Hg) (Hl g' Hg') (Hr g g' Hg Hg')
            O).
            lia.
          * pose proof (slot_after r M R delta _ Lg i g' g (Hl g' Hg') (Hl g Hg) (Hr g' g Hg' Hg)
            O).
            lia.
    Qed.

    (** Cycles until [a] are known, or those of the dispatch latency. *)
    Lemma gap_cycles p x a z g : In g here -> x <= a <= z ->
      (forall t, p t = true -> x <= t < a -> counted r t && passing r g t = true) ->
      cycles z p <= cycles x p + delay r delta g + (z - a).
    Proof.
      intros Hg Hx Gap. pose proof (l_delay _ _ _ _ _ Lg z g (proj1 (here_is g Hg))) as Dl.
      pose proof (cycles_cut z x p) as Cu. pose proof (cnt_interval a (z - a) z) as In.
      rewrite cycles_cnt in *. etransitivity; [apply (cnt_le _ (fun t => (p t && (t <? x)
        || counted r t && passing r g t) || (a <=? t) && (t <? a + (z - a))))|].
      - intros t Ht P. rewrite P. destruct (Nat.ltb_spec t x) as [L|L]; [reflexivity|].
        destruct (Nat.leb_spec a t) as [L'|L'].
        + rewrite (proj2 (Nat.ltb_lt _ _)) by lia. apply orb_true_r.
        + rewrite (Gap t P) by lia. reflexivity.
      - etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [|exact In].
        etransitivity; [apply cnt_or|]. rewrite <- !cycles_cnt in *.
        apply Nat.add_le_mono; assumption.
    Qed.

    Section Slot.
      Variables (q : nat) (F : list nat).
      Hypotheses (Hq : q < R) (Slot : whole_slot r i q F).
      Notation upto n := (filter (fun c => ord r c <? n) F).
      Notation own := (fun c => delay r delta c + (cW (ck c) + cO (ck c))).

      Lemma upto_in c n : In c (upto n) <-> In c F /\ ord r c < n.
      Proof. rewrite filter_In, Nat.ltb_lt. reflexivity. Qed.

      Lemma slot_here c : In c F -> In c here.
      Proof. apply Slot. Qed.

      Lemma upto_next f g : In g F -> sum f (upto (S (ord r g))) = sum f (upto (ord r g)) + f g.
      Proof.
        destruct Slot as [Nd _]. intros Hg. rewrite !sum_filter.
        assert (f g = sum (fun c => if c =? g then f c else 0) F) as ->.
        { clear -Nd Hg. induction F as [|c l IH]; [destruct Hg|]. rewrite sum_cons.
          inversion Nd as [|? ? N1 N2]; subst. destruct Hg as [->|Hg].
          - rewrite Nat.eqb_refl, sum_zero; [lia|]. intros d Hd.
            destruct (Nat.eqb_spec d g) as [->|]; [contradiction|reflexivity].
          - destruct (Nat.eqb_spec c g) as [->|]; [contradiction|apply IH; assumption]. }
        rewrite <- sum_add. apply sum_ext. intros c Hc. destruct (Nat.eqb_spec c g) as [->|N].
        - rewrite (proj2 (Nat.ltb_lt _ _) (Nat.lt_succ_diag_r _)), Nat.ltb_irrefl. reflexivity.
        - assert (ord r c <> ord r g) as O
            by (intros O; apply N, same_place; auto using slot_here).
          destruct (Nat.ltb_spec (ord r c) (S (ord r g))), (Nat.ltb_spec (ord r c) (ord r g)); lia.
      Qed.

      Lemma upto_all f n : sum f (upto n) <= sum f F.
      Proof. rewrite sum_filter. apply sum_le. intros c _. destruct (_ <? _); lia. Qed.

      Lemma slot_follows c g : In c F -> In g F -> ord r c < ord r g -> fin r c <= disp r g.
      Proof.
        intros Hc Hg. apply (slot_after r M R delta _ Lg i); auto using slot_here.
        pose proof (slot_here c Hc). pose proof (slot_here g Hg). apply Slot in Hc, Hg; auto.
        congruence.
      Qed.

      (** Those outside of the slot pay. *)
      Lemma out_of_slot ro a z l : incl l here -> NoDup l ->
        (forall c, In c F -> In c l -> fin r c <= a \/ z <= start r c) ->
        sum (along ro a z) l <= sum (along ro a z) (rest r i F).
      Proof.
        intros Inc Nd Apart. transitivity (sum (fun c => if existsb (Nat.eqb c) F then 0
          else along ro a z c) l).
        - apply sum_le. intros c Hc. destruct (existsb _ F) eqn:E; [|apply le_n].
          apply existsb_exists in E as [d [Hd E]]. apply Nat.eqb_eq in E as ->.
          rewrite paid_none; [apply le_n|apply here_is, Inc, Hc|apply Apart; assumption].
        - transitivity (sum (fun c => if existsb (Nat.eqb c) F then 0 else along ro a z c) here).
          + apply sum_incl; assumption.
          + unfold rest. rewrite sum_filter. apply sum_le. intros c _.
          destruct (existsb _ F); cbn; lia.
      Qed.

      (** The route of the slot until [g] ends *)
      Lemma routed : forall n g, ord r g < n -> In g F -> exists ro,
        (forall z, cnt (turns_at ro) z + 1 <= sum (fun c => cH (ck c)) (upto (S (ord r g))))
        /\ cycles (fin r g) (counted r) <= sum own (upto (S (ord r g)))
          + sum (along ro 0 (fin r g)) (rest r i F).
      Proof.
        induction n as [|n IH]; [lia|]. intros g Hn Hg. pose proof (slot_here g Hg) as Gh.
        destruct (here_is g Gh) as [G1 G2]. pose proof (times_of g Gh) as Dg.
        destruct (Timed g (start r g) G1 ltac:(lia)) as [ro' [T' F']].
        assert (sum (along ro' (start r g) (fin r g)) (others r g)
          <= sum (along ro' (start r g) (fin r g)) (rest r i F)) as Out.
        { apply out_of_slot.
          - intros c Hc. unfold others in Hc. rewrite G2 in Hc. apply filter_In in Hc. apply Hc.
          - apply NoDup_filter, nodup_on_sm.
          - intros c Hc Ho. apply filter_In in Ho as [_ Ho]. apply negb_true_iff, Nat.eqb_neq in Ho.
            pose proof (times_of c (slot_here c Hc)).
            destruct (Nat.lt_trichotomy (ord r c) (ord r g)) as [O|[O|O]].
            + pose proof (slot_follows c g Hc Hg O). lia.
            + destruct Ho. apply same_place; auto using slot_here.
            + pose proof (slot_follows g c Hg Hc O). lia. }
        assert (forall x, (forall c, In c F -> ord r c < ord r g -> fin r c <= x) -> forall t,
          counted r t = true -> x <= t < start r g -> counted r t && passing r g t = true) as Gap.
        { intros x A t Ct Ht. rewrite Ct. destruct Slot as [_ [Inc All]].
          apply (slot_passing r M R delta _ Lg i q F Hq All g t Inc Hg Ct); [lia|].
          intros c Hc O. specialize (A c Hc O). lia. }
        assert (forall x ro, x <= start r g -> (forall c, In c F -> ord r c < ord r g ->
          fin r c <= x) -> forall Y, cycles x (counted r) <= Y + sum (along ro 0 x) (rest r i F) ->
          cycles (fin r g) (counted r) <= Y + own g
            + sum (along (splice (start r g) ro ro') 0 (fin r g)) (rest r i F)) as Step.
        { intros x ro Hx A Y HY. pose proof (gap_cycles (counted r) x (start r g) (fin r g) g Gh
            ltac:(lia) (Gap x A)) as C.
          assert (sum (along ro 0 x) (rest r i F) + sum (along ro' (start r g) (fin r g)) (rest r i
            F)
            <= sum (along (splice (start r g) ro ro') 0 (fin r g)) (rest r i F)) as S1; [|lia].
          rewrite <- sum_add. apply sum_le. intros c _. apply paid_splice; lia. }
        destruct (upto (ord r g)) as [|c0 l0] eqn:E.
        - exists (steady (start r g) ro'). split.
          + intros z. rewrite upto_next, E by exact Hg. etransitivity; [|apply (T' z)].
            apply Nat.add_le_mono_r, steady_turns.
          + rewrite upto_next, E by exact Hg. apply (Step 0); [lia| |cbn; lia].
            intros c Hc O. exfalso. pose proof (proj2 (upto_in c (ord r g)) (conj Hc O)) as H.
            rewrite E in H. destruct H.
        - destruct (exists_max (ord r) (upto (ord r g)) ltac:(rewrite E; discriminate))
            as [c' [Hc' Mx]]. clear E c0 l0. apply upto_in in Hc' as [C1 C2].
          destruct (IH c' ltac:(lia) C1) as [ro [T Fr]].
          assert (upto (S (ord r c')) = upto (ord r g)) as Eu.
          { apply filter_ext_in. intros c Hc. destruct (Nat.ltb_spec (ord r c) (ord r g)) as [L|L].
            - apply Nat.ltb_lt, le_n_S, Mx, upto_in. auto.
            - apply Nat.ltb_ge. lia. }
          rewrite Eu in T, Fr. exists (splice (start r g) ro ro'). split.
          + intros z. rewrite upto_next by exact Hg. pose proof (splice_turns (start r g) ro ro' z).
            specialize (T z). specialize (T' z). lia.
          + rewrite upto_next by exact Hg. apply (Step (fin r c')); [| |exact Fr].
            * pose proof (slot_follows c' g C1 Hg C2). lia.
            * intros c Hc O. pose proof (times_of c' (slot_here c' C1)).
              destruct (Nat.eq_dec (ord r c) (ord r c')) as [Eo|No].
              -- rewrite (same_place c c') by auto using slot_here. apply le_n.
              -- pose proof (Mx c (proj2 (upto_in c (ord r g)) (conj Hc O))).
                 pose proof (slot_follows c c' Hc C1 ltac:(lia)). lia.
      Qed.

      (** Changes are met by those of the other slots, each by one of a slot. *)
      Lemma rest_meets ro n : (forall z, cnt (turns_at ro) z <= n) ->
        sum (fun c => met ro c) (rest r i F) <= (R - 1) * n.
      Proof.
        intros H. destruct Slot as [_ [_ All]].
        apply (rest_by_slots r M R delta _ Lg i q F Hq All). intros l Nd Inc Same.
        apply slot_meets; assumption.
      Qed.

      Lemma rest_charged ro z : sum (along ro 0 z) (rest r i F)
        <= sum (fun c => charge (ck c) (met ro c)) (rest r i F).
      Proof.
        apply sum_le. intros c Hc. apply paid_stay; [|apply le_n].
        apply in_rest in Hc as [Hc _]. apply here_is, Hc.
      Qed.

      Theorem slot_account g z : In g F -> z <= fin r g -> exists n,
        cycles z (counted r) <= slot_sum r delta ck F + sum (fun c => charge (ck c) (n c)) (rest r i
          F)
        /\ sum n (rest r i F) <= (R - 1) * (slot_turns ck F - 1).
      Proof.
        intros Hg Hz. destruct (routed _ g (le_n _) Hg) as [ro [T C]]. exists (fun c => met ro c).
        pose proof (cycles_longer z (fin r g) (counted r) Hz).
        pose proof (rest_charged ro (fin r g)).
        pose proof (upto_all own (S (ord r g))).
        pose proof (upto_all (fun c => cH (ck c)) (S (ord r g))).
        unfold slot_sum, slot_turns. split; [lia|]. apply rest_meets. intros y. specialize (T y).
        lia.
      Qed.

      Theorem slot_then_account b : In b here -> ~ In b F ->
        (forall t, counted r t = true -> t < start r b -> (forall c, In c F -> fin r c <= t) ->
          disp r b <= t) -> exists n, cycles (fin r b) (counted r)
          <= slot_sum r delta ck F + delta + cL (ck b) + sum (fun c => charge (ck c) (n c)) (rest r
            i F)
        /\ sum n (rest r i F) <= (R - 1) * (slot_turns ck F + cH (ck b) - 1).
      Proof.
        intros Bh Nb Gap. destruct (here_is b Bh) as [B1 B2]. pose proof (times_of b Bh) as Db.
        pose proof (delay_le r delta b) as Dl. pose proof (proj2 (Less b B1)) as Tb.
        assert (forall x t0, x <= t0 -> t0 = max x (start r b) -> (forall c, In c F -> fin r c <= x)
          ->
          x < fin r b -> cycles (fin r b) (counted r)
            <= cycles x (counted r) + delay r delta b + (fin r b - t0)) as Gap'.
        { intros x t0 _ E A L. apply gap_cycles; [exact Bh|lia|]. intros t Ct Ht. rewrite Ct.
          unfold passing. rewrite (proj2 (Nat.ltb_lt _ _)), andb_true_r by lia.
          apply Nat.leb_le, (Gap t Ct); [lia|]. intros c Hc. specialize (A c Hc). lia. }
        assert (forall ro' t0, (forall c, In c F -> fin r c <= t0) ->
          sum (along ro' t0 (fin r b)) here <= sum (along ro' t0 (fin r b)) (rest r i F)) as Out.
        { intros ro' t0 A. apply out_of_slot; [apply incl_refl|apply nodup_on_sm|auto]. }
        assert (forall ro y, (forall z, cnt (turns_at ro) z <= slot_turns ck F + cH (ck b) - 1) ->
          cycles (fin r b) (counted r) <= slot_sum r delta ck F + delta + cL (ck b)
            + sum (along ro 0 y) (rest r i F) ->
          exists n, cycles (fin r b) (counted r) <= slot_sum r delta ck F + delta + cL (ck b)
            + sum (fun c => charge (ck c) (n c)) (rest r i F)
          /\ sum n (rest r i F) <= (R - 1) * (slot_turns ck F + cH (ck b) - 1)) as Fin.
        { intros ro y T C. exists (fun c => met ro c). pose proof (rest_charged ro y).
          split; [lia|apply rest_meets, T]. }
        assert (F = [] \/ F <> []) as [E|E] by (destruct F; [auto|right; discriminate]).
        - destruct (Idle b (start r b) B1 ltac:(lia)) as [ro' [T' I']]. rewrite B2 in I'.
          assert (forall c, In c F -> fin r c <= 0) as A by (rewrite E; intros c []).
          apply (Fin (steady (start r b) ro') (fin r b)).
          + intros z. pose proof (steady_turns (start r b) ro' z). specialize (T' z). lia.
          + destruct (Nat.eq_dec (fin r b) 0) as [Z|Z]; [rewrite Z; cbn; lia|].
            pose proof (Gap' 0 (start r b) ltac:(lia) ltac:(lia) A ltac:(lia)) as C.
            pose proof (Out ro' (start r b) ltac:(rewrite E; intros c [])) as O.
            assert (sum (along ro' (start r b) (fin r b)) (rest r i F)
              <= sum (along (steady (start r b) ro') 0 (fin r b)) (rest r i F)) as P;
              [|cbn [cycles seq] in C; change (cycles 0 (counted r)) with 0 in C; lia].
            apply sum_le. intros c _. unfold steady.
            pose proof (paid_splice 0 (start r b) (fin r b) (fun _ => ro' (start r b)) ro' c
              ltac:(lia) ltac:(lia)). lia.
        - destruct (exists_max (fin r) F E) as [g [Hg Mx]].
          destruct (routed _ g (le_n _) Hg) as [ro [T C]].
          pose proof (upto_all own (S (ord r g))).
          pose proof (upto_all (fun c => cH (ck c)) (S (ord r g))) as Tu.
          assert (cycles (fin r g) (counted r) <= slot_sum r delta ck F
            + sum (along ro 0 (fin r g)) (rest r i F)) as C' by (unfold slot_sum; lia).
          fold (slot_turns ck F) in Tu.
          destruct (le_lt_dec (fin r b) (fin r g)) as [L|L].
          + apply (Fin ro (fin r g)); [intros z; specialize (T z); lia|].
            pose proof (cycles_longer _ _ (counted r) L). lia.
          + set (t0 := max (fin r g) (start r b)).
            destruct (Idle b t0 B1 ltac:(lia)) as [ro' [T' I']]. rewrite B2 in I'.
            apply (Fin (splice t0 ro ro') (fin r b)).
            * intros z. pose proof (splice_turns t0 ro ro' z). specialize (T z). specialize (T' z).
              lia.
            * pose proof (Gap' (fin r g) t0 ltac:(lia) eq_refl Mx L).
              pose proof (Out ro' t0 (fun c Hc => Nat.le_trans _ _ _ (Mx c Hc) (Nat.le_max_l _ _))).
              assert (sum (along ro 0 (fin r g)) (rest r i F)
                + sum (along ro' t0 (fin r b)) (rest r i F)
                <= sum (along (splice t0 ro ro') 0 (fin r b)) (rest r i F)) as P; [|lia].
              rewrite <- sum_add. apply sum_le. intros c _. apply paid_splice; lia.
      Qed.
    End Slot.

    Theorem tail_account t1 b : In b here -> (forall c, In c here -> disp r c <= t1) -> exists n,
      cycles (fin r b) (behind r t1 b) <= delay r delta b + (cW (ck b) + cO (ck b))
        + sum (fun c => charge (ck c) (n c)) (beside r i t1 b)
      /\ forall c, In c (beside r i t1 b) -> n c <= cH (ck b) - 1.
    Proof.
      intros Bh Late. destruct (here_is b Bh) as [B1 B2]. pose proof (times_of b Bh) as Db.
      destruct (le_lt_dec (fin r b) t1) as [L|L].
      { exists (fun _ => 0). split; [|lia]. rewrite cycles_none; [lia|]. intros t Ht. unfold behind.
        rewrite (proj2 (Nat.leb_gt t1 t)) by lia. apply andb_false_r. }
      set (t0 := max t1 (start r b)). destruct (Timed b t0 B1 ltac:(lia)) as [ro [T C]].
      exists (fun c => met (steady t0 ro) c). split.
      - pose proof (gap_cycles (behind r t1 b) 0 t0 (fin r b) b Bh ltac:(lia)) as G.
        assert (cycles (fin r b) (behind r t1 b) <= delay r delta b + (fin r b - t0)) as G'.
        { apply G. intros t P Ht. unfold behind, holds in P. rewrite !andb_true_iff in P.
          destruct P as [[P1 [P2 _]] P3]. apply Nat.leb_le in P3. unfold passing.
          rewrite P1, P2, (proj2 (Nat.ltb_lt _ _)) by lia. reflexivity. }
        assert (sum (along ro t0 (fin r b)) (others r b)
          <= sum (fun c => charge (ck c) (met (steady t0 ro) c)) (beside r i t1 b)) as S1; [|lia].
        unfold others, beside, present. rewrite B2, filter_both, !sum_filter. apply sum_le.
        intros c Hc. destruct (negb (c =? b)); [|rewrite andb_false_r; lia]. rewrite andb_true_r.
        destruct (here_is c Hc) as [C1 C2]. destruct (holds r c t1) eqn:Hh.
        + etransitivity; [|apply (paid_stay (steady t0 ro) 0 (fin r b) c _ C1 (le_n _))].
          pose proof (paid_splice 0 t0 (fin r b) (fun _ => ro t0) ro c ltac:(lia) ltac:(lia)).
          unfold steady. lia.
        + rewrite paid_none; [lia|exact C1|left]. unfold holds in Hh.
          rewrite (proj2 (Nat.leb_le _ _) (Late c Hc)) in Hh. apply Nat.ltb_ge in Hh. lia.
      - intros c _. pose proof (T (fin r c)). pose proof (steady_turns t0 ro (fin r c)).
        enough (met (steady t0 ro) c <= cnt (turns_at (steady t0 ro)) (fin r c)) by lia.
        apply cnt_le. intros t _ H'. apply andb_prop in H'. apply H'.
    Qed.
  End Sm.

  (** *** The accounts are kept. *)
  Theorem route_chains : chains r M R delta ck.
  Proof.
    constructor.
    - exact Less.
    - intros i q F g z _ Hq Hs. apply (slot_account i q F Hq Hs).
    - intros i q F b _ Hq Hs. apply (slot_then_account i q F Hq Hs).
    - intros i t1 b _. apply tail_account.
  Qed.
End Accounts.
