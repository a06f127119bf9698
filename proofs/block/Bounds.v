(** * SIB and FIB of a thread block, at every dispatch depth: docs/proofs.md, theorem 1;
    beside other thread blocks: lemma 3

    [fib_bound], [sib_charge_bound]: the thread block is alone on the SM.
    [window_fib] (depth 0), [window_sib] (depth 0 and unlimited): with others beside it
    the time from [t0] on is at most the bound and the cycles in which these initiate.
    Any width, number of sub-cores and instances, with barriers and releases, for times
    up to the stated ones. *)

From Warpbound Require Import Base Cycles Largest Model Idle Instances Weights Queue Isolation Late.

(** ** What a warp [w] is charged in section [q] for an instruction [y] *)

(** Of another warp of the thread block, in this section. *)
Definition beside (b : block) (m : machine) (w q : nat) (y : key) : bool :=
  negb (fst y =? w) && (group m (fst y) =? group m w) && (sec (get b y) =? q).

(** unit(j|w) where [w] can reach the unit: the initiation, at a finite depth of 1 or more
    the largest of any instruction on that unit. *)
Definition cost (b : block) (m : machine) (y : key) : nat :=
  match depth m with Some (S _) => cmax b (fu (get b y)) | _ => init (get b y) end.

(** Some instruction of sub-core [c] runs on [f]. *)
Definition in_reach (b : block) (m : machine) (c f : nat) : bool :=
  existsb (fun x => (core m (fst x) =? c) && on b f x) (keys b).

(** Charges say what a warp is charged in a section for an instruction. *)
Definition charges := nat -> nat -> key -> nat.

(** SIB charges the initiations in reach. *)
Definition sib_charge (b : block) (m : machine) : charges := fun w q y =>
  if beside b m w q y then if in_reach b m (core m w) (fu (get b y)) then cost b m y else 0 else 0.

(** The same with every unit in reach that [shared] says sub-cores share. *)
Definition shared_charge (b : block) (m : machine) (shared : nat -> bool) : charges := fun w q y =>
  if beside b m w q y then
    if (core m (fst y) =? core m w) || shared (fu (get b y)) then cost b m y else 0
  else 0.

(** Where [w] does not use the unit in the section: slot(j|w). *)
Definition fib_charge (b : block) (m : machine) : charges := fun w q y =>
  if beside b m w q y then
    if uses b w q (fu (get b y)) then cost b m y
    else if core m (fst y) =? core m w then takes (get b y) else 0
  else 0.

(** ** The bounds *)

(** The sum of charges of a warp in a section. *)
Definition charged (b : block) (ch : charges) (w q : nat) : nat := sum (ch w q) (keys b).

(** The instructions of section [q] of thread block [g]; the largest, over its warps that take
    time there, of isolation and what is charged. *)
Definition of_section (b : block) (m : machine) (g q : nat) : list key :=
  filter (fun x => (group m (fst x) =? g) && (sec (get b x) =? q)) (keys b).

(** The term of a section is the largest isolation time and charge of a warp. *)
Definition block_term (b : block) (m : machine) (ch : charges) (iD : key -> nat)
  (g q : nat) : nat :=
  list_max (map (fun x => iD x + init (get b x) + lat (get b x) + charged b ch (fst x) q)
                (filter (fun x => (group m (fst x) =? g) && (sec (get b x) =? q)
                                  && (0 <? iD x + init (get b x) + lat (get b x))) (keys b))).

(** The terms and releases of the sections before [q]. *)
Fixpoint block_start (b : block) (m : machine) (ch : charges) (iD : key -> nat) (g q : nat) : nat :=
  match q with
  | 0 => 0
  | S r => block_start b m ch iD g r + block_term b m ch iD g r + release m q
  end.

(** The last section of thread block [g]. *)
Definition last_section (b : block) (m : machine) (g : nat) : nat :=
  list_max (map (fun x => sec (get b x)) (filter (fun x => group m (fst x) =? g) (keys b))).

