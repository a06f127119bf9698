(* Reads certificates, true and forged, with what warpbound-check (check/) says of them, from its standard input
   (tests/report/extracted_certificates.c), and asks the checkers of proofs/extract/CheckFast.v and [valid_b]
   what they say.  Potentials are computed here; nothing relies on that.  Exit status 1 where the two differ. *)

open Extracted
open Executions

exception Refused of string

let refuse why = raise (Refused why)

(* ---- What a certificate says ---- *)

type inst = { unit_of : int option; first : int; latency : int; joins : int; commits : int; reads : int list; writes : int list }
type step = Run of int * int | Again of int * int

type reading = {
  mutable dispatch : int option;
  mutable sub_cores : int;
  mutable issues : int;
  mutable delay : int;
  mutable units : (bool * int) list; (* shared, instances; the lists of a reading are backwards *)
  mutable has_machine : bool;
  mutable in_block : bool;
  mutable closed : bool; (* something was claimed of the block *)
  mutable registers : int;
  mutable queues : (int * int) list;
  mutable insts : inst list;
  mutable sections : step list list;
  mutable rows : step list;
  mutable cells : int list list; (* of each row, by path *)
  mutable warps : (int * int * int) list;
  mutable at : int list list;
}

let new_reading () =
  { dispatch = None; sub_cores = 1; issues = 1; delay = 0; units = []; has_machine = false; in_block = false; closed = false; registers = 0;
    queues = []; insts = []; sections = []; rows = []; cells = []; warps = []; at = [] }

let most = max_int (* 2^62 - 1 *)
let steps_most = 200_000

let number limit word =
  if word = "" then refuse "a number";
  let digit value c =
    if c < '0' || c > '9' then refuse ("not a number: " ^ word);
    Checked.add (Checked.mul 10 value) (Char.code c - Char.code '0') in
  let value = String.fold_left digit 0 word in
  if value >= limit then refuse (word ^ " is too large") else value

let any = number most
let at_least_1 word = match any word with 0 -> refuse "1 is the least" | n -> n
let below list = number (List.length list)

(* ---- Reading ---- *)

let is_queued r first count = List.exists (fun (f, n) -> first < f + n && f < first + count) r.queues

let read_inst r words =
  match words with
  | unit_of :: init :: latency :: joins :: commits :: sources :: operands ->
    let unit_of = if unit_of = "-" then None else Some (below r.units unit_of) in
    let init = any init and sources = any sources in
    let operands = List.map (number r.registers) operands in
    let sets = 1 lsl List.length r.queues in
    if (unit_of = None) <> (init = 0) then refuse "a unit takes one cycle at least, no unit none";
    if sources > List.length operands then refuse "more sources than registers";
    if List.exists (fun f -> is_queued r f 1) (List.filteri (fun i _ -> i >= sources) operands) then
      refuse "a result in a queue";
    let of_part wanted = List.filteri (fun i _ -> i < sources = wanted) operands in
    let inst = { unit_of; first = init; latency = any latency; joins = number sets joins; commits = number sets commits;
                 reads = of_part true; writes = of_part false } in
    r.insts <- inst :: r.insts
  | _ -> refuse "inst"

let read_again steps words =
  match List.map any words with
  | [ count; times ] ->
    if count > List.length steps then refuse "more than there are steps";
    List.iteri (fun i step -> match step with Again _ when i < count -> refuse "a loop in a loop" | _ -> ()) steps;
    Again (count, times) :: steps
  | _ -> refuse "again"

let read_run r words =
  match words with
  | [ first; count ] ->
    let first = below r.insts first and count = at_least_1 count in
    if count > List.length r.insts - first then refuse "more than there are instructions";
    (match r.sections with
     | last :: others when r.rows = [] -> r.sections <- (Run (first, count) :: last) :: others
     | _ -> refuse "no section")
  | _ -> refuse "run"

let read_row r words =
  let cells = List.map (below r.sections) words in
  (match r.cells with
   | [] -> if cells = [] then refuse "row"
   | first :: _ -> if List.length first <> List.length cells then refuse "a row has a section for every path");
  r.rows <- Run (List.length r.cells, 1) :: r.rows;
  r.cells <- cells :: r.cells

