(** * The machine always goes on: docs/proofs.md, section 1 (progress) *)

From Warpbound Require Import Base Cycles Model Prefix Checks Run.

(** The arbiter may prefer what it likes, but overlooks no instruction. *)
Definition fair (b : block) (order : schedule -> nat -> list key) : Prop :=
  forall s n x, In x (order s n) <-> In x (keys b).

Section Progress.
  Variables (m : machine) (b : block).
  Hypothesis W : wf b.

  Lemma eligible_b_ok s w k t :
    eligible b m s w k t <-> t < I s (w, k) /\ eligible_b m b s w k t = true.
  Proof.
    unfold eligible, eligible_b. rewrite !andb_true_iff, Nat.leb_le. split.
    - intros [E1 [E2 [E3 [E4 E5]]]]. split; [exact E1|]. split; [split; [exact E2|]|split].
      + destruct k as [|j]; [reflexivity|apply Nat.leb_le, E3; reflexivity].
      + apply forallb_forall. intros p Hp. apply Nat.leb_le; auto.
      + apply forallb_forall. intros y Hy. unfold implb'. destruct (_ && _) eqn:E; [|reflexivity].
        apply andb_prop in E as [G L]. apply Nat.eqb_eq in G. apply Nat.ltb_lt in L.
        apply Nat.leb_le; auto.
    - intros [E1 [[E2 E3] [E4 E5]]]. repeat split; auto.
      + intros j ->. apply Nat.leb_le, E3.
      + intros p Hp. apply Nat.leb_le. apply (all_ok _ _ E4 p Hp).
      + intros y Hy G L. pose proof (all_ok _ _ E5 y Hy) as E. cbv beta in E.
        rewrite G, Nat.eqb_refl, (proj2 (Nat.ltb_lt _ _) L) in E. apply Nat.leb_le, E.
  Qed.

  Lemma blocked_b_ok s f t : blocked_b m b s f t = true <-> blocked b m s f t.
  Proof.
    unfold blocked, blocked_b. rewrite andb_true_iff, Nat.leb_le.
    destruct (depth m); [rewrite Nat.leb_le|]; intuition discriminate.
  Qed.

  (** ** The steps of a cycle *)
  Lemma waits_iff s t x : waits s t x = true <-> I s x <= t < D s x.
  Proof. unfold waits. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. reflexivity. Qed.

  Lemma start_step s0 s n x : during m b s0 s n -> In x (keys b) -> startable m b n s x = true ->
    step m b s (set_start s x n) n x.
  Proof.
    intros P Hx H. unfold startable in H. rewrite !andb_true_iff, waits_iff in H.
    destruct H as [[H1 H2] [H3 H4]]. unfold free in H3. apply Nat.ltb_lt in H3.
    destruct (m_known _ _ _ _ _ P x Hx) as [_ K]. constructor; cbn [I D ai al ar begin set_start].
    - exact Hx.
    - intros y N. rewrite put_other by exact N. auto.
    - auto.
    - lia.
    - left. auto.
    - right. rewrite put_same. split; [reflexivity|]. split; [right; exact H3|].
      intros y Hy F L. pose proof (all_ok _ _ H4 y Hy) as Q. cbv beta in Q.
      rewrite F, Nat.eqb_refl, (proj2 (Nat.ltb_lt _ _) L) in Q. apply Nat.leb_le, Q.
    - intros U. pose proof (s_none _ _ _ _ (m_safe _ _ _ _ _ P) x Hx ltac:(lia) U). lia.
  Qed.

  Lemma not_issued s0 s n x : during m b s0 s n -> In x (keys b) -> n < I s x -> I s x = S n /\
    D s x = S n.
  Proof.
    intros P Hx L. destruct (m_known _ _ _ _ _ P x Hx).
    pose proof (s_start _ _ _ _ (m_safe _ _ _ _ _ P) x Hx). lia.
  Qed.

  Lemma issue_times s n x : I (issue m b n s x) = put (I s) x n
    /\ (D (issue m b n s x) = put (D s) x n /\
         (init (get b x) = 0 \/ n_init b s (fu (get b x)) n < inst m (fu (get b x)))
        \/ D (issue m b n s x) = D s /\ 1 <= init (get b x) /\
        inst m (fu (get b x)) <= n_init b s (fu (get b x)) n).
  Proof.
    unfold issue, free. destruct (Nat.eqb_spec (init (get b x)) 0); [auto|].
    destruct (Nat.ltb_spec (n_init b s (fu (get b x)) n) (inst m (fu (get b x)))); cbn [orb];
      [auto|]. split; [reflexivity|right]. split; [reflexivity|]. lia.
  Qed.

  Lemma issue_rest s n x : ai (issue m b n s x) = ai s /\ al (issue m b n s x) = al s
    /\ ar (issue m b n s x) = ar s /\ begin (issue m b n s x) = begin s.
  Proof. unfold issue. destruct (_ || _); auto. Qed.

  Lemma issue_step s0 s n x : during m b s0 s n -> busy_units m b s n -> In x (keys b) ->
    issuable m b n s x = true -> step m b s (issue m b n s x) n x.
  Proof.
    intros P B Hx H. unfold issuable in H. rewrite !andb_true_iff, Nat.ltb_lt, orb_true_iff in H.
    destruct H as [H1 [H2 H3]]. destruct (not_issued s0 s n x P Hx H1) as [Ix Dx].
    destruct (issue_times s n x) as [E1 E2]. assert (forall y, In y (keys b) -> fu (get b y)
      = fu (get b x) -> I s y < n -> init (get b x) = 0 \/
      n_init b s (fu (get b x)) n < inst m (fu (get b x)) -> D s y <= n) as F.
    { intros y Hy F L [U|U].
      - destruct x as [w k]. destruct (W w k Hx) as [Wf _]. specialize (Wf y Hy F U).
        pose proof (s_none _ _ _ _ (m_safe _ _ _ _ _ P) y Hy ltac:(lia) Wf). lia.
      - destruct (le_lt_dec (D s y) n) as [G|G]; [exact G|].
        specialize (B y Hy ltac:(apply waits_iff; lia)). rewrite F in B. lia. }
    constructor; rewrite ?E1, ?put_same.
    - exact Hx.
    - intros y N. rewrite put_other by exact N. split; [reflexivity|].
      destruct E2 as [[-> _]|[-> _]]; [apply put_other, N|reflexivity].
    - apply issue_rest.
    - exact Dx.
    - right. split; [exact Ix|]. split; [reflexivity|]. split; [|split].
      + apply eligible_b_ok. destruct x. cbn [fst snd] in *. auto.
      + destruct H3 as [H3|H3]; [left; apply Nat.eqb_eq, H3|right].
        apply andb_prop in H3 as [H3 _]. apply Nat.ltb_lt, H3.
      + destruct E2 as [[-> _]|[_ [E2 E3]]]; [left; apply put_same|right].
        destruct H3 as [H3|H3]; [apply Nat.eqb_eq in H3; lia|]. apply andb_prop in H3 as [_ H3].
        destruct (depth m) as [d|] eqn:Dm; [|exact Logic.I].
        destruct (le_lt_dec d (n_wait b s (fu (get b x)) n)) as [G|G]; [exfalso|exact G].
        assert (blocked b m s (fu (get b x)) n) as Q by (split; [exact E3|rewrite Dm; exact G]).
        apply blocked_b_ok in Q. rewrite Q in H3. discriminate.
    - destruct E2 as [[-> E2]|[-> _]]; [right; rewrite put_same|left; exact Dx].
      split; [reflexivity|]. split; [exact E2|]. intros y Hy Fy L. apply (F y Hy Fy L E2).
    - intros U. split; [reflexivity|]. destruct E2 as [[-> _]|[_ [E2 _]]]; [apply put_same|lia].
  Qed.

  Lemma issue_busy s0 s n x : during m b s0 s n -> busy_units m b s n -> In x (keys b) ->
    n < I s x ->
    busy_units m b (issue m b n s x) n.
  Proof.
    intros P B Hx L y Hy Hw. destruct (not_issued s0 s n x P Hx L) as [Ix Dx].
    destruct (issue_times s n x) as [E1 E2]. destruct (issue_rest s n x) as [E3 _].
    assert (n_init b s (fu (get b y)) n <= n_init b (issue m b n s x) (fu (get b y)) n) as Q.
    { apply count_le. intros z Hz Hp. apply andb_prop in Hp as [-> Hp]. unfold initiates in *.
      rewrite E3. destruct E2 as [[-> _]|[-> _]]; [|exact Hp]. destruct (key_dec z x) as [->|N].
      - rewrite Dx in Hp. apply andb_prop in Hp as [Hp _]. apply Nat.leb_le in Hp. lia.
      - rewrite put_other by exact N. exact Hp. }
    etransitivity; [|exact Q]. apply waits_iff in Hw. rewrite E1 in Hw.
    destruct (key_dec y x) as [->|N].
    - destruct E2 as [[E2 _]|[_ [_ E2]]]; [|exact E2]. rewrite E2, !put_same in Hw. lia.
    - apply B; [exact Hy|]. apply waits_iff. rewrite put_other in Hw by exact N.
      destruct E2 as [[E2 _]|[E2 _]]; rewrite E2, ?put_other in Hw by exact N; exact Hw.
  Qed.

  (** ** When no step is left, nothing idles *)
  Lemma none_startable s n : (forall x, In x (keys b) -> startable m b n s x = false) ->
    busy_units m b s n.
  Proof.
    intros H. assert (forall i x, In x (keys b) -> I s x = i -> waits s n x = true ->
      inst m (fu (get b x)) <= n_init b s (fu (get b x)) n) as A;
      [|intros x Hx; apply (A _ x Hx eq_refl)]. induction i as [i IH] using lt_wf_ind.
    intros x Hx Hi Hw. destruct (le_lt_dec (inst m (fu (get b x))) (n_init b s (fu (get b x)) n))
      as [L|L]; [exact L|exfalso]. specialize (H x Hx) as Hs. unfold startable, free in Hs.
    rewrite Hw, (proj2 (Nat.ltb_lt _ _) L) in Hs. cbn [andb] in Hs.
    destruct (existsb (fun y => (fu (get b y) =? fu (get b x))
      && ((I s y <? I s x) && (n <? D s y))) (keys b)) eqn:E.
    - apply existsb_exists in E as [y [Hy E]]. rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt in E.
      destruct E as [F [Li Ld]]. apply waits_iff in Hw.
      pose proof (IH (I s y) ltac:(lia) y Hy eq_refl ltac:(apply waits_iff; lia)) as G.
      rewrite F in G. lia.
    - assert (all (fun y => implb' ((fu (get b y) =? fu (get b x)) && (I s y <? I s x)) (D s y
        <=? n)) (keys b) = true) as Q; [|congruence]. apply forallb_forall. intros y Hy.
      unfold implb'. destruct (_ && _) eqn:F; [|reflexivity].
      destruct (Nat.leb_spec (D s y) n) as [G|G]; [reflexivity|].
      assert (existsb (fun y => (fu (get b y) =? fu (get b x))
        && ((I s y <? I s x) && (n <? D s y))) (keys b) = true); [|congruence].
      apply existsb_exists. exists y. split; [exact Hy|]. apply andb_prop in F as [-> ->].
      apply Nat.ltb_lt, G.
  Qed.

  Lemma none_issuable s n : (forall c, n_issue b m s c n <= width m) ->
    (forall x, In x (keys b) -> issuable m b n s x = false) -> conserving m b s n.
  Proof.
    intros Wd H w k Hk He. specialize (H (w, k) Hk). apply eligible_b_ok in He as [L He].
    unfold issuable in H. cbn [fst snd] in H. rewrite (proj2 (Nat.ltb_lt _ _) L), He in H.
    cbn [andb] in H. apply orb_false_elim in H as [H1 H2]. apply Nat.eqb_neq in H1. split; [lia|].
    apply andb_false_elim in H2 as [H2|H2].
    - left. apply Nat.ltb_ge in H2. specialize (Wd (core m w)). lia.
    - right. apply blocked_b_ok.
      destruct (blocked_b m b s (fu (get b (w, k))) n); [reflexivity|discriminate].
  Qed.

  (** ** A cycle *)
  Variable order : schedule -> nat -> list key.
  Hypothesis Fair : fair b order.

  Lemma starts_ok s0 s n : during m b s0 s n ->
    let s1 := repeat (start_one m b n) (length (keys b)) s in during m b s0 s1 n /\
    busy_units m b s1 n.
  Proof.
    intros P. destruct (repeat_ok (fun s => during m b s0 s n) (start_one m b n) (fun s =>
      count b (fun x => n <? D s x))) with (k := length (keys b)) (a := s) as [A B];
      [|exact P|apply count_all|].
    - intros a a' Pa E. unfold start_one in E.
      destruct (find (startable m b n a) (keys b)) as [x|] eqn:F; [|discriminate].
      apply find_some in F as [Hx F]. inversion E; subst a'.
      pose proof (start_step s0 a n x Pa Hx F) as T.
      split; [apply (step_during m b s0 a _ n x Pa T)|]. apply (count_lt b _ _ x Hx).
      + rewrite (t_D _ _ _ _ _ _ T). apply Nat.ltb_lt. lia.
      + cbn [D set_start]. rewrite put_same. apply Nat.ltb_ge. lia.
      + intros y _ Hy. apply Nat.ltb_lt in Hy. apply Nat.ltb_lt.
        pose proof (step_D m b a _ n x T y). lia.
    - split; [exact A|]. apply none_startable. intros x Hx. unfold start_one in B.
      destruct (find _ (keys b)) eqn:F; [discriminate|]. apply (find_none _ _ F x Hx).
  Qed.

  Lemma issues_ok s0 s n : during m b s0 s n -> busy_units m b s n ->
    let s1 := repeat (fun s => issue_one m b (order s n) n s) (length (keys b)) s in
    during m b s0 s1 n /\ busy_units m b s1 n /\ conserving m b s1 n.
  Proof.
    intros P Bu. destruct (repeat_ok (fun s => during m b s0 s n /\ busy_units m b s n)
      (fun s => issue_one m b (order s n) n s) (fun s => count b (fun x => n <? I s x)))
      with (k := length (keys b)) (a := s) as [[A1 A2] B]; [|auto|apply count_all|].
    - intros a a' [Pa Ba] E. unfold issue_one in E.
      destruct (find (issuable m b n a) (order a n)) as [x|] eqn:F; [|discriminate].
      apply find_some in F as [Hx F]. apply Fair in Hx. inversion E; subst a'.
      pose proof (issue_step s0 a n x Pa Ba Hx F) as T.
      assert (n < I a x) as L by (unfold issuable in F; apply andb_prop in F as [F _];
        apply Nat.ltb_lt, F).
      split; [split; [apply (step_during m b s0 a _ n x Pa T)|apply (issue_busy s0); assumption]|].
      apply (count_lt b _ _ x Hx); [apply Nat.ltb_lt, L| |].
      + rewrite (proj1 (issue_times a n x)), put_same. apply Nat.ltb_ge. lia.
      + intros y _ Hy. apply Nat.ltb_lt in Hy. apply Nat.ltb_lt.
        pose proof (step_I m b a _ n x T y). lia.
    - split; [exact A1|]. split; [exact A2|]. apply none_issuable.
      + intros c. apply (s_width _ _ _ _ (m_safe _ _ _ _ _ A1)). lia.
      + intros x Hx. unfold issue_one in B. destruct (find _ (order _ n)) eqn:F; [discriminate|].
        apply (find_none _ _ F x). apply Fair, Hx.
  Qed.

  Lemma cycle_ok s n : prefix m b s n -> prefix m b (cycle m b order n s) (S n) /\
    agree b s (cycle m b order n s) n.
  Proof.
    intros [S0 L0]. pose proof (tick_during m b s n S0) as P0.
    destruct (starts_ok s _ n P0) as [P1 B1]. destruct (issues_ok s _ n P1 B1) as [P2 [B2 C2]].
    fold (cycle m b order n s) in P2, B2, C2. split; [split|].
    - apply (m_safe _ _ _ _ _ P2).
    - intros t Ht. destruct (Nat.eq_dec t n) as [->|N]; [auto|].
      apply (agree_live m b s _ n W (m_agree _ _ _ _ _ P2) L0 t). lia.
    - apply (m_agree _ _ _ _ _ P2).
  Qed.
End Progress.

(** *** The machine can go on: every execution up to a cycle is one up to the next, with
    any arbitration, in what is known of it unchanged. *)
Theorem goes_on m b s n : wf b -> prefix m b s n ->
  exists s', prefix m b s' (S n) /\ agree b s s' n.
Proof.
  intros W P. exists (cycle m b (fun _ _ => keys b) n s). apply cycle_ok; [exact W| |exact P].
  intros s' k x. reflexivity.
Qed.
