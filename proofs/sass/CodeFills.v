(** * Theorem 7 of docs/machine-code-bounds.md with V counted: pages, sectors, loads

    V are cycles in which levels of memory are filled or served (memory/Fills.v).  What is counted
    of them before the kernel runs, sectors and requests by the cycles that each takes, is added to
    the bounds of a block, of one SM and of the kernel. *)

From Warpbound Require Import Base Cycles Fills Formulas Ledger GridLedger Dynamic CodeMachine
  CodeEnough CodeKept CodeElb CodeOwn CodeSib CodeOutside CodeLedger CodeBeside CodeApart.

Section Block.
  Variables (off : nat -> bool) (us : list supply) (m : machine) (b : block) (s : schedule).
  Hypotheses (OK : outside off m b s) (W : wf m b) (V : beside off us).

  (** *** A block: code-elb *)
  Theorem elb_filled lP lI lD lR : lam_cert m b lP lI lD lR -> forall x, In x (keys b) ->
    finish b s x <= rel s (group m (fst x)) 0 + (total b + lam b lI lD) + sum cost us.
  Proof.
    intros HL x Hx. apply (elb_outside off _ m b s OK W lP lI lD lR HL x Hx), beside_few, V.
  Qed.

  (** *** or whatever is proven of all that keeps enough of the rules *)
  Theorem ends_filled g T least :
    (forall s J enters, enough m b s J enters -> leaves m b s J least ->
      forall x, In x (keys b) -> finish b s x <= rel s g 0 + T) ->
    kept b s least -> forall x, In x (keys b) -> finish b s x <= rel s g 0 + T + sum cost us.
  Proof.
    intros H K x Hx. apply (outside_ends off _ m b s OK W g T least H K x Hx), beside_few, V.
  Qed.
End Block.

(** ** SMs, each with levels of its own ([us]), and levels of the whole GPU ([gpu]) *)
Section Sms.
  Variables (off : nat -> nat -> bool) (us : nat -> list supply) (gpu : list supply).
  Variables (M R delta n : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Hypothesis Gpu : beside (skip X) gpu.
  Hypothesis Own : forall i, beside (fun t => counted X t && off i t) (us i).
  Hypothesis Most : forall i, sum cost (us i) <= n.
  Hypothesis Run : apart_run off M R delta mach prog sched X.

  Lemma sms_finite i N : cnt (off i) N <= sum cost gpu + n.
  Proof.
    transitivity (cnt (fun t => skip X t || (counted X t && off i t)) N).
    - apply cnt_le. intros t _ H. unfold counted. rewrite H. destruct (skip X t); reflexivity.
    - pose proof (cnt_or (skip X) (fun t => counted X t && off i t) N).
      pose proof (beside_few _ _ N Gpu). pose proof (beside_few _ _ N (Own i)).
      specialize (Most i). lia.
  Qed.

  Variables (kd : nat -> Formulas.kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b).
  Notation kinds := (map kd (all X)).

  (** *** K-SM with what all levels take; K-AREA and K-BAL with twice what those of an SM do *)
  Theorem kernel_filled b : dynamic X M R -> M * R < count X -> b < count X ->
    fin X b <= h R delta (count X - (M - 1) * R) kinds + sum cost gpu + n
    /\ fin X b <= k_area M R delta kinds + sum cost gpu + 2 * n
    /\ fin X b <= k_bal M R delta kinds + sum cost gpu + 2 * n.
  Proof.
    apply (kernel_apart off _ sms_finite M R delta (sum cost gpu) n mach prog sched X Run kd lP lI
      lD lR); auto.
    - intros N. rewrite cycles_cnt. apply beside_few, Gpu.
    - intros i N _. rewrite cycles_cnt. etransitivity; [apply beside_few, Own|apply Most].
  Qed.

  (** *** static dispatch *)
  Theorem static_filled b : b < count X ->
    fin X b <= static_time X R delta kd (sm X b) + sum cost gpu + n.
  Proof.
    apply (k_sm_static_apart off _ sms_finite M R delta (sum cost gpu) n mach prog sched X Run kd
      lP lI lD lR); auto.
    - intros N. rewrite cycles_cnt. apply beside_few, Gpu.
    - intros i N _. rewrite cycles_cnt. etransitivity; [apply beside_few, Own|apply Most].
  Qed.
End Sms.
