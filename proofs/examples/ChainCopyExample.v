(** * K-CHAIN of the grid of ChainExample.v from its thread blocks as they are written

    Thread block 1 is on a slot that calls the two sub-cores the other way round. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Isolation IsolationPaths Bounds StayCopies SibCopies Cycles
  Largest Formulas Model Elb Paths Checks CheckFast ChainWalk ChainSlot ChainTurns ChainFormulas
  ChainBalance ChainArea Grid Stay Copies SoloCopies KernelCopies SoloBounds Kernel ChainKind Chain
  ChainCopies ChainExample.

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

(** What the theorems ask for of sub-cores and units, and of the thread block as it is written *)
Lemma units2 i y : i < sms grid2 -> In y (keys (prog grid2 i)) ->
  1 <= init (get (prog grid2 i) y) ->
  reach own_unit (core (mach grid2 i) (fst y)) (fu (get (prog grid2 i) y)).
Proof. intros _ Hy _. apply key2 in Hy as [w [Hw ->]]. right. six w Hw; reflexivity. Qed.
Lemma cores2 (i : nat) f c : own_unit f = Some c -> c < 2.
Proof. unfold own_unit. destruct (Nat.ltb_spec f 2); [intros E; inversion E; lia|discriminate]. Qed.
Lemma homes2 b x : b < 3 -> of (mach grid2 (sm_of run2 b)) (prog grid2 (sm_of run2 b)) b x ->
  own_unit (fu (get written2 (there (warp2 b) x)))
  = option_map (turned2 b) (own_unit (fu (get (prog grid2 (sm_of run2 b)) x))).
Proof. intros Hb H. each2 b Hb H; reflexivity. Qed.
Lemma turns2 b : b < 3 -> Permutation (map (turned2 b) (seq 0 2)) (seq 0 2).
Proof. intros Hb. three b Hb; [apply Permutation_refl|apply perm_swap|apply Permutation_refl]. Qed.
Lemma written_wf : wf written2.
Proof. apply wf_fast_ok. reflexivity. Qed.
Lemma lam2 (b : nat) : b < 3 -> lam_cert (by_itself (release by_itself2)) written2
  (lamI written2 by_itself2).
Proof. intros _. apply (lamI_cert written2 (by_itself (release by_itself2))), written_wf. Qed.
Lemma changes2 (b : nat) : b < 3 -> turns_cert by_itself2 written2 (turnsI written2 by_itself2).
Proof. intros _. apply turnsI_cert. Qed.
Lemma depth2 i : i < 1 -> depth (mach grid2 i) = Some 0 \/ depth (mach grid2 i) = None.
Proof. auto. Qed.
Lemma edges2 (b : nat) : b < 3 -> iso_edges written2 by_itself2 (isoI_at written2 by_itself2)
  (isoD_at written2 by_itself2).
Proof. intros _. apply iso_at_edges, written_wf. Qed.
Lemma shares2 b : b < 3 -> shares_of written2 (mach grid2 (sm_of run2 b))
  (prog grid2 (sm_of run2 b)) b (warp2 b) (fun _ => false).
Proof.
  intros Hb x z Hx Hz Fu Co. exfalso. apply key2 in Hz as [w [Hw ->]].
  apply (of2 b) in Hx; [|exact Hb]; three b Hb; destruct Hx as [-> | ->]; six w Hw; cbn in Fu, Co;
    lia.
Qed.

Lemma full2 : blocks grid2 <= sms grid2 * slots grid2 -> dealt grid2 run2.
Proof. cbn. lia. Qed.

(** E = 6, lam = 2; alpha = 5 by SIB, solo = 5 by ALN or chains *)
Definition kind2_written (b : nat) : kind := Kind 6 2 5 5.
Lemma known2 b : b < 3 -> E written2 <= 6 /\ top written2 (lamI written2 by_itself2) <= 2
  /\ known_stay grid2 run2 (fun _ => written2) (fun _ => by_itself2) warp2
       (fun _ => lamI written2 by_itself2) b 5
  /\ known_solo (fun _ => written2) (fun _ => by_itself2) (fun _ => lamI written2 by_itself2) b 5.
Proof.
  intros Hb. split; [vm_compute; lia|]. split; [vm_compute; lia|]. split.
  - right. split; [auto|]. do 3 eexists. split; [apply (edges2 b Hb)|].
    split; [apply shares2, Hb|vm_compute; lia].
  - apply known_alone. assert (machine_ok by_itself2) as M by (split; cbn; lia).
    destruct (Nat.eq_dec b 0).
    + exact (alone_aln _ by_itself2 M written_wf (fun _ => eq_refl)).
    + apply (alone_chain written2 by_itself2 M written_wf (fun _ => eq_refl) own_unit 2
        (lamI written2 by_itself2)); [|apply (cores2 0)|apply (lamI_cert _ by_itself2 written_wf)].
      intros y Hy _. right. cbn in Hy. destruct Hy as [<-|[<-|[]]]; reflexivity.
Qed.

(** *** K-SM, K-AREA and K-BAL of thread blocks as they are written: it ends at 11, K-SM is 21. *)
Theorem ends2_kernel b : b < 3 -> ended run2 b <= 21.
Proof.
  intros Hb. destruct (kernel_of_copies grid2 run2 ready2 run2_valid _ _ _ _ _ copies2
    (fun _ => lamI written2 by_itself2) lam2 kind2_written known2 b run2_dynamic
    full2 Hb) as [H _].
  etransitivity; [exact H|]. vm_compute. lia.
Qed.

Definition fine2 : nat -> chain_kind :=
  fine_chain (fun _ => written2) (fun _ => by_itself2) (fun _ => own_unit) 2 (fun _ =>
    lamI written2 by_itself2) (fun _ => turnsI written2 by_itself2).
Definition coarse2 : nat -> chain_kind :=
  coarse_chain (fun _ => written2) (fun _ => by_itself2) (fun _ => own_unit) 2 (fun _ =>
    lamI written2 by_itself2) (fun _ => turnsI written2 by_itself2).

(** As ChainExample.v has them on the SM. *)
Example fine_kinds2 : map fine2 [0; 1; 2] = map kind2 [0; 1; 2].
Proof. vm_compute. reflexivity. Qed.

(** Thread blocks as they are written give 17 cycles. *)
Theorem ends2_written b : b < 3 -> ended run2 b <= 17.
Proof.
  intros Hb. pose proof (k_chain_static_copies grid2 run2 ready2 run2_valid _ _ _ _ _ copies2
    (fun _ => own_unit) (fun _ => own_unit) 2 units2 cores2 homes2 turns2 _ _ lam2 changes2 b Hb)
    as H.
  etransitivity; [exact H|]. vm_compute. lia.
Qed.

(** The same with SIB in coarse sums. *)
Notation iso2 := (isoD_at written2 by_itself2).
Definition sib2 : nat -> chain_kind :=
  sib_chain (fun _ => written2) (fun _ => by_itself2) (fun _ => own_unit) 2 (fun _ =>
    lamI written2 by_itself2) (fun _ => turnsI written2 by_itself2) (fun _ =>
    iso2) (fun _ _ => false).

(** With SIB in coarse sums the bound is 17 cycles, too. *)
Theorem ends2_sib b : b < 3 -> ended run2 b <= 17.
Proof.
  intros Hb. pose proof (k_chain_static_sib grid2 run2 ready2 run2_valid _ _ _ _ _ copies2
    (fun _ => own_unit) (fun _ => own_unit) 2 units2 cores2 homes2 turns2 _ _ lam2 changes2 depth2 _
    _ _ edges2 shares2 b Hb) as H.
  etransitivity; [exact H|]. vm_compute. lia.
Qed.

(** Dynamic dispatch: K-CHAIN, K-CHAIN-AREA and K-CHAIN-BAL *)
Theorem ends2_dynamic b : b < 3 -> ended run2 b <= 17.
Proof.
  intros Hb. pose proof (copies_amounts grid2 run2 ready2 run2_valid _ _ _ _ _ copies2
    (fun _ => lamI written2 by_itself2) lam2 kind2_written known2) as A.
  destruct (k_chain_copies grid2 run2 ready2 run2_valid _ _ _ _ _ copies2 (fun _ => own_unit)
    (fun _ => own_unit) 2 units2 cores2 homes2 turns2 _ _ lam2 changes2 kind2_written b A
    run2_dynamic full2 Hb) as [H _].
  pose proof (k_chain_sib grid2 run2 ready2 run2_valid _ _ _ _ _ copies2 (fun _ => own_unit)
    (fun _ => own_unit) 2 units2 cores2 homes2 turns2 _ _ lam2 changes2 depth2 _ _ _ edges2 shares2
    kind2_written b A run2_dynamic full2 Hb) as [H2 _].
  etransitivity; [exact (Nat.min_glb _ _ _ H H2)|]. vm_compute. lia.
Qed.

(** ** K-SERIAL of it: V is 5 of each thread block *)
From Warpbound Require Import Ledger Serial SerialPaths SerialGrid SerialChain.
Notation serial2 := (fun i => chain_to (mach grid2 i) (prog grid2 i)).
Notation last2 := (last_section (mach grid2 0) (prog grid2 0)).
Notation longest2 := (chain_of (mach grid2 0) (prog grid2 0)).

Lemma serial_sm2 i : i < 1 -> serial_sm (mach grid2 i) (prog grid2 i) own_unit [0; 1] (serial2 i).
Proof.
  intros Hi. constructor.
  - intros x Hx _. apply key2 in Hx as [w [Hw ->]]. six w Hw; reflexivity.
  - intros x Hx. apply key2 in Hx as [w [Hw ->]]. six w Hw; cbn; auto.
  - apply chain_cert, (ready2 i Hi).
Qed.
Lemma serial_amount2 c : c < 3 -> serial_amount (mach grid2 0) (prog grid2 0) own_unit [0; 1]
  (serial2 0) c (last2 c) (longest2 c) 5.
Proof. intros Hc. split; [apply chain_chains|]. three c Hc; vm_compute; lia. Qed.

(** As it was dispatched, by S_R, and by S'_R; it ends at 11. *)
Theorem ends2_serial b : b < 3 -> ended run2 b <= 16 /\ ended run2 b <= 16 /\ ended run2 b <= 16.
Proof.
  intros Hb. pose proof (copies_amounts grid2 run2 ready2 run2_valid _ _ _ _ _ copies2
    (fun _ => lamI written2 by_itself2) lam2 kind2_written known2) as A.
  destruct (chains_of_copies grid2 run2 ready2 run2_valid _ _ _ _ _ copies2 (fun _ => own_unit)
    (fun _ => own_unit) 2 units2 cores2 homes2 turns2 _ _ lam2 changes2 fine2 (or_introl eq_refl))
    as [Lg Ch].
  pose proof (k_serial_static_bound grid2 run2 ready2 run2_valid (fun _ => own_unit)
    (fun _ => [0; 1]) serial2 last2 longest2 (fun _ => 5) serial_sm2 serial_amount2 b Hb) as H1.
  pose proof (k_serial_bound grid2 run2 ready2 run2_valid (fun _ => own_unit) (fun _ => [0; 1])
    serial2 last2 longest2 (fun _ => 5) serial_sm2 serial_amount2 run2_dynamic kind2_written _
    (written_cert grid2 run2 ready2 run2_valid _ _ _ _ _ copies2 _ lam2) A b full2 Hb) as H2.
  pose proof (k_serial_chain_bound grid2 run2 (fun _ => own_unit) (fun _ => [0; 1]) serial2 last2
    longest2 (fun _ => 5) kind2_written _ fine2 b ready2 run2_valid serial_sm2 serial_amount2
    run2_dynamic full2 (written_cert grid2 run2 ready2 run2_valid _ _ _ _ _ copies2 _ lam2) A Lg Ch
    Hb) as H3.
  split; [|split].
  - etransitivity; [exact H1|vm_compute; lia].
  - etransitivity; [exact H2|vm_compute; lia].
  - etransitivity; [exact H3|vm_compute; lia].
Qed.
