(** * Requests of an SM: theorems 7 and 9 of docs/memory-bounds.md ask for nothing that cannot be

    Two warps of one thread block load each, A(1,2), on one SM.  The memory serves a request for two
    cycles, and its data is there two cycles later.  The second load is issued in cycle 1.  If one
    request may be on its way at a time ([limited]), it is held back until the first one's data is
    there in cycle 5; else it waits for the memory, from 2 to 3. *)

From Warpbound Require Import Base Cycles Largest Formulas Model Elb Paths Checks CheckFast
  CheckGrid Grid Kernel Waits Slower HeldBack KMem HeldMemory.

Definition load (init lat : nat) : instr := Instr 0 init lat [] 0.
Definition one_sm : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun _ => 0)
  (fun _ => 0).
(** [n]: the latency by which bounds count *)
Definition loads (n : nat) : grid :=
  Grid 1 1 1 0 0 (fun _ => one_sm) (fun _ => [[load 1 n]; [load 1 n]]).
Definition pick (limited : bool) (yes no : nat) : nat := if limited then yes else no.
Definition loads_took (limited : bool) (_ : nat) : block :=
  [[load 1 4]; [load (pick limited 5 1) (pick limited 4 5)]].

Definition second (x : key) : bool := fst x =? 1.
Definition loads_run (limited : bool) : execution :=
  Execution (fun _ => Schedule (fun x => if second x then 1 else 0) (fun x =>
    if second x then 1 else 0) (fun x => if second x then pick limited 5 1 else 1)
    (fun x => if second x then pick limited 4 5 else 4) (fun _ _ => 0) (fun _ => 0))
    (fun _ => 0) (fun _ => 0) (fun b => b) (fun _ => 0) (fun _ => 0) (fun _ => pick limited 10 7).

(** Requests 0 and 1 of the two. *)
Definition two (limited : bool) : memory := Memory [0; 1] (fun _ => 0)
  (fun r => if r =? 0 then 1 else pick limited 6 2)
  (fun r => if r =? 0 then 1 else pick limited 6 3) (fun _ => 2).
Definition held_second (limited : bool) (_ : nat) (x : key) (t : nat) : bool :=
  limited && (second x && ((1 <=? t) && (t <? 5))).
Definition turn (limited : bool) (r : nat) : nat := if r =? 0 then 0 else pick limited 5 1.
Definition comes_back (limited : bool) (r : nat) : nat := if r =? 0 then 5 else pick limited 10 7.

Lemma of_two l r : In r (requests (two l)) -> r = 0 \/ r = 1.
Proof. cbn. intuition. Qed.

Lemma load_key n x : In x (keys (prog (loads n) 0)) -> x = (0, 0) \/ x = (1, 0).
Proof. cbn. intuition. Qed.

(** The run of two loads keeps the limit on requests. *)
Theorem loads_held l n : limits_requests (loads n) (loads_run l) (loads_took l) (two l)
  (pick l 1 2) 2 (pick l 1 2) (fun r => (r, 0)) (turn l) (comes_back l) (fun _ => 2)
  (held_second l) (prog (loads 2)).
