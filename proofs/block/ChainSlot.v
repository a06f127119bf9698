(** * The blocks of a slot one behind the other: docs/sub-core-bounds.md, theorem 6 (the slot's own
    blocks)

    A walk through thread blocks [g] with [mineg g], those with a lower [pos] first.  Of those with
    [owng g] no two are there at a time; what is met of them the walk goes on at.  The others may be
    there beside them (the last block of case (2)): what is met of these is charged as another
    block's. *)

From Warpbound Require Import Base Cycles Model Elb Instances Weights ChainWalk.

(** How often the sub-core can change below an instruction with the sections.  Behind sections it is
    the longest path over the edges from all instructions of older sections. *)
Definition turns_cert (m : machine) (b : block) (h : key -> nat) : Prop :=
  forall x y, In x (keys b) -> In y (keys b) -> group m (fst y) = group m (fst x) ->
    (sec (get b y) < sec (get b x) -> h y + differ (core m (fst y)) (core m (fst x)) <= h x)
    /\ (sec (get b y) = sec (get b x) -> core m (fst y) = core m (fst x) -> h y <= h x).

Section Ready.
  Variables (m : machine) (b : block) (s : schedule) (L : key -> nat).
  Hypotheses (W : wf b) (V : valid m b s) (HL : lam_cert m b L).

  (** What an instruction waits for below its issue: the start of its block, an instruction before
      it in the warp or of an older section, or a unit or slot. *)
  Lemma block_ready w k z : In (w, k) (keys b) -> z <= I s (w, k) ->
    z <= begin s (group m w)
    \/ (exists y z', In y (keys b) /\ group m (fst y) = group m w /\ rank b y < rank b (w, k)
          /\ (sec (get b y) < sec (get b (w, k)) \/ sec (get b y) = sec (get b (w, k)) /\ fst y = w)
          /\ z' <= z /\ z' <= D s y + ai s y /\ z + L y <= z' + L (w, k))
    \/ (1 <= z /\ eligible b m s w k (z - 1)).
  Proof.
    intros Hk Hz. destruct (HL w k Hk) as [L1 [L2 L3]]. destruct (W w k Hk) as [_ [Wp Ws]].
    destruct (le_lt_dec z (begin s (group m w))) as [Lb|Lb]; [left; exact Lb|right].
    assert (forall j, j < k -> In (w, j) (keys b) /\ rank b (w, j) < rank b (w, k) /\
      (sec (get b (w, j)) < sec (get b (w, k)) \/ sec (get b (w, j)) = sec (get b (w, k))))
      as Before.
    { intros j Hj. destruct (rank_prog b W w k j Hk Hj). specialize (Ws j Hj). repeat split; auto.
      lia. }
    assert (forall y, In y (keys b) -> I s y + takes (get b y) <= D s y + ai s y) as Tk.
    { intros y Hy. pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy). lia. }
    (* the issue before *)
    assert ((exists j, k = S j /\ z <= I s (w, j) + takes (get b (w, j)))
            \/ forall j, k = S j -> I s (w, j) + takes (get b (w, j)) <= z - 1) as [[j [-> Hc]]|A1].
    { destruct k as [|j]; [right; intros; lia|].
      destruct (le_lt_dec z (I s (w, j) + takes (get b (w, j)))); [left; eauto|right]. intros j' E.
      injection E as <-. lia. }
    { left. destruct (Before j ltac:(lia)) as [B1 [B2 B3]]. exists (w, j), z. pose proof (Tk _ B1).
      pose proof (L1 j eq_refl). repeat split; auto; try lia. destruct B3; auto. }
    (* operands *)
    destruct (existsb (fun p => z <=? C s (w, p)) (ops (get b (w, k)))) eqn:Eo.
    { left. apply existsb_exists in Eo as [p [Hp Hc]]. apply Nat.leb_le in Hc.
      destruct (Before p (Wp p Hp)) as [B1 [B2 B3]].
      exists (w, p), (min z (D s (w, p) + ai s (w, p))). pose proof (L2 p Hp).
      pose proof (v_lat _ _ _ V _ B1). unfold C in Hc. repeat split; auto; try lia.
      destruct B3; auto. }
    (* the release *)
    set (q := sec (get b (w, k))) in *.
    destruct (existsb (fun y => (group m (fst y) =? group m w) && (sec (get b y) <? q)
                && (z <=? I s y + takes (get b y) + ar s (group m w) q)) (keys b)) eqn:Er.
    { left. apply existsb_exists in Er as [y [Hy Hc]].
      rewrite !andb_true_iff, Nat.eqb_eq, Nat.ltb_lt, Nat.leb_le in Hc. destruct Hc as [[G1 G2] G3].
      exists y, (min z (I s y + takes (get b y))). pose proof (L3 y Hy G1 G2). pose proof (Tk y Hy).
      pose proof (v_rel _ _ _ V (group m w) q). pose proof (rank_sec b (w, k) y Hy G2). fold q in H.
      repeat split; auto; lia. }
    right. split; [lia|]. split; [lia|]. split; [lia|]. split; [intros j Ej; apply A1, Ej|]. split.
    - intros p Hp. destruct (le_lt_dec z (C s (w, p))) as [Lc|Lc]; [exfalso|lia].
      enough (existsb (fun p => z <=? C s (w, p)) (ops (get b (w, k))) = true) by congruence.
      apply existsb_exists. exists p. split; [exact Hp|apply Nat.leb_le, Lc].
    - intros y Hy G1 G2. fold q in G2 |- *. destruct
        (le_lt_dec z (I s y + takes (get b y) + ar s (group m w) q)) as [Lc|Lc]; [exfalso|lia].
      match type of Er with ?e = false => enough (e = true) by congruence end. apply existsb_exists.
      exists y. split; [exact Hy|].
      rewrite G1, Nat.eqb_refl, (proj2 (Nat.ltb_lt _ _) G2), (proj2 (Nat.leb_le _ _) Lc).
      reflexivity.
  Qed.
End Ready.

Section Slot.
  Variables (m : machine) (b : block) (s : schedule) (L h : key -> nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (HL : lam_cert m b L).
  Hypothesis HT : turns_cert m b h.
  Variable home : nat -> option nat.
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) ->
    reach home (core m (fst y)) (fu (get b y)).
  Variable tick : nat -> bool.
  Notation clock := (cnt tick).
  Notation grp y := (group m (fst y)).

  Variables (mineg owng : nat -> bool) (pos base turned lamc chg : nat -> nat).
  Hypothesis Own_mine : forall g, owng g = true -> mineg g = true.
  Hypothesis Pos : forall g g', mineg g = true -> mineg g' = true -> pos g = pos g' -> g = g'.
  Hypothesis Last : forall g g', owng g = true -> mineg g' = true -> owng g' = false ->
    pos g < pos g'.
  Hypothesis Lam : forall y, In y (keys b) -> mineg (grp y) = true ->
    L y + lat (get b y) <= lamc (grp y).
  Hypothesis Chg : forall y, In y (keys b) -> mineg (grp y) = true -> h y + 1 <= chg (grp y).
  Hypothesis Base : forall g g', mineg g = true -> mineg g' = true -> pos g < pos g' ->
    base g + lamc g <= base g'.
  Hypothesis Turned : forall g g', mineg g = true -> mineg g' = true -> pos g < pos g' ->
    turned g + chg g <= turned g'.
  Hypothesis Apart : forall y x, In y (keys b) -> In x (keys b) -> owng (grp y) = true ->
    owng (grp x) = true ->
    pos (grp y) < pos (grp x) -> I s y + takes (get b y) <= I s x.
  (* how the walk leaves a block at its start *)
  Hypothesis Arrive : forall g z, mineg g = true -> z <= begin s g ->
    clock z <= base g \/ exists y z', In y (keys b) /\ mineg (grp y) = true /\ pos (grp y) < pos g
      /\ z' <= z /\ z' <= D s y + ai s y /\ clock z + (base (grp y) + L y) <= clock z' + base g.

  (** The number of sections. *)
  Definition sections : nat := S (list_max (map (fun y => sec (get b y)) (keys b))).
  (** No rank is as large as [ranks]. *)
  Definition ranks : nat := S (list_max (map (rank b) (keys b))).
  (** Levels are ordered by thread block, then by section. *)
  Definition level (g j : nat) : nat := pos g * sections + j.
  Notation lv := (fun y => level (grp y) (sec (get b y))).
  Notation rk := (fun y => pos (grp y) * ranks + rank b y).
  (** [y] is of a thread block through which the walk goes. *)
  Definition mine (y : key) : Prop := In y (keys b) /\ mineg (grp y) = true.
  (** [y] is of a thread block that has the slot alone. *)
  Definition own (y : key) : Prop := In y (keys b) /\ owng (grp y) = true.

  Lemma sec_few y : In y (keys b) -> sec (get b y) < sections.
  Proof. intros Hy. apply le_n_S, list_max_ge, (in_map (fun y => sec (get b y))), Hy. Qed.

  Lemma rank_few y : In y (keys b) -> rank b y < ranks.
  Proof. intros Hy. apply le_n_S, list_max_ge, in_map, Hy. Qed.

  Lemma level_lt y x : In y (keys b) -> pos (grp y) < pos (grp x) -> lv y < lv x.
  Proof.
    intros Hy Hp. pose proof (sec_few y Hy). unfold level.
    pose proof (Nat.mul_le_mono_r _ _ sections Hp). cbn beta. lia.
  Qed.

  Lemma rank_lt y x : In y (keys b) -> pos (grp y) < pos (grp x) -> rk y < rk x.
  Proof.
    intros Hy Hp. pose proof (rank_few y Hy). pose proof (Nat.mul_le_mono_r _ _ ranks Hp). cbn beta.
    lia.
  Qed.

  Lemma clock_slow x z : x <= z -> clock z <= clock x + (z - x).
  Proof. induction 1 as [|z Hz IH]; [lia|]. cbn [cnt]. destruct (tick z); lia. Qed.

  Lemma level_cases y x : mine y -> mine x -> lv y < lv x ->
    pos (grp y) < pos (grp x) \/ (grp y = grp x /\ sec (get b y) < sec (get b x)).
  Proof.
    intros [Hy My] [Hx Mx] Lt.
    destruct (Nat.lt_trichotomy (pos (grp y)) (pos (grp x))) as [P|[P|P]]; [left; exact P| |].
    - right. split; [apply Pos; assumption|]. unfold level in Lt. rewrite P in Lt. lia.
    - pose proof (level_lt x y Hx P). lia.
  Qed.

  Lemma own_dec y : {own y} + {~ own y}.
  Proof.
    destruct (in_dec key_eq y (keys b)) as [Hy|Hy]; [|right; intros [A _]; auto].
    destruct (owng (grp y)) eqn:E; [left; split; assumption|right; intros [_ A]; congruence].
  Qed.

  Lemma older u k : own u -> mine k -> I s u < I s k + takes (get b k) -> lv u <= lv k.
  Proof.
    intros [Hu Ou] [Hk Mk] Lt. destruct (Nat.eq_dec (grp u) (grp k)) as [E|N].
    - unfold level. rewrite E.
      destruct (le_lt_dec (sec (get b u)) (sec (get b k))) as [Le|Le]; [lia|exfalso].
      pose proof (v_barrier _ _ _ V u k Hu Hk (eq_sym E) Le). lia.
    - apply Nat.lt_le_incl, level_lt; [exact Hu|].
      destruct (owng (grp k)) eqn:Ok; [|apply Last; assumption].
      destruct (Nat.lt_trichotomy (pos (grp u)) (pos (grp k))) as [P|[P|P]]; [exact P| |].
      + destruct N. apply Pos; auto.
      + pose proof (Apart k u Hk Hu Ok Ou P). lia.
  Qed.

  Lemma jump y x : mine y -> mine x -> lv y < lv x ->
    rk y < rk x /\ base (grp y) + L y <= base (grp x) + L x
    /\ turned (grp y) + h y + differ (core m (fst y)) (core m (fst x)) <= turned (grp x) + h x.
  Proof.
    intros My Mx Lt.
    destruct (level_cases y x My Mx Lt) as [P|[E Sx]]; destruct My as [Hy My], Mx as [Hx Mx].
    - pose proof (Base _ _ My Mx P). pose proof (Turned _ _ My Mx P). pose proof (Lam y Hy My).
      pose proof (Chg y Hy My). split; [apply rank_lt; assumption|]. split; [lia|]. unfold differ.
      destruct (_ =? _); lia.
    - rewrite E. pose proof (rank_sec b x y Hy Sx). destruct x as [w k].
      destruct (HL w k Hx) as [_ [_ L3]]. specialize (L3 y Hy E Sx).
      destruct (HT (w, k) y Hx Hy E) as [T _]. specialize (T Sx). lia.
  Qed.

  Lemma ready k z : mine k -> z <= I s k ->
    clock z <= base (grp k) + L k
    \/ (exists y z', goes m s tick mine lv rk (fun y => base (grp y) + L y) (fun y => turned (grp y)
      + h y) k z y z')
    \/ (1 <= z /\ eligible b m s (fst k) (snd k) (z - 1)).
  Proof.
    intros Mk Hz. pose proof Mk as [Hk Mk']. destruct k as [w k]. cbn [fst snd] in *.
    destruct (block_ready m b s L W V HL w k z Hk Hz)
      as [B|[[y [z' [Y1 [Y2 [Y3 [Y4 [Y5 [Y6 Y7]]]]]]]]|B]]; [| |auto].
    - destruct (Arrive (group m w) z Mk' B) as [A|[y [z' [Y1 [Y2 [Y3 [Y4 [Y5 Y6]]]]]]]];
        [left; lia|right; left]. assert (mine y) as My by (split; assumption).
      pose proof (level_lt y (w, k) Y1 Y3) as Lt. destruct (jump y (w, k) My Mk Lt) as [J1 [J2 J3]].
      exists y, z'. unfold goes. cbn [fst] in *. repeat split; auto; lia.
    - right. left. exists y, z'. assert (mine y) as My by (split; [exact Y1|rewrite Y2; exact Mk']).
      pose proof (clock_slow z' z Y5). unfold goes. cbn [fst]. rewrite Y2.
      destruct Y4 as [Y4|[Y4 Yw]].
      + assert (lv y < lv (w, k)) as Lt by (unfold level; cbn [fst]; rewrite Y2; lia).
        destruct (jump y (w, k) My Mk Lt) as [J1 [J2 J3]]. cbn [fst] in *. rewrite Y2 in *.
        repeat split; auto; try lia; apply My.
      + destruct (HT (w, k) y Hk Y1 Y2) as [_ T]. cbn [fst] in T. rewrite Yw in *.
        specialize (T Y4 eq_refl). unfold differ. rewrite Nat.eqb_refl.
        repeat split; auto; try lia; apply My.
  Qed.

  (** *** Lemma 1 (chain) and theorem 6, the path of a slot: until [k] has initiated all cycles are
      paid but the latencies. *)
  Theorem slot_path k z : mine k -> z <= D s k + ai s k -> exists p,
    clock z <= base (grp k) + L k + wsum b (fun u => init (get b u)) (paid p)
    /\ (forall u, In u (keys b) -> paid p u = true ->
          reach home (rho p (I s u)) (fu (get b u)) /\ live s tick u = true)
    /\ (forall u, In u (keys b) -> paid p u = true -> owng (grp u) = true ->
          reach home (stand p (level (grp u) (sec (get b u)))) (fu (get b u)))
    /\ (forall t, rho p t <> rho p (S t) -> In (S t) (cuts p))
    /\ length (cuts p) + 1 <= turned (grp k) + chg (grp k).
  Proof.
    intros Mk Hz. pose proof Mk as [Hk Mk']. destruct (walk_all m b s M W V home Home tick mine own
      lv rk (fun y => base (grp y) + L y) (fun y => turned (grp y) + h y) own_dec (fun y H =>
      proj1 H) (fun y H => conj (proj1 H) (Own_mine _ (proj2 H))) older (fun o x Ho Hx Lt =>
      jump o x (conj (proj1 Ho) (Own_mine _ (proj2 Ho))) Hx Lt) ready k z Mk Hz)
      as [p [T A O _ _ C F]]. exists p. pose proof (Chg k Hk Mk'). repeat split; auto; try lia.
    - apply (A u); assumption.
    - apply (A u); assumption.
    - intros u Hu Pu Ou. apply (O u Hu Pu). split; assumption.
  Qed.
End Slot.
