(** * A checker of certificates of machine code: what the code is, and code-elb

    Tables come from whoever wrote the certificate.  What this accepts is so:
    docs/machine-code-bounds.md, theorem 3. *)

From Warpbound Require Import Base Cycles Largest CodeMachine CodeEnough CodeElb.

(** ** All instructions, and all steps from a stage to the next *)

(** Every instruction satisfies [p]. *)
Definition each (b : block) (p : key -> bool) : bool := forallb p (keys b).
(** Every stage of [x] satisfies [p]. *)
Definition each_stage (b : block) (x : key) (p : nat -> bool) : bool :=
  forallb p (seq 0 (stages b x)).
(** Every pair of following stages satisfies [p]. *)
Definition each_link (b : block) (p : key -> nat -> bool) : bool :=
  each b (fun x => forallb (p x) (seq 0 (stages b x - 1))).

Lemma each_ok b p : each b p = true -> forall x, In x (keys b) -> p x = true.
Proof. unfold each. rewrite forallb_forall. auto. Qed.

Lemma each_stage_ok b x p : each_stage b x p = true -> forall i, i < stages b x -> p i = true.
Proof. unfold each_stage. rewrite forallb_forall. intros H i Hi. apply H, in_seq. lia. Qed.

Lemma each_link_ok b p : each_link b p = true -> forall x i, In x (keys b) -> S i < stages b x ->
  p x i = true.
Proof.
  intros H x i Hx Hi. pose proof (each_ok _ _ H x Hx) as A. cbv beta in A.
  rewrite forallb_forall in A. apply A, in_seq. lia.
Qed.

(** Unit [u] has a queue of finite length. *)
Definition finite (m : machine) (u : nat) : bool := match queue m u with Some _ => true | None =>
  false end.

Lemma finite_iff m u : finite m u = true <-> queue m u <> None.
Proof. unfold finite. destruct (queue m u); split; congruence. Qed.

Lemma back_link m b u v : back m b u v ->
  exists x i, In x (keys b) /\ S i < stages b x /\ unit (st b x i) = u /\ unit (st b x (S i)) = v /\
  finite m v = true.
Proof.
  intros [Q [x [i [[Hx [_ Hu]] [_ [Hi Hv]]]]]]. exists x, i. repeat (split; [assumption|]).
  apply finite_iff, Q.
Qed.

(** Two pairs are equal, or not. *)
Definition pair_dec (a c : nat * nat) : {a = c} + {a <> c}.
Proof. decide equality; apply Nat.eq_dec. Defined.

(** ** What the code is: [wf]

    By kind: units that ways come to differently, and the kinds before each other one on every way
    to it; the unit of a kind that a sub-core has. *)
Record ways := Ways { meets : nat -> bool; passed : nat -> list nat; one : nat -> nat -> nat }.

(** Two lists are equal. *)
Definition same_list (l k : list nat) : bool := if list_eq_dec Nat.eq_dec l k then true else false.
(** The kinds of the units on the way of [x]. *)
Definition way_kinds (m : machine) (b : block) (x : key) : list nat :=
  map (fun s => kind m (unit s)) (way (get b x)).

