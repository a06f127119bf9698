(** * Theorem 4a of docs/machine-code-bounds.md, on an example

    Two instructions of one line, which the first one misses for 5 cycles, and the L1 behind it for
    2: the second one states no miss. *)

From Warpbound Require Import Base CodeMachine CodeCold.

Definition pair : block := [[Instr 1 1 7 0 true [] None 0 None 0 [] false 0;
  Instr 1 1 0 0 true [] None 0 None 0 [] false 0]].
Definition plain : machine :=
  Machine (fun _ => None) (fun _ => 0) true (fun u => u) (fun _ => false) (fun _ => 0) 0.
Definition one_line : lines := Lines (fun _ => 0) (fun _ => [0]) (fun _ => None) (fun _ => 5)
  (fun _ => 2) (fun _ => 0) 0.
Definition filled : caches := Caches (fun _ _ => 7) (fun _ => 2) (fun _ _ => 0).

Definition at_ (x : key) : nat := 7 + snd x.
Definition cold_run : schedule := Schedule at_ at_ at_ at_ at_ (fun x _ => at_ x) (fun _ _ => 0)
  (fun _ _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => 1) (fun _ => 0) (fun g q => match g, q with 0,
  S _ => 9 | _, _ => 0 end).

Lemma pair_keys x : In x (keys pair) -> x = (0, 0) \/ x = (0, 1).
Proof. simpl. intuition auto. Qed.

Lemma no_stage x i u : ~ at_stage pair x i u.
Proof. intros [Hx [Hi _]]. destruct (pair_keys x Hx) as [->| ->]; cbn in Hi; lia. Qed.

Ltac a_key := match goal with H : In _ (keys pair) |- _ =>
  let Q := fresh in destruct (pair_keys _ H) as [Q|Q]; clear H;
    first [discriminate Q | injection Q as; subst | subst] end.
Ltac each_case := intros; try match goal with H : at_stage pair _ _ _ |- _ =>
  destruct (no_stage _ _ _ H) end;
  repeat a_key; cbn in *; try discriminate; try lia.

Lemma pair_wf : wf plain pair.
Proof. split; each_case. destruct H as [_ [x [i [H _]]]]. destruct (no_stage _ _ _ H). Qed.

Lemma pair_states : states_misses plain pair one_line (fun _ => 0) (fun _ => 0) (fun _ => 1).
Proof. split; each_case. Qed.

Lemma pair_cold : keeps_lines plain pair one_line cold_run filled (fun _ => 0) (fun _ => 0)
  (fun _ => 1).
Proof. split; each_case; cbn [there there_behind filled] in *; lia. Qed.

(** The execution with a cold instruction cache keeps the rules of the machine. *)
Theorem cold_run_valid : valid plain pair cold_run.
Proof.
  apply (cold_valid plain pair one_line cold_run filled (fun _ => 0) (fun _ => 0) (fun _ => 1)
    pair_wf pair_states pair_cold); try solve [each_case]. intros Pace Pace0 Chosen Slot.
  split; try assumption; try solve [each_case].
  - intros w k t Hk [Ht [HN _]]. repeat a_key; cbn in Ht, HN; unfold at_ in *; cbn in *; lia.
  - intros g q n HI _ Hq. destruct g, q as [|q]; cbn in *; try lia; specialize (HI (0, 1));
      cbn in HI; unfold at_ in HI; cbn in HI; specialize (HI ltac:(tauto) eq_refl ltac:(lia)); lia.
  - intros g q. destruct g, q; cbn; lia.
Qed.
