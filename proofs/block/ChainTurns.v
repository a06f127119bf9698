(** * [chg] of docs/sub-core-bounds.md, section 1, as a longest path *)

From Warpbound Require Import Base Cycles Model Paths ChainWalk ChainSlot.

Lemma differ_through a c d : differ a d <= differ a c + differ c d.
Proof.
  unfold differ. destruct (Nat.eqb_spec a c), (Nat.eqb_spec c d), (Nat.eqb_spec a d); subst; lia.
Qed.

(** From all instructions of older sections of the thread block. *)
Definition turn_preds (b : block) (m : machine) (x : key) : list (key * nat) :=
  map (fun y => (y, differ (core m (fst y)) (core m (fst x))))
    (filter (fun y => (group m (fst y) =? group m (fst x)) && (sec (get b y) <? sec (get b x)))
      (keys b)).

(** The most changes of sub-core on a chain to an instruction. *)
Definition turnsI (b : block) (m : machine) : key -> nat := lp (turn_preds b m) (enough b).

Section Turns.
  Variables (b : block) (m : machine).

  Lemma turn_preds_in x e : In e (turn_preds b m x) <->
    exists y, e = (y, differ (core m (fst y)) (core m (fst x)))
    /\ In y (keys b) /\ group m (fst y) = group m (fst x) /\ sec (get b y) < sec (get b x).
  Proof.
    unfold turn_preds. rewrite in_map_iff. split.
    - intros [y [<- Hy]]. apply filter_In in Hy as [Hy E].
      rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt in E. exists y. tauto.
    - intros [y [-> [Hy E]]]. exists y. split; [reflexivity|]. apply filter_In.
      rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt. tauto.
  Qed.

  Lemma turn_ranked x e : In x (keys b) -> In e (turn_preds b m x) -> In (fst e) (keys b) /\
    rank b (fst e) < rank b x.
  Proof.
    intros Hx He. apply turn_preds_in in He as [y [-> [Hy [_ Hs]]]]. split; [exact Hy|].
    apply rank_sec; assumption.
  Qed.

  Lemma turns_alike x y : group m (fst y) = group m (fst x) -> sec (get b y) = sec (get b x) ->
    core m (fst y) = core m (fst x) -> turnsI b m y = turnsI b m x.
  Proof.
    intros H1 H2 H3. unfold turnsI. destruct (enough b) as [|f]; [reflexivity|]. cbn [lp].
    unfold turn_preds. rewrite H1, H2, H3. reflexivity.
  Qed.

  (** *** The longest path is a certificate, *)
  Theorem turnsI_cert : turns_cert m b (turnsI b m).
  Proof.
    intros x y Hx Hy Hg. split.
    - intros Hs. assert (In (y, differ (core m (fst y)) (core m (fst x))) (turn_preds b m x)) as He
        by (apply turn_preds_in; eauto). apply (lp_edge (turn_preds b m) (fun x => In x (keys b))
        (rank b) turn_ranked _ x _ Hx (enough_ok b x Hx) He).
    - intros Hs Hc. rewrite (turns_alike x y Hg Hs Hc). apply le_n.
  Qed.

  (** *** and the least. *)
  Theorem turnsI_least h : turns_cert m b h -> forall x, In x (keys b) -> turnsI b m x <= h x.
  Proof.
    intros Hh. apply (lp_least _ (fun x => In x (keys b)) (rank b) turn_ranked). intros x e Hx He.
    apply turn_preds_in in He as [y [-> [Hy [Hg Hs]]]]. apply (proj1 (Hh x y Hx Hy Hg)), Hs.
  Qed.

  (** *** A pass over the sections with instructions, one behind the other, is enough: edges between
      sections with one between them follow. *)
  Theorem turns_steps h :
    (forall x y, In x (keys b) -> In y (keys b) -> group m (fst y) = group m (fst x) ->
       (sec (get b y) < sec (get b x) ->
          (forall u, In u (keys b) -> group m (fst u) = group m (fst x) -> ~ sec (get b y)
            < sec (get b u) < sec (get b x)) ->
          h y + differ (core m (fst y)) (core m (fst x)) <= h x)
       /\ (sec (get b y) = sec (get b x) -> core m (fst y) = core m (fst x) -> h y <= h x)) ->
            turns_cert m b h.
  Proof.
    intros H. assert (forall n x y, sec (get b x) - sec (get b y) < n -> In x (keys b) ->
      In y (keys b) -> group m (fst y) = group m (fst x) -> sec (get b y) < sec (get b x) ->
      h y + differ (core m (fst y)) (core m (fst x)) <= h x) as A.
    { induction n as [|n IH]; [lia|]. intros x y Hn Hx Hy Hg Hs.
      destruct (existsb (fun u => (group m (fst u) =? group m (fst x))
        && ((sec (get b y) <? sec (get b u)) && (sec (get b u) <? sec (get b x)))) (keys b)) eqn:E.
      - apply existsb_exists in E as [u [Hu E]].
        rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt in E. destruct E as [G [S1 S2]].
        pose proof (IH u y ltac:(lia) Hu Hy ltac:(congruence) S1).
        pose proof (IH x u ltac:(lia) Hx Hu G S2).
        pose proof (differ_through (core m (fst y)) (core m (fst u)) (core m (fst x))). lia.
      - apply (proj1 (H x y Hx Hy Hg) Hs). intros u Hu G [S1 S2]. apply not_true_iff_false in E.
        apply E, existsb_exists. exists u. rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt. auto. }
    intros x y Hx Hy Hg.
    split; [intros Hs; apply (A _ x y (le_n _)); assumption|apply (H x y Hx Hy Hg)].
  Qed.
End Turns.
