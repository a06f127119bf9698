(* What the extracted checkers of proofs/extract/ say of claims of blocks.  Potentials are computed here; nothing
   relies on that. *)

open Extracted
open Executions
open Reading

(* ---- The block of the definitions ---- *)

let nothing = { unit_of = None; first = 0; latency = 0; joins = 0; commits = 0; reads = []; writes = [] }

(* The instructions of a path with their sections; a section without any has one that does nothing, so that its
   release is counted, but where they are [bare]. *)
let path_of ?(bare = false) (b : Reading.block) path =
  let insts = Array.of_list (List.rev b.insts) in
  let of_section q = function
    | [] -> if bare then [] else [ (q, nothing) ]
    | list -> List.map (fun i -> (q, insts.(i))) list in
  List.concat (List.mapi of_section (sections_of b path))

module Positions = Set.Make (Int)

(* For each instruction of a path those that it waits for. *)
let operands_of (b : Reading.block) path =
  let registers = Array.make (b.registers + 1) Positions.empty in
  let waits k inst =
    let operands = List.map (fun f -> registers.(f)) (inst.reads @ inst.writes) in
    let ops = List.fold_left Positions.union Positions.empty operands in
    List.iter (fun f -> registers.(f) <- Positions.singleton k) inst.writes;
    let queue q (first, count) =
      if inst.joins lsr q land 1 = 1 then registers.(first) <- Positions.add k registers.(first);
      if inst.commits lsr q land 1 = 1 then
        for j = count - 1 downto 1 do registers.(first + j) <- registers.(first + j - 1) done in
    List.iteri queue (List.rev b.queues);
    Positions.elements ops in
  List.mapi (fun k (_, inst) -> waits k inst) path

let physical r unit_of core =
  let units = List.length r.units in
  match unit_of with
  | None -> units * (r.sub_cores + 1)
  | Some u -> if fst (List.nth (List.rev r.units) u) then u else u + units * (core + 1)

(* Warps of the same path and sub-core are the same list. *)
let block_of ?bare r (b : Reading.block) =
  let warp (path, core) =
    let insts = path_of ?bare b path in
    let one (sec, inst) ops = { fu = physical r inst.unit_of core; init = inst.first; lat = inst.latency; ops; sec } in
    List.map2 one insts (operands_of b insts) in
  List.concat_map (fun (path, core, count) -> let one = warp (path, core) in List.init count (fun _ -> one)) (List.rev b.warps)

let machine_of r (b : Reading.block) =
  let cores = Array.of_list (List.map snd (each_warp b)) and units = Array.of_list (List.rev r.units) in
  let unit_named f = if f < Array.length units then f else (f - Array.length units) mod Array.length units in
  { inst = (fun f -> if Array.length units = 0 then 1 else snd units.(unit_named f));
    depth = r.dispatch; width = r.issues;
    core = (fun w -> if w < Array.length cores then cores.(w) else 0);
    group = (fun _ -> 0); release = (fun _ -> r.delay_of_release) }

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
let execution_of (b : Reading.block) machine block =
  let table = Array.of_list (List.map (fun warp -> Array.make (List.length warp) None) block) in
  let left = ref (List.rev b.at) in
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
let takes_as_long (b : Reading.block) machine block cycles =
  match execution_of b machine block with
  | exception Incomplete -> raise No_execution
  | table when not (is_valid machine block table) -> raise No_execution
  | table ->
    let latest most t (_, inst) = if inst == nothing then most else Stdlib.max most t.ready in
    let of_warp most times (path, _) = List.fold_left2 latest most (Array.to_list times) (path_of b path) in
    cycles <= List.fold_left2 of_warp 0 (Array.to_list table) (each_warp b)

(* ---- Claims ---- *)

(* No unit is nobody's own. *)
let is_shared r f =
  f = physical r None 0 || (f < List.length r.units && fst (List.nth (List.rev r.units) f))

(* To which sub-core a unit is private. *)
let home_of r f =
  let units = List.length r.units in
  if f < units || f >= units * (r.sub_cores + 1) then None else Some ((f / units) - 1)

(* Whether a method shows that the block takes at most so long. *)
let is_shown r (b : Reading.block) method_name cycles =
  if b.parts && method_name = "fifo" then refuse "no claim of parts of paths";
  let block = block_of r b and machine = machine_of r b in
  let tables = isolation_tables machine in
  match method_name with
  | "elb" -> elb_claim block machine (lam_table machine block) cycles
  | "chain" -> chain_claim block machine (home_of r) r.sub_cores 0 (lam_table machine block) cycles
  | "fib" -> let issue, start = tables block in fib_claim block machine 0 issue start cycles
  | "sib" -> let issue, start = tables block in sib_claim block machine (is_shared r) 0 issue start cycles
  | "aln" -> aln_claim block machine cycles
  | "fifo" when r.dispatch = None -> fifo_claim block machine (Queued.best_sets machine block) cycles
  | "fifo" -> let issue, start = tables block in fib_claim block machine 0 issue start cycles
  | _ -> refuse ("no claim of a block: " ^ method_name)

let is_proven r (b : Reading.block) method_name cycles =
  if method_name <> "lower" then is_shown r b method_name cycles
  else if b.parts then refuse "no claim of parts of paths"
  else takes_as_long b (machine_of r b) (block_of r b) cycles
