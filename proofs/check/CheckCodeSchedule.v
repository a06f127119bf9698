(** * A checker of executions of machine code

    Decides M1 to M7, [valid] of sass/CodeMachine.v, and [kept] of sass/CodeSpill.v, of one
    schedule.  [near] lists by cycle who may hold something, or wait for it, then, and [first] a
    cycle in which M1 begins to hold of an instruction: both come from whoever asks, and are not
    trusted. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeReady CodeElb CodeSpill CheckCode.

Section Check.
  Variables (m : machine) (b : block) (s : schedule) (near : nat -> list key) (first : key -> nat).

  (** [x] is an instruction of the block. *)
  Definition in_block (x : key) : bool := (fst x <? length b) && (snd x <? len b (fst x)).

  Lemma in_block_ok x : in_block x = true -> In x (keys b).
  Proof.
    destruct x as [w k]. unfold in_block. rewrite andb_true_iff, !Nat.ltb_lt. intros H.
    apply in_keys, H.
  Qed.

  (** ** What holds units: [in_use], [in_queue] *)

  (** Some instruction near cycle [t] satisfies [p]. *)
  Definition some_near (t : nat) (p : key -> bool) : bool := existsb (fun y => p y && in_block y)
    (near t).

  Lemma some_near_ok t p : some_near t p = true -> exists y, In y (keys b) /\ p y = true.
  Proof.
    intros H. apply existsb_exists in H as [y [_ H]]. apply andb_prop in H as [H1 H2]. exists y.
    split; [apply in_block_ok, H2|exact H1].
  Qed.

  (** [y] holds unit [u] in cycle [t]. *)
  Definition held_b (u t : nat) (y : key) : bool :=
    existsb (fun i => (unit (st b y i) =? u) && holds b s y i t) (seq 0 (stages b y)).

  Lemma held_ok u t y : In y (keys b) -> held_b u t y = true ->
    exists i, at_stage b y i u /\ holds b s y i t = true.
  Proof.
    intros Hy H. apply existsb_exists in H as [i [Hi H]]. apply in_seq in Hi.
    apply andb_prop in H as [H1 H2]. apply Nat.eqb_eq in H1 as <-. exists i.
    split; [apply at_own; [exact Hy|lia]|exact H2].
  Qed.

  (** An instruction on [u] waits for its next unit in cycle [t]. *)
  Definition blocked_b (u t : nat) : bool := some_near t (fun y => existsb (fun i =>
    (unit (st b y i) =? u) && finite m (unit (st b y (S i))) && (D s y i + ah s y i <=? t)
      && (t <? D s y (S i))) (seq 0 (stages b y - 1))).

  Lemma blocked_ok u t : blocked_b u t = true -> blocked m b s u t.
  Proof.
    intros H. apply some_near_ok in H as [y [Hy H]]. apply existsb_exists in H as [i [Hi H]].
    apply in_seq in Hi. rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in H.
    destruct H as [[[<- HF] H1] H2]. exists y, i, (unit (st b y (S i))).
    split; [apply at_own; [exact Hy|lia]|]. split; [apply at_own; [exact Hy|lia]|].
    split; [apply finite_iff, HF|lia].
  Qed.

  (** [u] is held, or kept. *)
  Definition in_use_b (u t : nat) : bool := some_near t (held_b u t) || blocked_b u t.

  Lemma in_use_ok u t : in_use_b u t = true -> in_use m b s u t.
  Proof.
    intros H. apply orb_true_iff in H as [H|H]; [left|right; apply blocked_ok, H].
    apply some_near_ok in H as [y [Hy H]]. exists y. apply held_ok; assumption.
  Qed.

  (** An instruction waits in the queue of [u] in cycle [t]. *)
  Definition in_queue_b (u t : nat) : bool := some_near t (fun y =>
    (1 <=? stages b y) && (unit (st b y 0) =? u) && negb (latch m b y) && (L s y <=? t)
      && (t <? D s y 0)).

  Lemma in_queue_ok u t : in_queue_b u t = true -> in_queue b m s u t.
  Proof.
    intros H. apply some_near_ok in H as [y [Hy H]].
    rewrite !andb_true_iff, negb_true_iff, Nat.eqb_eq, !Nat.leb_le, Nat.ltb_lt in H.
    destruct H as [[[[H1 <-] H2] H3] H4]. exists y. split; [apply at_own; [exact Hy|lia]|]. auto.
  Qed.

  (** ** M3 *)

  (** The cycles from [a] to [z]. *)
  Definition times (a z : nat) : list nat := seq a (z - a).
  (** The counters of [k] allow its issue in cycle [t]. *)
  Definition counts_allow (w k t : nat) : bool := forallb (fun cn =>
    length (filter (fun j => t <? undone b s w j) (increments b (fst cn) w k)) <=? snd cn)
      (waits (get b (w, k))).

  (** Something keeps [k] from being chosen in cycle [t]. *)
  Definition excused (w k t : nat) : bool :=
    some_near t (fun y => (core m (fst y) =? core m w)
      && (issues s y t || ((I s y <=? t) && (t <? L s y))))
    || (1 <=? stages b (w, k)) &&
       (let u := unit (st b (w, k) 0) in
        if latch m b (w, k) then in_use_b u t
        else finite m u && negb (holds_issue m) && in_queue_b u t).

  (** Rule M6 holds for [x]. *)
  Definition conserving_b (x : key) : bool :=
    let (w, k) := x in
    match first x with 0 => true | S t => negb (counts_allow w k t) end
    && forallb (fun t => if (t <? P s x) || (V s x <=? t) then excused w k t else true)
         (times (max (max (N s x) (rel s (group m w) (sec (get b x)))) (first x)) (I s x)).

  Lemma excused_ok w k t : In (w, k) (keys b) -> excused w k t = true ->
    (exists y, In y (keys b) /\ core m (fst y) = core m w /\
      (issues s y t = true \/ I s y <= t < L s y))
    \/ (exists u, at_stage b (w, k) 0 u /\ latch m b (w, k) = true /\ in_use m b s u t)
    \/ (exists u, queued m b (w, k) /\ holds_issue m = false /\ at_stage b (w, k) 0 u /\
      in_queue b m s u t).
  Proof.
    intros Hk H. unfold excused in H. apply orb_true_iff in H as [H|H].
    - left. apply some_near_ok in H as [y [Hy H]].
      rewrite andb_true_iff, orb_true_iff, andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in H.
      exists y. tauto.
    - right. apply andb_prop in H as [H1 H]. apply Nat.leb_le in H1.
      pose proof (at_own b (w, k) 0 Hk ltac:(lia)) as Ha. cbv zeta in H.
      destruct (latch m b (w, k)) eqn:El.
      + left. exists (unit (st b (w, k) 0)). auto using in_use_ok.
      + right. rewrite !andb_true_iff, negb_true_iff in H. destruct H as [[HF HI] HQ].
        apply finite_iff in HF. exists (unit (st b (w, k) 0)).
        split; [exists (unit (st b (w, k) 0)); auto|]. split; [exact HI|].
        split; [exact Ha|apply in_queue_ok, HQ].
  Qed.

  Lemma fewer_later w t t' : t <= t' -> forall l, length (filter (fun j => t' <? undone b s w j) l)
    <= length (filter (fun j => t <? undone b s w j) l).
  Proof.
    intros Ht l. induction l as [|j l IH]; [apply le_n|]. cbn [filter].
    destruct (Nat.ltb_spec t' (undone b s w j)), (Nat.ltb_spec t (undone b s w j));
      cbn [length]; lia.
  Qed.

  Lemma conserving_ok w k t : In (w, k) (keys b) -> conserving_b (w, k) = true ->
    V s (w, k) <= I s (w, k) -> P s (w, k) <= V s (w, k) ->
    may_issue b m s w k t -> excused w k t = true.
  Proof.
    intros Hk H HV HP [Ht [HN [Hr Hw]]]. unfold conserving_b in H. apply andb_prop in H as [HF H].
    assert (first (w, k) <= t) as Hf.
    { destruct (first (w, k)) as [|t'] eqn:E; [lia|].
      destruct (le_lt_dec (S t') t) as [C|C]; [exact C|exfalso].
      enough (counts_allow w k t' = true) as X by (rewrite X in HF; discriminate).
      unfold counts_allow. apply forallb_forall. intros [c n] Hc. cbn [fst snd]. apply Nat.leb_le.
      etransitivity; [apply (fewer_later w t t'); lia|]. apply Hw, Hc. }
    rewrite forallb_forall in H. specialize (H t).
    assert (In t (times (max (max (N s (w, k)) (rel s (group m w) (sec (get b (w, k)))))
      (first (w, k))) (I s (w, k)))) as Hin.
    { apply in_seq. lia. }
    specialize (H Hin). destruct ((t <? P s (w, k)) || (V s (w, k) <=? t)) eqn:E; [exact H|].
    apply orb_false_iff in E as [E1 E2]. apply Nat.ltb_ge in E1. apply Nat.leb_gt in E2. lia.
  Qed.

  (** ** One instruction by itself *)

  (** The rules of stage [i] hold for [x]. *)
  Definition stage_b (x : key) (i : nat) : bool :=
    let st := st b x i in
    (ah s x i <=? hold st) && (atr s x i <=? transfer st) && (A s x i <=? D s x i)
    && (if ah s x i =? 0 then (D s x i =? A s x i)
      && (if S i <? stages b x then ah s x (S i) =? 0 else true) else true).

  (** Who waits for a stage, no own older one being in front. *)
  Definition own_before (w k u : nat) : nat :=
    list_max (flat_map (fun o => map (fun j => if unit (CodeMachine.st b (w, o) j) =?
      u then D s (w, o) j else 0) (seq 0 (stages b (w, o)))) (seq 0 k)).
  Definition busy_b (x : key) (i : nat) : bool :=
    let u := unit (st b x i) in
    let from := A s x i in
    if from <? D s x i then
      forallb (in_use_b u) (times (if clash m u then from else max from
        (own_before (fst x) (snd x) u)) (D s x i))
    else true.

  (** The events of [x] are in order. *)
  Definition events_b (x : key) : bool :=
    let i := get b x in
    (P s x <=? V s x) && (V s x <=? P s x + operand i) && (V s x <=? I s x) && (I s x <=? L s x)
    && (1 <=? aslot s x) && (aprobe s x + aslot s x <=? slot i) && (P s x + aprobe s x <=? V s x)
    && (aw s x <=? write i) && (ar s x <=? read i) && (rel s 0 (sec i) <=? P s x)
    && (if 1 <=? stages b x then 1 <=? ah s x 0 else true)
    && (if latch m b x then D s x 0 =? I s x else true)
    && ((L s x =? I s x) || ((1 <=? stages b x) && negb (latch m b x) && finite m (unit (st b x 0))
      && holds_issue m)) && (if (I s x <? L s x)
      && (1 <=? stages b x) then forallb (in_queue_b (unit (st b x 0))) (times (I s x) (L s x))
      else true) && (let (w, k) := x in match k with
        | 0 => N s x <=? rel s 0 0 + fetch i
        | S j => (N s x <=? L s (w, j) + max (stall (get b (w, j))) (fetch i))
             && (L s (w, j) <=? P s x)
        end).

  (** ** Pairs *)

  (** [x] and [y] do not have a unit or a slot at once. *)
  Definition apart_b (x y : key) : bool :=
    if (fst x =? fst y) && (snd x =? snd y) then true else
    each_stage b x (fun i => each_stage b y (fun j =>
      if unit (st b x i) =? unit (st b y j) then
        (if (1 <=? ah s x i) && (1 <=? ah s y j) && (D s x i <=? D s y j) then D s x i + ah s x i
          <=? D s y j else true) && (if (fst x =? fst y) && (snd x <? snd y)
          && negb (clash m (unit (st b x i))) && (1 <=? ah s y j)
            then D s x i <=? D s y j else true)
      else true)).

  (** ** Releases, of one thread block *)
  Variable rels : list nat.
  Definition rel_of (g q : nat) : nat := if g =? 0 then nth q rels (last rels 0) else 0.
  Definition deepest : nat := list_max (map (fun x => sec (get b x)) (keys b)).
  Definition arrivals (q : nat) : nat := list_max (rel_of 0 q
    :: map (fun x => if sec (get b x) <=? q then max (I s x + 1)
      (if bar (get b x) then E b s x else 0) else 0) (keys b)).
  Definition releases_b : bool :=
    forallb (fun q => (rel_of 0 q <=? rel_of 0 (S q))
      && (rel_of 0 (S q) <=? arrivals q + release m)) (seq 0 (length rels)) && each b (fun x =>
      (group m (fst x) =? 0) && (if sec (get b x) <? deepest then I s x <?
      rel_of 0 (S (sec (get b x))) else true)).

  Lemma rel_late q : length rels <= q -> rel_of 0 q = last rels 0.
  Proof. intros H. unfold rel_of. cbn [Nat.eqb]. apply nth_overflow, H. Qed.

  (** The schedule keeps all rules. *)
  Definition valid_b : bool :=
    each b (fun x => conserving_b x && events_b x
      && each_stage b x (fun i => stage_b x i && busy_b x i)) && forallb (fun x =>
      each b (apart_b x)) (keys b) && releases_b.

  Lemma own_before_le w k u t : (forall o j, o < k -> j < stages b (w, o) -> unit (st b (w, o) j)
    = u -> D s (w, o) j <= t) ->
    own_before w k u <= t.
  Proof.
    intros H. apply list_max_le_in. intros y Hy. apply in_flat_map in Hy as [o [Ho Hy]].
    apply in_map_iff in Hy as [j [<- Hj]]. apply in_seq in Ho, Hj.
    destruct (Nat.eqb_spec (unit (st b (w, o) j)) u) as [E|E]; [apply H; (exact E || lia)|lia].
  Qed.

  Section Sound.
    Hypotheses (OKb : valid_b = true) (Rel : forall g q, rel s g q = rel_of g q).

    Lemma good x : In x (keys b) -> conserving_b x = true /\ events_b x = true
      /\ forall i, i < stages b x -> stage_b x i = true /\ busy_b x i = true.
    Proof.
      intros Hx. unfold valid_b in OKb. rewrite !andb_true_iff in OKb. destruct OKb as [[H _] _].
      pose proof (each_ok _ _ H x Hx) as C. cbv beta in C. rewrite !andb_true_iff in C.
      destruct C as [[C1 C2] C3]. split; [exact C1|]. split; [exact C2|]. intros i Hi.
      pose proof (each_stage_ok _ _ _ C3 i Hi) as F. cbv beta in F. apply andb_prop in F. exact F.
    Qed.

    Lemma good_pair x y i j u : at_stage b x i u -> at_stage b y j u -> x <> y ->
      (1 <= ah s x i -> 1 <= ah s y j -> D s x i <= D s y j -> D s x i + ah s x i <= D s y j)
      /\ (fst x = fst y -> snd x < snd y -> clash m u = false -> 1 <= ah s y j -> D s x i
           <= D s y j).
    Proof.
      intros [Hx [Hi Ex]] [Hy [Hj Ey]] Hn. unfold valid_b in OKb.
      rewrite !andb_true_iff, forallb_forall in OKb. destruct OKb as [[_ H] _].
      pose proof (each_ok _ _ (H x Hx) y Hy) as C. unfold apart_b in C.
      destruct ((fst x =? fst y) && (snd x =? snd y)) eqn:E.
      { exfalso. rewrite andb_true_iff, !Nat.eqb_eq in E. destruct x, y, E. cbn in *. subst.
        congruence. }
      pose proof (each_stage_ok _ _ _ (each_stage_ok _ _ _ C i Hi) j Hj) as F. cbv beta in F.
      rewrite Ex, Ey, Nat.eqb_refl in F. apply andb_prop in F as [F1 F2]. split.
      - intros A1 A2 A3. rewrite !(proj2 (Nat.leb_le _ _)) in F1 by assumption.
        apply Nat.leb_le, F1.
      - intros A1 A2 A3 A4. rewrite A1, Nat.eqb_refl, (proj2 (Nat.ltb_lt _ _) A2), A3,
          (proj2 (Nat.leb_le _ _) A4) in F2. apply Nat.leb_le, F2.
    Qed.

    Lemma good_releases q : rel_of 0 q <= rel_of 0 (S q) /\
      rel_of 0 (S q) <= arrivals q + release m.
    Proof.
      destruct (le_lt_dec (length rels) q) as [C|C].
      - rewrite !rel_late by lia. split; [lia|]. enough (last rels 0 <= arrivals q) by lia.
        apply list_max_ge. left. apply rel_late, C.
      - unfold valid_b, releases_b in OKb. rewrite !andb_true_iff in OKb. destruct OKb as [_ [H _]].
        rewrite forallb_forall in H. specialize (H q ltac:(apply in_seq; lia)).
        rewrite andb_true_iff, !Nat.leb_le in H. exact H.
    Qed.

    Lemma good_group x : In x (keys b) -> group m (fst x) = 0 /\
      (sec (get b x) < deepest -> I s x < rel_of 0 (S (sec (get b x)))).
    Proof.
      intros Hx. unfold valid_b, releases_b in OKb. rewrite !andb_true_iff in OKb.
      destruct OKb as [_ [_ H]]. pose proof (each_ok _ _ H x Hx) as C. cbv beta in C.
      apply andb_prop in C as [C1 C2]. apply Nat.eqb_eq in C1. split; [exact C1|]. intros Hs.
      rewrite (proj2 (Nat.ltb_lt _ _) Hs) in C2. apply Nat.ltb_lt, C2.
    Qed.

    Lemma rel_grows q n : rel_of 0 q <= rel_of 0 (q + n).
    Proof.
      induction n as [|n IH]; [rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r.
      pose proof (good_releases (q + n)). lia.
    Qed.

    Lemma good_events x : In x (keys b) ->
      (P s x <= V s x <= P s x + operand (get b x)) /\ (V s x <= I s x <= L s x)
      /\ (1 <= aslot s x /\ aprobe s x + aslot s x <= slot (get b x)) /\ P s x + aprobe s x <= V s x
      /\ aw s x <= write (get b x) /\ ar s x <= read (get b x) /\ rel s 0 (sec (get b x)) <= P s x
      /\ (1 <= stages b x -> 1 <= ah s x 0) /\ (latch m b x = true -> D s x 0 = I s x)
      /\ (L s x = I s x \/ queued m b x /\ holds_issue m = true)
      /\ (1 <= stages b x -> forall t, I s x <= t < L s x -> in_queue_b (unit (st b x 0)) t = true)
      /\ match snd x with
         | 0 => N s x <= rel s 0 0 + fetch (get b x)
         | S j => N s x <= L s (fst x, j) + max (stall (get b (fst x, j))) (fetch (get b x)) /\
              L s (fst x, j) <= P s x
         end.
    Proof.
      intros Hx. pose proof (proj1 (proj2 (good x Hx))) as H. unfold events_b in H. cbv zeta in H.
      repeat match type of H with _ && _ = true => let C := fresh "C" in apply andb_prop in H
        as [H C] end. apply Nat.leb_le in H, C4, C5, C6, C7, C8, C9, C10, C11, C12.
      do 7 (split; [lia|]). split. { intros Hs. rewrite (proj2 (Nat.leb_le _ _) Hs) in C3.
      apply Nat.leb_le, C3. } split. { intros Hl. rewrite Hl in C2. apply Nat.eqb_eq, C2. } split.
      { apply orb_true_iff in C1 as [C1|C1]; [left; apply Nat.eqb_eq, C1|right].
        apply andb_prop in C1 as [C1 E4]. apply andb_prop in C1 as [C1 E3].
        apply andb_prop in C1 as [E1 E2]. apply Nat.leb_le in E1. split; [|exact E4].
        exists (unit (st b x 0)). split; [apply at_own; [exact Hx|lia]|].
        split; [apply negb_true_iff, E2|apply finite_iff, E3]. }
      split.
      { intros Hs t Ht. rewrite (proj2 (Nat.ltb_lt _ _)), (proj2 (Nat.leb_le _ _) Hs) in C0 by lia.
        cbn [andb] in C0. rewrite forallb_forall in C0. apply C0, in_seq. lia. }
      destruct x as [w k]. cbn [fst snd]. destruct k as [|j]; [apply Nat.leb_le, C|].
      apply andb_prop in C as [X Y]. apply Nat.leb_le in X, Y. auto.
    Qed.

    Lemma good_stage x i : In x (keys b) -> i < stages b x ->
      ah s x i <= hold (st b x i) /\ atr s x i <= transfer (st b x i) /\ A s x i <= D s x i
      /\ (ah s x i = 0 -> D s x i = A s x i /\ (S i < stages b x -> ah s x (S i) = 0)).
    Proof.
      intros Hx Hi. pose proof (proj1 (proj2 (proj2 (good x Hx)) i Hi)) as H. unfold stage_b in H.
      cbv zeta in H. apply andb_prop in H as [H C]. apply andb_prop in H as [H C1].
      apply andb_prop in H as [H C2]. apply Nat.leb_le in H, C1, C2. do 3 (split; [assumption|]).
      intros H0. rewrite H0 in C. cbn [Nat.eqb] in C. apply andb_prop in C as [C3 C4].
      apply Nat.eqb_eq in C3. split; [exact C3|]. intros Hs.
      rewrite (proj2 (Nat.ltb_lt _ _) Hs) in C4. apply Nat.eqb_eq, C4.
    Qed.

    Lemma good_start x q : In x (keys b) -> rel s (group m (fst x)) q = rel s 0 q.
    Proof. intros Hx. destruct (good_group x Hx) as [-> _]. reflexivity. Qed.

    Lemma valid_ok : valid m b s.
    Proof.
      split; try (intros x Hx; destruct (good_events x Hx)
        as [E1 [E2 [E3 [E4 [E5 [E6 [E7 [E8 [E9 [E10 [E11 E12]]]]]]]]]]]; assumption);
        try (intros x i Hx Hi; apply good_stage; assumption).
      - intros x i Hx Hi H0. apply (good_stage x i Hx ltac:(lia)); assumption.
      - intros x i Hx Hi H0 _. apply (good_stage x i Hx Hi), H0.
      - intros w k Hk. destruct (good_events _ Hk) as [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ H]]]]]]]]]]].
        apply H.
      - intros w Hk. destruct (good_events _ Hk) as [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ H]]]]]]]]]]].
        rewrite (good_start (w, 0) 0 Hk : rel s (group m w) 0 = _). exact H.
      - intros w k Hk. destruct (good_events _ Hk) as [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ H]]]]]]]]]]].
        apply H.
      - intros x Hx. rewrite good_start by exact Hx. apply (good_events x Hx).
      - intros w k t Hk Hm. destruct (good_events _ Hk) as [E1 [E2 _]].
        apply excused_ok; [exact Hk|]. apply conserving_ok; auto; [apply good, Hk|lia|lia].
      - intros w k i u t [Hx [Hi Eu]] Ht Ho.
        pose proof (proj2 (proj2 (proj2 (good _ Hx)) i Hi)) as C. unfold busy_b in C. cbv zeta in C.
        rewrite (proj2 (Nat.ltb_lt _ _)) in C by lia. rewrite forallb_forall in C. subst u.
        apply in_use_ok, C, in_seq. cbn [fst snd].
        destruct (clash m (unit (st b (w, k) i))) eqn:Ec; [lia|].
        pose proof (own_before_le w k (unit (st b (w, k) i)) t) as OB.
        enough (own_before w k (unit (st b (w, k) i)) <= t) by lia. apply OB. intros o j H1 H2 H3.
        apply Ho; auto. split; [|auto]. eapply keys_before; [exact Hx|lia].
      - intros x u t [Hx [Hi Eu]] Ht.
        destruct (good_events x Hx) as [_ [_ [_ [_ [_ [_ [_ [_ [_ [_ [H _]]]]]]]]]]]. subst u.
        apply in_queue_ok, H; [lia|exact Ht].
      - intros w o k i j u Ho Hk Hc Hlt Ha.
        destruct (good_pair _ _ _ _ _ Ho Hk ltac:(intros E; injection E as E; lia)) as [_ G].
        apply G; auto.
      - intros x y i j u Hx Hy Hn H1 H2 H3. destruct (good_pair _ _ _ _ _ Hx Hy Hn) as [G _]. auto.
      - intros g q n HI HE Hq. rewrite !Rel in *. destruct (Nat.eqb_spec g 0) as [->|Hg].
        + etransitivity; [apply good_releases|]. apply Nat.add_le_mono_r. apply list_max_le_in.
          intros y [<-|Hy]; [exact Hq|]. apply in_map_iff in Hy as [x [<- Hx]].
          destruct (Nat.leb_spec (sec (get b x)) q) as [C|C]; [|lia].
          pose proof (HI x Hx (proj1 (good_group x Hx)) C).
          pose proof (HE x Hx (proj1 (good_group x Hx)) C).
          destruct (bar (get b x)); [specialize (H0 eq_refl)|]; lia.
        + unfold rel_of. rewrite (proj2 (Nat.eqb_neq _ _) Hg). lia.
      - intros g q. rewrite !Rel. destruct (Nat.eqb_spec g 0) as [->|Hg]; [apply good_releases|].
        unfold rel_of. rewrite (proj2 (Nat.eqb_neq _ _) Hg). lia.
      - intros x y q Hx Hy Hg H1 H2. rewrite Rel. destruct (good_group x Hx) as [-> G].
        assert (sec (get b y) <= deepest) by (apply list_max_ge, in_map_iff; eauto).
        specialize (G ltac:(lia)).
        pose proof (rel_grows (S (sec (get b x))) (q - sec (get b x))) as R1.
        replace (S (sec (get b x)) + (q - sec (get b x))) with (S q) in R1 by lia. lia.
    Qed.
  End Sound.
