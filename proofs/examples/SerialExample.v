(** * Serial times of an example: what theorem 5 of docs/sub-core-bounds.md takes for granted is met

    Two thread blocks of two warps on two sub-cores, with a private unit each (0 and 1) and a shared
    one (2).  The first warp of each has a load behind a barrier that only the second section waits
    for. *)

From Warpbound Require Import Base Cycles Largest Model Elb Paths Checks CheckFast Run Progress
  Issued Formulas Ledger Grid Stay GridLedger Kernel Serial SerialPotential SerialPaths SerialLedger
  SerialGrid GridExample Serials.

Definition warps : block :=
  let first := [Instr 0 2 9 [] 0; Instr 9 0 0 [] 0; Instr 0 1 3 [0] 1] in
  let second := [Instr 1 4 1 [] 0; Instr 9 0 0 [0] 0; Instr 2 2 2 [] 1] in
  [first; second; first; second].

Definition sm2 : machine := Machine (fun _ => 1) (Some 1) 1 (fun w => w mod 2) (fun w => w / 2)
  (fun _ => 3).
Definition home2 (f : nat) : option nat := if f <? 2 then Some f else None.

Example machine2 : machine_ok sm2. Proof. split; intros; cbn; lia. Qed.
Example wf2 : wf warps. Proof. apply wf_fast_ok. vm_compute. reflexivity. Qed.

Example home2_ok : home_ok sm2 warps home2.
Proof.
  intros x Hx H. cbn in Hx.
  repeat (destruct Hx as [<-|Hx]; [vm_compute in H |- *; try reflexivity; lia|]). destruct Hx.
Qed.

Example cores2 x : In x (keys warps) -> In (core sm2 (fst x)) [0; 1].
Proof. intros Hx. cbn in Hx. repeat (destruct Hx as [<-|Hx]; [cbn; auto|]). destruct Hx. Qed.

(** Section 0: sub-core 0 has 2 cycles of work; sub-core 1 has 4, and 1 of latency before its
    barrier.  Section 1: sub-core 0 has 1 of work, behind 9 of latency, 3 of which are the release,
    and 3 to its end; and 2 on the shared unit: 5 + 15.  With the release by itself it is 3 more. *)
Example V2 : map (SERIAL sm2 warps home2 [0; 1]) [0; 1] = [20; 20]. Proof. vm_compute.
  reflexivity. Qed.
Example V2_apart : map (SERIAL_apart sm2 warps home2 [0; 1]) [0; 1] = [23; 23]. Proof. vm_compute.
  reflexivity. Qed.

(** So they are computed by what is extracted; the first is the least, and the less of the two. *)
Example V2_fast g : SERIAL_fast sm2 warps home2 [0; 1] g = SERIAL sm2 warps home2 [0; 1] g
  /\ SERIAL_apart_fast sm2 warps home2 [0; 1] g = SERIAL_apart sm2 warps home2 [0; 1] g
  /\ SERIAL sm2 warps home2 [0; 1] g <= SERIAL_apart sm2 warps home2 [0; 1] g
  /\ SERIAL sm2 warps home2 [0; 1] g <= serial_time sm2 warps home2 [0; 1] (chain_of sm2 warps g)
       (last_section sm2 warps g) g.
Proof.
  split; [apply SERIAL_fast_ok, wf2|]. split; [apply SERIAL_apart_fast_ok, wf2|].
  split; [apply serial_apart, wf2|]. apply serial_least with (L := chain_to sm2 warps);
    [exact wf2|apply chain_cert, wf2|apply chain_chains].
Qed.

(** The machine executes them, from cycle 0 on, with all times as stated. *)
Definition stated2 : schedule :=
  Schedule (fun _ => 0) (fun _ => 0) (fun x => init (get warps x)) (fun x => lat (get warps x))
    (fun _ _ => 3) (fun _ => 0).
Definition runs2 : schedule := Run.run sm2 warps (fun _ _ => keys warps) stated2
  (long_enough sm2 warps stated2).

