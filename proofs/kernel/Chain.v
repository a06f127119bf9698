(** * K-CHAIN of the machine (docs/sub-core-bounds.md, theorems 2, 3, 4 by theorem 6: beta = W +
    lam, extras without sigma)

    [G] is the grid, [X] an execution that keeps the rules R1 to R7 and G1 to G4.  [ck b] is what
    thread block [b] amounts to (ChainGrid.v), with sections for windows or with whole blocks:
    either the fine sums or the coarse ones.  [home i] says to which sub-core of SM [i] a unit is
    private. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb ChainWalk ChainSlot
  ChainFormulas Ledger Dynamic ChainDispatch ChainBalance ChainArea Grid GridLedger Kernel
  ChainGrid.

(** What is known of the thread blocks keeps the accounts of ChainFormulas.v, in whichever way that
    is shown. *)
Section Kept.
  Variables (G : grid) (X : execution) (ck : nat -> chain_kind).
  Hypothesis V : grid_valid G X.
  Hypothesis Lg : ledger (run_of G X) (sms G) (slots G) (latency G) (fun b => plain (ck b)).
  Hypothesis Ch : chains (run_of G X) (sms G) (slots G) (latency G) ck.
  Notation kinds := (map ck (seq 0 (blocks G))).
  Notation disp_time := (service G * blocks G).

  (** What the program takes for SM [i] under static dispatch. *)
  Definition k_chain_of (i : nat) : nat :=
    let n := length (of_sm G X i) in
    chain_sm (slots G) (latency G) n (map ck (of_sm G X i))
    + (if (n <=? slots G) && (0 <? service G) && (1 <? n) then latency G else 0).

  Theorem kept_static b : b < blocks G -> ended X b <= k_chain_of (sm_of X b) + disp_time.
  Proof.
    intros Hb. apply (in_real_time G X V).
    etransitivity; [apply (k_chain_static _ _ _ _ _ Lg Ch b Hb)|]. unfold chain_static, k_chain_of.
    change (on_sm (run_of G X) (sm (run_of G X) b)) with (of_sm G X (sm_of X b)).
    change (sm (run_of G X) b) with (sm_of X b). set (i := sm_of X b). apply Nat.add_le_mono_l.
    destruct (Nat.leb_spec (length (of_sm G X i)) (slots G)) as [Ln|Ln];
      [apply (late_few G X V i Ln)|apply le_n].
  Qed.

  Lemma length_kept : length kinds = blocks G.
  Proof. rewrite map_length. apply seq_length. Qed.

  Theorem kept_chain b : goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
    b < blocks G ->
    ended X b <= k_chain (sms G) (slots G) (latency G) kinds + disp_time.
  Proof.
    intros Dyn HD Hb. apply (in_real_time G X V). unfold k_chain. rewrite length_kept.
    destruct (Nat.leb_spec (blocks G) (sms G * slots G)) as [W|W].
    - destruct (HD W) as [New Few]. pose proof (g_place _ _ V b Hb) as [S1 _].
      apply (k_chain_one_wave _ _ _ _ _ Lg Ch ((blocks G + sms G - 1) / sms G)); auto.
      + intros c Hc. apply (first_new G X c). intros d. apply New, Hc.
      + apply wave_fits; lia.
    - apply (k_chain_dynamic _ _ _ _ _ Lg Ch (grid_dynamic G X Dyn) W b Hb).
  Qed.
End Kept.

(** Several such, with what thread blocks amount to on the other page. *)
Section KeptViews.
  Variables (G : grid) (X : execution) (L : nat -> key -> nat) (kd : nat -> kind)
    (views : list (nat -> chain_kind)).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HB : amounts_of G X kd L.
  Hypothesis Kept : forall ck, In ck views -> ledger (run_of G X) (sms G) (slots G) (latency G)
    (fun b => plain (ck b))
    /\ chains (run_of G X) (sms G) (slots G) (latency G) ck.
  Hypothesis Dyn : goes_anywhere G X.
  Let Lk := grid_ledger G X kd L Mok V HL HB.
  Notation plain_kinds := (map kd (seq 0 (blocks G))).
  Notation kinds := (map (fun ck => map ck (seq 0 (blocks G))) views).
  Notation disp_time := (service G * blocks G).

  Theorem kept_least b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain_least (sms G) (slots G) (latency G) plain_kinds kinds + disp_time.
  Proof.
    intros HD Hb. enough (ended X b - disp_time
      <= k_chain_least (sms G) (slots G) (latency G) plain_kinds kinds) by lia. apply best_ge.
    - pose proof (k_sm_bound G X kd L Mok V HL HB Dyn b HD Hb). lia.
    - intros l Hl. apply in_map_iff in Hl as [ck [<- Hc]]. destruct (Kept ck Hc) as [K1 K2].
      pose proof (kept_chain G X ck V K1 K2 b Dyn HD Hb). lia.
  Qed.

  Lemma length_plain : length plain_kinds = blocks G.
  Proof. rewrite map_length. apply seq_length. Qed.

  Theorem kept_area b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain_area (sms G) (slots G) (latency G) plain_kinds kinds + disp_time.
  Proof.
    intros HD Hb. destruct (le_lt_dec (blocks G) (sms G * slots G)) as [W|W].
    - unfold k_chain_area. rewrite length_plain, (proj2 (Nat.leb_le _ _) W).
      apply kept_least; assumption.
    - apply (in_real_time G X V), (k_chain_area_bound _ _ _ _ _ _ Lk Kept (grid_dynamic G X Dyn)
        W b Hb).
  Qed.

  Theorem kept_bal b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain_bal (sms G) (slots G) (latency G) plain_kinds kinds + disp_time.
  Proof.
    intros HD Hb. destruct (le_lt_dec (blocks G) (sms G * slots G)) as [W|W].
    - unfold k_chain_bal. rewrite length_plain, (proj2 (Nat.leb_le _ _) W).
      apply kept_least; assumption.
    - apply (in_real_time G X V), (k_chain_bal_bound _ _ _ _ _ _ Lk Kept (grid_dynamic G X Dyn)
        W b Hb).
  Qed.
End KeptViews.

Section Chain.
  Variables (G : grid) (X : execution) (ck : nat -> chain_kind) (L h wnd : nat -> key -> nat)
    (K : nat -> nat) (home : nat -> nat -> option nat) (cores : nat).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  (* certificates of latency paths and of changes of sub-core *)
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HT : forall i, i < sms G -> turns_cert (mach G i) (prog G i) (h i).
  (* a warp uses private units of its sub-core and shared ones *)
  Hypothesis Home : forall i y, i < sms G -> In y (keys (prog G i)) ->
    1 <= init (get (prog G i) y) ->
    reach (home i) (core (mach G i) (fst y)) (fu (get (prog G i) y)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.
  (* windows: one or some sections one behind the other *)
  Hypothesis Wnd : forall i y, i < sms G -> In y (keys (prog G i)) -> wnd i y < K i.
  Hypothesis Wnd_sec : forall i u v, i < sms G -> In u (keys (prog G i)) ->
    In v (keys (prog G i)) ->
    whose G i u = whose G i v -> wnd i u < wnd i v ->
    sec (get (prog G i) u) < sec (get (prog G i) v).
  Hypothesis HA : forall b, b < blocks G -> let i := sm_of X b in
    chain_amounts (mach G i) (prog G i) (home i) cores (L i) (h i) (wnd i) (K i) b (ck b).

  Notation kinds := (map ck (seq 0 (blocks G))).
  Notation disp_time := (service G * blocks G).
  Let Lg := chain_ledger G X ck L h wnd K home cores Mok V HL HA.
  Let Ch := grid_chains G X ck L h wnd K home cores Mok V HL HT Home Cores Wnd Wnd_sec HA.

  (** *** Theorem 2 (K-CHAIN), static dispatch: each SM by its own thread blocks *)
  Theorem k_chain_static_bound b : b < blocks G -> ended X b <= k_chain_of G X ck (sm_of X b)
    + disp_time.
  Proof. apply (kept_static G X ck V Lg Ch). Qed.

  Hypothesis Dyn : goes_anywhere G X.

  (** *** Theorem 2 (K-CHAIN), dynamic dispatch *)
  Theorem k_chain_grid b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain (sms G) (slots G) (latency G) kinds + disp_time.
  Proof. apply (kept_chain G X ck V Lg Ch b Dyn). Qed.
End Chain.

(** Several views of the same thread blocks, say with the fine sums and with the coarse ones, and
    what they amount to on the other page, with its [alpha] and [solo]: the least of all
    formulas. *)
Section Views.
  Variables (G : grid) (X : execution) (L h : nat -> key -> nat) (home : nat -> nat -> option nat)
    (cores : nat).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HT : forall i, i < sms G -> turns_cert (mach G i) (prog G i) (h i).
  Hypothesis Home : forall i y, i < sms G -> In y (keys (prog G i)) ->
    1 <= init (get (prog G i) y) ->
    reach (home i) (core (mach G i) (fst y)) (fu (get (prog G i) y)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.

  (** A view: what thread blocks amount to with these windows. *)
  Definition is_view (ck : nat -> chain_kind) : Prop := exists (wnd : nat -> key -> nat)
    (K : nat -> nat), (forall i y, i < sms G -> In y (keys (prog G i)) -> wnd i y < K i)
    /\ (forall i u v, i < sms G -> In u (keys (prog G i)) -> In v (keys (prog G i)) ->
          whose G i u = whose G i v -> wnd i u < wnd i v ->
          sec (get (prog G i) u) < sec (get (prog G i) v))
    /\ (forall b, b < blocks G -> let i := sm_of X b in
          chain_amounts (mach G i) (prog G i) (home i) cores (L i) (h i) (wnd i) (K i) b (ck b)).

  Variables (kd : nat -> kind) (views : list (nat -> chain_kind)).
  Hypotheses (HB : amounts_of G X kd L) (HV : forall ck, In ck views -> is_view ck).
  Hypothesis Dyn : goes_anywhere G X.
  Notation plain_kinds := (map kd (seq 0 (blocks G))).
  Notation kinds := (map (fun ck => map ck (seq 0 (blocks G))) views).
  Notation disp_time := (service G * blocks G).

  Lemma views_kept ck : In ck views -> ledger (run_of G X) (sms G) (slots G) (latency G)
    (fun b => plain (ck b))
    /\ chains (run_of G X) (sms G) (slots G) (latency G) ck.
  Proof.
    intros Hc. destruct (HV ck Hc) as [wnd [K [W1 [W2 HA]]]]. split.
    - apply (chain_ledger G X ck L h wnd K home cores Mok V HL HA).
    - apply (grid_chains G X ck L h wnd K home cores Mok V HL HT Home Cores W1 W2 HA).
  Qed.

  (** *** The least of K-SM and K-CHAIN *)
  Theorem k_chain_least_grid b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain_least (sms G) (slots G) (latency G) plain_kinds kinds + disp_time.
  Proof. apply (kept_least G X L kd views Mok V HL HB views_kept Dyn). Qed.

  (** *** Theorem 3 (K-CHAIN-AREA) *)
  Theorem k_chain_area_grid b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain_area (sms G) (slots G) (latency G) plain_kinds kinds + disp_time.
  Proof. apply (kept_area G X L kd views Mok V HL HB views_kept Dyn). Qed.

  (** *** Theorem 4 (K-CHAIN-BAL) *)
  Theorem k_chain_bal_grid b : (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    ended X b <= k_chain_bal (sms G) (slots G) (latency G) plain_kinds kinds + disp_time.
  Proof. apply (kept_bal G X L kd views Mok V HL HB views_kept Dyn). Qed.
End Views.
