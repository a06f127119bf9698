(** * Two thread blocks on an SM: one with a barrier that begins before the other; extras are
    needed *)

From Warpbound Require Import Base Cycles Largest Model Checks CheckFast CheckSchedule CheckGrid
  Bounds IsolationPaths AlnPaths Prefix Progress Issued Exists Grid Stay WaveSib WaveExtras Wave
  Teams WaveTeams WaveTeamPaths.

(** Thread block 0: A(2,1), a barrier whose release takes a cycle, B(2,0); thread block 1: C(3,0).
    One unit, depth 0. *)
Definition A : instr := Instr 0 2 1 [] 0.
Definition B : instr := Instr 0 2 0 [] 1.
Definition C3 : instr := Instr 0 3 0 [] 0.
Definition both : block := [[A; B]; [C3]].
Definition sm1 : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun w => w) (fun _ => 1).

(** C comes in between. *)
Definition start (x : key) : nat := if fst x =? 0 then if snd x =? 0 then 0 else 5 else 2.
Definition wave2 : schedule :=
  Schedule start start (fun x => init (get both x)) (fun x => lat (get both x)) (fun _ _ => 1)
    (fun g => g).

Example wave2_valid : valid sm1 both wave2.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; cbn; lia]. Qed.

(** By itself thread block 0 needs 6 cycles, the other adds 3; it ends at 7. *)
Example numbers : (SIB_at (only sm1 0 both) sm1 0, FIB_at (only sm1 0 both) sm1 0,
  adds_with_extras sm1 both 0 [0] 0 1, C wave2 (0, 1)) = (6, 6, 3, 7).
Proof. vm_compute. reflexivity. Qed.

(** That is so of each execution in which no other thread block is there. *)
Example both_alone : solo_bound sm1 both 0 6.
Proof.
  assert (machine_ok sm1) as M by (split; cbn; lia).
  assert (wf both /\ wf (only sm1 0 both)) as [W Wo] by (split; apply wf_fast_ok; reflexivity).
  pose proof (solo_sib sm1 both 0 _ _ M W (iso_at_edges _ sm1 Wo)) as S.
  pose proof (solo_fib sm1 both 0 _ _ M W (iso_at_edges _ sm1 Wo)) as F.
  intros s x V Hx. pose proof (Nat.min_glb _ _ _ (S s x V Hx) (F s x V Hx)) as H.
  rewrite Nat.add_min_distr_l in H. etransitivity; [exact H|].
  apply Nat.add_le_mono_l. vm_compute. lia.
Qed.

(** Theorem 1 bounds the example by 9 cycles; on one sub-core there are no extras. *)
Example wave2_ends x : of sm1 both 0 x -> C wave2 x <= 9.
Proof.
  intros Hx. change 9 with (0 + min (SIB_at (only sm1 0 both) sm1 0)
    (FIB_at (only sm1 0 both) sm1 0)
    + sum (adds_with_extras sm1 both 0 [0] 0) (strangers 0 [1])).
  apply (SIB_wave_extras sm1 both wave2 0 0 [1] [0]) with (turn := fun _ _ => 0);
    [split; cbn; lia|apply wf_fast_ok; reflexivity|exact wave2_valid|cbn; lia| | |
     |apply cost_same; discriminate|exact Hx].
  - intros y Hy N O. exfalso. cbn in Hy, N, O. intuition subst; cbn in *; auto.
  - split; [exact (seq_NoDup 1 0)|]. intros w. left. reflexivity.
  - split; intros; cbn; lia.
Qed.

(** ** Two sub-cores: without extras the bound is exceeded

    Thread block 0: A(1,0) on sub-core 0, a barrier, B(1,0) on sub-core 1.  Thread block 1: X(5,0)
    on sub-core 0, and on sub-core 1 Y(5,0), which waits for Z(1,5).  X is before A; when B may be
    issued, Y may be, too, and is before it. *)
Definition four : block :=
  [[Instr 0 1 0 [] 0]; [Instr 1 1 0 [] 1]; [Instr 0 5 0 [] 0];
    [Instr 2 1 5 [] 0; Instr 1 5 0 [0] 0]].
Definition sm2 : machine := Machine (fun _ => 1) (Some 0) 1 (fun w => w mod 2) (fun w => w / 2)
  (fun _ => 0).

