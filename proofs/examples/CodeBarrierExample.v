(** * Bounds of machine code with a barrier: what theorems 2 and 3 take for granted can be so

    Two warps load by a unit with a queue of one place and meet at a barrier; the first one then
    waits for what it loaded, the second one ends.  An execution that keeps M1 to M7 and [kept],
    tables that the checkers accept, and what they show. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeElb CodeSpill CheckCode
  CheckCodeSib CheckCodeFib CheckCodeSchedule.

Definition load : instr := Instr 1 1 0 0 false [Stage 1 2 0] (Some 0) 3 None 0 [] false 0.
Definition meet : instr := Instr 1 1 0 0 true [] None 0 None 0 [] true 0.
Definition use : instr := Instr 1 1 0 0 true [Stage 0 2 0] None 0 None 0 [(0, 0)] false 1.
Definition both : block := [[load; meet; use]; [load; meet]].
Definition small : machine :=
  Machine (fun u => Some (min u 1)) (fun _ => 0) true (fun u => u) (fun _ => false) (fun _ => 0) 1.

(** The last arrival is issued in cycle 3; the release comes a cycle later than it could at the
    earliest. *)
Definition chosen (x : key) : nat :=
  match x with (0, 1) => 2 | (0, 2) => 5 | (1, 0) => 1 | (1, 1) => 3 | _ => 0 end.
Definition run : schedule := Schedule chosen chosen chosen chosen
  (fun x => match x with (0, 1) => 1 | (0, 2) => 3 | (1, 1) => 2 | _ => 0 end)
  (fun x _ => match x with (1, 0) => 2 | _ => chosen x end)
  (fun _ _ => 2) (fun _ _ => 0) (fun x => match snd x with 0 => 3 | _ => 0 end) (fun _ => 0)
    (fun _ => 1) (fun _ => 0) (fun g q => match g, q with 0, S _ => 5 | _, _ => 0 end).

Theorem run_valid : valid small both run.
Proof.
  apply (code_valid_ok small both run (fun _ => keys both)
    (fun x => match waits (get both x) with [] => 0 | _ => P run x end) [0; 5]);
    [vm_compute; reflexivity|intros [|] [|[|[|]]]; reflexivity].
Qed.

Lemma both_wf : wf small both.
Proof. apply (code_wf_ok small both (Ways (fun _ => false) (fun _ => []) (fun _ u => u))).
reflexivity. Qed.

Lemma run_kept : kept both run (fun _ => 1).
Proof. apply kept_ok. vm_compute. reflexivity. Qed.

(** Tables as a certificate has them: what is waited for, and the paths of each section. *)
Definition kinds : ways := Ways (fun _ => false) (fun _ => []) (fun _ u => u).
Definition table (l : list (list nat)) (x : key) : nat := nth (snd x) (nth (fst x) l []) 0.

(** From the start of the block, in latencies: holds are 2, 2, 2 and two slots. *)
Definition late : list (list nat) := [[0; 0; 3]; [0; 0]].
Example elb_11 : code_elb_shown small both kinds (table late) (table late)
  (fun x _ => table late x) [0; 2] = Some 11.
Proof. vm_compute. reflexivity. Qed.
Example elb_less : code_elb_shown small both kinds (table late) (table late)
  (fun x _ => table late x) [0; 1] = None.
Proof. vm_compute. reflexivity. Qed.

(** From the start of each section: a full queue holds the issue stage, so that what meets waits for
    its own load to be held. *)
Definition own : list (list nat) := [[0; 2; 0]; [0; 2]].
Definition tables (t : list (list nat)) : sib_tables := SibTables Nat.eqb (fun _ u => u =? 1)
  (fun _ => Some 0) (fun _ => false) (table t) (table t) (fun x _ => table t x) (fun q w => match q,
  w with 0, _ => 5 | 1, 0 => 2 | _, _ => 0 end) (fun x _ => snd x =? 0) (fun _ _ =>
  2) (fun _ _ => 0).
Example sib_12 : code_sib_shown small both (tables own) (fun _ => 1) kinds 2 = Some 12.
Proof. vm_compute. reflexivity. Qed.
Example sib_less : code_sib_shown small both (tables [[0; 1; 0]; [0; 1]]) (fun _ => 1) kinds 2
  = None.
Proof. vm_compute. reflexivity. Qed.

(** Unit 0 is a latch, which warp 0 uses in section 1 alone. *)
Definition idle (w n u : nat) : bool := negb ((w =? 0) && (n =? 1)).
Example fib_12 : code_fib_sections_shown small both (tables own) (Nat.eqb 0) idle (fun _ => 1) kinds
  2 = Some 12.
Proof. vm_compute. reflexivity. Qed.
Example fib_used : code_fib_sections_shown small both (tables own) (Nat.eqb 0) (fun _ _ _ => true)
  (fun _ => 1) kinds 2 = None.
Proof. vm_compute. reflexivity. Qed.

(** It ends at 7. *)
Theorem run_ends x : In x (keys both) -> finish both run x <= 11 /\ finish both run x <= 12.
Proof.
  intros H. split.
  - apply (code_elb_shown_ok _ _ _ _ _ _ _ _ elb_11 run run_valid x H).
  - apply (code_sib_shown_ok _ _ _ _ _ _ _ sib_12 run 0);
      [reflexivity|exact run_valid|exact run_kept|exact H].
Qed.

(** Each instruction of the example ends by cycle 12, as code-fib says. *)
Theorem run_ends_fib x : In x (keys both) -> finish both run x <= 12.
Proof.
  apply (code_fib_sections_shown_ok _ _ _ _ _ _ _ _ _ fib_12 run 0);
    [reflexivity|exact run_valid|exact run_kept].
Qed.
Example run_end : finish both run (0, 2) = 7.
Proof. reflexivity. Qed.

(** ** As the only thread block of an SM: solo is 12 by code-fib with barriers *)
From Warpbound Require Import CodeEnough CodeKept CodeLedger CodeSolo.
From Warpbound Require Ledger.
Definition one_times (wt : nat -> nat -> nat) : Ledger.run :=
  Ledger.Run 1 (fun _ => 0) (fun _ => 0) (fun b => b) (fun _ => 0) (fun _ => 0) (fun _ => 7)
    (fun _ => false) wt.
Definition one : Ledger.run := one_times (code_pays (fun _ => small) (fun _ => both) (fun _ => run)
  (one_times (fun _ _ => 0))).

Lemma one_run : code_run 1 1 0 (fun _ => small) (fun _ => both) (fun _ => run) one valid.
Proof.
  split.
  - intros i _. split; [exact both_wf|exact run_valid].
  - reflexivity.
  - split; cbn; try solve [intros; lia]. intros N b Hb. replace b with 0 by lia.
    rewrite Ledger.cycles_none; [lia|]. intros t _. unfold Ledger.passing. cbn.
    destruct t; reflexivity.
  - cbn. lia.
  - intros b Hb. replace b with 0 by (cbn in Hb; lia). reflexivity.
  - intros i x _ Hx. cbn in Hx. repeat (destruct Hx as [<-|Hx]; [cbn; lia|]). destruct Hx.
  - intros b Hb. replace b with 0 by (cbn in Hb; lia). right. exists (0, 2). cbn. auto.
Qed.

Theorem one_solo N :
  Ledger.cycles N (fun t => Ledger.counted one t && Ledger.stays one 0 t) <= 12.
Proof.
  apply (code_solo 1 1 0 _ _ _ one valid one_run 0 12 (le_n _)) with (least := fun _ => 1)
    (J := fun x => S (I run x)) (enters := fun x i => 0 <? ah run x i).
  - intros u v [Q [x [i [H1 H2]]]]. split; [exact Q|]. exists x, i. split; assumption.
  - apply (valid_enough _ _ _ both_wf run_valid).
  - apply valid_leaves; [exact run_valid|exact run_kept].
  - intros c Hc. destruct Hc.
  - intros s J enters OK F. apply (code_fib_sections_shown_enough _ _ _ _ _ _ _ _ _ fib_12 s J
      enters 0 (fun _ => eq_refl) OK F).
Qed.
