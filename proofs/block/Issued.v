(** * Every instruction is issued: docs/proofs.md, section 1 (progress)

    No execution comes to a standstill: what theorem 2 says of complete schedules
    holds of an execution up to any cycle, so that by then an instruction is issued. *)

From Warpbound Require Import Base Cycles Model Elb Paths Prefix Checks Run Progress.

Section Issued.
  Variables (m : machine) (b : block) (s : schedule) (n : nat).
  Hypotheses (M : machine_ok m) (W : wf b) (P : prefix m b s n).

  Lemma busy_until x t : In x (keys b) -> t < n -> I s x <= t < D s x + ai s x -> busy b s t = true.
  Proof.
    intros Hx Hn Ht. destruct (le_lt_dec (D s x) t) as [H|H].
    - apply (initiates_busy b s x t Hx). unfold initiates.
      apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - apply (full_busy m b s M (fu (get b x)) t).
      destruct P as [_ L]. apply (proj1 (L t Hn) x Hx), waits_iff. lia.
  Qed.

  Lemma held_busy w k t : In (w, k) (keys b) -> t < n -> eligible b m s w k t -> busy b s t = true.
  Proof.
    intros Hk Hn He. destruct P as [S0 L]. destruct (proj2 (L t Hn) w k Hk He) as [_ [H|[H _]]].
    - pose proof (proj2 M).
      destruct (issue_some b m s (core m w) t) as [x [Hx [_ [Ht Hu]]]]; [lia|].
      pose proof (s_init _ _ _ _ S0 x Hx). pose proof (s_start _ _ _ _ S0 x Hx).
      apply (busy_until x t Hx Hn). lia.
    - apply (full_busy m b s M _ _ H).
  Qed.

  (** [u] cycles are too few for [x] to be issued: [B] and the busy ones are more. *)
  Variable g : nat.
  Let t0 := begin s g.
  Definition early (B u : nat) : Prop := u <= B + cnt (busy_from b s t0) u.

  Lemma behind_more B v r u : (forall u, u <= n -> u <= v -> early B u) -> u <= n -> u <= v + r ->
    early (B + r) u.
  Proof.
    intros H Hn Hu. pose proof (H (Nat.min u v) ltac:(lia) ltac:(lia)) as E. unfold early in *.
    pose proof (cnt_mono (busy_from b s t0) (Nat.min u v) u ltac:(lia)). lia.
  Qed.

  Section Behind.
    Variables (x : key) (B : nat).
    Hypotheses (Hx : In x (keys b)) (Hg : group m (fst x) = g).
    Hypothesis IH : forall u, u <= n -> u <= I s x -> early B u.

    Lemma behind_init u : u <= n -> u <= D s x + ai s x -> early B u.
    Proof.
      intros Hn Hu. destruct (le_lt_dec u (I s x)) as [L|L]; [auto|].
      pose proof (IH (I s x) ltac:(lia) (le_n _)) as E. unfold early in *. destruct P as [S0 _].
      pose proof (s_begin _ _ _ _ S0 x Hx ltac:(lia)) as T. rewrite Hg in T. fold t0 in T.
      rewrite (cnt_all (busy_from b s t0) (I s x) u); [lia|lia|].
      intros t Ht. apply busy_from_on; [lia|]. apply (busy_until x); [exact Hx|lia|lia].
    Qed.

    Lemma behind_issue u : u <= n -> u <= I s x + takes (get b x) -> early B u.
    Proof.
      intros Hn Hu. destruct (le_lt_dec u (I s x)) as [L|L]; [auto|]. destruct P as [S0 _].
      apply behind_init; [exact Hn|].
      pose proof (s_init _ _ _ _ S0 x Hx). pose proof (s_start _ _ _ _ S0 x Hx). lia.
    Qed.
  End Behind.

  Variable L : key -> nat.
  Hypothesis HL : lam_cert m b L.

  Lemma not_issued_late : forall r x, In x (keys b) -> group m (fst x) = g -> rank b x <= r ->
    forall u, u <= n -> u <= I s x -> early (t0 + L x) u.
  Proof.
    induction r as [r IH] using lt_wf_ind. intros [w k] Hk Hg Hr u Hn Hu. cbn [fst] in Hg.
    destruct (HL w k Hk) as [L1 [L2 L3]]. destruct (W w k Hk) as [_ [Wp _]]. pose proof P as [S0 _].
    set (q := sec (get b (w, k))) in *.
    set (before := fun y => (group m (fst y) =? g) && (sec (get b y) <? q)).
    set (ys := t0 :: match k with 0 => [] | S j => [I s (w, j) + takes (get b (w, j))] end
           ++ map (fun p => C s (w, p)) (ops (get b (w, k)))
           ++ map (fun y => I s y + takes (get b y) + ar s g q) (filter before (keys b))).
    assert (forall y, In y ys -> forall v, v <= n -> v <= y -> early (t0 + L (w, k)) v) as Y.
    { intros y Hy v Hv Hvy. unfold ys in Hy. cbn [In] in Hy. rewrite !in_app_iff, !in_map_iff in Hy.
      destruct Hy as [<-|[Hy|[[p [<- Hp]]|[z [<- Hz]]]]].
      - unfold early. lia.
      - destruct k as [|j]; [destruct Hy|]. destruct Hy as [<-|[]].
        destruct (rank_prog b W w (S j) j Hk (Nat.lt_succ_diag_r j)) as [Hj Rj].
        pose proof (behind_issue (w, j) _ Hj Hg
          (IH _ (Nat.lt_le_trans _ _ _ Rj Hr) (w, j) Hj Hg (le_n _)) v Hv Hvy) as E.
        specialize (L1 j eq_refl). unfold early in *. lia.
      - destruct (rank_prog b W w k p Hk (Wp p Hp)) as [Hj Rj].
        pose proof (behind_more _ (D s (w, p) + ai s (w, p)) (al s (w, p)) v
          (behind_init (w, p) _ Hj Hg (IH _ (Nat.lt_le_trans _ _ _ Rj Hr) (w, p) Hj Hg (le_n _))) Hv
          Hvy) as E. pose proof (s_lat _ _ _ _ S0 _ Hj). specialize (L2 p Hp). unfold early in *.
        lia.
      - apply filter_In in Hz as [Hz Hb]. unfold before in Hb. apply andb_prop in Hb as [Hgz Hs].
        apply Nat.eqb_eq in Hgz. apply Nat.ltb_lt in Hs.
        pose proof (behind_more _ (I s z + takes (get b z)) (ar s g q) v
          (behind_issue z _ Hz Hgz (IH _ (Nat.lt_le_trans _ _ _ (rank_sec b _ z Hz Hs) Hr) z Hz Hgz
          (le_n _))) Hv Hvy) as E. specialize (L3 z Hz ltac:(congruence) Hs).
        pose proof (s_rel _ _ _ _ S0 g q). fold q in L3. unfold early in *. lia. }
    apply (walk _ _ _ ys).
    - intros y Hy L'. apply (Y y Hy y); lia.
    - intros y Hy L'. apply (Y y Hy u); lia.
    - intros t Ht Hys.
      assert (t0 <= t) as Ht0 by (apply Hys; left; reflexivity).
      apply busy_from_on; [exact Ht0|]. apply (held_busy w k t Hk); [lia|].
      split; [lia|]. split; [rewrite Hg; exact Ht0|]. split; [|split].
      + intros j ->. apply Hys. right. apply in_or_app. left. left. reflexivity.
      + intros p Hp. apply Hys. right. apply in_or_app. right. apply in_or_app. left.
        apply in_map_iff. eauto.
      + intros y Hy Gy Hs. rewrite Hg in *. apply Hys. right. apply in_or_app. right.
        apply in_or_app. right. apply in_map_iff. exists y. split; [reflexivity|]. apply filter_In.
        split; [exact Hy|]. unfold before. rewrite Gy, Nat.eqb_refl. apply Nat.ltb_lt, Hs.
  Qed.

  Lemma early_end B : early B n -> n <= B + E b.
  Proof.
    intros H. unfold early in H. enough (cnt (busy_from b s t0) n <= E b) by lia.
    transitivity (cnt (busy b s) n); [|etransitivity;
      [apply (cnt_exists (initiates s) (keys b) n)|]].
    - apply cnt_le. intros t _ Ht. apply andb_prop in Ht as [_ Ht]. exact Ht.
    - apply sum_le. intros x Hx. destruct P as [S0 _]. pose proof (s_init _ _ _ _ S0 x Hx).
      pose proof (cnt_interval (D s x) (ai s x) n). unfold initiates. lia.
  Qed.
