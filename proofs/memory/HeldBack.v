(** * Executions whose requests are held back: docs/memory-bounds.md, section 12, theorem 7

    An instruction may keep its unit for longer than stated: in cycles that do not count for anybody
    ([skip]: those in which the memory serves a request), and in cycles in which its requests are
    held back, as so many of the SM are on their way.  Such an execution keeps the ledger of section
    12 of proofs.md (Ledger.v), outside of the cycles that do not count, with E + Z in place of
    E. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share Formulas Model Elb Ledger Grid GridLedger
  Sharing Took.
Import ListNotations.

(** Requests: the SM and the thread block of each, when it has come to the memory, when its data is
    back, and how many cycles that count it spends between these at most. *)
Record traffic := Traffic {
  asked : list nat; from : nat -> nat; whom : nat -> nat; sent : nat -> nat; back : nat ->
  nat; way : nat -> nat }.

Section HeldBack.
  Variables (G : grid) (X : execution) (took : nat -> block).
  Variable skip : nat -> bool.
  Variable held : nat -> key -> nat -> bool.   (* SM, instruction,
    cycle: one of its requests is held back *)
  Variables (y : traffic) (K : nat).

  (** [y] is on its way from its coming on. *)
  Definition there (r t : nat) : bool := (sent y r <=? t) && (t <? back y r).

  (** The rules: [took] is what instructions took of their units, and of time behind that. *)
  Record holds_back : Prop := {
    h_rules : grid_valid (Grid (blocks G) (sms G) (slots G) (latency G) (service G) (mach G) took)
      X;
    h_shape : forall i x, i < sms G -> keys (took i) = keys (prog G i)
      /\ (In x (keys (prog G i)) -> ops (get (took i) x) = ops (get (prog G i) x) /\
           sec (get (took i) x) = sec (get (prog G i) x));
    (* an instruction makes progress in as many cycles as stated *)
    h_init : forall i x N, i < sms G -> In x (keys (prog G i)) ->
      cnt (fun t => initiates (sched X i) t x && negb (skip t) && negb (held i x t)) N
        <= init (get (prog G i) x);
    h_lat : forall i x, i < sms G -> In x (keys (prog G i)) -> let s := sched X i in
      al s x + cnt skip (D s x + ai s x) <= lat (get (prog G i) x) + cnt skip (C s x);
    (* held back: another instruction of the SM makes progress, or K requests have come and are not
        back *)
    h_held : forall i x t, i < sms G -> In x (keys (prog G i)) ->
    initiates (sched X i) t x = true ->
      skip t = false -> held i x t = true ->
      (exists z, In z (keys (prog G i)) /\ initiates (sched X i) t z = true /\ held i z t = false)
      \/ K <= length (filter (fun r => (from y r =? i) && there r t) (asked y));
    h_way : forall r N, In r (asked y) -> cnt (fun t => there r t && negb (skip t)) N <= way y r;
    h_stay : forall r, In r (asked y) -> whom y r < blocks G /\ sm_of X (whom y r) = from y r
      /\ started X (whom y r) <= sent y r /\ back y r <= ended X (whom y r) }.

  Hypothesis H : holds_back.
  Hypothesis Kpos : 1 <= K.
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (took i).
  Notation Gt := (Grid (blocks G) (sms G) (slots G) (latency G) (service G) (mach G) took).

  (** Z of a thread block. *)
  Definition returns (b : nat) : nat := sum (way y) (filter (fun r => whom y r =? b) (asked y)).
  Definition Z (b : nat) : nat := (returns b + K - 1) / K.

  Lemma Z_enough b : returns b <= K * Z b.
  Proof.
    unfold Z. pose proof (Nat.div_mod (returns b + K - 1) K ltac:(lia)).
    pose proof (Nat.mod_upper_bound (returns b + K - 1) K ltac:(lia)). lia.
  Qed.

  (** ** Stalled cycles, each paid by a thread block *)
  Definition moves (i t : nat) : bool := existsb (fun x => initiates (sched X i) t x
    && negb (held i x t)) (keys (prog G i)).
  Definition taken_up (i t : nat) : bool := existsb (initiates (sched X i) t) (keys (prog G i)).
  Definition stalled (i t : nat) : bool := negb (skip t) && taken_up i t && negb (moves i t).
  Definition horizon : nat := list_max (map (ended X) (seq 0 (blocks G))).
  Definition stalls (i : nat) : list nat := filter (stalled i) (seq 0 horizon).
  Definition may (i t b : nat) : bool := existsb (fun r => (from y r =? i) && (whom y r =? b)
    && there r t) (asked y).

  Lemma filter_cnt p n : length (filter p (seq 0 n)) = cnt p n.
  Proof. rewrite length_sum. apply cycles_cnt. Qed.

  Lemma filter_filter_length {A} (p q : A -> bool) l : length (filter p (filter q l))
    = length (filter (fun x => q x && p x) l).
  Proof.
    induction l as [|x l IH]; [reflexivity|]. cbn [filter].
    destruct (q x); cbn [filter andb]; [destruct (p x); cbn [length]|]; lia.
  Qed.

  Lemma stalled_many i t : i < sms G -> stalled i t = true ->
    K <= length (filter (fun r => (from y r =? i) && there r t) (asked y)).
  Proof.
    intros Hi S. unfold stalled in S. rewrite !andb_true_iff, !negb_true_iff in S.
    destruct S as [[S1 S2] S3]. apply existsb_exists in S2 as [x [Hx Ix]].
    assert (forall z, In z (keys (prog G i)) -> initiates (sched X i) t z = true -> held i z t
      = true) as AllHeld.
    { intros z Hz Iz. destruct (held i z t) eqn:E; [reflexivity|]. exfalso.
      enough (moves i t = true) by congruence. apply existsb_exists. exists z. rewrite Iz, E.
      auto. }
    destruct (h_held H i x t Hi Hx Ix S1 (AllHeld x Hx Ix)) as [[z [Hz [Iz E]]]|E]; [|exact E].
    rewrite (AllHeld z Hz Iz) in E. discriminate.
  Qed.

  (** Of any of these cycles the blocks whose requests are there have room for as many. *)
  Lemma stalls_enough i : i < sms G -> enough (seq 0 (blocks G)) (may i) Z (stalls i).
  Proof.
    intros Hi p. set (T := filter p (stalls i)).
    assert (K * length T <= sum (fun t => length
      (filter (fun r => (from y r =? i) && there r t) (asked y))) T) as A.
    { rewrite Nat.mul_comm, <- (sum_same K T). apply sum_le. intros t Ht.
      apply filter_In in Ht as [Ht _]. apply filter_In in Ht as [_ Ht].
      apply stalled_many; assumption. }
    assert (sum (fun t => length (filter (fun r => (from y r =? i) && there r t) (asked y))) T
      <= sum (fun r => if reached (may i) (stalls i) p (whom y r) then way y r else 0) (asked y))
      as B.
    { rewrite (sum_ext _ (fun t => sum (fun r => Nat.b2n ((from y r =? i) && there r t)) (asked y)))
        by (intros; apply length_sum). rewrite sum_swap. apply sum_le. intros r Hr.
      rewrite <- length_sum.
      destruct (filter (fun t => (from y r =? i) && there r t) T) as [|t0 k] eqn:F; [cbn; lia|].
      assert (In t0 (filter (fun t => (from y r =? i) && there r t) T)) as H0
        by (rewrite F; left; reflexivity). apply filter_In in H0 as [H0 H1]. unfold T in H0.
      apply filter_In in H0 as [H0 P0]. apply andb_prop in H1 as [H1 H2].
      replace (reached (may i) (stalls i) p (whom y r)) with true.
      - rewrite <- F. unfold T, stalls. rewrite !filter_filter_length, filter_cnt.
        etransitivity; [|apply (h_way H r horizon Hr)]. apply cnt_le. intros t _ Q.
        unfold stalled in Q. rewrite !andb_true_iff in *. tauto.
      - symmetry. apply reached_in. exists t0. split; [exact H0|]. split; [exact P0|].
        apply existsb_exists. exists r. rewrite H1, H2, Nat.eqb_refl. auto. }
    assert (sum (fun r => if reached (may i) (stalls i) p (whom y r) then way y r else 0) (asked y)
      <= K * room (seq 0 (blocks G)) (may i) Z (stalls i) p) as D.
    { unfold room. rewrite <- sum_scale. rewrite <- (sum_by_slot _ (whom y) (blocks G) (asked y))
        by (intros r Hr; apply (h_stay H r Hr)). apply sum_le. intros b _.
      destruct (reached (may i) (stalls i) p b) eqn:R.
      - etransitivity; [|apply Z_enough]. unfold returns. apply sum_le. intros r Hr.
        apply filter_In in Hr as [_ Hr]. apply Nat.eqb_eq in Hr. rewrite Hr, R. lia.
      - rewrite sum_zero; [lia|]. intros r Hr. apply filter_In in Hr as [_ Hr].
        apply Nat.eqb_eq in Hr. rewrite Hr, R. reflexivity. }
    fold T. nia.
  Qed.

  Lemma choose (P : nat -> (nat -> nat) -> Prop) n : (forall i, i < n -> exists f, P i f) ->
    exists F, forall i, i < n -> P i (F i).
  Proof.
    induction n as [|n IH]; intros A; [exists (fun _ _ => 0); lia|].
    destruct IH as [F HF]; [intros i Hi; apply A; lia|]. destruct (A n ltac:(lia)) as [f Hf].
    exists (fun i => if i =? n then f else F i). intros i Hi.
    destruct (Nat.eqb_spec i n) as [->|N]; [exact Hf|apply HF; lia].
  Qed.

  Lemma payers : exists F, forall i, i < sms G ->
    shared (seq 0 (blocks G)) (may i) Z (stalls i) (F i).
  Proof.
    apply (choose (fun i f => shared (seq 0 (blocks G)) (may i) Z (stalls i) f)). intros i Hi.
    apply (share_whole _ (seq_NoDup _ _) (may i) (length (stalls i)) Z (stalls i) (le_n _)).
    - apply NoDup_filter, seq_NoDup.
    - apply stalls_enough, Hi.
  Qed.

  (** ** The ledger *)
  Variables (Eb Lb : nat -> nat) (L : nat -> key -> nat).
  Hypothesis Work : forall b, b < blocks G ->
    sum (fun x => if whose G (sm_of X b) x =? b then init (get (prog G (sm_of X b)) x) else 0)
      (keys (prog G (sm_of X b))) <= Eb b.
  Hypothesis Lat : forall b x, b < blocks G -> In x (keys (prog G (sm_of X b))) ->
    whose G (sm_of X b) x = b ->
    L (sm_of X b) x + lat (get (prog G (sm_of X b)) x) <= Lb b.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Variable F : nat -> nat -> nat.
  Hypothesis HF : forall i, i < sms G -> shared (seq 0 (blocks G)) (may i) Z (stalls i) (F i).

  (** What a thread block amounts to: with alpha and solo by lemma 1. *)
  Definition amount (b : nat) : kind := Kind (Eb b + Z b) (Lb b) (Eb b + Z b + Lb b)
    (Eb b + Z b + Lb b).

  (** The instructions of [b] that initiate and are not held back. *)
  Definition initiating (b t : nat) : nat :=
    Model.count (prog G (sm_of X b)) (fun x => (whose G (sm_of X b) x =? b) &&
      (initiates (sched X (sm_of X b)) t x && negb (skip t) && negb (held (sm_of X b) x t))).
  (** Thread block [b] pays for a stalled cycle. *)
  Definition paying (b t : nat) : bool := stalled (sm_of X b) t && (t <? horizon)
    && (F (sm_of X b) t =? b).
  (** The run in which stalled cycles are paid. *)
  Definition held_run : run := Run (blocks G) (sm_of X) (slot_of X) (place X) (taken X) (started X)
    (ended X) (fun t => at_work G X t || skip t) (fun b t => initiating b t + Nat.b2n (paying b t)).
  Notation r := held_run.
  Let V := h_rules H.

  Lemma keys_took i : i < sms G -> keys (took i) = keys (prog G i).
  Proof. intros Hi. apply (h_shape H i (0, 0) Hi). Qed.

  Section Block.
    Variable b : nat.
    Hypothesis Hb : b < blocks G.
    Notation i := (sm_of X b).
    Notation s := (sched X i).

    Lemma sm_here : i < sms G.
    Proof. apply (g_place _ _ V b Hb). Qed.

    Lemma ended_before : ended X b <= horizon.
    Proof. apply list_max_in_ge, in_seq. lia. Qed.

    Lemma initiating_who t : initiating b t <> 0 ->
      exists x, In x (keys (prog G i)) /\ whose G i x = b /\ initiates s t x = true /\
      skip t = false.
    Proof.
      unfold initiating. intros N.
      destruct (count_pos (prog G i) _ (proj1 (Nat.neq_0_lt_0 _) N)) as [x [Hx P]].
      rewrite !andb_true_iff, !negb_true_iff, Nat.eqb_eq in P. exists x. tauto.
    Qed.

    Lemma paying_who t : paying b t = true -> started X b <= t < ended X b.
    Proof.
      unfold paying. rewrite !andb_true_iff, Nat.ltb_lt, Nat.eqb_eq. intros [[P1 P2] P3].
      destruct (HF i sm_here) as [A _]. destruct (A t) as [_ M].
      - apply filter_In. split; [apply in_seq; lia|exact P1].
      - rewrite P3 in M. apply existsb_exists in M as [q [Hq M]].
        rewrite !andb_true_iff, !Nat.eqb_eq in M. destruct M as [[_ M2] M3]. unfold there in M3.
        apply andb_prop in M3 as [M3 M4]. apply Nat.leb_le in M3. apply Nat.ltb_lt in M4.
        pose proof (h_stay H q Hq) as [_ [_ S]]. rewrite M2 in S. lia.
    Qed.

    Lemma initiating_stays t : initiating b t <> 0 -> started X b <= t < ended X b.
    Proof.
      intros N. apply initiating_who in N as [x [Hx [W [I0 _]]]]. pose proof sm_here as Hi.
      rewrite <- (keys_took i Hi) in Hx. pose proof (g_machine _ _ V i Hi) as Vi.
      pose proof (v_begin _ _ _ Vi x Hx) as B. pose proof (v_start _ _ _ Vi x Hx).
      pose proof (g_complete _ _ V i x Hi Hx) as E. unfold whose in W, E. cbn in E, B.
      rewrite W in E, B. unfold initiates in I0. apply andb_prop in I0 as [I1 I2].
      apply Nat.leb_le in I1. apply Nat.ltb_lt in I2. unfold started, C in *. lia.
    Qed.

    Lemma stays_on t : wt r b t <> 0 -> stays r b t = true.
    Proof.
      cbn [wt held_run]. intros N. unfold stays. cbn [start fin held_run]. apply andb_true_intro.
      assert (started X b <= t < ended X b) as A.
      { destruct (paying b t) eqn:P; [apply paying_who, P|]. apply initiating_stays. cbn in N.
        lia. }
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    Qed.

    Lemma budget N : sum (wt r b) (seq 0 N) <= kE (amount b).
    Proof.
      cbn [kE amount].
      rewrite (sum_ext (wt r b) (fun t => initiating b t + Nat.b2n (paying b t))) by reflexivity.
      rewrite sum_add. apply Nat.add_le_mono.
      - etransitivity; [|apply (Work b Hb)]. unfold initiating, Model.count.
        rewrite (sum_ext _ (fun t => sum (fun x =>
          Nat.b2n ((whose G i x =? b) && (initiates s t x && negb (skip t) && negb (held i x t))))
          (keys (prog G i)))) by (intros; apply length_sum). rewrite sum_swap. apply sum_le.
        intros x Hx. destruct (whose G i x =? b); [|rewrite sum_zero; [lia|reflexivity]].
        pose proof (h_init H i x N sm_here Hx) as A. rewrite <- cycles_cnt in A. exact A.
      - assert (sum (fun t => Nat.b2n (paying b t)) (seq 0 N) <= given (F i) b (stalls i)) as A.
        { rewrite <- length_sum. unfold given, stalls.
          rewrite filter_filter_length, filter_cnt, filter_cnt.
          etransitivity; [|apply (cnt_mono _ (Nat.min N horizon)); lia]. clear.
          induction N as [|N IH]; [cbn; lia|]. cbn [cnt]. destruct (le_lt_dec horizon N) as [Le|Lt].
          - rewrite !Nat.min_r in * by lia. unfold paying at 2.
            rewrite (proj2 (Nat.ltb_ge _ _) Le), andb_false_r. cbn. lia.
          - rewrite !Nat.min_l in * by lia. cbn [cnt]. unfold paying at 2.
            rewrite (proj2 (Nat.ltb_lt _ _) Lt), andb_true_r. lia. }
        etransitivity; [exact A|]. apply (HF i sm_here), in_seq. lia.
    Qed.

    (** A cycle that counts and that nobody pays is idle. *)
    Lemma unpaid_idle t : t < horizon -> skip t = false -> Ledger.busy r i t = false ->
      idle (took i) s t = true.
    Proof.
      intros Ht Sk Bz. unfold idle. apply negb_true_iff, not_true_is_false. intros P.
      unfold Elb.busy in P. rewrite (keys_took i sm_here) in P.
      assert (forall c, c < blocks G -> sm_of X c = i -> wt r c t = 0) as None.
      { intros c Hc Sc. destruct (Nat.eq_dec (wt r c t) 0) as [|N]; [assumption|exfalso].
        enough (Ledger.busy r i t = true) by congruence. apply existsb_exists. exists c.
        split; [apply in_on_sm; auto|]. apply negb_true_iff, Nat.eqb_neq, N. }
      destruct (moves i t) eqn:Mv.
      - apply existsb_exists in Mv as [x [Hx Q]]. apply andb_prop in Q as [Q1 Q2].
        assert (In x (keys (took i))) as Hxt by (rewrite (keys_took i sm_here); exact Hx).
        pose proof (g_whose _ _ V i x sm_here Hxt) as [W1 W2].
        change (whose G i x < blocks G) in W1. change (sm_of X (whose G i x) = i) in W2.
        specialize (None (whose G i x) W1 W2). cbn [wt held_run] in None.
        assert (1 <= initiating (whose G i x) t); [|lia]. unfold initiating. rewrite W2.
        unfold Model.count. assert (In x (filter (fun z => (whose G i z =? whose G i x)
          && (initiates s t z && negb (skip t) && negb (held i z t))) (keys (prog G i)))) as A.
        { apply filter_In. rewrite Nat.eqb_refl, Q1, Sk, Q2. auto. }
        destruct (filter _ _); [destruct A|cbn; lia].
      - assert (stalled i t = true) as S by (unfold stalled; rewrite Sk, Mv; unfold taken_up;
          rewrite P; reflexivity). destruct (HF i sm_here) as [A _].
        destruct (A t) as [A1 A2]; [apply filter_In; split; [apply in_seq; lia|exact S]|].
        apply in_seq in A1. apply existsb_exists in A2 as [q [Hq Q]].
        rewrite !andb_true_iff, !Nat.eqb_eq in Q. destruct Q as [[Q1 Q2] _].
        pose proof (h_stay H q Hq) as [_ [S2 _]]. rewrite Q1, Q2 in S2.
        specialize (None (F i t) ltac:(lia) S2). cbn [wt held_run] in None. unfold paying in None.
        rewrite S2, S, (proj2 (Nat.ltb_lt _ _) Ht), Nat.eqb_refl in None. cbn in None. lia.
    Qed.

    (** Lemma 1, of the cycles that count *)
    Lemma idle_cycles N : cycles N (fun t => counted r t && stays r b t
      && negb (Ledger.busy r (sm r b) t)) <= kL (amount b).
    Proof.
      cbn [kL amount]. etransitivity; [|apply (took_idle G X took (fun _ => skip) V (h_shape H)
        (h_lat H) Mok Lb L Lat HL b Hb)]. rewrite <- cycles_cnt.
      etransitivity; [|apply (cycles_cut N)]. apply cycles_le. intros t _ P.
      rewrite !andb_true_iff in P. destruct P as [[P1 P2] P3]. unfold stays in P2.
      cbn [start fin held_run] in P2. apply andb_prop in P2 as [-> P4]. rewrite P4.
      unfold counted in P1. cbn [Ledger.skip held_run] in P1.
      apply negb_true_iff, orb_false_elim in P1 as [_ P1]. rewrite P1. apply negb_true_iff in P3.
      cbn [sm held_run] in P3. apply Nat.ltb_lt in P4. pose proof ended_before.
      rewrite (unpaid_idle t ltac:(lia) P1 P3). reflexivity.
    Qed.

    Lemma sum_others f : sum f (on_sm r (sm r b)) <= f b + sum f (others r b).
    Proof.
      unfold others. pose proof (nodup_on_sm r (sm r b)) as Nd.
      induction (on_sm r (sm r b)) as [|c l IH]; [cbn; lia|]. apply NoDup_cons_iff in Nd as [N1 N2].
      cbn [filter]. rewrite sum_cons. destruct (Nat.eqb_spec c b) as [->|N]; cbn [negb].
      - rewrite sum_filter. apply Nat.add_le_mono_l, sum_le. intros d Hd.
        destruct (Nat.eqb_spec d b) as [->|]; [contradiction|cbn; lia].
      - rewrite sum_cons. specialize (IH N2). lia.
    Qed.

    Lemma window N t0 : cycles N (fun t => counted r t && stays r b t && (t0 <=? t))
      <= kA (amount b) + sum (work r N (fun t => stays r b t && (t0 <=? t))) (others r b).
    Proof.
      rewrite (cycles_split N _ (Ledger.busy r (sm r b))).
      assert (cycles N (fun t => counted r t && stays r b t && (t0 <=? t)
        && negb (Ledger.busy r (sm r b) t)) <= kL (amount b)) as A.
      { etransitivity; [|apply (idle_cycles N)]. apply cycles_le. intros t _ P.
        rewrite !andb_true_iff in *. tauto. }
      assert (cycles N (fun t => counted r t && stays r b t && (t0 <=? t)
        && Ledger.busy r (sm r b) t) <= sum (work r N (fun t => stays r b t && (t0 <=? t)))
        (on_sm r (sm r b))) as B.
      { apply (cycles_sum N _ (fun t c => if stays r b t && (t0 <=? t) then wt r c t else 0)).
        intros t _ P. rewrite !andb_true_iff in P. destruct P as [[[_ P1] P2] P3]. rewrite P1, P2.
        apply busy_paid, P3. }
      pose proof (sum_others (work r N (fun t => stays r b t && (t0 <=? t)))) as S.
      assert (work r N (fun t => stays r b t && (t0 <=? t)) b <= kE (amount b)) as W.
      { etransitivity; [|apply (budget N)]. apply sum_le. intros t _.
        destruct (stays r b t && (t0 <=? t)); lia. }
      cbn [kA kE kL amount] in *. lia.
    Qed.

    Lemma alone_time N : (forall c, c < blocks G -> forall t, wt r c t <> 0 -> stays r c t
      = true) -> alone r b ->
      cycles N (fun t => counted r t && stays r b t) <= kS (amount b).
    Proof.
      intros Others Al. pose proof (window N 0) as A. rewrite (sum_zero _ (others r b)) in A.
      - etransitivity; [|etransitivity; [exact A|cbn; lia]]. apply cycles_le. intros t _ P.
        cbn [Nat.leb]. rewrite andb_true_r. exact P.
      - intros c Hc. apply sum_zero. intros t _. destruct (stays r b t) eqn:S; [|reflexivity].
        cbn [Nat.leb andb]. destruct (Nat.eq_dec (wt r c t) 0) as [|N0]; [assumption|exfalso].
        pose proof (Al c Hc) as Ac. unfold others in Hc. apply filter_In in Hc as [Hc _].
        apply in_on_sm in Hc as [Hc1 Hc2].
        assert (stays r c t = true) as Sc by (apply (Others c Hc1 t N0)). unfold stays in S, Sc.
        apply andb_prop in S as [S1 S2]. apply andb_prop in Sc as [S3 S4].
        apply Nat.leb_le in S1, S3. apply Nat.ltb_lt in S2, S4. lia.
    Qed.
  End Block.

  (** *** Such an execution keeps the ledger. *)
  Theorem held_back_ledger : ledger r (sms G) (slots G) (latency G) amount.
  Proof.
    constructor; cbn [Ledger.count sm room ord disp start fin held_run].
    - intros b Hb. apply (g_place _ _ V b Hb).
    - intros b Hb. apply (g_place _ _ V b Hb).
    - apply (g_order _ _ V).
    - intros b Hb. pose proof (g_start _ _ V b Hb). pose proof (proj1 (g_end _ _ V b Hb)). cbn in *.
      lia.
    - apply (g_takes _ _ V).
    - intros b c Hb Hc S O. unfold same in S. cbn [sm room held_run] in S.
      apply andb_prop in S as [S1 S2]. apply Nat.eqb_eq in S1, S2. apply (g_slot _ _ V c b Hc).
      split; auto.
    - intros N b Hb. etransitivity; [|apply (on_its_way Gt X V b Hb N)]. apply cycles_le.
      intros t _ P. apply andb_prop in P as [P1 P2]. unfold counted in *.
      cbn [Ledger.skip held_run] in P1. apply negb_true_iff, orb_false_elim in P1 as [P1 _].
      change (negb (at_work G X t) && passing r b t = true). rewrite P1, P2. reflexivity.
    - intros b t q Hb Cn Ht Hq. unfold counted in Cn. cbn [Ledger.skip held_run] in Cn.
      apply negb_true_iff, orb_false_elim in Cn as [Cn _].
      destruct (g_waits _ _ V b t q Hb Cn Ht Hq) as [c [H1 [H2 [H3 [H4 H5]]]]]. exists c.
      repeat split; auto. apply andb_true_intro. split; [apply Nat.leb_le, H4|apply Nat.ltb_lt, H5].
    - intros b t Hb. apply stays_on, Hb.
    - intros N b Hb. apply budget, Hb.
    - intros N b Hb. apply idle_cycles, Hb.
    - intros N t0 b Hb _ _. apply window, Hb.
    - intros N b Hb. apply (alone_time b Hb N). intros c Hc t. apply (stays_on c Hc).
  Qed.
End HeldBack.

(** Where no request is ever held back, none counts: Z = 0. *)
Lemma nothing_held G X took skip held y K : holds_back G X took skip held y K ->
  (forall i x t, held i x t = false) -> holds_back G X took skip held
    (Traffic [] (from y) (whom y) (sent y) (back y) (way y)) 1.
Proof.
  intros [H1 H2 H3 H4 H5 H6 H7] N. constructor; auto.
  - intros i x t _ _ _ _ Hd. rewrite N in Hd. discriminate.
  - intros r n [].
  - intros r [].
Qed.
