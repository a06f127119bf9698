(** * The cycles in which an SM holds a thread block: docs/sub-core-bounds.md, section 9, (ii)

    What a sub-core has left to do: of sections that have begun what is left to initiate in its
    reach, and the idle cycles that a section that lasts there may still have; of those that have
    not begun their term of V. In every cycle in which some thread block is on the SM the sub-core
    with the most left has less afterwards. *)

From Warpbound Require Import Base Cycles Largest Model Elb Serial.

Lemma sum_lt {A} (f g : A -> nat) l x : (forall y, In y l -> f y <= g y) -> In x l -> f x < g x ->
  sum f l < sum g l.
Proof.
  intros H Hx Lt. induction l as [|y l IH]; [destruct Hx|]. rewrite !sum_cons.
  destruct Hx as [->|Hx].
  - pose proof (sum_le f g l (fun y Hy => H y (or_intror Hy))). lia.
  - specialize (IH (fun y Hy => H y (or_intror Hy)) Hx). specialize (H y (or_introl eq_refl)). lia.
Qed.

Section Potential.
  Variables (m : machine) (p : block) (home : nat -> option nat) (s : schedule) (L : key -> nat).
  Variables (last : nat -> nat) (Q : nat -> nat -> nat -> nat) (cs : list nat).
  Hypotheses (M : machine_ok m) (W : wf p) (V : valid m p s) (Home : home_ok m p home).
  Hypothesis HL : section_cert m p L.
  Hypothesis HQ : forall g, section_chains m p L g (last g) (Q g).
  Hypothesis Cores : forall x, In x (keys p) -> In (core m (fst x)) cs.

  Notation grp x := (group m (fst x)).
  Notation at_core x := (core m (fst x)).
  Notation open := (opens m p s).
  Notation idle_c := (sub_idle p home s).
  Notation busy_c := (sub_busy p home s).

  (** What is left to initiate, by the stated time until the initiation has ended. *)
  Definition left_of (t : nat) (x : key) : nat :=
    if D s x + ai s x <=? t then 0 else init (get p x) - (t - D s x).
  Definition counts (c g q : nat) (x : key) : bool :=
    in_section m p g q x && reaches home c (fu (get p x)).
  Definition work_left (c g q t : nat) : nat :=
    sum (fun x => if counts c g q x then left_of t x else 0) (keys p).

  (** Section [q] of thread block [g] lasts in [c]: something of it is not issued there; in the last
      section something is not complete. *)
  Definition lasts (g q c t : nat) : bool :=
    existsb (fun x => (grp x =? g) && (at_core x =? c)
      && ((sec (get p x) =? q) && (t <? I s x + takes (get p x)) || (q =? last g) && (t <? C s x)))
        (keys p).
  Definition idle_left (c g q t : nat) : nat :=
    if lasts g q c t then Q g c q - cnt (since (open g q) (idle_c c)) t else 0.

  (** What is left of section [q] in cycle [t]. *)
  Definition part_left (c t g q : nat) : nat :=
    if open g q <=? t then work_left c g q t + idle_left c g q t else section_time m p home cs
      (Q g) g q.

  Lemma lasts_iff g q c t : lasts g q c t = true <-> exists x, In x (keys p) /\ grp x = g /\
    at_core x = c
    /\ (sec (get p x) = q /\ t < I s x + takes (get p x) \/ q = last g /\ t < C s x).
  Proof.
    unfold lasts. rewrite existsb_exists. split; intros [x H]; exists x;
      rewrite ?andb_true_iff, ?orb_true_iff, ?andb_true_iff, ?Nat.eqb_eq, ?Nat.ltb_lt in *; tauto.
  Qed.

  Lemma initiates_iff t x : initiates s t x = true <-> D s x <= t < D s x + ai s x.
  Proof. unfold initiates. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. tauto. Qed.

  Lemma left_falls t x : left_of (S t) x <= left_of t x.
  Proof.
    unfold left_of.
    destruct (Nat.leb_spec (D s x + ai s x) (S t)), (Nat.leb_spec (D s x + ai s x) t); lia.
  Qed.

  Lemma left_busy t x : In x (keys p) -> initiates s t x = true -> left_of (S t) x < left_of t x.
  Proof.
    intros Hx H. apply initiates_iff in H. pose proof (v_init _ _ _ V x Hx). unfold left_of.
    destruct (Nat.leb_spec (D s x + ai s x) (S t)), (Nat.leb_spec (D s x + ai s x) t); lia.
  Qed.

  Lemma work_falls c g q t : work_left c g q (S t) <= work_left c g q t.
  Proof. apply sum_le. intros x _. destruct (counts c g q x); [apply left_falls|lia]. Qed.

  Lemma lasts_before g q c t : lasts g q c (S t) = true -> lasts g q c t = true.
  Proof.
    rewrite !lasts_iff. intros [x [H1 [H2 [H3 H4]]]]. exists x. repeat split; auto.
    destruct H4 as [H4|H4]; [left|right]; lia.
  Qed.

  Lemma idle_falls c g q t : idle_left c g q (S t) <= idle_left c g q t.
  Proof.
    unfold idle_left. destruct (lasts g q c (S t)) eqn:E; [|lia]. rewrite (lasts_before _ _ _ _ E).
    pose proof (cnt_mono (since (open g q) (idle_c c)) t (S t) ltac:(lia)). lia.
  Qed.

  (** A section begins with no more than its term. *)
  Lemma begins_with c g q t : In c cs -> work_left c g q t + idle_left c g q t
    <= section_time m p home cs (Q g) g q.
  Proof.
    intros Hc.
    assert (work_left c g q t <= private_work m p home g q c + shared_work m p home g q) as A.
    { unfold work_left, private_work, shared_work. rewrite <- sum_add. apply sum_le. intros x _.
      unfold counts.
      assert (left_of t x <= init (get p x)) by (unfold left_of; destruct (_ <=? _); lia).
      destruct (in_section m p g q x); cbn [andb]; [|lia]. unfold reaches, mine, shared.
      destruct (home (fu (get p x))) as [d|]; [destruct (d =? c)|]; lia. }
    assert (idle_left c g q t <= Q g c q) by (unfold idle_left; destruct (lasts _ _ _ _); lia).
    unfold section_time.
    pose proof (list_max_in_ge (fun c => private_work m p home g q c + Q g c q) cs c Hc).
    cbn beta in *. lia.
  Qed.

  Lemma part_falls c g q t : In c cs -> part_left c (S t) g q <= part_left c t g q.
  Proof.
    intros Hc. unfold part_left. pose proof (work_falls c g q t). pose proof (idle_falls c g q t).
    pose proof (begins_with c g q (S t) Hc).
    destruct (Nat.leb_spec (open g q) t), (Nat.leb_spec (open g q) (S t)); lia.
  Qed.

  (** A sub-core that is busy does some of what it has left. *)
  Lemma part_busy c x t : In x (keys p) -> reaches home c (fu (get p x)) = true ->
    initiates s t x = true ->
    part_left c (S t) (grp x) (sec (get p x)) < part_left c t (grp x) (sec (get p x)).
  Proof.
    intros Hx R Hi. pose proof (opens_before m p s V _ _ x Hx eq_refl eq_refl) as O.
    pose proof (v_start _ _ _ V x Hx). pose proof (proj1 (initiates_iff t x) Hi) as Ht.
    unfold part_left. rewrite !(proj2 (Nat.leb_le _ _)) by lia.
    pose proof (idle_falls c (grp x) (sec (get p x)) t).
    enough (work_left c (grp x) (sec (get p x)) (S t) < work_left c (grp x) (sec (get p x)) t)
      by lia. apply (sum_lt _ _ _ x); [|exact Hx|].
    - intros y _. destruct (counts c _ _ y); [apply left_falls|lia].
    - unfold counts, in_section. rewrite !Nat.eqb_refl, R. cbn [andb]. apply left_busy; assumption.
  Qed.

  Lemma idle_counted g q c t : open g q <= t -> busy_c c t = false ->
    cnt (since (open g q) (idle_c c)) (S t) = cnt (since (open g q) (idle_c c)) t + 1.
  Proof.
    intros O B. cbn [cnt]. unfold since at 2, sub_idle at 2. rewrite B, (proj2 (Nat.leb_le _ _) O).
    reflexivity.
  Qed.

  (** While a section lasts in an idle sub-core it may have some idle cycles more: (i). *)
  Lemma idle_some g q c t : lasts g q c t = true -> open g q <= t -> busy_c c t = false ->
    cnt (since (open g q) (idle_c c)) t < Q g c q.
  Proof.
    intros HL' O B. apply lasts_iff in HL' as [x [Hx [Hg [Hc H]]]].
    pose proof (idle_counted g q c t O B) as E.
    destruct H as [[Hs Ht]|[-> Ht]].
    - pose proof (section_idle m p home s M W V Home L HL x Hx) as A. rewrite Hg, Hs, Hc in A.
      pose proof (cnt_mono (since (open g q) (idle_c c)) (S t) _ Ht). destruct x as [w k].
      destruct (HQ g w k Hx Hg) as [_ [A2 _]]. cbn [fst] in Hc. rewrite Hc, Hs in A2. lia.
    - pose proof (last_idle m p home s M W V Home L HL g (last g) (Q g) x (HQ g) Hx Hg) as A.
      rewrite Hc in A. pose proof (cnt_mono (since (open g (last g)) (idle_c c)) (S t) _ Ht). lia.
  Qed.

  Lemma part_idle g q c t : lasts g q c t = true -> open g q <= t -> busy_c c t = false ->
    part_left c (S t) g q < part_left c t g q.
  Proof.
    intros HL' O B. pose proof (idle_some g q c t HL' O B) as A. unfold part_left.
    rewrite !(proj2 (Nat.leb_le _ _)) by lia. pose proof (work_falls c g q t).
    enough (idle_left c g q (S t) < idle_left c g q t) by lia.
    unfold idle_left. rewrite HL', idle_counted by assumption. destruct (lasts g q c (S t)); lia.
  Qed.

  Lemma shared_reached d f : shared home f = true -> reaches home d f = true.
  Proof. unfold reaches, shared. destruct (home f); [discriminate|reflexivity]. Qed.

  Section Other.
    (** An idle sub-core in which nothing lasts: what it has left is work on shared units, and
        others have as much. *)
    Variables c t : nat.
    Hypothesis B : busy_c c t = false.
    Hypothesis N : forall g q, open g q <= t -> lasts g q c t = false.

    Lemma left_elsewhere x : In x (keys p) -> open (grp x) (sec (get p x)) <= t ->
      reaches home c (fu (get p x)) = true ->
      left_of t x = 0 \/ shared home (fu (get p x)) = true.
    Proof.
      intros Hx O R. destruct (le_lt_dec (D s x + ai s x) t) as [L1|L1];
        [left; unfold left_of; rewrite (proj2 (Nat.leb_le _ _) L1); lia|].
      destruct (Nat.eq_dec (init (get p x)) 0) as [Z|Z];
        [left; unfold left_of; rewrite Z; destruct (_ <=? _); lia|right]. assert (t < I s x) as L2.
      { destruct (le_lt_dec (I s x) t) as [L2|]; [|assumption].
        pose proof (issued_reach_busy m p home s M V c x t Hx R ltac:(lia)). congruence. }
      pose proof (Home x Hx ltac:(lia)) as Hr. unfold reaches, shared in *.
      destruct (home (fu (get p x))) as [e|]; [|reflexivity]. apply Nat.eqb_eq in R, Hr.
      specialize (N _ _ O). apply not_true_iff_false in N. destruct N. apply lasts_iff. exists x.
      split; [exact Hx|]. split; [reflexivity|]. split; [congruence|]. left.
      split; [reflexivity|lia].
    Qed.

    Lemma work_elsewhere d g q : open g q <= t -> work_left c g q t <= work_left d g q t.
    Proof.
      intros O. apply sum_le. intros x Hx. unfold counts, in_section.
      destruct (Nat.eqb_spec (grp x) g) as [<-|]; [|cbn; lia].
      destruct (Nat.eqb_spec (sec (get p x)) q) as [<-|]; [|cbn; lia]. cbn [andb].
      destruct (reaches home c (fu (get p x))) eqn:R; [|lia].
      destruct (left_elsewhere x Hx O R) as [->|Sh]; [lia|]. rewrite (shared_reached d _ Sh). lia.
    Qed.

    Lemma part_elsewhere d g q : part_left c t g q <= part_left d t g q.
    Proof.
      unfold part_left. destruct (Nat.leb_spec (open g q) t) as [O|O]; [|apply le_n].
      unfold idle_left at 1. rewrite (N g q O). pose proof (work_elsewhere d g q O). lia.
    Qed.

    (** Where something lasts there is more left: an idle cycle, or what initiates on a private
        unit. *)
    Lemma more_idle d g q : lasts g q d t = true -> open g q <= t -> busy_c d t = false ->
      part_left c t g q < part_left d t g q.
    Proof.
      intros HL' O Bd. pose proof (idle_some g q d t HL' O Bd). pose proof (work_elsewhere d g q O).
      unfold part_left, idle_left. rewrite (proj2 (Nat.leb_le _ _) O), HL', (N g q O). lia.
    Qed.

    Lemma more_busy d x : In x (keys p) -> reaches home d (fu (get p x)) = true ->
      initiates s t x = true ->
      part_left c t (grp x) (sec (get p x)) < part_left d t (grp x) (sec (get p x)).
    Proof.
      intros Hx R Hi. pose proof (opens_before m p s V _ _ x Hx eq_refl eq_refl) as O.
      pose proof (v_start _ _ _ V x Hx). pose proof (proj1 (initiates_iff t x) Hi) as Ht.
      assert (open (grp x) (sec (get p x)) <= t) as O' by lia. unfold part_left, idle_left.
      rewrite (proj2 (Nat.leb_le _ _) O'), (N _ _ O').
      enough (work_left c (grp x) (sec (get p x)) t < work_left d (grp x) (sec (get p x)) t)
        by (destruct (lasts _ _ d t); lia). apply (sum_lt _ _ _ x); [|exact Hx|].
      - intros y Hy. unfold counts, in_section.
        destruct (Nat.eqb_spec (grp y) (grp x)) as [Eg|]; [|cbn; lia].
        destruct (Nat.eqb_spec (sec (get p y)) (sec (get p x))) as [Eq|]; [|cbn; lia].
        cbn [andb]. destruct (reaches home c (fu (get p y))) eqn:Ry; [|lia].
        destruct (left_elsewhere y Hy ltac:(rewrite Eg, Eq; exact O') Ry) as [->|Sh]; [lia|].
        rewrite (shared_reached d _ Sh). lia.
      - unfold counts, in_section. rewrite !Nat.eqb_refl, R. cbn [andb].
        destruct (reaches home c (fu (get p x))) eqn:Rc.
        + rewrite (init_sub_busy p home s c x t Hx Rc Hi) in B. discriminate.
        + pose proof (left_busy t x Hx Hi). lia.
    Qed.
  End Other.

  (** ** The sum over all thread blocks [gs], in the sub-core that has the most *)
  Variable gs : list nat.
  Definition phi (c t : nat) : nat := sum (fun g => sum (part_left c t g) (seq 0 (S (last g)))) gs.
  Definition most_left (t : nat) : nat := list_max (map (fun c => phi c t) cs).

  Lemma in_sections g q : q <= last g -> In q (seq 0 (S (last g))).
  Proof. intros. apply in_seq. lia. Qed.

  Lemma phi_le c d t u : (forall g q, part_left c t g q <= part_left d u g q) -> phi c t <= phi d u.
  Proof. intros H. apply sum_le. intros g _. apply sum_le. intros q _. apply H. Qed.

  Lemma phi_lt c d t u g q : (forall g q, part_left c t g q <= part_left d u g q) ->
    In g gs -> q <= last g -> part_left c t g q < part_left d u g q -> phi c t < phi d u.
  Proof.
    intros H Hg Hq Lt. apply (sum_lt _ _ _ g); [intros y _; apply sum_le; auto|exact Hg|].
    apply (sum_lt _ _ _ q); [intros y _; apply H|apply in_sections, Hq|exact Lt].
  Qed.

  (** A thread block is on the SM from its start until all of it is complete. *)
  Definition on_sm (t : nat) (x : key) : bool := (begin s (grp x) <=? t) && (t <? C s x).
  Definition present (t : nat) : bool := existsb (on_sm t) (keys p).

  Lemma on_sm_iff t x : on_sm t x = true <-> begin s (grp x) <= t < C s x.
  Proof. unfold on_sm. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. tauto. Qed.

  Lemma initiates_here t x : In x (keys p) -> initiates s t x = true -> t < C s x.
  Proof. intros Hx H. apply initiates_iff in H. unfold C. lia. Qed.

  Lemma in_last x : In x (keys p) -> sec (get p x) <= last (grp x).
  Proof. intros Hx. destruct x as [w k]. apply (HQ _ w k Hx eq_refl). Qed.

  Lemma lasts_here g q c t : lasts g q c t = true -> q <= last g /\ exists x, In x (keys p) /\
    grp x = g /\ t < C s x.
  Proof.
    intros H. apply lasts_iff in H as [x [Hx [<- [_ H]]]]. pose proof (in_last x Hx).
    pose proof (v_start _ _ _ V x Hx). pose proof (v_init _ _ _ V x Hx).
    split; [|exists x; split; [exact Hx|split; [reflexivity|unfold C in *]]]; destruct H
      as [[A1 A2]|[A1 A2]]; lia.
  Qed.

  (** Some section of a thread block on the SM has begun and lasts in some sub-core. *)
  Lemma not_open g t : begin s g <= t -> forall q, t < open g q ->
    exists q' y, In y (keys p) /\ grp y = g /\ open g q' <= t /\ lasts g q' (at_core y) t = true.
  Proof.
    intros Hb q. induction q as [q IH] using lt_wf_ind. intros Hq.
    destruct (existsb (fun y => (grp y =? g) && (sec (get p y) <? q)
      && (t <? I s y + takes (get p y))) (keys p)) eqn:E.
    - apply existsb_exists in E as [y [Hy E]]. rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt in E.
      destruct E as [[E1 E2] E3].
      destruct (le_lt_dec (open g (sec (get p y))) t) as [O|O]; [|apply (IH _ E2 O)].
      exists (sec (get p y)), y. split; [exact Hy|]. split; [exact E1|]. split; [exact O|].
      apply lasts_iff. exists y. auto 10.
    - exfalso. assert (open g q <= t); [|lia]. apply opens_le. split; [exact Hb|].
      intros y Hy Gy Sy.
      destruct (le_lt_dec (I s y + takes (get p y)) t) as [L1|L1]; [exact L1|exfalso].
      apply not_true_iff_false in E. apply E, existsb_exists. exists y. split; [exact Hy|].
      rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt. auto.
  Qed.

  Lemma some_lasts t x : In x (keys p) -> on_sm t x = true ->
    exists q y, In y (keys p) /\ open (grp x) q <= t /\ lasts (grp x) q (at_core y) t = true.
  Proof.
    intros Hx H. apply on_sm_iff in H as [H1 H2].
    destruct (le_lt_dec (open (grp x) (last (grp x))) t) as [O|O].
    - exists (last (grp x)), x. split; [exact Hx|]. split; [exact O|]. apply lasts_iff. exists x.
      auto 10.
    - destruct (not_open (grp x) t H1 _ O) as [q [y [Hy [_ H]]]]. exists q, y. tauto.
  Qed.

  Section Cycle.
    Variable t : nat.
    Hypothesis Here : forall x, In x (keys p) -> t < C s x -> In (grp x) gs.

    Lemma lasts_in g q c : lasts g q c t = true -> In g gs /\ q <= last g.
    Proof. intros H. apply lasts_here in H as [Hq [x [Hx [<- Ht]]]]. auto. Qed.

    Lemma phi_most c : In c cs -> phi c t <= most_left t.
    Proof. apply (list_max_in_ge (fun c => phi c t)). Qed.

    Lemma phi_step c : In c cs -> phi c (S t) <= phi c t.
    Proof. intros Hc. apply phi_le. intros g q. apply part_falls, Hc. Qed.

    (** Every sub-core with the most left has less afterwards. *)
    Lemma phi_falls c : present t = true -> In c cs -> phi c (S t) < most_left t.
    Proof.
      intros Pt Hc. pose proof (fun g q => part_falls c g q t Hc) as F. pose proof (phi_most c Hc).
      destruct (busy_c c t) eqn:B.
      - apply existsb_exists in B as [x [Hx B]]. apply andb_prop in B as [R Hi].
        enough (phi c (S t) < phi c t) by lia.
        apply (phi_lt c c (S t) t (grp x) (sec (get p x)) F);
          [|apply in_last, Hx|apply part_busy; assumption]. apply Here; [exact Hx|].
        apply initiates_here; assumption.
      - destruct (existsb (fun g => existsb (fun q => (open g q <=? t) && lasts g q c t)
          (seq 0 (S (last g)))) gs) eqn:E.
        + apply existsb_exists in E as [g [Hg E]]. apply existsb_exists in E as [q [Hq E]].
          apply andb_prop in E as [O E]. apply Nat.leb_le in O.
          enough (phi c (S t) < phi c t) by lia.
          apply (phi_lt c c (S t) t g q F Hg);
            [apply in_seq in Hq; lia|apply part_idle; assumption].
        + assert (forall g q, open g q <= t -> lasts g q c t = false) as N.
          { intros g q O. apply not_true_is_false. intros X. apply not_true_iff_false in E. apply E.
            destruct (lasts_in g q c X) as [Hg Hq]. apply existsb_exists. exists g.
            split; [exact Hg|]. apply existsb_exists. exists q.
            rewrite X, (proj2 (Nat.leb_le _ _) O). split; [apply in_sections, Hq|reflexivity]. }
          apply existsb_exists in Pt as [x [Hx Hon]].
          destruct (some_lasts t x Hx Hon) as [q [y [Hy [O X]]]]. pose proof (Cores y Hy) as Hd.
          set (d := at_core y) in *. pose proof (phi_most d Hd). pose proof (phi_step c Hc).
          pose proof (fun g q => part_elsewhere c t B N d g q) as G.
          enough (phi c t < phi d t) by lia. destruct (lasts_in _ _ _ X) as [Hg Hq].
          destruct (busy_c d t) eqn:Bd.
          * apply existsb_exists in Bd as [z [Hz Bd]]. apply andb_prop in Bd as [R Hi].
            apply (phi_lt c d t t (grp z) (sec (get p z)) G);
              [|apply in_last, Hz|apply more_busy; assumption]. apply Here; [exact Hz|].
            apply initiates_here; assumption.
          * apply (phi_lt c d t t (grp x) q G Hg Hq). apply more_idle; assumption.
    Qed.

    Lemma most_step : most_left (S t) <= most_left t.
    Proof.
      apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [c [<- Hc]].
      etransitivity; [apply phi_step, Hc|apply phi_most, Hc].
    Qed.

    Lemma most_falls : present t = true -> most_left (S t) < most_left t.
    Proof.
      intros Pt. pose proof Pt as P'. apply existsb_exists in P' as [x [Hx _]].
      pose proof (phi_falls _ Pt (Cores x Hx)). enough (most_left (S t) <= most_left t - 1) by lia.
      apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [c [<- Hc]].
      pose proof (phi_falls c Pt Hc). lia.
    Qed.
  End Cycle.

  Lemma most_begin t : most_left t <= sum (fun g => serial_time m p home cs (Q g) (last g) g) gs.
  Proof.
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [c [<- Hc]]. apply sum_le.
    intros g _. apply sum_le. intros q _. unfold part_left. pose proof (begins_with c g q t Hc).
    destruct (_ <=? _); lia.
  Qed.

  (** *** The heart of theorem 5.  From cycle [T] on an SM holds thread blocks, that do not pass a
      dispatch latency, in no more cycles than V of those that have not ended by [T], whatever they
      do when. *)
  Theorem serial_cycles T N : (forall x, In x (keys p) -> T < C s x -> In (grp x) gs) ->
    cnt (since T present) N <= sum (fun g => serial_time m p home cs (Q g) (last g) g) gs.
  Proof.
    intros Here. destruct (le_lt_dec T N) as [H|H].
    - enough (cnt (since T present) N + most_left N <= most_left T)
        by (pose proof (most_begin T); lia). induction H as [|N H IH].
      + rewrite cnt_none; [lia|]. intros t Ht. unfold since. rewrite (proj2 (Nat.leb_gt _ _) Ht).
        reflexivity.
      + cbn [cnt]. assert (forall x, In x (keys p) -> N < C s x -> In (grp x) gs) as Hn
          by (intros x Hx Hc; apply Here; [exact Hx|lia]). unfold since at 2.
        rewrite (proj2 (Nat.leb_le _ _) H). cbn [andb]. destruct (present N) eqn:E.
        * pose proof (most_falls N Hn E). lia.
        * pose proof (most_step N). lia.
    - rewrite cnt_none; [lia|]. intros t Ht. unfold since. rewrite (proj2 (Nat.leb_gt _ _)) by lia.
      reflexivity.
  Qed.
End Potential.
