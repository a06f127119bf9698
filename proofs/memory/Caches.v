(** * First-level caches above a second level that SMs share: docs/memory-bounds.md, lemmas 1 to 3

    Which loads hit, and how often DRAM is asked, is given: the counts of the page's lemma 2 are the
    lengths of lists here, and a load that surely finds its data in the first level is marked
    ([sure]).  Victims do not stall a request (l1_victim: bypass).  Where docs/memory-model.md says
    that a server is busy with requests of its own partition or channel, the rule here is weaker: it
    is with those of any. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Share Model Grid.
Import ListNotations.

(** A stay at a server, from a cycle on to before another. *)
Definition span : Type := nat * nat.
Definition during (s : span) (t : nat) : bool := (fst s <=? t) && (t <? snd s).

(** The times and sizes of the machine: section [memory] of its file. *)
Record levels := Levels {
  l1_latency : nat; noc : nat; l2_latency : nat; dram_latency : nat;
  l2_service : nat; dram_service : nat; reply_service : nat;
  mshrs : nat }.

(** What becomes of each request. *)
Record traffic := Traffic {
  requests : list nat;
  at_sm : nat -> nat;           (* its SM *)
  sends : nat -> key;           (* the instruction that makes it *)
  left : nat -> nat;            (* its last turn at the first level has ended *)
  there : nat -> nat;           (* its data or acknowledgement is there *)
  loads : nat -> bool;          (* a load; others write *)
  goes : nat -> bool;           (* to the second level: it misses, passes by or writes *)
  enters : nat -> bool;         (* takes one of the entries for misses *)
  sure : nat -> bool;           (* a load whose data is in the first level *)
  fetches : nat -> bool;        (* its sector is fetched from DRAM *)
  l2 : nat -> span;             (* served by the second level, *)
  dram : nat -> span;           (* by DRAM, *)
  up : nat -> nat;              (* answered by the second level, *)
  port : nat -> span;           (* and its answer by the port of its SM *)
  backs : list nat;             (* lines that are written back *)
  back : nat -> span }.         (* served by DRAM *)

Section Caches.
  Variables (G : grid) (X : execution).
  Variable took : nat -> block.            (* what instructions took of their units, and of time
    behind that *)
  Variables (m : levels) (y : traffic).
  Variable own : nat -> key -> nat.        (* SM, instruction: its latency besides requests *)
  Variable turn : nat -> key -> nat -> bool.   (* SM, instruction, cycle: it keeps its unit only to
    wait for a turn at the first level *)
  Variable stalls : nat -> nat -> bool.    (* SM, cycle: the next request waits for an entry *)

  (** Requests that go below, that are fetched, the answers to an SM, and its misses. *)
  Definition below : list nat := filter (goes y) (requests y).
  Definition fetched : list nat := filter (fetches y) (requests y).
  Definition answered (i : nat) : list nat := filter (fun r => at_sm y r =? i) below.
  Definition misses (i : nat) : list nat := filter (fun r => enters y r && (at_sm y r =? i))
    (requests y).

  (** A server of the whole GPU, or the port of SM [i], serves something. *)
  Definition dram_serves (t : nat) : bool := existsb (fun r => during (dram y r) t) fetched
    || existsb (fun w => during (back y w) t) (backs y).
  Definition serving (i t : nat) : bool := existsb (fun r => during (l2 y r) t) below
    || dram_serves t || existsb (fun r => during (port y r) t) (answered i).

  (** The rules of docs/memory-model.md, sections 3 and 4. *)
  Record caches_keep : Prop := {
    (* R1 to R7 and G1 to G4 hold with the times that instructions took; it is the same program *)
    k_rules : grid_valid (Grid (blocks G) (sms G) (slots G) (latency G) (service G) (mach G) took)
      X;
    k_shape : forall i x, i < sms G -> keys (took i) = keys (prog G i)
      /\ (In x (keys (prog G i)) -> ops (get (took i) x) = ops (get (prog G i) x) /\
           sec (get (took i) x) = sec (get (prog G i) x));
    (* an instruction keeps its unit for no longer than stated, besides waiting for turns *)
    k_init : forall i x N, i < sms G -> In x (keys (prog G i)) ->
      cnt (fun t => initiates (sched X i) t x && negb (turn i x t)) N <= init (get (prog G i) x);
    (* it waits for a turn while another has one, or while the next request stalls *)
    k_turn : forall i x t, i < sms G -> In x (keys (prog G i)) ->
      initiates (sched X i) t x = true -> turn i x t = true -> stalls i t = true
      \/ exists z, In z (keys (prog G i)) /\ initiates (sched X i) t z = true /\
      turn i z t = false;
    (* an instruction's requests have had their turns when its unit is free, and it is complete no
       earlier than they are there; *)
    k_sends : forall r, In r (requests y) -> let s := sched X (at_sm y r) in let x := sends y r in
      at_sm y r < sms G /\ In x (keys (prog G (at_sm y r))) /\
      I s x <= left y r <= D s x + ai s x /\ there y r <= C s x;
    (* and no later than its own latency after its unit is free, or one of them is there *)
    k_latency : forall i x, i < sms G -> In x (keys (prog G i)) -> let s := sched X i in
      al s x <= own i x \/ exists r, In r (requests y) /\ at_sm y r = i /\ sends y r = x /\
      C s x <= there y r + own i x;
    (* a hit has its data at once, or with that of a request whose turn was earlier *)
    k_hit : forall r, In r (requests y) -> goes y r = false -> loads y r = true /\
      (there y r <= left y r + l1_latency m \/ sure y r = false /\ exists f, In f below /\
       at_sm y f = at_sm y r /\ left y f <= left y r /\ there y r <= there y f);
    (* what is surely there is a hit *)
    k_sure : forall r, sure y r = true -> goes y r = false;
    (* the second level serves what has come, or others *)
    k_l2 : forall r, In r below -> snd (l2 y r) <= fst (l2 y r) + l2_service m /\
      forall t, left y r + noc m <= t < fst (l2 y r) -> exists q, In q below /\
      during (l2 y q) t = true;
    (* it answers at once, or a load when its sector comes, fetched by what it served no later *)
    k_up : forall r, In r below -> up y r <= snd (l2 y r) + l2_latency m
      \/ loads y r = true /\ exists f, In f fetched /\ snd (l2 y f) <= snd (l2 y r) /\
         up y r <= snd (dram y f) + dram_latency m;
    (* DRAM serves what has come, or others *)
    k_dram : forall f, In f fetched -> snd (dram y f) <= fst (dram y f) + dram_service m /\
      forall t, snd (l2 y f) + l2_latency m <= t < fst (dram y f) -> dram_serves t = true;
    (* and as long for a line that is written back *)
    k_back : forall w, In w (backs y) -> snd (back y w) <= fst (back y w) + dram_service m;
    (* the port serves what has come, or others; then it is there *)
    k_port : forall r, In r below -> snd (port y r) <= fst (port y r) + reply_service m /\
      there y r <= snd (port y r) /\ forall t, up y r + noc m <= t < fst (port y r) ->
      exists q, In q (answered (at_sm y r)) /\ during (port y q) t = true }.

  (** A request stalls for an entry alone. *)
  Record entries_keep : Prop := {
    e_distinct : NoDup (requests y);
    (* a load that misses takes one, from its turn until its data is there; *)
    e_enters : forall r, In r (requests y) -> enters y r = true -> goes y r = true /\
      loads y r = true;
    (* the next one stalls only while all are taken *)
    e_stalls : forall i t, i < sms G -> stalls i t = true ->
      mshrs m <= length (filter (fun r => during (left y r, there y r) t) (misses i)) /\
      exists w, In w (misses i) /\ I (sched X i) (sends y w) <= t < left y w }.

  Hypothesis H : caches_keep.

  (** ** Lemma 1: what a request spends in other cycles than those in which something serves *)
  Definition miss_latency : nat := 2 * noc m + l2_latency m + dram_latency m.
  Definition write_latency : nat := 2 * noc m + l2_latency m.
  Definition way (r : nat) : nat := if sure y r then l1_latency m
    else if loads y r then max (l1_latency m) miss_latency else write_latency.

  Lemma answered_below i r : In r (answered i) <-> In r below /\ at_sm y r = i.
  Proof. unfold answered. rewrite filter_In, Nat.eqb_eq. tauto. Qed.

  Lemma l2_serving i r t : In r below -> during (l2 y r) t = true -> serving i t = true.
  Proof.
    intros Hr P. unfold serving. replace (existsb (fun q => during (l2 y q) t) below) with true;
      [reflexivity|]. symmetry. apply existsb_exists. eauto.
  Qed.

  Lemma dram_serving i t : dram_serves t = true -> serving i t = true.
  Proof. intros P. unfold serving. rewrite P, orb_true_r. reflexivity. Qed.

  Lemma port_serving r t : In r below -> during (port y r) t = true -> serving (at_sm y r) t = true.
  Proof.
    intros Hr P. unfold serving. apply orb_true_intro. right. apply existsb_exists. exists r.
    split; [apply answered_below; auto|exact P].
  Qed.

  Section Unserved.
    Variables (i : nat) (p : nat -> bool).
    Hypothesis Unserved : forall t, p t = true -> serving i t = false.

    Lemma stage a b d : b <= a + d -> cnt p b <= cnt p a + d.
    Proof.
      intros L. etransitivity; [apply (cnt_mono p b (a + d) L)|]. clear L.
      induction d as [|d IH]; [rewrite !Nat.add_0_r; lia|]. rewrite !Nat.add_succ_r. cbn [cnt].
      destruct (p (a + d)); lia.
    Qed.

    Lemma served a b : (forall t, a <= t < b -> serving i t = true) -> cnt p b <= cnt p a.
    Proof.
      intros S. destruct (le_lt_dec b a) as [L|L]; [apply cnt_mono, L|].
      replace b with (a + (b - a)) in * by lia. revert S. generalize (b - a). clear L.
      induction n as [|n IH]; intros S; [rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r.
      cbn [cnt]. specialize (IH ltac:(intros; apply S; lia)).
      destruct (p (a + n)) eqn:P; [|lia]. apply Unserved in P. rewrite S in P by lia. discriminate.
    Qed.

    Lemma on_span s a d : (forall t, a + d <= t < fst s -> serving i t = true) ->
      (forall t, during s t = true -> serving i t = true) -> cnt p (snd s) <= cnt p a + d.
    Proof.
      intros A B. etransitivity; [apply (served (fst s))|].
      - intros t Ht. apply B. unfold during. apply andb_true_intro.
        split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
      - etransitivity; [apply (served (a + d)), A|]. apply stage. lia.
    Qed.

    (** At the second level, [noc] after its turn at the first. *)
    Lemma unserved_l2 r : In r below -> cnt p (snd (l2 y r)) <= cnt p (left y r) + noc m.
    Proof.
      intros Hr. destruct (k_l2 H r Hr) as [_ W]. apply on_span.
      - intros t Ht. destruct (W t Ht) as [q [Hq P]]. exact (l2_serving i q t Hq P).
      - intros t. exact (l2_serving i r t Hr).
    Qed.

    Lemma unserved_up r : In r below -> cnt p (up y r)
      <= cnt p (left y r) + noc m + l2_latency m + (if loads y r then dram_latency m else 0).
    Proof.
      intros Hr. pose proof (unserved_l2 r Hr) as A.
      destruct (k_up H r Hr) as [U|[-> [f [Hf [F1 F2]]]]]; [pose proof (stage _ _ _ U); lia|].
      destruct (k_dram H f Hf) as [_ W].
      assert (cnt p (snd (dram y f)) <= cnt p (snd (l2 y f)) + l2_latency m) as B.
      { apply on_span; intros t Ht; apply dram_serving; [apply W, Ht|].
        unfold dram_serves. apply orb_true_intro. left. apply existsb_exists. eauto. }
      pose proof (stage _ _ _ F2). pose proof (cnt_mono p _ _ F1). lia.
    Qed.

    Lemma unserved_below r : In r below -> at_sm y r = i -> cnt p (there y r)
      <= cnt p (left y r) + (if loads y r then miss_latency else write_latency).
    Proof.
      intros Hr Hi. pose proof (unserved_up r Hr) as A. destruct (k_port H r Hr) as [_ [T W]].
      assert (cnt p (snd (port y r)) <= cnt p (up y r) + noc m) as B.
      { apply on_span; intros t Ht; rewrite <- Hi; [|exact (port_serving r t Hr Ht)].
        destruct (W t Ht) as [q [Hq P]]. apply answered_below in Hq as [Hq Eq]. rewrite <- Eq.
        exact (port_serving q t Hq P). }
      pose proof (cnt_mono p _ _ T). unfold miss_latency, write_latency.
      destruct (loads y r); lia.
    Qed.

    (** *** Lemma 1 *)
    Theorem unserved_request r : In r (requests y) -> at_sm y r = i ->
      cnt p (there y r) <= cnt p (left y r) + way r.
    Proof.
      intros Hr Hi. unfold way. destruct (goes y r) eqn:Go.
      - replace (sure y r) with false
          by (destruct (sure y r) eqn:S; [apply (k_sure H) in S; congruence|reflexivity]).
        pose proof (unserved_below r ltac:(apply filter_In; auto) Hi). destruct (loads y r); lia.
      - destruct (k_hit H r Hr Go) as [Ld [T|[-> [f [Hf [F1 [F2 F3]]]]]]]; rewrite Ld.
        + pose proof (stage _ _ _ T). destruct (sure y r); lia.
        + pose proof (unserved_below f Hf ltac:(congruence)). pose proof (cnt_mono p _ _ F2).
          pose proof (cnt_mono p _ _ F3). unfold miss_latency, write_latency in *.
          destruct (loads y f); lia.
    Qed.

    (** What is counted while the data of a request is on its way. *)
    Lemma cnt_during s N : fst s <= snd s ->
      cnt (fun t => p t && during s t) N + cnt p (fst s) <= cnt p (snd s).
    Proof.
      intros L. assert (forall d, cnt (fun t => p t && during s t) (fst s + d) + cnt p (fst s)
        = cnt p (min (fst s + d) (snd s))) as A.
      { induction d as [|d IH].
        - rewrite Nat.add_0_r, cnt_none, Nat.min_l; [lia|exact L|]. intros t Ht. unfold during.
          rewrite (proj2 (Nat.leb_gt _ _)) by exact Ht. apply andb_false_r.
        - rewrite Nat.add_succ_r. cbn [cnt]. unfold during at 2.
          rewrite (proj2 (Nat.leb_le _ _)) by lia.
          destruct (Nat.ltb_spec (fst s + d) (snd s)).
          + rewrite Nat.min_l in * by lia. cbn [cnt andb]. rewrite andb_true_r. lia.
          + rewrite Nat.min_r in * by lia. rewrite andb_false_r. lia. }
      pose proof (cnt_mono (fun t => p t && during s t) N (fst s + N) ltac:(lia)). specialize (A N).
      pose proof (cnt_mono p (min (fst s + N) (snd s)) (snd s) ltac:(lia)). lia.
    Qed.
  End Unserved.

  (** ** Lemma 2 *)
  Definition services : nat := l2_service m * length below
    + dram_service m * (length fetched + length (backs y)).

  Lemma spans_time (f : nat -> span) l d N : (forall r, In r l -> snd (f r) <= fst (f r) + d) ->
    cnt (fun t => existsb (fun r => during (f r) t) l) N <= d * length l.
  Proof.
    intros S. etransitivity; [apply (cnt_exists (fun t r => during (f r) t))|].
    rewrite Nat.mul_comm. apply sum_mul. intros r Hr. specialize (S r Hr).
    etransitivity; [|apply (cnt_interval (fst (f r)) d N)]. apply cnt_le. intros t _ P.
    unfold during in P. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in *. lia.
  Qed.

  Theorem served_time i N : cnt (serving i) N <= services + reply_service m * length (answered i).
  Proof.
    unfold serving, services. etransitivity; [apply cnt_or|]. apply Nat.add_le_mono.
    - etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply spans_time, (k_l2 H)|].
      etransitivity; [apply cnt_or|]. rewrite Nat.mul_add_distr_l.
      apply Nat.add_le_mono; apply spans_time; [apply (k_dram H)|apply (k_back H)].
    - apply spans_time. intros r Hr. apply answered_below in Hr as [Hr _]. apply (k_port H r Hr).
  Qed.

  (** ** H: cycles in which something serves, or, at most [z i] of them, stalls *)
  Definition skip (i t : nat) : bool := serving i t || stalls i t.
  Definition held (z : nat -> nat) (i : nat) : nat :=
    services + reply_service m * length (answered i) + z i.

  Theorem held_time z i N : cnt (fun t => stalls i t && negb (serving i t)) N <= z i ->
    cnt (skip i) N <= held z i.
  Proof.
    intros Z0. etransitivity; [|apply Nat.add_le_mono; [apply (served_time i N)|exact Z0]].
    etransitivity; [|apply cnt_or]. apply cnt_le. intros t _. unfold skip.
    destruct (serving i t), (stalls i t); auto.
  Qed.

  (** In the other cycles latencies are no longer than stated. *)
  Theorem unheld_latency i x l : i < sms G -> In x (keys (prog G i)) -> own i x <= l ->
    (forall r, In r (requests y) -> at_sm y r = i -> sends y r = x -> way r + own i x <= l) ->
    let s := sched X i in al s x + cnt (skip i) (D s x + ai s x) <= l + cnt (skip i) (C s x).
  Proof.
    intros Hi Hx Own Way s. set (u := D s x + ai s x). assert (C s x = u + al s x) as Cu
      by reflexivity. pose proof (cnt_mono (skip i) u (C s x) ltac:(lia)).
    pose proof (k_latency H i x Hi Hx) as K. cbv zeta in K. fold s in K.
    destruct K as [A|[r [Hr [Ei [Ex R]]]]]; [lia|].
    assert (forall t, negb (skip i t) = true -> serving i t = false) as U.
    { intros t P. apply negb_true_iff, orb_false_elim in P. tauto. }
    pose proof (unserved_request i _ U r Hr Ei) as B. specialize (Way r Hr Ei Ex).
    pose proof (k_sends H r Hr) as Q. cbv zeta in Q. rewrite Ei, Ex in Q. fold s in Q. fold u in Q.
    pose proof (stage (fun t => negb (skip i t)) _ _ _ R).
    pose proof (cnt_mono (fun t => negb (skip i t)) (left y r) u ltac:(lia)).
    pose proof (cnt_neg (skip i) u). pose proof (cnt_neg (skip i) (C s x)). lia.
  Qed.

  (** ** Lemma 3, Z_entry *)
  Hypothesis Entries : entries_keep.
  Hypothesis Kpos : 1 <= mshrs m.

  Lemma in_misses i r : In r (misses i) -> In r below /\ In r (requests y) /\ at_sm y r = i /\
    loads y r = true /\ enters y r = true.
  Proof.
    unfold misses. rewrite filter_In, andb_true_iff, Nat.eqb_eq. intros [Hr [He Hi]].
    destruct (e_enters Entries r Hr He). unfold below. rewrite filter_In. auto.
  Qed.

  (** Each entry that is taken while something stalls is so for a miss in a stage. *)
  Lemma stalled_time i N : i < sms G -> cnt (fun t => stalls i t && negb (serving i t)) N
    <= length (misses i) * miss_latency / mshrs m.
  Proof.
    intros Hi. set (p := fun t => stalls i t && negb (serving i t)).
    apply Nat.div_le_lower_bound; [lia|].
    assert (mshrs m * cnt p N <= sum (fun r => cnt (fun t => p t
      && during (left y r, there y r) t) N) (misses i)) as A.
    { induction N as [|N IH]; [rewrite sum_zero by reflexivity; cbn; lia|]. cbn [cnt].
      rewrite sum_add. destruct (p N) eqn:P; [|lia]. unfold p in P. apply andb_prop in P as [P _].
      destruct (e_stalls Entries i N Hi P) as [Full _]. rewrite length_sum in Full.
      unfold Nat.b2n in Full.
      cbn [andb]. lia. }
    etransitivity; [exact A|]. apply sum_mul. intros r Hr.
    destruct (in_misses i r Hr) as [Hb [_ [Ei [Ld _]]]].
    assert (forall t, p t = true -> serving i t = false) as U.
    { intros t P. apply andb_prop in P as [_ P]. apply negb_true_iff, P. }
    pose proof (unserved_below i p U r Hb Ei) as B. rewrite Ld in B.
    destruct (le_lt_dec (left y r) (there y r)) as [L|L].
    - pose proof (cnt_during p (left y r, there y r) N L) as D1. cbn [fst snd] in D1. lia.
    - rewrite cnt_none; [lia|]. intros t _. unfold during. cbn [fst snd].
      destruct (Nat.leb_spec (left y r) t), (Nat.ltb_spec t (there y r)); cbn;
        rewrite ?andb_false_r; auto; lia.
  Qed.

  (** At most [J] requests of loads of an SM are between issue and completion at a time. *)
  Definition at_most (J i : nat) : Prop := forall t, length (filter (fun r => loads y r
    && ((at_sm y r =? i) && during (I (sched X i) (sends y r), C (sched X i) (sends y r)) t))
    (requests y)) <= J.
  Definition Z (J i : nat) : nat := if (length (misses i) <=? mshrs m) || (J <=? mshrs m) then 0
    else length (misses i) * miss_latency / mshrs m.

  Theorem entry_stalls J i N : i < sms G -> at_most J i ->
    cnt (fun t => stalls i t && negb (serving i t)) N <= Z J i.
  Proof.
    intros Hi Few. unfold Z.
    destruct (_ || _) eqn:E; [|apply stalled_time, Hi]. rewrite cnt_none; [lia|]. intros t _.
    destruct (stalls i t) eqn:S; [exfalso|reflexivity].
    destruct (e_stalls Entries i t Hi S) as [Full [w [Hw W]]].
    set (taken := filter (fun r => during (left y r, there y r) t) (misses i)) in *.
    assert (forall r, In r taken -> In r (misses i) /\ left y r <= t < there y r) as T.
    { intros r Hr. apply filter_In in Hr as [Hr P]. unfold during in P. cbn [fst snd] in P.
      apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1. apply Nat.ltb_lt in P2. auto. }
    assert (NoDup (w :: taken)) as Nd.
    { constructor; [intros Q; apply T in Q as [_ Q]; lia|].
      apply NoDup_filter, NoDup_filter, (e_distinct Entries). }
    assert (forall r, In r (w :: taken) -> In r (misses i) /\
      I (sched X i) (sends y r) <= t < C (sched X i) (sends y r)) as Between.
    { intros r [<-|Hr]; [|apply T in Hr as [Hr W']].
      - split; [exact Hw|]. destruct (in_misses i w Hw) as [_ [Hr [Ei _]]].
        pose proof (k_sends H w Hr) as K. cbv zeta in K. rewrite Ei in K. unfold C. lia.
      - split; [exact Hr|]. destruct (in_misses i r Hr) as [_ [Hr' [Ei _]]].
        pose proof (k_sends H r Hr') as K. cbv zeta in K. rewrite Ei in K. lia. }
    apply orb_prop in E as [E|E]; apply Nat.leb_le in E.
    - pose proof (NoDup_incl_length Nd (fun r Hr => proj1 (Between r Hr))). cbn [length] in *. lia.
    - specialize (Few t). enough (length (w :: taken) <= J) by (cbn [length] in *; lia).
      etransitivity; [|exact Few]. apply (NoDup_incl_length Nd). intros r Hr.
      apply Between in Hr as [Hr P]. destruct (in_misses i r Hr) as [_ [Hq [Ei [Ld _]]]].
      apply filter_In.
      split; [exact Hq|]. rewrite Ld, Ei, Nat.eqb_refl. unfold during. cbn.
      apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.
End Caches.
