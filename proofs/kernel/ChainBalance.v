(** * K-CHAIN-BAL (docs/sub-core-bounds.md, theorem 4), with K-BAL of docs/proofs.md

    The least of both pages' formulas is taken for an SM, for another one until the last dispatch, and for
    what follows: [kd] and [ck] are two views of the same thread blocks. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share Formulas ChainFormulas Ledger Tail OneSm Dynamic Area Balance ChainSm ChainDispatch.
Import ListNotations.

(** g'(q) and its [f] - 1 dispatch latencies, and that of what follows. *)
Definition chain_other (R delta q : nat) (l : list chain_kind) : nat :=
  busy_with ((R - 1) * (q / R * turns l - 1)) q q l + owned (q / R) l + q / R * delta.

Definition tail_both (R : nat) (k : list kind) (l : list chain_kind) : nat := min (together R k) (chain_together R l).

Definition balance_both (M R delta : nat) (k : list kind) (l : list chain_kind) (n : nat) : nat :=
  min (min (h R delta n k) (chain_sm R delta n l))
      (min (g R delta (share_left M k n) k) (chain_other R delta (share_left M k n) l) + tail_both R k l).

Definition k_chain_bal (M R delta : nat) (k : list kind) (l : list chain_kind) : nat :=
  if (length l <=? M * R) || (M =? 1) then min (k_sm M R delta k) (k_chain M R delta l)
  else list_max (map (balance_both M R delta k l) (seq R (length l - M * R + 1))).

Section Balance.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind) (ck : nat -> chain_kind).
  Hypothesis Lk : ledger r M R delta kd.
  Hypothesis Lg : ledger r M R delta (fun b => plain (ck b)).
  Hypothesis Ch : chains r M R delta ck.
  Notation cnted := (counted r).
  Notation k := (map kd (all r)).
  Notation l := (map ck (all r)).
  Hypothesis Dyn : dynamic r M R.
  Hypothesis Waits : M * R < count r.

  Lemma length_chains : length l = count r.
  Proof. rewrite map_length. apply seq_length. Qed.

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
    Lemma slot_last j q : j < M -> q < R -> exists c, In c (in_room j q) /\ cycles t1 cnted <= cycles (min t1 (fin r c)) cnted.
    Proof.
      intros Hj Hq. destruct (A j q Hj Hq) as [c0 [Hc0 Hr0]].
      destruct (exists_max (fin r) (in_room j q)) as [c [Hc Mx]].
      { intros E. assert (In c0 (in_room j q)) as X by (apply in_room_iff; auto). rewrite E in X. easy. }
      exists c. split; [exact Hc|]. etransitivity; [|apply (cycles_cut t1)]. apply cycles_le. intros t Ht C. rewrite C.
      apply Nat.ltb_lt. apply Nat.min_glb_lt; [exact Ht|].
      destruct (Dyn z t j q Hz C Ht Hj Hq) as [d [Hd [Hs [Hr Hh]]]].
      specialize (Mx d ltac:(apply in_room_iff; split; [apply in_on_sm; auto|exact Hr])).
      unfold holds in Hh. rewrite andb_true_iff, Nat.ltb_lt in Hh. lia.
    Qed.

    (** Until [t1] a slot of another SM is taken, by the share of its thread blocks at most. *)
    Lemma until_chain j q : j < M -> length (on_sm r j) <= q ->
      cycles t1 cnted + delta <= chain_other R delta q l.
    Proof.
      intros Hj Hq. pose proof (l_room _ _ _ _ _ Lg b Hb) as HR.
      assert (forall c, In c (on_sm r j) -> room r c < R) as Rm.
      { intros c Hc. apply (l_room _ _ _ _ _ Lg), (here_sm r j c Hc). }
      destruct (pigeonhole (room r) R (on_sm r j) ltac:(lia) Rm) as [p [Hp Lp]]. fold (in_room j p) in Lp.
      set (f := q / R). assert (length (in_room j p) <= f) as Lf by (etransitivity; [exact Lp|apply Nat.div_le_mono; lia]).
      destruct (slot_last j p Hj Hp) as [c [Hc Hm]].
      destruct (c_slot _ _ _ _ _ Ch j p (in_room j p) c (min t1 (fin r c)) Hj Hp (whole_room r j p) Hc ltac:(lia)) as [n0 [T B]].
      pose proof (room_turns r M R delta ck Ch j (all r) (on_sm_all r j) p) as Tu.
      pose proof (room_busy r M R delta ck Ch j Hj (all r) (on_sm_all r j) (all_nodup r) p n0
        ((R - 1) * (f * turns l - 1)) q Hq) as Q.
      assert (sum n0 (rest r j (in_room j p)) <= (R - 1) * (f * turns l - 1)) as B'.
      { etransitivity; [exact B|]. apply Nat.mul_le_mono_l. pose proof (Nat.mul_le_mono_r _ _ (turns l) Lf). lia. }
      specialize (Q B').
      pose proof (room_delays r R delta j (taken_rooms j Hj) p Hp) as Dl.
      pose proof (room_owned r ck j (all r) (on_sm_all r j) p f Lf) as Ow.
      assert (1 <= length (in_room j p)) as L1 by (destruct (in_room j p); [easy|cbn; lia]).
      pose proof (Nat.mul_le_mono_r (S (length (in_room j p) - 1)) f delta ltac:(lia)). unfold chain_other. fold f. lia.
    Qed.

    Lemma tail_least : cycles (fin r b) (behind r t1 b) <= delta + tail_both R k l.
    Proof.
      pose proof (behind_together r M R delta kd Lk Waits z b Hz Lz Hb) as H1.
      pose proof (l_sm _ _ _ _ _ Lg b Hb) as Hi. pose proof (l_room _ _ _ _ _ Lg b Hb) as HR.
      assert (In b (on_sm r (sm r b))) as Bh by (apply in_on_sm; auto).
      pose proof (chain_tail r M R delta ck Lg Ch (sm r b) Hi (all r) (on_sm_all r _) (all_nodup r) t1 b R Bh
        ltac:(intros c Hc; apply Lz, (here_sm r _ c Hc)) ltac:(lia) (or_introl (le_n _))) as H2.
      pose proof (delay_le r delta b). unfold tail_both. lia.
    Qed.

    Lemma balance_chains : 2 <= M -> exists n, R <= n <= count r - (M - 1) * R
      /\ cycles (fin r b) cnted <= balance_both M R delta k l n.
    Proof.
      intros HM. set (i := sm r b). pose proof (l_sm _ _ _ _ _ Lg b Hb) as Hi. fold i in Hi.
      set (n := length (on_sm r i)). exists n.
      split; [split; [apply (full_sm r M R i A Hi)|apply (most_blocks r M R delta kd Lk i A Hi)]|].
      assert (In b (on_sm r i)) as Bh by (apply in_on_sm; auto).
      assert (forall c, In c (on_sm r i) -> fin r c <= fin r b) as Lh by (intros c Hc; apply Lb, (here_sm r i c Hc)).
      unfold balance_both. apply Nat.min_glb.
      - destruct (le_lt_dec n R) as [Le|Lt].
        + pose proof (sm_fits r M R delta kd Lk i (all r) (on_sm_all r i) b Bh n (le_n _) Le) as H1.
          pose proof (chain_fits r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) (all_nodup r) b Bh n (le_n _) Le) as H2.
          pose proof (sm_delays r M R delta kd Lk i (fun q Hq => A i q Hi Hq)) as D. fold n in D.
          pose proof (sum_ge (delay r delta) b (on_sm r i) Bh) as G.
          unfold h, chain_sm. rewrite (proj2 (Nat.leb_le _ _) Le).
          assert (n * delta <= R * delta) by (apply Nat.mul_le_mono_r, Le). lia.
        + apply Nat.min_glb.
          * apply (sm_waits r M R delta kd Lk i (all r) (on_sm_all r i) b Bh); auto.
          * apply (chain_sm_bound r M R delta ck Lg Ch i Hi (all r) (on_sm_all r i) (all_nodup r) b); auto.
      - destruct (other_sm r M R delta kd Lk Waits i n Hi HM eq_refl) as [j [Hj [_ Lj]]].
        pose proof (until_t1 r M R delta kd Lk Dyn Waits z b Hz Hb Lb j _ Hj Lj A) as H1.
        pose proof (until_chain j _ Hj Lj) as H3. pose proof tail_least as H2.
        pose proof (before_behind r M R Waits z b Hz Lz Hb) as H0.
        assert (cycles (fin r b) (fun t => cnted t && (t <? t1)) <= cycles t1 cnted) as H4; [apply cycles_cut|lia].
    Qed.
  End Ends.

  (** *** Theorem 4 (K-CHAIN-BAL) *)
  Theorem k_chain_bal_bound b : b < count r -> cycles (fin r b) cnted <= k_chain_bal M R delta k l.
  Proof.
    intros Hb. pose proof (l_sm _ _ _ _ _ Lg b Hb) as HM. pose proof (l_room _ _ _ _ _ Lg b Hb) as HR.
    unfold k_chain_bal. rewrite length_chains, (proj2 (Nat.leb_gt _ _) Waits). cbn [orb].
    destruct (Nat.eqb_spec M 1) as [E|E].
    - unfold k_sm, k_chain. rewrite (length_l r kd), length_chains, (proj2 (Nat.leb_gt _ _) Waits). apply Nat.min_glb.
      + apply (k_sm_dynamic r M R delta kd Lk Dyn Waits b Hb).
      + apply (k_chain_dynamic r M R delta ck Lg Ch Dyn Waits b Hb).
    - assert (exists n, R <= n <= count r - (M - 1) * R /\ cycles (fin r b) cnted <= balance_both M R delta k l n) as [n [Hn H]].
      + destruct (exists_max (fin r) (all r)) as [e [He Le]].
        { unfold all. destruct (count r); [lia|discriminate]. }
        apply in_all in He. pose proof (cycles_longer (fin r b) (fin r e) cnted ltac:(apply Le, in_all, Hb)) as Hlong.
        destruct (taken_or_early r M R Dyn) as [A|A].
        * destruct (last_of_all r M R Waits) as [z [Hz Lz]].
          destruct (balance_chains z e Hz Lz He ltac:(intros; apply Le, in_all; assumption) A ltac:(lia)) as [n [Hn H]].
          exists n. split; [exact Hn|]. lia.
        * exists (S R). split; [nia|].
          assert (In b (on_sm r (sm r b))) as Hi by (apply in_on_sm; auto).
          destruct (last_of r (sm r b)) as [c [Hc Hl]]; [intros X; rewrite X in Hi; easy|].
          pose proof (cycles_longer (fin r b) (fin r c) cnted (Hl b Hi)).
          destruct (sm_never_full r M R delta kd Lk _ (all r) (on_sm_all r _) c Hc (S R) (early_here r _ A) (le_n _))
            as [H1 [H2 _]].
          pose proof (chain_never_full r M R delta ck Lg Ch _ HM (all r) (on_sm_all r _) (all_nodup r) c Hc (early_here r _ A)) as H3.
          pose proof (together_sm r M R delta ck Lg Ch _ HM (all r) (on_sm_all r _) c Hc (S R) (le_n _)) as H4.
          assert (R <= share_left M k (S R)) as Hq.
          { unfold share_left. rewrite (length_l r kd). apply Nat.div_le_lower_bound; [lia|]. nia. }
          pose proof (g_least r M R delta kd Waits _ Hq ltac:(lia)) as H5.
          assert (delta <= chain_other R delta (share_left M k (S R)) l) as H6.
          { unfold chain_other. assert (1 <= share_left M k (S R) / R) by (apply Nat.div_le_lower_bound; lia).
            pose proof (Nat.mul_le_mono_r 1 (share_left M k (S R) / R) delta ltac:(lia)). lia. }
          unfold balance_both, tail_both. lia.
      + etransitivity; [exact H|]. apply list_max_ge, in_map, in_seq. nia.
  Qed.
End Balance.
