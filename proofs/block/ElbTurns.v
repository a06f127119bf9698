(** * Several instructions of a warp in a cycle (docs/proofs.md, section 14): lemma 1 and ELB

    R1', R5' and R6' in place of R1, R5 and R6.  That a warp issues in a cycle whatever it can is
    left out: more schedules keep these rules. *)

From Warpbound Require Import Base Cycles Model Elb.

(** Warps of sub-core [c] that use a slot in cycle [t]. *)
Definition issues_in (b : block) (s : schedule) (t w : nat) : bool :=
  existsb (fun k => (I s (w, k) =? t) && (1 <=? init (get b (w, k)))) (seq 0 (len b w)).
Definition n_turns (b : block) (m : machine) (s : schedule) (c t : nat) : nat :=
  length (filter (fun w => (core m w =? c) && issues_in b s t w) (seq 0 (length b))).

(** Rules for [per] instructions of a warp in a cycle. *)
Record turns_valid (per : nat) (m : machine) (b : block) (s : schedule) : Prop := {
  t_init : forall x, In x (keys b) -> takes (get b x) <= ai s x <= init (get b x);
  t_lat : forall x, In x (keys b) -> al s x <= lat (get b x);
  t_rel : forall g n, ar s g n <= release m n;
  t_begin : forall x, In x (keys b) -> begin s (group m (fst x)) <= I s x;
  (* R1': behind the one before it, or in its turn *)
  t_order : forall w k, In (w, S k) (keys b) -> I s (w, k) + takes (get b (w, k)) <= I s (w, S k)
    \/ (I s (w, S k) = I s (w, k) /\ 1 <= init (get b (w, k)) /\ 1 <= init (get b (w, S k)));
  t_turn : forall w i j, In (w, j) (keys b) -> i < j -> 1 <= init (get b (w, i)) ->
  1 <= init (get b (w, j)) ->
    I s (w, j) = I s (w, i) -> fu (get b (w, j)) <> fu (get b (w, i)) /\
    sec (get b (w, j)) = sec (get b (w, i)) /\ j - i < per;
  (* R2, R3, R4 *)
  t_ops : forall w k p, In (w, k) (keys b) -> In p (ops (get b (w, k))) -> C s (w, p) <= I s (w, k);
  t_start : forall x, In x (keys b) -> I s x <= D s x;
  t_cap : forall f t, n_init b s f t <= inst m f;
  t_fifo : forall x y, In x (keys b) -> In y (keys b) -> fu (get b x) = fu (get b y) ->
  I s x < I s y -> D s x <= D s y;
  t_asap : forall x t, In x (keys b) -> waits s t x = true ->
  inst m (fu (get b x)) <= n_init b s (fu (get b x)) t;
  t_queue : forall f t, match depth m with None => True | Some d => n_wait b s f t <= d end;
  (* R5' *)
  t_width : forall c t, n_turns b m s c t <= width m;
  (* R6': a warp that is ready for the first of its next turn waits for slots, a unit, or for what
      is issued to that now *)
  t_conserving : forall w k t, In (w, k) (keys b) -> eligible b m s w k t ->
    n_turns b m s (core m w) t = width m \/ blocked b m s (fu (get b (w, k))) t
    \/ exists y, In y (keys b) /\ fu (get b y) = fu (get b (w, k)) /\ I s y = t /\
    1 <= init (get b y);
  (* R7 *)
  t_barrier : forall x y, In x (keys b) -> In y (keys b) -> group m (fst y) = group m (fst x) ->
    sec (get b y) < sec (get b x) -> I s y + takes (get b y)
      + ar s (group m (fst x)) (sec (get b x)) <= I s x;
  t_none : forall w k, In (w, k) (keys b) -> init (get b (w, k)) = 0 ->
    D s (w, k) = I s (w, k) /\ forall t, ~ eligible b m s w k t }.

Lemma turns_lively per m b s : machine_ok m -> turns_valid per m b s -> lively m b s.
Proof.
  intros M V. constructor; try apply V.
  - intros w k H. destruct (t_order _ _ _ _ V w k H) as [A|[A _]]; auto.
  - intros w k t H _ E.
    destruct (t_conserving _ _ _ _ V w k t H E) as [A|[A|[y [Hy [_ A]]]]]; [|auto|eauto]. right.
    right. pose proof (proj2 M). unfold n_turns in A.
    destruct (filter (fun w0 => (core m w0 =? core m w) && issues_in b s t w0) (seq 0 (length b)))
      as [|v l] eqn:F; [cbn in A; lia|]. assert (In v (v :: l)) as Hv by (left; reflexivity).
    rewrite <- F in Hv. apply filter_In in Hv as [Hv P]. apply andb_prop in P as [_ P].
    apply existsb_exists in P as [i [Hi P]]. rewrite andb_true_iff, Nat.eqb_eq, Nat.leb_le in P.
    exists (v, i). apply in_seq in Hv, Hi. split; [apply in_keys; lia|tauto].
Qed.

(** *** Theorem 9 for lemma 1: idle cycles beside other thread blocks, *)
Theorem turns_idle per m b s L x : machine_ok m -> wf b -> turns_valid per m b s ->
  lam_cert m b L -> In x (keys b) ->
  cnt (idle_from b s (begin s (group m (fst x)))) (C s x) <= L x + lat (get b x).
Proof. intros M W V HL. apply (idle_complete m b s M W (turns_lively per m b s M V) L HL). Qed.

(** *** and for theorem 2, ELB. *)
Theorem turns_elb per m b s L x : machine_ok m -> wf b -> turns_valid per m b s -> lam_cert m b L ->
  In x (keys b) ->
  C s x <= begin s (group m (fst x)) + E b + top b L.
Proof. intros M W V HL. apply (elb m b s M W (turns_lively per m b s M V) L HL). Qed.
