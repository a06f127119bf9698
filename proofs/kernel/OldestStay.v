(** * How long a thread block stays under oldest first: docs/policy-bounds.md, proposition 3

    At most as long as its elders and it take by their V, theorem 5 of docs/sub-core-bounds.md, or
    by the chain of the thread block, lemma 1 there with lemma 3 for its elders; with what an
    instruction waits for younger ones added to the chains of latencies. *)

From Warpbound Require Import Base Cycles Largest Share Model Elb Weights ChainWalk ChainWork
  ChainSlot ChainBlock Serial SerialPotential Oldest.

Section Stay.
  Variables (m : machine) (p : block) (hold : nat -> nat).

  (** ** L'_c(j), and lamI with the waits: [section_cert] and [lam_cert] with [wait_of] at each
      instruction *)
  Definition held_section_cert (L : key -> nat) : Prop := forall w k, In (w, k) (keys p) ->
    let i := get p (w, k) in
    let a := wait_of hold i in
    a <= L (w, k)
    /\ (forall j, k = S j -> sec (get p (w, j)) = sec i -> L (w, j) + a <= L (w, k))
    /\ (forall j, In j (ops i) -> sec (get p (w, j)) = sec i -> L (w, j) + lat (get p (w, j)) + a
         <= L (w, k))
    /\ (forall j, In j (ops i) -> sec (get p (w, j)) < sec i ->
          lat (get p (w, j)) + a <= L (w, k) \/ read_before p w j (sec i) /\ a <= L (w, k))
    /\ (forall y, In y (keys p) -> group m (fst y) = group m w -> sec (get p y) < sec i ->
         release m (sec i) + a <= L (w, k)).

  (** A certificate of latency paths with waits. *)
  Definition held_lam_cert (L : key -> nat) : Prop := forall w k, In (w, k) (keys p) ->
    let i := get p (w, k) in
    let a := wait_of hold i in
    a <= L (w, k)
    /\ (forall j, k = S j -> L (w, j) + a <= L (w, k))
    /\ (forall j, In j (ops i) -> L (w, j) + lat (get p (w, j)) + a <= L (w, k))
    /\ (forall y, In y (keys p) -> group m (fst y) = group m w -> sec (get p y) < sec i ->
         L y + release m (sec i) + a <= L (w, k)).

  (** Chains to pauses. *)
  Definition elder_paths (L : key -> nat) : key ->
    nat := alike (fun w k => L (w, k) - wait_of hold (get p (w, k))) L.

  Variables (age : nat -> nat) (b : nat).
  Hypothesis W : wf p.
  Notation o := (elders m age hold b p).
  Notation kept w := (age (group m w) <=? age b).
  Notation grp x := (group m (fst x)).
  Notation none := (S (list_max (map (fun x => fu (get p x)) (keys p)))).

  Lemma elder_case w j : In (w, j) (keys o) -> exists k, kept w = true /\ In (w, k) (keys p)
    /\ (j = 2 * k /\ get o (w, j) = pause hold none (get p (w, k)) \/ j = behind k /\ get o (w, j)
         = paused k (get p (w, k))).
  Proof.
    intros H. apply elders_keys in H as [K [k [Hk E]]].
    destruct (elders_get m p age hold b w k K Hk) as [G1 G2]. exists k.
    destruct E as [->| ->]; auto.
  Qed.

  Lemma elder_of y : In y (keys o) -> exists x, In x (keys p) /\ fst x = fst y /\
    sec (get p x) = sec (get o y)
    /\ kept (fst y) = true /\ forall L, elder_paths L y <= L x.
  Proof.
    destruct y as [v n]. intros Hy. destruct (elder_case v n Hy) as [c [K [Hc E]]]. exists (v, c).
    unfold elder_paths. destruct E as [[-> ->]|[-> ->]]; (repeat split; auto); intros L;
      rewrite ?alike_even, ?alike_odd; lia.
  Qed.

  Lemma elder_key w k : kept w = true -> In (w, k) (keys p) -> In (w, behind k) (keys o).
  Proof. intros K H. apply elders_keys. eauto. Qed.

  Lemma elder_read w k q : kept w = true -> read_before p w k q -> read_before o w (behind k) q.
  Proof.
    intros K [z [Hz [Hk Hs]]]. exists (behind z).
    rewrite (proj2 (elders_get m p age hold b w z K Hz)). split; [apply elder_key; assumption|].
    split; [right; apply in_map, Hk|exact Hs].
  Qed.

  Lemma held_section L : held_section_cert L -> section_cert m o (elder_paths L).
  Proof.
    intros HL w j H. destruct (elder_case w j H) as [k [K [Hk E]]].
    destruct (HL w k Hk) as [L0 [L1 [L2 [L3 L4]]]]. set (i := get p (w, k)) in *.
    set (a := wait_of hold i) in *. destruct (W w k Hk) as [_ [Wp Ws]].
    assert (forall c, c < k -> get o (w, behind c) = paused c (get p (w, c))) as Gc.
    { intros c Hc. apply (elders_get m p age hold b w c K (keys_before _ _ _ c Hk ltac:(lia))). }
    assert (sec (get o (w, j)) = sec i) as Si by (destruct E as [[_ ->]|[_ ->]]; reflexivity).
    rewrite !Si. assert (L (w, k) - a <= elder_paths L (w, j)) as LE.
    { unfold elder_paths.
      destruct E as [[-> _]|[-> _]]; rewrite ?alike_even, ?alike_odd; fold i a; lia. }
    assert (j = 2 * k \/ elder_paths L (w, j) = L (w, k)) as LF.
    { unfold elder_paths. destruct E as [[-> _]|[-> _]]; rewrite ?alike_even, ?alike_odd; auto. }
    assert (forall q, In q (ops (get o (w, j))) -> (exists c, q = behind c /\ In c (ops i)) \/ j
      = behind k /\ q = 2 * k) as Ops.
    { intros q Hq. destruct E as [[_ E]|[Ej E]]; rewrite E in Hq; cbn [ops pause paused] in Hq;
        [|destruct Hq as [<-|Hq]; [auto|]]; apply in_map_iff in Hq as [c [<- Hc]]; left; eauto. }
    assert (elder_paths L (w, 2 * k) = L (w, k) - a) as LP
      by (unfold elder_paths; rewrite alike_even; reflexivity).
    assert (forall c, elder_paths L (w, behind c) = L (w, c)) as LO
      by (intros c; unfold elder_paths; rewrite alike_odd; reflexivity).
    assert (sec (get o (w, 2 * k)) = sec i /\ lat (get o (w, 2 * k)) = a) as [SP LatP]
      by (rewrite (proj1 (elders_get m p age hold b w k K Hk)); split; reflexivity).
    split; [|split; [|split]].
    - intros n -> Hs. destruct E as [[E _]|[E _]].
      + destruct k as [|c]; [lia|]. assert (n = behind c) as -> by (unfold behind; lia).
        rewrite Gc in Hs by lia. specialize (L1 c eq_refl Hs). rewrite LO. lia.
      + assert (n = 2 * k) as -> by (unfold behind in E; lia). rewrite LP. lia.
    - intros q Hq Hs. destruct (Ops q Hq) as [[c [-> Hc]]|[-> ->]].
      + rewrite Gc in * by (apply Wp, Hc). specialize (L2 c Hc Hs). rewrite LO. cbn [lat paused].
        lia.
      + rewrite LatP, LP, LO. lia.
    - intros q Hq Hs. destruct (Ops q Hq) as [[c [-> Hc]]|[-> ->]]; [|lia].
      rewrite Gc in * by (apply Wp, Hc). cbn [lat sec paused] in *.
      destruct (L3 c Hc Hs) as [A|[A _]]; [left; lia|right; apply elder_read; assumption].
    - intros y Hy Gy Sy. destruct (elder_of y Hy) as [x [Hx [Fx [Sx _]]]]. rewrite <- Sx in Sy.
      rewrite <- Fx in Gy. specialize (L4 x Hx Gy Sy). lia.
  Qed.

  Lemma held_chains L g last Q : held_section_cert L -> section_chains m p L g last Q ->
    section_chains m o (elder_paths L) g last Q.
  Proof.
    intros HL HQ w j H Hg. destruct (elder_case w j H) as [k [K [Hk E]]].
    destruct (HL w k Hk) as [L0 _]. destruct (HQ w k Hk Hg) as [Q1 [Q2 [Q3 Q4]]]. cbv zeta.
    unfold elder_paths.
    destruct E as [[-> ->]|[-> ->]]; rewrite ?alike_even, ?alike_odd; cbn [sec lat pause paused].
    - split; [exact Q1|]. split; [lia|]. split; [intros Hs; rewrite Hs in Q2; lia|]. intros Hs.
      right. exists (behind k). rewrite (proj2 (elders_get m p age hold b w k K Hk)).
      split; [apply elder_key; assumption|]. split; [left; reflexivity|exact Hs].
    - split; [exact Q1|]. split; [exact Q2|]. split; [exact Q3|]. intros Hs.
      destruct (Q4 Hs) as [A|A]; [left; exact A|right; apply elder_read; assumption].
  Qed.

  Lemma held_lam L : held_lam_cert L -> lam_cert m o (elder_paths L).
  Proof.
    intros HL w j H. destruct (elder_case w j H) as [k [K [Hk E]]].
    destruct (HL w k Hk) as [L0 [L1 [L2 L3]]]. set (i := get p (w, k)) in *.
    set (a := wait_of hold i) in *. destruct (W w k Hk) as [_ [Wp _]].
    assert (forall c, c < k -> get o (w, behind c) = paused c (get p (w, c))) as Gc.
    { intros c Hc. apply (elders_get m p age hold b w c K (keys_before _ _ _ c Hk ltac:(lia))). }
    assert (L (w, k) - a <= elder_paths L (w, j)) as LE.
    { unfold elder_paths.
      destruct E as [[-> _]|[-> _]]; rewrite ?alike_even, ?alike_odd; fold i a; lia. }
    assert (elder_paths L (w, 2 * k) = L (w, k) - a) as LP
      by (unfold elder_paths; rewrite alike_even; reflexivity).
    assert (forall c, elder_paths L (w, behind c) = L (w, c)) as LO
      by (intros c; unfold elder_paths; rewrite alike_odd; reflexivity). split; [|split].
    - intros n ->. destruct E as [[E _]|[E _]].
      + destruct k as [|c]; [lia|]. assert (n = behind c) as -> by (unfold behind; lia).
        specialize (L1 c eq_refl). rewrite LO. lia.
      + assert (n = 2 * k) as -> by (unfold behind in E; lia). rewrite LP. lia.
    - intros q Hq.
      assert ((exists c, q = behind c /\ In c (ops i)) \/ j = behind k /\ q = 2 * k) as Q.
      { destruct E as [[_ E]|[Ej E]]; rewrite E in Hq; cbn [ops pause paused] in Hq;
          [|destruct Hq as [<-|Hq]; [auto|]]; apply in_map_iff in Hq as [c [<- Hc]]; left; eauto. }
      destruct Q as [[c [-> Hc]]|[-> ->]].
      + rewrite Gc, LO by (apply Wp, Hc). specialize (L2 c Hc). cbn [lat paused]. lia.
      + rewrite (proj1 (elders_get m p age hold b w k K Hk)), LP, LO. cbn [lat pause]. fold i a.
        lia.
    - assert (sec (get o (w, j)) = sec i) as Si by (destruct E as [[_ ->]|[_ ->]]; reflexivity).
      rewrite !Si. intros y Hy Gy Sy. destruct (elder_of y Hy) as [x [Hx [Fx [Sx [_ Lx]]]]].
      rewrite <- Sx in Sy. rewrite <- Fx in Gy. specialize (L3 x Hx Gy Sy). specialize (Lx L). lia.
  Qed.

  Lemma held_turns h : turns_cert m p h -> turns_cert m o (alike (fun w k => h (w, k)) h).
  Proof.
    intros H. assert (forall x, In x (keys o) -> exists z, In z (keys p) /\ fst z = fst x /\
      sec (get p z) = sec (get o x) /\ alike (fun w k => h (w, k)) h x = h z) as A.
    { intros [w j] Hx. destruct (elder_case w j Hx) as [k [_ [Hk E]]]. exists (w, k).
      destruct E as [[-> ->]|[-> ->]]; rewrite ?alike_even, ?alike_odd; auto. }
    intros x y Hx Hy. destruct (A x Hx) as [u [Hu [Fu [Su ->]]]], (A y Hy) as [v [Hv [Fv [Sv ->]]]].
    rewrite <- Su, <- Sv, <- Fu, <- Fv. apply H; assumption.
  Qed.

  (** ** What the elders initiate is what they initiated *)
  Lemma elder_work g (f f' : key -> nat) : (age g <=? age b) = true ->
    (forall x, grp x <> g -> f x = 0 /\ f' x = 0) ->
    (forall w k, get o (w, 2 * k) = pause hold none (get p (w, k)) -> get o (w, behind k)
      = paused k (get p (w, k)) ->
       f' (w, 2 * k) = 0 /\ f' (w, behind k) = f (w, k)) ->
    sum f' (keys o) = sum f (keys p).
  Proof.
    intros Kg Z H. rewrite (sum_elders m p age hold b f).
    - apply sum_ext. intros x _.
      destruct (Nat.eq_dec (grp x) g) as [->|N]; [rewrite Kg; reflexivity|].
      rewrite (proj1 (Z x N)). destruct (age (grp x) <=? age b); reflexivity.
    - intros w k K Hk. destruct (elders_get m p age hold b w k K Hk) as [G1 G2].
      destruct (H w k G1 G2) as [-> ->]. reflexivity.
  Qed.

  Lemma if_none (c : bool) : (if c then 0 else 0) = 0.
  Proof. destruct c; reflexivity. Qed.

  Ltac same_work Kg := apply (elder_work _ _ _ Kg);
    [intros x N; apply Nat.eqb_neq in N; cbn beta; rewrite N; cbn [andb]; split; reflexivity
    |intros w k G1 G2; cbn beta; cbn [fst]; rewrite G1, G2; cbn [sec fu init pause paused];
         rewrite if_none; split; reflexivity].

  Lemma elder_time home cs Q last g : (age g <=? age b) = true -> serial_time m o home cs Q last g
    = serial_time m p home cs Q last g.
  Proof.
    intros Kg. apply sum_ext. intros q _. unfold section_time. f_equal.
    - f_equal. apply map_ext. intros c. f_equal. unfold private_work, in_section. same_work Kg.
    - unfold shared_work, in_section. same_work Kg.
  Qed.

  Lemma elder_priv home g q c : (age g <=? age b) = true ->
    priv o home (fun y => grp y) (fun y => sec (get o y)) g q c
      = priv p home (fun y => grp y) (fun y => sec (get p y)) g q c.
  Proof. intros Kg. unfold priv, wsum, part, at_home. same_work Kg. Qed.

  Lemma elder_shar home g q : (age g <=? age b) = true ->
    shar o home (fun y => grp y) (fun y => sec (get o y)) g q
      = shar p home (fun y => grp y) (fun y => sec (get p y)) g q.
  Proof. intros Kg. unfold shar, wsum, part, is_shared. same_work Kg. Qed.

  Lemma elder_sections : sections o <= sections p.
  Proof.
    apply le_n_S, list_max_le_in. intros n Hn. apply in_map_iff in Hn as [y [<- Hy]].
    destruct (elder_of y Hy) as [x [Hx [_ [<- _]]]].
    apply (list_max_in_ge (fun y => sec (get p y)) (keys p) x Hx).
  Qed.

  Lemma elder_busiest home cores g K : (age g <=? age b) = true ->
    busiest o home cores (fun y => grp y) (fun y => sec (get o y)) K g
      = busiest p home cores (fun y => grp y) (fun y => sec (get p y)) K g
    /\ extras o home cores (fun y => grp y) (fun y => sec (get o y)) K g
         = extras p home cores (fun y => grp y) (fun y => sec (get p y)) K g.
  Proof.
    intros Kg. assert (forall j, row o home cores (fun y => grp y) (fun y => sec (get o y)) g j
      = row p home cores (fun y => grp y) (fun y => sec (get p y)) g j) as R.
    { intros j. apply map_ext. intros c. apply elder_priv, Kg. }
    unfold busiest, extras. split.
    - apply sum_ext. intros j _. rewrite R, elder_shar by exact Kg. reflexivity.
    - rewrite !flat_map_concat_map. f_equal. apply map_ext. intros j. rewrite R. reflexivity.
  Qed.

  Lemma elder_fine home cores g : (age g <=? age b) = true ->
    fine_work m o home cores g <= fine_work m p home cores g.
  Proof.
    intros Kg. unfold fine_work. rewrite (proj1 (elder_busiest home cores g (sections o) Kg)).
    pose proof elder_sections.
    replace (sections p) with (sections o + (sections p - sections o)) by lia. unfold busiest.
    rewrite seq_app, sum_app. lia.
  Qed.
End Stay.

(** ** Proposition 3 *)
Section Elders.
  Variables (m : machine) (p : block) (s : schedule) (age hold : nat -> nat)
    (home : nat -> option nat) (b : nat).
  Hypotheses (M : machine_ok m) (W : wf p) (V : valid m p s) (Depth : depth m = Some 0).
  Hypothesis First : oldest_first m p s age.
  (* no initiation of a unit is longer *)
  Hypothesis Hold : forall x, In x (keys p) -> init (get p x) <= S (hold (fu (get p x))).
  (* units are private *)
  Hypothesis Home : forall x, In x (keys p) -> 1 <= init (get p x) ->
    home (fu (get p x)) = Some (core m (fst x)).
  Notation o := (elders m age hold b p).
  Notation s' := (elder_schedule m p s hold).
  Notation grp x := (group m (fst x)).

  Lemma home_private x y : In x (keys p) -> In y (keys p) -> fu (get p x) = fu (get p y) ->
    1 <= init (get p x) ->
    core m (fst x) = core m (fst y).
  Proof.
    intros Hx Hy F Ix. pose proof (Home x Hx Ix) as A.
    pose proof (Home y Hy (same_unit p W x y Hx Hy F Ix)) as B. rewrite F in A. congruence.
  Qed.

  Lemma elders_run : valid m o s'.
  Proof. exact (elders_valid m p s age hold b W V Depth First Hold home_private). Qed.

  Lemma elder_home y : In y (keys o) -> 1 <= init (get o y) ->
    home (fu (get o y)) = Some (core m (fst y)).
  Proof.
    destruct y as [v n]. intros Hy. destruct (elder_case m p hold age b v n Hy)
      as [c [K [Hc [[_ ->]|[_ ->]]]]]; cbn [init fu pause paused]; [lia|]. apply (Home (v, c) Hc).
  Qed.

  Lemma elder_kept y : In y (keys o) -> (age (grp y) <=? age b) = true.
  Proof. destruct y as [v n]. intros Hy. apply elders_keys in Hy. apply Hy. Qed.

  Lemma elder_real y : In y (keys o) -> exists z, In z (keys p) /\ fst z = fst y /\ C s' y <= C s z.
  Proof.
    destruct y as [v n]. intros Hy. destruct (elder_case m p hold age b v n Hy) as [c [_ [Hn E]]].
    exists (v, c). split; [exact Hn|]. split; [reflexivity|].
    destruct E as [[-> _]|[-> _]]; [|rewrite same_complete; apply le_n].
    pose proof (ready_issue m p s V v c Hn). pose proof (v_start _ _ _ V (v, c) Hn). unfold C.
    cbn [D ai al elder_schedule]. rewrite !alike_even. unfold rest. lia.
  Qed.

  (** *** By V': at most as long as those that are there and no younger take, [gs]. *)
  Theorem stay_serial L last Q cs gs x : held_section_cert m p hold L ->
    (forall g, section_chains m p L g (last g) (Q g)) ->
    (forall y, In y (keys p) -> In (core m (fst y)) cs) ->
    (forall y, In y (keys p) -> age (grp y) <= age b -> begin s b < C s y -> In (grp y) gs) ->
    (forall g, In g gs -> age g <= age b) ->
    In x (keys p) -> grp x = b ->
    C s x <= begin s b + sum (fun g => serial_time m p home cs (Q g) (last g) g) gs.
  Proof.
    intros HL HQ Hc Here Older Hx Hb. destruct x as [w k]. cbn [fst] in Hb.
    assert ((age (group m w) <=? age b) = true) as K by (rewrite Hb; apply Nat.leb_refl).
    pose proof (serial_cycles m o home s' (elder_paths p hold L) last Q cs M
      (elders_wf m p age hold b W) elders_run)
      as H. specialize (H ltac:(intros y Hy Iy; unfold reaches; rewrite (elder_home y Hy Iy);
      apply Nat.eqb_refl)). specialize (H (held_section m p hold age b W L HL) (fun g =>
      held_chains m p hold age b L g (last g) (Q g) HL (HQ g))).
    specialize (H ltac:(intros y Hy; destruct (elder_of m p hold age b y Hy) as [z [Hz [<- _]]];
      apply Hc, Hz) gs (begin s b) (C s (w, k))). rewrite (cnt_all _ (begin s b)) in H;
      [|pose proof (v_begin _ _ _ V (w, k) Hx); pose proof (v_start _ _ _ V (w, k) Hx); cbn [fst]
      in *; rewrite Hb in *; unfold C; lia|].
    - assert (sum (fun g => serial_time m o home cs (Q g) (last g) g) gs
        = sum (fun g => serial_time m p home cs (Q g) (last g) g) gs) as E.
      { apply sum_ext. intros g Hg. apply elder_time, Nat.leb_le, Older, Hg. }
      rewrite E in H. enough (C s (w, k) - begin s b
        <= sum (fun g => serial_time m p home cs (Q g) (last g) g) gs) by lia.
      etransitivity; [|apply H]; [lia|]. intros y Hy Ht.
      destruct (elder_real y Hy) as [z [Hz [Fz Cz]]]. rewrite <- Fz. apply Here; [exact Hz| |lia].
      rewrite Fz. apply Nat.leb_le, elder_kept, Hy.
    - intros t Ht. unfold since. rewrite (proj2 (Nat.leb_le _ _)) by lia. cbn [andb].
      apply existsb_exists. exists (w, behind k). split; [apply elder_key; assumption|].
      apply on_sm_iff. cbn [fst begin elder_schedule]. rewrite same_complete, Hb. exact Ht.
  Qed.

  (** *** By the chain: W of the thread block and its latencies, and of each elder [gs] that is
      there W and the [chg] - 1 largest of its X, or E.  Sums are those of the order of issue,
      without sigma. *)
  Variables (L h : key -> nat) (cores lamc chg : nat).
  Hypotheses (HL : held_lam_cert m p hold L) (HT : turns_cert m p h).
  Hypothesis Lam : forall y, In y (keys p) -> grp y = b -> L y + lat (get p y) <= lamc.
  Hypothesis Chg : forall y, In y (keys p) -> grp y = b -> h y + 1 <= chg.
  Hypothesis Cores : forall f c, home f = Some c -> c < cores.

  (** What an elder costs. *)
  Definition elder_charge (g : nat) : nat :=
    min (sum (fun y => if grp y =? g then init (get p y) else 0) (keys p))
        (fine_work m p home cores g
         + largest (chg - 1) (extras p home cores (fun y => grp y) (fun y => sec (get p y))
           (sections p) g)).

  (** Under oldest first, W, a latency path and the charges of its elders bound a stay. *)
  Theorem stay_chain gs x : NoDup gs -> (forall g, In g gs -> age g <= age b) ->
    (forall y, In y (keys p) -> age (grp y) <= age b -> grp y <> b -> begin s b < C s y ->
      In (grp y) gs) ->
    In x (keys p) -> grp x = b ->
    C s x <= begin s b + fine_work m p home cores b + lamc + sum elder_charge gs.
  Proof.
    intros N Older Here Hx Hb. destruct x as [w k]. cbn [fst] in Hb.
    assert ((age (group m w) <=? age b) = true) as K by (rewrite Hb; apply Nat.leb_refl).
    assert (forall y, In y (keys o) -> 1 <= init (get o y) ->
      reach home (core m (fst y)) (fu (get o y))) as HomeO
      by (intros y Hy Iy; right; apply elder_home; assumption).
    destruct (chain m o (elder_paths p hold L) (alike (fun w k => h (w, k)) h) home cores b lamc chg
      M (elders_wf m p age hold b W) (held_lam m p hold age b W L HL)
      (held_turns m p hold age b h HT)) with (s := s') (t0 := begin s b) (x := (w, behind k))
      as [P [r [changes [T [A [Cu F]]]]]]; auto using elders_run.
    - intros [v n] Hy Gy. destruct (elder_case m p hold age b v n Hy) as [c [_ [Hn E]]].
      specialize (Lam (v, c) Hn Gy). unfold elder_paths.
      destruct E as [[-> ->]|[-> ->]]; rewrite ?alike_even, ?alike_odd; cbn [lat pause paused];
        [|exact Lam]. pose proof (proj1 (HL v c Hn)). lia.
    - intros [v n] Hy Gy. destruct (elder_case m p hold age b v n Hy) as [c [_ [Hn E]]].
      specialize (Chg (v, c) Hn Gy).
      destruct E as [[-> _]|[-> _]]; rewrite ?alike_even, ?alike_odd; exact Chg.
    - apply elder_key; assumption.
    - rewrite same_complete in T.
      pose proof (elder_fine m p hold age b home cores b (Nat.leb_refl _)) as Fw.
      enough (wsum o (fun y => init (get o y)) P <= sum elder_charge gs) by lia.
      etransitivity; [apply (wsum_sum o (fun y => init (get o y)) P (fun g y => grp y =? g) gs)|].
      { intros y Hy Py. destruct (A y Hy Py) as [A1 [_ [t [A2 A3]]]]. exists (grp y).
        split; [|apply Nat.eqb_refl]. destruct (elder_real y Hy) as [z [Hz [Fz Cz]]].
        rewrite <- Fz in *. apply Here; [exact Hz| |exact A1|].
        - apply Nat.leb_le. rewrite Fz. apply elder_kept, Hy.
        - unfold initiates in A3. apply andb_prop in A3 as [A3 A4]. apply Nat.ltb_lt in A4.
          unfold C in Cz at 1. lia. }
      apply sum_le. intros g Hg.
      assert ((age g <=? age b) = true) as Kg by apply Nat.leb_le, Older, Hg. unfold elder_charge.
      apply Nat.min_glb.
      + etransitivity; [|apply Nat.eq_le_incl,
          (elder_work m p hold age b g _ (fun y => if grp y =? g then init (get o y) else 0) Kg)].
        * apply sum_le. intros y _. destruct (P y), (grp y =? g); cbn; lia.
        * intros y Ny. apply Nat.eqb_neq in Ny. rewrite Ny. auto.
        * intros v n G1 G2. cbn [fst]. rewrite G1, G2. cbn [init pause paused].
          destruct (group m v =? g); auto.
      + etransitivity; [apply (cut_work o home cores (fun y => grp y) (fun y => sec (get o y)) Cores
          s' r changes Cu (sections p) g P)|].
        * intros y Hy Py _. split; [pose proof (elder_sections m p hold age b);
            pose proof (sec_few o y Hy); lia|apply (A y Hy Py)].
        * destruct (elder_busiest m p hold age b home cores g (sections p) Kg) as [-> ->].
          apply Nat.add_le_mono_l, largest_grows.
          pose proof (cuts_shared o (fun y => grp y) (fun y => sec (get o y)) s' changes
            (sections p) P [g]) as Q. unfold sum at 1 in Q. cbn [map list_sum fold_right] in Q.
          rewrite Nat.add_0_r in Q. etransitivity; [apply Q|lia].
          { constructor; [easy|constructor]. }
          intros g1 j1 g2 j2 [<-|[]] [<-|[]].
          destruct (Nat.lt_trichotomy j1 j2) as [Lt|[->|Lt]];
            [right; left|left; auto|right; right]; intros u v Hu Hv Pu Pv; unfold part in Pu, Pv;
            rewrite andb_true_iff, !Nat.eqb_eq in Pu, Pv;
            [pose proof (v_barrier _ _ _ elders_run v u Hv Hu)|pose
            proof (v_barrier _ _ _ elders_run u v Hu Hv)]; lia.
  Qed.
End Elders.

(** ** Lambda': what is added up of L'_c(j), section by section the most of any sub-core, is no less
    than any chain *)
Section SectionLam.
  Variables (m : machine) (p : block) (hold : nat -> nat) (L : key -> nat)
    (Q : nat -> nat -> nat -> nat) (last : nat -> nat) (cs : list nat).
  Hypotheses (W : wf p) (HL : held_section_cert m p hold L).
  Hypothesis HQ : forall g, section_chains m p L g (last g) (Q g).
  Hypothesis Cores : forall x, In x (keys p) -> In (core m (fst x)) cs.
  Notation grp x := (group m (fst x)).

  (** The longest chain of section [q]. *)
  Definition latest (g q : nat) : nat := list_max (map (fun c => Q g c q) cs).
  (** The longest chains of the sections before [q]. *)
  Definition lam_before (g q : nat) : nat := sum (latest g) (seq 0 q).
  (** Lambda': the longest chains of all sections. *)
  Definition sections_lam (g : nat) : nat := lam_before g (S (last g)).
  (** The latency path to an instruction, section by section. *)
  Definition lam_paths (x : key) : nat := lam_before (grp x) (sec (get p x)) + L x.

  Lemma lam_before_S g q : lam_before g (S q) = lam_before g q + latest g q.
  Proof.
    unfold lam_before. rewrite seq_S, sum_app. cbn [Nat.add]. unfold sum at 2.
    cbn [map list_sum fold_right]. lia.
  Qed.

  Lemma lam_before_le g q r : q <= r -> lam_before g q <= lam_before g r.
  Proof. induction 1 as [|r H IH]; [apply le_n|]. rewrite lam_before_S. lia. Qed.

  Lemma latest_ge g q x : In x (keys p) -> Q g (core m (fst x)) q <= latest g q.
  Proof. intros Hx. apply (list_max_in_ge (fun c => Q g c q) cs), Cores, Hx. Qed.

  Lemma lam_passed x q : In x (keys p) -> sec (get p x) < q -> lam_paths x <= lam_before (grp x) q.
  Proof.
    intros Hx Hq. destruct x as [w k]. destruct (HQ (group m w) w k Hx eq_refl) as [_ [H _]].
    pose proof (latest_ge (group m w) (sec (get p (w, k))) (w, k) Hx).
    pose proof (lam_before_le (group m w) _ q Hq) as B. rewrite lam_before_S in B. unfold lam_paths.
    cbn [fst] in *. lia.
  Qed.

  (** What has been read is complete when what read it is issued. *)
  Lemma lam_read w k q : In (w, k) (keys p) -> read_before p w k q ->
    lam_paths (w, k) + lat (get p (w, k)) <= lam_before (group m w) q.
  Proof.
    intros Hk [z [Hz [Ho Hs]]]. revert k Hk Ho. induction z as [z IH] using lt_wf_ind.
    intros k Hk Ho. pose proof (lam_passed (w, z) q Hz Hs) as Pz. cbn [fst] in Pz.
    destruct (HL w z Hz) as [_ [_ [L2 [L3 _]]]]. destruct (W w z Hz) as [_ [Wp Ws]].
    specialize (Wp k Ho). specialize (Ws k Wp).
    destruct (Nat.eq_dec (sec (get p (w, k))) (sec (get p (w, z)))) as [E|N].
    - specialize (L2 k Ho E). unfold lam_paths in *. cbn [fst] in *. rewrite E. lia.
    - destruct (L3 k Ho ltac:(lia)) as [A|[[y [Hy [Oy Sy]]] _]].
      + pose proof (lam_passed (w, k) (sec (get p (w, z))) Hk ltac:(lia)) as Pk.
        unfold lam_paths in *. cbn [fst] in *. lia.
      + assert (y < z) as Lt.
        { destruct (le_lt_dec z y) as [C|C]; [|exact C]. destruct (W w y Hy) as [_ [_ Wy]].
          destruct (Nat.eq_dec z y) as [->|]; [lia|]. specialize (Wy z ltac:(lia)). lia. }
        apply (IH y Lt Hy ltac:(lia) k Hk Oy).
  Qed.

  (** The latency paths of sections, one after the other, are a certificate. *)
  Theorem sections_lam_cert : held_lam_cert m p hold lam_paths.
  Proof.
    intros w k Hk. destruct (HL w k Hk) as [L0 [L1 [L2 [L3 L4]]]].
    destruct (W w k Hk) as [_ [Wp Ws]]. cbv zeta. set (q := sec (get p (w, k))) in *.
    set (a := wait_of hold (get p (w, k))) in *.
    assert (lam_paths (w, k) = lam_before (group m w) q + L (w, k)) as E by reflexivity. rewrite E.
    split; [lia|]. split; [|split].
    - intros j ->. pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Kj.
      specialize (Ws j ltac:(lia)). destruct (Nat.eq_dec (sec (get p (w, j))) q) as [S|S].
      + specialize (L1 j eq_refl S). unfold lam_paths. cbn [fst]. rewrite S. lia.
      + pose proof (lam_passed (w, j) q Kj ltac:(lia)) as P. cbn [fst] in P. lia.
    - intros j Hj. specialize (Wp j Hj). specialize (Ws j Wp).
      pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Kj.
      destruct (Nat.eq_dec (sec (get p (w, j))) q) as [S|S].
      + specialize (L2 j Hj S). unfold lam_paths. cbn [fst]. rewrite S. lia.
      + destruct (L3 j Hj ltac:(lia)) as [A|[R A]].
        * pose proof (lam_passed (w, j) q Kj ltac:(lia)) as P. cbn [fst] in P. lia.
        * pose proof (lam_read w j q Kj R). lia.
    - intros y Hy Gy Sy. specialize (L4 y Hy Gy Sy). pose proof (lam_passed y q Hy Sy) as P.
      rewrite Gy in P. lia.
  Qed.

  (** Lambda' bounds every latency path of the thread block. *)
  Theorem sections_lam_ok x : In x (keys p) -> lam_paths x + lat (get p x) <= sections_lam (grp x).
  Proof.
    intros Hx. destruct x as [w k]. cbn [fst].
    destruct (HQ (group m w) w k Hx eq_refl) as [H1 [H2 [H3 H4]]]. unfold sections_lam.
    rewrite lam_before_S. set (g := group m w) in *.
    pose proof (latest_ge g (last g) (w, k) Hx) as Lt. cbn [fst] in Lt.
    destruct (Nat.eq_dec (sec (get p (w, k))) (last g)) as [S|S].
    - specialize (H3 S). unfold lam_paths. cbn [fst]. fold g. rewrite S. lia.
    - destruct (H4 ltac:(lia)) as [A|R].
      + pose proof (lam_passed (w, k) (last g) Hx ltac:(lia)) as P. cbn [fst] in P. fold g in P.
        lia.
      + pose proof (lam_read w k (last g) Hx R) as P. fold g in P. lia.
  Qed.
End SectionLam.
