(** * K-AREA (docs/proofs.md, theorem 6), from the ledger of a grid *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share Formulas Ledger Tail OneSm Dynamic.
Import ListNotations.

(** A full SM behind the last dispatch weighs most with all its idle cycles. *)
Lemma area_arith M R c x y X L lm d E B : 1 <= M -> 1 <= R -> M * R <= B ->
  M * R * c + R * x + y + M * R * d <= R * E + L + B * d ->
  y <= d + lm -> x + y <= X + lm + d ->
  M * R * (c + (x + y)) <= R * (E + (M - 1) * X) + (L + (B - M * R) * d + (M * R - 1) * (lm + d)).
Proof.
  intros HM HR HB H Hy Hxy. destruct M as [|m]; [lia|]. destruct R as [|k]; [lia|].
  pose proof (Nat.mul_le_mono_l _ _ (m * S k) Hxy) as A.
  pose proof (Nat.mul_le_mono_l _ _ k Hy) as K.
  pose proof (Nat.mul_sub_distr_r B (S m * S k) d) as Bd.
  assert (S m * S k * d <= B * d) as G by (apply Nat.mul_le_mono_r, HB).
  replace (S m - 1) with m by lia. replace (S m * S k - 1) with (m * S k + k) by lia. rewrite Bd.
  revert H A K G. clear. set (q := S m * S k * d). set (e := B * d). intros.
  replace (S m * S k) with (m * S k + S k) by lia.
  assert (R' : forall a, (m * S k + S k) * a = m * S k * a + S k * a) by (intros; lia).
  assert (S m * S k * c = (m * S k + S k) * c) as C by lia. rewrite C in H. rewrite !R' in *. lia.
Qed.

Section Area.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation l := (map kd (all r)).
  Hypothesis Dyn : dynamic r M R.

  Lemma by_sm (f : nat -> nat) : sum (fun i => sum f (on_sm r i)) (seq 0 M) = sum f (all r).
  Proof.
    apply (sum_by_slot f (sm r)). intros b Hb. apply in_all in Hb. apply (l_sm _ _ _ _ _ Lg b Hb).
  Qed.

  Lemma length_l : length l = count r.
  Proof. rewrite map_length. apply seq_length. Qed.

  Lemma sum_map (f : kind -> nat) : sum f l = sum (fun b => f (kd b)) (all r).
  Proof. unfold sum. rewrite map_map. reflexivity. Qed.

  (** All but the first of each slot pass a delta. *)
  Lemma sm_delays i : (forall q, q < R -> exists c, In c (on_sm r i) /\ room r c = q) ->
    sum (delay r delta) (on_sm r i) + R * delta <= length (on_sm r i) * delta.
  Proof.
    intros A.
    assert (forall c, In c (on_sm r i) -> room r c < R) as Rm.
    { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r i c Hc). }
    rewrite <- (sum_by_slot _ (room r) R _ Rm), <- (length_by_slot (room r) R _ Rm), Nat.mul_comm.
    rewrite <- (seq_length R 0) at 2.
    rewrite (Nat.mul_comm delta), <- (sum_same delta (seq 0 R)), <- sum_add.
    rewrite Nat.mul_comm, <- sum_scale. apply sum_le. intros q Hq. apply in_seq in Hq.
    destruct (A q ltac:(lia)) as [c [Hc Hr]].
    set (F := filter (fun c => room r c =? q) (on_sm r i)).
    assert (In c F) as Hf by (apply filter_In; split; [exact Hc|apply Nat.eqb_eq, Hr]).
    assert (1 <= length F) by (destruct F; [easy|cbn; lia]).
    enough (sum (delay r delta) F <= (length F - 1) * delta) by nia.
    apply (slot_delays r delta i q F).
    - intros d Hd. apply filter_In in Hd. tauto.
    - apply NoDup_filter, nodup_on_sm.
    - intros d Hd. apply filter_In in Hd as [_ Hd]. apply Nat.eqb_eq, Hd.
    - intros d e _ He Hq' _. apply filter_In. split; [exact He|apply Nat.eqb_eq, Hq'].
    - intros E. rewrite E in Hf. easy.
  Qed.

  Lemma all_delays : all_taken r M R ->
    sum (delay r delta) (all r) + M * R * delta <= count r * delta.
  Proof.
    intros A. rewrite <- (by_sm (delay r delta)), <- (all_length r M R delta kd Lg).
    rewrite <- (seq_length M 0) at 2.
    rewrite <- Nat.mul_assoc, <- (sum_same (R * delta)), <- sum_add.
    transitivity (sum (fun i => delta * length (on_sm r i)) (seq 0 M)); [|rewrite sum_scale; lia].
    apply sum_le. intros i Hi. apply in_seq in Hi.
    pose proof (sm_delays i (fun q => A i q ltac:(lia))). lia.
  Qed.

  Hypothesis Waits : M * R < count r.

  (** ** [z] is the last that the dispatcher takes, [b] ends last *)
  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Notation T := (fin r b).
    Notation t1 := (disp r z).
    Notation i := (sm r b).
    Notation before := (fun t => cnted t && (t <? t1)).

    Lemma b_here : In b (on_sm r i).
    Proof. apply in_on_sm. auto. Qed.

    Lemma before_behind : cycles T cnted <= cycles T before + cycles T (behind r t1 b).
    Proof.
      unfold cycles. rewrite <- sum_add. apply sum_le. intros t Ht. apply in_seq in Ht.
      pose proof (Lz b Hb). unfold behind, holds. destruct (cnted t); [|cbn; lia].
      destruct (Nat.ltb_spec t t1), (Nat.leb_spec t1 t), (Nat.leb_spec (disp r b) t),
        (Nat.ltb_spec t T); cbn; lia.
    Qed.

    (** Before [t1] every slot is taken. *)
    Lemma rooms_taken j t : j < M -> before t = true ->
      R <= sum (fun c => Nat.b2n (holds r c t)) (on_sm r j).
    Proof.
      intros Hj P. apply andb_prop in P as [C P]. apply Nat.ltb_lt in P.
      rewrite <- length_sum. rewrite <- (seq_length R 0), <- (map_length (room r) (filter _ _)).
      apply NoDup_incl_length; [apply seq_NoDup|]. intros q Hq. apply in_seq in Hq.
      destruct (Dyn z t j q Hz C P Hj ltac:(lia)) as [c [Hc [Hs [<- Hh]]]].
      apply in_map, filter_In. split; [apply in_on_sm; auto|exact Hh].
    Qed.

    (** What passes in the slots of SM [j]: idle cycles before [t1], and those of [b] behind it. *)
    Definition idle_before j : nat := cycles T (fun t => before t && negb (busy r j t)).
    Definition idle_behind : nat := cycles T (fun t => behind r t1 b t && negb (busy r i t)).
    Definition busy_before j : nat := cycles T (fun t => before t && busy r j t).
    Definition busy_behind : nat := cycles T (fun t => behind r t1 b t && busy r i t).
    Definition own (j x : nat) : nat := if j =? i then x else 0.

    Lemma idle_slots j : j < M ->
      R * idle_before j + own j idle_behind <= sum (fun c => delay r delta c + kL (kd c))
        (on_sm r j).
    Proof.
      intros Hj. set (pass := fun c t => cnted t && passing r c t).
      set (wait := fun c t => cnted t && stays r c t && negb (busy r (sm r c) t)).
      transitivity (sum (fun c => cycles T (pass c) + cycles T (wait c)) (on_sm r j)).
      - unfold idle_before, idle_behind, own, cycles.
        rewrite <- sum_scale.
        transitivity (sum (fun t => R * Nat.b2n (before t && negb (busy r j t))
          + (if j =? i then Nat.b2n (behind r t1 b t && negb (busy r i t)) else 0)) (seq 0 T)).
        { rewrite sum_add. apply Nat.add_le_mono_l. destruct (j =? i); [apply le_n|lia]. }
        transitivity (sum (fun c => sum (fun t => Nat.b2n (pass c t) + Nat.b2n (wait c t))
          (seq 0 T)) (on_sm r j)); [|apply sum_le; intros c _; rewrite sum_add; apply le_n].
        rewrite <- (sum_swap (fun t c => Nat.b2n (pass c t) + Nat.b2n (wait c t))). apply sum_le.
        intros t _. assert (forall c, In c (on_sm r j) -> cnted t = true -> busy r j t = false ->
          holds r c t = true -> 1 <= Nat.b2n (pass c t) + Nat.b2n (wait c t)) as One.
        { intros c Hc C Bz Hh. unfold pass, wait. rewrite (proj2 (here_sm r j c Hc)), C, Bz.
          destruct (holds_split r c t Hh) as [->| ->]; cbn; lia. }
        destruct (before t && negb (busy r j t)) eqn:P; cbn [Nat.b2n].
        + apply andb_prop in P as [P Bz]. apply negb_true_iff in Bz.
          pose proof (rooms_taken j t Hj P) as Rt. apply andb_prop in P as [C P].
          assert (behind r t1 b t = false) as ->.
          { unfold behind. apply Nat.ltb_lt in P. rewrite (proj2 (Nat.leb_gt _ _) P).
            apply andb_false_r. }
          cbn [andb Nat.b2n]. destruct (j =? i); rewrite Nat.mul_1_r, Nat.add_0_r;
          (etransitivity; [exact Rt|]; apply sum_le; intros c Hc;
           destruct (holds r c t) eqn:Hh; cbn [Nat.b2n]; [apply One; auto|lia]).
        + rewrite Nat.mul_0_r. cbn [Nat.add]. destruct (Nat.eqb_spec j i) as [->|]; [|lia].
          destruct (behind r t1 b t && negb (busy r i t)) eqn:Q; cbn [Nat.b2n]; [|lia].
          apply andb_prop in Q as [Q Bz]. apply negb_true_iff in Bz. unfold behind in Q.
          rewrite !andb_true_iff in Q. destruct Q as [[C Hh] _].
          etransitivity; [apply (One b b_here C Bz Hh)|].
          apply (sum_ge (fun c => Nat.b2n (pass c t) + Nat.b2n (wait c t)) b), b_here.
      - apply sum_le. intros c Hc. destruct (here_sm r j c Hc) as [Hc' _].
        apply Nat.add_le_mono; [apply (l_delay _ _ _ _ _ Lg)|apply (l_idle _ _ _ _ _ Lg)];
          exact Hc'.
    Qed.

    Lemma busy_all j : busy_before j + own j busy_behind <= sum (fun c => kE (kd c)) (on_sm r j).
    Proof.
      transitivity (sum (fun c => work r T (fun _ => true) c) (on_sm r j)).
      - unfold work. rewrite <- sum_swap. unfold busy_before, busy_behind, own.
        transitivity (sum (fun t => Nat.b2n (before t && busy r j t)
          + (if j =? i then Nat.b2n (behind r t1 b t && busy r i t) else 0)) (seq 0 T)).
        { rewrite sum_add. apply Nat.add_le_mono_l. unfold cycles.
          destruct (j =? i); [apply le_n|lia]. }
        apply sum_le. intros t _. pose proof (busy_paid r j t) as P. unfold behind.
        destruct (Nat.eqb_spec j i) as [->|]; destruct (busy r _ t); rewrite ?andb_true_r,
          ?andb_false_r; try (cbn; lia); specialize (P eq_refl).
        + destruct (cnted t), (Nat.ltb_spec t t1), (Nat.leb_spec t1 t), (holds r b t); cbn; lia.
        + destruct (cnted t), (t <? t1); cbn; lia.
      - apply sum_le. intros c Hc. apply (work_budget r M R delta kd Lg), (here_sm r j c Hc).
    Qed.

    Lemma split_before j : cycles T before = busy_before j + idle_before j.
    Proof. apply cycles_split. Qed.

    Lemma own_sum x : sum (fun j => own j x) (seq 0 M) = x.
    Proof.
      pose proof (sum_single (fun _ => x) i M (l_sm _ _ _ _ _ Lg b Hb)) as H.
      etransitivity; [|exact H]. apply sum_ext. intros j _. unfold own. rewrite Nat.eqb_sym.
      reflexivity.
    Qed.

    (** Summed up over the SMs. *)
    Lemma area_sum : all_taken r M R ->
      M * R * cycles T before + R * busy_behind + idle_behind + M * R * delta
      <= R * sum kE l + sum kL l + count r * delta.
    Proof.
      intros A. pose proof (all_delays A) as D. rewrite !sum_map.
      assert (sum (fun j => R * cycles T before + R * own j busy_behind + own j idle_behind)
        (seq 0 M) <= sum (fun j => sum (fun c => R * kE (kd c) + (delay r delta c + kL (kd c)))
        (on_sm r j)) (seq 0 M)) as H.
      { apply sum_le. intros j Hj. apply in_seq in Hj.
        rewrite (sum_add (fun c => R * kE (kd c))), sum_scale. pose proof (idle_slots j ltac:(lia)).
        pose proof (busy_all j). rewrite (split_before j). nia. }
      assert (sum (fun j => R * cycles T before + R * own j busy_behind + own j idle_behind)
        (seq 0 M) = M * (R * cycles T before) + R * busy_behind + idle_behind) as E.
      { rewrite (sum_add (fun j => R * cycles T before + R * own j busy_behind)),
          (sum_add (fun _ => R * cycles T before)), sum_same, seq_length, sum_scale, !own_sum.
        reflexivity. }
      rewrite E, by_sm, (sum_add (fun c => R * kE (kd c))), sum_add, sum_scale in H. nia.
    Qed.

    Lemma idle_tail : idle_behind <= delta + lam l.
    Proof.
      pose proof (idle_paid r M R delta kd Lg i [b] ltac:(intros ? [<-|[]]; auto) T
        (fun t => behind r t1 b t && negb (busy r i t))) as H.
      rewrite sum_cons in H. cbn [sum map list_sum fold_right] in H. rewrite Nat.add_0_r in H.
      pose proof (delay_le r delta b). pose proof (lam_ge kd (all r) b ltac:(apply in_all, Hb)).
      assert (sum (work r T (fun t => behind r t1 b t && negb (busy r i t))) (on_sm r i) = 0) as Z.
      { apply sum_zero. intros c Hc. apply sum_zero. intros t _.
        destruct (busy r i t) eqn:Bz; [rewrite andb_false_r; reflexivity|].
        destruct (Nat.eq_dec (wt r c t) 0) as [->|N0]; [destruct (_ && _); reflexivity|exfalso].
        enough (busy r i t = true) by congruence. apply existsb_exists. exists c.
        split; [exact Hc|]. apply negb_true_iff, Nat.eqb_neq, N0. }
      unfold idle_behind. rewrite Z in H. etransitivity; [apply H|lia].
      intros t _ P. apply andb_prop in P as [P _]. unfold behind in P. rewrite !andb_true_iff in P.
      destruct P as [[-> P] _]. split; [reflexivity|]. cbn. rewrite P. reflexivity.
    Qed.

    Lemma behind_parts : cycles T (behind r t1 b) = busy_behind + idle_behind.
    Proof. apply cycles_split. Qed.

    Lemma late_here c : In c (on_sm r i) -> disp r c <= t1.
    Proof. intros Hc. apply Lz. apply in_on_sm in Hc. tauto. Qed.

    Lemma rooms : 1 <= M /\ 1 <= R.
    Proof.
      clear -Lg Hb. pose proof (l_sm _ _ _ _ _ Lg b Hb). pose proof (l_room _ _ _ _ _ Lg b Hb). lia.
    Qed.

    Lemma behind_together : cycles T (behind r t1 b) <= delta + together R l.
    Proof.
      pose proof (tail r M R delta kd Lg i (all r) (on_sm_all r i) t1 b late_here b_here T R
        (le_n _) (proj2 rooms) (or_introl (le_n _))). pose proof (delay_le r delta b). lia.
    Qed.

    Lemma behind_most : busy_behind <= most R l.
    Proof.
      etransitivity; [apply (cycles_sum T _ (fun t c => if behind r t1 b t then wt r c t else 0)
        (on_sm r i))|].
      - intros t _ P. apply andb_prop in P as [-> P]. apply busy_paid, P.
      - etransitivity; [apply (work_present r M R delta kd Lg i t1 b late_here T)|].
        apply (most_ge kd (all r)); [apply nodup_present| |apply (present_rooms r M R delta kd Lg)].
        intros c Hc. apply (on_sm_all r i), (present_here r i t1 c Hc).
    Qed.

    Lemma area_full : all_taken r M R -> cycles T cnted <= area M R delta l.
    Proof.
      intros A. pose proof before_behind as H0. pose proof (area_sum A) as H1.
      pose proof idle_tail as H2. pose proof behind_parts as H3. pose proof behind_together as H4.
      pose proof behind_most as H5. pose proof rooms as [R1 R2]. unfold area.
      apply Nat.div_le_lower_bound; [nia|]. rewrite length_l.
      transitivity (M * R * (cycles T before + (busy_behind + idle_behind)));
        [apply Nat.mul_le_mono_l; lia|].
      apply area_arith; try assumption; [lia|unfold tail_work; lia].
    Qed.

    (** One slot an SM: what its thread blocks hold it. *)
    Lemma alone_full : R = 1 -> all_taken r M R -> cycles T cnted <= area_alone M delta l.
    Proof.
      intros E A. pose proof before_behind as H0. pose proof behind_together as H1.
      pose proof (all_delays A) as D. pose proof rooms as [R1 _]. rewrite E in H1, D.
      unfold together in H1. cbn [Nat.leb] in H1.
      assert (forall j, j < M -> cycles T before + own j (cycles T (behind r t1 b))
        <= sum (fun c => delay r delta c + kS (kd c)) (on_sm r j)) as H.
      { intros j Hj. transitivity (cycles T (fun t => before t || ((j =? i) && behind r t1 b t))).
        - unfold own, cycles. transitivity (sum (fun t => Nat.b2n (before t)
            + (if j =? i then Nat.b2n (behind r t1 b t) else 0)) (seq 0 T)).
          { rewrite sum_add. apply Nat.add_le_mono_l. destruct (j =? i); [apply le_n|lia]. }
          apply sum_le. intros t _. unfold behind.
          destruct (j =? i), (cnted t), (Nat.ltb_spec t t1), (Nat.leb_spec t1 t), (holds r b t);
            cbn; lia.
        - pose proof (cover_sum r M R delta kd Lg j (on_sm r j) (here_sm r j) T (fun c =>
            kS (kd c))) as C. etransitivity; [|apply C].
          + apply cycles_le. intros t _ P. apply orb_prop in P as [P|P].
            * pose proof (rooms_taken j t Hj P) as Rt. rewrite E in Rt.
              apply andb_prop in P as [-> P]. apply existsb_exists. rewrite <- length_sum in Rt.
              destruct (filter _ _) as [|c k] eqn:F in Rt; [cbn in Rt; lia|]. exists c.
              apply (filter_In (fun x => holds r x t)). rewrite F. left. reflexivity.
            * apply andb_prop in P as [Ei P]. apply Nat.eqb_eq in Ei. rewrite Ei in *.
              unfold behind in P. rewrite !andb_true_iff in P. destruct P as [[-> P] _].
              apply (covers_in r _ b); [apply b_here|exact P].
          + intros c Hc. apply (l_solo _ _ _ _ _ Lg); [apply (here_sm r j c Hc)|].
            apply (alone_here r M R delta kd Lg j c Hc). left. exact E. }
      assert (sum (fun j => cycles T before + own j (cycles T (behind r t1 b))) (seq 0 M)
        <= sum (fun j => sum (fun c => delay r delta c + kS (kd c)) (on_sm r j)) (seq 0 M)) as G.
      { apply sum_le. intros j Hj. apply in_seq in Hj. apply H. lia. }
      rewrite by_sm, sum_add, sum_same, seq_length, own_sum, sum_add in G. unfold area_alone.
      apply Nat.div_le_lower_bound; [lia|]. rewrite length_l, sum_map, Nat.mul_sub_distr_r.
      rewrite Nat.mul_1_r in D. set (c := cycles T before) in *.
      set (y := cycles T (behind r t1 b)) in *.
      assert (M * cycles T cnted <= M * (c + y)) as H2 by (apply Nat.mul_le_mono_l, H0).
      destruct M as [|m]; [lia|]. replace (S m - 1) with m by lia.
      assert (m * y <= m * (isolated 1 l + delta)) by (apply Nat.mul_le_mono_l; lia). lia.
    Qed.
  End Ends.

  Lemma last_of_all : exists z, z < count r /\ forall c, c < count r -> disp r c <= disp r z.
  Proof.
    destruct (exists_max (disp r) (all r)) as [z [Hz H]].
    { unfold all. destruct (count r); [lia|discriminate]. }
    exists z. split; [apply in_all, Hz|]. intros c Hc. apply H, in_all, Hc.
  Qed.

  (** When some slot is never taken all are dispatched at once, and a full SM is the longest. *)
  Lemma area_early : early r -> forall b, b < count r -> cycles (fin r b) cnted <= area M R delta l
    /\ (R = 1 -> cycles (fin r b) cnted <= area_alone M delta l).
  Proof.
    intros A b0 Hb0. assert (In b0 (on_sm r (sm r b0))) as Hi by (apply in_on_sm; auto).
    destruct (last_of r (sm r b0)) as [b [Hb Hl]]; [intros E; rewrite E in Hi; easy|].
    pose proof (cycles_longer (fin r b0) (fin r b) cnted (Hl b0 Hi)) as Hlong.
    pose proof (all_here r M R delta kd Lg _ b Hb) as HM.
    pose proof (l_room _ _ _ _ _ Lg b ltac:(apply (here_sm r _ b Hb))) as HR.
    pose proof (most_waits r M R Waits ltac:(lia)) as Hn.
    destruct (sm_never_full r M R delta kd Lg _ (all r) (on_sm_all r _) b Hb _ (early_here r _ A)
      Hn) as [_ [H1 H2]]. assert (1 <= M * R) by nia. set (N := count r - M * R).
    assert (1 <= N) by (unfold N; lia). assert (delta <= N * delta) by nia. split.
    - unfold area. apply Nat.div_le_lower_bound; [nia|]. rewrite length_l. fold N.
      set (X := tail_work R l).
      assert (cycles (fin r b) cnted <= X + lam l + delta) as G3 by (unfold X, tail_work; lia).
      assert (X <= sum kE l) as G4 by (unfold X, tail_work, most; pose proof (largest_total kE R l);
        lia). assert (lam l <= sum kL l) as G5.
      { apply list_max_le_in. intros y Hy. apply in_map_iff in Hy as [k [<- Hk]].
        apply (sum_ge kL k l Hk). }
      transitivity (M * R * (X + lam l + delta)); [apply Nat.mul_le_mono_l; lia|].
      destruct M as [|m]; [lia|]. replace (S m - 1) with m by lia.
      assert (R * X <= R * sum kE l) by (apply Nat.mul_le_mono_l, G4).
      assert (S m * R * (X + lam l + delta) = R * X + m * R * X + (1 + (S m * R - 1))
        * (lam l + delta)) as E.
      { replace (1 + (S m * R - 1)) with (S m * R) by lia. lia. }
      rewrite E. lia.
    - intros E. rewrite E in H1. unfold together in H1. cbn [Nat.leb] in H1.
      unfold area_alone. apply Nat.div_le_lower_bound; [lia|]. rewrite length_l.
      assert (isolated 1 l <= sum kS l) by apply (largest_total kS 1 l).
      assert (N <= count r - M) by (unfold N; nia). assert (delta <= (count r - M) * delta) by nia.
      destruct M as [|m]; [lia|]. replace (S m - 1) with m by lia.
      transitivity (S m * (isolated 1 l + delta)); [apply Nat.mul_le_mono_l; lia|]. lia.
  Qed.

  (** *** Theorem 6 (K-AREA) *)
  Theorem k_area_bound b : b < count r -> cycles (fin r b) cnted <= k_area M R delta l.
  Proof.
    intros Hb. assert (cycles (fin r b) cnted <= area M R delta l
      /\ (R = 1 -> cycles (fin r b) cnted <= area_alone M delta l)) as [H1 H2].
    { destruct (taken_or_early r M R Dyn) as [A|A]; [|exact (area_early A b Hb)].
      destruct last_of_all as [z [Hz Lz]].
      split; [apply (area_full z b); auto|intros E; apply (alone_full z b); auto]. }
    unfold k_area. rewrite length_l. destruct (Nat.leb_spec (count r) (M * R)); [lia|].
    destruct (Nat.eqb_spec R 1) as [E|E]; [specialize (H2 E); lia|exact H1].
  Qed.
End Area.
