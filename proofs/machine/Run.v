(** * A machine that runs: docs/proofs.md, section 1

    [run m b order s0 n] executes the block cycle by cycle.  In each cycle instances
    that are free take what waits for them, first in, first out; then instructions are
    issued while one can be, those first that the arbiter [order] lists first.  What it
    has done after [n] cycles is an execution in the sense of Prefix.v: the machine
    keeps the rules, and can always go on. *)

From Warpbound Require Import Base Cycles Model Prefix Checks.

(** Two keys are equal. *)
Definition key_eqb (x y : key) : bool := (fst x =? fst y) && (snd x =? snd y).
(** [put] changes a function at one key. *)
Definition put (f : key -> nat) (x : key) (n : nat) : key -> nat :=
  fun y => if key_eqb y x then n else f y.
(** [set_start] starts [x] in cycle [n]. *)
Definition set_start s x n := Schedule (I s) (put (D s) x n) (ai s) (al s) (ar s) (begin s).
(** [set_issue] issues [x] in cycle [n]. *)
Definition set_issue s x n := Schedule (put (I s) x n) (D s) (ai s) (al s) (ar s) (begin s).

(** Steps are repeated until none can be done. *)
Fixpoint repeat {A} (step : A -> option A) (fuel : nat) (a : A) : A :=
  match fuel with
  | 0 => a
  | S k => match step a with None => a | Some a' => repeat step k a' end
  end.

