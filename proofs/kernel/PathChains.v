(** * K-CHAIN by time: coarse sums with any bound of a stay along a path (docs/sub-core-bounds.md,
    theorems 2 to 4)

    Of each thread block it is known what it takes at most but for what others initiate in the reach
    of a path through the sub-cores, be it by SIB (lemma 1 with SIB).  Then the accounts of
    ChainFormulas.v are kept with coarse sums. *)

From Coq Require Import FinFun.
From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Isolation Bounds
  Instances Weights ChainWalk ChainWork ChainSlot ChainBlock ChainSib ChainTime ChainOwn
  ChainFormulas ChainAccounts Ledger Tail Grid Stay GridLedger.

(** From any time of its stay to its end thread block [b] takes [a] and what others initiate in the
    reach of a path with less than [chg] changes. *)
Definition path_bound (m : machine) (p : block) (home : nat -> option nat) (b a chg : nat) : Prop :=
  forall s t0 e, valid m p s -> begin s b <= t0 <= e -> (forall x, of m p b x -> C s x <= e) ->
    e = t0 \/ (exists x, of m p b x /\ C s x = e) ->
    exists ro cut, e <= t0 + a + met_others p m s home b ro t0 e /\
    (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= chg.

Lemma path_least m p home b a c chg : path_bound m p home b a chg -> path_bound m p home b c chg ->
  path_bound m p home b (min a c) chg.
Proof.
  intros H1 H2.
  destruct (le_lt_dec a c); [rewrite Nat.min_l by lia; exact H1|rewrite Nat.min_r by lia; exact H2].
Qed.

(** *** By SIB *)
Theorem path_sib m p home b iI iD h chg : machine_ok m -> wf p -> iso_edges p m iI iD ->
  turns_cert m p h ->
  (forall y, In y (keys p) -> 1 <= init (get p y) -> reach home (core m (fst y)) (fu (get p y))) ->
  depth m = Some 0 \/ depth m = None -> (forall x, of m p b x -> h x + 1 <= chg) -> 1 <= chg ->
  path_bound m p home b (block_bound p m (sib_charge p m) iD b) chg.
Proof.
  intros M W HI HT Home Hd Hc H1 s t0 e V Ht He Hl.
  destruct (chain_sib m p s iI iD h home b M W V HI HT Home Hd t0 (proj1 Ht) e (fun x Hx Gx =>
    He x (conj Hx Gx)) chg (fun y Hy Gy => Hc y (conj Hy Gy)) H1 (proj2 Ht))
    as [N [ro [cut [N1 [N2 [N3 [N4 N5]]]]]]]. exists ro, cut.
  assert (e = N \/ e = t0) as E by (destruct Hl as [|[x [[X1 X2] X3]]];
    [auto|specialize (N2 x X1 X2); lia]). split; [|auto]. destruct E as [->| ->]; lia.
Qed.

(** *** By W and lam *)
Theorem path_chain m p home cores b L h lamc chg : machine_ok m -> wf p -> lam_cert m p L ->
  turns_cert m p h ->
  (forall y, In y (keys p) -> 1 <= init (get p y) -> reach home (core m (fst y)) (fu (get p y))) ->
  (forall f c, home f = Some c -> c < cores) ->
  (forall x, of m p b x -> L x + lat (get p x) <= lamc) ->
  (forall x, of m p b x -> h x + 1 <= chg) -> 1 <= chg ->
  path_bound m p home b (fine_work m p home cores b + lamc) chg.
Proof.
  intros M W HL HT Home Cores Hl Hc H1 s t0 e V Ht He [->|[x [[X1 X2] <-]]].
  - exists (fun _ => 0), []. split; [lia|]. split; [congruence|exact H1].
  - apply (chain_own m p s L h home cores b t0 M W V HL HT Home Cores (proj1 Ht) x lamc chg X1 X2
      (Hl x (conj X1 X2)) (Hc x (conj X1 X2))).
Qed.

Lemma path_more m p home b a c chg : path_bound m p home b a chg -> a <= c ->
  path_bound m p home b c chg.
Proof.
  intros H Le s t0 e V Ht He Hl. destruct (H s t0 e V Ht He Hl) as [ro [cut [H1 H2]]].
  exists ro, cut. split; [lia|exact H2].
Qed.

(** What is known of thread block [b], with coarse sums: its windows are the whole of it. *)
Record path_amounts (m : machine) (p : block) (home : nat -> option nat) (cores : nat)
  (L h : key -> nat) (b : nat) (k : chain_kind) : Prop := {
  pa_work : sum (fun x => if group m (fst x) =? b then init (get p x) else 0) (keys p) <= cE k;
  pa_lam : forall x, of m p b x -> L x + lat (get p x) <= cL k;
  pa_turns : forall x, of m p b x -> h x + 1 <= cH k;
  pa_turn : 1 <= cH k;
  pa_own : path_bound m p home b (cW k + cO k) (cH k);
  pa_less : cW k <= cE k;
  pa_others : forall n, busiest p home cores (fun y => group m (fst y)) (fun _ => 0) 1 b
    + largest n (extras p home cores (fun y => group m (fst y)) (fun _ => 0) 1 b)
      <= cW k + largest n (cX k) }.

Section PathChains.
  Variables (G : grid) (X : execution) (ck : nat -> chain_kind) (L h : nat -> key -> nat)
    (home : nat -> nat -> option nat) (cores : nat).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HT : forall i, i < sms G -> turns_cert (mach G i) (prog G i) (h i).
  Hypothesis Home : forall i y, i < sms G -> In y (keys (prog G i)) ->
    1 <= init (get (prog G i) y) ->
    reach (home i) (core (mach G i) (fst y)) (fu (get (prog G i) y)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.
  Hypothesis HA : forall b, b < blocks G -> let i := sm_of X b in
    path_amounts (mach G i) (prog G i) (home i) cores (L i) (h i) b (ck b).
  Notation r := (run_of G X).

  Lemma path_ledger : ledger r (sms G) (slots G) (latency G) (fun b => plain (ck b)).
  Proof.
    apply (grid_ledger G X _ L Mok V HL). intros b Hb. pose proof (g_place _ _ V b Hb) as [Hi _].
    destruct (Mok _ Hi) as [M W]. destruct (HA b Hb) as [A1 A2 _ _ _ _ _].
    constructor; cbn [plain kE kL kA kS]; auto.
    - apply (stay_elb _ _ _ (L (sm_of X b))); auto.
    - apply (solo_elb _ _ _ (L (sm_of X b))); auto.
  Qed.
  Let Lg := path_ledger.

  Section Sm.
    Variables (i : nat) (Hi : i < sms G).
    Notation here := (on_sm r i).
    Notation m := (mach G i).
    Notation p := (prog G i).
    Notation s := (sched X i).

    Lemma on_here g : In g here -> g < blocks G /\ sm_of X g = i.
    Proof. apply in_on_sm. Qed.

    Lemma valid_sm : valid m p s.
    Proof. apply (g_machine _ _ V i Hi). Qed.

    Lemma known g : In g here -> path_amounts m p (home i) cores (L i) (h i) g (ck g).
    Proof. intros Hg. apply on_here in Hg as [A <-]. apply HA, A. Qed.

    Lemma start_sm g : In g here -> start r g = begin s g.
    Proof. intros Hg. apply on_here in Hg as [A <-]. reflexivity. Qed.

    Lemma key_sm y : In y (keys p) -> In (whose G i y) here.
    Proof. intros Hy. destruct (g_whose _ _ V i y Hi Hy) as [A B]. apply in_on_sm. auto. Qed.

    (** An instruction initiates in its thread block's stay only. *)
    Lemma in_stay y t : In y (keys p) -> initiates s t y = true ->
      start r (whose G i y) <= t < fin r (whose G i y).
    Proof.
      intros Hy E. apply init_iff in E. pose proof (g_complete _ _ V i y Hi Hy) as Cy.
      pose proof (v_begin _ _ _ valid_sm y Hy) as B. rewrite (start_sm _ (key_sm y Hy)).
      pose proof (v_start _ _ _ valid_sm y Hy). unfold whose, Model.C in *. cbn [fin run_of] in *.
      lia.
    Qed.

    (** Of what [c] initiates in the reach of a route, by the changes in its stay *)
    Lemma one_met ro n c : In c here ->
      cnt (fun t => inside r c t && turns_at ro t) (fin r c) <= n ->
      wsum p (met p s (home i) ro 0 (fin r c)) (fun y => whose G i y =? c) <= charge (ck c) n.
    Proof.
      intros Hc Hn. pose proof (known c Hc) as A. set (mt := met p s (home i) ro 0 (fin r c)).
      assert (forall y, In y (keys p) -> mt y <= init (get p y)) as Mi.
      { intros y Hy. etransitivity; [|apply (active_init m p s 0 (fin r c) y valid_sm Hy)].
      apply cnt_le.
        intros t _ E. apply andb_prop in E as [E1 E2]. apply andb_prop in E2 as [E2 _].
        rewrite E1, E2. reflexivity. }
      set (P := fun y => negb (mt y =? 0)).
      assert (wsum p mt (fun y => whose G i y =? c)
        <= wsum p (fun y => init (get p y)) (fun y => P y && part (whose G i) (fun _ => 0) c 0 y))
        as Q.
      { apply sum_le. intros y Hy. unfold P, part. rewrite Nat.eqb_refl, andb_true_r.
        destruct (whose G i y =? c); [|destruct (_ && _); lia]. rewrite andb_true_r.
        destruct (Nat.eqb_spec (mt y) 0) as [->|]; cbn [negb]; [lia|apply Mi, Hy]. }
      unfold charge. apply Nat.min_glb.
      - etransitivity; [|apply (pa_work _ _ _ _ _ _ _ _ A)]. apply sum_le. intros y Hy.
        unfold whose. destruct (_ =? _); [apply Mi, Hy|lia].
      - destruct (visited ro (start r c) (fin r c)) as [U [U1 [U3 U2]]].
        pose proof (window_work p (home i) cores (whose G i) (fun _ => 0) (Cores i) c 0 P U U1) as
          Wk.
        assert (wsum p (fun y => init (get p y)) (fun y =>
          P y && part (whose G i) (fun _ => 0) c 0 y) <= shar p (home i) (whose G i) (fun _ =>
          0) c 0 + largest (length U) (row p (home i) cores (whose G i) (fun _ => 0) c 0)) as Wk'.
        { apply Wk. intros y Hy Py Ey. unfold part in Ey. rewrite Nat.eqb_refl, andb_true_r in Ey.
          apply Nat.eqb_eq in Ey. unfold P, mt, met in Py. apply negb_true_iff, Nat.eqb_neq in Py.
          destruct (existsb (fun t => initiates s t y && reachb (home i) (ro t) (fu (get p y)))
            (seq 0 (fin r c))) eqn:Ex.
          - apply existsb_exists in Ex as [t [_ Ex]]. apply andb_prop in Ex as [T1 T2].
            apply (in_stay y t Hy) in T1. rewrite Ey in T1. apply reachb_iff in T2.
            destruct T2 as [T2|T2]; [left; exact T2|right]. exists (ro t).
            split; [apply U2, T1|exact T2].
          - exfalso. apply Py, cnt_none. intros t Ht. apply not_true_is_false. intros Et.
            apply not_true_iff_false in Ex. apply Ex, existsb_exists. exists t.
            split; [apply in_seq; lia|exact Et]. }
        pose proof (largest_grows (length U) (S n)
          (row p (home i) cores (whose G i) (fun _ => 0) c 0)) as G1. unfold inside in Hn.
        specialize (G1 ltac:(lia)).
        pose proof (largest_more n (row p (home i) cores (whose G i) (fun _ => 0) c 0))
          as G2. pose proof (pa_others _ _ _ _ _ _ _ _ A n) as O.
        assert (busiest p (home i) cores (fun y => group m (fst y)) (fun _ => 0) 1 c
          = largest 1 (row p (home i) cores (whose G i) (fun _ => 0) c 0)
          + shar p (home i) (whose G i) (fun _ => 0) c 0) as B1.
        { unfold busiest, sum, whose. cbn [seq map list_sum fold_right]. lia. }
        assert (extras p (home i) cores (fun y => group m (fst y)) (fun _ => 0) 1 c
          = tl (sorted (row p (home i) cores (whose G i) (fun _ => 0) c 0))) as B2.
        { unfold extras, whose. cbn [seq flat_map]. apply app_nil_r. }
        rewrite B1, B2 in O. lia.
    Qed.


    (** What [g] initiates in cycle [t] in reach of [c] *)
    Definition route_pays (c g t : nat) : nat := let j := sm_of X g in
      sum (fun y => Nat.b2n ((whose G j y =? g) && (initiates (sched X j) t y
        && reachb (home j) c (fu (get (prog G j) y))))) (keys (prog G j)).

    Lemma along_met ro a z g : In g here -> along route_pays ro a z g
      = wsum p (met p s (home i) ro a z) (fun y => whose G i y =? g).
    Proof.
      intros Hg. destruct (on_here g Hg) as [_ Eg]. unfold along, route_pays. rewrite Eg.
      transitivity (sum (fun t => sum (fun y => Nat.b2n ((whose G i y =? g) && ((a <=? t)
        && (initiates s t y && reachb (home i) (ro t) (fu (get p y)))))) (keys p)) (seq 0 z)).
      - apply sum_ext. intros t _. destruct (a <=? t); [reflexivity|]. symmetry. apply sum_zero.
        intros y _. cbn [andb]. rewrite andb_false_r. reflexivity.
      - rewrite sum_swap. apply sum_ext. intros y _. destruct (whose G i y =? g); cbn [andb].
        + unfold met. rewrite <- cycles_cnt. reflexivity.
        + apply sum_zero. reflexivity.
    Qed.

    (** What all but [g] initiate is along others. *)
    Lemma others_met ro a z l (q : key -> bool) : incl l here -> (forall y, In y (keys p) ->
      q y = true -> In (whose G i y) l) ->
      wsum p (met p s (home i) ro a z) q <= sum (along route_pays ro a z) l.
    Proof.
      intros Hl H. rewrite (sum_ext _ (fun c => wsum p (met p s (home i) ro a z)
        (fun y => whose G i y =? c))) by (intros c Hc; apply along_met, Hl, Hc).
      unfold wsum. rewrite <- sum_swap. apply sum_le. intros y Hy.
      destruct (q y) eqn:Q; [|apply Nat.le_0_l].
      pose proof (sum_ge (fun c => if whose G i y =? c then met p s (home i) ro a z y else 0)
        (whose G i y) l (H y Hy Q)) as S. cbv beta in S. rewrite Nat.eqb_refl in S. exact S.
    Qed.

    Lemma cut_turns ro cut n t0 : (forall t, ro t <> ro (S t) -> In (S t) cut) -> length cut + 1 <=
      n ->
      forall z, cnt (fun t => (t0 <=? t) && turns_at ro t) z + 1 <= n.
    Proof.
      intros Cut Hn z. enough (cnt (fun t => (t0 <=? t) && turns_at ro t) z <= length cut) by lia.
      rewrite <- cycles_cnt. unfold cycles. rewrite <- length_sum, <- (map_length S).
      apply NoDup_incl_length; [apply Injective_map_NoDup, NoDup_filter, seq_NoDup;
        intros x y E; lia|].
      intros y Hy. apply in_map_iff in Hy as [t [<- Hy]]. apply filter_In in Hy as [_ Hy].
      apply andb_prop in Hy as [_ Hy]. apply Cut. apply negb_true_iff, Nat.eqb_neq in Hy. exact Hy.
    Qed.

    (** No change, where nothing is left *)
    Lemma no_turns n t0 : 1 <= n -> forall z, cnt (fun t => (t0 <=? t) && turns_at (fun _ => 0) t) z
      + 1
      <= n.
    Proof. intros Hn. apply (cut_turns _ []); [congruence|exact Hn]. Qed.

    Lemma timed_route g t0 : In g here -> start r g <= t0 <= fin r g -> exists ro,
      (forall z, cnt (fun t => (t0 <=? t) && turns_at ro t) z + 1 <= cH (ck g))
      /\ fin r g <= t0 + (cW (ck g) + cO (ck g)) + sum (along route_pays ro t0 (fin r g)) (others r
        g).
    Proof.
      intros Hg Ht. destruct (on_here g Hg) as [G1 G2]. pose proof (known g Hg) as A.
      destruct (Nat.eq_dec (fin r g) t0) as [E|N].
      { exists (fun _ => 0). split; [apply no_turns, (pa_turn _ _ _ _ _ _ _ _ A)|lia]. }
      destruct (pa_own _ _ _ _ _ _ _ _ A s t0 (fin r g) valid_sm) as [ro [cut [H1 [H2 H3]]]].
      - rewrite <- (start_sm g Hg). exact Ht.
      - intros x [Hx Gx]. pose proof (g_complete _ _ V i x Hi Hx) as Cx. unfold whose in Cx.
        rewrite Gx in Cx. exact Cx.
      - right. destruct (g_end _ _ V g G1) as [_ [Em|[x [X1 [X2 X3]]]]].
        + exfalso. change (ended X g) with (fin r g) in Em.
          change (started X g) with (start r g) in Em. lia.
        + rewrite G2 in *. exists x. split; [split; [exact X1|exact X2]|]. symmetry. exact X3.
      - exists ro. split; [apply (cut_turns ro cut); assumption|]. etransitivity; [exact H1|].
        apply Nat.add_le_mono_l. unfold met_others.
        etransitivity; [|apply (others_met ro t0 (fin r g) (others r g)
          (fun y => negb (group m (fst y) =? g)))].
        + unfold wsum. apply sum_le. intros y _. destruct (_ =? _); [apply Nat.le_0_l|apply le_n].
        + unfold others. cbn [sm run_of]. rewrite G2. intros c Hc. apply filter_In in Hc. apply Hc.
        + intros y Hy Q. unfold others. cbn [sm run_of]. rewrite G2. apply filter_In.
          split; [apply key_sm, Hy|exact Q].
    Qed.

    Lemma idle_route b t1 : In b here -> start r b <= t1 <= fin r b -> exists ro,
      (forall z, cnt (fun t => (t1 <=? t) && turns_at ro t) z + 1 <= cH (ck b))
      /\ fin r b <= t1 + cL (ck b) + sum (along route_pays ro t1 (fin r b)) here.
    Proof.
      intros Hb Tb. destruct (Mok i Hi) as [M W]. pose proof (known b Hb) as A.
      destruct (on_here b Hb) as [B1 B2]. destruct (g_end _ _ V b B1) as [_ [Em|[x [X1 [X2 X3]]]]].
      { exists (fun _ => 0). split; [apply no_turns, (pa_turn _ _ _ _ _ _ _ _ A)|].
        change (ended X b) with (fin r b) in Em. change (started X b) with (start r b) in Em. lia. }
      rewrite B2 in *. change (ended X b) with (fin r b) in X3.
      destruct (chain_time m p s (L i) (h i) (home i) b t1 M W valid_sm (HL i Hi) (HT i Hi)
        (fun y => Home i y Hi) ltac:(rewrite <- (start_sm b Hb); lia) x (cL (ck b)) (cH (ck b)) X1
        X2) as [ro [cut [P1 [P2 P3]]]].
      - apply (pa_lam _ _ _ _ _ _ _ _ A x (conj X1 X2)).
      - apply (pa_turns _ _ _ _ _ _ _ _ A x (conj X1 X2)).
      - exists ro. rewrite <- X3 in P1. split; [apply (cut_turns ro cut); assumption|].
        etransitivity; [exact P1|]. apply Nat.add_le_mono_l.
        etransitivity; [|apply (others_met ro t1 (fin r b) here (fun _ => true) (incl_refl _)
          (fun y Hy _ => key_sm y Hy))].
        apply le_n.
    Qed.
  End Sm.

  (** *** The accounts of ChainFormulas.v, with SIB where it is less: theorems 2, 3 and 4 of
      sub-core-bounds.md follow *)
  Theorem path_chains : chains r (sms G) (slots G) (latency G) ck.
  Proof.
    apply (route_chains r (sms G) (slots G) (latency G) ck path_ledger route_pays).
    - intros c g t Hg N. destruct (g_place _ _ V g Hg) as [Hi _]. unfold route_pays in N.
      destruct (existsb (fun y => (whose G (sm_of X g) y =? g) && initiates (sched X (sm_of X g)) t
        y)
        (keys (prog G (sm_of X g)))) eqn:E.
      + apply existsb_exists in E as [y [Hy E]]. apply andb_prop in E as [E1 E2].
        apply Nat.eqb_eq in E1. pose proof (in_stay _ Hi y t Hy E2) as S. rewrite E1 in S. exact S.
      + destruct N. apply sum_zero. intros y Hy. apply not_true_iff_false in E.
        destruct (whose G (sm_of X g) y =? g) eqn:E1, (initiates (sched X (sm_of X g)) t y) eqn:E2;
          try reflexivity. destruct E. apply existsb_exists. exists y. rewrite E1, E2. auto.
    - intros g ro n Hg Hn. pose proof (proj1 (g_place _ _ V g Hg)) as Hi.
      assert (In g (on_sm r (sm_of X g))) as Hin by (apply in_on_sm; auto).
      rewrite (along_met _ ro 0 _ g Hin). apply (one_met _ Hi ro n g Hin Hn).
    - intros b Hb. pose proof (HA b Hb) as A.
      split; [apply (pa_less _ _ _ _ _ _ _ _ A)|apply (pa_turn _ _ _ _ _ _ _ _ A)].
    - intros g t0 Hg. apply (timed_route _ (proj1 (g_place _ _ V g Hg))), in_on_sm. auto.
    - intros g t0 Hg. apply (idle_route _ (proj1 (g_place _ _ V g Hg))), in_on_sm. auto.
  Qed.
End PathChains.
