(** * Rules that hold outside of a set of cycles: theorem 7 of docs/machine-code-bounds.md

    [off t]: cycle [t] is in the page's V, in which the machine may stand still, as while a page of
    memory is translated or DRAM serves a sector.  src/memory/requests/fills.c counts these pages
    and sectors, src/bound/method/beside.c the cycles that they take at most: no more, if levels are
    as in memory/Fills.v.  That the rules hold but for them is on paper.  [outside]: M1 to M7 hold
    outside of V.  There M3, M4 and M5 hold; fetches, operands, transfers, results and holds take no
    longer if only cycles outside of V count.  Stalls, slots, latches, and the least stalls of
    [kept], pass in V, too, the delay of a release in V or not.

    Leave out V: each event is at its number of cycles outside of V ([drawn]).  Times get shorter,
    so they are as long as before at most; order stays, but not strictly.  That is [enough], so that
    every bound that is proven of [enough] holds of [drawn], and with |V| added of the schedule
    itself.  V are whole cycles here; parts of cycles are on paper. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeKept.

Section Clock.
  Variable off : nat -> bool.

  (** Cycles outside of V before [t]. *)
  Definition on (t : nat) : nat := cnt (fun t => negb (off t)) t.

  Lemma on_mono x y : x <= y -> on x <= on y.
  Proof. apply cnt_mono. Qed.

  Lemma on_step t : on (S t) = on t + if off t then 0 else 1.
  Proof. unfold on. cbn [cnt]. destruct (off t); reflexivity. Qed.

  Lemma on_add t a : on (t + a) <= on t + a.
  Proof.
    induction a as [|a IH]; [rewrite !Nat.add_0_r; apply le_n|]. rewrite Nat.add_succ_r, on_step.
    destruct (off _); lia.
  Qed.

  (** Nothing in real time takes longer. *)
  Lemma on_within x y a : y <= x + a -> on y <= on x + a.
  Proof. intros H. etransitivity; [apply on_mono, H|apply on_add]. Qed.

  Lemma on_off t : on t + cnt off t = t.
  Proof. rewrite Nat.add_comm. apply cnt_neg. Qed.

  Lemma on_le t : on t <= t.
  Proof. pose proof (on_off t). lia. Qed.

  (** In a cycle outside of V what has come, and what has not, is as by the number. *)
  Lemma on_come t x : off t = false -> x <= t <-> on x <= on t.
  Proof.
    intros H. split; [apply on_mono|]. intros L. destruct (le_lt_dec x t) as [|C]; [assumption|].
    pose proof (on_mono (S t) x C) as G. rewrite on_step, H in G. lia.
  Qed.

  Lemma on_yet t x : off t = false -> t < x <-> on t < on x.
  Proof. intros H. pose proof (on_come t x H). lia. Qed.

  (** The cycle with a number. *)
  Lemma reached n x : n < on x -> {t | t < x /\ off t = false /\ on t = n}.
  Proof.
    induction x as [|x IH]; [cbn; intros; exfalso; lia|]. rewrite on_step. intros H.
    destruct (off x) eqn:E; [rewrite Nat.add_0_r in H; destruct (IH H) as [t Ht];
      exists t; intuition lia|].
    destruct (Nat.eq_dec n (on x)) as [->|C]; [exists x; auto|].
    destruct (IH ltac:(lia)) as [t Ht]. exists t. intuition lia.
  Qed.
End Clock.

(** M1 to M7 outside of V. *)
Record outside (off : nat -> bool) (m : machine) (b : block) (s : schedule) : Prop := {
  q_hold : forall x i, In x (keys b) -> i < stages b x ->
    on off (D s x i + ah s x i) <= on off (D s x i) + hold (st b x i);
  q_fixed : forall x, In x (keys b) -> latch m b x = true -> ah s x 0 <= hold (st b x 0);
  q_transfer : forall x i, In x (keys b) -> i < stages b x ->
    on off (D s x i + ah s x i + atr s x i)
      <= on off (D s x i + ah s x i) + transfer (st b x i);
  q_write : forall x, In x (keys b) ->
    on off (E b s x + aw s x) <= on off (E b s x) + write (get b x);
  q_read : forall x, In x (keys b) ->
    on off (E b s x + ar s x) <= on off (E b s x) + read (get b x);
  q_first : forall x, In x (keys b) -> 1 <= stages b x -> 1 <= ah s x 0;
  q_pass : forall x i, In x (keys b) -> S i < stages b x -> ah s x i = 0 -> ah s x (S i) = 0;
  q_passed : forall x i, In x (keys b) -> i < stages b x -> ah s x i = 0 ->
    clash m (unit (st b x i)) = false -> on off (D s x i) <= on off (A s x i);
  (* M1 *)
  q_pace : forall w k, In (w, S k) (keys b) -> on off (N s (w, S k))
    <= on off (L s (w, k)) + max (stall (get b (w, k))) (fetch (get b (w, S k)));
  q_pace0 : forall w, In (w, 0) (keys b) ->
    on off (N s (w, 0)) <= on off (rel s (group m w) 0) + fetch (get b (w, 0));
  q_order : forall w k, In (w, S k) (keys b) -> L s (w, k) <= P s (w, S k);
  q_opened : forall x, In x (keys b) -> rel s (group m (fst x)) (sec (get b x)) <= P s x;
  q_constant : forall x, In x (keys b) ->
    P s x <= V s x /\ on off (V s x) <= on off (P s x) + operand (get b x);
  q_issue : forall x, In x (keys b) -> V s x <= I s x <= L s x;
  q_ask : forall x i, In x (keys b) -> i < stages b x -> A s x i <= D s x i;
  (* M2 *)
  q_slot : forall x, In x (keys b) -> 1 <= aslot s x /\ aprobe s x + aslot s x <= slot (get b x);
  q_probe : forall x, In x (keys b) -> P s x + aprobe s x <= V s x;
  (* M3 *)
  q_conserving : forall w k t, off t = false -> In (w, k) (keys b) -> may_issue b m s w k t ->
    (exists y, In y (keys b) /\ core m (fst y) = core m w
       /\ (issues s y t = true \/ I s y <= t < L s y))
    \/ (exists u, at_stage b (w, k) 0 u /\ latch m b (w, k) = true /\ in_use m b s u t)
    \/ (exists u, queued m b (w, k) /\ holds_issue m = false /\ at_stage b (w, k) 0 u /\
      in_queue b m s u t);
  q_latch : forall x, In x (keys b) -> latch m b x = true -> D s x 0 = I s x;
  q_room : forall x, In x (keys b) -> L s x = I s x \/ (queued m b x /\ holds_issue m = true);
  (* M4, M5 *)
  q_serves : forall w k i u t, off t = false ->
    at_stage b (w, k) i u -> A s (w, k) i <= t < D s (w, k) i ->
    (clash m u = false -> forall o j, o < k -> at_stage b (w, o) j u -> D s (w, o) j <= t) ->
    in_use m b s u t;
  q_full : forall x u t, off t = false -> at_stage b x 0 u -> I s x <= t < L s x ->
    in_queue b m s u t;
  (* M6 *)
  q_in_order : forall w o k i j u, at_stage b (w, o) i u -> at_stage b (w, k) j u ->
    clash m u = false -> o < k -> 1 <= ah s (w, k) j -> D s (w, o) i <= D s (w, k) j;
  q_alone : forall x y i j u, at_stage b x i u -> at_stage b y j u -> x <> y ->
    1 <= ah s x i -> D s x i <= D s y j -> 1 <= ah s y j -> D s x i + ah s x i <= D s y j;
  (* M7 *)
  q_release : forall g q n,
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) <= q -> I s x < n) ->
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) <= q -> bar (get b x) = true ->
      E b s x <= n) ->
    rel s g q <= n ->
    on off (rel s g (S q)) <= on off n + release m;
  q_releases : forall g q, rel s g q <= rel s g (S q);
  q_arrived : forall x y q, In x (keys b) -> In y (keys b) -> group m (fst x) = group m (fst y) ->
    sec (get b x) <= q -> q < sec (get b y) -> I s x < rel s (group m (fst x)) (S q) }.

