(** * SMs that share a memory, with a limit on requests: docs/memory-bounds.md, section 12, lemma 6,
    theorems 7 and 9

    The memory is that of Waits.v.  A request begins its turn, comes to the memory when that has
    ended, is served, and its data comes back.  At most [K] requests of an SM are on their way, from
    the beginning of their turns until their data is there: an instruction whose next request would
    be one more is held back, and keeps its unit. *)

From Warpbound Require Import Base Cycles Largest Share Formulas Model Elb Grid Kernel Waits
  HeldBack KMem.

Section Memory.
  Variables (G : grid) (X : execution) (took : nat -> block).
  Variables (q : memory) (k s K : nat).
  (** Of a request its instruction, when its turn begins, when its data is there, and [ret], how
      long that takes from the end of its service. *)
  Variables (sends : nat -> key) (turns back ret : nat -> nat).
  Variable held : nat -> key -> nat -> bool.    (* SM, instruction, cycle *)
  Variable stated : nat -> block.               (* with latencies that begin when the last request
    is served *)

  (** Request [r] is on its way in cycle [t]. *)
  Definition on_way (r t : nat) : bool := (turns r <=? t) && (t <? back r).
  (** The thread block that sends [r]. *)
  Definition sender (r : nat) : nat := whose G (from_sm q r) (sends r).

  (** The execution keeps the limit on requests. *)
  Record limits_requests : Prop := {
    (* all rules hold with the times that instructions took, and it is the same program *)
    m_rules : grid_valid (Grid (blocks G) (sms G) (slots G) (latency G) (service G) (mach G) took)
      X;
    m_shape : forall i x, i < sms G -> keys (took i) = keys (prog G i)
      /\ (In x (keys (prog G i)) -> ops (get (took i) x) = ops (get (prog G i) x) /\
           sec (get (took i) x) = sec (get (prog G i) x));
    m_works : works q (sms G) s k;
    (* an instruction that is not held back initiates for so long *)
    m_init : forall i x N, i < sms G -> In x (keys (prog G i)) ->
      cnt (fun t => initiates (sched X i) t x && negb (held i x t)) N <= init (get (prog G i) x);
    (* it takes what is stated, or that from the service of a request on which has come by the end
        of its initiation *)
    m_latency : forall i x, i < sms G -> In x (keys (prog G i)) -> let z := sched X i in
      al z x <= lat (get (stated i) x)
      \/ exists r, In r (requests q) /\ comes q r <= D z x + ai z x /\
      C z x <= done q r + lat (get (stated i) x);
    (* a request has its turn while its instruction keeps its unit, not held back *)
    m_sends : forall r, In r (requests q) -> In (sends r) (keys (prog G (from_sm q r))) /\
    sender r < blocks G
      /\ sm_of X (sender r) = from_sm q r /\ started X (sender r) <= turns r <= comes q r;
    m_turn : forall r t, In r (requests q) -> turns r <= t < comes q r ->
      initiates (sched X (from_sm q r)) t (sends r) = true /\ held (from_sm q r) (sends r) t
        = false;
    (* its data comes back, before its thread block ends *)
    m_back : forall r, In r (requests q) -> done q r <= back r <= done q r + ret r /\
    back r <= ended X (sender r);
    (* what is held back finds K requests of the SM on their way *)
    m_held : forall i x t, i < sms G -> In x (keys (prog G i)) ->
    initiates (sched X i) t x = true -> held i x t = true ->
      K <= length (filter (fun r => (from_sm q r =? i) && on_way r t) (requests q)) }.

  Hypothesis H : limits_requests.

  (** ** Lemma 6 *)
  Definition serving (t : nat) : bool := existsb (fun r => (serves q r <=? t) && (t <? done q r))
    (requests q).

  (** (a) *)
  Lemma serving_time N : cnt serving N <= s * length (requests q).
  Proof.
    etransitivity; [apply (cnt_exists (fun t r => (serves q r <=? t) && (t <? done q r)))|].
    rewrite Nat.mul_comm. apply sum_mul. intros r Hr. pose proof (w_time _ _ _ _ (m_works H) r Hr).
    unfold done. pose proof (cnt_interval (serves q r) (lasts q r) N). lia.
  Qed.

  (** A request that has come and is not served waits for others. *)
  Lemma coming_served r t : In r (requests q) -> comes q r <= t < done q r -> serving t = true.
  Proof.
    intros Hr Ht. apply existsb_exists. destruct (le_lt_dec (serves q r) t) as [A|A].
    - exists r. split; [exact Hr|]. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - destruct (w_busy _ _ _ _ (m_works H) r t Hr ltac:(lia)) as [z [Hz [Z1 Z2]]]. exists z.
      split; [exact Hz|]. apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  (** (c): in a stalled cycle all that are on their way have come. *)
  Lemma held_have_come i x t : i < sms G -> In x (keys (prog G i)) ->
    initiates (sched X i) t x = true -> held i x t = true ->
    (exists z, In z (keys (prog G i)) /\ initiates (sched X i) t z = true /\ held i z t = false)
    \/ K <= length (filter (fun r => (from_sm q r =? i) && ((comes q r <=? t) && (t <? back r)))
      (requests q)).
  Proof.
    intros Hi Hx Ix Hd. destruct (existsb (fun r => (from_sm q r =? i)
      && ((turns r <=? t) && (t <? comes q r))) (requests q)) eqn:E.
    - left. apply existsb_exists in E as [r [Hr E]].
      rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in E. destruct E as [<- E].
      destruct (m_turn H r t Hr E) as [T1 T2]. exists (sends r). split; [apply (m_sends H r Hr)|].
      auto.
    - right. etransitivity; [apply (m_held H i x t Hi Hx Ix Hd)|]. apply Nat.eq_le_incl. f_equal.
      apply filter_ext_in. intros r Hr.
      destruct (from_sm q r =? i) eqn:Ei; [cbn [andb]|reflexivity]. unfold on_way.
      assert ((turns r <=? t) && (t <? comes q r) = false) as N.
      { apply not_true_is_false. intros P. enough
          (existsb (fun r => (from_sm q r =? i) && ((turns r <=? t) && (t <? comes q r)))
          (requests q) = true) by congruence. apply existsb_exists. exists r. rewrite Ei, P. auto. }
      pose proof (m_sends H r Hr) as [_ [_ [_ M]]].
      destruct (Nat.leb_spec (turns r) t), (Nat.leb_spec (comes q r) t),
        (Nat.ltb_spec t (comes q r)); cbn in *; try lia; congruence.
  Qed.

  (** The requests as traffic. *)
  Definition asked_of (way : nat -> nat) : traffic :=
    Traffic (requests q) (from_sm q) sender (comes q) back way.

  Lemma stays_within r : In r (requests q) -> sender r < blocks G /\
    sm_of X (sender r) = from_sm q r
    /\ started X (sender r) <= comes q r /\ back r <= ended X (sender r).
  Proof. intros Hr. pose proof (m_sends H r Hr). pose proof (m_back H r Hr). intuition lia. Qed.

  (** *** The memory serves in any order: cycles in which it serves somebody do not count. *)
  Theorem serving_left_out : (forall i x, i < sms G -> In x (keys (prog G i)) ->
    lat (get (stated i) x) <= lat (get (prog G i) x)) ->
    holds_back G X took serving held (asked_of ret) K.
  Proof.
    intros St. constructor; [apply (m_rules H)|apply (m_shape H)| | | | |].
    - intros i x N Hi Hx. etransitivity; [|apply (m_init H i x N Hi Hx)]. apply cnt_le.
      intros t _ P. rewrite !andb_true_iff in *. tauto.
    - intros i x Hi Hx z. specialize (St i x Hi Hx).
      destruct (m_latency H i x Hi Hx) as [A|[r [Hr [R1 R2]]]]; fold z in A || fold z in R1, R2.
      + pose proof (cnt_mono serving (D z x + ai z x) (C z x) ltac:(unfold C; lia)). lia.
      + set (u := D z x + ai z x) in *. assert (C z x = u + al z x) as Cu by reflexivity.
        destruct (le_lt_dec (done q r) u) as [Le|Lt];
          [pose proof (cnt_mono serving u (C z x) ltac:(lia)); lia|].
        destruct (le_lt_dec (done q r) (C z x)) as [Le2|Lt2].
        * assert (cnt serving (done q r) = cnt serving u + (done q r - u))
            by (apply cnt_all; [lia|]; intros t Ht; apply (coming_served r t Hr); lia).
          pose proof (cnt_mono serving (done q r) (C z x) Le2). lia.
        * assert (cnt serving (C z x) = cnt serving u + (C z x - u))
            by (apply cnt_all; [lia|]; intros t Ht; apply (coming_served r t Hr); lia). lia.
    - intros i x t Hi Hx Ix _ Hd. exact (held_have_come i x t Hi Hx Ix Hd).
    - intros r N Hr. cbn [way asked_of]. cbn in Hr. pose proof (m_back H r Hr) as [B _].
      etransitivity; [|pose proof (cnt_interval (done q r) (back r - done q r) N) as I0;
        etransitivity; [exact I0|lia]]. apply cnt_le. intros t _ P. unfold there in P. cbn in P.
      apply andb_prop in P as [P P3]. apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1.
      apply Nat.ltb_lt in P2. apply negb_true_iff in P3. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt; lia].
      destruct (le_lt_dec (done q r) t) as [|Lt]; [assumption|].
      rewrite (coming_served r t Hr ltac:(lia)) in P3. discriminate.
    - intros r Hr. exact (stays_within r Hr).
  Qed.

  (** *** It serves in a known order: the wait of theorem 8 is in the latencies, and every cycle
      counts. *)
  Theorem waits_in_latencies : first_come q \/ in_turns q ->
    (forall i x, i < sms G -> In x (keys (prog G i)) -> lat (get (stated i) x) + s * k * sms G
      <= lat (get (prog G i) x)
       \/ (lat (get (stated i) x) <= lat (get (prog G i) x) /\ al (sched X i) x
         <= lat (get (stated i) x))) ->
    holds_back G X took (fun _ => false) held (asked_of (fun r => ret r + s * k * sms G)) K.
  Proof.
    intros Arb St.
    assert (forall r, In r (requests q) -> done q r <= comes q r + s * k * sms G) as W8.
    { intros r Hr. destruct Arb as [A|A]; [apply
        (first_come_wait q (sms G) s k (m_works H) r Hr A)|apply
        (in_turns_wait q (sms G) s k (m_works H) r Hr A)]. }
    constructor; [apply (m_rules H)|apply (m_shape H)| | | | |].
    - intros i x N Hi Hx. etransitivity; [|apply (m_init H i x N Hi Hx)]. apply cnt_le.
      intros t _ P. rewrite !andb_true_iff in *. tauto.
    - intros i x Hi Hx z.
      assert (forall n, cnt (fun _ => false) n = 0) as N0 by (intros n; apply cnt_none; auto).
      rewrite !N0, !Nat.add_0_r. destruct (St i x Hi Hx) as [S1|[S1 S2]]; [|fold z in S2; lia].
      destruct (m_latency H i x Hi Hx) as [A|[r [Hr [R1 R2]]]]; [fold z in A; lia|].
      fold z in R1, R2. specialize (W8 r Hr). unfold C in R2. lia.
    - intros i x t Hi Hx Ix _ Hd. exact (held_have_come i x t Hi Hx Ix Hd).
    - intros r N Hr. cbn [way asked_of]. cbn in Hr. pose proof (m_back H r Hr) as [B _].
      specialize (W8 r Hr). etransitivity; [|pose
        proof (cnt_interval (comes q r) (back r - comes q r) N) as I0; etransitivity;
        [exact I0|lia]]. apply cnt_le. intros t _ P. unfold there in P. cbn in P.
      rewrite andb_true_r in P. apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1.
      apply Nat.ltb_lt in P2. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - intros r Hr. exact (stays_within r Hr).
  Qed.

  (** ** Theorems 7 and 9: E and lam of the stated times, Z of what requests take to come back *)
  Hypothesis Kpos : 1 <= K.
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (took i).
  Variables (Eb Lb : nat -> nat) (L : nat -> key -> nat).
  Hypothesis Sums : sums_of G X Eb Lb L.
  Notation amounts way := (map (amount (asked_of way) K Eb Lb) (seq 0 (blocks G))).

  (** *** Theorem 7, whatever order the memory serves in *)
  Theorem k_mem : (forall i x, i < sms G -> In x (keys (prog G i)) -> lat (get (stated i) x)
    <= lat (get (prog G i) x)) ->
    goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) -> forall b, b < blocks G ->
    let beside := service G * blocks G + s * length (requests q) in
    ended X b <= k_sm (sms G) (slots G) (latency G) (amounts ret) + beside
    /\ ended X b <= k_area (sms G) (slots G) (latency G) (amounts ret) + beside
    /\ ended X b <= k_bal (sms G) (slots G) (latency G) (amounts ret) + beside.
  Proof.
    intros St Dyn Dealt b Hb. exact (held_back_bounds G X took serving held _ K
      (serving_left_out St) Kpos Mok Eb Lb L Sums _ serving_time b Dyn Dealt Hb).
  Qed.

  (** Where no request is held back, without Z. *)
  Theorem k_mem_free : (forall i x t, held i x t = false) ->
    (forall i x, i < sms G -> In x (keys (prog G i)) -> lat (get (stated i) x)
      <= lat (get (prog G i) x)) ->
    goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) -> forall b, b < blocks G ->
    let beside := service G * blocks G + s * length (requests q) in
    let kinds := map (fun c => Kind (Eb c) (Lb c) (Eb c + Lb c) (Eb c + Lb c)) (seq 0 (blocks G)) in
    ended X b <= k_sm (sms G) (slots G) (latency G) kinds + beside
    /\ ended X b <= k_area (sms G) (slots G) (latency G) kinds + beside
    /\ ended X b <= k_bal (sms G) (slots G) (latency G) kinds + beside.
  Proof.
    intros N St Dyn Dealt b Hb beside kinds. pose proof (held_back_bounds G X took serving held _ 1
      (nothing_held _ _ _ _ _ _ _ (serving_left_out St) N) (le_n _) Mok Eb Lb L Sums _
      serving_time b Dyn Dealt Hb) as A. replace kinds
      with (map (amount (Traffic [] (from_sm q) sender (comes q) back ret) 1 Eb Lb)
      (seq 0 (blocks G))); [exact A|]. apply map_ext. intros c. unfold amount, Z, returns. cbn.
    rewrite !Nat.add_0_r. reflexivity.
  Qed.

  (** Theorem 7 holds with static dispatch. *)
  Theorem k_mem_static : (forall i x, i < sms G -> In x (keys (prog G i)) -> lat (get (stated i) x)
    <= lat (get (prog G i) x)) ->
    forall b, b < blocks G -> ended X b <= k_sm_of G X (amount (asked_of ret) K Eb Lb) (sm_of X b)
      + (service G * blocks G + s * length (requests q)).
  Proof.
    intros St b Hb. exact (held_back_static G X took serving held _ K (serving_left_out St) Kpos Mok
      Eb Lb L Sums _ serving_time b Hb).
  Qed.

  (** *** Theorem 9 *)
  Hypothesis Arb : first_come q \/ in_turns q.
  Hypothesis Slow : forall i x, i < sms G -> In x (keys (prog G i)) ->
       lat (get (stated i) x) + s * k * sms G <= lat (get (prog G i) x)
       \/ (lat (get (stated i) x) <= lat (get (prog G i) x) /\ al (sched X i) x
         <= lat (get (stated i) x)).
  Let every_counts : forall N, cnt (fun _ => false) N <= 0.
  Proof. intros N. rewrite cnt_none; auto. Qed.

  (** With waits in latencies, theorems 5 to 7 bound kernels whose requests are served in order. *)
  Theorem k_mem_in_order : goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
    forall b, b < blocks G ->
    let with_waits := amounts (fun r => ret r + s * k * sms G) in
    let beside := service G * blocks G + 0 in
    ended X b <= k_sm (sms G) (slots G) (latency G) with_waits + beside
    /\ ended X b <= k_area (sms G) (slots G) (latency G) with_waits + beside
    /\ ended X b <= k_bal (sms G) (slots G) (latency G) with_waits + beside.
  Proof.
    intros Dyn Dealt b Hb. exact (held_back_bounds G X took _ held _ K (waits_in_latencies Arb Slow)
      Kpos Mok Eb Lb L Sums _ every_counts b Dyn Dealt Hb).
  Qed.

  (** Theorem 9 holds with static dispatch. *)
  Theorem k_mem_in_order_static b : b < blocks G ->
    ended X b <= k_sm_of G X (amount (asked_of (fun r => ret r + s * k * sms G)) K Eb Lb)
      (sm_of X b) + (service G * blocks G + 0).
  Proof.
    exact (held_back_static G X took _ held _ K (waits_in_latencies Arb Slow) Kpos Mok Eb Lb L Sums
      _ every_counts b).
  Qed.
End Memory.
