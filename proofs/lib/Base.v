(** * What every file needs of Coq's library *)

From Coq Require Export List Arith Lia Bool.
Export ListNotations.
