(** * Two SMs and a memory that serves three requests of them, two cycles each *)

From Warpbound Require Import Base Cycles Waits.

(** SM 0 sends requests 0 and 2, SM 1 request 1. *)
Definition three : memory :=
  Memory [0; 1; 2] (fun r => r mod 2) (fun r => r / 2) (fun r => 2 * r) (fun _ => 2).

Lemma of_three r : In r (requests three) -> r = 0 \/ r = 1 \/ r = 2.
Proof. cbn. intuition. Qed.

Example three_works : works three 2 2 2.
Proof.
  constructor.
  - exact (seq_NoDup 3 0).
  - intros r Hr. apply of_three in Hr. intuition subst; cbn; lia.
  - cbn. lia.
  - intros r Hr. apply of_three in Hr. intuition subst; cbn; lia.
  - intros r q Hr Hq N. apply of_three in Hr, Hq. unfold done. cbn. lia.
  - intros r t Hr Ht. apply of_three in Hr. unfold done.
    destruct Hr as [-> |[-> | -> ]]; cbn in Ht; [lia|exists 0; split; [cbn; auto|cbn; lia]|].
    destruct (le_lt_dec 2 t); [exists 1|exists 0]; (split; [cbn; auto|cbn; lia]).
  - intros i t Hi. cbn [requests three filter].
    destruct i as [|[|i]]; [| |lia]; cbn [from_sm three Nat.modulo Nat.divmod fst snd Nat.sub
      Nat.eqb andb];
      repeat match goal with |- context [pending ?y ?t ?r] => destruct (pending y t r) end;
        cbn; lia.
Qed.

Example three_in_turns : in_turns three /\ first_come three.
Proof.
  split; [split|].
  - intros r q Hr Hq _ H. apply of_three in Hr, Hq. intuition subst; cbn in *; lia.
  - intros r q f Hr Hq Hf E N L C S. apply of_three in Hr, Hq, Hf. exfalso.
    intuition subst; cbn in *; lia.
  - intros r q Hr Hq H. apply of_three in Hr, Hq. intuition subst; cbn in *; lia.
Qed.

(** Request 2 comes at 1 and is served at 6; theorem 8 says 9. *)
Example last_served : done three 2 = 6 /\ done three 2 <= comes three 2 + 2 * 2 * 2.
Proof.
  split; [reflexivity|].
  apply (in_turns_wait three 2 2 2 three_works 2); [cbn; auto|apply three_in_turns].
Qed.
