(** * A kernel of machine code that keeps the rules of sass/CodeLedger.v

    One SM gets one thread block, that of CodeExamples.v. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Formulas Ledger CodeMachine CodeEnough CodeElb
  CodeExamples CodeLedger.
Import ListNotations.

Definition one_sm : nat -> machine := fun _ => small.
Definition one_prog : nat -> block := fun _ => loads.
Definition one_sched : nat -> schedule := fun _ => run.
Definition one_run (wt : nat -> nat -> nat) : Ledger.run :=
  Ledger.Run 1 (fun _ => 0) (fun _ => 0) (fun b => b) (fun _ => 0) (fun _ => 0) (fun _ => 7)
    (fun _ => false) wt.
Definition one : Ledger.run := one_run (code_pays one_sm one_prog one_sched
  (one_run (fun _ _ => 0))).

(** E is 6, lam 3: of the load's result, that the addition waits for. *)
Definition one_kind (b : nat) : Formulas.kind := Kind 6 3 9 9.
Definition lam_chosen (_ : nat) (x : key) : nat := match x with (0, 1) => 3 | _ => 0 end.
Definition lam_released (_ _ q : nat) : nat := match q with 0 => 0 | _ => 3 end.

Lemma one_lam i : lam_cert (one_sm i) (one_prog i) (lam_chosen i) (lam_chosen i)
  (fun x _ => lam_chosen i x) (lam_released i).
Proof.
  split; unfold one_sm, one_prog; try solve [easy_cases].
  - intros w k c n j Hk Hw Hj. repeat cases_key; cbn in Hw; try easy. destruct Hw as [Hw|[]].
    injection Hw as <- <-. cbn in Hj. destruct Hj as [<-|[]]. cbn. lia.
  - intros g q. destruct q; cbn; lia.
Qed.

Lemma one_code : code_run 1 1 0 one_sm one_prog one_sched one lawful.
Proof.
  split.
  - intros i _. split; [exact small_wf|apply valid_lawful, run_valid].
  - reflexivity.
  - split; cbn; try solve [intros; lia]. intros N b Hb. replace b with 0 by lia.
    rewrite cycles_none; [lia|]. intros t _. unfold passing. cbn. destruct t; reflexivity.
  - intros i x Hi Hx. cbn. lia.
  - intros b Hb. replace b with 0 by (cbn in Hb; lia). reflexivity.
  - intros i x Hi Hx. unfold one_prog in *. repeat cases_key; cbn; lia.
  - intros b Hb. right. exists (0, 1). cbn in *. split; [auto|]. split; lia.
Qed.

(** It ends after 7 cycles, and the theorem says at most 9. *)
Example one_ends : fin one 0 <= together 1 (map one_kind (all one)) + 0 /\
  together 1 (map one_kind (all one)) = 9.
Proof.
  split; [|reflexivity]. apply (code_one_wave 1 1 0 one_sm one_prog one_sched one one_code one_kind
    lam_chosen lam_chosen (fun i x _ => lam_chosen i x) lam_released).
  - intros i _. apply one_lam.
  - intros b Hb. replace b with 0 by (cbn in Hb; lia). cbn. lia.
  - intros i x Hi Hx. unfold one_prog in *. repeat cases_key; cbn; lia.
  - intros b Hb. cbn. lia.
  - intros b Hb. left. cbn. lia.
  - intros N. rewrite cycles_none; [lia|]. reflexivity.
  - intros c Hc. replace c with 0 by (cbn in Hc; lia). reflexivity.
  - lia.
  - intros i. destruct i; cbn; lia.
  - cbn. lia.
Qed.
