(** * Two instructions of a warp in a cycle *)

From Warpbound Require Import Base Cycles Model Checks CheckFast Elb ElbTurns Paths.

(** A(1,0) and B(1,2) on two units, issued together, and C(1,0), which waits for B. *)
Definition pair_then : block := [[Instr 0 1 0 [] 0; Instr 1 1 2 [] 0; Instr 0 1 0 [1] 0]].
Definition one_core : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun _ => 0)
  (fun _ => 0).
Definition begins (x : key) : nat := if snd x <? 2 then 0 else 3.
Definition together : schedule :=
  Schedule begins begins (fun x => init (get pair_then x)) (fun x => lat (get pair_then x))
    (fun _ _ => 0) (fun _ => 0).

Lemma keys3 x : In x (keys pair_then) -> x = (0, 0) \/ x = (0, 1) \/ x = (0, 2).
Proof. cbn. intuition congruence. Qed.

Example together_valid : turns_valid 2 one_core pair_then together.
Proof.
  constructor.
  - intros x Hx. apply keys3 in Hx. intuition subst; cbn; lia.
  - intros x Hx. apply keys3 in Hx. intuition subst; cbn; lia.
  - cbn. lia.
  - intros x Hx. cbn. lia.
  - intros w k H. apply keys3 in H. destruct H as [H|[H|H]]; inversion H; subst; cbn; lia.
  - intros w i j H L _ _. apply keys3 in H. destruct H as [H|[H|H]]; inversion H; subst; [lia| |].
    + destruct i as [|i]; [cbn; lia|lia].
    + destruct i as [|[|i]]; [cbn; lia|cbn; lia|lia].
  - intros w k q H Hq. apply keys3 in H.
    destruct H as [H|[H|H]]; inversion H; subst; cbn in Hq; intuition subst; cbn; lia.
  - intros x Hx. apply le_n.
  - intros f t. destruct f as [|[|f]], t as [|[|[|[|t]]]]; cbn; lia.
  - intros x y Hx Hy _ L. cbn in *. lia.
  - intros x t Hx Wx. exfalso. unfold waits in Wx. cbn [I D together] in Wx.
    rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in Wx. lia.
  - intros f t. destruct f as [|[|f]], t as [|[|[|[|t]]]]; cbn; lia.
  - intros c t. unfold n_turns. cbn [length seq filter pair_then]. destruct (_ && _); cbn; lia.
  - intros w k t H [E1 [_ [_ [E4 _]]]]. exfalso. apply keys3 in H.
    destruct H as [H|[H|H]]; inversion H; subst; cbn in E1; try lia.
    specialize (E4 1 (or_introl eq_refl)). cbn in E4. lia.
  - intros x y Hx Hy _ L. exfalso. apply keys3 in Hx, Hy. intuition subst; cbn in L; lia.
  - intros w k H Z. exfalso. apply keys3 in H.
    destruct H as [H|[H|H]]; inversion H; subst; discriminate.
Qed.

(** ELB is 3 + 2; it ends at 4. *)
Example together_ends x : In x (keys pair_then) -> C together x <= 5.
Proof.
  intros Hx. change 5 with (begin together (group one_core (fst x)) + E pair_then
    + top pair_then (lamI pair_then one_core)).
  assert (wf pair_then) as W by (apply wf_fast_ok; reflexivity).
  apply (turns_elb 2); [split; cbn; lia|exact W|exact together_valid|apply lamI_cert, W|exact Hx].
Qed.

(** No more than lam = 2 cycles of it are idle. *)
Theorem together_idle x : In x (keys pair_then) ->
  cnt (idle_from pair_then together 0) (C together x) <= 2.
Proof.
  intros Hx. assert (wf pair_then) as W by (apply wf_fast_ok; reflexivity).
  pose proof (turns_idle 2 one_core pair_then together (lamI pair_then one_core) x
    (conj (fun _ => le_n _) (le_n _)) W together_valid (lamI_cert _ _ W) Hx) as H.
  etransitivity; [exact H|]. apply keys3 in Hx. intuition subst; vm_compute; lia.
Qed.
