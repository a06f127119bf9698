(** * Theorem 2 of docs/wave-bounds.md computed: alignments of teams as longest paths; and of a
    grid *)

From Warpbound Require Import Base Cycles Largest Share Extras Model Potential Bounds Graph Paths
  Aln AlnPaths Stay Grid WaveExtras Wave WaveMean Teams WaveTeams.

(** ** A warp [u] of [g] beside [w]: as in ALN, charges counted [c] times *)

(** The alignments of two own warps as longest paths. *)
Definition fellow_table (m : machine) (b : block) (c w u : nat) (n : node) (j : nat) : nat :=
  lp (steps m b w u c) (aln_fuel b) (n, j).

Lemma fellow_cert m b c w u : wf b -> align_cert m b w u c (fellow_table m b c w u).
Proof.
  intros W n Hn.
  assert (forall j e, j <= len b u -> In e (steps m b w u c (n, j)) ->
    fellow_table m b c w u (fst (fst e)) (snd (fst e)) + snd e <= fellow_table m b c w u n j) as H.
  { intros j e Hj He. unfold fellow_table. rewrite <- surjective_pairing.
    apply (lp_edge _ (inside b w u) level_of (steps_down m b W w u c));
      [split; assumption| |exact He]. apply (level_fuel b w u). split; assumption. }
  split.
  - intros e j He Hj. apply (H j ((fst e, j), snd e) Hj). apply in_or_app. left. apply in_map_iff.
    eauto.
  - intros j Hj. apply (H (S j) ((n, j), _) Hj). apply in_or_app. right. left. reflexivity.
Qed.

(** ** A team of another thread block: through all sections of [g] *)

(** A node of [g], the warp of the team that is met, and how many of its instructions are
    consumed. *)
Definition team_state := ((nat * node) * (nat * nat))%type.

(** The steps to such a state. *)
Definition team_steps (m : machine) (b : block) (g c : nat) (team : list nat) (x : team_state) :
  list (team_state * nat) :=
  let '((w, n), (v, i)) := x in
  let older := filter (fun o => (group m (fst o) =? g) && (sec (get b o) <? sec (get b (w, snd n))))
    (keys b) in
  map (fun e => (((w, fst e), (v, i)), snd e)) (edges m b no_unit no_queue w n)
  ++ map (fun o => (((fst o, (true, snd o)), (v, i)), init (get b o) + lat (get b o))) older
  ++ flat_map (fun o => flat_map (fun u => map (fun j =>
    (((fst o, (true, snd o)), (u, from b u j)), init (get b o) + lat (get b o)))
    (filter (fun j => from b v j =? i) (S (list_max (all_sections b)) :: all_sections b))) team)
    older
  ++ match i with 0 => [] | S j => [(((w, n), (v, j)), c * charge_any m b w n (v, j))] end.

(** No warp of the team has as many instructions as [team_most]. *)
Definition team_most (b : block) (team : list nat) : nat := S (list_max (map (len b) team)).
(** No chain has as many steps as [team_fuel]. *)
Definition team_fuel (b : block) (team : list nat) : nat := (2 * enough b) * team_most b team.
(** The alignments of a team as longest paths. *)
Definition team_table (m : machine) (b : block) (g c : nat) (team : list nat) (w : nat) (n : node)
  (v i : nat) : nat :=
  lp (team_steps m b g c team) (team_fuel b team) ((w, n), (v, i)).

