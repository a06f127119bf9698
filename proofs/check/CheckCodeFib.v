(** * Checkers of certificates of machine code: code-fib

    docs/machine-code-bounds.md, theorem 1 with the reach of FIB, and theorem 2.  Tables as in
    CheckCodeSib.v. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeElb CodeOwn CodeReach
  CodeSib CodeLoose CodeSpill CheckCode CheckCodeSib.

(** [spare w v]: [v] is a latch of instructions of one stage, of which [w] has none. *)
Section Fib.
  Variables (m : machine) (b : block) (c : sib_tables) (spare : nat -> nat -> bool).

  (** The spared units are latches of other warps. *)
  Definition spare_b : bool :=
    each b (fun y => each_stage b y (fun i => forallb (fun w =>
      if spare w (unit (st b y i)) then (i =? 0) && latch m b y && negb (fst y =? w) else true)
        (seq 0 (length b)))).
  (** The reach of warp [w] without spared units. *)
  Definition reach_spared (w : nat) : nat -> bool := reach_fib m (home c) (shared c) (spare w) w.
  (** The bound of code-fib without barriers that the certificate shows. *)
  Definition code_fib_shown (code : ways) : option nat :=
    if code_wf_b m b code && blocks_b m b c && held_b m b c && reach_b m b c
      && each b (iso_inst_b m b c) && spare_b && (deepest b =? 0)
    then Some (longest b (fun w => alone c 0 w + others m b (reach_spared w) w)) else None.

  Lemma spare_ok w v y i : spare_b = true -> w < length b -> spare w v = true -> at_stage b y i v ->
    i = 0 /\ latch m b y = true /\ fst y <> w.
  Proof.
    intros H Hw Hs [Hy [Hi <-]]. pose proof (each_ok _ _ H y Hy) as A. cbv beta in A.
    pose proof (each_stage_ok _ _ _ A i Hi) as C. cbv beta in C. rewrite forallb_forall in C.
    specialize (C w ltac:(apply in_seq; lia)).
    rewrite Hs, !andb_true_iff, negb_true_iff, Nat.eqb_eq, Nat.eqb_neq in C. tauto.
  Qed.
End Fib.

(** What is accepted bounds one thread block that keeps enough of the rules, *)
Lemma code_fib_shown_enough m b c spare code bound : code_fib_shown m b c spare code = Some bound ->
  forall s J enters g, (forall w, group m w = g) -> enough m b s J enters ->
  forall x, In x (keys b) -> finish b s x <= rel s g 0 + bound.
Proof.
  unfold code_fib_shown. destruct (_ && _) eqn:E; [|discriminate].
  intros H s J enters g One V [w k] Hx.
  injection H as <-. rewrite !andb_true_iff, Nat.eqb_eq in E.
  destruct E as [[[[[[W HB] HH] HR] HI] HS] HN]. apply code_wf_ok in W.
  assert (forall y, In y (keys b) -> sec (get b y) = 0) as Flat.
  { intros y Hy. enough (sec (get b y) <= deepest b) by lia. apply list_max_ge, in_map_iff. eauto. }
  assert (w < length b) as Hw by (apply in_keys in Hx; apply Hx). rewrite <- (One w).
  etransitivity; [apply (code_sib m b s W V Flat (reach_spared m c spare) (tP c) (tI c) (tD c)
    (alone c 0))|].
  - intros v Hv.
    apply reach_fib_ok; [apply reach_ways, HR|apply shared_home|apply reach_closed, HR| |].
    + intros z y i Hz Hy. destruct (spare_ok m b spare v z y i HS Hv Hz Hy) as [A1 [A2 _]]. auto.
    + intros z j i Hz Hy. destruct (spare_ok m b spare v z (v, j) i HS Hv Hz Hy) as [_ [_ A]].
      contradiction A. reflexivity.
  - intros v _. apply iso_code_ok; assumption.
  - exact Hx.
  - apply Nat.add_le_mono_l.
    apply (longest_ge b (fun w => alone c 0 w + others m b (reach_spared m c spare w) w) w Hw).
Qed.

(** *** and so every execution of one. *)
Theorem code_fib_shown_ok m b c spare code bound : code_fib_shown m b c spare code = Some bound ->
  forall s g, (forall w, group m w = g) -> valid m b s -> forall x, In x (keys b) ->
  finish b s x <= rel s g 0 + bound.
Proof.
  intros H s g One V. assert (wf m b) as W by (unfold code_fib_shown in H; wf_in H).
  apply (code_fib_shown_enough m b c spare code bound H s _ _ g One (valid_enough m b s W V)).
Qed.

(** ** With barriers

    [loose]: latches of one sub-core, without a clash; [spare w n v]: [w] has none of the latch [v]
    in section [n]. *)
Section Sections.
  Variables (m : machine) (b : block) (c : sib_tables) (loose : nat -> bool)
    (spare : nat -> nat -> nat -> bool).

  (** The loose units are latches that only the spared warps use. *)
  Definition loose_b : bool :=
    each b (fun y => each_stage b y (fun i => let v := unit (st b y i) in
         if loose v then (i =? 0) && latch m b y && negb (shared c v)
           && negb (spare (fst y) (sec (get b y)) v) else true)).
  (** Unit [v] is loose. *)
  Definition loose_unit (v : nat) : bool := loose v && negb (clash m v).
  (** Warp [w] needs unit [v] in section [n]. *)
  Definition needed (w n v : nat) : bool := negb (spare w n v).
  (** The bound of code-fib with barriers that the certificate shows. *)
  Definition code_fib_sections_shown (least : key -> nat) (code : ways) (sections : nat) :
    option nat :=
    if loose_b then sections_shown m b c least (charged (reach m c) loose_unit needed) code sections
      else None.

  Lemma loose_ok : reach_b m b c = true -> loose_b = true ->
    loose_latches m b (reach m c) loose_unit needed.
  Proof.
    unfold loose_b. intros HR H. assert (forall y i v, loose_unit v = true -> at_stage b y i v ->
      loose v = true /\ i = 0 /\ latch m b y = true /\ shared c v = false /\
      spare (fst y) (sec (get b y)) v = false) as A.
    { intros y i v Hv [Hy [Hi <-]]. unfold loose_unit in Hv. apply andb_prop in Hv as [Hv _].
      pose proof (each_stage_ok _ _ _ (each_ok _ _ H y Hy) i Hi) as C. cbv zeta beta in C.
      rewrite Hv in C. rewrite !andb_true_iff, !negb_true_iff, Nat.eqb_eq in C. tauto. }
    split.
    - intros v y i Hv Hy. destruct (A y i v Hv Hy). tauto.
    - intros v Hv. unfold loose_unit in Hv. apply andb_prop in Hv as [_ Hv].
      apply negb_true_iff, Hv.
    - intros w v y i Hv Hy Hw. destruct (A y i v Hv Hy) as [_ [_ [_ [Hs _]]]].
      unfold reach, reach_sib in Hw. rewrite Hs in Hw. simpl in Hw.
      destruct (reach_ways m b c HR y i v Hy) as [E|E]; rewrite E in Hw; [discriminate|].
      apply Nat.eqb_eq in Hw. exact Hw.
    - intros v w k i Hv Hy. destruct (A (w, k) i v Hv Hy) as [_ [_ [_ [_ Hs]]]]. unfold needed.
      cbn [fst] in Hs. rewrite Hs. reflexivity.
  Qed.
End Sections.

(** With barriers, *)
Lemma code_fib_sections_shown_enough m b c loose spare least code sections bound :
  code_fib_sections_shown m b c loose spare least code sections = Some bound ->
  forall s J enters g, (forall w, group m w = g) -> enough m b s J enters ->
  leaves m b s J least -> forall x, In x (keys b) -> finish b s x <= rel s g 0 + bound.
Proof.
  unfold code_fib_sections_shown. destruct (loose_b _ _ _ _ _) eqn:HL; [|discriminate]. intros H.
  apply (sections_shown_ok m b c least (loose_unit m loose) (needed spare) code sections bound);
    [|exact H]. apply loose_ok; [|exact HL]. unfold sections_shown in H.
  destruct (_ && _) eqn:E in H; [|discriminate]. rewrite !andb_true_iff in E. tauto.
Qed.

Lemma fib_sections_wf m b c loose spare least code sections bound :
  code_fib_sections_shown m b c loose spare least code sections = Some bound -> wf m b.
Proof.
  unfold code_fib_sections_shown, sections_shown. intros H. destruct (loose_b _ _ _ _ _);
    [wf_in H|discriminate].
Qed.

(** *** every execution of one. *)
Theorem code_fib_sections_shown_ok m b c loose spare least code sections bound :
  code_fib_sections_shown m b c loose spare least code sections = Some bound ->
  forall s g, (forall w, group m w = g) -> valid m b s -> kept b s least ->
  forall x, In x (keys b) -> finish b s x <= rel s g 0 + bound.
Proof.
  intros H s g One V K. pose proof (fib_sections_wf _ _ _ _ _ _ _ _ _ H) as W.
  apply (code_fib_sections_shown_enough _ _ _ _ _ _ _ _ _ H s _ _ g One
    (valid_enough m b s W V) (valid_leaves m b s least V K)).
Qed.
