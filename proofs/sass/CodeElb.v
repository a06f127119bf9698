(** * code-elb: theorem 3 of docs/machine-code-bounds.md, and lemma 1 of its section 7

    For every order, queue and number of sub-cores, with barriers, and whatever other
    thread blocks the SM has. *)

From Warpbound Require Import Base Cycles CodeMachine CodeEnough CodeLate CodeReady.

(** ** What an instruction covers *)

(** How long [x] holds its first unit. *)
Definition hold0 (b : block) (x : key) : nat := hold (st b x 0).
(** How long [x] holds its other units. *)
Definition rest (b : block) (x : key) : nat := sum (fun i => hold (st b x i))
  (seq 1 (stages b x - 1)).

(** hold(k) and work(k) of the page: code_hold and code_work of src/bound/sass/way_rules.c. *)
Definition chold (b : block) (x : key) : nat :=
  match operand (get b x) with 0 => max (slot (get b x)) (hold0 b x) | S _ => max 1 (hold0 b x) end.
Definition work (b : block) (x : key) : nat :=
  match operand (get b x) with
  | 0 => max (slot (get b x)) (hold0 b x)
  | S _ => slot (get b x) + hold0 b x
  end + rest b x.

(** [x] holds a unit in cycle [t]. *)
Definition uses_unit (b : block) (s : schedule) (x : key) (t : nat) : bool :=
  existsb (fun i => holds b s x i t) (seq 0 (stages b x)).
(** [x] holds a unit, issues or reads constants in cycle [t]. *)
Definition covers (b : block) (s : schedule) (x : key) (t : nat) : bool :=
  uses_unit b s x t || issues s x t || ((L s x <=? t) && (t <? L s x + chold b x)).

(** A resource is held, or an instruction was issued less than its hold before. *)
Definition covered (b : block) (s : schedule) (t : nat) : bool := existsb (fun x => covers b s x t)
  (keys b).

(** ** The longest chain

    A certificate of lam, of when instructions are chosen, issued, begin their stages, and of when
    barriers of a thread block are released.  The least one is lam itself. *)

