(** * What a path through the sub-cores charges to a block: docs/sub-core-bounds.md, sections 1 and
    10

    Charges in the order of issue: a path [rho] gives every cycle a sub-core, and an instruction is
    charged if its unit is in the reach of [rho] at its issue.  Windows are sections (the fine sums)
    or the whole block (the coarse ones). *)

From Warpbound Require Import Base Cycles Largest Model Instances Weights ChainWalk.

(** ** Sums of the largest *)

Lemma largest_first n l : list_sum (firstn n l) <= largest n l.
Proof.
  revert n. induction l as [|x l IH]; intros n; [rewrite firstn_nil; apply Nat.le_0_l|].
  destruct n as [|n]; [apply Nat.le_0_l|]. specialize (IH n). pose proof (largest_take n x l).
  change (list_sum (firstn (S n) (x :: l))) with (x + list_sum (firstn n l)). lia.
Qed.

(** The most, and the most of the others. *)
Lemma largest_more n l : largest (S n) l <= largest 1 l + largest n (tl (sorted l)).
Proof.
  unfold largest at 1 2. destruct (sorted l) as [|x k]; [rewrite !firstn_nil; apply Nat.le_0_l|].
  cbn [tl]. pose proof (largest_first n k).
  change (list_sum (firstn (S n) (x :: k))) with (x + list_sum (firstn n k)).
  change (list_sum (firstn 1 (x :: k))) with (x + 0). lia.
Qed.

Lemma largest_app : forall a n k c, largest n a + largest k c <= largest (n + k) (a ++ c).
Proof.
  induction a as [|x a IH]; intros n k c; cbn [app].
  - rewrite largest_nil. apply largest_grows. lia.
  - destruct n as [|n].
    + rewrite largest_0. cbn [Nat.add]. etransitivity; [|apply largest_skip]. apply (IH 0).
    + cbn [Nat.add]. rewrite !largest_cons. pose proof (IH n k c). pose proof (IH (S n) k c).
      cbn [Nat.add] in *. lia.
Qed.

Lemma largest_flat {A} (n : A -> nat) (f : A -> list nat) l :
  sum (fun x => largest (n x) (f x)) l <= largest (sum n l) (flat_map f l).
Proof.
  induction l as [|x l IH]; [apply Nat.le_0_l|]. rewrite !sum_cons. cbn [flat_map].
  etransitivity; [apply Nat.add_le_mono_l, IH|]. apply largest_app.
Qed.

(** ** A block in windows *)

Lemma filter_shorter {A} (p : A -> bool) l : length (filter p l) <= length l.
Proof.
  induction l as [|x l IH]; [apply le_n|]. cbn [filter]. destruct (p x); cbn [length]; lia.
Qed.

