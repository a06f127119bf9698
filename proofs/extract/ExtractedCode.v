(** * What is extracted of machine code (proofs/extract/machine_code.ml runs it) *)

From Coq Require Import Extraction.
From Warpbound Require Import Base CodeMachine CodeElb CodeOwn CheckCode CheckCodeSib CheckCodeFib
  CheckCodeSchedule Numbers.

Extraction "extracted_code.ml" code_elb_shown code_sib_shown code_fib_shown code_fib_sections_shown
  valid_b kept_b rel_of iE lE increments awaited.
