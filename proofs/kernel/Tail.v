(** * The last thread blocks of an SM: docs/proofs.md, lemma 4, from the ledger of a grid *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger.

Section Tails.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation Es := (fun c => kE (kd c)).

  Lemma delay_le b : delay r delta b <= delta.
  Proof. unfold delay. destruct (first r b); lia. Qed.

  (** The first thread block of a slot passes no delta. *)
  Lemma delays F : NoDup F -> F <> [] ->
    (forall b c, In b F -> c < count r -> same r c b = true -> ord r c < ord r b -> In c F) ->
    sum (delay r delta) F <= (length F - 1) * delta.
  Proof.
    intros Nd Ne H. destruct (exists_min (ord r) F Ne) as [m [Hm Min]].
    assert (delay r delta m = 0) as Z.
    { unfold delay, first. destruct (existsb _ (all r)) eqn:X; [|reflexivity].
      apply existsb_exists in X as [c [Hc X]]. apply andb_prop in X as [S O]. apply Nat.ltb_lt in O.
      apply in_all in Hc. specialize (Min c (H m c Hm Hc S O)). lia. }
    destruct (in_split m F Hm) as [F1 [F2 ->]]. rewrite sum_app, sum_cons, Z, app_length.
    cbn [length]. pose proof (sum_mul (delay r delta) F1 delta ltac:(intros; apply delay_le)).
    pose proof (sum_mul (delay r delta) F2 delta ltac:(intros; apply delay_le)). nia.
  Qed.

  Section Sm.
    Variable i : nat.
    Notation here := (on_sm r i).
    Lemma here_sm b : In b here -> b < count r /\ sm r b = i.
    Proof. apply in_on_sm. Qed.

    Lemma others_here b c : In b here -> (In c (others r b) <-> In c here /\ c <> b).
    Proof.
      intros Hb. apply here_sm in Hb as [_ E]. unfold others.
      rewrite E, filter_In, negb_true_iff, Nat.eqb_neq. reflexivity.
    Qed.

    Lemma alone_here b : In b here -> R = 1 \/ length here <= 1 -> alone r b.
    Proof.
      intros Hb H c Hc. apply (others_here b c Hb) in Hc as [Hc Hn].
      destruct (here_sm b Hb) as [Bb Bi], (here_sm c Hc) as [Cb Ci].
      destruct H as [H|H].
      - pose proof (l_room _ _ _ _ _ Lg b Bb). pose proof (l_room _ _ _ _ _ Lg c Cb).
        assert (same r b c = true) as S1.
        { unfold same. rewrite Bi, Ci, Nat.eqb_refl. apply Nat.eqb_eq. lia. }
        assert (same r c b = true) as S2.
        { unfold same. rewrite Bi, Ci, Nat.eqb_refl. apply Nat.eqb_eq. lia. }
        pose proof (l_disp _ _ _ _ _ Lg b Bb). pose proof (l_disp _ _ _ _ _ Lg c Cb).
        destruct (Nat.lt_trichotomy (ord r b) (ord r c)) as [O|[O|O]].
        + pose proof (l_slot _ _ _ _ _ Lg b c Bb Cb S1 O). lia.
        + destruct Hn. symmetry. apply (l_ord _ _ _ _ _ Lg); assumption.
        + pose proof (l_slot _ _ _ _ _ Lg c b Cb Bb S2 O). lia.
      - exfalso. apply Hn. symmetry. apply (in_short (on_sm r i)); assumption.
    Qed.

    Variable bl : list nat.
    Hypothesis Bl : incl here bl.
    Notation l := (map kd bl).

    (** ** Lemma 4: from [t1] on the SM gets no others; [b] is one of its thread blocks *)
    Section Tail.
      Variables (t1 b : nat).
      Hypotheses (Late : forall c, In c here -> disp r c <= t1) (Hb : In b here).
      Definition behind t : bool := cnted t && holds r b t && (t1 <=? t).
      Definition present : list nat := filter (fun c => holds r c t1) here.

      Lemma nodup_present : NoDup present.
      Proof. apply NoDup_filter, nodup_on_sm. Qed.

      Lemma present_here c : In c present -> In c here.
      Proof. intros H. apply filter_In in H. tauto. Qed.

      Lemma present_rooms : length present <= R.
      Proof.
        apply (distinct_slots (room r)); [apply nodup_present| |].
        - intros c Hc. apply (l_room _ _ _ _ _ Lg), here_sm, present_here, Hc.
        - intros c d Hc Hd E. apply filter_In in Hc as [Hc Tc], Hd as [Hd Td].
          apply here_sm in Hc as [Hc Sc], Hd as [Hd Sd].
          apply (same_slot r M R delta kd Lg c d t1); auto.
          unfold same. rewrite Sc, Sd, E, !Nat.eqb_refl. reflexivity.
      Qed.

      Lemma present_few k : R <= k \/ length here <= k -> length present <= k.
      Proof.
        intros [H|H]; [pose proof present_rooms; lia|]. etransitivity; [|exact H].
        apply NoDup_incl_length; [apply nodup_present|]. intros c. apply present_here.
      Qed.

      Lemma pays_present c t : In c here -> t1 <= t -> wt r c t <> 0 -> In c present.
      Proof.
        intros Hc Ht Z. apply filter_In. split; [exact Hc|]. pose proof (Late c Hc) as Hd.
        apply (wt_holds r M R delta kd Lg) in Z; [|apply here_sm, Hc]. unfold holds in *.
        rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in *. lia.
      Qed.

      Lemma work_behind N p c : In c here -> (forall t, p t = true -> t1 <= t) ->
        work r N p c <= if existsb (Nat.eqb c) present then work r N p c else 0.
      Proof.
        intros Hc Hp. destruct (existsb (Nat.eqb c) present) eqn:X; [lia|].
        unfold work. rewrite sum_zero; [lia|]. intros t _. destruct (p t) eqn:P; [|reflexivity].
        destruct (Nat.eq_dec (wt r c t) 0) as [|Z]; [assumption|exfalso].
        enough (existsb (Nat.eqb c) present = true) by congruence. apply existsb_exists.
        exists c. split; [apply (pays_present c t); auto|apply Nat.eqb_refl].
      Qed.

      (** Busy and idle cycles: [x] and [l] of the page. *)
      Lemma tail_parts N :
        cycles N behind <= delay r delta b + kL (kd b) + sum (work r N behind) here.
      Proof.
        pose proof (idle_paid r M R delta kd Lg i [b] ltac:(intros ? [<-|[]]; apply here_sm, Hb) N
          behind) as H. rewrite sum_cons in H. cbn [sum map list_sum fold_right] in H.
        rewrite Nat.add_0_r in H. apply H. intros t _ P. unfold behind in P.
        rewrite !andb_true_iff in P. destruct P as [[P1 P2] P3]. split; [exact P1|]. cbn.
        rewrite P2. reflexivity.
      Qed.

      Lemma behind_late t : behind t = true -> t1 <= t.
      Proof. unfold behind. rewrite !andb_true_iff, Nat.leb_le. tauto. Qed.

      Lemma work_present N : sum (work r N behind) here <= sum Es present.
      Proof.
        unfold present at 1. rewrite sum_filter. apply sum_le. intros c Hc.
        etransitivity; [apply (work_behind N behind c Hc behind_late)|].
        destruct (existsb (Nat.eqb c) present) eqn:X; [|lia].
        apply existsb_exists in X as [y [Hy E]]. apply Nat.eqb_eq in E. subst y.
        unfold present in Hy. apply filter_In in Hy as [_ ->].
        apply (work_budget r M R delta kd Lg), here_sm, Hc.
      Qed.

      Lemma tail_most N : cycles N behind <= delay r delta b + kL (kd b) + sum Es present.
      Proof. pose proof (tail_parts N). pose proof (work_present N). lia. Qed.

      (** With lemma 3. *)
      Lemma tail_window N : fin r b <= N ->
        cycles N behind <= delay r delta b + kA (kd b)
          + sum Es (filter (fun c => negb (c =? b)) present).
      Proof.
        intros HN. destruct (here_sm b Hb) as [Hc Hi]. set (t0 := max t1 (start r b)).
        pose proof (l_window _ _ _ _ _ Lg N t0 b Hc HN ltac:(unfold t0; lia)) as Hw.
        assert (cycles N behind <= cycles N (fun t => cnted t && passing r b t)
                + cycles N (fun t => cnted t && stays r b t && (t0 <=? t))) as Hs.
        { unfold cycles. rewrite <- sum_add. apply sum_le. intros t _.
          destruct (behind t) eqn:P; [|cbn; lia]. unfold behind in P.
          rewrite !andb_true_iff, Nat.leb_le in P. destruct P as [[-> P] P3].
          unfold holds, passing, stays, t0 in *. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in P.
          destruct (Nat.leb_spec (disp r b) t), (Nat.ltb_spec t (start r b)),
            (Nat.leb_spec (start r b) t), (Nat.ltb_spec t (fin r b)),
            (Nat.leb_spec (max t1 (start r b)) t); cbn; lia. }
        pose proof (l_delay _ _ _ _ _ Lg N b Hc) as Hd.
        set (p := fun t => stays r b t && (t0 <=? t)) in *.
        assert (sum (work r N p) (others r b)
          <= sum Es (filter (fun c => negb (c =? b)) present)); [|lia]. unfold others, present.
        rewrite Hi, !sum_filter. apply sum_le. intros c Hcs.
        destruct (c =? b); cbn [negb]; [destruct (holds r c t1); lia|].
        etransitivity; [apply (work_behind N p c Hcs)|].
        { intros t P. apply andb_prop in P as [_ P]. apply Nat.leb_le in P. unfold t0 in P. lia. }
        destruct (existsb (Nat.eqb c) present) eqn:X; [|lia].
        apply existsb_exists in X as [y [Hy E]]. apply Nat.eqb_eq in E. subst y.
        apply filter_In in Hy as [_ ->]. apply (work_budget r M R delta kd Lg), here_sm, Hcs.
      Qed.

      Lemma ended_or_present N : cycles N behind = 0 \/ In b present.
      Proof.
        destruct (holds r b t1) eqn:X; [right; apply filter_In; auto|left]. apply cycles_none.
        intros t _. apply not_true_is_false. intros P. unfold behind in P.
        rewrite !andb_true_iff in P. destruct P as [[_ P] P3]. specialize (Late b Hb).
        unfold holds in *. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in P.
        apply Nat.leb_le in P3. rewrite (proj2 (Nat.leb_le _ _) Late) in X. apply Nat.ltb_ge in X.
        lia.
      Qed.

      (** *** Lemma 4 *)
      Theorem tail N k : fin r b <= N -> 1 <= k -> R <= k \/ length here <= k ->
        cycles N behind <= delay r delta b + together k l.
      Proof.
        intros HN Hk Hr. destruct (here_sm b Hb) as [Bb Bi]. destruct (le_lt_dec 2 k) as [H2|H2].
        - destruct (ended_or_present N) as [->|Hp]; [lia|].
          etransitivity; [apply (tail_window N HN)|]. rewrite <- Nat.add_assoc.
          apply Nat.add_le_mono_l. apply together_ge; [exact H2|apply Bl, Hb| | |].
          + constructor; [|apply NoDup_filter, nodup_present]. intros X.
            apply filter_In in X as [_ X]. rewrite Nat.eqb_refl in X. discriminate.
          + intros c Hc. apply filter_In in Hc as [Hc _]. apply Bl, present_here, Hc.
          + rewrite (length_without b present nodup_present Hp). pose proof (present_few k Hr). lia.
        - assert (k = 1) as -> by lia. pose proof (l_room _ _ _ _ _ Lg b Bb).
          pose proof (l_solo _ _ _ _ _ Lg N b Bb ltac:(apply alone_here; [exact Hb|lia])) as Hs.
          pose proof (l_delay _ _ _ _ _ Lg N b Bb) as Hd.
          pose proof (together_one kd bl b (Bl b Hb)) as Ht.
          assert (cycles N behind <= cycles N (fun t => cnted t && passing r b t)
                  + cycles N (fun t => cnted t && stays r b t)) as A; [|lia].
          unfold cycles. rewrite <- sum_add. apply sum_le. intros t _.
          destruct (behind t) eqn:P; [|cbn; lia]. unfold behind in P. rewrite !andb_true_iff in P.
          destruct P as [[-> P] _]. apply holds_split in P as [->| ->]; cbn; lia.
      Qed.

      Theorem tail_lam N k : 1 <= k -> R <= k \/ length here <= k ->
        cycles N behind <= delay r delta b + lam l + most k l.
      Proof.
        intros Hk Hr. etransitivity; [apply tail_most|].
        pose proof (lam_ge kd bl b (Bl b Hb)).
        pose proof (most_ge kd bl present k nodup_present
          ltac:(intros c Hc; apply Bl, present_here, Hc) (present_few k Hr)). lia.
      Qed.
    End Tail.
  End Sm.
End Tails.
