(** * Numbers in what is extracted

    Natural numbers become OCaml's 63-bit integers.  Every operation that can leave
    their range is one of checked.ml, which raises [Overflow] where it does: a
    number that comes out is the one that is meant. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Warpbound Require Import Base.

Extract Inductive nat => "int" ["0" "Checked.succ"]
  "(fun zero succ n -> if n = 0 then zero () else succ (n - 1))".

(* Twice: statements name those of the prelude by notations, Nat.max and the like those of the
    library. *)
Extract Constant Init.Nat.add => "Checked.add".
Extract Constant Init.Nat.mul => "Checked.mul".
Extract Constant Init.Nat.sub => "Checked.sub".
Extract Constant Init.Nat.max => "Checked.max".
Extract Constant Init.Nat.min => "Checked.min".
Extract Constant Init.Nat.div => "Checked.div".
Extract Constant Init.Nat.pred => "Checked.pred".
Extract Constant Init.Nat.eqb => "Checked.equal".
Extract Constant Init.Nat.leb => "Checked.at_most".
Extract Constant Init.Nat.ltb => "Checked.less".
Extract Constant Nat.add => "Checked.add".
Extract Constant Nat.mul => "Checked.mul".
Extract Constant Nat.div => "Checked.div".
Extract Constant Nat.sub => "Checked.sub".
Extract Constant Nat.pred => "Checked.pred".
Extract Constant Nat.max => "Checked.max".
Extract Constant Nat.min => "Checked.min".
Extract Constant Nat.eqb => "Checked.equal".
Extract Constant Nat.leb => "Checked.at_most".
Extract Constant Nat.ltb => "Checked.less".
Extract Constant Nat.eq_dec => "Checked.equal".
Extract Constant Nat.compare =>
  "(fun (n : int) (m : int) -> if n = m then Eq else if n < m then Lt else Gt)".
