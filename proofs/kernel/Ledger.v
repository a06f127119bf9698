(** * What a grid spends: docs/proofs.md, section 12, without the machine

    Thread blocks take slots of SMs one behind the other; every cycle of an SM is busy, paid by one
    of the thread blocks that it holds, or idle.  File Grid.v shows that a grid of the machine keeps
    such a ledger; what follows from it are K-SM (OneSm.v), K-AREA (Area.v) and K-BAL
    (Balance.v). *)

From Warpbound Require Import Base Cycles Largest Formulas.

(** The cycles before [N] in which [p] holds. *)
Definition cycles (N : nat) (p : nat -> bool) : nat := sum (fun t => Nat.b2n (p t)) (seq 0 N).

(** A run says where and when each thread block is, and what it pays. *)
Record run := Run {
  count : nat;                   (* thread blocks: 0 to count - 1 *)
  sm : nat -> nat;               (* where each goes *)
  room : nat -> nat;             (* its slot there *)
  ord : nat -> nat;              (* its place in the order of dispatch *)
  disp : nat -> nat;             (* the dispatcher takes it *)
  start : nat -> nat;            (* its warps can issue *)
  fin : nat -> nat;              (* it has ended *)
  skip : nat -> bool;            (* cycles that are not counted: the dispatcher's, or a memory's *)
  wt : nat -> nat -> nat }.      (* of a thread block and a cycle: what it pays *)

Section Ledger.
  Variable r : run.

  (** Cycle [t] counts. *)
  Definition counted t : bool := negb (skip r t).
  (** Thread block [b] holds its slot in cycle [t]. *)
  Definition holds b t : bool := (disp r b <=? t) && (t <? fin r b).
  (** Thread block [b] passes its dispatch latency in cycle [t]. *)
  Definition passing b t : bool := (disp r b <=? t) && (t <? start r b).
  (** Thread block [b] executes in cycle [t]. *)
  Definition stays b t : bool := (start r b <=? t) && (t <? fin r b).
  (** All thread blocks. *)
  Definition all : list nat := seq 0 (count r).
  (** The thread blocks of SM [i]. *)
  Definition on_sm i : list nat := filter (fun b => sm r b =? i) all.
  (** A thread block of SM [i] pays for cycle [t]. *)
  Definition busy i t : bool := existsb (fun b => negb (wt r b t =? 0)) (on_sm i).
  (** Two thread blocks have one slot. *)
  Definition same b c : bool := (sm r b =? sm r c) && (room r b =? room r c).

  (** The first of its slot; others pass a dispatch latency. *)
  Definition first b : bool := negb (existsb (fun c => same c b && (ord r c <? ord r b)) all).
  Definition delay (delta b : nat) : nat := if first b then 0 else delta.

  (** What [b] pays in the cycles of [p]. *)
  Definition work (N : nat) (p : nat -> bool) (b : nat) : nat :=
    sum (fun t => if p t then wt r b t else 0) (seq 0 N).

  (** The other thread blocks of the SM. *)
  Definition others (b : nat) : list nat := filter (fun c => negb (c =? b)) (on_sm (sm r b)).
  (** No other thread block is there while [b] executes. *)
  Definition alone (b : nat) : Prop :=
    forall c, In c (others b) -> fin r c <= start r b \/ fin r b <= start r c.

  (** A run keeps the ledger: its cycles are paid by delays, work, latencies and stays. *)
  Record ledger (M R delta : nat) (kd : nat -> kind) : Prop := {
    l_sm : forall b, b < count r -> sm r b < M;
    l_room : forall b, b < count r -> room r b < R;
    l_ord : forall b c, b < count r -> c < count r -> ord r b = ord r c -> b = c;
    l_disp : forall b, b < count r -> disp r b <= start r b <= fin r b;
    l_later : forall b c, b < count r -> c < count r -> ord r b < ord r c -> disp r b <= disp r c;
    (* G1, G2 *)
    l_slot : forall b c, b < count r -> c < count r -> same b c = true -> ord r b < ord r c ->
      fin r b <= disp r c;
    l_delay : forall N b, b < count r -> cycles N (fun t => counted t && passing b t)
      <= delay delta b;
    (* G3: while a thread block has yet to be taken, all slots of its SM are *)
    l_taken : forall b t q, b < count r -> counted t = true -> t < disp r b -> q < R ->
      exists c, c < count r /\ sm r c = sm r b /\ room r c = q /\ holds c t = true;
    (* E, lemma 1, lemma 3, solo *)
    l_span : forall b t, b < count r -> wt r b t <> 0 -> stays b t = true;
    l_budget : forall N b, b < count r -> sum (wt r b) (seq 0 N) <= kE (kd b);
    l_idle : forall N b, b < count r ->
      cycles N (fun t => counted t && stays b t && negb (busy (sm r b) t)) <= kL (kd b);
    l_window : forall N t0 b, b < count r -> fin r b <= N -> start r b <= t0 ->
      cycles N (fun t => counted t && stays b t && (t0 <=? t))
      <= kA (kd b) + sum (work N (fun t => stays b t && (t0 <=? t))) (others b);
    l_solo : forall N b, b < count r -> alone b ->
      cycles N (fun t => counted t && stays b t) <= kS (kd b) }.

  (** G3, dynamic: every thread block may go to every slot. *)
  Definition dynamic (M R : nat) : Prop := forall b t i q, b < count r -> counted t = true ->
    t < disp r b -> i < M -> q < R ->
    exists c, c < count r /\ sm r c = i /\ room r c = q /\ holds c t = true.
