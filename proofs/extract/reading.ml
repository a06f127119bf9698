(* Certificates as docs/certificates.md describes them, read as warpbound-check (check/) does: what it refuses is refused. *)

exception Refused of string

let refuse why = raise (Refused why)

(* ---- What a certificate says ---- *)

type inst = { unit_of : int option; first : int; latency : int; joins : int; commits : int; reads : int list; writes : int list }

(* An instruction of machine code. *)
type code = {
  stall : int; least : int; issue_slot : int; fetched : int; operands : int; behind : int; fixed_latency : bool; barrier : bool;
  counts_writes : int option; written : int; counts_reads : int option; read : int; mask : int; depbar : (int * int) option;
  stages : (int * int * int) list (* unit, hold, transfer *)
}

type step = Run of int * int | Again of int * int

(* A block; its lists are backwards. *)
type block = {
  registers : int;
  mutable parts : bool; (* warps execute parts of the paths *)
  mutable closed : bool; (* something was claimed of it, or of what is made of it *)
  mutable queues : (int * int) list;
  mutable insts : inst list;
  mutable code : code list; (* of machine code in place of instructions *)
  mutable sections : step list list;
  mutable rows : step list;
  mutable cells : int list list; (* of each row, by path *)
  mutable warps : (int * int * int) list;
  mutable at : int list list;
  mutable stalls : int; (* Z: cycles in which its requests are held back *)
}

type kernel_class = { of_block : block; many : int; mutable alone : string option }

type grid = {
  sms : int; fewest : int; most : int; delay : int; service : int;
  mutable classes : kernel_class list; (* backwards *)
  mutable assigned : (int * int) list; (* class and count of the next blocks, backwards *)
  mutable held_of : int list; (* how long each SM is held, backwards *)
  mutable claimed : bool;
}

