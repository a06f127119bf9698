(** * Waves of copies: W, U and X of thread blocks as they are written (docs/wave-bounds.md, theorem
    1)

    On an SM a thread block [h] is a copy of [t], on whatever slot.  What it adds beside [g] is at
    most W, U and X of [t], where all units count as shared that sub-cores share. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Largest Extras Model Bounds IsolationPaths Grid Stay
  SoloCopies StayCopies WaveSib WaveExtras Wave.
From Warpbound Require ChainWork Instances.

(** ** Lists *)

Lemma largest_plus {A} (f g : A -> nat) l k : largest k (map (fun x => f x + g x) l)
  <= largest k (map f l) + sum g l.
Proof.
  revert k. induction l as [|x l IH]; intros k; [cbn [map]; rewrite !largest_nil; lia|]. cbn [map].
  rewrite sum_cons. destruct k as [|k]; [rewrite !largest_0; lia|]. rewrite !largest_cons.
  pose proof (IH k). pose proof (IH (S k)). lia.
Qed.

Lemma largest_more l z k : largest k (l ++ z) <= largest k l + list_sum z.
Proof.
  revert k. induction l as [|x l IH]; intros k.
  - cbn [app]. rewrite largest_nil. pose proof (largest_total (fun x => x) k z) as H.
    rewrite map_id in H. unfold sum in H. rewrite map_id in H. exact H.
  - cbn [app]. destruct k as [|k]; [rewrite !largest_0; lia|]. rewrite !largest_cons.
    pose proof (IH k). pose proof (IH (S k)). lia.
Qed.

Lemma largest_dominated l l' : Forall2 le l l' -> forall k, largest k l <= largest k l'.
Proof.
  induction 1 as [|x y l l' L F IH]; intros k; [lia|].
  destruct k as [|k]; [rewrite !largest_0; lia|]. rewrite !largest_cons. pose proof (IH k).
  pose proof (IH (S k)). lia.
Qed.

(** Each list is, but for the order, dominated by the other. *)
Lemma largest_flat_dominated (f f' : nat -> list nat) js k :
  (forall j, exists a a', Permutation (f j) a /\ Permutation (f' j) a' /\ Forall2 le a a') ->
  largest k (flat_map f js) <= largest k (flat_map f' js).
Proof.
  intros H. assert (exists a a', Permutation (flat_map f js) a /\ Permutation (flat_map f' js) a' /\
    Forall2 le a a') as [a [a' [P1 [P2 F]]]].
  { induction js as [|j js [a [a' [P1 [P2 F]]]]]; [exists [], []; repeat constructor|].
    destruct (H j) as [b [b' [Q1 [Q2 E]]]]. exists (b ++ a), (b' ++ a'). cbn [flat_map].
    split; [apply Permutation_app; assumption|]. split; [apply Permutation_app; assumption|].
    apply Forall2_app; assumption. }
  rewrite (largest_perm _ _ P1), (largest_perm _ _ P2). apply largest_dominated, F.
Qed.

Lemma sum_at (v a : nat) l : NoDup l -> sum (fun x => if a =? x then v else 0) l <= v.
Proof.
  intros N. apply sum_once; [exact N|intros x _; destruct (a =? x); lia|].
  intros x y _ _ Hx Hy. destruct (Nat.eqb_spec a x), (Nat.eqb_spec a y); congruence.
Qed.

(** ** What a thread block as it is written adds: [ct] is what each of its instructions costs *)

(** The work of section [j] on sub-core [c], without shared units. *)
Definition written_local (t : block) (mt : machine) (shared : nat -> bool) (ct : key -> nat)
  (j c : nat) : nat :=
  sum (fun y => if (sec (get t y) =? j) && ((core mt (fst y) =? c) && negb (shared (fu (get t y))))
    then ct y else 0) (keys t).
(** The work on shared units. *)
Definition written_shared (t : block) (shared : nat -> bool) (ct : key -> nat) : nat :=
  sum (fun y => if shared (fu (get t y)) then ct y else 0) (keys t).

(** W + U + X, of sub-cores [ks]. *)
Definition written_adds (t : block) (mt : machine) (shared : nat -> bool) (ct : key -> nat)
  (ks : list nat) (k : nat) : nat :=
  counted_at ks (written_local t mt shared ct) (fun j => most ks (written_local t mt shared ct j))
    (all_sections t) k
  + written_shared t shared ct.

Section Copies.
  Variables (t : block) (mt m : machine) (p : block) (g h : nat) (wr un co : nat -> nat)
    (cs ks : list nat).
  Hypotheses (R : renamed t mt m p h wr un co) (Cores : NoDup cs /\ forall w, In (core m w) cs).
  (* sub-cores are renumbered *)
  Hypothesis Ks : NoDup ks /\ (forall c, In c cs -> In (co c) ks) /\
    (forall e, In e ks -> exists c, In c cs /\ co c = e)
    /\ forall c d, In c cs -> In d cs -> co c = co d -> c = d.
  Variables (shared : nat -> bool) (ct : key -> nat).
  Hypothesis Cost : forall y, of m p h y -> cost p m y <= ct (there wr y).
  (* a unit that [g] uses from another sub-core than [h] is shared *)
  Hypothesis Shared : forall y, of m p h y -> across p m g y = true ->
    shared (fu (get t (there wr y))) = true.

  Notation work := (local_work p m g h).
  Notation work' := (fun j c => written_local t mt shared ct j (co c)).

  (** What [t] counts as shared, and [g] does not use from elsewhere. *)
  Definition spare_cost (j c : nat) (y : key) : nat :=
    if (group m (fst y) =? h) && ((sec (get p y) =? j)
      && ((core m (fst y) =? c) && (negb (across p m g y) && shared (fu (get t (there wr y))))))
      then cost p m y else 0.
  Definition spare (j c : nat) : nat := sum (spare_cost j c) (keys p).

  Lemma local_written j c : work j c <= work' j c + spare j c.
  Proof.
    set (a := fun y => if (group m (fst y) =? h)
      && ((sec (get p y) =? j) && ((core m (fst y) =? c)
      && (negb (across p m g y) && negb (shared (fu (get t (there wr y))))))) then cost p m y
      else 0). transitivity (sum a (keys p) + spare j c).
    - unfold local_work, spare. rewrite <- sum_add. apply sum_le. intros y _.
      unfold local_cost, a, spare_cost. destruct (group m (fst y) =? h), (sec (get p y) =? j),
        (core m (fst y) =? c), (across p m g y), (shared (fu (get t (there wr y)))); cbn; lia.
    - apply Nat.add_le_mono_r. unfold written_local. apply (sum_copy t mt m p h wr un co R).
      + intros y Hy. destruct (same_of t mt m p h wr un co R y Hy) as [_ [_ [_ [Es _]]]].
        cbv zeta in Es. unfold a. rewrite <- Es.
        destruct (group m (fst y) =? h); [|apply Nat.le_0_l].
        destruct (sec (get p y) =? j); [|apply Nat.le_0_l].
        destruct (Nat.eqb_spec (core m (fst y)) c) as [<-|]; [|apply Nat.le_0_l].
        destruct (across p m g y); [apply Nat.le_0_l|]. destruct (shared _); [apply Nat.le_0_l|].
        cbn [negb andb]. change (fst (there wr y)) with (wr (fst y)).
        rewrite (n_core _ _ _ _ _ _ _ _ R y Hy), Nat.eqb_refl. cbn. apply Cost, Hy.
      + intros y _ N. unfold a. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity.
  Qed.

  (** U, and what is spared, are of the shared units of [t]. *)
  Lemma spare_shared js : NoDup js -> sum (fun j => sum (spare j) cs) js + shared_work p m g h
    <= written_shared t shared ct.
  Proof.
    intros Nj. set (v := fun y => if (group m (fst y) =? h)
      && shared (fu (get t (there wr y))) then cost p m y else 0). transitivity (sum v (keys p)).
    - unfold spare. rewrite (sum_ext (fun j => sum (fun c => sum (spare_cost j c) (keys p)) cs)
        (fun j => sum (fun y => sum (fun c => spare_cost j c y) cs) (keys p)))
        by (intros; apply sum_swap). rewrite sum_swap. unfold shared_work. rewrite <- sum_add.
      apply sum_le. intros y Hy. unfold shared_cost, v.
      destruct (Nat.eqb_spec (group m (fst y)) h) as [G|N]; cbn [andb].
      + assert (of m p h y) as Ho by (split; assumption). destruct (across p m g y) eqn:A.
        * rewrite (Shared y Ho A). rewrite sum_zero; [lia|]. intros j _. apply sum_zero. intros c _.
          unfold spare_cost. rewrite A. cbn [negb andb]. rewrite !andb_false_r. reflexivity.
        * destruct (shared (fu (get t (there wr y)))) eqn:S; rewrite Nat.add_0_r.
          -- transitivity (sum (fun j => if sec (get p y) =? j then cost p m y else 0) js);
               [|apply sum_at, Nj]. apply sum_le. intros j _.
             transitivity (sum (fun c => if core m (fst y) =?
               c then (if sec (get p y) =? j then cost p m y else 0) else 0) cs);
               [|apply sum_at, Cores]. apply sum_le. intros c _. unfold spare_cost.
             destruct (sec (get p y) =? j), (core m (fst y) =? c); cbn; rewrite ?andb_false_r;
               try lia. destruct (_ && _); lia.
          -- apply Nat.le_0_r, sum_zero. intros j _. apply sum_zero. intros c _. unfold spare_cost.
             rewrite S, !andb_false_r. reflexivity.
      + rewrite Nat.add_0_r. apply Nat.le_0_r, sum_zero. intros j _. apply sum_zero. intros c _.
        unfold spare_cost. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity.
    - unfold written_shared. apply (sum_copy t mt m p h wr un co R).
      + intros y Hy. unfold v. destruct (group m (fst y) =? h); cbn [andb]; [|lia].
        destruct (shared _); [apply Cost, Hy|lia].
      + intros y _ N. unfold v. rewrite (proj2 (Nat.eqb_neq _ _) N). reflexivity.
  Qed.

  Lemma counted_plus (f f' d : nat -> nat -> nat) ch js k : (forall j, In j js -> In (ch j) cs) ->
    (forall j c, f j c <= f' j c + d j c) ->
    counted_at cs f ch js k <= counted_at cs f' ch js k + sum (fun j => sum (d j) cs) js.
  Proof.
    intros Hc H. set (ps := flat_map (fun j => map (pair j) (rest cs (ch j))) js).
    assert (forall e, beyond cs e ch js = map (fun x => e (fst x) (snd x)) ps) as E.
    { intros e. unfold beyond, ps. rewrite !flat_map_concat_map, concat_map, map_map. f_equal.
      apply map_ext. intros j. rewrite map_map. reflexivity. }
    unfold counted_at. rewrite !E. pose proof (largest_le (fun x => f (fst x) (snd x)) (fun x =>
      f' (fst x) (snd x) + d (fst x) (snd x)) k ps (fun x _ => H (fst x) (snd x))) as A.
    pose proof (largest_plus (fun x => f' (fst x) (snd x)) (fun x => d (fst x) (snd x)) ps k) as B.
    pose proof (sum_le (fun j => f j (ch j)) (fun j => f' j (ch j) + d j (ch j)) js (fun j _ =>
      H j (ch j))) as D. rewrite sum_add in D.
    enough (sum (fun x => d (fst x) (snd x)) ps + sum (fun j => d j (ch j)) js
      = sum (fun j => sum (d j) cs) js) by lia. clear A B D E. unfold ps. clear ps.
    induction js as [|j js IH]; [reflexivity|]. cbn [flat_map]. rewrite sum_app, !sum_cons.
    specialize (IH (fun i Hi => Hc i (or_intror Hi))).
    assert (sum (fun x => d (fst x) (snd x)) (map (pair j) (rest cs (ch j))) + d j (ch j)
      = sum (d j) cs) as P; [|lia]. assert (sum (fun x => d (fst x) (snd x))
      (map (pair j) (rest cs (ch j))) = sum (d j) (rest cs (ch j))) as ->
      by (unfold sum; rewrite map_map; reflexivity). rewrite Nat.add_comm.
    change (sum (d j) (ch j :: rest cs (ch j)) = sum (d j) cs). unfold sum.
    refine (Permutation_list_sum (Permutation_map (d j)
      (Permutation_sym (rest_perm cs (proj1 Cores) (ch j) _)))). apply Hc. left. reflexivity.
  Qed.

  (** X alone: where another sub-core is the busiest, what it has more is spared. *)
  Lemma extras_plus (f f' d : nat -> nat -> nat) js k : (forall j c, f j c <= f' j c + d j c) ->
    largest k (beyond cs f (fun j => most cs (f j)) js)
    <= largest k (beyond cs f' (fun j => most cs (f' j)) js) + sum (fun j => sum (d j) cs) js.
  Proof.
    intros H. transitivity (largest k (flat_map (fun j =>
      map (fun c => f' j c + d j c) (rest cs (most cs (f' j)))) js)).
    - apply largest_flat_dominated. intros j.
      destruct (most_core m cs Cores (f j)) as [A1 A2], (most_core m cs Cores (f' j)) as [B1 B2].
      set (a := most cs (f j)) in *. set (a' := most cs (f' j)) in *.
      assert (forall l, Forall2 le (map (f j) l) (map (fun c => f' j c + d j c) l)) as Fl
        by (induction l; cbn; constructor; auto).
      destruct (Nat.eq_dec a a') as [->|N];
        [exists (map (f j) (rest cs a')), (map (fun c => f' j c + d j c) (rest cs a')); auto|].
      destruct (rest_both cs (proj1 Cores) a a' A1 B1 N) as [l [P1 P2]].
      exists (map (f j) (a' :: l)), (map (fun c => f' j c + d j c) (a :: l)).
      split; [apply Permutation_map, P1|]. split; [apply Permutation_map, P2|]. cbn [map].
      constructor; [|apply Fl]. specialize (A2 a' B1). specialize (H j a). lia.
    - set (ps := flat_map (fun j => map (pair j) (rest cs (most cs (f' j)))) js).
      assert (forall e : nat -> nat -> nat, flat_map (fun j => map (e j) (rest cs (most cs (f' j))))
        js = map (fun x => e (fst x) (snd x)) ps) as E.
      { intros e. unfold ps. rewrite !flat_map_concat_map, concat_map, map_map. f_equal.
        apply map_ext. intros j. rewrite map_map. reflexivity. }
      unfold beyond. pose proof (E (fun j c => f' j c + d j c)) as E1. cbv beta in E1.
      rewrite E1, (E f'). etransitivity; [apply
        (largest_plus (fun x => f' (fst x) (snd x)) (fun x => d (fst x) (snd x)))|].
      apply Nat.add_le_mono_l. clear E E1. unfold ps. clear ps.
      induction js as [|j js IH]; [apply le_n|]. cbn [flat_map]. rewrite sum_app, sum_cons.
      apply Nat.add_le_mono; [|exact IH]. assert (sum (fun x => d (fst x) (snd x))
        (map (pair j) (rest cs (most cs (f' j)))) = sum (d j) (rest cs (most cs (f' j)))) as ->
        by (unfold sum; rewrite map_map; reflexivity). unfold rest. rewrite sum_filter.
      apply sum_le. intros c _. destruct (negb _); lia.
  Qed.

  (** Sub-cores called otherwise. *)
  Lemma rest_renamed a : In a cs -> Permutation (map co (rest cs a)) (rest ks (co a)).
  Proof.
    intros Ha. destruct Ks as [Nk [Into [Onto Inj]]]. apply NoDup_Permutation.
    - apply Instances.nodup_map; [apply NoDup_filter, Cores|]. intros c d Hc Hd.
      apply filter_In in Hc, Hd. apply Inj; tauto.
    - apply NoDup_filter, Nk.
    - intros x. rewrite in_map_iff. unfold rest. rewrite filter_In, negb_true_iff, Nat.eqb_neq.
      split.
      + intros [c [<- Hc]]. apply filter_In in Hc as [Hc Nc].
        apply negb_true_iff, Nat.eqb_neq in Nc. split; [apply Into, Hc|]. intros E.
        apply Nc, (Inj c a Hc Ha E).
      + intros [Hx Nx]. destruct (Onto x Hx) as [c [Hc E]]. exists c. split; [exact E|].
        apply filter_In. split; [exact Hc|]. apply negb_true_iff, Nat.eqb_neq. intros ->. apply Nx.
        symmetry. exact E.
  Qed.

  Lemma counted_renamed (e : nat -> nat -> nat) js k :
    counted_at cs (fun j c => e j (co c)) (fun j => most cs (fun c => e j (co c))) js k
      <= counted_at ks e (fun j => most ks (e j)) js k.
  Proof.
    destruct Ks as [Nk [Into [Onto Inj]]]. assert (forall f, In (most cs f) cs /\ forall c,
      In c cs -> f c <= f (most cs f)) as Mc by (intros f; apply (most_core m cs Cores)).
    assert (ks <> []) as Ne by (pose proof (Into _ (proj2 Cores 0)) as H; intros E; rewrite E in H;
      destruct H). assert (forall f, In (most ks f) ks /\ forall c, In c ks -> f c <= f (most ks f))
      as Mk by (intros f; apply most_ok, Ne).
    set (ch := fun j => match find (fun c => co c =? most ks (e j)) cs with Some c => c |
      None => 0 end). assert (forall j, In (ch j) cs /\ co (ch j) = most ks (e j)) as Ch.
    { intros j. unfold ch. destruct (find (fun c => co c =? most ks (e j)) cs) as [c|] eqn:F.
      - apply find_some in F as [Hc F]. apply Nat.eqb_eq in F. auto.
      - exfalso. destruct (Onto _ (proj1 (Mk (e j)))) as [c [Hc E]].
        pose proof (find_none _ _ F c Hc) as N. cbv beta in N. rewrite E, Nat.eqb_refl in N.
        discriminate. }
    transitivity (counted_at cs (fun j c => e j (co c)) ch js k).
    { apply (counted_switch cs (proj1 Cores)). intros j _. split; [apply Mc|]. split; [apply Ch|].
      right. rewrite (proj2 (Ch j)). apply Mk, Into, Mc. }
    unfold counted_at. apply Nat.add_le_mono.
    - apply sum_le. intros j _. rewrite (proj2 (Ch j)). apply le_n.
    - apply Nat.eq_le_incl, largest_perm. unfold beyond.
      induction js as [|j js IH]; [apply Permutation_refl|]. cbn [flat_map].
      apply Permutation_app; [|exact IH]. rewrite <- (map_map co (e j)), <- (proj2 (Ch j)).
      apply Permutation_map, rest_renamed, Ch.
  Qed.

  (** The same of X alone. *)
  Lemma extras_renamed (e : nat -> nat -> nat) js k :
    largest k (beyond cs (fun j c => e j (co c)) (fun j => most cs (fun c => e j (co c))) js)
    <= largest k (beyond ks e (fun j => most ks (e j)) js).
  Proof.
    destruct Ks as [Nk [Into _]]. assert (ks <> []) as Ne
      by (pose proof (Into _ (proj2 Cores 0)) as H; intros E; rewrite E in H; destruct H).
    apply largest_flat_dominated. intros j.
    destruct (most_core m cs Cores (fun c => e j (co c))) as [A1 A2].
    destruct (most_ok (e j) ks Ne) as [B1 B2]. set (a := most cs (fun c => e j (co c))) in *.
    set (z := most ks (e j)) in *. change (most_in (e j) ks) with z in B1, B2.
    pose proof (Permutation_map (e j) (rest_renamed a A1)) as P. rewrite map_map in P.
    assert (forall l, Forall2 le (map (e j) l) (map (e j) l)) as Refl
      by (induction l; cbn; constructor; auto). destruct (Nat.eq_dec (co a) z) as [E|N].
    - exists (map (e j) (rest ks z)), (map (e j) (rest ks z)). rewrite E in P. auto.
    - destruct (rest_both ks Nk (co a) z (Into a A1) B1 N) as [l [P1 P2]].
      exists (map (e j) (z :: l)), (map (e j) (co a :: l)).
      split; [etransitivity; [exact P|apply Permutation_map, P1]|].
      split; [apply Permutation_map, P2|]. cbn [map]. constructor; [|apply Refl].
      destruct (proj1 (proj2 (proj2 Ks)) z B1) as [c [Hc <-]]. apply (A2 c Hc).
  Qed.

  (** Sections that [t] does not have. *)
  Lemma beyond_sections (e : nat -> nat -> nat) ch n n' k : (forall j c, n' <= j -> e j c = 0) ->
    largest k (beyond ks e ch (seq 0 n)) <= largest k (beyond ks e ch (seq 0 n')).
  Proof.
    intros Z. unfold beyond. destruct (le_lt_dec n n') as [L|L].
    - replace n' with (n + (n' - n)) by lia. rewrite seq_app, flat_map_app.
      pose proof (ChainWork.largest_app (flat_map (fun j => map (e j) (rest ks (ch j))) (seq 0 n)) k
        0 (flat_map (fun j => map (e j) (rest ks (ch j))) (seq (0 + n) (n' - n)))) as A.
      rewrite largest_0, !Nat.add_0_r in A. exact A.
    - replace n with (n' + (n - n')) by lia. rewrite seq_app, flat_map_app.
      pose proof (largest_more (flat_map (fun j => map (e j) (rest ks (ch j))) (seq 0 n'))
        (flat_map (fun j => map (e j) (rest ks (ch j))) (seq (0 + n') (n - n'))) k) as A.
      assert (list_sum (flat_map (fun j => map (e j) (rest ks (ch j))) (seq (0 + n') (n - n'))) = 0)
        as B; [|lia]. assert (forall i, n' <= i ->
        list_sum (flat_map (fun j => map (e j) (rest ks (ch j))) (seq i (n - n'))) = 0) as D;
        [|apply D; lia]. generalize (n - n'). clear A.
      induction n0 as [|d IH]; intros i Hi; [reflexivity|]. cbn [seq flat_map].
      rewrite list_sum_app, (IH (S i)) by lia. rewrite Nat.add_0_r. apply (sum_zero (e i)).
      intros c _. apply Z, Hi.
  Qed.

  Lemma counted_sections (e : nat -> nat -> nat) ch n n' k : (forall j c, n' <= j -> e j c = 0) ->
    counted_at ks e ch (seq 0 n) k <= counted_at ks e ch (seq 0 n') k.
  Proof.
    intros Z. pose proof (beyond_sections e ch n n' k Z) as A. unfold counted_at.
    apply Nat.add_le_mono; [|exact A]. destruct (le_lt_dec n n') as [L|L].
    - replace n' with (n + (n' - n)) by lia. rewrite seq_app, sum_app. lia.
    - replace n with (n' + (n - n')) by lia. rewrite seq_app, sum_app.
      rewrite (sum_zero (fun j => e j (ch j)) (seq (0 + n') (n - n')))
        by (intros j Hj; apply in_seq in Hj; apply Z; lia). lia.
  Qed.

  Lemma none_behind j c : S (list_max (map (fun x => sec (get t x)) (keys t))) <= j ->
    written_local t mt shared ct j c = 0.
  Proof.
    intros Hj. apply sum_zero. intros y Hy.
    destruct (Nat.eqb_spec (sec (get t y)) j) as [S|]; [exfalso|reflexivity].
    assert (sec (get t y) <= list_max (map (fun x => sec (get t x)) (keys t)))
      by (apply list_max_ge, in_map_iff; eauto). lia.
  Qed.

  (** *** What [h] adds on its slot is at most what [t] adds. *)
  Theorem copy_adds k : adds_with_extras m p g cs k h <= written_adds t mt shared ct ks k.
  Proof.
    unfold adds_with_extras, written_adds. set (js := all_sections p).
    assert (busiest p m g cs h + extras p m g cs h k
      = counted_at cs work (fun j => most cs (work j)) js k) as E by reflexivity.
    pose proof (counted_plus work work' spare (fun j => most cs (work j)) js k (fun j _ =>
      proj1 (most_core m cs Cores _)) local_written) as A.
    pose proof (spare_shared js (seq_NoDup _ _)) as B.
    assert (counted_at cs work' (fun j => most cs (work j)) js k
      <= counted_at cs work' (fun j => most cs (work' j)) js k) as D.
    { apply (counted_switch cs (proj1 Cores)). intros j _. split; [apply (most_core m cs Cores)|].
      split; [apply (most_core m cs Cores)|]. right.
      apply (proj2 (most_core m cs Cores (fun c => written_local t mt shared ct j (co c)))),
        (most_core m cs Cores). }
    pose proof (counted_renamed (written_local t mt shared ct) js k) as F.
    assert (counted_at ks (written_local t mt shared ct) (fun j =>
      most ks (written_local t mt shared ct j)) js k
      <= counted_at ks (written_local t mt shared ct) (fun j =>
      most ks (written_local t mt shared ct j)) (all_sections t) k) as H.
    { apply counted_sections, none_behind. }
    lia.
  Qed.

  (** *** U + X, which theorem 2 adds to alignments. *)
  Theorem copy_extras k : shared_work p m g h + extras p m g cs h k
    <= written_shared t shared ct
       + largest k (beyond ks (written_local t mt shared ct) (fun j =>
         most ks (written_local t mt shared ct j)) (all_sections t)).
  Proof.
    set (js := all_sections p). pose proof (extras_plus work work' spare js k local_written) as A.
    pose proof (spare_shared js (seq_NoDup _ _)) as B.
    pose proof (extras_renamed (written_local t mt shared ct) js k) as D.
    pose proof (beyond_sections (written_local t mt shared ct) (fun j =>
      most ks (written_local t mt shared ct j))
      (S (list_max (map (fun x => sec (get p x)) (keys p)))) _ k none_behind) as F.
    change (largest k (beyond ks (written_local t mt shared ct) (fun j =>
      most ks (written_local t mt shared ct j)) js)
      <= largest k (beyond ks (written_local t mt shared ct) (fun j =>
      most ks (written_local t mt shared ct j)) (all_sections t))) in F.
    change (extras p m g cs h k) with (largest k (beyond cs work (fun j => most cs (work j)) js)).
    lia.
  Qed.
End Copies.

(** ** The changes of [g] *)

Lemma copy_changes t mt m p g wr un co turn k : renamed t mt m p g wr un co ->
  changes t mt 0 turn k ->
  changes p m g (fun w q => turn (wr w) q) k.
Proof.
  intros R [C1 C2].
  assert (forall x, of m p g x -> of mt t 0 (there wr x)) as In_t.
  { intros x Hx.
    split; [apply (of_there t mt m p g wr un co R x Hx)|apply (n_alone _ _ _ _ _ _ _ _ R)]. }
  split.
  - intros x o Hx Ho Ix Io L. destruct (same_of t mt m p g wr un co R x Hx) as [Ex [_ [_ [Sx _]]]],
      (same_of t mt m p g wr un co R o Ho) as [Eo [_ [_ [So _]]]]. cbv zeta in *.
    pose proof (C1 (there wr x) (there wr o) (In_t x Hx) (In_t o Ho) ltac:(lia) ltac:(lia)
      ltac:(lia)) as C. unfold there in C. cbn [fst] in C. unfold there in Sx, So.
    rewrite <- Sx, <- So in C.
    rewrite (n_core _ _ _ _ _ _ _ _ R x Hx), (n_core _ _ _ _ _ _ _ _ R o Ho) in C.
    destruct (Nat.eqb_spec (core m (fst o)) (core m (fst x))) as [E|N]; [lia|].
    destruct (Nat.eqb_spec (co (core m (fst o))) (co (core m (fst x)))) as [E|]; [|lia]. destruct N.
    apply (n_cores _ _ _ _ _ _ _ _ R o x Ho Hx E).
  - intros x Hx Ix. destruct (same_of t mt m p g wr un co R x Hx) as [Ex [_ [_ [Sx _]]]].
    cbv zeta in *. pose proof (C2 (there wr x) (In_t x Hx) ltac:(lia)) as C. unfold there in C.
    cbn [fst] in C. unfold there in Sx. rewrite <- Sx in C. exact C.
Qed.

(** ** A grid of one wave *)

Section Grid.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Notation m b := (mach G (sm_of X b)).
  Notation p b := (prog G (sm_of X b)).

  (** Each thread block as it is written, its machine, and what its warps, units and sub-cores are
      there. *)
  Variables (t : nat -> block) (mt : nat -> machine) (wr un co : nat -> nat -> nat).
  Hypothesis R : forall b, b < blocks G -> renamed (t b) (mt b) (m b) (p b) b (wr b) (un b) (co b).
  Hypothesis Wt : forall b, b < blocks G -> wf (t b).

  Variables (cs ks : nat -> list nat).  (* of each SM; of each thread block as it is written *)
  Hypothesis Cores : forall i, i < sms G -> NoDup (cs i) /\ forall w, In (core (mach G i) w) (cs i).
  Hypothesis Ks : forall b, b < blocks G -> NoDup (ks b) /\
    (forall c, In c (cs (sm_of X b)) -> In (co b c) (ks b))
    /\ (forall e, In e (ks b) -> exists c, In c (cs (sm_of X b)) /\ co b c = e)
    /\ forall c d, In c (cs (sm_of X b)) -> In d (cs (sm_of X b)) -> co b c = co b d -> c = d.

  (** What instructions cost beside others, units that sub-cores share, changes of sub-core. *)
  Variables (ct : nat -> key -> nat) (shared : nat -> nat -> bool) (turn : nat -> nat -> nat -> nat)
    (k : nat -> nat).
  Hypothesis Cost : forall b y, b < blocks G -> of (m b) (p b) b y ->
    cost (p b) (m b) y <= ct b (there (wr b) y).
  Hypothesis Same : forall b, b < blocks G -> same_cost (p b) (m b) b.
  Hypothesis Shared : forall b h y, b < blocks G -> h < blocks G -> sm_of X h = sm_of X b ->
    of (m h) (p h) h y ->
    across (p h) (m h) b y = true -> shared h (fu (get (t h) (there (wr h) y))) = true.
  Hypothesis Turns : forall b, b < blocks G -> changes (t b) (mt b) 0 (turn b) (k b).

  (** The less of SIB and FIB as they are written. *)
  Definition written_own (b : nat) : nat := min (SIB_at (t b) (mt b) 0) (FIB_at (t b) (mt b) 0).
  (** What [h] adds to the stay of [b]. *)
  Definition written_add (b h : nat) : nat := written_adds (t h) (mt h) (shared h) (ct h)
    (ks h) (k b).

  (** *** The stay by theorem 1, from thread blocks as they are written *)
  Theorem copies_stay b : b < blocks G -> stays_with (m b) (p b) b (mates G X b)
    (written_own b + sum (written_add b) (mates G X b)).
  Proof.
    intros Hb. pose proof (proj1 (g_place _ _ V b Hb)) as Hi. destruct (Mok _ Hi) as [M W].
    apply (stays_more _ _ _ _ _ _ (stays_extras (m b) (p b) b (mates G X b) (cs (sm_of X b)) _ (k b)
      M W (Cores _ Hi) (copy_changes _ _ _ _ _ _ _ _ _ _ (R b Hb) (Turns b Hb)) (Same b Hb))).
    apply Nat.add_le_mono.
    - pose proof (SIB_copy _ _ _ _ _ _ _ _ (R b Hb) W (Wt b Hb)).
      pose proof (FIB_copy _ _ _ _ _ _ _ _ (R b Hb) W (Wt b Hb)). unfold written_own. lia.
    - unfold strangers. rewrite sum_filter. apply sum_le. intros h Hh.
      destruct (negb (h =? b)); [|lia]. apply filter_In in Hh as [Hh _].
      apply filter_In in Hh as [Hh E]. apply in_seq in Hh. apply Nat.eqb_eq in E. cbn in Hh.
      pose proof (R h ltac:(lia)) as Rh. pose proof (Ks h ltac:(lia)) as Kh.
      pose proof (Cost h) as Ch. pose proof (Shared b h) as Sh. rewrite E in *.
      apply (copy_adds (t h) (mt h) (m b) (p b) b h (wr h) (un h) (co h) (cs (sm_of X b)) (ks h) Rh
        (Cores _ Hi) Kh (shared h) (ct h)).
      + intros y Hy. apply Ch; [lia|exact Hy].
      + intros y Hy A. apply Sh; auto. lia.
  Qed.

  (** *** k-wave by theorem 1, dynamic dispatch and static *)
  Theorem k_wave_copies b : dealt G X -> blocks G <= sms G * slots G -> b < blocks G ->
    ended X b <= k_wave G written_own written_add.
  Proof.
    intros De One Hb. apply (k_wave_bound G X V written_own written_add b De One copies_stay Hb).
  Qed.

  (** The sums of thread blocks as written bound a grid of one wave with static dispatch. *)
  Theorem k_wave_copies_static b : shared_out G X -> blocks G <= sms G * slots G -> b < blocks G ->
    ended X b <= k_wave G written_own written_add + reuse G.
  Proof.
    intros Few One Hb.
    apply (k_wave_static G X V written_own written_add b Few One (copies_stay b Hb) Hb).
  Qed.
End Grid.
