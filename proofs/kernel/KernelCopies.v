(** * Kernels of copies: alpha and solo of thread blocks as they are written (docs/proofs.md,
    section 12)

    Each thread block of the grid is a copy, on some slot of some SM, of one as it is written.  E,
    lam, SIB beside others, and whatever bounds the one as it is written alone, are amounts of
    it. *)

From Warpbound Require Import Base Cycles Model Elb Largest Formulas Isolation Bounds Ledger Grid
  Stay GridLedger Kernel Copies SoloCopies StayCopies.

(** A copy is a part of what it is a copy of. *)
Lemma renamed_part t mt m p b wr un co : renamed t mt m p b wr un co ->
  part_of t (release mt) m p b (there wr).
Proof.
  intros R. constructor.
  - apply (of_there t mt m p b wr un co R).
  - apply (there_distinct t mt m p b wr un co R).
  - intros x Hx. destruct (same_of t mt m p b wr un co R x Hx) as [Ei [El _]]. cbv zeta in *. lia.
  - intros w k _. unfold there. cbn. lia.
  - intros w k q Hk Hq. split; [reflexivity|].
    apply reaches_op; [apply (n_in _ _ _ _ _ _ _ _ R w k Hk)|].
    destruct (n_same _ _ _ _ _ _ _ _ R w k Hk) as [_ [_ [So _]]]. unfold there. cbn [fst snd].
    rewrite <- So. exact Hq.
  - intros x y Hx Hy L. destruct (same_of t mt m p b wr un co R x Hx) as [_ [_ [_ [Sx _]]]],
      (same_of t mt m p b wr un co R y Hy) as [_ [_ [_ [Sy _]]]]. cbv zeta in *.
    rewrite <- Sx, <- Sy. split; [exact L|apply (n_rel _ _ _ _ _ _ _ _ R)].
Qed.

(** Each thread block is a part of some block: E and lam of that are bounds of its own. *)
Section Parts.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Variables (t : nat -> block) (rel : nat -> nat -> nat) (src : nat -> key -> key)
    (P : nat -> key -> nat).
  Hypothesis Part : forall b, b < blocks G ->
    part_of (t b) (rel b) (mach G (sm_of X b)) (prog G (sm_of X b)) b (src b).
  Hypothesis Pots : forall b, b < blocks G -> lam_cert (by_itself (rel b)) (t b) (P b).
  (** The latency paths of the parts, on each SM. *)
  Definition placed (i : nat) (x : key) : nat := P (whose G i x) (src (whose G i x) x).

  Lemma placed_cert i : i < sms G -> lam_cert (mach G i) (prog G i) (placed i).
  Proof.
    intros Hi w k Hk. set (b := whose G i (w, k)).
    pose proof (g_whose _ _ V i (w, k) Hi Hk) as [W1 W2]. fold b in W1, W2.
    assert (of (mach G i) (prog G i) b (w, k)) as Hof by (split; [exact Hk|reflexivity]).
    pose proof (Part b W1) as Pa. rewrite W2 in Pa.
    destruct (part_cert (t b) (rel b) (P b) (Pots b W1) _ _ b _ Pa w k Hof) as [H1 [H2 H3]].
    split; [exact H1|split].
    - intros q Hq. apply (H2 q Hq). split; [|reflexivity]. apply (keys_before _ _ _ q Hk).
      pose proof (proj1 (proj2 (proj2 (Mok i Hi) w k Hk)) q Hq). lia.
    - intros y Hy Gy Hs. unfold placed. assert (whose G i y = b) as -> by exact Gy.
      apply H3; [split; [exact Hy|exact Gy]|exact Hs].
  Qed.

  Lemma placed_amounts b : b < blocks G -> let i := sm_of X b in let e := E (t b) in let l :=
    top (t b) (P b) in
    amounts (mach G i) (prog G i) b (Kind e l (e + l) (e + l)) (placed i).
  Proof.
    intros Hb i e l. pose proof (proj1 (g_place _ _ V b Hb)) as Hi. fold i in Hi.
    destruct (Mok i Hi) as [M W]. pose proof (Part b Hb) as Pa. fold i in Pa.
    pose proof (part_work _ _ _ _ _ _ Pa) as HE. pose proof (placed_cert i Hi) as HL.
    assert (forall x, of (mach G i) (prog G i) b x -> placed i x + lat (get (prog G i) x) <= l)
      as Hl.
    { intros x Hx. unfold placed. assert (whose G i x = b) as -> by apply Hx.
      apply (part_lam _ (rel b) _ _ _ _ _ Pa x Hx). }
    constructor; cbn [kE kL kA kS]; [exact HE|exact Hl| |].
    - apply (stay_elb _ _ b (placed i) _ _ M W HL HE Hl).
    - apply (solo_elb _ _ b (placed i) _ _ M W HL HE Hl).
  Qed.
