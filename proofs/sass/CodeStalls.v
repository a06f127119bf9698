(** * Stall counts bound every execution from below: docs/machine-code.md, what stall counts prove

    The way of a lane: instructions 0 to [N - 1], issued with it among the active ones.  Hardware
    may do more than what is said here (other parts of the warp issue between, count the same
    counters up, results are late): that only takes longer. *)

From Warpbound Require Import Base Cycles Largest.

(** [up_counter]: the counter that goes up; [up_behind]: by when it cannot be down again, as cycles
    behind the issue of instructions: of the one itself, and of LDGDEPBAR of the copies before
    it. *)
Record increment := Increment { up_counter : nat; up_behind : list (nat * nat) }.

(** A lane is one warp with its stall counts and counters. *)
Record lane := Lane {
  stall_least : nat -> nat;                 (* until the next instruction *)
  ups : nat -> list increment;              (* for the result, for the sources *)
  must_wait : nat -> list (nat * nat) }.    (* counters, and what may be left of each: 0,
    or n of DEPBAR.LE *)

(** The increment at a place of the lane. *)
Definition up_at (w : lane) (jp : nat * nat) : increment := nth (snd jp) (ups w (fst jp))
  (Increment 0 []).

(** What counts counter [c] up before [k]: instruction, and which of its increments. *)
Definition increments_before (w : lane) (c k : nat) : list (nat * nat) :=
  flat_map (fun j => map (fun p => (j, p)) (filter (fun p => up_counter (up_at w (j, p)) =? c)
    (seq 0 (length (ups w j))))) (seq 0 k).

(** *** Times of the page: [t] is no later than what these say of it

    [due]: when an increment is down again at the earliest; [counted]: of those that [k] is sure to
    see. *)
Definition passed (w : lane) (j k : nat) : nat := sum (stall_least w) (seq j (k - j)).
Definition due (w : lane) (t : nat -> nat) (jp : nat * nat) : nat :=
  list_max (map (fun fl => t (fst fl) + snd fl) (up_behind (up_at w jp))).
Definition counted (w : lane) (t : nat -> nat) (c k : nat) : list nat :=
  map (due w t) (filter (fun jp => 2 <=? passed w (fst jp) k) (increments_before w c k)).

(** The ([n] + 1)-th largest. *)
Definition nth_largest (n : nat) (l : list nat) : nat := nth n (sorted l) 0.

(** The first cycle in which instruction [k] may issue. *)
Definition earliest (w : lane) (t : nat -> nat) (k : nat) : nat :=
  list_max (match k with 0 => 0 | S j => t j + stall_least w j end
            :: map (fun cn => nth_largest (snd cn) (counted w t (fst cn) k)) (must_wait w k)).

(** ** Executions: when each instruction is issued, and each increment undone *)
Record issues_lane (w : lane) (N : nat) (at_ : nat -> nat) (undone : nat * nat -> nat) : Prop := {
  e_stall : forall k, S k < N -> at_ k + stall_least w k <= at_ (S k);
  e_latency : forall jp f l, fst jp < N -> In (f, l) (up_behind (up_at w jp)) -> f <= fst jp /\
  at_ f + l <= undone jp;
  (* a counter is seen in the second cycle behind the issue *)
  e_wait : forall k c n, k < N -> In (c, n) (must_wait w k) ->
    length (filter (fun jp => (at_ (fst jp) + 2 <=? at_ k) && (at_ k <? undone jp))
      (increments_before w c k)) <= n }.

(** ** Lists in order *)

Lemma insert_often (p : nat -> bool) x l : length (filter p (insert x l))
  = length (filter p (x :: l)).
Proof.
  induction l as [|y l IH]; [reflexivity|]. cbn [insert]. destruct (y <=? x); [reflexivity|].
  cbn [filter] in *. destruct (p y), (p x); cbn [length] in *; lia.
Qed.

Lemma sorted_often (p : nat -> bool) l : length (filter p (sorted l)) = length (filter p l).
Proof.
  induction l as [|x l IH]; [reflexivity|]. change (sorted (x :: l)) with (insert x (sorted l)).
  rewrite insert_often. cbn [filter]. destruct (p x); cbn [length]; lia.
Qed.

Lemma falling_nth l n b : falling l -> length (filter (fun x => b <? x) l) <= n -> nth n l 0 <= b.
Proof.
  intros F. revert n. induction F as [|x l F IH H]; intros n L; [destruct n; simpl; lia|].
  destruct (le_lt_dec x b) as [C|C].
  - destruct n as [|n]; [exact C|]. cbn [nth].
    destruct (le_lt_dec (length l) n) as [D|D]; [rewrite nth_overflow; lia|].
    specialize (H _ (nth_In l 0 D)). lia.
  - cbn [filter] in L. rewrite (proj2 (Nat.ltb_lt _ _) C) in L.
    destruct n as [|n]; cbn [length] in L; [lia|]. apply IH. lia.
Qed.

