(** * What checkers are made of *)

From Warpbound Require Import Base Cycles Model.

(** Every element satisfies [p]. *)
Definition all {A} (p : A -> bool) (l : list A) : bool := forallb p l.

Ltac unb := repeat match goal with
  | H : andb _ _ = true |- _ => apply andb_prop in H as [? H]
  | H : (_ =? _) = true |- _ => apply Nat.eqb_eq in H
  | H : (_ <=? _) = true |- _ => apply Nat.leb_le in H
  | H : (_ <? _) = true |- _ => apply Nat.ltb_lt in H
  end.

Lemma all_ok {A} (p : A -> bool) l : all p l = true -> forall x, In x l -> p x = true.
Proof. apply forallb_forall. Qed.

(** Implication that evaluates its conclusion only where it must. *)
Definition implb' (a b : bool) : bool := if a then b else true.

(** Numbers of instructions, from the lists of all warps. *)
Definition table (l : list (list nat)) (x : key) : nat := nth (snd x) (nth (fst x) l []) 0.
