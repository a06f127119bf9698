(** * ALN as a longest path; it is the most that an alignment adds up to *)

From Warpbound Require Import Base Cycles Model Potential PotentialBound Graph Paths Aln.

(** No alignment has as many steps as [aln_fuel]. *)
Definition aln_fuel (b : block) : nat := 3 * list_max (map (@length _) b) + 2.

(** The most at every state, by recursion over the steps. *)
Definition alnI (m : machine) (b : block) (w u : nat) (n : node) (j : nat) : nat :=
  lp (steps m b w u (others b w)) (aln_fuel b) (n, j).
Definition ALN (b : block) (m : machine) : nat := aln m b (alnI m b).

Section AlnPaths.
  Variables (m : machine) (b : block).
  Hypothesis W : wf b.

  (** The state is one of warps [w] and [u]. *)
  Definition inside (w u : nat) (x : state) : Prop := In (w, snd (fst x)) (keys b) /\
    snd x <= len b u.
  (** Each step raises the level. *)
  Definition level_of (x : state) : nat := height (fst x) + snd x.

  Lemma len_max w : len b w <= list_max (map (@length _) b).
  Proof.
    unfold len.
    destruct (le_lt_dec (length b) w) as [L|L]; [rewrite nth_overflow by exact L; simpl; lia|].
    apply list_max_ge, in_map, nth_In, L.
  Qed.

  Lemma level_fuel w u x : inside w u x -> level_of x < aln_fuel b.
  Proof.
    intros [Hn Hj]. apply in_keys in Hn as [_ Hn]. pose proof (len_max w). pose proof (len_max u).
    unfold level_of, height, aln_fuel. destruct (fst (fst x)); lia.
  Qed.

  Lemma steps_down w u c x e : inside w u x -> In e (steps m b w u c x) ->
    inside w u (fst e) /\ level_of (fst e) < level_of x.
  Proof.
    destruct x as [n j]. intros [Hn Hj] He. unfold steps in He. apply in_app_or in He as [He|He].
    - apply in_map_iff in He as [e' [<- He]].
      destruct (edges_up m b W no_unit no_queue w _ n e' (conj Hn eq_refl) He) as [[A _] L].
      unfold inside, level_of. cbn [fst snd] in *. split; [split; assumption|lia].
    - destruct j as [|j]; [destruct He|]. destruct He as [<-|[]]. unfold inside, level_of.
      cbn [fst snd] in *. split; [split; [assumption|lia]|lia].
  Qed.

  Lemma alnI_step w u x e : inside w u x -> In e (steps m b w u (others b w) x) ->
    alnI m b w u (fst (fst e)) (snd (fst e)) + snd e <= alnI m b w u (fst x) (snd x).
  Proof.
    intros Hx He. unfold alnI. rewrite <- !surjective_pairing.
    apply (lp_edge _ (inside w u) level_of (steps_down w u (others b w)));
      [exact Hx|exact (level_fuel w u x Hx)|exact He].
  Qed.

  (** The computed alignments are a certificate. *)
  Theorem alnI_cert : aln_cert m b (alnI m b).
  Proof.
    intros w u _ n Hn. split.
    - intros e j He Hj. apply (alnI_step w u (n, j) ((fst e, j), snd e)); [split; assumption|].
      apply in_or_app. left. apply in_map_iff. eauto.
    - intros j Hj. apply (alnI_step w u (n, S j) ((n, j), _)); [split; [exact Hn|exact Hj]|].
      apply in_or_app. right. left. reflexivity.
  Qed.

  Lemma lp_alignment w u c q : forall f x, inside w u x -> sec (get b (w, snd (fst x))) = q ->
    level_of x < f ->
    alignment m b w u q c x (lp (steps m b w u c) f x).
  Proof.
    induction f as [|f IH]; intros x Hx Hq Hf; [lia|]. cbn [lp].
    destruct (steps m b w u c x) as [|e l] eqn:E.
    - destruct x as [n [|j]]; [apply al_start; split; [apply Hx|exact Hq]|].
      unfold steps in E. apply app_eq_nil in E as [_ E]. discriminate.
    - rewrite <- E. pose proof (list_max_in (map (fun e => lp (steps m b w u c) f (fst e) + snd e)
        (steps m b w u c x))) as H. specialize (H ltac:(rewrite E; discriminate)).
      apply in_map_iff in H as [e' [<- He]]. apply al_step; [split; [apply Hx|exact Hq]|exact He|].
      destruct (steps_down w u c x e' Hx He) as [Hi Hl]. apply IH; [exact Hi| |lia].
      destruct x as [n j]. unfold steps in He. apply in_app_or in He as [He|He].
      + apply in_map_iff in He as [e2 [<- He]].
        destruct (edges_up m b W no_unit no_queue w q n e2 (conj (proj1 Hx) Hq) He) as [[_ Hs] _].
        exact Hs.
      + destruct j as [|j]; [destruct He|]. destruct He as [<-|[]]. exact Hq.
  Qed.

  (** It is reached: no certificate is less. *)
  Theorem alnI_reached w u n j : In (w, snd n) (keys b) -> j <= len b u ->
    alignment m b w u (sec (get b (w, snd n))) (others b w) (n, j) (alnI m b w u n j).
  Proof.
    intros Hn Hj. apply lp_alignment; [split; assumption|reflexivity|]. apply (level_fuel w u).
    split; assumption.
  Qed.
End AlnPaths.

(** Each instruction is complete within the computed ALN. *)
Theorem ALN_bound m b s : machine_ok m -> wf b -> valid m b s ->
  (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
  forall x, In x (keys b) -> C s x <= ALN b m.
Proof. intros M W V One Zero. apply (aln_bound m b _ W (alnI_cert m b W) s M V One Zero). Qed.
