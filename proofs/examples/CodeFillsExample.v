(** * Fills that bounds count: what sass/CodeFills.v takes for granted can be so, and is attained

    Two warps load from one page, which a TLB of one page, full at the start, fetches in cycles 4
    and 5: once for both.  Then the three thread blocks of CodeApartExample.v: DRAM serves one
    sector in cycle 1, while both SMs stand still, and SM 1 fills a page in cycle 2. *)

From Warpbound Require Import Base Cycles Fills Formulas Ledger GridLedger Dynamic CodeMachine
  CodeEnough CodeElb CodeKept CodeSib CodeOutside CodeBeside CodeFills CodeLoads CodeLedger CodeSolo
  CheckCode CheckCodeSib CheckCodeFib CheckCodeOutside CodeApartExample.
From Warpbound Require CodeBarrierExample CodeOutsideExample.

Definition page (takes : nat) : supply := Supply 1 (fun x => x) [0] [0] 0 takes.
Definition used : list event := snd (fold_left (access (fun x => x)) [0; 0] ([7], [7], [])).
Example used_once : used = [Touch 0; Fill 0; Lose 7; Touch 0].
Proof. reflexivity. Qed.

Lemma page_filled takes at_ : supplied (page takes) used [(at_, takes)].
Proof.
  split; try (cbn; solve [auto|intros l; cbn; tauto]).
  - apply (lru_level (fun x => x) [7] [7] [0; 0]); [discriminate|repeat constructor; auto|auto].
  - intros s [<-|[]]. apply le_n.
Qed.

Lemma in_stretch a n t : serving [(a, n)] t = (a <=? t) && (t <? a + n).
Proof. apply orb_false_r. Qed.

Definition plain : ways := Ways (fun _ => false) (fun _ => []) (fun _ u => u).
Definition filling (t : nat) : bool := (4 <=? t) && (t <? 6).
Lemma filling_beside : beside filling [page 2].
Proof.
  exists (fun _ => [(4, 2)]). split.
  - intros u [<-|[]]. exists used. apply page_filled.
  - intros t H. exists (page 2). split; [left; reflexivity|]. rewrite in_stretch. exact H.
Qed.

(** They end at 7 and 9. *)
Definition turns : schedule := Schedule fst fst fst fst (fun _ => 0) (fun x _ => 2 * fst x)
  (fun _ _ => 2) (fun _ _ => 0) (fun _ => 5) (fun _ => 0) (fun _ => 1) (fun _ => 0) (fun _ _ => 0).
Lemma turns_outside i j : i < 2 -> j < 2 -> outside filling (sms i) (loads j) turns.
Proof.
  intros Hi Hj. assert (i = 0 \/ i = 1) as [->| ->] by lia;
    assert (j = 0 \/ j = 1) as [->| ->] by lia; loads_keep.
  all: try (intros w k t _ Hk [Ht _]; left; each_load; exists (0, 0);
    assert (t = 0) by lia; subst t; repeat split; left; reflexivity).
  all: intros w k i u t _ H Ht _; each_load; left; exists (0, 0), 0;
    (split; [split; [left; reflexivity|cbn; auto]|]);
    apply holds_iff; cbn; lia.
Qed.

Definition two : 0 < 2 := le_S _ _ (le_n _).
Theorem turns_end x : In x (keys (loads 0)) -> finish (loads 0) turns x <= 9.
Proof.
  apply (elb_filled filling [page 2] (sms 0) (loads 0) turns (turns_outside 0 0 two two)
    (loads_wf 0) filling_beside _ _ _ _ (loads_lam 0 two)).
Qed.
Example turns_attain : finish (loads 0) turns (1, 0) = 9.
Proof. reflexivity. Qed.

(** code-sib is 8 without V: 5 for one's own load, 3 for the other one's. *)
Lemma filling_few N : cnt filling N <= 2.
Proof. apply (beside_few _ _ _ filling_beside). Qed.
Theorem turns_end_sib w k : In (w, k) (keys (loads 0)) -> finish (loads 0) turns (w, k) <= 10.
Proof.
  intros Hx. pose proof (sib_outside filling 2 (sms 0) (loads 0) turns
    (turns_outside 0 0 two two) (loads_wf 0) (fun _ _ => true) (fun _ => 0) (fun _ => 0)
    (fun _ _ => 0) (fun _ => 5)) as H.
  enough (finish (loads 0) turns (w, k) <= 0 + (5 + others (sms 0) (loads 0) (fun _ => true) w) + 2)
    by each_load.
  apply H; [each_load|split; reflexivity| |exact Hx|apply filling_few].
  intros v Hv. split; each_load.
Qed.

