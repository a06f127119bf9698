(** * The mean of alignments (docs/wave-bounds.md, theorem 2, the end of its proof)

    Each other warp of [g], and each team of others, counts the time of the path of [g], and what is
    charged to it as often as there are of them: their mean is a bound.  The warps of [g] are
    aligned section by section; what others have is left open here (WaveTeams.v: their teams). *)

From Warpbound Require Import Base Cycles Largest Model Potential Graph Paths Aln Stay WavePotential
  WaveBound.
From Warpbound Require Share.

(** m of the page: warps of [g] less one, and [n] warps or teams of others. *)
Definition teams (ws : list nat) (n : nat) : nat := length ws - 1 + n.

(** What [y] of another thread block costs at a node, in whichever section it is. *)
Definition charge_any (m : machine) (b : block) (w : nat) (n : node) (y : key) : nat :=
  let (d, k) := n in
  if 1 <=? init (get b (w, k)) then if d then charge_D b (w, k) y else charge_I m b (w, k) y else 0.

Lemma table_mono (f : nat -> nat) l i j : (forall k, k < l -> f k <= f (S k)) -> i <= j -> j <= l ->
  f i <= f j.
Proof.
  intros H. induction 1 as [|j L IH]; intros Lj; [lia|]. specialize (IH ltac:(lia)).
  specialize (H j ltac:(lia)). lia.
Qed.

