(** * A team along the stay of a thread block (docs/wave-bounds.md, sections 1 and 3)

    A team has warps of another thread block, at most one on each sub-core.  While [g] is on a
    sub-core, it meets the warp of the team there; where [g] goes to another one, between two of its
    sections, another warp of the team is met, from a section on that nothing was consumed of.
    What else is met of a section, on other sub-cores, counts as work (WaveTeams.v: extras). *)

From Warpbound Require Import Base Cycles Largest Model Potential Graph Paths Aln Stay WavePotential
  WaveSum WaveExtras WaveMean.
From Warpbound Require Fifo.

(** Where section [j] of warp [v] begins: how many instructions older sections have. *)
Definition from (b : block) (v j : nat) : nat := behind (fun i => sec (get b (v, i)) <? j)
  (len b v).

(** Certificate of a team, charges counted [c] times: a table over the nodes of all warps of [g],
    the warp of the team that is met, and how many of its instructions are consumed.  Besides edges
    and charges it respects changes to a later section of [g], and with such a change to another
    warp of the team, where nothing of a section is consumed yet. *)
Definition team_cert (m : machine) (b : block) (g c : nat) (team : list nat)
  (T : nat -> node -> nat -> nat -> nat) : Prop :=
  forall w n, of m b g (w, snd n) ->
    (forall v e i, In v team -> In e (edges m b no_unit no_queue w n) -> i <= len b v ->
      T w (fst e) v i + snd e <= T w n v i)
    /\ (forall x v i, of m b g x -> sec (get b x) < sec (get b (w, snd n)) -> In v team -> i
         <= len b v ->
         T (fst x) (true, snd x) v i + init (get b x) + lat (get b x) <= T w n v i)
    /\ (forall x v u j, of m b g x -> sec (get b x) < sec (get b (w, snd n)) -> In v team ->
         In u team ->
         T (fst x) (true, snd x) v (from b v j) + init (get b x) + lat (get b x)
           <= T w n u (from b u j))
    /\ (forall v i, In v team -> i < len b v -> T w n v i + c * charge_any m b w n (v, i)
         <= T w n v (S i)).

(** align(team, c): the most at a completion, whichever warp was met last. *)
Definition team_align (m : machine) (b : block) (g : nat) (team : list nat)
  (T : nat -> node -> nat -> nat -> nat) : nat :=
  list_max (map (fun x => list_max (map (fun v => T (fst x) (true, snd x) v (len b v)) team)
    + init (get b x) + lat (get b x)) (filter (fun x => group m (fst x) =? g) (keys b))).

(** ** Positions *)

Section Positions.
  Variables (b : block) (v : nat).
  Hypothesis W : wf b.

  Lemma from_len j : from b v j <= len b v.
  Proof. apply behind_le. intros i Hi _. exact Hi. Qed.

  Lemma from_mono j j' : j <= j' -> from b v j <= from b v j'.
  Proof.
    intros L. apply behind_le. intros i Hi Hs. apply behind_gt; [exact Hi|]. apply Nat.ltb_lt in Hs.
    apply Nat.ltb_lt. lia.
  Qed.

  Lemma from_above i j : i < len b v -> sec (get b (v, i)) < j -> i < from b v j.
  Proof. intros Hi Hs. apply behind_gt; [exact Hi|]. apply Nat.ltb_lt, Hs. Qed.

  Lemma from_below i j : In (v, i) (keys b) -> j <= sec (get b (v, i)) -> from b v j <= i.
  Proof.
    intros Hi L. apply behind_le. intros k Hk Hs. apply Nat.ltb_lt in Hs.
    destruct (le_lt_dec i k) as [N|N]; [exfalso|lia]. destruct (Nat.eq_dec i k) as [->|D]; [lia|].
    assert (In (v, k) (keys b)) as K by (apply in_keys in Hi; apply in_keys; lia).
    destruct (W v k K) as [_ [_ Ws]]. specialize (Ws i ltac:(lia)). lia.
  Qed.
End Positions.

(** The least, of a list that is not empty. *)
Definition lowest {A} (f : A -> nat) (l : list A) : nat := fold_right (fun v a => min (f v) a)
  (list_max (map f l)) l.