End Check.

(** *** What is accepted keeps the rules.  Releases are those of one thread block. *)
Theorem code_valid_ok m b s near first rels :
  valid_b m b s near first rels = true -> (forall g q, rel s g q = rel_of rels g q) ->
  valid m b s.
Proof. intros H HR. apply (valid_ok m b s near first rels H HR). Qed.

(** ** What Q takes for granted besides *)
Definition kept_b (b : block) (s : schedule) (least : key -> nat) : bool :=
  each b (fun x => let (w, k) := x in
    (if S k <? len b w
     then (I s x + max 1 (least x) <=? P s (w, S k)) && (L s x + aslot s x <=? P s (w, S k) + 1)
       else true) && forallb (fun cn => if snd cn =? 0 then
         forallb (fun j => if I s (w, fst j) + 2 <=? P s x then undone b s w j <=? P s x else true)
           (increments b (fst cn) w k)
       else true) (waits (get b x))).

(** The checker accepts only executions that keep the stall counts [least]. *)
Theorem kept_ok b s least : kept_b b s least = true -> kept b s least.
Proof.
  intros H. assert (forall w k, In (w, S k) (keys b) -> I s (w, k) + max 1 (least (w, k))
    <= P s (w, S k) /\ L s (w, k) + aslot s (w, k) <= P s (w, S k) + 1) as A.
  { intros w k Hk. assert (In (w, k) (keys b)) as Kk by (eapply keys_before; [exact Hk|lia]).
    pose proof (each_ok _ _ H _ Kk) as C. cbv beta iota in C. apply andb_prop in C as [C _].
    apply in_keys in Hk. rewrite (proj2 (Nat.ltb_lt _ _)) in C by lia.
    apply andb_prop in C as [C1 C2]. apply Nat.leb_le in C1, C2. auto. }
  split; [apply A|apply A|].
  - intros w k c j Hk Hc Hj HI. pose proof (each_ok _ _ H _ Hk) as C. cbv beta iota in C.
    apply andb_prop in C as [_ C]. rewrite forallb_forall in C. specialize (C _ Hc).
    cbn [fst snd Nat.eqb] in C. rewrite forallb_forall in C. specialize (C _ Hj).
    rewrite (proj2 (Nat.leb_le _ _) HI) in C. apply Nat.leb_le, C.
Qed.
