(** * Fills that bounds count: what sass/CodeFills.v takes for granted can be so, and is attained

    Two warps load from one page, which a TLB of one page, full at the start, fetches in cycles 4
    and 5: once for both.  Then the three thread blocks of CodeApartExample.v: DRAM serves one sector in
    cycle 1, while both SMs stand still, and SM 1 fills a page in cycle 2. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Fills Formulas Ledger GridLedger Dynamic.
From Warpbound Require Import CodeMachine CodeElb CodeKept CodeSib CodeOutside CodeFills
  CodeApartExample.
Import ListNotations.

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
Lemma turns_outside : outside filling (sms 0) (loads 0) turns.
Proof.
  split; try solve [each_load];
    try solve [intros x j H1 H2; rewrite (one_stage _ x j H1 H2); each_load].
  - intros w k t _ Hk [Ht _]. left. each_load. exists (0, 0).
    assert (t = 0) by lia. subst t. split; [left; reflexivity|]. split; [reflexivity|].
    left. reflexivity.
  - intros w k i u t _ H Ht _. each_load. exists (0, 0), 0, 1.
    split; [split; [left; reflexivity|cbn; auto]|]. split; [constructor|].
    apply holds_iff. cbn. lia.
  - intros x y j k u H1 H2 Hn. each_load; congruence || lia.
Qed.

Theorem turns_end x : In x (keys (loads 0)) -> finish (loads 0) turns x <= 9.
Proof.
  apply (elb_filled filling [page 2] (sms 0) (loads 0) turns turns_outside filling_beside
    (fun _ => 0) (fun _ => 0) (fun _ _ => 0) (fun _ _ => 0) (loads_wf 0)). split; each_load.
Qed.
Example turns_attain : finish (loads 0) turns (1, 0) = 9.
Proof. reflexivity. Qed.

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
    unfold counted, stands in H. cbn [skip three] in H.
    rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq, Nat.leb_le, Nat.ltb_lt in *. lia.
Qed.

Theorem three_filled b : b < 3 -> fin three b <= 12 /\ fin three b <= 13 /\ fin three b <= 13
  /\ fin three b <= static_time three 1 0 load_kind (sm three b) + 1 + 1.
Proof.
  intros Hb. assert (forall i, i < 2 -> lam_cert (sms i) (loads i) (fun _ => 0) (fun _ => 0)
    (fun _ _ => 0) (fun _ _ => 0)) as HL.
  { intros i Hi. assert (i = 0 \/ i = 1) as [->| ->] by lia; split; each_load. }
  assert (forall b, b < count three -> sum (fun x => if group (sms (sm three b)) (fst x) =? b
    then CodeElb.work (loads (sm three b)) x else 0) (keys (loads (sm three b))) <= 2) as HE.
  { intros c Hc. destruct c as [|[|[|c]]]; cbn in *; lia. }
  assert (forall i x, i < 2 -> In x (keys (loads i)) -> lE (loads i) (fun _ => 0) (fun _ _ => 0) x
    + max (write (get (loads i) x)) (read (get (loads i) x)) <= 3) as HX.
  { intros i x Hi Hx. assert (i = 0 \/ i = 1) as [->| ->] by lia; each_load. }
  destruct (kernel_filled stands (fun _ => [page 1]) [page 1] 2 1 0 1 sms loads times three
    dram_beside pages_beside (fun _ => le_n _) three_run load_kind (fun _ _ => 0) (fun _ _ => 0)
    (fun _ _ _ => 0) (fun _ _ _ => 0) HL HE HX (fun _ _ => le_n _) (fun _ _ => le_n _) b
    three_dynamic ltac:(cbn; lia) Hb) as [H1 [H2 H3]].
  pose proof (static_filled stands (fun _ => [page 1]) [page 1] 2 1 0 1 sms loads times three
    dram_beside pages_beside (fun _ => le_n _) three_run load_kind (fun _ _ => 0) (fun _ _ => 0)
    (fun _ _ _ => 0) (fun _ _ _ => 0) HL HE HX (fun _ _ => le_n _) (fun _ _ => le_n _) b Hb) as H4.
  destruct three_bounds as [_ [E1 [E2 E3]]].
  change (fin three b <= h 1 0 2 (map load_kind (all three)) + 1 + 1) in H1.
  rewrite E1 in H1. rewrite E2 in H2. rewrite E3 in H3. auto.
Qed.
