(** * A warp that waits for its instruction: the rules of block/Fetch.v ask for nothing that cannot
    be

    One warp of one instruction A(1,2).  Its fetch begins in cycle 0, misses, and the line is there
    3 cycles later; one more until the first issue. *)

From Warpbound Require Import Base Cycles Model Elb Checks CheckFast Fetch.

Definition code : block := [[Instr 0 1 2 [] 0]].
Definition sm1 : machine := Machine (fun _ => 1) (Some 0) 1 (fun _ => 0) (fun _ => 0) (fun _ => 0).
Definition late_start : schedule := Schedule (fun _ => 4) (fun _ => 4) (fun _ => 1) (fun _ => 2)
  (fun _ _ => 0) (fun _ => 0).
Definition one_fetch : fetching := Fetching [0] (fun _ => 0) (fun _ => 0) (fun _ => 4)
  (fun _ => true).

Lemma only_key x : In x (keys code) -> x = (0, 0).
Proof. cbn. intuition. Qed.

Lemma waits_4 t : waiting one_fetch t = (t <? 4).
Proof.
  unfold waiting, one_fetch. cbn [fetched existsb asks brings]. rewrite orb_false_r. reflexivity.
Qed.

(** The example keeps the rules of instruction fetch. *)
Example fetch_runs : fetch_valid (waiting one_fetch) sm1 code late_start /\
  fetches_ok one_fetch 1 3 1.
Proof.
  split; constructor.
  - intros x Hx. apply only_key in Hx as ->. cbn. lia.
  - intros x Hx. apply only_key in Hx as ->. cbn. lia.
  - cbn. lia.
  - cbn. lia.
  - intros w k H. apply only_key in H. discriminate.
  - intros w k p H. apply only_key in H. inversion H; subst. cbn. tauto.
  - cbn. lia.
  - intros f t. etransitivity; [apply (count_le code _ (fun _ => true)); auto|]. cbn. lia.
  - intros x y Hx Hy. apply only_key in Hx as ->. apply only_key in Hy as ->. cbn. lia.
  - intros x t Hx H. unfold waits in H. cbn [I D late_start] in H. apply andb_prop in H as [H1 H2].
    apply Nat.leb_le in H1. apply Nat.ltb_lt in H2. lia.
  - intros f t. cbn [depth sm1]. unfold n_wait, count, waits. cbn [I D late_start].
    apply Nat.eq_le_incl.
    rewrite (filter_ext_in _ (fun _ => false)); [induction (keys code); [reflexivity|exact IHl]|].
    intros x _.
    destruct (Nat.leb_spec 4 t), (Nat.ltb_spec t 4); rewrite ?andb_false_r; try reflexivity; lia.
  - intros c t. etransitivity; [apply (count_le code _ (fun _ => true)); auto|]. cbn. lia.
  - intros w k t H A E. rewrite waits_4 in A. apply Nat.ltb_ge in A. destruct E as [E _]. cbn in E.
    lia.
  - intros x y Hx Hy _. apply only_key in Hx as ->. apply only_key in Hy as ->. cbn. lia.
  - intros w k H. apply only_key in H. inversion H; subst. cbn. discriminate.
  - intros r t [<-|[]]. cbn. lia.
  - intros r [<-|[]]. right. exists 0. cbn. intuition lia.
Qed.

(** E = 1, lam = 2, a miss of 3 cycles, a fetch of 1, and one that may wait for its turn: 8.  It
    takes 7. *)
Example fetch_ends : C late_start (0, 0) = 7 /\
  C late_start (0, 0) <= 0 + E code + top code (fun _ => 0) + (1 * 3 + 1 * 1 + 1 / 1).
Proof.
  split; [reflexivity|]. destruct fetch_runs as [V F].
  apply (fetch_block one_fetch 1 3 1 sm1 code late_start (fun _ => 0) (0, 0)); auto.
  - split; intros; cbn; lia.
  - apply wf_fast_ok. reflexivity.
  - intros w k H. apply only_key in H. inversion H; subst. cbn.
    repeat split; try lia; try discriminate; tauto.
  - cbn. auto.
Qed.

(** If all who ask at once may begin, no fetch waits for its turn. *)
Example fetch_wide n : cnt (waiting one_fetch) n <= 1 * 3 + 1 * 1.
Proof.
  apply (waiting_time_wide one_fetch 1 3 1 (proj2 fetch_runs) (le_n _) n).
  intros r t [<-|[]] H. cbn in H. lia.
Qed.
