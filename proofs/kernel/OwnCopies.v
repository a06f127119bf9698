(** * Alignments of a thread block's own warps are those of it as it is written
    (docs/wave-bounds.md, theorem 2) *)

From Warpbound Require Import Base Cycles Largest Model Potential Bounds Graph Aln Stay Copies
  SoloCopies StayCopies WaveSib WaveMean TeamCopies.
From Warpbound Require Instances.

Section Own.
  Variables (t : block) (mt m : machine) (p : block) (g : nat) (wr un co : nat -> nat).
  Hypotheses (R : renamed t mt m p g wr un co) (W : wf p).
  (* at finite depths each initiation counts as the longest on its unit: no other thread block has a
      longer one *)
  Hypothesis Same : same_cost p m g.
  Notation there := (there wr).

  Lemma own_charge w n y : of m p g (w, snd n) -> of m p g y ->
    charge m p no_unit w n y <= charge mt t no_unit (wr w) n (there y).
  Proof.
    destruct n as [d k]. cbn [snd]. intros Hk Hy.
    destruct (n_same _ _ _ _ _ _ _ _ R w k Hk) as [Ei [_ [_ [Es Eu]]]].
    destruct (same_of _ _ _ _ _ _ _ _ R y Hy) as [Ey [_ [_ [Sy Uy]]]]. cbv zeta in *. unfold charge.
    rewrite <- Ei, <- Es, <- Sy. destruct (_ && _); [|apply le_n]. cbn [no_unit].
    assert ((fu (get t (there y)) =? fu (get t (wr w, k))) = (fu (get p y) =? fu (get p (w, k))))
      as E.
    { rewrite Uy, Eu. apply eq_true_iff_eq. rewrite !Nat.eqb_eq.
      split; [apply (n_unit _ _ _ _ _ _ _ _ R); assumption|congruence]. }
    assert (slot m p w y <= slot mt t (wr w) (there y)) as Sl.
    { unfold slot. rewrite <- Ey.
      destruct (Nat.eqb_spec (core m (fst y)) (core m w)) as [C|]; [|lia].
      pose proof (n_core _ _ _ _ _ _ _ _ R y Hy) as C1.
      pose proof (n_core _ _ _ _ _ _ _ _ R _ Hk) as C2. unfold SoloCopies.there. cbn [fst] in *.
      rewrite C1, C2, C, Nat.eqb_refl. apply le_n. }
    assert (hold m p y <= hold mt t (there y)) as Ho.
    { pose proof (Same y Hy) as S. pose proof (cost_there t mt m p g wr un co R y) as Ct.
      specialize (Ct ltac:(split; [apply keys_only, Hy|apply Hy])). rewrite <- S in Ct.
      unfold hold, cost in *. rewrite (n_depth _ _ _ _ _ _ _ _ R) in *. clear S.
      destruct (depth m) as [[|e]|]; try lia; exact Ct. }
    unfold charge_D, charge_I. cbn [fst]. rewrite E, <- Ey.
    destruct (fu (get p y) =? fu (get p (w, k))), d; lia.
  Qed.

  (** The warps of it on its SM, and as it is written, those without instructions, too. *)
  Variables ws wst : list nat.
  Hypothesis Ws : NoDup ws /\ forall x, of m p g x -> In (fst x) ws.
  Hypothesis Into : forall u, In u ws -> group m u = g /\ In (wr u) wst.
  Hypothesis Once : forall u v, In u ws -> In v ws -> wr u = wr v -> u = v.

  Lemma own_of u k : In u ws -> k < len p u -> of m p g (u, k).
  Proof.
    intros Hu L. split; [|apply (Into u Hu)]. apply in_keys. split; [|exact L].
    destruct (le_lt_dec (length p) u) as [N|N]; [|exact N]. unfold len in L.
    rewrite nth_overflow in L by exact N. cbn in L. lia.
  Qed.

  Lemma own_length u : In u ws -> len p u = len t (wr u).
  Proof.
    intros Hu. destruct (le_lt_dec (len p u) 0) as [Z|P].
    - destruct (le_lt_dec (len t (wr u)) 0) as [|L]; [lia|exfalso].
      assert (In (wr u, 0) (keys t)) as H.
      { apply in_keys. split; [|exact L].
        destruct (le_lt_dec (length t) (wr u)) as [N|N]; [|exact N]. unfold len in L.
        rewrite nth_overflow in L by exact N. cbn in L. lia. }
      destruct (n_onto _ _ _ _ _ _ _ _ R _ _ H) as [v [Hv E]].
      rewrite (Once v u (proj2 Ws _ Hv) Hu E) in Hv. destruct Hv as [Hv _]. apply in_keys in Hv.
      lia.
    - apply (len_copy t mt m p g wr un co R u); [apply (Into u Hu)|exact P].
  Qed.

  Variables (A : nat -> nat -> node -> nat -> nat).  (* of warps as they are written *)
  Definition own_table (w u : nat) : node -> nat -> nat := A (wr w) (wr u).

  (** *** Their certificates hold on the SM, *)
  Theorem own_cert w u c : In w ws -> In u ws ->
    align_cert mt t (wr w) (wr u) c (A (wr w) (wr u)) -> align_cert m p w u c (own_table w u).
  Proof.
    intros Hw Hu HA n Hn.
    assert (of m p g (w, snd n)) as On by (split; [exact Hn|apply (Into w Hw)]).
    destruct (HA n (n_in _ _ _ _ _ _ _ _ R w (snd n) On)) as [H1 H2].
    rewrite <- (own_length u Hu) in H1, H2. split.
    - intros e j He Hj. rewrite (edges_copy t mt m p g wr un co R W w n On) in He.
      apply H1; assumption.
    - intros j Hj. specialize (H2 j Hj).
      pose proof (Nat.mul_le_mono_l _ _ c (own_charge w n (u, j) On (own_of u j Hu Hj))) as C.
      unfold own_table, SoloCopies.there in *. cbn [fst snd] in C. lia.
  Qed.

  (** *** and they add up to no more. *)
  Theorem own_written q : own_start p ws own_table q <= own_start t wst A q.
  Proof.
    induction q as [|q IH]; [apply le_n|]. cbn [own_start]. apply Nat.add_le_mono; [exact IH|].
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [w [<- Hw]].
    destruct (Into w Hw) as [Gw Tw]. transitivity (sum (align t A q (wr w)) (fellows wst (wr w))).
    - transitivity (sum (fun u => align t A q (wr w) (wr u)) (fellows ws w)).
      + apply sum_le. intros u Hu. apply filter_In in Hu as [Hu _]. unfold align.
        apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [k [<- Hk]].
        apply filter_In in Hk as [Hk Sk]. apply in_seq in Hk. apply Nat.eqb_eq in Sk.
        assert (of m p g (w, k)) as O by (apply own_of; [exact Hw|lia]).
        destruct (n_same _ _ _ _ _ _ _ _ R w k O) as [-> [-> [_ [Es _]]]].
        rewrite (own_length u Hu). unfold own_table. apply list_max_ge, in_map_iff. exists k.
        split; [reflexivity|]. apply filter_In. split; [|apply Nat.eqb_eq; congruence].
        apply in_seq. rewrite <- (own_length w Hw). lia.
      + apply (sum_into Nat.eq_dec _ (align t A q (wr w)) wr); [apply NoDup_filter, Ws| |].
        * intros u Hu _. split; [|apply le_n]. apply filter_In in Hu as [Hu N].
          apply negb_true_iff, Nat.eqb_neq in N. apply filter_In. split; [apply (Into u Hu)|].
          apply negb_true_iff, Nat.eqb_neq. intros E. apply N, (Once u w Hu Hw E).
        * intros u v Hu Hv _ _. apply filter_In in Hu as [Hu _], Hv as [Hv _].
          apply Once; assumption.
    - apply (list_max_in_ge (fun v => sum (align t A q v) (fellows wst v)) wst (wr w) Tw).
  Qed.
End Own.
