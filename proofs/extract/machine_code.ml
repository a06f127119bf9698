(* Reads blocks of machine code as tests/report/extracted_code.c writes them from its standard input and compares
   what the library computed of them with what the checkers of proofs/ say is shown.  Exit status 1 where they differ. *)

open Code_tables
open Code_cases

let wrong = ref 0 and compared = Hashtbl.create 4

let compare_number case name shown =
  let library = List.assoc name case.numbers in
  if shown = Some library then
    Hashtbl.replace compared name (1 + Option.value (Hashtbl.find_opt compared name) ~default:0)
  else begin
    incr wrong;
    let said = match shown with Some n -> string_of_int n | None -> "not shown" in
    if !wrong <= 5 then Printf.printf "case %s: %s %s, library %d\n" case.name name said library
  end

let compare_case case =
  let code = code_of case in
  compare_number case "code-elb" (elb_of code);
  compare_number case "code-sib" (sib_of code);
  compare_number case "code-fib" (fib_of code)

let () =
  each_case compare_case;
  Hashtbl.iter (Printf.printf "%-8s %6d the same as the library's\n") compared;
  if !wrong > 0 then Printf.printf "%d differ\n" !wrong;
  exit (if !wrong > 0 || Hashtbl.length compared < 3 then 1 else 0)
