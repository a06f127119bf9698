(* The least tables that a block of machine code needs to show code-elb, code-sib and code-fib (docs/machine-code-bounds.md),
   which the checkers of proofs/check/CheckCode.v, CheckCodeSib.v and CheckCodeFib.v are asked of.  Nothing relies on them. *)

open Extracted_code

type code = {
  holds : bool; (* who finds a queue full holds the issue stage *)
  released : int;
  queues : int option array; (* by kind *)
  shares : bool array; (* sub-cores share the unit of this kind *)
  any_order : bool array; (* a warp's instructions keep no order there *)
  cores : int array; (* by warp *)
  warps : (instr * int) array array; (* with the least that a stall takes; units are kinds *)
  sections : int;
}

(* A barrier at the end of a warp is followed by a section without instructions. *)
let sections_of warps =
  let last sum warp = match Array.length warp with
    | 0 -> sum
    | n -> let i, _ = warp.(n - 1) in max sum (i.sec + if i.bar then 2 else 1) in
  Array.fold_left last 1 warps

(* ---- Units: those of a sub-core are numbered apart ---- *)

let kinds code = Array.length code.queues
let physical code core k = if code.shares.(k) then k else k + (kinds code * (core + 1))
let kind_of code u = u mod kinds code
let each_inst code act = Array.iter (Array.iter (fun (i, _) -> act i)) code.warps
let finite code k = code.queues.(k) <> None

let is_latch code i =
  match i.way with [] -> false | first :: _ -> i.fixed || code.queues.(first.unit0) = Some 0

let waits_in_queue code i = match i.way with [] -> false | first :: _ -> (not (is_latch code i)) && finite code first.unit0

(* What blocks back onto each kind, itself included. *)
let blocking code =
  let n = kinds code in
  let table = Array.init n (fun u -> Array.init n (fun v -> u = v)) in
  let rec note = function
    | a :: (b :: _ as rest) -> if finite code b.unit0 then table.(a.unit0).(b.unit0) <- true; note rest
    | _ -> () in
  each_inst code (fun i -> note i.way);
  for through = 0 to n - 1 do
    for u = 0 to n - 1 do
      if table.(u).(through) then Array.iteri (fun v there -> if there then table.(u).(v) <- true) table.(through)
    done
  done;
  table

let closed_under table chosen =
  Array.init (Array.length chosen) (fun v ->
      let found = ref false in
      Array.iteri (fun u is -> if is && table.(u).(v) then found := true) chosen;
      !found)

(* The kinds before each one, and where ways differ. *)
let met code table =
  let n = kinds code in
  let before = Array.make n None and differ = Array.copy code.any_order in
  let note latch way =
    let step passed s =
      let this = (List.rev passed, latch) in
      (match before.(s.unit0) with
       | Some other when other <> this -> differ.(s.unit0) <- true
       | _ -> before.(s.unit0) <- Some this);
      if List.mem s.unit0 passed then differ.(s.unit0) <- true;
      s.unit0 :: passed in
    ignore (List.fold_left step [] way) in
  each_inst code (fun i -> note (is_latch code i) i.way);
  (Array.map (function Some (passed, _) -> passed | None -> []) before, closed_under table differ)

(* ---- Paths of a warp ---- *)

let latest free chosen =
  let most = ref 0 in
  Array.iteri (fun k is -> if is then most := max !most free.(k)) chosen;
  !most

(* When the counters let instruction [k] go on, of what is begun in its section: [ends] are the ends of stages. *)
let counted block w k ends =
  let here = (get block (w, k)).sec in
  let one most (c, n) =
    let undone most j =
      if (get block (w, Stdlib.fst j)).sec <> here then most
      else max most (Checked.add ends.(Stdlib.fst j) (latency block w j)) in
    List.fold_left undone most (awaited block w k c n) in
  List.fold_left one 0 (get block (w, k)).waits

type path = { chosen : int array; issued : int array; begun : int array array; over : int array (* by section *) }

let new_path warp sections =
  let count = Array.length warp in
  { chosen = Array.make count 0; issued = Array.make count 0;
    begun = Array.map (fun (i, _) -> Array.make (List.length i.way) 0) warp; over = Array.make sections 0 }

(* Walks a warp: [gap k] is between the issue of instruction k - 1 and that of k, [behind k] what it waits for besides,
   [stage] begins a stage and says when it is over. *)
let walk block warp w path ~clear ~gap ~behind ~stage ~close =
  let ends = Array.make (Array.length warp) 0 in
  let one k (i, _) =
    let first = k = 0 || (Stdlib.fst warp.(k - 1)).sec <> i.sec in
    if first then clear ();
    let at = if k = 0 then i.fetch else if first then 0 else Checked.add path.issued.(k - 1) (gap (k - 1)) in
    let at = max at (max (counted block w k ends) (behind i)) in
    path.chosen.(k) <- at;
    path.issued.(k) <- Checked.add at i.operand;
    let follow (n, at) s =
      let start, over = stage i n s at in
      path.begun.(k).(n) <- start;
      ends.(k) <- over;
      (n + 1, Checked.add over s.transfer) in
    ends.(k) <- path.issued.(k);
    ignore (List.fold_left follow (0, path.issued.(k)) i.way);
    let over = max (Checked.add ends.(k) (max i.write i.read)) (close k path.issued.(k)) in
    path.over.(i.sec) <- max path.over.(i.sec) over in
  Array.iteri one warp

let fetch_behind warp k = if k + 1 < Array.length warp then (Stdlib.fst warp.(k + 1)).fetch else 0

(* The own graph. *)
let own_path code block table held sections w =
  let warp = code.warps.(w) in
  let path = new_path warp sections and free = Array.make (kinds code) 0 in
  let inst k = Stdlib.fst warp.(k) in
  walk block warp w path
    ~clear:(fun () -> Array.fill free 0 (kinds code) 0)
    ~gap:(fun k -> max (max (inst k).stall (inst k).slot) (inst (k + 1)).fetch)
    ~behind:(fun i ->
      let queue = match i.way with
        | first :: _ when is_latch code i || waits_in_queue code i -> latest free table.(first.unit0)
        | _ -> 0 in
      max queue (latest free held))
    ~stage:(fun i n s at ->
      let start = if n = 0 && is_latch code i then at else max at (latest free table.(s.unit0)) in
      let over = Checked.add start s.hold in
      free.(s.unit0) <- max free.(s.unit0) over;
      (start, over))
    ~close:(fun k at ->
      let i = inst k in
      let behind = if i.bar then max i.stall (fetch_behind warp k) else 0 in
      Checked.add at (max i.slot behind));
  path

(* The path of latencies, from the start of each section. *)
let lam_path code block sections w =
  let warp = code.warps.(w) in
  let path = new_path warp sections and since = Array.make (kinds code) 0 in
  let beyond k pace = max 0 (pace - chold block (w, k)) in
  walk block warp w path
    ~clear:(fun () -> Array.fill since 0 (kinds code) 0)
    ~gap:(fun k -> beyond k (max (Stdlib.fst warp.(k)).stall (Stdlib.fst warp.(k + 1)).fetch))
    ~behind:(fun _ -> 0)
    ~stage:(fun _ _ s at ->
      let start = max at since.(s.unit0) in
      since.(s.unit0) <- start;
      (start, start))
    ~close:(fun k at ->
      let i = Stdlib.fst warp.(k) in
      if i.bar then Checked.add at (beyond k (max i.stall (fetch_behind warp k))) else at);
  path

(* ---- What is left behind a release ---- *)

type pending = { place : int; row : int option; pipe : int option (* its first unit, if all its units block that *) }

let pipe_of table i =
  match i.way with
  | first :: later when List.for_all (fun s -> table.(first.unit0).(s.unit0)) later -> Some first.unit0
  | _ -> None

(* Whether some instruction waits in the cycle behind the one of its warp that it waits for. *)
let waits_too_soon code =
  let soon = ref false in
  let pair warp k (i, _) =
    if k > 0 then begin
      let before, least = warp.(k - 1) in
      let awaited = function Some c -> List.mem_assoc c i.waits | None -> false in
      if least < 2 && (awaited before.counts_write || awaited before.counts_read) then soon := true
    end in
  Array.iter (fun warp -> Array.iteri (pair warp) warp) code.warps;
  !soon

(* Queued instructions of a section that nobody has waited for. *)
let pending_of code table soon w q =
  let waiting list k (i, _) =
    if i.sec <> q then list
    else begin
      let undone p = match p.row with Some c -> not (List.mem (c, 0) i.waits) | None -> true in
      let list = if soon then list else List.filter undone list in
      if i.way = [] || i.fixed then list
      else begin
        let row = if i.counts_write <> None then i.counts_write else i.counts_read in
        { place = k; row; pipe = pipe_of table i } :: list
      end
    end in
  let list = ref [] in
  Array.iteri (fun k inst -> list := waiting !list k inst) code.warps.(w);
  !list

let holds_of i = List.fold_left (fun sum s -> Checked.add sum s.hold) 0 i.way

(* The pipe, or the unit, that has most of them, and how much: [`Pipe u] has all stages, [`Unit u] one. *)
let largest code clash w pending =
  let inst p = Stdlib.fst code.warps.(w).(p.place) in
  let of_pipe u = List.fold_left (fun sum p -> if p.pipe = Some u then sum + holds_of (inst p) else sum) 0 pending in
  let on_unit u i = List.fold_left (fun sum s -> if s.unit0 = u then sum + s.hold else sum) 0 i.way in
  let of_unit u =
    if clash.(u) then 0
    else List.fold_left (fun sum p -> if p.pipe = None then sum + on_unit u (inst p) else sum) 0 pending in
  let better best one = if Stdlib.snd one > Stdlib.snd best then one else best in
  let all = List.init (kinds code) (fun u -> [ (`Pipe u, of_pipe u); (`Unit u, of_unit u) ]) in
  List.fold_left better (`Unit (-1), 0) (List.concat all)

(* What latches are held beyond the section's last issue. *)
let latched code w q last =
  let until = Array.make (kinds code) 0 and passed = ref 0 in
  let one k (i, least) =
    if i.sec = q then begin
      if i.fixed then List.iter (fun s -> until.(s.unit0) <- max until.(s.unit0) (!passed + s.hold)) i.way;
      if k <> last then passed := !passed + least
    end in
  Array.iteri one code.warps.(w);
  Array.fold_left (fun sum one -> sum + max 0 (one - (!passed + 1))) 0 until

type rest = { most : [ `Pipe of int | `Unit of int ]; waiting : pending list; sum : int }

let rest_of code table clash soon w q =
  let last = ref (-1) in
  Array.iteri (fun k (i, _) -> if i.sec = q then last := k) code.warps.(w);
  let waiting = pending_of code table soon w q in
  let most, spared = largest code clash w waiting in
  let all = List.fold_left (fun sum p -> sum + holds_of (Stdlib.fst code.warps.(w).(p.place))) 0 waiting in
  let slot = if !last < 0 then 0 else
    let i = Stdlib.fst code.warps.(w).(!last) in
    if i.way <> [] && not i.fixed then i.slot else i.slot - 1 in
  { most; waiting; sum = (if !last < 0 then 0 else all - spared + latched code w q !last + slot) }

(* ---- All of it ---- *)

let block_of code =
  let placed core i = { i with way = List.map (fun s -> { s with unit0 = physical code core s.unit0 }) i.way } in
  Array.to_list (Array.mapi (fun w warp -> Array.to_list (Array.map (fun (i, _) -> placed code.cores.(w) i) warp)) code.warps)

let core_of code w = if w < Array.length code.cores then code.cores.(w) else 0

let machine_of code clash =
  { queue = (fun u -> code.queues.(kind_of code u)); core = core_of code; holds_issue = code.holds;
    kind = kind_of code; clash = (fun u -> clash.(kind_of code u)); group = (fun _ -> 0); release = code.released }

let ways_of code (before, clash) =
  { meets = (fun k -> clash.(k)); passed = (fun k -> before.(k)); one = (fun core k -> physical code core k) }

let key_of part paths (w, k) = (part paths.(w)).(k)
let stage_of paths (w, k) i = paths.(w).begun.(k).(i)

let elb_of code =
  let table = blocking code and block = block_of code in
  let ways = met code table in
  let machine = machine_of code (Stdlib.snd ways) and count = code.sections in
  let paths = Array.init (Array.length code.warps) (lam_path code block count) in
  let row q = Array.fold_left (fun most path -> max most path.over.(q)) 0 paths in
  let rows = List.init count row in
  let later x t = Checked.add t (opened machine rows (get block x).sec) in
  code_elb_shown machine block (ways_of code ways)
    (fun x -> later x (key_of (fun p -> p.chosen) paths x)) (fun x -> later x (key_of (fun p -> p.issued) paths x))
    (fun x i -> later x (stage_of paths x i)) rows

let sib_tables_of code block table clash count =
  let held = Array.make (kinds code) false in
  let hold_up i = if code.holds && waits_in_queue code i then
    Array.iteri (fun v there -> if there then held.(v) <- true) table.((List.hd i.way).unit0) in
  each_inst code hold_up;
  let paths = Array.init (Array.length code.warps) (own_path code block table held count) in
  let soon = waits_too_soon code and wide = closed_under table code.shares in
  let rest = Array.init (Array.length code.warps) (fun w -> Array.init count (rest_of code table clash soon w)) in
  let of_key (w, k) = rest.(w).((get block (w, k)).sec) in
  let find (w, k) = List.find_opt (fun p -> p.place = k) (of_key (w, k)).waiting in
  let spared (w, k) i = match find (w, k), (of_key (w, k)).most with
    | Some { pipe = Some u; _ }, `Pipe most -> u = most
    | Some { pipe = None; _ }, `Unit most -> kind_of code (st block (w, k) i).unit0 = most
    | _ -> false in
  let least (w, k) = Stdlib.snd code.warps.(w).(k) in
  let left_over (w, k) i =
    let inst = get block (w, k) in
    if not inst.fixed then (if find (w, k) <> None then (st block (w, k) i).hold else 0)
    else begin
      let last = ref k in
      List.iteri (fun j o -> if o.sec = inst.sec then last := max !last j) (List.nth block w);
      let machine = machine_of code clash in
      if retaken_b machine block (w, k) !last then 0
      else max 0 ((st block (w, k) i).hold - (least_sum least (w, k) !last + 1))
    end in
  { blocks = (fun u v -> table.(kind_of code u).(kind_of code v)); held = (fun _ u -> held.(kind_of code u));
    home = (fun u -> if u < kinds code then None else Some ((u / kinds code) - 1)); wide = (fun u -> wide.(kind_of code u));
    tP = key_of (fun p -> p.chosen) paths; tI = key_of (fun p -> p.issued) paths; tD = stage_of paths;
    alone = (fun q w -> paths.(w).over.(q)); piped = spared; spill = left_over;
    left = (fun q w -> rest.(w).(q).sum) }

let sib_of code =
  let table = blocking code and block = block_of code in
  let ways = met code table in
  let machine = machine_of code (Stdlib.snd ways) and count = code.sections in
  let tables = sib_tables_of code block table (Stdlib.snd ways) count in
  let least (w, k) = Stdlib.snd code.warps.(w).(k) in
  code_sib_shown machine block tables least (ways_of code ways) count

(* Latches of its sub-core that a warp does not use in a section. *)
let fib_of code =
  let table = blocking code and block = block_of code in
  let ways = met code table in
  let clash = Stdlib.snd ways and count = code.sections in
  let machine = machine_of code clash in
  let used = Array.map (fun _ -> Array.make_matrix count (kinds code) false) code.warps in
  let is_latch = Array.make (kinds code) false in
  let note w (i, _) = List.iter (fun s ->
      used.(w).(i.sec).(s.unit0) <- true;
      if i.fixed then is_latch.(s.unit0) <- true) i.way in
  Array.iteri (fun w -> Array.iter (note w)) code.warps;
  let loose u = let k = kind_of code u in is_latch.(k) && not (clash.(k) || code.shares.(k)) in
  let spare w n u = not used.(w).(n).(kind_of code u) in
  let tables = sib_tables_of code block table clash count in
  let least (w, k) = Stdlib.snd code.warps.(w).(k) in
  if count = 1 then code_fib_shown machine block tables (fun w u -> loose u && spare w 0 u) (ways_of code ways)
  else code_fib_sections_shown machine block tables loose spare least (ways_of code ways) count
