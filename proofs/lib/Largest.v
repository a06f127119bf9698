(** * Sums over lists, and the sum of the n largest (docs/proofs.md, section 12: E^n, A^n) *)

From Warpbound Require Import Base Cycles.

Lemma sum_cons {A} (f : A -> nat) x l : sum f (x :: l) = f x + sum f l.
Proof. reflexivity. Qed.

Lemma sum_app {A} (f : A -> nat) l k : sum f (l ++ k) = sum f l + sum f k.
Proof. unfold sum. rewrite map_app. apply list_sum_app. Qed.

Lemma sum_ext {A} (f g : A -> nat) l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof. intros H. apply Nat.le_antisymm; apply sum_le; intros x Hx; rewrite (H x Hx); lia. Qed.

Lemma sum_add {A} (f g : A -> nat) l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l as [|x l IH]; [reflexivity|]. rewrite !sum_cons, IH. lia. Qed.

Lemma sum_zero {A} (f : A -> nat) l : (forall x, In x l -> f x = 0) -> sum f l = 0.
Proof.
  induction l as [|x l IH]; intros H; [reflexivity|].
  rewrite sum_cons, (H x (or_introl eq_refl)), IH; [reflexivity|].
  intros; apply H; right; assumption.
Qed.

Lemma sum_swap {A B} (f : A -> B -> nat) l k :
  sum (fun x => sum (f x) k) l = sum (fun y => sum (fun x => f x y) l) k.
Proof.
  induction l as [|x l IH]; [symmetry; apply sum_zero; reflexivity|].
  rewrite sum_cons, IH, <- sum_add. reflexivity.
Qed.

Lemma sum_ge {A} (f : A -> nat) x l : In x l -> f x <= sum f l.
Proof.
  induction l as [|y l IH]; [easy|]. intros [->|H]; rewrite sum_cons; [lia|]. specialize (IH H).
  lia.
Qed.

Lemma sum_mul {A} (f : A -> nat) l c : (forall x, In x l -> f x <= c) -> sum f l <= length l * c.
Proof.
  induction l as [|x l IH]; intros H; [apply Nat.le_0_l|]. rewrite sum_cons. cbn [length].
  specialize (IH ltac:(intros; apply H; right; assumption)). specialize (H x (or_introl eq_refl)).
  lia.
Qed.

Lemma sum_scale {A} (f : A -> nat) l c : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l as [|x l IH]; [symmetry; apply Nat.mul_0_r|]. rewrite !sum_cons, IH. lia. Qed.

(** At most one of the terms is not zero. *)
Lemma sum_once {A} (f : A -> nat) c l : NoDup l -> (forall x, In x l -> f x <= c) ->
  (forall x y, In x l -> In y l -> f x <> 0 -> f y <> 0 -> x = y) -> sum f l <= c.
Proof.
  induction l as [|x l IH]; intros N H O; [apply Nat.le_0_l|]. inversion N as [|? ? Nx Nl]; subst.
  rewrite sum_cons. destruct (Nat.eq_dec (f x) 0) as [->|Z].
  - apply IH; auto; intros; [apply H|apply O]; auto; right; assumption.
  - rewrite sum_zero; [rewrite Nat.add_0_r; apply H; left; reflexivity|].
    intros y Hy. destruct (Nat.eq_dec (f y) 0) as [E|E]; [exact E|]. exfalso. apply Nx.
    rewrite (O x y); auto; [left; reflexivity|right; exact Hy].
Qed.

Lemma sum_filter {A} (f : A -> nat) p l : sum f (filter p l)
  = sum (fun x => if p x then f x else 0) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, <- IH.
  destruct (p x); [apply sum_cons|reflexivity].
Qed.

Lemma sum_one {A} (f : A -> nat) x : sum f [x] = f x.
Proof. apply Nat.add_0_r. Qed.

Lemma sum_map {A B} (f : B -> nat) (g : A -> B) l : sum f (map g l) = sum (fun x => f (g x)) l.
Proof. unfold sum. rewrite map_map. reflexivity. Qed.

