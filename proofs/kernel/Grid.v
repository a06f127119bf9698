(** * The grid of docs/proofs.md, section 12: SMs with slots, a dispatcher, rules G1 to G4

    Each SM is a machine of Model.v whose [block] lists the warps of all thread blocks that it
    gets, [group] saying whose they are; [begin] is when a thread block's warps can issue.  Where
    a rule of the page leaves the order within a cycle open, the rule here is the weaker one. *)

From Warpbound Require Import Base Cycles Model.

(** A grid has thread blocks, SMs with slots, and a dispatcher. *)
Record grid := Grid {
  blocks : nat;                 (* thread blocks: 0 to blocks - 1 *)
  sms : nat;
  slots : nat;                  (* of each SM *)
  latency : nat;                (* dispatch_latency *)
  service : nat;                (* dispatch_service *)
  mach : nat -> machine;        (* of each SM *)
  prog : nat -> block }.        (* what each SM gets *)

(** An execution says where and when each thread block is. *)
Record execution := Execution {
  sched : nat -> schedule;      (* of each SM *)
  sm_of : nat -> nat;           (* where a thread block goes, *)
  slot_of : nat -> nat;         (* its slot there, *)
  place : nat -> nat;           (* its place in the order of dispatch *)
  taken : nat -> nat;           (* the dispatcher takes it *)
  serviced : nat -> nat;        (* for so long it is at work with it *)
  ended : nat -> nat }.

Section Rules.
  Variables (G : grid) (X : execution).

  (** When thread block [b] starts. *)
  Definition started (b : nat) : nat := begin (sched X (sm_of X b)) b.
  (** The thread block of an instruction. *)
  Definition whose (i : nat) (x : key) : nat := group (mach G i) (fst x).

  (** The dispatcher is at work: the set D of the page. *)
  Definition at_work (t : nat) : bool :=
    existsb (fun b => (taken X b <=? t) && (t <? taken X b + serviced X b)) (seq 0 (blocks G)).

  (** [c] had the slot of [b] before it. *)
  Definition before (c b : nat) : Prop :=
    c < blocks G /\ sm_of X c = sm_of X b /\ slot_of X c = slot_of X b /\ place X c < place X b.

  (** Slot [q] of SM [i] is taken in cycle [t]: by a thread block that is there or on its way. *)
  Definition full (i q t : nat) : Prop :=
    exists c, c < blocks G /\ sm_of X c = i /\ slot_of X c = q /\ taken X c <= t < ended X c.

  (** A valid execution keeps R1 to R7 and G1 to G4. *)
  Record grid_valid : Prop := {
    (* R1 to R7 *)
    g_machine : forall i, i < sms G -> valid (mach G i) (prog G i) (sched X i);
    g_whose : forall i x, i < sms G -> In x (keys (prog G i)) -> whose i x < blocks G /\
    sm_of X (whose i x) = i;
    g_place : forall b, b < blocks G -> sm_of X b < sms G /\ slot_of X b < slots G;
    g_order : forall b c, b < blocks G -> c < blocks G -> place X b = place X c -> b = c;
    (* G1: it ends when all is complete, and holds its slot until then *)
    g_complete : forall i x, i < sms G -> In x (keys (prog G i)) ->
    C (sched X i) x <= ended X (whose i x);
    g_end : forall b, b < blocks G -> started b <= ended X b /\ (ended X b = started b \/
      exists x, In x (keys (prog G (sm_of X b))) /\ whose (sm_of X b) x = b /\
      ended X b = C (sched X (sm_of X b)) x);
    g_slot : forall b c, b < blocks G -> before c b -> ended X c <= taken X b;
    (* G2 *)
    g_takes : forall b c, b < blocks G -> c < blocks G -> place X b < place X c ->
    taken X b <= taken X c;
    g_service : forall b, b < blocks G -> serviced X b <= service G;
    g_start : forall b, b < blocks G ->
      taken X b + serviced X b <= started b <= taken X b + serviced X b + latency G;
    g_first : forall b, b < blocks G -> (forall c, ~ before c b) ->
    started b = taken X b + serviced X b;
    g_new : service G = 0 -> forall b c, b < blocks G -> before c b -> taken X b = 0 ->
      forall q, q < slots G -> exists d, d < blocks G /\ d <> b /\ sm_of X d = sm_of X b /\
      slot_of X d = q;
    (* G3: while a thread block is left that may go there the dispatcher works or the slots are
        taken *)
    g_waits : forall b t q, b < blocks G -> at_work t = false -> t < taken X b -> q < slots G ->
      full (sm_of X b) q t }.

  (** G3, dynamic: every thread block may go to every slot. *)
  Definition goes_anywhere : Prop := forall b t i q, b < blocks G -> at_work t = false ->
    t < taken X b ->
    i < sms G -> q < slots G -> full i q t.

  (** G4: as many as fit at once are dealt round-robin, each to a slot that is new. *)
  Definition dealt : Prop :=
    (forall b c, b < blocks G -> ~ before c b)
    /\ forall i, length (filter (fun b => sm_of X b =? i) (seq 0 (blocks G)))
         <= (blocks G + sms G - 1) / sms G.
End Rules.
