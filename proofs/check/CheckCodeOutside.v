(** * What certificates of machine code show with V beside them: theorem 7 of
    docs/machine-code-bounds.md *)

From Warpbound Require Import Base Cycles CodeMachine CodeElb CodeKept CodeOutside CodeBeside
  CheckCode CheckCodeSib CheckCodeFib CodeLoose.

(** *** What is accepted as code-elb bounds every execution whose rules hold outside of V, with the
    cycles of V before its end added. *)
Theorem code_elb_shown_outside m b c tP tI tD rows bound :
  code_elb_shown m b c tP tI tD rows = Some bound ->
  forall off n s, outside off m b s -> forall x, In x (keys b) -> cnt off (finish b s x) <= n ->
  finish b s x <= rel s (group m (fst x)) 0 + bound + n.
Proof.
  intros H off n s OK x Hx Few. assert (wf m b) as W by (unfold code_elb_shown in H; wf_in H).
  apply (real_time off n _ _ _ Few). rewrite <- drawn_finish.
  apply (code_elb_shown_enough _ _ _ _ _ _ _ _ H _ _ _ (outside_enough off m b s W OK) x Hx).
Qed.

(** *** And so of one thread block code-sib, *)
Theorem code_sib_shown_outside m b c least code sections bound :
  code_sib_shown m b c least code sections = Some bound ->
  forall off n s g, (forall w, group m w = g) -> outside off m b s -> kept b s least ->
  forall x, In x (keys b) -> cnt off (finish b s x) <= n -> finish b s x <= rel s g 0 + bound + n.
Proof.
  intros H off n s g One OK K.
  assert (wf m b) as W by (unfold code_sib_shown, sections_shown in H; wf_in H).
  apply (outside_ends off n m b s OK W g bound least); [|exact K].
  intros s' J enters E F. apply (sections_shown_ok m b c least _ _ _ _ _
    (none_loose m b (reach m c) (fun _ _ _ => false)) H s' J enters g One E F).
Qed.

(** *** code-fib, *)
Theorem code_fib_sections_shown_outside m b c loose spare least code sections bound :
  code_fib_sections_shown m b c loose spare least code sections = Some bound ->
  forall off n s g, (forall w, group m w = g) -> outside off m b s -> kept b s least ->
  forall x, In x (keys b) -> cnt off (finish b s x) <= n -> finish b s x <= rel s g 0 + bound + n.
Proof.
  intros H off n s g One OK K. pose proof (fib_sections_wf _ _ _ _ _ _ _ _ _ H) as W.
  apply (outside_ends off n m b s OK W g bound least); [|exact K].
  intros s' J enters E F.
  apply (code_fib_sections_shown_enough _ _ _ _ _ _ _ _ _ H s' J enters g One E F).
Qed.

(** *** and code-fib without barriers, for which nothing need be [kept]. *)
Theorem code_fib_shown_outside m b c spare code bound :
  code_fib_shown m b c spare code = Some bound ->
  forall off n s g, (forall w, group m w = g) -> outside off m b s ->
  forall x, In x (keys b) -> cnt off (finish b s x) <= n -> finish b s x <= rel s g 0 + bound + n.
Proof.
  intros H off n s g One OK x Hx Few.
  assert (wf m b) as W by (unfold code_fib_shown in H; wf_in H). apply (real_time off n _ _ _ Few).
  rewrite <- drawn_finish.
  apply (code_fib_shown_enough _ _ _ _ _ _ H _ _ _ g One (outside_enough off m b s W OK) x Hx).
Qed.
