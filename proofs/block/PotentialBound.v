(** * Every potential is a bound: docs/proofs.md, the lemma of section 3, for theorems 1 and 3

    A thread block that is alone is a wave of one.  Its potentials, section by section, are a wave
    potential: each counts from the start of its section. *)

From Warpbound Require Import Base Cycles Model Instances Potential WavePotential WaveBound.

(** What other warps than [w] have issued to [f] in section [q] by [t], and what is not initiated to
    its end then. *)
Definition pending (b : block) (s : schedule) (w q f t : nat) : list key :=
  filter (fun y => negb (fst y =? w) && ((sec (get b y) =? q) && (on b f y &&
                     ((I s y <=? t) && (t <? D s y + ai s y))))) (keys b).

(** [Q f] is how long the instances of a unit of [F] need at most for what is pending there, at any
    time. *)
Definition queues_ok (m : machine) (b : block) (s : schedule) (F : nat -> bool) (Q : nat -> nat)
  (w q : nat) : Prop :=
  forall f t n, F f = true ->
    inst m f * n <= sum (fun y => init (get b y)) (pending b s w q f t) -> n <= Q f.

(** Of each of finitely many there is one: then there is a function. *)
Lemma finite_choice {A B} (dec : forall x y : A, {x = y} + {x <> y}) (P : A -> B -> Prop)
  (d : B) l : (forall x, In x l -> exists y, P x y) -> exists f, forall x, In x l /\ P x (f x) \/
  ~ In x l /\ f x = d.
Proof.
  induction l as [|a l IH]; intros H; [exists (fun _ => d); auto|].
  destruct (IH (fun x Hx => H x (or_intror Hx))) as [f F], (H a (or_introl eq_refl)) as [y Y].
  exists (fun x => if dec a x then y else f x). intros x.
  destruct (dec a x) as [<-|N]; [cbn; auto|]. destruct (F x) as [[H1 H2]|[H1 H2]]; cbn; intuition.
Qed.

(** Before any other warp has issued something. *)
Definition none : progress := fun _ => 0.

(** Potentials of warps and sections, of which those of instructions count. *)
Record family := Family {
  fF : nat -> bool; fQ : nat -> nat; fI : nat -> progress -> nat; fD : nat -> progress -> nat }.

