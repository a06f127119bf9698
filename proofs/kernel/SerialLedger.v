(** * K-SERIAL (docs/sub-core-bounds.md, theorem 5), from the ledger of a grid *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm Dynamic Area.

(** From the V of all thread blocks; [y], with a delta, is what the last thread blocks of an SM take
    at most. *)
Definition k_serial (M R delta y : nat) (l : list nat) : nat :=
  if length l <=? M * R then largest ((length l + M - 1) / M) l
  else if M =? 1 then list_sum l + (length l - R) * delta
  else (list_sum l + (length l - M * R) * delta + (M - 1) * (y + delta)) / M.

Section KSerial.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind) (V : nat -> nat).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).

  (** Cycles in which the SM holds a thread block that does not pass a delta: (ii). *)
  Definition occupied (i t : nat) : bool := existsb (fun b => stays r b t) (on_sm r i).
  Definition serial : Prop := forall N t0 i,
    cycles N (fun t => (t0 <=? t) && occupied i t)
      <= sum (fun b => if t0 <? fin r b then V b else 0) (on_sm r i).
  Hypothesis Occ : serial.

  Lemma occupied_all N p i : cycles N (fun t => p t && occupied i t) <= sum V (on_sm r i).
  Proof.
    etransitivity; [|etransitivity; [apply (Occ N 0 i)|]].
    - apply cycles_le. intros t _ P. apply andb_prop in P as [_ ->]. reflexivity.
    - apply sum_le. intros c _. destruct (_ <? _); lia.
  Qed.

  (** Other cycles are passed by thread blocks on their way. *)
  Lemma passed N p i F : incl F (on_sm r i) -> (forall t, t < N -> p t = true -> cnted t = true
      /\ occupied i t = false /\ exists c, In c F /\ holds r c t = true) ->
    cycles N p <= sum (delay r delta) F.
  Proof.
    intros HF H.
    etransitivity; [apply (cycles_sum N p (fun t c => Nat.b2n (cnted t && passing r c t)) F)|].
    - intros t Ht P. destruct (H t Ht P) as [C [O [c [Hc Hh]]]].
      etransitivity; [|apply (sum_ge _ c), Hc]. cbn beta. rewrite C.
      destruct (holds_split r c t Hh) as [->|S]; [cbn; lia|exfalso]. apply not_true_iff_false in O.
      apply O, existsb_exists. exists c. split; [apply HF, Hc|exact S].
    - apply sum_le. intros c Hc. apply (l_delay _ _ _ _ _ Lg N c). apply HF in Hc.
      apply in_on_sm in Hc. tauto.
  Qed.

  Lemma held_time N p i F : incl F (on_sm r i) ->
    (forall t, t < N -> p t = true -> cnted t = true /\
      (occupied i t = false -> exists c, In c F /\ holds r c t = true)) ->
    cycles N p <= cycles N (fun t => p t && occupied i t) + sum (delay r delta) F.
  Proof.
    intros HF H. rewrite (cycles_split N p (occupied i)). apply Nat.add_le_mono_l.
    apply (passed N _ i F HF). intros t Ht P. apply andb_prop in P as [P O].
    apply negb_true_iff in O. destruct (H t Ht P) as [C X]. auto.
  Qed.

  (** ** One SM; [b] ends last *)
  Section Sm.
    Variables i b : nat.
    Notation here := (on_sm r i).
    Hypothesis Hb : In b here.
    Notation T := (fin r b).

    Lemma by_delays z : In z here -> (forall c, In c here -> disp r c <= disp r z) ->
      cycles T cnted <= sum V here + sum (delay r delta) here.
    Proof.
      intros Hz Lz. etransitivity; [apply (held_time T cnted i here (incl_refl _))|].
      - intros t Ht C. split; [exact C|]. intros _. destruct (le_lt_dec (disp r z) t) as [L|L].
        + exists b. split; [exact Hb|]. specialize (Lz b Hb). unfold holds.
          rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia.
        + pose proof (l_room _ _ _ _ _ Lg b ltac:(apply (in_on_sm r i b), Hb)).
          destruct (taken_here r M R delta kd Lg i z t 0 Hz C L ltac:(lia)) as [c [Hc [_ [_ Hh]]]].
          eauto.
      - apply Nat.add_le_mono_r, occupied_all.
    Qed.

    (** When no cycle passes before the last dispatch. *)
    Lemma by_one_delay : (forall t c, cnted t = true -> In c here -> disp r c <= t) ->
      cycles T cnted <= sum V here + delay r delta b.
    Proof.
      intros H. etransitivity; [apply (held_time T cnted i [b])|].
      - intros c [<-|[]]. exact Hb.
      - intros t Ht C. split; [exact C|]. intros _. exists b. split; [left; reflexivity|].
        specialize (H t b C Hb). unfold holds. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia.
      - rewrite sum_one. pose proof (occupied_all T cnted i). lia.
    Qed.

    Lemma room_new : (forall q, q < R -> exists c, In c here /\ room r c = q)
      \/ (forall t c, cnted t = true -> In c here -> disp r c <= t).
    Proof.
      destruct (forallb (fun q => existsb (fun c => room r c =? q) here) (seq 0 R)) eqn:X.
      - left. intros q Hq. rewrite forallb_forall in X. specialize (X q ltac:(apply in_seq; lia)).
        apply existsb_exists in X as [c [Hc E]]. apply Nat.eqb_eq in E. eauto.
      - right. intros t c C Hc. destruct (le_lt_dec (disp r c) t) as [|L]; [assumption|exfalso].
        apply not_true_iff_false in X. apply X, forallb_forall. intros q Hq. apply in_seq in Hq.
        destruct (taken_here r M R delta kd Lg i c t q Hc C L ltac:(lia)) as [d [Hd [_ [Hr _]]]].
        apply existsb_exists. exists d. split; [exact Hd|apply Nat.eqb_eq, Hr].
    Qed.

    (** *** Theorem 5, one SM.  With no more thread blocks than slots a delta can pass when one of
        them follows another in its slot. *)
    Theorem k_serial_sm : cycles T cnted
      <= sum V here + if length here <=? R then late r delta i else (length here - R) * delta.
    Proof.
      destruct room_new as [A|A].
      - destruct (last_taken r M R delta kd Lg i b Hb) as [z [Hz Z]].
        pose proof (by_delays z Hz ltac:(intros; apply Z; assumption)).
        pose proof (sm_delays r M R delta kd Lg i A).
        destruct (Nat.leb_spec (length here) R); [|rewrite Nat.mul_sub_distr_r; lia].
        assert (length here * delta <= R * delta) by (apply Nat.mul_le_mono_r; lia). lia.
      - pose proof (by_one_delay A). pose proof (delay_le r delta b).
        destruct (Nat.leb_spec (length here) R); [|nia].
        enough (delay r delta b <= late r delta i) by lia. unfold late, delay.
        destruct (forallb (first r) here) eqn:X; [|destruct (first r b); lia].
        rewrite forallb_forall in X. rewrite (X b Hb). lia.
    Qed.
  End Sm.

  (** ** All SMs *)
  Notation l := (map V (all r)).

  Lemma sum_here i : sum V (on_sm r i) <= largest (length (on_sm r i)) l.
  Proof. apply largest_ge; [apply nodup_on_sm|apply on_sm_all|apply le_n]. Qed.

  Lemma length_all : length l = count r.
  Proof. rewrite map_length. apply seq_length. Qed.

  Theorem k_serial_one_wave n : (forall b, b < count r -> first r b = true) ->
    (forall i, length (on_sm r i) <= n) -> n <= R -> forall b, b < count r ->
    cycles (fin r b) cnted <= largest n l.
  Proof.
    intros Hf Hn HR. apply (by_last r (fun _ => largest n l)). intros i b Hb _.
    pose proof (k_serial_sm i b Hb) as H. specialize (Hn i).
    rewrite (proj2 (Nat.leb_le _ R)) in H by lia. unfold late in H.
    rewrite (proj2 (forallb_forall _ _)) in H by (intros c Hc; apply Hf, (in_on_sm r i c), Hc).
    pose proof (sum_here i). pose proof (largest_grows _ n l Hn). lia.
  Qed.

  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).
  Variable y : nat.
  (** Lemma 4, or what says more. *)
  Definition tails : Prop := forall z b, z < count r ->
    (forall c, c < count r -> disp r c <= disp r z) -> b < count r ->
    cycles (fin r b) (behind r (disp r z) b) <= y + delta.

  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Notation T := (fin r b).
    Notation before := (fun t => cnted t && (t <? disp r z)).
    Notation after := (behind r (disp r z) b).

    Lemma serial_slots j : j < M ->
      cycles T before + own r b j (cycles T after) <= sum V (on_sm r j)
        + sum (delay r delta) (on_sm r j).
    Proof.
      intros Hj. transitivity (cycles T (fun t => before t || ((j =? sm r b) && after t))).
      - unfold own, cycles. transitivity (sum (fun t => Nat.b2n (before t)
          + (if j =? sm r b then Nat.b2n (after t) else 0)) (seq 0 T)).
        { rewrite sum_add. apply Nat.add_le_mono_l. destruct (j =? sm r b); [apply le_n|lia]. }
        apply sum_le. intros t _. unfold behind.
        destruct (j =? sm r b), (cnted t), (Nat.ltb_spec t (disp r z)),
          (Nat.leb_spec (disp r z) t), (holds r b t); cbn; lia.
      - etransitivity; [apply (held_time T _ j (on_sm r j) (incl_refl _))|apply Nat.add_le_mono_r,
          occupied_all]. intros t Ht P. apply orb_prop in P as [P|P].
        + apply andb_prop in P as [C P]. split; [exact C|]. intros _. apply Nat.ltb_lt in P.
          pose proof (l_room _ _ _ _ _ Lg b Hb).
          destruct (Dyn z t j 0 Hz C P Hj ltac:(lia)) as [c [Hc [Hs [_ Hh]]]]. exists c.
          split; [apply in_on_sm; auto|exact Hh].
        + apply andb_prop in P as [E P]. apply Nat.eqb_eq in E. unfold behind in P.
          rewrite !andb_true_iff in P. destruct P as [[C P] _]. split; [exact C|]. intros _.
          exists b. split; [apply in_on_sm; auto|exact P].
    Qed.

    Lemma serial_full : all_taken r M R -> tails ->
      M * cycles T cnted <= sum V (all r) + (count r - M * R) * delta + (M - 1) * (y + delta).
    Proof.
      intros A HT. pose proof (before_behind r M R Waits z b Hz Lz Hb) as H0.
      pose proof (HT z b Hz Lz Hb) as H1. pose proof (all_delays r M R delta kd Lg A) as H2.
      assert (sum (fun j => cycles T before + own r b j (cycles T after)) (seq 0 M)
        <= sum (fun j => sum (fun c => V c + delay r delta c) (on_sm r j)) (seq 0 M)) as H3.
      { apply sum_le. intros j Hj. apply in_seq in Hj. rewrite sum_add. apply serial_slots. lia. }
      rewrite (by_sm r M R delta kd Lg), !sum_add, sum_same, seq_length,
        (own_sum r M R delta kd Lg b Hb) in H3. pose proof (l_sm _ _ _ _ _ Lg b Hb).
      rewrite Nat.mul_sub_distr_r. set (x := cycles T before) in *. set (w := cycles T after) in *.
      assert (M * cycles T cnted <= M * (x + w)) by (apply Nat.mul_le_mono_l, H0).
      destruct M as [|k]; [lia|]. replace (S k - 1) with k by lia.
      assert (k * w <= k * (y + delta)) by (apply Nat.mul_le_mono_l, H1). lia.
    Qed.
  End Ends.

  Lemma serial_early : early r -> tails -> forall b, b < count r ->
    M * cycles (fin r b) cnted <= sum V (all r) + (count r - M * R) * delta + (M - 1) * (y + delta).
  Proof.
    intros A HT b Hb. assert (In b (on_sm r (sm r b))) as Hi by (apply in_on_sm; auto).
    pose proof (by_one_delay (sm r b) b Hi (early_here r (sm r b) A)) as H1.
    pose proof (delay_le r delta b). destruct (last_of_all r M R Waits) as [z [Hz Lz]].
    pose proof (HT z b Hz Lz Hb) as H2.
    assert (cycles (fin r b) cnted <= cycles (fin r b) (behind r (disp r z) b)) as H3.
    { apply cycles_le. intros t Ht C. unfold behind, holds. rewrite C. pose proof (A t z C Hz).
      pose proof (A t b C Hb). rewrite !andb_true_iff, !Nat.leb_le, Nat.ltb_lt. lia. }
    assert (sum V (on_sm r (sm r b)) <= sum V (all r)) as H4.
    { pose proof (sum_here (sm r b)).
      pose proof (largest_total V (length (on_sm r (sm r b))) (all r)). lia. }
    assert (delta <= (count r - M * R) * delta) by nia.
    pose proof (l_sm _ _ _ _ _ Lg b Hb). set (x := cycles (fin r b) cnted) in *.
    assert ((M - 1) * x <= (M - 1) * (y + delta)) by (apply Nat.mul_le_mono_l; lia).
    replace (M * x) with (x + (M - 1) * x) by (destruct M; nia). lia.
  Qed.

  (** *** Theorem 5, dynamic dispatch, thread blocks that wait *)
  Theorem k_serial_dynamic b : tails -> b < count r ->
    cycles (fin r b) cnted <= k_serial M R delta y l.
  Proof.
    intros HT Hb. unfold k_serial. rewrite length_all.
    destruct (Nat.leb_spec (count r) (M * R)); [lia|]. pose proof (l_sm _ _ _ _ _ Lg b Hb) as HM.
    fold (sum V (all r)). destruct (Nat.eqb_spec M 1) as [E|N].
    - apply (by_last r (fun _ => sum V (all r) + (count r - R) * delta)); [|exact Hb].
      intros i c Hc _. pose proof (k_serial_sm i c Hc) as H0.
      pose proof (all_here r M R delta kd Lg i c Hc) as Hi.
      assert (on_sm r i = all r) as A; [|rewrite A in H0; unfold all in H0 at 2 3;
        rewrite seq_length in H0].
      { apply (filter_const _ true). intros d Hd. apply in_all in Hd.
        pose proof (l_sm _ _ _ _ _ Lg d Hd). apply Nat.eqb_eq. lia. }
      destruct (Nat.leb_spec (count r) R); [nia|exact H0].
    - apply Nat.div_le_lower_bound; [lia|]. destruct (taken_or_early r M R Dyn) as [A|A].
      + destruct (last_of_all r M R Waits) as [z [Hz Lz]]. apply (serial_full z b Hz Lz Hb A HT).
      + apply (serial_early A HT b Hb).
  Qed.

  (** What remains of those that are there when the last has been dispatched. *)
  Lemma tail_serial z b : (forall c, c < count r -> disp r c <= disp r z) -> b < count r ->
    cycles (fin r b) (behind r (disp r z) b) <= largest R l + delta.
  Proof.
    intros Lz Hb. set (i := sm r b). assert (In b (on_sm r i)) as Hi by (apply in_on_sm; auto).
    pose proof (held_time (fin r b) (behind r (disp r z) b) i [b] ltac:(intros c [<-|[]]; exact Hi))
      as H. rewrite sum_one in H. pose proof (delay_le r delta b).
    enough (cycles (fin r b) (fun t => behind r (disp r z) b t && occupied i t) <= largest R l).
    { etransitivity; [apply H|lia]. intros t _ P. unfold behind in P. rewrite !andb_true_iff in P.
      destruct P as [[C P] _]. split; [exact C|]. intros _. exists b.
      split; [left; reflexivity|exact P]. }
    etransitivity; [|etransitivity; [apply (Occ (fin r b) (disp r z) i)|]].
    - apply cycles_le. intros t _ P. unfold behind in P. rewrite !andb_true_iff in P.
      destruct P as [[_ P] O]. rewrite P, O. reflexivity.
    - transitivity (sum V (present r i (disp r z))).
      + unfold present. rewrite sum_filter. apply sum_le. intros c Hc.
        apply in_on_sm in Hc as [Hc _]. unfold holds. rewrite (proj2 (Nat.leb_le _ _) (Lz c Hc)).
        cbn [andb]. destruct (_ <? _); lia.
      + apply largest_ge; [apply nodup_present| |apply (present_rooms r M R delta kd Lg)].
        intros c Hc. apply (on_sm_all r i). apply present_here in Hc. exact Hc.
  Qed.

  (** With any other bound of it, for example S_R. *)
  Lemma tail_least a : y = min a (largest R l) ->
    (forall z b, z < count r -> (forall d, d < count r -> disp r d <= disp r z) ->
    b < count r -> cycles (fin r b) (behind r (disp r z) b) <= delta + a) -> tails.
  Proof.
    intros -> H z b Hz Lz Hb. pose proof (H z b Hz Lz Hb). pose proof (tail_serial z b Lz Hb). lia.
  Qed.
End KSerial.
