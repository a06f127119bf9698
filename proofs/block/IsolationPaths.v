(** * Isolation at every dispatch depth as longest paths, and SIB and FIB as functions

    One pass over a warp gives I(k) and D(k) of [G_s(w)]; they are the least that keep
    all edges. *)

From Warpbound Require Import Base Cycles Model Queue Isolation Bounds.

(** ** Longest paths *)

(** [j] and [k] of a warp are in one section. *)
Definition same_section (b : block) (w k j : nat) : bool :=
  sec (get b (w, j)) =? sec (get b (w, k)).

(** The earlier own instructions of the section on the unit of [k]. *)
Definition own_unit (b : block) (w k : nat) : list nat :=
  filter (fun o => same_section b w k o && on b (fu (get b (w, k))) (w, o)) (seq 0 k).

(** The edges into I(k) and, besides the one from I(k), into D(k). *)
Definition into_issue (b : block) (m : machine) (w k : nat) (tI tD : nat -> nat) : list nat :=
  match k with 0 => [] | S j => if same_section b w k j then [tI j + takes (get b (w, j))]
    else [] end
  ++ map (fun p => tD p + init (get b (w, p)) + lat (get b (w, p)))
       (filter (same_section b w k) (ops (get b (w, k))))
  ++ match depth m with
     | None => []
     | Some 0 => map (fun o => tD o + init (get b (w, o))) (own_unit b w k)
     | Some (S _) => map tD (own_unit b w k)
     end.

(** The times that the start of [k] follows. *)
Definition into_start (b : block) (w k : nat) (tD : nat -> nat) : list nat :=
  map (fun o => tD o + init (get b (w, o))) (own_unit b w k).

(** The times of instruction [k] from those before it. *)
Definition iso_row (b : block) (m : machine) (w k : nat) (t : list (nat * nat)) : nat * nat :=
  let i := list_max (into_issue b m w k (fun j => fst (nth j t (0, 0))) (fun j =>
    snd (nth j t (0, 0)))) in
  (i, max i (list_max (into_start b w k (fun j => snd (nth j t (0, 0)))))).

(** I and D of the first [n] instructions of warp [w]. *)
Fixpoint iso_rows (b : block) (m : machine) (w n : nat) : list (nat * nat) :=
  match n with
  | 0 => []
  | S k => let t := iso_rows b m w k in t ++ [iso_row b m w k t]
  end.

(** The isolation times of all warps. *)
Definition iso_tables (b : block) (m : machine) : list (list (nat * nat)) :=
  map (fun w => iso_rows b m w (len b w)) (seq 0 (length b)).

(** The entry of a key in such tables. *)
Definition entry (t : list (list (nat * nat))) (x : key) : nat * nat :=
  nth (snd x) (nth (fst x) t []) (0, 0).
(** The isolation time of an issue. *)
Definition isoI_at (b : block) (m : machine) (x : key) : nat := fst (entry (iso_tables b m) x).
(** The isolation time of a start. *)
Definition isoD_at (b : block) (m : machine) (x : key) : nat := snd (entry (iso_tables b m) x).

(** ** The bounds of thread block [g] as functions of block and machine *)
Definition FIB_at (b : block) (m : machine) (g : nat) : nat :=
  let t := iso_tables b m in block_bound b m (fib_charge b m) (fun x => snd (entry t x)) g.
Definition SIB_at (b : block) (m : machine) (g : nat) : nat :=
  let t := iso_tables b m in block_bound b m (sib_charge b m) (fun x => snd (entry t x)) g.

(** ** The table is right *)

Lemma rows_length b m w n : length (iso_rows b m w n) = n.
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [iso_rows]. rewrite app_length, IH. simpl. lia.
Qed.

Lemma rows_nth b m w n j : j < n -> nth j (iso_rows b m w n) (0, 0)
  = iso_row b m w j (iso_rows b m w j).
Proof.
  induction n as [|n IH]; intros H; [lia|]. cbn [iso_rows].
  destruct (Nat.eq_dec j n) as [->|N].
  - rewrite app_nth2; rewrite rows_length; [|lia]. rewrite Nat.sub_diag. reflexivity.
  - rewrite app_nth1 by (rewrite rows_length; lia). apply IH. lia.
Qed.

Lemma rows_stable b m w n k j : j < k -> k <= n ->
  nth j (iso_rows b m w k) (0, 0) = nth j (iso_rows b m w n) (0, 0).
