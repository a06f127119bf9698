(** * The serial time as a function: docs/sub-core-bounds.md, section 9

    L_c(j) as longest paths, which are the least numbers that the proof accepts; and the page's form
    of V, with the releases by themselves, which is no less. *)

From Warpbound Require Import Base Cycles Largest Model Elb Paths Serial.

Section SerialPaths.
  Variables (m : machine) (p : block).
  Notation grp x := (group m (fst x)).
  Notation at_core x := (core m (fst x)).

  (** An older section of the warp reads [k]. *)
  Definition read_before_b (w k q : nat) : bool :=
    existsb (fun z => existsb (Nat.eqb k) (ops (get p (w, z))) && (sec (get p (w, z)) <? q))
      (seq 0 (len p w)).

  (** Where chains begin: no instruction. *)
  Definition origin : key := (length p, 0).

  (** The edges of a section to an instruction. *)
  Definition section_preds (x : key) : list (key * nat) :=
    let (w, k) := x in
    let q := sec (get p x) in
    let same j := sec (get p (w, j)) =? q in
    match k with 0 => [] | S j => if same j then [((w, j), 0)] else [] end
    ++ map (fun j => ((w, j), lat (get p (w, j)))) (filter same (ops (get p x)))
    ++ map (fun j => (origin, lat (get p (w, j))))
         (filter (fun j => (sec (get p (w, j)) <? q) && negb (read_before_b w j q)) (ops (get p x)))
    ++ (if existsb (fun y => (grp y =? group m w) && (sec (get p y) <? q)) (keys p) then
      [(origin, release m q)] else []).

  (** The longest chain of the section to an instruction. *)
  Definition chain_to : key -> nat := lp section_preds (S (enough p)).

  (** The last section of thread block [g]. *)
  Definition last_section (g : nat) : nat :=
    list_max (map (fun x => if grp x =? g then sec (get p x) else 0) (keys p)).

  (** What [x] makes its sub-core wait for in section [q], where chains to issues are [ch] long: its
      issue; in the last section completion. *)
  Definition waits_by (ch : key -> nat) (g q : nat) (x : key) : nat :=
    let chain := if sec (get p x) =? q then ch x else 0 in
    if q <? last_section g then chain
    else if sec (get p x) =? q then chain + lat (get p x)
    else if read_before_b (fst x) (snd x) q then 0 else lat (get p x).

  (** The longest chain of a section on sub-core [c]. *)
  Definition chain_by (ch : key -> nat) (g c q : nat) : nat :=
    list_max (map (fun x => if (grp x =? g) && (at_core x =? c) then waits_by ch g q x else 0)
      (keys p)).

  (** L_c(j). *)
  Definition waits_for := waits_by chain_to.
  Definition chain_of := chain_by chain_to.

  (** V(b). *)
  Definition SERIAL (home : nat -> option nat) (cs : list nat) (g : nat) : nat :=
    serial_time m p home cs (chain_of g) (last_section g) g.

  Hypothesis W : wf p.

  Lemma read_before_ok w k q : read_before_b w k q = true <-> read_before p w k q.
  Proof.
    unfold read_before_b, read_before. rewrite existsb_exists. split; intros [z H]; exists z.
    - destruct H as [Hz H]. apply andb_prop in H as [H1 H2]. apply in_seq in Hz.
      apply existsb_exists in H1 as [y [Hy E]]. apply Nat.eqb_eq in E. subst y.
      apply Nat.ltb_lt in H2. split; [|auto]. apply in_keys. split; [|lia].
      destruct (le_lt_dec (length p) w) as [L|L]; [|exact L]. unfold len in Hz.
      rewrite (nth_overflow p) in Hz by exact L. cbn in Hz. lia.
    - destruct H as [Hz [H1 H2]]. apply in_keys in Hz as [_ Hz]. split; [apply in_seq; lia|].
      apply andb_true_intro. split; [apply existsb_exists; exists k; split;
        [exact H1|apply Nat.eqb_refl]|apply Nat.ltb_lt, H2].
  Qed.

  (** A node is an instruction or the origin. *)
  Definition node (x : key) : Prop := In x (keys p) \/ x = origin.
  (** Each edge raises the rank. *)
  Definition node_rank (x : key) : nat := if fst x <? length p then S (rank p x) else 0.

  Lemma origin_first : section_preds origin = [].
  Proof.
    unfold section_preds, origin. cbv beta iota zeta. replace (get p (length p, 0)) with nop.
    - cbn [ops sec nop map filter app]. destruct (existsb _ _) eqn:E; [|reflexivity].
      apply existsb_exists in E as [y [_ E]]. apply andb_prop in E as [_ E]. apply Nat.ltb_lt in E.
      lia.
    - unfold get. cbn [fst snd]. rewrite (nth_overflow p) by apply le_n. reflexivity.
  Qed.

  Lemma key_rank x : In x (keys p) -> node_rank x = S (rank p x).
  Proof.
    destruct x as [w k]. intros H. apply in_keys in H. unfold node_rank.
    rewrite (proj2 (Nat.ltb_lt _ _)) by apply H. reflexivity.
  Qed.

  Lemma origin_rank : node_rank origin = 0.
  Proof. unfold node_rank, origin. cbn [fst]. rewrite Nat.ltb_irrefl. reflexivity. Qed.

  Lemma section_ranked x e : node x -> In e (section_preds x) -> node (fst e) /\
    node_rank (fst e) < node_rank x.
  Proof.
    intros [Hx| ->] He; [|rewrite origin_first in He; destruct He]. rewrite (key_rank x Hx).
    destruct x as [w k]. unfold section_preds in He. rewrite !in_app_iff, !in_map_iff in He.
    assert (forall j, j < k -> node (w, j) /\ node_rank (w, j) < S (rank p (w, k))) as Own.
    { intros j Hj. destruct (rank_prog p W w k j Hx Hj) as [H1 H2]. rewrite (key_rank _ H1).
      split; [left; exact H1|lia]. }
    destruct He as [He|[[j [<- Hj]]|[[j [<- _]]|He]]].
    - destruct k as [|j]; [destruct He|]. destruct (_ =? _); [|destruct He]. destruct He as [<-|[]].
      apply Own. lia.
    - apply filter_In in Hj as [Hj _]. apply Own. apply (W w k Hx), Hj.
    - cbn [fst]. rewrite origin_rank. split; [right; reflexivity|lia].
    - destruct (existsb _ _); [|destruct He]. destruct He as [<-|[]]. cbn [fst].
      rewrite origin_rank. split; [right; reflexivity|lia].
  Qed.

  Lemma node_enough x : node x -> node_rank x < S (enough p).
  Proof.
    intros [Hx| ->]; [rewrite (key_rank x Hx); pose proof (enough_ok p x Hx);
      lia|rewrite origin_rank; lia].
  Qed.

  Lemma chain_edge x e : In x (keys p) -> In e (section_preds x) ->
    chain_to (fst e) + snd e <= chain_to x.
  Proof.
    intros Hx He. apply (lp_edge _ node node_rank);
      [apply section_ranked|left; exact Hx|apply node_enough; left; exact Hx|exact He].
  Qed.

  (** *** Longest paths are such numbers, *)
  Theorem chain_cert : section_cert m p chain_to.
  Proof.
    intros w k Hk. cbv zeta. pose proof (fun e => chain_edge (w, k) e Hk) as H.
    unfold section_preds in H. split; [|split; [|split]].
    - intros j -> E. specialize (H ((w, j), 0)). cbn [fst snd] in H. rewrite Nat.add_0_r in H.
      apply H. apply in_or_app. left. rewrite (proj2 (Nat.eqb_eq _ _) E). left. reflexivity.
    - intros j Hj E. apply (H ((w, j), lat (get p (w, j)))). apply in_or_app; right.
      apply in_or_app; left. apply in_map_iff. exists j. split; [reflexivity|]. apply filter_In.
      split; [exact Hj|apply Nat.eqb_eq, E].
    - intros j Hj E. destruct (read_before_b w j (sec (get p (w, k)))) eqn:R;
        [right; apply read_before_ok, R|left].
      etransitivity; [|apply (H (origin, lat (get p (w, j))))]; [cbn [snd]; lia|].
      apply in_or_app; right. apply in_or_app; right. apply in_or_app; left. apply in_map_iff.
      exists j. split; [reflexivity|]. apply filter_In. split; [exact Hj|].
      rewrite R, (proj2 (Nat.ltb_lt _ _) E). reflexivity.
    - intros y Hy Hg E.
      etransitivity; [|apply (H (origin, release m (sec (get p (w, k)))))]; [cbn [snd]; lia|].
      apply in_or_app; right. apply in_or_app; right. apply in_or_app; right.
      destruct (existsb _ _) eqn:X; [left; reflexivity|exfalso]. apply not_true_iff_false in X.
      apply X, existsb_exists. exists y. split; [exact Hy|].
      rewrite (proj2 (Nat.eqb_eq _ _) Hg), (proj2 (Nat.ltb_lt _ _) E). reflexivity.
  Qed.

  Lemma in_last_section x : In x (keys p) -> sec (get p x) <= last_section (grp x).
  Proof.
    intros Hx. unfold last_section. set (f := fun y => if grp y =? grp x then sec (get p y) else 0).
    pose proof (list_max_in_ge f (keys p) x Hx) as A. unfold f in A at 1. rewrite Nat.eqb_refl in A.
    exact A.
  Qed.

  Lemma waits_within x q : In x (keys p) -> waits_for (grp x) q x <= chain_of (grp x) (at_core x) q.
  Proof.
    intros Hx. unfold chain_of, chain_by. set (f := fun y => if (grp y =? grp x)
      && (at_core y =? at_core x) then waits_for (grp x) q y else 0).
    pose proof (list_max_in_ge f (keys p) x Hx) as A. unfold f in A at 1.
    rewrite !Nat.eqb_refl in A. exact A.
  Qed.

  (** The computed chains of a section bound the waits of each of its instructions. *)
  Theorem chain_chains g : section_chains m p chain_to g (last_section g) (chain_of g).
  Proof.
    intros w k Hk <-. cbv zeta. pose proof (in_last_section (w, k) Hk) as H0. cbn [fst] in H0.
    assert (forall q, waits_for (group m w) q (w, k) <= chain_of (group m w) (core m w) q) as Wt
      by (intros q; apply (waits_within (w, k) q Hk)). split; [exact H0|]. split; [|split].
    - etransitivity; [|apply Wt]. unfold waits_for, waits_by. rewrite Nat.eqb_refl.
      destruct (_ <? _); lia.
    - intros E. etransitivity; [|apply Wt]. unfold waits_for, waits_by.
      rewrite Nat.ltb_irrefl, <- E, Nat.eqb_refl. apply le_n.
    - intros E. destruct (read_before_b w k (last_section (group m w))) eqn:R;
        [right; apply read_before_ok, R|left]. etransitivity; [|apply Wt].
      unfold waits_for, waits_by. rewrite Nat.ltb_irrefl.
      destruct (Nat.eqb_spec (sec (get p (w, k))) (last_section (group m w))); [lia|].
      cbn [fst snd]. rewrite R. apply le_n.
  Qed.

  (** *** and the least: V by any others is no less. *)
  Theorem chain_least L : section_cert m p L -> forall x, In x (keys p) -> chain_to x <= L x.
  Proof.
    intros HL x Hx. set (L' := fun y => if fst y <? length p then L y else 0).
    assert (forall y, In y (keys p) -> L' y = L y) as E.
    { intros [w k] Hy. apply in_keys in Hy. unfold L'. rewrite (proj2 (Nat.ltb_lt _ _)) by apply Hy.
      reflexivity. }
    assert (L' origin = 0) as O by (unfold L', origin; cbn [fst]; rewrite Nat.ltb_irrefl;
      reflexivity). rewrite <- (E x Hx).
    apply (lp_least section_preds node node_rank section_ranked L'); [|left; exact Hx]. clear x Hx.
    intros x e [Hx| ->] He; [|rewrite origin_first in He; destruct He].
    pose proof (section_ranked x e (or_introl Hx) He) as [Hn _]. destruct x as [w k].
    rewrite (E _ Hx). destruct (HL w k Hx) as [L1 [L2 [L3 L4]]]. unfold section_preds in He.
    rewrite !in_app_iff, !in_map_iff in He. assert (forall j, j < k -> L' (w, j) = L (w, j)) as Own.
    { intros j Hj. apply E, (rank_prog p W w k j Hx Hj). }
    destruct He as [He|[[j [<- Hj]]|[[j [<- Hj]]|He]]].
    - destruct k as [|j]; [destruct He|].
      destruct (Nat.eqb_spec (sec (get p (w, j))) (sec (get p (w, S j)))) as [Eq|]; [|destruct He].
      destruct He as [<-|[]]. cbn [fst snd]. rewrite Own by lia. specialize (L1 j eq_refl Eq). lia.
    - apply filter_In in Hj as [Hj Eq]. apply Nat.eqb_eq in Eq. cbn [fst snd].
      rewrite Own by (apply (W w k Hx), Hj). auto.
    - apply filter_In in Hj as [Hj B]. apply andb_prop in B as [B1 B2]. apply Nat.ltb_lt in B1.
      cbn [fst snd]. rewrite O. destruct (L3 j Hj B1) as [H|H]; [exact H|].
      apply read_before_ok in H. rewrite H in B2. discriminate.
    - destruct (existsb _ _) eqn:X; [|destruct He]. destruct He as [<-|[]]. cbn [fst snd].
      rewrite O. apply existsb_exists in X as [y [Hy X]]. apply andb_prop in X as [X1 X2].
      apply Nat.eqb_eq in X1. apply Nat.ltb_lt in X2. apply (L4 y Hy X1 X2).
  Qed.

  (** No certificate gives a smaller V than the computed one. *)
  Theorem serial_least L g Q home cs : section_cert m p L ->
    section_chains m p L g (last_section g) Q ->
    SERIAL home cs g <= serial_time m p home cs Q (last_section g) g.
  Proof.
    intros HL HQ. apply sum_le. intros q Hq. apply in_seq in Hq. unfold section_time.
    apply Nat.add_le_mono_r. apply list_max_le_in. intros n Hn.
    apply in_map_iff in Hn as [c [<- Hc]].
    etransitivity; [|apply (list_max_in_ge (fun c => private_work m p home g q c + Q c q)), Hc].
    apply Nat.add_le_mono_l. apply list_max_le_in. intros n Hn.
    apply in_map_iff in Hn as [x [<- Hx]]. destruct (Nat.eqb_spec (grp x) g) as [Hg|]; [|cbn; lia].
    destruct (Nat.eqb_spec (at_core x) c) as [Ec|]; [|cbn; lia]. cbn [andb]. destruct x as [w k].
    cbn [fst] in *. destruct (HQ w k Hx Hg) as [Q1 [Q2 [Q3 Q4]]]. rewrite Ec in *.
    pose proof (chain_least L HL (w, k) Hx) as A. unfold waits_by. cbn [fst snd].
    destruct (Nat.ltb_spec q (last_section g)) as [E|E].
    - destruct (Nat.eqb_spec (sec (get p (w, k))) q) as [<-|]; lia.
    - assert (q = last_section g) as -> by lia.
      destruct (Nat.eqb_spec (sec (get p (w, k))) (last_section g)) as [Eq|Ne].
      + specialize (Q3 Eq). lia.
      + destruct (read_before_b w k (last_section g)) eqn:R; [lia|].
        destruct (Q4 ltac:(lia)) as [H|H]; [exact H|]. apply read_before_ok in H. congruence.
  Qed.
End SerialPaths.

(** ** The page's V: chains from the release on, releases by themselves *)

(** The machine with releases that take no time. *)
Definition at_once (m : machine) : machine := Machine (inst m) (depth m) (width m) (core m)
  (group m) (fun _ => 0).
(** The release before section [q]. *)
Definition released (m : machine) (q : nat) : nat := if q =? 0 then 0 else release m q.

(** Chains of a machine whose releases take no time, and the releases of all sections but the
    first. *)
Definition SERIAL_apart (m : machine) (p : block) (home : nat -> option nat) (cs : list nat)
  (g : nat) : nat :=
  SERIAL (at_once m) p home cs g + sum (released m) (seq 1 (last_section m p g)).

Section Apart.
  Variables (m : machine) (p : block).
  Hypothesis W : wf p.

  Lemma apart_cert L : section_cert (at_once m) p L ->
    section_cert m p (fun x => L x + released m (sec (get p x))).
  Proof.
    intros HL w k Hk. destruct (HL w k Hk) as [L1 [L2 [L3 L4]]]. cbv zeta.
    split; [|split; [|split]].
    - intros j E1 E2. specialize (L1 j E1 E2). rewrite E2. lia.
    - intros j Hj E. specialize (L2 j Hj E). rewrite E. lia.
    - intros j Hj E. destruct (L3 j Hj E); [left; lia|right; assumption].
    - intros y Hy Hg E. unfold released. destruct (Nat.eqb_spec (sec (get p (w, k))) 0); lia.
  Qed.

  Lemma apart_chains L g last Q : section_chains (at_once m) p L g last Q ->
    section_chains m p (fun x => L x + released m (sec (get p x))) g last (fun c q =>
      Q c q + released m q).
  Proof.
    intros HQ w k Hk Hg. destruct (HQ w k Hk Hg) as [Q1 [Q2 [Q3 Q4]]]. cbv zeta.
    cbn [core at_once] in *. split; [exact Q1|]. split; [lia|]. split.
    - intros E. specialize (Q3 E). rewrite E. lia.
    - intros E. destruct (Q4 E); [left; lia|right; assumption].
  Qed.

  Lemma most_more (f : nat -> nat) r l : list_max (map (fun c => f c + r) l)
    <= list_max (map f l) + r.
  Proof.
    apply list_max_le_in. intros n Hn. apply in_map_iff in Hn as [c [<- Hc]].
    pose proof (list_max_in_ge f l c Hc). lia.
  Qed.

  (** *** It is no less than V as proven: every release with the chains of its section. *)
  Theorem serial_apart home cs g : SERIAL m p home cs g <= SERIAL_apart m p home cs g.
  Proof.
    etransitivity; [apply (serial_least m p W _ g _ home cs
      (apart_cert _ (chain_cert (at_once m) p W))
      (apart_chains _ g _ _ (chain_chains (at_once m) p g)))|].
    unfold SERIAL_apart, SERIAL, serial_time.
    change (last_section (at_once m) p g) with (last_section m p g).
    transitivity (sum (fun q => section_time (at_once m) p home cs (chain_of (at_once m) p g) g q
      + released m q) (seq 0 (S (last_section m p g)))).
    - apply sum_le. intros q _. unfold section_time.
      pose proof (most_more (fun c => private_work m p home g q c + chain_of (at_once m) p g c q)
        (released m q) cs) as H. change (private_work (at_once m) p) with (private_work m p).
      change (shared_work (at_once m) p) with (shared_work m p).
      rewrite (map_ext (fun c => private_work m p home g q c
        + (chain_of (at_once m) p g c q + released m q)) (fun c =>
        private_work m p home g q c + chain_of (at_once m) p g c q + released m q))
        by (intros; lia). lia.
    - rewrite sum_add. cbn [seq]. rewrite (sum_cons (released m)). cbn [released Nat.eqb]. lia.
  Qed.
End Apart.
