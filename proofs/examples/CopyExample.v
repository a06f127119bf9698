(** * A thread block on a slot that renumbers its sub-cores and units: what is proven of it as it is
    written counts *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model CheckSchedule AlnPaths Grid Stay SoloCopies WaveSib Wave
  WaveCopies WaveExample.
Import ListNotations.

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
  apply (solo_copy _ _ _ _ _ _ _ _ _ copy2); [apply wf_ok; reflexivity|]. intros s x V Zero Hx.
  apply (ALN_bound by_itself2 as_written s); auto; [split; cbn; lia|apply wf_ok; reflexivity].
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

(** Thread blocks as they are written give the same 13 cycles. *)
Example run4_written b : b < 2 -> ended run4 b <= 13.
Proof.
  intros Hb. rewrite <- k_wave_written. apply (k_wave_copies grid4 run4)
    with (wr := fun b w => w - 2 * b) (un := fun _ f => f) (co := fun _ c => c) (cs := fun _ =>
    [0; 1]) (turn := fun b _ q => if b =? 0 then q else 0); try exact run4_dealt;
    try exact run4_valid; try (cbn; lia).
  - intros i _. split; [split; cbn; lia|apply wf_ok; reflexivity].
  - exact copies4.
  - intros c _. apply wf_ok. destruct c; reflexivity.
  - intros i _. split; [exact (seq_NoDup 2 0)|]. intros w. cbn [core grid4 mach sm2].
    pose proof (Nat.mod_upper_bound w 2 ltac:(lia)) as L.
    destruct (w mod 2) as [|[|n]]; [left|right; left|lia]; reflexivity.
  - intros c _. split; [exact (seq_NoDup 2 0)|]. split; [auto|]. split; [eauto|auto].
  - intros c y Hc H. cbn in Hc. cbn [mach prog grid4] in H |- *. each_of_four H; cbn; lia.
  - intros c _. apply cost_same. discriminate.
  - intros c d y Hc Hd _ H A. exfalso. cbn in Hc, Hd. cbn [mach prog grid4] in H, A.
    destruct c as [|[|c]]; [| |lia]; each_of_four H; vm_compute in A; discriminate.
  - intros c Hc. cbn in Hc. destruct c as [|[|c]]; [| |lia]; cbn [Nat.eqb Nat.sub].
    + split; [intros x o _ _ _ _ L; destruct (_ =? _); cbn in *; lia|]. intros x [Hx _] _.
      cbn in Hx. intuition subst; cbn; lia.
    + split; [|intros; lia]. intros x o [Hx _] [Ho _] _ _ L. exfalso. cbn in Hx, Ho.
      intuition subst; cbn in L; lia.
Qed.
