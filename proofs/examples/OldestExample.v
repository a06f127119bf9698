(** * Oldest first: an execution that keeps the policy, what it waits for younger thread blocks, and
    that this is needed

    One sub-core, two units.  Thread block 0, the elder, has an instruction of unit 0 and one of
    unit 1 that reads its result; thread block 1 a long initiation on unit 1, which begins while the
    elder waits for the result. *)

From Warpbound Require Import Base Cycles Largest Model Checks CheckFast CheckSchedule CheckOldest
  Serial SerialPaths ChainSlot ChainTurns Oldest OldestStay Oldests.

Definition two : block := [[Instr 0 1 2 [] 0; Instr 1 1 0 [0] 0]; [Instr 1 4 0 [] 0]].
Definition sm : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun w => w) (fun _ => 0).
Definition comes (g : nat) : nat := g.
Definition rest_of (f : nat) : nat := if f =? 1 then 3 else 0.
Definition all_home (_ : nat) : option nat := Some 0.

Definition times : schedule :=
  let at_ := table [[0; 5]; [1]] in
  Schedule at_ at_ (fun x => init (get two x)) (fun x => lat (get two x)) (fun _ _ => 0)
    (fun _ => 0).

Example ready_sm : machine_ok sm. Proof. split; intros; cbn; lia. Qed.
Example wf_two : wf two. Proof. apply wf_fast_ok. vm_compute. reflexivity. Qed.
Example times_valid : valid sm two times. Proof.
  apply valid_ok; [vm_compute; reflexivity|intros; cbn; lia]. Qed.

Ltac each H := cbn in H; repeat (destruct H as [<-|H]; [|]); [..|destruct H].

Example times_oldest : oldest_first sm two times comes.
Proof. apply oldest_first_ok. vm_compute. reflexivity. Qed.

Example rest_ok x : In x (keys two) -> init (get two x) <= S (rest_of (fu (get two x))).
Proof. intros H. each H; vm_compute; lia. Qed.

Example home_ok x : In x (keys two) -> 1 <= init (get two x) ->
  all_home (fu (get two x)) = Some (core sm (fst x)).
Proof. reflexivity. Qed.

