(** * Every wave potential is a bound (docs/wave-bounds.md, section 3: the lemma)

    By induction in the order of sections and, in a warp, of the program:
    - for every t <= I(x):  t <= t0 + pI(x) of what was issued before t;
    - D(x) <= t0 + pD(x) of what was issued before x, or with it on its unit and started before
      it. *)

From Warpbound Require Import Base Cycles Model Instances Queue Potential WavePotential.

Section WaveBound.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat) (there : nat -> bool).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (Begun : begin s g <= t0).
  (* who is not there has ended by [t0], or comes when [g] has ended *)
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g ->
    there (group m (fst y)) = false ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.
  Variables (F : nat -> nat -> nat -> bool) (Q : nat -> nat -> nat -> nat)
    (pI pD : key -> progress -> nat).
  Hypotheses (P : wave_potential m b g there F Q pI pD) (Queues : wave_queues_ok m b g there s F Q).

  Notation ours := (of m b g).
  Notation met := (met m b g there).
  Notation meets := (meets m b g there).

  (** Up to its issue [x] is no later than its potential. *)
  Definition timely_I (x : key) : Prop := forall t, t <= I s x -> t <= t0 + pI x (issued b s t).
  (** The start of [x] is no later than its potential. *)
  Definition timely_D (x : key) : Prop := D s x <= t0 + pD x (ahead b s x).

  Lemma start_le x J : ours x -> pI x J <= pD x J.
  Proof. intros H. pose proof (w_start _ _ _ _ _ _ _ _ P x J H). lia. Qed.

  Lemma mono_I x J J' : reaches J J' -> pI x J <= pI x J'.
  Proof. intros R. apply (w_mono _ _ _ _ _ _ _ _ P x J J' R). Qed.

  Lemma mono_D x J J' : reaches J J' -> pD x J <= pD x J'.
  Proof. intros R. apply (w_mono _ _ _ _ _ _ _ _ P x J J' R). Qed.

  (** What is under way at [t0] or later and was issued no later than [x] is of an older section,
      the warp's own, or can be met. *)
  Lemma classes x y : ours x -> 1 <= init (get b x) -> In y (keys b) -> I s y <= I s x ->
    t0 < C s y ->
    (ours y /\ sec (get b y) < sec (get b x))
    \/ (fst y = fst x /\ sec (get b y) = sec (get b x))
    \/ meets (fst x) (sec (get b x)) y = true.
  Proof.
    intros [Hx Gx] Ix Hy L Ht. destruct (Nat.eq_dec (group m (fst y)) g) as [G|G].
    - destruct (lt_eq_lt_dec (sec (get b y)) (sec (get b x))) as [[S|S]|S].
      + left. split; [split; assumption|exact S].
      + destruct (Nat.eq_dec (fst y) (fst x)) as [E|N]; [auto|]. right. right. apply meets_iff.
        auto.
      + exfalso. pose proof (v_barrier _ _ _ V y x Hy Hx (eq_trans Gx (eq_sym G)) S). lia.
    - right. right. apply meets_iff. split; [congruence|]. right. split; [exact G|].
      destruct (there (group m (fst y))) eqn:E; [reflexivity|exfalso].
      destruct (Away y Hy G E) as [A|A]; [lia|]. specialize (A x (conj Hx Gx)).
      pose proof (v_start _ _ _ V x Hx). pose proof (v_init _ _ _ V x Hx). unfold C in A. lia.
  Qed.

  Lemma own_order w j k : ours (w, k) -> In (w, j) (keys b) -> I s (w, j) < I s (w, k) -> j < k.
  Proof.
    intros [Hk _] Hj L. destruct (le_lt_dec k j) as [N|N]; [exfalso|exact N].
    destruct (Nat.eq_dec j k) as [->|N']; [lia|]. pose proof (order_le m b s V w j k Hj ltac:(lia)).
    lia.
  Qed.

  Lemma own_key w j k : ours (w, k) -> j <= k -> ours (w, j).
  Proof. intros [Hk Gk] L. split; [eapply keys_before; eassumption|exact Gk]. Qed.

  (** Behind an edge from D(o) to I(x); in order, as it may be a jump. *)
  Lemma edge_late o x e t : ours o -> timely_I o -> timely_D o ->
    (forall J, in_order m b J -> pD o J + e <= pI x J) -> t <= D s o + e ->
    t <= t0 + pI x (issued b s t).
  Proof.
    intros So A B E Ht. destruct (le_lt_dec t (I s o)) as [L|L].
    - specialize (A t L). specialize (E _ (issued_in_order m b s V t)).
      pose proof (start_le o (issued b s t) So). lia.
    - unfold timely_D in B. specialize (E _ (ahead_in_order m b s V o)).
      pose proof (mono_I x _ _ (ahead_issued b s o t L)). lia.
  Qed.

  Lemma jump_late o x t : ours x -> ours o -> sec (get b o) < sec (get b x) -> timely_I o ->
    timely_D o ->
    t <= C s o + release m (sec (get b x)) -> t <= t0 + pI x (issued b s t).
  Proof.
    intros Hx Ho L A B Ht. pose proof (v_init _ _ _ V o (proj1 Ho)).
    pose proof (v_lat _ _ _ V o (proj1 Ho)). apply (edge_late o x (init (get b o) + lat (get b o)
      + release m (sec (get b x))) t Ho A B); [|unfold C in Ht; lia]. intros J O.
    pose proof (w_jump _ _ _ _ _ _ _ _ P x o J Hx Ho L O). lia.
  Qed.

  (** Behind a cycle in which an instruction that is met took the slot or the unit. *)
  Lemma met_issued x y t t' : In y (keys b) -> meets (fst x) (sec (get b x)) y = true ->
    t <= I s y < t' ->
    met (fst x) (sec (get b x)) (issued b s t) (issued b s t') y.
  Proof.
    intros Hy Me L. split; [exact Hy|]. split; [exact Me|]. split; [apply issued_mono; lia|]. split.
    - split; [|apply issued_gt; [exact Hy|lia]].
      etransitivity; [apply (issued_mono b s t (I s y)); lia|]. apply (issued_self m); assumption.
    - split; apply (issued_in_order m); exact V.
  Qed.

  Lemma rival_late x y t : ours x -> 1 <= init (get b x) -> In y (keys b) ->
    meets (fst x) (sec (get b x)) y = true -> I s y < t -> t <= I s y + charge_I m b x y ->
    (forall t', t' < t -> t' <= t0 + pI x (issued b s t')) -> t <= t0 + pI x (issued b s t).
  Proof.
    intros Hx Ix Hy Me L HC IH. specialize (IH _ L).
    pose proof (w_charge_I _ _ _ _ _ _ _ _ P x y _ _ Hx Ix
      (met_issued x y (I s y) t Hy Me ltac:(lia))). lia.
  Qed.

  (** Several that are met, [c] for each, the last issued first. *)
  Lemma charge_all x c t : of m b g x -> 1 <= init (get b x) -> forall n l, length l = n ->
    NoDup l ->
    forall J, reaches (issued b s t) J -> in_order m b J ->
    (forall y, In y l -> In y (keys b) /\ meets (fst x) (sec (get b x)) y = true /\ 1
      <= init (get b y)
       /\ t <= I s y /\ snd y < J (fst y) /\ c <= charge_I m b x y) ->
    pI x (issued b s t) + n * c <= pI x J.
  Proof.
    intros Hx Ix. induction n as [|n IH]; intros l Hn Nl J R O H.
    - pose proof (mono_I x _ _ R). lia.
    - destruct (latest (I s) l) as [y [Hy Ly]]; [destruct l; discriminate|].
      apply in_split in Hy as [l1 [l2 ->]]. rewrite app_length in Hn. simpl in Hn.
      pose proof (NoDup_remove _ _ _ Nl) as [Nl' Ny].
      destruct (H y ltac:(apply in_elt)) as [Ky [My [Iy [Ty [Jy Cy]]]]].
      set (J1 := fun u => min (J u) (issued b s (S (I s y)) u)).
      set (J2 := fun u => if u =? fst y then min (J1 u) (snd y) else J1 u).
      assert (in_order m b J2) as O2.
      { apply (without_in_order m b s V J1 y Ky Iy).
        - apply least_in_order; [exact O|apply (issued_in_order m); exact V].
        - intros u. unfold J1. lia. }
      assert (reaches J2 J) as R2.
      { intros u. unfold J2, J1. destruct (u =? fst y); lia. }
      assert (pI x (issued b s t) + n * c <= pI x J2) as A.
      { apply (IH (l1 ++ l2) ltac:(rewrite app_length; lia) Nl' J2).
        - intros u. specialize (R u). pose proof (issued_mono b s t (S (I s y)) ltac:(lia) u).
          unfold J2, J1. destruct (Nat.eqb_spec u (fst y)) as [->|]; [|lia].
          pose proof (issued_mono b s t (I s y) Ty (fst y)). pose proof (issued_self m b s V y Ky).
          lia.
        - exact O2.
        - intros z Hz. assert (In z (l1 ++ y :: l2)) as Hz'.
          { apply in_app_iff. apply in_app_iff in Hz as [Hz|Hz]; [left|right; right]; exact Hz. }
          destruct (H z Hz') as [Kz [Mz [Iz [Tz [Jz Cz]]]]]. repeat split; try assumption.
          specialize (Ly z Hz'). pose proof (issued_gt b s z (S (I s y)) Kz ltac:(lia)).
          unfold J2, J1. destruct (Nat.eqb_spec (fst z) (fst y)) as [E|N]; [|lia].
          enough (snd z < snd y) by lia.
          destruct (le_lt_dec (snd y) (snd z)) as [X|X]; [exfalso|exact X].
          destruct y as [v i], z as [v' i']. cbn [fst snd] in *. subst v'.
          destruct (Nat.eq_dec i i') as [->|N]; [contradiction|].
          pose proof (order_lt m b s V v i' i Kz ltac:(lia) Iy). lia. }
      pose proof (w_charge_I _ _ _ _ _ _ _ _ P x y J2 J Hx Ix) as G.
      enough (met (fst x) (sec (get b x)) J2 J y) as X by (specialize (G X); lia).
      repeat split; try assumption. unfold J2, J1. rewrite Nat.eqb_refl. lia.
  Qed.

  Section Node.
    Variables (w k : nat).
    Hypothesis Hx : ours (w, k).
    Notation x := (w, k).
    Notation q := (sec (get b (w, k))).
    Hypothesis IHo : forall o, ours o -> sec (get b o) < q -> timely_I o /\ timely_D o.
    Hypothesis IHj : forall j, j < k -> sec (get b (w, j)) = q -> timely_I (w, j) /\
      timely_D (w, j).

    (** A full queue. *)
    Lemma queue_late t d : 1 <= init (get b x) -> t0 < t -> t <= I s x -> depth m = Some (S d) ->
      S d <= n_wait b s (fu (get b x)) (t - 1) ->
      (forall j, In (w, j) (keys b) -> I s (w, j) <= t - 1 -> j < k) ->
      (forall t', t' < t -> t' <= t0 + pI x (issued b s t')) -> t <= t0 + pI x (issued b s t).
    Proof.
      intros Ix Lt Ht Dm H Own IH. set (f := fu (get b x)) in *.
      set (L := filter (fun y => on b f y && waits s (t - 1) y) (keys b)).
      assert (forall y, In y L -> In y (keys b) /\ fu (get b y) = f /\ I s y <= t - 1 < D s y)
        as HL.
      { intros y Hy. apply filter_In in Hy as [Hy G]. unfold on, waits in G.
        rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in G. tauto. }
      destruct (existsb (fun y => negb (meets w q y)) L) eqn:E.
      { apply existsb_exists in E as [y [Hy Ny]]. apply negb_true_iff in Ny.
        destruct (HL _ Hy) as [Ky [Fy By]].
        destruct (classes x y Hx Ix Ky ltac:(lia) ltac:(unfold C; lia)) as [[Oy Sy]|[[Ey Sy]|Me]].
        - destruct (IHo y Oy Sy) as [A B]. apply (jump_late y x t Hx Oy Sy A B). unfold C. lia.
        - destruct y as [v j]. cbn [fst] in *. subst v. pose proof (Own j Ky ltac:(lia)) as Lj.
          destruct (IHj j Lj Sy) as [A B].
          apply (edge_late (w, j) x 0 t (own_key _ _ _ Hx (Nat.lt_le_incl _ _ Lj)) A B); [|lia].
          intros J _. pose proof (w_room _ _ _ _ _ _ _ _ P w k j J Hx) as Rm. rewrite Dm in Rm.
          specialize (Rm ltac:(repeat split; assumption)). lia.
        - cbn [fst] in Me. congruence. }
      assert (forall y, In y L -> meets w q y = true) as Me.
      { intros y Hy. destruct (meets w q y) eqn:N; [reflexivity|exfalso].
        enough (existsb (fun y => negb (meets w q y)) L = true) by congruence.
        apply existsb_exists. exists y. rewrite N. auto. }
      unfold n_wait, count in H. fold L in H.
      destruct (latest (fun y => t - I s y) L) as [y1 [Hy1 L1]];
        [destruct L; [simpl in H; lia|discriminate]|]. destruct (HL y1 Hy1) as [K1 [F1 B1]].
      destruct (instances_exist m b s (v_cap _ _ _ V)) as [ins Ins].
      assert (D s y1 <= I s y1 + S d * cmax b f) as Qt.
      { rewrite <- F1. apply (queue_time m b s ins (S d) M V Ins Dm y1 K1). }
      specialize (IH (I s y1) ltac:(lia)).
      assert (pI x (issued b s (I s y1)) + length L * cmax b f <= pI x (issued b s t)) as A.
      { apply (charge_all x (cmax b f) (I s y1) Hx Ix _ L eq_refl).
        - apply NoDup_filter, keys_nodup.
        - apply issued_mono. lia.
        - apply (issued_in_order m); exact V.
        - intros y Hy. destruct (HL y Hy) as [Ky [Fy By]]. specialize (L1 y Hy). split; [exact Ky|].
          split; [apply Me, Hy|]. split; [apply (same_unit b W x); auto; apply Hx|]. split; [lia|].
          split; [apply issued_gt; [exact Ky|lia]|]. unfold charge_I, hold. fold f.
          rewrite Fy, Nat.eqb_refl, Dm. lia. }
      pose proof (Nat.mul_le_mono_r _ _ (cmax b f) H). lia.
    Qed.

    Lemma late_I : timely_I x.
    Proof.
      pose proof Hx as [Hk Hg]. destruct (W w k Hk) as [_ [Wp Ws]].
      intros t. induction t as [t IHt] using lt_wf_ind. intros Ht.
      destruct (le_lt_dec t t0) as [Lt|Lt]; [lia|].
      (* behind an own instruction, itself complete or its issue *)
      assert (forall o, ours o -> sec (get b o) < q -> t <= C s o + release m q -> t
        <= t0 + pI x (issued b s t)) as Jump.
      { intros o Ho So Hc. destruct (IHo o Ho So) as [A B].
        apply (jump_late o x t Hx Ho So A B Hc). }
      assert (forall o, In o (keys b) -> I s o + takes (get b o) <= C s o) as Takes.
      { intros o Ho. pose proof (v_start _ _ _ V o Ho). pose proof (v_init _ _ _ V o Ho). unfold C.
        lia. }
      assert ((exists j, k = S j /\ t <= I s (w, j) + takes (get b (w, j)))
              \/ forall j, k = S j -> I s (w, j) + takes (get b (w, j)) < t) as [[j [E Hc]]|Hc].
      { destruct k as [|j]; [right; intros; lia|].
        destruct (le_lt_dec t (I s (w, j) + takes (get b (w, j)))) as [L|L]; [left; eauto|right].
        intros j' E. injection E as <-. exact L. }
      { pose proof (own_key w j k Hx ltac:(lia)) as Oj. specialize (Ws j ltac:(lia)).
        destruct (Nat.eq_dec (sec (get b (w, j))) q) as [Sj|Sj].
        2: { pose proof (Takes _ (proj1 Oj)). apply (Jump (w, j) Oj); lia. }
        destruct (IHj j ltac:(lia) Sj) as [A _].
        pose proof (fun J => w_next _ _ _ _ _ _ _ _ P w j J) as N. rewrite <- E in N.
        destruct (le_lt_dec t (I s (w, j))) as [L|L].
        - specialize (A t L). specialize (N (issued b s t) Hx Sj). lia.
        - specialize (A _ (le_n _)). specialize (N (issued b s (I s (w, j))) Hx Sj).
          pose proof (mono_I x _ _ (issued_mono b s (I s (w, j)) t ltac:(lia))). lia. }
      (* before the completion of an operand *)
      destruct (existsb (fun p => t <=? C s (w, p)) (ops (get b x))) eqn:Eo.
      { apply existsb_exists in Eo as [p [Hp Htp]]. apply Nat.leb_le in Htp.
        pose proof (Wp p Hp) as Lp. pose proof (own_key w p k Hx ltac:(lia)) as Op.
        specialize (Ws p Lp).
        destruct (Nat.eq_dec (sec (get b (w, p))) q) as [Sp|Sp]; [|apply (Jump (w, p) Op); lia].
        destruct (IHj p Lp Sp) as [A B].
        apply (edge_late (w, p) x (init (get b (w, p)) + lat (get b (w, p))) t Op A B).
        - intros J _. rewrite Nat.add_assoc. apply (w_ops _ _ _ _ _ _ _ _ P w k p J Hx Hp Sp).
        - pose proof (v_init _ _ _ V _ (proj1 Op)). pose proof (v_lat _ _ _ V _ (proj1 Op)).
          unfold C in Htp. lia. }
      (* before a release *)
      destruct (existsb (fun y => (group m (fst y) =? g) && ((sec (get b y) <? q)
          && (t <=? I s y + takes (get b y) + ar s g q))) (keys b)) eqn:Er.
      { apply existsb_exists in Er as [y [Hy E]].
        rewrite !andb_true_iff, Nat.eqb_eq, Nat.ltb_lt, Nat.leb_le in E.
        destruct E as [Gy [Sy Hy2]]. pose proof (v_rel _ _ _ V g q). pose proof (Takes y Hy).
        apply (Jump y (conj Hy Gy) Sy). lia. }
      (* ready in the cycle before *)
      assert (eligible b m s w k (t - 1)) as He.
      { split; [lia|]. cbn [fst] in Hg. rewrite Hg. split; [lia|]. split; [|split].
        - intros j E. specialize (Hc j E). lia.
        - intros p Hp. destruct (le_lt_dec t (C s (w, p))) as [L|L]; [exfalso|lia].
          enough (existsb (fun p => t <=? C s (w, p)) (ops (get b x)) = true) by congruence.
          apply existsb_exists. exists p. split; [exact Hp|]. apply Nat.leb_le, L.
        - intros y Hy Gy Sy.
          destruct (le_lt_dec t (I s y + takes (get b y) + ar s g q)) as [L|L]; [exfalso|lia].
          enough (existsb (fun y => (group m (fst y) =? g)
            && ((sec (get b y) <? q) && (t <=? I s y + takes (get b y) + ar s g q))) (keys b)
            = true) by congruence. apply existsb_exists. exists y. split; [exact Hy|].
          rewrite Gy, Nat.eqb_refl. rewrite (proj2 (Nat.ltb_lt _ _) Sy), (proj2 (Nat.leb_le _ _) L).
          reflexivity. }
      assert (1 <= init (get b x)) as Ix.
      { destruct (init (get b x)) eqn:E0; [exfalso|lia].
        destruct (v_none _ _ _ V w k Hk E0) as [_ N]. apply (N _ He). }
      assert (forall t', t' < t -> t' <= t0 + pI x (issued b s t')) as IHt'
        by (intros; apply IHt; lia). assert (forall j, In (w, j) (keys b) -> I s (w, j) <= t - 1 ->
        j < k /\ I s (w, j) + takes (get b (w, j)) <= t - 1) as Own.
      { intros j Hj L. assert (j < k) as Lj by (apply (own_order w j k Hx Hj); lia).
        split; [exact Lj|]. destruct k as [|k']; [lia|]. specialize (Hc k' eq_refl).
        destruct (Nat.eq_dec j k') as [->|N]; [lia|].
        pose proof (order_le m b s V w k' j (keys_before _ _ _ k' Hk ltac:(lia)) ltac:(lia)). lia. }
      destruct (v_conserving _ _ _ V w k (t - 1) Hk He) as [H|H].
      - (* a slot *)
        pose proof (proj2 M). destruct (issue_some b m s (core m w) (t - 1))
          as [y [Hy [Hcy [Hp Hu]]]]; [lia|].
        pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy).
        destruct (classes x y Hx Ix Hy ltac:(lia) ltac:(unfold C; lia)) as [[Oy Sy]|[[Ey Sy]|Me]].
        + apply (Jump y Oy Sy). unfold C. lia.
        + destruct y as [v j]. cbn [fst] in Ey. subst v. destruct (Own j Hy ltac:(lia)). lia.
        + apply (rival_late x y t Hx Ix Hy Me); auto; try lia.
          unfold charge_I, slot. cbn [fst]. rewrite Hcy, Nat.eqb_refl.
          destruct (fu (get b y) =? fu (get b x)); lia.
      - (* the unit *)
        assert (exists d0, depth m = d0) as [[[|d]|] Dm] by eauto.
        + destruct (unit_taken m b s _ _ M V Dm H) as [y [Hy [Hf [Hs Hb]]]].
          pose proof (v_init _ _ _ V y Hy).
          destruct (classes x y Hx Ix Hy ltac:(lia) ltac:(unfold C; lia)) as [[Oy Sy]|[[Ey Sy]|Me]].
          * apply (Jump y Oy Sy). unfold C. lia.
          * destruct y as [v j]. cbn [fst] in Ey. subst v. destruct (Own j Hy ltac:(lia)) as [Lj _].
            destruct (IHj j Lj Sy) as [A B]. apply (edge_late (w, j) x (init (get b (w, j))) t
              (own_key _ _ _ Hx (Nat.lt_le_incl _ _ Lj)) A B); [|lia]. intros J _.
            pose proof (w_room _ _ _ _ _ _ _ _ P w k j J Hx) as Rm. rewrite Dm in Rm. apply Rm.
            repeat split; assumption.
          * apply (rival_late x y t Hx Ix Hy Me); auto; try lia.
            unfold charge_I, hold. rewrite Hf, Nat.eqb_refl, Dm. lia.
        + destruct H as [_ H]. rewrite Dm in H. apply (queue_late t d Ix Lt Ht Dm H); auto.
          intros j Hj L. apply (Own j Hj L).
        + destruct H as [_ H]. rewrite Dm in H. destruct H.
    Qed.

    (** ** D(x) *)

    Hypothesis AI : timely_I x.

    Lemma started_of y : In y (keys b) -> fu (get b y) = fu (get b x) -> D s y < D s x ->
      I s y <= I s x.
    Proof.
      intros Hy Hf L. destruct (le_lt_dec (I s y) (I s x)) as [G|G]; [exact G|].
      pose proof (v_fifo _ _ _ V x y (proj1 Hx) Hy (eq_sym Hf) G). lia.
    Qed.

    (** An own instruction on the unit that started before. *)
    Lemma own_started j : 1 <= init (get b x) -> In (w, j) (keys b) ->
      fu (get b (w, j)) = fu (get b x) ->
      D s (w, j) < D s x -> j < k.
    Proof.
      intros Ix Hj Hf L. destruct (lt_eq_lt_dec j k) as [[G|G]|G]; [exact G|subst j; lia|exfalso].
      pose proof (order_unit b m s W V w j k Hj G (eq_sym Hf)
        (same_unit b W x (w, j) (proj1 Hx) Hj (eq_sym Hf) Ix)) as O.
      pose proof (started_of (w, j) Hj Hf L). lia.
    Qed.

    (** From one start to the one that it waited for. *)
    Lemma late_D_charged : 1 <= init (get b x) -> F w q (fu (get b x)) = false ->
      forall y, In y (keys b) ->
      fu (get b y) = fu (get b x) -> (y = x \/ D s y < D s x) -> D s y <= t0 + pD x (ahead b s y).
    Proof.
      intros Ix HF. pose proof Hx as [Hk Hg].
      assert (forall d y, D s y <= d -> In y (keys b) -> fu (get b y) = fu (get b x) ->
                (y = x \/ D s y < D s x) -> D s y <= t0 + pD x (ahead b s y)) as G; [|eauto].
      induction d as [|d IHd]; intros y Hd Hy Hf Hb; [lia|].
      destruct (le_lt_dec (D s y) t0) as [HT|HT]; [lia|].
      assert (I s y <= I s x) as LI.
      { destruct Hb as [->|Hb]; [lia|exact (started_of y Hy Hf Hb)]. }
      pose proof (v_start _ _ _ V y Hy).
      destruct (Nat.eq_dec (I s y) (D s y)) as [E|N].
      { specialize (AI _ LI). pose proof (start_le x (issued b s (I s y)) Hx).
        pose proof (mono_D x _ _ (issued_ahead b s y)). lia. }
      destruct (handover m b s V y Hy ltac:(lia)) as [z [Hz [Hfz [Hlt He]]]].
      assert (D s z < D s x) as Hbz by (destruct Hb as [->|]; lia).
      pose proof (started_of z Hz ltac:(congruence) Hbz) as LIz.
      assert (before b s z y = true) as Bzy.
      { apply before_iff. destruct (le_lt_dec (I s z) (I s y)) as [L|L].
        - destruct (Nat.eq_dec (I s z) (I s y)); [right; repeat split; auto|left]; lia.
        - pose proof (v_fifo _ _ _ V y z Hy Hz ltac:(congruence) L). lia. }
      pose proof (mono_D x _ _ (ahead_ahead b s z y Bzy)) as Mono.
      pose proof (v_init _ _ _ V z Hz) as Ai.
      assert (1 <= init (get b z)) as Iz by (apply (same_unit b W x); auto; congruence).
      destruct (classes x z Hx Ix Hz LIz ltac:(unfold C; lia)) as [[Oz Sz]|[[Ez Sz]|Me]].
      - destruct (IHo z Oz Sz) as [_ B]. unfold timely_D in B.
        pose proof (w_jump _ _ _ _ _ _ _ _ P x z _ Hx Oz Sz (ahead_in_order m b s V z)).
        pose proof (start_le x (ahead b s z) Hx). lia.
      - destruct z as [v o]. cbn [fst] in Ez. subst v.
        assert (o < k) as Lo by (apply own_started; auto; congruence).
        destruct (IHj o Lo Sz) as [_ B]. unfold timely_D in B.
        pose proof (w_unit _ _ _ _ _ _ _ _ P w k o (ahead b s (w, o)) Hx) as E.
        specialize (E ltac:(unfold own_before; repeat split; congruence || lia)). lia.
      - specialize (IHd z ltac:(lia) Hz ltac:(congruence) (or_intror Hbz)).
        pose proof (w_charge_D _ _ _ _ _ _ _ _ P x z (ahead b s z) (ahead b s y) Hx Ix HF) as G.
        unfold charge_D in G. rewrite Hfz, Hf, Nat.eqb_refl in G.
        enough (met w q (ahead b s z) (ahead b s y) z) as X by (specialize (G X); lia).
        split; [exact Hz|]. split; [exact Me|]. split; [apply ahead_ahead, Bzy|].
        split; [split; [apply (ahead_self m); assumption|apply ahead_gt; assumption]|].
        split; apply (ahead_in_order m); exact V.
    Qed.

    (** On a unit of [F]: from the last end of an initiation that is not met, or from the issue. *)
    Lemma late_D_queued : 1 <= init (get b x) -> F w q (fu (get b x)) = true -> timely_D x.
    Proof.
      intros Ix HF. pose proof Hx as [Hk Hg]. unfold timely_D. set (f := fu (get b x)) in *.
      pose proof (v_start _ _ _ V x Hk) as HS. set (t1 := max t0 (I s x)).
      set (own := fun y => on b f y && (negb (meets w q y)
        && ((I s y <=? I s x) && ((D s y <? D s x) && (t0 <? C s y))))).
      set (ends := t1 :: map (fun y => D s y + ai s y) (filter own (keys b))).
      assert (wait_in_queue b F Q x = Q w q f) as Wq
        by (unfold wait_in_queue; cbn [fst]; fold f; rewrite HF; reflexivity).
      assert (t1 + Q w q f <= t0 + pD x (ahead b s x)) as At1.
      { specialize (AI _ (le_n _)). pose proof (mono_D x _ _ (issued_ahead b s x)).
        pose proof (w_start _ _ _ _ _ _ _ _ P x (issued b s (I s x)) Hx) as E. unfold t1. lia. }
      assert (forall y, In y (filter own (keys b)) -> D s y + ai s y + Q w q f
        <= t0 + pD x (ahead b s x)) as Before.
      { intros y Hy. apply filter_In in Hy as [Hy E]. unfold own in E.
        rewrite !andb_true_iff, on_iff, negb_true_iff, Nat.leb_le, !Nat.ltb_lt in E.
        destruct E as [Fy [Ny [LI [LD Ly]]]]. pose proof (v_init _ _ _ V y Hy).
        assert (before b s y x = true) as X.
        { apply before_iff. destruct (Nat.eq_dec (I s y) (I s x)); [right; auto|left; lia]. }
        pose proof (mono_D x _ _ (ahead_ahead b s _ _ X)).
        destruct (classes x y Hx Ix Hy LI Ly) as [[Oy Sy]|[[Ey Sy]|Me]].
        - destruct (IHo y Oy Sy) as [_ B]. unfold timely_D in B.
          pose proof (w_jump _ _ _ _ _ _ _ _ P x y _ Hx Oy Sy (ahead_in_order m b s V y)).
          pose proof (w_start _ _ _ _ _ _ _ _ P x (ahead b s y) Hx). lia.
        - destruct y as [v o]. cbn [fst] in Ey. subst v.
          assert (o < k) as Lo by (apply own_started; auto).
          destruct (IHj o Lo Sy) as [_ B]. unfold timely_D in B.
          pose proof (w_unit _ _ _ _ _ _ _ _ P w k o (ahead b s (w, o)) Hx) as E.
          specialize (E ltac:(unfold own_before; repeat split; congruence || lia)). lia.
        - cbn [fst] in Me. congruence. }
      assert (list_max ends + Q w q f <= t0 + pD x (ahead b s x)) as Aends.
      { pose proof (list_max_in ends ltac:(discriminate)) as [<-|Hin]; [exact At1|].
        apply in_map_iff in Hin as [y [<- Hy]]. apply (Before y Hy). }
      destruct (le_lt_dec (D s x) (list_max ends)) as [L|L]; [lia|].
      assert (t1 <= list_max ends) as L0 by (apply list_max_ge; left; reflexivity).
      enough (D s x - list_max ends <= Q w q f) by lia.
      apply (Queues x f t1 _ Hx HF). cbv zeta. cbn [fst].
      apply (crowd m b s _ _ (list_max ends) _ V); [intros y Hy; apply filter_In in Hy; apply Hy|].
      intros t Ht. transitivity (n_init b s f t).
      { apply (v_asap _ _ _ V x t Hk). unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt.
        lia. }
      unfold n_init, count, wave_pending. rewrite filter_both. apply filter_le. intros y Hy G.
      apply andb_prop in G as [Hf G]. rewrite Hf, G. apply on_iff in Hf.
      unfold initiates in G. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in G.
      pose proof (started_of y Hy Hf ltac:(lia)) as LI.
      rewrite !andb_true_r, !andb_true_iff, Nat.leb_le, Nat.ltb_lt.
      split; [|split; [reflexivity|]; lia]. destruct (meets w q y) eqn:Ny; [reflexivity|exfalso].
      assert (In (D s y + ai s y) ends) as X; [|apply list_max_ge in X; lia].
      right. apply in_map_iff. exists y. split; [reflexivity|]. apply filter_In. split; [exact Hy|].
      unfold own. rewrite !andb_true_iff, on_iff, negb_true_iff, Nat.leb_le, !Nat.ltb_lt.
      unfold C. repeat split; auto; lia.
    Qed.
  End Node.

  Lemma late x : ours x -> timely_I x /\ timely_D x.
  Proof.
    induction x as [x IH] using (well_founded_induction (Wf_nat.well_founded_ltof _ (rank b))).
    unfold ltof in IH. destruct x as [w k]. intros Hx. pose proof Hx as [Hk Hg].
    assert (forall o, ours o -> sec (get b o) < sec (get b (w, k)) -> timely_I o /\ timely_D o)
      as IHo.
    { intros o Ho L. apply IH; [apply rank_sec; [apply Ho|exact L]|exact Ho]. }
    assert (forall j, j < k -> sec (get b (w, j)) = sec (get b (w, k)) -> timely_I (w, j) /\
      timely_D (w, j)) as IHj.
    { intros j L _. apply IH; [apply (rank_prog b W w k j Hk L)|apply (own_key w j k Hx); lia]. }
    assert (timely_I (w, k)) as A by (apply late_I; assumption). split; [exact A|].
    destruct (Nat.eq_dec (init (get b (w, k))) 0) as [E|N].
    - destruct (v_none _ _ _ V w k Hk E) as [HD _]. unfold timely_D. rewrite HD.
      specialize (A _ (le_n _)). pose proof (start_le _ (issued b s (I s (w, k))) Hx).
      pose proof (mono_D (w, k) _ _ (issued_ahead b s (w, k))). lia.
    - destruct (F w (sec (get b (w, k))) (fu (get b (w, k)))) eqn:HF.
      + apply late_D_queued; auto. lia.
      + apply (late_D_charged w k Hx IHo IHj A ltac:(lia) HF); auto; apply Hx.
  Qed.

  (** *** Every wave potential is a bound: when all others have issued what they have *)
  Theorem wave_bound x : ours x ->
    C s x <= t0 + pD x (everything b) + init (get b x) + lat (get b x).
  Proof.
    intros Hx. destruct (late x Hx) as [_ B]. unfold timely_D in B.
    pose proof (mono_D x _ _ (ahead_all b s x)). pose proof (v_init _ _ _ V _ (proj1 Hx)).
    pose proof (v_lat _ _ _ V _ (proj1 Hx)). unfold C. lia.
  Qed.
End WaveBound.
