(** * What SIB and FIB of a thread block [g] charge, and what others cost it (docs/wave-bounds.md,
    theorem 1)

    For every dispatch depth, width, number of instances and sub-cores, with releases, for times up
    to the stated ones. *)

From Warpbound Require Import Base Cycles Largest Model Isolation Queue Potential Bounds
  IsolationPaths Stay WavePotential WaveBound.

(** ** What is charged *)

(** SIB of [g]: its other instructions of the section on units that it has in reach.  At a finite
    depth of 1 or more [cost] is the largest initiation on the unit of any thread block of the
    SM. *)
Definition own_sib (b : block) (m : machine) (g : nat) : charges := fun w q y =>
  if beside b m w q y then if in_reach (only m g b) m (core m w) (fu (get b y)) then cost b m y else
    0 else 0.

(** Instruction [y] of another thread block is in the way of warps of [g] on sub-core [c]: it is on
    [c], or on a unit that they use, too. *)
Definition in_way (b : block) (m : machine) (g c : nat) (y : key) : bool :=
  (core m (fst y) =? c) || in_reach (only m g b) m c (fu (get b y)).

(** ** The charges are enough *)

Lemma cost_slot b m w y : In y (keys b) -> slot m b w y <= cost b m y.
Proof.
  intros Hy. pose proof (cost_init b m y Hy). unfold slot.
  destruct (core m (fst y) =? core m w); lia.
Qed.

Lemma cost_hold b m y : hold m b y <= cost b m y.
Proof. unfold hold, cost. destruct (depth m) as [[|d]|]; lia. Qed.

(** On the unit of [x] its cost is enough, elsewhere a slot. *)
Lemma charge_cost b m x y c : In y (keys b) -> (fu (get b y) = fu (get b x) -> cost b m y <= c) ->
  slot m b (fst x) y <= c -> charge_I m b x y <= c /\ charge_D b x y <= c.
Proof.
  intros Hy U S. pose proof (cost_hold b m y). pose proof (cost_init b m y Hy).
  pose proof (cost_slot b m (fst x) y Hy). unfold charge_I, charge_D.
  destruct (Nat.eqb_spec (fu (get b y)) (fu (get b x))) as [E|N]; [specialize (U E)|]; lia.
Qed.

Section Charges.
  Variables (m : machine) (b : block) (g : nat) (others : list nat).

  (** [h] is one of the others. *)
  Definition listed (h : nat) : bool := existsb (Nat.eqb h) others.

  Lemma listed_iff h : listed h = true <-> In h others.
  Proof.
    unfold listed. rewrite existsb_exists. split.
    - intros [k [Hk E]]. apply Nat.eqb_eq in E. subst k. exact Hk.
    - intros H. exists h. rewrite Nat.eqb_refl. auto.
  Qed.

  Lemma reached x : of m b g x -> in_reach (only m g b) m (core m (fst x)) (fu (get b x)) = true.
  Proof.
    intros Hx. rewrite <- (get_of m g b x Hx). apply in_reach_of; [apply keys_only, Hx|reflexivity].
  Qed.

  Lemma sib_enough x y : of m b g x -> 1 <= init (get b x) -> In y (keys b) ->
    beside b m (fst x) (sec (get b x)) y = true ->
    charge_I m b x y <= own_sib b m g (fst x) (sec (get b x)) y
    /\ charge_D b x y <= own_sib b m g (fst x) (sec (get b x)) y.
  Proof.
    intros Hx _ Hy B. unfold own_sib. rewrite B. apply charge_cost; [exact Hy| |].
    - intros ->. rewrite (reached x Hx). lia.
    - destruct (Nat.eq_dec (core m (fst y)) (core m (fst x))) as [E|N].
      + apply beside_iff in B as [_ [G _]]. assert (of m b g y) as Hg.
        { split; [exact Hy|]. rewrite G. apply Hx. }
        rewrite <- E, (reached y Hg). apply cost_slot, Hy.
      + unfold slot. rewrite (proj2 (Nat.eqb_neq _ _) N). lia.
  Qed.

  Lemma fib_enough x y : of m b g x -> 1 <= init (get b x) -> In y (keys b) ->
    beside b m (fst x) (sec (get b x)) y = true ->
    charge_I m b x y <= fib_charge b m (fst x) (sec (get b x)) y
    /\ charge_D b x y <= fib_charge b m (fst x) (sec (get b x)) y.
  Proof.
    intros Hx _ Hy B. apply charge_cost; [exact Hy| |].
    - intros E. unfold fib_charge. rewrite B, E. destruct x as [w k]. cbn [fst].
      rewrite (uses_own b w k (proj1 Hx)). lia.
    - pose proof (cost_slot b m (fst x) y Hy). unfold fib_charge. rewrite B.
      destruct (uses _ _ _ _); [assumption|]. unfold slot.
      destruct (core m (fst y) =? core m (fst x)); lia.
  Qed.

  (** What [y] of another thread block costs a warp of sub-core [c]. *)
  Definition foreign_charge (c : nat) (y : key) : nat :=
    if group m (fst y) =? g then 0 else
    if listed (group m (fst y)) then if in_way b m g c y then cost b m y else 0 else 0.

  Lemma foreign_enough x y J J' : of m b g x -> group m (fst y) <> g ->
    met m b g listed (fst x) (sec (get b x)) J J' y ->
    max (charge_I m b x y) (charge_D b x y) <= foreign_charge (core m (fst x)) y.
  Proof.
    intros Hx G [Hy [Me _]]. apply meets_iff in Me as [_ [[E _]|[_ L]]]; [contradiction|].
    unfold foreign_charge. rewrite (proj2 (Nat.eqb_neq _ _) G), L.
    enough (charge_I m b x y <= (if in_way b m g (core m (fst x)) y then cost b m y else 0) /\
      charge_D b x y <= (if in_way b m g (core m (fst x)) y then cost b m y else 0)) by lia.
    unfold in_way. apply charge_cost; [exact Hy| |].
    - intros ->. rewrite (reached x Hx), orb_true_r. lia.
    - destruct (Nat.eqb_spec (core m (fst y)) (core m (fst x))) as [E|N]; [apply cost_slot, Hy|].
      unfold slot. rewrite (proj2 (Nat.eqb_neq _ _) N). lia.
  Qed.
