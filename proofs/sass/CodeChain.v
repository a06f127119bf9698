(** * K-CHAIN of machine code: theorem 5 of docs/machine-code-bounds.md, coarse sums

    Lemma 4: a thread block has a route through the sub-cores, which changes at releases of its
    barriers, such that at most lam cycles of its stay are covered for the route by nobody.  Who
    holds a unit that the route's sub-core reaches covers a cycle for it, or else who holds its
      issue
    stage, or was issued there less than its hold before.  So SMs keep the accounts of
    kernel/ChainFormulas.v (kernel/ChainAccounts.v). *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Ledger Tail
  GridLedger ChainAccounts ChainDispatch ChainBalance ChainArea Dynamic OneSm Held CodeMachine
  CodeEnough CodeLate CodeReady CodeElb CodeOwn CodeLedger.

(** ** The best route *)
Section Best.
  Variables (cov : nat -> nat -> bool) (cores : nat).

  (** The most cycles before [t] that a route covers which comes to sub-core [c] with at most [q]
      changes *)
  Fixpoint best (t q c : nat) : nat :=
    match t with
    | 0 => 0
    | S u => max (best u q c + Nat.b2n (cov c u)) match q with
        | 0 => 0
        | S p => list_max (map (fun d => best u p d + Nat.b2n (cov d u)) (seq 0 cores))
        end
    end.

  Lemma best_counts t q c : best t q c + Nat.b2n (cov c t) <= best (S t) q c.
  Proof. cbn [best]. lia. Qed.

  Lemma best_turns t : forall q r c, q <= r -> best t q c <= best t r c.
  Proof.
    induction t as [|u IH]; intros q r c H; [apply le_n|]. cbn [best]. pose proof (IH q r c H).
    destruct q as [|p]; [lia|]. destruct r as [|r]; [lia|].
    enough (list_max (map (fun d => best u p d + Nat.b2n (cov d u)) (seq 0 cores))
      <= list_max (map (fun d => best u r d + Nat.b2n (cov d u)) (seq 0 cores))) by lia.
    apply list_max_le_in. intros y Hy. apply in_map_iff in Hy as [d [<- Hd]].
    etransitivity; [apply Nat.add_le_mono_r, (IH p r d); lia|].
    apply (list_max_in_ge (fun d => best u r d + Nat.b2n (cov d u))), Hd.
  Qed.

  Lemma best_changes t q c d : c < cores -> best t q c <= best t (S q) d.
  Proof.
    intros Hc. destruct t as [|u]; [apply le_n|]. cbn [best].
    assert (forall p a, p <= q -> a < cores -> best u p a + Nat.b2n (cov a u)
      <= list_max (map (fun d => best u q d + Nat.b2n (cov d u)) (seq 0 cores))) as A.
    { intros p a Hp Ha. etransitivity; [apply Nat.add_le_mono_r, (best_turns u p q a Hp)|].
      apply (list_max_in_ge (fun d => best u q d + Nat.b2n (cov d u))), in_seq. lia. }
    pose proof (A q c (le_n _) Hc). destruct q as [|p]; [lia|].
    enough (list_max (map (fun d => best u p d + Nat.b2n (cov d u)) (seq 0 cores))
      <= list_max (map (fun d => best u (S p) d + Nat.b2n (cov d u)) (seq 0 cores))) by lia.
    apply list_max_le_in. intros y Hy. apply in_map_iff in Hy as [a [<- Ha]]. apply in_seq in Ha.
    apply A; lia.
  Qed.

  (** It is covered by a route. *)
  Lemma best_route t : forall q c, exists ro, (forall z, cnt (turns_at ro) z <= q)
    /\ (forall u, t <= u -> ro u = c) /\ best t q c <= cnt (fun u => cov (ro u) u) t.
  Proof.
    induction t as [|u IH]; intros q c.
    - exists (fun _ => c). split; [|split; [reflexivity|apply le_n]]. intros z.
      rewrite cnt_none; [lia|]. intros t _. unfold turns_at. rewrite Nat.eqb_refl. reflexivity.
    - cbn [best]. destruct (IH q c) as [ro [T [A C]]].
      assert (best u q c + Nat.b2n (cov c u) <= cnt (fun t => cov (ro t) t) (S u)) as One.
      { cbn [cnt]. rewrite (A u (le_n _)). destruct (cov c u); cbn; lia. }
      destruct q as [|p]; [exists ro; split; [exact T|]; split; [intros; apply A; lia|lia]|].
      set (l := map (fun d => best u p d + Nat.b2n (cov d u)) (seq 0 cores)).
      destruct (le_lt_dec (list_max l) (best u (S p) c + Nat.b2n (cov c u))) as [L|L];
        [exists ro; split; [exact T|]; split; [intros; apply A; lia|lia]|].
      assert (l <> []) as Ne by (intros E; rewrite E in L; cbn in L; lia).
      pose proof (list_max_in l Ne) as Hin. apply in_map_iff in Hin as [d [E _]].
      destruct (IH p d) as [ro' [T' [A' C']]]. exists (splice (S u) ro' (fun _ => c)).
      split; [|split].
      + intros z. pose proof (splice_turns (S u) ro' (fun _ => c) z) as H. specialize (T' z).
        rewrite (cnt_none (fun t => (S u <=? t) && turns_at (fun _ => c) t)) in H; [lia|].
        intros t _. unfold turns_at. rewrite Nat.eqb_refl. apply andb_false_r.
      + intros t Ht. apply splice_behind, Ht.
      + etransitivity; [|apply (cnt_le (fun t => cov (ro' t) t));
          intros t Ht H; rewrite splice_before by exact Ht; exact H].
        cbn [cnt]. rewrite (A' u (le_n _)). fold l. destruct (cov d u); cbn in *; lia.
  Qed.
End Best.

(** ** What instructions pay for a sub-core *)
Section Pays.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.
  (** The sub-core that alone reaches a unit; [None]: all do. *)
  Variable home : nat -> option nat.
  Definition reached (c v : nat) : bool := match home v with None => true | Some d => d =? c end.
  Hypothesis Home : forall x i u v, at_stage b x i u -> B m b u v ->
    reached (core m (fst x)) v = true.

  (** [x] holds a unit that [c] reaches; somebody does. *)
  Definition uses_for (c : nat) (x : key) (t : nat) : bool :=
    existsb (fun i => reached c (unit (st b x i)) && holds b s x i t) (seq 0 (stages b x)).
  Definition in_reach (c t : nat) : bool := existsb (fun x => uses_for c x t) (keys b).
  (** [x] pays for [c] in cycle [t]. *)
  Definition pays_for (c : nat) (x : key) (t : nat) : bool := uses_for c x t
    || (negb (in_reach c t) && ((core m (fst x) =? c)
      && (((P s x <=? t) && (t <? P s x + aprobe s x))
        || ((L s x <=? t) && (t <? L s x + window b s x))))).
  (** How long [x] holds units that all sub-cores reach; its work without that *)
  Definition wide (x : key) : nat :=
    sum (fun i => match home (unit (st b x i)) with None => hold (st b x i) | _ => 0 end)
      (seq 0 (stages b x)).
  Definition narrow (x : key) : nat := work b x - wide x.

  Lemma uses_for_iff c x t : uses_for c x t = true <-> exists i, i < stages b x
    /\ reached c (unit (st b x i)) = true /\ holds b s x i t = true.
  Proof.
    unfold uses_for. rewrite existsb_exists. split.
    - intros [i [Hi H]]. apply in_seq in Hi. apply andb_prop in H as [H1 H2]. exists i.
      repeat split; [lia|assumption..].
    - intros [i [Hi [H1 H2]]]. exists i. rewrite H1, H2. split; [apply in_seq; lia|reflexivity].
  Qed.

  Lemma someone_pays c t : in_reach c t = true -> exists y, In y (keys b) /\ pays_for c y t = true
    /\ uses_unit b s y t = true.
  Proof.
    intros H. apply existsb_exists in H as [y [Hy H]]. exists y. split; [exact Hy|].
    split; [unfold pays_for; rewrite H; reflexivity|]. apply uses_for_iff in H as [i [Hi [_ H]]].
    apply existsb_exists. exists i. split; [apply in_seq; lia|exact H].
  Qed.

  Lemma pays_work ro x n : In x (keys b) -> cnt (fun t => pays_for (ro t) x t) n <= work b x.
  Proof.
    intros Hx. etransitivity; [|apply (charge_window m b s OK
      (fun t => negb (in_reach (core m (fst x)) t)) x n Hx)].
    - apply cnt_le. intros t _ H. apply orb_true_iff in H as [H|H].
      + apply uses_for_iff in H as [i [Hi [_ H]]]. apply orb_true_iff. left. apply existsb_exists.
        exists i. split; [apply in_seq; lia|exact H].
      + apply andb_prop in H as [H1 H2]. apply andb_prop in H2 as [H2 H3]. apply Nat.eqb_eq in H2.
        rewrite H2, H1, H3. apply orb_true_r.
    - intros t Hp Ht. apply negb_false_iff.
      destruct (latch m b x) eqn:E.
      { pose proof (e_latch _ _ _ _ _ OK x Hx E). pose proof (issue_order m b s OK x Hx). lia. }
      destruct (queue_taken m b s WF OK (unit (st b x 0)) t) as [y [i [v [Hy [HB Hh]]]]].
      + exists x. split; [apply at_own; [exact Hx|lia]|]. split; [exact E|exact Ht].
      + pose proof Hy as [Ky [Hi Hv]]. apply existsb_exists. exists y. split; [exact Ky|].
        apply uses_for_iff. exists i. split; [exact Hi|]. split; [|exact Hh]. rewrite Hv.
        apply (Home x 0 _ v (at_own b x 0 Hx ltac:(lia)) HB).
  Qed.

  (** For sub-cores other than its own it pays only on units that all reach. *)
  Lemma pays_wide ro x a z : In x (keys b) -> (forall t, a <= t < z -> ro t <> core m (fst x)) ->
    cnt (fun t => (a <=? t) && pays_for (ro t) x t) z <= wide x.
  Proof.
    intros Hx N. etransitivity; [apply (cnt_le _ (fun t => existsb (fun i =>
      match home (unit (st b x i)) with None => holds b s x i t | _ => false end)
        (seq 0 (stages b x))))|].
    - intros t Ht H. apply andb_prop in H as [H0 H]. apply Nat.leb_le in H0.
    specialize (N t ltac:(lia)).
      apply orb_true_iff in H as [H|H].
      + apply uses_for_iff in H as [i [Hi [H1 H2]]]. apply existsb_exists. exists i.
        split; [apply in_seq; lia|]. unfold reached in H1.
        destruct (home (unit (st b x i))) as [d|] eqn:E; [|exact H2]. exfalso.
        pose proof (Home x i _ _ (at_own b x i Hx Hi) (B_self _ _ _)) as R. unfold reached in R.
        rewrite E in R. apply Nat.eqb_eq in R, H1. congruence.
      + apply andb_prop in H as [_ H]. apply andb_prop in H as [H _]. apply Nat.eqb_eq in H.
      congruence.
    - etransitivity; [apply (cnt_exists (fun t i =>
        match home (unit (st b x i)) with None => holds b s x i t | _ => false end))|].
      apply sum_le. intros i Hi. apply in_seq in Hi. destruct (home _); [rewrite cnt_none; auto|].
      etransitivity; [|apply (e_hold _ _ _ _ _ OK x i Hx); lia].
      etransitivity; [|apply (cnt_interval (D s x i) (ah s x i) z)]. apply cnt_le. intros t _ Ht.
      apply holds_iff in Ht as [_ Ht]. apply andb_true_intro.
      split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.
End Pays.

(** ** What a thread block amounts to *)

(** Changes on the way to section [q] in sub-core [c], of a thread block that has warps in sub-core
    [only] alone, or in several *)
Definition turns_to (only : option nat) (c q : nat) : nat :=
  match only with Some d => if c =? d then 0 else S q | None => q end.

(** What all sub-cores reach of thread block [b], and the rest by sub-core *)
Definition shared_of (m : machine) (p : block) (home : nat -> option nat) (b : nat) : nat :=
  sum (fun x => if group m (fst x) =? b then wide p home x else 0) (keys p).
Definition own_of (m : machine) (p : block) (home : nat -> option nat) (b c : nat) : nat :=
  sum (fun x => if (group m (fst x) =? b) && (core m (fst x) =? c) then narrow p home x else 0)
    (keys p).

(** W, X, own and chg of the page *)
Record chain_code (m : machine) (p : block) (home : nat -> option nat) (cores : nat)
    (only : option nat) (k : chain_kind) (b : nat) : Prop := {
  cc_only : forall x c, In x (keys p) -> group m (fst x) = b -> only = Some c ->
    core m (fst x) = c;
  cc_turns : forall x, In x (keys p) -> group m (fst x) = b ->
    turns_to only (core m (fst x)) (sec (get p x)) + 1 <= cH k;
  cc_turn : 1 <= cH k;
  cc_less : cW k <= cE k;
  cc_owned : cL k + largest (cH k - 1) (cX k) <= cO k;
  cc_others : forall n, shared_of m p home b + largest (S n) (map (own_of m p home b) (seq 0 cores))
    <= cW k + largest n (cX k) }.

(** ** Kernels *)
Section Kernel.
  Variables (M R delta : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run).
  Hypothesis V : code_run M R delta mach prog sched X lawful.
  Variables (ck : nat -> chain_kind) (lP lI : nat -> key -> nat) (lD : nat -> key -> nat -> nat)
    (lR : nat -> nat -> nat -> nat).
  Hypothesis HK : code_amounts M mach prog (count X) (sm X) (fun b => plain (ck b)) lP lI lD lR.
  Notation whose i x := (group (mach i) (fst x)).
  Notation core_of i x := (core (mach i) (fst x)).
  (** Of each SM to which sub-core its units are private *)
  Variables (home : nat -> nat -> option nat) (cores : nat).
  Hypothesis Home : forall i x j u v, i < M -> at_stage (prog i) x j u ->
    B (mach i) (prog i) u v -> reached (home i) (core_of i x) v = true.
  Hypothesis Cores : forall i x, i < M -> In x (keys (prog i)) -> core_of i x < cores.

  (** The only sub-core of a thread block; [None]: it may have several *)
  Variable only : nat -> option nat.
  Hypothesis HC : forall b, b < count X ->
    chain_code (mach (sm X b)) (prog (sm X b)) (home (sm X b)) cores (only b) (ck b) b.

  (** What thread block [b] pays for sub-core [c] until it has ended *)
  Definition chain_pays (c b t : nat) : nat := let i := sm X b in
    if t <? fin X b then sum (fun x => Nat.b2n ((whose i x =? b)
      && pays_for (mach i) (prog i) (sched i) (home i) c x t)) (keys (prog i)) else 0.

  Lemma chain_ledger : ledger X M R delta (fun b => plain (ck b)).
  Proof.
    apply (code_ledger M R delta mach prog sched X V _ lP lI lD lR HK). intros b _. left.
    apply le_n.
  Qed.

  Section Block.
    Variable b : nat.
    Hypothesis Hb : b < count X.
    Notation i := (sm X b).
    Notation m := (mach i).
    Notation p := (prog i).
    Notation s := (sched i).

    Lemma sm_here : i < M.
    Proof. apply (d_sm _ _ _ _ (c_dispatched _ _ _ _ _ _ _ _ V) b Hb). Qed.
    Let WF : CodeMachine.wf m p := proj1 (c_machine _ _ _ _ _ _ _ _ V i sm_here).
    Let Lawful : lawful m p s := proj2 (c_machine _ _ _ _ _ _ _ _ V i sm_here).
    Let Here := fun x j u v => Home i x j u v sm_here.

    Lemma pays_then c x t : In x (keys p) -> pays_for m p s (home i) c x t = true ->
      rel s (whose i x) 0 <= t.
    Proof.
      intros Hx H. destruct Lawful as [J [enters OK]]. destruct x as [w k].
      assert (rel s (group m w) 0 <= P s (w, k)) as HP.
      { etransitivity; [|apply (e_opened _ _ _ _ _ OK (w, k) Hx)]. cbn [fst].
        induction (sec (get p (w, k))) as [|q IH]; [apply le_n|].
        etransitivity; [exact IH|apply (e_releases _ _ _ _ _ OK)]. }
      pose proof (issue_order m p s OK _ Hx) as O. cbn [fst]. apply orb_true_iff in H as [H|H].
      - apply uses_for_iff in H as [j [Hj [_ H]]]. apply holds_iff in H as [_ H].
        pose proof (room_before_stage m p s OK (w, k) j Hx Hj). lia.
      - apply andb_prop in H as [_ H]. apply andb_prop in H as [_ H].
        rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt in H. lia.
    Qed.

    Lemma pays_some c t : chain_pays c b t <> 0 -> t < fin X b /\ exists x, In x (keys p)
      /\ whose i x = b /\ pays_for m p s (home i) c x t = true.
    Proof.
      unfold chain_pays. destruct (Nat.ltb_spec t (fin X b)) as [L|L]; [|lia]. intros H.
      split; [exact L|]. destruct (existsb (fun x => (whose i x =? b)
        && pays_for m p s (home i) c x t) (keys p)) eqn:E.
      - apply existsb_exists in E as [x [Hx E]]. apply andb_prop in E as [E1 E2].
        apply Nat.eqb_eq in E1. eauto.
      - destruct H. apply sum_zero. intros x Hx. apply not_true_iff_false in E.
        destruct (_ && _) eqn:F; [destruct E; apply existsb_exists; eauto|reflexivity].
    Qed.

    Lemma pays_there c t : chain_pays c b t <> 0 -> start X b <= t < fin X b.
    Proof.
      intros H. apply pays_some in H as [L [x [Hx [Hg H]]]]. split; [|exact L].
      rewrite (c_start _ _ _ _ _ _ _ _ V b Hb). pose proof (pays_then c x t Hx H). congruence.
    Qed.

    (** *** What it pays along a route, by how often the route changes in its stay *)
    Lemma chain_charges ro n :
      cnt (fun t => inside X b t && turns_at ro t) (fin X b) <= n ->
      along chain_pays ro 0 (fin X b) b <= charge (ck b) n.
    Proof.
      intros Hn. destruct Lawful as [J [enters OK]]. set (N := fin X b).
      set (pay := fun x t => (start X b <=? t) && pays_for m p s (home i) (ro t) x t).
      assert (along chain_pays ro 0 N b <= sum (fun x => if whose i x =? b then cnt (pay x) N else
        0)
        (keys p)) as A.
      { transitivity (sum (fun t => sum (fun x => Nat.b2n ((whose i x =? b) && pay x t)) (keys p))
          (seq 0 N)).
        - apply sum_le. intros t _. cbn [Nat.leb]. unfold chain_pays.
        destruct (t <? fin X b); [|lia].
          apply sum_le. intros x Hx. destruct (Nat.eqb_spec (whose i x) b) as [E|E]; [|cbn; lia].
          cbn [andb]. unfold pay. destruct (pays_for m p s (home i) (ro t) x t) eqn:F; [|cbn; lia].
          pose proof (pays_then (ro t) x t Hx F) as L. rewrite E in L.
          rewrite (c_start _ _ _ _ _ _ _ _ V b Hb), (proj2 (Nat.leb_le _ _) L). reflexivity.
        - rewrite sum_swap. apply sum_le. intros x _. destruct (whose i x =? b); cbn [andb].
          + rewrite <- cycles_cnt. apply le_n.
          + rewrite sum_zero; [lia|reflexivity]. }
      assert (forall x, In x (keys p) -> cnt (pay x) N <= work p x) as Work.
      { intros x Hx. etransitivity; [|apply (pays_work m p s WF OK (home i) Here ro x N Hx)].
        apply cnt_le. intros t _ H. apply andb_prop in H. apply H. }
      etransitivity; [exact A|]. unfold charge. apply Nat.min_glb.
      - etransitivity; [|apply (a_work _ _ _ _ _ _ _ _ _ _ HK b Hb)]. apply sum_le. intros x Hx.
        destruct (whose i x =? b); [apply Work, Hx|apply le_n].
      - destruct (visited ro (start X b) N) as [vs [Nd [Len Vs]]].
        set (on := fun c => existsb (Nat.eqb c) vs).
        transitivity (sum (fun x => if whose i x =? b then wide p (home i) x
          + (if on (core_of i x) then narrow p (home i) x else 0) else 0) (keys p)).
        { apply sum_le. intros x Hx. destruct (whose i x =? b); [|lia].
          destruct (on (core_of i x)) eqn:E.
          - pose proof (Work x Hx). unfold narrow. lia.
          - rewrite Nat.add_0_r. apply (pays_wide m p s OK (home i) Here ro x (start X b) N Hx).
            intros t Ht F. apply not_true_iff_false in E. apply E, existsb_exists. exists (ro t).
            split; [apply Vs, Ht|apply Nat.eqb_eq; congruence]. }
        etransitivity; [|apply (cc_others _ _ _ _ _ _ _ (HC b Hb))].
        transitivity (shared_of m p (home i) b + sum (own_of m p (home i) b) (filter (fun c => c <?
          cores) vs)).
        { change (sum (own_of m p (home i) b) ?l) with (sum (fun c => sum (fun x =>
            if (whose i x =? b) && (core_of i x =? c) then narrow p (home i) x else 0) (keys p)) l).
          unfold shared_of. rewrite sum_swap, <- sum_add. apply sum_le. intros x Hx.
          destruct (whose i x =? b); cbn [andb]; [|lia]. apply Nat.add_le_mono_l.
          destruct (on (core_of i x)) eqn:E; [|lia]. apply existsb_exists in E as [c [Hc E]].
          apply Nat.eqb_eq in E as <-.
          assert (In (core_of i x) (filter (fun c => c <? cores) vs)) as F.
          { apply filter_In. split; [exact Hc|apply Nat.ltb_lt, (Cores i x sm_here Hx)]. }
          pose proof (sum_ge (fun c => if core_of i x =? c then narrow p (home i) x else 0) _ _ F)
            as G.
          cbn beta in G. rewrite Nat.eqb_refl in G. exact G. }
        apply Nat.add_le_mono_l.
        etransitivity; [apply (largest_ge (own_of m p (home i) b) (seq 0 cores) (filter (fun c => c
          <? cores) vs)
          (length vs))|].
        + apply NoDup_filter, Nd.
        + intros c Hc. apply filter_In in Hc as [_ Hc]. apply Nat.ltb_lt in Hc. apply in_seq. lia.
        + clear. induction vs as [|c vs IH]; [apply le_n|]. cbn [filter length].
          destruct (c <? cores); cbn [length]; lia.
        + apply largest_grows. etransitivity; [exact Len|]. apply le_n_S. exact Hn.
    Qed.

    Lemma held_there x t : In x (keys p) -> uses_unit p s x t = true \/ issues s x t = true ->
      t < fin X (whose i x).
    Proof.
      intros Hx H. destruct Lawful as [J [enters OK]].
      eapply Nat.lt_le_trans; [|apply (c_over _ _ _ _ _ _ _ _ V i x sm_here Hx)]. unfold finish.
      destruct H as [H|H].
      - apply uses_iff in H as [j [Hj H]]. apply holds_iff in H as [_ H].
        pose proof (hold_end m p s OK x j Hx Hj). unfold finish in *. lia.
      - apply issues_iff in H. pose proof (e_probe _ _ _ _ _ OK x Hx).
        pose proof (e_slot _ _ _ _ _ OK x Hx). pose proof (issue_order m p s OK x Hx).
        pose proof (e_issue _ _ _ _ _ OK x Hx). lia.
    Qed.

    (** Somebody of the SM pays for [c], or [b] is not there. *)
    Definition served (c t : nat) : bool :=
      negb (stays X b t) || negb (forallb (fun g => chain_pays c g t =? 0) (on_sm X i)).

    Lemma paying c x t : In x (keys p) -> pays_for m p s (home i) c x t = true ->
      t < fin X (whose i x) -> served c t = true.
    Proof.
      intros Hx H L. apply orb_true_iff. right. apply negb_true_iff, not_true_iff_false. intros F.
      rewrite forallb_forall in F.
      destruct (c_whose _ _ _ _ _ _ _ _ V i x sm_here Hx) as [W1 W2].
      specialize (F (whose i x) ltac:(apply in_on_sm; auto)). apply Nat.eqb_eq in F.
      unfold chain_pays in F. rewrite W2, (proj2 (Nat.ltb_lt _ _) L) in F.
      pose proof (sum_ge (fun y => Nat.b2n ((whose i y =? whose i x)
        && pays_for m p s (home i) c y t)) x (keys p) Hx) as G. cbn beta in G.
      rewrite Nat.eqb_refl, H in G. cbn in G. lia.
    Qed.

    Lemma reach_served c t : in_reach p s (home i) c t = true -> served c t = true.
    Proof.
      intros H. apply (someone_pays m) in H as [y [Hy [H U]]].
      apply (paying c y t Hy H), held_there; auto.
    Qed.

    (** *** Lemma 4 of the page *)
    Theorem chain_idle t0 : start X b <= t0 <= fin X b -> exists ro,
      (forall z, cnt (fun t => (t0 <=? t) && turns_at ro t) z + 1 <= cH (ck b))
      /\ fin X b <= t0 + cL (ck b) + sum (along chain_pays ro t0 (fin X b)) (on_sm X i).
    Proof.
      intros Ht0. destruct Lawful as [J [enters OK]]. pose proof (HC b Hb) as C.
      destruct (c_end _ _ _ _ _ _ _ _ V b Hb) as [He|[x [Hx [Hg He]]]].
      { exists (fun _ => 0). split; [|lia]. intros z. rewrite cnt_none.
        - pose proof (cc_turn _ _ _ _ _ _ _ C). lia.
        - intros t _. unfold turns_at. rewrite Nat.eqb_refl. apply andb_false_r. }
      set (cov := fun c t => (start X b <=? t) && served c t).
      pose proof (c_start _ _ _ _ _ _ _ _ V b Hb) as St.
      set (q := turns_to (only b) (core_of i x) (sec (get p x))).
      assert (finish p s x <= start X b + cL (ck b) + best cov cores (finish p s x) q (core_of i x))
        as Late.
      { pose proof (a_path _ _ _ _ _ _ _ _ _ _ HK i x sm_here Hx) as Pa. cbn [plain kL] in Pa.
        rewrite Hg in Pa.
        pose proof (finish_timely m p s WF OK b (reached (home i)) served Here) as T.
        specialize (T ltac:(intros c y j v t Hy Hh Hr; apply reach_served, existsb_exists; exists y;
          split; [apply (at_key _ _ _ _ Hy)|]; apply uses_for_iff; exists j;
          destruct Hy as [_ [Hj Hv]]; split; [exact Hj|]; split; [rewrite Hv; exact Hr|exact Hh])).
        assert (forall y t, In y (keys p) -> L s y <= t < L s y + window p s y \/ issues s y t =
          true ->
          t < fin X (whose i y) -> served (core_of i y) t = true) as Win.
        { intros y t Hy Hw Ly. destruct (in_reach p s (home i) (core_of i y) t) eqn:E;
            [apply reach_served, E|]. apply (paying _ y t Hy); [|exact Ly]. unfold pays_for.
          rewrite E, Nat.eqb_refl. apply orb_true_iff. right. cbn [negb andb].
          rewrite orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt.
          destruct Hw as [Hw|Hw]; [right; exact Hw|]. apply issues_iff in Hw. unfold window. lia. }
        specialize (T ltac:(intros y t Hy Hi'; apply Win; auto; apply held_there; auto)).
        specialize (T ltac:(intros y t Hy Gy Hw; destruct (le_lt_dec (fin X b) t) as [Lb|Lb];
          [unfold served, stays; rewrite (proj2 (Nat.ltb_ge _ _) Lb), andb_false_r; reflexivity|];
          apply Win; [exact Hy|left; unfold window; lia|rewrite Gy; exact Lb])).
        specialize (T (lP i) (lI i) (lD i) (lR i) (a_lam _ _ _ _ _ _ _ _ _ _ HK i sm_here)
          (fun c q t => best cov cores t (turns_to (only b) c q) c) 0).
        pose proof (begun m p s WF OK x Hx) as Bg. rewrite Hg, <- St in Bg.
        assert (at_most s b (fun c q t => best cov cores t (turns_to (only b) c q) c) 0
          (core_of i x, sec (get p x)) (lE p (lI i) (lD i) x + max (write (get p x)) (read (get p
            x)))
          (finish p s x)) as T'.
        { apply T; try assumption.
          - intros c r. rewrite <- St. generalize (turns_to (only b) c r). intros k. clear -k.
            assert (forall t k c, t <= start X b -> best cov cores t k c = 0) as Z.
            { induction t as [|t IH]; intros k' c' Ht; [reflexivity|]. cbn [best].
              assert (forall d, cov d t = false) as Off
                by (intros d; unfold cov; rewrite (proj2 (Nat.leb_gt _ _)) by lia; reflexivity).
              rewrite IH, Off by lia. destruct k' as [|k']; [reflexivity|].
              enough (list_max (map (fun d => best cov cores t k' d + Nat.b2n (cov d t)) (seq 0
                cores))
                <= 0) by (cbn [Nat.b2n]; lia).
              apply list_max_le_in. intros y Hy. apply in_map_iff in Hy as [d [<- _]].
              rewrite IH, Off by lia. apply le_n. }
            apply Z, le_n.
          - intros c r t. pose proof (best_counts cov cores t (turns_to (only b) c r) c). lia.
          - intros c r t Ht H. pose proof (best_counts cov cores t (turns_to (only b) c r) c) as Q.
            unfold cov in Q at 2. rewrite St, (proj2 (Nat.leb_le _ _) Ht), H in Q. exact Q.
          - intros c d k t Hcd. apply best_turns. unfold turns_to.
          destruct (only b) as [o|]; [|lia].
            destruct (k =? o); lia.
          - intros y d r t Hy Gy. unfold turns_to. destruct (only b) as [o|] eqn:E.
            + assert (core_of i y = o) as -> by (apply (cc_only _ _ _ _ _ _ _ C y o Hy Gy eq_refl)).
              rewrite Nat.eqb_refl. destruct (Nat.eqb_spec d o) as [->|N]; [apply le_n|].
              etransitivity; [apply (best_changes cov cores t 0 o d)|apply best_turns; lia].
              rewrite <- (cc_only _ _ _ _ _ _ _ C y o Hy Gy eq_refl). apply (Cores i y sm_here Hy).
            + apply best_changes, (Cores i y sm_here Hy). }
        specialize (T' (finish p s x)). rewrite <- St in T'. specialize (T' Bg (le_n _)).
        cbn [fst snd] in T'. fold q in T'. lia. }
      destruct (best_route cov cores (finish p s x) q (core_of i x)) as [ro [Tu [_ Be]]]. exists ro.
      split.
      - intros z. pose proof (cc_turns _ _ _ _ _ _ _ C x Hx Hg) as Ht. fold q in Ht.
        enough (cnt (fun t => (t0 <=? t) && turns_at ro t) z <= cnt (turns_at ro) z)
          by (specialize (Tu z); lia).
        apply cnt_le. intros t _ H. apply andb_prop in H. apply H.
      - rewrite <- He in *. set (N := fin X b) in *.
        assert (cnt (fun t => cov (ro t) t) N <= (t0 - start X b)
          + sum (along chain_pays ro t0 N) (on_sm X i)) as Pd; [|lia].
        transitivity (cnt (fun t => ((start X b <=? t) && (t <? start X b + (t0 - start X b)))
          || ((t0 <=? t) && served (ro t) t)) N).
        { apply cnt_le. intros t _ H. unfold cov in H. apply andb_prop in H as [H1 H2].
          rewrite H1, H2, andb_true_r. destruct (Nat.leb_spec t0 t) as [L|L]; [apply orb_true_r|].
          rewrite (proj2 (Nat.ltb_lt _ _)) by lia. reflexivity. }
        etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [apply cnt_interval|].
        rewrite <- cycles_cnt.
        apply (cycles_sum N _ (fun t g => if t0 <=? t then chain_pays (ro t) g t else 0) (on_sm X
          i)).
        intros t Ht H. apply andb_prop in H as [H1 H2]. rewrite H1. apply Nat.leb_le in H1.
        unfold served, stays in H2. rewrite (proj2 (Nat.leb_le _ _)), (proj2 (Nat.ltb_lt _ _)) in H2
          by (unfold N in *; lia). cbn [andb negb orb] in H2. apply negb_true_iff in H2.
        destruct (le_lt_dec 1 (sum (fun g => chain_pays (ro t) g t) (on_sm X i))) as [L|L]; [exact
          L|].
        exfalso. apply not_true_iff_false in H2. apply H2, forallb_forall. intros g Hg'.
        apply Nat.eqb_eq. pose proof (sum_ge (fun g => chain_pays (ro t) g t) g _ Hg').
        cbn beta in *.
        lia.
    Qed.

    Theorem chain_timed t0 : start X b <= t0 <= fin X b -> exists ro,
      (forall z, cnt (fun t => (t0 <=? t) && turns_at ro t) z + 1 <= cH (ck b))
      /\ fin X b <= t0 + (cW (ck b) + cO (ck b))
        + sum (along chain_pays ro t0 (fin X b)) (others X b).
    Proof.
      intros Ht0. destruct (chain_idle t0 Ht0) as [ro [T C]].
      exists ro. split; [exact T|]. pose proof (cc_owned _ _ _ _ _ _ _ (HC b Hb)).
      assert (along chain_pays ro t0 (fin X b) b <= charge (ck b) (cH (ck b) - 1)) as Own.
      { transitivity (along chain_pays (steady t0 ro) 0 (fin X b) b).
        - pose proof (paid_splice chain_pays 0 t0 (fin X b) (fun _ => ro t0) ro b ltac:(lia)
          ltac:(lia)).
          unfold steady. lia.
        - apply chain_charges. pose proof (T (fin X b)).
          pose proof (steady_turns t0 ro (fin X b)).
          enough (cnt (fun t => inside X b t && turns_at (steady t0 ro) t) (fin X b)
            <= cnt (turns_at (steady t0 ro)) (fin X b)) by lia.
          apply cnt_le. intros t _ H'. apply andb_prop in H'. apply H'. }
      unfold charge in Own.
      enough (sum (along chain_pays ro t0 (fin X b)) (on_sm X i)
        <= along chain_pays ro t0 (fin X b) b + sum (along chain_pays ro t0 (fin X b)) (others X b))
          by lia.
      unfold others. rewrite sum_filter.
      transitivity (sum (fun c => (if c =? b then along chain_pays ro t0 (fin X b) b else 0)
        + (if negb (c =? b) then along chain_pays ro t0 (fin X b) c else 0)) (on_sm X i)).
      - apply sum_le. intros c _. destruct (Nat.eqb_spec c b) as [->|]; cbn; lia.
      - rewrite sum_add. apply Nat.add_le_mono_r.
        apply sum_once; [apply NoDup_filter, seq_NoDup| |].
        + intros c _. destruct (c =? b); lia.
        + intros c d _ _ H1 H2. destruct (Nat.eqb_spec c b), (Nat.eqb_spec d b); congruence.
    Qed.
  End Block.

  (** *** The SMs keep the accounts of chains. *)
  Theorem code_chains : chains X M R delta ck.
  Proof.
    apply (route_chains X M R delta ck chain_ledger chain_pays).
    - intros c g t Hg. apply pays_there, Hg.
    - intros g ro n Hg. apply chain_charges, Hg.
    - intros g Hg. pose proof (HC g Hg) as C. split; [apply (cc_less _ _ _ _ _ _ _ C)|].
      apply (cc_turn _ _ _ _ _ _ _ C).
    - intros g t0 Hg. apply chain_timed, Hg.
    - intros g t0 Hg. apply chain_idle, Hg.
  Qed.

  (** Cycles that are not counted, and another ledger of the same run, with alpha and solo *)
  Variables (service : nat) (kd : nat -> Formulas.kind).
  Hypotheses (Skips : forall N, cycles N (skip X) <= service) (Lk : ledger X M R delta kd).
  Notation kinds := (map ck (all X)).

  (** *** K-CHAIN, static dispatch *)
  Theorem code_k_chain_static b : b < count X ->
    fin X b <= chain_static X R delta ck (sm X b) + service.
  Proof.
    intros Hb. apply (held_up X service Skips), (k_chain_static _ _ _ _ _ chain_ledger code_chains b
      Hb).
  Qed.

  (** *** K-CHAIN, K-CHAIN-AREA and K-CHAIN-BAL where thread blocks wait for slots *)
  Theorem code_k_chain b : dynamic X M R -> M * R < count X -> b < count X ->
    fin X b <= chain_sm R delta (count X - (M - 1) * R) kinds + service
    /\ fin X b <= k_chain_area M R delta (map kd (all X)) [kinds] + service
    /\ fin X b <= k_chain_bal M R delta (map kd (all X)) [kinds] + service.
  Proof.
    intros Dyn W Hb. pose proof code_chains as Ch. pose proof chain_ledger as Lc.
    assert (forall c, In c [ck] -> ledger X M R delta (fun b => plain (c b)) /\ chains X M R delta
      c)
      as Kept by (intros c [<-|[]]; auto).
    repeat split; apply (held_up X service Skips).
    - apply (k_chain_dynamic _ _ _ _ _ Lc Ch Dyn W b Hb).
    - apply (k_chain_area_bound X M R delta kd [ck] Lk Kept Dyn W b Hb).
    - apply (k_chain_bal_bound X M R delta kd [ck] Lk Kept Dyn W b Hb).
  Qed.
End Kernel.

(** A thread block that is elsewhere *)
Lemma chain_code_nil m m' p home home' cores only k b : chain_code m p home cores only k b ->
  chain_code m' [] home' cores only k b.
Proof.
  intros [H1 H2 H3 H4 H5 H6]. split; try assumption;
    try (intros; match goal with H : In _ (keys []) |- _ => destruct H end).
  intros n. etransitivity; [|apply H6]. unfold shared_of at 1. cbn [keys flat_map seq length].
  assert (largest (S n) (map (own_of m' [] home' b) (seq 0 cores)) <= 0) as Z; [|cbn in *; lia].
  etransitivity; [apply largest_total|]. rewrite sum_zero; [apply le_n|reflexivity].
Qed.
