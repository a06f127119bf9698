(** * FIFO: docs/proofs.md, section 9, theorem 3

    Unlimited dispatch depth; any width, number of sub-cores and instances (of the
    units of F, too), with barriers and releases, for times up to the stated ones. *)

From Warpbound Require Import Base Cycles Largest Model Isolation Potential PotentialBound Graph
  Aln.

(** ** What a warp can have in a unit's queue at once *)

(** Instruction [a] of [u] is of section [q] and on [f]. *)
Definition in_unit (b : block) (u q f a : nat) : bool := (sec (get b (u, a)) =? q) && on b f (u, a).

(** When [u] issues its [k]-th instruction, the initiation of its [a]-th on [f] is over: an
    instruction up to [k] has [a] as operand, or, where [f] has one instance, an instruction on [f]
    behind [a]. *)
Definition done_by (m : machine) (b : block) (u q f a k : nat) : bool :=
  existsb (fun i => existsb (fun p => in_unit b u q f p
    && ((a =? p) || ((inst m f =? 1) && (a <? p)))) (ops (get b (u, i)))) (seq 0 (S k)).

(** pend_f(u): the most, over its instructions [k] on [f], of the initiations up to [k] that are not
    known to be over. *)
Definition pend_at (m : machine) (b : block) (u q f k : nat) : nat :=
  sum (fun a => init (get b (u, a))) (filter (fun a => in_unit b u q f a
    && negb (done_by m b u q f a k)) (seq 0 (S k))).
Definition pend (m : machine) (b : block) (u q f : nat) : nat :=
  list_max (map (pend_at m b u q f) (filter (in_unit b u q f) (seq 0 (len b u)))).

(** The other warps, and q_f(w): their queues, shared by the instances. *)
Definition rest (b : block) (w : nat) : list nat := filter (fun u => negb (u =? w))
  (seq 0 (length b)).
Definition queue (m : machine) (b : block) (q w f : nat) : nat :=
  sum (fun u => pend m b u q f) (rest b w) / inst m f.

(** ** The bound *)

(** c_F(y|w) *)
Definition fifo_charge (m : machine) (b : block) (F : nat -> bool) (w q : nat) (y : key) : nat :=
  if sec (get b y) =? q then
    if uses b w q (fu (get b y)) && negb (F (fu (get b y))) then init (get b y) else slot m b w y
  else 0.

(** What all other warps are charged with. *)
Definition fifo_charges (m : machine) (b : block) (F : nat -> bool) (w q : nat) : nat :=
  sum (fun u => sum (fun j => fifo_charge m b F w q (u, j)) (seq 0 (len b u))) (rest b w).

(** Certificate: sets of units, by warp and section, and the longest paths with their queues. *)
Definition fifo_cert (m : machine) (b : block) (F : nat -> nat -> nat -> bool)
  (iso : nat -> node -> nat) : Prop :=
  forall w n, In (w, snd n) (keys b) ->
    let q := sec (get b (w, snd n)) in
    forall e, In e (edges m b (F w q) (queue m b q w) w n) -> iso w (fst e) + snd e <= iso w n.

(** The term of a section is the largest path and charge of a warp. *)
Definition fifo_term (m : machine) (b : block) (F : nat -> nat -> nat -> bool)
  (iso : nat -> node -> nat) (q : nat) : nat :=
  list_max (map (fun x => iso (fst x) (true, snd x) + init (get b x) + lat (get b x)
    + fifo_charges m b (F (fst x) q) (fst x) q)
    (filter (fun x => (sec (get b x) =? q) && (0 <? iso (fst x) (true, snd x) + init (get b x)
    + lat (get b x))) (keys b))).
(** FIFO is the sum of all terms and releases. *)
Definition fifo (m : machine) (b : block) (F : nat -> nat -> nat -> bool)
  (iso : nat -> node -> nat) : nat :=
  total m b (fifo_term m b F iso).

(** ** A path and a charge for every instruction passed: a potential *)

(** The charges of the instructions behind [J]. *)
Definition passed (b : block) (w : nat) (c : key -> nat) (J : progress) : nat :=
  sum (fun u => sum (fun j => c (u, j)) (seq 0 (min (J u) (len b u)))) (rest b w).

Lemma seq_sum_mono (c : nat -> nat) i j : i <= j -> sum c (seq 0 i) <= sum c (seq 0 j).
Proof. intros H. replace j with (i + (j - i)) by lia. rewrite seq_app, sum_app. lia. Qed.

Lemma passed_mono b w c J J' : reaches J J' -> passed b w c J <= passed b w c J'.
Proof. intros R. apply sum_le. intros u _. specialize (R u). apply seq_sum_mono. lia. Qed.

Lemma passed_more b w q c J J' y : passes b w q J J' y -> passed b w c J + c y <= passed b w c J'.
Proof.
  intros [Hy [Nw [_ [R [Hi Hj]]]]]. destruct y as [u i]. cbn [fst snd] in *.
  pose proof (proj1 (in_keys _ _ _) Hy) as [Lu Li]. apply (sum_more _ _ _ u).
  - apply filter_In. split; [apply in_seq; lia|]. apply negb_true_iff, Nat.eqb_neq, Nw.
  - pose proof (seq_sum_mono (fun j => c (u, j)) (S i) (min (J' u) (len b u)) ltac:(lia)) as H.
    pose proof (seq_sum_mono (fun j => c (u, j)) (min (J u) (len b u)) i ltac:(lia)).
    rewrite seq_S, sum_app, sum_cons in H. simpl in H. lia.
  - intros v _. specialize (R v). apply seq_sum_mono. lia.
Qed.

Theorem path_potential m b F Q w q (iso : node -> nat) (c : key -> nat) : wf b ->
  (forall n e, of_graph b w q n -> In e (edges m b F Q w n) -> iso (fst e) + snd e <= iso n) ->
  (forall n y, of_graph b w q n -> In y (keys b) -> sec (get b y) = q -> charge m b F w n y
    <= c y) ->
  potential m b F Q w q (fun k J => iso (false, k) + passed b w c J) (fun k J => iso (true, k)
    + passed b w c J).
Proof.
  intros W He Hc.
  apply (graph_potential m b W F Q w q (fun n J => iso n + passed b w c J)).
  - intros n J J' R. pose proof (passed_mono b w c J J' R). lia.
  - intros n e J Hn Hin. specialize (He n e Hn Hin). lia.
  - intros n y J J' Hn Hp. pose proof (passed_more b w q c J J' y Hp).
    specialize (Hc n y Hn (proj1 Hp) (proj1 (proj2 (proj2 Hp)))). lia.
Qed.

(** ** The lemma of section 9 *)

Section Pend.
  Variables (m : machine) (b : block) (s : schedule).
  Hypotheses (W : wf b) (V : valid m b s).

  Lemma single_instance y z : In y (keys b) -> In z (keys b) -> fu (get b y) = fu (get b z) ->
    inst m (fu (get b z)) = 1 -> 1 <= init (get b z) -> I s y < I s z -> D s y + ai s y <= D s z.
  Proof.
    intros Hy Hz F S1 Hi L. pose proof (v_fifo _ _ _ V y z Hy Hz F L) as LD.
    destruct (le_lt_dec (D s y + ai s y) (D s z)) as [G|G]; [exact G|exfalso].
    pose proof (v_cap _ _ _ V (fu (get b z)) (D s z)) as Cap. rewrite S1 in Cap.
    unfold n_init, count in Cap. pose proof (v_init _ _ _ V z Hz) as Ai.
    set (P := fun x => on b (fu (get b z)) x && initiates s (D s z) x) in *.
    assert (In y (filter P (keys b))) as Fy.
    { apply filter_In. split; [exact Hy|]. unfold P, on, initiates. rewrite F, Nat.eqb_refl. simpl.
      rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia. }
    assert (In z (filter P (keys b))) as Fz.
    { apply filter_In. split; [exact Hz|]. unfold P, on, initiates. rewrite Nat.eqb_refl. simpl.
      rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. lia. }
    destruct (filter P (keys b)) as [|x [|x' l]]; [destruct Fy| |simpl in Cap; lia].
    destruct Fy as [<-|[]]. destruct Fz as [->|[]]. lia.
  Qed.

  (** Instruction [a] of [u] waits for [f] or initiates there in cycle [t]. *)
  Definition held_by (u q f t a : nat) : bool :=
    in_unit b u q f a && ((I s (u, a) <=? t) && (t <? D s (u, a) + ai s (u, a))).

  Lemma not_done u q f t a k : In (u, k) (keys b) -> a <= k -> held_by u q f t k = true ->
    held_by u q f t a = true ->
    done_by m b u q f a k = false.
  Proof.
    intros Hk La Pk Pa. destruct (done_by m b u q f a k) eqn:E; [exfalso|reflexivity].
    unfold done_by in E. apply existsb_exists in E as [i [Hi E]]. apply in_seq in Hi.
    apply existsb_exists in E as [p [Hp E]]. apply andb_prop in E as [Up E].
    unfold held_by in Pk, Pa. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt in Pk, Pa.
    assert (In (u, i) (keys b)) as Ki by (eapply keys_before; [exact Hk|lia]).
    destruct (W u i Ki) as [_ [Wp _]]. specialize (Wp p Hp).
    assert (In (u, p) (keys b)) as Kp by (eapply keys_before; [exact Hk|lia]).
    assert (In (u, a) (keys b)) as Ka by (eapply keys_before; [exact Hk|lia]).
    pose proof (v_ops _ _ _ V u i p Ki Hp) as O. unfold C in O.
    assert (I s (u, i) <= t) as Ti.
    { destruct (Nat.eq_dec i k) as [->|N]; [lia|].
      pose proof (order_le m b s V u k i Hk ltac:(lia)). lia. }
    assert (a = p \/ (inst m f = 1 /\ a < p)) as [->|[S1 L]].
    { apply orb_prop in E as [E|E]; [left; apply Nat.eqb_eq, E|right].
      apply andb_prop in E as [E1 E2]. apply Nat.eqb_eq in E1. apply Nat.ltb_lt in E2. auto. }
    - lia.
    - destruct Pa as [Ua Pa]. unfold in_unit, on in Ua, Up.
      rewrite !andb_true_iff, !Nat.eqb_eq in Ua, Up. assert (1 <= init (get b (u, a))) as Ia.
      { pose proof (v_init _ _ _ V _ Ka). destruct (init (get b (u, a))) eqn:E0; [|lia].
        destruct (v_none _ _ _ V u a Ka E0). lia. }
      assert (1 <= init (get b (u, p))) as Ip
        by (apply (same_unit b W (u, a)); auto; destruct Ua, Up; congruence).
      pose proof (order_unit b m s W V u p a Kp L ltac:(destruct Ua, Up; congruence) Ip) as Lt.
      pose proof (single_instance (u, a) (u, p) Ka Kp ltac:(destruct Ua, Up; congruence)) as G.
      destruct Up as [_ Up]. rewrite Up in G. specialize (G S1 Ip Lt). lia.
  Qed.

  (** At no time are more than [pend] cycles of initiations of [u], counted in full, issued to [f]
      and not initiated to their end. *)
  Lemma pend_ok u q f t : sum (fun a => init (get b (u, a)))
    (filter (held_by u q f t) (seq 0 (len b u))) <= pend m b u q f.
  Proof.
    destruct (behind (held_by u q f t) (len b u)) as [|k] eqn:E.
    - rewrite sum_filter, sum_zero; [lia|]. intros a Ha. apply in_seq in Ha.
      destruct (held_by u q f t a) eqn:P; [|reflexivity].
      pose proof (behind_gt _ (len b u) a ltac:(lia) P). lia.
    - assert (In (S k) (map S (filter (held_by u q f t) (seq 0 (len b u))))) as H.
      { rewrite <- E. apply list_max_in. intros X. unfold behind in E. rewrite X in E.
        discriminate. }
      apply in_map_iff in H as [k' [X H]]. injection X as ->. apply filter_In in H as [Lk Pk].
      apply in_seq in Lk. assert (u < length b) as Lu.
      { destruct (le_lt_dec (length b) u) as [L|L]; [|exact L]. unfold len in Lk.
        rewrite nth_overflow in Lk by exact L. simpl in Lk. lia. }
      assert (In (u, k) (keys b)) as Hk by (apply in_keys; lia).
      transitivity (pend_at m b u q f k).
      + unfold pend_at. rewrite !sum_filter.
        replace (len b u) with (S k + (len b u - S k)) by lia. rewrite seq_app, sum_app.
        rewrite (sum_zero _ (seq (0 + S k) _)).
        * rewrite Nat.add_0_r. apply sum_le. intros a Ha. apply in_seq in Ha.
          destruct (held_by u q f t a) eqn:Pa; [|lia].
          rewrite (not_done u q f t a k Hk ltac:(lia) Pk Pa).
          unfold held_by in Pa. apply andb_prop in Pa as [-> _]. reflexivity.
        * intros a Ha. apply in_seq in Ha. destruct (held_by u q f t a) eqn:Pa; [|reflexivity].
          pose proof (behind_gt _ (len b u) a ltac:(lia) Pa). lia.
      + apply list_max_ge, in_map. apply filter_In. split; [apply in_seq; lia|].
        unfold held_by in Pk. apply andb_prop in Pk. apply Pk.
  Qed.

  Lemma pending_sum w q f t :
    sum (fun y => init (get b y)) (pending b s w q f t) <= sum (fun u => pend m b u q f) (rest b w).
  Proof.
    unfold pending, rest. rewrite !sum_filter. unfold keys. rewrite sum_flat_map. apply sum_le.
    intros u _. rewrite sum_map. destruct (Nat.eqb_spec u w) as [->|N]; simpl.
    - rewrite sum_zero; [lia|]. intros a _. rewrite Nat.eqb_refl. reflexivity.
    - etransitivity; [|apply (pend_ok u q f t)]. rewrite sum_filter. apply sum_le. intros a _.
      simpl. rewrite (proj2 (Nat.eqb_neq _ _) N). unfold held_by, in_unit. rewrite <- andb_assoc.
      reflexivity.
  Qed.

  Lemma queue_queues_ok F w q : machine_ok m -> queues_ok m b s F (queue m b q w) w q.
  Proof.
    intros M f t n _ H. pose proof (proj1 M f). pose proof (pending_sum w q f t).
    apply Nat.div_le_lower_bound; lia.
  Qed.
End Pend.

Section Fifo.
  Variables (m : machine) (b : block) (F : nat -> nat -> nat -> bool) (iso : nat -> node -> nat).
  Hypotheses (W : wf b) (Unlimited : depth m = None) (HI : fifo_cert m b F iso).

  Lemma charge_fifo w q n y : of_graph b w q n -> In y (keys b) -> sec (get b y) = q ->
    charge m b (F w q) w n y <= fifo_charge m b (F w q) w q y.
  Proof.
    destruct n as [d k]. intros [Hk Hq] Hy Sy. cbn [snd] in *.
    unfold charge, fifo_charge, charge_I, charge_D, hold.
    rewrite Unlimited, Sy, Hq, Nat.eqb_refl, andb_true_r. cbn [fst].
    destruct (1 <=? init (get b (w, k))); [|lia].
    assert (fu (get b y) = fu (get b (w, k)) -> uses b w q (fu (get b y)) = true) as U.
    { intros E. apply existsb_exists. exists (w, k). split; [exact Hk|]. unfold on. simpl.
      rewrite Hq, E, !Nat.eqb_refl. reflexivity. }
    assert (slot m b w y <= init (get b y)) as Sl
      by (unfold slot; destruct (core m (fst y) =? core m w); lia).
    destruct (Nat.eqb_spec (fu (get b y)) (fu (get b (w, k)))) as [E|N].
    - rewrite (U E), E. simpl andb. destruct d; destruct (F w q (fu (get b (w, k)))); simpl; lia.
    - destruct d; [destruct (F w q (fu (get b (w, k)))); lia|].
      destruct (uses b w q (fu (get b y)) && negb (F w q (fu (get b y)))); lia.
  Qed.

  (** *** Theorem 3 *)
  Theorem fifo_bound s : machine_ok m -> valid m b s ->
    (forall v w, group m v = group m w) -> (forall g, begin s g = 0) ->
    forall x, In x (keys b) -> C s x <= fifo m b F iso.
  Proof.
    intros M V One Zero x Hx. apply (potential_bound m b s M W V One Zero); [|exact Hx].
    intros w q _. set (c := fifo_charge m b (F w q) w q).
    exists (F w q), (queue m b q w), (fun k J => iso w (false, k) + passed b w c J),
      (fun k J => iso w (true, k) + passed b w c J).
    split; [|split].
    - apply (path_potential m b (F w q) (queue m b q w) w q (iso w) c W).
      + intros n e [Hn <-] He. apply (HI w n Hn e He).
      + intros n y Hn Hy Sy. apply (charge_fifo w q n y Hn Hy Sy).
    - apply queue_queues_ok; assumption.
    - intros k Hk Hq Pk. unfold fifo_term.
      assert (passed b w c none = 0) as Z.
      { unfold passed, none. apply sum_zero. intros u _. reflexivity. }
      rewrite Z, Nat.add_0_r in Pk.
      assert (passed b w c (everything b) = fifo_charges m b (F w q) w q) as ->.
      { unfold passed, fifo_charges, everything. unfold sum at 1 3. f_equal. apply map_ext.
        intros u. rewrite Nat.min_id. reflexivity. }
      etransitivity; [|apply list_max_ge, in_map_iff; exists (w, k); split;
        [reflexivity|apply filter_In; split; [exact Hk|apply andb_true_intro; split;
        [apply Nat.eqb_eq, Hq|apply Nat.ltb_lt, Pk]]]]. cbn [fst snd]. lia.
  Qed.
End Fifo.
