(* warpbound-check-extracted CERTIFICATE: judges its claims by the checkers that Coq extracts, as warpbound-check does by
   those in C; of what it is it only repeats the lines.  Exit status: 0 every claim is proven, 1 one is not, 2 the file is
   refused, 3 no extracted checker judges one. *)

let rec lines_of file = match input_line file with line -> line :: lines_of file | exception End_of_file -> []

let say (method_name, verdict) =
  print_endline (method_name ^ match verdict with
    | Judging.Proven -> ": proven"
    | Judging.Not_proven -> ": NOT PROVEN"
    | Judging.Left_out -> ": not judged")

let () =
  let fail why = prerr_endline ("warpbound-check-extracted: " ^ why); exit 2 in
  let lines = match Sys.argv with
    | [| _; name |] -> (try lines_of (open_in_bin name) with Sys_error why -> fail why)
    | _ -> fail "expected one certificate" in
  match Judging.judged (Reading.new_reading ()) lines with
  | Error why -> fail why
  | Ok claims ->
    List.iter (fun line -> if String.starts_with ~prefix:"of " line then print_endline line) lines;
    List.iter say claims;
    let has verdict = List.exists (fun (_, other) -> other = verdict) claims in
    exit (if has Judging.Not_proven then 1 else if has Judging.Left_out then 3 else 0)
