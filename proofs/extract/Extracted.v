(** * What is extracted to OCaml (proofs/extract/definitions.ml runs it) *)

From Coq Require Import List Arith Bool Extraction.
From Warpbound Require Import Cycles Largest Model IsolationPaths CheckSchedule Forward Compute
  Sections CheckFast Graphs Queues Formulas CheckKernel CheckGrid CheckOldest Kernels Serials
  Oldests OldestGrid Turns Schedules ChainFormulas ChainBalance ChainArea SerialLedger Chains
  Numbers SegmentSum.

(* Evaluated only where its premise holds. *)
Extraction Inline implb'.

Extraction "extracted.ml"
  keys wf_b found lamI_fast E_fast top_fast ELB_fast iso_tables entry sib_shared_fast
    fib_charge_fast SERIAL_apart_fast ALN_fast queues warp_term fifo_claim
  elb_claim fib_claim sib_claim aln_claim valid_b schedule_claim
  k_sm_fast k_area_fast k_bal_fast sm_static sum_time kernel_claim
  chain_claim chain_tables turns_b chain_kind_of k_chain_least k_chain_area k_chain_bal best_tail
    k_serial largest OLDEST_fast held_lam_fast oldest_stay stay_turns
  grid_valid_b anywhere_b dealt_b oldest_first_b.
