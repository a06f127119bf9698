(** * Sums of weights over some of the instructions, and the cycles they initiate in *)

From Warpbound Require Import Base Cycles Model Instances.

(** What the instructions of [P] weigh together. *)
Definition wsum (b : block) (h : key -> nat) (P : key -> bool) : nat :=
  sum (fun y => if P y then h y else 0) (keys b).

Lemma wsum_le b h P Q : (forall y, In y (keys b) -> P y = true -> Q y = true) ->
  wsum b h P <= wsum b h Q.
Proof. intros H. apply sum_le. intros y Hy. destruct (P y) eqn:E; [rewrite (H y Hy E)|]; lia. Qed.

Lemma wsum_add b h P Q R : (forall y, In y (keys b) -> P y = true -> R y = true) ->
  (forall y, In y (keys b) -> Q y = true -> R y = true) ->
  (forall y, In y (keys b) -> P y = true -> Q y = true -> False) ->
  wsum b h P + wsum b h Q <= wsum b h R.
Proof.
  unfold wsum, sum. intros H1 H2 H3. induction (keys b) as [|x l IH]; simpl; [lia|].
  assert (forall y, In y l -> In y (x :: l)) as Hl by (intros; right; assumption).
  specialize (IH (fun y Hy => H1 y (Hl y Hy)) (fun y Hy => H2 y (Hl y Hy)) (fun y Hy =>
    H3 y (Hl y Hy))). specialize (H1 x (or_introl eq_refl)). specialize (H2 x (or_introl eq_refl)).
  specialize (H3 x (or_introl eq_refl)).
  destruct (P x); destruct (Q x); [destruct H3; reflexivity| | |].
  - rewrite H1 by reflexivity. lia.
  - rewrite H2 by reflexivity. lia.
  - destruct (R x); lia.
Qed.

Lemma wsum_one b h P z : In z (keys b) -> P z = true -> h z <= wsum b h P.
Proof.
  unfold wsum, sum. intros Hz HP. induction (keys b) as [|x l IH]; [destruct Hz|].
  simpl. destruct Hz as [->|Hz]; [rewrite HP; lia|]. specialize (IH Hz). lia.
Qed.

Lemma wsum_filter b h P : wsum b h P = sum h (filter P (keys b)).
Proof.
  unfold wsum, sum. induction (keys b) as [|x l IH]; [reflexivity|]. simpl.
  destruct (P x); simpl; rewrite IH; reflexivity.
Qed.

Lemma wsum_count b h P c : (forall y, In y (keys b) -> P y = true -> c <= h y) ->
  count b P * c <= wsum b h P.
Proof.
  intros H. rewrite wsum_filter. unfold count, sum.
  assert (forall y, In y (filter P (keys b)) -> c <= h y) as F
    by (intros y Y; apply filter_In in Y; apply H; apply Y).
  induction (filter P (keys b)) as [|x l IH]; simpl; [lia|]. pose proof (F x (or_introl eq_refl)).
  specialize (IH (fun y Y => F y (or_intror Y))). lia.
Qed.

(** [is y] is true of [y] alone. *)
Definition is (y z : key) : bool := if key_eq z y then true else false.

Lemma is_iff y z : is y z = true <-> z = y.
Proof. unfold is. destruct (key_eq z y); split; congruence. Qed.

(** Cycles of [T, N) in which [y] initiates. *)
Definition active (s : schedule) (T N : nat) (y : key) : nat :=
  cnt (fun t => (T <=? t) && initiates s t y) N.

Lemma active_init m b s T N y : valid m b s -> In y (keys b) -> active s T N y <= init (get b y).
Proof.
  intros V Hy. unfold active. pose proof (v_init _ _ _ V y Hy) as H.
  pose proof (cnt_interval (D s y) (ai s y) N) as A.
  enough (cnt (fun t => (T <=? t) && initiates s t y) N <= cnt (fun t => initiates s t y) N).
  { unfold initiates in *. lia. }
  apply cnt_le. intros t _ E. apply andb_prop in E as [_ E]. exact E.
Qed.

Lemma active_split s t0 T N y : t0 <= T -> T <= N ->
  active s t0 N y = active s t0 T y + active s T N y.