(** The bound is the sum of all terms and releases. *)
Definition block_bound (b : block) (m : machine) (ch : charges) (iD : key -> nat) (g : nat) : nat :=
  block_start b m ch iD g (last_section b m g) + block_term b m ch iD g (last_section b m g).

(** The cycles of [t0, e) in which instructions of other thread blocks initiate, added up: the
    X of lemma 3. *)
Definition foreign (b : block) (m : machine) (s : schedule) (g t0 e : nat) : nat :=
  sum (fun y => if group m (fst y) =? g then 0 else active s t0 e y) (keys b).

(** No other thread block has instructions on the SM. *)
Definition alone (b : block) (m : machine) (g : nat) : Prop :=
  forall x, In x (keys b) -> group m (fst x) = g.

(** ** Lemmas on them *)

Lemma beside_iff b m w q y : beside b m w q y = true <->
  fst y <> w /\ group m (fst y) = group m w /\ sec (get b y) = q.
Proof. unfold beside. rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq, !Nat.eqb_eq. tauto. Qed.

Lemma in_section b m g q x : In x (of_section b m g q) <->
  In x (keys b) /\ group m (fst x) = g /\ sec (get b x) = q.
Proof. unfold of_section. rewrite filter_In, andb_true_iff, !Nat.eqb_eq. tauto. Qed.

Lemma cost_init b m y : In y (keys b) -> init (get b y) <= cost b m y.
Proof. intros Hy. unfold cost. destruct (depth m) as [[|d]|]; auto using cmax_ge. Qed.

Lemma foreign_split b m s g t0 T e : t0 <= T -> T <= e ->
  foreign b m s g t0 e = foreign b m s g t0 T + foreign b m s g T e.
Proof.
  intros H1 H2. unfold foreign. rewrite <- sum_add. unfold sum. f_equal. apply map_ext. intros y.
  destruct (group m (fst y) =? g); [reflexivity|]. apply active_split; assumption.
Qed.

