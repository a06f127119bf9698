(** * Every potential is a bound: docs/proofs.md, theorems 1 and 3 *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Potential.
Import ListNotations.

(** Depths for which [hold] is how long an instruction can hold back others. *)
Definition depth_proven (m : machine) : Prop := depth m = None \/ depth m = Some 0.

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
  Hypothesis Depth : depth_proven m.
  (* one thread block, on a clean SM *)
  Hypothesis One : forall v w, group m v = group m w.
  Hypothesis Zero : forall g, begin s g = 0.

  (** Where a unit takes nothing, an instruction issued no later holds it. *)
  Lemma held f t : blocked b m s f t ->
    exists y, In y (keys b) /\ fu (get b y) = f /\ I s y <= t < C s y /\ t < I s y + hold m b y
      /\ match depth m with None => False | Some 0 => t < D s y + ai s y | Some (S _) => t < D s y end.
  Proof.
    intros [H1 H2]. destruct Depth as [E|E]; rewrite E in H2; [destruct H2|].
    pose proof (proj1 M f). destruct (count_pos _ _ (Nat.le_trans _ _ _ H H1)) as [y [Hy P]].
    unfold on, initiates in P. rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in P.
    pose proof (v_init _ _ _ V y Hy). unfold hold, C. rewrite E. exists y.
    assert (D s y = I s y) as Q; [|rewrite Q in *; repeat split; tauto || lia].
    destruct (v_room _ _ _ V y Hy) as [R|R]; [exact R|]. rewrite E in R. lia.
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
        destruct (held _ _ H) as [y [Hy [Hf [Ht [Hh Hs]]]]].
        assert (sec (get b y) = q) as Sy by (apply (of_section y k (x - 1) Hy Sk ltac:(lia)); lia).
        destruct (Nat.eq_dec (fst y) w) as [Ew|Nw].
        + destruct y as [v j]. simpl in Ew. subst v. destruct (Own j Hy ltac:(lia)) as [Lj _].
          destruct (IH j Lj (conj Hy Sy)) as [A B].
          pose proof (fun J => p_room _ _ _ _ _ _ _ _ P k j J Hk Hq (conj Lj (conj (eq_trans Sy (eq_sym Hq)) (conj Hf Hi)))) as R.
          pose proof (v_init _ _ _ V _ Hy).
          destruct (depth m) as [[|d]|]; [| |destruct Hs].
          * apply (edge_late j k (init (get b (w, j))) x A B (conj Hy Sy) R). lia.
          * apply (edge_late j k 0 x A B (conj Hy Sy)); [intros J; specialize (R J); lia|lia].
        + apply (rival_late k y x Sk Hi Hx Hy); auto; try lia.
          unfold charge_I. rewrite Hf, Nat.eqb_refl. lia.
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

  (** *** Potentials for every warp and section whose ends are at most [B q] give the bound Σ B. *)
  Theorem potential_bound (B : nat -> nat) :
    (forall w q, w < length b -> exists F Q pI pD, potential m b F Q w q pI pD /\ queues_ok m b s F Q w q
       /\ forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
            pD k (everything b) + init (get b (w, k)) + lat (get b (w, k)) <= B q) ->
    forall x, In x (keys b) -> C s x <= total m b B.
  Proof.
    intros H. apply (sections_ok m b s B V). intros q T O [w k] Hk Hq.
    destruct (H w q (proj1 (proj1 (in_keys _ _ _) Hk))) as [F [Q [pI [pD [P [Hqu HB]]]]]].
    pose proof (potential_section w q T F Q pI pD O P Hqu k (conj Hk Hq)).
    specialize (HB k Hk Hq). lia.
  Qed.
End Bound.
