(** * ALN and FIFO in polynomial time

    Longest paths of block/AlnPaths.v and block/FifoPaths.v in one pass over the nodes of
    each graph, whose edges are found once. *)

From Warpbound Require Import Base Cycles Model Potential PotentialBound Graph Paths Aln AlnPaths
  Fifo Checks Forward Compute CheckFast.

(** All nodes of a warp. *)
Definition nodes (b : block) (w : nat) : list node :=
  flat_map (fun k => [(false, k); (true, k)]) (seq 0 (len b w)).

Lemma in_nodes b w n : In (w, snd n) (keys b) -> In n (nodes b w).
Proof.
  intros Hn. apply in_keys in Hn as [_ Hn]. apply in_flat_map. exists (snd n).
  split; [apply in_seq; lia|]. destruct n as [[|] k]; simpl; auto.
Qed.

(** ** The graph of a warp: of each node, by its height, the node and its edges *)

(** The graph of a warp as a table. *)
Definition graph_of (w : nat) (into : node -> list (node * nat)) (l : list node) :
  Table.t (node * list (node * nat)) :=
  fold_left (fun t n => Table.add (height n, 0) (n, into n) t) l (Table.empty _).

(** The node at a height, with its edges. *)
Definition at_height (t : Table.t (node * list (node * nat))) (h : nat) :
  node * list (node * nat) :=
  found ((false, 0), []) t (h, 0).

Lemma height_inj n o : height n = height o -> n = o.
Proof. destruct n as [[|] k], o as [[|] j]; unfold height; cbn; intros; f_equal; lia. Qed.

Lemma graph_of_in w into l n : In n l -> at_height (graph_of w into l) (height n) = (n, into n).
Proof.
  unfold at_height, graph_of. assert (forall t,
    (In n l -> found ((false, 0), []) (fold_left (fun t n => Table.add (height n, 0) (n, into n) t)
    l t) (height n, 0) = (n, into n)) /\ (found ((false, 0), []) t (height n, 0) = (n, into n) ->
    found ((false, 0), []) (fold_left (fun t n => Table.add (height n, 0) (n, into n) t) l t)
    (height n, 0) = (n, into n))) as H.
  { induction l as [|o l IH]; intros t; [split; [intros []|auto]|]. cbn [fold_left]. split.
    - intros [->|Hn]; [apply (proj2 (IH _)), found_same|apply (proj1 (IH _)), Hn].
    - intros H. apply (proj2 (IH _)). destruct (key_dec (height o, 0) (height n, 0)) as [E|N].
      + assert (o = n) as -> by (apply height_inj; congruence). apply found_same.
      + rewrite found_other by exact N. exact H. }
  intros Hn. apply (proj1 (H _)), Hn.
Qed.

Lemma nodes_in b w n : In n (nodes b w) -> snd n < len b w.
Proof.
  intros H. apply in_flat_map in H as [k [Hk H]]. apply in_seq in Hk.
  destruct H as [<-|[<-|[]]]; cbn; lia.
Qed.

Lemma nodes_keys b w n : w < length b -> In n (nodes b w) -> In (w, snd n) (keys b).
Proof. intros Hw H. apply in_keys. split; [exact Hw|apply nodes_in, H]. Qed.

(** ** ALN: states are (height, instructions consumed) *)

(** The steps to a state, from such a table. *)
Definition aln_preds (m : machine) (b : block) (w u c : nat)
  (t : Table.t (node * list (node * nat))) (x : key) : list (key * nat) :=
  let ne := at_height t (fst x) in
  map (fun e => ((height (fst e), snd x), snd e)) (snd ne)
  ++ match snd x with 0 => [] | S i => [((fst x, i), c * charge m b no_unit w (fst ne) (u, i))] end.

(** All states of two warps. *)
Definition aln_states (b : block) (w u : nat) : list key :=
  flat_map (fun n => map (fun j => (height n, j)) (seq 0 (S (len b u)))) (nodes b w).

(** The alignments of two warps in one pass. *)
Definition aln_pair (m : machine) (b : block) (w u : nat) (t : Table.t (node * list (node * nat))) :
  Table.t nat :=
  let c := others b w in
  longest_paths (aln_preds m b w u c t) (fun x => fst x + snd x) (aln_states b w u).

(** The alignments of all pairs of warps. *)
Definition aln_tables (m : machine) (b : block) : list (list (Table.t nat)) :=
  map (fun w => let t := graph_of w (edges m b no_unit no_queue w) (nodes b w) in
                map (fun u => if u =? w then Table.empty nat else aln_pair m b w u t)
                  (seq 0 (max 2 (length b)))) (seq 0 (length b)).

(** ALN, as extracted. *)
Definition ALN_fast (b : block) (m : machine) : nat :=
  let ts := aln_tables m b in
  aln m b (fun w u n j => found 0 (nth u (nth w ts []) (Table.empty nat)) (height n, j)).

