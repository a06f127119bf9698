(** * G_s(w) of docs/proofs.md, section 1, with the queues of section 9, and potentials along its
    edges *)

From Warpbound Require Import Base Cycles Model Potential.

(** (false, k) is the node I(k), (true, k) is D(k). *)
Definition node := (bool * nat)%type.

(** The last position before [k] that satisfies [p], if there is one. *)
Fixpoint last_before (p : nat -> bool) (k : nat) : list nat :=
  match k with 0 => [] | S j => if p j then [j] else last_before p j end.

(** The previous own instruction on the unit of [k] in its section, if there is one. *)
Definition previous (b : block) (w k : nat) : list nat :=
  let x := get b (w, k) in
  if 1 <=? init x then
    last_before (fun o => (sec (get b (w, o)) =? sec x) && (fu (get b (w, o)) =? fu x)) k
  else [].

(** Edges into a node, with their weights.  At a unit of [F] a start takes [Q] more (no such unit:
    the table of the page). *)
Definition edges (m : machine) (b : block) (F : nat -> bool) (Q : nat -> nat) (w : nat) (n : node) :
  list (node * nat) :=
  let (d, k) := n in
  let x := get b (w, k) in
  let same j := sec (get b (w, j)) =? sec x in
  let queue := if F (fu x) then Q (fu x) else 0 in
  if d then ((false, k), queue) :: map (fun o => ((true, o), init (get b (w, o)) + queue))
    (previous b w k)
  else match k with 0 => [] | S j => if same j then [((false, j), takes (get b (w, j)))] else [] end
    ++ map (fun p => ((true, p), init (get b (w, p)) + lat (get b (w, p)))) (filter same (ops x))
    ++ match depth m with
       | None => []
       | Some 0 => map (fun o => ((true, o), init (get b (w, o)))) (previous b w k)
       | Some (S _) => map (fun o => ((true, o), 0)) (previous b w k)
       end.

(** What [y] of another warp costs at a node. *)
Definition charge (m : machine) (b : block) (F : nat -> bool) (w : nat) (n : node)
  (y : key) : nat :=
  let (d, k) := n in
  if (1 <=? init (get b (w, k))) && (sec (get b y) =? sec (get b (w, k))) then
    if d then if F (fu (get b (w, k))) then 0 else charge_D b (w, k) y else charge_I m b (w, k) y
  else 0.

(** A node of the graph of section [q]. *)
Definition of_graph (b : block) (w q : nat) (n : node) : Prop :=
  In (w, snd n) (keys b) /\ sec (get b (w, snd n)) = q.
Definition height (n : node) : nat := 2 * snd n + if fst n then 1 else 0.

Lemma last_before_some p o : forall k, o < k -> p o = true ->
  exists l, last_before p k = [l] /\ p l = true /\ o <= l < k.
Proof.
  induction k as [|k IH]; intros Lo Po; [lia|]. simpl.
  destruct (p k) eqn:E; [exists k; repeat split; lia || auto|].
  destruct (Nat.eq_dec o k) as [->|N]; [congruence|]. destruct (IH ltac:(lia) Po) as [l [A [B D]]].
  exists l. repeat split; auto; lia.
Qed.

Lemma last_before_in p k l : In l (last_before p k) -> l < k /\ p l = true.
Proof.
  induction k as [|k IH]; [intros []|]. simpl. destruct (p k) eqn:E; [intros [<-|[]]; auto|].
  intros H. destruct (IH H). split; [lia|assumption].
Qed.

Lemma previous_in b w k o : In o (previous b w k) -> own_before b w o k.
Proof.
  unfold previous. destruct (1 <=? init (get b (w, k))) eqn:E; [|intros []]. intros H.
  apply last_before_in in H as [L P]. apply andb_prop in P as [P1 P2]. apply Nat.eqb_eq in P1, P2.
  apply Nat.leb_le in E. unfold own_before. auto.
Qed.

