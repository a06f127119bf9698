(** * How long a request waits for a memory that SMs share: docs/memory-bounds.md, theorem 8

    The memory serves one request after the other, and does not stay idle while one waits.  At most
    [k] requests of an SM have come and are not served.  Then a request is served within [s * k * M]
    cycles of its coming, [M] the number of SMs: first come, first served, and in turns. *)

From Warpbound Require Import Base Cycles Largest Share.

(** A request has an SM, comes to the memory, and is served from [serves] on for [lasts] cycles. *)
Record memory := Memory {
  requests : list nat;
  from_sm : nat -> nat;
  comes : nat -> nat;
  serves : nat -> nat;
  lasts : nat -> nat }.

(** The end of the service of [r]. *)
Definition done (y : memory) (r : nat) : nat := serves y r + lasts y r.

(** [r] has come by [t], and is not served to its end. *)
Definition pending (y : memory) (t r : nat) : bool := (comes y r <=? t) && (t <? done y r).

(** The memory serves one request at a time, for at most [s] cycles. *)
Record works (y : memory) (M s k : nat) : Prop := {
  w_distinct : NoDup (requests y);
  w_sm : forall r, In r (requests y) -> from_sm y r < M;
  w_time : forall r, In r (requests y) -> 1 <= lasts y r <= s;
  w_after : forall r, In r (requests y) -> comes y r <= serves y r;
  w_one : forall r q, In r (requests y) -> In q (requests y) -> r <> q -> done y r <= serves y q \/
    done y q <= serves y r;
  w_busy : forall r t, In r (requests y) -> comes y r <= t < serves y r ->
    exists q, In q (requests y) /\ serves y q <= t < done y q;
  w_few : forall i t, i < M -> length (filter (fun r => (from_sm y r =? i) && pending y t r)
    (requests y)) <= k }.

(** The arbiters: of different cycles, the one that came first (of one cycle any); *)
Definition first_come (y : memory) : Prop := forall r q, In r (requests y) -> In q (requests y) ->
  comes y r < comes y q -> serves y r <= serves y q.

(** of each SM the one that came first, and between two services of an SM each other one that waits
    has one. *)
Definition in_turns (y : memory) : Prop :=
  (forall r q, In r (requests y) -> In q (requests y) -> from_sm y r = from_sm y q ->
    comes y r < comes y q -> serves y r <= serves y q)
  /\ forall r q f, In r (requests y) -> In q (requests y) -> In f (requests y) ->
       from_sm y q = from_sm y r -> from_sm y f <> from_sm y r ->
       serves y r < serves y q -> comes y f < done y r -> serves y q < serves y f ->
       exists h, In h (requests y) /\ from_sm y h = from_sm y f /\
       serves y r < serves y h < serves y q.

(** Between numbers of [L] there are numbers of [H]. *)
Lemma between (f : nat -> nat) : forall n L H, length L = n -> NoDup L ->
  (forall r q, In r L -> In q L -> r <> q -> f r <> f q) ->
  (forall r q, In r L -> In q L -> f r < f q -> exists h, In h H /\ f r < f h < f q) ->
  length L <= length H + 1.
Proof.
  induction n as [|n IH]; intros L H Ln N D B; [lia|]. destruct L as [|x L0] eqn:E; [cbn; lia|].
  destruct (exists_max f (x :: L0) ltac:(discriminate)) as [a [Ha Ma]]. rewrite <- E in *.
  clear x L0 E. set (L1 := filter (fun c => negb (c =? a)) L).
  assert (length L1 = n) as L1n by (unfold L1; rewrite length_without by assumption; lia).
  destruct L1 as [|c L2] eqn:E1; [cbn in L1n; subst n; lia|].
  destruct (exists_max f (c :: L2) ltac:(discriminate)) as [b [Hb Mb]]. rewrite <- E1 in *.
  fold L1 in E1. assert (forall z, In z L1 -> In z L /\ z <> a) as In1.
  { intros z Hz. unfold L1 in *. apply filter_In in Hz as [Hz Nz].
    apply negb_true_iff, Nat.eqb_neq in Nz. auto. }
  destruct (In1 b Hb) as [HbL Nb]. pose proof (Ma b HbL) as Lb. pose proof (D b a HbL Ha Nb) as Db.
  destruct (B b a HbL Ha ltac:(lia)) as [h [Hh [B1 B2]]].
  set (H1 := filter (fun h => f h <? f b) H).
  assert (length L1 <= length H1 + 1) as A.
  { apply IH; [exact L1n|apply NoDup_filter, N| |].
    - intros r q Hr Hq. apply D; apply In1; assumption.
    - intros r q Hr Hq L3. destruct (B r q (proj1 (In1 r Hr)) (proj1 (In1 q Hq)) L3) as [g [Hg Bg]].
      exists g. split; [|exact Bg]. apply filter_In. split; [exact Hg|]. apply Nat.ltb_lt.
      specialize (Mb q Hq). lia. }
  assert (length H1 < length H) as S.
  { unfold H1. clear -Hh B1. induction H as [|x l IHl]; [destruct Hh|]. cbn [filter length].
    assert (length (filter (fun h => f h <? f b) l) <= length l) as Le
      by (clear; induction l as [|y l IH]; [apply le_n|]; cbn [filter length];
      destruct (f y <? f b); cbn [length]; lia).
    destruct Hh as [->|Hh]; [rewrite (proj2 (Nat.ltb_ge _ _)) by lia; lia|]. specialize (IHl Hh).
    destruct (f x <? f b); cbn [length]; lia. }
  lia.
