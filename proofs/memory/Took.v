(** * Lemma 1 where instructions take longer than stated, in cycles that do not count *)

From Coq Require Import List Arith Lia Bool.
From Warpbound Require Import Cycles Model Elb Grid.
Import ListNotations.

Section Took.
  Variables (G : grid) (X : execution).
  Variable took : nat -> block.           (* what instructions of each SM took *)
  Variable skip : nat -> nat -> bool.     (* SM, cycle: it does not count *)
  (** The rules hold with the times that instructions took. *)
  Hypothesis V :
    grid_valid (Grid (blocks G) (sms G) (slots G) (latency G) (service G) (mach G) took) X.
  (** It is the same program. *)
  Hypothesis Shape : forall i x, i < sms G -> keys (took i) = keys (prog G i)
    /\ (In x (keys (prog G i)) -> ops (get (took i) x) = ops (get (prog G i) x) /\
         sec (get (took i) x) = sec (get (prog G i) x)).
  (** Of the cycles that count, latencies take no more than stated. *)
  Hypothesis Slow : forall i x, i < sms G -> In x (keys (prog G i)) -> let s := sched X i in
    al s x + cnt (skip i) (D s x + ai s x) <= lat (get (prog G i) x) + cnt (skip i) (C s x).
  Hypothesis Mok : forall i, i < sms G -> machine_ok (mach G i) /\ wf (took i).
  (** [Lb]: lam of each thread block, by its latency paths [L]. *)
  Variables (Lb : nat -> nat) (L : nat -> key -> nat).
  Hypothesis Lat : forall b x, b < blocks G -> In x (keys (prog G (sm_of X b))) ->
    whose G (sm_of X b) x = b ->
    L (sm_of X b) x + lat (get (prog G (sm_of X b)) x) <= Lb b.
  Hypothesis HL : forall i, i < sms G -> lam_cert (mach G i) (prog G i) (L i).

  Theorem took_idle b : b < blocks G -> let i := sm_of X b in
    cnt (fun t => (started X b <=? t) && (idle (took i) (sched X i) t && negb (skip i t)))
      (ended X b) <= Lb b.
  Proof.
    intros Hb i. pose proof (proj1 (g_place _ _ V b Hb)) as Hi. change (i < sms G) in Hi.
    assert (keys (took i) = keys (prog G i)) as K by apply (Shape i (0, 0) Hi).
    destruct (g_end _ _ V b Hb) as [_ [He|[x [Hx [Hg He]]]]].
    { rewrite cnt_none; [lia|]. intros t Ht. rewrite He in Ht.
      rewrite (proj2 (Nat.leb_gt _ _) Ht). reflexivity. }
    change (In x (keys (took i))) in Hx. change (whose G i x = b) in Hg.
    change (ended X b = C (sched X i) x) in He. pose proof Hx as Hp. rewrite K in Hp.
    pose proof (g_machine _ _ V i Hi) as Vi. cbn in Vi.
    pose proof (counted_complete (skip i) (mach G i) (took i) (sched X i) (proj1 (Mok i Hi))
      (proj2 (Mok i Hi)) (valid_but (skip i) _ _ _ Vi) (fun x => lat (get (prog G i) x))) as A.
    assert (forall z, In z (keys (took i)) -> al (sched X i) z + cnt (skip i) (D (sched X i) z
      + ai (sched X i) z) <= lat (get (prog G i) z) + cnt (skip i) (C (sched X i) z)) as Sl
      by (intros z Hz; apply (Slow i z Hi); rewrite <- K; exact Hz).
    specialize (A Sl (L i)). specialize (fun Q => A Q x Hx). unfold whose in Hg. rewrite Hg in A.
    rewrite He. etransitivity; [|etransitivity; [apply A|apply (Lat b x Hb Hp Hg)]].
    - apply cnt_le. intros t _ P. rewrite <- andb_assoc. exact P.
    - intros w k Hk. rewrite K in Hk. destruct (HL i Hi w k Hk) as [C1 [C2 C3]].
      destruct (proj2 (Shape i (w, k) Hi) Hk) as [S1 S2]. rewrite S1, S2. split; [exact C1|].
      split; [exact C2|]. intros z Hz Gz Sz. rewrite K in Hz.
      rewrite (proj2 (proj2 (Shape i z Hi) Hz)) in Sz. apply C3; assumption.
  Qed.
End Took.
