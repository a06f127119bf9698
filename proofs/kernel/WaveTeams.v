(** * The wave by alignment (docs/wave-bounds.md, theorem 2), with teams of several warps on several sub-cores

    For every dispatch depth, width, number of instances and sub-cores, with releases, for times up to
    the stated ones.  No clean SM and no common start is asked for. *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Largest Extras Model Potential Bounds Graph Aln Stay WavePotential WaveSum WaveSib WaveExtras Wave
  WaveMean Teams TeamPlans.
Import ListNotations.

(** [k] changes of sub-cores at most: [turn w q] counts those before [g] can be at warp [w] in section [q]. *)
Definition moves (b : block) (m : machine) (g : nat) (turn : nat -> nat -> nat) (k : nat) : Prop :=
  (forall x o, of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
     turn (fst o) (sec (get b o)) + (if core m (fst o) =? core m (fst x) then 0 else 1) <= turn (fst x) (sec (get b x)))
  /\ forall x, of m b g x -> turn (fst x) (sec (get b x)) <= k.

(** The teams of thread block [h]: at most one warp on each sub-core, none twice, and every warp that has
    instructions with a unit is in one.  A team that other blocks have and [h] lacks is one of a warp that there is not. *)
Definition teams_of (m : machine) (b : block) (h : nat) (ts : list (list nat)) : Prop :=
  NoDup (concat ts)
  /\ (forall tm, In tm ts -> tm <> [] /\ forall v u, In v tm -> In u tm -> core m v = core m u -> v = u)
  /\ forall y, In y (keys b) -> group m (fst y) = h -> 1 <= init (get b y) -> exists tm, In tm ts /\ In (fst y) tm.

(** ** One thread block *)

Section Counted.
  Variables (m : machine) (b : block) (g : nat) (cs : list nat) (h c : nat).
  Hypothesis W : wf b.
  Hypothesis Cores : NoDup cs /\ forall w, In (core m w) cs.
  Variables (turn : nat -> nat -> nat) (k : nat).
  Hypothesis Turns : moves b m g turn k.
  Variables (ts : list (list nat)) (T : list nat -> nat -> node -> nat -> nat -> nat).
  Hypothesis HT : forall tm, In tm ts -> team_cert m b g c tm (T tm).
  Hypothesis Ts : teams_of m b h ts.

  (** The last section that has begun. *)
  Definition now (J : progress) : nat :=
    list_max (map (fun z => sec (get b z))
      (filter (fun z => (group m (fst z) =? h) && ((1 <=? init (get b z)) && (snd z <? J (fst z)))) (keys b))).

  Definition counted (w : nat) (n : node) (J : progress) : nat :=
    best m b g cs h c ts T w n (core m w) (now J) (turn w (sec (get b (w, snd n)))) J.

  Lemma now_le J q : (forall z, In z (keys b) -> group m (fst z) = h -> 1 <= init (get b z) -> snd z < J (fst z) -> sec (get b z) <= q) ->
    now J <= q.
  Proof.
    intros H. apply list_max_le_in. intros s Hs. apply in_map_iff in Hs as [z [<- Hz]]. apply filter_In in Hz as [Hz E].
    rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt in E. apply H; tauto.
  Qed.

  Lemma now_ge J z : In z (keys b) -> group m (fst z) = h -> 1 <= init (get b z) -> snd z < J (fst z) -> sec (get b z) <= now J.
  Proof.
    intros Hz G I1 L. apply list_max_ge, in_map_iff. exists z. split; [reflexivity|]. apply filter_In.
    rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt. auto.
  Qed.

  Lemma now_mono J J' : reaches J J' -> now J <= now J'.
  Proof. intros R. apply now_le. intros z Hz G I1 L. specialize (R (fst z)). apply now_ge; auto. lia. Qed.

  Lemma some_warp tm : In tm ts -> tm <> [].
  Proof. apply Ts. Qed.

  Lemma apart tm v u : In tm ts -> In v tm -> In u tm -> core m v = core m u -> v = u.
  Proof. intros Ht. apply (proj1 (proj2 Ts) tm Ht). Qed.

  Lemma later w n a j j' l J J' : of m b g (w, snd n) -> In a cs -> reaches J J' -> j <= j' ->
    best m b g cs h c ts T w n a j l J <= best m b g cs h c ts T w n a j' l J'.
  Proof. apply (best_later m b g cs h c Cores ts T HT some_warp). Qed.

  Lemma counted_mono w n J J' : of m b g (w, snd n) -> reaches J J' -> counted w n J <= counted w n J'.
  Proof. intros Hn R. apply later; auto; [apply Cores|apply now_mono, R]. Qed.

  Lemma counted_edge w n e J : of m b g (w, snd n) -> In e (edges m b no_unit no_queue w n) ->
    counted w (fst e) J + length ts * snd e <= counted w n J.
  Proof.
    intros Hn He. destruct (edges_up m b W no_unit no_queue w _ n e (conj (proj1 Hn) eq_refl) He) as [[_ Se] _].
    unfold counted. rewrite Se.
    destruct (best_is m b g cs h c ts T w (fst e) (core m w) (now J) (turn w (sec (get b (w, snd n)))) J (proj2 Cores w)) as [p [Hp [Po ->]]].
    etransitivity; [apply (value_edge m b g cs h c ts T HT some_warp w n e _ _ _ J p Hn He)|]. apply best_ge; assumption.
  Qed.

  Lemma counted_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    counted (fst o) (true, snd o) J + length ts * (init (get b o) + lat (get b o)) <= counted (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho L. unfold counted. cbn [snd]. rewrite <- !surjective_pairing.
    destruct (best_is m b g cs h c ts T (fst o) (true, snd o) (core m (fst o)) (now J) (turn (fst o) (sec (get b o))) J (proj2 Cores (fst o)))
      as [p [Hp [Po ->]]].
    destruct (value_jump m b g cs h c Cores ts T HT some_warp (proj1 Ts) x o d (now J) _ _ J p Hx Ho L Hp (proj1 Turns x o Hx Ho L) Po)
      as [p' [Hp' [Po' E]]].
    etransitivity; [exact E|]. apply best_ge; assumption.
  Qed.

  Lemma counted_charge w n y e J J' : of m b g (w, snd n) -> In y (keys b) -> group m (fst y) = h -> reaches J J' ->
    J (fst y) <= snd y < J' (fst y) -> in_order m b J -> e <= charge_any m b w n y ->
    e <= local_cost b m g h (sec (get b y)) (core m w) y -> counted w n J + c * e <= counted w n J'.
  Proof.
    intros Hn Hy Gy R L O E1 E2. destruct (Nat.eq_dec e 0) as [->|Pe]; [rewrite Nat.mul_0_r, Nat.add_0_r; apply counted_mono; assumption|].
    assert (1 <= init (get b y)) as Iy.
    { apply (cost_unit m b W y Hy). unfold local_cost in E2. destruct (_ && _); lia. }
    set (j := sec (get b y)) in *. set (J2 := fun u => if u =? fst y then max (J u) (S (snd y)) else J u).
    assert (reaches J J2) as R1 by (intros u; unfold J2; destruct (_ =? _); lia).
    assert (reaches J2 J') as R2.
    { intros u. specialize (R u). unfold J2. destruct (Nat.eqb_spec u (fst y)) as [->|N]; lia. }
    assert (now J <= j) as N1.
    { apply now_le. intros z Hz Gz Iz Lz. destruct (le_lt_dec (sec (get b z)) j) as [X|X]; [exact X|exfalso].
      specialize (O z y Hz Hy ltac:(congruence) Iy X Lz). lia. }
    assert (now J2 = j) as N2.
    { apply Nat.le_antisymm.
      - apply now_le. intros z Hz Gz Iz Lz. unfold J2 in Lz. destruct (Nat.eqb_spec (fst z) (fst y)) as [E|N].
        + destruct (le_lt_dec (J (fst z)) (snd z)) as [X|X]; [|pose proof (now_ge J z Hz Gz Iz X); lia].
          destruct z as [v i'], y as [v' i]. cbn [fst snd] in *. subst v'.
          destruct (Nat.eq_dec i' i) as [->|D]; [apply le_n|]. destruct (W v i Hy) as [_ [_ Ws]]. apply Ws. lia.
        + pose proof (now_ge J z Hz Gz Iz Lz). lia.
      - apply now_ge; auto. unfold J2. rewrite Nat.eqb_refl. lia. }
    set (q := turn w (sec (get b (w, snd n)))).
    transitivity (best m b g cs h c ts T w n (core m w) j q J + c * e).
    { apply Nat.add_le_mono_r. apply (later w n _ _ j q J J Hn (proj2 Cores w) (fun u => le_n _) N1). }
    destruct (best_is m b g cs h c ts T w n (core m w) j q J (proj2 Cores w)) as [p [Hp [Po ->]]].
    transitivity (value m b g cs h c ts T w n (core m w) j q J2 p).
    { apply (value_charge m b g cs h c W ts T HT apart (proj2 (proj2 Ts)) w n y j q e J J2 p Hn Hy Gy eq_refl R1); auto.
      unfold J2. rewrite Nat.eqb_refl. lia. }
    etransitivity; [apply (best_ge m b g cs h c ts T w n (core m w) j q J2 p Hp Po)|]. rewrite <- N2 at 1. apply (counted_mono w n J2 J' Hn R2).
  Qed.

  (** In the end: the alignments of the teams, and X. *)
  Lemma counted_end x : of m b g x ->
    counted (fst x) (true, snd x) (everything b) + length ts * (init (get b x) + lat (get b x))
    <= sum (fun tm => team_align m b g tm (T tm)) ts + c * extras b m g cs h k.
  Proof.
    intros Hx. unfold counted. cbn [snd]. rewrite <- surjective_pairing. set (j := now (everything b)). set (q := turn (fst x) (sec (get b x))).
    destruct (best_is m b g cs h c ts T (fst x) (true, snd x) (core m (fst x)) j q (everything b) (proj2 Cores (fst x)))
      as [[S ch] [Hp [Po ->]]].
    pose proof Hp as Hp'. apply in_prod_iff in Hp' as [HS _]. destruct (sublists_ok cs (proj1 Cores) S HS) as [N1 N2].
    assert (j < Datatypes.S (list_max (map (fun x => sec (get b x)) (keys b)))) as Lj.
    { apply Nat.lt_succ_r, now_le. intros z Hz _ _ _. apply list_max_ge, in_map_iff. exists z. auto. }
    pose proof (extras_pass m b g cs h Cores (core m (fst x)) j _ q (everything b) (S, ch) Lj N1 N2 Po) as E. cbn [fst snd] in E.
    pose proof (largest_grows q k (earlier m b g cs h (Datatypes.S (list_max (map (fun x => sec (get b x)) (keys b))))) (proj2 Turns x Hx)) as E2.
    change (largest k (earlier m b g cs h (Datatypes.S (list_max (map (fun x => sec (get b x)) (keys b)))))) with (extras b m g cs h k) in E2.
    unfold value. cbn [fst snd].
    assert (sum (fun tm => seen m b g c h tm (T tm) (fst x) (true, snd x) ch (core m (fst x)) j (everything b)) ts
      + length ts * (init (get b x) + lat (get b x)) <= sum (fun tm => team_align m b g tm (T tm)) ts) as A.
    { apply sum_all. intros tm Ht. apply (seen_end m b g c h tm (T tm) (HT tm Ht) (some_warp tm Ht) (fun v u => apart tm v u Ht) x ch _ j _ Hx). }
    pose proof (Nat.mul_le_mono_l _ _ c (Nat.le_trans _ _ _ E E2)). lia.
  Qed.
End Counted.

(** ** All of them *)

(** The bound: warps [ws] of [g], other thread blocks [hs] with teams [ts], [k] changes of sub-core; [q] is the last section of [g]. *)
Definition wave_team_aln (m : machine) (b : block) (g : nat) (cs ws hs : list nat) (ts : nat -> list (list nat)) (k : nat)
    (A : nat -> nat -> node -> nat -> nat) (T : list nat -> nat -> node -> nat -> nat -> nat) (q : nat) : nat :=
  let n := sum (fun h => length (ts h)) hs in
  mean_bound m b ws A n q (sum (fun h => sum (fun tm => team_align m b g tm (T tm)) (ts h)
    + teams ws n * (shared_work b m g h + extras b m g cs h k)) hs).

Section WaveTeams.
  Variables (m : machine) (b : block) (s : schedule) (g t0 : nat) (others cs : list nat).
  Hypothesis M : machine_ok m.
  Hypothesis W : wf b.
  Hypothesis V : valid m b s.
  Hypothesis Begun : begin s g <= t0.
  (* who is none of the others has ended by [t0], or comes when [g] has ended *)
  Hypothesis Away : forall y, In y (keys b) -> group m (fst y) <> g -> ~ In (group m (fst y)) others ->
    C s y <= t0 \/ forall x, of m b g x -> C s x <= I s y.
  Hypothesis Cores : NoDup cs /\ forall w, In (core m w) cs.  (* the sub-cores *)
  Variables (turn : nat -> nat -> nat) (k : nat).
  Hypothesis Turns : moves b m g turn k.

  Variables (ws : list nat) (ts : nat -> list (list nat)).
  Hypothesis Ws : NoDup ws /\ forall x, of m b g x -> In (fst x) ws.
  Notation hs := (strangers g others).
  Hypothesis Ts : forall h, In h hs -> teams_of m b h (ts h).
  Notation n := (sum (fun h => length (ts h)) hs).
  Notation c := (teams ws n).
  Hypothesis Some_team : 1 <= c.

  Variables (A : nat -> nat -> node -> nat -> nat) (T : list nat -> nat -> node -> nat -> nat -> nat).
  Hypothesis HA : forall w u, In w ws -> In u ws -> u <> w -> align_cert m b w u c (A w u).
  Hypothesis HT : forall h tm, In h hs -> In tm (ts h) -> team_cert m b g c tm (T tm).

  Definition others_count (w : nat) (d : node) (J : progress) : nat :=
    sum (fun h => counted m b g cs h c turn (ts h) T w d J + c * spent b (shared_cost b m g h) J) hs.

  Lemma sum_length l (f : nat -> list (list nat)) d : sum (fun h => length (f h)) l * d = sum (fun h => length (f h) * d) l.
  Proof. induction l as [|h l IH]; [reflexivity|]. rewrite !sum_cons, Nat.mul_add_distr_r, IH. reflexivity. Qed.

  Lemma others_mono w d J J' : of m b g (w, snd d) -> reaches J J' -> others_count w d J <= others_count w d J'.
  Proof.
    intros Hn R. apply sum_le. intros h Hh. apply Nat.add_le_mono.
    - apply (counted_mono m b g cs h c Cores turn (ts h) T (fun tm => HT h tm Hh) (Ts h Hh) w d J J' Hn R).
    - apply Nat.mul_le_mono_l, spent_mono, R.
  Qed.

  Lemma others_edge w d e J : of m b g (w, snd d) -> In e (edges m b no_unit no_queue w d) ->
    others_count w (fst e) J + n * snd e <= others_count w d J.
  Proof.
    intros Hn He. rewrite sum_length. unfold others_count. rewrite <- sum_add. apply sum_le. intros h Hh.
    pose proof (counted_edge m b g cs h c W Cores turn (ts h) T (fun tm => HT h tm Hh) (Ts h Hh) w d e J Hn He). lia.
  Qed.

  Lemma others_jump x o d J : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    others_count (fst o) (true, snd o) J + n * (init (get b o) + lat (get b o)) <= others_count (fst x) (d, snd x) J.
  Proof.
    intros Hx Ho L. rewrite sum_length. unfold others_count. rewrite <- sum_add. apply sum_le. intros h Hh.
    pose proof (counted_jump m b g cs h c Cores turn k Turns (ts h) T (fun tm => HT h tm Hh) (Ts h Hh) x o d J Hx Ho L). lia.
  Qed.

  Lemma others_charge w d y J J' : of m b g (w, snd d) -> 1 <= init (get b (w, snd d)) -> group m (fst y) <> g ->
    met m b g (listed others) w (sec (get b (w, snd d))) J J' y -> others_count w d J + c * charge_any m b w d y <= others_count w d J'.
  Proof.
    intros Hn Ix G Me. pose proof (foreign_enough m b g others (w, snd d) y J J' Hn G Me) as F.
    destruct Me as [Hy [Me [R [L [O _]]]]]. apply meets_iff in Me as [_ [[G' _]|[_ Li]]]; [contradiction|].
    unfold foreign_charge in F. rewrite (proj2 (Nat.eqb_neq _ _) G), Li in F. cbn [fst] in F.
    pose proof (way_split m b g (core m w) y) as Wy. set (h := group m (fst y)) in *.
    assert (In h hs) as Hh.
    { apply filter_In. split; [apply (listed_iff others), Li|]. apply negb_true_iff, Nat.eqb_neq, G. }
    assert (charge_any m b w d y <= local_cost b m g h (sec (get b y)) (core m w) y + shared_cost b m g h y) as E.
    { unfold charge_any. destruct d as [dd i]. cbn [snd] in *. destruct (1 <=? init (get b (w, i))); [|lia]. destruct dd; lia. }
    unfold others_count. apply (sum_more _ _ _ h _ Hh).
    - set (e := min (charge_any m b w d y) (local_cost b m g h (sec (get b y)) (core m w) y)).
      pose proof (counted_charge m b g cs h c W Cores turn (ts h) T (fun tm => HT h tm Hh) (Ts h Hh) w d y e J J' Hn Hy eq_refl R L O
        ltac:(lia) ltac:(lia)) as A1.
      pose proof (spent_more b (shared_cost b m g h) J J' y Hy R L) as A2. apply (Nat.mul_le_mono_l _ _ c) in A2.
      assert (c * charge_any m b w d y <= c * (e + shared_cost b m g h y)) as A3 by (apply Nat.mul_le_mono_l; lia). lia.
    - intros h' Hh'. apply Nat.add_le_mono.
      + apply (counted_mono m b g cs h' c Cores turn (ts h') T (fun tm => HT h' tm Hh') (Ts h' Hh') w d J J' Hn R).
      + apply Nat.mul_le_mono_l, spent_mono, R.
  Qed.

  (** *** Theorem 2 *)
  Theorem wave_teams q x : (forall x, of m b g x -> sec (get b x) <= q) -> of m b g x ->
    C s x <= t0 + wave_team_aln m b g cs ws hs ts k A T q.
  Proof.
    intros Hq Hx. apply (wave_mean m b s g t0 (listed others) M W V Begun (away m b s g t0 others Away) ws A n Ws Some_team HA others_count
      others_mono others_edge others_jump others_charge q _ x Hq Hx).
    rewrite sum_length. unfold others_count. rewrite <- sum_add. apply sum_le. intros h Hh. rewrite spent_all.
    fold (shared_work b m g h).
    pose proof (counted_end m b g cs h c Cores turn k Turns (ts h) T (fun tm => HT h tm Hh) (Ts h Hh) x Hx). lia.
  Qed.
End WaveTeams.

(** Every barrier may be a change; on one sub-core there is none. *)
Lemma moves_barriers b m g : moves b m g (fun _ q => q) (last_section b m g).
Proof.
  split; [intros x o _ _ L; destruct (_ =? _); lia|]. intros x [Hx Gx]. apply list_max_ge, in_map_iff.
  exists x. split; [reflexivity|]. apply filter_In. split; [exact Hx|]. apply Nat.eqb_eq, Gx.
Qed.

Lemma moves_none b m g : (forall x o, of m b g x -> of m b g o -> core m (fst o) = core m (fst x)) -> moves b m g (fun _ _ => 0) 0.
Proof.
  intros H. split; [|lia]. intros x o Hx Ho _. rewrite (H x o Hx Ho), Nat.eqb_refl. lia.
Qed.

(** *** What a stay takes by it *)
Theorem stays_teams m p b others cs turn k ws ts A T q : machine_ok m -> wf p -> (NoDup cs /\ forall w, In (core m w) cs) ->
  moves p m b turn k -> (NoDup ws /\ forall x, of m p b x -> In (fst x) ws) ->
  (forall h, In h (strangers b others) -> teams_of m p h (ts h)) ->
  1 <= teams ws (sum (fun h => length (ts h)) (strangers b others)) ->
  (forall w u, In w ws -> In u ws -> u <> w ->
     align_cert m p w u (teams ws (sum (fun h => length (ts h)) (strangers b others))) (A w u)) ->
  (forall h tm, In h (strangers b others) -> In tm (ts h) ->
     team_cert m p b (teams ws (sum (fun h => length (ts h)) (strangers b others))) tm (T tm)) ->
  (forall x, of m p b x -> sec (get p x) <= q) ->
  stays_with m p b others (wave_team_aln m p b cs ws (strangers b others) ts k A T q).
Proof.
  intros M W Cs Tu Ws Ts One HA HT Hq s t0 x V B Aw Hx.
  apply (wave_teams m p s b t0 others cs M W V B Aw Cs turn k Tu ws ts Ws Ts One A T HA HT q x Hq Hx).
Qed.
