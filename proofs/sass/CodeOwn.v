(** * A warp's own graph: sections 2 and 3 of docs/machine-code-bounds.md

    The edges E1 to E7 of one section of one warp, and how late its events are, as a function of the
    cycles in which lemma 0 finds a holder. *)

From Warpbound Require Import Base Cycles CodeMachine CodeEnough CodeLate CodeReady CodeElb.

(** ** Who keeps a warp waiting *)

(** [y] holds, in [t], what [w] waits for: of another warp, the issue stage of [w]'s sub-core
    (not waiting for room), or a unit that [w] can reach; of [w] itself, a clash unit. *)
Definition hit (m : machine) (b : block) (s : schedule) (reach : nat -> bool) (w : nat) (y : key)
  (t : nat) : bool :=
  if fst y =? w
  then existsb (fun i => clash m (unit (st b y i)) && holds b s y i t) (seq 0 (stages b y))
  else ((core m (fst y) =? core m w) && issues s y t)
       || existsb (fun i => reach (unit (st b y i)) && holds b s y i t) (seq 0 (stages b y)).

(** What instructions of section [n] of [w] wait for is reached. *)
Definition reaches (m : machine) (b : block) (reach : nat -> bool) (w n : nat) : Prop :=
  (forall k i u v, at_stage b (w, k) i u -> sec (get b (w, k)) = n -> B m b u v -> reach v = true)
  /\ (forall v, feeds m b w v -> reach v = true).

(** What they wait for in a cycle [t] is reached then: a latch until they are issued. *)
Record reaches_at (m : machine) (b : block) (s : schedule) (reach : nat -> nat -> bool)
  (w n : nat) : Prop := {
  r_latch : forall k u v t, at_stage b (w, k) 0 u -> sec (get b (w, k)) = n ->
  latch m b (w, k) = true -> B m b u v ->
    t < I s (w, k) -> reach t v = true;
  r_stage : forall k i u v t, at_stage b (w, k) i u -> sec (get b (w, k)) = n ->
    (i = 0 -> latch m b (w, k) = false) -> B m b u v -> reach t v = true;
  r_feeds : forall v t, feeds m b w v -> reach t v = true }.

Lemma reaches_always m b s reach w n : reaches m b reach w n ->
  reaches_at m b s (fun _ => reach) w n.
Proof. intros [H1 H2]. split; intros; eauto. Qed.

(** ** The own graph *)

(** The path to the end of the last stage. *)
Definition iE (b : block) (iI : key -> nat) (iD : key -> nat -> nat) (x : key) : nat :=
  match stages b x with 0 => iI x | S p => iD x p + hold (st b x p) end.

(** [iP], [iI], [iD] are at least the lengths of the paths to the events of section [n] of [w],
    and [iso] that of the paths to its ends. *)
