(** * The wave by initiations (docs/wave-bounds.md, theorem 1): any number of sub-cores, with
    barriers

    The sub-core on which [g] waits may change with its barriers.  Of another thread block [h] the
    sections are issued one after the other; while one of them is met, [g] may be on several
    sub-cores. One of them counts for each section of [h]: the busiest.  What is met on the others
    are extras, as many as there are changes, at most as many as [g] has barriers. *)

From Warpbound Require Import Base Cycles Largest Extras Model Isolation Queue Potential Bounds
  IsolationPaths Stay WavePotential WaveBound WaveSum WaveSib.

(** ** What another thread block adds *)

Section Amounts.
  Variables (b : block) (m : machine) (g : nat) (cs : list nat).

  (** [y] is on a unit that warps of [g] on other sub-cores use. *)
  Definition across (y : key) : bool :=
    existsb (fun x => negb (core m (fst x) =? core m (fst y)) && on b (fu (get b y)) x)
      (filter (fun x => group m (fst x) =? g) (keys b)).

  (** U: on such units. *)
  Definition shared_cost (h : nat) (y : key) : nat :=
    if (group m (fst y) =? h) && across y then cost b m y else 0.
  Definition shared_work (h : nat) : nat := sum (shared_cost h) (keys b).

  (** e_c(j): else, in section [j], on sub-core [c]. *)
  Definition local_cost (h j c : nat) (y : key) : nat :=
    if (group m (fst y) =? h) && ((sec (get b y) =? j)
      && ((core m (fst y) =? c) && negb (across y))) then cost b m y else 0.
  Definition local_work (h j c : nat) : nat := sum (local_cost h j c) (keys b).

  (** All sections of the block. *)
  Definition all_sections : list nat := seq 0
    (S (list_max (map (fun x => sec (get b x)) (keys b)))).

  (** W: of each section the busiest sub-core; X: of the others the [k] largest. *)
  Definition busiest (h : nat) : nat := sum (fun j => local_work h j (most cs (local_work h j)))
    all_sections.
  Definition extras (h k : nat) : nat := largest k
    (beyond cs (local_work h) (fun j => most cs (local_work h j)) all_sections).
End Amounts.

(** [k] changes of sub-cores at most: [turn w q] counts those before warp [w] can wait in section
    [q]. *)
Definition changes (b : block) (m : machine) (g : nat) (turn : nat -> nat -> nat)
  (k : nat) : Prop :=
  (forall x o, of m b g x -> of m b g o -> 1 <= init (get b x) -> 1 <= init (get b o) ->
    sec (get b o) < sec (get b x) ->
     turn (fst o) (sec (get b o)) + (if core m (fst o) =? core m (fst x) then 0 else 1)
       <= turn (fst x) (sec (get b x)))
  /\ forall x, of m b g x -> 1 <= init (get b x) -> turn (fst x) (sec (get b x)) <= k.

(** ** Of a thread block [h], when [g] is on sub-core [c] in its section [q] *)

