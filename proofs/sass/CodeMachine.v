(** * The machine of docs/machine-code-bounds.md, section 1

    A block is a list of warps, a warp a list of instructions of machine code.  A
    schedule gives the times of their events, and how long everything really took.
    [valid] are the rules M1 to M7.  Where the page leaves the order within a cycle
    open, or names a rule of which its proofs need less, the rule here is the weaker
    one.  No rule bounds a time from below beyond the order of a warp's own events. *)

From Warpbound Require Import Base.

(** ** Programs *)

(** [unit] is a physical unit: private ones of two sub-cores have two numbers. *)
Record stage := Stage { unit : nat; hold : nat; transfer : nat }.

(** [waits]: counters, and what may be left of each when the instruction is chosen: 0 for
    a wait mask, [n] for DEPBAR.LE.  [sec]: the barriers that the warp has issued before. *)
Record instr := Instr {
  stall : nat; slot : nat; fetch : nat; operand : nat;
  fixed : bool; way : list stage;
  counts_write : option nat; write : nat;
  counts_read : option nat; read : nat;
  waits : list (nat * nat);
  bar : bool; sec : nat }.

(** A block has a list of instructions for each warp. *)
Definition block := list (list instr).
Definition key := (nat * nat)%type.          (* warp, position *)

(** [nop] stands for an instruction outside the block. *)
Definition nop : instr := Instr 1 1 0 0 true [] None 0 None 0 [] false 0.
(** The instruction at a key. *)
Definition get (b : block) (x : key) : instr := nth (snd x) (nth (fst x) b []) nop.
(** The number of instructions of a warp. *)
Definition len (b : block) (w : nat) : nat := length (nth w b []).
(** All instructions of the block. *)
Definition keys (b : block) : list key :=
  flat_map (fun w => map (fun k => (w, k)) (seq 0 (len b w))) (seq 0 (length b)).

(** The number of stages of an instruction. *)
Definition stages (b : block) (x : key) : nat := length (way (get b x)).
(** Stage [i] of an instruction. *)
Definition st (b : block) (x : key) (i : nat) : stage := nth i (way (get b x)) (Stage 0 0 0).

(** The units of the block. *)
Definition units_of (b : block) : list nat := flat_map (fun x => map unit (way (get b x))) (keys b).

(** Stage [i] of [x] is on unit [u]. *)
Definition at_stage (b : block) (x : key) (i u : nat) : Prop :=
  In x (keys b) /\ i < stages b x /\ unit (st b x i) = u.

(** What instruction [o] counts counter [c] up for, its sources first, with the time
    that it may take from the end of its last stage; then all of a warp before position
    [k], in program order. *)
Definition increments_of (b : block) (c w o : nat) : list (nat * bool) :=
  (match counts_read (get b (w, o)) with
   | Some d => if d =? c then [(o, true)] else [] | None => [] end) ++
  (match counts_write (get b (w, o)) with
   | Some d => if d =? c then [(o, false)] else [] | None => [] end).
Definition increments (b : block) (c w k : nat) : list (nat * bool) :=
  flat_map (increments_of b c w) (seq 0 k).
Definition latency (b : block) (w : nat) (j : nat * bool) : nat :=
  if snd j then read (get b (w, fst j)) else write (get b (w, fst j)).

(** ** Machines *)

(** A machine has queues, sub-cores and delays. *)
Record machine := Machine {
  queue : nat -> option nat;    (* places in front of a unit; [None]: unlimited *)
  core : nat -> nat;            (* the sub-core of a warp *)
  holds_issue : bool;           (* full_queue: holds_issue, or holds_warp *)
  kind : nat -> nat;            (* the unit of the machine file; each sub-core has its own *)
  clash : nat -> bool;          (* units on which own instructions may overtake *)
  group : nat -> nat;           (* the thread block of a warp *)
  release : nat }.              (* R, barrier_release *)

(** Issued into the unit, or not at all. *)
Definition latch (m : machine) (b : block) (x : key) : bool :=
  match way (get b x) with
  | [] => false
  | f :: _ => fixed (get b x) || match queue m (unit f) with Some 0 => true | _ => false end
  end.

(** [v] blocks back onto [u]: some instruction goes from [u] to [v], and [v]'s queue can
    be full.  [B u] is what can be reached so. *)
Definition back (m : machine) (b : block) (u v : nat) : Prop :=
  queue m v <> None /\ exists x i, at_stage b x i u /\ at_stage b x (S i) v.

(** [B] relates a unit to every unit that can keep it full. *)
Inductive B (m : machine) (b : block) : nat -> nat -> Prop :=
| B_self u : B m b u u
| B_step u v z : back m b u v -> B m b v z -> B m b u z.

(** [x] waits in a queue of its first unit that can be full. *)
Definition queued (m : machine) (b : block) (x : key) : Prop :=
  exists u, at_stage b x 0 u /\ latch m b x = false /\ queue m u <> None.

(** An instruction of the sub-core of [w] can hold the issue stage until [v] is free. *)
Definition feeds (m : machine) (b : block) (w v : nat) : Prop :=
  holds_issue m = true /\
  exists y u, queued m b y /\ core m (fst y) = core m w /\ at_stage b y 0 u /\ B m b u v.

(** What code and machine files are: a sub-core has one unit of a kind, or shares it; the ways
    that have a unit of one kind, without a clash, have units of the same kinds before it;
    clash units are closed under B (src/bound/sass/way_rules.c);
    no unit blocks back onto itself, directly or through others (src/bound/sass/way_rules.c);
    what is on its way holds nothing, so the queue behind it is not limited
    (src/machine/sass_keys.c); only what can be queued counts up. *)
Record wf (m : machine) (b : block) : Prop := {
  w_slot : forall x, In x (keys b) -> 1 <= slot (get b x);
  w_hold : forall x i, In x (keys b) -> i < stages b x -> 1 <= hold (st b x i);
  w_one : forall x y i j u v, at_stage b x i u -> at_stage b y j v -> kind m u = kind m v ->
    core m (fst x) = core m (fst y) -> u = v;
  w_same_way : forall x y i j u v, at_stage b x i u -> at_stage b y j v -> kind m u = kind m v ->
  clash m u = false ->
    i = j /\ forall n, n < i -> kind m (unit (st b x n)) = kind m (unit (st b y n));
  w_closed : forall u v, back m b u v -> clash m u = true -> clash m v = true;
  w_acyclic : forall u v, back m b u v -> ~ B m b v u;
  w_transfer : forall x i v, at_stage b x (S i) v -> queue m v <> None -> transfer (st b x i) = 0;
  w_first : forall w, In (w, 0) (keys b) -> sec (get b (w, 0)) = 0;
  w_sections : forall w k, In (w, S k) (keys b) ->
    sec (get b (w, S k)) = sec (get b (w, k)) + if bar (get b (w, k)) then 1 else 0 }.

(** ** Schedules *)

(** A schedule gives the times of each instruction. *)
Record schedule := Schedule {
  P : key -> nat;               (* chosen for the first time *)
  V : key -> nat;               (* its constant is there: it can be chosen to be issued *)
  I : key -> nat;               (* issued *)
  L : key -> nat;               (* there is room for it in its queue *)
  N : key -> nat;               (* its pace (stall counts) and its fetch let it be chosen *)
  D : key -> nat -> nat;        (* stage begun *)
  ah : key -> nat -> nat;       (* actual holds, *)
  atr : key -> nat -> nat;      (* transfers, *)
  aw : key -> nat;              (* latency of the result, *)
  ar : key -> nat;              (* and of the sources, *)
  aslot : key -> nat;           (* slot behind L *)
  aprobe : key -> nat;          (* and of the probe *)
  rel : nat -> nat -> nat }.    (* by thread block and section: the start of the thread block, and
                                   releases of its barriers *)

(** Stage [i] is asked for; the last stage ends. *)
Definition A (s : schedule) (x : key) (i : nat) : nat :=
  match i with 0 => L s x | S j => D s x j + ah s x j + atr s x j end.
Definition E (b : block) (s : schedule) (x : key) : nat :=
  match stages b x with 0 => I s x | S p => D s x p + ah s x p end.
Definition undone (b : block) (s : schedule) (w : nat) (j : nat * bool) : nat :=
  E b s (w, fst j) + if snd j then ar s (w, fst j) else aw s (w, fst j).

(** Stage [i] of [x] holds its unit; [x] holds the issue stage by slot or probe. *)
Definition holds (b : block) (s : schedule) (x : key) (i t : nat) : bool :=
  (i <? stages b x) && (D s x i <=? t) && (t <? D s x i + ah s x i).
Definition issues (s : schedule) (x : key) (t : nat) : bool :=
  ((P s x <=? t) && (t <? P s x + aprobe s x)) || ((L s x <=? t) && (t <? L s x + aslot s x)).

(** Some unit of [B u] is held. *)
Definition taken (m : machine) (b : block) (s : schedule) (u t : nat) : Prop :=
  exists y i v, at_stage b y i v /\ B m b u v /\ holds b s y i t = true.

(** An instruction keeps [u] beyond its hold, as there is no place where it goes. *)
Definition blocked (m : machine) (b : block) (s : schedule) (u t : nat) : Prop :=
  exists y i v, at_stage b y i u /\ at_stage b y (S i) v /\ queue m v <> None /\
    D s y i + ah s y i <= t < D s y (S i).

(** [u] is held, or kept. *)
Definition in_use (m : machine) (b : block) (s : schedule) (u t : nat) : Prop :=
  (exists y i, at_stage b y i u /\ holds b s y i t = true) \/ blocked m b s u t.

(** An instruction waits in the queue in front of [u]. *)
Definition in_queue (b : block) (m : machine) (s : schedule) (u t : nat) : Prop :=
  exists y, at_stage b y 0 u /\ latch m b y = false /\ L s y <= t < D s y 0.

(** M1 holds of [x] in [t], which has yet to be chosen, or to be chosen again. *)
Definition may_issue (b : block) (m : machine) (s : schedule) (w k t : nat) : Prop :=
  (t < P s (w, k) \/ V s (w, k) <= t < I s (w, k))
  /\ N s (w, k) <= t
  /\ rel s (group m w) (sec (get b (w, k))) <= t
  /\ (forall c n, In (c, n) (waits (get b (w, k))) ->
        length (filter (fun j => t <? undone b s w j) (increments b c w k)) <= n).

(** A valid schedule keeps the rules M1 to M7. *)
Record valid (m : machine) (b : block) (s : schedule) : Prop := {
  v_hold : forall x i, In x (keys b) -> i < stages b x -> ah s x i <= hold (st b x i);
  v_transfer : forall x i, In x (keys b) -> i < stages b x -> atr s x i <= transfer (st b x i);
  v_write : forall x, In x (keys b) -> aw s x <= write (get b x);
  v_read : forall x, In x (keys b) -> ar s x <= read (get b x);
  (* what hits in a cache may pass over its last stages, and does not wait for them; on a clash unit
     it may wait, as M4 says, for a fill that another access has asked for *)
  v_first : forall x, In x (keys b) -> 1 <= stages b x -> 1 <= ah s x 0;
  v_pass : forall x i, In x (keys b) -> S i < stages b x -> ah s x i = 0 -> ah s x (S i) = 0;
  v_passed : forall x i, In x (keys b) -> i < stages b x -> ah s x i = 0 ->
    clash m (unit (st b x i)) = false -> D s x i = A s x i;
  (* M1 *)
  v_pace : forall w k, In (w, S k) (keys b) ->
    N s (w, S k) <= L s (w, k) + max (stall (get b (w, k))) (fetch (get b (w, S k)));
  v_pace0 : forall w, In (w, 0) (keys b) -> N s (w, 0) <= rel s (group m w) 0
    + fetch (get b (w, 0));
  v_order : forall w k, In (w, S k) (keys b) -> L s (w, k) <= P s (w, S k);
  v_opened : forall x, In x (keys b) -> rel s (group m (fst x)) (sec (get b x)) <= P s x;
  v_constant : forall x, In x (keys b) -> P s x <= V s x <= P s x + operand (get b x);
  v_issue : forall x, In x (keys b) -> V s x <= I s x <= L s x;
  v_ask : forall x i, In x (keys b) -> i < stages b x -> A s x i <= D s x i;
  (* M2 *)
  v_slot : forall x, In x (keys b) -> 1 <= aslot s x /\ aprobe s x + aslot s x <= slot (get b x);
  v_probe : forall x, In x (keys b) -> P s x + aprobe s x <= V s x;
  (* M3: the issue stage is held, by who was chosen or issued just now, too; or its own
     unit or queue keeps it back *)
  v_conserving : forall w k t, In (w, k) (keys b) -> may_issue b m s w k t ->
    (exists y, In y (keys b) /\ core m (fst y) = core m w
       /\ (issues s y t = true \/ I s y <= t < L s y))
    \/ (exists u, at_stage b (w, k) 0 u /\ latch m b (w, k) = true /\ in_use m b s u t)
    \/ (exists u, queued m b (w, k) /\ holds_issue m = false /\ at_stage b (w, k) 0 u /\
      in_queue b m s u t);
  v_latch : forall x, In x (keys b) -> latch m b x = true -> D s x 0 = I s x;
  v_room : forall x, In x (keys b) -> L s x = I s x \/ (queued m b x /\ holds_issue m = true);
  (* M4: who waits for a stage, behind no own one where these keep their order, waits
     for a unit that is in use *)
  v_serves : forall w k i u t, at_stage b (w, k) i u -> A s (w, k) i <= t < D s (w, k) i ->
    (clash m u = false -> forall o j, o < k -> at_stage b (w, o) j u -> D s (w, o) j <= t) ->
    in_use m b s u t;
  (* M5 *)
  v_full : forall x u t, at_stage b x 0 u -> I s x <= t < L s x -> in_queue b m s u t;
  (* M6 *)
  v_in_order : forall w o k i j u, at_stage b (w, o) i u -> at_stage b (w, k) j u ->
    clash m u = false -> o < k -> 1 <= ah s (w, k) j -> D s (w, o) i <= D s (w, k) j;
  (* a unit is held by one instruction at a time *)
  v_alone : forall x y i j u, at_stage b x i u -> at_stage b y j u -> x <> y ->
    1 <= ah s x i -> D s x i <= D s y j -> 1 <= ah s y j -> D s x i + ah s x i <= D s y j;
  (* M7: n is behind the issue of all that its warps have of older sections, and behind the end of
     their barrier instructions *)
  v_release : forall g q n,
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) <= q -> I s x < n) ->
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) <= q -> bar (get b x) = true ->
      E b s x <= n) ->
    rel s g q <= n ->
    rel s g (S q) <= n + release m;
  v_releases : forall g q, rel s g q <= rel s g (S q);
  v_arrived : forall x y q, In x (keys b) -> In y (keys b) -> group m (fst x) = group m (fst y) ->
    sec (get b x) <= q -> q < sec (get b y) -> I s x < rel s (group m (fst x)) (S q) }.

