(** * Loops of very many repetitions: docs/proofs.md, section 11, theorem 4

    Vectors of times are maps from coordinates to integers.  One instruction, a loop
    body, some repetitions of it: each is a max-plus linear map, given by its
    coordinates. *)

From Coq Require Import ZArith.
From Warpbound Require Import Base.
Open Scope Z_scope.

(** A vector has a time for each coordinate. *)
Definition vector := nat -> Z.

(** A coordinate: the largest of some x_j + c, the first of which is given apart. *)
Record form := Form { first : nat * Z; more : list (nat * Z) }.
Definition terms (f : form) : list (nat * Z) := first f :: more f.
Definition at_ (e : nat * Z) (x : vector) : Z := x (fst e) + snd e.
Definition largest (f : form) (x : vector) : Z :=
  fold_right (fun e z => Z.max (at_ e x) z) (at_ (first f) x) (more f).

(** A map has a form for each coordinate. *)
Definition map_of := nat -> form.
(** [apply] evaluates each form. *)
Definition apply (f : map_of) (x : vector) : vector := fun i => largest (f i) x.

(** [repeat_map] applies a map [n] times. *)
Fixpoint repeat_map (f : map_of) (n : nat) (x : vector) : vector :=
  match n with O => x | S n => apply f (repeat_map f n x) end.

(** x + t δ *)
Definition along (x d : vector) (t : Z) : vector := fun i => x i + t * d i.

(** Two vectors agree in every coordinate. *)
Definition same (x y : vector) : Prop := forall i, x i = y i.

(** ** The largest term *)

Lemma largest_ge f x e : In e (terms f) -> at_ e x <= largest f x.
Proof.
  unfold terms, largest. destruct f as [a l]. simpl. induction l as [|b l IH]; simpl.
  - intros [->|[]]. lia.
  - intros [->|[->|H]]; [specialize (IH (or_introl eq_refl))| |specialize (IH (or_intror H))]; lia.
Qed.

Lemma largest_in f x : exists e, In e (terms f) /\ largest f x = at_ e x.
Proof.
  unfold terms, largest. destruct f as [a l]. simpl.
  induction l as [|b l [e [H E]]]; simpl; [eauto|].
  destruct (Z.max_spec (at_ b x) (fold_right (fun e z => Z.max (at_ e x) z) (at_ a x) l))
    as [[_ M]|[_ M]].
  - exists e. rewrite M, E. tauto.
  - exists b. rewrite M. tauto.
Qed.

Lemma largest_ext f x y : same x y -> largest f x = largest f y.
Proof.
  intros H. unfold largest, at_. rewrite H. induction (more f) as [|e l IH]; simpl; [reflexivity|].
  rewrite H, IH. reflexivity.
Qed.

Lemma apply_same f x y : same x y -> same (apply f x) (apply f y).
Proof. intros H i. apply largest_ext, H. Qed.

(** ** Affine functions of t *)

(** Two affine functions, one below the other at 0 and at K: below it in between. *)
Lemma affine_below p d l e K t : p <= l -> p + K * d <= l + K * e -> 0 <= t <= K ->
  p + t * d <= l + t * e.
Proof. intros H0 HK Ht. destruct (Z_le_gt_dec d e); nia. Qed.

(** One that meets it at 1 besides, 0 < 1 < K, is the same. *)
Lemma affine_same p d l e K : p <= l -> p + K * d <= l + K * e -> 2 <= K -> p + 1 * d = l + 1 * e ->
  p = l /\ d = e.
Proof. intros H0 HK K2 H1. assert (d = e) by nia. lia. Qed.

(** On a line a coordinate is convex: where it meets an affine function at 0, 1 and K it is
    that function between them. *)
Lemma convex_line f x d l e K t : 2 <= K ->
  largest f (along x d 0) = l -> largest f (along x d 1) = l + e ->
  largest f (along x d K) = l + K * e ->
  0 <= t <= K -> largest f (along x d t) = l + t * e.
