(** * A schedule of machine code that the rules of docs/machine-code-bounds.md allow

    Two warps load by a unit with a queue of one place; the first one waits for what it loaded. *)

From Warpbound Require Import Base CodeMachine CodeElb CheckCode CheckCodeSib CheckCodeFib
  CheckCodeSchedule.

Definition load : instr := Instr 1 1 0 0 false [Stage 1 2 0] (Some 0) 3 None 0 [] false 0.
Definition add : instr := Instr 1 1 0 0 true [Stage 0 2 0] None 0 None 0 [(0, 0)] false 0.
Definition loads : block := [[load; add]; [load]].
Definition small : machine := Machine (fun u => Some (min u 1)) (fun _ => 0) true (fun u => u)
  (fun _ => false) (fun _ => 0) 0.

Definition chosen (x : key) : nat := match x with (0, 1) => 5 | (1, 0) => 1 | _ => 0 end.
Definition run : schedule := Schedule chosen chosen chosen chosen
  (fun x => match x with (0, 1) => 1 | _ => 0 end)
  (fun x _ => match x with (0, 1) => 5 | (1, 0) => 2 | _ => 0 end)
  (fun _ _ => 2) (fun _ _ => 0) (fun x => match x with (0, 1) => 0 | _ => 3 end) (fun _ => 0)
    (fun _ => 1) (fun _ => 0) (fun _ _ => 0).

(** No unit of the two clashes; they have no names of their own. *)
Definition plain : ways := Ways (fun _ => false) (fun _ => []) (fun _ u => u).
Ltac checked := match goal with |- valid _ ?b ?s =>
  apply (code_valid_ok _ b s (fun _ => keys b)
    (fun x => match waits (get b x) with [] => 0 | _ => P s x end) [0]);
    [vm_compute; reflexivity|intros [|] [|[|]]; reflexivity] end.

(** The execution of two loads keeps the rules M1 to M7, *)
Theorem run_valid : valid small loads run.
Proof. checked. Qed.

(** and code-fib says when it ends at the latest: the loads hold unit 1 for 4 cycles, the
    addition comes 5 cycles behind its own.  Unit 0 is a latch, which warp 1 does not use. *)
Definition table (x : key) : nat := match x with (0, 1) => 5 | _ => 0 end.
Definition paths (n : nat) : sib_tables := SibTables Nat.eqb (fun _ u => u =? 1) (fun _ => Some 0)
  (fun _ => false) table table (fun x _ => table x) (fun _ w => if w =? 0 then n else 5)
  (fun _ _ => false) (fun _ _ => 0) (fun _ _ => 0).
Definition spared (w u : nat) : bool := (w =? 1) && (u =? 0).
Example fib_10 : code_fib_shown small loads (paths 7) spared plain = Some 10.
Proof. vm_compute. reflexivity. Qed.
Example fib_less : code_fib_shown small loads (paths 6) spared plain = None.
Proof. vm_compute. reflexivity. Qed.

Theorem run_ends x : In x (keys loads) -> finish loads run x <= 10.
Proof. apply (code_fib_shown_ok _ _ _ _ _ _ fib_10 run 0); [reflexivity|exact run_valid]. Qed.
Example run_end : finish loads run (0, 1) = 7.
Proof. reflexivity. Qed.

(** ** An access that waits for another one's fill

    Both warps load by a unit 1 and, behind it, a unit 2 that is a clash unit. The second load asks
    for what the first one is fetching: it does not hold unit 2, but waits there until the first one
    has held it. *)

Definition miss : instr :=
  Instr 1 1 0 0 false [Stage 1 1 0; Stage 2 4 0] (Some 0) 3 None 0 [] false 0.
Definition misses : block := [[miss]; [miss]].
Definition merging : machine := Machine (fun _ => None) (fun _ => 0) false (fun u => u)
  (fun u => u =? 2) (fun _ => 0) 0.