(** The same from a certificate, for both warps as one thread block *)
Definition paths (there : nat -> bool) : sib_tables := SibTables Nat.eqb (fun _ _ => false)
  (fun _ => None) (fun _ => true) (fun _ => 0) (fun _ => 0) (fun _ _ => 0)
  (fun _ w => if there w then 5 else 0) (fun _ _ => false) (fun _ _ => 0) (fun _ _ => 0).
Example fib_8 : code_fib_shown (sms 1) (loads 0) (paths (fun _ => true)) (fun _ _ => false) plain
  = Some 8.
Proof. vm_compute. reflexivity. Qed.
Theorem turns_end_fib x : In x (keys (loads 0)) -> finish (loads 0) turns x <= 10.
Proof.
  intros Hx. apply (code_fib_shown_outside _ _ _ _ _ _ fib_8 filling 2 turns 1 (fun _ => eq_refl)
    (turns_outside 1 0 (le_n _) two) x Hx), filling_few.
Qed.

(** While it is on its SM at most lam = 3 cycles are idle. *)
Theorem turns_idle x : In x (keys (loads 0)) -> cnt (idle_from (loads 0) (drawn filling (loads 0)
  turns) 0) (finish (loads 0) (drawn filling (loads 0) turns) x) <= 3.
Proof.
  intros Hx. change 3 with (lam (loads 0) (fun _ => 0) (fun _ _ => 0)).
  exact (code_idle _ _ _ (loads_wf 0) (outside_enough _ _ _ _ (loads_wf 0)
    (turns_outside 0 0 two two)) _ _ _ _ (loads_lam 0 two) x Hx).
Qed.

(** ** With a barrier: CodeOutsideExample.v, its V as a page that is filled in cycles 3 and 4 *)
Theorem late_filled x : In x (keys CodeBarrierExample.both) ->
  finish CodeBarrierExample.both CodeOutsideExample.late_run x <= 14.
Proof.
  apply (ends_filled CodeOutsideExample.still [page 2] _ _ _ CodeOutsideExample.late_outside
    CodeBarrierExample.both_wf) with
    (g := 0) (T := 12) (least := fun _ => 1);
    [|intros s J enters|exact CodeOutsideExample.late_kept].
  - exists (fun _ => [(3, 2)]). split.
    + intros u [<-|[]]. exists used. apply page_filled.
    + intros t H. exists (page 2). split; [left; reflexivity|]. rewrite in_stretch. exact H.
  - apply (code_fib_sections_shown_enough _ _ _ _ _ _ _ _ _ CodeBarrierExample.fib_12 s J enters 0).
    reflexivity.
Qed.

(** ** Three thread blocks on two SMs end at 11; K-SM, K-AREA and K-BAL are 10, and fills *)
Lemma dram_beside : beside (skip three) [page 1].
Proof.
  exists (fun _ => [(1, 1)]). split.
  - intros u [<-|[]]. exists used. apply page_filled.
  - intros t H. apply Nat.eqb_eq in H as ->. exists (page 1). split; [left|]; reflexivity.
Qed.

Lemma pages_beside i : beside (fun t => counted three t && stands i t) [page 1].
Proof.
  exists (fun _ => [(2, 1)]). split.
  - intros u [<-|[]]. exists used. apply page_filled.
  - intros t H. exists (page 1). split; [left; reflexivity|]. rewrite in_stretch.
    unfold counted, stands in H. cbn [skip three dealt] in H.
    rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq, Nat.leb_le, Nat.ltb_lt in *. lia.
Qed.

Theorem three_filled b : b < 3 -> fin three b <= 12 /\ fin three b <= 13 /\ fin three b <= 13
  /\ fin three b <= static_time three 1 0 load_kind (sm three b) + 1 + 1.
Proof.
  intros Hb.
  pose proof (fun _ : nat => le_n (sum cost [page 1])) as Most.
  destruct (kernel_filled stands (fun _ => [page 1]) [page 1] 2 1 0 1 sms loads times three
    dram_beside pages_beside Most three_run load_kind _ _ _ _ loads_amounts (fun _ _ => le_n _) b
      three_dynamic ltac:(cbn; lia) Hb) as [H1 [H2 H3]].
  pose proof (static_filled stands (fun _ => [page 1]) [page 1] 2 1 0 1 sms loads times three
    dram_beside pages_beside Most three_run load_kind _ _ _ _ loads_amounts (fun _ _ => le_n _) b
      Hb) as H4.
  destruct three_bounds as [_ [E1 [E2 E3]]].
  change (fin three b <= h 1 0 2 (map load_kind (all three)) + 1 + 1) in H1.
  rewrite E1 in H1. rewrite E2 in H2. rewrite E3 in H3. auto.
Qed.