Section Work.
  Variables (b : block) (home : nat -> option nat) (cores : nat) (grp wnd : key -> nat).
  Hypothesis Cores : forall f c, home f = Some c -> c < cores.
  Notation inits := (fun y => init (get b y)).

  (** [y] is of group [g] and window [j]. *)
  Definition part (g j : nat) (y : key) : bool := (grp y =? g) && (wnd y =? j).
  (** The unit of [y] belongs to sub-core [c] alone. *)
  Definition at_home (c : nat) (y : key) : bool := match home (fu (get b y)) with Some d =>
    d =? c | None => false end.
  (** Sub-cores share the unit of [y]. *)
  Definition is_shared (y : key) : bool := match home (fu (get b y)) with Some _ => false | None =>
    true end.

  (** [e_c(j)], all of them, [u(j)], [W] and [X] of block [g] with windows 0 to [K] - 1. *)
  Definition priv (g j c : nat) : nat := wsum b inits (fun y => part g j y && at_home c y).
  Definition row (g j : nat) : list nat := map (priv g j) (seq 0 cores).
  Definition shar (g j : nat) : nat := wsum b inits (fun y => part g j y && is_shared y).
  Definition busiest (K g : nat) : nat := sum (fun j => largest 1 (row g j) + shar g j) (seq 0 K).
  Definition extras (K g : nat) : list nat := flat_map (fun j => tl (sorted (row g j))) (seq 0 K).

  Lemma wsum_sum {A} h (P : key -> bool) (Q : A -> key -> bool) l :
    (forall y, In y (keys b) -> P y = true -> exists a, In a l /\ Q a y = true) ->
    wsum b h P <= sum (fun a => wsum b h (fun y => P y && Q a y)) l.
  Proof.
    intros H. unfold wsum. rewrite <- sum_swap. apply sum_le. intros y Hy.
    destruct (P y) eqn:E; [|lia]. destruct (H y Hy E) as [a [Ha Q1]].
    pose proof (sum_ge (fun a => if true && Q a y then h y else 0) a l Ha) as G. cbn beta in G.
    rewrite Q1 in G. exact G.
  Qed.

  (** Charged under the sub-cores of [U] only. *)
  Lemma window_work g j P U : NoDup U ->
    (forall y, In y (keys b) -> P y = true -> part g j y = true ->
       home (fu (get b y)) = None \/ exists c, In c U /\ home (fu (get b y)) = Some c) ->
    wsum b inits (fun y => P y && part g j y) <= shar g j + largest (length U) (row g j).
  Proof.
    intros N H. set (A := filter (fun c => c <? cores) U).
    assert (sum (priv g j) A <= largest (length U) (row g j)) as HA.
    { apply largest_ge; [apply NoDup_filter, N| |apply filter_shorter].
      intros c Hc. apply filter_In in Hc as [_ Hc]. apply Nat.ltb_lt in Hc. apply in_seq. lia. }
    set (R := fun y => P y && part g j y). assert (wsum b inits R
      <= wsum b inits (fun y => R y && is_shared y)
      + wsum b inits (fun y => R y && negb (is_shared y))) as S.
    { unfold wsum. rewrite <- sum_add. apply sum_le. intros y _.
      destruct (R y), (is_shared y); cbn; lia. }
    assert (wsum b inits (fun y => R y && is_shared y) <= shar g j) as S1.
    { apply wsum_le. intros y _ E. unfold R in E. rewrite !andb_true_iff in *. tauto. }
    assert (wsum b inits (fun y => R y && negb (is_shared y)) <= sum (priv g j) A) as S2; [|lia].
    etransitivity; [apply (wsum_sum inits _ at_home A)|].
    - intros y Hy E. unfold R, is_shared in E. rewrite !andb_true_iff in E.
      destruct E as [[E1 E2] E3].
      destruct (H y Hy E1 E2) as [Hn|[c [Hc Hs]]]; [rewrite Hn in E3; discriminate|]. exists c.
      split; [|unfold at_home; rewrite Hs; apply Nat.eqb_refl]. apply filter_In. split; [exact Hc|].
      apply Nat.ltb_lt, (Cores _ _ Hs).
    - apply sum_le. intros c _. apply wsum_le. intros y _ E. unfold R in E.
      rewrite !andb_true_iff in *. tauto.
  Qed.

  Lemma by_window K g P : (forall y, In y (keys b) -> P y = true -> grp y = g -> wnd y < K) ->
    wsum b inits (fun y => P y && (grp y =? g))
      <= sum (fun j => wsum b inits (fun y => P y && part g j y)) (seq 0 K).
  Proof.
    intros H. etransitivity; [apply (wsum_sum inits _ (fun j y => wnd y =? j) (seq 0 K))|].
    - intros y Hy E. apply andb_prop in E as [E1 E2]. apply Nat.eqb_eq in E2. exists (wnd y).
      specialize (H y Hy E1 E2). split; [apply in_seq; lia|apply Nat.eqb_refl].
    - apply sum_le. intros j _. apply wsum_le. intros y _ E. unfold part.
      rewrite !andb_true_iff in *. tauto.
  Qed.

  (** *** Own work: one sub-core a section *)
  Theorem own_work K g P st :
    (forall y, In y (keys b) -> P y = true -> grp y = g -> wnd y < K /\
      reach home (st (wnd y)) (fu (get b y))) ->
    wsum b inits (fun y => P y && (grp y =? g)) <= busiest K g.
  Proof.
    intros H. etransitivity; [apply (by_window K)|].
    - intros y Hy Py Gy. apply H; assumption.
    - apply sum_le. intros j _. pose proof (window_work g j P [st j]) as A. rewrite Nat.add_comm.
      apply A; [repeat constructor; easy|]. intros y Hy Py E. unfold part in E.
      rewrite andb_true_iff, !Nat.eqb_eq in E. destruct E as [E1 <-].
      destruct (H y Hy Py E1) as [_ [R|R]]; [left; exact R|right; exists (st (wnd y)); split;
        [left; reflexivity|exact R]].
  Qed.

  (** ** Another block is cut where the path changes within the issues of a window *)

  Variables (s : schedule) (rho : nat -> nat) (cuts : list nat).
  Hypothesis Cuts : forall t, rho t <> rho (S t) -> In (S t) cuts.

  (** The sub-cores of [lo] to [hi]. *)
  Lemma path_values lo hi : lo <= hi -> exists U, NoDup U /\
    (forall t, lo <= t <= hi -> In (rho t) U)
    /\ length U <= 1 + length (filter (fun z => (lo <? z) && (z <=? hi)) cuts).
  Proof.
    induction 1 as [|hi L [U [N [A B]]]].
    - exists [rho lo]. repeat split; [repeat constructor; easy| |cbn; lia].
      intros t Ht. replace t with lo by lia. left. reflexivity.
    - set (F := fun k => filter (fun z => (lo <? z) && (z <=? k)) cuts) in *. fold (F hi) in B.
      fold (F (S hi)). assert (length (F hi) <= length (F (S hi)) /\
        (In (S hi) cuts -> length (F hi) < length (F (S hi)))) as [G1 G2].
      { unfold F. clear -L. induction cuts as [|z l [I1 I2]]; [cbn; split; [lia|easy]|].
        cbn [filter]. destruct (Nat.ltb_spec lo z), (Nat.leb_spec z hi), (Nat.leb_spec z (S hi));
          cbn [andb length]; split; try lia; intros [E|E]; try specialize (I2 E); lia. }
      destruct (in_dec Nat.eq_dec (rho (S hi)) U) as [I|I].
      + exists U. repeat split; [exact N| |lia]. intros t Ht.
        destruct (Nat.eq_dec t (S hi)) as [->|]; [exact I|apply A; lia].
      + exists (rho (S hi) :: U). repeat split; [constructor; assumption| |].
        * intros t Ht.
          destruct (Nat.eq_dec t (S hi)) as [->|]; [left; reflexivity|right; apply A; lia].
        * cbn [length]. assert (length (F hi) < length (F (S hi))); [|lia].
          apply G2, Cuts. intros E. apply I. rewrite <- E. apply A. lia.
  Qed.

  (** The charged of a window are issued before [z] and behind it. *)
  Definition splits (P : key -> bool) (g j z : nat) : bool :=
    existsb (fun y => P y && part g j y && (I s y <? z)) (keys b)
    && existsb (fun y => P y && part g j y && (z <=? I s y)) (keys b).

  Lemma splits_ex P g j z : splits P g j z = true ->
    (exists y, In y (keys b) /\ P y = true /\ part g j y = true /\ I s y < z)
    /\ exists y, In y (keys b) /\ P y = true /\ part g j y = true /\ z <= I s y.
  Proof.
    unfold splits. intros E. apply andb_prop in E as [E1 E2].
    apply existsb_exists in E1 as [y [Y E1]], E2 as [v [U E2]].
    rewrite !andb_true_iff, Nat.ltb_lt in E1. rewrite !andb_true_iff, Nat.leb_le in E2.
    split; [exists y|exists v]; tauto.
  Qed.

  (** The number of cuts that split a window. *)
  Definition parts (P : key -> bool) (g j : nat) : nat := length (filter (splits P g j) cuts).

  Lemma cut_window g j P :
    (forall y, In y (keys b) -> P y = true -> part g j y = true ->
      reach home (rho (I s y)) (fu (get b y))) ->
    wsum b inits (fun y => P y && part g j y)
    <= (largest 1 (row g j) + shar g j) + largest (parts P g j) (tl (sorted (row g j))).
  Proof.
    intros H. set (l := filter (fun y => P y && part g j y) (keys b)).
    assert (forall y, In y l <-> In y (keys b) /\ P y = true /\ part g j y = true) as Il.
    { intros y. unfold l. rewrite filter_In, andb_true_iff. tauto. }
    destruct l as [|y0 l0] eqn:E.
    - rewrite wsum_filter. fold l. rewrite E. apply Nat.le_0_l.
    - destruct (latest (I s) (y0 :: l0) ltac:(discriminate)) as [a [Ha A]].
      destruct (latest (fun y => I s a - I s y) (y0 :: l0) ltac:(discriminate)) as [d [Hd B]].
      assert (forall y, In y (y0 :: l0) -> I s d <= I s y <= I s a) as AB.
      { intros y Hy. specialize (B y Hy). pose proof (A y Hy). pose proof (A d Hd). lia. }
      destruct (path_values (I s d) (I s a) (A d Hd)) as [U [U1 [U2 U3]]].
      pose proof (window_work g j P U U1) as Wk.
      assert (length (filter (fun z => (I s d <? z) && (z <=? I s a)) cuts) <= parts P g j) as Lp.
      { unfold parts. clear -Hd Ha Il. apply Il in Hd as [D1 [D2 D3]], Ha as [A1 [A2 A3]].
        induction cuts as [|z l IH]; [cbn; lia|]. cbn [filter].
        destruct ((I s d <? z) && (z <=? I s a)) eqn:E;
          [|destruct (splits P g j z); cbn [length]; lia]. apply andb_prop in E as [E1 E2].
        assert (splits P g j z = true) as ->; [|cbn [length]; lia].
        apply andb_true_intro; split; apply existsb_exists; [exists d|exists a]; rewrite ?D2, ?D3,
          ?A2, ?A3, ?E1, ?E2; auto. }
      etransitivity; [apply Wk|].
      + intros y Hy Py Qy. specialize (AB y (proj2 (Il y) (conj Hy (conj Py Qy)))).
        destruct (H y Hy Py Qy) as [R|R]; [left; exact R|right]. exists (rho (I s y)). auto.
      + pose proof (largest_grows (length U) (S (parts P g j)) (row g j) ltac:(lia)) as G1.
        pose proof (largest_more (parts P g j) (row g j)). lia.
  Qed.

  (** *** Another block: [W] and as many extras as there are cuts in its windows *)
  Theorem cut_work K g P :
    (forall y, In y (keys b) -> P y = true -> grp y = g -> wnd y < K /\
      reach home (rho (I s y)) (fu (get b y))) ->
    wsum b inits (fun y => P y && (grp y =? g))
    <= busiest K g + largest (sum (parts P g) (seq 0 K)) (extras K g).
  Proof.
    intros H. etransitivity; [apply (by_window K)|].
    - intros y Hy Py Gy. apply H; assumption.
    - etransitivity; [|apply Nat.add_le_mono_l, largest_flat]. unfold busiest. rewrite <- sum_add.
      apply sum_le. intros j _. apply cut_window. intros y Hy Py E. unfold part in E.
      rewrite andb_true_iff, !Nat.eqb_eq in E. apply H; tauto.
  Qed.

  (** A change cuts one window of one block of a slot at most: those of a slot are issued one after
      the other. *)
  Theorem cuts_shared K P (F : list nat) :
    NoDup F ->
    (forall g j g' j', In g F -> In g' F -> (g = g' /\ j = j')
       \/ (forall u v, In u (keys b) -> In v (keys b) -> part g j u = true -> part g' j' v = true ->
         I s u <= I s v)
       \/ (forall u v, In u (keys b) -> In v (keys b) -> part g j u = true -> part g' j' v = true ->
         I s v <= I s u)) ->
    sum (fun g => sum (parts P g) (seq 0 K)) F <= length cuts.
  Proof.
    intros N H. transitivity (sum (fun z => sum (fun g =>
      sum (fun j => Nat.b2n (splits P g j z)) (seq 0 K)) F) cuts).
    - rewrite (sum_swap _ cuts F). apply sum_le. intros g _. rewrite (sum_swap _ cuts (seq 0 K)).
      apply sum_le. intros j _. unfold parts. clear. induction cuts as [|z l IH]; [cbn; lia|].
      cbn [filter]. rewrite sum_cons. destruct (splits P g j z); cbn [length Nat.b2n]; lia.
    - rewrite <- (Nat.mul_1_r (length cuts)). apply sum_mul. intros z _.
      assert (forall g j g' j', In g F -> In g' F -> splits P g j z = true -> splits P g' j' z
        = true -> g = g' /\ j = j') as One.
      { intros g j g' j' Hg Hg' S1 S2.
        apply splits_ex in S1 as [[y [Y1 [Y2 [Y3 Y4]]]] [y' [Y1' [Y2' [Y3' Y4']]]]].
        apply splits_ex in S2 as [[x [X1 [X2 [X3 X4]]]] [x' [X1' [X2' [X3' X4']]]]].
        destruct (H g j g' j' Hg Hg') as [E|[E|E]]; [exact E| |].
        - specialize (E y' x Y1' X1 Y3' X3). lia.
        - specialize (E y x' Y1 X1' Y3 X3'). lia. }
      apply sum_once; [exact N| |].
      + intros g Hg.
        apply sum_once; [apply seq_NoDup|intros j _; destruct (splits P g j z); cbn; lia|].
        intros j j' _ _ A B. destruct (splits P g j z) eqn:S1; [|easy].
        destruct (splits P g j' z) eqn:S2; [|easy]. apply (One g j g j' Hg Hg S1 S2).
      + assert (forall g, sum (fun j => Nat.b2n (splits P g j z)) (seq 0 K) <> 0 -> exists j,
          splits P g j z = true) as Ex.
        { intros g A. destruct (existsb (fun j => splits P g j z) (seq 0 K)) eqn:E.
          - apply existsb_exists in E as [j [_ E]]. eauto.
          - exfalso. apply A, sum_zero. intros j Hj.
            destruct (splits P g j z) eqn:E2; [|reflexivity].
            enough (existsb (fun j => splits P g j z) (seq 0 K) = true) by congruence.
            apply existsb_exists. eauto. }
        intros g g' Hg Hg' A B. apply Ex in A as [j A], B as [j' B].
        apply (One g j g' j' Hg Hg' A B).
  Qed.
End Work.
