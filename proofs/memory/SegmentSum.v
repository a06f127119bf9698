(** * segment-sum: docs/memory-bounds.md, lemma 5 and theorem 1, with first-level caches

    Thread blocks go to fixed SMs, each SM takes its own in a fixed order, and the dispatcher takes
    no time. *)

From Coq Require Import List Arith Lia Bool Sorted.
From Warpbound Require Import Cycles Largest Share Model Elb Grid Took Caches.
Import ListNotations.

(** ** What the program takes for an SM *)

(** Until all thread blocks with the latency paths [l], in order of dispatch, have ended, so many
    cycles are idle, and [latest] at least.  [slots] says until when each slot is taken, the one
    that is free first last; [new] of them have had no thread block. *)
Fixpoint idle_time (d : nat) (l : list nat) (new : nat) (slots : list nat) (latest : nat) : nat :=
  match l with
  | [] => latest
  | x :: k => let e := last slots 0 + (if 1 <=? new then 0 else d) + x in
      idle_time d k (pred new) (insert e (removelast slots)) (max latest e)
  end.

(** Of an SM with [R] slots: E of its thread blocks, how long it is held, and its idle cycles. *)
Definition sum_time (R d held : nat) (Es lams : list nat) : nat :=
  list_sum Es + held + idle_time d lams R (repeat 0 R) 0.

Lemma idle_time_latest d l : forall new slots latest, latest <= idle_time d l new slots latest.
Proof.
  induction l as [|x l IH]; intros new slots latest; [apply le_n|]. cbn [idle_time].
  etransitivity; [|apply IH]. apply Nat.le_max_l.
Qed.

Lemma falling_last l x : falling (l ++ [x]) -> falling l /\ forall z, In z l -> x <= z.
Proof.
  induction l as [|a l IH]; intros F; [split; [constructor|easy]|].
  inversion F as [|? ? F1 F2]; subst. destruct (IH F1) as [I1 I2]. split.
  - constructor; [exact I1|]. intros z Hz. apply F2, in_or_app. auto.
  - intros z [<-|Hz]; [apply F2, in_elt|auto].
Qed.

Lemma filter_insert p x l : length (filter p (insert x l)) = length (filter p (x :: l)).
Proof.
  induction l as [|z l IH]; [reflexivity|]. cbn [insert]. destruct (z <=? x); [reflexivity|].
  cbn [filter] in *. destruct (p z), (p x); cbn [length] in *; lia.
Qed.

(** As the ends of thread blocks are given to slots: of those no less than [v], if a slot is less,
    there are no more than slots that are not.  [f] is no more than the ends. *)
Definition given {A} (f : A -> nat) (done : list A) (slots : list nat) (R : nat) : Prop :=
  falling slots /\ length slots = R /\ forall v, last slots 0 < v ->
  length (filter (fun c => v <=? f c) done) <= length (filter (fun e => v <=? e) slots).

Lemma given_start {A} (f : A -> nat) R : given f [] (repeat 0 R) R.
Proof.
  split; [|split; [apply repeat_length|cbn; lia]].
  induction R as [|R IH]; [constructor|]. constructor; [exact IH|]. intros z Hz.
  apply repeat_spec in Hz. lia.
Qed.

Lemma given_next {A} (f : A -> nat) done slots R b e : 1 <= R -> given f done slots R ->
  f b <= e -> last slots 0 <= e -> given f (b :: done) (insert e (removelast slots)) R.