Lemma lowest_le {A} (f : A -> nat) l v : In v l -> lowest f l <= f v.
Proof.
  unfold lowest. generalize (list_max (map f l)).
  induction l as [|u l IH]; intros a H; [destruct H|]. cbn [fold_right].
  destruct H as [->|H]; [lia|]. specialize (IH a H). lia.
Qed.

Lemma lowest_ge {A} (f : A -> nat) l a : l <> [] -> (forall v, In v l -> a <= f v) ->
  a <= lowest f l.
Proof.
  intros N H. assert (a <= list_max (map f l)) as Hm.
  { destruct l as [|v l]; [congruence|]. etransitivity; [apply (H v (or_introl eq_refl))|].
    apply list_max_ge, in_map. left. reflexivity. }
  unfold lowest. revert Hm. generalize (list_max (map f l)) as c. clear N.
  induction l as [|u l IH]; intros c Hc; [exact Hc|]. cbn [fold_right].
  specialize (IH (fun v Hv => H v (or_intror Hv)) c Hc). specialize (H u (or_introl eq_refl)). lia.
Qed.

(** ** What a team counts *)

Section Team.
  Variables (m : machine) (b : block) (g c h : nat) (team : list nat)
    (T : nat -> node -> nat -> nat -> nat).
  Hypotheses (W : wf b) (HT : team_cert m b g c team T) (Some_warp : team <> []).
  Hypothesis Apart : forall v u, In v team -> In u team -> core m v = core m u -> v = u.

  (** The warp on sub-core [p], if there is one. *)
  Definition seat (p : nat) : option nat := find (fun v => core m v =? p) team.

  (** Nothing of section [j] is consumed, and [g] is on sub-core [p]. *)
  Definition opening (w : nat) (n : node) (p j : nat) : nat :=
    match seat p with
    | Some v => T w n v (from b v j)
    | None => lowest (fun v => T w n v (from b v j)) team
    end.

  (** Of warp [v] when section [j] is the last that has begun; and what that is of work of thread
      block [h]. *)
  Definition held (J : progress) (v j : nat) : nat := max (from b v j) (min (J v) (from b v (S j))).
  Definition eaten (J : progress) (v j : nat) : nat :=
    sum (fun i => local_cost b m g h j (core m v) (v, i)) (seq 0 (min (J v) (len b v))).
  Definition eaten_at (J : progress) (p j : nat) : nat := match seat p with Some v =>
    eaten J v j | None => 0 end.

  (** The warp on [p] is met in section [j]: no more than with its work. *)
  Definition met_on (w : nat) (n : node) (p j : nat) (J : progress) : nat :=
    match seat p with
    | Some v => min (T w n v (held J v j)) (T w n v (from b v j) + c * eaten J v j)
    | None => opening w n p j
    end.

  (** The same when [g] is on sub-core [at_]: where the next section begins. *)
  Definition seen (w : nat) (n : node) (p at_ j : nat) (J : progress) : nat :=
    min (met_on w n p j J) (opening w n at_ (S j)).

  Lemma seat_in p v : seat p = Some v -> In v team /\ core m v = p.
  Proof. intros H. apply find_some in H as [H1 H2]. apply Nat.eqb_eq in H2. auto. Qed.

  Lemma seat_of v : In v team -> seat (core m v) = Some v.
  Proof.
    intros Hv. destruct (seat (core m v)) as [u|] eqn:E.
    - apply seat_in in E as [Hu E]. rewrite (Apart u v Hu Hv E). reflexivity.
    - exfalso. pose proof (find_none _ _ E v Hv) as N. cbv beta in N. rewrite Nat.eqb_refl in N.
      discriminate.
  Qed.

  Lemma held_range J v j : from b v j <= held J v j <= from b v (S j) /\ held J v j <= len b v.
  Proof.
    pose proof (from_mono b v j (S j) ltac:(lia)). pose proof (from_len b v (S j)). unfold held.
    lia.
  Qed.

  Lemma held_mono J J' v j : reaches J J' -> held J v j <= held J' v j.
  Proof. intros R. specialize (R v). unfold held. lia. Qed.

  Lemma eaten_mono J J' v j : reaches J J' -> eaten J v j <= eaten J' v j.
  Proof. intros R. specialize (R v). apply Fifo.seq_sum_mono. lia. Qed.

  Section Node.
    Variables (w : nat) (n : node).
    Hypothesis Hn : of m b g (w, snd n).

    Lemma team_mono v i j : In v team -> i <= j -> j <= len b v -> T w n v i <= T w n v j.
    Proof.
      intros Hv. apply table_mono. intros k Hk.
      pose proof (proj2 (proj2 (proj2 (HT w n Hn))) v k Hv Hk). lia.
    Qed.

    Lemma opening_grows p j j' : j <= j' -> opening w n p j <= opening w n p j'.
    Proof.
      intros L. unfold opening. destruct (seat p) as [v|] eqn:E.
      - apply team_mono; [apply (seat_in p v E)|apply from_mono, L|apply from_len].
      - apply lowest_ge; [exact Some_warp|]. intros v Hv. etransitivity; [apply lowest_le, Hv|].
        apply team_mono; [exact Hv|apply from_mono, L|apply from_len].
    Qed.

    Lemma opening_met p j J : opening w n p j <= met_on w n p j J.
    Proof.
      unfold met_on, opening. destruct (seat p) as [v|] eqn:E; [|lia].
      pose proof (team_mono v (from b v j) (held J v j) (proj1 (seat_in p v E))
        (proj1 (proj1 (held_range J v j))) (proj2 (held_range J v j))). lia.
    Qed.

    Lemma met_opening p j J : met_on w n p j J <= opening w n p (S j).
    Proof.
      unfold met_on. destruct (seat p) as [v|] eqn:E; [|apply opening_grows; lia]. unfold opening.
      rewrite E. pose proof (team_mono v (held J v j) (from b v (S j)) (proj1 (seat_in p v E))
        (proj2 (proj1 (held_range J v j))) (from_len b v (S j))). lia.
    Qed.

    Lemma met_work p j J : met_on w n p j J <= opening w n p j + c * eaten_at J p j.
    Proof. unfold met_on, opening, eaten_at. destruct (seat p); lia. Qed.

    Lemma met_mono p j J J' : reaches J J' -> met_on w n p j J <= met_on w n p j J'.
    Proof.
      intros R. unfold met_on. destruct (seat p) as [v|] eqn:E; [|lia].
      pose proof (team_mono v _ _ (proj1 (seat_in p v E)) (held_mono J J' v j R)
        (proj2 (held_range J' v j))). pose proof (Nat.mul_le_mono_l _ _ c (eaten_mono J J' v j R)).
      lia.
    Qed.

    Lemma seen_mono p a j J J' : reaches J J' -> seen w n p a j J <= seen w n p a j J'.
    Proof. intros R. pose proof (met_mono p j J J' R). unfold seen. lia. Qed.

    (** Another section of the other thread block has begun. *)
    Lemma seen_advance p a j j' J J' : j < j' -> seen w n p a j J <= seen w n a a j' J'.
    Proof.
      intros L. unfold seen. pose proof (opening_grows a (S j) j' L).
      pose proof (opening_met a j' J'). pose proof (opening_grows a j' (S j') ltac:(lia)). lia.
    Qed.

    (** The warp on the sub-core where [g] is issues [y]. *)
    Lemma seen_charge y j e J J' : In y (keys b) -> In (fst y) team -> sec (get b y) = j ->
      reaches J J' ->
      J (fst y) <= snd y < J' (fst y) -> e <= charge_any m b w n y ->
      e <= local_cost b m g h j (core m (fst y)) y ->
      seen w n (core m (fst y)) (core m (fst y)) j J + c * e
        <= seen w n (core m (fst y)) (core m (fst y)) j J'.
    Proof.
      destruct y as [v i]. cbn [fst snd]. intros Hy Hv S R L E1 E2.
      pose proof (proj1 (in_keys _ _ _) Hy) as [_ Li].
      pose proof (from_below b v W i j Hy ltac:(lia)) as F1.
      pose proof (from_above b v i (Datatypes.S j) Li ltac:(lia)) as F2.
      pose proof (from_len b v (Datatypes.S j)) as F3.
      pose proof (proj2 (proj2 (proj2 (HT w n Hn))) v i Hv Li) as HC.
      pose proof (Nat.mul_le_mono_l _ _ c E1). pose proof (Nat.mul_le_mono_l _ _ c E2).
      assert (held J v j <= i) as H1 by (unfold held; lia).
      assert (Datatypes.S i <= held J' v j) as H2 by (unfold held; lia).
      pose proof (team_mono v _ _ Hv H1 ltac:(lia)).
      pose proof (team_mono v _ _ Hv H2 (proj2 (held_range J' v j))).
      pose proof (team_mono v (Datatypes.S i) (from b v (Datatypes.S j)) Hv ltac:(lia) F3).
      assert (eaten J v j + local_cost b m g h j (core m v) (v, i) <= eaten J' v j) as K.
      { unfold eaten. pose proof (Fifo.seq_sum_mono (fun i =>
          local_cost b m g h j (core m v) (v, i)) (min (J v) (len b v)) i ltac:(lia)).
        pose proof (Fifo.seq_sum_mono (fun i => local_cost b m g h j (core m v) (v, i))
          (Datatypes.S i) (min (J' v) (len b v)) ltac:(lia)) as G.
        rewrite seq_S, sum_app, sum_cons in G. cbn [sum] in G. change (sum _ []) with 0 in G.
        cbn [Nat.add] in G. lia. }
      pose proof (Nat.mul_le_mono_l _ _ c K) as K'. rewrite Nat.mul_add_distr_l in K'.
      unfold seen, met_on, opening. rewrite (seat_of v Hv). lia.
    Qed.

    Lemma met_most p j J : met_on w n p j J <= list_max (map (fun v => T w n v (len b v)) team).
    Proof.
      assert (forall v i, In v team -> i <= len b v -> T w n v i
        <= list_max (map (fun v => T w n v (len b v)) team)) as H.
      { intros v i Hv L. etransitivity; [apply (team_mono v i (len b v) Hv L); lia|].
        apply (list_max_in_ge (fun v => T w n v (len b v))), Hv. }
      unfold met_on, opening. destruct (seat p) as [v|] eqn:E.
      - pose proof (H v (held J v j) (proj1 (seat_in p v E)) (proj2 (held_range J v j))). lia.
      - assert (exists v, In v team) as [v Hv]
          by (destruct team as [|v l]; [destruct (Some_warp eq_refl)|exists v; left; reflexivity]).
        etransitivity; [apply (lowest_le _ _ v Hv)|]. apply H; [exact Hv|apply from_len].
    Qed.
  End Node.

  (** *** Along an edge *)
  Section Edge.
    Variables (w : nat) (n : node) (e : node * nat).
    Hypotheses (Hn : of m b g (w, snd n)) (He : In e (edges m b no_unit no_queue w n)).

    Lemma opening_edge p j : opening w (fst e) p j + snd e <= opening w n p j.
    Proof.
      pose proof (proj1 (HT w n Hn)) as H. unfold opening. destruct (seat p) as [v|] eqn:E.
      - apply H; [apply (seat_in p v E)|exact He|apply from_len].
      - apply lowest_ge; [exact Some_warp|]. intros v Hv.
        specialize (H v e (from b v j) Hv He (from_len b v j)).
        pose proof (lowest_le (fun v => T w (fst e) v (from b v j)) team v Hv). cbv beta in *. lia.
    Qed.

    Lemma seen_edge p a j J : seen w (fst e) p a j J + snd e <= seen w n p a j J.
    Proof.
      pose proof (opening_edge a (S j)). unfold seen.
      enough (met_on w (fst e) p j J + snd e <= met_on w n p j J) by lia. unfold met_on.
      destruct (seat p) as [v|] eqn:E; [|apply opening_edge].
      pose proof (proj1 (HT w n Hn) v e (held J v j) (proj1 (seat_in p v E)) He
        (proj2 (held_range J v j))).
      pose proof (proj1 (HT w n Hn) v e (from b v j) (proj1 (seat_in p v E)) He (from_len b v j)).
      lia.
    Qed.
  End Edge.

  (** *** To a later section of [g] *)
  Section Jump.
    Variables (x o : key) (d : bool).
    Hypotheses (Hx : of m b g x) (Ho : of m b g o) (Later : sec (get b o) < sec (get b x)).
    Notation e := (init (get b o) + lat (get b o)).
    Notation at_o := (true, snd o).
    Notation at_x := (d, snd x).

    Lemma node_x : of m b g (fst x, snd at_x).
    Proof. destruct x. exact Hx. Qed.

    Lemma opening_jump p p' j : opening (fst o) at_o p j + e <= opening (fst x) at_x p' j.
    Proof.
      destruct (HT (fst x) at_x node_x) as [_ [_ [H _]]].
      assert (forall v u, In v team -> In u team -> T (fst o) at_o v (from b v j) + e
        <= T (fst x) at_x u (from b u j)) as Jump.
      { intros v u Hv Hu. rewrite Nat.add_assoc. apply H; auto. }
      assert (forall u, In u team -> opening (fst o) at_o p j + e <= T (fst x) at_x u (from b u j))
        as A.
      { intros u Hu. unfold opening.
        destruct (seat p) as [v|] eqn:E; [apply Jump; [apply (seat_in p v E)|exact Hu]|].
        pose proof (lowest_le (fun v => T (fst o) at_o v (from b v j)) team u Hu).
        specialize (Jump u u Hu Hu). cbv beta in *. lia. }
      unfold opening at 2.
      destruct (seat p') as [u|] eqn:E; [exact (A u (proj1 (seat_in p' u E)))|].
      apply lowest_ge; assumption.
    Qed.

    (** The same sub-core counts for the section that is met, *)
    Lemma seen_jump p a a' j J : seen (fst o) at_o p a j J + e <= seen (fst x) at_x p a' j J.
    Proof.
      destruct (HT (fst x) at_x node_x) as [_ [H _]].
      assert (of m b g (fst o, snd at_o)) as No by (destruct o; exact Ho).
      pose proof (met_opening (fst o) at_o No p j J). pose proof (opening_jump p a' (S j)).
      unfold seen. enough (met_on (fst o) at_o p j J + e <= met_on (fst x) at_x p j J) by lia.
      unfold met_on. destruct (seat p) as [v|] eqn:E; [|apply opening_jump]. cbn [snd] in H.
      rewrite <- surjective_pairing in H.
      pose proof (H o v (held J v j) Ho Later (proj1 (seat_in p v E)) (proj2 (held_range J v j))).
      pose proof (H o v (from b v j) Ho Later (proj1 (seat_in p v E)) (from_len b v j)). lia.
    Qed.

    (** or another, and what was met before counts as work. *)
    Lemma seen_turn p a a' j J : seen (fst o) at_o p a j J + e <= seen (fst x) at_x a' a' j J
      + c * eaten_at J p j.
    Proof.
      pose proof (met_work (fst o) at_o p j J) as A. pose proof (opening_jump p a' j).
      pose proof (opening_met (fst x) at_x node_x a' j J).
      pose proof (opening_grows (fst x) at_x node_x a' j (S j) ltac:(lia)). unfold seen. lia.
    Qed.
  End Jump.

  (** *** In the end *)
  Lemma seen_end x p a j J : of m b g x ->
    seen (fst x) (true, snd x) p a j J + (init (get b x) + lat (get b x))
      <= team_align m b g team T.
  Proof.
    intros Hx. assert (of m b g (fst x, snd (true, snd x))) as Nx by (destruct x; exact Hx).
    pose proof (met_most (fst x) (true, snd x) Nx p j J) as A. unfold seen.
    etransitivity; [apply Nat.add_le_mono_r; etransitivity; [apply Nat.le_min_l|exact A]|].
    rewrite Nat.add_assoc. apply list_max_ge, in_map_iff. exists x. split; [reflexivity|].
    apply filter_In. split; [apply Hx|apply Nat.eqb_eq, Hx].
  Qed.
End Team.
