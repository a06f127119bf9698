(** * A thread block on an SM is a copy of one as it is written: its serial time is that one's (G1)

    Warps, units and sub-cores may be called otherwise there: a slot renumbers the sub-cores. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Model Elb Paths Stay Copies Serial SerialPaths.
From Warpbound Require Instances.
Import ListNotations.

(** [p] are the warps of an SM, [b] one of its thread blocks; [t] is one as it is written.  [src]
    says which warp of [t] a warp is a copy of, [ren] which sub-core of [t] a sub-core is. *)
Record copy_of (t : block) (mt : machine) (ht : nat -> option nat) (ct : list nat)
  (p : block) (m : machine) (home : nat -> option nat) (cs : list nat) (b : nat) (src ren : nat ->
    nat) : Prop := {
  y_alone : forall w, group mt w = 0;
  y_in : forall w k, of m p b (w, k) -> In (src w, k) (keys t);
  y_onto : forall v k, In (v, k) (keys t) -> exists w, of m p b (w, k) /\ src w = v;
  y_once : forall w v k, of m p b (w, k) -> of m p b (v, k) -> src w = src v -> w = v;
  y_same : forall w k, of m p b (w, k) -> let i := get p (w, k) in let j := get t (src w, k) in
    init i = init j /\ lat i = lat j /\ ops i = ops j /\ sec i = sec j;
  y_core : forall w k, of m p b (w, k) -> core mt (src w) = ren (core m w);
  y_home : forall w k, of m p b (w, k) -> let f := fu (get p (w, k)) in let e :=
    fu (get t (src w, k)) in
    shared home f = shared ht e /\ forall c, mine home c f = true -> mine ht (ren c) e = true;
  y_cores : forall c, In c cs -> In (ren c) ct;
  y_rel : forall q, release m q <= release mt q }.

Section SerialCopies.
  Variables (t p : block) (mt m : machine) (ht home : nat -> option nat) (ct cs : list nat)
    (b : nat) (src ren : nat -> nat).
  Hypothesis Y : copy_of t mt ht ct p m home cs b src ren.
  Hypothesis Wp : wf p.
  Hypothesis Wt : wf t.
  (** What an instruction is in [t]. *)
  Definition there (x : key) : key := (src (fst x), snd x).
  Notation L := (chain_to mt t).
  Notation grp x := (group m (fst x)).

  Lemma there_in x : of m p b x -> In (there x) (keys t).
  Proof. destruct x as [w k]. apply (y_in _ _ _ _ _ _ _ _ _ _ _ Y). Qed.

  Lemma copy_sec x : of m p b x -> sec (get p x) = sec (get t (there x)).
  Proof. destruct x as [w k]. intros H. apply (y_same _ _ _ _ _ _ _ _ _ _ _ Y w k H). Qed.

  Lemma copy_lat x : of m p b x -> lat (get p x) = lat (get t (there x)).
  Proof. destruct x as [w k]. intros H. apply (y_same _ _ _ _ _ _ _ _ _ _ _ Y w k H). Qed.

  Lemma copy_before w k j : of m p b (w, k) -> j < k -> of m p b (w, j).
  Proof. intros [H1 H2] Hj. split; [apply (rank_prog p Wp w k j H1 Hj)|exact H2]. Qed.

  Lemma copy_ops w k j : of m p b (w, k) -> In j (ops (get p (w, k))) -> of m p b (w, j) /\
    In j (ops (get t (src w, k))).
  Proof.
    intros H Hj. split; [apply (copy_before w k j H), (Wp w k (proj1 H)), Hj|].
    destruct (y_same _ _ _ _ _ _ _ _ _ _ _ Y w k H) as [_ [_ [E _]]]. rewrite <- E. exact Hj.
  Qed.

  Lemma copy_read w k q : of m p b (w, k) -> read_before t (src w) k q -> read_before p w k q.
  Proof.
    intros H [z [Hz [Ho Hs]]]. destruct (y_onto _ _ _ _ _ _ _ _ _ _ _ Y (src w) z Hz) as [v [Hv E]].
    pose proof (copy_sec (v, z) Hv) as Sv. unfold there in Sv. cbn [fst snd] in Sv. rewrite E in Sv.
    destruct (y_same _ _ _ _ _ _ _ _ _ _ _ Y v z Hv) as [_ [_ [Eo _]]]. rewrite E in Eo.
    assert (In k (ops (get p (v, z)))) as Hk by (rewrite Eo; exact Ho).
    assert (of m p b (v, k)) as Hvk by (apply (copy_ops v z k Hv Hk)).
    assert (v = w) as -> by (apply (y_once _ _ _ _ _ _ _ _ _ _ _ Y v w k Hvk H E)).
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
      destruct (chain_cert mt t Wt (src w) k (there_in _ H)) as [L1 [L2 [L3 L4]]]. cbv zeta in *.
      change (there (w, k)) with (src w, k). split; [|split; [|split]].
      + intros j E S0. pose proof (copy_before w k j H ltac:(lia)) as Hj. rewrite (joined_of _ Hj).
        apply (L1 j E). rewrite <- S0. symmetry. apply (copy_sec _ Hj).
      + intros j Hj S0. destruct (copy_ops w k j H Hj) as [Oj Tj].
        rewrite (joined_of _ Oj), (copy_lat _ Oj). apply (L2 j Tj). rewrite <- S0. symmetry.
        apply (copy_sec _ Oj).
      + intros j Hj S0. destruct (copy_ops w k j H Hj) as [Oj Tj]. rewrite (copy_sec _ Oj) in S0.
        rewrite (copy_lat _ Oj).
        destruct (L3 j Tj S0) as [A|A]; [left; exact A|right; apply (copy_read w j _ Oj A)].
      + intros y Hy Gy S0. assert (of m p b y) as Oy by (split; [exact Hy|congruence]).
        rewrite (copy_sec _ Oy) in S0. etransitivity; [apply (y_rel _ _ _ _ _ _ _ _ _ _ _ Y)|].
        apply (L4 (there y) (there_in _ Oy)); [|exact S0].
        rewrite !(y_alone _ _ _ _ _ _ _ _ _ _ _ Y). reflexivity.
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
      rewrite (y_alone _ _ _ _ _ _ _ _ _ _ _ Y) in A. exact A.
    - rewrite (y_alone _ _ _ _ _ _ _ _ _ _ _ Y). cbn [Nat.eqb].
      destruct (y_onto _ _ _ _ _ _ _ _ _ _ _ Y w k Hx) as [v [H E]].
      pose proof (in_last_section m p (v, k) (proj1 H)) as A. rewrite (copy_sec _ H) in A.
      destruct H as [_ H]. unfold there in A. cbn [fst snd] in *. rewrite E, H in A. exact A.
  Qed.

  Lemma waits_there q x : of m p b x -> waits_for m p b q x <= waits_for mt t 0 q (there x).
  Proof.
    intros H. pose proof (chain_there x H). unfold waits_for, waits_by.
    rewrite last_there, (copy_sec x H), (copy_lat x H).
    destruct (q <? last_section mt t 0), (sec (get t (there x)) =? q); try lia. destruct x as [w k].
    cbn [there fst snd] in *. destruct (read_before_b t (src w) k q) eqn:R.
    - apply read_before_ok in R. apply (copy_read w k q H), read_before_ok in R. rewrite R. lia.
    - destruct (read_before_b p w k q); lia.
  Qed.

  Lemma chains_there c q : chain_of m p b c q <= chain_of mt t 0 (ren c) q.
  Proof.
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [[w k] [<- Hx]]. cbn [fst].
    destruct (Nat.eqb_spec (group m w) b) as [G|]; [|cbn; lia].
    destruct (Nat.eqb_spec (core m w) c) as [E|]; [|cbn; lia]. cbn [andb].
    assert (of m p b (w, k)) as H by (split; assumption).
    etransitivity; [apply (waits_there q (w, k) H)|].
    pose proof (waits_within mt t (there (w, k)) q (there_in _ H)) as A. unfold there in A.
    cbn [fst snd] in A.
    rewrite (y_alone _ _ _ _ _ _ _ _ _ _ _ Y), (y_core _ _ _ _ _ _ _ _ _ _ _ Y w k H), E in A.
    exact A.
  Qed.

  (** What some of its instructions weigh is some of what those of [t] weigh. *)
  Lemma sum_there (P R : key -> bool) : (forall x, In x (keys p) -> P x = true -> of m p b x /\
    R (there x) = true) ->
    sum (fun x => if P x then init (get p x) else 0) (keys p)
      <= sum (fun y => if R y then init (get t y) else 0) (keys t).
  Proof.
    intros H. apply (sum_into Instances.key_eq _ _ there); [apply Instances.keys_nodup| |].
    - intros [w k] Hx N. destruct (P (w, k)) eqn:E; [|lia]. destruct (H _ Hx E) as [O ->].
      split; [apply there_in, O|]. destruct (y_same _ _ _ _ _ _ _ _ _ _ _ Y w k O) as [Ei _].
      unfold there. cbn [fst snd]. lia.
    - intros [w k] [v j] Hx Hy Nx Ny E. destruct (P (w, k)) eqn:Px; [|lia].
      destruct (P (v, j)) eqn:Py; [|lia]. destruct (H _ Hx Px) as [O1 _], (H _ Hy Py) as [O2 _].
      unfold there in E. cbn [fst snd] in E. injection E as E <-.
      rewrite (y_once _ _ _ _ _ _ _ _ _ _ _ Y w v k O1 O2 E). reflexivity.
  Qed.

  Lemma section_there q x : in_section m p b q x = true -> In x (keys p) -> of m p b x /\
    in_section mt t 0 q (there x) = true.
  Proof.
    intros S0 Hx. apply andb_prop in S0 as [G S0]. apply Nat.eqb_eq in G.
    assert (of m p b x) as H by (split; assumption). split; [exact H|]. unfold in_section.
    rewrite (y_alone _ _ _ _ _ _ _ _ _ _ _ Y), <- (copy_sec x H), S0. reflexivity.
  Qed.

  (** Serial times with chains that are no longer. *)
  Lemma serial_there (Q Qt : nat -> nat -> nat) last :
    (forall c q, In c cs -> Q c q <= Qt (ren c) q) ->
    serial_time m p home cs Q last b <= serial_time mt t ht ct Qt last 0.
  Proof.
    intros HQ. apply sum_le. intros q _. unfold section_time. apply Nat.add_le_mono.
    - apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [c [<- Hc]].
      etransitivity; [|apply (list_max_in_ge (fun c => private_work mt t ht 0 q c + Qt c q)),
        (y_cores _ _ _ _ _ _ _ _ _ _ _ Y c Hc)].
      apply Nat.add_le_mono; [|apply HQ, Hc]. apply sum_there. intros x Hx P.
      apply andb_prop in P as [S0 F]. destruct (section_there q x S0 Hx) as [H ->].
      split; [exact H|]. destruct x as [w k].
      destruct (y_home _ _ _ _ _ _ _ _ _ _ _ Y w k H) as [_ A]. apply A, F.
    - apply sum_there. intros x Hx P. apply andb_prop in P as [S0 F].
      destruct (section_there q x S0 Hx) as [H ->]. split; [exact H|]. destruct x as [w k].
      destruct (y_home _ _ _ _ _ _ _ _ _ _ _ Y w k H) as [A _]. unfold there. cbn [fst snd].
      rewrite <- A. exact F.
  Qed.

  (** *** V of a thread block on an SM is at most that of the one it is a copy of. *)
  Theorem copy_serial : SERIAL m p home cs b <= SERIAL mt t ht ct 0.
  Proof.
    unfold SERIAL. rewrite last_there. apply serial_there. intros c q _. apply chains_there.
  Qed.
End SerialCopies.
