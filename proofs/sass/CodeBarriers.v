(** * code-sib and code-fib with barriers: theorem 2 of docs/machine-code-bounds.md

    What instructions of older sections have yet to hold at a release is counted beside
    (CodeHeld.v), but for loose latches (CodeLoose.v): until these are free is [loose_until]. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeLate CodeReady CodeElb
  CodeOwn CodeSib.
From Warpbound Require Export CodeHeld CodeLoose.

Section Barriers.
  Variables (m : machine) (b : block) (s : schedule) (g N : nat).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.
  (* one thread block, of the sections 0 to N *)
  Hypothesis One : forall w, group m w = g.
  Hypothesis Last : forall x, In x (keys b) -> sec (get b x) <= N.
  Hypothesis Deepest : exists x, In x (keys b) /\ sec (get b x) = N.

  (** What a warp reaches depends on its sub-core, and is what all reach where others have it
      (CodeReach.v). *)
  Variables (base : nat -> nat -> bool) (loose : nat -> bool) (used : nat -> nat -> nat -> bool).
  Hypothesis Same : forall u w v, core m u = core m w -> base u v = base w v.
  Hypothesis Cross : forall u w y i v, at_stage b y i v -> core m (fst y) <> core m w ->
    base w v = true -> base u v = true.
  Hypothesis LL : loose_latches m b base loose used.
  Variables (iP iI : key -> nat) (iD : key -> nat -> nat) (iso Q : nat -> nat -> nat)
    (T : nat -> nat).
  Hypothesis HR : forall w n, reaches m b (base w) w n.
  Hypothesis HI : forall w n, iso_cert m b w n iP iI iD (iso n w).

  (* what CodeHeld.v says, of this block *)
  Local Notation O := (CodeHeld.O m b (charged base loose used)).
  Hypothesis T0 : rel s g 0 <= T 0.
  Hypothesis TN : forall n w, n < N -> w < length b -> T n + (iso n w + O n w + Q n w) + release m
    <= T (S n).
  Hypothesis TL : forall w, w < length b -> T N + (iso N w + O N w) <= T (S N).

  (** A time behind all holds that matter. *)
  Variable H : nat.
  Local Notation seen := (CodeHeld.seen m b s base loose used).
  Local Notation hits := (CodeHeld.hits m b s base loose used).
  Local Notation older := (CodeHeld.older b).
  Local Notation all_of := (CodeHeld.all_of m b s base loose used H).
  Local Notation newer := (CodeHeld.newer m b s base loose used).
  Local Notation f := (CodeHeld.f m b s base loose used).
  Local Notation path_passed := (CodeHeld.path_passed m b base loose used T).
  Local Notation passed := (CodeHeld.passed m b base loose used iso T).
  Local Notation left_sec := (CodeHeld.left_sec m b s base loose used H).

  Variable piped : key -> nat -> bool.
  Local Notation pipe := (CodeHeld.pipe b piped).
  Local Notation hold_of := (CodeHeld.hold_of b).
  Local Notation rest_of := (CodeHeld.rest_of s).
  Local Notation pipe_left := (CodeHeld.pipe_left b s piped).
  Hypothesis Pipe : forall q u l0 ji l1, pipe q u = l0 ++ ji :: l1 ->
    iD (u, fst ji) (snd ji) + sum (hold_of u) (ji :: l1) <= iso q u.

  Local Notation loose_left := (CodeHeld.loose_left b s loose).
  Local Notation loose_until := (CodeLoose.loose_until m b s loose).
  Local Notation f_rises := (CodeHeld.f_rises m b s base loose used).
  Local Notation f_counted := (CodeHeld.f_counted m b s base loose used).
  Local Notation late_next := (CodeHeld.late_next m b s OK base loose used H).
  Local Notation since_next := (CodeHeld.since_next m b s OK base loose used H).
  Local Notation passed_next := (CodeHeld.passed_next m b base loose used T).
  Local Notation T_grows := (CodeHeld.T_grows m b N base loose used iso Q T TN).
  Local Notation passed_T := (CodeHeld.passed_T m b N base loose used iso Q T TN).
  Local Notation rest_hold := (CodeHeld.rest_hold m b s OK piped).
  Local Notation pipe_whole := (CodeHeld.pipe_whole m b s OK iD iso piped Pipe).
  Local Notation left_sections := (CodeHeld.left_sections m b s base loose used H).
  Local Notation in_pipe := (CodeHeld.in_pipe b piped).
  Local Notation rel_grows := (CodeHeld.rel_grows m b s OK g).
  Local Notation hit_when := (CodeHeld.hit_when m b s OK).
  Local Notation hits_over := (CodeHeld.hits_over m b s OK base loose used H).
  Local Notation nothing_newer := (CodeHeld.nothing_newer m b s OK base loose used g One).
  Local Notation seen_from := (CodeHeld.seen_from m b s OK base loose used H g One).

  Hypothesis Spill : forall w u q n t, n < N -> u <> w -> q <= n -> t <= rel s g (S n) ->
    (forall x, In x (keys b) -> sec (get b x) <= n -> J x <= t) ->
    left_sec w u q t + loose_left q u t <= pipe_left q u t + Q q u.

  (** Events of older sections, and that of what is under way. *)
  Definition claim_d (n : nat) : Prop := forall w j i, In (w, j) (keys b) ->
    sec (get b (w, j)) < n -> i < stages b (w, j) ->
    since (f w n) (rel s g n) (all_of w n) (path_passed (iD (w, j) i) (sec (get b (w, j))) n w)
      (D s (w, j) i).

  (** Claim (a): what is older than section [n] is timely. *)
  Definition claim_a (n : nat) : Prop := forall w j, In (w, j) (keys b) -> sec (get b (w, j)) < n ->
    late (f w n) (rel s g n) (all_of w n) (passed (sec (get b (w, j))) n w) (finish b s (w, j))
    /\ (bar (get b (w, j)) = true ->
        late (f w n) (rel s g n) (all_of w n) (passed (sec (get b (w, j))) n w) (pace b s (w, j))).
  (** Claim (b): the release before section [n] is timely for every warp. *)
  Definition claim_b (n : nat) : Prop := forall w, w < length b ->
    rel s g n + all_of w n + (loose_until n w - rel s g n) <= T n + f w n (rel s g n).

  (** Where [w] can begin section [n]. *)
  Definition begins (n w : nat) : nat := max (rel s g n) (loose_until n w).

  Lemma begins_base n w : claim_b n -> w < length b ->
    begins n w + all_of w n <= T n + f w n (begins n w).
  Proof.
    intros CB Hw. pose proof (CB w Hw) as A.
    pose proof (rises (f w n) (f_rises w n) (rel s g n) (begins n w)) as R1. unfold begins in *.
    lia.
  Qed.

  (** Before that nothing is late. *)
  Lemma late_early n w c d X : claim_b n -> w < length b -> T n <= c ->
    late (f w n) (begins n w) d c X -> d = all_of w n -> late (f w n) (rel s g n) (all_of w n) c X.
  Proof.
    intros CB Hw Hc HL -> t H0 Ht.
    destruct (le_lt_dec (begins n w) t) as [C|C]; [apply HL; assumption|].
    pose proof (CB w Hw) as A. pose proof (rises (f w n) (f_rises w n) (rel s g n) t H0) as R1.
    unfold begins in C. lia.
  Qed.

  Lemma begins_hit n w t y : begins n w <= t -> In y (keys b) ->
    hit m b s (sees b s base loose used w n t) w y t = true ->
    counted (f w n) t.
  Proof.
    intros Ht Hy Hh. apply (f_counted w n t y Hy).
    apply (found_seen m b s g OK One base loose used LL n w t y);
      [unfold begins in Ht; lia|exact Hy|exact Hh].
  Qed.

  Lemma begins_older n w : n <= N -> claim_a n -> w < length b -> forall j, In (w, j) (keys b) ->
    sec (get b (w, j)) < n ->
    late (f w n) (begins n w) (all_of w n) (T n) (finish b s (w, j))
    /\ (bar (get b (w, j)) = true -> late (f w n) (begins n w) (all_of w n) (T n)
         (pace b s (w, j))).
  Proof.
    intros Hn CA Hw i Hi Hsi. destruct (CA w i Hi Hsi) as [A1 A2].
    pose proof (passed_T (sec (get b (w, i))) n w Hw Hsi Hn).
    assert (rel s g n <= begins n w) as Hb by (unfold begins; lia).
    split; [|intros HB; specialize (A2 HB)]; (eapply late_from; [exact Hb|]); eapply late_more;
      eauto; lia.
  Qed.

  (** (d), from the start of section [n] on. *)
  Lemma section_late n w j : n <= N -> claim_a n -> claim_b n -> In (w, j) (keys b) ->
    sec (get b (w, j)) <= n ->
    late (f w (S n)) (rel s g n) (all_of w (S n)) (passed (sec (get b (w, j))) (S n) w)
      (finish b s (w, j))
    /\ (bar (get b (w, j)) = true ->
        late (f w (S n)) (rel s g n) (all_of w (S n)) (passed (sec (get b (w, j))) (S n) w)
          (pace b s (w, j))).
  Proof.
    intros Hn CA CB Hj Hs. pose proof (proj1 (proj1 (in_keys _ _ _) Hj)) as Hw.
    unfold CodeHeld.passed. rewrite passed_next by lia.
    destruct (Nat.eq_dec (sec (get b (w, j))) n) as [E|E].
    - destruct (own_finish m b s WF OK (sees b s base loose used w n) w n iP iI iD (iso n w)
        (sees_reaches m b s base loose used LL w n (HR w n)) (HI w n)
        (f w n) (begins n w) (all_of w n) (T n)) with (k := j) as [F1 F2]; auto.
      + intros t. apply f_rises.
      + apply begins_base; assumption.
      + intros t y Ht Hy Hh. eapply begins_hit; eassumption.
      + rewrite One. unfold begins. lia.
      + apply begins_older; assumption.
      + assert (path_passed (iso (sec (get b (w, j))) w) (sec (get b (w, j))) n w = T n + iso n w)
          as ->.
        { unfold CodeHeld.passed, CodeHeld.path_passed. rewrite E, Nat.sub_diag.
          change (sum (fun q => O q w) (seq n 0)) with 0. lia. }
        split; [|intros Hb; specialize (F2 Hb)]; apply late_next;
          (eapply late_early; [exact CB|exact Hw|lia| |reflexivity]); assumption.
    - destruct (CA w j Hj ltac:(lia)) as [A1 A2]. split; [apply late_next, A1|]. intros Hb.
      apply late_next, A2, Hb.
  Qed.

  Lemma section_begun n w j i : n <= N -> claim_a n -> claim_b n -> claim_d n ->
    In (w, j) (keys b) -> sec (get b (w, j)) <= n ->
    i < stages b (w, j) ->
    since (f w (S n)) (rel s g n) (all_of w (S n))
      (path_passed (iD (w, j) i) (sec (get b (w, j))) (S n) w) (D s (w, j) i).
  Proof.
    intros Hn CA CB CD Hj Hs Hi. pose proof (proj1 (proj1 (in_keys _ _ _) Hj)) as Hw.
    rewrite passed_next by lia. apply since_next.
    destruct (Nat.eq_dec (sec (get b (w, j))) n) as [E|E]; [|apply CD; auto; lia].
    assert (path_passed (iD (w, j) i) (sec (get b (w, j))) n w = T n + iD (w, j) i) as ->.
    { unfold CodeHeld.path_passed. rewrite E, Nat.sub_diag.
      change (sum (fun q => O q w) (seq n 0)) with 0. lia. }
    apply since_late; [intros; apply f_rises|pose proof (CB w Hw); lia|].
    destruct (own_path m b s WF OK (sees b s base loose used w n) w n iP iI iD (iso n w)
        (sees_reaches m b s base loose used LL w n (HR w n)) (HI w n)
        (f w n) (begins n w) (all_of w n) (T n)) with (k := j) as [_ _ _ F]; auto.
    - intros t. apply f_rises.
    - apply begins_base; assumption.
    - intros t y Ht Hy Hh. eapply begins_hit; eassumption.
    - rewrite One. unfold begins. lia.
    - apply begins_older; assumption.
    - eapply late_early; [exact CB|exact Hw|lia|apply F, Hi|reflexivity].
  Qed.

  (** ** The release behind section [n]: (b) *)

  (** The times for which the release behind section [n] waits. *)
  Definition arrivals (n : nat) : list nat :=
    rel s g n :: map (fun x => L s x + aslot s x) (filter (older (S n)) (keys b))
    ++ map (E b s) (filter (fun x => bar (get b x)) (filter (older (S n)) (keys b))).

  Lemma in_older n x : In x (filter (older (S n)) (keys b)) <-> In x (keys b) /\ sec (get b x) <= n.
  Proof. rewrite filter_In. unfold CodeHeld.older. rewrite Nat.ltb_lt. intuition lia. Qed.

  Lemma arrived n : rel s g (S n) <= list_max (arrivals n) + release m.
  Proof.
    apply (e_release _ _ _ _ _ OK).
    - intros x Hx _ Hs. apply list_max_ge. right. apply in_or_app. left. apply in_map_iff.
      exists x. split; [reflexivity|].
      apply in_older. auto.
    - intros x Hx _ Hs Hb. apply list_max_ge. right. apply in_or_app. right. apply in_map_iff.
      exists x. split; [reflexivity|]. apply filter_In. split; [apply in_older; auto|exact Hb].
    - apply list_max_ge. left. reflexivity.
  Qed.

  (** The last arrival is the start of the section, or no later than the end of an instruction. *)
  Lemma last_arrival n : list_max (arrivals n) = rel s g n
    \/ exists x, In x (keys b) /\ sec (get b x) <= n /\ list_max (arrivals n) <= finish b s x.
  Proof.
    assert (In (list_max (arrivals n)) (arrivals n)) as [A|A] by (apply list_max_in; discriminate);
      [auto|right]. apply in_app_or in A as [A|A]; apply in_map_iff in A as [x [<- A]].
    - apply in_older in A as [Hx Hs]. exists x. split; [exact Hx|]. split; [exact Hs|].
      unfold finish. lia.
    - apply filter_In in A as [A _]. apply in_older in A as [Hx Hs]. exists x. split; [exact Hx|].
      split; [exact Hs|]. unfold finish. lia.
  Qed.

  Lemma start_bound n w : w < length b -> claim_b n -> rel s g n <= H -> rel s g n <= T n.
  Proof.
    intros Hw CB HH. pose proof (CB w Hw) as C. enough (f w n (rel s g n) <= all_of w n) by lia.
    unfold CodeHeld.f. assert (cnt (newer w n) (rel s g n) = 0) as ->.
    { apply cnt_none. intros t Ht. apply not_true_is_false. intros Hx.
      apply existsb_exists in Hx as [y [Hy Hx]]. apply andb_prop in Hx as [Ho Hh].
      apply negb_true_iff in Ho. unfold CodeHeld.older in Ho. apply Nat.ltb_ge in Ho.
      apply hit_when in Hh; [|exact Hy]. pose proof (e_opened _ _ _ _ _ OK y Hy) as Hr.
      rewrite One in Hr. pose proof (rel_grows n (sec (get b y) - n)) as Hg.
      replace (n + (sec (get b y) - n)) with (sec (get b y)) in Hg by lia. lia. }
    simpl. apply sum_le. intros y _. apply cnt_mono, HH.
  Qed.

  Section Release.
    Variable n : nat.
    Hypotheses (Hn : n < N) (CA : claim_a n) (CB : claim_b n) (CD : claim_d n).
    Hypothesis HH : rel s g (S n) <= H.

    (** The last arrival, or the release where that is earlier. *)
    Definition tau : nat := min (rel s g (S n)) (list_max (arrivals n)).

    Lemma tau_after : rel s g n <= tau.
    Proof.
      pose proof (e_releases _ _ _ _ _ OK g n). unfold tau.
      enough (rel s g n <= list_max (arrivals n)) by lia. apply list_max_ge. left. reflexivity.
    Qed.

    Lemma tau_issued x : In x (keys b) -> sec (get b x) <= n -> J x <= tau.
    Proof.
      intros Hx Hs. unfold tau. apply Nat.min_glb.
      - destruct Deepest as [y [Hy Ey]]. rewrite <- (One (fst x)).
        apply (e_arrived _ _ _ _ _ OK x y n Hx Hy); [rewrite !One; reflexivity|exact Hs|lia].
      - pose proof (e_issued _ _ _ _ _ OK x Hx).
        enough (L s x + aslot s x <= list_max (arrivals n)) by lia. apply list_max_ge. right.
        apply in_or_app. left. apply in_map_iff. exists x. split; [reflexivity|]. apply in_older.
        auto.
    Qed.

    (** Of a warp that has something left. *)
    Lemma by_own u x : In x (keys b) -> fst x = u -> sec (get b x) <= n -> tau <= finish b s x ->
      tau + all_of u (S n) <= passed (sec (get b x)) (S n) u + f u (S n) tau.
    Proof.
      intros Hx Hu Hs Ht. destruct x as [u' k]. simpl in Hu. subst u'.
      destruct (section_late n u k ltac:(lia) CA CB Hx Hs) as [HL _].
      apply HL; [apply tau_after|exact Ht].
    Qed.

    (** The release is timely for [w] with what is left until [e]. *)
    Definition bound_until (w e : nat) : Prop := tau + all_of w (S n) + (e - tau) + release m
      <= T (S n) + f w (S n) tau.

    Lemma passed_more r w : w < length b -> r <= n ->
      passed r (S n) w + sum (fun q => iso q w) (seq (S r) (n - r))
        + sum (fun q => Q q w) (seq r (S n - r)) + release m <= T (S n).
    Proof.
      intros Hw Hr. assert (passed r (S n) w + sum (fun q => iso q w) (seq (S r) (n - r))
        + sum (fun q => Q q w) (seq r (S n - r))
        <= T r + sum (fun q => iso q w + O q w + Q q w) (seq r (S n - r))) as A.
      { unfold CodeHeld.passed, CodeHeld.path_passed. replace (S n - r) with (1 + (n - r)) by lia.
        rewrite !seq_app, !sum_app. cbn [seq]. rewrite !sum_one. replace (S r) with (r + 1) by lia.
        enough (sum (fun q => O q w) (seq (r + 1) (n - r))
          + sum (fun q => iso q w) (seq (r + 1) (n - r))
          + sum (fun q => Q q w) (seq (r + 1) (n - r))
          <= sum (fun q => iso q w + O q w + Q q w) (seq (r + 1) (n - r))) by lia.
        generalize (seq (r + 1) (n - r)). intros l. unfold sum.
        induction l as [|q l IH]; simpl; lia. }
      pose proof (T_grows r n w Hw Hr ltac:(lia)) as B. pose proof (TN n w Hn Hw) as C.
      replace (S n - r) with (n - r + 1) in * by lia. rewrite !seq_app, !sum_app in *.
      cbn [seq] in *. rewrite !sum_one in *. replace (r + (n - r)) with n in * by lia. lia.
    Qed.

    Lemma passed_bound r w : w < length b -> r <= n -> passed r (S n) w + release m <= T (S n).
    Proof. intros Hw Hr. pose proof (passed_more r w Hw Hr). lia. Qed.

    Lemma tau_H : tau <= H.
    Proof. unfold tau. lia. Qed.

    Lemma key_warp x : In x (keys b) -> fst x < length b.
    Proof. destruct x as [v k]. intros Hx. apply in_keys in Hx. apply Hx. Qed.

    (** The instructions of [p] that are not finished at the last arrival. *)
    Definition unfinished (p : key -> bool) : list key :=
      filter (fun x => p x && (tau <? finish b s x)) (filter (older (S n)) (keys b)).

    Lemma in_unfinished p x : In x (unfinished p) <->
      In x (keys b) /\ sec (get b x) <= n /\ p x = true /\ tau < finish b s x.
    Proof. unfold unfinished. rewrite filter_In, in_older, andb_true_iff, Nat.ltb_lt. tauto. Qed.

    (** The oldest section of which [u] has something left. *)
    Lemma oldest u : unfinished (fun x => fst x =? u) <> [] ->
      exists x, In x (keys b) /\ fst x = u /\ sec (get b x) <= n /\ tau < finish b s x
        /\ forall y, In y (keys b) -> fst y = u -> sec (get b y) < sec (get b x) ->
             finish b s y <= tau.
    Proof.
      intros Hne. set (l := unfinished (fun x => fst x =? u)) in *.
      assert (exists x, In x l /\ forall y, In y l -> sec (get b x) <= sec (get b y))
        as [x [Hx Hmin]].
      { clear -Hne. induction l as [|x l IH]; [congruence|]. destruct l as [|z l].
        - exists x. split; [left; reflexivity|]. intros y [<-|[]]. apply le_n.
        - destruct (IH ltac:(discriminate)) as [v [Hv Hmin]].
          destruct (le_lt_dec (sec (get b x)) (sec (get b v))) as [C|C].
          + exists x. split; [left; reflexivity|]. intros y [<-|Hy]; [apply le_n|].
            specialize (Hmin y Hy). lia.
          + exists v. split; [right; exact Hv|]. intros y [<-|Hy]; [lia|apply Hmin, Hy]. }
      unfold l in Hx. apply in_unfinished in Hx as [H1 [H2 [H3 H4]]]. apply Nat.eqb_eq in H3.
      exists x. repeat split; auto. intros y Hy Hu Hs.
      destruct (le_lt_dec (finish b s y) tau) as [C|C]; [exact C|exfalso]. assert (In y l) as Hl.
      { unfold l. apply in_unfinished. rewrite Hu, Nat.eqb_refl. repeat split; auto. lia. }
      specialize (Hmin y Hl). lia.
    Qed.

    (** What [u] has left of section [r] is on the path from what it waits for, or in Q. *)
    Lemma by_pipe w u x : In x (keys b) -> fst x = u -> u <> w -> sec (get b x) <= n ->
      tau <= finish b s x ->
      tau + all_of u (S n) + (left_sec w u (sec (get b x)) tau + loose_left (sec (get b x)) u tau)
      <= passed (sec (get b x)) (S n) u + Q (sec (get b x)) u + f u (S n) tau.
    Proof.
      intros Hx Hu Hw Hs Ht. set (r := sec (get b x)) in *.
      pose proof (Spill w u r n tau Hn Hw Hs ltac:(unfold tau; lia) tau_issued) as S1.
      destruct (first_left (rest_of u tau) (pipe r u)) as [Z|[l0 [[j i] [l1 [E [Hp Hl]]]]]].
      - pose proof (by_own u x Hx Hu Hs Ht). fold r in H0. unfold CodeHeld.pipe_left in S1. lia.
      - pose proof (Pipe r u l0 (j, i) l1 E) as P1. simpl fst in P1. simpl snd in P1.
        assert (In (j, i) (pipe r u)) as Hi by (rewrite E; apply in_or_app; right; left;
          reflexivity). apply in_pipe in Hi as [Hj [Hr Hi]].
        pose proof (section_begun n u j i ltac:(lia) CA CB CD Hj ltac:(lia) Hi tau tau_after) as B.
        rewrite Hr in B. assert (sum (rest_of u tau) l1 <= sum (hold_of u) l1) as R1.
        { apply (rest_hold r). intros ji Hji. rewrite E. apply in_or_app. right. right. exact Hji. }
        pose proof (e_hold _ _ _ _ _ OK (u, j) i Hj Hi) as Hh. unfold CodeHeld.pipe_left in S1.
        rewrite Hl in S1. rewrite sum_cons in S1, P1. unfold CodeHeld.rest_of at 1 in S1.
        unfold CodeHeld.rest_of in Hp. unfold CodeHeld.hold_of at 1 in P1. simpl fst in *.
        simpl snd in *. unfold CodeHeld.passed, CodeHeld.path_passed in *. lia.
    Qed.

    (** A warp [u] with something left, that sees what others have left that [w] waits for; [e]:
        when a loose latch that it holds is free. *)
    Lemma by_other w u e : w < length b -> u <> w -> unfinished (fun x => fst x =? u) <> [] ->
      (forall y t', In y (keys b) -> sec (get b y) <= n -> fst y <> u -> tau <= t' -> seen w y t'
        = true -> seen u y t' = true) ->
      (e <= tau \/ exists y i, In y (keys b) /\ sec (get b y) <= n /\ fst y = u /\ i < stages b y
        /\ loose (unit (st b y i)) = true /\ e = D s y i + ah s y i) ->
      bound_until w e.
    Proof.
      intros Hw Hu Hne Hsee He. destruct (oldest u Hne) as [x [Hx [Ex [Hs [Ht Hold]]]]].
      pose proof (by_pipe w u x Hx Ex Hu Hs ltac:(lia)) as B.
      pose proof (seen_from w u (sec (get b x)) n tau tau_H ltac:(unfold tau; lia) Hsee Hold) as C.
      set (r := sec (get b x)) in *. rewrite (left_sections w u r n tau Hs) in C.
      pose proof (passed_more r u ltac:(rewrite <- Ex; apply key_warp, Hx) Hs) as D1.
      assert (e - tau <= sum (fun q => loose_left q u tau) (seq r (S n - r))) as HE.
      { destruct He as [He|[y [i [Hy [Hys [Hyu [Hi [HL ->]]]]]]]]; [lia|].
        destruct (le_lt_dec (D s y i + ah s y i) tau) as [Z|Z]; [lia|].
        pose proof (hold_finish m b s OK y i Hy Hi). assert (r <= sec (get b y)).
        { destruct (le_lt_dec r (sec (get b y))) as [Q1|Q1]; [exact Q1|].
          specialize (Hold y Hy Hyu Q1). lia. }
        etransitivity; [apply (rest_loose m b s OK base loose used LL u y i (sec (get b y)) tau Hy
          Hyu eq_refl Hi HL); pose proof (tau_issued y Hy Hys);
          pose proof (e_issued _ _ _ _ _ OK y Hy); lia|].
        apply (sum_ge (fun q => loose_left q u tau)), in_seq. lia. }
      assert (sum (fun q => left_sec w u q tau) (seq (S r) (n - r))
        + sum (fun q => loose_left q u tau) (seq (S r) (n - r))
        <= sum (fun q => iso q u) (seq (S r) (n - r)) + sum (fun q => Q q u) (seq (S r) (n - r)))
        as S1.
      { assert (forall q, In q (seq (S r) (n - r)) -> left_sec w u q tau + loose_left q u tau
          <= iso q u + Q q u) as A.
        { intros q Hq. apply in_seq in Hq.
          pose proof (Spill w u q n tau Hn Hu ltac:(lia) ltac:(unfold tau; lia) tau_issued).
          pose proof (pipe_whole q u tau). lia. }
        revert A. generalize (seq (S r) (n - r)). intros l A. unfold sum.
        induction l as [|q l IH]; simpl; [lia|]. pose proof (A q (or_introl eq_refl)).
        specialize (IH ltac:(intros; apply A; right; assumption)). lia. }
      replace (S n - r) with (1 + (n - r)) in * by lia. rewrite seq_app, !sum_app in *.
      cbn [seq] in *. rewrite !sum_one in *. replace (r + 1) with (S r) in * by lia.
      unfold bound_until. lia.
    Qed.

    Lemma all_issued y : In y (keys b) -> sec (get b y) <= n ->
      issued_by b s (sec (get b y)) <= tau.
    Proof.
      intros Hy Hs. apply issued_least. intros x Hx Hxs. pose proof (tau_issued x Hx ltac:(lia)).
      pose proof (e_issued _ _ _ _ _ OK x Hx). lia.
    Qed.

    (** When nobody has anything left, the last arrival decides. *)
    Lemma by_arrival w : w < length b -> unfinished (fun _ => true) = [] -> bound_until w 0.
    Proof.
      intros Hw He.
      assert (forall v, all_of v (S n) = f v (S n) tau) as All.
      { intros v. unfold CodeHeld.f. rewrite nothing_newer by (unfold tau; lia). simpl.
        unfold CodeHeld.all_of, CodeHeld.done, sum. f_equal. apply map_ext_in. intros y Hy.
        apply in_older in Hy as [Hy Hs]. apply hits_over; [exact Hy| |apply tau_H].
        destruct (le_lt_dec (finish b s y) tau) as [C|C]; [exact C|exfalso].
        assert (In y (unfinished (fun _ => true))) as Hl by (apply in_unfinished; auto).
        rewrite He in Hl. destruct Hl. }
      unfold bound_until. rewrite All. pose proof (passed_bound n w Hw (le_n _)) as HT. unfold tau.
      destruct (last_arrival n) as [E|[x [Hx [Hs Hf]]]].
      - rewrite E.
        pose proof (start_bound n w Hw CB ltac:(pose proof (e_releases _ _ _ _ _ OK g n); lia)).
        unfold CodeHeld.passed, CodeHeld.path_passed in HT. lia.
      - pose proof (by_own (fst x) x Hx eq_refl Hs ltac:(unfold tau; lia)) as B. rewrite All in B.
        pose proof (passed_bound (sec (get b x)) (fst x) (key_warp x Hx) Hs). unfold tau in B. lia.
    Qed.

    Lemma unfinished_some p x : In x (keys b) -> sec (get b x) <= n -> p x = true ->
      tau < finish b s x -> unfinished p <> [].
    Proof.
      intros H1 H2 H3 H4 E. assert (In x (unfinished p)) as Hx by (apply in_unfinished; auto).
      rewrite E in Hx. destruct Hx.
    Qed.

    (** No loose latch that [w] waits for is held. *)
    Lemma free_bound w : w < length b -> bound_until w 0.
    Proof.
      intros Hw. destruct (unfinished (fun x => fst x =? w)) as [|x l] eqn:Eo.
      2:{ assert (In x (unfinished (fun x => fst x =? w))) as Hx by (rewrite Eo; left; reflexivity).
          apply in_unfinished in Hx as [Hx [Hs [Hf Ht]]]. apply Nat.eqb_eq in Hf.
          pose proof (by_own w x Hx Hf Hs ltac:(lia)).
          pose proof (passed_bound (sec (get b x)) w Hw Hs). unfold bound_until. lia. }
      destruct (unfinished (fun x => core m (fst x) =? core m w)) as [|x l] eqn:Ec.
      - destruct (unfinished (fun _ => true)) as [|x l] eqn:Ea; [apply by_arrival; assumption|].
        assert (In x (unfinished (fun _ => true))) as Hx by (rewrite Ea; left; reflexivity).
        apply in_unfinished in Hx as [Hx [Hs [_ Ht]]].
        assert (core m (fst x) <> core m w) as Hc.
        { intros C. apply (unfinished_some (fun x => core m (fst x) =? core m w) x); auto.
          apply Nat.eqb_eq, C. }
        apply (by_other w (fst x) 0 Hw); [congruence| | |left; lia].
        + apply (unfinished_some _ x); auto. apply Nat.eqb_refl.
        + intros y t' Hy Hys Hyu Ht' Hh. pose proof (all_issued y Hy Hys).
          destruct (Nat.eq_dec (core m (fst y)) (core m w)) as [C|C].
          * exfalso. apply hit_when in Hh; [|exact Hy].
            apply (unfinished_some (fun x => core m (fst x) =? core m w) y); auto;
              [apply Nat.eqb_eq, C|lia].
          * apply (other_core_sees m b s base loose used Cross w); auto. lia.
      - assert (In x (unfinished (fun x => core m (fst x) =? core m w))) as Hx
          by (rewrite Ec; left; reflexivity). apply in_unfinished in Hx as [Hx [Hs [Hc Ht]]].
        apply Nat.eqb_eq in Hc. apply (by_other w (fst x) 0 Hw); [| | |left; lia].
        + intros E. apply (unfinished_some (fun x => fst x =? w) x); auto. apply Nat.eqb_eq, E.
        + apply (unfinished_some _ x); auto. apply Nat.eqb_refl.
        + intros y t' Hy Hys Hyu Ht' Hh. pose proof (all_issued y Hy Hys).
          apply (same_core_sees m b s base loose used LL Same HR w); auto. lia.
    Qed.

    (** One is: by a warp [u] that sees the rest. *)
    Lemma release_bound w : w < length b -> bound_until w (loose_until (S n) w).
    Proof.
      intros Hw. destruct (le_lt_dec (loose_until (S n) w) tau) as [C|C].
      { pose proof (free_bound w Hw) as A. unfold bound_until in *. lia. }
      destruct (loose_last m b s loose (S n) w ltac:(lia))
        as [y [i [Hy [Hs [Hyw [Hc [Hi [HL E]]]]]]]]. pose proof (hold_finish m b s OK y i Hy Hi).
      apply (by_other w (fst y) _ Hw Hyw).
      - apply (unfinished_some _ y); auto; [lia|apply Nat.eqb_refl|lia].
      - intros z t' Hz Hzs Hzu Ht' Hh. pose proof (all_issued z Hz Hzs).
        apply (same_core_sees m b s base loose used LL Same HR w); auto. lia.
      - right. exists y, i. repeat split; auto. lia.
    Qed.

    Lemma claim_b_next : claim_b (S n).
    Proof.
      intros w Hw. pose proof (release_bound w Hw) as B. unfold bound_until in B.
      pose proof (arrived n) as C.
      assert (tau <= rel s g (S n) <= tau + release m) as [D1 D2] by (unfold tau; lia).
      pose proof (rises (f w (S n)) (f_rises w (S n)) tau (rel s g (S n)) D1). lia.
    Qed.
  End Release.

  Lemma claim_a_next n : n <= N -> claim_a n -> claim_b n -> claim_a (S n).
  Proof.
    intros Hn CA CB w j Hj Hs. destruct (section_late n w j Hn CA CB Hj ltac:(lia)) as [L1 L2].
    pose proof (e_releases _ _ _ _ _ OK g n). split; [|intros Hb]; eapply late_from; eauto.
  Qed.

  Hypothesis Horizon : forall n, n <= N -> rel s g n <= H.

  Lemma claim_d_next n : n <= N -> claim_a n -> claim_b n -> claim_d n -> claim_d (S n).
  Proof.
    intros Hn CA CB CD w j i Hj Hs Hi t Ht. pose proof (e_releases _ _ _ _ _ OK g n).
    apply (section_begun n w j i Hn CA CB CD Hj ltac:(lia) Hi). lia.
  Qed.

  Lemma claims n : n <= N -> claim_a n /\ claim_b n /\ claim_d n.
  Proof.
    induction n as [|n IH]; intros Hn.
    - split; [intros w j _ Hs; lia|]. split; [|intros w j i _ Hs; lia]. intros w _.
      unfold CodeHeld.f, CodeHeld.done, CodeHeld.all_of.
      replace (filter (older 0) (keys b)) with (@nil key).
      + change (sum (fun y => hits w y H) []) with 0. rewrite loose_none. lia.
      + symmetry. clear. induction (keys b) as [|x l IH]; [reflexivity|]. cbn [filter]. exact IH.
    - destruct (IH ltac:(lia)) as [CA [CB CD]]. split; [apply claim_a_next; auto; lia|].
      split; [apply claim_b_next; auto|apply claim_d_next; auto; lia].
  Qed.

  Lemma barrier_end w j : In (w, j) (keys b) -> finish b s (w, j) <= H ->
    finish b s (w, j) <= T (S N).
  Proof.
    intros Hj HH. pose proof (key_warp _ Hj) as Hw. simpl in Hw.
    destruct (claims N (le_n _)) as [CA [CB _]]. pose proof (Last _ Hj) as HL.
    pose proof (TL w Hw) as HT. destruct (le_lt_dec (rel s g N) (finish b s (w, j))) as [C|C].
    - destruct (section_late N w j (le_n _) CA CB Hj HL) as [L1 _]. specialize (L1 _ C (le_n _)).
      assert (f w (S N) (finish b s (w, j)) <= all_of w (S N)) as D.
      { unfold CodeHeld.f. rewrite cnt_none; [simpl; apply sum_le; intros y _; apply cnt_mono, HH|].
        intros t _. apply not_true_is_false. intros Hx. apply existsb_exists in Hx as [y [Hy Hx]].
        apply andb_prop in Hx as [Hx _]. apply negb_true_iff in Hx. unfold CodeHeld.older in Hx.
        apply Nat.ltb_ge in Hx. specialize (Last y Hy). lia. }
      enough (passed (sec (get b (w, j))) (S N) w <= T (S N)) by lia. unfold CodeHeld.passed.
      rewrite passed_next by exact HL. destruct (Nat.eq_dec (sec (get b (w, j))) N) as [E|E].
      + unfold CodeHeld.passed, CodeHeld.path_passed. rewrite E, Nat.sub_diag.
        change (sum (fun q => O q w) (seq N 0)) with 0. lia.
      + pose proof (passed_T (sec (get b (w, j))) N w Hw ltac:(lia) (le_n _)) as PT.
        unfold CodeHeld.passed in PT. lia.
    - pose proof (start_bound N w Hw CB (Horizon N (le_n _))). lia.
  Qed.
End Barriers.

(** *** Theorem 2, of one thread block with sections 0 to [N].  [T n] bounds the release behind
    section [n - 1], and [T (S N)] the end. [Spill]: what a warp has left behind a release, of
    instructions of sections that have been issued, is at most Q; CodeSpill.v says how it follows
    from the code. *)
Theorem code_barriers m b s J enters g N base loose used iP iI iD iso Q T piped :
  wf m b -> enough m b s J enters -> (forall w, group m w = g) ->
  (forall x, In x (keys b) -> sec (get b x) <= N) ->
  (exists x, In x (keys b) /\ sec (get b x) = N) ->
  (forall u w v, core m u = core m w -> base u v = base w v) ->
  (forall u w y i v, at_stage b y i v -> core m (fst y) <> core m w -> base w v = true -> base u v
    = true) ->
  loose_latches m b base loose used ->
  (forall w n, reaches m b (base w) w n) ->
  (forall w n, iso_cert m b w n iP iI iD (iso n w)) ->
  rel s g 0 <= T 0 ->
  (forall n w, n < N -> w < length b -> T n + (iso n w + O m b (charged base loose used) n w
    + Q n w) + release m <= T (S n)) ->
  (forall w, w < length b -> T N + (iso N w + O m b (charged base loose used) N w) <= T (S N)) ->
  (forall q u l0 ji l1, pipe b piped q u = l0 ++ ji :: l1 -> iD (u, fst ji) (snd ji)
    + sum (hold_of b u) (ji :: l1) <= iso q u) ->
  (forall H w u q n t, n < N -> u <> w -> q <= n -> t <= rel s g (S n) ->
     (forall x, In x (keys b) -> sec (get b x) <= n -> J x <= t) ->
     left_sec m b s base loose used H w u q t + loose_left b s loose q u t
       <= pipe_left b s piped q u t + Q q u) ->
  forall x, In x (keys b) -> finish b s x <= T (S N).
Proof.
  intros WF OK One Last Deepest Same Cross LL HR HI T0 TN TL HP Spill [w j] Hj.
  set (H := max (finish b s (w, j)) (rel s g N)).
  apply (barrier_end m b s g N WF OK One Last Deepest base loose used Same Cross LL iP iI iD iso Q
    T HR HI T0 TN TL H piped); auto.
  - intros v u q n t. apply Spill.
  - intros n Hn. pose proof (rel_grows m b s OK g n (N - n)) as Hg.
    replace (n + (N - n)) with N in Hg by lia. unfold H. lia.
  - unfold H. lia.
Qed.
