(* Reads what the library's simulator does with grids from its standard input (tests/report/extracted_cases.c).
   Each execution must keep R1 to R7 on every SM and G1 to G4, as [grid_valid_b] of proofs/check/CheckGrid.v
   decides; with one thing changed it must not.  Exit status 1 where one is judged otherwise. *)

open Extracted
open Cases
open Executions

type block = { sm : int; slot : int; start : int; finish : int }

(* When the dispatcher took each thread block, and in which order: those that have a slot first wait for no
   delay, and as many as it takes at one time end one behind the other. *)
let dispatch_of (blocks : block array) delay service =
  let in_order part = List.sort compare (List.init (Array.length blocks) (fun b -> (part b, blocks.(b).finish, b))) in
  let is_new b =
    let by_start = in_order (fun b -> blocks.(b).start) in
    let same (_, _, c) = blocks.(c).sm = blocks.(b).sm && blocks.(c).slot = blocks.(b).slot in
    match List.find same by_start with _, _, first -> first = b in
  let taken = Array.init (Array.length blocks) (fun b ->
    blocks.(b).start - service - (if is_new b then 0 else delay)) in
  let place = Array.make (Array.length blocks) 0 in
  List.iteri (fun p (_, _, b) -> place.(b) <- p) (in_order (fun b -> taken.(b)));
  (taken, place)

(* What an SM gets and does. *)
let sm_of (blocks : block array) case =
  let block = block_of case and machine = machine_of case in
  let starts b = if b < Array.length blocks then blocks.(b).start else 0 in
  let table = match case.schedules with
    | [ (_, rows) ] -> times_of rows block
    | _ -> raise (Malformed ("not one schedule: case " ^ case.name)) in
  add_instant ~starts machine block table;
  let table = Array.map (Array.map Option.get) table in
  ({ machine with group = (fun w -> if w < List.length block then machine.group w else 0) }, block,
   schedule_of ~starts machine table)

let at list default i = if i < Array.length list then list.(i) else default

(* Whether it keeps the rules, dispatch to any SM and G4 included where they are meant. *)
let is_valid sms slots delay service dynamic (blocks : block array) (taken, place) parts =
  let empty = ({ inst = (fun _ -> 1); depth = None; width = 1; core = at_once; group = at_once; release = at_once }, [],
               { i = (fun _ -> 0); d = (fun _ -> 0); ai = (fun _ -> 0); al = (fun _ -> 0); ar = (fun _ _ -> 0); begin0 = at_once }) in
  let part i = at parts empty i in
  let nobody = { sm = 0; slot = 0; start = 0; finish = 0 } in
  let block b = at blocks nobody b in
  let g = { blocks = Array.length blocks; sms; slots; latency = delay; service;
            mach = (fun i -> let m, _, _ = part i in m); prog = (fun i -> let _, p, _ = part i in p) } in
  let x = { sched = (fun i -> let _, _, s = part i in s); sm_of = (fun b -> (block b).sm); slot_of = (fun b -> (block b).slot);
            place = at place 0; taken = at taken 0; serviced = (fun _ -> service); ended = (fun b -> (block b).finish) } in
  grid_valid_b g x
  && (not dynamic || (anywhere_b g x && (g.blocks > sms * slots || dealt_b g x)))

