(** * How long an instruction waits in a queue of [d] entries
    (docs/proofs.md, section 3, proof of the lemma: the queue, for every depth d ≥ 1) *)

From Warpbound Require Import Base Cycles Largest Model Instances Weights.

(** The largest initiation on a unit. *)
Definition cmax (b : block) (f : nat) : nat :=
  list_max (map (fun y => init (get b y)) (filter (on b f) (keys b))).

Lemma cmax_ge b y : In y (keys b) -> init (get b y) <= cmax b (fu (get b y)).
Proof.
  intros H. apply list_max_ge, in_map_iff. exists y. split; [reflexivity|].
  apply filter_In. split; [exact H|apply Nat.eqb_refl].
Qed.

Lemma filter_or {A} (p q : A -> bool) l :
  length (filter (fun x => p x || q x) l) <= length (filter p l) + length (filter q l).
Proof. induction l as [|x l IH]; simpl; [lia|]. destruct (p x), (q x); simpl; lia. Qed.

Lemma count_le1 {A} (p : A -> bool) l : NoDup l ->
  (forall x y, In x l -> In y l -> p x = true -> p y = true -> x = y) -> length (filter p l) <= 1.
Proof.
  intros N H.
  assert (forall x, In x (filter p l) -> In x l /\ p x = true) as F by (intros x; apply filter_In).
  pose proof (NoDup_filter p N) as D.
  destruct (filter p l) as [|x [|y r]]; simpl; [lia|lia|exfalso].
  destruct (F x ltac:(simpl; auto)), (F y ltac:(simpl; auto)). inversion D as [|? ? X _]; subst.
  apply X. left. apply H; assumption.
Qed.

Lemma queue_kept m b s : valid m b s -> forall f t d, depth m = Some d -> n_wait b s f t <= d.
Proof. intros V f t d E. pose proof (v_queue _ _ _ V f t) as H. rewrite E in H. exact H. Qed.

Lemma start_now m b s y : valid m b s -> depth m = Some 0 -> In y (keys b) -> D s y <= I s y.
Proof.
  intros V D0 Hy. destruct (le_lt_dec (D s y) (I s y)) as [L|L]; [exact L|exfalso].
  pose proof (queue_kept m b s V (fu (get b y)) (I s y) 0 D0) as Q. unfold n_wait, count in Q.
  assert (In y (filter (fun x => on b (fu (get b y)) x && waits s (I s y) x) (keys b))) as F.
  { apply filter_In. split; [exact Hy|]. unfold on, waits.
    rewrite Nat.eqb_refl, Nat.leb_refl, (proj2 (Nat.ltb_lt _ _) L). reflexivity. }
  destruct (filter _ (keys b)); [destruct F|simpl in Q; lia].
Qed.

Section Queue.
  Variables (m : machine) (b : block) (s : schedule) (ins : key -> nat) (d : nat).
  Hypotheses (M : machine_ok m) (V : valid m b s) (Ins : instances_of m b s (keys b) ins).
  Hypothesis Depth : depth m = Some d.

  (** What the first instance initiates from the issue of [j] on: what runs on it then,
      and what waits beside [j]. *)
  Definition running (j y : key) : bool :=
    on b (fu (get b j)) y && (ins y =? 0) && initiates s (I s j) y.
  Definition waiting (j y : key) : bool :=
    on b (fu (get b j)) y && waits s (I s j) y && negb (is j y).

  Lemma waiting_few j : In j (keys b) -> I s j < D s j -> count b (waiting j) + 1 <= d.
  Proof.
    intros Hj L. etransitivity; [|apply (queue_kept m b s V (fu (get b j)) (I s j) d Depth)].
    unfold n_wait, count. set (l := filter (waiting j) (keys b)).
    replace (length l + 1) with (length (j :: l)) by (simpl; lia). apply NoDup_incl_length.
    - constructor; [|apply NoDup_filter, keys_nodup]. intros X. apply filter_In in X as [_ X].
      apply andb_prop in X as [_ X]. rewrite (proj2 (is_iff j j) eq_refl) in X. discriminate.
    - intros y [<-|Y].
      + apply filter_In. split; [exact Hj|]. unfold on, waits.
        rewrite Nat.eqb_refl, Nat.leb_refl, (proj2 (Nat.ltb_lt _ _) L). reflexivity.
      + apply filter_In in Y as [Y P]. apply filter_In. split; [exact Y|]. apply andb_prop in P.
        apply P.
  Qed.

  (** At depth [d] an instruction waits for its unit at most [d] times the longest initiation
      there. *)
  Theorem queue_time j : In j (keys b) -> D s j <= I s j + d * cmax b (fu (get b j)).
  Proof.
    intros Hj. destruct (le_lt_dec (D s j) (I s j)) as [L|L]; [lia|].
    set (P := fun y => running j y || waiting j y).
    assert (D s j - I s j <= wsum b (fun y => init (get b y)) P) as A.
    { apply (window_sum b s _ P 0 (D s j)); try lia. intros t Ht.
      destruct (full_instance m b s ins (fu (get b j)) t 0 Ins) as [y [Hy [Fy [Ey Iy]]]].
      - apply (v_asap _ _ _ V j t Hj). unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt.
        exact Ht.
      - apply (proj1 M).
      - exists y. split; [exact Hy|].
        split; [|split; [apply (active_init m b); assumption|exact Iy]]. apply init_iff in Iy.
        unfold P, running, waiting, waits. apply orb_true_iff.
        rewrite !andb_true_iff, negb_true_iff, on_iff, Nat.eqb_eq, init_iff, Nat.leb_le, Nat.ltb_lt.
        destruct (le_lt_dec (D s y) (I s j)) as [X|X]; [left; repeat split; auto; lia|right].
        assert (I s y <= I s j) as Y.
        { destruct (le_lt_dec (I s y) (I s j)) as [Y|Y]; [exact Y|exfalso].
          pose proof (v_fifo _ _ _ V j y Hj Hy (eq_sym Fy) Y). lia. }
        repeat split; auto. unfold is. destruct (key_eq y j) as [->|_]; [lia|reflexivity]. }
    assert (wsum b (fun y => init (get b y)) P <= count b P * cmax b (fu (get b j))) as B.
    { rewrite wsum_filter. apply sum_mul. intros y Y. apply filter_In in Y as [Y PY].
      replace (fu (get b j)) with (fu (get b y)); [apply cmax_ge, Y|].
      unfold P, running, waiting in PY. rewrite orb_true_iff, !andb_true_iff, on_iff in PY. tauto. }
    assert (count b (running j) <= 1) as R.
    { apply count_le1; [apply keys_nodup|]. intros x y X Y Px Py.
      unfold running in Px, Py. rewrite !andb_true_iff, on_iff, Nat.eqb_eq in Px, Py.
      apply (proj2 Ins x y (I s j)); try assumption; try (apply Px); try (apply Py).
      - destruct Px as [[-> _] _], Py as [[-> _] _]. reflexivity.
      - destruct Px as [[_ ->] _], Py as [[_ ->] _]. reflexivity. }
    pose proof (waiting_few j Hj L) as Wt.
    pose proof (filter_or (running j) (waiting j) (keys b)) as F. unfold count in *. fold P in F.
    assert (length (filter P (keys b)) <= d) as Ld by lia.
    pose proof (Nat.mul_le_mono_r _ _ (cmax b (fu (get b j))) Ld). lia.
  Qed.
End Queue.
