(** * What the teams of one thread block count (docs/wave-bounds.md, section 3, theorem 2)

    Of thread block [h] the sections are issued one after the other.  A plan says on which sub-cores
    [g] has been while section [j], the last that has begun, is met: [fst], and which of them counts
    for the teams, the one with the most work: [snd].  The others, and those of older sections, are
    extras: one for each change of sub-core at most.  What is counted is the most over all plans. *)

From Warpbound Require Import Base Cycles Largest Extras Model Potential Bounds Graph Stay
  WavePotential WaveSum WaveSib WaveExtras WaveMean Teams.
From Warpbound Require Aln Share ChainWork Covering.

(** ** Lists *)

(** All sublists of a list. *)
Fixpoint sublists (l : list nat) : list (list nat) :=
  match l with [] => [[]] | x :: l' => map (cons x) (sublists l') ++ sublists l' end.

Lemma sublists_filter q l : In (filter q l) (sublists l).
Proof.
  induction l as [|x l IH]; [left; reflexivity|]. cbn. apply in_app_iff.
  destruct (q x); [left; apply in_map, IH|right; exact IH].
Qed.

Lemma sublists_ok l : NoDup l -> forall S, In S (sublists l) -> NoDup S /\ incl S l.
Proof.
  induction 1 as [|x l Nx N IH]; intros S H; cbn in H.
  - destruct H as [<-|[]]. split; [constructor|apply incl_refl].
  - apply in_app_iff in H as [H|H].
    + apply in_map_iff in H as [S' [<- H]]. destruct (IH S' H) as [H1 H2]. split.
      * constructor; [|exact H1]. intros Hx. apply Nx, H2, Hx.
      * intros y [->|Hy]; [left; reflexivity|right; apply H2, Hy].
    + destruct (IH S H) as [H1 H2]. split; [exact H1|apply incl_tl, H2].
Qed.

Lemma sublists_one a l : In a l -> In [a] (sublists l).
Proof.
  induction l as [|x l IH]; intros H; [destruct H|]. cbn. apply in_app_iff.
  destruct H as [->|H]; [left|right; apply IH, H]. apply in_map. clear IH.
  induction l as [|y l IH]; [left; reflexivity|]. apply in_app_iff. right. exact IH.
Qed.

Lemma sum_below (f : nat -> nat) l n : NoDup l -> (forall v, n <= v -> f v = 0) ->
  sum f l <= sum f (seq 0 n).
Proof.
  intros N Z. transitivity (sum f (filter (fun v => v <? n) l)).
  - rewrite sum_filter. apply sum_le. intros v _. destruct (Nat.ltb_spec v n) as [L|L]; [lia|].
    rewrite (Z v L). lia.
  - apply Covering.sum_incl; [apply NoDup_filter, N|]. intros v Hv. apply filter_In in Hv as [_ Hv].
    apply Nat.ltb_lt in Hv. apply in_seq. lia.
Qed.

