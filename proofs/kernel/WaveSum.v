(** * Bounds of a wave by sums (docs/wave-bounds.md, theorem 1)

    What a bound of thread block [g] by itself has for each of its sections (SIB, FIB: isolation,
    and a charge for each other instruction of the section), and once for the whole stay what other
    thread blocks are charged with. *)

From Warpbound Require Import Base Cycles Largest Model Isolation Queue Potential Bounds Stay
  WavePotential WaveBound.
From Warpbound Require Aln Fifo.

(** The instructions that [J] is behind, each with its charge. *)
Definition spent (b : block) (c : key -> nat) (J : progress) : nat :=
  sum (fun u => sum (fun j => c (u, j)) (seq 0 (min (J u) (len b u)))) (seq 0 (length b)).

Lemma spent_mono b c J J' : reaches J J' -> spent b c J <= spent b c J'.
Proof. intros R. apply sum_le. intros u _. specialize (R u). apply Fifo.seq_sum_mono. lia. Qed.

Lemma spent_all b c : spent b c (everything b) = sum c (keys b).
Proof.
  unfold spent, keys. rewrite sum_flat_map. apply sum_ext. intros u _. rewrite sum_map.
  unfold everything. rewrite Nat.min_id. reflexivity.
Qed.

Lemma spent_some b c J : spent b c J <= sum c (keys b).
Proof.
  rewrite <- spent_all. apply sum_le. intros u _. apply Fifo.seq_sum_mono. unfold everything. lia.
Qed.

Lemma spent_more b c J J' y : In y (keys b) -> reaches J J' -> J (fst y) <= snd y < J' (fst y) ->
  spent b c J + c y <= spent b c J'.
