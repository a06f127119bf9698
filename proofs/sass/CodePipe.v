(** * Holds of a pipe, or of a unit, follow each other on a path: E6 of docs/machine-code-bounds.md

    The hypothesis [Pipe] of theorem 2 (CodeBarriers.v), from the own graph. *)

From Coq Require Import Sorted.
From Warpbound Require Import Base Cycles Largest CodeMachine CodeElb CodeOwn CodeBarriers.

(** Places are ordered by instruction, then by stage. *)
Definition earlier (x y : nat * nat) : Prop := fst x < fst y \/ (fst x = fst y /\ snd x < snd y).

Lemma seq_sorted a n : StronglySorted lt (seq a n).
Proof.
  revert a. induction n as [|n IH]; intros a; [constructor|]. cbn [seq]. constructor; [apply IH|].
  apply Forall_forall. intros x Hx. apply in_seq in Hx. lia.
Qed.

Lemma filter_sorted {A} (R : A -> A -> Prop) p l : StronglySorted R l ->
  StronglySorted R (filter p l).
Proof.
  induction 1 as [|x l HS IH HF]; [constructor|]. cbn [filter]. destruct (p x); [|exact IH].
  constructor; [exact IH|]. rewrite Forall_forall in *. intros y Hy.
  apply filter_In in Hy as [Hy _]. auto.
Qed.

Lemma app_sorted {A} (R : A -> A -> Prop) l k : StronglySorted R l -> StronglySorted R k ->
  (forall x y, In x l -> In y k -> R x y) -> StronglySorted R (l ++ k).
Proof.
  induction 1 as [|x l HS IH HF]; intros HK HX; [exact HK|]. cbn [app]. constructor.
  - apply IH; [exact HK|]. intros; apply HX; [right|]; assumption.
  - rewrite Forall_forall in *. intros y Hy. apply in_app_or in Hy as [Hy|Hy]; [auto|].
    apply HX; [left; reflexivity|exact Hy].
Qed.

Lemma rows_sorted (k : nat -> list nat) l : (forall j, In j l -> StronglySorted lt (k j)) ->
  StronglySorted lt l ->
  StronglySorted earlier (flat_map (fun j => map (fun i => (j, i)) (k j)) l).
