(** * Thread blocks as they are written, and as they are on an SM

    [t] is a thread block as it is written: the paths of its warps.  A thread block of a grid is a
    copy of it, whatever its warps, units and sub-cores are called there (G1), or executes a part of
    it (docs/covering-paths.md, theorem 2): E and lam of [t] are then bounds of its own. *)

From Coq Require Import FinFun.
From Warpbound Require Import Base Cycles Model Elb Largest Share Formulas Stay.
From Warpbound Require Instances.

(** [p] is complete before [k] is issued: an operand, or an operand of what is. *)
Inductive reaches (t : block) (w : nat) : nat -> nat -> Prop :=
| reaches_op p k : In (w, k) (keys t) -> In p (ops (get t (w, k))) -> reaches t w p k
| reaches_by p q k : reaches t w p q -> In (w, k) (keys t) -> In q (ops (get t (w, k))) ->
     reaches t w p k.

(** [src] says what an instruction of thread block [b] is in [t].  Nothing is said of units. *)
Record part_of (t : block) (rel : nat -> nat) (m : machine) (p : block) (b : nat)
  (src : key -> key) : Prop := {
  p_in : forall x, of m p b x -> In (src x) (keys t);
  p_once : forall x y, of m p b x -> of m p b y -> src x = src y -> x = y;
  p_cost : forall x, of m p b x -> init (get p x) <= init (get t (src x)) /\
  lat (get p x) <= lat (get t (src x));
  p_order : forall w k, of m p b (w, S k) -> fst (src (w, k)) = fst (src (w, S k)) /\
  snd (src (w, k)) < snd (src (w, S k));
  p_ops : forall w k q, of m p b (w, k) -> In q (ops (get p (w, k))) ->
    fst (src (w, q)) = fst (src (w, k)) /\ reaches t (fst (src (w, k))) (snd (src (w, q)))
      (snd (src (w, k)));
  p_sec : forall x y, of m p b x -> of m p b y -> sec (get p y) < sec (get p x) ->
    sec (get t (src y)) < sec (get t (src x)) /\
    release m (sec (get p x)) <= rel (sec (get t (src x))) }.

(** The machine of [t] by itself, as far as its latency paths see it. *)
Definition by_itself (rel : nat -> nat) : machine := Machine (fun _ => 1) None 1 (fun _ => 0)
  (fun _ => 0) rel.

Section Cert.
  Variables (t : block) (rel : nat -> nat) (L : key -> nat).
  Hypothesis HL : lam_cert (by_itself rel) t L.

  Lemma along w j k : In (w, k) (keys t) -> j <= k -> L (w, j) <= L (w, k).
  Proof.
    intros Hk H. induction H as [|k H IH]; [lia|].
    specialize (IH (keys_before _ _ _ k Hk ltac:(lia))).
    pose proof (proj1 (HL w (S k) Hk) k eq_refl). lia.
  Qed.

  Lemma reached w p k : reaches t w p k -> L (w, p) + lat (get t (w, p)) <= L (w, k).
  Proof.
    induction 1 as [p k Hk Hp|p q k _ IH Hk Hq]; [apply (HL w k Hk), Hp|].
    pose proof (proj1 (proj2 (HL w k Hk)) q Hq). lia.
  Qed.

  Variables (m : machine) (p : block) (b : nat) (src : key -> key).
  Hypothesis Hpart : part_of t rel m p b src.

  (** Its latency path is one of [t]. *)
  Lemma part_cert w k : of m p b (w, k) ->
    (forall j, k = S j -> L (src (w, j)) <= L (src (w, k)))
    /\ (forall q, In q (ops (get p (w, k))) -> of m p b (w, q) -> L (src (w, q))
         + lat (get p (w, q)) <= L (src (w, k)))
    /\ (forall y, of m p b y -> sec (get p y) < sec (get p (w, k)) ->
          L (src y) + release m (sec (get p (w, k))) <= L (src (w, k))).
  Proof.
    intros Hk. pose proof (p_in _ _ _ _ _ _ Hpart _ Hk) as Hin. split; [|split].
    - intros j ->. destruct (p_order _ _ _ _ _ _ Hpart w j Hk) as [H1 H2].
      destruct (src (w, j)) as [v i], (src (w, S j)) as [v' i']. cbn in H1, H2. subst v'.
      apply along; [exact Hin|lia].
    - intros q Hq Hqo. destruct (p_ops _ _ _ _ _ _ Hpart w k q Hk Hq) as [H1 H2].
      apply reached in H2. pose proof (proj2 (p_cost _ _ _ _ _ _ Hpart _ Hqo)) as Hc.
      destruct (src (w, q)) as [v i], (src (w, k)) as [v' i']. cbn in H1, H2. subst v'. lia.
    - intros y Hy Hs. destruct (p_sec _ _ _ _ _ _ Hpart _ y Hk Hy Hs) as [H1 H2].
      destruct (src (w, k)) as [v i]. destruct (HL v i Hin) as [_ [_ H3]].
      specialize (H3 (src y) (p_in _ _ _ _ _ _ Hpart y Hy) eq_refl H1). cbn in H3. lia.
  Qed.

  (** The latency path of a part of a thread block is at most that of the whole. *)
  Lemma part_lam x : of m p b x -> L (src x) + lat (get p x) <= top t L.
  Proof.
    intros Hx. pose proof (proj2 (p_cost _ _ _ _ _ _ Hpart x Hx)).
    pose proof (top_ge t L (src x) (p_in _ _ _ _ _ _ Hpart x Hx)). lia.
  Qed.
