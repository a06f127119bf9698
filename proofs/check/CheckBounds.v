(** * Checkers of SIB and FIB certificates, at every dispatch depth

    The certificate has tables of I(k) and D(k) in isolation, made by untrusted code;
    the bound is computed from them. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Queue Isolation Bounds CheckSchedule.
Import ListNotations.

(** The certificate respects every edge of the graph. *)
Definition edges_check (b : block) (m : machine) (iI iD : key -> nat) : bool :=
  all (fun x : key => let (w, k) := x in
    let same j := sec (get b (w, j)) =? sec (get b x) in
    (match k with 0 => true | S j => implb' (same j) (iI (w, j) + takes (get b (w, j))
      <=? iI x) end) && (all (fun p => implb' (same p) (iD (w, p) + init (get b (w, p))
      + lat (get b (w, p)) <=? iI x)) (ops (get b x)) && ((iI x <=? iD x)
    && all (fun o => implb' (same o && (fu (get b (w, o)) =? fu (get b x)))
              ((iD (w, o) + init (get b (w, o)) <=? iD x)
               && match depth m with
                  | None => true
                  | Some 0 => iD (w, o) + init (get b (w, o)) <=? iI x
                  | Some (S _) => iD (w, o) <=? iI x
                  end)) (seq 0 k)))) (keys b).

Lemma edges_check_ok b m iI iD : edges_check b m iI iD = true -> iso_edges b m iI iD.
Proof.
  intros H w k Hk. pose proof (all_ok _ _ H (w, k) Hk) as B. cbv beta iota zeta in B.
  apply andb_prop in B as [B1 B]. apply andb_prop in B as [B2 B]. apply andb_prop in B as [B3 B4].
  split; [|split; [|split]].
  - intros j -> E. rewrite E, Nat.eqb_refl in B1. simpl in B1. apply Nat.leb_le, B1.
  - intros p Hp E. pose proof (all_ok _ _ B2 p Hp) as P. cbv beta in P.
    rewrite E, Nat.eqb_refl in P. simpl in P. apply Nat.leb_le, P.
  - apply Nat.leb_le, B3.
  - intros o Ho E F. pose proof (all_ok _ _ B4 o ltac:(apply in_seq; lia)) as P. cbv beta in P.
    rewrite E, F, !Nat.eqb_refl in P. simpl in P. apply andb_prop in P as [P1 P2].
    apply Nat.leb_le in P1. split; [exact P1|].
    destruct (depth m) as [[|d]|]; [apply Nat.leb_le, P2|apply Nat.leb_le, P2|exact Logic.I].
Qed.

(** All warps are of thread block [g]. *)
Definition alone_check (b : block) (m : machine) (g : nat) : bool :=
  all (fun x => group m (fst x) =? g) (keys b).

Lemma alone_check_ok b m g : alone_check b m g = true -> alone b m g.
Proof. intros H x Hx. apply Nat.eqb_eq. apply (all_ok _ _ H x Hx). Qed.

(** A certificate of a block [b] that is thread block [g]: the charges [ch] are SIB's or FIB's. *)
Definition bound_check (b : block) (m : machine) (ch : charges) (g : nat) (lI lD : list (list nat))
  (bound : nat) : bool :=
  wf_b b && (alone_check b m g && (edges_check b m (table lI) (table lD)
    && (block_bound b m ch (table lD) g <=? bound))).

Lemma bound_check_parts b m ch g lI lD bound : bound_check b m ch g lI lD bound = true ->
  wf b /\ alone b m g /\ iso_edges b m (table lI) (table lD) /\ block_bound b m ch (table lD) g
    <= bound.
Proof.
  unfold bound_check. intros H. apply andb_prop in H as [H1 H]. apply andb_prop in H as [H2 H].
  apply andb_prop in H as [H3 H]. apply Nat.leb_le in H.
  auto using wf_ok, alone_check_ok, edges_check_ok.
Qed.

(** A bound that the checker of FIB accepts holds. *)
Theorem fib_check_ok b m g lI lD bound : bound_check b m (fib_charge b m) g lI lD bound = true ->
  machine_ok m -> forall s, valid m b s ->
  forall x, In x (keys b) -> C s x <= begin s g + bound.
Proof.
  intros H M s V x Hx. apply bound_check_parts in H as [W [A [E H]]].
  pose proof (fib_bound m b s _ _ g M W V E x A Hx). lia.
Qed.

(** A bound that the checker of SIB accepts holds at every depth. *)
Theorem sib_charge_check_ok b m g lI lD bound : bound_check b m (sib_charge b m) g lI lD bound
  = true ->
  machine_ok m -> forall s, valid m b s ->
  forall x, In x (keys b) -> C s x <= begin s g + bound.
Proof.
  intros H M s V x Hx. apply bound_check_parts in H as [W [A [E H]]].
  pose proof (sib_charge_bound m b s _ _ g M W V E x A Hx). lia.
Qed.
