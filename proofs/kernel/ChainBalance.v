(** * K-CHAIN-BAL (docs/sub-core-bounds.md, theorem 4), with K-BAL of docs/proofs.md

    The least of all formulas is taken for an SM, for another one until the last dispatch, and for
    what follows: K-SM's, and those of chains with each of several views of the thread blocks (fine
    and coarse sums). *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Ledger Tail OneSm
  Dynamic Area Balance ChainSm ChainDispatch.

(** g'(q) and its [f] - 1 dispatch latencies, and that of what follows. *)
Definition chain_other (R delta q : nat) (l : list chain_kind) : nat :=
  busy_with ((R - 1) * (q / R * turns l - 1)) q q l + owned (q / R) l + q / R * delta.

(** The least of [x] and of what each view says. *)
Definition best (f : list chain_kind -> nat) (ls : list (list chain_kind)) (x : nat) : nat :=
  fold_right (fun l a => min (f l) a) x ls.

Lemma best_ge f ls x v : v <= x -> (forall l, In l ls -> v <= f l) -> v <= best f ls x.
Proof.
  intros Hx H. induction ls as [|l ls IH]; [exact Hx|]. cbn [best fold_right]. fold (best f ls x).
  specialize (IH ltac:(intros; apply H; right; assumption)). specialize (H l (or_introl eq_refl)).
  lia.
Qed.

(** The least bound of one SM. *)
Definition best_sm (R delta n : nat) (k : list kind) ls : nat :=
  best (chain_sm R delta n) ls (h R delta n k).
(** The least bound of a tail. *)
Definition best_tail (R : nat) (k : list kind) ls : nat :=
  best (chain_together R) ls (together R k).

(** The less of what one SM and what the others take. *)
Definition balance_both (M R delta : nat) (k : list kind) ls (n : nat) : nat :=
  min (best_sm R delta n k ls)
      (best (chain_other R delta (share_left M k n)) ls (g R delta (share_left M k n) k)
        + best_tail R k ls).

(** The least of K-SM and K-CHAIN; K-CHAIN-BAL. *)
Definition k_chain_least (M R delta : nat) (k : list kind) ls : nat :=
  best (k_chain M R delta) ls (k_sm M R delta k).

(** K-CHAIN-BAL. *)
Definition k_chain_bal (M R delta : nat) (k : list kind) ls : nat :=
  if (length k <=? M * R) || (M =? 1) then k_chain_least M R delta k ls
  else list_max (map (balance_both M R delta k ls) (seq R (length k - M * R + 1))).

Section Balance.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind) (views : list (nat -> chain_kind)).
  Hypothesis Lk : ledger r M R delta kd.
  Hypothesis Lv : forall ck, In ck views -> ledger r M R delta (fun b => plain (ck b)) /\
    chains r M R delta ck.
  Notation cnted := (counted r).
  Notation k := (map kd (all r)).
  Notation ls := (map (fun ck => map ck (all r)) views).
  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).

  Lemma view_ge f x v : v <= x -> (forall ck, In ck views -> v <= f (map ck (all r))) ->
    v <= best f ls x.
  Proof.
    intros Hx H. apply best_ge; [exact Hx|]. intros l Hl. apply in_map_iff in Hl as [ck [<- Hc]].
    apply H, Hc.
  Qed.

  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Hypothesis Lb : forall c, c < count r -> fin r c <= fin r b.
    Hypothesis A : all_taken r M R.
    Notation t1 := (disp r z).
    Notation in_room j q := (in_room r j q).

    Lemma taken_rooms j : j < M -> forall q, q < R -> exists c, In c (on_sm r j) /\ room r c = q.
    Proof. intros Hj q Hq. apply A; assumption. Qed.

    (** What [t1] is at most, by the last thread block of any slot. *)
    Lemma slot_last j q : j < M -> q < R -> exists c, In c (in_room j q) /\
      cycles t1 cnted <= cycles (min t1 (fin r c)) cnted.
    Proof.
      intros Hj Hq. destruct (A j q Hj Hq) as [c0 [Hc0 Hr0]].
      destruct (exists_max (fin r) (in_room j q)) as [c [Hc Mx]].
      { intros E. assert (In c0 (in_room j q)) as X by (apply in_room_iff; auto). rewrite E in X.
        easy. }
      exists c. split; [exact Hc|]. etransitivity; [|apply (cycles_cut t1)]. apply cycles_le.
      intros t Ht C. rewrite C. apply Nat.ltb_lt. apply Nat.min_glb_lt; [exact Ht|].
      destruct (Dyn z t j q Hz C Ht Hj Hq) as [d [Hd [Hs [Hr Hh]]]].
      specialize (Mx d ltac:(apply in_room_iff; split; [apply in_on_sm; auto|exact Hr])).
      unfold holds in Hh. rewrite andb_true_iff, Nat.ltb_lt in Hh. lia.
    Qed.

    (** Until [t1] a slot of another SM is taken, by the share of its thread blocks at most. *)
    Lemma until_chain ck j q : In ck views -> j < M -> length (on_sm r j) <= q ->
      cycles t1 cnted + delta <= chain_other R delta q (map ck (all r)).
    Proof.
      intros Hv Hj Hq. destruct (Lv ck Hv) as [Lg Ch]. pose proof (l_room _ _ _ _ _ Lg b Hb) as HR.
      assert (forall c, In c (on_sm r j) -> room r c < R) as Rm.
      { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r j c Hc). }
      destruct (pigeonhole (room r) R (on_sm r j) ltac:(lia) Rm) as [p [Hp Lp]].
      fold (in_room j p) in Lp. set (f := q / R).
      assert (length (in_room j p) <= f) as Lf
        by (etransitivity; [exact Lp|apply Nat.div_le_mono; lia]).
      destruct (slot_last j p Hj Hp) as [c [Hc Hm]].
      destruct (c_slot _ _ _ _ _ Ch j p (in_room j p) c (min t1 (fin r c)) Hj Hp
        (whole_room r j p) Hc ltac:(lia)) as [n0 [T B]].
      pose proof (room_turns r M R delta ck Ch j (all r) (on_sm_all r j) p) as Tu.
      pose proof (room_busy r M R delta ck Ch j Hj (all r) (on_sm_all r j) (all_nodup r) p n0
        ((R - 1) * (f * turns (map ck (all r)) - 1)) q Hq) as Q.
      assert (sum n0 (rest r j (in_room j p)) <= (R - 1) * (f * turns (map ck (all r)) - 1)) as B'.
      { etransitivity; [exact B|]. apply Nat.mul_le_mono_l.
        pose proof (Nat.mul_le_mono_r _ _ (turns (map ck (all r))) Lf). lia. }
      specialize (Q B'). pose proof (room_delays r R delta j (taken_rooms j Hj) p Hp) as Dl.
      pose proof (room_owned r ck j (all r) (on_sm_all r j) p f Lf) as Ow.
      assert (1 <= length (in_room j p)) as L1 by (destruct (in_room j p); [easy|cbn; lia]).
      pose proof (Nat.mul_le_mono_r (S (length (in_room j p) - 1)) f delta ltac:(lia)).
      unfold chain_other. fold f. lia.
    Qed.

    Lemma tail_least : cycles (fin r b) (behind r t1 b) <= delta + best_tail R k ls.
    Proof.
      pose proof (behind_together r M R delta kd Lk z b Lz Hb) as H1.
      pose proof (l_sm _ _ _ _ _ Lk b Hb) as Hi. pose proof (l_room _ _ _ _ _ Lk b Hb) as HR.
      assert (In b (on_sm r (sm r b))) as Bh by (apply in_on_sm; auto).
      enough (cycles (fin r b) (behind r t1 b) - delta <= best_tail R k ls) by lia.
      apply view_ge; [lia|]. intros ck Hv. destruct (Lv ck Hv) as [Lg Ch].
      pose proof (chain_tail r M R delta ck Lg Ch (sm r b) Hi (all r) (on_sm_all r _) (all_nodup r)
        t1 b R Bh ltac:(intros c Hc; apply Lz, (here_sm r _ c Hc)) ltac:(lia) (or_introl (le_n _)))
        as H2. pose proof (delay_le r delta b). lia.
    Qed.

    Lemma balance_chains : 2 <= M -> exists n, R <= n <= count r - (M - 1) * R
      /\ cycles (fin r b) cnted <= balance_both M R delta k ls n.
    Proof.
      intros HM. set (i := sm r b). pose proof (l_sm _ _ _ _ _ Lk b Hb) as Hi. fold i in Hi.
      set (n := length (on_sm r i)). exists n.
      split; [split; [apply (full_sm r M R i A Hi)|]|].
      { apply (most_blocks r M R (l_sm _ _ _ _ _ Lk) i A Hi). }
      assert (In b (on_sm r i)) as Bh by (apply in_on_sm; auto).
      assert (forall c, In c (on_sm r i) -> fin r c <= fin r b) as Lh
        by (intros c Hc; apply Lb, (here_sm r i c Hc)). unfold balance_both. apply Nat.min_glb.
      - pose proof (sm_delays r M R delta kd Lk i (fun q Hq => A i q Hi Hq)) as D. fold n in D.
        pose proof (sum_ge (delay r delta) b (on_sm r i) Bh) as G.
        assert (n <= R -> delay r delta b = 0) as D0.
        { intros Le. assert (n * delta <= R * delta) by (apply Nat.mul_le_mono_r, Le). lia. }
        apply view_ge.
        + destruct (le_lt_dec n R) as [Le|Lt].
          * pose proof (sm_fits r M R delta kd Lk i (all r) (on_sm_all r i) b Bh n (le_n _) Le)
              as H1. specialize (D0 Le). unfold h. rewrite (proj2 (Nat.leb_le _ _) Le). lia.
          * apply (sm_waits r M R delta kd Lk i (all r) (on_sm_all r i) b Bh); auto.
        + intros ck Hv. destruct (Lv ck Hv) as [Lg Ch]. destruct (le_lt_dec n R) as [Le|Lt].
          * pose proof (chain_fits r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) (all_nodup r) b
              Bh n (le_n _) Le) as H2. specialize (D0 Le). unfold chain_sm.
            rewrite (proj2 (Nat.leb_le _ _) Le). lia.
          * apply (chain_sm_bound r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) (all_nodup r)
              b); auto.
      - destruct (other_sm r M kd (l_sm _ _ _ _ _ Lk) i n Hi HM eq_refl) as [j [Hj [_ Lj]]].
        pose proof (until_t1 r M R delta kd Lk Dyn Waits z b Hz Hb Lb j _ Hj Lj A) as H1.
        pose proof (view_ge (chain_other R delta (share_left M k n)) _ (cycles t1 cnted + delta) H1
          (fun ck Hv => until_chain ck j _ Hv Hj Lj)) as H3. pose proof tail_least as H2.
        pose proof (before_behind r M R Waits z b Hz Lz Hb) as H0.
        assert (cycles (fin r b) (fun t => cnted t && (t <? t1)) <= cycles t1 cnted) as H4;
          [apply cycles_cut|lia].
    Qed.
  End Ends.

  Lemma least_dynamic b : b < count r -> cycles (fin r b) cnted <= k_chain_least M R delta k ls.
  Proof.
    intros Hb. apply view_ge.
    - unfold k_sm. rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits).
      apply (k_sm_dynamic r M R delta kd Lk Dyn Waits b Hb).
    - intros ck Hv. destruct (Lv ck Hv) as [Lg Ch]. unfold k_chain. rewrite map_length.
      replace (length (all r)) with (count r) by (symmetry; apply seq_length).
      rewrite (proj2 (Nat.leb_gt _ _) Waits).
      apply (k_chain_dynamic r M R delta ck Lg Ch Dyn Waits b Hb).
  Qed.

  (** Where some slot is never taken. *)
  Lemma never_full b : b < count r -> early r -> cycles (fin r b) cnted <= delta + best_tail R k ls.
  Proof.
    intros Hb A. assert (In b (on_sm r (sm r b))) as Hi by (apply in_on_sm; auto).
    destruct (last_of r (sm r b)) as [c [Hc Hl]]; [intros X; rewrite X in Hi; easy|].
    pose proof (cycles_longer (fin r b) (fin r c) cnted (Hl b Hi)).
    destruct (sm_never_full r M R delta kd Lk _ (all r) (on_sm_all r _) c Hc (S R)
      (early_here r _ A) (le_n _)) as [_ [H2 _]].
    enough (cycles (fin r b) cnted - delta <= best_tail R k ls) by lia. apply view_ge; [lia|].
    intros ck Hv. destruct (Lv ck Hv) as [Lg Ch].
    pose proof (chain_never_full r M R delta ck Lg Ch _ (l_sm _ _ _ _ _ Lk b Hb) (all r)
      (on_sm_all r _) (all_nodup r) c Hc (early_here r _ A)). lia.
  Qed.

  (** *** Theorem 4 (K-CHAIN-BAL) *)
  Theorem k_chain_bal_bound b : b < count r -> cycles (fin r b) cnted <= k_chain_bal M R delta k ls.
  Proof.
    intros Hb. pose proof (l_sm _ _ _ _ _ Lk b Hb) as HM.
    pose proof (l_room _ _ _ _ _ Lk b Hb) as HR. unfold k_chain_bal.
    rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits). cbn [orb].
    destruct (Nat.eqb_spec M 1) as [E|E]; [apply least_dynamic, Hb|].
    assert (exists n, R <= n <= count r - (M - 1) * R /\ cycles (fin r b) cnted
      <= balance_both M R delta k ls n) as [n [Hn H]].
    - destruct (taken_or_early r M R Dyn) as [A|A].
      + destruct (exists_max (fin r) (all r)) as [e [He Le]].
        { unfold all. destruct (count r); [lia|discriminate]. }
        apply in_all in He.
        pose proof (cycles_longer (fin r b) (fin r e) cnted ltac:(apply Le, in_all, Hb)) as Hlong.
        destruct (last_of_all r M R Waits) as [z [Hz Lz]].
        destruct (balance_chains z e Hz Lz He ltac:(intros; apply Le, in_all; assumption) A
          ltac:(lia)) as [n [Hn H]]. exists n. split; [exact Hn|]. lia.
      + exists (S R). split; [nia|].
        assert (R <= share_left M k (S R)) as Hq.
        { unfold share_left. rewrite (length_l r kd). apply Nat.div_le_lower_bound; [lia|]. nia. }
        pose proof (never_full b Hb A) as H1.
        assert (In b (on_sm r (sm r b))) as Hi by (apply in_on_sm; auto).
        destruct (last_of r (sm r b)) as [c [Hc Hl]]; [intros X; rewrite X in Hi; easy|].
        pose proof (cycles_longer (fin r b) (fin r c) cnted (Hl b Hi)) as Hlong.
        unfold balance_both, best_sm. apply Nat.min_glb.
        * apply view_ge.
          -- destruct (sm_never_full r M R delta kd Lk _ (all r) (on_sm_all r _) c Hc (S R)
               (early_here r _ A) (le_n _)) as [H2 _]. lia.
          -- intros ck Hv. destruct (Lv ck Hv) as [Lg Ch].
             pose proof (chain_never_full r M R delta ck Lg Ch _ HM (all r) (on_sm_all r _)
               (all_nodup r) c Hc (early_here r _ A)).
             pose proof (together_sm r M R delta ck Lg Ch _ HM (all r) (on_sm_all r _) c Hc (S R)
               (le_n _)). lia.
        * assert (delta <= best (chain_other R delta (share_left M k (S R))) ls
            (g R delta (share_left M k (S R)) k)); [|lia].
          apply view_ge; [apply (g_least r M R delta kd Waits _ Hq ltac:(lia))|]. intros ck _.
          unfold chain_other.
          assert (1 <= share_left M k (S R) / R) by (apply Nat.div_le_lower_bound; lia).
          pose proof (Nat.mul_le_mono_r 1 (share_left M k (S R) / R) delta ltac:(lia)). lia.
    - etransitivity; [exact H|]. apply list_max_ge, in_map, in_seq. nia.
  Qed.
End Balance.
