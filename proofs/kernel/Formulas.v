(** * K-SM, K-AREA and K-BAL as functions (docs/proofs.md, section 12)

    A grid is the list of what its thread blocks amount to, in any order. *)

From Warpbound Require Import Base Cycles Largest.

(** Of a thread block: E, lam with the releases, alpha (its stay takes at most alpha and what
    others initiate meanwhile), solo (its stay takes at most so long when nothing else is there). *)
Record kind := Kind { kE : nat; kL : nat; kA : nat; kS : nat }.

(** The larger of alpha and E. *)
Definition held (k : kind) : nat := max (kA k) (kE k).

(** E^n, A^n, the same of [solo], lam. *)
Definition most (n : nat) (l : list kind) : nat := largest n (map kE l).
Definition residencies (n : nat) (l : list kind) : nat := largest n (map held l).
Definition isolated (n : nat) (l : list kind) : nat := largest n (map kS l).
Definition lam (l : list kind) : nat := list_max (map kL l).

(** Every element with all others. *)
Fixpoint picks (l : list kind) : list (kind * list kind) :=
  match l with
  | [] => []
  | x :: r => (x, r) :: map (fun p => (fst p, x :: snd p)) (picks r)
  end.

(** S_n: until [n] thread blocks that an SM holds have ended, if it gets no others. *)
Definition together (n : nat) (l : list kind) : nat :=
  if n <=? 1 then isolated 1 l
  else list_max (map (fun p => kA (fst p) + most (n - 1) (snd p)) (picks l)).

(** W(n, f), of an SM with [R] slots. *)
Definition W (R n f : nat) (l : list kind) : nat :=
  min (most n l + f * lam l)
      ((if R =? 1 then isolated f l else residencies f l) + most (n - f) l).

(** h(n) of K-SM: an SM that gets [n] of the thread blocks. *)
Definition h (R delta n : nat) (l : list kind) : nat :=
  if n <=? R then together n l
  else if R =? 1 then W R n n l + (n - 1) * delta
  else W R n ((n - 1) / R) l + lam l + (n - 1) / R * delta.

