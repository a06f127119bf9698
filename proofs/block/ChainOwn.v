(** * Lemma 1 (chain) of docs/sub-core-bounds.md by time, with the block's own work or without

    From any time of its stay on a thread block takes at most W, lam and what others initiate in the
    reach of a path through the sub-cores.  Where what keeps an instruction waiting is of an older
    section of the thread block itself, the walk jumps to it.  Every dispatch depth. *)

From Warpbound Require Import Base Cycles Largest Model Elb Instances Weights Queue ChainWalk
  ChainWork ChainSlot ChainBlock ChainSib.

Section Own.
  Variables (m : machine) (b : block) (s : schedule) (L h : key -> nat) (home : nat -> option nat)
    (g t0 : nat).
  Variable apart : bool.  (* own work counts apart *)
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (HL : lam_cert m b L).
  Hypothesis HT : turns_cert m b h.
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) ->
    reach home (core m (fst y)) (fu (get b y)).
  Hypothesis Start : begin s g <= t0.
  Notation mine y := (apart && (group m (fst y) =? g)).

  (** What all others initiate in the reach of a path. *)
  Definition met_by (ro : nat -> nat) (z : nat) : nat :=
    sum (fun y => if mine y then 0 else met b s home ro t0 z y) (keys b).

  (** Own work up to section [j]: of each section under one sub-core. *)
  Definition owns (st : nat -> nat) (j : nat) (y : key) : bool :=
    mine y && ((sec (get b y) <=? j) && reachb home (st (sec (get b y))) (fu (get b y))).
  Definition own_met (st : nat -> nat) (j z : nat) : nat :=
    sum (fun y => if owns st j y then active s t0 z y else 0) (keys b).

  (** In cycle [z] something initiates for which [k] waits: of another thread block, or of no later
      section. *)
  Definition paid_at (k : key) (z : nat) : Prop := exists u, In u (keys b) /\ initiates s z u = true
    /\ reach home (core m (fst k)) (fu (get b u)) /\
         (group m (fst u) = group m (fst k) -> sec (get b u) <= sec (get b k)).

  Lemma not_later u k : In u (keys b) -> In k (keys b) -> I s u < I s k + takes (get b k) ->
    group m (fst u) = group m (fst k) -> sec (get b u) <= sec (get b k).
  Proof.
    intros Hu Hk Lt E.
    destruct (le_lt_dec (sec (get b u)) (sec (get b k))) as [|Q]; [assumption|exfalso].
    pose proof (v_barrier _ _ _ V u k Hu Hk (eq_sym E) Q). lia.
  Qed.

  (** What initiates in [z] was issued at [z] at the latest. *)
  Lemma started u z : In u (keys b) -> initiates s z u = true -> I s u <= D s u <= z.
  Proof. intros Hu E. apply init_iff in E. pose proof (v_start _ _ _ V u Hu). lia. Qed.

  Lemma paid_unit k f z : reach home (core m (fst k)) f -> inst m f <= n_init b s f z ->
    (forall u, In u (keys b) -> fu (get b u) = f -> initiates s z u = true -> group m (fst u)
      = group m (fst k) -> sec (get b u) <= sec (get b k)) ->
    paid_at k z.
  Proof.
    intros R H A. destruct (count_pos b (fun x => on b f x && initiates s z x)) as [u [Hu Q]];
      [pose proof (proj1 M f); unfold n_init in H; lia|]. apply andb_prop in Q as [Q1 Q2].
    apply Nat.eqb_eq in Q1. exists u. split; [exact Hu|]. split; [exact Q2|].
    split; [rewrite Q1; exact R|]. apply A; assumption.
  Qed.

  Lemma paid_issued k z : In k (keys b) -> 1 <= init (get b k) -> I s k <= z < D s k + ai s k ->
    paid_at k z.
  Proof.
    intros Hk Ik Hz. destruct (le_lt_dec (D s k) z) as [Le|Lt].
    - exists k. split; [exact Hk|]. split; [apply init_iff; lia|].
      split; [apply Home; assumption|auto].
    - apply (paid_unit k (fu (get b k))); [apply Home; assumption| |].
      + apply (v_asap _ _ _ V k z Hk). unfold waits. apply andb_true_intro.
        split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
      + intros u Hu Fu Iu. apply not_later; auto. destruct (started u z Hu Iu) as [_ Du].
        destruct (le_lt_dec (I s u) (I s k)) as [Q|Q]; [lia|].
        pose proof (v_fifo _ _ _ V k u Hk Hu (eq_sym Fu) Q). lia.
  Qed.

  Lemma paid_ready w k z : In (w, k) (keys b) -> eligible b m s w k z -> paid_at (w, k) z.
  Proof.
    intros Hk El. pose proof El as [Lt _]. assert (forall u, In u (keys b) -> initiates s z u
      = true -> group m (fst u) = group m w -> sec (get b u) <= sec (get b (w, k))) as Old.
    { intros u Hu Iu E. apply (not_later u (w, k) Hu Hk); [|exact E].
      pose proof (started u z Hu Iu). lia. }
    destruct (le_lt_dec (init (get b (w, k))) 0) as [Z|P].
    - destruct (v_none _ _ _ V w k Hk ltac:(lia)) as [_ N]. destruct (N z El).
    - destruct (v_conserving _ _ _ V w k z Hk El) as [E|[E _]].
      + destruct (issue_some b m s (core m w) z) as [y [Hy [Cy [Iy Py]]]]; [rewrite E; apply M|].
        destruct (le_lt_dec (D s y) z) as [Le|Ly].
        * exists y. pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy).
          assert (initiates s z y = true) as Iz by (apply init_iff; lia). split; [exact Hy|].
          split; [exact Iz|].
          split; [cbn [fst]; rewrite <- Cy; apply Home; assumption|apply Old; assumption].
        * apply (paid_unit (w, k) (fu (get b y)));
            [cbn [fst]; rewrite <- Cy; apply Home; assumption| |auto].
          apply (v_asap _ _ _ V y z Hy). unfold waits. apply andb_true_intro.
          split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
      + apply (paid_unit (w, k) (fu (get b (w, k)))); [apply (Home (w, k) Hk P)|exact E|auto].
  Qed.

  (** The path below [z], which stands at [k] from then on. *)
  Definition own_path (k : key) (z : nat) : Prop := exists ro cut st,
    z <= t0 + L k + met_by ro z + own_met st (sec (get b k)) z
    /\ (forall t, z <= t -> ro t = core m (fst k)) /\ st (sec (get b k)) = core m (fst k)
    /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut <= h k.

  Lemma own_path_here k z : z <= t0 -> own_path k z.
  Proof.
    intros Hz. exists (fun _ => core m (fst k)), [], (fun _ => core m (fst k)). split; [lia|].
    split; [auto|]. split; [reflexivity|]. split; [congruence|cbn; lia].
  Qed.

  Lemma own_path_from y k z z' : z' <= z -> t0 <= z -> z + L y <= z' + L k ->
    (sec (get b y) < sec (get b k) \/ sec (get b y) = sec (get b k) /\ core m (fst y)
      = core m (fst k)) ->
    h y + differ (core m (fst y)) (core m (fst k)) <= h k -> own_path y z' -> own_path k z.
  Proof.
    intros Lz Tz HLz Sy Hh [ro [cut [st [P1 [P2 [P3 [P4 P5]]]]]]].
    set (ro' := fun t => if t <? z' then ro t else core m (fst k)).
    set (st' := fun j => if j =? sec (get b k) then core m (fst k) else st j).
    exists ro', (if core m (fst y) =? core m (fst k) then cut else z' :: cut), st'.
    assert (forall t, t < z' -> ro' t = ro t) as R1
      by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_lt _ _) Ht); reflexivity).
    assert (forall t, z' <= t -> ro' t = core m (fst k)) as R2
      by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_ge _ _) Ht); reflexivity).
    assert (met_by ro z' <= met_by ro' z) as Me.
    { apply sum_le. intros u _. destruct (mine u); [apply le_n|]. unfold met.
      transitivity (cnt (fun t => (t0 <=? t) &&
        (initiates s t u && reachb home (ro' t) (fu (get b u)))) z').
      - apply cnt_le. intros t Ht E. rewrite (R1 t Ht). exact E.
      - apply cnt_mono, Lz. }
    assert (own_met st (sec (get b y)) z' <= own_met st' (sec (get b k)) z) as Mo.
    { apply sum_le. intros u _. destruct (owns st (sec (get b y)) u) eqn:O; [|apply Nat.le_0_l].
      assert (owns st' (sec (get b k)) u = true) as ->; [|apply cnt_mono, Lz]. unfold owns in *.
      rewrite !andb_true_iff, Nat.leb_le in *. destruct O as [O1 [O2 O3]]. split; [exact O1|].
      split; [lia|]. unfold st'.
      destruct (Nat.eqb_spec (sec (get b u)) (sec (get b k))) as [E|]; [|exact O3].
      destruct Sy as [Sy|[Sy Cy]]; [lia|]. rewrite <- Cy, <- P3, Sy, <- E. exact O3. }
    split; [lia|]. split; [intros t Ht; apply R2; lia|].
    split; [unfold st'; rewrite Nat.eqb_refl; reflexivity|]. unfold differ in Hh. split.
    - intros t E. destruct (Nat.lt_trichotomy (S t) z') as [Q|[Q|Q]].
      + rewrite (R1 t), (R1 (S t)) in E by lia. specialize (P4 t E).
        destruct (_ =? _); [exact P4|right; exact P4].
      + destruct (Nat.eqb_spec (core m (fst y)) (core m (fst k))) as [Ec|]; [|left; congruence].
        apply P4. rewrite (R1 t), (R2 (S t)), <- Ec, <- (P2 (S t)) in E by lia. exact E.
      + rewrite (R2 t), (R2 (S t)) in E by lia. congruence.
    - destruct (_ =? _); cbn [length]; lia.
  Qed.

  (** One more cycle in which another thread block initiates, or the section at which the walk
      stands. *)
  Lemma own_path_more k z u : t0 <= z -> In u (keys b) -> initiates s z u = true ->
    reach home (core m (fst k)) (fu (get b u)) ->
    mine u = false \/ sec (get b u) = sec (get b k) -> own_path k z -> own_path k (S z).
  Proof.
    intros Tz Hu Iu Ru Du [ro [cut [st [P1 [P2 [P3 [P4 P5]]]]]]]. exists ro, cut, st.
    assert (forall y, met b s home ro t0 (S z) y = met b s home ro t0 z y
      + (if (t0 <=? z) && (initiates s z y && reachb home (ro z) (fu (get b y))) then 1 else 0))
      as Em.
    { intros y. unfold met. cbn [cnt]. destruct (_ && _); lia. }
    assert (forall y, active s t0 (S z) y = active s t0 z y
      + (if (t0 <=? z) && initiates s z y then 1 else 0)) as Ea.
    { intros y. unfold active. cbn [cnt]. destruct (_ && _); lia. }
    apply (reachb_iff home) in Ru. assert (met_by ro z + own_met st (sec (get b k)) z + 1
      <= met_by ro (S z) + own_met st (sec (get b k)) (S z)) as More.
    { unfold met_by, own_met. rewrite <- !sum_add.
      set (f := fun y => (if mine y then 0 else met b s home ro t0 z y)
        + (if owns st (sec (get b k)) y then active s t0 z y else 0)).
      assert (forall y, f y + (if key_eq u y then 1 else 0)
        <= (if mine y then 0 else met b s home ro t0 (S z) y)
        + (if owns st (sec (get b k)) y then active s t0 (S z) y else 0)) as St.
      { intros y. unfold f. rewrite (Em y), (Ea y).
        destruct (key_eq u y) as [<-|]; [|destruct (mine y), (owns _ _ _); lia].
        rewrite (P2 z (le_n _)), Iu, Ru, (proj2 (Nat.leb_le _ _) Tz). cbn [andb].
        destruct (mine u) eqn:Mu; [|destruct (owns _ _ _); lia].
        destruct Du as [Du|Du]; [discriminate|].
        assert (owns st (sec (get b k)) u = true) as ->; [|lia]. unfold owns.
        rewrite Mu, Du, Nat.leb_refl, P3, Ru. reflexivity. }
      etransitivity; [|apply sum_le; intros y _; apply (St y)]. rewrite sum_add.
      apply Nat.add_le_mono_l.
      pose proof (sum_ge (fun y => if key_eq u y then 1 else 0) u (keys b) Hu) as S1.
      cbv beta in S1. destruct (key_eq u u); [exact S1|congruence]. }
    split; [lia|]. split; [intros t Ht; apply P2; lia|]. split; [exact P3|]. split; assumption.
  Qed.

  Lemma own_path_exists n : forall k, rank b k < n -> In k (keys b) -> group m (fst k) = g ->
    forall z, z <= D s k + ai s k -> own_path k z.
  Proof.
    induction n as [|n IHn]; [lia|]. intros [w k] Hn Hk Hg. cbn [fst] in *.
    induction z as [|z IHz]; intros Hz; [apply own_path_here; lia|]. specialize (IHz ltac:(lia)).
    destruct (le_lt_dec (S z) t0) as [Lz|Lz]; [apply own_path_here, Lz|].
    assert (paid_at (w, k) z -> own_path (w, k) (S z)) as Pay.
    { intros [u [Hu [Iu [Ru Su]]]]. destruct (mine u) eqn:Mu.
      - pose proof Mu as Gu. apply andb_prop in Gu as [_ Gu]. apply Nat.eqb_eq in Gu.
        specialize (Su ltac:(cbn [fst]; congruence)).
        destruct (Nat.eq_dec (sec (get b u)) (sec (get b (w, k)))) as [E|N].
        + apply (own_path_more (w, k) z u); auto; lia.
        + (* a jump *)
          pose proof (rank_sec b (w, k) u Hu ltac:(lia)). destruct (HL w k Hk) as [_ [_ L3]].
          specialize (L3 u Hu ltac:(congruence) ltac:(lia)).
          destruct (HT (w, k) u Hk Hu ltac:(cbn [fst]; congruence)) as [T1 _].
          apply (own_path_from u (w, k) (S z) (S z)); [lia|lia|lia|lia|apply T1; lia|].
          apply (IHn u); [lia|exact Hu|exact Gu|]. apply init_iff in Iu. lia.
      - apply (own_path_more (w, k) z u); auto; lia. }
    destruct (le_lt_dec (I s (w, k)) z) as [Ik|Ik].
    - apply Pay, paid_issued; [exact Hk| |lia]. pose proof (v_init _ _ _ V _ Hk).
      pose proof (v_none _ _ _ V w k Hk) as N. destruct (init (get b (w, k))); [|lia].
      destruct (N eq_refl). lia.
    - destruct (block_ready m b s L W V HL w k (S z) Hk ltac:(lia))
        as [B|[[y [z' [Y1 [Y2 [Y3 [Y4 [Y5 [Y6 Y7]]]]]]]]|[_ B]]].
      + apply own_path_here. rewrite Hg in B. lia.
      + destruct (HT (w, k) y Hk Y1 Y2) as [T1 T2].
        apply (own_path_from y (w, k) (S z) z' Y5 ltac:(lia) Y7);
          [| |apply (IHn y); auto; [lia|congruence]].
        * destruct Y4 as [Y4|[Y4 Yw]]; [left; exact Y4|right]. cbn [fst] in *. rewrite Yw. auto.
        * destruct Y4 as [Y4|[Y4 Yw]]; [apply T1, Y4|]. cbn [fst] in *. rewrite Yw in *.
          specialize (T2 Y4 eq_refl). unfold differ. rewrite Nat.eqb_refl. lia.
      + replace (S z - 1) with z in B by lia. apply Pay, paid_ready; assumption.
  Qed.

  (** Lemma 1: until [x] is complete, from [t0] on *)
  Lemma chain_apart x lamc chg : In x (keys b) -> group m (fst x) = g ->
    L x + lat (get b x) <= lamc -> h x + 1 <= chg ->
    exists ro cut st, C s x <= t0 + lamc + met_by ro (C s x) + own_met st (sec (get b x)) (C s x)
      /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.
  Proof.
    intros Hx Hg Hl Hc. destruct (own_path_exists (S (rank b x)) x (le_n _) Hx Hg (D s x + ai s x)
      (le_n _)) as [ro [cut [st [P1 [_ [_ [P4 P5]]]]]]]. exists ro, cut, st.
    pose proof (v_lat _ _ _ V x Hx).
    assert (met_by ro (D s x + ai s x) <= met_by ro (C s x)) as Me.
    { apply sum_le. intros u _. destruct (mine u); [apply le_n|]. apply cnt_mono. unfold C. lia. }
    assert (own_met st (sec (get b x)) (D s x + ai s x) <= own_met st (sec (get b x)) (C s x))
      as Mo.
    { apply sum_le. intros u _. destruct (owns _ _ u); [|apply le_n]. apply cnt_mono. unfold C.
      lia. }
    unfold C in *. split; [lia|]. split; [exact P4|lia].
  Qed.
End Own.

(** *** Lemma 1, own work being W *)
Theorem chain_own m b s L h home cores g t0 : machine_ok m -> wf b -> valid m b s ->
  lam_cert m b L -> turns_cert m b h ->
  (forall y, In y (keys b) -> 1 <= init (get b y) -> reach home (core m (fst y)) (fu (get b y))) ->
  (forall f c, home f = Some c -> c < cores) -> begin s g <= t0 ->
  forall x lamc chg, In x (keys b) -> group m (fst x) = g ->
  L x + lat (get b x) <= lamc -> h x + 1 <= chg ->
  exists ro cut, C s x <= t0 + (fine_work m b home cores g + lamc)
    + met_others b m s home g ro t0 (C s x)
    /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.
Proof.
  intros M W V HL HT Home Cores Start x lamc chg Hx Hg Hl Hc.
  destruct (chain_apart m b s L h home g t0 true M W V HL HT Home Start x lamc chg Hx Hg Hl Hc)
    as [ro [cut [st [P1 P2]]]]. exists ro, cut. split; [|exact P2].
  change (met_by m b s home g t0 true ro (C s x)) with (met_others b m s home g ro t0 (C s x))
    in P1. enough (own_met m b s home g t0 true st (sec (get b x)) (C s x)
    <= fine_work m b home cores g) by lia. set (own := owns m b home g true st (sec (get b x))).
  transitivity (wsum b (fun y => init (get b y)) (fun y => own y && (group m (fst y) =? g))).
  - apply sum_le. intros y Hy. fold own. destruct (own y) eqn:O; [|apply Nat.le_0_l].
    assert (group m (fst y) =? g = true) as -> by (apply andb_prop in O; apply O).
    apply (active_init m b s _ _ y V Hy).
  - apply (own_work b home cores (fun y => group m (fst y)) (fun y => sec (get b y)) Cores
      _ _ _ st).
    intros y Hy O _. split; [apply sec_few, Hy|]. apply andb_prop in O as [_ O].
    apply andb_prop in O as [_ O]. apply reachb_iff, O.
Qed.
