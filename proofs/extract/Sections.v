(** * SIB and FIB from times of isolation, in nearly linear time

    [block_bound] of block/Bounds.v with the charges of SIB and of FIB: each section is
    cut out once, and what a warp is charged is added up once a warp and section. *)

From Warpbound Require Import Base Cycles Model Isolation Queue Bounds IsolationPaths Forward
  Compute.

(** ** What units have *)

(** The largest initiation on each unit; which sub-core has an instruction on which unit. *)
Definition largest_inits (all : list (key * instr)) : Table.t nat :=
  fold_left (fun t y => let f := (fu (snd y), 0) in Table.add f (max (found 0 t f) (init (snd y)))
    t) all (Table.empty nat).
Definition reached (m : machine) (all : list (key * instr)) : Table.t bool :=
  fold_left (fun t y => Table.add (core m (fst (fst y)), fu (snd y)) true t) all (Table.empty bool).
Definition used (own : list (key * instr)) : Table.t bool :=
  fold_left (fun t y => Table.add (fu (snd y), 0) true t) own (Table.empty bool).

Lemma largest_inits_from l t f :
  found 0 (fold_left (fun t (y : key * instr) => let f := (fu (snd y), 0)
    in Table.add f (max (found 0 t f) (init (snd y))) t) l t) (f, 0)
    = max (found 0 t (f, 0)) (list_max (map (fun y => init (snd y))
    (filter (fun y => fu (snd y) =? f) l))).
Proof.
  revert t. induction l as [|y l IH]; intros t; [simpl; lia|]. cbn [fold_left filter]. rewrite IH.
  clear IH. destruct (Nat.eqb_spec (fu (snd y)) f) as [E|N].
  - cbv zeta. rewrite E, found_same. simpl map. cbn [list_max fold_right]. unfold list_max. lia.
  - cbv zeta. rewrite found_other by congruence. reflexivity.
Qed.

Lemma trues_from {A} (k : A -> key) l t x :
  found false (fold_left (fun t y => Table.add (k y) true t) l t) x
  = found false t x || existsb (fun y => if key_dec (k y) x then true else false) l.
Proof.
  revert t. induction l as [|y l IH]; intros t; [simpl; rewrite orb_false_r; reflexivity|]. simpl.
  rewrite IH.
  destruct (key_dec (k y) x) as [->|N]; [rewrite found_same|rewrite found_other by exact N].
  - rewrite orb_true_r. reflexivity.
  - reflexivity.
Qed.

(** ** Charges *)

(** The cost of an instruction, from a table of the longest initiations. *)
Definition cost_of (m : machine) (largest : Table.t nat) (i : instr) : nat :=
  match depth m with Some (S _) => found 0 largest (fu i, 0) | _ => init i end.

(** What a warp is charged for an instruction of another, of this sub-core; the first argument
    is the section. *)
Definition weights := list (key * instr) -> nat -> instr -> nat -> nat.

(** The charge of SIB, from tables. *)
Definition sib_weight (m : machine) (largest : Table.t nat) (reach : Table.t bool) : weights :=
  fun _ w i _ => if found false reach (core m w, fu i) then cost_of m largest i else 0.

(** The charge of FIB, from tables. *)
Definition fib_weight (m : machine) (largest : Table.t nat) : weights := fun here w =>
  let own := used (filter (fun y => fst (fst y) =? w) here) in
  fun i c => if found false own (fu i, 0) then cost_of m largest i else if c =?
    core m w then takes i else 0.

(** ** Sums *)

(** The sum of charges of a warp in a section. *)
Definition charged_fast (m : machine) (wt : weights) (here : list (key * instr)) (w : nat) : nat :=
  let f := wt here w in
  sum (fun y => if fst (fst y) =? w then 0 else f (snd y) (core m (fst (fst y)))) here.

(** The term of a section. *)
Definition term_fast (n : nat) (m : machine) (wt : weights) (iD : key -> nat)
  (here : list (key * instr)) : nat :=
  let c := tabulated (fun x => charged_fast m wt here (fst x)) (map (fun w => (w, 0)) (seq 0 n)) in
  list_max (map (fun y => let t := iD (fst y) + init (snd y) + lat (snd y) in
                          if 1 <=? t then t + found 0 c (fst (fst y), 0) else 0) here).

(** The instructions of section [q]. *)
Definition section_of (q : nat) (all : list (key * instr)) : list (key * instr) :=
  filter (fun y => sec (snd y) =? q) all.

(** [n] warps, whose instructions are [all]. *)
Definition bound_fast (n : nat) (all : list (key * instr)) (m : machine) (wt : weights)
  (iD : key -> nat) (g : nat) : nat :=
  let mine := filter (fun y => group m (fst (fst y)) =? g) all in
  let last := list_max (map (fun y => sec (snd y)) mine) in
  list_sum (map (fun q => term_fast n m wt iD (section_of q mine)
                          + match q with 0 => 0 | S _ => release m q end) (seq 0 (S last))).