Record iso_cert (m : machine) (b : block) (w n : nat) (iP iI : key -> nat) (iD : key -> nat -> nat)
  (iso : nat) : Prop := {
  (* E1 *)
  i_pace : forall k, In (w, S k) (keys b) -> sec (get b (w, k)) = n -> sec (get b (w, S k)) = n ->
    iI (w, k) + max (max (stall (get b (w, k))) (slot (get b (w, k)))) (fetch (get b (w, S k)))
      <= iP (w, S k);
  i_fetch : In (w, 0) (keys b) -> sec (get b (w, 0)) = n -> fetch (get b (w, 0)) <= iP (w, 0);
  (* E2 *)
  i_operand : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = n ->
  iP (w, k) + operand (get b (w, k)) <= iI (w, k);
  i_first : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = n -> 1 <= stages b (w, k) ->
  iI (w, k) <= iD (w, k) 0;
  i_next : forall k i, In (w, k) (keys b) -> sec (get b (w, k)) = n -> S i < stages b (w, k) ->
    iD (w, k) i + hold (st b (w, k) i) + transfer (st b (w, k) i) <= iD (w, k) (S i);
  (* E3, E4 *)
  i_waits : forall k c l j, In (w, k) (keys b) -> sec (get b (w, k)) = n ->
  In (c, l) (waits (get b (w, k))) ->
    In j (awaited b w k c l) -> sec (get b (w, fst j)) = n -> iE b iI iD (w, fst j) + latency b w j
      <= iP (w, k);
  (* E5 *)
  i_queue : forall k o i u v, at_stage b (w, k) 0 u -> sec (get b (w, k)) = n ->
    latch m b (w, k) = true \/ queued m b (w, k) -> B m b u v ->
    o < k -> sec (get b (w, o)) = n -> at_stage b (w, o) i v -> iD (w, o) i + hold (st b (w, o) i)
      <= iP (w, k);
  (* E6 *)
  i_unit : forall k o i j u v, at_stage b (w, k) i u -> sec (get b (w, k)) = n ->
    (i = 0 -> latch m b (w, k) = false) -> B m b u v ->
    o < k -> sec (get b (w, o)) = n -> at_stage b (w, o) j v -> iD (w, o) j + hold (st b (w, o) j)
      <= iD (w, k) i;
  (* E7 *)
  i_full : forall k o i v, In (w, k) (keys b) -> sec (get b (w, k)) = n -> feeds m b w v ->
    o < k -> sec (get b (w, o)) = n -> at_stage b (w, o) i v -> iD (w, o) i + hold (st b (w, o) i)
      <= iP (w, k);
  (* ends *)
  i_end : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = n ->
    iE b iI iD (w, k) + max (write (get b (w, k))) (read (get b (w, k))) <= iso /\
    iI (w, k) + slot (get b (w, k)) <= iso;
  i_barrier : forall k, In (w, k) (keys b) -> sec (get b (w, k)) = n -> bar (get b (w, k)) = true ->
    iI (w, k) + stall (get b (w, k)) <= iso /\
    (In (w, S k) (keys b) -> iI (w, k) + fetch (get b (w, S k)) <= iso) }.

(** When all that [x] keeps its warp waiting for is over: [pace x] besides its stall, and the fetch
    behind it. *)
Definition pace (b : block) (s : schedule) (x : key) : nat :=
  L s x + max (stall (get b x)) (if S (snd x) <? len b (fst x) then fetch (get b (fst x, S (snd x)))
    else 0).

(** ** Holders *)

Lemma hit_other m b s reach w y i v t : at_stage b y i v -> fst y <> w -> reach v = true ->
  holds b s y i t = true ->
  hit m b s reach w y t = true.
Proof.
  intros [_ [Hi Hu]] Hw Hv Hh. unfold hit. rewrite (proj2 (Nat.eqb_neq _ _) Hw).
  apply orb_true_iff. right. apply existsb_exists. exists i. split; [apply in_seq; lia|].
  rewrite Hu, Hv, Hh. reflexivity.
Qed.

Lemma hit_clash m b s reach w y i v t : at_stage b y i v -> clash m v = true -> fst y = w ->
  holds b s y i t = true ->
  hit m b s reach w y t = true.
Proof.
  intros [_ [Hi Hu]] Hv Hw Hh. unfold hit. rewrite Hw, Nat.eqb_refl.
  apply existsb_exists. exists i. split; [apply in_seq; lia|]. rewrite Hu, Hv, Hh. reflexivity.
Qed.

Lemma hit_stage m b s reach w y t : fst y <> w -> core m (fst y) = core m w ->
  issues s y t = true ->
  hit m b s reach w y t = true.
Proof.
  intros Hw Hc Hi. unfold hit. rewrite (proj2 (Nat.eqb_neq _ _) Hw), Hc, Nat.eqb_refl, Hi.
  reflexivity.
Qed.

