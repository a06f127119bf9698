(** * Queues of an SM with fewer thread blocks, on whatever slots (docs/wave-bounds.md, section 2:
    Queues)

    [all] is one block that has the warps of as many thread blocks as any SM gets, [p] what one SM
    gets, perhaps less.  Where the warps of a thread block are alike on whichever slot it is, those
    of [p] are some of [all]: FIFO of
    [all] bounds each thread block of the SM. *)

From Warpbound Require Import Base Cycles Largest Model Isolation Potential Graph Fifo Stay Copies
  Wave WaveFifo.
From Warpbound Require Instances.

(** Longer queues make edges longer. *)
Lemma edges_more m b F Q Q' w n e : (forall f, Q f <= Q' f) -> In e (edges m b F Q w n) ->
  exists e', In e' (edges m b F Q' w n) /\ fst e' = fst e /\ snd e <= snd e'.
Proof.
  intros H He. destruct n as [[|] k]; [|exists e; auto]. unfold edges in *. cbv zeta in *.
  specialize (H (fu (get b (w, k)))). destruct He as [<-|He].
  - eexists. split; [left; reflexivity|]. split; [reflexivity|]. cbn [snd]. destruct (F _); lia.
  - apply in_map_iff in He as [o [<- Ho]]. eexists.
    split; [right; apply in_map_iff; exists o; split; [reflexivity|exact Ho]|].
    split; [reflexivity|]. cbn [snd]. destruct (F _); lia.
Qed.

(** The warps of [p] that do anything. *)
Definition at_all (p : block) : list nat := filter (fun w => 0 <? len p w) (seq 0 (length p)).

(** [wr] says which warp of [all] a warp of [p] is: one that does the same, on the same sub-core. *)
Record among_warps (m : machine) (p : block) (ma : machine) (all : block) (wr : nat -> nat) :
  Prop := {
  f_same : forall w, In w (at_all p) -> wr w < length all /\ nth (wr w) all [] = nth w p [] /\
  core ma (wr w) = core m w;
  f_once : forall w v, In w (at_all p) -> In v (at_all p) -> wr w = wr v -> w = v;
  f_inst : forall f, inst ma f = inst m f;
  f_depth : depth ma = depth m }.

Section Fewer.
  Variables (m : machine) (p : block) (ma : machine) (all : block) (wr : nat -> nat).
  Hypothesis A : among_warps m p ma all wr.

  Lemma there_all w : In w (at_all p) -> nth (wr w) all [] = nth w p [].
  Proof. intros H. apply (f_same _ _ _ _ _ A w H). Qed.

  Lemma at_all_in w k : In (w, k) (keys p) -> In w (at_all p).
  Proof.
    intros H. apply in_keys in H as [H1 H2]. apply filter_In.
    split; [apply in_seq; lia|apply Nat.ltb_lt; lia].
  Qed.

  Lemma key_all w k : In (w, k) (keys p) -> In (wr w, k) (keys all).
  Proof.
    intros H. pose proof (at_all_in w k H) as Hw. destruct (f_same _ _ _ _ _ A w Hw) as [L [E _]].
    apply in_keys in H as [_ H]. apply in_keys. unfold len in *. rewrite E. auto.
  Qed.

  Lemma get_all w k : In w (at_all p) -> get all (wr w, k) = get p (w, k).
  Proof. intros H. unfold get. cbn [fst snd]. rewrite (there_all w H). reflexivity. Qed.

  Lemma pend_all u q f : In u (at_all p) -> pend ma all (wr u) q f = pend m p u q f.
  Proof.
    intros H. unfold pend, pend_at, done_by, in_unit, on, get, len. cbn [fst snd].
    rewrite (there_all u H), (f_inst _ _ _ _ _ A). reflexivity.
  Qed.

  Lemma rest_all (f f' : nat -> nat) w : In w (at_all p) ->
    (forall u, In u (at_all p) -> f u <= f' (wr u)) ->
    (forall u, len p u = 0 -> f u = 0) -> sum f (rest p w) <= sum f' (rest all (wr w)).
  Proof.
    intros Hw H Z. assert (forall u, In u (rest p w) -> f u <> 0 -> In u (at_all p) /\ u <> w) as O.
    { intros u Hu N. apply filter_In in Hu as [Hu E]. apply negb_true_iff, Nat.eqb_neq in E.
      split; [|exact E]. apply filter_In. split; [exact Hu|]. apply Nat.ltb_lt. specialize (Z u).
      lia. }
    apply (sum_into Nat.eq_dec f f' wr); [apply NoDup_filter, seq_NoDup| |].
    - intros u Hu N. destruct (O u Hu N) as [Ou Nw]. split; [|apply H, Ou]. apply filter_In.
      split; [apply in_seq; destruct (f_same _ _ _ _ _ A u Ou); lia|].
      apply negb_true_iff, Nat.eqb_neq. intros E. apply Nw, (f_once _ _ _ _ _ A u w Ou Hw E).
    - intros u v Hu Hv Nu Nv. apply (f_once _ _ _ _ _ A); apply O; assumption.
  Qed.

  Lemma queue_all w q f : In w (at_all p) -> queue m p q w f <= queue ma all q (wr w) f.
  Proof.
    intros Hw. unfold queue. rewrite (f_inst _ _ _ _ _ A).
    destruct (Nat.eq_dec (inst m f) 0) as [E|N]; [rewrite E; apply le_n|].
    apply Nat.div_le_mono; [exact N|]. apply rest_all; [exact Hw| |].
    - intros u Hu. rewrite (pend_all u q f Hu). apply le_n.
    - intros u L. unfold pend. rewrite L. reflexivity.
  Qed.

  Lemma uses_all w q f : In w (at_all p) -> uses p w q f = true -> uses all (wr w) q f = true.
  Proof.
    intros Hw U. apply existsb_exists in U as [[v k] [Hk U]]. rewrite !andb_true_iff in U.
    cbn [fst] in U. destruct U as [[U1 U2] U3]. apply Nat.eqb_eq in U1. subst v.
    apply existsb_exists. exists (wr w, k). split; [apply key_all, Hk|]. unfold on in *.
    rewrite (get_all w k Hw), U2, U3. cbn [fst]. rewrite Nat.eqb_refl. reflexivity.
  Qed.

  Variables (F : nat -> nat -> nat -> bool) (iso : nat -> node -> nat).  (* of [all] *)
  Definition F_here (w : nat) : nat -> nat -> bool := F (wr w).
  Definition iso_here (w : nat) : node -> nat := iso (wr w).

  Lemma charges_all w q : In w (at_all p) -> fifo_charges m p (F_here w q) w q
    <= fifo_charges ma all (F (wr w) q) (wr w) q.
  Proof.
    intros Hw. apply rest_all; [exact Hw| |intros u L; rewrite L; reflexivity]. intros u Hu.
    assert (len all (wr u) = len p u) as -> by (unfold len; rewrite (there_all u Hu); reflexivity).
    apply sum_le. intros j _. unfold fifo_charge, F_here. rewrite (get_all u j Hu).
    destruct (_ =? _); [|apply le_n].
    assert (slot m p w (u, j) = slot ma all (wr w) (wr u, j)) as ->.
    { unfold slot. cbn [fst]. rewrite (get_all u j Hu).
      destruct (f_same _ _ _ _ _ A u Hu) as [_ [_ ->]], (f_same _ _ _ _ _ A w Hw) as [_ [_ ->]].
      reflexivity. }
    assert (slot ma all (wr w) (wr u, j) <= init (get p (u, j)))
      by (unfold slot; rewrite (get_all u j Hu); destruct (_ =? _); lia).
    destruct (uses p w q (fu (get p (u, j)))) eqn:U; [rewrite (uses_all w q _ Hw U); apply le_n|].
    cbn [andb]. destruct (_ && _); lia.
  Qed.

  (** *** Certificates of [all] are some of [p], and it has no larger term. *)
  Theorem fifo_cert_here : fifo_cert ma all F iso -> fifo_cert m p F_here iso_here.
  Proof.
    intros H w [d k] Hk q e He. pose proof (at_all_in w k Hk) as Hw. cbn [snd] in q.
    destruct (edges_more m p (F_here w q) (queue m p q w) (queue ma all q (wr w)) w (d, k) e
      (fun f => queue_all w q f Hw) He) as [e' [He' [E1 E2]]].
    assert (edges m p (F_here w q) (queue ma all q (wr w)) w (d, k)
      = edges ma all (F (wr w) q) (queue ma all q (wr w)) (wr w) (d, k)) as E.
    { unfold F_here. generalize (queue ma all q (wr w)). intros Q. unfold edges, previous, get.
      cbn [fst snd]. rewrite (there_all w Hw), (f_depth _ _ _ _ _ A). reflexivity. }
    rewrite E in He'. pose proof (H (wr w) (d, k) (key_all w k Hk)) as C. cbv zeta in C.
    cbn [snd] in C. rewrite (get_all w k Hw) in C. specialize (C e' He'). unfold iso_here.
    rewrite <- E1. lia.
  Qed.

  Theorem fifo_term_here q : fifo_term m p F_here iso_here q <= fifo_term ma all F iso q.
  Proof.
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [[w k] [<- Hk]].
    apply filter_In in Hk as [Hk E]. cbn [fst snd] in *. pose proof (at_all_in w k Hk) as Hw.
    pose proof (charges_all w q Hw) as C. unfold iso_here in *.
    etransitivity; [apply Nat.add_le_mono_l, C|]. apply list_max_ge, in_map_iff. exists (wr w, k).
    cbn [fst snd]. rewrite (get_all w k Hw). split; [reflexivity|]. apply filter_In.
    split; [apply key_all, Hk|]. cbn [fst snd]. rewrite (get_all w k Hw). exact E.
  Qed.

  (** *** FIFO of [all] bounds the stay of each thread block of the SM. *)
  Theorem stays_fifo_fewer b others q : machine_ok m -> wf p -> depth m = None ->
    fifo_cert ma all F iso ->
    (forall x, In x (keys p) -> sec (get p x) = q) ->
    stays_with m p b others (fifo_term ma all F iso q).
  Proof.
    intros M W D H Hq. apply (stays_more m p b others _ _
      (stays_fifo m p b others F_here iso_here q M W D (fifo_cert_here H) Hq)).
    apply fifo_term_here.
  Qed.
End Fewer.

(** ** When the warps of an SM are some of [all]: by number, of each sub-core and what they do *)

Lemma instr_dec (x y : instr) : {x = y} + {x <> y}.
Proof. decide equality; (apply Nat.eq_dec || apply (list_eq_dec Nat.eq_dec)). Qed.

(** Equality of what warps do is decidable. *)
Definition doing_dec : forall x y : nat * list instr, {x = y} + {x <> y}.
Proof. decide equality; [apply (list_eq_dec instr_dec)|apply Nat.eq_dec]. Defined.

(** Sub-core and instructions of a warp; how many warps of a list are so. *)
Definition doing (m : machine) (p : block) (w : nat) : nat * list instr := (core m w, nth w p []).
Definition many (m : machine) (p : block) (l : list nat) (x : nat * list instr) : nat :=
  count_occ doing_dec (map (doing m p) l) x.

Section Matching.
  Context {A : Type} (dec : forall x y : A, {x = y} + {x <> y}) (k k' : nat -> A).

  (** As many of each kind can be matched. *)
  Lemma matched : forall l l', NoDup l -> NoDup l' ->
    (forall x, count_occ dec (map k l) x <= count_occ dec (map k' l') x) ->
    exists f, (forall w, In w l -> In (f w) l' /\ k' (f w) = k w) /\ forall w v, In w l -> In v l ->
    f w = f v -> w = v.
  Proof.
    induction l as [|w l IH]; intros l' N N' H.
    - exists (fun w => w). split; [easy|]. intros v u Hv. destruct Hv.
    - apply NoDup_cons_iff in N as [Nw N].
      assert (In (k w) (map k' l')) as Hk.
      { apply (count_occ_In dec). specialize (H (k w)). cbn [map] in H.
        rewrite count_occ_cons_eq in H by reflexivity. lia. }
      apply in_map_iff in Hk as [y [Ey Hy]]. destruct (in_split y l' Hy) as [l1 [l2 ->]].
      apply NoDup_remove in N' as [N1 N2].
      destruct (IH (l1 ++ l2) N N1) as [f [F1 F2]].
      { intros x. specialize (H x). cbn [map] in H. rewrite map_app in *. cbn [map] in H.
        rewrite count_occ_app in *. destruct (dec (k w) x) as [E|E].
        - rewrite count_occ_cons_eq in H by exact E.
          rewrite (count_occ_cons_eq dec (map k' l2)) in H by congruence. lia.
        - rewrite count_occ_cons_neq in H by exact E.
          rewrite (count_occ_cons_neq dec (map k' l2)) in H by congruence. lia. }
      assert (forall v, In v l -> f v <> y) as Fy.
      { intros v Hv E. apply N2. rewrite <- E. apply F1, Hv. }
      exists (fun v => if v =? w then y else f v). split.
      + intros v Hv. destruct (Nat.eqb_spec v w) as [->|D].
        * split; [apply in_or_app; right; left; reflexivity|congruence].
        * destruct Hv as [->|Hv]; [congruence|]. destruct (F1 v Hv) as [G1 G2]. split; [|exact G2].
          apply in_app_or in G1. apply in_or_app. cbn. tauto.
      + intros v u Hv Hu E.
        destruct (Nat.eqb_spec v w) as [->|D1], (Nat.eqb_spec u w) as [->|D2]; auto.
        * destruct Hu as [|Hu]; [congruence|]. destruct (Fy u Hu). congruence.
        * destruct Hv as [|Hv]; [congruence|]. destruct (Fy v Hv). congruence.
        * destruct Hv as [|Hv], Hu as [|Hu]; try congruence. apply F2; assumption.
  Qed.
End Matching.

(** *** If each of at most [n] thread blocks [bl] has no more warps of a kind on a sub-core than [e]
    says, and [all] has [n] times as many, there is room for them. *)
Theorem warps_fit m p ma all bl n e : (forall f, inst ma f = inst m f) -> depth ma = depth m ->
  (forall w, In w (at_all p) -> In (group m w) bl) -> length bl <= n ->
  (forall h x, In h bl -> many m p (filter (fun w => group m w =? h) (at_all p)) x <= e x) ->
  (forall x, snd x <> [] -> n * e x <= many ma all (seq 0 (length all)) x) ->
  exists wr, among_warps m p ma all wr.
Proof.
  intros Hi Hd Hb Hn He Ha.
  assert (forall x l, (forall w, In w l -> In (group m w) bl) ->
    many m p l x <= sum (fun h => many m p (filter (fun w => group m w =? h) l) x) bl) as Split.
  { intros x l. induction l as [|w l IH]; intros Hl; [apply Nat.le_0_l|].
    specialize (IH (fun v Hv => Hl v (or_intror Hv))). unfold many in *. cbn [map filter].
    transitivity (sum (fun h => count_occ doing_dec
      (map (doing m p) (filter (fun w => group m w =? h) l)) x + if group m w =?
      h then (if doing_dec (doing m p w) x then 1 else 0) else 0) bl).
    - rewrite sum_add. pose proof (sum_ge (fun h =>
        if group m w =? h then (if doing_dec (doing m p w) x then 1 else 0) else 0) (group m w) bl
        (Hl w (or_introl eq_refl))) as G. cbv beta in G. rewrite Nat.eqb_refl in G. cbn [count_occ].
      destruct (doing_dec (doing m p w) x); lia.
    - apply sum_le. intros h _. destruct (group m w =? h);
        [cbn [map count_occ]; destruct (doing_dec (doing m p w) x)|]; lia. }
  destruct (matched doing_dec (doing m p) (doing ma all) (at_all p) (seq 0 (length all)))
    as [f [F1 F2]].
  - apply NoDup_filter, seq_NoDup.
  - apply seq_NoDup.
  - intros x. change (many m p (at_all p) x <= many ma all (seq 0 (length all)) x).
    destruct (list_eq_dec instr_dec (snd x) []) as [E|E].
    + unfold many at 1. rewrite (proj1 (count_occ_not_In doing_dec _ x)); [apply Nat.le_0_l|].
      intros X. apply in_map_iff in X as [w [X Hw]]. apply filter_In in Hw as [_ Hw].
      apply Nat.ltb_lt in Hw. rewrite <- X in E. cbn [doing snd] in E. unfold len in Hw.
      rewrite E in Hw. cbn in Hw. lia.
    + specialize (Ha x E). etransitivity; [apply (Split x (at_all p) Hb)|].
      etransitivity; [apply (sum_mul _ bl (e x)); intros h Hh; apply He, Hh|]. nia.
  - exists f. constructor; [|exact F2|exact Hi|exact Hd]. intros w Hw.
    destruct (F1 w Hw) as [H1 H2]. apply in_seq in H1. injection H2 as H3 H4.
    split; [lia|split; assumption].
Qed.