Lemma nth_largest_le l n b : length (filter (fun x => b <? x) l) <= n -> nth_largest n l <= b.
Proof. intros H. apply falling_nth; [apply sorted_falling|]. rewrite sorted_often. exact H. Qed.

Section Execution.
  Variables (w : lane) (N : nat) (at_ : nat -> nat) (undone : nat * nat -> nat) (t : nat -> nat).
  Hypotheses (EX : issues_lane w N at_ undone) (Ht : forall k, k < N -> t k <= earliest w t k).

  Lemma stalls_pass j k : j <= k -> k < N -> at_ j + passed w j k <= at_ k.
  Proof.
    induction k as [|k IH]; intros Hj Hk; [replace j with 0 by lia; unfold passed; simpl;
      unfold sum; simpl; lia|]. unfold passed in *.
    destruct (Nat.eq_dec j (S k)) as [->|E]; [rewrite Nat.sub_diag; unfold sum; simpl; lia|].
    specialize (IH ltac:(lia) ltac:(lia)). pose proof (e_stall _ _ _ _ EX k Hk).
    replace (S k - j) with (k - j + 1) by lia. rewrite seq_app, sum_app. cbn [seq].
    rewrite sum_cons. change (sum ?f []) with 0. replace (j + (k - j)) with k by lia. lia.
  Qed.

  Lemma before_before c k jp : In jp (increments_before w c k) -> fst jp < k.
  Proof.
    intros H. apply in_flat_map in H as [j [Hj H]]. apply in_map_iff in H as [p [<- _]].
    apply in_seq in Hj. simpl. lia.
  Qed.

  (** *** What the stall counts and counters of the way say passes. *)
  Theorem stalls_least k : k < N -> at_ 0 + t k <= at_ k.
  Proof.
    induction k as [k IH] using lt_wf_ind. intros Hk.
    enough (t k <= at_ k - at_ 0) by (pose proof (stalls_pass 0 k ltac:(lia) Hk); lia).
    etransitivity; [apply Ht, Hk|]. apply list_max_le_in. intros y [<-|Hy].
    - destruct k as [|j]; [lia|]. specialize (IH j ltac:(lia) ltac:(lia)).
      pose proof (e_stall _ _ _ _ EX j Hk). lia.
    - apply in_map_iff in Hy as [[c n] [<- Hc]]. cbn [fst snd]. apply nth_largest_le.
      unfold counted. rewrite filter_mapped, map_length, filter_both.
      etransitivity; [|apply (e_wait _ _ _ _ EX k c n Hk Hc)]. apply filter_le. intros jp Hjp H.
      pose proof (before_before c k jp Hjp) as Hlt. apply andb_prop in H as [H1 H2].
      apply Nat.leb_le in H1. apply Nat.ltb_lt in H2.
      pose proof (stalls_pass (fst jp) k ltac:(lia) Hk). apply andb_true_intro.
      split; [apply Nat.leb_le; lia|]. apply Nat.ltb_lt.
      assert (due w t jp <= undone jp - at_ 0) as HD.
      { apply list_max_le_in. intros z Hz. apply in_map_iff in Hz as [[f l] [<- Hf]]. cbn [fst snd].
        destruct (e_latency _ _ _ _ EX jp f l ltac:(lia) Hf) as [F1 F2].
        specialize (IH f ltac:(lia) ltac:(lia)). pose proof (stalls_pass 0 f ltac:(lia) ltac:(lia)).
        lia. }
      lia.
  Qed.
End Execution.

(** A load, something else, and what waits for the load: 29 cycles, and an execution that takes no
    more. *)
Definition load_use : lane := Lane (fun _ => 1)
  (fun k => if k =? 0 then [Increment 0 [(0, 29)]] else []) (fun k =>
  if k =? 2 then [(0, 0)] else []).
Definition load_use_times (k : nat) : nat := nth k [0; 1; 29] 0.

Example load_use_earliest : map (earliest load_use load_use_times) [0; 1; 2] = [0; 1; 29].
Proof. reflexivity. Qed.
Example load_use_runs : issues_lane load_use 3 load_use_times (fun _ => 29).
Proof.
  split.
  - intros k Hk. destruct k as [|[|k]]; cbn; lia.
  - intros [j p] f l Hj Hf. destruct j as [|j]; [|destruct p; destruct Hf].
    destruct p as [|[|p]]; cbn in Hf; try contradiction. destruct Hf as [E|[]].
    injection E as <- <-. cbn. lia.
  - intros k c n Hk Hc. destruct k as [|[|[|k]]]; [destruct Hc|destruct Hc| |lia].
    destruct Hc as [E|[]]. injection E as <- <-. cbn. lia.
Qed.
Example load_use_least : 0 + load_use_times 2 <= load_use_times 2.
Proof.
  apply (stalls_least load_use 3 load_use_times _ load_use_times load_use_runs); [|lia].
  intros k Hk. destruct k as [|[|[|k]]]; cbn; lia.
Qed.
