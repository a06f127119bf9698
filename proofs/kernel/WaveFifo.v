(** * The queues of a wave without barriers (docs/wave-bounds.md, section 2: Queues)

    Where no thread block on the SM has a barrier, and the depth is unlimited, FIFO (docs/proofs.md,
    theorem 3) of one block that has the warps of all of them bounds each from its start on; a
    common start is not needed. *)

From Warpbound Require Import Base Cycles Largest Model Potential PotentialBound Graph Fifo Stay
  WavePotential WaveBound Wave.

Section WaveFifo.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat).
  Variables (F : nat -> nat -> nat -> bool) (iso : nat -> node -> nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (Begun : begin s g <= t0).
  Hypotheses (Unlimited : depth m = None) (HI : fifo_cert m b F iso).
  Hypothesis No_barrier : forall x y, In x (keys b) -> In y (keys b) ->
    sec (get b x) = sec (get b y).

  (** Nothing is charged where nothing takes time. *)
  Definition queued (x : key) (d : bool) (J : progress) : nat :=
    if (iso (fst x) (d, snd x) =? 0) && (init (get b x) =? 0) then 0
    else iso (fst x) (d, snd x) + passed b (fst x)
      (fifo_charge m b (F (fst x) (sec (get b x))) (fst x) (sec (get b x))) J.

  Lemma queued_mono x d J J' : reaches J J' -> queued x d J <= queued x d J'.
  Proof.
    intros R. unfold queued. destruct (_ && _); [lia|].
    pose proof (passed_mono b (fst x) (fifo_charge m b (F (fst x) (sec (get b x))) (fst x)
      (sec (get b x))) J J' R). lia.
  Qed.

  (** Edges without weight come from what takes no time, where they lead to it. *)
  Lemma edge_timeless G Q w d k e : In e (edges m b G Q w (d, k)) -> snd e = 0 ->
    init (get b (w, k)) = 0 ->
    init (get b (w, snd (fst e))) = 0.
  Proof.
    intros He E0 Ik. assert (previous b w k = []) as P.
    { unfold previous. rewrite Ik. reflexivity. }
    unfold edges in He. cbv zeta in He. rewrite P in He. destruct d.
    - destruct He as [<-|[]]. exact Ik.
    - rewrite !in_app_iff in He. destruct He as [He|[He|He]].
      + destruct k as [|j]; [destruct He|]. destruct (_ =? _); [|destruct He].
        destruct He as [<-|[]]. cbn [fst snd] in *. lia.
      + apply in_map_iff in He as [p [<- _]]. cbn [fst snd] in *. lia.
      + destruct (depth m) as [[|n]|]; destruct He.
  Qed.

  Lemma queued_edge w n e J : In (w, snd n) (keys b) ->
    In e (edges m b (F w (sec (get b (w, snd n)))) (queue m b (sec (get b (w, snd n))) w) w n) ->
    queued (w, snd (fst e)) (fst (fst e)) J + snd e <= queued (w, snd n) (fst n) J.
  Proof.
    intros Hn He. pose proof (HI w n Hn e He) as H.
    destruct (edges_up m b W _ _ w _ n e (conj Hn eq_refl) He) as [[_ Se] _].
    pose proof (fun E I => edge_timeless (F w (sec (get b (w, snd n))))
      (queue m b (sec (get b (w, snd n))) w) w (fst n) (snd n) e
      ltac:(rewrite <- surjective_pairing; exact He) E I) as Z. unfold queued. cbn [fst snd].
    rewrite <- !surjective_pairing, Se. destruct (Nat.eqb_spec (iso w n) 0) as [H1|H1],
      (Nat.eqb_spec (init (get b (w, snd n))) 0) as [H2|H2]; cbn [andb];
      destruct (Nat.eqb_spec (iso w (fst e)) 0) as [H3|H3],
      (Nat.eqb_spec (init (get b (w, snd (fst e)))) 0) as [H4|H4]; cbn [andb]; try lia; exfalso;
      apply H4, Z; lia.
  Qed.

  Lemma queued_charge x y d J J' c : of m b g x -> 1 <= init (get b x) ->
    met m b g (fun _ => true) (fst x) (sec (get b x)) J J' y ->
    c <= charge m b (F (fst x) (sec (get b x))) (fst x) (d, snd x) y ->
    queued x d J + c <= queued x d J'.
  Proof.
    intros [Hx _] Ix [Hy [Me [R [L _]]]] Hc. apply meets_iff in Me as [N _].
    assert (sec (get b y) = sec (get b x)) as S by (apply No_barrier; assumption).
    pose proof (charge_fifo m b F Unlimited (fst x) (sec (get b x)) (d, snd x) y) as C1.
    cbn [snd] in C1.
    specialize (C1 ltac:(split; cbn [snd]; rewrite <- surjective_pairing; auto) Hy S).
    pose proof (passed_more b (fst x) (sec (get b x))
      (fifo_charge m b (F (fst x) (sec (get b x))) (fst x) (sec (get b x))) J J' y
      ltac:(repeat split; try assumption; apply L)). unfold queued.
    rewrite (proj2 (Nat.eqb_neq (init (get b x)) 0)) by lia. rewrite andb_false_r. lia.
  Qed.

  Lemma queued_potential : wave_potential m b g (fun _ => true) F (fun w q f => queue m b q w f)
    (fun x => queued x false) (fun x => queued x true).
  Proof.
    assert (forall w k J, In (w, k) (keys b) -> forall q, sec (get b (w, k)) = q ->
      keeps_edges m b (fun n => queued (w, snd n) (fst n) J) w q k
        (if F w q (fu (get b (w, k))) then queue m b q w (fu (get b (w, k))) else 0)) as K.
    { intros w k J Hk q Hq. apply (edges_keep m b W (F w q) (queue m b q w) w q (fun n =>
        queued (w, snd n) (fst n) J)); auto. intros n e [Hn <-] He. apply queued_edge; assumption. }
    unfold keeps_edges in K.
    constructor.
    - intros x J J' R. split; apply queued_mono, R.
    - intros w j J [Hx _] S. apply (K w (Datatypes.S j) J Hx _ eq_refl); auto.
    - intros w k p J [Hx _] Hp S. apply (K w k J Hx _ eq_refl); auto.
    - intros w k o J [Hx _] Ho. apply (K w k J Hx _ eq_refl); auto.
    - intros [w k] J [Hx _]. apply (K w k J Hx _ eq_refl).
    - intros w k o J [Hx _] Ho. apply (K w k J Hx _ eq_refl); auto.
    - intros x o J [Hx _] [Ho _] L. pose proof (No_barrier o x Ho Hx). lia.
    - intros x y J J' Hx Ix Me. pose proof (No_barrier y x (proj1 Me) (proj1 Hx)) as S.
      apply (queued_charge x y false J J' _ Hx Ix Me). unfold charge.
      rewrite <- surjective_pairing, S, Nat.eqb_refl. rewrite (proj2 (Nat.leb_le _ _) Ix).
      apply le_n.
    - intros x y J J' Hx Ix HF Me. pose proof (No_barrier y x (proj1 Me) (proj1 Hx)) as S.
      apply (queued_charge x y true J J' _ Hx Ix Me). unfold charge.
      rewrite <- surjective_pairing, S, Nat.eqb_refl. rewrite (proj2 (Nat.leb_le _ _) Ix), HF.
      apply le_n.
  Qed.

  (** What waits in a queue is what waits there in the one block. *)
  Lemma queued_queues : wave_queues_ok m b g (fun _ => true) s F (fun w q f => queue m b q w f).
  Proof.
    intros x f t n [Hx _] w q HF H. apply (queue_queues_ok m b s W V (F w q) w q M f t n HF).
    etransitivity; [exact H|]. unfold wave_pending, pending. rewrite !Largest.sum_filter.
    apply sum_le. intros y Hy. destruct (meets m b g (fun _ => true) w q y) eqn:Me; [|cbn; lia].
    apply meets_iff in Me as [N _]. rewrite (proj2 (Nat.eqb_neq _ _) N), (No_barrier y x Hy Hx).
    fold q. rewrite Nat.eqb_refl. cbn [negb andb]. lia.
  Qed.

  (** *** FIFO of the one block *)
  Theorem wave_fifo x : of m b g x -> C s x <= t0 + fifo_term m b F iso (sec (get b x)).
  Proof.
    intros Hx. assert (forall y, In y (keys b) -> group m (fst y) <> g ->
      (fun _ => true) (group m (fst y)) = false -> C s y <= t0 \/ forall x, of m b g x ->
      C s x <= I s y) as Away by (intros y _ _ H; discriminate H).
    pose proof (wave_bound m b s g t0 _ M W V Begun Away F _ _ _ queued_potential queued_queues x
      Hx) as H. cbv beta in H. destruct Hx as [Hx _]. set (q := sec (get b x)) in *.
    destruct (Nat.eq_dec (iso (fst x) (true, snd x) + init (get b x) + lat (get b x)) 0) as [E|E].
    - unfold queued in H. rewrite (proj2 (Nat.eqb_eq (iso _ _) 0)) in H by lia.
      rewrite (proj2 (Nat.eqb_eq (init _) 0)) in H by lia. cbn [andb] in H. lia.
    - enough (queued x true (everything b) + init (get b x) + lat (get b x)
        <= fifo_term m b F iso q) by lia. transitivity (iso (fst x) (true, snd x) + init (get b x)
        + lat (get b x) + fifo_charges m b (F (fst x) q) (fst x) q).
      + assert (passed b (fst x) (fifo_charge m b (F (fst x) q) (fst x) q) (everything b)
          = fifo_charges m b (F (fst x) q) (fst x) q) as P.
        { unfold passed, fifo_charges, everything. apply sum_ext. intros u _. rewrite Nat.min_id.
          reflexivity. }
        unfold queued. fold q. rewrite P. destruct (_ && _); lia.
      + apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
        split; [exact Hx|]. fold q. rewrite Nat.eqb_refl. apply Nat.ltb_lt. lia.
  Qed.
End WaveFifo.

Theorem stays_fifo m p b others F iso q : machine_ok m -> wf p -> depth m = None ->
  fifo_cert m p F iso ->
  (forall x, In x (keys p) -> sec (get p x) = q) -> stays_with m p b others (fifo_term m p F iso q).
Proof.
  intros M W Dm HI Hq s t0 x V B _ Hx. rewrite <- (Hq x (proj1 Hx)).
  apply (wave_fifo m p s b t0 F iso M W V B Dm HI); [|exact Hx].
  intros y z Hy Hz. rewrite (Hq y Hy), (Hq z Hz). reflexivity.
Qed.