let paths r = match r.cells with [] -> 0 | first :: _ -> List.length first

let read_of_block r key words =
  if (not r.in_block) || r.closed then refuse (key ^ " of no block, or too late");
  match key, words with
  | "queue", [ first; count ] ->
    let first = number r.registers first and count = at_least_1 count in
    if r.insts <> [] then refuse "a queue behind instructions";
    if is_queued r first count then refuse "a register is of one queue";
    if count > r.registers - first then refuse "more than there are registers";
    r.queues <- (first, count) :: r.queues
  | "inst", _ -> read_inst r words
  | "section", [] -> if r.rows <> [] then refuse "a section behind rows" else r.sections <- [] :: r.sections
  | "run", _ -> read_run r words
  | "again", _ ->
    (match r.sections with
     | _ when r.rows <> [] -> r.rows <- read_again r.rows words
     | last :: others -> r.sections <- read_again last words :: others
     | [] -> refuse "no section")
  | "row", _ -> read_row r words
  | "warps", [ path; core; count ] ->
    r.warps <- (number (paths r) path, number r.sub_cores core, at_least_1 count) :: r.warps
  | "at", [ _; _; _; _ ] -> r.at <- List.map any words :: r.at
  | _ -> refuse key

let read_line r words =
  match words with
  | ("machine" | "unit") :: _ when r.in_block -> refuse "behind a block"
  | key :: _ when (key = "machine") = r.has_machine -> refuse "the machine comes first, and once"
  | [ "machine"; depth; sub_cores; issues; delay ] ->
    r.has_machine <- true;
    r.dispatch <- (if depth = "unlimited" then None else Some (any depth));
    r.sub_cores <- at_least_1 sub_cores;
    r.issues <- at_least_1 issues;
    r.delay <- any delay
  | [ "unit"; shared; instances ] -> r.units <- (number 2 shared = 1, at_least_1 instances) :: r.units
  | [ "block"; registers ] ->
    if r.in_block then refuse "a second block";
    r.in_block <- true;
    r.registers <- any registers
  | key :: words -> read_of_block r key words
  | [] -> ()

(* ---- The block of the definitions ---- *)

(* What steps come to, [count] things from number [first] on each, in order. *)
let unrolled steps =
  let out = ref [] and length = ref 0 in
  let put first count =
    length := Checked.add !length count;
    if !length > steps_most then refuse "too long";
    for i = first to first + count - 1 do out := i :: !out done in
  let steps = Array.of_list (List.rev steps) in
  let play s = match steps.(s) with Run (first, count) -> put first count | Again _ -> refuse "a loop in a loop" in
  let one s = function
    | Run _ -> play s
    | Again (0, _) -> ()
    | Again (count, times) ->
      for _ = 1 to times do for before = s - count to s - 1 do play before done done in
  Array.iteri one steps;
  List.rev !out

let nothing = { unit_of = None; first = 0; latency = 0; joins = 0; commits = 0; reads = []; writes = [] }

(* The instructions of a path with their sections; a section without any has one that does nothing, so that its
   release is counted. *)
let path_of r path =
  let insts = Array.of_list (List.rev r.insts) and sections = Array.of_list (List.rev r.sections) in
  let cells = Array.of_list (List.rev r.cells) in
  let section row = unrolled sections.(List.nth cells.(row) path) in
  let of_row q row = match section row with
    | [] -> [ (q, nothing) ]
    | list -> List.map (fun i -> (q, insts.(i))) list in
  List.concat (List.mapi of_row (unrolled r.rows))

module Positions = Set.Make (Int)

(* For each instruction of a path those that it waits for. *)
let operands_of r path =
  let registers = Array.make (r.registers + 1) Positions.empty in
  let waits k inst =
    let operands = List.map (fun f -> registers.(f)) (inst.reads @ inst.writes) in
    let ops = List.fold_left Positions.union Positions.empty operands in
    List.iter (fun f -> registers.(f) <- Positions.singleton k) inst.writes;
    let queue q (first, count) =
      if inst.joins lsr q land 1 = 1 then registers.(first) <- Positions.add k registers.(first);
      if inst.commits lsr q land 1 = 1 then
        for j = count - 1 downto 1 do registers.(first + j) <- registers.(first + j - 1) done in
    List.iteri queue (List.rev r.queues);
    Positions.elements ops in
  List.mapi (fun k (_, inst) -> waits k inst) path

