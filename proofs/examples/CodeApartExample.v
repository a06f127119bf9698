(** * SMs that stand still at different times: what theorem 7 of docs/machine-code-bounds.md takes
    for granted of kernels can be so

    Two SMs with a slot each get three thread blocks of one load, the third one when the first one
    has ended.  In cycle 1 both SMs stand still, and a load of SM 0 holds its unit meanwhile; in
    cycle 2 only SM 1 does, where another waits for its result. *)

From Warpbound Require Import Base Cycles Largest Formulas Ledger GridLedger Dynamic CodeMachine
  CodeEnough CodeElb CodeOutside CodeLedger CodeBeside CodeApart.

Definition load : instr := Instr 1 1 0 0 false [Stage 1 2 0] (Some 0) 3 None 0 [] false 0.
Definition stands (i t : nat) : bool := (1 <=? t) && (t <? 2 + min i 1).
(** Thread blocks 0 and 2 are on SM 0, 1 on SM 1. *)
Definition loads (i : nat) : block := match i with 0 => [[load]; [load]] | _ => [[load]] end.
Definition sms (i : nat) : machine := Machine (fun _ => None) (fun _ => 0) false (fun u => u)
  (fun _ => false) (fun w => match i with 0 => 2 * w | _ => 1 end) 0.
Definition begun (x : key) : nat := 6 * fst x.
Definition times (i : nat) : schedule := Schedule begun begun begun begun begun
  (fun x _ => begun x) (fun x _ => match i, x with 0, (0, _) => 3 | _, _ => 2 end) (fun _ _ => 0)
  (fun _ => match i with 0 => 3 | _ => 4 end) (fun _ => 0) (fun _ => 1) (fun _ => 0)
  (fun g _ => match g with 2 => 6 | _ => 0 end).
Definition dealt (wt : nat -> nat -> nat) : Ledger.run :=
  Ledger.Run 3 (fun b => b mod 2) (fun _ => 0) (fun b => b)
    (fun b => match b with 2 => 6 | _ => 0 end) (fun b => match b with 2 => 6 | _ => 0 end)
    (fun b => match b with 2 => 11 | _ => 6 end) (fun t => t =? 1) wt.
Definition three : Ledger.run := dealt (fun _ _ => 0).

Lemma within a n (p : nat -> bool) N : (forall t, p t = true -> a <= t < a + n) -> cnt p N <= n.
Proof.
  intros H. etransitivity; [|apply (cnt_interval a n N)]. apply cnt_le. intros t _ Ht.
  apply H in Ht.
  apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
Qed.

Lemma loads_keys i x : In x (keys (loads i)) -> x = (0, 0) \/ (x = (1, 0) /\ i = 0).
Proof. destruct i; simpl; intuition (subst; auto). Qed.

Lemma loads_stages i x j u : at_stage (loads i) x j u ->
  (x = (0, 0) \/ (x = (1, 0) /\ i = 0)) /\ j = 0 /\ u = 1.
Proof.
  intros [Hx [Hj Hu]]. destruct (loads_keys i x Hx) as [->|[-> ->]]; split; auto;
    [destruct i|]; cbn in Hj, Hu; (destruct j; [auto|lia]).
Qed.

Ltac a_load := match goal with
  | H : In _ (keys (loads _)) |- _ =>
      let Q := fresh in destruct (loads_keys _ _ H) as [Q|[Q ?]]; clear H;
        first [discriminate Q | injection Q as; subst | subst]
  | H : at_stage (loads _) _ _ _ |- _ =>
      let Q := fresh in destruct (loads_stages _ _ _ _ H) as [[Q|[Q ?]] [? ?]]; clear H;
        first [discriminate Q | injection Q as; subst | subst]
  end.
Ltac each_load := intros; repeat a_load; cbn in *; try discriminate; try lia.

Lemma one_stage i x j : In x (keys (loads i)) -> j < stages (loads i) x -> j = 0.
Proof. intros Hx. destruct i; each_load. Qed.

Lemma loads_wf i : CodeMachine.wf (sms i) (loads i).
Proof.
  split; try solve [each_load]; try solve [destruct i; each_load].
  - intros x j H1 H2. rewrite (one_stage i x j H1 H2). destruct i; each_load.
  - intros x y j k u v H1 H2 H _. cbn in H. subst v.
    destruct i; each_load; split; auto; intros; lia.
  - intros u v [H _]. cbn in H. congruence.
Qed.

