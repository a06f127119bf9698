(** * Forward induction: how late an event is

    [f t] counts some cycles before [t], in one way or another; it never falls.  An event
    at [X] is at most [c] late ([late c X]) if every time [t] up to [X], from [t0] on, is at
    most [c] and [f t].  All bounds of machine code are proven by going forward along
    a warp's program: an event that could have happened as soon as some times had passed,
    but in cycles that [f] counts, is no later than the latest of these
    (docs/machine-code-bounds.md, the claim of theorem 1, and (c) of theorem 2). *)

From Warpbound Require Import Base Cycles.

Section Late.
  Variables (f : nat -> nat) (t0 q : nat).
  Hypothesis Rises : forall t, f t <= f (S t).

  (** Until [X] every cycle from [t0] on is paid by [c] or counted by [f]. *)
  Definition late (c X : nat) : Prop := forall t, t0 <= t -> t <= X -> t + q <= c + f t.

  (** Cycle [t] is counted. *)
  Definition counted (t : nat) : Prop := f t + 1 <= f (S t).

  Lemma rises x y : x <= y -> f x <= f y.
  Proof. induction 1 as [|y H IH]; [lia|]. specialize (Rises y). lia. Qed.

  Lemma late_more c d X : late c X -> c <= d -> late d X.
  Proof. intros H Hd t H0 Ht. specialize (H t H0 Ht). lia. Qed.

  Lemma late_sooner c X Y : late c X -> Y <= X -> late c Y.
  Proof. intros H HY t H0 Ht. apply H; lia. Qed.

  (** The beginning: [t0 + q <= c + f t0]. *)
  Lemma late_start c X : t0 + q <= c + f t0 -> X <= t0 -> late c X.
  Proof. intros H HX t H0 Ht. replace t with t0 by lia. exact H. Qed.

  Lemma late_add c X a : t0 + q <= c + f t0 -> late c X -> late (c + a) (X + a).
  Proof.
    intros H0 H t Ht1 Ht2. destruct (le_lt_dec t X) as [HX|HX]; [specialize (H t Ht1 HX); lia|].
    destruct (le_lt_dec t0 X) as [HY|HY].
    - specialize (H X HY (le_n _)). pose proof (rises X t). lia.
    - pose proof (rises t0 t). lia.
  Qed.

  (** Counted cycles make nothing later. *)
  Lemma late_counted c X Y : t0 + q <= c + f t0 -> late c X ->
    (forall t, t0 <= t -> X <= t < Y -> counted t) -> late c Y.
  Proof.
    intros H0 H HC t. induction t as [|t IH]; intros H1 H2;
      [replace 0 with t0 by lia; replace t0 with 0 in * by lia; exact H0|].
    destruct (Nat.eq_dec (S t) t0) as [->|N]; [exact H0|].
    destruct (le_lt_dec (S t) X) as [HX|HX]; [apply H; assumption|].
    specialize (IH ltac:(lia) ltac:(lia)). specialize (HC t ltac:(lia) ltac:(lia)).
    unfold counted in HC. lia.
  Qed.

  (** In each cycle before [X] that is not counted something that is no later has yet to pass. *)
  Lemma late_step c X : t0 + q <= c + f t0 ->
    (forall t, t0 <= t < X -> counted t \/ exists y, t < y /\ late c y) -> late c X.
  Proof.
    intros H0 H t. induction t as [|t IH]; intros H1 H2;
      [replace 0 with t0 by lia; replace t0 with 0 in * by lia; exact H0|].
    destruct (Nat.eq_dec (S t) t0) as [->|N]; [exact H0|].
    destruct (H t ltac:(lia)) as [HC|[y [Hy HL]]]; [|apply HL; lia].
    specialize (IH ltac:(lia) ltac:(lia)). unfold counted in HC. lia.
  Qed.

  (** The walk.  In each cycle before [X] that is not counted, some time of [ys] has yet to pass. *)
  Lemma late_walk c X ys : t0 + q <= c + f t0 -> (forall y, In y ys -> late c y) ->
    (forall t, t0 <= t < X -> (forall y, In y ys -> y <= t) -> counted t) -> late c X.
  Proof.
    intros H0 HY HC. apply late_step; [exact H0|]. intros t Ht.
    destruct (Forall_dec (fun y => y <= t) (fun y => le_dec y t) ys) as [A|A].
    - left. rewrite Forall_forall in A. auto.
    - right. apply neg_Forall_Exists_neg in A; [|intros; apply le_dec].
      apply Exists_exists in A as [y [Hy Hn]]. exists y. split; [lia|auto].
  Qed.
End Late.

(** Counting cycles in which [p] holds. *)

Lemma cnt_counted p t : p t = true -> counted (cnt p) t.
Proof. intros H. unfold counted. cbn [cnt]. rewrite H. lia. Qed.
