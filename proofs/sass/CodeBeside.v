(** * Theorem 7 of docs/machine-code-bounds.md: bounds with V beside them

    Schedules whose rules hold outside of V (CodeOutside.v) end at most |V| later than a bound of
    schedules without V: a block.  SMs with one V, in which dispatch goes on, keep a ledger without
    it; CodeApart.v has kernels. *)

From Warpbound Require Import Base Cycles Largest Formulas Ledger GridLedger CodeMachine CodeEnough
  CodeKept CodeElb CodeOwn CodeSib CodeOutside CodeLedger.

Lemma drawn_finish off b s x : finish b (drawn off b s) x = on off (finish b s x).
Proof.
  assert (forall y z, on off (max y z) = max (on off y) (on off z)) as Max.
  { intros y z. destruct (le_lt_dec y z) as [H|H].
    - rewrite !Nat.max_r; [reflexivity|apply on_mono|]; lia.
    - rewrite !Nat.max_l; [reflexivity|apply on_mono|]; lia. }
  unfold finish. rewrite Max, drawn_slot, drawn_E. f_equal. cbn [aw ar drawn].
  pose proof (on_mono off (E b s x) (E b s x + aw s x) ltac:(lia)).
  pose proof (on_mono off (E b s x) (E b s x + ar s x) ltac:(lia)).
  replace (E b s x + max (aw s x) (ar s x)) with (max (E b s x + aw s x) (E b s x + ar s x)) by lia.
  rewrite Max. lia.
Qed.

(** In cycles outside of V, and in all. *)
Lemma real_time off n t0 T y : cnt off y <= n -> on off y <= on off t0 + T -> y <= t0 + T + n.
Proof. intros Few H. pose proof (on_off off y). pose proof (on_le off t0). lia. Qed.

(** ** A block *)

Section Block.
  Variables (off : nat -> bool) (n : nat) (m : machine) (b : block) (s : schedule).
  Hypotheses (OK : outside off m b s) (WF : wf m b).

  (** *** What is proven of all that keeps enough of the rules, in V it is missed by |V| at most; V:
      cycles before the end. *)
  Theorem outside_ends g T least :
    (forall s J enters, enough m b s J enters -> leaves m b s J least ->
      forall x, In x (keys b) -> finish b s x <= rel s g 0 + T) ->
    kept b s least -> forall x, In x (keys b) -> cnt off (finish b s x) <= n ->
    finish b s x <= rel s g 0 + T + n.
  Proof.
    intros H K x Hx Few. apply (real_time off n _ _ _ Few). rewrite <- drawn_finish.
    apply (H _ _ _ (outside_enough off m b s WF OK) (outside_leaves off m b s OK least K) x Hx).
  Qed.

  (** *** Theorem 3 with V: code-elb, whatever other thread blocks the SM has *)
  Theorem elb_outside lP lI lD lR : lam_cert m b lP lI lD lR ->
    forall x, In x (keys b) -> cnt off (finish b s x) <= n ->
    finish b s x <= rel s (group m (fst x)) 0 + (total b + lam b lI lD) + n.
  Proof.
    intros HL x Hx Few. apply (real_time off n _ _ _ Few). rewrite <- drawn_finish, Nat.add_assoc.
    apply (code_elb m b _ WF (outside_enough off m b s WF OK) lP lI lD lR HL x Hx).
  Qed.

  (** *** Theorem 1 with V: code-sib and code-fib without barriers *)
  Theorem sib_outside reach iP iI iD iso : (forall x, In x (keys b) -> sec (get b x) = 0) ->
    (forall w, w < length b -> reaches m b (reach w) w 0) ->
    (forall w, w < length b -> iso_cert m b w 0 iP iI iD (iso w)) ->
    forall w k, In (w, k) (keys b) -> cnt off (finish b s (w, k)) <= n ->
    finish b s (w, k) <= rel s (group m w) 0 + (iso w + others m b (reach w) w) + n.
  Proof.
    intros Flat HR HI w k Hk Few. apply (real_time off n _ _ _ Few). rewrite <- drawn_finish.
    apply (code_sib m b _ WF (outside_enough off m b s WF OK) Flat reach iP iI iD iso HR HI w k Hk).
  Qed.
End Block.

(** ** SMs that share V *)

