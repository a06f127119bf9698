(** * ALN <= FIB <= SIB: docs/proofs.md, theorem 1 *)

From Warpbound Require Import Base Cycles Largest Model Queue Isolation Potential PotentialBound
  Graph Paths Aln AlnPaths Fifo Bounds.

Lemma sum_scaled {A} (f : A -> nat) c l : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l as [|x l IH]; [apply mult_n_O|]. rewrite !sum_cons, IH. lia. Qed.

Lemma sum_incl_le (f : nat -> nat) (p : nat -> bool) l : sum f (filter p l) <= sum f l.
Proof. rewrite sum_filter. apply sum_le. intros x _. destruct (p x); lia. Qed.

(** FIB and SIB add up the same terms, with a larger charge. *)
Lemma block_bound_mono b m ch ch' iD g : (forall w q y, In y (keys b) -> ch w q y <= ch' w q y) ->
  block_bound b m ch iD g <= block_bound b m ch' iD g.
Proof.
  intros H. assert (forall q, block_term b m ch iD g q <= block_term b m ch' iD g q) as A.
  { intros q. apply list_max_le, Forall_forall. intros v Hv. apply in_map_iff in Hv as [x [<- Hx]].
    etransitivity; [|apply list_max_ge, in_map_iff; exists x; split; [reflexivity|exact Hx]].
    apply Nat.add_le_mono_l, sum_le. intros y Hy. apply H, Hy. }
  assert (forall q, block_start b m ch iD g q <= block_start b m ch' iD g q) as B.
  { induction q as [|q IH]; cbn [block_start]; [lia|]. specialize (A q). lia. }
  unfold block_bound. specialize (A (last_section b m g)). specialize (B (last_section b m g)). lia.
Qed.

(** FIB is at most SIB. *)
Theorem fib_le_sib b m iD g :
  block_bound b m (fib_charge b m) iD g <= block_bound b m (sib_charge b m) iD g.
Proof.
  apply block_bound_mono. intros w q y Hy. unfold fib_charge, sib_charge.
  destruct (beside b m w q y); [|lia]. pose proof (cost_init b m y Hy).
  destruct (uses b w q (fu (get b y))) eqn:U.
  - unfold uses in U. apply existsb_exists in U as [x [Hx U]].
    rewrite !andb_true_iff, !Nat.eqb_eq in U. destruct U as [[E _] F]. unfold on in F.
    apply Nat.eqb_eq in F. rewrite <- F.
    rewrite (in_reach_of b m x (core m w) Hx); [lia|congruence].
  - destruct (Nat.eqb_spec (core m (fst y)) (core m w)) as [E|N]; [|lia].
    rewrite (in_reach_of b m y _ Hy E). lia.
Qed.

Section AlnFib.
  Variables (m : machine) (b : block) (iI iD : key -> nat) (g : nat).
  Hypotheses (W : wf b) (HI : iso_edges b m iI iD) (One : forall v, group m v = g).

  (** The isolation time of a node. *)
  Definition iso_node (w : nat) (n : node) : nat := if fst n then iD (w, snd n) else iI (w, snd n).

  Lemma iso_node_edges w n e : In (w, snd n) (keys b) -> In e (edges m b no_unit no_queue w n) ->
    iso_node w (fst e) + snd e <= iso_node w n.
  Proof.
    destruct n as [d k]. cbn [snd]. intros Hk He. destruct (HI w k Hk) as [H1 [H2 [H3 H4]]].
    assert (forall o, In o (previous b w k) -> o < k /\ sec (get b (w, o)) = sec (get b (w, k))
              /\ fu (get b (w, o)) = fu (get b (w, k))) as Pr.
    { intros o Ho. apply previous_in in Ho. unfold own_before in Ho. tauto. }
    unfold edges, no_unit in He. cbv zeta in He. unfold iso_node. destruct d.
    - destruct He as [<-|He]; [simpl; lia|]. apply in_map_iff in He as [o [<- Ho]].
      destruct (Pr o Ho) as [A [B D]]. destruct (H4 o A B D). simpl. lia.
    - rewrite !in_app_iff in He. destruct He as [He|[He|He]].
      + destruct k as [|j]; [destruct He|]. destruct (Nat.eqb_spec (sec (get b (w, j)))
          (sec (get b (w, S j)))) as [E|N]; [|destruct He]. destruct He as [<-|[]]. simpl.
        apply H1; auto.
      + apply in_map_iff in He as [p [<- Hp]]. apply filter_In in Hp as [Hp Sp].
        apply Nat.eqb_eq in Sp. specialize (H2 p Hp Sp). simpl. lia.
      + destruct (depth m) as [[|]|]; [| |destruct He]; apply in_map_iff in He as [o [<- Ho]];
          destruct (Pr o Ho) as [A [B D]]; destruct (H4 o A B D); simpl; lia.
  Qed.

  Lemma charge_fib w u n i : In (w, snd n) (keys b) -> u <> w -> i < len b u ->
    charge m b no_unit w n (u, i) <= fib_charge b m w (sec (get b (w, snd n))) (u, i).
  Proof.
    destruct n as [d k]. cbn [snd]. intros Hk Nu Li. unfold charge, no_unit, fib_charge, beside.
    cbn [fst]. rewrite !One, Nat.eqb_refl, (proj2 (Nat.eqb_neq _ _) Nu). cbn [negb andb].
    destruct (Nat.eqb_spec (sec (get b (u, i))) (sec (get b (w, k)))) as [E|N];
      [|rewrite andb_false_r; lia]. rewrite andb_true_r. assert (In (u, i) (keys b)) as Hy.
    { apply in_keys. split; [|exact Li]. destruct (le_lt_dec (length b) u) as [L|L]; [|exact L].
      unfold len in Li. rewrite nth_overflow in Li by exact L. simpl in Li. lia. }
    pose proof (cost_init b m _ Hy) as Co. assert (slot m b w (u, i) <= init (get b (u, i))) as Sl
      by (unfold slot; destruct (core m (fst (u, i)) =? core m w); lia).
    assert (hold m b (u, i) <= cost b m (u, i)) as Ho
      by (unfold hold, cost; destruct (depth m) as [[|]|]; lia). unfold charge_I, charge_D.
    cbn [fst]. destruct (Nat.eqb_spec (fu (get b (u, i))) (fu (get b (w, k)))) as [F|F].
    - rewrite F, (uses_own b w k Hk). destruct (1 <=? init (get b (w, k))); [|lia]. destruct d; lia.
    - assert (slot m b w (u, i) <= if uses b w (sec (get b (w, k))) (fu (get b (u, i))) then cost b
        m (u, i) else if core m u =? core m w then takes (get b (u, i)) else 0) as G.
      { destruct (uses b w (sec (get b (w, k))) (fu (get b (u, i)))); [lia|]. unfold slot.
        cbn [fst]. lia. }
      destruct (1 <=? init (get b (w, k))); [|lia]. destruct d; lia.
  Qed.

  (** What FIB charges for the first [j] instructions of [u]. *)
  Definition fib_of (w q u j : nat) : nat := sum (fun i => fib_charge b m w q (u, i)) (seq 0 j).

  (** The path and all charges passed are a certificate, so no alignment is more. *)
  Lemma align_le w u n j : In u (peers b w) -> In (w, snd n) (keys b) -> j <= len b u ->
    alnI m b w u n j <= iso_node w n + others b w * fib_of w (sec (get b (w, snd n))) u j.
  Proof.
    intros Hu Hn Hj. apply (align_cert_ok m b w u (sec (get b (w, snd n))) (others b w) (fun n j =>
      iso_node w n + others b w * fib_of w (sec (get b (w, snd n))) u j)) with (x := (n, j)).
    - clear n j Hn Hj. intros n Hn. split.
      + intros e j He Hj. pose proof (iso_node_edges w n e Hn He).
        destruct (edges_up m b W no_unit no_queue w _ n e (conj Hn eq_refl) He) as [[_ ->] _]. lia.
      + intros j Hj. unfold fib_of. rewrite seq_S, sum_app, sum_cons. cbn [Nat.add].
        assert (u <> w) as Nu.
        { apply filter_In in Hu as [_ Hu]. apply negb_true_iff, Nat.eqb_neq in Hu. exact Hu. }
        pose proof (Nat.mul_le_mono_l _ _ (others b w) (charge_fib w u n j Hn Nu Hj)).
        replace (sum (fun i => fib_charge b m w (sec (get b (w, snd n))) (u, i)) []) with 0
          by reflexivity. lia.
    - apply alnI_reached; assumption.
    - exact Hj.
  Qed.

  (** Where the section of [w] takes no time, nothing is charged. *)
  Lemma align_timeless w u n j : In u (peers b w) -> In (w, snd n) (keys b) -> j <= len b u ->
    (forall k, In (w, k) (keys b) -> sec (get b (w, k)) = sec (get b (w, snd n)) ->
      init (get b (w, k)) = 0) ->
    alnI m b w u n j <= iso_node w n.
  Proof.
    intros Hu Hn Hj Hz. set (q := sec (get b (w, snd n))) in *.
    assert (align_cert m b w u (others b w)
      (fun n j => if sec (get b (w, snd n)) =? q then iso_node w n else alnI m b w u n j)) as HA.
    { clearbody q. clear n j Hn Hj. intros n Hn.
      destruct (Nat.eqb_spec (sec (get b (w, snd n))) q) as [E|E].
      - split.
        + intros e j He Hj.
          destruct (edges_up m b W no_unit no_queue w _ n e (conj Hn eq_refl) He) as [[_ Se] _].
          rewrite Se, E, Nat.eqb_refl. apply iso_node_edges; assumption.
        + intros j Hj. unfold charge. destruct n as [d k]. cbn [snd] in *. rewrite (Hz k Hn E).
          cbn [Nat.leb andb]. lia.
      - split.
        + intros e j He Hj.
          destruct (edges_up m b W no_unit no_queue w _ n e (conj Hn eq_refl) He) as [[_ Se] _].
          rewrite Se, (proj2 (Nat.eqb_neq _ _) E). apply (alnI_cert m b W w u Hu n Hn); assumption.
        + intros j Hj. apply (alnI_cert m b W w u Hu n Hn). exact Hj. }
    pose proof (align_cert_ok m b w u q (others b w) _ HA (n, j) _
      (alnI_reached m b W w u n j Hn Hj) Hj) as H. cbn [fst snd] in H. unfold q in H.
    rewrite Nat.eqb_refl in H. exact H.
  Qed.

  Lemma charges_le w q : sum (fun u => fib_of w q u (len b u)) (peers b w)
    <= charged b (fib_charge b m) w q.
  Proof.
    unfold peers. etransitivity; [apply sum_incl_le|]. unfold charged, keys. rewrite sum_flat_map.
    replace (max 2 (length b)) with (length b + (max 2 (length b) - length b)) by lia.
    rewrite seq_app, sum_app, (sum_zero _ (seq (0 + length b) _)).
    - rewrite Nat.add_0_r. apply sum_le. intros u _. rewrite sum_map. reflexivity.
    - intros u Hu. apply in_seq in Hu. unfold fib_of, len. rewrite nth_overflow by lia. reflexivity.
  Qed.

  Lemma aln_term_le q : aln_term b (alnI m b) q <= block_term b m (fib_charge b m) iD g q.
  Proof.
    apply list_max_le, Forall_forall. intros v Hv. apply in_map_iff in Hv as [w [<- Hw]].
    apply in_seq in Hw. set (top := list_max (map (fun k => iD (w, k) + init (get b (w, k))
      + lat (get b (w, k))) (filter (fun k => sec (get b (w, k)) =? q) (seq 0 (len b w))))).
    destruct (filter (fun k => sec (get b (w, k)) =? q) (seq 0 (len b w))) as [|k0 l0] eqn:E.
    - rewrite sum_zero; [rewrite Nat.div_0_l; [lia|pose proof (peers_pos b w); lia]|].
      intros u _. unfold align. rewrite E. reflexivity.
    - assert (forall u, In u (peers b w) -> align b (alnI m b) q w u
        <= top + others b w * fib_of w q u (len b u)) as A.
      { intros u Hu. apply list_max_le, Forall_forall. intros v Hv. rewrite E in Hv.
        apply in_map_iff in Hv as [k [<- Hk]].
        assert (iD (w, k) + init (get b (w, k)) + lat (get b (w, k)) <= top) as Top.
        { apply list_max_ge, in_map_iff. eauto. }
        rewrite <- E in Hk. apply filter_In in Hk as [Hk Sk]. apply in_seq in Hk.
        apply Nat.eqb_eq in Sk. pose proof (align_le w u (true, k) (len b u) Hu ltac:(apply in_keys;
          simpl; lia) (le_n _)) as H. unfold iso_node in H. cbn [fst snd] in H. rewrite Sk in H.
        lia. }
      pose proof (peers_pos b w) as Pos.
      destruct (Nat.eq_dec top 0) as [Z|NZ].
      { rewrite sum_zero; [rewrite Nat.div_0_l; lia|]. intros u Hu.
        enough (align b (alnI m b) q w u <= 0) by lia. apply list_max_le, Forall_forall.
        intros v Hv. apply in_map_iff in Hv as [k [<- Hk]].
        assert (forall k, In k (filter (fun k => sec (get b (w, k)) =? q) (seq 0 (len b w))) ->
          iD (w, k) + init (get b (w, k)) + lat (get b (w, k)) = 0) as Top.
        { intros j Hj. rewrite E in Hj. apply Nat.le_0_r. rewrite <- Z.
          apply list_max_ge, in_map_iff. eauto. }
        pose proof (Top k Hk). pose proof Hk as Hk'. apply filter_In in Hk' as [Hk' Sk].
        apply in_seq in Hk'. apply Nat.eqb_eq in Sk.
        pose proof (align_timeless w u (true, k) (len b u) Hu ltac:(apply in_keys; simpl; lia)
          (le_n _)) as H1. unfold iso_node in H1. cbn [fst snd] in H1.
        enough (alnI m b w u (true, k) (len b u) <= iD (w, k)) by lia. apply H1. intros j Hj Sj.
        apply in_keys in Hj. specialize (Top j). rewrite filter_In, in_seq, Nat.eqb_eq in Top.
        specialize (Top ltac:(lia)). lia. }
      assert (sum (align b (alnI m b) q w) (peers b w)
                <= others b w * (top + sum (fun u => fib_of w q u (len b u)) (peers b w))) as B.
      { etransitivity; [apply sum_le, A|]. rewrite (sum_add (fun _ => top)), sum_scaled.
        pose proof (sum_mul (fun _ : nat => top) (peers b w) top (fun _ _ => le_n _)).
        unfold others in *. nia. }
      apply (Nat.div_le_mono _ _ (others b w)) in B; [|lia].
      rewrite Nat.mul_comm, Nat.div_mul in B by lia. etransitivity; [exact B|].
      pose proof (charges_le w q) as Ch. assert
        (In top (map (fun k => iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) (k0 :: l0)))
        as H.
      { apply list_max_in. discriminate. }
      apply in_map_iff in H as [k [Ht Hk]]. rewrite <- E in Hk. apply filter_In in Hk as [Hk Sk].
      apply in_seq in Hk. apply Nat.eqb_eq in Sk.
      etransitivity; [|apply list_max_ge, in_map_iff; exists (w, k); split; [reflexivity|]].
      + cbn [fst]. lia.
      + apply filter_In. rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt.
        split; [apply in_keys; lia|]. split; [split; [apply One|exact Sk]|cbn [fst]; lia].
  Qed.

  (** *** ALN is no more than FIB, with the paths of any [iI], [iD] that respect the edges *)
  Theorem aln_le_fib : ALN b m <= block_bound b m (fib_charge b m) iD g.
  Proof.
    assert (forall q, Potential.sections m (aln_term b (alnI m b)) q
      <= block_start b m (fib_charge b m) iD g q) as A.
    { induction q as [|q IH]; [simpl; lia|]. simpl. pose proof (aln_term_le q). lia. }
    unfold ALN, aln, total, block_bound.
    assert (Potential.last_section b = last_section b m g) as ->.
    { unfold Potential.last_section, last_section. f_equal. f_equal.
      symmetry. apply (filter_const _ true). intros x _. apply Nat.eqb_eq, One. }
    specialize (A (last_section b m g)). pose proof (aln_term_le (last_section b m g)). lia.
  Qed.
End AlnFib.
