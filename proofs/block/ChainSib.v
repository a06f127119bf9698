(** * Lemma 1 of docs/sub-core-bounds.md with SIB: a thread block takes SIB and what others initiate along a path
    through the sub-cores that changes as often as chains of it do

    Counted by time: other thread blocks are charged the cycles in which they initiate in the reach of the sub-core
    at which the path is then.  Depth 0 and unlimited depth. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Model Idle Instances Weights Queue Isolation Late Bounds ChainWalk ChainSlot.
Import ListNotations.

Definition reachb (home : nat -> option nat) (c f : nat) : bool := match home f with Some d => d =? c | None => true end.

Lemma reachb_iff home c f : reachb home c f = true <-> reach home c f.
Proof.
  unfold reachb, reach. destruct (home f) as [d|]; [rewrite Nat.eqb_eq|tauto].
  split; [intros ->; right; reflexivity|intros [E|E]; congruence].
Qed.

(** The cycles of [t0, e) in which [y] initiates in the reach of [ro]. *)
Definition met (b : block) (s : schedule) (home : nat -> option nat) (ro : nat -> nat) (t0 e : nat) (y : key) : nat :=
  cnt (fun t => (t0 <=? t) && (initiates s t y && reachb home (ro t) (fu (get b y)))) e.
Definition met_others (b : block) (m : machine) (s : schedule) (home : nat -> option nat) (g : nat) (ro : nat -> nat) (t0 e : nat) : nat :=
  sum (fun y => if group m (fst y) =? g then 0 else met b s home ro t0 e y) (keys b).

Lemma cnt_both p q r T N : T <= N -> (forall t, t < T -> p t = true -> r t = true) ->
  (forall t, t < N -> q t = true -> T <= t /\ r t = true) -> cnt p T + cnt q N <= cnt r N.
Proof.
  intros H Hp. induction H as [|N H IH]; intros Hq.
  - rewrite (cnt_none q T); [rewrite Nat.add_0_r; apply cnt_le, Hp|]. intros t Ht. destruct (q t) eqn:E; [|reflexivity].
    destruct (Hq t Ht E). lia.
  - cbn [cnt]. specialize (IH (fun t Ht => Hq t ltac:(lia))). specialize (Hq N ltac:(lia)). destruct (q N); [|destruct (r N); lia].
    destruct (Hq eq_refl) as [_ ->]. lia.
Qed.

Section Sib.
  Variables (m : machine) (b : block) (s : schedule) (iI iD h : key -> nat) (home : nat -> option nat) (g : nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis HI : iso_edges b m iI iD.
  Hypothesis HT : turns_cert m b h.
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) -> reach home (core m (fst y)) (fu (get b y)).
  Hypothesis Depth : depth m = Some 0 \/ depth m = None.
  Notation ch := (sib_charge b m).
  Notation term := (block_term b m ch iD g).
  Variable t0 : nat.
  Notation met_by := (met_others b m s home g).

  (** What [w] can meet is in its reach. *)
  Lemma seen_active c T N y : In y (keys b) -> in_reach b m c (fu (get b y)) = true ->
    active s T N y = met b s home (fun _ => c) T N y.
  Proof.
    intros Hy R. apply existsb_exists in R as [x [Hx R]]. rewrite andb_true_iff in R. unfold on in R. rewrite !Nat.eqb_eq in R. destruct R as [R1 R2].
    destruct (le_lt_dec (init (get b y)) 0) as [Z|P].
    - pose proof (active_init m b s T N y V Hy). assert (active s T N y = 0) as -> by lia. symmetry. apply cnt_none. intros t _.
      pose proof (v_init _ _ _ V y Hy). unfold initiates. destruct (Nat.leb_spec (D s y) t), (Nat.ltb_spec t (D s y + ai s y)); cbn; try lia;
        rewrite ?andb_false_r; reflexivity.
    - pose proof (Home x Hx (same_unit b W y x Hy Hx (eq_sym R2) P)) as Rx. rewrite R1, R2 in Rx. apply reachb_iff in Rx.
      unfold active, met. rewrite Rx. apply Nat.le_antisymm; apply cnt_le; intros t _; rewrite andb_true_r; auto.
  Qed.

  Lemma one_section_met q T N : begin s g <= T ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> C s y <= T) ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T) ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) = q -> C s y <= N) ->
    forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) = q -> C s x = N ->
    T < N -> N <= T + term q + met_by (fun _ => core m (fst x)) T N.
  Proof.
    intros HTs Old Rel End [w k] Hk Hg Hq HN TN. simpl in Hg. subst g. cbn [fst].
    assert (0 < iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) as Pk.
    { destruct (Nat.eq_dec (iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) 0) as [E|E]; [exfalso|lia].
      pose proof (timeless_done m b s w q T _ W V (isolated m b iI iD W HI w q) HTs Old Rel k
        ltac:(destruct (HI w k Hk) as [_ [_ [H3 _]]]; repeat split; auto; lia)) as [H1 H2].
      pose proof (v_init _ _ _ V _ Hk). pose proof (v_lat _ _ _ V _ Hk). unfold C in HN. lia. }
    set (X := met_others b m s home (group m w) (fun _ => core m w) T N).
    destruct (le_lt_dec N (T + block_term b m ch iD (group m w) q + X)) as [L|L]; [exact L|exfalso].
    destruct (instances_exist m b s (v_cap _ _ _ V)) as [ins Ins].
    set (top := block_term b m ch iD (group m w) q - charged b ch w q).
    assert (forall j, In (w, j) (keys b) -> sec (get b (w, j)) = q -> 0 < iD (w, j) + init (get b (w, j)) + lat (get b (w, j)) ->
      iD (w, j) + init (get b (w, j)) + lat (get b (w, j)) + charged b ch w q <= block_term b m ch iD (group m w) q) as Term.
    { intros j Hj Sj Pj. apply list_max_ge, in_map_iff. exists (w, j). split; [reflexivity|].
      apply filter_In. rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt. auto. }
    set (hh := fun y => ch w q y + (if group m (fst y) =? group m w then 0 else met b s home (fun _ => core m w) T N y)).
    assert (forall y, rival m b w q y -> group m (fst y) = group m w -> beside b m w q y = true) as Be.
    { intros y [_ [Y1 Y2]] G. apply beside_iff. auto. }
    pose proof (Term k Hk Hq Pk) as Tk.
    enough (C s (w, k) < N) by lia.
    apply (not_late m b s iI iD M W V HI ins Ins w q T N top hh HTs Old Rel End (fun f => in_reach b m (core m w) f = true)); auto.
    - intros j Hj _ _. apply (in_reach_of b m (w, j) _ Hj eq_refl).
    - intros D0 y [Hy _] _ Hc _. apply (in_reach_of b m y _ Hy Hc).
    - intros y R Hm. unfold hh. destruct (Nat.eqb_spec (group m (fst y)) (group m w)) as [G|G].
      + pose proof (sib_unit m b iI (group m w) w q y (proj1 R) (Be y R G) Hm). pose proof (cost_init b m y (proj1 R)).
        pose proof (active_init m b s T N y V (proj1 R)). lia.
      + rewrite <- (seen_active (core m w) T N y (proj1 R) Hm). lia.
    - intros d y Hd. destruct Depth; congruence.
    - intros y R Hc Hu TI DN. unfold hh. destruct (Nat.eqb_spec (group m (fst y)) (group m w)) as [G|G].
      + pose proof (sib_slot m b iI (group m w) w q y (proj1 R) (Be y R G) Hc). lia.
      + rewrite <- (seen_active (core m w) T N y (proj1 R) (in_reach_of b m y _ (proj1 R) Hc)).
        pose proof (v_start _ _ _ V y (proj1 R)). pose proof (v_init _ _ _ V y (proj1 R)).
        pose proof (active_some s T N y (D s y) ltac:(lia) ltac:(apply init_iff; lia)). lia.
    - intros j Hj Sj. destruct (Nat.eq_dec (iD (w, j) + init (get b (w, j))) 0) as [E|E]; [lia|].
      specialize (Term j Hj Sj ltac:(lia)). unfold top. lia.
    - unfold wsum. assert (sum (fun y => if true then hh y else 0) (keys b) = charged b ch w q + X) as E.
      { unfold charged, X, met_others, hh. apply sum_plus. }
      cbv beta. rewrite E. unfold top. lia.
    - unfold top. lia.
  Qed.

  Lemma met_later ro T N : T <= N -> met_by ro t0 T <= met_by ro t0 N.
  Proof. intros H. apply sum_le. intros y _. destruct (_ =? _); [apply le_n|]. apply cnt_mono, H. Qed.

  (** A path goes on under sub-core [c]. *)
  Lemma met_join c ro ro' T N : t0 <= T <= N -> (forall t, t < T -> ro' t = ro t) -> (forall t, T <= t -> ro' t = c) ->
    met_by ro t0 T + met_by (fun _ => c) T N <= met_by ro' t0 N.
  Proof.
    intros H H1 H2. unfold met_others. rewrite <- sum_plus. apply sum_le. intros y _. destruct (_ =? _); [apply le_n|].
    apply cnt_both; [lia| |].
    - intros t Ht E. rewrite (H1 t Ht). exact E.
    - intros t Ht E. apply andb_prop in E as [E1 E2]. apply Nat.leb_le in E1. split; [exact E1|]. rewrite (H2 t E1), E2.
      apply andb_true_intro. split; [apply Nat.leb_le; lia|reflexivity].
  Qed.

  (** At [T], when sections before [q] are over, [B] and what was met pay all: [x] is the last instruction that was waited for. *)
  Definition walked (B q T : nat) : Prop := T <= B \/ exists ro cut x,
    (In x (keys b) /\ group m (fst x) = g /\ sec (get b x) < q) /\ T <= B + met_by ro t0 T
    /\ (forall t, T <= t -> ro t = core m (fst x)) /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut <= h x.

  Lemma walked_on B q T B' q' T' : walked B q T -> q <= q' -> T <= T' -> T' + B <= T + B' -> walked B' q' T'.
  Proof.
    intros [L|[ro [cut [x [[X1 [X2 X3]] [X4 [X5 [X6 X7]]]]]]]] Q T1 T2; [left; lia|right].
    exists ro, cut, x. pose proof (met_later ro T T' T1). repeat split; auto; try lia. intros t Ht. apply X5. lia.
  Qed.

  Lemma walk_section B q T N x : t0 <= T < N -> walked B q T -> In x (keys b) -> group m (fst x) = g -> sec (get b x) = q ->
    N <= T + term q + met_by (fun _ => core m (fst x)) T N -> walked (B + term q) (S q) N.
  Proof.
    intros HTN Wk Hx Hg Hq HN. right. destruct Wk as [L|[ro [cut [x0 [[X1 [X2 X3]] [X4 [X5 [X6 X7]]]]]]]].
    - exists (fun _ => core m (fst x)), [], x. pose proof (met_join (core m (fst x)) (fun _ => core m (fst x)) (fun _ => core m (fst x)) T N ltac:(lia)
        (fun _ _ => eq_refl) (fun _ _ => eq_refl)) as J.
      split; [repeat split; auto; lia|]. split; [lia|]. split; [auto|]. split; [intros t E; congruence|cbn; lia].
    - destruct (HT x x0 Hx X1 ltac:(congruence)) as [Tu _]. specialize (Tu ltac:(lia)).
      set (ro' := fun t => if t <? T then ro t else core m (fst x)).
      assert (forall t, t < T -> ro' t = ro t) as R1 by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_lt _ _) Ht); reflexivity).
      assert (forall t, T <= t -> ro' t = core m (fst x)) as R2 by (intros t Ht; unfold ro'; rewrite (proj2 (Nat.ltb_ge _ _) Ht); reflexivity).
      pose proof (met_join (core m (fst x)) ro ro' T N ltac:(lia) R1 R2) as J.
      exists ro', (if core m (fst x0) =? core m (fst x) then cut else T :: cut), x.
      split; [repeat split; auto; lia|]. split; [lia|]. split; [intros t Ht; apply R2; lia|]. unfold differ in Tu. split.
      + intros t E. destruct (Nat.lt_trichotomy (S t) T) as [L|[L|L]].
        * rewrite (R1 t), (R1 (S t)) in E by lia. specialize (X6 t E). destruct (_ =? _); [exact X6|right; exact X6].
        * destruct (Nat.eqb_spec (core m (fst x0)) (core m (fst x))) as [Ec|]; [|left; congruence].
          apply X6. rewrite (R1 t), (R2 (S t)), <- Ec, <- (X5 (S t)) in E by lia. exact E.
        * rewrite (R2 t), (R2 (S t)) in E by lia. congruence.
      + destruct (_ =? _); cbn [length]; lia.
  Qed.

  Hypothesis Start : begin s g <= t0.
  Variable e : nat.
  Hypothesis Finish : forall x, In x (keys b) -> group m (fst x) = g -> C s x <= e.

  Lemma section_end_met B q T : t0 <= T <= e -> walked B q T ->
    (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> C s y <= T) ->
    (forall z, In z (keys b) -> group m (fst z) = g -> sec (get b z) = q ->
       forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T) ->
    exists N, T <= N <= e /\ walked (B + term q) (S q) N
      /\ forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) <= q -> C s y <= N.
  Proof.
    intros HTe Wk Old Rel. assert (walked (B + term q) (S q) T) as Same by (apply (walked_on _ _ _ _ _ _ Wk); lia).
    destruct (of_section b m g q) as [|z0 l0] eqn:E.
    - exists T. split; [lia|]. split; [exact Same|]. intros y Hy Hg Hs. apply Old; auto.
      enough (sec (get b y) <> q) by lia. intros Sy.
      assert (In y (of_section b m g q)) as X by (apply in_section; auto). rewrite E in X. destruct X.
    - destruct (latest (C s) (of_section b m g q)) as [x [Hx Lx]]; [rewrite E; discriminate|].
      apply in_section in Hx as [Hx [Gx Sx]].
      assert (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) = q -> C s y <= C s x) as Lq by (intros; apply Lx, in_section; auto).
      destruct (le_lt_dec (C s x) T) as [L|L].
      + exists T. split; [lia|]. split; [exact Same|]. intros y Hy Hg Hs.
        destruct (Nat.eq_dec (sec (get b y)) q) as [Sy|Sy]; [specialize (Lq y Hy Hg Sy); lia|apply Old; auto; lia].
      + exists (C s x). split; [specialize (Finish x Hx Gx); lia|]. split.
        * apply (walk_section B q T (C s x) x); auto; [lia|]. apply one_section_met; auto; [lia|].
          intros y Hy Hg Sy. apply (Rel x); auto.
        * intros y Hy Hg Hs. destruct (Nat.eq_dec (sec (get b y)) q) as [Sy|Sy]; [auto|]. specialize (Old y Hy Hg ltac:(lia)). lia.
  Qed.

  Lemma sections_met q : t0 <= e -> exists T, t0 <= T <= e /\ walked (t0 + block_start b m ch iD g q) q T
    /\ (forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> C s y <= T)
    /\ (forall z, In z (keys b) -> group m (fst z) = g -> sec (get b z) = q ->
          forall y, In y (keys b) -> group m (fst y) = g -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T).
  Proof.
    intros He. induction q as [|q [T [HTe [Wk [Old Rel]]]]].
    - exists t0. split; [lia|]. split; [left; lia|]. split; intros; lia.
    - destruct (section_end_met _ q T HTe Wk Old Rel) as [N [HN [WN AN]]].
      exists (Nat.min e (N + release m (S q))). split; [lia|]. split; [|split].
      + apply (walked_on _ _ _ _ _ _ WN); cbn [block_start]; lia.
      + intros y Hy Hg Hs. specialize (AN y Hy Hg ltac:(lia)). lia.
      + intros z Hz Gz Sz y Hy Hg Hs. specialize (AN y Hy Hg ltac:(lia)).
        pose proof (v_rel _ _ _ V g (S q)). pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy).
        pose proof (v_barrier _ _ _ V z y Hz Hy ltac:(congruence) ltac:(lia)) as R.
        specialize (Finish z Hz Gz). pose proof (v_start _ _ _ V z Hz). unfold C in *. rewrite Gz, Sz in R. lia.
  Qed.

  (** *** Lemma 1 with SIB: from [t0] on, its start or later, to its end *)
  Variable chg : nat.
  Hypothesis Chg : forall y, In y (keys b) -> group m (fst y) = g -> h y + 1 <= chg.
  Hypothesis Chg_one : 1 <= chg.

  Theorem chain_sib : t0 <= e -> exists N ro cut, t0 <= N <= e
    /\ (forall x, In x (keys b) -> group m (fst x) = g -> C s x <= N)
    /\ N <= t0 + block_bound b m ch iD g + met_by ro t0 N
    /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.
  Proof.
    intros He. set (q := last_section b m g). destruct (sections_met q He) as [T [HTe [Wk [Old Rel]]]].
    destruct (section_end_met _ q T HTe Wk Old Rel) as [N [HN [WN AN]]]. exists N.
    assert (forall x, In x (keys b) -> group m (fst x) = g -> C s x <= N) as Ends.
    { intros x Hx Hg. apply AN; auto. apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In. split; [exact Hx|apply Nat.eqb_eq, Hg]. }
    rewrite <- Nat.add_assoc in WN. change (block_start b m ch iD g q + term q) with (block_bound b m ch iD g) in WN.
    destruct WN as [L|[ro [cut [x [[X1 [X2 X3]] [X4 [X5 [X6 X7]]]]]]]].
    - exists (fun _ => 0), []. split; [lia|]. split; [exact Ends|]. split; [lia|]. split; [congruence|exact Chg_one].
    - exists ro, cut. specialize (Chg x X1 X2). split; [lia|]. split; [exact Ends|]. split; [exact X4|]. split; [exact X6|lia].
  Qed.
End Sib.
