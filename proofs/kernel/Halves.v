(** * K-BAL found by halves (docs/proofs.md, section 12, theorem 7)

    h(n) does not fall with [n], what the other SMs take does not grow: the largest of
    their minima is where they cross, and that is found by halves, as the program does. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Largest Extras Formulas.

(** ** The n largest *)

Lemma largest_flatter l : forall n, largest (S (S n)) l + largest n l <= 2 * largest (S n) l.
Proof.
  induction l as [|x l IH]; intros n; [rewrite !largest_nil; lia|]. rewrite !largest_cons.
  pose proof (IH n) as H. destruct n as [|n]; [rewrite !largest_0 in *; lia|]. rewrite largest_cons.
  specialize (IH n). lia.
Qed.

(** The largest of all but one. *)
Lemma largest_without n x l : largest n l = min (largest n (x :: l)) (largest (S n) (x :: l) - x).
Proof.
  rewrite largest_cons. destruct n as [|n]; [rewrite !largest_0; lia|]. rewrite largest_cons.
  pose proof (largest_flatter l n). lia.
Qed.

Lemma picks_permuted l p : In p (picks l) -> Permutation l (fst p :: snd p).
Proof.
  revert p. induction l as [|x l IH]; intros p; [intros []|]. cbn [picks].
  intros [<-|H]; [reflexivity|]. apply in_map_iff in H as [p' [<- H]]. specialize (IH p' H).
  cbn [fst snd]. etransitivity; [apply perm_skip, IH|apply perm_swap].
Qed.

(** ** Searching by halves *)

(** The least number from [low] on that satisfies [p], if that is one up to [high], and [high] else;
    where those that satisfy [p] are followed by such. *)
Fixpoint least (p : nat -> bool) (fuel low high : nat) : nat :=
  match fuel with
  | 0 => high
  | S f => if low <? high then
             let n := low + (high - low) / 2 in if p n then least p f low n else least p f
               (n + 1) high
           else high
  end.

Lemma least_ok (p : nat -> bool) R top :
  (forall n k, R <= n -> n <= k -> k <= top -> p n = true -> p k = true) ->
  forall fuel low high, high - low <= fuel -> R <= low -> low <= high -> high <= top ->
  (forall k, R <= k < low -> p k = false) -> (high = top \/ p high = true) ->
  R <= least p fuel low high <= top
  /\ (forall k, R <= k < least p fuel low high -> p k = false)
  /\ (least p fuel low high = top \/ p (least p fuel low high) = true).
Proof.
  intros Up. induction fuel as [|f IH]; intros low high F L1 L2 L3 B A.
  - cbn [least]. replace high with low in * by lia. auto.
  - cbn [least].
    destruct (Nat.ltb_spec low high) as [L|L]; [|replace high with low in * by lia; auto]. cbv zeta.
    pose proof (Nat.div_lt (high - low) 2 ltac:(lia) ltac:(lia)) as Half.
    set (n := low + (high - low) / 2) in *. destruct (p n) eqn:P.
    + apply IH; auto; lia.
    + apply IH; auto; [lia|lia|lia|]. intros k Hk. destruct (p k) eqn:E; [|reflexivity].
      rewrite (Up k n) in P; [discriminate|lia|lia|lia|exact E].
Qed.

(** ** The formulas along n *)

Section Halves.
  Variables (M R delta : nat) (l : list kind).
  (* as Stay.v has them; the program takes the least of these and others *)
  Hypothesis Stay : forall k, In k l -> kA k <= kE k + kL k /\ kS k <= kE k + kL k.
  Hypothesis HR : 1 <= R.

  Lemma lam_in k : In k l -> kL k <= lam l.
  Proof. intros H. apply (list_max_in_ge kL), H. Qed.

  Lemma isolated_one : isolated 1 l <= most 1 l + lam l.
  Proof.
    unfold isolated, most. assert (forall j, incl j l -> largest 1 (map kS j)
      <= largest 1 (map kE j) + lam l) as H; [|apply H, incl_refl].
    induction j as [|k j IH]; intros I; [cbn; lia|]. cbn [map]. rewrite !largest_cons, !largest_0.
    specialize (IH (fun x Hx => I x (or_intror Hx))). pose proof (I k (or_introl eq_refl)) as Hk.
    pose proof (Stay k Hk). pose proof (lam_in k Hk). lia.
  Qed.

  Lemma together_next : together R l <= h R delta (S R) l.
  Proof.
    unfold h. rewrite (proj2 (Nat.leb_gt (S R) R)) by lia. unfold together.
    destruct (Nat.leb_spec R 1) as [L|L].
    - replace R with 1 by lia. cbn [Nat.eqb]. unfold W. cbn [Nat.eqb]. pose proof isolated_one.
      pose proof (largest_grows 1 2 (map kE l) ltac:(lia)).
      pose proof (largest_grows 1 2 (map kS l) ltac:(lia)). unfold most, isolated in *. lia.
    - rewrite (proj2 (Nat.eqb_neq R 1)) by lia. unfold W. rewrite (proj2 (Nat.eqb_neq R 1)) by lia.
      replace ((S R - 1) / R) with 1 by (cbn [Nat.sub]; rewrite Nat.sub_0_r, Nat.div_same by lia;
        reflexivity). apply list_max_le_in. intros v Hv. apply in_map_iff in Hv as [p [<- Hp]].
      pose proof (picks_permuted l p Hp) as Pe. assert (In (fst p) l) as Hi.
      { apply (Permutation_in _ (Permutation_sym Pe)). left. reflexivity. }
      pose proof (Stay _ Hi). pose proof (lam_in _ Hi).
      pose proof (largest_perm _ _ (Permutation_map kE Pe) R) as HR1. cbn [map] in HR1.
      pose proof (largest_take (R - 1) (kE (fst p)) (map kE (snd p))) as T.
      replace (S (R - 1)) with R in T by lia.
      pose proof (largest_grows R (S R) (map kE l) ltac:(lia)).
      pose proof (largest_skip R (kE (fst p)) (map kE (snd p))).
      pose proof (largest_grows (R - 1) R (map kE (snd p)) ltac:(lia)).
      pose proof (largest_one held l _ 1 Hi (le_n 1)) as Hh. unfold held in Hh.
      unfold most, residencies in *. replace (S R - 1) with R by lia. fold held in Hh |- *. lia.
  Qed.

  Lemma W_grows n f f' : f <= f' <= S f -> W R n f l <= W R (S n) f' l.
  Proof.
    intros Hf. unfold W, most, isolated, residencies.
    pose proof (largest_grows n (S n) (map kE l) ltac:(lia)).
    pose proof (largest_grows (n - f) (S n - f') (map kE l) ltac:(lia)).
    assert (f * lam l <= f' * lam l) by (apply Nat.mul_le_mono_r; lia). destruct (R =? 1).
    - pose proof (largest_grows f f' (map kS l) ltac:(lia)). lia.
    - pose proof (largest_grows f f' (map held l) ltac:(lia)). lia.
  Qed.

  Lemma div_next n : n / R <= S n / R <= S (n / R).
  Proof.
    split; [apply Nat.div_le_mono; lia|].
    replace (S (n / R)) with ((n + 1 * R) / R) by (rewrite Nat.div_add; lia).
    apply Nat.div_le_mono; lia.
  Qed.

  Lemma h_next n : R <= n -> h R delta n l <= h R delta (S n) l.
  Proof.
    intros Hn. destruct (Nat.eq_dec n R) as [->|N].
    - unfold h at 1. rewrite Nat.leb_refl. apply together_next.
    - unfold h. rewrite !(proj2 (Nat.leb_gt _ R)) by lia. destruct (R =? 1).
      + pose proof (W_grows n n (S n) ltac:(lia)). nia.
      + pose proof (div_next (n - 1)) as D. replace (S (n - 1)) with (S n - 1) in D by lia.
        pose proof (W_grows n _ _ D). nia.
  Qed.

  Lemma h_grows n k : R <= n -> n <= k -> h R delta n l <= h R delta k l.
  Proof. intros Hn. induction 1 as [|k Hk IH]; [lia|]. pose proof (h_next k ltac:(lia)). lia. Qed.

  Lemma g_grows q p : q <= p -> g R delta q l <= g R delta p l.
  Proof.
    induction 1 as [|p Hp IH]; [lia|]. etransitivity; [exact IH|]. unfold g.
    pose proof (div_next p) as D. pose proof (W_grows p _ _ D). nia.
  Qed.

  (** What the other SMs take, and a last wave. *)
  Definition rest_time (n : nat) : nat := g R delta (share_left M l n) l + together R l.

  Lemma rest_falls n k : n <= k -> rest_time k <= rest_time n.
  Proof.
    intros H. unfold rest_time. apply Nat.add_le_mono_r, g_grows. unfold share_left.
    destruct (M - 1) as [|m]; [apply le_n|]. apply Nat.div_le_mono; lia.
  Qed.

  (** K-BAL by halves: at the least [n] at which the others take less than h(n), and before;
      the library looks for the least at which they take no more. *)
  Definition k_bal_halves (less : nat -> nat -> bool) : nat :=
    if (length l <=? M * R) || (M =? 1) then k_sm M R delta l
    else
      let high := length l - (M - 1) * R in
      let n := least (fun n => less (rest_time n) (h R delta n l)) (high - R) R high in
      max (balance M R delta l n) (if R <? n then balance M R delta l (n - 1) else 0).

  (** *** It is K-BAL, by either comparison. *)
  Theorem k_bal_halves_ok less : less = Nat.ltb \/ less = Nat.leb -> 1 <= M ->
    k_bal_halves less = k_bal M R delta l.
  Proof.
    intros HL HM. unfold k_bal_halves, k_bal.
    destruct ((length l <=? M * R) || (M =? 1)) eqn:E; [reflexivity|].
    apply orb_false_elim in E as [E1 E2]. apply Nat.leb_gt in E1. apply Nat.eqb_neq in E2.
    set (high := length l - (M - 1) * R). assert (R <= high) as Hh by (unfold high; nia).
    replace (seq R (length l - M * R + 1)) with (seq R (S high - R)) by (f_equal; unfold high; nia).
    assert (forall a c, (less a c = true -> a <= c) /\ (less a c = false -> c <= a) /\ forall a' c',
      a' <= a -> c <= c' -> less a c = true -> less a' c' = true) as HP.
    { intros a c. destruct HL as [-> | ->]; split; try split; intros; rewrite ?Nat.ltb_lt,
        ?Nat.leb_le, ?Nat.ltb_ge, ?Nat.leb_gt in *; lia. }
    set (p := fun n => less (rest_time n) (h R delta n l)).
    destruct (least_ok p R high) with (fuel := high - R) (low := R) (high := high)
      as [Ln [Lb La]]; try lia.
    { intros n k Hn Hk _ P. pose proof (h_grows n k Hn Hk). pose proof (rest_falls n k Hk).
      apply (proj2 (proj2 (HP _ _)) (rest_time k) (h R delta k l)) in P; assumption. }
    cbv zeta. fold p. set (n := least p (high - R) R high) in *.
    assert (forall k, balance M R delta l k = min (h R delta k l) (rest_time k)) as Bal
      by reflexivity. apply Nat.le_antisymm.
    - apply Nat.max_lub; [apply list_max_ge, in_map, in_seq; lia|].
      destruct (Nat.ltb_spec R n) as [L|L]; [|lia]. apply list_max_ge, in_map, in_seq. lia.
    - apply list_max_le_in. intros v Hv. apply in_map_iff in Hv as [k [<- Hk]]. apply in_seq in Hk.
      destruct (le_lt_dec n k) as [L|L].
      + destruct La as [La|La]; [replace k with n by lia; lia|]. apply HP in La.
        pose proof (rest_falls n k L). rewrite !Bal. lia.
      + rewrite (proj2 (Nat.ltb_lt R n)) by lia.
        pose proof (Lb (n - 1) ltac:(lia)) as P. apply HP in P.
        pose proof (h_grows k (n - 1) ltac:(lia) ltac:(lia)). rewrite !Bal. lia.
  Qed.
End Halves.
