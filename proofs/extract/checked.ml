(* Arithmetic of natural numbers in OCaml's integers of 63 bits: what would not fit is an exception. *)

exception Overflow

let succ n = if n = max_int then raise Overflow else n + 1
let add a b = if a > max_int - b then raise Overflow else a + b
let mul a b = if b <> 0 && a > max_int / b then raise Overflow else a * b
let div a b = if b = 0 then 0 else a / b (* as Coq divides by 0 *)
let sub a b = if a > b then a - b else 0
let pred n = if n > 0 then n - 1 else 0
let max (a : int) b = if a > b then a else b
let min (a : int) b = if a < b then a else b
let equal (a : int) b = a = b
let at_most (a : int) b = a <= b
let less (a : int) b = a < b