(** L': the second instruction of the elder waits 2 cycles of latency and 3 of an initiation. *)
Definition waits_two : key -> nat := table [[0; 5]; [3]].
Definition most_two (g c q : nat) : nat := match g with 0 => 5 | _ => 3 end.

Example waits_cert : held_section_cert sm two rest_of waits_two.
Proof.
  intros w k H. cbn in H. destruct H as [E|[E|[E|[]]]]; inversion E; subst w k; cbv zeta;
    (split; [vm_compute; lia|]); (split; [|split; [|split]]).
  all: try (intros j Hj; vm_compute in Hj; try contradiction; destruct Hj as [<-|[]]; intros S;
    vm_compute in S |- *; lia). all: try (intros j Hj _; inversion Hj; subst j; vm_compute; lia).
  all: intros y Hy _ S; each Hy; vm_compute in S; lia.
Qed.

Example waits_chains g : section_chains sm two waits_two g 0 (most_two g).
Proof.
  intros w k H Hg. cbn in H. destruct H as [E|[E|[E|[]]]]; inversion E; subst w k; cbn in Hg;
    subst g; vm_compute; repeat split; intros; lia.
Qed.

(** It stays for 6 cycles; V' is 7, and V, without what younger thread blocks have begun, 4. *)
Example elder_ends : C times (0, 1) = 6 /\ SERIAL sm two all_home [0] 0 = 4. Proof.
  split; vm_compute; reflexivity. Qed.

(** What is extracted computes it. *)
Example elder_fast : let L := chain_to sm (with_pauses sm two rest_of) in
  held_section_cert sm two rest_of (fun x => L (fst x, behind (snd x)))
  /\ serial_time sm two all_home [0] (chain_of sm (with_pauses sm two rest_of) 0)
       (last_section sm (with_pauses sm two rest_of) 0) 0 = 7.
Proof.
  destruct (OLDEST_fast_ok sm two rest_of wf_two all_home [0] 0) as [H1 [_ [H2 _]]].
  split; [exact H1|]. etransitivity; [exact H2|vm_compute; reflexivity].
Qed.

(** V' bounds the younger instruction by 7 cycles. *)
Example elder_stays : C times (0, 1) <= 7.
Proof.
  pose proof (stay_serial sm two times comes rest_of all_home 0 ready_sm wf_two times_valid eq_refl
    times_oldest rest_ok home_ok waits_two (fun _ => 0) most_two [0] [0] (0, 1) waits_cert
    waits_chains) as H. etransitivity; [apply H|vm_compute; lia].
  - intros y _. left. reflexivity.
  - intros y Hy Hg _. each Hy; vm_compute in Hg; try lia; left; reflexivity.
  - intros g [<-|[]]. apply le_n.
  - cbn. auto.
  - reflexivity.
Qed.

(** The same by the chain: 2 of work and 5 of Lambda'. *)
Example elder_chain : C times (0, 1) <= 7.
Proof.
  pose proof (stay_chain sm two times comes rest_of all_home 0 ready_sm wf_two times_valid eq_refl
    times_oldest rest_ok home_ok (lam_paths sm two waits_two most_two [0]) (turnsI two sm) 1 5 1)
    as H. etransitivity; [apply H with (gs := [])|vm_compute; lia].
  - apply (sections_lam_cert sm two rest_of waits_two most_two (fun _ => 0) [0] wf_two waits_cert
      waits_chains). intros y _. left. reflexivity.
  - apply turnsI_cert.
  - intros y Hy Hg. each Hy; cbn in Hg; try discriminate; vm_compute; lia.
  - intros y Hy Hg. each Hy; cbn in Hg; try discriminate; vm_compute; lia.
  - intros f c E. inversion E. lia.
  - constructor.
  - intros g [].
  - intros y Hy Hg N _. each Hy; vm_compute in Hg, N; lia.
  - cbn. auto.
  - reflexivity.
Qed.

(** ** The grid of GridExample.v *)
From Warpbound Require Import Share Formulas ChainFormulas Elb ChainWork ChainBlock Ledger Tail Area
  Grid Stay GridLedger SerialLedger GridExample Turns OldestGrid.

Definition held3 (_ : nat) (_ : nat) : nat := 2.
Definition home3 (_ : nat) (_ : nat) : option nat := Some 0.
Definition two3 (_ : nat) (_ : key) : nat := 2.
Definition four3 (_ _ _ : nat) : nat := 4.
Definition chain3 : chain_kind := Chain 3 [] 3 4 4 1.

Example first3 i : i < 2 -> oldest_first (mach grid3 i) (prog grid3 i) (sched run3 i) (place run3).
Proof. intros Hi. apply oldest_first_ok. destruct i as [|[|i]]; [reflexivity|reflexivity|lia]. Qed.

Lemma get3 i x : i < 2 -> In x (keys (prog grid3 i)) -> get (prog grid3 i) x = A.
Proof.
  intros Hi Hx. apply key3 in Hx; [|exact Hi].
  destruct Hx as [->|[-> ->]]; [destruct i as [|[|i]]; [| |lia]|]; reflexivity.
Qed.

Example wait3 i : i < 2 -> held_section_cert (mach grid3 i) (prog grid3 i) (held3 i) (two3 i).
Proof.
  intros Hi w k Hk. cbv zeta. rewrite (get3 i (w, k) Hi Hk). split; [vm_compute; lia|].
  split; [|split; [|split]].
  - intros j ->. apply key3 in Hk; [|exact Hi]. exfalso. destruct Hk as [E|[_ E]]; discriminate.
  - intros j [].
  - intros j [].
  - intros y _ _ S. cbn in S. lia.
Qed.

Example late3 i : i < 2 -> held_lam_cert (mach grid3 i) (prog grid3 i) (held3 i) (two3 i).
Proof.
  intros Hi w k Hk. cbv zeta. rewrite (get3 i (w, k) Hi Hk). split; [vm_compute; lia|].
  split; [|split].
  - intros j ->. apply key3 in Hk; [|exact Hi]. exfalso. destruct Hk as [E|[_ E]]; discriminate.
  - intros j [].
  - intros y _ _ S. cbn in S. lia.
Qed.

Example amounts_of_3 b : b < 3 -> let i := sm_of run3 b in
  stay_amounts (mach grid3 i) (prog grid3 i) (home3 i) 1 (two3 i) (fun _ => 0) b chain3.
Proof.
  intros Hb. cbv zeta. constructor.
  - three b Hb; vm_compute; lia.
  - intros x [Hx _]. rewrite get3; [vm_compute; lia| |exact Hx]. three b Hb; cbn; lia.
  - intros x _. vm_compute. lia.
  - vm_compute. lia.
  - intros n. three b Hb; destruct n; vm_compute; lia.
Qed.

(** A stay is 7 at most: 3 of its own, 2 of latency and 2 of a younger thread block's initiation.
    It ends at 13. *)
Example oldest3 b : b < 3 -> ended run3 b <= 17.
Proof.
  intros Hb. pose proof (k_oldest_bound grid3 run3 ready3 run3_valid (fun _ _ => eq_refl) first3
    held3 home3) as H.
  specialize (H ltac:(intros i x Hi Hx; rewrite (get3 i x Hi Hx); vm_compute; lia)).
  specialize (H ltac:(intros i x Hi Hx _; destruct i as [|[|i]]; [| |cbn in Hi; lia]; reflexivity)).
  specialize (H two3 two3 (fun _ _ => 0) 1 (fun _ => [0]) (fun _ => 0) four3 (fun _ => 7) (fun _ =>
    chain3) wait3). specialize (H ltac:(intros c Hc; cbn in Hc; split;
    [|three c Hc; vm_compute; lia]; intros w k Hk _; cbv zeta; rewrite (get3 _ (w, k));
    [vm_compute; repeat split; lia|three c Hc; cbn; lia|exact Hk])).
  specialize (H ltac:(intros i x Hi Hx; destruct i as [|[|i]]; [| |cbn in Hi; lia]; left;
    reflexivity) late3). specialize (H ltac:(intros i Hi x y _ _ _; split;
    [cbn; intros S; destruct i as [|[|i]]; [| |cbn in Hi; lia]; vm_compute; lia|intros;
    apply le_n])). specialize (H ltac:(intros i f c E; inversion E; lia) amounts_of_3 run3_dynamic 5
    b ltac:(cbn; lia)). etransitivity; [apply H; [|exact Hb]|vm_compute; lia]. intros z c Hz Lz Hc.
  pose proof (behind_together _ _ _ _ _ (grid_ledger grid3 run3 (fun _ => kind3) none ready3
    run3_valid cert3 amounts3) z c Lz Hc) as T.
  etransitivity; [exact T|vm_compute; lia].
Qed.

(** ** The grid of ChainExample.v from its thread blocks as they are written: one waits for an
    elder, one is on a slot that calls the two sub-cores the other way round *)
From Coq Require Import Permutation.
From Warpbound Require Import CheckGrid ChainExample Copies SoloCopies ChainCopyExample
  OldestCopies.

Example first2 i : oldest_first (mach grid2 i) (prog grid2 i) (sched run2 i) (place run2).
Proof. apply oldest_first_ok. vm_compute. reflexivity. Qed.

Definition two2 (_ : nat) (_ : key) : nat := 2.

Example written_wait : held_section_cert by_itself2 written2 (fun _ => 2) (two2 0).
Proof.
  intros w k Hk. cbn in Hk. destruct Hk as [E|[E|[]]]; inversion E; subst w k; cbv zeta;
    (split; [vm_compute; lia|]); (split; [intros j Hj; inversion Hj|]); (split; [intros j []|]);
    (split; [intros j []|]); intros y Hy _ S; each Hy; vm_compute in S; lia.
Qed.

Example written_chains : section_chains by_itself2 written2 (two2 0) 0 0 (fun _ _ => 4).
Proof.
  intros w k Hk _. cbn in Hk.
  destruct Hk as [E|[E|[]]]; inversion E; subst w k; vm_compute; repeat split; intros; lia.
Qed.

(** V' is 7, of each sub-core 3 of work and 4 of latency and waiting; a stay of two thread blocks
    10: W of both, and 4. *)
Example written_stay : map (written_held (fun _ => written2) (fun _ => by_itself2) (fun _ =>
  own_unit) 2 (fun _ => 0) four3) [0; 1; 2] = [7; 7; 7].
Proof. vm_compute. reflexivity. Qed.

Lemma home2o i x : i < 1 -> In x (keys (prog grid2 i)) -> 1 <= init (get (prog grid2 i) x) ->
  own_unit (fu (get (prog grid2 i) x)) = Some (core (mach grid2 i) (fst x)).
Proof. intros _ Hx _. apply key2 in Hx as [w [Hw ->]]. six w Hw; reflexivity. Qed.
Lemma two_cores2 i x : i < 1 -> In x (keys (prog grid2 i)) -> core (mach grid2 i) (fst x) < 2.
Proof. intros _ Hx. apply key2 in Hx as [w [Hw ->]]. six w Hw; cbn; lia. Qed.
Lemma hold2 i x : i < 1 -> In x (keys (prog grid2 i)) -> init (get (prog grid2 i) x) <= 3.
Proof. intros _ Hx. apply key2 in Hx as [w [Hw ->]]. six w Hw; cbn; lia. Qed.

(** K-OLDEST bounds the grid by 22 cycles, and each thread block by 10 from its start on. *)
Example oldest2 b : b < 3 -> ended run2 b <= 22 /\ ended run2 b <= started run2 b + 10.
Proof.
  intros Hb. split.
  - etransitivity; [apply (oldest_copies_bound grid2 run2 ready2 run2_valid (fun _ _ => eq_refl)
      (fun i _ => first2 i) _ _ _ _ _ copies2 (fun _ => own_unit) (fun _ => own_unit) 2 home2o
      cores2 two_cores2 homes2 turns2 (fun _ _ => 2) (fun _ _ => 2) hold2 (fun _ _ _ _ => le_n _)
      two2 _ (fun _ => 0) four3 (fun _ _ => written_wait) (fun _ _ => written_chains) changes2 10 b
      run2_dynamic (le_n _)); [|exact Hb]|vm_compute; lia].
    intros z c Hz _ Hc. cbn in Hz, Hc.
    ChainExample.three z Hz; ChainExample.three c Hc; vm_compute; lia.
  - etransitivity; [apply (oldest_copies_stay grid2 run2 ready2 run2_valid (fun _ _ => eq_refl)
      (fun i _ => first2 i) _ _ _ _ _ copies2 (fun _ => own_unit) (fun _ => own_unit) 2 home2o
      cores2 two_cores2 homes2 turns2 (fun _ _ => 2) (fun _ _ => 2) hold2 (fun _ _ _ _ => le_n _)
      two2 _ (fun _ => 0) four3 (fun _ _ => written_wait) (fun _ _ => written_chains) changes2 b 2
      Hb (or_introl (le_n _)))|apply Nat.add_le_mono_l; vm_compute; lia].
Qed.

(** With three slots all are there at once, and end at 11; the bound is 13. *)
Definition gridW : grid := Grid 3 1 3 1 0 (mach grid2) (prog grid2).
Definition runW : execution :=
  Execution (fun i => let s := sched run2 i in
    Schedule (I s) (D s) (ai s) (al s) (ar s) (fun _ => 0))
    (fun _ => 0) (fun b => b) (fun b => b) (fun _ => 0) (fun _ => 0) (ChainExample.pick [5; 8; 11]).
Example oldestW b : b < 3 -> ended runW b <= 13.
Proof.
  intros Hb. assert (grid_valid gridW runW) as V
    by (apply grid_valid_ok; [vm_compute; reflexivity|intros; apply le_n]).
  assert (dealt gridW runW) as De by (apply dealt_ok; [vm_compute; reflexivity|exact V]).
  assert (forall i, i < 1 -> oldest_first (mach gridW i) (prog gridW i) (sched runW i) (place runW))
    as First by (intros i _; apply oldest_first_ok; vm_compute; reflexivity).
  etransitivity; [apply (oldest_copies_wave gridW runW ready2 V (fun _ _ => eq_refl) First _ _ _ _ _
    copies2 (fun _ => own_unit) (fun _ => own_unit) 2 home2o cores2 two_cores2 homes2 turns2
    (fun _ _ => 2) (fun _ _ => 2) hold2 (fun _ _ _ _ => le_n _) two2 _ (fun _ => 0) four3
    (fun _ _ => written_wait) (fun _ _ => written_chains) changes2 b (le_n _) De Hb)|].
  vm_compute. lia.
Qed.
