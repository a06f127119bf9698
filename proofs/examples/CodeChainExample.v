(** * Chains of machine code: what K-CHAIN takes for granted can be so, and is attained

    Two SMs of two sub-cores and one slot get three thread blocks of two warps, one in each
    sub-core, which hold their issue stages for two cycles: side by side, where *E* has them one
    behind the other.  All ends at 4, as K-CHAIN says; K-SM by *E* and *lam* says 8. *)

From Warpbound Require Import Base Cycles Largest Formulas ChainFormulas Ledger GridLedger Dynamic
  ChainDispatch ChainBalance ChainArea CodeMachine CodeEnough CodeElb CodeOutside CodeLedger
  CodeChain CodeBeside CodeApart CodeChainApart CodeProgress.

Definition long : instr := Instr 1 2 0 0 false [] None 0 None 0 [] false 0.
(** Thread blocks 0 and 2 are on SM 0, 1 on SM 1. *)
Definition longs (i : nat) : block :=
  match i with 0 => [[long]; [long]; [long]; [long]] | _ => [[long]; [long]] end.
Definition pair (i : nat) : machine := Machine (fun _ => None) (fun w => w mod 2) false (fun u => u)
  (fun _ => false) (fun w => match i with 0 => 2 * (w / 2) | _ => 1 end) 0.
Definition second (x : key) : nat := 2 * (fst x / 2).
Definition sides : schedule := Schedule second second second second second (fun _ _ => 0)
  (fun _ _ => 0) (fun _ _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => 2) (fun _ => 0)
  (fun g _ => match g with 2 => 2 | _ => 0 end).
Definition at_start (b : nat) : nat := match b with 2 => 2 | _ => 0 end.
Definition given (wt : nat -> nat -> nat) : Ledger.run :=
  Ledger.Run 3 (fun b => b mod 2) (fun _ => 0) (fun b => b) at_start at_start
    (fun b => at_start b + 2) (fun _ => false) wt.
Definition three : Ledger.run := given (code_pays pair longs (fun _ => sides) (given (fun _ _ =>
  0))).
(** Cycle 4 is left out, when all is over. *)
Notation over := (later 4 1).

Lemma longs_keys i x : In x (keys (longs i)) -> snd x = 0 /\ get (longs i) x = long
  /\ (fst x < 2 \/ i = 0 /\ fst x < 4).
Proof.
  destruct i; intros H; cbn in H; repeat (destruct H as [<-|H]; [cbn; repeat split; lia|]); destruct
    H.
Qed.

Lemma longs_stage i x j u : ~ at_stage (longs i) x j u.
Proof.
  intros [Hx [Hj _]]. destruct (longs_keys i x Hx) as [_ [E _]]. unfold stages in Hj.
  rewrite E in Hj.
  cbn in Hj. lia.
Qed.

