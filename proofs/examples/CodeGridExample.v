(** * One wave of machine code: K-SM of sass/CodeLedger.v and sass/CodeApart.v is attained

    Two SMs with two slots get the three thread blocks of CodeApartExample.v at once.  Both stand
    still in cycles 4 and 5, as in CodeFillsExample.v; without that they end two cycles earlier. *)

From Warpbound Require Import Base Cycles Largest Formulas Ledger GridLedger CodeMachine CodeEnough
  CodeElb CodeSib CodeOutside CodeLedger CodeBeside CodeApart CodeApartExample CodeFillsExample.

Definition dealt (wt : nat -> nat -> nat) : Ledger.run :=
  Ledger.Run 3 (fun b => b mod 2) (fun b => b / 2) (fun b => b) (fun _ => 0) (fun _ => 0)
    (fun b => match b with 2 => 9 | _ => 7 end) (fun _ => false) wt.
Definition wave : Ledger.run :=
  dealt (code_pays sms loads (fun _ => turns) (dealt (fun _ _ => 0))).

Lemma wave_run : code_run 2 2 0 sms loads (fun _ => turns) wave (outside filling).
Proof.
  split.
  - intros i Hi. split; [apply loads_wf|apply turns_outside; exact Hi].
  - reflexivity.
  - split; cbn [count sm room ord disp start fin wave dealt]; try solve [intros; lia].
    + intros b _. apply Nat.mod_upper_bound. lia.
    + intros b Hb. apply Nat.div_lt_upper_bound; lia.
    + intros b c Hb Hc Hs Ho. destruct b as [|[|[|b]]], c as [|[|[|c]]]; cbn in *;
        discriminate || lia.
    + intros N b Hb. rewrite cycles_none; [lia|]. intros t _. unfold passing. cbn.
      destruct t; reflexivity.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load; auto.
  - reflexivity.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load.
  - intros b Hb. right. destruct b as [|[|[|b]]]; cbn in Hb; [exists (0, 0)|exists (0, 0)|
      exists (1, 0)|lia]; cbn; auto.
Qed.

Lemma wave_small i : length (on_sm wave i) <= 2.
Proof. destruct i as [|[|i]]; cbn; lia. Qed.

(** E is 2, lam 3: two loads of an SM are over after 7 cycles, and V. *)
Notation kinds := (map load_kind (all wave)).
Theorem wave_ends b : b < 3 -> fin wave b <= together 2 kinds + 0 + 2.
Proof.
  destruct wave_run as [C1 C2 C3 C4 C5 C6 C7].
  apply (one_wave_apart (fun _ => filling) 2 (fun _ => filling_few) 2 2 0 0 2 sms loads
    (fun _ => turns) wave ltac:(split; assumption) load_kind _ _ _ _ loads_amounts (fun _ _ =>
      or_introl (le_n _))); auto using wave_small.
  - intros N. rewrite cycles_none; [lia|reflexivity].
  - intros i N _. rewrite cycles_cnt. apply filling_few.
  - intros c Hc. destruct c as [|[|[|c]]]; reflexivity || (cbn in Hc; lia).
Qed.
Example wave_attains : fin wave 2 = together 2 kinds + 2 /\ together 2 kinds = 7.
Proof. split; reflexivity. Qed.

(** Without V *)
Definition brief : Ledger.run :=
  drawn_run filling 2 filling_few sms loads (fun _ => turns) wave.
Theorem brief_ends b : b < 3 -> fin brief b <= together 2 kinds + 0.
Proof.
  apply (code_one_wave 2 2 0 _ _ _ brief (outside_run filling 2 filling_few _ _ _ _ _ _ wave
    wave_run) load_kind _ _ _ _ loads_amounts
    (fun _ _ => or_introl (le_n _))); auto.
  - intros N. rewrite cycles_none; [lia|reflexivity].
  - intros c Hc. destruct c as [|[|[|c]]]; reflexivity || (cbn in Hc; lia).
  - exact wave_small.
Qed.
Example brief_attains : fin brief 2 = 7.
Proof. reflexivity. Qed.
