(** * What a level of memory fills once: section 7 of docs/machine-code-bounds.md

    A level keeps sectors in allocation units: an L1 or L2 sectors in lines, a TLB pages.  It starts
    with any contents.  Its policy is free, except that it loses nothing of a unit that it has
    filled something of since the start unless more than [keeps] units have been touched.  If no
    more are touched at all, each sector is filled at most once.  So cycles in which fills are under
    way, or are served, are at most as many as there are sectors, times how long one takes. *)

From Warpbound Require Import Base Cycles.

(** Since the start, the newest first: anything touches a unit; the fill of a sector begins; a
    sector is lost.  Lines that stores take out of an L1 are not among these: what is asked of them
    counts by requests ([others]). *)
Inductive event := Touch (l : nat) | Fill (x : nat) | Lose (x : nat).

Definition fills : list event -> list nat :=
  flat_map (fun e => match e with Fill x => [x] | _ => [] end).
Definition touches (unit : nat -> nat) : list event -> list nat :=
  flat_map (fun e => match e with Touch l => [l] | Fill x => [unit x] | Lose _ => [] end).
Definition units (unit : nat -> nat) (es : list event) : nat :=
  length (nodup Nat.eq_dec (touches unit es)).

(** [has]: the sectors that are there, or on their way.  Who finds one of them fills nothing. *)
Inductive level (keeps : nat) (unit : nat -> nat) : list event -> (nat -> Prop) -> Prop :=
| l_start has : level keeps unit [] has
| l_touch es has l : level keeps unit es has -> level keeps unit (Touch l :: es) has
| l_fill es has has' x : level keeps unit es has -> ~ has x ->
    (forall y, has' y <-> y = x \/ has y) -> level keeps unit (Fill x :: es) has'
| l_lose es has has' x : level keeps unit es has ->
    keeps < units unit es \/ ~ In (unit x) (map unit (fills es)) ->
    (forall y, has' y <-> y <> x /\ has y) -> level keeps unit (Lose x :: es) has'.

Lemma units_le unit es us : incl (touches unit es) us -> units unit es <= length us.
Proof.
  intros H. apply NoDup_incl_length; [apply NoDup_nodup|]. intros l Hl. apply H.
  apply nodup_In in Hl. exact Hl.
Qed.

Lemma units_rise unit e es : units unit es <= units unit (e :: es).
Proof.
  apply units_le. intros l Hl. apply nodup_In. unfold touches. cbn [flat_map].
  apply in_or_app. right. exact Hl.
Qed.

(** *** Each sector is filled at most once. *)
Theorem fills_once keeps unit es has : level keeps unit es has -> units unit es <= keeps ->
  NoDup (fills es) /\ forall x, In x (fills es) -> has x.
Proof.
  intros H. induction H as [has|es has l H IH|es has has' x H IH New Eq|es has has' x H IH Free Eq];
    intros K.
  - split; [constructor|intros x []].
  - apply IH. pose proof (units_rise unit (Touch l) es). lia.
  - destruct IH as [ND Has]; [pose proof (units_rise unit (Fill x) es); lia|]. split.
    + constructor; auto.
    + intros y [->|Hy]; apply Eq; auto.
  - destruct (IH K) as [ND Has]. split; [exact ND|]. intros y Hy. apply Eq. split; [|auto].
    intros ->. destruct Free as [G|G]; [|apply G, in_map, Hy].
    change (units unit (Lose x :: es)) with (units unit es) in K. lia.
Qed.

(** ** Units least recently used are lost first: such a level, whatever it starts with *)

Lemma fills_of_lost xs es : fills (map Lose xs ++ es) = fills es.
Proof. induction xs as [|x xs IH]; [reflexivity|exact IH]. Qed.

Lemma touches_of_lost unit xs es : touches unit (map Lose xs ++ es) = touches unit es.
Proof. induction xs as [|x xs IH]; [reflexivity|exact IH]. Qed.

Lemma lose_all keeps unit es has xs : level keeps unit es has ->
  (forall x, In x xs -> keeps < units unit es \/ ~ In (unit x) (map unit (fills es))) ->
  exists left, level keeps unit (map Lose xs ++ es) left /\ forall y, left y <-> ~ In y xs /\ has y.
Proof.
  intros L H. induction xs as [|x xs IH]; [exists has; intuition|].
  destruct IH as [left [L' E]]; [intros y Hy; apply H; right; exact Hy|].
  exists (fun y => y <> x /\ left y). split.
  - apply (l_lose _ _ _ left); [exact L'| |reflexivity].
    unfold units. rewrite touches_of_lost, fills_of_lost. apply H. left. reflexivity.
  - intros y. rewrite E. cbn. intuition congruence.
Qed.

Section Lru.
  Variable unit : nat -> nat.

  (** An access to sector [x]; units, the last used first, and their sectors. *)
  Definition access (s : list nat * list nat * list event) (x : nat) :=
    let '(ways, has, es) := s in
    let others := filter (fun l => negb (l =? unit x)) ways in
    if in_dec Nat.eq_dec (unit x) ways then
      if in_dec Nat.eq_dec x has then (unit x :: others, has, Touch (unit x) :: es)
      else (unit x :: others, x :: has, Fill x :: es)
    else
      let lost y := unit y =? last ways 0 in
      (unit x :: removelast ways, x :: filter (fun y => negb (lost y)) has,
        Fill x :: map Lose (filter lost has) ++ Touch (unit x) :: es).

  (** Units touched since the start stand in front of all that were not. *)
  Definition recent (ways : list nat) (es : list event) : Prop := exists a b, ways = a ++ b /\
    incl a (touches unit es) /\ forall l, In l b -> ~ In l (touches unit es).
  Definition lru (n : nat) (s : list nat * list nat * list event) : Prop :=
    let '(ways, has, es) := s in length ways = n /\ NoDup ways /\ recent ways es /\
    (forall y, In y has -> In (unit y) ways) /\ level n unit es (fun y => In y has).

  Lemma filled_touched l es : In l (map unit (fills es)) -> In l (touches unit es).
  Proof. induction es as [|e es IH]; [intros []|]. destruct e; cbn; intuition. Qed.

  Lemma used_first n l ways es es' : length ways = n -> NoDup ways -> In l ways ->
    recent ways es -> (forall m, In m (touches unit es') <-> m = l \/ In m (touches unit es)) ->
    let used := l :: filter (fun m => negb (m =? l)) ways in
    length used = n /\ NoDup used /\ recent used es' /\ incl ways used.
  Proof.
    intros Len ND Hl [a [b [-> [Ia Ib]]]] T. cbn zeta.
    assert (forall k m, In m (filter (fun m => negb (m =? l)) k) <-> In m k /\ m <> l) as F.
    { intros k m. rewrite filter_In, negb_true_iff, Nat.eqb_neq. reflexivity. }
    assert (incl (a ++ b) (l :: filter (fun m => negb (m =? l)) (a ++ b))) as I.
    { intros m Hm. destruct (Nat.eq_dec m l) as [->|]; [left; reflexivity|right; apply F; auto]. }
    assert (NoDup (l :: filter (fun m => negb (m =? l)) (a ++ b))) as ND'.
    { constructor; [rewrite F; tauto|apply NoDup_filter, ND]. }
    split; [|split; [exact ND'|split; [|exact I]]].
    - apply NoDup_incl_length in I; [|exact ND]. enough (length (l :: filter
        (fun m => negb (m =? l)) (a ++ b)) <= length (a ++ b)) by (rewrite <- Len; lia).
      apply NoDup_incl_length; [exact ND'|]. intros m [<-|Hm]; [exact Hl|apply F in Hm; tauto].
    - exists (l :: filter (fun m => negb (m =? l)) a), (filter (fun m => negb (m =? l)) b).
      rewrite filter_app. split; [reflexivity|]. split.
      + intros m [<-|Hm]; apply T; [auto|]. apply F in Hm. right. apply Ia, Hm.
      + intros m Hm. apply F in Hm. rewrite T. intros [E|E]; [tauto|apply (Ib m); tauto].
  Qed.

  Lemma access_lru n s x : 0 < n -> lru n s -> lru n (access s x).
  Proof.
    destruct s as [[ways has] es]. intros Some [Len [ND [Re [Held L]]]]. cbn [access].
    destruct (in_dec Nat.eq_dec (unit x) ways) as [In1|Out].
    - destruct (in_dec Nat.eq_dec x has) as [In2|New].
      + destruct (used_first n _ ways es (Touch (unit x) :: es) Len ND In1 Re) as [A [B [C D]]];
          [cbn; intuition|]. repeat split; auto. apply l_touch, L.
      + destruct (used_first n _ ways es (Fill x :: es) Len ND In1 Re) as [A [B [C D]]];
          [cbn; intuition|]. repeat split; auto.
        * intros y [<-|Hy]; [left; reflexivity|auto].
        * apply (l_fill _ _ _ _ _ _ L New). cbn. intuition.
    - destruct Re as [a [b [E [Ia Ib]]]].
      destruct (exists_last (l := ways)) as [rest [v ->]]; [intros ->; cbn in Len; lia|].
      rewrite removelast_last, last_last. set (lost := fun y => unit y =? v).
      assert (forall l, In l rest -> l <> v) as Other.
      { intros l Hl ->. apply NoDup_remove_2 in ND. rewrite app_nil_r in ND. exact (ND Hl). }
      assert (In v (touches unit es) -> incl (rest ++ [v]) (touches unit es)) as All.
      { intros Hv. rewrite E. destruct b as [|m b _] using rev_ind; [rewrite app_nil_r; exact Ia|].
        rewrite app_assoc in E. apply app_inj_tail in E as [_ <-].
        destruct (Ib v); [apply in_or_app; right; left; reflexivity|exact Hv]. }
      assert (NoDup (unit x :: rest ++ [v])) as ND' by (constructor; assumption).
      destruct (lose_all n unit (Touch (unit x) :: es) _ (filter lost has)
        (l_touch _ _ _ _ (unit x) L)) as [left [L' E']].
      { intros y Hy. apply filter_In in Hy as [Hy V]. apply Nat.eqb_eq in V.
        destruct (in_dec Nat.eq_dec v (touches unit es)) as [Hot|Cold];
          [left|right; rewrite V; intros G; apply Cold, filled_touched, G].
        rewrite <- Len. apply (NoDup_incl_length (l := unit x :: rest ++ [v])); [exact ND'|].
        intros l Hl. apply nodup_In. destruct Hl as [<-|Hl]; [left|right; apply (All Hot)]; auto. }
      assert (forall y, left y <-> In y (filter (fun y => negb (lost y)) has)) as Left.
      { intros y. rewrite E', !filter_In. unfold lost. rewrite negb_true_iff.
        destruct (unit y =? v); intuition congruence. }
      split; [rewrite <- Len, app_length; cbn; lia|]. split.
      { apply (NoDup_remove_1 (unit x :: rest) []) in ND'. rewrite app_nil_r in ND'. exact ND'. }
      split; [|split].
      + assert (forall m, In m (touches unit (Fill x :: map Lose (filter lost has)
          ++ Touch (unit x) :: es)) <-> m = unit x \/ In m (touches unit es)) as T.
        { intros m. cbn. change (flat_map _ ?k) with (touches unit k). rewrite touches_of_lost.
          cbn. intuition. }
        destruct b as [|m b _] using rev_ind.
        * exists (unit x :: rest), []. rewrite app_nil_r in *. subst a.
          split; [reflexivity|]. split; [|intros l []]. intros l [<-|Hl]; apply T; [auto|].
          right. apply Ia, in_or_app. auto.
        * rewrite app_assoc in E. apply app_inj_tail in E as [-> <-].
          exists (unit x :: a), b. split; [reflexivity|]. split.
          -- intros l [<-|Hl]; apply T; auto.
          -- intros l Hl. rewrite T. intros [->|G]; [apply Out|apply (Ib l)]; auto;
               rewrite !in_app_iff; auto.
      + intros y [<-|Hy]; [left; reflexivity|right]. apply filter_In in Hy as [Hy V].
        unfold lost in V. apply negb_true_iff, Nat.eqb_neq in V.
        pose proof (Held y Hy) as G. apply in_app_or in G as [G|[G|[]]]; [exact G|congruence].
      + apply (l_fill _ _ _ left); [exact L'| |intros y; rewrite Left; cbn; intuition].
        rewrite Left, filter_In. intros [G _]. apply Out, Held, G.
  Qed.

  (** *** It keeps as many units as it has ways. *)
  Theorem lru_level ways has xs : ways <> [] -> NoDup ways ->
    (forall y, In y has -> In (unit y) ways) ->
    exists has', level (length ways) unit (snd (fold_left access xs (ways, has, []))) has'.
  Proof.
    intros NE ND Held. assert (lru (length ways) (fold_left access xs (ways, has, []))) as H.
    { assert (lru (length ways) (ways, has, [])) as H.
      { repeat split; auto; [|constructor]. exists [], ways. repeat split; [intros l []|tauto]. }
      revert H. generalize (ways, has, @nil event). induction xs as [|x xs IH]; [auto|].
      intros s H. apply IH, access_lru; [|exact H]. destruct ways; [congruence|cbn; lia]. }
    destruct (fold_left _ _ _) as [[w h] es]. exists (fun y => In y h). apply H.
  Qed.
End Lru.

(** ** How long fills take *)

(** Stretches of cycles, each its first one and its length *)
Definition serving (ss : list (nat * nat)) (t : nat) : bool :=
  existsb (fun s => (fst s <=? t) && (t <? fst s + snd s)) ss.

Lemma serving_few ss n : cnt (serving ss) n <= sum snd ss.
Proof.
  etransitivity; [apply (cnt_exists (fun t s => (fst s <=? t) && (t <? fst s + snd s)))|].
  apply sum_le. intros s _. apply cnt_interval.
Qed.

(** What is counted of a level: the sectors that may be filled, the units that may be touched, what
    is fetched or passed on besides, request by request, and the cycles that one takes at most. *)
Record supply := Supply { keeps : nat; unit_of : nat -> nat; sectors : list nat;
  lines : list nat; others : nat; lasts : nat }.
Definition cost (u : supply) : nat := (length (sectors u) + others u) * lasts u.

(** [ss]: when each of them is under way, or served *)
Record supplied (u : supply) (es : list event) (ss : list (nat * nat)) : Prop := {
  s_level : exists has, level (keeps u) (unit_of u) es has;
  s_kept : length (lines u) <= keeps u;
  s_lines : incl (touches (unit_of u) es) (lines u);
  s_sectors : incl (fills es) (sectors u);
  s_served : length ss <= length (fills es) + others u;
  s_lasts : forall s, In s ss -> snd s <= lasts u }.

(** *** As many fills as sectors, and as many cycles as that takes, *)
Theorem supplied_few u es ss n : supplied u es ss ->
  length (fills es) <= length (sectors u) /\ cnt (serving ss) n <= cost u.
Proof.
  intros [[has L] K Hl Hs Hn Hd].
  assert (length (fills es) <= length (sectors u)) as F.
  { apply NoDup_incl_length; [|exact Hs]. apply (fills_once _ _ _ _ L).
    pose proof (units_le _ _ _ Hl). lia. }
  split; [exact F|]. etransitivity; [apply serving_few|]. unfold cost.
  transitivity (length ss * lasts u); [|apply Nat.mul_le_mono_r; lia].
  clear -Hd. unfold sum, list_sum. induction ss as [|s ss IH]; [apply le_n|]. cbn [map length].
  specialize (IH (fun s' H => Hd s' (or_intror H))). specialize (Hd s (or_introl eq_refl)).
  cbn. lia.
Qed.

(** V: cycles in which one of several levels is filled, as pages and DRAM's sectors *)
Definition beside (off : nat -> bool) (us : list supply) : Prop :=
  exists served, (forall u, In u us -> exists es, supplied u es (served u)) /\
  forall t, off t = true -> exists u, In u us /\ serving (served u) t = true.

(** *** and of all levels the sum. *)
Theorem beside_few off us n : beside off us -> cnt off n <= sum cost us.
Proof.
  intros [served [H V]]. transitivity (cnt (fun t => existsb (fun u => serving (served u) t) us) n).
  - apply cnt_le. intros t _ Ht. apply existsb_exists, V, Ht.
  - etransitivity; [apply (cnt_exists (fun t u => serving (served u) t))|].
    apply sum_le. intros u Hu. destruct (H u Hu) as [es Hs]. apply (supplied_few _ _ _ _ Hs).
Qed.