Proof.
  intros K2 H0 H1 HK Ht. assert (forall c, In c (terms f) -> x (fst c) + snd c <= l /\
    x (fst c) + snd c + K * d (fst c) <= l + K * e) as B.
  { intros c Hc. pose proof (largest_ge f (along x d 0) c Hc) as B0.
    pose proof (largest_ge f (along x d K) c Hc) as BK. unfold at_, along in *. lia. }
  apply Z.le_antisymm.
  - destruct (largest_in f (along x d t)) as [c [Hc ->]]. destruct (B c Hc) as [B0 BK].
    pose proof (affine_below _ (d (fst c)) l e K t B0 BK Ht). unfold at_, along. lia.
  - destruct (largest_in f (along x d 1)) as [c [Hc E]]. destruct (B c Hc) as [B0 BK].
    destruct (affine_same _ (d (fst c)) l e K B0 BK K2) as [E1 E2].
    { rewrite H1 in E. unfold at_, along in E. lia. }
    pose proof (largest_ge f (along x d t) c Hc) as G. unfold at_ in G. unfold along in G at 1.
    rewrite E2 in G. lia.
Qed.

(** *** Theorem 4 *)
Theorem loop_steps f x d k : (1 <= k)%nat ->
  same (apply f x) (along x d 1) ->
  same (apply f (along x d 1)) (along x d 2) ->
  same (apply f (along x d (Z.of_nat k + 1))) (along x d (Z.of_nat k + 2)) ->
  forall n, (n <= k + 2)%nat -> same (repeat_map f n x) (along x d (Z.of_nat n)).
Proof.
  intros Hk H1 H2 H3. induction n as [|n IH]; intros Hn i; [unfold along; simpl; lia|].
  cbn [repeat_map]. unfold apply.
  rewrite (largest_ext (f i) _ (along x d (Z.of_nat n))) by (apply IH; lia).
  rewrite (convex_line (f i) x d (x i + d i) (d i) (Z.of_nat k + 1) (Z.of_nat n)); try lia.
  - unfold along. lia.
  - rewrite (largest_ext (f i) _ x) by (intros j; unfold along; lia). specialize (H1 i).
    unfold apply, along in H1. lia.
  - specialize (H2 i). unfold apply, along in *. lia.
  - specialize (H3 i). unfold apply, along in *. lia.
Qed.

(** ** Bodies: one instruction after the other is max-plus linear, too *)

(** A term with a constant more. *)
Definition shifted (c : Z) (e : nat * Z) : nat * Z := (fst e, snd e + c).
(** The terms that replace one term. *)
Definition after_term (f : map_of) (e : nat * Z) : list (nat * Z) :=
  map (shifted (snd e)) (terms (f (fst e))).

(** [g] and then [f] *)
Definition after (f g : map_of) : map_of := fun i =>
  Form (shifted (snd (first (f i))) (first (g (fst (first (f i))))))
       (tl (after_term g (first (f i))) ++ flat_map (after_term g) (more (f i))).

Lemma after_terms f g i : terms (after f g i) = flat_map (after_term g) (terms (f i)).
Proof. reflexivity. Qed.

(** The form of one body after another is their composition. *)
Theorem after_apply f g x : same (apply (after f g) x) (apply f (apply g x)).
Proof.
  intros i. unfold apply. apply Z.le_antisymm.
  - destruct (largest_in (after f g i) x) as [e [He ->]]. rewrite after_terms in He.
    apply in_flat_map in He as [c [Hc He]]. apply in_map_iff in He as [u [<- Hu]].
    pose proof (largest_ge (f i) (fun i => largest (g i) x) c Hc) as B.
    pose proof (largest_ge (g (fst c)) x u Hu). unfold at_, shifted in *. simpl. lia.
  - destruct (largest_in (f i) (fun i => largest (g i) x)) as [c [Hc ->]].
    destruct (largest_in (g (fst c)) x) as [u [Hu E]].
    assert (In (shifted (snd c) u) (terms (after f g i))) as Hs.
    { rewrite after_terms. apply in_flat_map. exists c. split; [exact Hc|]. apply in_map_iff.
      eauto. }
    pose proof (largest_ge (after f g i) x _ Hs) as B. unfold at_ in *. simpl in *. rewrite E. lia.
Qed.

(** What the program asks of [p] repetitions at a time is theorem 4 of this map. *)
Fixpoint times (p : nat) (f : map_of) : map_of :=
  match p with O => fun i => Form (i, 0) [] | S p => after f (times p f) end.

(** The form of [p] repetitions is the body applied [p] times. *)
Theorem times_apply p f x : same (apply (times p f) x) (repeat_map f p x).
Proof.
  induction p as [|p IH]; intros i; [unfold apply, largest, at_; simpl; lia|].
  cbn [times repeat_map]. rewrite (after_apply f (times p f) x i). apply apply_same, IH.
