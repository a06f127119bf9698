(** * Every potential is a bound: docs/proofs.md, theorems 1 and 3 *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Idle Instances Queue Potential.
Import ListNotations.

(** What other warps than [w] have issued to [f] in section [q] by [t], and what is not initiated to its end then. *)
Definition pending (b : block) (s : schedule) (w q f t : nat) : list key :=
  filter (fun y => negb (fst y =? w) && ((sec (get b y) =? q) && (on b f y &&
                     ((I s y <=? t) && (t <? D s y + ai s y))))) (keys b).

(** [Q f] is how long the instances of a unit of [F] need at most for what is pending there, at any time. *)
Definition queues_ok (m : machine) (b : block) (s : schedule) (F : nat -> bool) (Q : nat -> nat) (w q : nat) : Prop :=
  forall f t n, F f = true ->
    inst m f * n <= sum (fun y => init (get b y)) (pending b s w q f t) -> n <= Q f.

Lemma sum_cons {A} (f : A -> nat) x l : sum f (x :: l) = f x + sum f l.
Proof. reflexivity. Qed.

Lemma filter_both {A} (p p' : A -> bool) l : filter p (filter p' l) = filter (fun x => p' x && p x) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl. destruct (p' x); simpl; rewrite IH; reflexivity.
Qed.

(** If in every cycle of [x, x + n) at least [c] of [l] initiate, their initiations sum to [c n]. *)
Lemma crowd m b s l c x n : valid m b s -> (forall y, In y l -> In y (keys b)) ->
  (forall t, x <= t < x + n -> c <= length (filter (initiates s t) l)) ->
  c * n <= sum (fun y => init (get b y)) l.
Proof.
  intros V K H. transitivity (sum (fun y => cnt (fun t => initiates s t y) (x + n)) l).
  - clear K. induction n as [|n IH]; [lia|].
    specialize (IH ltac:(intros; apply H; lia)). specialize (H (x + n) ltac:(lia)).
    enough (sum (fun y => cnt (fun t => initiates s t y) (x + S n)) l
            = sum (fun y => cnt (fun t => initiates s t y) (x + n)) l + length (filter (initiates s (x + n)) l)) by lia.
    rewrite Nat.add_succ_r. clear. induction l as [|y l IH]; [reflexivity|].
    rewrite !sum_cons, IH. cbn [cnt filter]. destruct (initiates s (x + n) y); cbn [length]; lia.
  - apply sum_le. intros y Hy. pose proof (v_init _ _ _ V y (K y Hy)).
    pose proof (cnt_interval (D s y) (ai s y) (x + n)). unfold initiates. lia.
Qed.

Section Bound.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  (* one thread block, on a clean SM *)
  Hypothesis One : forall v w, group m v = group m w.
  Hypothesis Zero : forall g, begin s g = 0.

  (** Depth 0: what initiates where a unit takes nothing. *)
  Lemma unit_taken f t : depth m = Some 0 -> blocked b m s f t ->
    exists y, In y (keys b) /\ fu (get b y) = f /\ I s y = D s y /\ D s y <= t < D s y + ai s y.
  Proof.
    intros E [H1 _]. pose proof (proj1 M f). destruct (count_pos _ _ (Nat.le_trans _ _ _ H H1)) as [y [Hy P]].
    unfold on, initiates in P. rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in P.
    pose proof (start_now m b s y V E Hy). pose proof (v_start _ _ _ V y Hy).
    exists y. repeat split; tauto || lia.
  Qed.

  Section OneSection.
    Variables (w q T : nat) (F : nat -> bool) (Q : nat -> nat) (pI pD : nat -> progress -> nat).
    Hypothesis Over : over b s q T.
    Hypothesis P : potential m b F Q w q pI pD.
    Hypothesis Queues : queues_ok m b s F Q w q.

    Definition in_section (k : nat) : Prop := In (w, k) (keys b) /\ sec (get b (w, k)) = q.

    (** I(k) and D(k) are no later than the potential says, when what is issued before them is behind. *)
    Definition timely_I (k : nat) : Prop :=
      forall x, x <= I s (w, k) -> x <= T + pI k (issued b s x).
    Definition timely_D (k : nat) : Prop := D s (w, k) <= T + pD k (ahead b s (w, k)).

    Lemma start_le k J : in_section k -> pI k J <= pD k J.
    Proof. intros [H1 H2]. pose proof (p_start _ _ _ _ _ _ _ _ P k J H1 H2). lia. Qed.

    (** An instruction that is there at or after [T], issued no later than one of the section, is of the section. *)
    Lemma of_section y k t : In y (keys b) -> in_section k -> T <= t -> t < C s y -> I s y < I s (w, k) + takes (get b (w, k))
      -> sec (get b y) = q.
    Proof.
      intros Hy [Hk Hq] Ht HC HI. destruct (lt_eq_lt_dec (sec (get b y)) q) as [[L|L]|L]; [|exact L|].
      - destruct (Over y Hy L). lia.
      - rewrite <- Hq in L. pose proof (v_barrier _ _ _ V y (w, k) Hy Hk (One _ _) L). lia.
    Qed.

    Lemma own_order j k : In (w, j) (keys b) -> in_section k -> I s (w, j) < I s (w, k) -> j < k.
    Proof.
      intros Hj [Hk _] L. destruct (le_lt_dec k j) as [G|G]; [exfalso|exact G].
      destruct (Nat.eq_dec j k) as [->|N]; [lia|].
      pose proof (order_le m b s V w j k Hj ltac:(lia)). lia.
    Qed.

    (** Behind an edge from D(o) to I(k). *)
    Lemma edge_late o k e x : timely_I o -> timely_D o -> in_section o ->
      (forall J, pD o J + e <= pI k J) -> x <= D s (w, o) + e -> x <= T + pI k (issued b s x).
    Proof.
      intros A B So E Hx. destruct (le_lt_dec x (I s (w, o))) as [L|L].
      - specialize (A x L). specialize (E (issued b s x)). pose proof (start_le o (issued b s x) So). lia.
      - unfold timely_D in B. specialize (E (ahead b s (w, o))).
        pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (ahead_issued b s (w, o) x L)). lia.
    Qed.

    (** Behind a cycle in which another instruction of the section took the slot or the unit. *)
    Lemma rival_late k y x : in_section k -> 1 <= init (get b (w, k)) -> x <= I s (w, k) ->
      In y (keys b) -> fst y <> w -> sec (get b y) = q -> I s y < x -> x <= I s y + charge_I m b (w, k) y ->
      (forall x', x' < x -> x' <= T + pI k (issued b s x')) -> x <= T + pI k (issued b s x).
    Proof.
      intros [Hk Hq] Hi Hx Hy Nw Sy L HC IH. specialize (IH _ L).
      pose proof (p_charge_I _ _ _ _ _ _ _ _ P k y (issued b s (I s y)) (issued b s x) Hk Hq Hi) as G.
      enough (passes b w q (issued b s (I s y)) (issued b s x) y) as X by (specialize (G X); lia).
      split; [exact Hy|]. split; [exact Nw|]. split; [exact Sy|]. split; [apply issued_mono; lia|].
      split; [apply (issued_self m); assumption|apply issued_gt; assumption].
    Qed.

    (** Several that the others have got past. *)
    Lemma charge_all k c : in_section k -> 1 <= init (get b (w, k)) -> forall n l, length l = n -> NoDup l ->
      forall J J', reaches J J' ->
      (forall y, In y l -> passes b w q J J' y /\ c <= charge_I m b (w, k) y) -> pI k J + n * c <= pI k J'.
    Proof.
      intros [Hk Hq] Hi. induction n as [|n IH]; intros l Hn Nl J J' R H.
      - pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ R). lia.
      - destruct (latest snd l) as [y [Hy Ly]]; [destruct l; discriminate|].
        apply in_split in Hy as [l1 [l2 ->]]. rewrite app_length in Hn. simpl in Hn.
        pose proof (NoDup_remove _ _ _ Nl) as [Nl' Ny].
        destruct (H y ltac:(apply in_elt)) as [[Hy [Nw [Sy [_ Jy]]]] Cy].
        set (J2 := fun u => if u =? fst y then snd y else J' u).
        assert (reaches J J2 /\ reaches J2 J') as [R1 R2].
        { split; intros u; unfold J2; specialize (R u); destruct (Nat.eqb_spec u (fst y)) as [->|N]; lia. }
        specialize (IH (l1 ++ l2) ltac:(rewrite app_length; lia) Nl' J J2 R1).
        assert (pI k J + n * c <= pI k J2) as A.
        { apply IH. intros z Hz. assert (In z (l1 ++ y :: l2)) as Hz'.
          { apply in_app_iff. apply in_app_iff in Hz as [Hz|Hz]; [left|right; right]; exact Hz. }
          destruct (H z Hz') as [[Kz [Nz [Sz [_ Jz]]]] Cz]. split; [|exact Cz].
          repeat split; try assumption; try lia. unfold J2.
          destruct (Nat.eqb_spec (fst z) (fst y)) as [E|N]; [|lia].
          specialize (Ly z Hz'). destruct (Nat.eq_dec (snd z) (snd y)) as [E2|N]; [exfalso|lia].
          apply Ny. destruct y, z. simpl in *. subst. exact Hz. }
        pose proof (p_charge_I _ _ _ _ _ _ _ _ P k y J2 J' Hk Hq Hi) as G.
        enough (passes b w q J2 J' y) as X by (specialize (G X); lia).
        repeat split; try assumption; [unfold J2; rewrite Nat.eqb_refl; lia|lia].
    Qed.

    (** A full queue: what waits in it is own, or has got past. *)
    Lemma queue_full k x d : in_section k -> 1 <= init (get b (w, k)) -> x <= I s (w, k) -> T < x -> depth m = Some (S d) ->
      match depth m with None => False | Some d => d <= n_wait b s (fu (get b (w, k))) (x - 1) end ->
      (forall y, In y (keys b) -> fu (get b y) = fu (get b (w, k)) -> I s y <= x - 1 < C s y -> sec (get b y) = q) ->
      (forall j, In (w, j) (keys b) -> fu (get b (w, j)) = fu (get b (w, k)) -> I s (w, j) <= x - 1 < D s (w, j) ->
         x <= T + pI k (issued b s x)) ->
      (forall x', x' < x -> x' <= T + pI k (issued b s x')) -> x <= T + pI k (issued b s x).
    Proof.
      intros Sk Hi Hx HT Dm H Sec Own IH. rewrite Dm in H. set (f := fu (get b (w, k))) in *.
      set (L := filter (fun y => on b f y && waits s (x - 1) y) (keys b)).
      assert (forall y, In y L -> In y (keys b) /\ fu (get b y) = f /\ I s y <= x - 1 < D s y) as HL.
      { intros y Hy. apply filter_In in Hy as [Hy G]. unfold on, waits in G.
        rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in G. tauto. }
      destruct (existsb (fun y => fst y =? w) L) eqn:E.
      { apply existsb_exists in E as [[v j] [Hy Ew]]. apply Nat.eqb_eq in Ew. simpl in Ew. subst v.
        destruct (HL _ Hy) as [Ky [Fy By]]. apply (Own j Ky Fy By). }
      destruct (latest (fun y => x - I s y) L) as [y1 [Hy1 L1]].
      { unfold n_wait, count in H. fold L in H. destruct L; [simpl in H; lia|discriminate]. }
      destruct (HL y1 Hy1) as [K1 [F1 B1]]. destruct (instances_exist m b s (v_cap _ _ _ V)) as [ins Ins].
      assert (D s y1 <= I s y1 + S d * cmax b f) as Qt.
      { rewrite <- F1. apply (queue_time m b s ins (S d) M V Ins Dm y1 K1). }
      specialize (IH (I s y1) ltac:(lia)).
      assert (pI k (issued b s (I s y1)) + length L * cmax b f <= pI k (issued b s x)) as A.
      { apply (charge_all k (cmax b f) Sk Hi _ L eq_refl).
        - apply NoDup_filter, keys_nodup.
        - apply issued_mono. lia.
        - intros y Hy. destruct (HL y Hy) as [Ky [Fy By]]. specialize (L1 y Hy). split.
          + split; [exact Ky|]. split.
            { intros Ew. assert (existsb (fun y => fst y =? w) L = true); [|congruence].
              apply existsb_exists. exists y. split; [exact Hy|]. apply Nat.eqb_eq, Ew. }
            split; [apply (Sec y Ky Fy); unfold C; lia|]. split; [apply issued_mono; lia|]. split.
            * etransitivity; [apply (issued_mono b s (I s y1) (I s y)); lia|]. apply (issued_self m); assumption.
            * apply issued_gt; [exact Ky|lia].
          + unfold charge_I, hold. fold f. rewrite Fy, Nat.eqb_refl, Dm. lia. }
      unfold n_wait, count in H. fold L in H. pose proof (Nat.mul_le_mono_r _ _ (cmax b f) H). lia.
    Qed.

    Lemma late_I k : in_section k -> (forall j, j < k -> in_section j -> timely_I j /\ timely_D j) -> timely_I k.
    Proof.
      intros Sk IH. pose proof Sk as [Hk Hq]. destruct (W w k Hk) as [_ [Wp Ws]].
      assert (forall j, j < k -> In (w, j) (keys b)) as Kj by (intros; eapply keys_before; [exact Hk|lia]).
      assert (forall j, j < k -> sec (get b (w, j)) <> q -> C s (w, j) <= T
                /\ I s (w, j) + takes (get b (w, j)) <= T) as Old.
      { intros j Hj Hn. specialize (Ws j Hj). destruct (Over (w, j) (Kj j Hj) ltac:(lia)) as [O1 O2].
        specialize (O2 0). split; lia. }
      intros x. induction x as [x IHx] using lt_wf_ind. intros Hx.
      destruct (le_lt_dec x T) as [HT|HT]; [lia|].
      (* behind the issue before *)
      assert ((exists j, k = S j /\ x <= I s (w, j) + takes (get b (w, j)))
              \/ forall j, k = S j -> I s (w, j) + takes (get b (w, j)) < x) as [[j [-> Hc]]|Hc].
      { destruct k as [|j]; [right; intros; lia|].
        destruct (le_lt_dec x (I s (w, j) + takes (get b (w, j)))) as [L|L]; [left; eauto|right].
        intros j' E. injection E as <-. exact L. }
      { destruct (Nat.eq_dec (sec (get b (w, j))) q) as [Sj|Sj]; [|destruct (Old j ltac:(lia) Sj); lia].
        destruct (IH j ltac:(lia) (conj (Kj j ltac:(lia)) Sj)) as [A _].
        pose proof (p_next _ _ _ _ _ _ _ _ P j) as E.
        destruct (le_lt_dec x (I s (w, j))) as [L|L].
        - specialize (A x L). specialize (E (issued b s x) Hk Sj Hq). lia.
        - specialize (A _ (le_n _)). specialize (E (issued b s (I s (w, j))) Hk Sj Hq).
          pose proof (p_mono _ _ _ _ _ _ _ _ P (S j) _ _ (issued_mono b s (I s (w, j)) x ltac:(lia))). lia. }
      (* before the completion of an operand *)
      destruct (existsb (fun p => x <=? C s (w, p)) (ops (get b (w, k)))) eqn:Eo.
      { apply existsb_exists in Eo as [p [Hp Hxp]]. apply Nat.leb_le in Hxp. pose proof (Wp p Hp) as Lp.
        destruct (Nat.eq_dec (sec (get b (w, p))) q) as [Sp|Sp]; [|destruct (Old p Lp Sp); lia].
        destruct (IH p Lp (conj (Kj p Lp) Sp)) as [A B].
        apply (edge_late p k (init (get b (w, p)) + lat (get b (w, p))) x A B (conj (Kj p Lp) Sp)).
        - intros J. rewrite Nat.add_assoc. apply (p_ops _ _ _ _ _ _ _ _ P k p J Hk Hq Hp Sp).
        - pose proof (v_init _ _ _ V _ (Kj p Lp)). pose proof (v_lat _ _ _ V _ (Kj p Lp)). unfold C in Hxp. lia. }
      (* ready in the cycle before *)
      assert (eligible b m s w k (x - 1)) as He.
      { split; [lia|]. split; [rewrite Zero; lia|]. split; [|split].
        - intros j E. specialize (Hc j E). lia.
        - intros p Hp. destruct (le_lt_dec x (C s (w, p))) as [L|L]; [exfalso|lia].
          assert (existsb (fun p => x <=? C s (w, p)) (ops (get b (w, k))) = true); [|congruence].
          apply existsb_exists. exists p. split; [exact Hp|]. apply Nat.leb_le, L.
        - intros y Hy _ Hs. rewrite Hq in *. destruct (Over y Hy Hs) as [_ O]. specialize (O (group m w)). lia. }
      assert (1 <= init (get b (w, k))) as Hi.
      { destruct (init (get b (w, k))) eqn:E0; [exfalso|lia].
        destruct (v_none _ _ _ V w k Hk E0) as [_ N]. apply (N _ He). }
      assert (forall x', x' < x -> x' <= T + pI k (issued b s x')) as IHx' by (intros; apply IHx; lia).
      assert (forall j, In (w, j) (keys b) -> I s (w, j) <= x - 1 ->
                j < k /\ I s (w, j) + takes (get b (w, j)) <= x - 1) as Own.
      { intros j Hj L. assert (j < k) as Lj by (apply (own_order j k Hj Sk); lia). split; [exact Lj|].
        destruct k as [|k']; [lia|]. specialize (Hc k' eq_refl).
        destruct (Nat.eq_dec j k') as [->|N]; [lia|].
        pose proof (order_le m b s V w k' j (Kj k' ltac:(lia)) ltac:(lia)). lia. }
      destruct (v_conserving _ _ _ V w k (x - 1) Hk He) as [H|H].
      - (* a slot *)
        pose proof (proj2 M). destruct (issue_some b m s (core m w) (x - 1)) as [y [Hy [Hcy [Hp Hu]]]]; [lia|].
        apply (rival_late k y x Sk Hi Hx Hy); auto; try lia.
        + destruct y as [v j]. simpl. intros ->. destruct (Own j Hy ltac:(lia)). lia.
        + apply (of_section y k (x - 1) Hy Sk ltac:(lia)); [|lia].
          pose proof (v_start _ _ _ V y Hy). pose proof (v_init _ _ _ V y Hy). unfold C. lia.
        + unfold charge_I, slot. simpl fst. rewrite Hcy, Nat.eqb_refl.
          destruct (fu (get b y) =? fu (get b (w, k))); lia.
      - (* the unit *)
        assert (forall y, In y (keys b) -> fu (get b y) = fu (get b (w, k)) -> I s y <= x - 1 < C s y ->
                  sec (get b y) = q) as Sec by (intros y Hy _ Hb; apply (of_section y k (x - 1) Hy Sk); lia).
        assert (forall j, In (w, j) (keys b) -> fu (get b (w, j)) = fu (get b (w, k)) -> I s (w, j) <= x - 1 < C s (w, j) ->
                  j < k /\ in_section j /\ own_before b w j k) as Held.
        { intros j Hj Hf Hb. pose proof (Sec _ Hj Hf Hb) as Sj. destruct (Own j Hj ltac:(lia)) as [Lj _].
          split; [exact Lj|]. split; [split; assumption|]. unfold own_before. repeat split; congruence || lia. }
        pose proof (fun j J => p_room _ _ _ _ _ _ _ _ P k j J Hk Hq) as Room.
        assert (exists d0, depth m = d0) as [[[|d]|] Dm] by eauto; rewrite Dm in Room.
        + destruct (unit_taken _ _ Dm H) as [y [Hy [Hf [Hs Ht]]]]. pose proof (v_init _ _ _ V y Hy).
          assert (I s y <= x - 1 < C s y) as Hb by (unfold C; lia).
          destruct (Nat.eq_dec (fst y) w) as [Ew|Nw].
          * destruct y as [v j]. simpl in Ew. subst v. destruct (Held j Hy Hf Hb) as [Lj [Sj Oj]].
            destruct (IH j Lj Sj) as [A B].
            apply (edge_late j k (init (get b (w, j))) x A B Sj (fun J => Room j J Oj)). lia.
          * apply (rival_late k y x Sk Hi Hx Hy); auto; try lia.
            unfold charge_I, hold. rewrite Hf, Nat.eqb_refl, Dm. lia.
        + apply (queue_full k x d Sk Hi Hx ltac:(lia) Dm (proj2 H)); auto.
          intros j Hj Hf Hb. destruct (Held j Hj Hf ltac:(unfold C; lia)) as [Lj [Sj Oj]].
          destruct (IH j Lj Sj) as [A B].
          apply (edge_late j k 0 x A B Sj); [intros J; specialize (Room j J Oj); lia|lia].
        + destruct H as [_ H]. rewrite Dm in H. destruct H.
    Qed.

    Lemma started_of k y : in_section k -> In y (keys b) -> fu (get b y) = fu (get b (w, k)) ->
      D s y < D s (w, k) -> I s y <= I s (w, k).
    Proof.
      intros [Hk _] Hy Hf L. destruct (le_lt_dec (I s y) (I s (w, k))) as [G|G]; [exact G|].
      pose proof (v_fifo _ _ _ V (w, k) y Hk Hy (eq_sym Hf) G). lia.
    Qed.

    Lemma started_before k y : in_section k -> In y (keys b) -> fu (get b y) = fu (get b (w, k)) ->
      D s y < D s (w, k) -> before b s y (w, k) = true.
    Proof.
      intros Sk Hy Hf L. pose proof (started_of k y Sk Hy Hf L). apply before_iff.
      destruct (Nat.eq_dec (I s y) (I s (w, k))); [right; auto|left; lia].
    Qed.

    (** On a unit that charges: from one start to the one that it waited for. *)
    Lemma late_D_charged k : in_section k -> 1 <= init (get b (w, k)) -> F (fu (get b (w, k))) = false -> timely_I k ->
      (forall j, j < k -> in_section j -> timely_D j) ->
      forall y, In y (keys b) -> fu (get b y) = fu (get b (w, k)) -> (y = (w, k) \/ D s y < D s (w, k)) ->
      D s y <= T + pD k (ahead b s y).
    Proof.
      intros Sk Hi HF A IH. pose proof Sk as [Hk Hq].
      assert (forall d y, D s y <= d -> In y (keys b) -> fu (get b y) = fu (get b (w, k)) ->
                (y = (w, k) \/ D s y < D s (w, k)) -> D s y <= T + pD k (ahead b s y)) as G; [|eauto].
      induction d as [|d IHd]; intros y Hd Hy Hf Hb; [lia|].
      destruct (le_lt_dec (D s y) T) as [HT|HT]; [lia|].
      assert (I s y <= I s (w, k)) as LI.
      { destruct Hb as [->|Hb]; [lia|exact (started_of k y Sk Hy Hf Hb)]. }
      pose proof (v_start _ _ _ V y Hy).
      destruct (Nat.eq_dec (I s y) (D s y)) as [E|N].
      { specialize (A _ LI). pose proof (start_le k (issued b s (I s y)) Sk).
        pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (issued_ahead b s y)). lia. }
      destruct (handover m b s V y Hy ltac:(lia)) as [z [Hz [Hfz [Hlt He]]]].
      assert (D s z < D s (w, k)) as Hbz by (destruct Hb as [->|]; lia).
      pose proof (started_of k z Sk Hz ltac:(congruence) Hbz) as LIz.
      assert (before b s z y = true) as Bzy.
      { apply before_iff. destruct (le_lt_dec (I s z) (I s y)) as [L|L].
        - destruct (Nat.eq_dec (I s z) (I s y)); [right; repeat split; auto|left]; lia.
        - pose proof (v_fifo _ _ _ V y z Hy Hz ltac:(congruence) L). lia. }
      pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (ahead_ahead b s z y Bzy)) as [_ Mono].
      pose proof (v_init _ _ _ V z Hz) as Ai.
      assert (1 <= init (get b z)) as Hiz by (apply (same_unit b W (w, k)); auto; congruence).
      assert (sec (get b z) = q) as Sz by (apply (of_section z k (D s y - 1) Hz Sk); unfold C; lia).
      destruct (Nat.eq_dec (fst z) w) as [Ew|Nw].
      - destruct z as [v o]. simpl in Ew. subst v.
        assert (o < k) as Lo.
        { destruct (lt_eq_lt_dec o k) as [[L|L]|L]; [exact L|subst o; lia|].
          pose proof (order_unit b m s W V w o k Hz L ltac:(congruence) Hiz). lia. }
        specialize (IH o Lo (conj Hz Sz)). unfold timely_D in IH.
        pose proof (p_unit _ _ _ _ _ _ _ _ P k o (ahead b s (w, o)) Hk Hq) as E.
        specialize (E ltac:(unfold own_before; repeat split; congruence || lia)). lia.
      - specialize (IHd z ltac:(lia) Hz ltac:(congruence) (or_intror Hbz)).
        pose proof (p_charge_D _ _ _ _ _ _ _ _ P k z (ahead b s z) (ahead b s y) Hk Hq Hi HF) as G.
        unfold charge_D in G. rewrite Hfz, Hf, Nat.eqb_refl in G.
        enough (passes b w q (ahead b s z) (ahead b s y) z) as X by (specialize (G X); lia).
        split; [exact Hz|]. split; [exact Nw|]. split; [exact Sz|]. split; [apply ahead_ahead, Bzy|].
        split; [apply (ahead_self m); assumption|apply ahead_gt; assumption].
    Qed.
    (** On a unit of [F]: from the end of the previous own initiation, or from the issue. *)
    Lemma late_D_queued k : in_section k -> 1 <= init (get b (w, k)) -> F (fu (get b (w, k))) = true -> timely_I k ->
      (forall j, j < k -> in_section j -> timely_D j) -> timely_D k.
    Proof.
      intros Sk Hi HF A IH. pose proof Sk as [Hk Hq]. unfold timely_D. set (f := fu (get b (w, k))) in *.
      pose proof (v_start _ _ _ V _ Hk) as HS. set (t0 := max T (I s (w, k))).
      set (own := fun o => (fu (get b (w, o)) =? f) && (sec (get b (w, o)) =? q)).
      set (ends := t0 :: map (fun o => D s (w, o) + ai s (w, o)) (filter own (seq 0 k))).
      assert (forall o, In o (filter own (seq 0 k)) -> o < k /\ in_section o
                /\ D s (w, o) + ai s (w, o) + Q f <= T + pD k (ahead b s (w, k))) as Before.
      { intros o Ho. apply filter_In in Ho as [Lo Fo]. apply in_seq in Lo. apply andb_prop in Fo as [Fo So].
        apply Nat.eqb_eq in Fo, So.
        assert (In (w, o) (keys b)) as Ko by (eapply keys_before; [exact Hk|lia]).
        split; [lia|]. split; [split; assumption|].
        pose proof (IH o ltac:(lia) (conj Ko So)) as B. unfold timely_D in B.
        pose proof (p_unit _ _ _ _ _ _ _ _ P k o (ahead b s (w, o)) Hk Hq) as E. fold f in E. rewrite HF in E.
        specialize (E ltac:(unfold own_before; repeat split; congruence || lia)).
        pose proof (v_init _ _ _ V _ Ko).
        assert (before b s (w, o) (w, k) = true) as X.
        { apply before_iff. left. apply (order_unit b m s W V w k o Hk ltac:(lia) Fo Hi). }
        pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (ahead_ahead b s _ _ X)). lia. }
      assert (t0 + Q f <= T + pD k (ahead b s (w, k))) as At0.
      { specialize (A _ (le_n _)).
        pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (issued_ahead b s (w, k))) as [_ Mo].
        pose proof (p_start _ _ _ _ _ _ _ _ P k (issued b s (I s (w, k))) Hk Hq) as E.
        fold f in E. rewrite HF in E. unfold t0. lia. }
      assert (list_max ends + Q f <= T + pD k (ahead b s (w, k))) as Aends.
      { pose proof (list_max_in ends ltac:(discriminate)) as [<-|Hin]; [exact At0|].
        apply in_map_iff in Hin as [o [<- Ho]]. apply (Before o Ho). }
      destruct (le_lt_dec (D s (w, k)) (list_max ends)) as [L|L]; [lia|].
      assert (t0 <= list_max ends) as L0 by (apply list_max_ge; left; reflexivity).
      enough (D s (w, k) - list_max ends <= Q f) by lia.
      apply (Queues f t0 _ HF).
      apply (crowd m b s _ _ (list_max ends) _ V); [intros y Hy; apply filter_In in Hy; apply Hy|].
      intros t Ht. transitivity (n_init b s f t).
      { apply (v_asap _ _ _ V (w, k) t Hk). unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia. }
      unfold n_init, count, pending. rewrite filter_both. apply filter_le. intros y Hy G.
      apply andb_prop in G as [Hf G]. rewrite Hf, G. unfold on in Hf. apply Nat.eqb_eq in Hf.
      unfold initiates in G. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in G.
      pose proof (started_of k y Sk Hy Hf ltac:(lia)) as LI.
      assert (sec (get b y) = q) as Sy.
      { apply (of_section y k t Hy Sk); [lia|unfold C; lia|lia]. }
      rewrite Sy, Nat.eqb_refl, !andb_true_r, !andb_true_iff, Nat.leb_le, Nat.ltb_lt. simpl.
      split; [|lia]. apply negb_true_iff, Nat.eqb_neq. intros Ew. destruct y as [v j]. simpl in Ew. subst v.
      assert (j < k) as Lj.
      { destruct (lt_eq_lt_dec j k) as [[X|X]|X]; [exact X|subst j; lia|].
        pose proof (order_unit b m s W V w j k Hy X (eq_sym Hf)) as O.
        specialize (O (same_unit b W (w, k) (w, j) Hk Hy (eq_sym Hf) Hi)). lia. }
      assert (In (D s (w, j) + ai s (w, j)) ends) as X; [|apply list_max_ge in X; lia].
      right. apply in_map_iff. exists j. split; [reflexivity|]. apply filter_In.
      split; [apply in_seq; lia|]. unfold own. rewrite Hf, Sy, !Nat.eqb_refl. reflexivity.
    Qed.

    Lemma late : forall k, in_section k -> timely_I k /\ timely_D k.
    Proof.
      induction k as [k IH] using lt_wf_ind. intros Sk. pose proof Sk as [Hk Hq].
      assert (timely_I k) as A by (apply late_I; assumption). split; [exact A|].
      destruct (Nat.eq_dec (init (get b (w, k))) 0) as [E|N].
      - destruct (v_none _ _ _ V w k Hk E) as [HD _]. unfold timely_D. rewrite HD.
        specialize (A _ (le_n _)). pose proof (start_le k (issued b s (I s (w, k))) Sk).
        pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (issued_ahead b s (w, k))). lia.
      - destruct (F (fu (get b (w, k)))) eqn:HF.
        + apply late_D_queued; auto; [lia|]. intros j Hj Sj. apply (IH j Hj Sj).
        + apply (late_D_charged k Sk ltac:(lia) HF A); auto. intros j Hj Sj. apply (IH j Hj Sj).
    Qed.

    (** The section of [w] takes no longer than its potential says, all of the others being done. *)
    Lemma potential_section k : in_section k ->
      C s (w, k) <= T + (pD k (everything b) + init (get b (w, k)) + lat (get b (w, k))).
    Proof.
      intros Sk. destruct (late k Sk) as [_ B]. destruct Sk as [Hk _]. unfold timely_D in B.
      pose proof (p_mono _ _ _ _ _ _ _ _ P k _ _ (ahead_all b s (w, k))).
      pose proof (v_init _ _ _ V _ Hk). pose proof (v_lat _ _ _ V _ Hk). unfold C. lia.
    Qed.
  End OneSection.

  (** Where a potential is 0 before any other warp has issued something, nothing takes time. *)
  Definition none : progress := fun _ => 0.

  Lemma slow_start w q F Q pI pD : potential m b F Q w q pI pD ->
    timeless b w q (fun j => In (w, j) (keys b) /\ sec (get b (w, j)) = q /\ pI j none = 0 /\ init (get b (w, j)) = 0).
  Proof.
    intros P k [Hk [Hq [Hz Hu]]]. destruct (W w k Hk) as [_ [Wp _]].
    split; [exact Hk|]. split; [exact Hq|]. split; [exact Hu|]. split.
    - intros j -> Sj. pose proof (p_next _ _ _ _ _ _ _ _ P j none Hk Sj Hq).
      pose proof (keys_before _ _ _ j Hk ltac:(lia)). repeat split; auto; lia.
    - intros p Hp Sp. specialize (Wp p Hp). pose proof (p_ops _ _ _ _ _ _ _ _ P k p none Hk Hq Hp Sp).
      pose proof (keys_before _ _ _ p Hk ltac:(lia)) as Kp.
      pose proof (p_start _ _ _ _ _ _ _ _ P p none Kp Sp). repeat split; auto; lia.
  Qed.

  (** *** Potentials for every warp and section whose ends are at most [B q], where something
      takes time, give the bound Σ B. *)
  Theorem potential_bound (B : nat -> nat) :
    (forall w q, w < length b -> exists F Q pI pD, potential m b F Q w q pI pD /\ queues_ok m b s F Q w q
       /\ forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
            0 < pD k none + init (get b (w, k)) + lat (get b (w, k)) ->
            pD k (everything b) + init (get b (w, k)) + lat (get b (w, k)) <= B q) ->
    forall x, In x (keys b) -> C s x <= total m b B.
  Proof.
    intros H. apply (sections_ok m b s B V). intros q T O [w k] Hk Hq.
    destruct (H w q (proj1 (proj1 (in_keys _ _ _) Hk))) as [F [Q [pI [pD [P [Hqu HB]]]]]].
    pose proof (potential_section w q T F Q pI pD O P Hqu k (conj Hk Hq)) as H1. specialize (HB k Hk Hq).
    destruct (Nat.eq_dec (pD k none + init (get b (w, k)) + lat (get b (w, k))) 0) as [E|E]; [|specialize (HB ltac:(lia)); lia].
    pose proof (p_start _ _ _ _ _ _ _ _ P k none Hk Hq).
    destruct (timeless_done m b s w q T _ W V (slow_start w q F Q pI pD P)) with (k := k) as [D1 I1].
    - rewrite Zero. lia.
    - intros y Hy _ Hs. apply (O y Hy Hs).
    - intros y Hy _ Hs. apply (O y Hy Hs).
    - repeat split; auto; lia.
    - pose proof (v_init _ _ _ V _ Hk). pose proof (v_lat _ _ _ V _ Hk). unfold C. lia.
  Qed.
End Bound.
