(** * K-OLDEST from thread blocks as they are written, whatever their slots (G1)

    [t b] is thread block [b] as it is written, on a machine of its own; on its SM warps, units and
    sub-cores are called otherwise.  Its V', Lambda', W, X and E are those of the one as it is
    written. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Model Elb ChainWalk
  ChainWork ChainSlot ChainBlock ChainKind Ledger Tail Grid Stay GridLedger Copies SoloCopies
  StayCopies ChainCopies Serial SerialLedger SerialCopies Oldest OldestStay Turns OldestGrid.

Local Notation there := SoloCopies.there.

Section OldestCopies.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis Ok : grid_valid G X.
  Hypothesis Depth : forall i, i < sms G -> depth (mach G i) = Some 0.
  Hypothesis First : forall i, i < sms G -> oldest_first (mach G i) (prog G i) (sched X i)
    (place X).
  Variables (t : nat -> block) (mt : nat -> machine) (wr un co : nat -> nat -> nat).
  Notation m b := (mach G (sm_of X b)).
  Notation p b := (prog G (sm_of X b)).
  Hypothesis R : forall b, b < blocks G -> renamed (t b) (mt b) (m b) (p b) b (wr b) (un b) (co b).

  (** Units are private; on a slot sub-cores are renumbered, and units with them. *)
  Variables (home ht : nat -> nat -> option nat) (cores : nat).
  Hypothesis Home : forall i x, i < sms G -> In x (keys (prog G i)) ->
    1 <= init (get (prog G i) x) ->
    home i (fu (get (prog G i) x)) = Some (core (mach G i) (fst x)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.
  Hypothesis Few : forall i x, i < sms G -> In x (keys (prog G i)) ->
    core (mach G i) (fst x) < cores.
  Hypothesis Homes : forall b x, b < blocks G -> of (m b) (p b) b x ->
    ht b (fu (get (t b) (there (wr b) x))) = option_map (co b)
      (home (sm_of X b) (fu (get (p b) x))).
  Hypothesis Renumbers : forall b, b < blocks G ->
    Permutation (map (co b) (seq 0 cores)) (seq 0 cores).

  (** The longest initiations: of the units of an SM, and of the same as they are written. *)
  Variables hold held : nat -> nat -> nat.
  Hypothesis Hold : forall i x, i < sms G -> In x (keys (prog G i)) ->
    init (get (prog G i) x) <= S (hold i (fu (get (prog G i) x))).
  Hypothesis Same : forall b x, b < blocks G -> of (m b) (p b) b x ->
    hold (sm_of X b) (fu (get (p b) x)) <= held b (un b (fu (get (p b) x))).

  (** L', changes of sub-core of each as it is written. *)
  Variables (L T : nat -> key -> nat) (last : nat -> nat) (Q : nat -> nat -> nat -> nat).
  Hypothesis HL : forall b, b < blocks G -> held_section_cert (mt b) (t b) (held b) (L b).
  Hypothesis HQ : forall b, b < blocks G -> section_chains (mt b) (t b) (L b) 0 (last b) (Q b).
  Hypothesis Turns : forall b, b < blocks G -> turns_cert (mt b) (t b) (T b).

  Notation cs := (seq 0 cores).
  (** V' as it is written. *)
  Definition written_held (b : nat) : nat := serial_time (mt b) (t b) (ht b) cs (Q b) (last b) 0.
  (** The amounts as they are written. *)
  Definition written_oldest (b : nat) : chain_kind :=
    let grp := fun y => group (mt b) (fst y) in
    let sect := fun y => sec (get (t b) y) in
    Chain (busiest (t b) (ht b) cores grp sect (sections (t b)) 0)
      (extras (t b) (ht b) cores grp sect (sections (t b)) 0)
      (sum (fun x => init (get (t b) x)) (keys (t b))) 0 (sections_lam Q last cs b)
      (S (list_max (map (T b) (keys (t b))))).

  (** The chains as they are written, on each SM. *)
  Definition there_L (i : nat) (x : key) : nat := L (whose G i x) (there (wr (whose G i x)) x).
  (** The longest chains as they are written, on each SM. *)
  Definition there_Q (b c q : nat) : nat := Q b (co b c) q.
  (** The changes of sub-core as they are written, on each SM. *)
  Definition there_T (i : nat) (x : key) : nat := T (whose G i x) (there (wr (whose G i x)) x).

  Section Block.
    Variable b : nat.
    Hypothesis Hb : b < blocks G.
    Notation i := (sm_of X b).
    Notation Rb := (R b Hb).

    Lemma sm_i : i < sms G.
    Proof. apply (g_place _ _ Ok b Hb). Qed.

    Lemma renumbers_in c : c < cores -> co b c < cores.
    Proof.
      intros Hc. assert (In (co b c) (seq 0 cores)) as H; [|apply in_seq in H; lia].
      apply (Permutation_in _ (Renumbers b Hb)), in_map, in_seq. lia.
    Qed.

    Lemma of_keys w k : In (w, k) (keys (p b)) -> group (m b) w = b -> of (m b) (p b) b (w, k).
    Proof. intros. split; assumption. Qed.

    Lemma there_of x : of (m b) (p b) b x -> there_L i x = L b (there (wr b) x) /\
      there_T i x = T b (there (wr b) x).
    Proof. intros [_ H]. unfold there_L, there_T, whose. rewrite H. auto. Qed.

    Lemma wait_there x : of (m b) (p b) b x ->
      wait_of (hold i) (get (p b) x) <= wait_of (held b) (get (t b) (there (wr b) x)).
    Proof.
      intros H. destruct (same_of _ _ _ _ _ _ _ _ Rb x H) as [E1 [_ [_ [_ E5]]]]. unfold wait_of.
      rewrite <- E1, E5. destruct (init (get (p b) x)); [apply le_n|apply (Same b x Hb H)].
    Qed.

    Lemma block_section w k : In (w, k) (keys (p b)) -> group (m b) w = b ->
      let i0 := get (p b) (w, k) in
      let a := wait_of (hold i) i0 in
      a <= there_L i (w, k)
      /\ (forall j, k = S j -> sec (get (p b) (w, j)) = sec i0 -> there_L i (w, j) + a
           <= there_L i (w, k))
      /\ (forall j, In j (ops i0) -> sec (get (p b) (w, j)) = sec i0 -> there_L i (w, j)
           + lat (get (p b) (w, j)) + a <= there_L i (w, k))
      /\ (forall j, In j (ops i0) -> sec (get (p b) (w, j)) < sec i0 ->
            lat (get (p b) (w, j)) + a <= there_L i (w, k) \/ read_before (p b) w j (sec i0) /\
            a <= there_L i (w, k))
      /\ (forall y, In y (keys (p b)) -> group (m b) (fst y) = group (m b) w -> sec (get (p b) y)
           < sec i0 ->
            release (m b) (sec i0) + a <= there_L i (w, k)).
    Proof.
      intros Hk Hg. pose proof (of_keys w k Hk Hg) as H. destruct (Mok i sm_i) as [_ Wp].
      pose proof (same_of _ _ _ _ _ _ _ _ Rb) as S.
      pose proof (S (w, k) H) as [S1 [S2 [S3 [S4 _]]]]. cbv zeta in *.
      pose proof (wait_there (w, k) H) as Wa.
      pose proof (of_there _ _ _ _ _ _ _ _ Rb (w, k) H) as Ht.
      destruct (HL b Hb (wr b w) k Ht) as [L0 [L1 [L2 [L3 L4]]]]. cbv zeta in *.
      rewrite (proj1 (there_of _ H)). change (there (wr b) (w, k)) with (wr b w, k) in *.
      rewrite <- S3, <- S4 in *. assert (forall j, j < k -> of (m b) (p b) b (w, j) /\
        sec (get (p b) (w, j)) = sec (get (t b) (wr b w, j)) /\
        lat (get (p b) (w, j)) = lat (get (t b) (wr b w, j)) /\ there_L i (w, j) = L b (wr b w, j))
        as J.
      { intros j Hj. pose proof (of_keys w j (keys_before _ _ _ j Hk ltac:(lia)) Hg) as Oj.
        pose proof (S (w, j) Oj) as [_ [A2 [_ [A4 _]]]]. pose proof (proj1 (there_of _ Oj)). auto. }
      split; [lia|]. split; [|split; [|split]].
      - intros j E Q0. destruct (J j ltac:(lia)) as [_ [J1 [_ ->]]]. rewrite J1 in Q0.
        specialize (L1 j E Q0). lia.
      - intros j Hj Q0. destruct (J j (proj1 (proj2 (Wp w k Hk)) j Hj)) as [_ [J1 [-> ->]]].
        rewrite J1 in Q0. specialize (L2 j Hj Q0). lia.
      - intros j Hj Q0. destruct (J j (proj1 (proj2 (Wp w k Hk)) j Hj)) as [Oj [J1 [-> _]]].
        rewrite J1 in Q0. destruct (L3 j Hj Q0) as [A|[A B]]; [left; lia|right; split; [|lia]].
        apply (copy_read _ _ _ _ _ _ _ _ Rb Wp w j _ Oj A).
      - intros y Hy Gy Q0. assert (of (m b) (p b) b y) as Oy by (split; [exact Hy|congruence]).
        pose proof (S y Oy) as [_ [_ [_ [A4 _]]]]. rewrite A4 in Q0.
        specialize (L4 (there (wr b) y) (of_there _ _ _ _ _ _ _ _ Rb y Oy)
          ltac:(rewrite !(n_alone _ _ _ _ _ _ _ _ Rb); reflexivity) Q0).
        pose proof (n_rel _ _ _ _ _ _ _ _ Rb (sec (get (p b) (w, k)))). lia.
    Qed.

    Lemma block_chains : section_chains (m b) (p b) (there_L i) b (last b) (there_Q b).
    Proof.
      intros w k Hk Hg. pose proof (of_keys w k Hk Hg) as H. destruct (Mok i sm_i) as [_ Wp].
      pose proof (same_of _ _ _ _ _ _ _ _ Rb (w, k) H) as [S1 [S2 [S3 [S4 _]]]]. cbv zeta in *.
      destruct (HQ b Hb (wr b w) k (of_there _ _ _ _ _ _ _ _ Rb (w, k) H)
        (n_alone _ _ _ _ _ _ _ _ Rb _)) as [Q1 [Q2 [Q3 Q4]]]. rewrite (proj1 (there_of _ H)).
      change (there (wr b) (w, k)) with (wr b w, k) in *. rewrite S2, S4. unfold there_Q.
      pose proof (n_core _ _ _ _ _ _ _ _ Rb (w, k) H) as Co. cbn [fst] in Co. rewrite <- Co.
      split; [exact Q1|]. split; [exact Q2|]. split; [exact Q3|]. intros Q0.
      destruct (Q4 Q0) as [A|A]; [left; exact A|right;
        apply (copy_read _ _ _ _ _ _ _ _ Rb Wp w k _ H A)].
    Qed.

    Lemma block_time : serial_time (m b) (p b) (home i) cs (there_Q b) (last b) b <= written_held b.
    Proof.
      apply (serial_there _ _ _ _ _ _ _ _ Rb (ht b) (home i) cs cs (fun x => Homes b x Hb)).
      - intros c Hc. apply in_seq in Hc. apply in_seq. pose proof (renumbers_in c ltac:(lia)). lia.
      - intros c q _. apply le_n.
    Qed.

    Lemma block_lam : sections_lam there_Q last cs b <= sections_lam Q last cs b.
    Proof.
      apply sum_le. intros q _. apply list_max_le_in. intros n Hn.
      apply in_map_iff in Hn as [c [<- Hc]]. apply in_seq in Hc.
      apply (list_max_in_ge (fun c => Q b c q) cs (co b c)), in_seq.
      pose proof (renumbers_in c ltac:(lia)). lia.
    Qed.

    Lemma block_amounts : (forall g, section_chains (m b) (p b) (there_L i) g (last g) (there_Q g))
      ->
      held_section_cert (m b) (p b) (hold i) (there_L i) ->
      stay_amounts (m b) (p b) (home i) cores (lam_paths (m b) (p b) (there_L i) there_Q cs)
        (there_T i) b (written_oldest b).
    Proof.
      intros HQ' HL'. destruct (Mok i sm_i) as [_ Wp]. pose proof (fun x => Homes b x Hb) as Hh.
      assert (forall x, of (m b) (p b) b x -> sec (get (p b) x) = sec (get (t b) (there (wr b) x)))
        as Sx by (intros x Hx; apply (same_of _ _ _ _ _ _ _ _ Rb x Hx)).
      constructor; cbn [written_oldest cE cL cH cW cX].
      - apply Nat.eq_le_incl, (sum_same_there _ _ _ _ _ _ _ _ Rb).
        + intros x Hx. destruct (same_of _ _ _ _ _ _ _ _ Rb x Hx) as [E _]. destruct Hx as [_ ->].
          rewrite Nat.eqb_refl. exact E.
        + intros x _ N. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity.
      - intros x [Hx Hg]. pose proof (sections_lam_ok (m b) (p b) (hold i) (there_L i) there_Q last
          cs Wp HL' HQ') as A.
        specialize (A ltac:(intros y Hy; apply in_seq; pose proof (Few i y sm_i Hy); lia) x Hx).
        rewrite Hg in A. pose proof block_lam. lia.
      - intros x Hx. rewrite (proj2 (there_of x Hx)).
        pose proof (list_max_in_ge (T b) (keys (t b)) _ (of_there _ _ _ _ _ _ _ _ Rb x Hx)). lia.
      - pose proof (busiest_less (mt b) (t b) (ht b) cores (L b) (T b) (fun y => sec (get (t b) y))
          (sections (t b)) 0) as A. etransitivity; [apply A|]. apply sum_le. intros y _.
        destruct (_ =? _); lia.
      - intros n. unfold fine_work. rewrite (copy_busiest (t b) (mt b) _ _ b _ _ _ Rb (ht b)
          (home i) cores (Renumbers b Hb) (Cores i) Hh (fun y => sec (get (p b) y)) (fun y =>
          sec (get (t b) y)) Sx), (copy_extras (t b) (mt b) _ _ b _ _ _ Rb (ht b) (home i) cores
          (Renumbers b Hb) (Cores i) Hh (fun y => sec (get (p b) y)) (fun y =>
          sec (get (t b) y)) Sx). apply Nat.add_le_mono;
          [apply busiest_windows|apply extras_windows]; intros y Hy _; apply sec_few, Hy.
    Qed.
  End Block.

  (** ** On each SM *)
  Lemma there_chains i g : i < sms G -> section_chains (mach G i) (prog G i) (there_L i) g (last g)
    (there_Q g).
  Proof.
    intros Hi w k Hk Hg. destruct (g_whose _ _ Ok i (w, k) Hi Hk) as [W1 W2]. unfold whose in *.
    cbn [fst] in *. rewrite Hg in W1, W2. subst i. apply (block_chains g W1 w k Hk Hg).
  Qed.

  Lemma there_section i : i < sms G -> held_section_cert (mach G i) (prog G i) (hold i) (there_L i).
  Proof.
    intros Hi w k Hk. destruct (g_whose _ _ Ok i (w, k) Hi Hk) as [W1 W2]. unfold whose in *.
    cbn [fst] in *. remember (group (mach G i) w) as g eqn:Eg. subst i.
    pose proof (block_section g W1 w k Hk (eq_sym Eg)) as B. cbv zeta in B. rewrite <- Eg in B.
    exact B.
  Qed.

  Lemma there_lam i : i < sms G ->
    held_lam_cert (mach G i) (prog G i) (hold i)
      (lam_paths (mach G i) (prog G i) (there_L i) there_Q cs).
  Proof.
    intros Hi. apply (sections_lam_cert (mach G i) (prog G i) (hold i) (there_L i) there_Q last cs
      (proj2 (Mok i Hi)) (there_section i Hi) (fun g => there_chains i g Hi)). intros x Hx.
    apply in_seq. pose proof (Few i x Hi Hx). lia.
  Qed.

  Lemma there_turns i : i < sms G -> turns_cert (mach G i) (prog G i) (there_T i).
  Proof. intros Hi. apply (turn_cert G X Ok t mt wr un co R T Turns i Hi). Qed.

  Lemma there_amounts b : b < blocks G -> let i := sm_of X b in
    stay_amounts (mach G i) (prog G i) (home i) cores
      (lam_paths (mach G i) (prog G i) (there_L i) there_Q cs) (there_T i) b (written_oldest b).
  Proof.
    intros Hb. cbv zeta. pose proof (sm_i b Hb) as Hi.
    apply (block_amounts b Hb (fun g => there_chains _ g Hi) (there_section _ Hi)).
  Qed.

  Lemma there_held c : c < blocks G -> let i := sm_of X c in section_chains (mach G i) (prog G i)
    (there_L i) c (last c) (there_Q c)
    /\ serial_time (mach G i) (prog G i) (home i) cs (there_Q c) (last c) c <= written_held c.
  Proof. intros Hc. cbv zeta. split; [apply (block_chains c Hc)|apply (block_time c Hc)]. Qed.

  Lemma there_cores i x : i < sms G -> In x (keys (prog G i)) -> In (core (mach G i) (fst x)) cs.
  Proof. intros Hi Hx. apply in_seq. pose proof (Few i x Hi Hx). lia. Qed.

  Notation kinds := (map written_oldest (seq 0 (blocks G))).
  Notation Vs := (map written_held (seq 0 (blocks G))).
  Let paths' := fun i => lam_paths (mach G i) (prog G i) (there_L i) there_Q cs.

  (** *** Proposition 3 *)
  Theorem oldest_copies_stay b n : b < blocks G -> slots G <= n \/
    length (Ledger.on_sm (run_of G X) (sm_of X b)) <= n ->
    ended X b <= started X b + oldest_stay n kinds Vs.
  Proof.
    exact (k_oldest_stay G X Mok Ok Depth First hold home Hold Home there_L paths' there_T cores
      (fun _ => cs) last there_Q written_held written_oldest there_section there_held there_cores
      there_lam there_turns Cores there_amounts b n).
  Qed.

  (** *** Proposition 4 *)
  Theorem oldest_copies_wave b : blocks G <= sms G * slots G -> dealt G X -> b < blocks G ->
    ended X b <= oldest_stay ((blocks G + sms G - 1) / sms G) kinds Vs + service G * blocks G.
  Proof.
    exact (k_oldest_wave G X Mok Ok Depth First hold home Hold Home there_L paths' there_T cores
      (fun _ => cs) last there_Q written_held written_oldest there_section there_held there_cores
      there_lam there_turns Cores there_amounts b).
  Qed.

  (** K-OLDEST bounds a grid of several waves from thread blocks as they are written. *)
  Theorem oldest_copies_bound y b : goes_anywhere G X -> sms G * slots G < blocks G ->
    tails (run_of G X) (latency G) y -> b < blocks G ->
    let stay := oldest_stay (slots G) kinds Vs in
    ended X b <= stay_turns (sms G) (slots G) (latency G) stay (min stay y) (blocks G) + service G
      * blocks G.
  Proof.
    intros Dyn. exact (k_oldest_bound G X Mok Ok Depth First hold home Hold Home there_L paths'
      there_T cores (fun _ => cs) last there_Q written_held written_oldest there_section there_held
      there_cores there_lam there_turns Cores there_amounts Dyn y b).
  Qed.
End OldestCopies.
