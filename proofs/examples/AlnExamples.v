(** * ALN and FIFO: the program's numbers, and certificates that are accepted or refused *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Potential PotentialBound Graph Paths Aln AlnPaths Fifo
  CheckSchedule CheckAln CheckFifo Examples.
Import ListNotations.

(** docs/refutations/gub-depth0.yaml: `warpbound analyze` says sib 10, fib 10, aln 9, and 8 are
    reached. *)
Example aln_value : ALN blk sm = 9.
Proof. vm_compute. reflexivity. Qed.

Example aln_holds s : valid sm blk s -> (forall g, begin s g = 0) -> forall x, In x (keys blk) ->
  C s x <= 9.
Proof.
  intros V Z. assert (machine_ok sm) as M by (split; intros; simpl; lia).
  assert (aln_check sm blk (aln_table (aln_make sm blk)) 9 = true) as H
    by (vm_compute; reflexivity).
  apply (aln_check_ok sm blk (aln_make sm blk) 9 H M s V); [reflexivity|exact Z].
Qed.

(** Less is refused, and so is a table with one number changed. *)
Definition forge (l : list (list (list (list nat)))) : list (list (list (list nat))) :=
  map (map (map (map (fun v => if v =? 7 then 6 else v)))) l.
Example aln_less : aln_check sm blk (aln_table (aln_make sm blk)) 8 = false.
Proof. vm_compute. reflexivity. Qed.
Example aln_forged : aln_check sm blk (aln_table (forge (aln_make sm blk))) 9 = false.
Proof. vm_compute. reflexivity. Qed.

(** tests/bound/test_bounds.c, test_fifo_values: two warps "B A B.0 A.1 B.2 A.3", B(8,0), A(1,19),
    unlimited depth. *)
Definition chain : list instr :=
  let A o := Instr 0 1 19 o 0 in let B o := Instr 1 8 0 o 0
    in [B []; A []; B [0]; A [1]; B [2]; A [3]].
Definition two_chains : block := [chain; chain].
Definition queues (n : nat) : machine := Machine (fun f => if f =? 1 then n else 1) None 1 (fun _ =>
  0) (fun _ => 0) (fun _ => 0).
Definition of_b : nat -> nat -> nat -> bool := unit_sets [[[1]]; [[1]]].
Definition fifo_of (n : nat) (F : nat -> nat -> nat -> bool) : nat * bool :=
  let iso := path_table (path_make (queues n) two_chains F) in
  let v := fifo (queues n) two_chains F iso in (v, fifo_check (queues n) two_chains F iso v).

(** FIB is FIFO without queues: 88.  One B of the other warp can be there, 8 cycles: 67, on two
    instances, too. *)
Example fib_value : fifo_of 1 (unit_sets []) = (88, true).
Proof. vm_compute. reflexivity. Qed.
Example fifo_value : fifo_of 1 of_b = (67, true).
Proof. vm_compute. reflexivity. Qed.
Example fifo_two : fifo_of 2 of_b = (67, true) /\ queue (queues 2) two_chains 0 0 1 = 4.
Proof. vm_compute. split; reflexivity. Qed.

Example fifo_holds s : valid (queues 2) two_chains s -> (forall g, begin s g = 0) ->
  forall x, In x (keys two_chains) -> C s x <= 67.
Proof.
  intros V Z. set (l := path_make (queues 2) two_chains of_b).
  assert (machine_ok (queues 2)) as M by (split; intros; simpl; [destruct (f =? 1)|]; lia).
  assert (fifo_check (queues 2) two_chains of_b (path_table l) 67 = true) as H
    by (vm_compute; reflexivity). apply (fifo_check_ok (queues 2) two_chains [[[1]]; [[1]]] l 67 H M
    eq_refl s V); [reflexivity|exact Z].
Qed.
