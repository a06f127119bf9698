(** * What stalls, slots, latches and waits leave behind an instruction

    Q of docs/machine-code-bounds.md, section 4, needs more than M1 to M7: [kept].  What it follows
    from is [leaves], which says of no event that it takes a cycle at least, as CodeEnough.v. *)

From Warpbound Require Import Base Cycles Largest CodeMachine.

(** Rules of which only this needs more than [valid] has: a stall takes no less than [least] from
    the issue on, and a cycle; the slot of the one before is over in the cycle behind that in which
    an instruction is chosen; and it is not chosen before a count that it has to see is undone.  A
    stall need not count from when there is room in a queue, as [valid] allows. *)
Record kept (b : block) (s : schedule) (least : key -> nat) : Prop := {
  k_least : forall w k, In (w, S k) (keys b) -> I s (w, k) + max 1 (least (w, k)) <= P s (w, S k);
  k_slot_over : forall w k, In (w, S k) (keys b) -> L s (w, k) + aslot s (w, k) <= P s (w, S k) + 1;
  k_seen : forall w k c j, In (w, k) (keys b) -> In (c, 0) (waits (get b (w, k))) ->
  In j (increments b c w k) ->
    I s (w, fst j) + 2 <= P s (w, k) -> undone b s w j <= P s (w, k) }.

(** [y] is waited for up to position [e], by an instruction that is sure to see its count. *)
Definition awaited_by (b : block) (least : key -> nat) (y : key) (e : nat) : Prop :=
  exists k c r, k <= e /\ In (c, 0) (waits (get b (fst y, k))) /\
  In (snd y, r) (increments b c (fst y) k)
    /\ (snd y + 2 <= k \/ 2 <= least y).

(** A latch that a later instruction up to [e] takes is free again. *)
Definition retaken (m : machine) (b : block) (y : key) (e : nat) : Prop :=
  exists j u, snd y < j <= e /\ at_stage b y 0 u /\ at_stage b (fst y, j) 0 u
    /\ latch m b y = true /\ latch m b (fst y, j) = true.

(** The least time from the choice of [y] to that of position [e]. *)
Definition least_sum (least : key -> nat) (y : key) (e : nat) : nat :=
  sum (fun j => least (fst y, j)) (seq (snd y) (e - snd y)).

(** At the end [J] of the issue of [e] slots of earlier instructions of its warp are over, of its
    own a cycle at least if it has no queue; what is waited for has ended; and latches are held no
    longer than the stalls in between let them. *)
Record leaves (m : machine) (b : block) (s : schedule) (J least : key -> nat) : Prop := {
  f_issue : forall w j e, In (w, e) (keys b) -> j <= e -> I s (w, j) <= J (w, e);
  f_slot : forall w j e, In (w, e) (keys b) -> j < e -> L s (w, j) + aslot s (w, j) <= J (w, e);
  f_own_slot : forall x, In x (keys b) -> stages b x = 0 \/ latch m b x = true ->
    L s x + aslot s x <= J x + (slot (get b x) - 1);
  f_awaited : forall w j e, In (w, e) (keys b) -> awaited_by b least (w, j) e ->
    E b s (w, j) <= J (w, e);
  f_retaken : forall w j e, In (w, e) (keys b) -> retaken m b (w, j) e ->
    D s (w, j) 0 + ah s (w, j) 0 <= J (w, e);
  f_latch : forall w j e, In (w, e) (keys b) -> j <= e -> latch m b (w, j) = true ->
    D s (w, j) 0 + ah s (w, j) 0
      <= J (w, e) + (hold (st b (w, j) 0) - (least_sum least (w, j) e + 1)) }.

