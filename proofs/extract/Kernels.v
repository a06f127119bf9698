(** * K-SM, K-AREA and K-BAL in polynomial time, and claims of kernels

    The formulas of kernel/Formulas.v without lists of lists, K-BAL by halves
    (kernel/Halves.v), static dispatch as the program adds up, and the checker of claims of
    check/CheckKernel.v in nearly linear time. *)

From Warpbound Require Import Base Cycles Model Elb Paths Largest Formulas Checks Grid GridLedger
  Kernel Copies CheckKernel Halves Forward Compute CheckFast.
From Warpbound Require Extras.

(** ** Formulas *)

(** S_n: all but one initiate the least of two differences. *)
Definition together_fast (n : nat) (l : list kind) : nat :=
  if n <=? 1 then isolated 1 l
  else let up := most n l in let below := most (n - 1) l in
       list_max (map (fun k => kA k + min below (up - kE k)) l).

Lemma together_fast_ok n l : together_fast n l = together n l.
Proof.
  unfold together_fast, together. destruct (Nat.leb_spec n 1) as [|L]; [reflexivity|]. cbv zeta.
  assert (forall p, In p (picks l) -> most (n - 1) (snd p)
    = min (most (n - 1) l) (most n l - kE (fst p))) as P.
  { intros p Hp. unfold most. rewrite (largest_without (n - 1) (kE (fst p))).
    rewrite !(Extras.largest_perm _ _ (Permutation.Permutation_map kE (picks_permuted l p Hp))).
    replace (S (n - 1)) with n by lia. reflexivity. }
  rewrite (map_ext_in _ (fun p => kA (fst p) + min (most (n - 1) l) (most n l - kE (fst p)))
    (picks l)) by (intros p Hp; rewrite (P p Hp); reflexivity). assert (map fst (picks l) = l) as F.
  { clear. induction l as [|x l IH]; [reflexivity|]. cbn [picks map fst]. f_equal. rewrite map_map.
    exact IH. }
  rewrite <- (map_map fst (fun k => kA k + min (most (n - 1) l) (most n l - kE k)) (picks l)), F.
  reflexivity.
Qed.

(** h(n), as extracted. *)
Definition h_fast (R delta n : nat) (l : list kind) : nat :=
  if n <=? R then together_fast n l else h R delta n l.

(** K-SM, as extracted. *)
Definition k_sm_fast (M R delta : nat) (l : list kind) : nat :=
  if length l <=? M * R then together_fast ((length l + M - 1) / M) l
  else h_fast R delta (length l - (M - 1) * R) l.

(** The area, as extracted. *)
Definition area_fast (M R delta : nat) (l : list kind) : nat :=
  (R * (sum kE l + (M - 1) * min (most R l) (together_fast R l - lam l))
    + (sum kL l + (length l - M * R) * delta
     + (M * R - 1) * (lam l + delta))) / (M * R).

(** K-AREA, as extracted. *)
Definition k_area_fast (M R delta : nat) (l : list kind) : nat :=
  if length l <=? M * R then k_sm_fast M R delta l
  else if R =? 1 then min (area_fast M R delta l) (area_alone M delta l) else area_fast M R delta l.

(** K-BAL, as extracted. *)
Definition k_bal_fast (M R delta : nat) (l : list kind) : nat :=
  if (length l <=? M * R) || (M =? 1) then k_sm_fast M R delta l
  else
    let last := together_fast R l in
    let rest n := g R delta (share_left M l n) l + last in
    let high := length l - (M - 1) * R in
    let n := least (fun n => rest n <? h_fast R delta n l) (high - R) R high in
    max (min (h_fast R delta n l) (rest n)) (if R <? n then min (h_fast R delta (n - 1) l)
      (rest (n - 1)) else 0).

Lemma h_fast_ok R delta n l : h_fast R delta n l = h R delta n l.
Proof. unfold h_fast, h. destruct (n <=? R); [apply together_fast_ok|reflexivity]. Qed.

