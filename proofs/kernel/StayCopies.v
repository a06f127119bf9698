(** * SIB and FIB of a thread block on a slot are those of the one as it is written (G1)

    By itself: SIB and FIB as functions.  Beside others: what lemma 3 of docs/proofs.md says of its
    stay, with every unit in reach that sub-cores share. *)

From Warpbound Require Import Base Cycles Largest Model Isolation Queue Bounds IsolationPaths Stay
  Copies SoloCopies.
From Warpbound Require Instances.

Section StayCopies.
  Variables (t : block) (mt m : machine) (p : block) (b : nat) (wr un co : nat -> nat).
  Hypotheses (R : renamed t mt m p b wr un co) (W : wf p).
  Notation there := (there wr).

  Lemma of_there x : of m p b x -> In (there x) (keys t).
  Proof. destruct x as [w k]. apply (n_in _ _ _ _ _ _ _ _ R). Qed.

  Lemma same_of x : of m p b x -> let i := get p x in let j := get t (there x) in
    init i = init j /\ lat i = lat j /\ ops i = ops j /\ sec i = sec j /\ fu j = un (fu i).
  Proof. destruct x as [w k]. apply (n_same _ _ _ _ _ _ _ _ R w k). Qed.

  Lemma there_distinct x y : of m p b x -> of m p b y -> there x = there y -> x = y.
  Proof.
    destruct x as [w k], y as [v i]. intros Hx Hy E. unfold SoloCopies.there in E.
    cbn [fst snd] in E. inversion E; subst i. rewrite (n_once _ _ _ _ _ _ _ _ R w v k Hx Hy); auto.
  Qed.

  (** *** The bounds *)

  Lemma sum_copy (f f' : key -> nat) : (forall x, of m p b x -> f x <= f' (there x)) ->
    (forall x, In x (keys p) -> group m (fst x) <> b -> f x = 0) ->
    sum f (keys p) <= sum f' (keys t).
  Proof.
    intros H Z. assert (forall x, In x (keys p) -> f x <> 0 -> of m p b x) as O.
    { intros x Hx N. split; [exact Hx|].
      destruct (Nat.eq_dec (group m (fst x)) b); [assumption|destruct N; auto]. }
    apply (sum_into Instances.key_eq f f' there); [apply Instances.keys_nodup| |].
    - intros x Hx N. split; [apply of_there|apply H]; apply O; assumption.
    - intros x y Hx Hy Nx Ny. apply there_distinct; apply O; assumption.
  Qed.

  Lemma bound_copy (ch ch' : charges) (iD iD' : key -> nat) :
    (forall x, of m p b x -> iD x <= iD' (there x)) ->
    (forall x, of m p b x -> charged p ch (fst x) (sec (get p x))
      <= charged t ch' (wr (fst x)) (sec (get p x))) ->
    block_bound p m ch iD b <= block_bound t mt ch' iD' 0.
  Proof.
    intros H HC. assert (forall q, block_term p m ch iD b q <= block_term t mt ch' iD' 0 q) as T.
    { intros q. apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [x [<- Hx]].
      apply filter_In in Hx as [Hx E]. rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt in E.
      destruct E as [[Gx Sx] Px]. assert (of m p b x) as Ho by (split; assumption).
      destruct (same_of x Ho) as [Ei [El [_ [Es _]]]]. cbv zeta in *. specialize (H x Ho).
      specialize (HC x Ho). rewrite Sx in HC.
      transitivity (iD' (there x) + init (get t (there x)) + lat (get t (there x))
        + charged t ch' (fst (there x)) q).
      - unfold SoloCopies.there at 4. cbn [fst]. lia.
      - apply list_max_ge, in_map_iff. exists (there x). split; [reflexivity|]. apply filter_In.
        split; [apply of_there, Ho|].
        rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt, (n_alone _ _ _ _ _ _ _ _ R).
        repeat split; [congruence|lia]. }
    assert (forall q, block_start p m ch iD b q <= block_start t mt ch' iD' 0 q) as S.
    { induction q as [|q IH]; [apply le_n|]. cbn [block_start]. specialize (T q).
      pose proof (n_rel _ _ _ _ _ _ _ _ R (Datatypes.S q)). lia. }
    assert (last_section p m b <= last_section t mt 0) as L.
    { apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [x [<- Hx]].
      apply filter_In in Hx as [Hx E]. apply Nat.eqb_eq in E.
      destruct (same_of x (conj Hx E)) as [_ [_ [_ [Es _]]]]. cbv zeta in Es. rewrite Es.
      apply list_max_ge, in_map_iff. exists (there x). split; [reflexivity|]. apply filter_In.
      split; [apply of_there; split; assumption|]. apply Nat.eqb_eq, (n_alone _ _ _ _ _ _ _ _ R). }
    unfold block_bound. specialize (S (last_section p m b)). specialize (T (last_section p m b)).
    destruct (Nat.eq_dec (last_section p m b) (last_section t mt 0)) as [E|N]; [rewrite <- E; lia|].
    pose proof (start_mono mt t ch' iD' 0 (last_section p m b) (last_section t mt 0
      - Datatypes.S (last_section p m b))) as A.
      replace (Datatypes.S (last_section p m b)
      + (last_section t mt 0 - Datatypes.S (last_section p m b))) with (last_section t mt 0)
      in A by lia. lia.
  Qed.

  (** *** What is charged *)

  Lemma beside_copy w q y : group m w = b -> of m p b y -> (exists k, of m p b (w, k)) ->
    beside p m w q y = true -> beside t mt (wr w) q (there y) = true.
  Proof.
    intros Gw Hy [k Hk] B. apply beside_iff in B as [N [_ S]]. apply beside_iff.
    unfold SoloCopies.there. cbn [fst snd]. destruct (same_of y Hy) as [_ [_ [_ [Es _]]]].
    cbv zeta in Es. split; [|split].
    - intros E. apply N. destruct y as [v i]. cbn [fst snd] in *.
      destruct (le_lt_dec i k) as [L|L].
      + apply (n_once _ _ _ _ _ _ _ _ R v w i Hy); [|exact E].
        split; [eapply keys_before; [apply Hk|exact L]|exact Gw].
      + apply (n_once _ _ _ _ _ _ _ _ R v w k); [|exact Hk|exact E].
        split; [eapply keys_before; [apply Hy|lia]|apply Hy].
    - rewrite !(n_alone _ _ _ _ _ _ _ _ R). reflexivity.
    - unfold SoloCopies.there in Es. rewrite <- Es. exact S.
  Qed.

  Lemma beside_not w q y : group m w = b -> group m (fst y) <> b -> beside p m w q y = false.
  Proof.
    intros Gw N. apply not_true_is_false. intros B. apply beside_iff in B as [_ [E _]]. congruence.
  Qed.

  (** *** Isolation *)

  Variables (iI iD : key -> nat).
  Hypothesis HI : iso_edges t mt iI iD.

  Lemma iso_copy w k : of m p b (w, k) ->
    (forall j, k = S j -> sec (get p (w, j)) = sec (get p (w, k)) -> iI (there (w, j))
      + takes (get p (w, j)) <= iI (there (w, k)))
    /\ (forall o, In o (ops (get p (w, k))) -> sec (get p (w, o)) = sec (get p (w, k)) ->
       iD (there (w, o)) + init (get p (w, o)) + lat (get p (w, o)) <= iI (there (w, k)))
    /\ iI (there (w, k)) <= iD (there (w, k))
    /\ (forall o, o < k -> sec (get p (w, o)) = sec (get p (w, k)) -> fu (get p (w, o))
         = fu (get p (w, k)) ->
       iD (there (w, o)) + init (get p (w, o)) <= iD (there (w, k))
       /\ match depth m with
          | None => True
          | Some 0 => iD (there (w, o)) + init (get p (w, o)) <= iI (there (w, k))
          | Some (S _) => iD (there (w, o)) <= iI (there (w, k))
          end).
  Proof.
    intros Hk. assert (forall j, j < k -> of m p b (w, j)) as Kj
      by (intros j L; split; [apply (keys_before p w k j); [apply Hk|lia]|apply Hk]).
    destruct (same_of _ Hk) as [_ [_ [So [Ss Su]]]]. cbv zeta in *.
    destruct (HI (wr w) k (of_there _ Hk)) as [H1 [H2 [H3 H4]]].
    rewrite (n_depth _ _ _ _ _ _ _ _ R) in H4. change (wr w, k) with (there (w, k)) in *.
    split; [|split; [|split]]; [| |exact H3|].
    - intros j -> S1. destruct (same_of _ (Kj j ltac:(lia))) as [Ei [_ [_ [Es _]]]]. cbv zeta in *.
      rewrite Ei. apply (H1 j eq_refl). change (wr w, j) with (there (w, j)). congruence.
    - intros o Ho S1. assert (o < k) as L by (apply (W w k (proj1 Hk)), Ho).
      destruct (same_of _ (Kj o L)) as [Ei [El [_ [Es _]]]]. cbv zeta in *. rewrite Ei, El.
      apply (H2 o); [rewrite <- So; exact Ho|]. change (wr w, o) with (there (w, o)). congruence.
    - intros o L S1 U1. destruct (same_of _ (Kj o L)) as [Ei [_ [_ [Es Eu]]]]. cbv zeta in *.
      rewrite Ei. apply (H4 o L).
      + change (wr w, o) with (there (w, o)). congruence.
      + change (wr w, o) with (there (w, o)). congruence.
  Qed.
End StayCopies.

(** ** Beside other thread blocks: [alpha] *)

(** Units of [p] that an instruction of [b] and one on another sub-core use are shared ones of
    [t]. *)
Definition shares_of (t : block) (m : machine) (p : block) (b : nat) (wr : nat -> nat)
  (shared : nat -> bool) : Prop :=
  forall x z, of m p b x -> In z (keys p) -> fu (get p z) = fu (get p x) ->
  core m (fst z) <> core m (fst x) ->
    shared (fu (get t (there wr x))) = true.

(** SIB on its slot is at most that of it as it is written. *)
Lemma sib_there t mt m p b wr un co shared iI iD : renamed t mt m p b wr un co -> wf p ->
  iso_edges t mt iI iD -> depth m = Some 0 \/ depth m = None -> shares_of t m p b wr shared ->
  exists jI jD, iso_edges p m jI jD /\ block_bound p m (sib_charge p m) jD b
    <= block_bound t mt (shared_charge t mt shared) iD 0.
Proof.
  intros R W HI Hd Sh.
  set (jI := fun x => if group m (fst x) =? b then iI (there wr x) else isoI_at p m x).
  set (jD := fun x => if group m (fst x) =? b then iD (there wr x) else isoD_at p m x).
  assert (iso_edges p m jI jD) as HJ.
  { intros w k Hk. unfold jI, jD. cbn [fst]. destruct (Nat.eqb_spec (group m w) b) as [G|N].
    - apply (iso_copy t mt m p b wr un co R W iI iD HI w k (conj Hk G)).
    - apply (iso_at_edges p m W w k Hk). }
  exists jI, jD. split; [exact HJ|].
  apply (bound_copy t mt m p b wr un co R).
  - intros x [_ G]. unfold jD. rewrite G, Nat.eqb_refl. apply le_n.
  - intros [w k] Hx. pose proof Hx as [_ G]. cbn [fst] in G |- *.
    apply (sum_copy t mt m p b wr un co R).
    + intros y Hy. unfold sib_charge, shared_charge. destruct (beside p m w _ y) eqn:B; [|lia].
      rewrite (beside_copy t mt m p b wr un co R w _ y G Hy (ex_intro _ k Hx) B).
      destruct (in_reach p m (core m w) (fu (get p y))) eqn:E; [|lia].
      assert ((core mt (fst (there wr y)) =? core mt (wr w)) || shared (fu (get t (there wr y)))
        = true) as ->.
      { unfold in_reach in E. apply existsb_exists in E as [z [Hz E]].
        rewrite andb_true_iff, Nat.eqb_eq in E. destruct E as [Ez Fz]. unfold on in Fz.
        apply Nat.eqb_eq in Fz. apply orb_true_iff.
        destruct (Nat.eq_dec (core m w) (core m (fst y))) as [C|C].
        - left. unfold there. cbn [fst]. rewrite (n_core _ _ _ _ _ _ _ _ R y Hy).
          pose proof (n_core _ _ _ _ _ _ _ _ R (w, k) Hx) as Cw. cbn [fst] in Cw. rewrite Cw, C.
          apply Nat.eqb_refl.
        - right. apply (Sh y z Hy Hz Fz). congruence. }
      destruct (same_of t mt m p b wr un co R y Hy) as [Ei _]. cbv zeta in Ei. unfold cost.
      rewrite (n_depth _ _ _ _ _ _ _ _ R). destruct Hd as [-> | ->]; lia.
    + intros y Hy N. unfold sib_charge. rewrite (beside_not m p b w _ y G N). reflexivity.
Qed.

(** SIB of a thread block as it is written bounds its stay on a slot. *)
Theorem stay_copy t mt m p b wr un co shared iI iD : renamed t mt m p b wr un co ->
  machine_ok m -> wf p ->
  iso_edges t mt iI iD -> depth m = Some 0 \/ depth m = None -> shares_of t m p b wr shared ->
  stay_bound m p b (block_bound t mt (shared_charge t mt shared) iD 0).
Proof.
  intros R M W HI Hd Sh s t0 e x V Ht He Hx.
  destruct (sib_there t mt m p b wr un co shared iI iD R W HI Hd Sh) as [jI [jD [HJ Le]]].
  pose proof (stay_sib m p b jI jD M W HJ Hd s t0 e x V Ht He Hx). lia.
Qed.

(** ** By itself: [solo], and the first term of docs/wave-bounds.md, theorem 1 *)

Lemma of_only m b p x : of m (only m b p) b x <-> of m p b x.
Proof. unfold of at 1. rewrite keys_only. unfold of. tauto. Qed.

Lemma renamed_only t mt m p b wr un co : renamed t mt m p b wr un co ->
  renamed t mt m (only m b p) b wr un co.
Proof.
  intros R. constructor; try apply R.
  - intros w k H. apply (n_in _ _ _ _ _ _ _ _ R), of_only, H.
  - intros v k H. destruct (n_onto _ _ _ _ _ _ _ _ R v k H) as [w [Hw E]]. exists w.
    split; [apply (proj2 (of_only m b p _)), Hw|exact E].
  - intros w v k H1 H2.
    apply (n_once _ _ _ _ _ _ _ _ R w v k); apply (proj1 (of_only m b p _)); assumption.
  - intros w k H. apply (proj1 (of_only m b p _)) in H. rewrite (get_of m b p _ H).
    apply (n_same _ _ _ _ _ _ _ _ R w k H).
  - intros x y Hx Hy. apply (proj1 (of_only m b p _)) in Hx, Hy.
    rewrite (get_of m b p x Hx), (get_of m b p y Hy). apply (n_unit _ _ _ _ _ _ _ _ R); assumption.
  - intros x Hx. apply (proj1 (of_only m b p _)) in Hx. rewrite (get_of m b p x Hx).
    apply (n_inst _ _ _ _ _ _ _ _ R), Hx.
  - intros x Hx. apply (n_core _ _ _ _ _ _ _ _ R), (proj1 (of_only m b p _)), Hx.
  - intros x y Hx Hy.
    apply (n_cores _ _ _ _ _ _ _ _ R); apply (proj1 (of_only m b p _)); assumption.
Qed.

Section Functions.
  Variables (t : block) (mt m : machine) (p : block) (b : nat) (wr un co : nat -> nat).
  Hypotheses (R : renamed t mt m p b wr un co) (W : wf p).
  Notation o := (only m b p).
  Notation there := (there wr).
  Let Ro : renamed t mt m o b wr un co := renamed_only t mt m p b wr un co R.
  Hypothesis Wt : wf t.

  Lemma all_own x : In x (keys o) -> of m o b x.
  Proof. intros H. split; [exact H|]. apply keys_only in H. apply H. Qed.

  Lemma iso_there x : of m o b x -> isoD_at o m x <= isoD_at t mt (there x).
  Proof.
    destruct x as [w k]. intros Hx. apply (iso_at_least o m (wf_only m b p W) (fun x =>
      isoI_at t mt (there x)) (fun x => isoD_at t mt (there x))); [|apply Hx]. intros v i Hi.
    apply (iso_copy t mt m o b wr un co Ro (wf_only m b p W) _ _ (iso_at_edges t mt Wt) v i
      (all_own _ Hi)).
  Qed.

  Lemma cost_there y : of m o b y -> cost o m y <= cost t mt (there y).
  Proof.
    intros Hy. destruct (same_of t mt m o b wr un co Ro y Hy) as [Ei [_ [_ [_ Eu]]]]. cbv zeta in *.
    unfold cost. rewrite (n_depth _ _ _ _ _ _ _ _ R). destruct (depth m) as [[|d]|]; [lia| |lia].
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [x [<- Hx]].
    apply filter_In in Hx as [Hx F]. apply Nat.eqb_eq in F.
    destruct (same_of t mt m o b wr un co Ro x (all_own x Hx)) as [Ex [_ [_ [_ Ux]]]].
    cbv zeta in *. rewrite Ex, Eu, <- F, <- Ux.
    apply cmax_ge, (of_there t mt m o b wr un co Ro), all_own, Hx.
  Qed.

  (** *** SIB and FIB as functions *)
  Theorem SIB_copy : SIB_at o m b <= SIB_at t mt 0.
  Proof.
    apply (bound_copy t mt m o b wr un co Ro); [exact iso_there|]. intros [w k] Hx.
    pose proof Hx as [_ G]. cbn [fst] in G |- *. apply (sum_copy t mt m o b wr un co Ro).
    - intros y Hy. unfold sib_charge. destruct (beside o m w _ y) eqn:B; [|lia].
      rewrite (beside_copy t mt m o b wr un co Ro w _ y G Hy (ex_intro _ k Hx) B).
      destruct (in_reach o m (core m w) (fu (get o y))) eqn:E; [|lia].
      assert (in_reach t mt (core mt (wr w)) (fu (get t (there y))) = true) as ->;
        [|apply cost_there, Hy]. unfold in_reach in E |- *. apply existsb_exists in E as [z [Hz E]].
      rewrite andb_true_iff, Nat.eqb_eq in E. destruct E as [Ez Fz]. apply Nat.eqb_eq in Fz.
      apply existsb_exists. exists (there z).
      split; [apply (of_there t mt m o b wr un co Ro), all_own, Hz|].
      destruct (same_of t mt m o b wr un co Ro z (all_own z Hz)) as [_ [_ [_ [_ Uz]]]],
        (same_of t mt m o b wr un co Ro y Hy) as [_ [_ [_ [_ Uy]]]]. cbv zeta in *. unfold on.
      rewrite Uz, Uy, Fz, Nat.eqb_refl. unfold SoloCopies.there. cbn [fst].
      pose proof (n_core _ _ _ _ _ _ _ _ Ro (w, k) Hx) as Cw. cbn [fst] in Cw.
      rewrite (n_core _ _ _ _ _ _ _ _ Ro z (all_own z Hz)), Cw, Ez, Nat.eqb_refl. reflexivity.
    - intros y Hy N. unfold sib_charge. rewrite (beside_not m o b w _ y G N). reflexivity.
  Qed.

  (** FIB of a thread block on a slot is at most FIB as it is written. *)
  Theorem FIB_copy : FIB_at o m b <= FIB_at t mt 0.
  Proof.
    apply (bound_copy t mt m o b wr un co Ro); [exact iso_there|]. intros [w k] Hx.
    pose proof Hx as [_ G]. cbn [fst] in G |- *. set (q := sec (get o (w, k))).
    apply (sum_copy t mt m o b wr un co Ro).
    - intros y Hy. unfold fib_charge. destruct (beside o m w q y) eqn:B; [|lia].
      rewrite (beside_copy t mt m o b wr un co Ro w q y G Hy (ex_intro _ k Hx) B).
      destruct (same_of t mt m o b wr un co Ro y Hy) as [Ei [_ [_ [_ Uy]]]]. cbv zeta in *.
      pose proof (cost_there y Hy).
      pose proof (cost_init t mt (there y) (of_there t mt m o b wr un co Ro y Hy)).
      destruct (uses o w q (fu (get o y))) eqn:E.
      + assert (uses t (wr w) q (fu (get t (there y))) = true) as ->; [|assumption].
        unfold uses in E |- *. apply existsb_exists in E as [z [Hz E]].
        rewrite !andb_true_iff, !Nat.eqb_eq in E. destruct E as [[Ez Sz] Fz].
        apply Nat.eqb_eq in Fz. apply existsb_exists. exists (there z).
        split; [apply (of_there t mt m o b wr un co Ro), all_own, Hz|].
        destruct (same_of t mt m o b wr un co Ro z (all_own z Hz)) as [_ [_ [_ [Es Uz]]]].
        cbv zeta in *. unfold on. rewrite <- Es, Sz, Uz, Uy, Fz, !Nat.eqb_refl.
        unfold SoloCopies.there. cbn [fst]. rewrite Ez, Nat.eqb_refl. reflexivity.
      + replace (core mt (fst (there y))) with (co (core m (fst y)))
          by (symmetry; apply (n_core _ _ _ _ _ _ _ _ Ro y Hy)).
        replace (core mt (wr w)) with (co (core m w))
          by (symmetry; apply (n_core _ _ _ _ _ _ _ _ Ro (w, k) Hx)).
        destruct (Nat.eqb_spec (core m (fst y)) (core m w)) as [->|N]; [rewrite Nat.eqb_refl|];
          destruct (uses t _ _ _); lia.
    - intros y Hy N. unfold fib_charge. rewrite (beside_not m o b w q y G N). reflexivity.
  Qed.
End Functions.
