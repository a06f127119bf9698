(** * K-OLDEST of the machine: docs/policy-bounds.md, propositions 3 and 4

    [G] is the grid, [X] an execution that keeps the rules R1 to R7 and G1 to G4, and on every SM
    the policy: the thread block that was dispatched first issues first. *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Model Elb ChainWork
  ChainSlot ChainBlock Ledger Tail OneSm Dynamic Area Grid Stay GridLedger Kernel Serial
  SerialLedger SerialGrid Oldest OldestStay Turns.

(** What is known of thread block [g] for its chain; [L] are chains with the waits for younger
    ones. *)
Record stay_amounts (m : machine) (p : block) (home : nat -> option nat) (cores : nat)
  (L h : key -> nat) (g : nat) (k : chain_kind) : Prop := {
  sa_work : sum (fun x => if group m (fst x) =? g then init (get p x) else 0) (keys p) <= cE k;
  sa_lam : forall x, of m p g x -> L x + lat (get p x) <= cL k;
  sa_turns : forall x, of m p g x -> h x + 1 <= cH k;
  sa_less : cW k <= cE k;
  sa_others : forall n, fine_work m p home cores g
    + largest n (extras p home cores (fun y => group m (fst y)) (fun y => sec (get p y))
      (sections p) g) <= cW k + largest n (cX k) }.

(** The stay of a thread block that has no more than [n] - 1 elders on its SM: chain kinds with
    Lambda' for lam, and V'. *)
Definition stay_by_chain (n : nat) (l : list chain_kind) : nat :=
  busy_with ((n - 1) * (turns l - 1)) (n - 1) n l + list_max (map cL l).
Definition oldest_stay (n : nat) (l : list chain_kind) (Vs : list nat) : nat :=
  min (stay_by_chain n l) (largest n Vs).

Section OldestGrid.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis Ok : grid_valid G X.
  Hypothesis Depth : forall i, i < sms G -> depth (mach G i) = Some 0.
  Hypothesis First : forall i, i < sms G -> oldest_first (mach G i) (prog G i) (sched X i)
    (place X).
  Variables (hold : nat -> nat -> nat) (home : nat -> nat -> option nat).
  Hypothesis Hold : forall i x, i < sms G -> In x (keys (prog G i)) ->
    init (get (prog G i) x) <= S (hold i (fu (get (prog G i) x))).
  Hypothesis Home : forall i x, i < sms G -> In x (keys (prog G i)) ->
    1 <= init (get (prog G i) x) ->
    home i (fu (get (prog G i) x)) = Some (core (mach G i) (fst x)).
  Notation r := (run_of G X).
  Notation here i := (Ledger.on_sm r i).

  (** Those that are on the SM, or on their way there, from the start of [b] on, and not younger. *)
  Definition seniors (b : nat) : list nat :=
    filter (fun g => (place X g <=? place X b) && (started X b <? ended X g)) (here (sm_of X b)).

  Lemma seniors_iff b g : In g (seniors b) <-> g < blocks G /\ sm_of X g = sm_of X b /\
    place X g <= place X b /\ started X b < ended X g.
  Proof.
    unfold seniors. rewrite filter_In, andb_true_iff, Nat.leb_le, Nat.ltb_lt.
    pose proof (in_on_sm r (sm_of X b) g) as H. cbn [count sm run_of] in H. tauto.
  Qed.

  Lemma nodup_seniors b : NoDup (seniors b).
  Proof. apply NoDup_filter, nodup_on_sm. Qed.

  Lemma seniors_rooms b : b < blocks G -> length (seniors b) <= slots G.
  Proof.
    intros Hb. apply (distinct_slots (slot_of X)); [apply nodup_seniors| |].
    - intros g Hg. apply seniors_iff in Hg. apply (g_place _ _ Ok g). tauto.
    - assert (forall g d, In g (seniors b) -> In d (seniors b) -> slot_of X g = slot_of X d ->
        place X g < place X d -> False) as A.
      { intros g d Hg Hd E O. apply seniors_iff in Hg as [G1 [G2 [G3 G4]]], Hd as [D1 [D2 [D3 D4]]].
        pose proof (g_slot _ _ Ok d g D1 ltac:(repeat split; auto; congruence)) as Sl.
        assert (taken X d <= taken X b) as Tk.
        { destruct (Nat.eq_dec (place X d) (place X b)) as [Eq|N];
            [rewrite (g_order _ _ Ok d b D1 Hb Eq); apply le_n|]. apply (g_takes _ _ Ok); auto.
          lia. }
        pose proof (proj1 (g_start _ _ Ok b Hb)). lia. }
      intros g d Hg Hd E. destruct (Nat.lt_trichotomy (place X g) (place X d)) as [O|[O|O]].
      + destruct (A g d Hg Hd E O).
      + apply seniors_iff in Hg, Hd. apply (g_order _ _ Ok g d); tauto.
      + destruct (A d g Hd Hg (eq_sym E) O).
  Qed.

  Lemma seniors_few b n : b < blocks G -> slots G <= n \/ length (here (sm_of X b)) <= n ->
    length (seniors b) <= n.
  Proof.
    intros Hb [H|H]; [pose proof (seniors_rooms b Hb); lia|].
    etransitivity; [apply filter_shorter|exact H].
  Qed.

  Section Block.
    Variables (b n : nat).
    Hypothesis Hb : b < blocks G.
    Hypothesis Few : slots G <= n \/ length (here (sm_of X b)) <= n.
    Notation i := (sm_of X b).

    Lemma sm_here : i < sms G.
    Proof. apply (g_place _ _ Ok b Hb). Qed.

    Lemma there y : In y (keys (prog G i)) -> place X (group (mach G i) (fst y)) <= place X b ->
      begin (sched X i) b < C (sched X i) y -> In (group (mach G i) (fst y)) (seniors b).
    Proof.
      intros Hy O Ht. destruct (g_whose _ _ Ok i y sm_here Hy) as [W1 W2].
      pose proof (g_complete _ _ Ok i y sm_here Hy) as Cy. unfold whose in *. apply seniors_iff.
      unfold started. repeat split; auto. lia.
    Qed.

    Lemma until_end e : (forall x, In x (keys (prog G i)) -> group (mach G i) (fst x) = b ->
      C (sched X i) x <= started X b + e) ->
      ended X b <= started X b + e.
    Proof.
      intros H. destruct (g_end _ _ Ok b Hb) as [_ [E|[x [Hx [Hg E]]]]]; [lia|]. rewrite E.
      apply (H x Hx Hg).
    Qed.

    (** *** Proposition 3, by V' *)
    Theorem stay_held L last Q cs V : held_section_cert (mach G i) (prog G i) (hold i) L ->
      (forall c, c < blocks G -> sm_of X c = i ->
        section_chains (mach G i) (prog G i) L c (last c) (Q c)
         /\ serial_time (mach G i) (prog G i) (home i) cs (Q c) (last c) c <= V c) ->
      (forall x, In x (keys (prog G i)) -> In (core (mach G i) (fst x)) cs) ->
      ended X b <= started X b + largest n (map V (seq 0 (blocks G))).
    Proof.
      intros HL HV Hc. destruct (Mok i sm_here) as [M W]. apply until_end. intros x Hx Hg.
      etransitivity; [apply (stay_serial _ _ _ (place X) (hold i) (home i) b M W
        (g_machine _ _ Ok i sm_here) (Depth i sm_here) (First i sm_here) (fun y => Hold i y sm_here)
        (fun y => Home i y sm_here) L last Q cs (seniors b) x HL)|]; auto.
      - intros g w k Hk E. destruct (g_whose _ _ Ok i (w, k) sm_here Hk) as [W1 W2].
        unfold whose in *. cbn [fst] in *. rewrite E in W1, W2. apply (proj1 (HV g W1 W2) w k Hk E).
      - apply there.
      - intros g Hs. apply seniors_iff in Hs. tauto.
      - apply Nat.add_le_mono_l.
        etransitivity; [|apply (largest_ge V _ (seniors b) n (nodup_seniors b))].
        + apply sum_le. intros g Hs. apply seniors_iff in Hs as [S1 [S2 _]]. apply (HV g S1 S2).
        + intros g Hs. apply seniors_iff in Hs. apply in_seq. lia.
        + apply seniors_few; assumption.
    Qed.

    (** *** Proposition 3, by the chain *)
    Theorem stay_met L h cores ck : held_lam_cert (mach G i) (prog G i) (hold i) L ->
      turns_cert (mach G i) (prog G i) h ->
      (forall f c, home i f = Some c -> c < cores) ->
      (forall c, c < blocks G -> sm_of X c = i ->
        stay_amounts (mach G i) (prog G i) (home i) cores L h c (ck c)) ->
      ended X b <= started X b + stay_by_chain n (map ck (seq 0 (blocks G))).
    Proof.
      intros HL HT HC HA. destruct (Mok i sm_here) as [M W]. set (l := map ck (seq 0 (blocks G))).
      assert (In b (seq 0 (blocks G))) as Ib by (apply in_seq; lia).
      pose proof (HA b Hb eq_refl) as Ab.
      destruct (le_lt_dec (ended X b) (started X b)) as [Gone|Gone]; [lia|].
      assert (In b (seniors b)) as Sb by (apply seniors_iff; repeat split; auto). apply until_end.
      intros x Hx Hg. set (others := filter (fun c => negb (c =? b)) (seniors b)).
      etransitivity; [apply (stay_chain _ _ _ (place X) (hold i) (home i) b M W
        (g_machine _ _ Ok i sm_here) (Depth i sm_here) (First i sm_here) (fun y => Hold i y sm_here)
        (fun y => Home i y sm_here) L h cores (list_max (map cL l)) (turns l) HL HT)
        with (gs := others)|]; auto.
      - intros y Hy E. pose proof (sa_lam _ _ _ _ _ _ _ _ Ab y (conj Hy E)).
        pose proof (lam_ge ck (seq 0 (blocks G)) b Ib) as H0. fold l in H0. lia.
      - intros y Hy E. pose proof (sa_turns _ _ _ _ _ _ _ _ Ab y (conj Hy E)).
        pose proof (turns_ge ck (seq 0 (blocks G)) b Ib) as H0. fold l in H0. lia.
      - apply NoDup_filter, nodup_seniors.
      - intros g Hs. apply filter_In in Hs as [Hs _]. apply seniors_iff in Hs. tauto.
      - intros y Hy O N Ht. apply filter_In.
        split; [apply there; assumption|apply negb_true_iff, Nat.eqb_neq, N].
      - unfold stay_by_chain. pose proof (sa_others _ _ _ _ _ _ _ _ Ab 0) as W0.
        rewrite !largest_0 in W0.
        assert (forall c, In c ([b] ++ others) -> c < blocks G /\ sm_of X c = i) as Io.
        { intros c [<-|Hc]; [auto|]. apply filter_In in Hc as [Hc _]. apply seniors_iff in Hc.
          tauto. }
        assert (NoDup ([b] ++ others)) as Nd.
        { constructor; [|apply NoDup_filter, nodup_seniors]. intros Hc.
          apply filter_In in Hc as [_ Hc]. rewrite Nat.eqb_refl in Hc. discriminate. }
        pose proof (seniors_few b n Hb Few) as Ls.
        assert (1 <= length (seniors b)) as L1 by (destruct (seniors b); [easy|cbn; lia]).
        assert (length others <= n - 1) as Lo
          by (unfold others; rewrite (length_without b _ (nodup_seniors b) Sb); lia).
        pose proof (busy_ge ck (seq 0 (blocks G)) (seq_NoDup _ _) [b] others (fun _ => turns l - 1)
          ((n - 1) * (turns l - 1)) (n - 1) n Nd) as Q. rewrite sum_one in Q. unfold started.
        enough (fine_work (mach G i) (prog G i) (home i) cores b
          + sum (elder_charge (mach G i) (prog G i) (home i) cores (turns l)) others
              <= busy_with ((n - 1) * (turns l - 1)) (n - 1) n l) by lia.
        etransitivity; [|apply Q].
        + apply Nat.add_le_mono; [lia|]. apply sum_le. intros c Hc.
          destruct (Io c ltac:(right; exact Hc)) as [C1 C2]. pose proof (HA c C1 C2) as Ac.
          pose proof (sa_work _ _ _ _ _ _ _ _ Ac).
          pose proof (sa_others _ _ _ _ _ _ _ _ Ac (turns l - 1)). unfold elder_charge, charge. lia.
        + intros c Hc. apply in_seq. destruct (Io c Hc). lia.
        + intros c Hc. destruct (Io c Hc) as [C1 C2]. apply (sa_less _ _ _ _ _ _ _ _ (HA c C1 C2)).
        + rewrite sum_same. apply Nat.mul_le_mono_r, Lo.
        + exact Lo.
        + cbn [app length]. lia.
    Qed.
  End Block.

  (** ** Proposition 4 *)
  Variables (L L' : nat -> key -> nat) (h : nat -> key -> nat) (cores : nat) (cs : nat -> list nat)
    (last : nat -> nat) (Q : nat -> nat -> nat -> nat) (V : nat -> nat) (ck : nat -> chain_kind).
  Hypothesis HL : forall i, i < sms G -> held_section_cert (mach G i) (prog G i) (hold i) (L i).
  Hypothesis HV : forall b, b < blocks G -> let i := sm_of X b in section_chains (mach G i)
    (prog G i) (L i) b (last b) (Q b)
    /\ serial_time (mach G i) (prog G i) (home i) (cs i) (Q b) (last b) b <= V b.
  Hypothesis Cs : forall i x, i < sms G -> In x (keys (prog G i)) ->
    In (core (mach G i) (fst x)) (cs i).
  Hypothesis HL' : forall i, i < sms G -> held_lam_cert (mach G i) (prog G i) (hold i) (L' i).
  Hypothesis HT : forall i, i < sms G -> turns_cert (mach G i) (prog G i) (h i).
  Hypothesis HC : forall i f c, home i f = Some c -> c < cores.
  Hypothesis HA : forall b, b < blocks G -> let i := sm_of X b in
    stay_amounts (mach G i) (prog G i) (home i) cores (L' i) (h i) b (ck b).
  Notation kinds := (map ck (seq 0 (blocks G))).
  Notation Vs := (map V (seq 0 (blocks G))).

  (** *** Proposition 3: no thread block stays longer *)
  Theorem k_oldest_stay b n : b < blocks G -> slots G <= n \/ length (here (sm_of X b)) <= n ->
    ended X b <= started X b + oldest_stay n kinds Vs.
  Proof.
    intros Hb Few. pose proof (sm_here b Hb) as Hi. unfold oldest_stay.
    pose proof (stay_held b n Hb Few (L (sm_of X b)) last Q (cs (sm_of X b)) V (HL _ Hi)
      ltac:(intros c Hc E; pose proof (HV c Hc) as H; cbv zeta in H; rewrite E in H; exact H)
      (fun x => Cs _ x Hi)) as H1. pose proof (stay_met b n Hb Few (L' (sm_of X b)) (h (sm_of X b))
      cores ck (HL' _ Hi) (HT _ Hi) (HC (sm_of X b)) ltac:(intros c Hc E; pose proof (HA c Hc) as H;
      cbv zeta in H; rewrite E in H; exact H)) as H2. lia.
  Qed.

  Lemma stays_counted n : (forall b, b < blocks G -> slots G <= n \/ length (here (sm_of X b))
    <= n) ->
    forall N b, b < count r -> cycles N (fun t => counted r t && stays r b t)
      <= oldest_stay n kinds Vs.
  Proof.
    intros Few N b Hb. cbn [count run_of] in Hb. pose proof (k_oldest_stay b n Hb (Few b Hb)) as H.
    etransitivity; [|apply (cnt_interval (started X b) (oldest_stay n kinds Vs) N)].
    rewrite <- cycles_cnt. apply cycles_le. intros t _ P. apply andb_prop in P as [_ P].
    unfold stays in P. cbn [start fin run_of] in P. apply andb_prop in P as [-> P].
    apply Nat.ltb_lt in P. apply Nat.ltb_lt. lia.
  Qed.

  Hypothesis Dyn : goes_anywhere G X.
  Notation disp_time := (service G * blocks G).

  (** *** Proposition 4 (K-OLDEST), one wave *)
  Theorem k_oldest_wave b : blocks G <= sms G * slots G -> dealt G X -> b < blocks G ->
    ended X b <= oldest_stay ((blocks G + sms G - 1) / sms G) kinds Vs + disp_time.
  Proof.
    intros Wv [New Few] Hb. apply (in_real_time G X Ok). pose proof (plain_ledger G X Mok Ok) as Lg.
    pose proof (g_place _ _ Ok b Hb). set (n := (blocks G + sms G - 1) / sms G).
    apply (stay_one_wave r (sms G) (slots G) (latency G) _ _ Lg) with (n := n).
    - apply stays_counted. intros c Hc. right. apply Few.
    - intros c Hc. apply (first_new G X c). intros d. apply New, Hc.
    - intros i. apply Few.
    - apply wave_fits; [lia|exact Wv].
    - exact Hb.
  Qed.

  (** *** Proposition 4 (K-OLDEST), thread blocks that wait: [y] is whatever is proven of what
      follows the last dispatch but for a dispatch latency: S_R, S'_R, V^R, and the stay *)
  Theorem k_oldest_bound y b : sms G * slots G < blocks G -> tails r (latency G) y ->
    b < blocks G ->
    let stay := oldest_stay (slots G) kinds Vs in
    ended X b <= stay_turns (sms G) (slots G) (latency G) stay (min stay y) (blocks G) + disp_time.
  Proof.
    intros Wv HT' Hb. cbv zeta. apply (in_real_time G X Ok).
    pose proof (plain_ledger G X Mok Ok) as Lg.
    pose proof (stays_counted (slots G) (fun _ _ => or_introl (le_n _))) as St.
    apply (turns_bound r (sms G) (slots G) (latency G) _ _ Lg St (grid_dynamic G X Dyn) Wv);
      [|exact Hb]. apply tails_both; [|exact HT'].
    apply (tails_stay r (sms G) (slots G) (latency G) _ _ Lg St).
  Qed.
End OldestGrid.
