(** * Lemma 1 (chain) and theorem 1 of docs/sub-core-bounds.md, charged in the order of issue
    (section 10) *)

From Warpbound Require Import Base Cycles Largest Model Elb Instances Weights ChainWalk ChainWork
  ChainSlot.

(** *** The work of the busiest sub-core of each section of block [g], [W] with the fine sums *)
Definition fine_work (m : machine) (b : block) (home : nat -> option nat) (cores g : nat) : nat :=
  busiest b home cores (fun y => group m (fst y)) (fun y => sec (get b y)) (sections b) g.

Lemma cnt_from t0 z : cnt (Nat.leb t0) z = z - t0.
Proof.
  induction z as [|z IH]; [reflexivity|]. cbn [cnt]. rewrite IH. destruct (Nat.leb_spec t0 z); lia.
Qed.

Lemma wsum_split b w (P Q : key -> bool) : wsum b w P = wsum b w (fun u => P u && Q u)
  + wsum b w (fun u => P u && negb (Q u)).
Proof.
  unfold wsum. rewrite <- sum_add. apply sum_ext. intros u _. destruct (P u), (Q u); cbn; lia.
Qed.

Section Block.
  Variables (m : machine) (b : block) (L h : key -> nat) (home : nat -> option nat)
    (cores g lamc chg : nat).
  Hypotheses (M : machine_ok m) (W : wf b).
  (* certificates of the latency path and of the changes of sub-core *)
  Hypotheses (HL : lam_cert m b L) (HT : turns_cert m b h).
  Hypothesis Lam : forall y, In y (keys b) -> group m (fst y) = g -> L y + lat (get b y) <= lamc.
  Hypothesis Chg : forall y, In y (keys b) -> group m (fst y) = g -> h y + 1 <= chg.
  (* warps use units of their sub-core and shared ones *)
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) ->
    reach home (core m (fst y)) (fu (get b y)).
  Hypothesis Cores : forall f c, home f = Some c -> c < cores.
  Notation inits := (fun y => init (get b y)).

  (** *** Lemma 1 (chain).  From any time [t0] of its stay on block [g] takes at most [W], [lam] and
      what instructions [P] of other blocks initiate: each initiates at [t0] or later, on a unit in
      the reach of the sub-core [r] of the cycle of its issue, and [r] changes less than [chg]
      times. *)
  Theorem chain s t0 x : valid m b s -> begin s g <= t0 -> In x (keys b) -> group m (fst x) = g ->
    exists (P : key -> bool) (r : nat -> nat) (changes : list nat),
      C s x <= t0 + fine_work m b home cores g + lamc + wsum b inits P
      /\ (forall u, In u (keys b) -> P u = true -> group m (fst u) <> g /\
           reach home (r (I s u)) (fu (get b u))
            /\ exists t, t0 <= t /\ initiates s t u = true)
      /\ (forall t, r t <> r (S t) -> In (S t) changes) /\ length changes < chg.
  Proof.
    intros V Ht Hx Hg. destruct (slot_path m b s L h M W V HL HT home Home (Nat.leb t0) (Nat.eqb g)
      (Nat.eqb g) (fun _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => lamc) (fun _ => chg))
      with (k := x) (z := D s x + ai s x) as [p [T [A [O [Cu F]]]]]; auto;
      try (intros; rewrite ?Nat.eqb_eq in *; lia).
    - intros a c Ha Hc N. congruence.
    - intros y Hy E. apply Nat.eqb_eq in E. auto.
    - intros y Hy E. apply Nat.eqb_eq in E. auto.
    - intros a z E Hz. apply Nat.eqb_eq in E. subst a. left. rewrite cnt_from. lia.
    - split; [exact Hx|apply Nat.eqb_eq; auto].
    - exists (fun u => paid p u && negb (group m (fst u) =? g)), (rho p), (cuts p).
      cbn [Nat.add] in *. split; [|split; [|split; [exact Cu|lia]]].
      + rewrite cnt_from in T. pose proof (Lam x Hx Hg). pose proof (v_lat _ _ _ V x Hx).
        rewrite (wsum_split b inits (paid p) (fun u => group m (fst u) =? g)) in T.
        assert (wsum b inits (fun u => paid p u && (group m (fst u) =? g))
          <= fine_work m b home cores g); [|unfold C; lia].
        apply (own_work b home cores (fun y => group m (fst y)) (fun y => sec (get b y)) Cores _ _
          _ (fun j => stand p (level b (fun _ => 0) g j))). intros y Hy Py Gy.
        split; [apply sec_few, Hy|]. rewrite <- Gy at 1. apply O; auto. apply Nat.eqb_eq. auto.
      + intros u Hu E. apply andb_prop in E as [E1 E2]. apply negb_true_iff, Nat.eqb_neq in E2.
        destruct (A u Hu E1) as [A1 A2]. repeat split; auto. unfold live in A2.
        apply existsb_exists in A2 as [t [_ A2]]. apply andb_prop in A2 as [A2 A3]. exists t.
        split; [apply Nat.leb_le, A2|exact A3].
  Qed.

  (** *** Theorem 1 (block): alone on its SM it takes at most [W] + [lam], at every dispatch
      depth. *)
  Theorem chain_alone s x : valid m b s -> (forall y, In y (keys b) -> group m (fst y) = g) ->
    In x (keys b) ->
    C s x <= begin s g + fine_work m b home cores g + lamc.
  Proof.
    intros V A Hx.
    destruct (chain s (begin s g) x V (le_n _) Hx (A x Hx)) as [P [r [ch [T [H _]]]]].
    rewrite (wsum_filter b inits P) in T. destruct (filter P (keys b)) as [|u l] eqn:E;
      [unfold sum in T; cbn [map list_sum fold_right] in T; lia|exfalso].
    assert (In u (filter P (keys b))) as Hu by (rewrite E; left; reflexivity).
    apply filter_In in Hu as [Hu Pu]. apply (H u Hu Pu), A, Hu.
  Qed.
End Block.
