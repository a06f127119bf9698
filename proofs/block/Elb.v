(** * Lemma 1 (idle cycles) and ELB: docs/proofs.md, section 8

    For every dispatch depth, issue width, number of sub-cores and instances,
    with barriers, and for times up to the stated ones. *)

From Warpbound Require Import Base Cycles Model.

(** A cycle is busy when some unit initiates. *)
Definition busy (b : block) (s : schedule) (t : nat) : bool :=
  existsb (initiates s t) (keys b).
Definition idle b s t : bool := negb (busy b s t).

(** [L] is a certificate of the latency path: it satisfies the inequalities of
    [lamI].  The least such [L] is [lamI] itself (file Paths.v). *)
Definition lam_cert (m : machine) (b : block) (L : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> L (w, j) <= L (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> L (w, p) + lat (get b (w, p)) <= L (w, k))
    /\ (forall y, In y (keys b) -> group m (fst y) = group m w ->
          sec (get b y) < sec (get b (w, k)) -> L y + release m (sec (get b (w, k))) <= L (w, k)).

(** E: the sum of all initiations. *)
Definition E (b : block) : nat := sum (fun x => init (get b x)) (keys b).
(** The longest latency path of a certificate. *)
Definition top (b : block) (L : key -> nat) : nat :=
  list_max (map (fun x => L x + lat (get b x)) (keys b)).

(** What of the rules the proof needs: an instruction may be issued with the one before it (section
    14 of the page), and in cycles of [skip] a warp may be kept from issuing by whatever there is
    (section 15). *)
Record lively_but (skip : nat -> bool) (m : machine) (b : block) (s : schedule) : Prop := {
  l_init : forall x, In x (keys b) -> takes (get b x) <= ai s x <= init (get b x);
  l_lat : forall x, In x (keys b) -> al s x <= lat (get b x);
  l_rel : forall g n, ar s g n <= release m n;
  l_begin : forall x, In x (keys b) -> begin s (group m (fst x)) <= I s x;
  l_order : forall w k, In (w, S k) (keys b) ->
    I s (w, k) + takes (get b (w, k)) <= I s (w, S k) \/ I s (w, S k) = I s (w, k);
  l_ops : forall w k p, In (w, k) (keys b) -> In p (ops (get b (w, k))) -> C s (w, p) <= I s (w, k);
  l_start : forall x, In x (keys b) -> I s x <= D s x;
  l_asap : forall x t, In x (keys b) -> waits s t x = true ->
  inst m (fu (get b x)) <= n_init b s (fu (get b x)) t;
  l_barrier : forall x y, In x (keys b) -> In y (keys b) -> group m (fst y) = group m (fst x) ->
    sec (get b y) < sec (get b x) -> I s y + takes (get b y)
      + ar s (group m (fst x)) (sec (get b x)) <= I s x;
  l_conserving : forall w k t, In (w, k) (keys b) -> skip t = false -> eligible b m s w k t ->
    n_issue b m s (core m w) t = width m \/ blocked b m s (fu (get b (w, k))) t
    \/ exists y, In y (keys b) /\ I s y = t /\ 1 <= init (get b y) }.

Notation lively := (lively_but (fun _ => false)).

Lemma valid_but skip m b s : valid m b s -> lively_but skip m b s.
Proof.
  intros V. constructor; try apply V.
  - intros w k H. left. apply (v_order _ _ _ V w k H).
  - intros w k t H _ E. destruct (v_conserving _ _ _ V w k t H E) as [A|A]; auto.
Qed.

Lemma valid_lively m b s : valid m b s -> lively m b s.
Proof. apply valid_but. Qed.

Coercion valid_lively : valid >-> lively_but.

(** ** Cycles that do not count, as those in which a memory serves somebody, or a warp waits for
    instruction fetch: busy or not they are left out of latencies, too. *)
Section Skipped.
  Variables (skip : nat -> bool) (m : machine) (b : block) (s : schedule).
  Hypotheses (M : machine_ok m) (W : wf b) (V : lively_but skip m b s).

  Lemma initiates_busy x t : In x (keys b) -> initiates s t x = true -> busy b s t = true.
  Proof. intros H1 H2. apply existsb_exists. eauto. Qed.

  Lemma full_busy f t : inst m f <= n_init b s f t -> busy b s t = true.
  Proof.
    intros H. pose proof (proj1 M f) as Hf.
    destruct (count_pos b (fun x => on b f x && initiates s t x)) as [x [Hx Hp]].
    - unfold n_init in H. lia.
    - apply andb_prop in Hp as [_ Hp]. eauto using initiates_busy.
  Qed.

  (** From its issue to the end of its initiation an instruction keeps a unit busy:
      its own or, while it waits, the instances it waits for. *)
  Lemma issued_busy x t : In x (keys b) -> I s x <= t < D s x + ai s x -> busy b s t = true.
  Proof.
    intros Hx Ht. destruct (le_lt_dec (D s x) t) as [H|H].
    - apply (initiates_busy x t Hx). unfold initiates.
      apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - apply (full_busy (fu (get b x)) t), (l_asap _ _ _ _ V x t Hx).
      unfold waits. apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  Lemma issue_busy x : In x (keys b) -> 1 <= init (get b x) -> busy b s (I s x) = true.
  Proof.
    intros Hx Hu. apply (issued_busy x); [assumption|].
    pose proof (l_start _ _ _ _ V x Hx). pose proof (l_init _ _ _ _ V x Hx). lia.
  Qed.

  (** Work conservation: where only a slot or a unit holds a warp, the cycle is busy. *)
  Lemma eligible_busy w k t : In (w, k) (keys b) -> skip t = false -> eligible b m s w k t ->
    busy b s t = true.
  Proof.
    intros Hk Sk He. destruct (l_conserving _ _ _ _ V w k t Hk Sk He)
      as [H|[[H _]|[x [Hx [<- Hu]]]]]; [| |apply issue_busy; assumption].
    - pose proof (proj2 M).
      destruct (issue_some b m s (core m w) t) as [x [Hx [_ [<- Hu]]]]; [lia|].
      apply issue_busy; assumption.
    - eauto using full_busy.
  Qed.

  (** Times up to the issue and the completion of an instruction *)
  Section Counted.
    Variable slow : key -> nat.
    Hypothesis Slow : forall x, In x (keys b) -> al s x + cnt skip (D s x + ai s x)
      <= slow x + cnt skip (C s x).

    (** Cycles from [t0] on that are busy or do not count. *)
    Definition spent_from (t0 t : nat) : bool := (t0 <=? t) && (busy b s t || skip t).

    Lemma spent_from_on t0 t : t0 <= t -> busy b s t = true -> spent_from t0 t = true.
    Proof. intros H1 H2. unfold spent_from. rewrite H2, andb_true_r. apply Nat.leb_le, H1. Qed.

    Lemma skip_spent t0 x y : t0 <= x <= y -> cnt skip y + cnt (spent_from t0) x
      <= cnt skip x + cnt (spent_from t0) y.
    Proof.
      intros H. replace y with (x + (y - x)) by lia. generalize (y - x). intros d.
      induction d as [|d IH]; [rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r. cbn [cnt].
      unfold spent_from at 3. rewrite (proj2 (Nat.leb_le t0 (x + d))) by lia.
      destruct (busy b s (x + d)), (skip (x + d)); cbn [andb orb]; lia.
    Qed.

    (** When the issue of [x] is at most [B] late, so is its completion, but for its latency. *)
    Lemma complete_late t0 x B : In x (keys b) -> t0 <= I s x ->
      I s x <= B + cnt (spent_from t0) (I s x) -> C s x <= B + slow x + cnt (spent_from t0) (C s x).
    Proof.
      intros Hx H0 H. pose proof (l_start _ _ _ _ V x Hx) as H1.
      assert (cnt (spent_from t0) (D s x + ai s x)
              = cnt (spent_from t0) (I s x) + (D s x + ai s x - I s x)) as H2.
      { apply cnt_all; [lia|]. intros t Ht. apply spent_from_on; [lia|].
        apply (issued_busy x); assumption || lia. }
      pose proof (Slow x Hx) as Sl.
      pose proof (skip_spent t0 (D s x + ai s x) (C s x) ltac:(unfold C; lia)) as S. unfold C in *.
      lia.
    Qed.

    Variable L : key -> nat.
    Hypothesis HL : forall w k, In (w, k) (keys b) ->
      (forall j, k = S j -> L (w, j) <= L (w, k))
      /\ (forall p, In p (ops (get b (w, k))) -> L (w, p) + slow (w, p) <= L (w, k))
      /\ (forall y, In y (keys b) -> group m (fst y) = group m w ->
            sec (get b y) < sec (get b (w, k)) -> L y + release m (sec (get b (w, k))) <= L (w, k)).

    (** Behind an issue: the cycle of an issue is busy. *)
    Lemma issue_passed t0 x B : In x (keys b) -> t0 <= I s x ->
      I s x <= B + cnt (spent_from t0) (I s x) ->
      I s x + takes (get b x) <= B + cnt (spent_from t0) (I s x + takes (get b x)).
    Proof.
      intros Hx H0 H.
      destruct (init (get b x)) as [|i] eqn:Hi; [simpl; rewrite Nat.add_0_r; exact H|].
      replace (takes (get b x)) with 1 by lia. rewrite Nat.add_1_r. cbn [cnt].
      rewrite (spent_from_on t0 (I s x)) by (assumption || (apply issue_busy; [exact Hx|lia])). lia.
    Qed.

    Lemma issue_late g : forall n x, In x (keys b) -> group m (fst x) = g -> rank b x <= n ->
      I s x <= (begin s g + L x) + cnt (spent_from (begin s g)) (I s x).
    Proof.
      induction n as [n IH] using lt_wf_ind. intros [w k] Hk Hg Hn. simpl in Hg.
      destruct (HL w k Hk) as [L1 [L2 L3]]. destruct (W w k Hk) as [_ [Wp _]].
      assert ((forall j, k = S j -> I s (w, j) + takes (get b (w, j)) <= I s (w, k)) \/ exists j, k
        = S j /\ I s (w, k) = I s (w, j)) as [First|[j [-> E]]].
      { destruct k as [|j]; [left; discriminate|].
        destruct (l_order _ _ _ _ V w j Hk) as [O|O]; [left|right; eauto]. intros i Ei.
        inversion Ei; subst i. exact O. }
      2: { destruct (rank_prog b W w (S j) j Hk (Nat.lt_succ_diag_r j)) as [Hj Rj]. rewrite E.
        pose proof (IH _ (Nat.lt_le_trans _ _ _ Rj Hn) (w, j) Hj Hg (le_n _)).
        specialize (L1 j eq_refl). lia. }
      set (t0 := begin s g) in *. set (q := sec (get b (w, k))) in *.
      set (before := fun y => (group m (fst y) =? g) && (sec (get b y) <? q)).
      set (ys := t0 :: match k with 0 => [] | S j => [I s (w, j) + takes (get b (w, j))] end
             ++ map (fun p => C s (w, p)) (ops (get b (w, k)))
             ++ map (fun y => I s y + takes (get b y) + ar s g q) (filter before (keys b))).
      assert (forall y, In y (keys b) -> group m (fst y) = g -> t0 <= I s y) as T0.
      { intros y Hy Hgy. unfold t0. rewrite <- Hgy. apply (l_begin _ _ _ _ V y Hy). }
      assert (forall y, In y ys -> y <= I s (w, k) /\ y <= (t0 + L (w, k)) + cnt (spent_from t0) y)
        as Y.
      { intros y Hy. unfold ys in Hy. cbn [In] in Hy. rewrite !in_app_iff, !in_map_iff in Hy.
        destruct Hy as [<-|[Hy|[[p [<- Hp]]|[z [<- Hz]]]]].
        - split; [auto|lia].
        - destruct k as [|j]; [destruct Hy|]. destruct Hy as [<-|[]].
          pose proof (First j eq_refl) as Ho. split; [lia|].
          destruct (rank_prog b W w (S j) j Hk (Nat.lt_succ_diag_r j)) as [Hj Rj].
          pose proof (IH _ (Nat.lt_le_trans _ _ _ Rj Hn) (w, j) Hj Hg (le_n _)) as H.
          apply issue_passed in H; auto. specialize (L1 j eq_refl). lia.
        - pose proof (l_ops _ _ _ _ V w k p Hk Hp) as Ho. split; [exact Ho|].
          destruct (rank_prog b W w k p Hk (Wp p Hp)) as [Hj Rj].
          pose proof (IH _ (Nat.lt_le_trans _ _ _ Rj Hn) (w, p) Hj Hg (le_n _)) as H.
          apply complete_late in H; [|assumption|apply T0; assumption].
          specialize (L2 p Hp). lia.
        - apply filter_In in Hz as [Hz Hb]. unfold before in Hb. apply andb_prop in Hb as [Hgz Hs].
          apply Nat.eqb_eq in Hgz. apply Nat.ltb_lt in Hs.
          pose proof (l_barrier _ _ _ _ V (w, k) z Hk Hz ltac:(simpl; congruence) Hs) as Ho.
          simpl fst in Ho. rewrite Hg in Ho. split; [exact Ho|].
          pose proof (IH _ (Nat.lt_le_trans _ _ _ (rank_sec b _ z Hz Hs) Hn) z Hz Hgz (le_n _))
            as H. apply issue_passed in H; auto. specialize (L3 z Hz ltac:(congruence) Hs).
          pose proof (l_rel _ _ _ _ V g q). pose proof
            (cnt_mono (spent_from t0) (I s z + takes (get b z)) (I s z + takes (get b z) + ar s g q)
            ltac:(lia)). fold q in L3. lia. }
      apply (walk _ _ _ ys).
      - intros y Hy _. apply Y, Hy.
      - intros y Hy Hgt. apply Y in Hy. lia.
      - intros t Ht Hys. assert (t0 <= t) as Ht0 by (apply Hys; left; reflexivity).
        destruct (skip t) eqn:Sk; [unfold spent_from; rewrite Sk, orb_true_r, andb_true_r;
          apply Nat.leb_le, Ht0|]. apply spent_from_on; [exact Ht0|].
        apply (eligible_busy w k t Hk Sk). split; [exact Ht|]. split; [rewrite Hg; exact Ht0|].
        split; [|split].
        + intros j ->. apply Hys. unfold ys.
          right. apply in_or_app. left. left. reflexivity.
        + intros p Hp. apply Hys. unfold ys. right. apply in_or_app. right. apply in_or_app. left.
          apply in_map_iff. eauto.
        + intros y Hy Hgy Hs. rewrite Hg in *. apply Hys. unfold ys. right. apply in_or_app. right.
          apply in_or_app. right. apply in_map_iff. exists y. split; [reflexivity|].
          apply filter_In. split; [exact Hy|]. unfold before. rewrite Hgy, Nat.eqb_refl.
          apply Nat.ltb_lt, Hs.
    Qed.

    Lemma spent_split t0 n : t0 <= n ->
      t0 + cnt (spent_from t0) n + cnt (fun t => (t0 <=? t) && idle b s t && negb (skip t)) n = n.
    Proof.
      intros H. assert (forall d, t0 + cnt (spent_from t0) (t0 + d)
                          + cnt (fun t => (t0 <=? t) && idle b s t && negb (skip t)) (t0 + d)
                              = t0 + d) as A.
      { induction d as [|d IH].
        - rewrite Nat.add_0_r, !cnt_none; [lia| |]; intros t Ht; [|unfold spent_from];
            rewrite (proj2 (Nat.leb_gt _ _)) by exact Ht; reflexivity.
        - rewrite Nat.add_succ_r. cbn [cnt]. unfold spent_from at 2, idle at 2.
          rewrite (proj2 (Nat.leb_le t0 (t0 + d))) by lia.
          destruct (busy b s (t0 + d)), (skip (t0 + d)); simpl; lia. }
      replace n with (t0 + (n - t0)) at 1 2 by lia. rewrite A. lia.
    Qed.

    (** *** Lemma 1 of the cycles that count *)
    Theorem counted_issue x : In x (keys b) ->
      cnt (fun t => (begin s (group m (fst x)) <=? t) && idle b s t && negb (skip t)) (I s x)
        <= L x.
    Proof.
      intros Hx. pose proof (issue_late _ (rank b x) x Hx eq_refl (le_n _)) as H.
      pose proof (spent_split _ (I s x) (l_begin _ _ _ _ V x Hx)) as N. lia.
    Qed.

    (** Until [x] is complete, at most [L x + slow x] cycles are idle and not skipped. *)
    Theorem counted_complete x : In x (keys b) ->
      cnt (fun t => (begin s (group m (fst x)) <=? t) && idle b s t && negb (skip t)) (C s x)
        <= L x + slow x.
    Proof.
      intros Hx. pose proof (issue_late _ (rank b x) x Hx eq_refl (le_n _)) as H.
      pose proof (l_begin _ _ _ _ V x Hx) as Hb. pose proof (l_start _ _ _ _ V x Hx).
      apply complete_late in H; [|assumption|assumption].
      pose proof (spent_split (begin s (group m (fst x))) (C s x) ltac:(unfold C; lia)) as N. lia.
    Qed.
  End Counted.
End Skipped.

Section Elb.
  Variables (m : machine) (b : block) (s : schedule).
  Hypotheses (M : machine_ok m) (W : wf b) (V : lively m b s).

  (** Busy cycles from [t0] on. *)
  Definition busy_from (t0 t : nat) : bool := (t0 <=? t) && busy b s t.

  Lemma busy_from_on t0 t : t0 <= t -> busy b s t = true -> busy_from t0 t = true.
  Proof. intros H1 H2. unfold busy_from. rewrite H2, andb_true_r. apply Nat.leb_le, H1. Qed.

  (** Idle cycles in [t0, n). *)
  Definition idle_from (t0 t : nat) : bool := (t0 <=? t) && idle b s t.

  Lemma split_from t0 n : t0 <= n ->
    t0 + cnt (busy_from t0) n + cnt (idle_from t0) n = n.
  Proof.
    intros H.
    assert (forall d, t0 + cnt (busy_from t0) (t0 + d) + cnt (idle_from t0) (t0 + d) = t0 + d) as A.
    { induction d as [|d IH].
      - rewrite Nat.add_0_r, !cnt_none; [lia| |]; intros t Ht; [unfold idle_from|unfold busy_from];
          rewrite (proj2 (Nat.leb_gt _ _)) by exact Ht; reflexivity.
      - rewrite Nat.add_succ_r. cbn [cnt]. unfold busy_from at 2, idle_from at 2, idle.
        rewrite (proj2 (Nat.leb_le t0 (t0 + d))) by lia. destruct (busy b s (t0 + d)); simpl; lia. }
    replace n with (t0 + (n - t0)) at 1 2 by lia. rewrite A. lia.
  Qed.

  Variable L : key -> nat.
  Hypothesis HL : lam_cert m b L.

  (** Every cycle counts. *)
  Lemma all_count t0 n : cnt (idle_from t0) n
    <= cnt (fun t => (t0 <=? t) && idle b s t && negb false) n.
  Proof. apply cnt_le. intros t _ H. rewrite andb_true_r. exact H. Qed.

  Lemma lat_counts x : In x (keys b) ->
    al s x + cnt (fun _ => false) (D s x + ai s x) <= lat (get b x) + cnt (fun _ => false) (C s x).
  Proof.
    intros Hx. pose proof (l_lat _ _ _ _ V x Hx).
    pose proof (cnt_mono (fun _ => false) (D s x + ai s x) (C s x) ltac:(unfold C; lia)). lia.
  Qed.

  (** *** Lemma 1.  From the start of its thread block to the issue of an instruction at
      most [L] cycles of the SM are idle, to its completion at most [L] and its latency,
      whatever other thread blocks the SM holds. *)
  Theorem idle_issue x : In x (keys b) ->
    cnt (idle_from (begin s (group m (fst x)))) (I s x) <= L x.
  Proof.
    intros Hx. etransitivity; [apply all_count|].
    apply (counted_issue (fun _ => false) m b s M W V (fun x => lat (get b x)) lat_counts L
      HL x Hx).
  Qed.

  (** Until [x] is complete, at most [L x] and its latency are idle cycles. *)
  Theorem idle_complete x : In x (keys b) ->
    cnt (idle_from (begin s (group m (fst x)))) (C s x) <= L x + lat (get b x).
  Proof.
    intros Hx. etransitivity; [apply all_count|].
    apply (counted_complete (fun _ => false) m b s M W V (fun x => lat (get b x)) lat_counts L
      HL x Hx).
  Qed.

  Lemma busy_sum n : cnt (busy b s) n <= E b.
  Proof.
    etransitivity; [apply (cnt_exists (initiates s))|]. apply sum_le. intros x Hx.
    pose proof (l_init _ _ _ _ V x Hx). pose proof (cnt_interval (D s x) (ai s x) n).
    unfold initiates. lia.
  Qed.

  Lemma top_ge x : In x (keys b) -> L x + lat (get b x) <= top b L.
  Proof. intros Hx. apply list_max_ge, in_map_iff. eauto. Qed.

  (** *** Theorem 2 (ELB), counted from the start of the thread block; [E] is that of
      all thread blocks on the SM.  One thread block, started at 0: the page's. *)
  Theorem elb x : In x (keys b) ->
    C s x <= begin s (group m (fst x)) + E b + top b L.
  Proof.
    intros Hx. pose proof (idle_complete x Hx) as H. pose proof (busy_sum (C s x)) as HE.
    pose proof (l_begin _ _ _ _ V x Hx). pose proof (l_start _ _ _ _ V x Hx).
    pose proof (split_from (begin s (group m (fst x))) (C s x) ltac:(unfold C; lia)) as N.
    assert (cnt (busy_from (begin s (group m (fst x)))) (C s x) <= cnt (busy b s) (C s x)).
    { apply cnt_le. intros t _ Ht. apply andb_prop in Ht as [_ Ht]. exact Ht. }
    pose proof (top_ge x Hx). lia.
  Qed.
End Elb.
