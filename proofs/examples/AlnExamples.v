(** * ALN and FIFO: the program's numbers, and claims that are accepted or refused *)

From Warpbound Require Import Base Model Fifo Graphs Queues Examples.

(** docs/refutations/gub-depth0.yaml: `warpbound analyze` says sib 10, fib 10, aln 9, and 8 are
    reached. *)
Example aln_value : (aln_claim blk sm 9, aln_claim blk sm 8) = (true, false).
Proof. vm_compute. reflexivity. Qed.

(** tests/bound/test_bounds.c, test_fifo_values: two warps "B A B.0 A.1 B.2 A.3", B(8,0), A(1,19),
    unlimited depth. *)
Definition chain : list instr :=
  let A o := Instr 0 1 19 o 0 in let B o := Instr 1 8 0 o 0
    in [B []; A []; B [0]; A [1]; B [2]; A [3]].
Definition two_chains : block := [chain; chain].
Definition of_units (n : nat) : machine :=
  Machine (fun f => if f =? 1 then n else 1) None 1 (fun _ => 0) (fun _ => 0) (fun _ => 0).
Definition fifo_of (n : nat) (F : nat -> nat -> nat -> bool) (bound : nat) : bool * bool :=
  (fifo_claim two_chains (of_units n) F bound, fifo_claim two_chains (of_units n) F (bound - 1)).

(** FIB is FIFO without queues: 88.  One B of the other warp can be there, 8 cycles: 67, on two
    instances, too. *)
Example fib_value : fifo_of 1 (fun _ _ _ => false) 88 = (true, false).
Proof. vm_compute. reflexivity. Qed.
Example fifo_value : fifo_of 1 (fun _ _ f => f =? 1) 67 = (true, false).
Proof. vm_compute. reflexivity. Qed.
Example fifo_two : fifo_of 2 (fun _ _ f => f =? 1) 67 = (true, false)
  /\ queue (of_units 2) two_chains 0 0 1 = 4.
Proof. vm_compute. split; reflexivity. Qed.
