(** * A checker of the policy oldest first (kernel/Oldest.v) *)

From Warpbound Require Import Base Cycles Model Oldest Checks.

Section CheckOldest.
  Variables (m : machine) (p : block) (s : schedule) (age : nat -> nat).

  (** In cycle [t] no younger warp takes the slots or the unit of [k]. *)
  Definition served_b (w k t : nat) : bool :=
    let f := fu (get p (w, k)) in
    (width m <=? count p (fun x => (core m (fst x) =? core m w)
      && ((I s x =? t) && (1 <=? init (get p x))) && no_younger m age (group m w) x))
    || (inst m f <=? count p (fun x => on p f x && initiates s t x
         && ((I s x <? t) || no_younger m age (group m w) x))).

  (** The schedule issues the oldest first. *)
  Definition oldest_first_b : bool := all (fun x : key => let (w, k) := x in
    let r := ready m p s w k in all (served_b w k) (seq r (I s (w, k) - r))) (keys p).

  (** The checker accepts only schedules that issue the oldest first. *)
  Theorem oldest_first_ok : oldest_first_b = true -> oldest_first m p s age.
  Proof.
    intros H w k t Hk El. apply ready_eligible in El. pose proof (all_ok _ _ H (w, k) Hk) as A.
    cbv zeta in A. specialize (all_ok _ _ A t ltac:(apply in_seq; lia)) as B. unfold served_b in B.
    apply orb_prop in B as [B|B]; apply Nat.leb_le in B; auto.
  Qed.
End CheckOldest.