(** The certificate's value for the end of the last stage. *)
Definition lE (b : block) (lI : key -> nat) (lD : key -> nat -> nat) (x : key) : nat :=
  match stages b x with 0 => lI x | S p => lD x p end.

(** All that counter [c] counts up for before position [k] of warp [w], but the last [n]: E3 and
    E4. *)
Definition awaited (b : block) (w k c n : nat) : list (nat * bool) :=
  firstn (length (increments b c w k) - n) (increments b c w k).

(** A certificate of latency paths respects every edge of the graph. *)
Record lam_cert (m : machine) (b : block) (lP lI : key -> nat) (lD : key -> nat -> nat)
    (lR : nat -> nat -> nat) : Prop := {
  l_pace : forall w k, In (w, S k) (keys b) ->
    lI (w, k) + (max (stall (get b (w, k))) (fetch (get b (w, S k))) - chold b (w, k))
      <= lP (w, S k);
  l_fetch : forall w, In (w, 0) (keys b) -> fetch (get b (w, 0)) <= lP (w, 0);
  l_waits : forall w k c n j, In (w, k) (keys b) -> In (c, n) (waits (get b (w, k))) ->
  In j (awaited b w k c n) ->
    lE b lI lD (w, fst j) + latency b w j <= lP (w, k);
  l_opened : forall x, In x (keys b) -> lR (group m (fst x)) (sec (get b x)) <= lP x;
  l_operand : forall x, In x (keys b) -> lP x + operand (get b x) <= lI x;
  l_first : forall x, In x (keys b) -> 1 <= stages b x -> lI x <= lD x 0;
  l_next : forall x i, In x (keys b) -> S i < stages b x -> lD x i + transfer (st b x i)
    <= lD x (S i);
  l_order : forall w o k i u, at_stage b (w, o) i u -> at_stage b (w, k) i u -> o < k ->
    clash m u = false -> lD (w, o) i <= lD (w, k) i;
  l_older : forall g q, lR g q + release m <= lR g (S q);
  l_release : forall x, In x (keys b) ->
    forall q, sec (get b x) <= q -> lI x + release m <= lR (group m (fst x)) (S q)
      /\ (bar (get b x) = true -> lE b lI lD x + release m <= lR (group m (fst x)) (S q)) }.

(** The work of all instructions. *)
Definition total (b : block) : nat := sum (work b) (keys b).
(** The longest latency path of a certificate. *)
Definition lam (b : block) (lI : key -> nat) (lD : key -> nat -> nat) : nat :=
  list_max (map (fun x => lE b lI lD x + max (write (get b x)) (read (get b x))) (keys b)).

(** All of [x] is over: its results, and its slot. *)
Definition finish (b : block) (s : schedule) (x : key) : nat :=
  max (E b s x + max (aw s x) (ar s x)) (L s x + aslot s x).

(** ** Counting *)

(** Increments that are undone leave at most [n]: E4 of the page. *)
Lemma awaited_enough b s w k c n t :
  (forall j, In j (awaited b w k c n) -> undone b s w j <= t) ->
  length (filter (fun j => t <? undone b s w j) (increments b c w k)) <= n.
Proof.
  unfold awaited. set (l := increments b c w k). intros H.
  assert (forall l' l'', (forall j, In j l' -> undone b s w j <= t) ->
    length (filter (fun j => t <? undone b s w j) (l' ++ l'')) <= length l'') as A.
  { induction l' as [|j l' IH]; intros l'' Hl; simpl.
    - induction l'' as [|j l'' IH]; simpl; [lia|]. destruct (t <? undone b s w j); simpl; lia.
    - pose proof (Hl j (or_introl eq_refl)). destruct (Nat.ltb_spec t (undone b s w j)); [lia|].
      apply IH. intros; apply Hl; right; assumption. }
  rewrite <- (firstn_skipn (length l - n) l). etransitivity; [apply A, H|]. rewrite skipn_length.
  lia.
Qed.

Lemma awaited_before b w k c n j : In j (awaited b w k c n) -> fst j < k.
Proof.
  intros H. apply (increments_before b c w). unfold awaited in H.
  rewrite <- (firstn_skipn (length (increments b c w k) - n)). apply in_or_app. left. exact H.
Qed.

Section Elb.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.

  (** *** At most the sum of all work is covered *)

  Lemma uses_iff x t : uses_unit b s x t = true <-> exists i, i < stages b x /\
    holds b s x i t = true.
  Proof.
    unfold uses_unit. rewrite existsb_exists.
    split; intros [i [H1 H2]]; exists i; rewrite in_seq in *; (split; [lia|exact H2]).
  Qed.

  (** Some instruction holds a unit in cycle [t]. *)
  Definition some_unit (t : nat) : bool := existsb (fun x => uses_unit b s x t) (keys b).

  Lemma taken_unit u t : taken m b s u t -> some_unit t = true.
  Proof.
    intros [y [i [v [[Hy [Hi _]] [_ Hh]]]]]. apply existsb_exists. exists y. split; [exact Hy|].
    apply uses_iff. eauto.
  Qed.

  (** A cycle is charged to who holds a unit, or, where nobody does, to who holds the issue stage or
      was issued less than its hold before. *)
  Definition window (x : key) : nat := max (aslot s x) (chold b x).
  Definition charged (x : key) (t : nat) : bool :=
    uses_unit b s x t ||
    (negb (some_unit t) && (((P s x <=? t) && (t <? P s x + aprobe s x))
      || ((L s x <=? t) && (t <? L s x + window x)))).

  Lemma covered_charged t : covered b s t = true -> existsb (fun x => charged x t) (keys b) = true.
  Proof.
    intros H. apply existsb_exists in H as [x [Hx H]]. destruct (some_unit t) eqn:S.
    - apply existsb_exists in S as [y [Hy H']]. apply existsb_exists. exists y. split; [exact Hy|].
      unfold charged. rewrite H'. reflexivity.
    - apply existsb_exists. exists x. split; [exact Hx|]. unfold covers in H. unfold charged.
      rewrite S. destruct (uses_unit b s x t); [reflexivity|]. cbn [orb negb andb] in *.
      apply orb_true_iff.
      rewrite !orb_true_iff, issues_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in *.
      unfold window. lia.
  Qed.

  Lemma in_first x t : In x (keys b) -> 1 <= stages b x -> L s x <= t < D s x 0 ->
    some_unit t = true.
  Proof.
    intros Hx Hp Ht. apply (taken_unit (unit (st b x 0))), (queue_taken m b s WF OK).
    exists x. split; [apply at_own; [exact Hx|lia]|]. split; [|exact Ht].
    destruct (latch m b x) eqn:E; [|reflexivity].
    pose proof (e_latch _ _ _ _ _ OK x Hx E). pose proof (issue_order m b s OK x Hx). lia.
  Qed.

  (** Cycles in which [x] holds a unit, or the issue stage is or was its own while [idle]: never
    while
      it waits for its first unit. *)
  Lemma charge_window idle x n : In x (keys b) ->
    (forall t, 1 <= stages b x -> L s x <= t < D s x 0 -> idle t = false) ->
    cnt (fun t => uses_unit b s x t || (idle t && (((P s x <=? t) && (t <? P s x + aprobe s x))
      || ((L s x <=? t) && (t <? L s x + window x))))) n <= work b x.
  Proof.
    intros Hx Waits. set (p := stages b x).
    set (first := fun t => ((P s x <=? t) && (t <? P s x + aprobe s x))
       || ((max (L s x) (D s x 0 * min p 1) <=? t)
         && (t <? max (L s x) (D s x 0 * min p 1) + max (ah s x 0 * min p 1) (window x)))).
    etransitivity; [apply (cnt_le _ (fun t => existsb (fun i => holds b s x i t) (seq 1 (p - 1))
      || first t))|].
    { intros t _ Ht. apply orb_true_iff in Ht as [Ht|Ht].
      - apply uses_iff in Ht as [i [Hi Ht]]. fold p in Hi. apply orb_true_iff.
        destruct i as [|i].
        + right. apply holds_iff in Ht as [_ Ht]. unfold first. replace (min p 1) with 1 by lia.
          rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt.
          pose proof (room_before_stage m b s OK x 0 Hx Hi). lia.
        + left. apply existsb_exists. exists (S i). split; [apply in_seq; lia|exact Ht].
      - apply andb_prop in Ht as [Hu Ht]. apply orb_true_iff. right. unfold first.
        apply orb_true_iff in Ht as [Ht|Ht]; [rewrite Ht; reflexivity|]. apply orb_true_iff. right.
        rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in *.
        destruct (Nat.eq_dec p 0) as [Hp|Hp]; [rewrite Hp; simpl; lia|].
        replace (min p 1) with 1 by lia.
        destruct (le_lt_dec (D s x 0) t) as [H|H].
        + pose proof (room_before_stage m b s OK x 0 Hx ltac:(fold p; lia)). lia.
        + rewrite (Waits t) in Hu by (fold p; lia). discriminate. }
    etransitivity; [apply cnt_or|].
    assert (cnt (fun t => existsb (fun i => holds b s x i t) (seq 1 (p - 1))) n <= rest b x) as H2.
    { etransitivity; [apply (cnt_exists (fun t i => holds b s x i t))|]. apply sum_le. intros i Hi.
      apply in_seq in Hi. etransitivity; [|apply (e_hold _ _ _ _ _ OK x i Hx); unfold p in *; lia].
      etransitivity; [|apply (cnt_interval (D s x i) (ah s x i) n)]. apply cnt_le. intros t _ Ht.
      apply holds_iff in Ht as [_ Ht].
      apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia. }
    assert (cnt first n <= aprobe s x + max (ah s x 0 * min p 1) (window x)) as H3.
    { etransitivity; [apply cnt_or|]. pose proof (cnt_interval (P s x) (aprobe s x) n).
      pose proof (cnt_interval (max (L s x) (D s x 0 * min p 1))
        (max (ah s x 0 * min p 1) (window x)) n). lia. }
    pose proof (e_slot _ _ _ _ _ OK x Hx) as [S1 S2]. pose proof (e_probe _ _ _ _ _ OK x Hx).
    pose proof (e_constant _ _ _ _ _ OK x Hx) as [_ S3].
    assert (ah s x 0 * min p 1 <= hold0 b x) as H4.
    { destruct (Nat.eq_dec p 0) as [Hp|Hp]; [rewrite Hp; simpl; lia|].
      replace (min p 1) with 1 by lia. pose proof (e_hold _ _ _ _ _ OK x 0 Hx ltac:(fold p; lia)).
      unfold hold0. lia. }
    unfold window, work, chold in *. destruct (operand (get b x)); lia.
  Qed.

  Lemma charge_work x n : In x (keys b) -> cnt (charged x) n <= work b x.
  Proof.
    intros Hx. apply charge_window; [exact Hx|]. intros t Hp Ht.
    rewrite (in_first x t Hx Hp Ht). reflexivity.
  Qed.

  Lemma covered_total n : cnt (covered b s) n <= total b.
  Proof.
    etransitivity; [apply cnt_le; intros t _ Ht; apply covered_charged, Ht|].
    etransitivity; [apply (cnt_exists (fun t x => charged x t))|]. apply sum_le.
    intros x Hx. apply charge_work, Hx.
  Qed.

  (** *** How late events of a thread block are, in cycles that are not counted.  Counted for a
      sub-core are those in which somebody holds a unit that it reaches, or its issue stage, and
      those behind an own issue. *)

  Variables (g : nat) (reach : nat -> nat -> bool) (cov : nat -> nat -> bool).
  Notation core_of x := (core m (fst x)).
  (** What keeps an instruction back is in reach of its sub-core. *)
  Hypothesis Reach : forall x i u v, at_stage b x i u -> B m b u v -> reach (core_of x) v = true.
  Hypothesis Held : forall c x i v t, at_stage b x i v -> holds b s x i t = true ->
    reach c v = true -> cov c t = true.
  Hypothesis Slot : forall x t, In x (keys b) -> issues s x t = true -> cov (core_of x) t = true.
  Hypothesis Own : forall x t, In x (keys b) -> group m (fst x) = g ->
    L s x <= t < L s x + chold b x -> cov (core_of x) t = true.

  Lemma taken_covered x i u t : at_stage b x i u -> taken m b s u t -> cov (core_of x) t = true.
  Proof.
    intros Hx [y [j [v [Hy [HB Hh]]]]]. apply (Held _ y j v t Hy Hh), (Reach x i u v Hx HB).
  Qed.

  Lemma stage_covered x i t : In x (keys b) -> i < stages b x ->
    D s x i <= t < D s x i + ah s x i -> cov (core_of x) t = true.
  Proof.
    intros Hx Hi Ht. pose proof (at_own b x i Hx Hi) as A.
    apply (Held _ x i _ t A); [apply holds_iff; lia|]. apply (Reach x i _ _ A), B_self.
  Qed.

  Lemma room_covered x t : In x (keys b) -> I s x <= t < L s x -> cov (core_of x) t = true.
  Proof.
    intros Hx Ht. destruct (e_room _ _ _ _ _ OK x Hx) as [E|[[u [Hu _]] _]]; [lia|].
    apply (taken_covered x 0 u t Hu), (room_taken m b s WF OK x u t Hu Ht).
  Qed.

  Lemma slot_covered x t : In x (keys b) -> group m (fst x) = g -> L s x <= t < L s x + window x ->
    cov (core_of x) t = true.
  Proof.
    intros Hx Hg Ht. unfold window in Ht.
    destruct (le_lt_dec (L s x + chold b x) t); [|apply (Own x); auto; lia]. apply (Slot x _ Hx).
    apply issues_iff. lia.
  Qed.

  Variables (lP lI : key -> nat) (lD : key -> nat -> nat) (lR : nat -> nat -> nat).
  Hypothesis HL : lam_cert m b lP lI lD lR.

  Let t0 := rel s g 0.
  (** [f c q t]: how many cycles before [t] are counted on the way to sub-core [c] in section [q],
      which comes from any sub-core of an older section *)
  Variables (f : nat -> nat -> nat -> nat) (f0 : nat).
  Hypotheses (Begins : forall c q, f c q t0 = f0) (Rises : forall c q t, f c q t <= f c q (S t)).
  Hypothesis Counts : forall c q t, t0 <= t -> cov c t = true -> f c q t + 1 <= f c q (S t).
  Hypothesis Turns : forall c d q t, c < d -> f q c t <= f q d t.
  Hypothesis Changes : forall x d q t, In x (keys b) -> group m (fst x) = g ->
    f (core_of x) q t <= f d (S q) t.

  (** At [X], in sub-core and section [k], at most [c] cycles from [t0] on are idle. *)
  Definition at_most (k : nat * nat) (c X : nat) : Prop := late (f (fst k) (snd k)) t0 f0 (t0 + c)
    X.
  Notation of x := (core_of x, sec (get b x)).

  Local Lemma start c d q : t0 + f0 <= t0 + d + f c q t0.
  Proof. rewrite Begins. lia. Qed.
  Hint Resolve start : core.

  Lemma at_most_more k c d X : at_most k c X -> c <= d -> at_most k d X.
  Proof. intros H Hd. eapply late_more; [exact H|lia]. Qed.

  Lemma at_most_start k : at_most k 0 t0.
  Proof. apply late_start; [apply start|apply le_n]. Qed.

  Lemma at_most_add k c X a : at_most k c X -> at_most k (c + a) (X + a).
  Proof. intros H. unfold at_most. rewrite Nat.add_assoc. apply late_add; auto. Qed.

  (** Who comes from an older section has no less behind. *)
  Lemma at_most_later c q r l X : at_most (c, q) l X -> q <= r -> at_most (c, r) l X.
  Proof.
    intros H Hq t H0 Ht. specialize (H t H0 Ht). destruct (Nat.eq_dec q r) as [<-|N]; [exact H|].
    pose proof (Turns q r c t ltac:(lia)). cbn [fst snd] in *. lia.
  Qed.

  Lemma at_most_next x d r l X : In x (keys b) -> group m (fst x) = g -> at_most (of x) l X ->
    sec (get b x) < r -> at_most (d, r) l X.
  Proof.
    intros Hx Hg H Hq. apply (at_most_later d (S (sec (get b x)))); [|exact Hq]. intros t H0 Ht.
    specialize (H t H0 Ht). pose proof (Changes x d (sec (get b x)) t Hx Hg). cbn [fst snd] in *.
    lia.
  Qed.

  Lemma at_most_covered k c X Y : at_most k c X -> (forall t, X <= t < Y -> cov (fst k) t = true) ->
    at_most k c Y.
  Proof.
    intros H HC. apply (late_counted _ t0 f0 _ X Y); auto.
    intros t H0 Ht. apply Counts; auto.
  Qed.

  Lemma at_most_walk k c X ys : (forall y, In y ys -> at_most k c y) ->
    (forall t, t0 <= t < X -> (forall y, In y ys -> y <= t) -> cov (fst k) t = true) ->
    at_most k c X.
  Proof.
    intros H HC. apply (late_walk _ t0 f0 _ X ys); auto. intros t Ht Hy. apply Counts; [lia|auto].
  Qed.

  (** No time of [x] is later than the certificate says. *)
  Record timely (x : key) : Prop := {
    y_chosen : at_most (of x) (lP x) (P s x);
    y_issue : at_most (of x) (lI x) (I s x);
    y_room : at_most (of x) (lI x) (L s x);
    y_stage : forall i, i < stages b x -> at_most (of x) (lD x i) (D s x i) }.

  Lemma timely_end x : In x (keys b) -> timely x -> at_most (of x) (lE b lI lD x) (E b s x).
  Proof.
    intros Hx T. unfold lE, E. destruct (stages b x) as [|p] eqn:S; [apply T|].
    apply (at_most_covered _ _ (D s x p)); [apply (y_stage _ T); lia|].
    intros t Ht. apply (stage_covered x p); auto; lia.
  Qed.

  Lemma timely_undone w j : In (w, fst j) (keys b) -> timely (w, fst j) ->
    at_most (of (w, fst j)) (lE b lI lD (w, fst j) + latency b w j) (undone b s w j).
  Proof.
    intros Hx T. unfold undone, latency.
    eapply late_sooner; [apply at_most_add, timely_end; assumption|].
    pose proof (e_write _ _ _ _ _ OK _ Hx). pose proof (e_read _ _ _ _ _ OK _ Hx).
    destruct (snd j); lia.
  Qed.

  Lemma release_timely c q :
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) < q -> timely x) ->
    at_most (c, q) (lR g q) (rel s g q).
  Proof.
    induction q as [|q IH]; intros T;
      [apply (at_most_more _ 0); [apply at_most_start|apply Nat.le_0_l]|].
    assert (at_most (c, S q) (lR g q) (rel s g q)) as Hq
      by (apply (at_most_later c q); [apply IH; intros; apply T; [..|lia]; assumption|lia]).
    set (mine := filter (fun x => (group m (fst x) =? g) && (sec (get b x) <=? q)) (keys b)).
    assert (forall x, In x mine <-> In x (keys b) /\ group m (fst x) = g /\ sec (get b x) <= q)
      as Hm.
    { intros x. unfold mine. rewrite filter_In, andb_true_iff, Nat.eqb_eq, Nat.leb_le. tauto. }
    set (ns := rel s g q :: map (fun x => L s x + aslot s x) mine
      ++ map (E b s) (filter (fun x => bar (get b x)) mine)).
    pose proof (l_older _ _ _ _ _ _ HL g q) as Ho.
    assert (at_most (c, S q) (lR g (S q) - release m) (list_max ns)) as Hn.
    { assert (forall n, In n ns -> at_most (c, S q) (lR g (S q) - release m) n) as A.
      { intros n [<-|Hn]; [eapply at_most_more; [exact Hq|lia]|].
        apply in_app_or in Hn as [Hn|Hn]; apply in_map_iff in Hn as [x [<- Hn]].
        - apply Hm in Hn as [Hx [Hg Hs]]. pose proof (T x Hx Hg ltac:(lia)) as Hx'.
          destruct (l_release _ _ _ _ _ _ HL x Hx q Hs) as [Hr _]. rewrite Hg in Hr.
          apply (at_most_next x); [exact Hx|exact Hg| |lia].
          apply (at_most_covered _ _ (L s x)); [eapply at_most_more; [apply Hx'|lia]|].
          intros t Ht. apply (slot_covered x t Hx Hg). unfold window. lia.
        - apply filter_In in Hn as [Hn Hb]. apply Hm in Hn as [Hx [Hg Hs]].
          destruct (l_release _ _ _ _ _ _ HL x Hx q Hs) as [_ Hr]. rewrite Hg in Hr.
          specialize (Hr Hb). apply (at_most_next x); [exact Hx|exact Hg| |lia].
          eapply at_most_more; [apply timely_end; auto|lia]. apply T; auto. lia. }
      apply A, list_max_in. discriminate. }
    assert (rel s g (S q) <= list_max ns + release m) as Hr.
    { apply (e_release _ _ _ _ _ OK).
      - intros x Hx Hg Hs. apply list_max_ge. right.
        apply in_or_app. left. apply in_map_iff. exists x. split; [reflexivity|]. apply Hm. auto.
      - intros x Hx Hg Hs Hb. apply list_max_ge. right. apply in_or_app. right. apply in_map_iff.
        exists x. split; [reflexivity|]. apply filter_In. split; [apply Hm; auto|exact Hb].
      - apply list_max_ge. left. reflexivity. }
    eapply late_sooner; [|exact Hr]. eapply at_most_more; [apply at_most_add, Hn|lia].
  Qed.

  (** The times that must have passed before an instruction is chosen. *)
  Definition before (w k : nat) : list nat :=
    N s (w, k) :: rel s g (sec (get b (w, k)))
    :: flat_map (fun cn => map (undone b s w) (awaited b w k (fst cn) (snd cn)))
      (waits (get b (w, k))).

  Lemma before_enough w k t : group m w = g -> (t < P s (w, k) \/ V s (w, k) <= t < I s (w, k)) ->
    (forall y, In y (before w k) -> y <= t) -> may_issue b m s w k t.
  Proof.
    intros Hg Ht H. split; [exact Ht|]. split; [apply H; left; reflexivity|].
    split; [rewrite Hg; apply H; right; left; reflexivity|].
    intros c n Hc. apply awaited_enough. intros j Hj. apply H. right. right.
    apply in_flat_map. exists (c, n). split; [exact Hc|]. apply in_map_iff. eauto.
  Qed.

  Lemma issue_taken_covered w k t : In (w, k) (keys b) -> may_issue b m s w k t ->
    cov (core m w) t = true.
  Proof.
    intros Hk Hm. destruct (issue_taken m b s WF OK w k t Hk Hm)
      as [[y [Hy [<- Hi]]]|[v [y [i [Hy [Hh [[_ [z [u [_ [<- [Hz HB]]]]]]|[u [Hu [_ HB]]]]]]]]]].
    - apply (Slot y _ Hy Hi).
    - apply (taken_covered z 0 u t Hz). exists y, i, v. auto.
    - apply (taken_covered (w, k) 0 u t Hu). exists y, i, v. auto.
  Qed.

  Section OneInstruction.
    Variables (w k : nat).
    Hypotheses (Hk : In (w, k) (keys b)) (Hg : group m w = g).
    Hypothesis Older : forall j, j < k -> timely (w, j).
    Hypothesis Open : at_most (of (w, k)) (lR g (sec (get b (w, k)))) (rel s g (sec (get b (w,
      k)))).

    Lemma own_key j : j < k -> In (w, j) (keys b).
    Proof. intros. eapply keys_before; [exact Hk|lia]. Qed.

    (** What is so of an older instruction is so of this one's way. *)
    Lemma from_own j l X : j < k -> at_most (of (w, j)) l X -> at_most (of (w, k)) l X.
    Proof. intros Hj H. apply (at_most_later _ _ _ _ _ H), (sections_grow m b w k j WF Hk). lia.
    Qed.

    Lemma before_timely y : In y (before w k) -> at_most (of (w, k)) (lP (w, k)) y.
    Proof.
      intros [<-|[<-|Hy]].
      - destruct k as [|j] eqn:Ek.
        + pose proof (e_pace0 _ _ _ _ _ OK w Hk) as Hn. rewrite Hg in Hn.
          pose proof (l_fetch _ _ _ _ _ _ HL w Hk). eapply late_sooner; [|exact Hn].
          eapply at_most_more; [|exact H]. apply (at_most_add _ 0), at_most_start.
        + pose proof (e_pace _ _ _ _ _ OK w j Hk) as Hn.
          pose proof (l_pace _ _ _ _ _ _ HL w j Hk) as Hl. pose proof (Older j ltac:(lia)) as T.
          assert (In (w, j) (keys b)) as Hj by (eapply keys_before; [exact Hk|lia]).
          set (a := max (stall (get b (w, j))) (fetch (get b (w, S j)))) in *.
          eapply late_sooner; [|exact Hn]. eapply at_most_more; [|exact Hl].
          apply (late_sooner _ _ _ _ (L s (w, j) + chold b (w, j) + (a - chold b (w, j)))); [|lia].
          apply at_most_add. apply (at_most_covered _ _ (L s (w, j)));
            [apply (at_most_later _ _ _ _ _ (y_room _ T)), (sections_grow m b w (S j) j WF Hk);
              lia|].
          intros t Ht.
          apply (slot_covered (w, j)); [exact Hj|exact Hg|]. unfold window. lia.
      - eapply at_most_more; [exact Open|]. rewrite <- Hg at 1.
        apply (l_opened _ _ _ _ _ _ HL (w, k) Hk).
      - apply in_flat_map in Hy as [[c n] [Hc Hy]]. apply in_map_iff in Hy as [j [<- Hj]].
        simpl in Hj. pose proof (awaited_before _ _ _ _ _ _ Hj) as Hlt.
        eapply at_most_more;
          [apply (from_own (fst j) _ _ Hlt), timely_undone; [apply own_key|apply Older]; exact
            Hlt|].
        apply (l_waits _ _ _ _ _ _ HL w k c n j Hk Hc Hj).
    Qed.

    Lemma chosen_timely : at_most (of (w, k)) (lP (w, k)) (P s (w, k)).
    Proof.
      apply (at_most_walk _ _ _ (before w k)); [exact before_timely|].
      intros t Ht H. apply (issue_taken_covered w k t Hk), before_enough; auto. left. lia.
    Qed.

    Lemma issue_timely : at_most (of (w, k)) (lI (w, k)) (I s (w, k)).
    Proof.
      pose proof (e_constant _ _ _ _ _ OK _ Hk) as Hv.
      pose proof (l_operand _ _ _ _ _ _ HL _ Hk) as Hl.
      apply (at_most_walk _ _ _ (V s (w, k) :: before w k)).
      - intros y [<-|Hy].
        + eapply late_sooner; [|exact (proj2 Hv)].
          eapply at_most_more; [apply at_most_add, chosen_timely|exact Hl].
        + eapply at_most_more; [apply before_timely, Hy|lia].
      - intros t Ht H. apply (issue_taken_covered w k t Hk), before_enough; auto.
        + right. split; [apply H; left; reflexivity|lia].
        + intros y Hy. apply H. right. exact Hy.
    Qed.

    Lemma room_timely : at_most (of (w, k)) (lI (w, k)) (L s (w, k)).
    Proof.
      apply (at_most_covered _ _ (I s (w, k))); [apply issue_timely|]. intros t Ht.
      apply (room_covered (w, k)); auto.
    Qed.

    Lemma ask_timely i : i < stages b (w, k) ->
      (forall j, j < i -> at_most (of (w, k)) (lD (w, k) j) (D s (w, k) j)) ->
      at_most (of (w, k)) (lD (w, k) i) (A s (w, k) i).
    Proof.
      intros Hi IH. destruct i as [|i]; simpl.
      - eapply at_most_more; [apply room_timely|]. apply (l_first _ _ _ _ _ _ HL _ Hk). lia.
      - pose proof (e_transfer _ _ _ _ _ OK (w, k) i Hk ltac:(lia)).
        eapply at_most_more; [|apply (l_next _ _ _ _ _ _ HL _ i Hk Hi)].
        apply (late_sooner _ _ _ _ (D s (w, k) i + ah s (w, k) i + transfer (st b (w, k) i)));
          [|lia]. apply at_most_add. apply (at_most_covered _ _ (D s (w, k) i)); [apply IH; lia|].
        intros t Ht. apply (stage_covered (w, k) i); auto. lia.
    Qed.

    Lemma stage_timely i : i < stages b (w, k) -> at_most (of (w, k)) (lD (w, k) i) (D s (w, k) i).
    Proof.
      induction i as [i IH] using lt_wf_ind. intros Hi. set (u := unit (st b (w, k) i)).
      pose proof (at_own b (w, k) i Hk Hi) as Hat. fold u in Hat.
      set (own := filter (fun o => (i <? stages b (w, o)) && (unit (st b (w, o) i) =? u))
        (seq 0 k)). apply (at_most_walk _ _ _ (A s (w, k) i :: if clash m u then [] else map (fun o
          =>
        D s (w, o) i) own)).
      - intros y [<-|Hy]; [apply ask_timely; [exact Hi|]; intros; apply IH; lia|].
        destruct (clash m u) eqn:C; [destruct Hy|]. apply in_map_iff in Hy as [o [<- Ho]].
        apply filter_In in Ho as [Ho Hu]. apply in_seq in Ho. apply andb_prop in Hu as [H1 H2].
        apply Nat.ltb_lt in H1. apply Nat.eqb_eq in H2.
        eapply at_most_more; [apply (from_own o); [lia|]; apply (Older o ltac:(lia)); exact H1|].
        apply (l_order _ _ _ _ _ _ HL w o k i u); auto; [|lia].
        split; [apply own_key; lia|auto].
      - intros t Ht H.
        destruct (stage_taken m b s WF OK w k i u t Hat) as [v [y [j [Hy [HB [Hh _]]]]]].
        + split; [apply H; left; reflexivity|lia].
        + intros C o j Ho Hj. destruct (own_way m b WF _ _ _ _ _ _ Hj Hat C) as [-> _].
          apply H. right. rewrite C. apply in_map_iff. exists o. split; [reflexivity|].
          apply filter_In. split; [apply in_seq; lia|]. destruct Hj as [_ [H1 H2]].
          apply andb_true_intro. split; [apply Nat.ltb_lt, H1|apply Nat.eqb_eq, H2].
        + apply (taken_covered (w, k) i u t Hat). exists y, j, v. auto.
    Qed.

    Lemma instruction_timely : timely (w, k).
    Proof.
      split; [apply chosen_timely|apply issue_timely|apply room_timely|exact stage_timely].
    Qed.
  End OneInstruction.

  Lemma all_timely q x : In x (keys b) -> group m (fst x) = g -> sec (get b x) < q -> timely x.
  Proof.
    revert x. induction q as [|q IH]; intros [w k] Hk Hg Hs; [lia|]. simpl in Hg.
    induction k as [k IHk] using lt_wf_ind.
    assert (forall j, j < k -> timely (w, j)) as Older.
    { intros j Hj. pose proof (sections_grow m b w k j WF Hk ltac:(lia)).
      apply IHk; [exact Hj|eapply keys_before; [exact Hk|lia]|lia]. }
    apply instruction_timely; auto. apply release_timely. intros x Hx Hgx Hsx. apply IH; auto. lia.
  Qed.

  Lemma finish_timely x : In x (keys b) -> group m (fst x) = g ->
    at_most (of x) (lE b lI lD x + max (write (get b x)) (read (get b x))) (finish b s x).
  Proof.
    intros Hx Hg. pose proof (all_timely _ x Hx Hg (Nat.lt_succ_diag_r _)) as T. unfold finish.
    destruct (Nat.max_spec (E b s x + max (aw s x) (ar s x)) (L s x + aslot s x))
      as [[_ ->]|[_ ->]].
    - apply (at_most_covered _ _ (L s x)).
      + eapply at_most_more; [apply T|]. enough (lI x <= lE b lI lD x) by lia. unfold lE.
        destruct (stages b x) as [|p] eqn:S; [apply le_n|].
        assert (forall i, i < stages b x -> lI x <= lD x i) as A.
        { induction i as [|i IHi]; intros Hi; [apply (l_first _ _ _ _ _ _ HL x Hx); lia|].
          pose proof (l_next _ _ _ _ _ _ HL x i Hx Hi). specialize (IHi ltac:(lia)). lia. }
        apply A. lia.
      + intros t Ht. apply (slot_covered x); [exact Hx|exact Hg|unfold window; lia].
    - pose proof (e_write _ _ _ _ _ OK x Hx). pose proof (e_read _ _ _ _ _ OK x Hx).
      eapply late_sooner; [apply at_most_add, timely_end; eassumption|]. lia.
  Qed.
End Elb.

(** What is counted for all sub-cores *)
Lemma finish_late m b s (WF : wf m b) J enters (OK : enough m b s J enters) g cov :
  (forall x t, In x (keys b) -> uses_unit b s x t = true \/ issues s x t = true -> cov t = true) ->
  (forall x t, In x (keys b) -> group m (fst x) = g -> L s x <= t < L s x + chold b x ->
    cov t = true) ->
  forall lP lI lD lR, lam_cert m b lP lI lD lR -> forall x, In x (keys b) -> group m (fst x) = g ->
  late (cnt cov) (rel s g 0) (cnt cov (rel s g 0))
    (rel s g 0 + (lE b lI lD x + max (write (get b x)) (read (get b x)))) (finish b s x).
Proof.
  intros Held Own lP lI lD lR HL x Hx Hg.
  apply (finish_timely m b s WF OK g (fun _ _ => true) (fun _ => cov)) with (lP := lP) (lR := lR)
    (f := fun _ _ => cnt cov); auto; try (intros; apply cnt_rises); try (intros; lia).
  - intros _ y i v t [Hy [Hi _]] Hh _. apply (Held y t Hy). left. apply existsb_exists. exists i.
    split; [apply in_seq; lia|exact Hh].
  - intros y t Hy H. apply (Held y t Hy). auto.
  - intros _ _ t _ H. apply cnt_counted, H.
Qed.

Section Bound.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.
  Variables (lP lI : key -> nat) (lD : key -> nat -> nat) (lR : nat -> nat -> nat).
  Hypothesis HL : lam_cert m b lP lI lD lR.

  Lemma begun x : In x (keys b) -> rel s (group m (fst x)) 0 <= finish b s x.
  Proof.
    destruct x as [w k]. intros Hk. simpl.
    assert (In (w, 0) (keys b)) as H0 by (eapply keys_before; [exact Hk|lia]).
    pose proof (e_opened _ _ _ _ _ OK _ H0) as H. rewrite (w_first _ _ WF w H0) in H. simpl in H.
    pose proof (issue_order m b s OK _ H0). pose proof (issue_order m b s OK _ Hk).
    assert (P s (w, 0) <= P s (w, k)).
    { destruct (Nat.eq_dec k 0) as [->|]; [apply le_n|].
      pose proof (own_order m b s OK w k 0 Hk ltac:(lia)). lia. }
    unfold finish. lia.
  Qed.

  Lemma covered_late x : In x (keys b) -> let start := rel s (group m (fst x)) 0 in
    finish b s x + cnt (covered b s) start <= start + lam b lI lD
      + cnt (covered b s) (finish b s x).
  Proof.
    intros Hx start. assert (lE b lI lD x + max (write (get b x)) (read (get b x)) <= lam b lI lD)
      as Hl by (apply list_max_ge, in_map_iff; eauto).
    enough (finish b s x + cnt (covered b s) start
      <= start + (lE b lI lD x + max (write (get b x)) (read (get b x)))
      + cnt (covered b s) (finish b s x)) by lia.
    refine (finish_late m b s WF _ _ OK _ (covered b s) _ _ lP lI lD lR HL x Hx eq_refl _ (begun x
      Hx)
      (le_n _)); intros y t Hy; [intros [H|H]|intros _ H]; apply existsb_exists; exists y;
      (split; [exact Hy|]); unfold covers.
    - rewrite H. reflexivity.
    - rewrite H, orb_true_r. reflexivity.
    - rewrite !orb_true_iff, andb_true_iff, Nat.leb_le, Nat.ltb_lt. right. exact H.
  Qed.

  (** Cycles of the stay of a thread block that nothing covers. *)
  Definition idle_from (t0 t : nat) : bool := (t0 <=? t) && negb (covered b s t).

  Lemma idle_split t0 d : cnt (idle_from t0) (t0 + d) + cnt (covered b s) (t0 + d)
    = cnt (covered b s) t0 + d.
  Proof.
    induction d as [|d IH].
    - rewrite !Nat.add_0_r, cnt_none; [lia|]. intros t Ht. unfold idle_from.
      rewrite (proj2 (Nat.leb_gt _ _)) by exact Ht. reflexivity.
    - rewrite Nat.add_succ_r. cbn [cnt]. unfold idle_from at 2.
      rewrite (proj2 (Nat.leb_le t0 (t0 + d))) by lia. destruct (covered b s (t0 + d)); simpl; lia.
  Qed.

  (** *** Lemma 1 of section 7: from the start of its thread block to the end of an instruction at
      most lam cycles of the SM are idle, whatever other thread blocks the SM has. *)
  Theorem code_idle x : In x (keys b) ->
    cnt (idle_from (rel s (group m (fst x)) 0)) (finish b s x) <= lam b lI lD.
  Proof.
    intros Hx. pose proof (begun x Hx) as Hb. pose proof (covered_late x Hx) as H. cbv zeta in H.
    pose proof (idle_split (rel s (group m (fst x)) 0) (finish b s x - rel s (group m (fst x)) 0))
      as N. replace (rel s (group m (fst x)) 0 + (finish b s x - rel s (group m (fst x)) 0))
      with (finish b s x) in N by lia. lia.
  Qed.

  (** *** Theorem 3, counted from the start of the thread block; [total] is of all thread blocks
      that [b] lists. Of one thread block, started at 0: the page's. *)
  Theorem code_elb x : In x (keys b) ->
    finish b s x <= rel s (group m (fst x)) 0 + total b + lam b lI lD.
  Proof.
    intros Hx. pose proof (begun x Hx) as Hb. pose proof (covered_late x Hx) as H. cbv zeta in H.
    pose proof (covered_total m b s WF OK (finish b s x)). lia.
  Qed.
End Bound.
