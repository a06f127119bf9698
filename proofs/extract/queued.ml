(* The sets of units with which FIFO (proofs/extract/Queues.v) is the least. *)

open Extracted

(* All sets among those of a list. *)
let rec sets_of = function
  | [] -> [ [] ]
  | f :: rest -> let others = sets_of rest in others @ List.map (fun set -> f :: set) others

(* For each warp and section the best of all sets of units that it uses there. *)
let best_sets (machine : machine) block =
  let best = Hashtbl.create 16 in
  let find w warp q =
    let used = List.sort_uniq compare (List.filter_map (fun i -> if i.sec = q && i.init > 0 then Some i.fu else None) warp) in
    let queues = queues machine block w q in
    let term set = warp_term machine block w q queues (fun f -> List.mem f set) in
    let least (time, set) other = let t = term other in if t < time then (t, other) else (time, set) in
    Hashtbl.replace best (w, q) (Stdlib.snd (List.fold_left least (max_int, []) (sets_of used))) in
  let last = List.fold_left (List.fold_left (fun most i -> Stdlib.max most i.sec)) 0 block in
  for q = 0 to last do List.iteri (fun w warp -> find w warp q) block done;
  fun w q f -> List.mem f (Option.value (Hashtbl.find_opt best (w, q)) ~default:[])
