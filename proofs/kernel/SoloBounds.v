(** * What ALN, FIFO and chains show of a thread block alone is a [solo] (docs/proofs.md, section
    12, G1)

    [t] is the thread block as it is written; on a slot of an SM it is called otherwise. *)

From Warpbound Require Import Base Cycles Largest Model Elb Aln AlnPaths Fifo FifoPaths ChainWalk
  ChainSlot ChainBlock ChainTurns Stay SoloCopies KernelCopies.

(** Each execution of [t] on a machine of its own, from cycle 0 on, ends within [a]. *)
Definition alone_ends (t : block) (mt : machine) (a : nat) : Prop :=
  forall s x, valid mt t s -> (forall g, begin s g = 0) -> In x (keys t) -> C s x <= a.

Section Solo.
  Variables (t : block) (mt : machine).
  Hypotheses (M : machine_ok mt) (W : wf t) (One : forall w, group mt w = 0).

  (** ALN bounds a thread block that is alone. *)
  Theorem alone_aln : alone_ends t mt (ALN t mt).
  Proof.
    intros s x V Z Hx.
    apply (ALN_bound mt t s M W V); [intros; rewrite !One; reflexivity|exact Z|exact Hx].
  Qed.

  (** [F]: sets of units. *)
  Theorem alone_fifo F : depth mt = None -> alone_ends t mt (FIFO t mt F).
  Proof.
    intros D s x V Z Hx.
    apply (FIFO_bound t mt F s M W D V); [intros; rewrite !One; reflexivity|exact Z|exact Hx].
  Qed.

  (** The busiest sub-core of each section, and the latencies: [ht] says to which sub-core a unit is
      private. *)
  Theorem alone_chain ht cores L :
    (forall y, In y (keys t) -> 1 <= init (get t y) -> reach ht (core mt (fst y)) (fu (get t y))) ->
    (forall f c, ht f = Some c -> c < cores) -> lam_cert mt t L ->
    alone_ends t mt (fine_work mt t ht cores 0 + top t L).
  Proof.
    intros Home Cores HL s x V Z Hx. pose proof (chain_alone mt t L (turnsI t mt) ht cores 0
      (top t L) (S (list_max (map (turnsI t mt) (keys t)))) M W HL (turnsI_cert t mt)) as A.
    enough (C s x <= begin s 0 + fine_work mt t ht cores 0 + top t L)
      by (rewrite (Z 0) in *; assumption). apply A; auto.
    - intros y Hy _. apply top_ge, Hy.
    - intros y Hy _. pose proof (list_max_ge _ _ (in_map (turnsI t mt) _ y Hy)). lia.
  Qed.
End Solo.

(** *** On its slot it is a [solo] (SoloCopies.v:solo_copy), also among the amounts of kernels
    (KernelCopies.v:kernel_of_copies) *)
Theorem known_alone t mt P b a : alone_ends (t b) (mt b) a -> known_solo t mt P b a.
Proof. right. assumption. Qed.