Proof.
  constructor.
  - apply grid_valid_ok; [destruct l; vm_compute; reflexivity|intros; destruct l; cbn; lia].
  - intros i x Hi. cbn in Hi. replace i with 0 by lia. split; [reflexivity|]. intros Hx.
    apply load_key in Hx as [-> | ->]; auto.
  - constructor.
    + exact (seq_NoDup 2 0).
    + cbn. lia.
    + cbn. lia.
    + intros r Hr. destruct l, r; cbn; lia.
    + intros r z Hr Hz N. apply of_two in Hr, Hz. unfold done.
      destruct l; intuition subst; cbn; lia.
    + intros r t Hr Ht. apply of_two in Hr. exists 0. unfold done.
      destruct l, Hr as [-> | ->]; cbn in Ht |- *; lia.
    + intros i t Hi. cbn in Hi. replace i with 0 by lia. destruct l.
      * unfold pending, done.
        cbn [requests two filter from_sm comes serves lasts Nat.eqb andb pick].
        destruct (Nat.leb_spec 1 t), (Nat.ltb_spec t (1 + 2)), (Nat.leb_spec 6 t),
          (Nat.ltb_spec t (6 + 2)); cbn; lia.
      * cbn [requests two filter from_sm Nat.eqb andb].
        destruct (pending _ t 0), (pending _ t 1); cbn; lia.
  - intros i x N Hi Hx. cbn in Hi. replace i with 0 in * by lia.
    apply load_key in Hx as [-> | ->]; cbn [init get nth prog loads fst snd load].
    + pose proof (cnt_interval 0 1 N) as A. etransitivity; [|exact A]. apply cnt_le. intros t _ P.
      unfold initiates, held_second in P. cbn in P.
      rewrite !andb_false_r, andb_true_r in P. exact P.
    + pose proof (cnt_interval (pick l 5 1) 1 N) as A. etransitivity; [|exact A].
      apply cnt_le. intros t _ P. unfold initiates, held_second in P.
      destruct l; cbn [sched loads_run D ai second fst Nat.eqb andb pick negb] in P |- *;
        destruct (Nat.leb_spec 1 t); cbn [andb] in P; try discriminate;
        [destruct (Nat.ltb_spec t (1 + 5)), (Nat.ltb_spec t 5)|
         destruct (Nat.ltb_spec t (1 + 1))]; cbn in P;
        try discriminate; try reflexivity;
        apply andb_true_intro; (split; [apply Nat.leb_le|apply Nat.ltb_lt]); lia.
  - intros i x Hi Hx. cbn in Hi. replace i with 0 in * by lia. right.
    apply load_key in Hx as [-> | ->]; [exists 0|exists 1]; destruct l;
      (split; [cbn; auto|cbn; lia]).
  - intros r Hr. apply of_two in Hr. destruct l; intuition subst; cbn; auto; lia.
  - intros r t Hr Ht. apply of_two in Hr. destruct l, Hr as [-> | ->]; cbn in Ht;
      solve [replace t with 0 by lia; split; reflexivity|replace t with 5 by lia;
        split; reflexivity|replace t with 1 by lia; split; reflexivity].
  - intros r Hr. apply of_two in Hr. destruct l; intuition subst; cbn; lia.
  - intros i x t Hi Hx Ix Hd. cbn in Hi. replace i with 0 in * by lia. destruct l; [|discriminate].
    unfold held_second in Hd. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt in Hd.
    assert (t = 1 \/ t = 2 \/ t = 3 \/ t = 4) as [-> |[-> |[-> | ->]]] by lia; vm_compute; lia.
Qed.

(** What the theorems ask for besides *)
Section Ends.
  Variables (l : bool) (n : nat).
  Lemma loads_ok i : i < 1 -> machine_ok one_sm /\ wf (loads_took l i).
  Proof.
    intros Hi. split; [split; intros; cbn; lia|]. apply wf_fast_ok. destruct l; reflexivity.
  Qed.
  Lemma loads_sums : sums_of (loads n) (loads_run l) (fun _ => 2) (fun _ => n) (fun _ _ => 0).
  Proof.
    split.
    - intros b Hb. cbn in Hb. replace b with 0 by lia. cbn. lia.
    - intros b x Hb Hx _. apply (load_key n) in Hx as [-> | ->]; cbn; lia.
    - intros i Hi w j Hj. cbn in Hi. replace i with 0 in * by lia.
      apply load_key in Hj as [E|E]; inversion E; subst; cbn; repeat split; try lia;
        try discriminate; intros; contradiction.
  Qed.
  Lemma loads_go : goes_anywhere (loads n) (loads_run l).
  Proof. intros b t i z Hb W Ht. cbn in Ht. lia. Qed.
  Lemma loads_dealt : blocks (loads n) <= 1 * 1 -> dealt (loads n) (loads_run l).
  Proof.
    intros _. split.
    - intros b c Hb [H1 [H2 [H3 H4]]]. cbn in *. lia.
    - intros i. cbn [blocks sms loads seq filter sm_of loads_run].
      destruct (0 =? i); vm_compute; lia.
  Qed.
End Ends.
Definition amounts (l : bool) (n : nat) (way : nat -> nat) : list kind :=
  map (amount (asked_of (loads n) (two l) (fun r => (r, 0)) (comes_back l) way) (pick l 1 2)
    (fun _ => 2) (fun _ => n)) (seq 0 1).

