(** * Slots and those that go there: one has no more than its share *)

From Warpbound Require Import Base Cycles Largest.

Lemma exists_max (f : nat -> nat) l : l <> [] -> exists x, In x l /\ forall y, In y l -> f y <= f x.
Proof.
  intros N. assert (map f l <> []) as Nm by (destruct l; [congruence|discriminate]).
  pose proof (list_max_in _ Nm) as H. apply in_map_iff in H as [x [E Hx]]. exists x.
  split; [exact Hx|]. intros y Hy. rewrite E. apply list_max_in_ge, Hy.
Qed.

Lemma exists_min (f : nat -> nat) l : l <> [] -> exists x, In x l /\ forall y, In y l -> f x <= f y.
Proof.
  induction l as [|a l IH]; [congruence|]. intros _. destruct l as [|b l].
  - exists a. split; [left; reflexivity|]. intros y [->|[]]. lia.
  - destruct (IH ltac:(discriminate)) as [x [Hx H]]. destruct (le_lt_dec (f a) (f x)) as [L|L].
    + exists a. split; [left; reflexivity|]. intros y [->|Hy]; [lia|]. specialize (H y Hy). lia.
    + exists x. split; [right; exact Hx|]. intros y [->|Hy]; [lia|]. apply H, Hy.
Qed.

Lemma length_sum {A} (p : A -> bool) l : length (filter p l) = sum (fun x => Nat.b2n (p x)) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, <- IH.
  destruct (p x); reflexivity.
Qed.

Lemma sum_single (f : nat -> nat) c R : c < R ->
  sum (fun q => if c =? q then f q else 0) (seq 0 R) = f c.
Proof.
  intros H. replace R with (c + S (R - S c)) by lia. rewrite seq_app, sum_app. cbn [seq Nat.add].
  rewrite sum_cons, Nat.eqb_refl, !sum_zero; [lia| |]; intros q Hq; apply in_seq in Hq;
    destruct (Nat.eqb_spec c q); lia.
Qed.

(** What is summed over slots is summed over those that go there. *)
Lemma sum_by_slot (f room : nat -> nat) R l : (forall x, In x l -> room x < R) ->
  sum (fun q => sum f (filter (fun x => room x =? q) l)) (seq 0 R) = sum f l.
Proof.
  intros H. rewrite (sum_ext _ (fun q => sum (fun x => if room x =? q then f x else 0) l)) by
    (intros; apply sum_filter).
  rewrite sum_swap. apply sum_ext. intros x Hx. apply (sum_single (fun _ => f x)), H, Hx.
Qed.

Lemma length_one {A} (l : list A) : length l = sum (fun _ => 1) l.
Proof. induction l as [|x l IH]; [reflexivity|]. rewrite sum_cons, <- IH. reflexivity. Qed.

Lemma length_by_slot (room : nat -> nat) R l : (forall x, In x l -> room x < R) ->
  sum (fun q => length (filter (fun x => room x =? q) l)) (seq 0 R) = length l.
Proof.
  intros H. rewrite length_one, <- (sum_by_slot _ room R l H). apply sum_ext. intros q _.
  apply length_one.
Qed.

(** One slot of [R] has at most the [R]-th part. *)
Lemma least_share (f : nat -> nat) R : 1 <= R -> exists q, q < R /\ f q <= sum f (seq 0 R) / R.
Proof.
  intros HR. destruct (exists_min f (seq 0 R)) as [q [Hq H]]; [destruct R; [lia|discriminate]|].
  apply in_seq in Hq. exists q. split; [lia|]. apply Nat.div_le_lower_bound; [lia|].
  assert (forall k, k <= R -> k * f q <= sum f (seq 0 k)) as A.
  { induction k as [|k IH]; intros Hk; [lia|]. rewrite seq_S, sum_app. cbn [Nat.add].
    specialize (IH ltac:(lia)). specialize (H k ltac:(apply in_seq; lia)). cbn in *. lia. }
  apply A, le_n.
Qed.

Lemma pigeonhole (room : nat -> nat) R l : 1 <= R -> (forall x, In x l -> room x < R) ->
  exists q, q < R /\ length (filter (fun x => room x =? q) l) <= length l / R.
Proof.
  intros HR H.
  destruct (least_share (fun q => length (filter (fun x => room x =? q) l)) R HR) as [q [Hq L]].
  exists q. split; [exact Hq|]. rewrite length_by_slot in L; assumption.
Qed.

(** Each in a slot of its own: no more than there are slots. *)
Lemma distinct_slots (room : nat -> nat) R l : NoDup l -> (forall x, In x l -> room x < R) ->
  (forall x y, In x l -> In y l -> room x = room y -> x = y) -> length l <= R.
Proof.
  intros N H D. rewrite <- (length_by_slot room R l H). rewrite <- (Nat.mul_1_r R) at 2.
  rewrite <- (seq_length R 0) at 2. apply sum_mul. intros q _.
  assert (forall k : list nat, NoDup k -> (forall x y, In x k -> In y k -> x = y) -> length k
    <= 1) as A.
  { intros [|x [|y k]] Nk E; cbn; [lia|lia|]. exfalso. inversion Nk as [|? ? Nx _]; subst. apply Nx.
    rewrite (E x y); cbn; auto. }
  apply A; [apply NoDup_filter, N|]. intros x y Hx Hy.
  apply filter_In in Hx as [Hx Ex], Hy as [Hy Ey]. apply Nat.eqb_eq in Ex, Ey.
  apply D; [assumption|assumption|congruence].
Qed.

Lemma length_without z l : NoDup l -> In z l -> length (filter (fun c => negb (c =? z)) l)
  = length l - 1.
Proof.
  intros N H. destruct (in_split z l H) as [l1 [l2 ->]]. apply NoDup_remove in N as [_ N].
  rewrite filter_app, !app_length. cbn [filter]. rewrite Nat.eqb_refl. cbn [negb].
  assert (forall k, ~ In z k -> filter (fun c => negb (c =? z)) k = k) as A.
  { induction k as [|x k IH]; intros Hk; [reflexivity|]. cbn [filter].
    destruct (Nat.eqb_spec x z) as [->|]; [destruct Hk; left; reflexivity|]. cbn [negb].
    rewrite IH; [reflexivity|]. intros X. apply Hk. right. exact X. }
  rewrite in_app_iff in N. rewrite !A by tauto. cbn [length]. lia.
Qed.

Lemma nodup_app {A} (l k : list A) : NoDup l -> NoDup k -> (forall x, In x l -> ~ In x k) ->
  NoDup (l ++ k).
Proof.
  induction l as [|x l IH]; intros Nl Nk D; [exact Nk|]. apply NoDup_cons_iff in Nl as [Nx Nl]. cbn.
  constructor.
  - rewrite in_app_iff. intros [X|X]; [contradiction|]. apply (D x); [left; reflexivity|exact X].
  - apply IH; auto. intros y Hy. apply D. right. exact Hy.
Qed.

Lemma in_short {A} (l : list A) x y : In x l -> In y l -> length l <= 1 -> x = y.
Proof. destruct l as [|a [|b l]]; cbn; intros; [easy|intuition congruence|lia]. Qed.
