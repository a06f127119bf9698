(** * Instruction fetch: docs/proofs.md, section 15, lemma 7

    In how many cycles some warp of an SM asks for a fetch, or waits for one that has begun: the set Z of
    the page. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share.
Import ListNotations.

(** A fetch is asked for, begins, and is there at [brings]; [miss] says whether it misses. *)
Record fetching := Fetching { fetched : list nat; asks : nat -> nat; goes : nat -> nat; brings : nat -> nat; miss : nat -> bool }.

Section Cache.
  Variables (f : fetching) (l m per : nat).

  Definition misses : list nat := filter (miss f) (fetched f).
  Definition waiting (t : nat) : bool := existsb (fun r => (asks f r <=? t) && (t <? brings f r)) (fetched f).

  (** One that is asked for begins, unless as many as can begin in this cycle do, or all entries are taken, by misses that
      have begun no more than [m] cycles ago.  It is there [l] cycles behind its beginning, or behind the end of a miss that
      was under way then. *)
  Record fetches_ok : Prop := {
    f_waits : forall r t, In r (fetched f) -> asks f r <= t < goes f r ->
      per <= length (filter (fun z => goes f z =? t) (fetched f)) \/ exists z, In z misses /\ goes f z <= t < goes f z + m;
    f_there : forall r, In r (fetched f) -> brings f r <= goes f r + l
      \/ exists z, In z misses /\ goes f z <= goes f r /\ brings f r <= goes f z + m + l }.

  Hypothesis Ok : fetches_ok.
  Hypothesis Per : 1 <= per.

  Definition missing (t : nat) : bool := existsb (fun z => (goes f z <=? t) && (t <? goes f z + m)) misses.
  Definition full (t : nat) : bool := per <=? length (filter (fun z => goes f z =? t) (fetched f)).

  Lemma missing_time n : cnt missing n <= length misses * m.
  Proof.
    etransitivity; [apply (cnt_exists (fun t z => (goes f z <=? t) && (t <? goes f z + m)))|]. apply sum_mul. intros z _. apply cnt_interval.
  Qed.

  Lemma full_time n : cnt full n <= length (fetched f) / per.
  Proof.
    apply Nat.div_le_lower_bound; [lia|].
    assert (per * cnt full n <= sum (fun z => cnt (fun t => goes f z =? t) n) (fetched f)) as A.
    { induction n as [|n IH]; [cbn; lia|].
      assert (sum (fun z => cnt (fun t => goes f z =? t) (S n)) (fetched f)
        = sum (fun z => Nat.b2n (goes f z =? n)) (fetched f) + sum (fun z => cnt (fun t => goes f z =? t) n) (fetched f)) as S.
      { rewrite <- sum_add. apply sum_ext. intros z _. cbn [cnt]. destruct (goes f z =? n); cbn; lia. }
      rewrite S, <- length_sum. cbn [cnt]. rewrite Nat.mul_add_distr_l. unfold full at 2.
      destruct (Nat.leb_spec per (length (filter (fun z => goes f z =? n) (fetched f)))); lia. }
    etransitivity; [exact A|]. rewrite length_one. apply sum_le. intros z _.
    etransitivity; [|apply (cnt_interval (goes f z) 1 n)]. apply cnt_le. intros t _ E. apply Nat.eqb_eq in E.
    apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  (** The [l] cycles behind which a fetch is there, if it had to wait for no other's miss. *)
  Definition coming (z t : nat) : bool :=
    let d := goes f z + (if miss f z then m else 0) in (d <=? t) && (t <? d + l).

  Definition late (t : nat) : bool := missing t || existsb (fun z => coming z t) (fetched f).

  Lemma late_of z d t : In z (fetched f) -> d = goes f z + (if miss f z then m else 0) -> goes f z <= t < d + l -> late t = true.
  Proof.
    intros Hz -> Ht. apply orb_true_iff. destruct (le_lt_dec (goes f z + (if miss f z then m else 0)) t) as [A|A].
    - right. apply existsb_exists. exists z. split; [exact Hz|]. apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - destruct (miss f z) eqn:Mz; [|lia]. left. apply existsb_exists. exists z. split; [apply filter_In; auto|].
      apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  Lemma waiting_for t : waiting t = true ->
    late t = true \/ exists r, In r (fetched f) /\ asks f r <= t < goes f r /\ full t = true.
  Proof.
    intros H. apply existsb_exists in H as [r [Hr H]]. apply andb_prop in H as [H1 H2]. apply Nat.leb_le in H1. apply Nat.ltb_lt in H2.
    assert (forall z, In z misses -> goes f z <= t < goes f z + m + l -> late t = true) as Behind.
    { intros z Hz Ht. apply filter_In in Hz as [Hz Mz]. apply (late_of z (goes f z + m) t Hz); [rewrite Mz; reflexivity|exact Ht]. }
    destruct (le_lt_dec (goes f r) t) as [A|A].
    - left. destruct (f_there Ok r Hr) as [B|[z [Hz [B1 B2]]]]; [|apply (Behind z Hz); lia].
      apply (late_of r _ t Hr eq_refl). lia.
    - destruct (f_waits Ok r t Hr ltac:(lia)) as [B|[z [Hz B]]]; [|left; apply (Behind z Hz); lia].
      right. exists r. split; [exact Hr|]. split; [lia|]. apply Nat.leb_le, B.
  Qed.

  Lemma late_time n : cnt late n <= length misses * m + length (fetched f) * l.
  Proof.
    etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply missing_time|].
    etransitivity; [apply (cnt_exists (fun t z => coming z t))|]. apply sum_mul. intros z _. apply cnt_interval.
  Qed.

  (** *** Lemma 7 *)
  Theorem waiting_time n : cnt waiting n <= length misses * m + length (fetched f) * l + length (fetched f) / per.
  Proof.
    transitivity (cnt (fun t => late t || full t) n).
    { apply cnt_le. intros t _ H. apply orb_true_iff. destruct (waiting_for t H) as [A|[r [_ [_ A]]]]; auto. }
    etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply late_time|apply full_time].
  Qed.

  (** Where each warp that the SM holds can begin a fetch in a cycle, none waits for others to begin. *)
  Theorem waiting_time_wide n :
    (forall r t, In r (fetched f) -> asks f r <= t < goes f r -> length (filter (fun z => goes f z =? t) (fetched f)) < per) ->
    cnt waiting n <= length misses * m + length (fetched f) * l.
  Proof.
    intros Wide. etransitivity; [|apply late_time]. apply cnt_le. intros t _ H. destruct (waiting_for t H) as [A|[r [Hr [Ht A]]]]; [exact A|].
    unfold full in A. apply Nat.leb_le in A. pose proof (Wide r t Hr Ht). lia.
  Qed.
End Cache.
