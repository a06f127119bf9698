(** * Progress: docs/machine-code-bounds.md, section 1

    No execution waits for ever.  One that has kept the rules up to cycle [n] is one whose rules
    hold outside of the cycles from [n] on (CodeOutside.v): what is left then may come at any time,
    in any way that keeps the order of events.  If a bound is less than [n], nothing is left: all
    has ended by that bound.  M4 says only that who waits finds its unit in use, by who holds it or
    by who waits for the next one; that no unit blocks back onto itself ([w_acyclic]) does the rest
    (CodeMachine.v), and without it an execution can stand still for ever
    (examples/CodeProgressExample.v). *)

From Warpbound Require Import Base Cycles Formulas Ledger GridLedger Dynamic Held CodeMachine
  CodeEnough CodeElb CodeOutside CodeLedger CodeBeside.

(** Cycles from [n] on, as many as it takes for what is left *)
Definition later (n size t : nat) : bool := (n <=? t) && (t <? n + size).

Lemma later_on n size t : t <= n -> on (later n size) t = t.
Proof.
  intros H. pose proof (on_off (later n size) t) as E.
  rewrite (cnt_none (later n size) t) in E; [lia|].
  intros u Hu. apply andb_false_iff. left. apply Nat.leb_gt. lia.
Qed.

(** What is at less than [n] without them is so in real time. *)
Lemma later_over n size y T : on (later n size) y <= T -> T < n -> y <= T.
Proof.
  intros H L. destruct (le_lt_dec y n) as [C|C]; [rewrite (later_on n size y C) in H; exact H|].
  pose proof (on_mono (later n size) n y ltac:(lia)). rewrite later_on in *; lia.
Qed.

Lemma later_few n size N : cnt (later n size) N <= size.
Proof. apply (cnt_interval n size). Qed.

(** *** A block's instructions end within *E* and *lam*, or the execution has not come so far. *)
Theorem over_by n size m b s lP lI lD lR : wf m b -> outside (later n size) m b s ->
  lam_cert m b lP lI lD lR -> forall x, In x (keys b) ->
  rel s (group m (fst x)) 0 + (total b + lam b lI lD) < n ->
  finish b s x <= rel s (group m (fst x)) 0 + (total b + lam b lI lD).
Proof.
  intros W OK HL x Hx Hn. apply (later_over n size); [|exact Hn]. rewrite <- drawn_finish.
  rewrite Nat.add_assoc.
  rewrite <- (later_on n size (rel s (group m (fst x)) 0)) by lia.
  apply (code_elb m b _ W (outside_enough (later n size) m b s W OK) lP lI lD lR HL x Hx).
Qed.

(** ** Kernels *)
Section Grid.
  Variables (n size M R delta service : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Notation off := (later n size).
  (** Up to [n] all SMs keep M1 to M7; thread blocks come by G1 to G3. *)
  Hypothesis Until : code_run M R delta mach prog sched X (outside off).
  Variables (kd : nat -> Formulas.kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b).
  Hypothesis Skips : forall N, cycles N (skip X) <= service.
  Notation kinds := (map kd (all X)).
  Notation r := (drawn_run off size (later_few n size) mach prog sched X).

  Let Lg : ledger r M R delta kd := outside_ledger off size (later_few n size) M R delta mach prog
    sched X Until kd lP lI lD lR HK (fun b Hb => or_introl (HS b Hb)).

  Lemma drawn_skips N : cycles N (skip r) <= service.
  Proof.
    etransitivity; [apply (cycles_on off size (later_few n size) (skip X))|].
    etransitivity; [|apply (Skips (N + size))]. apply cycles_le. intros t _ H.
    apply andb_prop in H. apply H.
  Qed.

  (** *** Every thread block ends by K-SM under static dispatch, *)
  Theorem static_over b : b < count X -> static_time X R delta kd (sm X b) + service < n ->
    fin X b <= static_time X R delta kd (sm X b) + service.
  Proof.
    intros Hb Hn. apply (later_over n size); [|exact Hn].
    exact (held_static r M R delta service kd Lg drawn_skips b Hb).
  Qed.

  (** *** and by K-SM, K-AREA and K-BAL where any thread block may go to any slot. *)
  Theorem kernel_over b : dynamic X M R -> M * R < count X -> b < count X ->
    let least := min (h R delta (count X - (M - 1) * R) kinds)
      (min (k_area M R delta kinds) (k_bal M R delta kinds)) + service in
    least < n -> fin X b <= least.
  Proof.
    intros Dy W Hb least Hn. apply (later_over n size); [|exact Hn].
    destruct (held_dynamic r M R delta service kd Lg drawn_skips) with (b := b) as [H1 [H2 H3]];
      [|exact W|exact Hb|].
    - intros c k i q Hc Hk Hd Hi Hq. destruct (cycle_on off size (later_few n size) k) as [Ho Ek].
      destruct (Dy c (cycle off size (later_few n size) k) i q Hc Hk) as [d [D1 [D2 [D3 D4]]]];
        [|exact Hi|exact Hq|].
      + apply (on_yet off _ _ Ho). rewrite Ek. exact Hd.
      + exists d. repeat split; auto. unfold Ledger.holds in *.
        cbn [disp fin drawn_run drawn_times].
        rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in *. rewrite <- Ek.
        apply (drawn_in off (cycle off size (later_few n size) k) Ho), D4.
    - change (on off (fin X b) <= least). unfold least.
      change (on off (fin X b) <= h R delta (count X - (M - 1) * R) kinds + service) in H1.
      change (on off (fin X b) <= k_area M R delta kinds + service) in H2.
      change (on off (fin X b) <= k_bal M R delta kinds + service) in H3. lia.
  Qed.
End Grid.