(** The bound with charges of SIB. *)
Definition sib_charge_fast (b : block) (m : machine) (iD : key -> nat) (g : nat) : nat :=
  let all := indexed b in
  bound_fast (length b) all m (sib_weight m (largest_inits all) (reached m all)) iD g.
(** The same with every unit in reach that [shared] says sub-cores share: what the page and the
    library add up. *)
Definition shared_weight (m : machine) (largest : Table.t nat) (shared : nat -> bool) : weights :=
  fun _ w i c => if (c =? core m w) || shared (fu i) then cost_of m largest i else 0.
Definition sib_shared_fast (b : block) (m : machine) (shared : nat -> bool) (iD : key -> nat)
  (g : nat) : nat :=
  let all := indexed b in bound_fast (length b) all m (shared_weight m (largest_inits all) shared)
    iD g.
Definition fib_charge_fast (b : block) (m : machine) (iD : key -> nat) (g : nat) : nat :=
  let all := indexed b in bound_fast (length b) all m (fib_weight m (largest_inits all)) iD g.

(** ** They are the definitions *)

Lemma filter_and {A} (p q : A -> bool) l : filter (fun x => p x && q x) l = filter q (filter p l).
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl.
  destruct (p x); simpl; rewrite IH; destruct (q x); reflexivity.
Qed.

