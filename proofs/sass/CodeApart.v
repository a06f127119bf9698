(** * Theorem 7 of docs/machine-code-bounds.md where each SM has its own V

    Of an SM alone ([only]) the rules of CodeLedger.v hold, if the other thread blocks are taken to
    have ended before the first cycle, on another SM.  Without its V it keeps a ledger
    (CodeBeside.v); kernel/Apart.v says what follows for the kernel: K-SM with |V| added, K-AREA and
    K-BAL with twice that.

    Cycles of V that no SM counts, as those in which DRAM serves, can be left out by the run
    ([skip]): they count once.  So it is with the two kinds of src/bound/method/beside.c,
    translations of an SM and sectors of the GPU. *)

From Warpbound Require Import Base Cycles Largest Formulas Ledger GridLedger OneSm Dynamic Area
  Balance Held Apart CodeMachine CodeEnough CodeElb CodeOutside CodeLedger CodeBeside.

(** A schedule of no instructions. *)
Definition idle_sched : schedule := Schedule (fun _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => 0)
  (fun _ => 0) (fun _ _ => 0) (fun _ _ => 0) (fun _ _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => 0)
  (fun _ => 0) (fun _ _ => 0).

Lemma no_stage x i u : ~ at_stage [] x i u.
Proof. intros [H _]. exact H. Qed.

Ltac nothing := intros; try match goal with
  | H : In _ (keys []) |- _ => destruct H
  | H : at_stage [] _ _ _ |- _ => destruct (no_stage _ _ _ H)
  end.

Lemma idle_outside off m : outside off m [] idle_sched.
Proof. split; nothing; cbn; lia. Qed.

Lemma idle_wf m : CodeMachine.wf m [].
Proof. split; nothing; destruct H as [_ [x [i [H _]]]]; destruct (no_stage _ _ _ H). Qed.

Lemma idle_lam m b lP lI lD lR : lam_cert m b lP lI lD lR -> lam_cert m [] lP lI lD lR.
Proof. intros H. split; nothing. apply (l_older _ _ _ _ _ _ H). Qed.

