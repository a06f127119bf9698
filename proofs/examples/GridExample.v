(** * An execution of a grid that keeps the rules: they are not contradictory

    Three thread blocks of one instruction, A(3,2), on two SMs with one slot each; the dispatcher
    takes a cycle for each, and up to one more before a slot that was used. *)

From Warpbound Require Import Base Cycles Largest Formulas Model Elb Paths Checks CheckFast
  CheckGrid Ledger Grid Stay GridLedger Kernel Halves Kernels.

Definition A : instr := Instr 0 3 2 [] 0.
Definition pick (l : list nat) (b : nat) : nat := nth b l 0.

Definition grid3 : grid := Grid 3 2 1 1 1
  (fun i => Machine (fun _ => 1) (Some 0) 1 (fun _ => 0)
    (fun w => if i =? 0 then pick [0; 2] w else 1) (fun _ => 0))
  (fun i => if i =? 0 then [[A]; [A]] else [[A]]).

(** Thread block 0 goes to SM 0, 1 to SM 1, and 2 to SM 0 when 0 has ended. *)
Definition run3 : execution :=
  let starts := [1; 2; 8] in
  Execution
    (fun i => let t := fun x => pick starts (if i =? 0 then pick [0; 2] (fst x) else 1) in
      Schedule t t (fun _ => 3) (fun _ => 2) (fun _ _ => 0) (pick starts))
    (pick [0; 1; 0]) (fun _ => 0) (fun b => b)
    (pick [0; 1; 6]) (fun _ => 1) (pick [6; 7; 13]).

Ltac three b H := destruct b as [|[|[|b]]]; [| | |cbn in H; lia].

Lemma key3 i x : i < 2 -> In x (keys (prog grid3 i)) -> x = (0, 0) \/ i = 0 /\ x = (1, 0).
Proof. intros H Hx. destruct i as [|[|i]]; [| |lia]; cbn in Hx; intuition congruence. Qed.

Example run3_valid : grid_valid grid3 run3.
Proof. apply grid_valid_ok; [vm_compute; reflexivity|intros; cbn; lia]. Qed.

Example run3_dynamic : goes_anywhere grid3 run3.
Proof. apply anywhere_ok. vm_compute. reflexivity. Qed.

(** E = 3, lam = 2; alpha and solo by theorem 2. *)
Definition kind3 : kind := Kind 3 2 5 5.
Definition none : nat -> key -> nat := fun _ _ => 0.

Example ready3 i : i < 2 -> machine_ok (mach grid3 i) /\ wf (prog grid3 i).
Proof.
  intros Hi. split; [split; intros; cbn; lia|]. apply wf_fast_ok.
  destruct i as [|[|i]]; [| |lia]; reflexivity.
Qed.

Example cert3 i : i < 2 -> lam_cert (mach grid3 i) (prog grid3 i) (none i).
Proof.
  intros Hi w k H. assert (get (prog grid3 i) (w, k) = A) as ->.
  { apply key3 in H as [E|[-> E]]; [|inversion E; reflexivity|exact Hi].
    inversion E. destruct i as [|[|i]]; [| |lia]; reflexivity. }
  split; [auto|]. split; [intros p []|]. intros y Hy _ Hs. cbn. lia.
Qed.

Example amounts3 : amounts_of grid3 run3 (fun _ => kind3) none.
Proof.
  intros b Hb. cbn in Hb. set (i := sm_of run3 b).
  assert (i < 2) as Hi by (unfold i; three b Hb; cbn; lia).
  assert (sum (fun x => if group (mach grid3 i) (fst x) =? b then init (get (prog grid3 i) x) else
    0) (keys (prog grid3 i)) <= 3) as HE by (unfold i; three b Hb; vm_compute; lia).
  assert (forall x, of (mach grid3 i) (prog grid3 i) b x -> none i x + lat (get (prog grid3 i) x)
    <= 2) as Hl.
  { intros x [Hx _]. apply key3 in Hx as [->|[E ->]]; [| |exact Hi];
      [unfold i; three b Hb; vm_compute; lia|rewrite E; vm_compute; lia]. }
  destruct (ready3 i Hi) as [M W]. constructor; cbn [kE kL kA kS kind3]; [exact HE|exact Hl| |].
  - apply (stay_elb _ _ b (none i) 3 2 M W (cert3 i Hi) HE Hl).
  - apply (solo_elb _ _ b (none i) 3 2 M W (cert3 i Hi) HE Hl).
Qed.

