(** * K-BAL (docs/proofs.md, theorem 7), from the ledger of a grid *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share Formulas Ledger Tail OneSm Dynamic Area.
Import ListNotations.

Section Balance.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation l := (map kd (all r)).
  Hypothesis Dyn : dynamic r M R.
  Hypothesis Waits : M * R < count r.

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
    { rewrite <- (all_length r M R delta kd Lg). unfold k. rewrite sum_filter.
      rewrite <- (sum_single f i M Hi), <- sum_add. apply sum_ext. intros x _. rewrite Nat.eqb_sym.
      unfold f. destruct (i =? x); cbn [negb]; lia. }
    assert (length k * f j <= sum f k); [|unfold f in *; rewrite Lk in *; lia].
    rewrite <- (sum_same (f j) k). apply sum_le, Min.
  Qed.

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
      intros Hj Hq A. destruct (rooms r M R delta kd Lg b Hb) as [_ HR].
      assert (forall c, In c (on_sm r j) -> room r c < R) as Rm.
      { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r j c Hc). }
      destruct (pigeonhole (room r) R (on_sm r j) HR Rm) as [p [Hp Lp]].
      set (F := filter (fun c => room r c =? p) (on_sm r j)) in *. set (f := q / R).
      assert (length F <= f) as Lf by (etransitivity; [exact Lp|apply Nat.div_le_mono; lia]).
      assert (incl F (on_sm r j)) as F2 by (intros c Hc; apply filter_In in Hc; tauto).
      assert (NoDup F) as F3 by apply NoDup_filter, nodup_on_sm.
      assert (forall c, In c F -> room r c = p) as F4.
      { intros c Hc. apply filter_In in Hc as [_ Hc]. apply Nat.eqb_eq, Hc. }
      assert (F <> []) as Ne.
      { destruct (A j p Hj Hp) as [c [Hc Hr]]. intros E.
        assert (In c F) as X by (apply filter_In; split; [exact Hc|apply Nat.eqb_eq, Hr]).
        rewrite E in X. easy. }
      assert (forall c d, In c F -> In d (on_sm r j) -> room r d = p -> ord r d < ord r c -> In d F)
        as F5.
      { intros c d _ Hd Hr _. apply filter_In. split; [exact Hd|apply Nat.eqb_eq, Hr]. }
      assert (forall t, t < t1 -> cnted t = true -> covers r F t = true) as Cv.
      { intros t Ht C. destruct (Dyn z t j p Hz C Ht Hj Hp) as [c [Hc [Hs [Hr Hh]]]].
        apply (covers_in r F c t); [|exact Hh]. apply filter_In.
        split; [apply in_on_sm; auto|apply Nat.eqb_eq, Hr]. }
      pose proof (slot_delays r delta j p F F2 F3 F4 F5 Ne) as Dl.
      pose proof (before_lam r M R delta kd Lg j (all r) (on_sm_all r j) F F2 t1 q Hq Cv) as B1.
      assert (1 <= length F) as L1 by (destruct F; [easy|cbn; lia]).
      assert ((length F - 1) * delta + delta <= f * delta) as Df by nia.
      assert (length F * lam l <= f * lam l) by (apply Nat.mul_le_mono_r, Lf).
      assert (cycles t1 cnted <= sum (delay r delta) F
        + ((if R =? 1 then isolated f l else residencies f l) + most (q - f) l)) as B2.
      { destruct (Nat.eqb_spec R 1) as [E|E].
        - pose proof (before_alone r M R delta kd Lg j (all r) (on_sm_all r j) F F2 F3 t1 q Hq Cv
            f E Lf). lia.
        - assert (f <= q) as Hf by (unfold f; apply Nat.div_le_upper_bound; nia).
          assert (t1 <= fin r b) as Ht.
          { specialize (Lb z Hz). pose proof (l_disp _ _ _ _ _ Lg z Hz). lia. }
          pose proof (before_stays r M R delta kd Lg j (all r) (on_sm_all r j) p F F2 F3 F4 t1 q Hq
            Cv (fin r b) f Ht ltac:(intros c Hc; apply Lb, (here_sm r j c), F2, Hc) Lf Hf). lia. }
      unfold g, W. fold f. lia.
    Qed.

    Lemma balance_full : 2 <= M -> all_taken r M R -> exists n, R <= n <= count r - (M - 1) * R
      /\ cycles (fin r b) cnted <= balance M R delta l n.
    Proof.
      intros HM A. set (i := sm r b). pose proof (l_sm _ _ _ _ _ Lg b Hb) as Hi. fold i in Hi.
      set (n := length (on_sm r i)). exists n.
      split; [split; [apply (full_sm r M R i A Hi)|apply (most_blocks r M R delta kd Lg i A Hi)]|].
      unfold balance. apply Nat.min_glb.
      - destruct (le_lt_dec n R) as [L|L].
        + pose proof (sm_fits r M R delta kd Lg i (all r) (on_sm_all r i) b (b_here r b Hb) n
            (le_n _) L) as H. pose proof (sm_delays r M R delta kd Lg i (fun q => A i q Hi)) as D.
          fold n in D. pose proof (sum_ge (delay r delta) b (on_sm r i) (b_here r b Hb)) as G.
          unfold h. rewrite (proj2 (Nat.leb_le _ _) L).
          assert (n * delta <= R * delta) by (apply Nat.mul_le_mono_r, L). lia.
        + apply (sm_waits r M R delta kd Lg i (all r) (on_sm_all r i) b (b_here r b Hb)); auto.
          intros c Hc. apply Lb, (here_sm r i c Hc).
      - destruct (other_sm i n Hi HM eq_refl) as [j [Hj [_ Lj]]].
        pose proof (until_t1 j _ Hj Lj A) as H1.
        pose proof (before_behind r M R Waits z b Hz Lz Hb) as H0.
        pose proof (behind_together r M R delta kd Lg Waits z b Hz Lz Hb) as H2.
        assert (cycles (fin r b) (fun t => cnted t && (t <? t1)) <= cycles t1 cnted) as H3;
          [apply cycles_cut|lia].
    Qed.
  End Ends.

  Lemma g_least q : R <= q -> 1 <= R -> delta <= g R delta q l.
  Proof.
    intros Hq HR. unfold g. assert (1 <= q / R) by (apply Nat.div_le_lower_bound; lia). nia.
  Qed.

  (** *** Theorem 7 (K-BAL) *)
  Theorem k_bal_bound b : b < count r -> cycles (fin r b) cnted <= k_bal M R delta l.
  Proof.
    intros Hb. pose proof (l_sm _ _ _ _ _ Lg b Hb) as HM.
    pose proof (l_room _ _ _ _ _ Lg b Hb) as HR. unfold k_bal.
    rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits). cbn [orb].
    destruct (Nat.eqb_spec M 1) as [E|E].
    - unfold k_sm. rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits).
      apply (k_sm_dynamic r M R delta kd Lg Dyn Waits b Hb).
    - assert (exists n, R <= n <= count r - (M - 1) * R /\ cycles (fin r b) cnted
        <= balance M R delta l n) as [n [Hn H]].
      + destruct (exists_max (fin r) (all r)) as [e [He Le]].
        { unfold all. destruct (count r); [lia|discriminate]. }
        apply in_all in He.
        pose proof (cycles_longer (fin r b) (fin r e) cnted ltac:(apply Le, in_all, Hb)) as Hlong.
        destruct (taken_or_early r M R Dyn) as [A|A].
        * destruct (last_of_all r M R Waits) as [z [Hz Lz]].
          destruct (balance_full z e Hz Lz He ltac:(intros; apply Le, in_all; assumption)
            ltac:(lia) A) as [n [Hn H]]. exists n. split; [exact Hn|]. lia.
        * exists (S R). split; [nia|].
          assert (In b (on_sm r (sm r b))) as Hi by (apply in_on_sm; auto).
          destruct (last_of r (sm r b)) as [c [Hc Hl]]; [intros X; rewrite X in Hi; easy|].
          pose proof (cycles_longer (fin r b) (fin r c) cnted (Hl b Hi)).
          destruct (sm_never_full r M R delta kd Lg _ (all r) (on_sm_all r _) c Hc (S R)
            (early_here r _ A) (le_n _)) as [H1 [H2 _]]. assert (R <= share_left M l (S R)) as Hq.
          { unfold share_left. rewrite (length_l r kd). apply Nat.div_le_lower_bound; [lia|]. nia. }
          pose proof (g_least _ Hq ltac:(lia)). unfold balance. lia.
      + etransitivity; [exact H|]. apply list_max_ge, in_map, in_seq. nia.
  Qed.
End Balance.