Proof.
  intros H1 H2. unfold active. induction H2 as [|N H2 IH].
  - enough (cnt (fun t => (T <=? t) && initiates s t y) T = 0) by lia.
    apply cnt_none. intros t Ht. destruct (Nat.leb_spec T t); [lia|reflexivity].
  - cbn [cnt]. rewrite IH. destruct (Nat.leb_spec t0 N), (Nat.leb_spec T N); lia.
Qed.

Lemma active_some s T N y t : T <= t < N -> initiates s t y = true -> 1 <= active s T N y.
Proof.
  intros Ht Hi. unfold active.
  pose proof (cnt_mono (fun t => (T <=? t) && initiates s t y) (S t) N ltac:(lia)) as H.
  cbn [cnt] in H. rewrite Hi, (proj2 (Nat.leb_le T t)) in H by lia. simpl in H. lia.
Qed.

(** Cycles in each of which some instruction of [P] initiates, whose weight counts them. *)
Lemma window_sum b s h P T N z n : T <= z -> z <= n -> n <= N ->
  (forall t, z <= t < n -> exists y, In y (keys b) /\ P y = true /\ active s T N y <= h y
                                     /\ initiates s t y = true) ->
  n - z <= wsum b h P.
Proof.
  intros Tz zn nN H. set (Q := fun y => P y && (active s T N y <=? h y)).
  transitivity (wsum b h Q); [|apply wsum_le; intros y _ E; apply andb_prop in E; apply E].
  rewrite wsum_filter. set (p := fun t y => (T <=? t) && initiates s t y).
  transitivity (cnt (fun t => existsb (p t) (filter Q (keys b))) N).
  - pose proof (cnt_all (fun t => existsb (p t) (filter Q (keys b))) z n zn) as A.
    rewrite <- (cnt_mono _ n N nN), A; [lia|]. intros t Ht.
    destruct (H t Ht) as [y [Hy [HP [Ha Hi]]]]. apply existsb_exists. exists y. unfold p.
    rewrite Hi, (proj2 (Nat.leb_le T t)) by lia. split; [|reflexivity]. apply filter_In. unfold Q.
    rewrite HP, (proj2 (Nat.leb_le _ _) Ha). auto.
  - etransitivity; [apply (cnt_exists p)|]. apply sum_le. intros y Hy.
    apply filter_In in Hy as [_ E]. apply andb_prop in E as [_ E]. apply Nat.leb_le in E. exact E.
Qed.

(** From [z] on: either [p] holds without a gap up to [n], or there is a last gap. *)
Lemma last_gap (p : nat -> bool) z n : z <= n ->
  (forall t, z <= t < n -> p t = true)
  \/ exists x, z < x <= n /\ p (x - 1) = false /\ forall t, x <= t < n -> p t = true.
Proof.
  intros H. induction n as [|n IH]; [left; intros; lia|].
  destruct (Nat.eq_dec z (S n)) as [->|Nz]; [left; intros; lia|].
  destruct (p n) eqn:E.
  - destruct (IH ltac:(lia)) as [A|[x [X [F A]]]].
    + left. intros t Ht. destruct (Nat.eq_dec t n) as [->|]; [exact E|apply A; lia].
    + right. exists x. split; [lia|]. split; [exact F|]. intros t Ht.
      destruct (Nat.eq_dec t n) as [->|]; [exact E|apply A; lia].
  - right. exists (S n). replace (S n - 1) with n by lia. split; [lia|].
    split; [exact E|intros; lia].
Qed.

(** What was issued before cycle [x]; what an instruction [k] finds before it. *)
Definition since (s : schedule) (x : nat) (y : key) : bool := I s y <? x.
Definition ahead (b : block) (s : schedule) (k y : key) : bool :=
  (I s y <? I s k) || ((I s y =? I s k) && (fu (get b y) =? fu (get b k)) && (D s y <? D s k)).

Lemma since_iff s x y : since s x y = true <-> I s y < x.
Proof. apply Nat.ltb_lt. Qed.

Lemma ahead_iff b s k y : ahead b s k y = true <->
  I s y < I s k \/ (I s y = I s k /\ fu (get b y) = fu (get b k) /\ D s y < D s k).
Proof. unfold ahead. rewrite orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq. tauto. Qed.
