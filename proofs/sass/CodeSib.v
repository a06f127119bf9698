(** * code-sib and code-fib of blocks without barriers: theorem 1 of docs/machine-code-bounds.md *)

From Warpbound Require Import Base Cycles CodeMachine CodeEnough CodeLate CodeReady CodeElb CodeOwn.

(** ** Charges: occ(j|w) of the page

    Holds of units that satisfy [p]: of the first stage, and of all behind it. *)
Definition first_hold (b : block) (p : nat -> bool) (y : key) : nat :=
  if p (unit (st b y 0)) then hold (st b y 0) else 0.
Definition later_holds (b : block) (p : nat -> bool) (y : key) : nat :=
  sum (fun i => if p (unit (st b y i)) then hold (st b y i) else 0) (seq 1 (stages b y - 1)).

(** Of the sub-core of [w] slot and holds, a latch within the slot unless its constant can miss; of
    others what [w] can reach; of [w] itself clash units. *)
Definition occ (m : machine) (b : block) (reach : nat -> bool) (w : nat) (y : key) : nat :=
  if fst y =? w then first_hold b (clash m) y + later_holds b (clash m) y
  else if core m (fst y) =? core m w then
    (if latch m b y
     then match operand (get b y) with
          | 0 => max (slot (get b y)) (first_hold b reach y)
          | S _ => slot (get b y) + (first_hold b reach y - 1)
          end
     else slot (get b y) + first_hold b reach y) + later_holds b reach y
  else first_hold b reach y + later_holds b reach y.

Section Charges.
  Variables (m : machine) (b : block) (s : schedule) (reach : nat -> bool) (w : nat).
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.

  (** [y] holds a unit of [p] in a later stage in cycle [t]. *)
  Definition later (p : nat -> bool) (y : key) (t : nat) : bool :=
    existsb (fun i => p (unit (st b y i)) && holds b s y i t) (seq 1 (stages b y - 1)).

  Lemma later_count p y n : In y (keys b) -> cnt (later p y) n <= later_holds b p y.
  Proof.
    intros Hy.
    etransitivity; [apply (cnt_exists (fun t i => p (unit (st b y i)) && holds b s y i t))|].
    apply sum_le. intros i Hi. apply in_seq in Hi. destruct (p (unit (st b y i))).
    - etransitivity; [|apply (e_hold _ _ _ _ _ OK y i Hy); lia].
      etransitivity; [|apply (cnt_interval (D s y i) (ah s y i) n)]. apply cnt_le.
      intros t _ Ht. apply holds_iff in Ht as [_ Ht].
      apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
    - rewrite cnt_none; [lia|reflexivity].
  Qed.

  Lemma stages_split (p : nat -> bool) y t :
    existsb (fun i => p (unit (st b y i)) && holds b s y i t) (seq 0 (stages b y)) = true ->
    (p (unit (st b y 0)) && holds b s y 0 t) || later p y t = true.
  Proof.
    intros H. apply existsb_exists in H as [i [Hi H]]. apply in_seq in Hi. apply orb_true_iff.
    destruct i as [|i]; [left; exact H|right]. apply existsb_exists. exists (S i).
    split; [apply in_seq; lia|exact H].
  Qed.

  Lemma first_count p y n : In y (keys b) ->
    cnt (fun t => p (unit (st b y 0)) && holds b s y 0 t) n <= first_hold b p y.
  Proof.
    intros Hy. unfold first_hold.
    destruct (p (unit (st b y 0))); [|rewrite cnt_none; [lia|reflexivity]].
    destruct (Nat.eq_dec (stages b y) 0) as [E|E].
    - rewrite cnt_none; [lia|]. intros t _. unfold holds. rewrite E. reflexivity.
    - etransitivity; [|apply (e_hold _ _ _ _ _ OK y 0 Hy); lia].
      etransitivity; [|apply (cnt_interval (D s y 0) (ah s y 0) n)]. apply cnt_le.
      intros t _ Ht. simpl in Ht. apply holds_iff in Ht as [_ Ht].
      apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia.
  Qed.

  Lemma slot_count y n : In y (keys b) -> cnt (issues s y) n <= slot (get b y).
  Proof.
    intros Hy. etransitivity; [apply cnt_or|]. pose proof (cnt_interval (P s y) (aprobe s y) n).
    pose proof (cnt_interval (L s y) (aslot s y) n). pose proof (e_slot _ _ _ _ _ OK y Hy). lia.
  Qed.

  (** A latch is held from its issue on, within the slot. *)
  Lemma latch_count y n : In y (keys b) -> latch m b y = true ->
    cnt (fun t => issues s y t || (reach (unit (st b y 0)) && holds b s y 0 t)) n
    <= match operand (get b y) with
       | 0 => max (slot (get b y)) (first_hold b reach y)
       | S _ => slot (get b y) + (first_hold b reach y - 1)
       end.
  Proof.
    intros Hy Hl. pose proof (e_slot _ _ _ _ _ OK y Hy) as [S1 S2].
    pose proof (e_probe _ _ _ _ _ OK y Hy) as S3.
    pose proof (e_constant _ _ _ _ _ OK y Hy) as [_ S4].
    assert (L s y = I s y) as HL.
    { destruct (e_room _ _ _ _ _ OK y Hy) as [E|[[u [_ [E _]]] _]]; [exact E|congruence]. }
    pose proof (e_latch _ _ _ _ _ OK y Hy Hl) as HD. assert (stages b y <> 0) as Hp. { intros E.
    unfold latch in Hl. unfold stages in E. destruct (way (get b y)); discriminate. }
    set (h := if reach (unit (st b y 0)) then ah s y 0 else 0).
    assert (h <= first_hold b reach y) as Hh.
    { unfold h, first_hold.
      destruct (reach (unit (st b y 0))); [apply (e_hold _ _ _ _ _ OK y 0 Hy); lia|lia]. }
    transitivity (aprobe s y + max (aslot s y) h); [|destruct (operand (get b y)); lia].
    transitivity (cnt (fun t => ((P s y <=? t) && (t <? P s y + aprobe s y))
      || ((L s y <=? t) && (t <? L s y + max (aslot s y) h))) n).
    - apply cnt_le. intros t _ Ht.
      rewrite !orb_true_iff, !andb_true_iff, issues_iff, !Nat.leb_le, !Nat.ltb_lt in *.
      destruct Ht as [Ht|[Hr Ht]]; [lia|]. apply holds_iff in Ht as [_ Ht]. unfold h. rewrite Hr.
      lia.
    - etransitivity; [apply cnt_or|]. pose proof (cnt_interval (P s y) (aprobe s y) n).
      pose proof (cnt_interval (L s y) (max (aslot s y) h) n). lia.
  Qed.

  (** An instruction keeps [w] waiting for at most its charge. *)
  Lemma occ_count y n : In y (keys b) -> cnt (hit m b s reach w y) n <= occ m b reach w y.
  Proof.
    intros Hy. unfold hit, occ. destruct (Nat.eqb_spec (fst y) w) as [E|E].
    - etransitivity; [apply cnt_le; intros t _ Ht; apply stages_split, Ht|].
      etransitivity; [apply cnt_or|]. pose proof (first_count (clash m) y n Hy).
      pose proof (later_count (clash m) y n Hy). lia.
    - pose proof (later_count reach y n Hy) as HL. pose proof (first_count reach y n Hy) as HF.
      destruct (Nat.eqb_spec (core m (fst y)) (core m w)) as [C|C]; cbn [andb orb].
      + etransitivity; [apply (cnt_le _ (fun t =>
          (issues s y t || (reach (unit (st b y 0)) && holds b s y 0 t)) || later reach y t))|].
        { intros t _ Ht. apply orb_true_iff in Ht as [Ht|Ht]; [rewrite Ht; reflexivity|].
          apply stages_split in Ht. rewrite <- orb_assoc, Ht. apply orb_true_r. }
        etransitivity; [apply cnt_or|]. apply Nat.add_le_mono; [|exact HL].
        destruct (latch m b y) eqn:El; [apply latch_count; assumption|].
        etransitivity; [apply cnt_or|]. pose proof (slot_count y n Hy). lia.
      + etransitivity; [apply cnt_le; intros t _ Ht; apply stages_split, Ht|].
        etransitivity; [apply cnt_or|]. lia.
  Qed.
