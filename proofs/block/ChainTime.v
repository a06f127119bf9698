(** * Lemma 1 (chain) of docs/sub-core-bounds.md by time: idle cycles of a thread block among others

    From any time of its stay on there is a path through the sub-cores in whose reach nothing
    initiates in at most lam cycles.  Every dispatch depth. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Model Elb Instances Weights Queue ChainWalk ChainSlot
  ChainSib.
Import ListNotations.

Section Time.
  Variables (m : machine) (b : block) (s : schedule) (L h : key -> nat) (home : nat -> option nat)
    (g t0 : nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis HL : lam_cert m b L.
  Hypothesis HT : turns_cert m b h.
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) ->
    reach home (core m (fst y)) (fu (get b y)).
  Hypothesis Start : begin s g <= t0.

  (** The cycles in which all instructions initiate in the reach of a path. *)
  Definition met_all (ro : nat -> nat) (e : nat) : nat := sum (met b s home ro t0 e) (keys b).

  (** Something initiates on a unit in the reach of sub-core [c]. *)
  Definition busy_at (c t : nat) : Prop := exists y, In y (keys b) /\ initiates s t y = true /\
    reach home c (fu (get b y)).

  Lemma busy_unit f c t : reach home c f -> inst m f <= n_init b s f t -> busy_at c t.
  Proof.
    intros R H. destruct (count_pos b (fun x => on b f x && initiates s t x)) as [y [Hy Q]];
      [pose proof (proj1 M f); unfold n_init in H; lia|]. apply andb_prop in Q as [Q1 Q2].
    apply Nat.eqb_eq in Q1. exists y. split; [exact Hy|]. split; [exact Q2|rewrite Q1; exact R].
  Qed.

  (** A unit on which something is issued or waits initiates. *)
  Lemma busy_issued y t : In y (keys b) -> 1 <= init (get b y) -> I s y <= t < D s y + ai s y ->
    busy_at (core m (fst y)) t.
  Proof.
    intros Hy Iy Ht. destruct (le_lt_dec (D s y) t) as [Le|Lt].
    - exists y. split; [exact Hy|]. split; [apply init_iff; lia|apply Home; assumption].
    - apply (busy_unit (fu (get b y))); [apply Home; assumption|]. apply (v_asap _ _ _ V y t Hy).
      unfold waits. apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  Lemma busy_ready w k t : In (w, k) (keys b) -> eligible b m s w k t -> busy_at (core m w) t.
  Proof.
    intros Hk El. destruct (le_lt_dec (init (get b (w, k))) 0) as [Z|P].
    - destruct (v_none _ _ _ V w k Hk ltac:(lia)) as [_ N]. destruct (N t El).
    - destruct (v_conserving _ _ _ V w k t Hk El) as [E|[E _]].
      + destruct (issue_some b m s (core m w) t) as [y [Hy [Cy [Iy Py]]]]; [rewrite E; apply M|].
        rewrite <- Cy. apply busy_issued; [exact Hy|exact Py|]. pose proof (v_start _ _ _ V y Hy).
        pose proof (v_init _ _ _ V y Hy). lia.
      + apply (busy_unit (fu (get b (w, k)))); [apply (Home (w, k) Hk P)|exact E].
  Qed.

  Lemma met_busy ro c t : t0 <= t -> ro t = c -> busy_at c t ->
    met_all ro t + 1 <= met_all ro (S t).
  Proof.
    intros Ht Rt [y [Hy [Iy Ry]]]. unfold met_all.
      assert (forall z, met b s home ro t0 (S t) z = met b s home ro t0 t z + if (t0 <=? t)
      && (initiates s t z && reachb home (ro t) (fu (get b z))) then 1 else 0) as E.
    { intros z. unfold met. cbn [cnt]. destruct (_ && _); lia. }
    rewrite (sum_ext _ _ _ (fun z _ => E z)), sum_add. apply Nat.add_le_mono_l.
    assert ((if (t0 <=? t) && (initiates s t y && reachb home (ro t) (fu (get b y))) then 1 else 0)
      = 1) as One.
    { rewrite Iy, Rt, (proj2 (reachb_iff home c _) Ry), (proj2 (Nat.leb_le _ _) Ht). reflexivity. }
    pose proof (sum_ge (fun z => if (t0 <=? t)
      && (initiates s t z && reachb home (ro t) (fu (get b z))) then 1 else 0) y (keys b) Hy) as G.
    cbv beta in G. rewrite One in G. exact G.
  Qed.

  (** The path below [z], which stands at [k] from then on. *)
  Definition path_to (k : key) (z : nat) : Prop := exists ro cut, z <= t0 + L k + met_all ro z
    /\ (forall t, z <= t -> ro t = core m (fst k)) /\ (forall t, ro t <> ro (S t) -> In (S t) cut)
         /\ length cut <= h k.

  Lemma path_from y k z z' : In y (keys b) -> In k (keys b) -> z' <= z -> t0 <= z ->
    z + L y <= z' + L k ->
    h y + differ (core m (fst y)) (core m (fst k)) <= h k -> path_to y z' -> path_to k z.
  Proof.
    intros Hy Hk Lz Tz HLz Hh [ro [cut [P1 [P2 [P3 P4]]]]].
    set (ro' := fun t => if t <? z' then ro t else core m (fst k)).
    exists ro', (if core m (fst y) =? core m (fst k) then cut else z' :: cut).
    assert (forall t, t < z' -> ro' t = ro t) as R1
      by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_lt _ _) Ht); reflexivity).
    assert (forall t, z' <= t -> ro' t = core m (fst k)) as R2
      by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_ge _ _) Ht); reflexivity).
    assert (met_all ro z' <= met_all ro' z) as Me.
    { apply sum_le. intros u _. unfold met. transitivity
        (cnt (fun t => (t0 <=? t) && (initiates s t u && reachb home (ro' t) (fu (get b u)))) z').
      - apply cnt_le. intros t Ht E. rewrite (R1 t Ht). exact E.
      - apply cnt_mono, Lz. }
    split; [lia|]. split; [intros t Ht; apply R2; lia|]. unfold differ in Hh. split.
    - intros t E. destruct (Nat.lt_trichotomy (S t) z') as [Q|[Q|Q]].
      + rewrite (R1 t), (R1 (S t)) in E by lia. specialize (P3 t E).
        destruct (_ =? _); [exact P3|right; exact P3].
      + destruct (Nat.eqb_spec (core m (fst y)) (core m (fst k))) as [Ec|]; [|left; congruence].
        apply P3. rewrite (R1 t), (R2 (S t)), <- Ec, <- (P2 (S t)) in E by lia. exact E.
      + rewrite (R2 t), (R2 (S t)) in E by lia. congruence.
    - destruct (_ =? _); cbn [length]; lia.
  Qed.

  Lemma path_here k z : z <= t0 -> path_to k z.
  Proof.
    intros Hz. exists (fun _ => core m (fst k)), []. split; [lia|]. split; [auto|].
    split; [congruence|cbn; lia].
  Qed.

  Lemma path_busy k z : t0 <= z -> busy_at (core m (fst k)) z -> path_to k z -> path_to k (S z).
  Proof.
    intros Tz B [ro [cut [P1 [P2 [P3 P4]]]]]. exists ro, cut.
    pose proof (met_busy ro (core m (fst k)) z Tz (P2 z (le_n _)) B). split; [lia|].
    split; [intros t Ht; apply P2; lia|]. split; assumption.
  Qed.

  Lemma path_exists n : forall k, rank b k < n -> In k (keys b) -> group m (fst k) = g ->
    forall z, z <= D s k + ai s k -> path_to k z.
  Proof.
    induction n as [|n IHn]; [lia|]. intros [w k] Hn Hk Hg. cbn [fst] in *.
    induction z as [|z IHz]; intros Hz; [apply path_here; lia|]. specialize (IHz ltac:(lia)).
    destruct (le_lt_dec (S z) t0) as [Lz|Lz]; [apply path_here, Lz|].
    destruct (le_lt_dec (I s (w, k)) z) as [Ik|Ik].
    - apply path_busy; [lia| |exact IHz]. apply (busy_issued (w, k)); [exact Hk| |lia].
      pose proof (v_init _ _ _ V _ Hk). pose proof (v_none _ _ _ V w k Hk) as N.
      destruct (init (get b (w, k))); [|lia]. destruct (N eq_refl). lia.
    - destruct (block_ready m b s L W V HL w k (S z) Hk ltac:(lia))
        as [B|[[y [z' [Y1 [Y2 [Y3 [Y4 [Y5 [Y6 Y7]]]]]]]]|[_ B]]].
      + apply path_here. rewrite Hg in B. lia.
      + apply (path_from y (w, k) (S z) z' Y1 Hk Y5 ltac:(lia) Y7);
          [|apply (IHn y); auto; [lia|congruence]]. destruct (HT (w, k) y Hk Y1 Y2) as [T1 T2].
        destruct Y4 as [Y4|[Y4 Yw]]; [apply T1, Y4|]. cbn [fst] in *. rewrite Yw in *.
        specialize (T2 Y4 eq_refl). unfold differ. rewrite Nat.eqb_refl. lia.
      + replace (S z - 1) with z in B by lia.
        apply path_busy; [lia|apply (busy_ready w k z Hk B)|exact IHz].
  Qed.

  (** *** Lemma 1: until [x] is complete, from [t0] on *)
  Theorem chain_time x lamc chg : In x (keys b) -> group m (fst x) = g ->
    L x + lat (get b x) <= lamc -> h x + 1 <= chg ->
    exists ro cut, C s x <= t0 + lamc + met_all ro (C s x)
      /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.
  Proof.
    intros Hx Hg Hl Hc. destruct (path_exists (S (rank b x)) x (le_n _) Hx Hg (D s x + ai s x)
      (le_n _)) as [ro [cut [P1 [P2 [P3 P4]]]]]. exists ro, cut. pose proof (v_lat _ _ _ V x Hx).
    assert (met_all ro (D s x + ai s x) <= met_all ro (C s x)) as Me.
    { apply sum_le. intros u _. apply cnt_mono. unfold C. lia. }
    unfold C in *. split; [lia|]. split; [exact P3|lia].
  Qed.
End Time.