Proof. intros H1 H2. rewrite !rows_nth by lia. reflexivity. Qed.

Lemma entry_row b m w k : In (w, k) (keys b) ->
  entry (iso_tables b m) (w, k) = nth k (iso_rows b m w (len b w)) (0, 0).
Proof.
  intros H. apply in_keys in H as [Hw _]. unfold entry, iso_tables. simpl.
  rewrite (nth_indep _ [] (iso_rows b m 0 (len b 0))) by (rewrite map_length, seq_length; exact Hw).
  rewrite (map_nth (fun w => iso_rows b m w (len b w))), seq_nth by exact Hw. reflexivity.
Qed.

Lemma own_unit_in b w k o : In o (own_unit b w k) <->
  o < k /\ sec (get b (w, o)) = sec (get b (w, k)) /\ fu (get b (w, o)) = fu (get b (w, k)).
Proof.
  unfold own_unit, same_section, on. rewrite filter_In, in_seq, andb_true_iff, !Nat.eqb_eq. lia.
Qed.

(** The edges look only at earlier instructions. *)
Lemma into_issue_ext b m w k tI tD uI uD : wf b -> In (w, k) (keys b) ->
  (forall j, j < k -> tI j = uI j /\ tD j = uD j) ->
  into_issue b m w k tI tD = into_issue b m w k uI uD.
Proof.
  intros W Hk E. destruct (W w k Hk) as [_ [Wp _]]. unfold into_issue. f_equal; [|f_equal].
  - destruct k as [|j]; [reflexivity|]. destruct (E j ltac:(lia)) as [-> _]. reflexivity.
  - apply map_ext_in. intros p Hp. apply filter_In in Hp as [Hp _].
    destruct (E p (Wp p Hp)) as [_ ->]. reflexivity.
  - destruct (depth m) as [[|d]|]; [| |reflexivity]; apply map_ext_in; intros o Ho;
      apply own_unit_in in Ho; destruct (E o ltac:(lia)) as [_ ->]; reflexivity.
Qed.

Lemma into_start_ext b w k tD uD : (forall j, j < k -> tD j = uD j) ->
  into_start b w k tD = into_start b w k uD.
Proof.
  intros E. apply map_ext_in. intros o Ho. apply own_unit_in in Ho. rewrite E by lia. reflexivity.
Qed.

