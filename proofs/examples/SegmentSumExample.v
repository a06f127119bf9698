(** * Caches: theorem 1 of docs/memory-bounds.md asks for nothing that cannot be

    Three thread blocks of two warps on two SMs with one slot and one entry each; every stage and
    service takes a cycle.  On SM 0, block 0 loads lines A and B: the second load stalls until the
    first one's data is there, from 1 to 7.  Block 1, on SM 1, loads A twice: the second level has
    it on its way, and the second load hits on it.  Block 2 follows on SM 0, two cycles behind block
    0: a load finds A, and a store goes below. *)

From Coq Require Import List Arith Lia Bool Sorted.
From Warpbound Require Import Cycles Largest Model Elb CheckSchedule CheckGrid Grid Caches
  SegmentSum.
Import ListNotations.

Definition access (init lat : nat) : list instr := [Instr 0 init lat [] 0].
Definition of_block (i w : nat) : nat := if i =? 0 then (if w <? 2 then 0 else 2) else 1.
Definition sm_machine (i : nat) : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0)
  (of_block i) (fun _ => 0).
(** Latencies by lemma 1: 4 of a load, 1 of one that finds its data, 3 of a store. *)
Definition stated (i : nat) : block :=
  if i =? 0 then [access 1 4; access 1 4; access 1 1; access 1 3] else
  [access 1 4; access 1 4].
Definition taking (i : nat) : block :=
  if i =? 0 then [access 1 7; access 8 7; access 1 1; access 1 5] else
  [access 1 7; access 1 6].
Definition accesses : grid := Grid 3 2 1 2 0 sm_machine stated.

Definition at_warp (l0 l1 : list nat) (i : nat) (x : key) : nat := nth (fst x)
  (if i =? 0 then l0 else l1) 0.
Definition accesses_run : execution :=
  Execution (fun i => Schedule (at_warp [0; 1; 18; 19] [0; 1] i) (at_warp [0; 1; 18; 19] [0; 1] i)
    (at_warp [1; 8; 1; 1] [1; 1] i) (at_warp [7; 7; 1; 5] [7; 6] i) (fun _ _ => 0)
    (fun b => if b =? 2 then 18 else 0))
    (fun b => if b =? 1 then 1 else 0) (fun _ => 0) (fun b => b) (fun b => if b =? 2 then 16 else 0)
    (fun _ => 0) (fun b => nth b [16; 8; 25] 0).

(** Requests 0 to 5: of blocks 0, 1 and 2. *)
Definition of (l : list nat) (r : nat) : nat := nth r l 0.
Definition among (l : list nat) (r : nat) : bool := existsb (Nat.eqb r) l.
Definition at_each (l : list nat) (r : nat) : span := (of l r, of l r + 1).
Definition six : traffic := Traffic [0; 1; 2; 3; 4; 5] (of [0; 0; 1; 1; 0; 0])
  (fun r => (of [0; 1; 0; 1; 2; 3] r, 0)) (of [1; 9; 1; 2; 19; 20]) (of [8; 16; 8; 8; 20; 25])
  (among [0; 1; 2; 3; 4]) (among [0; 1; 2; 5]) (among [0; 1; 2]) (among [4]) (among [0; 1])
  (at_each [2; 10; 3; 0; 0; 21]) (at_each [4; 12]) (of [6; 14; 6; 0; 0; 23])
  (at_each [7; 15; 7; 0; 0; 24]) [] (at_each []).
Definition ones : levels := Levels 1 1 1 1 1 1 1 1.
Definition waiting (i : nat) (x : key) (t : nat) : bool := (i =? 0) && ((fst x =? 1)
  && during (1, 8) t).
Definition stalling (i t : nat) : bool := (i =? 0) && during (1, 8) t.

Lemma of_six r : In r (requests six) -> r = 0 \/ r = 1 \/ r = 2 \/ r = 3 \/ r = 4 \/ r = 5.
Proof. cbn. intuition. Qed.

Lemma of_warps i x : i < 2 -> In x (keys (prog accesses i)) -> exists w, x = (w, 0) /\
  (i = 0 /\ (w = 0 \/ w = 1 \/ w = 2 \/ w = 3) \/ i = 1 /\ (w = 0 \/ w = 1)).
Proof.
  intros Hi Hx. destruct i as [|[|i]]; [| |lia]; cbn in Hx; intuition subst; eexists;
    (split; [reflexivity|lia]).
Qed.

Ltac each_request H := apply of_six in H; destruct H as [->|[->|[->|[->|[->| ->]]]]].
Ltac each_warp Hi H := apply (of_warps _ _ Hi) in H;
  destruct H as [w [-> [[-> [->|[->|[->| ->]]]]|[-> [->| ->]]]]].

Ltac compare_all :=
  repeat match goal with
  | |- context [?a <=? ?b] => destruct (Nat.leb_spec a b)
  | H : context [?a <=? ?b] |- _ => destruct (Nat.leb_spec a b)
  | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b)
  | H : context [?a <? ?b] |- _ => destruct (Nat.ltb_spec a b) end.

(** The run keeps the rules. *)
Theorem accesses_keep : caches_keep accesses accesses_run taking ones six (fun _ _ => 0) waiting
  stalling.
