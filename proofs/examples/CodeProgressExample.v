(** * Progress: what ends, and what would not

    Two SMs with a slot each get the three thread blocks of CodeApartExample.v, and keep the rules
    up to cycle 12: all has ended by 10.  Then two instructions that wait for each other's unit:
    all rules are kept up to any cycle, and neither ends.  The code is not well-formed, as its units
    block back onto each other. *)

From Warpbound Require Import Base Cycles Largest Formulas Ledger GridLedger Dynamic CodeMachine
  CodeEnough CodeElb CodeOutside CodeLedger CodeBeside CodeProgress CheckCode CodeApartExample.

(** ** Three thread blocks *)
Notation by_12 := (later 12 1).
Definition from (x : key) : nat := 5 * fst x.
Definition plainly : schedule := Schedule from from from from from (fun x _ => from x)
  (fun _ _ => 2) (fun _ _ => 0) (fun _ => 3) (fun _ => 0) (fun _ => 1) (fun _ => 0)
  (fun g _ => match g with 2 => 5 | _ => 0 end).
Definition taken_at (b : nat) : nat := match b with 2 => 5 | _ => 0 end.
Definition in_turn (wt : nat -> nat -> nat) : Ledger.run :=
  Ledger.Run 3 (fun b => b mod 2) (fun _ => 0) (fun b => b) taken_at taken_at
    (fun b => taken_at b + 5) (fun _ => false) wt.
Definition thrice : Ledger.run :=
  in_turn (code_pays sms loads (fun _ => plainly) (in_turn (fun _ _ => 0))).

Ltac block_of b := destruct b as [|[|[|b]]]; cbn in *; try lia.

Lemma thrice_until : code_run 2 1 0 sms loads (fun _ => plainly) thrice (outside by_12).
Proof.
  split.
  - intros i Hi. split; [apply loads_wf|]. assert (i = 0 \/ i = 1) as [->| ->] by lia; loads_keep.
  - reflexivity.
  - split; cbn [count sm room ord disp start fin thrice in_turn]; try solve [intros; lia].
    + intros b _. apply Nat.mod_upper_bound. lia.
    + intros b c Hb Hc Ho. block_of b; block_of c.
    + intros b c Hb Hc Hs Ho. block_of b; block_of c; discriminate.
    + intros N b Hb. rewrite cycles_none; [lia|]. intros t _. unfold passing.
      cbn [disp start thrice in_turn]. destruct (Nat.leb_spec (taken_at b) t),
        (Nat.ltb_spec t (taken_at b)); cbn; auto; lia.
    + intros b t q Hb _ Ht Hq. block_of b. exists 0. repeat split; try lia.
      apply andb_true_intro. split; [reflexivity|apply Nat.ltb_lt; exact Ht].
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load; auto.
  - intros b Hb. block_of b.
  - intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load.
  - intros b Hb. right. block_of b; [exists (0, 0)|exists (0, 0)|exists (1, 0)]; cbn; auto.
Qed.

Theorem thrice_over b : b < 3 -> fin thrice b <= 10.
Proof.
  intros Hb.
  assert (forall N, cycles N (skip thrice) <= 0) as Skips by (intros N; rewrite cycles_none; auto).
  pose proof (kernel_over 12 1 2 1 0 0 sms loads _ thrice thrice_until load_kind _ _ _ _
    loads_amounts (fun _ _ => le_n _) Skips b) as H.
  pose proof (static_over 12 1 2 1 0 0 sms loads _ thrice thrice_until load_kind _ _ _ _
    loads_amounts (fun _ _ => le_n _) Skips b Hb) as H'.
  apply H; [|cbn; lia|exact Hb|vm_compute; lia].
  intros c t i q Hc _ Ht Hi Hq. block_of c. exists i.
  assert (i = 0 \/ i = 1) as [->| ->] by lia; (repeat split; try (cbn; lia));
    (apply andb_true_intro; split; [reflexivity|apply Nat.ltb_lt; exact Ht]).
Qed.
Example thrice_attains : fin thrice 2 = 10.
Proof. reflexivity. Qed.

