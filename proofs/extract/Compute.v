(** * The definitions of lam, iso, ELB and SIB in polynomial time

    Each function here has the name of the definition that it equals with [_fast]
    behind it: these are what proofs/extract/Extracted.v extracts.  Instructions are looked up
    in a table, longest paths found in one pass, sums over rivals made once a
    warp and section. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb Sib Paths Forward.
Import ListNotations.

(** ** Instructions from a table *)

Definition looked_up (b : block) : key -> instr :=
  let t := tabulated (get b) (keys b) in fun x => found nop t x.

Lemma get_outside b x : ~ In x (keys b) -> get b x = nop.
Proof.
  destruct x as [w k]. rewrite in_keys. unfold get, len. simpl. intros H.
  destruct (le_lt_dec (length b) w) as [L|L].
  - rewrite (nth_overflow b) by exact L. destruct k; reflexivity.
  - apply nth_overflow. lia.
Qed.

Lemma looked_up_get b x : looked_up b x = get b x.
Proof. apply tabulated_all, get_outside. Qed.

(** ** The latency path *)

Definition rank_of (g : key -> instr) (l : nat) (x : key) : nat := sec (g x) * l + snd x.

Definition lam_preds_of (g : key -> instr) (ks : list key) (m : machine) (x : key) : list (key * nat) :=
  let (w, k) := x in
  match k with 0 => [] | S j => [((w, j), 0)] end
  ++ map (fun p => ((w, p), lat (g (w, p)))) (ops (g x))
  ++ map (fun y => (y, release m (sec (g x))))
       (filter (fun y => (group m (fst y) =? group m w) && (sec (g y) <? sec (g x))) ks).

Definition lamI_fast (b : block) (m : machine) : Table.t nat :=
  let ks := keys b in let g := looked_up b in let l := longest b in
  longest_paths (lam_preds_of g ks m) (rank_of g l) ks.

Lemma lam_preds_same b m x : lam_preds_of (looked_up b) (keys b) m x = lam_preds b m x.
Proof.
  destruct x as [w k]. unfold lam_preds_of, lam_preds. rewrite looked_up_get. f_equal. f_equal.
  - apply map_ext. intros p. rewrite looked_up_get. reflexivity.
  - f_equal. apply filter_ext. intros y. rewrite looked_up_get. reflexivity.
Qed.

Theorem lamI_fast_ok b m x : wf b -> In x (keys b) -> found 0 (lamI_fast b m) x = lamI b m x.
Proof.
  intros W Hx. unfold lamI_fast, lamI.
  rewrite (longest_paths_ok _ _ _ (enough b)); [|..|exact Hx].
  - generalize (enough b). intros f. clear Hx. revert x. induction f as [|f IH]; intros x; [reflexivity|].
    cbn [lp]. rewrite lam_preds_same. f_equal. apply map_ext. intros e. rewrite IH. reflexivity.
  - intros y e Hy He. rewrite lam_preds_same in He. unfold rank_of. rewrite !looked_up_get.
    apply (lam_ranked b m W y e Hy He).
  - intros y Hy. unfold rank_of. rewrite looked_up_get. apply (enough_ok b y Hy).
Qed.

Definition top_fast (b : block) (L : key -> nat) : nat :=
  let g := looked_up b in list_max (map (fun x => L x + lat (g x)) (keys b)).
Definition E_fast (b : block) : nat := let g := looked_up b in sum (fun x => init (g x)) (keys b).

Definition ELB_fast (b : block) (m : machine) : nat :=
  let t := lamI_fast b m in E_fast b + top_fast b (found 0 t).

Lemma top_fast_ok b L L' : (forall x, In x (keys b) -> L x = L' x) -> top_fast b L = top b L'.
Proof.
  intros H. unfold top_fast, top. f_equal. apply map_ext_in. intros x Hx.
  rewrite looked_up_get, (H x Hx). reflexivity.
Qed.

Theorem ELB_fast_ok b m : wf b -> ELB_fast b m = ELB b m.
Proof.
  intros W. unfold ELB_fast, ELB. f_equal.
  - unfold E_fast, E, sum. f_equal. apply map_ext. intros x. rewrite looked_up_get. reflexivity.
  - apply top_fast_ok. intros x Hx. apply lamI_fast_ok; assumption.
