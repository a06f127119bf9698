(** * K-CHAIN-AREA (docs/sub-core-bounds.md, theorem 3): the paths of all slots of all SMs
    together *)

From Warpbound Require Import Base Cycles Largest Share Formulas ChainFormulas Ledger Tail OneSm
  Dynamic Area Apart ChainSm ChainDispatch ChainBalance.

(** The area; [tail] is what a full SM takes behind the last dispatch. *)
Definition chain_area (M R delta tail : nat) (l : list chain_kind) : nat :=
  (R * sum cW l
   + (R - 1) * min (largest (sum cH l + (R - 1) * turns l - M * R) (flat_map cX l))
     (sum (fun x => cE x - cW x) l)
   + sum cO l + (R - 1) * (list_max (map cL l) + delta) + (length l - M * R) * delta
   + (M - 1) * R * (tail + delta)) / (M * R).

(** K-CHAIN-AREA. *)
Definition k_chain_area (M R delta : nat) (k : list kind) ls : nat :=
  let tail := best_tail R k ls in
  if length k <=? M * R then k_chain_least M R delta k ls
  else best (fun l => max (chain_area M R delta tail l) (tail + delta)) ls (k_area M R delta k).

(** ** What lies above a threshold *)
Definition above (t : nat) (l : list nat) : nat := sum (fun x => x - t) l.

Lemma above_insert t x l : above t (insert x l) = (x - t) + above t l.
Proof.
  unfold above. induction l as [|y l IH]; [reflexivity|]. cbn [insert].
  destruct (y <=? x); [reflexivity|]. rewrite !sum_cons, IH. lia.
Qed.

Lemma above_sorted t l : above t (sorted l) = above t l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [sorted fold_right]. rewrite above_insert.
  fold (sorted l). rewrite IH. reflexivity.
Qed.

Lemma largest_above n t l : largest n l <= n * t + above t l.
Proof.
  unfold largest. rewrite <- (above_sorted t l). generalize (sorted l). clear l. intros l. revert n.
  induction l as [|x l IH]; intros n; [rewrite firstn_nil; apply Nat.le_0_l|].
  destruct n as [|n]; [apply Nat.le_0_l|]. specialize (IH n). unfold above in *. rewrite sum_cons.
  change (list_sum (firstn (S n) (x :: l))) with (x + list_sum (firstn n l)). lia.
Qed.

Lemma threshold n l : exists t, n * t + above t l <= largest n l.
Proof.
  unfold largest. assert (forall k, falling k -> forall n, exists t, (t = 0 \/ In t k) /\
    n * t + above t k <= list_sum (firstn n k)) as A.
  { clear.
    induction 1 as [|x k F IH H]; intros n; [exists 0; split; [auto|rewrite firstn_nil; cbn; lia]|].
    destruct n as [|n].
    - exists x. split; [right; left; reflexivity|]. unfold above. rewrite sum_zero; [cbn; lia|].
      intros y [<-|Hy]; [lia|]. specialize (H y Hy). lia.
    - destruct (IH n) as [t [Ht T]]. exists t.
      split; [destruct Ht; [auto|right; right; assumption]|].
      assert (t <= x) by (destruct Ht as [->|Ht]; [lia|apply H, Ht]). unfold above in *.
      rewrite sum_cons. change (list_sum (firstn (S n) (x :: k))) with (x + list_sum (firstn n k)).
      lia. }
  destruct (A (sorted l) (sorted_falling l) n) as [t [_ T]]. exists t. rewrite above_sorted in T.
  exact T.
Qed.

Lemma above_flat {A} t (f : A -> list nat) l : above t (flat_map f l)
  = sum (fun x => above t (f x)) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [flat_map]. rewrite sum_cons, <- IH. unfold above.
  apply sum_app.
Qed.

Lemma finite_choice {A} (P : nat -> A -> Prop) (a : A) n : (forall q, q < n -> exists x, P q x) ->
  exists f, forall q, q < n -> P q (f q).
Proof.
  induction n as [|n IH]; intros H; [exists (fun _ => a); lia|].
  destruct IH as [f F]; [intros q Hq; apply H; lia|]. destruct (H n (le_n _)) as [x X].
  exists (fun q => if q =? n then x else f q). intros q Hq.
  destruct (Nat.eqb_spec q n) as [->|N]; [exact X|apply F; lia].
Qed.

