(** * SMs that leave out cycles of their own

    docs/machine-code-bounds.md, theorem 7, for V that differ from SM to SM, without the machine.
    [own i] is the run as SM [i] has it in the cycles that it counts: a ledger of its thread blocks.
    [clock i x]: how many of its cycles are before [x].  If it leaves out at most [v] cycles, K-SM
    holds with [v] added: it is about one SM.  K-AREA and K-BAL have two parts, until the last
    thread block is dispatched, when all SMs are full, and behind that on the SM that ends last:
    [v] twice. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm Dynamic Area
  Balance.

Record apart (r : run) (M R delta v : nat) (kd : nat -> kind) (own : nat -> run)
    (clock : nat -> nat -> nat) : Prop := {
  a_sm : forall b, b < count r -> sm r b < M;
  a_disp : forall b, b < count r -> disp r b <= fin r b;
  a_ledger : forall i, i < M -> ledger (own i) M R delta kd;
  a_count : forall i, count (own i) = count r;
  a_here : forall i, i < M -> on_sm (own i) i = on_sm r i;
  a_place : forall i b, i < M -> In b (on_sm r i) -> room (own i) b = room r b
    /\ first (own i) b = first r b
    /\ disp (own i) b = clock i (disp r b) /\ fin (own i) b = clock i (fin r b);
  a_mono : forall i x y, x <= y -> clock i x <= clock i y;
  a_zero : forall i, clock i 0 = 0;
  a_time : forall i x y, i < M -> x <= y ->
    cycles y (counted r) + cycles (clock i x) (counted (own i))
      <= cycles x (counted r) + cycles (clock i y) (counted (own i)) + v;
  a_real : forall i k x, i < M -> counted (own i) k = true -> k < clock i x ->
    exists t, t < x /\ counted r t = true /\
      forall b, In b (on_sm r i) -> holds r b t = true -> holds (own i) b k = true }.

Section Apart.
  Variables (r : run) (M R delta v : nat) (kd : nat -> kind) (own : nat -> run)
    (clock : nat -> nat -> nat).
  Hypothesis Ap : apart r M R delta v kd own clock.
  Notation l := (map kd (all r)).
  (** Cycles that count, before [x]. *)
  Notation real x := (cycles x (counted r)).
  Notation own_l i := (map kd (all (own i))).

  Lemma same_kinds i : own_l i = l.
  Proof. unfold all. rewrite (a_count _ _ _ _ _ _ _ _ Ap). reflexivity. Qed.

  Lemma in_time i b X : i < M -> In b (on_sm r i) ->
    cycles (fin (own i) b) (counted (own i)) <= X -> real (fin r b) <= X + v.
  Proof.
    intros Hi Hb H. destruct (a_place _ _ _ _ _ _ _ _ Ap i b Hi Hb) as [_ [_ [_ F]]].
    pose proof (a_time _ _ _ _ _ _ _ _ Ap i 0 (fin r b) Hi (Nat.le_0_l _)) as T.
    rewrite F in H. rewrite (a_zero _ _ _ _ _ _ _ _ Ap) in T.
    assert (real 0 = 0) by reflexivity. assert (cycles 0 (counted (own i)) = 0) by reflexivity. lia.
  Qed.

  Lemma here_in i b : i < M -> In b (on_sm r i) -> In b (on_sm (own i) i).
  Proof. intros Hi Hb. rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi). exact Hb. Qed.

  Lemma on_some b : b < count r -> sm r b < M /\ In b (on_sm r (sm r b)).
  Proof. intros Hb. split; [apply (a_sm _ _ _ _ _ _ _ _ Ap b Hb)|apply in_on_sm; auto]. Qed.

  Lemma rooms_of b : b < count r -> 1 <= M /\ 1 <= R.
  Proof.
    intros Hb. destruct (on_some b Hb) as [HM _]. split; [lia|].
    pose proof (l_room _ _ _ _ _ (a_ledger _ _ _ _ _ _ _ _ Ap _ HM) b
      ltac:(rewrite (a_count _ _ _ _ _ _ _ _ Ap); exact Hb)). lia.
  Qed.

  (** The last of an SM. *)
  Lemma last_here i b : i < M -> In b (on_sm r i) -> exists e, In e (on_sm r i) /\
    fin r b <= fin r e /\ forall c, In c (on_sm (own i) i) -> fin (own i) c <= fin (own i) e.
  Proof.
    intros Hi Hb. destruct (exists_max (fin r) (on_sm r i)) as [e [He H]].
    { intros X. rewrite X in Hb. easy. }
    exists e. split; [exact He|]. split; [apply H, Hb|]. intros c Hc.
    rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi) in Hc.
    destruct (a_place _ _ _ _ _ _ _ _ Ap i c Hi Hc) as [_ [_ [_ ->]]].
    destruct (a_place _ _ _ _ _ _ _ _ Ap i e Hi He) as [_ [_ [_ ->]]].
    apply (a_mono _ _ _ _ _ _ _ _ Ap), H, Hc.
  Qed.

  (** *** K-SM of each SM, static dispatch *)
  Theorem static_apart b : b < count r ->
    real (fin r b) <= static_time r R delta kd (sm r b) + v.
  Proof.
    intros Hb. destruct (on_some b Hb) as [Hi Hin]. set (i := sm r b) in *.
    pose proof (k_sm_static (own i) M R delta kd (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) b
      ltac:(rewrite (a_count _ _ _ _ _ _ _ _ Ap); exact Hb)) as H.
    apply (in_time i b _ Hi Hin). etransitivity; [exact H|].
    assert (sm (own i) b = i) as -> by (apply (in_on_sm (own i) i b), here_in; assumption).
    unfold static_time, late. rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi).
    assert (forallb (first (own i)) (on_sm r i) = forallb (first r) (on_sm r i)) as ->; [|lia].
    assert (forall c, In c (on_sm r i) -> first (own i) c = first r c) as F
      by (intros c Hc; apply (a_place _ _ _ _ _ _ _ _ Ap i c Hi Hc)).
    revert F. generalize (on_sm r i). intros k F. induction k as [|c k IH]; [reflexivity|]. cbn.
    rewrite (F c (or_introl eq_refl)), IH; [reflexivity|]. intros; apply F; right; assumption.
  Qed.

  (** *** One wave *)
  Theorem one_wave_apart n b : (forall c, c < count r -> first r c = true) ->
    (forall i, length (on_sm r i) <= n) -> n <= R -> b < count r ->
    real (fin r b) <= together n l + v.
  Proof.
    intros New Few Rn Hb. destruct (on_some b Hb) as [Hi Hin]. set (i := sm r b) in *.
    apply (in_time i b _ Hi Hin). rewrite <- (same_kinds i).
    pose proof (sm_fits (own i) M R delta kd (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) i (all (own i))
      (on_sm_all (own i) i) b (here_in i b Hi Hin) n
      ltac:(rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi); apply Few) Rn) as H.
    unfold delay in H. destruct (a_place _ _ _ _ _ _ _ _ Ap i b Hi Hin) as [_ [F _]].
    rewrite F, New in H by exact Hb. exact H.
  Qed.

  (** ** Dynamic dispatch *)
  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).

  Section Used.
    Hypothesis Used : all_taken r M R.

    Lemma own_used i : i < M -> forall q, q < R -> exists c, In c (on_sm (own i) i) /\
      room (own i) c = q.
    Proof.
      intros Hi q Hq. destruct (Used i q Hi Hq) as [c [Hc Hr]]. exists c.
      split; [apply here_in; assumption|].
      destruct (a_place _ _ _ _ _ _ _ _ Ap i c Hi Hc) as [-> _]. exact Hr.
    Qed.

    (** [z] is the last that the dispatcher takes, [b] ends last *)
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Hypothesis Lb : forall c, c < count r -> fin r c <= fin r b.
    Notation t1 := (disp r z).
    Notation T := (fin r b).
    Notation i := (sm r b).

    (** Until then all slots are full. *)
    Lemma own_full j : j < M -> forall k q, counted (own j) k = true -> k < clock j t1 -> q < R ->
      exists c, In c (on_sm (own j) j) /\ room (own j) c = q /\ holds (own j) c k = true.
    Proof.
      intros Hj k q C Hk Hq.
      destruct (a_real _ _ _ _ _ _ _ _ Ap j k t1 Hj C Hk) as [t [Ht [Ct Hh]]].
      destruct (Dyn z t j q Hz Ct Ht Hj Hq) as [c [Hc [Hs [Hr Hold]]]].
      assert (In c (on_sm r j)) as Hin by (apply in_on_sm; auto). exists c.
      split; [apply here_in; assumption|].
      destruct (a_place _ _ _ _ _ _ _ _ Ap j c Hj Hin) as [-> _]. auto.
    Qed.

    Lemma own_late j : j < M -> forall c, In c (on_sm (own j) j) -> disp (own j) c <= clock j t1.
    Proof.
      intros Hj c Hc. rewrite (a_here _ _ _ _ _ _ _ _ Ap j Hj) in Hc.
      destruct (a_place _ _ _ _ _ _ _ _ Ap j c Hj Hc) as [_ [_ [-> _]]].
      apply (a_mono _ _ _ _ _ _ _ _ Ap), Lz. apply in_on_sm in Hc. tauto.
    Qed.

    Lemma Hi : i < M.
    Proof. apply (on_some b Hb). Qed.
    Lemma Hin : In b (on_sm (own i) i).
    Proof. apply (here_in i b Hi), (on_some b Hb). Qed.
    Notation Tb := (clock i T).
    Notation tail := (cycles Tb (behind (own i) (clock i t1) b)).

    Lemma t1_T : t1 <= T.
    Proof. pose proof (a_disp _ _ _ _ _ _ _ _ Ap z Hz). specialize (Lb z Hz). lia. Qed.

    Lemma own_fin : fin (own i) b = Tb.
    Proof. apply (a_place _ _ _ _ _ _ _ _ Ap i b Hi), (proj2 (on_some b Hb)). Qed.

    (** What SM [j] counts before [t1]. *)
    Definition first_part j : nat := cycles (clock j t1) (counted (own j)).

    Lemma first_before j N : clock j t1 <= N ->
      first_part j = cycles N (fun k => counted (own j) k && (k <? clock j t1)).
    Proof.
      intros H. unfold first_part. apply Nat.le_antisymm; [|apply cycles_cut].
      etransitivity; [|apply (cycles_longer (clock j t1) N), H]. apply cycles_le. intros k Hk ->.
      apply Nat.ltb_lt, Hk.
    Qed.

    Lemma both_parts j C Y : j < M -> first_part j <= C -> tail <= Y ->
      real T <= C + Y + 2 * v.
    Proof.
      intros Hj HC HY. pose proof t1_T as Ht.
      pose proof (a_time _ _ _ _ _ _ _ _ Ap j 0 t1 Hj (Nat.le_0_l _)) as A1.
      pose proof (a_time _ _ _ _ _ _ _ _ Ap i t1 T Hi Ht) as A2.
      rewrite (a_zero _ _ _ _ _ _ _ _ Ap) in A1. assert (real 0 = 0) as Z1 by reflexivity.
      assert (cycles 0 (counted (own j)) = 0) as Z2 by reflexivity. unfold first_part in HC.
      assert (cycles Tb (counted (own i)) <= cycles (clock i t1) (counted (own i)) + tail); [|lia].
      pose proof (a_mono _ _ _ _ _ _ _ _ Ap i _ _ Ht) as Hm.
      change (cycles (clock i t1) (counted (own i))) with (first_part i).
      rewrite (first_before i Tb Hm). unfold cycles. rewrite <- sum_add. apply sum_le. intros k Hk.
      apply in_seq in Hk. unfold behind, holds. rewrite own_fin.
      pose proof (own_late i Hi b Hin) as Hd. destruct (counted (own i) k); [|cbn; lia].
      destruct (Nat.ltb_spec k (clock i t1)), (Nat.leb_spec (disp (own i) b) k),
        (Nat.ltb_spec k Tb), (Nat.leb_spec (clock i t1) k); cbn; lia.
    Qed.

    (** The SM that counts the fewest cycles before [t1] *)
    Lemma fewest : exists j, j < M /\ forall k, k < M -> first_part j <= first_part k.
    Proof.
      destruct (exists_min first_part (seq 0 M)) as [j [Hj H]].
      { intros X. pose proof (seq_length M 0) as Lm. rewrite X in Lm. pose proof Hi. cbn in Lm.
        lia. }
      apply in_seq in Hj. exists j. split; [lia|]. intros k Hk. apply H, in_seq. lia.
    Qed.

    Notation is_i := (Area.own r b).
    Definition more_of j k : bool := (j =? i) && behind (own i) (clock i t1) b k.

    Lemma more_there j k : more_of j k = true -> counted (own j) k = true /\ clock j t1 <= k /\
      exists c, In c (on_sm (own j) j) /\ holds (own j) c k = true.
    Proof.
      unfold more_of. intros P. apply andb_prop in P as [E P]. apply Nat.eqb_eq in E. rewrite E.
      apply (there_more (own i) i (clock i t1) b Hin k P).
    Qed.

    Notation tail_busy :=
      (cycles Tb (fun k => behind (own i) (clock i t1) b k && busy (own i) i k)).
    Notation tail_idle :=
      (cycles Tb (fun k => behind (own i) (clock i t1) b k && negb (busy (own i) i k))).

    Lemma sum_is_i x : sum (fun k => is_i k x) (seq 0 M) = x.
    Proof.
      etransitivity; [|exact (sum_single (fun _ => x) i M Hi)]. apply sum_ext. intros k _.
      unfold Area.own. rewrite Nat.eqb_sym. reflexivity.
    Qed.

    Lemma by_sms f : sum (fun k => sum f (on_sm r k)) (seq 0 M) = sum f (all r).
    Proof.
      apply (sum_by_slot f (sm r)). intros c Hc. apply in_all in Hc.
      apply (a_sm _ _ _ _ _ _ _ _ Ap c Hc).
    Qed.

    Lemma lengths : sum (fun k => length (on_sm r k) * delta) (seq 0 M) = count r * delta.
    Proof.
      rewrite (sum_ext _ (fun k => delta * length (on_sm r k))) by (intros; lia).
      rewrite sum_scale, (all_length r M (a_sm _ _ _ _ _ _ _ _ Ap)). lia.
    Qed.

    (** What slots of SM [j] take, and pay. *)
    Lemma sm_area j : j < M ->
      R * first_part j + R * is_i j tail_busy + is_i j tail_idle + R * delta
      <= sum (fun c => R * kE (kd c) + kL (kd c)) (on_sm r j) + length (on_sm r j) * delta.
    Proof.
      intros Hj. pose proof (a_ledger _ _ _ _ _ _ _ _ Ap j Hj) as Lg.
      set (N := clock j T). pose proof (a_mono _ _ _ _ _ _ _ _ Ap j _ _ t1_T) as Hm.
      pose proof (slots_idle (own j) M R delta kd Lg j _ (own_full j Hj) N (more_of j)
        (more_there j)) as A.
      pose proof (slots_busy (own j) M R delta kd Lg j _ N (more_of j) (more_there j)) as B.
      pose proof (sm_delays (own j) M R delta kd Lg j (own_used j Hj)) as D.
      rewrite (first_before j N Hm), (cycles_split N _ (busy (own j) j)).
      rewrite (a_here _ _ _ _ _ _ _ _ Ap j Hj) in *. rewrite sum_add in A.
      rewrite sum_add, sum_scale. unfold Area.own, more_of in *. unfold N in *.
      destruct (Nat.eqb_spec j i) as [E|E]; [rewrite E in *; cbn [andb] in A, B; nia|nia].
    Qed.

    Lemma area_apart : real T <= area M R delta l + 2 * v.
    Proof.
      destruct fewest as [j [Hj Min]]. pose proof (rooms_of b Hb) as [R1 R2].
      pose proof (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) as Lg.
      assert (first_part j + tail <= area M R delta l) as H.
      { assert (sum (fun k => R * first_part j + R * is_i k tail_busy + is_i k tail_idle
          + R * delta) (seq 0 M) <= sum (fun k => sum (fun c => R * kE (kd c) + kL (kd c)) (on_sm r
              k)
          + length (on_sm r k) * delta) (seq 0 M)) as H.
        { apply sum_le. intros k Hk. apply in_seq in Hk. pose proof (sm_area k ltac:(lia)).
          pose proof (Min k ltac:(lia)). nia. }
        rewrite (sum_add (fun k => R * first_part j + R * is_i k tail_busy + is_i k tail_idle)),
          (sum_add (fun k => R * first_part j + R * is_i k tail_busy)),
          (sum_add (fun _ => R * first_part j)), !sum_same, seq_length, sum_scale, !sum_is_i in H.
        rewrite (sum_add (fun k => sum _ (on_sm r k))), by_sms, lengths, sum_add, sum_scale in H.
        pose proof (there_idle (own i) M R delta kd Lg i (clock i t1) b Hin Tb) as H2.
        pose proof (there_together (own i) M R delta kd Lg i (clock i t1) b Hin (own_late i Hi) Tb
          ltac:(rewrite own_fin; apply le_n) R2) as H4.
        pose proof (there_most (own i) M R delta kd Lg i (clock i t1) b (own_late i Hi) Tb) as H5.
        rewrite same_kinds in *. rewrite (cycles_split Tb _ (busy (own i) i)) in *. unfold area.
        apply Nat.div_le_lower_bound; [nia|]. rewrite (length_l r kd).
        apply area_arith; try assumption; [lia| |unfold tail_work; lia].
        rewrite !(sum_map r kd). lia. }
      pose proof (both_parts j (first_part j) tail Hj (le_n _) (le_n _)). lia.
    Qed.

    (** With one slot *)
    Lemma area_alone_apart : R = 1 -> real T <= area_alone M delta l + 2 * v.
    Proof.
      intros E. destruct fewest as [j [Hj Min]]. pose proof (rooms_of b Hb) as [R1 R2].
      pose proof (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) as Lg.
      assert (forall k, k < M -> first_part j + is_i k tail + delta
        <= sum (fun c => kS (kd c)) (on_sm r k) + length (on_sm r k) * delta) as H.
      { intros k Hk. pose proof (a_ledger _ _ _ _ _ _ _ _ Ap k Hk) as Lk.
        set (N := clock k T). pose proof (a_mono _ _ _ _ _ _ _ _ Ap k _ _ t1_T) as Hm.
        pose proof (slots_alone (own k) M R delta kd Lk k _ (own_full k Hk) N (more_of k)
          (more_there k) E) as A.
        pose proof (sm_delays (own k) M R delta kd Lk k (own_used k Hk)) as D. rewrite E in D.
        pose proof (Min k Hk) as Mk. rewrite (first_before k N Hm) in Mk.
        rewrite (a_here _ _ _ _ _ _ _ _ Ap k Hk) in *. rewrite sum_add in A.
        unfold Area.own, more_of in *. unfold N in *.
        destruct (Nat.eqb_spec k i) as [Ek|Ek]; [rewrite Ek in *|lia].
        change (fun x => true && behind (own i) (clock i t1) b x)
          with (behind (own i) (clock i t1) b) in A. lia. }
      assert (first_part j + tail <= area_alone M delta l) as G.
      { assert (sum (fun k => first_part j + is_i k tail + delta) (seq 0 M)
          <= sum (fun k => sum (fun c => kS (kd c)) (on_sm r k) + length (on_sm r k) * delta)
          (seq 0 M)) as G by (apply sum_le; intros k Hk; apply in_seq in Hk; apply H; lia).
        rewrite (sum_add (fun k => first_part j + is_i k tail)), (sum_add (fun _ => first_part j)),
          !sum_same, seq_length in G.
        rewrite sum_is_i, (sum_add (fun k => sum _ (on_sm r k))), by_sms, lengths in G.
        pose proof (there_together (own i) M R delta kd Lg i (clock i t1) b Hin (own_late i Hi) Tb
          ltac:(rewrite own_fin; apply le_n) R2) as H4. rewrite same_kinds, E in H4.
        unfold together in H4. cbn [Nat.leb] in H4. unfold area_alone.
        apply Nat.div_le_lower_bound; [lia|]. rewrite (length_l r kd), (sum_map r kd).
        rewrite Nat.mul_sub_distr_r. set (c := first_part j) in *. set (y := tail) in *.
        rewrite E in Waits. assert (M * delta <= count r * delta) by nia.
        destruct M as [|m]; [lia|]. replace (S m - 1) with m by lia.
        assert (m * y <= m * (isolated 1 l + delta)) by (apply Nat.mul_le_mono_l; lia). lia. }
      pose proof (both_parts j (first_part j) tail Hj (le_n _) (le_n _)). lia.
    Qed.

    (** The SM that ends last, and another. *)
    Lemma balance_apart : 2 <= M -> exists n, R <= n <= count r - (M - 1) * R
      /\ real T <= balance M R delta l n + 2 * v.
    Proof.
      intros HM. set (n := length (on_sm r i)). exists n.
      pose proof (most_blocks r M R (a_sm _ _ _ _ _ _ _ _ Ap) i Used Hi) as Most.
      split; [split; [apply (full_sm r M R i Used Hi)|exact Most]|].
      pose proof (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) as Lg. pose proof (rooms_of b Hb) as [R1 R2].
      assert (length (on_sm (own i) i) = n) as Ln
        by (rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi); reflexivity).
      unfold balance. rewrite <- Nat.add_min_distr_r. apply Nat.min_glb.
      - enough (real T <= h R delta n l + v) by lia.
        apply (in_time i b _ Hi (proj2 (on_some b Hb))). rewrite <- (same_kinds i).
        destruct (le_lt_dec n R) as [L|L].
        + pose proof (sm_fits (own i) M R delta kd Lg i (all (own i)) (on_sm_all (own i) i) b Hin n
            ltac:(lia) L) as H.
          pose proof (sm_delays (own i) M R delta kd Lg i (own_used i Hi)) as D. rewrite Ln in D.
          pose proof (sum_ge (delay (own i) delta) b (on_sm (own i) i) Hin) as G.
          unfold h. rewrite (proj2 (Nat.leb_le _ _) L).
          assert (n * delta <= R * delta) by (apply Nat.mul_le_mono_r, L). lia.
        + apply (sm_waits (own i) M R delta kd Lg i (all (own i)) (on_sm_all (own i) i) b Hin);
            [|lia|exact L].
          intros c Hc. rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi) in Hc. rewrite own_fin.
          destruct (a_place _ _ _ _ _ _ _ _ Ap i c Hi Hc) as [_ [_ [_ ->]]].
          apply (a_mono _ _ _ _ _ _ _ _ Ap), Lb. apply in_on_sm in Hc. tauto.
      - destruct (other_sm r M kd (a_sm _ _ _ _ _ _ _ _ Ap) i n Hi HM eq_refl)
          as [j [Hj [_ Lj]]].
        pose proof (full_until (own j) M R delta kd (a_ledger _ _ _ _ _ _ _ _ Ap j Hj) j
          (clock j t1) (own_full j Hj) (own_used j Hj) (share_left M l n) (clock j T) R2
          ltac:(rewrite (a_here _ _ _ _ _ _ _ _ Ap j Hj); exact Lj)
          (a_mono _ _ _ _ _ _ _ _ Ap j _ _ t1_T)) as H1.
        pose proof (there_together (own i) M R delta kd Lg i (clock i t1) b Hin (own_late i Hi) Tb
          ltac:(rewrite own_fin; apply le_n) R2) as H2. rewrite same_kinds in *.
        assert (cycles (clock j t1) (counted (own j)) + delta <= g R delta (share_left M l n) l)
          as H3.
        { apply H1. intros c Hc. rewrite (a_here _ _ _ _ _ _ _ _ Ap j Hj) in Hc.
          destruct (a_place _ _ _ _ _ _ _ _ Ap j c Hj Hc) as [_ [_ [_ ->]]].
          apply (a_mono _ _ _ _ _ _ _ _ Ap), Lb. apply in_on_sm in Hc. tauto. }
        pose proof (both_parts j _ _ Hj (le_n _) (le_n _)) as H4. unfold first_part in H4. lia.
    Qed.
  End Used.

  (** When some slot is never taken, nothing waits for its dispatch. *)
  Lemma own_early i : i < M -> early r ->
    forall k c, counted (own i) k = true -> In c (on_sm (own i) i) -> disp (own i) c <= k.
  Proof.
    intros Hi A k c C Hc. rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi) in Hc.
    destruct (a_place _ _ _ _ _ _ _ _ Ap i c Hi Hc) as [_ [_ [-> _]]].
    destruct (le_lt_dec (clock i (disp r c)) k) as [|L]; [assumption|exfalso].
    destruct (a_real _ _ _ _ _ _ _ _ Ap i k _ Hi C L) as [t [Ht [Ct _]]].
    apply in_on_sm in Hc as [Hc _]. pose proof (A t c Ct Hc). lia.
  Qed.

  Lemma never_full n b : early r -> R < n -> b < count r ->
    real (fin r b) <= h R delta n l + v
    /\ real (fin r b) <= delta + together R l + v
    /\ real (fin r b) <= delta + lam l + most R l + v.
  Proof.
    intros A Hn Hb. destruct (on_some b Hb) as [Hi Hin].
    destruct (last_here _ b Hi Hin) as [e [He [Le _]]].
    pose proof (sm_never_full (own (sm r b)) M R delta kd (a_ledger _ _ _ _ _ _ _ _ Ap _ Hi)
      (sm r b) (all (own (sm r b))) (on_sm_all _ _) e (here_in _ e Hi He) n (own_early _ Hi A) Hn)
      as [H1 [H2 H3]]. rewrite same_kinds in *.
    apply (in_time _ e _ Hi He) in H1, H2, H3. pose proof (cycles_longer _ _ (counted r) Le). lia.
  Qed.

  Lemma last_two : exists z b, z < count r /\ (forall c, c < count r -> disp r c <= disp r z)
    /\ b < count r /\ (forall c, c < count r -> fin r c <= fin r b).
  Proof.
    assert (all r <> []) as Ne by (unfold all; destruct (count r); [lia|discriminate]).
    destruct (exists_max (disp r) (all r) Ne) as [z [Hz H1]].
    destruct (exists_max (fin r) (all r) Ne) as [b [Hb H2]]. apply in_all in Hz, Hb.
    exists z, b. repeat split; auto; intros c Hc; [apply H1|apply H2]; apply in_all, Hc.
  Qed.

  (** *** K-SM *)
  Theorem k_sm_apart b : b < count r ->
    real (fin r b) <= h R delta (count r - (M - 1) * R) l + v.
  Proof.
    intros Hb. destruct (on_some b Hb) as [Hi Hin].
    pose proof (most_waits r M R Waits ltac:(lia)) as Hn.
    destruct (taken_or_early r M R Dyn) as [A|A]; [|apply (never_full _ b A Hn Hb)].
    destruct (last_here _ b Hi Hin) as [e [He [Le Lst]]].
    etransitivity; [apply (cycles_longer _ _ (counted r) Le)|].
    apply (in_time _ e _ Hi He). rewrite <- (same_kinds (sm r b)).
    apply (sm_waits (own (sm r b)) M R delta kd (a_ledger _ _ _ _ _ _ _ _ Ap _ Hi) _ (all _)
      (on_sm_all _ _) e (here_in _ e Hi He)); [exact Lst| |exact Hn].
    rewrite (a_here _ _ _ _ _ _ _ _ Ap _ Hi).
    apply (most_blocks r M R (a_sm _ _ _ _ _ _ _ _ Ap)); assumption.
  Qed.

  (** *** K-AREA *)
  Theorem k_area_apart b : b < count r -> real (fin r b) <= k_area M R delta l + 2 * v.
  Proof.
    intros Hb. assert (real (fin r b) <= area M R delta l + 2 * v
      /\ (R = 1 -> real (fin r b) <= area_alone M delta l + 2 * v)) as [H1 H2].
    { destruct (taken_or_early r M R Dyn) as [A|A].
      - destruct last_two as [z [e [Hz [Lz [He Le]]]]].
        pose proof (cycles_longer _ _ (counted r) (Le b Hb)).
        pose proof (area_apart A z e Hz Lz He Le) as H1. split; [lia|]. intros E.
        pose proof (area_alone_apart A z e Hz Lz He Le E). lia.
      - destruct (rooms_of b Hb) as [HM HR].
        pose proof (never_full (S R) b A ltac:(lia) Hb) as [_ [H1 H2]].
        assert (M * R < length l) as Wl by (rewrite (length_l r kd); exact Waits).
        pose proof (area_least M R delta l HM HR Wl). split; [unfold tail_work in *; lia|].
        intros E. rewrite E in *. pose proof (area_alone_least M delta l HM ltac:(lia)).
        unfold together in H1. cbn [Nat.leb] in H1. lia. }
    unfold k_area. rewrite (length_l r kd). destruct (Nat.leb_spec (count r) (M * R)); [lia|].
    destruct (Nat.eqb_spec R 1) as [E|E]; [specialize (H2 E); lia|exact H1].
  Qed.

  (** *** K-BAL *)
  Theorem k_bal_apart b : b < count r -> real (fin r b) <= k_bal M R delta l + 2 * v.
  Proof.
    intros Hb. destruct (on_some b Hb) as [HM _]. unfold k_bal.
    rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits). cbn [orb].
    destruct (Nat.eqb_spec M 1) as [E|E].
    - unfold k_sm. rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits).
      pose proof (k_sm_apart b Hb). lia.
    - assert (exists n, R <= n <= count r - (M - 1) * R
        /\ real (fin r b) <= balance M R delta l n + 2 * v) as [n [Hn H]].
      { destruct (taken_or_early r M R Dyn) as [A|A].
        - destruct last_two as [z [e [Hz [Lz [He Le]]]]].
          destruct (balance_apart A z e Hz Lz He Le ltac:(lia)) as [n [Hn H]]. exists n.
          split; [exact Hn|].
          pose proof (cycles_longer _ _ (counted r) (Le b Hb)). lia.
        - exists (S R). split; [nia|].
          destruct (rooms_of b Hb) as [_ HR].
          pose proof (never_full (S R) b A ltac:(lia) Hb) as [H1 [H2 _]].
          assert (R <= share_left M l (S R)) as Hq.
          { unfold share_left. rewrite (length_l r kd). apply Nat.div_le_lower_bound; [lia|]. nia. }
          pose proof (g_least r M R delta kd Waits _ Hq ltac:(lia)). unfold balance. lia. }
      etransitivity; [exact H|]. apply Nat.add_le_mono_r.
      apply list_max_ge, in_map, in_seq. nia.
  Qed.