(** The extracted K-SM equals K-SM. *)
Theorem k_sm_fast_ok M R delta l : k_sm_fast M R delta l = k_sm M R delta l.
Proof. unfold k_sm_fast, k_sm. rewrite together_fast_ok, h_fast_ok. reflexivity. Qed.

(** The extracted K-AREA equals K-AREA. *)
Theorem k_area_fast_ok M R delta l : k_area_fast M R delta l = k_area M R delta l.
Proof.
  unfold k_area_fast, k_area, area_fast, area, tail_work. rewrite together_fast_ok, k_sm_fast_ok.
  reflexivity.
Qed.

Lemma least_ext p q : (forall n, p n = q n) -> forall fuel low high, least p fuel low high
  = least q fuel low high.
Proof.
  intros H. induction fuel as [|f IH]; intros low high; [reflexivity|]. cbn [least].
  destruct (low <? high); [|reflexivity]. cbv zeta. rewrite H, !IH. reflexivity.
Qed.

(** The extracted K-BAL equals K-BAL. *)
Theorem k_bal_fast_ok M R delta l : (forall k, In k l -> kA k <= kE k + kL k /\ kS k
  <= kE k + kL k) ->
  1 <= M -> 1 <= R -> k_bal_fast M R delta l = k_bal M R delta l.
Proof.
  intros H HM HR. rewrite <- (k_bal_halves_ok M R delta l H HR Nat.ltb (or_introl eq_refl) HM).
  unfold k_bal_fast, k_bal_halves.
  destruct ((length l <=? M * R) || (M =? 1)); [apply k_sm_fast_ok|]. cbv zeta.
  rewrite (least_ext _ (fun n => rest_time M R delta l n <? h R delta n l))
    by (intros n; rewrite h_fast_ok, together_fast_ok; reflexivity). unfold balance.
  rewrite !h_fast_ok, together_fast_ok. reflexivity.
Qed.

(** ** Static dispatch: each SM by its own thread blocks [l], by the latencies of all waves *)

(** K-SM of one SM with static dispatch, as extracted. *)
Definition sm_static (R delta s : nat) (l : list kind) : nat :=
  let n := length l in
  if n <=? R then together_fast n l + (if (0 <? s) && (1 <? n) then delta else 0)
  else
    let waves := (n - 1) / R + 1 in
    let all := sum kE l + waves * lam l in
    (if R =? 1 then min all (sum kS l) else all) + (waves - 1) * delta.

(** It is no less than what the theorem says of the SM. *)
Theorem sm_static_ok (G : grid) (X : execution) (kd : nat -> kind) i : 1 <= slots G ->
  k_sm_of G X kd i <= sm_static (slots G) (latency G) (service G) (map kd (of_sm G X i)).
Proof.
  intros HR. unfold k_sm_of, sm_static, h. rewrite map_length. cbv zeta.
  set (n := length (of_sm G X i)). set (l := map kd (of_sm G X i)).
  destruct (Nat.leb_spec n (slots G)) as [L|L]; [rewrite together_fast_ok; reflexivity|].
  cbn [andb]. assert (most n l <= sum kE l) as HE by apply largest_total.
  assert (isolated n l <= sum kS l) as HS by apply largest_total. rewrite !Nat.add_sub, Nat.add_0_r.
  destruct (Nat.eqb_spec (slots G) 1) as [E|E]; unfold W.
  - rewrite E, Nat.div_1_r, Nat.sub_add, Nat.eqb_refl, Nat.sub_diag by lia.
    unfold most at 2. rewrite largest_0. apply Nat.add_le_mono_r. lia.
  - apply Nat.add_le_mono_r. rewrite Nat.mul_add_distr_r. lia.
Qed.

(** ** Claims of kernels *)

Lemma table_same (l : list (list nat)) x : found 0 (table_of (indexed l)) x = table l x.
Proof.
  rewrite (indexed_is 0 l), table_of_mapped. apply (tabulated_all (table l) 0). intros H.
  destruct x as [w k]. unfold table. cbn [fst snd].
  destruct (le_lt_dec (length l) w) as [L|L];
    [rewrite (nth_overflow l) by exact L; destruct k; reflexivity|]. apply nth_overflow.
  destruct (le_lt_dec (length (nth w l [])) k) as [|K]; [assumption|exfalso]. apply H, in_flat_map.
  exists w. split; [apply in_seq; lia|]. apply in_map_iff. exists k.
  split; [reflexivity|apply in_seq; lia].
