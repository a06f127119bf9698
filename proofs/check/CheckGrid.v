(** * A checker of executions of grids: R1 to R7 of each SM, and G1 to G4

    What it accepts keeps the rules of kernel/Grid.v.  It is extracted, and asked of what the
    library's simulator does with grids. *)

From Warpbound Require Import Base Cycles Model Checks CheckSchedule Grid.

Section Check.
  Variables (G : grid) (X : execution).

  (** All thread blocks. *)
  Definition every : list nat := seq 0 (blocks G).
  (** All instructions of SM [i]. *)
  Definition on (i : nat) : list key := keys (prog G i).

  (** [c] is before [b] in its slot. *)
  Definition before_b (c b : nat) : bool :=
    (sm_of X c =? sm_of X b) && ((slot_of X c =? slot_of X b) && (place X c <? place X b)).
  (** [b] is the first in its slot. *)
  Definition new_b (b : nat) : bool := all (fun c => negb (before_b c b)) every.
  (** Slot [q] of SM [i] is taken in cycle [t]. *)
  Definition full_b (i q t : nat) : bool := existsb (fun c =>
    (sm_of X c =? i) && ((slot_of X c =? q) && ((taken X c <=? t) && (t <? ended X c)))) every.

  (** Each SM keeps R1 to R7. *)
  Definition machines_b : bool := all (fun i => valid_b (mach G i) (prog G i) (sched X i)
    && all (fun x => (whose G i x <? blocks G) && ((sm_of X (whose G i x) =? i)
                     && (C (sched X i) x <=? ended X (whose G i x)))) (on i)) (seq 0 (sms G)).

  (** Each thread block has a slot, in order (G1, G2). *)
  Definition places_b : bool := all (fun b => (sm_of X b <? sms G) && ((slot_of X b <? slots G)
    && all (fun c => implb' (place X b =? place X c) (b =? c)
         && (implb' (place X b <? place X c) (taken X b <=? taken X c)
         && implb' (before_b c b) (ended X c <=? taken X b))) every)) every.

  (** Each thread block ends with its last instruction. *)
  Definition ends_b : bool := all (fun b => (started X b <=? ended X b)
    && ((ended X b =? started X b) || existsb (fun x => (whose G (sm_of X b) x =? b)
          && (ended X b =? C (sched X (sm_of X b)) x)) (on (sm_of X b)))) every.

  (** Each thread block starts within its dispatch times. *)
  Definition starts_b : bool := all (fun b => (serviced X b <=? service G)
    && ((taken X b + serviced X b <=? started X b)
      && ((started X b <=? taken X b + serviced X b + latency G)
      && implb' (new_b b) (started X b =? taken X b + serviced X b)))) every.

  (** A dispatcher that takes no time fills all slots at once. *)
  Definition filled_b : bool := (1 <=? service G) || all (fun b => new_b b || ((1 <=? taken X b)
    || all (fun q => existsb (fun d => negb (d =? b)
         && ((sm_of X d =? sm_of X b) && (slot_of X d =? q))) every) (seq 0 (slots G)))) every.

  (** The dispatcher waits only where slots are taken (G3). *)
  Definition waits_b : bool := all (fun b => all (fun t => at_work G X t
    || all (fun q => full_b (sm_of X b) q t) (seq 0 (slots G))) (seq 0 (taken X b))) every.

  (** The execution keeps all rules. *)
  Definition grid_valid_b : bool :=
    machines_b && (places_b && (ends_b && (starts_b && (filled_b && waits_b)))).

  (** G3, dynamic, and G4. *)
  Definition anywhere_b : bool := all (fun b => all (fun t => at_work G X t
    || all (fun i => all (fun q => full_b i q t) (seq 0 (slots G))) (seq 0 (sms G)))
         (seq 0 (taken X b))) every.
  Definition dealt_b : bool := all new_b every
    && all (fun i => length (filter (fun b => sm_of X b =? i) every) <=? (blocks G + sms G - 1) /
      sms G) (seq 0 (sms G)).

  Lemma in_every b : In b every <-> b < blocks G.
  Proof. unfold every. rewrite in_seq. lia. Qed.

  Lemma in_until t n : t < n -> In t (seq 0 n).
  Proof. rewrite in_seq. lia. Qed.

  Lemma before_b_ok c b : before G X c b <-> c < blocks G /\ before_b c b = true.
  Proof. unfold before, before_b. rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt. tauto. Qed.

  Lemma new_b_ok b : new_b b = true <-> forall c, ~ before G X c b.
  Proof.
    unfold new_b, all. rewrite forallb_forall. split; intros H c.
    - intros B. apply before_b_ok in B as [Hc B]. specialize (H c (proj2 (in_every c) Hc)).
      rewrite B in H. discriminate.
    - intros Hc. apply in_every in Hc. destruct (before_b c b) eqn:E; [|reflexivity].
      destruct (H c). apply before_b_ok. auto.
  Qed.

  Lemma full_b_ok i q t : full_b i q t = true -> full G X i q t.
  Proof.
    unfold full_b. rewrite existsb_exists. intros [c [Hc H]]. exists c. apply in_every in Hc. unb.
    lia.
  Qed.

  (** *** What it accepts keeps the rules. *)
  Theorem grid_valid_ok : grid_valid_b = true ->
    (forall i g n, ar (sched X i) g n <= release (mach G i) n) -> grid_valid G X.
  Proof.
    unfold grid_valid_b. intros H R. apply andb_prop in H as [HM H]. apply andb_prop in H as [HP H].
    apply andb_prop in H as [HE H]. apply andb_prop in H as [HS H]. apply andb_prop in H as [HF HW].
    assert (forall i, i < sms G -> valid_b (mach G i) (prog G i) (sched X i) = true
      /\ forall x, In x (keys (prog G i)) -> whose G i x < blocks G /\ sm_of X (whose G i x) = i
           /\ C (sched X i) x <= ended X (whose G i x)) as M.
    { intros i Hi. pose proof (all_ok _ _ HM i (in_until _ _ Hi)) as Q. cbv beta in Q.
      apply andb_prop in Q as [V Q]. split; [exact V|]. intros x Hx.
      pose proof (all_ok _ _ Q x Hx) as U. cbv beta in U. unb. auto. }
    assert (forall b, b < blocks G -> sm_of X b < sms G /\ slot_of X b < slots G) as P.
    { intros b Hb. pose proof (all_ok _ _ HP b (proj2 (in_every b) Hb)) as Q. cbv beta in Q. unb.
      auto. }
    assert (forall b c, b < blocks G -> c < blocks G ->
      (place X b = place X c -> b = c) /\ (place X b < place X c -> taken X b <= taken X c)
      /\ (before_b c b = true -> ended X c <= taken X b)) as PP.
    { intros b c Hb Hc. pose proof (all_ok _ _ HP b (proj2 (in_every b) Hb)) as Q. cbv beta in Q.
      apply andb_prop in Q as [_ Q]. apply andb_prop in Q as [_ Q].
      pose proof (all_ok _ _ Q c (proj2 (in_every c) Hc)) as U. cbv beta in U.
      apply andb_prop in U as [U1 U]. apply andb_prop in U as [U2 U3]. repeat split; intros E.
      - apply Nat.eqb_eq in E. rewrite E in U1. apply Nat.eqb_eq, U1.
      - apply Nat.ltb_lt in E. rewrite E in U2. apply Nat.leb_le, U2.
      - rewrite E in U3. apply Nat.leb_le, U3. }
    assert (forall b, b < blocks G -> (serviced X b <= service G
      /\ taken X b + serviced X b <= started X b <= taken X b + serviced X b + latency G)
      /\ (new_b b = true -> started X b = taken X b + serviced X b)) as S.
    { intros b Hb. pose proof (all_ok _ _ HS b (proj2 (in_every b) Hb)) as Q. cbv beta in Q.
      apply andb_prop in Q as [Q1 Q]. apply andb_prop in Q as [Q2 Q].
      apply andb_prop in Q as [Q3 Q4]. apply Nat.leb_le in Q1, Q2, Q3. split; [lia|]. intros E.
      rewrite E in Q4. apply Nat.eqb_eq, Q4. }
    constructor.
    - intros i Hi. apply valid_ok; [apply M, Hi|apply R].
    - intros i x Hi Hx. destruct (proj2 (M i Hi) x Hx) as [? [? ?]]. auto.
    - exact P.
    - intros b c Hb Hc. apply (PP b c Hb Hc).
    - intros i x Hi Hx. apply (proj2 (M i Hi) x Hx).
    - intros b Hb. pose proof (all_ok _ _ HE b (proj2 (in_every b) Hb)) as Q. cbv beta in Q.
      apply andb_prop in Q as [Q1 Q]. apply Nat.leb_le in Q1. split; [exact Q1|].
      apply orb_prop in Q as [Q|Q]; [left; apply Nat.eqb_eq, Q|right].
      apply existsb_exists in Q as [x [Hx Q]]. exists x. unb. auto.
    - intros b c Hb B. apply before_b_ok in B as [Hc B]. apply (PP b c Hb Hc), B.
    - intros b c Hb Hc. apply (PP b c Hb Hc).
    - intros b Hb. apply S, Hb.
    - intros b Hb. apply S, Hb.
    - intros b Hb N. apply S; [exact Hb|]. apply new_b_ok, N.
    - intros Z b c Hb B T q Hq. unfold filled_b in HF.
      apply orb_prop in HF as [HF|HF]; [apply Nat.leb_le in HF; lia|].
      pose proof (all_ok _ _ HF b (proj2 (in_every b) Hb)) as Q. cbv beta in Q.
      apply orb_prop in Q as [Q|Q].
      { apply new_b_ok with (c := c) in Q. contradiction. }
      apply orb_prop in Q as [Q|Q]; [apply Nat.leb_le in Q; lia|].
      pose proof (all_ok _ _ Q q (in_until _ _ Hq)) as U. cbv beta in U.
      apply existsb_exists in U as [d [Hd U]]. apply in_every in Hd. apply andb_prop in U as [U1 U].
      apply andb_prop in U as [U2 U3]. apply negb_true_iff, Nat.eqb_neq in U1.
      apply Nat.eqb_eq in U2, U3. exists d. auto.
    - intros b t q Hb A Ht Hq. pose proof (all_ok _ _ HW b (proj2 (in_every b) Hb)) as Q.
      cbv beta in Q. pose proof (all_ok _ _ Q t (in_until _ _ Ht)) as U. cbv beta in U.
      rewrite A in U. apply full_b_ok. apply (all_ok _ _ U q (in_until _ _ Hq)).
  Qed.

  (** The checker accepts only executions whose dispatch is dynamic. *)
  Theorem anywhere_ok : anywhere_b = true -> goes_anywhere G X.
  Proof.
    intros H b t i q Hb A Ht Hi Hq. pose proof (all_ok _ _ H b (proj2 (in_every b) Hb)) as Q.
    cbv beta in Q. pose proof (all_ok _ _ Q t (in_until _ _ Ht)) as U. cbv beta in U.
    rewrite A in U. pose proof (all_ok _ _ U i (in_until _ _ Hi)) as T. cbv beta in T.
    apply full_b_ok, (all_ok _ _ T q (in_until _ _ Hq)).
  Qed.

  Lemma filter_none {A} (l : list A) : filter (fun _ => false) l = [].
  Proof. induction l; auto. Qed.

  (** The checker accepts only executions that keep rule G4. *)
  Theorem dealt_ok : dealt_b = true -> grid_valid G X -> dealt G X.
  Proof.
    unfold dealt_b. intros H V. apply andb_prop in H as [H1 H2]. split.
    - intros b c Hb. apply new_b_ok. apply (all_ok _ _ H1 b (proj2 (in_every b) Hb)).
    - intros i. destruct (Nat.lt_ge_cases i (sms G)) as [Hi|Hi].
      + apply Nat.leb_le. apply (all_ok _ _ H2 i (in_until _ _ Hi)).
      + rewrite (filter_ext_in _ (fun _ => false)); [rewrite filter_none; simpl; lia|]. intros b Hb.
        apply in_seq in Hb. destruct (g_place _ _ V b ltac:(lia)). apply Nat.eqb_neq. lia.
  Qed.
End Check.
