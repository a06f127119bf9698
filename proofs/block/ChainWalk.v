(** * A walk in the order of issue: docs/sub-core-bounds.md, sections 2 and 10

    A walk stands at an instruction [k] with a mark [z] before which cycles are yet to be paid.  It
    is told forwards here: for each [k], in an order in which what a walk goes to comes first, and
    each mark there are instructions that pay for all cycles below the mark but [lat k]; they were
    issued before the mark ("from event to event the issue falls"), each on a unit in the reach of
    the sub-core [rho] of its issue, and [rho] changes seldom. *)

From Warpbound Require Import Base Cycles Model Instances Weights.

(** The sub-core to which a unit is private; [None]: shared. *)
Definition reach (home : nat -> option nat) (c f : nat) : Prop := home f = None \/ home f = Some c.

(** A change of sub-core counts 1. *)
Definition differ (c d : nat) : nat := if c =? d then 0 else 1.

(** What a walk leaves behind: the instructions that pay, the sub-core of each cycle of issue and
    where it changes, the sub-core of each level of the own instructions. *)
Record trace := Trace { paid : key -> bool; rho : nat -> nat; cuts : list nat; stand : nat -> nat }.

Section Walk.
  Variables (m : machine) (b : block) (s : schedule).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s).
  Variable home : nat -> option nat.
  Hypothesis Home : forall y, In y (keys b) -> 1 <= init (get b y) ->
    reach home (core m (fst y)) (fu (get b y)).
  Notation core_of y := (core m (fst y)).

  (** Cycles that count. *)
  Variable tick : nat -> bool.
  Notation clock := (cnt tick).
  Definition live (y : key) : bool := existsb (fun t => tick t && initiates s t y)
    (seq 0 (D s y + ai s y)).

  (** ** An event: a unit initiates without a gap from [x] to [t] what was issued since [x] *)

  Lemma busy_since : forall t y, In y (keys b) -> initiates s t y = true ->
    exists x y0, x <= t /\ In y0 (keys b) /\ fu (get b y0) = fu (get b y) /\ I s y0 = x /\
    D s y0 = x
      /\ D s y0 <= D s y
      /\ forall u, x <= u <= t -> exists v, In v (keys b) /\ fu (get b v) = fu (get b y) /\
           x <= I s v <= I s y
           /\ initiates s u v = true.
  Proof.
    induction t as [t IH] using lt_wf_ind. intros y Hy Hi. pose proof Hi as Hi'.
    apply init_iff in Hi'. pose proof (v_start _ _ _ V y Hy) as Hs.
    destruct (Nat.eq_dec (I s y) (D s y)) as [E|N].
    - exists (D s y), y. repeat split; auto; try lia. intros u Hu. exists y.
      repeat split; auto; try lia. apply init_iff. lia.
    - assert (inst m (fu (get b y)) <= n_init b s (fu (get b y)) (D s y - 1)) as F.
      { apply (v_asap _ _ _ V y _ Hy). unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt.
        lia. }
      pose proof (proj1 M (fu (get b y))). destruct (count_pos b (fun x => on b (fu (get b y)) x
        && initiates s (D s y - 1) x)) as [v [Hv P]]; [unfold n_init in F; lia|].
      apply andb_prop in P as [Fv Iv]. apply on_iff in Fv.
      destruct (IH (D s y - 1) ltac:(lia) v Hv Iv) as [x [y0 [X1 [X2 [X3 [X4 [X5 [X6 X7]]]]]]]].
      pose proof Iv as Iv'. apply init_iff in Iv'. assert (I s v <= I s y) as Lv.
      { destruct (le_lt_dec (I s v) (I s y)) as [L|L]; [exact L|exfalso].
        pose proof (v_fifo _ _ _ V y v Hy Hv (eq_sym Fv) L). lia. }
      assert (x <= I s y) as Lx.
      { destruct (le_lt_dec x (I s y)) as [L|L]; [exact L|exfalso].
        pose proof (v_fifo _ _ _ V y y0 Hy X2 ltac:(congruence) ltac:(lia)). lia. }
      exists x, y0. rewrite X3, Fv. repeat split; auto; try lia. intros u Hu.
      destruct (le_lt_dec (D s y) u) as [L|L].
      + exists y. repeat split; auto; try lia. apply init_iff. lia.
      + destruct (X7 u ltac:(lia)) as [a [A1 [A2 [A3 A4]]]]. exists a. rewrite A2.
        repeat split; auto; lia.
  Qed.

  (** What is charged then. *)
  Definition event (f x i : nat) (u : key) : bool :=
    on b f u && ((x <=? I s u) && (I s u <=? i)) && live u.

  Lemma event_iff f x i u : event f x i u = true <-> fu (get b u) = f /\ x <= I s u <= i /\
    live u = true.
  Proof. unfold event. rewrite !andb_true_iff, on_iff, !Nat.leb_le. tauto. Qed.

  Lemma event_paid z y : In y (keys b) -> initiates s (z - 1) y = true -> 1 <= z ->
    exists x, x < z /\
    clock z <= clock x + wsum b (fun u => init (get b u)) (event (fu (get b y)) x (I s y)).
  Proof.
    intros Hy Hi Hz. destruct (busy_since _ y Hy Hi) as [x [_ [X1 [_ [_ [_ [_ [_ X7]]]]]]]].
    exists x. split; [lia|]. set (E := event (fu (get b y)) x (I s y)). rewrite wsum_filter.
    pose (p := fun t u => (x <=? t) && initiates s t u).
    assert (forall n, x <= n <= z -> clock n
      <= clock x + cnt (fun t => existsb (p t) (filter E (keys b))) n) as A.
    { induction n as [|n IH]; intros Hn; [assert (x = 0) as -> by lia; lia|].
      destruct (Nat.eq_dec x (S n)) as [->|Nx]; [lia|]. specialize (IH ltac:(lia)). cbn [cnt].
      destruct (tick n) eqn:T; [|destruct (existsb _ _); lia].
      destruct (X7 n ltac:(lia)) as [v [V1 [V2 [V3 V4]]]].
      assert (existsb (p n) (filter E (keys b)) = true) as ->; [|lia]. apply existsb_exists.
      exists v. split; [|unfold p; rewrite V4, (proj2 (Nat.leb_le x n)) by lia; reflexivity].
      apply filter_In. split; [exact V1|]. apply event_iff. repeat split; auto; try lia.
      apply existsb_exists. exists n. rewrite T, V4. split; [|reflexivity]. apply init_iff in V4.
      apply in_seq. lia. }
    specialize (A z ltac:(lia)). etransitivity; [exact A|]. apply Nat.add_le_mono_l.
    etransitivity; [apply (cnt_exists p)|]. apply sum_le. intros u Hu.
    apply filter_In in Hu as [Hu _]. pose proof (v_init _ _ _ V u Hu).
    pose proof (cnt_interval (D s u) (ai s u) z).
    enough (cnt (fun t => p t u) z <= cnt (fun t => (D s u <=? t) && (t <? D s u + ai s u)) z)
      by lia. apply cnt_le. intros t _ P. apply andb_prop in P as [_ P]. exact P.
  Qed.

  (** ** The walk *)

  (** [mine]: where the walk may stand; [own]: what it goes on at when it is met.  [lv] falls along
      the walk, and the sub-core changes only with it. *)
  Variables (mine own : key -> Prop) (lv rk L H : key -> nat).
  Hypothesis Own_dec : forall y, {own y} + {~ own y}.
  Hypotheses (Mine_in : forall y, mine y -> In y (keys b)) (Own_mine : forall y, own y -> mine y).
  (* the levels of own instructions are issued one after the other *)
  Hypothesis Older : forall u k, own u -> mine k -> I s u < I s k + takes (get b k) -> lv u <= lv k.
  Hypothesis Jump : forall o k, own o -> mine k -> lv o < lv k ->
    rk o < rk k /\ L o <= L k /\ H o + differ (core_of o) (core_of k) <= H k.

  (** Where the walk goes from [k]. *)
  Definition goes (k : key) (z : nat) (y : key) (z' : nat) : Prop :=
    mine y /\ rk y < rk k /\ (lv y < lv k \/ lv y = lv k /\ core_of y = core_of k)
    /\ H y + differ (core_of y) (core_of k) <= H k
    /\ z' <= z /\ z' <= D s y + ai s y /\ clock z + L y <= clock z' + L k.

  Hypothesis Ready : forall k z, mine k -> z <= I s k ->
    clock z <= L k \/ (exists y z', goes k z y z') \/
      (1 <= z /\ eligible b m s (fst k) (snd k) (z - 1)).

  (** A trace pays every cycle before [z]. *)
  Record walked (k : key) (z : nat) (p : trace) : Prop := {
    w_time : clock z <= L k + wsum b (fun u => init (get b u)) (paid p);
    w_paid : forall u, In u (keys b) -> paid p u = true ->
      I s u < z /\ reach home (rho p (I s u)) (fu (get b u)) /\ live u = true;
    w_own : forall u, In u (keys b) -> paid p u = true -> own u ->
      lv u <= lv k /\ reach home (stand p (lv u)) (fu (get b u));
    w_rho : forall t, z <= t -> rho p t = core_of k;
    w_stand : stand p (lv k) = core_of k;
    w_cuts : forall t, rho p t <> rho p (S t) -> In (S t) (cuts p);
    w_few : length (cuts p) <= H k }.

  Lemma walk_base k z : clock z <= L k -> walked k z
    (Trace (fun _ => false) (fun _ => core_of k) [] (fun _ => core_of k)).
  Proof. intros T. constructor; cbn; try easy; lia. Qed.

  Lemma walk_on k z y z' p (P : key -> bool) : walked y z' p ->
    lv y < lv k \/ lv y = lv k /\ core_of y = core_of k ->
    H y + differ (core_of y) (core_of k) <= H k -> z' <= z ->
    (forall u, In u (keys b) -> P u = true -> z' <= I s u < z /\
      reach home (core_of k) (fu (get b u)) /\ live u = true
       /\ (own u -> lv y <= lv u <= lv k /\ (lv u = lv y -> reach home (core_of y) (fu (get b u)))))
            ->
    clock z + L y <= clock z' + L k + wsum b (fun u => init (get b u)) P ->
    exists p', walked k z p'.
  Proof.
    intros [T A O R S C F] Lv Hc Hz HP Ht.
    exists (Trace (fun u => paid p u || P u) (fun t => if t <? z' then rho p t else core_of k)
      (if core_of y =? core_of k then cuts p else z' :: cuts p)
      (fun l => if l <=? lv y then stand p l else core_of k)).
    constructor; cbn [paid rho cuts stand].
    - enough (wsum b (fun u => init (get b u)) (paid p) + wsum b (fun u => init (get b u)) P
        <= wsum b (fun u => init (get b u)) (fun u => paid p u || P u)) by lia.
      apply wsum_add; intros u Hu E; [rewrite E; reflexivity|rewrite E; apply orb_true_r|].
      intros E2. destruct (A u Hu E). destruct (HP u Hu E2). lia.
    - intros u Hu E. destruct (paid p u) eqn:Eu; cbn in E.
      + destruct (A u Hu Eu) as [A1 A2]. rewrite (proj2 (Nat.ltb_lt _ _) A1). split; [lia|exact A2].
      + destruct (HP u Hu E) as [P1 [P2 [P3 _]]]. rewrite (proj2 (Nat.ltb_ge _ _)) by lia.
        repeat split; auto; lia.
    - intros u Hu E Ow. destruct (paid p u) eqn:Eu; cbn in E.
      + destruct (O u Hu Eu Ow) as [O1 O2]. rewrite (proj2 (Nat.leb_le _ _) O1).
        split; [lia|exact O2].
      + destruct (HP u Hu E) as [_ [P2 [_ P3]]]. destruct (P3 Ow) as [P4 P5]. split; [lia|].
        destruct (Nat.leb_spec (lv u) (lv y)) as [Le|Le]; [|exact P2].
        replace (lv u) with (lv y) by lia. rewrite S. apply P5. lia.
    - intros t Ht'. rewrite (proj2 (Nat.ltb_ge _ _)) by lia. reflexivity.
    - destruct (Nat.leb_spec (lv k) (lv y)) as [Le|Le]; [|reflexivity].
      destruct Lv as [Lv|[Lv Co]]; [lia|]. rewrite <- Lv, S. exact Co.
    - intros t Nt. pose proof (R z' (le_n _)) as Rz.
      destruct (Nat.ltb_spec t z') as [L1|L1], (Nat.ltb_spec (Datatypes.S t) z') as [L2|L2];
        try lia; try congruence.
      + specialize (C t Nt). destruct (core_of y =? core_of k); [exact C|right; exact C].
      + assert (Datatypes.S t = z') as E by lia.
        destruct (Nat.eqb_spec (core_of y) (core_of k)) as [Q|Q]; [|left; auto]. apply C.
        rewrite E, Rz, Q. exact Nt.
    - unfold differ in Hc. destruct (core_of y =? core_of k); cbn [length]; lia.
  Qed.

  Lemma least_level (l : list key) : l <> [] -> exists o, In o l /\ forall u, In u l ->
    lv o <= lv u.
  Proof.
    intros N. destruct (latest (fun u => list_max (map lv l) - lv u) l N) as [o [Ho A]].
    exists o. split; [exact Ho|]. intros u Hu. specialize (A u Hu).
    pose proof (list_max_ge (lv u) (map lv l) (in_map lv l u Hu)).
    pose proof (list_max_ge (lv o) (map lv l) (in_map lv l o Ho)). lia.
  Qed.

  (** What was issued no later is own only up to the level of [k]; [y] initiates in the last
      cycle. *)
  Lemma walk_event k z y : mine k -> 1 <= z -> In y (keys b) -> initiates s (z - 1) y = true ->
    reach home (core_of k) (fu (get b y)) -> I s y <= z - 1 -> I s y < I s k + takes (get b k) ->
    (forall o x, mine o -> rk o < rk k -> x <= D s o + ai s o -> exists p, walked o x p) ->
    (forall x, x < z -> exists p, walked k x p) -> exists p, walked k z p.
  Proof.
    intros Hk Hz Hy Hi Re Iy Ik IHo IHk. destruct (event_paid z y Hy Hi Hz) as [x [Hx T]].
    set (f := fu (get b y)) in *. set (P := event f x (I s y)) in *.
    assert (forall u, In u (keys b) -> P u = true -> fu (get b u) = f /\ x <= I s u <= I s y /\
      live u = true /\ (own u -> lv u <= lv k)) as HP.
    { intros u Hu E. apply event_iff in E as [E1 [E2 E3]]. repeat split; auto; try lia.
      intros Ow. apply (Older u k Ow Hk). lia. }
    set (old := fun u => P u && (if Own_dec u then true else false) && (lv u <? lv k)).
    assert (forall u, In u (filter old (keys b)) <-> In u (keys b) /\ P u = true /\ own u /\
      lv u < lv k) as Ho.
    { intros u. rewrite filter_In. unfold old. rewrite !andb_true_iff, Nat.ltb_lt.
      destruct (Own_dec u); intuition. discriminate. }
    destruct (filter old (keys b)) as [|o0 l0] eqn:Eo.
    - destruct (IHk x Hx) as [p Wp]. apply (walk_on k z k x p P Wp); auto; try lia.
      + unfold differ. rewrite Nat.eqb_refl. lia.
      + intros u Hu E. destruct (HP u Hu E) as [E1 [E2 [E3 E4]]]. split; [lia|]. rewrite E1.
        split; [exact Re|]. split; [exact E3|]. intros Ow. specialize (E4 Ow). split; [|auto].
        split; [|exact E4]. destruct (le_lt_dec (lv k) (lv u)) as [Le|Le]; [exact Le|exfalso].
        apply (proj2 (Ho u)). auto.
    - destruct (least_level (o0 :: l0) ltac:(discriminate)) as [o [Io Lo]].
      apply Ho in Io as [Ko [Po [Oo Lk]]]. destruct (HP o Ko Po) as [F1 [F2 _]].
      destruct (Jump o k Oo Hk Lk) as [J1 [J2 J3]].
      destruct (IHo o x (Own_mine o Oo) J1) as [p Wp]; [pose proof (v_start _ _ _ V o Ko); lia|].
      apply (walk_on k z o x p P Wp); auto; try lia. intros u Hu E.
      destruct (HP u Hu E) as [E1 [E2 [E3 E4]]]. split; [lia|]. rewrite E1. split; [exact Re|].
      split; [exact E3|]. intros Ow. specialize (E4 Ow). split.
      + split; [|exact E4]. destruct (le_lt_dec (lv k) (lv u)) as [Le|Le]; [lia|]. apply Lo, Ho.
        auto.
      + intros _. rewrite <- F1. apply Home; [exact Ko|].
        apply (same_unit b W y o Hy Ko); [symmetry; exact F1|]. apply init_iff in Hi.
        pose proof (v_init _ _ _ V y Hy). lia.
  Qed.

  (** *** Every instruction is reached by a walk. *)
  Theorem walk_all k z : mine k -> z <= D s k + ai s k -> exists p, walked k z p.
  Proof.
    assert (forall n k, rk k < n -> mine k -> forall z, z <= D s k + ai s k -> exists p,
      walked k z p) as A; [|intros Hk Hz; apply (A (S (rk k)) k (le_n _) Hk z Hz)]. clear k z.
    induction n as [|n IHn]; [lia|]. intros k Hn Hk z. pose proof (Mine_in k Hk) as Kk.
    assert (forall o x, mine o -> rk o < rk k -> x <= D s o + ai s o -> exists p, walked o x p)
      as IHo.
    { intros o x Ho Lo Hx. apply (IHn o); auto. lia. }
    induction z as [z IHz] using lt_wf_ind. intros Hz.
    assert (forall x, x < z -> exists p, walked k x p) as IHk by (intros x Hx; apply IHz; lia).
    destruct (le_lt_dec z (I s k)) as [Li|Li].
    - destruct (Ready k z Hk Li) as [B|[[y [z' [G1 [G2 [G3 [G4 [G5 [G6 G7]]]]]]]]|[Hz1 E]]].
      + eexists. apply (walk_base k z B).
      + destruct (IHo y z' G1 G2 G6) as [p Wp].
        apply (walk_on k z y z' p (fun _ => false) Wp); auto; try easy. lia.
      + assert (exists y, In y (keys b) /\ initiates s (z - 1) y = true /\
          reach home (core_of k) (fu (get b y)) /\ I s y <= z - 1) as [y [Y1 [Y2 [Y3 Y4]]]].
        { destruct k as [w k']. cbn [fst snd]
            in *. assert (forall f, inst m f <= n_init b s f (z - 1) -> exists y, In y (keys b) /\
            fu (get b y) = f /\ initiates s (z - 1) y = true /\ I s y <= z - 1) as Full.
          { intros f F. pose proof (proj1 M f).
            destruct (count_pos b (fun x => on b f x && initiates s (z - 1) x)) as [v [Hv P]];
              [unfold n_init in F; lia|]. apply andb_prop in P as [P1 P2]. apply on_iff in P1.
            exists v. pose proof (v_start _ _ _ V v Hv). pose proof P2 as P3. apply init_iff in P3.
            repeat split; auto. lia. }
          destruct (v_conserving _ _ _ V w k' _ Kk E) as [F|[F _]].
          - pose proof (proj2 M).
            destruct (issue_some b m s (core m w) (z - 1)) as [y [Y1 [Y2 [Y3 Y4]]]]; [lia|].
            pose proof (Home y Y1 Y4) as Hr. rewrite Y2 in Hr. pose proof (v_start _ _ _ V y Y1).
            destruct (Nat.eq_dec (D s y) (I s y)) as [Ed|Nd].
            + exists y. repeat split; auto; [|lia]. apply init_iff.
              pose proof (v_init _ _ _ V y Y1). lia.
            + destruct (Full (fu (get b y))) as [v [V1 [V2 [V3 V4]]]].
              { apply (v_asap _ _ _ V y _ Y1). unfold waits.
                rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia. }
              exists v. rewrite V2. auto.
          - destruct (Full _ F) as [v [V1 [V2 [V3 V4]]]]. exists v. rewrite V2. repeat split; auto.
            apply (Home (w, k') Kk). destruct (init (get b (w, k'))) eqn:E0; [exfalso|lia].
            destruct (v_none _ _ _ V w k' Kk E0) as [_ N]. apply (N _ E). }
        apply (walk_event k z y); auto. lia.
    - assert (1 <= init (get b k)) as Ik.
      { destruct (init (get b k)) eqn:E0; [exfalso|lia]. destruct k as [w k'].
        destruct (v_none _ _ _ V w k' Kk E0) as [N _]. pose proof (v_init _ _ _ V _ Kk). lia. }
      assert (exists y, In y (keys b) /\ initiates s (z - 1) y = true /\ fu (get b y) = fu (get b k)
        /\ I s y <= I s k) as [y [Y1 [Y2 [Y3 Y4]]]].
      { destruct (le_lt_dec (D s k) (z - 1)) as [Ld|Ld].
        - exists k. repeat split; auto. apply init_iff. lia.
        - assert (inst m (fu (get b k)) <= n_init b s (fu (get b k)) (z - 1)) as F.
          { apply (v_asap _ _ _ V k _ Kk). unfold waits.
            rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia. }
          pose proof (proj1 M (fu (get b k))).
          destruct (count_pos b (fun x => on b (fu (get b k)) x && initiates s (z - 1) x))
            as [v [Hv P]]; [unfold n_init in F; lia|]. apply andb_prop in P as [P1 P2].
          apply on_iff in P1. exists v. repeat split; auto.
          destruct (le_lt_dec (I s v) (I s k)) as [Le|Le]; [exact Le|exfalso].
          pose proof (v_fifo _ _ _ V k v Kk Hv (eq_sym P1) Le). apply init_iff in P2. lia. }
      apply (walk_event k z y); auto; try lia. rewrite Y3. apply Home; auto.
  Qed.
End Walk.