Proof.
  intros R1 [F [Len Few]] Fb Le. assert (slots <> []) as N by (intros ->; cbn in Len; lia).
  pose proof (app_removelast_last 0 N) as Split. set (z := last slots 0) in *.
  set (l := removelast slots) in *. rewrite Split in F. destruct (falling_last l z F) as [F1 F2].
  assert (forall v, v <= z \/ z < v -> length (filter (fun e => v <=? e) slots)
    = length (filter (fun e => v <=? e) l) + if v <=? z then 1 else 0) as Cnt.
  { intros v _. rewrite Split, filter_app, app_length. cbn [filter].
    destruct (v <=? z); reflexivity. }
  split; [apply insert_falling, F1|]. split.
  - assert (forall x, length (insert x l) = S (length l)) as A1.
    { intros x. clear. induction l as [|a l IH]; [reflexivity|]. cbn [insert].
      destruct (a <=? x); cbn [length]; congruence. }
    rewrite A1, <- Len, Split, app_length. cbn. lia.
  - intros v Hv. assert (z <= last (insert e l) 0) as Z.
    { assert (In (last (insert e l) 0) (insert e l)) as Q.
      { destruct (insert e l) eqn:Q; [destruct l as [|a l0]; cbn in Q; [|destruct (a <=? e)];
          discriminate|]. rewrite (app_removelast_last 0) at 2 by discriminate. apply in_elt. }
      apply insert_in in Q as [->|Q]; [exact Le|apply F2, Q]. }
    specialize (Few v ltac:(lia)). rewrite Cnt, (proj2 (Nat.leb_gt v z)) in Few by lia.
    rewrite filter_insert. cbn [filter].
    destruct (Nat.leb_spec v (f b)), (Nat.leb_spec v e); cbn [length]; lia.
Qed.

(** If [R] of [done] are no less than [v], no slot is free before. *)
Lemma given_full {A} (f : A -> nat) done slots R v : 1 <= R -> given f done slots R ->
  R <= length (filter (fun c => v <=? f c) done) -> v <= last slots 0.
Proof.
  intros R1 [F [Len Few]] Full. apply Nat.nlt_ge. intros Lt. specialize (Few v Lt).
  assert (slots <> []) as N by (intros ->; cbn in Len; lia).
  pose proof (app_removelast_last 0 N) as Split. rewrite Split in Len, Few at 1.
  rewrite filter_app, app_length in Few. rewrite app_length in Len. cbn [filter length] in *.
  rewrite (proj2 (Nat.leb_gt _ _) Lt) in Few. cbn [length] in Few.
  pose proof (filter_le (fun e => v <=? e) (fun _ => true) (removelast slots) ltac:(auto)) as A1.
  rewrite (filter_const (fun _ => true) true) in A1 by auto. cbn iota in A1. lia.
Qed.

