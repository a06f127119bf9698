(** * Executions up to a cycle: docs/proofs.md, section 1

    [valid] speaks of schedules in which every instruction is issued.  Here is the
    same for an execution that has gone through the cycles before [n]: what is issued
    or started in [n] or later is not yet known, so its times are any from [n] on.
    File Progress.v proves that an execution always goes on and issues everything. *)

From Warpbound Require Import Base Cycles Model.

(** R1 to R5 and R7 of what is issued and started before [n]. *)
Record safe (m : machine) (b : block) (s : schedule) (n : nat) : Prop := {
  s_init : forall x, In x (keys b) -> takes (get b x) <= ai s x <= init (get b x);
  s_lat : forall x, In x (keys b) -> al s x <= lat (get b x);
  s_rel : forall g k, ar s g k <= release m k;
  s_begin : forall x, In x (keys b) -> I s x < n -> begin s (group m (fst x)) <= I s x;
  s_order : forall w k, In (w, S k) (keys b) -> I s (w, S k) < n ->
              I s (w, k) + takes (get b (w, k)) <= I s (w, S k);
  s_ops : forall w k p, In (w, k) (keys b) -> I s (w, k) < n -> In p (ops (get b (w, k))) ->
              C s (w, p) <= I s (w, k);
  s_start : forall x, In x (keys b) -> I s x < n \/ D s x < n -> I s x <= D s x;
  s_cap : forall f t, t < n -> n_init b s f t <= inst m f;
  s_fifo : forall x y, In x (keys b) -> In y (keys b) ->
              fu (get b x) = fu (get b y) -> I s x < I s y -> D s y < n -> D s x <= D s y;
  s_queue : forall f t, t < n ->
              match depth m with None => True | Some d => n_wait b s f t <= d end;
  s_width : forall c t, t < n -> n_issue b m s c t <= width m;
  s_barrier : forall x y, In x (keys b) -> In y (keys b) -> I s x < n ->
              group m (fst y) = group m (fst x) -> sec (get b y) < sec (get b x) ->
              I s y + takes (get b y) + ar s (group m (fst x)) (sec (get b x)) <= I s x;
  s_none : forall x, In x (keys b) -> I s x < n -> init (get b x) = 0 -> D s x = I s x
}.

(** No idling (R3, R6) before [n]. *)
Definition busy_units (m : machine) (b : block) (s : schedule) (t : nat) : Prop :=
  forall x, In x (keys b) -> waits s t x = true ->
  inst m (fu (get b x)) <= n_init b s (fu (get b x)) t.

(** Rule R6 holds in cycle [t]. *)
Definition conserving (m : machine) (b : block) (s : schedule) (t : nat) : Prop :=
  forall w k, In (w, k) (keys b) -> eligible b m s w k t ->
    1 <= init (get b (w, k))
    /\ (n_issue b m s (core m w) t = width m \/ blocked b m s (fu (get b (w, k))) t).

(** Rules R3 and R6 hold in every cycle before [n]. *)
Definition live (m : machine) (b : block) (s : schedule) (n : nat) : Prop :=
  forall t, t < n -> busy_units m b s t /\ conserving m b s t.

(** An execution up to cycle [n] keeps all rules until then. *)
Definition prefix (m : machine) (b : block) (s : schedule) (n : nat) : Prop :=
  safe m b s n /\ live m b s n.

Lemma count_ext b p q : (forall x, In x (keys b) -> p x = q x) -> count b p = count b q.
Proof.
  intros H.
  apply Nat.le_antisymm; apply count_le; intros x Hx P; [rewrite <- H|rewrite H]; assumption.
Qed.

Lemma init_later b s f t u : t <= u -> (forall x, In x (keys b) -> D s x <= t \/ u < D s x) ->
  n_init b s f u <= n_init b s f t.
Proof.
  intros L H. apply count_le. intros x Hx P. specialize (H x Hx). unfold initiates in *.
  apply andb_prop in P as [-> P]. apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1.
  apply Nat.ltb_lt in P2. simpl. apply andb_true_intro.
  split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
Qed.

Theorem prefix_valid m b s n : prefix m b s n ->
  (forall x, In x (keys b) -> I s x < n /\ D s x < n) -> valid m b s.
