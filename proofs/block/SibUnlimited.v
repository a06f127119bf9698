(** * SIB at unlimited dispatch depth, in the terms of Sib.v: docs/proofs.md, theorem 1 (SIB, d = ∞)

    Any number of instances, width and number of sub-cores, with barriers and
    releases, for times up to the stated ones.  A corollary of FIB (Bounds.v). *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Sib Weights Queue Isolation Bounds.
Import ListNotations.

(** Certificate of [G_s(w)]: the nodes I(k) and D(k). *)
Definition iso2_cert (b : block) (iI iD : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) -> iI (w, j) + takes (get b (w, j)) <= iI (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iD (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iI (w, k))
    /\ iI (w, k) <= iD (w, k)
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) ->
       fu (get b (w, o)) = fu (get b (w, k)) -> iD (w, o) + init (get b (w, o)) <= iD (w, k)).

(** FIB charges no more than Sib.v's SIB does. *)
Lemma fib_others b m w q : depth m = None -> charged b (fib_charge b m) w q <= others b m w q.
Proof.
  intros D. unfold charged, others. rewrite <- wsum_filter. apply sum_le. intros y _.
  unfold fib_charge, beside, rival, cost. rewrite D.
  destruct (fst y =? w), (sec (get b y) =? q), (uses b w q (fu (get b y))), (core m (fst y) =? core m w),
    (group m (fst y) =? group m w); cbn [negb andb orb]; lia.
Qed.

Lemma filter_all {A} (p : A -> bool) l : (forall x, p x = true) -> filter p l = l.
Proof. intros H. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite H, IH. reflexivity. Qed.

Section SibUnlimited.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis Unlimited : depth m = None.
  (* one thread block, on a clean SM *)
  Hypothesis One : forall v w, group m v = group m w.
  Hypothesis Zero : forall g, begin s g = 0.
  Hypothesis HI : iso2_cert b iI iD.

  Let g := group m 0.

  Lemma fib_term q : block_term b m (fib_charge b m) iD g q <= term b m iD q.
  Proof.
    apply list_max_le, Forall_forall. intros t Ht. apply in_map_iff in Ht as [x [<- Hx]].
    apply filter_In in Hx as [Hx P]. rewrite !andb_true_iff, !Nat.eqb_eq in P. destruct P as [[_ Hq] _]. pose proof (fib_others b m (fst x) q Unlimited).
    assert (iD x + init (get b x) + lat (get b x) + others b m (fst x) q <= term b m iD q); [|lia].
    apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
    split; [exact Hx|]. apply Nat.eqb_eq, Hq.
  Qed.

  Lemma fib_start q : block_start b m (fib_charge b m) iD g q <= start b m iD q.
  Proof. induction q as [|q IH]; cbn [block_start start]; [lia|]. pose proof (fib_term q). lia. Qed.

  (** *** Theorem 1, SIB at unlimited depth, with barriers *)
  Theorem sib_inf_bound x : In x (keys b) -> C s x <= sib b m iD.
  Proof.
    intros Hx. assert (iso_edges b m iI iD) as HE.
    { intros w k Hk. destruct (HI w k Hk) as [H1 [H2 [H3 H4]]]. rewrite Unlimited. auto 8. }
    pose proof (fib_bound m b s iI iD g M W V HE x (fun y _ => One _ _) Hx) as H.
    rewrite Zero in H. unfold block_bound in H. replace (last_section b m g) with (last_sec b) in H.
    - pose proof (fib_start (last_sec b)). pose proof (fib_term (last_sec b)). unfold sib. lia.
    - unfold last_section, last_sec. f_equal. f_equal. symmetry. apply filter_all.
      intros y. apply Nat.eqb_eq, One.
  Qed.
End SibUnlimited.