Section Run.
  Variables (m : machine) (b : block).

  (** What is unknown before cycle [n] is unknown before the next. *)
  Definition tick (n : nat) (s : schedule) : schedule :=
    let later f x := let t := f x in if t <? n then t else S n in
    Schedule (later (I s)) (later (D s)) (ai s) (al s) (ar s) (begin s).

  (** An instance of [f] is free in cycle [n]. *)
  Definition free (s : schedule) (f n : nat) : bool := n_init b s f n <? inst m f.

  (** The oldest that waits for a unit with a free instance. *)
  Definition startable (n : nat) (s : schedule) (x : key) : bool :=
    waits s n x && (free s (fu (get b x)) n
    && all (fun y => implb' ((fu (get b y) =? fu (get b x)) && (I s y <? I s x)) (D s y <=? n))
      (keys b)).

  (** One instruction that may start does. *)
  Definition start_one (n : nat) (s : schedule) : option schedule :=
    match find (startable n s) (keys b) with None => None | Some x => Some (set_start s x n) end.

  (** Only the unit or an issue slot can keep [k] from being issued in [t]. *)
  Definition eligible_b (s : schedule) (w k t : nat) : bool :=
    (begin s (group m w) <=? t)
    && match k with 0 => true | S j => I s (w, j) + takes (get b (w, j)) <=? t end
    && (all (fun p => C s (w, p) <=? t) (ops (get b (w, k)))
    && all (fun y => implb' ((group m (fst y) =? group m w)
      && (sec (get b y) <? sec (get b (w, k)))) (I s y + takes (get b y)
      + ar s (group m w) (sec (get b (w, k))) <=? t)) (keys b)).

  (** Unit [f] takes nothing more in cycle [t]. *)
  Definition blocked_b (s : schedule) (f t : nat) : bool :=
    (inst m f <=? n_init b s f t)
    && match depth m with None => false | Some d => d <=? n_wait b s f t end.

  (** Not issued, held by nothing, and there are a slot and room for it, or it needs none. *)
  Definition issuable (n : nat) (s : schedule) (x : key) : bool :=
    (n <? I s x) && (eligible_b s (fst x) (snd x) n
    && ((init (get b x) =? 0)
        || ((n_issue b m s (core m (fst x)) n <? width m)
             && negb (blocked_b s (fu (get b x)) n)))).

  (** [x] issues, and starts at once where it can. *)
  Definition issue (n : nat) (s : schedule) (x : key) : schedule :=
    let s' := set_issue s x n in
    if (init (get b x) =? 0) || free s (fu (get b x)) n then set_start s' x n else s'.

  (** The first instruction in [order] that may issue does. *)
  Definition issue_one (order : list key) (n : nat) (s : schedule) : option schedule :=
    match find (issuable n s) order with None => None | Some x => Some (issue n s x) end.

  (** In a cycle all starts come first, then all issues. *)
  Definition cycle (order : schedule -> nat -> list key) (n : nat) (s : schedule) : schedule :=
    let s1 := repeat (start_one n) (length (keys b)) (tick n s) in
    repeat (fun s => issue_one (order s n) n s) (length (keys b)) s1.

  (** [run] executes [n] cycles. *)
  Fixpoint run (order : schedule -> nat -> list key) (s0 : schedule) (n : nat) : schedule :=
    match n with 0 => s0 | S k => cycle order k (run order s0 k) end.

  (** ** Correctness *)

  Lemma key_eqb_iff x y : key_eqb x y = true <-> x = y.
  Proof.
    unfold key_eqb. rewrite andb_true_iff, !Nat.eqb_eq. destruct x, y; simpl.
    split; [intros []; congruence|intros E; inversion E; auto].
  Qed.

  Lemma put_same f x n : put f x n x = n.
  Proof. unfold put. rewrite (proj2 (key_eqb_iff x x) eq_refl). reflexivity. Qed.
  Lemma put_other f x n y : y <> x -> put f x n y = f y.
  Proof.
    intros N. unfold put. destruct (key_eqb y x) eqn:E; [|reflexivity].
    apply key_eqb_iff in E. contradiction.
  Qed.
  Lemma key_dec (x y : key) : {x = y} + {x <> y}.
  Proof. decide equality; apply Nat.eq_dec. Qed.

  Lemma keys_nodup : NoDup (keys b).
  Proof.
    unfold keys. assert (forall n a, NoDup (flat_map (fun w =>
      map (fun k => (w, k)) (seq 0 (len b w))) (seq a n))) as H; [|apply H].
    induction n as [|n IH]; intros a; [constructor|]. cbn [seq flat_map].
    assert (forall l, NoDup l -> NoDup (map (fun k : nat => (a, k)) l)) as Hm.
    { induction 1 as [|x l Hx _ IHl]; [constructor|]. cbn [map]. constructor; [|exact IHl].
      intros H. apply in_map_iff in H as [y [E H]]. inversion E; subst. contradiction. }
    specialize (Hm _ (seq_NoDup (len b a) 0)). specialize (IH (S a)).
    induction (seq 0 (len b a)) as [|k l IHl]; [exact IH|]. cbn [map app] in *.
    inversion Hm as [|y l' Hy Hl]; subst. constructor; [|apply IHl, Hl].
    rewrite in_app_iff, in_flat_map. intros [H|[v [Hv H]]]; [contradiction|].
    apply in_map_iff in H as [j [E _]]. apply in_seq in Hv. inversion E. lia.
  Qed.

  (** One more than before: at most one more is counted, or at least one less. *)
  Lemma count_more x p q : (forall y, In y (keys b) -> q y = true -> p y = true \/ y = x) ->
    count b q <= count b p + 1.
  Proof.
    unfold count. intros H. pose proof keys_nodup as U.
    induction U as [|z l Hz _ IH]; [simpl; lia|]. cbn [filter].
    specialize (H z (or_introl eq_refl)) as Hq.
    destruct (q z) eqn:Q; [destruct (Hq eq_refl) as [P| ->]|].
    - rewrite P. specialize (IH (fun y Hy => H y (or_intror Hy))). cbn [length]. lia.
    - assert (length (filter q l) <= length (filter p l)) as L;
        [|destruct (p x); cbn [length]; lia]. clear IH Hq. induction l as [|y l IHl]; [simpl; lia|].
      assert (y <> x) as N by (intros ->; apply Hz; left; reflexivity).
      specialize (IHl ltac:(intros Hl; apply Hz; right; exact Hl) ltac:(intros u [->|Hu]; apply H;
        [left; reflexivity|right; right; exact Hu])).
      specialize (H y (or_intror (or_introl eq_refl))). cbn [filter].
      destruct (q y); [destruct (H eq_refl) as [->|E]; [cbn [length]; lia|contradiction]|].
      destruct (p y); cbn [length]; lia.
    - specialize (IH (fun y Hy => H y (or_intror Hy))). destruct (p z); cbn [length]; lia.
  Qed.

  Lemma count_all p : count b p <= length (keys b).
  Proof.
    unfold count. induction (keys b) as [|x l IH]; [simpl; lia|]. cbn [filter].
    destruct (p x); simpl; lia.
  Qed.

  Lemma repeat_ok {A} (P : A -> Prop) (step : A -> option A) (mu : A -> nat) :
    (forall a a', P a -> step a = Some a' -> P a' /\ mu a' < mu a) ->
    forall k a, P a -> mu a <= k -> P (repeat step k a) /\ step (repeat step k a) = None.
  Proof.
    intros H. induction k as [|k IH]; intros a Pa Hk; cbn [repeat].
    - split; [exact Pa|]. destruct (step a) as [a'|] eqn:E; [|reflexivity].
      apply H in E; [lia|exact Pa].
    - destruct (step a) as [a'|] eqn:E; [|auto]. destruct (H a a' Pa E). apply IH; [assumption|lia].
  Qed.

  (** In cycle [n]: what is not known is noted as [S n]. *)
  Record during (s0 s : schedule) (n : nat) : Prop := {
    m_agree : agree b s0 s n;
    m_safe : safe m b s (S n);
    m_known : forall x, In x (keys b) -> I s x <= S n /\ D s x <= S n }.

  Lemma tick_during s n : safe m b s n -> during s (tick n s) n.
  Proof.
    intros S0.
    assert (forall x, I (tick n s) x < S n -> I (tick n s) x = I s x /\ I s x < n) as TI
      by (intros x; unfold tick; cbn [I]; decide_nat; lia).
    assert (forall x, D (tick n s) x < S n -> D (tick n s) x = D s x /\ D s x < n) as TD
      by (intros x; unfold tick; cbn [D]; decide_nat; lia).
    assert (forall x, I s x < n -> I (tick n s) x = I s x) as TI'
      by (intros x; unfold tick; cbn [I]; decide_nat; lia).
    assert (forall x, D s x < n -> D (tick n s) x = D s x) as TD'
      by (intros x; unfold tick; cbn [D]; decide_nat; lia).
    assert (forall x, I (tick n s) x <= S n /\ D (tick n s) x <= S n) as K
      by (intros x; unfold tick; cbn [I D]; split; decide_nat; lia).
    assert (agree b s (tick n s) n) as A.
    { constructor; intros; try reflexivity; unfold tick; cbn [I D]; decide_nat; lia. }
    constructor; [exact A| |intros x _; apply K].
    constructor; cbn [ai al ar begin tick].
    - apply (s_init _ _ _ _ S0).
    - apply (s_lat _ _ _ _ S0).
    - apply (s_rel _ _ _ _ S0).
    - intros x Hx L. destruct (TI x L) as [-> L']. apply (s_begin _ _ _ _ S0); assumption.
    - intros w k Hk L. destruct (TI _ L) as [-> L']. pose proof (s_order _ _ _ _ S0 w k Hk L').
      rewrite TI'; lia.
    - intros w k p Hk L Hp. destruct (TI _ L) as [-> L'].
      pose proof (s_ops _ _ _ _ S0 w k p Hk L' Hp) as H. unfold C in *. cbn [ai al tick].
      rewrite TD'; lia.
    - intros x Hx L. pose proof (s_start _ _ _ _ S0 x Hx) as H. destruct (K x) as [K1 K2].
      destruct (le_lt_dec n (D s x)) as [G|G].
      + unfold tick at 2. cbn [D]. destruct (Nat.ltb_spec (D s x) n); lia.
      + specialize (H (or_intror G)). rewrite TI', TD'; lia.
    - intros f t Ht. destruct (Nat.eq_dec t n) as [->|N].
      + destruct n as [|n'].
        * replace (n_init b (tick 0 s) f 0) with 0; [lia|]. symmetry. unfold n_init.
          destruct (count b _) as [|c] eqn:E; [reflexivity|exfalso].
          destruct (count_pos b (fun x => on b f x && initiates (tick 0 s) 0 x))
            as [x [_ P]]; [lia|]. apply andb_prop in P as [_ P]. apply andb_prop in P as [P _].
          apply Nat.leb_le in P. destruct (TD x ltac:(lia)). lia.
        * pose proof (s_cap _ _ _ _ S0 f n' ltac:(lia)) as H.
          rewrite (agree_init b s (tick (S n') s) (S n') A f n') in H by lia.
          pose proof (init_later b (tick (S n') s) f n' (S n') ltac:(lia)) as G.
          assert (n_init b (tick (S n') s) f (S n') <= n_init b (tick (S n') s) f n'); [|lia].
          apply G. intros x _.
          destruct (le_lt_dec (D (tick (S n') s) x) (S n')) as [L|L]; [left|right; exact L].
          destruct (TD x ltac:(lia)). lia.
      + rewrite <- (agree_init b s (tick n s) n A) by lia. apply (s_cap _ _ _ _ S0). lia.
    - intros x y Hx Hy F L G. destruct (TD y G) as [-> G'].
      pose proof (s_start _ _ _ _ S0 y Hy (or_intror G')). rewrite (TI' y) in L by lia.
      destruct (TI x ltac:(lia)) as [E _]. rewrite E in L.
      pose proof (s_fifo _ _ _ _ S0 x y Hx Hy F L G'). rewrite TD'; lia.
    - intros f t Ht. destruct (Nat.eq_dec t n) as [->|N].
      + destruct (depth m) as [d|] eqn:Dm; [|exact Logic.I].
        destruct (n_wait b (tick n s) f n) eqn:E; [lia|]. rewrite <- E.
        assert (forall x, waits (tick n s) n x = true -> I s x < n /\ n <= D s x) as Wt.
        { intros x H. unfold waits in H. apply andb_prop in H as [H1 H2]. apply Nat.leb_le in H1.
          apply Nat.ltb_lt in H2. destruct (TI x ltac:(lia)). split; [assumption|].
          destruct (le_lt_dec n (D s x)) as [L|L]; [exact L|]. rewrite (TD' x L) in H2. lia. }
        destruct (count_pos b (fun x => on b f x && waits (tick n s) n x)) as [x [_ H]];
          [unfold n_wait in E; lia|]. apply andb_prop in H as [_ H]. apply Wt in H.
        destruct n as [|n']; [lia|].
        pose proof (s_queue _ _ _ _ S0 f n' (Nat.lt_succ_diag_r n')) as Q. rewrite Dm in Q.
        etransitivity; [|exact Q]. apply count_le. intros y _ Hy. apply andb_prop in Hy as [-> Hy].
        apply Wt in Hy. unfold waits. cbn [andb]. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt.
        lia.
      + rewrite <- (agree_wait b s (tick n s) n A) by lia. apply (s_queue _ _ _ _ S0). lia.
    - intros c t Ht. destruct (Nat.eq_dec t n) as [->|N].
      + destruct (n_issue b m (tick n s) c n) eqn:E; [lia|].
        destruct (issue_some b m (tick n s) c n) as [y [_ [_ [Hy _]]]]; [lia|].
        destruct (TI y ltac:(lia)). lia.
      + rewrite <- (agree_issue m b s (tick n s) n A) by lia. apply (s_width _ _ _ _ S0). lia.
    - intros x y Hx Hy L G S1. destruct (TI x L) as [-> L'].
      pose proof (s_barrier _ _ _ _ S0 x y Hx Hy L' G S1). rewrite TI'; lia.
    - intros x Hx L U. destruct (TI x L) as [-> L']. pose proof (s_none _ _ _ _ S0 x Hx L' U).
      rewrite TD'; lia.
  Qed.

  (** One step: [x] is issued in [n], or was before; it starts in [n], or does not yet. *)
  Record step (s s' : schedule) (n : nat) (x : key) : Prop := {
    t_x : In x (keys b);
    t_other : forall y, y <> x -> I s' y = I s y /\ D s' y = D s y;
    t_same : ai s' = ai s /\ al s' = al s /\ ar s' = ar s /\ begin s' = begin s;
    t_D : D s x = S n;
    t_issue : I s' x = I s x /\ I s x <= n
      \/ I s x = S n /\ I s' x = n /\ eligible b m s (fst x) (snd x) n
         /\ (init (get b x) = 0 \/ n_issue b m s (core m (fst x)) n < width m)
         /\ (D s' x = n \/ match depth m with None => True | Some d => n_wait b s (fu (get b x)) n
              < d end);
    t_start : D s' x = S n
      \/ D s' x = n /\ (init (get b x) = 0 \/ n_init b s (fu (get b x)) n < inst m (fu (get b x)))
         /\ (forall y, In y (keys b) -> fu (get b y) = fu (get b x) -> I s y < I s' x ->
              D s y <= n);
    t_none : init (get b x) = 0 -> I s' x = n /\ D s' x = n }.

  Section Step.
    Variables (s0 s s' : schedule) (n : nat) (x : key).
    Hypotheses (P : during s0 s n) (T : step s s' n x).

    Lemma step_agree : agree b s s' n.
    Proof.
      destruct (t_same _ _ _ _ T) as [T1 [T2 [T3 T4]]]. constructor; try congruence;
        intros y Hy; destruct (key_dec y x) as [->|N].
      - destruct (t_issue _ _ _ _ T) as [[-> _]|[H1 [H2 _]]]; lia.
      - destruct (t_other _ _ _ _ T y N) as [-> _]. reflexivity.
      - rewrite (t_D _ _ _ _ T). destruct (t_start _ _ _ _ T) as [->|[-> _]]; lia.
      - destruct (t_other _ _ _ _ T y N) as [_ ->]. reflexivity.
    Qed.

    Lemma step_D y : D s' y <= D s y.
    Proof.
      destruct (key_dec y x) as [->|N]; [|destruct (t_other _ _ _ _ T y N); lia].
      rewrite (t_D _ _ _ _ T). destruct (t_start _ _ _ _ T) as [->|[-> _]]; lia.
    Qed.

    Lemma step_I y : I s' y <= I s y /\ (I s' y = I s y \/ y = x /\ I s y = S n /\ I s' y = n).
    Proof.
      destruct (key_dec y x) as [->|N]; [|destruct (t_other _ _ _ _ T y N); lia].
      destruct (t_issue _ _ _ _ T) as [[-> _]|[-> [-> _]]]; auto.
    Qed.

    Lemma step_cap f : n_init b s' f n <= inst m f.
    Proof.
      pose proof (s_cap _ _ _ _ (m_safe _ _ _ P) f n (Nat.lt_succ_diag_r n)) as H.
      destruct (t_same _ _ _ _ T) as [Ta _].
      assert (forall y, In y (keys b) -> on b f y && initiates s' n y = true ->
                on b f y && initiates s n y = true
                \/ y = x /\ fu (get b x) = f /\ D s' x = n /\ 1 <= ai s x) as Q.
      { intros y Hy Hp. apply andb_prop in Hp as [Hf Hi]. destruct (key_dec y x) as [->|N].
        - right. unfold on in Hf. apply Nat.eqb_eq in Hf. unfold initiates in Hi. rewrite Ta in Hi.
          apply andb_prop in Hi as [H1 H2]. apply Nat.leb_le in H1. apply Nat.ltb_lt in H2.
          destruct (t_start _ _ _ _ T) as [E|[E _]]; [lia|]. repeat split; auto. lia.
        - left. unfold initiates in *. destruct (t_other _ _ _ _ T y N) as [_ E].
          rewrite <- E, <- Ta, Hf. exact Hi. }
      destruct (t_start _ _ _ _ T) as [E|[E [U _]]].
      - etransitivity; [|exact H]. apply count_le. intros y Hy Hp.
        destruct (Q y Hy Hp) as [G|[_ [_ [G _]]]]; [exact G|lia].
      - destruct (Nat.eq_dec (fu (get b x)) f) as [<-|N].
        + destruct U as [U|U].
          * etransitivity; [|exact H]. apply count_le. intros y Hy Hp.
            destruct (Q y Hy Hp) as [G|[_ [_ [_ G]]]]; [exact G|].
            pose proof (s_init _ _ _ _ (m_safe _ _ _ P) x (t_x _ _ _ _ T)). lia.
          * assert (n_init b s' (fu (get b x)) n <= n_init b s (fu (get b x)) n + 1) as G; [|lia].
            apply (count_more x). intros y Hy Hp. destruct (Q y Hy Hp) as [G|[G _]]; auto.
        + etransitivity; [|exact H]. apply count_le. intros y Hy Hp.
          destruct (Q y Hy Hp) as [G|[_ [G _]]]; [exact G|contradiction].
    Qed.

    Lemma step_width c : n_issue b m s' c n <= width m.
    Proof.
      pose proof (s_width _ _ _ _ (m_safe _ _ _ P) c n (Nat.lt_succ_diag_r n)) as H.
      assert (forall y, In y (keys b) ->
        (core m (fst y) =? c) && ((I s' y =? n) && (1 <=? init (get b y))) = true ->
        (core m (fst y) =? c) && ((I s y =? n) && (1 <=? init (get b y))) = true
        \/ y = x /\ core m (fst x) = c /\ I s x = S n /\ 1 <= init (get b x)) as Q.
      { intros y Hy Hp. destruct (step_I y) as [_ [<-|[-> [E _]]]]; [left; exact Hp|right].
        rewrite !andb_true_iff, !Nat.eqb_eq, Nat.leb_le in Hp. tauto. }
      destruct (t_issue _ _ _ _ T) as [[E L]|[E [_ [_ [U _]]]]].
      - etransitivity; [|exact H]. apply count_le. intros y Hy Hp.
        destruct (Q y Hy Hp) as [G|[_ [_ [G _]]]]; [exact G|lia].
      - destruct (Nat.eq_dec (core m (fst x)) c) as [<-|N].
        + destruct U as [U|U].
          * etransitivity; [|exact H]. apply count_le. intros y Hy Hp.
            destruct (Q y Hy Hp) as [G|[_ [_ [_ G]]]]; [exact G|lia].
          * assert (n_issue b m s' (core m (fst x)) n <= n_issue b m s (core m (fst x)) n + 1)
              as G; [|lia]. apply (count_more x). intros y Hy Hp.
            destruct (Q y Hy Hp) as [G|[G _]]; auto.
        + etransitivity; [|exact H]. apply count_le. intros y Hy Hp.
          destruct (Q y Hy Hp) as [G|[_ [G _]]]; [exact G|contradiction].
    Qed.

    Lemma step_fifo y z : In y (keys b) -> In z (keys b) -> fu (get b y) = fu (get b z) ->
      I s' y < I s' z -> D s' z < S n -> D s' y <= D s' z.
    Proof.
      intros Hy Hz F L G. pose proof (step_D y) as Dy. destruct (key_dec z x) as [->|N].
      - destruct (t_start _ _ _ _ T) as [E|[E [_ H]]]; [lia|]. rewrite E in *.
        destruct (step_I y) as [_ [Ey|[-> _]]]; [|lia]. rewrite Ey in L. specialize (H y Hy F L).
        lia.
      - destruct (t_other _ _ _ _ T z N) as [E1 E2]. rewrite E1 in L. rewrite E2 in *.
        destruct (step_I y) as [_ [Ey|[-> [Ey _]]]].
        + rewrite Ey in L. pose proof (s_fifo _ _ _ _ (m_safe _ _ _ P) y z Hy Hz F L G). lia.
        + destruct (m_known _ _ _ P z Hz) as [K _].
          destruct (t_issue _ _ _ _ T) as [[Q1 Q2]|[_ [Q2 _]]]; [lia|].
          assert (I s z = S n) as Kz by lia.
          pose proof (s_start _ _ _ _ (m_safe _ _ _ P) z Hz (or_intror G)). lia.
    Qed.

    Lemma step_queue f : match depth m with None => True | Some d => n_wait b s' f n <= d end.
    Proof.
      pose proof (s_queue _ _ _ _ (m_safe _ _ _ P) f n (Nat.lt_succ_diag_r n)) as H.
      destruct (depth m) as [d|] eqn:Dm; [|exact Logic.I].
      assert (forall y, In y (keys b) -> on b f y && waits s' n y = true ->
                on b f y && waits s n y = true
                \/ y = x /\ fu (get b x) = f /\ D s' x = S n /\ I s x = S n) as Q.
      { intros y Hy Hp. apply andb_prop in Hp as [Hf Hi]. unfold waits in *. rewrite Hf.
        apply andb_prop in Hi as [H1 H2]. apply Nat.leb_le in H1. apply Nat.ltb_lt in H2.
        pose proof (step_D y) as Dy. destruct (step_I y) as [_ [E|[-> [E1 E2]]]].
        - left. cbn [andb]. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia.
        - right. unfold on in Hf. apply Nat.eqb_eq in Hf. pose proof (t_D _ _ _ _ T).
          repeat split; auto. lia. }
      assert (n_wait b s' f n <= n_wait b s f n \/ fu (get b x) = f /\ D s' x = S n /\ I s x = S n)
        as G.
      { destruct (Nat.eq_dec (fu (get b x)) f) as [F|F], (Nat.eq_dec (D s' x) (S n)) as [E|E],
          (Nat.eq_dec (I s x) (S n)) as [E'|E']; auto; left; apply count_le; intros y Hy Hp;
          destruct (Q y Hy Hp) as [G|[-> G]]; tauto. }
      destruct G as [G|[F [E E']]]; [lia|].
      destruct (t_issue _ _ _ _ T) as [[_ L]|[_ [_ [_ [_ [L|L]]]]]]; [lia|lia|].
      assert (n_wait b s' f n <= n_wait b s f n + 1).
      { apply (count_more x). intros y Hy Hp. destruct (Q y Hy Hp) as [G|[G _]]; auto. }
      rewrite Dm, F in L. lia.
    Qed.

    Lemma step_safe : safe m b s' (S n).
    Proof.
      pose proof (m_safe _ _ _ P) as S0. destruct (t_same _ _ _ _ T) as [Ta [Tl [Tr Tb]]].
      assert (forall t, t < S n -> t < n \/ t = n) as Now by (intros; lia).
      assert (forall w k p, In (w, k) (keys b) -> C s (w, p) <= n \/ C s (w, p) <= I s (w, k) /\
        I s (w, k) <= n -> C s' (w, p) = C s (w, p)) as SameC.
      { intros w k p Hk H. unfold C. rewrite Ta, Tl. destruct (key_dec (w, p) x) as [<-|N].
        - pose proof (t_D _ _ _ _ T). unfold C in H. lia.
        - destruct (t_other _ _ _ _ T _ N) as [_ ->]. reflexivity. }
      constructor.
      - rewrite Ta. apply (s_init _ _ _ _ S0).
      - rewrite Tl. apply (s_lat _ _ _ _ S0).
      - rewrite Tr. apply (s_rel _ _ _ _ S0).
      - intros y Hy L. rewrite Tb. destruct (step_I y) as [_ [E|[-> [E1 E2]]]].
        + rewrite E in *. apply (s_begin _ _ _ _ S0); assumption.
        + rewrite E2.
          destruct (t_issue _ _ _ _ T) as [[Q1 Q2]|[_ [_ [[_ [H _]] _]]]]; [lia|exact H].
      - intros w k Hk L. destruct (step_I (w, S k)) as [_ [E|[E [E1 E2]]]].
        + rewrite E in *. pose proof (s_order _ _ _ _ S0 w k Hk L). destruct (step_I (w, k)). lia.
        + rewrite E2. destruct (t_issue _ _ _ _ T) as [[Q1 Q2]|[_ [_ [[_ [_ [H _]]] _]]]];
            [rewrite E in *; lia|]. rewrite <- E in H. cbn [fst snd] in H. specialize (H k eq_refl).
          destruct (step_I (w, k)). lia.
      - intros w k p Hk L Hp. destruct (step_I (w, k)) as [_ [E|[E [E1 E2]]]].
        + rewrite E in *. pose proof (s_ops _ _ _ _ S0 w k p Hk L Hp).
          rewrite (SameC w k p Hk); lia.
        + rewrite E2. destruct (t_issue _ _ _ _ T) as [[Q1 Q2]|[_ [_ [[_ [_ [_ [H _]]]] _]]]];
            [rewrite E in *; lia|]. rewrite <- E in H. cbn [fst snd] in H. specialize (H p Hp).
          rewrite (SameC w k p Hk); lia.
      - intros y Hy L. pose proof (s_start _ _ _ _ S0 y Hy) as H. destruct (m_known _ _ _ P y Hy).
        destruct (key_dec y x) as [->|N]; [|destruct (t_other _ _ _ _ T y N) as [E1 E2]; rewrite E1,
          E2 in *; auto]. pose proof (t_D _ _ _ _ T).
        destruct (t_start _ _ _ _ T) as [E|[E _]], (t_issue _ _ _ _ T) as [[Q1 Q2]|[_ [Q2 _]]]; lia.
      - intros f t Ht. destruct (Now t Ht) as [L| ->]; [|apply step_cap].
        rewrite <- (agree_init b s s' n step_agree f t L). apply (s_cap _ _ _ _ S0), Ht.
      - apply step_fifo.
      - intros f t Ht. destruct (Now t Ht) as [L| ->]; [|apply step_queue].
        rewrite <- (agree_wait b s s' n step_agree f t L). apply (s_queue _ _ _ _ S0), Ht.
      - intros c t Ht. destruct (Now t Ht) as [L| ->]; [|apply step_width].
        rewrite <- (agree_issue m b s s' n step_agree c t L). apply (s_width _ _ _ _ S0), Ht.
      - intros y z Hy Hz L G Q. rewrite Tr. destruct (step_I z) as [Z _].
        destruct (step_I y) as [_ [E|[-> [E1 E2]]]].
        + rewrite E in *. pose proof (s_barrier _ _ _ _ S0 y z Hy Hz L G Q). lia.
        + rewrite E2.
          destruct (t_issue _ _ _ _ T) as [[Q1 Q2]|[_ [_ [[_ [_ [_ [_ H]]]] _]]]]; [lia|].
          specialize (H z Hz G). replace (fst x, snd x) with x in H by (destruct x; reflexivity).
          specialize (H Q). lia.
      - intros y Hy L U. destruct (key_dec y x) as [->|N].
        + destruct (t_none _ _ _ _ T U). lia.
        + destruct (t_other _ _ _ _ T y N) as [E1 E2]. rewrite E1, E2 in *.
          apply (s_none _ _ _ _ S0); assumption.
    Qed.

    Lemma step_during : during s0 s' n.
    Proof.
      constructor.
      - eapply agree_trans; [apply P|exact step_agree].
      - exact step_safe.
      - intros y Hy. destruct (m_known _ _ _ P y Hy). destruct (step_I y). pose proof (step_D y).
        lia.
    Qed.
  End Step.
End Run.
