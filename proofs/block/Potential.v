(** * Potentials: what theorems 1 and 3 of docs/proofs.md have in common

    A potential says how late a node of [G_s(w)], I(k) or D(k), can be when the
    other warps have got so far.  SIB, FIB, ALN and FIFO are potentials, and every
    potential is a bound (PotentialBound.v): for every dispatch depth, any width,
    number of sub-cores and instances, with barriers and releases, and times up to
    the stated ones: the lemma of section 3. *)

From Warpbound Require Import Base Cycles Largest Model Instances Queue.

(** How many of its instructions each warp has behind it. *)
Definition progress := nat -> nat.
Definition reaches (J J' : progress) : Prop := forall u, J u <= J' u.

(** ** Charges: what instruction [y] of another warp can cost at a node of [x] *)

(** slot(y|w) *)
Definition slot (m : machine) (b : block) (w : nat) (y : key) : nat :=
  if core m (fst y) =? core m w then takes (get b y) else 0.

(** How long [y] can keep others from being issued to its unit; in a queue, from the time at which
    it is the first. *)
Definition hold (m : machine) (b : block) (y : key) : nat :=
  match depth m with
  | None => 0
  | Some 0 => init (get b y)
  | Some (S _) => cmax b (fu (get b y))
  end.

(** What [y] costs at the issue of [x]. *)
Definition charge_I (m : machine) (b : block) (x y : key) : nat :=
  if fu (get b y) =? fu (get b x) then max (slot m b (fst x) y) (hold m b y) else slot m b
    (fst x) y.
(** What [y] costs at the start of [x]. *)
Definition charge_D (b : block) (x y : key) : nat :=
  if fu (get b y) =? fu (get b x) then init (get b y) else 0.

(** [o] is an own instruction on the unit of [k], before it in the section. *)
Definition own_before (b : block) (w o k : nat) : Prop :=
  o < k /\ sec (get b (w, o)) = sec (get b (w, k)) /\ fu (get b (w, o)) = fu (get b (w, k))
  /\ 1 <= init (get b (w, k)).

(** [y] is an instruction of another warp, in section [q]; [J'] is behind it, [J] is not. *)
Definition passes (b : block) (w q : nat) (J J' : progress) (y : key) : Prop :=
  In y (keys b) /\ fst y <> w /\ sec (get b y) = q /\ reaches J J' /\
  J (fst y) <= snd y < J' (fst y).

(** ** Potentials of warp [w] in section [q]

    [pI k J] and [pD k J] bound I(k) and D(k) from the start of the section, when
    [J] is what the others have issued by then.  They respect the edges of
    [G_s(w)] (at a finite depth of 1 or more: of depth 1) and the charges.  At a unit of [F]
    (unlimited depth only) a start waits [Q] and charges nothing: theorem 3. *)
Record potential (m : machine) (b : block) (F : nat -> bool) (Q : nat -> nat) (w q : nat)
    (pI pD : nat -> progress -> nat) : Prop := {
  p_mono : forall k J J', reaches J J' -> pI k J <= pI k J' /\ pD k J <= pD k J';
  p_next : forall j J, In (w, S j) (keys b) -> sec (get b (w, j)) = q -> sec (get b (w, S j)) = q ->
    pI j J + takes (get b (w, j)) <= pI (S j) J;
  p_ops : forall k p J, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    In p (ops (get b (w, k))) -> sec (get b (w, p)) = q ->
    pD p J + init (get b (w, p)) + lat (get b (w, p)) <= pI k J;
  p_room : forall k o J, In (w, k) (keys b) -> sec (get b (w, k)) = q -> own_before b w o k ->
    match depth m with
    | None => True
    | Some 0 => pD o J + init (get b (w, o)) <= pI k J
    | Some (S _) => pD o J <= pI k J
    end;
  p_start : forall k J, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    pI k J + (if F (fu (get b (w, k))) then Q (fu (get b (w, k))) else 0) <= pD k J;
  p_unit : forall k o J, In (w, k) (keys b) -> sec (get b (w, k)) = q -> own_before b w o k ->
    pD o J + init (get b (w, o)) + (if F (fu (get b (w, k))) then Q (fu (get b (w, k))) else 0)
      <= pD k J;
  p_charge_I : forall k y J J', In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    1 <= init (get b (w, k)) -> passes b w q J J' y ->
    pI k J + charge_I m b (w, k) y <= pI k J';
  p_charge_D : forall k y J J', In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    1 <= init (get b (w, k)) -> F (fu (get b (w, k))) = false -> passes b w q J J' y ->
    pD k J + charge_D b (w, k) y <= pD k J'
}.

(** ** Positions *)

(** The position behind the last one before [n] that satisfies [p]. *)
Definition behind (p : nat -> bool) (n : nat) : nat := list_max (map S (filter p (seq 0 n))).

Lemma behind_gt p n i : i < n -> p i = true -> i < behind p n.
Proof.
  intros Hi Hp. apply list_max_ge, in_map_iff. exists i. split; [reflexivity|].
  apply filter_In. split; [apply in_seq; lia|exact Hp].
Qed.

Lemma behind_le p n c : (forall i, i < n -> p i = true -> i < c) -> behind p n <= c.
Proof.
  intros H. apply list_max_le, Forall_forall. intros x Hx. apply in_map_iff in Hx as [i [<- Hi]].
  apply filter_In in Hi as [Hi Hp]. apply in_seq in Hi. apply H; [lia|exact Hp].
Qed.

Lemma filter_more {A} (p p' : A -> bool) y l : In y l -> p y = false -> p' y = true ->
  (forall x, In x l -> p x = true -> p' x = true) -> length (filter p l) < length (filter p' l).
Proof.
  induction l as [|x l IH]; intros Hy N P H; [destruct Hy|].
  pose proof (filter_le p p' l (fun z Hz => H z (or_intror Hz))).
  destruct Hy as [->|Hy]; simpl; [rewrite N, P; simpl; lia|].
  specialize (IH Hy N P (fun z Hz => H z (or_intror Hz))). specialize (H x (or_introl eq_refl)).
  destruct (p x); [rewrite H by reflexivity; simpl; lia|]. destruct (p' x); simpl; lia.
Qed.

(** ** Sections: a bound of each section's length bounds the block *)

(** Bound on the release of section [q] and the completion of all before it. *)
Fixpoint sections (m : machine) (B : nat -> nat) (q : nat) : nat :=
  match q with
  | 0 => 0
  | S r => sections m B r + B r + release m q
  end.
Definition last_section (b : block) : nat := list_max (map (fun x => sec (get b x)) (keys b)).
Definition total (m : machine) (b : block) (B : nat -> nat) : nat :=
  sections m B (last_section b) + B (last_section b).

Lemma sections_le m B q d : sections m B q + B q <= sections m B (S q + d).
Proof.
  induction d as [|d IH]; [rewrite Nat.add_0_r; cbn [sections]; lia|].
  rewrite Nat.add_succ_r. cbn [sections]. lia.
Qed.

(** Section 2 of the page. *)
Lemma sections_total m b B q : q <= last_section b -> sections m B q + B q <= total m b B.
Proof.
  intros L. unfold total. destruct (Nat.eq_dec q (last_section b)) as [->|N]; [lia|].
  pose proof (sections_le m B q (last_section b - S q)) as E.
  replace (S q + (last_section b - S q)) with (last_section b) in E by lia. lia.
Qed.

(** ** The schedule *)

(** [z] was issued before [y], or with it on the same unit and started before it. *)
Definition before (b : block) (s : schedule) (z y : key) : bool :=
  (I s z <? I s y) || ((I s z =? I s y) && ((fu (get b z) =? fu (get b y)) && (D s z <? D s y))).

(** What each warp has issued before cycle [x]. *)
Definition issued (b : block) (s : schedule) (x : nat) : progress :=
  fun u => behind (fun i => I s (u, i) <? x) (len b u).
(** What each warp has issued before [y]. *)
Definition ahead (b : block) (s : schedule) (y : key) : progress :=
  fun u => behind (fun i => before b s (u, i) y) (len b u).
(** All instructions of all warps. *)
Definition everything (b : block) : progress := len b.

Section Schedule.
  Variables (m : machine) (b : block) (s : schedule).
  Hypotheses (W : wf b) (V : valid m b s).

  Lemma before_iff z y : before b s z y = true <->
    I s z < I s y \/ (I s z = I s y /\ fu (get b z) = fu (get b y) /\ D s z < D s y).
  Proof.
    unfold before. rewrite orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq. reflexivity.
  Qed.

  Lemma in_len y : In y (keys b) -> snd y < len b (fst y).
  Proof. destruct y as [w k]. intros H. apply in_keys in H. apply H. Qed.

  Lemma behind_reaches (p p' : nat -> nat -> bool) :
    (forall u i, p u i = true -> p' u i = true) ->
    reaches (fun u => behind (p u) (len b u)) (fun u => behind (p' u) (len b u)).
  Proof. intros H u. apply behind_le. intros i Hi Hp. apply behind_gt; auto. Qed.

  Lemma issued_mono x x' : x <= x' -> reaches (issued b s x) (issued b s x').
  Proof. intros H. apply behind_reaches. intros u i. rewrite !Nat.ltb_lt. lia. Qed.

  Lemma issued_ahead y : reaches (issued b s (I s y)) (ahead b s y).
  Proof. apply behind_reaches. intros u i. rewrite before_iff, Nat.ltb_lt. lia. Qed.

  Lemma ahead_issued y x : I s y < x -> reaches (ahead b s y) (issued b s x).
  Proof. intros H. apply behind_reaches. intros u i. rewrite before_iff, Nat.ltb_lt. lia. Qed.

  Lemma ahead_ahead z y : before b s z y = true -> reaches (ahead b s z) (ahead b s y).
  Proof.
    intros H. apply behind_reaches. intros u i. rewrite !before_iff in *. intros P.
    destruct H as [H|[H [F H']]]; [lia|]. destruct P as [P|[P [F' P']]]; [lia|right].
    split; [lia|]. split; [congruence|lia].
  Qed.

  Lemma ahead_all y : reaches (ahead b s y) (everything b).
  Proof. intros u. apply behind_le. auto. Qed.

  (** The instructions of a warp are issued in program order. *)
  Lemma issued_self y : In y (keys b) -> issued b s (I s y) (fst y) <= snd y.
  Proof.
    destruct y as [u k]. cbn [fst snd]. intros Hy. apply behind_le. intros i Hi P.
    apply Nat.ltb_lt in P. destruct (le_lt_dec k i) as [L|L]; [exfalso|exact L].
    destruct (Nat.eq_dec i k) as [->|N]; [lia|]. pose proof (order_le m b s V u i k) as O.
    pose proof (proj1 (in_keys b u k) Hy). specialize (O ltac:(apply in_keys; lia) ltac:(lia)). lia.
  Qed.

  Lemma ahead_self y : In y (keys b) -> 1 <= init (get b y) -> ahead b s y (fst y) <= snd y.
  Proof.
    destruct y as [u k]. cbn [fst snd]. intros Hy Hi. apply behind_le. intros i Li P.
    apply before_iff in P. destruct (le_lt_dec k i) as [L|L]; [exfalso|exact L].
    destruct (Nat.eq_dec i k) as [->|N]; [lia|]. pose proof (proj1 (in_keys b u k) Hy) as K.
    assert (In (u, i) (keys b)) as Hk by (apply in_keys; lia). destruct P as [P|[P [F _]]].
    - pose proof (order_le m b s V u i k Hk ltac:(lia)). lia.
    - pose proof (order_lt m b s V u i k Hk ltac:(lia) Hi). lia.
  Qed.

  Lemma issued_gt y x : In y (keys b) -> I s y < x -> snd y < issued b s x (fst y).
  Proof.
    intros Hy H. apply behind_gt; [apply in_len, Hy|]. apply Nat.ltb_lt.
    rewrite <- surjective_pairing. exact H.
  Qed.

  Lemma ahead_gt z y : In z (keys b) -> before b s z y = true -> snd z < ahead b s y (fst z).
  Proof.
    intros Hz H. apply behind_gt; [apply in_len, Hz|]. rewrite <- surjective_pairing. exact H.
  Qed.

  (** A start that waited begins when an initiation on the unit ends. *)
  Lemma handover y : In y (keys b) -> I s y < D s y ->
    exists z, In z (keys b) /\ fu (get b z) = fu (get b y) /\ D s z < D s y /\
    D s z + ai s z = D s y.
  Proof.
    intros Hy Hw. set (f := fu (get b y)). set (d := D s y).
    set (P := fun z => on b f z && ((D s z <? d) && (D s z + ai s z =? d))).
    destruct (existsb P (keys b)) eqn:E.
    - apply existsb_exists in E as [z [Hz H]]. unfold P, on in H.
      rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt in H. exists z. tauto.
    - exfalso. pose proof (v_asap _ _ _ V y (d - 1) Hy) as A. fold f in A.
      specialize (A ltac:(unfold waits; rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt;
        unfold d; lia)). pose proof (v_cap _ _ _ V f d) as B. pose proof (v_init _ _ _ V y Hy).
      pose proof (wait_unit b m s y V Hy Hw).
      assert (n_init b s f (d - 1) < n_init b s f d) as L; [|lia]. unfold n_init, count.
      apply (filter_more _ _ y (keys b) Hy).
      + unfold initiates. rewrite (proj2 (Nat.leb_gt _ _)) by (unfold d; lia). apply andb_false_r.
      + unfold on, initiates, f, d. rewrite Nat.eqb_refl, Nat.leb_refl. apply Nat.ltb_lt. lia.
      + intros x Hx P1. apply andb_prop in P1 as [Hf Hi]. rewrite Hf. unfold initiates in *.
        rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in *. split; [reflexivity|]. split; [lia|].
        destruct (le_lt_dec (D s x + ai s x) d) as [L|L]; [exfalso|exact L].
        assert (existsb P (keys b) = true) as X; [|congruence]. apply existsb_exists. exists x.
        split; [exact Hx|]. unfold P. rewrite Hf, !andb_true_iff, Nat.ltb_lt, Nat.eqb_eq. lia.
  Qed.
End Schedule.

(** If in every cycle of [x, x + n) at least [c] of [l] initiate, their initiations sum to [c n]. *)
Lemma crowd m b s l c x n : valid m b s -> (forall y, In y l -> In y (keys b)) ->
  (forall t, x <= t < x + n -> c <= length (filter (initiates s t) l)) ->
  c * n <= sum (fun y => init (get b y)) l.
Proof.
  intros V K H. transitivity (sum (fun y => cnt (fun t => initiates s t y) (x + n)) l).
  - clear K. induction n as [|n IH]; [lia|]. specialize (IH ltac:(intros; apply H; lia)).
    specialize (H (x + n) ltac:(lia)). enough
      (sum (fun y => cnt (fun t => initiates s t y) (x + S n)) l
      = sum (fun y => cnt (fun t => initiates s t y) (x + n)) l
      + length (filter (initiates s (x + n)) l)) by lia. rewrite Nat.add_succ_r. clear.
    induction l as [|y l IH]; [reflexivity|]. rewrite !sum_cons, IH. cbn [cnt filter].
    destruct (initiates s (x + n) y); cbn [length]; lia.
  - apply sum_le. intros y Hy. pose proof (v_init _ _ _ V y (K y Hy)).
    pose proof (cnt_interval (D s y) (ai s y) (x + n)). unfold initiates. lia.
Qed.

(** Depth 0: what initiates where a unit takes nothing. *)
Lemma unit_taken m b s f t : machine_ok m -> valid m b s -> depth m = Some 0 -> blocked b m s f t ->
  exists y, In y (keys b) /\ fu (get b y) = f /\ I s y = D s y /\ D s y <= t < D s y + ai s y.
Proof.
  intros M V E [H1 _]. pose proof (proj1 M f).
  destruct (count_pos _ _ (Nat.le_trans _ _ _ H H1)) as [y [Hy P]]. unfold on, initiates in P.
  rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in P.
  pose proof (start_now m b s y V E Hy). pose proof (v_start _ _ _ V y Hy). exists y.
  repeat split; tauto || lia.
Qed.
