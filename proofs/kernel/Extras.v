(** * Extras (docs/wave-bounds.md, section 1): what more than one sub-core may be met with

    [f j c] is what section [j] of a thread block has on sub-core [c].  In each section one sub-core
    is counted, and of all the others, of all sections, the [k] largest. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Largest.

(** ** Of a list the order does not matter *)

Lemma largest_perm l l' : Permutation l l' -> forall n, largest n l = largest n l'.
Proof.
  induction 1 as [|x l l' P IH|x y l|l l' l'' P IH P' IH']; intros n; [reflexivity| | |congruence].
  - destruct n as [|n]; [reflexivity|]. rewrite !largest_cons, !IH. reflexivity.
  - destruct n as [|[|n]]; [reflexivity| |]; rewrite !largest_cons, ?largest_0; lia.
Qed.

Lemma largest_swap k a b l : largest k (a ++ b ++ l) = largest k (b ++ a ++ l).
Proof. apply largest_perm, Permutation_app_swap_app. Qed.

(** One more of them, or a larger one in place of a smaller. *)
Lemma largest_first n x l : largest n (x :: l) <= x + largest n l.
Proof.
  destruct n as [|n]; [cbn; lia|]. rewrite largest_cons.
  pose proof (largest_grows n (S n) l ltac:(lia)). lia.
Qed.

Lemma largest_exchange n x y l : x <= y -> x + largest n (y :: l) <= y + largest n (x :: l).
Proof. intros H. destruct n as [|n]; [cbn; lia|]. rewrite !largest_cons. lia. Qed.

(** ** A sub-core for each section, and the others *)

Section Extras.
  Variable cs : list nat.        (* the sub-cores *)
  Hypothesis Distinct : NoDup cs.

  (** The sub-cores but [c]. *)
  Definition rest (c : nat) : list nat := filter (fun d => negb (d =? c)) cs.

  (** [js] are the sections, [ch j] the sub-core that is counted in [j]. *)
  Definition beyond (f : nat -> nat -> nat) (ch : nat -> nat) (js : list nat) : list nat :=
    flat_map (fun j => map (f j) (rest (ch j))) js.
  Definition counted_at (f : nat -> nat -> nat) (ch : nat -> nat) (js : list nat) (k : nat) : nat :=
    sum (fun j => f j (ch j)) js + largest k (beyond f ch js).

  (** The sub-core with the most. *)
  Fixpoint most_in (f : nat -> nat) (l : list nat) : nat :=
    match l with
    | [] => 0
    | [c] => c
    | c :: l' => let d := most_in f l' in if f d <=? f c then c else d
    end.
  Definition most (f : nat -> nat) : nat := most_in f cs.

  Lemma most_ok f : forall l, l <> [] -> In (most_in f l) l /\ forall c, In c l ->
    f c <= f (most_in f l).
  Proof.
    induction l as [|c l IH]; [congruence|intros _].
    destruct l as [|d l]; [split; [left; reflexivity|intros e [->|[]]; cbn; lia]|].
    destruct (IH ltac:(discriminate)) as [H1 H2].
    change (most_in f (c :: d :: l)) with (let e := most_in f (d :: l) in if f e
      <=? f c then c else e). cbv zeta.
    destruct (Nat.leb_spec (f (most_in f (d :: l))) (f c)) as [L|L].
    - split; [left; reflexivity|]. intros e [->|He]; [lia|]. specialize (H2 e He). lia.
    - split; [right; exact H1|]. intros e [->|He]; [lia|auto].
  Qed.

  Lemma without_one c : forall l, NoDup l -> In c l ->
    Permutation l (c :: filter (fun d => negb (d =? c)) l).
  Proof.
    induction l as [|d l IH]; intros N Hc; [destruct Hc|]. inversion N as [|? ? N1 N2]; subst.
    cbn [filter]. destruct (Nat.eqb_spec d c) as [->|E]; cbn [negb].
    - assert (filter (fun d => negb (d =? c)) l = l) as ->; [|apply Permutation_refl].
      clear -N1. induction l as [|d l IH]; [reflexivity|]. cbn [filter].
      destruct (Nat.eqb_spec d c) as [->|E]; [destruct N1; left; reflexivity|]. cbn [negb].
      rewrite IH; [reflexivity|]. intros H. apply N1. right. exact H.
    - destruct Hc as [->|Hc]; [congruence|].
      etransitivity; [apply perm_skip, (IH N2 Hc)|apply perm_swap].
  Qed.

  Lemma rest_perm c : In c cs -> Permutation cs (c :: rest c).
  Proof. apply without_one, Distinct. Qed.

  (** Two sub-cores and what is left. *)
  Lemma rest_both c d : In c cs -> In d cs -> c <> d ->
    exists l, Permutation (rest c) (d :: l) /\ Permutation (rest d) (c :: l).
  Proof.
    intros Hc Hd N. exists (filter (fun e => negb (e =? d)) (rest c)).
    assert (Permutation (rest c) (d :: filter (fun e => negb (e =? d)) (rest c))) as P.
    { apply without_one; [apply NoDup_filter, Distinct|]. apply filter_In. split; [exact Hd|].
      apply negb_true_iff, Nat.eqb_neq. congruence. }
    split; [exact P|]. apply (Permutation_cons_inv (a := d)).
    etransitivity; [symmetry; apply rest_perm, Hd|]. etransitivity; [apply rest_perm, Hc|].
    etransitivity; [apply perm_skip, P|apply perm_swap].
  Qed.

  Lemma largest_rest f c d r l k : Permutation (rest c) (d :: r) ->
    largest k (map f (rest c) ++ l) = largest k (f d :: (map f r ++ l)).
  Proof. intros P. apply largest_perm. exact (Permutation_app_tail l (Permutation_map f P)). Qed.

  (** Counting another sub-core in a section, one with more. *)
  Lemma switch_one f c d l k : In c cs -> In d cs -> f c <= f d ->
    f c + largest k (map f (rest c) ++ l) <= f d + largest k (map f (rest d) ++ l).
  Proof.
    intros Hc Hd L. destruct (Nat.eq_dec c d) as [->|N]; [lia|].
    destruct (rest_both c d Hc Hd N) as [r [P1 P2]].
    rewrite (largest_rest f c d r l k P1), (largest_rest f d c r l _ P2). apply largest_exchange, L.
  Qed.

  (** Counting any other, with one more extra. *)
  Lemma switch_extra f c d l k : In c cs -> In d cs ->
    f c + largest k (map f (rest c) ++ l) <= f d + largest (S k) (map f (rest d) ++ l).
  Proof.
    intros Hc Hd. destruct (Nat.eq_dec c d) as [->|N].
    { pose proof (largest_grows k (S k) (map f (rest d) ++ l) ltac:(lia)). lia. }
    destruct (rest_both c d Hc Hd N) as [r [P1 P2]].
    rewrite (largest_rest f c d r l k P1), (largest_rest f d c r l _ P2).
    pose proof (largest_first k (f d) (map f r ++ l)).
    pose proof (largest_take k (f c) (map f r ++ l)). lia.
  Qed.

  (** All sections, before the extras [l] of others. *)
  Lemma switch_all f ch ch' k : forall js l,
    (forall j, In j js -> In (ch j) cs /\ In (ch' j) cs /\
      (ch j = ch' j \/ f j (ch j) <= f j (ch' j))) ->
    sum (fun j => f j (ch j)) js + largest k (beyond f ch js ++ l)
    <= sum (fun j => f j (ch' j)) js + largest k (beyond f ch' js ++ l).
  Proof.
    induction js as [|j js IH]; intros l H; [apply le_n|]. unfold beyond in *. cbn [flat_map].
    rewrite !sum_cons, <- !app_assoc. destruct (H j (or_introl eq_refl)) as [C1 [C2 C3]].
    assert (f j (ch j) <= f j (ch' j)) as L by (destruct C3 as [->|]; lia).
    pose proof (switch_one (f j) _ _ (flat_map (fun j => map (f j) (rest (ch j))) js ++ l) k C1 C2
      L) as A.
    specialize (IH (map (f j) (rest (ch' j)) ++ l) ltac:(intros; apply H; right; assumption)).
    rewrite (largest_swap k (map (f j) (rest (ch' j)))) in A.
    rewrite (largest_swap k (map (f j) (rest (ch' j)))). lia.
  Qed.

  Lemma counted_switch f ch ch' js k :
    (forall j, In j js -> In (ch j) cs /\ In (ch' j) cs /\
      (ch j = ch' j \/ f j (ch j) <= f j (ch' j))) ->
    counted_at f ch js k <= counted_at f ch' js k.
  Proof.
    intros H. pose proof (switch_all f ch ch' k js [] H) as A. rewrite !app_nil_r in A. exact A.
  Qed.

  (** In all sections but one no less: one extra more makes up for it. *)
  Lemma counted_jump f ch ch' js k : NoDup js ->
    (forall j, In j js -> In (ch j) cs /\ In (ch' j) cs) ->
    (forall i j, In i js -> In j js -> f i (ch' i) < f i (ch i) -> f j (ch' j) < f j (ch j) ->
      i = j) ->
    counted_at f ch js k <= counted_at f ch' js (S k).
  Proof.
    intros N H One. destruct (find (fun j => f j (ch' j) <? f j (ch j)) js) as [o|] eqn:E.
    - apply find_some in E as [Ho Lo]. apply Nat.ltb_lt in Lo.
      set (ch2 := fun j => if j =? o then ch j else ch' j).
      transitivity (counted_at f ch2 js k).
      + apply counted_switch. intros j Hj. destruct (H j Hj). unfold ch2.
        destruct (Nat.eqb_spec j o) as [->|No]; [auto|]. split; [assumption|]. split; [assumption|].
        right. destruct (le_lt_dec (f j (ch j)) (f j (ch' j))) as [L|L]; [exact L|].
        destruct (No (One j o Hj Ho L Lo)).
      + destruct (in_split o js Ho) as [j1 [j2 ->]]. apply NoDup_remove in N as [_ N].
        assert (forall js', (forall j, In j js' -> j <> o) -> forall g,
          flat_map (fun j => map (g j) (rest (ch2 j))) js'
          = flat_map (fun j => map (g j) (rest (ch' j))) js' /\ sum (fun j => g j (ch2 j)) js'
          = sum (fun j => g j (ch' j)) js') as Same.
        { intros js' D g. split; [|apply sum_ext; intros j Hj; unfold ch2;
            rewrite (proj2 (Nat.eqb_neq _ _) (D j Hj)); reflexivity].
          induction js' as [|j js' IH]; [reflexivity|]. cbn [flat_map].
          rewrite IH by (intros; apply D; right; assumption). unfold ch2 at 1.
          rewrite (proj2 (Nat.eqb_neq _ _) (D j (or_introl eq_refl))). reflexivity. }
        assert (forall j, In j j1 \/ In j j2 -> j <> o) as D.
        { intros j Hj ->. apply N, in_app_iff. exact Hj. }
        destruct (Same j1 ltac:(auto) f) as [A1 B1]. destruct (Same j2 ltac:(auto) f) as [A2 B2].
        unfold counted_at, beyond. rewrite !flat_map_app, !sum_app. cbn [flat_map].
        rewrite !sum_cons, A1, A2, B1, B2.
        assert (ch2 o = ch o) as -> by (unfold ch2; rewrite Nat.eqb_refl; reflexivity).
        rewrite (largest_swap k _ (map (f o) (rest (ch o)))),
          (largest_swap (S k) _ (map (f o) (rest (ch' o)))).
        destruct (H o (in_elt o j1 j2)) as [C1 C2].
        pose proof (switch_extra (f o) (ch o) (ch' o)
          (flat_map (fun j => map (f j) (rest (ch' j))) j1
          ++ flat_map (fun j => map (f j) (rest (ch' j))) j2) k C1 C2). lia.
    - transitivity (counted_at f ch' js k).
      + apply counted_switch. intros j Hj. destruct (H j Hj). split; [assumption|].
        split; [assumption|]. right. apply (find_none _ _ E), Nat.ltb_ge in Hj. exact Hj.
      + unfold counted_at. pose proof (largest_grows k (S k) (beyond f ch' js) ltac:(lia)). lia.
  Qed.

  Lemma counted_grows f ch js k k' : k <= k' -> counted_at f ch js k <= counted_at f ch js k'.
  Proof. intros H. unfold counted_at. pose proof (largest_grows k k' (beyond f ch js) H). lia. Qed.

  (** More in a section, and [e] more where it is counted. *)
  Lemma beyond_le f f' ch js k : (forall j c, In j js -> f j c <= f' j c) ->
    largest k (beyond f ch js) <= largest k (beyond f' ch js).
  Proof.
    intros H. set (ps := flat_map (fun j => map (pair j) (rest (ch j))) js).
    assert (forall g, beyond g ch js = map (fun p => g (fst p) (snd p)) ps) as E.
    { intros g. unfold beyond, ps. rewrite !flat_map_concat_map, concat_map, map_map. f_equal.
      apply map_ext. intros j. rewrite map_map. reflexivity. }
    rewrite !E. apply largest_le. intros [j c] Hp. apply in_flat_map in Hp as [i [Hi Hp]].
    apply in_map_iff in Hp as [d [Ed _]]. inversion Ed; subst. apply H, Hi.
  Qed.

  Lemma counted_le f f' ch js k : (forall j c, In j js -> f j c <= f' j c) ->
    counted_at f ch js k <= counted_at f' ch js k.
  Proof.
    intros H. unfold counted_at. pose proof (beyond_le f f' ch js k H).
    pose proof (sum_le (fun j => f j (ch j)) (fun j => f' j (ch j)) js ltac:(intros; apply H;
      assumption)). lia.
  Qed.

  Lemma counted_more f f' ch js k o e : (forall j c, In j js -> f j c <= f' j c) -> In o js ->
    f o (ch o) + e <= f' o (ch o) -> counted_at f ch js k + e <= counted_at f' ch js k.
  Proof.
    intros H Ho L. unfold counted_at. pose proof (beyond_le f f' ch js k H) as B.
    enough (sum (fun j => f j (ch j)) js + e <= sum (fun j => f' j (ch j)) js) by lia.
    clear B. induction js as [|j js IH]; [destruct Ho|]. rewrite !sum_cons. destruct Ho as [->|Ho].
    - pose proof (sum_le (fun j => f j (ch j)) (fun j => f' j (ch j)) js ltac:(intros; apply H;
        right; assumption)). lia.
    - specialize (IH ltac:(intros; apply H; right; assumption) Ho).
      specialize (H j (ch j) (or_introl eq_refl)). lia.
  Qed.
End Extras.