End Charges.

(** O(w): all that others hold of what [w] can reach, and [w] of clash units. *)
Definition others (m : machine) (b : block) (reach : nat -> bool) (w : nat) : nat :=
  sum (occ m b reach w) (keys b).

Section Sib.
  Variables (m : machine) (b : block) (s : schedule).
  Hypothesis WF : wf m b.
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.

  (** A block without barriers, or of which nothing follows them. *)
  Hypothesis NoBarrier : forall x, In x (keys b) -> sec (get b x) = 0.
  Variables (reach : nat -> nat -> bool) (iP iI : key -> nat) (iD : key -> nat -> nat)
    (iso : nat -> nat).
  Hypothesis HR : forall w, w < length b -> reaches m b (reach w) w 0.
  Hypothesis HI : forall w, w < length b -> iso_cert m b w 0 iP iI iD (iso w).

  (** Some instruction hits [w] in cycle [t]. *)
  Definition found (w t : nat) : bool := existsb (fun y => hit m b s (reach w) w y t) (keys b).

  Lemma found_total w n : cnt (found w) n <= others m b (reach w) w.
  Proof.
    etransitivity; [apply (cnt_exists (fun t y => hit m b s (reach w) w y t))|]. apply sum_le.
    intros y Hy. apply (occ_count m b s _ w OK y n Hy).
  Qed.

  (** *** Theorem 1.  [b] lists the warps of all thread blocks that the SM has meanwhile; of one,
      started at 0, the page's.  With [reach] of CodeReach.v: code-sib and code-fib. *)
  Theorem code_sib w k : In (w, k) (keys b) ->
    finish b s (w, k) <= rel s (group m w) 0 + (iso w + others m b (reach w) w).
  Proof.
    intros Hk. assert (w < length b) as Hw by (apply in_keys in Hk; apply Hk).
    set (t0 := rel s (group m w) 0). set (f := cnt (found w)).
    destruct (own_finish m b s WF OK (fun _ => reach w) w 0 iP iI iD (iso w)
      (reaches_always _ _ _ _ _ _ (HR w Hw)) (HI w Hw) f t0 (f t0) t0) with (k := k)
      as [H _]; auto.
    - intros t. apply cnt_rises.
    - intros t y _ Hy Ht. apply cnt_counted. apply existsb_exists. eauto.
    - intros j Hj Hs. lia.
    - pose proof (begun m b s WF OK (w, k) Hk) as Hb. simpl in Hb. fold t0 in Hb.
      specialize (H (finish b s (w, k)) Hb (le_n _)).
      pose proof (found_total w (finish b s (w, k))). unfold f in H. lia.
  Qed.
End Sib.
