(** * ALN: docs/proofs.md, theorem 1

    Any width, number of sub-cores and instances, with barriers and releases, for
    times up to the stated ones.  Dispatch depths 0, 1 and unlimited as on the page; a
    finite depth above 1 is bounded with the graph of depth 1. *)

From Warpbound Require Import Base Cycles Largest Model Potential PotentialBound Graph Paths.

(** ** Alignments of warp [w] with another warp [u], charges counted [c] times

    A state is a node of [w] and the number of instructions of [u] that are
    consumed; a step is an edge of the graph, or the next instruction of [u],
    consumed at the node for its charge (those of other sections for nothing). *)
Definition state := (node * nat)%type.

(** The steps to a state are edges of the graph and instructions that are consumed. *)
Definition steps (m : machine) (b : block) (w u c : nat) (x : state) : list (state * nat) :=
  let (n, j) := x in
  map (fun e => ((fst e, j), snd e)) (edges m b no_unit no_queue w n)
  ++ match j with 0 => [] | S i => [((n, i), c * charge m b no_unit w n (u, i))] end.

(** Some path of the graph of section [q] to the node, and some way to consume along it, add up to
    [v]. *)
Inductive alignment (m : machine) (b : block) (w u q c : nat) : state -> nat -> Prop :=
  | al_start n : of_graph b w q n -> alignment m b w u q c (n, 0) 0
  | al_step x e v : of_graph b w q (fst x) -> In e (steps m b w u c x) ->
      alignment m b w u q c (fst e) v -> alignment m b w u q c x (v + snd e).

(** Certificate of a pair of warps: a table over states that no step exceeds. *)
Definition align_cert (m : machine) (b : block) (w u c : nat) (A : node -> nat -> nat) : Prop :=
  forall n, In (w, snd n) (keys b) ->
    (forall e j, In e (edges m b no_unit no_queue w n) -> j <= len b u -> A (fst e) j + snd e
      <= A n j)
    /\ (forall j, j < len b u -> A n j + c * charge m b no_unit w n (u, j) <= A n (S j)).

(** It bounds every alignment. *)
Theorem align_cert_ok m b w u q c A : align_cert m b w u c A ->
  forall x v, alignment m b w u q c x v -> snd x <= len b u -> v <= A (fst x) (snd x).
Proof.
  intros HA x v H. induction H as [n Hn|[n j] e v Hx He H IH]; intros Hj; [lia|].
  cbn [fst snd] in *. destruct (HA n (proj1 Hx)) as [H1 H2]. unfold steps in He.
  apply in_app_or in He as [He|He].
  - apply in_map_iff in He as [e' [<- He]]. cbn [fst snd] in *. specialize (H1 e' j He Hj).
    specialize (IH Hj). lia.
  - destruct j as [|j]; [destruct He|]. destruct He as [<-|[]]. cbn [fst snd] in *.
    specialize (H2 j Hj). specialize (IH ltac:(lia)). lia.
Qed.

(** ** ALN *)

(** The other warps; beside a warp that is alone one without instructions. *)
Definition peers (b : block) (w : nat) : list nat :=
  filter (fun u => negb (u =? w)) (seq 0 (max 2 (length b))).
Definition others (b : block) (w : nat) : nat := length (peers b w).

(** Certificates of all pairs: warp, other warp, node, instructions consumed. *)
Definition aln_cert (m : machine) (b : block) (A : nat -> nat -> node -> nat -> nat) : Prop :=
  forall w u, In u (peers b w) -> align_cert m b w u (others b w) (A w u).

(** align_s(w, u, m): the most at a completion, all of [u] being consumed. *)
Definition align (b : block) (A : nat -> nat -> node -> nat -> nat) (q w u : nat) : nat :=
  list_max (map (fun k => A w u (true, k) (len b u) + init (get b (w, k)) + lat (get b (w, k)))
                (filter (fun k => sec (get b (w, k)) =? q) (seq 0 (len b w)))).
Definition aln_term (b : block) (A : nat -> nat -> node -> nat -> nat) (q : nat) : nat :=
  list_max (map (fun w => sum (align b A q w) (peers b w) / others b w) (seq 0 (length b))).
Definition aln (m : machine) (b : block) (A : nat -> nat -> node -> nat -> nat) : nat :=
  total m b (aln_term b A).

(** Their average is a potential. *)
Definition average (b : block) (A : nat -> nat -> node -> nat -> nat) (w : nat) (n : node)
  (J : progress) : nat :=
  sum (fun u => A w u n (min (J u) (len b u))) (peers b w) / others b w.

Lemma peers_pos b w : 1 <= others b w.
Proof.
  unfold others. assert (In (if w =? 0 then 1 else 0) (peers b w)) as H.
  { apply filter_In. split; [apply in_seq; destruct (w =? 0); lia|].
    destruct (Nat.eqb_spec w 0) as [->|N]; [reflexivity|]. apply negb_true_iff, Nat.eqb_neq. lia. }
  destruct (peers b w); [destruct H|simpl; lia].
Qed.

Lemma peers_in b w u : In (u, 0) (keys b) -> u <> w -> In u (peers b w).
Proof.
  intros H N. apply in_keys in H. apply filter_In. split; [apply in_seq; lia|].
  apply negb_true_iff, Nat.eqb_neq, N.
Qed.

(** More for each, and [d] more for one. *)
Lemma sum_more {A} (f g : A -> nat) l x d : In x l -> f x + d <= g x ->
  (forall y, In y l -> f y <= g y) ->
  sum f l + d <= sum g l.
