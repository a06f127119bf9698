(** * SIB at dispatch depth 0: docs/proofs.md, theorem 1 (SIB, d = 0)

    Any width, number of sub-cores and instances, with barriers and releases,
    for times up to the stated ones. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model.
Import ListNotations.

(** Certificate of the start of every instruction in isolation, counted from the
    start of its section: the edges of [G_s(w)]. *)
Definition iso_cert (b : block) (iso : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) ->
       iso (w, j) + takes (get b (w, j)) <= iso (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iso (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iso (w, k))
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) ->
       fu (get b (w, o)) = fu (get b (w, k)) ->
       iso (w, o) + init (get b (w, o)) <= iso (w, k)).

(** Warp [w] has an instruction on [f] in section [q]. *)
Definition uses (b : block) (w q f : nat) : bool :=
  existsb (fun x => (fst x =? w) && (sec (get b x) =? q) && on b f x) (keys b).

(** What can delay [w] in section [q]: instructions of other warps, of this section,
    that take slots of [w]'s sub-core or a unit that [w] uses. *)
Definition rival (b : block) (m : machine) (w q : nat) (y : key) : bool :=
  negb (fst y =? w) && (sec (get b y) =? q)
  && ((core m (fst y) =? core m w) || uses b w q (fu (get b y))).

Definition others (b : block) (m : machine) (w q : nat) : nat :=
  sum (fun y => init (get b y)) (filter (rival b m w q) (keys b)).

(** The term of section [q]: the largest, over warps, of isolation and the others' work. *)
Definition term (b : block) (m : machine) (iso : key -> nat) (q : nat) : nat :=
  list_max (map (fun x => iso x + init (get b x) + lat (get b x) + others b m (fst x) q)
                (filter (fun x => sec (get b x) =? q) (keys b))).

(** The bound on the release of section [q] and the completion of all before it. *)
Fixpoint start (b : block) (m : machine) (iso : key -> nat) (q : nat) : nat :=
  match q with
  | 0 => 0
  | S r => start b m iso r + term b m iso r + release m q
  end.

Definition last_sec (b : block) : nat := list_max (map (fun x => sec (get b x)) (keys b)).
Definition sib (b : block) (m : machine) (iso : key -> nat) : nat :=
  start b m iso (last_sec b) + term b m iso (last_sec b).

Section Sib.
  Variables (m : machine) (b : block) (s : schedule) (iso : key -> nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis Depth0 : depth m = Some 0.
  (* one thread block, on a clean SM *)
  Hypothesis One : forall v w, group m v = group m w.
  Hypothesis Zero : forall g, begin s g = 0.
  Hypothesis HI : iso_cert b iso.

  Lemma start_is_issue x : In x (keys b) -> D s x = I s x.
  Proof.
    intros Hx. destruct (v_room _ _ _ V x Hx) as [H|H]; [exact H|].
    rewrite Depth0 in H. lia.
  Qed.

  Section OneSection.
    Variables (q T : nat).
    Hypothesis Old : forall x, In x (keys b) -> sec (get b x) < q -> C s x <= T.
    Hypothesis Rel : forall x, In x (keys b) -> sec (get b x) < q -> forall g, I s x + takes (get b x) + ar s g q <= T.

    (** Cycles from [T] on in which a rival of [w] initiates. *)
    Definition hit (w t : nat) : bool :=
      (T <=? t) && existsb (initiates s t) (filter (rival b m w q) (keys b)).

    Lemma hit_sum w n : cnt (hit w) n <= others b m w q.
    Proof.
      etransitivity.
      { apply (cnt_le _ (fun t => existsb (initiates s t) (filter (rival b m w q) (keys b)))).
        intros t _ H. apply andb_prop in H as [_ H]. exact H. }
      etransitivity; [apply (cnt_exists (initiates s))|]. apply sum_le. intros x Hx.
      apply filter_In in Hx as [Hx _].
      pose proof (v_init _ _ _ V x Hx). pose proof (cnt_interval (D s x) (ai s x) n).
      unfold initiates. lia.
    Qed.

    Lemma rival_hit w k y t : In (w, k) (keys b) -> sec (get b (w, k)) = q ->
      T <= t -> t < I s (w, k) -> In y (keys b) -> initiates s t y = true ->
      fst y <> w -> (core m (fst y) = core m w \/ fu (get b y) = fu (get b (w, k))) ->
      hit w t = true.
    Proof.
      intros Hk Hq HT Ht Hy Hi Hw Hr. unfold hit. apply andb_true_intro. split; [apply Nat.leb_le; lia|].
      apply existsb_exists. exists y. split; [|exact Hi]. apply filter_In. split; [exact Hy|].
      unfold initiates in Hi. apply andb_prop in Hi as [Hi1 Hi2].
      apply Nat.leb_le in Hi1. apply Nat.ltb_lt in Hi2.
      assert (sec (get b y) = q) as Hs.
      { destruct (lt_eq_lt_dec (sec (get b y)) q) as [[H|H]|H]; [|exact H|].
        - specialize (Old y Hy H). unfold C in Old. lia.
        - rewrite <- Hq in H. pose proof (v_barrier _ _ _ V y (w, k) Hy Hk (One _ _) H).
          pose proof (v_start _ _ _ V y Hy). lia. }
      unfold rival. rewrite !andb_true_iff. split; [split|].
      - apply negb_true_iff, Nat.eqb_neq, Hw.
      - apply Nat.eqb_eq, Hs.
      - apply orb_true_iff. destruct Hr as [Hr|Hr]; [left; apply Nat.eqb_eq, Hr|right].
        apply existsb_exists. exists (w, k). split; [exact Hk|]. unfold on. simpl.
        rewrite Nat.eqb_refl, Hq, Nat.eqb_refl, Hr, Nat.eqb_refl. reflexivity.
    Qed.

    Lemma issue_late0 w : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
      I s (w, k) <= (T + iso (w, k)) + cnt (hit w) (I s (w, k)).
    Proof.
      induction k as [k IH] using lt_wf_ind. intros Hk Hq.
      destruct (HI w k Hk) as [H1 [H2 H3]]. destruct (W w k Hk) as [_ [Wp Ws]].
      assert (forall j, j < k -> In (w, j) (keys b)) as Kj by (intros; eapply keys_before; [exact Hk|lia]).
      set (same := fun j => sec (get b (w, j)) =? q).
      set (ys := T :: match k with 0 => [] | S j => if same j then [I s (w, j) + takes (get b (w, j))] else [] end
           ++ map (fun p => C s (w, p)) (filter same (ops (get b (w, k))))
           ++ map (fun o => I s (w, o) + ai s (w, o))
                (filter (fun o => same o && on b (fu (get b (w, k))) (w, o)) (seq 0 k))).
      assert (forall y, In y ys ->
        (y <= I s (w, k) -> y <= (T + iso (w, k)) + cnt (hit w) y)
        /\ (I s (w, k) < y -> I s (w, k) <= (T + iso (w, k)) + cnt (hit w) (I s (w, k)))) as Y.
      { intros y Hy. unfold ys in Hy. cbn [In] in Hy. rewrite !in_app_iff, !in_map_iff in Hy.
        destruct Hy as [<-|[Hy|[[p [<- Hp]]|[o [<- Ho]]]]].
        - split; lia.
        - destruct k as [|j]; [destruct Hy|]. destruct (same j) eqn:Sj; [|destruct Hy].
          destruct Hy as [<-|[]]. apply Nat.eqb_eq in Sj.
          pose proof (IH j ltac:(lia) (Kj j ltac:(lia)) Sj) as B.
          specialize (H1 j eq_refl ltac:(congruence)).
          pose proof (v_order _ _ _ V w j Hk).
          pose proof (cnt_mono (hit w) (I s (w, j)) (I s (w, j) + takes (get b (w, j))) ltac:(lia)). split; lia.
        - apply filter_In in Hp as [Hp Sp]. apply Nat.eqb_eq in Sp.
          pose proof (Wp p Hp) as Lp.
          pose proof (IH p Lp (Kj p Lp) Sp) as B. specialize (H2 p Hp ltac:(congruence)).
          pose proof (v_ops _ _ _ V w k p Hk Hp) as Ho.
          pose proof (v_init _ _ _ V _ (Kj p Lp)). pose proof (v_lat _ _ _ V _ (Kj p Lp)).
          unfold C in *. rewrite (start_is_issue _ (Kj p Lp)) in *.
          pose proof (cnt_mono (hit w) (I s (w, p)) (I s (w, p) + ai s (w, p) + al s (w, p)) ltac:(lia)).
          split; lia.
        - apply filter_In in Ho as [Lo So]. apply in_seq in Lo. apply andb_prop in So as [So Fo].
          apply Nat.eqb_eq in So. apply Nat.eqb_eq in Fo.
          pose proof (IH o ltac:(lia) (Kj o ltac:(lia)) So) as B.
          specialize (H3 o ltac:(lia) ltac:(congruence) Fo).
          pose proof (v_init _ _ _ V _ (Kj o ltac:(lia))).
          pose proof (order_le _ _ _ V w k o Hk ltac:(lia)).
          split; intros Hle.
          + pose proof (cnt_mono (hit w) (I s (w, o)) (I s (w, o) + ai s (w, o)) ltac:(lia)). lia.
          + pose proof (cnt_mono (hit w) (I s (w, o)) (I s (w, k)) ltac:(lia)). lia. }
      apply (walk _ _ _ ys).
      - intros y Hy. apply Y, Hy.
      - intros y Hy. apply Y, Hy.
      - intros t Ht Hys.
        assert (T <= t) as HT by (apply Hys; left; reflexivity).
        assert (forall j, j < k -> sec (get b (w, j)) <> q -> C s (w, j) <= t) as Oldj.
        { intros j Hj Hn. specialize (Ws j Hj). etransitivity; [apply Old|exact HT]; [auto|lia]. }
        assert (eligible b m s w k t) as He.
        { split; [exact Ht|]. split; [rewrite Zero; lia|]. split; [|split].
          - intros j ->. destruct (same j) eqn:Sj.
            + apply Hys. right. apply in_or_app. left.
              left. reflexivity.
            + apply Nat.eqb_neq in Sj. pose proof (Oldj j ltac:(lia) Sj) as H.
              pose proof (v_start _ _ _ V _ (Kj j ltac:(lia))). pose proof (v_init _ _ _ V _ (Kj j ltac:(lia))).
              unfold C in H. lia.
          - intros p Hp. destruct (same p) eqn:Sp.
            + apply Hys. right. apply in_or_app. right. apply in_or_app. left.
              apply in_map_iff. exists p. split; [reflexivity|]. apply filter_In. auto.
            + apply Nat.eqb_neq in Sp. auto.
          - intros y Hy _ Hs. rewrite Hq in *. specialize (Rel y Hy Hs (group m w)). lia. }
        destruct (v_conserving _ _ _ V w k t Hk He) as [H|[H _]].
        + (* a slot *)
          pose proof (proj2 M).
          destruct (issue_some b m s (core m w) t) as [y [Hy [Hc [Hp Hu]]]]; [lia|].
          apply (rival_hit w k y t); auto.
          * unfold initiates. rewrite (start_is_issue y Hy). pose proof (v_init _ _ _ V y Hy).
            apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
          * destruct y as [v j]. simpl. intros ->.
            destruct (lt_eq_lt_dec j k) as [[L|L]|L].
            -- destruct k as [|k']; [lia|]. destruct He as [_ [_ [He _]]]. specialize (He k' eq_refl).
               destruct (Nat.eq_dec j k') as [->|N]; [lia|].
               pose proof (order_lt _ _ _ V w k' j ltac:(auto) ltac:(lia) Hu). lia.
            -- subst j. lia.
            -- pose proof (order_le _ _ _ V w j k Hy L). lia.
        + (* the unit *)
          pose proof (proj1 M (fu (get b (w, k)))).
          destruct (count_pos b (fun x => on b (fu (get b (w, k))) x && initiates s t x)) as [y [Hy Hp]].
          { unfold n_init in H. lia. }
          apply andb_prop in Hp as [Hf Hp]. apply Nat.eqb_eq in Hf.
          apply (rival_hit w k y t); auto.
          unfold initiates in Hp. apply andb_prop in Hp as [Hi1 Hi2].
          apply Nat.leb_le in Hi1. apply Nat.ltb_lt in Hi2.
          destruct y as [v j]. simpl. intros ->. rewrite (start_is_issue _ Hy) in *.
          destruct (le_lt_dec k j) as [L|L].
          * destruct (Nat.eq_dec j k) as [->|N]; [lia|].
            pose proof (order_le _ _ _ V w j k Hy ltac:(lia)). lia.
          * destruct (Nat.eq_dec (sec (get b (w, j))) q) as [Sj|Sj].
            -- enough (I s (w, j) + ai s (w, j) <= t) by lia. apply Hys. right.
               apply in_or_app. right. apply in_or_app. right. apply in_map_iff. exists j.
               split; [reflexivity|]. apply filter_In. split; [apply in_seq; lia|].
               unfold same, on. rewrite Sj, Hf, !Nat.eqb_refl. reflexivity.
            -- pose proof (Oldj j L Sj) as HC. unfold C in HC. rewrite (start_is_issue _ Hy) in HC. lia.
    Qed.

    Lemma section_end x : In x (keys b) -> sec (get b x) = q -> C s x <= T + term b m iso q.
    Proof.
      intros Hx Hq. destruct x as [w k]. pose proof (issue_late0 w k Hx Hq) as H.
      pose proof (hit_sum w (I s (w, k))). pose proof (v_init _ _ _ V _ Hx).
      pose proof (v_lat _ _ _ V _ Hx). unfold C. rewrite (start_is_issue _ Hx).
      assert (iso (w, k) + init (get b (w, k)) + lat (get b (w, k)) + others b m w q <= term b m iso q).
      { apply list_max_ge, in_map_iff. exists (w, k). split; [reflexivity|].
        apply filter_In. split; [exact Hx|]. apply Nat.eqb_eq, Hq. }
      lia.
    Qed.
  End OneSection.

  Lemma start_ok q :
    (forall x, In x (keys b) -> sec (get b x) < q -> C s x <= start b m iso q)
    /\ (forall x, In x (keys b) -> sec (get b x) < q -> forall g, I s x + takes (get b x) + ar s g q <= start b m iso q).
  Proof.
    induction q as [|q [IH1 IH2]]; [split; intros; lia|].
    assert (forall x, In x (keys b) -> sec (get b x) < S q ->
              C s x <= start b m iso q + term b m iso q) as H.
    { intros x Hx Hs. destruct (Nat.eq_dec (sec (get b x)) q) as [E|N].
      - apply section_end; auto.
      - specialize (IH1 x Hx ltac:(lia)). lia. }
    split; intros x Hx Hs; specialize (H x Hx Hs); cbn [start]; [lia|]. intros g.
    pose proof (v_rel _ _ _ V g (S q)). pose proof (v_start _ _ _ V x Hx).
    pose proof (v_init _ _ _ V x Hx). unfold C in H. lia.
  Qed.

  (** *** Theorem 1, SIB at depth 0, with barriers *)
  Theorem sib_bound x : In x (keys b) -> C s x <= sib b m iso.
  Proof.
    intros Hx. destruct (start_ok (sec (get b x))) as [H1 H2].
    pose proof (section_end _ _ H1 H2 x Hx eq_refl) as H.
    assert (sec (get b x) <= last_sec b) as Hq.
    { apply list_max_ge, in_map_iff. eauto. }
    unfold sib. destruct (Nat.eq_dec (sec (get b x)) (last_sec b)) as [<-|N]; [exact H|].
    assert (forall d, start b m iso (sec (get b x)) + term b m iso (sec (get b x))
              <= start b m iso (S (sec (get b x)) + d)) as Hs.
    { induction d as [|d IHd]; [rewrite Nat.add_0_r; cbn [start]; lia|].
      rewrite Nat.add_succ_r. cbn [start]. lia. }
    specialize (Hs (last_sec b - S (sec (get b x)))).
    replace (S (sec (get b x)) + (last_sec b - S (sec (get b x)))) with (last_sec b) in Hs by lia. lia.
  Qed.
End Sib.