Definition when (x : key) : nat := fst x.
Definition merged : schedule := Schedule when when when when
  (fun _ => 0)
  (fun x i => match i with 0 => fst x | _ => match fst x with 0 => 1 | _ => 5 end end)
  (fun x i => match i with 0 => 1 | _ => match fst x with 0 => 4 | _ => 0 end end)
  (fun _ _ => 0) (fun _ => 3) (fun _ => 0) (fun _ => 1) (fun _ => 0) (fun _ _ => 0).

Lemma misses_keys x : In x (keys misses) -> x = (0, 0) \/ x = (1, 0).
Proof. simpl. intuition (subst; auto). Qed.

Lemma misses_stages x i u : at_stage misses x i u ->
  (x = (0, 0) \/ x = (1, 0)) /\ (i = 0 /\ u = 1 \/ i = 1 /\ u = 2).
Proof.
  intros [Hx [Hi Hu]]. destruct (misses_keys x Hx) as [->| ->]; cbn in Hi;
    (assert (i = 0 \/ i = 1) as [->| ->] by lia); cbn in Hu; subst u; auto.
Qed.

Ltac miss_key := match goal with
  | H : In _ (keys misses) |- _ =>
      let Q := fresh in destruct (misses_keys _ H) as [Q|Q]; clear H; injection Q as; subst
  | H : In _ (keys misses) |- _ =>
      let Q := fresh in destruct (misses_keys _ H) as [Q|Q]; clear H; subst
  end.
Ltac miss_stage := match goal with
  | H : at_stage misses _ _ _ |- _ =>
      let Q := fresh in let R := fresh in
      destruct (misses_stages _ _ _ H) as [[Q|Q] [[R ?]|[R ?]]]; clear H;
      first [discriminate R | injection Q as; subst | subst]
  end.
Ltac miss_cases := intros; repeat miss_key; repeat miss_stage; cbn in *; try discriminate; try lia.
Ltac two_stages H i := cbn in H; assert (i = 0 \/ i = 1) as [->| ->] by lia; cbn in *; try lia.

Lemma merging_wf : wf merging misses.
Proof.
  split; try solve [miss_cases].
  - intros x i H1 H2. repeat miss_key; two_stages H2 i.
  - intros x y i j u v H1 H2 H C. cbn in H. subst v.
    miss_cases; (split; [reflexivity|intros n Hn; lia]).
  - intros u v [H _]. cbn in H. congruence.
  - intros u v [H _]. cbn in H. congruence.
  - intros x i v _ H. cbn in H. congruence.
Qed.

(** The second load waits at unit 2 from 2 to 5 and holds it for no time. *)
Theorem merged_waits : A merged (1, 0) 1 = 2 /\ D merged (1, 0) 1 = 5 /\ ah merged (1, 0) 1 = 0.
Proof. repeat split. Qed.

(** Such an execution keeps the rules M1 to M7. *)
Theorem merged_valid : valid merging misses merged.
Proof.
  split; try solve [miss_cases].
  - intros x i H1 H2. repeat miss_key; two_stages H2 i.
  - intros x i H1 H2 H3. repeat miss_key; two_stages H2 i.
  - intros x i H1 H2 H3 C. repeat miss_key; two_stages H2 i; discriminate.
  - intros x i H1 H2. repeat miss_key; two_stages H2 i.
  - intros w k t Hk [Ht _]. left. exists (0, 0). repeat miss_key; cbn in Ht; [lia|].
    assert (t = 0) by lia. subst t. split; [left; reflexivity|]. split; [reflexivity|].
    left. reflexivity.
  - intros w k i u t H Ht _. miss_cases. left. exists (0, 0), 1.
    split; [split; [left; reflexivity|cbn; auto]|]. apply holds_iff. cbn. lia.
  - intros x y i j u H1 H2 Hn. miss_cases; congruence || lia.
Qed.
