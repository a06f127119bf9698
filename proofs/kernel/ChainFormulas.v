(** * K-CHAIN as functions, and what it rests on (docs/sub-core-bounds.md, sections 4 and 5)

    A grid is the list of what its thread blocks amount to, in any order. *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainWork Ledger Tail.

(** A thread block: [W], the extras [X], E, [own], lam, [chg] (section 1). *)
Record chain_kind := Chain { cW : nat; cX : list nat; cE : nat; cO : nat; cL : nat; cH : nat }.

(** With these extras, of which [n] are counted, and no more than E. *)
Definition charge (k : chain_kind) (n : nat) : nat := min (cE k) (cW k + largest n (cX k)).

(** As kinds of docs/proofs.md: E + lam for [alpha] and [solo]. *)
Definition plain (k : chain_kind) : kind := Kind (cE k) (cL k) (cE k + cL k) (cE k + cL k).

(** W^n with [N] extras of [k] thread blocks, or E^n. *)
Definition busy_with (N k n : nat) (l : list chain_kind) : nat :=
  min (largest n (map cW l) + min (largest N (flat_map cX l))
    (largest k (map (fun x => cE x - cW x) l))) (largest n (map cE l)).
Definition owned (n : nat) (l : list chain_kind) : nat := largest n (map cO l).
Definition turns (l : list chain_kind) : nat := list_max (map cH l).
Definition behind_last (l : list chain_kind) : nat := max (owned 1 l) (list_max (map cL l)).

(** S'_n and h'(n); with F = ⌈n / R⌉. *)
Definition chain_together (n : nat) (l : list chain_kind) : nat :=
  busy_with ((n - 1) * (turns l - 1)) (n - 1) n l + owned 1 l.

(** The number of waves of [n] thread blocks. *)
Definition waves (R n : nat) : nat := (n + R - 1) / R.

(** h'(n): what an SM with [n] thread blocks takes. *)
Definition chain_sm (R delta n : nat) (l : list chain_kind) : nat :=
  if n <=? R then chain_together n l
  else busy_with ((R - 1) * (waves R n * turns l - 1)) n n l
    + owned (waves R n - 1) l + behind_last l + (waves R n - 1) * delta.

(** K-CHAIN with dynamic dispatch, without the dispatcher's cycles; [M] SMs. *)
Definition k_chain (M R delta : nat) (l : list chain_kind) : nat :=
  if length l <=? M * R then chain_together ((length l + M - 1) / M) l
  else chain_sm R delta (length l - (M - 1) * R) l.

(** ** What paths through the sub-cores take; ChainGrid.v shows it of the machine *)
Section Chains.
  Variables (r : run) (M R delta : nat) (ck : nat -> chain_kind).

  (** The delays, W and own times of a slot. *)
  Definition slot_sum F := sum (fun c => delay r delta c + (cW (ck c) + cO (ck c))) F.
  (** The changes of sub-core of a slot. *)
  Definition slot_turns F := sum (fun c => cH (ck c)) F.
  (** [F] are the thread blocks of slot [q]. *)
  Definition whole_slot i q F := NoDup F /\ incl F (on_sm r i) /\ forall g, In g (on_sm r i) ->
    (In g F <-> room r g = q).
  (** The thread blocks beside [b] at [t1]. *)
  Definition beside i t1 b := filter (fun c => negb (c =? b)) (present r i t1).

  (** The accounts of paths through the sub-cores. *)
  Record chains : Prop := {
    c_less : forall b, b < count r -> cW (ck b) <= cE (ck b) /\ 1 <= cH (ck b);
    (* the path of a slot *)
    c_slot : forall i q F g z, i < M -> q < R -> whole_slot i q F -> In g F -> z <= fin r g ->
    exists n, cycles z (counted r) <= slot_sum F + sum (fun c => charge (ck c) (n c)) (rest r i F)
      /\ sum n (rest r i F) <= (R - 1) * (slot_turns F - 1);
    (* the path of a slot, then the chain of another slot's thread block *)
    c_then : forall i q F b, i < M -> q < R -> whole_slot i q F -> In b (on_sm r i) -> ~ In b F ->
      (forall t, counted r t = true -> t < start r b -> (forall c, In c F -> fin r c <= t) ->
        disp r b <= t) -> exists n, cycles (fin r b) (counted r) <= slot_sum F + delta + cL (ck b)
        + sum (fun c => charge (ck c) (n c)) (rest r i F)
      /\ sum n (rest r i F) <= (R - 1) * (slot_turns F + cH (ck b) - 1);
    (* the chain of a thread block from [t1] on, when no others are dispatched *)
    c_tail : forall i t1 b, i < M -> In b (on_sm r i) ->
    (forall c, In c (on_sm r i) -> disp r c <= t1) -> exists n, cycles (fin r b) (behind r t1 b)
      <= delay r delta b + (cW (ck b) + cO (ck b))
        + sum (fun c => charge (ck c) (n c)) (beside i t1 b)
      /\ forall c, In c (beside i t1 b) -> n c <= cH (ck b) - 1 }.
End Chains.

(** ** Thread blocks of a slot come one after the other *)
Section Slots.
  Variables (r : run) (M R delta : nat) (kd : nat -> kind).
  Hypothesis Lg : ledger r M R delta kd.
  Variable i : nat.
  Notation here := (on_sm r i).

  Lemma slot_after c g : In c here -> In g here -> room r c = room r g -> ord r c < ord r g ->
    fin r c <= disp r g.
  Proof.
    intros Hc Hg E O. apply in_on_sm in Hc as [Hc1 Hc2], Hg as [Hg1 Hg2].
    apply (l_slot _ _ _ _ _ Lg c g Hc1 Hg1); [|exact O]. unfold same.
    rewrite E, Nat.eqb_refl, andb_true_r. apply Nat.eqb_eq. congruence.
  Qed.

  Variables (q : nat) (F : list nat).
  Hypothesis Hq : q < R.
  Hypothesis Fall : forall g, In g here -> (In g F <-> room r g = q).

  (** Until its dispatch its slot is taken by one before it. *)
  Lemma slot_passing g t : incl F here -> In g F -> counted r t = true -> t < start r g ->
    (forall c, In c F -> ord r c < ord r g -> fin r c <= t) -> passing r g t = true.
  Proof.
    intros Fhere Fg Cn Ht A. unfold passing. rewrite (proj2 (Nat.ltb_lt _ _) Ht), andb_true_r.
    apply Nat.leb_le. destruct (le_lt_dec (disp r g) t) as [|Lt]; [assumption|exfalso].
    pose proof (Fhere g Fg) as Hg. destruct (proj1 (in_on_sm r i g) Hg) as [G1 G2].
    destruct (l_taken _ _ _ _ _ Lg g t q G1 Cn Lt Hq) as [c [C1 [C2 [C3 C4]]]].
    assert (In c here) as Hc by (apply in_on_sm; split; [exact C1|congruence]).
    assert (In c F) as Fc by (apply Fall; assumption). unfold holds in C4.
    rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt in C4.
    destruct (Nat.lt_trichotomy (ord r c) (ord r g)) as [O|[O|O]].
    - specialize (A c Fc O). lia.
    - rewrite (l_ord _ _ _ _ _ Lg c g C1 G1 O) in C4. lia.
    - apply Fall in Fg; [|exact Hg]. pose proof (slot_after g c Hg Hc ltac:(congruence) O).
      pose proof (l_disp _ _ _ _ _ Lg g G1). lia.
  Qed.

  (** What is at most [c] in each slot. *)
  Lemma rest_by_slots (f : nat -> nat) c : (forall l, NoDup l -> incl l here ->
      (forall g g', In g l -> In g' l -> room r g = room r g') -> sum f l <= c) ->
    sum f (rest r i F) <= (R - 1) * c.
  Proof.
    intros H. set (f' := fun g => if existsb (Nat.eqb g) F then 0 else f g).
    assert (sum f (rest r i F) = sum f' here) as ->.
    { unfold rest. rewrite sum_filter. apply sum_ext. intros g _. unfold f'.
      destruct (existsb _ F); reflexivity. }
    rewrite <- (sum_by_slot f' (room r) R) by (intros g Hg; apply in_on_sm in Hg as [Hg _];
      apply (l_room _ _ _ _ _ Lg), Hg).
    assert (sum (fun q' => sum f' (filter (fun x => room r x =? q') here)) (seq 0 R)
      + sum (fun q' => if q =? q' then c else 0) (seq 0 R) <= R * c) as A.
    { rewrite <- sum_add. transitivity (length (seq 0 R) * c); [|rewrite seq_length; lia].
      apply sum_mul. intros q' _. destruct (Nat.eqb_spec q q') as [<-|N].
      - rewrite sum_zero; [lia|]. intros g Hg. apply filter_In in Hg as [Hg E].
        apply Nat.eqb_eq in E. unfold f'.
        enough (existsb (Nat.eqb g) F = true) as -> by reflexivity. apply existsb_exists. exists g.
        split; [apply Fall; assumption|apply Nat.eqb_refl].
      - rewrite Nat.add_0_r. etransitivity; [|apply (H (filter (fun x => room r x =? q') here))].
        + apply sum_le. intros g _. unfold f'. destruct (existsb _ F); lia.
        + apply NoDup_filter, nodup_on_sm.
        + intros g Hg. apply filter_In in Hg. tauto.
        + intros g g' Hg Hg'. apply filter_In in Hg as [_ Hg], Hg' as [_ Hg'].
          apply Nat.eqb_eq in Hg, Hg'. congruence. }
    pose proof (sum_single (fun _ => c) q R Hq) as B. cbn beta in B. rewrite B in A.
    rewrite Nat.mul_sub_distr_r. lia.
  Qed.
End Slots.

(** ** Of some of the thread blocks *)
Lemma sum_incl (f : nat -> nat) P l : NoDup P -> incl P l -> sum f P <= sum f l.
Proof.
  intros N I. etransitivity; [apply (largest_ge f l P (length P) N I (le_n _))|apply largest_total].
Qed.

Lemma largest_sub n l : largest (S n) l <= largest n l + largest 1 l.
Proof.
  revert n. induction l as [|x l IH]; intros n; [rewrite largest_nil; apply Nat.le_0_l|].
  destruct n as [|n]; [rewrite largest_0; lia|].
  rewrite (largest_cons (S n)), (largest_cons n), (largest_cons 0), largest_0. pose proof (IH n).
  pose proof (IH (S n)). lia.
Qed.

Section Some.
  Variables (ck : nat -> chain_kind) (bl : list nat).
  Hypothesis Bl : NoDup bl.
  Notation l := (map ck bl).

  Lemma extras_ge B n N : NoDup B -> incl B bl -> sum n B <= N ->
    sum (fun c => largest (n c) (cX (ck c))) B <= largest N (flat_map cX l).
  Proof.
    intros NB IB Hn. set (n' := fun c => if existsb (Nat.eqb c) B then n c else 0).
    assert (forall c, existsb (Nat.eqb c) B = true <-> In c B) as Ex.
    { intros c. rewrite existsb_exists.
      split; [intros [y [Hy E]]; apply Nat.eqb_eq in E; subst; exact Hy|]. intros Hc. exists c.
      split; [exact Hc|apply Nat.eqb_refl]. }
    assert (flat_map cX l = flat_map (fun c => cX (ck c)) bl) as ->.
    { clear. induction bl as [|x k IH]; [reflexivity|]. cbn. rewrite IH. reflexivity. }
    transitivity (sum (fun c => largest (n' c) (cX (ck c))) bl).
    - etransitivity; [|apply sum_incl; eassumption]. apply sum_le. intros c Hc. unfold n'.
      rewrite (proj2 (Ex c) Hc). lia.
    - etransitivity; [apply largest_flat|]. apply largest_grows. etransitivity; [|exact Hn].
      unfold n'. rewrite <- sum_filter. apply sum_incl; [apply NoDup_filter, Bl|].
      intros c Hc. apply filter_In in Hc as [_ Hc]. apply Ex, Hc.
  Qed.

  (** *** [A] with [W] each, [B] with [n] extras. *)
  Lemma busy_ge A B n N k K : NoDup (A ++ B) -> incl (A ++ B) bl ->
    (forall c, In c (A ++ B) -> cW (ck c) <= cE (ck c)) ->
    sum n B <= N -> length B <= k -> length (A ++ B) <= K ->
    sum (fun c => cW (ck c)) A + sum (fun c => charge (ck c) (n c)) B <= busy_with N k K l.
  Proof.
    intros ND I Le Hn Hk HK.
    assert (NoDup B) as NB by (clear -ND; induction A as [|x A IH]; [exact ND|inversion ND; auto]).
    assert (incl B bl) as IB by (intros c Hc; apply I, in_or_app; right; exact Hc).
    assert (sum (fun c => charge (ck c) (n c)) B = sum (fun c => cW (ck c)) B
      + sum (fun c => min (cE (ck c) - cW (ck c)) (largest (n c) (cX (ck c)))) B) as E.
    { rewrite <- sum_add. apply sum_ext. intros c Hc.
      specialize (Le c ltac:(apply in_or_app; right; exact Hc)). unfold charge. lia. }
    pose proof (largest_ge (fun c => cW (ck c)) bl (A ++ B) K ND I HK) as H1.
    pose proof (largest_ge (fun c => cE (ck c)) bl (A ++ B) K ND I HK) as H2.
    pose proof (largest_ge (fun c => cE (ck c) - cW (ck c)) bl B k NB IB Hk) as H3.
    pose proof (extras_ge B n N NB IB Hn) as H4. rewrite sum_app in H1, H2.
    unfold busy_with. rewrite !map_map. apply Nat.min_glb.
    - rewrite E.
      assert (sum (fun c => min (cE (ck c) - cW (ck c)) (largest (n c) (cX (ck c)))) B
        <= sum (fun c => cE (ck c) - cW (ck c)) B) by (apply sum_le; intros; lia).
      assert (sum (fun c => min (cE (ck c) - cW (ck c)) (largest (n c) (cX (ck c)))) B
        <= sum (fun c => largest (n c) (cX (ck c))) B) by (apply sum_le; intros; lia). lia.
    - assert (sum (fun c => cW (ck c)) A <= sum (fun c => cE (ck c)) A).
      { apply sum_le. intros c Hc. apply Le, in_or_app. left. exact Hc. }
      assert (sum (fun c => charge (ck c) (n c)) B <= sum (fun c => cE (ck c)) B).
      { apply sum_le. intros c _. unfold charge. lia. } lia.
  Qed.

  Lemma owned_ge A n : NoDup A -> incl A bl -> length A <= n ->
    sum (fun c => cO (ck c)) A <= owned n l.
  Proof.
    intros. unfold owned. rewrite map_map. apply (largest_ge (fun c => cO (ck c))); assumption.
  Qed.

  Lemma turns_ge b : In b bl -> cH (ck b) <= turns l.
  Proof.
    intros. unfold turns. rewrite map_map. apply (list_max_in_ge (fun c => cH (ck c))). assumption.
  Qed.

  Lemma lam_ge b : In b bl -> cL (ck b) <= list_max (map cL l).
  Proof. intros. rewrite map_map. apply (list_max_in_ge (fun c => cL (ck c))). assumption. Qed.
End Some.

Lemma busy_grows N k n N' k' n' l : N <= N' -> k <= k' -> n <= n' ->
  busy_with N k n l <= busy_with N' k' n' l.
Proof.
  intros. unfold busy_with. pose proof (largest_grows n n' (map cW l)).
  pose proof (largest_grows n n' (map cE l)). pose proof (largest_grows N N' (flat_map cX l)).
  pose proof (largest_grows k k' (map (fun x => cE x - cW x) l)). lia.
Qed.
