(** * Lemma 1 of docs/sub-core-bounds.md with SIB: a thread block takes SIB and what others initiate
    along a path through the sub-cores that changes as often as chains of it do

    Counted by time: other thread blocks are charged the cycles in which they initiate in the reach
    of the sub-core at which the path is then.  Depth 0 and unlimited depth. *)

From Warpbound Require Import Base Cycles Largest Model Idle Instances Weights Queue Isolation Late
  Bounds ChainWalk ChainSlot.

(** Unit [f] is in the reach of sub-core [c]. *)
Definition reachb (home : nat -> option nat) (c f : nat) : bool := match home f with Some d =>
  d =? c | None => true end.

Lemma reachb_iff home c f : reachb home c f = true <-> reach home c f.
Proof.
  unfold reachb, reach. destruct (home f) as [d|]; [rewrite Nat.eqb_eq|tauto].
  split; [intros ->; right; reflexivity|intros [E|E]; congruence].
Qed.

(** The cycles of [t0, e) in which [y] initiates in the reach of [ro]. *)
Definition met (b : block) (s : schedule) (home : nat -> option nat) (ro : nat -> nat) (t0 e : nat)
  (y : key) : nat :=
  cnt (fun t => (t0 <=? t) && (initiates s t y && reachb home (ro t) (fu (get b y)))) e.
Definition met_others (b : block) (m : machine) (s : schedule) (home : nat -> option nat) (g : nat)
  (ro : nat -> nat) (t0 e : nat) : nat :=
  sum (fun y => if group m (fst y) =? g then 0 else met b s home ro t0 e y) (keys b).

Lemma cnt_both p q r T N : T <= N -> (forall t, t < T -> p t = true -> r t = true) ->
  (forall t, t < N -> q t = true -> T <= t /\ r t = true) -> cnt p T + cnt q N <= cnt r N.
Proof.
  intros H Hp. induction H as [|N H IH]; intros Hq.
  - rewrite (cnt_none q T); [rewrite Nat.add_0_r; apply cnt_le, Hp|]. intros t Ht.
    destruct (q t) eqn:E; [|reflexivity]. destruct (Hq t Ht E). lia.
  - cbn [cnt]. specialize (IH (fun t Ht => Hq t ltac:(lia))). specialize (Hq N ltac:(lia)).
    destruct (q N); [|destruct (r N); lia]. destruct (Hq eq_refl) as [_ ->]. lia.
Qed.

