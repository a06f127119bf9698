(** * What is held, section by section, for theorem 2 of docs/machine-code-bounds.md

    Of a warp [w]: the cycles that instructions of older sections hold what it reaches, done and yet
    to come, beside those of newer ones; how late the ends of sections are; and what a pipe has
    left. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeLate CodeReady CodeElb
  CodeOwn CodeSib.

Lemma sum_split {A} (f : A -> nat) (p : A -> bool) l :
  sum f l = sum f (filter p l) + sum f (filter (fun x => negb (p x)) l).
Proof.
  unfold sum. induction l as [|x l IH]; [reflexivity|]. cbn [filter map list_sum].
  change (list_sum (f x :: map f l)) with (f x + list_sum (map f l)).
  destruct (p x); cbn [negb map list_sum]; [change (list_sum (f x :: ?l)) with (f x + list_sum l)|];
    rewrite IH; simpl; lia.
Qed.

Lemma filter_ext_in {A} (p q : A -> bool) l : (forall x, In x l -> p x = q x) ->
  filter p l = filter q l.
Proof.
  induction l as [|x l IH]; intros H; [reflexivity|]. cbn [filter].
  rewrite (H x (or_introl eq_refl)), IH; [reflexivity|]. intros; apply H; right; assumption.
Qed.

(** The same hits from [t] on, or more. *)
Lemma rest_le (p q : nat -> bool) t H : t <= H ->
  (forall t', t <= t' -> p t' = true -> q t' = true) ->
  cnt p H + cnt q t <= cnt q H + cnt p t.
Proof.
  intros Ht HP. induction H as [|H IH]; [replace t with 0 by lia; lia|].
  destruct (Nat.eq_dec t (S H)) as [->|N]; [lia|]. specialize (IH ltac:(lia)). cbn [cnt].
  destruct (p H) eqn:E; [rewrite (HP H) by (lia || assumption); lia|]. destruct (q H); lia.
Qed.

(** ** Latches that are charged only to warps that use them

    [base]: what a warp reaches (code-sib: all of it counts).  [loose]: latches of code-fib, which
    count for the sections of a warp that use them ([used], by warp and section), as long as
    instructions of that section have yet to be issued; what they hold behind that is no hit, but
    puts off the start of the next section (CodeLoose.v). *)
Definition charged (base : nat -> nat -> bool) (loose : nat -> bool)
  (used : nat -> nat -> nat -> bool) (w q v : nat) : bool :=
  if loose v then base w v && used w q v else base w v.

(** [y] is of a section before [n]. *)
Definition older (b : block) (n : nat) (y : key) : bool := sec (get b y) <? n.

(** All of sections up to [q] is issued by this. *)
Definition issued_by (b : block) (s : schedule) (q : nat) : nat :=
  list_max (map (I s) (filter (older b (S q)) (keys b))).

(** Warp [w] can be delayed at unit [v] in cycle [t]. *)
Definition sees b s (base : nat -> nat -> bool) (loose : nat -> bool)
  (used : nat -> nat -> nat -> bool) (w q t v : nat) : bool :=
  if loose v then base w v && used w q v && (t <? issued_by b s q) else base w v.

(** [y] is of section [n]. *)
Definition in_section (b : block) (n : nat) (y : key) : bool := sec (get b y) =? n.

(** O of the page; [reach] by warp and section. *)
Definition O (m : machine) (b : block) (reach : nat -> nat -> nat -> bool) (n w : nat) : nat :=
  sum (occ m b (reach w n) w) (filter (in_section b n) (keys b)).

Lemma hit_more m b s (r1 r2 : nat -> bool) w y t : (forall v, r1 v = true -> r2 v = true) ->
  hit m b s r1 w y t = true -> hit m b s r2 w y t = true.
Proof.
  intros HR. unfold hit. destruct (fst y =? w); [auto|]. rewrite !orb_true_iff.
  intros [H|H]; [auto|right]. apply existsb_exists in H as [i [Hi H]].
  apply andb_prop in H as [H1 H2]. apply existsb_exists. exists i. rewrite (HR _ H1), H2. auto.
Qed.

Section Held.
  Variables (m : machine) (b : block) (s : schedule) (N : nat).
  Context {J : key -> nat} {enters : key -> nat -> bool}.
  Hypothesis OK : enough m b s J enters.
  Variables (base : nat -> nat -> bool) (loose : nat -> bool) (used : nat -> nat -> nat -> bool).
  Local Notation sees := (sees b s base loose used).
  Local Notation reach := (charged base loose used).
  Local Notation older := (older b).
  Local Notation in_section := (in_section b).
  Local Notation O := (O m b reach).
  Variables (iD : key -> nat -> nat) (iso Q : nat -> nat -> nat) (T : nat -> nat).

  Hypothesis TN : forall n w, n < N -> w < length b -> T n + (iso n w + O n w + Q n w) + release m
    <= T (S n).

  (** A time behind all holds that matter. *)
  Variable H : nat.

  (** [y] keeps [w] waiting in [t], as a holder of [y]'s section. *)
  Definition seen (w : nat) (y : key) (t : nat) : bool :=
    hit m b s (sees w (sec (get b y)) t) w y t.
  Definition hits (w : nat) (y : key) (n : nat) : nat := cnt (seen w y) n.

  Lemma seen_count w y n : In y (keys b) -> cnt (seen w y) n
    <= occ m b (reach w (sec (get b y))) w y.
  Proof.
    clear - OK. intros Hy. etransitivity; [|apply (occ_count m b s _ w OK y n Hy)]. apply cnt_le.
    intros t _. apply hit_more. intros v. unfold CodeHeld.sees, charged.
    destruct (loose v); [|auto]. rewrite !andb_true_iff. tauto.
  Qed.

  (** All hits of [w] by sections before [n]. *)
  Definition all_of (w n : nat) : nat := sum (fun y => hits w y H) (filter (older n) (keys b)).
  (** The hits of [w] by sections before [n] until [t]. *)
  Definition done (w n t : nat) : nat := sum (fun y => hits w y t) (filter (older n) (keys b)).
  (** Section [n] or a later one hits [w] in cycle [t]. *)
  Definition newer (w n t : nat) : bool :=
    existsb (fun y => negb (older n y) && seen w y t) (keys b).
  (** All that is counted for [w] until [t]. *)
  Definition f (w n t : nat) : nat := cnt (newer w n) t + done w n t.

  Lemma done_rises w n t : done w n t <= done w n (S t).
  Proof. apply sum_le. intros y _. apply cnt_mono. lia. Qed.

  Lemma f_rises w n t : f w n t <= f w n (S t).
  Proof. unfold f. pose proof (done_rises w n t). pose proof (cnt_rises (newer w n) t). lia. Qed.

  Lemma sum_less {A} (p q : A -> nat) l x : In x l -> (forall y, In y l -> p y <= q y) ->
    p x < q x -> sum p l < sum q l.
  Proof.
    unfold sum. induction l as [|z l IH]; intros Hx Hle Hlt; [destruct Hx|].
    assert (list_sum (map p l) <= list_sum (map q l)) as B
      by (apply (sum_le p q l); intros; apply Hle; right; assumption).
    pose proof (Hle z (or_introl eq_refl)). simpl. destruct Hx as [->|Hx]; [lia|].
    specialize (IH Hx ltac:(intros; apply Hle; right; assumption) Hlt). lia.
  Qed.

  Lemma f_counted w n t y : In y (keys b) -> seen w y t = true -> counted (f w n) t.
  Proof.
    intros Hy Ht. unfold counted, f. pose proof (done_rises w n t).
    pose proof (cnt_rises (newer w n) t). destruct (older n y) eqn:Eo.
    - enough (done w n t < done w n (S t)) by lia. apply (sum_less _ _ _ y).
      + apply filter_In. auto.
      + intros z _. apply cnt_mono. lia.
      + unfold hits. cbn [cnt]. rewrite Ht. lia.
    - enough (cnt (newer w n) t + 1 <= cnt (newer w n) (S t)) by lia. cbn [cnt].
      enough (newer w n t = true) as -> by lia. apply existsb_exists. exists y. rewrite Eo, Ht.
      auto.
  Qed.

  (** ** From a section to the next *)

  Lemma older_split n (h : key -> nat) :
    sum h (filter (older (S n)) (keys b)) = sum h (filter (older n) (keys b))
      + sum h (filter (in_section n) (keys b)).
  Proof.
    rewrite (sum_split h (older n) (filter (older (S n)) (keys b))), !filter_both.
    f_equal; f_equal; apply filter_ext_in; intros y _; unfold CodeHeld.older, CodeHeld.in_section;
      destruct (Nat.ltb_spec (sec (get b y)) (S n)), (Nat.ltb_spec (sec (get b y)) n),
      (Nat.eqb_spec (sec (get b y)) n); cbn; lia || reflexivity.
  Qed.

  Lemma newer_split w n t : cnt (newer w n) t <= cnt (newer w (S n)) t + sum (fun y => hits w y t)
    (filter (in_section n) (keys b)).
  Proof.
    etransitivity; [apply (cnt_le _ (fun t => newer w (S n) t
      || existsb (fun y => seen w y t) (filter (in_section n) (keys b))))|].
    - intros t' _ Ht. apply existsb_exists in Ht as [y [Hy Ht]]. apply andb_prop in Ht as [Ho Ht].
      apply orb_true_iff. unfold CodeHeld.older in Ho. apply negb_true_iff, Nat.ltb_ge in Ho.
      destruct (Nat.eq_dec (sec (get b y)) n) as [E|E].
      + right. apply existsb_exists. exists y. split; [|exact Ht]. apply filter_In.
        split; [exact Hy|]. apply Nat.eqb_eq, E.
      + left. apply existsb_exists. exists y. split; [exact Hy|]. rewrite Ht. unfold CodeHeld.older.
        rewrite (proj2 (Nat.ltb_ge _ _)) by lia. reflexivity.
    - etransitivity; [apply cnt_or|]. apply Nat.add_le_mono_l.
      apply (cnt_exists (fun t y => seen w y t)).
  Qed.

  Lemma f_split w n t : f w n t <= f w (S n) t.
  Proof.
    unfold f, done. rewrite (older_split n (fun y => hits w y t)). pose proof (newer_split w n t).
    lia.
  Qed.

  Lemma all_split w n : all_of w (S n) <= all_of w n + O n w.
  Proof.
    unfold all_of. rewrite (older_split n (fun y => hits w y H)). apply Nat.add_le_mono_l, sum_le.
    intros y Hy. apply filter_In in Hy as [Hy Hs]. unfold CodeHeld.in_section in Hs.
    apply Nat.eqb_eq in Hs. rewrite <- Hs. apply seen_count, Hy.
  Qed.

  (** (d) of the page: others of section [n] may have to hold all of O. *)
  Lemma late_next w n t0 c X : late (f w n) t0 (all_of w n) c X ->
    late (f w (S n)) t0 (all_of w (S n)) (c + O n w) X.
  Proof.
    intros HL t H0 Ht. specialize (HL t H0 Ht). pose proof (f_split w n t).
    pose proof (all_split w n). lia.
  Qed.

  Lemma late_from (h : nat -> nat) t0 t1 q c X : t0 <= t1 -> late h t0 q c X -> late h t1 q c X.
  Proof. intros H0 HL t H1 Ht. apply HL; lia. Qed.

  (** An event at [X] is at most [c] late, and stays so behind it. *)
  Definition since (h : nat -> nat) (t0 q c X : nat) : Prop := forall t, t0 <= t ->
    min t X + q <= c + h t.

  Lemma since_late (h : nat -> nat) t0 q c X : (forall t, h t <= h (S t)) -> t0 + q <= c + h t0 ->
    late h t0 q c X -> since h t0 q c X.
  Proof.
    intros HM H0 HL t Ht. destruct (le_lt_dec t X) as [C|C]; [pose proof (HL t Ht C); lia|].
    destruct (le_lt_dec t0 X) as [D|D].
    - pose proof (HL X D (le_n _)). pose proof (rises h HM X t). lia.
    - pose proof (rises h HM t0 t Ht). lia.
  Qed.

  Lemma since_next w n t0 c X : since (f w n) t0 (all_of w n) c X ->
    since (f w (S n)) t0 (all_of w (S n)) (c + O n w) X.
  Proof.
    intros HL t Ht. specialize (HL t Ht). pose proof (f_split w n t). pose proof (all_split w n).
    lia.
  Qed.

  (** What ends section [r] has passed by the release behind section [n - 1], but for what others
      hold. *)
  Definition path_passed (d r n w : nat) : nat := T r + d + sum (fun q => O q w) (seq r (n - r)).
  Definition passed (r n w : nat) : nat := path_passed (iso r w) r n w.

  Lemma passed_next d r n w : r <= n -> path_passed d r (S n) w = path_passed d r n w + O n w.
  Proof.
    intros Hr. unfold path_passed. replace (S n - r) with (n - r + 1) by lia.
    rewrite seq_app, sum_app. cbn [seq]. rewrite sum_one. replace (r + (n - r)) with n by lia. lia.
  Qed.

  Lemma T_grows r n w : w < length b -> r <= n -> n <= N ->
    T r + sum (fun q => iso q w + O q w + Q q w) (seq r (n - r)) <= T n.
  Proof.
    intros Hw Hr Hn. assert (sum (fun q => iso q w + O q w + Q q w) [] = 0) as Z by reflexivity.
    induction n as [|n IH]; [replace r with 0 by lia; cbn [seq Nat.sub]; lia|].
    destruct (Nat.eq_dec r (S n)) as [->|E]; [rewrite Nat.sub_diag; cbn [seq]; lia|].
    specialize (IH ltac:(lia) ltac:(lia)). replace (S n - r) with (n - r + 1) by lia.
    rewrite seq_app, sum_app. cbn [seq]. rewrite sum_one. replace (r + (n - r)) with n by lia.
    pose proof (TN n w ltac:(lia) Hw). lia.
  Qed.

  Lemma passed_T r n w : w < length b -> r < n -> n <= N ->
    passed r n w + sum (fun q => Q q w) (seq r (n - r)) <= T n.
  Proof.
    intros Hw Hr Hn. pose proof (T_grows r n w Hw ltac:(lia) Hn) as HT. unfold passed, path_passed.
    replace (n - r) with (1 + (n - S r)) in * by lia. rewrite !seq_app, !sum_app in *.
    cbn [seq] in *. rewrite !sum_one in *. enough (sum (fun q => O q w) (seq (r + 1) (n - S r))
      + sum (fun q => Q q w) (seq (r + 1) (n - S r))
      <= sum (fun q => iso q w + O q w + Q q w) (seq (r + 1) (n - S r))) by lia.
    generalize (seq (r + 1) (n - S r)). intros l. unfold sum. induction l as [|q l IH]; simpl; lia.
  Qed.

  (** ** What is left of a pipe

      [piped y i]: stage [i] of [y] is of the pipe, or at the unit, whose holds Q leaves out.  They
      follow each other on a path. *)
  Variable piped : key -> nat -> bool.
  Definition pipe (q u : nat) : list (nat * nat) :=
    flat_map (fun j => map (fun i => (j, i)) (filter (piped (u, j)) (seq 0 (stages b (u, j)))))
      (filter (fun j => in_section q (u, j)) (seq 0 (len b u))).
  Definition hold_of (u : nat) (ji : nat * nat) : nat := hold (st b (u, fst ji) (snd ji)).
  Definition rest_of (u t : nat) (ji : nat * nat) : nat :=
    D s (u, fst ji) (snd ji) + ah s (u, fst ji) (snd ji) - max t (D s (u, fst ji) (snd ji)).
  Definition pipe_left (q u t : nat) : nat := sum (rest_of u t) (pipe q u).

  (** What is left of loose latches, which nobody sees once all is issued. *)
  Definition loose_left (q u t : nat) : nat :=
    sum (fun j => sum (fun i => if loose (unit (st b (u, j) i)) then rest_of u t (j, i) else 0)
      (seq 0 (stages b (u, j)))) (filter (fun j => in_section q (u, j)) (seq 0 (len b u))).

  Hypothesis Pipe : forall q u l0 ji l1, pipe q u = l0 ++ ji :: l1 ->
    iD (u, fst ji) (snd ji) + sum (hold_of u) (ji :: l1) <= iso q u.

  Lemma in_pipe q u j i : In (j, i) (pipe q u) -> In (u, j) (keys b) /\ sec (get b (u, j)) = q /\
    i < stages b (u, j).
  Proof.
    clear. unfold pipe. intros Hi. apply in_flat_map in Hi as [j' [Hj Hi]].
    apply in_map_iff in Hi as [i' [E Hi]]. injection E as -> ->. apply filter_In in Hj as [Hj Hs].
    apply filter_In in Hi as [Hi _]. apply in_seq in Hj, Hi. apply Nat.eqb_eq in Hs.
    split; [|split; [exact Hs|lia]]. apply in_keys. split; [|lia].
    destruct (le_lt_dec (length b) u) as [C|C]; [|exact C]. unfold len in Hj.
    rewrite nth_overflow in Hj by exact C. simpl in Hj. lia.
  Qed.

  (** The first of a list of which something is left. *)
  Lemma first_left (h : nat * nat -> nat) l : sum h l = 0 \/ exists l0 x l1, l = l0 ++ x :: l1 /\
    0 < h x /\ sum h l = sum h (x :: l1).
  Proof.
    induction l as [|x l IH]; [left; reflexivity|]. destruct (Nat.eq_dec (h x) 0) as [E|E].
    - destruct IH as [Z|[l0 [y [l1 [El [Hy Hs]]]]]].
      + left. unfold sum in *. simpl. lia.
      + right. exists (x :: l0), y, l1. subst l. split; [reflexivity|]. split; [exact Hy|].
        unfold sum in *. simpl in *. lia.
    - right. exists [], x, l. split; [reflexivity|]. split; [lia|reflexivity].
  Qed.

  Lemma rest_hold q u t l : (forall ji, In ji l -> In ji (pipe q u)) ->
    sum (rest_of u t) l <= sum (hold_of u) l.
  Proof.
    intros Hl. apply sum_le. intros [j i] Hi. apply Hl, in_pipe in Hi as [Hx [_ Hi]].
    pose proof (e_hold _ _ _ _ _ OK (u, j) i Hx Hi). unfold rest_of, hold_of. simpl. lia.
  Qed.

  Lemma pipe_whole q u t : pipe_left q u t <= iso q u.
  Proof.
    unfold pipe_left. pose proof (rest_hold q u t (pipe q u) ltac:(auto)) as R1.
    destruct (pipe q u) as [|ji l] eqn:E; [change (sum (rest_of u t) []) with 0; lia|].
    pose proof (Pipe q u [] ji l E). lia.
  Qed.

  (** ** What is left behind a release

      At [t] all of sections up to [n] is issued.  What [u] then has left that others wait for is
      what is left of the pipe of each section, and Q. *)
  Definition left_sec (w u q t : nat) : nat :=
    sum (fun y => hits w y H - hits w y t) (filter (fun y => (fst y =? u) && (sec (get b y) =? q))
      (keys b)).
  Definition left_of (w u r n : nat) (t : nat) : nat :=
    sum (fun y => hits w y H - hits w y t)
        (filter (fun y => (fst y =? u) && (r <=? sec (get b y)) && (sec (get b y) <=? n)) (keys b)).

  Lemma left_sections w u r n t : r <= n -> left_of w u r n t = sum (fun q => left_sec w u q t)
    (seq r (S n - r)).
  Proof.
    intros Hr. induction n as [|n IH].
    - replace r with 0 by lia. cbn [seq Nat.sub]. rewrite sum_one. unfold left_of, left_sec.
      f_equal. apply filter_ext_in. intros y _.
      destruct (fst y =? u), (Nat.leb_spec 0 (sec (get b y))), (Nat.leb_spec (sec (get b y)) 0),
        (Nat.eqb_spec (sec (get b y)) 0); reflexivity || lia.
    - destruct (Nat.eq_dec r (S n)) as [->|E].
      + replace (S (S n) - S n) with 1 by lia. cbn [seq]. rewrite sum_one. unfold left_of, left_sec.
        f_equal. apply filter_ext_in. intros y _.
        destruct (fst y =? u), (Nat.leb_spec (S n) (sec (get b y))),
          (Nat.leb_spec (sec (get b y)) (S n)), (Nat.eqb_spec (sec (get b y)) (S n));
          reflexivity || lia.
      + replace (S (S n) - r) with (S n - r + 1) by lia.
        rewrite seq_app, sum_app, <- (IH ltac:(lia)). cbn [seq]. rewrite sum_one.
        replace (r + (S n - r)) with (S n) by lia. unfold left_of, left_sec.
        rewrite (sum_split _ (fun y => sec (get b y) <=? n)
          (filter (fun y => (fst y =? u) && (r <=? sec (get b y)) && (sec (get b y) <=? S n))
          (keys b))), !filter_both. f_equal; f_equal; apply filter_ext_in; intros y _;
          destruct (fst y =? u), (Nat.leb_spec r (sec (get b y))),
          (Nat.leb_spec (sec (get b y)) (S n)), (Nat.leb_spec (sec (get b y)) n),
          (Nat.eqb_spec (sec (get b y)) (S n)); reflexivity || lia.
  Qed.

  (** ** What is seen from two warps *)

  Variable g : nat.
  Hypothesis One : forall w, group m w = g.

  Lemma rel_grows n k : rel s g n <= rel s g (n + k).
  Proof.
    clear - OK. induction k as [|k IH]; [rewrite Nat.add_0_r; lia|].
    pose proof (e_releases _ _ _ _ _ OK g (n + k)). rewrite Nat.add_succ_r. lia.
  Qed.

  (** A hit is a hold of an instruction that has begun, and not ended. *)
  Lemma hit_when r w y t : In y (keys b) -> hit m b s r w y t = true -> P s y <= t < finish b s y.
  Proof.
    intros Hy Hh. pose proof (issue_order m b s OK y Hy) as HO.
    pose proof (e_probe _ _ _ _ _ OK y Hy).
    assert (forall p, existsb (fun i => p (unit (st b y i)) && holds b s y i t) (seq 0 (stages b y))
      = true -> P s y <= t < finish b s y) as A.
    { intros p Hp. apply existsb_exists in Hp as [i [Hi Hp]]. apply in_seq in Hi.
      apply andb_prop in Hp as [_ Hp]. apply holds_iff in Hp as [_ Hp].
      pose proof (room_before_stage m b s OK y i Hy ltac:(lia)).
      pose proof (hold_finish m b s OK y i Hy ltac:(lia)). lia. }
    unfold hit in Hh. destruct (fst y =? w); [eapply A; exact Hh|].
    apply orb_true_iff in Hh as [Hh|Hh]; [|eapply A; exact Hh]. apply andb_prop in Hh as [_ Hh].
    apply issues_iff in Hh. unfold finish. pose proof (e_slot _ _ _ _ _ OK y Hy). lia.
  Qed.

  Lemma hits_over w y t : In y (keys b) -> finish b s y <= t -> t <= H -> hits w y H = hits w y t.
  Proof.
    intros Hy Ht HH. pose proof (rest_le (seen w y) (fun _ => false) t H HH) as R1.
    pose proof (cnt_mono (seen w y) t H HH).
    assert (forall k, cnt (fun _ => false) k = 0) as Z by (intros; apply cnt_none; reflexivity).
    rewrite !Z in R1. unfold hits.
    enough (cnt (seen w y) H + 0 <= 0 + cnt (seen w y) t) by lia. apply R1.
    intros t' Ht' Hh. apply hit_when in Hh; [lia|exact Hy].
  Qed.

  Lemma nothing_newer w n t : t <= rel s g (S n) -> cnt (newer w (S n)) t = 0.
  Proof.
    intros Ht. apply cnt_none. intros t' Ht'. apply not_true_is_false. intros Hx.
    apply existsb_exists in Hx as [y [Hy Hx]]. apply andb_prop in Hx as [Ho Hh].
    apply negb_true_iff in Ho. unfold CodeHeld.older in Ho. apply Nat.ltb_ge in Ho.
    apply hit_when in Hh; [|exact Hy]. pose proof (e_opened _ _ _ _ _ OK y Hy) as Hr.
    rewrite One in Hr.
    pose proof (rel_grows (S n) (sec (get b y) - S n)) as Hg.
    replace (S n + (sec (get b y) - S n)) with (sec (get b y)) in Hg by lia. lia.
  Qed.

  (** What others hold later on is, seen from [w], what is seen from a warp [u] that reaches it, and
      what [u] has left. *)
  Lemma seen_from w u r n t : t <= H -> t <= rel s g (S n) ->
    (forall y t', In y (keys b) -> sec (get b y) <= n -> fst y <> u -> t <= t' ->
       seen w y t' = true -> seen u y t' = true) ->
    (forall y, In y (keys b) -> fst y = u -> sec (get b y) < r -> finish b s y <= t) ->
    all_of w (S n) + f u (S n) t <= all_of u (S n) + f w (S n) t + left_of w u r n t.
  Proof.
    intros HH Ht Hsee Hold. unfold f. rewrite !nothing_newer by exact Ht. unfold all_of, done.
    simpl. rewrite !(sum_split _ (fun y => fst y =? u) (filter (older (S n)) (keys b))).
    assert (sum (fun y => hits w y H) (filter (fun x => negb (fst x =? u))
      (filter (older (S n)) (keys b)))
          + sum (fun y => hits u y t) (filter (fun x => negb (fst x =? u))
              (filter (older (S n)) (keys b)))
         <= sum (fun y => hits u y H) (filter (fun x => negb (fst x =? u))
           (filter (older (S n)) (keys b)))
          + sum (fun y => hits w y t) (filter (fun x => negb (fst x =? u))
              (filter (older (S n)) (keys b)))) as A.
    { assert (forall y, In y (filter (fun x => negb (fst x =? u)) (filter (older (S n)) (keys b)))
        -> hits w y H + hits u y t <= hits u y H + hits w y t) as A0.
      { intros y Hy. apply filter_In in Hy as [Hy Hu]. apply filter_In in Hy as [Hy Ho].
        apply negb_true_iff, Nat.eqb_neq in Hu. unfold CodeHeld.older in Ho. apply Nat.ltb_lt in Ho.
        apply rest_le; [exact HH|]. intros t' Ht' Hh. apply Hsee; auto. lia. }
      revert A0. generalize (filter (fun x => negb (fst x =? u)) (filter (older (S n)) (keys b))).
      intros l A0. unfold sum. induction l as [|y l IH]; simpl; [lia|].
      pose proof (A0 y (or_introl eq_refl)).
      specialize (IH ltac:(intros; apply A0; right; assumption)). lia. }
    assert (sum (fun y => hits w y H) (filter (fun y => fst y =? u) (filter (older (S n)) (keys b)))
      <= sum (fun y => hits w y t) (filter (fun y => fst y =? u) (filter (older (S n)) (keys b)))
      + left_of w u r n t) as B.
    { unfold left_of. rewrite filter_both. rewrite !(sum_split _ (fun y => r <=? sec (get b y))
        (filter (fun x => older (S n) x && (fst x =? u)) (keys b))), !filter_both.
      rewrite (filter_ext_in (fun x => older (S n) x && (fst x =? u) && (r <=? sec (get b x)))
        (fun y => (fst y =? u) && (r <=? sec (get b y)) && (sec (get b y) <=? n)) (keys b)).
      2:{ intros y _. unfold CodeHeld.older. destruct (Nat.ltb_spec (sec (get b y)) (S n)),
            (Nat.leb_spec (sec (get b y)) n), (fst y =? u), (r <=? sec (get b y));
            reflexivity || lia. }
      set (l1 := filter (fun y => (fst y =? u) && (r <=? sec (get b y)) && (sec (get b y) <=? n))
        (keys b)). set (l2 := filter (fun x => older (S n) x && (fst x =? u)
        && negb (r <=? sec (get b x))) (keys b)).
      assert (sum (fun y => hits w y H) l2 <= sum (fun y => hits w y t) l2).
      { apply sum_le. intros y Hy. apply filter_In in Hy as [Hy Hp].
        apply andb_prop in Hp as [Hp Hr]. apply andb_prop in Hp as [_ Hu].
        apply negb_true_iff, Nat.leb_gt in Hr. apply Nat.eqb_eq in Hu.
        rewrite (hits_over w y t); auto. }
      assert (sum (fun y => hits w y H) l1 <= sum (fun y => hits w y t) l1
        + sum (fun y => hits w y H - hits w y t) l1).
      { generalize l1. intros l. unfold sum. induction l as [|y l IH]; simpl; lia. }
      change (sum (fun y => hits w y H) l1 + sum (fun y => hits w y H) l2
        <= sum (fun y => hits w y t) l1 + sum (fun y => hits w y t) l2
        + sum (fun y => hits w y H - hits w y t) l1). lia. }
    assert (sum (fun y => hits u y t) (filter (fun y => fst y =? u) (filter (older (S n)) (keys b)))
      <= sum (fun y => hits u y H) (filter (fun y => fst y =? u) (filter (older (S n)) (keys b))))
      as C.
    { apply sum_le. intros y _. apply cnt_mono, HH. }
    unfold key in *. lia.
  Qed.
End Held.
