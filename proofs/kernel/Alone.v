(** * A thread block that has its SM to itself while it stays: what is proven of a clean SM counts
    (docs/proofs.md, lemma 4, n = 1) *)

From Warpbound Require Import Base Cycles Model Stay.

Lemma count_only m b p (q q' : key -> bool) : (forall x, of m p b x -> q' x = q x) ->
  (forall y, In y (keys p) -> group m (fst y) <> b -> q y = false) ->
  count (only m b p) q' = count p q.
Proof.
  intros H1 H2. unfold count. rewrite keys_filter. revert H1 H2. unfold of.
  induction (keys p) as [|x l IH]; intros H1 H2; [reflexivity|].
  specialize (IH (fun y Hy => H1 y (conj (or_intror (proj1 Hy)) (proj2 Hy))) (fun y Hy =>
    H2 y (or_intror Hy))). cbn [filter].
  destruct (Nat.eqb_spec (group m (fst x)) b) as [G|G]; cbn [filter].
  - rewrite (H1 x (conj (or_introl eq_refl) G)). destruct (q x); cbn [length]; lia.
  - rewrite (H2 x (or_introl eq_refl) G). exact IH.
Qed.

Lemma count_fewer m b p (q q' : key -> bool) : (forall x, of m p b x -> q' x = q x) ->
  count (only m b p) q' <= count p q.
Proof.
  intros H1. unfold count. rewrite keys_filter. revert H1. unfold of.
  induction (keys p) as [|x l IH]; intros H1; [apply le_n|].
  specialize (IH (fun y Hy => H1 y (conj (or_intror (proj1 Hy)) (proj2 Hy)))). cbn [filter].
  destruct (Nat.eqb_spec (group m (fst x)) b) as [G|G]; cbn [filter].
  - rewrite (H1 x (conj (or_introl eq_refl) G)). destruct (q x); cbn [length]; lia.
  - destruct (q x); cbn [length]; lia.
Qed.

Lemma on_of m b p f x : of m p b x -> on (only m b p) f x = on p f x.
Proof. intros H. unfold on. rewrite (get_of m b p x H). reflexivity. Qed.