Ltac loads_keep := split; try solve [each_load];
  try solve [intros x j H1 H2; rewrite (one_stage _ x j H1 H2); each_load];
  try solve [intros w k t _ Hk [Ht [Hn _]]; exfalso; each_load];
  try solve [intros x y j k u H1 H2 Hn; each_load; congruence || lia];
  try (intros g q n _ _ H; rewrite Nat.add_0_r; apply on_mono; exact H).

(** M1 to M7 hold outside of the SM's V. *)
Lemma loads_outside i : i < 2 -> outside (stands i) (sms i) (loads i) (times i).
Proof. intros Hi. assert (i = 0 \/ i = 1) as [->| ->] by lia; loads_keep. Qed.

Lemma three_dispatched : dispatched three 2 1 0.
Proof.
  split; cbn [count sm room ord disp start fin three dealt]; try solve [intros; lia].
  - intros b _. apply Nat.mod_upper_bound. lia.
  - intros b Hb. destruct b as [|[|[|b]]]; lia.
  - intros b c Hb Hc Ho. destruct b as [|[|[|b]]], c as [|[|[|c]]]; lia.
  - intros b c Hb Hc Hs Ho. destruct b as [|[|[|b]]], c as [|[|[|c]]]; cbn in *; lia.
  - intros N b Hb. rewrite cycles_none; [lia|]. intros t _. unfold passing.
    cbn [disp start three dealt]. destruct b as [|[|[|b]]];
      destruct (Nat.leb_spec 0 t), (Nat.ltb_spec t 0), (Nat.leb_spec 6 t), (Nat.ltb_spec t 6);
      cbn; rewrite ?andb_false_r; auto; lia.
  - intros b t q Hb _ Ht Hq. destruct b as [|[|[|b]]]; cbn in Ht; try lia. exists 0.
    repeat split; try (cbn; lia). apply andb_true_intro.
    split; [reflexivity|apply Nat.ltb_lt; exact Ht].
Qed.

Theorem three_run : apart_run stands 2 1 0 sms loads times three.
Proof.
  split.
  - intros i Hi. split; [apply loads_wf|apply loads_outside, Hi].
  - exact three_dispatched.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load; auto.
  - intros b Hb. destruct b as [|[|[|b]]]; cbn in *; lia.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load.
  - intros b Hb. right. destruct b as [|[|[|b]]]; cbn in Hb; [exists (0, 0)|exists (0, 0)|
      exists (1, 0)|lia]; cbn; auto.
Qed.

Lemma three_dynamic : dynamic three 2 1.
Proof.
  intros b t i q Hb _ Ht Hi Hq. destruct b as [|[|[|b]]]; cbn in Hb, Ht; try lia. exists i.
  assert (i = 0 \/ i = 1) as [->| ->] by lia; (repeat split; try (cbn; lia));
    (apply andb_true_intro; split; [reflexivity|apply Nat.ltb_lt; exact Ht]).
Qed.

(** E is 2, lam 3.  It ends at 11; all bounds are 10 without V, of which cycle 1 counts once. *)
Definition load_kind (b : nat) : Formulas.kind := Kind 2 3 5 5.
Notation kinds := (map load_kind (all three)).
Example three_bounds : fin three 2 = 11 /\ h 1 0 2 kinds = 10 /\ k_area 2 1 0 kinds = 10
  /\ k_bal 2 1 0 kinds = 10.
Proof. vm_compute. auto. Qed.

Lemma loads_lam i : i < 2 -> lam_cert (sms i) (loads i) (fun _ => 0) (fun _ => 0) (fun _ _ => 0)
  (fun _ _ => 0).
Proof. intros Hi. assert (i = 0 \/ i = 1) as [->| ->] by lia; split; each_load. Qed.
Lemma loads_E b : b < 3 -> sum (fun x => if group (sms (sm three b)) (fst x) =? b
  then CodeElb.work (loads (sm three b)) x else 0) (keys (loads (sm three b))) <= 2.
Proof. intros Hb. destruct b as [|[|[|b]]]; cbn in *; lia. Qed.
Lemma loads_end i x : i < 2 -> In x (keys (loads i)) -> lE (loads i) (fun _ => 0) (fun _ _ => 0) x
  + max (write (get (loads i) x)) (read (get (loads i) x)) <= 3.
Proof. intros Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load. Qed.

Lemma loads_amounts : code_amounts 2 sms loads 3 (fun b => b mod 2) load_kind (fun _ _ => 0)
  (fun _ _ => 0) (fun _ _ _ => 0) (fun _ _ _ => 0).
Proof. split; [exact loads_lam|exact loads_E|exact loads_end|intros b _; apply le_n]. Qed.

Theorem three_ends b : b < 3 -> fin three b <= h 1 0 2 kinds + 1 + 1
  /\ fin three b <= k_area 2 1 0 kinds + 1 + 2 * 1 /\ fin three b <= k_bal 2 1 0 kinds + 1 + 2 * 1.
Proof.
  intros Hb. assert (forall i N, cnt (stands i) N <= 2) as Finite.
  { intros i N. apply (within 1 2). intros t H. unfold stands in H.
    rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in H. lia. }
  apply (kernel_apart stands 2 Finite 2 1 0 1 1 sms loads times three three_run load_kind
    (fun _ _ => 0) (fun _ _ => 0) (fun _ _ _ => 0) (fun _ _ _ => 0)); auto using three_dynamic.
  - exact loads_amounts.
  - intros N. rewrite cycles_cnt. apply (within 1 1). intros t H. apply Nat.eqb_eq in H. lia.
  - intros i N _. rewrite cycles_cnt. apply (within 2 1). intros t H. apply andb_prop in H as [C H].
    unfold counted in C. cbn [skip three dealt] in C. apply negb_true_iff, Nat.eqb_neq in C.
    unfold stands in H. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in H. lia.
Qed.

(** ** Cycle 1 as V of both SMs: without it they attain the bounds *)
Definition shared : Ledger.run := dealt (code_pays sms loads (fun _ => times 0) three).
Lemma shared_few N : cnt (stands 0) N <= 1.
Proof.
  apply (within 1 1). intros t H. unfold stands in H.
  rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in H. cbn in H. lia.
Qed.
Definition attained : Ledger.run :=
  drawn_run (stands 0) 1 shared_few sms loads (fun _ => times 0) shared.

Lemma attained_run : code_run 2 1 0 sms loads (fun i => drawn (stands 0) (loads i) (times 0))
  attained lawful.
Proof.
  apply outside_run. split.
  - intros i Hi. split; [apply loads_wf|].
    assert (i = 0 \/ i = 1) as [->| ->] by lia; loads_keep.
  - reflexivity.
  - destruct three_dispatched. split; assumption.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load; auto.
  - intros b Hb. destruct b as [|[|[|b]]]; cbn in *; lia.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load.
  - intros b Hb. right. destruct b as [|[|[|b]]]; cbn in Hb; [exists (0, 0)|exists (0, 0)|
      exists (1, 0)|lia]; cbn; auto.
Qed.

Lemma attained_skips N : cycles N (skip attained) <= 0.
Proof.
  rewrite cycles_none; [lia|]. intros t _. cbn. apply Nat.eqb_neq. intros E.
  destruct (cycle_on (stands 0) 1 shared_few t) as [H _]. rewrite E in H. discriminate.
Qed.

Lemma attained_dynamic : dynamic attained 2 1.
Proof.
  intros c t i q Hc _ Ht Hi Hq. destruct c as [|[|[|c]]]; cbn in Hc, Ht; try lia. exists i.
  assert (i = 0 \/ i = 1) as [->| ->] by lia; (repeat split; try (cbn; lia));
    (apply andb_true_intro; split; [reflexivity|apply Nat.ltb_lt; exact Ht]).
Qed.

Theorem attained_ends b : b < 3 -> fin attained b <= h 1 0 2 kinds + 0
  /\ fin attained b <= k_area 2 1 0 kinds + 0 /\ fin attained b <= k_bal 2 1 0 kinds + 0
  /\ fin attained b <= static_time attained 1 0 load_kind (sm attained b) + 0.
Proof.
  intros Hb.
  pose proof (code_k_sm_static 2 1 0 _ _ _ _ attained_run load_kind _ _ _ _ loads_amounts (fun _ _
    => or_introl (le_n _)) 0 attained_skips b Hb).
  destruct (code_kernel 2 1 0 _ _ _ _ attained_run load_kind _ _ _ _ loads_amounts (fun _ _ =>
    or_introl (le_n _)) 0 attained_skips b
    attained_dynamic (le_n _) Hb) as [H1 [H2 H3]]. auto.
Qed.
Example attained_10 : fin attained 2 = 10 /\ static_time attained 1 0 load_kind 0 = 10.
Proof. split; reflexivity. Qed.
