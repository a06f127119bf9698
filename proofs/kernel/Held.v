(** * Cycles that hold everything up (docs/memory-bounds.md, theorem 7, its arithmetic)

    A ledger may leave out any cycles: besides the dispatcher's those in which a memory that all SMs
    share serves a request.  If there are no more than [H] of them, they come on top, once for the
    whole grid.  What a thread block pays may include cycles in which its requests are held back:
    E + Z in place of E.  That a machine with such a memory keeps the ledger is shown in
    memory/HeldBack.v and memory/HeldMemory.v. *)

From Warpbound Require Import Base Cycles Formulas Ledger Dynamic Area Balance Apart.

Section Held.
  Variables (r : run) (M R delta H : nat) (kd : nat -> kind).
  Hypotheses (Lg : ledger r M R delta kd) (Skips : forall N, cycles N (skip r) <= H).

  Lemma held_up b bound : cycles (fin r b) (counted r) <= bound -> fin r b <= bound + H.
  Proof.
    intros B. pose proof (Skips (fin r b)). assert (cycles (fin r b) (fun _ => true)
      = cycles (fin r b) (skip r) + cycles (fin r b) (counted r)) as S
      by exact (cycles_split (fin r b) (fun _ => true) (skip r)).
    assert (cycles (fin r b) (fun _ => true) = fin r b) as T; [|lia]. unfold cycles. cbn [Nat.b2n].
    rewrite Largest.sum_same, seq_length. lia.
  Qed.

  (** With static dispatch, skipped cycles add at most [H] to theorem 5. *)
  Theorem held_static b : b < count r -> fin r b <= static_time r R delta kd (sm r b) + H.
  Proof. intros Hb. apply held_up, (k_sm_static r M R delta kd Lg b Hb). Qed.

  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).
  Notation l := (map kd (all r)).

  (** *** K-SM, K-AREA and K-BAL of any ledger *)
  Theorem held_dynamic b : b < count r ->
    fin r b <= h R delta (count r - (M - 1) * R) l + H
    /\ fin r b <= k_area M R delta l + H /\ fin r b <= k_bal M R delta l + H.
  Proof.
    intros Hb. repeat split; apply held_up.
    - apply (k_sm_dynamic r M R delta kd Lg Dyn Waits b Hb).
    - apply (k_area_bound r M R delta kd Lg Dyn Waits b Hb).
    - apply (k_bal_bound r M R delta kd Lg Dyn Waits b Hb).
  Qed.
End Held.
