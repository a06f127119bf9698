(* Cases as tests/report/extracted_cases.c writes them, which says what they look like. *)

open Extracted

exception Malformed of string

type grid = { sms : int; slots : int; delay : int; service : int; static : bool }

type case = {
  mutable name : string;
  mutable depth : int option;
  mutable width : int;
  mutable release : int;
  instances : (int, int) Hashtbl.t;
  shared : (int, unit) Hashtbl.t; (* units that sub-cores share *)
  mutable warps : (int * int * instr list) list; (* sub-core, thread block; both lists backwards *)
  mutable numbers : (string * int) list;
  mutable grid : grid option;
  mutable kinds : kind list; (* of its thread blocks, each as often as it is there, backwards *)
  mutable schedules : (string * int array list) list; (* ISSUE START FREE READY, backwards *)
}

let new_case name =
  { name; depth = None; width = 1; release = 0; instances = Hashtbl.create 8; shared = Hashtbl.create 8;
    warps = []; numbers = []; grid = None; kinds = []; schedules = [] }

let natural word =
  match int_of_string_opt word with
  | Some n when n >= 0 -> n
  | _ -> raise (Malformed ("no natural number: " ^ word))

let read_inst words =
  match List.map natural words with
  | fu :: init :: lat :: sec :: ops -> { fu; init; lat; ops; sec }
  | _ -> raise (Malformed "inst")

let read_line case line =
  match String.split_on_char ' ' line with
  | [ "machine"; depth; width; release ] ->
    case.depth <- (if depth = "unlimited" then None else Some (natural depth));
    case.width <- natural width;
    case.release <- natural release
  | [ "unit"; unit; count; whose ] ->
    Hashtbl.replace case.instances (natural unit) (natural count);
    if whose = "shared" then Hashtbl.replace case.shared (natural unit) ()
  | [ "warp"; core; group ] -> case.warps <- (natural core, natural group, []) :: case.warps
  | [ "grid"; sms; slots; delay; service; dispatch ] ->
    case.grid <-
      Some { sms = natural sms; slots = natural slots; delay = natural delay; service = natural service;
             static = dispatch = "static" }
  | [ "kind"; count; e; lam; alpha; solo ] ->
    let kind = { kE = natural e; kL = natural lam; kA = natural alpha; kS = natural solo } in
    case.kinds <- List.init (natural count) (fun _ -> kind) @ case.kinds
  | "inst" :: words ->
    (match case.warps with
     | (core, group, insts) :: rest -> case.warps <- (core, group, read_inst words :: insts) :: rest
     | [] -> raise (Malformed line))
  | [ "number"; name; value ] -> case.numbers <- (name, natural value) :: case.numbers
  | [ "schedule"; policy ] -> case.schedules <- (policy, []) :: case.schedules
  | "at" :: words ->
    (match case.schedules with
     | (policy, times) :: rest ->
       case.schedules <- (policy, Array.of_list (List.map natural words) :: times) :: rest
     | [] -> raise (Malformed line))
  | _ -> raise (Malformed line)

let rec read_case channel case =
  match input_line channel with
  | "end" -> case
  | line -> read_line case line; read_case channel case

let rec each_case channel act =
  match input_line channel with
  | exception End_of_file -> ()
  | line ->
    (match String.split_on_char ' ' line with
     | [ "case"; name ] -> act (read_case channel (new_case name))
     | _ -> raise (Malformed line));
    each_case channel act

let block_of case = List.rev_map (fun (_, _, insts) -> List.rev insts) case.warps

let machine_of case =
  let warps = Array.of_list (List.rev case.warps) in
  let of_warp part w = if w < Array.length warps then part warps.(w) else 0 in
  { inst = (fun f -> Option.value (Hashtbl.find_opt case.instances f) ~default:1);
    depth = case.depth;
    width = case.width;
    core = of_warp (fun (core, _, _) -> core);
    group = of_warp (fun (_, group, _) -> group);
    release = (fun _ -> case.release) }

(* The times of all instructions with a unit, warp by warp; None of the others. *)
let times_of rows block =
  let left = ref (List.rev rows) in
  let next (i : instr) =
    match !left with
    | _ when i.init = 0 -> None
    | [| issue; start; free; ready |] :: rest -> left := rest; Some { Executions.issue; start; free; ready }
    | _ -> raise (Malformed "at") in
  let table = Array.of_list (List.map (fun warp -> Array.of_list (List.map next warp)) block) in
  if !left <> [] then raise (Malformed "more times than instructions");
  table
