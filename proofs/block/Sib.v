(** * SIB at dispatch depth 0: docs/proofs.md, theorem 1 (SIB, d = 0)

    Any width, number of sub-cores and instances, with barriers and releases,
    for times up to the stated ones.  A corollary of FIB (Bounds.v), as is SIB at unlimited
    depth (SibUnlimited.v): FIB charges no more. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Weights Isolation Bounds.
Import ListNotations.

(** Certificate of the start of every instruction in isolation, counted from the
    start of its section: the edges of [G_s(w)]. *)
Definition iso_cert (b : block) (iso : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) ->
       iso (w, j) + takes (get b (w, j)) <= iso (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iso (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iso (w, k))
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) ->
       fu (get b (w, o)) = fu (get b (w, k)) ->
       iso (w, o) + init (get b (w, o)) <= iso (w, k)).

(** What can delay [w] in section [q]: instructions of other warps, of this section,
    that take slots of [w]'s sub-core or a unit that [w] uses. *)
Definition rival (b : block) (m : machine) (w q : nat) (y : key) : bool :=
  negb (fst y =? w) && (sec (get b y) =? q)
  && ((core m (fst y) =? core m w) || uses b w q (fu (get b y))).

(** The initiations of all rivals. *)
Definition others (b : block) (m : machine) (w q : nat) : nat :=
  sum (fun y => init (get b y)) (filter (rival b m w q) (keys b)).

(** The term of section [q]: the largest, over warps, of isolation and the others' work. *)
Definition term (b : block) (m : machine) (iso : key -> nat) (q : nat) : nat :=
  list_max (map (fun x => iso x + init (get b x) + lat (get b x) + others b m (fst x) q)
                (filter (fun x => sec (get b x) =? q) (keys b))).

(** The bound on the release of section [q] and the completion of all before it. *)
Fixpoint start (b : block) (m : machine) (iso : key -> nat) (q : nat) : nat :=
  match q with
  | 0 => 0
  | S r => start b m iso r + term b m iso r + release m q
  end.

(** The last section of the block. *)
Definition last_sec (b : block) : nat := list_max (map (fun x => sec (get b x)) (keys b)).
(** SIB is the sum of all terms and releases. *)
Definition sib (b : block) (m : machine) (iso : key -> nat) : nat :=
  start b m iso (last_sec b) + term b m iso (last_sec b).

(** FIB charges no more. *)
Lemma fib_others b m w q : depth m = Some 0 \/ depth m = None -> charged b (fib_charge b m) w q
  <= others b m w q.
Proof.
  intros D. unfold charged, others. rewrite <- wsum_filter. apply sum_le. intros y _.
  unfold fib_charge, beside, rival, cost. destruct D as [-> | ->], (fst y =? w),
    (sec (get b y) =? q), (uses b w q (fu (get b y))), (core m (fst y) =? core m w),
    (group m (fst y) =? group m w); cbn [negb andb orb]; lia.
Qed.

Section Sib.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  (* one thread block, on a clean SM *)
  Hypothesis One : forall v w, group m v = group m w.
  Hypothesis Zero : forall g, begin s g = 0.

  Let g := group m 0.

  Lemma fib_term iD q : depth m = Some 0 \/ depth m = None -> block_term b m (fib_charge b m) iD g q
    <= term b m iD q.
  Proof.
    intros Dm. apply list_max_le, Forall_forall. intros t Ht. apply in_map_iff in Ht as [x [<- Hx]].
    apply filter_In in Hx as [Hx P]. rewrite !andb_true_iff, !Nat.eqb_eq in P.
    destruct P as [[_ Hq] _]. pose proof (fib_others b m (fst x) q Dm).
    assert (iD x + init (get b x) + lat (get b x) + others b m (fst x) q <= term b m iD q); [|lia].
    apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
    split; [exact Hx|]. apply Nat.eqb_eq, Hq.
  Qed.

  Lemma sib_edges_bound iI iD x : depth m = Some 0 \/ depth m = None -> iso_edges b m iI iD ->
    In x (keys b) -> C s x <= sib b m iD.
  Proof.
    intros Dm HE Hx. pose proof (fib_bound m b s iI iD g M W V HE x (fun y _ => One _ _) Hx) as H.
    rewrite Zero in H. unfold block_bound in H. replace (last_section b m g) with (last_sec b) in H.
    - assert (forall q, block_start b m (fib_charge b m) iD g q <= start b m iD q) as S.
      { induction q as [|q IH]; cbn [block_start start]; [lia|]. pose proof (fib_term iD q Dm).
        lia. }
      specialize (S (last_sec b)). pose proof (fib_term iD (last_sec b) Dm). unfold sib. lia.
    - unfold last_section, last_sec. f_equal. f_equal. symmetry. apply (filter_const _ true).
      intros y _. apply Nat.eqb_eq, One.
  Qed.
End Sib.

(** *** Theorem 1, SIB at depth 0, with barriers *)
Theorem sib_bound m b s iso : machine_ok m -> wf b -> valid m b s -> depth m = Some 0 ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) -> iso_cert b iso ->
  forall x, In x (keys b) -> C s x <= sib b m iso.
Proof.
  intros M W V D0 One Zero HI x.
  apply (sib_edges_bound m b s M W V One Zero iso iso x (or_introl D0)). intros w k Hk.
  destruct (HI w k Hk) as [H1 [H2 H3]]. rewrite D0. auto 8.
Qed.
