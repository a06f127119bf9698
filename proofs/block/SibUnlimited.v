(** * SIB at unlimited dispatch depth: docs/proofs.md, theorem 1 (SIB, d = ∞)

    One instance of every unit; any width and number of sub-cores, with barriers
    and releases, for times up to the stated ones.  The page walks backwards from
    a completion; here is an induction forwards in program order instead. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Sib.
Import ListNotations.

(** Certificate of [G_s(w)]: the nodes I(k) and D(k). *)
Definition iso2_cert (b : block) (iI iD : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) -> iI (w, j) + takes (get b (w, j)) <= iI (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iD (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iI (w, k))
    /\ iI (w, k) <= iD (w, k)
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) ->
       fu (get b (w, o)) = fu (get b (w, k)) -> iD (w, o) + init (get b (w, o)) <= iD (w, k)).

(** ** Sums over some of the instructions *)
Definition wsum (b : block) (P : key -> bool) : nat :=
  sum (fun y => if P y then init (get b y) else 0) (keys b).

Lemma wsum_le b P Q : (forall y, In y (keys b) -> P y = true -> Q y = true) -> wsum b P <= wsum b Q.
Proof.
  intros H. apply sum_le. intros y Hy. destruct (P y) eqn:E; [rewrite (H y Hy E)|]; lia.
Qed.

Lemma wsum_add b P Q R : (forall y, In y (keys b) -> P y = true -> R y = true) ->
  (forall y, In y (keys b) -> Q y = true -> R y = true) ->
  (forall y, In y (keys b) -> P y = true -> Q y = true -> False) ->
  wsum b P + wsum b Q <= wsum b R.
Proof.
  unfold wsum, sum. intros H1 H2 H3. induction (keys b) as [|x l IH]; simpl; [lia|].
  assert (forall y, In y l -> In y (x :: l)) as Hl by (intros; right; assumption).
  specialize (IH (fun y Hy => H1 y (Hl y Hy)) (fun y Hy => H2 y (Hl y Hy)) (fun y Hy => H3 y (Hl y Hy))).
  specialize (H1 x (or_introl eq_refl)). specialize (H2 x (or_introl eq_refl)).
  specialize (H3 x (or_introl eq_refl)).
  destruct (P x); destruct (Q x); [destruct H3; reflexivity| | |].
  - rewrite H1 by reflexivity. lia.
  - rewrite H2 by reflexivity. lia.
  - destruct (R x); lia.
Qed.

Lemma wsum_one b P z : In z (keys b) -> P z = true -> init (get b z) <= wsum b P.
Proof.
  unfold wsum, sum. intros Hz HP. induction (keys b) as [|x l IH]; [destruct Hz|].
  simpl. destruct Hz as [->|Hz]; [rewrite HP; lia|]. specialize (IH Hz). lia.
Qed.

Lemma wsum_filter b P : wsum b P = sum (fun y => init (get b y)) (filter P (keys b)).
Proof.
  unfold wsum, sum. induction (keys b) as [|x l IH]; [reflexivity|]. simpl.
  destruct (P x); simpl; rewrite IH; reflexivity.
Qed.

(** Cycles in each of which some instruction of [P] initiates. *)
Lemma window_sum m b s P x z : valid m b s -> x <= z ->
  (forall t, x <= t < z -> exists y, In y (keys b) /\ P y = true /\ initiates s t y = true) ->
  z - x <= wsum b P.
Proof.
  intros V Hxz H. rewrite wsum_filter.
  transitivity (cnt (fun t => existsb (initiates s t) (filter P (keys b))) z).
  - pose proof (cnt_all (fun t => existsb (initiates s t) (filter P (keys b))) x z Hxz) as A.
    rewrite A; [lia|]. intros t Ht. destruct (H t Ht) as [y [Hy [HP Hi]]].
    apply existsb_exists. exists y. split; [apply filter_In; auto|exact Hi].
  - etransitivity; [apply (cnt_exists (initiates s))|]. apply sum_le. intros y Hy.
    apply filter_In in Hy as [Hy _]. pose proof (v_init _ _ _ V y Hy).
    pose proof (cnt_interval (D s y) (ai s y) z). unfold initiates. lia.
Qed.

