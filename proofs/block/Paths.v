(** * The latency path as a longest path; it is the least certificate *)

From Warpbound Require Import Base Cycles Model Elb.

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

(** No rank is as large as [enough]. *)
Definition enough (b : block) : nat := S (list_max (map (rank b) (keys b))).

(** The longest latency path to an issue. *)
Definition lamI (b : block) (m : machine) : key -> nat := lp (lam_preds b m) (enough b).

Section Certificates.
  Variables (b : block) (m : machine).
  Hypothesis W : wf b.

  Lemma enough_ok x : In x (keys b) -> rank b x < enough b.
  Proof. intros Hx. unfold enough. apply le_n_S, list_max_ge, in_map_iff. eauto. Qed.

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

  (** The computed latency paths are a certificate. *)
  Theorem lamI_cert : lam_cert m b (lamI b m).
  Proof.
    apply lam_preds_cert. intros x e Hx He.
    apply (lp_edge _ (fun x => In x (keys b)) (rank b)); auto using lam_ranked, enough_ok.
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

(** ** The bound as a function of block and machine *)

(** ELB is E and the longest latency path. *)
Definition ELB (b : block) (m : machine) : nat := E b + top b (lamI b m).
(** Each instruction is complete within the computed ELB. *)
Theorem ELB_bound m b s : machine_ok m -> wf b -> valid m b s ->
  forall x, In x (keys b) -> C s x <= begin s (group m (fst x)) + ELB b m.
Proof.
  intros M W V x Hx. unfold ELB. rewrite Nat.add_assoc.
  apply (elb m b s M W V _ (lamI_cert b m W) x Hx).
Qed.
