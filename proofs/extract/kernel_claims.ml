(* What the formulas of proofs/kernel/ say of a kernel, with alpha and solo that the checkers of proofs/extract/ show of its blocks.  As block_claims.ml, and as in the program in C: of a block as the certificate has it (docs/machine-checked.md
   says what that leaves to paper). *)

open Extracted
open Reading

let most_blocks = 100_000

let latencies machine block = found 0 (table_of (indexed (Block_claims.lam_table machine block)))

(* ---- Chains through the busiest sub-cores ---- *)

(* The longest sequence of sub-cores, each another one than that before, that ends with an instruction. *)
let turns_of (machine : machine) block =
  let all = List.map (fun x -> ((get block x).sec, machine.core (Stdlib.fst x))) (keys block) in
  let longest = Hashtbl.create 16 in
  let one (q, core) =
    let before (other_q, other) most_turns turns =
      if other_q < q then Stdlib.max turns (most_turns + if other = core then 0 else 1) else turns in
    Hashtbl.replace longest (q, core) (Hashtbl.fold before longest 0) in
  List.iter one (List.sort_uniq compare all);
  fun x -> Option.value (Hashtbl.find_opt longest ((get block x).sec, machine.core (Stdlib.fst x))) ~default:0

(* W, the extras, lam and more, of sections or of the whole block. *)
let chain_kind_of_block ?bare r (b : Reading.block) fine =
  let block = Block_claims.block_of ?bare r b and machine = Block_claims.machine_of r b in
  let home = Block_claims.home_of r and path = latencies machine block and turns = turns_of machine block in
  if not (chain_tables machine block home path && turns_b machine block turns) then refuse "not shown: chain";
  chain_kind_of block machine home r.sub_cores 0 path turns fine

(* As in the program in C: what does nothing is on no sub-core, and [alpha] may be less than W and lam. *)
let chain_kind r (b : Reading.block) alpha fine =
  let kind = chain_kind_of_block r b fine in
  { kind with cH = (chain_kind_of_block ~bare:true r b fine).cH;
              cO = if fine then kind.cO else Checked.sub (Stdlib.min alpha (Checked.add kind.cW kind.cO)) kind.cW }

let serial_time r (b : Reading.block) =
  let block = Block_claims.block_of r b and machine = Block_claims.machine_of r b in
  sERIAL_fast machine block (Block_claims.home_of r) (List.init r.sub_cores (fun core -> core)) 0

(* ---- Oldest first ---- *)

(* What an instruction of a unit waits for a younger block: the rest of the longest initiation of any. *)
let waits r classes =
  let units = List.length r.units in
  let longest = Array.make (units + 1) 1 in
  let inst one = Option.iter (fun u -> longest.(u) <- Stdlib.max longest.(u) one.first) one.unit_of in
  List.iter (fun c -> List.iter inst c.of_block.insts) classes;
  fun f -> if units = 0 then 0 else longest.(f mod units) - 1

let held_time r wait (b : Reading.block) =
  let block = Block_claims.block_of r b and machine = Block_claims.machine_of r b in
  let cores = List.init r.sub_cores (fun core -> core) in
  (oLDEST_fast machine block wait (Block_claims.home_of r) cores 0, held_lam_fast machine block wait cores 0)

let check_policy r =
  if not r.oldest_first then refuse "any block may issue first";
  if r.dispatch <> Some 0 then refuse "queues";
  if r.sub_cores > 1 && List.exists Stdlib.fst r.units then refuse "sub-cores share a unit"

(* ---- Blocks ---- *)

(* The least that a method shows. *)
let least r (b : Reading.block) method_name =
  let block = Block_claims.block_of r b and machine = Block_claims.machine_of r b in
  let start () = found 0 (table_of (indexed (Stdlib.snd (Block_claims.isolation_tables machine block)))) in
  let cycles = match method_name with
    | "elb" -> Checked.add (e_fast block) (top_fast block (latencies machine block))
    | "chain" -> let kind = chain_kind_of_block r b true in Checked.add kind.cW kind.cO
    | "sib" -> sib_shared_fast block machine (Block_claims.is_shared r) (start ()) 0
    | "aln" -> aLN_fast block machine
    | "fifo" when r.dispatch = None -> fIFO_fast block machine (Queued.best_sets machine block)
    | "fib" | "fifo" -> fib_charge_fast block machine (start ()) 0
    | _ -> refuse ("no claim of a block: " ^ method_name) in
  if not (Block_claims.is_shown r b method_name cycles) then refuse ("not shown: " ^ method_name);
  cycles

(* alpha by lemma 3, where that holds; solo by whatever is least. *)
let kind_of r (c : kernel_class) =
  let least = least r c.of_block in
  let least_of = List.fold_left (fun cycles method_name -> Stdlib.min cycles (least method_name)) in
  let e = e_fast (Block_claims.block_of r c.of_block) and elb = least "elb" in
  let window = match r.dispatch with Some d -> d = 0 | None -> true in
  let solo = least_of elb [ "sib"; "fib" ] in
  { kE = e; kL = elb - e; kA = least_of elb (if window then [ "sib" ] else []); kS = least_of solo (Option.to_list c.alone) }

