(** * What is extracted to OCaml (proofs/extract/definitions.ml runs it)

    Natural numbers become OCaml's 63-bit integers.  Every operation that can leave
    their range is one of checked.ml, which raises [Overflow] where it does: a
    number that comes out is the one that is meant. *)

From Coq Require Import List Arith Bool Extraction ExtrOcamlBasic.
From Warpbound Require Import Cycles Model IsolationPaths CheckSchedule Forward Compute Sections CheckFast Formulas
  CheckKernel Kernels.

Extract Inductive nat => "int" ["0" "Checked.succ"]
  "(fun zero succ n -> if n = 0 then zero () else succ (n - 1))".

Extract Constant Nat.add => "Checked.add".
Extract Constant Nat.mul => "Checked.mul".
Extract Constant Nat.div => "Checked.div".
Extract Constant Nat.sub => "Checked.sub".
Extract Constant Nat.pred => "Checked.pred".
Extract Constant Nat.max => "Checked.max".
Extract Constant Nat.min => "Checked.min".
Extract Constant Nat.eqb => "Checked.equal".
Extract Constant Nat.leb => "Checked.at_most".
Extract Constant Nat.ltb => "Checked.less".
Extract Constant Nat.eq_dec => "Checked.equal".
Extract Constant Nat.compare => "(fun (n : int) (m : int) -> if n = m then Eq else if n < m then Lt else Gt)".

(* Evaluated only where its premise holds. *)
Extraction Inline implb'.

Extraction "extracted.ml"
  keys wf_b found lamI_fast E_fast top_fast ELB_fast iso_tables entry sib_shared_fast fib_charge_fast
  elb_claim fib_claim sib_claim valid_b
  k_sm_fast k_area_fast k_bal_fast sm_static kernel_claim.
