(** * What a warp leaves behind a release: Q of docs/machine-code-bounds.md, section 4

    From the code of a section: what is waited for before its end, what latches and slots can be
    held beyond it, and all other holds but those of one pipe, or unit. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeLate CodeReady CodeElb
  CodeOwn CodeSib CodeBarriers.
From Warpbound Require Export CodeKept.

(** Bounds of what is left behind position [e], of the slot and of stage [i]. *)
Definition slot_left (m : machine) (b : block) (y : key) (e : nat) : nat :=
  if snd y <? e then 0 else if (stages b y =? 0) || latch m b y then slot (get b y)
    - 1 else slot (get b y).
(** The certificate [spill] bounds how long [y] holds its units behind [e]. *)
Record spill_cert (m : machine) (b : block) (least : key -> nat) (e : nat) (y : key)
  (spill : nat -> nat) : Prop := {
  s_stage : forall i, i < stages b y -> hold (st b y i) <= spill i
    \/ awaited_by b least y e \/ (i = 0 /\ retaken m b y e)
    \/ (i = 0 /\ latch m b y = true /\ hold (st b y 0) - (least_sum least y e + 1) <= spill 0) }.

Section Spill.
  Variables (m : machine) (b : block) (s : schedule) (least : key -> nat).
  Variables (base : nat -> nat -> bool) (loose : nat -> bool) (used : nat -> nat -> nat -> bool).
  Local Notation seen := (seen m b s base loose used).
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypotheses (OK : enough m b s J enters) (K : leaves m b s J least).

  (** Behind [t] a hit is the end of a slot, or what is left of a hold, but that of a loose
      latch. *)
  Definition tight_rest (u j t i : nat) : nat :=
    if loose (unit (st b (u, j) i)) then 0 else rest_of s u t (j, i).

  Lemma hit_left w u j e t h : u <> w -> In (u, e) (keys b) -> j <= e -> J (u, e) <= t ->
    issued_by b s (sec (get b (u, j))) <= t ->
    cnt (seen w (u, j)) h - cnt (seen w (u, j)) t
    <= slot_left m b (u, j) e + sum (tight_rest u j t) (seq 0 (stages b (u, j))).
  Proof.
    intros Hu He Hj Ht Hall. set (p := seen w (u, j)).
    assert (In (u, j) (keys b)) as Kj by (eapply keys_before; [exact He|lia]).
    assert (cnt p h - cnt p t <= cnt (fun t' => (t <=? t') && p t') h) as A.
    { induction h as [|h IH]; [simpl; lia|]. cbn [cnt].
      destruct (Nat.leb_spec t h) as [C|C]; cbn [andb].
      - pose proof (cnt_mono p t h C). destruct (p h); lia.
      - pose proof (cnt_mono p (S h) t C) as M. cbn [cnt] in M. lia. }
    etransitivity; [exact A|]. set (sl := fun t' => (max t (L s (u, j)) <=? t')
      && (t' <? max t (L s (u, j)) + slot_left m b (u, j) e)). set (ho := fun t' i =>
      (max t (D s (u, j) i) <=? t') && (t' <? max t (D s (u, j) i) + tight_rest u j t i)).
    transitivity (cnt (fun t' => sl t' || existsb (ho t') (seq 0 (stages b (u, j)))) h).
    - apply cnt_le. intros t' _ Hp. apply andb_prop in Hp as [H1 Hp]. apply Nat.leb_le in H1.
      apply orb_true_iff. unfold p, CodeHeld.seen, hit in Hp. simpl in Hp.
      rewrite (proj2 (Nat.eqb_neq _ _) Hu) in Hp. apply orb_true_iff in Hp as [Hp|Hp].
      + left. apply andb_prop in Hp as [_ Hp]. apply issues_iff in Hp.
        pose proof (e_probe _ _ _ _ _ OK _ Kj). pose proof (issue_order m b s OK _ Kj).
        pose proof (e_slot _ _ _ _ _ OK _ Kj). pose proof (f_issue _ _ _ _ _ K u j e He Hj).
        unfold sl, slot_left. simpl snd. apply andb_true_intro.
        destruct (Nat.ltb_spec j e) as [C|C].
        * pose proof (f_slot _ _ _ _ _ K u j e He C). lia.
        * assert (j = e) by lia. subst j.
          destruct ((stages b (u, e) =? 0) || latch m b (u, e)) eqn:El.
          -- rewrite orb_true_iff, Nat.eqb_eq in El. pose proof (f_own_slot _ _ _ _ _ K _ Kj El).
             split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
          -- split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
      + right. apply existsb_exists in Hp as [i [Hi Hp]]. apply andb_prop in Hp as [Hs Hp].
        apply holds_iff in Hp as [_ Hp]. apply existsb_exists. exists i. split; [exact Hi|].
        unfold ho, tight_rest, rest_of. simpl.
        rewrite (not_loose b s base loose used w (u, j) i t' ltac:(lia) Hs). apply andb_true_intro.
        split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply cnt_interval|].
      etransitivity; [apply (cnt_exists ho)|]. apply sum_le. intros i _. apply cnt_interval.
  Qed.

  (** What is left of a stage. *)
  Lemma stage_left u j e t i spill : In (u, e) (keys b) -> j <= e -> J (u, e) <= t ->
    i < stages b (u, j) ->
    spill_cert m b least e (u, j) spill -> rest_of s u t (j, i) <= spill i.
  Proof.
    intros He Hj Ht Hi HC.
    assert (In (u, j) (keys b)) as Kj by (eapply keys_before; [exact He|lia]).
    pose proof (e_hold _ _ _ _ _ OK _ i Kj Hi) as Hh. unfold rest_of. simpl fst. simpl snd.
    destruct (s_stage _ _ _ _ _ _ HC i Hi) as [C|[C|[[-> C]|[-> [Hl C]]]]].
    - lia.
    - pose proof (hold_end m b s OK _ i Kj Hi). pose proof (f_awaited _ _ _ _ _ K u j e He C). lia.
    - pose proof (f_retaken _ _ _ _ _ K u j e He C). lia.
    - pose proof (f_latch _ _ _ _ _ K u j e He Hj Hl). lia.
  Qed.

  (** ** A section *)

  Lemma of_warp (h : key -> nat) (p : key -> bool) u :
    sum h (filter (fun y => (fst y =? u) && p y) (keys b))
      <= sum (fun j => h (u, j)) (filter (fun j => p (u, j)) (seq 0 (len b u))).
  Proof.
    unfold keys. rewrite sum_filter, sum_flat_map.
    assert (forall ws, NoDup ws -> sum (fun w =>
      sum (fun y => if (fst y =? u) && p y then h y else 0)
      (map (fun k => (w, k)) (seq 0 (len b w)))) ws <= if existsb (Nat.eqb u) ws then sum (fun j =>
      h (u, j)) (filter (fun j => p (u, j)) (seq 0 (len b u))) else 0) as A.
    { induction ws as [|w ws IH]; intros ND; [apply le_n|]. inversion ND as [|? ? N1 N2]; subst.
      specialize (IH N2). rewrite sum_cons, sum_map. cbn [existsb]. simpl fst.
      destruct (Nat.eqb_spec u w) as [->|E].
      - assert (existsb (Nat.eqb w) ws = false) as Z.
        { apply not_true_is_false. intros X. apply existsb_exists in X as [x [X1 X2]].
          apply Nat.eqb_eq in X2. subst. contradiction. }
        rewrite Z in IH. cbn [orb]. rewrite sum_filter. rewrite Nat.eqb_refl. cbn [andb]. lia.
      - rewrite (proj2 (Nat.eqb_neq w u)) by congruence. cbn [andb orb].
        rewrite (sum_zero (fun _ => 0)) by reflexivity. exact IH. }
    etransitivity; [apply A, seq_NoDup|]. destruct (existsb (Nat.eqb u) (seq 0 (length b))); lia.
  Qed.

  Variables (piped : key -> nat -> bool) (spill : key -> nat -> nat).

  (** What is left of section [q] of [u] behind its last instruction [e]. *)
  Definition left_behind (q u e : nat) : nat :=
    sum (fun j => slot_left m b (u, j) e + sum (fun i =>
      if piped (u, j) i then 0 else spill (u, j) i) (seq 0 (stages b (u, j))))
      (filter (fun j => in_section b q (u, j)) (seq 0 (len b u))).

  (** What warp [u] has left of section [q] at [t] is at most its pipes and what it left behind. *)
  Lemma section_left h w u q t e : u <> w -> In (u, e) (keys b) ->
    (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q -> j <= e) -> J (u, e) <= t ->
    issued_by b s q <= t ->
    (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q ->
      spill_cert m b least e (u, j) (spill (u, j))) ->
    left_sec m b s base loose used h w u q t + loose_left b s loose q u t
      <= pipe_left b s piped q u t + left_behind q u e.
  Proof.
    intros Hu He Hlast Ht Hall HC. unfold left_sec, loose_left, pipe_left, pipe, left_behind.
    etransitivity; [apply Nat.add_le_mono_r, (of_warp _ (fun y => sec (get b y) =? q))|].
    rewrite sum_flat_map, <- !sum_add.
    change (fun j => sec (get b (u, j)) =? q) with (fun j => in_section b q (u, j)). apply sum_le.
    intros j Hj. apply filter_In in Hj as [Hj Hq]. apply in_seq in Hj. apply Nat.eqb_eq in Hq.
    assert (In (u, j) (keys b)) as Kj by (apply in_keys in He; apply in_keys; lia).
    pose proof (Hlast j Kj Hq) as Hje. rewrite sum_map, sum_filter.
    etransitivity; [apply Nat.add_le_mono_r, (hit_left w u j e t h Hu He Hje Ht); rewrite Hq;
      exact Hall|]. assert (sum (tight_rest u j t) (seq 0 (stages b (u, j)))
      + sum (fun i => if loose (unit (st b (u, j) i)) then rest_of s u t (j, i) else 0)
      (seq 0 (stages b (u, j))) = sum (fun i => rest_of s u t (j, i)) (seq 0 (stages b (u, j))))
      as HT.
    { rewrite <- sum_add. apply sum_ext. intros i _. unfold tight_rest.
      destruct (loose (unit (st b (u, j) i))); lia. }
    enough (sum (fun i => rest_of s u t (j, i)) (seq 0 (stages b (u, j)))
      <= sum (fun i => if piped (u, j) i then rest_of s u t (j, i) else 0) (seq 0 (stages b (u, j)))
       + sum (fun i => if piped (u, j) i then 0 else spill (u, j) i) (seq 0 (stages b (u, j))))
           by lia.
    rewrite <- sum_add. apply sum_le. intros i Hi. apply in_seq in Hi.
    destruct (piped (u, j) i); [lia|].
    apply (stage_left u j e t i _ He Hje Ht); [lia|apply HC; assumption].
  Qed.
End Spill.

(** *** Theorem 2, from the code: Q is what [left_behind] says of the last instruction of each
    section of each warp.
    [loose]: latches that [charged] leaves out for the sections of a warp that do not use them; what
    of them is left behind a release is in Q, as is all else. *)
Theorem code_fib_sections m b s J enters g N base loose used iP iI iD iso Q T piped least spill :
  wf m b -> enough m b s J enters -> leaves m b s J least -> (forall w, group m w = g) ->
  (forall x, In x (keys b) -> sec (get b x) <= N) ->
  (exists x, In x (keys b) /\ sec (get b x) = N) ->
  (forall u w v, core m u = core m w -> base u v = base w v) ->
  (forall u w y i v, at_stage b y i v -> core m (fst y) <> core m w -> base w v = true -> base u v
    = true) ->
  loose_latches m b base loose used ->
  (forall w n, reaches m b (base w) w n) ->
  (forall w n, iso_cert m b w n iP iI iD (iso n w)) ->
  rel s g 0 <= T 0 ->
  (forall n w, n < N -> w < length b -> T n + (iso n w + O m b (charged base loose used) n w
    + Q n w) + release m <= T (S n)) ->
  (forall w, w < length b -> T N + (iso N w + O m b (charged base loose used) N w) <= T (S N)) ->
  (forall q u l0 ji l1, pipe b piped q u = l0 ++ ji :: l1 -> iD (u, fst ji) (snd ji)
    + sum (hold_of b u) (ji :: l1) <= iso q u) ->
  (forall q u, q < N -> (forall j, In (u, j) (keys b) -> sec (get b (u, j)) <> q)
     \/ exists e, In (u, e) (keys b) /\ sec (get b (u, e)) = q
        /\ (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q -> j <= e)
        /\ (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q ->
             spill_cert m b least e (u, j) (spill (u, j)))
        /\ left_behind m b piped spill q u e <= Q q u) ->
  forall x, In x (keys b) -> finish b s x <= T (S N).
Proof.
  intros WF OK K One Last Deepest Same Cross LL HR HI T0 TN TL HP HQ.
  apply (code_barriers m b s J enters g N base loose used iP iI iD iso Q T piped); auto.
  intros h w u q n t Hn Hu Hq _ Hissued.
  destruct (HQ q u ltac:(lia)) as [None|[e [He [Hs [Hlast [HC Hle]]]]]].
  - unfold left_sec, loose_left. rewrite !sum_zero; [lia| |].
    + intros j Hj. exfalso. apply filter_In in Hj as [Hj Hp]. apply in_seq in Hj.
      apply Nat.eqb_eq in Hp. apply (None j); [|exact Hp]. apply in_keys. split; [|lia].
      destruct (le_lt_dec (length b) u) as [C|C]; [|exact C]. unfold len in Hj.
      rewrite nth_overflow in Hj by exact C. simpl in Hj. lia.
    + intros [u' j] Hin. exfalso. apply filter_In in Hin as [Hin Hp].
      apply andb_prop in Hp as [H1 H2]. apply Nat.eqb_eq in H1. apply Nat.eqb_eq in H2. simpl in H1.
      subst u'. apply (None j Hin H2).
  - pose proof (Hissued _ He ltac:(lia)) as Ht.
    pose proof (section_left m b s least base loose used OK K piped spill h w u q t e Hu He Hlast Ht
      ltac:(apply issued_least; intros x Hx Hxs; pose proof (Hissued x Hx ltac:(lia));
        pose proof (e_issued _ _ _ _ _ OK x Hx); lia) HC). lia.
Qed.