End Charges.

(** Who is none of the others has ended by [t0], or comes when [g] has ended. *)
Lemma away m b s g t0 others :
  (forall y, In y (keys b) -> group m (fst y) <> g -> ~ In (group m (fst y)) others ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y) ->
  forall y, In y (keys b) -> group m (fst y) <> g -> listed others (group m (fst y)) = false ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.
Proof. intros A y Hy N L. apply A; auto. rewrite <- (listed_iff others), L. discriminate. Qed.

(** ** The first term is SIB of the thread block by itself *)

(** Its charges are what they are on a clean SM: always so for depth 0 and unlimited; at a finite
    depth of 1 or more where no other thread block has a larger initiation on its units. *)
Definition same_cost (b : block) (m : machine) (g : nat) : Prop :=
  forall y, of m b g y -> cost b m y = cost (only m g b) m y.

Lemma cost_same b m g : (forall d, depth m <> Some (S d)) -> same_cost b m g.
Proof.
  intros H y Hy. unfold cost. rewrite (get_of m g b y Hy).
  destruct (depth m) as [[|d]|]; try reflexivity. destruct (H d eq_refl).
Qed.

Lemma filter_only b m g (p p' : key -> bool) : (forall x, of m b g x -> p x = p' x) ->
  (forall x, group m (fst x) <> g -> p x = false) ->
  filter p (keys b) = filter p' (keys (only m g b)).
Proof.
  intros H1 H2. rewrite keys_filter, filter_both. apply filter_ext_in. intros x Hx.
  destruct (Nat.eqb_spec (group m (fst x)) g) as [G|G]; cbn [andb];
    [apply H1; split; assumption|apply H2, G].
Qed.

Lemma bound_only b m g ch ch' iD : (forall x, of m b g x ->
    charged b ch (fst x) (sec (get b x)) = charged (only m g b) ch' (fst x) (sec (get b x))) ->
  block_bound b m ch iD g = block_bound (only m g b) m ch' iD g.
