(** * Waits for a shared memory as latencies: docs/memory-bounds.md, theorem 9, where no request is
    held back

    Executions of SMs that share a memory: what an instruction with requests takes from the end of
    its initiation on is what the last of them waits and what it takes besides.  With the waits of
    theorem 8 in the latencies the rules hold, and with them all theorems on blocks and kernels. *)

From Warpbound Require Import Base Cycles Model Grid Waits.

(** ** Blocks that differ in latencies alone *)

(** Two blocks differ in latencies alone. *)
Record alike (b c : block) : Prop := {
  a_keys : keys c = keys b;
  a_len : forall w, len c w = len b w;
  a_get : forall x, In x (keys b) -> fu (get c x) = fu (get b x) /\ init (get c x) = init (get b x)
    /\ ops (get c x) = ops (get b x) /\ sec (get c x) = sec (get b x) }.

Lemma count_alike b c q q' : alike b c -> (forall x, In x (keys b) -> q' x = q x) ->
  count c q' = count b q.
Proof. intros A H. unfold count. rewrite (a_keys _ _ A). f_equal. apply filter_ext_in. exact H. Qed.

Section Alike.
  Variables (m : machine) (b c : block) (s : schedule).
  Hypotheses (A : alike b c) (V : valid m b s).
  Hypothesis Lat : forall x, In x (keys b) -> al s x <= lat (get c x).

  Lemma fu_alike x : In x (keys b) -> fu (get c x) = fu (get b x).
  Proof. intros H. apply (a_get _ _ A x H). Qed.

  Lemma takes_alike x : In x (keys b) -> takes (get c x) = takes (get b x).
  Proof. intros H. destruct (a_get _ _ A x H) as [_ [-> _]]. reflexivity. Qed.

  Lemma on_alike f x : In x (keys b) -> on c f x = on b f x.
  Proof. intros H. unfold on. rewrite (fu_alike x H). reflexivity. Qed.

  Lemma n_init_alike f t : n_init c s f t = n_init b s f t.
  Proof. apply (count_alike b c _ _ A). intros x Hx. rewrite (on_alike f x Hx). reflexivity. Qed.

  Lemma n_wait_alike f t : n_wait c s f t = n_wait b s f t.
  Proof. apply (count_alike b c _ _ A). intros x Hx. rewrite (on_alike f x Hx). reflexivity. Qed.

  Lemma n_issue_alike d t : n_issue c m s d t = n_issue b m s d t.
  Proof.
    apply (count_alike b c _ _ A). intros x Hx. destruct (a_get _ _ A x Hx) as [_ [-> _]].
    reflexivity.
  Qed.

  Lemma eligible_alike w k t : In (w, k) (keys b) -> eligible c m s w k t -> eligible b m s w k t.
  Proof.
    intros Hk [E1 [E2 [E3 [E4 E5]]]]. destruct (a_get _ _ A _ Hk) as [_ [_ [F3 F4]]].
    split; [exact E1|]. split; [exact E2|]. split; [|split].
    - intros j ->. rewrite <- (takes_alike (w, j)) by (apply (keys_before _ _ _ j Hk); lia).
      apply (E3 j eq_refl).
    - intros p Hp. apply E4. rewrite F3. exact Hp.
    - intros y Hy G S. destruct (a_get _ _ A y Hy) as [_ [_ [_ Y4]]].
      rewrite <- (takes_alike y Hy), <- F4. apply E5; auto.
      + rewrite (a_keys _ _ A). exact Hy.
      + rewrite Y4, F4. exact S.
  Qed.

  (** *** The same schedule is valid of the block with the longer latencies. *)
  Theorem valid_slower : valid m c s.
  Proof.
    pose proof V as [Vi Vl Vr Vb Vo Vp Vs Vc Vf Va Vq Vw Vk Vz Vn]. pose proof (a_keys _ _ A) as K.
    constructor; rewrite ?K.
    - intros x Hx. destruct (a_get _ _ A x Hx) as [_ [-> _]]. apply Vi, Hx.
    - intros x Hx. apply Lat, Hx.
    - exact Vr.
    - exact Vb.
    - intros w k H. rewrite (takes_alike (w, k)) by (apply (keys_before _ _ _ k H); lia).
      apply Vo, H.
    - intros w k p H Hp. destruct (a_get _ _ A _ H) as [_ [_ [E _]]]. rewrite E in Hp.
      apply (Vp w k p H Hp).
    - exact Vs.
    - intros f t. rewrite n_init_alike. apply Vc.
    - intros x y Hx Hy. rewrite (fu_alike x Hx), (fu_alike y Hy). apply Vf; assumption.
    - intros x t Hx. rewrite (fu_alike x Hx), n_init_alike. apply Va, Hx.
    - intros f t. rewrite n_wait_alike. apply Vq.
    - intros d t. rewrite n_issue_alike. apply Vw.
    - intros w k t H El. unfold blocked.
      rewrite n_issue_alike, n_init_alike, n_wait_alike, (fu_alike _ H).
      apply (Vk w k t H), (eligible_alike w k t H El).
    - intros x y Hx Hy G S. rewrite (takes_alike y Hy).
      destruct (a_get _ _ A x Hx) as [_ [_ [_ Ex]]], (a_get _ _ A y Hy) as [_ [_ [_ Ey]]].
      rewrite Ex in *. rewrite Ey in S. apply Vz; assumption.
    - intros w k H Z. destruct (a_get _ _ A _ H) as [_ [E _]]. rewrite E in Z.
      destruct (Vn w k H Z) as [N1 N2]. split; [exact N1|]. intros t El.
      apply (N2 t), (eligible_alike w k t H El).
  Qed.