let sums_of r (c : kernel_class) =
  let e = e_fast (Block_claims.block_of r c.of_block) and elb = least r c.of_block "elb" in
  { kE = e; kL = elb - e; kA = elb; kS = elb }

(* ---- Formulas ---- *)

let count_of classes = List.fold_left (fun sum c -> Checked.add sum c.many) 0 classes

(* The most of any SM, by its blocks in the order of their numbers. *)
let longest_sm grid kinds one =
  let runs = List.concat_map (fun (c, count) -> List.init count (fun _ -> kinds.(c))) (List.rev grid.assigned) in
  let of_sm i = List.filteri (fun b _ -> b mod grid.sms = i) runs in
  List.fold_left Stdlib.max 0 (List.init (Stdlib.min grid.sms (List.length runs)) (fun i -> one i (of_sm i)))

let static_time grid kinds room = longest_sm grid kinds (fun _ blocks -> sm_static room grid.delay grid.service blocks)

let segment_sum grid kinds room =
  let held_of = Array.of_list (List.rev grid.held_of) in
  let one i blocks =
    if i >= Array.length held_of then refuse "not said what is held on an SM";
    if List.exists (fun kind -> kind.kE = 0) blocks then refuse "an empty block";
    sum_time room grid.delay held_of.(i) (List.map (fun kind -> kind.kE) blocks) (List.map (fun kind -> kind.kL) blocks) in
  longest_sm grid kinds one

let check_assigned grid classes =
  let assigned c = List.fold_left (fun sum (other, count) -> if other = c then Checked.add sum count else sum) 0 grid.assigned in
  List.iteri (fun c one -> if assigned c <> one.many then refuse "not as many blocks as there are") classes

let formula_of r grid kinds classes method_name =
  let each of_class = List.concat (List.mapi (fun c one -> let of_one = of_class c one in List.init one.many (fun _ -> of_one)) classes) in
  let all = each (fun c _ -> kinds.(c)) in
  let anywhere formula room =
    if grid.assigned <> [] then refuse "blocks do not go to any SM";
    formula grid.sms room grid.delay all in
  (* Sections of parts of paths may be joined. *)
  let joined = List.exists (fun one -> one.of_block.parts && List.length one.of_block.rows > 1) classes in
  let views () = List.map (fun fine -> each (fun c one -> chain_kind r one.of_block kinds.(c).kA fine)) (if joined then [ false ] else [ true; false ]) in
  let with_chains formula = let views = views () in anywhere (fun sms room delay all -> formula sms room delay all views) in
  let serial () =
    if joined then refuse "no claim of parts of paths with barriers";
    let views = views () and times = each (fun _ one -> serial_time r one.of_block) in
    fun sms room delay all -> k_serial sms room delay (Stdlib.min (best_tail room all views) (largest room times)) times in
  let oldest () =
    check_policy r;
    let views = views () and times = each (fun _ one -> serial_time r one.of_block) and wait = waits r classes in
    let held = each (fun _ one -> held_time r wait one.of_block) in
    let held_times = List.map Stdlib.fst held in
    let stay n = oldest_stay n (List.map2 (fun kind (_, lam) -> { kind with cL = lam }) (List.hd views) held) held_times in
    fun sms room delay all ->
      let count = List.length all in
      let last n = Stdlib.min (stay n) (Stdlib.min (best_tail n all views) (largest n times)) in
      if count <= Checked.mul sms room then last ((count + sms - 1) / sms)
      else stay_turns sms room delay (stay room) (last room) count in
  match method_name with
  | "k-sm" -> anywhere k_sm_fast
  | "k-area" -> anywhere k_area_fast
  | "k-bal" -> anywhere k_bal_fast
  | "k-chain" -> with_chains k_chain_least
  | "k-chain-area" -> with_chains k_chain_area
  | "k-chain-bal" -> with_chains k_chain_bal
  | "k-serial" -> anywhere (serial ())
  | "k-oldest" -> anywhere (oldest ())
  | "segment-sum" when grid.assigned <> [] && grid.service = 0 && not (List.exists (fun one -> one.of_block.parts) classes) ->
    check_assigned grid classes; segment_sum grid kinds
  | "k-sm-static" when grid.assigned <> [] -> check_assigned grid classes; static_time grid kinds
  | _ -> refuse ("no claim of a kernel: " ^ method_name)

(* More slots than blocks are as many. *)
let is_proven r grid method_name cycles =
  let classes = List.rev grid.classes in
  let count = count_of classes in
  grid.claimed <- true;
  if classes = [] then refuse "a kernel without a block";
  if count > most_blocks then refuse "too long";
  let kind = if method_name = "segment-sum" then sums_of else kind_of in
  let kinds = Array.of_list (List.map (kind r) classes) in
  let formula = formula_of r grid kinds classes method_name in
  let rooms = Stdlib.max 1 (Stdlib.min grid.most (Stdlib.max grid.fewest count) - grid.fewest + 1) in
  let time = List.fold_left Stdlib.max 0 (List.init rooms (fun n -> formula (grid.fewest + n))) in
  Checked.add time (Checked.mul grid.service count) <= cycles