(** E = 2, lam = 2, Z = 4, and four cycles of service: 12.  It takes 10. *)
Theorem loads_end : ended (loads_run true) 0 <= k_sm 1 1 0 (amounts true 2 (fun _ => 2))
    + (0 * 1 + 2 * 2)
  /\ ended (loads_run true) 0 <= k_sm_of (loads 2) (loads_run true) (amount (asked_of (loads 2)
    (two true) (fun r => (r, 0)) (comes_back true) (fun _ => 2)) 1 (fun _ => 2) (fun _ => 2)) 0
    + (0 * 1 + 2 * 2).
Proof.
  split.
  - apply (k_mem _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held true 2) (le_n _) (loads_ok true) _ _ _
      (loads_sums true 2)); auto using loads_go, loads_dealt.
  - apply (k_mem_static _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held true 2) (le_n _) (loads_ok true) _ _
      _ (loads_sums true 2)); auto.
Qed.
Example loads_12 : ended (loads_run true) 0 = 10 /\
  k_sm 1 1 0 (amounts true 2 (fun _ => 2)) + (0 * 1 + 2 * 2) = 12.
Proof. split; vm_compute; reflexivity. Qed.

(** Both are served in order: with the wait of at most 2 in latencies, and Z = 8, it is 14. *)
Lemma served_in_order l : first_come (two l).
Proof. intros r z Hr Hz C. apply of_two in Hr, Hz. destruct l; intuition subst; cbn in *; lia. Qed.
Theorem loads_in_order : ended (loads_run true) 0 <= k_sm 1 1 0 (amounts true 4 (fun _ => 2 + 2))
    + (0 * 1 + 0)
  /\ ended (loads_run true) 0 <= k_sm_of (loads 4) (loads_run true) (amount (asked_of (loads 4)
    (two true) (fun r => (r, 0)) (comes_back true) (fun _ => 2 + 2)) 1 (fun _ => 2) (fun _ => 4)) 0
    + (0 * 1 + 0).
Proof.
  assert (forall i x, i < 1 -> In x (keys (prog (loads 4) i)) -> lat (get (prog (loads 2) i) x)
    + 2 * 1 * 1 <= lat (get (prog (loads 4) i) x) \/ lat (get (prog (loads 2) i) x)
    <= lat (get (prog (loads 4) i) x) /\ al (sched (loads_run true) i) x
    <= lat (get (prog (loads 2) i) x)) as Slow.
  { intros i x Hi Hx. left. apply (load_key 4) in Hx as [-> | ->]; cbn; lia. }
  split.
  - apply (k_mem_in_order _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held true 4) (le_n _) (loads_ok true) _ _
      _ (loads_sums true 4) (or_introl (served_in_order true)) Slow);
      auto using loads_go, loads_dealt.
  - apply (k_mem_in_order_static _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held true 4) (le_n _)
      (loads_ok true) _ _ _ (loads_sums true 4)
      (or_introl (served_in_order true)) Slow); auto.
Qed.
Example loads_14 : k_sm 1 1 0 (amounts true 4 (fun _ => 2 + 2)) = 14.
Proof. vm_compute. reflexivity. Qed.

(** ** Nothing is held back: it takes 7, and theorem 7 says 8. *)
Theorem loads_free : ended (loads_run false) 0 <= k_sm 1 1 0 [Kind 2 2 4 4] + (0 * 1 + 2 * 2).
Proof.
  apply (k_mem_free _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held false 2) (loads_ok false) _ _ _
    (loads_sums false 2)); auto using loads_go, loads_dealt.
Qed.
Example loads_8 : ended (loads_run false) 0 = 7 /\ k_sm 1 1 0 [Kind 2 2 4 4] + (0 * 1 + 2 * 2) = 8.
Proof. split; vm_compute; reflexivity. Qed.

(** With waits of 4 in latencies, as of two requests under way, the rules hold. *)
Theorem loads_slower : grid_valid (loads 6) (loads_run false).
Proof.
  apply (memory_as_latency _ _ (loads_took false) (prog (loads 2)) (two false) 1 2 2);
    [|apply (m_works _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held false 6))|left; apply served_in_order|].
  - split; [apply (m_rules _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held false 6))| |
      apply (m_latency _ _ _ _ _ _ _ _ _ _ _ _ _ (loads_held false 6))].
    intros i Hi. split; [reflexivity|intros [|[|w]]; reflexivity|].
    intros x Hx. apply (load_key 6) in Hx as [-> | ->]; auto.
  - intros i x Hi Hx. left. apply (load_key 6) in Hx as [-> | ->]; cbn; lia.
Qed.
