(** * A checker of schedules, R1 to R7, in nearly linear time

    Tables count what initiates, waits and is issued in a cycle, each thread block's barriers are
    one number a section, and starts in the order of issue are those of a list in which neighbours
    are in order. *)

From Coq Require Import Sorted.
From Warpbound Require Import Base Cycles Largest Model Checks Forward Compute CheckFast.

(** ** Tables that count *)

(** [bump] counts one more at a key. *)
Definition bump (t : Table.t nat) (c : key) : Table.t nat := Table.add c (S (found 0 t c)) t.
(** [tally] counts the cells of all elements. *)
Definition tally {A} (cells : A -> list key) (l : list A) : Table.t nat :=
  fold_left (fun t y => fold_left bump (cells y) t) l (Table.empty nat).

(** Two keys are equal. *)
Definition same (c d : key) : bool := (fst c =? fst d) && (snd c =? snd d).

Lemma same_ok c d : same c d = true <-> c = d.
Proof.
  destruct c as [a b], d as [e f]. unfold same. cbn [fst snd]. rewrite andb_true_iff, !Nat.eqb_eq.
  split; [intros []|intros E; inversion E]; subst; auto.
Qed.

(** How often a key is in a list. *)
Definition often (c : key) (l : list key) : nat := length (filter (same c) l).

Lemma bump_all l : forall t c, found 0 (fold_left bump l t) c = found 0 t c + often c l.
Proof.
  induction l as [|d l IH]; intros t c; [symmetry; apply Nat.add_0_r|]. cbn [fold_left]. rewrite IH.
  unfold often. cbn [filter]. unfold bump. destruct (same c d) eqn:E.
  - apply same_ok in E. subst. rewrite found_same. cbn [length]. lia.
  - rewrite found_other by (intros ->; rewrite (proj2 (same_ok c c) eq_refl) in E; discriminate).
    reflexivity.
Qed.

Lemma tally_all {A} (cells : A -> list key) l c : found 0 (tally cells l) c
  = sum (fun y => often c (cells y)) l.
Proof.
  unfold tally. assert (forall t, found 0 (fold_left (fun t y => fold_left bump (cells y) t) l t) c
    = found 0 t c + sum (fun y => often c (cells y)) l) as H.
  { induction l as [|y l IH]; intros t; [symmetry; apply Nat.add_0_r|]. cbn [fold_left].
    rewrite IH, bump_all. unfold sum. cbn [map list_sum fold_right].
    fold (list_sum (map (fun y => often c (cells y)) l)). lia. }
  rewrite H. unfold found at 1. rewrite TableFacts.empty_o. reflexivity.
Qed.

(** Cells of a unit, or a sub-core, in the cycles from [a] on. *)
Definition row (f a n : nat) : list key := map (pair f) (seq a n).

Lemma often_row c f a n : often c (row f a n) = if (f =? fst c)
  && ((a <=? snd c) && (snd c <? a + n)) then 1 else 0.
Proof.
  unfold row, often. revert a. induction n as [|n IH]; intros a; cbn [seq map filter].
  - destruct (f =? fst c), (Nat.leb_spec a (snd c)), (Nat.ltb_spec (snd c) (a + 0)); cbn;
      try reflexivity; lia.
  - unfold same at 1. cbn [fst snd]. rewrite (Nat.eqb_sym (fst c)).
    destruct (f =? fst c) eqn:F; cbn [andb].
    + destruct (Nat.eqb_spec (snd c) a) as [E|E]; cbn [length]; rewrite IH;
        destruct (Nat.leb_spec (S a) (snd c)), (Nat.ltb_spec (snd c) (S a + n)),
        (Nat.leb_spec a (snd c)), (Nat.ltb_spec (snd c) (a + S n)); cbn; try reflexivity; lia.
    + apply IH.
Qed.

(** A count of instructions, by a table. *)
Lemma count_tally b (p : key -> bool) (cells : key * instr -> list key) c :
  (forall x, often c (cells (x, get b x)) = if p x then 1 else 0) ->
  found 0 (tally cells (indexed b)) c = count b p.