type reading = {
  mutable dispatch : int option;
  mutable sub_cores : int;
  mutable issues : int;
  mutable delay_of_release : int;
  mutable units : (bool * int) list; (* shared, instances; backwards *)
  mutable places : int option list; (* of machine code: of each queue, backwards *)
  mutable any_order : int list; (* units at which a warp's instructions keep no order *)
  mutable is_code : bool;
  mutable holds_issue : bool;
  mutable oldest_first : bool;
  mutable of_scheme : bool;
  mutable held : int; (* cycles in which all may stand still *)
  mutable has_machine : bool;
  mutable blocks : block list; (* backwards *)
  mutable grid : grid option;
}

let new_reading () =
  { dispatch = None; sub_cores = 1; issues = 1; delay_of_release = 0; units = []; places = []; any_order = []; is_code = false; holds_issue = false; oldest_first = false; of_scheme = false; held = 0;
    has_machine = false; blocks = []; grid = None }

let new_block registers =
  { registers; parts = false; closed = false; queues = []; insts = []; code = []; sections = []; rows = []; cells = []; warps = []; at = []; stalls = 0 }

(* ---- Numbers ---- *)

let beyond = max_int (* 2^62 - 1 *)
let steps_most = 200_000
let units_most = 64
let queues_most = 8

let number limit word =
  if word = "" then refuse "a number";
  let digit value c =
    if c < '0' || c > '9' then refuse ("not a number: " ^ word);
    Checked.add (Checked.mul 10 value) (Char.code c - Char.code '0') in
  let value = String.fold_left digit 0 word in
  if value >= limit then refuse (word ^ " is too large") else value

let any = number beyond
let at_least_1 word = match any word with 0 -> refuse "1 is the least" | n -> n
let below list = number (List.length list)
let flag word = number 2 word = 1
let or_unlimited word = if word = "unlimited" then None else Some (any word)

(* ---- Lines ---- *)

(* What no definition counts. *)
let none_of what time = if time > 0 then refuse (what ^ " for a time")

let is_queued b first count = List.exists (fun (f, n) -> first < f + n && f < first + count) b.queues

let read_queue b first count =
  let first = number b.registers first and count = at_least_1 count in
  if b.insts <> [] then refuse "a queue behind instructions";
  if List.length b.queues = queues_most then refuse "too many queues";
  if is_queued b first count then refuse "a register is of one queue";
  if count > b.registers - first then refuse "more than there are registers";
  b.queues <- (first, count) :: b.queues

let read_inst r b words =
  match words with
  | unit_of :: init :: latency :: joins :: commits :: sources :: operands ->
    if r.is_code then refuse "an instruction that is no machine code";
    let unit_of = if unit_of = "-" then None else Some (below r.units unit_of) in
    let init = any init and sources = any sources in
    let operands = List.map (number b.registers) operands in
    let sets = 1 lsl List.length b.queues in
    if (unit_of = None) <> (init = 0) then refuse "a unit takes one cycle at least, no unit none";
    if sources > List.length operands then refuse "more sources than registers";
    if List.exists (fun f -> is_queued b f 1) (List.filteri (fun i _ -> i >= sources) operands) then
      refuse "a result in a queue";
    let of_part wanted = List.filteri (fun i _ -> i < sources = wanted) operands in
    let inst = { unit_of; first = init; latency = any latency; joins = number sets joins; commits = number sets commits;
                 reads = of_part true; writes = of_part false } in
    b.insts <- inst :: b.insts
  | _ -> refuse "inst"

let counter_of value = if value > 8 then refuse "no such counter" else if value = 8 then None else Some value

let rec stages_of r = function
  | unit_of :: hold :: transfer :: rest ->
    if unit_of >= List.length r.units then refuse "no unit";
    if hold = 0 then refuse "a unit is held for one cycle at least";
    (unit_of, hold, transfer) :: stages_of r rest
  | [] -> []
  | _ -> refuse "stages are a unit, a hold and a transfer each"

(* What is on its way to a queue that can be full holds its place. *)
let rec check_ways r = function
  | (_, _, transfer) :: ((unit_of, _, _) :: _ as rest) ->
    if List.nth (List.rev r.places) unit_of <> None && transfer > 0 then refuse "it holds its place";
    check_ways r rest
  | _ -> ()

let read_code r b words =
  match List.map any words with
  | stall :: least :: slot :: fetch :: operand :: behind :: fixed :: barrier :: writes :: write :: reads :: read :: waits
    :: depbar :: left :: stages ->
    if not r.is_code then refuse "machine code on another machine";
    if fixed > 1 || barrier > 1 then refuse "no flag";
    if slot = 0 then refuse "an issue takes a cycle at least";
    if waits > 255 then refuse "no such counter";
    if left > 64 then refuse "more than a counter counts";
    if behind > 0 && barrier = 0 then refuse "only a barrier states what comes behind it";
    let stages = stages_of r stages in
    if List.length stages > 8 then refuse "too many stages";
    check_ways r stages;
    if fixed = 1 && List.length stages > 1 then refuse "a latch is no stage of a longer way";
    let counts_writes = counter_of writes and counts_reads = counter_of reads in
    let depbar = Option.map (fun counter -> (counter, left)) (counter_of depbar) in
    b.code <- { stall; least; issue_slot = slot; fetched = fetch; operands = operand; behind; fixed_latency = fixed = 1;
                barrier = barrier = 1; counts_writes; written = write; counts_reads; read; mask = waits; depbar; stages } :: b.code
  | _ -> refuse "code"

let read_again steps words =
  match List.map any words with
  | [ count; times ] ->
    if count > List.length steps then refuse "more than there are steps";
    List.iteri (fun i step -> match step with Again _ when i < count -> refuse "a loop in a loop" | _ -> ()) steps;
    Again (count, times) :: steps
  | _ -> refuse "again"

let read_run b words =
  let there = List.length b.insts + List.length b.code in
  match words with
  | [ first; count ] ->
    let first = number there first and count = at_least_1 count in
    if count > there - first then refuse "more than there are instructions";
    (match b.sections with
     | last :: others when b.rows = [] -> b.sections <- (Run (first, count) :: last) :: others
     | _ -> refuse "no section")
  | _ -> refuse "run"

let read_row b words =
  let cells = List.map (below b.sections) words in
  (match b.cells with
   | [] -> if cells = [] then refuse "row"
   | first :: _ -> if List.length first <> List.length cells then refuse "a row has a section for every path");
  b.rows <- Run (List.length b.cells, 1) :: b.rows;
  b.cells <- cells :: b.cells

let paths b = match b.cells with [] -> 0 | first :: _ -> List.length first

let read_of_block r b key words =
  if b.closed then refuse (key ^ " too late");
  match key, words with
  | "parts", [] -> b.parts <- true
  | "stalled", time :: turns :: count :: _ ->
    let time = any time and count = at_least_1 count in
    ignore (any turns);
    b.stalls <- Checked.add b.stalls (time / count + if time mod count > 0 then 1 else 0)
  | "queue", [ first; count ] -> read_queue b first count
  | "inst", _ -> read_inst r b words
  | "code", _ -> read_code r b words
  | "section", [] -> if b.rows <> [] then refuse "a section behind rows" else b.sections <- [] :: b.sections
  | "run", _ -> read_run b words
  | "again", _ ->
    (match b.sections with
     | _ when b.rows <> [] -> b.rows <- read_again b.rows words
     | last :: others -> b.sections <- read_again last words :: others
     | [] -> refuse "no section")
  | "row", _ -> read_row b words
  | "warps", [ path; core; count ] ->
    b.warps <- (number (paths b) path, number r.sub_cores core, at_least_1 count) :: b.warps
  | "address", [ at ] when b.code <> [] -> ignore (any at) (* only the program in C compares code, *)
  | "executed", _ :: _ :: _ :: _ -> ignore (List.map any words) (* and follows it *)
  | ("turns" | "accesses"), _ :: _ -> ignore (List.map any words)
  | "missed-once", _ when b.parts -> ignore (List.map any words) (* both are of claims that are left out *)
  | "at", [ _; _; _; _ ] -> b.at <- List.map any words :: b.at
  | _ -> refuse key

let read_of_grid r grid key words =
  if grid.claimed then refuse (key ^ " too late");
  match key, words, grid.classes with
  | "class", [ number_of_block; count ], _ ->
    let of_block = List.nth (List.rev r.blocks) (below r.blocks number_of_block) in
    grid.classes <- { of_block; many = at_least_1 count; alone = None } :: grid.classes
  | "alone", [ method_name ], last :: _ ->
    if method_name = "lower" then refuse "no bound from above";
    last.alone <- Some method_name
  | "fetching", _ :: times, _ -> none_of key (List.fold_left Checked.add 0 (List.map any (List.filteri (fun i _ -> i < 2) times)))
  | "fetches", [ count ], _ :: _ -> none_of key (any count)
  | "held-sm", [ sm; answers; each; stalls ], _ ->
    if number grid.sms sm <> List.length grid.held_of then refuse "SMs in their order";
    grid.held_of <- Checked.add (Checked.mul (any answers) (any each)) (any stalls) :: grid.held_of
  | ("channels" | "serves" | "serve"), _, _ -> ignore (List.map any words) (* no definition counts it *)
  | "next", [ number_of_class; count ], _ ->
    grid.assigned <- (below grid.classes number_of_class, at_least_1 count) :: grid.assigned
  | _ -> refuse key

let read_machine r words =
  r.has_machine <- true;
  match words with
  | [ "machine"; depth; sub_cores; issues; delay ] ->
    r.dispatch <- or_unlimited depth;
    r.sub_cores <- at_least_1 sub_cores;
    r.issues <- at_least_1 issues;
    r.delay_of_release <- any delay
  | [ "code-machine"; sub_cores; delay; holds ] ->
    r.is_code <- true;
    r.sub_cores <- at_least_1 sub_cores;
    r.delay_of_release <- any delay;
    r.holds_issue <- flag holds
  | _ -> refuse "machine"

let read_unit r words =
  if List.length r.units = units_most then refuse "too many units";
  match words with
  | [ "unit"; shared; instances ] when not r.is_code -> r.units <- (flag shared, at_least_1 instances) :: r.units
  | [ "code-unit"; shared; places ] when r.is_code ->
    r.units <- (flag shared, 1) :: r.units;
    r.places <- or_unlimited places :: r.places
  | _ -> refuse "unit"

let read_any_order r unit =
  let u = any unit in
  if (not r.is_code) || u >= List.length r.units then refuse "no unit of machine code";
  r.any_order <- u :: r.any_order

let read_line r words =
  match words with
  | [] -> ()
  | "of" :: _ when r.blocks <> [] -> refuse "of behind a block"
  | [ "of"; "policy"; policy ] ->
    r.oldest_first <- policy = "oldest";
    r.of_scheme <- not (List.mem policy [ "any"; "oldest" ])
  | "of" :: _ -> () (* only the program in C asks of what it is *)
  | key :: _ when (key = "machine" || key = "code-machine") = r.has_machine -> refuse "the machine comes first, and once"
  | ("machine" | "code-machine") :: _ -> read_machine r words
  | [ "code-any-order"; unit ] -> if r.blocks <> [] then refuse "a unit behind a block" else read_any_order r unit
  | [ "held"; _; times; each ] when r.blocks = [] -> r.held <- Checked.add r.held (Checked.mul (any times) (any each))
  | ("unit" | "code-unit") :: _ -> if r.blocks <> [] then refuse "a unit behind a block" else read_unit r words
  | "held" :: _ when r.blocks <> [] -> refuse "held behind a block"
  | ("block" | "grid") :: _ when r.grid <> None -> refuse "behind the grid"
  | [ "block"; registers ] -> r.blocks <- new_block (any registers) :: r.blocks
  | [ "grid"; sms; fewest; most; delay; service ] ->
    let fewest = at_least_1 fewest and most = at_least_1 most in
    if fewest > most then refuse "no number of blocks";
    r.grid <- Some { sms = at_least_1 sms; fewest; most; delay = any delay; service = any service; classes = []; assigned = []; held_of = [];
                     claimed = false }
  | key :: words ->
    (match r.grid, r.blocks with
     | Some grid, _ -> read_of_grid r grid key words
     | None, b :: _ -> read_of_block r b key words
     | None, [] -> refuse (key ^ " of no block"))

(* ---- Programs ---- *)

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

(* The instructions of a path by their numbers: a list for each section. *)
let sections_of b path =
  let sections = Array.of_list (List.rev b.sections) and cells = Array.of_list (List.rev b.cells) in
  List.map (fun row -> unrolled sections.(List.nth cells.(row) path)) (unrolled b.rows)

(* Path and sub-core of each warp. *)
let each_warp b =
  List.concat_map (fun (path, core, count) -> List.init count (fun _ -> (path, core))) (List.rev b.warps)

(* ---- The file ---- *)

let sum_of lines =
  let add sum c = Int64.mul (Int64.logxor sum (Int64.of_int (Char.code c))) 0x100000001b3L in
  List.fold_left (fun sum line -> add (String.fold_left add sum line) '\n') 0xcbf29ce484222325L lines

let words_of line =
  let said = match String.index_opt line '#' with Some i -> String.sub line 0 i | None -> line in
  List.filter (fun word -> word <> "") (String.split_on_char ' ' said)

(* The lines between the title and the sum, which is that of all above. *)
let body_of lines =
  match List.rev lines with
  | last :: above when last = Printf.sprintf "end %016Lx" (sum_of (List.rev above)) ->
    (match List.rev above with
     | "warpbound timing certificate 3" :: body -> body
     | _ -> refuse "no certificate")
  | _ -> refuse "the sum of the last line"
