(** * A thread block by itself on a slot does what the one as it is written does (G1)

    [t] is a thread block as it is written, on a machine of its own.  On a slot of an SM its warps,
    units and sub-cores are called otherwise.  What it does there, alone and counted from its start,
    is an execution of [t]: every bound of [t] alone is a bound of it ([solo] of docs/proofs.md,
    section 12), by whichever theorem. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Model Stay Copies.
From Warpbound Require Instances.

(** [wr], [un] and [co] say which warp, unit and sub-core of [t] one of thread block [b] is. *)
Record renamed (t : block) (mt : machine) (m : machine) (p : block) (b : nat)
  (wr un co : nat -> nat) : Prop := {
  n_alone : forall w, group mt w = 0;
  n_in : forall w k, of m p b (w, k) -> In (wr w, k) (keys t);
  n_onto : forall v k, In (v, k) (keys t) -> exists w, of m p b (w, k) /\ wr w = v;
  n_once : forall w v k, of m p b (w, k) -> of m p b (v, k) -> wr w = wr v -> w = v;
  n_same : forall w k, of m p b (w, k) -> let i := get p (w, k) in let j := get t (wr w, k) in
    init i = init j /\ lat i = lat j /\ ops i = ops j /\ sec i = sec j /\ fu j = un (fu i);
  n_unit : forall x y, of m p b x -> of m p b y -> un (fu (get p x)) = un (fu (get p y)) ->
  fu (get p x) = fu (get p y);
  n_inst : forall x, of m p b x -> inst mt (un (fu (get p x))) = inst m (fu (get p x));
  n_core : forall x, of m p b x -> core mt (wr (fst x)) = co (core m (fst x));
  n_cores : forall x y, of m p b x -> of m p b y -> co (core m (fst x)) = co (core m (fst y)) ->
  core m (fst x) = core m (fst y);
  n_depth : depth mt = depth m;
  n_width : width mt = width m;
  n_rel : forall q, release m q <= release mt q }.

Section Solo.
  Variables (t : block) (mt m : machine) (p : block) (b : nat) (wr un co : nat -> nat).
  Hypotheses (R : renamed t mt m p b wr un co) (W : wf p).
  Variable s : schedule.
  Notation o := (only m b p).
  Hypothesis V : valid m o s.
  Notation b0 := (begin s b).

  (** What an instruction is in [t]. *)
  Definition there (x : key) : key := (wr (fst x), snd x).
  (** What an instruction of [t] is on the SM. *)
  Definition back (y : key) : key :=
    match find (fun x => (wr (fst x) =? fst y) && (snd x =? snd y)) (keys o) with Some x =>
      x | None => (0, 0) end.

  Lemma key_of x : In x (keys o) -> of m p b x.
  Proof. apply keys_only. Qed.

  Lemma there_in x : In x (keys o) -> In (there x) (keys t).
  Proof. destruct x as [w k]. intros H. apply (n_in _ _ _ _ _ _ _ _ R), key_of, H. Qed.

  Lemma there_once x y : In x (keys o) -> In y (keys o) -> there x = there y -> x = y.
  Proof.
    destruct x as [w k], y as [v i]. intros Hx Hy E. unfold there in E. cbn [fst snd] in E.
    inversion E; subst i.
    rewrite (n_once _ _ _ _ _ _ _ _ R w v k (key_of _ Hx) (key_of _ Hy)); auto.
  Qed.

  Lemma back_there x : In x (keys o) -> back (there x) = x.
  Proof.
    intros Hx. unfold back. destruct (find (fun z => (wr (fst z) =? fst (there x))
      && (snd z =? snd (there x))) (keys o)) as [y|] eqn:E.
    - apply find_some in E as [Hy E]. rewrite andb_true_iff, !Nat.eqb_eq in E.
      apply there_once; auto. unfold there in *. cbn [fst snd] in E. destruct E as [-> ->].
      reflexivity.
    - exfalso. pose proof (find_none _ _ E x Hx) as N. cbn [there fst snd] in N.
      rewrite !Nat.eqb_refl in N. discriminate.
  Qed.

  Lemma onto y : In y (keys t) -> exists x, In x (keys o) /\ y = there x.
  Proof.
    destruct y as [v k]. intros H. destruct (n_onto _ _ _ _ _ _ _ _ R v k H) as [w [Hw E]].
    exists (w, k). split; [apply keys_only, Hw|]. unfold there. cbn [fst snd]. rewrite E.
    reflexivity.
  Qed.

  Lemma same x : In x (keys o) -> let i := get o x in let j := get t (there x) in
    init i = init j /\ lat i = lat j /\ ops i = ops j /\ sec i = sec j /\ fu j = un (fu i).
  Proof.
    destruct x as [w k]. intros H. rewrite (get_of m b p _ (key_of _ H)).
    apply (n_same _ _ _ _ _ _ _ _ R w k), key_of, H.
  Qed.

  Lemma in_group x : In x (keys o) -> group m (fst x) = b.
  Proof. intros H. apply (key_of x H). Qed.

  (** The execution of [t]. *)
  Definition moved : schedule :=
    Schedule (fun y => I s (back y) - b0) (fun y => D s (back y) - b0) (fun y => ai s (back y))
      (fun y => al s (back y)) (fun _ q => ar s b q) (fun _ => 0).

  Lemma after x : In x (keys o) -> b0 <= I s x <= D s x.
  Proof.
    intros H. pose proof (v_begin _ _ _ V x H) as B. rewrite (in_group x H) in B.
    pose proof (v_start _ _ _ V x H). lia.
  Qed.

  Lemma moved_at x : In x (keys o) -> I moved (there x) = I s x - b0 /\
    D moved (there x) = D s x - b0
    /\ ai moved (there x) = ai s x /\ al moved (there x) = al s x /\ C moved (there x) = C s x - b0.
  Proof.
    intros H. pose proof (after x H). unfold C, moved. cbn. rewrite (back_there x H).
    repeat split; lia.
  Qed.

  (** Counts are the same. *)
  Lemma count_copy (q q' : key -> bool) : (forall x, In x (keys o) -> q' (there x) = q x) ->
    count t q' = count o q.
  Proof.
    intros H. unfold count. rewrite <- (map_length there (filter q (keys o))).
    apply Permutation_length, NoDup_Permutation.
    - apply NoDup_filter, Instances.keys_nodup.
    - apply Instances.nodup_map; [apply NoDup_filter, Instances.keys_nodup|]. intros x y Hx Hy.
      apply filter_In in Hx, Hy. apply there_once; tauto.
    - intros y. rewrite in_map_iff, filter_In. split.
      + intros [Hy Q]. destruct (onto y Hy) as [x [Hx ->]]. exists x.
        rewrite filter_In, <- (H x Hx). auto.
      + intros [x [<- Hx]]. apply filter_In in Hx as [Hx Q]. rewrite (H x Hx).
        split; [apply there_in, Hx|exact Q].
  Qed.

  Lemma on_unit x z : In x (keys o) -> In z (keys o) -> on t (fu (get t (there z))) (there x)
    = on o (fu (get o z)) x.
  Proof.
    intros Hx Hz. unfold on.
    destruct (same x Hx) as [_ [_ [_ [_ Ux]]]], (same z Hz) as [_ [_ [_ [_ Uz]]]]. cbv zeta in *.
    apply eq_true_iff_eq. rewrite !Nat.eqb_eq, Ux, Uz. split; [|congruence].
    rewrite !(get_of m b p) by (apply key_of; assumption).
    apply (n_unit _ _ _ _ _ _ _ _ R); apply key_of; assumption.
  Qed.

  Lemma initiates_at x n : In x (keys o) -> initiates moved n (there x) = initiates s (n + b0) x.
  Proof.
    intros H. pose proof (after x H). destruct (moved_at x H) as [_ [E1 [E2 _]]]. unfold initiates.
    rewrite E1, E2. destruct (Nat.leb_spec (D s x - b0) n), (Nat.leb_spec (D s x) (n + b0)),
      (Nat.ltb_spec n (D s x - b0 + ai s x)), (Nat.ltb_spec (n + b0) (D s x + ai s x)); cbn; lia.
  Qed.

  Lemma waits_at x n : In x (keys o) -> waits moved n (there x) = waits s (n + b0) x.
  Proof.
    intros H. pose proof (after x H). destruct (moved_at x H) as [E1 [E2 _]]. unfold waits.
    rewrite E1, E2. destruct (Nat.leb_spec (I s x - b0) n), (Nat.leb_spec (I s x) (n + b0)),
      (Nat.ltb_spec n (D s x - b0)), (Nat.ltb_spec (n + b0) (D s x)); cbn; lia.
  Qed.

  Lemma n_init_at z n : In z (keys o) -> n_init t moved (fu (get t (there z))) n
    = n_init o s (fu (get o z)) (n + b0).
  Proof.
    intros Hz. apply count_copy. intros x Hx. rewrite (on_unit x z Hx Hz), (initiates_at x n Hx).
    reflexivity.
  Qed.

  Lemma n_wait_at z n : In z (keys o) -> n_wait t moved (fu (get t (there z))) n
    = n_wait o s (fu (get o z)) (n + b0).
  Proof.
    intros Hz. apply count_copy. intros x Hx. rewrite (on_unit x z Hx Hz), (waits_at x n Hx).
    reflexivity.
  Qed.

  Lemma n_issue_at z n : In z (keys o) -> n_issue t mt moved (core mt (fst (there z))) n
    = n_issue o m s (core m (fst z)) (n + b0).
  Proof.
    intros Hz. apply count_copy. intros x Hx. destruct (same x Hx) as [Ei _]. cbv zeta in Ei.
    rewrite <- Ei. pose proof (after x Hx). destruct (moved_at x Hx) as [E1 _]. rewrite E1.
    unfold there. cbn [fst snd].
    rewrite (n_core _ _ _ _ _ _ _ _ R x (key_of x Hx)), (n_core _ _ _ _ _ _ _ _ R z (key_of z Hz)).
    assert ((co (core m (fst x)) =? co (core m (fst z))) = (core m (fst x) =? core m (fst z)))
      as ->.
    { apply eq_true_iff_eq. rewrite !Nat.eqb_eq. split; [|congruence].
      apply (n_cores _ _ _ _ _ _ _ _ R); apply key_of; assumption. }
    assert ((I s x - b0 =? n) = (I s x =? n + b0)) as ->; [|reflexivity].
    destruct (Nat.eqb_spec (I s x - b0) n), (Nat.eqb_spec (I s x) (n + b0)); auto; lia.
  Qed.

  Lemma eligible_at w k n : In (w, k) (keys o) -> eligible t mt moved (wr w) k n ->
    eligible o m s w k (n + b0).
  Proof.
    intros H [E1 [_ [E3 [E4 E5]]]]. pose proof (in_group _ H) as G. cbn [fst] in G.
    assert (forall j, j < k -> In (w, j) (keys o)) as Kj
      by (intros j Hj; apply (keys_before _ _ _ j H); lia).
    change (wr w, k) with (there (w, k)) in *. destruct (moved_at _ H) as [M1 _].
    destruct (same _ H) as [_ [_ [So [Ss _]]]]. cbv zeta in *. pose proof (after _ H).
    rewrite M1 in E1. split; [lia|]. split; [rewrite G; lia|]. split; [|split].
    - intros j ->. specialize (E3 j eq_refl). pose proof (Kj j ltac:(lia)) as Hj.
      change (wr w, j) with (there (w, j)) in E3. destruct (moved_at _ Hj) as [M2 _].
      destruct (same _ Hj) as [Ei _]. cbv zeta in Ei. rewrite M2, <- Ei in E3.
      pose proof (after _ Hj). lia.
    - intros q Hq. assert (In (w, q) (keys o)) as Kq.
      { apply Kj. apply (wf_only m b p W w k H), Hq. }
      rewrite <- So in E4. specialize (E4 q Hq). change (wr w, q) with (there (w, q)) in E4.
      destruct (moved_at _ Kq) as [_ [_ [_ [_ Mc]]]]. rewrite Mc in E4. lia.
    - intros y Hy Gy Sy. destruct (same y Hy) as [Ei [_ [_ [Es _]]]]. cbv zeta in *.
      specialize (E5 (there y) (there_in y Hy)). rewrite !(n_alone _ _ _ _ _ _ _ _ R) in E5.
      specialize (E5 eq_refl ltac:(lia)). destruct (moved_at y Hy) as [M2 _].
      rewrite M2, <- Ei, <- Ss in E5. cbn [moved ar] in E5. rewrite G. pose proof (after y Hy). lia.
  Qed.

  (** A unit of [t] is that of some instruction, or nothing is on it; so are sub-cores. *)
  Lemma unit_used e : (exists z, In z (keys o) /\ fu (get t (there z)) = e) \/
    forall q, count t (fun y => on t e y && q y) = 0.
  Proof.
    destruct (existsb (on t e) (keys t)) eqn:X.
    - left. apply existsb_exists in X as [y [Hy X]]. apply Nat.eqb_eq in X.
      destruct (onto y Hy) as [z [Hz ->]]. exists z. auto.
    - right. intros q. destruct (count t (fun y => on t e y && q y)) as [|c] eqn:Q; [reflexivity|].
      destruct (count_pos t (fun y => on t e y && q y) ltac:(lia)) as [y [Hy Y]].
      apply andb_prop in Y as [Y _]. exfalso. apply not_true_iff_false in X.
      apply X, existsb_exists. exists y. auto.
  Qed.

  Lemma core_used c n : (exists z, In z (keys o) /\ core mt (fst (there z)) = c) \/
    n_issue t mt moved c n = 0.
  Proof.
    destruct (existsb (fun y => core mt (fst y) =? c) (keys t)) eqn:X.
    - left. apply existsb_exists in X as [y [Hy X]]. apply Nat.eqb_eq in X.
      destruct (onto y Hy) as [z [Hz ->]]. exists z. auto.
    - right. destruct (n_issue t mt moved c n) as [|k] eqn:Q; [reflexivity|].
      destruct (issue_some t mt moved c n ltac:(lia)) as [y [Hy [Y _]]]. exfalso.
      apply not_true_iff_false in X. apply X, existsb_exists. exists y.
      split; [exact Hy|apply Nat.eqb_eq, Y].
  Qed.

  (** *** What a thread block does by itself on a slot, [t] can do. *)
  Theorem moved_valid : valid mt t moved.
  Proof.
    constructor.
    - intros y Hy. destruct (onto y Hy) as [x [Hx ->]]. destruct (moved_at x Hx) as [_ [_ [-> _]]].
      destruct (same x Hx) as [E _]. cbv zeta in E. rewrite <- E. apply (v_init _ _ _ V x Hx).
    - intros y Hy. destruct (onto y Hy) as [x [Hx ->]].
      destruct (moved_at x Hx) as [_ [_ [_ [-> _]]]]. destruct (same x Hx) as [_ [E _]].
      cbv zeta in E. rewrite <- E. apply (v_lat _ _ _ V x Hx).
    - intros g q. cbn. etransitivity; [apply (v_rel _ _ _ V b q)|apply (n_rel _ _ _ _ _ _ _ _ R)].
    - intros y _. cbn. lia.
    - intros v k H. destruct (onto _ H) as [[w i] [Hx E]]. unfold there in E. cbn [fst snd] in E.
      inversion E; subst v i. pose proof (keys_before _ _ _ k Hx ltac:(lia)) as Hk.
      pose proof (v_order _ _ _ V w k Hx) as O. change (wr w, S k) with (there (w, S k)).
      change (wr w, k) with (there (w, k)).
      destruct (moved_at _ Hx) as [-> _], (moved_at _ Hk) as [-> _], (same _ Hk) as [Ei _].
      cbv zeta in Ei. rewrite <- Ei. pose proof (after _ Hk). lia.
    - intros v k q H Hq. destruct (onto _ H) as [[w i] [Hx E]]. unfold there in E.
      cbn [fst snd] in E. inversion E; subst v i. change (wr w, k) with (there (w, k)) in *.
      change (wr w, q) with (there (w, q)). destruct (same _ Hx) as [_ [_ [So _]]]. cbv zeta in So.
      rewrite <- So in Hq. pose proof (v_ops _ _ _ V w k q Hx Hq) as O.
      assert (In (w, q) (keys o)) as Kq.
      { apply (keys_before _ _ _ q Hx). pose proof (proj1 (proj2 (wf_only m b p W w k Hx)) q Hq).
        lia. }
      destruct (moved_at _ Hx) as [-> _], (moved_at _ Kq) as [_ [_ [_ [_ ->]]]]. lia.
    - intros y Hy. destruct (onto y Hy) as [x [Hx ->]]. destruct (moved_at x Hx) as [-> [-> _]].
      pose proof (after x Hx). lia.
    - intros e n. destruct (unit_used e) as [[z [Hz <-]]|N]; [|unfold n_init; rewrite N; lia].
      rewrite (n_init_at z n Hz). destruct (same z Hz) as [_ [_ [_ [_ U]]]]. cbv zeta in U.
      rewrite U. rewrite (get_of m b p z (key_of z Hz)), (n_inst _ _ _ _ _ _ _ _ R z (key_of z Hz)).
      apply (v_cap _ _ _ V).
    - intros y y' Hy Hy' F L. destruct (onto y Hy) as [x [Hx ->]], (onto y' Hy') as [x' [Hx' ->]].
      destruct (moved_at x Hx) as [E1 [E2 _]], (moved_at x' Hx') as [E1' [E2' _]].
      rewrite E1, E1' in L. rewrite E2, E2'. pose proof (on_unit x x' Hx Hx') as U. unfold on in U.
      rewrite F, Nat.eqb_refl in U. symmetry in U. apply Nat.eqb_eq in U.
      pose proof (v_fifo _ _ _ V x x' Hx Hx' U ltac:(lia)). lia.
    - intros y n Hy Wy. destruct (onto y Hy) as [x [Hx ->]]. rewrite (waits_at x n Hx) in Wy.
      rewrite (n_init_at x n Hx). destruct (same x Hx) as [_ [_ [_ [_ U]]]]. cbv zeta in U.
      rewrite U, (get_of m b p x (key_of x Hx)), (n_inst _ _ _ _ _ _ _ _ R x (key_of x Hx)).
      rewrite <- (get_of m b p x (key_of x Hx)). apply (v_asap _ _ _ V x _ Hx Wy).
    - intros e n. rewrite (n_depth _ _ _ _ _ _ _ _ R).
      pose proof (fun f => v_queue _ _ _ V f (n + b0)) as Q.
      destruct (depth m) as [d|]; [|exact Logic.I].
      destruct (unit_used e) as [[z [Hz <-]]|N]; [|unfold n_wait; rewrite N; lia].
      rewrite (n_wait_at z n Hz). apply Q.
    - intros c n. rewrite (n_width _ _ _ _ _ _ _ _ R).
      destruct (core_used c n) as [[z [Hz <-]]| ->]; [|lia]. rewrite (n_issue_at z n Hz).
      apply (v_width _ _ _ V).
    - intros v k n H El. destruct (onto _ H) as [[w i] [Hx E]]. unfold there in E.
      cbn [fst snd] in E. inversion E; subst v i.
      pose proof (v_conserving _ _ _ V w k _ Hx (eligible_at w k n Hx El)) as [A|[A B]].
      + left. rewrite (n_width _ _ _ _ _ _ _ _ R), <- A. apply (n_issue_at (w, k) n Hx).
      + right. change (wr w, k) with (there (w, k)). destruct (same _ Hx) as [_ [_ [_ [_ U]]]].
        cbv zeta in U. split; [rewrite (n_init_at _ n Hx), U|rewrite (n_depth _ _ _ _ _ _ _ _ R),
          (n_wait_at _ n Hx); exact B].
        rewrite (get_of m b p _ (key_of _ Hx)), (n_inst _ _ _ _ _ _ _ _ R _ (key_of _ Hx)).
        rewrite <- (get_of m b p _ (key_of _ Hx)). exact A.
    - intros y y' Hy Hy' G L. destruct (onto y Hy) as [x [Hx ->]], (onto y' Hy') as [x' [Hx' ->]].
      destruct (moved_at x Hx) as [-> _], (moved_at x' Hx') as [-> _].
      destruct (same x Hx) as [_ [_ [_ [Ss _]]]], (same x' Hx') as [Ei [_ [_ [Ss' _]]]].
      cbv zeta in *. rewrite <- Ei. rewrite <- Ss in *. rewrite <- Ss' in L. cbn [moved ar].
      pose proof (v_barrier _ _ _ V x x' Hx Hx' ltac:(rewrite !in_group by assumption; reflexivity)
        L) as B. rewrite (in_group x Hx) in B. pose proof (after x' Hx'). lia.
    - intros v k H Z. destruct (onto _ H) as [[w i] [Hx E]]. unfold there in E. cbn [fst snd] in E.
      inversion E; subst v i. change (wr w, k) with (there (w, k)) in Z |- *.
      destruct (same _ Hx) as [Ei _]. cbv zeta in Ei. rewrite <- Ei in Z.
      destruct (v_none _ _ _ V w k Hx Z) as [A B]. destruct (moved_at _ Hx) as [-> [-> _]].
      split; [lia|]. intros n El. apply (B (n + b0)), (eligible_at w k n Hx El).
  Qed.
End Solo.

(** *** solo: a bound of [t] by itself, by whichever theorem, is one of thread block [b]. *)
Theorem solo_copy t mt m p b wr un co a : renamed t mt m p b wr un co -> wf p ->
  (forall s x, valid mt t s -> (forall g, begin s g = 0) -> In x (keys t) -> C s x <= a) ->
  solo_bound m p b a.
Proof.
  intros R W H s x V Hx. pose proof (H (moved m p b wr s) (there wr x)
    (moved_valid t mt m p b wr un co R W s V) (fun _ => eq_refl)
    (there_in t mt m p b wr un co R x Hx)) as A.
  destruct (moved_at t mt m p b wr un co R s V x Hx) as [_ [_ [_ [_ E]]]]. rewrite E in A. lia.
Qed.