Section Own.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.

  Lemma hold_end x i : In x (keys b) -> i < stages b x -> D s x i + ah s x i <= E b s x.
  Proof.
    intros Hx Hi. unfold E. destruct (stages b x) as [|p] eqn:S; [lia|].
    destruct (Nat.eq_dec i p) as [->|N]; [lia|].
    pose proof (stage_after m b s OK x i p Hx ltac:(lia) ltac:(lia)). lia.
  Qed.

  Lemma hold_finish x i : In x (keys b) -> i < stages b x -> D s x i + ah s x i <= finish b s x.
  Proof. intros Hx Hi. pose proof (hold_end x i Hx Hi). unfold finish. lia. Qed.

  Variables (reach : nat -> nat -> bool) (w n : nat) (iP iI : key -> nat) (iD : key -> nat -> nat)
    (iso : nat).
  Hypotheses (HR : reaches_at m b s reach w n) (HI : iso_cert m b w n iP iI iD iso).
  Variables (f : nat -> nat) (t0 q c : nat).
  Hypotheses (Rises : forall t, f t <= f (S t)) (Base : t0 + q <= c + f t0).
  Hypothesis Hit : forall t y, t0 <= t -> In y (keys b) -> hit m b s (reach t) w y t = true ->
    counted f t.
  Hypothesis Open : rel s (group m w) n <= t0.
  (* all that is older is over by [c] and what is counted *)
  Hypothesis Older : forall j, In (w, j) (keys b) -> sec (get b (w, j)) < n ->
    late f t0 q c (finish b s (w, j)) /\ (bar (get b (w, j)) = true ->
      late f t0 q c (pace b s (w, j))).

  (** At [X] a path of length [d] pays all cycles that [f] does not count. *)
  Definition by_path (d X : nat) : Prop := late f t0 q (c + d) X.

  Lemma by_path_more d e X : by_path d X -> d <= e -> by_path e X.
  Proof. intros H Hd. eapply late_more; [exact H|lia]. Qed.

  Lemma by_path_add d X a : by_path d X -> by_path (d + a) (X + a).
  Proof. intros H. unfold by_path. rewrite Nat.add_assoc. apply late_add; auto. lia. Qed.

  Lemma by_older d X : late f t0 q c X -> by_path d X.
  Proof. intros H. eapply late_more; [exact H|lia]. Qed.

  Lemma by_path_step d X :
    (forall t, t0 <= t < X -> (exists y, In y (keys b) /\ hit m b s (reach t) w y t = true) \/
      exists y, t < y /\ by_path d y) ->
    by_path d X.
  Proof.
    intros H. apply late_step; auto; [lia|]. intros t Ht.
    destruct (H t Ht) as [[y [H1 H2]]|Hy]; [left; apply (Hit t y); [lia|assumption..]|right;
      exact Hy].
  Qed.

  (** Either all of some times have passed, or one has not that is no later. *)
  Lemma all_or_one d t ys : (forall y, In y ys -> by_path d y) ->
    (forall y, In y ys -> y <= t) \/ exists y, t < y /\ by_path d y.
  Proof.
    intros H. destruct (Forall_dec (fun y => y <= t) (fun y => le_dec y t) ys) as [A|A].
    - left. rewrite Forall_forall in A. exact A.
    - right. apply neg_Forall_Exists_neg in A; [|intros; apply le_dec].
      apply Exists_exists in A as [y [Hy Hn]]. exists y. split; [lia|auto].
  Qed.

  (** No time of instruction [j] is later than its path says. *)
  Record timely_own (j : nat) : Prop := {
    o_chosen : by_path (iP (w, j)) (P s (w, j));
    o_issue : by_path (iI (w, j)) (I s (w, j));
    o_room : by_path (iI (w, j)) (L s (w, j));
    o_stage : forall i, i < stages b (w, j) -> by_path (iD (w, j) i) (D s (w, j) i) }.

  Lemma end_path j : In (w, j) (keys b) -> timely_own j ->
    by_path (iE b iI iD (w, j)) (CodeMachine.E b s (w, j)).
  Proof.
    intros Kj T. unfold iE, CodeMachine.E. destruct (stages b (w, j)) as [|p] eqn:S; [apply T|].
    pose proof (e_hold _ _ _ _ _ OK (w, j) p Kj ltac:(lia)).
    eapply late_sooner; [apply by_path_add, (o_stage _ T); lia|]. lia.
  Qed.

  Section OneInstruction.
    Variable k : nat.
    Hypotheses (Hk : In (w, k) (keys b)) (Hn : sec (get b (w, k)) = n).

    Hypothesis Same : forall j, j < k -> sec (get b (w, j)) = n -> timely_own j.

    Lemma key_before j : j < k -> In (w, j) (keys b).
    Proof. intros. eapply keys_before; [exact Hk|lia]. Qed.

    Lemma same_or_older j : j < k -> sec (get b (w, j)) = n \/ sec (get b (w, j)) < n.
    Proof. intros H. pose proof (sections_grow m b w k j WF Hk ltac:(lia)). lia. Qed.

    Lemma hold_by j i d : j < k -> i < stages b (w, j) ->
      (sec (get b (w, j)) = n -> iD (w, j) i + hold (st b (w, j) i) <= d) ->
      by_path d (D s (w, j) i + ah s (w, j) i).
    Proof.
      intros Hj Hi Hd. pose proof (key_before j Hj) as Kj. destruct (same_or_older j Hj) as [E|O].
      - pose proof (e_hold _ _ _ _ _ OK (w, j) i Kj Hi).
        eapply late_sooner; [eapply by_path_more; [|exact (Hd E)]|apply Nat.add_le_mono_l;
          eassumption]. apply by_path_add. apply (Same j Hj E). exact Hi.
      - apply by_older. eapply late_sooner; [apply (proj1 (Older j Kj O))|].
        apply hold_finish; assumption.
    Qed.

    Lemma slots_path j : j < k -> sec (get b (w, j)) = n -> iI (w, j) + slot (get b (w, j))
      <= iP (w, k).
    Proof.
      assert (forall d i, j < i -> i + d = k -> sec (get b (w, j)) = n ->
        iI (w, j) + slot (get b (w, j)) <= iP (w, i)) as A.
      { intros d i Hj Hi Sj.
        assert (In (w, i) (keys b)) as Ki by (eapply keys_before; [exact Hk|lia]). clear Same.
        revert d Hi. induction i as [|i IH]; intros d Hi; [lia|].
        assert (In (w, i) (keys b)) as Ki' by (eapply keys_before; [exact Ki|lia]).
        pose proof (sections_grow m b w i j WF Ki' ltac:(lia)).
        pose proof (sections_grow m b w (S i) i WF Ki ltac:(lia)).
        pose proof (sections_grow m b w k (S i) WF Hk ltac:(lia)).
        pose proof (i_pace _ _ _ _ _ _ _ _ HI i Ki ltac:(lia) ltac:(lia)) as Hp.
        destruct (Nat.eq_dec i j) as [->|N]; [lia|].
        specialize (IH ltac:(lia) Ki' (S d) ltac:(lia)).
        pose proof (i_operand _ _ _ _ _ _ _ _ HI i Ki' ltac:(lia)). lia. }
      intros Hj Sj. apply (A 0 k); auto; lia.
    Qed.

    (** An own hold that [k] waits for is over, or no later than [d]. *)
    Lemma own_hold j i d t : j < k -> holds b s (w, j) i t = true ->
      (sec (get b (w, j)) = n -> iD (w, j) i + hold (st b (w, j) i) <= d) -> exists y, t < y /\
      by_path d y.
    Proof.
      intros Hj Hh Hd. apply holds_iff in Hh as [Hi Hh].
      exists (D s (w, j) i + ah s (w, j) i). split; [lia|]. apply hold_by; assumption.
    Qed.

    (** The issue stage is held within somebody's slot or probe; of the own ones only for older
        ones. *)
    Lemma stage_hit y t : In y (keys b) -> core m (fst y) = core m w -> issues s y t = true ->
      (t < P s (w, k) \/ V s (w, k) <= t < I s (w, k)) ->
      hit m b s (reach t) w y t = true \/ exists z, t < z /\ by_path (iP (w, k)) z.
    Proof.
      intros Hy Hc Hi Ht. destruct y as [v j]. simpl in Hc.
      destruct (Nat.eq_dec v w) as [->|N]; [right|left; apply hit_stage; assumption].
      apply issues_iff in Hi. pose proof (e_probe _ _ _ _ _ OK _ Hy) as Hp.
      pose proof (issue_order m b s OK _ Hy) as Ho. pose proof (issue_order m b s OK _ Hk).
      destruct (lt_eq_lt_dec j k) as [[Hj| ->]|Hj].
      - pose proof (own_order m b s OK w k j Hk Hj).
        destruct (same_or_older j Hj) as [E|O].
        + exists (L s (w, j) + aslot s (w, j)). split.
          * lia.
          * eapply by_path_more; [|apply (slots_path j Hj E)].
            pose proof (e_slot _ _ _ _ _ OK _ Hy).
            eapply late_sooner; [apply by_path_add, (o_room _ (Same j Hj E))|]. lia.
        + exists (finish b s (w, j)). unfold finish at 1. split; [lia|]. apply by_older.
          apply (proj1 (Older j Hy O)).
      - lia.
      - pose proof (own_order m b s OK w j k Hy Hj). lia.
    Qed.

    Lemma before_path y : In y (before b s (group m w) w k) -> by_path (iP (w, k)) y.
    Proof.
      intros [<-|[<-|Hy]].
      - destruct k as [|j] eqn:Ek.
        + pose proof (e_pace0 _ _ _ _ _ OK w Hk) as Hp. pose proof (w_first _ _ WF w Hk) as H0.
          pose proof (i_fetch _ _ _ _ _ _ _ _ HI Hk Hn). eapply late_sooner; [|exact Hp].
          eapply by_path_more; [|exact H]. apply (by_path_add 0). apply late_start; [lia|].
          replace 0 with n at 1 by congruence. exact Open.
        + pose proof (e_pace _ _ _ _ _ OK w j Hk) as Hp.
          pose proof (w_sections _ _ WF w j Hk) as Hs.
          assert (In (w, j) (keys b)) as Kj by (eapply keys_before; [exact Hk|lia]).
          destruct (Nat.eq_dec (sec (get b (w, j))) n) as [E|N].
          * pose proof (i_pace _ _ _ _ _ _ _ _ HI j Hk E Hn) as Hi. eapply late_sooner; [|exact Hp].
            eapply by_path_more; [apply by_path_add, (o_room _ (Same j ltac:(lia) E))|]. lia.
          * destruct (bar (get b (w, j))) eqn:Eb; [|lia].
            destruct (Older j Kj ltac:(lia)) as [_ Hl]. specialize (Hl Eb).
            apply by_older. eapply late_sooner; [exact Hl|]. unfold pace. simpl fst. simpl snd.
            apply in_keys in Hk. rewrite (proj2 (Nat.ltb_lt _ _)) by lia. exact Hp.
      - rewrite Hn. apply late_start; [lia|exact Open].
      - apply in_flat_map in Hy as [[l x] [Hc Hy]]. apply in_map_iff in Hy as [j [<- Hj]].
        simpl in Hj. pose proof (awaited_before _ _ _ _ _ _ Hj) as Hlt.
        pose proof (key_before _ Hlt) as Kj. pose proof (e_write _ _ _ _ _ OK _ Kj).
        pose proof (e_read _ _ _ _ _ OK _ Kj). destruct (same_or_older _ Hlt) as [E|O].
        + eapply by_path_more; [|apply (i_waits _ _ _ _ _ _ _ _ HI k l x j Hk Hn Hc Hj E)].
          unfold undone, latency. apply (late_sooner _ _ _ _ (CodeMachine.E b s (w, fst j)
            + latency b w j)); [|unfold latency; destruct (snd j); lia].
          apply by_path_add, end_path; [exact Kj|apply (Same _ Hlt E)].
        + apply by_older. eapply late_sooner; [apply (proj1 (Older _ Kj O))|].
          unfold undone, finish. destruct (snd j); lia.
    Qed.

    (** Lemma 0 for P(k) and for being chosen again. *)
    Lemma issue_step t : (t < P s (w, k) \/ V s (w, k) <= t < I s (w, k)) ->
      (exists y, In y (keys b) /\ hit m b s (reach t) w y t = true) \/ exists y, t < y /\
      by_path (iP (w, k)) y.
    Proof.
      intros Ht. destruct (all_or_one (iP (w, k)) t (before b s (group m w) w k) before_path)
        as [H|H]; [|right; exact H]. pose proof (before_enough m b s _ w k t eq_refl Ht H) as Hm.
      destruct (issue_taken m b s WF OK w k t Hk Hm)
        as [[y [Hy [Hc Hi]]]|[v [[x j] [i [Hy [Hh Hw]]]]]].
      - destruct (stage_hit y t Hy Hc Hi Ht) as [Hx|Hx]; [left; eauto|right; exact Hx].
      - pose proof (at_key _ _ _ _ Hy) as Ky. destruct (Nat.eq_dec x w) as [->|N].
        + destruct (le_lt_dec k j) as [Hj|Hj].
          { exfalso. apply holds_iff in Hh as [Hi Hh].
            pose proof (room_before_stage m b s OK _ i Ky Hi).
            pose proof (issue_order m b s OK _ Hk). pose proof (issue_order m b s OK _ Ky).
            destruct (Nat.eq_dec j k) as [->|N']; [lia|].
            pose proof (own_order m b s OK w j k Ky ltac:(lia)). lia. }
          right. apply (own_hold j i _ t Hj Hh). intros E. destruct Hw as [Hf|[u [Hu [Hl HB]]]].
          * apply (i_full _ _ _ _ _ _ _ _ HI k j i v); auto.
          * apply (i_queue _ _ _ _ _ _ _ _ HI k j i u v); auto.
        + left. exists (x, j). split; [exact Ky|]. apply (hit_other m b s (reach t) w _ i v); auto.
          destruct Hw as [Hf|[u [Hu [Hl HB]]]]; [apply (r_feeds _ _ _ _ _ _ HR), Hf|].
          pose proof (issue_order m b s OK _ Hk).
          destruct Hl as [Hl|[u' [_ [Hl _]]]];
            [apply (r_latch _ _ _ _ _ _ HR k u v t Hu Hn Hl HB);
            lia|apply (r_stage _ _ _ _ _ _ HR k 0 u v t Hu Hn (fun _ => Hl) HB)].
    Qed.

    Lemma chosen_path : by_path (iP (w, k)) (P s (w, k)).
    Proof. apply by_path_step. intros t Ht. apply issue_step. left. lia. Qed.

    Lemma issue_path : by_path (iI (w, k)) (I s (w, k)).
    Proof.
      pose proof (e_constant _ _ _ _ _ OK _ Hk) as Hv.
      pose proof (i_operand _ _ _ _ _ _ _ _ HI k Hk Hn) as Hl. apply by_path_step. intros t Ht.
      destruct (le_lt_dec (V s (w, k)) t) as [H|H].
      - destruct (issue_step t ltac:(right; lia)) as [Hx|[y [Hy Hb]]]; [left; exact Hx|right].
        exists y. split; [exact Hy|]. eapply by_path_more; [exact Hb|lia].
      - right. exists (V s (w, k)). split; [exact H|]. eapply late_sooner; [|exact (proj2 Hv)].
        eapply by_path_more; [apply by_path_add, chosen_path|exact Hl].
    Qed.

    (** Lemma 0 for L(k). *)
    Lemma room_path : by_path (iI (w, k)) (L s (w, k)).
    Proof.
      apply by_path_step. intros t Ht. destruct (le_lt_dec (I s (w, k)) t) as [H|H];
        [|right; exists (I s (w, k)); split; [exact H|exact issue_path]].
      destruct (e_room _ _ _ _ _ OK _ Hk) as [E|[Hq Hf]]; [lia|]. pose proof Hq as [u [Hu _]].
      destruct (room_taken m b s WF OK (w, k) u t Hu ltac:(lia)) as [[x j] [i [v [Hy [HB Hh]]]]].
      pose proof (at_key _ _ _ _ Hy) as Ky.
      assert (feeds m b w v) as HF by (split; [exact Hf|]; exists (w, k), u; auto).
      destruct (Nat.eq_dec x w) as [->|N].
      - destruct (le_lt_dec k j) as [Hj|Hj].
        { exfalso. apply holds_iff in Hh as [Hi Hh].
          pose proof (room_before_stage m b s OK _ i Ky Hi). pose proof (issue_order m b s OK _ Ky).
          destruct (Nat.eq_dec j k) as [->|N']; [lia|].
          pose proof (own_order m b s OK w j k Ky ltac:(lia)). lia. }
        right. apply (own_hold j i _ t Hj Hh). intros E.
        pose proof (i_full _ _ _ _ _ _ _ _ HI k j i v Hk Hn HF Hj E Hy).
        pose proof (i_operand _ _ _ _ _ _ _ _ HI k Hk Hn). lia.
      - left. exists (x, j). split; [exact Ky|]. apply (hit_other m b s (reach t) w _ i v); auto.
        apply (r_feeds _ _ _ _ _ _ HR), HF.
    Qed.

    Lemma ask_path i : i < stages b (w, k) ->
      (forall j, j < i -> by_path (iD (w, k) j) (D s (w, k) j)) ->
      by_path (iD (w, k) i) (A s (w, k) i).
    Proof.
      intros Hi IH. destruct i as [|i]; simpl.
      - eapply by_path_more; [apply room_path|]. apply (i_first _ _ _ _ _ _ _ _ HI k Hk Hn). lia.
      - pose proof (e_transfer _ _ _ _ _ OK (w, k) i Hk ltac:(lia)).
        pose proof (e_hold _ _ _ _ _ OK (w, k) i Hk ltac:(lia)).
        pose proof (i_next _ _ _ _ _ _ _ _ HI k i Hk Hn Hi) as Hl. rewrite <- Nat.add_assoc in Hl.
        eapply by_path_more; [|exact Hl]. eapply late_sooner; [apply by_path_add; apply IH; lia|].
        lia.
    Qed.

    (** Lemma 0 for D_i(k). *)
    Lemma stage_wait i : i < stages b (w, k) -> by_path (iD (w, k) i) (A s (w, k) i) ->
      (i = 0 -> latch m b (w, k) = false) -> by_path (iD (w, k) i) (D s (w, k) i).
    Proof.
      intros Hi HA Hl. set (u := unit (st b (w, k) i)). pose proof (at_own b (w, k) i Hk Hi) as Hat.
      fold u in Hat. set (own := filter (fun o => (i <? stages b (w, o))
        && (unit (st b (w, o) i) =? u)) (seq 0 k)). assert (forall o, In o own <-> o < k /\
        i < stages b (w, o) /\ unit (st b (w, o) i) = u) as Hown.
      { intros o. unfold own. rewrite filter_In, in_seq, andb_true_iff, Nat.ltb_lt, Nat.eqb_eq.
        intuition lia. }
      apply by_path_step. intros t Ht. destruct
        (all_or_one (iD (w, k) i) t (A s (w, k) i :: map (fun o => D s (w, o) i) own)) as [H|H];
        [|clear HA|right; exact H].
      { intros y [<-|Hy]; [exact HA|]. apply in_map_iff in Hy as [o [<- Ho]].
        apply Hown in Ho as [Ho [H1 H2]].
        apply (late_sooner _ _ _ _ (D s (w, o) i + ah s (w, o) i)); [|lia].
        apply hold_by; [exact Ho|exact H1|]. intros E.
        apply (i_unit _ _ _ _ _ _ _ _ HI k o i i u u Hat Hn Hl (B_self _ _ _) Ho E).
        split; [apply key_before, Ho|auto]. }
      assert (A s (w, k) i <= t < D s (w, k) i) as Hat'.
      { split; [apply H; left; reflexivity|lia]. }
      destruct (stage_taken m b s WF OK w k i u t Hat Hat') as [v [[x j] [i' [Hy [HB [Hh Hw]]]]]].
      - intros C o j Ho Hj. destruct (own_way m b WF _ _ _ _ _ _ Hj Hat C) as [-> _].
        apply H. right. apply in_map_iff. exists o. split; [reflexivity|]. apply Hown.
        split; [exact Ho|]. destruct Hj as [_ Hj]. exact Hj.
      - pose proof (at_key _ _ _ _ Hy) as Ky. destruct (Nat.eq_dec x w) as [->|N].
        + destruct (le_lt_dec k j) as [Hj|Hj].
          * left. exists (w, j). split; [exact Ky|].
            apply (hit_clash m b s (reach t) w _ i' v); auto. simpl in Hw.
            destruct Hw as [Hw|[Hw|Hw]]; [congruence|exact Hw|lia].
          * right. apply (own_hold j i' _ t Hj Hh). intros E.
            apply (i_unit _ _ _ _ _ _ _ _ HI k j i i' u v); auto.
        + left. exists (x, j). split; [exact Ky|]. apply (hit_other m b s (reach t) w _ i' v); auto.
          apply (r_stage _ _ _ _ _ _ HR k i u v t Hat Hn Hl HB).
    Qed.

    Lemma stage_path i : i < stages b (w, k) -> by_path (iD (w, k) i) (D s (w, k) i).
    Proof.
      induction i as [i IH] using lt_wf_ind. intros Hi. set (u := unit (st b (w, k) i)).
      pose proof (at_own b (w, k) i Hk Hi) as Hat. fold u in Hat.
      assert (by_path (iD (w, k) i) (A s (w, k) i)) as HA
        by (apply ask_path; [exact Hi|]; intros; apply IH; lia). destruct (latch m b (w, k)) eqn:El.
      { destruct (Nat.eq_dec i 0) as [->|Hz].
        - pose proof (e_latch _ _ _ _ _ OK _ Hk El). pose proof (issue_order m b s OK _ Hk).
          eapply late_sooner; [exact HA|]. simpl. lia.
        - apply stage_wait; [exact Hi|exact HA|]. intros E. contradiction. }
      apply stage_wait; [exact Hi|exact HA|]. intros _. exact El.
    Qed.

    Lemma instruction_path : timely_own k.
    Proof. split; [apply chosen_path|apply issue_path|apply room_path|exact stage_path]. Qed.
  End OneInstruction.

  (** *** Every event of section [n] of [w] is as late as its path and what is counted at most: the
      claim of theorem 1, and (c) of theorem 2. *)
  Theorem own_path k : In (w, k) (keys b) -> sec (get b (w, k)) = n -> timely_own k.
  Proof.
    induction k as [k IH] using lt_wf_ind. intros Hk Hn.
    apply instruction_path; [exact Hk|exact Hn|]. intros j Hj E.
    apply IH; [exact Hj|eapply keys_before; [exact Hk|lia]|exact E].
  Qed.

  (** And so is every end. *)
  Theorem own_finish k : In (w, k) (keys b) -> sec (get b (w, k)) = n ->
    by_path iso (finish b s (w, k)) /\ (bar (get b (w, k)) = true -> by_path iso (pace b s (w, k))).
  Proof.
    intros Hk Hn. pose proof (own_path k Hk Hn) as T.
    destruct (i_end _ _ _ _ _ _ _ _ HI k Hk Hn) as [He Hs]. split.
    - unfold finish. destruct (Nat.max_spec (CodeMachine.E b s (w, k)
        + max (aw s (w, k)) (ar s (w, k))) (L s (w, k) + aslot s (w, k))) as [[_ ->]|[_ ->]].
      + pose proof (e_slot _ _ _ _ _ OK _ Hk). eapply by_path_more; [|exact Hs].
        eapply late_sooner; [apply by_path_add, (o_room _ T)|]. lia.
      + pose proof (e_write _ _ _ _ _ OK _ Hk). pose proof (e_read _ _ _ _ _ OK _ Hk).
        eapply by_path_more; [|exact He]. apply (late_sooner _ _ _ _ (CodeMachine.E b s (w, k)
          + max (write (get b (w, k))) (read (get b (w, k))))); [|lia]. apply by_path_add.
        apply end_path; assumption.
    - intros Hb. destruct (i_barrier _ _ _ _ _ _ _ _ HI k Hk Hn Hb) as [H1 H2]. unfold pace.
      simpl fst. simpl snd. destruct (Nat.ltb_spec (S k) (len b w)) as [H|H].
      + assert (In (w, S k) (keys b)) as Hk' by (apply in_keys in Hk; apply in_keys; lia).
        specialize (H2 Hk'). apply (by_path_more
          (iI (w, k) + max (stall (get b (w, k))) (fetch (get b (w, S k))))); [|lia].
        apply by_path_add, (o_room _ T).
      + rewrite Nat.max_0_r. eapply by_path_more; [apply by_path_add, (o_room _ T)|exact H1].
  Qed.
End Own.
