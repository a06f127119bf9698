(** * SIB at unlimited dispatch depth, in the terms of Sib.v: docs/proofs.md, theorem 1 (SIB, d = ∞)

    Any number of instances, width and number of sub-cores, with barriers and
    releases, for times up to the stated ones.  A corollary of FIB (Bounds.v). *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Isolation Sib.
Import ListNotations.

(** Certificate of [G_s(w)]: the nodes I(k) and D(k). *)
Definition iso2_cert (b : block) (iI iD : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) ->
      iI (w, j) + takes (get b (w, j)) <= iI (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iD (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iI (w, k))
    /\ iI (w, k) <= iD (w, k)
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) ->
       fu (get b (w, o)) = fu (get b (w, k)) -> iD (w, o) + init (get b (w, o)) <= iD (w, k)).

(** *** Theorem 1, SIB at unlimited depth, with barriers *)
Theorem sib_inf_bound m b s iI iD : machine_ok m -> wf b -> valid m b s -> depth m = None ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) -> iso2_cert b iI iD ->
  forall x, In x (keys b) -> C s x <= sib b m iD.
Proof.
  intros M W V Dm One Zero HI x.
  apply (sib_edges_bound m b s M W V One Zero iI iD x (or_intror Dm)). intros w k Hk.
  destruct (HI w k Hk) as [H1 [H2 [H3 H4]]]. rewrite Dm. auto 8.
Qed.
