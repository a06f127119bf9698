(** * K-CHAIN of the grid of ChainExample.v from its thread blocks as they are written

    Thread block 1 is on a slot that calls the two sub-cores the other way round. *)

From Coq Require Import List Arith Lia Bool Permutation.
From Warpbound Require Import Isolation IsolationPaths Bounds StayCopies SibCopies Cycles Largest
  Formulas Model Elb Paths CheckSchedule ChainWalk ChainSlot ChainTurns ChainFormulas ChainBalance
  ChainArea Grid Stay Copies SoloCopies KernelCopies Kernel ChainKind Chain ChainCopies
  ChainExample.
Import ListNotations.

Definition written2 : block := [[on_unit 0]; [on_unit 1]].
Definition by_itself2 : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => w) (fun _ => 0)
  (fun _ => 0).
Definition warp2 (b w : nat) : nat := if b =? 1 then 3 - w else w - 2 * b.
Definition turned2 (b c : nat) : nat := if b =? 1 then 1 - c else c.

Lemma of2 b x : b < 3 -> of (mach grid2 0) (prog grid2 0) b x -> x = (2 * b, 0) \/
  x = (2 * b + 1, 0).
Proof.
  intros Hb [H G]. apply key2 in H as [w [Hw ->]].
  three b Hb; six w Hw; cbn in *; auto; discriminate.
Qed.

Ltac each2 b Hb H := apply (of2 b) in H; [|exact Hb]; three b Hb; destruct H as [H|H]; inversion H;
  subst; clear H.

Example copies2 b : b < 3 -> renamed written2 by_itself2 (mach grid2 0) (prog grid2 0) b (warp2 b)
  (turned2 b) (turned2 b).
Proof.
  intros Hb. constructor; try reflexivity.
  - intros w k H. each2 b Hb H; cbn; auto.
  - intros v k H. cbn in H. exists (if b =? 1 then 3 - v else v + 2 * b).
    three b Hb; destruct H as [H|[H|[]]]; inversion H; subst;
      (split; [split; cbn; auto 10|reflexivity]).
  - intros w v k Hw Hv E. apply (of2 b) in Hw, Hv; auto.
    three b Hb; destruct Hw as [Hw|Hw], Hv as [Hv|Hv]; inversion Hw; inversion Hv; subst;
      cbn in E; congruence.
  - intros w k H. each2 b Hb H; cbn; auto 10.
  - intros x y Hx Hy. apply (of2 b) in Hx, Hy; auto.
    three b Hb; destruct Hx as [-> | ->], Hy as [-> | ->]; cbn; congruence.
  - intros x Hx. each2 b Hb Hx; reflexivity.
  - intros x y Hx Hy. apply (of2 b) in Hx, Hy; auto.
    three b Hb; destruct Hx as [-> | ->], Hy as [-> | ->]; cbn; congruence.
Qed.

Definition fine2 : nat -> chain_kind :=
  fine_chain (fun _ => written2) (fun _ => by_itself2) (fun _ => own_unit) 2 (fun _ =>
    lamI written2 by_itself2) (fun _ => turnsI written2 by_itself2).

(** As ChainExample.v has them on the SM. *)
Example fine_kinds2 : map fine2 [0; 1; 2] = map kind2 [0; 1; 2].
Proof. vm_compute. reflexivity. Qed.

(** Thread blocks as they are written give 17 cycles. *)
Example ends2_written b : b < 3 -> ended run2 b <= 17.
Proof.
  intros Hb. assert (k_chain_of grid2 run2 fine2 0 + service grid2 * blocks grid2 = 17)
    as <- by (vm_compute; reflexivity). assert (ended run2 b
    <= min (k_chain_of grid2 run2 fine2 (sm_of run2 b))
    (k_chain_of grid2 run2 (coarse_chain (fun _ => written2) (fun _ => by_itself2) (fun _ =>
    own_unit) 2 (fun _ => lamI written2 by_itself2) (fun _ => turnsI written2 by_itself2))
    (sm_of run2 b)) + service grid2 * blocks grid2) as H.
  { apply (k_chain_static_copies grid2 run2) with (wr := warp2) (un := turned2) (co := turned2)
      (home := fun _ => own_unit); auto.
    - exact ready2.
    - exact run2_valid.
    - exact copies2.
    - intros i y _ Hy _. apply key2 in Hy as [w [Hw ->]]. right. six w Hw; reflexivity.
    - intros i f c. unfold own_unit.
      destruct (Nat.ltb_spec f 2); [intros E; inversion E; lia|discriminate].
    - intros c x Hc H. cbn in Hc. each2 c Hc H; reflexivity.
    - intros c Hc. cbn in Hc.
      three c Hc; [apply Permutation_refl|apply perm_swap|apply Permutation_refl].
    - intros c _. apply (lamI_cert written2 (by_itself (release by_itself2))). apply wf_ok.
      reflexivity.
    - intros c _. apply turnsI_cert. }
  change (sm_of run2 b) with 0 in H. lia.
Qed.

(** The same with SIB in coarse sums. *)
Notation iso2 := (isoD_at written2 by_itself2).
Definition sib2 : nat -> chain_kind :=
  sib_chain (fun _ => written2) (fun _ => by_itself2) (fun _ => own_unit) 2 (fun _ =>
    lamI written2 by_itself2) (fun _ => turnsI written2 by_itself2) (fun _ =>
    iso2) (fun _ _ => false).

(** With SIB in coarse sums the bound is 17 cycles, too. *)
Example ends2_sib b : b < 3 -> ended run2 b <= 17.
Proof.
  intros Hb. assert (k_chain_of grid2 run2 fine2 0 + service grid2 * blocks grid2 = 17)
    as <- by (vm_compute; reflexivity). assert (ended run2 b
    <= min (k_chain_of grid2 run2 fine2 (sm_of run2 b)) (k_chain_of grid2 run2 sib2 (sm_of run2 b))
    + service grid2 * blocks grid2) as H.
  { apply (k_chain_static_sib grid2 run2) with (wr := warp2) (un := turned2) (co := turned2)
      (home := fun _ => own_unit) (iI := fun _ => isoI_at written2 by_itself2); auto.
    - exact ready2.
    - exact run2_valid.
    - exact copies2.
    - intros i y _ Hy _. apply key2 in Hy as [w [Hw ->]]. right. six w Hw; reflexivity.
    - intros i f c. unfold own_unit.
      destruct (Nat.ltb_spec f 2); [intros E; inversion E; lia|discriminate].
    - intros c x Hc H. cbn in Hc. each2 c Hc H; reflexivity.
    - intros c Hc. cbn in Hc.
      three c Hc; [apply Permutation_refl|apply perm_swap|apply Permutation_refl].
    - intros c _. apply (lamI_cert written2 (by_itself (release by_itself2))). apply wf_ok.
      reflexivity.
    - intros c _. apply turnsI_cert.
    - intros c _. apply iso_at_edges, wf_ok. reflexivity.
    - intros c Hc x z Hx Hz Fu Co. exfalso. cbn in Hc. apply key2 in Hz as [w [Hw ->]].
      apply (of2 c) in Hx; [|exact Hc]; three c Hc; destruct Hx as [-> | ->]; six w Hw; cbn in Fu,
        Co; lia. }
  change (sm_of run2 b) with 0 in H. lia.
Qed.
