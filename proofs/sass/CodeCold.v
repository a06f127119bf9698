(** * Lines that are missed once, on the paths of warps: theorem 4a of docs/machine-code-bounds.md

    Each sub-core has an L0 of instructions and a cache of constants, the SM an L1 of instructions.
    What has come stays (A3). An instruction states, in [fetch], [operand] and [slot], what its warp
    can miss there ([states_misses]).  Then the rules of the machine hold of these times, whatever
    else is missed meanwhile, and with them all theorems on blocks. *)

From Warpbound Require Import Base Cycles CodeMachine.

(** [line_of]: the line that an instruction is in; [behind]: the lines of the L1 that have it;
    [constant]: the line of constants that it reads.  Times of a miss of each, and the slot of a
    constant's probe. *)
Record lines := Lines {
  line_of : key -> nat; behind : nat -> list nat; constant : key -> option nat;
  miss : nat -> nat; miss_behind : nat -> nat; miss_constant : nat -> nat; probe : nat }.

(** When each line is there: in the L0 of a sub-core, the L1, the constants of a sub-core. *)
Record caches := Caches { there : nat -> nat -> nat; there_behind : nat -> nat;
  constant_there : nat -> nat -> nat }.

Section Cold.
  Variables (m : machine) (b : block) (l : lines).

  (** An earlier instruction of the warp is in the line; in one behind it, or any is of a section
      before that in which it is asked for; reads the constant. *)
  Definition met_line (x : key) : bool := existsb (fun j => line_of l (fst x, j) =? line_of l x)
    (seq 0 (snd x)).
  Definition asked_in (x : key) : nat := sec (get b (fst x, snd x - 1)).
  Definition met_behind (x : key) (v : nat) : bool :=
    existsb (fun j => existsb (Nat.eqb v) (behind l (line_of l (fst x, j)))) (seq 0 (snd x))
    || existsb (fun y => (sec (get b y) <? asked_in x) && (group m (fst y) =? group m (fst x))
         && existsb (Nat.eqb v) (behind l (line_of l y))) (keys b).
  Definition met_constant (x : key) (c : nat) : bool :=
    existsb (fun j => match constant l (fst x, j) with Some d => d =? c | None => false end)
      (seq 0 (snd x)).

  (** What comes to [fetch], [operand] and [slot]. *)
  Definition cold_fetch (x : key) : nat :=
    if met_line x then 0
    else miss l (line_of l x) + sum (fun v => if met_behind x v then 0 else miss_behind l v)
      (behind l (line_of l x)).
  Definition cold_operand (x : key) : nat :=
    match constant l x with Some c => if met_constant x c then 0 else miss_constant l c | None =>
      0 end.
  Definition cold_slot (x : key) : nat :=
    match constant l x with Some c => if met_constant x c then 0 else probe l | None => 0 end.

  (** [warm_fetch], [warm_operand], [warm_slot]: what it states without them. *)
  Record states_misses (warm_fetch warm_operand warm_slot : key -> nat) : Prop := {
    m_fetch : forall x, In x (keys b) -> warm_fetch x + cold_fetch x <= fetch (get b x);
    m_operand : forall x, In x (keys b) -> warm_operand x + cold_operand x <= operand (get b x);
    m_slot : forall x, In x (keys b) -> warm_slot x + cold_slot x <= slot (get b x) }.

  Variables (s : schedule) (c : caches) (warm_fetch warm_operand warm_slot : key -> nat).
  Let home (x : key) : nat := core m (fst x).

  (** Asked for at [t], line [v] is missed behind it if it is not there. *)
  Definition missed_behind (t v : nat) : nat := if there_behind c v
    <=? t then 0 else miss_behind l v.
  Definition fetched (x : key) (t : nat) : nat :=
    t + (miss l (line_of l x) + sum (missed_behind t) (behind l (line_of l x))).

  (** How caches work. *)
  Record keeps_lines : Prop := {
    (* A3: what is issued has been there *)
    k_line : forall x, In x (keys b) -> there c (home x) (line_of l x) <= I s x;
    k_behind : forall x v, In x (keys b) -> In v (behind l (line_of l x)) ->
    there_behind c v <= I s x;
    k_constant : forall x d, In x (keys b) -> constant l x = Some d -> constant_there c (home x) d
      <= I s x;
    (* A4, A5: asked for when the one before is issued, at the latest, a line comes within a miss's
        time *)
    k_fetched : forall w k, In (w, S k) (keys b) ->
    L s (w, k) < there c (home (w, S k)) (line_of l (w, S k)) ->
      there c (home (w, S k)) (line_of l (w, S k)) <= fetched (w, S k) (L s (w, k));
    k_fetched0 : forall w, In (w, 0) (keys b) ->
    rel s (group m w) 0 < there c (home (w, 0)) (line_of l (w, 0)) ->
      there c (home (w, 0)) (line_of l (w, 0)) <= fetched (w, 0) (rel s (group m w) 0);
    k_next : forall w k, In (w, S k) (keys b) -> N s (w, S k) <=
      max (L s (w, k) + stall (get b (w, k)))
        (max (L s (w, k)) (there c (home (w, S k)) (line_of l (w, S k))) + warm_fetch (w, S k));
    k_begin : forall w, In (w, 0) (keys b) -> N s (w, 0) <=
      max (rel s (group m w) 0) (there c (home (w, 0)) (line_of l (w, 0))) + warm_fetch (w, 0);
    (* a constant is asked for when its instruction is chosen *)
    k_chosen : forall x, In x (keys b) -> P s x <= V s x <=
      match constant l x with Some d => max (P s x) (constant_there c (home x) d) | None =>
        P s x end + warm_operand x;
    k_asked : forall x d, In x (keys b) -> constant l x = Some d ->
    P s x < constant_there c (home x) d ->
      constant_there c (home x) d <= P s x + miss_constant l d;
    k_slot : forall x, In x (keys b) -> 1 <= aslot s x <= warm_slot x;
    k_probe : forall x, In x (keys b) -> aprobe s x <=
      match constant l x with Some d => if constant_there c (home x) d <=? P s x then 0 else probe l
        | None => 0 end }.

  (** The rules of [valid] (CodeMachine.v) that say in what order an instruction's own events are,
      and releases. *)
  Hypothesis Order : forall w k, In (w, S k) (keys b) -> L s (w, k) <= P s (w, S k).
  Hypothesis Issue : forall x, In x (keys b) -> P s x <= I s x <= L s x.
  Hypothesis Opened : forall x, In x (keys b) -> rel s (group m (fst x)) (sec (get b x)) <= P s x.
  Hypothesis Arrived : forall x y q, In x (keys b) -> In y (keys b) ->
    group m (fst x) = group m (fst y) ->
    sec (get b x) <= q -> q < sec (get b y) -> I s x < rel s (group m (fst x)) (S q).
  Hypothesis WF : wf m b.
  Hypothesis M : states_misses warm_fetch warm_operand warm_slot.
  Hypothesis K : keeps_lines.

  Lemma own_issues w k j : In (w, k) (keys b) -> j < k -> I s (w, j) <= P s (w, k).
  Proof.
    induction k as [|k IH]; intros Hk Hj; [lia|]. pose proof (Order w k Hk).
    assert (In (w, k) (keys b)) as Kk by (eapply keys_before; [exact Hk|lia]).
    pose proof (Issue _ Kk). destruct (Nat.eq_dec j k) as [->|E]; [lia|].
    specialize (IH Kk ltac:(lia)). lia.
  Qed.

  Lemma own_rooms w k j : In (w, S k) (keys b) -> j < S k -> I s (w, j) <= L s (w, k).
  Proof.
    intros Hk Hj. assert (In (w, k) (keys b)) as Kk by (eapply keys_before; [exact Hk|lia]).
    pose proof (Issue _ Kk). destruct (Nat.eq_dec j k) as [->|E]; [lia|].
    pose proof (own_issues w k j Kk ltac:(lia)). lia.
  Qed.

  Lemma one_of v vs : existsb (Nat.eqb v) vs = true -> In v vs.
  Proof.
    intros H. apply existsb_exists in H as [u [Hu E]]. apply Nat.eqb_eq in E. subst. exact Hu.
  Qed.

  Lemma met_there w k : In (w, S k) (keys b) -> met_line (w, S k) = true ->
    there c (home (w, S k)) (line_of l (w, S k)) <= L s (w, k).
  Proof.
    intros Hk H. apply existsb_exists in H as [j [Hj H]]. apply in_seq in Hj. apply Nat.eqb_eq in H.
    cbn [fst snd] in *. assert (In (w, j) (keys b)) as Kj by (eapply keys_before; [exact Hk|lia]).
    pose proof (k_line K _ Kj) as A. unfold home in *. cbn [fst] in *. rewrite H in A.
    pose proof (own_rooms w k j Hk ltac:(lia)). lia.
  Qed.

  Lemma met_behind_there w k v : In (w, S k) (keys b) -> met_behind (w, S k) v = true ->
    there_behind c v <= L s (w, k).
  Proof.
    intros Hk H. assert (In (w, k) (keys b)) as Kk by (eapply keys_before; [exact Hk|lia]).
    unfold met_behind, asked_in in H. cbn [fst snd] in H. replace (S k - 1) with k in H by lia.
    apply orb_true_iff in H as [H|H].
    - apply existsb_exists in H as [j [Hj H]]. apply in_seq in Hj.
      assert (In (w, j) (keys b)) as Kj by (eapply keys_before; [exact Hk|lia]).
      pose proof (k_behind K _ v Kj (one_of _ _ H)). pose proof (own_rooms w k j Hk ltac:(lia)).
      lia.
    - apply existsb_exists in H as [y [Hy H]]. rewrite !andb_true_iff, Nat.ltb_lt, Nat.eqb_eq in H.
      destruct H as [[Hs Hg] H]. pose proof (k_behind K _ v Hy (one_of _ _ H)).
      pose proof (Arrived y (w, k) (sec (get b (w, k)) - 1) Hy Kk Hg ltac:(lia) ltac:(lia)) as A.
      replace (S (sec (get b (w, k)) - 1)) with (sec (get b (w, k))) in A by lia. rewrite Hg in A.
      pose proof (Opened _ Kk). cbn [fst] in *. pose proof (Issue _ Kk). lia.
  Qed.

  (** A line that is not there comes within what is stated. *)
  Lemma cold_enough w k : In (w, S k) (keys b) ->
    there c (home (w, S k)) (line_of l (w, S k)) <= L s (w, k) + cold_fetch (w, S k).
  Proof.
    intros Hk. unfold cold_fetch.
    destruct (met_line (w, S k)) eqn:E; [pose proof (met_there w k Hk E); lia|].
    destruct (le_lt_dec (there c (home (w, S k)) (line_of l (w, S k))) (L s (w, k)))
      as [C|C]; [lia|]. etransitivity; [apply (k_fetched K w k Hk C)|]. unfold fetched.
    do 2 apply Nat.add_le_mono_l. apply sum_le. intros v _. unfold missed_behind.
    destruct (met_behind (w, S k) v) eqn:F; [|destruct (_ <=? _); lia].
    rewrite (proj2 (Nat.leb_le _ _) (met_behind_there w k v Hk F)). lia.
  Qed.

  Lemma cold_pace w k : In (w, S k) (keys b) ->
    N s (w, S k) <= L s (w, k) + max (stall (get b (w, k))) (fetch (get b (w, S k))).
  Proof.
    intros Hk. pose proof (k_next K w k Hk). pose proof (cold_enough w k Hk).
    pose proof (m_fetch _ _ _ M _ Hk). lia.
  Qed.

  Lemma cold_pace0 w : In (w, 0) (keys b) -> N s (w, 0) <= rel s (group m w) 0
    + fetch (get b (w, 0)).
  Proof.
    intros Hk. pose proof (k_begin K w Hk). pose proof (m_fetch _ _ _ M _ Hk).
    destruct (le_lt_dec (there c (home (w, 0)) (line_of l (w, 0))) (rel s (group m w) 0))
      as [C|C]; [lia|]. pose proof (k_fetched0 K w Hk C) as A.
    assert (fetched (w, 0) (rel s (group m w) 0) <= rel s (group m w) 0 + cold_fetch (w, 0))
      as F; [|lia]. unfold fetched, cold_fetch. change (met_line (w, 0)) with false.
    do 2 apply Nat.add_le_mono_l. apply sum_le. intros v _. unfold missed_behind.
    destruct (met_behind (w, 0) v) eqn:G; [|destruct (_ <=? _); lia]. exfalso.
    unfold met_behind, asked_in in G. cbn [fst snd seq existsb orb] in G.
    apply existsb_exists in G as [y [_ G]]. rewrite !andb_true_iff, Nat.ltb_lt in G.
    destruct G as [[G _] _]. cbn [Nat.sub] in G. pose proof (w_first _ _ WF w Hk). lia.
  Qed.

  (** A constant that an earlier own instruction reads is there. *)
  Lemma met_constant_there x d : In x (keys b) -> met_constant x d = true ->
    constant_there c (home x) d <= P s x.
  Proof.
    destruct x as [w k]. intros Hk H. apply existsb_exists in H as [j [Hj H]]. apply in_seq in Hj.
    cbn [fst snd] in *. destruct (constant l (w, j)) as [e|] eqn:E; [|discriminate].
    apply Nat.eqb_eq in H. subst e.
    assert (In (w, j) (keys b)) as Kj by (eapply keys_before; [exact Hk|lia]).
    pose proof (k_constant K _ d Kj E). pose proof (own_issues w k j Hk ltac:(lia)).
    unfold home in *. cbn [fst] in *. lia.
  Qed.

  Lemma cold_chosen x : In x (keys b) -> P s x <= V s x <= P s x + operand (get b x).
  Proof.
    intros Hx. pose proof (k_chosen K x Hx) as A. pose proof (m_operand _ _ _ M x Hx) as B.
    unfold cold_operand in B. destruct (constant l x) as [d|] eqn:E; [|lia].
    destruct (met_constant x d) eqn:F.
    - pose proof (met_constant_there x d Hx F). lia.
    - destruct (le_lt_dec (constant_there c (home x) d) (P s x)) as [C|C]; [lia|].
      pose proof (k_asked K x d Hx E C). lia.
  Qed.

  Lemma cold_slots x : In x (keys b) -> 1 <= aslot s x /\ aprobe s x + aslot s x <= slot (get b x).
  Proof.
    intros Hx. pose proof (k_slot K x Hx). pose proof (k_probe K x Hx) as A.
    pose proof (m_slot _ _ _ M x Hx) as B. unfold cold_slot in B.
    destruct (constant l x) as [d|] eqn:E; [|lia]. destruct (met_constant x d) eqn:F.
    - rewrite (proj2 (Nat.leb_le _ _) (met_constant_there x d Hx F)) in A. lia.
    - destruct (_ <=? _) in A; lia.
  Qed.
End Cold.

(** *** Theorem 4a: what keeps all other rules of [valid] is valid, with the times that state what a
    warp can miss; so theorems 1 to 3 bound it. *)
Theorem cold_valid m b l s c warm_fetch warm_operand warm_slot :
  wf m b -> states_misses m b l warm_fetch warm_operand warm_slot ->
  keeps_lines m b l s c warm_fetch warm_operand warm_slot ->
  (forall w k, In (w, S k) (keys b) -> L s (w, k) <= P s (w, S k)) ->
  (forall x, In x (keys b) -> V s x <= I s x <= L s x) ->
  (forall x, In x (keys b) -> rel s (group m (fst x)) (sec (get b x)) <= P s x) ->
  (forall x y q, In x (keys b) -> In y (keys b) -> group m (fst x) = group m (fst y) ->
    sec (get b x) <= q -> q < sec (get b y) -> I s x < rel s (group m (fst x)) (S q)) ->
  (* all other rules *)
  ((forall w k, In (w, S k) (keys b) -> N s (w, S k)
    <= L s (w, k) + max (stall (get b (w, k))) (fetch (get b (w, S k)))) ->
   (forall w, In (w, 0) (keys b) -> N s (w, 0) <= rel s (group m w) 0 + fetch (get b (w, 0))) ->
   (forall x, In x (keys b) -> P s x <= V s x <= P s x + operand (get b x)) ->
   (forall x, In x (keys b) -> 1 <= aslot s x /\ aprobe s x + aslot s x <= slot (get b x)) ->
   valid m b s) ->
  valid m b s.
Proof.
  intros WF M K Order Issue Opened Arrived Rest.
  assert (forall x, In x (keys b) -> P s x <= I s x <= L s x) as Issue'.
  { intros x Hx. pose proof (k_chosen _ _ _ _ _ _ _ _ K x Hx). specialize (Issue x Hx). lia. }
  apply Rest.
  - intros w k. eapply cold_pace; eassumption.
  - intros w. eapply cold_pace0; eassumption.
  - intros x. eapply cold_chosen; eassumption.
  - intros x. eapply cold_slots; eassumption.
Qed.