let physical r unit_of core =
  let units = List.length r.units in
  match unit_of with
  | None -> units * (r.sub_cores + 1)
  | Some u -> if fst (List.nth (List.rev r.units) u) then u else u + units * (core + 1)

let warp_of r (path, core) =
  let one (sec, inst) ops =
    { fu = physical r inst.unit_of core; init = inst.first; lat = inst.latency; ops; sec } in
  let insts = path_of r path in
  List.map2 one insts (operands_of r insts)

let warps_of r =
  List.concat_map (fun (path, core, count) -> List.init count (fun _ -> (path, core))) (List.rev r.warps)

let machine_of r =
  let cores = Array.of_list (List.map snd (warps_of r)) and units = Array.of_list (List.rev r.units) in
  let unit_named f = if f < Array.length units then f else (f - Array.length units) mod Array.length units in
  { inst = (fun f -> if Array.length units = 0 then 1 else snd units.(unit_named f));
    depth = r.dispatch; width = r.issues;
    core = (fun w -> if w < Array.length cores then cores.(w) else 0);
    group = (fun _ -> 0); release = (fun _ -> r.delay) }

(* ---- Potentials: the least tables, of which the checkers are asked ---- *)

let lam_table (machine : machine) block =
  let warps = Array.of_list (List.map Array.of_list block) in
  let table = Array.map (fun warp -> Array.make (Array.length warp) 0) warps in
  let next = Array.map (fun _ -> 0) warps and latest = ref 0 in
  let last = List.fold_left (List.fold_left (fun most i -> Stdlib.max most i.sec)) 0 block in
  for q = 0 to last do
    let released = if q = 0 then 0 else Checked.add !latest (machine.release q) in
    let walk w warp =
      while next.(w) < Array.length warp && warp.(next.(w)).sec = q do
        let k = next.(w) in
        let previous = if k = 0 then 0 else table.(w).(k - 1) in
        let operand most p = Stdlib.max most (Checked.add table.(w).(p) warp.(p).lat) in
        table.(w).(k) <- List.fold_left operand (Stdlib.max previous released) warp.(k).ops;
        latest := Stdlib.max !latest table.(w).(k);
        next.(w) <- k + 1
      done in
    Array.iteri walk warps
  done;
  Array.to_list (Array.map Array.to_list table)

let isolation_tables (machine : machine) block =
  let one warp =
    let warp = Array.of_list warp in
    let issue = Array.make (Array.length warp) 0 and start = Array.make (Array.length warp) 0 in
    let units = Hashtbl.create 8 in (* by section and unit: the last start, and the end of its initiation *)
    let walk k i =
      let same p = warp.(p).sec = i.sec in
      let previous = if k > 0 && same (k - 1) then Checked.add issue.(k - 1) (Stdlib.min 1 warp.(k - 1).init) else 0 in
      let operand most p =
        if same p then Stdlib.max most (Checked.add start.(p) (Checked.add warp.(p).init warp.(p).lat)) else most in
      let started, free = Option.value (Hashtbl.find_opt units (i.sec, i.fu)) ~default:(0, 0) in
      let room = match machine.depth with None -> 0 | Some 0 -> free | Some _ -> started in
      issue.(k) <- List.fold_left operand (Stdlib.max previous room) i.ops;
      start.(k) <- Stdlib.max issue.(k) free;
      Hashtbl.replace units (i.sec, i.fu) (start.(k), Checked.add start.(k) i.init) in
    Array.iteri walk warp;
    (Array.to_list issue, Array.to_list start) in
  List.split (List.map one block)

(* ---- Executions ---- *)

exception Incomplete (* too few instructions are executed, or too many *)

