(** * Longest paths in one pass

    [lp] of block/Paths.v goes back over the edges anew at every node, which takes
    exponential time.  A pass over the nodes, each behind those that it has edges
    from, finds the same numbers: this is what is extracted. *)

From Coq Require Import FMapAVL FMapFacts OrderedTypeEx Mergesort Orders Permutation Sorted
  Relations.
From Warpbound Require Import Base Cycles Model Paths.

(** ** Tables *)

Module KeyOrder := PairOrderedType Nat_as_OT Nat_as_OT.
Module Table := FMapAVL.Make KeyOrder.
Module TableFacts := FMapFacts.WFacts_fun KeyOrder Table.

(** The value at a key, or a default. *)
Definition found {A} (default : A) (t : Table.t A) (x : key) : A :=
  match Table.find x t with Some v => v | None => default end.

Lemma key_eq (x y : key) : KeyOrder.eq x y <-> x = y.
Proof.
  destruct x as [a c], y as [d e]. unfold KeyOrder.eq. simpl. split.
  - intros [-> ->]. reflexivity.
  - intros H. inversion H. split; reflexivity.
Qed.

Lemma found_same {A} (d : A) t x v : found d (Table.add x v t) x = v.
Proof. unfold found. rewrite TableFacts.add_eq_o; [reflexivity|]. apply key_eq. reflexivity. Qed.

Lemma found_other {A} (d : A) t x y v : x <> y -> found d (Table.add x v t) y = found d t y.
Proof.
  intros H. unfold found. rewrite TableFacts.add_neq_o; [reflexivity|].
  intros E. apply H, key_eq, E.
Qed.

Lemma found_empty {A} (d : A) x : found d (Table.empty A) x = d.
Proof. unfold found. rewrite TableFacts.empty_o. reflexivity. Qed.

Lemma key_dec (x y : key) : {x = y} + {x <> y}.
Proof. decide equality; apply Nat.eq_dec. Qed.

(** The table of a function. *)
Definition tabulated {A} (f : key -> A) (l : list key) : Table.t A :=
  fold_left (fun t x => Table.add x (f x) t) l (Table.empty A).

Lemma fold_found {A} (f : key -> A) d l t x :
  found d (fold_left (fun t x => Table.add x (f x) t) l t) x = f x
  \/ (~ In x l /\ found d (fold_left (fun t x => Table.add x (f x) t) l t) x = found d t x).
Proof.
  revert t. induction l as [|y l IH]; intros t; simpl; [right; split; [intros []|reflexivity]|].
  destruct (IH (Table.add y (f y) t)) as [H|[N H]]; [left; exact H|].
  destruct (key_dec y x) as [->|E].
  - left. rewrite H. apply found_same.
  - right. split; [intros [F|F]; [congruence|tauto]|]. rewrite H. apply found_other, E.
Qed.

Lemma tabulated_in {A} (f : key -> A) d l x : In x l -> found d (tabulated f l) x = f x.
Proof. intros H. destruct (fold_found f d l (Table.empty A) x) as [E|[N _]]; [exact E|tauto]. Qed.

Lemma tabulated_all {A} (f : key -> A) d l x : (~ In x l -> f x = d) ->
  found d (tabulated f l) x = f x.
Proof.
  intros H. destruct (fold_found f d l (Table.empty A) x) as [E|[N E]]; [exact E|].
  unfold tabulated. rewrite E, found_empty. symmetry. apply H, N.
Qed.

(** ** The pass *)

Section Pass.
  Variable preds : key -> list (key * nat).

  (** The longest path to [x] from what is in the table. *)
  Definition into (t : Table.t nat) (x : key) : nat :=
    list_max (map (fun e => found 0 t (fst e) + snd e) (preds x)).
  (** [step] adds the value of [x] to the table. *)
  Definition step (t : Table.t nat) (x : key) : Table.t nat := Table.add x (into t x) t.
  (** [pass] computes all values in order. *)
  Definition pass (order : list key) : Table.t nat := fold_left step order (Table.empty nat).

  Variables (P : key -> Prop) (rank : key -> nat) (fuel : nat).
  Hypothesis R : forall x e, P x -> In e (preds x) -> P (fst e) /\ rank (fst e) < rank x.
  Hypothesis F : forall x, P x -> rank x < fuel.

  (** The table has the longest paths of the list. *)
  Definition right (t : Table.t nat) (l : list key) : Prop :=
    forall x, In x l -> P x -> found 0 t x = lp preds fuel x.

  Lemma step_right t l x : right t l -> P x ->
    (forall e, In e (preds x) -> In (fst e) l) -> right (step t x) (l ++ [x]).
  Proof.
    intros H Hx Hp y Hy Py. unfold step. destruct (key_dec x y) as [->|N].
    - rewrite found_same.
      rewrite (lp_fuel preds P rank R fuel (S fuel) y) by auto using Nat.lt_lt_succ_r. cbn [lp].
      unfold into. f_equal. apply map_ext_in. intros e He. rewrite H; auto. apply (R y e Py He).
    - rewrite found_other by exact N. apply in_app_or in Hy as [Hy|[Hy|[]]]; [auto|congruence].
  Qed.

  (** Each node behind those that it has edges from. *)
  Definition in_order (order : list key) : Prop :=
    forall l x r, order = l ++ x :: r -> P x /\ forall e, In e (preds x) -> In (fst e) l.

  Lemma fold_right_in r : forall t l, right t l -> in_order (l ++ r) ->
    right (fold_left step r t) (l ++ r).
  Proof.
    induction r as [|x r IH]; intros t l H O; simpl; [rewrite app_nil_r; exact H|].
    destruct (O l x r eq_refl) as [Hx He].
    replace (l ++ x :: r) with ((l ++ [x]) ++ r) in * by (rewrite <- app_assoc; reflexivity).
    apply IH; [apply step_right; assumption|exact O].
  Qed.

  Theorem pass_is_lp order : in_order order ->
    forall x, In x order -> found 0 (pass order) x = lp preds fuel x.
  Proof.
    intros O x Hx.
    apply (fold_right_in order _ [] (fun y (H : In y []) => match H with end) O x Hx).
    apply in_split in Hx as [l [r E]]. apply (O l x r E).
  Qed.

  (** Nodes sorted by rank are in order. *)
  Lemma sorted_in_order order : (forall x, In x order <-> P x) ->
    StronglySorted (fun x y => rank x <= rank y) order -> in_order order.
  Proof.
    intros HP S l x s ->. assert (P x) as Px by (apply HP, in_or_app; right; left; reflexivity).
    split; [exact Px|]. intros e He. destruct (R x e Px He) as [Pe Hr].
    apply HP in Pe. apply in_app_or in Pe as [Pe|Pe]; [exact Pe|exfalso].
    assert (StronglySorted (fun x y => rank x <= rank y) (x :: s)) as S'.
    { clear - S. induction l as [|y l IH]; [exact S|]. inversion S; subst. auto. }
    inversion S' as [|? ? _ Fa]; subst. rewrite Forall_forall in Fa.
    destruct Pe as [E|Pe]; [rewrite <- E in Hr; lia|]. specialize (Fa _ Pe). lia.
  Qed.
