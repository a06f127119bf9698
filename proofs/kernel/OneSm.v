(** * K-SM (docs/proofs.md, theorem 5), from the ledger of a grid *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail.

Section OneSm.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation Es := (fun c => kE (kd c)).
  Variable i : nat.
  Notation here := (on_sm r i).
  Variable bl : list nat.
  Hypothesis Bl : incl here bl.
  Notation l := (map kd bl).

  (** ** Some thread blocks [F] of one slot, with all that were there before them *)
  Section Slot.
    Variables (q : nat) (F : list nat).
    Hypotheses (Fhere : incl F here) (Fnd : NoDup F) (Froom : forall b, In b F -> room r b = q).
    Hypothesis Fall : forall b c, In b F -> In c here -> room r c = q ->
      ord r c < ord r b -> In c F.

    Lemma slot_sm b : In b F -> b < count r /\ sm r b = i.
    Proof. intros H. apply here_sm, Fhere, H. Qed.

    Lemma slot_apart b c t : In b F -> In c F -> holds r b t = true -> holds r c t = true -> b = c.
    Proof.
      intros Hb Hc. destruct (slot_sm b Hb), (slot_sm c Hc).
      apply (same_slot r M R delta kd Lg); auto. unfold same.
      rewrite (Froom b Hb), (Froom c Hc), Nat.eqb_refl, andb_true_r. apply Nat.eqb_eq. congruence.
    Qed.

    Lemma slot_delays : F <> [] -> sum (delay r delta) F <= (length F - 1) * delta.
    Proof.
      intros Ne. apply delays; [exact Fnd|exact Ne|]. intros b c Hb Hc S O.
      unfold same in S. apply andb_prop in S as [S1 S2]. apply Nat.eqb_eq in S1, S2.
      apply (Fall b c Hb); auto; [|rewrite S2; apply Froom, Hb].
      apply in_on_sm. split; [exact Hc|]. rewrite S1. apply slot_sm, Hb.
    Qed.

    Lemma slot_lam : sum (fun b => kL (kd b)) F <= length F * lam l.
    Proof. apply sum_mul. intros b Hb. apply lam_ge, Bl, Fhere, Hb. Qed.

    Lemma slot_rest : NoDup (F ++ rest r i F) /\ incl (F ++ rest r i F) here.
    Proof.
      split.
      - apply nodup_app; [exact Fnd|apply NoDup_filter, nodup_on_sm|].
        intros c Hc X. apply in_rest in X. tauto.
      - intros c Hc. apply in_app_or in Hc as [Hc|Hc]; [apply Fhere, Hc|]. apply in_rest in Hc.
        tauto.
    Qed.

    (** Until [N] the slot is taken but for cycles in which [b] is there. *)
    Section Then.
      Variables (b N n : nat).
      Hypotheses (Hb : In b here) (Few : length here <= n).
      Hypothesis Covered : forall t, t < N -> cnted t = true -> covers r F t = true \/
        holds r b t = true.

      Notation in_slot := (fun t => cnted t && covers r F t).
      Notation after := (fun t => cnted t && negb (covers r F t)).

      Lemma after_paid : cycles N after <= delay r delta b + lam l + sum (work r N after) here.
      Proof.
        pose proof (lam_ge kd bl b (Bl b Hb)).
        pose proof (idle_paid r M R delta kd Lg i [b] ltac:(intros ? [<-|[]]; apply here_sm, Hb) N
          after) as H0. rewrite sum_cons in H0. cbn [sum map list_sum fold_right] in H0.
        rewrite Nat.add_0_r in H0. etransitivity; [apply H0|lia]. intros t Ht P.
        apply andb_prop in P as [P1 P2]. split; [exact P1|].
        destruct (Covered t Ht P1) as [X|X]; [rewrite X in P2; discriminate|]. cbn. rewrite X.
        reflexivity.
      Qed.

      (** Counting all latencies. *)
      Lemma by_lam : cycles N cnted
        <= sum (delay r delta) F + delay r delta b + length F * lam l + lam l + most n l.
      Proof.
        rewrite (cycles_split N cnted (covers r F)). pose proof after_paid as A.
        pose proof slot_lam as Ll.
        pose proof (idle_paid r M R delta kd Lg i F slot_sm N in_slot) as B. rewrite sum_add in B.
        specialize (B ltac:(intros t _ P; apply andb_prop in P; exact P)).
        assert (sum (work r N in_slot) here + sum (work r N after) here <= most n l); [|lia].
        rewrite <- sum_add. etransitivity; [|apply (most_ge kd bl here n); auto; apply nodup_on_sm].
        apply sum_le. intros c Hc.
        etransitivity; [|apply (work_budget r M R delta kd Lg N cnted), (here_sm r i c), Hc].
        rewrite (work_split r N cnted (covers r F)). lia.
      Qed.

      (** Counting what the thread blocks of the slot hold it. *)
      Lemma by_stays f : (forall c, In c F -> fin r c <= N) -> length F <= f -> f <= n ->
        cycles N cnted
        <= sum (delay r delta) F + delay r delta b + residencies f l + most (n - f) l + lam l.
      Proof.
        intros HN Hf Hn. rewrite (cycles_split N cnted (covers r F)). pose proof after_paid as A.
        pose proof (stay_paid r M R delta kd Lg i F slot_sm Fnd slot_apart N HN) as B.
        rewrite sum_add in B. destruct slot_rest as [N1 N2].
        pose proof (slot_ge kd bl F (rest r i F) f n N1 ltac:(intros c Hc; apply Bl, N2, Hc) Hf
          ltac:(etransitivity; [apply (NoDup_incl_length N1 N2)|exact Few]) Hn) as G.
        assert (sum (fun c => kA (kd c)) F <= sum (fun c => held (kd c)) F).
        { apply sum_le. intros. unfold held. lia. }
        assert (sum (work r N (covers r F)) (rest r i F) + sum (work r N after) here
          <= sum Es (rest r i F)); [|lia].
        assert (sum (work r N after) here <= sum (work r N after) (rest r i F)) as D.
        { unfold rest at 1. rewrite sum_filter. apply sum_le. intros c Hc.
          destruct (existsb (Nat.eqb c) F) eqn:X; cbn [negb]; [|lia].
          apply existsb_exists in X as [y [Hy E]]. apply Nat.eqb_eq in E. subst y. unfold work.
          rewrite sum_zero; [lia|]. intros t _.
          destruct (cnted t && negb (covers r F t)) eqn:P; [|reflexivity].
          destruct (Nat.eq_dec (wt r c t) 0) as [|Z]; [assumption|exfalso].
          apply (wt_holds r M R delta kd Lg c t) in Z; [|apply slot_sm, Hy].
          rewrite (covers_in r F c t Hy Z), andb_false_r in P. discriminate. }
        enough (sum (work r N (covers r F)) (rest r i F) + sum (work r N after) (rest r i F)
          <= sum Es (rest r i F)) by lia. rewrite <- sum_add. apply sum_le. intros c Hc.
        apply in_rest in Hc as [Hc _]. etransitivity;
          [|apply (work_budget r M R delta kd Lg N (fun _ => true)), (here_sm r i c), Hc].
        rewrite (work_split r N (fun _ => true) (covers r F)). cbn [andb].
        apply Nat.add_le_mono_l, work_le. intros t _ P _. apply andb_prop in P. tauto.
      Qed.
    End Then.

    (** Until [N] the slot is taken. *)
    Section Before.
      Variables (N n : nat).
      Hypothesis Few : length here <= n.
      Hypothesis Taken : forall t, t < N -> cnted t = true -> covers r F t = true.

      Lemma before_lam : cycles N cnted <= sum (delay r delta) F + length F * lam l + most n l.
      Proof.
        pose proof (idle_paid r M R delta kd Lg i F slot_sm N cnted ltac:(auto)) as A.
        rewrite sum_add in A. pose proof slot_lam.
        pose proof (most_ge kd bl here n (nodup_on_sm r i) Bl Few).
        assert (sum (work r N cnted) here <= sum Es here); [|lia]. apply sum_le. intros c Hc.
        apply (work_budget r M R delta kd Lg), (here_sm r i c), Hc.
      Qed.

      Lemma before_stays K f : N <= K -> (forall c, In c F -> fin r c <= K) -> length F <= f ->
        f <= n ->
        cycles N cnted <= sum (delay r delta) F + residencies f l + most (n - f) l.
      Proof.
        intros HK HF Hf Hn. destruct slot_rest as [N1 N2].
        pose proof (stay_paid r M R delta kd Lg i F slot_sm Fnd slot_apart K HF) as B.
        rewrite sum_add in B. pose proof (slot_ge kd bl F (rest r i F) f n N1 ltac:(intros c Hc;
          apply Bl, N2, Hc) Hf ltac:(etransitivity; [apply (NoDup_incl_length N1 N2)|exact Few]) Hn)
          as G. assert (sum (fun c => kA (kd c)) F <= sum (fun c => held (kd c)) F).
        { apply sum_le. intros. unfold held. lia. }
        assert (sum (work r K (covers r F)) (rest r i F) <= sum Es (rest r i F)).
        { apply sum_le. intros c Hc. apply in_rest in Hc as [Hc _].
          apply (work_budget r M R delta kd Lg), (here_sm r i c), Hc. }
        assert (cycles N cnted <= cycles K (fun t => cnted t && covers r F t)); [|lia].
        etransitivity; [|apply (cycles_longer N K); exact HK]. apply cycles_le.
        intros t Ht C. rewrite C. apply Taken; assumption.
      Qed.

      Lemma before_alone f : R = 1 -> length F <= f ->
        cycles N cnted <= sum (delay r delta) F + isolated f l.
      Proof.
        intros E Hf.
        pose proof (isolated_ge kd bl F f Fnd ltac:(intros c Hc; apply Bl, Fhere, Hc) Hf).
        pose proof (cover_sum r M R delta kd Lg i F slot_sm N (fun c => kS (kd c))) as A.
        rewrite sum_add in A. etransitivity; [|etransitivity; [apply A|lia]].
        - apply cycles_le. intros t Ht C. rewrite C. apply Taken; assumption.
        - intros c Hc. apply (l_solo _ _ _ _ _ Lg); [apply slot_sm, Hc|].
          apply (alone_here r M R delta kd Lg i c (Fhere c Hc)). left. exact E.
      Qed.
    End Before.
  End Slot.

  (** ** The whole stay of an SM's thread blocks; [b] ends last *)
  Section Whole.
    Variable b : nat.
    Hypothesis Hb : In b here.
    Notation T := (fin r b).

    Lemma last_taken : exists z, In z here /\ forall c, In c here -> ord r c <= ord r z /\
      disp r c <= disp r z.
    Proof.
      destruct (exists_max (ord r) here) as [z [Hz H]]; [intros E; rewrite E in Hb; easy|].
      exists z. split; [exact Hz|]. intros c Hc. specialize (H c Hc). split; [exact H|].
      apply here_sm in Hz as [Hz _], Hc as [Hc _].
      destruct (Nat.eq_dec (ord r c) (ord r z)) as [E|N].
      - rewrite (l_ord _ _ _ _ _ Lg c z Hc Hz E). lia.
      - apply (l_later _ _ _ _ _ Lg); auto. lia.
    Qed.

    (** When nothing waits for its dispatch, lemma 4 says it all. *)
    Lemma none_waits z : In z here ->
      (forall t, t < T -> cnted t = true -> disp r z <= t) ->
      (forall c, In c here -> disp r c <= disp r z) ->
      cycles T cnted <= cycles T (behind r (disp r z) b).
    Proof.
      intros Hz H D. apply cycles_le. intros t Ht C. unfold behind, holds. rewrite C.
      specialize (H t Ht C). specialize (D b Hb).
      rewrite !andb_true_iff, !Nat.leb_le, Nat.ltb_lt. lia.
    Qed.

    Lemma taken_here z t q : In z here -> cnted t = true -> t < disp r z -> q < R ->
      exists c, In c here /\ c <> z /\ room r c = q /\ holds r c t = true.
    Proof.
      intros Hz C Ht Hq. apply here_sm in Hz as [Hz Hi].
      destruct (l_taken _ _ _ _ _ Lg z t q Hz C Ht Hq) as [c [Hc [Hs [Hr Hh]]]].
      exists c. split; [apply in_on_sm; rewrite Hs; auto|]. split; [|auto].
      intros ->. unfold holds in Hh. apply andb_prop in Hh as [Hh _]. apply Nat.leb_le in Hh. lia.
    Qed.

    Lemma rooms_here : 1 <= R /\ forall c, In c here -> room r c < R.
    Proof.
      assert (forall c, In c here -> room r c < R) as A.
      { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r i c Hc). }
      split; [|exact A]. specialize (A b Hb). lia.
    Qed.

    (** *** Theorem 5, n at most R *)
    Theorem sm_fits n : length here <= n -> n <= R ->
      cycles T cnted <= delay r delta b + together n l.
    Proof.
      intros Hn HR. destruct last_taken as [z [Hz Z]]. destruct rooms_here as [R1 Rm].
      assert (1 <= n) as N1.
      { destruct here as [|x k]; [easy|cbn in Hn; lia]. }
      etransitivity; [apply (none_waits z Hz); [|intros; apply Z; assumption]|].
      - intros t Ht C. destruct (le_lt_dec (disp r z) t) as [|L]; [assumption|exfalso].
        destruct (pigeonhole (room r) R (filter (fun c => negb (c =? z)) here) R1) as [q [Hq Lq]].
        { intros c Hc. apply filter_In in Hc. apply Rm. tauto. }
        rewrite (length_without z here (nodup_on_sm r i) Hz), Nat.div_small in Lq by lia.
        destruct (taken_here z t q Hz C L Hq) as [c [Hc [Ncz [Hr _]]]].
        assert (In c (filter (fun x => room r x =? q) (filter (fun x => negb (x =? z)) here))) as X.
        { apply filter_In. split; [|apply Nat.eqb_eq, Hr]. apply filter_In. split; [exact Hc|].
          apply negb_true_iff, Nat.eqb_neq, Ncz. }
        destruct (filter _ _); [easy|cbn in Lq; lia].
      - apply (tail r M R delta kd Lg i bl Bl); auto. intros; apply Z; assumption.
    Qed.

    (** When some slot of the GPU is never taken. *)
    Theorem sm_never_full n : (forall t c, cnted t = true -> In c here -> disp r c <= t) -> R < n ->
      cycles T cnted <= h R delta n l /\ cycles T cnted <= delta + together R l
      /\ cycles T cnted <= delta + lam l + most R l.
    Proof.
      intros Hd Hn. destruct last_taken as [z [Hz Z]]. destruct rooms_here as [R1 Rm].
      pose proof (none_waits z Hz ltac:(intros; apply Hd; assumption) ltac:(intros; apply Z;
        assumption)) as H. pose proof (tail r M R delta kd Lg i bl Bl (disp r z) b ltac:(intros;
        apply Z; assumption) Hb T R (le_n _) R1 (or_introl (le_n _))) as H1.
      pose proof (tail_lam r M R delta kd Lg i bl Bl (disp r z) b ltac:(intros; apply Z; assumption)
        Hb T R R1 (or_introl (le_n _))) as H2. pose proof (delay_le r delta b) as H3. split; [|lia].
      unfold h, W. destruct (Nat.leb_spec n R); [lia|]. destruct (Nat.eqb_spec R 1) as [->|R2].
      - unfold together in H1. cbn [Nat.leb] in H1.
        pose proof (largest_grows 1 n (map kS l) ltac:(lia)).
        fold (isolated 1 l) (isolated n l) in *.
        pose proof (largest_grows 1 n (map kE l) ltac:(lia)). fold (most 1 l) (most n l) in *. nia.
      - set (f := (n - 1) / R). pose proof (Nat.div_mod (n - 1) R ltac:(lia)) as Dm. fold f in Dm.
        pose proof (Nat.mod_upper_bound (n - 1) R ltac:(lia)).
        assert (1 <= f) by (apply Nat.div_le_lower_bound; lia).
        pose proof (largest_grows R n (map kE l) ltac:(lia)).
        pose proof (largest_grows R (n - f) (map kE l) ltac:(nia)).
        fold (most R l) (most n l) (most (n - f) l) in *. nia.
    Qed.

    (** *** Theorem 5, n above R *)
    Theorem sm_waits n : (forall c, In c here -> fin r c <= T) -> length here <= n -> R < n ->
      cycles T cnted <= h R delta n l.
    Proof.
      intros Hl Hn HR. destruct last_taken as [z [Hz Z]]. destruct rooms_here as [R1 Rm].
      unfold h, W. destruct (Nat.leb_spec n R); [lia|].
      pose proof (nodup_on_sm r i) as Nd.
      assert (forall t, t < T -> disp r z <= t -> holds r b t = true) as At.
      { intros t Ht L. unfold holds. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt.
        pose proof (proj2 (Z b Hb)). lia. }
      destruct (Nat.eqb_spec R 1) as [E|R2].
      - assert (forall c, In c here -> room r c = 0) as Rz
          by (intros c Hc; specialize (Rm c Hc); lia).
        assert (here <> []) as Ne by (intros X; rewrite X in Hb; easy).
        assert (forall t, t < T -> cnted t = true -> covers r here t = true) as Cv.
        { intros t Ht C. apply existsb_exists. destruct (le_lt_dec (disp r z) t) as [L|L]; [eauto|].
          destruct (taken_here z t 0 Hz C L ltac:(lia)) as [c [Hc [_ [_ Hh]]]]. eauto. }
        pose proof (slot_delays 0 here (fun c Hc => Hc) Nd Rz ltac:(auto) Ne) as Dl.
        pose proof (before_lam here (fun c Hc => Hc) T n Hn Cv) as A1.
        pose proof (before_alone here (fun c Hc => Hc) Nd T n Hn Cv n E Hn) as A2.
        assert ((length here - 1) * delta <= (n - 1) * delta) by nia.
        assert (length here * lam l <= n * lam l) by nia. lia.
      - destruct (pigeonhole (room r) R (filter (fun c => negb (c =? z)) here) R1) as [q [Hq Lq]].
        { intros c Hc. apply filter_In in Hc. apply Rm. tauto. }
        rewrite (length_without z here Nd Hz) in Lq.
        set (F := filter (fun c => room r c =? q) (filter (fun c => negb (c =? z)) here)) in *.
        assert (forall c, In c F <-> In c here /\ c <> z /\ room r c = q) as InF.
        { intros c. unfold F. rewrite !filter_In, negb_true_iff, Nat.eqb_neq, Nat.eqb_eq. tauto. }
        set (f := (n - 1) / R) in *.
        assert (length F <= f) as Lf.
        { etransitivity; [exact Lq|]. apply Nat.div_le_mono; lia. }
        assert (1 <= f) as F1 by (apply Nat.div_le_lower_bound; lia).
        assert (f <= n) as Fn by (unfold f; etransitivity;
          [apply Nat.div_le_upper_bound with (q := n); nia|lia]).
        assert (incl F here) as F2 by (intros c Hc; apply InF in Hc; tauto).
        assert (NoDup F) as F3 by (apply NoDup_filter, NoDup_filter, Nd).
        assert (forall c, In c F -> room r c = q) as F4 by (intros c Hc; apply InF in Hc; tauto).
        assert (forall c d, In c F -> In d here -> room r d = q -> ord r d < ord r c -> In d F)
          as F5.
        { intros c d Hc Hd Hr O. apply InF. split; [exact Hd|]. split; [|exact Hr]. intros ->.
          apply F2, Z in Hc. lia. }
        assert (forall t, t < T -> cnted t = true -> covers r F t = true \/ holds r b t = true)
          as Cv.
        { intros t Ht C. destruct (le_lt_dec (disp r z) t) as [L|L]; [right; auto|left].
          destruct (taken_here z t q Hz C L Hq) as [c [Hc [Ncz [Hr Hh]]]].
          apply (covers_in r F c t); [apply InF; auto|exact Hh]. }
        assert (sum (delay r delta) F + delay r delta b <= f * delta) as Dl.
        { pose proof (delay_le r delta b). pose proof (slot_delays q F F2 F3 F4 F5) as S.
          destruct F as [|x k] eqn:X; [cbn; nia|]. specialize (S ltac:(discriminate)).
          cbn [length] in *. nia. }
        pose proof (by_lam F F2 b T n Hb Hn Cv) as A1.
        pose proof (by_stays q F F2 F3 F4 b T n Hb Hn Cv f ltac:(intros; apply Hl, F2; assumption)
          Lf Fn) as A2. assert (length F * lam l <= f * lam l) by (apply Nat.mul_le_mono_r, Lf).
        lia.
    Qed.
  End Whole.
End OneSm.
