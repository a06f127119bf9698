(** * What a thread block amounts to in K-CHAIN, computed (docs/sub-core-bounds.md, section 1) *)

From Warpbound Require Import Base Cycles Largest Model Elb Instances Weights ChainWalk ChainWork
  ChainSlot ChainBlock ChainFormulas Stay ChainGrid.

Section Kind.
  Variables (m : machine) (p : block) (home : nat -> option nat) (cores : nat)
    (L h wnd : key -> nat) (K g : nat).
  Notation grp := (fun y => group m (fst y)).
  Notation mine := (filter (fun x => group m (fst x) =? g) (keys p)).

  (** E of the thread block. *)
  Definition work_of : nat := sum (fun x => if group m (fst x) =? g then init (get p x) else 0)
    (keys p).
  (** Its longest latency path. *)
  Definition lam_of : nat := list_max (map (fun x => L x + lat (get p x)) mine).
  (** Its most changes of sub-core, and one. *)
  Definition chg_of : nat := S (list_max (map h mine)).

  (** W and X of the windows, E, what W and lam with sections are more than W, lam, chg. *)
  Definition chain_of : chain_kind :=
    let w := busiest p home cores grp wnd K g in
    Chain w (extras p home cores grp wnd K g) work_of (fine_work m p home cores g + lam_of - w)
      lam_of chg_of.

  Lemma largest_one l : l <> [] -> exists x, In x l /\ largest 1 l <= x.
  Proof.
    induction l as [|x l IH]; [congruence|]. intros _. rewrite largest_cons, largest_0, Nat.add_0_r.
    destruct l as [|y l]; [exists x; split; [left; reflexivity|rewrite largest_nil; lia]|].
    destruct (IH ltac:(discriminate)) as [v [Hv E]]. destruct (le_lt_dec x v).
    - exists v. split; [right; exact Hv|lia].
    - exists x. split; [left; reflexivity|lia].
  Qed.

  (** The busiest sub-core of each window initiates no more than all. *)
  Lemma busiest_less : busiest p home cores grp wnd K g <= work_of.
  Proof.
    unfold busiest. assert (forall j, exists c, largest 1 (row p home cores grp wnd g j)
      <= priv p home grp wnd g j c) as Ex.
    { intros j. unfold row.
      destruct (seq 0 cores) as [|c0 l] eqn:E; [exists 0; rewrite largest_nil; apply Nat.le_0_l|].
      destruct (largest_one (map (priv p home grp wnd g j) (c0 :: l)) ltac:(discriminate))
        as [x [Hx Le]]. apply in_map_iff in Hx as [c [<- _]]. eauto. }
    transitivity (sum (fun j => wsum p (fun y => init (get p y)) (part grp wnd g j)) (seq 0 K)).
    - apply sum_le. intros j _. destruct (Ex j) as [c Hc].
      etransitivity; [apply Nat.add_le_mono_r, Hc|].
      apply wsum_add; intros y _ E; [apply andb_prop in E; tauto|apply andb_prop in E; tauto|].
      intros E2. apply andb_prop in E as [_ E], E2 as [_ E2]. unfold at_home, is_shared in *.
      destruct (home (fu (get p y))); discriminate.
    - unfold wsum. rewrite sum_swap. apply sum_le. intros y _. unfold part.
      destruct (group m (fst y) =? g); [|apply Nat.eq_le_incl, sum_zero; reflexivity]. cbn [andb].
      apply sum_once; [apply seq_NoDup|intros j _; destruct (wnd y =? j); lia|].
      intros a c _ _ Ha Hc. destruct (Nat.eqb_spec (wnd y) a), (Nat.eqb_spec (wnd y) c); congruence.
  Qed.

  (** *** It is as ChainGrid.v asks. *)
  Theorem chain_of_amounts : chain_amounts m p home cores L h wnd K g chain_of.
  Proof.
    assert (forall x, of m p g x -> In x mine) as Hm.
    { intros x [Hx Hg]. apply filter_In. split; [exact Hx|apply Nat.eqb_eq, Hg]. }
    constructor; cbn [chain_of cW cX cE cO cL cH].
    - apply le_n.
    - intros x Hx. apply list_max_ge, (in_map (fun x => L x + lat (get p x))), Hm, Hx.
    - intros x Hx. unfold chg_of.
      pose proof (list_max_ge (h x) (map h mine) (in_map h mine x (Hm x Hx))). lia.
    - unfold chg_of. lia.
    - lia.
    - apply busiest_less.
    - intros n. apply le_n.
  Qed.
End Kind.
