(** * The checker of kernel certificates: K-SM, K-AREA, K-BAL

    A certificate has the grid's kinds of thread blocks, each with its paths, a potential of its
    latency paths made by untrusted code, and the number of its thread blocks; and the claim.  What
    is checked is a claim on every execution of every grid of such thread blocks, on machines with
    any units, instances, dispatch depth, issue width and sub-cores: alpha and solo are E + lam. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb Largest Formulas CheckSchedule Ledger Grid Stay GridLedger Kernel Copies.
Import ListNotations.

Record class := Class {
  paths : block;                (* of a thread block, a list of instructions for each warp *)
  potential : list (list nat);
  many : nat }.                 (* thread blocks of the grid *)

Inductive formula := K_SM | K_AREA | K_BAL.

Definition formula_of (f : formula) : nat -> nat -> nat -> list kind -> nat :=
  match f with K_SM => k_sm | K_AREA => k_area | K_BAL => k_bal end.

(** E, lam, and E + lam for alpha and solo. *)
Definition kind_of (c : class) : kind :=
  let e := E (paths c) in let l := top (paths c) (table (potential c)) in Kind e l (e + l) (e + l).

Definition listed (cs : list class) : list class := flat_map (fun c => repeat c (many c)) cs.

Definition kernel_time (f : formula) (M R delta s : nat) (cs : list class) : nat :=
  formula_of f M R delta (map kind_of (listed cs)) + s * length (listed cs).

Definition kernel_check (rel : nat -> nat) (f : formula) (M R delta s : nat) (cs : list class) (claim : nat) : bool :=
  forallb (fun c => lam_check (by_itself rel) (paths c) (table (potential c))) cs
  && (kernel_time f M R delta s cs <=? claim).

Definition no_class : class := Class [] [] 0.

(** The grid's thread blocks are copies of the classes, or execute parts of them; they are numbered
    class by class, whatever the order in which they are dispatched. *)
Definition made_of (G : grid) (X : execution) (rel : nat -> nat) (cs : list class) (src : nat -> key -> key) : Prop :=
  blocks G = length (listed cs)
  /\ forall b, b < blocks G -> part_of (paths (nth b (listed cs) no_class)) rel
       (mach G (sm_of X b)) (prog G (sm_of X b)) b (src b).

Lemma map_nth_seq {A} (l : list A) d : map (fun b => nth b l d) (seq 0 (length l)) = l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [length seq map nth]. rewrite <- seq_shift, map_map. cbn [nth].
  rewrite IH. reflexivity.
Qed.

Section Check.
  Variables (G : grid) (X : execution) (rel : nat -> nat) (cs : list class) (src : nat -> key -> key).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis Dyn : goes_anywhere G X.
  Hypothesis Deal : blocks G <= sms G * slots G -> dealt G X.
  Hypothesis Made : made_of G X rel cs src.

  Notation class_of := (fun b => nth b (listed cs) no_class).
  Notation pot c := (table (potential c)).

  Definition potential_of (i : nat) (x : key) : nat := pot (class_of (whose G i x)) (src (whose G i x) x).

  Hypothesis Pots : forall c, In c cs -> lam_cert (by_itself rel) (paths c) (pot c).

  Lemma class_in b : b < blocks G -> In (class_of b) cs.
  Proof.
    destruct Made as [Hn _]. intros Hb. assert (forall c, In c (listed cs) -> In c cs) as A; [|apply A, nth_In; lia].
    intros c H. apply in_flat_map in H as [d [Hd H]]. apply repeat_spec in H. subst. exact Hd.
  Qed.

  Lemma whole_cert i : i < sms G -> lam_cert (mach G i) (prog G i) (potential_of i).
  Proof.
    intros Hi w k Hk. set (b := whose G i (w, k)). pose proof (g_whose _ _ V i (w, k) Hi Hk) as [W1 W2]. fold b in W1, W2.
    assert (of (mach G i) (prog G i) b (w, k)) as Hof by (split; [exact Hk|reflexivity]).
    destruct Made as [_ Hpart]. specialize (Hpart b W1). rewrite W2 in Hpart.
    destruct (part_cert (paths (class_of b)) rel (pot (class_of b)) (Pots _ (class_in b W1)) _ _ b (src b) Hpart w k Hof)
      as [H1 [H2 H3]].
    split; [|split].
    - intros j Hj. apply (H1 j Hj).
    - intros q Hq. apply (H2 q Hq). split; [|reflexivity].
      apply (keys_before _ _ _ q Hk). pose proof (proj1 (proj2 (proj2 (Mok i Hi) w k Hk)) q Hq). lia.
    - intros y Hy Gy Hs. unfold potential_of. assert (whose G i y = b) as -> by exact Gy.
      apply H3; [split; [exact Hy|exact Gy]|exact Hs].
  Qed.

  Lemma amounts_known : amounts_of G X (fun b => kind_of (class_of b)) potential_of.
  Proof.
    intros b Hb. set (i := sm_of X b). pose proof (proj1 (g_place _ _ V b Hb)) as Hi. fold i in Hi.
    destruct (Mok i Hi) as [M W]. destruct Made as [_ Hpart]. specialize (Hpart b Hb). fold i in Hpart.
    pose proof (part_work _ _ _ _ _ _ Hpart) as HE.
    assert (forall x, of (mach G i) (prog G i) b x ->
      potential_of i x + lat (get (prog G i) x) <= top (paths (class_of b)) (pot (class_of b))) as Hl.
    { intros x Hx. unfold potential_of. assert (whose G i x = b) as -> by apply Hx.
      apply (part_lam _ rel _ _ _ _ (src b) Hpart x Hx). }
    pose proof (whole_cert i Hi) as HL.
    constructor; cbn [kE kL kA kS kind_of]; [exact HE|exact Hl| |].
    - apply (stay_elb _ _ b (potential_of i) _ _ M W HL HE Hl).
    - apply (solo_elb _ _ b (potential_of i) _ _ M W HL HE Hl).
  Qed.

  Lemma kinds_listed : map (fun b => kind_of (class_of b)) (seq 0 (blocks G)) = map kind_of (listed cs).
  Proof. destruct Made as [-> _]. rewrite <- (map_map (fun b => nth b (listed cs) no_class) kind_of), map_nth_seq. reflexivity. Qed.

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

(** *** What the checker accepts is so, of every such grid and execution. *)
Theorem kernel_check_ok rel f M R delta s cs claim : kernel_check rel f M R delta s cs claim = true ->
  forall G X src, sms G = M -> slots G = R -> latency G = delta -> service G = s ->
  (forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i)) ->
  grid_valid G X -> goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
  made_of G X rel cs src -> forall b, b < blocks G -> ended X b <= claim.
Proof.
  unfold kernel_check. intros H G X src <- <- <- <- Mok V Dyn Deal Made b Hb.
  apply andb_prop in H as [H1 H2]. rewrite forallb_forall in H1. apply Nat.leb_le in H2.
  etransitivity; [|exact H2]. apply (kernel_time_ok G X rel cs src Mok V Dyn Deal Made); [|exact Hb].
  intros c Hc. apply lam_check_ok, H1, Hc.
Qed.
