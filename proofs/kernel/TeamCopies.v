(** * Teams of copies: alignments of thread blocks as they are written (docs/wave-bounds.md, theorem
    2)

    [tg] is the thread block that is walked along as it is written, [th] the one whose warps are
    teams. On the SM both are copies, on whatever slots, where their units and sub-cores are called
    otherwise. What their sub-cores have alike is of one kind: [kg] and [kh] say of which a unit is.
     Every warp of a team is charged as one of the sub-core of the chain. *)

From Warpbound Require Import Base Cycles Model Queue Potential Bounds Graph Stay SoloCopies
  StayCopies WaveMean Teams.

(** ** Edges of a copy *)

Lemma last_before_ext q q' k : (forall j, j < k -> q j = q' j) ->
  last_before q k = last_before q' k.
Proof.
  induction k as [|k IH]; intros H; [reflexivity|]. cbn [last_before]. rewrite (H k) by lia.
  destruct (q' k); [reflexivity|]. apply IH. intros j L. apply H. lia.
Qed.

Section Edges.
  Variables (t : block) (mt m : machine) (p : block) (g : nat) (wr un co : nat -> nat).
  Hypotheses (R : renamed t mt m p g wr un co) (W : wf p).

  Lemma own_before_of w k j : of m p g (w, k) -> j <= k -> of m p g (w, j).
  Proof. intros [H G] L. split; [eapply keys_before; eassumption|exact G]. Qed.

  Lemma same_unit_there w j k : of m p g (w, j) -> of m p g (w, k) ->
    (fu (get t (wr w, j)) =? fu (get t (wr w, k))) = (fu (get p (w, j)) =? fu (get p (w, k))).
  Proof.
    intros Hj Hk. destruct (n_same _ _ _ _ _ _ _ _ R w j Hj) as [_ [_ [_ [_ Ej]]]],
      (n_same _ _ _ _ _ _ _ _ R w k Hk) as [_ [_ [_ [_ Ek]]]]. rewrite Ej, Ek. apply eq_true_iff_eq.
    rewrite !Nat.eqb_eq. split; [apply (n_unit _ _ _ _ _ _ _ _ R); assumption|congruence].
  Qed.

  Lemma previous_copy w k : of m p g (w, k) -> previous p w k = previous t (wr w) k.
  Proof.
    intros Hk. unfold previous. destruct (n_same _ _ _ _ _ _ _ _ R w k Hk) as [Ei [_ [_ [Es _]]]].
    cbv zeta in *. rewrite Ei. destruct (1 <=? _); [|reflexivity]. apply last_before_ext.
    intros j L. pose proof (own_before_of w k j Hk ltac:(lia)) as Hj.
    destruct (n_same _ _ _ _ _ _ _ _ R w j Hj) as [_ [_ [_ [Esj _]]]]. cbv zeta in Esj.
    rewrite <- (same_unit_there w j k Hj Hk), Esj, Es. reflexivity.
  Qed.

  Lemma edges_copy w n : of m p g (w, snd n) -> edges m p no_unit no_queue w n
    = edges mt t no_unit no_queue (wr w) n.
  Proof.
    destruct n as [d k]. cbn [snd]. intros Hk.
    pose proof (n_same _ _ _ _ _ _ _ _ R w k Hk) as [_ [_ [Eo [Es _]]]]. cbv zeta in *.
    assert (forall j, j < k -> init (get p (w, j)) = init (get t (wr w, j)) /\ lat (get p (w, j))
      = lat (get t (wr w, j)) /\ sec (get p (w, j)) = sec (get t (wr w, j))) as Old.
    { intros j L. destruct (n_same _ _ _ _ _ _ _ _ R w j (own_before_of w k j Hk ltac:(lia)))
        as [E1 [E2 [_ [E3 _]]]]. auto. }
    assert (forall o, In o (previous p w k) -> o < k) as Pk.
    { intros o Ho. apply previous_in in Ho. apply Ho. }
    unfold edges. cbv zeta. cbn [no_unit].
    rewrite <- (previous_copy w k Hk), (n_depth _ _ _ _ _ _ _ _ R). destruct d.
    - f_equal. apply map_ext_in. intros o Ho. destruct (Old o (Pk o Ho)) as [-> _]. reflexivity.
    - f_equal; [|f_equal].
      + destruct k as [|j]; [reflexivity|]. destruct (Old j ltac:(lia)) as [E1 [_ E3]].
        rewrite <- E3, <- Es, <- E1. reflexivity.
      + rewrite <- Eo.
        assert (forall q, In q (ops (get p (w, k))) -> q < k) as Op by (apply (W w k (proj1 Hk))).
        rewrite Es. clear Eo. revert Op.
        induction (ops (get p (w, k))) as [|q l IH]; intros Op; [reflexivity|]. cbn [filter].
        destruct (Old q (Op q (or_introl eq_refl))) as [E1 [E2 E3]]. rewrite E3.
        specialize (IH (fun r Hr => Op r (or_intror Hr))).
        destruct (_ =? _); [cbn [map]; rewrite IH, E1, E2; reflexivity|exact IH].
      + destruct (depth m) as [[|d]|]; [|reflexivity|reflexivity]. apply map_ext_in. intros o Ho.
        destruct (Old o (Pk o Ho)) as [-> _]. reflexivity.
  Qed.
End Edges.

(** ** Alignments as they are written *)

(** What [y] of [th] costs at a node of [tg]; [ct y] is what it can hold a unit up. *)
Definition written_charge (mt : machine) (tg th : block) (kg kh : nat -> nat) (ct : key -> nat)
  (w : nat) (n : node) (y : key) : nat :=
  let (d, k) := n in
  let same := kh (fu (get th y)) =? kg (fu (get tg (w, k))) in
  if 1 <=? init (get tg (w, k)) then
    if d then if same then init (get th y) else 0
    else max (takes (get th y)) (if same then match depth mt with None => 0 | _ => ct y end else 0)
  else 0.

(** As [team_cert] (Teams.v), of warps [vs] of [th]. *)
Definition written_cert (mt : machine) (tg th : block) (kg kh : nat -> nat) (ct : key -> nat)
    (c : nat) (vs : list nat) (T : nat -> node -> nat -> nat -> nat) : Prop :=
  forall w n, In (w, snd n) (keys tg) ->
    (forall v e i, In v vs -> In e (edges mt tg no_unit no_queue w n) -> i <= len th v ->
      T w (fst e) v i + snd e <= T w n v i)
    /\ (forall x v i, In x (keys tg) -> sec (get tg x) < sec (get tg (w, snd n)) -> In v vs -> i
         <= len th v ->
         T (fst x) (true, snd x) v i + init (get tg x) + lat (get tg x) <= T w n v i)
    /\ (forall x v u j, In x (keys tg) -> sec (get tg x) < sec (get tg (w, snd n)) -> In v vs ->
         In u vs ->
         T (fst x) (true, snd x) v (from th v j) + init (get tg x) + lat (get tg x)
           <= T w n u (from th u j))
    /\ (forall v i, In v vs -> i < len th v ->
         T w n v i + c * written_charge mt tg th kg kh ct w n (v, i) <= T w n v (S i)).

Section Teams.
  Variables (tg th : block) (mg mh m : machine) (p : block) (g h : nat)
    (wg ug cg wh uh ch : nat -> nat).
  Hypotheses (Rg : renamed tg mg m p g wg ug cg) (Rh : renamed th mh m p h wh uh ch) (W : wf p).
  Variables (kg kh : nat -> nat) (ct : key -> nat).
  Hypothesis Kinds : forall x y, of m p g x -> of m p h y -> fu (get p y) = fu (get p x) ->
    kh (fu (get th (there wh y))) = kg (fu (get tg (there wg x))).
  Hypothesis Cost : forall y, of m p h y -> cost p m y <= ct (there wh y).

  Lemma len_copy v : group m v = h -> 0 < len p v -> len p v = len th (wh v).
  Proof.
    intros Gv Pv. assert (forall k, k < len p v -> of m p h (v, k)) as Own.
    { intros k L. split; [|exact Gv]. apply in_keys. split; [|exact L].
      destruct (le_lt_dec (length p) v) as [N|N]; [|exact N]. unfold len in Pv.
      rewrite nth_overflow in Pv by exact N. cbn in Pv. lia. }
    apply Nat.le_antisymm.
    - pose proof (n_in _ _ _ _ _ _ _ _ Rh v (len p v - 1) (Own (len p v - 1) ltac:(lia))) as H.
      apply in_keys in H. lia.
    - destruct (le_lt_dec (len th (wh v)) (len p v)) as [L|L]; [exact L|exfalso].
      pose proof (n_in _ _ _ _ _ _ _ _ Rh v 0 (Own 0 Pv)) as H0. apply in_keys in H0 as [H0 _].
      destruct (n_onto _ _ _ _ _ _ _ _ Rh (wh v) (len p v) ltac:(apply in_keys; lia)) as [u [Hu E]].
      assert (u = v) as -> by (apply (n_once _ _ _ _ _ _ _ _ Rh u v 0);
        [eapply own_before_of; [exact Hu|lia]|apply Own, Pv|exact E]). destruct Hu as [Hu _].
      apply in_keys in Hu. lia.
  Qed.

  Lemma from_copy v j : group m v = h -> 0 < len p v -> from p v j = from th (wh v) j.
  Proof.
    intros Gv Pv. unfold from. rewrite <- (len_copy v Gv Pv).
    assert (forall i, i < len p v -> sec (get p (v, i)) = sec (get th (wh v, i))) as S.
    { intros i L. destruct (n_same _ _ _ _ _ _ _ _ Rh v i) as [_ [_ [_ [E _]]]]; [|exact E].
      split; [|exact Gv]. apply in_keys. split; [|exact L].
      destruct (le_lt_dec (length p) v) as [N|N]; [|exact N]. unfold len in Pv.
      rewrite nth_overflow in Pv by exact N. cbn in Pv. lia. }
    apply Nat.le_antisymm; apply behind_le; intros i L E; apply behind_gt; auto;
      [rewrite <- (S i L)|rewrite (S i L)]; exact E.
  Qed.

  Lemma charge_copy w n y : of m p g (w, snd n) -> of m p h y ->
    charge_any m p w n y <= written_charge mg tg th kg kh ct (wg w) n (there wh y).
  Proof.
    destruct n as [d k]. cbn [snd]. intros Hk Hy. unfold charge_any, written_charge.
    destruct (n_same _ _ _ _ _ _ _ _ Rg w k Hk) as [Ei _].
    destruct (same_of _ _ _ _ _ _ _ _ Rh y Hy) as [Eh _]. cbv zeta in *.
    rewrite <- Ei, <- Eh, (n_depth _ _ _ _ _ _ _ _ Rg).
    destruct (1 <=? init (get p (w, k))); [|lia]. pose proof (Kinds (w, k) y Hk Hy) as K.
    change (wg w, k) with (there wg (w, k)).
    assert (hold m p y <= match depth m with None => 0 | _ => ct (there wh y) end) as Ho.
    { pose proof (Cost y Hy) as C. unfold hold, cost in *. destruct (depth m) as [[|e]|]; lia. }
    assert (slot m p w y <= takes (get p y)) as Sl by (unfold slot; destruct (_ =? _); lia).
    unfold charge_D, charge_I. cbn [fst].
    destruct (Nat.eqb_spec (fu (get p y)) (fu (get p (w, k)))) as [E|N].
    - rewrite (proj2 (Nat.eqb_eq _ _) (K E)). destruct d; lia.
    - destruct d; [lia|]. destruct (_ =? _); lia.
  Qed.

  (** *** The team's certificate on the SM *)
  Theorem team_copy c vs tm T : written_cert mg tg th kg kh ct c vs T ->
    (forall v, In v tm -> group m v = h /\ 0 < len p v /\ In (wh v) vs) ->
    team_cert m p g c tm (fun w n v i => T (wg w) n (wh v) i).
  Proof.
    intros HT Tm w n Hn.
    destruct (HT (wg w) n (n_in _ _ _ _ _ _ _ _ Rg w (snd n) Hn)) as [H1 [H2 [H3 H4]]].
    destruct (n_same _ _ _ _ _ _ _ _ Rg w (snd n) Hn) as [_ [_ [_ [Sn _]]]]. cbv zeta in Sn.
    assert (forall x, of m p g x -> In (there wg x) (keys tg) /\ init (get p x)
      = init (get tg (there wg x)) /\ lat (get p x) = lat (get tg (there wg x)) /\
      sec (get p x) = sec (get tg (there wg x))) as Own.
    { intros x Hx. destruct (same_of _ _ _ _ _ _ _ _ Rg x Hx) as [E1 [E2 [_ [E3 _]]]].
      split; [apply (of_there _ _ _ _ _ _ _ _ Rg x Hx)|auto]. }
    split; [|split; [|split]].
    - intros v e i Hv He Hi. destruct (Tm v Hv) as [G [P V]].
      rewrite (edges_copy tg mg m p g wg ug cg Rg W w n Hn) in He. apply (H1 (wh v) e i V He).
      rewrite <- (len_copy v G P). exact Hi.
    - intros x v i Hx L Hv Hi. destruct (Tm v Hv) as [G [P V]].
      destruct (Own x Hx) as [K [E1 [E2 E3]]]. rewrite E1, E2.
      apply (H2 (there wg x) (wh v) i K); [lia|exact V|rewrite <- (len_copy v G P); exact Hi].
    - intros x v u j Hx L Hv Hu. destruct (Tm v Hv) as [Gv [Pv Vv]], (Tm u Hu) as [Gu [Pu Vu]].
      destruct (Own x Hx) as [K [E1 [E2 E3]]].
      rewrite E1, E2, (from_copy v j Gv Pv), (from_copy u j Gu Pu).
      apply (H3 (there wg x) (wh v) (wh u) j K); [lia|exact Vv|exact Vu].
    - intros v i Hv Hi. destruct (Tm v Hv) as [G [P V]].
      assert (of m p h (v, i)) as Hy.
      { split; [|exact G]. apply in_keys. split; [|exact Hi].
        destruct (le_lt_dec (length p) v) as [N|N]; [|exact N]. unfold len in P.
        rewrite nth_overflow in P by exact N. cbn in P. lia. }
      pose proof (Nat.mul_le_mono_l _ _ c (charge_copy w n (v, i) Hn Hy)) as C.
      specialize (H4 (wh v) i V ltac:(rewrite <- (len_copy v G P); exact Hi)). unfold there in C.
      cbn [fst snd] in C. lia.
  Qed.
End Teams.
