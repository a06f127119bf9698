(** * K-CHAIN and -AREA of machine code with V: theorems 5 and 7 of docs/machine-code-bounds.md

    Outside of its V each SM keeps the accounts of chains (CodeChain.v), as its own ledger
    (CodeApart.v); what SMs leave out counts twice. *)

From Warpbound Require Import Base Cycles Largest Formulas ChainFormulas Ledger GridLedger Dynamic
  Held ChainDispatch ChainArea Apart CodeMachine CodeEnough CodeElb CodeOutside CodeLedger CodeChain
  CodeBeside CodeApart.

Section Sms.
  Variables (off : nat -> nat -> bool) (size : nat).
  Hypothesis Finite : forall i N, cnt (off i) N <= size.
  Variables (M R delta service n : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Hypothesis Run : apart_run off M R delta mach prog sched X.
  Variables (ck : nat -> chain_kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) (fun b => plain (ck b)) lP lI lD lR.
  Notation core_of i x := (core (mach i) (fst x)).
  (** As in CodeChain.v *)
  Variables (home : nat -> nat -> option nat) (cores : nat) (only_core : nat -> option nat).
  Hypothesis Home : forall i x j u v, i < M -> at_stage (prog i) x j u ->
    B (mach i) (prog i) u v -> reached (home i) (core_of i x) v = true.
  Hypothesis Cores : forall i x, i < M -> In x (keys (prog i)) -> core_of i x < cores.
  Hypothesis HC : forall b, b < count X ->
    chain_code (mach (sm X b)) (prog (sm X b)) (home (sm X b)) cores (only_core b) (ck b) b.
  Notation own i := (own off size Finite mach prog sched X i).

  Lemma own_chains i : i < M -> ledger (own i) M R delta (fun b => plain (ck b))
    /\ chains (own i) M R delta ck.
  Proof.
    intros Hi. pose proof (outside_run (off i) size (Finite i) M R delta mach (only_prog prog i)
      (only_sched sched i) (only mach prog sched X i)
      (only_code off M R delta mach prog sched X Run i Hi)) as V.
    pose proof (only_amounts M mach prog sched X i _ _ _ _ _ Hi HK) as HK'. split.
    - apply (chain_ledger M R delta mach _ _ _ V ck lP lI lD lR HK').
    - apply (code_chains M R delta mach (only_prog prog i) _ _ V ck lP lI lD lR HK' home cores) with
        (only := only_core).
      + intros j x k u v Hj Hx HB. unfold only_prog in *. destruct (Nat.eqb_spec j i) as [->|N];
          [apply (Home i x k u v Hi Hx HB)|destruct (no_stage _ _ _ Hx)].
      + intros j x Hj Hx. unfold only_prog in Hx. destruct (Nat.eqb_spec j i) as [->|N];
          [apply (Cores i x Hi Hx)|destruct Hx].
      + intros b Hb. cbn [sm drawn_run drawn_times CodeApart.only only_times]. unfold only_prog.
        destruct (here X i b) eqn:E.
        * rewrite Nat.eqb_refl. apply Nat.eqb_eq in E. rewrite <- E. apply (HC b Hb).
        * rewrite (proj2 (Nat.eqb_neq _ _) (elsewhere_apart i)).
          apply (chain_code_nil _ _ _ _ _ _ _ _ _ (HC b Hb)).
  Qed.

  (** alpha and solo, as in CodeApart.v *)
  Variable kd : nat -> Formulas.kind.
  Hypothesis HK' : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b)
    \/ forall N, alone (own (sm X b)) b ->
         cycles N (fun t => counted (own (sm X b)) t && stays (own (sm X b)) b t) <= kS (kd b).
  (** What the run leaves out, and what SMs leave out besides *)
  Hypothesis Skips : forall N, cycles N (skip X) <= service.
  Hypothesis Few : forall i N, i < M -> cycles N (fun t => counted X t && off i t) <= n.

  (** *** K-CHAIN with V, K-CHAIN-AREA with twice V *)
  Theorem chain_area_apart b : dynamic X M R -> M * R < count X -> b < count X ->
    fin X b <= chain_sm R delta (count X - (M - 1) * R) (map ck (all X)) + service + n
    /\ fin X b <= k_chain_area M R delta (map kd (all X)) [map ck (all X)] + service + 2 * n.
  Proof.
    intros D W Hb. pose proof (kernel_apart_runs off size Finite M R delta n mach prog sched X Run
      kd
      lP lI lD lR HK' HS Few) as Ap.
    assert (forall c i, In c [ck] -> i < M -> ledger (own i) M R delta (fun b => plain (c b))
      /\ chains (own i) M R delta c) as Own by (intros c i [<-|[]]; apply own_chains).
    pose proof (held_up X service Skips b _ (k_chain_apart X M R delta n kd _ _ [ck] Ap Own D W ck b
      (or_introl eq_refl) Hb)).
    pose proof (held_up X service Skips b _ (k_chain_area_apart X M R delta n kd _ _ [ck] Ap Own D W
      b
      Hb)) as H'. cbn [map] in H'. lia.
  Qed.

  (** *** K-CHAIN with V, static dispatch *)
  Theorem chain_static_apart b : b < count X ->
    fin X b <= chain_static X R delta ck (sm X b) + service + n.
  Proof.
    intros Hb. pose proof (kernel_apart_runs off size Finite M R delta n mach prog sched X Run kd
      lP lI lD lR HK' HS Few) as Ap.
    destruct (on_some X M R delta n kd _ _ Ap b Hb) as [Hi Hin]. set (i := sm X b) in *.
    destruct (own_chains i Hi) as [Lg Ch].
    assert (sm (own i) b = i) as E
      by (apply (in_on_sm (own i) i b), (here_in X M R delta n kd _ _ Ap); assumption).
    assert (cycles (fin (own i) b) (counted (own i)) <= chain_static X R delta ck i) as H.
    { pose proof (k_chain_static (own i) M R delta ck Lg Ch b Hb) as H. rewrite E in H.
      etransitivity; [exact H|]. unfold chain_static, late.
      rewrite (a_here _ _ _ _ _ _ _ _ Ap i Hi).
      assert (forall c, In c (on_sm X i) -> first (own i) c = first X c) as F
        by (intros c Hc; apply (a_place _ _ _ _ _ _ _ _ Ap i c Hi Hc)).
      replace (forallb (first (own i)) (on_sm X i)) with (forallb (first X) (on_sm X i));
        [apply le_n|].
      revert F. generalize (on_sm X i). intros k F. induction k as [|c k IH]; [reflexivity|]. cbn.
      rewrite (F c (or_introl eq_refl)), IH; [reflexivity|]. intros; apply F; right; assumption. }
    pose proof (held_up X service Skips b _
      (in_time X M R delta n kd _ _ Ap i b _ Hi Hin H)). lia.
  Qed.
End Sms.