Lemma cores4 : NoDup [0; 1] /\ forall w, In (core sm2 w) [0; 1].
Proof.
  split; [exact (seq_NoDup 2 0)|]. intros w. cbn [core sm2].
  pose proof (Nat.mod_upper_bound w 2 ltac:(lia)) as L.
  destruct (w mod 2) as [|[|n]]; [left|right; left|lia]; reflexivity.
Qed.

Definition start4 (x : key) : nat := nth (snd x) (nth (fst x) [[5]; [11]; [0]; [0; 6]] []) 0.
Definition wave4 : schedule :=
  Schedule start4 start4 (fun x => init (get four x)) (fun x => lat (get four x)) (fun _ _ => 0)
    (fun _ => 0).

Example wave4_valid : valid sm2 four wave4.
Proof. apply valid_ok; [vm_compute; reflexivity|intros; cbn; lia]. Qed.

(** SIB is 2, W is 6, U is 0; thread block 0 ends at 12.  X is 5. *)
Example extras_needed : (SIB_at (only sm2 0 four) sm2 0, busiest four sm2 0 [0; 1] 1,
  shared_work four sm2 0 1, C wave4 (1, 0)) = (2, 6, 0, 12) /\
  extras four sm2 0 [0; 1] 1 (last_section four sm2 0) = 5.
Proof. vm_compute. auto. Qed.

(** Theorem 1 with extras bounds the example by 13 cycles. *)
Example wave4_ends x : of sm2 four 0 x -> C wave4 x <= 13.
Proof.
  intros Hx.
  change 13 with (0 + min (SIB_at (only sm2 0 four) sm2 0) (FIB_at (only sm2 0 four) sm2 0)
    + sum (adds_with_extras sm2 four 0 [0; 1] (last_section four sm2 0)) (strangers 0 [1])).
  apply (SIB_wave_extras sm2 four wave4 0 0 [1] [0; 1]) with (turn := fun _ q => q);
    [split; cbn; lia|apply wf_fast_ok; reflexivity|exact wave4_valid|cbn; lia| |
    |apply changes_barriers|apply cost_same; discriminate|exact Hx].
  - intros y Hy N O. exfalso. cbn in Hy. intuition subst; cbn in *; auto.
  - exact cores4.
Qed.

(** ** The two as a grid on one SM *)

Lemma ok4 : machine_ok sm2 /\ wf four.
Proof. split; [split; cbn; lia|apply wf_fast_ok; reflexivity]. Qed.

Definition grid4 : grid := Grid 2 1 2 0 0 (fun _ => sm2) (fun _ => four).
Definition run4 : execution :=
  Execution (fun _ => wave4) (fun _ => 0) (fun b => b) (fun b => b) (fun _ => 0) (fun _ => 0)
    (fun b => 12 - b).

Lemma keys4 x : In x (keys four) -> x = (0, 0) \/ x = (1, 0) \/ x = (2, 0) \/ x = (3, 0) \/
  x = (3, 1).
Proof. cbn. intuition congruence. Qed.

Example run4_valid : grid_valid grid4 run4.
Proof. apply grid_valid_ok; [vm_compute; reflexivity|cbn; lia]. Qed.

Example run4_dealt : dealt grid4 run4.
Proof. apply dealt_ok; [vm_compute; reflexivity|exact run4_valid]. Qed.

Definition own4 (b : nat) : nat := min (SIB_at (only sm2 b four) sm2 b)
  (FIB_at (only sm2 b four) sm2 b).
Definition adds4 (b : nat) : nat -> nat := adds_with_extras sm2 four b [0; 1]
  (last_section four sm2 b).

(** The grid ends at 12, k-wave is 13. *)
Example k_wave4 : k_wave grid4 own4 adds4 = 13.
Proof. vm_compute. reflexivity. Qed.

Lemma stays4 c : c < 2 ->
  stays_with sm2 four c (mates grid4 run4 c) (own4 c + sum (adds4 c) (mates grid4 run4 c)).
Proof.
  intros Hc. replace (sum (adds4 c) (mates grid4 run4 c))
    with (sum (adds4 c) (strangers c (mates grid4 run4 c)))
    by (destruct c as [|[|c]]; [reflexivity|reflexivity|lia]). unfold own4, adds4.
  apply (stays_extras sm2 four c _ [0; 1] (fun _ q => q) (last_section four sm2 c));
    [split; cbn; lia|apply wf_fast_ok; reflexivity|exact cores4|apply changes_barriers|
     apply cost_same; discriminate].
Qed.