Section AlnFast.
  Variables (m : machine) (b : block).
  Hypothesis W : wf b.

  Lemma state_in w u n j : In n (nodes b w) -> j <= len b u -> In (height n, j) (aln_states b w u).
  Proof.
    intros Hn Hj. apply in_flat_map. exists n. split; [exact Hn|]. apply in_map_iff. exists j.
    split; [reflexivity|apply in_seq; lia].
  Qed.

  Lemma in_state w u x : In x (aln_states b w u) -> exists n, In n (nodes b w) /\ fst x = height n
    /\ snd x <= len b u.
  Proof.
    intros H. apply in_flat_map in H as [n [Hn H]]. apply in_map_iff in H as [j [<- Hj]].
    apply in_seq in Hj. exists n. cbn. repeat split; auto; lia.
  Qed.

  (** A state as a key. *)
  Definition flat (e : state * nat) : key * nat := ((height (fst (fst e)), snd (fst e)), snd e).

  Lemma aln_preds_same w u c n j : In n (nodes b w) ->
    aln_preds m b w u c (graph_of w (edges m b no_unit no_queue w) (nodes b w)) (height n, j)
      = map flat (steps m b w u c (n, j)).
  Proof.
    intros Hn. unfold aln_preds, steps. cbn [fst snd]. rewrite graph_of_in by exact Hn.
    cbn [fst snd]. rewrite map_app, map_map. f_equal. destruct j; reflexivity.
  Qed.

  Lemma aln_pair_ok w u n j : w < length b -> In n (nodes b w) -> j <= len b u ->
    found 0 (aln_pair m b w u (graph_of w (edges m b no_unit no_queue w) (nodes b w))) (height n, j)
      = alnI m b w u n j.
  Proof.
    intros Hw Hn Hj. unfold aln_pair, alnI. set (c := others b w). cbv zeta.
    assert (forall n, In n (nodes b w) -> forall j e, j <= len b u ->
      In e (steps m b w u c (n, j)) -> In (fst (fst e)) (nodes b w) /\ snd (fst e) <= len b u /\
      height (fst (fst e)) + snd (fst e) < height n + j) as Down.
    { intros o Ho i e Hi He. destruct (steps_down m b W w u c (o, i) e
        (conj (nodes_keys b w o Hw Ho) Hi) He) as [[I1 I2] L]. split; [apply in_nodes, I1|].
      split; [exact I2|exact L]. }
    rewrite (longest_paths_ok _ _ _ (aln_fuel b)).
    - generalize (aln_fuel b). intros f. revert n j Hn Hj.
      induction f as [|f IH]; intros n j Hn Hj; [reflexivity|]. cbn [lp].
      rewrite aln_preds_same, map_map by exact Hn. f_equal. apply map_ext_in. intros e He.
      unfold flat. cbn [fst snd]. destruct (Down n Hn j e Hj He) as [D1 [D2 _]].
      rewrite (IH _ _ D1 D2), <- surjective_pairing. reflexivity.
    - intros x e Hx He. destruct (in_state w u x Hx) as [o [Ho [Hh Hs]]]. destruct x as [h i].
      cbn [fst snd] in *. subst h. rewrite aln_preds_same in He by exact Ho.
      apply in_map_iff in He as [e' [<- He]]. unfold flat. cbn [fst snd].
      destruct (Down o Ho i e' Hs He) as [D1 [D2 D3]]. split; [apply state_in; assumption|exact D3].
    - intros x Hx. destruct (in_state w u x Hx) as [o [Ho [Hh Hs]]]. rewrite Hh.
      apply (level_fuel b w u (o, snd x)). split; [apply nodes_keys; assumption|exact Hs].
    - apply state_in; assumption.
  Qed.

  Lemma total_ext B B' : (forall q, B q = B' q) -> total m b B = total m b B'.
  Proof.
    intros H. unfold total. rewrite H. f_equal. generalize (last_section b). intros q.
    induction q as [|q IH]; [reflexivity|]. cbn. rewrite IH, H. reflexivity.
  Qed.

  (** The extracted ALN equals ALN. *)
  Theorem ALN_fast_ok : ALN_fast b m = ALN b m.
  Proof.
    unfold ALN_fast, ALN, aln. cbv zeta. apply total_ext. intros q. unfold aln_term. f_equal.
    apply map_ext_in. intros w Hw. apply in_seq in Hw. f_equal. unfold sum. f_equal.
    apply map_ext_in. intros u Hu. unfold align. f_equal. apply map_ext_in. intros k Hk.
    apply filter_In in Hk as [Hk _]. apply in_seq in Hk. f_equal. f_equal. unfold aln_tables.
    set (f := fun w => let t := graph_of w (edges m b no_unit no_queue w) (nodes b w) in _).
    rewrite (nth_indep _ [] (f 0)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. apply filter_In in Hu as [Hu Nu]. apply in_seq in Hu.
    apply negb_true_iff in Nu. unfold f. cbv zeta. cbn [Nat.add]. set (t := graph_of _ _ _).
    set (h := fun u => if u =? w then Table.empty nat else aln_pair m b w u t).
    rewrite (nth_indep _ (Table.empty nat) (h 0)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. unfold h. cbn [Nat.add]. rewrite Nu.
    apply aln_pair_ok; [lia| |lia]. apply in_nodes, in_keys. cbn. lia.
  Qed.
End AlnFast.

(** A claim of a thread block that is alone: [ALN_fast] is at most the bound. *)
Definition aln_claim (b : block) (m : machine) (bound : nat) : bool :=
  wf_fast b && (ALN_fast b m <=? bound).

Lemma sections_any m i w B q : sections (with_any m i w) B q = sections m B q.
Proof. induction q as [|q IH]; [reflexivity|]. cbn [sections]. rewrite IH. reflexivity. Qed.

(** A claim of ALN that the extracted checker accepts holds. *)
Theorem aln_claim_ok b m bound : aln_claim b m bound = true ->
  forall i w, machine_ok (with_any m i w) -> forall s, valid (with_any m i w) b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= bound.
Proof.
  intros H i w M s V One Zero x Hx. unfold aln_claim in H.
  apply andb_prop in H as [W H]. apply wf_fast_ok in W. apply Nat.leb_le in H.
  assert (ALN_fast b (with_any m i w) = ALN_fast b m) as E.
  { unfold ALN_fast, aln, total. cbv zeta. rewrite sections_any. reflexivity. }
  rewrite <- E, (ALN_fast_ok _ b W) in H.
  pose proof (ALN_bound (with_any m i w) b s M W V One Zero x Hx). lia.
Qed.
