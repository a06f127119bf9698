(** * A thread block on a slot that renumbers its sub-cores and units: what is proven of it as it is
    written counts *)

From Warpbound Require Import Base Cycles Model Checks CheckFast Bounds Aln AlnPaths Grid Stay
  SoloCopies SoloBounds FifoPaths ChainTurns WaveSib WaveExtras Wave WaveMean WaveTeamPaths Teams
  WaveCopies OwnCopies TeamCopies WaveExample.

(** As it is written: two warps on two sub-cores, each with two units of its own. *)
Definition as_written : block :=
  [[Instr 0 3 0 [] 0; Instr 1 3 0 [0] 0]; [Instr 2 3 0 [] 0; Instr 3 3 0 [0] 0]].
Definition by_itself2 : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => w mod 2) (fun _ => 0)
  (fun _ => 0).

(** On the SM: thread block 1 has warps 2 and 3 of other units, the first on sub-core 1; thread
    block 0 is something else. *)
Definition on_sm : block :=
  [[Instr 0 7 0 [] 0]; []; [Instr 2 3 0 [] 0; Instr 3 3 0 [0] 0];
    [Instr 0 3 0 [] 0; Instr 1 3 0 [0] 0]].
Definition the_sm : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => S w mod 2) (fun w => w / 2)
  (fun _ => 0).

Lemma keys_of_1 x : of the_sm on_sm 1 x -> x = (2, 0) \/ x = (2, 1) \/ x = (3, 0) \/ x = (3, 1).
Proof. intros [H G]. cbn in H. intuition subst; cbn in G; auto; discriminate. Qed.

Example copy2 : renamed as_written by_itself2 the_sm on_sm 1 (fun w => w - 2)
  (fun f => (f + 2) mod 4) (fun c => 1 - c).
Proof.
  constructor; try reflexivity.
  - intros w k H. apply keys_of_1 in H. intuition (match goal with E : (w, k) = _ |- _ =>
    inversion E; subst end; cbn; auto 10).
  - intros v k H. exists (v + 2). split; [|lia]. cbn in H. unfold of. cbn [keys].
    intuition (match goal with E : _ = (v, k) |- _ => inversion E; subst end; cbn; auto 10).
  - intros w v k Hw Hv E. apply keys_of_1 in Hw, Hv. intuition (try congruence);
      repeat match goal with H : (_, _) = (_, _) |- _ => inversion H; clear H; subst end; cbn in E;
        try discriminate; reflexivity.
  - intros w k H. apply keys_of_1 in H. intuition (match goal with E : (w, k) = _ |- _ =>
    inversion E; subst end; cbn; auto 10).
  - intros x y Hx Hy. apply keys_of_1 in Hx, Hy.
    intuition subst; cbn in *; try reflexivity; try discriminate.
  - intros x Hx. apply keys_of_1 in Hx. intuition subst; reflexivity.
  - intros x y Hx Hy. apply keys_of_1 in Hx, Hy.
    intuition subst; cbn in *; try reflexivity; try discriminate.
Qed.

(** ALN of it as it is written bounds it there, alone. *)
Example alone2 : solo_bound the_sm on_sm 1 (ALN as_written by_itself2) /\
  ALN as_written by_itself2 = 6.
Proof.
  split; [|vm_compute; reflexivity].
  apply (solo_copy _ _ _ _ _ _ _ _ _ copy2); [apply wf_fast_ok; reflexivity|]. intros s x V Zero Hx.
  apply (ALN_bound by_itself2 as_written s); auto; [split; cbn; lia|apply wf_fast_ok; reflexivity].
Qed.

(** ** The grid of WaveExample.v from its thread blocks as they are written *)

Definition written4 (b : nat) : block :=
  if b =? 0 then [[Instr 0 1 0 [] 0]; [Instr 1 1 0 [] 1]] else [[Instr 0 5 0 [] 0];
    [Instr 2 1 5 [] 0; Instr 1 5 0 [0] 0]].
Definition alone4 : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => w mod 2) (fun _ => 0)
  (fun _ => 0).

Lemma of_four b x : b < 2 -> of sm2 four b x -> b = 0 /\ (x = (0, 0) \/ x = (1, 0)) \/ b = 1 /\
  (x = (2, 0) \/ x = (3, 0) \/ x = (3, 1)).
Proof. intros Hb [H G]. apply keys4 in H. intuition subst; cbn in *; auto 10. Qed.

Ltac each_of_four H := apply of_four in H; [|assumption]; intuition subst;
  repeat match goal with E : (_, _) = (_, _) |- _ => inversion E; clear E; subst end.

Example copies4 b : b < 2 -> renamed (written4 b) alone4 sm2 four b (fun w => w - 2 * b)
  (fun f => f) (fun c => c).
