(** * Turns of stays: docs/policy-bounds.md, proposition 4, from the ledger of a grid

    No thread block stays for more than [stay] cycles.  Until the last dispatch every slot of every
    SM is taken, by one stay after the other. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm Dynamic Area
  Balance ChainWork SerialLedger.

(** Stays in some slot before the last dispatch, which is to an SM that gets [n] of [B] thread
    blocks: of a slot of that SM, or of one that gets no more than its share of the rest. *)
Definition turns_before (M R B n : nat) : nat :=
  if M =? 1 then (n - 1) / R else min ((n - 1) / R) ((B - n) / (M - 1) / R).
Definition most_turns (M R B : nat) : nat := list_max (map (turns_before M R B) (seq 0 (S B))).

(** Where thread blocks wait; [y] is what follows the last dispatch but for a dispatch latency. *)
Definition stay_turns (M R delta stay y B : nat) : nat :=
  let f := most_turns M R B in
  min ((B - 1) * stay / (M * R)) (f * stay) + y
    + (max ((B - M * R - 1 + (M * R - 1)) / (M * R)) f + 1) * delta.

Section Turns.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind) (stay : nat).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Hypothesis Stay : forall N c, c < count r -> cycles N (fun t => cnted t && stays r c t) <= stay.

  (** Cycles in which one of [F] has its slot. *)
  Lemma held_by N p F : (forall c, In c F -> c < count r) ->
    (forall t, t < N -> p t = true -> cnted t = true /\ exists c, In c F /\ holds r c t = true) ->
    cycles N p <= sum (fun c => delay r delta c + stay) F.
  Proof.
    intros HF H. etransitivity.
    - apply (cycles_sum N p (fun t c => Nat.b2n (cnted t && passing r c t)
        + Nat.b2n (cnted t && stays r c t)) F). intros t Ht P.
      destruct (H t Ht P) as [C [c [Hc Hh]]]. etransitivity; [|apply (sum_ge _ c), Hc]. cbn beta.
      rewrite C. destruct (holds_split r c t Hh) as [->| ->]; cbn; lia.
    - apply sum_le. intros c Hc. rewrite sum_add.
      apply Nat.add_le_mono; [apply (l_delay _ _ _ _ _ Lg), HF, Hc|apply Stay, HF, Hc].
  Qed.

  Lemma held_at_most N p F : (forall c, In c F -> c < count r) ->
    (forall t, t < N -> p t = true -> cnted t = true /\ exists c, In c F /\ holds r c t = true) ->
    cycles N p <= length F * (stay + delta).
  Proof.
    intros HF H. etransitivity; [apply (held_by N p F HF H)|]. apply sum_mul. intros c _.
    pose proof (delay_le r delta c). lia.
  Qed.

  (** What follows the last dispatch to the SM: at most a stay. *)
  Theorem tails_stay : tails r delta stay.
  Proof.
    intros z b Hz Lz Hb. pose proof (delay_le r delta b).
    etransitivity; [apply (held_by _ _ [b])|unfold sum; cbn [map list_sum fold_right]; lia].
    - intros c [<-|[]]. exact Hb.
    - intros t _ P. unfold behind in P. rewrite !andb_true_iff in P. destruct P as [[C P] _].
      split; [exact C|]. exists b. split; [left; reflexivity|exact P].
  Qed.

  Lemma tails_both y y' : tails r delta y -> tails r delta y' -> tails r delta (min y y').
  Proof.
    intros H H' z b Hz Lz Hb. specialize (H z b Hz Lz Hb). specialize (H' z b Hz Lz Hb). lia.
  Qed.

  (** ** One wave: G4, each thread block in a slot that is new *)
  Theorem stay_one_wave n b : (forall c, c < count r -> first r c = true) ->
    (forall i, length (on_sm r i) <= n) -> n <= R ->
    b < count r -> cycles (fin r b) cnted <= stay.
  Proof.
    intros New Few HR Hb. set (i := sm r b).
    assert (In b (on_sm r i)) as Ib by (apply in_on_sm; auto).
    destruct (last_taken r M R delta kd Lg i b Ib) as [z [Hz Z]].
    pose proof (l_room _ _ _ _ _ Lg b Hb) as R1.
    etransitivity; [apply (none_waits r i b Ib z Hz); [|intros; apply Z; assumption]|].
    - intros t Ht C. destruct (le_lt_dec (disp r z) t) as [|L]; [assumption|exfalso].
      specialize (Few i). destruct (pigeonhole (room r) R
        (filter (fun c => negb (c =? z)) (on_sm r i)) ltac:(lia)) as [q [Hq Lq]].
      { intros c Hc. apply filter_In in Hc as [Hc _]. apply in_on_sm in Hc as [Hc _].
        apply (l_room _ _ _ _ _ Lg c Hc). }
      rewrite (length_without z _ (nodup_on_sm r i) Hz), Nat.div_small in Lq
        by (destruct (on_sm r i); [easy|cbn in *; lia]).
      destruct (taken_here r M R delta kd Lg i z t q Hz C L Hq) as [c [Hc [Ncz [Hr _]]]].
      assert (In c (filter (fun x => room r x =? q) (filter (fun x => negb (x =? z)) (on_sm r i))))
        as X.
      { apply filter_In. split; [|apply Nat.eqb_eq, Hr]. apply filter_In. split; [exact Hc|].
        apply negb_true_iff, Nat.eqb_neq, Ncz. }
      destruct (filter _ _); [easy|cbn in Lq; lia].
    - etransitivity; [apply (held_by _ _ [b])|].
      + intros c [<-|[]]. exact Hb.
      + intros t _ P. unfold behind in P. rewrite !andb_true_iff in P. destruct P as [[C P] _].
        split; [exact C|]. exists b. split; [left; reflexivity|exact P].
      + unfold sum. cbn [map list_sum fold_right]. unfold delay. rewrite (New b Hb). lia.
  Qed.

  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).

  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Notation T := (fin r b).
    Notation t1 := (disp r z).
    Notation before := (fun t => cnted t && (t <? t1)).
    Notation x := (cycles T before).
    Notation but_z l := (filter (fun c => negb (c =? z)) l).

    Lemma sm_of_z : sm r z < M.
    Proof. apply (l_sm _ _ _ _ _ Lg z Hz). Qed.

    Lemma rooms_some : 1 <= R.
    Proof. pose proof (l_room _ _ _ _ _ Lg z Hz). lia. Qed.

    (** Who has a slot before [t1], which is not [z]. *)
    Lemma slot_before i q t : i < M -> q < R -> before t = true ->
      exists c, In c (filter (fun c => room r c =? q) (but_z (on_sm r i))) /\ holds r c t = true.
    Proof.
      intros Hi Hq P. apply andb_prop in P as [C P]. apply Nat.ltb_lt in P.
      destruct (Dyn z t i q Hz C P Hi Hq) as [c [Hc [Hs [Hr Hh]]]]. exists c. split; [|exact Hh].
      apply filter_In. split; [|apply Nat.eqb_eq, Hr]. apply filter_In.
      split; [apply in_on_sm; auto|]. apply negb_true_iff, Nat.eqb_neq. intros ->.
      unfold holds in Hh. apply andb_prop in Hh as [Hh _]. apply Nat.leb_le in Hh. lia.
    Qed.

    Lemma in_slot i q c : In c (filter (fun c => room r c =? q) (but_z (on_sm r i))) -> c < count r.
    Proof.
      intros H. apply filter_In in H as [H _]. apply filter_In in H as [H _]. apply in_on_sm in H.
      tauto.
    Qed.

    Lemma slot_share i : i < M -> x <= length (but_z (on_sm r i)) / R * (stay + delta).
    Proof.
      intros Hi. destruct (pigeonhole (room r) R (but_z (on_sm r i)) rooms_some) as [q [Hq Lq]].
      { intros c Hc. apply filter_In in Hc as [Hc _]. apply in_on_sm in Hc as [Hc _].
        apply (l_room _ _ _ _ _ Lg c Hc). }
      etransitivity; [apply (held_at_most T before _ (in_slot i q))|apply Nat.mul_le_mono_r, Lq].
      intros t _ P. split; [apply andb_prop in P as [P _]; exact P|apply slot_before; assumption].
    Qed.

    (** By a slot of the SM of [z], or of one with few. *)
    Lemma few_turns : x <= most_turns M R (count r) * (stay + delta).
    Proof.
      set (n := length (on_sm r (sm r z))).
      assert (In z (on_sm r (sm r z))) as Iz by (apply in_on_sm; auto). assert (n <= count r) as Hn.
      { unfold n, on_sm, all. etransitivity; [apply filter_shorter|]. rewrite seq_length.
        apply le_n. }
      etransitivity; [|apply Nat.mul_le_mono_r,
        (list_max_in_ge (turns_before M R (count r)) (seq 0 (S (count r))) n)];
        [|apply in_seq; lia]. pose proof (slot_share (sm r z) sm_of_z) as H.
      rewrite (length_without z _ (nodup_on_sm r (sm r z)) Iz) in H. fold n in H.
      unfold turns_before. destruct (Nat.eqb_spec M 1) as [|NM]; [exact H|]. pose proof sm_of_z.
      destruct (other_sm r M kd (l_sm _ _ _ _ _ Lg) (sm r z) n sm_of_z ltac:(lia) eq_refl)
        as [j [Hj [Nj Lj]]]. unfold share_left in Lj. rewrite (length_l r kd) in Lj.
      pose proof (slot_share j Hj) as H'.
      assert (length (but_z (on_sm r j)) / R <= (count r - n) / (M - 1) / R) as D.
      { apply Nat.div_le_mono; [pose proof rooms_some; lia|].
        etransitivity; [apply filter_shorter|exact Lj]. }
      apply (Nat.mul_le_mono_r _ _ (stay + delta)) in D.
      destruct (Nat.min_spec ((n - 1) / R) ((count r - n) / (M - 1) / R)) as [[_ ->]|[_ ->]]; lia.
    Qed.

    (** By all slots together. *)
    Lemma slots_before : M * R * x <= sum (fun c => if c =? z then 0 else delay r delta c + stay)
      (all r).
    Proof.
      set (f := fun c => if c =? z then 0 else delay r delta c + stay).
      rewrite <- (by_sm r M R delta kd Lg f).
      transitivity (sum (fun _ => R * x) (seq 0 M)); [rewrite sum_same, seq_length; lia|].
      apply sum_le. intros i Hi. apply in_seq in Hi.
      rewrite <- (sum_by_slot f (room r) R (on_sm r i))
        by (intros c Hc; apply (l_room _ _ _ _ _ Lg), (in_on_sm r i c), Hc).
      transitivity (sum (fun _ => x) (seq 0 R)); [rewrite sum_same, seq_length; lia|]. apply sum_le.
      intros q Hq. apply in_seq in Hq. etransitivity; [apply (held_by T before _ (in_slot i q))|].
      - intros t _ P.
        split; [apply andb_prop in P as [P _]; exact P|apply slot_before; [lia|lia|exact P]].
      - assert (forall l, sum (fun c => delay r delta c + stay)
          (filter (fun c => room r c =? q) (but_z l)) = sum f (filter (fun c => room r c =? q) l))
          as E; [|rewrite E; apply le_n]. intros l. rewrite !sum_filter. apply sum_ext. intros c _.
        unfold f. destruct (room r c =? q), (c =? z); reflexivity.
    Qed.

    Lemma stays_before : M * R * x <= (count r - 1) * stay + (count r - M * R - 1) * delta.
    Proof.
      destruct (Nat.eq_dec x 0) as [E|X]; [rewrite E, Nat.mul_0_r; apply Nat.le_0_l|].
      assert (exists t, t < T /\ before t = true) as [t [_ P]].
      { destruct (existsb before (seq 0 T)) eqn:E.
        - apply existsb_exists in E as [t [Ht P]]. apply in_seq in Ht. exists t.
          split; [lia|exact P].
        - exfalso. apply X, cycles_none. intros t Ht. apply not_true_is_false. intros P.
          apply not_true_iff_false in E. apply E. apply existsb_exists. exists t.
          split; [apply in_seq; lia|exact P]. }
      pose proof P as P'. apply andb_prop in P' as [C L]. apply Nat.ltb_lt in L.
      assert (all_taken r M R) as A.
      { destruct (taken_or_early r M R Dyn) as [A|A]; [exact A|]. specialize (A t z C Hz). lia. }
      (* [z] follows another in its slot *)
      assert (first r z = false) as F.
      { unfold first. apply negb_false_iff, existsb_exists.
        destruct (Dyn z t (sm r z) (room r z) Hz C L sm_of_z (l_room _ _ _ _ _ Lg z Hz))
          as [d [Hd [Hs [Hr Hh]]]]. exists d. split; [apply in_all, Hd|]. unfold same.
        rewrite Hs, Hr, !Nat.eqb_refl. cbn [andb]. apply Nat.ltb_lt. unfold holds in Hh.
        apply andb_prop in Hh as [Hh _]. apply Nat.leb_le in Hh.
        destruct (Nat.lt_trichotomy (ord r d) (ord r z)) as [O|[O|O]]; [exact O| |].
        - rewrite (l_ord _ _ _ _ _ Lg d z Hd Hz O) in Hh. lia.
        - pose proof (l_later _ _ _ _ _ Lg z d Hz Hd O). lia. }
      pose proof (all_delays r M R delta kd Lg A) as Dl. pose proof slots_before as S.
      assert (sum (fun c => if c =? z then 0 else delay r delta c + stay) (all r) + (delta + stay)
        <= sum (delay r delta) (all r) + count r * stay) as E.
      { replace (count r * stay) with (sum (fun _ => stay) (all r))
          by (rewrite sum_same; unfold all; rewrite seq_length; reflexivity). rewrite <- sum_add.
        rewrite (sum_ext (fun c => delay r delta c + stay) (fun c =>
          (if c =? z then 0 else delay r delta c + stay)
          + (if c =? z then delay r delta c + stay else 0)))
          by (intros c _; destruct (c =? z); lia). rewrite sum_add. apply Nat.add_le_mono_l.
        pose proof (sum_ge (fun c => if c =? z then delay r delta c + stay else 0) z (all r)
          ltac:(apply in_all, Hz)) as G. cbn beta in G. rewrite Nat.eqb_refl in G.
        unfold delay in G at 1. rewrite F in G. lia. }
      rewrite !Nat.mul_sub_distr_r, !Nat.mul_1_l. lia.
    Qed.

    Lemma turns_end y : tails r delta y -> cycles T cnted <= stay_turns M R delta stay y (count r).
    Proof.
      intros HT. pose proof (before_behind r M R Waits z b Hz Lz Hb) as H.
      pose proof (HT z b Hz Lz Hb) as H'. pose proof few_turns as F. pose proof stays_before as S.
      pose proof sm_of_z. pose proof rooms_some. unfold stay_turns.
      set (f := most_turns M R (count r)) in *.
      set (g := (count r - M * R - 1 + (M * R - 1)) / (M * R)). assert (1 <= M * R) as MR by nia.
      assert (count r - M * R - 1 <= M * R * g) as G.
      { pose proof (Nat.div_mod (count r - M * R - 1 + (M * R - 1)) (M * R) ltac:(lia)) as D.
        pose proof (Nat.mod_upper_bound (count r - M * R - 1 + (M * R - 1)) (M * R) ltac:(lia)).
        fold g in D. lia. }
      assert (x <= (count r - 1) * stay / (M * R) + g * delta) as S'.
      { assert (x - g * delta <= (count r - 1) * stay / (M * R)); [|lia].
        apply Nat.div_le_lower_bound; [lia|]. rewrite Nat.mul_sub_distr_l, Nat.mul_assoc.
        apply (Nat.mul_le_mono_r _ _ delta) in G. set (a := (count r - 1) * stay) in *.
        set (c := (count r - M * R - 1) * delta) in *. lia. }
      rewrite Nat.mul_add_distr_l in F.
      rewrite Nat.mul_add_distr_r, Nat.mul_1_l, <- Nat.mul_max_distr_r. lia.
    Qed.
  End Ends.

  (** *** Proposition 4, thread blocks that wait *)
  Theorem turns_bound y b : tails r delta y -> b < count r ->
    cycles (fin r b) cnted <= stay_turns M R delta stay y (count r).
  Proof.
    intros HT Hb. destruct (last_of_all r M R Waits) as [z [Hz Lz]].
    apply (turns_end z b Hz Lz Hb y HT).
  Qed.
End Turns.
