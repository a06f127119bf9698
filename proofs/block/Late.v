(** * What makes a warp late (docs/proofs.md, section 3): SIB and FIB within one section

    The induction of the page, with the sum of charges as potential.  It counts in cycles what
    other thread blocks initiate, so lemma 3 can use it.

    A warp [w] in its section [q], which may begin at [T]; at [N] the last instruction
    of the section in its thread block is complete.  Other warps' instructions have
    weights [h].  By induction in program order:

    - for every x ≤ I(k):  x ≤ T + iI(k) + the weight of what was issued before x;
    - D(k) ≤ T + iD(k) + the weight of what was issued before I(k), or in that cycle
      on the same unit and started before k.

    This holds for every dispatch depth, number of instances, width and number of
    sub-cores, and beside other thread blocks; what differs is how much an instruction
    has to weigh. *)
From Warpbound Require Import Base Cycles Model Instances Weights Queue Isolation.

Section Late.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (HI : iso_edges b m iI iD).
  Variable ins : key -> nat.
  Hypothesis Ins : instances_of m b s (keys b) ins.
  Variables (w q T N top : nat) (h : key -> nat).
  (* the section may begin at T: all before is complete, the barrier is released *)
  Hypothesis Begun : begin s (group m w) <= T.
  Hypothesis Old : forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) < q ->
    C s y <= T.
  Hypothesis Rel : forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) < q ->
    I s y + takes (get b y) + ar s (group m w) q <= T.
  (* and ends at N *)
  Hypothesis End : forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) = q ->
    C s y <= N.

  (** Of another warp; of this section or another thread block. *)
  Definition rival (y : key) : Prop :=
    In y (keys b) /\ fst y <> w /\ (group m (fst y) = group m w -> sec (get b y) = q).

  (** Units on which a rival delays [w] by its initiation. *)
  Variable meets : nat -> Prop.
  Hypothesis Meets_own : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    1 <= init (get b (w, k)) -> meets (fu (get b (w, k))).
  Hypothesis Meets_slot : depth m <> Some 0 -> forall y, rival y -> group m (fst y) <> group m w ->
    core m (fst y) = core m w -> 1 <= init (get b y) -> meets (fu (get b y)).

  (** The weights: on such a unit as many cycles as the rival initiates in [T, N); at a
      finite depth of 1 or more as long as it can wait at the head of the queue; where it
      takes a slot, 1. *)
  Hypothesis H_unit : forall y, rival y -> meets (fu (get b y)) -> active s T N y <= h y.
  Hypothesis H_wait : forall d y, depth m = Some (S d) -> rival y -> meets (fu (get b y)) ->
    cmax b (fu (get b y)) <= h y.
  Hypothesis H_slot : forall y, rival y -> core m (fst y) = core m w -> 1 <= init (get b y) ->
    T <= I s y -> D s y < N -> 1 <= h y.

  (* What is to be refuted: *)
  Hypothesis Top : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    iD (w, k) + init (get b (w, k)) <= top.
  Hypothesis Later : T + top + wsum b h (fun _ => true) < N.

  (** Up to [x] the issue of [k] is paid. *)
  Definition issue_ok (k x : nat) : Prop := x <= T + iI (w, k) + wsum b h (since s x).
  (** The start of [k] is paid. *)
  Definition start_ok (k : nat) : Prop := D s (w, k) <= T + iD (w, k) + wsum b h (ahead b s (w, k)).
  (** The issue and the start of [k] are paid. *)
  Definition done (k : nat) : Prop := (forall x, x <= I s (w, k) -> issue_ok k x) /\ start_ok k.

  (** ** Who can be met *)

  (** An instruction that initiates at or after [T], or is issued then, and is issued no later
      than an own one that has a unit, is a rival or own. *)
  Lemma now_sec y k t : In y (keys b) -> In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    group m (fst y) = group m w -> I s y < I s (w, k) + takes (get b (w, k)) ->
    T <= t -> initiates s t y = true \/ (I s y = t /\ 1 <= init (get b y)) \/
      (I s y <= t < D s y) ->
    sec (get b y) = q.
  Proof.
    intros Hy Hk Hq Hg Lt Ht Hi.
    destruct (lt_eq_lt_dec (sec (get b y)) q) as [[H|H]|H]; [exfalso|exact H|exfalso].
    - specialize (Old y Hy Hg H). specialize (Rel y Hy Hg H). unfold C in Old.
      pose proof (v_start _ _ _ V y Hy). rewrite init_iff in Hi. lia.
    - rewrite <- Hq in H. pose proof (v_barrier _ _ _ V y (w, k) Hy Hk (eq_sym Hg) H). lia.
  Qed.

  Lemma own_before j k : In (w, j) (keys b) -> In (w, k) (keys b) ->
    1 <= init (get b (w, j)) -> I s (w, j) < I s (w, k) -> j < k.
  Proof.
    intros Hj Hk Hi L. destruct (le_lt_dec k j) as [H|H]; [exfalso|exact H].
    destruct (Nat.eq_dec j k) as [->|Nj]; [lia|]. pose proof (order_le _ _ _ V w j k Hj ltac:(lia)).
    lia.
  Qed.

  Lemma active_unit y t : In y (keys b) -> initiates s t y = true -> 1 <= init (get b y).
  Proof. intros Hy Hi. apply init_iff in Hi. pose proof (v_init _ _ _ V y Hy). lia. Qed.

  Lemma wait_full y t c : In y (keys b) -> I s y <= t < D s y -> c < inst m (fu (get b y)) ->
    exists z, In z (keys b) /\ fu (get b z) = fu (get b y) /\ ins z = c /\ initiates s t z = true.
  Proof.
    intros Hy Ht Hc. apply (full_instance m); [exact Ins| |exact Hc]. apply (v_asap _ _ _ V y t Hy).
    unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. exact Ht.
  Qed.

  Lemma fifo_issue y z : In y (keys b) -> In z (keys b) -> fu (get b y) = fu (get b z) ->
    D s y < D s z -> I s y <= I s z.
  Proof.
    intros Hy Hz F L. destruct (le_lt_dec (I s y) (I s z)) as [H|H]; [exact H|].
    pose proof (v_fifo _ _ _ V z y Hz Hy (eq_sym F) H). lia.
  Qed.

  (** ** What one instance initiates up to [n] *)

  (** On the unit [f]: issued in [x .. i], started in [d .. n). *)
  Definition run (f x d i n : nat) (y : key) : bool :=
    (fu (get b y) =? f) && ((x <=? I s y) && (I s y <=? i)) && ((d <=? D s y) && (D s y <? n)).

  Lemma run_iff f x d i n y : run f x d i n y = true <->
    fu (get b y) = f /\ x <= I s y <= i /\ d <= D s y < n.
  Proof. unfold run. rewrite !andb_true_iff, Nat.eqb_eq, !Nat.leb_le, Nat.ltb_lt. tauto. Qed.

  Section Chain.
    Variables (f c n i : nat).
    Hypotheses (Hc : c < inst m f) (Hf : meets f) (TN : T <= n <= N).
    Hypothesis Busy : forall t, i <= t < n -> exists y, In y (keys b) /\ fu (get b y) = f /\
      ins y = c /\ initiates s t y = true.
    Hypothesis Here : forall y t, In y (keys b) -> fu (get b y) = f -> T <= t < n ->
      initiates s t y = true ->
      I s y <= i /\ (group m (fst y) = group m w -> sec (get b y) = q).

    (** A rival alone initiates on instance [c] of [f] in cycle [t]. *)
    Definition by_rival (t : nat) : bool :=
      existsb (fun y => on b f y && (ins y =? c) && initiates s t y) (keys b)
      && negb (existsb (fun y => (fst y =? w) && on b f y && (ins y =? c) && initiates s t y)
        (keys b)).

    Lemma by_rival_ex t : by_rival t = true ->
      exists y, In y (keys b) /\ fu (get b y) = f /\ ins y = c /\ initiates s t y = true /\
      fst y <> w.
    Proof.
      unfold by_rival. intros H. apply andb_prop in H as [H1 H2].
      apply existsb_exists in H1 as [y [Hy E]]. rewrite !andb_true_iff, on_iff, Nat.eqb_eq in E.
      exists y. repeat split; try tauto. intros Hw. apply negb_true_iff in H2.
      enough (X : existsb (fun y => (fst y =? w) && on b f y && (ins y =? c) && initiates s t y)
        (keys b) = true) by congruence. apply existsb_exists. exists y. split; [exact Hy|].
      rewrite !andb_true_iff, on_iff, !Nat.eqb_eq. tauto.
    Qed.

    Lemma by_rival_not t : by_rival t = false ->
      (forall y, In y (keys b) -> fu (get b y) = f -> ins y = c -> initiates s t y = true -> False)
      \/ exists o, In (w, o) (keys b) /\ fu (get b (w, o)) = f /\ ins (w, o) = c /\
      initiates s t (w, o) = true.
    Proof.
      unfold by_rival. intros H. apply andb_false_iff in H as [H|H].
      - left. intros y Hy F E Iy. enough (X :
          existsb (fun y => on b f y && (ins y =? c) && initiates s t y) (keys b) = true)
          by congruence. apply existsb_exists. exists y. split; [exact Hy|].
        rewrite !andb_true_iff, on_iff, !Nat.eqb_eq. tauto.
      - right. apply negb_false_iff, existsb_exists in H as [[v o] [Hy E]].
        rewrite !andb_true_iff, on_iff, !Nat.eqb_eq in E. simpl in E.
        destruct E as [[[-> E1] E2] E3]. eauto.
    Qed.

    Lemma chain_sum z x d : T <= z <= n -> (forall t, z <= t < n -> by_rival t = true) ->
      (forall y t, In y (keys b) -> fu (get b y) = f -> ins y = c -> z <= t < n -> initiates s t y
        = true ->
         fst y <> w -> x <= I s y /\ d <= D s y) ->
      n - z <= wsum b h (run f x d i n).
    Proof.
      intros Hz B X. apply (window_sum b s h _ T N); try lia. intros t Ht.
      destruct (by_rival_ex t (B t Ht)) as [y [Hy [Fy [Ey [Iy Wy]]]]]. exists y. split; [exact Hy|].
      destruct (Here y t Hy Fy ltac:(lia) Iy) as [H1 H2].
      destruct (X y t Hy Fy Ey Ht Iy Wy) as [X1 X2]. split; [|split; [|exact Iy]].
      - apply run_iff. apply init_iff in Iy. repeat split; auto; lia.
      - apply H_unit; [split; [exact Hy|split; [exact Wy|exact H2]]|congruence].
    Qed.

    (** Back from [n] to the last of: an own instruction, a gap, [T]. *)
    Lemma chain :
      (exists o, In (w, o) (keys b) /\ sec (get b (w, o)) = q /\ fu (get b (w, o)) = f /\
        I s (w, o) <= i
         /\ D s (w, o) < n
         /\ n <= D s (w, o) + ai s (w, o) + wsum b h (run f (I s (w, o)) (S (D s (w, o))) i n))
      \/ (exists z, T < z <= i /\ z <= n /\ n <= z + wsum b h (run f z 0 i n))
      \/ n <= T + wsum b h (run f 0 0 i n).
    Proof.
      destruct (last_gap by_rival T n (proj1 TN)) as [A|[x [Hx [G A]]]].
      - right. right. pose proof (chain_sum T 0 0 ltac:(lia) A ltac:(intros; lia)). lia.
      - destruct (by_rival_not _ G) as [G'|[o [Ho [Fo [Eo Io]]]]].
        + right. left. exists x.
          assert (x <= i) as Li.
          { destruct (le_lt_dec x i) as [L|L]; [exact L|exfalso].
            destruct (Busy (x - 1) ltac:(lia)) as [y [Hy [Fy [Ey Iy]]]]. apply (G' y Hy Fy Ey Iy). }
          split; [lia|]. split; [lia|].
          enough (n - x <= wsum b h (run f x 0 i n)) by lia. apply chain_sum; [lia|exact A|].
          intros y t Hy Fy Ey Ht Iy _. split; [|lia].
          destruct (le_lt_dec x (I s y)) as [L|L]; [exact L|exfalso]. apply init_iff in Iy.
          destruct (le_lt_dec x (D s y)) as [L2|L2].
          * destruct (wait_full y (x - 1) c Hy ltac:(lia) ltac:(congruence))
              as [z [Hz [Fz [Ez Iz]]]]. apply (G' z Hz ltac:(congruence) Ez Iz).
          * apply (G' y Hy Fy Ey). apply init_iff. lia.
        + left. exists o. destruct (Here (w, o) (x - 1) Ho Fo ltac:(lia) Io) as [H1 H2].
          pose proof Io as Io'. apply init_iff in Io'.
          split; [exact Ho|]. split; [auto|]. split; [exact Fo|]. split; [exact H1|]. split; [lia|].
          enough (n - x <= wsum b h (run f (I s (w, o)) (S (D s (w, o))) i n)) by lia.
          apply chain_sum; [lia|exact A|]. intros y t Hy Fy Ey Ht Iy Wy. apply init_iff in Iy.
          assert (D s (w, o) < D s y) as Hd.
          { destruct (le_lt_dec (D s y) (D s (w, o))) as [L|L]; [exfalso|exact L]. apply Wy.
            replace y with (w, o); [reflexivity|].
            apply (proj2 Ins (w, o) y (x - 1)); auto; [congruence|congruence|]. apply init_iff.
            lia. }
          split; [|lia]. apply fifo_issue; auto. congruence.
    Qed.
  End Chain.

  Lemma start_before_end k : In (w, k) (keys b) -> sec (get b (w, k)) = q -> D s (w, k) <= N.
  Proof. intros Hk Hq. pose proof (End (w, k) Hk eq_refl Hq) as H. unfold C in H. lia. Qed.

  (** ** D(k) *)
  Lemma start_step k : In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    (forall j, j < k -> In (w, j) (keys b) -> sec (get b (w, j)) = q -> done j) ->
    (forall x, x <= I s (w, k) -> issue_ok k x) -> start_ok k.
  Proof.
    intros Hk Hq IH PI. destruct (HI w k Hk) as [_ [_ [H3 H4]]]. unfold start_ok.
    pose proof (v_start _ _ _ V _ Hk) as HS. pose proof (start_before_end k Hk Hq) as HN.
    destruct (Nat.eq_dec (D s (w, k)) (I s (w, k))) as [E|NE].
    { specialize (PI _ (le_n _)). unfold issue_ok in PI.
      assert (wsum b h (since s (I s (w, k))) <= wsum b h (ahead b s (w, k))); [|lia].
      apply wsum_le. intros y _ Y. apply since_iff in Y. apply ahead_iff. auto. }
    destruct (le_lt_dec (D s (w, k)) T) as [LT|LT]; [lia|].
    pose proof (wait_unit b m s (w, k) V Hk ltac:(lia)) as Hu.
    pose proof (v_init _ _ _ V _ Hk) as Hv.
    assert (ins (w, k) < inst m (fu (get b (w, k)))) as Hc by (apply Ins; [exact Hk|lia]).
    assert (forall x d, wsum b h (run (fu (get b (w, k))) x d (I s (w, k)) (D s (w, k)))
      <= wsum b h (ahead b s (w, k))) as R.
    { intros x d. apply wsum_le. intros y _ Y. apply run_iff in Y. apply ahead_iff.
      destruct (Nat.eq_dec (I s y) (I s (w, k))); [right|left]; lia. }
    destruct (chain (fu (get b (w, k))) (ins (w, k)) (D s (w, k)) (I s (w, k)) Hc)
      as [[o [Ho [So [Fo [Lo [Do B]]]]]]|[[z [Z1 [Z2 B]]]|B]].
    - apply Meets_own; assumption.
    - lia.
    - intros t Ht. apply (wait_full (w, k)); auto.
    - intros y t Hy Fy Ht Iy. pose proof Iy as Iy'. apply init_iff in Iy'.
      assert (I s y <= I s (w, k)) as L by (apply fifo_issue; auto; lia). split; [exact L|].
      intros Hg. apply (now_sec y k t); auto; lia.
    - pose proof (same_unit b W (w, k) (w, o) Hk Ho (eq_sym Fo) Hu) as Hou.
      assert (o < k) as Lk.
      { destruct (le_lt_dec k o) as [L|L]; [exfalso|exact L].
        destruct (Nat.eq_dec o k) as [->|Nk]; [lia|].
        pose proof (order_unit b m s W V w o k Ho ltac:(lia) (eq_sym Fo) Hou). lia. }
      pose proof (order_unit b m s W V w k o Hk Lk Fo Hu) as Ook.
      destruct (IH o Lk Ho So) as [_ PD]. unfold start_ok in PD.
      destruct (H4 o Lk ltac:(congruence) Fo) as [H4' _]. pose proof (v_init _ _ _ V _ Ho).
      enough (wsum b h (ahead b s (w, o)) + wsum b h
        (run (fu (get b (w, k))) (I s (w, o)) (S (D s (w, o))) (I s (w, k)) (D s (w, k)))
        <= wsum b h (ahead b s (w, k))) by lia. apply wsum_add; intros y _ Y.
      + apply ahead_iff in Y. apply ahead_iff. left. lia.
      + apply run_iff in Y. apply ahead_iff.
        destruct (Nat.eq_dec (I s y) (I s (w, k))); [right|left]; lia.
      + intros Y2. apply ahead_iff in Y. apply run_iff in Y2. lia.
    - specialize (PI z ltac:(lia)). unfold issue_ok in PI.
      enough (wsum b h (since s z) + wsum b h
        (run (fu (get b (w, k))) z 0 (I s (w, k)) (D s (w, k))) <= wsum b h (ahead b s (w, k)))
        by lia. apply wsum_add; intros y _ Y.
      + apply since_iff in Y. apply ahead_iff. left. lia.
      + apply run_iff in Y. apply ahead_iff.
        destruct (Nat.eq_dec (I s y) (I s (w, k))); [right|left]; lia.
      + intros Y2. apply since_iff in Y. apply run_iff in Y2. lia.
    - specialize (R 0 0). lia.
  Qed.

  (** ** I(k) *)

  (** All that is to be charged was issued from [x'] on. *)
  Lemma charge k x x' P : issue_ok k x' -> x' <= x ->
    (forall y, In y (keys b) -> P y = true -> x' <= I s y < x) -> x - x' <= wsum b h P ->
    issue_ok k x.
  Proof.
    unfold issue_ok. intros H L HP S.
    enough (wsum b h (since s x') + wsum b h P <= wsum b h (since s x)) by lia.
    apply wsum_add; intros y Hy Y.
    - apply since_iff in Y. apply since_iff. lia.
    - apply since_iff. apply HP; assumption.
    - intros Y2. apply since_iff in Y. specialize (HP y Hy Y2). lia.
  Qed.

  Section Issue.
    Variable k : nat.
    Hypotheses (Hk : In (w, k) (keys b)) (Hq : sec (get b (w, k)) = q).
    Hypothesis IH : forall j, j < k -> In (w, j) (keys b) -> sec (get b (w, j)) = q -> done j.
    Variable x : nat.
    Hypotheses (Tx : T < x) (xI : x <= I s (w, k)) (IHx : forall x', x' < x -> issue_ok k x').

    Lemma x_end : x <= N.
    Proof. pose proof (start_before_end k Hk Hq). pose proof (v_start _ _ _ V _ Hk). lia. Qed.

    Lemma own_key j : j < k -> In (w, j) (keys b).
    Proof. intros H. eapply keys_before; [exact Hk|lia]. Qed.

    (** Up to the edges of the graph. *)
    Lemma after_start o B : o < k -> sec (get b (w, o)) = q -> x <= D s (w, o) + B ->
      iD (w, o) + B <= iI (w, k) -> issue_ok k x.
    Proof.
      intros Lo So Hx HB. pose proof (own_key o Lo) as Ho. destruct (IH o Lo Ho So) as [PI PD].
      destruct (HI w o Ho) as [_ [_ [H3 _]]]. unfold issue_ok, start_ok in *.
      destruct (le_lt_dec x (I s (w, o))) as [L|L];
        [specialize (PI x L); unfold issue_ok in PI; lia|].
      assert (wsum b h (ahead b s (w, o)) <= wsum b h (since s x)); [|lia]. apply wsum_le.
      intros y _ Y. apply ahead_iff in Y. apply since_iff. lia.
    Qed.

    Lemma after_issue j : k = S j -> sec (get b (w, j)) = q ->
      x <= I s (w, j) + takes (get b (w, j)) -> issue_ok k x.
    Proof.
      intros E Sj Hx. destruct (HI w k Hk) as [H1 _]. specialize (H1 j E ltac:(congruence)).
      pose proof (own_key j ltac:(lia)) as Hj. destruct (IH j ltac:(lia) Hj Sj) as [PI _].
      unfold issue_ok in *.
      destruct (le_lt_dec x (I s (w, j))) as [L|L]; [specialize (PI x L); lia|].
      specialize (PI _ (le_n _)).
      assert (wsum b h (since s (I s (w, j))) <= wsum b h (since s x)); [|lia]. apply wsum_le.
      intros y _ Y. rewrite since_iff in *. lia.
    Qed.

    (** Behind them. *)
    Hypothesis No_issue : forall j, k = S j -> sec (get b (w, j)) = q ->
      I s (w, j) + takes (get b (w, j)) < x.
    Hypothesis No_ops : forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = q ->
      C s (w, p) < x.
    Hypothesis No_latch : forall o, o < k -> sec (get b (w, o)) = q ->
      fu (get b (w, o)) = fu (get b (w, k)) ->
      match depth m with
      | None => True
      | Some 0 => D s (w, o) + ai s (w, o) < x
      | Some (S _) => D s (w, o) < x
      end.

    Lemma older j : j < k -> sec (get b (w, j)) <> q ->
      C s (w, j) <= T /\ I s (w, j) + takes (get b (w, j)) <= T.
    Proof.
      intros Lj Sj. pose proof (own_key j Lj) as Hj.
      destruct (W w k Hk) as [_ [_ Ws]]. specialize (Ws j Lj).
      split; [apply Old|pose proof (Rel (w, j) Hj eq_refl)]; auto; lia.
    Qed.

    Lemma issued_before : forall j, k = S j -> I s (w, j) + takes (get b (w, j)) <= x - 1.
    Proof.
      intros j E. destruct (Nat.eq_dec (sec (get b (w, j))) q) as [Sj|Sj].
      - specialize (No_issue j E Sj). lia.
      - destruct (older j ltac:(lia) Sj). lia.
    Qed.

    Lemma ready : eligible b m s w k (x - 1).
    Proof.
      split; [lia|]. split; [lia|]. split; [exact issued_before|]. split.
      - intros p Hp. destruct (W w k Hk) as [_ [Wp _]]. specialize (Wp p Hp).
        destruct (Nat.eq_dec (sec (get b (w, p))) q) as [Sp|Sp].
        + specialize (No_ops p Hp Sp). lia.
        + destruct (older p Wp Sp). lia.
      - intros y Hy Hg Hs. rewrite Hq in *. specialize (Rel y Hy Hg Hs). lia.
    Qed.

    (** Own instructions were issued before, or not yet. *)
    Lemma own_issued j t : In (w, j) (keys b) -> 1 <= init (get b (w, j)) -> I s (w, j) = t ->
      t < x ->
      j < k /\ t < x - 1.
    Proof.
      intros Hj Hu E L. assert (j < k) as Lk by (apply own_before; auto; lia). split; [exact Lk|].
      pose proof (issued_before (k - 1) ltac:(lia)).
      destruct (Nat.eq_dec j (k - 1)) as [->|N']; [lia|].
      pose proof (order_le _ _ _ V w (k - 1) j (own_key (k - 1) ltac:(lia)) ltac:(lia)). lia.
    Qed.

    (** A slot of the sub-core is taken.  If [y] starts only after the end of the section,
        one instance of its unit is busy till then: begin again from there. *)
    Lemma begin_again y : rival y -> group m (fst y) <> group m w -> core m (fst y) = core m w ->
      1 <= init (get b y) -> I s y = x - 1 -> N <= D s y -> False.
    Proof.
      intros Ry Hg Hcy Hu Iy Dy. pose proof (proj1 Ry) as Hy.
      pose proof (v_init _ _ _ V y Hy) as Hv.
      assert (ins y < inst m (fu (get b y))) as Hc by (apply Ins; [exact Hy|lia]).
      pose proof x_end as xN. pose proof (Top k Hk Hq) as Tk.
      destruct (HI w k Hk) as [_ [_ [H3 _]]]. assert (depth m <> Some 0) as D0.
      { intros E. pose proof (start_now m b s y V E Hy). lia. }
      assert (forall P, wsum b h P <= wsum b h (fun _ => true)) as All
        by (intros P; apply wsum_le; auto). destruct (chain (fu (get b y)) (ins y) N (I s y) Hc)
        as [[o [Ho [So [Fo [Lo [Do B]]]]]]|[[z [Z1 [Z2 B]]]|B]].
      - apply Meets_slot; auto.
      - lia.
      - intros t Ht. apply (wait_full y); auto. lia.
      - intros z t Hz Fz Ht Iz. pose proof Iz as Iz'. apply init_iff in Iz'.
        assert (I s z <= I s y) as L by (apply fifo_issue; auto; lia). split; [exact L|].
        intros Hgz. apply (now_sec z k t); auto; lia.
      - pose proof (same_unit b W y (w, o) Hy Ho (eq_sym Fo) Hu) as Hou.
        pose proof (own_before o k Ho Hk Hou ltac:(lia)) as Lk. destruct (IH o Lk Ho So) as [_ PD].
        unfold start_ok in PD. pose proof (v_init _ _ _ V _ Ho). specialize (Top o Ho So).
        enough (wsum b h (ahead b s (w, o)) +
          wsum b h (run (fu (get b y)) (I s (w, o)) (S (D s (w, o))) (I s y) N)
          <= wsum b h (fun _ => true)) by lia. apply wsum_add; auto. intros z _ Z1 Z2.
        apply ahead_iff in Z1. apply run_iff in Z2. lia.
      - specialize (IHx z ltac:(lia)). unfold issue_ok in IHx.
        enough (wsum b h (since s z) + wsum b h (run (fu (get b y)) z 0 (I s y) N)
          <= wsum b h (fun _ => true)) by lia. apply wsum_add; auto. intros v _ V1 V2.
        apply since_iff in V1. apply run_iff in V2. lia.
      - specialize (All (run (fu (get b y)) 0 0 (I s y) N)). lia.
    Qed.

    Lemma slot_taken : n_issue b m s (core m w) (x - 1) = width m -> issue_ok k x.
    Proof.
      intros H. pose proof (proj2 M).
      destruct (issue_some b m s (core m w) (x - 1)) as [y [Hy [Hcy [Iy Hu]]]]; [lia|].
      assert (rival y) as Ry.
      { split; [exact Hy|]. split.
        - destruct y as [v j]. simpl. intros ->. destruct (own_issued j (x - 1) Hy Hu Iy); lia.
        - intros Hg. apply (now_sec y k (x - 1)); auto; lia. }
      assert (1 <= h y) as H1.
      { apply H_slot; auto; [lia|]. destruct (le_lt_dec N (D s y)) as [L|L]; [exfalso|exact L].
        destruct (Nat.eq_dec (group m (fst y)) (group m w)) as [Hg|Hg].
        - pose proof (End y Hy Hg (proj2 (proj2 Ry) Hg)) as E. unfold C in E.
          pose proof (v_init _ _ _ V y Hy). lia.
        - apply (begin_again y); auto. }
      apply (charge k x (x - 1) (is y)); [apply IHx; lia|lia| |].
      - intros z _ Z. apply is_iff in Z. subst z. lia.
      - pose proof (wsum_one b h (is y) y Hy (proj2 (is_iff y y) eq_refl)). lia.
    Qed.

    (** Depth 0: the unit is busy with a rival, which started when it was issued. *)
    Lemma unit_taken : 1 <= init (get b (w, k)) -> depth m = Some 0 ->
      inst m (fu (get b (w, k))) <= n_init b s (fu (get b (w, k))) (x - 1) -> issue_ok k x.
    Proof.
      intros Hu D0 H. pose proof (proj1 M (fu (get b (w, k)))).
      destruct (count_pos b (fun y => on b (fu (get b (w, k))) y && initiates s (x - 1) y))
        as [y [Hy P]].
      { unfold n_init in H. lia. }
      apply andb_prop in P as [F Iy]. apply on_iff in F. pose proof Iy as Iy'.
      apply init_iff in Iy'. pose proof (v_start _ _ _ V y Hy) as DI.
      pose proof (start_now m b s y V D0 Hy). pose proof (active_unit y _ Hy Iy) as Huy.
      assert (rival y) as Ry.
      { split; [exact Hy|]. assert (group m (fst y) = group m w -> sec (get b y) = q) as Sy.
        { intros Hg. apply (now_sec y k (x - 1)); auto; lia. }
        split; [|exact Sy]. destruct y as [v j]. simpl in *. intros ->.
        assert (j < k) as Lj by (apply own_before; auto; lia).
        specialize (No_latch j Lj (Sy eq_refl) F). rewrite D0 in No_latch. lia. }
      assert (x - Nat.max T (I s y) <= wsum b h (is y)) as S.
      { apply (window_sum b s h (is y) T N); try (pose proof x_end; lia). intros t Ht. exists y.
        split; [exact Hy|]. split; [apply is_iff; reflexivity|]. split; [|apply init_iff; lia].
        apply H_unit; [exact Ry|]. rewrite F. apply Meets_own; auto. }
      destruct (le_lt_dec T (I s y)) as [L|L].
      - apply (charge k x (I s y) (is y)); [apply IHx; lia|lia| |lia].
        intros z _ Z. apply is_iff in Z. subst z. lia.
      - unfold issue_ok. enough (wsum b h (is y) <= wsum b h (since s x)) by lia.
        apply wsum_le. intros z _ Z. apply is_iff in Z. subst z. apply since_iff. lia.
    Qed.

    (** Finite depth: as many rivals as the queue has entries wait at its head. *)
    Lemma queue_full d : 1 <= init (get b (w, k)) -> depth m = Some (S d) ->
      S d <= n_wait b s (fu (get b (w, k))) (x - 1) -> issue_ok k x.
    Proof.
      intros Hu Dd H. set (f := fu (get b (w, k))) in *.
      set (P := fun y => on b f y && waits s (x - 1) y).
      assert (forall y, In y (keys b) -> P y = true -> fu (get b y) = f /\ I s y <= x - 1 < D s y)
        as HP.
      { intros y _ Y. unfold P, waits in Y.
        rewrite !andb_true_iff, on_iff, Nat.leb_le, Nat.ltb_lt in Y. tauto. }
      destruct (latest (fun y => x - I s y) (filter P (keys b))) as [j [Hj Fj]].
      { unfold n_wait, count in H. fold P in H.
        destruct (filter P (keys b)); [simpl in H; lia|discriminate]. }
      apply filter_In in Hj as [Hj Pj]. destruct (HP j Hj Pj) as [Ef Ij].
      assert (D s j <= I s j + S d * cmax b f) as Qt.
      { rewrite <- Ef. apply (queue_time m b s ins (S d) M V Ins Dd j Hj). }
      apply (charge k x (I s j) P); [apply IHx; lia|lia| |].
      - intros y Hy Py. destruct (HP y Hy Py) as [_ Iy].
        specialize (Fj y ltac:(apply filter_In; auto)). lia.
      - transitivity (count b P * cmax b f); [unfold n_wait in H; fold P in H; nia|].
        apply wsum_count. intros y Hy Py. destruct (HP y Hy Py) as [Fy Iy]. rewrite <- Fy.
        pose proof (same_unit b W (w, k) y Hk Hy (eq_sym Fy) Hu) as Huy.
        assert (group m (fst y) = group m w -> sec (get b y) = q) as Sy.
        { intros Hg. apply (now_sec y k (x - 1)); auto; lia. }
        apply (H_wait d); [exact Dd| |rewrite Fy; apply Meets_own; auto].
        split; [exact Hy|]. split; [|exact Sy]. destruct y as [v i]. simpl in *. intros ->.
        assert (i < k) as Li by (apply own_before; auto; lia).
        specialize (No_latch i Li (Sy eq_refl) Fy). rewrite Dd in No_latch. lia.
    Qed.

    Lemma held : issue_ok k x.
    Proof.
      pose proof ready as R. destruct (init (get b (w, k))) as [|u] eqn:Hu.
      { exfalso. apply (proj2 (v_none _ _ _ V w k Hk Hu) _ R). }
      destruct (v_conserving _ _ _ V w k (x - 1) Hk R) as [H|[H1 H2]]; [apply slot_taken, H|].
      assert (exists d0, depth m = d0) as [[[|d]|] Dm] by eauto; rewrite Dm in H2; [| |destruct H2].
      - apply unit_taken; auto; lia.
      - apply queue_full with d; auto; lia.
    Qed.
  End Issue.

  Lemma issue_step k : In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    (forall j, j < k -> In (w, j) (keys b) -> sec (get b (w, j)) = q -> done j) ->
    forall x, x <= I s (w, k) -> issue_ok k x.
  Proof.
    intros Hk Hq IH. destruct (HI w k Hk) as [_ [H2 [_ H4]]]. destruct (W w k Hk) as [_ [Wp _]].
    induction x as [x IHx] using lt_wf_ind. intros Hx.
    destruct (le_lt_dec x T) as [L|L]; [unfold issue_ok; lia|].
    assert (forall x', x' < x -> issue_ok k x') as IHx' by (intros; apply IHx; lia).
    destruct (le_dec x (T + iI (w, k) + wsum b h (since s x))) as [OK|NOK]; [exact OK|].
    assert (forall o B, o < k -> sec (get b (w, o)) = q -> iD (w, o) + B <= iI (w, k) ->
      D s (w, o) + B < x) as A.
    { intros o B Lo So HB. destruct (le_lt_dec x (D s (w, o) + B)) as [X|X]; [exfalso|exact X].
      apply NOK. eapply after_start; eauto. }
    apply held; auto.
    - intros j E Sj.
      destruct (le_lt_dec x (I s (w, j) + takes (get b (w, j)))) as [X|X]; [exfalso|exact X].
      apply NOK. eapply after_issue; eauto.
    - intros p Hp Sp. specialize (Wp p Hp). specialize (H2 p Hp ltac:(congruence)).
      pose proof (keys_before _ _ _ p Hk ltac:(lia)) as Kp. unfold C.
      pose proof (v_init _ _ _ V _ Kp). pose proof (v_lat _ _ _ V _ Kp).
      specialize (A p (init (get b (w, p)) + lat (get b (w, p))) Wp Sp). lia.
    - intros o Lo So Fo. destruct (H4 o Lo ltac:(congruence) Fo) as [_ H5].
      pose proof (keys_before _ _ _ o Hk ltac:(lia)) as Ko. pose proof (v_init _ _ _ V _ Ko).
      assert (exists d0, depth m = d0) as [[[|d]|] Dm] by eauto; rewrite Dm in H5 |- *;
        [| |exact Logic.I].
      + specialize (A o (init (get b (w, o))) Lo So H5). lia.
      + specialize (A o 0 Lo So). lia.
  Qed.

  Lemma late k : In (w, k) (keys b) -> sec (get b (w, k)) = q -> done k.
  Proof.
    induction k as [k IH] using lt_wf_ind. intros Hk Hq.
    pose proof (issue_step k Hk Hq IH) as PI. split; [exact PI|]. apply start_step; auto.
  Qed.

  (** *** No instruction of the section completes at [N] *)
  Theorem not_late k : In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    iD (w, k) + init (get b (w, k)) + lat (get b (w, k)) <= top -> C s (w, k) < N.
  Proof.
    intros Hk Hq Ht. destruct (late k Hk Hq) as [_ H]. unfold start_ok in H.
    pose proof (v_init _ _ _ V _ Hk). pose proof (v_lat _ _ _ V _ Hk). unfold C.
    assert (wsum b h (ahead b s (w, k)) <= wsum b h (fun _ => true)) by (apply wsum_le; auto). lia.
  Qed.
End Late.
