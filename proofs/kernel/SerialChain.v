(** * K-SERIAL whole (docs/sub-core-bounds.md, theorem 5): y is the least of S'_R, S_R and V^R *)

From Warpbound Require Import Base Cycles Largest Formulas ChainFormulas Model Elb Ledger Tail OneSm
  Dynamic Area ChainSm Grid Stay GridLedger Serial SerialLedger SerialGrid.

(** Behind the last dispatch, by theorem 6. *)
Lemma chain_behind r M R delta ck : ledger r M R delta (fun b => ChainFormulas.plain (ck b)) ->
  chains r M R delta ck ->
  forall z b, (forall c, c < count r -> disp r c <= disp r z) -> b < count r ->
  cycles (fin r b) (behind r (disp r z) b) <= delta + chain_together R (map ck (all r)).
Proof.
  intros Lg Ch z b Lz Hb. pose proof (l_sm _ _ _ _ _ Lg b Hb) as Hi.
  pose proof (l_room _ _ _ _ _ Lg b Hb). pose proof (chain_tail r M R delta ck Lg Ch (sm r b) Hi
    (all r) (on_sm_all r (sm r b)) ltac:(apply seq_NoDup) (disp r z) b R ltac:(apply in_on_sm; auto)
    ltac:(intros c Hc; apply Lz; apply in_on_sm in Hc; tauto) ltac:(lia) (or_introl (le_n _))) as T.
  pose proof (delay_le r delta b). lia.
Qed.

(** *** Theorem 5 (K-SERIAL), dynamic dispatch.  What is needed for S_R is that of theorem 5 of
    docs/proofs.md (Kernel.v), what is needed for S'_R is given by ChainGrid.v:grid_chains. *)
Theorem k_serial_chain_bound G X home cs L last Q V kd P ck b :
  (forall i, i < sms G -> machine_ok (mach G i) /\ wf (prog G i)) -> grid_valid G X ->
  (forall i, i < sms G -> serial_sm (mach G i) (prog G i) (home i) (cs i) (L i)) ->
  (forall c, c < blocks G -> let i := sm_of X c in
     serial_amount (mach G i) (prog G i) (home i) (cs i) (L i) c (last c) (Q c) (V c)) ->
  goes_anywhere G X -> (blocks G <= sms G * slots G -> dealt G X) ->
  (forall i, i < sms G -> lam_cert (mach G i) (prog G i) (P i)) -> amounts_of G X kd P ->
  ledger (run_of G X) (sms G) (slots G) (latency G) (fun c => ChainFormulas.plain (ck c)) ->
  chains (run_of G X) (sms G) (slots G) (latency G) ck ->
  b < blocks G ->
  let all := seq 0 (blocks G) in
  let tail := min (chain_together (slots G) (map ck all))
    (min (together (slots G) (map kd all)) (largest (slots G) (map V all))) in
  ended X b <= k_serial (sms G) (slots G) (latency G) tail (map V all) + service G * blocks G.
Proof.
  intros Mok Ok Sm Am Dyn HD HP HA Lc Ch Hb. cbv zeta.
  apply (k_serial_by_tails G X Mok Ok home cs L last Q V Sm Am Dyn _ b HD); [|exact Hb].
  intros Wv z c Hz Lz Hc. pose proof (chain_behind _ _ _ _ ck Lc Ch z c Lz Hc) as H1.
  pose proof (behind_together _ _ _ _ _ (grid_ledger G X kd P Mok Ok HP HA) z c Lz Hc) as H2.
  pose proof (tail_serial _ _ _ _ _ V (plain_ledger G X Mok Ok)
    (grid_serial G X Mok Ok home cs L last Q V Sm Am) Wv z c Lz Hc) as H3. cbn [count run_of] in *.
  unfold all in *. cbn [count run_of] in *. lia.
Qed.
