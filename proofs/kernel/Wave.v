(** * Grids of one wave, k-wave (docs/wave-bounds.md): what bounds a stay bounds the grid *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Bounds IsolationPaths Ledger
  Dynamic Grid Stay GridLedger Kernel WavePotential WaveSib WaveExtras.

(** Thread block [b] ends within [a] of [t0], its start or later, when none but [others] is
    there. *)
Definition stays_with (m : machine) (p : block) (b : nat) (others : list nat) (a : nat) : Prop :=
  forall s t0 x, valid m p s -> begin s b <= t0 ->
    (forall y, In y (keys p) -> group m (fst y) <> b -> ~ In (group m (fst y)) others ->
       C s y <= t0 \/ forall x, of m p b x -> C s x <= I s y) ->
    of m p b x -> C s x <= t0 + a.

Lemma stays_more m p b others a c : stays_with m p b others a -> a <= c ->
  stays_with m p b others c.
Proof. intros H L s t0 x V B A Hx. specialize (H s t0 x V B A Hx). lia. Qed.

Lemma stays_among m p b others others' a : incl others others' -> stays_with m p b others' a ->
  stays_with m p b others a.
Proof.
  intros I H s t0 x V B A Hx. apply (H s t0 x V B); [|exact Hx]. intros y Hy Ny No. apply A; auto.
Qed.

(** The largest [k] are no less than some that are fewer, and the least for each that lacks. *)
Lemma largest_filled (f : nat -> nat) c L : NoDup L -> forall l k, NoDup l -> incl l L ->
  length l <= k -> k <= length L ->
  (forall x, c <= f x) -> sum f l + (k - length l) * c <= largest k (map f L).
Proof.
  intros NL l k. remember (k - length l) as d. revert l Heqd.
  induction d as [|d IH]; intros l E N I Lk LL Hc.
  - rewrite Nat.add_0_r. apply largest_ge; assumption.
  - assert (exists x, In x L /\ ~ In x l) as [x [Hx Nx]].
    { destruct (forallb (fun x => if in_dec Nat.eq_dec x l then true else false) L) eqn:F.
      - exfalso. rewrite forallb_forall in F. assert (length L <= length l) as X; [|lia].
        apply NoDup_incl_length; [exact NL|]. intros x Hx. specialize (F x Hx).
        destruct (in_dec Nat.eq_dec x l); [assumption|discriminate].
      - apply not_true_iff_false in F.
        destruct (existsb (fun x => if in_dec Nat.eq_dec x l then false else true) L) eqn:G.
        + apply existsb_exists in G as [x [Hx G]]. exists x.
          destruct (in_dec Nat.eq_dec x l); [discriminate|auto].
        + exfalso. apply F, forallb_forall. intros x Hx.
          destruct (in_dec Nat.eq_dec x l) as [|n] eqn:D; [reflexivity|exfalso].
          apply not_true_iff_false in G. apply G, existsb_exists. exists x. rewrite D. auto. }
    specialize (IH (x :: l) ltac:(cbn [length]; lia) ltac:(constructor; assumption)
      ltac:(intros y [<-|Hy]; [exact Hx|apply I, Hy]) ltac:(cbn [length]; lia) LL Hc).
    rewrite sum_cons in IH. specialize (Hc x). cbn [Nat.mul]. lia.
Qed.

(** *** Theorem 1 *)
Theorem stays_extras m p b others cs turn k : machine_ok m -> wf p ->
  (NoDup cs /\ forall w, In (core m w) cs) ->
  changes p m b turn k -> same_cost p m b ->
  stays_with m p b others (min (SIB_at (only m b p) m b) (FIB_at (only m b p) m b)
    + sum (adds_with_extras m p b cs k) (strangers b others)).
Proof.
  intros M W Cs Ch Sc s t0 x V B A Hx.
  pose proof (SIB_wave_extras m p s b t0 others cs M W V B A Cs turn k Ch x Sc Hx). lia.
Qed.

Section Wave.
  Variables (G : grid) (X : execution).
  Hypothesis V : grid_valid G X.

  (** Until a thread block is taken the dispatcher works without a pause, if all of its SM find a
      slot. *)
  Lemma taken_soon b t : b < blocks G -> length (of_sm G X (sm_of X b)) <= slots G ->
    t < taken X b -> at_work G X t = true.
  Proof.
    intros Hb Hn Ht. destruct (at_work G X t) eqn:E; [reflexivity|exfalso].
    set (i := sm_of X b) in *.
    assert (slots G <= length (filter (fun c => negb (c =? b)) (of_sm G X i))) as L.
    { rewrite <- (seq_length (slots G) 0), <- (map_length (slot_of X) (filter _ _)).
      apply NoDup_incl_length; [apply seq_NoDup|]. intros q Hq. apply in_seq in Hq.
      destruct (g_waits _ _ V b t q Hb E Ht ltac:(lia)) as [c [C1 [C2 [C3 C4]]]].
      apply in_map_iff. exists c. split; [exact C3|]. apply filter_In. split.
      - apply filter_In. split; [apply in_seq; lia|apply Nat.eqb_eq; exact C2].
      - apply negb_true_iff, Nat.eqb_neq. intros ->. lia. }
    assert (In b (of_sm G X i)) as Hi by (apply filter_In; split;
      [apply in_seq; lia|apply Nat.eqb_refl]).
    rewrite (length_without b) in L; [|apply NoDup_filter, seq_NoDup|exact Hi].
    destruct (of_sm G X i); [destruct Hi|cbn in *; lia].
  Qed.

  (** So it starts when the dispatcher has served all, or [latency] later if its slot was used
      before. *)
  Lemma started_soon b : b < blocks G -> length (of_sm G X (sm_of X b)) <= slots G ->
    started X b <= service G * blocks G + late (run_of G X) (latency G) (sm_of X b).
  Proof.
    intros Hb Hn. pose proof (dispatcher_time G X V (taken X b + serviced X b)) as D.
    rewrite cycles_cnt in D.
    assert (taken X b + serviced X b <= cnt (at_work G X) (taken X b + serviced X b)) as A.
    { pose proof (cnt_all (at_work G X) 0 (taken X b + serviced X b) ltac:(lia)) as H.
      cbn [cnt] in H. rewrite H; [lia|]. intros t Ht.
      destruct (le_lt_dec (taken X b) t) as [L|L]; [|apply (taken_soon b t Hb Hn L)].
      apply existsb_exists. exists b. split; [apply in_seq; lia|]. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia. }
    unfold late. destruct (forallb _ _) eqn:F.
    - rewrite forallb_forall in F. specialize (F b).
      change (on_sm (run_of G X) (sm_of X b)) with (of_sm G X (sm_of X b)) in F.
      specialize (F ltac:(apply filter_In; split; [apply in_seq; lia|apply Nat.eqb_refl])).
      pose proof (g_first _ _ V b Hb (proj1 (first_new G X b) F)). lia.
    - pose proof (g_start _ _ V b Hb). lia.
  Qed.

  (** The others of its SM. *)
  Definition mates (b : nat) : list nat := filter (fun h => negb (h =? b)) (of_sm G X (sm_of X b)).

  (** *** An SM by its own thread blocks: static dispatch, and dynamic *)
  Theorem wave_sm a b : b < blocks G -> length (of_sm G X (sm_of X b)) <= slots G ->
    stays_with (mach G (sm_of X b)) (prog G (sm_of X b)) b (mates b) a ->
    ended X b <= a + service G * blocks G + late (run_of G X) (latency G) (sm_of X b).
  Proof.
    intros Hb Hn Ha. pose proof (started_soon b Hb Hn) as S.
    destruct (g_end _ _ V b Hb) as [_ [E|[x [Hx [Gx E]]]]]; [lia|].
    pose proof (g_place _ _ V b Hb) as [Hi _].
    assert (C (sched X (sm_of X b)) x <= started X b + a) as H; [|lia].
    apply (Ha (sched X (sm_of X b)) (started X b) x);
      [apply (g_machine _ _ V), Hi|apply le_n| |split; assumption]. intros y Hy Ny No. exfalso.
    apply No. destruct (g_whose _ _ V _ y Hi Hy) as [W1 W2]. apply filter_In.
    split; [apply filter_In; split; [apply in_seq; unfold whose in W1; lia|apply Nat.eqb_eq, W2]|].
    apply negb_true_iff, Nat.eqb_neq, Ny.
  Qed.

  (** *** An SM of dynamic dispatch, whatever bounds the stay *)
  Definition share : nat := (blocks G + sms G - 1) / sms G.

  (** No SM gets more: blocks are dealt out in turn, to SMs that are fixed or not. *)
  Definition shared_out : Prop := forall i, length (of_sm G X i) <= share.

  Lemma few_mates b : shared_out -> b < blocks G -> length (mates b) <= share - 1.
  Proof.
    intros Few Hb. unfold mates.
    rewrite (length_without b); [apply Nat.sub_le_mono_r, Few|apply NoDup_filter, seq_NoDup|].
    apply filter_In. split; [apply in_seq; lia|apply Nat.eqb_refl].
  Qed.

  (** A bound of its stay bounds the end of a thread block in one wave with dynamic dispatch. *)
  Theorem wave_block a b : dealt G X -> blocks G <= sms G * slots G -> b < blocks G ->
    stays_with (mach G (sm_of X b)) (prog G (sm_of X b)) b (mates b) a ->
    ended X b <= a + service G * blocks G.
  Proof.
    intros [New Few] Wave Hb Ha. pose proof (g_place _ _ V b Hb) as [Hi _].
    assert (length (of_sm G X (sm_of X b)) <= slots G) as Hn.
    { etransitivity; [apply Few|].
      apply (wave_fits (sms G) (slots G) (blocks G)); [lia|exact Wave]. }
    pose proof (wave_sm a b Hb Hn Ha) as H.
    assert (late (run_of G X) (latency G) (sm_of X b) = 0) as L; [|lia]. unfold late.
    rewrite (proj2 (forallb_forall _ _)); [reflexivity|]. intros c Hc.
    apply filter_In in Hc as [Hc _]. apply in_seq in Hc. apply (first_new G X c). intros d.
    apply New. cbn in Hc. lia.
  Qed.

  (** *** The same where the SMs are fixed: while the dispatcher works a thread block may end and
      leave its slot to another. *)
  Definition reuse : nat := if (0 <? service G) && (1 <? share) then latency G else 0.

  (** A bound of its stay bounds the end of a thread block in one wave with static dispatch. *)
  Theorem wave_block_static a b : shared_out -> blocks G <= sms G * slots G -> b < blocks G ->
    stays_with (mach G (sm_of X b)) (prog G (sm_of X b)) b (mates b) a ->
    ended X b <= a + service G * blocks G + reuse.
  Proof.
    intros Few Wave Hb Ha. pose proof (g_place _ _ V b Hb) as [Hi _].
    assert (length (of_sm G X (sm_of X b)) <= slots G) as Hn.
    { etransitivity; [apply Few|].
      apply (wave_fits (sms G) (slots G) (blocks G)); [lia|exact Wave]. }
    pose proof (wave_sm a b Hb Hn Ha) as H. pose proof (late_few G X V (sm_of X b) Hn) as L.
    assert ((if (0 <? service G) && (1 <? length (of_sm G X (sm_of X b))) then latency G else 0)
      <= reuse) as R; [|lia]. unfold reuse. specialize (Few (sm_of X b)).
    destruct (0 <? service G); [cbn [andb]|apply le_n].
    destruct (Nat.ltb_spec 1 (length (of_sm G X (sm_of X b))));
      [rewrite (proj2 (Nat.ltb_lt _ _)) by lia; apply le_n|apply Nat.le_0_l].
  Qed.

  (** The largest bound of a stay bounds a grid of one wave. *)
  Theorem k_wave_least a b : dealt G X -> blocks G <= sms G * slots G ->
    (forall b, b < blocks G -> stays_with (mach G (sm_of X b)) (prog G (sm_of X b)) b (mates b)
      (a b)) ->
    b < blocks G -> ended X b <= list_max (map a (seq 0 (blocks G))) + service G * blocks G.
  Proof.
    intros De Wave HS Hb. pose proof (wave_block (a b) b De Wave Hb (HS b Hb)).
    assert (In b (seq 0 (blocks G))) as Hin by (apply in_seq; lia).
    pose proof (list_max_in_ge a _ b Hin). lia.
  Qed.

  (** The others of its SM are among those that add most; where there are fewer, [pad] counts for
      each. *)
  Definition all_but (b : nat) : list nat := filter (fun h => negb (h =? b)) (seq 0 (blocks G)).

  Lemma mates_most add pad b : shared_out -> b < blocks G -> (forall h, pad <= add h) ->
    sum add (mates b) + (share - 1 - length (mates b)) * pad
      <= largest (share - 1) (map add (all_but b)).
  Proof.
    intros De Hb Pad. pose proof (few_mates b De Hb) as F.
    pose proof (g_place _ _ V b Hb) as [Hi _]. assert (share - 1 <= length (all_but b)) as Room.
    { unfold all_but. rewrite (length_without b) by (try apply seq_NoDup; apply in_seq; lia).
      rewrite seq_length. apply Nat.sub_le_mono_r, Nat.lt_succ_r. unfold share.
      apply Nat.div_lt_upper_bound; nia. }
    apply largest_filled; [apply NoDup_filter, seq_NoDup|apply NoDup_filter, NoDup_filter,
      seq_NoDup| |exact F|exact Room|exact Pad]. intros h Hh. apply filter_In in Hh as [Hh Nh].
    apply filter_In in Hh as [Hh _]. apply filter_In. auto.
  Qed.

  (** *** k-wave of dynamic dispatch: [own b] and, of the others, those that add most *)
  Definition k_wave (own : nat -> nat) (add : nat -> nat -> nat) : nat :=
    list_max (map (fun b => own b + largest (share - 1) (map (add b) (all_but b)))
      (seq 0 (blocks G))) + service G * blocks G.

  (** Own times and what the largest other thread blocks add bound a grid of one wave. *)
  Theorem k_wave_bound own add b : dealt G X -> blocks G <= sms G * slots G ->
    (forall b, b < blocks G ->
       stays_with (mach G (sm_of X b)) (prog G (sm_of X b)) b (mates b)
         (own b + sum (add b) (mates b))) ->
    b < blocks G -> ended X b <= k_wave own add.
  Proof.
    intros De Wave HS Hb. apply (k_wave_least (fun b =>
      own b + largest (share - 1) (map (add b) (all_but b))) b De Wave); [|exact Hb]. intros c Hc.
    apply (stays_more _ _ _ _ _ _ (HS c Hc)).
    pose proof (mates_most (add c) 0 c (proj2 De) Hc ltac:(lia)). lia.
  Qed.

  (** *** k-wave of static dispatch *)
  Theorem k_wave_static own add b : shared_out -> blocks G <= sms G * slots G ->
    stays_with (mach G (sm_of X b)) (prog G (sm_of X b)) b (mates b)
      (own b + sum (add b) (mates b)) ->
    b < blocks G -> ended X b <= k_wave own add + reuse.
  Proof.
    intros Few Wave HS Hb. pose proof (wave_block_static _ b Few Wave Hb HS) as H.
    pose proof (mates_most (add b) 0 b Few Hb ltac:(lia)) as Mm.
    pose proof (list_max_in_ge (fun b => own b + largest (share - 1) (map (add b) (all_but b)))
      (seq 0 (blocks G)) b ltac:(apply in_seq; lia)) as L. cbv beta in L. unfold k_wave. lia.
  Qed.
End Wave.
