(** * Dynamic and static dispatch: what K-SM says of a grid (docs/proofs.md, section 12, One SM) *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm.

(** At least [c] each: what is left for one. *)
Lemma sum_leaves (f : nat -> nat) c M i : i < M -> (forall j, j < M -> c <= f j) ->
  f i + (M - 1) * c <= sum f (seq 0 M).
Proof.
  intros Hi H. replace M with (i + S (M - S i)) at 2 by lia. rewrite seq_app, sum_app.
  cbn [seq Nat.add]. rewrite sum_cons.
  assert (forall k a, a + k <= M -> k * c <= sum f (seq a k)) as A.
  { induction k as [|k IH]; intros a Ha; [lia|]. cbn [seq]. rewrite sum_cons.
    specialize (IH (S a) ltac:(lia)). specialize (H a ltac:(lia)). lia. }
  pose proof (A i 0 ltac:(lia)). pose proof (A (M - S i) (S i) ltac:(lia)). nia.
Qed.

(** ** How many thread blocks an SM gets *)

Section Counts.
  Variables (r : run) (M R : nat).
  Hypothesis Sm : forall b, b < count r -> sm r b < M.

  (** Each slot gets a thread block. *)
  Definition all_taken : Prop := forall i q, i < M -> q < R -> exists c, In c (on_sm r i) /\
    room r c = q.

  Lemma all_length : sum (fun i => length (on_sm r i)) (seq 0 M) = count r.
  Proof.
    unfold on_sm. rewrite length_by_slot; [apply seq_length|].
    intros b Hb. apply in_all in Hb. apply Sm, Hb.
  Qed.

  Lemma full_sm i : all_taken -> i < M -> R <= length (on_sm r i).
  Proof.
    intros A Hi. rewrite <- (seq_length R 0), <- (map_length (room r) (on_sm r i)).
    apply NoDup_incl_length; [apply seq_NoDup|]. intros q Hq. apply in_seq in Hq.
    destruct (A i q Hi ltac:(lia)) as [c [Hc <-]]. apply in_map, Hc.
  Qed.

  Lemma most_blocks i : all_taken -> i < M -> length (on_sm r i) <= count r - (M - 1) * R.
  Proof.
    intros A Hi.
    pose proof (sum_leaves (fun j => length (on_sm r j)) R M i Hi (fun j Hj => full_sm j A Hj)).
    rewrite all_length in H. lia.
  Qed.
End Counts.

Section Dispatch.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation l := (map kd (all r)).

  Lemma on_sm_all i : incl (on_sm r i) (all r).
  Proof. intros c Hc. apply filter_In in Hc. tauto. Qed.

  Lemma last_of i : on_sm r i <> [] ->
    exists b, In b (on_sm r i) /\ forall c, In c (on_sm r i) -> fin r c <= fin r b.
  Proof. apply exists_max. Qed.

  (** A bound for the last thread block of each SM is one for all. *)
  Lemma by_last (X : nat -> nat) :
    (forall i b, In b (on_sm r i) -> (forall c, In c (on_sm r i) -> fin r c <= fin r b) ->
      cycles (fin r b) cnted <= X i) ->
    forall b, b < count r -> cycles (fin r b) cnted <= X (sm r b).
  Proof.
    intros H b Hb. assert (In b (on_sm r (sm r b))) as Hi by (apply in_on_sm; auto).
    destruct (last_of (sm r b)) as [c [Hc Hl]]; [intros E; rewrite E in Hi; easy|].
    etransitivity; [|apply (H (sm r b) c Hc Hl)]. apply cycles_longer, Hl, Hi.
  Qed.

  (** ** Static dispatch: every SM has its own thread blocks *)
  Definition late (i : nat) : nat :=        (* the delta that slots used twice can take *)
    if forallb (first r) (on_sm r i) then 0 else delta.

  (** K-SM of SM [i]. *)
  Definition static_time (i : nat) : nat :=
    let n := length (on_sm r i) in
    h R delta n (map kd (on_sm r i)) + (if n <=? R then late i else 0).

  (** *** Theorem 5, static *)
  Theorem k_sm_static b : b < count r -> cycles (fin r b) cnted <= static_time (sm r b).
  Proof.
    revert b. apply by_last. intros i b Hb Hl. unfold static_time.
    destruct (Nat.leb_spec (length (on_sm r i)) R) as [L|L].
    - unfold h. rewrite (proj2 (Nat.leb_le _ _) L).
      pose proof (sm_fits r M R delta kd Lg i (on_sm r i) (incl_refl _) b Hb _ (le_n _) L) as H.
      assert (delay r delta b <= late i); [|lia]. unfold late, delay.
      destruct (forallb _ _) eqn:X; [|destruct (first r b); lia]. rewrite forallb_forall in X.
      rewrite (X b Hb). lia.
    - rewrite Nat.add_0_r.
      apply (sm_waits r M R delta kd Lg i (on_sm r i) (incl_refl _) b Hb); auto.
  Qed.

  (** ** Dynamic dispatch, one wave: G4, each thread block in a slot that is new *)
  Theorem k_sm_one_wave n : (forall b, b < count r -> first r b = true) ->
    (forall i, length (on_sm r i) <= n) -> n <= R ->
    forall b, b < count r -> cycles (fin r b) cnted <= together n l.
  Proof.
    intros Hf Hn HR. apply (by_last (fun _ => together n l)). intros i b Hb _.
    pose proof (sm_fits r M R delta kd Lg i (all r) (on_sm_all i) b Hb n (Hn i) HR) as H.
    unfold delay in H. rewrite Hf in H by (apply (in_on_sm r i b), Hb). exact H.
  Qed.

  (** ** Dynamic dispatch, thread blocks that wait *)
  Hypothesis Dyn : dynamic r M R.

  (** Each thread block is dispatched before the first cycle that counts. *)
  Definition early : Prop := forall t c, cnted t = true -> c < count r -> disp r c <= t.

  (** Every slot is taken once, or no cycle passes before the last dispatch (lemma 5). *)
  Lemma taken_or_early : all_taken r M R \/ early.
  Proof.
    destruct (forallb (fun i => forallb (fun q => existsb (fun c => room r c =? q) (on_sm r i))
      (seq 0 R)) (seq 0 M)) eqn:X.
    - left. intros i q Hi Hq. rewrite forallb_forall in X.
      specialize (X i ltac:(apply in_seq; lia)). rewrite forallb_forall in X.
      specialize (X q ltac:(apply in_seq; lia)). apply existsb_exists in X as [c [Hc E]].
      apply Nat.eqb_eq in E. eauto.
    - right. intros t c C Hc. destruct (le_lt_dec (disp r c) t) as [|L]; [assumption|exfalso].
      enough (forallb (fun i => forallb (fun q => existsb (fun c => room r c =? q) (on_sm r i))
        (seq 0 R)) (seq 0 M) = true) by congruence. apply forallb_forall. intros i Hi.
      apply in_seq in Hi. apply forallb_forall. intros q Hq. apply in_seq in Hq.
      destruct (Dyn c t i q Hc C L ltac:(lia) ltac:(lia)) as [d [Hd [Hs [Hr _]]]].
      apply existsb_exists. exists d. split; [apply in_on_sm; auto|apply Nat.eqb_eq, Hr].
  Qed.

  Lemma all_here i b : In b (on_sm r i) -> i < M.
  Proof. intros Hb. apply in_on_sm in Hb as [Hb <-]. apply (l_sm _ _ _ _ _ Lg b Hb). Qed.

  Lemma early_here i : early -> forall t c, cnted t = true -> In c (on_sm r i) -> disp r c <= t.
  Proof. intros E t c C Hc. apply E; [exact C|]. apply in_on_sm in Hc. tauto. Qed.

  Hypothesis Waits : M * R < count r.

  Lemma most_waits : 1 <= M -> R < count r - (M - 1) * R.
  Proof. nia. Qed.

  (** *** Theorem 5, dynamic *)
  Theorem k_sm_dynamic b : b < count r ->
    cycles (fin r b) cnted <= h R delta (count r - (M - 1) * R) l.
  Proof.
    revert b. apply (by_last (fun _ => h R delta (count r - (M - 1) * R) l)). intros i b Hb Hl.
    pose proof (all_here i b Hb) as Hi. pose proof (most_waits ltac:(lia)) as Hn.
    destruct taken_or_early as [A|A].
    - apply (sm_waits r M R delta kd Lg i (all r) (on_sm_all i) b Hb); auto.
      apply (most_blocks r M R (l_sm _ _ _ _ _ Lg)); assumption.
    - apply (proj1 (sm_never_full r M R delta kd Lg i (all r) (on_sm_all i) b Hb _
        (early_here i A) Hn)).
  Qed.
End Dispatch.