(** The bound of one wave is 13 cycles for the grid, however it is dispatched. *)
Example run4_ends b : b < 2 -> ended run4 b <= 13.
Proof.
  intros Hb. rewrite <- k_wave4.
  apply (k_wave_bound grid4 run4 run4_valid); [exact run4_dealt|cbn; lia|exact stays4|exact Hb].
Qed.
Lemma run4_shared : shared_out grid4 run4.
Proof. intros i. destruct i; cbn; lia. Qed.
Example run4_static b : b < 2 -> ended run4 b <= 13 /\ ended run4 b <= own4 b + sum (adds4 b)
  (mates grid4 run4 b).
Proof.
  intros Hb. pose proof (k_wave_static grid4 run4 run4_valid own4 adds4 b run4_shared (le_n _)
    (stays4 b Hb) Hb) as H. rewrite k_wave4 in H. split; [exact H|].
  pose proof (wave_block_static grid4 run4 run4_valid _ b run4_shared (le_n _) Hb (stays4 b Hb))
    as H2. rewrite !Nat.add_0_r in H2. exact H2.
Qed.

(** An execution of this grid exists, whoever is first and whatever the actual times are. *)
Definition any4 (order : schedule -> nat -> list key) (ai al : key -> nat) : execution :=
  at_once grid4 (fun _ => order)
    (fun _ => Schedule (fun _ => 0) (fun _ => 0) ai al (fun _ _ => 0) (fun _ => 0)).
Example any4_valid order ai al : fair four order ->
  (forall x, In x (keys four) -> takes (get four x) <= ai x <= init (get four x)
    /\ al x <= lat (get four x)) ->
  grid_valid grid4 (any4 order ai al) /\ forall b, b < 2 -> ended (any4 order ai al) b <= 13.
Proof.
  intros F T. destruct (at_once_valid grid4 (fun _ _ => ok4) (le_n 2)) with
    (order := fun _ : nat => order) (times := fun _ : nat =>
      Schedule (fun _ => 0) (fun _ => 0) ai al (fun _ _ => 0) (fun _ => 0)) as [V [_ D]].
  - intros i x Hi Hx. cbn in Hi. replace i with 0 by lia. apply keys4 in Hx.
    intuition subst; cbn; lia.
  - intros i _. exact F.
  - intros i _. split; [|split]; [intros x Hx; apply (T x Hx)|intros x Hx; apply (T x Hx)|].
    intros g q. apply le_n.
  - reflexivity.
  - split; [exact V|]. intros b Hb. rewrite <- k_wave4.
    apply (k_wave_bound grid4 _ V); [exact D|cbn; lia| |exact Hb]. intros c Hc.
    unfold mates, Kernel.of_sm. cbn [any4 at_once sm_of].
    destruct c as [|[|c]]; [exact (stays4 0 Hc)|exact (stays4 1 Hc)|cbn in Hc; lia].
Qed.

(** ** Theorem 2

    A B and B A, each a thread block, A and B of 3 cycles on two units and one after the other: sums
    give 12, alignment 10, and so does ALN of one block of both warps. *)
Definition crossing : block :=
  [[Instr 0 3 0 [] 0; Instr 1 3 0 [0] 0]; [Instr 1 3 0 [] 0; Instr 0 3 0 [0] 0]].
Definition sm3 (group : nat -> nat) : machine :=
  Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) group (fun _ => 0).

(** Alignment gives 10 cycles where sums give 12. *)
Example alignment_gains :
  let m := sm3 (fun w => w) in
  (SIB_at (only m 0 crossing) m 0 + adds_with_extras m crossing 0 [0] 0 1,
    WAVE_TEAM_ALN crossing m 0 [0] [0] [1] (fun _ => true) (fun _ => [[1]]) 0,
    ALN crossing (sm3 (fun _ => 0))) = (12, 10, 10).
Proof. vm_compute. reflexivity. Qed.

(** Warps 2 and 3 as one team, on two sub-cores: *)
Definition team1 : nat -> list (list nat) := fun _ => [[2; 3]].

Example team4 : WAVE_TEAM_ALN four sm2 0 [0; 1] [0; 1] (strangers 0 [1])
  (fun _ => true) team1 (last_section four sm2 0) = 13.
Proof. vm_compute. reflexivity. Qed.

Lemma warps4 : NoDup [0; 1] /\ forall x, of sm2 four 0 x -> In (fst x) [0; 1].
Proof.
  split; [exact (seq_NoDup 2 0)|]. intros y [Hy G]. apply keys4 in Hy.
  intuition subst; cbn in *; auto; discriminate.
