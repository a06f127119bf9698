(** * Chains through the busiest sub-cores: claims of blocks, and what a block amounts to in K-CHAIN

    Tables of the latency path and of the changes of sub-core are made by untrusted code. *)

From Warpbound Require Import Base Cycles Model Elb ChainWalk ChainWork ChainSlot ChainTurns
  ChainBlock ChainFormulas Stay ChainGrid ChainKind Checks Forward Compute CheckFast.

(** Units beyond the sub-cores that there are count as shared. *)
Definition within (cores : nat) (home : nat -> option nat) (f : nat) : option nat :=
  match home f with Some c => if c <? cores then Some c else None | None => None end.

Lemma within_less cores home f c : within cores home f = Some c -> c < cores.
Proof.
  unfold within. destruct (home f) as [d|]; [|discriminate].
  destruct (Nat.ltb_spec d cores); congruence.
Qed.

(** Unit [f] is in the reach of sub-core [c]. *)
Definition reach_b (home : nat -> option nat) (c f : nat) : bool := match home f with Some d =>
  d =? c | None => true end.

Lemma reach_b_ok home c f : reach_b home c f = true -> reach home c f.
Proof.
  unfold reach_b, reach. destruct (home f) as [d|]; [|auto]. intros E. apply Nat.eqb_eq in E. subst.
  auto.
Qed.

(** Every unit is in the reach of the sub-cores that use it. *)
Definition homes_b (m : machine) (b : block) (home : nat -> option nat) : bool :=
  forallb (fun y => let i := get b y in (init i =? 0) || reach_b home (core m (fst y)) (fu i))
    (keys b).

Lemma homes_b_ok m b home : homes_b m b home = true ->
  forall y, In y (keys b) -> 1 <= init (get b y) -> reach home (core m (fst y)) (fu (get b y)).
Proof.
  unfold homes_b. intros H y Hy Hi. rewrite forallb_forall in H. specialize (H y Hy). cbv zeta in H.
  apply orb_prop in H as [H|H].
  - apply Nat.eqb_eq in H. lia.
  - apply reach_b_ok, H.
Qed.

(** [h] is a certificate of changes of sub-core. *)
Definition turns_b (m : machine) (b : block) (h : key -> nat) : bool :=
  forallb (fun x => forallb (fun y =>
    let i := get b x in let j := get b y in
    if negb (group m (fst y) =? group m (fst x)) then true
    else if sec j <? sec i then h y + differ (core m (fst y)) (core m (fst x)) <=? h x
    else if (sec j =? sec i) && (core m (fst y) =? core m (fst x)) then h y <=? h x else true)
      (keys b)) (keys b).

Lemma turns_b_ok m b h : turns_b m b h = true -> turns_cert m b h.
Proof.
  unfold turns_b. intros H x y Hx Hy G. rewrite forallb_forall in H. specialize (H x Hx).
  rewrite forallb_forall in H. specialize (H y Hy). cbv zeta in H. rewrite G, Nat.eqb_refl in H.
  cbn [negb] in H. split.
  - intros S. apply Nat.ltb_lt in S. rewrite S in H. apply Nat.leb_le, H.
  - intros S C. rewrite S, C, Nat.ltb_irrefl, !Nat.eqb_refl in H. apply Nat.leb_le, H.
Qed.

(** What the tables of the latency path and of private units must be. *)
Definition chain_tables (m : machine) (b : block) (home : nat -> option nat) (L : key -> nat) :
  bool :=
  wf_fast b && (lam_fast b m L && homes_b m b home).

Lemma chain_tables_ok m b home L : chain_tables m b home L = true -> wf b /\ lam_cert m b L
  /\ forall y, In y (keys b) -> 1 <= init (get b y) -> reach home (core m (fst y)) (fu (get b y)).
Proof.
  unfold chain_tables. intros H. apply andb_prop in H as [W H]. apply andb_prop in H as [A H].
  apply wf_fast_ok in W. split; [exact W|].
  split; [apply lam_fast_cert; assumption|apply homes_b_ok, H].
Qed.

(** A claim of a thread block [g] that is alone: W and lam. *)
Definition chain_claim (b : block) (m : machine) (home : nat -> option nat) (cores g : nat)
  (l : list (list nat)) (bound : nat) : bool :=
  let t := table_of (indexed l) in let L := found 0 t in
  forallb (fun x => group m (fst x) =? g) (keys b)
  && (chain_tables m b (within cores home) L && (fine_work m b (within cores home) cores g
    + top_fast b L <=? bound)).

(** A claim of chains that the extracted checker accepts holds. *)
Theorem chain_claim_ok b m home cores g l bound : chain_claim b m home cores g l bound = true ->
  machine_ok m ->
  forall s, valid m b s -> forall x, In x (keys b) -> C s x <= begin s g + bound.
Proof.
  unfold chain_claim. cbv zeta. intros H M s V x Hx. apply andb_prop in H as [A H].
  apply andb_prop in H as [T H]. apply chain_tables_ok in T as [W [HL Home]]. apply Nat.leb_le in H.
  rewrite (top_fast_ok b _ _ (fun y _ => eq_refl)) in H. rewrite forallb_forall in A.
  pose proof (turnsI_cert b m) as HT. set (h := turnsI b m) in HT.
  assert (forall y, In y (keys b) -> group m (fst y) = g -> h y + 1 <= list_max (map h (keys b))
    + 1) as HC.
  { intros y Hy _. apply Nat.add_le_mono_r, list_max_ge, (in_map h), Hy. }
  pose proof (chain_alone m b _ h _ cores g _ _ M W HL HT (fun y Hy _ => top_ge b _ y Hy) HC Home
    (within_less cores home) s x V (fun y Hy => proj1 (Nat.eqb_eq _ _) (A y Hy)) Hx) as B. lia.
Qed.

(** What a thread block [g] amounts to, its windows being sections or the whole of it. *)
Definition chain_kind_of (b : block) (m : machine) (home : nat -> option nat) (cores g : nat)
  (L h : key -> nat) (fine : bool) : chain_kind :=
  let last := list_max (map (fun x => sec (get b x)) (keys b)) in
  chain_of m b (within cores home) cores L h (fun x => if fine then sec (get b x) else 0)
    (if fine then S last else 1) g.
