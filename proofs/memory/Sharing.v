(** * Shares that are whole: Hall's theorem with capacities

    Points are to be given to holders, each to one that may have it, and no holder more than it has
    room for.  That can be done if of any of the points all holders that may have one of them have
    room for as many. *)

From Warpbound Require Import Base Cycles Largest Share.

Section Sharing.
  Variable bs : list nat.
  Hypothesis Distinct : NoDup bs.
  Variable may : nat -> nat -> bool.   (* point, holder *)

  (** Some holder of a point in [p]. *)
  Definition reached (L : list nat) (p : nat -> bool) (b : nat) : bool :=
    existsb (fun t => p t && may t b) L.
  Definition room (cap : nat -> nat) (L : list nat) (p : nat -> bool) : nat :=
    sum (fun b => if reached L p b then cap b else 0) bs.
  Definition enough (cap : nat -> nat) (L : list nat) : Prop :=
    forall p, length (filter p L) <= room cap L p.

  (** The number of cycles that [f] gives to [b]. *)
  Definition given (f : nat -> nat) (b : nat) (L : list nat) : nat :=
    length (filter (fun t => f t =? b) L).
  (** [f] gives each cycle to one that may have it, within capacities. *)
  Definition shared (cap : nat -> nat) (L : list nat) (f : nat -> nat) : Prop :=
    (forall t, In t L -> In (f t) bs /\ may t (f t) = true) /\ forall b, In b bs ->
    given f b L <= cap b.

  Lemma reached_in L p b : reached L p b = true <-> exists t, In t L /\ p t = true /\
    may t b = true.
  Proof.
    unfold reached. rewrite existsb_exists. split; intros [t [H1 H2]]; exists t;
      [apply andb_prop in H2|rewrite (proj1 H2), (proj2 H2)]; tauto.
  Qed.

  (** Some of them, as lists: what there is to look at is finite. *)
  Fixpoint subs (L : list nat) : list (list nat) :=
    match L with [] => [[]] | x :: l => subs l ++ map (cons x) (subs l) end.

  Lemma filter_subs p L : In (filter p L) (subs L).
  Proof.
    induction L as [|x l IH]; [left; reflexivity|]. cbn [filter subs]. apply in_or_app.
    destruct (p x); [right; apply in_map, IH|left; exact IH].
  Qed.

  (** [t] is in the list. *)
  Definition is_in (T : list nat) (t : nat) : bool := existsb (Nat.eqb t) T.

  Lemma is_in_in T t : is_in T t = true <-> In t T.
  Proof.
    unfold is_in. rewrite existsb_exists.
    split; [intros [y [H E]]; apply Nat.eqb_eq in E; subst; exact H|]. intros H. exists t.
    split; [exact H|apply Nat.eqb_refl].
  Qed.

  (** Either all proper parts have room to spare, or one has none. *)
  Definition tight (cap : nat -> nat) (L : list nat) (p : nat -> bool) : Prop :=
    1 <= length (filter p L) < length L /\ room cap L p <= length (filter p L).

  Lemma room_ext cap L p q : (forall t, In t L -> p t = q t) -> room cap L p = room cap L q.
  Proof.
    intros H. apply sum_ext. intros b _.
    replace (reached L q b) with (reached L p b); [reflexivity|]. unfold reached. clear -H.
    induction L as [|x l IH]; [reflexivity|]. cbn [existsb].
    rewrite (H x (or_introl eq_refl)), IH by (intros; apply H; right; assumption). reflexivity.
  Qed.

  Lemma tight_or_not cap L : (exists p, tight cap L p) \/ forall p, ~ tight cap L p.
  Proof.
    set (bad := fun T => (1 <=? length (filter (is_in T) L))
      && (length (filter (is_in T) L) <? length L)
      && (room cap L (is_in T) <=? length (filter (is_in T) L))).
    destruct (existsb bad (subs L)) eqn:X.
    - left. apply existsb_exists in X as [T [_ X]]. exists (is_in T). unfold bad in X.
      rewrite !andb_true_iff, !Nat.leb_le, Nat.ltb_lt in X. unfold tight. tauto.
    - right. intros p [P1 P2]. enough (existsb bad (subs L) = true) by congruence.
      apply existsb_exists. exists (filter p L). split; [apply filter_subs|].
      assert (forall t, In t L -> is_in (filter p L) t = p t) as E.
      { intros t Ht. destruct (p t) eqn:Pt.
        - apply is_in_in, filter_In. auto.
        - apply not_true_is_false. intros Q. apply is_in_in, filter_In in Q. destruct Q.
          congruence. }
      unfold bad. rewrite (filter_ext_in _ _ L E), (room_ext cap L _ p E).
      rewrite !andb_true_iff, !Nat.leb_le, Nat.ltb_lt. tauto.
  Qed.

  Lemma given_split f b L q : given f b L = given f b (filter q L)
    + given f b (filter (fun t => negb (q t)) L).
  Proof.
    unfold given. induction L as [|x l IH]; [reflexivity|]. cbn [filter].
    destruct (q x); cbn [negb filter]; destruct (f x =? b); cbn [length filter]; lia.
  Qed.

  Lemma given_ext f g b L : (forall t, In t L -> f t = g t) -> given f b L = given g b L.
  Proof.
    intros H. unfold given. f_equal. apply filter_ext_in. intros t Ht. rewrite (H t Ht).
    reflexivity.
  Qed.

  Lemma length_split {A} (p q : A -> bool) l : length (filter p l)
    = length (filter (fun x => p x && q x) l) + length (filter (fun x => p x && negb (q x)) l).
  Proof.
    induction l as [|x l IH]; [reflexivity|]. cbn [filter].
    destruct (p x), (q x); cbn [andb negb length]; lia.
  Qed.

  (** *** Hall *)
  Theorem share_whole : forall n cap L, length L <= n -> NoDup L -> enough cap L ->
    exists f, shared cap L f.
  Proof.
    induction n as [|n IH]; intros cap L Ln ND E.
    { destruct L; [|cbn in Ln; lia]. exists (fun _ => 0). split; [intros t []|cbn; lia]. }
    destruct L as [|x l] eqn:EL; [exists (fun _ => 0); split; [intros t []|cbn; lia]|].
    rewrite <- EL in *. destruct (tight_or_not cap L) as [[p [[P1 P2] P3]]|Spare].
    - (* a part without room to spare, and the rest *)
      assert (enough cap (filter p L)) as E1.
      { intros q. rewrite filter_both. etransitivity; [apply (E (fun t => p t && q t))|].
        apply sum_le. intros b _. destruct (reached L (fun t => p t && q t) b) eqn:R; [|lia].
        replace (reached (filter p L) q b) with true; [lia|]. symmetry. apply reached_in.
        apply reached_in in R as [t [H1 [H2 H3]]]. apply andb_prop in H2 as [H2 H4]. exists t.
        split; [apply filter_In|]; auto. }
      set (cap2 := fun b => if reached L p b then 0 else cap b).
      assert (enough cap2 (filter (fun t => negb (p t)) L)) as E2.
      { intros q. rewrite filter_both. specialize (E (fun t => p t || q t)).
        rewrite (length_split _ p) in E. rewrite (filter_ext_in (fun x => (p x || q x) && p x) p)
          in E by (intros a _; destruct (p a), (q a); reflexivity).
        rewrite (filter_ext_in (fun x => (p x || q x) && negb (p x)) (fun x => negb (p x) && q x))
          in E by (intros a _; destruct (p a), (q a); reflexivity).
        enough (room cap L (fun t => p t || q t) <= room cap L p
          + room cap2 (filter (fun t => negb (p t)) L) q) by lia. unfold room. rewrite <- sum_add.
        apply sum_le. intros b _. unfold cap2.
        destruct (reached L (fun t => p t || q t) b) eqn:R; [|lia].
        destruct (reached L p b) eqn:R1; [lia|].
        replace (reached (filter (fun t => negb (p t)) L) q b) with true; [lia|]. symmetry.
        apply reached_in. apply reached_in in R as [t [H1 [H2 H3]]]. exists t.
        destruct (p t) eqn:Pt; [exfalso; enough (reached L p b = true) by congruence;
          apply reached_in; eauto|]. split; [apply filter_In; rewrite Pt; auto|]. auto. }
      pose proof (length_split (fun _ => true) p L) as S. cbn [andb] in S.
      rewrite (filter_ext_in (fun x => p x) p) in S by reflexivity.
      assert (filter (fun _ : nat => true) L = L) as AllL
        by (clear; induction L as [|y k IHk]; [reflexivity|]; cbn [filter]; f_equal; exact IHk).
      rewrite AllL in S.
      destruct (IH cap (filter p L) ltac:(lia) (NoDup_filter _ ND) E1) as [f1 [F1 F2]].
      destruct (IH cap2 (filter (fun t => negb (p t)) L) ltac:(lia) (NoDup_filter _ ND) E2)
        as [f2 [G1 G2]]. exists (fun t => if p t then f1 t else f2 t). split.
      + intros t Ht.
        destruct (p t) eqn:Pt; [apply F1, filter_In; auto|apply G1, filter_In; rewrite Pt; auto].
      + intros b Hb. rewrite (given_split _ b L p).
        rewrite (given_ext _ f1 b (filter p L)) by (intros t Ht; apply filter_In in Ht as [_ ->];
          reflexivity). rewrite (given_ext _ f2 b (filter (fun t => negb (p t)) L))
          by (intros t Ht; apply filter_In in Ht as [_ Ht]; apply negb_true_iff in Ht; rewrite Ht;
          reflexivity). pose proof (F2 b Hb) as A1. pose proof (G2 b Hb) as A2. unfold cap2 in A2.
        destruct (reached L p b) eqn:R; [lia|]. assert (given f1 b (filter p L) = 0) as Z; [|lia].
        unfold given.
        destruct (filter (fun t => f1 t =? b) (filter p L)) as [|t k] eqn:Ft; [reflexivity|exfalso].
        assert (In t (filter (fun t => f1 t =? b) (filter p L))) as Ht
          by (rewrite Ft; left; reflexivity). apply filter_In in Ht as [Ht Eb].
        apply Nat.eqb_eq in Eb. destruct (F1 t Ht) as [_ M]. apply filter_In in Ht as [Ht Pt].
        enough (reached L p b = true) by congruence. apply reached_in. exists t. rewrite <- Eb.
        auto.
    - (* the first point goes to any holder *)
      assert (exists b, In b bs /\ may x b = true /\ 1 <= cap b) as [b [Hb [Mb Cb]]].
      { assert (1 <= room cap L (fun t => t =? x)) as R1.
        { etransitivity; [|apply E]. rewrite EL. cbn [filter]. rewrite Nat.eqb_refl. cbn [length].
          lia. }
        unfold room in R1. destruct (existsb (fun b => (may x b) && (1 <=? cap b)) bs) eqn:X.
        - apply existsb_exists in X as [b [Hb X]]. apply andb_prop in X as [X1 X2].
          apply Nat.leb_le in X2. eauto.
        - exfalso. rewrite sum_zero in R1; [lia|]. intros b Hb.
          destruct (reached L (fun t => t =? x) b) eqn:R; [|reflexivity].
          apply reached_in in R as [t [_ [Et Mt]]]. apply Nat.eqb_eq in Et. subst t.
          destruct (cap b) eqn:Cb; [reflexivity|exfalso].
          enough (existsb (fun b => may x b && (1 <=? cap b)) bs = true) by congruence.
          apply existsb_exists. exists b. rewrite Mt, Cb. auto. }
      set (cap1 := fun c => if c =? b then cap c - 1 else cap c).
      assert (NoDup (x :: l)) as ND' by (rewrite <- EL; exact ND).
      apply NoDup_cons_iff in ND' as [Nx Nl].
      assert (forall q, room cap l q <= room cap1 l q + 1) as Less.
      { intros q. unfold room, cap1. clear -Distinct. induction bs as [|c k IHk]; [cbn; lia|].
        inversion Distinct as [|? ? Nc Nk]; subst. rewrite !sum_cons. specialize (IHk Nk).
        destruct (Nat.eqb_spec c b) as [->|]; [|destruct (reached l q c); lia].
        assert (sum (fun c => if reached l q c then cap c else 0) k
          = sum (fun c => if reached l q c then if c =? b then cap c - 1 else cap c else 0) k) as S.
        { apply sum_ext. intros c Hc.
          destruct (Nat.eqb_spec c b) as [Ec|Nc']; [subst c; contradiction|reflexivity]. }
        rewrite S. destruct (reached l q b); lia. }
      assert (enough cap1 l) as E1.
      { intros q. destruct (le_lt_dec 1 (length (filter q l))) as [Q|Q]; [|lia].
        set (q' := fun t => q t && negb (t =? x)).
        assert (forall t, In t l -> q' t = q t) as Eq.
        { intros t Ht. unfold q'.
          destruct (Nat.eqb_spec t x) as [->|]; [contradiction|apply andb_true_r]. }
        assert (q' x = false) as Qx by (unfold q'; rewrite Nat.eqb_refl; apply andb_false_r).
        assert (filter q' L = filter q l) as F
          by (rewrite EL; cbn [filter]; rewrite Qx; apply filter_ext_in, Eq).
        assert (room cap L q' = room cap l q) as R.
        { rewrite <- (room_ext cap l q' q Eq). apply sum_ext. intros c _. unfold reached.
          rewrite EL. cbn [existsb]. rewrite Qx. reflexivity. }
        pose proof (Spare q') as Sp. unfold tight in Sp. rewrite F, R in Sp. pose proof (Less q).
        assert (length (filter q l) < length L); [|lia]. rewrite EL. cbn [length].
        pose proof (length_split (fun _ => true) q l) as S. cbn [andb] in S.
        assert (length (filter (fun _ : nat => true) l) = length l) as A
          by (clear; induction l as [|y k IHk]; cbn; lia).
        rewrite (filter_ext_in (fun x => q x) q) in S by reflexivity. lia. }
      destruct (IH cap1 l ltac:(rewrite EL in Ln; cbn in Ln; lia) Nl E1) as [f [F1 F2]].
      exists (fun t => if t =? x then b else f t). split.
      + intros t Ht. destruct (Nat.eqb_spec t x) as [->|N]; [auto|]. apply F1. rewrite EL in Ht.
        destruct Ht; [congruence|assumption].
      + intros c Hc. rewrite EL. unfold given. cbn [filter]. rewrite Nat.eqb_refl.
        assert (length (filter (fun t => (if t =? x then b else f t) =? c) l) = given f c l) as G.
        { unfold given. f_equal. apply filter_ext_in. intros t Ht.
          destruct (Nat.eqb_spec t x) as [->|]; [contradiction|reflexivity]. }
        specialize (F2 c Hc). unfold cap1 in F2. rewrite (Nat.eqb_sym b c).
        destruct (Nat.eqb_spec c b) as [Ec|Nc];
          [subst c; cbn [length]; lia|exact (Nat.le_trans _ _ _ (Nat.eq_le_incl _ _ G) F2)].
  Qed.
End Sharing.
