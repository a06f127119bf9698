(** * Checkers of certificates in nearly linear time

    Each barrier is one number a thread block and section, and each unit remembers its last
    instruction.  These are extracted and compared with warpbound-check (check/).  Instances
    and the issue width are not looked at: what is accepted holds for any. *)

From Warpbound Require Import Base Cycles Model Elb Isolation Bounds Checks Forward Compute
  Sections.

(** ** Well-formed programs *)

(** Whether the instructions of a number have a unit. *)
Definition kinds (l : list (key * instr)) : Table.t bool :=
  fold_left (fun t y => Table.add (fu (snd y), 0) (1 <=? init (snd y)) t) l (Table.empty bool).

(** The block is well-formed. *)
Definition wf_fast (b : block) : bool :=
  let l := indexed b in let g := looked_up b in let t := kinds l in
  all (fun y : key * instr => let (x, i) := y in
    Bool.eqb (found true t (fu i, 0)) (1 <=? init i)
    && (all (fun p => p <? snd x) (ops i)
    && match snd x with 0 => true | S j => sec (g (fst x, j)) <=? sec i end)) l.

Lemma each_key (p : key * instr -> bool) b : all p (indexed b) = true ->
  forall x, In x (keys b) -> p (x, get b x) = true.
Proof.
  intros H x Hx. apply (all_ok _ _ H). rewrite indexed_keys. apply in_map_iff. exists x.
  split; [reflexivity|exact Hx].
Qed.

Theorem wf_fast_ok b : wf_fast b = true -> wf b.
Proof.
  intros H. pose proof (each_key _ b H) as A. cbv beta iota zeta in A. clear H.
  assert (forall w k, In (w, k) (keys b) -> forall j, j < k -> sec (get b (w, j))
    <= sec (get b (w, k))) as S.
  { intros w. induction k as [|k IH]; intros Hk j Hj; [lia|]. pose proof (A _ Hk) as B.
    apply andb_prop in B as [_ B]. apply andb_prop in B as [_ B]. cbn [fst snd] in B.
    rewrite looked_up_get in B. apply Nat.leb_le in B.
    destruct (Nat.eq_dec j k) as [->|N]; [exact B|].
    specialize (IH (keys_before _ _ _ k Hk ltac:(lia)) j ltac:(lia)). lia. }
  intros w k Hk. split; [|split; [|apply S, Hk]].
  - intros y Hy F Z. pose proof (A _ Hk) as B1. pose proof (A _ Hy) as B2.
    apply andb_prop in B1 as [B1 _]. apply andb_prop in B2 as [B2 _]. apply eqb_prop in B1, B2.
    rewrite F, B1, Z in B2. destruct (init (get b y)); [reflexivity|discriminate].
  - intros p Hp. pose proof (A _ Hk) as B. apply andb_prop in B as [_ B].
    apply andb_prop in B as [B _]. pose proof (all_ok _ _ B p Hp) as P. cbv beta in P.
    apply Nat.ltb_lt in P. exact P.
Qed.

(** ** The latency path *)

(** The largest [L] of a thread block in a section. *)
Definition note_top (m : machine) (L : key -> nat) (t : Table.t nat) (y : key * instr) :
  Table.t nat :=
  let c := (group m (fst (fst y)), sec (snd y)) in Table.add c (max (found 0 t c) (L (fst y))) t.
Definition section_tops (m : machine) (L : key -> nat) (l : list (key * instr)) : Table.t nat :=
  fold_left (note_top m L) l (Table.empty nat).

(** The certificate respects every edge of latency paths. *)
Definition lam_fast (b : block) (m : machine) (L : key -> nat) : bool :=
  let l := indexed b in let g := looked_up b in let tops := section_tops m L l in
  all (fun y : key * instr => let (x, i) := y in let w := fst x in
    match snd x with 0 => true | S j => L (w, j) <=? L x end
    && (all (fun p => L (w, p) + lat (g (w, p)) <=? L x) (ops i)
    && (if match snd x with 0 => true | S j => negb (sec (g (w, j)) =? sec i) end then
          all (fun q => match Table.find (group m w, q) tops with None => true | Some v =>
            v + release m (sec i) <=? L x end) (seq 0 (sec i))
        else true))) l.

Lemma find_same {A} (x : key) (v : A) t : Table.find x (Table.add x v t) = Some v.
Proof. rewrite TableFacts.add_eq_o; [reflexivity|]. apply key_eq. reflexivity. Qed.

