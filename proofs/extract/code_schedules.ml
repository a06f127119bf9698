(* Reads blocks of machine code with schedules of the library's simulator from its standard input (tests/report/extracted_code.c).
   Each must keep the rules M1 to M7 of proofs/sass/CodeMachine.v, and what Q takes for granted, which [valid_b] and [kept_b]
   decide.  It must not with one instruction issued when all is over, nor with a hold or a slot that is a cycle longer than stated.
   With one a cycle later, or earlier, it may, where another one holds the issue stage then.  Exit status 1 where one is
   judged otherwise. *)

open Extracted_code
open Code_tables
open Code_cases

type row = { chosen : int; there : int; issued : int; room : int; paced : int; probe : int; slots : int; begun : (int * int) array }

let rec pairs_of = function a :: b :: rest -> (a, b) :: pairs_of rest | _ -> []

let row_of = function
  | chosen :: there :: issued :: room :: paced :: probe :: slots :: stages ->
    { chosen; there; issued; room; paced; probe; slots; begun = Array.of_list (pairs_of stages) }
  | _ -> raise (Malformed "at")

let rows_of code lines =
  let left = ref (List.rev_map row_of lines) in
  let next () = match !left with row :: rest -> left := rest; row | [] -> raise (Malformed "schedule") in
  Array.map (fun warp -> Array.map (fun _ -> next ()) warp) code.warps

let schedule_of code rows releases =
  let row (w, k) = rows.(w).(k) and inst (w, k) = Stdlib.fst code.warps.(w).(k) in
  let transfer x i = match List.nth_opt (inst x).way i with Some s -> s.transfer | None -> 0 in
  { p = (fun x -> (row x).chosen); v = (fun x -> (row x).there); i = (fun x -> (row x).issued); l = (fun x -> (row x).room);
    n = (fun x -> (row x).paced); d = (fun x i -> Stdlib.fst (row x).begun.(i)); ah = (fun x i -> Stdlib.snd (row x).begun.(i));
    atr = transfer; aw = (fun x -> (inst x).write); ar = (fun x -> (inst x).read);
    aslot = (fun x -> (row x).slots); aprobe = (fun x -> (row x).probe); rel = rel_of releases }

(* Who is between being chosen and the end of the last slot or hold, by cycle. *)
let near_of rows =
  let table = Hashtbl.create 1000 in
  let note w k row =
    let over = Array.fold_left (fun over (at, held) -> max over (at + held)) (row.room + row.slots) row.begun in
    for t = row.chosen to over do
      Hashtbl.replace table t ((w, k) :: Option.value (Hashtbl.find_opt table t) ~default:[])
    done in
  Array.iteri (fun w -> Array.iteri (note w)) rows;
  fun t -> Option.value (Hashtbl.find_opt table t) ~default:[]

(* A cycle before which some counter does not let an instruction go on, and in which all do. *)
let first_of block schedule =
  let table = Hashtbl.create 1000 in
  let find (w, k) =
    let one most (c, n) =
      let times = List.sort (fun a b -> compare b a) (List.map (undone block schedule w) (increments block c w k)) in
      max most (Option.value (List.nth_opt times n) ~default:0) in
    List.fold_left one 0 (get block (w, k)).waits in
  fun x -> match Hashtbl.find_opt table x with
    | Some t -> t
    | None -> let t = find x in Hashtbl.replace table x t; t

(* One instruction is issued [by] cycles later, with what follows of it. *)
let moved rows (w, k) by =
  let rows = Array.map Array.copy rows in
  let row = rows.(w).(k) in
  rows.(w).(k) <- { row with chosen = row.chosen + by; there = row.there + by; issued = row.issued + by; room = row.room + by;
                    begun = Array.map (fun (at, held) -> (at + by, held)) row.begun };
  rows

(* A slot, and the first hold, are a cycle longer than they may be. *)
let longer rows (w, k) (inst : instr) =
  let rows = Array.map Array.copy rows in
  let row = rows.(w).(k) in
  let begun = Array.copy row.begun in
  (match inst.way with s :: _ -> begun.(0) <- (Stdlib.fst begun.(0), s.hold + 1) | [] -> ());
  rows.(w).(k) <- { row with slots = (if inst.way = [] then inst.slot + 1 else row.slots); begun };
  rows

let schedules = ref 0 and refused = ref 0 and near = ref 0 and allowed = ref 0 and wrong = ref 0

let complain case policy what =
  incr wrong;
  if !wrong <= 5 then Printf.printf "case %s, %s: %s\n" case.name policy what

let check case =
  let code = code_of case in
  let block = block_of code and clash = Stdlib.snd (met code (blocking code)) in
  let machine = machine_of code clash in
  let least (w, k) = Stdlib.snd code.warps.(w).(k) in
  let is_valid rows releases =
    let schedule = schedule_of code rows releases in
    valid_b machine block schedule (near_of rows) (first_of block schedule) releases in
  let one (policy, lines, releases) =
    let rows = rows_of code lines in
    incr schedules;
    if not (is_valid rows releases) then complain case policy "not valid";
    if not (kept_b block (schedule_of code rows releases) least) then complain case policy "Q's rules are not kept";
    let all = Array.of_list (keys block) in
    if all <> [||] then begin
      let (w, k) as x = all.(!schedules mod Array.length all) in
      let over = Array.fold_left (Array.fold_left (fun most row -> max most row.issued)) 0 rows + 10000 in
      let must_not what rows =
        incr refused;
        if is_valid rows releases then complain case policy (Printf.sprintf "valid with %d.%d %s" w k what) in
      must_not "when all is over" (moved rows x over);
      must_not "too long" (longer rows x (Stdlib.fst code.warps.(w).(k)));
      let may by =
        incr near;
        if is_valid (moved rows x by) releases then incr allowed in
      may 1;
      if rows.(w).(k).chosen > 0 then may (-1)
    end in
  List.iter one case.schedules

let () =
  each_case check;
  Printf.printf "%d schedules, %d that are none; %d with an instruction a cycle later or earlier, of which %d are; %d judged wrongly\n"
    !schedules !refused !near !allowed !wrong;
  exit (if !schedules = 0 || !wrong > 0 || !allowed > !near / 3 then 1 else 0)