Section TeamTable.
  Variables (m : machine) (b : block) (g c : nat) (team : list nat).
  Hypothesis W : wf b.

  (** The state is one of [g] and its team. *)
  Definition seated (x : team_state) : Prop :=
    of m b g (fst (fst x), snd (snd (fst x))) /\ In (fst (snd x)) team /\
    snd (snd x) <= len b (fst (snd x)).
  (** Each step raises the depth. *)
  Definition depth_of (x : team_state) : nat :=
    (2 * rank b (fst (fst x), snd (snd (fst x))) + (if fst (snd (fst x)) then 1 else 0))
      * team_most b team + snd (snd x).

  Lemma seated_few x : seated x -> snd (snd x) < team_most b team.
  Proof.
    intros [_ [Hv Hi]]. unfold team_most. pose proof (list_max_in_ge (len b) team (fst (snd x)) Hv).
    lia.
  Qed.

  Lemma depth_fuel x : seated x -> depth_of x < team_fuel b team.
  Proof.
    intros S. pose proof (seated_few x S). destruct S as [[Hx _] _]. pose proof (enough_ok b _ Hx).
    unfold depth_of, team_fuel. destruct (fst (snd (fst x))); nia.
  Qed.

  (** A node that is deeper by its instruction, whatever is consumed. *)
  Lemma deeper (x y : team_state) : seated x -> seated y ->
    2 * rank b (fst (fst y), snd (snd (fst y))) + (if fst (snd (fst y)) then 1 else 0)
      < 2 * rank b (fst (fst x), snd (snd (fst x))) + (if fst (snd (fst x)) then 1 else 0) ->
      depth_of y < depth_of x.
  Proof. intros Sx Sy L. pose proof (seated_few y Sy). unfold depth_of. nia. Qed.

  Lemma team_down x e : seated x -> In e (team_steps m b g c team x) -> seated (fst e) /\
    depth_of (fst e) < depth_of x.
  Proof.
    destruct x as [[w [d k]] [v i]]. intros Sx He. pose proof Sx as [Hx [Hv Hi]].
    unfold team_steps in He. cbv zeta in He. rewrite !in_app_iff in He. cbn [fst snd] in *.
    assert (forall o, In o (filter (fun o => (group m (fst o) =? g)
      && (sec (get b o) <? sec (get b (w, k)))) (keys b)) -> of m b g (fst o, snd o) /\
      2 * rank b (fst o, snd o) + 1 < 2 * rank b (w, k) + (if d then 1 else 0)) as Old.
    { intros o Ho. apply filter_In in Ho as [Ho E].
      rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt in E. destruct E as [Go So].
      rewrite <- surjective_pairing. split; [split; assumption|].
      pose proof (rank_sec b (w, k) o Ho So). destruct d; lia. }
    destruct He as [He|[He|[He|He]]].
    - apply in_map_iff in He as [e' [<- He]].
      destruct (edges_up m b W no_unit no_queue w _ (d, k) e' (conj (proj1 Hx) eq_refl) He)
        as [[K _] L]. assert (seated ((w, fst e'), (v, i))) as Sy
        by (split; [split; [exact K|apply Hx]|split; assumption]). split; [exact Sy|].
      apply (deeper ((w, (d, k)), (v, i)) _ Sx Sy). cbn [fst snd]. unfold height in L.
      cbn [fst snd] in L. destruct (Nat.eq_dec (snd (fst e')) k) as [E|N];
        [rewrite E in *; destruct (fst (fst e')), d; lia|].
      pose proof (proj2 (rank_prog b W w k (snd (fst e')) (proj1 Hx)
        ltac:(destruct (fst (fst e')), d; lia))). destruct (fst (fst e')), d; lia.
    - apply in_map_iff in He as [o [<- Ho]]. destruct (Old o Ho) as [H1 H2].
      assert (seated ((fst o, (true, snd o)), (v, i))) as Sy
        by (split; [exact H1|split; assumption]). split; [exact Sy|].
      apply (deeper ((w, (d, k)), (v, i)) _ Sx Sy). exact H2.
    - apply in_flat_map in He as [o [Ho He]]. apply in_flat_map in He as [u [Hu He]].
      apply in_map_iff in He as [j [<- _]]. destruct (Old o Ho) as [H1 H2].
      assert (seated ((fst o, (true, snd o)), (u, from b u j))) as Sy
        by (split; [exact H1|split; [exact Hu|apply from_len]]). split; [exact Sy|].
      apply (deeper ((w, (d, k)), (v, i)) _ Sx Sy). exact H2.
    - destruct i as [|i]; [destruct He|]. destruct He as [<-|[]]. unfold seated, depth_of.
      cbn [fst snd]. split; [split; [exact Hx|split; [exact Hv|lia]]|lia].
  Qed.

  (** Behind the last section there is nothing. *)
  Lemma from_end u j : list_max (all_sections b) < j ->
    from b u j = from b u (S (list_max (all_sections b))).
  Proof.
    intros L. apply Nat.le_antisymm; [|apply from_mono; lia]. apply behind_le. intros i Hi _.
    apply from_above; [exact Hi|]. apply Nat.lt_succ_r, list_max_ge, in_seq. split; [lia|].
    cbn [Nat.add]. apply Nat.lt_succ_r. apply (list_max_in_ge (fun x => sec (get b x))), in_keys.
    split; [|exact Hi]. destruct (le_lt_dec (length b) u) as [N|N]; [|exact N]. unfold len in Hi.
    rewrite nth_overflow in Hi by exact N. cbn in Hi. lia.
  Qed.

  (** The computed alignments of a team are a certificate. *)
  Theorem team_table_cert : team_cert m b g c team (team_table m b g c team).
  Proof.
    intros w n Hn. assert (forall v i e, In v team -> i <= len b v ->
      In e (team_steps m b g c team ((w, n), (v, i))) ->
      lp (team_steps m b g c team) (team_fuel b team) (fst e) + snd e
      <= team_table m b g c team w n v i) as H.
    { intros v i e Hv Hi He.
      assert (seated ((w, n), (v, i))) as S by (split; [exact Hn|split; assumption]).
      apply (lp_edge _ seated depth_of team_down _ _ _ S); [apply depth_fuel, S|exact He]. }
    assert (forall x, of m b g x -> sec (get b x) < sec (get b (w, snd n)) ->
      In x (filter (fun o => (group m (fst o) =? g) && (sec (get b o) <? sec (get b (w, snd n))))
      (keys b))) as Old.
    { intros x [Hx Gx] L. apply filter_In. split; [exact Hx|].
      rewrite (proj2 (Nat.eqb_eq _ _) Gx), (proj2 (Nat.ltb_lt _ _) L). reflexivity. }
    split; [|split; [|split]].
    - intros v e i Hv He Hi. apply (H v i (((w, fst e), (v, i)), snd e) Hv Hi). apply in_or_app.
      left. apply in_map_iff. eauto.
    - intros x v i Hx L Hv Hi. rewrite <- Nat.add_assoc.
      apply (H v i (((fst x, (true, snd x)), (v, i)), init (get b x) + lat (get b x)) Hv Hi).
      apply in_or_app. right. apply in_or_app. left. apply in_map_iff. exists x.
      split; [reflexivity|apply Old; assumption].
    - intros x v u j Hx L Hv Hu. rewrite <- Nat.add_assoc.
      assert (exists j', In j' (S (list_max (all_sections b)) :: all_sections b) /\ from b v j'
        = from b v j /\ from b u j' = from b u j) as [j' [Hj [Ev Eu]]].
      { destruct (le_lt_dec j (list_max (all_sections b))) as [N|N].
        - exists j. split; [right; apply in_seq|auto]. split; [lia|]. cbn [Nat.add].
          apply Nat.lt_succ_r. etransitivity; [exact N|]. apply list_max_le_in. intros q Hq.
          apply in_seq in Hq. lia.
        - exists (S (list_max (all_sections b))). split; [left; reflexivity|].
          split; symmetry; apply from_end, N. }
      rewrite <- Ev, <- Eu. apply (H u (from b u j') (((fst x, (true, snd x)), (v, from b v j')),
        init (get b x) + lat (get b x)) Hu (from_len b u j')). apply in_or_app. right.
      apply in_or_app. right. apply in_or_app. left. apply in_flat_map. exists x.
      split; [apply Old; assumption|]. apply in_flat_map. exists v. split; [exact Hv|].
      apply in_map_iff. exists j'. split; [reflexivity|]. apply filter_In.
      split; [exact Hj|apply Nat.eqb_refl].
    - intros v i Hv Hi. apply (H v (S i) (((w, n), (v, i)), _) Hv Hi).
      do 3 (apply in_or_app; right). left. reflexivity.
  Qed.
End TeamTable.

(** ** The bound as a function: warps [ws] of [g], thread blocks [hs] with teams [ts], [k] changes
    of sub-core *)

(** Beside a warp that there is not: the longest chain alone. *)
Definition alone_table (m : machine) (b : block) (g w : nat) (n : node) : nat :=
  team_table m b g 0 [length b] w n (length b) 0.

Lemma alone_table_cert m b g : wf b -> alone_cert m b g (alone_table m b g).
Proof.
  intros W w n Hn. destruct (team_table_cert m b g 0 [length b] W w n Hn) as [H1 [H2 _]].
  pose proof (or_introl eq_refl : In (length b) [length b]) as Hv. split.
  - intros e He. apply (H1 _ e 0 Hv He). lia.
  - intros x Hx L. apply (H2 x _ 0 Hx L Hv). lia.
Qed.

(** Theorem 2 as a function. *)
Definition WAVE_TEAM_ALN (b : block) (m : machine) (g : nat) (cs ws hs : list nat)
  (al : nat -> bool) (ts : nat -> list (list nat)) (k : nat) : nat :=
  let c := teams ws (sum (fun h => length (ts h)) hs) in
  wave_team_aln m b g cs ws hs al ts k (fun w u n j => fellow_table m b c w u n j)
    (team_table m b g c) (alone_table m b g) (last_section b m g).

(** *** Theorem 2, computed *)
Theorem stays_teams_computed m p b others cs turn k ws al ts : machine_ok m -> wf p ->
  (NoDup cs /\ forall w, In (core m w) cs) ->
  moves p m b turn k -> (NoDup ws /\ forall x, of m p b x -> In (fst x) ws) ->
  (forall h, In h (strangers b others) -> al h = true -> teams_of m p h (ts h)) ->
  1 <= teams ws (sum (fun h => length (ts h)) (strangers b others)) ->
  stays_with m p b others (WAVE_TEAM_ALN p m b cs ws (strangers b others) al ts k).
Proof.
  intros M W Cs Tu Ws Ts One.
  apply (stays_teams m p b others cs turn k ws al ts _ _ _ _ M W Cs Tu Ws Ts One).
  - intros w u _ _ _. apply (fellow_cert m p _ w u W).
  - intros h tm _ _ _. apply team_table_cert, W.
  - apply alone_table_cert, W.
  - intros x [Hx Gx]. apply list_max_ge, in_map_iff. exists x. split; [reflexivity|].
    apply filter_In. split; [exact Hx|]. apply Nat.eqb_eq, Gx.
Qed.

(** ** A grid of one wave: where an SM has fewer thread blocks than its share, others without
    instructions make up for them *)

Section Grid.
  Variables (G : grid) (X : execution).
  Hypotheses (V : grid_valid G X) (Few : shared_out G X).

  Variable b : nat.
  Hypothesis Hb : b < blocks G.
  Notation m := (mach G (sm_of X b)).
  Notation p := (prog G (sm_of X b)).
  Notation mates := (mates G X b).

  (** Blank thread blocks make up for those that the SM does not get. *)
  Definition blanks : list nat := seq (blocks G) (share G - 1 - length mates).
  (** The other thread blocks and the blank ones. *)
  Definition company : list nat := mates ++ blanks.

  Lemma company_strangers : strangers b company = company.
  Proof.
    unfold strangers. rewrite (filter_const _ true); [reflexivity|]. intros h Hh.
    apply negb_true_iff, Nat.eqb_neq. intros ->.
    apply in_app_iff in Hh as [Hh|Hh]; [|apply in_seq in Hh; lia]. apply filter_In in Hh as [_ Hh].
    rewrite Nat.eqb_refl in Hh. discriminate.
  Qed.

  Variables (cs : list nat) (turn : nat -> nat -> nat) (k : nat) (ws : list nat) (al : nat -> bool)
    (ts : nat -> list (list nat)).
  Variables (A : nat -> nat -> node -> nat -> nat) (T : list nat -> nat -> node -> nat -> nat ->
    nat) (L : nat -> node -> nat) (q n_teams : nat).
  Notation c := (teams ws (n_teams * (share G - 1))).
  Hypotheses (M : machine_ok m) (W : wf p) (Cores : NoDup cs /\ forall w, In (core m w) cs).
  Hypothesis Turns : moves p m b turn k.
  Hypothesis Ws : NoDup ws /\ forall x, of m p b x -> In (fst x) ws.
  Hypothesis Ts : forall h, In h company -> (al h = true -> teams_of m p h (ts h)) /\
    length (ts h) = n_teams.
  Hypothesis Some_team : 1 <= c.
  Hypothesis HA : forall w u, In w ws -> In u ws -> u <> w -> align_cert m p w u c (A w u).
  Hypothesis HT : forall h tm, In h company -> al h = true -> In tm (ts h) ->
    team_cert m p b c tm (T tm).
  Hypotheses (HL : alone_cert m p b L) (Hq : forall x, of m p b x -> sec (get p x) <= q).

  (** What each other thread block adds, [c] times; [pad] is what a blank one does. *)
  Variables (own pad : nat) (add : nat -> nat).
  Notation adds := (team_sum m p b cs al ts c k T L).
  Hypotheses (Own : own_start p ws A (S q) <= own) (Add : forall h, In h mates -> adds h <= add h).
  Hypotheses (Blank : forall h, In h blanks -> adds h <= pad) (Least : forall h, pad <= add h).

  (** *** Theorem 2: the stay of thread block [b] *)
  Theorem stays_shared_out :
    stays_with m p b mates (releases m q + (own + largest (share G - 1) (map add (all_but G b))) /
      c).
  Proof.
    pose proof (few_mates G X b Few Hb) as Fm.
    apply (stays_among m p b _ company); [apply incl_appl, incl_refl|].
    assert (sum (fun h => length (ts h)) company = n_teams * (share G - 1)) as En.
    { rewrite (sum_ext _ (fun _ => n_teams)) by (intros h Hh; apply Ts, Hh). rewrite sum_same.
      unfold company, blanks. rewrite app_length, seq_length. rewrite Nat.mul_comm. f_equal. lia. }
    pose proof (stays_teams m p b company cs turn k ws al ts A T L q M W Cores Turns Ws) as S.
    rewrite company_strangers, En in S.
    specialize (S (fun h Hh => proj1 (Ts h Hh)) Some_team HA HT HL Hq).
    eapply stays_more; [exact S|]. unfold wave_team_aln, mean_bound. rewrite En.
    apply Nat.add_le_mono_l, Nat.div_le_mono; [lia|]. apply Nat.add_le_mono; [exact Own|].
    etransitivity; [|apply (mates_most G X V add pad b Few Hb Least)].
    change (sum adds company <= sum add mates + (share G - 1 - length mates) * pad). unfold company.
    rewrite sum_app. apply Nat.add_le_mono.
    - apply sum_le, Add.
    - etransitivity; [apply (sum_mul _ _ pad Blank)|]. unfold blanks. rewrite seq_length.
      apply le_n.
  Qed.

  (** *** Its end, with dynamic dispatch and with static *)
  Theorem k_wave_teams : dealt G X -> blocks G <= sms G * slots G ->
    ended X b <= releases m q + (own + largest (share G - 1) (map add (all_but G b))) / c
      + service G * blocks G.
  Proof. intros De One_wave. apply (wave_block G X V _ b De One_wave Hb stays_shared_out). Qed.

  (** Theorem 2 bounds a thread block of a grid of one wave with static dispatch. *)
  Theorem k_wave_teams_static : blocks G <= sms G * slots G ->
    ended X b <= releases m q + (own + largest (share G - 1) (map add (all_but G b))) / c
      + service G * blocks G + reuse G.
  Proof. intros One_wave. apply (wave_block_static G X V _ b Few One_wave Hb stays_shared_out). Qed.
End Grid.