End Alike.

(** ** SMs that share a memory *)

(** An execution of the SMs, and what the memory does.  [took] are the latencies that instructions
    happened to have: all rules but that on latencies hold.  An instruction takes what is stated, or
    one of its requests has come to the memory by the end of its initiation, and it takes what is
    stated from the end of that service on. *)
Record shares_memory (G : grid) (X : execution) (took stated : nat -> block) (y : memory) :
  Prop := {
  s_valid : grid_valid (Grid (blocks G) (sms G) (slots G) (latency G) (Grid.service G) (mach G)
    took) X;
  s_alike : forall i, i < sms G -> alike (took i) (prog G i);
  s_latency : forall i x, i < sms G -> In x (keys (took i)) -> let s := sched X i in
    al s x <= lat (get (stated i) x)
    \/ exists r, In r (requests y) /\ comes y r <= D s x + ai s x /\
    C s x <= done y r + lat (get (stated i) x) }.

(** *** Theorem 9: with the wait of every request in its instruction's latency the rules hold. *)
Theorem memory_as_latency G X took stated y M s k : shares_memory G X took stated y ->
  works y M s k -> first_come y \/ in_turns y ->
  (forall i x, i < sms G -> In x (keys (took i)) -> lat (get (stated i) x) + s * k * M
    <= lat (get (prog G i) x)
     \/ (lat (get (stated i) x) <= lat (get (prog G i) x) /\ al (sched X i) x
       <= lat (get (stated i) x))) ->
  grid_valid G X.
Proof.
  intros [V A L] Y Arb Slow. destruct V as [V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13]. cbn in *.
  assert (forall i, i < sms G -> keys (prog G i) = keys (took i)) as K
    by (intros i Hi; apply (a_keys _ _ (A i Hi))). constructor; auto.
  - intros i Hi. apply (valid_slower _ (took i) _ _ (A i Hi) (V1 i Hi)). intros x Hx.
    destruct (Slow i x Hi Hx) as [S|[S1 S2]]; [|lia].
    destruct (L i x Hi Hx) as [E|[r [Hr [R1 R2]]]]; [lia|].
    assert (done y r <= comes y r + s * k * M) as T.
    { destruct Arb as [F|F]; [apply (first_come_wait y M s k Y r Hr F)|apply
        (in_turns_wait y M s k Y r Hr F)]. }
    unfold C in R2. lia.
  - intros i x Hi Hx. rewrite (K i Hi) in Hx. apply (V2 i x Hi Hx).
  - intros i x Hi Hx. rewrite (K i Hi) in Hx. apply (V5 i x Hi Hx).
  - intros b Hb.
    destruct (V6 b Hb) as [E1 [E2|[x [Hx E2]]]]; (split; [exact E1|]); [left; exact E2|right].
    exists x. rewrite (K _ (proj1 (V3 b Hb))). auto.
Qed.