Proof.
  intros Hc.
  assert (forall q, block_term b m ch iD g q = block_term (only m g b) m ch' iD g q) as T.
  { intros q. unfold block_term. f_equal. match goal with |- map _ ?l = map _ ?l' => assert (l = l')
    as E end.
    - apply filter_only.
      + intros x Hx. rewrite (get_of m g b x Hx). reflexivity.
      + intros x N. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity.
    - rewrite <- E. apply map_ext_in. intros x Hx. apply filter_In in Hx as [Hx E'].
      rewrite !andb_true_iff, !Nat.eqb_eq in E'. destruct E' as [[Gx Sx] _].
      rewrite (get_of m g b x (conj Hx Gx)), <- Sx, (Hc x (conj Hx Gx)). reflexivity. }
  assert (forall q, block_start b m ch iD g q = block_start (only m g b) m ch' iD g q) as S.
  { induction q as [|q IH]; [reflexivity|]. cbn [block_start]. rewrite IH, T. reflexivity. }
  assert (last_section b m g = last_section (only m g b) m g) as L.
  { unfold last_section. f_equal. match goal with |- map _ ?l = map _ ?l' => assert (l = l')
    as E end.
    - apply filter_only; [reflexivity|]. intros x N. apply Nat.eqb_neq, N.
    - rewrite <- E. apply map_ext_in. intros x Hx. apply filter_In in Hx as [Hx E'].
      apply Nat.eqb_eq in E'. rewrite (get_of m g b x (conj Hx E')). reflexivity. }
  unfold block_bound. rewrite L, S, T. reflexivity.
Qed.

Lemma charged_only b m g ch ch' w q : group m w = g ->
  (forall y, of m b g y -> ch w q y = ch' w q y) ->
  (forall y, group m (fst y) <> g -> ch w q y = 0) ->
  charged b ch w q = charged (only m g b) ch' w q.
Proof.
  intros Gw H1 H2. unfold charged. rewrite sum_only. apply sum_ext. intros y Hy.
  destruct (Nat.eqb_spec (group m (fst y)) g) as [G|G]; [apply H1; split; assumption|apply H2, G].
Qed.

Lemma beside_only b m g w q y : of m b g y -> beside (only m g b) m w q y = beside b m w q y.
Proof. intros Hy. unfold beside. rewrite (get_of m g b y Hy). reflexivity. Qed.

Lemma beside_other b m g w q y : group m w = g -> group m (fst y) <> g -> beside b m w q y = false.
Proof.
  intros Gw N. apply not_true_is_false. intros B. apply beside_iff in B as [_ [E _]]. congruence.
Qed.

Lemma own_sib_alone b m g iD : same_cost b m g ->
  block_bound b m (own_sib b m g) iD g = block_bound (only m g b) m (sib_charge (only m g b) m) iD
    g.
Proof.
  intros S. apply bound_only. intros x [_ Gx]. apply charged_only; [exact Gx| |].
  - intros y Hy. unfold own_sib, sib_charge.
    rewrite (beside_only b m g _ _ y Hy), (get_of m g b y Hy), (S y Hy). reflexivity.
  - intros y N. unfold own_sib. rewrite (beside_other b m g _ _ y Gx N). reflexivity.
Qed.

Lemma uses_only b m g w q f : group m w = g -> uses (only m g b) w q f = uses b w q f.
Proof.
  intros Gw. unfold uses. apply eq_true_iff_eq. rewrite !existsb_exists.
  split; intros [x [Hx E]]; exists x.
  - apply keys_only in Hx. unfold on in *. rewrite (get_of m g b x Hx) in E.
    split; [apply Hx|exact E].
  - assert (of m b g x) as Ho.
    { rewrite !andb_true_iff, Nat.eqb_eq in E. split; [exact Hx|].
      destruct E as [[E _] _] || destruct E as [E _]. rewrite E. exact Gw. }
    split; [apply keys_only, Ho|]. unfold on in *. rewrite (get_of m g b x Ho). exact E.
Qed.

Lemma fib_alone b m g iD : same_cost b m g ->
  block_bound b m (fib_charge b m) iD g = block_bound (only m g b) m (fib_charge (only m g b) m) iD
    g.
Proof.
  intros S. apply bound_only. intros x [_ Gx]. apply charged_only; [exact Gx| |].
  - intros y Hy. unfold fib_charge.
    rewrite (beside_only b m g _ _ y Hy), (get_of m g b y Hy), (S y Hy), (uses_only b m g _ _ _ Gx).
    reflexivity.
  - intros y N. unfold fib_charge. rewrite (beside_other b m g _ _ y Gx N). reflexivity.
Qed.