(* The times of all instructions: row by row, in each the warps in their order, of each its section. *)
let execution_of r machine block =
  let table = Array.of_list (List.map (fun warp -> Array.make (List.length warp) None) block) in
  let left = ref (List.rev r.at) in
  let next i = match !left with
    | _ when i.init = 0 -> None
    | [ issue; start; init; latency ] :: rest ->
      left := rest;
      let free = Checked.add start init in
      Some { issue; start; free; ready = Checked.add free latency }
    | _ -> raise Incomplete in
  let order (_, i) (_, j) = compare i.sec j.sec in
  let all = List.stable_sort order (List.map (fun x -> (x, get block x)) (keys block)) in
  List.iter (fun ((w, k), i) -> table.(w).(k) <- next i) all;
  if !left <> [] then raise Incomplete;
  add_instant machine block table;
  Array.map (Array.map Option.get) table

exception No_execution

(* What does nothing is no instruction of the block. *)
let takes_as_long r machine block cycles =
  match execution_of r machine block with
  | exception Incomplete -> raise No_execution
  | table when not (is_valid machine block table) -> raise No_execution
  | table ->
    let latest most t (_, inst) = if inst == nothing then most else Stdlib.max most t.ready in
    let of_warp most times (path, _) = List.fold_left2 latest most (Array.to_list times) (path_of r path) in
    cycles <= List.fold_left2 of_warp 0 (Array.to_list table) (warps_of r)

(* ---- Claims ---- *)

