(** * Checker of ALN certificates: tables of alignments made by untrusted code *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Potential PotentialBound Graph Paths Aln CheckSchedule.
Import ListNotations.

(** All nodes of a warp. *)
Definition nodes (b : block) (w : nat) : list node :=
  flat_map (fun k => [(false, k); (true, k)]) (seq 0 (len b w)).

(** The table is a certificate of the alignments of two warps. *)
Definition align_check (m : machine) (b : block) (w u c : nat) (A : node -> nat -> nat) : bool :=
  all (fun n =>
    all (fun e => all (fun j => A (fst e) j + snd e <=? A n j) (seq 0 (S (len b u))))
      (edges m b no_unit no_queue w n) && all (fun j => A n j + c * charge m b no_unit w n (u, j)
      <=? A n (S j)) (seq 0 (len b u))) (nodes b w).

(** By warp, other warp, node (I(0), D(0), I(1), ...) and instructions consumed. *)
Definition aln_table (l : list (list (list (list nat)))) (w u : nat) (n : node) (j : nat) : nat :=
  nth j (nth (height n) (nth u (nth w l []) []) []) 0.

(** The checker of certificates of ALN. *)
Definition aln_check (m : machine) (b : block) (A : nat -> nat -> node -> nat -> nat)
  (bound : nat) : bool :=
  wf_b b && (all (fun w => all (fun u => align_check m b w u (others b w) (A w u)) (peers b w))
    (seq 0 (length b)) && (aln m b A <=? bound)).

Lemma in_nodes b w n : In (w, snd n) (keys b) -> In n (nodes b w).
Proof.
  intros Hn. apply in_keys in Hn as [_ Hn]. apply in_flat_map. exists (snd n).
  split; [apply in_seq; lia|]. destruct n as [[|] k]; simpl; auto.
Qed.

Lemma align_check_ok m b w u c A : align_check m b w u c A = true -> align_cert m b w u c A.
Proof.
  intros H n Hn. pose proof (all_ok _ _ H n (in_nodes b w n Hn)) as B. cbv beta in B.
  apply andb_prop in B as [B1 B2]. split.
  - intros e j He Hj. apply Nat.leb_le. apply (all_ok _ _ (all_ok _ _ B1 e He) j). apply in_seq.
    lia.
  - intros j Hj. apply Nat.leb_le. apply (all_ok _ _ B2 j). apply in_seq. lia.
Qed.

(** A bound that the checker of ALN accepts holds. *)
Theorem aln_check_ok m b l bound : aln_check m b (aln_table l) bound = true ->
  machine_ok m -> forall s, valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= bound.
Proof.
  unfold aln_check. intros H M s V O Z x Hx. apply andb_prop in H as [H1 H].
  apply andb_prop in H as [H2 H3]. apply wf_ok in H1. apply Nat.leb_le in H3.
  assert (aln_cert m b (aln_table l)) as HA.
  { intros w u Hu n Hn. pose proof (proj1 (in_keys _ _ _) Hn) as [Lw _].
    apply align_check_ok; [|exact Hn].
    apply (all_ok _ _ (all_ok _ _ H2 w ltac:(apply in_seq; lia)) u Hu). }
  pose proof (aln_bound m b _ H1 HA s M V O Z x Hx). lia.
Qed.

(** ** A maker of such tables, row by row; nothing is proven of it, what it makes is checked *)

(** [consume] adds charges along a row. *)
Fixpoint consume (best : nat) (row charges : list nat) : list nat :=
  match row with
  | [] => []
  | x :: row => let y := max best x in
      y :: match charges with [] => [] | c :: charges => consume (y + c) row charges end
  end.

(** The row of a node from the rows before it. *)
Definition make_row (m : machine) (b : block) (w u c : nat) (rows : list (list nat)) (n : node) :
  list nat :=
  let from e := nth (height (fst e)) rows [] in
  consume 0
    (map (fun j => list_max (map (fun e => nth j (from e) 0 + snd e)
      (edges m b no_unit no_queue w n))) (seq 0 (S (len b u))))
    (map (fun j => c * charge m b no_unit w n (u, j)) (seq 0 (len b u))).

(** The table of two warps. *)
Definition make_pair (m : machine) (b : block) (w u : nat) : list (list nat) :=
  if u =? w then [] else
  fold_left (fun rows n => rows ++ [make_row m b w u (others b w) rows n]) (nodes b w) [].

(** The tables of all pairs of warps. *)
Definition aln_make (m : machine) (b : block) : list (list (list (list nat))) :=
  map (fun w => map (make_pair m b w) (seq 0 (max 2 (length b)))) (seq 0 (length b)).