Section SegmentSum.
  Variables (G : grid) (X : execution) (took : nat -> block) (m : levels) (y : traffic).
  Variables (own : nat -> key -> nat) (turn : nat -> key -> nat -> bool)
    (stalls : nat -> nat -> bool) (stalled : nat -> nat).
  Hypothesis H : caches_keep G X took m y own turn stalls.
  (** Requests of SM [i] stall in at most [stalled i] cycles in which nothing serves. *)
  Hypothesis Stalled : forall i N, i < sms G ->
    cnt (fun t => stalls i t && negb (serving y i t)) N <= stalled i.
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (took i).
  (** Latencies: those of requests are by lemma 1. *)
  Hypothesis Own : forall i x, i < sms G -> In x (keys (prog G i)) ->
    own i x <= lat (get (prog G i) x) /\ forall r, In r (requests y) -> at_sm y r = i ->
    sends y r = x -> way m y r + own i x <= lat (get (prog G i) x).
  (** [Eb], [Lb]: E and lam of thread blocks; [L]: their latency paths. *)
  Variables (Eb Lb : nat -> nat) (L : nat -> key -> nat).
  Hypothesis Work : forall b, b < blocks G ->
    sum (fun x => if whose G (sm_of X b) x =? b then init (get (prog G (sm_of X b)) x) else 0)
      (keys (prog G (sm_of X b))) <= Eb b.
  Hypothesis Lat : forall b x, b < blocks G -> In x (keys (prog G (sm_of X b))) ->
    whose G (sm_of X b) x = b ->
    L (sm_of X b) x + lat (get (prog G (sm_of X b)) x) <= Lb b.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).
  (** The thread blocks of each SM, in order of dispatch. *)
  Variable order : nat -> list nat.
  Hypothesis All : forall i b, In b (order i) <-> b < blocks G /\ sm_of X b = i.
  Hypothesis InOrder : forall i, StronglySorted (fun b c => place X b < place X c) (order i).
  (** The dispatcher takes no time. *)
  Hypothesis AtOnce : service G = 0.
  (** None is empty, and so over in cycle 0: the next one of its slot could start late. *)
  Hypothesis NotEmpty : forall b, b < blocks G -> 1 <= ended X b.

  Notation skips i := (skip y stalls i).
  Let V := k_rules _ _ _ _ _ _ _ _ H.

  (** An idle cycle of SM [i]. *)
  Definition idles (i t : nat) : bool := idle (took i) (sched X i) t && negb (skips i t).

  Lemma sm_there b : b < blocks G -> sm_of X b < sms G.
  Proof. intros Hb. apply (g_place _ _ V b Hb). Qed.

  Lemma keys_took i : i < sms G -> keys (took i) = keys (prog G i).
  Proof. intros Hi. apply (k_shape _ _ _ _ _ _ _ _ H i (0, 0) Hi). Qed.

  (** *** Lemma 4: of the cycles in which a thread block is there at most [Lb] are idle. *)
  Theorem stay_idle b : b < blocks G ->
    cnt (idles (sm_of X b)) (ended X b) <= cnt (idles (sm_of X b)) (started X b) + Lb b.
  Proof.
    intros Hb. etransitivity; [|apply Nat.add_le_mono_l, (took_idle G X took (skip y stalls) V
      (k_shape _ _ _ _ _ _ _ _ H)) with (L := L); [|exact Mok|exact Lat|exact HL|exact Hb]].
    - fold (idles (sm_of X b)). generalize (started X b), (ended X b). clear. intros a n.
      induction n as [|n IH]; [cbn; lia|]. cbn [cnt]. destruct (Nat.leb_spec a n) as [Le|Lt].
      + cbn [andb]. fold (idles (sm_of X b) n). unfold idles in *. destruct (_ && _); lia.
      + pose proof (cnt_mono (idles (sm_of X b)) (S n) a ltac:(lia)) as M. cbn [cnt] in M. lia.
    - intros i x Hi Hx. destruct (Own i x Hi Hx).
      apply (unheld_latency _ _ _ _ _ _ _ _ H); assumption.
  Qed.

  (** ** Lemma 5 *)
  Lemma not_at_work t : at_work G X t = false.
  Proof.
    apply not_true_is_false. intros P. apply existsb_exists in P as [d [Hd P]]. apply in_seq in Hd.
    pose proof (g_service _ _ V d (proj2 Hd)) as Q. cbn in Q. rewrite AtOnce in Q.
    apply andb_prop in P as [P1 P2]. apply Nat.leb_le in P1. apply Nat.ltb_lt in P2. lia.
  Qed.

  Lemma sorted_split {A} (lt : A -> A -> Prop) p x q c : StronglySorted lt (p ++ x :: q) ->
    In c q -> lt x c.
  Proof.
    induction p as [|a p IH]; cbn; intros S Hc; inversion S as [|? ? S1 F]; subst; [|auto].
    rewrite Forall_forall in F. auto.
  Qed.

  (** When [b] is taken after cycle 0, [slots G] thread blocks are there until then that were taken
      before. *)
  Lemma slots_taken i pre b post : order i = rev pre ++ b :: post -> 1 <= taken X b ->
    slots G <= length (filter (fun c => taken X b <=? ended X c) pre).
  Proof.
    intros Split Tb. assert (In b (order i)) as Hb by (rewrite Split; apply in_elt).
    apply All in Hb as [Hb Si].
    set (l := filter (fun c => taken X b <=? ended X c) pre).
    rewrite <- (seq_length (slots G) 0), <- (map_length (slot_of X) l).
    apply NoDup_incl_length; [apply seq_NoDup|]. intros q Hq. apply in_seq in Hq.
    destruct (g_waits _ _ V b (taken X b - 1) q Hb (not_at_work _) ltac:(lia) ltac:(cbn; lia))
      as [c [C1 [C2 [C3 C4]]]]. cbn in C1, C2. apply in_map_iff. exists c. split; [exact C3|].
    apply filter_In. split; [|apply Nat.leb_le; lia].
    assert (In c (order i)) as Hc by (apply All; split; congruence). rewrite Split in Hc.
    apply in_app_or in Hc as [Hc|[<-|Hc]]; [apply in_rev, Hc|lia|exfalso].
    pose proof (InOrder i) as S. rewrite Split in S. pose proof (sorted_split _ _ _ _ c S Hc) as P.
    cbn beta in P. pose proof (g_takes _ _ V b c Hb C1 P). lia.
  Qed.

  Lemma idle_starts i pre b post slots new : order i = rev pre ++ b :: post ->
    new = Grid.slots G - length pre ->
    given (fun c => cnt (idles i) (ended X c)) pre slots (Grid.slots G) ->
    cnt (idles i) (started X b) <= last slots 0 + (if 1 <=? new then 0 else latency G).
  Proof.
    intros Split New Gv. assert (In b (order i)) as Hb by (rewrite Split; apply in_elt).
    apply All in Hb as [Hb Si]. pose proof (g_start _ _ V b Hb) as St.
    pose proof (g_service _ _ V b Hb) as Sv. cbn in Sv, St. rewrite AtOnce in Sv.
    assert (1 <= Grid.slots G) as R1 by (pose proof (g_place _ _ V b Hb) as [_ Q]; cbn in Q; lia).
    destruct (Nat.leb_spec 1 new) as [Lt|Ge].
    - destruct (Nat.eq_dec (taken X b) 0) as [T0|T0].
      + enough (started X b = 0) as -> by (cbn; lia).
        rewrite (g_first _ _ V b Hb); [lia|]. intros c [Hc Bf].
        pose proof (g_slot _ _ V b c Hb (conj Hc Bf)). cbn in Hc. specialize (NotEmpty c Hc). lia.
      + pose proof (slots_taken i pre b post Split ltac:(lia)) as Full. pose proof (filter_le
          (fun c => taken X b <=? ended X c) (fun _ => true) pre ltac:(auto)) as Le.
        rewrite (filter_const (fun _ => true) true) in Le by auto. cbn iota in Le. lia.
    - assert (cnt (idles i) (taken X b) <= last slots 0) as A.
      { destruct (Nat.eq_dec (taken X b) 0) as [->|T0]; [cbn; lia|].
        apply (given_full _ pre slots _ _ R1 Gv).
        etransitivity; [apply (slots_taken i pre b post Split ltac:(lia))|].
        apply filter_le. intros c _ Le. apply Nat.leb_le in Le.
        apply Nat.leb_le, cnt_mono, Le. }
      etransitivity; [|apply Nat.add_le_mono_r, A].
      etransitivity; [|apply (stage (idles i) (taken X b) _ _ (le_n _))]. apply cnt_mono. lia.
  Qed.

  (** *** Lemma 5 *)
  Theorem idle_ends i b : In b (order i) -> cnt (idles i) (ended X b)
    <= idle_time (latency G) (map Lb (order i)) (slots G) (repeat 0 (slots G)) 0.
  Proof.
    intros Hb. assert (forall post pre new slots latest, order i = rev pre ++ post ->
      new = Grid.slots G - length pre ->
      given (fun c => cnt (idles i) (ended X c)) pre slots (Grid.slots G) ->
      (forall c, In c pre -> cnt (idles i) (ended X c) <= latest) -> cnt (idles i) (ended X b)
        <= idle_time (latency G) (map Lb post) new slots latest) as A.
    { induction post as [|c post IH]; intros pre new slots latest Split New Gv Le.
      - rewrite app_nil_r in Split. rewrite Split in Hb. apply in_rev in Hb. exact (Le b Hb).
      - cbn [map idle_time]. pose proof (idle_starts i pre c post slots new Split New Gv) as S.
        assert (In c (order i)) as Hc by (rewrite Split; apply in_elt).
        apply All in Hc as [Hc Si]. pose proof (stay_idle c Hc) as St. rewrite Si in St.
        pose proof (g_place _ _ V c Hc) as [_ R1]. cbn in R1. apply (IH (c :: pre)).
        + cbn [rev]. rewrite <- app_assoc. exact Split.
        + cbn [length]. lia.
        + apply given_next; [lia|exact Gv|lia|lia].
        + intros z [<-|Hz]; [lia|]. specialize (Le z Hz). lia. }
    apply (A (order i) []); [reflexivity|cbn; lia|apply given_start|easy].
  Qed.

  (** Busy cycles: those in which an instruction that does not wait for a turn keeps a unit. *)
  Lemma busy_time i N : i < sms G ->
    cnt (fun t => busy (took i) (sched X i) t && negb (skips i t)) N <= sum Eb (order i).
  Proof.
    intros Hi. set (p := fun t x => initiates (sched X i) t x && negb (turn i x t)).
    transitivity (cnt (fun t => existsb (p t) (keys (prog G i))) N).
    - apply cnt_le. intros t _ P. apply andb_prop in P as [P Sk].
      apply negb_true_iff, orb_false_elim in Sk as [_ Sk]. apply existsb_exists in P as [x [Hx Ix]].
      rewrite (keys_took i Hi) in Hx. apply existsb_exists. unfold p.
      destruct (turn i x t) eqn:T; [|exists x; rewrite Ix, T; auto].
      destruct (k_turn _ _ _ _ _ _ _ _ H i x t Hi Hx Ix T) as [S|[z [Hz [Iz Tz]]]]; [congruence|].
      exists z. rewrite Iz, Tz. auto.
    - etransitivity; [apply cnt_exists|].
      transitivity (sum (fun x => sum (fun b => if whose G i x =? b then init (get (prog G i) x)
        else 0) (order i)) (keys (prog G i))).
      + apply sum_le. intros x Hx. etransitivity; [apply (k_init _ _ _ _ _ _ _ _ H i x N Hi Hx)|].
        rewrite <- (keys_took i Hi) in Hx. pose proof (g_whose _ _ V i x Hi Hx) as [W1 W2].
        change (whose G i x < blocks G) in W1. change (sm_of X (whose G i x) = i) in W2.
        pose proof (sum_ge (fun b => if whose G i x =? b then init (get (prog G i) x) else 0)
          (whose G i x) (order i) (proj2 (All i _) (conj W1 W2))) as S.
        cbn beta in S. rewrite Nat.eqb_refl in S. exact S.
      + rewrite sum_swap. apply sum_le. intros b Hb. apply All in Hb as [Hb <-]. apply Work, Hb.
  Qed.

  (** *** Theorem 1: E of its thread blocks, H, and the idle cycles of lemma 5 *)
  Theorem segment_sum b : b < blocks G -> let i := sm_of X b in
    ended X b <= sum_time (slots G) (latency G) (held m y stalled i) (map Eb (order i))
      (map Lb (order i)).
  Proof.
    intros Hb i. pose proof (sm_there b Hb) as Hi. fold i in Hi.
    pose proof (idle_ends i b (proj2 (All i b) (conj Hb eq_refl))) as A.
    pose proof (busy_time i (ended X b) Hi) as B.
    pose proof (held_time G X took m y own turn stalls H stalled i (ended X b) (Stalled i _ Hi))
      as Hd.
    unfold sum_time. fold (sum Eb (order i)).
    enough (ended X b
      <= cnt (fun t => busy (took i) (sched X i) t && negb (skips i t)) (ended X b)
        + cnt (skips i) (ended X b) + cnt (idles i) (ended X b)) by lia.
    generalize (ended X b). clear. induction n as [|n IH]; [lia|]. cbn [cnt].
    unfold idles at 2, idle at 1.
    destruct (skips i n), (busy (took i) (sched X i) n); cbn [andb negb]; lia.
  Qed.
End SegmentSum.