Qed.

(** The amounts of a class, as extracted. *)
Definition kind_fast (c : class) : kind :=
  let t := table_of (indexed (potential c)) in
  let e := E_fast (paths c) in let l := top_fast (paths c) (found 0 t) in Kind e l (e + l) (e + l).

(** The extracted function of a form. *)
Definition formula_fast (f : formula) : nat -> nat -> nat -> list kind -> nat :=
  match f with K_SM => k_sm_fast | K_AREA => k_area_fast | K_BAL => k_bal_fast end.

(** The checker of claims of kernels. *)
Definition kernel_claim (rel : nat -> nat) (f : formula) (M R delta s : nat) (cs : list class)
  (bound : nat) : bool :=
  ((1 <=? M) && (1 <=? R))
  && (forallb (fun c => let t := table_of (indexed (potential c)) in
                        wf_fast (paths c) && lam_fast (paths c) (by_itself rel) (found 0 t)) cs
  && (let l := flat_map (fun c => repeat (kind_fast c) (many c)) cs in
      formula_fast f M R delta l + s * length l <=? bound)).

Lemma kind_fast_ok c : kind_fast c = kind_of c.
Proof.
  unfold kind_fast, kind_of.
  rewrite E_fast_ok, (top_fast_ok (paths c) _ (table (potential c))) by (intros; apply table_same).
  reflexivity.
Qed.

Lemma kinds_fast_ok cs : flat_map (fun c => repeat (kind_fast c) (many c)) cs
  = map kind_of (listed cs).
Proof.
  unfold listed. rewrite map_flat_map. apply flat_map_ext. intros c. rewrite kind_fast_ok.
  induction (many c) as [|n IH]; [reflexivity|]. cbn [repeat map]. rewrite IH. reflexivity.
Qed.

(** A claim of a kernel that the extracted checker accepts holds. *)
Theorem kernel_claim_ok rel f M R delta s cs bound : kernel_claim rel f M R delta s cs bound
  = true ->
  forall G X src, sms G = M -> slots G = R -> latency G = delta -> service G = s ->
  (forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i)) ->
  grid_valid G X -> goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
  made_of G X rel cs src -> forall b, b < blocks G -> ended X b <= bound.
Proof.
  unfold kernel_claim. intros H G X src <- <- <- <- Mok V Dyn Deal Made b Hb.
  apply andb_prop in H as [H0 H]. apply andb_prop in H as [H1 H2]. apply andb_prop in H0 as [HM HR].
  apply Nat.leb_le in HM, HR. cbv zeta in H1, H2. rewrite forallb_forall in H1.
  apply Nat.leb_le in H2.
  assert (forall c, In c cs -> lam_cert (by_itself rel) (paths c) (table (potential c))) as Pots.
  { intros c Hc. specialize (H1 c Hc). apply andb_prop in H1 as [H1 H1']. apply wf_fast_ok in H1.
    pose proof (lam_fast_cert _ _ _ H1 H1') as L. intros w k Hk.
    destruct (L w k Hk) as [L1 [L2 L3]]. split; [|split]; intros; rewrite <- !table_same; auto. }
  etransitivity; [apply (kernel_time_ok G X rel cs src Mok V Dyn Deal Made Pots f b Hb)|].
  etransitivity; [|exact H2]. unfold kernel_time. rewrite kinds_fast_ok, map_length.
  apply Nat.add_le_mono_r. destruct f; cbn [formula_of formula_fast].
  - rewrite k_sm_fast_ok. reflexivity.
  - rewrite k_area_fast_ok. reflexivity.
  - rewrite k_bal_fast_ok; [reflexivity| |exact HM|exact HR]. intros k Hk.
    apply in_map_iff in Hk as [c [<- _]]. cbn. lia.
Qed.
