(** * FIFO in polynomial time: a warp and a section at a time *)

From Warpbound Require Import Base Cycles Model Potential PotentialBound Graph Paths Aln AlnPaths
  Fifo FifoPaths Checks Forward Compute Sections CheckFast Graphs.

(** The nodes of a section. *)
Definition nodes_of (b : block) (w q : nat) : list node :=
  filter (fun n => sec (get b (w, snd n)) =? q) (nodes b w).

(** The edges to a node, from a table. *)
Definition path_preds (t : Table.t (node * list (node * nat))) (x : key) : list (key * nat) :=
  map (fun e => ((height (fst e), 0), snd e)) (snd (at_height t (fst x))).

(** The longest paths of a section in one pass. *)
Definition path_fast (m : machine) (b : block) (w q : nat) (F : nat -> bool) (Q : nat -> nat) :
  Table.t nat :=
  let ns := nodes_of b w q in let t := graph_of w (edges m b F Q w) ns in
  longest_paths (path_preds t) fst (map (fun n => (height n, 0)) ns).

(** The units of the block. *)
Definition units (b : block) : list nat := nodup Nat.eq_dec (map (fun x => fu (get b x)) (keys b)).
(** The queues at all units, as a table. *)
Definition queues (m : machine) (b : block) (w q : nat) : Table.t nat :=
  tabulated (fun x => queue m b q w (fst x)) (map (fun f => (f, 0)) (units b)).

(** What warp [w] takes in section [q] with the set [F]; [qt] are its queues there. *)
Definition warp_term (m : machine) (b : block) (w q : nat) (qt : Table.t nat) (F : nat -> bool) :
  nat :=
  let t := path_fast m b w q F (fun f => found 0 qt (f, 0)) in
  let c := fifo_charges m b F w q in
  list_max (map (fun k => let e := found 0 t (height (true, k), 0) + init (get b (w, k))
    + lat (get b (w, k)) in
                          if 0 <? e then e + c else 0)
                (filter (fun k => sec (get b (w, k)) =? q) (seq 0 (len b w)))).

(** FIFO, as extracted. *)
Definition FIFO_fast (b : block) (m : machine) (F : nat -> nat -> nat -> bool) : nat :=
  total m b (fun q => list_max (map (fun w => warp_term m b w q (queues m b w q) (F w q))
    (seq 0 (length b)))).