Section Sib.
  Variables (m : machine) (b : block) (s : schedule) (iI iD h : key -> nat)
    (home : nat -> option nat) (g : nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (HI : iso_edges b m iI iD).
  Hypothesis HT : turns_cert m b h.
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) ->
    reach home (core m (fst y)) (fu (get b y)).
  Hypothesis Depth : depth m = Some 0 \/ depth m = None.
  Notation ch := (sib_charge b m).
  Notation term := (block_term b m ch iD g).
  Variable t0 : nat.
  Notation met_by := (met_others b m s home g).

  (** What [w] can meet is in its reach. *)
  Lemma seen_active c T N y : In y (keys b) -> in_reach b m c (fu (get b y)) = true ->
    active s T N y = met b s home (fun _ => c) T N y.
  Proof.
    intros Hy R. apply existsb_exists in R as [x [Hx R]]. rewrite andb_true_iff in R.
    unfold on in R. rewrite !Nat.eqb_eq in R. destruct R as [R1 R2].
    destruct (le_lt_dec (init (get b y)) 0) as [Z|P].
    - pose proof (active_init m b s T N y V Hy). assert (active s T N y = 0) as -> by lia. symmetry.
      apply cnt_none. intros t _. pose proof (v_init _ _ _ V y Hy). unfold initiates.
      destruct (Nat.leb_spec (D s y) t), (Nat.ltb_spec t (D s y + ai s y)); cbn; try lia;
        rewrite ?andb_false_r; reflexivity.
    - pose proof (Home x Hx (same_unit b W y x Hy Hx (eq_sym R2) P)) as Rx. rewrite R1, R2 in Rx.
      apply reachb_iff in Rx. unfold active, met. rewrite Rx.
      apply Nat.le_antisymm; apply cnt_le; intros t _; rewrite andb_true_r; auto.
  Qed.

  Let Meets := fun (w q f : nat) => in_reach b m (core m w) f = true.

  Lemma one_section_met q T x : begin s g <= T < C s x -> of m b g x -> sec (get b x) = q ->
    over_by m b s g q T ->
    (forall y, of m b g y -> sec (get b y) = q -> C s y <= C s x) ->
    C s x <= T + term q + met_by (fun _ => core m (fst x)) T (C s x).
  Proof.
    intros HTs Hx Hq O End. apply (one_section m b s iI iD M W V HI ch Meets g (fun w k Hk =>
      in_reach_of b m (w, k) _ Hk eq_refl) (sib_unit m b iI g) (sib_slot m b iI g)); auto.
    - destruct Depth as [D0|D1]; [auto|right; right]. split; [exact D1|]. intros w q' y Hy Hc.
      apply in_reach_of; assumption.
    - intros y Hy G R. rewrite <- (seen_active (core m (fst x)) T (C s x) y Hy); [apply le_n|].
      destruct R as [R|R]; [exact R|apply (in_reach_of b m y _ Hy R)].
  Qed.

  Lemma met_later ro T N : T <= N -> met_by ro t0 T <= met_by ro t0 N.
  Proof.
    intros H. apply sum_le. intros y _. destruct (_ =? _); [apply le_n|]. apply cnt_mono, H.
  Qed.

  (** A path goes on under sub-core [c]. *)
  Lemma met_join c ro ro' T N : t0 <= T <= N -> (forall t, t < T -> ro' t = ro t) ->
    (forall t, T <= t -> ro' t = c) ->
    met_by ro t0 T + met_by (fun _ => c) T N <= met_by ro' t0 N.
  Proof.
    intros H H1 H2. unfold met_others. rewrite <- sum_add. apply sum_le. intros y _.
    destruct (_ =? _); [apply le_n|]. apply cnt_both; [lia| |].
    - intros t Ht E. rewrite (H1 t Ht). exact E.
    - intros t Ht E. apply andb_prop in E as [E1 E2]. apply Nat.leb_le in E1. split; [exact E1|].
      rewrite (H2 t E1), E2. apply andb_true_intro. split; [apply Nat.leb_le; lia|reflexivity].
  Qed.

  (** At [T], when sections before [q] are over, [B] and what was met pay all: [x] is the last
      instruction that was waited for. *)
  Definition walked (B q T : nat) : Prop := T <= B \/ exists ro cut x,
    (In x (keys b) /\ group m (fst x) = g /\ sec (get b x) < q) /\ T <= B + met_by ro t0 T
    /\ (forall t, T <= t -> ro t = core m (fst x)) /\ (forall t, ro t <> ro (S t) -> In (S t) cut)
         /\ length cut <= h x.

  Lemma walked_on B q T B' q' T' : walked B q T -> q <= q' -> T <= T' -> T' + B <= T + B' ->
    walked B' q' T'.
  Proof.
    intros [L|[ro [cut [x [[X1 [X2 X3]] [X4 [X5 [X6 X7]]]]]]]] Q T1 T2; [left; lia|right].
    exists ro, cut, x. pose proof (met_later ro T T' T1). repeat split; auto; try lia. intros t Ht.
    apply X5. lia.
  Qed.

  Lemma walk_met B q T N x : t0 <= T < N -> walked B q T -> In x (keys b) -> group m (fst x) = g ->
    sec (get b x) = q ->
    N <= T + term q + met_by (fun _ => core m (fst x)) T N -> walked (B + term q) (S q) N.
  Proof.
    intros HTN Wk Hx Hg Hq HN. right.
    destruct Wk as [L|[ro [cut [x0 [[X1 [X2 X3]] [X4 [X5 [X6 X7]]]]]]]].
    - exists (fun _ => core m (fst x)), [], x.
      pose proof (met_join (core m (fst x)) (fun _ => core m (fst x)) (fun _ => core m (fst x)) T
        N ltac:(lia) (fun _ _ => eq_refl) (fun _ _ => eq_refl)) as J.
      split; [repeat split; auto; lia|]. split; [lia|]. split; [auto|].
      split; [intros t E; congruence|cbn; lia].
    - destruct (HT x x0 Hx X1 ltac:(congruence)) as [Tu _]. specialize (Tu ltac:(lia)).
      set (ro' := fun t => if t <? T then ro t else core m (fst x)).
      assert (forall t, t < T -> ro' t = ro t) as R1
        by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_lt _ _) Ht); reflexivity).
      assert (forall t, T <= t -> ro' t = core m (fst x)) as R2
        by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_ge _ _) Ht); reflexivity).
      pose proof (met_join (core m (fst x)) ro ro' T N ltac:(lia) R1 R2) as J.
      exists ro', (if core m (fst x0) =? core m (fst x) then cut else T :: cut), x.
      split; [repeat split; auto; lia|]. split; [lia|]. split; [intros t Ht; apply R2; lia|].
      unfold differ in Tu. split.
      + intros t E. destruct (Nat.lt_trichotomy (S t) T) as [L|[L|L]].
        * rewrite (R1 t), (R1 (S t)) in E by lia. specialize (X6 t E).
          destruct (_ =? _); [exact X6|right; exact X6].
        * destruct (Nat.eqb_spec (core m (fst x0)) (core m (fst x))) as [Ec|]; [|left; congruence].
          apply X6. rewrite (R1 t), (R2 (S t)), <- Ec, <- (X5 (S t)) in E by lia. exact E.
        * rewrite (R2 t), (R2 (S t)) in E by lia. congruence.
      + destruct (_ =? _); cbn [length]; lia.
  Qed.

  Hypothesis Start : begin s g <= t0.
  Variable e : nat.
  Hypothesis Finish : forall x, In x (keys b) -> group m (fst x) = g -> C s x <= e.

  (** *** Lemma 1 with SIB: from [t0] on, its start or later, to its end *)
  Variable chg : nat.
  Hypothesis Chg : forall y, In y (keys b) -> group m (fst y) = g -> h y + 1 <= chg.
  Hypothesis Chg_one : 1 <= chg.

  (** A thread block ends within SIB and what others initiate along a path with few changes. *)
  Theorem chain_sib : t0 <= e -> exists N ro cut, t0 <= N <= e
    /\ (forall x, In x (keys b) -> group m (fst x) = g -> C s x <= N)
    /\ N <= t0 + block_bound b m ch iD g + met_by ro t0 N
    /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.
  Proof.
    intros He. destruct (Bounds.walk_all m b s ch iD g t0 e V (fun y Hy =>
      Finish y (proj1 Hy) (proj2 Hy)) walked) as [N [HN [Ends WN]]];
      [| |exact He|left; apply le_n|].
    - intros B q T B' q' T' _. apply walked_on.
    - intros B q T x HTx Wk Hx Hq O Lx. apply (walk_met B q T (C s x) x); auto; try apply Hx.
      apply one_section_met; auto. lia.
    - exists N. assert (forall x, In x (keys b) -> group m (fst x) = g -> C s x <= N) as Ends'
        by (intros x Hx Hg; apply (Ends x (conj Hx Hg))). clear Ends.
      destruct WN as [L|[ro [cut [x [[X1 [X2 X3]] [X4 [X5 [X6 X7]]]]]]]].
      + exists (fun _ => 0), []. split; [lia|]. split; [exact Ends'|]. split; [lia|].
        split; [congruence|exact Chg_one].
      + exists ro, cut. specialize (Chg x X1 X2). split; [lia|]. split; [exact Ends'|].
        split; [exact X4|]. split; [exact X6|lia].
  Qed.
End Sib.
