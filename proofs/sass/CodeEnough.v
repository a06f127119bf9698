(** * What bounds need of a schedule

    Less than M1 to M7: no event takes a cycle at least.  So the rules stay true where some cycles
    are left out and what remains is drawn together (CodeOutside.v).  [valid_enough]: a valid
    schedule keeps them. *)

From Warpbound Require Import Base CodeMachine.

(** [J]: the end of an instruction's issue, in a valid schedule the cycle behind [I].  [enters]: it
    enters a stage and does not pass it over. *)
Record enough (m : machine) (b : block) (s : schedule) (J : key -> nat)
    (enters : key -> nat -> bool) : Prop := {
  e_hold : forall x i, In x (keys b) -> i < stages b x -> ah s x i <= hold (st b x i);
  e_transfer : forall x i, In x (keys b) -> i < stages b x -> atr s x i <= transfer (st b x i);
  e_write : forall x, In x (keys b) -> aw s x <= write (get b x);
  e_read : forall x, In x (keys b) -> ar s x <= read (get b x);
  e_holds : forall x i, In x (keys b) -> i < stages b x -> 1 <= ah s x i -> enters x i = true;
  e_pass : forall x i, In x (keys b) -> S i < stages b x -> enters x (S i) = true ->
    enters x i = true;
  e_waits : forall x i, In x (keys b) -> i < stages b x -> clash m (unit (st b x i)) = false ->
    A s x i < D s x i -> enters x i = true;
  (* M1 *)
  e_pace : forall w k, In (w, S k) (keys b) ->
    N s (w, S k) <= L s (w, k) + max (stall (get b (w, k))) (fetch (get b (w, S k)));
  e_pace0 : forall w, In (w, 0) (keys b) -> N s (w, 0) <= rel s (group m w) 0
    + fetch (get b (w, 0));
  e_order : forall w k, In (w, S k) (keys b) -> L s (w, k) <= P s (w, S k);
  e_opened : forall x, In x (keys b) -> rel s (group m (fst x)) (sec (get b x)) <= P s x;
  e_constant : forall x, In x (keys b) -> P s x <= V s x <= P s x + operand (get b x);
  e_issue : forall x, In x (keys b) -> V s x <= I s x <= L s x;
  e_ask : forall x i, In x (keys b) -> i < stages b x -> A s x i <= D s x i;
  (* M2 *)
  e_slot : forall x, In x (keys b) -> aprobe s x + aslot s x <= slot (get b x)
    /\ aprobe s x + 1 <= slot (get b x);
  e_probe : forall x, In x (keys b) -> P s x + aprobe s x <= V s x;
  e_issued : forall x, In x (keys b) -> I s x <= J x <= L s x + aslot s x;
  (* M3 *)
  e_conserving : forall w k t, In (w, k) (keys b) -> may_issue b m s w k t ->
    (exists y, In y (keys b) /\ core m (fst y) = core m w
       /\ (issues s y t = true \/ I s y <= t < L s y))
    \/ (exists u, at_stage b (w, k) 0 u /\ latch m b (w, k) = true /\ in_use m b s u t)
    \/ (exists u, queued m b (w, k) /\ holds_issue m = false /\ at_stage b (w, k) 0 u /\
      in_queue b m s u t);
  e_latch : forall x, In x (keys b) -> latch m b x = true -> D s x 0 = I s x;
  e_room : forall x, In x (keys b) -> L s x = I s x \/ (queued m b x /\ holds_issue m = true);
  (* M4, M5 *)
  e_busy : forall w k i u t, at_stage b (w, k) i u -> A s (w, k) i <= t < D s (w, k) i ->
    (clash m u = false -> forall o j, o < k -> at_stage b (w, o) j u -> D s (w, o) j <= t) ->
    taken m b s u t;
  e_full : forall x u t, at_stage b x 0 u -> I s x <= t < L s x -> in_queue b m s u t;
  (* M6 *)
  e_in_order : forall w o k i j u, at_stage b (w, o) i u -> at_stage b (w, k) j u ->
    clash m u = false -> o < k -> enters (w, k) j = true ->
    D s (w, o) i + ah s (w, o) i <= D s (w, k) j;
  (* M7 *)
  e_release : forall g q n,
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) <= q ->
      L s x + aslot s x <= n) ->
    (forall x, In x (keys b) -> group m (fst x) = g -> sec (get b x) <= q -> bar (get b x) = true ->
      E b s x <= n) ->
    rel s g q <= n ->
    rel s g (S q) <= n + release m;
  e_releases : forall g q, rel s g q <= rel s g (S q);
  e_arrived : forall x y q, In x (keys b) -> In y (keys b) -> group m (fst x) = group m (fst y) ->
    sec (get b x) <= q -> q < sec (get b y) -> J x <= rel s (group m (fst x)) (S q) }.