Qed.
Lemma teams4 h : In h [1] -> true = true -> teams_of sm2 four h (team1 h).
Proof.
  intros Hh _. assert (h = 1) as -> by (cbn in Hh; intuition). split; [exact (seq_NoDup 2 2)|].
  split.
  - intros tm [<-|[]]. split; [discriminate|]. intros v u Hv Hu. cbn in Hv, Hu.
    intuition subst; cbn in *; lia.
  - intros y Hy G _. exists [2; 3]. split; [left; reflexivity|]. apply keys4 in Hy.
    intuition subst; cbn in *; auto; discriminate.
Qed.

(** Theorem 2 with a team on two sub-cores bounds the example by 13 cycles, *)
Example wave4_team x : of sm2 four 0 x -> C wave4 x <= 13.
Proof.
  intros Hx. change (C wave4 x <= 0 + 13). rewrite <- team4.
  apply (stays_teams_computed sm2 four 0 [1] [0; 1] (fun _ q => q) (last_section four sm2 0) [0;
    1] (fun _ => true) team1 (proj1 ok4) (proj2 ok4) cores4 (moves_barriers _ _ _) warps4 teams4);
    [cbn; lia|exact wave4_valid|cbn; lia| |exact Hx].
  intros y Hy N O. exfalso. apply keys4 in Hy. intuition subst; cbn in *; auto.
Qed.

(** and so it is in the grid, however it is dispatched. *)
Notation team_adds := (team_sum sm2 four 0 [0; 1] (fun _ => true) team1 2 (last_section four sm2 0)
  (team_table sm2 four 0 2) (alone_table sm2 four 0)).
Example run4_teams : ended run4 0 <= 13 /\ ended run4 0 <= 13.
Proof.
  destruct ok4 as [M W].
  assert (forall h, In h (company grid4 run4 0) -> (true = true -> teams_of sm2 four h (team1 h))
    /\ length (team1 h) = 1) as Ts by (intros h Hh; split; [apply teams4, Hh|reflexivity]).
  assert (forall x, of sm2 four 0 x -> sec (get four x) <= 1) as Q
    by (intros x [Hx _]; apply keys4 in Hx; intuition subst; cbn; lia).
  let by_teams f := pose proof (f grid4 run4 run4_valid run4_shared 0 (le_S _ _ (le_n _)) [0; 1]
    (fun _ q => q) (last_section four sm2 0) [0; 1] (fun _ => true) team1
    (fun w u => fellow_table sm2 four 2 w u) (team_table sm2 four 0 2)
    (alone_table sm2 four 0) 1 1 M W cores4 (moves_barriers _ _ _)
    warps4 Ts (le_S _ _ (le_n _)) (fun w u _ _ _ => fellow_cert sm2 four 2 w u W)
    (fun h tm _ _ _ => team_table_cert sm2 four 0 2 tm W) (alone_table_cert sm2 four 0 W) Q _ 0
    team_adds (le_n _) (fun _ _ => le_n _) (fun h Hh => match Hh with end)
    (fun _ => Nat.le_0_l _)) in by_teams k_wave_teams; by_teams k_wave_teams_static.
  split; [etransitivity; [apply H|]|etransitivity; [apply H0|]]; try apply run4_dealt;
    try apply le_n; vm_compute; lia.
Qed.

(** Where two warps of two sub-cores are one team, its alignment counts once: [crossing] on each of
    two sub-cores. *)
Definition crossings : block :=
  [[Instr 0 3 0 [] 0; Instr 1 3 0 [0] 0]; [Instr 2 3 0 [] 0; Instr 3 3 0 [0] 0];
   [Instr 1 3 0 [] 0; Instr 0 3 0 [0] 0]; [Instr 3 3 0 [] 0; Instr 2 3 0 [0] 0]].

(** A team gives 10 cycles where sums give 12 and single warps 14. *)
Example teams_gain :
  let aln all ts := WAVE_TEAM_ALN crossings sm2 0 [0; 1] [0; 1] [1] (fun _ => all) ts 0 in
  (SIB_at (only sm2 0 crossings) sm2 0 + adds_with_extras sm2 crossings 0 [0; 1] 0 1,
    aln true (fun _ => [[2]; [3]]), aln true team1, aln false team1) = (12, 14, 10, 12).
Proof. vm_compute. reflexivity. Qed.
