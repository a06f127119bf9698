(** * FIFO as a function of the sets of units (docs/proofs.md, section 9) *)

From Warpbound Require Import Base Cycles Model Potential PotentialBound Graph Paths Aln AlnPaths
  Fifo.

(** iso_{s,F}(w), into every node: the longest path, with the queues of F. *)
Definition fifo_iso (m : machine) (b : block) (w q : nat) (F : nat -> bool) (n : node) : nat :=
  lp (edges m b F (queue m b q w) w) (aln_fuel b) n.

(** FIFO with the set [F w q] for warp [w] in section [q]. *)
Definition FIFO (b : block) (m : machine) (F : nat -> nat -> nat -> bool) : nat :=
  fifo m b F (fun w n => let q := sec (get b (w, snd n)) in fifo_iso m b w q (F w q) n).

Lemma height_fuel b w n : In (w, snd n) (keys b) -> height n < aln_fuel b.
Proof.
  intros Hn. pose proof (level_fuel b w w (n, 0)) as H. unfold level_of in H. cbn [fst snd] in H.
  rewrite Nat.add_0_r in H. apply H. split; [exact Hn|cbn; lia].
Qed.

(** These paths respect every edge. *)
Lemma fifo_iso_cert b m F : wf b ->
  fifo_cert m b F (fun w n => let q := sec (get b (w, snd n)) in fifo_iso m b w q (F w q) n).
Proof.
  intros W w n Hn. cbv zeta. set (q := sec (get b (w, snd n))). intros e He.
  destruct (edges_up m b W (F w q) (queue m b q w) w q n e (conj Hn eq_refl) He) as [[_ E] _].
  rewrite E. unfold fifo_iso. apply (lp_edge _ (of_graph b w q) height);
    [|split; [exact Hn|reflexivity]|apply (height_fuel b w n Hn)|exact He]. intros o d Ho Hd.
  apply (edges_up m b W (F w q) (queue m b q w) w q o d Ho Hd).
Qed.

(** With unlimited queues each instruction is complete within the computed FIFO bound. *)
Theorem FIFO_bound b m F s : machine_ok m -> wf b -> depth m = None -> valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= FIFO b m F.
Proof. intros M W Un V. exact (fifo_bound m b F _ W Un (fifo_iso_cert b m F W) s M V). Qed.