(** The schedule without V. *)
Definition drawn (off : nat -> bool) (b : block) (s : schedule) : schedule :=
  let c := on off in
  let span x y := c (x + y) - c x in
  Schedule (fun x => c (P s x)) (fun x => c (V s x)) (fun x => c (I s x)) (fun x => c (L s x))
    (fun x => c (N s x)) (fun x i => c (D s x i)) (fun x i => span (D s x i) (ah s x i))
    (fun x i => span (D s x i + ah s x i) (atr s x i))
    (fun x => span (E b s x) (aw s x)) (fun x => span (E b s x) (ar s x))
    (fun x => span (L s x) (aslot s x)) (fun x => span (P s x) (aprobe s x))
    (fun g q => c (rel s g q)).

Section Drawn.
  Variables (off : nat -> bool) (m : machine) (b : block) (s : schedule).
  Notation c := (on off).
  Notation s' := (drawn off b s).

  Lemma span_end x y : c x + (c (x + y) - c x) = c (x + y).
  Proof. pose proof (on_mono off x (x + y) ltac:(lia)). lia. Qed.

  Lemma drawn_hold x i : D s' x i + ah s' x i = c (D s x i + ah s x i).
  Proof. apply span_end. Qed.

  Lemma drawn_A x i : A s' x i = c (A s x i).
  Proof.
    destruct i as [|i]; [reflexivity|]. cbn [A drawn D ah atr]. rewrite span_end. apply span_end.
  Qed.

  Lemma drawn_E x : E b s' x = c (E b s x).
  Proof. unfold E. destruct (stages b x); [reflexivity|apply drawn_hold]. Qed.

  Lemma drawn_undone w j : undone b s' w j = c (undone b s w j).
  Proof. unfold undone. rewrite drawn_E. destruct (snd j); apply span_end. Qed.

  Lemma drawn_slot x : L s' x + aslot s' x = c (L s x + aslot s x).
  Proof. apply span_end. Qed.

  Section Cycle.
    Variable t : nat.
    Hypothesis Ht : off t = false.

    Lemma drawn_in x y : c x <= c t < c y <-> x <= t < y.
    Proof. rewrite <- (on_come off t x Ht), <- (on_yet off t y Ht). reflexivity. Qed.

    Lemma drawn_holds y i : holds b s y i t = true -> holds b s' y i (c t) = true.
    Proof. rewrite !holds_iff, drawn_hold. cbn [D drawn]. rewrite drawn_in. tauto. Qed.

    Lemma drawn_issues y : issues s y t = true -> issues s' y (c t) = true.
    Proof.
      rewrite !issues_iff, drawn_slot. cbn [P L aprobe drawn]. rewrite span_end, !drawn_in. tauto.
    Qed.

    Lemma drawn_taken u : taken m b s u t -> taken m b s' u (c t).
    Proof. intros [y [i [v [Hy [HB Hh]]]]]. exists y, i, v. auto using drawn_holds. Qed.

    Lemma drawn_blocked u : blocked m b s u t -> blocked m b s' u (c t).
    Proof.
      intros [y [i [v [H1 [H2 [H3 H4]]]]]]. exists y, i, v. rewrite drawn_hold. cbn [D drawn].
      rewrite drawn_in. auto.
    Qed.

    Lemma drawn_in_use u : in_use m b s u t -> in_use m b s' u (c t).
    Proof.
      intros [[y [i [H1 H2]]]|H]; [left; exists y, i; auto using drawn_holds|right].
      apply drawn_blocked, H.
    Qed.

    Lemma drawn_queue u : in_queue b m s u t -> in_queue b m s' u (c t).
    Proof. intros [y [H1 [H2 H3]]]. exists y. cbn [L D drawn]. rewrite drawn_in. auto. Qed.

    Lemma drawn_may w k : may_issue b m s' w k (c t) -> may_issue b m s w k t.
    Proof.
      intros [H1 [H2 [H3 H4]]]. cbn [P V I N rel drawn] in *.
      rewrite <- (on_yet off t _ Ht), drawn_in in H1. apply (on_come off t _ Ht) in H2, H3.
      split; [exact H1|]. split; [exact H2|]. split; [exact H3|]. intros d n Hd.
      specialize (H4 d n Hd). etransitivity; [|exact H4]. apply filter_le. intros j _ Hj.
      rewrite drawn_undone. apply Nat.ltb_lt, (on_yet off t _ Ht). apply Nat.ltb_lt, Hj.
    Qed.
  End Cycle.

  Hypotheses (WF : wf m b) (OK : outside off m b s).

  Lemma drawn_follows w o k i j u : at_stage b (w, o) i u -> at_stage b (w, k) j u ->
    clash m u = false -> o < k -> 1 <= ah s (w, k) j -> D s (w, o) i + ah s (w, o) i <= D s (w, k)
      j.
  Proof.
    intros Ho Hk C Hlt H. pose proof (q_in_order _ _ _ _ OK w o k i j u Ho Hk C Hlt H) as Hd.
    destruct (Nat.eq_dec (ah s (w, o) i) 0) as [E|]; [lia|].
    apply (q_alone _ _ _ _ OK _ _ i j u Ho Hk); [intros X; injection X; lia|lia|exact Hd|lia].
  Qed.

  Lemma outside_held u t : off t = false -> In u (units_of b) -> in_use m b s u t ->
    taken m b s u t.
  Proof.
    intros Ht. apply (held_behind m b s t WF).
    - intros w k i v. apply (q_serves _ _ _ _ OK), Ht.
    - intros x j v Hv Q H. pose proof (at_key _ _ _ _ Hv) as Hx.
      pose proof (q_transfer _ _ _ _ OK x j Hx ltac:(destruct Hv; lia)) as T.
      rewrite (w_transfer _ _ WF x j v Hv Q) in T. apply (on_come off t _ Ht). cbn [A].
      pose proof (on_mono off _ _ H). lia.
    - intros x j v [Hx [Hj <-]] C Z H. apply (on_come off t _ Ht).
      pose proof (q_passed _ _ _ _ OK x (S j) Hx Hj (q_pass _ _ _ _ OK x j Hx Hj Z) C).
      pose proof (on_mono off _ _ H). lia.
    - intros w o k j v Ho Hk. apply drawn_follows; assumption.
  Qed.

  (** *** Without V the schedule keeps enough of the rules. *)
  Theorem outside_enough :
    enough m b s' (fun x => c (S (I s x))) (fun x i => 0 <? ah s x i).
  Proof.
    split.
    - intros x i Hx Hi. pose proof (q_hold _ _ _ _ OK x i Hx Hi). cbn. lia.
    - intros x i Hx Hi. pose proof (q_transfer _ _ _ _ OK x i Hx Hi). cbn. lia.
    - intros x Hx. pose proof (q_write _ _ _ _ OK x Hx). cbn. lia.
    - intros x Hx. pose proof (q_read _ _ _ _ OK x Hx). cbn. lia.
    - intros x i _ _ H. cbn in H. apply Nat.ltb_lt. destruct (ah s x i); [|lia].
      rewrite Nat.add_0_r in H. lia.
    - intros x i Hx Hi H. apply Nat.ltb_lt in H. apply Nat.ltb_lt.
      destruct (Nat.eq_dec (ah s x i) 0) as [E|]; [|lia].
      pose proof (q_pass _ _ _ _ OK x i Hx Hi E). lia.
    - intros x i Hx Hi C H. rewrite drawn_A in H. cbn in H. apply Nat.ltb_lt.
      destruct (Nat.eq_dec (ah s x i) 0) as [E|]; [|lia].
      pose proof (q_passed _ _ _ _ OK x i Hx Hi E C). lia.
    - apply (q_pace _ _ _ _ OK).
    - apply (q_pace0 _ _ _ _ OK).
    - intros w k Hk. apply on_mono, (q_order _ _ _ _ OK w k Hk).
    - intros x Hx. apply on_mono, (q_opened _ _ _ _ OK x Hx).
    - intros x Hx. destruct (q_constant _ _ _ _ OK x Hx) as [H1 H2].
      split; [apply on_mono, H1|exact H2].
    - intros x Hx. destruct (q_issue _ _ _ _ OK x Hx). split; apply on_mono; assumption.
    - intros x i Hx Hi. rewrite drawn_A. apply on_mono, (q_ask _ _ _ _ OK x i Hx Hi).
    - intros x Hx. pose proof (q_slot _ _ _ _ OK x Hx). cbn.
      pose proof (on_add off (L s x) (aslot s x)). pose proof (on_add off (P s x) (aprobe s x)).
      lia.
    - intros x Hx. cbn. rewrite span_end. apply on_mono, (q_probe _ _ _ _ OK x Hx).
    - intros x Hx. rewrite drawn_slot. pose proof (q_slot _ _ _ _ OK x Hx).
      pose proof (q_issue _ _ _ _ OK x Hx). split; apply on_mono; lia.
    - intros w k t' Hk Hm.
      assert (exists t, off t = false /\ c t = t') as [t [Ht <-]].
      { destruct Hm as [Hm _]. cbn in Hm. destruct Hm as [Hm|[_ Hm]];
          destruct (reached off _ _ Hm) as [t [_ Ht]]; eauto. }
      destruct (q_conserving _ _ _ _ OK w k t Ht Hk (drawn_may t Ht w k Hm))
        as [[y [H1 [H2 [H3|H3]]]]|[[u [H1 [H2 H3]]]|[u [H1 [H2 [H3 H4]]]]]].
      + left. exists y. auto using drawn_issues.
      + left. exists y. split; [exact H1|]. split; [exact H2|]. right. cbn. rewrite drawn_in; auto.
      + right. left. exists u. auto using drawn_in_use.
      + right. right. exists u. auto using drawn_queue.
    - intros x Hx Hl. cbn. rewrite (q_latch _ _ _ _ OK x Hx Hl). reflexivity.
    - intros x Hx. cbn. destruct (q_room _ _ _ _ OK x Hx) as [->|H]; auto.
    - intros w k i u t' Hk Ht' Hb. rewrite drawn_A in Ht'. cbn in Ht', Hb.
      destruct (reached off t' _ (proj2 Ht')) as [t [_ [Ht <-]]].
      rewrite drawn_in in Ht' by exact Ht.
      apply (drawn_taken t Ht), (outside_held u t Ht (at_unit _ _ _ _ Hk)),
        (q_serves _ _ _ _ OK w k i u t Ht Hk Ht').
      intros C o j Ho Hj. apply (on_come off t _ Ht), (Hb C o j Ho Hj).
    - intros x u t' Hx Ht'. cbn in Ht'. destruct (reached off t' _ (proj2 Ht')) as [t [_ [Ht <-]]].
      rewrite drawn_in in Ht' by exact Ht.
      apply (drawn_queue t Ht), (q_full _ _ _ _ OK x u t Ht Hx Ht').
    - intros w o k i j u Ho Hk C Hlt H. rewrite drawn_hold. apply on_mono. apply Nat.ltb_lt in H.
      apply (drawn_follows w o k i j u Ho Hk C Hlt H).
    - intros g q n H1 H2 H3.
      set (mine := filter (fun x => (group m (fst x) =? g) && (sec (get b x) <=? q)) (keys b)).
      assert (forall x, In x mine <-> In x (keys b) /\ group m (fst x) = g /\ sec (get b x) <= q)
        as Hm.
      { intros x. unfold mine. rewrite filter_In, andb_true_iff, Nat.eqb_eq, Nat.leb_le. tauto. }
      set (ns := rel s g q :: map (fun x => S (I s x)) mine
        ++ map (E b s) (filter (fun x => bar (get b x)) mine)).
      assert (c (list_max ns) <= n) as Hn.
      { assert (forall n', In n' ns -> c n' <= n) as A; [|apply A, list_max_in; discriminate].
        intros n' [<-|Hn]; [exact H3|].
        apply in_app_or in Hn as [Hn|Hn]; apply in_map_iff in Hn as [x [<- Hn]].
        - apply Hm in Hn as [Hx [Hg Hs]]. specialize (H1 x Hx Hg Hs). rewrite drawn_slot in H1.
          etransitivity; [|exact H1]. apply on_mono. pose proof (q_slot _ _ _ _ OK x Hx).
          pose proof (q_issue _ _ _ _ OK x Hx). lia.
        - apply filter_In in Hn as [Hn Hb]. apply Hm in Hn as [Hx [Hg Hs]].
          rewrite <- drawn_E. apply H2; assumption. }
      enough (c (rel s g (S q)) <= c (list_max ns) + release m) by (cbn; lia).
      apply (q_release _ _ _ _ OK).
      + intros x Hx Hg Hs. enough (S (I s x) <= list_max ns) by lia. apply list_max_ge. right.
        apply in_or_app. left. apply in_map_iff. exists x. split; [reflexivity|]. apply Hm. auto.
      + intros x Hx Hg Hs Hb. apply list_max_ge. right. apply in_or_app. right. apply in_map_iff.
        exists x. split; [reflexivity|]. apply filter_In. split; [apply Hm; auto|exact Hb].
      + apply list_max_ge. left. reflexivity.
    - intros g q. apply on_mono, (q_releases _ _ _ _ OK).
    - intros x y q Hx Hy Hg Hs Hq. apply on_mono. apply (q_arrived _ _ _ _ OK x y q); assumption.
  Qed.

  (** And what stalls, slots, latches and waits leave, in real time, they leave outside of V. *)
  Theorem outside_leaves least : kept b s least -> leaves m b s' (fun x => c (S (I s x))) least.
  Proof.
    intros K. assert (leaves m b s (fun x => S (I s x)) least) as F.
    { apply kept_leaves; try apply OK; try exact K.
      - intros x Hx. pose proof (q_constant _ _ _ _ OK x Hx).
        pose proof (q_issue _ _ _ _ OK x Hx). lia.
      - intros x Hx. pose proof (q_slot _ _ _ _ OK x Hx). lia. }
    split.
    - intros w j e He Hj. apply on_mono, (f_issue _ _ _ _ _ F w j e He Hj).
    - intros w j e He Hj. rewrite drawn_slot. apply on_mono, (f_slot _ _ _ _ _ F w j e He Hj).
    - intros x Hx Hs. rewrite drawn_slot. apply on_within, (f_own_slot _ _ _ _ _ F x Hx Hs).
    - intros w j e He H. rewrite drawn_E. apply on_mono, (f_awaited _ _ _ _ _ F w j e He H).
    - intros w j e He H. rewrite drawn_hold. apply on_mono, (f_retaken _ _ _ _ _ F w j e He H).
    - intros w j e He Hj Hl. rewrite drawn_hold.
      apply on_within, (f_latch _ _ _ _ _ F w j e He Hj Hl).
  Qed.
End Drawn.
