(** * Kernels of machine code: docs/machine-code-bounds.md, section 7, by E and lam

    SMs of CodeMachine.v take thread blocks by the rules G1 to G3 of docs/proofs.md, section 12.
    They keep the ledger of kernel/Ledger.v with E = the sum of [work], lam of the thread block's
    own instructions, alpha = E + lam, and solo = E + lam or what else is proven.  So K-SM, K-AREA
    and K-BAL hold of machine code, as of any ledger. *)

From Warpbound Require Import Base CodeMachine CodeEnough CodeLate CodeReady CodeElb CodeOwn Cycles
  Largest Share Formulas Ledger GridLedger OneSm Dynamic Area Balance Held.

(** G1 to G3 of a run, as Ledger.v has them: where thread blocks go and when, not what they do
    there. *)
Record dispatched (r : run) (M R delta : nat) : Prop := {
  d_sm : forall b, b < count r -> sm r b < M;
  d_room : forall b, b < count r -> room r b < R;
  d_ord : forall b c, b < count r -> c < count r -> ord r b = ord r c -> b = c;
  d_disp : forall b, b < count r -> disp r b <= start r b <= fin r b;
  d_later : forall b c, b < count r -> c < count r -> ord r b < ord r c -> disp r b <= disp r c;
  d_slot : forall b c, b < count r -> c < count r -> same r b c = true -> ord r b < ord r c ->
  fin r b <= disp r c;
  d_delay : forall N b, b < count r -> cycles N (fun t => counted r t && passing r b t)
    <= delay r delta b;
  d_taken : forall b t q, b < count r -> counted r t = true -> t < disp r b -> q < R ->
    exists c, c < count r /\ sm r c = sm r b /\ room r c = q /\ holds r c t = true }.

(** E, lam and alpha of thread blocks: [kd b] is no less than the sum of [work] of its instructions,
    and the latency paths to their ends, by a certificate of each SM. *)
Record code_amounts (M : nat) (mach : nat -> machine) (prog : nat -> block) (blocks : nat)
    (place : nat -> nat) (kd : nat -> Formulas.kind) (lP lI : nat -> key -> nat)
    (lD : nat -> key -> nat -> nat) (lR : nat -> nat -> nat -> nat) : Prop := {
  a_lam : forall i, i < M -> lam_cert (mach i) (prog i) (lP i) (lI i) (lD i) (lR i);
  a_work : forall b, b < blocks -> sum (fun x => if group (mach (place b)) (fst x) =? b
    then CodeElb.work (prog (place b)) x else 0) (keys (prog (place b))) <= kE (kd b);
  a_path : forall i x, i < M -> In x (keys (prog i)) ->
    lE (prog i) (lI i) (lD i) x + max (write (get (prog i) x)) (read (get (prog i) x))
      <= kL (kd (group (mach i) (fst x)));
  a_alpha : forall b, b < blocks -> kE (kd b) + kL (kd b) <= kA (kd b) }.