(** K-SM with dynamic dispatch, without the dispatcher's cycles; [M] SMs. *)
Definition k_sm (M R delta : nat) (l : list kind) : nat :=
  if length l <=? M * R then together ((length l + M - 1) / M) l
  else h R delta (length l - (M - 1) * R) l.

(** K-AREA, of more thread blocks than slots: X of the page; the area; with one slot an SM also the
    second. *)
Definition tail_work (R : nat) (l : list kind) : nat := min (most R l) (together R l - lam l).

(** The area that all slots have, divided by their number. *)
Definition area (M R delta : nat) (l : list kind) : nat :=
  (R * (sum kE l + (M - 1) * tail_work R l) + (sum kL l + (length l - M * R) * delta
     + (M * R - 1) * (lam l + delta))) / (M * R).

(** The area where each SM has one slot. *)
Definition area_alone (M delta : nat) (l : list kind) : nat :=
  (sum kS l + (length l - M) * delta + (M - 1) * (isolated 1 l + delta)) / M.

(** K-AREA. *)
Definition k_area (M R delta : nat) (l : list kind) : nat :=
  if length l <=? M * R then k_sm M R delta l
  else if R =? 1 then min (area M R delta l) (area_alone M delta l) else area M R delta l.

(** K-BAL: the SM that ends last gets [n] of the thread blocks, some other at most [q]. *)
Definition share_left (M : nat) (l : list kind) (n : nat) : nat := (length l - n) / (M - 1).

(** What an SM with [q] thread blocks takes. *)
Definition g (R delta q : nat) (l : list kind) : nat := W R q (q / R) l + q / R * delta.

(** The less of what one SM and what the others take. *)
Definition balance (M R delta : nat) (l : list kind) (n : nat) : nat :=
  min (h R delta n l) (g R delta (share_left M l n) l + together R l).

(** K-BAL is the largest balance. *)
Definition k_bal (M R delta : nat) (l : list kind) : nat :=
  if (length l <=? M * R) || (M =? 1) then k_sm M R delta l
  else list_max (map (balance M R delta l) (seq R (length l - M * R + 1))).

(** ** Of some of the thread blocks, [kd] says what each amounts to *)
Section Some.
  Variable kd : nat -> kind.
  Variable bl : list nat.
  Let l := map kd bl.

  Lemma most_ge Q n : NoDup Q -> incl Q bl -> length Q <= n ->
    sum (fun b => kE (kd b)) Q <= most n l.
  Proof.
    intros. unfold most, l. rewrite map_map. apply (largest_ge (fun b => kE (kd b))); assumption.
  Qed.

  Lemma isolated_ge Q n : NoDup Q -> incl Q bl -> length Q <= n ->
    sum (fun b => kS (kd b)) Q <= isolated n l.
  Proof.
    intros. unfold isolated, l. rewrite map_map.
    apply (largest_ge (fun b => kS (kd b))); assumption.
  Qed.

  Lemma residencies_ge Q n : NoDup Q -> incl Q bl -> length Q <= n ->
    sum (fun b => held (kd b)) Q <= residencies n l.
  Proof.
    intros. unfold residencies, l. rewrite map_map.
    apply (largest_ge (fun b => held (kd b))); assumption.
  Qed.

  Lemma lam_ge b : In b bl -> kL (kd b) <= lam l.
  Proof.
    intros. unfold lam, l. rewrite map_map. apply (list_max_in_ge (fun b => kL (kd b))). assumption.
  Qed.

  Lemma picks_in x l1 l2 : In (x, l1 ++ l2) (picks (l1 ++ x :: l2)).
  Proof.
    induction l1 as [|y l1 IH]; [left; reflexivity|]. right. cbn.
    apply in_map_iff. exists (x, l1 ++ l2). split; [reflexivity|exact IH].
  Qed.

  Lemma together_ge b Q n : 2 <= n -> In b bl -> NoDup (b :: Q) -> incl Q bl -> length Q <= n - 1 ->
    kA (kd b) + sum (fun c => kE (kd c)) Q <= together n l.
  Proof.
    intros Hn Hb N I L. unfold together. destruct (Nat.leb_spec n 1); [lia|].
    destruct (in_split b bl Hb) as [b1 [b2 E]].
    transitivity (kA (kd b) + most (n - 1) (map kd (b1 ++ b2))).
    - apply NoDup_cons_iff in N as [Nb NQ]. apply Nat.add_le_mono_l.
      unfold most. rewrite map_map. apply (largest_ge (fun c => kE (kd c))); [exact NQ| |exact L].
      intros c Hc. specialize (I c Hc). rewrite E in I.
      rewrite in_app_iff in *. cbn [In] in I. destruct I as [|[<-|]]; auto. contradiction.
    - apply (list_max_in_ge (fun p => kA (fst p) + most (n - 1) (snd p)) _
        (kd b, map kd (b1 ++ b2))). unfold l. rewrite E, !map_app. cbn [map]. apply picks_in.
  Qed.

  Lemma together_one b : In b bl -> kS (kd b) <= together 1 l.
  Proof.
    intros H. unfold together, isolated, l. rewrite map_map. cbn [Nat.leb].
    apply (largest_one (fun b => kS (kd b))); [exact H|lia].
  Qed.

  (** [f] of [n] thread blocks with what they hold a slot, the others with what they initiate. *)
  Lemma slot_ge P Q f n : NoDup (P ++ Q) -> incl (P ++ Q) bl ->
    length P <= f -> length (P ++ Q) <= n -> f <= n ->
    sum (fun b => held (kd b)) P + sum (fun b => kE (kd b)) Q <= residencies f l + most (n - f) l.
  Proof.
    intros N I HP HQ Hf. rewrite app_length in HQ. set (k := length Q - (n - f)).
    assert (sum (fun b => held (kd b)) P + sum (fun b => kE (kd b)) Q
      <= sum (fun b => held (kd b)) (P ++ firstn k Q) + sum (fun b => kE (kd b)) (skipn k Q)) as H.
    { rewrite <- (firstn_skipn k Q) at 1. rewrite !sum_app.
      assert (sum (fun b => kE (kd b)) (firstn k Q) <= sum (fun b => held (kd b)) (firstn k Q));
        [|lia]. apply sum_le. intros. unfold held. lia. }
    rewrite <- (firstn_skipn k Q), app_assoc in N, I.
    rewrite H. apply Nat.add_le_mono.
    - apply residencies_ge.
      + clear -N. induction (P ++ firstn k Q) as [|x q IH]; [constructor|].
        inversion N; subst. constructor; [rewrite in_app_iff in *; tauto|apply IH; assumption].
      + intros x Hx. apply I, in_or_app. left. exact Hx.
      + rewrite app_length, firstn_length. lia.
    - apply most_ge.
      + clear -N. induction (P ++ firstn k Q) as [|x q IH]; [exact N|]. inversion N; subst.
        apply IH; assumption.
      + intros x Hx. apply I, in_or_app. right. exact Hx.
      + rewrite skipn_length. lia.
  Qed.
End Some.
