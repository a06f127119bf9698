(** * A fetch that misses: lemma 7 of docs/proofs.md, section 15, asks for nothing that cannot be

    It begins in cycle 0, its line is there 3 cycles later, and one more passes until the first issue. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Fetch.
Import ListNotations.

Definition one_fetch : fetching := Fetching [0] (fun _ => 0) (fun _ => 0) (fun _ => 4) (fun _ => true).

Example fetch_runs : fetches_ok one_fetch 1 3 1.
Proof.
  constructor.
  - intros r t [<-|[]]. cbn. lia.
  - intros r [<-|[]]. right. exists 0. cbn. intuition lia.
Qed.

(** A miss of 3 cycles, a fetch of 1, and one that may wait for its turn: 5, or 4 where none does.  There are 4. *)
Example fetch_waits : cnt (waiting one_fetch) 9 = 4 /\ cnt (waiting one_fetch) 9 <= 1 * 3 + 1 * 1 + 1 / 1.
Proof. split; [reflexivity|]. apply (waiting_time one_fetch 1 3 1 fetch_runs). lia. Qed.
