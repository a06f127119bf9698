(* Reads certificates, true and forged, with what warpbound-check (check/) says of them, from its standard input
   (tests/report/extracted_certificates.c), and asks the checkers of proofs/extract/ and proofs/check/ what they say.
   Exit status 1 where the two differ, or agree on nothing of a method that the command line names. *)

open Reading
open Judging

(* ---- Comparing ---- *)

let left_out = ref 0

type verdict = Broken of string | Claims of (string * bool) list

let of_definitions r lines =
  let counted (method_name, verdict) = match verdict with
    | Left_out -> incr left_out; None
    | Proven -> Some (method_name, true)
    | Not_proven -> Some (method_name, false) in
  match judged r lines with
  | Ok claims -> Claims (List.filter_map counted claims)
  | Error why -> Broken why

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
let broken = ref 0 and stricter = ref 0 and files = ref 0 and wrong = ref 0

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

(* What the checker says too much of: where queues are finite it takes the largest initiation on all units of a name; the latencies of
   paths that no warp has; the fetch of what comes behind a barrier as often as it is stated, and where nothing comes; and what
   instructions that no path has make of the units. *)
let may_be_looser r =
  let has_idle_path (b : block) =
    List.length (List.sort_uniq compare (List.map (fun (path, _, _) -> path) b.warps)) < paths b in
  (match r.dispatch with Some d -> d > 0 | None -> false) || List.exists has_idle_path r.blocks
  || (r.is_code && List.exists Code_claims.counts_more r.blocks)

let compare_verdicts name kind lines status said =
  let r = new_reading () in
  incr files;
  match of_definitions r lines, of_checker status said with
  | Broken _, Broken _ -> incr broken
  | Broken why, Claims _ -> show name ("refused by the definitions only: " ^ why)
  (* The checker refuses machines that the definitions read: least stalls above the most, ways in a circle. *)
  | Claims _, Broken _ when kind = "forged" -> incr stricter
  | Claims _, Broken why -> show name ("refused by the checker only: " ^ why)
  | Claims ours, Claims theirs ->
    let one (method_name, is_proven) = match List.assoc_opt method_name theirs with
      | Some verdict -> count (method_name ^ ", " ^ kind) name (may_be_looser r) is_proven verdict
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
    Printf.printf "%-20s both say proven of %5d, not proven of %5d; only the checker of %d, only the definitions of %d\n" kind
      t.proven t.not_proven t.only_checker t.only_definitions in
  List.iter report kinds;
  Printf.printf "%d certificates, of which both refuse %d as none, the checker alone %d forged ones; judged differently: %d\n" !files !broken !stricter !wrong;
  if !left_out > 0 then Printf.printf "%d claims left out: of aln and fifo that take too long, of k-wave and k-chain-static\n" !left_out;
  (* Of each method some claims are proven, and some forged ones not. *)
  let is_compared name = List.exists (fun (kind, t) -> kind = name ^ ", true" && t.proven > 0) kinds
    && List.exists (fun (kind, t) -> kind = name ^ ", forged" && t.not_proven > 0) kinds in
  let missing = List.filter (fun name -> not (is_compared name)) (List.tl (Array.to_list Sys.argv)) in
  List.iter (Printf.printf "%s: not compared\n") missing;
  exit (if !files = 0 || !wrong > 0 || missing <> [] then 1 else 0)
