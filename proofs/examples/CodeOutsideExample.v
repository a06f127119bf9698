(** * A machine that stands still: what theorem 7 of docs/machine-code-bounds.md takes for granted
    can be so

    The block of CodeBarrierExample.v, and V = {3, 4}.  Meanwhile a load holds its unit for twice
    its time, an instruction is issued, and the result of the other load comes two cycles late: the
    execution ends at 9, where without V it ends at 7. *)

From Warpbound Require Import Base Cycles CodeMachine CodeElb CodeOwn CodeHeld CodePipe CodeKept
  CodeOutside CheckCode CheckCodeSib CheckCodeFib CheckCodeSchedule CheckCodeOutside
  CodeBarrierExample.

Definition still (t : nat) : bool := (3 <=? t) && (t <? 5).
Definition late_chosen (x : key) : nat := match x with (0, 2) => 7 | _ => chosen x end.
Definition late_run : schedule := Schedule late_chosen late_chosen late_chosen late_chosen
  (N run) (fun x _ => match x with (1, 0) => 2 | _ => late_chosen x end)
  (fun x _ => match x with (1, 0) => 4 | _ => 2 end) (fun _ _ => 0)
  (fun x => match x with (0, 0) => 5 | (1, 0) => 3 | _ => 0 end) (fun _ => 0)
  (fun _ => 1) (fun _ => 0) (fun g q => match g, q with 0, S _ => 6 | _, _ => 0 end).

Lemma still_few n : cnt still n <= 2.
Proof. apply (cnt_interval 3 2). Qed.

Lemma both_keys x : In x (keys both) -> x = (0, 0) \/ x = (0, 1) \/ x = (0, 2) \/ x = (1, 0) \/
  x = (1, 1).
Proof. simpl. intuition (subst; auto). Qed.

Lemma both_stages x i u : at_stage both x i u ->
  (x = (0, 0) /\ i = 0 /\ u = 1) \/ (x = (0, 2) /\ i = 0 /\ u = 0) \/
    (x = (1, 0) /\ i = 0 /\ u = 1).
Proof.
  intros [Hx [Hi Hu]]. destruct (both_keys x Hx) as [->|[->|[->|[->| ->]]]]; cbn in Hi; try lia;
    assert (i = 0) by lia; subst i; cbn in Hu; subst u; auto.
Qed.

Ltac a_key := match goal with
  | H : In _ (keys both) |- _ =>
      let Q := fresh in destruct (both_keys _ H) as [Q|[Q|[Q|[Q|Q]]]]; clear H;
        first [discriminate Q | injection Q as; subst | subst]
  end.
Ltac a_stage := match goal with
  | H : at_stage both _ _ _ |- _ =>
      let Q := fresh in destruct (both_stages _ _ _ H) as [[Q [? ?]]|[[Q [? ?]]|[Q [? ?]]]];
        clear H;
      first [discriminate Q | injection Q as; subst | subst]
  end.
Ltac each_case := intros; repeat a_key; repeat a_stage; cbn in *; try discriminate; try lia.

(** M1 to M7 hold outside of V, *)
Theorem late_outside : outside still small both late_run.
Proof.
  split; try solve [each_case].
  - intros x i H1 H2. repeat a_key; cbn in H2; try lia; assert (i = 0) by lia; subst i; cbn; lia.
  - intros x i H1 H2. repeat a_key; cbn in H2; try lia; assert (i = 0) by lia; subst i; cbn; lia.
  - intros w k t Off Hk [Ht [Hn [Hr Hw]]]. left. repeat a_key; cbn in Ht, Hn, Hr.
    + lia.
    + assert (t = 1) by lia. subst t. exists (1, 0). split; [cbn; tauto|].
      split; [reflexivity|left; reflexivity].
    + exfalso. assert (t = 6) by lia. subst t. specialize (Hw 0 0 (or_introl eq_refl)). cbn in Hw.
      lia.
    + assert (t = 0) by lia. subst t. exists (0, 0). split; [cbn; tauto|].
      split; [reflexivity|left; reflexivity].
    + assert (t = 2) by lia. subst t. exists (0, 1). split; [cbn; tauto|].
      split; [reflexivity|left; reflexivity].
  - intros w k i u t Off H Ht _. each_case. left. exists (0, 0), 0. assert (t = 1) by lia. subst t.
    split; [split; [left; reflexivity|cbn; auto]|reflexivity].
  - intros x y i j u H1 H2 Hn. repeat a_stage; cbn; congruence || lia.
  - intros g q n HI _ Hq. destruct g; [|cbn; lia]. destruct q as [|q].
    + specialize (HI (1, 1)). cbn in HI. specialize (HI ltac:(tauto) eq_refl (le_n _)).
      pose proof (on_mono still 4 n ltac:(lia)). cbn in *. lia.
    + pose proof (on_mono still _ _ Hq). cbn in *. lia.
  - intros g q. destruct g, q; cbn; lia.
Qed.

(** but not in V: the result comes too late. *)
Theorem late_not_valid : ~ valid small both late_run.
Proof. intros H. pose proof (v_write _ _ _ H (0, 0) ltac:(cbn; tauto)) as W. cbn in W. lia. Qed.

Lemma late_kept : kept both late_run (fun _ => 1).
Proof. apply kept_ok. vm_compute. reflexivity. Qed.

(** It ends at 9; the bounds are 11, 12 and 12, and 2 for V. *)
Theorem late_ends x : In x (keys both) -> finish both late_run x <= 13 /\
  finish both late_run x <= 14.
Proof.
  intros H. split.
  - apply (code_elb_shown_outside _ _ _ _ _ _ _ _ elb_11 still 2 late_run late_outside x H),
      still_few.
  - apply (code_sib_shown_outside _ _ _ _ _ _ _ sib_12 still 2 late_run 0);
      [reflexivity|exact late_outside|exact late_kept|exact H|apply still_few].
Qed.

Theorem late_ends_fib x : In x (keys both) -> finish both late_run x <= 14.
Proof.
  intros H. apply (code_fib_sections_shown_outside _ _ _ _ _ _ _ _ _ fib_12 still 2 late_run 0);
    [reflexivity|exact late_outside|exact late_kept|exact H|apply still_few].
Qed.
Example late_end : finish both late_run (0, 2) = 9.
Proof. reflexivity. Qed.

(** What warp 0 holds in section 0, a load on unit 1, follows its path, of 5 cycles. *)
Lemma own_paths : iso_cert small both 0 0 (table own) (table own) (fun x _ => table own x) 5.
Proof. split; try solve [each_case]. Qed.
Example load_follows : table own (0, 0) + sum (hold_of both 0) [(0, 0)] <= 5.
Proof.
  apply (pipe_path small both (piped (tables own)) 0 0 _ _ _ 5 own_paths) with
    (l0 := []) (x := (0, 0)); [|reflexivity].
  intros o i k j Ho Hk L. cbn in Ho, Hk. exfalso. intuition (try congruence);
    repeat match goal with E : (_, _) = (_, _) |- _ => inversion E; clear E; subst end; lia.
Qed.
