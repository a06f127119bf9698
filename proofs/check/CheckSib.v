(** * Checkers of SIB certificates: tables of isolation made by untrusted code *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb Sib SibUnlimited Paths CheckSchedule.
Import ListNotations.

(** Depth 0: the table of isoI. *)
Theorem sib_check_ok m b l bound :
  wf_b b && (iso_check b (table l) && (sib b m (table l) <=? bound)) = true ->
  machine_ok m -> depth m = Some 0 -> forall s, valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= bound.
Proof.
  intros H M D0 s V O Z x Hx. apply andb_prop in H as [H1 H]. apply andb_prop in H as [H2 H3].
  apply wf_ok in H1. apply Nat.leb_le in H3.
  assert (iso_cert b (table l)) as HI.
  { apply iso_preds_cert. intros x' e Hx' He.
    apply Nat.leb_le, (all_ok _ _ (all_ok _ _ H2 x' Hx') e He). }
  pose proof (sib_bound m b s _ M H1 V D0 O Z HI x Hx). lia.
Qed.

(** Unlimited depth: the tables of I(k) and D(k). *)
Definition iso2_check (b : block) (iI iD : key -> nat) : bool :=
  all (fun x : key => let (w, k) := x in
    let same j := sec (get b (w, j)) =? sec (get b x) in
    (match k with 0 => true | S j => implb' (same j) (iI (w, j) + takes (get b (w, j))
      <=? iI x) end) && (all (fun p => implb' (same p) (iD (w, p) + init (get b (w, p))
      + lat (get b (w, p)) <=? iI x)) (ops (get b x)) && ((iI x <=? iD x)
    && all (fun o => implb' (same o && (fu (get b (w, o)) =? fu (get b x)))
                       (iD (w, o) + init (get b (w, o)) <=? iD x)) (seq 0 k)))) (keys b).

Lemma iso2_check_ok b iI iD : iso2_check b iI iD = true -> iso2_cert b iI iD.
Proof.
  intros H w k Hk. pose proof (all_ok _ _ H (w, k) Hk) as B. cbv beta iota zeta in B.
  apply andb_prop in B as [B1 B]. apply andb_prop in B as [B2 B]. apply andb_prop in B as [B3 B4].
  split; [|split; [|split]].
  - intros j -> E. rewrite E, Nat.eqb_refl in B1. simpl in B1. apply Nat.leb_le, B1.
  - intros p Hp E. pose proof (all_ok _ _ B2 p Hp) as P. cbv beta in P.
    rewrite E, Nat.eqb_refl in P. simpl in P. apply Nat.leb_le, P.
  - apply Nat.leb_le, B3.
  - intros o Ho E F. pose proof (all_ok _ _ B4 o ltac:(apply in_seq; lia)) as P. cbv beta in P.
    rewrite E, F, !Nat.eqb_refl in P. simpl in P. apply Nat.leb_le, P.
Qed.

(** A bound that the checker of SIB at unlimited depth accepts holds. *)
Theorem sib_inf_check_ok m b lI lD bound :
  wf_b b && (iso2_check b (table lI) (table lD) && (sib b m (table lD) <=? bound)) = true ->
  machine_ok m -> depth m = None -> forall s, valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= bound.
Proof.
  intros H M D0 s V O Z x Hx. apply andb_prop in H as [H1 H]. apply andb_prop in H as [H2 H3].
  apply wf_ok in H1. apply iso2_check_ok in H2. apply Nat.leb_le in H3.
  pose proof (sib_inf_bound m b s _ _ M H1 V D0 O Z H2 x Hx). lia.
Qed.