Proof.
  assert (forall r, In r (below six) -> In r (requests six)) as Sub
    by (intros r Hr; apply filter_In in Hr; tauto).
  constructor.
  - apply grid_valid_ok; [vm_compute; reflexivity|intros; cbn; lia].
  - intros i x Hi. cbn in Hi. split; [destruct i as [|[|i]]; [reflexivity|reflexivity|lia]|].
    intros Hx. each_warp Hi Hx; split; reflexivity.
  - intros i x N Hi Hx. each_warp Hi Hx;
      [pose proof (cnt_interval 0 1 N) as A|pose proof (cnt_interval 8 1 N) as A|
       pose proof (cnt_interval 18 1 N) as A|pose proof (cnt_interval 19 1 N) as A|
       pose proof (cnt_interval 0 1 N) as A|pose proof (cnt_interval 1 1 N) as A];
      (etransitivity; [|exact A]); apply cnt_le; intros t _ P;
      unfold initiates, waiting, during in P; cbn -[Nat.leb Nat.ltb] in P |- *; compare_all;
      cbn in P |- *; solve [reflexivity|discriminate|lia].
  - intros i x t Hi Hx _ T. left. unfold waiting in T. unfold stalling.
    rewrite !andb_true_iff in *. tauto.
  - intros r Hr. each_request Hr; cbn; auto 10 with arith.
  - intros i x Hi Hx. right.
    each_warp Hi Hx; [exists 0|exists 1|exists 4|exists 5|exists 2|exists 3];
      cbn; auto 10.
  - intros r Hr Go. each_request Hr; try discriminate; (split; [reflexivity|]).
    + right. split; [reflexivity|]. exists 2. cbn. auto 10.
    + left. cbn. lia.
  - intros r S. apply existsb_exists in S as [z [[<-|[]] E]]. apply Nat.eqb_eq in E. subst.
    reflexivity.
  - intros r Hr. apply Sub in Hr. each_request Hr; (split; [cbn; lia|]); cbn; intros t Ht; try lia.
    exists 0. replace t with 2 by lia. cbn. auto.
  - intros r Hr. pose proof Hr as Go. apply filter_In in Go as [_ Go]. apply Sub in Hr.
    each_request Hr; try discriminate; try (left; cbn; lia); right; (split; [reflexivity|]);
      [exists 0|exists 1|exists 0]; cbn; auto 10 with arith.
  - intros r [<-|[<-|[]]]; (split; [cbn; lia|]); cbn; lia.
  - intros w [].
  - intros r Hr. pose proof Hr as Go. apply filter_In in Go as [_ Go]. apply Sub in Hr.
    each_request Hr; try discriminate; (split; [cbn; lia|]; split; [cbn; lia|]); cbn; lia.
Qed.

Theorem accesses_enter : entries_keep accesses accesses_run ones six stalling.
Proof.
  constructor.
  - exact (seq_NoDup 6 0).
  - intros r Hr E. each_request Hr; try discriminate; split; reflexivity.
  - intros i t Hi S. unfold stalling, during in S. cbn [fst snd] in S.
    rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in S. destruct S as [-> S]. split.
    + assert (t = 1 \/ t = 2 \/ t = 3 \/ t = 4 \/ t = 5 \/ t = 6 \/ t = 7) as T by lia.
      intuition subst; vm_compute; lia.
    + exists 1. cbn. lia.
Qed.

Lemma two_loads i : i < 2 -> at_most accesses_run six 2 i.
Proof.
  intros Hi t. destruct i as [|[|i]]; [| |lia]; cbn -[Nat.leb Nat.ltb]; unfold during;
    cbn -[Nat.leb Nat.ltb];
    compare_all; cbn; lia.
Qed.

(** E = 2 of each block; lam = 4, 4 and 3.  On SM 0 services take 6, its answers 3, and stalls 8: by
    theorem 1 its blocks end by 30; they do by 25. *)
Definition order (i : nat) : list nat := if i =? 0 then [0; 2] else if i =? 1 then [1] else [].
Theorem accesses_end : forall b, b < 3 -> let i := sm_of accesses_run b in
  ended accesses_run b <= sum_time 1 2 (held ones six (Z ones six 2) i) (map (fun _ => 2) (order i))
    (map (of [4; 4; 3]) (order i)).
Proof.
  apply (segment_sum _ _ _ _ _ _ _ _ (Z ones six 2) accesses_keep) with (L := fun _ _ => 0).
  - intros i N Hi. exact (entry_stalls _ _ _ _ _ _ _ _ accesses_keep accesses_enter (le_n _) 2 i N
      Hi (two_loads i Hi)).
  - intros i Hi. split; [split; intros; cbn; lia|]. apply wf_ok.
    destruct i as [|[|i]]; [reflexivity|reflexivity|cbn in Hi; lia].
  - intros i x Hi Hx. split; [lia|]. intros r Hr. each_warp Hi Hx; each_request Hr; cbn; intros;
      try lia; try discriminate.
  - intros b Hb. cbn in Hb. destruct b as [|[|[|b]]]; cbn; lia.
  - intros b x Hb Hx W. pose proof (fun Hi => of_warps (sm_of accesses_run b) x Hi Hx) as K.
    cbn in Hb. destruct b as [|[|[|b]]]; [| | |lia]; destruct (K ltac:(cbn; lia)) as [w [-> Q]];
      cbn in Q; intuition subst; try discriminate; cbn in W |- *; try lia.
  - intros i Hi w k Hk. destruct (of_warps i (w, k) Hi Hk) as [v [E Q]]. inversion E; subst.
    intuition subst; cbn; repeat split; intros; try lia; try discriminate; contradiction.
  - intros i b. cbn. destruct i as [|[|i]]; cbn; destruct b as [|[|[|b]]]; cbn; intuition lia.
  - intros [|[|i]]; repeat constructor.
  - reflexivity.
  - intros b Hb. cbn in Hb. destruct b as [|[|[|b]]]; cbn; lia.
Qed.
Example accesses_30 : ended accesses_run 2 = 25 /\
  sum_time 1 2 (held ones six (Z ones six 2) 0) [2; 2] [4; 3] = 30.
Proof. split; vm_compute; reflexivity. Qed.