Proof.
  intros [S L] A.
  assert (forall x, In x (keys b) -> I s x < n) as AI by (intros; apply A; assumption).
  assert (forall w k t, In (w, k) (keys b) -> eligible b m s w k t -> t < n) as AT.
  { intros w k t Hk [H _]. specialize (AI _ Hk). lia. }
  constructor; intros.
  - apply (s_init _ _ _ _ S); assumption.
  - apply (s_lat _ _ _ _ S); assumption.
  - apply (s_rel _ _ _ _ S).
  - apply (s_begin _ _ _ _ S); auto.
  - apply (s_order _ _ _ _ S); auto.
  - apply (s_ops _ _ _ _ S); auto.
  - apply (s_start _ _ _ _ S); auto.
  - destruct (le_lt_dec n t) as [H|H]; [|apply (s_cap _ _ _ _ S f t H)].
    destruct n as [|n'].
    + replace (n_init b s f t) with 0; [lia|]. symmetry. unfold n_init, count.
      destruct (filter _ (keys b)) as [|x l] eqn:E; [reflexivity|].
      assert (In x (keys b)) as Hx.
      { eapply proj1, filter_In. rewrite E. left. reflexivity. }
      specialize (AI x Hx). lia.
    + pose proof (s_cap _ _ _ _ S f n' ltac:(lia)).
      pose proof (init_later b s f n' t ltac:(lia)
                    ltac:(intros x Hx; left; apply A in Hx; lia)). lia.
  - apply (s_fifo _ _ _ _ S); auto. apply A; assumption.
  - assert (t < n) as Ht.
    { unfold waits in H0. apply andb_prop in H0 as [_ H0]. apply Nat.ltb_lt in H0. apply A in H.
      lia. }
    apply (L t Ht); assumption.
  - destruct (le_lt_dec n t) as [H|H]; [|apply (s_queue _ _ _ _ S f t H)].
    destruct (depth m) as [d|]; [|exact Logic.I]. replace (n_wait b s f t) with 0; [lia|]. symmetry.
    destruct (n_wait b s f t) eqn:E; [reflexivity|].
    destruct (count_pos b (fun x => on b f x && waits s t x)) as [x [Hx P]];
      [unfold n_wait in E; lia|]. apply andb_prop in P as [_ P]. apply andb_prop in P as [_ P].
    apply Nat.ltb_lt in P. apply A in Hx. lia.
  - destruct (le_lt_dec n t) as [H|H]; [|apply (s_width _ _ _ _ S c t H)].
    destruct (n_issue b m s c t) eqn:E; [lia|].
    destruct (issue_some b m s c t) as [y [Hy [_ [Ht _]]]]; [lia|]. specialize (AI y Hy). lia.
  - apply (L t (AT _ _ _ H H0)); assumption.
  - apply (s_barrier _ _ _ _ S); auto.
  - split; [apply (s_none _ _ _ _ S); auto|]. intros t He.
    destruct (proj2 (L t (AT _ _ _ H He)) w k H He). lia.
Qed.

(** ** Two executions that are the same before [n] *)
Record agree (b : block) (s s' : schedule) (n : nat) : Prop := {
  a_I : forall x, In x (keys b) -> Nat.min n (I s x) = Nat.min n (I s' x);
  a_D : forall x, In x (keys b) -> Nat.min n (D s x) = Nat.min n (D s' x);
  a_ai : ai s = ai s'; a_al : al s = al s'; a_ar : ar s = ar s'; a_begin : begin s = begin s'
}.

Lemma agree_trans b s s' s'' n : agree b s s' n -> agree b s' s'' n -> agree b s s'' n.
Proof. intros A B. constructor; intros; etransitivity; eapply A || eapply B; auto. Qed.

Ltac decide_nat := repeat match goal with
  | |- context [?a <=? ?b] => destruct (Nat.leb_spec a b)
  | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b)
  | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b)
  end; try reflexivity; try (exfalso; lia).

Section Agree.
  Variables (m : machine) (b : block) (s s' : schedule) (n : nat).
  Hypotheses (W : wf b) (A : agree b s s' n).

  Lemma agree_init f t : t < n -> n_init b s f t = n_init b s' f t.
  Proof.
    intros Ht. apply count_ext. intros x Hx. pose proof (a_D _ _ _ _ A x Hx).
    unfold initiates. rewrite (a_ai _ _ _ _ A). f_equal. decide_nat.
  Qed.

  Lemma agree_wait f t : t < n -> n_wait b s f t = n_wait b s' f t.
  Proof.
    intros Ht. apply count_ext. intros x Hx. pose proof (a_D _ _ _ _ A x Hx).
    pose proof (a_I _ _ _ _ A x Hx). unfold waits. f_equal. decide_nat.
  Qed.

  Lemma agree_issue c t : t < n -> n_issue b m s c t = n_issue b m s' c t.
  Proof.
    intros Ht. apply count_ext. intros x Hx.
    pose proof (a_I _ _ _ _ A x Hx). f_equal. f_equal. decide_nat.
  Qed.

  Lemma agree_eligible w k t : In (w, k) (keys b) -> t < n ->
    eligible b m s' w k t -> eligible b m s w k t.
  Proof.
    intros Hk Ht [E1 [E2 [E3 [E4 E5]]]]. pose proof (a_I _ _ _ _ A _ Hk).
    destruct (W w k Hk) as [_ [Wp _]].
    split; [lia|]. split; [rewrite (a_begin _ _ _ _ A); exact E2|]. split; [|split].
    - intros j ->. specialize (E3 j eq_refl).
      pose proof (a_I _ _ _ _ A (w, j) (keys_before _ _ _ j Hk ltac:(lia))). lia.
    - intros p Hp. specialize (E4 p Hp). specialize (Wp p Hp).
      pose proof (a_D _ _ _ _ A (w, p) (keys_before _ _ _ p Hk ltac:(lia))).
      unfold C in *. rewrite (a_ai _ _ _ _ A), (a_al _ _ _ _ A). lia.
    - intros y Hy G S. specialize (E5 y Hy G S). pose proof (a_I _ _ _ _ A y Hy).
      rewrite (a_ar _ _ _ _ A). lia.
  Qed.

  Lemma agree_live : live m b s n -> live m b s' n.
  Proof.
    intros L t Ht. destruct (L t Ht) as [L1 L2]. split.
    - intros x Hx H. rewrite <- agree_init by exact Ht. apply L1; [exact Hx|]. rewrite <- H.
      pose proof (a_D _ _ _ _ A x Hx). pose proof (a_I _ _ _ _ A x Hx). unfold waits. decide_nat.
    - intros w k Hk He. destruct (L2 w k Hk (agree_eligible w k t Hk Ht He)) as [U H].
      split; [exact U|]. unfold blocked in *.
      rewrite <- agree_issue, <- agree_init, <- agree_wait by exact Ht. exact H.
  Qed.
End Agree.
