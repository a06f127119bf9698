(** * A thread block on an SM is a copy of one as it is written: its serial time is that one's (G1)

    Warps, units and sub-cores may be called otherwise there: a slot renumbers the sub-cores. *)

From Warpbound Require Import Base Cycles Largest Model Elb Paths Stay Copies SoloCopies StayCopies
  Serial SerialPaths.

(** [p] are the warps of an SM, [b] one of its thread blocks; [t] is one as it is written. *)
Section SerialCopies.
  Variables (t p : block) (mt m : machine) (b : nat) (wr un co : nat -> nat).
  Hypothesis R : renamed t mt m p b wr un co.
  Variables (ht home : nat -> option nat) (ct cs : list nat).
  Hypothesis Homes : forall x, of m p b x -> ht (fu (get t (there wr x)))
    = option_map co (home (fu (get p x))).
  Hypotheses (Cores : forall c, In c cs -> In (co c) ct) (Wp : wf p) (Wt : wf t).
  Notation there := (there wr).
  Notation L := (chain_to mt t).
  Notation grp x := (group m (fst x)).

  Lemma there_in x : of m p b x -> In (there x) (keys t).
  Proof. apply (of_there _ _ _ _ _ _ _ _ R). Qed.

  Lemma copy_sec x : of m p b x -> sec (get p x) = sec (get t (there x)).
  Proof. intros H. apply (same_of _ _ _ _ _ _ _ _ R x H). Qed.

  Lemma copy_lat x : of m p b x -> lat (get p x) = lat (get t (there x)).
  Proof. intros H. apply (same_of _ _ _ _ _ _ _ _ R x H). Qed.

  Lemma copy_before w k j : of m p b (w, k) -> j < k -> of m p b (w, j).
  Proof. intros [H1 H2] Hj. split; [apply (rank_prog p Wp w k j H1 Hj)|exact H2]. Qed.

  Lemma copy_ops w k j : of m p b (w, k) -> In j (ops (get p (w, k))) -> of m p b (w, j) /\
    In j (ops (get t (wr w, k))).
  Proof.
    intros H Hj. split; [apply (copy_before w k j H), (Wp w k (proj1 H)), Hj|].
    destruct (n_same _ _ _ _ _ _ _ _ R w k H) as [_ [_ [E _]]]. rewrite <- E. exact Hj.
  Qed.

  Lemma copy_read w k q : of m p b (w, k) -> read_before t (wr w) k q -> read_before p w k q.
  Proof.
    intros H [z [Hz [Ho Hs]]]. destruct (n_onto _ _ _ _ _ _ _ _ R (wr w) z Hz) as [v [Hv E]].
    pose proof (copy_sec (v, z) Hv) as Sv. unfold SoloCopies.there in Sv. cbn [fst snd] in Sv.
    rewrite E in Sv.
    destruct (n_same _ _ _ _ _ _ _ _ R v z Hv) as [_ [_ [Eo _]]]. rewrite E in Eo.
    assert (In k (ops (get p (v, z)))) as Hk by (rewrite Eo; exact Ho).
    assert (of m p b (v, k)) as Hvk by (apply (copy_ops v z k Hv Hk)).
    assert (v = w) as -> by (apply (n_once _ _ _ _ _ _ _ _ R v w k Hvk H E)).
    exists z. split; [apply Hv|]. split; [exact Hk|lia].
  Qed.

  (** Chains of the copy are no longer. *)
  Definition joined (x : key) : nat := if grp x =? b then L (there x) else chain_to m p x.

  Lemma joined_of x : of m p b x -> joined x = L (there x).
  Proof. intros [_ H]. unfold joined. rewrite H, Nat.eqb_refl. reflexivity. Qed.

  Lemma joined_other w k : group m w <> b -> joined (w, k) = chain_to m p (w, k).
  Proof. intros H. unfold joined. cbn [fst]. rewrite (proj2 (Nat.eqb_neq _ _) H). reflexivity. Qed.

  Lemma joined_cert : section_cert m p joined.
  Proof.
    intros w k Hk. cbv zeta. destruct (chain_cert m p Wp w k Hk) as [O1 [O2 [O3 O4]]].
    cbv zeta in *. destruct (Nat.eq_dec (group m w) b) as [G|G];
      [|rewrite (joined_other w k G); split; [|split; [|split]]; auto].
    - assert (of m p b (w, k)) as H by (split; assumption). rewrite (joined_of _ H), (copy_sec _ H).
      clear O1 O2 O3 O4.
      destruct (chain_cert mt t Wt (wr w) k (there_in _ H)) as [L1 [L2 [L3 L4]]]. cbv zeta in *.
      change (there (w, k)) with (wr w, k). split; [|split; [|split]].
      + intros j E S0. pose proof (copy_before w k j H ltac:(lia)) as Hj. rewrite (joined_of _ Hj).
        apply (L1 j E). rewrite <- S0. symmetry. apply (copy_sec _ Hj).
      + intros j Hj S0. destruct (copy_ops w k j H Hj) as [Oj Tj].
        rewrite (joined_of _ Oj), (copy_lat _ Oj). apply (L2 j Tj). rewrite <- S0. symmetry.
        apply (copy_sec _ Oj).
      + intros j Hj S0. destruct (copy_ops w k j H Hj) as [Oj Tj]. rewrite (copy_sec _ Oj) in S0.
        rewrite (copy_lat _ Oj).
        destruct (L3 j Tj S0) as [A|A]; [left; exact A|right; apply (copy_read w j _ Oj A)].
      + intros y Hy Gy S0. assert (of m p b y) as Oy by (split; [exact Hy|congruence]).
        rewrite (copy_sec _ Oy) in S0. etransitivity; [apply (n_rel _ _ _ _ _ _ _ _ R)|].
        apply (L4 (there y) (there_in _ Oy)); [|exact S0].
        rewrite !(n_alone _ _ _ _ _ _ _ _ R). reflexivity.
    - intros j E S0. rewrite (joined_other w j G). auto.
    - intros j Hj S0. rewrite (joined_other w j G). auto.
  Qed.

  Lemma chain_there x : of m p b x -> chain_to m p x <= L (there x).
  Proof.
    intros H. rewrite <- (joined_of x H). apply (chain_least m p Wp joined joined_cert), H.
  Qed.

  Lemma last_there : last_section m p b = last_section mt t 0.
  Proof.
    apply Nat.le_antisymm; apply list_max_le_in; intros n Hn; apply in_map_iff in Hn
      as [[w k] [<- Hx]]; cbn [fst].
    - destruct (Nat.eqb_spec (group m w) b) as [G|]; [|lia].
      assert (of m p b (w, k)) as H by (split; assumption). rewrite (copy_sec _ H).
      pose proof (in_last_section mt t _ (there_in _ H)) as A.
      rewrite (n_alone _ _ _ _ _ _ _ _ R) in A. exact A.
    - rewrite (n_alone _ _ _ _ _ _ _ _ R). cbn [Nat.eqb].
      destruct (n_onto _ _ _ _ _ _ _ _ R w k Hx) as [v [H E]].
      pose proof (in_last_section m p (v, k) (proj1 H)) as A. rewrite (copy_sec _ H) in A.
      destruct H as [_ H]. unfold SoloCopies.there in A. cbn [fst snd] in *. rewrite E, H in A.
      exact A.
  Qed.

  Lemma waits_there q x : of m p b x -> waits_for m p b q x <= waits_for mt t 0 q (there x).
  Proof.
    intros H. pose proof (chain_there x H). unfold waits_for, waits_by.
    rewrite last_there, (copy_sec x H), (copy_lat x H).
    destruct (q <? last_section mt t 0), (sec (get t (there x)) =? q); try lia. destruct x as [w k].
    cbn [SoloCopies.there fst snd] in *. destruct (read_before_b t (wr w) k q) eqn:B.
    - apply read_before_ok in B. apply (copy_read w k q H), read_before_ok in B. rewrite B. lia.
    - destruct (read_before_b p w k q); lia.
  Qed.

  Lemma chains_there c q : chain_of m p b c q <= chain_of mt t 0 (co c) q.
  Proof.
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [[w k] [<- Hx]]. cbn [fst].
    destruct (Nat.eqb_spec (group m w) b) as [G|]; [|cbn; lia].
    destruct (Nat.eqb_spec (core m w) c) as [E|]; [|cbn; lia]. cbn [andb].
    assert (of m p b (w, k)) as H by (split; assumption).
    etransitivity; [apply (waits_there q (w, k) H)|].
    pose proof (waits_within mt t (there (w, k)) q (there_in _ H)) as A.
    pose proof (n_core _ _ _ _ _ _ _ _ R _ H) as Co. unfold SoloCopies.there in A.
    cbn [fst snd] in A, Co. rewrite (n_alone _ _ _ _ _ _ _ _ R), Co, E in A. exact A.
  Qed.

  (** What some of its instructions weigh is some of what those of [t] weigh. *)
  Lemma sum_there (f g : key -> bool) : (forall x, In x (keys p) -> f x = true -> of m p b x /\
    g (there x) = true) ->
    sum (fun x => if f x then init (get p x) else 0) (keys p)
      <= sum (fun y => if g y then init (get t y) else 0) (keys t).
  Proof.
    intros H. apply (sum_copy _ _ _ _ _ _ _ _ R).
    - intros x Hx. destruct (f x) eqn:E; [|lia]. destruct (H x (proj1 Hx) E) as [_ ->].
      rewrite (proj1 (same_of _ _ _ _ _ _ _ _ R x Hx)). apply le_n.
    - intros x Hx N. destruct (f x) eqn:E; [|reflexivity]. destruct (H x Hx E) as [[_ G] _].
      contradiction.
  Qed.

  (** Units are shared, or private to a sub-core, as they are of [t]. *)
  Lemma home_there x : of m p b x -> let f := fu (get p x) in let e := fu (get t (there x)) in
    shared home f = shared ht e /\ forall c, mine home c f = true -> mine ht (co c) e = true.
  Proof.
    intros H. cbv zeta. unfold shared, mine. rewrite (Homes x H).
    destruct (home (fu (get p x))) as [d|]; cbn [option_map]; (split; [reflexivity|]);
      intros c F; [|discriminate]. apply Nat.eqb_eq in F. subst d. apply Nat.eqb_refl.
  Qed.

  Lemma section_there q x : in_section m p b q x = true -> In x (keys p) -> of m p b x /\
    in_section mt t 0 q (there x) = true.
  Proof.
    intros S0 Hx. apply andb_prop in S0 as [G S0]. apply Nat.eqb_eq in G.
    assert (of m p b x) as H by (split; assumption). split; [exact H|]. unfold in_section.
    rewrite (n_alone _ _ _ _ _ _ _ _ R), <- (copy_sec x H), S0. reflexivity.
  Qed.

  (** Serial times with chains that are no longer. *)
  Lemma serial_there (Q Qt : nat -> nat -> nat) last :
    (forall c q, In c cs -> Q c q <= Qt (co c) q) ->
    serial_time m p home cs Q last b <= serial_time mt t ht ct Qt last 0.
  Proof.
    intros HQ. apply sum_le. intros q _. unfold section_time. apply Nat.add_le_mono.
    - apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [c [<- Hc]].
      etransitivity; [|apply (list_max_in_ge (fun c => private_work mt t ht 0 q c + Qt c q)),
        (Cores c Hc)].
      apply Nat.add_le_mono; [|apply HQ, Hc]. apply sum_there. intros x Hx P.
      apply andb_prop in P as [S0 F]. destruct (section_there q x S0 Hx) as [H ->].
      split; [exact H|]. apply (home_there x H), F.
    - apply sum_there. intros x Hx P. apply andb_prop in P as [S0 F].
      destruct (section_there q x S0 Hx) as [H ->]. split; [exact H|].
      rewrite <- (proj1 (home_there x H)). exact F.
  Qed.

  (** *** V of a thread block on an SM is at most that of the one it is a copy of. *)
  Theorem copy_serial : SERIAL m p home cs b <= SERIAL mt t ht ct 0.
  Proof.
    unfold SERIAL. rewrite last_there. apply serial_there. intros c q _. apply chains_there.
  Qed.
End SerialCopies.