Proof.
  intros Hb. constructor; try reflexivity.
  - intros w k H. each_of_four H; cbn; auto.
  - intros v k H. exists (v + 2 * b). split; [|lia]. destruct b as [|[|b]]; [| |lia]; cbn in H;
      intuition (repeat match goal with E : (_, _) = (_, _) |- _ => inversion E; clear E; subst end;
        split; cbn; auto 10).
  - intros w v k Hw Hv E. each_of_four Hw; each_of_four Hv; cbn in E; congruence.
  - intros w k H. each_of_four H; cbn; auto 10.
  - auto.
  - intros x H. each_of_four H; reflexivity.
  - auto.
Qed.

Definition own_written (b : nat) : nat := written_own written4 (fun _ => alone4) b.
Definition add_written (b : nat) : nat -> nat :=
  written_add written4 (fun _ => alone4) (fun _ => [0; 1]) (fun h y => init (get (written4 h) y))
    (fun _ _ => false) (fun b => 1 - b) b.

Example k_wave_written : k_wave grid4 own_written add_written = 13.
Proof. vm_compute. reflexivity. Qed.

Lemma ok4_of i : i < 1 -> machine_ok (mach grid4 i) /\ wf (prog grid4 i).
Proof. intros _. exact ok4. Qed.
Lemma written_wf4 (c : nat) : c < 2 -> wf (written4 c).
Proof. intros _. apply wf_fast_ok. destruct c; reflexivity. Qed.
Lemma same_cores4 (c : nat) : c < 2 -> NoDup [0; 1] /\ (forall d, In d [0; 1] -> In d [0; 1])
  /\ (forall e, In e [0; 1] -> exists d, In d [0; 1] /\ d = e)
  /\ (forall d e, In d [0; 1] -> In e [0; 1] -> d = e -> d = e).
Proof. intros _. split; [exact (seq_NoDup 2 0)|]. split; [auto|]. split; [eauto|auto]. Qed.
Definition there4 (b : nat) : key -> key := there (fun w => w - 2 * b).
Lemma costs4 c y : c < 2 -> of sm2 four c y ->
  cost four sm2 y <= init (get (written4 c) (there4 c y)).
Proof. intros Hc H. each_of_four H; cbn; lia. Qed.
Lemma like4 (c : nat) : c < 2 -> same_cost four sm2 c.
Proof. intros _. apply cost_same. discriminate. Qed.
Lemma across4 c h y : c < 2 -> h < 2 -> sm_of run4 h = sm_of run4 c -> of sm2 four h y ->
  across four sm2 c y = true -> false = true.
Proof.
  intros Hc Hh _ H A. exfalso.
  destruct c as [|[|c]]; [| |lia]; each_of_four H; vm_compute in A; discriminate.
Qed.
Definition turn4 (b _ q : nat) : nat := if b =? 0 then q else 0.
Lemma changes4 c : c < 2 -> changes (written4 c) alone4 0 (turn4 c) (1 - c).
Proof.
  intros Hc. unfold turn4. destruct c as [|[|c]]; [| |lia]; cbn [Nat.eqb Nat.sub].
  - split; [intros x o _ _ _ _ L; destruct (_ =? _); cbn in *; lia|]. intros x [Hx _] _.
    cbn in Hx. intuition subst; cbn; lia.
  - split; [|intros; lia]. intros x o [Hx _] [Ho _] _ _ L. exfalso. cbn in Hx, Ho.
    intuition subst; cbn in L; lia.
Qed.

(** Thread blocks as they are written give the same 13 cycles. *)
Example run4_written b : b < 2 -> ended run4 b <= 13.
Proof.
  intros Hb. rewrite <- k_wave_written. apply (k_wave_copies grid4 run4 ok4_of run4_valid _ _ _ _ _
    copies4 written_wf4 _ _ (fun _ _ => cores4) same_cores4 _ _ _ _ costs4 like4 across4 changes4 b
    run4_dealt (le_n _) Hb).
Qed.
Example run4_written_static b : b < 2 -> ended run4 b <= 13.
Proof.
  intros Hb. rewrite <- k_wave_written, <- (Nat.add_0_r (k_wave _ _ _)).
  apply (k_wave_copies_static grid4 run4 ok4_of run4_valid _ _ _ _ _ copies4 written_wf4 _ _
    (fun _ _ => cores4) same_cores4 _ _ _ _ costs4 like4 across4 changes4 b run4_shared (le_n _)
    Hb).
Qed.

(** What thread block 1 adds on its slot, U and one X: 6 *)
Example extras4 : shared_work four sm2 0 1 + extras four sm2 0 [0; 1] 1 1 <= 6.
Proof.
  etransitivity; [apply (copy_extras _ _ _ _ 0 1 _ _ _ _ _ (copies4 1 (le_n _)) cores4
    (same_cores4 1 (le_n _)) (fun _ => false) (fun y => init (get (written4 1) y))
    (fun y => costs4 1 y (le_n _))
    (fun y => across4 0 1 y (le_S _ _ (le_n _)) (le_n _) eq_refl) 1)|vm_compute; lia].
