(** * K-SM, K-AREA and K-BAL of the machine (docs/proofs.md, theorems 5, 6 and 7)

    [G] is the grid, [X] an execution that keeps the rules R1 to R7 and G1 to G4; [kd b] is what
    thread block [b] amounts to: E, lam, an alpha and a solo that are proven of it (Stay.v). *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Ledger Tail OneSm Dynamic
  Area Balance Apart Grid Stay GridLedger.

Section Kernel.
  Variables (G : grid) (X : execution) (kd : nat -> kind) (L : nat -> key -> nat).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HA : amounts_of G X kd L.

  Notation kinds := (map kd (seq 0 (blocks G))).
  Notation disp_time := (service G * blocks G).
  Let Lg := grid_ledger G X kd L Mok V HL HA.

  (** The thread blocks of SM [i]. *)
  Definition of_sm (i : nat) : list nat := filter (fun b => sm_of X b =? i) (seq 0 (blocks G)).

  (** What the program takes for SM [i] under static dispatch. *)
  Definition k_sm_of (i : nat) : nat :=
    let n := length (of_sm i) in
    h (slots G) (latency G) n (map kd (of_sm i))
    + (if (n <=? slots G) && (0 <? service G) && (1 <? n) then latency G else 0).

  (** Without service, and no more thread blocks than slots, every one gets a slot that is new. *)
  Lemma all_new i : service G = 0 -> length (of_sm i) <= slots G ->
    late (run_of G X) (latency G) i = 0.
  Proof.
    intros S0 Hn. unfold late. rewrite (proj2 (forallb_forall _ _)); [reflexivity|].
    intros b Hb. change (In b (of_sm i)) in Hb. pose proof Hb as Hb'.
    apply filter_In in Hb' as [Hb1 Hi]. apply in_seq in Hb1. apply Nat.eqb_eq in Hi.
    apply (first_new G X b). intros c Hc.
    assert (taken X b = 0) as T0.
    { destruct (Nat.eq_dec (taken X b) 0) as [|N]; [assumption|exfalso].
      destruct (pigeonhole (slot_of X) (slots G) (filter (fun c => negb (c =? b)) (of_sm i)))
        as [q [Hq Lq]].
      - pose proof (g_place _ _ V b ltac:(lia)). lia.
      - intros d Hd. apply filter_In in Hd as [Hd _]. apply filter_In in Hd as [Hd _].
        apply in_seq in Hd. apply (g_place _ _ V d ltac:(lia)).
      - rewrite (length_without b) in Lq; [|apply NoDup_filter, seq_NoDup|exact Hb].
        assert (1 <= length (of_sm i)) by (destruct (of_sm i); [easy|cbn; lia]).
        rewrite Nat.div_small in Lq by lia.
        assert (at_work G X 0 = false) as W0.
        { apply not_true_iff_false. intros P. apply existsb_exists in P as [d [Hd P]].
          apply in_seq in Hd. pose proof (g_service _ _ V d ltac:(lia)).
          apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1. apply Nat.ltb_lt in P2. lia. }
        destruct (g_waits _ _ V b 0 q ltac:(lia) W0 ltac:(lia) Hq) as [d [D1 [D2 [D3 [D4 D5]]]]].
        assert (In d (filter (fun x => slot_of X x =? q)
          (filter (fun x => negb (x =? b)) (of_sm i)))) as Z.
        { apply filter_In. split; [|apply Nat.eqb_eq, D3]. apply filter_In.
          split; [apply filter_In; split; [apply in_seq; lia|apply Nat.eqb_eq; congruence]|].
          apply negb_true_iff, Nat.eqb_neq. intros ->. lia. }
        destruct (filter _ (filter _ _)); [easy|cbn in Lq; lia]. }
    pose proof (g_new _ _ V S0 b c ltac:(lia) Hc T0) as New.
    assert (slots G <= length (of_sm i) - 1);
      [|enough (1 <= length (of_sm i)) by lia; destruct (of_sm i); [easy|cbn; lia]].
    rewrite <- (length_without b (of_sm i)); [|apply NoDup_filter, seq_NoDup|exact Hb].
    rewrite <- (seq_length (slots G) 0), <- (map_length (slot_of X) (filter _ _)).
    apply NoDup_incl_length; [apply seq_NoDup|]. intros q Hq. apply in_seq in Hq.
    destruct (New q ltac:(lia)) as [d [D1 [D2 [D3 D4]]]]. apply in_map_iff. exists d.
    split; [exact D4|]. apply filter_In.
    split; [apply filter_In; split; [apply in_seq; lia|apply Nat.eqb_eq; congruence]|].
    apply negb_true_iff, Nat.eqb_neq, D2.
  Qed.

  (** A slot is used twice only where the dispatcher's service delays some thread block. *)
  Lemma late_few i : length (of_sm i) <= slots G ->
    late (run_of G X) (latency G) i <= if (0 <? service G)
      && (1 <? length (of_sm i)) then latency G else 0.
  Proof.
    intros Ln. destruct (Nat.ltb_spec 0 (service G)) as [S0|S0]; [|rewrite all_new by lia; lia].
    cbn [andb]. unfold late. destruct (forallb _ _) eqn:F; [destruct (_ <? _); lia|].
    destruct (Nat.ltb_spec 1 (length (of_sm i))) as [|L1]; [lia|exfalso].
    apply not_true_iff_false in F. apply F, forallb_forall. intros c Hc.
    change (In c (of_sm i)) in Hc. apply (first_new G X c). intros d [D1 [D2 [D3 D4]]].
    enough (d = c) by (subst; lia). apply (in_short (of_sm i)); [|exact Hc|exact L1].
    apply filter_In in Hc as [_ Hc]. apply filter_In. split; [apply in_seq; lia|]. apply Nat.eqb_eq.
    apply Nat.eqb_eq in Hc. congruence.
  Qed.

  (** *** Theorem 5 (K-SM), static dispatch: each SM by its own thread blocks *)
  Theorem k_sm_static_bound b : b < blocks G -> ended X b <= k_sm_of (sm_of X b) + disp_time.
  Proof.
    intros Hb. apply (in_real_time G X V). etransitivity; [apply (k_sm_static _ _ _ _ _ Lg b Hb)|].
    unfold static_time, k_sm_of.
    change (on_sm (run_of G X) (sm (run_of G X) b)) with (of_sm (sm_of X b)).
    change (sm (run_of G X) b) with (sm_of X b). apply Nat.add_le_mono_l.
    destruct (Nat.leb_spec (length (of_sm (sm_of X b))) (slots G)) as [Ln|Ln];
      [apply late_few, Ln|apply le_n].
  Qed.

  Hypothesis Dyn : goes_anywhere G X.

  Lemma one_sm_at_least b : b < blocks G -> 1 <= sms G.
  Proof. intros Hb. pose proof (g_place _ _ V b Hb). lia. Qed.

  Lemma wave_fits M R B : 1 <= M -> B <= M * R -> (B + M - 1) / M <= R.
  Proof. intros HM H. apply Nat.lt_succ_r, Nat.div_lt_upper_bound; [lia|]. nia. Qed.

  Lemma length_kinds : length kinds = blocks G.
  Proof. rewrite map_length. apply seq_length. Qed.

  (** *** Theorem 5 (K-SM), dynamic dispatch *)
  Theorem k_sm_bound b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_sm (sms G) (slots G) (latency G) kinds + disp_time.
  Proof.
    intros HD Hb. apply (in_real_time G X V). unfold k_sm. rewrite length_kinds.
    destruct (Nat.leb_spec (blocks G) (sms G * slots G)) as [W|W].
    - destruct (HD W) as [New Few]. pose proof (one_sm_at_least b Hb) as S1.
      apply (k_sm_one_wave _ _ _ _ _ Lg ((blocks G + sms G - 1) / sms G)); auto using wave_fits.
      intros c Hc. apply (first_new G X c). intros d. apply New, Hc.
    - apply (k_sm_dynamic _ _ _ _ _ Lg (grid_dynamic G X Dyn) W b Hb).
  Qed.

  (** *** Theorem 6 (K-AREA) *)
  Theorem k_area_grid b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_area (sms G) (slots G) (latency G) kinds + disp_time.
  Proof.
    intros HD Hb. destruct (le_lt_dec (blocks G) (sms G * slots G)) as [W|W].
    - unfold k_area. rewrite length_kinds, (proj2 (Nat.leb_le _ _) W). apply k_sm_bound; assumption.
    - apply (in_real_time G X V), (k_area_bound _ _ _ _ _ Lg (grid_dynamic G X Dyn) W b Hb).
  Qed.

  (** *** Theorem 7 (K-BAL) *)
  Theorem k_bal_grid b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_bal (sms G) (slots G) (latency G) kinds + disp_time.
  Proof.
    intros HD Hb. destruct (le_lt_dec (blocks G) (sms G * slots G)) as [W|W].
    - unfold k_bal. rewrite length_kinds, (proj2 (Nat.leb_le _ _) W). apply k_sm_bound; assumption.
    - apply (in_real_time G X V), (k_bal_bound _ _ _ _ _ Lg (grid_dynamic G X Dyn) W b Hb).
  Qed.
End Kernel.
