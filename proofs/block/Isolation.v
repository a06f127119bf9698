(** * A section in isolation: the graph [G_s(w)] of docs/proofs.md, section 1 *)

From Warpbound Require Import Base Cycles Model.

(** [G_s(w)]: the times of the nodes I(k) and D(k), counted from the start of the
    section, are at least what every edge asks for.  At a finite depth of 1 or more the
    previous own instruction on the unit has to have started before the issue. *)
Definition iso_edges (b : block) (m : machine) (iI iD : key -> nat) : Prop :=
  forall w k, In (w, k) (keys b) ->
    (forall j, k = S j -> sec (get b (w, j)) = sec (get b (w, k)) ->
       iI (w, j) + takes (get b (w, j)) <= iI (w, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = sec (get b (w, k)) ->
       iD (w, p) + init (get b (w, p)) + lat (get b (w, p)) <= iI (w, k))
    /\ iI (w, k) <= iD (w, k)
    /\ (forall o, o < k -> sec (get b (w, o)) = sec (get b (w, k)) ->
       fu (get b (w, o)) = fu (get b (w, k)) ->
       iD (w, o) + init (get b (w, o)) <= iD (w, k)
       /\ match depth m with
          | None => True
          | Some 0 => iD (w, o) + init (get b (w, o)) <= iI (w, k)
          | Some (S _) => iD (w, o) <= iI (w, k)
          end).

(** Warp [w] has an instruction on [f] in section [q]. *)
Definition uses (b : block) (w q f : nat) : bool :=
  existsb (fun x => (fst x =? w) && (sec (get b x) =? q) && on b f x) (keys b).