Proof.
  intros Hy R L. destruct y as [u i]. cbn [fst snd] in *.
  pose proof (proj1 (in_keys _ _ _) Hy) as [Lu Li].
  apply (Aln.sum_more _ _ _ u); [apply in_seq; lia| |].
  - pose proof (Fifo.seq_sum_mono (fun j => c (u, j)) (S i) (min (J' u) (len b u)) ltac:(lia)) as H.
    pose proof (Fifo.seq_sum_mono (fun j => c (u, j)) (min (J u) (len b u)) i ltac:(lia)).
    rewrite seq_S, sum_app, sum_cons in H. simpl in H. unfold sum at 2 in H. simpl in H. lia.
  - intros v _. specialize (R v). apply Fifo.seq_sum_mono. lia.
Qed.

Section WaveSum.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat) (g t0 : nat)
    (there : nat -> bool).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s).
  Hypothesis HI : iso_edges (only m g b) m iI iD.  (* of [g] by itself *)
  Hypothesis Begun : begin s g <= t0.
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g ->
    there (group m (fst y)) = false ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.

  (** What a warp of [g] is charged in a section for an instruction of [g] beside it, by unit or
      slot. *)
  Variable ch : charges.
  Hypothesis Ch : forall x y, of m b g x -> 1 <= init (get b x) -> In y (keys b) ->
    beside b m (fst x) (sec (get b x)) y = true ->
    charge_I m b x y <= ch (fst x) (sec (get b x)) y /\
    charge_D b x y <= ch (fst x) (sec (get b x)) y.

  (** What others are charged with until a warp [w] of [g] in section [q] is where it is: a number
      that grows with every instruction that a node of [w] can meet, and does not fall behind a
      jump. *)
  Variable other : nat -> nat -> progress -> nat.
  Hypothesis O_mono : forall w q J J', reaches J J' -> other w q J <= other w q J'.
  Hypothesis O_jump : forall x o J, of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    in_order m b J -> other (fst o) (sec (get b o)) J <= other (fst x) (sec (get b x)) J.
  Hypothesis O_charge : forall x y J J', of m b g x -> 1 <= init (get b x) ->
    group m (fst y) <> g ->
    met m b g there (fst x) (sec (get b x)) J J' y ->
    other (fst x) (sec (get b x)) J + max (charge_I m b x y) (charge_D b x y)
      <= other (fst x) (sec (get b x)) J'.

  (** What is charged of [g] itself; nothing where nothing takes time (section 2 of
      docs/proofs.md). *)
  Definition own_charge (w q : nat) (y : key) : nat := if beside b m w q y then ch w q y else 0.
  Definition own_part (iso : key -> nat) (x : key) (J : progress) : nat :=
    if (iso x =? 0) && (init (get b x) =? 0) then 0
    else iso x + spent b (own_charge (fst x) (sec (get b x))) J.
  Definition sum_I (x : key) (J : progress) : nat :=
    block_start b m ch iD g (sec (get b x)) + own_part iI x J + other (fst x) (sec (get b x)) J.
  Definition sum_D (x : key) (J : progress) : nat :=
    block_start b m ch iD g (sec (get b x)) + own_part iD x J + other (fst x) (sec (get b x)) J.

  Lemma edges_of w k : of m b g (w, k) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) ->
      iI (w, j) + takes (get b (w, j)) <= iI (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iD (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iI (w, k))
    /\ iI (w, k) <= iD (w, k)
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) -> fu (get b (w, o))
         = fu (get b (w, k)) ->
       iD (w, o) + init (get b (w, o)) <= iD (w, k)
       /\ match depth m with
          | None => True
          | Some 0 => iD (w, o) + init (get b (w, o)) <= iI (w, k)
          | Some (S _) => iD (w, o) <= iI (w, k)
          end).
  Proof.
    intros Hx. destruct (HI w k (proj2 (keys_only m g b (w, k)) Hx)) as [H1 [H2 [H3 H4]]].
    assert (forall j, get (only m g b) (w, j) = get b (w, j)) as E
      by (intros j; apply get_only, Hx). rewrite !E in *. repeat split; auto.
    - intros j Hj. specialize (H1 j Hj). rewrite E in H1. exact H1.
    - intros p. specialize (H2 p). rewrite E in H2. exact H2.
    - specialize (H4 o). rewrite E in H4. apply H4; assumption.
    - specialize (H4 o). rewrite E in H4. apply H4; assumption.
  Qed.

  Lemma own_part_mono iso x J J' : reaches J J' -> own_part iso x J <= own_part iso x J'.
  Proof.
    intros R. unfold own_part. destruct (_ && _); [lia|].
    pose proof (spent_mono b (own_charge (fst x) (sec (get b x))) J J' R). lia.
  Qed.

  (** Along an edge of weight [e] within a section of a warp. *)
  Lemma own_part_edge iso iso' x o e J : fst o = fst x -> sec (get b o) = sec (get b x) ->
    iso o + e <= iso' x -> (init (get b x) = 0 -> iso o + e = 0 -> iso' x = 0 ->
      init (get b o) = 0) ->
    own_part iso o J + e <= own_part iso' x J.
  Proof.
    intros E1 E2 L Z. unfold own_part. rewrite E1, E2.
    destruct (Nat.eqb_spec (iso' x) 0) as [H1|H1], (Nat.eqb_spec (init (get b x)) 0) as [H2|H2];
      cbn [andb]; destruct (Nat.eqb_spec (iso o) 0) as [H3|H3], (Nat.eqb_spec (init (get b o)) 0)
      as [H4|H4]; cbn [andb]; lia.
  Qed.

  Lemma own_charged w q J : spent b (own_charge w q) J <= charged b ch w q.
  Proof.
    etransitivity; [apply spent_some|]. apply sum_le. intros y _. unfold own_charge.
    destruct (beside b m w q y); lia.
  Qed.

  (** A completion is within its section's term. *)
  Lemma own_term x J : of m b g x ->
    own_part iD x J + init (get b x) + lat (get b x) <= block_term b m ch iD g (sec (get b x)).
  Proof.
    intros [Hx Hg]. destruct (Nat.eq_dec (iD x + init (get b x) + lat (get b x)) 0) as [E|E].
    - unfold own_part. rewrite (proj2 (Nat.eqb_eq _ _)) by lia.
      rewrite (proj2 (Nat.eqb_eq (init (get b x)) _)) by lia. cbn [andb]. lia.
    - transitivity (iD x + init (get b x) + lat (get b x) + charged b ch (fst x) (sec (get b x))).
      + pose proof (own_charged (fst x) (sec (get b x)) J). unfold own_part. destruct (_ && _); lia.
      + apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
        rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt. repeat split; auto. lia.
  Qed.

  Lemma later_start q r : q < r ->
    block_start b m ch iD g q + block_term b m ch iD g q + release m r <= block_start b m ch iD g r.
  Proof.
    destruct r as [|r]; [lia|]. intros L. cbn [block_start].
    destruct (Nat.eq_dec q r) as [->|N]; [lia|].
    pose proof (start_mono m b ch iD g q (r - S q)) as H.
    replace (S q + (r - S q)) with r in H by lia. lia.
  Qed.

  Lemma sum_potential : wave_potential m b g there (fun _ _ _ => false)
    (fun _ _ _ => 0) sum_I sum_D.
  Proof.
    assert (forall x J J' y, met m b g there (fst x) (sec (get b x)) J J' y -> group m (fst y)
      = g -> of m b g x -> beside b m (fst x) (sec (get b x)) y = true) as Be.
    { intros x J J' y [_ [Me _]] G [_ Gx].
      apply meets_iff in Me as [N [[_ S]|[N2 _]]]; [|contradiction]. apply beside_iff.
      repeat split; congruence. }
    assert (forall iso x J J' y c, of m b g x -> 1 <= init (get b x) ->
      met m b g there (fst x) (sec (get b x)) J J' y ->
      c <= max (charge_I m b x y) (charge_D b x y) ->
      own_part iso x J + other (fst x) (sec (get b x)) J + c <= own_part iso x J'
      + other (fst x) (sec (get b x)) J') as Charge.
    { intros iso x J J' y c Hx Ix Me Hc. pose proof Me as [Hy [_ [R [L _]]]].
      destruct (Nat.eq_dec (group m (fst y)) g) as [G|G].
      - pose proof (Be x J J' y Me G Hx) as B. destruct (Ch x y Hx Ix Hy B) as [C1 C2].
        pose proof (spent_more b (own_charge (fst x) (sec (get b x))) J J' y Hy R L) as Sp.
        unfold own_charge at 2 in Sp. rewrite B in Sp.
        pose proof (O_mono (fst x) (sec (get b x)) J J' R). unfold own_part.
        rewrite (proj2 (Nat.eqb_neq (init (get b x)) 0)) by lia. rewrite andb_false_r. lia.
      - pose proof (O_charge x y J J' Hx Ix G Me). pose proof (own_part_mono iso x J J' R). lia. }
    constructor.
    - intros x J J' R. pose proof (own_part_mono iI x J J' R).
      pose proof (own_part_mono iD x J J' R). pose proof (O_mono (fst x) (sec (get b x)) J J' R).
      unfold sum_I, sum_D. lia.
    - intros w j J Hx S. destruct (edges_of w (Datatypes.S j) Hx) as [H1 _].
      specialize (H1 j eq_refl S). unfold sum_I. cbn [fst]. rewrite S.
      pose proof (own_part_edge iI iI (w, Datatypes.S j) (w, j) (takes (get b (w, j))) J eq_refl S
        H1 ltac:(lia)). lia.
    - intros w k p J Hx Hp S. destruct (edges_of w k Hx) as [_ [H2 _]]. specialize (H2 p Hp S).
      unfold sum_I, sum_D. cbn [fst]. rewrite S.
      pose proof (own_part_edge iD iI (w, k) (w, p) (init (get b (w, p)) + lat (get b (w, p))) J
        eq_refl S ltac:(lia) ltac:(lia)). lia.
    - intros w k o J Hx [Lo [So [Fo Io]]]. destruct (edges_of w k Hx) as [_ [_ [_ H4]]].
      destruct (H4 o Lo So Fo) as [_ H5]. unfold sum_I, sum_D. cbn [fst]. rewrite So.
      assert (exists d0, depth m = d0) as [[[|d]|] Dm] by eauto; rewrite Dm in *;
        [| |exact Logic.I].
      + pose proof (own_part_edge iD iI (w, k) (w, o) (init (get b (w, o))) J eq_refl So H5
          ltac:(lia)). lia.
      + pose proof (own_part_edge iD iI (w, k) (w, o) 0 J eq_refl So ltac:(lia) ltac:(lia)). lia.
    - intros [w k] J Hx. unfold wait_in_queue. rewrite Nat.add_0_r.
      destruct (edges_of w k Hx) as [_ [_ [H3 _]]]. unfold sum_I, sum_D.
      pose proof (own_part_edge iI iD (w, k) (w, k) 0 J eq_refl eq_refl ltac:(lia) ltac:(lia)). lia.
    - intros w k o J Hx [Lo [So [Fo Io]]]. unfold wait_in_queue. rewrite Nat.add_0_r.
      destruct (edges_of w k Hx) as [_ [_ [_ H4]]]. destruct (H4 o Lo So Fo) as [H5 _].
      unfold sum_D. cbn [fst]. rewrite So. pose proof (own_part_edge iD iD (w, k) (w, o)
        (init (get b (w, o))) J eq_refl So H5 ltac:(lia)). lia.
    - intros x o J Hx Ho L R. unfold sum_I, sum_D. pose proof (own_term o J Ho).
      pose proof (later_start _ _ L). pose proof (O_jump x o J Hx Ho L R). lia.
    - intros x y J J' Hx Ix Me. unfold sum_I.
      pose proof (Charge iI x J J' y (charge_I m b x y) Hx Ix Me ltac:(lia)). lia.
    - intros x y J J' Hx Ix _ Me. unfold sum_D.
      pose proof (Charge iD x J J' y (charge_D b x y) Hx Ix Me ltac:(lia)). lia.
  Qed.

  (** *** Theorem 1, whatever others are charged with *)
  Theorem wave_sum X x : of m b g x -> other (fst x) (sec (get b x)) (everything b) <= X ->
    C s x <= t0 + block_bound b m ch iD g + X.
  Proof.
    intros Hx HX. pose proof (wave_bound m b s g t0 there M W V Begun Away _ _ _ _ sum_potential
      ltac:(discriminate) x Hx) as H. unfold sum_D in H. pose proof (own_term x (everything b) Hx).
    enough (block_start b m ch iD g (sec (get b x)) + block_term b m ch iD g (sec (get b x))
      <= block_bound b m ch iD g) by lia. assert (sec (get b x) <= last_section b m g) as Hq.
    { apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
      split; [apply Hx|]. apply Nat.eqb_eq, Hx. }
    unfold block_bound.
    destruct (Nat.eq_dec (sec (get b x)) (last_section b m g)) as [E|N]; [rewrite <- E; lia|].
    pose proof (later_start (sec (get b x)) (last_section b m g) ltac:(lia)). lia.
  Qed.
End WaveSum.
