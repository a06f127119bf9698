(** * A thread block on a slot that renumbers its sub-cores and units: what is proven of it as it is written counts *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model CheckSchedule AlnPaths Stay SoloCopies.
Import ListNotations.

(** As it is written: two warps on two sub-cores, each with two units of its own. *)
Definition as_written : block :=
  [[Instr 0 3 0 [] 0; Instr 1 3 0 [0] 0]; [Instr 2 3 0 [] 0; Instr 3 3 0 [0] 0]].
Definition by_itself2 : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => w mod 2) (fun _ => 0) (fun _ => 0).

(** On the SM: thread block 1 has warps 2 and 3 of other units, the first on sub-core 1; thread block 0 is something else. *)
Definition on_sm : block :=
  [[Instr 0 7 0 [] 0]; []; [Instr 2 3 0 [] 0; Instr 3 3 0 [0] 0]; [Instr 0 3 0 [] 0; Instr 1 3 0 [0] 0]].
Definition the_sm : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => S w mod 2) (fun w => w / 2) (fun _ => 0).

Lemma keys_of_1 x : of the_sm on_sm 1 x -> x = (2, 0) \/ x = (2, 1) \/ x = (3, 0) \/ x = (3, 1).
Proof. intros [H G]. cbn in H. intuition subst; cbn in G; auto; discriminate. Qed.

Example copy2 : renamed as_written by_itself2 the_sm on_sm 1 (fun w => w - 2) (fun f => (f + 2) mod 4) (fun c => 1 - c).
Proof.
  constructor; try reflexivity.
  - intros w k H. apply keys_of_1 in H. intuition (match goal with E : (w, k) = _ |- _ => inversion E; subst end; cbn; auto 10).
  - intros v k H. exists (v + 2). split; [|lia]. cbn in H. unfold of. cbn [keys].
    intuition (match goal with E : _ = (v, k) |- _ => inversion E; subst end; cbn; auto 10).
  - intros w v k Hw Hv E. apply keys_of_1 in Hw, Hv. intuition (try congruence);
      repeat match goal with H : (_, _) = (_, _) |- _ => inversion H; clear H; subst end; cbn in E; try discriminate; reflexivity.
  - intros w k H. apply keys_of_1 in H. intuition (match goal with E : (w, k) = _ |- _ => inversion E; subst end; cbn; auto 10).
  - intros x y Hx Hy. apply keys_of_1 in Hx, Hy. intuition subst; cbn in *; try reflexivity; try discriminate.
  - intros x Hx. apply keys_of_1 in Hx. intuition subst; reflexivity.
  - intros x y Hx Hy. apply keys_of_1 in Hx, Hy. intuition subst; cbn in *; try reflexivity; try discriminate.
Qed.

(** ALN of it as it is written bounds it there, alone. *)
Example alone2 : solo_bound the_sm on_sm 1 (ALN as_written by_itself2) /\ ALN as_written by_itself2 = 6.
Proof.
  split; [|vm_compute; reflexivity]. apply (solo_copy _ _ _ _ _ _ _ _ _ copy2); [apply wf_ok; reflexivity|].
  intros s x V Zero Hx. apply (ALN_bound by_itself2 as_written s); auto; [split; cbn; lia|apply wf_ok; reflexivity].
Qed.
