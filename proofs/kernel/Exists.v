(** * A grid that fits at once has an execution: docs/proofs.md, sections 1 and 12

    Its thread blocks are dealt round-robin (G4), each starts when the dispatcher has served it, and
    its SM runs it to its end (block/Issued.v), under every arbiter and for all actual times. *)

From Warpbound Require Import Base Cycles Model Prefix Run Progress Issued Grid.
From Warpbound Require Instances.

Section AtOnce.
  Variable G : grid.
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis Fits : blocks G <= sms G * slots G.
  Hypothesis Dealt : forall i x, i < sms G -> In x (keys (prog G i)) ->
    whose G i x < blocks G /\ whose G i x mod sms G = i.
  (** Of each SM the arbiter, and the times that the surroundings decide *)
  Variables (order : nat -> schedule -> nat -> list key) (times : nat -> schedule).
  Hypothesis Fair : forall i, i < sms G -> fair (prog G i) (order i).
  Hypothesis Times : forall i, i < sms G -> times_ok (mach G i) (prog G i) (times i).
  Hypothesis Starts : forall i b, begin (times i) b = service G * S b.

  (** What each SM does. *)
  Definition ran (i : nat) : schedule :=
    run (mach G i) (prog G i) (order i) (times i) (long_enough (mach G i) (prog G i) (times i)).
  (** When the instructions of thread block [b] are complete. *)
  Definition completions (b : nat) : list nat := let i := b mod sms G in
    map (C (ran i)) (filter (fun x => whose G i x =? b) (keys (prog G i))).
  (** The execution. *)
  Definition at_once : execution := Execution ran (fun b => b mod sms G) (fun b => b / sms G)
    (fun b => b) (fun b => service G * b) (fun _ => service G)
    (fun b => max (service G * S b) (list_max (completions b))).

  Lemma some_sm b : b < blocks G -> sms G <> 0.
  Proof. intros Hb E. rewrite E in Fits. cbn in Fits. lia. Qed.

  Lemma starts_at b : b < blocks G -> started at_once b = service G * b + service G.
  Proof.
    intros Hb. unfold started. cbn [sched sm_of at_once].
    pose proof (Nat.mod_upper_bound b (sms G) (some_sm b Hb)) as Hi.
    unfold ran. rewrite run_begin by (auto; apply Mok, Hi). rewrite Starts. apply Nat.mul_succ_r.
  Qed.

  Lemma slot_is_new b c : b < blocks G -> ~ before G at_once c b.
  Proof.
    intros Hb [_ [M [D L]]]. cbn [sm_of slot_of place at_once] in *.
    pose proof (some_sm b Hb) as S. pose proof (Nat.div_mod b (sms G) S).
    pose proof (Nat.div_mod c (sms G) S). rewrite M, D in *. lia.
  Qed.

  Lemma never_idle b t : b < blocks G -> t < service G * b -> at_work G at_once t = true.
  Proof.
    intros Hb Ht. assert (service G <> 0) as S by lia. apply existsb_exists.
    exists (t / service G). pose proof (Nat.div_lt_upper_bound t _ b S Ht).
    pose proof (Nat.mul_div_le t _ S). pose proof (Nat.mul_succ_div_gt t _ S) as Gt.
    rewrite Nat.mul_succ_r in Gt. split; [apply in_seq; lia|]. apply andb_true_intro.
    split; [apply Nat.leb_le|apply Nat.ltb_lt]; cbn; lia.
  Qed.

  (** *** It keeps all rules. *)
  Theorem at_once_valid : grid_valid G at_once /\ goes_anywhere G at_once /\ dealt G at_once.
  Proof.
    split; [|split].
    - constructor; cbn [sched sm_of slot_of place taken serviced ended at_once].
      + intros i Hi. destruct (Mok i Hi). apply run_valid; auto.
      + exact Dealt.
      + intros b Hb. pose proof (some_sm b Hb) as S. split; [apply Nat.mod_upper_bound, S|].
        apply Nat.div_lt_upper_bound; [exact S|lia].
      + auto.
      + intros i x Hi Hx. destruct (Dealt i x Hi Hx) as [_ E]. etransitivity; [|apply Nat.le_max_r].
        unfold completions. rewrite E. apply list_max_ge, in_map, filter_In.
        split; [exact Hx|apply Nat.eqb_refl].
      + intros b Hb. rewrite (starts_at b Hb), <- Nat.mul_succ_r. split; [apply Nat.le_max_l|].
        destruct (le_lt_dec (list_max (completions b)) (service G * S b)) as [L|L];
          [left; apply Nat.max_l, L|right]. rewrite Nat.max_r by lia.
        pose proof (list_max_in (completions b)) as H. unfold completions in *.
        specialize (H ltac:(intros E; rewrite E in L; cbn in L; lia)).
        apply in_map_iff in H as [x [E H]]. apply filter_In in H as [Hx W]. exists x.
        split; [exact Hx|]. split; [apply Nat.eqb_eq, W|symmetry; exact E].
      + intros b c Hb B. destruct (slot_is_new b c Hb B).
      + intros b c _ _ L. apply Nat.mul_le_mono_l. lia.
      + auto.
      + intros b Hb. rewrite (starts_at b Hb). lia.
      + intros b Hb _. apply starts_at, Hb.
      + intros _ b c Hb B. destruct (slot_is_new b c Hb B).
      + intros b t q Hb A Ht. rewrite (never_idle b t Hb Ht) in A. discriminate.
    - intros b t i q Hb A Ht. rewrite (never_idle b t Hb Ht) in A. discriminate.
    - split; [intros b c Hb; apply slot_is_new, Hb|]. intros i. cbn [sm_of at_once].
      rewrite <- (map_length (fun b => b / sms G)).
      rewrite <- (seq_length ((blocks G + sms G - 1) / sms G) 0).
      apply NoDup_incl_length.
      + apply Instances.nodup_map; [apply NoDup_filter, seq_NoDup|]. intros b c Hb Hc E.
        apply filter_In in Hb as [Hb Mb], Hc as [Hc Mc]. apply in_seq in Hb.
        apply Nat.eqb_eq in Mb, Mc.
        pose proof (some_sm b ltac:(lia)) as S. pose proof (Nat.div_mod b (sms G) S).
        pose proof (Nat.div_mod c (sms G) S). rewrite Mb, E in *. lia.
      + intros q Hq. apply in_map_iff in Hq as [b [<- Hb]]. apply filter_In in Hb as [Hb _].
        apply in_seq in Hb. pose proof (some_sm b ltac:(lia)) as S. apply in_seq. split; [lia|].
        apply Nat.div_le_lower_bound; [exact S|]. rewrite Nat.mul_succ_r.
        pose proof (Nat.mul_div_le b (sms G) S). lia.
  Qed.
End AtOnce.
