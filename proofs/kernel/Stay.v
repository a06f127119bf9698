(** * What bounds the stay of one thread block among others, and of one by itself *)

From Warpbound Require Import Base Cycles Model Elb Isolation Weights Bounds Largest Share Formulas.

(** What thread block [b] is by itself: the other warps are empty. *)
Definition only (m : machine) (b : nat) (p : block) : block :=
  map (fun w => if group m w =? b then nth w p [] else []) (seq 0 (length p)).

(** alpha: from any time of its stay on it takes at most [a] and what others initiate (lemma 3). *)
Definition stay_bound (m : machine) (p : block) (b a : nat) : Prop :=
  forall s t0 e x, valid m p s -> begin s b <= t0 -> (forall y, of m p b y -> C s y <= e) ->
  of m p b x ->
    C s x <= t0 + a + foreign p m s b t0 e.

(** solo: it takes at most [a] when it has a clean SM to itself. *)
Definition solo_bound (m : machine) (p : block) (b a : nat) : Prop :=
  forall s x, valid m (only m b p) s -> In x (keys (only m b p)) -> C s x <= begin s b + a.

(** What a thread block amounts to; [L] is a certificate of the SM's latency paths. *)
Record amounts (m : machine) (p : block) (b : nat) (k : kind) (L : key -> nat) : Prop := {
  a_work : sum (fun x => if group m (fst x) =? b then init (get p x) else 0) (keys p) <= kE k;
  a_lam : forall x, of m p b x -> L x + lat (get p x) <= kL k;
  a_stay : stay_bound m p b (kA k);
  a_solo : solo_bound m p b (kS k) }.

(** ** [only] *)

Lemma nth_only m b p w : nth w (only m b p) [] = if group m w =? b then nth w p [] else [].
Proof.
  unfold only. destruct (le_lt_dec (length p) w) as [L|L].
  - rewrite (nth_overflow p) by exact L.
    rewrite nth_overflow by (rewrite map_length, seq_length; exact L).
    destruct (_ =? _); reflexivity.
  - set (f := fun w => if group m w =? b then nth w p [] else []).
    rewrite (nth_indep _ [] (f 0)) by (rewrite map_length, seq_length; exact L).
    rewrite map_nth, seq_nth by exact L. reflexivity.
Qed.

Lemma get_only m b p w k : group m w = b -> get (only m b p) (w, k) = get p (w, k).
Proof. intros Hg. unfold get. cbn [fst snd]. rewrite nth_only, Hg, Nat.eqb_refl. reflexivity. Qed.

Lemma filter_flat {A B} (q : B -> bool) (f : A -> list B) l : filter q (flat_map f l)
  = flat_map (fun x => filter q (f x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn. rewrite filter_app, IH. reflexivity. Qed.

Lemma keys_filter m b p : keys (only m b p) = filter (fun x => group m (fst x) =? b) (keys p).
Proof.
  unfold keys. rewrite filter_flat. unfold only at 2. rewrite map_length, seq_length.
  apply flat_map_ext. intros w. unfold len. rewrite nth_only.
  rewrite (filter_const _ (group m w =? b)).
  - destruct (group m w =? b); reflexivity.
  - intros x Hx. apply in_map_iff in Hx as [k [<- _]]. reflexivity.
Qed.

Lemma keys_only m b p x : In x (keys (only m b p)) <-> of m p b x.
Proof. rewrite keys_filter, filter_In, Nat.eqb_eq. reflexivity. Qed.

Lemma get_of m b p x : of m p b x -> get (only m b p) x = get p x.
Proof. destruct x as [w k]. intros [_ H]. apply get_only, H. Qed.

(** A sum over the thread block's instructions. *)
Lemma sum_only m b p (f : key -> nat) :
  sum f (keys (only m b p)) = sum (fun x => if group m (fst x) =? b then f x else 0) (keys p).
Proof. rewrite keys_filter. apply sum_filter. Qed.

Lemma alone_only m b p : Bounds.alone (only m b p) m b.
Proof. intros x Hx. apply keys_only in Hx. apply Hx. Qed.

Lemma wf_only m b p : wf p -> wf (only m b p).
Proof.
  intros W w k H. pose proof (proj1 (keys_only m b p (w, k)) H) as [Hk Hg]. cbn in Hg.
  destruct (W w k Hk) as [W1 [W2 W3]]. rewrite (get_only m b p w k Hg). split; [|split].
  - intros [v j] Hy. apply keys_only in Hy as [Hy Gy]. rewrite (get_only m b p v j Gy).
    apply W1, Hy.
  - exact W2.
  - intros j Hj. rewrite (get_only m b p w j Hg). apply W3, Hj.
Qed.

Lemma cert_only m b p L : lam_cert m p L -> lam_cert m (only m b p) L.
Proof.
  intros HL w k H. pose proof (proj1 (keys_only m b p (w, k)) H) as [Hk Hg]. cbn in Hg.
  destruct (HL w k Hk) as [H1 [H2 H3]]. rewrite (get_only m b p w k Hg). split; [exact H1|]. split.
  - intros q Hq. rewrite (get_only m b p w q Hg). apply H2, Hq.
  - intros [v j] Hy Gy. apply keys_only in Hy as [Hy Gv]. rewrite (get_only m b p v j Gv).
    apply H3; assumption.
Qed.

Lemma cycles_cnt_active s t0 n y : active s t0 n y
  = sum (fun t => Nat.b2n ((t0 <=? t) && initiates s t y)) (seq 0 n).
Proof.
  unfold active. induction n as [|n IH]; [reflexivity|]. rewrite seq_S, sum_app, <- IH.
  cbn [cnt Nat.add]. unfold sum. cbn. destruct ((t0 <=? n) && initiates s n y); cbn; lia.
Qed.

(** *** alpha by lemma 1: E + lam, at every dispatch depth *)
Theorem stay_elb m p b L a c : machine_ok m -> wf p -> lam_cert m p L ->
  sum (fun x => if group m (fst x) =? b then init (get p x) else 0) (keys p) <= a ->
  (forall x, of m p b x -> L x + lat (get p x) <= c) -> stay_bound m p b (a + c).
Proof.
  intros M W HL HE Hc s t0 e x V Ht He Hx. destruct (le_lt_dec (C s x) t0) as [N|N]; [lia|].
  destruct Hx as [Hx Hg]. pose proof (idle_complete m p s M W V L HL x Hx) as Hi. rewrite Hg in Hi.
  specialize (Hc x (conj Hx Hg)). specialize (He x (conj Hx Hg)).
  pose proof (split_from p s t0 (C s x) ltac:(lia)) as S.
  assert (cnt (idle_from p s t0) (C s x) <= cnt (idle_from p s (begin s b)) (C s x)) as Id.
  { apply cnt_le. intros t _ P. unfold idle_from in *. apply andb_prop in P as [P ->].
    apply Nat.leb_le in P. rewrite (proj2 (Nat.leb_le _ _)) by lia. reflexivity. }
  assert (cnt (busy_from p s t0) (C s x) <= sum (active s t0 e) (keys p)) as Bu.
  { transitivity (sum (active s t0 (C s x)) (keys p)).
    - etransitivity; [|apply (cnt_exists (fun t y => (t0 <=? t) && initiates s t y))]. apply cnt_le.
      intros t _ P. apply andb_prop in P as [P1 P2]. apply existsb_exists in P2 as [y [Hy P2]].
      apply existsb_exists. exists y. rewrite P1, P2. auto.
    - apply sum_le. intros y _. apply cnt_mono, He. }
  assert (sum (active s t0 e) (keys p) <= a + foreign p m s b t0 e) as F; [|lia].
  etransitivity; [|apply Nat.add_le_mono_r, HE]. unfold foreign. rewrite <- sum_add. apply sum_le.
  intros y Hy. destruct (group m (fst y) =? b); [|lia]. pose proof (active_init m p s t0 e y V Hy).
  lia.
Qed.

(** *** alpha by lemma 3: SIB with the releases, at depth 0 and unlimited depth *)
Theorem stay_sib m p b iI iD : machine_ok m -> wf p -> iso_edges p m iI iD ->
  depth m = Some 0 \/ depth m = None -> stay_bound m p b (block_bound p m (sib_charge p m) iD b).
Proof.
  intros M W HI Hd s t0 e x V Ht He [Hx Hg].
  apply (window_sib m p s iI iD b M W V HI); auto.
  intros y Hy Gy. apply He. split; assumption.
Qed.

(** *** solo by theorem 2 (ELB) *)
Theorem solo_elb m p b L a c : machine_ok m -> wf p -> lam_cert m p L ->
  sum (fun x => if group m (fst x) =? b then init (get p x) else 0) (keys p) <= a ->
  (forall x, of m p b x -> L x + lat (get p x) <= c) -> solo_bound m p b (a + c).
Proof.
  intros M W HL HE Hc s x V Hx.
  pose proof (elb m _ s M (wf_only m b p W) V L (cert_only m b p L HL) x Hx) as H.
  rewrite (alone_only m b p x Hx) in H. unfold E in H. rewrite sum_only in H.
  assert (sum (fun x => if group m (fst x) =? b then init (get (only m b p) x) else 0) (keys p)
    <= a) as A.
  { etransitivity; [|exact HE]. apply sum_le. intros y Hy.
    destruct (Nat.eqb_spec (group m (fst y)) b) as [G|]; [|lia].
    rewrite (get_of m b p y (conj Hy G)). lia. }
  assert (top (only m b p) L <= c) as T; [|lia]. apply list_max_le_in. intros y Hy.
  apply in_map_iff in Hy as [z [<- Hz]]. apply keys_only in Hz. rewrite (get_of m b p z Hz).
  apply Hc, Hz.
Qed.

(** *** solo by theorem 1: SIB and FIB of the thread block by itself *)
Theorem solo_sib m p b iI iD : machine_ok m -> wf p -> iso_edges (only m b p) m iI iD ->
  solo_bound m p b (block_bound (only m b p) m (sib_charge (only m b p) m) iD b).
Proof.
  intros M W HI s x V Hx.
  apply (sib_charge_bound m _ s iI iD b M (wf_only m b p W) V HI); [apply alone_only|exact Hx].
Qed.

(** FIB bounds a thread block that has a clean SM to itself. *)
Theorem solo_fib m p b iI iD : machine_ok m -> wf p -> iso_edges (only m b p) m iI iD ->
  solo_bound m p b (block_bound (only m b p) m (fib_charge (only m b p) m) iD b).
Proof.
  intros M W HI s x V Hx.
  apply (fib_bound m _ s iI iD b M (wf_only m b p W) V HI); [apply alone_only|exact Hx].
Qed.