End Issued.

(** *** Progress.  An execution that has gone on for longer than the thread block's start,
    E and the latency path has issued the instruction, and started it: nothing is held
    for ever, whatever is preferred, at every depth, width and number of instances. *)
Theorem issued_by m b s n : machine_ok m -> wf b -> prefix m b s n ->
  forall x, In x (keys b) -> begin s (group m (fst x)) + lamI b m x + E b < n -> I s x < n /\
  D s x < n.
Proof.
  intros M W P x Hx Hn. set (g := group m (fst x)) in *.
  pose proof (not_issued_late m b s n M W P g _ (lamI_cert b m W) _ x Hx eq_refl (le_n _)) as H.
  split.
  - destruct (le_lt_dec n (I s x)) as [L|L]; [|exact L].
    pose proof (early_end m b s n P g _ (H n (le_n _) L)). lia.
  - destruct (le_lt_dec n (D s x)) as [L|L]; [|exact L].
    pose proof (early_end m b s n P g _
      (behind_init m b s n M P g x _ Hx eq_refl H n (le_n _) ltac:(lia))). lia.
Qed.

(** Hence a valid schedule: an execution as long as this is a whole one. *)
Theorem execution_valid m b s n : machine_ok m -> wf b -> prefix m b s n ->
  (forall x, In x (keys b) -> begin s (group m (fst x)) + lamI b m x + E b < n) -> valid m b s.