Lemma sum_flat_map {A B} (f : B -> nat) (g : A -> list B) l : sum f (flat_map g l)
  = sum (fun x => sum f (g x)) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [flat_map]. rewrite sum_app, sum_cons, IH.
  reflexivity.
Qed.

Lemma list_max_le_in l x : (forall y, In y l -> y <= x) -> list_max l <= x.
Proof. intros H. apply list_max_le, Forall_forall, H. Qed.

Lemma list_max_in_ge {A} (f : A -> nat) l x : In x l -> f x <= list_max (map f l).
Proof. intros H. apply list_max_ge, in_map, H. Qed.

(** ** The n largest *)

(** [insert] puts a number into a falling list. *)
Fixpoint insert (x : nat) (l : list nat) : list nat :=
  match l with [] => [x] | y :: k => if y <=? x then x :: l else y :: insert x k end.
(** [sorted] puts the largest number first. *)
Definition sorted (l : list nat) : list nat := fold_right insert [] l.

(** [largest n l]: the sum of the [n] largest of [l], of all if there are fewer. *)
Definition largest (n : nat) (l : list nat) : nat := list_sum (firstn n (sorted l)).

(** No number is less than one behind it. *)
Inductive falling : list nat -> Prop :=
| falling_nil : falling []
| falling_cons x l : falling l -> (forall y, In y l -> y <= x) -> falling (x :: l).

Lemma insert_in x l y : In y (insert x l) -> y = x \/ In y l.
Proof.
  induction l as [|z l IH]; cbn [insert]; [intros [->|[]]; auto|].
  destruct (z <=? x); cbn [In]; intros [->|H]; auto. destruct (IH H); auto.
Qed.

Lemma insert_falling x l : falling l -> falling (insert x l).
Proof.
  induction 1 as [|y l F IH H]; cbn [insert]; [repeat constructor; easy|].
  destruct (Nat.leb_spec y x) as [L|L].
  - constructor; [constructor; assumption|]. intros z [<-|Hz]; [exact L|]. specialize (H z Hz). lia.
  - constructor; [exact IH|]. intros z Hz. apply insert_in in Hz as [->|Hz]; [lia|auto].
Qed.

Lemma sorted_falling l : falling (sorted l).
Proof. induction l; [constructor|apply insert_falling, IHl]. Qed.

Lemma falling_step n x l : falling (x :: l) ->
  list_sum (firstn n l) <= list_sum (firstn n (x :: l)).
Proof.
  revert x l. induction n as [|n IH]; intros x l F; [cbn; lia|].
  destruct l as [|y l]; [cbn; lia|]. inversion F as [|? ? F1 F2]; subst.
  specialize (IH y l F1). specialize (F2 y (or_introl eq_refl)).
  change (firstn (S n) (x :: y :: l)) with (x :: firstn n (y :: l)).
  change (firstn (S n) (y :: l)) with (y :: firstn n l).
  change (y + list_sum (firstn n l) <= x + list_sum (firstn n (y :: l))). lia.
Qed.

(** What makes [largest] the sum of the largest: the first of a list is among them or is not. *)
Lemma insert_largest x n l : falling l ->
  list_sum (firstn (S n) (insert x l)) = max (x + list_sum (firstn n l))
    (list_sum (firstn (S n) l)).
Proof.
  revert n. induction l as [|y l IH]; intros n F; [destruct n; cbn; lia|].
  inversion F as [|? ? F1 F2]; subst. cbn [insert]. destruct (Nat.leb_spec y x) as [L|L].
  - pose proof (falling_step n y l F). cbn [firstn list_sum fold_right] in *.
    fold (list_sum (firstn n l)) (list_sum (firstn n (y :: l))) in *. lia.
  - destruct n as [|n]; [cbn; lia|]. specialize (IH n F1).
    change (y + list_sum (firstn (S n) (insert x l))
            = max (x + (y + list_sum (firstn n l))) (y + list_sum (firstn (S n) l))). lia.
Qed.

Theorem largest_cons n x l : largest (S n) (x :: l) = max (x + largest n l) (largest (S n) l).
Proof. apply insert_largest, sorted_falling. Qed.

