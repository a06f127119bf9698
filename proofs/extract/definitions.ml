(* Reads cases of tests/report/extracted_cases.c from its standard input and compares what the library computed
   of them with what the definitions of proofs/ say.  Exit status 1 where they differ. *)

open Extracted
open Cases

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

(* V of docs/sub-core-bounds.md: each unit but the shared ones is private to the sub-core whose warps use it. *)
let serial_time case (machine : machine) block =
  let home = Hashtbl.create 16 in
  let note x =
    let unit = (get block x).fu in
    if not (Hashtbl.mem case.shared unit) then Hashtbl.replace home unit (machine.core (fst x)) in
  List.iter note (keys block);
  let cores = List.sort_uniq compare (List.map (fun (core, _, _) -> core) case.warps) in
  sERIAL_fast machine block (Hashtbl.find_opt home) cores 0

(* FIFO with the best set for each warp and section; [fifo_claim] proves it of these sets. *)
let fifo block (machine : machine) =
  let chosen = Queued.best_sets machine block in
  let time = fIFO_fast block machine chosen in
  if not (fifo_claim block machine chosen time) then raise (Malformed "what was found of fifo is not proven");
  time

let numbers_of case (machine : machine) block =
  let lam = found 0 (lamI_fast block machine) in
  let at_depth () =
    let tables = iso_tables block machine in
    let iso x = snd (entry tables x) in
    let fib = fib_charge_fast block machine iso 0 in
    [ ("sib", sib_shared_fast block machine (Hashtbl.mem case.shared) iso 0); ("fib", fib);
      ("aln", aLN_fast block machine); ("fifo", if machine.depth = None then fifo block machine else fib) ]
    (* of longer queues the bounds are those of one entry; by itself a warp has them whole *)
    @ (match machine.depth with Some d when d > 1 -> [] | _ -> isolation block iso) in
  [ ("init", e_fast block); ("lam", top_fast block lam); ("elb", eLB_fast block machine);
    ("serial", serial_time case machine block) ]
  @ at_depth ()

(* What kernel/Stay.v says of alpha and solo at least; with it K-BAL by halves is the largest over all n. *)
let check_kind case kind =
  let most = Checked.add kind.kE kind.kL in
  if kind.kA > most || kind.kS > most then raise (Malformed ("alpha or solo above E + lam: case " ^ case.name))

(* Thread block b goes to SM b modulo their number. *)
let static_time grid kinds =
  let of_sm i = List.filteri (fun b _ -> b mod grid.sms = i) kinds in
  let one i = sm_static grid.slots grid.delay grid.service (of_sm i) in
  List.fold_left Stdlib.max 0 (List.init (Stdlib.min grid.sms (List.length kinds)) one)

(* The dispatcher's own cycles come on top of each formula (proofs/kernel/Kernel.v). *)
let numbers_of_grid case grid =
  List.iter (check_kind case) case.kinds;
  let with_dispatcher time = Checked.add time (Checked.mul grid.service (List.length case.kinds)) in
  let bound formula = with_dispatcher (formula grid.sms grid.slots grid.delay case.kinds) in
  if grid.static then [ ("sm", with_dispatcher (static_time grid (List.rev case.kinds))) ]
  else [ ("sm", bound k_sm_fast); ("area", bound k_area_fast); ("balance", bound k_bal_fast) ]

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

(* What a number is counted among. *)
let of_block (machine : machine) name =
  let depth = match machine.depth with None -> "unlimited" | Some d -> string_of_int d in
  Printf.sprintf "%-5s depth %s" (List.hd (String.split_on_char '.' name)) depth

let of_grid case grid name =
  let name = if grid.static then name ^ " static" else name in
  Printf.sprintf "%-11s %s" name (if List.length case.kinds <= grid.sms * grid.slots then "at once" else "in turns")

let compare_number case counted_as (name, value) =
  let library =
    match List.assoc_opt name case.numbers with
    | Some library -> library
    | None -> raise (Malformed (Printf.sprintf "case %s: the library says nothing of %s" case.name name)) in
  let tally = tally_of (counted_as name) in
  if value = library then tally.same <- tally.same + 1
  else begin
    if tally.first = "" then
      tally.first <- Printf.sprintf "; case %s: %s %d, library %d" case.name name value library;
    if value < library then tally.less <- tally.less + 1 else tally.more <- tally.more + 1
  end

(* What the library says of nothing that the definitions know: more than they do, unless it is 0.  Times of isolation
   above depth 1 have other edges. *)
let check_asked case (machine : machine) ours (name, value) =
  let iso = String.length name > 3 && String.sub name 0 4 = "iso." in
  let other_edges = iso && (match machine.depth with Some d -> d > 1 | None -> false) in
  if value > 0 && not (List.mem_assoc name ours) && not other_edges then
    compare_number { case with numbers = [ (name, value) ] } (fun _ -> "unknown " ^ name) (name, 0)

let compare_case case =
  match case.grid with
  | Some grid -> List.iter (compare_number case (of_grid case grid)) (numbers_of_grid case grid)
  | None ->
    let block = block_of case and machine = machine_of case in
    if not (wf_fast block) then raise (Malformed ("not well-formed: case " ^ case.name));
    let ours = numbers_of case machine block in
    List.iter (compare_number case (of_block machine)) ours;
    List.iter (check_asked case machine ours) case.numbers

(* With finite queues the library takes the largest initiation on any sub-core's unit of that name for each of them.  In V
   it counts a result as long as one register or queue that it goes to is not read. *)
let may_be_less kind =
  let of_sums name = String.starts_with ~prefix:name kind in
  (List.exists of_sums [ "sib"; "fib"; "aln"; "fifo" ] && not (String.ends_with ~suffix:" 0" kind || String.ends_with ~suffix:"unlimited" kind))
  || of_sums "serial"
let is_wrong (kind, tally) = tally.more > 0 || (tally.less > 0 && not (may_be_less kind))

let report kind tally =
  Printf.printf "%-24s %6d the same, %d less, %d more than the library's%s\n" kind tally.same tally.less tally.more
    tally.first

(* What the words of the command line name must have been compared. *)
let is_compared kinds name = List.exists (fun (kind, _) -> List.hd (String.split_on_char ' ' kind) = name) kinds

let () =
  each_case stdin compare_case;
  let kinds = List.sort compare (Hashtbl.fold (fun kind tally list -> (kind, tally) :: list) tallies []) in
  let missing = List.filter (fun name -> not (is_compared kinds name)) (List.tl (Array.to_list Sys.argv)) in
  List.iter (fun (kind, tally) -> report kind tally) kinds;
  List.iter (Printf.printf "%s: not compared\n") missing;
  exit (if kinds = [] || missing <> [] || List.exists is_wrong kinds then 1 else 0)