End Ledger.

(** ** Counting *)

Lemma cycles_le N p q : (forall t, t < N -> p t = true -> q t = true) -> cycles N p <= cycles N q.
Proof.
  intros H. apply sum_le. intros t Ht. apply in_seq in Ht.
  destruct (p t) eqn:P; [rewrite (H t) by (lia || assumption)|]; cbn; lia.
Qed.

Lemma cycles_sum {A} N p (f : nat -> A -> nat) k :
  (forall t, t < N -> p t = true -> 1 <= sum (f t) k) ->
  cycles N p <= sum (fun a => sum (fun t => f t a) (seq 0 N)) k.
Proof.
  intros H. rewrite <- sum_swap. apply sum_le. intros t Ht. apply in_seq in Ht.
  destruct (p t) eqn:P; cbn [Nat.b2n]; [apply H; [lia|assumption]|lia].
Qed.

Lemma cycles_split N p q : cycles N p = cycles N (fun t => p t && q t)
  + cycles N (fun t => p t && negb (q t)).
Proof.
  unfold cycles. rewrite <- sum_add. apply sum_ext. intros t _. destruct (p t), (q t); reflexivity.
Qed.

Lemma cycles_none N p : (forall t, t < N -> p t = false) -> cycles N p = 0.
Proof.
  intros H. apply sum_zero. intros t Ht. apply in_seq in Ht. rewrite H by lia. reflexivity.
Qed.

Lemma cycles_longer N K p : N <= K -> cycles N p <= cycles K p.
Proof.
  intros H. replace K with (N + (K - N)) by lia. unfold cycles. rewrite seq_app, sum_app. lia.
Qed.

Lemma cycles_cut N K p : cycles N (fun t => p t && (t <? K)) <= cycles K p.
Proof.
  transitivity (cycles (max N K) (fun t => p t && (t <? K))); [apply cycles_longer; lia|].
  replace (max N K) with (K + (max N K - K)) by lia. unfold cycles. rewrite seq_app, sum_app.
  rewrite (sum_zero _ (seq (0 + K) _)).
  - rewrite Nat.add_0_r. apply sum_le. intros t _. destruct (p t), (t <? K); cbn; lia.
  - intros t Ht. apply in_seq in Ht. rewrite (proj2 (Nat.ltb_ge t K)) by lia. rewrite andb_false_r.
    reflexivity.
Qed.