(** ** Keys, positions *)

Lemma in_keys b w k : In (w, k) (keys b) <-> w < length b /\ k < len b w.
Proof.
  unfold keys. rewrite in_flat_map. split.
  - intros [v [Hv H]]. apply in_map_iff in H as [j [Hj H]].
    inversion Hj; subst. apply in_seq in Hv, H. lia.
  - intros [Hw Hk]. exists w. split; [apply in_seq; lia|].
    apply in_map_iff. exists k. split; [reflexivity|apply in_seq; lia].
Qed.

Lemma keys_before b w k j : In (w, k) (keys b) -> j <= k -> In (w, j) (keys b).
Proof. rewrite !in_keys. lia. Qed.

Lemma at_key b x i u : at_stage b x i u -> In x (keys b).
Proof. intros [H _]. exact H. Qed.

Lemma at_own b x i : In x (keys b) -> i < stages b x -> at_stage b x i (unit (st b x i)).
Proof. intros H1 H2. split; [exact H1|split; [exact H2|reflexivity]]. Qed.

Lemma at_unit b x i u : at_stage b x i u -> In u (units_of b).
Proof.
  intros [Hx [Hi <-]]. apply in_flat_map. exists x. split; [exact Hx|].
  apply in_map_iff. exists (st b x i). split; [reflexivity|]. apply nth_In, Hi.