Proof.
  induction l as [|y l IH]; intros Hx Hd H; [destruct Hx|]. rewrite !sum_cons.
  destruct Hx as [->|Hx].
  - pose proof (sum_le f g l (fun z Hz => H z (or_intror Hz))). lia.
  - specialize (IH Hx Hd (fun z Hz => H z (or_intror Hz))). specialize (H y (or_introl eq_refl)).
    lia.
Qed.

Lemma sum_all {A} (f g : A -> nat) l d : (forall y, In y l -> f y + d <= g y) ->
  sum f l + length l * d <= sum g l.
Proof.
  induction l as [|y l IH]; intros H; [reflexivity|]. rewrite !sum_cons. cbn [length].
  specialize (IH (fun z Hz => H z (or_intror Hz))). specialize (H y (or_introl eq_refl)). lia.
Qed.

Lemma div_more a a' c d : 1 <= c -> a + c * d <= a' -> a / c + d <= a' / c.
Proof. intros Hc H. rewrite <- Nat.div_add by lia. apply Nat.div_le_mono; lia. Qed.

Section Aln.
  Variables (m : machine) (b : block) (A : nat -> nat -> node -> nat -> nat).
  Hypotheses (W : wf b) (HA : aln_cert m b A).

  Lemma cert_mono w u n i j : In u (peers b w) -> In (w, snd n) (keys b) -> i <= j ->
    j <= len b u ->
    A w u n i <= A w u n j.
  Proof.
    intros Hu Hn. induction 1 as [|j L IH]; intros Hj; [lia|].
    destruct (HA w u Hu n Hn) as [_ H]. specialize (H j Hj). specialize (IH ltac:(lia)). lia.
  Qed.

  (** Outside of the graph a potential says nothing. *)
  Definition level (w : nat) (n : node) (J : progress) : nat :=
    if snd n <? len b w then average b A w n J else 0.

  Lemma average_potential w q : w < length b ->
    potential m b no_unit no_queue w q (fun k => level w (false, k)) (fun k => level w (true, k)).
  Proof.
    intros Lw.
    assert (forall n, In (w, snd n) (keys b) -> forall J, level w n J = average b A w n J) as Lev.
    { intros n Hn J. unfold level. apply in_keys in Hn as [_ Hn]. apply Nat.ltb_lt in Hn.
      rewrite Hn. reflexivity. }
    pose proof (peers_pos b w) as Pos.
    assert (forall n J J', reaches J J' -> level w n J <= level w n J') as Mo.
    { intros n J J' R. unfold level. destruct (Nat.ltb_spec (snd n) (len b w)) as [L|L]; [|lia].
      apply Nat.div_le_mono; [lia|]. apply sum_le. intros u Hu. specialize (R u).
      apply cert_mono; [exact Hu|apply in_keys; auto|lia|lia]. }
    apply graph_potential; auto.
    - intros n e J Hn He. destruct (edges_up m b W no_unit no_queue w q n e Hn He) as [He' _].
      rewrite !Lev by (apply Hn || apply He'). unfold average. apply div_more; [exact Pos|].
      apply sum_all. intros u Hu. destruct (HA w u Hu n (proj1 Hn)) as [H _]. apply (H e _ He). lia.
    - intros n [u i] J J' Hn [Hy [Nw [Sy [R [Hi Hj]]]]]. cbn [fst snd] in *.
      rewrite !Lev by apply Hn. unfold average. apply div_more; [exact Pos|].
      pose proof (proj1 (in_keys _ _ _) Hy) as [Lu Li].
      assert (In u (peers b w)) as Hu by (apply peers_in; [apply in_keys; lia|exact Nw]).
      apply (sum_more _ _ _ u); [exact Hu| |].
      + destruct (HA w u Hu n (proj1 Hn)) as [_ H]. specialize (H i Li).
        pose proof (cert_mono w u n (min (J u) (len b u)) i Hu (proj1 Hn)).
        pose proof (cert_mono w u n (S i) (min (J' u) (len b u)) Hu (proj1 Hn)).
        unfold others in *. lia.
      + intros v Hv. specialize (R v). apply cert_mono; [exact Hv|apply Hn|lia|lia].
  Qed.

  Lemma average_end w k : In (w, k) (keys b) ->
    level w (true, k) (everything b) + init (get b (w, k)) + lat (get b (w, k))
      <= aln_term b A (sec (get b (w, k))).
  Proof.
    intros Hk. unfold level. pose proof (proj1 (in_keys _ _ _) Hk) as [Lw Lk].
    cbn [snd]. rewrite (proj2 (Nat.ltb_lt _ _) Lk). unfold average, everything.
    transitivity (sum (align b A (sec (get b (w, k))) w) (peers b w) / others b w).
    - rewrite <- Nat.add_assoc. apply div_more; [apply peers_pos|]. apply sum_all. intros u _.
      rewrite Nat.min_id, Nat.add_assoc. apply list_max_ge, in_map_iff. exists k.
      split; [reflexivity|]. apply filter_In. split; [apply in_seq; lia|apply Nat.eqb_refl].
    - apply list_max_ge, in_map_iff. exists w. split; [reflexivity|apply in_seq; lia].
  Qed.

  (** *** Theorem 1, ALN *)
  Theorem aln_bound s : machine_ok m -> valid m b s ->
    (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
    forall x, In x (keys b) -> C s x <= aln m b A.
  Proof.
    intros M V One Zero x Hx. apply (potential_bound m b s M W V One Zero); [|exact Hx].
    intros w q L.
    exists no_unit, no_queue, (fun k => level w (false, k)), (fun k => level w (true, k)).
    split; [apply average_potential, L|]. split; [discriminate|]. intros k Hk <- _.
    apply average_end, Hk.
  Qed.
End Aln.