Qed.

(** ** A warp alone, at depth 0 *)

Definition iso_preds_of (g : key -> instr) (x : key) : list (key * nat) :=
  let (w, k) := x in
  let same j := sec (g (w, j)) =? sec (g x) in
  match k with 0 => [] | S j => if same j then [((w, j), takes (g (w, j)))] else [] end
  ++ map (fun p => ((w, p), init (g (w, p)) + lat (g (w, p)))) (filter same (ops (g x)))
  ++ map (fun o => ((w, o), init (g (w, o))))
       (filter (fun o => same o && (fu (g (w, o)) =? fu (g x))) (seq 0 k)).

Definition isoI_fast (b : block) : Table.t nat :=
  let g := looked_up b in let l := longest b in longest_paths (iso_preds_of g) (rank_of g l) (keys b).

Lemma iso_preds_same b x : iso_preds_of (looked_up b) x = iso_preds b x.
Proof.
  destruct x as [w k]. unfold iso_preds_of, iso_preds, on. rewrite looked_up_get. f_equal; [|f_equal].
  - destruct k; [reflexivity|]. rewrite looked_up_get. reflexivity.
  - erewrite map_ext; [|intros p; rewrite looked_up_get; reflexivity]. f_equal.
    apply filter_ext. intros p. rewrite looked_up_get. reflexivity.
  - erewrite map_ext; [|intros p; rewrite looked_up_get; reflexivity]. f_equal.
    apply filter_ext. intros p. rewrite looked_up_get. reflexivity.
Qed.

Theorem isoI_fast_ok b x : wf b -> In x (keys b) -> found 0 (isoI_fast b) x = isoI b x.
Proof.
  intros W Hx. unfold isoI_fast, isoI.
  rewrite (longest_paths_ok _ _ _ (enough b)); [|..|exact Hx].
  - generalize (enough b). intros f. clear Hx. revert x. induction f as [|f IH]; intros x; [reflexivity|].
    cbn [lp]. rewrite iso_preds_same. f_equal. apply map_ext. intros e. rewrite IH. reflexivity.
  - intros y e Hy He. rewrite iso_preds_same in He. unfold rank_of. rewrite !looked_up_get.
    apply (iso_ranked b W y e Hy He).
  - intros y Hy. unfold rank_of. rewrite looked_up_get. apply (enough_ok b y Hy).
Qed.

(** ** Sums over sections *)

(** [here]: the instructions of a section, with their keys. *)
Definition others_of (m : machine) (here : list (key * instr)) (w : nat) : nat :=
  let own := map (fun y => fu (snd y)) (filter (fun y => fst (fst y) =? w) here) in
  sum (fun y => init (snd y))
      (filter (fun y => negb (fst (fst y) =? w)
                 && ((core m (fst (fst y)) =? core m w) || existsb (fun f => f =? fu (snd y)) own)) here).

Definition term_of (warps : nat) (m : machine) (iso : key -> nat) (here : list (key * instr)) : nat :=
  let o := map (others_of m here) (seq 0 warps) in
  list_max (map (fun y => iso (fst y) + init (snd y) + lat (snd y) + nth (fst (fst y)) o 0) here).

Definition section_of (all : list (key * instr)) (q : nat) : list (key * instr) :=
  filter (fun y => sec (snd y) =? q) all.

Definition sib_fast (b : block) (m : machine) (iso : key -> nat) : nat :=
  let all := map (fun x => (x, looked_up b x)) (keys b) in
  let last := list_max (map (fun y => sec (snd y)) all) in
  list_sum (map (fun q => term_of (length b) m iso (section_of all q)
                          + match q with 0 => 0 | S _ => release m q end) (seq 0 (S last))).

Lemma filter_and {A} (p q : A -> bool) l : filter (fun x => p x && q x) l = filter q (filter p l).
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl. destruct (p x); simpl; rewrite IH; destruct (q x); reflexivity.
Qed.

