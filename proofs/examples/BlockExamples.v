(** * What the theorems on a thread block say of the executions of Examples.v and ExamplesBounds.v

    [late]: two warps on two units, depth 0, which ends at 8; computed, and by what is extracted. *)

From Warpbound Require Import Base Cycles Model Elb Paths Isolation Bounds IsolationPaths Graph Aln
  AlnPaths AlnFib Fifo FifoPaths Covering ChainWalk ChainBlock ChainTurns Grid Stay Wave WaveFifo
  FifoCopies Prefix Progress Issued Checks CheckSchedule Forward Compute Sections CheckFast Graphs
  Queues Chains.
From Warpbound Require Examples ExamplesBounds.

Section Late.
  Import Examples.

  Lemma sm_ok : machine_ok sm.
  Proof. split; intros; cbn; lia. Qed.
  Lemma blk_wf : wf blk.
  Proof. apply wf_fast_ok. reflexivity. Qed.
  Definition own : list (list nat) := [[0; 1; 2]; [0; 1]].

  (** ELB, SIB, FIB and ALN, computed *)
  Theorem late_bounds x : In x (keys blk) ->
    C late x <= 12 /\ C late x <= 10 /\ C late x <= 10 /\ C late x <= 9.
  Proof.
    intros H. pose proof (ELB_bound sm blk late sm_ok blk_wf late_valid x H).
    pose proof (SIB_at_bound sm blk late 0 sm_ok blk_wf late_valid (fun _ _ => eq_refl) x H).
    pose proof (FIB_at_bound sm blk late 0 sm_ok blk_wf late_valid (fun _ _ => eq_refl) x H).
    pose proof (ALN_bound sm blk late sm_ok blk_wf late_valid (fun _ _ => eq_refl)
      (fun _ => eq_refl) x H).
    repeat split; (etransitivity; [eassumption|vm_compute; lia]).
  Qed.

  (** and as extracted *)
  Theorem late_claimed x : In x (keys blk) -> C late x <= 12 /\ C late x <= 10 /\ C late x <= 10
    /\ C late x <= 9 /\ C late x <= 12.
  Proof.
    intros H. split.
    { apply (elb_claim_ok blk sm [[0; 0; 0]; [0; 0]] 12 eq_refl (fun _ => 1) 1 sm_ok late late_valid
        x H). }
    split.
    { apply (sib_claim_ok blk sm (fun _ => false) 0 own own 10 eq_refl (fun _ => 1) 1 sm_ok late
        late_valid x H). }
    split.
    { apply (fib_claim_ok blk sm 0 own own 10 eq_refl (fun _ => 1) 1 sm_ok late late_valid x H). }
    split.
    { apply (aln_claim_ok blk sm 9 eq_refl (fun _ => 1) 1 sm_ok late late_valid (fun _ _ => eq_refl)
        (fun _ => eq_refl) x H). }
    apply (chain_claim_ok blk sm (fun _ => None) 1 0 [[0; 0; 0]; [0; 0]] 12 eq_refl sm_ok late
      late_valid x H).
  Qed.
  Theorem late_shared x : In x (keys blk) -> C late x <= SIB_shared_fast blk sm (fun _ => false) 0.
  Proof.
    apply (SIB_shared_fast_bound blk sm (fun _ => false) 0 late sm_ok blk_wf late_valid
      (fun _ _ => eq_refl)).
    intros y z Hy Hz Hf Hc. exfalso. apply Hc. reflexivity.
  Qed.

  (** Extracted programs compute the same. *)
  Theorem blk_fast : (ELB_fast blk sm, SIB_fast blk sm 0, FIB_fast blk sm 0, ALN_fast blk sm)
    = (ELB blk sm, SIB_at blk sm 0, FIB_at blk sm 0, ALN blk sm)
    /\ found 0 (lamI_fast blk sm) (0, 2) = lamI blk sm (0, 2).
  Proof.
    rewrite (ELB_fast_ok blk sm blk_wf), SIB_fast_ok, FIB_fast_ok,
      (ALN_fast_ok sm blk blk_wf), (lamI_fast_ok blk sm (0, 2) blk_wf ltac:(cbn; auto)). auto.
  Qed.

  (** ALN is an alignment, the largest, and ALN <= FIB <= SIB. *)
  Theorem blk_aligned : let n := (false, 2) in
    alignment sm blk 0 1 0 (others blk 0) (n, 2) (alnI sm blk 0 1 n 2)
    /\ forall v, alignment sm blk 0 1 0 (others blk 0) (n, 2) v -> v <= alnI sm blk 0 1 n 2.
  Proof.
    cbv zeta. split.
    - apply (alnI_reached sm blk blk_wf 0 1 (false, 2) 2); [cbn; auto|apply le_n].
    - intros v H. apply (align_cert_ok sm blk 0 1 0 _ _ (alnI_cert sm blk blk_wf 0 1
        (or_introl eq_refl)) (false, 2, 2) v H (le_n _)).
  Qed.
  Theorem blk_ordered : ALN blk sm <= FIB_at blk sm 0 <= SIB_at blk sm 0.
  Proof.
    split; [|apply fib_le_sib].
    apply (aln_le_fib sm blk (isoI_at blk sm) (isoD_at blk sm) 0 blk_wf); [|reflexivity].
    apply iso_at_edges, blk_wf.
  Qed.

  (** No cycle before an issue is idle, as lam, the least of its kind, is 0. *)
  Theorem late_busy x : In x (keys blk) -> cnt (idle_from blk late 0) (I late x) <= 0.
  Proof.
    apply (idle_issue sm blk late sm_ok blk_wf (valid_lively _ _ _ late_valid) (fun _ => 0)).
    apply (lam_fast_cert blk sm _ blk_wf). reflexivity.
  Qed.
  Theorem late_lam x : In x (keys blk) -> lamI blk sm x <= 0.
  Proof.
    apply (lamI_least blk sm blk_wf (fun _ => 0)), (lam_fast_cert blk sm _ blk_wf). reflexivity.
  Qed.

  (** The machine goes on from nothing issued. *)
  Theorem blk_goes_on : exists s, prefix sm blk s 1 /\ agree blk (times0 blk) s 0.
  Proof.
    apply (goes_on sm blk (times0 blk) 0 blk_wf), prefix_begin.
    repeat split; intros; cbn [ai al ar times0 release sm]; lia.
  Qed.