Section Sms.
  Variables (off : nat -> nat -> bool) (size : nat).
  Hypothesis Finite : forall i N, cnt (off i) N <= size.
  Variables (M R delta service n : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).

  (** G1 to G3, in all cycles; SM [i] keeps M1 to M7 outside of its V. *)
  Record apart_run : Prop := {
    p_machine : forall i, i < M -> CodeMachine.wf (mach i) (prog i) /\
    outside (off i) (mach i) (prog i) (sched i);
    p_dispatched : dispatched X M R delta;
    p_whose : forall i x, i < M -> In x (keys (prog i)) -> group (mach i) (fst x) < count X /\
    sm X (group (mach i) (fst x)) = i;
    p_start : forall b, b < count X -> start X b = rel (sched (sm X b)) b 0;
    p_over : forall i x, i < M -> In x (keys (prog i)) -> finish (prog i) (sched i) x
      <= fin X (group (mach i) (fst x));
    p_end : forall b, b < count X -> fin X b = start X b \/
      exists x, In x (keys (prog (sm X b))) /\ group (mach (sm X b)) (fst x) = b /\
      fin X b = finish (prog (sm X b)) (sched (sm X b)) x }.
  Hypothesis Run : apart_run.

  (** ** SM [i] alone *)
  Definition elsewhere (i : nat) : nat := if i =? 0 then 1 else 0.
  Definition here (i b : nat) : bool := sm X b =? i.
  Definition only_prog (i j : nat) : block := if j =? i then prog i else [].
  Definition only_sched (i j : nat) : schedule := if j =? i then sched i else idle_sched.
  Definition only_times (i : nat) (wt : nat -> nat -> nat) : run :=
    let of (f : nat -> nat) b := if here i b then f b else 0 in
    Ledger.Run (count X) (fun b => if here i b then i else elsewhere i) (of (room X))
      (fun b => if here i b then count X + ord X b else b)
      (of (disp X)) (of (start X)) (of (fin X)) (skip X) wt.
  Definition only (i : nat) : run :=
    only_times i (code_pays mach (only_prog i) (only_sched i) (only_times i (fun _ _ => 0))).

  Lemma here_eq i b : here i b = true <-> sm X b = i.
  Proof. apply Nat.eqb_eq. Qed.

  Lemma elsewhere_apart i : elsewhere i <> i.
  Proof. unfold elsewhere. destruct (Nat.eqb_spec i 0); lia. Qed.

  Lemma only_same i b c : here i b = true -> same (only i) c b = same X c b.
  Proof.
    intros Hb. unfold same. cbn [sm room only only_times]. rewrite Hb. apply here_eq in Hb.
    destruct (here i c) eqn:Hc.
    - apply here_eq in Hc. rewrite Hb, Hc. reflexivity.
    - assert (sm X c <> sm X b) as N by (intros E; rewrite Hb in E; apply here_eq in E; congruence).
      rewrite (proj2 (Nat.eqb_neq _ _) N), (proj2 (Nat.eqb_neq _ _) (elsewhere_apart i)).
      reflexivity.
  Qed.

  Lemma only_first i b : here i b = true -> first (only i) b = first X b.
  Proof.
    intros Hb. unfold first. f_equal. change (all (only i)) with (all X). generalize (all X).
    intros k. induction k as [|c k IH]; [reflexivity|]. cbn [existsb].
    rewrite IH, (only_same i b c Hb). f_equal. destruct (same X c b) eqn:S; [|reflexivity].
    assert (here i c = true) as Hc.
    { apply here_eq in Hb. apply here_eq. unfold same in S. apply andb_prop in S as [S _].
      apply Nat.eqb_eq in S. congruence. }
    cbn [ord only only_times]. rewrite Hb, Hc. cbn [andb].
    destruct (Nat.ltb_spec (count X + ord X c) (count X + ord X b)),
      (Nat.ltb_spec (ord X c) (ord X b)); reflexivity || lia.
  Qed.

  Lemma only_dispatched i : i < M -> dispatched (only i) M R delta.
  Proof.
    intros Hi. destruct (p_dispatched Run) as [D1 D2 D3 D4 D5 D6 D7 D8].
    assert (forall b, here i b = false -> b < count X -> elsewhere i < M) as Other.
    { intros b Hb Lb. pose proof (D1 b Lb). unfold elsewhere, here in *.
      apply Nat.eqb_neq in Hb. destruct (Nat.eqb_spec i 0); lia. }
    split; cbn [count sm room ord disp start fin only only_times].
    - intros b Hb. destruct (here i b) eqn:E; [exact Hi|apply (Other b E Hb)].
    - intros b Hb. pose proof (D2 b Hb). destruct (here i b); lia.
    - intros b c Hb Hc. destruct (here i b), (here i c); try lia. intros E. apply D3; auto. lia.
    - intros b Hb. destruct (here i b); [apply D4, Hb|lia].
    - intros b c Hb Hc Ho. destruct (here i b), (here i c); try lia. apply D5; auto. lia.
    - intros b c Hb Hc S Ho. destruct (here i c) eqn:Ec.
      + rewrite (only_same i c b Ec) in S. assert (here i b = true) as Eb.
        { apply here_eq in Ec. apply here_eq. unfold same in S. apply andb_prop in S as [S _].
          apply Nat.eqb_eq in S. congruence. }
        rewrite Eb in *. apply D6; auto. lia.
      + destruct (here i b) eqn:Eb; [|lia]. unfold same in S. cbn [sm only only_times] in S.
        rewrite Eb, Ec in S. apply andb_prop in S as [S _]. apply Nat.eqb_eq in S.
        pose proof (elsewhere_apart i). congruence.
    - intros N b Hb. destruct (here i b) eqn:E.
      + unfold delay. rewrite (only_first i b E). etransitivity; [|apply (D7 N b Hb)].
        apply cycles_le. intros t _ H. unfold passing in *. cbn [disp start only only_times] in H.
        rewrite E in H. exact H.
      + rewrite cycles_none; [lia|]. intros t _. unfold passing. cbn [disp start only only_times].
        rewrite E. apply andb_false_iff. right. destruct t; apply andb_false_r || reflexivity.
    - intros b t q Hb C Ht Hq. destruct (here i b) eqn:E; [|lia].
      destruct (D8 b t q Hb C Ht Hq) as [c [C1 [C2 [C3 C4]]]].
      assert (here i c = true) as Ec by (apply here_eq in E; apply here_eq; congruence).
      exists c. unfold Ledger.holds in *. cbn [disp fin only only_times]. rewrite Ec. auto.
  Qed.

  Lemma only_code i : i < M ->
    code_run M R delta mach (only_prog i) (only_sched i) (only i) (outside (off i)).
  Proof.
    intros Hi. destruct Run as [C1 _ C4 C5 C6 C7]. split.
    - intros j Hj. unfold only_prog, only_sched. destruct (Nat.eqb_spec j i) as [->|].
      + apply C1, Hi.
      + split; [apply idle_wf|apply idle_outside].
    - reflexivity.
    - apply only_dispatched, Hi.
    - intros j x Hj. unfold only_prog. destruct (Nat.eqb_spec j i) as [->|]; [|intros []].
      intros Hx. destruct (C4 i x Hi Hx) as [H1 H2]. split; [exact H1|].
      cbn [sm only only_times]. rewrite (proj2 (here_eq i _) H2). reflexivity.
    - intros b Hb. cbn [start sm only only_times]. unfold only_sched.
      destruct (here i b) eqn:E.
      + rewrite Nat.eqb_refl. apply here_eq in E. rewrite (C5 b Hb), E. reflexivity.
      + rewrite (proj2 (Nat.eqb_neq _ _) (elsewhere_apart i)). reflexivity.
    - intros j x Hj. unfold only_prog, only_sched.
      destruct (Nat.eqb_spec j i) as [->|]; [|intros []].
      intros Hx. cbn [fin only only_times]. rewrite (proj2 (here_eq i _) (proj2 (C4 i x Hi Hx))).
      apply C6; assumption.
    - intros b Hb. cbn [fin start sm only only_times]. unfold only_prog, only_sched.
      destruct (here i b) eqn:E; [|auto]. rewrite Nat.eqb_refl. apply here_eq in E.
      rewrite <- E. apply C7, Hb.
  Qed.

  Lemma only_amounts i kd lP lI lD lR : i < M ->
    code_amounts M mach prog (count X) (sm X) kd lP lI lD lR ->
    code_amounts M mach (only_prog i) (count (only i)) (sm (only i)) kd lP lI lD lR.
  Proof.
    intros Hi [HL HE Hlam HA]. split.
    - intros j Hj. unfold only_prog. destruct (Nat.eqb_spec j i) as [->|]; [apply HL, Hi|].
      apply (idle_lam _ (prog j)), HL, Hj.
    - intros b Hb. cbn [sm only only_times]. unfold only_prog. destruct (here i b) eqn:E.
      + rewrite Nat.eqb_refl. apply here_eq in E. rewrite <- E. apply HE, Hb.
      + rewrite (proj2 (Nat.eqb_neq _ _) (elsewhere_apart i)). cbn. lia.
    - intros j x Hj. unfold only_prog. destruct (Nat.eqb_spec j i) as [->|]; [|intros []].
      intros Hx. apply Hlam; assumption.
    - exact HA.
  Qed.

  (** SM [i] alone, in the cycles outside of its V *)
  Definition own (i : nat) : run :=
    drawn_run (off i) size (Finite i) mach (only_prog i) (only_sched i) (only i).

  (** E, lam, alpha and solo, as in CodeLedger.v *)
  Notation whose i x := (group (mach i) (fst x)).
  Variables (kd : nat -> Formulas.kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b)
    \/ forall N, alone (own (sm X b)) b ->
         cycles N (fun t => counted (own (sm X b)) t && stays (own (sm X b)) b t) <= kS (kd b).
  (** What the run leaves out, and what SMs leave out besides *)
  Hypothesis Skips : forall N, cycles N (skip X) <= service.
  Hypothesis Few : forall i N, i < M -> cycles N (fun t => counted X t && off i t) <= n.
  Notation kinds := (map kd (all X)).

  Lemma own_ledger i : i < M -> ledger (own i) M R delta kd.
  Proof.
    intros Hi.
    apply (outside_ledger (off i) size (Finite i) M R delta mach (only_prog i) (only_sched i)
      (only i) (only_code i Hi) kd lP lI lD lR (only_amounts i kd lP lI lD lR Hi HK)).
    - intros b Hb. destruct (here i b) eqn:E.
      + destruct (HS b Hb) as [H|H]; [left; exact H|right].
        replace (sm X b) with i in H by (symmetry; apply here_eq, E). exact H.
      + right. intros N _. rewrite cycles_none; [lia|]. intros t _. unfold stays.
        cbn [start fin drawn_run drawn_times only only_times]. rewrite E. apply andb_false_iff.
        right. apply andb_false_r.
  Qed.

  Lemma kernel_apart_runs : apart X M R delta n kd own (fun i => on (off i)).
  Proof.
    destruct (p_dispatched Run) as [D1 D2 D3 D4 D5 D6 D7 D8]. split.
    - exact D1.
    - intros b Hb. pose proof (D4 b Hb). lia.
    - exact own_ledger.
    - reflexivity.
    - intros i _. apply filter_ext. intros b. cbn [sm own drawn_run drawn_times only only_times].
      fold (here i b). destruct (here i b) eqn:E; [apply Nat.eqb_refl|].
      apply Nat.eqb_neq, elsewhere_apart.
    - intros i b _ Hb. apply in_on_sm in Hb as [_ Hb]. apply here_eq in Hb.
      split; [cbn; rewrite Hb; reflexivity|]. split; [exact (only_first i b Hb)|].
      cbn. rewrite Hb. auto.
    - intros i. apply on_mono.
    - reflexivity.
    - intros i x y Hi Hxy. set (p := fun t => counted X t).
      assert (forall K, cycles (on (off i) K) (counted (own i))
        + cycles K (fun t => p t && off i t) = cycles K p) as Split.
      { intros K. rewrite !cycles_cnt. unfold p. induction K as [|K IH]; [reflexivity|].
        rewrite on_step. cbn [cnt]. destruct (off i K) eqn:E.
        - rewrite Nat.add_0_r, andb_true_r. lia.
        - rewrite Nat.add_1_r, andb_false_r. cbn [cnt].
          replace (counted (own i) (on (off i) K)) with (counted X K); [lia|].
          unfold counted. cbn [skip own drawn_run drawn_times only only_times].
          rewrite (on_cycle (off i) size (Finite i) K E). reflexivity. }
      pose proof (Few i y Hi : cycles y (fun t => p t && off i t) <= n). pose proof (Split x).
      pose proof (Split y). lia.
    - intros i c x _ C Hk. destruct (cycle_on (off i) size (Finite i) c) as [Ho Ek].
      exists (cycle (off i) size (Finite i) c). split; [|split; [exact C|]].
      + apply (on_yet (off i) _ _ Ho). rewrite Ek. exact Hk.
      + intros b Hb Hh. apply in_on_sm in Hb as [_ Hb]. apply here_eq in Hb.
        unfold Ledger.holds in *. cbn [disp fin own drawn_run drawn_times only only_times].
        rewrite Hb. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in *. rewrite <- Ek.
        apply (drawn_in (off i) _ Ho), Hh.
  Qed.

  (** *** K-SM with V, static dispatch, *)
  Theorem k_sm_static_apart b : b < count X ->
    fin X b <= static_time X R delta kd (sm X b) + service + n.
  Proof.
    intros Hb. pose proof (held_up X service Skips b _
      (static_apart X M R delta n kd own _ kernel_apart_runs b Hb)). lia.
  Qed.

  (** *** K-SM with V, K-AREA and K-BAL with twice V, *)
  Theorem kernel_apart b : dynamic X M R -> M * R < count X -> b < count X ->
    fin X b <= h R delta (count X - (M - 1) * R) kinds + service + n
    /\ fin X b <= k_area M R delta kinds + service + 2 * n
    /\ fin X b <= k_bal M R delta kinds + service + 2 * n.
  Proof.
    intros D W Hb. pose proof kernel_apart_runs as A.
    pose proof (held_up X service Skips b _ (k_sm_apart X M R delta n kd own _ A D W b Hb)).
    pose proof (held_up X service Skips b _ (k_area_apart X M R delta n kd own _ A D W b Hb)).
    pose proof (held_up X service Skips b _ (k_bal_apart X M R delta n kd own _ A D W b Hb)). lia.
  Qed.

  (** *** and one wave. *)
  Theorem one_wave_apart q b : (forall c, c < count X -> first X c = true) -> q <= R ->
    (forall i, length (on_sm X i) <= q) -> b < count X ->
    fin X b <= together q kinds + service + n.
  Proof.
    intros New Rk Small Hb. pose proof (held_up X service Skips b _
      (Apart.one_wave_apart X M R delta n kd own _ kernel_apart_runs q b New Small Rk Hb)). lia.
  Qed.
End Sms.
