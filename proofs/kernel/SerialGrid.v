(** * K-SERIAL of the machine (docs/sub-core-bounds.md, theorem 5)

    [G] is the grid, [X] an execution that keeps the rules R1 to R7 and G1 to G4. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Paths Ledger Tail OneSm
  Dynamic Area Grid Stay GridLedger Kernel Serial SerialPotential SerialLedger SerialPaths.

(** What is needed of an SM: where its units are and its warps go, and numbers that are no less than
    its chains. *)
Record serial_sm (m : machine) (p : block) (home : nat -> option nat) (cs : list nat)
  (L : key -> nat) : Prop := {
  ss_home : home_ok m p home;
  ss_cores : forall x, In x (keys p) -> In (core m (fst x)) cs;
  ss_cert : section_cert m p L }.

(** [V] is no less than the serial time of thread block [b]. *)
Definition serial_amount (m : machine) (p : block) (home : nat -> option nat) (cs : list nat)
    (L : key -> nat) (b last : nat) (Q : nat -> nat -> nat) (V : nat) : Prop :=
  section_chains m p L b last Q /\ serial_time m p home cs Q last b <= V.

(** E and lam of every thread block, which there always are. *)
Definition plain (G : grid) (X : execution) (b : nat) : kind :=
  let i := sm_of X b in
  let e := sum (fun x => if group (mach G i) (fst x) =? b then init (get (prog G i) x) else 0)
    (keys (prog G i)) in
  let c := list_max (map (fun x => if group (mach G i) (fst x) =?
    b then lamI (prog G i) (mach G i) x + lat (get (prog G i) x) else 0) (keys (prog G i))) in
  Kind e c (e + c) (e + c).

Section SerialGrid.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis Ok : grid_valid G X.

  (** The latency paths of SM [i]. *)
  Definition paths (i : nat) : key -> nat := lamI (prog G i) (mach G i).

  Lemma paths_cert i : i < sms G -> lam_cert (mach G i) (prog G i) (paths i).
  Proof. intros Hi. apply lamI_cert, (Mok i Hi). Qed.

  Lemma plain_amounts : amounts_of G X (plain G X) paths.
  Proof.
    intros b Hb. pose proof (proj1 (g_place _ _ Ok b Hb)) as Hi. set (i := sm_of X b) in *.
    destruct (Mok i Hi) as [M W]. set (k := plain G X b).
    assert (forall x, of (mach G i) (prog G i) b x -> paths i x + lat (get (prog G i) x) <= kL k)
      as HL.
    { intros x [Hx Hg]. cbn [kL k plain]. fold i.
      set (f := fun x => if group (mach G i) (fst x) =? b then lamI (prog G i) (mach G i) x
        + lat (get (prog G i) x) else 0). pose proof (list_max_in_ge f (keys (prog G i)) x Hx) as A.
      unfold f at 1 in A. rewrite Hg, Nat.eqb_refl in A. exact A. }
    constructor; [apply le_n|exact HL| |].
    - apply (stay_elb _ _ _ (paths i)); auto using paths_cert.
    - apply (solo_elb _ _ _ (paths i)); auto using paths_cert.
  Qed.

  Lemma plain_ledger : ledger (run_of G X) (sms G) (slots G) (latency G) (plain G X).
  Proof. exact (grid_ledger G X (plain G X) paths Mok Ok paths_cert plain_amounts). Qed.

  Variables (home : nat -> nat -> option nat) (cs : nat -> list nat) (L : nat -> key -> nat).
  Variables (last : nat -> nat) (Q : nat -> nat -> nat -> nat) (V : nat -> nat).
  Hypothesis Sm : forall i, i < sms G -> serial_sm (mach G i) (prog G i) (home i) (cs i) (L i).
  Hypothesis Am : forall b, b < blocks G ->
    let i := sm_of X b in serial_amount (mach G i) (prog G i) (home i) (cs i) (L i) b (last b)
      (Q b) (V b).

  Notation Vs := (map V (seq 0 (blocks G))).
  Notation disp_time := (service G * blocks G).

  (** The SM's cycles with a thread block on it, by (ii). *)
  Lemma grid_serial : serial (run_of G X) V.
  Proof.
    intros N t0 i. set (here := Ledger.on_sm (run_of G X) i).
    set (gs := filter (fun b => t0 <? ended X b) here).
    assert (forall b, In b here -> b < blocks G /\ sm_of X b = i) as Hh
      by (intros b; apply (in_on_sm (run_of G X) i b)). destruct (le_lt_dec (sms G) i) as [Hi|Hi].
    { rewrite cycles_none; [lia|]. intros t _. apply andb_false_intro2, not_true_is_false. intros P.
      apply existsb_exists in P as [b [Hb _]]. destruct (Hh b Hb) as [H1 H2].
      pose proof (g_place _ _ Ok b H1). lia. }
    destruct (Mok i Hi) as [M W]. destruct (Sm i Hi) as [S1 S2 S3].
    pose proof (g_machine _ _ Ok i Hi) as Vi. rewrite <- (sum_filter V (fun b => t0 <? ended X b)).
    fold here gs. etransitivity; [|etransitivity;
      [apply (serial_cycles (mach G i) (prog G i) (home i) (sched X i) (L i) last Q (cs i) M W Vi S1
      S3) with (gs := gs) (T := t0) (N := N)|]].
    - rewrite cycles_cnt. apply cnt_le. intros t _ P. apply andb_prop in P as [P1 P2].
      unfold Serial.since. rewrite P1. cbn [andb]. apply existsb_exists in P2 as [b [Hb P]].
      destruct (Hh b Hb) as [B1 B2]. unfold stays in P. cbn [start fin run_of] in P.
      apply andb_prop in P as [P2 P3]. apply Nat.leb_le in P2. apply Nat.ltb_lt in P3.
      destruct (g_end _ _ Ok b B1) as [_ [E|[x [Hx [Hg E]]]]]; [lia|]. rewrite B2 in *.
      apply existsb_exists. exists x. split; [exact Hx|]. apply on_sm_iff. unfold whose in Hg.
      rewrite Hg. unfold started in P2. rewrite B2 in P2. lia.
    - intros g w k Hk Hg. destruct (g_whose _ _ Ok i (w, k) Hi Hk) as [W1 W2].
      unfold whose in W1, W2. cbn [fst] in W1, W2. rewrite Hg in W1, W2.
      destruct (Am g W1) as [C _]. rewrite W2 in C. apply (C w k Hk Hg).
    - exact S2.
    - intros x Hx Ht. destruct (g_whose _ _ Ok i x Hi Hx) as [W1 W2].
      pose proof (g_complete _ _ Ok i x Hi Hx) as C0. unfold whose in *. apply filter_In.
      split; [apply (in_on_sm (run_of G X) i); auto|apply Nat.ltb_lt; lia].
    - apply sum_le. intros b Hb. apply filter_In in Hb as [Hb _]. destruct (Hh b Hb) as [B1 B2].
      destruct (Am b B1) as [_ A]. rewrite B2 in A. exact A.
  Qed.

  (** *** Theorem 5 (K-SERIAL), one SM: with static dispatch each by its own thread blocks *)
  Definition k_serial_of (i : nat) : nat :=
    let n := length (of_sm G X i) in
    sum V (of_sm G X i)
    + if n <=? slots G then if (0 <? service G) && (1 <? n) then latency G else 0 else (n - slots G)
      * latency G.

  (** K-SERIAL bounds a grid with static dispatch. *)
  Theorem k_serial_static_bound b : b < blocks G ->
    ended X b <= k_serial_of (sm_of X b) + disp_time.
  Proof.
    intros Hb. apply (in_real_time G X Ok). pose proof plain_ledger as Lg.
    apply (by_last (run_of G X) k_serial_of); [|exact Hb]. intros i c Hc _.
    etransitivity; [apply (k_serial_sm _ _ _ _ _ V Lg grid_serial i c Hc)|]. unfold k_serial_of.
    change (Ledger.on_sm (run_of G X) i) with (of_sm G X i). apply Nat.add_le_mono_l.
    destruct (Nat.leb_spec (length (of_sm G X i)) (slots G)) as [Ln|Ln]; [|apply le_n].
    apply (late_few G X Ok), Ln.
  Qed.

  Hypothesis Dyn : goes_anywhere G X.

  (** [y] bounds what follows the last dispatch but for a dispatch latency. *)
  Theorem k_serial_by_tails y b : (blocks G <= sms G * slots G -> dealt G X) ->
    (sms G * slots G < blocks G -> tails (run_of G X) (latency G) y) -> b < blocks G ->
    ended X b <= k_serial (sms G) (slots G) (latency G) y Vs + disp_time.
  Proof.
    intros HD HT Hb. apply (in_real_time G X Ok). pose proof plain_ledger as Lg.
    destruct (le_lt_dec (blocks G) (sms G * slots G)) as [Wv|Wv].
    - destruct (HD Wv) as [New Few]. unfold k_serial.
      rewrite map_length, seq_length, (proj2 (Nat.leb_le _ _) Wv). pose proof (g_place _ _ Ok b Hb).
      apply (k_serial_one_wave _ _ _ _ _ V Lg grid_serial ((blocks G + sms G - 1) / sms G)); auto.
      + intros c Hc. apply (first_new G X c). intros d. apply New, Hc.
      + apply wave_fits; [lia|exact Wv].
    - apply (k_serial_dynamic _ _ _ _ _ V Lg grid_serial (grid_dynamic G X Dyn) Wv y b (HT Wv) Hb).
  Qed.

  (** *** Theorem 5 (K-SERIAL), dynamic dispatch: y is the least of S_R and V^R *)
  Variables (kd : nat -> kind) (P : nat -> key -> nat).
  Hypothesis HP : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (P i).
  Hypothesis HA : amounts_of G X kd P.

  (** K-SERIAL bounds a grid, with the tail of lemma 4 or of V. *)
  Theorem k_serial_bound b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_serial (sms G) (slots G) (latency G)
                   (min (together (slots G) (map kd (seq 0 (blocks G)))) (largest (slots G) Vs)) Vs
                     + disp_time.
  Proof.
    intros HD Hb. apply k_serial_by_tails; [exact HD| |exact Hb]. intros Wv.
    pose proof plain_ledger as Lg. pose proof (grid_ledger G X kd P Mok Ok HP HA) as Lk.
    apply (tail_least _ _ _ _ _ V Lg grid_serial Wv) with (1 := eq_refl). intros z c Hz Lz Hc.
    exact (behind_together _ _ _ _ _ Lk z c Lz Hc).
  Qed.
End SerialGrid.

(** *** Theorem 5 with V(b) as a function, or more than that, and y from it *)
Theorem k_serial_computed G X home cs V b :
  (forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i)) -> grid_valid G X ->
  goes_anywhere G X ->
  (blocks G <= sms G * slots G -> dealt G X) ->
  (forall i, i < sms G -> home_ok (mach G i) (prog G i) (home i)
     /\ forall x, In x (keys (prog G i)) -> In (core (mach G i) (fst x)) (cs i)) ->
  (forall c, c < blocks G -> let i := sm_of X c in SERIAL (mach G i) (prog G i) (home i) (cs i) c
    <= V c) ->
  b < blocks G ->
  let l := map V (seq 0 (blocks G)) in
  ended X b <= k_serial (sms G) (slots G) (latency G) (largest (slots G) l) l + service G
    * blocks G.
Proof.
  intros Mok Ok Dyn HD Home HV Hb.
  set (L := fun i => chain_to (mach G i) (prog G i)).
  assert (forall i, i < sms G -> serial_sm (mach G i) (prog G i) (home i) (cs i) (L i)) as Sm.
  { intros i Hi. destruct (Home i Hi) as [H1 H2].
    constructor; [exact H1|exact H2|apply chain_cert, (Mok i Hi)]. }
  set (last := fun c => last_section (mach G (sm_of X c)) (prog G (sm_of X c)) c).
  set (Q := fun c => chain_of (mach G (sm_of X c)) (prog G (sm_of X c)) c).
  assert (forall c, c < blocks G -> let i := sm_of X c in
    serial_amount (mach G i) (prog G i) (home i) (cs i) (L i) c (last c) (Q c) (V c)) as Am.
  { intros c Hc. split; [apply chain_chains|apply HV, Hc]. }
  apply (k_serial_by_tails G X Mok Ok home cs L last Q V Sm Am Dyn _ b HD); [|exact Hb].
  intros Wv z c Hz Lz Hc. etransitivity; [apply (tail_serial _ _ _ _ _ V (plain_ledger G X Mok Ok)
    (grid_serial G X Mok Ok home cs L last Q V Sm Am) Wv z c Lz Hc)|apply le_n].
Qed.