(** ** Cycle 1 as V of thread blocks 0 and 1, cycle 2 as that of 1: stages serve their loads *)
Definition mine (b t : nat) : bool := match b with 0 => t =? 1 | 1 => stands 1 t | _ => false end.
Definition mine_few (b : nat) : nat := match b with 0 => 1 | 1 => 2 | _ => 0 end.
Notation loaded := (map (fun b => with_loads (load_kind b) (mine_few b)) (all three)).

Theorem three_loaded b : b < 3 -> fin three b <= h 1 0 2 loaded + 1
  /\ fin three b <= k_area 2 1 0 loaded + 1 /\ fin three b <= k_bal 2 1 0 loaded + 1
  /\ fin three b <= static_time three 1 0 (fun b => with_loads (load_kind b) (mine_few b))
       (sm three b) + 1.
Proof.
  intros Hb. assert (forall i N, cnt (stands i) N <= 2) as Finite.
  { intros i N. apply (within 1 2). intros t H. unfold stands in H.
    rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in H. lia. }
  assert (forall i t, i < 2 -> stands i t = true -> exists b, In b (on_sm three i)
    /\ mine b t = true) as Whose.
  { intros i t Hi H. exists i. unfold stands in H.
    rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in H.
    assert (i = 0 \/ i = 1) as [->| ->] by lia; (split; [cbn; auto|cbn]).
    - apply Nat.eqb_eq. cbn in H. lia.
    - apply andb_true_intro. split; [apply Nat.leb_le|apply Nat.ltb_lt]; cbn in *; lia. }
  assert (forall b t, b < count three -> mine b t = true -> stays three b t = true) as There.
  { intros c t Hc H. unfold stays. apply andb_true_intro. rewrite Nat.leb_le, Nat.ltb_lt.
    destruct c as [|[|[|c]]]; cbn in H |- *; try discriminate; [apply Nat.eqb_eq in H; lia|].
    unfold stands in H. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in H. cbn in H. lia. }
  assert (forall b N, b < count three -> cnt (mine b) N <= mine_few b) as Few.
  { intros c N _. destruct c as [|[|c]]; cbn [mine_few].
    - apply (within 1 1). intros t H. apply Nat.eqb_eq in H. lia.
    - apply (Finite 1).
    - rewrite cnt_none; [apply le_n|reflexivity]. }
  assert (forall N, cycles N (skip three) <= 1) as Skips.
  { intros N. rewrite cycles_cnt. apply (within 1 1). intros t H. apply Nat.eqb_eq in H. lia. }
  destruct (kernel_loads stands 2 Finite 2 1 0 1 sms loads times three three_run load_kind _ _ _ _
    loads_amounts (fun _ _ => le_n _) mine mine_few Whose There
    Few Skips b three_dynamic ltac:(cbn; lia) Hb) as [H1 [H2 H3]].
  repeat split; [exact H1|exact H2|exact H3|].
  exact (static_loads stands 2 Finite 2 1 0 1 sms loads times three three_run load_kind _ _ _ _
    loads_amounts (fun _ _ => le_n _) mine mine_few Whose There
    Few Skips b Hb).
Qed.
Example loaded_13 : h 1 0 2 loaded = 13 /\ static_time three 1 0 (fun b =>
  with_loads (load_kind b) (mine_few b)) 0 = 11.
Proof. vm_compute. auto. Qed.

(** ** Each thread block alone: solo by code-fib, in the run that attains K-SM *)
Lemma alone_fib b : b < 3 -> code_fib_shown (alone_machine (sms (b mod 2)) b)
  (alone_block (sms (b mod 2)) b (loads (b mod 2))) (paths (Nat.eqb (b / 2)))
  (fun _ _ => false) plain = Some 5.
Proof. intros Hb. destruct b as [|[|[|b]]]; [| | |lia]; vm_compute; reflexivity. Qed.

Theorem attained_solo b : b < 3 -> Ledger.alone attained b ->
  forall N, cycles N (fun t => counted attained t && stays attained b t) <= 5.
Proof.
  intros Hb Al. apply (code_solo_flat 2 1 0 sms loads _ attained lawful attained_run b 5 Hb).
  - intros u v [Q _]. easy.
  - apply (c_machine _ _ _ _ _ _ _ _ attained_run). apply Nat.mod_upper_bound. lia.
  - exact Al.
  - intros s J enters OK x Hx. apply (code_fib_shown_enough _ _ _ _ _ _ (alone_fib b Hb) s J enters
      b (fun _ => eq_refl) OK x Hx).
Qed.
Theorem attained_again b : b < 3 -> fin attained b <= h 1 0 2 (map load_kind (all three)) + 0.
Proof.
  intros Hb.
  apply (code_kernel 2 1 0 _ _ _ _ attained_run load_kind _ _ _ _ loads_amounts (fun c Hc =>
    or_intror (fun N Al => attained_solo c Hc Al N)) 0
    attained_skips b attained_dynamic (le_n _) Hb).
Qed.
