(* Reads cases of tests/report/extracted_cases.c from its standard input and compares what the library computed
   of them with what the definitions of proofs/ say.  Exit status 1 where they differ. *)

open Extracted

exception Malformed of string

(* ---- Reading ---- *)

type case = {
  mutable name : string;
  mutable depth : int option;
  mutable width : int;
  mutable release : int;
  instances : (int, int) Hashtbl.t;
  mutable warps : (int * int * instr list) list; (* sub-core, thread block; both lists backwards *)
  mutable numbers : (string * int) list;
  mutable schedules : (string * int array list) list; (* ISSUE START FREE READY, backwards *)
}

let new_case name =
  { name; depth = None; width = 1; release = 0; instances = Hashtbl.create 8; warps = []; numbers = []; schedules = [] }

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
  | [ "unit"; unit; count ] -> Hashtbl.replace case.instances (natural unit) (natural count)
  | [ "warp"; core; group ] -> case.warps <- (natural core, natural group, []) :: case.warps
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

(* ---- What the definitions say ---- *)

(* The time that section [q] of warp [w] takes by itself: the last completion of the isolation [iso]. *)
let isolation block iso =
  let all = List.map (fun x -> (x, get block x)) (keys block) in
  let most = Hashtbl.create 16 in
  let note ((w, k), i) =
    let name = Printf.sprintf "iso.%d.%d" w i.sec in
    let one = Checked.add (iso (w, k)) (Checked.add i.init i.lat) in
    Hashtbl.replace most name (max one (Option.value (Hashtbl.find_opt most name) ~default:0)) in
  List.iter note all;
  Hashtbl.fold (fun name value list -> (name, value) :: list) most []

let numbers_of (machine : machine) block =
  let lam = found 0 (lamI_fast block machine) in
  let at_depth_0 () = ("sib", sIB_fast block machine) :: isolation block (found 0 (isoI_fast block)) in
  [ ("init", e_fast block); ("lam", top_fast block lam); ("elb", eLB_fast block machine) ]
  @ (match machine.depth with Some 0 -> at_depth_0 () | _ -> [])

(* ---- Comparing ---- *)

type tally = { mutable same : int; mutable less : int; mutable more : int; mutable first : string }

let tallies : (string, tally) Hashtbl.t = Hashtbl.create 16

let tally_of kind =
  match Hashtbl.find_opt tallies kind with
  | Some tally -> tally
  | None ->
    let tally = { same = 0; less = 0; more = 0; first = "" } in
    Hashtbl.replace tallies kind tally;
    tally

let compare_number case (machine : machine) (name, value) library =
  let kind = List.hd (String.split_on_char '.' name) in
  let depth = match machine.depth with None -> "unlimited" | Some d -> string_of_int d in
  let tally = tally_of (Printf.sprintf "%-5s depth %s" kind depth) in
  if value = library then tally.same <- tally.same + 1
  else begin
    if tally.first = "" then
      tally.first <- Printf.sprintf "; case %s: %s %d, library %d" case.name name value library;
    if value < library then tally.less <- tally.less + 1 else tally.more <- tally.more + 1
  end

let compare_case case =
  let block = block_of case and machine = machine_of case in
  if not (wf_b block) then raise (Malformed ("not well-formed: case " ^ case.name));
  let one (name, value) =
    match List.assoc_opt name case.numbers with
    | Some library -> compare_number case machine (name, value) library
    | None -> raise (Malformed (Printf.sprintf "case %s: the library says nothing of %s" case.name name)) in
  List.iter one (numbers_of machine block)

(* Where the library is known to say more than what is proven. *)
let may_be_less kind = List.mem (List.hd (String.split_on_char ' ' kind)) [ "elb"; "lam"; "sib" ]
let is_wrong (kind, tally) = tally.more > 0 || (tally.less > 0 && not (may_be_less kind))

let report kind tally =
  Printf.printf "%-24s %6d the same, %d less, %d more than the library's%s\n" kind tally.same tally.less tally.more
    tally.first

let () =
  each_case stdin compare_case;
  let kinds = List.sort compare (Hashtbl.fold (fun kind tally list -> (kind, tally) :: list) tallies []) in
  List.iter (fun (kind, tally) -> report kind tally) kinds;
  exit (if kinds = [] || List.exists is_wrong kinds then 1 else 0)