(** Stage [i] of [x] is as the certificate's ways say. *)
Definition way_stage_b (m : machine) (b : block) (c : ways) (x : key) (i : nat) : bool :=
  let u := unit (st b x i) in let k := kind m u in
  (u =? one c (core m (fst x)) k)
  && (if clash m u then meets c k else negb (meets c k)
    && same_list (firstn i (way_kinds m b x)) (passed c k)).

(** Instruction [x] is well-formed. *)
Definition code_inst_b (m : machine) (b : block) (c : ways) (x : key) : bool :=
  (1 <=? slot (get b x)) && forallb (fun s => 1 <=? hold s) (way (get b x))
    && each_stage b x (way_stage_b m b c x) && match x with
     | (w, 0) => sec (get b x) =? 0
     | (w, S k) => sec (get b x) =? sec (get b (w, k)) + if bar (get b (w, k)) then 1 else 0
     end.

(** Stages [i] and [i + 1] of [x] are well-formed. *)
Definition code_link_b (m : machine) (b : block) (x : key) (i : nat) : bool :=
  if finite m (unit (st b x (S i)))
  then (transfer (st b x i) =? 0) && (if clash m (unit (st b x i)) then clash m
    (unit (st b x (S i))) else true)
  else true.

(** Links: pairs of units of which the second one can keep the first one full; each pair once. *)
Definition pairs (m : machine) (b : block) (x : key) : list (nat * nat) :=
  filter (fun uv => finite m (snd uv)) (map (fun i => (unit (st b x i), unit (st b x (S i))))
    (seq 0 (stages b x - 1))).
Definition links (m : machine) (b : block) : list (nat * nat) :=
  nodup pair_dec (flat_map (pairs m b) (keys b)).

Lemma back_in_links m b u v : back m b u v -> In (u, v) (links m b).
Proof.
  intros HB. destruct (back_link _ _ _ _ HB) as [x [i [Hx [Hi [<- [<- F]]]]]].
  apply nodup_In, in_flat_map. exists x. split; [exact Hx|]. apply filter_In. split; [|exact F].
  apply in_map_iff. exists i. split; [reflexivity|]. apply in_seq. lia.
Qed.

(** Without those that lead to where no other one begins; again and again none is left. *)
Definition prune (l : list (nat * nat)) : list (nat * nat) :=
  filter (fun a => existsb (fun c => fst c =? snd a) l) l.
Definition acyclic_b (m : machine) (b : block) : bool :=
  match Nat.iter (length (links m b)) prune (links m b) with [] => true | _ => false end.

Lemma acyclic_ok m b u v : acyclic_b m b = true -> back m b u v -> ~ B m b v u.
Proof.
  intros H HB Hvu.
  assert (forall n x y, back m b x y -> B m b y x -> In (x, y) (Nat.iter n prune (links m b))) as C.
  { induction n as [|n IH]; intros x y Hb Hy; [apply back_in_links, Hb|]. cbn [Nat.iter nat_rect].
    apply filter_In. split; [apply IH; assumption|]. apply existsb_exists.
    inversion Hy as [|? z ? Hz Hzx]; subst.
    - exists (x, x). split; [apply IH; assumption|apply Nat.eqb_refl].
    - exists (y, z). split; [apply IH; [exact Hz|apply (back_behind m b z x); assumption]|].
      apply Nat.eqb_refl. }
  unfold acyclic_b in H. pose proof (C (length (links m b)) u v HB Hvu) as F.
  destruct (Nat.iter _ _ _); [destruct F|discriminate].
Qed.

(** The block is well-formed. *)
Definition code_wf_b (m : machine) (b : block) (c : ways) : bool :=
  each b (code_inst_b m b c) && each_link b (code_link_b m b) && acyclic_b m b.

Lemma way_stage m b c x i u : code_inst_b m b c x = true -> at_stage b x i u ->
  u = one c (core m (fst x)) (kind m u)
  /\ (if clash m u then meets c (kind m u) = true
      else meets c (kind m u) = false /\ firstn i (way_kinds m b x) = passed c (kind m u)).
Proof.
  unfold code_inst_b. rewrite !andb_true_iff. intros [[_ H] _] [_ [Hi Hu]].
  pose proof (each_stage_ok _ _ _ H i Hi) as A. unfold way_stage_b in A. cbv zeta in A.
  rewrite Hu in A. apply andb_prop in A as [A1 A2]. apply Nat.eqb_eq in A1. split; [exact A1|].
  destruct (clash m u); [exact A2|]. apply andb_prop in A2 as [A2 A3]. apply negb_true_iff in A2.
  split; [exact A2|]. unfold same_list in A3.
  destruct (list_eq_dec Nat.eq_dec _ _) as [E|]; [exact E|discriminate].
Qed.

Lemma way_kind m b x n i : n < i -> i < stages b x ->
  kind m (unit (st b x n)) = nth n (firstn i (way_kinds m b x)) (kind m (unit (Stage 0 0 0))).
Proof.
  intros Hn Hi. unfold st. rewrite <- (map_nth (fun s => kind m (unit s))). fold (way_kinds m b x).
  rewrite <- (firstn_skipn i (way_kinds m b x)) at 1. apply app_nth1.
  unfold way_kinds. rewrite firstn_length, map_length. unfold stages in Hi. lia.
Qed.

Lemma way_length m b x i : i < stages b x -> length (firstn i (way_kinds m b x)) = i.
Proof.
  intros Hi. unfold way_kinds. rewrite firstn_length, map_length. unfold stages in Hi. lia.
Qed.

Theorem code_wf_ok m b c : code_wf_b m b c = true -> wf m b.
Proof.
  unfold code_wf_b. rewrite !andb_true_iff. intros [[HI HL] HA]. pose proof (each_ok _ _ HI) as I1.
  pose proof (each_link_ok _ _ HL) as L1. clear HI HL. split.
  - intros x Hx. specialize (I1 x Hx). unfold code_inst_b in I1.
    rewrite !andb_true_iff, Nat.leb_le in I1. tauto.
  - intros x i Hx Hi. specialize (I1 x Hx). unfold code_inst_b in I1. rewrite !andb_true_iff in I1.
    destruct I1 as [[[_ H] _] _]. rewrite forallb_forall in H.
    apply Nat.leb_le, (H (st b x i)), nth_In, Hi.
  - intros x y i j u v Hx Hy E HC.
    pose proof (way_stage _ _ _ _ _ _ (I1 _ (at_key _ _ _ _ Hx)) Hx) as [E1 _].
    pose proof (way_stage _ _ _ _ _ _ (I1 _ (at_key _ _ _ _ Hy)) Hy) as [E2 _].
    rewrite E1, E2, E, HC. reflexivity.
  - intros x y i j u v Hx Hy E C.
    pose proof (way_stage _ _ _ _ _ _ (I1 _ (at_key _ _ _ _ Hx)) Hx) as [_ E1].
    pose proof (way_stage _ _ _ _ _ _ (I1 _ (at_key _ _ _ _ Hy)) Hy) as [_ E2]. rewrite C in E1.
    rewrite <- E in E2. destruct E1 as [M E1]. destruct (clash m v); [congruence|].
    destruct E2 as [_ E2]. assert (i < stages b x) as Li by apply Hx.
    assert (j < stages b y) as Lj by apply Hy. assert (i = j) as <-.
    { rewrite <- (way_length m b x i Li), <- (way_length m b y j Lj), E1, E2. reflexivity. }
    split; [reflexivity|]. intros n Hn.
    rewrite (way_kind m b x n i Hn Li), (way_kind m b y n i Hn Lj), E1, E2. reflexivity.
  - intros u v HB C. destruct (back_link _ _ _ _ HB) as [x [i [Hx [Hi [<- [<- F]]]]]].
    specialize (L1 x i Hx Hi). unfold code_link_b in L1. rewrite F, C in L1. apply andb_prop in L1.
    apply L1.
  - intros u v. apply acyclic_ok, HA.
  - intros x i v [Hx [Hi Hv]] Q. specialize (L1 x i Hx Hi). unfold code_link_b in L1.
    rewrite (proj2 (finite_iff m _)) in L1 by congruence. apply andb_prop in L1 as [L1 _].
    apply Nat.eqb_eq, L1.
  - intros w Hw. specialize (I1 _ Hw). unfold code_inst_b in I1. apply andb_prop in I1 as [_ I1].
    apply Nat.eqb_eq, I1.
  - intros w k Hw. specialize (I1 _ Hw). unfold code_inst_b in I1. apply andb_prop in I1 as [_ I1].
    apply Nat.eqb_eq, I1.
Qed.

(** What shows anything has found the block well-formed. *)
Ltac wf_in H := destruct (code_wf_b _ _ _) eqn:W in H; [eapply code_wf_ok, W|discriminate H].

(** ** code-elb

    [rows]: of each section the time from its release until all is over that was begun in it, in
    latencies. *)
Definition opened (m : machine) (rows : list nat) (q : nat) : nat :=
  sum (fun p => nth p rows 0 + release m) (seq 0 q).

(** The edges of latency paths to [x] hold. *)
Definition lam_inst_b (m : machine) (b : block) (tP tI : key -> nat) (tD : key -> nat -> nat)
  (rows : list nat) (x : key) : bool :=
  let (w, k) := x in let i := get b x in
  match k with
  | 0 => fetch i <=? tP x
  | S j => tI (w, j) + (max (stall (get b (w, j))) (fetch i) - chold b (w, j)) <=? tP x
  end
  && forallb (fun cn => forallb (fun j => lE b tI tD (w, fst j) + latency b w j <=? tP x)
                                (awaited b w k (fst cn) (snd cn))) (waits i)
  && (opened m rows (sec i) <=? tP x) && (tP x + operand i <=? tI x)
  && (if 1 <=? stages b x then tI x <=? tD x 0 else true)
  && forallb (fun s => tD x s + transfer (st b x s) <=? tD x (S s)) (seq 0 (stages b x - 1))
  && each_stage b x (fun s => clash m (unit (st b x s)) || forallb (fun o =>
       if (s <? stages b (w, o)) && (unit (st b (w, o) s) =? unit (st b x s)) then tD (w, o) s
         <=? tD x s else true) (seq 0 k)) && (tI x + release m <=? opened m rows (S (sec i)))
  && (if bar i then lE b tI tD x + release m <=? opened m rows (S (sec i)) else true).

Lemma opened_next m rows q : opened m rows (S q) = opened m rows q + (nth q rows 0 + release m).
Proof. unfold opened. rewrite seq_S, sum_app, sum_cons. change (sum ?f []) with 0. simpl. lia. Qed.

Lemma opened_grows m rows q p : q <= p -> opened m rows q <= opened m rows p.
Proof. induction 1 as [|p H IH]; [apply le_n|]. rewrite opened_next. lia. Qed.

Lemma lam_code_ok m b tP tI tD rows : each b (lam_inst_b m b tP tI tD rows) = true ->
  lam_cert m b tP tI tD (fun _ => opened m rows).
Proof.
  intros H. pose proof (each_ok _ _ H) as A. clear H.
  assert (forall w k, In (w, k) (keys b) -> lam_inst_b m b tP tI tD rows (w, k) = true) as C
    by (intros; apply A; assumption). unfold lam_inst_b in C. split.
  - intros w k Hk. specialize (C _ _ Hk). rewrite !andb_true_iff in C. apply Nat.leb_le. tauto.
  - intros w Hk. specialize (C _ _ Hk). rewrite !andb_true_iff in C. apply Nat.leb_le. tauto.
  - intros w k c n j Hk Hc Hj. specialize (C _ _ Hk). rewrite !andb_true_iff in C.
    destruct C as [[[[[[[[_ C] _] _] _] _] _] _] _]. rewrite forallb_forall in C.
    specialize (C _ Hc). rewrite forallb_forall in C. apply Nat.leb_le, (C _ Hj).
  - intros [w k] Hk. specialize (C _ _ Hk). rewrite !andb_true_iff in C. apply Nat.leb_le. tauto.
  - intros [w k] Hk. specialize (C _ _ Hk). rewrite !andb_true_iff in C. apply Nat.leb_le. tauto.
  - intros [w k] Hk Hs. specialize (C _ _ Hk).
    rewrite !andb_true_iff, (proj2 (Nat.leb_le _ _) Hs) in C. apply Nat.leb_le. tauto.
  - intros [w k] i Hk Hi. specialize (C _ _ Hk). rewrite !andb_true_iff in C.
    destruct C as [[[[_ C] _] _] _]. rewrite forallb_forall in C. apply Nat.leb_le, (C i), in_seq.
    lia.
  - intros w o k i u [_ [Ho Hu]] [Hk [Hi Hu']] Hlt Hc. specialize (C _ _ Hk).
    rewrite !andb_true_iff in C. destruct C as [[[_ C] _] _].
    pose proof (each_stage_ok _ _ _ C i Hi) as D. cbv beta in D. rewrite Hu', Hc in D.
    cbn [orb] in D. rewrite forallb_forall in D. specialize (D o ltac:(apply in_seq; lia)).
    rewrite (proj2 (Nat.ltb_lt _ _) Ho), Hu, Nat.eqb_refl in D. apply Nat.leb_le, D.
  - intros _ q. rewrite opened_next. lia.
  - intros [w k] Hk q Hq. specialize (C _ _ Hk). rewrite !andb_true_iff in C.
    destruct C as [[_ C1] C2].
    pose proof (opened_grows m rows (S (sec (get b (w, k)))) (S q) ltac:(lia)) as G.
    apply Nat.leb_le in C1. split; [lia|]. intros HB. rewrite HB in C2. apply Nat.leb_le in C2. lia.
Qed.

(** *lam* as the program has it: the largest of each section, one behind the other. *)
Definition row_sum (m : machine) (rows : list nat) : nat := opened m rows (length rows - 1)
  + nth (length rows - 1) rows 0.

(** What is shown, if the tables are right. *)
Definition code_elb_shown (m : machine) (b : block) (c : ways)
    (tP tI : key -> nat) (tD : key -> nat -> nat) (rows : list nat) : option nat :=
  if code_wf_b m b c && each b (lam_inst_b m b tP tI tD rows) && (lam b tI tD <=? row_sum m rows)
  then Some (total b + row_sum m rows) else None.

(** What is accepted bounds all that keeps enough of the rules, counted from the start of an
    instruction's thread block, *)
Lemma code_elb_shown_enough m b c tP tI tD rows bound : code_elb_shown m b c tP tI tD rows
  = Some bound ->
  forall s J enters, enough m b s J enters -> forall x, In x (keys b) ->
  finish b s x <= rel s (group m (fst x)) 0 + bound.
Proof.
  unfold code_elb_shown. destruct (_ && _) eqn:E; [|discriminate]. intros H s J enters V x Hx.
  injection H as <-. apply andb_prop in E as [E R]. apply andb_prop in E as [W L].
  apply code_wf_ok in W. apply lam_code_ok in L. apply Nat.leb_le in R.
  pose proof (code_elb m b s W V _ _ _ _ L x Hx). lia.
Qed.

(** *** and so every execution. *)
Theorem code_elb_shown_ok m b c tP tI tD rows bound : code_elb_shown m b c tP tI tD rows
  = Some bound ->
  forall s, valid m b s -> forall x, In x (keys b) ->
  finish b s x <= rel s (group m (fst x)) 0 + bound.
Proof.
  intros H s V. assert (wf m b) as W by (unfold code_elb_shown in H; wf_in H).
  apply (code_elb_shown_enough _ _ _ _ _ _ _ _ H s _ _ (valid_enough m b s W V)).
Qed.
