(** * Latches that count only where they are used: code-fib with barriers, theorem 2 of
    docs/machine-code-bounds.md

    A loose latch has no queue in front of it and nothing comes to it from another unit: only
    instructions that have yet to be issued wait for it.  So behind the issue of a section all that
    instructions of it still hold of loose latches runs out at once: for a warp the next section
    begins when that is over ([begins]). *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeLate CodeReady CodeElb
  CodeOwn CodeReach CodeSib.
From Warpbound Require Export CodeHeld.

(** Latches of one sub-core, without a clash; [used] of every section of a warp that uses one. *)
Record loose_latches (m : machine) (b : block) (base : nat -> nat -> bool) (loose : nat -> bool)
    (used : nat -> nat -> nat -> bool) : Prop := {
  l_latch : forall v y i, loose v = true -> at_stage b y i v -> i = 0 /\ latch m b y = true;
  l_clash : forall v, loose v = true -> clash m v = false;
  l_home : forall w v y i, loose v = true -> at_stage b y i v -> base w v = true ->
  core m (fst y) = core m w;
  l_used : forall v w k i, loose v = true -> at_stage b (w, k) i v -> used w (sec (get b (w, k))) v
    = true }.

(** No latch is loose: code-sib. *)
Lemma none_loose m b base used : loose_latches m b base (fun _ => false) used.
Proof. split; discriminate. Qed.

(** When loose latches that others of the sub-core of [w] hold are free of sections before [n]. *)
Definition loose_end (b : block) (s : schedule) (loose : nat -> bool) (y : key) : nat :=
  list_max (map (fun i => if loose (unit (st b y i)) then D s y i + ah s y i else 0)
    (seq 0 (stages b y))).
Definition loose_until (m : machine) (b : block) (s : schedule) (loose : nat -> bool)
  (n w : nat) : nat :=
  list_max (map (loose_end b s loose)
    (filter (fun y => older b n y && negb (fst y =? w) && (core m (fst y) =? core m w)) (keys b))).

Section Loose.
  Variables (m : machine) (b : block) (s : schedule) (g : nat).
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypotheses (OK : enough m b s J enters) (One : forall w, group m w = g).
  Variables (base : nat -> nat -> bool) (loose : nat -> bool) (used : nat -> nat -> nat -> bool).
  Hypothesis LL : loose_latches m b base loose used.
  Local Notation sees := (sees b s base loose used).
  Local Notation seen := (seen m b s base loose used).
  Local Notation loose_until := (loose_until m b s loose).

  Lemma not_behind u v y i : loose v = true -> at_stage b y i u -> B m b u v -> u = v.
  Proof.
    intros Hv _ HB. destruct (back_last m b u v HB) as [E|[z [_ [x [j [_ Y]]]]]]; [exact E|].
    destruct (l_latch _ _ _ _ _ LL v x (S j) Hv Y). discriminate.
  Qed.

  Lemma issued_before q x : In x (keys b) -> sec (get b x) <= q -> I s x <= issued_by b s q.
  Proof.
    intros Hx Hs. apply (list_max_in_ge (I s)), filter_In. split; [exact Hx|]. apply Nat.ltb_lt.
    lia.
  Qed.

  Lemma issued_least q t : (forall x, In x (keys b) -> sec (get b x) <= q -> I s x <= t) ->
    issued_by b s q <= t.
  Proof.
    intros H. apply list_max_le_in. intros y Hy. apply in_map_iff in Hy as [x [<- Hx]].
    apply filter_In in Hx as [Hx Ho]. unfold older in Ho. apply Nat.ltb_lt in Ho.
    specialize (H x Hx ltac:(lia)). lia.
  Qed.

  (** What events of section [n] wait for is seen: a loose latch until they are issued. *)
  Lemma sees_reaches w n : reaches m b (base w) w n -> reaches_at m b s (sees w n) w n.
  Proof.
    intros [H1 H2]. split; unfold CodeHeld.sees.
    - intros k u v t Hu Hs HL HB Ht. rewrite (H1 k 0 u v Hu Hs HB).
      destruct (loose v) eqn:E; [|reflexivity].
      assert (u = v) as -> by (eapply not_behind; eassumption). rewrite <- Hs at 1.
      rewrite (l_used _ _ _ _ _ LL v w k 0 E Hu).
      pose proof (issued_before n (w, k) (at_key _ _ _ _ Hu) ltac:(lia)). apply Nat.ltb_lt. lia.
    - intros k i u v t Hu Hs HL HB. rewrite (H1 k i u v Hu Hs HB).
      destruct (loose v) eqn:E; [|reflexivity].
      assert (u = v) as -> by (eapply not_behind; eassumption).
      destruct (l_latch _ _ _ _ _ LL v _ _ E Hu) as [E1 E2]. rewrite (HL E1) in E2. discriminate.
    - intros v t HF. rewrite (H2 v HF). destruct (loose v) eqn:E; [|reflexivity].
      destruct HF as [_ [y [u [Hq [_ [Hu HB]]]]]].
      assert (u = v) as -> by (eapply not_behind; eassumption).
      destruct (l_latch _ _ _ _ _ LL v _ _ E Hu) as [_ E2]. destruct Hq as [_ [_ [E3 _]]].
      congruence.
  Qed.

  Lemma loose_over n w y i : In y (keys b) -> sec (get b y) < n -> fst y <> w ->
    core m (fst y) = core m w ->
    i < stages b y -> loose (unit (st b y i)) = true -> D s y i + ah s y i <= loose_until n w.
  Proof.
    intros Hy Hs Hw Hc Hi HL. transitivity (loose_end b s loose y).
    - unfold loose_end. apply list_max_ge, in_map_iff. exists i. rewrite HL. split; [reflexivity|].
      apply in_seq. lia.
    - apply (list_max_in_ge (loose_end b s loose)), filter_In. split; [exact Hy|]. unfold older.
      rewrite (proj2 (Nat.ltb_lt _ _) Hs), (proj2 (Nat.eqb_neq _ _) Hw), Hc, Nat.eqb_refl.
      reflexivity.
  Qed.

  Lemma loose_last n w : 0 < loose_until n w -> exists y i, In y (keys b) /\ sec (get b y) < n /\
    fst y <> w
    /\ core m (fst y) = core m w /\ i < stages b y /\ loose (unit (st b y i)) = true /\
         loose_until n w = D s y i + ah s y i.
  Proof.
    intros H. assert (In (loose_until n w) (map (loose_end b s loose)
      (filter (fun y => older b n y && negb (fst y =? w) && (core m (fst y) =? core m w))
      (keys b)))) as Hin.
    { apply list_max_in. intros E. unfold CodeLoose.loose_until in H. rewrite E in H. simpl in H.
      lia. }
    apply in_map_iff in Hin as [y [E Hy]]. apply filter_In in Hy as [Hy Hp].
    rewrite !andb_true_iff, negb_true_iff in Hp. destruct Hp as [[Ho Hw] Hc]. unfold older in Ho.
    apply Nat.ltb_lt in Ho. apply Nat.eqb_neq in Hw. apply Nat.eqb_eq in Hc.
    assert (In (loose_end b s loose y) (map (fun i => if loose (unit (st b y i)) then D s y i
      + ah s y i else 0) (seq 0 (stages b y)))) as Hi.
    { apply list_max_in. intros E'. unfold loose_end in E. rewrite E' in E. simpl in E. lia. }
    apply in_map_iff in Hi as [i [E' Hi]]. apply in_seq in Hi. exists y, i.
    destruct (loose (unit (st b y i))) eqn:HL; [|lia]. repeat split; auto; lia.
  Qed.

  Lemma loose_none w : loose_until 0 w = 0.
  Proof.
    destruct (Nat.eq_dec (loose_until 0 w) 0) as [E|E]; [exact E|].
    destruct (loose_last 0 w ltac:(lia)) as [y [i [_ [H _]]]]. lia.
  Qed.

  (** What an event of section [n] finds from then on is seen as of the holder's section. *)
  Lemma found_seen n w t y : loose_until n w <= t -> In y (keys b) -> hit m b s (sees w n t) w y t
    = true -> seen w y t = true.
  Proof.
    intros Ht Hy Hh. unfold CodeHeld.seen. unfold hit in *.
    destruct (Nat.eqb_spec (fst y) w) as [|Hw]; [exact Hh|]. rewrite orb_true_iff in *.
    destruct Hh as [Hh|Hh]; [auto|right]. apply existsb_exists in Hh as [i [Hi Hh]].
    apply in_seq in Hi. apply andb_prop in Hh as [H1 H2]. apply existsb_exists. exists i.
    split; [apply in_seq; lia|]. rewrite H2, andb_true_r. unfold CodeHeld.sees in *.
    destruct (loose (unit (st b y i))) eqn:HL; [|exact H1].
    pose proof (at_own b y i Hy ltac:(lia)) as Ha. apply holds_iff in H2 as [_ H2].
    rewrite !andb_true_iff, Nat.ltb_lt in H1. destruct H1 as [[H1 HU] HI].
    pose proof (l_home _ _ _ _ _ LL w _ y i HL Ha H1) as Hc.
    destruct (lt_eq_lt_dec (sec (get b y)) n) as [[C|C]|C].
    - pose proof (loose_over n w y i Hy C Hw Hc ltac:(lia) HL). lia.
    - rewrite C, H1, HU. apply Nat.ltb_lt, HI.
    - exfalso. assert (issued_by b s n <= rel s g (S n)) as HB.
      { apply issued_least. intros x Hx Hs.
        pose proof (e_arrived _ _ _ _ _ OK x y n Hx Hy ltac:(rewrite !One; reflexivity) Hs C) as A.
        rewrite One in A. pose proof (e_issued _ _ _ _ _ OK x Hx). lia. }
      pose proof (e_opened _ _ _ _ _ OK y Hy) as Hr. rewrite One in Hr.
      pose proof (rel_grows m b s OK g (S n) (sec (get b y) - S n)) as Hg.
      replace (S n + (sec (get b y) - S n)) with (sec (get b y)) in Hg by lia.
      pose proof (room_before_stage m b s OK y i Hy ltac:(lia)).
      pose proof (issue_order m b s OK y Hy). lia.
  Qed.

  (** Behind the issue of a section its loose latches are not seen. *)
  Lemma not_loose w y i t : issued_by b s (sec (get b y)) <= t ->
    sees w (sec (get b y)) t (unit (st b y i)) = true ->
    loose (unit (st b y i)) = false.
  Proof.
    intros Ht H. unfold CodeHeld.sees in H. destruct (loose (unit (st b y i))); [|reflexivity].
    rewrite !andb_true_iff, Nat.ltb_lt in H. lia.
  Qed.

  (** ** From two warps *)

  Hypothesis Same : forall u w v, core m u = core m w -> base u v = base w v.
  Hypothesis Cross : forall u w y i v, at_stage b y i v -> core m (fst y) <> core m w ->
    base w v = true -> base u v = true.
  Hypothesis HR : forall w n, reaches m b (base w) w n.

  Lemma own_reached w k i v : at_stage b (w, k) i v -> base w v = true.
  Proof. intros Hv. apply (proj1 (HR w (sec (get b (w, k)))) k i v v Hv eq_refl). constructor. Qed.

  Lemma seen_unit u y i t : In y (keys b) -> i < stages b y -> fst y <> u ->
    loose (unit (st b y i)) = false ->
    base u (unit (st b y i)) = true -> holds b s y i t = true -> seen u y t = true.
  Proof.
    intros Hy Hi Hu HL HB Hh. unfold CodeHeld.seen.
    apply (hit_other m b s _ u y i (unit (st b y i)) t (at_own b y i Hy Hi) Hu); [|exact Hh].
    unfold CodeHeld.sees. rewrite HL. exact HB.
  Qed.

  (** Whoever is of [w]'s sub-core sees what [w] does, once all is issued. *)
  Lemma same_core_sees w u y t : core m u = core m w -> In y (keys b) -> fst y <> u ->
    issued_by b s (sec (get b y)) <= t ->
    seen w y t = true -> seen u y t = true.
  Proof.
    intros Hc Hy Hu Ht Hh. unfold CodeHeld.seen, hit in Hh.
    destruct (Nat.eqb_spec (fst y) w) as [E|E].
    - apply existsb_exists in Hh as [i [Hi Hh]]. apply in_seq in Hi.
      apply andb_prop in Hh as [H1 H2].
      apply (seen_unit u y i t Hy ltac:(lia) Hu); [|rewrite (Same u w _ Hc)|exact H2].
      + destruct (loose (unit (st b y i))) eqn:HL; [|reflexivity].
        rewrite (l_clash _ _ _ _ _ LL _ HL) in H1. discriminate.
      + destruct y as [w' k]. simpl in E. subst w'.
        apply (own_reached w k i), at_own; [exact Hy|lia].
    - apply orb_true_iff in Hh as [Hh|Hh].
      + unfold CodeHeld.seen, hit. rewrite (proj2 (Nat.eqb_neq _ _) Hu), Hc, Hh. reflexivity.
      + apply existsb_exists in Hh as [i [Hi Hh]]. apply in_seq in Hi.
        apply andb_prop in Hh as [H1 H2]. pose proof (not_loose w y i t Ht H1) as HL.
        apply (seen_unit u y i t Hy ltac:(lia) Hu HL); [|exact H2]. unfold CodeHeld.sees in H1.
        rewrite HL in H1. rewrite (Same u w _ Hc). exact H1.
  Qed.

  (** What is of another sub-core every warp sees alike. *)
  Lemma other_core_sees w u y t : core m (fst y) <> core m w -> In y (keys b) -> fst y <> u ->
    issued_by b s (sec (get b y)) <= t ->
    seen w y t = true -> seen u y t = true.
  Proof.
    intros Hc Hy Hu Ht Hh. unfold CodeHeld.seen, hit in Hh.
    destruct (Nat.eqb_spec (fst y) w) as [E|E]; [congruence|].
    rewrite (proj2 (Nat.eqb_neq _ _) Hc) in Hh. simpl in Hh.
    apply existsb_exists in Hh as [i [Hi Hh]]. apply in_seq in Hi. apply andb_prop in Hh as [H1 H2].
    pose proof (not_loose w y i t Ht H1) as HL.
    apply (seen_unit u y i t Hy ltac:(lia) Hu HL); [|exact H2]. unfold CodeHeld.sees in H1.
    rewrite HL in H1. eapply Cross; [apply at_own; [exact Hy|]|exact Hc|exact H1]. lia.
  Qed.

  (** ** What is left of a loose latch *)

  Lemma rest_loose u y i q t : In y (keys b) -> fst y = u -> sec (get b y) = q -> i < stages b y ->
    loose (unit (st b y i)) = true ->
    I s y <= t -> D s y i + ah s y i - t <= loose_left b s loose q u t.
  Proof.
    destruct y as [u' j]. simpl fst. intros Hy -> Hs Hi HL Ht.
    destruct (l_latch _ _ _ _ _ LL _ _ _ HL (at_own b (u, j) i Hy Hi)) as [-> Hl].
    pose proof (e_latch _ _ _ _ _ OK _ Hy Hl). unfold loose_left.
    etransitivity; [|apply (sum_ge (fun j =>
      sum (fun i => if loose (unit (st b (u, j) i)) then rest_of s u t (j, i) else 0)
      (seq 0 (stages b (u, j)))) j)].
    - etransitivity; [|apply (sum_ge (fun i =>
        if loose (unit (st b (u, j) i)) then rest_of s u t (j, i) else 0) 0), in_seq; lia].
      rewrite HL. unfold rest_of. simpl fst. simpl snd. lia.
    - apply filter_In. apply in_keys in Hy. split; [apply in_seq; lia|]. unfold in_section.
      apply Nat.eqb_eq, Hs.
  Qed.
End Loose.
