(** * What a warp can reach: code-sib and code-fib (docs/machine-code-bounds.md, sections 1 and
    3) *)

From Warpbound Require Import Base CodeMachine CodeOwn.

(** [home v]: the sub-core of a unit; [None]: shared by all.  [shared]: shared units and all in B of
    them (way_rules.c, close_shared). *)
Definition reach_sib (m : machine) (home : nat -> option nat) (shared : nat -> bool)
  (w v : nat) : bool :=
  shared v || match home v with Some c => c =? core m w | None => false end.

(** [unused v]: [v] is a latch of instructions of one stage, and [w] has none of them in the
    section. *)
Definition reach_fib m home shared (unused : nat -> bool) (w v : nat) : bool :=
  reach_sib m home shared w v && negb (unused v).

Section Reach.
  Variables (m : machine) (b : block) (home : nat -> option nat) (shared : nat -> bool) (w n : nat).
  Hypothesis Ways : forall y i u, at_stage b y i u -> home u = None \/
    home u = Some (core m (fst y)).
  Hypothesis Shared : forall u, home u = None -> shared u = true.
  Hypothesis Closed : forall u v, shared u = true -> back m b u v -> shared v = true.

  Lemma reach_back u v : B m b u v -> reach_sib m home shared w u = true ->
    reach_sib m home shared w v = true.
  Proof.
    induction 1 as [u|u u' v HBack HB IH]; intros H; [exact H|]. apply IH. unfold reach_sib in *.
    apply orb_true_iff in H as [H|H]; [rewrite (Closed u u' H HBack); reflexivity|].
    destruct HBack as [_ [y [i [Y1 Y2]]]]. destruct (home u) as [c|] eqn:E; [|discriminate].
    apply Nat.eqb_eq in H. subst c.
    destruct (Ways _ _ _ Y2) as [E'|E']; [rewrite (Shared _ E'); reflexivity|].
    destruct (Ways _ _ _ Y1) as [E1|E1]; [congruence|]. rewrite E'. rewrite E in E1.
    inversion E1 as [E2]. rewrite Nat.eqb_refl. apply orb_true_r.
  Qed.

  Lemma reach_way y i u : at_stage b y i u -> core m (fst y) = core m w ->
    reach_sib m home shared w u = true.
  Proof.
    intros H Hc. unfold reach_sib.
    destruct (Ways _ _ _ H) as [E|E]; [rewrite (Shared _ E); reflexivity|].
    rewrite E, Hc, Nat.eqb_refl. apply orb_true_r.
  Qed.

  (** The reach of SIB has every stage at which another warp can delay this one. *)
  Theorem reach_sib_ok : reaches m b (reach_sib m home shared w) w n.
  Proof.
    split.
    - intros k i u v Hk _ HB. eapply reach_back; [exact HB|].
      eapply reach_way; [exact Hk|reflexivity].
    - intros v [_ [y [u [_ [Hc [Hu HB]]]]]]. eapply reach_back; [exact HB|].
      eapply reach_way; eassumption.
  Qed.

  (** It depends on the sub-core alone, and what others have of it all can reach: what theorem 2
      needs. *)
  Lemma reach_same u v : core m u = core m w -> reach_sib m home shared u v
    = reach_sib m home shared w v.
  Proof. intros H. unfold reach_sib. rewrite H. reflexivity. Qed.

  (** A unit that a warp reaches across sub-cores is in the reach of every warp. *)
  Lemma reach_cross u y i v : at_stage b y i v -> core m (fst y) <> core m w ->
    reach_sib m home shared w v = true -> reach_sib m home shared u v = true.
  Proof.
    intros Hy Hc H. unfold reach_sib in *.
    apply orb_true_iff in H as [H|H]; [rewrite H; reflexivity|].
    destruct (Ways _ _ _ Hy) as [E|E]; [rewrite (Shared _ E); reflexivity|]. rewrite E in H.
    apply Nat.eqb_eq in H. congruence.
  Qed.

  Variable unused : nat -> bool.
  (* way_rules.c: without a clash all that have a latch of fixed latency come to it alike, as their
      first stage *)
  Hypothesis Latches : forall v y i, unused v = true -> at_stage b y i v -> i = 0 /\
    latch m b y = true.
  Hypothesis Unused : forall v k i, unused v = true -> at_stage b (w, k) i v ->
    sec (get b (w, k)) <> n.

  Lemma back_last u v : B m b u v -> u = v \/ exists z, back m b z v.
  Proof. induction 1 as [u|u u' v H HB IH]; [auto|]. destruct IH as [<-|IH]; eauto. Qed.

  Lemma not_behind u v : unused v = true -> B m b u v -> u = v.
  Proof.
    intros Hv HB. destruct (back_last u v HB) as [E|[z [_ [y [i [_ Y]]]]]]; [exact E|].
    destruct (Latches v y (S i) Hv Y). discriminate.
  Qed.

  (** The reach of FIB has every stage at which another warp can delay this one. *)
  Theorem reach_fib_ok : reaches m b (reach_fib m home shared unused w) w n.
  Proof.
    destruct reach_sib_ok as [H1 H2]. unfold reach_fib. split.
    - intros k i u v Hk Hs HB. rewrite (H1 k i u v Hk Hs HB).
      destruct (unused v) eqn:E; [|reflexivity]. rewrite (not_behind u v E HB) in Hk.
      destruct (Unused v k i E Hk Hs).
    - intros v HF. rewrite (H2 v HF). destruct (unused v) eqn:E; [|reflexivity].
      destruct HF as [_ [y [u [Hq [_ [Hu HB]]]]]]. rewrite (not_behind u v E HB) in Hu.
      destruct (Latches v y 0 E Hu) as [_ HL]. destruct Hq as [_ [_ [HL' _]]]. congruence.
  Qed.
End Reach.