Section Kept.
  Variables (m : machine) (b : block) (s : schedule) (least : key -> nat).

  (** Rules of [valid] that hold of any cycles. *)
  Hypothesis Order : forall w k, In (w, S k) (keys b) -> L s (w, k) <= P s (w, S k).
  Hypothesis Issue : forall x, In x (keys b) -> P s x <= I s x <= L s x.
  Hypothesis Slot : forall x, In x (keys b) -> 1 <= aslot s x /\ aslot s x <= slot (get b x).
  Hypothesis Latch : forall x, In x (keys b) -> latch m b x = true -> D s x 0 = I s x.
  Hypothesis Room : forall x, In x (keys b) ->
    L s x = I s x \/ (queued m b x /\ holds_issue m = true).
  Hypothesis First : forall x, In x (keys b) -> 1 <= stages b x -> 1 <= ah s x 0.
  Hypothesis Alone : forall x y i j u, at_stage b x i u -> at_stage b y j u -> x <> y ->
    1 <= ah s x i -> D s x i <= D s y j -> 1 <= ah s y j -> D s x i + ah s x i <= D s y j.
  Hypothesis Hold : forall x, In x (keys b) -> latch m b x = true -> ah s x 0 <= hold (st b x 0).
  Hypothesis K : kept b s least.

  Lemma in_order w j e : In (w, e) (keys b) -> j < e -> L s (w, j) <= P s (w, e).
  Proof.
    induction e as [|e IH]; intros He Hj; [lia|]. pose proof (Order w e He).
    destruct (Nat.eq_dec j e) as [->|N]; [assumption|].
    assert (In (w, e) (keys b)) as He' by (eapply keys_before; [exact He|lia]).
    specialize (IH He' ltac:(lia)). pose proof (Issue _ He'). lia.
  Qed.

  Lemma issues_grow w j e : In (w, e) (keys b) -> j <= e -> I s (w, j) <= I s (w, e).
  Proof.
    intros He Hj. destruct (Nat.eq_dec j e) as [->|N]; [apply le_n|].
    pose proof (in_order w j e He ltac:(lia)). pose proof (Issue _ He).
    pose proof (Issue (w, j) ltac:(eapply keys_before; [exact He|lia])). lia.
  Qed.

  Lemma least_passed w j e : In (w, e) (keys b) -> j <= e ->
    I s (w, j) + least_sum least (w, j) e <= I s (w, e).
  Proof.
    unfold least_sum. simpl fst. simpl snd. intros He Hj.
    induction e as [|e IH]; [replace j with 0 by lia; rewrite Nat.sub_diag; cbn; lia|].
    destruct (Nat.eq_dec j (S e)) as [->|N]; [rewrite Nat.sub_diag; cbn; lia|].
    specialize (IH ltac:(eapply keys_before; [exact He|lia]) ltac:(lia)).
    pose proof (k_least _ _ _ K w e He). pose proof (Issue _ He).
    replace (S e - j) with (e - j + 1) by lia. rewrite seq_app, sum_app. cbn [seq]. rewrite sum_one.
    replace (j + (e - j)) with e by lia. lia.
  Qed.

  (** What is waited for has ended. *)
  Lemma awaited_ended u j e : In (u, e) (keys b) -> awaited_by b least (u, j) e ->
    E b s (u, j) <= S (I s (u, e)).
  Proof.
    intros He [k [c [r [Hk [Hc [Hin Hsee]]]]]]. simpl in *.
    pose proof (increments_before b c u k _ Hin) as Hlt. simpl in Hlt.
    assert (In (u, k) (keys b)) as Kk by (eapply keys_before; [exact He|lia]).
    pose proof (issues_grow u k e He Hk). pose proof (Issue _ Kk).
    assert (I s (u, j) + 2 <= P s (u, k)) as H2.
    { assert (In (u, S j) (keys b)) as K1 by (eapply keys_before; [exact Kk|lia]).
      pose proof (k_least _ _ _ K u j K1). pose proof (Issue _ K1).
      destruct (Nat.eq_dec k (S j)) as [->|N]; [lia|].
      assert (In (u, S (S j)) (keys b)) as K2 by (eapply keys_before; [exact Kk|lia]).
      pose proof (k_least _ _ _ K u (S j) K2). pose proof (Issue _ K2).
      destruct (Nat.eq_dec k (S (S j))) as [->|N']; [lia|].
      pose proof (in_order u (S (S j)) k Kk ltac:(lia)). lia. }
    pose proof (k_seen _ _ _ K u k c (j, r) Kk Hc Hin H2) as HU. unfold undone in HU. simpl in HU.
    destruct r; lia.
  Qed.

  (** *** So [leaves] follows. *)
  Theorem kept_leaves : leaves m b s (fun x => S (I s x)) least.
  Proof.
    split.
    - intros w j e He Hj. pose proof (issues_grow w j e He Hj). lia.
    - intros w j e He Hj.
      assert (In (w, S j) (keys b)) as K1 by (eapply keys_before; [exact He|lia]).
      pose proof (k_slot_over _ _ _ K w j K1). pose proof (issues_grow w (S j) e He ltac:(lia)).
      pose proof (Issue _ K1). lia.
    - intros x Hx Hs. pose proof (Slot x Hx). enough (L s x = I s x) by lia.
      destruct (Room x Hx) as [C|[[u [[_ [Hu _]] [Hl _]]] _]]; [exact C|exfalso].
      destruct Hs as [Hs|Hs]; [lia|congruence].
    - intros w j e He. apply awaited_ended, He.
    - intros w j e He [j' [v [Hj [A1 [A2 [L1 L2]]]]]]. simpl in *.
      pose proof (at_key _ _ _ _ A1) as K1. pose proof (at_key _ _ _ _ A2) as K2.
      pose proof (Latch _ K1 L1). pose proof (Latch _ K2 L2).
      pose proof (issues_grow w j j' K2 ltac:(lia)). pose proof (issues_grow w j' e He ltac:(lia)).
      pose proof (First _ K1 ltac:(destruct A1; lia)).
      pose proof (First _ K2 ltac:(destruct A2; lia)).
      pose proof (Alone (w, j) (w, j') 0 0 v A1 A2 ltac:(intros X; injection X as X; lia)
        ltac:(lia) ltac:(lia) ltac:(lia)). lia.
    - intros w j e He Hj Hl. assert (In (w, j) (keys b)) as Kj by (eapply keys_before; eassumption).
      pose proof (Latch _ Kj Hl). pose proof (Hold _ Kj Hl). pose proof (least_passed w j e He Hj).
      lia.
  Qed.
End Kept.

(** *** Of a valid schedule that is [kept] *)
Theorem valid_leaves m b s least : valid m b s -> kept b s least ->
  leaves m b s (fun x => S (I s x)) least.
Proof.
  intros OK K. apply kept_leaves; try apply OK; try exact K.
  - intros x Hx. pose proof (v_constant _ _ _ OK x Hx). pose proof (v_issue _ _ _ OK x Hx). lia.
  - intros x Hx. pose proof (v_slot _ _ _ OK x Hx). lia.
  - intros x Hx Hl. apply (v_hold _ _ _ OK x 0 Hx). unfold stages. unfold latch in Hl.
    destruct (way (get b x)); [discriminate|simpl; lia].
Qed.