Section Tables.
  Variables (b : block) (m : machine).
  Hypothesis W : wf b.

  Lemma iso_at w k : In (w, k) (keys b) ->
    isoI_at b m (w, k) = list_max (into_issue b m w k (fun j => isoI_at b m (w, j)) (fun j =>
      isoD_at b m (w, j)))
    /\ isoD_at b m (w, k) = max (isoI_at b m (w, k))
         (list_max (into_start b w k (fun j => isoD_at b m (w, j)))).
  Proof.
    intros Hk. pose proof Hk as Hk'. apply in_keys in Hk' as [Hw Hl].
    assert (forall j, j < k -> nth j (iso_rows b m w k) (0, 0) = entry (iso_tables b m) (w, j))
      as E.
    { intros j Hj. rewrite (entry_row b m w j (keys_before _ _ _ j Hk ltac:(lia))).
      apply rows_stable; lia. }
    unfold isoI_at at 1 3, isoD_at at 2. rewrite !(entry_row b m w k Hk), rows_nth by exact Hl.
    unfold iso_row. cbn [fst snd]. rewrite (into_issue_ext b m w k _ _ (fun j => isoI_at b m (w, j))
      (fun j => isoD_at b m (w, j)) W Hk) by (intros j Hj; rewrite (E j Hj); split; reflexivity).
    rewrite (into_start_ext b w k _ (fun j => isoD_at b m (w, j)))
      by (intros j Hj; rewrite (E j Hj); reflexivity). split; reflexivity.
  Qed.

  (** The computed isolation times respect every edge of the graph. *)
  Theorem iso_at_edges : iso_edges b m (isoI_at b m) (isoD_at b m).
  Proof.
    intros w k Hk. destruct (iso_at w k Hk) as [HI HD].
    assert (forall t, In t (into_issue b m w k (fun j => isoI_at b m (w, j)) (fun j =>
      isoD_at b m (w, j))) -> t <= isoI_at b m (w, k)) as A
      by (intros t Ht; rewrite HI; apply list_max_ge, Ht). unfold into_issue in A.
    split; [|split; [|split]].
    - intros j -> Hs. apply A, in_or_app. left. unfold same_section. rewrite Hs, Nat.eqb_refl. left.
      reflexivity.
    - intros p Hp Hs. apply A, in_or_app. right. apply in_or_app. left. apply in_map_iff. exists p.
      split; [reflexivity|]. apply filter_In. split; [exact Hp|]. apply Nat.eqb_eq, Hs.
    - rewrite HD. lia.
    - intros o Ho Hs Hf. assert (In o (own_unit b w k)) as Io by (apply own_unit_in; auto). split.
      + rewrite HD. etransitivity; [|apply Nat.le_max_r]. apply list_max_ge.
        apply (in_map (fun o => isoD_at b m (w, o) + init (get b (w, o)))), Io.
      + destruct (depth m) as [[|d]|] eqn:Dm; [| |exact Logic.I]; apply A, in_or_app; right;
          apply in_or_app; right.
        * apply (in_map (fun o => isoD_at b m (w, o) + init (get b (w, o)))), Io.
        * apply (in_map (fun o => isoD_at b m (w, o))), Io.
  Qed.

  (** No times that respect the edges are less than the computed ones. *)
  Theorem iso_at_least iI iD : iso_edges b m iI iD ->
    forall w k, In (w, k) (keys b) -> isoI_at b m (w, k) <= iI (w, k) /\
    isoD_at b m (w, k) <= iD (w, k).
  Proof.
    intros HE w. induction k as [k IH] using lt_wf_ind. intros Hk.
    assert (forall j, j < k -> isoI_at b m (w, j) <= iI (w, j) /\ isoD_at b m (w, j) <= iD (w, j))
      as IH'.
    { intros j Hj. apply (IH j Hj). eapply keys_before; [exact Hk|lia]. }
    destruct (iso_at w k Hk) as [-> ->]. destruct (HE w k Hk) as [E1 [E2 [E3 E4]]].
    destruct (W w k Hk) as [_ [Wp _]]. assert
      (list_max (into_issue b m w k (fun j => isoI_at b m (w, j)) (fun j => isoD_at b m (w, j)))
      <= iI (w, k)) as A.
    { apply list_max_le, Forall_forall. intros t Ht. unfold into_issue in Ht.
      rewrite !in_app_iff in Ht. destruct Ht as [Ht|[Ht|Ht]].
      - destruct k as [|j]; [destruct Ht|].
        destruct (same_section b w (S j) j) eqn:Sj; [|destruct Ht]. destruct Ht as [<-|[]].
        apply Nat.eqb_eq in Sj. specialize (E1 j eq_refl Sj). destruct (IH' j ltac:(lia)). lia.
      - apply in_map_iff in Ht as [p [<- Hp]]. apply filter_In in Hp as [Hp Sp].
        apply Nat.eqb_eq in Sp. specialize (E2 p Hp Sp). destruct (IH' p (Wp p Hp)). lia.
      - destruct (depth m) as [[|d]|]; [| |destruct Ht]; apply in_map_iff in Ht as [o [<- Ho]];
          apply own_unit_in in Ho; destruct (E4 o ltac:(lia) ltac:(lia) ltac:(lia));
          destruct (IH' o ltac:(lia)); lia. }
    split; [exact A|]. apply Nat.max_lub; [lia|]. apply list_max_le, Forall_forall. intros t Ht.
    apply in_map_iff in Ht as [o [<- Ho]]. apply own_unit_in in Ho.
    destruct (E4 o ltac:(lia) ltac:(lia) ltac:(lia)). destruct (IH' o ltac:(lia)). lia.
  Qed.
End Tables.

(** ** Theorem 1 for the computed values *)

(** A thread block that is alone ends within the computed FIB. *)
Theorem FIB_at_bound m b s g : machine_ok m -> wf b -> valid m b s -> alone b m g ->
  forall x, In x (keys b) -> C s x <= begin s g + FIB_at b m g.
Proof. intros M W V A x. apply (fib_bound m b s _ _ g M W V (iso_at_edges b m W) x A). Qed.

(** A thread block that is alone ends within the computed SIB. *)
Theorem SIB_at_bound m b s g : machine_ok m -> wf b -> valid m b s -> alone b m g ->
  forall x, In x (keys b) -> C s x <= begin s g + SIB_at b m g.
Proof. intros M W V A x. apply (sib_charge_bound m b s _ _ g M W V (iso_at_edges b m W) x A). Qed.