Proof.
  intros H. rewrite tally_all, indexed_keys. unfold count, sum. rewrite map_map.
  induction (keys b) as [|x l IH]; [reflexivity|]. cbn [map list_sum fold_right filter]. rewrite H.
  destruct (p x); cbn [length]; unfold list_sum in IH; rewrite IH; reflexivity.
Qed.

(** ** Lists in order *)

(** Each element is related to the next one. *)
Fixpoint in_order {A} (r : A -> A -> bool) (l : list A) : bool :=
  match l with
  | x :: (y :: _) as rest => r x y && in_order r rest
  | _ => true
  end.

Lemma in_order_sorted {A} (r : A -> A -> bool) l :
  (forall x y z, r x y = true -> r y z = true -> r x z = true) ->
  in_order r l = true -> StronglySorted (fun x y => r x y = true) l.
Proof.
  intros T H. apply Sorted_StronglySorted; [intros x y z; apply T|].
  induction l as [|x l IH]; [constructor|]. destruct l as [|y l]; [repeat constructor|].
  cbn [in_order] in H. apply andb_prop in H as [H1 H2].
  constructor; [apply IH, H2|constructor; exact H1].
Qed.

Lemma sorted_pair {A} (R : A -> A -> Prop) l x y : StronglySorted R l -> In x l -> In y l -> x = y
  \/ R x y \/ R y x.
Proof.
  induction 1 as [|z l _ IH F]; [intros []|]. rewrite Forall_forall in F.
  intros [->|Hx] [->|Hy]; auto.
Qed.

