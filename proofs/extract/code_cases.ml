(* Reads blocks of machine code as tests/report/extracted_code.c writes them. *)

open Extracted_code
open Code_tables

exception Malformed of string

let natural word =
  match int_of_string_opt word with
  | Some n when n >= 0 -> n
  | _ -> raise (Malformed ("no natural number: " ^ word))

let perhaps none word = if word = none then None else Some (natural word)

type case = {
  name : string;
  mutable machine : int * bool; (* lists are backwards *)
  mutable units : (int option * (bool * bool)) list; (* places; shared, in any order *)
  mutable insts : (int * (instr * int) list) list;
  mutable numbers : (string * int) list;
  mutable schedules : (string * int list list * int list) list; (* policy, lines `at`, backwards, releases *)
}

let rec stages_of = function
  | unit0 :: hold :: transfer :: rest -> { unit0; hold; transfer } :: stages_of rest
  | [] -> []
  | _ -> raise (Malformed "stages")

(* An instruction behind those of a warp. *)
let read_inst before words =
  let sec = match before with [] -> 0 | (last, _) :: _ -> last.sec + if last.bar then 1 else 0 in
  match words with
  | stall :: least :: slot :: fetch :: operand :: fixed :: bar :: write_counter :: write :: read_counter :: read :: waits
    :: left_counter :: left :: stages ->
    let mask = natural waits in
    let zero = List.filter (fun c -> mask lsr c land 1 = 1) (List.init 8 (fun c -> c)) in
    let depbar = match perhaps "-" left_counter with Some c -> [ (c, natural left) ] | None -> [] in
    ( { stall = natural stall; slot = natural slot; fetch = natural fetch; operand = natural operand;
        fixed = fixed = "1"; way = stages_of (List.map natural stages);
        counts_write = perhaps "-" write_counter; write = natural write;
        counts_read = perhaps "-" read_counter; read = natural read;
        waits = List.map (fun c -> (c, 0)) zero @ depbar; bar = bar = "1"; sec },
      natural least )
  | _ -> raise (Malformed "inst")

let read_line case line =
  match String.split_on_char ' ' line with
  | [ "machine"; release; holds ] -> case.machine <- (natural release, holds = "holds_issue")
  | [ "unit"; queue; whose; order ] ->
    case.units <- (perhaps "unlimited" queue, (whose = "shared", order = "any")) :: case.units
  | [ "warp"; core ] -> case.insts <- (natural core, []) :: case.insts
  | "inst" :: words ->
    (match case.insts with
     | (core, list) :: rest -> case.insts <- (core, read_inst list words :: list) :: rest
     | [] -> raise (Malformed line))
  | [ "number"; name; value ] -> case.numbers <- (name, natural value) :: case.numbers
  | [ "schedule"; policy ] -> case.schedules <- (policy, [], []) :: case.schedules
  | "at" :: words ->
    (match case.schedules with
     | (policy, rows, releases) :: rest -> case.schedules <- (policy, List.map natural words :: rows, releases) :: rest
     | [] -> raise (Malformed line))
  | "releases" :: words ->
    (match case.schedules with
     | (policy, rows, _) :: rest -> case.schedules <- (policy, rows, List.map natural words) :: rest
     | [] -> raise (Malformed line))
  | _ -> raise (Malformed line)

let code_of case =
  let units = Array.of_list (List.rev case.units) and listed = Array.of_list (List.rev case.insts) in
  let warps = Array.map (fun (_, list) -> Array.of_list (List.rev list)) listed in
  { holds = Stdlib.snd case.machine; released = Stdlib.fst case.machine;
    queues = Array.map Stdlib.fst units; shares = Array.map (fun (_, (shared, _)) -> shared) units;
    any_order = Array.map (fun (_, (_, any)) -> any) units; cores = Array.map Stdlib.fst listed; warps;
    sections = sections_of warps }

let rec read_case case =
  match input_line stdin with
  | "end" -> case
  | line -> read_line case line; read_case case

let rec each_case act =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
    (match String.split_on_char ' ' line with
     | [ "case"; name ] ->
       act (read_case { name; machine = (0, false); units = []; insts = []; numbers = []; schedules = [] })
     | _ -> raise (Malformed line));
    each_case act