Example runs2_valid : valid sm2 warps runs2.
Proof.
  apply run_valid; [exact machine2|exact wf2|intros s n x; reflexivity|].
  split; [|split]; intros; cbn; try lia. destruct (init _); cbn; lia.
Qed.

Example runs2_ends : list_max (map (C runs2) (keys warps)) = 17. Proof. vm_compute.
  reflexivity. Qed.

(** Theorem 5 of it: one of the thread blocks is there in no more than 40 cycles. *)
Example serial2 N : cnt (since 0 (present sm2 warps runs2)) N <= 40.
Proof.
  etransitivity; [apply (serial_cycles sm2 warps home2 runs2 (chain_to sm2 warps)
    (last_section sm2 warps) (chain_of sm2 warps) [0; 1] machine2 wf2 runs2_valid home2_ok
    (chain_cert _ _ wf2) (chain_chains _ _) cores2 [0; 1])|].
  - intros x Hx _. cbn in Hx. repeat (destruct Hx as [<-|Hx]; [cbn; auto|]). destruct Hx.
  - vm_compute. lia.
Qed.

(** The grid of GridExample.v, which ends at 13: V is 5 of each thread block, the bound 11 and 3 of
    the dispatcher. *)
Example serial3 b : b < 3 -> ended run3 b <= 14.
Proof.
  apply (k_serial_computed grid3 run3 (fun _ _ => None) (fun _ => [0]) (fun _ => 5) b ready3
    run3_valid run3_dynamic); [cbn; lia| |].
  - intros i Hi. split; [intros x _ _; reflexivity|]. intros x _. left. reflexivity.
  - intros c Hc. cbn in Hc. three c Hc; vm_compute; lia.
Qed.

(** The second thread block is a copy of the first. *)
From Warpbound Require Import SoloCopies SerialCopies.
Definition written : block := firstn 2 warps.
Definition alone2 : machine := Machine (fun _ => 1) (Some 1) 1 (fun w => w mod 2) (fun _ => 0)
  (fun _ => 3).

Lemma second x : of sm2 warps 1 x -> In x [(2, 0); (2, 1); (2, 2); (3, 0); (3, 1); (3, 2)].
Proof.
  intros [Hx Hg]. cbn in Hx. repeat (destruct Hx as [<-|Hx]; [cbn in Hg |- *; try lia; auto 10|]).
  destruct Hx.
Qed.

Example copy2 : renamed written alone2 sm2 warps 1 (fun w => w mod 2) (fun f => f) (fun c => c).
Proof.
  constructor; try reflexivity; auto; try (intros w k H; apply second in H; cbn in H;
    repeat (destruct H as [E|H]; [inversion E; subst; vm_compute; auto 10|]); destruct H).
  - intros v k H. cbn in H. repeat (destruct H as [E|H];
      [inversion E; subst v k; match type of E with (?v, _) = _ => exists (v + 2) end; split;
      [split|]; vm_compute; auto 20|]). destruct H.
  - intros w v k Hw Hv. apply second in Hw, Hv. cbn in Hw, Hv. intros E.
    assert (w = 2 \/ w = 3) by intuition congruence.
    assert (v = 2 \/ v = 3) by intuition congruence.
    destruct H as [->| ->], H0 as [->| ->]; vm_compute in E; congruence.
  - intros x H. apply second in H. cbn in H.
    repeat (destruct H as [<-|H]; [reflexivity|]). destruct H.
Qed.

(** V of the thread block on its slot is at most 20. *)
Example copy2_V : SERIAL sm2 warps home2 [0; 1] 1 <= 20.
Proof.
  apply (copy_serial written warps alone2 sm2 1 _ _ _ copy2 home2 home2 [0; 1] [0; 1]); auto;
    [|exact wf2|apply wf_fast_ok; vm_compute; reflexivity].
  intros x H. apply second in H. cbn in H. repeat (destruct H as [<-|H]; [reflexivity|]).
  destruct H.
Qed.
