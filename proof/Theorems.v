(** * The theorems. Model.v defines every word; the proofs are in Symmetry.v but for the
    last steps, which are here. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Anond Require Import Model Symmetry.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Theorems.
Variables (R : realFieldType) (P X : finType) (Y Z Aux : Type) (St : eqType) (stratum : P -> St).
Notation world := (world P X).

(** The prior is exchangeable inside strata, the program [pr] keeps its duties, [t] is a
    transcript that is possible, and [B] one of its buckets, of which [y] was published. *)
Variables (prior : world -> R) (pr : program R P X Y Z Aux) (t : transcript pr).
Variables (B : {set P}) (show : bag X -> Y -> R) (y : Y).
Hypothesis exch : exchangeable stratum prior.
Hypothesis duty : dutiful stratum pr set0 (fun _ => False).
Hypothesis possible : weight prior t predT != 0.
Hypothesis isB : published t B show y.

Let w x := prior x * run x t.

Lemma symmetry_of_B : forall u v, u \in B -> v \in B ->
  exists s : {perm P}, s u = v /\ forall x, w (act s x) = w x.
Proof.
have [x0 r0] : exists x, run x t != 0.
  apply/existsP; apply: contraR possible; rewrite negb_exists => /forallP h.
  rewrite /weight big1 // => x _; move/(_ x): h; rewrite negbK => /eqP ->; exact: mulr0.
move=> u v uB vB.
have [|g [gu _ gst glik]] := program_symmetric duty _ r0 isB uB vB; first by [].
by exists g; split=> // x; rewrite /w glik exch.
Qed.

Lemma possible_w x : w x != 0 -> run x t != 0.
Proof. by rewrite /w mulf_eq0 negb_or => /andP[]. Qed.

Lemma B_size u : u \in B -> #|B|%:R != 0 :> R.
Proof. by move=> uB; rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists u. Qed.

(** ** Theorem T (a), and with it E and F without any assumption on what is published: all
    people of a bucket have the same posterior, the expected share. *)
Theorem posterior_is_expected_share (S : pred X) u : u \in B ->
  posterior prior t (has u S) = expectation prior t (fun x => (number S (bag_of x B))%:R) / #|B|%:R.
Proof.
move=> uB; apply: (mulfI (B_size uB)); rewrite [RHS]mulrCA divff ?(B_size uB) // mulr1.
by rewrite /posterior /expectation mulrA -(sum_mass symmetry_of_B S uB).
Qed.

(** The same of numbers: the mean of f over the bucket. *)
Theorem posterior_is_expected_mean (f : X -> R) u : u \in B ->
  expectation prior t (fun x => f (x u)) =
  expectation prior t (fun x => \sum_v (bag_of x B v)%:R * f v) / #|B|%:R.
Proof.
move=> uB; apply: (mulfI (B_size uB)); rewrite [RHS]mulrCA divff ?(B_size uB) // mulr1.
by rewrite /expectation mulrA -(sum_mean symmetry_of_B f uB).
Qed.

(** ** Theorem T (b). If what is published of a bucket tells how many have a value in S, then
    everyone in it has a value in S with exactly their share, for every such prior. *)
Theorem T (S : pred X) (count : Y -> nat) u : tells show S count -> u \in B ->
  posterior prior t (has u S) = (count y)%:R / #|B|%:R.
Proof.
move=> tell uB; rewrite posterior_is_expected_share //; congr (_ / _).
rewrite /expectation (eq_bigr (fun x => w x * (count y)%:R)) => [|x _].
  by rewrite -mulr_suml [X in X * _ / _](_ : _ = weight prior t predT) // mulrAC divff // mul1r.
case: (eqVneq (w x) 0) => [|nz]; first by rewrite /w => ->; rewrite !mul0r.
by rewrite (tell _ _ (published_shows duty (possible_w nz) isB)).
Qed.

(** ** Theorem T (c). What one published view tells of S to someone who knows that it is in S'
    is the conditional share of the bucket; the program adds nothing. *)
Theorem T_conditional (S S' : pred X) (both cond : Y -> nat) u :
  tells show (predI S S') both -> tells show S' cond -> u \in B ->
  posterior prior t (has u (predI S S')) / posterior prior t (has u S') =
  (both y)%:R / (cond y)%:R.
Proof.
move=> tb tc uB; rewrite (T tc uB) (_ : posterior _ _ _ = (both y)%:R / #|B|%:R); last exact: (T tb uB).
by rewrite invf_div mulrA divfK ?(B_size uB).
Qed.

(** ** The promise. If every pool is admitted by a requirement, and every Merge keeps it, then
    the bucket satisfies the requirement in every world that is possible. *)
Theorem promise_kept (req : Z -> bag X -> bool) : promises req pr ->
  forall x, w x != 0 -> exists z, req z (bag_of x B).
Proof. by move=> prom x nz; apply: (published_keeps duty prom (possible_w nz) isB). Qed.

(** Laws of draws and priors are not negative. *)
Hypothesis positive : forall x, 0 <= w x.

Lemma weight_ge0 (e : pred world) : 0 <= weight prior t e.
Proof. by apply: sumr_ge0 => x _; apply: positive. Qed.
Lemma weight_gt0 : 0 < weight prior t predT.
Proof. by rewrite lt0r possible weight_ge0. Qed.

(** ** Theorem T (d). Of two properties that no one view tells together only the Frechet bounds
    hold, which the two counts give. *)
Lemma size_number (x : world) : number predT (bag_of x B) = #|B|.
Proof.
rewrite /number -sum1_card (partition_big (fun v => x v) predT) //=.
by apply: eq_bigr => v _; rewrite ffunE -sum1_card; apply: eq_bigl => i; rewrite inE.
Qed.

Lemma expected_le (f g : world -> R) u : u \in B ->
  (forall x, w x != 0 -> f x <= g x) -> expectation prior t f / #|B|%:R <= expectation prior t g / #|B|%:R.
Proof.
move=> uB le; rewrite ler_wpmul2r ?invr_ge0 ?ler0n // /expectation ler_wpmul2r ?invr_ge0 ?weight_ge0 //.
apply: ler_sum => x _; case: (eqVneq (w x) 0) => [|nz]; first by rewrite /w => ->; rewrite !mul0r.
by rewrite ler_wpmul2l ?le //; apply: positive.
Qed.

Lemma expected_const (c : R) : expectation prior t (fun _ => c) = c.
Proof. by rewrite /expectation -mulr_suml mulrC mulrA -/(weight prior t predT) mulVf // mul1r. Qed.

Theorem T_bounds (S S' : pred X) (n n' : Y -> nat) u :
  tells show S n -> tells show S' n' -> u \in B ->
  ((n y)%:R + (n' y)%:R - #|B|%:R) / #|B|%:R <= posterior prior t (has u (predI S S'))
    <= (minn (n y) (n' y))%:R / #|B|%:R.
Proof.
move=> tn tn' uB; rewrite posterior_is_expected_share //.
have sh x : w x != 0 -> n y = number S (bag_of x B) /\ n' y = number S' (bag_of x B).
  move=> nz; have e := published_shows duty (possible_w nz) isB.
  by rewrite (tn _ _ e) (tn' _ _ e).
apply/andP; split.
- rewrite -[X in X / _ <= _]expected_const; apply: (expected_le uB) => x /sh [-> ->].
  rewrite ler_subl_addr -!natrD ler_nat -(size_number x) /number.
  rewrite !(big_mkcond _ (bag_of x B)) -!big_split /=; apply: leq_sum => v _.
  by rewrite /=; case: (S v); case: (S' v); rewrite /= ?addn0 ?add0n ?leq_addr.
- rewrite -[X in _ <= X / _]expected_const; apply: (expected_le uB) => x /sh [-> ->].
  rewrite ler_nat leq_min /number; apply/andP; split; rewrite !(big_mkcond _ (bag_of x B)) /=;
    by apply: leq_sum => v _; rewrite /=; case: (S v); case: (S' v).
Qed.

(** ** Lemma R (linear requirements). If in every possible world the bag satisfies
    sum over v of b(v) f(v) <= 0, then the expectation of f is at most 0 for each person. *)
Theorem linear_requirement (f : X -> R) u : u \in B ->
  (forall x, w x != 0 -> \sum_v (bag_of x B v)%:R * f v <= 0) ->
  expectation prior t (fun x => f (x u)) <= 0.
Proof.
move=> uB lin; rewrite posterior_is_expected_mean //.
rewrite pmulr_lle0; last by rewrite invr_gt0 lt0r (B_size uB) ler0n.
rewrite pmulr_lle0; last by rewrite invr_gt0 weight_gt0.
rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => x _; rewrite oppr_ge0.
case: (eqVneq (w x) 0) => [|nz]; first by rewrite /w => ->; rewrite mul0r.
by apply: mulr_ge0_le0; [exact: positive|exact: lin].
Qed.

(** ** Caps. A requirement that lets at most a share num/den of a bucket have a value in S
    bounds the posterior of everyone by num/den. Frequency l-diversity is num/den = 1/l. *)
Theorem capped (req : Z -> bag X -> bool) (S : pred X) (num den : nat) u :
  (0 < den)%N -> promises req pr -> u \in B ->
  (forall z b, req z b -> number S b * den <= num * number predT b)%N ->
  posterior prior t (has u S) <= num%:R / den%:R.
Proof.
move=> den0 prom uB cap; rewrite posterior_is_expected_share //.
rewrite ler_pdivr_mulr; last by rewrite lt0r (B_size uB) ler0n.
rewrite /expectation ler_pdivr_mulr ?weight_gt0 // mulr_sumr; apply: ler_sum => x _.
case: (eqVneq (w x) 0) => [|nz]; first by rewrite /w => ->; rewrite mul0r mulr0.
rewrite mulrC ler_wpmul2r ?positive //.
have [z /cap] := promise_kept prom nz; rewrite size_number.
by rewrite mulrAC ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
Qed.
End Theorems.
