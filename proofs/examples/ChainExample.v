(** * K-CHAIN of a grid: three thread blocks, two slots, two sub-cores

    Each thread block has a warp in each sub-core, with one instruction of 3 cycles and latency 2 on
    a unit of its own.  K-SM adds up both sub-cores; K-CHAIN the busier one and an extra. *)

From Warpbound Require Import Base Cycles Largest Formulas Model Elb Paths Checks CheckFast
  CheckGrid ChainWalk ChainWork ChainSlot ChainBlock ChainTurns ChainFormulas ChainBalance ChainArea
  Ledger Grid Stay GridLedger Kernel ChainGrid ChainKind Chain.

Definition on_unit (f : nat) : instr := Instr f 3 2 [] 0.
Definition pick (l : list nat) (b : nat) : nat := nth b l 0.

(** Warps 0, 2, 4 are in sub-core 0, the others in sub-core 1; warps 2 b and 2 b + 1 are thread
    block b's. *)
Definition grid2 : grid := Grid 3 1 2 1 0
  (fun _ => Machine (fun _ => 1) (Some 0) 1 (pick [0; 1; 0; 1; 0; 1]) (pick [0; 0; 1; 1; 2; 2])
    (fun _ => 0)) (fun _ => [[on_unit 0]; [on_unit 1]; [on_unit 0]; [on_unit 1]; [on_unit 0];
    [on_unit 1]]).

Definition own_unit (f : nat) : option nat := if f <? 2 then Some f else None.

(** Thread blocks 0 and 1 begin at once; 2 takes the slot of 0 when this has ended. *)
Definition run2 : execution :=
  let t := fun x => pick [0; 0; 3; 3; 6; 6] (fst x) in
  Execution (fun _ => Schedule t t (fun _ => 3) (fun _ => 2) (fun _ _ => 0) (pick [0; 0; 6]))
    (fun _ => 0) (pick [0; 1; 0]) (fun b => b) (pick [0; 0; 5]) (fun _ => 0) (pick [5; 8; 11]).

Ltac three b H := destruct b as [|[|[|b]]]; [| | |cbn in H; lia].

Lemma key2 i x : In x (keys (prog grid2 i)) -> exists w, w < 6 /\ x = (w, 0).
Proof.
  intros Hx. cbn in Hx. repeat (destruct Hx as [<-|Hx]; [eexists; split; [|reflexivity]; lia|]).
  destruct Hx.
Qed.

Ltac six w H := destruct w as [|[|[|[|[|[|w]]]]]]; [| | | | | |lia].

Example run2_valid : grid_valid grid2 run2.
Proof. apply grid_valid_ok; [vm_compute; reflexivity|intros; cbn; lia]. Qed.

Example run2_dynamic : goes_anywhere grid2 run2.
Proof. apply anywhere_ok. vm_compute. reflexivity. Qed.

Definition kind2 (b : nat) : chain_kind :=
  let m := mach grid2 0 in let p := prog grid2 0 in
  chain_of m p own_unit 2 (lamI p m) (turnsI p m) (fun y => sec (get p y)) 1 b.

(** W = 3 and an extra of 3 of E = 6; own = lam = 2; chg = 1. *)
Example kinds2 : map kind2 [0; 1; 2] = [Chain 3 [3] 6 2 2 1; Chain 3 [3] 6 2 2 1;
  Chain 3 [3] 6 2 2 1].
Proof. vm_compute. reflexivity. Qed.

Example ready2 i : i < sms grid2 -> machine_ok (mach grid2 i) /\ wf (prog grid2 i).
Proof. intros _. split; [split; intros; cbn; lia|apply wf_fast_ok; reflexivity]. Qed.

(** It ends at 11; K-CHAIN says 17, K-SM with alpha = solo = E + lam 23. *)
Example bounds2 : (k_chain 1 2 1 (map kind2 [0; 1; 2]),
  k_sm 1 2 1 (map (fun b => plain (kind2 b)) [0; 1; 2])) = (17, 23).
Proof. vm_compute. reflexivity. Qed.

(** K-CHAIN bounds the example by 17 cycles. *)
Example ends2 b : b < 3 -> ended run2 b <= 17.
Proof.
  intros Hb. pose proof (ready2 0 (le_n _)) as [_ W].
  assert (k_chain (sms grid2) (slots grid2) (latency grid2) (map kind2 (seq 0 (blocks grid2)))
    + service grid2 * blocks grid2 = 17) as <- by (vm_compute; reflexivity).
  apply (k_chain_grid grid2 run2 kind2 (fun _ => lamI (prog grid2 0) (mach grid2 0)) (fun _ =>
    turnsI (prog grid2 0) (mach grid2 0)) (fun _ y => sec (get (prog grid2 0) y)) (fun _ =>
    1) (fun _ => own_unit) 2 ready2 run2_valid).
  - intros i _. apply (lamI_cert _ (mach grid2 0) W).
  - intros i _. apply (turnsI_cert (prog grid2 0) (mach grid2 0)).
  - intros i y _ Hy _. apply key2 in Hy as [w [Hw ->]]. right. six w Hw; reflexivity.
  - intros i f c. unfold own_unit.
    destruct (Nat.ltb_spec f 2); [intros E; inversion E; lia|discriminate].
  - intros i y _ Hy. apply key2 in Hy as [w [Hw ->]]. six w Hw; cbn; lia.
  - intros i u v _ _ _ _ H. exact H.
  - intros c _. apply (chain_of_amounts (mach grid2 0) (prog grid2 0)).
  - exact run2_dynamic.
  - cbn. lia.
  - exact Hb.
Qed.
