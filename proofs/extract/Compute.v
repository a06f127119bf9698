(** * lam and ELB in polynomial time

    Each function here and in Sections.v has the name of the definition that it
    equals with [_fast] behind it: these are what Extracted.v extracts.
    Instructions are looked up in a table, longest paths found in one pass. *)

From Warpbound Require Import Base Cycles Model Elb Paths Forward.

(** ** Instructions with their keys, and from a table *)

(** A list with positions. *)
Definition numbered {A} (l : list A) : list (nat * A) := combine (seq 0 (length l)) l.
(** The elements of all rows with their keys. *)
Definition indexed {A} (b : list (list A)) : list (key * A) :=
  flat_map (fun wl => map (fun ki => ((fst wl, fst ki), snd ki)) (numbered (snd wl))) (numbered b).

(** A table of such elements. *)
Definition table_of {A} (l : list (key * A)) : Table.t A :=
  fold_left (fun t e => Table.add (fst e) (snd e) t) l (Table.empty A).

(** The instruction at a key, from a table. *)
Definition looked_up (b : block) : key -> instr :=
  let t := table_of (indexed b) in fun x => found nop t x.

Lemma numbered_is {A} (d : A) l : numbered l = map (fun k => (k, nth k l d)) (seq 0 (length l)).
Proof.
  unfold numbered. assert (forall l n, combine (seq n (length l)) l
    = map (fun k => (k, nth (k - n) l d)) (seq n (length l))) as H.
  { clear l. induction l as [|x l IH]; intros n; [reflexivity|]. cbn [length seq combine map].
    rewrite Nat.sub_diag, IH. f_equal. apply map_ext_in. intros k Hk. apply in_seq in Hk.
    replace (k - n) with (S (k - S n)) by lia. reflexivity. }
  rewrite H. apply map_ext. intros k. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma flat_map_mapped {A B C} (f : A -> B) (g : B -> list C) l : flat_map g (map f l)
  = flat_map (fun x => g (f x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.

Lemma map_flat_map {A B C} (f : B -> C) (g : A -> list B) l : map f (flat_map g l)
  = flat_map (fun x => map f (g x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite map_app, IH. reflexivity. Qed.

Lemma indexed_is {A} (d : A) (b : list (list A)) :
  indexed b = map (fun x => (x, nth (snd x) (nth (fst x) b []) d))
                  (flat_map (fun w => map (fun k => (w, k)) (seq 0 (length (nth w b []))))
                    (seq 0 (length b))).
Proof.
  unfold indexed. rewrite (numbered_is [] b), flat_map_mapped, map_flat_map.
  apply flat_map_ext. intros w. cbn [fst snd]. rewrite (numbered_is d), !map_map. reflexivity.
Qed.

Lemma indexed_keys b : indexed b = map (fun x => (x, get b x)) (keys b).
Proof. apply indexed_is. Qed.

Lemma table_of_mapped {A} (f : key -> A) l : table_of (map (fun x => (x, f x)) l) = tabulated f l.
Proof.
  unfold table_of, tabulated. generalize (Table.empty A).
  induction l as [|x l IH]; intros t; [reflexivity|]. simpl. apply IH.
Qed.

Lemma get_outside b x : ~ In x (keys b) -> get b x = nop.
Proof.
  destruct x as [w k]. rewrite in_keys. unfold get, len. simpl. intros H.
  destruct (le_lt_dec (length b) w) as [L|L].
  - rewrite (nth_overflow b) by exact L. destruct k; reflexivity.
  - apply nth_overflow. lia.
Qed.

Lemma looked_up_get b x : looked_up b x = get b x.
Proof.
  unfold looked_up. rewrite indexed_keys, table_of_mapped. apply tabulated_all, get_outside.
Qed.

(** ** The latency path *)

(** The rank, from a table. *)
Definition rank_of (g : key -> instr) (l : nat) (x : key) : nat := sec (g x) * l + snd x.

(** The edges of latency paths, from a table. *)
Definition lam_preds_of (g : key -> instr) (ks : list key) (m : machine) (x : key) :
  list (key * nat) :=
  let (w, k) := x in
  match k with 0 => [] | S j => [((w, j), 0)] end
  ++ map (fun p => ((w, p), lat (g (w, p)))) (ops (g x))
  ++ map (fun y => (y, release m (sec (g x))))
       (filter (fun y => (group m (fst y) =? group m w) && (sec (g y) <? sec (g x))) ks).

(** All latency paths in one pass. *)
Definition lamI_fast (b : block) (m : machine) : Table.t nat :=
  let ks := keys b in let g := looked_up b in let l := longest b in
  longest_paths (lam_preds_of g ks m) (rank_of g l) ks.

Lemma lam_preds_same b m x : lam_preds_of (looked_up b) (keys b) m x = lam_preds b m x.
Proof.
  destruct x as [w k]. unfold lam_preds_of, lam_preds. rewrite looked_up_get. f_equal. f_equal.
  - apply map_ext. intros p. rewrite looked_up_get. reflexivity.
  - f_equal. apply filter_ext. intros y. rewrite looked_up_get. reflexivity.
Qed.

(** The extracted latency paths equal those of Paths.v. *)
Theorem lamI_fast_ok b m x : wf b -> In x (keys b) -> found 0 (lamI_fast b m) x = lamI b m x.
Proof.
  intros W Hx. unfold lamI_fast, lamI.
  rewrite (longest_paths_ok _ _ _ (enough b)); [|..|exact Hx].
  - generalize (enough b). intros f. clear Hx. revert x.
    induction f as [|f IH]; intros x; [reflexivity|]. cbn [lp]. rewrite lam_preds_same. f_equal.
    apply map_ext. intros e. rewrite IH. reflexivity.
  - intros y e Hy He. rewrite lam_preds_same in He. unfold rank_of. rewrite !looked_up_get.
    apply (lam_ranked b m W y e Hy He).
  - intros y Hy. unfold rank_of. rewrite looked_up_get. apply (enough_ok b y Hy).
Qed.

(** The longest latency path, from a table. *)
Definition top_fast (b : block) (L : key -> nat) : nat :=
  let g := looked_up b in list_max (map (fun x => L x + lat (g x)) (keys b)).
(** E, from a table. *)
Definition E_fast (b : block) : nat := let g := looked_up b in sum (fun x => init (g x)) (keys b).

(** ELB, as extracted. *)
Definition ELB_fast (b : block) (m : machine) : nat :=
  let t := lamI_fast b m in E_fast b + top_fast b (found 0 t).

Lemma top_fast_ok b L L' : (forall x, In x (keys b) -> L x = L' x) -> top_fast b L = top b L'.
Proof.
  intros H. unfold top_fast, top. f_equal. apply map_ext_in. intros x Hx.
  rewrite looked_up_get, (H x Hx). reflexivity.
Qed.

Lemma E_fast_ok b : E_fast b = E b.
Proof.
  unfold E_fast, E, sum. f_equal. apply map_ext. intros x. rewrite looked_up_get. reflexivity.
Qed.

(** The extracted ELB equals ELB. *)
Theorem ELB_fast_ok b m : wf b -> ELB_fast b m = ELB b m.
Proof.
  intros W. unfold ELB_fast, ELB. f_equal.
  - apply E_fast_ok.
  - apply top_fast_ok. intros x Hx. apply lamI_fast_ok; assumption.
Qed.
