(** * Serial times in polynomial time *)

From Warpbound Require Import Base Cycles Largest Model Paths Forward Compute Serial SerialPaths.

(** Chains found in one pass. *)
Definition chain_to_fast (m : machine) (p : block) : Table.t nat :=
  longest_paths (section_preds m p) (node_rank p) (origin p :: keys p).

(** V, as extracted. *)
Definition SERIAL_fast (m : machine) (p : block) (home : nat -> option nat) (cs : list nat)
  (g : nat) : nat :=
  let t := chain_to_fast m p in
  serial_time m p home cs (chain_by m p (found 0 t) g) (last_section m p g) g.

(** V with releases apart, as extracted. *)
Definition SERIAL_apart_fast (m : machine) (p : block) (home : nat -> option nat) (cs : list nat)
  (g : nat) : nat :=
  SERIAL_fast (at_once m) p home cs g + sum (released m) (seq 1 (last_section m p g)).

Lemma chain_to_fast_ok m p x : wf p -> In x (keys p) -> found 0 (chain_to_fast m p) x
  = chain_to m p x.
Proof.
  intros W Hx. apply (longest_paths_ok _ _ _ (S (enough p))); [| |right; exact Hx].
  - intros y e Hy He.
    assert (node p y) as Ny by (destruct Hy as [<-|Hy]; [right; reflexivity|left; exact Hy]).
    destruct (section_ranked m p W y e Ny He) as [[H| ->] H2]; (split; [|exact H2]);
      [right; exact H|left; reflexivity].
  - intros y Hy. apply (node_enough p). destruct Hy as [<-|Hy]; [right; reflexivity|left; exact Hy].
Qed.

(** The extracted V equals V. *)
Theorem SERIAL_fast_ok m p home cs g : wf p -> SERIAL_fast m p home cs g = SERIAL m p home cs g.
Proof.
  intros W. unfold SERIAL_fast, SERIAL, serial_time. apply sum_ext. intros q _. unfold section_time.
  f_equal. f_equal. apply map_ext. intros c. f_equal. unfold chain_of, chain_by. f_equal.
  apply map_ext_in. intros x Hx. unfold waits_by. rewrite (chain_to_fast_ok m p x W Hx).
  reflexivity.
Qed.

(** The extracted V with releases apart equals V with releases apart. *)
Theorem SERIAL_apart_fast_ok m p home cs g : wf p -> SERIAL_apart_fast m p home cs g
  = SERIAL_apart m p home cs g.
Proof.
  intros W. unfold SERIAL_apart_fast, SERIAL_apart. rewrite SERIAL_fast_ok by exact W. reflexivity.
Qed.
