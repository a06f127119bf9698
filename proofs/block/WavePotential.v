(** * Potentials of a wave (docs/wave-bounds.md, section 3: its potential and jumps)

    A thread block [g] shares its SM from [t0] on with others that are there or come.  A wave
    potential says how late a node of its graph, I(k) or D(k), can be when all other warps have got
    so far: as in block/Potential.v, but through all sections of [g], so that an instruction of
    another thread block is charged once for the whole stay.  Where a chain jumps from an older
    section to a later one, the potential is no less than the completion there ([w_jump]).  Every
    wave potential is a bound (WaveBound.v). *)

From Warpbound Require Import Base Cycles Model Queue Potential.

Section WavePotential.
  Variables (m : machine) (b : block) (g : nat).
  Variable there : nat -> bool.  (* thread blocks beside [g] that have not ended by [t0] *)

  (** What warp [w] of [g] can meet in section [q] of [g]: other warps of [g] in that section, and
      other thread blocks, in whichever section they are. *)
  Definition meets (w q : nat) (y : key) : bool :=
    negb (fst y =? w) && (if group m (fst y) =? g then sec (get b y) =?
      q else there (group m (fst y))).

  (** Each thread block has issued of its sections one after the other. *)
  Definition in_order (J : progress) : Prop :=
    forall y z, In y (keys b) -> In z (keys b) -> group m (fst z) = group m (fst y) ->
      1 <= init (get b z) -> sec (get b z) < sec (get b y) -> snd y < J (fst y) ->
      snd z < J (fst z).

  (** Between [J] and [J'] warp [w] of [g] can meet [y]. *)
  Definition met (w q : nat) (J J' : progress) (y : key) : Prop :=
    In y (keys b) /\ meets w q y = true /\ reaches J J' /\ J (fst y) <= snd y < J' (fst y)
    /\ in_order J /\ in_order J'.

  Notation ours := (of m b g).

  (** How long [x] waits in a queue of [F]. *)
  Definition wait_in_queue (F : nat -> nat -> nat -> bool) (Q : nat -> nat -> nat -> nat)
    (x : key) : nat :=
    let w := fst x in let q := sec (get b x) in
    if F w q (fu (get b x)) then Q w q (fu (get b x)) else 0.

  (** [F w q] are units at which a start of [w] in section [q] waits [Q w q] and is charged nothing
      (section 9 of docs/proofs.md; no unit: nothing of the kind). *)
  Record wave_potential (F : nat -> nat -> nat -> bool) (Q : nat -> nat -> nat -> nat)
      (pI pD : key -> progress -> nat) : Prop := {
    w_mono : forall x J J', reaches J J' -> pI x J <= pI x J' /\ pD x J <= pD x J';
    w_next : forall w j J, ours (w, S j) -> sec (get b (w, j)) = sec (get b (w, S j)) ->
      pI (w, j) J + takes (get b (w, j)) <= pI (w, S j) J;
    w_ops : forall w k p J, ours (w, k) -> In p (ops (get b (w, k))) ->
      sec (get b (w, p)) = sec (get b (w, k)) ->
      pD (w, p) J + init (get b (w, p)) + lat (get b (w, p)) <= pI (w, k) J;
    w_room : forall w k o J, ours (w, k) -> own_before b w o k ->
      match depth m with
      | None => True
      | Some 0 => pD (w, o) J + init (get b (w, o)) <= pI (w, k) J
      | Some (S _) => pD (w, o) J <= pI (w, k) J
      end;
    w_start : forall x J, ours x -> pI x J + wait_in_queue F Q x <= pD x J;
    w_unit : forall w k o J, ours (w, k) -> own_before b w o k ->
      pD (w, o) J + init (get b (w, o)) + wait_in_queue F Q (w, k) <= pD (w, k) J;
    w_jump : forall x o J, ours x -> ours o -> sec (get b o) < sec (get b x) -> in_order J ->
      pD o J + init (get b o) + lat (get b o) + release m (sec (get b x)) <= pI x J;
    w_charge_I : forall x y J J', ours x -> 1 <= init (get b x) ->
      met (fst x) (sec (get b x)) J J' y -> pI x J + charge_I m b x y <= pI x J';
    w_charge_D : forall x y J J', ours x -> 1 <= init (get b x) ->
      F (fst x) (sec (get b x)) (fu (get b x)) = false ->
      met (fst x) (sec (get b x)) J J' y -> pD x J + charge_D b x y <= pD x J' }.

  (** What [w] can meet on [f], issued by [t] and not initiated to its end then. *)
  Definition wave_pending (s : schedule) (w q f t : nat) : list key :=
    filter (fun y => meets w q y && (on b f y && ((I s y <=? t) && (t <? D s y + ai s y))))
      (keys b).

  (** [Q] bounds what is pending at the units of [F]. *)
  Definition wave_queues_ok (s : schedule) (F : nat -> nat -> nat -> bool)
    (Q : nat -> nat -> nat -> nat) : Prop :=
    forall x f t n, ours x -> let w := fst x in let q := sec (get b x) in F w q f = true ->
      inst m f * n <= sum (fun y => init (get b y)) (wave_pending s w q f t) -> n <= Q w q f.

  (** ** What schedules do is in order *)

  Lemma meets_iff w q y : meets w q y = true <-> fst y <> w /\
    ((group m (fst y) = g /\ sec (get b y) = q) \/
      (group m (fst y) <> g /\ there (group m (fst y)) = true)).
  Proof.
    unfold meets. rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq.
    destruct (Nat.eqb_spec (group m (fst y)) g); rewrite ?Nat.eqb_eq; intuition.
  Qed.

  Lemma behind_some p n i : i < behind p n -> exists j, i <= j < n /\ p j = true.
  Proof.
    intros H. destruct (existsb p (seq i (n - i))) eqn:E.
    - apply existsb_exists in E as [j [Hj Pj]]. apply in_seq in Hj. exists j. split; [lia|exact Pj].
    - exfalso. enough (behind p n <= i) by lia. apply behind_le. intros j Hj Pj.
      destruct (le_lt_dec i j) as [L|L]; [exfalso|exact L].
      enough (existsb p (seq i (n - i)) = true) by congruence. apply existsb_exists. exists j.
      split; [apply in_seq; lia|exact Pj].
  Qed.

  Lemma least_in_order J J' : in_order J -> in_order J' -> in_order (fun u => min (J u) (J' u)).
  Proof.
    intros O O' y z Hy Hz G Iz L B. specialize (O y z Hy Hz G Iz L ltac:(lia)).
    specialize (O' y z Hy Hz G Iz L ltac:(lia)). lia.
  Qed.

  Variable s : schedule.
  Hypothesis V : valid m b s.

  Lemma issued_no_later u i j : j < len b u -> In (u, i) (keys b) -> i <= j ->
    I s (u, i) <= I s (u, j).
  Proof.
    intros Hj Hi L. destruct (Nat.eq_dec i j) as [->|N]; [lia|]. apply in_keys in Hi.
    pose proof (order_le m b s V u j i ltac:(apply in_keys; lia) ltac:(lia)). lia.
  Qed.

  Lemma issued_in_order x : in_order (issued b s x).
  Proof.
    intros y z Hy Hz G Iz L B. apply behind_some in B as [j [Hj P]]. apply Nat.ltb_lt in P.
    pose proof (v_barrier _ _ _ V y z Hy Hz G L).
    pose proof (issued_no_later (fst y) (snd y) j ltac:(lia) ltac:(destruct y; exact Hy)
      ltac:(lia)) as O. rewrite <- surjective_pairing in O. apply issued_gt; [exact Hz|lia].
  Qed.

  (** What is issued no later than [y] without [y] and what follows it in its warp. *)
  Lemma without_in_order J y : In y (keys b) -> 1 <= init (get b y) -> in_order J ->
    reaches J (issued b s (S (I s y))) ->
    in_order (fun u => if u =? fst y then min (J u) (snd y) else J u).
  Proof.
    intros Hy Iy O R a z Ha Hz G Iz L B.
    assert (snd a < J (fst a)) as Ba by (destruct (Nat.eqb_spec (fst a) (fst y)); lia).
    pose proof (O a z Ha Hz G Iz L Ba) as Bz.
    destruct (Nat.eqb_spec (fst z) (fst y)) as [E|N]; [|exact Bz]. enough (snd z < snd y) by lia.
    destruct (le_lt_dec (snd y) (snd z)) as [X|X]; [exfalso|exact X]. specialize (R (fst a)).
    destruct (behind_some _ _ (snd a) (Nat.lt_le_trans _ _ _ Ba R)) as [j [Hj P]].
    apply Nat.ltb_lt in P. pose proof (issued_no_later (fst a) (snd a) j ltac:(lia)
      ltac:(destruct a; exact Ha) ltac:(lia)) as K. rewrite <- surjective_pairing in K.
    destruct y as [v i], z as [v' i']. cbn [fst snd] in *. subst v'.
    pose proof (v_barrier _ _ _ V a (v, i') Ha Hz G L).
    pose proof (issued_no_later v i i' ltac:(apply (in_keys b), Hz) Hy X). lia.
  Qed.

  Lemma ahead_in_order k : in_order (ahead b s k).
  Proof.
    intros y z Hy Hz G Iz L B. apply behind_some in B as [j [Hj P]]. apply before_iff in P.
    pose proof (v_barrier _ _ _ V y z Hy Hz G L).
    pose proof (issued_no_later (fst y) (snd y) j ltac:(lia) ltac:(destruct y; exact Hy)
      ltac:(lia)) as O. rewrite <- surjective_pairing in O. apply ahead_gt; [exact Hz|].
    apply before_iff. lia.
  Qed.
End WavePotential.
