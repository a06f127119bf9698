(** * The other SMs: for K-BAL (docs/proofs.md, theorem 7), which is in Apart.v *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm Dynamic Area.

Section Shares.
  Variables (r : run) (M : nat) (kd : nat -> kind).
  Hypothesis Sm : forall b, b < count r -> sm r b < M.
  Notation l := (map kd (all r)).

  (** Some other SM gets no more than its share of what is left. *)
  Lemma other_sm i n : i < M -> 2 <= M -> n = length (on_sm r i) ->
    exists j, j < M /\ j <> i /\ length (on_sm r j) <= share_left M l n.
  Proof.
    intros Hi HM ->. unfold share_left. rewrite (length_l r kd).
    set (f := fun j => length (on_sm r j)). set (k := filter (fun j => negb (j =? i)) (seq 0 M)).
    assert (length k = M - 1) as Lk.
    { unfold k. rewrite (length_without i); [rewrite seq_length;
        reflexivity|apply seq_NoDup|apply in_seq; lia]. }
    destruct (exists_min f k) as [j [Hj Min]]; [intros E; rewrite E in Lk; cbn in Lk; lia|].
    exists j. apply filter_In in Hj as [Hj Nj]. apply in_seq in Hj.
    apply negb_true_iff, Nat.eqb_neq in Nj. split; [lia|]. split; [exact Nj|].
    apply Nat.div_le_lower_bound; [lia|]. assert (sum f k + f i = count r) as S.
    { rewrite <- (all_length r M Sm). unfold k. rewrite sum_filter.
      rewrite <- (sum_single f i M Hi), <- sum_add. apply sum_ext. intros x _. rewrite Nat.eqb_sym.
      unfold f. destruct (i =? x); cbn [negb]; lia. }
    assert (length k * f j <= sum f k); [|unfold f in *; rewrite Lk in *; lia].
    rewrite <- (sum_same (f j) k). apply sum_le, Min.
  Qed.
End Shares.

Section Balance.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation l := (map kd (all r)).
  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).

  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Hypothesis Lb : forall c, c < count r -> fin r c <= fin r b.
    Notation t1 := (disp r z).

    (** Until [t1] a slot of another SM is taken, by the share of its thread blocks at most. *)
    Lemma until_t1 j q : j < M -> length (on_sm r j) <= q -> all_taken r M R ->
      cycles t1 cnted + delta <= g R delta q l.
    Proof.
      intros Hj Hq A.
      assert (t1 <= fin r b) as Ht.
      { specialize (Lb z Hz). pose proof (l_disp _ _ _ _ _ Lg z Hz). lia. }
      apply (full_until r M R delta kd Lg j t1 (full r M R Dyn z Hz j Hj) (fun p => A j p Hj) q
        (fin r b) (proj2 (rooms r M R delta kd Lg b Hb)) Hq Ht). intros c Hc.
        apply Lb, (here_sm r j c), Hc.
    Qed.
  End Ends.

  Lemma g_least q : R <= q -> 1 <= R -> delta <= g R delta q l.
  Proof.
    intros Hq HR. unfold g. assert (1 <= q / R) by (apply Nat.div_le_lower_bound; lia). nia.
  Qed.
End Balance.
