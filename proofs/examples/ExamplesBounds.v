(** * SIB and FIB of other depths and several instances, and a window: examples *)

From Warpbound Require Import Base Cycles Model Isolation Bounds IsolationPaths Checks CheckSchedule
  CheckFast.

Definition one_sm (inst : nat -> nat) (d : option nat) (grp : nat -> nat) : machine :=
  Machine inst d 1 (fun _ => 0) grp (fun _ => 0).
Definition as_stated (b : block) (i d : list (list nat)) (start : nat -> nat) : schedule :=
  Schedule (table i) (table d) (fun x => init (get b x)) (fun x => lat (get b x)) (fun _ _ =>
    0) start.

(** docs/proofs.md, section 3: one queue entry.  The schedule takes 16 cycles, more than
    isolation and the initiations of the other warp; the largest initiation on B is 5. *)
Definition A i l := Instr 0 i l [] 0.
Definition B i l := Instr 1 i l [] 0.
Definition C' i l := Instr 2 i l [] 0.
Definition latched : block := [[C' 2 2; B 5 3; B 2 6; A 1 8]; [B 1 4]].
Definition sm1 : machine := one_sm (fun _ => 1) (Some 1) (fun _ => 0).
Definition sched1 : schedule := as_stated latched [[0; 1; 6; 7]; [2]] [[0; 1; 7; 7]; [6]]
  (fun _ => 0).

Example sched1_valid : valid sm1 latched sched1.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; simpl; lia]. Qed.

Example latched_ok : machine_ok sm1 /\ wf latched /\ alone latched sm1 0 /\ C sched1 (0, 3) = 16.
Proof.
  split; [split; simpl; intros; lia|]. split; [apply wf_fast_ok; vm_compute; reflexivity|].
  split; [intros x _; reflexivity|reflexivity].
Qed.

(** Alone 14; with the other warp's own initiation it would be 15. *)
Example latched_bounds : isoD_at latched sm1 (0, 2) + 8 = 14
  /\ SIB_at latched sm1 0 = 19 /\ FIB_at latched sm1 0 = 19.
Proof. vm_compute. auto. Qed.

(** A queue of two entries, beside it: what bounds depth 1 bounds it. *)
Definition sm2 : machine := one_sm (fun _ => 1) (Some 2) (fun _ => 0).
Definition sched2 : schedule := as_stated latched [[0; 1; 3; 4]; [2]] [[0; 1; 7; 4]; [6]]
  (fun _ => 0).
Example sched2_valid : valid sm2 latched sched2.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; simpl; lia]. Qed.

(** Two instances of B and unlimited depth: two of three start at once. *)
Definition crowd : block := [[B 4 1; A 1 1]; [B 4 1]; [B 4 1]].
Definition smI : machine := one_sm (fun f => if f =? 1 then 2 else 1) None (fun _ => 0).
Definition schedI : schedule := as_stated crowd [[2; 3]; [0]; [1]] [[4; 3]; [0]; [1]] (fun _ => 0).
Example schedI_valid : valid smI crowd schedI.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; simpl; lia]. Qed.
Example crowd_bounds : SIB_at crowd smI 0 = 14 /\ FIB_at crowd smI 0 = 14.
Proof. vm_compute. auto. Qed.

(** FIB charges a slot where the warp does not use the unit. *)
Definition apart : block := [[A 1 9]; [B 4 1; B 4 1]].
Definition sm0 : machine := one_sm (fun _ => 1) (Some 0) (fun _ => 0).
Example apart_bounds : SIB_at apart sm0 0 = 18 /\ FIB_at apart sm0 0 = 12.
Proof. vm_compute. auto. Qed.

(** Certificates: tables in place of the computation; one number less is refused. *)
Example apart_certificate : let claim d := fib_claim apart sm0 0 [[0]; [0; d]] [[0]; [0; d]] in
  (claim 4 12, claim 4 11, claim 3 12) = (true, false, false).
Proof. vm_compute. reflexivity. Qed.

(** Lemma 3: warp 1 is a thread block of its own, there from cycle 3 on.  From 3 on thread block 0
    has 9 cycles to go; its bound is 8, and the other initiates in 4 of these cycles. *)
Definition shared : block := [[A 4 0; A 4 0]; [A 4 0]].
Definition sm3 : machine := one_sm (fun _ => 1) (Some 0) (fun w => w).
Definition sched3 : schedule := as_stated shared [[0; 8]; [4]] [[0; 8]; [4]] (fun g => 3 * g).
Example sched3_valid : valid sm3 shared sched3.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; simpl; lia]. Qed.
Example shared_window : C sched3 (0, 1) = 12 /\ FIB_at shared sm3 0 = 8 /\
  foreign shared sm3 sched3 0 3 12 = 4.
Proof. vm_compute. auto. Qed.

(** A block that covers another: the second of two chained instructions is left out, and a wait
    for it becomes one for the first. *)
From Warpbound Require Import Covering.
Definition chain3 : block := [[Instr 0 2 3 [] 0; Instr 0 2 3 [0] 0; Instr 1 1 1 [1] 0]].
Definition chain2 : block := [[Instr 0 2 3 [] 0; Instr 1 1 1 [0] 0]].
Example chain_covers : covers chain3 chain2 (fun _ k => 2 * k).
Proof.
  assert (forall w k, In (w, k) (keys chain2) -> w = 0 /\ (k = 0 \/ k = 1)) as D.
  { intros w k H. apply in_keys in H as [H1 H2]. unfold len, chain2 in *.
    destruct w; simpl in *; lia. }
  split; try (intros w k H; destruct (D w k H) as [-> [->| ->]]; vm_compute; auto; lia).
  - intros. lia.
  - intros w k p H. destruct (D w k H) as [-> [->| ->]]; simpl; [intros []|intros [<-|[]]].
    apply (chain_on chain3 0 0 1); [left; reflexivity|]. apply chain_ops. left. reflexivity.
Qed.