Section Sms.
  Variables (off : nat -> bool) (n : nat).
  Hypothesis Few : forall N, cnt off N <= n.

  (** The cycle with a number. *)
  Lemma long_enough k : k < on off (k + S n).
  Proof. pose proof (on_off off (k + S n)). pose proof (Few (k + S n)). lia. Qed.
  Definition cycle (k : nat) : nat := proj1_sig (reached off k _ (long_enough k)).

  Lemma cycle_on k : off (cycle k) = false /\ on off (cycle k) = k.
  Proof. unfold cycle. destruct (reached off k _ (long_enough k)) as [t Ht]. apply Ht. Qed.

  Lemma on_cycle t : off t = false -> cycle (on off t) = t.
  Proof.
    intros H. destruct (cycle_on (on off t)) as [H1 H2].
    pose proof (proj2 (on_come off t (cycle (on off t)) H) ltac:(lia)).
    pose proof (proj2 (on_come off _ t H1) ltac:(lia)). lia.
  Qed.

  Lemma cycles_on p N :
    cycles N (fun k => p (cycle k)) <= cycles (N + n) (fun t => negb (off t) && p t).
  Proof.
    rewrite !cycles_cnt.
    assert (forall K, cnt (fun k => p (cycle k)) (on off K) <= cnt (fun t => negb (off t) && p t) K)
      as A.
    { induction K as [|K IH]; [apply le_n|]. rewrite on_step. destruct (off K) eqn:E.
      - rewrite Nat.add_0_r. pose proof (cnt_rises (fun t => negb (off t) && p t) K). lia.
      - rewrite Nat.add_1_r. cbn [cnt]. rewrite (on_cycle K E), E. cbn [negb andb]. lia. }
    etransitivity; [|apply A]. apply cnt_mono. pose proof (on_off off (N + n)).
    pose proof (Few (N + n)).
    lia.
  Qed.

  Variables (M R delta : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Notation drawn_sched := (fun i => drawn off (prog i) (sched i)).

  (** The run without V. *)
  Definition drawn_times (wt : nat -> nat -> nat) : run := Run (count X) (sm X) (room X) (ord X)
    (fun b => on off (disp X b)) (fun b => on off (start X b)) (fun b => on off (fin X b))
    (fun k => skip X (cycle k)) wt.
  Definition drawn_run : run :=
    drawn_times (code_pays mach prog drawn_sched (drawn_times (fun _ _ => 0))).

  Lemma drawn_dispatched : dispatched X M R delta -> dispatched drawn_run M R delta.
  Proof.
    intros [D1 D2 D3 D4 D5 D6 D7 D8]. split; try assumption.
    - intros b Hb. pose proof (D4 b Hb). split; apply on_mono; lia.
    - intros b c Hb Hc Ho. apply on_mono, D5; assumption.
    - intros b c Hb Hc Hs Ho. apply on_mono, D6; assumption.
    - intros N b Hb.
      transitivity (cycles N (fun k => counted X (cycle k) && passing X b (cycle k))).
      { apply cycles_le. intros k _ H. destruct (cycle_on k) as [Ho Ek].
        apply andb_prop in H as [H1 H2]. apply andb_true_intro. split; [exact H1|].
        unfold passing in *. cbn [disp start drawn_run drawn_times] in H2.
        rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in *. apply (drawn_in off _ Ho). rewrite Ek.
        exact H2. }
      etransitivity; [apply (cycles_on (fun t => counted X t && passing X b t))|].
      etransitivity; [|apply (D7 (N + n) b Hb)]. apply cycles_le. intros t _ H.
      apply andb_prop in H. apply H.
    - intros b k q Hb Hc Hk Hq. destruct (cycle_on k) as [Ho Ek].
      destruct (D8 b (cycle k) q Hb Hc) as [c [C1 [C2 [C3 C4]]]]; [|exact Hq|].
      + apply (on_yet off _ _ Ho). rewrite Ek. exact Hk.
      + exists c. repeat split; auto. unfold Ledger.holds in *.
        cbn [disp fin drawn_run drawn_times].
        rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in *. rewrite <- Ek.
        apply (drawn_in off (cycle k) Ho), C4.
  Qed.

  (** *** Without V the SMs keep enough of the rules. *)
  Theorem outside_run : code_run M R delta mach prog sched X (outside off) ->
    code_run M R delta mach prog drawn_sched drawn_run lawful.
  Proof.
    intros [C1 _ C3 C4 C5 C6 C7]. split.
    - intros i Hi. destruct (C1 i Hi) as [H1 H2]. split; [exact H1|]. do 2 eexists.
      apply (outside_enough off _ _ _ H1 H2).
    - reflexivity.
    - apply drawn_dispatched, C3.
    - exact C4.
    - intros b Hb. cbn. rewrite (C5 b Hb). reflexivity.
    - intros i x Hi Hx. rewrite drawn_finish. apply on_mono, C6; assumption.
    - intros b Hb. cbn [fin start sm drawn_run drawn_times].
      destruct (C7 b Hb) as [->|[x [H1 [H2 ->]]]]; [left; reflexivity|right]. exists x.
      rewrite drawn_finish. auto.
  Qed.

  (** E, lam, alpha and solo, as in CodeLedger.v *)
  Hypothesis Outside : code_run M R delta mach prog sched X (outside off).
  Notation whose i x := (group (mach i) (fst x)).
  Variables (kd : nat -> Formulas.kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) kd lP lI lD lR.
  Hypothesis HS : forall b, b < count X -> kE (kd b) + kL (kd b) <= kS (kd b)
    \/ forall N, alone drawn_run b ->
         cycles N (fun t => counted drawn_run t && stays drawn_run b t) <= kS (kd b).

  (** *** Without V the SMs keep the ledger of kernel/Ledger.v. *)
  Theorem outside_ledger : ledger drawn_run M R delta kd.
  Proof. apply (code_ledger M R delta _ _ _ _ (outside_run Outside) kd lP lI lD lR); assumption.
  Qed.
End Sms.
