(** * K-CHAIN of one SM (docs/sub-core-bounds.md, lemma 4 and theorem 2), from accounts of its
    slots *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Ledger Tail OneSm
  Dynamic.

Lemma nodup_after {A} (x : A) l : NoDup l -> ~ In x l -> NoDup ([x] ++ l).
Proof. intros. constructor; assumption. Qed.

Lemma waves_two R n : 1 <= R -> R < n -> 2 <= waves R n.
Proof. intros HR Hn. apply Nat.div_le_lower_bound; lia. Qed.

Lemma waves_enough R n : 1 <= R -> n <= R * waves R n.
Proof.
  intros HR. unfold waves. pose proof (Nat.div_mod (n + R - 1) R ltac:(lia)).
  pose proof (Nat.mod_upper_bound (n + R - 1) R ltac:(lia)). lia.
Qed.

Section ChainSm.
  Variables (r : run) (M R delta : nat) (ck : nat -> chain_kind).
  Hypotheses (Lg : ledger r M R delta (fun b => plain (ck b))) (Ch : chains r M R delta ck).
  Notation cnted := (counted r).
  Variable i : nat.
  Hypothesis Hi : i < M.
  Notation here := (on_sm r i).
  Variable bl : list nat.
  Hypotheses (Bl : incl here bl) (Bnd : NoDup bl).
  Notation l := (map ck bl).

  Lemma here_count g : In g here -> g < count r.
  Proof. intros H. apply in_on_sm in H. tauto. Qed.

  Lemma less_here c : In c here -> cW (ck c) <= cE (ck c).
  Proof. intros Hc. apply (c_less _ _ _ _ _ Ch), here_count, Hc. Qed.

  Lemma turns_here c : In c here -> 1 <= cH (ck c) <= turns l.
  Proof.
    intros Hc. split; [apply (c_less _ _ _ _ _ Ch), here_count, Hc|apply turns_ge, Bl, Hc].
  Qed.

  (** *** Lemma 4: from [t1] on the SM gets no others; [b] is one of its thread blocks *)
  Theorem chain_tail t1 b n : In b here -> (forall c, In c here -> disp r c <= t1) -> 1 <= n ->
    R <= n \/ length here <= n ->
    cycles (fin r b) (behind r t1 b) <= delay r delta b + chain_together n l.
  Proof.
    intros Hb Late N1 Few. destruct (le_lt_dec (fin r b) t1) as [Le|Lt].
    { rewrite cycles_none; [lia|]. intros t Ht. unfold behind.
      rewrite (proj2 (Nat.leb_gt t1 t)) by lia. apply andb_false_r. }
    destruct (c_tail _ _ _ _ _ Ch i t1 b Hi Hb Late) as [n0 [T Hn]].
    assert (In b (present r i t1)) as Pb.
    { apply filter_In. split; [exact Hb|]. unfold holds.
      rewrite (proj2 (Nat.leb_le _ _) (Late b Hb)). apply Nat.ltb_lt, Lt. }
    pose proof (present_few r M R delta _ Lg i t1 n Few) as Lp.
    pose proof (nodup_present r i t1) as Np.
    pose proof (length_without b (present r i t1) Np Pb) as Lw. fold (beside r i t1 b) in Lw.
    assert (forall c, In c (beside r i t1 b) -> In c here) as Bh.
    { intros c Hc. apply filter_In in Hc as [Hc _]. apply filter_In in Hc. tauto. }
    assert (1 <= length (present r i t1)) by (destruct (present r i t1); [easy|cbn; lia]).
    pose proof (busy_ge ck bl Bnd [b] (beside r i t1 b) n0 ((n - 1) * (turns l - 1)) (n - 1) n)
      as Q. pose proof (owned_ge ck bl [b] 1) as O. rewrite sum_cons in Q, O.
    unfold sum in Q at 1, O. cbn [map list_sum fold_right] in Q, O. unfold chain_together.
    assert (cO (ck b) + 0 <= owned 1 l) as O1.
    { apply O; [repeat constructor; easy|intros c [<-|[]]; apply Bl, Hb|cbn; lia]. }
    assert (cW (ck b) + 0 + sum (fun c => charge (ck c) (n0 c)) (beside r i t1 b)
      <= busy_with ((n - 1) * (turns l - 1)) (n - 1) n l) as Q1; [|lia].
    apply Q.
    - apply nodup_after; [apply NoDup_filter, Np|]. intros H0. apply filter_In in H0 as [_ H0].
      rewrite Nat.eqb_refl in H0. discriminate.
    - intros c [<-|Hc]; apply Bl; auto.
    - intros c [<-|Hc]; apply less_here; auto.
    - etransitivity; [apply (sum_mul n0 _ (turns l - 1))|apply Nat.mul_le_mono_r; lia].
      intros c Hc. specialize (Hn c Hc). pose proof (turns_here b Hb). lia.
    - lia.
    - cbn [app length]. lia.
  Qed.

  (** ** The whole stay of an SM's thread blocks; [b] ends last *)
  Section Whole.
    Variable b : nat.
    Hypothesis Hb : In b here.
    Notation T := (fin r b).

    Lemma rooms_least : 1 <= R.
    Proof. pose proof (l_room _ _ _ _ _ Lg b (here_count b Hb)). lia. Qed.

    (** *** Theorem 2, n at most R *)
    Theorem chain_fits n : length here <= n -> n <= R ->
      cycles T cnted <= delay r delta b + chain_together n l.
    Proof.
      intros Hn HR. destruct (last_taken r M R delta _ Lg i b Hb) as [z [Hz Z]].
      pose proof rooms_least as R1.
      assert (1 <= n) as N1 by (destruct here as [|x k]; [easy|cbn in Hn; lia]).
      etransitivity; [apply (none_waits r i b Hb z Hz); [|intros; apply Z; assumption]|].
      - intros t Ht C. destruct (le_lt_dec (disp r z) t) as [|L]; [assumption|exfalso].
        destruct (pigeonhole (room r) R (filter (fun c => negb (c =? z)) here) R1) as [q [Hq Lq]].
        { intros c Hc. apply filter_In in Hc as [Hc _].
          apply (l_room _ _ _ _ _ Lg), here_count, Hc. }
        rewrite (length_without z here (nodup_on_sm r i) Hz), Nat.div_small in Lq by lia.
        destruct (taken_here r M R delta _ Lg i z t q Hz C L Hq) as [c [Hc [Ncz [Hr _]]]].
        assert (In c (filter (fun x => room r x =? q) (filter (fun x => negb (x =? z)) here))) as X.
        { apply filter_In. split; [|apply Nat.eqb_eq, Hr]. apply filter_In. split; [exact Hc|].
          apply negb_true_iff, Nat.eqb_neq, Ncz. }
        destruct (filter _ _); [easy|cbn in Lq; lia].
      - apply chain_tail; auto. intros; apply Z; assumption.
    Qed.

    (** When some slot is never taken. *)
    Lemma together_sm n : R < n -> delta + chain_together R l <= chain_sm R delta n l.
    Proof.
      intros Hn. pose proof rooms_least as R1. pose proof (waves_two R n R1 Hn) as W2.
      unfold chain_sm, chain_together, behind_last. rewrite (proj2 (Nat.leb_gt _ _) Hn).
      assert (1 <= turns l) as Th by (pose proof (turns_here b Hb); lia).
      pose proof (busy_grows ((R - 1) * (turns l - 1)) (R - 1) R
        ((R - 1) * (waves R n * turns l - 1)) n n l ltac:(apply Nat.mul_le_mono_l; nia) ltac:(lia)
        ltac:(lia)). assert (delta <= (waves R n - 1) * delta) by nia. lia.
    Qed.

    Lemma chain_never_full : (forall t c, cnted t = true -> In c here -> disp r c <= t) ->
      cycles T cnted <= delta + chain_together R l.
    Proof.
      intros Hd. destruct (last_taken r M R delta _ Lg i b Hb) as [z [Hz Z]].
      pose proof (none_waits r i b Hb z Hz ltac:(intros; apply Hd; assumption) ltac:(intros;
        apply Z; assumption)) as H. pose proof (chain_tail (disp r z) b R Hb ltac:(intros; apply Z;
        assumption) rooms_least (or_introl (le_n _))) as H1. pose proof (delay_le r delta b). lia.
    Qed.

    (** ** Every slot is taken *)
    Hypothesis All : forall q, q < R -> exists c, In c here /\ room r c = q.
    Definition in_room q := filter (fun c => room r c =? q) here.

    Lemma in_room_iff q c : In c (in_room q) <-> In c here /\ room r c = q.
    Proof. unfold in_room. rewrite filter_In, Nat.eqb_eq. tauto. Qed.

    Lemma whole_room q : whole_slot r i q (in_room q).
    Proof.
      split; [apply NoDup_filter, nodup_on_sm|].
      split; [intros c Hc; apply in_room_iff in Hc; tauto|]. intros c Hc. rewrite in_room_iff.
      tauto.
    Qed.

    Lemma room_delays q : q < R -> sum (delay r delta) (in_room q) <= (length (in_room q) - 1)
      * delta.
    Proof.
      intros Hq. destruct (All q Hq) as [c [Hc Er]]. apply (slot_delays r delta i q (in_room q)).
      - intros d Hd. apply in_room_iff in Hd. tauto.
      - apply NoDup_filter, nodup_on_sm.
      - intros d Hd. apply in_room_iff in Hd. tauto.
      - intros d e _ He Hr _. apply in_room_iff. auto.
      - intros E. assert (In c (in_room q)) as X by (apply in_room_iff; auto). rewrite E in X. easy.
    Qed.

    Lemma room_parts q : NoDup (in_room q ++ rest r i (in_room q)) /\
      incl (in_room q ++ rest r i (in_room q)) here.
    Proof.
      apply (slot_rest r i (in_room q)); [intros c Hc; apply in_room_iff in Hc;
        tauto|apply NoDup_filter, nodup_on_sm].
    Qed.

    Lemma room_turns q : slot_turns ck (in_room q) <= length (in_room q) * turns l.
    Proof. apply sum_mul. intros c Hc. apply in_room_iff in Hc as [Hc _]. apply turns_here, Hc. Qed.

    (** What all thread blocks initiate in the path of a slot, with [N] extras. *)
    Lemma room_busy q n0 N n : length here <= n -> sum n0 (rest r i (in_room q)) <= N ->
      slot_sum r delta ck (in_room q) + sum (fun c => charge (ck c) (n0 c)) (rest r i (in_room q))
      <= sum (delay r delta) (in_room q) + sum (fun c => cO (ck c)) (in_room q) + busy_with N n n l.
    Proof.
      intros Hn HN. destruct (room_parts q) as [P1 P2]. pose proof (NoDup_incl_length P1 P2) as Len.
      rewrite app_length in Len.
      pose proof (busy_ge ck bl Bnd (in_room q) (rest r i (in_room q)) n0 N n n P1) as Q.
      unfold slot_sum. rewrite (sum_add (delay r delta)), (sum_add (fun c => cW (ck c))).
      assert (sum (fun c => cW (ck c)) (in_room q)
        + sum (fun c => charge (ck c) (n0 c)) (rest r i (in_room q)) <= busy_with N n n l); [|lia].
      apply Q; [|intros c Hc; apply less_here, P2, Hc|exact HN|lia|rewrite app_length; lia].
      intros c Hc. apply Bl, P2, Hc.
    Qed.

    Lemma room_owned q k : length (in_room q) <= k -> sum (fun c => cO (ck c)) (in_room q)
      <= owned k l.
    Proof.
      intros H. apply owned_ge; [apply NoDup_filter, nodup_on_sm| |exact H].
      intros c Hc. apply in_room_iff in Hc. apply Bl. tauto.
    Qed.

    (** *** Theorem 2, n above R *)
    Theorem chain_waits n : (forall c, In c here -> fin r c <= T) -> length here <= n -> R < n ->
      cycles T cnted <= chain_sm R delta n l.
    Proof.
      intros Hl Hn HR. pose proof rooms_least as R1. pose proof (waves_two R n R1 HR) as W2.
      unfold chain_sm, behind_last. rewrite (proj2 (Nat.leb_gt _ _) HR). set (F := waves R n) in *.
      assert (forall c, In c here -> room r c < R) as Rm.
      { intros c Hc. apply (l_room _ _ _ _ _ Lg), here_count, Hc. }
      destruct (le_lt_dec (length (in_room (room r b))) F) as [Lf|Lf].
      - assert (In b (in_room (room r b))) as Ib by (apply in_room_iff; auto).
        destruct (c_slot _ _ _ _ _ Ch i (room r b) (in_room (room r b)) b T Hi (Rm b Hb)
          (whole_room _) Ib (le_n _)) as [n0 [A B]]. pose proof (room_turns (room r b)) as Tu.
        pose proof (room_busy (room r b) n0 ((R - 1) * (F * turns l - 1)) n Hn) as Q.
        assert (sum n0 (rest r i (in_room (room r b))) <= (R - 1) * (F * turns l - 1)) as B'.
        { etransitivity; [exact B|]. apply Nat.mul_le_mono_l.
          pose proof (Nat.mul_le_mono_r _ _ (turns l) Lf). lia. }
        specialize (Q B'). pose proof (room_delays (room r b) (Rm b Hb)) as Dl.
        pose proof (room_owned (room r b) (S (F - 1)) ltac:(lia)) as Ow.
        pose proof (largest_sub (F - 1) (map cO l)) as Sb. unfold owned in *.
        assert ((length (in_room (room r b)) - 1) * delta <= (F - 1) * delta)
          by (apply Nat.mul_le_mono_r; lia). lia.
      - destruct (forallb (fun q => F <=? length (in_room q)) (seq 0 R)) eqn:E.
        { exfalso. rewrite forallb_forall in E.
          pose proof (sum_leaves (fun q => length (in_room q)) F R (room r b) (Rm b Hb)) as A.
          assert (sum (fun q => length (in_room q)) (seq 0 R) = length here) as S1
            by (apply length_by_slot; exact Rm). cbn beta in A. rewrite S1 in A.
          specialize (A ltac:(intros j Hj; apply Nat.leb_le, E, in_seq; lia)).
          pose proof (waves_enough R n R1) as We. fold F in We. nia. }
        assert (exists q, q < R /\ length (in_room q) < F) as [q [Hq Lq]].
        { apply not_true_iff_false in E.
          destruct (existsb (fun q => length (in_room q) <? F) (seq 0 R)) eqn:E2.
          - apply existsb_exists in E2 as [q [Hq E2]]. apply in_seq in Hq. apply Nat.ltb_lt in E2.
            exists q. split; [lia|exact E2].
          - exfalso. apply E, forallb_forall. intros q Hq.
            destruct (Nat.leb_spec F (length (in_room q))) as [|L]; [reflexivity|].
            enough (existsb (fun q => length (in_room q) <? F) (seq 0 R) = true) by congruence.
            apply existsb_exists. exists q. split; [exact Hq|apply Nat.ltb_lt, L]. }
        assert (~ In b (in_room q)) as Nb.
        { intros H0. apply in_room_iff in H0 as [_ E0]. rewrite E0 in Lf. lia. }
        destruct (c_then _ _ _ _ _ Ch i q (in_room q) b Hi Hq (whole_room q) Hb Nb) as [n0 [A B]].
        { intros t Ct Ht Fe. destruct (le_lt_dec (disp r b) t) as [|Lt]; [assumption|exfalso].
          destruct (taken_here r M R delta _ Lg i b t q Hb Ct Lt Hq) as [c [Hc [_ [Hr Hh]]]].
          specialize (Fe c ltac:(apply in_room_iff; auto)). unfold holds in Hh.
          rewrite andb_true_iff, Nat.ltb_lt in Hh. lia. }
        pose proof (room_turns q) as Tu. pose proof (turns_here b Hb) as Th.
        pose proof (room_busy q n0 ((R - 1) * (F * turns l - 1)) n Hn) as Q.
        assert (sum n0 (rest r i (in_room q)) <= (R - 1) * (F * turns l - 1)) as B'.
        { etransitivity; [exact B|]. apply Nat.mul_le_mono_l.
          pose proof (Nat.mul_le_mono_r (length (in_room q)) (F - 1) (turns l) ltac:(lia)) as Mu.
          rewrite (Nat.mul_sub_distr_r F 1) in Mu.
          pose proof (Nat.mul_le_mono_r 1 F (turns l) ltac:(lia)). lia. }
        specialize (Q B'). pose proof (room_delays q Hq) as Dl.
        pose proof (room_owned q (F - 1) ltac:(lia)) as Ow.
        pose proof (ChainFormulas.lam_ge ck bl b (Bl b Hb)) as La.
        assert (1 <= length (in_room q)) as L1.
        { destruct (All q Hq) as [c [Hc Er]].
          assert (In c (in_room q)) as X by (apply in_room_iff; auto).
          destruct (in_room q); [easy|cbn; lia]. }
        pose proof (Nat.mul_le_mono_r (S (length (in_room q) - 1)) (F - 1) delta ltac:(lia)). lia.
    Qed.
  End Whole.

  (** *** Theorem 2 (K-CHAIN): an SM that gets more than R thread blocks *)
  Theorem chain_sm_bound b n : In b here -> (forall c, In c here -> fin r c <= fin r b) ->
    length here <= n -> R < n ->
    cycles (fin r b) cnted <= chain_sm R delta n l.
  Proof.
    intros Hb Hl Hn HR.
    destruct (forallb (fun q => existsb (fun c => room r c =? q) here) (seq 0 R)) eqn:E.
    - apply (chain_waits b Hb); auto. intros q Hq. rewrite forallb_forall in E.
      specialize (E q ltac:(apply in_seq; lia)). apply existsb_exists in E as [c [Hc E]].
      apply Nat.eqb_eq in E. eauto.
    - etransitivity; [|apply (together_sm b Hb n HR)]. apply (chain_never_full b Hb).
      intros t c Ct Hc. destruct (le_lt_dec (disp r c) t) as [|Lt]; [assumption|exfalso].
      enough (forallb (fun q => existsb (fun c => room r c =? q) here) (seq 0 R) = true)
        by congruence. apply forallb_forall. intros q Hq. apply in_seq in Hq.
      destruct (taken_here r M R delta _ Lg i c t q Hc Ct Lt ltac:(lia)) as [d [Hd [_ [Hr _]]]].
      apply existsb_exists. exists d. split; [exact Hd|apply Nat.eqb_eq, Hr].
  Qed.
End ChainSm.
