(** * L' and V' of K-OLDEST as functions: the serial time of the block with its pauses *)

From Warpbound Require Import Base Cycles Largest Model Serial SerialPaths Oldest OldestStay Forward
  Serials.

Section Oldests.
  Variables (m : machine) (p : block) (hold : nat -> nat).

  (** A block as it is written, with a pause before each instruction. *)
  Definition with_pauses : block := elders m (fun _ => 0) hold 0 p.

  (** V', as extracted. *)
  Definition OLDEST_fast (home : nat -> option nat) (cs : list nat) (g : nat) : nat :=
    SERIAL_fast m with_pauses home cs g.

  (** Lambda'. *)
  Definition held_lam_fast (cs : list nat) (g : nat) : nat :=
    let o := with_pauses in
    let t := chain_to_fast m o in
    sum (fun q => list_max (map (fun c => chain_by m o (found 0 t) g c q) cs))
      (seq 0 (S (last_section m o g))).

  Hypothesis W : wf p.
  Notation o := with_pauses.
  Notation grp x := (group m (fst x)).

  Lemma pauses_wf : wf o.
  Proof. apply elders_wf, W. Qed.

  Lemma pauses_key w k : In (w, k) (keys p) -> In (w, 2 * k) (keys o) /\ In (w, behind k) (keys o)
    /\ get o (w, 2 * k) = pause hold (S (list_max (map (fun x => fu (get p x)) (keys p))))
         (get p (w, k))
    /\ get o (w, behind k) = paused k (get p (w, k)).
  Proof.
    intros H. unfold with_pauses. rewrite !elders_keys. cbn [Nat.leb].
    destruct (elders_get m p (fun _ => 0) hold 0 w k eq_refl H) as [G1 G2]. repeat split; eauto.
  Qed.

  Lemma pauses_read w j q : read_before o w (behind j) q -> read_before p w j q.
  Proof.
    intros [z [Hz [Ho Hs]]]. apply elders_keys in Hz as [_ [k [Hk E]]].
    destruct (pauses_key w k Hk) as [_ [_ [G1 G2]]]. exists k. split; [exact Hk|].
    destruct E as [->| ->]; rewrite ?G1, ?G2 in *; cbn [ops sec pause paused] in *;
      (split; [|exact Hs]).
    - apply in_map_iff in Ho as [c [E Hc]]. unfold behind in E. replace j with c by lia. exact Hc.
    - destruct Ho as [E|Ho]; [unfold behind in E; lia|]. apply in_map_iff in Ho as [c [E Hc]].
      unfold behind in E. replace j with c by lia. exact Hc.
  Qed.

  (** What respects the edges of the block with pauses is L'_c(j). *)
  Theorem pauses_section L : section_cert m o L ->
    held_section_cert m p hold (fun x => L (fst x, behind (snd x))).
  Proof.
    intros HL w k Hk. cbv zeta. cbn [fst snd]. destruct (pauses_key w k Hk) as [K1 [K2 [G1 G2]]].
    set (i := get p (w, k)) in *. set (a := wait_of hold i) in *. destruct (W w k Hk) as [_ [Wp _]].
    destruct (HL w (2 * k) K1) as [P1 [P2 [P3 P4]]], (HL w (behind k) K2) as [_ [Q2 _]].
    rewrite G1 in P1, P2, P3, P4. rewrite G2 in Q2. cbn [ops sec pause paused] in *.
    specialize (Q2 (2 * k) (or_introl eq_refl)). rewrite G1 in Q2. cbn [sec lat pause] in Q2.
    fold a in Q2. specialize (Q2 eq_refl).
    assert (forall j, j < k -> get o (w, behind j) = paused j (get p (w, j))) as Gj.
    { intros j Hj. apply (pauses_key w j (keys_before _ _ _ j Hk ltac:(lia))). }
    split; [lia|]. split; [|split; [|split]].
    - intros j -> E. specialize (P1 (behind j) ltac:(unfold behind; lia)). rewrite Gj in P1 by lia.
      specialize (P1 E). lia.
    - intros j Hj E. specialize (P2 (behind j) (in_map behind _ _ Hj)).
      rewrite Gj in P2 by (apply Wp, Hj). specialize (P2 E). cbn [lat paused] in P2. lia.
    - intros j Hj E. specialize (P3 (behind j) (in_map behind _ _ Hj)).
      rewrite Gj in P3 by (apply Wp, Hj). cbn [sec lat paused] in P3.
      destruct (P3 E) as [A|A]; [left; lia|right; split; [apply pauses_read, A|lia]].
    - intros y Hy Gy Sy. destruct y as [v n]. destruct (pauses_key v n Hy) as [_ [Y2 [_ Y4]]].
      specialize (P4 (v, behind n) Y2 Gy). rewrite Y4 in P4. specialize (P4 Sy). lia.
  Qed.

  Theorem pauses_chains L g last Q : section_chains m o L g last Q ->
    section_chains m p (fun x => L (fst x, behind (snd x))) g last Q.
  Proof.
    intros HQ w k Hk Hg. destruct (pauses_key w k Hk) as [_ [K2 [_ G2]]].
    destruct (HQ w (behind k) K2 Hg) as [Q1 [Q2 [Q3 Q4]]]. rewrite G2 in *.
    cbn [sec lat paused fst snd] in *. split; [exact Q1|]. split; [exact Q2|]. split; [exact Q3|].
    intros H. destruct (Q4 H) as [A|A]; [left; exact A|right; apply pauses_read, A].
  Qed.

  (** *** What is extracted is a V' and a Lambda' of the theorems (kernel/OldestGrid.v). *)
  Theorem OLDEST_fast_ok home cs g : let L := chain_to m o in let Q := chain_of m o g in let last :=
    last_section m o g in
    held_section_cert m p hold (fun x => L (fst x, behind (snd x)))
    /\ section_chains m p (fun x => L (fst x, behind (snd x))) g last Q
    /\ serial_time m p home cs Q last g = OLDEST_fast home cs g
    /\ sections_lam (fun _ => Q) (fun _ => last) cs g = held_lam_fast cs g.
  Proof.
    cbv zeta. split; [apply pauses_section, chain_cert, pauses_wf|].
    split; [apply pauses_chains, chain_chains|]. unfold OLDEST_fast.
    rewrite (SERIAL_fast_ok m o home cs g pauses_wf). split.
    - symmetry. apply (elder_time m p hold (fun _ => 0) 0 home cs (chain_of m o g)
        (last_section m o g) g eq_refl).
    - apply sum_ext. intros q _. unfold latest. f_equal. apply map_ext. intros c.
      unfold chain_of, chain_by. f_equal. apply map_ext_in. intros x Hx. unfold waits_by.
      rewrite (chain_to_fast_ok m o x pauses_wf Hx). reflexivity.
  Qed.
End Oldests.