Lemma find_other {A} (x y : key) (v : A) t : x <> y -> Table.find y (Table.add x v t)
  = Table.find y t.
Proof. intros H. apply TableFacts.add_neq_o. intros E. apply H, key_eq, E. Qed.

Lemma tops_from m L l : forall t c,
  (forall v, Table.find c t = Some v -> exists v', Table.find c (fold_left (note_top m L) l t)
    = Some v' /\ v <= v')
  /\ (forall y, In y l -> c = (group m (fst (fst y)), sec (snd y)) ->
      exists v', Table.find c (fold_left (note_top m L) l t) = Some v' /\ L (fst y) <= v').
Proof.
  induction l as [|z l IH]; intros t c; [split; [intros v H; exists v; auto|intros y []]|].
  cbn [fold_left]. set (t' := note_top m L t z). destruct (IH t' c) as [I1 I2].
  assert (c = (group m (fst (fst z)), sec (snd z)) -> Table.find c t'
    = Some (max (found 0 t c) (L (fst z)))) as Same.
  { intros ->. apply find_same. }
  split.
  - intros v Hv. destruct (key_dec (group m (fst (fst z)), sec (snd z)) c) as [E|N].
    + destruct (I1 _ (Same (eq_sym E))) as [v' [F G]]. exists v'. split; [exact F|].
      unfold found in G. rewrite Hv in G. lia.
    + apply I1. unfold t', note_top. rewrite find_other by exact N. exact Hv.
  - intros y [<-|Hy] E; [|apply I2; assumption].
    destruct (I1 _ (Same E)) as [v' [F G]]. exists v'. split; [exact F|lia].
Qed.

Theorem lam_fast_cert b m L : wf b -> lam_fast b m L = true -> lam_cert m b L.
Proof.
  intros W H. pose proof (each_key _ b H) as A. cbv beta iota zeta in A. clear H.
  assert (forall x y, In y (keys b) -> group m (fst y) = group m (fst x) -> sec (get b y)
    < sec (get b x) -> all (fun q => match Table.find (group m (fst x), q)
    (section_tops m L (indexed b)) with None => true | Some v =>
    v + release m (sec (get b x)) <=? L x end) (seq 0 (sec (get b x))) = true ->
    L y + release m (sec (get b x)) <= L x) as Top.
  { intros x y Hy G S T. pose proof (all_ok _ _ T (sec (get b y)) ltac:(apply in_seq; lia)) as Q.
    cbv beta in Q. destruct (proj2 (tops_from m L (indexed b) (Table.empty nat) (group m (fst x),
      sec (get b y))) (y, get b y)) as [v [F V]].
    - rewrite indexed_keys. apply in_map_iff. exists y. split; [reflexivity|exact Hy].
    - cbn [fst snd]. congruence.
    - unfold section_tops in Q. rewrite F in Q. apply Nat.leb_le in Q. cbn [fst] in V. lia. }
  assert (forall w k, In (w, k) (keys b) -> forall y, In y (keys b) -> group m (fst y)
    = group m w -> sec (get b y) < sec (get b (w, k)) -> L y + release m (sec (get b (w, k)))
    <= L (w, k)) as B.
  { intros w k. induction k as [|j IH]; intros Hk y Hy G Sy; pose proof (A _ Hk) as P; cbn [fst snd]
      in P; apply andb_prop in P as [P1 P]; apply andb_prop in P as [_ P].
    - apply (Top (w, 0)); assumption.
    - rewrite looked_up_get in P. destruct (Nat.eqb_spec (sec (get b (w, j)))
        (sec (get b (w, S j)))) as [E|N]; [|apply (Top (w, S j)); assumption].
      apply Nat.leb_le in P1. specialize (IH (keys_before _ _ _ j Hk ltac:(lia)) y Hy G ltac:(lia)).
      rewrite E in IH. lia. }
  intros w k Hk. pose proof (A _ Hk) as P. cbn [fst snd] in P. apply andb_prop in P as [P1 P].
  apply andb_prop in P as [P2 _]. split; [|split; [|apply B, Hk]].
  - intros j ->. apply Nat.leb_le, P1.
  - intros p Hp. pose proof (all_ok _ _ P2 p Hp) as Q. cbv beta in Q. rewrite looked_up_get in Q.
    apply Nat.leb_le, Q.
Qed.

(** ** Isolation *)

(** The instructions of a warp against the last one before them of the same section and unit:
    when it started, and when its initiation ended. *)
Fixpoint chain (d : option nat) (iI iD : nat -> nat) (t : Table.t (nat * nat))
  (l : list (nat * instr)) : bool :=
  match l with
  | [] => true
  | (k, i) :: r =>
      let c := (sec i, fu i) in let last := found (0, 0) t c in
      (snd last <=? iD k)
      && (match d with None => true | Some 0 => snd last <=? iI k | Some (S _) => fst last
        <=? iI k end && chain d iI iD (Table.add c (iD k, iD k + init i) t) r)
  end.

(** The certificate respects every edge of isolation. *)
Definition edges_fast (b : block) (m : machine) (iI iD : key -> nat) : bool :=
  let g := looked_up b in
  all (fun y : key * instr => let (x, i) := y in let w := fst x in
    match snd x with
    | 0 => true
    | S j => let o := g (w, j) in implb' (sec o =? sec i) (iI (w, j) + takes o <=? iI x)
    end
    && (all (fun p => let o := g (w, p) in implb' (sec o =? sec i) (iD (w, p) + init o + lat o
      <=? iI x)) (ops i) && (iI x <=? iD x))) (indexed b)
  && all (fun wl => chain (depth m) (fun k => iI (fst wl, k)) (fun k => iD (fst wl, k))
    (Table.empty (nat * nat)) (numbered (snd wl))) (numbered b).

Section Chain.
  Variables (d : option nat) (iI iD : nat -> nat).

  (** The times of [k] follow the last own ones on its unit. *)
  Definition behind (t : Table.t (nat * nat)) (k : nat) (i : instr) : Prop :=
    let last := found (0, 0) t (sec i, fu i) in
    snd last <= iD k /\ match d with None => True | Some 0 => snd last <= iI k | Some (S _) =>
      fst last <= iI k end.
  (** The issue in each entry is no later than its start. *)
  Definition ordered (t : Table.t (nat * nat)) : Prop := forall c, fst (found (0, 0) t c)
    <= snd (found (0, 0) t c).

  Lemma ordered_add t c x y : ordered t -> x <= y -> ordered (Table.add c (x, y) t).
  Proof.
    intros H L e. destruct (key_dec c e) as [->|N];
      [rewrite found_same; exact L|rewrite found_other by exact N; apply H].
  Qed.

  Lemma chain_step t k i r : chain d iI iD t ((k, i) :: r) = true ->
    behind t k i /\ chain d iI iD (Table.add (sec i, fu i) (iD k, iD k + init i) t) r = true.
  Proof.
    cbn [chain]. cbv zeta. intros H. apply andb_prop in H as [H1 H]. apply andb_prop in H as [H2 H].
    split; [|exact H]. split; [apply Nat.leb_le, H1|].
    destruct d as [[|e]|]; [apply Nat.leb_le, H2|apply Nat.leb_le, H2|exact Logic.I].
  Qed.

  Lemma chain_all l : forall t, ordered t -> chain d iI iD t l = true -> forall k i, In (k, i) l ->
    behind t k i.
  Proof.
    induction l as [|[j o] l IH]; intros t O H k i Hi; [destruct Hi|]. destruct Hi as [E|Hi].
    - inversion E; subst. apply (chain_step _ _ _ _ H).
    - apply chain_step in H as [B H].
      specialize (IH _ (ordered_add _ _ _ _ O (Nat.le_add_r _ _)) H k i Hi). unfold behind in *.
      destruct (key_dec (sec o, fu o) (sec i, fu i)) as [E|N].
      + rewrite E in IH, B. rewrite found_same in IH. cbn [fst snd] in IH.
        specialize (O (sec i, fu i)). destruct B as [B1 B2], IH as [I1 I2]. split; [lia|].
        destruct d as [[|e]|]; [lia|lia|exact Logic.I].
      + rewrite found_other in IH by exact N. exact IH.
  Qed.

  (** All before on the same unit in the same section. *)
  Lemma chain_pairs l : forall t, ordered t -> chain d iI iD t l = true ->
    forall a o io r k i, l = a ++ (o, io) :: r -> In (k, i) r -> sec io = sec i -> fu io = fu i ->
    iD o + init io <= iD k
    /\ match d with None => True | Some 0 => iD o + init io <= iI k | Some (S _) =>
         iD o <= iI k end.
  Proof.
    induction l as [|[j e] l IH]; intros t O H a o io r k i E Hi Hs Hf; [destruct a; discriminate|].
    apply chain_step in H as [_ H]. destruct a as [|z a].
    - inversion E; subst.
      pose proof (chain_all _ _ (ordered_add _ _ _ _ O (Nat.le_add_r _ _)) H k i Hi) as B.
      unfold behind in B. rewrite Hs, Hf, found_same in B. exact B.
    - inversion E; subst.
      apply (IH _ (ordered_add _ _ _ _ O (Nat.le_add_r _ _)) H a o io r k i); auto.
  Qed.
End Chain.

Theorem edges_fast_ok b m iI iD : edges_fast b m iI iD = true -> iso_edges b m iI iD.
Proof.
  intros H. unfold edges_fast in H. cbv zeta in H. apply andb_prop in H as [A H].
  pose proof (each_key _ b A) as B. cbv beta iota in B. clear A.
  intros w k Hk. pose proof (B _ Hk) as P. cbn [fst snd] in P. clear B.
  apply andb_prop in P as [P1 P]. apply andb_prop in P as [P2 P3].
  split; [|split; [|split]].
  - intros j -> E. rewrite looked_up_get, E, Nat.eqb_refl in P1. apply Nat.leb_le, P1.
  - intros p Hp E. pose proof (all_ok _ _ P2 p Hp) as Q. cbv beta in Q.
    rewrite looked_up_get, E, Nat.eqb_refl in Q. apply Nat.leb_le, Q.
  - apply Nat.leb_le, P3.
  - intros o Lo So Fo. apply in_keys in Hk as [Hw Hl].
    assert (In (w, nth w b []) (numbered b)) as Hn.
    { rewrite (numbered_is [] b). apply in_map_iff. exists w.
      split; [reflexivity|apply in_seq; lia]. }
    pose proof (all_ok _ _ H _ Hn) as Ch. cbv beta in Ch. cbn [fst snd] in Ch.
    rewrite (numbered_is nop) in Ch. unfold len in Hl. set (l := nth w b []) in *.
    assert (seq 0 (length l) = seq 0 o ++ o :: seq (S o) (k - S o) ++ k ::
      seq (S k) (length l - S k)) as E.
    { replace (length l) with (o + S (k - S o + S (length l - S k))) at 1 by lia.
      rewrite seq_app. f_equal. cbn [seq Nat.add]. f_equal. rewrite seq_app. f_equal. cbn [seq].
      replace (S o + (k - S o)) with k by lia. reflexivity. }
    rewrite E, map_app in Ch. cbn [map] in Ch. change (nth o l nop) with (get b (w, o)) in Ch.
    apply (chain_pairs _ _ _ _ _ (fun c => ltac:(unfold found; rewrite TableFacts.empty_o; simpl;
      lia)) Ch _ o (get b (w, o)) _ k (get b (w, k)) eq_refl); auto. rewrite map_app.
    apply in_or_app. right. left. reflexivity.
Qed.

(** ** Claims *)

(** [shared] has every unit that two sub-cores use. *)
Definition shares_fast (m : machine) (shared : nat -> bool) (l : list (key * instr)) : bool :=
  let t := fold_left (fun t y => Table.add (fu (snd y), 0) (core m (fst (fst y))) t) l
    (Table.empty nat) in
  all (fun y => shared (fu (snd y)) || (found 0 t (fu (snd y), 0) =? core m (fst (fst y)))) l.

(** By thread block [g], alone: tables of [lam], and of I(k) and D(k) in isolation, made by
    untrusted code. *)
Definition elb_claim (b : block) (m : machine) (l : list (list nat)) (bound : nat) : bool :=
  let t := table_of (indexed l) in let L := found 0 t in
  wf_fast b && (lam_fast b m L && (E_fast b + top_fast b L <=? bound)).

(** The tables are a certificate of isolation of thread block [g]. *)
Definition iso_claim (b : block) (m : machine) (g : nat) (iI iD : key -> nat) : bool :=
  wf_fast b && (all (fun x => group m (fst x) =? g) (keys b) && edges_fast b m iI iD).

(** The checker of claims of FIB. *)
Definition fib_claim (b : block) (m : machine) (g : nat) (lI lD : list (list nat)) (bound : nat) :
  bool :=
  let tI := table_of (indexed lI) in let tD := table_of (indexed lD) in
  iso_claim b m g (found 0 tI) (found 0 tD) && (fib_charge_fast b m (found 0 tD) g <=? bound).

(** The checker of claims of SIB. *)
Definition sib_claim (b : block) (m : machine) (shared : nat -> bool) (g : nat)
  (lI lD : list (list nat)) (bound : nat) : bool :=
  let tI := table_of (indexed lI) in let tD := table_of (indexed lD) in
  iso_claim b m g (found 0 tI) (found 0 tD)
  && (shares_fast m shared (indexed b) && (sib_shared_fast b m shared (found 0 tD) g <=? bound)).

(** The machine of a claim, with any instances and issue width. *)
Definition with_any (m : machine) (i : nat -> nat) (w : nat) : machine :=
  Machine i (depth m) w (core m) (group m) (release m).

(** A claim of ELB that the extracted checker accepts holds. *)
Theorem elb_claim_ok b m l bound : elb_claim b m l bound = true ->
  forall i w, machine_ok (with_any m i w) -> forall s, valid (with_any m i w) b s ->
  forall x, In x (keys b) -> C s x <= begin s (group m (fst x)) + bound.
Proof.
  intros H i w. change (elb_claim b (with_any m i w) l bound = true) in H.
  change (group m) with (group (with_any m i w)). generalize dependent (with_any m i w).
  clear m i w. intros m H M s V x Hx. unfold elb_claim in H. cbv zeta in H.
  apply andb_prop in H as [W H]. apply andb_prop in H as [A H]. apply wf_fast_ok in W.
  apply Nat.leb_le in H. apply (lam_fast_cert b m _ W) in A.
  pose proof (elb m b s M W V _ A x Hx) as B. rewrite (top_fast_ok b _ _ (fun y _ => eq_refl)) in H.
  rewrite E_fast_ok in H. lia.
Qed.

Lemma iso_claim_ok b m g iI iD : iso_claim b m g iI iD = true -> wf b /\ alone b m g /\
  iso_edges b m iI iD.
Proof.
  unfold iso_claim. intros H. apply andb_prop in H as [W H]. apply andb_prop in H as [A H].
  split; [apply wf_fast_ok, W|]. split; [|apply edges_fast_ok, H].
  intros x Hx. apply Nat.eqb_eq. apply (all_ok _ _ A x Hx).
Qed.

(** A claim of FIB that the extracted checker accepts holds. *)
Theorem fib_claim_ok b m g lI lD bound : fib_claim b m g lI lD bound = true ->
  forall i w, machine_ok (with_any m i w) -> forall s, valid (with_any m i w) b s ->
  forall x, In x (keys b) -> C s x <= begin s g + bound.
Proof.
  intros H i w. change (fib_claim b (with_any m i w) g lI lD bound = true) in H.
  generalize dependent (with_any m i w). clear m i w. intros m H M s V x Hx. unfold fib_claim in H.
  cbv zeta in H. apply andb_prop in H as [A H]. apply Nat.leb_le in H.
  apply iso_claim_ok in A as [W [A HE]].
  rewrite (fib_charge_fast_ok b m _ _ g (fun y _ => eq_refl)) in H.
  pose proof (fib_bound m b s _ _ g M W V HE x A Hx). lia.
Qed.

Lemma shares_fast_ok b m shared : shares_fast m shared (indexed b) = true -> shares b m shared.
Proof.
  unfold shares_fast. cbv zeta. intros H x y Hx Hy F N. pose proof (each_key _ b H) as A.
  cbv beta in A. pose proof (A x Hx) as B1. pose proof (A y Hy) as B2. cbn [fst snd] in B1, B2.
  rewrite <- F in B2. destruct (shared (fu (get b x))); [reflexivity|]. simpl in B1, B2.
  apply Nat.eqb_eq in B1, B2. congruence.
Qed.

(** A claim of SIB that the extracted checker accepts holds. *)
Theorem sib_claim_ok b m shared g lI lD bound : sib_claim b m shared g lI lD bound = true ->
  forall i w, machine_ok (with_any m i w) -> forall s, valid (with_any m i w) b s ->
  forall x, In x (keys b) -> C s x <= begin s g + bound.
Proof.
  intros H i w. change (sib_claim b (with_any m i w) shared g lI lD bound = true) in H.
  generalize dependent (with_any m i w). clear m i w. intros m H M s V x Hx. unfold sib_claim in H.
  cbv zeta in H. apply andb_prop in H as [A H]. apply andb_prop in H as [Sh H].
  apply Nat.leb_le in H. apply iso_claim_ok in A as [W [A HE]]. apply shares_fast_ok in Sh.
  pose proof (sib_shared_fast_ok b m shared _ (found 0 (table_of (indexed lD))) g (fun y _ =>
    eq_refl) Sh) as B. pose proof (sib_charge_bound m b s _ _ g M W V HE x A Hx). lia.
Qed.