Qed.

(** Alignments of its two warps, and of thread block 0 beside them as one team, are those of them as
    they are written. *)
Lemma warps_of_1 : NoDup [2; 3] /\ forall x, of sm2 four 1 x -> In (fst x) [2; 3].
Proof.
  split; [exact (seq_NoDup 2 2)|]. intros y [Hy G]. apply keys4 in Hy.
  intuition subst; cbn in *; auto; discriminate.
Qed.
Lemma into_1 u : In u [2; 3] -> group sm2 u = 1 /\ In (u - 2) [0; 1].
Proof. cbn. intuition subst; cbn; auto. Qed.
Lemma once_1 u v : In u [2; 3] -> In v [2; 3] -> u - 2 = v - 2 -> u = v.
Proof. cbn. lia. Qed.
Notation own_1 := (own_table (fun w => w - 2) (fellow_table alone4 (written4 1) 1)).
Example own_aligned :
  align_cert sm2 four 2 3 1 (own_1 2 3)
  /\ own_start four [2; 3] own_1 1
    <= own_start (written4 1) [0; 1] (fellow_table alone4 (written4 1) 1) 1.
Proof.
  pose proof (written_wf4 1 (le_n _)) as W. split.
  - apply (own_cert _ _ sm2 four 1 _ _ _ (copies4 1 (le_n _)) (proj2 ok4) (like4 1 (le_n _)) [2; 3]
      [0; 1] warps_of_1 into_1 once_1 _ 2 3 1); [cbn; auto|cbn; auto|apply fellow_cert, W].
  - apply (OwnCopies.own_written _ _ sm2 four 1 _ _ _ (copies4 1 (le_n _)) [2; 3] [0; 1]
      warps_of_1 into_1 once_1).
Qed.
Example team_aligned : team_cert sm2 four 0 1 [2; 3]
  (fun w n v i => (fun w _ _ i => 20 * w + 5 * i) (w - 2 * 0) n (v - 2) i).
Proof.
  apply (team_copy (written4 0) (written4 1) alone4 alone4 sm2 four 0 1 _ _ _ _ _ _
    (copies4 0 (le_S _ _ (le_n _))) (copies4 1 (le_n _)) (proj2 ok4) (fun f => f) (fun f => f)
    (fun y => init (get (written4 1) y))) with (vs := [0; 1]).
  - intros x y Hx Hy E. assert (0 < 2) by lia. assert (1 < 2) by lia.
    each_of_four Hx; each_of_four Hy; cbn in E |- *; congruence.
  - intros y Hy. apply (costs4 1 y (le_n _) Hy).
  - intros w [d k] Hn. cbn in Hn. assert (k = 0 /\ (w = 0 \/ w = 1)) as [-> Hw]
      by intuition congruence. clear Hn. split; [|split; [|split]].
    + intros v e i Hv He Hi.
      destruct Hw as [->| ->], d; vm_compute in He; intuition subst; cbn; lia.
    + intros x v i Hx Hs Hv Hi. cbn in Hx, Hv.
      destruct Hw as [->| ->]; intuition subst; cbn in *; lia.
    + intros x v u j Hx Hs Hv Hu. cbn in Hx, Hv, Hu.
      destruct Hw as [->| ->]; intuition subst; destruct j; cbn in *; lia.
    + intros v i Hv Hi. cbn in Hv. destruct Hw as [->| ->], d; intuition subst;
        (destruct i as [|[|i]]; [| |cbn in Hi; lia]); cbn; lia.
  - intros v Hv. cbn in Hv. intuition subst; cbn; auto.
Qed.

(** FIFO of it alone, with unlimited queues *)
Definition queued2 : machine := Machine (fun _ => 1) None 1 (fun w => w mod 2) (fun _ => 0)
  (fun _ => 0).
Example alone_queued : alone_ends as_written queued2 6.
Proof.
  intros s x V Z Hx.
  change 6 with (FIFO as_written queued2 (fun _ _ _ => false)).
  apply (alone_fifo as_written queued2); auto; [split; cbn; lia|apply wf_fast_ok; reflexivity].
Qed.

(** Thread block 0 changes its sub-core once, at its barrier. *)
Example turns_once x : In x (keys (written4 0)) -> turnsI (written4 0) alone4 x <= fst x.
Proof.
  apply (turnsI_least (written4 0) alone4 fst), turns_steps. intros y z Hy Hz _. cbn in Hy, Hz.
  intuition subst; cbn in *; lia.
Qed.