End Cert.

(** Sums over some of the instructions. *)
Lemma sum_part {A} (dec : forall x y : A, {x = y} + {x <> y}) (f : A -> nat) : forall l P,
  NoDup P -> incl P l -> sum f P <= sum f l.
Proof.
  induction l as [|x l IH]; intros P N H.
  - destruct P as [|y P]; [apply le_n|]. destruct (H y (or_introl eq_refl)).
  - rewrite sum_cons. destruct (in_dec dec x P) as [Hx|Hx].
    + destruct (in_split x P Hx) as [P1 [P2 ->]]. apply NoDup_remove in N as [N1 N2].
      rewrite sum_app, sum_cons.
      enough (sum f (P1 ++ P2) <= sum f l) by (rewrite sum_app in *; lia). apply IH; [exact N1|].
      intros y Hy. assert (In y (P1 ++ x :: P2)) as I0 by (rewrite in_app_iff in *; cbn; tauto).
      destruct (H y I0) as [->|]; [contradiction|assumption].
    + enough (sum f P <= sum f l) by lia. apply IH; [exact N|]. intros y Hy.
      destruct (H y Hy) as [->|]; [contradiction|assumption].
Qed.

(** What is not 0 has a place of its own in another sum, where no less stands. *)
Lemma sum_into {A B} (dec : forall x y : B, {x = y} + {x <> y}) (f : A -> nat) (f' : B -> nat)
  (i : A -> B) l l' : NoDup l -> (forall x, In x l -> f x <> 0 -> In (i x) l' /\ f x <= f' (i x)) ->
  (forall x y, In x l -> In y l -> f x <> 0 -> f y <> 0 -> i x = i y -> x = y) ->
  sum f l <= sum f' l'.
Proof.
  intros N H Once. set (k := filter (fun x => negb (f x =? 0)) l).
  assert (forall x, In x k -> In x l /\ f x <> 0) as K.
  { intros x Hx. apply filter_In in Hx as [Hx E]. apply negb_true_iff, Nat.eqb_neq in E. auto. }
  transitivity (sum f k).
  { unfold k. rewrite sum_filter. apply sum_le. intros x _.
    destruct (Nat.eqb_spec (f x) 0); cbn [negb]; lia. }
  transitivity (sum (fun x => f' (i x)) k); [apply sum_le; intros x Hx; apply (H x); apply K, Hx|].
  rewrite <- sum_map. apply (sum_part dec f').
  - apply Instances.nodup_map; [apply NoDup_filter, N|]. intros x y Hx Hy.
    apply Once; apply K; assumption.
  - intros y Hy. apply in_map_iff in Hy as [x [<- Hx]]. apply (H x); apply K, Hx.
Qed.

(** Its initiations are some of those of [t]. *)
Lemma part_work t rel m p b src : part_of t rel m p b src ->
  sum (fun x => if group m (fst x) =? b then init (get p x) else 0) (keys p) <= E t.
Proof.
  intros H. assert (forall x, In x (keys p) -> (if group m (fst x) =? b then init (get p x) else 0)
    <> 0 -> of m p b x) as O.
  { intros x Hx N. split; [exact Hx|].
    destruct (Nat.eqb_spec (group m (fst x)) b); [assumption|lia]. }
  apply (sum_into Instances.key_eq _ (fun y => init (get t y)) src);
    [apply Instances.keys_nodup| |].
  - intros x Hx N. pose proof (O x Hx N) as Ox. split; [apply (p_in _ _ _ _ _ _ H), Ox|].
    pose proof (proj1 (p_cost _ _ _ _ _ _ H x Ox)). cbv beta. destruct (_ =? _); lia.
  - intros x y Hx Hy Nx Ny. apply (p_once _ _ _ _ _ _ H); apply O; assumption.
Qed.
