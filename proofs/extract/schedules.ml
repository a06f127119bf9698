(* Reads cases with schedules of the library's simulator from its standard input.  Each must be valid: it keeps
   the rules R1 to R7 of proofs/machine/Model.v, which the checker [valid_b] decides.  The same schedule with one
   instruction a cycle later, or a cycle earlier, must not be.  Exit status 1 where one is judged otherwise. *)

open Extracted
open Cases
open Executions

(* One instruction is issued and started [by] cycles later. *)
let moved table (w, k) by =
  let changed = Array.map Array.copy table in
  let t = table.(w).(k) in
  changed.(w).(k) <- { issue = t.issue + by; start = t.start + by; free = t.free + by; ready = t.ready + by };
  changed

let checked = ref 0 and later = ref 0 and earlier = ref 0 and wrong = ref 0

let complain case policy what =
  incr wrong;
  if !wrong <= 5 then Printf.printf "case %s, %s: %s\n" case.name policy what

let check_schedule case machine block (policy, rows) =
  let table = times_of rows block in
  add_instant machine block table;
  let table = Array.map (Array.map Option.get) table in
  let is_valid = is_valid machine block in
  let all = Array.of_list (keys block) in
  let chosen = all.(!checked mod Array.length all) in
  let w, k = chosen in
  incr checked;
  if not (is_valid table) then complain case policy "not valid";
  incr later;
  if is_valid (moved table chosen 1) then complain case policy (Printf.sprintf "valid with %d.%d later" w k);
  if table.(w).(k).issue > 0 then begin
    incr earlier;
    if is_valid (moved table chosen (-1)) then complain case policy (Printf.sprintf "valid with %d.%d earlier" w k)
  end

let check_case case =
  let block = block_of case and machine = machine_of case in
  if not (wf_fast block) then raise (Malformed ("not well-formed: case " ^ case.name));
  List.iter (check_schedule case machine block) case.schedules

let () =
  each_case stdin check_case;
  Printf.printf "%d schedules, %d with an instruction a cycle later, %d with one a cycle earlier: %d judged wrongly\n"
    !checked !later !earlier !wrong;
  exit (if !checked = 0 || !wrong > 0 then 1 else 0)
