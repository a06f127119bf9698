(** * Idle cycles of a sub-core: docs/sub-core-bounds.md, section 9, (i)

    A unit is private to a sub-core or shared by all.  A cycle is busy for a sub-core when a unit
    that its warps can use initiates.  While a thread block's section lasts there, few cycles are
    not. *)

From Warpbound Require Import Base Cycles Model Elb Largest.

Section Serial.
  Variables (m : machine) (p : block).
  (** The sub-core that has the unit to itself; [None]: all of them use it. *)
  Variable home : nat -> option nat.

  (** Unit [f] is in the reach of sub-core [c]. *)
  Definition reaches (c f : nat) : bool := match home f with None => true | Some d => d =? c end.
  (** Unit [f] belongs to sub-core [c] alone. *)
  Definition mine (c f : nat) : bool := match home f with None => false | Some d => d =? c end.
  (** Sub-cores share unit [f]. *)
  Definition shared (f : nat) : bool := match home f with None => true | Some _ => false end.

  (** A warp uses the units of its sub-core and the shared ones. *)
  Definition home_ok : Prop := forall x, In x (keys p) -> 1 <= init (get p x) ->
    reaches (core m (fst x)) (fu (get p x)) = true.

  Notation grp x := (group m (fst x)).
  Notation at_core x := (core m (fst x)).

  (** ** L_c(j)

      [z], of a section before [q], has position [k] of its warp as operand: what is issued in [q]
      finds it complete. *)
  Definition read_before (w k q : nat) : Prop :=
    exists z, In (w, z) (keys p) /\ In k (ops (get p (w, z))) /\ sec (get p (w, z)) < q.

  (** [L] is no less than any chain of latencies from the last issue of the sections before: the
      release, and what is of older sections, count from there.  From the release on, with the
      release added, it is more. *)
  Definition section_cert (L : key -> nat) : Prop := forall w k, In (w, k) (keys p) ->
    let q := sec (get p (w, k)) in
    (forall j, k = S j -> sec (get p (w, j)) = q -> L (w, j) <= L (w, k))
    /\ (forall j, In j (ops (get p (w, k))) -> sec (get p (w, j)) = q ->
         L (w, j) + lat (get p (w, j)) <= L (w, k))
    /\ (forall j, In j (ops (get p (w, k))) -> sec (get p (w, j)) < q -> lat (get p (w, j))
         <= L (w, k) \/ read_before w j q)
    /\ (forall y, In y (keys p) -> grp y = group m w -> sec (get p y) < q -> release m q
         <= L (w, k)).

  (** Of thread block [g], whose last section is [last]: in sub-core [c] section [q] is issued after
      [Q c q] idle cycles, and in the last everything is complete. *)
  Definition section_chains (L : key -> nat) (g last : nat) (Q : nat -> nat -> nat) : Prop :=
    forall w k, In (w, k) (keys p) -> group m w = g ->
      let i := get p (w, k) in
      sec i <= last
      /\ L (w, k) <= Q (core m w) (sec i)
      /\ (sec i = last -> L (w, k) + lat i <= Q (core m w) last)
      /\ (sec i < last -> lat i <= Q (core m w) last \/ read_before w k last).

  (** ** V(b)

      [e_c(j)], [u(j)]; [cs] are the sub-cores. *)
  Definition in_section (g q : nat) (x : key) : bool := (grp x =? g) && (sec (get p x) =? q).
  Definition private_work (g q c : nat) : nat :=
    sum (fun x => if in_section g q x && mine c (fu (get p x)) then init (get p x) else 0) (keys p).
  Definition shared_work (g q : nat) : nat :=
    sum (fun x => if in_section g q x && shared (fu (get p x)) then init (get p x) else 0) (keys p).
  Definition section_time (cs : list nat) (Q : nat -> nat -> nat) (g q : nat) : nat :=
    list_max (map (fun c => private_work g q c + Q c q) cs) + shared_work g q.
  Definition serial_time (cs : list nat) (Q : nat -> nat -> nat) (last g : nat) : nat :=
    sum (section_time cs Q g) (seq 0 (S last)).

  (** ** Idle cycles *)
  Variable s : schedule.
  Definition sub_busy (c t : nat) : bool := existsb (fun x => reaches c (fu (get p x))
    && initiates s t x) (keys p).
  Definition sub_idle (c t : nat) : bool := negb (sub_busy c t).
  Definition since (t0 : nat) (f : nat -> bool) (t : nat) : bool := (t0 <=? t) && f t.

  (** All that thread block [g] has of the sections before [q] is issued: [q] begins, but for the
      release. *)
  Definition opens (g q : nat) : nat :=
    max (begin s g) (list_max (map (fun y => if (grp y =? g) && (sec (get p y) <? q) then I s y
      + takes (get p y) else 0) (keys p))).

  Lemma opens_le g q t : opens g q <= t <-> begin s g <= t /\
    forall y, In y (keys p) -> grp y = g -> sec (get p y) < q -> I s y + takes (get p y) <= t.
  Proof.
    unfold opens. rewrite Nat.max_lub_iff, list_max_le, Forall_forall.
    split; intros [H1 H2]; (split; [exact H1|]).
    - intros y Hy Hg Hs. specialize (H2 _ (in_map _ _ y Hy)). cbn beta in H2.
      rewrite (proj2 (Nat.eqb_eq _ _) Hg), (proj2 (Nat.ltb_lt _ _) Hs) in H2. exact H2.
    - intros n Hn. apply in_map_iff in Hn as [y [<- Hy]].
      destruct (Nat.eqb_spec (grp y) g) as [Hg|], (Nat.ltb_spec (sec (get p y)) q) as [Hs|];
        cbn [andb]; try lia. auto.
  Qed.

  Lemma since_split t0 f n : t0 <= n -> t0 + cnt (since t0 f) n
    + cnt (since t0 (fun t => negb (f t))) n = n.
  Proof.
    induction 1 as [|n H IH].
    - rewrite !cnt_none; [lia| |]; intros t Ht; unfold since; rewrite (proj2 (Nat.leb_gt _ _) Ht);
        reflexivity.
    - cbn [cnt]. unfold since at 2 4. rewrite (proj2 (Nat.leb_le _ _) H). destruct (f n); cbn; lia.
  Qed.

  Hypotheses (M : machine_ok m) (W : wf p) (V : valid m p s) (Home : home_ok).

  Lemma init_sub_busy c x t : In x (keys p) -> reaches c (fu (get p x)) = true ->
    initiates s t x = true -> sub_busy c t = true.
  Proof. intros Hx H1 H2. apply existsb_exists. exists x. rewrite H1, H2. auto. Qed.

  Lemma full_sub_busy c f t : reaches c f = true -> inst m f <= n_init p s f t ->
    sub_busy c t = true.
  Proof.
    intros R H. pose proof (proj1 M f).
    destruct (count_pos p (fun x => on p f x && initiates s t x)) as [x [Hx Hp]].
    - unfold n_init in H. lia.
    - apply andb_prop in Hp as [Hf Hi]. apply Nat.eqb_eq in Hf. apply (init_sub_busy c x); auto.
      rewrite Hf. exact R.
  Qed.

  (** From its issue to the end of its initiation an instruction keeps a unit busy that is in the
      reach of whoever reaches its unit. *)
  Lemma issued_reach_busy c x t : In x (keys p) -> reaches c (fu (get p x)) = true ->
    I s x <= t < D s x + ai s x ->
    sub_busy c t = true.
  Proof.
    intros Hx R Ht. destruct (le_lt_dec (D s x) t) as [H|H].
    - apply (init_sub_busy c x); auto. unfold initiates.
      apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - apply (full_sub_busy c (fu (get p x))); [exact R|]. apply (v_asap _ _ _ V x t Hx).
      unfold waits. apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  Lemma issued_sub_busy x t : In x (keys p) -> I s x <= t < D s x + ai s x ->
    sub_busy (at_core x) t = true.
  Proof.
    intros Hx Ht. apply (issued_reach_busy _ x); [exact Hx| |exact Ht]. apply Home; [exact Hx|].
    destruct (le_lt_dec (D s x) t) as [H|H]; [|apply (wait_unit p m s x V Hx); lia].
    pose proof (v_init _ _ _ V x Hx). lia.
  Qed.

  Lemma issue_sub_busy x t : In x (keys p) -> I s x <= t < I s x + takes (get p x) ->
    sub_busy (at_core x) t = true.
  Proof.
    intros Hx H. apply (issued_sub_busy x); [exact Hx|].
    pose proof (v_start _ _ _ V x Hx). pose proof (v_init _ _ _ V x Hx). lia.
  Qed.

  (** Work conservation in a sub-core. *)
  Lemma eligible_sub_busy w k t : In (w, k) (keys p) -> eligible p m s w k t ->
    sub_busy (core m w) t = true.
  Proof.
    intros Hk He. destruct (v_conserving _ _ _ V w k t Hk He) as [H|[H _]].
    - pose proof (proj2 M).
      destruct (issue_some p m s (core m w) t) as [x [Hx [<- [<- Hu]]]]; [lia|].
      apply issue_sub_busy; [exact Hx|lia].
    - apply (full_sub_busy _ (fu (get p (w, k)))); [|exact H]. apply (Home (w, k) Hk).
      destruct (Nat.eq_dec (init (get p (w, k))) 0) as [Z|]; [|lia].
      destruct (v_none _ _ _ V w k Hk Z) as [_ N]. destruct (N t He).
  Qed.

  Variable L : key -> nat.
  Hypothesis HL : section_cert L.

  Section Part.
    Variables g q : nat.
    Notation t0 := (opens g q).

    (** At most [B] of the cycles from the beginning of the section to [t] are idle in [c]. *)
    Definition soon (c B t : nat) : Prop := t <= t0 + B + cnt (since t0 (sub_busy c)) t.

    Lemma soon_busy c B t u : soon c B t -> t0 <= t <= u ->
      (forall v, t <= v < u -> sub_busy c v = true) -> soon c B u.
    Proof.
      unfold soon. intros H Ht Hb. rewrite (cnt_all _ t u); [lia|lia|].
      intros v Hv. unfold since. rewrite (Hb v Hv), (proj2 (Nat.leb_le _ _)) by lia. reflexivity.
    Qed.

    Lemma soon_later c B t u d : soon c B t -> t <= u <= t + d -> soon c (B + d) u.
    Proof.
      unfold soon. intros H Hu. pose proof (cnt_mono (since t0 (sub_busy c)) t u ltac:(lia)). lia.
    Qed.

    Lemma soon_open c t : t <= t0 -> soon c 0 t.
    Proof. unfold soon. lia. Qed.

    (** What is complete, counted from its issue. *)
    Lemma soon_complete x B : In x (keys p) -> t0 <= I s x -> soon (at_core x) B (I s x) ->
      soon (at_core x) (B + lat (get p x)) (C s x).
    Proof.
      intros Hx H0 H. pose proof (v_start _ _ _ V x Hx). pose proof (v_lat _ _ _ V x Hx).
      apply (soon_later _ _ (D s x + ai s x)); [|unfold C; lia].
      apply (soon_busy _ _ (I s x)); [exact H|lia|]. intros v Hv. apply issued_sub_busy; assumption.
    Qed.

    (** Operands of older sections have their latency left at most, or nothing. *)
    Lemma soon_old x : In x (keys p) -> I s x <= t0 -> soon (at_core x) (lat (get p x)) (C s x).
    Proof.
      intros Hx H. pose proof (v_lat _ _ _ V x Hx).
      destruct (le_lt_dec (D s x + ai s x) t0) as [N|N].
      - unfold soon, C. lia.
      - apply (soon_later _ 0 (D s x + ai s x) (C s x) (lat (get p x))); [|unfold C; lia].
        apply (soon_busy _ _ t0); [apply soon_open, le_n|lia|]. intros v Hv.
        apply issued_sub_busy; [exact Hx|lia].
    Qed.

    Lemma old_issued x : In x (keys p) -> grp x = g -> sec (get p x) < q ->
      I s x + takes (get p x) <= t0.
    Proof. intros Hx Hg Hs. apply (proj1 (opens_le g q t0) (le_n _)); assumption. Qed.

    Lemma read_complete w k : group m w = g -> read_before w k q -> C s (w, k) <= t0.
    Proof.
      intros Hg [z [Hz [Ho Hs]]]. pose proof (v_ops _ _ _ V w z k Hz Ho).
      pose proof (old_issued (w, z) Hz Hg Hs). lia.
    Qed.

    (** A section is issued behind those before it. *)
    Lemma opens_before x : In x (keys p) -> grp x = g -> sec (get p x) = q -> t0 <= I s x.
    Proof.
      intros Hx Hg Hs. apply opens_le. split; [rewrite <- Hg; apply (v_begin _ _ _ V x Hx)|].
      intros y Hy Gy Sy. pose proof (v_barrier _ _ _ V x y Hx Hy ltac:(congruence) ltac:(lia)). lia.
    Qed.

    Lemma issue_soon w : group m w = g -> forall k, In (w, k) (keys p) -> sec (get p (w, k)) = q ->
      soon (core m w) (L (w, k)) (I s (w, k)).
    Proof.
      intros Hg k. induction k as [k IH] using lt_wf_ind. intros Hk Hq.
      destruct (HL w k Hk) as [L1 [L2 [L3 L4]]]. destruct (W w k Hk) as [_ [Wp Ws]].
      rewrite Hq in *. set (c := core m w).
      set (before := fun y => (grp y =? g) && (sec (get p y) <? q)).
      set (ys := t0 :: match k with 0 => [] | S j => [I s (w, j) + takes (get p (w, j))] end
             ++ map (fun j => C s (w, j)) (ops (get p (w, k)))
             ++ map (fun y => I s y + takes (get p y) + ar s g q) (filter before (keys p))).
      assert (forall y, In y ys -> y <= I s (w, k) /\ soon c (L (w, k)) y) as Y.
      { intros y Hy. unfold ys in Hy. cbn [In] in Hy. rewrite !in_app_iff, !in_map_iff in Hy.
        destruct Hy as [<-|[Hy|[[j [<- Hj]]|[z [<- Hz]]]]].
        - split; [apply (opens_before (w, k)); assumption|unfold soon; lia].
        - destruct k as [|j]; [destruct Hy|]. destruct Hy as [<-|[]].
          pose proof (v_order _ _ _ V w j Hk) as Ho. split; [exact Ho|].
          pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Kj. specialize (Ws j ltac:(lia)).
          destruct (Nat.eq_dec (sec (get p (w, j))) q) as [E|N].
          + specialize (L1 j eq_refl E). pose proof (IH j ltac:(lia) Kj E) as H.
            pose proof (opens_before (w, j) Kj Hg E).
            apply (soon_busy _ _ _ (I s (w, j) + takes (get p (w, j)))) in H;
              [unfold soon in *; fold c in H; lia|lia|]. intros v Hv.
            apply (issue_sub_busy (w, j)); [exact Kj|exact Hv].
          + pose proof (old_issued (w, j) Kj Hg ltac:(lia)). unfold soon. lia.
        - split; [apply (v_ops _ _ _ V w k j Hk Hj)|]. specialize (Wp j Hj). specialize (Ws j Wp).
          pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Kj.
          destruct (Nat.eq_dec (sec (get p (w, j))) q) as [E|N].
          + specialize (L2 j Hj E). pose proof
              (soon_complete (w, j) _ Kj (opens_before (w, j) Kj Hg E) (IH j Wp Kj E)) as H.
            cbn [fst] in H. fold c in H. unfold soon in *. lia.
          + destruct (L3 j Hj ltac:(lia)) as [Q|Q].
            * pose proof (old_issued (w, j) Kj Hg ltac:(lia)).
              pose proof (soon_old (w, j) Kj ltac:(lia)) as G. cbn [fst] in G. fold c in G.
              unfold soon in *. lia.
            * apply (read_complete w j Hg) in Q. unfold soon. lia.
        - apply filter_In in Hz as [Hz Hb]. apply andb_prop in Hb as [Gz Sz].
          apply Nat.eqb_eq in Gz. apply Nat.ltb_lt in Sz.
          pose proof (v_barrier _ _ _ V (w, k) z Hk Hz ltac:(cbn; congruence) ltac:(lia)) as Ho.
          cbn [fst] in Ho. rewrite Hg, Hq in Ho. split; [exact Ho|].
          specialize (L4 z Hz ltac:(congruence) Sz). pose proof (v_rel _ _ _ V g q).
          pose proof (old_issued z Hz Gz Sz). unfold soon. lia. }
      unfold soon. apply (walk _ _ _ ys).
      - intros y Hy _. apply Y, Hy.
      - intros y Hy Hgt. apply Y in Hy. lia.
      - intros t Ht Hys. assert (t0 <= t) as Ht0 by (apply Hys; left; reflexivity).
        unfold since. rewrite (proj2 (Nat.leb_le _ _) Ht0). apply (eligible_sub_busy w k t Hk).
        split; [exact Ht|]. split; [rewrite Hg; apply (opens_le g q), Ht0|]. split; [|split].
        + intros j ->. apply Hys. right. apply in_or_app. left. left. reflexivity.
        + intros j Hj. apply Hys. right. apply in_or_app. right. apply in_or_app. left.
          apply in_map_iff. eauto.
        + intros y Hy Gy Sy. rewrite Hg, Hq in *. apply Hys. right. apply in_or_app. right.
          apply in_or_app. right. apply in_map_iff. exists y. split; [reflexivity|].
          apply filter_In. split; [exact Hy|]. unfold before. rewrite Gy, Nat.eqb_refl.
          apply Nat.ltb_lt, Sy.
    Qed.
  End Part.

  (** *** (i) From the last issue of the sections before to the issue of an instruction at most [L]
      cycles are idle in its sub-core, whatever other thread blocks the SM holds. *)
  Theorem section_idle x : In x (keys p) ->
    cnt (since (opens (grp x) (sec (get p x))) (sub_idle (at_core x))) (I s x + takes (get p x))
      <= L x.
  Proof.
    intros Hx. set (t0 := opens _ _). destruct x as [w k].
    pose proof (issue_soon _ _ w eq_refl k Hx eq_refl) as H.
    pose proof (opens_before _ _ (w, k) Hx eq_refl eq_refl) as H0.
    apply (soon_busy _ _ _ _ _ (I s (w, k) + takes (get p (w, k)))) in H; [|cbn [fst] in *; lia|].
    - cbn [fst] in *. fold t0 in H, H0. pose proof (since_split t0 (sub_busy (core m w))
        (I s (w, k) + takes (get p (w, k))) ltac:(lia)). unfold soon in H. fold t0 in H.
      unfold sub_idle. lia.
    - intros v Hv. apply (issue_sub_busy (w, k)); assumption.
  Qed.

  (** The same in the last section, to the completion of all that was issued. *)
  Theorem last_idle g last Q x : section_chains L g last Q -> In x (keys p) -> grp x = g ->
    cnt (since (opens g last) (sub_idle (at_core x))) (C s x) <= Q (at_core x) last.
  Proof.
    intros HQ Hx Hg. destruct x as [w k]. cbn [fst] in *.
    destruct (HQ w k Hx Hg) as [H1 [_ [H2 H3]]]. set (t0 := opens g last).
    assert (soon g last (core m w) (Q (core m w) last) (C s (w, k))) as H.
    { destruct (Nat.eq_dec (sec (get p (w, k))) last) as [E|N].
      - specialize (H2 E). pose proof (soon_complete g last (w, k) _ Hx
          (opens_before g last (w, k) Hx Hg E) (issue_soon g last w Hg k Hx E)) as G.
        cbn [fst] in G. unfold soon in *. lia.
      - destruct (H3 ltac:(lia)) as [R|R].
        + pose proof (old_issued g last (w, k) Hx Hg ltac:(lia)).
          pose proof (soon_old g last (w, k) Hx ltac:(lia)) as G. cbn [fst] in G. unfold soon in *.
          lia.
        + apply (read_complete g last w k Hg) in R. unfold soon. lia. }
    destruct (le_lt_dec t0 (C s (w, k))) as [N|N].
    - pose proof (since_split t0 (sub_busy (core m w)) _ N). unfold soon in H. fold t0 in H.
      unfold sub_idle. lia.
    - rewrite cnt_none; [lia|]. intros t Ht. unfold since. fold t0.
      rewrite (proj2 (Nat.leb_gt _ _)) by lia. reflexivity.
  Qed.
End Serial.