Section Part.
  Variables (m : machine) (b : block) (g : nat) (cs : list nat) (h : nat).
  Hypotheses (W : wf b) (Cores : NoDup cs /\ forall w, In (core m w) cs).

  (** The work of section [j] on sub-core [c] so far. *)
  Definition load (J : progress) (j c : nat) : nat := spent b (local_cost b m g h j c) J.

  (** Section [j] is over: a later one has begun. *)
  Definition over_in (J : progress) (j : nat) : bool :=
    existsb (fun z => (group m (fst z) =? h) &&
      ((1 <=? init (get b z)) && ((snd z <? J (fst z)) && (j <? sec (get b z))))) (keys b).

  (** The sub-core that counts for section [j]. *)
  Definition chosen (J : progress) (c j : nat) : nat :=
    if over_in J j then most cs (load J j) else c.
  (** What is counted of [h] when [g] is on sub-core [c]. *)
  Definition part (c q : nat) (J : progress) : nat := counted_at cs (load J) (chosen J c)
    (all_sections b) q.

  Lemma over_iff J j : over_in J j = true <-> exists z, In z (keys b) /\ group m (fst z) = h
    /\ 1 <= init (get b z) /\ snd z < J (fst z) /\ j < sec (get b z).
  Proof.
    unfold over_in. rewrite existsb_exists. split; intros [z H]; exists z;
      rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, !Nat.ltb_lt in *; tauto.
  Qed.

  Lemma load_mono J J' j c : reaches J J' -> load J j c <= load J' j c.
  Proof. apply spent_mono. Qed.

  Lemma most_core f : In (most cs f) cs /\ forall c, In c cs -> f c <= f (most cs f).
  Proof. apply most_ok. intros E. pose proof (proj2 Cores 0) as H. rewrite E in H. destruct H. Qed.

  Lemma chosen_core J w j : In (chosen J (core m w) j) cs.
  Proof. unfold chosen. destruct (over_in J j); [apply most_core|apply Cores]. Qed.

  Lemma cost_unit y : In y (keys b) -> 1 <= cost b m y -> 1 <= init (get b y).
  Proof.
    intros Hy H. unfold cost in H. destruct (depth m) as [[|d]|]; [exact H| |exact H].
    destruct (init (get b y)) as [|n] eqn:E; [exfalso|lia].
    enough (cmax b (fu (get b y)) = 0) by lia. apply Nat.le_0_r, list_max_le_in. intros i Hi.
    apply in_map_iff in Hi as [z [<- Hz]]. apply filter_In in Hz as [Hz F]. apply Nat.eqb_eq in F.
    destruct y as [w k]. destruct (W w k Hy) as [W1 _]. rewrite (W1 z Hz F E). lia.
  Qed.

  (** More is issued: sections may be over now. *)
  Lemma chosen_later w q J J' : reaches J J' ->
    counted_at cs (load J') (chosen J (core m w)) (all_sections b) q <= part (core m w) q J'.
  Proof.
    intros R. apply counted_switch; [apply Cores|]. intros j _. split; [apply chosen_core|].
    split; [apply chosen_core|]. unfold chosen. destruct (over_in J' j) eqn:O'.
    - right. apply most_core. fold (chosen J (core m w) j). apply chosen_core.
    - left. destruct (over_in J j) eqn:O; [|reflexivity].
      apply over_iff in O as [z [Z1 [Z2 [Z3 [Z4 Z5]]]]]. enough (over_in J' j = true) by congruence.
      apply over_iff. exists z. specialize (R (fst z)). repeat split; auto; lia.
  Qed.

  Lemma part_mono w q J J' : reaches J J' -> part (core m w) q J <= part (core m w) q J'.
  Proof.
    intros R. etransitivity; [|apply chosen_later, R]. apply counted_le. intros j c _.
    apply load_mono, R.
  Qed.

  (** A barrier of [g]: the sub-core changes, in one section of [h] at most that has begun and is
      not over. *)
  Lemma part_jump v w q r J : q < r -> part (core m v) q J <= part (core m w) r J.
  Proof.
    intros L. transitivity (part (core m w) (S q) J); [|apply counted_grows, L].
    apply counted_jump; [apply Cores|apply seq_NoDup|intros j _; split; apply chosen_core|].
    assert (forall j, load J j (chosen J (core m w) j) < load J j (chosen J (core m v) j) ->
      over_in J j = false /\ exists z, In z (keys b) /\ group m (fst z) = h /\ 1 <= init (get b z)
      /\ snd z < J (fst z) /\ sec (get b z) = j) as Begun.
    { intros j Hl. unfold chosen in Hl. destruct (over_in J j); [lia|]. split; [reflexivity|].
      assert (1 <= load J j (core m v)) as P by lia. unfold load, spent in P.
      assert (forall (f : nat -> nat) l, 1 <= sum f l -> exists x, In x l /\ 1 <= f x) as Some1.
      { clear. intros f l H. induction l as [|x l IH]; [cbn in H; lia|]. rewrite sum_cons in H.
        destruct (le_lt_dec 1 (f x)) as [G|G]; [exists x; split; [left; reflexivity|exact G]|].
        destruct (IH ltac:(lia)) as [y [Hy G']]. exists y. split; [right; exact Hy|exact G']. }
      apply Some1 in P as [u [Hu P]]. apply Some1 in P as [i [Hi P]]. apply in_seq in Hu, Hi.
      assert (In (u, i) (keys b)) as K by (apply in_keys; lia). unfold local_cost in P.
      cbn [fst] in P. destruct (Nat.eqb_spec (group m u) h) as [G|G]; [|cbn in P; lia].
      destruct (Nat.eqb_spec (sec (get b (u, i))) j) as [S|S]; [|cbn in P; lia].
      destruct (core m u =? core m v); [|cbn in P; lia].
      destruct (negb (across b m g (u, i))); [|cbn in P; lia]. cbn [andb] in P. exists (u, i).
      cbn [fst snd]. repeat split; auto; [apply cost_unit; assumption|lia]. }
    intros i j _ _ Hi Hj. destruct (Begun i Hi) as [Oi [y [Y1 [Y2 [Y3 [Y4 Y5]]]]]].
    destruct (Begun j Hj) as [Oj [z [Z1 [Z2 [Z3 [Z4 Z5]]]]]].
    destruct (lt_eq_lt_dec i j) as [[N|N]|N]; [exfalso|exact N|exfalso].
    - enough (over_in J i = true) by congruence. apply over_iff. exists z. repeat split; auto; lia.
    - enough (over_in J j = true) by congruence. apply over_iff. exists y. repeat split; auto; lia.
  Qed.

  (** What is met on the sub-core where [g] is. *)
  Lemma part_charge w q J J' y : In y (keys b) -> group m (fst y) = h -> reaches J J' ->
    J (fst y) <= snd y < J' (fst y) ->
    in_order m b J -> part (core m w) q J + local_cost b m g h (sec (get b y)) (core m w) y
      <= part (core m w) q J'.
  Proof.
    intros Hy Gy R L O. set (j0 := sec (get b y)). set (e := local_cost b m g h j0 (core m w) y).
    destruct (Nat.eq_dec e 0) as [->|Pe]; [pose proof (part_mono w q J J' R); lia|].
    assert (1 <= init (get b y)) as Iy.
    { apply cost_unit; [exact Hy|]. unfold e, local_cost in Pe. destruct (_ && _); lia. }
    etransitivity; [|apply chosen_later, R]. apply (counted_more _ _ _ _ _ _ j0).
    - intros j c _. apply load_mono, R.
    - apply in_seq. split; [lia|]. cbn [Nat.add]. apply Nat.lt_succ_r.
      apply list_max_ge, in_map_iff. exists y. auto.
    - assert (over_in J j0 = false) as NO.
      { apply not_true_is_false. intros T. apply over_iff in T as [z [Z1 [Z2 [Z3 [Z4 Z5]]]]].
        specialize (O z y Z1 Hy ltac:(congruence) Iy Z5 Z4). lia. }
      unfold chosen. rewrite NO.
      apply (spent_more b (local_cost b m g h j0 (core m w)) J J' y Hy R L).
  Qed.

  Lemma load_all j c : load (everything b) j c = local_work b m g h j c.
  Proof. apply spent_all. Qed.

  (** In the end: W and X. *)
  Lemma part_all w q : part (core m w) q (everything b) <= busiest b m g cs h + extras b m g cs h q.
  Proof.
    unfold part. etransitivity; [apply (counted_le cs (load (everything b)) (local_work b m g h));
      intros j c _; rewrite load_all; lia|].
    apply (counted_switch cs (proj1 Cores) _ _ (fun j => most cs (local_work b m g h j))).
    intros j _. split; [apply chosen_core|]. split; [apply most_core|]. right.
    apply most_core, chosen_core.
  Qed.
End Part.

(** What is in the way on a sub-core is local to it or across. *)
Lemma way_split m b g c y : (if in_way b m g c y then cost b m y else 0)
  <= local_cost b m g (group m (fst y)) (sec (get b y)) c y + shared_cost b m g (group m (fst y)) y.
Proof.
  unfold local_cost, shared_cost. rewrite !Nat.eqb_refl. cbn [andb].
  destruct (across b m g y) eqn:A; cbn [negb]; [destruct (in_way _ _ _ _ _); lia|]. unfold in_way.
  destruct (Nat.eqb_spec (core m (fst y)) c) as [E|N]; cbn [andb orb]; [lia|].
  destruct (in_reach (only m g b) m c (fu (get b y))) eqn:R; [exfalso|lia]. unfold in_reach in R.
  apply existsb_exists in R as [x [Hx R]]. rewrite andb_true_iff, Nat.eqb_eq in R.
  destruct R as [R1 R2]. apply keys_only in Hx. unfold on in R2. rewrite (get_of m g b x Hx) in R2.
  enough (across b m g y = true) by congruence. apply existsb_exists. exists x. split.
  - apply filter_In. split; [apply Hx|]. apply Nat.eqb_eq, Hx.
  - rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq. split; [congruence|exact R2].
Qed.

Section WaveExtras.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat) (others cs : list nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (Begun : begin s g <= t0).
  (* who is none of the others has ended by [t0], or comes when [g] has ended *)
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g ->
    ~ In (group m (fst y)) others ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.
  Hypothesis Cores : NoDup cs /\ forall w, In (core m w) cs.  (* the sub-cores *)

  Variables (turn : nat -> nat -> nat) (k : nat).
  Hypothesis Turns : changes b m g turn k.

  (** The others but [g]. *)
  Definition strangers : list nat := filter (fun h => negb (h =? g)) others.

  (** Where [g] can have waited until warp [w] is in section [q], and what of [h] has been met by
      then. *)
  Definition waits_till (w q : nat) : list key :=
    filter (fun o => (group m (fst o) =? g) && ((1 <=? init (get b o)) &&
      ((sec (get b o) <? q) || ((fst o =? w) && (sec (get b o) =? q))))) (keys b).
  Definition part_of (h : nat) (o : key) (J : progress) : nat :=
    part m b g cs h (core m (fst o)) (turn (fst o) (sec (get b o))) J.
  Definition part_till (h w q : nat) (J : progress) : nat :=
    list_max (map (fun o => part_of h o J) (waits_till w q)).
  Definition by_sections (w q : nat) (J : progress) : nat :=
    sum (fun h => part_till h w q J + spent b (shared_cost b m g h) J) strangers.

  Lemma waits_iff w q o : In o (waits_till w q) <-> of m b g o /\ 1 <= init (get b o)
    /\ (sec (get b o) < q \/ (fst o = w /\ sec (get b o) = q)).
  Proof.
    unfold waits_till, of. rewrite filter_In, !andb_true_iff, orb_true_iff, andb_true_iff,
      !Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt. tauto.
  Qed.

  Lemma part_till_mono h w q J J' : reaches J J' -> part_till h w q J <= part_till h w q J'.
  Proof.
    intros R. apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [o [<- Ho]].
    etransitivity; [apply (part_mono m b g cs h Cores _ _ J J' R)|].
    apply (list_max_in_ge (fun o => part_of h o J')), Ho.
  Qed.

  (** The last place counts most. *)
  Lemma part_last h x J : of m b g x -> 1 <= init (get b x) -> part_till h (fst x) (sec (get b x)) J
    <= part_of h x J.
  Proof.
    intros Hx Ix. apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [o [<- Ho]].
    apply waits_iff in Ho as [Ho [Io [L|[E1 E2]]]].
    - pose proof (proj1 Turns x o Hx Ho Ix Io L) as T. unfold part_of.
      destruct (Nat.eqb_spec (core m (fst o)) (core m (fst x))) as [E|N].
      + rewrite E. apply counted_grows. lia.
      + apply (part_jump m b g cs h W Cores). lia.
    - unfold part_of. rewrite E1, E2. apply le_n.
  Qed.

  Lemma by_sections_mono w q J J' : reaches J J' -> by_sections w q J <= by_sections w q J'.
  Proof.
    intros R. apply sum_le. intros h _. pose proof (part_till_mono h w q J J' R).
    pose proof (spent_mono b (shared_cost b m g h) J J' R). lia.
  Qed.

  Lemma by_sections_jump x o J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    in_order m b J ->
    by_sections (fst o) (sec (get b o)) J <= by_sections (fst x) (sec (get b x)) J.
  Proof.
    intros _ _ L _. apply sum_le. intros h _. apply Nat.add_le_mono_r. apply list_max_le_in.
    intros n Hn. apply in_map_iff in Hn as [p [<- Hp]].
    apply (list_max_in_ge (fun o => part_of h o J)). apply waits_iff in Hp as [H1 [H2 H3]].
    apply waits_iff. split; [exact H1|]. split; [exact H2|]. left. lia.
  Qed.

  Lemma by_sections_charge x y J J' : of m b g x -> 1 <= init (get b x) -> group m (fst y) <> g ->
    met m b g (listed others) (fst x) (sec (get b x)) J J' y ->
    by_sections (fst x) (sec (get b x)) J + max (charge_I m b x y) (charge_D b x y)
      <= by_sections (fst x) (sec (get b x)) J'.
  Proof.
    intros Hx Ix G Me. pose proof (foreign_enough m b g others x y J J' Hx G Me) as E.
    destruct Me as [Hy [Me [R [L [O _]]]]].
    apply meets_iff in Me as [_ [[G' _]|[_ Li]]]; [contradiction|]. unfold foreign_charge in E.
    rewrite (proj2 (Nat.eqb_neq _ _) G), Li in E.
    pose proof (way_split m b g (core m (fst x)) y) as Wy.
    apply (Aln.sum_more _ _ _ (group m (fst y))).
    - apply filter_In. split; [apply (listed_iff others), Li|]. apply negb_true_iff, Nat.eqb_neq, G.
    - pose proof (part_charge m b g cs _ W Cores (fst x) (turn (fst x) (sec (get b x))) J J' y Hy
        eq_refl R L O). pose proof (part_last (group m (fst y)) x J Hx Ix).
      assert (part_of (group m (fst y)) x J' <= part_till (group m (fst y)) (fst x)
        (sec (get b x)) J').
      { apply (list_max_in_ge (fun o => part_of (group m (fst y)) o J')). apply waits_iff. auto. }
      unfold part_of in *.
      pose proof (spent_more b (shared_cost b m g (group m (fst y))) J J' y Hy R L). lia.
    - intros h _. pose proof (part_till_mono h (fst x) (sec (get b x)) J J' R).
      pose proof (spent_mono b (shared_cost b m g h) J J' R). lia.
  Qed.

  (** What thread block [h] adds: W + U + X. *)
  Definition adds_with_extras (h : nat) : nat := busiest b m g cs h + shared_work b m g h
    + extras b m g cs h k.

  Lemma by_sections_all w q : by_sections w q (everything b) <= sum adds_with_extras strangers.
  Proof.
    apply sum_le. intros h _. rewrite spent_all. unfold adds_with_extras.
    fold (shared_work b m g h).
    enough (part_till h w q (everything b) <= busiest b m g cs h + extras b m g cs h k) by lia.
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [o [<- Ho]].
    apply waits_iff in Ho as [Ho [Io _]].
    pose proof (part_all m b g cs h Cores (fst o) (turn (fst o) (sec (get b o)))) as A.
    pose proof (largest_grows _ _ (beyond cs (local_work b m g h) (fun j =>
      most cs (local_work b m g h j)) (all_sections b)) (proj2 Turns o Ho Io)).
    unfold part_of, extras in *. lia.
  Qed.

  (** *** Theorem 1, and with FIB in place of SIB *)
  Theorem wave_extras iI iD x : iso_edges (only m g b) m iI iD -> of m b g x ->
    C s x <= t0 + min (block_bound b m (own_sib b m g) iD g) (block_bound b m (fib_charge b m) iD g)
             + sum adds_with_extras strangers.
  Proof.
    intros HI Hx. pose proof (by_sections_all (fst x) (sec (get b x))) as A.
    pose proof (wave_sum m b s _ _ g t0 (listed others) M W V HI Begun (away m b s g t0 others Away)
      _ (sib_enough m b g) by_sections by_sections_mono by_sections_jump by_sections_charge _ x Hx
      A) as H1. pose proof (wave_sum m b s _ _ g t0 (listed others) M W V HI Begun
      (away m b s g t0 others Away) _ (fib_enough m b g) by_sections by_sections_mono
      by_sections_jump by_sections_charge _ x Hx A) as H2. lia.
  Qed.

  (** *** Theorem 1, computed: SIB and FIB of the thread block by itself *)
  Theorem SIB_wave_extras x : same_cost b m g -> of m b g x ->
    C s x <= t0 + min (SIB_at (only m g b) m g) (FIB_at (only m g b) m g)
             + sum adds_with_extras strangers.
  Proof.
    intros S Hx.
    pose proof (wave_extras _ _ x (iso_at_edges (only m g b) m (wf_only m g b W)) Hx) as H.
    rewrite (own_sib_alone b m g _ S), (fib_alone b m g _ S) in H. exact H.
  Qed.
End WaveExtras.

(** Every barrier may be a change; on one sub-core there is none. *)
Lemma changes_barriers b m g : changes b m g (fun _ q => q) (last_section b m g).
Proof.
  split; [intros x o _ _ _ _ L; destruct (_ =? _); lia|]. intros x [Hx Gx] _.
  apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
  split; [exact Hx|]. apply Nat.eqb_eq, Gx.
Qed.
