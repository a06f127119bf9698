(** * K-CHAIN with SIB in coarse sums, of thread blocks as they are written
    (docs/sub-core-bounds.md, sections 1 to 5)

    As ChainCopies.v; own is what SIB, or W and lam with sections, are more than coarse W. *)

From Coq Require Import Permutation.
From Warpbound Require Import Base Cycles Largest Model Elb Isolation Bounds ChainWalk ChainWork
  ChainSlot ChainBlock ChainFormulas ChainBalance ChainArea ChainKind Stay Copies SoloCopies
  StayCopies Ledger Grid GridLedger Kernel KernelCopies ChainGrid Chain ChainCopies PathChains.

Section Grid.
  Variables (G : grid) (X : execution).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i).
  Hypothesis V : grid_valid G X.
  Variables (t : nat -> block) (mt : nat -> machine) (wr un co : nat -> nat -> nat).
  Notation m b := (mach G (sm_of X b)).
  Notation p b := (prog G (sm_of X b)).
  Hypothesis R : forall b, b < blocks G -> renamed (t b) (mt b) (m b) (p b) b (wr b) (un b) (co b).
  Variables (home ht : nat -> nat -> option nat) (cores : nat).
  Hypothesis Home : forall i y, i < sms G -> In y (keys (prog G i)) ->
    1 <= init (get (prog G i) y) ->
    reach (home i) (core (mach G i) (fst y)) (fu (get (prog G i) y)).
  Hypothesis Cores : forall i f c, home i f = Some c -> c < cores.
  Hypothesis Homes : forall b x, b < blocks G -> of (m b) (p b) b x ->
    ht b (fu (get (t b) (there (wr b) x))) = option_map (co b)
      (home (sm_of X b) (fu (get (p b) x))).
  Hypothesis Renumbers : forall b, b < blocks G ->
    Permutation (map (co b) (seq 0 cores)) (seq 0 cores).
  Variables P T : nat -> key -> nat.
  Hypothesis Pots : forall b, b < blocks G -> lam_cert (by_itself (release (mt b))) (t b) (P b).
  Hypothesis Turns : forall b, b < blocks G -> turns_cert (mt b) (t b) (T b).

  (** SIB as it is written, with every unit in reach that sub-cores share; at depth 0 and unlimited
      depth. *)
  Hypothesis Depth : forall i, i < sms G -> depth (mach G i) = Some 0 \/ depth (mach G i) = None.
  Variables (iI iD : nat -> key -> nat) (shared : nat -> nat -> bool).
  Hypothesis Iso : forall b, b < blocks G -> iso_edges (t b) (mt b) (iI b) (iD b).
  Hypothesis Shares : forall b, b < blocks G -> shares_of (t b) (m b) (p b) b (wr b) (shared b).
  Definition written_sib (b : nat) : nat := block_bound (t b) (mt b)
    (shared_charge (t b) (mt b) (shared b)) (iD b) 0.

  Notation fine := (fine_chain t mt ht cores P T).
  Notation coarse := (coarse_chain t mt ht cores P T).

  (** beta: the less of SIB and of W + lam, for each thread block. *)
  Definition written_beta (b : nat) : nat := min (written_sib b)
    (fine_work (mt b) (t b) (ht b) cores 0 + lam_of (mt b) (t b) (P b) 0).
  Definition sib_chain (b : nat) : chain_kind :=
    let k := coarse b in Chain (cW k) (cX k) (cE k) (written_beta b - cW k) (cL k) (cH k).

  Notation paths := (written G wr P).
  Notation turned := (written_turn G wr T).
  Let HL := written_cert G X Mok V t mt wr un co R P Pots.
  Let HT := turn_cert G X V t mt wr un co R T Turns.

  Theorem sib_amounts b : b < blocks G -> let i := sm_of X b in
    path_amounts (mach G i) (prog G i) (home i) cores (paths i) (turned i) b (sib_chain b).
  Proof.
    intros Hb i. pose proof (proj1 (g_place _ _ V b Hb)) as Hi. fold i in Hi.
    destruct (Mok i Hi) as [M W]. pose proof (copy_amounts G X t mt wr un co R home ht cores Cores
      Homes Renumbers P T (fun _ _ => 0) (fun _ => 1) ltac:(intros; cbn; lia) b Hb) as A.
    cbv zeta in A. fold i in A. destruct A as [A1 A2 A3 A4 A5 A6 A7].
    change (written_chain t mt ht cores P T (fun _ _ => 0) (fun _ => 1) b) with (coarse b) in *.
    constructor; cbn [sib_chain cW cX cE cO cL cH]; auto.
    - apply (path_more _ _ _ _ (written_beta b)); [|lia]. unfold written_beta. apply path_least.
      + destruct (sib_there (t b) (mt b) (mach G i) (prog G i) b (wr b) (un b) (co b) (shared b)
          (iI b) (iD b) (R b Hb) W (Iso b Hb) (Depth i Hi) (Shares b Hb)) as [jI [jD [HJ Le]]].
        apply (path_more _ _ _ _ (block_bound (prog G i) (mach G i)
          (sib_charge (prog G i) (mach G i)) jD b)); [|exact Le].
        apply (path_sib _ _ _ _ jI jD (turned i)); auto.
      + apply (path_more _ _ _ _ (fine_work (mach G i) (prog G i) (home i) cores b
          + cL (coarse b))).
        * apply (path_chain _ _ _ _ _ (paths i) (turned i)); auto. apply Cores.
        * pose proof (copy_fine G X t mt wr un co R home ht cores Cores Homes Renumbers b Hb) as F.
          cbv zeta in F. fold i in F. unfold coarse_chain, written_chain. cbn [chain_of cL]. lia.
    - intros n. pose proof (copy_busiest (t b) (mt b) _ _ b _ _ _ (R b Hb) (ht b) (home i) cores
        (Renumbers b Hb) (Cores i) (fun x => Homes b x Hb) (fun _ => 0) (fun _ => 0) (fun _ _ =>
        eq_refl) 1) as B1. pose proof (copy_extras (t b) (mt b) _ _ b _ _ _ (R b Hb) (ht b) (home i)
        cores (Renumbers b Hb) (Cores i) (fun x => Homes b x Hb) (fun _ => 0) (fun _ => 0)
        (fun _ _ => eq_refl) 1) as B2. fold i in B1, B2.
      etransitivity; [apply Nat.add_le_mono; [apply Nat.eq_le_incl, B1|rewrite B2; apply le_n]|].
      apply le_n.
  Qed.

  Lemma sib_kept : ledger (run_of G X) (sms G) (slots G) (latency G) (fun c => plain (sib_chain c))
    /\ chains (run_of G X) (sms G) (slots G) (latency G) sib_chain.
  Proof.
    split.
    - apply (path_ledger G X sib_chain paths turned home cores Mok V HL sib_amounts).
    - apply (path_chains G X sib_chain paths turned home cores Mok V HL HT Home Cores sib_amounts).
  Qed.

  (** *** What the program adds up, with fine sums and with coarse ones *)
  Theorem sib_chains_kept ck : In ck [fine; sib_chain] ->
    ledger (run_of G X) (sms G) (slots G) (latency G) (fun c => plain (ck c)) /\
    chains (run_of G X) (sms G) (slots G) (latency G) ck.
  Proof.
    intros [<-|[<-|[]]]; [|exact sib_kept]. apply (chains_of_copies G X Mok V t mt wr un co R home
      ht cores Home Cores Homes Renumbers P T Pots Turns). left. reflexivity.
  Qed.

  (** *** Theorem 2 (K-CHAIN), static dispatch *)
  Theorem k_chain_static_sib b : b < blocks G ->
    ended X b <= min (k_chain_of G X fine (sm_of X b)) (k_chain_of G X sib_chain (sm_of X b))
      + service G * blocks G.
  Proof.
    intros Hb. rewrite <- Nat.add_min_distr_r. apply Nat.min_glb.
    - destruct (sib_chains_kept fine (or_introl eq_refl)) as [K1 K2].
      apply (kept_static G X fine V K1 K2 b Hb).
    - destruct sib_kept as [K1 K2]. apply (kept_static G X sib_chain V K1 K2 b Hb).
  Qed.

  (** *** Theorems 2, 3 and 4, with those of docs/proofs.md *)
  Theorem k_chain_sib kd b : amounts_of G X kd paths -> goes_anywhere G X ->
    (blocks G <= sms G * slots G -> dealt G X) -> b < blocks G ->
    let kinds := map kd (seq 0 (blocks G)) in
    let views := [map fine (seq 0 (blocks G)); map sib_chain (seq 0 (blocks G))] in
    let time := fun f => f (sms G) (slots G) (latency G) kinds views + service G * blocks G in
    ended X b <= time k_chain_least /\ ended X b <= time k_chain_area /\
    ended X b <= time k_chain_bal.
  Proof.
    intros HB Dyn Deal Hb kinds views time. split; [|split].
    - apply (kept_least G X paths kd [fine; sib_chain] Mok V HL HB sib_chains_kept Dyn b Deal Hb).
    - apply (kept_area G X paths kd [fine; sib_chain] Mok V HL HB sib_chains_kept Dyn b Deal Hb).
    - apply (kept_bal G X paths kd [fine; sib_chain] Mok V HL HB sib_chains_kept Dyn b Deal Hb).
  Qed.
End Grid.
