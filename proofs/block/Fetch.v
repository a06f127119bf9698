(** * Instruction fetch: docs/proofs.md, section 15, lemma 7 and theorem 10 for lemma 1 and ELB

    A warp issues an instruction only when it is in its buffer (R8).  [asking] are the cycles in
    which some warp of the SM asks for a fetch, or waits for one that has begun: the set Z of the
    page.  In another cycle every warp has its next instruction. *)

From Warpbound Require Import Base Cycles Largest Share Model Elb.

(** The rules with R8: R6 holds, and what has no unit is executed at once, in cycles in which nobody
    asks or waits. *)
Record fetch_valid (asking : nat -> bool) (m : machine) (b : block) (s : schedule) : Prop := {
  f_init : forall x, In x (keys b) -> takes (get b x) <= ai s x <= init (get b x);
  f_lat : forall x, In x (keys b) -> al s x <= lat (get b x);
  f_rel : forall g n, ar s g n <= release m n;
  f_begin : forall x, In x (keys b) -> begin s (group m (fst x)) <= I s x;
  f_order : forall w k, In (w, S k) (keys b) -> I s (w, k) + takes (get b (w, k)) <= I s (w, S k);
  f_ops : forall w k p, In (w, k) (keys b) -> In p (ops (get b (w, k))) -> C s (w, p) <= I s (w, k);
  f_start : forall x, In x (keys b) -> I s x <= D s x;
  f_cap : forall f t, n_init b s f t <= inst m f;
  f_fifo : forall x y, In x (keys b) -> In y (keys b) -> fu (get b x) = fu (get b y) ->
  I s x < I s y -> D s x <= D s y;
  f_asap : forall x t, In x (keys b) -> waits s t x = true ->
  inst m (fu (get b x)) <= n_init b s (fu (get b x)) t;
  f_queue : forall f t, match depth m with None => True | Some d => n_wait b s f t <= d end;
  f_width : forall c t, n_issue b m s c t <= width m;
  f_conserving : forall w k t, In (w, k) (keys b) -> asking t = false -> eligible b m s w k t ->
    n_issue b m s (core m w) t = width m \/ blocked b m s (fu (get b (w, k))) t;
  f_barrier : forall x y, In x (keys b) -> In y (keys b) -> group m (fst y) = group m (fst x) ->
    sec (get b y) < sec (get b x) -> I s y + takes (get b y)
      + ar s (group m (fst x)) (sec (get b x)) <= I s x;
  f_none : forall w k, In (w, k) (keys b) -> init (get b (w, k)) = 0 ->
    D s (w, k) = I s (w, k) /\ forall t, asking t = false -> ~ eligible b m s w k t }.

Lemma fetch_lively asking m b s : fetch_valid asking m b s -> lively_but asking m b s.
Proof.
  intros V. constructor; try apply V.
  - intros w k H. left. apply (f_order _ _ _ _ V w k H).
  - intros w k t H A E. destruct (f_conserving _ _ _ _ V w k t H A E); auto.
Qed.

Section Fetch.
  Variables (asking : nat -> bool) (m : machine) (b : block) (s : schedule).
  Hypotheses (M : machine_ok m) (W : wf b) (V : fetch_valid asking m b s).
  Variable L : key -> nat.
  Hypothesis HL : lam_cert m b L.

  (** *** Theorem 10 for lemma 1, beside other thread blocks *)
  Theorem fetch_idle x : In x (keys b) ->
    cnt (fun t => (begin s (group m (fst x)) <=? t) && idle b s t && negb (asking t)) (C s x)
      <= L x + lat (get b x).
  Proof.
    apply (counted_complete asking m b s M W (fetch_lively _ _ _ _ V) (fun x => lat (get b x)));
      [|exact HL]. intros y Hy. pose proof (f_lat _ _ _ _ V y Hy).
    pose proof (cnt_mono asking (D s y + ai s y) (C s y) ltac:(unfold C; lia)). lia.
  Qed.

  (** *** Theorem 10 for theorem 2, ELB: counted from the start of the thread block, with all that
      initiates on the SM *)
  Theorem fetch_elb x : In x (keys b) ->
    C s x <= begin s (group m (fst x)) + E b + top b L + cnt asking (C s x).
  Proof.
    intros Hx. pose proof (fetch_idle x Hx) as A. set (t0 := begin s (group m (fst x))) in *.
    pose proof (f_begin _ _ _ _ V x Hx). pose proof (f_start _ _ _ _ V x Hx).
    pose proof (spent_split asking b s t0 (C s x) ltac:(unfold C, t0 in *; lia)) as N.
    assert (cnt (spent_from asking b s t0) (C s x) <= cnt (busy b s) (C s x) + cnt asking (C s x))
      as S.
    { etransitivity; [|apply cnt_or]. apply cnt_le. intros t _ P. apply andb_prop in P as [_ P].
      exact P. }
    assert (cnt (busy b s) (C s x) <= E b) as B.
    { etransitivity; [apply (cnt_exists (initiates s))|]. apply sum_le. intros y Hy.
      pose proof (f_init _ _ _ _ V y Hy). pose proof (cnt_interval (D s y) (ai s y) (C s x)).
      unfold initiates. lia. }
    pose proof (top_ge b L x Hx). lia.
  Qed.