End Apart.

(** ** SMs that count the same cycles, from the ledger of a grid *)

Lemma apart_none r M R delta kd : ledger r M R delta kd ->
  apart r M R delta 0 kd (fun _ => r) (fun _ x => x).
Proof.
  intros Lg. split; auto; try solve [intros; lia].
  - apply (l_sm _ _ _ _ _ Lg).
  - intros b Hb. pose proof (l_disp _ _ _ _ _ Lg b Hb). lia.
  - intros i k x _ C Hk. exists k. auto.
Qed.

(** *** Theorem 6 (K-AREA) *)
Theorem k_area_bound r M R delta kd : ledger r M R delta kd -> dynamic r M R -> M * R < count r ->
  forall b, b < count r -> cycles (fin r b) (counted r) <= k_area M R delta (map kd (all r)).
Proof.
  intros Lg Dyn W b Hb.
  pose proof (k_area_apart r M R delta 0 kd _ _ (apart_none r M R delta kd Lg) Dyn W b Hb). lia.
Qed.

(** *** Theorem 7 (K-BAL) *)
Theorem k_bal_bound r M R delta kd : ledger r M R delta kd -> dynamic r M R -> M * R < count r ->
  forall b, b < count r -> cycles (fin r b) (counted r) <= k_bal M R delta (map kd (all r)).
Proof.
  intros Lg Dyn W b Hb.
  pose proof (k_bal_apart r M R delta 0 kd _ _ (apart_none r M R delta kd Lg) Dyn W b Hb). lia.
Qed.