Lemma last_one (p : nat -> bool) k :
  (exists o, o < k /\ p o = true /\ forall o', o < o' < k -> p o' = false)
  \/ forall o, o < k -> p o = false.
Proof.
  induction k as [|k IH]; [right; intros; lia|]. destruct (p k) eqn:E.
  - left. exists k. repeat split; auto. intros; lia.
  - destruct IH as [[o [A [B F]]]|F].
    + left. exists o. repeat split; auto. intros o' H.
      destruct (Nat.eq_dec o' k) as [->|]; [exact E|apply F; lia].
    + right. intros o H. destruct (Nat.eq_dec o k) as [->|]; [exact E|apply F; lia].
Qed.

Section SibUnlimited.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis Unlimited : depth m = None.
  Hypothesis Single : forall f, inst m f = 1.
  Hypothesis One : forall v w, group m v = group m w.
  Hypothesis Zero : forall g, begin s g = 0.
  Hypothesis HI : iso2_cert b iI iD.

  (** Two instructions that initiate on a unit at a time are the same. *)
  Lemma alone x y t : In x (keys b) -> In y (keys b) -> fu (get b x) = fu (get b y) ->
    initiates s t x = true -> initiates s t y = true -> x = y.
  Proof.
    intros Hx Hy F Ix Iy. pose proof (v_cap _ _ _ V (fu (get b y)) t) as H. rewrite Single in H.
    unfold n_init, count in H.
    set (P := fun x => on b (fu (get b y)) x && initiates s t x) in *.
    assert (In x (filter P (keys b))) as Fx.
    { apply filter_In. split; [exact Hx|]. unfold P, on. rewrite F, Nat.eqb_refl. exact Ix. }
    assert (In y (filter P (keys b))) as Fy.
    { apply filter_In. split; [exact Hy|]. unfold P, on. rewrite Nat.eqb_refl. exact Iy. }
    destruct (filter P (keys b)) as [|z [|z' l]]; [destruct Fx| |simpl in H; lia].
    destruct Fx as [<-|[]]. destruct Fy as [<-|[]]. reflexivity.
  Qed.

  Lemma init_iff x t : initiates s t x = true <-> D s x <= t < D s x + ai s x.
  Proof. unfold initiates. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. reflexivity. Qed.

  Definition unit_busy (f t : nat) : bool := 1 <=? n_init b s f t.

  Lemma unit_busy_ex f t : unit_busy f t = true ->
    exists y, In y (keys b) /\ fu (get b y) = f /\ initiates s t y = true.
  Proof.
    unfold unit_busy. intros H. apply Nat.leb_le in H.
    destruct (count_pos b (fun x => on b f x && initiates s t x)) as [y [Hy Hp]].
    { unfold n_init in H. lia. }
    apply andb_prop in Hp as [Hf Hp]. apply Nat.eqb_eq in Hf. eauto.
  Qed.

  Lemma unit_busy_of y t : In y (keys b) -> initiates s t y = true -> unit_busy (fu (get b y)) t = true.
  Proof.
    intros Hy Hi. unfold unit_busy. apply Nat.leb_le. unfold n_init, count.
    set (P := fun x => on b (fu (get b y)) x && initiates s t x).
    assert (In y (filter P (keys b))) as Fy.
    { apply filter_In. split; [exact Hy|]. unfold P, on. rewrite Nat.eqb_refl. exact Hi. }
    destruct (filter P (keys b)); [destruct Fy|simpl; lia].
  Qed.

  Lemma wait_busy y t : In y (keys b) -> I s y <= t < D s y -> unit_busy (fu (get b y)) t = true.
  Proof.
    intros Hy Ht. unfold unit_busy. rewrite <- (Single (fu (get b y))). apply Nat.leb_le.
    apply (v_asap _ _ _ V y t Hy). unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. exact Ht.
  Qed.

  (** From [z] on: either [p] holds without a gap up to [n], or there is a last gap. *)
  Lemma last_gap (p : nat -> bool) z n : z <= n ->
    (forall t, z <= t < n -> p t = true)
    \/ exists x, z < x <= n /\ p (x - 1) = false /\ forall t, x <= t < n -> p t = true.
  Proof.
    intros H. assert (forall d, d <= n - z ->
      (forall t, n - d <= t < n -> p t = true) \/
      exists x, z < x <= n /\ p (x - 1) = false /\ forall t, x <= t < n -> p t = true) as A.
    { induction d as [|d IH]; intros Hd; [left; intros; lia|].
      destruct (IH ltac:(lia)) as [A|A]; [|right; exact A].
      destruct (p (n - S d)) eqn:E.
      - left. intros t Ht. destruct (Nat.eq_dec t (n - S d)) as [->|N]; [exact E|apply A; lia].
      - right. exists (n - d). replace (n - d - 1) with (n - S d) by lia. split; [lia|]. split; [exact E|exact A]. }
    destruct (A (n - z) (le_n _)) as [B|B]; [left; intros; apply B; lia|right; exact B].
  Qed.

  Section OneSection.
    Variables (q T : nat).
    Hypothesis Old : forall x, In x (keys b) -> sec (get b x) < q -> C s x <= T.
    Hypothesis Rel : forall x, In x (keys b) -> sec (get b x) < q -> forall g, I s x + takes (get b x) + ar s g q <= T.

    (** The rivals issued before [x]; those that an instruction has before it. *)
    Definition since (w x : nat) (y : key) : bool := rival b m w q y && (I s y <? x).
    Definition ahead (w : nat) (k : key) (y : key) : bool :=
      rival b m w q y && ((I s y <? I s k) ||
        ((I s y =? I s k) && (fu (get b y) =? fu (get b k)) && (D s y <? D s k))).

    Lemma ahead_since w k x : I s k < x -> wsum b (ahead w k) <= wsum b (since w x).
    Proof.
      intros Hx. apply wsum_le. intros y _ Hy. unfold ahead, since in *.
      apply andb_prop in Hy as [-> Hy]. simpl. apply Nat.ltb_lt.
      apply orb_prop in Hy as [Hy|Hy]; [apply Nat.ltb_lt in Hy; lia|].
      apply andb_prop in Hy as [Hy _]. apply andb_prop in Hy as [Hy _]. apply Nat.eqb_eq in Hy. lia.
    Qed.

    Lemma own_used w k y : In (w, k) (keys b) -> sec (get b (w, k)) = q ->
      fst y <> w -> sec (get b y) = q ->
      (core m (fst y) = core m w \/ fu (get b y) = fu (get b (w, k))) -> rival b m w q y = true.
    Proof.
      intros Hk Hq Hw Hs Hr. unfold rival. rewrite !andb_true_iff. split; [split|].
      - apply negb_true_iff, Nat.eqb_neq, Hw.
      - apply Nat.eqb_eq, Hs.
      - apply orb_true_iff. destruct Hr as [Hr|Hr]; [left; apply Nat.eqb_eq, Hr|right].
        apply existsb_exists. exists (w, k). split; [exact Hk|]. unfold on. simpl.
        rewrite Nat.eqb_refl, Hq, Nat.eqb_refl, Hr, Nat.eqb_refl. reflexivity.
    Qed.

    (** An instruction that initiates at or after [T] and was issued no later than one of
        section [q] is of section [q]. *)
    Lemma now y k t : In y (keys b) -> In k (keys b) -> sec (get b k) = q -> 1 <= init (get b k) ->
      T <= t -> initiates s t y = true -> I s y <= I s k -> sec (get b y) = q.
    Proof.
      intros Hy Hk Hq Hu Ht Hi HI'. apply init_iff in Hi.
      destruct (lt_eq_lt_dec (sec (get b y)) q) as [[H|H]|H]; [|exact H|].
      - specialize (Old y Hy H). unfold C in Old. lia.
      - rewrite <- Hq in H. pose proof (v_barrier _ _ _ V y k Hy Hk (One _ _) H). lia.
    Qed.

    Lemma late w : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
      (forall x, x <= I s (w, k) -> x <= T + iI (w, k) + wsum b (since w x))
      /\ D s (w, k) <= T + iD (w, k) + wsum b (ahead w (w, k)).
    Proof.
      induction k as [k IH] using lt_wf_ind. intros Hk Hq.
      destruct (HI w k Hk) as [H1 [H2 [H3 H4]]]. destruct (W w k Hk) as [_ [Wp Ws]].
      assert (forall j, j < k -> In (w, j) (keys b)) as Kj by (intros; eapply keys_before; [exact Hk|lia]).
      pose proof (v_start _ _ _ V _ Hk) as HS.
      assert (forall j, j < k -> sec (get b (w, j)) <> q -> C s (w, j) <= T) as Oldj.
      { intros j Hj Hn. specialize (Ws j Hj). apply Old; [auto|lia]. }
      assert (forall x, x <= I s (w, k) -> x <= T + iI (w, k) + wsum b (since w x)) as PI.
      { induction x as [x IHx] using lt_wf_ind. intros Hx.
        destruct (le_lt_dec x T) as [HT|HT]; [lia|].
        (* behind the issue before *)
        destruct (match k as k' return k = k' -> {x <= I s (w, k' - 1) + takes (get b (w, k' - 1)) /\ 0 < k'}
                                          + {k' = 0 \/ I s (w, k' - 1) + takes (get b (w, k' - 1)) < x} with
                  | 0 => fun _ => right (or_introl eq_refl)
                  | S j => fun _ => match le_lt_dec x (I s (w, S j - 1) + takes (get b (w, S j - 1))) with
                                    | left h => left (conj h (Nat.lt_0_succ j))
                                    | right h => right (or_intror h) end end eq_refl) as [[Hc Hk0]|Hc].
        { destruct k as [|j]; [lia|]. replace (S j - 1) with j in Hc by lia.
          destruct (Nat.eq_dec (sec (get b (w, j))) q) as [Sj|Sj].
          - destruct (IH j ltac:(lia) (Kj j ltac:(lia)) Sj) as [B _]. specialize (H1 j eq_refl ltac:(congruence)).
            destruct (le_lt_dec x (I s (w, j))) as [L|L]; [specialize (B x L); lia|].
            specialize (B (I s (w, j)) (le_n _)).
            assert (wsum b (since w (I s (w, j))) <= wsum b (since w x)); [|lia].
            apply wsum_le. intros y _ Hy. unfold since in *. apply andb_prop in Hy as [-> Hy].
            apply Nat.ltb_lt in Hy. apply Nat.ltb_lt. lia.
          - pose proof (Oldj j ltac:(lia) Sj) as HC. pose proof (v_start _ _ _ V _ (Kj j ltac:(lia))).
            pose proof (v_init _ _ _ V _ (Kj j ltac:(lia))). unfold C in HC. lia. }
        (* before the completion of an operand *)
        destruct (existsb (fun p => x <=? C s (w, p)) (ops (get b (w, k)))) eqn:Eo.
        { apply existsb_exists in Eo as [p [Hp Hxp]]. apply Nat.leb_le in Hxp. pose proof (Wp p Hp) as Lp.
          destruct (Nat.eq_dec (sec (get b (w, p))) q) as [Sp|Sp]; [|specialize (Oldj p Lp Sp); lia].
          destruct (IH p Lp (Kj p Lp) Sp) as [B1 B2]. specialize (H2 p Hp ltac:(congruence)).
          pose proof (v_init _ _ _ V _ (Kj p Lp)). pose proof (v_lat _ _ _ V _ (Kj p Lp)). unfold C in Hxp.
          destruct (HI w p (Kj p Lp)) as [_ [_ [H3p _]]].
          destruct (le_lt_dec x (I s (w, p))) as [L|L]; [specialize (B1 x L); lia|].
          pose proof (ahead_since w (w, p) x L). lia. }
        (* ready: a rival took the slot of the cycle before *)
        assert (forall p, In p (ops (get b (w, k))) -> C s (w, p) < x) as Ho.
        { intros p Hp. destruct (le_lt_dec x (C s (w, p))) as [L|L]; [|exact L]. exfalso.
          assert (existsb (fun p => x <=? C s (w, p)) (ops (get b (w, k))) = true); [|congruence].
          apply existsb_exists. exists p. split; [exact Hp|]. apply Nat.leb_le, L. }
        destruct (v_conserving _ _ _ V w k (x - 1) Hk) as [H|[_ H]].
        { split; [lia|]. split; [rewrite Zero; lia|]. split; [|split].
          - intros j ->. destruct Hc as [Hc|Hc]; [lia|]. replace (S j - 1) with j in Hc by lia. lia.
          - intros p Hp. specialize (Ho p Hp). lia.
          - intros y Hy _ Hs. rewrite Hq in *. specialize (Rel y Hy Hs (group m w)). lia. }
        2: { rewrite Unlimited in H. destruct H. }
        pose proof (proj2 M).
        destruct (issue_some b m s (core m w) (x - 1)) as [y [Hy [Hcy [Hp Hu]]]]; [lia|].
        specialize (IHx (x - 1) ltac:(lia) ltac:(lia)).
        assert (wsum b (since w (x - 1)) + wsum b (fun z => (fst z =? fst y) && (snd z =? snd y)) <= wsum b (since w x)) as A.
        { assert (rival b m w q y = true) as Ry.
          { apply (own_used w k y Hk Hq); [| |left; exact Hcy].
            - destruct y as [v j]. simpl. intros ->.
              destruct (lt_eq_lt_dec j k) as [[L|L]|L].
              + destruct Hc as [Hc|Hc]; [lia|].
                destruct (Nat.eq_dec j (k - 1)) as [->|N]; [lia|].
                pose proof (order_lt _ _ _ V w (k - 1) j ltac:(apply Kj; lia) ltac:(lia) Hu). lia.
              + subst j. lia.
              + pose proof (order_le _ _ _ V w j k Hy L). lia.
            - destruct (lt_eq_lt_dec (sec (get b y)) q) as [[L|L]|L]; [|exact L|].
              + specialize (Rel y Hy L 0). lia.
              + rewrite <- Hq in L. pose proof (v_barrier _ _ _ V y (w, k) Hy Hk (One _ _) L). lia. }
          apply wsum_add.
          - intros z _ Hz. unfold since in *. apply andb_prop in Hz as [-> Hz].
            apply Nat.ltb_lt in Hz. apply Nat.ltb_lt. lia.
          - intros z _ Hz. apply andb_prop in Hz as [E1 E2]. apply Nat.eqb_eq in E1, E2.
            assert (z = y) as -> by (destruct z, y; simpl in *; congruence).
            unfold since. rewrite Ry. simpl. apply Nat.ltb_lt. lia.
          - intros z _ Hz1 Hz2. apply andb_prop in Hz2 as [E1 E2]. apply Nat.eqb_eq in E1, E2.
            assert (z = y) as -> by (destruct z, y; simpl in *; congruence).
            unfold since in Hz1. apply andb_prop in Hz1 as [_ Hz1]. apply Nat.ltb_lt in Hz1. lia. }
        pose proof (wsum_one b (fun z => (fst z =? fst y) && (snd z =? snd y)) y Hy
                     ltac:(cbv beta; rewrite !Nat.eqb_refl; reflexivity)) as A1.
        lia. }
      split; [exact PI|].
      destruct (Nat.eq_dec (D s (w, k)) (I s (w, k))) as [E|N].
      { pose proof (PI (I s (w, k)) (le_n _)) as B.
        assert (wsum b (since w (I s (w, k))) <= wsum b (ahead w (w, k))); [|lia].
        apply wsum_le. intros y _ Hy. unfold since, ahead in *. apply andb_prop in Hy as [-> Hy].
        simpl. rewrite Hy. reflexivity. }
      destruct (le_lt_dec (D s (w, k)) T) as [HT|HT]; [lia|].
      assert (1 <= init (get b (w, k))) as Hu by (apply (wait_unit b m s); auto; lia).
      (* what initiates on the unit, at or after T and before k, without being own *)
      set (f := fu (get b (w, k))) in *.
      set (J := fun x d y => rival b m w q y && (fu (get b y) =? f) && (x <=? I s y) && (d <=? D s y)
                             && (I s y <=? I s (w, k)) && (D s y <? D s (w, k))).
      assert (forall y t, In y (keys b) -> fu (get b y) = f -> initiates s t y = true -> t < D s (w, k) ->
                I s y <= I s (w, k) /\ D s y < D s (w, k)) as JI.
      { intros y t Hy Hf Hi Ht. apply init_iff in Hi. split; [|lia].
        destruct (le_lt_dec (I s y) (I s (w, k))) as [L|L]; [exact L|].
        pose proof (v_fifo _ _ _ V (w, k) y Hk Hy ltac:(unfold f in *; congruence) L). lia. }
      assert (forall x d y, J x d y = true -> x <= I s y /\ d <= D s y /\ fu (get b y) = f
                /\ ahead w (w, k) y = true) as JA.
      { intros x d y Hy. unfold J, ahead in *. rewrite !andb_true_iff in Hy.
        destruct Hy as [[[[[-> E1] E2] E5] E3] E4]. fold f. rewrite E1, E4.
        apply Nat.eqb_eq in E1. apply Nat.leb_le in E2, E3, E5. repeat split; auto. simpl.
        destruct (Nat.ltb_spec (I s y) (I s (w, k))); [reflexivity|].
        rewrite (proj2 (Nat.eqb_eq (I s y) (I s (w, k)))) by lia. reflexivity. }
      assert (forall x, x <= I s (w, k) -> wsum b (since w x) + wsum b (J x 0) <= wsum b (ahead w (w, k))) as JW.
      { intros x L. apply wsum_add.
        - intros y _ Hy. unfold since, ahead in *. apply andb_prop in Hy as [-> Hy]. apply Nat.ltb_lt in Hy.
          simpl. apply orb_true_iff. left. apply Nat.ltb_lt. lia.
        - intros y _ Hy. apply JA in Hy. apply Hy.
        - intros y _ Hy1 Hy2. apply JA in Hy2. unfold since in Hy1. apply andb_prop in Hy1 as [_ Hy1].
          apply Nat.ltb_lt in Hy1. lia. }
      assert (forall y j t, y = (w, j) -> In y (keys b) -> initiates s t y = true -> t < D s (w, k) ->
                fu (get b y) = f -> j < k) as Own.
      { intros y j t -> Hy Hi Ht Hf. apply init_iff in Hi. destruct (le_lt_dec k j) as [L|L]; [exfalso|exact L].
        destruct (Nat.eq_dec j k) as [->|Nj]; [lia|].
        pose proof (order_lt _ _ _ V w j k Hy ltac:(lia) Hu) as L1.
        pose proof (v_fifo _ _ _ V (w, k) (w, j) Hk Hy ltac:(unfold f in *; congruence) L1). lia. }
      (* the last own instruction on the unit in this section, if there is one *)
      assert ((exists o, o < k /\ fu (get b (w, o)) = f /\ sec (get b (w, o)) = q /\
                 forall o', o < o' < k -> fu (get b (w, o')) = f -> sec (get b (w, o')) = q -> False)
              \/ forall o, o < k -> fu (get b (w, o)) = f -> sec (get b (w, o)) = q -> False) as Last.
      { destruct (last_one (fun o => (fu (get b (w, o)) =? f) && (sec (get b (w, o)) =? q)) k) as [[o [A [B F]]]|F].
        - left. exists o. apply andb_prop in B as [B1 B2]. apply Nat.eqb_eq in B1, B2. repeat split; auto.
          intros o' Ho' X Y. specialize (F o' Ho'). rewrite X, Y, !Nat.eqb_refl in F. discriminate.
        - right. intros o Ho X Y. specialize (F o Ho). rewrite X, Y, !Nat.eqb_refl in F. discriminate. }
      (* the gap argument, from z on, where no own instruction initiates at or after z *)
      assert (forall z, T <= z -> z <= D s (w, k) ->
                (forall j t, j < k -> z <= t -> fu (get b (w, j)) = f -> initiates s t (w, j) = true -> False) ->
                (forall t, z <= t < D s (w, k) -> unit_busy f t = true) ->
                forall x0 d0, (forall y t, In y (keys b) -> fu (get b y) = f -> z <= t < D s (w, k) ->
                   initiates s t y = true -> x0 <= I s y /\ d0 <= D s y) ->
                D s (w, k) - z <= wsum b (J x0 d0)) as Gap.
      { intros z HTz Hz HO HB x0 d0 HX. apply (window_sum m b s _ _ _ V Hz). intros t Ht.
        destruct (unit_busy_ex f t (HB t Ht)) as [y [Hy [Hf Hi]]]. exists y. split; [exact Hy|]. split; [|exact Hi].
        destruct (JI y t Hy Hf Hi ltac:(lia)) as [I1 I2].
        destruct (HX y t Hy Hf Ht Hi) as [X1 X2].
        unfold J. rewrite !andb_true_iff. repeat split.
        - apply (own_used w k y Hk Hq); [|apply (now y (w, k) t); auto; lia|right; exact Hf].
          intros Hw. destruct y as [v j]. simpl in Hw. subst v.
            pose proof (Own _ j t eq_refl Hy Hi ltac:(lia) Hf) as Lj.
            apply (HO j t Lj ltac:(lia) Hf Hi).
        - apply Nat.eqb_eq, Hf.
        - apply Nat.leb_le, X1.
        - apply Nat.leb_le, X2.
        - apply Nat.leb_le, I1.
        - apply Nat.ltb_lt, I2. }
      assert (forall j t, j < k -> T <= t -> initiates s t (w, j) = true -> sec (get b (w, j)) = q) as OwnNow.
      { intros j t Hj Ht Hi. destruct (Nat.eq_dec (sec (get b (w, j))) q) as [E|E]; [exact E|exfalso].
        specialize (Oldj j Hj E). apply init_iff in Hi. unfold C in Oldj. lia. }
      assert (forall o, o < k -> fu (get b (w, o)) = f -> D s (w, o) + ai s (w, o) <= D s (w, k)) as Before.
      { intros o Ho Hf. pose proof (v_fifo _ _ _ V (w, o) (w, k) (Kj o Ho) Hk Hf (order_unit b m s W V w k o Hk Ho Hf Hu)) as F.
        destruct (le_lt_dec (D s (w, o) + ai s (w, o)) (D s (w, k))) as [L|L]; [exact L|exfalso].
        assert ((w, o) = (w, k)) as X; [|inversion X; lia].
        apply (alone _ _ (D s (w, k)) (Kj o Ho) Hk Hf); apply init_iff; [lia|].
        pose proof (v_init _ _ _ V _ Hk). lia. }
      (* a gap at x - 1: what initiates from x on was issued from x on *)
      assert (forall z, T <= z -> z <= D s (w, k) ->
                (forall j t, j < k -> z <= t -> fu (get b (w, j)) = f -> initiates s t (w, j) = true -> False) ->
                (forall t, z <= t < D s (w, k) -> unit_busy f t = true)
                \/ D s (w, k) <= T + iI (w, k) + wsum b (ahead w (w, k))) as Cut.
      { intros z HTz Hz HO. destruct (last_gap (unit_busy f) z (D s (w, k)) Hz) as [A|[x [Hx [G HB]]]]; [left; exact A|right].
        assert (x <= I s (w, k)) as Lx.
        { destruct (le_lt_dec x (I s (w, k))) as [L|L]; [exact L|exfalso].
          pose proof (wait_busy (w, k) (x - 1) Hk ltac:(lia)) as X. fold f in X. congruence. }
        pose proof (Gap x ltac:(lia) ltac:(lia) ltac:(intros j t Hj Ht; apply HO; lia) HB x 0) as B.
        assert (D s (w, k) - x <= wsum b (J x 0)) as B'.
        { apply B. intros y t Hy Hf Ht Hi. split; [|lia]. destruct (le_lt_dec x (I s y)) as [L|L]; [exact L|exfalso].
          apply init_iff in Hi. destruct (le_lt_dec x (D s y)) as [L2|L2].
          - pose proof (wait_busy y (x - 1) Hy ltac:(lia)) as X. congruence.
          - pose proof (unit_busy_of y (x - 1) Hy ltac:(apply init_iff; lia)) as X. congruence. }
        pose proof (PI x Lx). pose proof (JW x Lx). lia. }
      assert (wsum b (J 0 0) <= wsum b (ahead w (w, k))) as J0.
      { apply wsum_le. intros y _ Hy. apply JA in Hy. apply Hy. }
      destruct Last as [[o [Ho [Fo [So Lo]]]]|NoOwn].
      - (* own o before k: from max(T, end of o) on *)
        pose proof (Before o Ho Fo) as Bo.
        pose proof (same_unit b W _ _ Hk (Kj o Ho) (eq_sym Fo) Hu) as Hou.
        assert (forall j t, j < k -> T <= t -> D s (w, o) + ai s (w, o) <= t -> fu (get b (w, j)) = f ->
                  initiates s t (w, j) = true -> False) as HO.
        { intros j t Hj HTt Ht Hf Hi. pose proof (OwnNow j t Hj HTt Hi) as Sj.
          destruct (lt_eq_lt_dec j o) as [[L|L]|L].
          - pose proof (v_fifo _ _ _ V (w, j) (w, o) (Kj j Hj) (Kj o Ho) ltac:(congruence) (order_unit b m s W V w o j (Kj o Ho) L ltac:(congruence) Hou)) as F.
            apply init_iff in Hi. pose proof (v_init _ _ _ V _ (Kj o Ho)).
            assert ((w, j) = (w, o)) as X; [|inversion X; lia].
            apply (alone _ _ (D s (w, o)) (Kj j Hj) (Kj o Ho) ltac:(congruence)); apply init_iff; lia.
          - subst j. apply init_iff in Hi. lia.
          - apply (Lo j ltac:(lia) Hf Sj). }
        destruct (le_lt_dec (D s (w, o) + ai s (w, o)) T) as [L|L].
        + destruct (Cut T (le_n _) ltac:(lia)) as [HB|B]; [| |lia].
          { intros j t Hj Ht Hf Hi. apply (HO j t Hj Ht ltac:(lia) Hf Hi). }
          assert (D s (w, k) - T <= wsum b (J 0 0)); [|lia].
          apply (Gap T (le_n _) ltac:(lia)); [|exact HB|intros; lia].
          intros j t Hj Ht Hf Hi. apply (HO j t Hj Ht ltac:(lia) Hf Hi).
        + destruct (Cut (D s (w, o) + ai s (w, o)) ltac:(lia) Bo) as [HB|B]; [| |lia].
          { intros j t Hj Ht Hf Hi. apply (HO j t Hj ltac:(lia) Ht Hf Hi). }
          assert (D s (w, k) - (D s (w, o) + ai s (w, o)) <= wsum b (J (I s (w, o)) (S (D s (w, o))))) as G1.
          { apply (Gap (D s (w, o) + ai s (w, o)) ltac:(lia) Bo); [|exact HB|].
            - intros j t Hj Ht Hf Hi. apply (HO j t Hj ltac:(lia) Ht Hf Hi).
            - intros y t Hy Hf Ht Hi. apply init_iff in Hi. pose proof (v_init _ _ _ V _ (Kj o Ho)).
              assert (D s (w, o) < D s y) as Hd.
              { destruct (le_lt_dec (D s y) (D s (w, o))) as [X|X]; [exfalso|exact X].
                assert (y = (w, o)) as ->; [|lia].
                apply (alone y (w, o) (D s (w, o)) Hy (Kj o Ho) ltac:(congruence)); apply init_iff; lia. }
              split; [|lia]. destruct (le_lt_dec (I s (w, o)) (I s y)) as [X|X]; [exact X|exfalso].
              pose proof (v_fifo _ _ _ V y (w, o) Hy (Kj o Ho) ltac:(congruence) X). lia. }
          destruct (IH o Ho (Kj o Ho) So) as [_ B2]. specialize (H4 o Ho ltac:(congruence) Fo).
          pose proof (v_init _ _ _ V _ (Kj o Ho)).
          assert (wsum b (ahead w (w, o)) + wsum b (J (I s (w, o)) (S (D s (w, o)))) <= wsum b (ahead w (w, k))) as A; [|lia].
          pose proof (order_lt _ _ _ V w k o Hk Ho Hou). apply wsum_add.
          * intros y _ Hy. unfold ahead in *. apply andb_prop in Hy as [-> Hy]. simpl.
            apply orb_true_iff. left. apply Nat.ltb_lt. apply orb_prop in Hy as [Hy|Hy]; [apply Nat.ltb_lt in Hy; lia|].
            apply andb_prop in Hy as [Hy _]. apply andb_prop in Hy as [Hy _]. apply Nat.eqb_eq in Hy. lia.
          * intros y _ Hy. apply JA in Hy. apply Hy.
          * intros y _ Hy1 Hy2. apply JA in Hy2. unfold ahead in Hy1. apply andb_prop in Hy1 as [_ Hy1].
            apply orb_prop in Hy1 as [Hy1|Hy1]; [apply Nat.ltb_lt in Hy1; lia|].
            apply andb_prop in Hy1 as [_ Hy1]. apply Nat.ltb_lt in Hy1. lia.
      - destruct (Cut T (le_n _) ltac:(lia)) as [HB|B]; [| |lia].
        { intros j t Hj Ht Hf Hi. apply (NoOwn j Hj Hf (OwnNow j t Hj Ht Hi)). }
        assert (D s (w, k) - T <= wsum b (J 0 0)); [|lia].
        apply (Gap T (le_n _) ltac:(lia)); [|exact HB|intros; lia].
        intros j t Hj Ht Hf Hi. apply (NoOwn j Hj Hf (OwnNow j t Hj Ht Hi)).
    Qed.

    Lemma section_end x : In x (keys b) -> sec (get b x) = q -> C s x <= T + term b m iD q.
    Proof.
      intros Hx Hq. destruct x as [w k]. destruct (late w k Hx Hq) as [_ H].
      pose proof (v_init _ _ _ V _ Hx). pose proof (v_lat _ _ _ V _ Hx). unfold C.
      assert (wsum b (ahead w (w, k)) <= others b m w q) as A.
      { unfold others. rewrite <- wsum_filter. apply wsum_le. intros y _ Hy.
        unfold ahead in Hy. apply andb_prop in Hy as [Hy _]. exact Hy. }
      assert (iD (w, k) + init (get b (w, k)) + lat (get b (w, k)) + others b m w q <= term b m iD q).
      { apply list_max_ge, in_map_iff. exists (w, k). split; [reflexivity|].
        apply filter_In. split; [exact Hx|]. apply Nat.eqb_eq, Hq. }
      lia.
    Qed.
  End OneSection.

  Lemma start_ok q :
    (forall x, In x (keys b) -> sec (get b x) < q -> C s x <= start b m iD q)
    /\ (forall x, In x (keys b) -> sec (get b x) < q -> forall g, I s x + takes (get b x) + ar s g q <= start b m iD q).
  Proof.
    induction q as [|q [IH1 IH2]]; [split; intros; lia|].
    assert (forall x, In x (keys b) -> sec (get b x) < S q ->
              C s x <= start b m iD q + term b m iD q) as H.
    { intros x Hx Hs. destruct (Nat.eq_dec (sec (get b x)) q) as [E|N].
      - apply section_end; auto.
      - specialize (IH1 x Hx ltac:(lia)). lia. }
    split; intros x Hx Hs; specialize (H x Hx Hs); cbn [start]; [lia|]. intros g.
    pose proof (v_rel _ _ _ V g (S q)). pose proof (v_start _ _ _ V x Hx).
    pose proof (v_init _ _ _ V x Hx). unfold C in H. lia.
  Qed.

  (** *** Theorem 1, SIB at unlimited depth, with barriers *)
  Theorem sib_inf_bound x : In x (keys b) -> C s x <= sib b m iD.
  Proof.
    intros Hx. destruct (start_ok (sec (get b x))) as [H1 H2].
    pose proof (section_end _ _ H1 H2 x Hx eq_refl) as H.
    assert (sec (get b x) <= last_sec b) as Hq.
    { apply list_max_ge, in_map_iff. eauto. }
    unfold sib. destruct (Nat.eq_dec (sec (get b x)) (last_sec b)) as [<-|N]; [exact H|].
    assert (forall d, start b m iD (sec (get b x)) + term b m iD (sec (get b x))
              <= start b m iD (S (sec (get b x)) + d)) as Hs.
    { induction d as [|d IHd]; [rewrite Nat.add_0_r; cbn [start]; lia|].
      rewrite Nat.add_succ_r. cbn [start]. lia. }
    specialize (Hs (last_sec b - S (sec (get b x)))).
    replace (S (sec (get b x)) + (last_sec b - S (sec (get b x)))) with (last_sec b) in Hs by lia. lia.
  Qed.
End SibUnlimited.
