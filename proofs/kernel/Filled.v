(** * An SM whose slots are all taken until some time: what K-AREA and K-BAL say of it

    docs/proofs.md, theorems 6 and 7, of one SM, from the ledger. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm.

Section Filled.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation l := (map kd (all r)).
  Variables (i t1 : nat).
  Notation here := (on_sm r i).
  Notation before := (fun t => cnted t && (t <? t1)).
  Hypothesis Full : forall t q, cnted t = true -> t < t1 -> q < R ->
    exists c, In c here /\ room r c = q /\ holds r c t = true.

  Lemma here_all : incl here (all r).
  Proof. intros c Hc. apply filter_In in Hc. tauto. Qed.

  Lemma rooms_taken t : before t = true -> R <= sum (fun c => Nat.b2n (holds r c t)) here.
  Proof.
    intros P. apply andb_prop in P as [C P]. apply Nat.ltb_lt in P.
    rewrite <- length_sum. rewrite <- (seq_length R 0), <- (map_length (room r) (filter _ _)).
    apply NoDup_incl_length; [apply seq_NoDup|]. intros q Hq. apply in_seq in Hq.
    destruct (Full t q C P ltac:(lia)) as [c [Hc [<- Hh]]]. apply in_map, filter_In. auto.
  Qed.

  (** ** Until [N], with cycles from [t1] on in which some thread block is there *)
  Section Behind.
    Variables (N : nat) (more : nat -> bool).
    Hypothesis More : forall t, more t = true -> cnted t = true /\ t1 <= t /\
      exists b, In b here /\ holds r b t = true.

    Lemma slots_idle : R * cycles N (fun t => before t && negb (busy r i t))
      + cycles N (fun t => more t && negb (busy r i t))
      <= sum (fun c => delay r delta c + kL (kd c)) here.
    Proof.
      set (pass := fun c t => cnted t && passing r c t).
      set (wait := fun c t => cnted t && stays r c t && negb (busy r (sm r c) t)).
      transitivity (sum (fun c => cycles N (pass c) + cycles N (wait c)) here).
      - unfold cycles. rewrite <- sum_scale, <- sum_add.
        transitivity (sum (fun c => sum (fun t => Nat.b2n (pass c t) + Nat.b2n (wait c t))
          (seq 0 N)) here); [|apply sum_le; intros c _; rewrite sum_add; apply le_n].
        rewrite <- (sum_swap (fun t c => Nat.b2n (pass c t) + Nat.b2n (wait c t))). apply sum_le.
        intros t _. assert (forall c, In c here -> cnted t = true -> busy r i t = false ->
          holds r c t = true -> 1 <= Nat.b2n (pass c t) + Nat.b2n (wait c t)) as One.
        { intros c Hc C Bz Hh. unfold pass, wait. rewrite (proj2 (here_sm r i c Hc)), C, Bz.
          destruct (holds_split r c t Hh) as [->| ->]; cbn; lia. }
        destruct (more t) eqn:Q; cbn [andb].
        + destruct (More t Q) as [C [Ht [b [Hb Hh]]]].
          rewrite C, (proj2 (Nat.ltb_ge _ _)) by exact Ht.
          rewrite Nat.mul_0_r. destruct (busy r i t) eqn:Bz; cbn [negb Nat.b2n Nat.add]; [lia|].
          etransitivity; [apply (One b Hb C eq_refl Hh)|].
          apply (sum_ge (fun c => Nat.b2n (pass c t) + Nat.b2n (wait c t)) b), Hb.
        + destruct (before t && negb (busy r i t)) eqn:P; cbn [Nat.b2n]; [|lia].
          apply andb_prop in P as [P Bz]. apply negb_true_iff in Bz.
          pose proof (rooms_taken t P) as Rt. apply andb_prop in P as [C P].
          rewrite Nat.mul_1_r, Nat.add_0_r. etransitivity; [exact Rt|]. apply sum_le. intros c Hc.
          destruct (holds r c t) eqn:Hh; cbn [Nat.b2n]; [apply One; auto|lia].
      - apply sum_le. intros c Hc. destruct (here_sm r i c Hc) as [Hc' _].
        apply Nat.add_le_mono; [apply (l_delay _ _ _ _ _ Lg)|apply (l_idle _ _ _ _ _ Lg)];
          exact Hc'.
    Qed.

    Lemma slots_busy : cycles N (fun t => before t && busy r i t)
      + cycles N (fun t => more t && busy r i t) <= sum (fun c => kE (kd c)) here.
    Proof.
      transitivity (sum (fun c => work r N (fun _ => true) c) here).
      - unfold work, cycles. rewrite <- sum_swap, <- sum_add. apply sum_le. intros t _.
        pose proof (busy_paid r i t) as P.
        destruct (busy r i t); rewrite ?andb_true_r, ?andb_false_r; [specialize (P eq_refl)|cbn;
          lia].
        destruct (more t) eqn:Q; cbn [Nat.b2n].
        + destruct (More t Q) as [_ [Ht _]]. rewrite (proj2 (Nat.ltb_ge _ _)) by exact Ht.
          rewrite andb_false_r. cbn. lia.
        + destruct (cnted t), (t <? t1); cbn; lia.
      - apply sum_le. intros c Hc. apply (work_budget r M R delta kd Lg), (here_sm r i c Hc).
    Qed.

    (** One slot: what its thread blocks hold it. *)
    Lemma slots_alone : R = 1 -> cycles N before + cycles N more
      <= sum (fun c => delay r delta c + kS (kd c)) here.
    Proof.
      intros E. transitivity (cycles N (fun t => before t || more t)).
      - unfold cycles. rewrite <- sum_add. apply sum_le. intros t _.
        destruct (more t) eqn:Q; [|rewrite orb_false_r; cbn; lia].
        destruct (More t Q) as [_ [Ht _]]. rewrite (proj2 (Nat.ltb_ge _ _)) by exact Ht.
        rewrite andb_false_r. cbn. lia.
      - pose proof (cover_sum r M R delta kd Lg i here (here_sm r i) N (fun c => kS (kd c))) as C.
        etransitivity; [|apply C].
        + apply cycles_le. intros t _ P. apply orb_prop in P as [P|P].
          * pose proof (rooms_taken t P) as Rt. rewrite E in Rt.
            apply andb_prop in P as [-> P]. apply existsb_exists. rewrite <- length_sum in Rt.
            destruct (filter _ _) as [|c k] eqn:F in Rt; [cbn in Rt; lia|]. exists c.
            apply (filter_In (fun x => holds r x t)). rewrite F. left. reflexivity.
          * destruct (More t P) as [-> [_ [b [Hb Hh]]]]. apply (covers_in r _ b); assumption.
        + intros c Hc. apply (l_solo _ _ _ _ _ Lg); [apply (here_sm r i c Hc)|].
          apply (alone_here r M R delta kd Lg i c Hc). left. exact E.
    Qed.
  End Behind.

  (** ** Every slot gets a thread block *)
  Hypothesis Used : forall q, q < R -> exists c, In c here /\ room r c = q.

  (** All but the first of each slot pass a delta. *)
  Lemma sm_delays : sum (delay r delta) here + R * delta <= length here * delta.
  Proof.
    assert (forall c, In c here -> room r c < R) as Rm.
    { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r i c Hc). }
    rewrite <- (sum_by_slot _ (room r) R _ Rm), <- (length_by_slot (room r) R _ Rm), Nat.mul_comm.
    rewrite <- (seq_length R 0) at 2.
    rewrite (Nat.mul_comm delta), <- (sum_same delta (seq 0 R)), <- sum_add.
    rewrite Nat.mul_comm, <- sum_scale. apply sum_le. intros q Hq. apply in_seq in Hq.
    destruct (Used q ltac:(lia)) as [c [Hc Hr]].
    set (F := filter (fun c => room r c =? q) here).
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

  (** Until [t1] one slot is taken by its share of [q] thread blocks at most, which end by [K]. *)
  Lemma full_until q K : 1 <= R -> length here <= q -> t1 <= K ->
    (forall c, In c here -> fin r c <= K) -> cycles t1 cnted + delta <= g R delta q l.
  Proof.
    intros HR Hq HK Hf.
    assert (forall c, In c here -> room r c < R) as Rm.
    { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r i c Hc). }
    destruct (pigeonhole (room r) R here HR Rm) as [p [Hp Lp]].
    set (F := filter (fun c => room r c =? p) here) in *. set (f := q / R).
    assert (length F <= f) as Lf by (etransitivity; [exact Lp|apply Nat.div_le_mono; lia]).
    assert (incl F here) as F2 by (intros c Hc; apply filter_In in Hc; tauto).
    assert (NoDup F) as F3 by apply NoDup_filter, nodup_on_sm.
    assert (forall c, In c F -> room r c = p) as F4.
    { intros c Hc. apply filter_In in Hc as [_ Hc]. apply Nat.eqb_eq, Hc. }
    assert (F <> []) as Ne.
    { destruct (Used p Hp) as [c [Hc Hr]]. intros E.
      assert (In c F) as X by (apply filter_In; split; [exact Hc|apply Nat.eqb_eq, Hr]).
      rewrite E in X. easy. }
    assert (forall c d, In c F -> In d here -> room r d = p -> ord r d < ord r c -> In d F) as F5.
    { intros c d _ Hd Hr _. apply filter_In. split; [exact Hd|apply Nat.eqb_eq, Hr]. }
    assert (forall t, t < t1 -> cnted t = true -> covers r F t = true) as Cv.
    { intros t Ht C. destruct (Full t p C Ht Hp) as [c [Hc [Hr Hh]]].
      apply (covers_in r F c t); [|exact Hh]. apply filter_In. split; [exact Hc|].
      apply Nat.eqb_eq, Hr. }
    pose proof (slot_delays r delta i p F F2 F3 F4 F5 Ne) as Dl.
    pose proof (before_lam r M R delta kd Lg i (all r) here_all F F2 t1 q Hq Cv) as B1.
    assert (1 <= length F) as L1 by (destruct F; [easy|cbn; lia]).
    assert ((length F - 1) * delta + delta <= f * delta) as Df by nia.
    assert (length F * lam l <= f * lam l) by (apply Nat.mul_le_mono_r, Lf).
    assert (cycles t1 cnted <= sum (delay r delta) F
      + ((if R =? 1 then isolated f l else residencies f l) + most (q - f) l)) as B2.
    { destruct (Nat.eqb_spec R 1) as [E|E].
      - pose proof (before_alone r M R delta kd Lg i (all r) here_all F F2 F3 t1 q Hq Cv f E Lf).
        lia.
      - assert (f <= q) as Hfq by (unfold f; apply Nat.div_le_upper_bound; nia).
        pose proof (before_stays r M R delta kd Lg i (all r) here_all p F F2 F3 F4 t1 q Hq
          Cv K f HK ltac:(intros c Hc; apply Hf, F2, Hc) Lf Hfq). lia. }
    unfold g, W. fold f. lia.
  Qed.

  (** ** [b] is there from [t1] on, when no others come *)
  Section Tail.
    Variable b : nat.
    Hypotheses (Hb : In b here) (Late : forall c, In c here -> disp r c <= t1).

    Lemma there_more t : behind r t1 b t = true -> cnted t = true /\ t1 <= t /\
      exists c, In c here /\ holds r c t = true.
    Proof. unfold behind. rewrite !andb_true_iff, Nat.leb_le. intros [[H1 H2] H3]. eauto. Qed.

    Lemma there_idle N :
      cycles N (fun t => behind r t1 b t && negb (busy r i t)) <= delta + lam l.
    Proof.
      pose proof (idle_paid r M R delta kd Lg i [b] ltac:(intros ? [<-|[]]; apply here_sm, Hb) N
        (fun t => behind r t1 b t && negb (busy r i t))) as H.
      rewrite sum_cons in H. cbn [sum map list_sum fold_right] in H. rewrite Nat.add_0_r in H.
      pose proof (delay_le r delta b). pose proof (lam_ge kd (all r) b (here_all b Hb)).
      assert (sum (work r N (fun t => behind r t1 b t && negb (busy r i t))) here = 0) as Z.
      { apply sum_zero. intros c Hc. apply sum_zero. intros t _.
        destruct (busy r i t) eqn:Bz; [rewrite andb_false_r; reflexivity|].
        destruct (Nat.eq_dec (wt r c t) 0) as [->|N0]; [destruct (_ && _); reflexivity|exfalso].
        enough (busy r i t = true) by congruence. apply existsb_exists. exists c.
        split; [exact Hc|]. apply negb_true_iff, Nat.eqb_neq, N0. }
      rewrite Z in H. etransitivity; [apply H|lia].
      intros t _ P. apply andb_prop in P as [P _]. unfold behind in P. rewrite !andb_true_iff in P.
      destruct P as [[-> P] _]. split; [reflexivity|]. cbn. rewrite P. reflexivity.
    Qed.

    Lemma there_most N : cycles N (fun t => behind r t1 b t && busy r i t) <= most R l.
    Proof.
      etransitivity; [apply (cycles_sum N _ (fun t c => if behind r t1 b t then wt r c t else 0)
        here)|].
      - intros t _ P. apply andb_prop in P as [-> P]. apply busy_paid, P.
      - etransitivity; [apply (work_present r M R delta kd Lg i t1 b Late N)|].
        apply (most_ge kd (all r)); [apply nodup_present| |apply (present_rooms r M R delta kd Lg)].
        intros c Hc. apply here_all, (present_here r i t1 c Hc).
    Qed.

    Lemma there_together N : fin r b <= N -> 1 <= R ->
      cycles N (behind r t1 b) <= delta + together R l.
    Proof.
      intros HN HR. pose proof (tail r M R delta kd Lg i (all r) here_all t1 b Late Hb N R HN HR
        (or_introl (le_n _))). pose proof (delay_le r delta b). lia.
    Qed.
  End Tail.
End Filled.
