(** * A request that is held back: theorem 7 of docs/memory-bounds.md asks for nothing that cannot
    be

    Two warps of one thread block load each, A(1,2), on one SM of which one request may be on its
    way at a time.  The memory serves a request for two cycles, and its data is there two cycles
    later.  The second load is issued in cycle 1, and held back until the first one's data is there
    in cycle 5. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Formulas Model Elb Paths CheckSchedule CheckGrid Grid
  Kernel Waits HeldBack KMem HeldMemory.
Import ListNotations.

Definition load (init lat : nat) : instr := Instr 0 init lat [] 0.
Definition one_sm : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun _ => 0)
  (fun _ => 0).
Definition loads : grid := Grid 1 1 1 0 0 (fun _ => one_sm) (fun _ => [[load 1 2]; [load 1 2]]).
Definition loads_took (_ : nat) : block := [[load 1 4]; [load 5 4]].

Definition second (x : key) : bool := fst x =? 1.
Definition loads_run : execution :=
  Execution (fun _ => Schedule (fun x => if second x then 1 else 0) (fun x =>
    if second x then 1 else 0) (fun x => if second x then 5 else 1) (fun _ => 4) (fun _ _ =>
    0) (fun _ => 0)) (fun _ => 0) (fun _ => 0) (fun b => b) (fun _ => 0) (fun _ => 0) (fun _ => 10).

(** Requests 0 and 1 of the two. *)
Definition two : memory := Memory [0; 1] (fun _ => 0) (fun r => if r =? 0 then 1 else 6)
  (fun r => if r =? 0 then 1 else 6) (fun _ => 2).
Definition held_second (_ : nat) (x : key) (t : nat) : bool := second x && ((1 <=? t) && (t <? 5)).

Lemma of_two r : In r (requests two) -> r = 0 \/ r = 1.
Proof. cbn. intuition. Qed.

Lemma load_key x : In x (keys (prog loads 0)) -> x = (0, 0) \/ x = (1, 0).
Proof. cbn. intuition. Qed.

(** The run of two loads keeps the limit on requests. *)
Example loads_held : limits_requests loads loads_run loads_took two 1 2 1 (fun r => (r, 0))
  (fun r => if r =? 0 then 0 else 5) (fun r => if r =? 0 then 5 else 10) (fun _ => 2) held_second
    (prog loads).
Proof.
  constructor.
  - apply grid_valid_ok; [vm_compute; reflexivity|intros; cbn; lia].
  - intros i x Hi. cbn in Hi. replace i with 0 by lia. split; [reflexivity|]. intros Hx.
    apply load_key in Hx as [-> | ->]; auto.
  - constructor.
    + exact (seq_NoDup 2 0).
    + cbn. lia.
    + cbn. lia.
    + intros r Hr. cbn. lia.
    + intros r z Hr Hz N. apply of_two in Hr, Hz. unfold done. intuition subst; cbn; lia.
    + intros r t Hr Ht. exfalso. apply of_two in Hr. destruct Hr as [-> | ->]; cbn in Ht; lia.
    + intros i t Hi. cbn in Hi. replace i with 0 by lia. unfold pending, done.
      cbn [requests two filter from_sm comes serves lasts Nat.eqb andb].
      destruct (Nat.leb_spec 1 t), (Nat.ltb_spec t (1 + 2)), (Nat.leb_spec 6 t),
        (Nat.ltb_spec t (6 + 2)); cbn; lia.
  - intros i x N Hi Hx. cbn in Hi. replace i with 0 in * by lia.
    apply load_key in Hx as [-> | ->]; cbn [init get nth prog loads fst snd load].
    + pose proof (cnt_interval 0 1 N) as A. etransitivity; [|exact A]. apply cnt_le. intros t _ P.
      unfold initiates in P. cbn in P. cbn. rewrite !andb_true_r in P. exact P.
    + pose proof (cnt_interval 5 1 N) as A. etransitivity; [|exact A]. apply cnt_le. intros t _ P.
      unfold initiates, held_second in P. cbn [sched loads_run D ai second fst Nat.eqb andb] in P.
      destruct (Nat.leb_spec 1 t), (Nat.ltb_spec t (1 + 5)), (Nat.ltb_spec t 5); cbn in P;
        try discriminate. apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  - intros i x Hi Hx. cbn in Hi. replace i with 0 in * by lia. right.
    apply load_key in Hx as [-> | ->]; [exists 0|exists 1]; (split; [cbn; auto|cbn; lia]).
  - intros r Hr. apply of_two in Hr. intuition subst; cbn; auto; lia.
  - intros r t Hr Ht. apply of_two in Hr. destruct Hr as [-> | ->]; cbn in Ht.
    + replace t with 0 by lia. split; reflexivity.
    + replace t with 5 by lia. split; reflexivity.
  - intros r Hr. apply of_two in Hr. intuition subst; cbn; lia.
  - intros i x t Hi Hx Ix Hd. cbn in Hi. replace i with 0 in * by lia.
    unfold held_second in Hd. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt in Hd.
    assert (t = 1 \/ t = 2 \/ t = 3 \/ t = 4) as [-> |[-> |[-> | ->]]] by lia; vm_compute; lia.
Qed.

(** E = 2, lam = 2, Z = 4, and four cycles of service: 12.  It takes 10. *)
Example loads_end : ended loads_run 0 = 10 /\
  ended loads_run 0 <= k_sm 1 1 0 (map (amount
    (asked_of loads two (fun r => (r, 0)) (fun r => if r =? 0 then 5 else 10) (fun _ => 2)) 1
    (fun _ => 2) (fun _ => 2)) (seq 0 1)) + (0 * 1 + 2 * 2)
  /\ k_sm 1 1 0 (map (amount (asked_of loads two (fun r => (r, 0)) (fun r =>
       if r =? 0 then 5 else 10) (fun _ => 2)) 1 (fun _ => 2) (fun _ => 2)) (seq 0 1))
       + (0 * 1 + 2 * 2) = 12.
Proof.
  split; [reflexivity|]. split; [|vm_compute; reflexivity].
  refine (proj1 (k_mem loads loads_run loads_took two 1 2 1 _ _ _ _ held_second (prog loads)
    loads_held (le_n _) _ _ _ (fun _ _ => 0) _ _ _ _ _ _ 0 _)).
  - intros i Hi. split; [split; intros; cbn; lia|]. apply wf_ok. reflexivity.
  - intros b Hb. cbn in Hb. replace b with 0 by lia. vm_compute. lia.
  - intros b x Hb Hx _. apply load_key in Hx as [-> | ->]; cbn; lia.
  - intros i Hi w j Hj. cbn in Hi. replace i with 0 in * by lia.
    apply load_key in Hj as [E|E]; inversion E; subst; cbn; repeat split; try lia; try discriminate;
      intros; contradiction.
  - intros i x Hi Hx. apply le_n.
  - intros b t i z Hb W Ht. cbn in Ht. lia.
  - intros _. split.
    + intros b c Hb [H1 [H2 [H3 H4]]]. cbn in *. lia.
    + intros i. cbn [blocks sms loads seq filter sm_of loads_run].
      destruct (0 =? i); vm_compute; lia.
  - cbn. lia.
Qed.