End Late.

Section Others.
  Import ExamplesBounds.

  (** Two instances and unlimited depth: it ends at 9, SIB and FIFO say 14. *)
  Theorem crowd_ends x : In x (keys crowd) -> C schedI x <= 14 /\ C schedI x <= 14.
  Proof.
    intros H. assert (machine_ok smI) as M by (split; intros; cbn; [destruct (f =? 1)|]; lia).
    split.
    - apply (sib_claim_ok crowd smI (fun _ => false) 0 [[0; 4]; [0]; [0]] [[0; 4]; [0]; [0]] 14
        eq_refl (inst smI) 1 M schedI schedI_valid x H).
    - apply (fifo_claim_ok crowd smI (fun _ _ _ => false) 14 eq_refl M schedI schedI_valid
        (fun _ _ => eq_refl) (fun _ => eq_refl) x H).
  Qed.

  (** The window of thread block 0 from 3 on, in which warp 1 initiates for 4 cycles: 15; it ends
      at 12. *)
  Theorem shared_ends x : In x (keys shared) -> fst x = 0 -> C sched3 x <= 15.
  Proof.
    intros Hx H0. apply (window_fib sm3 shared sched3 (isoI_at shared sm3) (isoD_at shared sm3) 0)
      with (t0 := 3) (e := 12);
      [split; cbn; lia|apply wf_fast_ok; reflexivity|exact sched3_valid|
       apply iso_at_edges, wf_fast_ok;
       reflexivity|reflexivity|cbn; lia| |exact Hx|exact H0].
    intros y Hy G. cbn in Hy. intuition subst; cbn in *; lia.
  Qed.

  (** What covers a block bounds it. *)
  Definition sched4 : schedule := as_stated chain2 [[0; 5]] [[0; 5]] (fun _ => 0).
  Theorem covered_ends x : In x (keys chain2) -> C sched4 x <= ELB chain3 sm0 /\
    C sched4 x <= FIB_at chain3 sm0 0 /\ SIB_at chain2 sm0 0 <= SIB_at chain3 sm0 0.
  Proof.
    intros H. assert (machine_ok sm0) as M by (split; cbn; lia).
    assert (valid sm0 chain2 sched4) as V by (apply valid_ok; [vm_compute; reflexivity|cbn; lia]).
    assert (wf chain3 /\ wf chain2) as [W3 W2] by (split; apply wf_fast_ok; reflexivity).
    split; [apply (covered_elb chain3 chain2 sm0 _ sched4 x W3 W2 chain_covers M V H)|].
    split; [|apply (SIB_covers _ _ sm0 _ W3 W2 chain_covers)].
    apply (covered_fib chain3 chain2 sm0 _ sched4 0 x W3 W2 chain_covers M V (fun _ _ => eq_refl)
      H).
  Qed.

  (** Queues of a wave without barriers: three thread blocks of a warp each, and an SM that gets two
      of them *)
  Definition bs (n : nat) : block := repeat [B 4 1] n.
  Definition smW : machine := one_sm (fun f => if f =? 1 then 2 else 1) None (fun w => w).
  Definition no_unit (_ _ _ : nat) : bool := false.
  Definition isoW (w : nat) (n : node) : nat := let q := sec (get (bs 3) (w, snd n)) in
    fifo_iso smW (bs 3) w q (no_unit w q) n.
  Definition schedW : schedule := as_stated (bs 2) [[0]; [1]] [[0]; [1]] (fun _ => 0).
  Lemma bs_cert : wf (bs 3) /\ fifo_cert smW (bs 3) no_unit isoW.
  Proof.
    assert (wf (bs 3)) as W by (apply wf_fast_ok; reflexivity). split; [exact W|].
    apply (fifo_iso_cert (bs 3) smW no_unit W).
  Qed.
  Lemma smW_ok : machine_ok smW.
  Proof. split; intros; cbn; [destruct (f =? 1)|]; lia. Qed.
  Definition schedW3 : schedule :=
    as_stated (bs 3) [[0]; [1]; [2]] [[0]; [1]; [4]] (fun _ => 0).

  Theorem queue_ends x : of smW (bs 3) 2 x ->
    C schedW3 x <= 0 + fifo_term smW (bs 3) no_unit isoW (sec (get (bs 3) x)).
  Proof.
    assert (forall y, In y (keys (bs 3)) -> sec (get (bs 3) y) = 0) as Q
      by (intros y Hy; cbn in Hy; intuition subst; reflexivity).
    assert (valid smW (bs 3) schedW3) as V by (apply valid_ok; [vm_compute; reflexivity|cbn; lia]).
    apply (wave_fifo smW (bs 3) schedW3 2 0 no_unit isoW smW_ok (proj1 bs_cert) V (le_n _) eq_refl
      (proj2 bs_cert)).
    intros y z Hy Hz. rewrite (Q y Hy), (Q z Hz). reflexivity.
  Qed.
  Theorem fewer_ends : stays_with smW (bs 2) 0 [1] (fifo_term smW (bs 3) no_unit isoW 0).
  Proof.
    destruct (warps_fit smW (bs 2) smW (bs 3) [0; 1] 2 (many smW (bs 3) [0]) (fun _ => eq_refl)
      eq_refl) as [wr A].
    - intros w Hw. cbn in Hw. intuition subst; cbn; auto.
    - apply le_n.
    - intros h x Hh. cbn in Hh. intuition subst; apply le_n.
    - intros x _. unfold many. cbn [map seq length bs repeat count_occ].
      destruct (doing_dec _ x); lia.
    - apply (stays_fifo_fewer _ _ _ _ wr A no_unit isoW 0 [1] 0 smW_ok);
        [apply wf_fast_ok; reflexivity|reflexivity|apply bs_cert|].
      intros y Hy. cbn in Hy. intuition subst; reflexivity.
  Qed.
End Others.