Lemma largest_0 l : largest 0 l = 0.
Proof. reflexivity. Qed.

Lemma largest_nil n : largest n [] = 0.
Proof. destruct n; reflexivity. Qed.

Lemma largest_skip n x l : largest n l <= largest n (x :: l).
Proof. destruct n; [cbn; lia|]. rewrite largest_cons. lia. Qed.

Lemma largest_take n x l : x + largest n l <= largest (S n) (x :: l).
Proof. rewrite largest_cons. lia. Qed.

Lemma largest_grows n k l : n <= k -> largest n l <= largest k l.
Proof.
  revert n k. induction l as [|x l IH]; intros n k H; [rewrite !largest_nil; lia|].
  destruct n as [|n]; [cbn; lia|]. destruct k as [|k]; [lia|]. rewrite !largest_cons.
  pose proof (IH n k ltac:(lia)). pose proof (IH (S n) (S k) ltac:(lia)). lia.
Qed.

Lemma largest_le {A} (f g : A -> nat) n l : (forall x, In x l -> f x <= g x) ->
  largest n (map f l) <= largest n (map g l).
Proof.
  revert n. induction l as [|x l IH]; intros n H; [cbn [map]; lia|]. cbn [map].
  destruct n as [|n]; [cbn; lia|]. rewrite !largest_cons.
  pose proof (IH n ltac:(intros; apply H; right; assumption)).
  pose proof (IH (S n) ltac:(intros; apply H; right; assumption)).
  specialize (H x (or_introl eq_refl)). lia.
Qed.

Lemma largest_total {A} (f : A -> nat) n l : largest n (map f l) <= sum f l.
Proof.
  revert n. induction l as [|x l IH]; intros n; [cbn [map]; rewrite largest_nil; lia|]. cbn [map].
  rewrite sum_cons. destruct n as [|n]; [cbn; lia|]. rewrite largest_cons.
  pose proof (IH n). pose proof (IH (S n)). lia.
Qed.

Lemma largest_one {A} (f : A -> nat) l x n : In x l -> 1 <= n -> f x <= largest n (map f l).
Proof.
  intros H Hn. transitivity (largest 1 (map f l)); [|apply largest_grows, Hn].
  induction l as [|y l IH]; [easy|]. cbn [map]. rewrite largest_cons, largest_0.
  destruct H as [->|H]; [lia|]. specialize (IH H). lia.
Qed.

(** *** Any [n] of them sum up to no more. *)
Theorem largest_ge (f : nat -> nat) : forall l P n,
  NoDup P -> incl P l -> length P <= n -> sum f P <= largest n (map f l).
Proof.
  induction l as [|x l IH]; intros P n N I L.
  - destruct P as [|y P]; [apply Nat.le_0_l|]. destruct (I y (or_introl eq_refl)).
  - destruct (in_dec Nat.eq_dec x P) as [H|H].
    + destruct (in_split x P H) as [P1 [P2 ->]]. apply NoDup_remove in N as [N1 N2].
      rewrite app_length in L. cbn [length] in L. rewrite sum_app, sum_cons. cbn [map].
      destruct n as [|n]; [lia|]. pose proof (largest_take n (f x) (map f l)).
      assert (sum f (P1 ++ P2) <= largest n (map f l)); [|rewrite sum_app in *; lia].
      apply IH; [exact N1| |rewrite app_length; lia]. intros y Hy.
      assert (In y (P1 ++ x :: P2)) as Hi by (rewrite in_app_iff in *; cbn; tauto).
      destruct (I y Hi) as [->|]; [contradiction|assumption].
    + cbn [map]. etransitivity; [|apply largest_skip]. apply IH; [exact N| |exact L].
      intros y Hy. destruct (I y Hy) as [->|]; [contradiction|assumption].
Qed.

Lemma sum_same {A} c (l : list A) : sum (fun _ => c) l = length l * c.
Proof. induction l as [|x l IH]; [reflexivity|]. rewrite sum_cons, IH. reflexivity. Qed.