(** It ends at 13; the bounds are 14, 14 and 14. *)
Example bounds3 : map (fun f : nat -> nat -> nat -> list kind -> nat =>
  f 2 1 1 [kind3; kind3; kind3] + 1 * 3) [k_sm; k_area; k_bal] = [14; 14; 14].
Proof. vm_compute. reflexivity. Qed.

(** K-SM bounds the example by 14 cycles. *)
Example ends3 b : b < 3 -> ended run3 b <= 14.
Proof.
  intros Hb. apply (k_sm_bound grid3 run3 _ none ready3 run3_valid cert3 amounts3 run3_dynamic b);
    [cbn; lia|exact Hb].
Qed.

(** As the dispatch happened, and as it is extracted: of SM 0 14 *)
Example ends3_static b : b < 3 -> ended run3 b <= 14.
Proof.
  intros Hb. pose proof (k_sm_static_bound grid3 run3 _ none ready3 run3_valid cert3 amounts3 b Hb).
  pose proof (sm_static_ok grid3 run3 (fun _ => kind3) (sm_of run3 b) (le_n _)) as H1.
  etransitivity; [eassumption|]. three b Hb; vm_compute; lia.
Qed.

(** The extracted programs compute K-SM, K-AREA and K-BAL, and the search by halves finds it. *)
Example fast3 : let kinds := [kind3; kind3; kind3] in
  (k_sm_fast 2 1 1 kinds, k_area_fast 2 1 1 kinds, k_bal_fast 2 1 1 kinds)
    = (k_sm 2 1 1 kinds, k_area 2 1 1 kinds, k_bal 2 1 1 kinds)
  /\ k_bal_halves 2 1 1 kinds Nat.ltb = k_bal 2 1 1 kinds.
Proof.
  cbv zeta. assert (forall k, In k [kind3; kind3; kind3] -> kA k <= kE k + kL k
    /\ kS k <= kE k + kL k) as H by (cbn; intuition subst; cbn; lia).
  rewrite k_sm_fast_ok, k_area_fast_ok, k_bal_fast_ok, k_bal_halves_ok by auto. auto.
Qed.

(** A certificate: one kind of thread block, three of it. *)
From Warpbound Require Import Copies CheckKernel.
Definition class3 : class := Class [[A]] [[0]] 3.

Example made3 : made_of grid3 run3 (fun _ => 0) [class3] (fun _ _ => (0, 0)).
Proof.
  split; [reflexivity|]. intros b Hb. cbn in Hb.
  assert (nth b (listed [class3]) no_class = class3) as -> by (three b Hb; reflexivity).
  cbn [paths class3]. set (i := sm_of run3 b).
  assert (i < 2) as Hi by (unfold i; three b Hb; cbn; lia).
  assert (forall x, of (mach grid3 i) (prog grid3 i) b x -> x = (if b =? 2 then 1 else 0, 0))
    as One.
  { intros x [Hx Hg]. apply key3 in Hx as [->|[E ->]]; [| |exact Hi];
      [unfold i in Hg; three b Hb; cbn in Hg; try lia; reflexivity|].
    rewrite E in Hg. cbn in Hg. subst b. reflexivity. }
  assert (forall x, of (mach grid3 i) (prog grid3 i) b x -> get (prog grid3 i) x = A) as IsA.
  { intros x Hx. rewrite (One x Hx). unfold i. three b Hb; reflexivity. }
  constructor.
  - intros x _. cbn. auto.
  - intros x y Hx Hy _. rewrite (One x Hx), (One y Hy). reflexivity.
  - intros x Hx. rewrite (IsA x Hx). cbn. lia.
  - intros w k Hx. apply One in Hx. discriminate.
  - intros w k q Hx Hq. rewrite (IsA _ Hx) in Hq. destruct Hq.
  - intros x y Hx Hy Hs. rewrite (IsA x Hx), (IsA y Hy) in Hs. cbn in Hs. lia.
Qed.

Example check3 : kernel_claim (fun _ => 0) K_BAL 2 1 1 1 [class3] 14 = true. Proof. vm_compute.
  reflexivity. Qed.
Example forged3 : kernel_claim (fun _ => 0) K_BAL 2 1 1 1 [class3] 13 = false. Proof. vm_compute.
  reflexivity. Qed.

(** A checked certificate of K-BAL bounds the example by 14 cycles. *)
Example certified3 b : b < 3 -> ended run3 b <= 14.
Proof.
  apply (kernel_claim_ok _ _ _ _ _ _ _ _ check3 grid3 run3 (fun _ _ => (0, 0)) eq_refl eq_refl
    eq_refl eq_refl ready3 run3_valid run3_dynamic); [cbn; lia|exact made3].
Qed.