Proof.
  intros HK. induction 1 as [|j l HS IH HF]; [constructor|]. cbn [flat_map]. apply app_sorted.
  - specialize (HK j (or_introl eq_refl)). induction HK as [|i r H1 H2 H3]; [constructor|].
    cbn [map]. constructor; [exact H2|]. rewrite Forall_forall in *. intros y Hy.
    apply in_map_iff in Hy as [i' [<- Hi]]. right. simpl. auto.
  - apply IH. intros; apply HK; right; assumption.
  - intros x y Hx Hy. apply in_map_iff in Hx as [i [<- _]]. apply in_flat_map in Hy as [j' [Hj Hy]].
    apply in_map_iff in Hy as [i' [<- _]]. left. simpl. rewrite Forall_forall in HF. auto.
Qed.

Section Pipe.
  Variables (m : machine) (b : block) (s : schedule) (piped : key -> nat -> bool) (q u : nat)
    (iP iI : key -> nat) (iD : key -> nat -> nat) (iso : nat).
  Hypothesis HI : iso_cert m b u q iP iI iD iso.

  (** Each earlier hold of the pipe blocks, or is of, the unit of each later one: a first unit all
      of whose instructions stay in its B, or one unit; or both are of one instruction. *)
  Hypothesis Chain : forall o i k j, In (o, i) (pipe b piped q u) -> In (k, j) (pipe b piped q u) ->
    o < k ->
    exists n, n <= j /\ B m b (unit (st b (u, k) n)) (unit (st b (u, o) i)).

  Let pos (x : nat * nat) := iD (u, fst x) (snd x).

  Lemma own_steps k i j : In (u, k) (keys b) -> sec (get b (u, k)) = q -> i < j ->
    j < stages b (u, k) ->
    iD (u, k) i + hold (st b (u, k) i) <= iD (u, k) j.
  Proof.
    intros Hk Hq Hi Hj. induction j as [|j IH]; [lia|].
    pose proof (i_next _ _ _ _ _ _ _ _ HI k j Hk Hq Hj).
    destruct (Nat.eq_dec i j) as [->|N]; [lia|]. specialize (IH ltac:(lia) ltac:(lia)). lia.
  Qed.

  Lemma follows x y : In x (pipe b piped q u) -> In y (pipe b piped q u) -> earlier x y ->
    pos x + hold_of b u x <= pos y.
  Proof.
    destruct x as [o i], y as [k j]. intros Hx Hy HE. unfold pos, hold_of. simpl.
    destruct (in_pipe b piped q u o i Hx) as [Ko [Qo So]].
    destruct (in_pipe b piped q u k j Hy) as [Kk [Qk Sk]].
    destruct HE as [HE|[HE1 HE2]]; simpl in *; [|subst k; apply own_steps; assumption].
    destruct (Chain o i k j Hx Hy HE) as [n [Hn HB]].
    assert (at_stage b (u, o) i (unit (st b (u, o) i))) as Ao by (apply at_own; assumption).
    assert (at_stage b (u, k) n (unit (st b (u, k) n))) as Ak by (apply at_own; [assumption|lia]).
    assert (iD (u, o) i + hold (st b (u, o) i) <= iD (u, k) n) as H1.
    { destruct (latch m b (u, k)) eqn:El.
      - destruct (Nat.eq_dec n 0) as [->|N].
        + pose proof (i_queue _ _ _ _ _ _ _ _ HI k o i _ _ Ak Qk (or_introl El) HB HE Qo Ao).
          pose proof (i_operand _ _ _ _ _ _ _ _ HI k Kk Qk).
          pose proof (i_first _ _ _ _ _ _ _ _ HI k Kk Qk ltac:(lia)). lia.
        + apply (i_unit _ _ _ _ _ _ _ _ HI k o n i _ _ Ak Qk ltac:(intros; contradiction) HB
            HE Qo Ao).
      - apply (i_unit _ _ _ _ _ _ _ _ HI k o n i _ _ Ak Qk ltac:(intros; assumption) HB HE Qo Ao). }
    destruct (Nat.eq_dec n j) as [->|N]; [exact H1|].
    pose proof (own_steps k n j Kk Qk ltac:(lia) Sk). lia.
  Qed.

  Lemma within x : In x (pipe b piped q u) -> pos x + hold_of b u x <= iso.
  Proof.
    destruct x as [k j]. intros Hx. destruct (in_pipe b piped q u k j Hx) as [Kk [Qk Sk]].
    unfold pos, hold_of. simpl. destruct (i_end _ _ _ _ _ _ _ _ HI k Kk Qk) as [He _].
    unfold iE in He. destruct (stages b (u, k)) as [|p] eqn:Ep; [lia|].
    destruct (Nat.eq_dec j p) as [->|N]; [lia|].
    pose proof (own_steps k j p Kk Qk ltac:(lia) ltac:(lia)). lia.
  Qed.

  Lemma pipe_sorted : StronglySorted earlier (pipe b piped q u).
  Proof.
    apply rows_sorted; [|apply filter_sorted, seq_sorted]. intros j _.
    apply filter_sorted, seq_sorted.
  Qed.

  (** *** What [code_fib_sections] asks of a pipe. *)
  Theorem pipe_path l0 x l1 : pipe b piped q u = l0 ++ x :: l1 ->
    iD (u, fst x) (snd x) + sum (hold_of b u) (x :: l1) <= iso.
  Proof.
    change (iD (u, fst x) (snd x)) with (pos x). intros E.
    assert (StronglySorted earlier (x :: l1)) as HS.
    { pose proof pipe_sorted as HP. rewrite E in HP. clear - HP.
      induction l0 as [|y l IH]; [exact HP|]. inversion HP. auto. }
    assert (forall y, In y (x :: l1) -> In y (pipe b piped q u)) as Hin
      by (intros y Hy; rewrite E; apply in_or_app; auto). clear E. revert x HS Hin.
    induction l1 as [|y l IH]; intros x HS Hin.
    - rewrite sum_cons. change (sum (hold_of b u) []) with 0.
      pose proof (within x (Hin x (or_introl eq_refl))). lia.
    - inversion HS as [|? ? HS' HF]; subst.
      specialize (IH y HS' ltac:(intros; apply Hin; right; assumption)). rewrite sum_cons.
      rewrite Forall_forall in HF. pose proof (follows x y (Hin x (or_introl eq_refl))
        (Hin y (or_intror (or_introl eq_refl))) (HF y (or_introl eq_refl))). lia.
  Qed.
End Pipe.
