(** * Loads that an L1 keeps: the V of thread blocks counts as their work

    "What caches fill once" of docs/machine-code-bounds.md, the third kind.  Each cycle of an SM's V
    is of one of its thread blocks, which is there: the stage of requests serves it.  Outside of V
    the SM keeps a ledger (CodeApart.v); in V that thread block pays.  So all bounds of kernels that
    rest on a ledger hold, with |V_b| added to E, alpha and solo of each. *)

From Warpbound Require Import Base Cycles Largest Formulas Ledger GridLedger Dynamic Held
  CodeMachine CodeElb CodeOutside CodeLedger CodeBeside CodeApart.

(** What is counted of the cycles that are left. *)
Lemma drawn_sum (off : nat -> bool) (f : nat -> nat) N :
  sum (fun t => if off t then 0 else f (on off t)) (seq 0 N) = sum f (seq 0 (on off N)).
Proof.
  induction N as [|N IH]; [reflexivity|]. rewrite seq_S, sum_app, IH, on_step. cbn [plus].
  destruct (off N) eqn:E.
  - rewrite Nat.add_0_r. unfold sum at 2. cbn [map list_sum fold_right]. rewrite E. lia.
  - rewrite (Nat.add_1_r (on off N)), seq_S, sum_app. unfold sum at 2 4.
    cbn [map list_sum fold_right plus]. rewrite E. reflexivity.
Qed.

Definition with_loads (k : Formulas.kind) (v : nat) : Formulas.kind :=
  Kind (kE k + v) (kL k) (kA k + v) (kS k + v).