Qed.

Section Waits.
  Variables (y : memory) (M s k : nat).
  Hypothesis Y : works y M s k.
  Variable f : nat.
  Hypothesis Hf : In f (requests y).

  (** Whatever has served since [f] came, up to [f] itself. *)
  Definition met : list nat := filter (fun r => (serves y r <=? serves y f)
    && (comes y f <? done y r)) (requests y).

  Lemma met_in r : In r met <-> In r (requests y) /\ serves y r <= serves y f /\
    comes y f < done y r.
  Proof. unfold met. rewrite filter_In, andb_true_iff, Nat.leb_le, Nat.ltb_lt. tauto. Qed.

  Lemma met_time : done y f <= comes y f + s * length met.
  Proof.
    pose proof (w_after _ _ _ _ Y f Hf). pose proof (w_time _ _ _ _ Y f Hf) as [F1 F2].
    set (p := fun t => comes y f <=? t).
    assert (cnt p (done y f) = done y f - comes y f) as E.
    { unfold p, done. generalize (serves y f + lasts y f). intros n.
      induction n as [|n IH]; [reflexivity|]. cbn [cnt]. rewrite IH.
      destruct (Nat.leb_spec (comes y f) n); lia. }
    assert (cnt p (done y f) <= cnt (fun t =>
      existsb (fun r => (serves y r <=? t) && (t <? done y r)) met) (done y f)) as A.
    { apply cnt_le. intros t Ht P. apply Nat.leb_le in P. apply existsb_exists.
      destruct (le_lt_dec (serves y f) t) as [L|L].
      - exists f. split; [apply met_in; unfold done in *; repeat split; auto; lia|].
        rewrite (proj2 (Nat.leb_le _ _) L), (proj2 (Nat.ltb_lt _ _) Ht). reflexivity.
      - destruct (w_busy _ _ _ _ Y f t Hf ltac:(lia)) as [q [Hq [Q1 Q2]]]. exists q.
        split; [apply met_in; repeat split; auto; lia|].
        rewrite (proj2 (Nat.leb_le _ _) Q1), (proj2 (Nat.ltb_lt _ _) Q2). reflexivity. }
    pose proof (cnt_exists (fun t r => (serves y r <=? t) && (t <? done y r)) met (done y f)) as B.
    assert (sum (fun r => cnt (fun t => (serves y r <=? t) && (t <? done y r)) (done y f)) met
      <= length met * s) as D.
    { apply sum_mul. intros r Hr. apply met_in in Hr as [Hr _]. pose proof (w_time _ _ _ _ Y r Hr).
      pose proof (cnt_interval (serves y r) (lasts y r) (done y f)). unfold done in *. lia. }
    rewrite Nat.mul_comm. lia.
  Qed.

  Lemma met_by_sm c : (forall i, i < M -> length (filter (fun r => from_sm y r =? i) met) <= c) ->
    length met <= M * c.
  Proof.
    intros H. rewrite <- (length_by_slot (from_sm y) M met).
    - pose proof (sum_mul (fun i => length (filter (fun r => from_sm y r =? i) met)) (seq 0 M) c)
        as A. rewrite seq_length in A. apply A. intros i Hi. apply in_seq in Hi. apply H. lia.
    - intros r Hr. apply met_in in Hr as [Hr _]. apply (w_sm _ _ _ _ Y r Hr).
  Qed.

  (** Those that had come by then are few. *)
  Lemma met_few i : i < M -> (forall r, In r met -> from_sm y r = i -> comes y r <= comes y f) ->
    length (filter (fun r => from_sm y r =? i) met) <= k.
  Proof.
    intros Hi H. etransitivity; [|apply (w_few _ _ _ _ Y i (comes y f) Hi)].
    apply NoDup_incl_length.
    - apply NoDup_filter, NoDup_filter, (w_distinct _ _ _ _ Y).
    - intros r Hr. apply filter_In in Hr as [Hr E].
      pose proof (proj1 (met_in r) Hr) as [R1 [R2 R3]]. apply filter_In. split; [exact R1|].
      rewrite E. apply Nat.eqb_eq in E. unfold pending.
      rewrite (proj2 (Nat.leb_le _ _) (H r Hr E)), (proj2 (Nat.ltb_lt _ _) R3). reflexivity.
  Qed.

  (** Of two that are served one is served first. *)
  Lemma served_apart r q : In r (requests y) -> In q (requests y) -> r <> q ->
    serves y r <> serves y q.
  Proof.
    intros Hr Hq N E. pose proof (w_time _ _ _ _ Y r Hr). pose proof (w_time _ _ _ _ Y q Hq).
    destruct (w_one _ _ _ _ Y r q Hr Hq N); unfold done in *; lia.
  Qed.

  (** *** Theorem 8: first come, first served *)
  Theorem first_come_wait : first_come y -> done y f <= comes y f + s * k * M.
  Proof.
    intros F. pose proof met_time as T. enough (length met <= M * k) by nia. apply met_by_sm.
    intros i Hi. apply (met_few i Hi). intros r Hr _. apply met_in in Hr as [Hr [S _]].
    destruct (le_lt_dec (comes y r) (comes y f)) as [L|L]; [exact L|exfalso].
    pose proof (F f r Hf Hr L). apply (served_apart r f Hr Hf); [intros ->; lia|lia].
  Qed.

  (** *** Theorem 8: in turns *)
  Theorem in_turns_wait : in_turns y -> done y f <= comes y f + s * k * M.
  Proof.
    intros [Own Turn]. pose proof met_time as T. enough (length met <= M * k) by nia.
    apply met_by_sm. intros i Hi. set (j := from_sm y f). pose proof (w_sm _ _ _ _ Y f Hf) as Hj.
    fold j in Hj. assert (forall r, In r met -> from_sm y r = j -> comes y r <= comes y f) as Old.
    { intros r Hr E. apply met_in in Hr as [Hr [S _]].
      destruct (le_lt_dec (comes y r) (comes y f)) as [L|L]; [exact L|exfalso].
      pose proof (Own f r Hf Hr (eq_sym E) L).
      apply (served_apart r f Hr Hf); [intros ->; lia|lia]. }
    pose proof (met_few j Hj Old) as Few. destruct (Nat.eq_dec i j) as [->|N]; [exact Few|].
    set (mine := filter (fun r => from_sm y r =? j) met) in *.
    assert (In f mine) as Hm.
    { apply filter_In. split; [|apply Nat.eqb_refl]. apply met_in.
      pose proof (w_after _ _ _ _ Y f Hf). pose proof (w_time _ _ _ _ Y f Hf). unfold done.
      repeat split; auto; lia. }
    assert (NoDup mine) as Nm by apply NoDup_filter, NoDup_filter, (w_distinct _ _ _ _ Y).
    pose proof (length_without f mine Nm Hm) as Lm.
    set (rest := filter (fun c => negb (c =? f)) mine) in *.
    assert (1 <= length mine) as One by (destruct mine; [destruct Hm|cbn; lia]).
    enough (length (filter (fun r => from_sm y r =? i) met) <= length rest + 1) by lia.
    assert (forall r, In r (filter (fun r => from_sm y r =? i) met) -> In r (requests y) /\
      serves y r <= serves y f /\ comes y f < done y r /\ from_sm y r = i) as In_i.
    { intros r Hr. apply filter_In in Hr as [Hr E]. apply met_in in Hr. apply Nat.eqb_eq in E.
      tauto. }
    apply (between (serves y) _ _ _ eq_refl).
    - apply NoDup_filter, NoDup_filter, (w_distinct _ _ _ _ Y).
    - intros r q Hr Hq. apply served_apart; apply In_i; assumption.
    - intros r q Hr Hq L.
      destruct (In_i r Hr) as [R1 [R2 [R3 R4]]], (In_i q Hq) as [Q1 [Q2 [Q3 Q4]]].
      assert (serves y q < serves y f) as Lq.
      { pose proof (served_apart q f Q1 Hf ltac:(intros ->; apply N; symmetry; exact Q4)). lia. }
      destruct (Turn r q f R1 Q1 Hf ltac:(congruence) ltac:(fold j; congruence) L R3 Lq)
        as [h [Hh [E [H1 H2]]]]. exists h. split; [|lia]. apply filter_In.
      split; [apply filter_In; split; [apply met_in|apply Nat.eqb_eq, E]|].
      + pose proof (w_time _ _ _ _ Y h Hh). split; [exact Hh|]. split; [lia|].
        destruct (w_one _ _ _ _ Y r h R1 Hh ltac:(intros ->; lia)) as [A|A];
          [unfold done in *; lia|]. unfold done in *. lia.
      + apply negb_true_iff, Nat.eqb_neq. intros ->. lia.
  Qed.
End Waits.
