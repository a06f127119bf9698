(** * The instance on which an instruction runs

    R3 says only that no more instructions initiate on a unit at a time than it has
    instances.  An interval graph is coloured in the order of its starts.  So each instruction
    gets an instance of its own: docs/proofs.md, section 3, tells instances apart where a queue
    is full. *)

From Warpbound Require Import Base Cycles Model.

(** ** Lists without repetitions *)

Lemma nodup_app {A} (l r : list A) : NoDup l -> NoDup r -> (forall x, In x l -> In x r -> False) ->
  NoDup (l ++ r).
Proof.
  induction 1 as [|x l N H IH]; intros R E; [exact R|]. simpl. constructor.
  - rewrite in_app_iff. intros [X|X]; [auto|apply (E x); [left; reflexivity|exact X]].
  - apply IH; [exact R|]. intros y Y. apply E. right. exact Y.
Qed.

Lemma nodup_map {A B} (f : A -> B) l : NoDup l ->
  (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup (map f l).
Proof.
  induction 1 as [|x l N H IH]; intros E; simpl; constructor.
  - intros X. apply in_map_iff in X as [y [F Y]].
    rewrite (E x y (or_introl eq_refl) (or_intror Y)) in N by auto. auto.
  - apply IH. intros y z Y Z. apply E; right; assumption.
Qed.

Lemma keys_nodup b : NoDup (keys b).
Proof.
  unfold keys. generalize (seq_NoDup (length b) 0). generalize (seq 0 (length b)).
  induction 1 as [|w l N H IH]; simpl; [constructor|].
  apply nodup_app; [|exact IH|].
  - apply nodup_map; [apply seq_NoDup|]. intros x y _ _ E. congruence.
  - intros x X Y. apply in_map_iff in X as [k [<- _]]. apply in_flat_map in Y as [v [Hv Y]].
    apply in_map_iff in Y as [j [E _]]. inversion E. subst. auto.
Qed.

Lemma free_number n l : length l < n -> exists c, c < n /\ ~ In c l.
Proof.
  intros H. destruct (find (fun c => negb (existsb (Nat.eqb c) l)) (seq 0 n)) as [c|] eqn:F.
  - apply find_some in F as [F1 F2]. apply in_seq in F1. exists c. split; [lia|]. intros X.
    apply negb_true_iff in F2. enough (existsb (Nat.eqb c) l = true) by congruence.
    apply existsb_exists. exists c. split; [exact X|apply Nat.eqb_refl].
  - exfalso. assert (incl (seq 0 n) l) as X.
    { intros c Hc. pose proof (find_none _ _ F c Hc) as E.
      apply negb_false_iff, existsb_exists in E. destruct E as [c' [Y E]]. apply Nat.eqb_eq in E.
      congruence. }
    apply NoDup_incl_length in X; [|apply seq_NoDup]. rewrite seq_length in X. lia.
Qed.

Lemma latest {A} (f : A -> nat) (l : list A) : l <> [] ->
  exists x, In x l /\ forall y, In y l -> f y <= f x.
Proof.
  intros H. assert (In (list_max (map f l)) (map f l)) as X.
  { apply list_max_in. destruct l; [congruence|discriminate]. }
  apply in_map_iff in X as [x [E X]]. exists x. split; [exact X|]. intros y Y.
  rewrite E. apply list_max_ge, in_map, Y.
Qed.

Lemma key_eq (x y : key) : {x = y} + {x <> y}.
Proof. decide equality; apply Nat.eq_dec. Qed.

Lemma init_iff s x t : initiates s t x = true <-> D s x <= t < D s x + ai s x.
Proof. unfold initiates. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. reflexivity. Qed.

Lemma on_iff b f x : on b f x = true <-> fu (get b x) = f.
Proof. apply Nat.eqb_eq. Qed.

(** ** Instances *)

Section Instances.
  Variables (m : machine) (b : block) (s : schedule).

  (** [a] gives each of these instructions an instance of its unit, and no two the same
      at a time. *)
  Definition instances_of (l : list key) (a : key -> nat) : Prop :=
    (forall x, In x l -> 1 <= ai s x -> a x < inst m (fu (get b x)))
    /\ forall x y t, In x l -> In y l -> fu (get b x) = fu (get b y) -> a x = a y ->
         initiates s t x = true -> initiates s t y = true -> x = y.

  Hypothesis Cap : forall f t, n_init b s f t <= inst m f.

  Lemma free_instance l x : incl (x :: l) (keys b) -> NoDup (x :: l) -> 1 <= ai s x ->
    forall a, exists c, c < inst m (fu (get b x)) /\
      forall y, In y l -> fu (get b y) = fu (get b x) -> initiates s (D s x) y = true -> a y <> c.
  Proof.
    intros Hl Nl Hx a. set (P := fun y => on b (fu (get b x)) y && initiates s (D s x) y).
    assert (P x = true) as Px by (unfold P, on; rewrite Nat.eqb_refl; apply init_iff; lia).
    destruct (free_number (inst m (fu (get b x))) (map a (filter P l))) as [c [Hc F]].
    - rewrite map_length. specialize (Cap (fu (get b x)) (D s x)). unfold n_init, count in Cap.
      fold P in Cap. assert (length (filter P (x :: l)) <= length (filter P (keys b))) as L.
      { apply NoDup_incl_length; [apply NoDup_filter, Nl|]. intros y Y.
        apply filter_In in Y as [Y Py]. apply filter_In. auto. }
      simpl in L. rewrite Px in L. simpl in L. lia.
    - exists c. split; [exact Hc|]. intros y Y Fy Iy E. apply F, in_map_iff. exists y.
      split; [exact E|]. apply filter_In. split; [exact Y|]. unfold P.
      rewrite Iy, (proj2 (on_iff b _ y) Fy). reflexivity.
  Qed.

  Lemma instances_add l x a c : instances_of l a -> ~ In x l -> c < inst m (fu (get b x)) ->
    (forall y, In y l -> D s y <= D s x) ->
    (forall y, In y l -> fu (get b y) = fu (get b x) -> initiates s (D s x) y = true -> a y <> c) ->
    instances_of (x :: l) (fun y => if key_eq y x then c else a y).
  Proof.
    intros [A1 A2] N Hc L F. split.
    - intros y [<-|Y] Hy; [destruct (key_eq x x); congruence|].
      destruct (key_eq y x) as [->|_]; [exact Hc|apply A1; assumption].
    - assert (forall y t, In y l -> fu (get b y) = fu (get b x) -> a y = c ->
                initiates s t x = true -> initiates s t y = true -> False) as Two.
      { intros y t Y Fy E Ix Iy. apply (F y Y Fy); [|exact E]. specialize (L y Y).
        apply init_iff in Ix, Iy. apply init_iff. lia. }
      intros y z t [<-|Y] [<-|Z] Fyz; [reflexivity| | |].
      + destruct (key_eq x x) as [_|X]; [|congruence].
        destruct (key_eq z x) as [->|_]; [reflexivity|]. intros E I1 I2.
        destruct (Two z t Z (eq_sym Fyz) (eq_sym E) I1 I2).
      + destruct (key_eq x x) as [_|X]; [|congruence].
        destruct (key_eq y x) as [->|_]; [reflexivity|]. intros E I1 I2.
        destruct (Two y t Y Fyz E I2 I1).
      + destruct (key_eq y x) as [->|_]; [contradiction|].
        destruct (key_eq z x) as [->|_]; [contradiction|]. apply A2; assumption.
  Qed.

  Lemma instances_exist_in : forall n l, length l = n -> NoDup l -> incl l (keys b) ->
    exists a, instances_of l a.
  Proof.
    induction n as [|n IH]; intros l Hn Nl Hl.
    - destruct l; [|discriminate]. exists (fun _ => 0). split; [intros x []|intros x y t []].
    - destruct (latest (D s) l) as [x [X L]]; [destruct l; discriminate|].
      apply in_split in X as [l1 [l2 ->]].
      pose proof (NoDup_remove_1 _ _ _ Nl) as N1. pose proof (NoDup_remove_2 _ _ _ Nl) as N2.
      assert (incl (x :: l1 ++ l2) (keys b)) as Hx.
      { intros y [<-|Y]; apply Hl; rewrite in_app_iff in *; simpl; tauto. }
      assert (forall y, In y (l1 ++ l2) -> In y (l1 ++ x :: l2)) as S
        by (intros y; rewrite !in_app_iff; simpl; tauto).
      destruct (IH (l1 ++ l2)) as [a A]; [|exact N1|intros y Y; apply Hx; right; exact Y|].
      { rewrite app_length in *. simpl in Hn. lia. }
      assert (exists a', instances_of (x :: l1 ++ l2) a') as [a' [B1 B2]].
      { destruct (le_lt_dec (ai s x) 0) as [Z|Z].
        - exists a. destruct A as [A1 A2]. split.
          + intros y [<-|Y] Hy; [lia|apply A1; assumption].
          + intros y z t [<-|Y] [<-|W'] Fyz E Iy Iz; [reflexivity| | |apply (A2 y z t); assumption].
            * apply init_iff in Iy. lia.
            * apply init_iff in Iz. lia.
        - destruct (free_instance (l1 ++ l2) x Hx ltac:(constructor; assumption) Z a) as [c [Hc F]].
          eexists. apply (instances_add _ x a c A N2 Hc); [auto|exact F]. }
      exists a'. assert (forall y, In y (l1 ++ x :: l2) -> In y (x :: l1 ++ l2)) as R.
      { intros y. rewrite in_app_iff. simpl. rewrite in_app_iff. intuition. }
      split; [intros y Y; apply B1, R, Y|]. intros y z t Y Z. apply B2; apply R; assumption.
  Qed.

  (** Every schedule assigns each instruction an instance of its unit. *)
  Theorem instances_exist : exists a, instances_of (keys b) a.
  Proof. exact (instances_exist_in _ (keys b) eq_refl (keys_nodup b) (incl_refl _)). Qed.

  (** A unit that is full has each of its instances busy. *)
  Lemma full_instance a f t c : instances_of (keys b) a -> inst m f <= n_init b s f t ->
    c < inst m f ->
    exists y, In y (keys b) /\ fu (get b y) = f /\ a y = c /\ initiates s t y = true.
  Proof.
    intros [A1 A2] H Hc. set (l := filter (fun x => on b f x && initiates s t x) (keys b)).
    assert (forall x, In x l -> In x (keys b) /\ fu (get b x) = f /\ initiates s t x = true) as Hl.
    { intros x X. apply filter_In in X as [X E]. apply andb_prop in E as [E1 E2].
      apply on_iff in E1. auto. }
    assert (In c (map a l)) as X.
    { apply (NoDup_length_incl (l := map a l) (l' := seq 0 (inst m f))).
      - apply nodup_map; [apply NoDup_filter, keys_nodup|]. intros x y X Y E.
        apply Hl in X as [X [Fx Ix]]. apply Hl in Y as [Y [Fy Iy]]. apply (A2 x y t); auto.
        congruence.
      - rewrite map_length, seq_length. exact H.
      - intros d X. apply in_map_iff in X as [x [<- X]]. apply Hl in X as [X [<- Ix]].
        apply in_seq. split; [lia|]. simpl. apply A1; [exact X|]. apply init_iff in Ix. lia.
      - apply in_seq. lia. }
    apply in_map_iff in X as [y [E Y]]. apply Hl in Y as [Y [F Iy]]. eauto.
  Qed.
End Instances.
