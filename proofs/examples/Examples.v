(** * The rules can be kept, and the bounds are the program's *)

From Warpbound Require Import Base Cycles Model Elb Paths IsolationPaths Checks CheckSchedule
  CheckFast Run Progress Issued.

(** docs/refutations/gub-depth0.yaml: A(3,0) B(2,0); "B A B" and "A B"; depth 0. *)
Definition A := Instr 0 3 0 [] 0.
Definition B := Instr 1 2 0 [] 0.
Definition blk : block := [[B; A; B]; [A; B]].
Definition sm : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun _ => 0) (fun _ => 0).

(** The schedule of the exhaustive search: 8 cycles; GUB of this block is 7. *)
Definition late : schedule :=
  let t := table [[1; 3; 4]; [0; 6]] in
  Schedule t t (fun x => init (get blk x)) (fun _ => 0) (fun _ _ => 0) (fun _ => 0).

Example late_valid : valid sm blk late.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; simpl; lia]. Qed.

(** A schedule of the block needs 8 cycles, more than GUB allows. *)
Example gub_refuted : exists s, valid sm blk s /\ exists x, In x (keys blk) /\ C s x = 8.
Proof.
  exists late. split; [exact late_valid|]. exists (1, 1). split; [vm_compute; tauto|reflexivity].
Qed.

(** The same numbers as `warpbound analyze`: elb 12, sib 10. *)
Example elb_value : ELB blk sm = 12. Proof. vm_compute. reflexivity. Qed.
Example sib_value : SIB_at blk sm 0 = 10. Proof. vm_compute. reflexivity. Qed.

(** docs/refutations/barriers-exact.yaml: A(3,5) B(1,1); "A | A.0 B.1 B.0" and
    "A | B.0 A.1.0"; unlimited depth.  Here with a release delay of 2, actual
    times below the stated ones, and queues in use. *)
Definition a o q := Instr 0 3 5 o q.
Definition b' o q := Instr 1 1 1 o q.
Definition blk2 : block := [[a [] 0; a [0] 1; b' [1] 1; b' [0] 1]; [a [] 0; b' [0] 1; a [1; 0] 1]].
Definition sm2 : machine := Machine (fun _ => 1) None 1 (fun _ => 0) (fun _ => 0) (fun _ => 2).
Definition sched2 : schedule :=
  Schedule (table [[0; 8; 16; 17]; [1; 11; 13]]) (table [[0; 8; 16; 17]; [3; 11; 13]])
           (fun x => init (get blk2 x)) (fun x => lat (get blk2 x)) (fun _ _ => 0) (fun _ => 0).

Example sched2_valid : valid sm2 blk2 sched2.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; simpl; lia]. Qed.

(** A certificate in place of the recursion: checked, not computed. *)
Example cert2 : elb_claim blk2 sm2 [[0; 5; 10; 10]; [0; 5; 6]] 30 = true.
Proof. vm_compute. reflexivity. Qed.

(** The machine runs the first block, preferring the first warp, and ends at 7; the
    theorem says that what it does is valid. *)
Definition times0 (b : block) : schedule :=
  Schedule (fun _ => 0) (fun _ => 0) (fun x => init (get b x)) (fun x => lat (get b x)) (fun _ _ =>
    0) (fun _ => 0).
Definition ran : schedule := run sm blk (fun _ _ => keys blk) (times0 blk)
  (long_enough sm blk (times0 blk)).

Example ran_issues : map (I ran) (keys blk) = [0; 1; 2; 4; 5]. Proof. vm_compute. reflexivity. Qed.
Example ran_valid : valid sm blk ran.
Proof.
  apply run_valid.
  - split; intros; simpl; lia.
  - apply wf_fast_ok. vm_compute. reflexivity.
  - intros s n x. reflexivity.
  - repeat split; intros; cbn [ai al ar times0 release sm]; lia.
Qed.

(** Without a unit: [N] waits for A and takes nothing, "B" follows in the same cycle; the
    other warp has a barrier before anything else, and releases take 2 cycles. *)
Definition N o q := Instr 9 0 0 o q.
Definition blkN : block := [[A; N [0] 0; B; N [] 0; Instr 1 2 0 [] 1]; [N [] 0; Instr 1 2 0 [] 1]].
Definition smN : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun _ => 0) (fun _ => 2).
Definition schedN (last : nat) : schedule :=
  let t := table [[0; 3; 3; 4; 8]; [0; last]] in
  Schedule t t (fun x => init (get blkN x)) (fun _ => 0) (fun _ _ => 2) (fun _ => 0).

Example schedN_valid : valid smN blkN (schedN 6).
Proof. apply valid_ok; [vm_compute; reflexivity|]. intros g n. simpl. lia. Qed.
Example schedN_early : valid_b smN blkN (schedN 5) = false. Proof. vm_compute. reflexivity. Qed.
Example schedN_idle : valid_b smN blkN (schedN 7) = false. Proof. vm_compute. reflexivity. Qed.
