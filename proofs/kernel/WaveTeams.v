(** * The wave by alignment (docs/wave-bounds.md, theorem 2), with teams of several warps on several
    sub-cores

    For every dispatch depth, width, number of instances and sub-cores, with releases, for times up
    to the stated ones.  No clean SM and no common start is asked for. *)

From Warpbound Require Import Base Cycles Largest Extras Model Potential Bounds Graph Aln Stay
  WavePotential WaveSum WaveSib WaveExtras Wave WaveMean Teams TeamPlans.

(** [k] changes of sub-cores at most: [turn w q] counts those before [g] can be at warp [w] in
    section [q]. *)
Definition moves (b : block) (m : machine) (g : nat) (turn : nat -> nat -> nat) (k : nat) : Prop :=
  (forall x o, of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
     turn (fst o) (sec (get b o)) + (if core m (fst o) =? core m (fst x) then 0 else 1)
       <= turn (fst x) (sec (get b x)))
  /\ forall x, of m b g x -> turn (fst x) (sec (get b x)) <= k.

(** The teams of thread block [h]: at most one warp on each sub-core, none twice, and every warp
    that has instructions with a unit is in one.  A team that other blocks have and [h] lacks is one
    of a warp that there is not. *)
Definition teams_of (m : machine) (b : block) (h : nat) (ts : list (list nat)) : Prop :=
  NoDup (concat ts)
  /\ (forall tm, In tm ts -> tm <> [] /\ forall v u, In v tm -> In u tm -> core m v
       = core m u -> v = u)
  /\ forall y, In y (keys b) -> group m (fst y) = h -> 1 <= init (get b y) -> exists tm, In tm ts /\
       In (fst y) tm.

(** ** One thread block *)