Section QueuesFast.
  Variables (m : machine) (b : block).
  Hypothesis W : wf b.

  Lemma edges_same F Q Q' w n : Q (fu (get b (w, snd n))) = Q' (fu (get b (w, snd n))) ->
    edges m b F Q w n = edges m b F Q' w n.
  Proof. destruct n as [d k]. cbn [snd]. intros H. unfold edges. rewrite H. reflexivity. Qed.

  Lemma queues_ok w q (n : node) : In (w, snd n) (keys b) ->
    found 0 (queues m b w q) (fu (get b (w, snd n)), 0) = queue m b q w (fu (get b (w, snd n))).
  Proof.
    intros Hn. unfold queues. rewrite tabulated_in; [reflexivity|]. apply in_map_iff. eexists.
    split; [reflexivity|]. apply nodup_In, in_map_iff. eauto.
  Qed.

  Lemma nodes_of_in w q (n : node) : w < length b -> In n (nodes_of b w q) <-> of_graph b w q n.
  Proof.
    intros Hw. unfold nodes_of, of_graph. rewrite filter_In, Nat.eqb_eq.
    split; intros [H1 H2]; split; auto.
    - apply nodes_keys; assumption.
    - apply in_nodes, H1.
  Qed.

  Lemma path_fast_ok w q F n : of_graph b w q n ->
    found 0 (path_fast m b w q F (fun f => found 0 (queues m b w q) (f, 0))) (height n, 0)
      = fifo_iso m b w q F n.
  Proof.
    intros Hn. assert (w < length b) as Hw by (destruct Hn as [Hn _]; apply in_keys in Hn; lia).
    unfold path_fast, fifo_iso. cbv zeta. assert (forall o, of_graph b w q o ->
      path_preds (graph_of w (edges m b F (fun f => found 0 (queues m b w q) (f, 0)) w)
      (nodes_of b w q)) (height o, 0) = map (fun e => ((height (fst e), 0), snd e))
      (edges m b F (queue m b q w) w o)) as P.
    { intros o Ho. unfold path_preds. cbn [fst].
      rewrite graph_of_in by (apply nodes_of_in; assumption). cbn [snd].
      rewrite (edges_same F _ (queue m b q w)); [reflexivity|]. apply queues_ok, Ho. }
    rewrite (longest_paths_ok _ _ _ (aln_fuel b)).
    - generalize (aln_fuel b). intros f. revert n Hn.
      induction f as [|f IH]; intros n Hn; [reflexivity|]. cbn [lp]. rewrite (P n Hn), map_map.
      f_equal. apply map_ext_in. intros e He. cbn [fst snd]. rewrite IH; [reflexivity|].
      apply (edges_up m b W F (queue m b q w) w q n e Hn He).
    - intros x e Hx He. apply in_map_iff in Hx as [o [<- Ho]]. apply nodes_of_in in Ho; [|exact Hw].
      rewrite (P o Ho) in He. apply in_map_iff in He as [d [<- Hd]]. cbn [fst].
      destruct (edges_up m b W F (queue m b q w) w q o d Ho Hd) as [I L]. split; [|exact L].
      apply in_map_iff. exists (fst d). split; [reflexivity|]. apply nodes_of_in; assumption.
    - intros x Hx. apply in_map_iff in Hx as [o [<- Ho]]. apply nodes_of_in in Ho; [|exact Hw].
      apply (height_fuel b w o), Ho.
    - apply in_map_iff. exists n. split; [reflexivity|]. apply nodes_of_in; assumption.
  Qed.

  Lemma max_flat_map {A B} (f : B -> nat) (g : A -> list B) l :
    list_max (map f (flat_map g l)) = list_max (map (fun x => list_max (map f (g x))) l).
  Proof.
    induction l as [|x l IH]; [reflexivity|]. cbn [flat_map]. rewrite map_app, list_max_app, IH.
    reflexivity.
  Qed.

  (** The extracted FIFO bound equals FIFO. *)
  Theorem FIFO_fast_ok F : FIFO_fast b m F = FIFO b m F.
  Proof.
    unfold FIFO_fast, FIFO, fifo. apply total_ext. intros q. unfold fifo_term.
    rewrite filter_and, max_filtered, max_filtered. unfold keys. rewrite max_flat_map. f_equal.
    apply map_ext_in. intros w Hw. apply in_seq in Hw. rewrite map_map. unfold warp_term. cbv zeta.
    rewrite max_filtered. f_equal. apply map_ext_in. intros k Hk. apply in_seq in Hk. cbn [fst snd].
    destruct (Nat.eqb_spec (sec (get b (w, k))) q) as [<-|N]; [|reflexivity].
    rewrite (path_fast_ok w _ (F w (sec (get b (w, k)))) (true, k)); [reflexivity|].
    split; [apply in_keys; cbn; lia|reflexivity].
  Qed.
End QueuesFast.

(** A claim of a thread block that is alone. *)
Definition fifo_claim (b : block) (m : machine) (F : nat -> nat -> nat -> bool) (bound : nat) :
  bool :=
  wf_fast b && (match depth m with None => true | Some _ =>
    false end && (FIFO_fast b m F <=? bound)).

(** A claim of FIFO that the extracted checker accepts holds. *)
Theorem fifo_claim_ok b m F bound : fifo_claim b m F bound = true -> machine_ok m ->
  forall s, valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= bound.
Proof.
  unfold fifo_claim. intros H M s V One Zero x Hx. apply andb_prop in H as [W H].
  apply andb_prop in H as [D H]. apply wf_fast_ok in W. apply Nat.leb_le in H.
  rewrite (FIFO_fast_ok m b W) in H. destruct (depth m) eqn:E; [discriminate|].
  pose proof (FIFO_bound b m F s M W E V One Zero x Hx). lia.
Qed.