(** ** Schedules *)
Section Fast.
  Variables (m : machine) (b : block) (s : schedule).

  (** The cycles in which an instruction initiates, with its unit. *)
  Definition cells_init (y : key * instr) : list key := row (fu (snd y)) (D s (fst y))
    (ai s (fst y)).
  (** The cycles in which an instruction waits, with its unit. *)
  Definition cells_wait (y : key * instr) : list key :=
    match depth m with None => [] | Some _ =>
      row (fu (snd y)) (I s (fst y)) (D s (fst y) - I s (fst y)) end.
  (** The slot that an instruction takes, with its sub-core. *)
  Definition cells_issue (y : key * instr) : list key :=
    row (core m (fst (fst y))) (I s (fst y)) (takes (snd y)).

  (** Before it R1, R2, R7 or the start of its thread block hold [x] up; [tops] are the last issues
      of each section. *)
  Definition ready_by (g : key -> instr) (tops : Table.t nat) (x : key) (i : instr) : nat :=
    let w := fst x in
    max (begin s (group m w))
   (max match snd x with 0 => 0 | S j => I s (w, j) + takes (g (w, j)) end
   (max (list_max (map (fun p => C s (w, p)) (ops i)))
        (list_max (map (fun q => match Table.find (group m w, q) tops with None => 0 | Some v =>
          v + ar s (group m w) (sec i) end) (seq 0 (sec i)))))).

  (** The cycle after an issue. *)
  Definition issued_by (g : key -> instr) (x : key) : nat := I s x + takes (g x).

  (** The rules hold for one instruction, from tables. *)
  Definition one_ok (g : key -> instr) (tops ti tw tx : Table.t nat) (y : key * instr) : bool :=
    let (x, i) := y in
    let f := fu i in let c := core m (fst x) in let r := ready_by g tops x i in
    (takes i <=? ai s x) && ((ai s x <=? init i)
      && ((al s x <=? lat i) && ((I s x <=? D s x)
      && ((r <=? I s x) && (all (fun t => found 0 ti (f, t) <=? inst m f) (seq (D s x) (ai s x))
      && (all (fun t => (inst m f <=? found 0 ti (f, t)) && match depth m with None => true |
      Some d => found 0 tw (f, t) <=? d end) (seq (I s x) (D s x - I s x))
      && (if init i =? 0 then (D s x =? I s x) && (I s x <=? r)
        else (found 0 tx (c, I s x) <=? width m)
          && all (fun t => (found 0 tx (c, t) =? width m)
                           || ((inst m f <=? found 0 ti (f, t))
                               && match depth m with None => false | Some d =>
                                 d <=? found 0 tw (f, t) end)) (seq r (I s x - r))))))))).

  (** [x] is no later than [y] on its unit. *)
  Definition earlier (g : key -> instr) (x y : key) : bool :=
    let f := fu (g x) in let e := fu (g y) in
    (f <? e) || ((f =? e) && ((I s x <=? I s y) && (D s x <=? D s y))).

  (** All keys, unit by unit in the order of issue, then of start. *)
  Definition by_units : list key :=
    let g := looked_up b in let most t := S (list_max (map t (keys b))) in
    let is := most (I s) in let ds := most (D s) in
    by_rank (fun x => (fu (g x) * is + I s x) * ds + D s x) (keys b).

  (** The schedule keeps all rules. *)
  Definition valid_b : bool :=
    let l := indexed b in let g := looked_up b in let order := by_units in
    let tops := section_tops m (issued_by g) l in
    let there := fold_left (fun t x => Table.add x true t) order (Table.empty bool) in
    (in_order (earlier g) order && all (fun y => found false there (fst y)) l)
    && all (one_ok g tops (tally cells_init l) (tally cells_wait l) (tally cells_issue l)) l.

  (** ** It is so *)

  Notation l := (indexed b).
  Notation g := (looked_up b).
  Notation tops := (section_tops m (issued_by g) l).
  Notation ti := (tally cells_init l).
  Notation tw := (tally cells_wait l).
  Notation tx := (tally cells_issue l).

  Lemma init_table f t : found 0 ti (f, t) = n_init b s f t.
  Proof.
    apply count_tally. intros x. unfold cells_init. rewrite often_row. cbn [fst snd].
    unfold on, initiates. reflexivity.
  Qed.

  Lemma wait_table d f t : depth m = Some d -> (forall x, In x (keys b) -> I s x <= D s x) ->
    found 0 tw (f, t) = n_wait b s f t.
  Proof.
    intros E H. rewrite tally_all, indexed_keys. unfold n_wait, count, sum. rewrite map_map.
    cbn [snd fst]. induction (keys b) as [|x r IH]; [reflexivity|].
    specialize (IH (fun x Hx => H x (or_intror Hx))). specialize (H x (or_introl eq_refl)).
    cbn [map list_sum fold_right filter]. unfold list_sum in IH. rewrite IH. unfold cells_wait at 1.
    rewrite E, often_row. cbn [fst snd]. unfold on, waits.
    replace (I s x + (D s x - I s x)) with (D s x) by lia.
    destruct ((fu (get b x) =? f) && ((I s x <=? t) && (t <? D s x))); reflexivity.
  Qed.

  Lemma issue_table c t : found 0 tx (c, t) = n_issue b m s c t.
  Proof.
    apply count_tally. intros x. unfold cells_issue. rewrite often_row. cbn [fst snd].
    destruct (core m (fst x) =? c); [|reflexivity]. cbn [andb].
    destruct (Nat.leb_spec (I s x) t), (Nat.ltb_spec t (I s x + takes (get b x))),
      (Nat.eqb_spec (I s x) t), (Nat.leb_spec 1 (init (get b x))); cbn; try reflexivity; lia.
  Qed.

  Lemma tops_above y : In y (keys b) -> exists v, Table.find (group m (fst y), sec (get b y)) tops
    = Some v /\ I s y + takes (get b y) <= v.
  Proof.
    intros Hy. destruct (proj2 (tops_from m (issued_by g) l (Table.empty nat) (group m (fst y),
      sec (get b y))) (y, get b y)) as [v [F V]].
    - rewrite indexed_keys. apply in_map_iff. exists y. auto.
    - reflexivity.
    - exists v. split; [exact F|]. unfold issued_by in V. cbn [fst] in V.
      rewrite looked_up_get in V. exact V.
  Qed.

  Lemma tops_reached r : forall t c v, Table.find c (fold_left (note_top m (issued_by g)) r t)
    = Some v ->
    Table.find c t = Some v \/ (exists y, In y r /\ c = (group m (fst (fst y)), sec (snd y)) /\ v
      = issued_by g (fst y)).
  Proof.
    induction r as [|z r IH]; intros t c v H; [left; exact H|]. cbn [fold_left] in H.
    apply IH in H as [H|[y [Hy H]]].
    - unfold note_top in H. destruct (key_dec (group m (fst (fst z)), sec (snd z)) c) as [E|E].
      + rewrite <- E, find_same in H. inversion H; subst. clear H IH. unfold found.
        destruct (Table.find (group m (fst (fst z)), sec (snd z)) t) as [u|] eqn:F.
        * destruct (Nat.max_dec u (issued_by g (fst z))) as [M|M]; rewrite M;
            [left; reflexivity|right]. exists z. cbn. auto.
        * right. exists z. cbn. auto.
      + rewrite find_other in H by exact E. left. exact H.
    - right. exists y. cbn. tauto.
  Qed.

  Notation ready x := (ready_by g tops x (get b x)).

  Lemma ready_eligible w k t : eligible b m s w k t -> ready (w, k) <= t.
  Proof.
    intros [_ [E0 [E1 [E2 E3]]]]. unfold ready_by. cbn [fst snd]. repeat apply Nat.max_lub.
    - exact E0.
    - destruct k as [|j]; [apply Nat.le_0_l|]. rewrite looked_up_get. apply E1. reflexivity.
    - apply list_max_le_in. intros v Hv. apply in_map_iff in Hv as [p [<- Hp]]. apply E2, Hp.
    - apply list_max_le_in. intros v Hv. apply in_map_iff in Hv as [q [<- Hq]]. apply in_seq in Hq.
      destruct (Table.find (group m w, q) tops) as [u|] eqn:F; [|apply Nat.le_0_l].
      unfold section_tops in F. apply tops_reached in F as [F|[y [Hy [Ec ->]]]];
        [rewrite TableFacts.empty_o in F; discriminate|]. rewrite indexed_keys in Hy.
      apply in_map_iff in Hy as [x [<- Hx]]. cbn [fst snd] in *. inversion Ec. unfold issued_by.
      rewrite looked_up_get. apply E3; [exact Hx|congruence|lia].
  Qed.

  Lemma ready_covers w k v : ready (w, k) <= v -> begin s (group m w) <= v
    /\ (forall j, k = S j -> I s (w, j) + takes (get b (w, j)) <= v)
    /\ (forall p, In p (ops (get b (w, k))) -> C s (w, p) <= v)
    /\ (forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y)
         < sec (get b (w, k)) ->
          I s y + takes (get b y) + ar s (group m w) (sec (get b (w, k))) <= v).
  Proof.
    unfold ready_by. cbn [fst snd]. intros H. apply Nat.max_lub_iff in H as [H0 H].
    apply Nat.max_lub_iff in H as [H1 H]. apply Nat.max_lub_iff in H as [H2 H3]. split; [exact H0|].
    split; [|split].
    - intros j ->. rewrite looked_up_get in H1. exact H1.
    - intros p Hp. etransitivity; [|exact H2].
      apply list_max_ge, (in_map (fun p => C s (w, p))), Hp.
    - intros y Hy G Sy. destruct (tops_above y Hy) as [u [F U]]. etransitivity; [|exact H3].
      transitivity (u + ar s (group m w) (sec (get b (w, k)))); [lia|].
      apply list_max_ge, in_map_iff. exists (sec (get b y)). rewrite <- G, F.
      split; [reflexivity|apply in_seq; lia].
  Qed.

  Lemma earlier_trans x y z : earlier g x y = true -> earlier g y z = true -> earlier g x z = true.
  Proof.
    unfold earlier. rewrite !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq, !Nat.leb_le.
    lia.
  Qed.

  Lemma there_in (order : list key) x : found false
    (fold_left (fun t x => Table.add x true t) order (Table.empty bool)) x = true -> In x order.
  Proof.
    enough (forall t, found false (fold_left (fun t x => Table.add x true t) order t) x = true ->
      In x order \/ found false t x = true) as H.
    { intros F. apply H in F as [F|F]; [exact F|]. unfold found in F.
      rewrite TableFacts.empty_o in F. discriminate. }
    induction order as [|y r IH]; intros t F; [right; exact F|]. cbn [fold_left] in F.
    apply IH in F as [F|F]; [left; right; exact F|].
    destruct (key_dec y x) as [->|N]; [left; left; reflexivity|]. right.
    rewrite found_other in F by exact N. exact F.
  Qed.

  (** The rules hold for one instruction. *)
  Definition kept (x : key) : Prop :=
    let i := get b x in let f := fu i in
    takes i <= ai s x <= init i /\ al s x <= lat i /\ I s x <= D s x /\ ready x <= I s x
    /\ (forall t, initiates s t x = true -> n_init b s f t <= inst m f)
    /\ (forall t, waits s t x = true -> inst m f <= n_init b s f t
          /\ match depth m with None => True | Some d => found 0 tw (f, t) <= d end)
    /\ (init i = 0 -> D s x = I s x /\ I s x <= ready x)
    /\ (1 <= init i -> n_issue b m s (core m (fst x)) (I s x) <= width m
          /\ forall t, ready x <= t < I s x -> n_issue b m s (core m (fst x)) t = width m
               \/ (inst m f <= n_init b s f t /\ match depth m with None => False | Some d => d
                 <= found 0 tw (f, t) end)).

  Lemma one_kept x : one_ok g tops ti tw tx (x, get b x) = true -> kept x.
  Proof.
    unfold one_ok, kept. intros H. apply andb_prop in H as [H1 H]. apply andb_prop in H as [H2 H].
    apply andb_prop in H as [H3 H]. apply andb_prop in H as [H4 H]. apply andb_prop in H as [H5 H].
    apply andb_prop in H as [H6 H]. apply andb_prop in H as [H7 H].
    apply Nat.leb_le in H1, H2, H3, H4, H5. repeat split; auto.
    - intros t Ht. unfold initiates in Ht. apply andb_prop in Ht as [T1 T2]. apply Nat.leb_le in T1.
      apply Nat.ltb_lt in T2. pose proof (all_ok _ _ H6 t ltac:(apply in_seq; lia)) as P.
      cbv beta in P. rewrite init_table in P. apply Nat.leb_le, P.
    - unfold waits in H0. apply andb_prop in H0 as [T1 T2]. apply Nat.leb_le in T1.
      apply Nat.ltb_lt in T2. pose proof (all_ok _ _ H7 t ltac:(apply in_seq; lia)) as P.
      cbv beta in P. apply andb_prop in P as [P _]. rewrite init_table in P. apply Nat.leb_le, P.
    - unfold waits in H0. apply andb_prop in H0 as [T1 T2]. apply Nat.leb_le in T1.
      apply Nat.ltb_lt in T2. pose proof (all_ok _ _ H7 t ltac:(apply in_seq; lia)) as P.
      cbv beta in P. apply andb_prop in P as [_ P].
      destruct (depth m); [apply Nat.leb_le, P|exact Logic.I].
    - rewrite H0, Nat.eqb_refl in H. apply andb_prop in H as [H _]. apply Nat.eqb_eq, H.
    - rewrite H0, Nat.eqb_refl in H. apply andb_prop in H as [_ H]. apply Nat.leb_le, H.
    - destruct (Nat.eqb_spec (init (get b x)) 0) as [E|_]; [lia|]. apply andb_prop in H as [H _].
      rewrite issue_table in H. apply Nat.leb_le, H.
    - destruct (Nat.eqb_spec (init (get b x)) 0) as [E|_]; [lia|]. apply andb_prop in H as [_ H].
      intros t Ht. pose proof (all_ok _ _ H t ltac:(apply in_seq; lia)) as P. cbv beta in P.
      rewrite issue_table, init_table in P.
      apply orb_prop in P as [P|P]; [left; apply Nat.eqb_eq, P|right].
      apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1. split; [exact P1|].
      destruct (depth m); [apply Nat.leb_le, P2|discriminate].
  Qed.

  (** The checker accepts only valid schedules. *)
  Theorem valid_ok : valid_b = true -> (forall g n, ar s g n <= release m n) -> valid m b s.
  Proof.
    unfold valid_b. cbv zeta. generalize by_units. intros order H HR. apply andb_prop in H as [O H].
    apply andb_prop in O as [O There]. assert (forall x, In x (keys b) -> kept x) as K.
    { intros x Hx. apply one_kept. apply (all_ok _ _ H (x, get b x)). rewrite indexed_keys.
      apply in_map_iff. eauto. }
    assert (forall x, In x (keys b) -> In x order) as All.
    { intros x Hx. apply there_in. apply (all_ok _ _ There (x, get b x)). rewrite indexed_keys.
      apply in_map_iff. eauto. }
    apply (in_order_sorted _ _ earlier_trans) in O. clear H There.
    assert (forall x, In x (keys b) -> I s x <= D s x) as ID by (intros x Hx; apply (K x Hx)).
    assert (forall w k, In (w, k) (keys b) -> _) as R
      by (intros w k Hx; exact (ready_covers w k _ (proj1 (proj2 (proj2 (proj2 (K _ Hx))))))).
    constructor.
    - intros x Hx. apply (K x Hx).
    - intros x Hx. apply (K x Hx).
    - exact HR.
    - intros [w k] Hx. apply (R w k Hx).
    - intros w k Hx. apply (R w (S k) Hx). reflexivity.
    - intros w k p Hx Hp. apply (R w k Hx), Hp.
    - exact ID.
    - intros f t. destruct (n_init b s f t) as [|n] eqn:E; [lia|].
      destruct (count_pos b (fun x => on b f x && initiates s t x)) as [x [Hi Hq]];
        [unfold n_init in E; lia|]. apply andb_prop in Hq as [Hf Hq]. unfold on in Hf.
      apply Nat.eqb_eq in Hf. subst f. rewrite <- E. apply (K x Hi), Hq.
    - intros x y Hx Hy F L. destruct (sorted_pair _ _ x y O (All x Hx) (All y Hy)) as [->|[E|E]];
        [lia| |]; unfold earlier in E; rewrite !looked_up_get, orb_true_iff, !andb_true_iff,
        Nat.ltb_lt, Nat.eqb_eq, !Nat.leb_le in E; lia.
    - intros x t Hx Hq. apply (K x Hx), Hq.
    - intros f t. destruct (depth m) as [d|] eqn:Ed; [|exact Logic.I].
      destruct (n_wait b s f t) as [|n] eqn:E; [lia|].
      destruct (count_pos b (fun x => on b f x && waits s t x)) as [x [Hi Hq]];
        [unfold n_wait in E; lia|]. apply andb_prop in Hq as [Hf Hq]. unfold on in Hf.
      apply Nat.eqb_eq in Hf. subst f. destruct (K x Hi) as [_ [_ [_ [_ [_ [Wt _]]]]]].
      destruct (Wt t Hq) as [_ P]. rewrite Ed in P. rewrite (wait_table d _ _ Ed ID) in P. lia.
    - intros c t. destruct (n_issue b m s c t) as [|n] eqn:E; [lia|].
      destruct (issue_some b m s c t) as [x [Hi [<- [<- P]]]]; [lia|]. rewrite <- E.
      apply (K x Hi), P.
    - intros w k t Hi He. destruct (K _ Hi) as [_ [_ [_ [_ [_ [_ [Kn Kp]]]]]]].
      pose proof (ready_eligible w k t He) as Re. pose proof (proj1 He) as Lt.
      destruct (Nat.eq_dec (init (get b (w, k))) 0) as [Z|Z]; [specialize (Kn Z); lia|].
      destruct (proj2 (Kp ltac:(lia)) t ltac:(lia)) as [P|[P1 P2]]; [left; exact P|right].
      split; [exact P1|]. destruct (depth m) as [d|] eqn:Ed; [|exact P2].
      rewrite (wait_table d _ _ Ed ID) in P2. exact P2.
    - intros [w k] y Hx Hy G L. destruct (R w k Hx) as [_ [_ [_ R7]]]. apply (R7 y Hy G L).
    - intros w k Hx Z. destruct (K _ Hx) as [_ [_ [_ [_ [_ [_ [Kn _]]]]]]].
      destruct (Kn Z) as [K1 K2]. split; [exact K1|]. intros t He.
      pose proof (ready_eligible w k t He). pose proof (proj1 He). lia.
  Qed.
End Fast.
