(** * A thread block of machine code that has its SM to itself while it stays

    As kernel/Alone.v for PTX: while no other thread block is there, the schedule keeps enough of
    the rules for the thread block by itself.  So whatever bounds it alone, as code-sib and code-fib
    do, is a [solo] of docs/machine-code-bounds.md, section 7 (theorem [code_solo]). *)

From Warpbound Require Import Base Cycles Formulas Ledger GridLedger CodeMachine CodeEnough CodeKept
  CodeReady CodeElb CodeOwn CodeLedger.

(** Of the warps of an SM those of thread block [b]; a machine and a schedule of these alone. *)
Definition alone_block (m : machine) (b : nat) (p : block) : block :=
  map (fun w => if group m w =? b then nth w p [] else []) (seq 0 (length p)).
Definition alone_machine (m : machine) (b : nat) : machine :=
  Machine (queue m) (core m) (holds_issue m) (kind m) (clash m) (fun _ => b) (release m).
Definition alone_sched (s : schedule) (b : nat) : schedule :=
  Schedule (P s) (V s) (I s) (L s) (N s) (D s) (ah s) (atr s) (aw s) (ar s) (aslot s) (aprobe s)
    (fun g q => if g =? b then rel s b q else 0).

Section Solo.
  Variables (m : machine) (p : block) (s : schedule) (J : key -> nat) (enters : key -> nat -> bool)
    (b e : nat).
  Hypothesis OK : enough m p s J enters.
  Notation o := (alone_block m b p).
  Notation m' := (alone_machine m b).
  Notation s' := (alone_sched s b).
  Hypothesis Ends : forall x, In x (keys o) -> finish p s x <= e.
  (** Nothing else is chosen or under way from its start to its end. *)
  Hypothesis Clear : forall y, In y (keys p) -> group m (fst y) <> b ->
    finish p s y <= rel s b 0 \/ e <= P s y.
  (** Units that block back onto others do so by its own code. *)
  Hypothesis Links : forall u v, back m p u v -> back m' o u v.

  Lemma alone_rel q : rel s' b q = rel s b q.
  Proof. cbn. rewrite Nat.eqb_refl. reflexivity. Qed.

  Lemma alone_warp w : nth w o [] = if group m w =? b then nth w p [] else [].
  Proof.
    destruct (le_lt_dec (length p) w) as [G|G].
    - rewrite !nth_overflow with (n := w); [destruct (_ =? _); reflexivity|exact G|].
      unfold alone_block. rewrite map_length, seq_length. exact G.
    - unfold alone_block. set (f := fun w => if group m w =? b then nth w p [] else []).
      rewrite (nth_indep _ [] (f 0)) by (rewrite map_length, seq_length; exact G).
      rewrite map_nth, seq_nth by exact G. reflexivity.
  Qed.

  Lemma alone_keys x : In x (keys o) <-> In x (keys p) /\ group m (fst x) = b.
  Proof.
    destruct x as [w k]. rewrite !in_keys. unfold len. rewrite alone_warp. cbn [fst].
    unfold alone_block. rewrite map_length, seq_length.
    destruct (Nat.eqb_spec (group m w) b) as [G|G]; cbn [length]; [tauto|].
    split; [lia|tauto].
  Qed.

  Lemma alone_get w k : group m w = b -> get o (w, k) = get p (w, k).
  Proof.
    intros G. unfold get. cbn [fst snd]. rewrite alone_warp, (proj2 (Nat.eqb_eq _ _) G).
    reflexivity.
  Qed.

  Lemma own_get x : In x (keys o) -> get o x = get p x.
  Proof. destruct x as [w k]. intros H. apply alone_get. apply alone_keys in H. apply H. Qed.

  Lemma own_at x i u : at_stage o x i u <-> at_stage p x i u /\ group m (fst x) = b.
  Proof.
    unfold at_stage, stages, st. split.
    - intros [H R]. rewrite (own_get x H) in R. apply alone_keys in H. tauto.
    - intros [[H R] G]. assert (In x (keys o)) as Ho by (apply alone_keys; auto).
      rewrite (own_get x Ho). auto.
  Qed.

  Lemma alone_stages x : In x (keys o) -> stages o x = stages p x.
  Proof. intros H. unfold stages. rewrite (own_get x H). reflexivity. Qed.
  Lemma alone_st x i : In x (keys o) -> st o x i = st p x i.
  Proof. intros H. unfold st. rewrite (own_get x H). reflexivity. Qed.
  Lemma alone_latch x : In x (keys o) -> latch m' o x = latch m p x.
  Proof. intros H. unfold latch. rewrite (own_get x H). reflexivity. Qed.
  Lemma alone_E x : In x (keys o) -> E o s' x = E p s x.
  Proof. intros H. unfold E. rewrite (alone_stages x H). reflexivity. Qed.
  Lemma alone_undone w j : group m w = b -> undone o s' w j = undone p s w j.
  Proof. intros G. unfold undone, E, stages. rewrite (alone_get w _ G). reflexivity. Qed.
  Lemma alone_finish x : In x (keys o) -> finish o s' x = finish p s x.
  Proof. intros H. unfold finish. rewrite (alone_E x H). reflexivity. Qed.
  Lemma alone_A x i : A s' x i = A s x i.
  Proof. destruct i; reflexivity. Qed.
  Lemma alone_increments w k c j : In (w, k) (keys o) ->
    increments o c w j = increments p c w j.
  Proof.
    intros H. apply alone_keys in H as [_ G]. unfold increments, increments_of.
    apply flat_map_ext. intros n. rewrite (alone_get w n G). reflexivity.
  Qed.
  Lemma own_queued x : In x (keys o) -> queued m p x <-> queued m' o x.
  Proof.
    intros H. unfold queued. rewrite (alone_latch x H). pose proof (proj1 (alone_keys x) H).
    split; intros [u [Hu R]]; exists u; (split; [|exact R]); apply own_at in Hu || apply own_at;
      tauto.
  Qed.

  (** Who holds something, or waits, is there. *)
  Lemma busy_within y t : In y (keys p) ->
    issues s y t = true \/ I s y <= t < L s y \/ L s y <= t < finish p s y
      \/ (exists i, holds p s y i t = true) -> P s y <= t < finish p s y.
  Proof.
    intros Hy H. pose proof (issue_order m p s OK y Hy). pose proof (e_probe _ _ _ _ _ OK y Hy).
    assert (L s y + aslot s y <= finish p s y) by (unfold finish; lia).
    destruct H as [H|[H|[H|[i H]]]]; [apply issues_iff in H; lia|lia|lia|].
    apply holds_iff in H as [Hi H]. pose proof (hold_end m p s OK y i Hy Hi).
    pose proof (room_before_stage m p s OK y i Hy Hi). unfold finish. lia.
  Qed.

  Lemma own_within y t : In y (keys p) -> rel s b 0 <= t < e -> P s y <= t < finish p s y ->
    In y (keys o).
  Proof.
    intros Hy Ht H. apply alone_keys. split; [exact Hy|].
    destruct (Nat.eq_dec (group m (fst y)) b) as [G|G]; [exact G|].
    destruct (Clear y Hy G); lia.
  Qed.

  Lemma begun_by q : rel s b 0 <= rel s b q.
  Proof.
    induction q as [|q IH]; [apply le_n|].
    etransitivity; [exact IH|apply (e_releases _ _ _ _ _ OK)].
  Qed.

  Lemma stay_from x t : In x (keys o) -> P s x <= t -> t < finish p s x -> rel s b 0 <= t < e.
  Proof.
    intros Hx H1 H2. split; [|eapply Nat.lt_le_trans; [exact H2|apply Ends, Hx]].
    pose proof (proj1 (alone_keys x) Hx) as [Kx G]. pose proof (e_opened _ _ _ _ _ OK x Kx) as H.
    rewrite G in H. pose proof (begun_by (sec (get p x))). lia.
  Qed.

  Lemma alone_taken u t : rel s b 0 <= t < e -> taken m p s u t -> taken m' o s' u t.
  Proof.
    intros Ht [y [i [v [Hy [HB H]]]]]. assert (In y (keys o)) as Ho.
    { apply (own_within y t (at_key _ _ _ _ Hy) Ht), (busy_within y t (at_key _ _ _ _ Hy)). eauto. }
    exists y, i, v. split; [apply own_at; split; [exact Hy|apply alone_keys in Ho; apply Ho]|].
    split; [induction HB; [constructor|econstructor; eauto]|].
    apply holds_iff in H. apply holds_iff. rewrite (alone_stages y Ho). exact H.
  Qed.

  Lemma alone_queue u t : rel s b 0 <= t < e -> in_queue p m s u t -> in_queue o m' s' u t.
  Proof.
    intros Ht [y [Hy [HL H]]]. pose proof (at_key _ _ _ _ Hy) as Ky. destruct Hy as [_ [Hi Hu]].
    assert (In y (keys o)) as Ho.
    { apply (own_within y t Ky Ht), (busy_within y t Ky). right. right. left.
      pose proof (hold_end m p s OK y 0 Ky Hi). unfold finish. lia. }
    exists y. rewrite (alone_latch y Ho). split; [|split; [exact HL|exact H]]. apply own_at.
    split; [split; [exact Ky|split; [exact Hi|exact Hu]]|apply alone_keys in Ho; apply Ho].
  Qed.

  (** *** The schedule keeps enough of the rules for it alone. *)
  Theorem solo_enough : enough m' o s' J enters.
  Proof.
    assert (forall x, In x (keys o) -> In x (keys p)) as K by (intros x H; apply alone_keys, H).
    assert (forall x, In x (keys o) -> group m (fst x) = b) as G
      by (intros x H; apply alone_keys, H).
    split.
    - intros x i H Hi. rewrite (alone_stages x H) in Hi. rewrite (alone_st x i H).
      apply (e_hold _ _ _ _ _ OK x i (K x H) Hi).
    - intros x i H Hi. rewrite (alone_stages x H) in Hi. rewrite (alone_st x i H).
      apply (e_transfer _ _ _ _ _ OK x i (K x H) Hi).
    - intros x H. rewrite (own_get x H). apply (e_write _ _ _ _ _ OK x (K x H)).
    - intros x H. rewrite (own_get x H). apply (e_read _ _ _ _ _ OK x (K x H)).
    - intros x i H Hi. rewrite (alone_stages x H) in Hi.
      apply (e_holds _ _ _ _ _ OK x i (K x H) Hi).
    - intros x i H Hi. rewrite (alone_stages x H) in Hi.
      apply (e_pass _ _ _ _ _ OK x i (K x H) Hi).
    - intros x i H Hi. rewrite (alone_stages x H) in Hi. rewrite (alone_st x i H), alone_A.
      apply (e_waits _ _ _ _ _ OK x i (K x H) Hi).
    - intros w k H. rewrite (own_get _ H), (alone_get w k (G _ H)).
      apply (e_pace _ _ _ _ _ OK w k (K _ H)).
    - intros w H. rewrite (own_get _ H). pose proof (e_pace0 _ _ _ _ _ OK w (K _ H)) as E0.
      pose proof (G _ H : group m w = b) as Gw. rewrite Gw in E0.
      change (N s (w, 0) <= rel s' b 0 + fetch (get p (w, 0))). rewrite alone_rel. exact E0.
    - intros w k H. apply (e_order _ _ _ _ _ OK w k (K _ H)).
    - intros x H. pose proof (e_opened _ _ _ _ _ OK x (K x H)) as E0. rewrite (G x H) in E0.
      rewrite (own_get x H). change (rel s' b (sec (get p x)) <= P s x). rewrite alone_rel.
      exact E0.
    - intros x H. rewrite (own_get x H). apply (e_constant _ _ _ _ _ OK x (K x H)).
    - intros x H. apply (e_issue _ _ _ _ _ OK x (K x H)).
    - intros x i H Hi. rewrite (alone_stages x H) in Hi. rewrite alone_A.
      apply (e_ask _ _ _ _ _ OK x i (K x H) Hi).
    - intros x H. rewrite (own_get x H). apply (e_slot _ _ _ _ _ OK x (K x H)).
    - intros x H. apply (e_probe _ _ _ _ _ OK x (K x H)).
    - intros x H. apply (e_issued _ _ _ _ _ OK x (K x H)).
    - intros w k t H [M1 [M2 [M3 M4]]]. pose proof (G _ H : group m w = b) as Gw.
      pose proof (issue_order m p s OK _ (K _ H)) as Or.
      change (t < P s (w, k) \/ V s (w, k) <= t < I s (w, k)) in M1. change (N s (w, k) <= t) in M2.
      change (rel s' b (sec (get o (w, k))) <= t) in M3. rewrite alone_rel in M3.
      rewrite (own_get _ H) in M3, M4. assert (rel s b 0 <= t < e) as Ht.
      { pose proof (begun_by (sec (get p (w, k)))). pose proof (Ends _ H) as F. unfold finish in F.
        lia. }
      assert (may_issue p m s w k t) as Mp.
      { split; [exact M1|]. split; [exact M2|]. rewrite Gw. split; [exact M3|].
        intros c n Hc. specialize (M4 c n Hc). rewrite (alone_increments w k c k H) in M4.
        rewrite (filter_ext _ (fun j => t <? undone o s' w j)); [exact M4|].
        intros j. rewrite (alone_undone w j Gw). reflexivity. }
      assert (forall y i u, at_stage p y i u -> P s y <= t < finish p s y ->
        In y (keys o) /\ at_stage o y i u) as Own.
      { intros y i u Hy Hw. pose proof (own_within y t (at_key _ _ _ _ Hy) Ht Hw) as Ho.
        split; [exact Ho|]. apply own_at. split; [exact Hy|apply (G _ Ho)]. }
      destruct (e_conserving _ _ _ _ _ OK w k t (K _ H) Mp)
        as [[y [H1 [H2 H3]]]|[[u [H1 [H2 H3]]]|[u [H1 [H2 [H3 H4]]]]]].
      + left. exists y. split; [|split; [exact H2|exact H3]]. apply (own_within y t H1 Ht).
        apply (busy_within y t H1). tauto.
      + right. left. exists u. split; [apply own_at; auto|]. rewrite (alone_latch _ H).
        split; [exact H2|].
        destruct H3 as [[y [i [Hy Hh]]]|[y [i [v [Hy [Hv [Q Hh]]]]]]]; [left|right].
        * destruct (Own y i u Hy) as [Ho Ha]; [apply (busy_within y t (at_key _ _ _ _ Hy)); eauto|].
          exists y, i. split; [exact Ha|]. apply holds_iff in Hh. apply holds_iff.
          rewrite (alone_stages y Ho). exact Hh.
        * pose proof (at_key _ _ _ _ Hy) as Ky. destruct Hv as [Kv [Hi Hu]].
          destruct (Own y i u Hy) as [Ho Ha].
          { apply (busy_within y t Ky). right. right. left.
            pose proof (room_before_stage m p s OK y i Ky ltac:(lia)).
            pose proof (hold_end m p s OK y (S i) Ky Hi). unfold finish. lia. }
          exists y, i, v. split; [exact Ha|]. split; [|split; [exact Q|exact Hh]].
          apply own_at. split; [split; [exact Ky|split; [exact Hi|exact Hu]]|apply (G _ Ho)].
      + right. right. exists u. split; [apply own_queued; assumption|]. split; [exact H2|].
        split; [apply own_at; auto|apply alone_queue; assumption].
    - intros x H. rewrite (alone_latch x H). apply (e_latch _ _ _ _ _ OK x (K x H)).
    - intros x H. destruct (e_room _ _ _ _ _ OK x (K x H)) as [R|[R1 R2]]; [left; exact R|right].
      split; [apply own_queued; assumption|exact R2].
    - intros w k i u t Hx Ht Hb. rewrite alone_A in Ht.
      change (A s (w, k) i <= t < D s (w, k) i) in Ht. pose proof (at_key _ _ _ _ Hx) as H.
      apply own_at in Hx as [Hx _]. pose proof Hx as [Kx [Hi _]].
      pose proof (issue_order m p s OK _ Kx). pose proof (room_before_stage m p s OK _ i Kx Hi).
      pose proof (hold_end m p s OK _ i Kx Hi).
      assert (L s (w, k) <= A s (w, k) i) as LA.
      { destruct i as [|i]; [apply le_n|]. cbn [A].
        pose proof (room_before_stage m p s OK _ i Kx ltac:(lia)). lia. }
      apply alone_taken; [apply (stay_from (w, k)); [exact H|lia|unfold finish; lia]|].
      apply (e_busy _ _ _ _ _ OK w k i u t Hx Ht). intros C n j Hn Hj. apply (Hb C n j Hn).
      apply own_at. split; [exact Hj|apply (G _ H)].
    - intros x u t Hx Ht. pose proof (at_key _ _ _ _ Hx) as H. apply own_at in Hx as [Hx _].
      pose proof (issue_order m p s OK _ (K _ H)). change (I s x <= t < L s x) in Ht.
      apply alone_queue; [|apply (e_full _ _ _ _ _ OK x u t Hx Ht)].
      apply (stay_from x); [exact H|lia|unfold finish; lia].
    - intros w n k i j u Ho Hk. apply own_at in Ho as [Ho _]. apply own_at in Hk as [Hk _].
      apply (e_in_order _ _ _ _ _ OK w n k i j u Ho Hk).
    - intros g q n H1 H2 H3. cbn [rel alone_sched alone_machine release] in *.
      destruct (Nat.eqb_spec g b) as [->|]; [|lia].
      apply (e_release _ _ _ _ _ OK b q n); [| |exact H3].
      + intros x Hx Gx Sx. assert (In x (keys o)) as Ho by (apply alone_keys; auto).
        rewrite <- (own_get x Ho) in Sx. apply (H1 x Ho eq_refl Sx).
      + intros x Hx Gx Sx Bx. assert (In x (keys o)) as Ho by (apply alone_keys; auto).
        rewrite <- (own_get x Ho) in Sx, Bx. rewrite <- (alone_E x Ho).
        apply (H2 x Ho eq_refl Sx Bx).
    - intros g q. cbn. destruct (g =? b); [apply (e_releases _ _ _ _ _ OK)|apply le_n].
    - intros x y q Hx Hy _. rewrite (own_get x Hx), (own_get y Hy).
      change (sec (get p x) <= q -> q < sec (get p y) -> J x <= rel s' b (S q)).
      rewrite alone_rel.
      pose proof (e_arrived _ _ _ _ _ OK x y q (K x Hx) (K y Hy)) as E0.
      rewrite (G x Hx), (G y Hy) in E0. apply (E0 eq_refl).
  Qed.

  (** And what Q takes for granted stays so. *)
  Theorem solo_leaves least : leaves m p s J least -> leaves m' o s' J least.
  Proof.
    intros F. assert (forall x, In x (keys o) -> In x (keys p)) as K
      by (intros x H; apply alone_keys, H).
    split.
    - intros w j n H Hj. apply (f_issue _ _ _ _ _ F w j n (K _ H) Hj).
    - intros w j n H Hj. apply (f_slot _ _ _ _ _ F w j n (K _ H) Hj).
    - intros x H Hs. rewrite (own_get x H). rewrite (alone_stages x H), (alone_latch x H) in Hs.
      apply (f_own_slot _ _ _ _ _ F x (K x H) Hs).
    - intros w j n H [k [c [r [Hk [Hw [Hj R]]]]]]. cbn [fst snd] in *.
      assert (In (w, k) (keys o)) as Hwk by (eapply keys_before; eauto).
      rewrite (own_get _ Hwk) in Hw. rewrite (alone_increments w k c k Hwk) in Hj.
      unfold E, stages. rewrite (alone_get w j) by (apply alone_keys in H; apply H).
      apply (f_awaited _ _ _ _ _ F w j n (K _ H)). exists k, c, r. auto.
    - intros w j n H [k [u [Hj [Hu [Hv [Lj Lk]]]]]]. apply (f_retaken _ _ _ _ _ F w j n (K _ H)).
      rewrite (alone_latch _ (at_key _ _ _ _ Hu)) in Lj.
      rewrite (alone_latch _ (at_key _ _ _ _ Hv)) in Lk.
      apply own_at in Hu as [Hu _]. apply own_at in Hv as [Hv _]. exists k, u. auto.
    - intros w j n H Hj Lj. assert (In (w, j) (keys o)) as Hwj by (eapply keys_before; eauto).
      rewrite (alone_latch _ Hwj) in Lj. rewrite (alone_st _ 0 Hwj).
      apply (f_latch _ _ _ _ _ F w j n (K _ H) Hj Lj).
  Qed.
End Solo.

(** ** In a kernel *)
Section Kernel.
  Variables (M R delta : nat) (mach : nat -> machine) (prog : nat -> block)
    (sched : nat -> schedule) (X : run) (rules : machine -> block -> schedule -> Prop).
  Hypothesis Run : code_run M R delta mach prog sched X rules.
  Variables (b T : nat).
  Hypothesis Hb : b < count X.
  Notation i := (sm X b).
  Notation o := (alone_block (mach i) b (prog i)).
  Notation m := (alone_machine (mach i) b).
  Hypothesis Links : forall u v, back (mach i) (prog i) u v -> back m o u v.

  Lemma solo_cycles J enters : enough (mach i) (prog i) (sched i) J enters -> alone X b ->
    (enough m o (alone_sched (sched i) b) J enters -> forall x, In x (keys o) ->
      finish o (alone_sched (sched i) b) x <= rel (sched i) b 0 + T) ->
    forall N, cycles N (fun t => counted X t && stays X b t) <= T.
  Proof.
    intros OK Al Bound N. destruct Run as [_ _ D C4 C5 C6 C7].
    pose proof (d_sm _ _ _ _ D b Hb) as Hi.
    assert (cycles N (fun t => counted X t && stays X b t) <= fin X b - start X b) as Few.
    { rewrite cycles_cnt. etransitivity; [|apply (cnt_interval (start X b) _ N)]. apply cnt_le.
      intros t _ H. apply andb_prop in H as [_ H]. unfold stays in H.
      rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in *. lia. }
    destruct (C7 b Hb) as [E|[x [Hx [Gx E]]]]; [lia|]. rewrite (C5 b Hb), E in Few.
    assert (In x (keys o)) as Ho by (apply alone_keys; auto).
    pose proof (solo_enough (mach i) (prog i) (sched i) J enters b (fin X b) OK) as SE.
    specialize (Bound (SE ltac:(intros y Hy; apply alone_keys in Hy as [Hy Gy];
      pose proof (C6 i y Hi Hy) as F; rewrite Gy in F; exact F) ltac:(intros y Hy Gy;
      pose proof (C4 i y Hi Hy) as [W1 W2]; pose proof (C6 i y Hi Hy) as F;
      assert (In (group (mach i) (fst y)) (others X b)) as Hin by (apply filter_In; split;
        [apply in_on_sm; auto|apply negb_true_iff, Nat.eqb_neq, Gy]);
      destruct (Al _ Hin) as [A1|A1]; [left; rewrite <- (C5 b Hb); lia|right];
      rewrite (C5 _ W1), W2 in A1; etransitivity; [exact A1|];
      etransitivity; [|apply (e_opened _ _ _ _ _ OK y Hy)];
      apply (begun_by (mach i) (prog i) (sched i) J enters _ OK)) Links) x Ho).
    rewrite alone_finish in Bound by exact Ho. lia.
  Qed.

  (** *** What bounds it by the rules, and by what Q takes for granted, is a solo. *)
  Theorem code_solo J enters least : enough (mach i) (prog i) (sched i) J enters ->
    leaves (mach i) (prog i) (sched i) J least -> alone X b ->
    (forall s J enters, enough m o s J enters -> leaves m o s J least ->
      forall x, In x (keys o) -> finish o s x <= rel s b 0 + T) ->
    forall N, cycles N (fun t => counted X t && stays X b t) <= T.
  Proof.
    intros OK F Al Bound. apply (solo_cycles J enters OK Al). intros OK' x Hx.
    rewrite <- alone_rel. apply (Bound _ _ _ OK'); [|exact Hx].
    apply (solo_leaves _ _ _ _ b least F).
  Qed.

  (** Without barriers the rules are enough. *)
  Theorem code_solo_flat : lawful (mach i) (prog i) (sched i) -> alone X b ->
    (forall s J enters, enough m o s J enters ->
      forall x, In x (keys o) -> finish o s x <= rel s b 0 + T) ->
    forall N, cycles N (fun t => counted X t && stays X b t) <= T.
  Proof.
    intros [J [enters OK]] Al Bound. apply (solo_cycles J enters OK Al). intros OK' x Hx.
    rewrite <- alone_rel. apply (Bound _ _ _ OK' x Hx).
  Qed.
End Kernel.
