(* What the checkers of proofs/check/CheckCode.v, CheckCodeSib.v and CheckCodeFib.v say of claims of machine code, from tables
   that Code_tables computes. *)

open Extracted_code
open Reading

(* An instruction with the least that its stall takes.  [fetch] is its own, or, behind a barrier, what that asks for. *)
let inst_of (c : Reading.code) fetch sec =
  let zero = List.filter (fun counter -> c.mask lsr counter land 1 = 1) (List.init 8 (fun counter -> counter)) in
  ( { stall = c.stall; slot = c.issue_slot; fetch; operand = c.operands; fixed = c.fixed_latency;
      way = List.map (fun (unit0, hold, transfer) -> { unit0; hold; transfer }) c.stages;
      counts_write = c.counts_writes; write = c.written; counts_read = c.counts_reads; read = c.read;
      waits = List.map (fun counter -> (counter, 0)) zero @ Option.to_list c.depbar; bar = c.barrier; sec },
    c.least )

(* A warp goes on to the next row by a barrier, which is the last of its section. *)
let path_of (b : Reading.block) path =
  let codes = Array.of_list (List.rev b.code) in
  let rec check = function
    | [] -> ()
    | section :: rest ->
      List.iteri (fun k i -> if codes.(i).barrier && k + 1 < List.length section then refuse "a barrier in the middle") section;
      let goes_on = match List.rev section with [] -> false | last :: _ -> codes.(last).barrier in
      if (not goes_on) && List.exists (fun section -> section <> []) rest then refuse "a warp goes on without a barrier";
      check rest in
  let sections = sections_of b path in
  check sections;
  let behind = ref 0 in
  let one q k i =
    let c = codes.(i) in
    let fetch = if k = 0 && q > 0 then Stdlib.max !behind c.fetched else c.fetched in
    behind := c.behind;
    inst_of c fetch q in
  Array.of_list (List.concat (List.mapi (fun q section -> List.mapi (one q) section) sections))

(* What begins a section behind a barrier states a fetch besides what the barrier asks for. *)
let states_fetch_twice codes sections =
  let twice = function first :: _ -> codes.(first).fetched > 0 | [] -> false in
  match sections with [] -> false | _ :: rest -> List.exists twice rest

(* A barrier asks for what is not there. *)
let rec asks_in_vain codes = function
  | section :: rest ->
    let asks = List.exists (fun i -> codes.(i).behind > 0) section in
    (asks && match rest with [] | [] :: _ -> true | _ -> false) || asks_in_vain codes rest
  | [] -> false

(* No path has an instruction, of which the program in C reads which units there are and how they are used. *)
let has_more_than_paths (b : Reading.block) all =
  let used = List.sort_uniq compare (List.concat (List.concat all)) in
  List.length used < List.length b.code

(* The program in C counts more than there is. *)
let counts_more (b : Reading.block) =
  let codes = Array.of_list (List.rev b.code) and all = List.init (paths b) (sections_of b) in
  List.exists (fun sections -> states_fetch_twice codes sections || asks_in_vain codes sections) all || has_more_than_paths b all

let code_of r (b : Reading.block) : Code_tables.code =
  let warps = each_warp b in
  { holds = r.holds_issue; released = r.delay_of_release; queues = Array.of_list (List.rev r.places);
    shares = Array.of_list (List.rev_map Stdlib.fst r.units);
    any_order = Array.init (List.length r.units) (fun u -> List.mem u r.any_order); cores = Array.of_list (List.map Stdlib.snd warps);
    warps = Array.of_list (List.map (fun (path, _) -> path_of b path) warps); sections = List.length (unrolled b.rows) }

let is_proven r (b : Reading.block) method_name cycles =
  let shown = match method_name with
    | "code-elb" -> Code_tables.elb_of
    | "code-sib" -> Code_tables.sib_of
    | "code-fib" -> Code_tables.fib_of
    | _ -> refuse ("no claim of this machine: " ^ method_name) in
  match shown (code_of r b) with Some time -> time <= cycles | None -> false
