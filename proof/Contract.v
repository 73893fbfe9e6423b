(** * The contract of Merge, and why "draw, then decide" keeps half of it.

    The contract is [equivariant], [partitions] and [keeps] of Model.v. The program draws an
    order of the parts, and everything that follows is a function of the list in that order:
    it sorts the list, where equal bags stay in the drawn order, and groups the places.
    Here is proved that every rule of this form is equivariant, whatever the function. That
    the program has this form, and that its groups partition and keep, is tested over all
    small lists (TestContract in equivclass/merge, against the tables of Table.v). *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Anond Require Import Model.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Contract.
Variables (R : realFieldType) (X : finType) (C : eqType) (m : nat).
Implicit Types (b : {ffun 'I_m -> bag X}) (Q : {set {set 'I_m}}) (s p : {perm 'I_m}).

(** [f] groups the places of a list. [drawn s f b]: part [s i] stands at place i; the groups of
    places are groups of parts. *)
Definition drawn s (f : {ffun 'I_m -> bag X} -> {set {set 'I_m}}) b : {set {set 'I_m}} :=
  [set s @: N | N : {set 'I_m} in f [ffun i => b (s i)]].

(** Its law if each of the m! orders has the same probability. What else comes to light may be
    any function [e] of the list in the drawn order: so may the time it takes, if the work
    sees nothing else. *)
Definition uniform_law f (e : {ffun 'I_m -> bag X} -> C) : mergelaw R X C m := fun b Q c =>
  #|[set s : {perm 'I_m} | (drawn s f b == Q) && (e [ffun i => b (s i)] == c)]|%:R / (m`!)%:R.

Lemma preim_imset p (A : {set 'I_m}) : p @^-1: (p @: A) = A.
Proof. by apply/setP=> i; rewrite inE mem_imset //; apply: perm_inj. Qed.

Lemma imset_preim p (A : {set 'I_m}) : p @: (p @^-1: A) = A.
Proof.
apply/setP=> i; apply/imsetP/idP => [[j]|iA]; first by rewrite inE => pA ->.
by exists (p^-1%g i); rewrite ?inE permKV.
Qed.

Lemma drawn_list s p b : [ffun i => [ffun j => b (p j)] (s i)] = [ffun i => b ((s * p)%g i)].
Proof. by apply/ffunP=> i; rewrite !ffunE permM. Qed.

(** Renaming the parts and drawing s is drawing s * p and renaming the result. *)
Lemma drawn_rename s p f b :
  drawn s f [ffun i => b (p i)] = [set p @^-1: N | N : {set 'I_m} in drawn (s * p)%g f b].
Proof.
rewrite /drawn drawn_list.
rewrite -imset_comp; apply: eq_imset => N /=.
have -> : (s * p)%g @: N = p @: (s @: N) by rewrite -imset_comp; apply: eq_imset => i; rewrite /= permM.
by rewrite preim_imset.
Qed.

(** Whatever the function is, its law under a uniform order is equivariant. *)
Theorem drawn_equivariant f e : equivariant (uniform_law f e).
Proof.
move=> p b Q c; rewrite /uniform_law; congr (_%:R / _).
have inj : injective (fun Q : {set {set 'I_m}} => [set p @^-1: N | N : {set 'I_m} in Q]).
  apply: (can_inj (g := fun Q : {set {set 'I_m}} => [set p @: N | N : {set 'I_m} in Q])) => Q'.
  by rewrite -imset_comp -[RHS]imset_id; apply: eq_imset => N; rewrite /= imset_preim.
have mulinj : injective (fun s : {perm 'I_m} => (s * p)%g) by apply: mulIg.
rewrite -[RHS](card_preimset (f := fun s : {perm 'I_m} => (s * p)%g)) //.
apply: eq_card => s; rewrite !inE drawn_rename drawn_list; congr (_ && _).
by apply/eqP/eqP => [/inj //|->].
Qed.

(** If the groups of places partition, those of parts do. *)
Theorem drawn_partitions f : (forall l : {ffun 'I_m -> bag X}, partition (f l) [set: 'I_m]) -> forall e, partitions (uniform_law f e).
Proof.
move=> part e b Q c; rewrite mulf_eq0 negb_or pnatr_eq0 cards_eq0 => /andP[/set0Pn [s]].
rewrite inE => /andP[/eqP <- _] _; have /and3P [/eqP cov triv n0] := part [ffun i => b (s i)].
have sinj : injective (fun N : {set 'I_m} => s @: N) by apply/imset_inj/perm_inj.
apply/and3P; split.
- apply/eqP/setP=> i; rewrite inE; apply/bigcupP.
  have : (s^-1%g i) \in cover (f [ffun i => b (s i)]) by rewrite cov inE.
  case/bigcupP=> N NQ iN; exists (s @: N); first exact: imset_f.
  by apply/imsetP; exists (s^-1%g i); rewrite ?permKV.
- apply/trivIsetP => _ _ /imsetP [A AQ ->] /imsetP [B BQ ->] ne.
  have AB : [disjoint A & B] by apply: (trivIsetP triv) => //; apply: contraNneq ne => ->.
  by rewrite -setI_eq0 -imsetI ?imset_eq0 ?setI_eq0 // => x y _ _; apply: perm_inj.
- apply/imsetP=> -[A AQ /esym/eqP]; rewrite imset_eq0 => /eqP A0.
  by rewrite -A0 AQ in n0.
Qed.

(** A requirement is kept by what keeps it on lists. *)
Theorem drawn_keeps (req : bag X -> bool) (f : {ffun 'I_m -> bag X} -> {set {set 'I_m}}) :
  (forall l : {ffun 'I_m -> bag X}, req (union setT l) -> forall N, N \in f l -> req (union N l)) ->
  forall e, keeps req (uniform_law f e).
Proof.
move=> keep e b Q c; rewrite mulf_eq0 negb_or pnatr_eq0 cards_eq0 => /andP[/set0Pn [s]].
rewrite inE => /andP[/eqP <- _] _ hb _ /imsetP [N NQ ->].
have same (A : {set 'I_m}) : union A [ffun i => b (s i)] = union (s @: A) b.
  apply/ffunP=> v; rewrite !ffunE big_imset /=; last by move=> x y _ _; apply: perm_inj.
  by apply: eq_bigr => i _; rewrite ffunE.
rewrite -same; apply: keep => //; rewrite same; move: hb; congr (is_true (req (union _ b))).
by apply/esym/setP=> i; rewrite inE; apply/imsetP; exists (s^-1%g i); rewrite ?inE ?permKV.
Qed.
End Contract.
