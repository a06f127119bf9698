(** * Two thread blocks on an SM, one with a barrier, that begin at different times *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model CheckSchedule Bounds IsolationPaths Stay WaveSib.
Import ListNotations.

(** Thread block 0: A(2,1), a barrier whose release takes a cycle, B(2,0); thread block 1: C(3,0).
    One unit, depth 0. *)
Definition A : instr := Instr 0 2 1 [] 0.
Definition B : instr := Instr 0 2 0 [] 1.
Definition C3 : instr := Instr 0 3 0 [] 0.
Definition both : block := [[A; B]; [C3]].
Definition sm1 : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun w => w) (fun _ => 1).

(** C comes in between. *)
Definition start (x : key) : nat := if fst x =? 0 then if snd x =? 0 then 0 else 5 else 2.
Definition wave2 : schedule :=
  Schedule start start (fun x => init (get both x)) (fun x => lat (get both x)) (fun _ _ => 1) (fun g => g).

Example wave2_valid : valid sm1 both wave2.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; cbn; lia]. Qed.

(** By itself thread block 0 needs 6 cycles, the other adds 3; it ends at 7. *)
Example numbers : (SIB_at (only sm1 0 both) sm1 0, FIB_at (only sm1 0 both) sm1 0, adds both sm1 0 0 1, C wave2 (0, 1)) = (6, 6, 3, 7).
Proof. vm_compute. reflexivity. Qed.

Example wave2_ends x : of sm1 both 0 x -> C wave2 x <= 9.
Proof.
  intros Hx. change 9 with (0 + min (SIB_at (only sm1 0 both) sm1 0) (FIB_at (only sm1 0 both) sm1 0) + sum (adds both sm1 0 0) [1]).
  apply (SIB_wave sm1 both wave2 0 0 [1] x); [split; cbn; lia|apply wf_ok; reflexivity|exact wave2_valid|cbn; lia| | | |exact Hx].
  - intros y Hy N O. exfalso. cbn in Hy, N, O. intuition subst; cbn in *; auto.
  - right. reflexivity.
  - apply cost_same. discriminate.
Qed.
