(** * What the path of a slot takes in a grid: docs/sub-core-bounds.md, theorem 6

    [Mn] are thread blocks of SM [i] that a walk goes through, [F] those of them with which no other
    of them is there; the walk leaves a thread block for the one before it.  Cycles that count are
    [tick]. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Instances Weights
  ChainWalk ChainWork ChainSlot ChainBlock ChainFormulas Ledger Tail Grid Stay GridLedger.

(** What is known of thread block [g]: windows [wnd], [K] of them, are its sections or a whole
    block. *)
Record chain_amounts (m : machine) (p : block) (home : nat -> option nat) (cores : nat)
  (L h wnd : key -> nat) (K g : nat) (k : chain_kind) : Prop := {
  ca_work : sum (fun x => if group m (fst x) =? g then init (get p x) else 0) (keys p) <= cE k;
  ca_lam : forall x, of m p g x -> L x + lat (get p x) <= cL k;
  ca_turns : forall x, of m p g x -> h x + 1 <= cH k;
  ca_turn : 1 <= cH k;
  (* own: W and lam with sections, less W *)
  ca_own : fine_work m p home cores g + cL k <= cW k + cO k;
  ca_less : cW k <= cE k;
  ca_others : forall n, busiest p home cores (fun y => group m (fst y)) wnd K g
    + largest n (extras p home cores (fun y => group m (fst y)) wnd K g)
      <= cW k + largest n (cX k) }.

Lemma sum_nil {A} (f : A -> nat) : sum f [] = 0.
Proof. reflexivity. Qed.

Lemma cnt_gap (p q : nat -> bool) x z : x <= z ->
  (forall t, x <= t < z -> p t = true -> q t = true) ->
  cnt p z <= cnt p x + cnt q z.
Proof.
  intros H A. induction H as [|z H IH]; [lia|]. cbn [cnt].
  assert (cnt p z <= cnt p x + cnt q z) as B by (apply IH; intros; apply A; auto; lia).
  specialize (A z ltac:(lia)). destruct (p z); [rewrite A by reflexivity; lia|lia].
Qed.

Section ChainGrid.
  Variables (G : grid) (X : execution) (ck : nat -> chain_kind) (L h wnd : nat -> key -> nat)
    (K : nat -> nat) (home : nat -> nat -> option nat) (cores : nat).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  Hypothesis HT : forall i, i < sms G -> turns_cert (mach G i) (prog G i) (h i).
  Hypothesis Home : forall i y, i < sms G -> In y (keys (prog G i)) ->
    1 <= init (get (prog G i) y) ->
    reach (home i) (core (mach G i) (fst y)) (fu (get (prog G i) y)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.
  Hypothesis Wnd : forall i y, i < sms G -> In y (keys (prog G i)) -> wnd i y < K i.
  Hypothesis Wnd_sec : forall i u v, i < sms G -> In u (keys (prog G i)) ->
    In v (keys (prog G i)) ->
    whose G i u = whose G i v -> wnd i u < wnd i v ->
    sec (get (prog G i) u) < sec (get (prog G i) v).
  Hypothesis HA : forall b, b < blocks G -> let i := sm_of X b in
    chain_amounts (mach G i) (prog G i) (home i) cores (L i) (h i) (wnd i) (K i) b (ck b).
  Notation r := (run_of G X).
  Notation kd := (fun b => plain (ck b)).

  (** The grid keeps the ledger of docs/proofs.md, with E + lam for [alpha] and [solo]. *)
  Lemma chain_ledger : ledger r (sms G) (slots G) (latency G) kd.
  Proof.
    apply (grid_ledger G X kd L Mok V HL). intros b Hb. pose proof (g_place _ _ V b Hb) as [Hi _].
    destruct (Mok _ Hi) as [M W]. destruct (HA b Hb) as [A1 A2 _ _ _ _ _].
    constructor; cbn [plain kE kL kA kS]; auto.
    - apply (stay_elb _ _ _ (L (sm_of X b))); auto.
    - apply (solo_elb _ _ _ (L (sm_of X b))); auto.
  Qed.
  Let Lg := chain_ledger.

  Section Sm.
    Variables (i : nat) (Hi : i < sms G).
    Notation here := (on_sm r i).
    Notation m := (mach G i).
    Notation p := (prog G i).
    Notation s := (sched X i).
    Notation inits := (fun y => init (get p y)).

    Lemma here_ok g : In g here -> g < blocks G /\ sm_of X g = i.
    Proof. apply in_on_sm. Qed.

    Lemma key_here y : In y (keys p) -> In (whose G i y) here.
    Proof. intros Hy. destruct (g_whose _ _ V i y Hi Hy) as [A B]. apply in_on_sm. auto. Qed.

    Lemma valid_here : valid m p s.
    Proof. apply (g_machine _ _ V i Hi). Qed.

    Lemma amounts_here g : In g here -> chain_amounts m p (home i) cores (L i) (h i) (wnd i)
      (K i) g (ck g).
    Proof. intros Hg. apply here_ok in Hg as [A <-]. apply HA, A. Qed.

    Lemma start_here g : In g here -> start r g = begin s g.
    Proof. intros Hg. apply here_ok in Hg as [A <-]. reflexivity. Qed.

    Lemma fin_here y : In y (keys p) -> C s y <= fin r (whose G i y).
    Proof. intros Hy. apply (g_complete _ _ V i y Hi Hy). Qed.

    Let slot_order := slot_after r _ _ _ _ Lg i.

    Section Path.
      Variables (tick : nat -> bool) (Mn F : list nat) (pos : nat -> nat).
      Notation clock := (cnt tick).
      Hypothesis Counted : forall t, tick t = true -> counted r t = true.
      Hypotheses (Mn_here : incl Mn here) (F_mn : incl F Mn).
      Hypothesis Pos : forall g g', In g Mn -> In g' Mn -> pos g = pos g' -> g = g'.
      Hypothesis Last : forall g g', In g F -> In g' Mn -> ~ In g' F -> pos g < pos g'.
      Hypothesis Apart : forall g g', In g F -> In g' F -> pos g < pos g' -> fin r g <= start r g'.

      (** The thread blocks before [g]. *)
      Definition pre g := filter (fun c => pos c <? pos g) Mn.
      (** What is paid before [g] starts. *)
      Definition base g := sum (fun c => delay r (latency G) c + cL (ck c)) (pre g)
        + delay r (latency G) g.
      (** The changes of sub-core before [g]. *)
      Definition turned g := sum (fun c => cH (ck c)) (pre g).
      (* between two of them nothing passes but a dispatch latency *)
      Hypothesis Gap : forall g t, In g Mn -> tick t = true -> t < start r g ->
        (forall c, In c (pre g) -> fin r c <= t) ->
        passing r g t = true.

      Lemma in_pre c g : In c (pre g) <-> In c Mn /\ pos c < pos g.
      Proof. unfold pre. rewrite filter_In, Nat.ltb_lt. tauto. Qed.

      Lemma pre_sum f g g' : In g Mn -> pos g < pos g' -> sum f (pre g) + f g <= sum f (pre g').
      Proof.
        intros Hg Hp. unfold pre. rewrite !sum_filter.
        pose proof (sum_ge (fun c => if c =? g then f c else 0) g Mn Hg) as A. cbn beta in A.
        rewrite Nat.eqb_refl in A. etransitivity; [apply Nat.add_le_mono_l, A|]. rewrite <- sum_add.
        apply sum_le. intros c _. destruct (Nat.eqb_spec c g) as [Ec|_].
        - rewrite Ec, (proj2 (Nat.ltb_ge (pos g) (pos g))), (proj2 (Nat.ltb_lt _ _) Hp); lia.
        - destruct (Nat.ltb_spec (pos c) (pos g)), (Nat.ltb_spec (pos c) (pos g')); lia.
      Qed.

      Lemma base_le g g' : In g Mn -> pos g < pos g' -> base g + cL (ck g) + delay r (latency G) g'
        <= base g'.
      Proof.
        intros Hg Hp. pose proof (pre_sum (fun c => delay r (latency G) c + cL (ck c)) g g' Hg Hp).
        cbn beta in *. unfold base. lia.
      Qed.

      Lemma delay_ticks g N : In g Mn -> cnt (fun t => tick t && passing r g t) N
        <= delay r (latency G) g.
      Proof.
        intros Hg. rewrite <- cycles_cnt. destruct (here_ok g (Mn_here g Hg)) as [Hb _].
        etransitivity; [|apply (l_delay _ _ _ _ _ Lg N g Hb)]. apply cycles_le. intros t _ E.
        apply andb_prop in E as [E ->]. rewrite (Counted t E). reflexivity.
      Qed.

      (** The start of [g], from a time when all before it have ended. *)
      Lemma gap_short g x z : In g Mn -> x <= z -> z <= start r g ->
        (forall c, In c (pre g) -> fin r c <= x) ->
        clock z <= clock x + delay r (latency G) g.
      Proof.
        intros Hg Hx Hz A.
        etransitivity; [apply (cnt_gap tick (fun t => tick t && passing r g t) x z Hx)|].
        - intros t Ht T. rewrite T. apply (Gap g t Hg T); [lia|]. intros c Hc. specialize (A c Hc).
          lia.
        - apply Nat.add_le_mono_l, delay_ticks, Hg.
      Qed.

      (** How the walk leaves a thread block at its start. *)
      Lemma arrive : forall n g z, pos g < n -> In g Mn -> z <= start r g ->
        clock z <= base g \/ exists y z', In y (keys p) /\ In (whose G i y) Mn /\
        pos (whose G i y) < pos g
          /\ z' <= z /\ z' <= D s y + ai s y /\ clock z + (base (whose G i y) + L i y)
               <= clock z' + base g.
      Proof.
        induction n as [|n IH]; [lia|]. intros g z Hn Hg Hz. destruct (pre g) as [|c0 l0] eqn:E.
        - left. pose proof (gap_short g 0 z Hg ltac:(lia) Hz ltac:(rewrite E; easy)). unfold base.
          cbn [cnt] in *. lia.
        - destruct (exists_max (fin r) (pre g) ltac:(rewrite E; discriminate)) as [c [Hc A]].
          clear E. pose proof Hc as Hc'. apply in_pre in Hc' as [Mc Pc].
          pose proof (base_le c g Mc Pc) as B. destruct (here_ok c (Mn_here c Mc)) as [C1 C2].
          set (z0 := min z (fin r c)). assert (clock z <= clock z0 + delay r (latency G) g) as Cz.
          { destruct (le_lt_dec z (fin r c)) as [Le|Le]; [replace z0 with z by lia; lia|].
            apply (gap_short g z0 z Hg); [lia|exact Hz|]. intros d Hd. specialize (A d Hd). lia. }
          destruct (g_end _ _ V c C1) as [_ [Em|[x [X1 [X2 X3]]]]].
          + destruct (IH c z0) as [Q|[y [z' [Y1 [Y2 [Y3 [Y4 [Y5 Y6]]]]]]]]; [lia|exact Mc| | |].
            * change (fin r c) with (ended X c) in z0. change (start r c) with (started X c). lia.
            * left. lia.
            * right. exists y, z'. repeat split; auto; lia.
          + right. rewrite C2 in X1, X2, X3. exists x, (min z0 (D s x + ai s x)). rewrite X2.
            repeat split; auto; try lia.
            pose proof (clock_slow tick (min z0 (D s x + ai s x)) z0 ltac:(lia)) as Q.
            pose proof (v_lat _ _ _ valid_here x X1).
            pose proof (ca_lam _ _ _ _ _ _ _ _ _ _ (amounts_here c (Mn_here c Mc)) x (conj X1 X2)).
            assert (z0 <= C s x) by (change (fin r c) with (ended X c) in z0; lia).
            unfold Model.C in *. lia.
      Qed.

      (** [g] is in the list. *)
      Definition among (l : list nat) (g : nat) : bool := existsb (Nat.eqb g) l.

      Lemma among_iff l g : among l g = true <-> In g l.
      Proof.
        unfold among. rewrite existsb_exists. split.
        - intros [y [Hy E]]. apply Nat.eqb_eq in E. subst. exact Hy.
        - intros Hg. exists g. split; [exact Hg|apply Nat.eqb_refl].
      Qed.

      (** *** Until [g] ends all cycles are paid but latencies: by the own thread blocks [F], [W]
          each, and by others [P]. *)
      Theorem path_account g z : In g Mn -> z <= fin r g ->
        exists (P : key -> bool) (ro : nat -> nat) (cut : list nat), clock z <= base g + cL (ck g)
        + sum (fine_work m p (home i) cores) F + wsum p inits P
        /\ (forall u, In u (keys p) -> P u = true -> ~ In (whose G i u) F /\
             reach (home i) (ro (I s u)) (fu (get p u))
              /\ live s tick u = true)
        /\ (forall t, ro t <> ro (S t) -> In (S t) cut) /\ length cut + 1 <= turned g + cH (ck g).
      Proof.
        intros Hg Hz. destruct (Mok i Hi) as [M W].
        assert (forall k z, mine m p (among Mn) k -> z <= D s k + ai s k ->
          exists (P : key -> bool) (ro : nat -> nat) (cut : list nat), clock z <= base (whose G i k)
          + L i k + sum (fine_work m p (home i) cores) F + wsum p inits P /\
          (forall u, In u (keys p) -> P u = true -> ~ In (whose G i u) F /\
          reach (home i) (ro (I s u)) (fu (get p u)) /\ live s tick u = true) /\
          (forall t, ro t <> ro (S t) -> In (S t) cut) /\
          length cut + 1 <= turned (whose G i k) + cH (ck (whose G i k))) as A.
        { clear g z Hg Hz. intros k z Mk Hz. destruct (slot_path m p s (L i) (h i) M W valid_here
            (HL i Hi) (HT i Hi) (home i) (fun y => Home i y Hi) tick (among Mn) (among F) pos base
            turned (fun g => cL (ck g)) (fun g => cH (ck g))) with (k := k) (z := z)
            as [q [T [A [O [Cu N]]]]]; auto.
          - intros g E. apply among_iff in E. apply among_iff, F_mn, E.
          - intros g g' E E'. apply among_iff in E, E'. apply Pos; assumption.
          - intros g g' E E' N. apply among_iff in E, E'. apply Last; auto. intros E2.
            apply among_iff in E2. congruence.
          - intros y Hy E. apply among_iff in E.
            apply (ca_lam _ _ _ _ _ _ _ _ _ _ (amounts_here _ (Mn_here _ E)) y (conj Hy eq_refl)).
          - intros y Hy E. apply among_iff in E.
            apply (ca_turns _ _ _ _ _ _ _ _ _ _ (amounts_here _ (Mn_here _ E)) y (conj Hy eq_refl)).
          - intros g g' E E' Hp. apply among_iff in E. pose proof (base_le g g' E Hp). lia.
          - intros g g' E E' Hp. apply among_iff in E.
            apply (pre_sum (fun c => cH (ck c)) g g' E Hp).
          - intros y x Hy Hx E E' Hp. apply among_iff in E, E'.
            pose proof (Apart _ _ E E' Hp) as Ap. pose proof (fin_here y Hy).
            rewrite (start_here _ (Mn_here _ (F_mn _ E'))) in Ap.
            pose proof (v_begin _ _ _ valid_here x Hx). pose proof (v_start _ _ _ valid_here y Hy).
            pose proof (v_init _ _ _ valid_here y Hy). unfold Model.C, whose in *. lia.
          - intros g z' E Hz'. apply among_iff in E. rewrite <- (start_here g (Mn_here g E)) in Hz'.
            destruct (arrive (S (pos g)) g z' (le_n _) E Hz') as [B|[y [z2 [Y1 [Y2 Y3]]]]];
              [left; exact B|right]. exists y, z2. split; [exact Y1|].
            split; [apply among_iff, Y2|exact Y3].
          - exists (fun u => paid q u && negb (among F (whose G i u))), (rho q), (cuts q).
            split; [|split; [|split; [exact Cu|exact N]]].
            + rewrite (wsum_split p inits (paid q) (fun u => among F (whose G i u))) in T.
              assert (wsum p inits (fun u => paid q u && among F (whose G i u))
                <= sum (fine_work m p (home i) cores) F); [|unfold whose in *; lia].
              etransitivity; [apply (wsum_sum p inits _ (fun g u => whose G i u =? g) F)|].
              * intros y Hy E. apply andb_prop in E as [_ E]. apply among_iff in E.
                exists (whose G i y). split; [exact E|apply Nat.eqb_refl].
              * apply sum_le. intros g Hg. apply (own_work p (home i) cores (fun y =>
                  group m (fst y)) (fun y => sec (get p y)) (Cores i) _ _ _ (fun j =>
                  stand q (level p pos g j))). intros y Hy E Gy. apply andb_prop in E as [E1 E2].
                split; [apply sec_few, Hy|]. rewrite <- Gy. apply O; auto.
            + intros u Hu E. apply andb_prop in E as [E1 E2]. apply negb_true_iff in E2.
              destruct (A u Hu E1). repeat split; auto. intros E3. apply among_iff in E3.
              congruence. }
        destruct (here_ok g (Mn_here g Hg)) as [G1 G2].
        destruct (g_end _ _ V g G1) as [_ [Em|[x [X1 [X2 X3]]]]].
        - destruct (arrive (S (pos g)) g z (le_n _) Hg) as [B|[y [z' [Y1 [Y2 [Y3 [Y4 [Y5 Y6]]]]]]]].
          + change (fin r g) with (ended X g) in Hz. change (start r g) with (started X g). lia.
          + exists (fun _ => false), (fun _ => 0), []. split; [lia|]. split; [easy|].
            split; [easy|].
            pose proof (ca_turn _ _ _ _ _ _ _ _ _ _ (amounts_here g (Mn_here g Hg))). cbn [length].
            lia.
          + destruct (A y z') as [P [ro [cut [T [H1 [H2 H3]]]]]].
            * split; [exact Y1|apply among_iff, Y2].
            * exact Y5.
            * exists P, ro, cut. pose proof (pre_sum (fun c => cH (ck c)) _ g Y2 Y3).
              unfold turned in *. split; [lia|split; [exact H1|split; [exact H2|lia]]].
        - rewrite G2 in X1, X2, X3.
          destruct (A x (min z (D s x + ai s x))) as [P [ro [cut [T H1]]]].
          + split; [exact X1|]. apply among_iff. change (group m (fst x)) with (whose G i x).
            rewrite X2. exact Hg.
          + lia.
          + rewrite X2 in T, H1. exists P, ro, cut. split; [|exact H1].
            pose proof (clock_slow tick (min z (D s x + ai s x)) z ltac:(lia)) as Q.
            pose proof (v_lat _ _ _ valid_here x X1).
            pose proof (ca_lam _ _ _ _ _ _ _ _ _ _ (amounts_here g (Mn_here g Hg)) x (conj X1 X2)).
            change (fin r g) with (ended X g) in Hz. unfold Model.C in *. lia.
      Qed.

      Lemma pre_all f g : In g Mn -> sum f (pre g) + f g <= sum f Mn.
      Proof.
        intros Hg. unfold pre. rewrite sum_filter.
        pose proof (sum_ge (fun c => if c =? g then f c else 0) g Mn Hg) as A. cbn beta in A.
        rewrite Nat.eqb_refl in A. etransitivity; [apply Nat.add_le_mono_l, A|]. rewrite <- sum_add.
        apply sum_le. intros c _. destruct (Nat.eqb_spec c g) as [Ec|_];
          [rewrite Ec, Nat.ltb_irrefl; lia|destruct (_ <? _); lia].
      Qed.
    End Path.

    (** ** What the others are charged *)
    Section Others.
      Variables (P : key -> bool) (ro : nat -> nat) (cut : list nat).
      Hypothesis Ro : forall u, In u (keys p) -> P u = true ->
        reach (home i) (ro (I s u)) (fu (get p u)).
      Hypothesis Cut : forall t, ro t <> ro (S t) -> In (S t) cut.
      Definition cut_in g := sum (parts p (whose G i) (wnd i) s cut P g) (seq 0 (K i)).

      Lemma others_paid l : incl l here -> (forall u, In u (keys p) -> P u = true ->
        In (whose G i u) l) ->
        wsum p inits P <= sum (fun g => charge (ck g) (cut_in g)) l.
      Proof.
        intros Hl H. etransitivity; [apply (wsum_sum p inits P (fun g u => whose G i u =? g) l)|].
        - intros u Hu Pu. exists (whose G i u). split; [auto|apply Nat.eqb_refl].
        - apply sum_le. intros g Hg. pose proof (amounts_here g (Hl g Hg)) as A. unfold charge.
          apply Nat.min_glb.
          + etransitivity; [|apply (ca_work _ _ _ _ _ _ _ _ _ _ A)]. apply sum_le. intros y _.
            unfold whose. destruct (P y), (group m (fst y) =? g); cbn; lia.
          + etransitivity; [|apply (ca_others _ _ _ _ _ _ _ _ _ _ A)].
            apply (cut_work p (home i) cores (whose G i) (wnd i) (Cores i) s ro cut Cut (K i) g P).
            intros y Hy Py _. split; [apply Wnd; assumption|apply Ro; assumption].
      Qed.

      Lemma slot_cuts l : NoDup l -> incl l here ->
        (forall g g', In g l -> In g' l -> room r g = room r g') ->
        sum cut_in l <= length cut.
      Proof.
        intros N Hl Hr. unfold cut_in. apply (cuts_shared p (whose G i) (wnd i)); [exact N|].
        assert (forall g g', In g l -> In g' l -> ord r g < ord r g' -> forall u v, In u (keys p) ->
          In v (keys p) -> whose G i u = g -> whose G i v = g' -> I s u <= I s v) as Q.
        { intros g g' Hg Hg' O u v Hu Hv Eu Ev.
          pose proof (slot_order g g' (Hl g Hg) (Hl g' Hg') (Hr g g' Hg Hg') O) as A.
          pose proof (fin_here u Hu) as B. rewrite Eu in B.
          destruct (here_ok g' (Hl g' Hg')) as [H1 _]. pose proof (l_disp _ _ _ _ _ Lg g' H1) as D'.
          rewrite (start_here g' (Hl g' Hg')) in D'.
          pose proof (v_begin _ _ _ valid_here v Hv) as E. unfold whose in Ev. rewrite Ev in E.
          pose proof (v_start _ _ _ valid_here u Hu). unfold Model.C in B. lia. }
        assert (forall g j u, part (whose G i) (wnd i) g j u = true -> whose G i u = g /\ wnd i u
          = j) as Pt.
        { intros g j u E. unfold part in E. rewrite andb_true_iff, !Nat.eqb_eq in E. exact E. }
        assert (forall g j j', j < j' -> forall u v, In u (keys p) -> In v (keys p) ->
          part (whose G i) (wnd i) g j u = true -> part (whose G i) (wnd i) g j' v = true ->
          I s u <= I s v) as Q2.
        { intros g j j' Hj u v Hu Hv Eu Ev. apply Pt in Eu as [U1 U2], Ev as [V1 V2].
          pose proof (Wnd_sec i u v Hi Hu Hv ltac:(congruence) ltac:(lia)) as S1.
          unfold whose in U1, V1.
          pose proof (v_barrier _ _ _ valid_here v u Hv Hu ltac:(congruence) S1). lia. }
        intros g j g' j' Hg Hg'. destruct (Nat.eq_dec g g') as [<-|Ng].
        - destruct (Nat.lt_trichotomy j j') as [O|[O|O]]; [right; left; apply Q2, O|left; auto|].
          right. right. intros u v Hu Hv Eu Ev. apply (Q2 g j' j O v u Hv Hu Ev Eu).
        - destruct (here_ok g (Hl g Hg)) as [A1 _], (here_ok g' (Hl g' Hg')) as [A2 _].
          destruct (Nat.lt_trichotomy (ord r g) (ord r g')) as [O|[O|O]].
          + right. left. intros u v Hu Hv Eu Ev. apply Pt in Eu as [U1 _], Ev as [V1 _].
            apply (Q g g'); auto.
          + destruct Ng. apply (l_ord _ _ _ _ _ Lg); assumption.
          + right. right. intros u v Hu Hv Eu Ev. apply Pt in Eu as [U1 _], Ev as [V1 _].
            apply (Q g' g); auto.
      Qed.

      (** Of each slot but one a change cuts one section at most. *)
      Lemma rest_cuts q F : q < slots G -> (forall g, In g here -> (In g F <-> room r g = q)) ->
        sum cut_in (rest r i F) <= (slots G - 1) * length cut.
      Proof. intros Hq HF. apply (rest_by_slots r _ _ _ _ Lg i q F Hq HF), slot_cuts. Qed.
    End Others.

    (** ** A slot: [F] are its thread blocks *)
    Section Slot.
      Variables (q : nat) (F : list nat).
      Hypotheses (Hq : q < slots G) (Fnd : NoDup F).
      Hypothesis Fall : forall g, In g here -> (In g F <-> room r g = q).
      Hypothesis Fhere : incl F here.

      Lemma slot_pos g g' : In g F -> In g' F -> ord r g = ord r g' -> g = g'.
      Proof.
        intros Hg Hg' E. apply (l_ord _ _ _ _ _ Lg); auto; apply here_ok, Fhere; assumption.
      Qed.

      Lemma slot_same g g' : In g F -> In g' F -> room r g = room r g'.
      Proof. intros Hg Hg'. apply Fall in Hg, Hg'; auto. congruence. Qed.

      Lemma slot_apart g g' : In g F -> In g' F -> ord r g < ord r g' -> fin r g <= start r g'.
      Proof.
        intros Hg Hg' O.
        pose proof (slot_order g g' (Fhere g Hg) (Fhere g' Hg') (slot_same g g' Hg Hg') O).
        pose proof (l_disp _ _ _ _ _ Lg g' (proj1 (here_ok g' (Fhere g' Hg')))). lia.
      Qed.

      Let slot_gap := fun g t => slot_passing r _ _ _ _ Lg i q F Hq Fall g t Fhere.

      Notation slot_sum := (slot_sum r (latency G) ck F).
      Notation slot_turns := (slot_turns ck F).

      Lemma slot_own : sum (fun c => delay r (latency G) c + cL (ck c)) F
        + sum (fine_work m p (home i) cores) F <= slot_sum.
      Proof.
        unfold ChainFormulas.slot_sum. rewrite <- sum_add. apply sum_le. intros c Hc.
        pose proof (ca_own _ _ _ _ _ _ _ _ _ _ (amounts_here c (Fhere c Hc))). lia.
      Qed.

      (** *** The path of a slot: case (1) of theorem 2 *)
      Theorem slot_time g z : In g F -> z <= fin r g -> exists n,
        cycles z (counted r) <= slot_sum + sum (fun c => charge (ck c) (n c)) (rest r i F)
        /\ sum n (rest r i F) <= (slots G - 1) * (slot_turns - 1).
      Proof.
        intros Hg Hz. destruct (path_account (counted r) F F (ord r) (fun t E => E) Fhere
          (fun g H => H)) with (g := g) (z := z) as [P [ro [cut [T [H1 [H2 H3]]]]]]; auto.
        - intros a c Ha Hc. apply slot_pos; assumption.
        - intros a c _ Hc N. contradiction.
        - apply slot_apart.
        - intros a t Ha Ct Ht A. apply slot_gap; auto. intros c Hc O. apply A, in_pre. auto.
        - exists (cut_in P cut). rewrite cycles_cnt. pose proof slot_own as Ow.
          pose proof (pre_all F (ord r) (fun c => delay r (latency G) c + cL (ck c)) g Hg) as B1.
          cbn beta in B1. pose proof (pre_all F (ord r) (fun c => cH (ck c)) g Hg) as B2.
          cbn beta in B2. unfold base, turned in *. split.
          + etransitivity; [exact T|]. pose proof (others_paid P ro cut (fun u Hu Pu =>
              proj1 (proj2 (H1 u Hu Pu))) H2 (rest r i F)) as Q.
            enough (wsum p inits P <= sum (fun c => charge (ck c) (cut_in P cut c)) (rest r i F))
              by lia. apply Q.
            * intros c Hc. apply in_rest in Hc. tauto.
            * intros u Hu Pu. apply in_rest. split; [apply key_here, Hu|apply (H1 u Hu Pu)].
          + etransitivity; [apply (rest_cuts P cut q F Hq Fall)|]. apply Nat.mul_le_mono_l.
            unfold ChainFormulas.slot_turns. lia.
      Qed.

      (** *** The path of a slot, then the chain of [b], which is in none of it: case (2) *)
      Theorem slot_time_then b : In b here -> ~ In b F ->
        (forall t, counted r t = true -> t < start r b -> (forall c, In c F -> fin r c <= t) ->
          disp r b <= t) ->
        exists n,
        cycles (fin r b) (counted r) <= slot_sum + latency G + cL (ck b)
          + sum (fun c => charge (ck c) (n c)) (rest r i F)
        /\ sum n (rest r i F) <= (slots G - 1) * (slot_turns + cH (ck b) - 1).
      Proof.
        intros Hb Nb Gap. set (top := S (list_max (map (ord r) F))).
        assert (forall c, In c F -> ord r c < top) as Top
          by (intros c Hc; apply le_n_S, list_max_ge, in_map, Hc).
        set (pos := fun g => if g =? b then top else ord r g).
        assert (forall c, In c F -> pos c = ord r c) as PF.
        { intros c Hc. unfold pos.
          destruct (Nat.eqb_spec c b) as [->|]; [contradiction|reflexivity]. }
        assert (pos b = top) as PB by (unfold pos; rewrite Nat.eqb_refl; reflexivity).
        destruct (path_account (counted r) (b :: F) F pos (fun t E => E))
          with (g := b) (z := fin r b) as [P [ro [cut [T [H1 [H2 H3]]]]]]; auto;
          try (left; reflexivity).
        - intros c [<-|Hc]; auto.
        - intros c Hc. right. exact Hc.
        - intros a c [<-|Ha] [<-|Hc]; rewrite ?PB, ?PF by assumption; intros E; auto;
            try (specialize (Top a Ha); lia); try (specialize (Top c Hc); lia).
          apply slot_pos; assumption.
        - intros a c Ha [<-|Hc] N; [rewrite PB, (PF a Ha); apply Top, Ha|contradiction].
        - intros a c Ha Hc. rewrite (PF a Ha), (PF c Hc). apply slot_apart; assumption.
        - intros a t [<-|Ha] Ct Ht A.
          + unfold passing. rewrite (proj2 (Nat.ltb_lt _ _) Ht), andb_true_r.
            apply Nat.leb_le, (Gap t Ct Ht). intros c Hc. apply A, in_pre.
            split; [right; exact Hc|rewrite PB, (PF c Hc); apply Top, Hc].
          + apply slot_gap; auto. intros c Hc O. apply A, in_pre. rewrite (PF a Ha), (PF c Hc).
            split; [right; exact Hc|exact O].
        - exists (cut_in P cut). rewrite cycles_cnt. pose proof slot_own as Ow.
          pose proof (pre_all (b :: F) pos (fun c => delay r (latency G) c + cL (ck c)) b
            (or_introl eq_refl)) as B1. cbn beta in B1.
          pose proof (pre_all (b :: F) pos (fun c => cH (ck c)) b (or_introl eq_refl)) as B2.
          cbn beta in B2. rewrite sum_cons in B1, B2. unfold base, turned in *.
          pose proof (delay_le r (latency G) b) as Dl. split.
          + etransitivity; [exact T|]. pose proof (others_paid P ro cut (fun u Hu Pu =>
              proj1 (proj2 (H1 u Hu Pu))) H2 (rest r i F)) as Q.
            enough (wsum p inits P <= sum (fun c => charge (ck c) (cut_in P cut c)) (rest r i F))
              by lia. apply Q.
            * intros c Hc. apply in_rest in Hc. tauto.
            * intros u Hu Pu. apply in_rest. split; [apply key_here, Hu|apply (H1 u Hu Pu)].
          + etransitivity; [apply (rest_cuts P cut q F Hq Fall)|]. apply Nat.mul_le_mono_l.
            unfold ChainFormulas.slot_turns. lia.
      Qed.
    End Slot.

    (** *** Lemma 4 (tail): from [t1] on the SM gets no others *)
    Theorem tail_time t1 b : In b here -> (forall c, In c here -> disp r c <= t1) -> exists n,
      cycles (fin r b) (behind r t1 b) <= delay r (latency G) b + (cW (ck b) + cO (ck b))
        + sum (fun c => charge (ck c) (n c)) (filter (fun c => negb (c =? b)) (present r i t1))
      /\ forall c, In c (filter (fun c => negb (c =? b)) (present r i t1)) -> n c <= cH (ck b) - 1.
    Proof.
      intros Hb Late. set (l := filter (fun c => negb (c =? b)) (present r i t1)).
      destruct (path_account (behind r t1 b) [b] [b] (fun _ => 0)) with (g := b) (z := fin r b)
        as [P [ro [cut [T [H1 [H2 H3]]]]]]; auto; try (left; reflexivity).
      - intros t E. unfold behind in E. rewrite !andb_true_iff in E. tauto.
      - intros c [<-|[]]. exact Hb.
      - apply incl_refl.
      - intros a c [<-|[]] [<-|[]] _. reflexivity.
      - intros a c [<-|[]] [<-|[]] N. destruct N. left. reflexivity.
      - intros a c _ _ N. lia.
      - intros a t [<-|[]] E Ht _. unfold behind, holds in E. rewrite !andb_true_iff in E.
        unfold passing. rewrite (proj2 (Nat.ltb_lt _ _) Ht), andb_true_r. tauto.
      - exists (cut_in P cut). rewrite cycles_cnt.
        pose proof (ca_own _ _ _ _ _ _ _ _ _ _ (amounts_here b Hb)) as Ow.
        unfold base, turned, pre in *. cbn [filter Nat.ltb Nat.leb] in *.
        rewrite sum_cons, !sum_nil in T. rewrite sum_nil in H3.
        assert (forall u, In u (keys p) -> P u = true -> In (whose G i u) l) as Pl.
        { intros u Hu Pu. destruct (H1 u Hu Pu) as [N1 [_ N2]]. apply filter_In. split.
          - apply filter_In. split; [apply key_here, Hu|]. unfold holds.
            pose proof (Late _ (key_here u Hu)). rewrite (proj2 (Nat.leb_le _ _)) by assumption.
            apply Nat.ltb_lt. pose proof (fin_here u Hu). unfold live in N2.
            apply existsb_exists in N2 as [t [_ N2]]. apply andb_prop in N2 as [N2 N3].
            apply init_iff in N3. unfold behind in N2. rewrite !andb_true_iff, Nat.leb_le in N2.
            unfold Model.C in *. lia.
          - apply negb_true_iff, Nat.eqb_neq. intros E. apply N1. left. auto. }
        split.
        + etransitivity; [exact T|].
          pose proof (others_paid P ro cut (fun u Hu Pu => proj1 (proj2 (H1 u Hu Pu))) H2 l) as Q.
          enough (wsum p inits P <= sum (fun c => charge (ck c) (cut_in P cut c)) l) by lia.
          apply Q; [|exact Pl]. intros c Hc. apply filter_In in Hc as [Hc _]. apply filter_In in Hc.
          tauto.
        + intros c Hc. apply filter_In in Hc as [Hc _]. apply filter_In in Hc as [Hc _].
          pose proof (slot_cuts P cut [c]) as Q. rewrite sum_cons in Q. unfold sum in Q.
          cbn [map list_sum fold_right] in Q. assert (cut_in P cut c + 0 <= length cut); [|lia].
          apply Q.
          * repeat constructor; easy.
          * intros d [<-|[]]. exact Hc.
          * intros d e [<-|[]] [<-|[]]. reflexivity.
    Qed.
  End Sm.

  (** *** The grid keeps the accounts of ChainFormulas.v. *)
  Theorem grid_chains : chains r (sms G) (slots G) (latency G) ck.
  Proof.
    constructor.
    - intros b Hb. pose proof (HA b Hb) as A.
      split; [apply (ca_less _ _ _ _ _ _ _ _ _ _ A)|apply (ca_turn _ _ _ _ _ _ _ _ _ _ A)].
    - intros i q F g z Hi Hq [F1 [F2 F3]]. apply (slot_time i Hi q); assumption.
    - intros i q F b Hi Hq [F1 [F2 F3]]. apply (slot_time_then i Hi q); assumption.
    - intros i t1 b Hi. apply (tail_time i Hi).
  Qed.
End ChainGrid.