Ltac no_unit := intros; try match goal with
  | H : at_stage (longs _) _ _ _ |- _ => destruct (longs_stage _ _ _ _ H)
  | H : In ?x (keys (longs _)), H' : _ < stages (longs _) ?x |- _ =>
      destruct (longs_stage _ _ _ _ (at_own _ _ _ H H'))
  end.
Ltac each_long := no_unit; repeat match goal with
  | H : In ?x (keys (longs _)) |- _ => let E := fresh "E" in let W := fresh "W" in let K := fresh
    "K" in
      destruct (longs_keys _ _ H) as [K [E W]]; rewrite ?E; clear H
  end; cbn in *; try lia.

Lemma longs_wf i : CodeMachine.wf (pair i) (longs i).
Proof.
  split; try solve [each_long]. intros u v [_ [x [j [H _]]]]. destruct (longs_stage _ _ _ _ H).
Qed.

Ltac key_by_key := match goal with
  | H : In _ (keys (longs _)) |- _ => cbn in H;
      repeat (destruct H as [H|H]; [first [injection H as; subst|subst]; vm_compute; try lia|]);
        destruct H
  end.

Lemma longs_outside i : i < 2 -> outside over (pair i) (longs i) sides.
Proof.
  intros Hi. assert (i = 0 \/ i = 1) as [->| ->] by lia; split; try solve [each_long];
    try solve [intros; key_by_key];
    try solve [intros x Hx Hs; exfalso; apply (longs_stage _ x 0 _ (at_own _ _ 0 Hx Hs))];
    try solve [intros w k t _ Hk [[Ht|Ht] [_ [Hr _]]]; exfalso; revert Ht Hr; key_by_key];
    try (intros g q n _ _ H; rewrite Nat.add_0_r; apply on_mono; exact H).
  - intros x Hx H. unfold latch in H. destruct (longs_keys 0 x Hx) as [_ [E _]]. rewrite E in H.
    discriminate.
  - intros x y q _ Hy _ _ H. destruct (longs_keys 0 y Hy) as [_ [E _]]. rewrite E in H. cbn in H.
  lia.
  - intros x y q _ Hy _ _ H. destruct (longs_keys 1 y Hy) as [_ [E _]]. rewrite E in H. cbn in H.
  lia.
Qed.

Ltac block_of b := destruct b as [|[|[|b]]]; cbn in *; try lia.

Lemma given_dispatched : dispatched three 2 1 0.
Proof.
  split; cbn [count sm room ord disp start fin three given]; try solve [intros; lia].
  - intros b _. apply Nat.mod_upper_bound. lia.
  - intros b c Hb Hc Ho. block_of b; block_of c.
  - intros b c Hb Hc Hs Ho. block_of b; block_of c; discriminate.
  - intros N b Hb. rewrite cycles_none; [lia|]. intros t _. unfold passing.
    cbn [disp start three given]. destruct (Nat.leb_spec (at_start b) t),
      (Nat.ltb_spec t (at_start b)); cbn; auto; lia.
  - intros b t q Hb _ Ht Hq. block_of b. exists 0. repeat split; try lia.
    apply andb_true_intro. split; [reflexivity|apply Nat.ltb_lt; exact Ht].
Qed.

Lemma given_run : code_run 2 1 0 pair longs (fun _ => sides) three (outside over).
Proof.
  split.
  - intros i Hi. split; [apply longs_wf|apply longs_outside, Hi].
  - reflexivity.
  - exact given_dispatched.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; key_by_key; auto.
  - intros b Hb. block_of b.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; key_by_key.
  - intros b Hb. right. block_of b; [exists (0, 0)|exists (0, 0)|exists (2, 0)]; cbn; auto.
Qed.

Lemma given_dynamic : dynamic three 2 1.
Proof.
  intros c t i q Hc _ Ht Hi Hq. block_of c. exists i.
  assert (i = 0 \/ i = 1) as [->| ->] by lia; (repeat split; try (cbn; lia));
    (apply andb_true_intro; split; [reflexivity|apply Nat.ltb_lt; exact Ht]).
Qed.

(** W = 2 and an extra of 2, as E = 4; no latency *)
Definition side_kind (b : nat) : chain_kind := Chain 2 [2] 4 0 0 1.
Notation kinds := (map side_kind (all three)).
Notation plain_kinds := (map (fun b => plain (side_kind b)) (all three)).
Example chains_4 : chain_sm 1 0 2 kinds = 4 /\ k_chain_area 2 1 0 plain_kinds [kinds] = 4
  /\ k_chain_bal 2 1 0 plain_kinds [kinds] = 4 /\ Formulas.h 1 0 2 plain_kinds = 8.
Proof. vm_compute. auto. Qed.

Lemma longs_amounts : code_amounts 2 pair longs 3 (fun b => b mod 2)
  (fun b => plain (side_kind b)) (fun _ _ => 0) (fun _ _ => 0) (fun _ _ _ => 0) (fun _ _ _ => 0).
Proof.
  split.
  - intros i Hi. assert (i = 0 \/ i = 1) as [->| ->] by lia; split; try solve [each_long];
      try solve [intros; key_by_key].
    all: intros w k c n j Hx H; destruct (longs_keys _ _ Hx) as [_ [E _]]; rewrite E in H; destruct
      H.
  - intros b Hb. block_of b.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; key_by_key.
  - intros b _. apply le_n.
Qed.

Lemma longs_home i x j u v : i < 2 -> at_stage (longs i) x j u -> B (pair i) (longs i) u v ->
  reached (fun _ => None) (core (pair i) (fst x)) v = true.
Proof. no_unit. Qed.
Lemma longs_cores i x : i < 2 -> In x (keys (longs i)) -> core (pair i) (fst x) < 2.
Proof. intros _ _. apply Nat.mod_upper_bound. lia. Qed.
Lemma longs_chain b : b < 3 -> chain_code (pair (b mod 2)) (longs (b mod 2)) (fun _ => None) 2 None
  (side_kind b) b.
Proof.
  intros Hb. destruct b as [|[|[|b]]]; [| | |lia]; split; try solve [intros; key_by_key];
    try (cbn; lia); try solve [intros; discriminate].
  all: intros n; destruct n as [|[|n]]; vm_compute; lia.
Qed.

Definition brief : Ledger.run := drawn_run over 1 (later_few 4 1) pair longs (fun _ => sides) three.
Lemma brief_run : code_run 2 1 0 pair longs (fun i => drawn over (longs i) sides) brief lawful.
Proof. apply outside_run, given_run. Qed.
Lemma brief_dynamic : dynamic brief 2 1.
Proof.
  intros c t i q Hc _ Ht Hi Hq. block_of c. exists i.
  assert (i = 0 \/ i = 1) as [->| ->] by lia; (repeat split; try (cbn; lia));
    (apply andb_true_intro; split; [reflexivity|apply Nat.ltb_lt; cbn in *; lia]).
Qed.
Lemma brief_skips N : cycles N (skip brief) <= 0.
Proof. rewrite cycles_none; [lia|reflexivity]. Qed.

Theorem sides_end b : b < 3 -> fin brief b <= 4 /\ fin brief b <= chain_static brief 1 0 side_kind
  (sm brief b) + 0.
Proof.
  intros Hb. pose proof (code_ledger 2 1 0 _ _ _ brief brief_run _ _ _ _ _ longs_amounts
    (fun _ _ => or_introl (le_n _))) as Lk. split.
  - apply (code_k_chain 2 1 0 _ _ _ brief brief_run side_kind _ _ _ _ longs_amounts
      (fun _ _ => None) 2 longs_home longs_cores (fun _ => None) longs_chain 0 _ brief_skips Lk b
      brief_dynamic (le_n _) Hb).
  - apply (code_k_chain_static 2 1 0 _ _ _ brief brief_run side_kind _ _ _ _ longs_amounts
      (fun _ _ => None) 2 longs_home longs_cores (fun _ => None) longs_chain 0 brief_skips b Hb).
Qed.
Example sides_attain : fin brief 2 = 4.
Proof. reflexivity. Qed.

(** The same, each SM with its own V *)
Theorem sides_apart b : b < 3 -> fin three b <= 4 + 0 + 2 * 1
  /\ fin three b <= chain_static three 1 0 side_kind (sm three b) + 0 + 1.
Proof.
  intros Hb. destruct given_run as [C1 C2 C3 C4 C5 C6 C7].
  assert (forall N, cycles N (skip three) <= 0) as Skips
    by (intros N; rewrite cycles_none; [lia|reflexivity]).
  assert (forall i N, i < 2 -> cycles N (fun t => counted three t && over t) <= 1) as Few
    by (intros i N _; rewrite cycles_cnt; apply later_few).
  split.
  - apply (chain_area_apart (fun _ => over) 1 (fun _ => later_few 4 1) 2 1 0 0 1 pair longs
      (fun _ => sides) three ltac:(split; assumption) side_kind _ _ _ _ longs_amounts
      (fun _ _ => None) 2 (fun _ => None) longs_home longs_cores longs_chain _ longs_amounts
      (fun _ _ => or_introl (le_n _))); auto using given_dynamic.
  - apply (chain_static_apart (fun _ => over) 1 (fun _ => later_few 4 1) 2 1 0 0 1 pair longs
      (fun _ => sides) three ltac:(split; assumption) side_kind _ _ _ _ longs_amounts
      (fun _ _ => None) 2 (fun _ => None) longs_home longs_cores longs_chain _ longs_amounts
      (fun _ _ => or_introl (le_n _))); auto.
Qed.
