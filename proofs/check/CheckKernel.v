(** * Claims of kernels: K-SM, K-AREA, K-BAL; their checker is in extract/Kernels.v

    A certificate has the grid's kinds of thread blocks, each with its paths, a potential of its
    latency paths made by untrusted code, and the number of its thread blocks; and the claim.  What
    is checked is a claim on every execution of every grid of such thread blocks, on machines with
    any units, instances, dispatch depth, issue width and sub-cores: alpha and solo are E + lam. *)

From Warpbound Require Import Base Cycles Model Elb Largest Formulas Checks Ledger Grid Stay
  GridLedger Kernel Copies KernelCopies.

(** A class is a thread block, its certificate and how many there are. *)
Record class := Class {
  paths : block;                (* of a thread block, a list of instructions for each warp *)
  potential : list (list nat);
  many : nat }.                 (* thread blocks of the grid *)

(** The forms of a bound of kernels. *)
Inductive formula := K_SM | K_AREA | K_BAL.

(** The function of a form. *)
Definition formula_of (f : formula) : nat -> nat -> nat -> list kind -> nat :=
  match f with K_SM => k_sm | K_AREA => k_area | K_BAL => k_bal end.

(** E, lam, and E + lam for alpha and solo. *)
Definition kind_of (c : class) : kind :=
  let e := E (paths c) in let l := top (paths c) (table (potential c)) in Kind e l (e + l) (e + l).

(** Each class as often as it is there. *)
Definition listed (cs : list class) : list class := flat_map (fun c => repeat c (many c)) cs.

(** The bound by a form. *)
Definition kernel_time (f : formula) (M R delta s : nat) (cs : list class) : nat :=
  formula_of f M R delta (map kind_of (listed cs)) + s * length (listed cs).

(** [no_class] stands for a class outside the list. *)
Definition no_class : class := Class [] [] 0.

(** The grid's thread blocks are copies of the classes, or execute parts of them; they are numbered
    class by class, whatever the order in which they are dispatched. *)
Definition made_of (G : grid) (X : execution) (rel : nat -> nat) (cs : list class)
  (src : nat -> key -> key) : Prop :=
  blocks G = length (listed cs)
  /\ forall b, b < blocks G -> part_of (paths (nth b (listed cs) no_class)) rel
       (mach G (sm_of X b)) (prog G (sm_of X b)) b (src b).

Lemma map_nth_seq {A} (l : list A) d : map (fun b => nth b l d) (seq 0 (length l)) = l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [length seq map nth]. rewrite <- seq_shift, map_map.
  cbn [nth]. rewrite IH. reflexivity.
Qed.

Section Check.
  Variables (G : grid) (X : execution) (rel : nat -> nat) (cs : list class)
    (src : nat -> key -> key).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypotheses (V : grid_valid G X) (Dyn : goes_anywhere G X).
  Hypotheses (Deal : blocks G <= sms G * slots G -> dealt G X) (Made : made_of G X rel cs src).

  Notation class_of := (fun b => nth b (listed cs) no_class).
  Notation pot c := (table (potential c)).

  (** The latency paths of the classes, on each SM. *)
  Definition potential_of (i : nat) (x : key) : nat :=
    pot (class_of (whose G i x)) (src (whose G i x) x).

  Hypothesis Pots : forall c, In c cs -> lam_cert (by_itself rel) (paths c) (pot c).

  Lemma class_in b : b < blocks G -> In (class_of b) cs.
  Proof.
    destruct Made as [Hn _]. intros Hb.
    assert (forall c, In c (listed cs) -> In c cs) as A; [|apply A, nth_In; lia]. intros c H.
    apply in_flat_map in H as [d [Hd H]]. apply repeat_spec in H. subst. exact Hd.
  Qed.

  Let Part := proj2 Made.
  Let Pots' := fun b Hb => Pots _ (class_in b Hb).

  Lemma whole_cert i : i < sms G -> lam_cert (mach G i) (prog G i) (potential_of i).
  Proof.
    apply (placed_cert G X Mok V (fun b => paths (class_of b)) (fun _ => rel) src (fun b =>
      pot (class_of b)) Part Pots').
  Qed.

  Lemma amounts_known : amounts_of G X (fun b => kind_of (class_of b)) potential_of.
  Proof.
    exact (placed_amounts G X Mok V (fun b => paths (class_of b)) (fun _ => rel) src (fun b =>
      pot (class_of b)) Part Pots').
  Qed.

  Lemma kinds_listed : map (fun b => kind_of (class_of b)) (seq 0 (blocks G))
    = map kind_of (listed cs).
  Proof.
    rewrite (proj1 Made), <- (map_map (fun b => nth b (listed cs) no_class) kind_of), map_nth_seq.
    reflexivity.
  Qed.

  Lemma kernel_time_ok f b : b < blocks G ->
    ended X b <= kernel_time f (sms G) (slots G) (latency G) (service G) cs.
  Proof.
    intros Hb. unfold kernel_time. rewrite <- kinds_listed, <- (proj1 Made).
    destruct f; cbn [formula_of].
    - apply (k_sm_bound G X _ _ Mok V whole_cert amounts_known Dyn b Deal Hb).
    - apply (k_area_grid G X _ _ Mok V whole_cert amounts_known Dyn b Deal Hb).
    - apply (k_bal_grid G X _ _ Mok V whole_cert amounts_known Dyn b Deal Hb).
  Qed.
End Check.