Lemma foreign_alone b m s g t0 e : alone b m g -> foreign b m s g t0 e = 0.
Proof.
  intros A. unfold foreign, sum. induction (keys b) as [|x l IH] eqn:E; [reflexivity|].
  assert (forall l', (forall y, In y l' -> group m (fst y) = g) ->
    list_sum (map (fun y => if group m (fst y) =? g then 0 else active s t0 e y) l') = 0) as Z.
  { induction l' as [|y l' IH']; intros H; [reflexivity|]. simpl.
    rewrite (H y (or_introl eq_refl)), Nat.eqb_refl. apply IH'. intros z Hz. apply H. right.
    exact Hz. }
  apply Z. intros y Hy. apply A. rewrite E. exact Hy.
Qed.

Lemma start_mono m b ch iD g q d : block_start b m ch iD g q + block_term b m ch iD g q
  <= block_start b m ch iD g (S q + d).
Proof.
  induction d as [|d IH]; [rewrite Nat.add_0_r; cbn [block_start]; lia|]. rewrite Nat.add_succ_r.
  cbn [block_start]. lia.
Qed.

(** ** Section by section *)

Section Walk.
  Variables (m : machine) (b : block) (s : schedule) (ch : charges) (iD : key -> nat)
    (g t0 e : nat).
  Hypotheses (V : valid m b s) (Finish : forall x, of m b g x -> C s x <= e).
  Notation term := (block_term b m ch iD g).

  (** At [T] all before section [q] is over, and the barrier before it released. *)
  Definition over_by (q T : nat) : Prop :=
    (forall y, of m b g y -> sec (get b y) < q -> C s y <= T)
    /\ forall z, of m b g z -> sec (get b z) = q ->
       forall y, of m b g y -> sec (get b y) < q -> I s y + takes (get b y) + ar s g q <= T.

  (** At [T], before section [q], all is paid with [B] and what else counts. *)
  Variable Paid : nat -> nat -> nat -> Prop.
  Hypothesis Paid_on : forall B q T B' q' T', t0 <= T -> Paid B q T -> q <= q' -> T <= T' ->
    T' + B <= T + B' -> Paid B' q' T'.
  Hypothesis Paid_section : forall B q T x, t0 <= T < C s x -> Paid B q T -> of m b g x ->
    sec (get b x) = q ->
    over_by q T -> (forall y, of m b g y -> sec (get b y) = q -> C s y <= C s x) ->
    Paid (B + term q) (S q) (C s x).

  Lemma walk_section B q T : t0 <= T <= e -> Paid B q T -> over_by q T ->
    exists N, T <= N <= e /\ Paid (B + term q) (S q) N /\ forall y, of m b g y ->
    sec (get b y) <= q -> C s y <= N.
  Proof.
    intros HT Pd [Old Rel].
    assert (Paid (B + term q) (S q) T) as Same by (apply (Paid_on _ _ _ _ _ _ (proj1 HT) Pd); lia).
    destruct (of_section b m g q) as [|z0 l0] eqn:E.
    - exists T. split; [lia|]. split; [exact Same|]. intros y [Hy Hg] Hs.
      apply Old; [split; assumption|]. enough (sec (get b y) <> q) by lia. intros Sy.
      assert (In y (of_section b m g q)) as X by (apply in_section; auto). rewrite E in X.
      destruct X.
    - destruct (latest (C s) (of_section b m g q)) as [x [Hx Lx]]; [rewrite E; discriminate|].
      apply in_section in Hx as [Hx [Gx Sx]].
      assert (forall y, of m b g y -> sec (get b y) = q -> C s y <= C s x) as Lq.
      { intros y [Hy Hg] Sy. apply Lx, in_section. auto. }
      destruct (le_lt_dec (C s x) T) as [L|L]; [exists T|exists (C s x)].
      + split; [lia|]. split; [exact Same|]. intros y Hy Hs.
        destruct (Nat.eq_dec (sec (get b y)) q) as [Sy|Sy];
          [specialize (Lq y Hy Sy)|specialize (Old y Hy ltac:(lia))]; lia.
      + split; [specialize (Finish x (conj Hx Gx)); lia|]. split.
        * apply (Paid_section B q T x); repeat split; auto. lia.
        * intros y Hy Hs. destruct (Nat.eq_dec (sec (get b y)) q) as [Sy|Sy]; [auto|].
          specialize (Old y Hy ltac:(lia)). lia.
  Qed.

  Hypotheses (Late : t0 <= e) (Begin : Paid t0 0 t0).

  Lemma walk_to q : exists T, t0 <= T <= e /\ Paid (t0 + block_start b m ch iD g q) q T /\
    over_by q T.
  Proof.
    induction q as [|q [T [HT [Pd O]]]].
    - exists t0. cbn [block_start]. rewrite Nat.add_0_r. repeat split; auto; intros; lia.
    - destruct (walk_section _ q T HT Pd O) as [N [HN [PN AN]]].
      exists (Nat.min e (N + release m (S q))). split; [lia|]. split; [|split].
      + apply (Paid_on (t0 + block_start b m ch iD g q + term q) (S q) N); cbn [block_start];
          auto; lia.
      + intros y Hy Hs. specialize (AN y Hy ltac:(lia)). specialize (Finish y Hy). lia.
      + intros z [Hz Gz] Sz y [Hy Gy] Hs. specialize (AN y (conj Hy Gy) ltac:(lia)).
        pose proof (v_rel _ _ _ V g (S q)). pose proof (v_start _ _ _ V y Hy).
        pose proof (v_init _ _ _ V y Hy).
        pose proof (v_barrier _ _ _ V z y Hz Hy ltac:(congruence) ltac:(lia)) as R.
        specialize (Finish z (conj Hz Gz)). pose proof (v_start _ _ _ V z Hz). unfold C in *.
        rewrite Gz, Sz in R. lia.
  Qed.

  Lemma walk_all : exists N, t0 <= N <= e /\ (forall x, of m b g x -> C s x <= N)
    /\ Paid (t0 + block_bound b m ch iD g) (S (last_section b m g)) N.
  Proof.
    destruct (walk_to (last_section b m g)) as [T [HT [Pd O]]].
    destruct (walk_section _ _ T HT Pd O) as [N [HN [PN AN]]]. exists N. unfold block_bound.
    rewrite Nat.add_assoc. split; [lia|]. split; [|exact PN]. intros x [Hx Hg].
    apply AN; [split; assumption|]. apply list_max_ge, in_map_iff. exists x. split; [reflexivity|].
    apply filter_In. split; [exact Hx|]. apply Nat.eqb_eq, Hg.
  Qed.
End Walk.

Section Bounds.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (HI : iso_edges b m iI iD).

  Variables (ch : charges) (meets : nat -> nat -> nat -> Prop) (g : nat).
  (* the units on which [w] is delayed by initiations, and what is charged at least *)
  Hypothesis Meets_own : forall w k, In (w, k) (keys b) ->
    meets w (sec (get b (w, k))) (fu (get b (w, k))).
  Hypothesis Ch_unit : forall w q y, In y (keys b) -> beside b m w q y = true ->
    meets w q (fu (get b y)) ->
    cost b m y <= ch w q y.
  Hypothesis Ch_slot : forall w q y, In y (keys b) -> beside b m w q y = true ->
    core m (fst y) = core m w -> takes (get b y) <= ch w q y.
  (* beside other thread blocks: depth 0, or unlimited with every unit of the sub-core charged *)
  Hypothesis Others : alone b m g \/ depth m = Some 0 \/
    (depth m = None /\ forall w q y, In y (keys b) -> core m (fst y) = core m w ->
      meets w q (fu (get b y))).

  Lemma isolated w q : timeless b w q (fun j => In (w, j) (keys b) /\ sec (get b (w, j)) = q
    /\ iI (w, j) = 0 /\ init (get b (w, j)) = 0).
  Proof.
    intros k [Hk [Hq [Hz Hu]]]. destruct (HI w k Hk) as [H1 [H2 _]].
    destruct (W w k Hk) as [_ [Wp _]]. split; [exact Hk|]. split; [exact Hq|]. split; [exact Hu|].
    split.
    - intros j -> Sj. specialize (H1 j eq_refl ltac:(congruence)).
      pose proof (keys_before _ _ _ j Hk ltac:(lia)). repeat split; auto; lia.
    - intros p Hp Sp. specialize (Wp p Hp). specialize (H2 p Hp ltac:(congruence)).
      pose proof (keys_before _ _ _ p Hk ltac:(lia)) as Kp. destruct (HI w p Kp) as [_ [_ [H3 _]]].
      repeat split; auto; lia.
  Qed.

  (** [X y]: what [y] of another thread block counts, at least while it initiates where [w] is
      delayed by it. *)
  Lemma one_section (X : key -> nat) q T x : begin s g <= T < C s x -> of m b g x ->
    sec (get b x) = q ->
    over_by m b s g q T -> (forall y, of m b g y -> sec (get b y) = q -> C s y <= C s x) ->
    (forall y, In y (keys b) -> group m (fst y) <> g -> meets (fst x) q (fu (get b y)) \/
      core m (fst y) = core m (fst x) ->
       active s T (C s x) y <= X y) ->
    C s x <= T + block_term b m ch iD g q + sum (fun y => if group m (fst y) =? g then 0 else X y)
      (keys b).
  Proof.
    destruct x as [w k]. cbn [fst]. intros [HT TN] [Hk Hg] Hq [Old' Rel'] End' HX. cbn [fst] in Hg.
    subst g. assert (forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) < q ->
      C s y <= T) as Old by (intros y Hy Gy; apply (Old' y (conj Hy Gy))).
    assert (forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) < q ->
      I s y + takes (get b y) + ar s (group m w) q <= T) as Rel
      by (intros y Hy Gy; apply (Rel' (w, k) (conj Hk eq_refl) Hq y (conj Hy Gy))).
    assert (forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) = q -> C s y
      <= C s (w, k)) as End by (intros y Hy Gy; apply (End' y (conj Hy Gy))).
    remember (C s (w, k)) as N eqn:HN. symmetry in HN.
    set (F := sum (fun y => if group m (fst y) =? group m w then 0 else X y) (keys b)).
    assert (0 < iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) as Pk.
    { destruct (Nat.eq_dec (iD (w, k) + init (get b (w, k)) + lat (get b (w, k))) 0) as [E|E];
        [exfalso|lia]. pose proof (timeless_done m b s w q T _ W V (isolated w q) HT Old Rel k
        ltac:(destruct (HI w k Hk) as [_ [_ [H3 _]]]; repeat split; auto; lia)) as [H1 H2].
      pose proof (v_init _ _ _ V _ Hk). pose proof (v_lat _ _ _ V _ Hk). unfold C in HN. lia. }
    destruct (le_lt_dec N (T + block_term b m ch iD (group m w) q + F)) as [L|L]; [exact L|exfalso].
    destruct (instances_exist m b s (v_cap _ _ _ V)) as [ins Ins].
    set (top := block_term b m ch iD (group m w) q - charged b ch w q).
    assert (forall j, In (w, j) (keys b) -> sec (get b (w, j)) = q -> 0 < iD (w, j)
      + init (get b (w, j)) + lat (get b (w, j)) ->
      iD (w, j) + init (get b (w, j)) + lat (get b (w, j)) + charged b ch w q
      <= block_term b m ch iD (group m w) q) as Term.
    { intros j Hj Sj Pj. apply list_max_ge, in_map_iff. exists (w, j). split; [reflexivity|].
      apply filter_In. rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt. auto. }
    set (h := fun y => ch w q y + (if group m (fst y) =? group m w then 0 else X y)).
    assert (forall y, rival m b w q y -> group m (fst y) = group m w -> beside b m w q y = true)
      as Be.
    { intros y [_ [Y1 Y2]] G. apply beside_iff. auto. }
    pose proof (Term k Hk Hq Pk) as Tk.
    enough (C s (w, k) < N) by lia.
    apply (not_late m b s iI iD M W V HI ins Ins w q T N top h HT Old Rel End (meets w q)); auto.
    - intros j Hj <- _. apply Meets_own, Hj.
    - intros D0 y [Hy _] Hg Hc _.
      destruct Others as [A|[A|[_ A]]]; [|contradiction|apply A; assumption]. specialize (A y Hy).
      contradiction.
    - intros y R Hm. unfold h. destruct (Nat.eqb_spec (group m (fst y)) (group m w)) as [G|G];
        [|specialize (HX y (proj1 R) G (or_introl Hm)); lia].
      pose proof (Ch_unit w q y (proj1 R) (Be y R G) Hm). pose proof (cost_init b m y (proj1 R)).
      pose proof (active_init m b s T N y V (proj1 R)). lia.
    - intros d y Hd R Hm. destruct Others as [A|[A|[A _]]]; [|congruence|congruence].
      pose proof (A y (proj1 R)) as G. pose proof (Ch_unit w q y (proj1 R) (Be y R G) Hm) as U.
      unfold cost in U. rewrite Hd in U. unfold h. lia.
    - intros y R Hc Hu TI DN. unfold h.
      destruct (Nat.eqb_spec (group m (fst y)) (group m w)) as [G|G].
      + pose proof (Ch_slot w q y (proj1 R) (Be y R G) Hc). lia.
      + pose proof (v_start _ _ _ V y (proj1 R)). pose proof (v_init _ _ _ V y (proj1 R)).
        pose proof (active_some s T N y (D s y) ltac:(lia) ltac:(apply init_iff; lia)).
        specialize (HX y (proj1 R) G (or_intror Hc)). lia.
    - intros j Hj Sj. destruct (Nat.eq_dec (iD (w, j) + init (get b (w, j))) 0) as [E|E]; [lia|].
      specialize (Term j Hj Sj ltac:(lia)). unfold top. lia.
    - unfold wsum.
      assert (sum (fun y => if true then h y else 0) (keys b) = charged b ch w q + F) as E.
      { unfold charged, F, h. apply sum_add. }
      cbv beta. rewrite E. unfold top. lia.
    - unfold top. lia.
  Qed.

  Theorem block_end t0 e : begin s g <= t0 ->
    (forall x, In x (keys b) -> group m (fst x) = g -> C s x <= e) ->
    forall x, In x (keys b) -> group m (fst x) = g ->
    C s x <= t0 + block_bound b m ch iD g + foreign b m s g t0 e.
  Proof.
    intros Start Finish x Hx Hg. pose proof (Finish x Hx Hg) as Fx.
    destruct (le_lt_dec e t0) as [L|L]; [lia|].
    destruct (walk_all m b s ch iD g t0 e V (fun y Hy => Finish y (proj1 Hy) (proj2 Hy))
      (fun B q T => T <= B + foreign b m s g t0 T)) as [N [HN [Ends HB]]]; [| |lia|lia|].
    - intros B q T B' q' T' HT Pd _ LT D. pose proof (foreign_split b m s g t0 T T' HT LT). lia.
    - intros B q T y HT Pd Hy Hq O Ly. rewrite (foreign_split b m s g t0 T) by lia.
      pose proof (one_section (active s T (C s y)) q T y ltac:(lia) Hy Hq O Ly (fun _ _ _ _ =>
        le_n _)) as P. unfold foreign at 2. lia.
    - specialize (Ends x (conj Hx Hg)).
      pose proof (foreign_split b m s g t0 N e ltac:(lia) ltac:(lia)). lia.
  Qed.
End Bounds.

(** ** SIB and FIB *)

Lemma uses_own b w k : In (w, k) (keys b) -> uses b w (sec (get b (w, k))) (fu (get b (w, k)))
  = true.
Proof.
  intros Hk. apply existsb_exists. exists (w, k). split; [exact Hk|]. unfold on. simpl.
  rewrite !Nat.eqb_refl. reflexivity.
Qed.

Lemma in_reach_of b m y c : In y (keys b) -> core m (fst y) = c ->
  in_reach b m c (fu (get b y)) = true.
Proof.
  intros Hy <-. apply existsb_exists. exists y. split; [exact Hy|]. unfold on.
  rewrite !Nat.eqb_refl. reflexivity.
Qed.

Section Theorems.
  Variables (m : machine) (b : block) (s : schedule) (iI iD : key -> nat) (g : nat).
  Hypotheses (M : machine_ok m) (W : wf b) (V : valid m b s) (HI : iso_edges b m iI iD).

  Let FIB := block_bound b m (fib_charge b m) iD g.
  Let SIB := block_bound b m (sib_charge b m) iD g.

  Lemma fib_unit w q y : In y (keys b) -> beside b m w q y = true ->
    uses b w q (fu (get b y)) = true ->
    cost b m y <= fib_charge b m w q y.
  Proof. intros _ B U. unfold fib_charge. rewrite B, U. lia. Qed.

  Lemma fib_slot w q y : In y (keys b) -> beside b m w q y = true -> core m (fst y) = core m w ->
    takes (get b y) <= fib_charge b m w q y.
  Proof.
    intros Hy B Hc. unfold fib_charge. rewrite B, Hc, Nat.eqb_refl.
    destruct (uses b w q (fu (get b y))); [pose proof (cost_init b m y Hy)|]; lia.
  Qed.

  Lemma sib_unit w q y : In y (keys b) -> beside b m w q y = true ->
    in_reach b m (core m w) (fu (get b y)) = true ->
    cost b m y <= sib_charge b m w q y.
  Proof. intros _ B U. unfold sib_charge. rewrite B, U. lia. Qed.

  Lemma sib_slot w q y : In y (keys b) -> beside b m w q y = true -> core m (fst y) = core m w ->
    takes (get b y) <= sib_charge b m w q y.
  Proof.
    intros Hy B Hc. unfold sib_charge. rewrite B, (in_reach_of b m y _ Hy Hc).
    pose proof (cost_init b m y Hy). lia.
  Qed.

  Lemma finish_exists : exists e, forall x, In x (keys b) -> group m (fst x) = g -> C s x <= e.
  Proof. exists (list_max (map (C s) (keys b))). intros x Hx _. apply list_max_ge, in_map, Hx. Qed.

  (** *** Theorem 1: FIB, at every dispatch depth *)
  Theorem fib_bound x : alone b m g -> In x (keys b) -> C s x <= begin s g + FIB.
  Proof.
    intros A Hx. destruct finish_exists as [e He].
    pose proof (block_end m b s iI iD M W V HI (fib_charge b m) (fun w q f => uses b w q f = true)
      g (fun w k Hk => uses_own b w k Hk) fib_unit fib_slot (or_introl A) (begin s g) e (le_n _) He
      x Hx (A x Hx)) as H. rewrite foreign_alone in H by exact A. unfold FIB. lia.
  Qed.

  (** *** Theorem 1: SIB, at every dispatch depth *)
  Theorem sib_charge_bound x : alone b m g -> In x (keys b) -> C s x <= begin s g + SIB.
  Proof.
    intros A Hx. destruct finish_exists as [e He].
    pose proof (block_end m b s iI iD M W V HI (sib_charge b m) (fun w q f =>
      in_reach b m (core m w) f = true) g (fun w k Hk => in_reach_of b m (w, k) _ Hk eq_refl)
      sib_unit sib_slot (or_introl A) (begin s g) e (le_n _) He x Hx (A x Hx)) as H.
    rewrite foreign_alone in H by exact A. unfold SIB. lia.
  Qed.

  (** *** Lemma 3: the time that a thread block has to go at [t0], beside others on the SM *)
  Theorem window_fib t0 e x : depth m = Some 0 -> begin s g <= t0 ->
    (forall y, In y (keys b) -> group m (fst y) = g -> C s y <= e) ->
    In x (keys b) -> group m (fst x) = g -> C s x <= t0 + FIB + foreign b m s g t0 e.
  Proof.
    intros D0 Ht He Hx Hg. apply (block_end m b s iI iD M W V HI _ (fun w q f => uses b w q f
      = true) g (fun w k Hk => uses_own b w k Hk) fib_unit fib_slot (or_intror (or_introl D0)) t0 e
      Ht He x Hx Hg).
  Qed.

  (** From [t0] on a thread block takes at most SIB and the cycles in which others initiate. *)
  Theorem window_sib t0 e x : depth m = Some 0 \/ depth m = None -> begin s g <= t0 ->
    (forall y, In y (keys b) -> group m (fst y) = g -> C s y <= e) ->
    In x (keys b) -> group m (fst x) = g -> C s x <= t0 + SIB + foreign b m s g t0 e.
  Proof.
    intros Dm Ht He Hx Hg. apply (block_end m b s iI iD M W V HI _ (fun w q f =>
      in_reach b m (core m w) f = true) g (fun w k Hk => in_reach_of b m (w, k) _ Hk eq_refl)
      sib_unit sib_slot); auto. destruct Dm as [D0|D1]; [auto|right; right]. split; [exact D1|].
    intros w q y Hy Hc. apply in_reach_of; assumption.
  Qed.
End Theorems.
