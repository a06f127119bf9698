(** * The wave by alignment (docs/wave-bounds.md, theorem 2), a team for each warp

    Each other warp is aligned with the path of [g]: one of [g] section by section, one of another
    thread block along the whole chain of sections.  A warp is a team by itself here: on one
    sub-core, or where [g] has no barriers, these are the teams of the page; else there are more of
    them, and neither extras nor shared units count besides.  Teams of several: WaveTeams.v. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Model Potential Graph Paths Aln Stay WavePotential
  WaveBound WaveMean.
Import ListNotations.

(** Certificate of a warp [v] of another thread block, charges counted [c] times: a table over the
    nodes of all warps of [g], all sections, and how many instructions of [v] are consumed.  It
    respects the edges of each section, the change to a later section, and the charges. *)
Definition chain_cert (m : machine) (b : block) (g v c : nat) (T : nat -> node -> nat -> nat) :
  Prop :=
  forall w n, of m b g (w, snd n) ->
    (forall e j, In e (edges m b no_unit no_queue w n) -> j <= len b v -> T w (fst e) j + snd e
      <= T w n j)
    /\ (forall x j, of m b g x -> sec (get b x) < sec (get b (w, snd n)) -> j <= len b v ->
         T (fst x) (true, snd x) j + init (get b x) + lat (get b x) <= T w n j)
    /\ (forall j, j < len b v -> T w n j + c * charge_any m b w n (v, j) <= T w n (S j)).

(** align(v, m): the most at a completion. *)
Definition chain_align (m : machine) (b : block) (g v : nat) (T : nat -> node -> nat -> nat) :
  nat :=
  list_max (map (fun x => T (fst x) (true, snd x) (len b v) + init (get b x) + lat (get b x))
                (filter (fun x => group m (fst x) =? g) (keys b))).

(** The bound, with warps [ws] of [g] and warps [vs] of others; [q] is the last section of [g]. *)
Definition wave_aln (m : machine) (b : block) (g : nat) (ws vs : list nat)
    (A : nat -> nat -> node -> nat -> nat) (T : nat -> nat -> node -> nat -> nat) (q : nat) : nat :=
  mean_bound m b ws A (length vs) q (sum (fun v => chain_align m b g v (T v)) vs).

Section WaveAlign.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat) (there : nat -> bool).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis Begun : begin s g <= t0.
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g ->
    there (group m (fst y)) = false ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.

  (** The warps of [g], and those of others; there may be more in [vs], without instructions, or
      more than once. *)
  Variables (ws vs : list nat).
  Hypothesis Ws : NoDup ws /\ forall x, of m b g x -> In (fst x) ws.
  Hypothesis Vs : forall y, In y (keys b) -> group m (fst y) <> g ->
    there (group m (fst y)) = true -> In (fst y) vs.
  Notation c := (teams ws (length vs)).
  Hypothesis Some_team : 1 <= c.

  Variables (A : nat -> nat -> node -> nat -> nat) (T : nat -> nat -> node -> nat -> nat).
  Hypothesis HA : forall w u, In w ws -> In u ws -> u <> w -> align_cert m b w u c (A w u).
  Hypothesis HT : forall v, In v vs -> chain_cert m b g v c (T v).

  (** What the warps of others count at a node. *)
  Definition other_sum (w : nat) (n : node) (J : progress) : nat :=
    sum (fun v => T v w n (min (J v) (len b v))) vs.

  Lemma chain_mono w v n i j : of m b g (w, snd n) -> In v vs -> i <= j -> j <= len b v ->
    T v w n i <= T v w n j.
  Proof.
    intros Hn Hv. apply table_mono. intros k Hk. pose proof (proj2 (proj2 (HT v Hv w n Hn)) k Hk).
    lia.
  Qed.

  Lemma other_sum_mono w n J J' : of m b g (w, snd n) -> reaches J J' ->
    other_sum w n J <= other_sum w n J'.
  Proof. intros Hn R. apply sum_le. intros v Hv. specialize (R v). apply chain_mono; auto; lia. Qed.

  Lemma other_sum_edge w n e J : of m b g (w, snd n) -> In e (edges m b no_unit no_queue w n) ->
    other_sum w (fst e) J + length vs * snd e <= other_sum w n J.
  Proof. intros Hn He. apply sum_all. intros v Hv. apply (proj1 (HT v Hv w n Hn) e _ He). lia. Qed.

  Lemma other_sum_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    other_sum (fst o) (true, snd o) J + length vs * (init (get b o) + lat (get b o))
      <= other_sum (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho L. destruct x as [w k]. apply sum_all. intros u Hu. rewrite Nat.add_assoc.
    apply (proj1 (proj2 (HT u Hu w (d, k) Hx)) o _ Ho L). lia.
  Qed.

  Lemma other_sum_charge w n y J J' : of m b g (w, snd n) -> 1 <= init (get b (w, snd n)) ->
    group m (fst y) <> g ->
    met m b g there w (sec (get b (w, snd n))) J J' y -> other_sum w n J + c * charge_any m b w n y
      <= other_sum w n J'.
  Proof.
    destruct y as [u i]. intros Hx Ix G [Hy [Me [R [[L1 L2] _]]]]. cbn [fst snd] in *.
    pose proof (proj1 (in_keys _ _ _) Hy) as [_ Li].
    apply meets_iff in Me as [_ [[G' _]|[_ Th]]]; [contradiction|].
    pose proof (Vs (u, i) Hy G Th) as Hu. cbn [fst] in Hu. apply (sum_more _ _ _ u _ Hu).
    - pose proof (proj2 (proj2 (HT u Hu w n Hx)) i Li).
      pose proof (chain_mono w u n (min (J u) (len b u)) i Hx Hu ltac:(lia) ltac:(lia)).
      pose proof (chain_mono w u n (S i) (min (J' u) (len b u)) Hx Hu ltac:(lia) ltac:(lia)). lia.
    - intros v Hv. specialize (R v). apply chain_mono; auto; lia.
  Qed.

  (** *** Theorem 2, a team for each warp *)
  Theorem wave_align q x : (forall x, of m b g x -> sec (get b x) <= q) -> of m b g x ->
    C s x <= t0 + wave_aln m b g ws vs A T q.
  Proof.
    intros Hq Hx. apply (wave_mean m b s g t0 there M W V Begun Away ws A (length vs) Ws Some_team
      HA other_sum other_sum_mono other_sum_edge other_sum_jump other_sum_charge q _ x Hq Hx).
    apply sum_all. intros v _. unfold everything. rewrite Nat.min_id, Nat.add_assoc.
    apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
    split; [apply Hx|apply Nat.eqb_eq, Hx].
  Qed.
End WaveAlign.