Proof.
  intros M W P H. apply (prefix_valid m b s n P). intros x Hx.
  apply (issued_by m b s n M W P x Hx); auto.
Qed.

(** What the surroundings decide: actual times, none longer than stated, and starts. *)
Definition times_ok (m : machine) (b : block) (s : schedule) : Prop :=
  (forall x, In x (keys b) -> takes (get b x) <= ai s x <= init (get b x))
  /\ (forall x, In x (keys b) -> al s x <= lat (get b x))
  /\ (forall g k, ar s g k <= release m k).

Lemma prefix_begin m b s : times_ok m b s -> prefix m b s 0.
Proof.
  intros [T1 [T2 T3]]. split; [|intros t H; lia].
  constructor; auto; intros; try lia.
Qed.

Lemma run_prefix m b order s n : wf b -> fair b order -> times_ok m b s ->
  prefix m b (run m b order s n) n.
Proof.
  intros W F T. induction n as [|n IH]; [apply prefix_begin, T|]. cbn [run].
  apply cycle_ok; assumption.
Qed.

Lemma run_begin m b order s n : wf b -> fair b order -> times_ok m b s ->
  begin (run m b order s n) = begin s.
Proof.
  intros W F T. induction n as [|n IH]; [reflexivity|]. cbn [run]. rewrite <- IH. symmetry.
  apply (a_begin b _ _ n). apply cycle_ok; auto using run_prefix.
Qed.

(** After [long_enough] cycles everything is issued. *)
Definition long_enough (m : machine) (b : block) (s : schedule) : nat :=
  S (list_max (map (fun x => begin s (group m (fst x)) + lamI b m x + E b) (keys b))).

(** *** The machine runs every well-formed block to its end, under every arbiter and for all
    actual times, and what it does is a valid schedule: the theorems speak of something. *)
Theorem run_valid m b order s : machine_ok m -> wf b -> fair b order -> times_ok m b s ->
  valid m b (run m b order s (long_enough m b s)).
Proof.
  intros M W F T. apply (execution_valid m b _ (long_enough m b s)); auto using run_prefix.
  intros x Hx. rewrite run_begin by assumption. apply le_n_S, list_max_ge, in_map_iff. eauto.
Qed.
