(** * Checker of FIFO certificates: sets of units and longest paths made by untrusted code *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Potential PotentialBound Graph Paths Aln Fifo
  CheckSchedule CheckAln.
Import ListNotations.

(** The units of F, by warp and section; the paths by warp and node (I(0), D(0), I(1), ...). *)
Definition unit_sets (l : list (list (list nat))) (w q f : nat) : bool :=
  existsb (fun u => u =? f) (nth q (nth w l []) []).
Definition path_table (l : list (list nat)) (w : nat) (n : node) : nat :=
  nth (height n) (nth w l []) 0.

(** The checker of certificates of FIFO. *)
Definition fifo_check (m : machine) (b : block) (F : nat -> nat -> nat -> bool)
  (iso : nat -> node -> nat) (bound : nat) : bool :=
  wf_b b && (all (fun w => all (fun n => let q := sec (get b (w, snd n)) in
      all (fun e => iso w (fst e) + snd e <=? iso w n) (edges m b (F w q) (queue m b q w) w n))
        (nodes b w)) (seq 0 (length b)) && (fifo m b F iso <=? bound)).

Lemma fifo_check_cert m b F iso bound : fifo_check m b F iso bound = true ->
  wf b /\ fifo_cert m b F iso /\ fifo m b F iso <= bound.
Proof.
  unfold fifo_check. intros H. apply andb_prop in H as [H1 H]. apply andb_prop in H as [H2 H3].
  split; [apply wf_ok, H1|]. split; [|apply Nat.leb_le, H3]. intros w n Hn q e He.
  pose proof (proj1 (in_keys _ _ _) Hn) as [Lw _]. apply Nat.leb_le.
  pose proof (all_ok _ _ (all_ok _ _ H2 w ltac:(apply in_seq; lia)) n (in_nodes b w n Hn)) as B.
  exact (all_ok _ _ B e He).
Qed.

(** A bound that the checker of FIFO accepts holds. *)
Theorem fifo_check_ok m b lF l bound : fifo_check m b (unit_sets lF) (path_table l) bound = true ->
  machine_ok m -> depth m = None -> forall s, valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= bound.
Proof.
  intros H M Un s V O Z x Hx. apply fifo_check_cert in H as [H1 [HI H3]].
  pose proof (fifo_bound m b _ _ H1 Un HI s M V O Z x Hx). lia.
Qed.

(** A maker of the paths; what it makes is checked. *)
Definition path_make (m : machine) (b : block) (F : nat -> nat -> nat -> bool) : list (list nat) :=
  map (fun w => fold_left (fun row n => let q := sec (get b (w, snd n)) in
      row ++ [list_max (map (fun e => nth (height (fst e)) row 0 + snd e)
        (edges m b (F w q) (queue m b q w) w n))]) (nodes b w) []) (seq 0 (length b)).