Section Alone.
  Variables (m : machine) (p : block) (s : schedule) (b e : nat).
  Hypotheses (V : valid m p s) (He : forall x, of m p b x -> C s x <= e).
  (** Nothing else is issued or under way from its start to its end. *)
  Hypothesis Clear : forall y, In y (keys p) -> group m (fst y) <> b -> C s y <= begin s b \/
    e <= I s y.
  Notation o := (only m b p).

  Lemma other_away y t : In y (keys p) -> group m (fst y) <> b -> begin s b <= t < e ->
    initiates s t y = false /\ waits s t y = false /\ (I s y =? t) && (1 <=? init (get p y))
      = false.
  Proof.
    intros Hy Hg Ht. pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy).
    unfold initiates, waits. destruct (Clear y Hy Hg) as [H1|H1]; unfold C in H1;
      destruct (Nat.leb_spec (D s y) t), (Nat.ltb_spec t (D s y + ai s y)),
      (Nat.leb_spec (I s y) t), (Nat.ltb_spec t (D s y)), (Nat.eqb_spec (I s y) t),
      (Nat.leb_spec 1 (init (get p y))); cbn; repeat split; lia.
  Qed.

  Lemma init_only f t : begin s b <= t < e -> n_init o s f t = n_init p s f t.
  Proof.
    intros Ht. apply count_only.
    - intros x Hx. rewrite (on_of m b p f x Hx). reflexivity.
    - intros y Hy Hg. destruct (other_away y t Hy Hg Ht) as [-> _]. apply andb_false_r.
  Qed.

  Lemma wait_only f t : begin s b <= t < e -> n_wait o s f t = n_wait p s f t.
  Proof.
    intros Ht. apply count_only.
    - intros x Hx. rewrite (on_of m b p f x Hx). reflexivity.
    - intros y Hy Hg. destruct (other_away y t Hy Hg Ht) as [_ [-> _]]. apply andb_false_r.
  Qed.

  Lemma issue_only c t : begin s b <= t < e -> n_issue o m s c t = n_issue p m s c t.
  Proof.
    intros Ht. apply count_only.
    - intros x Hx. rewrite (get_of m b p x Hx). reflexivity.
    - intros y Hy Hg. destruct (other_away y t Hy Hg Ht) as [_ [_ ->]]. apply andb_false_r.
  Qed.

  Lemma in_stay x t : of m p b x -> t < I s x -> begin s b <= t -> begin s b <= t < e.
  Proof.
    intros Hx H1 H2. specialize (He x Hx). pose proof (v_start _ _ _ V x (proj1 Hx)).
    unfold C in He. lia.
  Qed.

  Lemma eligible_only w k t : group m w = b -> eligible o m s w k t <-> eligible p m s w k t.
  Proof.
    intros Hg. unfold eligible. rewrite Hg, !(get_only m b p w k Hg).
    assert (forall j, get o (w, j) = get p (w, j)) as Gj by (intros j; apply get_only, Hg).
    split; intros [H1 [H2 [H3 [H4 H5]]]]; (split; [exact H1|]); (split; [exact H2|]); split.
    1, 3: intros j Hj; specialize (H3 j Hj); rewrite Gj in *; exact H3.
    - split; [exact H4|]. intros y Hy Gy Hs.
      specialize (H5 y ltac:(apply keys_only; split; assumption) Gy).
      rewrite (get_of m b p y (conj Hy Gy)) in H5. apply H5, Hs.
    - split; [exact H4|]. intros y Hy Gy Hs. apply keys_only in Hy.
      rewrite (get_of m b p y Hy) in *. apply (H5 y (proj1 Hy) Gy Hs).
  Qed.

  (** *** The same schedule is valid for the thread block by itself. *)
  Theorem valid_only : valid m o s.
  Proof.
    pose proof V as [Vi Vl Vr Vb Vo Vp Vs Vc Vf Va Vq Vw Vk Vz Vn].
    assert (forall x, In x (keys o) -> of m p b x) as In1 by (intros x Hx; apply keys_only, Hx).
    assert (forall w k, In (w, k) (keys o) -> group m w = b) as Gr
      by (intros w k H; apply In1 in H; apply H). constructor.
    - intros x Hx. rewrite (get_of m b p x (In1 x Hx)). apply Vi, In1, Hx.
    - intros x Hx. rewrite (get_of m b p x (In1 x Hx)). apply Vl, In1, Hx.
    - exact Vr.
    - intros x Hx. apply Vb, In1, Hx.
    - intros w k H. rewrite (get_only m b p w k (Gr _ _ H)). apply Vo, In1, H.
    - intros w k q H. rewrite (get_only m b p w k (Gr _ _ H)). apply Vp, In1, H.
    - intros x Hx. apply Vs, In1, Hx.
    - intros f t. etransitivity; [|apply (Vc f t)]. apply count_fewer. intros x Hx.
      rewrite (on_of m b p f x Hx). reflexivity.
    - intros x y Hx Hy. rewrite (get_of m b p x (In1 x Hx)), (get_of m b p y (In1 y Hy)).
      apply Vf; apply In1; assumption.
    - intros x t Hx Hw.
      rewrite (get_of m b p x (In1 x Hx)), init_only; [apply Va; [apply In1, Hx|exact Hw]|].
      pose proof (In1 x Hx) as Ho. specialize (He x Ho). destruct Ho as [Ho1 Ho2].
      specialize (Vb x Ho1). rewrite Ho2 in Vb. unfold waits in Hw.
      apply andb_prop in Hw as [W1 W2]. apply Nat.leb_le in W1. apply Nat.ltb_lt in W2.
      unfold C in He. lia.
    - intros f t. specialize (Vq f t). destruct (depth m); [|exact Logic.I].
      etransitivity; [|exact Vq]. apply count_fewer. intros x Hx. rewrite (on_of m b p f x Hx).
      reflexivity.
    - intros c t. etransitivity; [|apply (Vw c t)]. apply count_fewer. intros x Hx.
      rewrite (get_of m b p x Hx). reflexivity.
    - intros w k t H El. pose proof (Gr w k H) as Hg. apply (eligible_only w k t Hg) in El.
      pose proof El as [E1 [E2 _]]. rewrite Hg in E2.
      pose proof (in_stay (w, k) t (In1 _ H) E1 E2) as Ht. rewrite (get_only m b p w k Hg).
      unfold blocked. rewrite (issue_only _ t Ht), (init_only _ t Ht), (wait_only _ t Ht).
      apply (Vk w k t (proj1 (In1 _ H)) El).
    - intros x y Hx Hy. rewrite (get_of m b p x (In1 x Hx)), (get_of m b p y (In1 y Hy)).
      apply Vz; apply In1; assumption.
    - intros w k H. pose proof (Gr w k H) as Hg. rewrite (get_only m b p w k Hg). intros Z.
      destruct (Vn w k (proj1 (In1 _ H)) Z) as [N1 N2]. split; [exact N1|]. intros t El.
      apply (N2 t), (eligible_only w k t Hg), El.
  Qed.

  Theorem solo_stays a x : solo_bound m p b a -> of m p b x -> C s x <= begin s b + a.
  Proof. intros H Hx. apply (H s x valid_only), keys_only, Hx. Qed.
End Alone.