Section Bound.
  Variables (m : machine) (b : block) (s : schedule).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s).
  (* one thread block, on a clean SM *)
  Hypotheses (One : forall v w, group m v = group m w) (Zero : forall g, begin s g = 0).

  Section Stay.
    Variables (of_section : key -> family) (B : nat -> nat).
    Notation fam x := (of_section (fst x, sec (get b x))).
    Hypothesis Mono : forall y k J J', reaches J J' ->
      fI (of_section y) k J <= fI (of_section y) k J' /\
      fD (of_section y) k J <= fD (of_section y) k J'.
    Hypothesis P : forall x, In x (keys b) ->
      potential m b (fF (fam x)) (fQ (fam x)) (fst x) (sec (get b x)) (fI (fam x)) (fD (fam x)).
    Hypothesis Queues : forall x, In x (keys b) -> queues_ok m b s (fF (fam x)) (fQ (fam x)) (fst x)
      (sec (get b x)).
    Hypothesis End : forall x, In x (keys b) -> 0 < fD (fam x) (snd x) none + init (get b x)
      + lat (get b x) ->
      fD (fam x) (snd x) (everything b) + init (get b x) + lat (get b x) <= B (sec (get b x)).

    (** [clip] counts no instructions that there are not. *)
    Definition clip (J : progress) : progress := fun u => min (J u) (len b u).

    (** What takes no time before others issue takes none: nothing is added to the start of the
        section. *)
    Definition within (p : family -> nat -> progress -> nat) (x : key) (J : progress) : nat :=
      if (p (fam x) (snd x) none =? 0) && (init (get b x) =? 0) then 0 else p (fam x) (snd x)
        (clip J).
    Definition from_start (p : family -> nat -> progress -> nat) (x : key) (J : progress) : nat :=
      sections m B (sec (get b x)) + within p x J.

    Lemma clip_reaches J J' : reaches J J' -> reaches (clip J) (clip J').
    Proof. intros R u. specialize (R u). unfold clip. lia. Qed.

    Lemma from_start_edge p p' o x e J : fst o = fst x -> sec (get b o) = sec (get b x) ->
      (forall K, p (fam x) (snd o) K + e <= p' (fam x) (snd x) K) ->
      (init (get b x) = 0 -> e = 0 -> init (get b o) = 0) ->
      from_start p o J + e <= from_start p' x J.
    Proof.
      intros E1 E2 H Z. unfold from_start, within. rewrite E1, E2. pose proof (H none).
      specialize (H (clip J)). destruct (Nat.eqb_spec (p' (fam x) (snd x) none) 0),
        (Nat.eqb_spec (init (get b x)) 0), (Nat.eqb_spec (p (fam x) (snd o) none) 0),
        (Nat.eqb_spec (init (get b o)) 0); cbn [andb]; lia.
    Qed.

    Lemma end_within x J : In x (keys b) -> within fD x J + init (get b x) + lat (get b x)
      <= B (sec (get b x)).
    Proof.
      intros Hx. specialize (End x Hx). pose proof
        (proj2 (Mono (fst x, sec (get b x)) (snd x) (clip J) (everything b) ltac:(intros u;
        apply Nat.le_min_r))). unfold within. destruct (Nat.eqb_spec (fD (fam x) (snd x) none) 0),
        (Nat.eqb_spec (init (get b x)) 0); cbn [andb]; lia.
    Qed.

    Lemma as_wave g there : (forall w, group m w = g) -> wave_potential m b g there
      (fun w q => fF (of_section (w, q))) (fun w q => fQ (of_section (w, q))) (from_start fI)
        (from_start fD).
    Proof.
      intros G. assert (forall x y J J', met m b g there (fst x) (sec (get b x)) J J' y ->
        passes b (fst x) (sec (get b x)) (clip J) (clip J') y) as Pass.
      { intros x y J J' [Hy [Me [R [[L1 L2] _]]]].
        apply meets_iff in Me as [N [[_ Sy]|[N' _]]]; [|rewrite G in N'; contradiction].
        pose proof (in_len b y Hy). repeat split; auto using clip_reaches; unfold clip; lia. }
      constructor.
      - intros x J J' R. destruct (Mono (fst x, sec (get b x)) (snd x) _ _ (clip_reaches J J' R)).
        unfold from_start, within. split; destruct (_ && _); lia.
      - intros w j J [Hx _] S. apply from_start_edge; auto; [|lia]. intros K. cbn [fst snd].
        apply (p_next _ _ _ _ _ _ _ _ (P (w, Datatypes.S j) Hx)); auto.
      - intros w k p J [Hx _] Hp S. rewrite <- Nat.add_assoc. apply from_start_edge; auto; [|lia].
        intros K. cbn [fst snd]. rewrite Nat.add_assoc.
        apply (p_ops _ _ _ _ _ _ _ _ (P (w, k) Hx)); auto.
      - intros w k o J [Hx _] Ho.
        pose proof (fun K => p_room _ _ _ _ _ _ _ _ (P (w, k) Hx) k o K Hx eq_refl Ho) as R.
        destruct Ho as [_ [So [_ Ix]]]. destruct (depth m) as [[|d]|]; [| |exact Logic.I].
        + apply from_start_edge; auto; lia.
        + rewrite <- (Nat.add_0_r (from_start fD _ J)). apply from_start_edge; auto; [|lia].
          intros K. rewrite Nat.add_0_r. apply R.
      - intros [w k] J [Hx _]. apply from_start_edge; auto. intros K.
        apply (p_start _ _ _ _ _ _ _ _ (P (w, k) Hx)); auto.
      - intros w k o J [Hx _] Ho. rewrite <- Nat.add_assoc.
        apply from_start_edge; auto; [apply Ho| |].
        2: { destruct Ho; cbn [fst snd]. lia. }
        intros K. cbn [fst snd]. rewrite Nat.add_assoc.
        apply (p_unit _ _ _ _ _ _ _ _ (P (w, k) Hx)); auto.
      - intros x o J [Hx _] [Ho _] L _. unfold from_start. pose proof (end_within o J Ho).
        enough (sections m B (sec (get b o)) + B (sec (get b o)) + release m (sec (get b x))
          <= sections m B (sec (get b x))) by lia. destruct (sec (get b x)) as [|r]; [lia|].
        cbn [sections]. destruct (Nat.eq_dec (sec (get b o)) r) as [->|N]; [lia|].
        pose proof (sections_le m B (sec (get b o)) (r - S (sec (get b o)))) as E.
        replace (S (sec (get b o)) + (r - S (sec (get b o)))) with r in E by lia. lia.
      - intros [w k] y J J' [Hx _] Ix Me. unfold from_start, within.
        rewrite (proj2 (Nat.eqb_neq (init (get b (w, k))) 0)) by lia. rewrite !andb_false_r.
        pose proof (p_charge_I _ _ _ _ _ _ _ _ (P (w, k) Hx) k y _ _ Hx eq_refl Ix
          (Pass _ _ _ _ Me)). cbn [fst snd] in *. lia.
      - intros [w k] y J J' [Hx _] Ix HF Me. unfold from_start, within.
        rewrite (proj2 (Nat.eqb_neq (init (get b (w, k))) 0)) by lia. rewrite !andb_false_r.
        pose proof (p_charge_D _ _ _ _ _ _ _ _ (P (w, k) Hx) k y _ _ Hx eq_refl Ix HF
          (Pass _ _ _ _ Me)). cbn [fst snd] in *. lia.
    Qed.

    Lemma stay_total x : In x (keys b) -> C s x <= total m b B.
    Proof.
      intros Hx. set (g := group m (fst x)).
      assert (forall w, group m w = g) as G by (intros w; apply One).
      pose proof (wave_bound m b s g 0 (fun _ => false) M W V ltac:(rewrite Zero; lia)
        ltac:(intros y _ N; rewrite G in N; contradiction) _ _ _ _ (as_wave g (fun _ => false) G))
        as H. assert (wave_queues_ok m b g (fun _ => false) s (fun w q => fF (of_section (w, q)))
        (fun w q => fQ (of_section (w, q)))) as Qs.
      { intros y f t n [Hy _] w q HF Hn. apply (Queues y Hy f t n HF). etransitivity; [exact Hn|].
        apply Nat.eq_le_incl. f_equal. apply filter_ext. intros z. unfold meets.
        rewrite G, Nat.eqb_refl, <- !andb_assoc. reflexivity. }
      specialize (H Qs x (conj Hx eq_refl)). pose proof (end_within x (everything b) Hx).
      unfold from_start in H.
      pose proof (sections_total m b B (sec (get b x)) ltac:(apply list_max_ge, in_map_iff; eauto)).
      lia.
    Qed.
  End Stay.

  (** *** Potentials for every warp and section whose ends are at most [B q], where something
      takes time, give the bound Σ B. *)
  Theorem potential_bound (B : nat -> nat) :
    (forall w q, w < length b -> exists F Q pI pD, potential m b F Q w q pI pD /\
      queues_ok m b s F Q w q
       /\ forall k, In (w, k) (keys b) -> sec (get b (w, k)) = q ->
            0 < pD k none + init (get b (w, k)) + lat (get b (w, k)) ->
            pD k (everything b) + init (get b (w, k)) + lat (get b (w, k)) <= B q) ->
    forall x, In x (keys b) -> C s x <= total m b B.
  Proof.
    intros H. set (l := list_prod (seq 0 (length b)) (seq 0 (S (last_section b)))).
    set (ok := fun (y : key) f => let (w, q) := y in potential m b (fF f) (fQ f) w q (fI f) (fD f)
      /\ queues_ok m b s (fF f) (fQ f) w q /\ forall k, In (w, k) (keys b) ->
      sec (get b (w, k)) = q -> 0 < fD f k none + init (get b (w, k)) + lat (get b (w, k)) ->
      fD f k (everything b) + init (get b (w, k)) + lat (get b (w, k)) <= B q).
    destruct (finite_choice key_eq ok (Family (fun _ => false) (fun _ => 0) (fun _ _ => 0)
      (fun _ _ => 0)) l) as [f Hf].
    { intros [w q] Hy. apply in_prod_iff in Hy as [Hw _]. apply in_seq in Hw.
      destruct (H w q ltac:(lia)) as [F [Q [pI [pD Hp]]]]. exists (Family F Q pI pD). exact Hp. }
    assert (forall w k, In (w, k) (keys b) ->
      ok (w, sec (get b (w, k))) (f (w, sec (get b (w, k))))) as Ok.
    { intros w k Hk. destruct (Hf (w, sec (get b (w, k)))) as [[_ Y]|[N _]]; [exact Y|destruct N].
      apply in_prod; apply in_seq; [apply in_keys in Hk; lia|].
      assert (sec (get b (w, k)) <= last_section b) by (apply list_max_ge, in_map_iff; eauto).
      lia. }
    apply (stay_total f B).
    - intros y k J J' R. destruct (Hf y) as [[_ Y]|[_ ->]]; [|split; apply le_n].
      destruct y as [w q]. apply (p_mono _ _ _ _ _ _ _ _ (proj1 Y) k J J' R).
    - intros [w k] Hk. apply (Ok w k Hk).
    - intros [w k] Hk. apply (Ok w k Hk).
    - intros [w k] Hk. apply (proj2 (proj2 (Ok w k Hk)) k Hk eq_refl).
  Qed.
End Bound.