Section Accounts.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).

  Lemma in_all b : In b (all r) <-> b < count r.
  Proof. unfold all. rewrite in_seq. lia. Qed.

  Lemma in_on_sm i b : In b (on_sm r i) <-> b < count r /\ sm r b = i.
  Proof. unfold on_sm. rewrite filter_In, in_all, Nat.eqb_eq. tauto. Qed.

  Lemma nodup_on_sm i : NoDup (on_sm r i).
  Proof. apply NoDup_filter, seq_NoDup. Qed.

  Lemma holds_split b t : holds r b t = true -> passing r b t = true \/ stays r b t = true.
  Proof.
    unfold holds, passing, stays. rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt.
    intros H. destruct (le_lt_dec (start r b) t); [right|left]; lia.
  Qed.

  Lemma stays_holds b t : b < count r -> stays r b t = true -> holds r b t = true.
  Proof.
    intros Hb. pose proof (l_disp _ _ _ _ _ Lg b Hb). unfold holds, stays.
    rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt. lia.
  Qed.

  Lemma wt_holds b t : b < count r -> wt r b t <> 0 -> holds r b t = true.
  Proof. intros Hb H. apply stays_holds; [exact Hb|]. apply (l_span _ _ _ _ _ Lg); assumption. Qed.

  Lemma busy_paid i t : busy r i t = true -> 1 <= sum (fun b => wt r b t) (on_sm r i).
  Proof.
    unfold busy. intros H. apply existsb_exists in H as [b [Hb H]].
    apply negb_true_iff, Nat.eqb_neq in H. pose proof (sum_ge (fun b => wt r b t) b _ Hb).
    cbn beta in *. lia.
  Qed.

  Lemma work_le N p q b : (forall t, t < N -> p t = true -> wt r b t <> 0 -> q t = true) ->
    work r N p b <= work r N q b.
  Proof.
    intros H. apply sum_le. intros t Ht. apply in_seq in Ht. destruct (p t) eqn:P; [|lia].
    destruct (Nat.eq_dec (wt r b t) 0) as [->|Z]; [lia|]. rewrite (H t) by (lia || assumption). lia.
  Qed.

  Lemma work_split N p q b : work r N p b = work r N (fun t => p t && q t) b
    + work r N (fun t => p t && negb (q t)) b.
  Proof.
    unfold work. rewrite <- sum_add. apply sum_ext. intros t _. destruct (p t), (q t); cbn; lia.
  Qed.

  Lemma work_budget N p b : b < count r -> work r N p b <= kE (kd b).
  Proof.
    intros Hb. rewrite <- (l_budget _ _ _ _ _ Lg N b Hb). apply sum_le. intros t _.
    destruct (p t); lia.
  Qed.

  (** Two thread blocks of a slot are not there at a time. *)
  Lemma same_slot b c t : b < count r -> c < count r -> same r b c = true ->
    holds r b t = true -> holds r c t = true -> b = c.
  Proof.
    intros Hb Hc S H1 H2. unfold holds in *. rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in *.
    assert (same r c b = true) as S' by (unfold same in *; rewrite Nat.eqb_sym,
      (Nat.eqb_sym (room r c)); exact S).
    destruct (Nat.lt_trichotomy (ord r b) (ord r c)) as [O|[O|O]].
    - pose proof (l_slot _ _ _ _ _ Lg b c Hb Hc S O). lia.
    - apply (l_ord _ _ _ _ _ Lg); assumption.
    - pose proof (l_slot _ _ _ _ _ Lg c b Hc Hb S' O). lia.
  Qed.

  (** ** Some thread blocks [F] of an SM, no two of them at a time *)
  Section Chain.
    Variables (i : nat) (F : list nat).
    Hypothesis Fsm : forall b, In b F -> b < count r /\ sm r b = i.
    Hypothesis Fnd : NoDup F.
    Definition covers (G : list nat) t : bool := existsb (fun b => holds r b t) G.

    Lemma covers_in b t : In b F -> holds r b t = true -> covers F t = true.
    Proof. intros. apply existsb_exists. eauto. Qed.

    (** Idle cycles in which one of them holds its slot: lemma 1. *)
    Lemma idle_paid N p : (forall t, t < N -> p t = true -> cnted t = true /\ covers F t = true) ->
      cycles N p <= sum (fun b => delay r delta b + kL (kd b)) F + sum (work r N p) (on_sm r i).
    Proof.
      intros H. rewrite (cycles_split N p (busy r i)), Nat.add_comm. apply Nat.add_le_mono.
      - etransitivity.
        + apply (cycles_sum N _ (fun t b => Nat.b2n (cnted t && passing r b t)
                   + Nat.b2n (cnted t && stays r b t && negb (busy r (sm r b) t))) F).
          intros t Ht P. apply andb_prop in P as [P Bz]. destruct (H t Ht P) as [Cn Cv].
          apply existsb_exists in Cv as [b [Hb Hh]]. etransitivity; [|apply sum_ge, Hb]. cbn beta.
          rewrite Cn, (proj2 (Fsm b Hb)), Bz. destruct (holds_split b t Hh) as [->| ->]; cbn; lia.
        + apply sum_le. intros b Hb. rewrite sum_add. destruct (Fsm b Hb) as [Hb' _].
          apply Nat.add_le_mono; [apply (l_delay _ _ _ _ _ Lg)|apply (l_idle _ _ _ _ _ Lg)];
            exact Hb'.
      - apply (cycles_sum N _ (fun t c => if p t then wt r c t else 0)).
        intros t Ht P. apply andb_prop in P as [P Bz]. rewrite P. apply busy_paid, Bz.
    Qed.

    Hypothesis Fapart : forall b c t, In b F -> In c F -> holds r b t = true ->
      holds r c t = true -> b = c.
    (** The thread blocks of the SM that are not in [F]. *)
    Definition rest : list nat := filter (fun c => negb (existsb (Nat.eqb c) F)) (on_sm r i).

    Lemma in_rest c : In c rest <-> In c (on_sm r i) /\ ~ In c F.
    Proof.
      unfold rest. rewrite filter_In, negb_true_iff. split; intros [H1 H2]; split; auto.
      - intros Hc. enough (existsb (Nat.eqb c) F = true) by congruence.
        apply existsb_exists. exists c. split; [exact Hc|apply Nat.eqb_refl].
      - apply not_true_is_false. intros X. apply existsb_exists in X as [y [Hy E]].
        apply Nat.eqb_eq in E. subst. contradiction.
    Qed.

    Lemma one_stay t c b : In b F -> (if stays r b t then wt r c t else 0) <> 0 ->
      holds r b t = true.
    Proof.
      intros Hb H. destruct (stays r b t) eqn:S; [|congruence].
      apply stays_holds; [apply Fsm, Hb|exact S].
    Qed.

    (** What others pay while they are there. *)
    Lemma others_paid N :
      sum (fun b => sum (work r N (stays r b)) (others r b)) F <= sum (work r N (covers F)) rest.
    Proof.
      transitivity (sum (fun c => sum (fun b => if c =? b then 0 else work r N (stays r b) c) F)
        (on_sm r i)).
      - rewrite <- sum_swap. apply sum_le. intros b Hb. unfold others.
        rewrite (proj2 (Fsm b Hb)), sum_filter. apply sum_le. intros c _.
        destruct (c =? b); cbn; lia.
      - unfold rest. rewrite sum_filter. apply sum_le. intros c Hc. apply in_on_sm in Hc as [Hc Hi].
        destruct (existsb (Nat.eqb c) F) eqn:X; cbn [negb].
        + apply existsb_exists in X as [y [Hy E]]. apply Nat.eqb_eq in E. subst y.
          rewrite sum_zero; [lia|]. intros b Hb.
          destruct (Nat.eqb_spec c b) as [|N0]; [reflexivity|]. apply sum_zero. intros t _.
          destruct (Nat.eq_dec (if stays r b t then wt r c t else 0) 0) as [|Z]; [assumption|].
          exfalso. apply N0. apply (Fapart c b t Hy Hb); [|apply (one_stay t c b Hb Z)].
          apply (wt_holds c t Hc). destruct (stays r b t); congruence.
        + unfold work. transitivity (sum (fun b =>
            sum (fun t => if stays r b t then wt r c t else 0) (seq 0 N)) F).
          { apply sum_le. intros b _. destruct (c =? b); lia. }
          rewrite sum_swap. apply sum_le. intros t _.
          destruct (covers F t) eqn:Cv.
          * apply sum_once; [exact Fnd|intros b _; destruct (stays r b t); lia|].
            intros b b' Hb Hb' Z Z'. apply (Fapart b b' t Hb Hb'); eapply one_stay; eauto.
          * rewrite sum_zero; [lia|]. intros b Hb.
            destruct (Nat.eq_dec (if stays r b t then wt r c t else 0) 0) as [|Z]; [assumption|].
            apply (one_stay t c b Hb) in Z. rewrite (covers_in b t Hb Z) in Cv. discriminate.
    Qed.

    Lemma cover_sum N (f : nat -> nat) :
      (forall b, In b F -> cycles N (fun t => cnted t && stays r b t) <= f b) ->
      cycles N (fun t => cnted t && covers F t) <= sum (fun b => delay r delta b + f b) F.
    Proof.
      intros H. etransitivity.
      - apply (cycles_sum N _ (fun t b => Nat.b2n (cnted t && passing r b t)
          + Nat.b2n (cnted t && stays r b t)) F). intros t Ht P. apply andb_prop in P as [Cn Cv].
        apply existsb_exists in Cv as [b [Hb Hh]]. etransitivity; [|apply sum_ge, Hb]. cbn beta.
        rewrite Cn. destruct (holds_split b t Hh) as [->| ->]; cbn; lia.
      - apply sum_le. intros b Hb. rewrite sum_add. apply Nat.add_le_mono; [|apply H, Hb].
        apply (l_delay _ _ _ _ _ Lg), Fsm, Hb.
    Qed.

    (** Cycles in which one of them holds its slot: lemma 3. *)
    Lemma stay_paid N : (forall b, In b F -> fin r b <= N) ->
      cycles N (fun t => cnted t && covers F t)
      <= sum (fun b => delay r delta b + kA (kd b)) F + sum (work r N (covers F)) rest.
    Proof.
      intros HN. etransitivity; [apply (cover_sum N (fun b =>
        kA (kd b) + sum (work r N (stays r b)) (others r b)))|].
      - intros b Hb. pose proof (l_window _ _ _ _ _ Lg N (start r b) b (proj1 (Fsm b Hb)) (HN b Hb)
          (le_n _)) as H. etransitivity; [|etransitivity; [exact H|]].
        + apply cycles_le. intros t _ P. apply andb_prop in P as [-> P]. rewrite P.
          unfold stays in P. apply andb_prop in P as [P _]. rewrite P. reflexivity.
        + apply Nat.add_le_mono_l, sum_le. intros c _. apply work_le. intros t _ P _.
          apply andb_prop in P. tauto.
      - etransitivity; [|apply Nat.add_le_mono_l, others_paid]. rewrite <- sum_add. apply sum_le.
        intros. lia.
    Qed.
  End Chain.
End Accounts.