Section Plans.
  Variables (m : machine) (b : block) (g : nat) (cs : list nat) (h c : nat).
  Hypotheses (W : wf b) (Cores : NoDup cs /\ forall w, In (core m w) cs).

  Variables (ts : list (list nat)) (T : list nat -> nat -> node -> nat -> nat -> nat).
  Hypothesis HT : forall tm, In tm ts -> team_cert m b g c tm (T tm).
  Hypothesis Some_warp : forall tm, In tm ts -> tm <> [].
  Hypothesis Apart : forall tm v u, In tm ts -> In v tm -> In u tm -> core m v = core m u -> v = u.
  Hypothesis Once : NoDup (concat ts).
  Hypothesis Cover : forall y, In y (keys b) -> group m (fst y) = h -> 1 <= init (get b y) ->
    exists tm, In tm ts /\ In (fst y) tm.

  Notation work := (local_work b m g h).
  Notation load := (load m b g h).

  (** A plan has the sub-cores that were met, and the one that counts. *)
  Definition plan := (list nat * nat)%type.

  (** [g] is on [a], and has changed its sub-core at most [k] times. *)
  Definition possible (a j k : nat) (p : plan) : bool :=
    (listed (fst p) a && listed (fst p) (snd p))
    && (forallb (fun d => work j d <=? work j (snd p)) (fst p) && (length (fst p) <=? S k)).

  (** Extras of sections before [j]. *)
  Definition earlier (j : nat) : list nat := beyond cs work (fun j => most cs (work j)) (seq 0 j).

  (** What a plan counts. *)
  Definition value (w : nat) (n : node) (a j k : nat) (J : progress) (p : plan) : nat :=
    sum (fun tm => seen m b g c h tm (T tm) w n (snd p) a j J) ts
    + c * (sum (load J j) (rest (fst p) (snd p)) + largest (S k - length (fst p)) (earlier j)).

  Lemma possible_iff a j k p : possible a j k p = true <->
    In a (fst p) /\ In (snd p) (fst p) /\ (forall d, In d (fst p) -> work j d <= work j (snd p)) /\
    length (fst p) <= S k.
  Proof.
    unfold possible. rewrite !andb_true_iff, !listed_iff, forallb_forall, Nat.leb_le.
    split; intros H.
    - repeat split; try apply H. intros d Hd. apply Nat.leb_le, H, Hd.
    - repeat split; try apply H. intros d Hd. apply Nat.leb_le, H, Hd.
  Qed.

  (** What the teams have on a sub-core is what the thread block has there. *)
  Lemma eaten_load J p j : sum (fun tm => eaten_at m b g h tm J p j) ts <= load J j p.
  Proof.
    set (f := fun v => if core m v =? p then eaten m b g h J v j else 0).
    transitivity (sum f (concat ts)).
    - clear HT Some_warp Apart Once Cover. induction ts as [|tm l IH]; [apply le_n|]. cbn [concat].
      rewrite sum_cons, sum_app. apply Nat.add_le_mono; [|exact IH]. unfold eaten_at.
      destruct (seat m tm p) as [v|] eqn:E; [|lia]. apply seat_in in E as [Hv Ev].
      etransitivity; [|apply (sum_ge f v tm Hv)]. unfold f. rewrite Ev, Nat.eqb_refl. apply le_n.
    - unfold WaveExtras.load, spent. etransitivity; [apply (sum_below f _ (length b) Once)|].
      + intros v L. unfold f, eaten, len. rewrite nth_overflow by exact L. cbn [length].
        rewrite Nat.min_0_r. destruct (_ =? _); reflexivity.
      + apply sum_le. intros v _. unfold f, eaten.
        destruct (Nat.eqb_spec (core m v) p) as [->|N]; [apply le_n|lia].
  Qed.

  (** Where a section is over, its extras are among the largest. *)
  Lemma extras_pass a j j' k J p : j < j' -> NoDup (fst p) -> incl (fst p) cs ->
    possible a j k p = true ->
    sum (load J j) (rest (fst p) (snd p)) + largest (S k - length (fst p)) (earlier j)
      <= largest k (earlier j').
  Proof.
    intros L N I H. apply possible_iff in H as [_ [Hc [Most Len]]]. destruct p as [S ch].
    cbn [fst snd] in *. set (r := rest S ch).
    assert (length r = length S - 1) as Lr by (apply Share.length_without; assumption).
    assert (NoDup r) as Nr by (apply NoDup_filter, N).
    assert (1 <= length S) as L1 by (destruct S; [destruct Hc|cbn; lia]).
    assert (sum (load J j) r <= sum (work j) r) as A
      by (apply sum_le; intros d _; apply spent_some).
    destruct (most_core m cs Cores (work j)) as [Q1 Q2]. set (q := most cs (work j)) in *.
    assert (sum (work j) r <= largest (length S - 1) (map (work j) (rest cs q))) as B.
    { destruct (in_dec Nat.eq_dec q S) as [Hq|Hq].
      - pose proof (Most q Hq). pose proof (Q2 ch (I ch Hc)).
        pose proof (switch_one cs (proj1 Cores) (work j) ch q [] (length S - 1) (I ch Hc) Q1
          ltac:(lia)) as X. rewrite !app_nil_r in X.
        enough (sum (work j) r <= largest (length S - 1) (map (work j) (rest cs ch))) by lia.
        apply largest_ge; [exact Nr| |lia]. intros d Hd. apply filter_In in Hd as [Hd E].
        apply filter_In. split; [apply I, Hd|exact E].
      - apply largest_ge; [exact Nr| |lia]. intros d Hd. apply filter_In in Hd as [Hd E].
        apply filter_In. split; [apply I, Hd|]. apply negb_true_iff, Nat.eqb_neq. intros ->.
        apply Hq, Hd. }
    pose proof (ChainWork.largest_app (map (work j) (rest cs q)) (length S - 1)
      (Datatypes.S k - length S) (earlier j)) as D.
    replace (length S - 1 + (Datatypes.S k - length S)) with k in D by lia.
    enough (largest k (map (work j) (rest cs q) ++ earlier j) <= largest k (earlier j')) by lia.
    unfold earlier, beyond at 2. replace j' with (j + (1 + (j' - Datatypes.S j))) by lia.
    rewrite !seq_app, !flat_map_app. cbn [seq flat_map Nat.add]. rewrite app_nil_r, app_assoc.
    fold q. etransitivity; [apply Nat.eq_le_incl, largest_perm, Permutation.Permutation_app_comm|].
    pose proof (ChainWork.largest_app (beyond cs work (fun j => most cs (work j)) (seq 0 j)
      ++ map (work j) (rest cs q)) k 0 (flat_map (fun j =>
      map (work j) (rest cs (most cs (work j)))) (seq (Datatypes.S j) (j' - Datatypes.S j)))) as F.
    rewrite largest_0, !Nat.add_0_r in F. replace (j + 1) with (Datatypes.S j) by lia. exact F.
  Qed.

  (** *** More is issued *)
  Lemma value_mono w n a j k J J' p : of m b g (w, snd n) -> reaches J J' ->
    value w n a j k J p <= value w n a j k J' p.
  Proof.
    intros Hn R. apply Nat.add_le_mono.
    - apply sum_le. intros tm Ht. apply (seen_mono m b g c h tm (T tm) (HT tm Ht) w n Hn). exact R.
    - apply Nat.mul_le_mono_l, Nat.add_le_mono_r, sum_le. intros d _. apply load_mono, R.
  Qed.

  (** A section begins: [g] has been on one sub-core only while it is met. *)
  Lemma value_advance w n a j j' k J J' p : of m b g (w, snd n) -> reaches J J' -> j < j' ->
    NoDup (fst p) -> incl (fst p) cs ->
    possible a j k p = true -> value w n a j k J p <= value w n a j' k J' ([a], a).
  Proof.
    intros Hn R L N I H. pose proof (extras_pass a j j' k J p L N I H) as E. apply Nat.add_le_mono.
    - apply sum_le. intros tm Ht.
      apply (seen_advance m b g c h tm (T tm) (HT tm Ht) (Some_warp tm Ht) w n Hn). exact L.
    - apply Nat.mul_le_mono_l. cbn [fst snd length]. rewrite Nat.sub_succ, Nat.sub_0_r. lia.
  Qed.

  Lemma possible_one a j k : possible a j k ([a], a) = true.
  Proof. apply possible_iff. cbn. repeat split; auto; [|lia]. intros d [->|[]]. lia. Qed.

  (** *** [h] issues [y] of section [j] *)
  Lemma value_charge w n y j k e J J' p : of m b g (w, snd n) -> In y (keys b) ->
    group m (fst y) = h -> sec (get b y) = j ->
    reaches J J' -> J (fst y) <= snd y < J' (fst y) -> e <= charge_any m b w n y ->
    e <= local_cost b m g h j (core m w) y ->
    possible (core m w) j k p = true -> value w n (core m w) j k J p + c * e
      <= value w n (core m w) j k J' p.
  Proof.
    intros Hn Hy Gy Sy R L E1 E2 H. destruct (Nat.eq_dec e 0) as [->|Pe];
      [rewrite Nat.mul_0_r, Nat.add_0_r; apply value_mono; assumption|].
    assert (core m (fst y) = core m w) as Ec.
    { unfold local_cost in E2.
      destruct (Nat.eqb_spec (core m (fst y)) (core m w)) as [E|N]; [exact E|]. cbn [andb] in E2.
      rewrite !andb_false_r in E2. lia. }
    assert (1 <= init (get b y)) as Iy.
    { apply (cost_unit m b W y Hy). unfold local_cost in E2. destruct (_ && _); lia. }
    apply possible_iff in H as [Ha [Hc _]]. unfold value. destruct p as [S ch]. cbn [fst snd] in *.
    assert (forall d, load J j d <= load J' j d) as Lm by (intros d; apply load_mono, R).
    assert (forall tm, In tm ts -> seen m b g c h tm (T tm) w n ch (core m w) j J
      <= seen m b g c h tm (T tm) w n ch (core m w) j J') as Sm.
    { intros tm Ht. apply (seen_mono m b g c h tm (T tm) (HT tm Ht) w n Hn). exact R. }
    destruct (Nat.eq_dec ch (core m w)) as [->|N].
    - destruct (Cover y Hy Gy Iy) as [tm [Ht Hv]].
      assert (sum (fun tm => seen m b g c h tm (T tm) w n (core m w) (core m w) j J) ts + c * e
        <= sum (fun tm => seen m b g c h tm (T tm) w n (core m w) (core m w) j J') ts) as A.
      { apply (Aln.sum_more _ _ _ tm _ Ht); [|exact Sm]. rewrite <- Ec in E2 |- *.
        apply (seen_charge m b g c h tm (T tm) W (HT tm Ht) (fun v u => Apart tm v u Ht) w n Hn);
          assumption. }
      pose proof (sum_le (load J j) (load J' j) (rest S (core m w)) (fun d _ => Lm d)) as B.
      apply (Nat.mul_le_mono_l _ _ c) in B. lia.
    - pose proof (sum_le _ _ ts Sm) as A. cbv beta in A.
      assert (sum (load J j) (rest S ch) + e <= sum (load J' j) (rest S ch)) as B.
      { apply (Aln.sum_more _ _ _ (core m w));
          [|pose proof (spent_more b (local_cost b m g h j (core m w)) J J' y Hy R L);
          unfold WaveExtras.load; lia|auto]. apply filter_In. split; [exact Ha|].
        apply negb_true_iff, Nat.eqb_neq. congruence. }
      apply (Nat.mul_le_mono_l _ _ c) in B. lia.
  Qed.

  (** *** Along an edge *)
  Lemma value_edge w n e a j k J p : of m b g (w, snd n) -> In e (edges m b no_unit no_queue w n) ->
    value w (fst e) a j k J p + length ts * snd e <= value w n a j k J p.
  Proof.
    intros Hn He. unfold value. enough (sum (fun tm =>
      seen m b g c h tm (T tm) w (fst e) (snd p) a j J) ts + length ts * snd e
      <= sum (fun tm => seen m b g c h tm (T tm) w n (snd p) a j J) ts) by lia. apply Aln.sum_all.
    intros tm Ht. apply (seen_edge m b g c h tm (T tm) (HT tm Ht) (Some_warp tm Ht) w n e Hn He).
  Qed.

  (** *** To a later section of [g], which may be on another sub-core *)
  Lemma value_jump x o d j k k' J p : of m b g x -> of m b g o -> sec (get b o) < sec (get b x) ->
    In p (list_prod (sublists cs) cs) ->
    k + (if core m (fst o) =? core m (fst x) then 0 else 1) <= k' -> possible (core m (fst o)) j k p
      = true ->
    exists p', In p' (list_prod (sublists cs) cs) /\ possible (core m (fst x)) j k' p' = true
      /\ value (fst o) (true, snd o) (core m (fst o)) j k J p + length ts
           * (init (get b o) + lat (get b o))
           <= value (fst x) (d, snd x) (core m (fst x)) j k' J p'.
  Proof.
    intros Hx Ho L In_p K H. apply possible_iff in H as [Ha [Hc [Most Len]]]. destruct p as [S ch].
    cbn [fst snd] in *. apply in_prod_iff in In_p as [In_S In_ch].
    destruct (sublists_ok cs (proj1 Cores) S In_S) as [NS IS]. set (a := core m (fst o)) in *.
    set (a' := core m (fst x)) in *. assert (In a' cs) as Ia by apply Cores.
    assert (forall tm, In tm ts -> seen m b g c h tm (T tm) (fst o) (true, snd o) ch a j J
      + (init (get b o) + lat (get b o)) <= seen m b g c h tm (T tm) (fst x) (d, snd x) ch a' j J)
      as Same.
    { intros tm Ht.
      apply (seen_jump m b g c h tm (T tm) (HT tm Ht) (Some_warp tm Ht) x o d Hx Ho L). }
    apply Aln.sum_all in Same.
    destruct (in_dec Nat.eq_dec a' S) as [Hin|Hout].
    - exists (S, ch). split; [apply in_prod; assumption|].
      split; [apply possible_iff; cbn [fst snd]; repeat split; auto; lia|]. unfold value.
      cbn [fst snd]. pose proof (largest_grows (Datatypes.S k - length S)
        (Datatypes.S k' - length S) (earlier j) ltac:(lia)) as G.
      apply (Nat.mul_le_mono_l _ _ c) in G. rewrite !Nat.mul_add_distr_l. lia.
    - set (S' := filter (fun d => listed S d || (d =? a')) cs).
      assert (forall e, In e S' <-> In e S \/ e = a') as In_S'.
      { intros e. unfold S'. rewrite filter_In, orb_true_iff, listed_iff, Nat.eqb_eq.
        split; [tauto|]. intros [H| ->]; [split; [apply IS, H|auto]|auto]. }
      assert (NoDup S') as NS' by (apply NoDup_filter, Cores).
      assert (length S' <= Datatypes.S (length S)) as LS.
      { apply (NoDup_incl_length NS' (l' := a' :: S)). intros e He.
        apply In_S' in He as [He| ->]; [right; exact He|left; reflexivity]. }
      assert (k + 1 <= k') as K1.
      { destruct (Nat.eqb_spec a a') as [E|N]; [|exact K]. exfalso. apply Hout. rewrite <- E.
        exact Ha. }
      pose proof (largest_grows (Datatypes.S k - length S) (Datatypes.S k' - length S') (earlier j)
        ltac:(lia)) as G. apply (Nat.mul_le_mono_l _ _ c) in G.
      destruct (le_lt_dec (work j a') (work j ch)) as [Lw|Lw].
      + exists (S', ch). split; [apply in_prod; [apply sublists_filter|exact In_ch]|]. split.
        { apply possible_iff. cbn [fst snd]. rewrite !In_S'. repeat split; auto; [|lia].
          intros e He. apply In_S' in He as [He| ->]; auto. }
        unfold value. cbn [fst snd].
        assert (sum (load J j) (rest S ch) <= sum (load J j) (rest S' ch)) as B.
        { apply Covering.sum_incl; [apply NoDup_filter, NS|]. intros e He.
          apply filter_In in He as [He E]. apply filter_In. rewrite In_S'. auto. }
        apply (Nat.mul_le_mono_l _ _ c) in B. rewrite !Nat.mul_add_distr_l. lia.
      + exists (S', a'). split; [apply in_prod; [apply sublists_filter|exact Ia]|]. split.
        { apply possible_iff. cbn [fst snd]. rewrite !In_S'. repeat split; auto; [|lia].
          intros e He. apply In_S' in He as [He| ->]; [|lia]. specialize (Most e He). lia. }
        unfold value. cbn [fst snd].
        assert (sum (load J j) (rest S ch) + load J j ch <= sum (load J j) (rest S' a')) as B.
        { rewrite Nat.add_comm, <- sum_cons. apply Covering.sum_incl.
          - constructor; [|apply NoDup_filter, NS]. intros X. apply filter_In in X as [_ X].
            rewrite Nat.eqb_refl in X. discriminate.
          - intros e He. apply filter_In. rewrite In_S'. rewrite negb_true_iff, Nat.eqb_neq.
            assert (In e S) as Es by (destruct He as [<-|He];
              [exact Hc|apply filter_In in He; apply He]). split; [left; exact Es|]. intros ->.
            apply Hout, Es. }
        apply (Nat.mul_le_mono_l _ _ c) in B.
        assert (sum (fun tm => seen m b g c h tm (T tm) (fst o) (true, snd o) ch a j J) ts
          + length ts * (init (get b o) + lat (get b o))
          <= sum (fun tm => seen m b g c h tm (T tm) (fst x) (d, snd x) a' a' j J
          + c * eaten_at m b g h tm J ch j) ts) as D.
        { apply Aln.sum_all. intros tm Ht.
          apply (seen_turn m b g c h tm (T tm) (HT tm Ht) (Some_warp tm Ht) x o d Hx Ho L). }
        rewrite sum_add, sum_scale in D. pose proof (eaten_load J ch j) as F.
        apply (Nat.mul_le_mono_l _ _ c) in F. rewrite !Nat.mul_add_distr_l in *. lia.
  Qed.

  (** ** The most over all plans *)

  (** The most that a plan counts. *)
  Definition best (w : nat) (n : node) (a j k : nat) (J : progress) : nat :=
    list_max (map (value w n a j k J) (filter (possible a j k) (list_prod (sublists cs) cs))).

  Lemma best_ge w n a j k J p : In p (list_prod (sublists cs) cs) -> possible a j k p = true ->
    value w n a j k J p <= best w n a j k J.
  Proof. intros Hp H. apply list_max_in_ge, filter_In. auto. Qed.

  Lemma one_listed a : In a cs -> In ([a], a) (list_prod (sublists cs) cs).
  Proof. intros H. apply in_prod; [apply sublists_one, H|exact H]. Qed.

  Lemma best_is w n a j k J : In a cs -> exists p, In p (list_prod (sublists cs) cs) /\
    possible a j k p = true
    /\ best w n a j k J = value w n a j k J p.
  Proof.
    intros Ha. unfold best. set (l := map _ _).
    assert (In (list_max l) l) as H.
    { apply list_max_in. unfold l. intros E. apply map_eq_nil in E. apply (in_nil (a := ([a], a))).
      rewrite <- E at 1. apply filter_In. split; [apply one_listed, Ha|apply possible_one]. }
    apply in_map_iff in H as [p [E H]]. apply filter_In in H as [H1 H2]. exists p. auto.
  Qed.

  Lemma best_later w n a j j' k J J' : of m b g (w, snd n) -> In a cs -> reaches J J' -> j <= j' ->
    best w n a j k J <= best w n a j' k J'.
  Proof.
    intros Hn Ha R L. destruct (best_is w n a j k J Ha) as [p [Hp [Po ->]]].
    destruct (Nat.eq_dec j j') as [<-|N].
    - etransitivity; [apply (value_mono w n a j k J J' p Hn R)|apply best_ge; assumption].
    - assert (NoDup (fst p) /\ incl (fst p) cs) as [N1 N2].
      { destruct p as [S ch]. apply in_prod_iff in Hp as [Hp _].
        exact (sublists_ok cs (proj1 Cores) S Hp). }
      etransitivity; [apply (value_advance w n a j j' k J J' p Hn R ltac:(lia) N1 N2 Po)|].
      apply best_ge; [apply one_listed, Ha|apply possible_one].
  Qed.
End Plans.