Section WaveMean.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat) (there : nat -> bool).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (Begun : begin s g <= t0).
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g ->
    there (group m (fst y)) = false ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.

  (** The warps of [g], certificates of their alignments, and how many are aligned besides. *)
  Variables (ws : list nat) (A : nat -> nat -> node -> nat -> nat) (n_others : nat).
  Hypothesis Ws : NoDup ws /\ forall x, of m b g x -> In (fst x) ws.
  Notation c := (teams ws n_others).
  Hypothesis Some_team : 1 <= c.
  Hypothesis HA : forall w u, In w ws -> In u ws -> u <> w -> align_cert m b w u c (A w u).

  (** What all others count at a node of warp [w] of [g], [c] times, when they have issued so
      much. *)
  Variable other : nat -> node -> progress -> nat.
  Hypothesis O_mono : forall w n J J', of m b g (w, snd n) -> reaches J J' ->
    other w n J <= other w n J'.
  Hypothesis O_edge : forall w n e J, of m b g (w, snd n) ->
    In e (edges m b no_unit no_queue w n) ->
    other w (fst e) J + n_others * snd e <= other w n J.
  Hypothesis O_jump : forall x o d J, of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    other (fst o) (true, snd o) J + n_others * (init (get b o) + lat (get b o))
      <= other (fst x) (d, snd x) J.
  Hypothesis O_charge : forall w n y J J', of m b g (w, snd n) -> 1 <= init (get b (w, snd n)) ->
    group m (fst y) <> g -> met m b g there w (sec (get b (w, snd n))) J J' y ->
    other w n J + c * charge_any m b w n y <= other w n J'.

  (** ** The bound *)

  (** The other warps of [g]. *)
  Definition fellows (w : nat) : list nat := filter (fun u => negb (u =? w)) ws.
  (** The largest sum of alignments of a warp in section [q]. *)
  Definition own_term (q : nat) : nat := list_max
    (map (fun w => sum (align b A q w) (fellows w)) ws).
  (** The own terms before section [q]. *)
  Fixpoint own_start (q : nat) : nat := match q with 0 => 0 | S r => own_start r + own_term r end.
  (** The releases before section [q]. *)
  Fixpoint releases (q : nat) : nat := match q with 0 => 0 | S r => releases r + release m q end.

  (** The mean of own terms and others, and the releases. *)
  Definition mean_bound (q X : nat) : nat := releases q + (own_start (S q) + X) / c.

  (** ** The potential *)

  (** What the own warps count at a node. *)
  Definition own_sum (w : nat) (n : node) (J : progress) : nat :=
    sum (fun u => A w u n (min (J u) (len b u))) (fellows w).
  (** The mean at a node. *)
  Definition mean (w : nat) (n : node) (J : progress) : nat :=
    let q := sec (get b (w, snd n)) in releases q + (own_start q + own_sum w n J + other w n J) / c.

  (** Outside of the graph a potential says nothing. *)
  Definition mean_at (d : bool) (x : key) (J : progress) : nat :=
    if (group m (fst x) =? g) && ((fst x <? length b) && (snd x <? len b (fst x))) then mean (fst x)
      (d, snd x) J else 0.

  Lemma mean_of d x J : of m b g x -> mean_at d x J = mean (fst x) (d, snd x) J.
  Proof.
    destruct x as [w k]. intros [Hx Gx]. cbn [fst] in Gx. apply in_keys in Hx as [H1 H2].
    unfold mean_at. cbn [fst snd].
    rewrite (proj2 (Nat.eqb_eq _ _) Gx), (proj2 (Nat.ltb_lt _ _) H1), (proj2 (Nat.ltb_lt _ _) H2).
    reflexivity.
  Qed.

  Lemma fellows_length w : In w ws -> length (fellows w) = length ws - 1.
  Proof. intros H. apply Share.length_without; [apply Ws|exact H]. Qed.

  Lemma fellow w u : In u (fellows w) -> In u ws /\ u <> w.
  Proof.
    intros H. apply filter_In in H as [H1 H2]. apply negb_true_iff, Nat.eqb_neq in H2. auto.
  Qed.

  Lemma own_mono w u n i j : of m b g (w, snd n) -> In u (fellows w) -> i <= j -> j <= len b u ->
    A w u n i <= A w u n j.
  Proof.
    intros Hn Hu. apply fellow in Hu as [H1 H2]. apply table_mono. intros k Hk.
    pose proof (proj2 (HA w u (proj2 Ws _ Hn) H1 H2 n (proj1 Hn)) k Hk). lia.
  Qed.

  Lemma own_sum_mono w n J J' : of m b g (w, snd n) -> reaches J J' ->
    own_sum w n J <= own_sum w n J'.
  Proof. intros Hn R. apply sum_le. intros u Hu. specialize (R u). apply own_mono; auto; lia. Qed.

  Lemma mean_edge w n e J : of m b g (w, snd n) -> In e (edges m b no_unit no_queue w n) ->
    mean w (fst e) J + snd e <= mean w n J.
  Proof.
    intros Hn He.
    destruct (edges_up m b W no_unit no_queue w _ n e (conj (proj1 Hn) eq_refl) He) as [[_ Se] _].
    unfold mean. rewrite Se, <- Nat.add_assoc. apply Nat.add_le_mono_l.
    apply div_more; [exact Some_team|].
    assert (own_sum w (fst e) J + (length ws - 1) * snd e <= own_sum w n J) as H1.
    { rewrite <- (fellows_length w (proj2 Ws _ Hn)). apply sum_all. intros u Hu.
      apply fellow in Hu as [U1 U2].
      apply (proj1 (HA w u (proj2 Ws _ Hn) U1 U2 n (proj1 Hn)) e _ He). lia. }
    pose proof (O_edge w n e J Hn He). unfold teams. rewrite Nat.mul_add_distr_r. lia.
  Qed.

  (** A completion is within the terms of its section. *)
  Lemma own_end w k J : of m b g (w, k) ->
    own_sum w (true, k) J + (length ws - 1) * (init (get b (w, k)) + lat (get b (w, k)))
      <= own_term (sec (get b (w, k))).
  Proof.
    intros Hk. pose proof (proj2 Ws _ Hk) as Hw. cbn [fst] in Hw.
    transitivity (sum (align b A (sec (get b (w, k))) w) (fellows w)).
    - rewrite <- (fellows_length w Hw). apply sum_all. intros u Hu. rewrite Nat.add_assoc.
      etransitivity; [apply Nat.add_le_mono_r, Nat.add_le_mono_r,
        (own_mono w u (true, k) _ (len b u) Hk Hu); lia|]. apply list_max_ge, in_map_iff. exists k.
      split; [reflexivity|]. apply filter_In. destruct Hk as [Hk _]. apply in_keys in Hk.
      split; [apply in_seq; lia|apply Nat.eqb_refl].
    - apply (list_max_in_ge (fun v => sum (align b A (sec (get b (w, k))) v) (fellows v)) ws w Hw).
  Qed.

  Lemma start_later q r : q < r -> own_start q + own_term q <= own_start r /\
    releases q + release m r <= releases r.
  Proof.
    induction r as [|r IH]; intros L; [lia|]. cbn [own_start releases].
    destruct (Nat.eq_dec q r) as [->|N]; [lia|]. specialize (IH ltac:(lia)). lia.
  Qed.

  Lemma mean_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    mean (fst o) (true, snd o) J + init (get b o) + lat (get b o) + release m (sec (get b x))
      <= mean (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho L. pose proof (O_jump x o d J Hx Ho L) as H2. destruct x as [w k], o as [v i].
    unfold mean. cbn [fst snd] in *. destruct (start_later _ _ L) as [S1 S2].
    pose proof (own_end v i J Ho) as H1.
    enough ((own_start (sec (get b (v, i))) + own_sum v (true, i) J + other v (true, i) J) / c
      + (init (get b (v, i)) + lat (get b (v, i)))
      <= (own_start (sec (get b (w, k))) + own_sum w (d, k) J + other w (d, k) J) / c) by lia.
    apply div_more; [exact Some_team|]. unfold teams. rewrite Nat.mul_add_distr_r. lia.
  Qed.

  Lemma mean_charge x y d J J' : of m b g x -> 1 <= init (get b x) ->
    met m b g there (fst x) (sec (get b x)) J J' y ->
    mean (fst x) (d, snd x) J + (if d then charge_D b x y else charge_I m b x y)
      <= mean (fst x) (d, snd x) J'.
  Proof.
    destruct x as [w k], y as [u i]. intros Hx Ix Met. pose proof Met as [Hy [Me [R [[L1 L2] _]]]].
    cbn [fst snd] in *. pose proof (proj1 (in_keys _ _ _) Hy) as [_ Li].
    apply meets_iff in Me as [Nw Me]. cbn [fst] in Nw, Me.
    pose proof (own_sum_mono w (d, k) J J' Hx R) as O1.
    pose proof (O_mono w (d, k) J J' Hx R) as O2. unfold mean. cbn [snd].
    set (e := if d then _ else _). rewrite <- Nat.add_assoc. apply Nat.add_le_mono_l.
    apply div_more; [exact Some_team|]. destruct Me as [[G Sq]|[G Th]].
    - enough (own_sum w (d, k) J + c * e <= own_sum w (d, k) J') by lia.
      assert (i <= len b u /\ S i <= len b u /\ min (J u) (len b u) <= i /\ S i
        <= min (J' u) (len b u)) as [B1 [B2 [B3 B4]]] by lia. assert (In u (fellows w)) as Hu.
      { apply filter_In.
        split; [apply (proj2 Ws (u, i) (conj Hy G))|apply negb_true_iff, Nat.eqb_neq, Nw]. }
      apply (sum_more _ _ _ u _ Hu).
      + destruct (fellow w u Hu) as [U1 U2].
        pose proof (proj2 (HA w u (proj2 Ws _ Hx) U1 U2 (d, k) (proj1 Hx)) i Li) as H.
        unfold charge in H. rewrite (proj2 (Nat.leb_le _ _) Ix), Sq, Nat.eqb_refl in H.
        cbn [andb no_unit] in H. fold e in H. pose proof (own_mono w u (d, k) _ _ Hx Hu B3 B1).
        pose proof (own_mono w u (d, k) _ _ Hx Hu B4 ltac:(lia)). lia.
      + intros v Hv. specialize (R v). apply own_mono; auto; lia.
    - pose proof (O_charge w (d, k) (u, i) J J' Hx Ix G Met) as H. unfold charge_any in H.
      rewrite (proj2 (Nat.leb_le _ _) Ix) in H. fold e in H. lia.
  Qed.

  Lemma mean_potential : wave_potential m b g there (fun _ _ _ => false) (fun _ _ _ => 0)
    (mean_at false) (mean_at true).
  Proof.
    assert (forall w q J k, of m b g (w, k) -> sec (get b (w, k)) = q ->
      keeps_edges m b (fun n => mean w n J) w q k 0) as K.
    { intros w q J k Hk Hq.
      apply (edges_keep m b W no_unit no_queue w q (fun n => mean w n J)); [|apply Hk|exact Hq].
      intros n e [Hn _] He. apply mean_edge; [split; [exact Hn|apply Hk]|exact He]. }
    unfold keeps_edges in K.
    assert (forall w j k, of m b g (w, k) -> j <= k -> of m b g (w, j)) as Own.
    { intros w j k [Hk Gk] L. split; [eapply keys_before; eassumption|exact Gk]. }
    constructor.
    - intros x J J' R. assert (forall d, mean_at d x J <= mean_at d x J') as Mo; [|auto].
      intros d. destruct x as [w k]. unfold mean_at. cbn [fst snd].
      destruct (Nat.eqb_spec (group m w) g) as [G|]; [|cbn; lia].
      destruct (Nat.ltb_spec w (length b)) as [L1|]; [|cbn; lia].
      destruct (Nat.ltb_spec k (len b w)) as [L2|]; [|cbn; lia]. cbn [andb].
      assert (of m b g (w, k)) as Hx by (split; [apply in_keys; auto|exact G]).
      unfold mean. cbn [snd]. apply Nat.add_le_mono_l, Nat.div_le_mono; [lia|].
      pose proof (own_sum_mono w (d, k) J J' Hx R). pose proof (O_mono w (d, k) J J' Hx R). lia.
    - intros w j J Hx Sj. pose proof (Own w j (S j) Hx ltac:(lia)) as Hj.
      rewrite !mean_of by assumption. apply (K w _ J (S j) Hx eq_refl); auto.
    - intros w k p J Hx Hp Sp. destruct (W w k (proj1 Hx)) as [_ [Wp _]]. specialize (Wp p Hp).
      pose proof (Own w p k Hx ltac:(lia)) as Hj. rewrite !mean_of by assumption.
      apply (K w _ J k Hx eq_refl); auto.
    - intros w k o J Hx Ho. pose proof (Own w o k Hx ltac:(destruct Ho; lia)) as Hj.
      rewrite (mean_of true (w, o)), (mean_of false (w, k)) by assumption.
      apply (K w _ J k Hx eq_refl); auto.
    - intros [w k] J Hx. rewrite !mean_of by assumption. apply (K w _ J k Hx eq_refl).
    - intros w k o J Hx Ho. pose proof (Own w o k Hx ltac:(destruct Ho; lia)) as Hj.
      rewrite !mean_of by assumption. apply (K w _ J k Hx eq_refl); auto.
    - intros x o J Hx Ho L _. rewrite !mean_of by assumption. apply mean_jump; assumption.
    - intros x y J J' Hx Ix Me. rewrite !mean_of by assumption.
      apply (mean_charge x y false J J' Hx Ix Me).
    - intros x y J J' Hx Ix _ Me. rewrite !mean_of by assumption.
      apply (mean_charge x y true J J' Hx Ix Me).
  Qed.

  Lemma mean_grows q r X : q <= r -> mean_bound q X <= mean_bound r X.
  Proof.
    intros L. destruct (Nat.eq_dec q r) as [->|N]; [lia|]. unfold mean_bound.
    pose proof (start_later (S q) (S r) ltac:(lia)) as [S1 _].
    pose proof (start_later q r ltac:(lia)) as [_ S2]. apply Nat.add_le_mono; [lia|].
    apply Nat.div_le_mono; [lia|]. cbn [own_start] in *. lia.
  Qed.

  (** *** Theorem 2, whatever others count; [q] is the last section of [g] *)
  Theorem wave_mean q X x : (forall x, of m b g x -> sec (get b x) <= q) -> of m b g x ->
    other (fst x) (true, snd x) (everything b) + n_others * (init (get b x) + lat (get b x)) <= X ->
    C s x <= t0 + mean_bound q X.
  Proof.
    intros Hq Hx HX. pose proof (wave_bound m b s g t0 there M W V Begun Away _ _ _ _ mean_potential
      ltac:(discriminate) x Hx) as H. rewrite mean_of in H by exact Hx.
    enough (mean (fst x) (true, snd x) (everything b) + init (get b x) + lat (get b x)
      <= mean_bound (sec (get b x)) X) as E.
    { pose proof (mean_grows _ _ X (Hq x Hx)). lia. }
    destruct x as [w k]. unfold mean, mean_bound. cbn [fst snd own_start] in *.
    rewrite <- !Nat.add_assoc. apply Nat.add_le_mono_l. apply div_more; [exact Some_team|].
    pose proof (own_end w k (everything b) Hx). unfold teams. rewrite Nat.mul_add_distr_r. lia.
  Qed.
End WaveMean.