(** One thread block alone: the load ends by 5 = E + lam, if it has come as far as cycle 6. *)
Theorem load_over x : In x (keys (loads 1)) -> finish (loads 1) plainly x <= 5.
Proof.
  intros Hx. apply (over_by 12 1 (sms 1) (loads 1) plainly _ _ _ _ (loads_wf 1)
    (proj2 (c_machine _ _ _ _ _ _ _ _ thrice_until 1 (le_n _))) (loads_lam 1 (le_n _)) x Hx).
  each_load.
Qed.

(** ** Two instructions that wait for each other

    One goes from unit 0 to unit 1, the other one from unit 1 to unit 0; queues have one place. *)
Definition through (u v : nat) : instr :=
  Instr 1 1 0 0 false [Stage u 1 0; Stage v 1 0] None 0 None 0 [] false 0.
Definition across : block := [[through 0 1]; [through 1 0]].
Definition crossing : machine := Machine (fun _ => Some 1) (fun w => w) false (fun u => u)
  (fun _ => true) (fun _ => 0) 0.
(** Up to [n] each holds its first unit; then they go on in some way. *)
Definition stuck (n : nat) : schedule := Schedule (fun _ => 0) (fun _ => 0) (fun _ => 0)
  (fun _ => 0) (fun _ => 0) (fun x i => match i with 0 => 0 | _ => S n + fst x end)
  (fun _ _ => 1) (fun _ _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => 1) (fun _ => 0) (fun _ _ => 0).

Lemma across_stages x i u : at_stage across x i u -> (x = (0, 0) /\ (i = 0 /\ u = 0 \/ i = 1 /\ u =
  1))
  \/ (x = (1, 0) /\ (i = 0 /\ u = 1 \/ i = 1 /\ u = 0)).
Proof.
  intros [Hx [Hi Hu]]. cbn in Hx. destruct Hx as [<-|[<-|[]]]; cbn in Hi;
    (assert (i = 0 \/ i = 1) as [->| ->] by lia); cbn in Hu; subst u; auto 6.
Qed.

Ltac cross := intros; repeat match goal with
  | H : In _ (keys across) |- _ => let Q := fresh in
      destruct H as [Q|[Q|[]]]; first [discriminate Q | injection Q as; subst | subst]
  | H : at_stage across _ _ _ |- _ => let Q := fresh in
      destruct (across_stages _ _ _ H) as [[Q [[? ?]|[? ?]]]|[Q [[? ?]|[? ?]]]]; clear H;
      first [discriminate Q | injection Q as; subst | subst]
  | H : ?i < stages across _ |- _ =>
      assert (i = 0 \/ i = 1) as [->| ->] by (cbn in H; lia); clear H
  end; try discriminate; try (cbn; lia).

Theorem stands_still n : outside (later n 2) crossing across (stuck n)
  /\ n < finish across (stuck n) (0, 0).
Proof.
  split; [|cbn; lia].
  split; try solve [cross; try apply on_add; rewrite ?Nat.add_0_r; try apply le_n; cbn in *; lia].
  - intros w k t _ _ [[H|H] _]; cbn in H; lia.
  - intros w k i u t Ht Hx H _. right. unfold later in Ht.
    apply andb_false_iff in Ht. rewrite Nat.leb_gt, Nat.ltb_ge in Ht.
    cross; cbn in H; try lia; [exists (1, 0), 0, 0|exists (0, 0), 0, 1].
    + split; [apply (at_own across (1, 0) 0); cbn; auto|].
      split; [apply (at_own across (1, 0) 1); cbn; auto|]. split; [discriminate|cbn; lia].
    + split; [apply (at_own across (0, 0) 0); cbn; auto|].
      split; [apply (at_own across (0, 0) 1); cbn; auto|]. split; [discriminate|cbn; lia].
  - intros x y i j u Hx Hy N. cross; try (contradiction N; reflexivity); cbn in *; lia.
Qed.

(** Each unit blocks back onto the other one. *)
Example across_cycle : acyclic_b crossing across = false.
Proof. reflexivity. Qed.
