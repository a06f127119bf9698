(** * What keeps an instruction waiting: lemma 0 of docs/machine-code-bounds.md

    Who waits for a queue, for a stage, or to be issued, waits for a unit that is held, or for
    the issue stage. *)

From Warpbound Require Import Base CodeMachine CodeEnough.

Section Ready.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.

  (** ** The events of an instruction are in their order *)

  Lemma issue_order x : In x (keys b) -> P s x <= V s x /\ V s x <= I s x /\ I s x <= L s x.
  Proof.
    intros H. pose proof (e_constant _ _ _ _ _ OK x H). pose proof (e_issue _ _ _ _ _ OK x H). lia.
  Qed.

  Lemma stage_order x i : In x (keys b) -> S i < stages b x -> D s x i + ah s x i <= D s x (S i).
  Proof. intros H Hi. pose proof (e_ask _ _ _ _ _ OK x (S i) H Hi) as Ha. simpl in Ha. lia. Qed.

  Lemma stage_after x i j : In x (keys b) -> i < j -> j < stages b x ->
    D s x i + ah s x i <= D s x j.
  Proof.
    intros H Hi Hj. induction j as [|j IH]; [lia|].
    pose proof (stage_order x j H Hj). destruct (Nat.eq_dec i j) as [->|N]; [lia|].
    specialize (IH ltac:(lia) ltac:(lia)). lia.
  Qed.

  Lemma room_before_stage x i : In x (keys b) -> i < stages b x -> L s x <= D s x i.
  Proof.
    intros H Hi. pose proof (e_ask _ _ _ _ _ OK x 0 H ltac:(lia)) as H0. simpl in H0.
    destruct i as [|i]; [exact H0|]. pose proof (stage_after x 0 (S i) H ltac:(lia) Hi). lia.
  Qed.

  Lemma own_order w k j : In (w, k) (keys b) -> j < k -> L s (w, j) <= P s (w, k).
  Proof.
    induction k as [|k IH]; intros Hk Hj; [lia|]. pose proof (e_order _ _ _ _ _ OK w k Hk) as H.
    destruct (Nat.eq_dec j k) as [->|N]; [exact H|].
    assert (In (w, k) (keys b)) as Hk' by (eapply keys_before; [exact Hk|lia]).
    specialize (IH Hk' ltac:(lia)). pose proof (issue_order _ Hk'). lia.
  Qed.

  (** Who enters a stage has entered all that are before it. *)
  Lemma enters_before x i j : In x (keys b) -> i <= j -> j < stages b x -> enters x j = true ->
    enters x i = true.
  Proof.
    intros H Hi Hj H0. induction j as [|j IH]; [replace i with 0 by lia; exact H0|].
    destruct (Nat.eq_dec i (S j)) as [->|N]; [exact H0|].
    apply IH; [lia..|]. apply (e_pass _ _ _ _ _ OK); assumption.
  Qed.

  (** ** Ways *)

  Lemma clash_back u v : B m b u v -> clash m u = true -> clash m v = true.
  Proof. induction 1; intros C; [exact C|]. apply IHB. eapply (w_closed _ _ WF); eassumption. Qed.

  (** Two instructions of a warp come alike to a unit without a clash. *)
  Lemma own_way w o k i j u : at_stage b (w, o) i u -> at_stage b (w, k) j u -> clash m u = false ->
    i = j /\ forall n, n < i -> unit (st b (w, o) n) = unit (st b (w, k) n).
  Proof.
    intros Ho Hk C. destruct (w_same_way _ _ WF _ _ _ _ _ _ Ho Hk eq_refl C) as [<- HS].
    split; [reflexivity|]. intros n Hn. destruct Ho as [Ho [Lo _]], Hk as [Hk [Lk _]].
    apply (w_one _ _ WF (w, o) (w, k) n n); [apply at_own; [exact Ho|lia]|apply at_own;
      [exact Hk|lia]|auto|reflexivity].
  Qed.

  (** All ways to a kind of units without a clash pass through all that it blocks. *)
  Lemma back_through u v : B m b u v -> clash m v = false ->
    forall x j z, at_stage b x j z -> kind m v = kind m z -> exists i u', i <= j /\
    at_stage b x i u' /\ kind m u = kind m u'.
  Proof.
    induction 1 as [u|u u' v [Q [y [i [Y1 Y2]]]] HB IH]; intros C x j z Hx Hz; [exists j, z; auto|].
    destruct (IH C x j z Hx Hz) as [i' [z' [Hi' [Hx' Hz']]]].
    assert (clash m u' = false) as C'.
    { destruct (clash m u') eqn:E; [|reflexivity]. rewrite (clash_back _ _ HB E) in C.
      discriminate. }
    destruct (w_same_way _ _ WF _ _ _ _ _ _ Y2 Hx' Hz' C') as [<- Hs].
    exists i, (unit (st b x i)). destruct Y1 as [_ [_ Y1]], Hx' as [H1 [H2 _]].
    split; [lia|]. split; [apply at_own; [exact H1|lia]|]. rewrite <- Y1. apply Hs. lia.
  Qed.

  (** The first of several own instructions that satisfies something. *)
  Lemma first_of (p : nat -> Prop) (dec : forall o, {p o} + {~ p o}) k :
    p k -> exists o, o <= k /\ p o /\ forall j, j < o -> ~ p j.
  Proof.
    induction k as [k IH] using lt_wf_ind. intros Hk.
    assert ({o | o < k /\ p o} + {forall o, o < k -> ~ p o}) as [[o [Ho Hp]]|N].
    { clear -dec. induction k as [|k IH]; [right; intros; lia|].
      destruct IH as [[o [H1 H2]]|IH]; [left; exists o; split; [lia|exact H2]|].
      destruct (dec k) as [H|H]; [left; exists k; split; [lia|exact H]|].
      right. intros o Ho. destruct (Nat.eq_dec o k) as [->|]; [exact H|apply IH; lia]. }
    - destruct (IH o Ho Hp) as [j [H1 H2]]. exists j. split; [lia|exact H2].
    - exists k. split; [lia|]. split; assumption.
  Qed.

  (** ** Who waits for a unit *)

  (** Of the own instructions that have stage [i], on a unit without a clash, and have yet to begin
      it, the first one waits for it if each of these has asked for it. *)
  Lemma first_waits w k i u t : at_stage b (w, k) i u -> t < D s (w, k) i -> A s (w, k) i <= t ->
    (clash m u = false -> forall o, o < k -> at_stage b (w, o) i u -> t < D s (w, o) i ->
      A s (w, o) i <= t) ->
    taken m b s u t.
  Proof.
    intros Hk Ht Ha Hasked. destruct (clash m u) eqn:C.
    { apply (e_busy _ _ _ _ _ OK w k i u t Hk); [lia|congruence]. }
    set (p := fun o => i < stages b (w, o) /\ unit (st b (w, o) i) = u /\ t < D s (w, o) i).
    assert (forall o, {p o} + {~ p o}) as dec.
    { intros o. unfold p. destruct (lt_dec i (stages b (w, o))); [|right; tauto].
      destruct (Nat.eq_dec (unit (st b (w, o) i)) u); [|right; tauto].
      destruct (lt_dec t (D s (w, o) i)); [left|right]; tauto. }
    destruct (first_of p dec k) as [o [Ho [[P1 [P2 P3]] Hmin]]].
    { destruct Hk as [_ [H1 H2]]. repeat split; assumption. }
    assert (In (w, o) (keys b)) as Io by (eapply keys_before; [exact (at_key _ _ _ _ Hk)|exact Ho]).
    assert (at_stage b (w, o) i u) as Ao by (repeat split; assumption).
    apply (e_busy _ _ _ _ _ OK w o i u t Ao).
    - split; [|exact P3]. destruct (Nat.eq_dec o k) as [->|N]; [exact Ha|].
      apply Hasked; [reflexivity|lia|exact Ao|exact P3].
    - intros _ o' j Ho' Hj. destruct (own_way _ _ _ _ _ _ Ao Hj C) as [<- _].
      destruct (le_lt_dec (D s (w, o') i) t) as [H|H]; [exact H|].
      exfalso. apply (Hmin o' Ho'). destruct Hj as [_ [H1 H2]]. repeat split; assumption.
  Qed.

  (** Who waits in a queue of a first unit waits for a unit that is held. *)
  Lemma queue_taken u t : in_queue b m s u t -> taken m b s u t.
  Proof.
    intros [[w k] [Hk [_ Ht]]]. apply (first_waits w k 0 u t Hk); [lia|simpl; lia|].
    intros _ o Ho _ _. simpl. pose proof (own_order w k o (at_key _ _ _ _ Hk) Ho).
    pose proof (issue_order _ (at_key _ _ _ _ Hk)). lia.
  Qed.

  (** Who finds a queue full waits for a unit that is held. *)
  Lemma room_taken x u t : at_stage b x 0 u -> I s x <= t < L s x -> taken m b s u t.
  Proof. intros Hx Ht. apply queue_taken, (e_full _ _ _ _ _ OK x); assumption. Qed.

  (** Who keeps a unit blocked waits for a unit behind it that is held. *)
  Lemma blocked_taken u t : blocked m b s u t -> taken m b s u t.
  Proof.
    intros [[w k] [i [v [Hu [Hv [Q Ht]]]]]].
    assert (A s (w, k) (S i) <= t) as Ha.
    { simpl. pose proof (at_key _ _ _ _ Hv) as Hk. destruct Hu as [_ [Hi _]].
      pose proof (e_transfer _ _ _ _ _ OK _ i Hk Hi). rewrite (w_transfer _ _ WF _ _ _ Hv Q) in *.
      lia. }
    assert (taken m b s v t) as [y [j [z [Hy [HB Hh]]]]].
    { apply (first_waits w k (S i) v t Hv); [lia|exact Ha|]. intros C o Ho Ao Hlt.
      assert (clash m u = false) as C'.
      { destruct (clash m u) eqn:E; [|reflexivity].
        rewrite (w_closed _ _ WF u v) in C; [discriminate| |exact E]. split; [exact Q|]. eauto. }
      destruct (own_way _ _ _ _ _ _ Ao Hv C) as [_ Hs].
      assert (at_stage b (w, o) i u) as Aou.
      { destruct Ao as [A1 [A2 _]]. split; [exact A1|split; [lia|]].
        rewrite Hs by lia. apply Hu. }
      assert (clash m (unit (st b (w, k) (S i))) = false) as Cv.
      { destruct Hv as [_ [_ ->]]. exact C. }
      pose proof (e_waits _ _ _ _ _ OK (w, k) (S i) (at_key _ _ _ _ Hv) ltac:(apply Hv) Cv
        ltac:(lia)) as Hp. apply (enters_before _ i) in Hp; [|apply Hv|lia|apply Hv].
      pose proof (e_in_order _ _ _ _ _ OK w o k i i u Aou Hu C' Ho Hp) as Hd. simpl.
      pose proof (at_key _ _ _ _ Ao) as Io. assert (i < stages b (w, o)) as Hi by apply Aou.
      pose proof (e_transfer _ _ _ _ _ OK _ i Io Hi) as Htr.
      rewrite (w_transfer _ _ WF _ _ _ Ao Q) in Htr. lia. }
    exists y, j, z. split; [exact Hy|]. split; [|exact Hh].
    econstructor; [|exact HB]. split; [exact Q|]. eauto.
  Qed.

  (** Who has yet to be chosen, or to be issued, though M1 holds, finds the issue stage held within
      somebody's slot or probe, or a unit held that its own first unit, or that of a queue of its
      sub-core that holds the stage, waits for. *)
  Lemma issue_taken w k t : In (w, k) (keys b) -> may_issue b m s w k t ->
    (exists y, In y (keys b) /\ core m (fst y) = core m w /\ issues s y t = true)
    \/ (exists v y i, at_stage b y i v /\ holds b s y i t = true /\
          (feeds m b w v \/ exists u, at_stage b (w, k) 0 u /\
             (latch m b (w, k) = true \/ queued m b (w, k)) /\ B m b u v)).
  Proof.
    intros Hk Hm. destruct (e_conserving _ _ _ _ _ OK w k t Hk Hm) as
      [[y [Hy [Hc [Hi|Hw]]]]|[[u [Hu [Hl Hb]]]|[u [Hq [_ [Hu Hin]]]]]].
    - left. eauto.
    - right. destruct (e_room _ _ _ _ _ OK y Hy) as [E|[Hq Hh]]; [lia|].
      pose proof Hq as [u [Hu [Hl Q]]].
      destruct (room_taken y u t Hu Hw) as [z [i [v [Hz [HB Hv]]]]]. exists v, z, i.
      split; [exact Hz|]. split; [exact Hv|]. left. split; [exact Hh|]. exists y, u. auto.
    - right. destruct Hb as [[y [i [Hy Hh]]]|Hb].
      + exists u, y, i. split; [exact Hy|]. split; [exact Hh|]. right. exists u. split; [exact Hu|].
        split; [left; exact Hl|constructor].
      + destruct (blocked_taken u t Hb) as [y [i [v [Hy [HB Hh]]]]]. exists v, y, i.
        split; [exact Hy|]. split; [exact Hh|]. right. exists u. auto.
    - right. destruct (queue_taken u t Hin) as [y [i [v [Hy [HB Hh]]]]]. exists v, y, i.
      split; [exact Hy|]. split; [exact Hh|]. right. exists u. auto.
  Qed.

  (** Who waits for stage [i], all own earlier ones with its unit having begun there, waits for a
      unit that is held: by another warp, by an own earlier one, or on a clash unit. *)
  Lemma stage_taken w k i u t : at_stage b (w, k) i u -> A s (w, k) i <= t < D s (w, k) i ->
    (clash m u = false -> forall o j, o < k -> at_stage b (w, o) j u -> D s (w, o) j <= t) ->
    exists v y j, at_stage b y j v /\ B m b u v /\ holds b s y j t = true /\
      (fst y <> w \/ clash m v = true \/ snd y < k).
  Proof.
    intros Hk Ht Ho.
    destruct (e_busy _ _ _ _ _ OK w k i u t Hk Ht Ho) as [[v' o] [j [v [Hy [HB Hh]]]]].
    exists v, (v', o), j. split; [exact Hy|]. split; [exact HB|]. split; [exact Hh|]. simpl.
    destruct (Nat.eq_dec v' w) as [->|]; [|auto]. destruct (clash m v) eqn:C; [auto|].
    destruct (le_lt_dec k o) as [Hko|]; [exfalso|auto].
    apply holds_iff in Hh as [Hj Hh].
    destruct (back_through u v HB C _ _ _ Hy eq_refl) as [i' [u' [Hi' [Ho' Eu]]]].
    assert (u' = u) as -> by (symmetry; apply (w_one _ _ WF _ _ _ _ _ _ Hk Ho' Eu eq_refl)).
    assert (clash m u = false) as C'.
    { destruct (clash m u) eqn:E; [|reflexivity]. rewrite (clash_back _ _ HB E) in C.
      discriminate. }
    destruct (own_way _ _ _ _ _ _ Ho' Hk C') as [-> _].
    assert (D s (w, o) i <= D s (w, o) j) as Hd.
    { destruct (Nat.eq_dec i j) as [->|]; [lia|].
      pose proof (stage_after (w, o) i j (at_key _ _ _ _ Hy) ltac:(lia) Hj). lia. }
    destruct (Nat.eq_dec o k) as [->|N]; [lia|].
    assert (enters (w, o) i = true) as He.
    { apply (enters_before _ i j (at_key _ _ _ _ Hy) Hi' Hj).
      apply (e_holds _ _ _ _ _ OK); [apply (at_key _ _ _ _ Hy)|exact Hj|lia]. }
    pose proof (e_in_order _ _ _ _ _ OK w k o i i u Hk Ho' C' ltac:(lia) He). lia.
  Qed.
End Ready.