(** *** M1 to M7 are enough. *)
Theorem valid_enough m b s : wf m b -> valid m b s ->
  enough m b s (fun x => S (I s x)) (fun x i => 0 <? ah s x i).
Proof.
  intros WF OK.
  assert (forall w o k i j u, at_stage b (w, o) i u -> at_stage b (w, k) j u -> clash m u = false ->
    o < k -> 1 <= ah s (w, k) j -> D s (w, o) i + ah s (w, o) i <= D s (w, k) j) as Follows.
  { intros w o k i j u Ho Hk C Hlt H.
    pose proof (v_in_order _ _ _ OK w o k i j u Ho Hk C Hlt H) as Hd.
    destruct (Nat.eq_dec (ah s (w, o) i) 0) as [E|]; [lia|].
    apply (v_alone _ _ _ OK _ _ i j u Ho Hk); [intros X; injection X; lia|lia|exact Hd|lia]. }
  split; try apply OK.
  - intros x i _ _ H. apply Nat.ltb_lt, H.
  - intros x i Hx Hi H. apply Nat.ltb_lt in H. apply Nat.ltb_lt.
    destruct (Nat.eq_dec (ah s x i) 0) as [E|]; [|lia]. pose proof (v_pass _ _ _ OK x i Hx Hi E).
    lia.
  - intros x i Hx Hi C H. apply Nat.ltb_lt. destruct (Nat.eq_dec (ah s x i) 0) as [E|]; [|lia].
    pose proof (v_passed _ _ _ OK x i Hx Hi E C). lia.
  - intros x Hx. pose proof (v_slot _ _ _ OK x Hx). lia.
  - intros x Hx. pose proof (v_slot _ _ _ OK x Hx). pose proof (v_issue _ _ _ OK x Hx). lia.
  - intros w k i u t Hk Ht Hb. apply (held_behind m b s t WF); [| | | |eapply at_unit, Hk|].
    + intros w' k' i' u'. apply (v_serves _ _ _ OK).
    + intros x j v Hv Q H. pose proof (at_key _ _ _ _ Hv) as Hx.
      pose proof (v_transfer _ _ _ OK x j Hx ltac:(destruct Hv; lia)).
      rewrite (w_transfer _ _ WF x j v Hv Q) in *. cbn [A]. lia.
    + intros x j v [Hx [Hj <-]] C Z H. rewrite (v_passed _ _ _ OK x (S j) Hx Hj); auto.
      apply (v_pass _ _ _ OK x j Hx Hj Z).
    + intros w' o k' j v Ho Hk'. apply Follows; assumption.
    + apply (v_serves _ _ _ OK w k i u t Hk Ht Hb).
  - intros w o k i j u Ho Hk C Hlt H. apply (Follows w o k i j u Ho Hk C Hlt), Nat.ltb_lt, H.
  - intros g q n H1 H2 H3. apply (v_release _ _ _ OK); [|exact H2|exact H3].
    intros x Hx Hg Hs. pose proof (H1 x Hx Hg Hs). pose proof (v_slot _ _ _ OK x Hx).
    pose proof (v_issue _ _ _ OK x Hx). lia.
Qed.

(** It keeps them with some [J] and [enters]. *)
Definition lawful (m : machine) (b : block) (s : schedule) : Prop :=
  exists J enters, enough m b s J enters.