Section Counted.
  Variables (m : machine) (b : block) (g : nat) (cs : list nat) (h c : nat).
  Hypotheses (W : wf b) (Cores : NoDup cs /\ forall w, In (core m w) cs).
  Variables (turn : nat -> nat -> nat) (k : nat).
  Hypothesis Turns : moves b m g turn k.
  Variables (ts : list (list nat)) (T : list nat -> nat -> node -> nat -> nat -> nat).
  Hypothesis HT : forall tm, In tm ts -> team_cert m b g c tm (T tm).
  Hypothesis Ts : teams_of m b h ts.

  (** The last section that has begun. *)
  Definition now (J : progress) : nat :=
    list_max (map (fun z => sec (get b z))
      (filter (fun z => (group m (fst z) =? h) && ((1 <=? init (get b z)) && (snd z <? J (fst z))))
        (keys b))).

  (** What thread block [h] counts by its teams. *)
  Definition counted (w : nat) (n : node) (J : progress) : nat :=
    best m b g cs h c ts T w n (core m w) (now J) (turn w (sec (get b (w, snd n)))) J.

  Lemma now_le J q : (forall z, In z (keys b) -> group m (fst z) = h -> 1 <= init (get b z) ->
    snd z < J (fst z) -> sec (get b z) <= q) ->
    now J <= q.
  Proof.
    intros H. apply list_max_le_in. intros s Hs. apply in_map_iff in Hs as [z [<- Hz]].
    apply filter_In in Hz as [Hz E].
    rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in E. apply H; tauto.
  Qed.

  Lemma now_ge J z : In z (keys b) -> group m (fst z) = h -> 1 <= init (get b z) ->
    snd z < J (fst z) -> sec (get b z) <= now J.
  Proof.
    intros Hz G I1 L. apply list_max_ge, in_map_iff. exists z. split; [reflexivity|].
    apply filter_In. rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt. auto.
  Qed.

  Lemma now_mono J J' : reaches J J' -> now J <= now J'.
  Proof.
    intros R. apply now_le. intros z Hz G I1 L. specialize (R (fst z)). apply now_ge; auto. lia.
  Qed.

  Lemma some_warp tm : In tm ts -> tm <> [].
  Proof. apply Ts. Qed.

  Lemma apart tm v u : In tm ts -> In v tm -> In u tm -> core m v = core m u -> v = u.
  Proof. intros Ht. apply (proj1 (proj2 Ts) tm Ht). Qed.

  Lemma later w n a j j' l J J' : of m b g (w, snd n) -> In a cs -> reaches J J' -> j <= j' ->
    best m b g cs h c ts T w n a j l J <= best m b g cs h c ts T w n a j' l J'.
  Proof. apply (best_later m b g cs h c Cores ts T HT some_warp). Qed.

  Lemma counted_mono w n J J' : of m b g (w, snd n) -> reaches J J' ->
    counted w n J <= counted w n J'.
  Proof. intros Hn R. apply later; auto; [apply Cores|apply now_mono, R]. Qed.

  Lemma counted_edge w n e J : of m b g (w, snd n) -> In e (edges m b no_unit no_queue w n) ->
    counted w (fst e) J + length ts * snd e <= counted w n J.
  Proof.
    intros Hn He.
    destruct (edges_up m b W no_unit no_queue w _ n e (conj (proj1 Hn) eq_refl) He) as [[_ Se] _].
    unfold counted. rewrite Se. destruct (best_is m b g cs h c ts T w (fst e) (core m w) (now J)
      (turn w (sec (get b (w, snd n)))) J (proj2 Cores w)) as [p [Hp [Po ->]]].
    etransitivity; [apply (value_edge m b g cs h c ts T HT some_warp w n e _ _ _ J p Hn He)|].
    apply best_ge; assumption.
  Qed.

  Lemma counted_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    counted (fst o) (true, snd o) J + length ts * (init (get b o) + lat (get b o))
      <= counted (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho L. unfold counted. cbn [snd]. rewrite <- !surjective_pairing.
    destruct (best_is m b g cs h c ts T (fst o) (true, snd o) (core m (fst o)) (now J)
      (turn (fst o) (sec (get b o))) J (proj2 Cores (fst o))) as [p [Hp [Po ->]]].
    destruct (value_jump m b g cs h c Cores ts T HT some_warp (proj1 Ts) x o d (now J) _ _ J p Hx Ho
      L Hp (proj1 Turns x o Hx Ho L) Po) as [p' [Hp' [Po' E]]]. etransitivity; [exact E|].
    apply best_ge; assumption.
  Qed.

  Lemma counted_charge w n y e J J' : of m b g (w, snd n) -> In y (keys b) -> group m (fst y) = h ->
    reaches J J' ->
    J (fst y) <= snd y < J' (fst y) -> in_order m b J -> e <= charge_any m b w n y ->
    e <= local_cost b m g h (sec (get b y)) (core m w) y -> counted w n J + c * e <= counted w n J'.
  Proof.
    intros Hn Hy Gy R L O E1 E2. destruct (Nat.eq_dec e 0) as [->|Pe];
      [rewrite Nat.mul_0_r, Nat.add_0_r; apply counted_mono; assumption|].
    assert (1 <= init (get b y)) as Iy.
    { apply (cost_unit m b W y Hy). unfold local_cost in E2. destruct (_ && _); lia. }
    set (j := sec (get b y)) in *.
    set (J2 := fun u => if u =? fst y then max (J u) (S (snd y)) else J u).
    assert (reaches J J2) as R1 by (intros u; unfold J2; destruct (_ =? _); lia).
    assert (reaches J2 J') as R2.
    { intros u. specialize (R u). unfold J2. destruct (Nat.eqb_spec u (fst y)) as [->|N]; lia. }
    assert (now J <= j) as N1.
    { apply now_le. intros z Hz Gz Iz Lz.
      destruct (le_lt_dec (sec (get b z)) j) as [X|X]; [exact X|exfalso].
      specialize (O z y Hz Hy ltac:(congruence) Iy X Lz). lia. }
    assert (now J2 = j) as N2.
    { apply Nat.le_antisymm.
      - apply now_le. intros z Hz Gz Iz Lz. unfold J2 in Lz.
        destruct (Nat.eqb_spec (fst z) (fst y)) as [E|N].
        + destruct (le_lt_dec (J (fst z)) (snd z)) as [X|X];
            [|pose proof (now_ge J z Hz Gz Iz X); lia]. destruct z as [v i'], y as [v' i].
          cbn [fst snd] in *. subst v'. destruct (Nat.eq_dec i' i) as [->|D]; [apply le_n|].
          destruct (W v i Hy) as [_ [_ Ws]]. apply Ws. lia.
        + pose proof (now_ge J z Hz Gz Iz Lz). lia.
      - apply now_ge; auto. unfold J2. rewrite Nat.eqb_refl. lia. }
    set (q := turn w (sec (get b (w, snd n)))).
    transitivity (best m b g cs h c ts T w n (core m w) j q J + c * e).
    { apply Nat.add_le_mono_r.
      apply (later w n _ _ j q J J Hn (proj2 Cores w) (fun u => le_n _) N1). }
    destruct (best_is m b g cs h c ts T w n (core m w) j q J (proj2 Cores w)) as [p [Hp [Po ->]]].
    transitivity (value m b g cs h c ts T w n (core m w) j q J2 p).
    { apply (value_charge m b g cs h c W ts T HT apart (proj2 (proj2 Ts)) w n y j q e J J2 p Hn Hy
        Gy eq_refl R1); auto. unfold J2. rewrite Nat.eqb_refl. lia. }
    etransitivity; [apply (best_ge m b g cs h c ts T w n (core m w) j q J2 p Hp Po)|].
    rewrite <- N2 at 1. apply (counted_mono w n J2 J' Hn R2).
  Qed.

  (** In the end: the alignments of the teams, and X. *)
  Lemma counted_end x : of m b g x ->
    counted (fst x) (true, snd x) (everything b) + length ts * (init (get b x) + lat (get b x))
    <= sum (fun tm => team_align m b g tm (T tm)) ts + c * extras b m g cs h k.
  Proof.
    intros Hx. unfold counted. cbn [snd]. rewrite <- surjective_pairing.
    set (j := now (everything b)). set (q := turn (fst x) (sec (get b x))).
    destruct (best_is m b g cs h c ts T (fst x) (true, snd x) (core m (fst x)) j q (everything b)
      (proj2 Cores (fst x))) as [[S ch] [Hp [Po ->]]]. pose proof Hp as Hp'.
    apply in_prod_iff in Hp' as [HS _]. destruct (sublists_ok cs (proj1 Cores) S HS) as [N1 N2].
    assert (j < Datatypes.S (list_max (map (fun x => sec (get b x)) (keys b)))) as Lj.
    { apply Nat.lt_succ_r, now_le. intros z Hz _ _ _. apply list_max_ge, in_map_iff. exists z.
      auto. }
    pose proof (extras_pass m b g cs h Cores (core m (fst x)) j _ q (everything b) (S, ch) Lj N1 N2
      Po) as E. cbn [fst snd] in E. pose proof
      (largest_grows q k (earlier m b g cs h (Datatypes.S
      (list_max (map (fun x => sec (get b x)) (keys b))))) (proj2 Turns x Hx)) as E2.
    change (largest k (earlier m b g cs h (Datatypes.S
      (list_max (map (fun x => sec (get b x)) (keys b)))))) with (extras b m g cs h k) in E2.
    unfold value. cbn [fst snd]. assert (sum (fun tm =>
      seen m b g c h tm (T tm) (fst x) (true, snd x) ch (core m (fst x)) j (everything b)) ts
      + length ts * (init (get b x) + lat (get b x))
          <= sum (fun tm => team_align m b g tm (T tm)) ts) as A.
    { apply sum_all. intros tm Ht. apply (seen_end m b g c h tm (T tm) (HT tm Ht) (some_warp tm Ht)
        (fun v u => apart tm v u Ht) x ch _ j _ Hx). }
    pose proof (Nat.mul_le_mono_l _ _ c (Nat.le_trans _ _ _ E E2)). lia.
  Qed.
End Counted.

(** ** One thread block by sums: its teams each with the longest chain alone, W and X *)

(** Longest chains of [g]: paths of sections, one behind the other. *)
Definition alone_cert (m : machine) (b : block) (g : nat) (L : nat -> node -> nat) : Prop :=
  forall w n, of m b g (w, snd n) ->
    (forall e, In e (edges m b no_unit no_queue w n) -> L w (fst e) + snd e <= L w n)
    /\ forall x, of m b g x -> sec (get b x) < sec (get b (w, snd n)) ->
         L (fst x) (true, snd x) + init (get b x) + lat (get b x) <= L w n.

(** The longest chain of [g]. *)
Definition alone_time (m : machine) (b : block) (g : nat) (L : nat -> node -> nat) : nat :=
  list_max (map (fun x => L (fst x) (true, snd x) + init (get b x) + lat (get b x))
    (filter (fun x => group m (fst x) =? g) (keys b))).

Section Summed.
  Variables (m : machine) (b : block) (g : nat) (cs : list nat) (h c n_teams : nat).
  Hypotheses (W : wf b) (Cores : NoDup cs /\ forall w, In (core m w) cs).
  Variables (turn : nat -> nat -> nat) (k : nat).
  Hypothesis Turns : moves b m g turn k.
  Variable L : nat -> node -> nat.
  Hypothesis HL : alone_cert m b g L.

  (** What thread block [h] counts by its sums. *)
  Definition summed (w : nat) (n : node) (J : progress) : nat :=
    n_teams * L w n + c * part m b g cs h (core m w) (turn w (sec (get b (w, snd n)))) J.

  Lemma summed_mono w n J J' : reaches J J' -> summed w n J <= summed w n J'.
  Proof. intros R. apply Nat.add_le_mono_l, Nat.mul_le_mono_l, (part_mono m b g cs h Cores), R. Qed.

  Lemma summed_edge w n e J : of m b g (w, snd n) -> In e (edges m b no_unit no_queue w n) ->
    summed w (fst e) J + n_teams * snd e <= summed w n J.
  Proof.
    intros Hn He.
    destruct (edges_up m b W no_unit no_queue w _ n e (conj (proj1 Hn) eq_refl) He) as [[_ Se] _].
    pose proof (proj1 (HL w n Hn) e He) as E. apply (Nat.mul_le_mono_l _ _ n_teams) in E.
    rewrite Nat.mul_add_distr_l in E. unfold summed. rewrite Se. lia.
  Qed.

  Lemma summed_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    summed (fst o) (true, snd o) J + n_teams * (init (get b o) + lat (get b o))
      <= summed (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho Lt. assert (of m b g (fst x, snd (d, snd x))) as Nx by (destruct x; exact Hx).
    pose proof (proj2 (HL (fst x) (d, snd x) Nx) o Ho) as E. cbn [snd] in E.
    rewrite <- surjective_pairing in E. specialize (E Lt). rewrite <- Nat.add_assoc in E.
    apply (Nat.mul_le_mono_l _ _ n_teams) in E. rewrite Nat.mul_add_distr_l in E. unfold summed.
    cbn [snd]. rewrite <- !surjective_pairing. pose proof (proj1 Turns x o Hx Ho Lt) as T.
    enough (part m b g cs h (core m (fst o)) (turn (fst o) (sec (get b o))) J
      <= part m b g cs h (core m (fst x)) (turn (fst x) (sec (get b x))) J) as P
      by (apply (Nat.mul_le_mono_l _ _ c) in P; lia).
    destruct (Nat.eqb_spec (core m (fst o)) (core m (fst x))) as [Ec|N].
    - rewrite Ec. apply counted_grows. lia.
    - apply (part_jump m b g cs h W Cores). lia.
  Qed.

  Lemma summed_charge w n y e J J' : of m b g (w, snd n) -> In y (keys b) -> group m (fst y) = h ->
    reaches J J' ->
    J (fst y) <= snd y < J' (fst y) -> in_order m b J ->
    e <= local_cost b m g h (sec (get b y)) (core m w) y ->
    summed w n J + c * e <= summed w n J'.
  Proof.
    intros Hn Hy Gy R Lt O E. pose proof (part_charge m b g cs h W Cores w
      (turn w (sec (get b (w, snd n)))) J J' y Hy Gy R Lt O) as P. unfold summed.
    rewrite <- Nat.add_assoc, <- Nat.mul_add_distr_l. apply Nat.add_le_mono_l, Nat.mul_le_mono_l.
    lia.
  Qed.

  Lemma summed_end x : of m b g x ->
    summed (fst x) (true, snd x) (everything b) + n_teams * (init (get b x) + lat (get b x))
    <= n_teams * alone_time m b g L + c * (busiest b m g cs h + extras b m g cs h k).
  Proof.
    intros Hx. unfold summed. cbn [snd]. rewrite <- surjective_pairing.
    assert (L (fst x) (true, snd x) + init (get b x) + lat (get b x) <= alone_time m b g L) as A.
    { apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
      split; [apply Hx|apply Nat.eqb_eq, Hx]. }
    rewrite <- Nat.add_assoc in A. apply (Nat.mul_le_mono_l _ _ n_teams) in A.
    rewrite Nat.mul_add_distr_l in A.
    pose proof (part_all m b g cs h Cores (fst x) (turn (fst x) (sec (get b x)))) as P.
    pose proof (largest_grows _ _ (beyond cs (local_work b m g h) (fun j =>
      most cs (local_work b m g h j)) (all_sections b)) (proj2 Turns x Hx)) as Q.
    unfold extras in *.
    pose proof (Nat.le_trans _ _ _ P (proj1 (Nat.add_le_mono_l _ _ (busiest b m g cs h)) Q)) as PQ.
    apply (Nat.mul_le_mono_l _ _ c) in PQ. lia.
  Qed.
End Summed.

(** ** All of them *)

(** What thread block [h] adds, [c] times: where [al h], by its teams, else by sums. *)
Definition team_sum (m : machine) (b : block) (g : nat) (cs : list nat) (al : nat -> bool)
    (ts : nat -> list (list nat)) (c k : nat) (T : list nat -> nat -> node -> nat -> nat -> nat)
    (L : nat -> node -> nat) (h : nat) : nat :=
  (if al h then sum (fun tm => team_align m b g tm (T tm)) (ts h)
   else length (ts h) * alone_time m b g L + c * busiest b m g cs h)
  + c * (shared_work b m g h + extras b m g cs h k).

(** The bound: warps [ws] of [g], other thread blocks [hs] with teams [ts], [k] changes of sub-core;
    [q] is the last section of [g]. *)
Definition wave_team_aln (m : machine) (b : block) (g : nat) (cs ws hs : list nat)
    (al : nat -> bool) (ts : nat -> list (list nat)) (k : nat) (A : nat -> nat -> node -> nat ->
    nat) (T : list nat -> nat -> node -> nat -> nat -> nat) (L : nat -> node ->
    nat) (q : nat) : nat :=
  let n := sum (fun h => length (ts h)) hs in
  mean_bound m b ws A n q (sum (team_sum m b g cs al ts (teams ws n) k T L) hs).

Section WaveTeams.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat) (others cs : list nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (Begun : begin s g <= t0).
  (* who is none of the others has ended by [t0], or comes when [g] has ended *)
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g ->
    ~ In (group m (fst y)) others ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.
  Hypothesis Cores : NoDup cs /\ forall w, In (core m w) cs.  (* the sub-cores *)
  Variables (turn : nat -> nat -> nat) (k : nat).
  Hypothesis Turns : moves b m g turn k.

  (** By sums a thread block counts as many teams as are told, whatever they are. *)
  Variables (ws : list nat) (al : nat -> bool) (ts : nat -> list (list nat)).
  Hypothesis Ws : NoDup ws /\ forall x, of m b g x -> In (fst x) ws.
  Notation hs := (strangers g others).
  Hypothesis Ts : forall h, In h hs -> al h = true -> teams_of m b h (ts h).
  Notation n := (sum (fun h => length (ts h)) hs).
  Notation c := (teams ws n).
  Hypothesis Some_team : 1 <= c.

  Variables (A : nat -> nat -> node -> nat -> nat) (T : list nat -> nat -> node -> nat -> nat ->
    nat) (L : nat -> node -> nat).
  Hypothesis HA : forall w u, In w ws -> In u ws -> u <> w -> align_cert m b w u c (A w u).
  Hypothesis HT : forall h tm, In h hs -> al h = true -> In tm (ts h) ->
    team_cert m b g c tm (T tm).
  Hypothesis HL : alone_cert m b g L.

  (** What thread block [h] counts. *)
  Definition one_counts (h w : nat) (d : node) (J : progress) : nat :=
    if al h then counted m b g cs h c turn (ts h) T w d J else summed m b g cs h c (length (ts h))
      turn L w d J.
  (** What all other thread blocks count. *)
  Definition others_count (w : nat) (d : node) (J : progress) : nat :=
    sum (fun h => one_counts h w d J + c * spent b (shared_cost b m g h) J) hs.

  Lemma sum_length l (f : nat -> list (list nat)) d : sum (fun h => length (f h)) l * d
    = sum (fun h => length (f h) * d) l.
  Proof.
    induction l as [|h l IH]; [reflexivity|]. rewrite !sum_cons, Nat.mul_add_distr_r, IH.
    reflexivity.
  Qed.

  Lemma one_mono h w d J J' : In h hs -> of m b g (w, snd d) -> reaches J J' ->
    one_counts h w d J <= one_counts h w d J'.
  Proof.
    intros Hh Hn R. unfold one_counts. destruct (al h) eqn:E; [|apply summed_mono; assumption].
    apply (counted_mono m b g cs h c Cores turn (ts h) T (fun tm => HT h tm Hh E) (Ts h Hh E) w d J
      J' Hn R).
  Qed.

  Lemma others_mono w d J J' : of m b g (w, snd d) -> reaches J J' ->
    others_count w d J <= others_count w d J'.
  Proof.
    intros Hn R. apply sum_le. intros h Hh. apply Nat.add_le_mono; [apply one_mono; assumption|].
    apply Nat.mul_le_mono_l, spent_mono, R.
  Qed.

  Lemma others_edge w d e J : of m b g (w, snd d) -> In e (edges m b no_unit no_queue w d) ->
    others_count w (fst e) J + n * snd e <= others_count w d J.
  Proof.
    intros Hn He. rewrite sum_length. unfold others_count. rewrite <- sum_add. apply sum_le.
    intros h Hh.
    enough (one_counts h w (fst e) J + length (ts h) * snd e <= one_counts h w d J) by lia.
    unfold one_counts. destruct (al h) eqn:E.
    - apply (counted_edge m b g cs h c W Cores turn (ts h) T (fun tm => HT h tm Hh E) (Ts h Hh E) w
        d e J Hn He).
    - apply (summed_edge m b g cs h c _ W turn L HL w d e J Hn He).
  Qed.

  Lemma others_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    others_count (fst o) (true, snd o) J + n * (init (get b o) + lat (get b o))
      <= others_count (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho Lt. rewrite sum_length. unfold others_count. rewrite <- sum_add. apply sum_le.
    intros h Hh. enough (one_counts h (fst o) (true, snd o) J + length (ts h)
      * (init (get b o) + lat (get b o)) <= one_counts h (fst x) (d, snd x) J) by lia.
    unfold one_counts. destruct (al h) eqn:E.
    - apply (counted_jump m b g cs h c Cores turn k Turns (ts h) T (fun tm => HT h tm Hh E)
        (Ts h Hh E) x o d J Hx Ho Lt).
    - apply (summed_jump m b g cs h c _ W Cores turn k Turns L HL x o d J Hx Ho Lt).
  Qed.

  Lemma others_charge w d y J J' : of m b g (w, snd d) -> 1 <= init (get b (w, snd d)) ->
    group m (fst y) <> g ->
    met m b g (listed others) w (sec (get b (w, snd d))) J J' y ->
    others_count w d J + c * charge_any m b w d y <= others_count w d J'.
  Proof.
    intros Hn Ix G Me. pose proof (foreign_enough m b g others (w, snd d) y J J' Hn G Me) as F.
    destruct Me as [Hy [Me [R [Lt [O _]]]]].
    apply meets_iff in Me as [_ [[G' _]|[_ Li]]]; [contradiction|]. unfold foreign_charge in F.
    rewrite (proj2 (Nat.eqb_neq _ _) G), Li in F. cbn [fst] in F.
    pose proof (way_split m b g (core m w) y) as Wy. set (h := group m (fst y)) in *.
    assert (In h hs) as Hh.
    { apply filter_In. split; [apply (listed_iff others), Li|].
      apply negb_true_iff, Nat.eqb_neq, G. }
    assert (charge_any m b w d y <= local_cost b m g h (sec (get b y)) (core m w) y
      + shared_cost b m g h y) as E.
    { unfold charge_any. destruct d as [dd i]. cbn [snd] in *.
      destruct (1 <=? init (get b (w, i))); [|lia]. destruct dd; lia. }
    unfold others_count. apply (sum_more _ _ _ h _ Hh).
    - set (e := min (charge_any m b w d y) (local_cost b m g h (sec (get b y)) (core m w) y)).
      assert (one_counts h w d J + c * e <= one_counts h w d J') as A1.
      { unfold one_counts. destruct (al h) eqn:Ea.
        - apply (counted_charge m b g cs h c W Cores turn (ts h) T (fun tm => HT h tm Hh Ea)
            (Ts h Hh Ea) w d y e J J' Hn Hy eq_refl R Lt O ltac:(lia) ltac:(lia)).
        - apply (summed_charge m b g cs h c _ W Cores turn L w d y e J J' Hn Hy eq_refl R Lt O
            ltac:(lia)). }
      pose proof (spent_more b (shared_cost b m g h) J J' y Hy R Lt) as A2.
      apply (Nat.mul_le_mono_l _ _ c) in A2. assert (c * charge_any m b w d y
        <= c * (e + shared_cost b m g h y)) as A3 by (apply Nat.mul_le_mono_l; lia). lia.
    - intros h' Hh'. apply Nat.add_le_mono; [apply one_mono; assumption|].
      apply Nat.mul_le_mono_l, spent_mono, R.
  Qed.

  (** *** Theorem 2 *)
  Theorem wave_teams q x : (forall x, of m b g x -> sec (get b x) <= q) -> of m b g x ->
    C s x <= t0 + wave_team_aln m b g cs ws hs al ts k A T L q.
  Proof.
    intros Hq Hx. apply (wave_mean m b s g t0 (listed others) M W V Begun
      (away m b s g t0 others Away) ws A n Ws Some_team HA others_count others_mono others_edge
      others_jump others_charge q _ x Hq Hx). rewrite sum_length. unfold others_count.
    rewrite <- sum_add. apply sum_le. intros h Hh. rewrite spent_all. fold (shared_work b m g h).
    unfold one_counts, team_sum. destruct (al h) eqn:E.
    - pose proof (counted_end m b g cs h c Cores turn k Turns (ts h) T (fun tm => HT h tm Hh E)
        (Ts h Hh E) x Hx). lia.
    - pose proof (summed_end m b g cs h c (length (ts h)) Cores turn k Turns L x Hx). lia.
  Qed.
End WaveTeams.

(** Every barrier may be a change; on one sub-core there is none. *)
Lemma moves_barriers b m g : moves b m g (fun _ q => q) (last_section b m g).
Proof.
  split; [intros x o _ _ L; destruct (_ =? _); lia|]. intros x [Hx Gx].
  apply list_max_ge, in_map_iff. exists x. split; [reflexivity|]. apply filter_In.
  split; [exact Hx|]. apply Nat.eqb_eq, Gx.
Qed.

(** *** What a stay takes by it *)
Theorem stays_teams m p b others cs turn k ws al ts A T L q : machine_ok m -> wf p ->
  (NoDup cs /\ forall w, In (core m w) cs) ->
  moves p m b turn k -> (NoDup ws /\ forall x, of m p b x -> In (fst x) ws) ->
  (forall h, In h (strangers b others) -> al h = true -> teams_of m p h (ts h)) ->
  1 <= teams ws (sum (fun h => length (ts h)) (strangers b others)) ->
  (forall w u, In w ws -> In u ws -> u <> w ->
     align_cert m p w u (teams ws (sum (fun h => length (ts h)) (strangers b others))) (A w u)) ->
  (forall h tm, In h (strangers b others) -> al h = true -> In tm (ts h) ->
     team_cert m p b (teams ws (sum (fun h => length (ts h)) (strangers b others))) tm (T tm)) ->
  alone_cert m p b L -> (forall x, of m p b x -> sec (get p x) <= q) ->
  stays_with m p b others (wave_team_aln m p b cs ws (strangers b others) al ts k A T L q).
Proof.
  intros M W Cs Tu Ws Ts One HA HT HL Hq s t0 x V B Aw Hx.
  apply (wave_teams m p s b t0 others cs M W V B Aw Cs turn k Tu ws al ts Ws Ts One A T L HA HT HL
    q x Hq Hx).
Qed.
