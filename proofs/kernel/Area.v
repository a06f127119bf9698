(** * The area that slots of SMs have: K-AREA (docs/proofs.md, theorem 6), its arithmetic, and what
    the last thread blocks take; the theorem is in Apart.v *)

From Warpbound Require Import Base Cycles Largest Share Formulas Ledger Tail OneSm Dynamic.
From Warpbound Require Export Filled.

(** A full SM behind the last dispatch weighs most with all its idle cycles. *)
Lemma area_arith M R c x y X L lm d E B : 1 <= M -> 1 <= R -> M * R <= B ->
  M * R * c + R * x + y + M * R * d <= R * E + L + B * d ->
  y <= d + lm -> x + y <= X + lm + d ->
  M * R * (c + (x + y)) <= R * (E + (M - 1) * X) + (L + (B - M * R) * d + (M * R - 1) * (lm + d)).
Proof.
  intros HM HR HB H Hy Hxy. destruct M as [|m]; [lia|]. destruct R as [|k]; [lia|].
  pose proof (Nat.mul_le_mono_l _ _ (m * S k) Hxy) as A.
  pose proof (Nat.mul_le_mono_l _ _ k Hy) as K.
  pose proof (Nat.mul_sub_distr_r B (S m * S k) d) as Bd.
  assert (S m * S k * d <= B * d) as G by (apply Nat.mul_le_mono_r, HB).
  replace (S m - 1) with m by lia. replace (S m * S k - 1) with (m * S k + k) by lia. rewrite Bd.
  revert H A K G. clear. set (q := S m * S k * d). set (e := B * d). intros.
  replace (S m * S k) with (m * S k + S k) by lia.
  assert (R' : forall a, (m * S k + S k) * a = m * S k * a + S k * a) by (intros; lia).
  assert (S m * S k * c = (m * S k + S k) * c) as C by lia. rewrite C in H. rewrite !R' in *. lia.
Qed.

(** No area is less than one full SM. *)
Lemma area_least M R delta l : 1 <= M -> 1 <= R -> M * R < length l ->
  tail_work R l + lam l + delta <= area M R delta l.
Proof.
  intros HM HR Hl. set (N := length l - M * R). set (X := tail_work R l).
  assert (1 <= N) by (unfold N; lia). assert (delta <= N * delta) by nia.
  assert (1 <= M * R) by nia.
  unfold area. apply Nat.div_le_lower_bound; [nia|]. fold N X.
  assert (X <= sum kE l) as G4.
  { unfold X, tail_work, most. pose proof (largest_total kE R l). lia. }
  assert (lam l <= sum kL l) as G5.
  { apply list_max_le_in. intros y Hy. apply in_map_iff in Hy as [k [<- Hk]].
    apply (sum_ge kL k l Hk). }
  destruct M as [|m]; [lia|]. replace (S m - 1) with m by lia.
  assert (R * X <= R * sum kE l) by (apply Nat.mul_le_mono_l, G4).
  assert (S m * R * (X + lam l + delta) = R * X + m * R * X + (1 + (S m * R - 1))
    * (lam l + delta)) as E.
  { replace (1 + (S m * R - 1)) with (S m * R) by lia. lia. }
  rewrite E. lia.
Qed.

Lemma area_alone_least M delta l : 1 <= M -> M < length l ->
  isolated 1 l + delta <= area_alone M delta l.
Proof.
  intros HM Hl. unfold area_alone. apply Nat.div_le_lower_bound; [lia|].
  assert (isolated 1 l <= sum kS l) by apply (largest_total kS 1 l).
  assert (delta <= (length l - M) * delta) by nia.
  destruct M as [|m]; [lia|]. replace (S m - 1) with m by lia. lia.
Qed.

Section Area.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Notation cnted := (counted r).
  Notation l := (map kd (all r)).
  Hypothesis Dyn : dynamic r M R.

  Lemma by_sm (f : nat -> nat) : sum (fun i => sum f (on_sm r i)) (seq 0 M) = sum f (all r).
  Proof.
    apply (sum_by_slot f (sm r)). intros b Hb. apply in_all in Hb. apply (l_sm _ _ _ _ _ Lg b Hb).
  Qed.

  Lemma length_l : length l = count r.
  Proof. rewrite map_length. apply seq_length. Qed.

  Lemma sum_map (f : kind -> nat) : sum f l = sum (fun b => f (kd b)) (all r).
  Proof. unfold sum. rewrite map_map. reflexivity. Qed.

  Lemma all_delays : all_taken r M R ->
    sum (delay r delta) (all r) + M * R * delta <= count r * delta.
  Proof.
    intros A. rewrite <- (by_sm (delay r delta)), <- (all_length r M (l_sm _ _ _ _ _ Lg)).
    rewrite <- (seq_length M 0) at 2.
    rewrite <- Nat.mul_assoc, <- (sum_same (R * delta)), <- sum_add.
    transitivity (sum (fun i => delta * length (on_sm r i)) (seq 0 M)); [|rewrite sum_scale; lia].
    apply sum_le. intros i Hi. apply in_seq in Hi.
    pose proof (sm_delays r M R delta kd Lg i (fun q => A i q ltac:(lia))). lia.
  Qed.

  Hypothesis Waits : M * R < count r.

  (** ** [z] is the last that the dispatcher takes, [b] ends last *)
  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Notation T := (fin r b).
    Notation t1 := (disp r z).
    Notation i := (sm r b).
    Notation before := (fun t => cnted t && (t <? t1)).

    Lemma b_here : In b (on_sm r i).
    Proof. apply in_on_sm. auto. Qed.

    Lemma before_behind : cycles T cnted <= cycles T before + cycles T (behind r t1 b).
    Proof.
      unfold cycles. rewrite <- sum_add. apply sum_le. intros t Ht. apply in_seq in Ht.
      pose proof (Lz b Hb). unfold behind, holds. destruct (cnted t); [|cbn; lia].
      destruct (Nat.ltb_spec t t1), (Nat.leb_spec t1 t), (Nat.leb_spec (disp r b) t),
        (Nat.ltb_spec t T); cbn; lia.
    Qed.

    (** Before [t1] every slot is taken. *)
    Lemma full j : j < M -> forall t q, cnted t = true -> t < t1 -> q < R ->
      exists c, In c (on_sm r j) /\ room r c = q /\ holds r c t = true.
    Proof.
      intros Hj t q C Ht Hq. destruct (Dyn z t j q Hz C Ht Hj Hq) as [c [Hc [Hs [Hr Hh]]]].
      exists c. split; [apply in_on_sm|]; auto.
    Qed.

    (** What one SM alone has, summed up over the SMs. *)
    Definition own (j x : nat) : nat := if j =? i then x else 0.

    Lemma own_sum x : sum (fun j => own j x) (seq 0 M) = x.
    Proof.
      pose proof (sum_single (fun _ => x) i M (l_sm _ _ _ _ _ Lg b Hb)) as H.
      etransitivity; [|exact H]. apply sum_ext. intros j _. unfold own. rewrite Nat.eqb_sym.
      reflexivity.
    Qed.

    Lemma late_here c : In c (on_sm r i) -> disp r c <= t1.
    Proof. intros Hc. apply Lz. apply in_on_sm in Hc. tauto. Qed.

    Lemma rooms : 1 <= M /\ 1 <= R.
    Proof.
      clear -Lg Hb. pose proof (l_sm _ _ _ _ _ Lg b Hb). pose proof (l_room _ _ _ _ _ Lg b Hb). lia.
    Qed.

    Lemma behind_together : cycles T (behind r t1 b) <= delta + together R l.
    Proof.
      apply (there_together r M R delta kd Lg i t1 b b_here late_here T (le_n _) (proj2 rooms)).
    Qed.
  End Ends.

  Lemma last_of_all : exists z, z < count r /\ forall c, c < count r -> disp r c <= disp r z.
  Proof.
    destruct (exists_max (disp r) (all r)) as [z [Hz H]].
    { unfold all. destruct (count r); [lia|discriminate]. }
    exists z. split; [apply in_all, Hz|]. intros c Hc. apply H, in_all, Hc.
  Qed.
End Area.
