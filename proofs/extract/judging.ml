(* What the checkers of proofs/extract/ and proofs/check/ say of the claims of a certificate. *)

open Reading

(* What stands still is no definition's: it is added, as the program in C does, to claims from above alone. *)
let is_proven r method_name cycles =
  let stalls = match r.grid, r.blocks with None, b :: _ -> b.stalls | _ -> 0 in
  let held = Checked.add r.held stalls in
  if held > 0 && List.mem method_name [ "lower"; "k-serial"; "k-oldest" ] then refuse "everything stands still at times";
  let left = cycles - held in
  left >= 0 && match r.grid, r.blocks with
  | Some grid, _ -> Kernel_claims.is_proven r grid method_name left
  | None, b :: _ ->
    b.closed <- true;
    (if r.is_code then Code_claims.is_proven else Block_claims.is_proven) r b method_name left
  | None, [] -> refuse "a claim of nothing"

(* Alignments of pairs of long sections, and what waits in their queues, take too long here; nothing judges
   k-wave, k-chain-static and kernels of machine code. *)
let paired_most = 300
let is_left_out r method_name =
  let length (b : block) =
    List.fold_left (fun sum (path, _) -> sum + List.length (List.concat (sections_of b path))) 0 (each_warp b) in
  (r.grid <> None && (r.is_code || List.exists (fun b -> b.stalls > 0) r.blocks)) || String.starts_with ~prefix:"k-wave" method_name
  || method_name = "k-chain-static"
  || (method_name = "aln" || (method_name = "fifo" && r.dispatch = None)) && r.grid = None
  && List.exists (fun b -> length b > paired_most) r.blocks

type verdict = Proven | Not_proven | Left_out

(* What is claimed, in order, and whether it is proven.  As in the program in C an execution that is none ends it. *)
let claims_in r lines =
  let claim words = match words with
    | [ "claim"; method_name; cycles ] when is_left_out r method_name -> ignore (any cycles); Some (method_name, Left_out)
    | [ "claim"; method_name; cycles ] ->
      Some (method_name, if is_proven r method_name (any cycles) then Proven else Not_proven)
    | "claim" :: _ -> refuse "claim"
    | _ -> read_line r words; None in
  let rec claims_of before = function
    | [] -> List.rev before
    | line :: rest ->
      (match claim (words_of line) with
       | Some one -> claims_of (one :: before) rest
       | None -> claims_of before rest
       | exception Block_claims.No_execution -> List.rev (("lower", Not_proven) :: before)) in
  match claims_of [] (body_of lines) with [] -> refuse "nothing is claimed" | claims -> claims

let judged r lines =
  match claims_in r lines with
  | claims -> Ok claims
  | exception Refused why -> Error why
  | exception Checked.Overflow -> Error "overflow"
  | exception Executions.Unordered -> Error "no order"
  | exception Stack_overflow -> Error "too long"
