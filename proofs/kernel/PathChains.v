(** * K-CHAIN by time: coarse sums with any bound of a stay along a path (docs/sub-core-bounds.md,
    theorems 2 to 4)

    Of each thread block it is known what it takes at most but for what others initiate in the reach
    of a path through the sub-cores, be it by SIB (lemma 1 with SIB).  Then the accounts of
    ChainFormulas.v are kept with coarse sums. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share Formulas Model Elb Isolation Bounds Instances
  Weights ChainWalk ChainWork ChainSlot ChainBlock ChainSib ChainTime ChainOwn ChainFormulas Ledger
  Tail Grid Stay GridLedger.
Import ListNotations.

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
    Notation tick := (counted r).

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

    Let slot_disp := slot_after r _ _ _ _ Lg i.

    Lemma stay_times g : In g here -> disp r g <= start r g <= fin r g.
    Proof. intros Hg. apply (l_disp _ _ _ _ _ Lg), (on_here g Hg). Qed.

    (** What thread blocks that are not in [F] initiate in the reach of a path. *)
    Definition met_out (F : list nat) (ro : nat -> nat) (t0 e : nat) : nat :=
      sum (fun y => if existsb (Nat.eqb (whose G i y)) F then 0 else met p s (home i) ro t0 e y)
        (keys p).

    Lemma in_list F g : existsb (Nat.eqb g) F = true <-> In g F.
    Proof.
      rewrite existsb_exists. split; [intros [y [Hy E]]; apply Nat.eqb_eq in E; subst; exact Hy|].
      intros H. exists g. split; [exact H|apply Nat.eqb_refl].
    Qed.

    (** Two paths one behind the other. *)
    Lemma met_both F ro1 ro2 ro t0 t1 e : t0 <= t1 <= e -> (forall t, t < t1 -> ro t = ro1 t) ->
      (forall t, t1 <= t -> ro t = ro2 t) ->
      met_out F ro1 t0 t1 + met_out F ro2 t1 e <= met_out F ro t0 e.
    Proof.
      intros T H1 H2. unfold met_out. rewrite <- sum_add. apply sum_le. intros y _.
      destruct (existsb _ F); [apply le_n|]. apply cnt_both; [lia| |].
      - intros t Ht E. rewrite (H1 t Ht). exact E.
      - intros t Ht E. apply andb_prop in E as [E1 E2]. apply Nat.leb_le in E1. split; [exact E1|].
        rewrite (H2 t E1), E2. apply andb_true_intro. split; [apply Nat.leb_le; lia|reflexivity].
    Qed.

    (** The stay of [g]: of [F] no other one is there. *)
    Lemma stay_path F g t0 : In g here -> In g F -> start r g <= t0 <= fin r g ->
      (forall c, In c F -> c <> g -> fin r c <= t0 \/ fin r g <= start r c) ->
      exists ro cut, fin r g <= t0 + (cW (ck g) + cO (ck g)) + met_out F ro t0 (fin r g)
        /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= cH (ck g).
    Proof.
      intros Hg Fg Ht Ap. destruct (on_here g Hg) as [G1 G2]. pose proof (known g Hg) as A.
      destruct (Nat.eq_dec (fin r g) t0) as [E|N].
      { exists (fun _ => 0), []. split; [lia|]. split; [congruence|].
        pose proof (pa_turn _ _ _ _ _ _ _ _ A). cbn. lia. }
      destruct (pa_own _ _ _ _ _ _ _ _ A s t0 (fin r g) valid_sm) as [ro [cut [H1 [H2 H3]]]].
      - rewrite <- (start_sm g Hg). exact Ht.
      - intros x [Hx Gx]. pose proof (g_complete _ _ V i x Hi Hx) as Cx. unfold whose in Cx.
        rewrite Gx in Cx. exact Cx.
      - right. destruct (g_end _ _ V g G1) as [_ [Em|[x [X1 [X2 X3]]]]].
        + exfalso. change (ended X g) with (fin r g) in Em.
          change (started X g) with (start r g) in Em. lia.
        + rewrite G2 in *. exists x. split; [split; [exact X1|exact X2]|]. symmetry. exact X3.
      - exists ro, cut. split; [|auto]. etransitivity; [exact H1|]. apply Nat.add_le_mono_l.
        apply sum_le. intros y Hy.
        destruct (Nat.eqb_spec (group m (fst y)) g) as [|Ng]; [apply Nat.le_0_l|].
        destruct (existsb (Nat.eqb (whose G i y)) F) eqn:E; [|apply le_n]. apply in_list in E.
        rewrite Nat.le_0_r. apply cnt_none. intros t Tt.
        destruct (t0 <=? t) eqn:T0; [cbn [andb]|reflexivity].
        destruct (initiates s t y) eqn:Iy; [exfalso|reflexivity]. apply Nat.leb_le in T0.
        apply (in_stay y t Hy) in Iy. destruct (Ap _ E Ng); unfold whose in *; lia.
    Qed.

    Lemma ticks_pass g N : In g here -> cnt (fun t => tick t && passing r g t) N
      <= delay r (latency G) g.
    Proof. intros Hg. rewrite <- cycles_cnt. apply (l_delay _ _ _ _ _ Lg N g), (on_here g Hg). Qed.

    (** Cycles from [t0] to [t1] that count, where only [g] passes its delay. *)
    Lemma ticks_gap g t0 t1 : In g here -> t0 <= t1 ->
      (forall t, t0 <= t < t1 -> tick t = true -> passing r g t = true) ->
      cnt tick t1 <= cnt tick t0 + delay r (latency G) g.
    Proof.
      intros Hg T H. pose proof (ticks_pass g t1 Hg) as D.
      enough (cnt tick t1 <= cnt tick t0 + cnt (fun t => tick t && passing r g t) t1) by lia.
      clear D. induction T as [|t1 T IH]; [lia|]. cbn [cnt].
      specialize (IH (fun t Ht => H t ltac:(lia))). specialize (H t1 ltac:(lia)).
      destruct (tick t1); [rewrite (H eq_refl)|]; cbn; lia.
    Qed.

    Lemma ticks_all t0 t1 : t0 <= t1 -> cnt tick t1 <= cnt tick t0 + (t1 - t0).
    Proof. induction 1 as [|t1 T IH]; [lia|]. cbn [cnt]. destruct (tick t1); lia. Qed.

    (** ** A slot: [F] are its thread blocks *)
    Section Slot.
      Variables (q : nat) (F : list nat).
      Hypothesis Hq : q < slots G.
      Hypothesis Fnd : NoDup F.
      Hypothesis Fall : forall g, In g here -> (In g F <-> room r g = q).
      Hypothesis Fhere : incl F here.
      Definition upto g := filter (fun c => ord r c <=? ord r g) F.

      Lemma slot_one g c : In g F -> In c F -> ord r g = ord r c -> g = c.
      Proof.
        intros Hg Hc E. apply (l_ord _ _ _ _ _ Lg); auto; apply on_here, Fhere; assumption.
      Qed.

      Lemma slot_before c g : In c F -> In g F -> ord r c < ord r g -> fin r c <= disp r g.
      Proof.
        intros Hc Hg O. apply slot_disp; auto. pose proof (proj1 (Fall c (Fhere c Hc)) Hc).
        pose proof (proj1 (Fall g (Fhere g Hg)) Hg). congruence.
      Qed.

      Let slot_waits := fun g t => slot_passing r _ _ _ _ Lg i q F Hq Fall g t Fhere.

      Lemma upto_sum (f : nat -> nat) c g : In g F -> In c F -> ord r c < ord r g ->
        sum f (upto c) + f g <= sum f (upto g).
      Proof.
        intros Hg Hc O. unfold upto. rewrite !sum_filter.
        pose proof (sum_ge (fun d => if d =? g then f d else 0) g F Hg) as A. cbn beta in A.
        rewrite Nat.eqb_refl in A. etransitivity; [apply Nat.add_le_mono_l, A|]. rewrite <- sum_add.
        apply sum_le. intros d _. destruct (Nat.eqb_spec d g) as [->|].
        - rewrite (proj2 (Nat.leb_gt _ _) O), Nat.leb_refl. lia.
        - destruct (Nat.leb_spec (ord r d) (ord r c)), (Nat.leb_spec (ord r d) (ord r g)); lia.
      Qed.

      Lemma upto_self (f : nat -> nat) g : In g F -> f g <= sum f (upto g).
      Proof.
        intros Hg. apply (sum_ge f g (upto g)), filter_In. split; [exact Hg|apply Nat.leb_refl].
      Qed.

      (** *** The path of the slot to the end of [g] *)
      Lemma slot_path_time n : forall g, ord r g < n -> In g F -> exists ro cut,
        cnt tick (fin r g) <= sum (fun c => delay r (latency G) c + (cW (ck c) + cO (ck c)))
          (upto g) + met_out F ro 0 (fin r g)
        /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\
             length cut + 1 <= sum (fun c => cH (ck c)) (upto g).
      Proof.
        induction n as [|n IH]; [lia|]. intros g Hn Hg. pose proof (Fhere g Hg) as Hh.
        pose proof (stay_times g Hh) as Tg.
        destruct (stay_path F g (start r g) Hh Hg ltac:(lia)) as [ro2 [cut2 [S1 [S2 S3]]]].
        { intros c Hc Nc. destruct (Nat.lt_trichotomy (ord r c) (ord r g)) as [O|[O|O]].
          - left. pose proof (slot_before c g Hc Hg O). lia.
          - destruct Nc. apply slot_one; assumption.
          - right. pose proof (slot_before g c Hg Hc O). pose proof (stay_times c (Fhere c Hc)).
            lia. }
        pose proof (ticks_all (start r g) (fin r g) ltac:(lia)) as Ta.
        destruct (filter (fun c => ord r c <? ord r g) F) as [|c0 l0] eqn:E.
        - assert (forall c, In c F -> ord r c < ord r g -> False) as None.
          { intros c Hc O. assert (In c (filter (fun c => ord r c <? ord r g) F)) as Q
              by (apply filter_In; split; [exact Hc|apply Nat.ltb_lt, O]). rewrite E in Q.
            destruct Q. }
          pose proof (ticks_gap g 0 (start r g) Hh ltac:(lia)) as Tp. cbn [cnt] in Tp.
          exists ro2, cut2. pose proof (upto_self (fun c => delay r (latency G) c
            + (cW (ck c) + cO (ck c))) g Hg) as U1. cbv beta in U1.
          pose proof (upto_self (fun c => cH (ck c)) g Hg) as U2. cbv beta in U2.
          pose proof (met_both F ro2 ro2 ro2 0 (start r g) (fin r g) ltac:(lia) (fun _ _ => eq_refl)
            (fun _ _ => eq_refl)) as J. split; [|split; [exact S2|lia]].
          enough (cnt tick (start r g) <= delay r (latency G) g) by lia. apply Tp. intros t Ht Tt.
          apply slot_waits; auto; [lia|]. intros c Hc O. destruct (None c Hc O).
        - destruct (exists_max (fin r) (filter (fun c => ord r c <? ord r g) F) ltac:(rewrite E;
            discriminate)) as [c [Hc Mx]]. clear E. apply filter_In in Hc as [Hc O].
          apply Nat.ltb_lt in O. pose proof (slot_before c g Hc Hg O) as Bc.
          destruct (IH c ltac:(lia) Hc) as [ro1 [cut1 [P1 [P2 P3]]]].
          set (ro := fun t => if t <? start r g then ro1 t else ro2 t).
          assert (forall t, t < start r g -> ro t = ro1 t) as R1
            by (intros t Ht; unfold ro; rewrite (proj2 (Nat.ltb_lt _ _) Ht); reflexivity).
          assert (forall t, start r g <= t -> ro t = ro2 t) as R2
            by (intros t Ht; unfold ro; rewrite (proj2 (Nat.ltb_ge _ _) Ht); reflexivity).
          exists ro, (start r g :: cut1 ++ cut2).
          pose proof (upto_sum (fun c => delay r (latency G) c + (cW (ck c) + cO (ck c))) c g Hg
            Hc O) as U1. cbv beta in U1.
          pose proof (upto_sum (fun c => cH (ck c)) c g Hg Hc O) as U2. cbv beta in U2.
          pose proof (met_both F ro1 ro2 ro 0 (start r g) (fin r g) ltac:(lia) R1 R2) as J.
          assert (met_out F ro1 0 (fin r c) <= met_out F ro1 0 (start r g)) as Mo.
          { apply sum_le. intros y _. destruct (existsb _ F); [apply le_n|apply cnt_mono; lia]. }
          assert (cnt tick (start r g) <= cnt tick (fin r c) + delay r (latency G) g) as Tp.
          { apply ticks_gap; [exact Hh|lia|]. intros t Ht Tt. apply slot_waits; auto; [lia|].
            intros d Hd Od. assert (In d (filter (fun c => ord r c <? ord r g) F)) as Q
              by (apply filter_In; split; [exact Hd|apply Nat.ltb_lt, Od]). specialize (Mx d Q).
            lia. }
          split; [lia|]. split; [|cbn [length]; rewrite app_length; lia].
          intros t Et. destruct (Nat.lt_trichotomy (S t) (start r g)) as [Q|[Q|Q]].
          + rewrite (R1 t), (R1 (S t)) in Et by lia. right. apply in_or_app. left. apply P2, Et.
          + left. congruence.
          + rewrite (R2 t), (R2 (S t)) in Et by lia. right. apply in_or_app. right. apply S2, Et.
      Qed.
    End Slot.

    (** ** What the others are charged *)
    Section Others.
      Variables (F : list nat) (ro : nat -> nat) (cut : list nat) (t0 e : nat).
      Hypothesis Cut : forall t, ro t <> ro (S t) -> In (S t) cut.
      (** Changes in the stay of [c]. *)
      Definition cuts_in c := length (filter (fun z => (start r c <? z) && (z <=? fin r c - 1))
        cut).

      Lemma one_met c : In c here -> wsum p (met p s (home i) ro t0 e) (fun y => whose G i y =? c)
        <= charge (ck c) (cuts_in c).
      Proof.
        intros Hc. pose proof (known c Hc) as A. set (mt := met p s (home i) ro t0 e).
        assert (forall y, In y (keys p) -> mt y <= init (get p y)) as Mi.
        { intros y Hy. etransitivity; [|apply (active_init m p s t0 e y valid_sm Hy)]. apply cnt_le.
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
        - destruct (le_lt_dec (fin r c) (start r c)) as [Em|St].
          { rewrite wsum_filter in *. etransitivity; [|apply Nat.le_0_l]. rewrite sum_zero; [lia|].
            intros y Hy. apply filter_In in Hy as [Hy E]. apply Nat.eqb_eq in E. apply cnt_none.
            intros t _. destruct (t0 <=? t); [cbn [andb]|reflexivity].
            destruct (initiates s t y) eqn:Iy; [exfalso|reflexivity]. apply (in_stay y t Hy) in Iy.
            rewrite E in Iy. lia. }
          destruct (path_values ro cut Cut (start r c) (fin r c - 1) ltac:(lia))
            as [U [U1 [U2 U3]]]. fold (cuts_in c) in U3.
          pose proof (window_work p (home i) cores (whose G i) (fun _ => 0) (Cores i) c 0 P U U1)
            as Wk. assert (wsum p (fun y => init (get p y)) (fun y =>
            P y && part (whose G i) (fun _ => 0) c 0 y) <= shar p (home i) (whose G i) (fun _ =>
            0) c 0 + largest (length U) (row p (home i) cores (whose G i) (fun _ => 0) c 0)) as Wk'.
          { apply Wk. intros y Hy Py Ey. unfold part in Ey. rewrite Nat.eqb_refl, andb_true_r in Ey.
            apply Nat.eqb_eq in Ey. assert (exists t, initiates s t y = true /\
              reachb (home i) (ro t) (fu (get p y)) = true) as [t [T1 T2]].
            { unfold P, mt, met in Py. apply negb_true_iff, Nat.eqb_neq in Py.
              destruct (existsb (fun t => (t0 <=? t)
                && (initiates s t y && reachb (home i) (ro t) (fu (get p y)))) (seq 0 e)) eqn:Ex.
              - apply existsb_exists in Ex as [t [_ Ex]]. rewrite !andb_true_iff in Ex. exists t.
                tauto.
              - exfalso. apply Py, cnt_none. intros t Ht. apply not_true_is_false. intros Et.
                apply not_true_iff_false in Ex. apply Ex, existsb_exists. exists t.
                split; [apply in_seq; lia|exact Et]. }
            apply (in_stay y t Hy) in T1. rewrite Ey in T1. apply reachb_iff in T2.
            destruct T2 as [T2|T2]; [left; exact T2|right]. exists (ro t).
            split; [apply U2; lia|exact T2]. }
          pose proof (largest_grows (length U) (S (cuts_in c))
            (row p (home i) cores (whose G i) (fun _ => 0) c 0) ltac:(lia)) as G1.
          pose proof (largest_more (cuts_in c) (row p (home i) cores (whose G i) (fun _ => 0) c 0))
            as G2. pose proof (pa_others _ _ _ _ _ _ _ _ A (cuts_in c)) as O.
          assert (busiest p (home i) cores (fun y => group m (fst y)) (fun _ => 0) 1 c
            = largest 1 (row p (home i) cores (whose G i) (fun _ => 0) c 0)
            + shar p (home i) (whose G i) (fun _ => 0) c 0) as B1.
          { unfold busiest, sum, whose. cbn [seq map list_sum fold_right]. lia. }
          assert (extras p (home i) cores (fun y => group m (fst y)) (fun _ => 0) 1 c
            = tl (sorted (row p (home i) cores (whose G i) (fun _ => 0) c 0))) as B2.
          { unfold extras, whose. cbn [seq flat_map]. apply app_nil_r. }
          rewrite B1, B2 in O. lia.
      Qed.

      Lemma out_paid l : incl l here -> (forall y, In y (keys p) -> ~ In (whose G i y) F ->
        met p s (home i) ro t0 e y <> 0 -> In (whose G i y) l) ->
        met_out F ro t0 e <= sum (fun c => charge (ck c) (cuts_in c)) l.
      Proof.
        intros Hl H. transitivity (sum (fun c =>
          wsum p (met p s (home i) ro t0 e) (fun y => whose G i y =? c)) l).
        - unfold wsum. rewrite <- sum_swap. apply sum_le. intros y Hy.
          destruct (existsb (Nat.eqb (whose G i y)) F) eqn:E; [apply Nat.le_0_l|].
          destruct (Nat.eq_dec (met p s (home i) ro t0 e y) 0) as [->|N]; [apply Nat.le_0_l|].
          assert (~ In (whose G i y) F) as Nf by (intros Q; apply in_list in Q; congruence).
          pose proof (sum_ge (fun c => if whose G i y =? c then met p s (home i) ro t0 e y else 0)
            (whose G i y) l (H y Hy Nf N)) as S. cbv beta in S. rewrite Nat.eqb_refl in S. exact S.
        - apply sum_le. intros c Hc. apply one_met, Hl, Hc.
      Qed.

      (** A change is in the stay of one thread block of a slot at most. *)
      Lemma cuts_of_slot l : NoDup l -> incl l here ->
        (forall g g', In g l -> In g' l -> room r g = room r g') -> sum cuts_in l <= length cut.
      Proof.
        intros N Hl Hr. transitivity (sum (fun z =>
          sum (fun c => Nat.b2n ((start r c <? z) && (z <=? fin r c - 1))) l) cut).
        - rewrite sum_swap. apply sum_le. intros c _. unfold cuts_in. clear.
          induction cut as [|z k IH]; [apply le_n|]. cbn [filter]. rewrite sum_cons.
          destruct (_ && _); cbn [length Nat.b2n]; lia.
        - rewrite <- (Nat.mul_1_r (length cut)). apply sum_mul. intros z _.
          apply sum_once; [exact N|intros c _; destruct (_ && _); cbn; lia|]. intros c d Hc Hd A B.
          assert (forall c, Nat.b2n ((start r c <? z) && (z <=? fin r c - 1)) <> 0 -> start r c < z
            < fin r c) as K.
          { intros a. destruct (Nat.ltb_spec (start r a) z), (Nat.leb_spec z (fin r a - 1));
              cbn [Nat.b2n andb]; lia. }
          apply K in A, B.
          destruct (on_here c (Hl c Hc)) as [C1 _], (on_here d (Hl d Hd)) as [D1 _].
          destruct (Nat.lt_trichotomy (ord r c) (ord r d)) as [O|[O|O]].
          + pose proof (slot_disp c d (Hl c Hc) (Hl d Hd) (Hr c d Hc Hd) O).
            pose proof (stay_times d (Hl d Hd)). lia.
          + apply (l_ord _ _ _ _ _ Lg); assumption.
          + pose proof (slot_disp d c (Hl d Hd) (Hl c Hc) (Hr d c Hd Hc) O).
            pose proof (stay_times c (Hl c Hc)). lia.
      Qed.

      Lemma cuts_of_rest q : q < slots G -> (forall g, In g here -> (In g F <-> room r g = q)) ->
        sum cuts_in (rest r i F) <= (slots G - 1) * length cut.
      Proof. intros Hq HF. apply (rest_by_slots r _ _ _ _ Lg i q F Hq HF), cuts_of_slot. Qed.
    End Others.

    (** *** The path of a slot *)
    Theorem slot_by_time q F g z : q < slots G -> whole_slot r i q F -> In g F -> z <= fin r g ->
      exists n, cycles z tick <= slot_sum r (latency G) ck F
      + sum (fun c => charge (ck c) (n c)) (rest r i F)
      /\ sum n (rest r i F) <= (slots G - 1) * (slot_turns ck F - 1).
    Proof.
      intros Hq [F1 [F2 F3]] Hg Hz.
      destruct (slot_path_time q F Hq F3 F2 (S (ord r g)) g (le_n _) Hg) as [ro [cut [P1 [P2 P3]]]].
      exists (cuts_in cut). rewrite cycles_cnt.
      assert (forall f, sum f (upto F g) <= sum f F) as Up
        by (intros f; unfold upto; rewrite sum_filter; apply sum_le; intros c _;
        destruct (_ <=? _); lia).
      pose proof (Up (fun c => delay r (latency G) c + (cW (ck c) + cO (ck c)))) as U1.
      pose proof (Up (fun c => cH (ck c))) as U2. cbv beta in U1, U2.
      pose proof (cnt_mono tick z (fin r g) Hz) as Mz. unfold slot_sum, slot_turns. split.
      - pose proof (out_paid F ro cut 0 (fin r g) P2 (rest r i F)) as O.
        enough (met_out F ro 0 (fin r g) <= sum (fun c => charge (ck c) (cuts_in cut c))
          (rest r i F)) by lia. apply O.
        + intros c Hc. apply in_rest in Hc. tauto.
        + intros y Hy Ny _. apply in_rest. split; [apply key_sm, Hy|exact Ny].
      - etransitivity; [apply (cuts_of_rest F cut q Hq F3)|]. apply Nat.mul_le_mono_l. lia.
    Qed.

    (** *** Lemma 4 (tail): from [t1] on the SM gets no others *)
    Theorem tail_by_time t1 b : In b here -> (forall c, In c here -> disp r c <= t1) -> exists n,
      cycles (fin r b) (behind r t1 b) <= delay r (latency G) b + (cW (ck b) + cO (ck b))
        + sum (fun c => charge (ck c) (n c)) (beside r i t1 b)
      /\ forall c, In c (beside r i t1 b) -> n c <= cH (ck b) - 1.
    Proof.
      intros Hb Late. pose proof (stay_times b Hb) as Tb. set (t0 := max t1 (start r b)).
      assert (cnt (behind r t1 b) (min t0 (fin r b)) <= delay r (latency G) b) as Dl.
      { etransitivity; [|apply (ticks_pass b (min t0 (fin r b)) Hb)]. apply cnt_le. intros t Ht E.
        unfold behind, holds in E. rewrite !andb_true_iff, !Nat.leb_le, Nat.ltb_lt in E.
        unfold passing. destruct E as [[E1 [E2 E3]] E4]. rewrite E1.
        rewrite (proj2 (Nat.leb_le _ _)), (proj2 (Nat.ltb_lt _ _)) by lia. reflexivity. }
      destruct (le_lt_dec (fin r b) t0) as [Le|Lt].
      { rewrite Nat.min_r in Dl by lia. exists (fun _ => 0). rewrite cycles_cnt.
        split; [lia|intros; lia]. }
      rewrite Nat.min_l in Dl by lia.
      destruct (stay_path [b] b t0 Hb (or_introl eq_refl) ltac:(lia)) as [ro [cut [S1 [S2 S3]]]].
      { intros c [<-|[]] N. destruct N. reflexivity. }
      exists (cuts_in cut). rewrite cycles_cnt.
      assert (cnt (behind r t1 b) (fin r b) <= cnt (behind r t1 b) t0 + (fin r b - t0)) as Ta.
      { clear. assert (forall n, cnt (behind r t1 b) (t0 + n) <= cnt (behind r t1 b) t0 + n) as A.
        { induction n as [|n IH]; [rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r. cbn [cnt].
          destruct (behind r t1 b _); lia. }
        destruct (le_lt_dec (fin r b) t0) as [Z1|Z1];
          [pose proof (cnt_mono (behind r t1 b) (fin r b) t0 Z1); lia|].
        specialize (A (fin r b - t0)). replace (t0 + (fin r b - t0)) with (fin r b) in A by lia.
        exact A. }
      split.
      - pose proof (out_paid [b] ro cut t0 (fin r b) S2 (beside r i t1 b)) as O.
        enough (met_out [b] ro t0 (fin r b) <= sum (fun c => charge (ck c) (cuts_in cut c))
          (beside r i t1 b)) by lia. apply O.
        + intros c Hc. apply filter_In in Hc as [Hc _]. apply filter_In in Hc. tauto.
        + intros y Hy Ny Me. apply filter_In. split.
          * apply filter_In. split; [apply key_sm, Hy|]. unfold holds.
            rewrite (proj2 (Nat.leb_le _ _) (Late _ (key_sm y Hy))). apply Nat.ltb_lt.
            destruct (le_lt_dec (fin r (whose G i y)) t1) as [Z1|Z1]; [exfalso|exact Z1].
            apply Me, cnt_none. intros t _.
            destruct (Nat.leb_spec t0 t) as [T0|]; [cbn [andb]|reflexivity].
            destruct (initiates s t y) eqn:Iy; [exfalso|reflexivity]. apply (in_stay y t Hy) in Iy.
            lia.
          * apply negb_true_iff, Nat.eqb_neq. intros E. apply Ny. left. congruence.
      - intros c Hc. apply filter_In in Hc as [Hc _]. apply filter_In in Hc as [Hc _].
        pose proof (cuts_of_slot cut [c]) as Q. rewrite sum_cons in Q. unfold sum in Q.
        cbn [map list_sum fold_right] in Q. assert (cuts_in cut c + 0 <= length cut); [|lia].
        apply Q.
        + repeat constructor; easy.
        + intros d [<-|[]]. exact Hc.
        + intros d d' [<-|[]] [<-|[]]. reflexivity.
    Qed.

    (** The chain of [b] when all of [F] have ended: nothing initiates in the reach of its path in
        at most lam cycles. *)
    Lemma idle_path F b t1 : In b here -> start r b <= t1 < fin r b ->
      (forall c, In c F -> fin r c <= t1) -> exists ro cut, fin r b <= t1 + cL (ck b)
      + met_out F ro t1 (fin r b)
      /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= cH (ck b).
    Proof.
      intros Hb Tb HF. destruct (Mok i Hi) as [M W]. pose proof (known b Hb) as A.
      destruct (on_here b Hb) as [B1 B2]. destruct (g_end _ _ V b B1) as [_ [Em|[x [X1 [X2 X3]]]]].
      { exfalso. change (ended X b) with (fin r b) in Em.
        change (started X b) with (start r b) in Em. lia. }
      rewrite B2 in *. change (ended X b) with (fin r b) in X3.
      destruct (chain_time m p s (L i) (h i) (home i) b t1 M W valid_sm (HL i Hi) (HT i Hi)
        (fun y => Home i y Hi) ltac:(rewrite <- (start_sm b Hb); lia) x (cL (ck b)) (cH (ck b)) X1
        X2) as [ro [cut [P1 [P2 P3]]]].
      - apply (pa_lam _ _ _ _ _ _ _ _ A x (conj X1 X2)).
      - apply (pa_turns _ _ _ _ _ _ _ _ A x (conj X1 X2)).
      - exists ro, cut. rewrite <- X3 in P1. split; [|auto]. etransitivity; [exact P1|].
        apply Nat.add_le_mono_l. apply sum_le. intros y Hy.
        destruct (existsb (Nat.eqb (whose G i y)) F) eqn:E; [|apply le_n]. apply in_list in E.
        specialize (HF _ E). rewrite Nat.le_0_r. apply cnt_none. intros t _.
        destruct (Nat.leb_spec t1 t) as [T1|]; [cbn [andb]|reflexivity].
        destruct (initiates s t y) eqn:Iy; [exfalso|reflexivity]. apply (in_stay y t Hy) in Iy. lia.
    Qed.

    (** *** The path of a slot, then the chain of [b], which is in none of it *)
    Theorem slot_then_by_time q F b : q < slots G -> whole_slot r i q F -> In b here -> ~ In b F ->
      (forall t, tick t = true -> t < start r b -> (forall c, In c F -> fin r c <= t) -> disp r b
        <= t) -> exists n, cycles (fin r b) tick <= slot_sum r (latency G) ck F + latency G
        + cL (ck b) + sum (fun c => charge (ck c) (n c)) (rest r i F)
      /\ sum n (rest r i F) <= (slots G - 1) * (slot_turns ck F + cH (ck b) - 1).
    Proof.
      intros Hq [F1 [F2 F3]] Hb Nb Gap. rewrite cycles_cnt. pose proof (stay_times b Hb) as Tb.
      pose proof (delay_le r (latency G) b) as Dl.
      pose proof (pa_turn _ _ _ _ _ _ _ _ (known b Hb)) as H1.
      (* all of F has ended at E *)
      assert (exists E ro1 cut1, (forall c, In c F -> fin r c <= E) /\ cnt tick E
        <= slot_sum r (latency G) ck F + met_out F ro1 0 E /\
        (forall t, ro1 t <> ro1 (S t) -> In (S t) cut1) /\
        (F = [] /\ E = 0 \/ length cut1 + 1 <= slot_turns ck F))
        as [E [ro1 [cut1 [E1 [P1 [P2 P3]]]]]].
      { destruct F as [|g0 F0].
        - exists 0, (fun _ => 0), []. split; [easy|]. split; [cbn [cnt]; lia|].
          split; [congruence|auto].
        - destruct (exists_max (fin r) (g0 :: F0) ltac:(discriminate)) as [g [Hg Mx]].
          destruct (slot_path_time q (g0 :: F0) Hq F3 F2 (S (ord r g)) g (le_n _) Hg)
            as [ro1 [cut1 [P1 [P2 P3]]]].
          assert (forall f, sum f (upto (g0 :: F0) g) <= sum f (g0 :: F0)) as Up.
          { intros f. unfold upto. rewrite sum_filter. apply sum_le. intros c _.
            destruct (_ <=? _); lia. }
          pose proof (Up (fun c => delay r (latency G) c + (cW (ck c) + cO (ck c)))) as U1.
          pose proof (Up (fun c => cH (ck c))) as U2. cbv beta in U1, U2.
          exists (fin r g), ro1, cut1. split; [exact Mx|]. unfold slot_sum, slot_turns.
          split; [lia|]. split; [exact P2|right; lia]. }
      set (t1 := max E (start r b)).
      assert (cnt tick t1 <= cnt tick E + delay r (latency G) b) as Tp.
      { apply ticks_gap; [exact Hb|lia|]. intros t Ht Tt. unfold passing.
        rewrite (proj2 (Nat.ltb_lt t (start r b))) by lia. rewrite andb_true_r.
        apply Nat.leb_le, (Gap t Tt); [lia|]. intros c Hc. specialize (E1 c Hc). lia. }
      assert (forall ro cut e, (forall t, ro t <> ro (S t) -> In (S t) cut) -> met_out F ro 0 e
        <= sum (fun c => charge (ck c) (cuts_in cut c)) (rest r i F)) as Paid.
      { intros ro cut e Ct. apply (out_paid F ro cut 0 e Ct (rest r i F)).
        - intros c Hc. apply in_rest in Hc. tauto.
        - intros y Hy Ny _. apply in_rest. split; [apply key_sm, Hy|exact Ny]. }
      destruct (le_lt_dec (fin r b) t1) as [Le|Lt].
      - exists (cuts_in (if match F with [] => true | _ => false end then [] else cut1)).
        pose proof (cnt_mono tick (fin r b) t1 Le) as Mz. split.
        + destruct F as [|g0 F0]; [|specialize (Paid ro1 cut1 E P2); lia].
          destruct P3 as [[_ ->]|P3]; [|unfold slot_turns, sum in P3; cbn in P3; lia].
          cbn [cnt] in *. lia.
        + etransitivity; [apply (cuts_of_rest F _ q Hq F3)|]. apply Nat.mul_le_mono_l.
          destruct F as [|g0 F0]; [cbn [length]; lia|].
          destruct P3 as [[P3 _]|P3]; [discriminate|lia].
      - destruct (idle_path F b t1 Hb ltac:(lia)) as [ro2 [cut2 [Q1 [Q2 Q3]]]];
          [intros c Hc; specialize (E1 c Hc); lia|].
        pose proof (ticks_all t1 (fin r b) ltac:(lia)) as Ta.
        set (ro := fun t => if t <? t1 then ro1 t else ro2 t).
        assert (forall t, t < t1 -> ro t = ro1 t) as R1
          by (intros t Ht; unfold ro; rewrite (proj2 (Nat.ltb_lt _ _) Ht); reflexivity).
        assert (forall t, t1 <= t -> ro t = ro2 t) as R2
          by (intros t Ht; unfold ro; rewrite (proj2 (Nat.ltb_ge _ _) Ht); reflexivity).
        destruct P3 as [[EF E0]|P3].
        + (* no thread block before *)
          exists (cuts_in cut2). specialize (Paid ro2 cut2 (fin r b) Q2).
          pose proof (met_both F ro2 ro2 ro2 0 t1 (fin r b) ltac:(lia) (fun _ _ => eq_refl)
            (fun _ _ => eq_refl)) as J.
          split; [rewrite E0 in *; cbn [cnt] in *; lia|].
          etransitivity; [apply (cuts_of_rest F cut2 q Hq F3)|]. apply Nat.mul_le_mono_l. lia.
        + exists (cuts_in (t1 :: cut1 ++ cut2)).
          assert (forall t, ro t <> ro (S t) -> In (S t) (t1 :: cut1 ++ cut2)) as Rc.
          { intros t Et. destruct (Nat.lt_trichotomy (S t) t1) as [Z|[Z|Z]].
            - rewrite (R1 t), (R1 (S t)) in Et by lia. right. apply in_or_app. left. apply P2, Et.
            - left. congruence.
            - rewrite (R2 t), (R2 (S t)) in Et by lia. right. apply in_or_app. right.
              apply Q2, Et. }
          specialize (Paid ro _ (fin r b) Rc).
          pose proof (met_both F ro1 ro2 ro 0 t1 (fin r b) ltac:(lia) R1 R2) as J.
          assert (met_out F ro1 0 E <= met_out F ro1 0 t1) as Mo.
          { apply sum_le. intros y _. destruct (existsb _ F); [apply le_n|apply cnt_mono; lia]. }
          split; [lia|]. etransitivity; [apply (cuts_of_rest F _ q Hq F3)|].
          apply Nat.mul_le_mono_l. cbn [length]. rewrite app_length. lia.
    Qed.
  End Sm.

  (** *** The accounts of ChainFormulas.v, with SIB where it is less: theorems 2, 3 and 4 of
      sub-core-bounds.md follow *)
  Theorem path_chains : chains r (sms G) (slots G) (latency G) ck.
  Proof.
    constructor.
    - intros b Hb. pose proof (HA b Hb) as A.
      split; [apply (pa_less _ _ _ _ _ _ _ _ A)|apply (pa_turn _ _ _ _ _ _ _ _ A)].
    - intros i q F g z Hi Hq. apply (slot_by_time i Hi q); assumption.
    - intros i q F b Hi Hq. apply (slot_then_by_time i Hi q); assumption.
    - intros i t1 b Hi. apply (tail_by_time i Hi).
  Qed.
End PathChains.
