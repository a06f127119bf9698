(** * K-CHAIN of a grid (docs/sub-core-bounds.md, section 4): static and dynamic dispatch *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Ledger Tail OneSm
  Dynamic ChainSm.

Section Dispatch.
  Variables (r : run) (M R delta : nat) (ck : nat -> chain_kind).
  Hypotheses (Lg : ledger r M R delta (fun b => plain (ck b))) (Ch : chains r M R delta ck).
  Notation cnted := (counted r).
  Notation l := (map ck (all r)).

  Lemma all_nodup : NoDup (all r).
  Proof. apply seq_NoDup. Qed.

  (** *** Static dispatch: every SM has its own thread blocks *)
  Definition chain_static (i : nat) : nat :=
    let n := length (on_sm r i) in
    chain_sm R delta n (map ck (on_sm r i)) + (if n <=? R then late r delta i else 0).

  Theorem k_chain_static b : b < count r -> cycles (fin r b) cnted <= chain_static (sm r b).
  Proof.
    revert b. apply by_last. intros i b Hb Hl. unfold chain_static.
    pose proof (all_here r M R delta _ Lg i b Hb) as Hi.
    destruct (Nat.leb_spec (length (on_sm r i)) R) as [L|L].
    - unfold chain_sm. rewrite (proj2 (Nat.leb_le _ _) L).
      pose proof (chain_fits r M R delta ck Lg Ch i Hi (on_sm r i) (incl_refl _) (nodup_on_sm r i)
        b Hb _ (le_n _) L) as H. assert (delay r delta b <= late r delta i); [|lia].
      unfold late, delay. destruct (forallb _ _) eqn:X; [|destruct (first r b); lia].
      rewrite forallb_forall in X. rewrite (X b Hb). lia.
    - rewrite Nat.add_0_r. apply (chain_sm_bound r M R delta ck Lg Ch i Hi (on_sm r i) (incl_refl _)
        (nodup_on_sm r i)); auto.
  Qed.

  (** *** Dynamic dispatch, one wave: G4, each thread block in a slot that is new *)
  Theorem k_chain_one_wave n : (forall b, b < count r -> first r b = true) ->
    (forall i, length (on_sm r i) <= n) -> n <= R ->
    forall b, b < count r -> cycles (fin r b) cnted <= chain_together n l.
  Proof.
    intros Hf Hn HR. apply (by_last r (fun _ => chain_together n l)). intros i b Hb _.
    pose proof (chain_fits r M R delta ck Lg Ch i (all_here r M R delta _ Lg i b Hb) (all r)
      (on_sm_all r i) all_nodup b Hb n (Hn i) HR) as H. unfold delay in H.
    rewrite Hf in H by (apply (in_on_sm r i b), Hb). exact H.
  Qed.

  (** *** Dynamic dispatch, thread blocks that wait *)
  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).

  Theorem k_chain_dynamic b : b < count r -> cycles (fin r b) cnted
    <= chain_sm R delta (count r - (M - 1) * R) l.
  Proof.
    revert b. apply (by_last r (fun _ => chain_sm R delta (count r - (M - 1) * R) l)).
    intros i b Hb Hl. pose proof (all_here r M R delta _ Lg i b Hb) as Hi.
    pose proof (most_waits r M R Waits ltac:(lia)) as Hn.
    destruct (taken_or_early r M R Dyn) as [A|A].
    - apply (chain_sm_bound r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) all_nodup b); auto.
      apply (most_blocks r M R (l_sm _ _ _ _ _ Lg)); assumption.
    - etransitivity; [|apply (together_sm r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) b
        Hb _ Hn)].
      apply (chain_never_full r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) all_nodup b Hb).
      apply early_here, A.
  Qed.
End Dispatch.
