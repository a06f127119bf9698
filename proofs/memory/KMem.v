(** * K-MEM: docs/memory-bounds.md, section 12, theorems 7 and 9, with requests that are held back

    SMs share a memory that serves one request after the other, and at most [K] requests of an SM
    are on their way at a time.  An instruction whose next request would be one more is held back,
    and keeps its unit.  Proven with alpha = solo = E + lam. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Ledger Dynamic Area
  Balance Held Grid GridLedger Kernel Waits HeldBack.

(** ** Bounds of any execution of HeldBack.v *)
Section Bounds.
  Variables (G : grid) (X : execution) (took : nat -> block) (skip : nat -> bool)
    (held : nat -> key -> nat -> bool).
  Variables (y : traffic) (K : nat).
  Hypotheses (H : holds_back G X took skip held y K) (Kpos : 1 <= K).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (took i).
  Variables (Eb Lb : nat -> nat) (L : nat -> key -> nat).
  Hypothesis Sums : sums_of G X Eb Lb L.
  Variable S : nat.
  Hypothesis Skips : forall N, cnt skip N <= S.

  Notation kinds := (map (amount y K Eb Lb) (seq 0 (blocks G))).
  Notation beside := (service G * blocks G + S).

  Lemma length_amounts : length kinds = blocks G.
  Proof. rewrite map_length. apply seq_length. Qed.

  Lemma held_skips F N : cycles N (Ledger.skip (held_run G X skip held F)) <= beside.
  Proof.
    rewrite cycles_cnt. etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [|apply Skips].
    rewrite <- cycles_cnt. exact (dispatcher_time _ X (h_rules _ _ _ _ _ _ _ H) N).
  Qed.

  Theorem held_back_bounds b : goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
    b < blocks G ->
    ended X b <= k_sm (sms G) (slots G) (latency G) kinds + beside
    /\ ended X b <= k_area (sms G) (slots G) (latency G) kinds + beside
    /\ ended X b <= k_bal (sms G) (slots G) (latency G) kinds + beside.
  Proof.
    intros Dyn Dealt Hb. destruct (payers G X took skip held y K H Kpos) as [F HF].
    pose proof (held_back_ledger G X took skip held y K H Kpos Mok Eb Lb L Sums F HF) as Lg.
    set (r := held_run G X skip held F) in *. pose proof (h_rules _ _ _ _ _ _ _ H) as V.
    pose proof (held_skips F : forall N, cycles N (Ledger.skip r) <= beside) as Sk.
    assert (dynamic r (sms G) (slots G)) as Dy.
    { intros c t i q Hc Cn Ht Hi Hq. unfold counted in Cn.
      apply negb_true_iff, orb_false_elim in Cn as [Cn _].
      destruct (Dyn c t i q Hc Cn Ht Hi Hq) as [d [H1 [H2 [H3 [H4 H5]]]]]. exists d.
      repeat split; auto. apply andb_true_intro.
      split; [apply Nat.leb_le, H4|apply Nat.ltb_lt, H5]. }
    unfold k_area, k_bal, k_sm. rewrite length_amounts.
    destruct (le_lt_dec (blocks G) (sms G * slots G)) as [W|W].
    - rewrite (proj2 (Nat.leb_le _ _) W). cbn [orb]. destruct (Dealt W) as [New Few].
      assert (1 <= sms G) as S1 by (pose proof (g_place _ _ V b Hb) as [A _]; cbn in A; lia).
      assert (ended X b <= together ((blocks G + sms G - 1) / sms G) kinds + beside) as A; [|auto].
      apply (held_up r beside Sk b). apply (k_sm_one_wave _ _ _ _ _ Lg); auto using wave_fits.
      intros c Hc. apply (first_new G X c). intros d. apply New, Hc.
    - rewrite (proj2 (Nat.leb_gt _ _) W). cbn [orb].
      destruct (held_dynamic r _ _ _ beside _ Lg Sk Dy W b Hb) as [A1 [A2 A3]]. unfold k_area in A2.
      unfold k_bal, k_sm in A3. change (map (amount y K Eb Lb) (all r)) with kinds in *.
      rewrite length_amounts in A2, A3. rewrite (proj2 (Nat.leb_gt _ _) W) in A2, A3.
      cbn [orb] in A3. repeat split; [exact A1|exact A2|exact A3].
  Qed.

  Theorem held_back_static b : b < blocks G ->
    ended X b <= k_sm_of G X (amount y K Eb Lb) (sm_of X b) + beside.
  Proof.
    intros Hb. destruct (payers G X took skip held y K H Kpos) as [F HF].
    pose proof (held_back_ledger G X took skip held y K H Kpos Mok Eb Lb L Sums F HF) as Lg.
    pose proof (h_rules _ _ _ _ _ _ _ H) as V.
    etransitivity; [apply (held_static (held_run G X skip held F) _ _ _ beside _ Lg (held_skips F) b
      Hb)|].
    apply Nat.add_le_mono_r. unfold static_time, k_sm_of.
    change (on_sm (held_run G X skip held F) (sm (held_run G X skip held F) b))
      with (of_sm G X (sm_of X b)). apply Nat.add_le_mono_l.
    change (sm (held_run G X skip held F) b) with (sm_of X b).
    destruct (Nat.leb_spec (length (of_sm G X (sm_of X b))) (slots G)) as [Ln|Ln]; [|apply le_n].
    exact (late_few _ X V (sm_of X b) Ln).
  Qed.
End Bounds.