End Parts.

Section Kernel.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.

  (** Thread block [b] as it is written, the machine of that, and what its warps, units and
      sub-cores are there. *)
  Variables (t : nat -> block) (mt : nat -> machine) (wr un co : nat -> nat -> nat).
  Notation m b := (mach G (sm_of X b)).
  Notation p b := (prog G (sm_of X b)).
  Hypothesis R : forall b, b < blocks G -> renamed (t b) (mt b) (m b) (p b) b (wr b) (un b) (co b).

  Variable P : nat -> key -> nat.
  Hypothesis Pots : forall b, b < blocks G -> lam_cert (by_itself (release (mt b))) (t b) (P b).

  (** What is known of it: E + lam, SIB with units that sub-cores share; and what bounds it
      alone. *)
  Definition known_stay (b a : nat) : Prop :=
    E (t b) + top (t b) (P b) <= a
    \/ ((depth (m b) = Some 0 \/ depth (m b) = None) /\ exists shared iI iD,
      iso_edges (t b) (mt b) iI iD
        /\ shares_of (t b) (m b) (p b) b (wr b) shared /\
             block_bound (t b) (mt b) (shared_charge (t b) (mt b) shared) iD 0 <= a).
  Definition known_solo (b a : nat) : Prop :=
    E (t b) + top (t b) (P b) <= a
    \/ forall s x, valid (mt b) (t b) s -> (forall g, begin s g = 0) -> In x (keys (t b)) ->
    C s x <= a.

  Variable kd : nat -> kind.
  Hypothesis Known : forall b, b < blocks G ->
    E (t b) <= kE (kd b) /\ top (t b) (P b) <= kL (kd b) /\ known_stay b (kA (kd b)) /\
    known_solo b (kS (kd b)).

  (** The latency paths as they are written, on each SM. *)
  Definition written (i : nat) (x : key) : nat := P (whose G i x) (there (wr (whose G i x)) x).

  Let Part := fun b Hb => renamed_part _ _ _ _ _ _ _ _ (R b Hb).

  Lemma written_cert i : i < sms G -> lam_cert (mach G i) (prog G i) (written i).
  Proof. apply (placed_cert G X Mok V t (fun b => release (mt b)) _ P Part Pots). Qed.

  (** *** They are amounts of its copies. *)
  Theorem copies_amounts : amounts_of G X kd written.
  Proof.
    intros b Hb. set (i := sm_of X b). pose proof (proj1 (g_place _ _ V b Hb)) as Hi. fold i in Hi.
    destruct (Mok i Hi) as [M W]. pose proof (R b Hb) as Rb. fold i in Rb.
    destruct (Known b Hb) as [KE [KL [KA KS]]].
    destruct (placed_amounts G X Mok V t (fun b => release (mt b)) _ P Part Pots b Hb)
      as [A1 A2 A3 A4]. fold i in A1, A2, A3, A4. cbn [kE kL kA kS] in *. constructor.
    - lia.
    - intros x Hx. specialize (A2 x Hx). unfold written. unfold placed in A2. lia.
    - destruct KA as [KA|[Hd [shared [iI [iD [HI [Sh KA]]]]]]]; intros s t0 e x Vs Ht He Hx.
      + specialize (A3 s t0 e x Vs Ht He Hx). lia.
      + pose proof (stay_copy _ _ _ _ b _ _ _ shared iI iD Rb M W HI Hd Sh s t0 e x Vs Ht He Hx).
        lia.
    - destruct KS as [KS|KS]; [|apply (solo_copy _ _ _ _ b _ _ _ _ Rb W KS)]. intros s x Vs Hx.
      specialize (A4 s x Vs Hx). lia.
  Qed.

  (** *** Theorems 5, 6 and 7 *)
  Theorem kernel_of_copies b : goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
    b < blocks G ->
    let kinds := map kd (seq 0 (blocks G)) in
    let time := fun f => f (sms G) (slots G) (latency G) kinds + service G * blocks G in
    ended X b <= time k_sm /\ ended X b <= time k_area /\ ended X b <= time k_bal.
  Proof.
    intros Dyn Deal Hb kinds time. split; [|split].
    - apply (k_sm_bound G X _ _ Mok V written_cert copies_amounts Dyn b Deal Hb).
    - apply (k_area_grid G X _ _ Mok V written_cert copies_amounts Dyn b Deal Hb).
    - apply (k_bal_grid G X _ _ Mok V written_cert copies_amounts Dyn b Deal Hb).
  Qed.
End Kernel.