Section CodeLedger.
  Variables (M R delta : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Notation whose i x := (group (mach i) (fst x)).

  (** What thread block [b] pays: its instructions that CodeElb.v charges cycle [t] to, until it has
      ended. *)
  Definition code_pays (b t : nat) : nat :=
    let i := sm X b in
    if t <? fin X b then length (filter (fun x => (whose i x =? b)
      && charged (prog i) (sched i) x t) (keys (prog i))) else 0.

  (** [X] says which thread block goes where and when; what is paid is as above.  SMs keep some
      rules: M1 to M7, [valid]; enough of them, [lawful]; or those of CodeOutside.v. *)
  Record code_run (rules : machine -> block -> schedule -> Prop) : Prop := {
    c_machine : forall i, i < M -> CodeMachine.wf (mach i) (prog i) /\
    rules (mach i) (prog i) (sched i);
    c_pays : forall b t, wt X b t = code_pays b t;
    c_dispatched : dispatched X M R delta;
    c_whose : forall i x, i < M -> In x (keys (prog i)) -> whose i x < count X /\
    sm X (whose i x) = i;
    (* its warps can be chosen from its start on; it has ended when all its instructions are over *)
    c_start : forall b, b < count X -> start X b = rel (sched (sm X b)) b 0;
    c_over : forall i x, i < M -> In x (keys (prog i)) -> finish (prog i) (sched i) x
      <= fin X (whose i x);
    c_end : forall b, b < count X -> fin X b = start X b \/
      exists x, In x (keys (prog (sm X b))) /\ whose (sm X b) x = b /\
      fin X b = finish (prog (sm X b)) (sched (sm X b)) x }.
  Hypothesis V : code_run lawful.

  Variables (kd : nat -> kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  (** solo: E + lam, or whatever is proven of a thread block that has its SM to itself. *)
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b)
    \/ forall N, alone X b -> cycles N (fun t => counted X t && stays X b t) <= kS (kd b).

  Section Block.
    Variable b : nat.
    Hypothesis Hb : b < count X.
    Notation i := (sm X b).
    Notation p := (prog i).
    Notation s := (sched i).

    Lemma on_an_sm : i < M.
    Proof. apply (d_sm _ _ _ _ (c_dispatched _ V) b Hb). Qed.
    Let WF : CodeMachine.wf (mach i) p := proj1 (c_machine _ V i on_an_sm).
    Let Lawful : lawful (mach i) p s := proj2 (c_machine _ V i on_an_sm).

    Lemma not_before x t : In x (keys p) -> charged p s x t = true -> rel s (whose i x) 0 <= t.
    Proof.
      intros Hx H. destruct Lawful as [J [enters OK]]. destruct x as [w k].
      assert (rel s (group (mach i) w) 0 <= P s (w, k)) as HP.
      { etransitivity; [|apply (e_opened _ _ _ _ _ OK (w, k) Hx)]. cbn [fst].
        induction (sec (get p (w, k))) as [|q IH]; [apply le_n|].
        etransitivity; [exact IH|apply (e_releases _ _ _ _ _ OK)]. }
      pose proof (issue_order (mach i) p s OK _ Hx) as O. cbn [fst].
      unfold charged in H. apply orb_true_iff in H as [H|H].
      - apply uses_iff in H as [j [Hj H]]. apply holds_iff in H as [_ H].
        pose proof (room_before_stage (mach i) p s OK (w, k) j Hx Hj). lia.
      - apply andb_prop in H as [_ H].
        rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in H. lia.
    Qed.

    Lemma paid x t : In x (keys p) -> charged p s x t = true -> t < fin X (whose i x) ->
      busy X i t = true.
    Proof.
      intros Hx H Ht. destruct (c_whose _ V i x on_an_sm Hx) as [W1 W2]. apply existsb_exists.
      exists (whose i x).
      split; [unfold on_sm, all; rewrite filter_In, in_seq, Nat.eqb_eq; split; [lia|exact W2]|].
      apply negb_true_iff, Nat.eqb_neq. rewrite (c_pays _ V). unfold code_pays.
      rewrite W2, (proj2 (Nat.ltb_lt _ _) Ht).
      assert (In x (filter (fun y => (whose i y =? whose i x) && charged p s y t) (keys p))) as F
        by (apply filter_In; rewrite Nat.eqb_refl, H; auto).
      destruct (filter _ _); [easy|discriminate].
    Qed.

    (** Who holds something is still there. *)
    Lemma held_paid x t : In x (keys p) -> uses_unit p s x t = true \/ issues s x t = true ->
      busy X i t = true.
    Proof.
      intros Hx H. destruct Lawful as [J [enters OK]].
      pose proof (fun y Hy => c_over _ V i y on_an_sm Hy) as Over.
      assert (forall y, In y (keys p) -> uses_unit p s y t = true -> busy X i t = true) as Unit.
      { intros y Hy U. apply (paid y t Hy); [unfold charged; rewrite U; reflexivity|].
        eapply Nat.lt_le_trans; [|apply Over, Hy]. apply uses_iff in U as [j [Hj U]].
        apply holds_iff in U as [_ U]. pose proof (hold_end (mach i) p s OK y j Hy Hj).
        unfold finish. lia. }
      destruct H as [H|H]; [apply (Unit x Hx H)|]. destruct (some_unit p s t) eqn:S.
      - apply existsb_exists in S as [y [Hy S]]. apply (Unit y Hy S).
      - apply (paid x t Hx).
        + unfold charged, window. rewrite S. cbn [negb andb]. apply orb_true_iff. right.
          rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt. apply issues_iff in H.
          lia.
        + eapply Nat.lt_le_trans; [|apply Over, Hx]. unfold finish. apply issues_iff in H.
          pose proof (e_probe _ _ _ _ _ OK x Hx). pose proof (e_slot _ _ _ _ _ OK x Hx).
          pose proof (issue_order (mach i) p s OK x Hx). pose proof (e_issue _ _ _ _ _ OK x Hx).
          lia.
    Qed.

    Lemma stays_iff t : stays X b t = true <-> start X b <= t < fin X b.
    Proof. unfold stays. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. tauto. Qed.

    (** Lemma 1 of section 7. *)
    Lemma stays_idle N : cycles N (fun t => counted X t && stays X b t && negb (busy X i t))
      <= kL (kd b).
    Proof.
      destruct Lawful as [J [enters OK]]. destruct (c_end _ V b Hb) as [He|[x [Hx [Hg He]]]].
      { rewrite cycles_none; [lia|]. intros t _. apply andb_false_iff. left. apply andb_false_iff.
        right. apply not_true_iff_false. rewrite stays_iff. lia. }
      set (cov := fun t => negb (stays X b t && negb (busy X i t))).
      pose proof (c_start _ V b Hb) as St. assert (forall t, busy X i t = true -> cov t = true)
        as Busy by (intros t H; unfold cov; rewrite H, andb_false_r; reflexivity).
      assert (forall t, ~ start X b <= t < fin X b -> cov t = true) as Away.
      { intros t H. unfold cov. apply negb_true_iff, andb_false_iff. left. apply not_true_iff_false.
        rewrite stays_iff. exact H. }
      assert (finish p s x + cnt cov (start X b) <= start X b + kL (kd b) + cnt cov (finish p s x))
        as F.
      { pose proof (begun (mach i) p s WF OK x Hx) as Bg. rewrite Hg, <- St in Bg.
        pose proof (a_path _ _ _ _ _ _ _ _ _ _ HK i x on_an_sm Hx) as Hk. rewrite Hg in Hk.
        assert (forall y t, In y (keys p) -> group (mach i) (fst y) = whose i x -> CodeMachine.L s y
          <= t < CodeMachine.L s y + chold p y -> cov t = true) as Own.
        { intros y t Hy Gy H. destruct (le_lt_dec (fin X b) t) as [L|L]; [apply Away; lia|].
          apply Busy. destruct (some_unit p s t) eqn:S.
          - apply existsb_exists in S as [z [Hz S]]. apply (held_paid z t Hz). left. exact S.
          - apply (paid y t Hy); [|rewrite Gy, Hg; exact L]. unfold charged, window. rewrite S.
            cbn [negb andb]. apply orb_true_iff. right.
            rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt. lia. }
        pose proof (finish_late (mach i) p s WF _ _ OK (whose i x) cov (fun y t Hy H =>
          Busy t (held_paid y t Hy H)) Own (lP i) (lI i) (lD i) (lR i) (a_lam _ _ _ _ _ _ _ _ _ _
            HK i on_an_sm) x Hx eq_refl
          (finish p s x)) as Lt. rewrite Hg, <- St in Lt. specialize (Lt Bg (le_n _)). lia. }
      rewrite <- He in F. assert (cycles N (fun t => counted X t && stays X b t
        && negb (busy X i t)) <= cnt (fun t => negb (cov t)) (fin X b)) as A.
      { rewrite <- cycles_cnt. etransitivity; [|apply (cycles_cut N)]. apply cycles_le.
        intros t _ Q. apply andb_prop in Q as [Q Q3]. apply andb_prop in Q as [_ Q2]. unfold cov.
        rewrite Q2, Q3. cbn [andb negb]. apply Nat.ltb_lt. apply stays_iff in Q2. lia. }
      pose proof (cnt_neg cov (fin X b)) as Ng.
      pose proof (cnt_all cov 0 (start X b) (Nat.le_0_l _) ltac:(intros t Ht; apply Away; lia))
        as St0. cbn [cnt] in St0. lia.
    Qed.

    Lemma pays_budget N : sum (wt X b) (seq 0 N) <= kE (kd b).
    Proof.
      transitivity (sum (fun t => sum (fun x => Nat.b2n ((whose i x =? b) && charged p s x t))
        (keys p)) (seq 0 N)).
      { apply sum_le. intros t _. rewrite (c_pays _ V). unfold code_pays.
        destruct (t <? fin X b); [rewrite length_sum|]; lia. }
      rewrite sum_swap. etransitivity; [|apply (a_work _ _ _ _ _ _ _ _ _ _ HK b Hb)].
      destruct Lawful as [J [enters OK]].
      apply sum_le. intros x Hx.
      destruct (whose i x =? b); cbn [andb]; [|rewrite sum_zero; [lia|reflexivity]].
      change (cycles N (charged p s x) <= CodeElb.work p x). rewrite cycles_cnt.
      apply (charge_work (mach i) p s WF OK x N Hx).
    Qed.

    Lemma pays_stays t : wt X b t <> 0 -> stays X b t = true.
    Proof.
      rewrite (c_pays _ V). unfold code_pays. destruct (Nat.ltb_spec t (fin X b)) as [L|L]; [|easy].
      intros H. apply stays_iff. split; [|exact L]. destruct (filter _ _) as [|x k] eqn:F; [easy|].
      assert (In x (x :: k)) as Hx by (left; reflexivity). rewrite <- F in Hx.
      apply filter_In in Hx as [Hx C]. apply andb_prop in C as [G C]. apply Nat.eqb_eq in G.
      rewrite (c_start _ V b Hb). pose proof (not_before x t Hx C) as B. rewrite G in B. exact B.
    Qed.

    (** Cycles of its stay are idle, or some thread block pays for them. *)
    Lemma stays_paid N t0 : cycles N (fun t => counted X t && stays X b t && (t0 <=? t))
      <= kE (kd b) + kL (kd b) + sum (Ledger.work X N (fun t => stays X b t && (t0 <=? t)))
        (others X b).
    Proof.
      set (q := fun t => stays X b t && (t0 <=? t)). rewrite (cycles_split N _ (busy X i)).
      assert (cycles N (fun t => counted X t && stays X b t && (t0 <=? t) && negb (busy X i t))
        <= kL (kd b)) as A.
      { etransitivity; [|apply (stays_idle N)]. apply cycles_le. intros t _ Q.
        apply andb_prop in Q as [Q Q2]. apply andb_prop in Q as [Q1 _]. rewrite Q1, Q2.
        reflexivity. }
      assert (cycles N (fun t => counted X t && stays X b t && (t0 <=? t) && busy X i t)
        <= sum (Ledger.work X N q) (on_sm X i)) as P.
      { apply (cycles_sum N _ (fun t c => if q t then wt X c t else 0) (on_sm X i)). intros t _ Q.
        rewrite !andb_true_iff in Q. destruct Q as [[[_ Q1] Q2] Q3]. unfold q. rewrite Q1, Q2.
        cbn [andb]. apply existsb_exists in Q3 as [c [Hc Z]]. apply negb_true_iff, Nat.eqb_neq in Z.
        pose proof (sum_ge (fun c => wt X c t) c _ Hc). cbv beta in *. lia. }
      assert (sum (Ledger.work X N q) (on_sm X i)
        <= kE (kd b) + sum (Ledger.work X N q) (others X b)) as O; [|lia].
      assert (Ledger.work X N q b <= kE (kd b)) as Own.
      { etransitivity; [|apply (pays_budget N)]. apply sum_le. intros t _. destruct (q t); lia. }
      transitivity (sum (fun c => (if c =? b then Ledger.work X N q b else 0)
        + (if negb (c =? b) then Ledger.work X N q c else 0)) (on_sm X i)).
      { apply sum_le. intros c _. destruct (Nat.eqb_spec c b) as [->|]; cbn; lia. }
      rewrite sum_add. apply Nat.add_le_mono; [|unfold others; rewrite sum_filter; apply le_n].
      etransitivity; [|exact Own]. apply sum_once; [apply NoDup_filter, seq_NoDup| |].
      - intros c _. destruct (c =? b); lia.
      - intros c d _ _ H1 H2. destruct (Nat.eqb_spec c b), (Nat.eqb_spec d b); congruence.
    Qed.
  End Block.

  Lemma alone_paid b N : b < count X -> alone X b -> cycles N (fun t => counted X t && stays X b t)
    <= kE (kd b) + kL (kd b).
  Proof.
    intros Hb A.
    etransitivity; [apply (cycles_le N _ (fun t => counted X t && stays X b t && (0 <=? t)))|].
    { intros t _ H. rewrite H. reflexivity. }
    etransitivity; [apply (stays_paid b Hb N 0)|]. rewrite (sum_zero _ (others X b)); [lia|].
    intros c Hc. apply sum_zero. intros t _.
    destruct (stays X b t && (0 <=? t)) eqn:Q; [|reflexivity]. apply andb_prop in Q as [Q _].
    apply (stays_iff b) in Q. destruct (Nat.eq_dec (wt X c t) 0) as [|Z]; [assumption|exfalso].
    assert (fin X c <= start X b \/ fin X b <= start X c) as D by (apply A, Hc).
    apply filter_In in Hc as [Hc _]. apply filter_In in Hc as [Hc _]. apply in_seq in Hc.
    apply (pays_stays c ltac:(lia)), (stays_iff c) in Z. lia.
  Qed.

  (** *** Such SMs keep the ledger. *)
  Theorem code_ledger : ledger X M R delta kd.
  Proof.
    destruct (c_dispatched _ V) as [D1 D2 D3 D4 D5 D6 D7 D8]. constructor; auto.
    - intros b t Hb. apply pays_stays, Hb.
    - intros N b Hb. apply pays_budget, Hb.
    - intros N b Hb. apply stays_idle, Hb.
    - intros N t0 b Hb _ _. etransitivity; [apply stays_paid, Hb|].
    pose proof (a_alpha _ _ _ _ _ _ _ _ _ _ HK b Hb). lia.
    - intros N b Hb A. destruct (HS b Hb) as [S|S]; [|apply S, A].
      etransitivity; [apply alone_paid; assumption|exact S].
  Qed.

  (** Cycles that are not counted: those of the dispatcher, no more than this. *)
  Variable service : nat.
  Hypothesis Skips : forall N, cycles N (skip X) <= service.
  Notation kinds := (map kd (all X)).

  (** *** Static dispatch: K-SM of each SM *)
  Theorem code_k_sm_static b : b < count X -> fin X b <= static_time X R delta kd (sm X b)
    + service.
  Proof. apply (held_static X M R delta service kd code_ledger Skips). Qed.

  (** *** K-SM, K-AREA and K-BAL where blocks wait for slots, *)
  Theorem code_kernel b : dynamic X M R -> M * R < count X -> b < count X ->
    fin X b <= h R delta (count X - (M - 1) * R) kinds + service
    /\ fin X b <= k_area M R delta kinds + service /\ fin X b <= k_bal M R delta kinds + service.
  Proof. intros D W Hb. apply (held_dynamic X M R delta service kd code_ledger Skips D W b Hb). Qed.

  (** and of one wave: every SM gets at most [n] thread blocks, each a slot that is new. *)
  Theorem code_one_wave n b : (forall c, c < count X -> first X c = true) -> n <= R ->
    (forall i, length (on_sm X i) <= n) -> b < count X -> fin X b <= together n kinds + service.
  Proof.
    intros New Rn Few Hb. apply (held_up X service Skips).
    apply (k_sm_one_wave X M R delta kd code_ledger n New Few Rn b Hb).
  Qed.
End CodeLedger.