Section Graph.
  Variables (m : machine) (b : block).
  Hypothesis W : wf b.

  Lemma previous_some w k o : In (w, k) (keys b) -> own_before b w o k ->
    exists l, In l (previous b w k) /\ (l = o \/ own_before b w o l).
  Proof.
    intros Hk [Lo [So [Fo Io]]]. unfold previous. rewrite (proj2 (Nat.leb_le _ _) Io).
    destruct (last_before_some (fun o => (sec (get b (w, o)) =? sec (get b (w, k)))
      && (fu (get b (w, o)) =? fu (get b (w, k)))) o k Lo ltac:(cbv beta; rewrite So, Fo,
      !Nat.eqb_refl; reflexivity)) as [l [-> [P Ll]]]. exists l. split; [left; reflexivity|].
    apply andb_prop in P as [P1 P2]. apply Nat.eqb_eq in P1, P2.
    destruct (Nat.eq_dec l o) as [E|N]; [left; exact E|right]. unfold own_before.
    assert (In (w, l) (keys b)) as Hl by (eapply keys_before; [exact Hk|lia]).
    repeat split; try congruence; [lia|]. apply (same_unit b W (w, k) (w, l)); auto.
  Qed.

  (** Edges stay in the graph and go up. *)
  Lemma edges_up F Q w q n e : of_graph b w q n -> In e (edges m b F Q w n) ->
    of_graph b w q (fst e) /\ height (fst e) < height n.
  Proof.
    destruct n as [d k]. intros [Hk Hq] He. cbn [snd] in *.
    assert (forall o, In o (previous b w k) -> of_graph b w q (true, o) /\ o < k) as Pr.
    { intros o Ho. apply previous_in in Ho as [L [S _]]. split; [|exact L].
      split; cbn [snd]; [eapply keys_before; [exact Hk|lia]|congruence]. }
    destruct (W w k Hk) as [_ [Wp _]].
    unfold edges in He. cbv zeta in He. unfold height. destruct d; cbn [fst snd].
    - destruct He as [<-|He]; [split; [split; assumption|simpl; lia]|].
      apply in_map_iff in He as [o [<- Ho]]. destruct (Pr o Ho). simpl. split; [assumption|lia].
    - rewrite !in_app_iff in He. destruct He as [He|[He|He]].
      + destruct k as [|j]; [destruct He|].
        destruct (Nat.eqb_spec (sec (get b (w, j))) (sec (get b (w, S j)))); [|destruct He].
        destruct He as [<-|[]]. simpl. split; [|lia].
        split; [eapply keys_before; [exact Hk|simpl; lia]|simpl; congruence].
      + apply in_map_iff in He as [p [<- Hp]]. apply filter_In in Hp as [Hp Sp].
        apply Nat.eqb_eq in Sp. specialize (Wp p Hp). simpl. split; [|lia].
        split; [eapply keys_before; [exact Hk|simpl; lia]|simpl; congruence].
      + assert (exists o, In o (previous b w k) /\ fst e = (true, o)) as [o [Ho E]].
        { destruct (depth m) as [[|]|]; [| |destruct He]; apply in_map_iff in He as [o [<- Ho]];
            eauto. }
        rewrite E. destruct (Pr o Ho). simpl. split; [assumption|lia].
  Qed.

  (** What a function of nodes keeps to at an instruction of section [q] that can wait so long in
      its queue: the edges to it, those of previous own instructions for all that there are. *)
  Definition keeps_edges (phi : node -> nat) (w q k wait : nat) : Prop :=
    (forall j, k = S j -> sec (get b (w, j)) = q -> phi (false, j) + takes (get b (w, j))
      <= phi (false, k))
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = q ->
         phi (true, p) + init (get b (w, p)) + lat (get b (w, p)) <= phi (false, k))
    /\ (forall o, own_before b w o k ->
         match depth m with
         | None => True
         | Some 0 => phi (true, o) + init (get b (w, o)) <= phi (false, k)
         | Some (S _) => phi (true, o) <= phi (false, k)
         end)
    /\ phi (false, k) + wait <= phi (true, k)
    /\ (forall o, own_before b w o k -> phi (true, o) + init (get b (w, o)) + wait
         <= phi (true, k)).

  Lemma edges_keep F Q w q (phi : node -> nat) :
    (forall n e, of_graph b w q n -> In e (edges m b F Q w n) -> phi (fst e) + snd e <= phi n) ->
    forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
    keeps_edges phi w q k (if F (fu (get b (w, k))) then Q (fu (get b (w, k))) else 0).
  Proof.
    intros Ed. assert (forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q -> forall o,
      own_before b w o k -> phi (true, o) + init (get b (w, o))
      + (if F (fu (get b (w, k))) then Q (fu (get b (w, k))) else 0) <= phi (true, k)) as Un.
    { induction k as [k IH] using lt_wf_ind. intros Hk Hq o Ho.
      destruct (previous_some w k o Hk Ho) as [l [Hl E]].
      pose proof (Ed (true, k) ((true, l), init (get b (w, l))
        + (if F (fu (get b (w, k))) then Q (fu (get b (w, k))) else 0)) (conj Hk Hq)) as G.
      specialize (G ltac:(right; apply in_map_iff; eauto)). cbn [fst snd] in G.
      destruct E as [->|E]; [lia|]. destruct (previous_in _ _ _ _ Hl) as [L [S [U _]]].
      specialize (IH l L ltac:(eapply keys_before; [exact Hk|lia]) ltac:(congruence) o E).
      rewrite U in IH. lia. }
    intros k Hk Sk. split; [|split; [|split; [|split]]].
    - intros j -> Sj. apply (Ed (false, S j) ((false, j), takes (get b (w, j))) (conj Hk Sk)).
      unfold edges. rewrite Sj, Sk, Nat.eqb_refl. left. reflexivity.
    - intros p Hp Sp. rewrite <- Nat.add_assoc.
      apply (Ed (false, k) ((true, p), init (get b (w, p)) + lat (get b (w, p))) (conj Hk Sk)).
      unfold edges. cbv zeta. apply in_or_app. right. apply in_or_app. left. apply in_map_iff.
      exists p. split; [reflexivity|]. apply filter_In. split; [exact Hp|]. apply Nat.eqb_eq.
      congruence.
    - intros o Ho. destruct (previous_some w k o Hk Ho) as [l [Hl E]].
      destruct (previous_in _ _ _ _ Hl) as [L [S _]].
      assert (In (w, l) (keys b)) as Kl by (eapply keys_before; [exact Hk|lia]).
      pose proof (Un l Kl ltac:(congruence) o) as Ul.
      assert (forall e, In e (match depth m with
         | None => [] | Some 0 => map (fun o => ((true, o), init (get b (w, o)))) (previous b w k)
         | Some (S _) => map (fun o => ((true, o), 0)) (previous b w k) end) ->
         phi (fst e) + snd e <= phi (false, k)) as G.
      { intros e He. apply Ed; [split; assumption|]. unfold edges. cbv zeta. apply in_or_app. right.
        apply in_or_app. right. exact He. }
      destruct (depth m) as [[|d]|]; [| |exact Logic.I].
      + specialize (G ((true, l), init (get b (w, l))) ltac:(apply in_map_iff; eauto)).
        cbn [fst snd] in G. destruct E as [->|E]; [lia|specialize (Ul E); lia].
      + specialize (G ((true, l), 0) ltac:(apply in_map_iff; eauto)). cbn [fst snd] in G.
        destruct E as [->|E]; [lia|specialize (Ul E); lia].
    - apply (Ed (true, k) ((false, k), _) (conj Hk Sk)). left. reflexivity.
    - intros o Ho. apply Un; assumption.
  Qed.

  (** A function of nodes that respects edges and charges is a potential. *)
  Theorem graph_potential F Q w q (phi : node -> progress -> nat) :
    (forall n J J', reaches J J' -> phi n J <= phi n J') ->
    (forall n e J, of_graph b w q n -> In e (edges m b F Q w n) -> phi (fst e) J + snd e
      <= phi n J) ->
    (forall n y J J', of_graph b w q n -> passes b w q J J' y -> phi n J + charge m b F w n y
      <= phi n J') ->
    potential m b F Q w q (fun k => phi (false, k)) (fun k => phi (true, k)).
  Proof.
    intros Mo Ed Ch.
    pose proof (fun J => edges_keep F Q w q (fun n => phi n J) (fun n e => Ed n e J)) as K.
    unfold keeps_edges in K. constructor.
    - intros k J J' H. split; apply Mo, H.
    - intros j J Hk Sj Sk. apply (K J (S j) Hk Sk); auto.
    - intros k p J Hk Sk Hp Sp. apply (K J k Hk Sk); auto.
    - intros k o J Hk Sk Ho. apply (K J k Hk Sk); auto.
    - intros k J Hk Sk. apply (K J k Hk Sk).
    - intros k o J Hk Sk Ho. apply (K J k Hk Sk); auto.
    - intros k y J J' Hk Sk Hi Hp. specialize (Ch (false, k) y J J' (conj Hk Sk) Hp).
      unfold charge in Ch. destruct Hp as [_ [_ [Sy _]]].
      rewrite (proj2 (Nat.leb_le _ _) Hi), Sy, Sk, Nat.eqb_refl in Ch. exact Ch.
    - intros k y J J' Hk Sk Hi HF Hp. specialize (Ch (true, k) y J J' (conj Hk Sk) Hp).
      unfold charge in Ch. destruct Hp as [_ [_ [Sy _]]].
      rewrite (proj2 (Nat.leb_le _ _) Hi), Sy, Sk, Nat.eqb_refl, HF in Ch. exact Ch.
  Qed.
End Graph.

(** Without queues. *)
Definition no_unit (f : nat) : bool := false.
Definition no_queue (f : nat) : nat := 0.