Lemma existsb_mapped {A B} (f : A -> B) p l : existsb p (map f l) = existsb (fun x => p (f x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.

Lemma existsb_same {A} (p q : A -> bool) l : (forall x, p x = q x) -> existsb p l = existsb q l.
Proof. intros H. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite H, IH. reflexivity. Qed.

Lemma existsb_filtered {A} (p q : A -> bool) l : existsb q (filter p l)
  = existsb (fun x => p x && q x) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl. destruct (p x); simpl; rewrite IH; reflexivity.
Qed.

Lemma sum_filtered {A} (f : A -> nat) p l : (forall x, p x = false -> f x = 0) ->
  sum f l = sum f (filter p l).
Proof.
  unfold sum. intros H. induction l as [|x l IH]; [reflexivity|]. simpl.
  destruct (p x) eqn:E; simpl; rewrite IH; [|rewrite (H x E)]; reflexivity.
Qed.

Lemma max_filtered {A} p (f : A -> nat) l :
  list_max (map f (filter p l)) = list_max (map (fun x => if p x then f x else 0) l).
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl. destruct (p x); simpl; rewrite IH; reflexivity.
Qed.

Section Same.
  Variables (b : block) (m : machine).
  Let pair (x : key) := (x, get b x).
  Let here (g q : nat) := map pair (of_section b m g q).

  Lemma largest_inits_is f : found 0 (largest_inits (map pair (keys b))) (f, 0) = cmax b f.
  Proof.
    unfold largest_inits, cmax. rewrite largest_inits_from, found_empty. cbn [Nat.max].
    rewrite filter_mapped, map_map. reflexivity.
  Qed.

  Lemma reached_is c f : found false (reached m (map pair (keys b))) (c, f) = in_reach b m c f.
  Proof.
    unfold reached, in_reach.
    rewrite (trues_from (fun y : key * instr => (core m (fst (fst y)), fu (snd y)))), found_empty.
    simpl. rewrite existsb_mapped. apply existsb_same. intros x. unfold on. simpl.
    destruct (key_dec _ _) as [E|N]; [inversion E; rewrite !Nat.eqb_refl; reflexivity|].
    destruct (Nat.eqb_spec (core m (fst x)) c), (Nat.eqb_spec (fu (get b x)) f); try reflexivity.
    congruence.
  Qed.

  Lemma used_is w q f :
    found false (used (filter (fun y => fst (fst y) =? w) (here (group m w) q))) (f, 0)
      = uses b w q f.
  Proof.
    unfold used, uses, here, of_section.
    rewrite (trues_from (fun y : key * instr => (fu (snd y), 0))), found_empty. simpl.
    rewrite existsb_filtered, existsb_mapped, existsb_filtered. apply existsb_same. intros x.
    unfold on. simpl. destruct (Nat.eqb_spec (fst x) w) as [->|N]; simpl.
    - rewrite Nat.eqb_refl. simpl. destruct (sec (get b x) =? q); simpl; [|reflexivity].
      destruct (key_dec _ _) as [E|N]; [inversion E; rewrite Nat.eqb_refl; reflexivity|].
      destruct (Nat.eqb_spec (fu (get b x)) f); [congruence|reflexivity].
    - rewrite andb_false_r. reflexivity.
  Qed.

  Lemma cost_is y : cost_of m (largest_inits (map pair (keys b))) (get b y) = cost b m y.
  Proof. unfold cost_of, cost. rewrite largest_inits_is. reflexivity. Qed.

  Lemma section_is g q :
    section_of q (filter (fun y => group m (fst (fst y)) =? g) (map pair (keys b))) = here g q.
  Proof.
    unfold section_of, here, of_section. rewrite !filter_mapped. simpl. rewrite filter_and.
    reflexivity.
  Qed.

  (** Weights that are charges. *)
  Definition weighs (wt : weights) (ch : charges) : Prop :=
    forall w q y, (beside b m w q y = false -> ch w q y = 0)
    /\ (beside b m w q y = true -> wt (here (group m w) q) w (get b y) (core m (fst y)) = ch w q y).

  Lemma charged_is wt ch w q : weighs wt ch -> charged_fast m wt (here (group m w) q) w
    = charged b ch w q.
  Proof.
    intros H. unfold charged_fast, charged. rewrite
      (sum_filtered _ (fun x => (group m (fst x) =? group m w) && (sec (get b x) =? q)) (keys b)).
    - unfold here at 2, of_section, sum. rewrite map_map. f_equal. apply map_ext_in. intros y Hy.
      simpl. apply filter_In in Hy as [_ Hy]. apply andb_prop in Hy as [Hg Hq].
      destruct (H w q y) as [H0 H1]. unfold beside in H0, H1.
      rewrite Hg, Hq, !andb_true_r in H0, H1.
      destruct (fst y =? w); [symmetry; apply H0; reflexivity|apply H1; reflexivity].
    - intros y Hy. apply H. unfold beside. rewrite <- andb_assoc, Hy, andb_false_r. reflexivity.
  Qed.

  Lemma term_is wt ch iD iD' g q : weighs wt ch -> (forall x, In x (keys b) -> iD x = iD' x) ->
    term_fast (length b) m wt iD (here g q) = block_term b m ch iD' g q.
  Proof.
    intros Hw H. unfold term_fast, block_term. rewrite filter_and. fold (of_section b m g q).
    rewrite max_filtered. f_equal. unfold here at 2. rewrite map_map. apply map_ext_in.
    intros [w k] Hx. apply in_section in Hx as [Hx [<- _]]. simpl. rewrite (H _ Hx).
    destruct (iD' (w, k) + init (get b (w, k)) + lat (get b (w, k))) as [|t]; [reflexivity|]. simpl.
    f_equal. f_equal. rewrite tabulated_in.
    - simpl. apply charged_is, Hw.
    - apply in_map_iff. exists w. split; [reflexivity|]. apply in_keys in Hx. apply in_seq. lia.
  Qed.

  Lemma start_sum ch iD g last :
    list_sum (map (fun q => block_term b m ch iD g q + match q with 0 => 0 | S _ => release m q end)
      (seq 0 (S last))) = block_start b m ch iD g last + block_term b m ch iD g last.
  Proof.
    induction last as [|q IH]; [simpl; lia|]. rewrite seq_S, map_app, list_sum_app, IH.
    cbn [map list_sum fold_right block_start Nat.add]. lia.
  Qed.

  Lemma bound_is wt ch iD iD' g : weighs wt ch -> (forall x, In x (keys b) -> iD x = iD' x) ->
    bound_fast (length b) (map pair (keys b)) m wt iD g = block_bound b m ch iD' g.
  Proof.
    intros Hw H. unfold bound_fast, block_bound, last_section. rewrite <- start_sum.
    assert (list_max (map (fun y => sec (snd y))
      (filter (fun y => group m (fst (fst y)) =? g) (map pair (keys b))))
      = list_max (map (fun x => sec (get b x)) (filter (fun x => group m (fst x) =? g) (keys b))))
      as ->.
    { rewrite filter_mapped, map_map. reflexivity. }
    f_equal. apply map_ext. intros q. rewrite section_is, (term_is wt ch iD iD' g q Hw H).
    reflexivity.
  Qed.

  Theorem sib_charge_fast_ok iD iD' g : (forall x, In x (keys b) -> iD x = iD' x) ->
    sib_charge_fast b m iD g = block_bound b m (sib_charge b m) iD' g.
  Proof.
    intros H. unfold sib_charge_fast. rewrite indexed_keys. apply bound_is; [|exact H].
    intros w q y. unfold sib_charge. split; intros ->; [reflexivity|].
    unfold sib_weight. fold pair. rewrite reached_is, cost_is. reflexivity.
  Qed.

  Theorem fib_charge_fast_ok iD iD' g : (forall x, In x (keys b) -> iD x = iD' x) ->
    fib_charge_fast b m iD g = block_bound b m (fib_charge b m) iD' g.
  Proof.
    intros H. unfold fib_charge_fast. rewrite indexed_keys. apply bound_is; [|exact H].
    intros w q y. unfold fib_charge. split; intros ->; [reflexivity|].
    unfold fib_weight. rewrite used_is, cost_is. reflexivity.
  Qed.

  (** What a sub-core has instructions on is its own, or shared. *)
  Definition shares (shared : nat -> bool) : Prop := forall x y, In x (keys b) -> In y (keys b) ->
    fu (get b x) = fu (get b y) -> core m (fst x) <> core m (fst y) -> shared (fu (get b x)) = true.

  Lemma shared_charge_more shared w q : shares shared ->
    charged b (sib_charge b m) w q <= charged b (shared_charge b m shared) w q.
  Proof.
    intros H. apply sum_le. intros y Hy. unfold sib_charge, shared_charge.
    destruct (beside b m w q y); [|lia].
    destruct (in_reach b m (core m w) (fu (get b y))) eqn:R; [|lia].
    apply existsb_exists in R as [x [Hx R]]. apply andb_prop in R as [Rc Rf].
    apply Nat.eqb_eq in Rc, Rf.
    destruct (Nat.eqb_spec (core m (fst y)) (core m w)) as [E|N]; simpl; [lia|].
    rewrite (H y x Hy Hx); [lia| |]; congruence.
  Qed.

  (** It is no less than SIB. *)
  Theorem sib_shared_fast_ok shared iD iD' g : (forall x, In x (keys b) -> iD x = iD' x) ->
    shares shared ->
    block_bound b m (sib_charge b m) iD' g <= sib_shared_fast b m shared iD g.
  Proof.
    intros H Sh. assert (sib_shared_fast b m shared iD g
      = block_bound b m (shared_charge b m shared) iD' g) as ->.
    { unfold sib_shared_fast. rewrite indexed_keys. apply bound_is; [|exact H].
      intros w q y. unfold shared_charge. split; intros ->; [reflexivity|].
      unfold shared_weight. rewrite cost_is. reflexivity. }
    assert (forall q, block_term b m (sib_charge b m) iD' g q
      <= block_term b m (shared_charge b m shared) iD' g q) as T.
    { intros q. apply list_max_le, Forall_forall. intros t Ht.
      apply in_map_iff in Ht as [x [<- Hx]]. pose proof (shared_charge_more shared (fst x) q Sh).
      assert (iD' x + init (get b x) + lat (get b x) + charged b (shared_charge b m shared) (fst x)
        q <= block_term b m (shared_charge b m shared) iD' g q); [|lia].
      apply list_max_ge, in_map_iff. exists x. auto. }
    assert (forall q, block_start b m (sib_charge b m) iD' g q
      <= block_start b m (shared_charge b m shared) iD' g q) as S.
    { induction q as [|q IH]; cbn [block_start]; [lia|]. specialize (T q). lia. }
    unfold block_bound. pose proof (S (last_section b m g)). pose proof (T (last_section b m g)).
    lia.
  Qed.
End Same.

(** ** With the times of block/IsolationPaths.v: the bounds of theorem 1 *)

(** SIB, as extracted. *)
Definition SIB_fast (b : block) (m : machine) (g : nat) : nat :=
  let t := iso_tables b m in sib_charge_fast b m (fun x => snd (entry t x)) g.
(** FIB, as extracted. *)
Definition FIB_fast (b : block) (m : machine) (g : nat) : nat :=
  let t := iso_tables b m in fib_charge_fast b m (fun x => snd (entry t x)) g.
(** SIB with every shared unit in reach, as extracted. *)
Definition SIB_shared_fast (b : block) (m : machine) (shared : nat -> bool) (g : nat) : nat :=
  let t := iso_tables b m in sib_shared_fast b m shared (fun x => snd (entry t x)) g.

(** The extracted SIB equals SIB. *)
Theorem SIB_fast_ok b m g : SIB_fast b m g = SIB_at b m g.
Proof. apply sib_charge_fast_ok. reflexivity. Qed.

(** The extracted FIB equals FIB. *)
Theorem FIB_fast_ok b m g : FIB_fast b m g = FIB_at b m g.
Proof. apply fib_charge_fast_ok. reflexivity. Qed.

(** The extracted SIB with every shared unit in reach is a bound. *)
Theorem SIB_shared_fast_bound b m shared g s : machine_ok m -> wf b -> valid m b s -> alone b m g ->
  shares b m shared ->
  forall x, In x (keys b) -> C s x <= begin s g + SIB_shared_fast b m shared g.
Proof.
  intros M W V A Sh x Hx. pose proof (SIB_at_bound m b s g M W V A x Hx).
  pose proof (sib_shared_fast_ok b m shared _ _ g (fun y _ =>
    eq_refl (snd (entry (iso_tables b m) y))) Sh). unfold SIB_at, SIB_shared_fast in *. lia.
Qed.