Qed.

Lemma holds_iff b s x i t :
  holds b s x i t = true <-> i < stages b x /\ D s x i <= t < D s x i + ah s x i.
Proof. unfold holds. rewrite !andb_true_iff, !Nat.ltb_lt, Nat.leb_le. lia. Qed.

Lemma issues_iff s x t : issues s x t = true <->
  P s x <= t < P s x + aprobe s x \/ L s x <= t < L s x + aslot s x.
Proof. unfold issues. rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt. tauto. Qed.

Lemma increments_before b c w k j : In j (increments b c w k) -> fst j < k.
Proof.
  unfold increments. intros H. apply in_flat_map in H as [o [Ho H]]. apply in_seq in Ho.
  unfold increments_of in H.
  destruct (counts_read (get b (w, o))) as [d|], (counts_write (get b (w, o))) as [e|];
    repeat match goal with H : context [if ?c then _ else _] |- _ => destruct c end;
    simpl in H; intuition (subst; simpl; lia).
Qed.

Lemma sections_grow m b w k j : wf m b -> In (w, k) (keys b) -> j <= k ->
  sec (get b (w, j)) <= sec (get b (w, k)).
Proof.
  intros WF. induction k as [|k IH]; intros Hk Hj; [replace j with 0 by lia; apply le_n|].
  destruct (Nat.eq_dec j (S k)) as [->|N]; [apply le_n|].
  assert (In (w, k) (keys b)) as Hk' by (eapply keys_before; [exact Hk|lia]).
  specialize (IH Hk' ltac:(lia)). pose proof (w_sections _ _ WF w k Hk). lia.
Qed.

(** ** Nothing waits for ever

    A unit that is in use is held, or kept by who waits for the next one, which is in use in turn.
    As no unit blocks back onto itself, one of them is held: M4 of the page. *)
Section Progress.
  Variables (m : machine) (b : block) (s : schedule) (t : nat).
  Hypothesis WF : wf m b.
  (** M4 in cycle [t] *)
  Hypothesis Serves : forall w k i u, at_stage b (w, k) i u ->
    A s (w, k) i <= t < D s (w, k) i ->
    (clash m u = false -> forall o j, o < k -> at_stage b (w, o) j u -> D s (w, o) j <= t) ->
    in_use m b s u t.
  (** Nothing is on its way to a queue that can be full; *)
  Hypothesis Asks : forall x i v, at_stage b x (S i) v -> queue m v <> None ->
    D s x i + ah s x i <= t -> A s x (S i) <= t.
  (** what passes over a stage passes over the next one; *)
  Hypothesis Passes : forall x i v, at_stage b x (S i) v -> clash m v = false -> ah s x i = 0 ->
    A s x (S i) <= t -> D s x (S i) <= t.
  (** own instructions follow each other, where they keep their order. *)
  Hypothesis Follows : forall w o k i u, at_stage b (w, o) i u -> at_stage b (w, k) i u ->
    clash m u = false -> o < k -> 1 <= ah s (w, k) i -> D s (w, o) i + ah s (w, o) i <= D s (w, k)
      i.

  Lemma next_in_use w k i u v : at_stage b (w, k) i u -> at_stage b (w, k) (S i) v ->
    queue m v <> None -> D s (w, k) i + ah s (w, k) i <= t < D s (w, k) (S i) -> in_use m b s v t.
  Proof.
    intros Hu Hv Q Ht.
    assert (back m b u v) as Bk by (split; [exact Q|exists (w, k), i; auto]).
    revert Hu Hv Ht. induction k as [k IH] using lt_wf_ind. intros Hu Hv Ht.
    pose proof (Asks _ _ _ Hv Q ltac:(lia)) as Ha.
    destruct (existsb (fun o => existsb (fun j => (unit (st b (w, o) j) =? v)
      && (t <? D s (w, o) j)) (seq 0 (stages b (w, o)))) (seq 0 k)) eqn:F.
    - destruct (clash m v) eqn:C; [apply (Serves w k (S i)); [exact Hv|lia|congruence]|].
      assert (clash m u = false) as Cu.
      { destruct (clash m u) eqn:Cu; [|reflexivity].
        rewrite (w_closed _ _ WF u v Bk Cu) in C. discriminate. }
      apply existsb_exists in F as [o [Ho F]]. apply existsb_exists in F as [j [Hj F]].
      apply in_seq in Ho, Hj. apply andb_prop in F as [E F]. apply Nat.eqb_eq in E.
      apply Nat.ltb_lt in F.
      assert (In (w, o) (keys b)) as Ko by (eapply keys_before; [apply (at_key _ _ _ _ Hu)|lia]).
      assert (at_stage b (w, o) j v) as Hov by (split; [exact Ko|split; [lia|exact E]]).
      destruct (w_same_way _ _ WF _ _ j (S i) v v Hov Hv eq_refl C) as [-> Same].
      assert (at_stage b (w, o) i (unit (st b (w, o) i))) as Hou by (apply at_own; [exact Ko|lia]).
      assert (unit (st b (w, o) i) = u) as Eu.
      { apply (w_one _ _ WF _ _ i i _ u Hou Hu); [|reflexivity]. rewrite (Same i) by lia.
        destruct Hu as [_ [_ ->]]. reflexivity. }
      rewrite Eu in Hou. apply (IH o); try assumption; [lia|].
      destruct (Nat.eq_dec (ah s (w, k) i) 0) as [Z|Z].
      + pose proof (Passes _ _ _ Hv C Z Ha). lia.
      + pose proof (Follows w o k i u Hou Hu Cu ltac:(lia) ltac:(lia)). lia.
    - apply (Serves w k (S i) v Hv); [lia|]. intros _ o j Ho [Ko [Hj E]].
      destruct (le_lt_dec (D s (w, o) j) t) as [L|L]; [exact L|exfalso].
      apply not_true_iff_false in F. apply F. apply existsb_exists. exists o.
      split; [apply in_seq; lia|]. apply existsb_exists. exists j. split; [apply in_seq; lia|].
      rewrite E, Nat.eqb_refl. apply Nat.ltb_lt, L.
  Qed.

  Lemma back_behind u v z : B m b u v -> back m b v z -> B m b u z.
  Proof. induction 1; intros Hz; econstructor; eauto. apply B_self. Qed.

  (** [vs]: units that wait for each other, the last one for [u] *)
  Lemma in_use_taken n : forall vs u, NoDup (u :: vs) -> incl (u :: vs) (units_of b) ->
    (forall v, In v vs -> exists z, back m b v z /\ B m b z u) ->
    length (units_of b) <= n + length vs -> in_use m b s u t -> taken m b s u t.
  Proof.
    induction n as [|n IH]; intros vs u Nd Inc Hvs Hn Hu.
    - pose proof (NoDup_incl_length Nd Inc). cbn in *. lia.
    - destruct Hu as [[y [i [Hy Hh]]]|[[w k] [i [v [Hu [Hv [Q Ht]]]]]]].
      { exists y, i, u. split; [exact Hy|]. split; [constructor|exact Hh]. }
      assert (back m b u v) as Bk by (split; [exact Q|exists (w, k), i; auto]).
      destruct (IH (u :: vs) v) as [y [j [z [Hy [HB Hh]]]]].
      + constructor; [|exact Nd]. intros [<-|Hin]; [apply (w_acyclic _ _ WF u u Bk), B_self|].
        destruct (Hvs v Hin) as [z [Hz HB]]. apply (w_acyclic _ _ WF v z Hz).
        apply (back_behind _ u); assumption.
      + intros z [<-|Hz]; [eapply at_unit, Hv|apply Inc, Hz].
      + intros z [<-|Hz]; [exists v; split; [exact Bk|constructor]|].
        destruct (Hvs z Hz) as [z' [H1 H2]]. exists z'. split; [exact H1|].
        apply (back_behind _ u); assumption.
      + cbn [length]. lia.
      + apply (next_in_use w k i u v); assumption.
      + exists y, j, z. split; [exact Hy|]. split; [|exact Hh]. econstructor; eassumption.
  Qed.

  (** *** Who waits for a unit that is in use waits for one that is held. *)
  Theorem held_behind u : In u (units_of b) -> in_use m b s u t -> taken m b s u t.
  Proof.
    intros Hu. apply (in_use_taken (length (units_of b)) []).
    - constructor; [intros []|constructor].
    - intros v [<-|[]]. exact Hu.
    - intros v [].
    - cbn. lia.
  Qed.
End Progress.