Lemma filter_mapped {A B} (f : A -> B) p l : filter p (map f l) = map f (filter (fun x => p (f x)) l).
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. destruct (p (f x)); simpl; rewrite IH; reflexivity. Qed.

Lemma existsb_filtered {A} (p q : A -> bool) l : existsb (fun x => p x && q x) l = existsb q (filter p l).
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. destruct (p x); simpl; rewrite IH; reflexivity. Qed.

Lemma existsb_mapped {A B} (f : A -> B) p l : existsb p (map f l) = existsb (fun x => p (f x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.

Section Same.
  Variables (b : block) (m : machine).
  Let pair (x : key) := (x, get b x).
  Let here (q : nat) := map pair (filter (fun x => sec (get b x) =? q) (keys b)).

  Lemma section_is q : section_of (map pair (keys b)) q = here q.
  Proof. unfold section_of. rewrite filter_mapped. reflexivity. Qed.

  Lemma uses_is w q f :
    existsb (fun g => g =? f) (map (fun y => fu (snd y)) (filter (fun y => fst (fst y) =? w) (here q))) = uses b w q f.
  Proof.
    unfold uses, here. rewrite existsb_mapped, filter_mapped, existsb_mapped.
    rewrite existsb_filtered. f_equal. rewrite filter_and. simpl.
    induction (keys b) as [|x l IH]; [reflexivity|]. simpl.
    destruct (sec (get b x) =? q) eqn:Q, (fst x =? w) eqn:F; simpl; rewrite ?Q, ?F, ?IH; reflexivity.
  Qed.

  Lemma others_is w q : others_of m (here q) w = others b m w q.
  Proof.
    unfold others_of, others, here. rewrite filter_mapped. unfold sum. rewrite map_map. f_equal. f_equal.
    simpl. rewrite <- filter_and. apply filter_ext. intros y. unfold rival.
    pose proof (uses_is w q (fu (get b y))) as U. unfold here in U. rewrite U.
    destruct (fst y =? w), (sec (get b y) =? q); reflexivity.
  Qed.

  Lemma term_is iso iso' q : (forall x, In x (keys b) -> iso x = iso' x) ->
    term_of (length b) m iso (here q) = term b m iso' q.
  Proof.
    intros H. unfold term_of, term. f_equal. unfold here at 2. rewrite map_map. apply map_ext_in.
    intros [w k] Hx. apply filter_In in Hx as [Hx _]. simpl. rewrite (H _ Hx). f_equal.
    apply in_keys in Hx as [Hw _].
    rewrite (nth_indep _ 0 (others_of m (here q) 0)) by (rewrite map_length, seq_length; exact Hw).
    rewrite map_nth, seq_nth by exact Hw. apply others_is.
  Qed.

  Lemma start_sum iso last :
    list_sum (map (fun q => term b m iso q + match q with 0 => 0 | S _ => release m q end) (seq 0 (S last)))
    = start b m iso last + term b m iso last.
  Proof.
    induction last as [|q IH]; [simpl; lia|].
    rewrite seq_S, map_app, list_sum_app, IH. cbn [map list_sum fold_right start Nat.add]. lia.
  Qed.

  Theorem sib_fast_ok iso iso' : (forall x, In x (keys b) -> iso x = iso' x) ->
    sib_fast b m iso = sib b m iso'.
  Proof.
    intros H. unfold sib_fast, sib, last_sec. rewrite <- start_sum.
    assert (map (fun x => (x, looked_up b x)) (keys b) = map pair (keys b)) as ->.
    { apply map_ext. intros x. unfold pair. rewrite looked_up_get. reflexivity. }
    rewrite map_map. simpl snd. f_equal. apply map_ext. intros q. f_equal.
    rewrite section_is. apply term_is, H.
  Qed.
End Same.

Definition SIB_fast (b : block) (m : machine) : nat := let t := isoI_fast b in sib_fast b m (found 0 t).

Theorem SIB_fast_ok b m : wf b -> SIB_fast b m = SIB b m.
Proof. intros W. apply sib_fast_ok. intros x Hx. apply isoI_fast_ok; assumption. Qed.