End Pass.

(** ** Sorting by rank *)

Module Ranked <: TotalTransitiveLeBool.
  (** Keys with their ranks. *)
  Definition t := (nat * key)%type.
  (** The order of ranks. *)
  Definition leb (x y : t) := fst x <=? fst y.
  Lemma leb_total : forall x y, leb x y = true \/ leb y x = true.
  Proof. intros x y. unfold leb. rewrite !Nat.leb_le. lia. Qed.
  Lemma leb_trans : Transitive (fun x y => is_true (leb x y)).
  Proof. intros x y z. unfold leb, is_true. rewrite !Nat.leb_le. lia. Qed.
End Ranked.
Module RankSort := Sort Ranked.

(** The nodes in the order of ranks. *)
Definition by_rank (rank : key -> nat) (nodes : list key) : list key :=
  map snd (RankSort.sort (map (fun x => (rank x, x)) nodes)).

Lemma by_rank_in rank nodes x : In x (by_rank rank nodes) <-> In x nodes.
Proof.
  unfold by_rank. rewrite in_map_iff. split.
  - intros [[r y] [E H]]. simpl in E. subst y.
    apply (Permutation_in _ (Permutation_sym (RankSort.Permuted_sort _))), in_map_iff in H
      as [y [E H]]. inversion E; subst. exact H.
  - intros H. exists (rank x, x). split; [reflexivity|].
    apply (Permutation_in _ (RankSort.Permuted_sort _)), in_map_iff. eauto.
Qed.

Lemma by_rank_sorted rank nodes : StronglySorted (fun x y => rank x <= rank y) (by_rank rank nodes).
Proof.
  unfold by_rank. set (l := map (fun x => (rank x, x)) nodes).
  assert (forall z, In z (RankSort.sort l) -> fst z = rank (snd z)) as H.
  { intros z Hz. apply (Permutation_in _ (Permutation_sym (RankSort.Permuted_sort _))), in_map_iff
      in Hz as [y [<- _]]. reflexivity. }
  pose proof (RankSort.StronglySorted_sort l Ranked.leb_trans) as S.
  induction S as [|z s S IH Fa]; simpl; constructor.
  - apply IH. intros; apply H; right; assumption.
  - apply Forall_forall. intros y Hy. apply in_map_iff in Hy as [u [<- Hu]].
    rewrite Forall_forall in Fa. specialize (Fa u Hu). unfold is_true, Ranked.leb in Fa.
    apply Nat.leb_le in Fa. rewrite (H z (or_introl eq_refl)), (H u (or_intror Hu)) in Fa. exact Fa.
Qed.

(** The longest paths into all nodes. *)
Definition longest_paths (preds : key -> list (key * nat)) (rank : key -> nat) (nodes : list key) :
  Table.t nat :=
  pass preds (by_rank rank nodes).

(** One pass in the order of ranks computes all longest paths. *)
Theorem longest_paths_ok preds rank nodes fuel :
  (forall x e, In x nodes -> In e (preds x) -> In (fst e) nodes /\ rank (fst e) < rank x) ->
  (forall x, In x nodes -> rank x < fuel) ->
  forall x, In x nodes -> found 0 (longest_paths preds rank nodes) x = lp preds fuel x.
Proof.
  intros R F x Hx. apply (pass_is_lp preds (fun x => In x nodes) rank fuel R F).
  - apply (sorted_in_order _ _ rank R); [apply by_rank_in|apply by_rank_sorted].
  - apply by_rank_in, Hx.
Qed.