(* Whether of each SM's thread blocks those that [age] puts first issue first; asked at depth 0, where no unit is of several sub-cores. *)
let keeps_policy parts age =
  let private_units (machine : machine) block =
    let core_of = Hashtbl.create 16 in
    let is_own w i =
      let core = machine.core w in
      i.init = 0 || (match Hashtbl.find_opt core_of i.fu with Some other -> other = core | None -> Hashtbl.replace core_of i.fu core; true) in
    List.for_all (fun is -> is) (List.concat (List.mapi (fun w -> List.map (is_own w)) block)) in
  let one ((machine : machine), block, schedule) =
    if machine.depth = Some 0 && private_units machine block then Some (oldest_first_b machine block schedule age) else None in
  List.filter_map one (Array.to_list parts)

(* ---- Reading and judging ---- *)

let checked = ref 0 and changed = ref 0 and wrong = ref 0 and in_turns = ref 0
let ordered = ref 0 and disordered = ref 0

let complain name what =
  incr wrong;
  if !wrong <= 5 then Printf.printf "execution %s: %s\n" name what

let rec read_blocks list =
  match String.split_on_char ' ' (input_line stdin) with
  | [ "block"; sm; slot; start; finish ] ->
    read_blocks ({ sm = natural sm; slot = natural slot; start = natural start; finish = natural finish } :: list)
  | [ "case"; name ] -> (Array.of_list (List.rev list), read_case stdin (new_case name))
  | _ -> raise (Malformed "block")

let rec read_cases list =
  match String.split_on_char ' ' (input_line stdin) with
  | [ "case"; name ] -> read_cases (read_case stdin (new_case name) :: list)
  | [ "done" ] -> List.rev list
  | _ -> raise (Malformed "case")

(* One change after the other, where it is one. *)
let judge name sms slots delay service dynamic is_oldest =
  let blocks, first = read_blocks [] in
  let parts = Array.of_list (List.map (sm_of blocks) (read_cases [ first ])) in
  let taken, place = dispatch_of blocks delay service in
  let valid ?(slots = slots) ?(delay = delay) ?(blocks = blocks) ?(taken = taken) () =
    is_valid sms slots delay service dynamic blocks (taken, place) parts in
  let refuse what this = incr changed; if this () then complain name ("valid with " ^ what) in
  let count = Array.length blocks in
  let chosen = !checked mod count in
  let last = Array.fold_left Stdlib.max 0 taken in
  let waited = last > count * service in
  incr checked;
  if waited then incr in_turns;
  if not (valid ()) then complain name "not valid";
  if is_oldest then begin
    let ages = Array.make count 0 in
    List.iteri (fun turn (_, b) -> ages.(b) <- turn) (List.sort compare (List.init count (fun b -> (taken.(b), b))));
    let age = at ages count in
    let kept = keeps_policy parts age in
    ordered := !ordered + List.length kept;
    if List.mem false kept then complain name "not oldest first";
    disordered := !disordered + List.length (List.filter not (keeps_policy parts (fun b -> count - age b)))
  end;
  refuse "an end that is later" (fun () ->
    valid ~blocks:(Array.mapi (fun b one -> if b = chosen then { one with finish = one.finish + 1 } else one) blocks) ());
  if blocks.(chosen).finish > blocks.(chosen).start then
    refuse "an end that is earlier" (fun () ->
      valid ~blocks:(Array.mapi (fun b one -> if b = chosen then { one with finish = one.finish - 1 } else one) blocks) ());
  if waited then refuse "a slot more" (fun () -> valid ~slots:(slots + 1) ());
  if waited && delay > 0 then refuse "a shorter delay" (fun () -> valid ~delay:(delay - 1) ())

let () =
  let rec each () =
    match input_line stdin with
    | exception End_of_file -> ()
    | line ->
      (match String.split_on_char ' ' line with
       | [ "execution"; name; sms; slots; delay; service; rule; policy ] ->
         judge name (natural sms) (natural slots) (natural delay) (natural service) (rule = "dynamic") (policy = "oldest")
       | _ -> raise (Malformed line));
      each () in
  each ();
  Printf.printf "%d executions of grids, %d of which thread blocks wait for a slot, %d with one thing changed: %d judged wrongly\n"
    !checked !in_turns !changed !wrong;
  Printf.printf "%d SMs on which the oldest thread block issues first; the youngest does not on %d of them\n" !ordered !disordered;
  exit (if !in_turns = 0 || !wrong > 0 || !disordered = 0 then 1 else 0)