(** ** Sums over the paths of all slots *)
Section Sums.
  Variables (r : run) (M R delta : nat) (ck : nat -> chain_kind).
  Hypothesis Sms : forall b, b < count r -> sm r b < M.
  Hypothesis Rooms : forall b, b < count r -> room r b < R.
  Hypothesis Turns : forall b, b < count r -> 1 <= cH (ck b).
  Notation l := (map ck (all r)).

  Lemma length_chains : length l = count r.
  Proof. rewrite map_length. apply seq_length. Qed.

  Lemma sum_chains (f : chain_kind -> nat) : sum f l = sum (fun b => f (ck b)) (all r).
  Proof. unfold sum. rewrite map_map. reflexivity. Qed.

  (** Over all SMs and slots. *)
  Definition over (f : nat -> nat -> nat) : nat := sum (fun j => sum (f j) (seq 0 R)) (seq 0 M).

  Lemma over_scale c f : over (fun j q => c * f j q) = c * over f.
  Proof. unfold over. rewrite <- sum_scale. apply sum_ext. intros j _. apply sum_scale. Qed.

  Lemma room_parts_sum j q f : sum f (rest r j (in_room r j q)) + sum f (in_room r j q)
    = sum f (on_sm r j).
  Proof.
    unfold rest, in_room. rewrite !sum_filter, <- sum_add. apply sum_ext. intros c Hc.
    destruct (existsb (Nat.eqb c) _) eqn:E.
    - apply existsb_exists in E as [y [Hy E]]. apply Nat.eqb_eq in E. subst y.
      apply filter_In in Hy as [_ Hy]. rewrite Hy. reflexivity.
    - destruct (room r c =? q) eqn:Q; [exfalso|cbn; lia]. apply not_true_iff_false in E.
      apply E, existsb_exists. exists c. split; [apply filter_In; auto|apply Nat.eqb_refl].
  Qed.

  Lemma rooms_sum j f : sum (fun q => sum f (in_room r j q)) (seq 0 R) = sum f (on_sm r j).
  Proof. apply sum_by_slot. intros c Hc. apply Rooms, (here_sm r j c Hc). Qed.

  Lemma sms_sum f : sum (fun j => sum f (on_sm r j)) (seq 0 M) = sum f (all r).
  Proof. apply (sum_by_slot f (sm r)). intros c Hc. apply Sms, in_all, Hc. Qed.

  Lemma over_rooms f : over (fun j q => sum f (in_room r j q)) = sum f (all r).
  Proof. unfold over. rewrite <- (sms_sum f). apply sum_ext. intros j _. apply rooms_sum. Qed.

  Lemma over_rest f : over (fun j q => sum f (rest r j (in_room r j q))) <= (R - 1) * sum f (all r).
  Proof.
    assert (over (fun j q => sum f (rest r j (in_room r j q))) + sum f (all r) = R * sum f (all r))
      as A.
    { rewrite <- over_rooms at 1. unfold over.
      rewrite <- (sms_sum f), <- sum_scale, <- sum_add. apply sum_ext. intros j _.
      rewrite <- sum_add.
      rewrite (sum_ext _ (fun _ => sum f (on_sm r j))) by (intros q _; apply room_parts_sum).
      rewrite sum_same, seq_length. reflexivity. }
    rewrite Nat.mul_sub_distr_r. lia.
  Qed.

  Lemma over_add (f g : nat -> nat -> nat) : over (fun j q => f j q + g j q) = over f + over g.
  Proof. unfold over. rewrite <- sum_add. apply sum_ext. intros j _. apply sum_add. Qed.

  Lemma over_le (f g : nat -> nat -> nat) : (forall j q, j < M -> q < R -> f j q <= g j q) ->
    over f <= over g.
  Proof.
    intros H. unfold over. apply sum_le. intros j Hj. apply in_seq in Hj. apply sum_le. intros q Hq.
    apply in_seq in Hq. apply H; lia.
  Qed.

  Lemma over_same c : over (fun _ _ => c) = M * R * c.
  Proof.
    unfold over.
    rewrite (sum_ext _ (fun _ => R * c)) by (intros j _; rewrite sum_same, seq_length; reflexivity).
    rewrite sum_same, seq_length. lia.
  Qed.

  (** Until [T] on the SM of [b], until [C1] on others *)
  Section Ends.
    Variables (b T C1 : nat).
    Hypotheses (Hb : b < count r) (A : all_taken r M R).
    Notation i := (sm r b).

    (** Slot [q] of SM [j] is on the SM of [b], but not its slot. *)
    Definition ends j q : bool := (j =? i) && negb (q =? room r b).
    (** [x] in such a slot, 0 elsewhere. *)
    Definition also (x : nat) j q : nat := if ends j q then x else 0.

    (** The path of slot [q] of SM [j]; on that of [b] other slots' paths go on with its chain. *)
    Definition path_of j q (n : nat -> nat) : Prop :=
      (if j =? i then T else C1)
      <= slot_sum r delta ck (in_room r j q) + also (delta + cL (ck b)) j q
        + sum (fun c => charge (ck c) (n c)) (rest r j (in_room r j q))
      /\ sum n (rest r j (in_room r j q)) <= (R - 1)
           * (slot_turns ck (in_room r j q) + also (cH (ck b)) j q - 1).
    Hypothesis Paths : forall j q, j < M -> q < R -> exists n, path_of j q n.
    Hypothesis Delays : sum (delay r delta) (all r) + M * R * delta <= count r * delta.

    Lemma over_also x : over (also x) = (R - 1) * x.
    Proof.
      pose proof (Sms b Hb) as Hi. pose proof (Rooms b Hb) as Hr.
      assert (forall j, sum (also x j) (seq 0 R) = if i =? j then (R - 1) * x else 0) as E.
      { intros j. unfold also, ends. rewrite (Nat.eqb_sym j i).
        destruct (i =? j); cbn [andb]; [|apply sum_zero; reflexivity].
        pose proof (sum_single (fun _ => x) (room r b) R Hr) as S1. cbn beta in S1.
        assert (sum (fun q => if negb (q =? room r b) then x else 0) (seq 0 R)
          + sum (fun q => if room r b =? q then x else 0) (seq 0 R) = R * x) as S2.
        { rewrite <- sum_add. rewrite <- (seq_length R 0) at 2. rewrite <- (sum_same x (seq 0 R)).
          apply sum_ext. intros q _. rewrite Nat.eqb_sym. destruct (room r b =? q); cbn; lia. }
        rewrite Nat.mul_sub_distr_r. lia. }
      unfold over. rewrite (sum_ext _ _ _ (fun j _ => E j)).
      apply (sum_single (fun _ => (R - 1) * x) i M Hi).
    Qed.

    Lemma over_times : over (fun j q => if j =? i then T else C1) + R * C1 = R * T + M * R * C1.
    Proof.
      pose proof (Sms b Hb) as Hi.
      assert (forall j, sum (fun q : nat => if j =? i then T else C1) (seq 0 R)
        + (if i =? j then R * C1 else 0) = (if i =? j then R * T else 0) + R * C1) as E.
      { intros j. rewrite sum_same, seq_length, (Nat.eqb_sym j i). destruct (i =? j); lia. }
      unfold over. pose proof (sum_ext _ _ (seq 0 M) (fun j _ => E j)) as S.
      rewrite !sum_add, sum_same, seq_length in S.
      rewrite (sum_single (fun _ => R * C1) i M Hi), (sum_single (fun _ => R * T) i M Hi) in S. lia.
    Qed.

    (** The extras of all paths: each at most once a path. *)
    Lemma over_extras n N :
      over (fun j q => sum (n j q) (rest r j (in_room r j q))) <= (R - 1) * N ->
      over (fun j q => sum (fun c => charge (ck c) (n j q c)) (rest r j (in_room r j q)))
      <= (R - 1) * (sum cW l + min (largest N (flat_map cX l)) (sum (fun x => cE x - cW x) l)).
    Proof.
      intros H.
      set (e := fun j q c => min (cE (ck c) - cW (ck c)) (largest (n j q c) (cX (ck c)))).
      assert (over (fun j q => sum (fun c => charge (ck c) (n j q c)) (rest r j (in_room r j q)))
        <= over (fun j q => sum (fun c => cW (ck c)) (rest r j (in_room r j q))
        + sum (e j q) (rest r j (in_room r j q)))) as H1.
      { apply over_le. intros j q _ _. rewrite <- sum_add. apply sum_le. intros c _.
        unfold charge, e. lia. }
      rewrite over_add in H1. pose proof (over_rest (fun c => cW (ck c))) as H2.
      assert (over (fun j q => sum (e j q) (rest r j (in_room r j q)))
        <= (R - 1) * sum (fun x => cE x - cW x) l) as H3.
      { rewrite sum_chains. etransitivity; [|apply over_rest]. apply over_le. intros j q _ _.
        apply sum_le. intros c _. unfold e. lia. }
      assert (over (fun j q => sum (e j q) (rest r j (in_room r j q)))
        <= (R - 1) * largest N (flat_map cX l)) as H4.
      { destruct (threshold N (flat_map cX l)) as [t Ht]. rewrite above_flat, sum_chains in Ht.
        transitivity (over (fun j q => t * sum (n j q) (rest r j (in_room r j q))
          + sum (fun c => above t (cX (ck c))) (rest r j (in_room r j q)))).
        - apply over_le. intros j q _ _. rewrite <- sum_scale, <- sum_add. apply sum_le. intros c _.
          unfold e. pose proof (largest_above (n j q c) t (cX (ck c))). lia.
        - rewrite over_add.
          rewrite (over_scale t (fun j q => sum (n j q) (rest r j (in_room r j q)))).
          pose proof (over_rest (fun c => above t (cX (ck c)))) as H5.
          pose proof (Nat.mul_le_mono_l _ _ t H) as H6.
          pose proof (Nat.mul_le_mono_l _ _ (R - 1) Ht) as H7. rewrite Nat.mul_add_distr_l in H7.
          lia. }
      rewrite sum_chains. rewrite Nat.mul_add_distr_l, <- Nat.mul_min_distr_l. lia.
    Qed.

    (** Summed up over all slots. *)
    Lemma paths_sum : R * T + (M - 1) * R * C1
      <= R * sum cW l + (R - 1) * min (largest (sum cH l + (R - 1) * turns l - M * R)
        (flat_map cX l)) (sum (fun x => cE x - cW x) l)
        + sum cO l + (R - 1) * (list_max (map cL l) + delta) + (length l - M * R) * delta.
    Proof.
      pose proof (Sms b Hb) as HM. pose proof (Rooms b Hb) as HR.
      destruct (finite_choice (fun j (n : nat -> nat -> nat) => forall q, q < R -> path_of j q (n
        q))
        (fun _ _ => 0) M) as [n Hn].
      { intros j Hj. apply (finite_choice (path_of j) (fun _ => 0)). intros q Hq.
        apply (Paths j q Hj Hq). }
      set (N := sum cH l + (R - 1) * turns l - M * R).
      assert (over (fun j q => sum (n j q) (rest r j (in_room r j q))) <= (R - 1) * N) as HN.
      { transitivity (over (fun j q => (R - 1)
          * (slot_turns ck (in_room r j q) + also (cH (ck b)) j q - 1))).
        - apply over_le. intros j q Hj Hq. apply (Hn j Hj q Hq).
        - rewrite (over_scale (R - 1) (fun j q => slot_turns ck (in_room r j q)
            + also (cH (ck b)) j q - 1)). apply Nat.mul_le_mono_l.
          assert (over (fun j q => slot_turns ck (in_room r j q) + also (cH (ck b)) j q - 1) + M * R
            <= over (fun j q => slot_turns ck (in_room r j q)) + over (also (cH (ck b)))) as S1.
          { rewrite <- over_add. rewrite <- (Nat.mul_1_r (M * R)), <- over_same, <- over_add.
            apply over_le. intros j q Hj Hq. destruct (A j q Hj Hq) as [c [Hc Er]].
            assert (In c (in_room r j q)) as X by (apply in_room_iff; auto).
            pose proof (sum_ge (fun c => cH (ck c)) c _ X) as G. cbn beta in G.
            fold (slot_turns ck (in_room r j q)) in G.
            pose proof (Turns c ltac:(apply (here_sm r j c Hc))). lia. }
          rewrite over_also in S1. unfold slot_turns in S1 at 2.
          rewrite over_rooms, <- sum_chains in S1.
          pose proof (turns_ge ck (all r) b ltac:(apply in_all, Hb)) as Tb.
          pose proof (Nat.mul_le_mono_l _ _ (R - 1) Tb). unfold N. lia. }
      pose proof (over_extras n N HN) as HE. pose proof over_times as HT.
      assert (over (fun j q => if j =? i then T else C1)
        <= over (fun j q => slot_sum r delta ck (in_room r j q) + also (delta + cL (ck b)) j q
        + sum (fun c => charge (ck c) (n j q c)) (rest r j (in_room r j q)))) as HS.
      { apply over_le. intros j q Hj Hq. apply (Hn j Hj q Hq). }
      rewrite (over_add (fun j q => slot_sum r delta ck (in_room r j q)
        + also (delta + cL (ck b)) j q)), over_add, over_also in HS. unfold slot_sum in HS.
      rewrite over_rooms, (sum_add (delay r delta)), (sum_add (fun c => cW (ck c))),
        <- !sum_chains in HS. pose proof Delays as Dl.
      rewrite length_chains.
      pose proof (ChainFormulas.lam_ge ck (all r) b ltac:(apply in_all, Hb)) as La.
      pose proof (Nat.mul_le_mono_l _ _ (R - 1) (proj1 (Nat.add_le_mono_l _ _ delta) La)) as Lb.
      rewrite !Nat.mul_add_distr_l in *.
      rewrite (Nat.mul_sub_distr_r (count r)), (Nat.mul_sub_distr_r M 1 R), Nat.mul_sub_distr_r.
      set (E := (R - 1) * min _ _) in *.
      assert (R * sum cW l = sum cW l + (R - 1) * sum cW l) as RW.
      { replace R with (1 + (R - 1)) at 1 by lia. lia. }
      assert (1 * R * C1 <= M * R * C1) by (apply Nat.mul_le_mono_r, Nat.mul_le_mono_r; lia). lia.
    Qed.

    Lemma area_paths tail : T <= C1 + (delta + tail) -> T <= chain_area M R delta tail l.
    Proof.
      intros Ht. pose proof (Sms b Hb) as HM. pose proof (Rooms b Hb) as HR.
      pose proof paths_sum as P.
      unfold chain_area. apply Nat.div_le_lower_bound; [apply Nat.neq_mul_0; lia|].
      pose proof (Nat.mul_le_mono_l T (C1 + (tail + delta)) ((M - 1) * R) ltac:(lia)) as H5.
      rewrite Nat.mul_add_distr_l in H5. assert (M * R * T = R * T + (M - 1) * R * T) as ->.
      { replace M with (1 + (M - 1)) at 1 by lia. lia. }
      lia.
    Qed.
  End Ends.
End Sums.

(** ** A ledger's SMs *)
Section Area.
  Variables (r : run) (M R delta : nat) (ck : nat -> chain_kind).
  Hypotheses (Lg : ledger r M R delta (fun b => plain (ck b))) (Ch : chains r M R delta ck).
  Notation cnted := (counted r).

  (** The path of a slot on the SM of [b] *)
  Lemma path_there b q : b < count r -> q < R ->
    exists n, path_of r R delta ck b (cycles (fin r b) cnted) 0 (sm r b) q n.
  Proof.
    intros Hb Hq. pose proof (l_sm _ _ _ _ _ Lg b Hb) as Hj. unfold path_of, also, ends.
    set (i := sm r b) in *. rewrite Nat.eqb_refl. cbn [andb].
    assert (In b (on_sm r i)) as Bh by (apply in_on_sm; auto).
    destruct (Nat.eqb_spec q (room r b)) as [->|Nq]; cbn [negb].
    - destruct (c_slot _ _ _ _ _ Ch i (room r b) (in_room r i (room r b)) b (fin r b) Hj Hq
        (whole_room r i _) ltac:(apply in_room_iff; auto) (le_n _)) as [n [H1 H2]]. exists n.
      rewrite !Nat.add_0_r. auto.
    - destruct (c_then _ _ _ _ _ Ch i q (in_room r i q) b Hj Hq (whole_room r i q) Bh
        ltac:(intros X; apply in_room_iff in X; lia)) as [n [H1 H2]].
      { intros t Ct Ht Fe. destruct (le_lt_dec (disp r b) t) as [|Lt]; [assumption|exfalso].
        destruct (taken_here r M R delta _ Lg i b t q Bh Ct Lt Hq) as [c [Hc [_ [Hr Hh]]]].
        specialize (Fe c ltac:(apply in_room_iff; auto)). unfold holds in Hh.
        rewrite andb_true_iff, Nat.ltb_lt in Hh. lia. }
      exists n. split; [lia|exact H2].
  Qed.

  (** The path of a slot that is taken until [t1] *)
  Lemma path_until j q t1 : j < M -> q < R -> in_room r j q <> [] ->
    (forall t, cnted t = true -> t < t1 -> exists c, In c (in_room r j q) /\ holds r c t = true) ->
    exists n, cycles t1 cnted <= slot_sum r delta ck (in_room r j q)
      + sum (fun c => charge (ck c) (n c)) (rest r j (in_room r j q))
    /\ sum n (rest r j (in_room r j q)) <= (R - 1) * (slot_turns ck (in_room r j q) - 1).
  Proof.
    intros Hj Hq Ne Full. destruct (exists_max (fin r) (in_room r j q) Ne) as [c [Hc Mx]].
    destruct (c_slot _ _ _ _ _ Ch j q (in_room r j q) c (min t1 (fin r c)) Hj Hq
      (whole_room r j q) Hc ltac:(lia)) as [n [H1 H2]]. exists n. split; [|exact H2].
    etransitivity; [|exact H1]. etransitivity; [|apply (cycles_cut t1)]. apply cycles_le.
    intros t Ht C. rewrite C. apply Nat.ltb_lt, Nat.min_glb_lt; [exact Ht|].
    destruct (Full t C Ht) as [d [Hd Hh]]. specialize (Mx d Hd). unfold holds in Hh.
    rewrite andb_true_iff, Nat.ltb_lt in Hh. lia.
  Qed.
End Area.

(** ** SMs that leave out cycles of their own (Apart.v) *)
Section Apart.
  Variables (r : run) (M R delta v : nat) (kd : nat -> kind) (own : nat -> run)
    (clock : nat -> nat -> nat) (views : list (nat -> chain_kind)).
  Hypothesis Ap : apart r M R delta v kd own clock.
  Hypothesis Lv : forall ck i, In ck views -> i < M ->
    ledger (own i) M R delta (fun b => plain (ck b)) /\ chains (own i) M R delta ck.
  Hypotheses (Dyn : dynamic r M R) (Waits : M * R < count r).
  Notation real x := (cycles x (counted r)).
  Notation here i Hi := (a_here _ _ _ _ _ _ _ _ Ap i Hi).
  Notation place i b Hi Hb := (a_place _ _ _ _ _ _ _ _ Ap i b Hi Hb).

  Lemma own_all i : all (own i) = all r.
  Proof. unfold all. rewrite (a_count _ _ _ _ _ _ _ _ Ap). reflexivity. Qed.

  Lemma own_room j q : j < M -> in_room (own j) j q = in_room r j q.
  Proof.
    intros Hj. unfold in_room. rewrite (here j Hj). apply filter_ext_in. intros c Hc.
    destruct (place j c Hj Hc) as [-> _]. reflexivity.
  Qed.

  Lemma own_rest j F : j < M -> rest (own j) j F = rest r j F.
  Proof. intros Hj. unfold rest. rewrite (here j Hj). reflexivity. Qed.

  Lemma own_delay j c : j < M -> In c (on_sm r j) -> delay (own j) delta c = delay r delta c.
  Proof. intros Hj Hc. unfold delay. destruct (place j c Hj Hc) as [_ [-> _]]. reflexivity. Qed.

  Lemma own_slot_sum ck j q : j < M ->
    slot_sum (own j) delta ck (in_room r j q) = slot_sum r delta ck (in_room r j q).
  Proof.
    intros Hj. apply sum_ext. intros c Hc. apply in_room_iff in Hc as [Hc _].
    rewrite (own_delay j c Hj Hc). reflexivity.
  Qed.

  Section Ends.
    Variables (z b : nat).
    Hypothesis Hz : z < count r.
    Hypothesis Lz : forall c, c < count r -> disp r c <= disp r z.
    Hypothesis Hb : b < count r.
    Hypothesis Lb : forall c, c < count r -> fin r c <= fin r b.
    Hypothesis A : all_taken r M R.
    Notation t1 := (disp r z).
    Notation i := (sm r b).
    Let Hi : i < M := a_sm _ _ _ _ _ _ _ _ Ap b Hb.
    Notation tail := (cycles (clock i (fin r b)) (behind (own i) (clock i t1) b)).
    Notation parts := (first_part r own clock z).

    Lemma own_place : sm (own i) b = i /\ room (own i) b = room r b
      /\ fin (own i) b = clock i (fin r b) /\ b < count (own i).
    Proof.
      assert (In b (on_sm r i)) as Hin by (apply in_on_sm; auto).
      destruct (place i b Hi Hin) as [P1 [_ [_ P2]]]. rewrite <- (here i Hi) in Hin.
      apply in_on_sm in Hin as [H1 H2]. auto.
    Qed.

    Lemma both_before : parts i + tail <= cycles (clock i (fin r b)) (counted (own i)).
    Proof.
      assert (t1 <= fin r b) as Ht by (eapply t1_T; eassumption).
      rewrite (first_before r own clock z i _ (a_mono _ _ _ _ _ _ _ _ Ap i _ _ Ht)).
      rewrite (cycles_split _ (counted (own i)) (fun k => k <? clock i t1)).
      apply Nat.add_le_mono_l, cycles_le.
      intros k _ H. unfold behind in H. rewrite !andb_true_iff in H. destruct H as [[-> _] H].
      apply Nat.leb_le in H. cbn [andb]. apply negb_true_iff, Nat.ltb_ge, H.
    Qed.

    Lemma tail_apart : tail <= delta + best_tail R (map kd (all r)) (map (fun ck => map ck (all r))
      views).
    Proof.
      assert (In b (on_sm (own i) i)) as Hin' by (eapply here_in, in_on_sm; eauto).
      assert (forall c, In c (on_sm (own i) i) -> disp (own i) c <= clock i t1) as Late
        by (eapply own_late; eassumption).
      destruct own_place as [P1 [P2 [P3 P4]]].
      pose proof (l_room _ _ _ _ _ (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) b P4) as R2.
      enough (tail - delta <= best_tail R (map kd (all r)) (map (fun ck => map ck (all r)) views))
        by lia. apply best_ge.
      - pose proof (there_together (own i) M R delta kd (a_ledger _ _ _ _ _ _ _ _ Ap i Hi) i
          (clock i t1) b Hin' Late (clock i (fin r b)) ltac:(rewrite P3; apply le_n) ltac:(lia)) as
            H.
        rewrite own_all in H. lia.
      - intros l Hl. apply in_map_iff in Hl as [ck [<- Hc]]. destruct (Lv ck i Hc Hi) as [Lg Ch].
        pose proof (chain_tail (own i) M R delta ck Lg Ch i Hi (all (own i)) (on_sm_all (own i) i)
          (all_nodup (own i)) (clock i t1) b R Hin' Late ltac:(lia) (or_introl (le_n _))) as H.
        rewrite own_all, P3 in H. pose proof (delay_le (own i) delta b). lia.
    Qed.

    Lemma chains_apart ck : In ck views -> real (fin r b)
      <= chain_area M R delta (best_tail R (map kd (all r)) (map (fun ck => map ck (all r)) views))
        (map ck (all r)) + 2 * v.
    Proof.
      intros Hc. destruct (fewest r M R delta v kd own clock Ap Waits z b Hz Hb) as [j0 [Hj0
        Least]].
      assert (real (fin r b) <= parts j0 + tail + 2 * v) as Both
        by (apply (both_parts r M R delta v kd own clock Ap Waits z b Hz Lz Hb Lb j0 (parts j0) tail
          Hj0 (le_n _) (le_n _))).
      assert (forall c, c < count r -> sm r c < M /\ room r c < R /\ 1 <= cH (ck c)) as Facts.
      { intros c Lc. pose proof (a_sm _ _ _ _ _ _ _ _ Ap c Lc) as Hs.
      destruct (Lv ck _ Hc Hs) as [Lg Ch].
        assert (In c (on_sm r (sm r c))) as Hin by (apply in_on_sm; auto).
        destruct (place _ c Hs Hin) as [<- _]. rewrite <- (here _ Hs) in Hin.
        apply in_on_sm in Hin as [Hn _]. split; [exact Hs|].
        split; [apply (l_room _ _ _ _ _ Lg c Hn)|apply (c_less _ _ _ _ _ Ch c Hn)]. }
      enough (parts j0 + tail <= chain_area M R delta (best_tail R (map kd (all r))
        (map (fun ck => map ck (all r)) views)) (map ck (all r))) by lia.
      apply (area_paths r M R delta ck (fun c Lc => proj1 (Facts c Lc))
        (fun c Lc => proj1 (proj2 (Facts c Lc))) (fun c Lc => proj2 (proj2 (Facts c Lc))) b
        (parts j0 + tail) (parts j0) Hb A).
      - intros j q Hj Hq. destruct (Lv ck j Hc Hj) as [Lg Ch]. unfold path_of, also, ends.
        destruct (Nat.eqb_spec j i) as [->|N]; cbn [andb].
        + destruct own_place as [P1 [P2 [P3 P4]]].
          destruct (path_there (own i) M R delta ck Lg Ch b q P4 Hq) as [n [H1 H2]]. exists n.
          unfold path_of, also, ends in H1, H2. rewrite P1, P2, P3, Nat.eqb_refl in *.
          cbn [andb] in *. rewrite own_room, own_rest, own_slot_sum in * by exact Hi.
          pose proof both_before. specialize (Least i Hi). split; [lia|exact H2].
        + destruct (A j q Hj Hq) as [c0 [Hc0 Hr0]].
          assert (in_room (own j) j q <> []) as Ne.
          { rewrite own_room by exact Hj. intros E.
            assert (In c0 (in_room r j q)) as X by (apply in_room_iff; auto). rewrite E in X.
            easy. }
          destruct (path_until (own j) M R delta ck Ch j q (clock j t1) Hj Hq Ne) as [n [H1 H2]].
          { intros k Ck Hk. destruct (own_full r M R delta v kd own clock Ap Dyn z Hz j Hj k q
              Ck Hk Hq) as [c [H1 [H2 H3]]]. exists c. split; [apply in_room_iff; auto|exact H3]. }
          exists n. rewrite own_room, own_rest, own_slot_sum in * by exact Hj.
          rewrite !Nat.add_0_r. specialize (Least j Hj).
          split; [unfold first_part in *; lia|exact H2].
      - rewrite <- (by_sms r M R delta v kd own clock Ap).
        pose proof (lengths r M R delta v kd own clock Ap Waits z b Hz Hb) as Len. rewrite <- Len.
        assert (M * R * delta = sum (fun _ => R * delta) (seq 0 M)) as ->
          by (rewrite sum_same, seq_length; lia).
        rewrite <- sum_add. apply sum_le. intros j Hj. apply in_seq in Hj.
        destruct (Lv ck j Hc ltac:(lia)) as [Lg _].
        pose proof (sm_delays (own j) M R delta _ Lg j
          (own_used r M R delta v kd own clock Ap A j ltac:(lia))) as D.
        rewrite (here j ltac:(lia)) in D. etransitivity; [|exact D].
        apply Nat.add_le_mono_r, Nat.eq_le_incl.
        apply sum_ext. intros c Hd. symmetry. apply (own_delay j c); [lia|exact Hd].
      - pose proof tail_apart. lia.
    Qed.
  End Ends.

  (** *** Theorem 2 (K-CHAIN) *)
  Theorem k_chain_apart ck b : In ck views -> b < count r ->
    real (fin r b) <= chain_sm R delta (count r - (M - 1) * R) (map ck (all r)) + v.
  Proof.
    intros Hc Hb. assert (In b (on_sm r (sm r b))) as Hin by (apply in_on_sm; auto).
    pose proof (a_sm _ _ _ _ _ _ _ _ Ap b Hb) as Hi. set (i := sm r b) in *.
    pose proof (most_waits r M R Waits ltac:(lia)) as Hn. destruct (Lv ck i Hc Hi) as [Lg Ch].
    destruct (last_here r M R delta v kd own clock Ap i b Hi Hin) as [e [He [Le Lst]]].
    etransitivity; [apply (cycles_longer _ _ (counted r) Le)|].
    apply (in_time r M R delta v kd own clock Ap i e _ Hi He). rewrite <- (own_all i).
    pose proof (here_in r M R delta v kd own clock Ap i e Hi He) as He'.
    destruct (taken_or_early r M R Dyn) as [A|A].
    - apply (chain_sm_bound (own i) M R delta ck Lg Ch i Hi (all _) (on_sm_all _ _) (all_nodup _));
        auto. rewrite (here i Hi). apply (most_blocks r M R (a_sm _ _ _ _ _ _ _ _ Ap)); assumption.
    - etransitivity; [|apply (together_sm (own i) M R delta ck Lg Ch i Hi (all _) (on_sm_all _ _) e
        He' _ Hn)].
      apply (chain_never_full (own i) M R delta ck Lg Ch i Hi (all _) (on_sm_all _ _) (all_nodup _)
        e
        He'). eapply own_early; eassumption.
  Qed.

  (** *** Theorem 3 (K-CHAIN-AREA) *)
  Theorem k_chain_area_apart b : b < count r -> real (fin r b)
    <= k_chain_area M R delta (map kd (all r)) (map (fun ck => map ck (all r)) views) + 2 * v.
  Proof.
    intros Hb. enough (real (fin r b) - 2 * v <= k_chain_area M R delta (map kd (all r))
      (map (fun ck => map ck (all r)) views)) by lia.
    unfold k_chain_area. rewrite (length_l r kd), (proj2 (Nat.leb_gt _ _) Waits). apply best_ge.
    - pose proof (k_area_apart r M R delta v kd own clock Ap Dyn Waits b Hb). lia.
    - intros l Hl. apply in_map_iff in Hl as [ck [<- Hc]].
      destruct (taken_or_early r M R Dyn) as [A|A].
      + destruct (last_two r M R Waits) as [z [e [Hz [Lz [He Le]]]]].
        pose proof (cycles_longer _ _ (counted r) (Le b Hb)).
        pose proof (chains_apart z e Hz Lz He Le A ck Hc). lia.
      + etransitivity; [|apply Nat.le_max_r].
        enough (real (fin r b) - v - delta <= best_tail R (map kd (all r))
          (map (fun ck => map ck (all r)) views)) by lia.
        apply best_ge.
        * pose proof (Apart.never_full r M R delta v kd own clock Ap Waits (S R) b A ltac:(lia) Hb).
          lia.
        * intros l Hl. apply in_map_iff in Hl as [ck' [<- Hc']].
          assert (In b (on_sm r (sm r b))) as Hin by (apply in_on_sm; auto).
          pose proof (a_sm _ _ _ _ _ _ _ _ Ap b Hb) as Hi.
          destruct (last_here r M R delta v kd own clock Ap _ b Hi Hin) as [e [He [Le _]]].
          destruct (Lv ck' _ Hc' Hi) as [Lg Ch].
          pose proof (chain_never_full (own (sm r b)) M R delta ck' Lg Ch _ Hi (all _)
            (on_sm_all _ _) (all_nodup _) e (here_in r M R delta v kd own clock Ap _ e Hi He)
            ltac:(eapply own_early; eassumption)) as H. rewrite own_all in H.
          apply (in_time r M R delta v kd own clock Ap _ e _ Hi He) in H.
          pose proof (cycles_longer _ _ (counted r) Le). lia.
  Qed.
End Apart.

(** *** of SMs that count the same cycles *)
Theorem k_chain_area_bound r M R delta kd views : ledger r M R delta kd ->
  (forall ck, In ck views -> ledger r M R delta (fun b => plain (ck b)) /\ chains r M R delta ck) ->
  dynamic r M R -> M * R < count r -> forall b, b < count r -> cycles (fin r b) (counted r)
    <= k_chain_area M R delta (map kd (all r)) (map (fun ck => map ck (all r)) views).
Proof.
  intros Lg Lv Dyn W b Hb. pose proof (k_chain_area_apart r M R delta 0 kd _ _ views
    (apart_none r M R delta kd Lg) (fun ck _ Hc _ => Lv ck Hc) Dyn W b Hb). lia.
Qed.