Qed.

(** ** Execution phases: sums of coordinates

    The walk adds up the beginnings and ends of a period.  Where their sum is on an affine
    function at 0, 1 and K, so is each of them at every t between. *)

(** The sum of several forms. *)
Definition total (fs : list form) (x : vector) : Z := fold_right (fun f z => largest f x + z) 0 fs.

(** The chord from 0 to 1 is below a coordinate further on. *)
Lemma chord f x d t : 1 <= t ->
  largest f (along x d 0) + t * (largest f (along x d 1) - largest f (along x d 0))
    <= largest f (along x d t).
Proof.
  intros Ht. destruct (largest_in f (along x d 1)) as [c [Hc E]].
  pose proof (largest_ge f (along x d 0) c Hc) as B0.
  pose proof (largest_ge f (along x d t) c Hc) as Bt. unfold at_, along in *. nia.
Qed.

Lemma total_chord fs x d t : 1 <= t ->
  total fs (along x d 0) + t * (total fs (along x d 1) - total fs (along x d 0))
    <= total fs (along x d t).
Proof.
  intros Ht. induction fs as [|f fs IH]; simpl; [lia|]. pose proof (chord f x d t Ht). lia.
Qed.

(** If a sum of forms grows evenly over [K] steps, then so does each form. *)
Theorem phases_grow_evenly fs x d K : 2 <= K ->
  total fs (along x d K) = total fs (along x d 0)
    + K * (total fs (along x d 1) - total fs (along x d 0)) ->
  forall f, In f fs -> forall t, 0 <= t <= K ->
  largest f (along x d t)
  = largest f (along x d 0) + t * (largest f (along x d 1) - largest f (along x d 0)).
Proof.
  intros K2 H f Hf t Ht. apply (convex_line f x d _ _ K t K2 eq_refl); [lia| |exact Ht].
  apply Z.le_antisymm; [|apply chord; lia].
  apply in_split in Hf as [l1 [l2 ->]].
  assert (forall y, total (l1 ++ f :: l2) y = total l1 y + largest f y + total l2 y) as S.
  { intros y. clear. induction l1 as [|g l IH]; simpl; [lia|]. rewrite IH. lia. }
  rewrite !S in H. pose proof (total_chord l1 x d K ltac:(lia)).
  pose proof (total_chord l2 x d K ltac:(lia)). lia.
Qed.

(** The loop of the page: with unlimited queues two instructions are issued in two cycles, while the
    end of a unit moves on by six.  Three walks say where any number of repetitions ends. *)
Definition two_paces : map_of := fun i => match i with
  | O => Form (0%nat, 2) []                        (* the next issue *)
  | 1%nat => Form (0%nat, 6) [(1%nat, 6)]          (* the end of the unit *)
  | _ => Form (i, 0) []
  end.

Example two_paces_ends n : same (repeat_map two_paces n (fun _ => 0))
  (fun i => match i with O => 2 * Z.of_nat n | 1%nat => 6 * Z.of_nat n | _ => 0 end).
Proof.
  intros i. rewrite (loop_steps two_paces (fun _ => 0) (fun i => match i with O => 2 | 1%nat => 6 |
    _ => 0 end) (n + 1)); try lia; try (intros [|[|j]]; unfold apply, largest, at_, along;
    simpl; lia). unfold along. destruct i as [|[|j]]; lia.
Qed.

(** Two repetitions at once, after which both go on evenly *)
Example two_paces_twice : let x := fun _ : nat => 0 in
  same (apply (after two_paces two_paces) x) (apply two_paces (apply two_paces x))
  /\ same (apply (times 2%nat two_paces) x) (repeat_map two_paces 2%nat x).
Proof. split; [apply after_apply|apply times_apply]. Qed.
Example two_paces_phases t : 0 <= t <= 3 ->
  largest (two_paces 1%nat) (along (fun _ => 0) (fun i => 6) t) = 6 + t * 6.
Proof.
  intros Ht. rewrite (phases_grow_evenly [two_paces 1%nat] (fun _ => 0) (fun _ => 6) 3 ltac:(lia)
    eq_refl (two_paces 1%nat) (or_introl eq_refl) t Ht). reflexivity.
Qed.
