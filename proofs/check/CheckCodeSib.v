(** * A checker of certificates of machine code: code-sib, with barriers

    docs/machine-code-bounds.md, theorem 2.  Tables come from whoever wrote the certificate; none is
    trusted. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeElb CodeOwn CodeReach
  CodeSib CodeBarriers CodeSpill CheckCode.

(** The tables of a certificate of code-sib. *)
Record sib_tables := SibTables {
  blocks : nat -> nat -> bool;      (* no less than B *)
  held : nat -> nat -> bool;        (* by sub-core: units that keep its issue stage from who finds a
    queue full *)
  home : nat -> option nat;         (* the sub-core of a unit; None: shared *)
  wide : nat -> bool;               (* own units that keep shared ones blocked *)
  tP : key -> nat; tI : key -> nat; tD : key -> nat ->
  nat;    (* the own graph, from the start of a section *)
  alone : nat -> nat -> nat;        (* iso, by section and warp *)
  piped : key -> nat -> bool;       (* holds that Q leaves out *)
  spill : key -> nat -> nat;        (* what each stage can hold behind the release *)
  left : nat -> nat -> nat }.       (* Q, by section and warp *)

(** [x] waits in a queue before its first unit. *)
Definition queued_b (m : machine) (b : block) (x : key) : bool :=
  (1 <=? stages b x) && negb (latch m b x) && finite m (unit (st b x 0)).

Lemma queued_iff m b x u : In x (keys b) -> queued m b x -> at_stage b x 0 u ->
  queued_b m b x = true.
Proof.
  intros Hx [v [[_ [Hv E]] [HL Q]]] _. unfold queued_b.
  rewrite HL, E, (proj2 (Nat.leb_le 1 _)) by exact Hv. apply finite_iff, Q.
Qed.

Section Check.
  Variables (m : machine) (b : block) (c : sib_tables) (least : key -> nat).

  (** ** Units *)

  (** The table [blocks] is closed under the step from stage [i + 1] to [i]. *)
  Definition blocks_link_b (x : key) (i : nat) : bool :=
    if finite m (unit (st b x (S i)))
    then forallb (fun z => if blocks c (unit (st b x (S i))) z then blocks c (unit (st b x i)) z
      else true) (units_of b)
    else true.
  (** The table [blocks] contains B. *)
  Definition blocks_b : bool := forallb (fun u => blocks c u u) (units_of b)
    && each_link b blocks_link_b.

  Lemma B_blocks : blocks_b = true -> forall u v, B m b u v -> In u (units_of b) ->
    blocks c u v = true /\ In v (units_of b).
  Proof.
    unfold blocks_b. rewrite andb_true_iff, forallb_forall. intros [HR HL] u v HB.
    pose proof (each_link_ok _ _ HL) as L1.
    induction HB as [u|u v z HB HBz IH]; intros Hu; [split; [apply HR|]; exact Hu|].
    assert (In v (units_of b)) as Hv by (destruct HB as [_ [x [i [_ Hx]]]];
      apply (at_unit b x (S i)); exact Hx). destruct (IH Hv) as [H1 H2]. split; [|exact H2].
    destruct (back_link _ _ _ _ HB) as [x [i [Hx [Hi [<- [<- F]]]]]]. specialize (L1 x i Hx Hi).
    unfold blocks_link_b in L1. rewrite F, forallb_forall in L1. specialize (L1 z H2).
    rewrite H1 in L1. exact L1.
  Qed.

  (** Who finds a queue full, if that holds the issue stage. *)
  Definition held_b : bool := if holds_issue m then
    each b (fun y => if queued_b m b y then
      forallb (fun z => if blocks c (unit (st b y 0)) z then held c (core m (fst y)) z else true)
        (units_of b) else true)
    else true.

  Lemma feeds_held : blocks_b = true -> held_b = true -> forall w v, feeds m b w v ->
    held c (core m w) v = true.
  Proof.
    intros HB HH w v [HI [y [u [Hq [Hc [Hu Hv]]]]]]. unfold held_b in HH. rewrite HI in HH.
    pose proof (at_key _ _ _ _ Hu) as Hy. pose proof (each_ok _ _ HH y Hy) as A. cbv beta in A.
    rewrite (queued_iff m b y u Hy Hq Hu), forallb_forall in A.
    destruct (B_blocks HB u v Hv (at_unit b y 0 u Hu)) as [H1 H2]. specialize (A v H2).
    destruct Hu as [_ [_ <-]]. rewrite H1, Hc in A. exact A.
  Qed.

  (** Sub-cores share unit [u]. *)
  Definition shared (u : nat) : bool := wide c u || match home c u with None => true | Some _ =>
    false end.
  (** The reach of warp [w]. *)
  Definition reach (w : nat) : nat -> bool := reach_sib m (home c) shared w.

  (** The homes of units are as the ways say. *)
  Definition reach_b : bool :=
    each b (fun y => each_stage b y (fun i => match home c (unit (st b y i)) with None => true |
      Some h => h =? core m (fst y) end)) && each_link b (fun x i =>
      if finite m (unit (st b x (S i))) && shared (unit (st b x i)) then shared
      (unit (st b x (S i))) else true).

  Lemma reach_ways : reach_b = true -> forall y i u, at_stage b y i u -> home c u = None \/
    home c u = Some (core m (fst y)).
  Proof.
    unfold reach_b. rewrite andb_true_iff. intros [H _] y i u [Hy [Hi <-]].
    pose proof (each_ok _ _ H y Hy) as A. cbv beta in A.
    pose proof (each_stage_ok _ _ _ A i Hi) as C. cbv beta in C.
    destruct (home c (unit (st b y i))) as [h|]; [|auto]. apply Nat.eqb_eq in C. subst h. auto.
  Qed.

  Lemma reach_closed : reach_b = true -> forall u v, shared u = true -> back m b u v ->
    shared v = true.
  Proof.
    unfold reach_b. rewrite andb_true_iff. intros [_ H] u v Hs HB.
    pose proof (each_link_ok _ _ H) as A.
    destruct (back_link _ _ _ _ HB) as [x [i [Hx [Hi [<- [<- F]]]]]]. specialize (A x i Hx Hi).
    cbv beta in A. rewrite F, Hs in A. exact A.
  Qed.

  Lemma shared_home u : home c u = None -> shared u = true.
  Proof. unfold shared. intros ->. apply orb_true_r. Qed.

  (** ** The own graph *)

  (** The edge from stage [i] of [o] to [k] holds. *)
  Definition older_hold_b (w k o i : nat) : bool :=
    let x := (w, k) in let v := unit (st b (w, o) i) in let over :=
      tD c (w, o) i + hold (st b (w, o) i) in
    (if (latch m b x || queued_b m b x) && blocks c (unit (st b x 0)) v then over
      <=? tP c x else true) && (if held c (core m w) v then over <=? tP c x else true)
    && each_stage b x (fun j => if ((1 <=? j) || negb (latch m b x))
      && blocks c (unit (st b x j)) v then over <=? tD c x j else true).

  (** The edges of the own graph to [x] hold. *)
  Definition iso_inst_b (x : key) : bool :=
    let (w, k) := x in let i := get b x in let q := sec i in
    match k with
    | 0 => fetch i <=? tP c x
    | S j => if sec (get b (w, j)) =? q
             then tI c (w, j) + max (max (stall (get b (w, j))) (slot (get b (w, j)))) (fetch i)
               <=? tP c x else true
    end
    && (tP c x + operand i <=? tI c x) && (if 1 <=? stages b x then tI c x <=? tD c x 0 else true)
    && forallb (fun s => tD c x s + hold (st b x s) + transfer (st b x s) <=? tD c x (S s))
      (seq 0 (stages b x - 1)) && forallb (fun cn =>
      forallb (fun j => if sec (get b (w, fst j)) =? q
                                            then iE b (tI c) (tD c) (w, fst j) + latency b w j
                                              <=? tP c x else true)
                                              (awaited b w k (fst cn) (snd cn))) (waits i)
                                              && forallb (fun o => if sec (get b (w, o)) =?
                                              q then each_stage b (w, o) (older_hold_b w k o) else
                                              true) (seq 0 k) && (iE b (tI c) (tD c) x
                                              + max (write i) (read i) <=? alone c q w)
                                              && (tI c x + slot i <=? alone c q w)
                                              && (if bar i then (tI c x + stall i <=? alone c q w)
                                              && (if S k <? len b w then tI c x
                                              + fetch (get b (w, S k)) <=? alone c q w else true)
                                              else true).

  Section Iso.
    Hypotheses (HB : blocks_b = true) (HH : held_b = true) (A : each b iso_inst_b = true).

    Lemma iso_inst w k : In (w, k) (keys b) -> iso_inst_b (w, k) = true.
    Proof. apply (each_ok _ _ A). Qed.

    Lemma iso_older w k o i v : In (w, k) (keys b) -> o < k ->
      sec (get b (w, o)) = sec (get b (w, k)) ->
      at_stage b (w, o) i v -> older_hold_b w k o i = true.
    Proof.
      intros Hk Ho Hs [_ [Hi _]]. pose proof (iso_inst w k Hk) as C. unfold iso_inst_b in C.
      rewrite !andb_true_iff in C. destruct C as [[[[_ C] _] _] _]. rewrite forallb_forall in C.
      specialize (C o ltac:(apply in_seq; lia)). rewrite Hs, Nat.eqb_refl in C.
      apply (each_stage_ok _ _ _ C i Hi).
    Qed.

    Lemma iso_code_ok w n : iso_cert m b w n (tP c) (tI c) (tD c) (alone c n w).
    Proof.
      assert (forall k, In (w, k) (keys b) -> iso_inst_b (w, k) = true) as C
        by (intros; apply iso_inst; assumption). unfold iso_inst_b in C. split.
      - intros k Hk H1 H2. specialize (C _ Hk). rewrite !andb_true_iff, H1, H2, Nat.eqb_refl in C.
        apply Nat.leb_le. tauto.
      - intros Hk H1. specialize (C _ Hk). rewrite !andb_true_iff in C. apply Nat.leb_le. tauto.
      - intros k Hk H1. specialize (C _ Hk). rewrite !andb_true_iff in C. apply Nat.leb_le. tauto.
      - intros k Hk H1 Hs. specialize (C _ Hk).
        rewrite !andb_true_iff, (proj2 (Nat.leb_le _ _) Hs) in C. apply Nat.leb_le. tauto.
      - intros k i Hk H1 Hi. specialize (C _ Hk). rewrite !andb_true_iff in C.
        destruct C as [[[[[[_ C] _] _] _] _] _]. rewrite forallb_forall in C.
        apply Nat.leb_le, (C i), in_seq. lia.
      - intros k e l j Hk H1 He Hj Hs. specialize (C _ Hk). rewrite !andb_true_iff in C.
        destruct C as [[[[[_ C] _] _] _] _]. rewrite forallb_forall in C. specialize (C _ He).
        rewrite forallb_forall in C. specialize (C _ Hj). cbv beta in C.
        rewrite Hs, H1, Nat.eqb_refl in C. apply Nat.leb_le, C.
      - intros k o i u v Hu H1 Hq HBuv Ho H2 Hv. pose proof (at_key _ _ _ _ Hu) as Hk.
        pose proof (iso_older w k o i v Hk Ho ltac:(congruence) Hv) as D. unfold older_hold_b in D.
        rewrite !andb_true_iff in D. destruct D as [[D _] _].
        destruct (B_blocks HB u v HBuv (at_unit _ _ _ _ Hu)) as [E _]. destruct Hv as [_ [_ Ev]].
        pose proof Hu as [_ [_ Eu]]. rewrite Ev, Eu, E, andb_true_r in D.
        assert (latch m b (w, k) || queued_b m b (w, k) = true) as F.
        { apply orb_true_iff. destruct Hq as [Hq|Hq]; [auto|right].
          apply (queued_iff m b (w, k) u); assumption. }
        rewrite F in D. apply Nat.leb_le, D.
      - intros k o i j u v Hu H1 Hl HBuv Ho H2 Hv. pose proof (at_key _ _ _ _ Hu) as Hk.
        pose proof (iso_older w k o j v Hk Ho ltac:(congruence) Hv) as D. unfold older_hold_b in D.
        rewrite !andb_true_iff in D. destruct D as [_ D].
        destruct (B_blocks HB u v HBuv (at_unit _ _ _ _ Hu)) as [E _]. pose proof Hu as [_ [Hi Eu]].
        pose proof (each_stage_ok _ _ _ D i Hi) as G. cbv beta in G. destruct Hv as [_ [_ Ev]].
        rewrite Ev, Eu, E, andb_true_r in G.
        assert ((1 <=? i) || negb (latch m b (w, k)) = true) as F.
        { destruct i as [|i]; [rewrite Hl by reflexivity|]; reflexivity. }
        rewrite F in G. apply Nat.leb_le, G.
      - intros k o i v Hk H1 HF Ho H2 Hv.
        pose proof (iso_older w k o i v Hk Ho ltac:(congruence) Hv) as D. unfold older_hold_b in D.
        rewrite !andb_true_iff in D. destruct D as [[_ D] _]. destruct Hv as [_ [_ Ev]].
        rewrite Ev, (feeds_held HB HH w v HF) in D. apply Nat.leb_le, D.
      - intros k Hk H1. specialize (C _ Hk). rewrite !andb_true_iff, H1 in C.
        rewrite <- !Nat.leb_le. tauto.
      - intros k Hk H1 Hb. specialize (C _ Hk). rewrite Hb, !andb_true_iff, H1 in C.
        destruct C as [_ [C1 C2]]. split; [apply Nat.leb_le, C1|]. intros Hn. apply in_keys in Hn.
        rewrite (proj2 (Nat.ltb_lt _ _)) in C2 by lia. apply Nat.leb_le, C2.
    Qed.
  End Iso.

  (** ** Holds that Q leaves out follow each other *)

  (** The pipes of [u] in section [q] fit into its own time. *)
  Fixpoint pipe_b (q u : nat) (l : list (nat * nat)) : bool :=
    match l with
    | [] => true
    | ji :: r => (tD c (u, fst ji) (snd ji) + sum (hold_of b u) l <=? alone c q u) && pipe_b q u r
    end.

  Lemma pipe_suffix q u l0 ji l1 : pipe_b q u (l0 ++ ji :: l1) = true ->
    tD c (u, fst ji) (snd ji) + sum (hold_of b u) (ji :: l1) <= alone c q u.
  Proof.
    induction l0 as [|x l0 IH]; cbn [app pipe_b]; rewrite andb_true_iff; intros [H1 H2];
      [apply Nat.leb_le, H1|auto].
  Qed.

  (** ** Q *)

  (** An instruction up to [e] awaits [y]. *)
  Definition awaited_by_b (y : key) (e : nat) : bool :=
    existsb (fun k => existsb (fun cn => (snd cn =? 0)
      && existsb (fun j => fst j =? snd y) (increments b (fst cn) (fst y) k))
      (waits (get b (fst y, k))) && ((snd y + 2 <=? k) || (2 <=? least y))) (seq 0 (S e)).
  (** An instruction up to [e] takes the latch of [y] again. *)
  Definition retaken_b (y : key) (e : nat) : bool :=
    latch m b y && existsb (fun j => (1 <=? stages b (fst y, j)) && latch m b (fst y, j)
                                     && (unit (st b (fst y, j) 0) =? unit (st b y 0)))
                                       (seq (S (snd y)) (e - snd y)).
  (** The spill of [y] behind [e] is certified. *)
  Definition spill_b (e : nat) (y : key) : bool := each_stage b y (fun i =>
    (hold (st b y i) <=? spill c y i) || awaited_by_b y e
    || ((i =? 0) && (retaken_b y e || (latch m b y && (hold (st b y 0) - (least_sum least y e + 1)
         <=? spill c y 0))))).

  Lemma awaited_by_ok y e : awaited_by_b y e = true -> awaited_by b least y e.
  Proof.
    unfold awaited_by_b. intros H. apply existsb_exists in H as [k [Hk H]]. apply in_seq in Hk.
    apply andb_prop in H as [H HS]. apply existsb_exists in H as [[d n] [Hd H]].
    apply andb_prop in H as [Hn H]. cbn [fst snd] in *. apply Nat.eqb_eq in Hn. subst n.
    apply existsb_exists in H as [[o r] [Ho H]]. apply Nat.eqb_eq in H. cbn [fst] in H. subst o.
    exists k, d, r. rewrite orb_true_iff, !Nat.leb_le in HS. repeat split; auto. lia.
  Qed.

  Lemma retaken_ok u j e : In (u, e) (keys b) -> 1 <= stages b (u, j) -> j <= e ->
    retaken_b (u, j) e = true -> retaken m b (u, j) e.
  Proof.
    unfold retaken_b. cbn [fst snd]. intros He Hs Hj H. apply andb_prop in H as [HL H].
    apply existsb_exists in H as [o [Ho H]]. apply in_seq in Ho. apply andb_prop in H as [H HU].
    apply andb_prop in H as [H1 H2]. apply Nat.leb_le in H1. apply Nat.eqb_eq in HU.
    exists o, (unit (st b (u, j) 0)). cbn [fst snd]. apply in_keys in He.
    repeat split; auto; try lia; apply in_keys; lia.
  Qed.

  Lemma spill_ok u j e : In (u, e) (keys b) -> j <= e -> spill_b e (u, j) = true ->
    spill_cert m b least e (u, j) (spill c (u, j)).
  Proof.
    intros He Hj H. split. intros i Hi. pose proof (each_stage_ok _ _ _ H i Hi) as A. cbv beta in A.
    rewrite !orb_true_iff, andb_true_iff, orb_true_iff, andb_true_iff, !Nat.leb_le, Nat.eqb_eq in A.
    destruct A as [[A|A]|[-> [A|[A1 A2]]]].
    - left. exact A.
    - right. left. apply awaited_by_ok, A.
    - right. right. left. split; [reflexivity|]. apply retaken_ok; auto.
    - right. right. right. auto.
  Qed.

  (** The instructions of [u] in section [q]. *)
  Definition positions (q u : nat) : list nat := filter (fun j => sec (get b (u, j)) =? q)
    (seq 0 (len b u)).
  (** What [u] leaves behind section [q] is certified. *)
  Definition left_b (q u : nat) : bool :=
    match positions q u with
    | [] => true
    | l => let e := list_max l in
           forallb (fun j => spill_b e (u, j)) l
             && (left_behind m b (piped c) (spill c) q u e <=? left c q u)
    end.

  Lemma in_positions q u j : In j (positions q u) <-> In (u, j) (keys b) /\ sec (get b (u, j)) = q.
  Proof.
    unfold positions. rewrite filter_In, in_seq, in_keys, Nat.eqb_eq. split; [intros [H1 H2]|lia].
    split; [|exact H2]. split; [|lia]. destruct (le_lt_dec (length b) u) as [C|C]; [|exact C].
    unfold len in H1. rewrite nth_overflow in H1 by exact C. simpl in H1. lia.
  Qed.

  Lemma left_ok q u : left_b q u = true ->
    (forall j, In (u, j) (keys b) -> sec (get b (u, j)) <> q)
    \/ exists e, In (u, e) (keys b) /\ sec (get b (u, e)) = q
       /\ (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q -> j <= e)
       /\ (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q ->
            spill_cert m b least e (u, j) (spill c (u, j)))
       /\ left_behind m b (piped c) (spill c) q u e <= left c q u.
  Proof.
    unfold left_b. destruct (positions q u) as [|p l] eqn:E; intros H.
    - left. intros j Hj Hs. assert (In j (positions q u)) as C by (apply in_positions; auto).
      rewrite E in C. destruct C.
    - right. rewrite <- E in H. exists (list_max (positions q u)).
      assert (In (list_max (positions q u)) (positions q u)) as HM
        by (apply list_max_in; rewrite E; discriminate). apply andb_prop in H as [H1 H2].
      rewrite forallb_forall in H1. pose proof (proj1 (in_positions q u _) HM) as [M1 M2].
      split; [exact M1|]. split; [exact M2|].
      assert (forall j, In (u, j) (keys b) -> sec (get b (u, j)) = q -> j
        <= list_max (positions q u)) as L.
      { intros j Hj Hs. apply list_max_ge, in_positions. auto. }
      split; [exact L|]. split; [|apply Nat.leb_le, H2].
      intros j Hj Hs. apply spill_ok; auto. apply H1, in_positions. auto.
  Qed.

  (** ** The sum

      [charge]: by warp and section, what counts of others. *)
  Variable charge : nat -> nat -> nat -> bool.

  (** The largest value over all warps. *)
  Definition longest (f : nat -> nat) : nat := list_max (map f (seq 0 (length b))).
  (** The own time of a warp and what others charge. *)
  Definition closed (n w : nat) : nat := alone c n w + O m b charge n w.
  (** The terms and releases before section [k]. *)
  Definition before (k : nat) : nat := sum (fun n => longest (fun w => closed n w + left c n w)
    + release m) (seq 0 k).
  (** The last section of the block. *)
  Definition deepest : nat := list_max (map (fun x => sec (get b x)) (keys b)).

  (** What is shown of [sections] sections, if the tables are right.  Behind the last instruction
      there may be one more, with nothing in it. *)
  Definition sections_shown (code : ways) (sections : nat) : option nat :=
    if code_wf_b m b code && blocks_b && held_b && reach_b && each b iso_inst_b
       && forallb (fun u => forallb (fun q => pipe_b q u (pipe b (piped c) q u)) (seq 0 (S deepest))
                            && forallb (fun q => left_b q u) (seq 0 deepest)) (seq 0 (length b))
       && (deepest <? sections)
    then Some (before (sections - 1) + longest (closed (sections - 1))) else None.

  Lemma longest_ge (f : nat -> nat) w : w < length b -> f w <= longest f.
  Proof.
    intros H. apply list_max_ge, in_map_iff. exists w. split; [reflexivity|]. apply in_seq. lia.
  Qed.

  Lemma before_next k : before (S k) = before k
    + (longest (fun w => closed k w + left c k w) + release m).
  Proof.
    unfold before. rewrite seq_S, sum_app, sum_cons. change (sum ?f []) with 0. simpl. lia.
  Qed.

  Lemma before_grows k n : k <= n -> before k <= before n.
  Proof. induction 1 as [|n H IH]; [apply le_n|]. rewrite before_next. lia. Qed.

  Lemma at_deepest n w : deepest < n -> w < length b ->
    before deepest + closed deepest w <= before (n - 1) + longest (closed (n - 1)).
  Proof.
    intros Hn Hw. destruct (Nat.eq_dec (n - 1) deepest) as [->|N];
      [pose proof (longest_ge (closed deepest) w Hw); lia|].
    pose proof (before_grows (S deepest) (n - 1) ltac:(lia)) as G. rewrite before_next in G.
    pose proof (longest_ge (fun w => closed deepest w + left c deepest w) w Hw) as L. cbv beta in L.
    lia.
  Qed.
End Check.

(** The bound of code-sib that the certificate shows. *)
Definition code_sib_shown m b c least code sections : option nat :=
  sections_shown m b c least (fun w _ => reach m c w) code sections.

(** What is accepted bounds one thread block that keeps enough of the rules, also if loose latches
    are charged only where they are used. *)
Lemma sections_shown_ok m b c least loose used code sections bound :
  loose_latches m b (reach m c) loose used ->
  sections_shown m b c least (charged (reach m c) loose used) code sections = Some bound ->
  forall s J enters g, (forall w, group m w = g) -> enough m b s J enters ->
  leaves m b s J least ->
  forall x, In x (keys b) -> finish b s x <= rel s g 0 + bound.
Proof.
  intros LL. set (charge := charged (reach m c) loose used). unfold sections_shown.
  destruct (_ && _) eqn:E; [|discriminate]. intros H s J enters g One V K x Hx.
  injection H as <-.
  rewrite !andb_true_iff, Nat.ltb_lt, forallb_forall in E.
  destruct E as [[[[[[W HB] HH] HR] HI] HQ] HN]. apply code_wf_ok in W. set (N := deepest b).
  set (bound := before m b c charge (sections - 1) + _).
  set (T := fun n => rel s g 0 + if n <=? N then before m b c charge n else bound).
  replace bound with (if S N <=? N then before m b c charge (S N) else bound)
    by (rewrite (proj2 (Nat.leb_gt _ _)) by lia; reflexivity). change (finish b s x <= T (S N)).
  unfold T. assert (forall y, In y (keys b) -> sec (get b y) <= N) as Last.
  { intros y Hy. apply list_max_ge, in_map_iff. eauto. }
  apply (code_fib_sections m b s J enters g N (reach m c) loose used (tP c) (tI c) (tD c) (alone c)
    (left c) T (piped c) least (spill c)); auto; unfold T.
  - assert (In N (map (fun y => sec (get b y)) (keys b))) as D.
    { apply list_max_in. intros C. destruct (keys b); [destruct Hx|discriminate]. }
    apply in_map_iff in D as [y [Ey Hy]]. eauto.
  - intros u w v Hc. apply reach_same, Hc.
  - intros u w y i v. apply reach_cross with (b := b); [apply reach_ways, HR|apply shared_home].
  - intros w n. apply reach_sib_ok; [apply reach_ways, HR|apply shared_home|apply reach_closed, HR].
  - intros w n. apply iso_code_ok; assumption.
  - cbn. lia.
  - intros n w Hn Hw. rewrite !(proj2 (Nat.leb_le _ _)) by lia. rewrite before_next.
    pose proof (longest_ge b (fun w => closed m b c charge n w + left c n w) w Hw) as L.
    unfold closed in *. unfold charge in *. lia.
  - intros w Hw. rewrite (proj2 (Nat.leb_le N N)), (proj2 (Nat.leb_gt (S N) N)) by lia.
    pose proof (at_deepest m b c charge sections w HN Hw) as D. fold N in D.
    unfold closed at 1 in D. unfold bound, charge in *. lia.
  - intros q u l0 ji l1 El. assert (In ji (pipe b (piped c) q u)) as Hin
      by (rewrite El; apply in_or_app; right; left; reflexivity). destruct ji as [j i].
    destruct (in_pipe b (piped c) q u j i Hin) as [Hk [Hs _]]. pose proof (Last _ Hk).
    apply in_keys in Hk as [Hu _]. specialize (HQ u ltac:(apply in_seq; lia)).
    apply andb_prop in HQ as [HP _]. rewrite forallb_forall in HP.
    specialize (HP q ltac:(apply in_seq; unfold N in *; lia)). rewrite El in HP.
    apply (pipe_suffix b c q u l0 (j, i) l1 HP).
  - intros q u Hq.
    destruct (le_lt_dec (length b) u) as [C|C]; [left; intros j Hj; apply in_keys in Hj; lia|].
    specialize (HQ u ltac:(apply in_seq; lia)). apply andb_prop in HQ as [_ HL].
    rewrite forallb_forall in HL. apply left_ok, HL, in_seq. unfold N in *. lia.
Qed.

(** *** What is accepted bounds every execution of one thread block. *)
Theorem code_sib_shown_ok m b c least code sections bound : code_sib_shown m b c least code sections
  = Some bound ->
  forall s g, (forall w, group m w = g) -> valid m b s -> kept b s least ->
  forall x, In x (keys b) -> finish b s x <= rel s g 0 + bound.
Proof.
  intros H s g One V K.
  assert (wf m b) as W by (unfold code_sib_shown, sections_shown in H; wf_in H).
  apply (sections_shown_ok m b c least _ _ _ _ _ (none_loose m b (reach m c)
    (fun _ _ _ => false)) H s _ _ g One (valid_enough m b s W V) (valid_leaves m b s least V K)).
Qed.
