(** * The latency path and isolation as longest paths; they are the least certificates *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb Sib.
Import ListNotations.

(** Longest path into a node, by recursion over the edges into it. *)
Fixpoint lp {A} (preds : A -> list (A * nat)) (fuel : nat) (x : A) : nat :=
  match fuel with
  | 0 => 0
  | S f => list_max (map (fun e => lp preds f (fst e) + snd e) (preds x))
  end.

Section Longest.
  Context {A : Type}.
  Variables (preds : A -> list (A * nat)) (P : A -> Prop) (rank : A -> nat).
  Hypothesis R : forall x e, P x -> In e (preds x) -> P (fst e) /\ rank (fst e) < rank x.

  Lemma lp_fuel : forall f g x, P x -> rank x < f -> rank x < g -> lp preds f x = lp preds g x.
  Proof.
    induction f as [|f IH]; intros [|g] x Hx Hf Hg; try lia. simpl. f_equal.
    apply map_ext_in. intros e He. destruct (R x e Hx He). f_equal. apply IH; auto; lia.
  Qed.

  Lemma lp_edge f x e : P x -> rank x < f -> In e (preds x) ->
    lp preds f (fst e) + snd e <= lp preds f x.
  Proof.
    intros Hx Hf He. destruct (R x e Hx He).
    rewrite (lp_fuel f (S f) x) by (auto; lia).
    cbn [lp]. apply list_max_ge, in_map_iff. eauto.
  Qed.

  Lemma lp_least (L : A -> nat) :
    (forall x e, P x -> In e (preds x) -> L (fst e) + snd e <= L x) ->
    forall f x, P x -> lp preds f x <= L x.
  Proof.
    intros HL. induction f as [|f IH]; intros x Hx; simpl; [lia|].
    apply list_max_le, Forall_forall. intros n Hn. apply in_map_iff in Hn as [e [<- He]].
    specialize (HL x e Hx He). specialize (IH (fst e) (proj1 (R x e Hx He))). lia.
  Qed.
End Longest.

(** Edges of the latency path (section 8 of the page). *)
Definition lam_preds (b : block) (m : machine) (x : key) : list (key * nat) :=
  let (w, k) := x in
  match k with 0 => [] | S j => [((w, j), 0)] end
  ++ map (fun p => ((w, p), lat (get b (w, p)))) (ops (get b x))
  ++ map (fun y => (y, release m (sec (get b x))))
       (filter (fun y => (group m (fst y) =? group m w) && (sec (get b y) <? sec (get b x)))
         (keys b)).

(** Edges of [G_s(w)] at depth 0. *)
Definition iso_preds (b : block) (x : key) : list (key * nat) :=
  let (w, k) := x in
  let same j := sec (get b (w, j)) =? sec (get b x) in
  match k with 0 => [] | S j => if same j then [((w, j), takes (get b (w, j)))] else [] end
  ++ map (fun p => ((w, p), init (get b (w, p)) + lat (get b (w, p)))) (filter same (ops (get b x)))
  ++ map (fun o => ((w, o), init (get b (w, o))))
       (filter (fun o => same o && on b (fu (get b x)) (w, o)) (seq 0 k)).

(** Numbers that respect these edges are certificates. *)
Lemma lam_preds_cert m b L : (forall x e, In x (keys b) -> In e (lam_preds b m x) ->
  L (fst e) + snd e <= L x) -> lam_cert m b L.
Proof.
  intros E w k Hk. pose proof (fun e => E (w, k) e Hk) as H. unfold lam_preds in H.
  split; [|split].
  - intros j ->. specialize (H ((w, j), 0)). simpl in H. rewrite Nat.add_0_r in H. auto.
  - intros p Hp. apply (H ((w, p), lat (get b (w, p)))). apply in_or_app; right.
    apply in_or_app; left. apply in_map_iff. eauto.
  - intros y Hy Hg Hs. apply (H (y, release m (sec (get b (w, k))))). apply in_or_app; right.
    apply in_or_app; right. apply in_map_iff. exists y. split; [reflexivity|].
    apply filter_In. split; [exact Hy|]. rewrite Hg, Nat.eqb_refl. apply Nat.ltb_lt, Hs.
Qed.

Lemma iso_preds_cert b L : (forall x e, In x (keys b) -> In e (iso_preds b x) ->
  L (fst e) + snd e <= L x) -> iso_cert b L.
Proof.
  intros E w k Hk. pose proof (fun e => E (w, k) e Hk) as H. unfold iso_preds in H.
  split; [|split].
  - intros j -> Hs. apply (H ((w, j), takes (get b (w, j)))). apply in_or_app; left.
    rewrite Hs, Nat.eqb_refl. left. reflexivity.
  - intros p Hp Hs. rewrite <- Nat.add_assoc.
    apply (H ((w, p), init (get b (w, p)) + lat (get b (w, p)))). apply in_or_app; right.
    apply in_or_app; left. apply in_map_iff. exists p. split; [reflexivity|].
    apply filter_In. split; [exact Hp|]. apply Nat.eqb_eq, Hs.
  - intros o Ho Hs Hf. apply (H ((w, o), init (get b (w, o)))). apply in_or_app; right.
    apply in_or_app; right. apply in_map_iff. exists o. split; [reflexivity|]. apply filter_In.
    split; [apply in_seq; lia|]. unfold on. rewrite Hs, Hf, !Nat.eqb_refl. reflexivity.
Qed.

(** No rank is as large as [enough]. *)
Definition enough (b : block) : nat := S (list_max (map (rank b) (keys b))).

(** The longest latency path to an issue. *)
Definition lamI (b : block) (m : machine) : key -> nat := lp (lam_preds b m) (enough b).
(** The isolation time of an issue at depth 0. *)
Definition isoI (b : block) : key -> nat := lp (iso_preds b) (enough b).

Section Certificates.
  Variables (b : block) (m : machine).
  Hypothesis W : wf b.

  Lemma enough_ok x : In x (keys b) -> rank b x < enough b.
  Proof.
    intros Hx. unfold enough. apply le_n_S, list_max_ge, in_map_iff. eauto.
  Qed.

  Lemma lam_ranked x e : In x (keys b) -> In e (lam_preds b m x) ->
    In (fst e) (keys b) /\ rank b (fst e) < rank b x.
  Proof.
    intros Hx He. destruct x as [w k]. unfold lam_preds in He.
    rewrite !in_app_iff, !in_map_iff in He. destruct He as [He|[[p [<- Hp]]|[y [<- Hy]]]].
    - destruct k as [|j]; [destruct He|]. destruct He as [<-|[]].
      apply (rank_prog b W); [exact Hx|lia].
    - apply (rank_prog b W); [exact Hx|]. apply W in Hx. apply Hx, Hp.
    - apply filter_In in Hy as [Hy Hs]. apply andb_prop in Hs as [_ Hs].
      apply Nat.ltb_lt in Hs. simpl. split; [exact Hy|]. apply rank_sec; assumption.
  Qed.

  Lemma iso_ranked x e : In x (keys b) -> In e (iso_preds b x) ->
    In (fst e) (keys b) /\ rank b (fst e) < rank b x.
  Proof.
    intros Hx He. destruct x as [w k]. unfold iso_preds in He.
    rewrite !in_app_iff, !in_map_iff in He. destruct He as [He|[[p [<- Hp]]|[y [<- Hy]]]].
    - destruct k as [|j]; [destruct He|].
      destruct (sec (get b (w, j)) =? sec (get b (w, S j))); [|destruct He].
      destruct He as [<-|[]]. apply (rank_prog b W); [exact Hx|lia].
    - apply filter_In in Hp as [Hp _]. apply (rank_prog b W); [exact Hx|]. apply W in Hx.
      apply Hx, Hp.
    - apply filter_In in Hy as [Hy _]. apply in_seq in Hy. apply (rank_prog b W); [exact Hx|lia].
  Qed.

  (** The computed latency paths are a certificate. *)
  Theorem lamI_cert : lam_cert m b (lamI b m).
  Proof.
    apply lam_preds_cert. intros x e Hx He.
    apply (lp_edge _ (fun x => In x (keys b)) (rank b)); auto using lam_ranked, enough_ok.
  Qed.

  Theorem isoI_cert : iso_cert b (isoI b).
  Proof.
    apply iso_preds_cert. intros x e Hx He.
    apply (lp_edge _ (fun x => In x (keys b)) (rank b)); auto using iso_ranked, enough_ok.
  Qed.

  (** No certificate of latency paths is less than the computed one. *)
  Theorem lamI_least L : lam_cert m b L -> forall x, In x (keys b) -> lamI b m x <= L x.
  Proof.
    intros HL. apply (lp_least _ (fun x => In x (keys b)) (rank b)); [apply lam_ranked|].
    intros [w k] e Hx He. destruct (HL w k Hx) as [L1 [L2 L3]]. unfold lam_preds in He.
    rewrite !in_app_iff, !in_map_iff in He. destruct He as [He|[[p [<- Hp]]|[y [<- Hy]]]].
    - destruct k as [|j]; [destruct He|]. destruct He as [<-|[]]. simpl. rewrite Nat.add_0_r. auto.
    - apply L2, Hp.
    - apply filter_In in Hy as [Hy Hs]. apply andb_prop in Hs as [Hg Hs].
      apply Nat.eqb_eq in Hg. apply Nat.ltb_lt in Hs. apply L3; assumption.
  Qed.
End Certificates.

(** ** The bounds as functions of block and machine *)

(** ELB is E and the longest latency path. *)
Definition ELB (b : block) (m : machine) : nat := E b + top b (lamI b m).
(** SIB at depth 0 with the computed isolation times. *)
Definition SIB (b : block) (m : machine) : nat := sib b m (isoI b).

(** Each instruction is complete within the computed ELB. *)
Theorem ELB_bound m b s : machine_ok m -> wf b -> valid m b s ->
  forall x, In x (keys b) -> C s x <= begin s (group m (fst x)) + ELB b m.
Proof.
  intros M W V x Hx. unfold ELB. rewrite Nat.add_assoc.
  apply (elb m b s M W V _ (lamI_cert b m W) x Hx).
Qed.

(** At depth 0 each instruction is complete within the computed SIB. *)
Theorem SIB_bound m b s : machine_ok m -> wf b -> valid m b s -> depth m = Some 0 ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= SIB b m.
Proof. intros M W V H O Z x Hx. apply (sib_bound m b s _ M W V H O Z (isoI_cert b W) x Hx). Qed.