(* No unit is nobody's own. *)
let is_shared r f =
  f = physical r None 0 || (f < List.length r.units && fst (List.nth (List.rev r.units) f))

let is_proven r (method_name, cycles) =
  let block = List.map (warp_of r) (warps_of r) and machine = machine_of r in
  let known = match r.dispatch with Some d -> d <= 1 | None -> true in
  match method_name with
  | "elb" -> elb_claim block machine (lam_table machine block) cycles
  | "lower" -> takes_as_long r machine block cycles
  | ("sib" | "fib" | "aln") when not known -> refuse "no claim of this block"
  | "fib" -> let issue, start = isolation_tables machine block in fib_claim block machine 0 issue start cycles
  | "aln" -> aln_claim block machine cycles
  | "sib" ->
    let issue, start = isolation_tables machine block in
    sib_claim block machine (is_shared r) 0 issue start cycles
  | _ -> refuse ("no claim of a block: " ^ method_name)

(* ---- The file ---- *)

let sum_of lines =
  let add sum c = Int64.mul (Int64.logxor sum (Int64.of_int (Char.code c))) 0x100000001b3L in
  List.fold_left (fun sum line -> add (String.fold_left add sum line) '\n') 0xcbf29ce484222325L lines

let words_of line =
  let said = match String.index_opt line '#' with Some i -> String.sub line 0 i | None -> line in
  List.filter (fun word -> word <> "") (String.split_on_char ' ' said)

(* What is claimed, in order, and whether it is proven.  As in the program in C an execution that is none ends it. *)
let judged lines =
  let r = new_reading () in
  let claim words = match words with
    | [ "claim"; method_name; cycles ] when r.in_block ->
      r.closed <- true;
      Some (method_name, is_proven r (method_name, any cycles))
    | "claim" :: _ -> refuse "claim"
    | _ -> read_line r words; None in
  match List.rev lines with
  | last :: above when last = Printf.sprintf "end %016Lx" (sum_of (List.rev above)) ->
    (match List.rev above with
     | "warpbound timing certificate 2" :: body ->
       let rec claims_of before = function
         | [] -> List.rev before
         | line :: rest ->
           (match claim (words_of line) with
            | Some one -> claims_of (one :: before) rest
            | None -> claims_of before rest
            | exception No_execution -> List.rev (("lower", false) :: before)) in
       (match claims_of [] body with [] -> refuse "nothing is claimed" | claims -> claims)
     | _ -> refuse "no certificate")
  | _ -> refuse "the sum of the last line"

(* ---- Comparing ---- *)

type verdict = Broken of string | Claims of (string * bool) list

let of_definitions lines =
  match judged lines with
  | claims -> Claims claims
  | exception Refused why -> Broken why
  | exception Checked.Overflow -> Broken "overflow"
  | exception Unordered -> Broken "no order"

(* What the checker says of a line. It ends at an execution that is none. *)
let claim_of line =
  let words = String.split_on_char ' ' line in
  let has word = List.mem word words in
  if has "execution," || has "executed" then Some ("lower", false)
  else match words with
    | _ :: name :: _ when has "proven" || has "proven," || has "NOT" ->
      Some (String.sub name 0 (String.length name - 1), not (has "NOT"))
    | _ -> None

let of_checker status said =
  match List.filter_map claim_of said with
  | claims when status < 2 || List.mem ("lower", false) claims -> Claims claims
  | _ -> Broken (String.concat "; " said)

type tally = { mutable proven : int; mutable not_proven : int; mutable only_checker : int; mutable only_definitions : int }

let tallies : (string, tally) Hashtbl.t = Hashtbl.create 16
let broken = ref 0 and files = ref 0 and wrong = ref 0

let show name what =
  incr wrong;
  if !wrong <= 5 then Printf.printf "certificate %s: %s\n" name what

let count kind name looser ours theirs =
  let tally = match Hashtbl.find_opt tallies kind with
    | Some tally -> tally
    | None ->
      let tally = { proven = 0; not_proven = 0; only_checker = 0; only_definitions = 0 } in
      Hashtbl.replace tallies kind tally; tally in
  match ours, theirs with
  | true, true -> tally.proven <- tally.proven + 1
  | false, false -> tally.not_proven <- tally.not_proven + 1
  | false, true -> tally.only_checker <- tally.only_checker + 1; show name (kind ^ ": proven for the checker only")
  | true, false ->
    tally.only_definitions <- tally.only_definitions + 1;
    if not looser then show name (kind ^ ": proven for the definitions only")

(* What the checker says too much of: at depth 1 it takes the largest initiation on all units of a name, and the
   latencies of paths that no warp has. *)
let may_be_looser lines =
  let words = List.map (fun line -> words_of line) lines in
  let paths = List.fold_left (fun most -> function "row" :: cells -> List.length cells | _ -> most) 0 words in
  let taken = List.sort_uniq compare (List.filter_map (function "warps" :: p :: _ -> Some p | _ -> None) words) in
  List.exists (function "machine" :: "1" :: _ -> true | _ -> false) words || List.length taken < paths

let compare_verdicts name kind lines status said =
  incr files;
  match of_definitions lines, of_checker status said with
  | Broken _, Broken _ -> incr broken
  | Broken why, Claims _ -> show name ("refused by the definitions only: " ^ why)
  | Claims _, Broken why -> show name ("refused by the checker only: " ^ why)
  | Claims ours, Claims theirs ->
    let one (method_name, is_proven) = match List.assoc_opt method_name theirs with
      | Some verdict -> count (method_name ^ ", " ^ kind) name (may_be_looser lines) is_proven verdict
      | None -> show name ("the checker says nothing of " ^ method_name) in
    List.iter one ours

(* ---- Cases ---- *)

let rec read_case lines status said =
  match input_line stdin with
  | "end" -> (List.rev lines, status, List.rev said)
  | line when String.length line >= 2 && String.sub line 0 2 = "> " ->
    read_case (String.sub line 2 (String.length line - 2) :: lines) status said
  | line when String.length line >= 2 && String.sub line 0 2 = "< " ->
    read_case lines status (String.sub line 2 (String.length line - 2) :: said)
  | line ->
    (match String.split_on_char ' ' line with
     | [ "said"; status ] -> read_case lines (int_of_string status) said
     | _ -> failwith line)

let rec each_case () =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
    (match String.split_on_char ' ' line with
     | [ "certificate"; seed; kind ] ->
       let lines, status, said = read_case [] 0 [] in
       compare_verdicts (seed ^ " " ^ kind) kind lines status said
     | _ -> failwith line);
    each_case ()

let () =
  each_case ();
  let kinds = List.sort compare (Hashtbl.fold (fun kind tally list -> (kind, tally) :: list) tallies []) in
  let report (kind, t) =
    Printf.printf "%-14s both say proven of %5d, not proven of %5d; only the checker of %d, only the definitions of %d\n" kind
      t.proven t.not_proven t.only_checker t.only_definitions in
  List.iter report kinds;
  Printf.printf "%d certificates, of which both refuse %d as none; judged differently: %d\n" !files !broken !wrong;
  exit (if !files = 0 || !wrong > 0 then 1 else 0)