Section Loads.
  Variables (off : nat -> nat -> bool) (M R delta : nat) (kd : nat -> Formulas.kind)
    (X : run) (own : nat -> run).
  Hypothesis D : dispatched X M R delta.
  (** Each SM keeps a ledger outside of its V. *)
  Hypothesis Lg : forall i, i < M -> ledger (own i) M R delta kd.
  Hypothesis Count : forall i, count (own i) = count X.
  Hypothesis Here : forall i, i < M -> on_sm (own i) i = on_sm X i.
  Hypothesis Place : forall b, b < count X -> let i := sm X b in sm (own i) b = i
    /\ start (own i) b = on (off i) (start X b) /\ fin (own i) b = on (off i) (fin X b).
  Hypothesis Same : forall i t, off i t = false ->
    counted (own i) (on (off i) t) = counted X t.
  (** [V b]: the cycles in which it serves [b] *)
  Variables (V : nat -> nat -> bool) (v : nat -> nat).
  Hypothesis Whose : forall i t, i < M -> off i t = true ->
    exists b, In b (on_sm X i) /\ V b t = true.
  Hypothesis There : forall b t, b < count X -> V b t = true -> stays X b t = true.
  Hypothesis Few : forall b N, b < count X -> cnt (V b) N <= v b.

  Definition served_pays (b t : nat) : nat :=
    let i := sm X b in if off i t then Nat.b2n (V b t) else wt (own i) b (on (off i) t).
  (** The run, in all cycles *)
  Definition served : run := Run (count X) (sm X) (room X) (ord X) (disp X) (start X) (fin X)
    (skip X) served_pays.

  Lemma drawn_stays b t : b < count X -> off (sm X b) t = false ->
    stays (own (sm X b)) b (on (off (sm X b)) t) = stays X b t.
  Proof.
    intros Hb Ho. destruct (Place b Hb) as [_ [S F]]. apply eq_true_iff_eq. unfold stays.
    rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt, S, F. apply (drawn_in (off (sm X b)) t Ho).
  Qed.

  (** Cycles of [p] by those in V and those outside, where [q] says the same of their numbers *)
  Lemma served_cycles i (p q : nat -> bool) N :
    (forall t, off i t = false -> p t = true -> q (on (off i) t) = true) ->
    cycles N p <= cycles N (fun t => p t && off i t) + cycles (on (off i) N) q.
  Proof.
    intros H. rewrite (cycles_split N p (off i)). apply Nat.add_le_mono_l. unfold cycles.
    rewrite <- (drawn_sum (off i) (fun k => Nat.b2n (q k))). apply sum_le. intros t _.
    destruct (off i t) eqn:E; [destruct (p t); apply le_n|]. rewrite andb_true_r.
    destruct (p t) eqn:P; [rewrite (H t E P)|]; cbn; lia.
  Qed.

  Lemma served_work b N (p q : nat -> bool) : b < count X -> let i := sm X b in
    (forall t, off i t = false -> p t = q (on (off i) t)) ->
    Ledger.work (own i) (on (off i) N) q b + cycles N (fun t => p t && off i t && V b t)
      = Ledger.work served N p b.
  Proof.
    intros Hb i H. unfold Ledger.work, cycles. rewrite <- (drawn_sum (off i)), <- sum_add.
    apply sum_ext. intros t _. cbn [wt served]. unfold served_pays. fold i.
    destruct (off i t) eqn:E.
    - destruct (p t), (V b t); reflexivity.
    - rewrite (H t E), andb_false_r. cbn [andb Nat.b2n]. rewrite Nat.add_0_r. reflexivity.
  Qed.

  (** *** With |V_b| in E, alpha and solo *)
  Theorem loads_ledger : ledger served M R delta (fun b => with_loads (kd b) (v b)).
  Proof.
    destruct D as [D1 D2 D3 D4 D5 D6 D7 D8]. split; try assumption; cbn [kE kL kA kS with_loads].
    - intros b t Hb H. cbn [wt served] in H. unfold served_pays in H.
      destruct (off (sm X b) t) eqn:E; [destruct (V b t) eqn:HV; [apply There; assumption|easy]|].
      change (stays X b t = true). rewrite <- (drawn_stays b t Hb E).
      apply (l_span _ _ _ _ _ (Lg _ (D1 b Hb))); [rewrite Count; exact Hb|exact H].
    - intros N b Hb. pose proof (D1 b Hb) as Hi.
      pose proof (served_work b N (fun _ => true) (fun _ => true) Hb (fun _ _ => eq_refl)) as W.
      change (sum _ _) with (Ledger.work served N (fun _ => true) b). rewrite <- W.
      apply Nat.add_le_mono; [apply (l_budget _ _ _ _ _ (Lg _ Hi)); rewrite Count; exact Hb|].
      etransitivity; [|apply (Few b N Hb)]. rewrite cycles_cnt. apply cnt_le. intros t _ P.
      apply andb_prop in P. apply P.
    - intros N b Hb. pose proof (D1 b Hb) as Hi. destruct (Place b Hb) as [S _].
      pose proof (l_idle _ _ _ _ _ (Lg _ Hi) (on (off (sm X b)) N) b) as I. rewrite S in I.
      etransitivity; [apply (served_cycles (sm X b) _ (fun k => counted (own (sm X b)) k
        && stays (own (sm X b)) b k && negb (busy (own (sm X b)) (sm X b) k)) N)|].
      + intros t E P. rewrite !andb_true_iff, negb_true_iff in P. destruct P as [[P1 P2] P3].
        rewrite (Same _ t E), (drawn_stays b t Hb E), !andb_true_iff, negb_true_iff.
        split; [split; assumption|]. apply not_true_iff_false. intros Bz.
        apply existsb_exists in Bz as [c [Hc Bz]]. rewrite (Here _ Hi) in Hc.
        enough (busy served (sm X b) t = true) by (cbn [sm served] in *; congruence).
        apply existsb_exists. exists c. split; [exact Hc|]. apply in_on_sm in Hc as [_ Hc].
        cbn [wt served]. unfold served_pays. rewrite Hc, E. exact Bz.
      + rewrite cycles_none; [apply I; rewrite Count; exact Hb|]. intros t _.
        apply not_true_iff_false. intros P. rewrite !andb_true_iff, negb_true_iff in P.
        destruct P as [[_ P] E]. destruct (Whose _ t Hi E) as [c [Hc Vc]].
        enough (busy served (sm X b) t = true) by (cbn [sm served] in *; congruence).
        apply existsb_exists. exists c. split; [exact Hc|]. apply in_on_sm in Hc as [_ Hc].
        cbn [wt served]. unfold served_pays. rewrite Hc, E, Vc. reflexivity.
    - intros N t0 b Hb HF HS. pose proof (D1 b Hb) as Hi. destruct (Place b Hb) as [S [Sa Fi]].
      set (c := on (off (sm X b))) in *. set (p := fun t => stays X b t && (t0 <=? t)).
      set (q := fun k => stays (own (sm X b)) b k && (c t0 <=? k)).
      assert (forall t, off (sm X b) t = false -> p t = q (c t)) as PQ.
      { intros t E. unfold p, q, c. rewrite (drawn_stays b t Hb E). f_equal. apply eq_true_iff_eq.
        rewrite !Nat.leb_le. apply (on_come _ _ _ E). }
      etransitivity; [apply (served_cycles (sm X b) _ (fun k => counted (own (sm X b)) k
        && stays (own (sm X b)) b k && (c t0 <=? k)) N)|].
      { intros t E P. rewrite <- andb_assoc in P |- *. change (counted X t && p t = true) in P.
        change (counted (own (sm X b)) (on (off (sm X b)) t) && q (c t) = true).
        rewrite (Same _ t E), <- (PQ t E). exact P. }
      assert (others served b = others (own (sm X b)) b) as Eo
        by (unfold others; rewrite S, (Here _ Hi); reflexivity).
      pose proof (l_window _ _ _ _ _ (Lg _ Hi) (c N) (c t0) b ltac:(rewrite Count; exact Hb)
        ltac:(rewrite Fi; apply on_mono, HF) ltac:(rewrite Sa; apply on_mono, HS)) as Wd.
      rewrite <- Eo in Wd.
      assert (sum (Ledger.work (own (sm X b)) (c N) q) (others served b)
        + sum (fun d => cycles N (fun t => p t && off (sm X b) t && V d t)) (others served b)
        = sum (Ledger.work served N p) (others served b)) as Ws.
      { rewrite <- sum_add. apply sum_ext. intros d Hd. apply filter_In in Hd as [Hd _].
        apply in_on_sm in Hd as [Hd Ed]. cbn [sm count served] in Hd, Ed.
        pose proof (served_work d N p q Hd) as W. cbv zeta in W. rewrite Ed in W. exact (W PQ). }
      enough (cycles N (fun t => counted served t && stays served b t && (t0 <=? t)
        && off (sm X b) t) <= v b + sum (fun d => cycles N (fun t => p t && off (sm X b) t
        && V d t)) (others served b)) as A.
      { change (sum _ (others served b)) with (sum (Ledger.work served N p) (others served b)).
        change (fun t => _ && (c t0 <=? t)) with q in Wd at 2. unfold c in *. lia. }
      etransitivity; [apply (cycles_sum N _ (fun t d => Nat.b2n (p t && off (sm X b) t && V d t))
        (b :: others served b))|].
      + intros t _ P. rewrite !andb_true_iff in P. destruct P as [[[_ P1] P2] E].
        destruct (Whose _ t Hi E) as [d [Hd Vd]].
        assert (In d (b :: others served b)) as Hin.
        { destruct (Nat.eq_dec d b) as [->|N']; [left; reflexivity|right]. apply filter_In.
          split; [exact Hd|]. apply negb_true_iff, Nat.eqb_neq, N'. }
        pose proof (sum_ge (fun d => Nat.b2n (p t && off (sm X b) t && V d t)) d _ Hin) as G.
        cbn beta in G. change (stays X b t = true) in P1.
        assert (p t = true) as Pt by (unfold p; rewrite P1; exact P2).
        rewrite Pt, E, Vd in G. rewrite Pt, E. exact G.
      + rewrite sum_cons. apply Nat.add_le_mono; [|apply le_n].
        etransitivity; [|apply (Few b N Hb)]. rewrite <- cycles_cnt. apply cycles_le.
        intros t _ P. apply andb_prop in P. apply P.
    - intros N b Hb Al. pose proof (D1 b Hb) as Hi. destruct (Place b Hb) as [S [Sa Fi]].
      etransitivity; [apply (served_cycles (sm X b) _ (fun k => counted (own (sm X b)) k
        && stays (own (sm X b)) b k) N)|].
      { intros t E P. rewrite (Same _ t E), (drawn_stays b t Hb E). exact P. }
      rewrite Nat.add_comm. apply Nat.add_le_mono.
      + apply (l_solo _ _ _ _ _ (Lg _ Hi)); [rewrite Count; exact Hb|]. intros d Hd.
        unfold others in Hd. rewrite S, (Here _ Hi) in Hd. destruct (Al d Hd) as [G|G];
          apply filter_In in Hd as [Hd _]; apply in_on_sm in Hd as [Hd Ed];
          destruct (Place d Hd) as [_ [Sd Fd]]; rewrite Ed in Sd, Fd; rewrite Sa, Fi, Sd, Fd;
          [left|right]; apply on_mono, G.
      + etransitivity; [|apply (Few b N Hb)]. rewrite <- cycles_cnt. apply cycles_le.
        intros t _ P. rewrite !andb_true_iff in P. destruct P as [[_ P] E].
        destruct (Whose _ t Hi E) as [d [Hd Vd]]. destruct (Nat.eq_dec d b) as [->|N']; [exact Vd|].
        exfalso. pose proof (proj1 (in_on_sm X _ d) Hd) as [Ld _].
        pose proof (There d t Ld Vd) as T.
        assert (In d (others served b)) as Hin
          by (apply filter_In; split; [exact Hd|apply negb_true_iff, Nat.eqb_neq, N']).
        specialize (Al d Hin). cbn [fin start served] in Al. change (stays X b t = true) in P.
        unfold stays in P, T. rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in P, T. lia.
  Qed.
End Loads.

(** ** SMs whose rules hold outside of their V *)
Section Kernel.
  Variables (off : nat -> nat -> bool) (size : nat).
  Hypothesis Finite : forall i N, cnt (off i) N <= size.
  Variables (M R delta service : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Hypothesis Run : apart_run off M R delta mach prog sched X.
  Variables (kd : nat -> Formulas.kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b).
  Variables (V : nat -> nat -> bool) (v : nat -> nat).
  Hypothesis Whose : forall i t, i < M -> off i t = true ->
    exists b, In b (on_sm X i) /\ V b t = true.
  Hypothesis There : forall b t, b < count X -> V b t = true -> stays X b t = true.
  Hypothesis Few : forall b N, b < count X -> cnt (V b) N <= v b.
  Hypothesis Skips : forall N, cycles N (skip X) <= service.
  Notation kinds := (map (fun b => with_loads (kd b) (v b)) (all X)).

  Lemma code_loads_ledger : ledger (served off X (own off size Finite mach prog sched X) V) M R
    delta (fun b => with_loads (kd b) (v b)).
  Proof.
    apply loads_ledger; try assumption; try reflexivity.
    - apply (p_dispatched _ _ _ _ _ _ _ _ Run).
    - apply (own_ledger off size Finite M R delta mach prog sched X Run kd lP lI lD lR HK
        (fun b Hb => or_introl (HS b Hb))).
    - intros i _. apply filter_ext. intros b. cbn [sm own drawn_run drawn_times only only_times].
      fold (here X i b). destruct (here X i b) eqn:E; [apply Nat.eqb_refl|].
      apply Nat.eqb_neq, elsewhere_apart.
    - intros b _. cbn. unfold here. rewrite Nat.eqb_refl. auto.
    - intros i t E. unfold counted. cbn [skip own drawn_run drawn_times only only_times].
      rewrite (on_cycle (off i) size (Finite i) t E). reflexivity.
  Qed.

  (** *** K-SM, K-AREA and K-BAL *)
  Theorem kernel_loads b : dynamic X M R -> M * R < count X -> b < count X ->
    fin X b <= h R delta (count X - (M - 1) * R) kinds + service
    /\ fin X b <= k_area M R delta kinds + service /\ fin X b <= k_bal M R delta kinds + service.
  Proof.
    intros Dy W. exact (held_dynamic _ M R delta service _ code_loads_ledger Skips Dy W b).
  Qed.

  (** *** and static dispatch *)
  Theorem static_loads b : b < count X -> fin X b
    <= static_time X R delta (fun b => with_loads (kd b) (v b)) (sm X b) + service.
  Proof. exact (held_static _ M R delta service _ code_loads_ledger Skips b). Qed.
End Kernel.
