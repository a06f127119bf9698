(** * What takes no time in a section: docs/proofs.md, section 2

    Instructions without a unit that wait, in their section, for nothing that takes time
    are executed when the section begins.  So a warp with iso_s(w) = 0 has no term in
    SIB, FIB, ALN and FIFO. *)

From Warpbound Require Import Base Cycles Model.

(** Of section [q] of warp [w], and closed under what the warp waits for in the section. *)
Definition timeless (b : block) (w q : nat) (z : nat -> Prop) : Prop :=
  forall k, z k -> In (w, k) (keys b) /\ sec (get b (w, k)) = q /\ init (get b (w, k)) = 0
    /\ (forall j, k = S j -> sec (get b (w, j)) = q -> z j)
    /\ (forall p, In p (ops (get b (w, k))) -> sec (get b (w, p)) = q -> z p /\
         lat (get b (w, p)) = 0).

(** *** Section 2: they are complete when the section may begin. *)
Theorem timeless_done m b s w q T z : wf b -> valid m b s -> timeless b w q z ->
  begin s (group m w) <= T ->
  (forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) < q -> C s y <= T) ->
  (forall y, In y (keys b) -> group m (fst y) = group m w -> sec (get b y) < q ->
     I s y + takes (get b y) + ar s (group m w) q <= T) ->
  forall k, z k -> D s (w, k) = I s (w, k) /\ I s (w, k) <= T.
Proof.
  intros W V Z Begun Old Rel k. induction k as [k IH] using lt_wf_ind. intros Zk.
  destruct (Z k Zk) as [Hk [Hq [Hi [Zj Zp]]]]. destruct (v_none _ _ _ V w k Hk Hi) as [HD NE].
  split; [exact HD|]. destruct (le_lt_dec (I s (w, k)) T) as [L|L]; [exact L|exfalso].
  destruct (W w k Hk) as [_ [Wp Ws]]. apply (NE T). split; [exact L|]. split; [exact Begun|].
  split; [|split].
  - intros j ->. pose proof (keys_before _ _ _ j Hk ltac:(lia)) as Hj. specialize (Ws j ltac:(lia)).
    destruct (Nat.eq_dec (sec (get b (w, j))) q) as [E|N].
    + destruct (Z j (Zj j eq_refl E)) as [_ [_ [Ij _]]].
      destruct (IH j ltac:(lia) (Zj j eq_refl E)). lia.
    + pose proof (Rel (w, j) Hj eq_refl ltac:(lia)). lia.
  - intros p Hp. specialize (Wp p Hp). specialize (Ws p Wp).
    pose proof (keys_before _ _ _ p Hk ltac:(lia)) as Kp.
    destruct (Nat.eq_dec (sec (get b (w, p))) q) as [E|N].
    + destruct (Zp p Hp E) as [Z' Lp]. destruct (Z p Z') as [_ [_ [Ip _]]]. destruct (IH p Wp Z').
      pose proof (v_init _ _ _ V _ Kp). pose proof (v_lat _ _ _ V _ Kp). unfold C. lia.
    + apply (Old (w, p) Kp eq_refl). lia.
  - intros y Hy Hg Hs. rewrite Hq in *. specialize (Rel y Hy Hg Hs). lia.
Qed.
