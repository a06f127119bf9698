(** * K-SM: an SM that gets [n] thread blocks, [R] of them at a time
    (docs/proofs.md, theorem 5, its part W = E^n + f lam, no dispatch latency) *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb.
Import ListNotations.

Definition ceil_div (n d : nat) : nat := (n - 1) / d + 1.   (* for 1 <= n, 1 <= d *)

(** What the dispatcher keeps, [fin g] being the end of thread block [g]:
    G1, and G3: while a thread block has yet to start, every room is taken. *)
Record dispatch (m : machine) (b : block) (s : schedule) (n R : nat) (room fin : nat -> nat) : Prop := {
  d_groups : forall x, In x (keys b) -> group m (fst x) < n;
  d_room : forall g, g < n -> room g < R;
  d_end : forall x, In x (keys b) -> C s x <= fin (group m (fst x));
  d_last : forall g, g < n -> fin g <= begin s g
             \/ exists x, In x (keys b) /\ group m (fst x) = g /\ fin g = C s x;
  d_taken : forall g t r, g < n -> t < begin s g -> r < R ->
             exists h, h < n /\ room h = r /\ begin s h <= t < fin h }.

(** ** Some room has no more than its share *)

Lemma room_split (room : nat -> nat) R l :
  length (filter (fun h => room h <? S R) l)
  = length (filter (fun h => room h <? R) l) + length (filter (fun h => room h =? R) l).
Proof.
  induction l as [|h l IH]; [reflexivity|]. cbn [filter].
  destruct (Nat.ltb_spec (room h) (S R)), (Nat.ltb_spec (room h) R), (Nat.eqb_spec (room h) R);
    cbn [length]; lia.
Qed.

Lemma few_or_many (f : nat -> nat) c R :
  (exists r, r < R /\ f r <= c) \/ (forall r, r < R -> c < f r).
Proof.
  induction R as [|R [[r [H1 H2]]|H]]; [right; intros; lia|left; exists r; lia|].
  destruct (le_lt_dec (f R) c) as [L|L]; [left; exists R; lia|right].
  intros r Hr. destruct (Nat.eq_dec r R) as [->|N]; [exact L|apply H; lia].
Qed.

Lemma pigeonhole (room : nat -> nat) R l : 1 <= R ->
  exists r, r < R /\ length (filter (fun h => room h =? r) l) <= length l / R.
Proof.
  intros HR. destruct (few_or_many (fun r => length (filter (fun h => room h =? r) l)) (length l / R) R)
    as [H|H]; [exact H|exfalso].
  assert (forall k, k <= R -> k * (length l / R + 1) <= length (filter (fun h => room h <? k) l)) as A.
  { induction k as [|k IH]; intros Hk; [simpl; lia|].
    rewrite room_split. specialize (IH ltac:(lia)). specialize (H k ltac:(lia)). simpl in H. nia. }
  specialize (A R (le_n R)).
  assert (length (filter (fun h => room h <? R) l) <= length l) as B.
  { clear. induction l as [|h l IH]; cbn [filter]; [lia|]. destruct (room h <? R); simpl; lia. }
  pose proof (Nat.mul_succ_div_gt (length l) R ltac:(lia)). nia.
Qed.

Lemma sum_const {A} (f : A -> nat) l c : (forall x, In x l -> f x <= c) -> sum f l <= length l * c.
Proof.
  unfold sum. induction l as [|x l IH]; intros H; simpl; [lia|].
  specialize (IH ltac:(intros; apply H; right; assumption)).
  specialize (H x (or_introl eq_refl)). lia.
Qed.

Section Ksm.
  Variables (m : machine) (b : block) (s : schedule) (n R : nat) (room fin : nat -> nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis Rooms : 1 <= R.
  Hypothesis HD : dispatch m b s n R room fin.
  Variable L : key -> nat.
  Hypothesis HL : lam_cert m b L.

  Definition stay (t h : nat) : bool := (begin s h <=? t) && (t <? fin h) && idle b s t.

  Lemma stay_idle h N : h < n -> cnt (fun t => stay t h) N <= top b L.
  Proof.
    intros Hh. destruct (d_last _ _ _ _ _ _ _ HD h Hh) as [Hf|[x [Hx [Hg Hf]]]].
    - rewrite cnt_none; [lia|]. intros t _. unfold stay.
      destruct (Nat.leb_spec (begin s h) t), (Nat.ltb_spec t (fin h)); try reflexivity. lia.
    - pose proof (idle_complete m b s M W V L HL x Hx) as H. rewrite Hg in H.
      pose proof (top_ge b L x Hx).
      assert (cnt (fun t => stay t h) N <= cnt (idle_from b s (begin s h)) (C s x)); [|lia].
      clear -Hf. induction N as [|N IH]; [simpl; lia|]. cbn [cnt]. destruct (stay N h) eqn:S; [|lia].
      unfold stay in S. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt in S. destruct S as [[S1 S2] S3].
      assert (cnt (fun t => stay t h) N <= cnt (idle_from b s (begin s h)) N) as A.
      { apply cnt_le. intros t _ Ht. unfold stay in Ht. unfold idle_from.
        apply andb_prop in Ht as [Ht Ht2]. apply andb_prop in Ht as [Ht _]. rewrite Ht, Ht2. reflexivity. }
      pose proof (cnt_mono (idle_from b s (begin s h)) (S N) (C s x) ltac:(lia)) as B. cbn [cnt] in B.
      unfold idle_from at 2 in B. rewrite (proj2 (Nat.leb_le _ _) S1), S3 in B. simpl in B. lia.
  Qed.

  (** *** Theorem 5 *)
  Theorem k_sm x : In x (keys b) -> C s x <= E b + ceil_div n R * top b L.
  Proof.
    intros Hx. pose proof (d_groups _ _ _ _ _ _ _ HD x Hx) as Hg. set (g := group m (fst x)) in *.
    set (t1 := list_max (map (begin s) (seq 0 n))).
    assert (forall h, h < n -> begin s h <= t1) as T1.
    { intros h Hh. apply list_max_ge, in_map_iff. exists h. split; [reflexivity|apply in_seq; lia]. }
    assert (exists h, h < n /\ begin s h = t1) as [z [Hz Ez]].
    { assert (In t1 (map (begin s) (seq 0 n))) as H.
      { apply list_max_in. destruct n; [lia|]. discriminate. }
      apply in_map_iff in H as [h [H1 H2]]. apply in_seq in H2. exists h. split; [lia|exact H1]. }
    (* the thread blocks but the last dispatched, and a room with its share of them or less *)
    set (l := filter (fun h => negb (h =? z)) (seq 0 n)).
    assert (length l = n - 1) as Ll.
    { assert (forall k a, a <= z < a + k ->
        length (filter (fun h => negb (h =? z)) (seq a k)) + 1 = k) as A.
      { assert (forall k a, z < a \/ a + k <= z ->
          length (filter (fun h => negb (h =? z)) (seq a k)) = k) as A0.
        { induction k as [|k IH]; intros a Ha; [reflexivity|]. cbn [seq filter].
          destruct (Nat.eqb_spec a z); cbn [negb length]; [lia|]. rewrite IH by lia. reflexivity. }
        induction k as [|k IH]; intros a Ha; [lia|]. cbn [seq filter].
        destruct (Nat.eqb_spec a z) as [->|N]; cbn [negb length].
        - rewrite A0 by lia. lia.
        - specialize (IH (S a) ltac:(lia)). lia. }
      specialize (A n 0 ltac:(lia)). unfold l. lia. }
    destruct (pigeonhole room R l Rooms) as [r [Hr Hl]]. rewrite Ll in Hl.
    set (lr := filter (fun h => room h =? r) l) in *.
    (* idle cycles before the last dispatch *)
    assert (cnt (idle b s) t1 <= (n - 1) / R * top b L) as A.
    { transitivity (cnt (fun t => existsb (stay t) lr) t1).
      - apply cnt_le. intros t Ht Hi.
        destruct (d_taken _ _ _ _ _ _ _ HD z t r Hz ltac:(lia) Hr) as [h [Hh [Hrm Hs]]].
        apply existsb_exists. exists h. split.
        + apply filter_In. split; [|apply Nat.eqb_eq, Hrm]. apply filter_In. split; [apply in_seq; lia|].
          apply negb_true_iff, Nat.eqb_neq. intros ->. lia.
        + unfold stay. rewrite Hi, !andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia.
      - etransitivity; [apply (cnt_exists stay)|].
        etransitivity; [apply (sum_const _ _ (top b L))|].
        + intros h Hh. apply filter_In in Hh as [Hh _]. apply filter_In in Hh as [Hh _].
          apply in_seq in Hh. apply stay_idle. lia.
        + apply Nat.mul_le_mono_r. exact Hl. }
    (* and behind it: the last thread block has been there since *)
    assert (cnt (idle b s) (C s x) <= cnt (idle b s) t1 + top b L) as B.
    { destruct (le_lt_dec (C s x) t1) as [H|H]; [pose proof (cnt_mono (idle b s) _ _ H); lia|].
      pose proof (idle_complete m b s M W V L HL x Hx) as H1. pose proof (top_ge b L x Hx) as H2.
      fold g in H1. specialize (T1 g Hg).
      assert (forall d, cnt (idle b s) (t1 + d) <= cnt (idle b s) t1 + cnt (idle_from b s (begin s g)) (t1 + d)) as F.
      { induction d as [|d IH]; [rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r. cbn [cnt].
        unfold idle_from at 2. rewrite (proj2 (Nat.leb_le (begin s g) (t1 + d))) by lia.
        simpl. destruct (idle b s (t1 + d)); lia. }
      specialize (F (C s x - t1)). replace (t1 + (C s x - t1)) with (C s x) in F by lia. lia. }
    pose proof (busy_sum m b s V (C s x)). pose proof (cnt_neg (busy b s) (C s x)) as N.
    change (fun t => negb (busy b s t)) with (idle b s) in N. unfold ceil_div. nia.
  Qed.
End Ksm.
