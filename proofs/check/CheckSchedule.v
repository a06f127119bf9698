(** * Checkers: of schedules (R1 to R7) and of latency paths *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb Paths.
Import ListNotations.

(** Every element satisfies [p]. *)
Definition all {A} (p : A -> bool) (l : list A) : bool := forallb p l.

Ltac unb := repeat match goal with
  | H : andb _ _ = true |- _ => apply andb_prop in H as [? H]
  | H : (_ =? _) = true |- _ => apply Nat.eqb_eq in H
  | H : (_ <=? _) = true |- _ => apply Nat.leb_le in H
  | H : (_ <? _) = true |- _ => apply Nat.ltb_lt in H
  end.

Lemma all_ok {A} (p : A -> bool) l : all p l = true -> forall x, In x l -> p x = true.
Proof. apply forallb_forall. Qed.

(** Implication that evaluates its conclusion only where it must. *)
Definition implb' (a b : bool) : bool := if a then b else true.

(** ** Well-formed programs *)
Definition wf_b (b : block) : bool :=
  all (fun x : key => let (w, k) := x in
    all (fun y => implb' ((fu (get b y) =? fu (get b x)) && (init (get b x) =? 0))
      (init (get b y) =? 0)) (keys b) && (all (fun p => p <? k) (ops (get b x))
    && all (fun j => sec (get b (w, j)) <=? sec (get b x)) (seq 0 k))) (keys b).

Lemma wf_ok b : wf_b b = true -> wf b.
Proof.
  intros H w k Hk. pose proof (all_ok _ _ H (w, k) Hk) as B. cbv beta iota in B.
  apply andb_prop in B as [B1 B]. apply andb_prop in B as [B2 B3]. split; [|split].
  - intros y Hy F N. pose proof (all_ok _ _ B1 y Hy) as P. cbv beta in P.
    rewrite F, N, !Nat.eqb_refl in P. apply Nat.eqb_eq, P.
  - intros p Hp. pose proof (all_ok _ _ B2 p Hp) as P. cbv beta in P. unb. lia.
  - intros j Hj. pose proof (all_ok _ _ B3 j ltac:(apply in_seq; lia)) as P. cbv beta in P. unb.
    lia.
Qed.

(** ** Schedules *)
Section Sched.
  Variables (m : machine) (b : block) (s : schedule).

  (** No time is longer than stated. *)
  Definition times_b : bool := all (fun x =>
    (takes (get b x) <=? ai s x) && ((ai s x <=? init (get b x))
      && ((al s x <=? lat (get b x)) && ((I s x <=? D s x)
      && (begin s (group m (fst x)) <=? I s x))))) (keys b).

  (** Rules R1 and R2 hold. *)
  Definition warps_b : bool := all (fun x : key => let (w, k) := x in
    match k with 0 => true | S j => I s (w, j) + takes (get b (w, j)) <=? I s x end
    && all (fun p => C s (w, p) <=? I s x) (ops (get b x))) (keys b).

  (** No unit has more initiations than instances. *)
  Definition cap_b : bool := all (fun x => all (fun t => n_init b s (fu (get b x)) t
    <=? inst m (fu (get b x))) (seq (D s x) (ai s x))) (keys b).

  (** Units start in the order of issue, and rule R7 holds. *)
  Definition pairs_b : bool := all (fun x => all (fun y =>
    implb' ((fu (get b x) =? fu (get b y)) && (I s x <? I s y)) (D s x <=? D s y)
    && implb' ((group m (fst y) =? group m (fst x)) && (sec (get b y) <? sec (get b x)))
        (I s y + takes (get b y) + ar s (group m (fst x)) (sec (get b x)) <=? I s x)) (keys b))
          (keys b).

  (** What waits finds every instance busy. *)
  Definition asap_b : bool := all (fun x => all (fun t => inst m (fu (get b x))
    <=? n_init b s (fu (get b x)) t) (seq (I s x) (D s x - I s x))) (keys b).

  (** Rule R4 holds. *)
  Definition queue_b : bool := match depth m with None => true | Some d =>
    all (fun x => all (fun t => n_wait b s (fu (get b x)) t <=? d) (seq (I s x) (D s x - I s x)))
      (keys b) end.

  (** Rule R5 holds. *)
  Definition width_b : bool := all (fun x => n_issue b m s (core m (fst x)) (I s x) <=? width m)
    (keys b).

  (** Only the unit or an issue slot can keep [k] from being issued in [t]. *)
  Definition eligible_b (w k t : nat) : bool :=
    (begin s (group m w) <=? t)
    && match k with 0 => true | S j => I s (w, j) + takes (get b (w, j)) <=? t end
    && (all (fun p => C s (w, p) <=? t) (ops (get b (w, k)))
    && all (fun y => implb' ((group m (fst y) =? group m w)
      && (sec (get b y) <? sec (get b (w, k)))) (I s y + takes (get b y)
      + ar s (group m w) (sec (get b (w, k))) <=? t)) (keys b)).

  (** Unit [f] takes nothing more in cycle [t]. *)
  Definition blocked_b (f t : nat) : bool :=
    (inst m f <=? n_init b s f t)
    && match depth m with None => false | Some d => d <=? n_wait b s f t end.

  (** Rule R6 holds. *)
  Definition conserving_b : bool := all (fun x : key => let (w, k) := x in all (fun t =>
    implb' (eligible_b w k t) ((1 <=? init (get b x))
      && ((n_issue b m s (core m w) t =? width m) || blocked_b (fu (get b x)) t)))
    (seq 0 (I s x))) (keys b).

  (** Instructions without a unit start when they issue. *)
  Definition none_b : bool := all (fun x => implb' (init (get b x) =? 0) (D s x =? I s x)) (keys b).

  (** The schedule keeps all rules. *)
  Definition valid_b : bool :=
    times_b && (warps_b && (cap_b && (pairs_b
      && (asap_b && (queue_b && (width_b && (conserving_b && none_b))))))).

  Lemma conserving_ok : conserving_b = true -> forall w k t, In (w, k) (keys b) ->
    eligible b m s w k t ->
    (1 <=? init (get b (w, k))) && ((n_issue b m s (core m w) t =? width m)
      || blocked_b (fu (get b (w, k))) t) = true.
  Proof.
    intros Hk w k t Hi [E1 [E0 [E2 [E3 E4]]]].
    pose proof (all_ok _ _ (all_ok _ _ Hk (w, k) Hi) t ltac:(apply in_seq; lia)) as P.
    cbv beta in P. assert (eligible_b w k t = true) as E; [|rewrite E in P; exact P].
    unfold eligible_b. apply andb_true_intro.
    split; [apply andb_true_intro; split|apply andb_true_intro; split].
    - apply Nat.leb_le, E0.
    - destruct k as [|j]; [reflexivity|]. apply Nat.leb_le, E2. reflexivity.
    - apply forallb_forall. intros p Ho. apply Nat.leb_le. auto.
    - apply forallb_forall. intros y Hy. unfold implb'.
      destruct ((group m (fst y) =? group m w) && (sec (get b y) <? sec (get b (w, k)))) eqn:L;
        [|reflexivity]. apply andb_prop in L as [Lg L]. apply Nat.eqb_eq in Lg.
      apply Nat.ltb_lt in L. apply Nat.leb_le. auto.
  Qed.

  (** The checker accepts only valid schedules. *)
  Theorem valid_ok : valid_b = true -> (forall g n, ar s g n <= release m n) -> valid m b s.
  Proof.
    unfold valid_b. intros H HR. apply andb_prop in H as [Ht H]. apply andb_prop in H as [Hw H].
    apply andb_prop in H as [Hc H]. apply andb_prop in H as [Hp H]. apply andb_prop in H as [Ha H].
    apply andb_prop in H as [Hr H]. apply andb_prop in H as [Hx H]. apply andb_prop in H as [Hk Hn].
    assert (forall x, In x (keys b) -> takes (get b x) <= ai s x <= init (get b x) /\ al s x
      <= lat (get b x) /\ I s x <= D s x /\ begin s (group m (fst x)) <= I s x) as T.
    { intros x Hi. pose proof (all_ok _ _ Ht x Hi) as B. cbv beta in B. unb.
      repeat split; assumption. }
    constructor.
    - intros x Hi. apply T, Hi.
    - intros x Hi. apply T, Hi.
    - exact HR.
    - intros x Hi. apply T, Hi.
    - intros w k Hi. pose proof (all_ok _ _ Hw _ Hi) as B. cbv beta iota in B.
      apply andb_prop in B as [B _]. unb. exact B.
    - intros w k p Hi Ho. pose proof (all_ok _ _ Hw _ Hi) as B. cbv beta iota in B.
      apply andb_prop in B as [_ B]. pose proof (all_ok _ _ B p Ho) as P. cbv beta in P. unb.
      exact P.
    - intros x Hi. apply T, Hi.
    - intros f t. destruct (n_init b s f t) as [|n] eqn:E; [lia|].
      destruct (count_pos b (fun x => on b f x && initiates s t x)) as [x [Hi Hq]].
      { unfold n_init in E. lia. }
      apply andb_prop in Hq as [Hf Hq]. unfold on in Hf. apply Nat.eqb_eq in Hf. subst f.
      pose proof (all_ok _ _ Hc x Hi) as B. cbv beta in B. unfold initiates in Hq.
      apply andb_prop in Hq as [Q1 Q2]. apply Nat.leb_le in Q1. apply Nat.ltb_lt in Q2.
      pose proof (all_ok _ _ B t ltac:(apply in_seq; lia)) as P. cbv beta in P. unb. lia.
    - intros x y Hi Hj F L. pose proof (all_ok _ _ (all_ok _ _ Hp x Hi) y Hj) as B. cbv beta in B.
      apply andb_prop in B as [B _]. rewrite F, Nat.eqb_refl in B.
      rewrite (proj2 (Nat.ltb_lt _ _) L) in B. simpl in B. unb. exact B.
    - intros x t Hi Hq. unfold waits in Hq. apply andb_prop in Hq as [Q1 Q2].
      apply Nat.leb_le in Q1. apply Nat.ltb_lt in Q2.
      pose proof (all_ok _ _ (all_ok _ _ Ha x Hi) t ltac:(apply in_seq; lia)) as P. cbv beta in P.
      unb. exact P.
    - intros f t. unfold queue_b in Hr. destruct (depth m) as [d|]; [|exact Logic.I].
      destruct (n_wait b s f t) as [|n] eqn:E; [lia|].
      destruct (count_pos b (fun x => on b f x && waits s t x)) as [x [Hi Hq]];
        [unfold n_wait in E; lia|]. apply andb_prop in Hq as [Hf Hq]. unfold on in Hf.
      apply Nat.eqb_eq in Hf. subst f. unfold waits in Hq. apply andb_prop in Hq as [Q1 Q2].
      apply Nat.leb_le in Q1. apply Nat.ltb_lt in Q2.
      pose proof (all_ok _ _ (all_ok _ _ Hr x Hi) t ltac:(apply in_seq; lia)) as P. cbv beta in P.
      unb. lia.
    - intros c t. destruct (n_issue b m s c t) as [|n] eqn:E; [lia|].
      destruct (issue_some b m s c t) as [x [Hi [<- [<- _]]]]; [lia|].
      pose proof (all_ok _ _ Hx x Hi) as P. cbv beta in P. unb. lia.
    - intros w k t Hi He. pose proof (conserving_ok Hk w k t Hi He) as P.
      apply andb_prop in P as [_ P]. apply orb_prop in P as [P|P]; [left; unb; exact P|right].
      unfold blocked_b in P. apply andb_prop in P as [P1 P2]. unb. split; [exact P1|].
      destruct (depth m); [unb; exact P2|discriminate].
    - intros x y Hi Hj G L. pose proof (all_ok _ _ (all_ok _ _ Hp x Hi) y Hj) as B. cbv beta in B.
      apply andb_prop in B as [_ B]. rewrite G, Nat.eqb_refl, (proj2 (Nat.ltb_lt _ _) L) in B.
      cbv beta iota delta [implb' andb] in B. unb. exact B.
    - intros w k Hi N. split.
      + pose proof (all_ok _ _ Hn _ Hi) as P. cbv beta in P. rewrite N in P. apply Nat.eqb_eq, P.
      + intros t He. pose proof (conserving_ok Hk w k t Hi He) as P. rewrite N in P. discriminate.
  Qed.
End Sched.

(** ** Certificates: tables of [lam] and [iso] made by untrusted code *)
Definition table (l : list (list nat)) (x : key) : nat := nth (snd x) (nth (fst x) l []) 0.

(** The certificate respects every edge of latency paths. *)
Definition lam_check (m : machine) (b : block) (L : key -> nat) : bool :=
  all (fun x => all (fun e => L (fst e) + snd e <=? L x) (lam_preds b m x)) (keys b).

Lemma lam_check_ok m b L : lam_check m b L = true -> lam_cert m b L.
Proof.
  intros H. apply lam_preds_cert. intros x e Hx He.
  apply Nat.leb_le, (all_ok _ _ (all_ok _ _ H x Hx) e He).
Qed.
