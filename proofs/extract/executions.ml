(* Schedules as tables of times, of which the checker [valid_b] of proofs/check/CheckSchedule.v is asked. *)

open Extracted

type times = { issue : int; start : int; free : int; ready : int }

exception Unordered

(* The instructions without a unit are in no schedule of the library: each executes as soon as nothing holds it.
   [table] has the times of the others; [starts] says when thread blocks start, for whom 0 is too early. *)
let at_once _ = 0
let add_instant ?(starts = at_once) (machine : machine) block table =
  let known (w, k) = match table.(w).(k) with Some t -> t | None -> raise Unordered in
  let all = List.map (fun x -> (x, get block x)) (keys block) in
  let issued x i = Checked.add (known x).issue (Stdlib.min 1 i.init) in
  let released (w, here) =
    let before ((v, _), i) = machine.group v = machine.group w && i.sec < here in
    let one most (x, i) = Stdlib.max most (Checked.add (issued x i) (machine.release here)) in
    List.fold_left one (starts (machine.group w)) (List.filter before all) in
  let fill ((w, k), i) =
    if i.init = 0 then begin
      let previous = if k = 0 then 0 else issued (w, k - 1) (get block (w, k - 1)) in
      let operand most p = Stdlib.max most (known (w, p)).ready in
      let at = List.fold_left operand (Stdlib.max previous (released (w, i.sec))) i.ops in
      table.(w).(k) <- Some { issue = at; start = at; free = at; ready = Checked.add at i.lat }
    end in
  List.iter fill (List.stable_sort (fun (_, i) (_, j) -> compare i.sec j.sec) all)

let schedule_of ?(starts = at_once) (machine : machine) table =
  let at part (w, k) = part table.(w).(k) in
  { i = at (fun t -> t.issue); d = at (fun t -> t.start); ai = at (fun t -> t.free - t.start);
    al = at (fun t -> t.ready - t.free); ar = (fun _ q -> machine.release q); begin0 = starts }

let is_valid machine block table = valid_b machine block (schedule_of machine table)
