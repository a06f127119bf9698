(** * Lemma 1 (chain) of docs/sub-core-bounds.md by time: idle cycles of a thread block among others

    From any time of its stay on there is a path through the sub-cores in whose reach nothing
    initiates in at most lam cycles.  Every dispatch depth. *)

From Warpbound Require Import Base Cycles Largest Model Elb ChainWalk ChainSlot ChainSib ChainOwn.

(** The cycles in which all instructions initiate in the reach of a path. *)
Definition met_all (b : block) (s : schedule) (home : nat -> option nat) (t0 : nat)
  (ro : nat -> nat) (e : nat) : nat := sum (met b s home ro t0 e) (keys b).

(** *** Lemma 1: until [x] is complete, from [t0] on *)
Theorem chain_time m b s L h home g t0 : machine_ok m -> wf b -> valid m b s ->
  lam_cert m b L -> turns_cert m b h ->
  (forall y, In y (keys b) -> 1 <= init (get b y) -> reach home (core m (fst y)) (fu (get b y))) ->
  begin s g <= t0 -> forall x lamc chg, In x (keys b) -> group m (fst x) = g ->
  L x + lat (get b x) <= lamc -> h x + 1 <= chg ->
  exists ro cut, C s x <= t0 + lamc + met_all b s home t0 ro (C s x)
    /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.
Proof.
  intros M W V HL HT Home Start x lamc chg Hx Hg Hl Hc.
  destruct (chain_apart m b s L h home g t0 false M W V HL HT Home Start x lamc chg Hx Hg Hl Hc)
    as [ro [cut [st [P1 P2]]]]. exists ro, cut. split; [|exact P2].
  change (met_by m b s home g t0 false ro (C s x)) with (met_all b s home t0 ro (C s x)) in P1.
  enough (own_met m b s home g t0 false st (sec (get b x)) (C s x) = 0) by lia.
  apply sum_zero. reflexivity.
Qed.
