(** * W, X, lam and chg of thread blocks as they are written (docs/sub-core-bounds.md, section 1;
    G1)

    On a slot of an SM warps, units and sub-cores of a thread block are called otherwise: it amounts
    to what it amounts to as it is written. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Largest Model Elb Weights ChainWalk ChainWork ChainSlot
  ChainBlock ChainFormulas ChainBalance ChainArea ChainKind Stay Copies SoloCopies StayCopies Ledger
  Grid GridLedger KernelCopies ChainGrid Chain.
From Warpbound Require Instances Extras WaveCopies.

(** ** Sums over instructions and lists in another order *)

Lemma insert_insert x y l : insert x (insert y l) = insert y (insert x l).
Proof.
  induction l as [|z l IH]; cbn [insert].
  - destruct (Nat.leb_spec y x), (Nat.leb_spec x y); try reflexivity; try lia.
    replace y with x by lia. reflexivity.
  - destruct (Nat.leb_spec z y) as [A|A], (Nat.leb_spec z x) as [B|B]; cbn [insert].
    + destruct (Nat.leb_spec y x), (Nat.leb_spec x y); try lia; cbn [insert].
      * replace y with x by lia. reflexivity.
      * rewrite (proj2 (Nat.leb_le z y)) by lia. reflexivity.
      * rewrite (proj2 (Nat.leb_le z x)) by lia. reflexivity.
    + rewrite (proj2 (Nat.leb_gt y x)), (proj2 (Nat.leb_gt z x)), (proj2 (Nat.leb_le z y)) by lia.
      reflexivity.
    + rewrite (proj2 (Nat.leb_gt x y)), (proj2 (Nat.leb_gt z y)), (proj2 (Nat.leb_le z x)) by lia.
      reflexivity.
    + rewrite (proj2 (Nat.leb_gt z y)), (proj2 (Nat.leb_gt z x)), IH by lia. reflexivity.
Qed.

Lemma sorted_perm l l' : Permutation l l' -> sorted l = sorted l'.
Proof.
  induction 1 as [|x l l' _ IH|x y l|l l1 l2 _ IH1 _ IH2]; cbn [sorted fold_right].
  - reflexivity.
  - unfold sorted in IH. rewrite IH. reflexivity.
  - apply insert_insert.
  - congruence.
Qed.

Lemma sum_perm {A} (f : A -> nat) l l' : Permutation l l' -> sum f l = sum f l'.
Proof. induction 1; rewrite ?sum_cons; try lia. Qed.

Lemma sorted_total l : list_sum (sorted l) = list_sum l.
Proof.
  assert (forall x k, list_sum (insert x k) = x + list_sum k) as A.
  { intros x k. induction k as [|y k IH]; [reflexivity|]. cbn [insert].
    destruct (y <=? x); [reflexivity|]. change (y + list_sum (insert x k) = x + (y + list_sum k)).
    lia. }
  induction l as [|x l IH]; [reflexivity|]. cbn [sorted fold_right]. rewrite A. unfold sorted in IH.
  rewrite IH. reflexivity.
Qed.

(** ** Windows that a block does not reach *)
Section Windows.
  Variables (b : block) (home : nat -> option nat) (cores : nat) (grp wnd : key -> nat) (g K : nat).
  Hypothesis Few : forall y, In y (keys b) -> grp y = g -> wnd y < K.
  Notation busiest := (busiest b home cores grp wnd).
  Notation extras := (extras b home cores grp wnd).

  Lemma row_empty j : K <= j -> list_sum (row b home cores grp wnd g j) = 0 /\
    shar b home grp wnd g j = 0.
  Proof.
    intros Hj. assert (forall y, In y (keys b) -> part grp wnd g j y = false) as N.
    { intros y Hy. unfold part. destruct (Nat.eqb_spec (grp y) g) as [G|]; [|reflexivity].
      specialize (Few y Hy G). destruct (Nat.eqb_spec (wnd y) j); [lia|reflexivity]. }
    split.
    - change (list_sum (row b home cores grp wnd g j))
        with (sum (priv b home grp wnd g j) (seq 0 cores)). apply sum_zero. intros c _.
      apply sum_zero. intros y Hy. rewrite (N y Hy). reflexivity.
    - apply sum_zero. intros y Hy. rewrite (N y Hy). reflexivity.
  Qed.

  Lemma largest_some n l : largest n l <= list_sum l.
  Proof.
    pose proof (largest_total (fun x => x) n l) as H. rewrite map_id in H. unfold sum in H.
    rewrite map_id in H. exact H.
  Qed.

  Lemma busiest_windows K' : busiest K' g <= busiest K g.
  Proof.
    unfold ChainWork.busiest. destruct (le_lt_dec K' K) as [L|L].
    - replace K with (K' + (K - K')) by lia. rewrite seq_app, sum_app. lia.
    - replace K' with (K + (K' - K)) by lia. rewrite seq_app, sum_app.
      rewrite (sum_zero _ (seq (0 + K) (K' - K))); [lia|]. intros j Hj. apply in_seq in Hj.
      destruct (row_empty j ltac:(lia)) as [H ->].
      pose proof (largest_some 1 (row b home cores grp wnd g j)). lia.
  Qed.

  Lemma extras_windows K' n : largest n (extras K' g) <= largest n (extras K g).
  Proof.
    unfold ChainWork.extras. destruct (le_lt_dec K' K) as [L|L].
    - replace K with (K' + (K - K')) by lia. rewrite seq_app, flat_map_app.
      pose proof (largest_app (flat_map (fun j => tl (sorted (row b home cores grp wnd g j)))
        (seq 0 K')) n 0 (flat_map (fun j => tl (sorted (row b home cores grp wnd g j)))
        (seq (0 + K') (K - K')))) as A. rewrite largest_0, !Nat.add_0_r in A. exact A.
    - replace K' with (K + (K' - K)) by lia. rewrite seq_app, flat_map_app.
      etransitivity; [apply WaveCopies.largest_more|].
      assert (forall js, (forall j, In j js -> K <= j) ->
        list_sum (flat_map (fun j => tl (sorted (row b home cores grp wnd g j))) js) = 0) as Z.
      { induction js as [|j js IH]; intros H; [reflexivity|]. cbn [flat_map].
        rewrite list_sum_app, IH by (intros; apply H; right; assumption).
        destruct (row_empty j (H j (or_introl eq_refl))) as [E _]. rewrite <- sorted_total in E.
        destruct (sorted (row b home cores grp wnd g j)) as [|x l]; cbn in *; lia. }
      rewrite Z; [lia|]. intros j Hj. apply in_seq in Hj. lia.
  Qed.
End Windows.

(** ** A copy *)
Section Copy.
  Variables (t : block) (mt m : machine) (p : block) (b : nat) (wr un co : nat -> nat).
  Hypothesis R : renamed t mt m p b wr un co.
  Notation there := (there wr).

  Lemma sum_same_there (f f' : key -> nat) : (forall x, of m p b x -> f x = f' (there x)) ->
    (forall x, In x (keys p) -> group m (fst x) <> b -> f x = 0) ->
    sum f (keys p) = sum f' (keys t).
  Proof.
    intros H Z. set (l := filter (fun x => group m (fst x) =? b) (keys p)).
    assert (forall x, In x l <-> of m p b x) as F.
    { intros x. unfold l. rewrite filter_In, Nat.eqb_eq. reflexivity. }
    transitivity (sum f l).
    { unfold l. rewrite sum_filter. apply sum_ext. intros x Hx.
      destruct (Nat.eqb_spec (group m (fst x)) b) as [G|N]; [reflexivity|apply (Z x Hx N)]. }
    transitivity (sum f' (map there l)).
    { unfold sum. rewrite map_map. f_equal. apply map_ext_in. intros x Hx. apply H, F, Hx. }
    apply sum_perm, NoDup_Permutation; [|apply Instances.keys_nodup|].
    - apply Instances.nodup_map; [apply NoDup_filter, Instances.keys_nodup|]. intros x y Hx Hy.
      apply (there_distinct t mt m p b wr un co R); apply F; assumption.
    - intros [v k]. rewrite in_map_iff. split.
      + intros [x [<- Hx]]. apply (of_there t mt m p b wr un co R), F, Hx.
      + intros Hv. destruct (n_onto _ _ _ _ _ _ _ _ R v k Hv) as [w [Hw E]]. exists (w, k).
        split; [unfold SoloCopies.there; cbn; congruence|apply F, Hw].
  Qed.

  Variables (ht home : nat -> option nat) (cores : nat).
  (** Sub-core [c] of the slot is [co c] as it is written, and so are the units that it has for
      itself. *)
  Hypothesis Renumbers : Permutation (map co (seq 0 cores)) (seq 0 cores).
  Hypothesis Cores : forall f c, home f = Some c -> c < cores.
  Hypothesis Homes : forall x, of m p b x -> ht (fu (get t (there x)))
    = option_map co (home (fu (get p x))).
  Variables wnd wt : key -> nat.
  Hypothesis Windows : forall x, of m p b x -> wnd x = wt (there x).
  Notation grp := (fun y => group m (fst y)).
  Notation grt := (fun y => group mt (fst y)).

  Lemma renumbers_once c d : c < cores -> d < cores -> co c = co d -> c = d.
  Proof.
    intros Hc Hd E. assert (NoDup (map co (seq 0 cores))) as N
      by (apply (Permutation_NoDup (Permutation_sym Renumbers)), seq_NoDup).
    apply (NoDup_nth (map co (seq 0 cores)) 0) with (i := c) (j := d) in N; rewrite ?map_length,
      ?seq_length; auto.
    rewrite !(nth_indep _ 0 (co 0)) by (rewrite map_length, seq_length; assumption).
    rewrite !map_nth, !seq_nth by assumption. exact E.
  Qed.

  Lemma part_there j x : of m p b x -> part grp wnd b j x = part grt wt 0 j (there x).
  Proof.
    intros Hx. unfold part. rewrite (Windows x Hx), (n_alone _ _ _ _ _ _ _ _ R).
    destruct Hx as [_ ->]. rewrite !Nat.eqb_refl. reflexivity.
  Qed.

  Lemma part_not j x : group m (fst x) <> b -> part grp wnd b j x = false.
  Proof. intros N. unfold part. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity. Qed.

  Lemma priv_there j c : c < cores -> priv p home grp wnd b j c = priv t ht grt wt 0 j (co c).
  Proof.
    intros Hc. apply sum_same_there.
    - intros x Hx. rewrite (part_there j x Hx). unfold at_home. rewrite (Homes x Hx).
      destruct (same_of t mt m p b wr un co R x Hx) as [-> _].
      assert (match home (fu (get p x)) with Some d => d =? c | None => false end
        = match option_map co (home (fu (get p x))) with Some d => d =? co c | None => false end)
        as ->; [|reflexivity]. destruct (home (fu (get p x))) as [d|] eqn:E; [|reflexivity].
      cbn [option_map]. apply eq_true_iff_eq. rewrite !Nat.eqb_eq. split; [congruence|].
      apply (renumbers_once d c (Cores _ _ E) Hc).
    - intros x Hx N. rewrite (part_not j x N). reflexivity.
  Qed.

  Lemma shar_there j : shar p home grp wnd b j = shar t ht grt wt 0 j.
  Proof.
    apply sum_same_there.
    - intros x Hx. rewrite (part_there j x Hx). unfold is_shared. rewrite (Homes x Hx).
      destruct (same_of t mt m p b wr un co R x Hx) as [-> _].
      destruct (home (fu (get p x))); reflexivity.
    - intros x Hx N. rewrite (part_not j x N). reflexivity.
  Qed.

  Lemma row_there j : Permutation (row p home cores grp wnd b j) (row t ht cores grt wt 0 j).
  Proof.
    unfold row. etransitivity; [|apply Permutation_map, Renumbers]. rewrite map_map.
    apply Permutation_refl'. apply map_ext_in. intros c Hc. apply in_seq in Hc. apply priv_there.
    lia.
  Qed.

  (** *** W *)
  Theorem copy_busiest K : busiest p home cores grp wnd K b = busiest t ht cores grt wt K 0.
  Proof.
    apply sum_ext. intros j _. rewrite (shar_there j), (Extras.largest_perm _ _ (row_there j)).
    reflexivity.
  Qed.

  (** *** X *)
  Theorem copy_extras K : extras p home cores grp wnd K b = extras t ht cores grt wt K 0.
  Proof.
    unfold extras. apply flat_map_ext. intros j. rewrite (sorted_perm _ _ (row_there j)).
    reflexivity.
  Qed.
End Copy.

(** ** A grid: each thread block is a copy of one as it is written *)
Section Grid.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Variables (t : nat -> block) (mt : nat -> machine) (wr un co : nat -> nat -> nat).
  Notation m b := (mach G (sm_of X b)).
  Notation p b := (prog G (sm_of X b)).
  Hypothesis R : forall b, b < blocks G -> renamed (t b) (mt b) (m b) (p b) b (wr b) (un b) (co b).

  (** Units that a sub-core has for itself: on each SM, and of each thread block as it is
      written. *)
  Variables (home ht : nat -> nat -> option nat) (cores : nat).
  Hypothesis Home : forall i y, i < sms G -> In y (keys (prog G i)) ->
    1 <= init (get (prog G i) y) ->
    reach (home i) (core (mach G i) (fst y)) (fu (get (prog G i) y)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.
  Hypothesis Homes : forall b x, b < blocks G -> of (m b) (p b) b x ->
    ht b (fu (get (t b) (there (wr b) x))) = option_map (co b)
      (home (sm_of X b) (fu (get (p b) x))).
  Hypothesis Renumbers : forall b, b < blocks G ->
    Permutation (map (co b) (seq 0 cores)) (seq 0 cores).

  (** Latency paths and changes of sub-core of each as it is written. *)
  Variables P T : nat -> key -> nat.
  Hypothesis Pots : forall b, b < blocks G -> lam_cert (by_itself (release (mt b))) (t b) (P b).
  Hypothesis Turns : forall b, b < blocks G -> turns_cert (mt b) (t b) (T b).

  (** What each amounts to as it is written, with these windows. *)
  Definition written_chain (wt : nat -> key -> nat) (K : nat -> nat) (b : nat) : chain_kind :=
    chain_of (mt b) (t b) (ht b) cores (P b) (T b) (wt b) (K b) 0.
  Definition fine_chain : nat -> chain_kind := written_chain (fun b y => sec (get (t b) y))
    (fun b => sections (t b)).
  Definition coarse_chain : nat -> chain_kind := written_chain (fun _ _ => 0) (fun _ => 1).

  (** The changes of sub-core as they are written, on each SM. *)
  Definition written_turn (i : nat) (x : key) : nat := T (whose G i x) (there (wr (whose G i x)) x).
  Notation paths := (written G wr P).

  Lemma turn_cert i : i < sms G -> turns_cert (mach G i) (prog G i) (written_turn i).
  Proof.
    intros Hi x y Hx Hy Gy. set (b := whose G i x). destruct (g_whose _ _ V i x Hi Hx) as [B1 B2].
    fold b in B1, B2. assert (whose G i y = b) as E by exact Gy.
    assert (of (mach G i) (prog G i) b x /\ of (mach G i) (prog G i) b y) as [Ox Oy]
      by (repeat split; auto). pose proof (R b B1) as Rb. rewrite B2 in Rb.
    assert (forall z, of (mach G i) (prog G i) b z -> written_turn i z = T b (there (wr b) z))
      as Wt.
    { intros z [_ Hz]. unfold written_turn. assert (whose G i z = b) as -> by exact Hz.
      reflexivity. }
    rewrite (Wt x Ox), (Wt y Oy). destruct (same_of _ _ _ _ _ _ _ _ Rb x Ox) as [_ [_ [_ [Sx _]]]],
      (same_of _ _ _ _ _ _ _ _ Rb y Oy) as [_ [_ [_ [Sy _]]]]. cbv zeta in *.
    destruct (Turns b B1 (there (wr b) x) (there (wr b) y) (of_there _ _ _ _ _ _ _ _ Rb x Ox)
      (of_there _ _ _ _ _ _ _ _ Rb y Oy)) as [T1 T2].
    { rewrite !(n_alone _ _ _ _ _ _ _ _ Rb). reflexivity. }
    rewrite <- Sx, <- Sy in T1, T2. assert (forall z, of (mach G i) (prog G i) b z ->
      core (mt b) (fst (there (wr b) z)) = co b (core (mach G i) (fst z))) as Co.
    { intros z Hz. apply (n_core _ _ _ _ _ _ _ _ Rb z Hz). }
    rewrite (Co x Ox), (Co y Oy) in T1, T2. split.
    - intros S. specialize (T1 S). unfold differ in *.
      destruct (Nat.eqb_spec (core (mach G i) (fst y)) (core (mach G i) (fst x))) as [|N]; [lia|].
      destruct (Nat.eqb_spec (co b (core (mach G i) (fst y))) (co b (core (mach G i) (fst x))))
        as [Ec|]; [|lia]. destruct N. apply (n_cores _ _ _ _ _ _ _ _ Rb y x Oy Ox Ec).
    - intros S Ec. apply T2; congruence.
  Qed.

  Lemma copy_fine b : b < blocks G -> let i := sm_of X b in
    fine_work (mach G i) (prog G i) (home i) cores b <= fine_work (mt b) (t b) (ht b) cores 0.
  Proof.
    intros Hb i. pose proof (R b Hb) as Rb. fold i in Rb. unfold fine_work.
    etransitivity; [apply (busiest_windows _ _ _ _ _ _ (sections (t b)))|].
    - intros y Hy Gy. destruct (same_of _ _ _ _ _ _ _ _ Rb y (conj Hy Gy)) as [_ [_ [_ [-> _]]]].
      apply sec_few, (of_there _ _ _ _ _ _ _ _ Rb y (conj Hy Gy)).
    - apply Nat.eq_le_incl. apply (copy_busiest (t b) (mt b) _ _ b _ _ _ Rb (ht b) (home i) cores
        (Renumbers b Hb) (Cores i) (fun x => Homes b x Hb)). intros x Hx.
      apply (same_of _ _ _ _ _ _ _ _ Rb x Hx).
  Qed.

  Section Windows.
    Variables (wt : nat -> key -> nat) (K : nat -> nat).
    (** Windows are one or some sections of it, one behind the other. *)
    Hypothesis Few : forall b y, b < blocks G -> In y (keys (t b)) -> wt b y < K b.
    Hypothesis Behind : forall b u v, b < blocks G -> In u (keys (t b)) -> In v (keys (t b)) ->
      wt b u < wt b v ->
      sec (get (t b) u) < sec (get (t b) v).
    Definition window (i : nat) (x : key) : nat := wt (whose G i x) (there (wr (whose G i x)) x).
    Definition window_count : nat := list_max (map K (seq 0 (blocks G))).

    Theorem copy_amounts b : b < blocks G -> let i := sm_of X b in
      chain_amounts (mach G i) (prog G i) (home i) cores (paths i) (written_turn i) (window i)
        window_count b (written_chain wt K b).
    Proof.
      intros Hb i. pose proof (R b Hb) as Rb. fold i in Rb. pose proof (Renumbers b Hb) as Pb.
      pose proof (fun x => Homes b x Hb) as Hh. fold i in Hh.
      assert (forall x, of (mach G i) (prog G i) b x -> whose G i x = b) as Wh
        by (intros x [_ H]; exact H). assert (forall x, of (mach G i) (prog G i) b x ->
        In (there (wr b) x) (filter (fun y => group (mt b) (fst y) =? 0) (keys (t b)))) as In_t.
      { intros x Hx. apply filter_In. split; [apply (of_there _ _ _ _ _ _ _ _ Rb x Hx)|rewrite
          (n_alone _ _ _ _ _ _ _ _ Rb); reflexivity]. }
      assert (forall x, of (mach G i) (prog G i) b x -> window i x = wt b (there (wr b) x)) as Wn
        by (intros x Hx; unfold window; rewrite (Wh x Hx); reflexivity).
      pose proof (copy_fine b Hb) as Fw. cbv zeta in Fw. fold i in Fw.
      constructor; unfold written_chain; cbn [chain_of cW cX cE cO cL cH].
      - apply Nat.eq_le_incl, (sum_same_there _ _ _ _ _ _ _ _ Rb).
        + intros x Hx. rewrite (n_alone _ _ _ _ _ _ _ _ Rb), Nat.eqb_refl.
          destruct (same_of _ _ _ _ _ _ _ _ Rb x Hx) as [<- _]. destruct Hx as [_ ->].
          rewrite Nat.eqb_refl. reflexivity.
        + intros x _ N. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity.
      - intros x Hx. unfold written. rewrite (Wh x Hx).
        destruct (same_of _ _ _ _ _ _ _ _ Rb x Hx) as [_ [-> _]].
        apply list_max_ge, (in_map (fun y => P b y + lat (get (t b) y))), In_t, Hx.
      - intros x Hx. unfold written_turn, chg_of. rewrite (Wh x Hx).
        pose proof (list_max_ge _ _ (in_map (T b) _ _ (In_t x Hx))). lia.
      - unfold chg_of. lia.
      - lia.
      - apply (busiest_less (mt b) (t b) (ht b) cores (P b) (T b)).
      - intros n. assert (forall y, In y (keys (prog G i)) -> group (mach G i) (fst y) = b ->
          window i y < K b) as Wf.
        { intros y Hy Gy. rewrite (Wn y (conj Hy Gy)). apply Few; [exact Hb|].
          apply (of_there _ _ _ _ _ _ _ _ Rb y (conj Hy Gy)). }
        rewrite <- (copy_busiest (t b) (mt b) _ _ b _ _ _ Rb (ht b) (home i) cores Pb (Cores i) Hh
          (window i) (wt b) Wn (K b)). rewrite <-
          (copy_extras (t b) (mt b) _ _ b _ _ _ Rb (ht b) (home i) cores Pb (Cores i) Hh (window i)
          (wt b) Wn (K b)). apply Nat.add_le_mono;
          [apply (busiest_windows _ _ _ _ _ _ (K b) Wf)|apply
          (extras_windows _ _ _ _ _ _ (K b) Wf)].
    Qed.

    Lemma window_few i y : i < sms G -> In y (keys (prog G i)) -> window i y < window_count.
    Proof.
      intros Hi Hy. destruct (g_whose _ _ V i y Hi Hy) as [B1 B2]. set (b := whose G i y) in *.
      pose proof (R b B1) as Rb. rewrite B2 in Rb. apply Nat.lt_le_trans with (K b).
      - unfold window. fold b. apply Few; [exact B1|]. apply (of_there _ _ _ _ _ _ _ _ Rb y).
        split; [exact Hy|reflexivity].
      - unfold window_count. apply (list_max_in_ge K). apply in_seq. lia.
    Qed.

    Lemma window_behind i u v : i < sms G -> In u (keys (prog G i)) -> In v (keys (prog G i)) ->
      whose G i u = whose G i v -> window i u < window i v ->
      sec (get (prog G i) u) < sec (get (prog G i) v).
    Proof.
      intros Hi Hu Hv E L. destruct (g_whose _ _ V i v Hi Hv) as [B1 B2]. unfold window in L.
      rewrite E in L. set (b := whose G i v) in *. pose proof (R b B1) as Rb. rewrite B2 in Rb.
      assert (of (mach G i) (prog G i) b u /\ of (mach G i) (prog G i) b v) as [Ou Ov]
        by (repeat split; auto). destruct (same_of _ _ _ _ _ _ _ _ Rb u Ou) as [_ [_ [_ [-> _]]]],
        (same_of _ _ _ _ _ _ _ _ Rb v Ov) as [_ [_ [_ [-> _]]]].
      apply (Behind b _ _ B1); [apply (of_there _ _ _ _ _ _ _ _ Rb u Ou)|apply
        (of_there _ _ _ _ _ _ _ _ Rb v Ov)|exact L].
    Qed.

    (** *** What they amount to as they are written holds of them on their slots: it is what all
        theorems of Chain.v ask for. *)
    Theorem written_view : is_view G X paths written_turn home cores (written_chain wt K).
    Proof.
      exists window, (fun _ => window_count). split; [exact window_few|].
      split; [exact window_behind|exact copy_amounts].
    Qed.
  End Windows.

  Lemma fine_view : is_view G X paths written_turn home cores fine_chain.
  Proof. apply written_view; [intros b y _ Hy; apply sec_few, Hy|auto]. Qed.

  Lemma coarse_view : is_view G X paths written_turn home cores coarse_chain.
  Proof. apply written_view; intros; lia. Qed.

  Let HL := written_cert G X Mok V t mt wr un co R P Pots.

  (** *** Theorem 2 (K-CHAIN), static dispatch *)
  Theorem k_chain_static_copies b : b < blocks G ->
    ended X b <= min (k_chain_of G X fine_chain (sm_of X b))
      (k_chain_of G X coarse_chain (sm_of X b)) + service G * blocks G.
  Proof.
    intros Hb. rewrite <- Nat.add_min_distr_r. apply Nat.min_glb.
    - destruct fine_view as [wnd [K [W1 [W2 A]]]].
      apply (k_chain_static_bound G X _ paths written_turn wnd K home cores Mok V HL turn_cert
        Home Cores W1 W2 A b Hb).
    - destruct coarse_view as [wnd [K [W1 [W2 A]]]].
      apply (k_chain_static_bound G X _ paths written_turn wnd K home cores Mok V HL turn_cert
        Home Cores W1 W2 A b Hb).
  Qed.

  (** *** Theorems 2, 3 and 4, with those of docs/proofs.md *)
  Theorem k_chain_copies kd b : amounts_of G X kd paths -> goes_anywhere G X ->
    (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    let kinds := map kd (seq 0 (blocks G)) in
    let views := [map fine_chain (seq 0 (blocks G)); map coarse_chain (seq 0 (blocks G))] in
    let time := fun f => f (sms G) (slots G) (latency G) kinds views + service G * blocks G in
    ended X b <= time k_chain_least /\ ended X b <= time k_chain_area /\
    ended X b <= time k_chain_bal.
  Proof.
    intros HB Dyn Deal Hb kinds views time. assert (forall ck, In ck [fine_chain; coarse_chain] ->
      is_view G X paths written_turn home cores ck) as HV.
    { intros ck [<-|[<-|[]]]; [exact fine_view|exact coarse_view]. }
    split; [|split].
    - apply (k_chain_least_grid G X paths written_turn home cores Mok V HL turn_cert Home Cores kd _
        HB HV Dyn b Deal Hb).
    - apply (k_chain_area_grid G X paths written_turn home cores Mok V HL turn_cert Home Cores kd _
        HB HV Dyn b Deal Hb).
    - apply (k_chain_bal_grid G X paths written_turn home cores Mok V HL turn_cert Home Cores kd _
        HB HV Dyn b Deal Hb).
  Qed.

  (** *** What K-SERIAL asks for (kernel/SerialChain.v) *)
  Theorem chains_of_copies ck : In ck [fine_chain; coarse_chain] ->
    ledger (run_of G X) (sms G) (slots G) (latency G) (fun c => plain (ck c)) /\
    chains (run_of G X) (sms G) (slots G) (latency G) ck.
  Proof.
    intros Hc. apply (views_kept G X paths written_turn home cores Mok V HL turn_cert Home Cores
      [fine_chain; coarse_chain]); [|exact Hc].
    intros c [<-|[<-|[]]]; [exact fine_view|exact coarse_view].
  Qed.
End Grid.
