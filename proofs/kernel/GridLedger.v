(** * A grid that keeps the rules keeps the ledger (docs/proofs.md, section 12) *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Weights Bounds Ledger
  Tail Grid Stay Alone.

(** How many instructions of [b] initiate in cycle [t]. *)
Definition pays (G : grid) (X : execution) (b t : nat) : nat :=
  let i := sm_of X b in
  Model.count (prog G i) (fun x => (whose G i x =? b) && initiates (sched X i) t x).

(** The run of an execution. *)
Definition run_of (G : grid) (X : execution) : run :=
  Run (blocks G) (sm_of X) (slot_of X) (place X) (taken X) (started X) (ended X) (at_work G X)
    (pays G X).

(** What is known of every thread block, by its SM. *)
Definition amounts_of (G : grid) (X : execution) (kd : nat -> kind) (L : nat -> key -> nat) :
  Prop :=
  forall b, b < blocks G -> amounts (mach G (sm_of X b)) (prog G (sm_of X b)) b (kd b)
    (L (sm_of X b)).

Lemma cycles_cnt p n : cycles n p = cnt p n.
Proof.
  induction n as [|n IH]; [reflexivity|]. unfold cycles in *. rewrite seq_S, sum_app, IH.
  cbn [cnt Nat.add]. unfold sum. cbn. destruct (p n); cbn; lia.
Qed.

Section GridLedger.
  Variables (G : grid) (X : execution) (kd : nat -> kind) (L : nat -> key -> nat).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HA : amounts_of G X kd L.
  Notation r := (run_of G X).

  Lemma pays_sum b N (q : nat -> bool) : sum (fun t => if q t then pays G X b t else 0) (seq 0 N)
    = sum (fun x => if whose G (sm_of X b) x =?
      b then sum (fun t => Nat.b2n (q t && initiates (sched X (sm_of X b)) t x)) (seq 0 N) else 0)
      (keys (prog G (sm_of X b))).
  Proof.
    transitivity (sum (fun t => sum (fun x =>
      Nat.b2n ((whose G (sm_of X b) x =? b) && (q t && initiates (sched X (sm_of X b)) t x)))
      (keys (prog G (sm_of X b)))) (seq 0 N)).
    - apply sum_ext. intros t _. unfold pays, Model.count. rewrite length_sum.
      destruct (q t); [|symmetry; apply sum_zero; intros x _; rewrite andb_false_r; reflexivity].
      apply sum_ext. reflexivity.
    - rewrite sum_swap. apply sum_ext. intros x _.
      destruct (whose G (sm_of X b) x =? b); [reflexivity|]. apply sum_zero. reflexivity.
  Qed.

  Section Block.
    Variable b : nat.
    Hypothesis Hb : b < blocks G.
    Notation i := (sm_of X b).
    Notation m := (mach G i).
    Notation p := (prog G i).
    Notation s := (sched X i).

    Lemma sm_ok : i < sms G.
    Proof. apply (g_place _ _ V b Hb). Qed.

    Lemma pays_who t : pays G X b t <> 0 -> exists x, of m p b x /\ initiates s t x = true.
    Proof.
      unfold pays. intros H.
      destruct (count_pos p (fun x => (whose G i x =? b) && initiates s t x)) as [x [Hx P]]; [lia|].
      apply andb_prop in P as [P1 P2]. apply Nat.eqb_eq in P1. exists x.
      split; [split|]; assumption.
    Qed.

    Lemma complete x : of m p b x -> C s x <= ended X b.
    Proof.
      intros [Hx Hg]. pose proof (g_complete _ _ V i x sm_ok Hx) as H. unfold whose in H.
      rewrite Hg in H. exact H.
    Qed.

    Lemma pays_stays t : pays G X b t <> 0 -> stays r b t = true.
    Proof.
      intros H. apply pays_who in H as [x [Hx P]]. pose proof (complete x Hx) as Hc.
      destruct Hx as [Hx Hg]. pose proof (g_machine _ _ V i sm_ok) as Vi.
      pose proof (v_begin _ _ _ Vi x Hx) as Hs. rewrite Hg in Hs.
      pose proof (v_start _ _ _ Vi x Hx). unfold initiates in P. apply andb_prop in P as [P1 P2].
      apply Nat.leb_le in P1. apply Nat.ltb_lt in P2. unfold C in Hc. unfold stays, r, run_of.
      cbn [start fin]. unfold started. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    Qed.

    Lemma pays_budget N : sum (pays G X b) (seq 0 N) <= kE (kd b).
    Proof.
      pose proof (pays_sum b N (fun _ => true)) as H. cbn [andb] in H. cbv beta iota in H.
      rewrite (sum_ext (pays G X b) (fun t => pays G X b t)) by reflexivity. rewrite H.
      etransitivity; [|apply (a_work _ _ _ _ _ (HA b Hb))]. apply sum_le. intros x Hx. unfold whose.
      destruct (group m (fst x) =? b); [|lia].
      pose proof (v_init _ _ _ (g_machine _ _ V i sm_ok) x Hx).
      pose proof (cnt_interval (D s x) (ai s x) N) as I0. rewrite <- cycles_cnt in I0.
      unfold cycles, initiates in *. lia.
    Qed.

    Lemma not_busy t : busy r i t = false -> idle p s t = true.
    Proof.
      intros H. unfold idle. apply negb_true_iff, not_true_is_false. intros P.
      apply existsb_exists in P as [x [Hx P]]. pose proof (g_whose _ _ V i x sm_ok Hx) as [W1 W2].
      enough (busy r i t = true) by congruence. apply existsb_exists. exists (whose G i x). split.
      - apply in_on_sm. split; assumption.
      - apply negb_true_iff, Nat.eqb_neq. cbn [wt r run_of]. unfold pays. rewrite W2.
        unfold Model.count. assert (In x (filter (fun y => (whose G i y =? whose G i x)
          && initiates s t y) (keys p))) as F.
        { apply filter_In. rewrite Nat.eqb_refl, P. auto. }
        destruct (filter _ _); [easy|discriminate].
    Qed.

    Lemma idle_stays N :
      cycles N (fun t => counted r t && stays r b t && negb (busy r i t)) <= kL (kd b).
    Proof.
      destruct (g_end _ _ V b Hb) as [Hse [He|[x [Hx [Hg He]]]]].
      - rewrite cycles_cnt, cnt_none; [lia|]. intros t _. unfold stays, r, run_of. cbn [start fin].
        rewrite He. destruct (Nat.leb_spec (started X b) t), (Nat.ltb_spec t (started X b));
          rewrite ?andb_false_r; auto; lia.
      - pose proof (idle_complete m p s (proj1 (Mok i sm_ok)) (proj2 (Mok i sm_ok))
          (g_machine _ _ V i sm_ok) (L i) (HL i sm_ok) x Hx) as H. unfold whose in Hg.
        rewrite Hg in H. pose proof (a_lam _ _ _ _ _ (HA b Hb) x (conj Hx Hg)).
        assert (cycles N (fun t => counted r t && stays r b t && negb (busy r i t))
          <= cnt (idle_from p s (begin s b)) (C s x)) as A; [|lia]. rewrite <- cycles_cnt, <- He.
        etransitivity; [|apply (cycles_cut N)]. apply cycles_le. intros t _ P.
        rewrite !andb_true_iff in P. destruct P as [[_ P] Bz]. apply negb_true_iff, not_busy in Bz.
        unfold stays in P. cbn [start fin r run_of] in P. apply andb_prop in P as [P ->].
        unfold idle_from. unfold started in P. rewrite P, Bz. reflexivity.
    Qed.

    Lemma stays_window N t0 : ended X b <= N -> started X b <= t0 ->
      cycles N (fun t => counted r t && stays r b t && (t0 <=? t))
      <= kA (kd b) + sum (work r N (fun t => stays r b t && (t0 <=? t))) (others r b).
    Proof.
      intros HN Ht. destruct (g_end _ _ V b Hb) as [Hse [He|[x [Hx [Hg He]]]]].
      - rewrite cycles_none; [lia|]. intros t _. unfold stays, r, run_of. cbn [start fin].
        rewrite He. destruct (Nat.leb_spec (started X b) t), (Nat.ltb_spec t (started X b));
          rewrite ?andb_false_r; auto; lia.
      - unfold whose in Hg. pose proof (a_stay _ _ _ _ _ (HA b Hb) s t0 (ended X b) x
          (g_machine _ _ V i sm_ok) Ht complete (conj Hx Hg)) as H. rewrite <- He in H.
        set (q := fun t => stays r b t && (t0 <=? t)) in *.
        assert (cycles N (fun t => counted r t && stays r b t && (t0 <=? t)) <= ended X b - t0)
          as A.
        { pose proof (cnt_interval t0 (ended X b - t0) N) as I0. rewrite <- cycles_cnt in I0.
          etransitivity; [|exact I0]. apply cycles_le. intros t _ P. rewrite !andb_true_iff in P.
          destruct P as [[_ P] P3]. unfold stays in P. cbn [start fin r run_of] in P.
          apply andb_prop in P as [_ P]. apply Nat.ltb_lt in P. rewrite P3. apply Nat.ltb_lt.
          apply Nat.leb_le in P3. lia. }
        assert (foreign p m s b t0 (ended X b) <= sum (work r N q) (others r b)) as F; [|lia].
        unfold work. cbn [wt r run_of]. rewrite
          (sum_ext (fun c => sum (fun t => if q t then pays G X c t else 0) (seq 0 N)) (fun c =>
          sum (fun y => if whose G i y =? c then sum (fun t => Nat.b2n (q t && initiates s t y))
          (seq 0 N) else 0) (keys p))).
        2: { intros c Hc. unfold others in Hc. apply filter_In in Hc as [Hc _].
             apply in_on_sm in Hc as [_ Hc]. cbn [sm r run_of] in Hc. rewrite pays_sum, Hc.
             reflexivity. }
        rewrite sum_swap. unfold foreign. apply sum_le. intros y Hy.
        destruct (Nat.eqb_spec (group m (fst y)) b) as [|Ny]; [lia|].
        pose proof (g_whose _ _ V i y sm_ok Hy) as [W1 W2].
        etransitivity; [|apply (sum_ge _ (whose G i y))].
        + cbv beta. rewrite Nat.eqb_refl, cycles_cnt_active.
          etransitivity; [|apply (cycles_longer (ended X b) N (fun t => q t && initiates s t y));
            exact HN]. apply sum_le. intros t Hin. apply in_seq in Hin. unfold q, stays.
          cbn [start fin r run_of]. destruct (Nat.leb_spec t0 t), (Nat.leb_spec (started X b) t),
            (Nat.ltb_spec t (ended X b)); cbn; lia.
        + unfold others. apply filter_In. split; [apply in_on_sm; split; assumption|].
          apply negb_true_iff, Nat.eqb_neq, Ny.
    Qed.

    Lemma solo_ended N : alone r b -> cycles N (fun t => counted r t && stays r b t) <= kS (kd b).
    Proof.
      intros A. destruct (g_end _ _ V b Hb) as [Hse [He|[x [Hx [Hg He]]]]].
      - rewrite cycles_none; [lia|]. intros t _. unfold stays, r, run_of. cbn [start fin].
        rewrite He. destruct (Nat.leb_spec (started X b) t), (Nat.ltb_spec t (started X b));
          rewrite ?andb_false_r; auto; lia.
      - pose proof (solo_stays m p s b (ended X b) (g_machine _ _ V i sm_ok) complete) as H.
        assert (C s x <= begin s b + kS (kd b)) as B.
        { apply H; [|apply (a_solo _ _ _ _ _ (HA b Hb))|split; assumption]. intros y Hy Ny.
          pose proof (g_whose _ _ V i y sm_ok Hy) as [W1 W2].
          destruct (A (whose G i y)) as [A1|A1].
          - unfold others. apply filter_In. split; [apply in_on_sm; split; assumption|].
            apply negb_true_iff, Nat.eqb_neq, Ny.
          - left. pose proof (g_complete _ _ V i y sm_ok Hy) as Cy. cbn [start fin r run_of] in A1.
            unfold started in A1. lia.
          - right. cbn [start fin r run_of] in A1. unfold started in A1. rewrite W2 in A1.
            pose proof (v_begin _ _ _ (g_machine _ _ V i sm_ok) y Hy). unfold whose in A1. lia. }
        rewrite <- He in B.
        pose proof (cnt_interval (started X b) (ended X b - started X b) N) as I0.
        rewrite <- cycles_cnt in I0.
        etransitivity; [|etransitivity; [exact I0|unfold started; lia]]. apply cycles_le.
        intros t _ P. apply andb_prop in P as [_ P]. unfold stays in P.
        cbn [start fin r run_of] in P. apply andb_prop in P as [-> P]. apply Nat.ltb_lt in P.
        apply Nat.ltb_lt. lia.
    Qed.

    Lemma first_new : first r b = true <-> forall c, ~ before G X c b.
    Proof.
      unfold first. rewrite negb_true_iff. split.
      - intros H c [Hc [H1 [H2 H3]]]. apply not_true_iff_false in H. apply H. apply existsb_exists.
        exists c. split; [apply in_all, Hc|]. unfold same. cbn [sm room ord r run_of].
        rewrite H1, H2, !Nat.eqb_refl. apply Nat.ltb_lt, H3.
      - intros H. apply not_true_iff_false. intros P. apply existsb_exists in P as [c [Hc P]].
        apply andb_prop in P as [P1 P3]. unfold same in P1. apply andb_prop in P1 as [P1 P2].
        apply Nat.eqb_eq in P1, P2. apply Nat.ltb_lt in P3. apply (H c).
        split; [apply in_all in Hc; exact Hc|auto].
    Qed.

    Lemma on_its_way N : cycles N (fun t => counted r t && passing r b t) <= delay r (latency G) b.
    Proof.
      pose proof (g_start _ _ V b Hb) as [S1 S2].
      assert (cycles N (fun t => counted r t && passing r b t)
        <= started X b - (taken X b + serviced X b)) as A.
      { pose proof (cnt_interval (taken X b + serviced X b)
          (started X b - (taken X b + serviced X b)) N) as I0. rewrite <- cycles_cnt in I0.
        etransitivity; [|exact I0]. apply cycles_le. intros t _ P. apply andb_prop in P as [Cn P].
        unfold passing in P. cbn [disp start r run_of] in P. apply andb_prop in P as [P1 P2].
        apply Nat.leb_le in P1. apply Nat.ltb_lt in P2. unfold counted in Cn.
        cbn [skip r run_of] in Cn. apply negb_true_iff in Cn.
        destruct (Nat.leb_spec (taken X b + serviced X b) t) as [L0|L0].
        - apply Nat.ltb_lt. lia.
        - exfalso. apply not_true_iff_false in Cn. apply Cn, existsb_exists. exists b.
          split; [apply in_seq; lia|]. apply andb_true_intro.
          split; [apply Nat.leb_le, P1|apply Nat.ltb_lt, L0]. }
      unfold delay. destruct (first r b) eqn:F; [|lia].
      rewrite (g_first _ _ V b Hb (proj1 first_new F)) in A. lia.
    Qed.
  End Block.

  (** *** The grid keeps the ledger. *)
  Theorem grid_ledger : ledger r (sms G) (slots G) (latency G) kd.
  Proof.
    constructor; cbn [count sm room ord disp start fin r run_of].
    - intros b Hb. apply (g_place _ _ V b Hb).
    - intros b Hb. apply (g_place _ _ V b Hb).
    - apply (g_order _ _ V).
    - intros b Hb. pose proof (g_start _ _ V b Hb). pose proof (proj1 (g_end _ _ V b Hb)). lia.
    - apply (g_takes _ _ V).
    - intros b c Hb Hc S O. unfold same in S. cbn [sm room r run_of] in S.
      apply andb_prop in S as [S1 S2]. apply Nat.eqb_eq in S1, S2. apply (g_slot _ _ V c b Hc).
      split; auto.
    - intros N b Hb. apply on_its_way, Hb.
    - intros b t q Hb Cn Ht Hq. apply negb_true_iff in Cn.
      destruct (g_waits _ _ V b t q Hb Cn Ht Hq) as [c [H1 [H2 [H3 [H4 H5]]]]]. exists c.
      repeat split; auto. apply andb_true_intro. split; [apply Nat.leb_le, H4|apply Nat.ltb_lt, H5].
    - intros b t Hb. apply pays_stays, Hb.
    - intros N b Hb. apply pays_budget, Hb.
    - intros N b Hb. apply idle_stays, Hb.
    - intros N t0 b Hb. apply stays_window, Hb.
    - intros N b Hb. apply solo_ended, Hb.
  Qed.

  Lemma grid_dynamic : goes_anywhere G X -> dynamic r (sms G) (slots G).
  Proof.
    intros H b t i q Hb Cn Ht Hi Hq. apply negb_true_iff in Cn.
    destruct (H b t i q Hb Cn Ht Hi Hq) as [c [H1 [H2 [H3 [H4 H5]]]]]. exists c. repeat split; auto.
    apply andb_true_intro. split; [apply Nat.leb_le, H4|apply Nat.ltb_lt, H5].
  Qed.

  (** K-DISP: cycles that are not counted. *)
  Lemma dispatcher_time N : cycles N (at_work G X) <= service G * blocks G.
  Proof.
    rewrite cycles_cnt. etransitivity; [apply
      (cnt_exists (fun t b => (taken X b <=? t) && (t <? taken X b + serviced X b)))|].
    etransitivity; [apply (sum_mul _ _ (service G))|rewrite seq_length; lia]. intros b Hb.
    apply in_seq in Hb. pose proof (g_service _ _ V b ltac:(lia)).
    pose proof (cnt_interval (taken X b) (serviced X b) N). lia.
  Qed.

  Lemma in_real_time b bound : cycles (ended X b) (counted r) <= bound ->
    ended X b <= bound + service G * blocks G.
  Proof.
    intros H. pose proof (dispatcher_time (ended X b)) as D.
    pose proof (cnt_neg (at_work G X) (ended X b)) as N. rewrite <- !cycles_cnt in N.
    unfold counted in H. cbn [skip r run_of] in H. lia.
  Qed.
End GridLedger.
