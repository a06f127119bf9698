(** * Theorem 2 of docs/wave-bounds.md computed: alignments along the whole stay as longest paths *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Model Potential Graph Paths Aln AlnPaths Stay WaveSib
  Wave WaveMean WaveAlign.
Import ListNotations.

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

(** ** A warp [v] of another thread block: through all sections of [g] *)

(** A node of [g] and how many instructions are consumed. *)
Definition chain_state := ((nat * node) * nat)%type.

(** The steps to such a state. *)
Definition chain_steps (m : machine) (b : block) (g v c : nat) (x : chain_state) :
  list (chain_state * nat) :=
  let '((w, n), j) := x in
  map (fun e => (((w, fst e), j), snd e)) (edges m b no_unit no_queue w n)
  ++ map (fun o => (((fst o, (true, snd o)), j), init (get b o) + lat (get b o)))
       (filter (fun o => (group m (fst o) =? g) && (sec (get b o) <? sec (get b (w, snd n))))
         (keys b))
  ++ match j with 0 => [] | S i => [(((w, n), i), c * charge_any m b w n (v, i))] end.

(** No chain has as many steps as [chain_fuel]. *)
Definition chain_fuel (b : block) (v : nat) : nat := 2 * enough b + len b v.
(** The alignments along the whole stay as longest paths. *)
Definition chain_table (m : machine) (b : block) (g c v w : nat) (n : node) (j : nat) : nat :=
  lp (chain_steps m b g v c) (chain_fuel b v) ((w, n), j).

Section ChainTable.
  Variables (m : machine) (b : block) (g c v : nat).
  Hypothesis W : wf b.

  (** The state is one of [g] and [v]. *)
  Definition placed (x : chain_state) : Prop := of m b g (fst (fst x), snd (snd (fst x))) /\
    snd x <= len b v.
  (** Each step raises the height. *)
  Definition height_of (x : chain_state) : nat :=
    2 * rank b (fst (fst x), snd (snd (fst x))) + (if fst (snd (fst x)) then 1 else 0) + snd x.

  Lemma height_fuel x : placed x -> height_of x < chain_fuel b v.
  Proof.
    intros [[Hx _] Hj]. pose proof (enough_ok b _ Hx). unfold height_of, chain_fuel.
    destruct (fst (snd (fst x))); lia.
  Qed.

  Lemma chain_down x e : placed x -> In e (chain_steps m b g v c x) -> placed (fst e) /\
    height_of (fst e) < height_of x.
  Proof.
    destruct x as [[w [d k]] j]. intros [Hx Hj] He. unfold chain_steps in He.
    rewrite !in_app_iff in He. cbn [fst snd] in *. destruct He as [He|[He|He]].
    - apply in_map_iff in He as [e' [<- He]].
      destruct (edges_up m b W no_unit no_queue w _ (d, k) e' (conj (proj1 Hx) eq_refl) He)
        as [[K _] L]. unfold placed, height_of. cbn [fst snd].
      split; [split; [split; [exact K|apply Hx]|exact Hj]|]. unfold height in L. cbn [fst snd] in L.
      destruct (Nat.eq_dec (snd (fst e')) k) as [E|N];
        [rewrite E in *; destruct (fst (fst e')), d; lia|].
      pose proof (proj2 (rank_prog b W w k (snd (fst e')) (proj1 Hx)
        ltac:(destruct (fst (fst e')), d; lia))). destruct (fst (fst e')), d; lia.
    - apply in_map_iff in He as [o [<- Ho]]. apply filter_In in Ho as [Ho E].
      rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt in E. destruct E as [Go So].
      unfold placed, height_of. cbn [fst snd]. rewrite <- surjective_pairing.
      split; [split; [split; assumption|exact Hj]|]. pose proof (rank_sec b (w, k) o Ho So).
      destruct d; lia.
    - destruct j as [|j]; [destruct He|]. destruct He as [<-|[]]. unfold placed, height_of.
      cbn [fst snd]. split; [split; [exact Hx|lia]|lia].
  Qed.

  Theorem chain_table_cert : chain_cert m b g v c (chain_table m b g c v).
  Proof.
    intros w n Hn. assert (forall j e, j <= len b v -> In e (chain_steps m b g v c ((w, n), j)) ->
      lp (chain_steps m b g v c) (chain_fuel b v) (fst e) + snd e <= chain_table m b g c v w n j)
      as H.
    { intros j e Hj He.
      apply (lp_edge _ placed height_of chain_down); [split; assumption| |exact He].
      apply height_fuel. split; assumption. }
    split; [|split].
    - intros e j He Hj. apply (H j (((w, fst e), j), snd e) Hj). apply in_or_app. left.
      apply in_map_iff. eauto.
    - intros x j Hx L Hj. rewrite <- Nat.add_assoc.
      apply (H j (((fst x, (true, snd x)), j), init (get b x) + lat (get b x)) Hj). apply in_or_app.
      right. apply in_or_app. left. apply in_map_iff. exists x. split; [reflexivity|].
      apply filter_In. destruct Hx as [Hx Gx]. split; [exact Hx|].
      rewrite (proj2 (Nat.eqb_eq _ _) Gx), (proj2 (Nat.ltb_lt _ _) L). reflexivity.
    - intros j Hj. apply (H (S j) (((w, n), j), _) Hj). apply in_or_app. right. apply in_or_app.
      right. left. reflexivity.
  Qed.
End ChainTable.

(** ** The bound as a function: warps [ws] of [g], warps [vs] of others *)

(** Theorem 2 with a team for each warp, as a function. *)
Definition WAVE_ALN (b : block) (m : machine) (g : nat) (ws vs : list nat) : nat :=
  let c := teams ws (length vs) in
  wave_aln m b g ws vs (fun w u n j => fellow_table m b c w u n j) (fun v w n j =>
    chain_table m b g c v w n j) (list_max (map (fun x => sec (get b x))
    (filter (fun x => group m (fst x) =? g) (keys b)))).

(** *** Theorem 2, a team for each warp, computed *)
Theorem WAVE_ALN_bound m b s g t0 others ws vs x : machine_ok m -> wf b -> valid m b s ->
  begin s g <= t0 ->
  (forall y, In y (keys b) -> group m (fst y) <> g -> ~ In (group m (fst y)) others ->
     C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y) ->
  (NoDup ws /\ forall x, of m b g x -> In (fst x) ws) ->
  (forall y, In y (keys b) -> group m (fst y) <> g -> In (group m (fst y)) others ->
    In (fst y) vs) ->
  1 <= teams ws (length vs) -> of m b g x -> C s x <= t0 + WAVE_ALN b m g ws vs.
Proof.
  intros M W V Begun Away Ws Vs Some_team Hx.
  apply (wave_align m b s g t0 (listed others) M W V Begun (away m b s g t0 others Away) ws vs Ws).
  - intros y Hy G L. apply Vs; auto. apply (listed_iff others), L.
  - exact Some_team.
  - intros w u _ _ _. apply (fellow_cert m b (teams ws (length vs)) w u W).
  - intros v _. apply (chain_table_cert m b g (teams ws (length vs)) v W).
  - intros y [Hy G]. apply list_max_ge, in_map_iff. exists y. split; [reflexivity|].
    apply filter_In. split; [exact Hy|apply Nat.eqb_eq, G].
  - exact Hx.
Qed.