End Fetch.

(** ** Lemma 7: how many cycles these are *)

(** A fetch is asked for, begins, and is there at [brings]; [miss] says whether it misses. *)
Record fetching := Fetching { fetched : list nat; asks : nat -> nat; goes : nat -> nat;
  brings : nat -> nat; miss : nat -> bool }.

Section Cache.
  Variables (f : fetching) (l m per : nat).

  (** The fetches that miss. *)
  Definition misses : list nat := filter (miss f) (fetched f).
  (** Some fetch waits in cycle [t]. *)
  Definition waiting (t : nat) : bool := existsb (fun r => (asks f r <=? t) && (t <? brings f r))
    (fetched f).

  (** One that is asked for begins, unless as many as can begin in this cycle do, or all entries are
      taken, by misses that have begun no more than [m] cycles ago.  It is there [l] cycles behind
      its beginning, or behind the end of a miss that was under way then. *)
  Record fetches_ok : Prop := {
    f_waits : forall r t, In r (fetched f) -> asks f r <= t < goes f r ->
      per <= length (filter (fun z => goes f z =? t) (fetched f)) \/ exists z, In z misses /\
      goes f z <= t < goes f z + m;
    f_there : forall r, In r (fetched f) -> brings f r <= goes f r + l
      \/ exists z, In z misses /\ goes f z <= goes f r /\ brings f r <= goes f z + m + l }.

  Hypotheses (Ok : fetches_ok) (Per : 1 <= per).

  (** A miss is under way in cycle [t]. *)
  Definition missing (t : nat) : bool := existsb (fun z => (goes f z <=? t) && (t <? goes f z + m))
    misses.
  (** As many fetches as possible start in cycle [t]. *)
  Definition full (t : nat) : bool := per <=? length (filter (fun z => goes f z =? t) (fetched f)).

  Lemma missing_time n : cnt missing n <= length misses * m.
  Proof.
    etransitivity; [apply (cnt_exists (fun t z => (goes f z <=? t) && (t <? goes f z + m)))|].
    apply sum_mul. intros z _. apply cnt_interval.
  Qed.

  Lemma full_time n : cnt full n <= length (fetched f) / per.
  Proof.
    apply Nat.div_le_lower_bound; [lia|].
    assert (per * cnt full n <= sum (fun z => cnt (fun t => goes f z =? t) n) (fetched f)) as A.
    { induction n as [|n IH]; [cbn; lia|]. assert (sum (fun z => cnt (fun t => goes f z =? t) (S n))
        (fetched f) = sum (fun z => Nat.b2n (goes f z =? n)) (fetched f)
        + sum (fun z => cnt (fun t => goes f z =? t) n) (fetched f)) as S.
      { rewrite <- sum_add. apply sum_ext. intros z _. cbn [cnt].
        destruct (goes f z =? n); cbn; lia. }
      rewrite S, <- length_sum. cbn [cnt]. rewrite Nat.mul_add_distr_l. unfold full at 2.
      destruct (Nat.leb_spec per (length (filter (fun z => goes f z =? n) (fetched f)))); lia. }
    etransitivity; [exact A|]. rewrite length_one. apply sum_le. intros z _.
    etransitivity; [|apply (cnt_interval (goes f z) 1 n)]. apply cnt_le. intros t _ E.
    apply Nat.eqb_eq in E. apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  (** The [l] cycles behind which a fetch is there, if it had to wait for no other's miss. *)
  Definition coming (z t : nat) : bool :=
    let d := goes f z + (if miss f z then m else 0) in (d <=? t) && (t <? d + l).

  (** A miss is under way or a fetch is coming. *)
  Definition late (t : nat) : bool := missing t || existsb (fun z => coming z t) (fetched f).

  Lemma late_of z d t : In z (fetched f) -> d = goes f z + (if miss f z then m else 0) ->
    goes f z <= t < d + l -> late t = true.
  Proof.
    intros Hz -> Ht. apply orb_true_iff.
    destruct (le_lt_dec (goes f z + (if miss f z then m else 0)) t) as [A|A].
    - right. apply existsb_exists. exists z. split; [exact Hz|]. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - destruct (miss f z) eqn:Mz; [|lia]. left. apply existsb_exists. exists z.
      split; [apply filter_In; auto|]. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  Lemma waiting_for t : waiting t = true ->
    late t = true \/ exists r, In r (fetched f) /\ asks f r <= t < goes f r /\ full t = true.
  Proof.
    intros H. apply existsb_exists in H as [r [Hr H]]. apply andb_prop in H as [H1 H2].
    apply Nat.leb_le in H1. apply Nat.ltb_lt in H2.
    assert (forall z, In z misses -> goes f z <= t < goes f z + m + l -> late t = true) as Behind.
    { intros z Hz Ht. apply filter_In in Hz as [Hz Mz].
      apply (late_of z (goes f z + m) t Hz); [rewrite Mz; reflexivity|exact Ht]. }
    destruct (le_lt_dec (goes f r) t) as [A|A].
    - left. destruct (f_there Ok r Hr) as [B|[z [Hz [B1 B2]]]]; [|apply (Behind z Hz); lia].
      apply (late_of r _ t Hr eq_refl). lia.
    - destruct (f_waits Ok r t Hr ltac:(lia)) as [B|[z [Hz B]]]; [|left; apply (Behind z Hz); lia].
      right. exists r. split; [exact Hr|]. split; [lia|]. apply Nat.leb_le, B.
  Qed.

  Lemma late_time n : cnt late n <= length misses * m + length (fetched f) * l.
  Proof.
    etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply missing_time|].
    etransitivity; [apply (cnt_exists (fun t z => coming z t))|]. apply sum_mul. intros z _.
    apply cnt_interval.
  Qed.

  (** *** Lemma 7 *)
  Theorem waiting_time n : cnt waiting n <= length misses * m + length (fetched f) * l
    + length (fetched f) / per.
  Proof.
    transitivity (cnt (fun t => late t || full t) n).
    { apply cnt_le. intros t _ H. apply orb_true_iff.
      destruct (waiting_for t H) as [A|[r [_ [_ A]]]]; auto. }
    etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply late_time|apply full_time].
  Qed.

  (** Where each warp that the SM holds can begin a fetch in a cycle, none waits for others to
      begin. *)
  Theorem waiting_time_wide n :
    (forall r t, In r (fetched f) -> asks f r <= t < goes f r ->
      length (filter (fun z => goes f z =? t) (fetched f)) < per) ->
    cnt waiting n <= length misses * m + length (fetched f) * l.
  Proof.
    intros Wide. etransitivity; [|apply late_time]. apply cnt_le. intros t _ H.
    destruct (waiting_for t H) as [A|[r [Hr [Ht A]]]]; [exact A|]. unfold full in A.
    apply Nat.leb_le in A. pose proof (Wide r t Hr Ht). lia.
  Qed.
End Cache.

(** *** Both: what the program says of a block by ELB *)
Theorem fetch_block f l m per mach b s L x : machine_ok mach -> wf b ->
  fetch_valid (waiting f) mach b s ->
  lam_cert mach b L -> fetches_ok f l m per -> 1 <= per -> In x (keys b) ->
  C s x <= begin s (group mach (fst x)) + E b + top b L
    + (length (misses f) * m + length (fetched f) * l + length (fetched f) / per).
Proof.
  intros M W V HL Ok P Hx. etransitivity; [apply (fetch_elb _ _ _ _ M W V L HL x Hx)|].
  apply Nat.add_le_mono_l, (waiting_time f l m per Ok P).
Qed.
