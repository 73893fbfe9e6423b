(** * The named theorems, as cases of those of Theorems.v. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Anond Require Import Model Symmetry Theorems.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Rules by which pools are divided *)
Section Rules.
Variables (R : realFieldType) (X : finType) (Y Aux : Type) (show : bag X -> Y -> R).

(** Theorem E, one level: Merge groups m classes; each group is a bucket. *)
Definition rule_E m (M : mergelaw R X Aux m) : rule R X Y Aux [:: m] :=
  Divide M (fun _ => Whole _ [::] show).

(** Theorem E with levels: c blocks of s classes. Blocks that are joined are one bucket, which
    is not refined. A block that stands alone is divided into its classes. *)
Definition rule_levels c s (top : mergelaw R X Aux c) (low : {set 'I_c} -> mergelaw R X Aux s) : rule R X Y Aux [:: c; s] :=
  Divide top (fun N => if #|N| == 1%N then Divide (low N) (fun _ => Whole _ [::] show) else Whole _ [:: s] show).

(** Theorem F, aligned refinement: c sub-pools of s classes. Also those that are joined are
    divided; classes at the same place of all of them are one part. *)
Definition rule_F c s (top : mergelaw R X Aux c) (low : {set 'I_c} -> mergelaw R X Aux s) : rule R X Y Aux [:: c; s] :=
  Divide top (fun N => Divide (low N) (fun _ => Whole _ [::] show)).

Lemma lawful_E m (M : mergelaw R X Aux m) : equivariant M -> partitions M -> lawful (rule_E M).
Proof. by []. Qed.
Lemma lawful_levels c s (top : mergelaw R X Aux c) (low : {set 'I_c} -> mergelaw R X Aux s) :
  equivariant top -> partitions top -> (forall N, equivariant (low N) /\ partitions (low N)) ->
  lawful (rule_levels top low).
Proof. by move=> e p h; split=> // N; case: ifP => // _; have [] := h N. Qed.
Lemma lawful_F c s (top : mergelaw R X Aux c) (low : {set 'I_c} -> mergelaw R X Aux s) :
  equivariant top -> partitions top -> (forall N, equivariant (low N) /\ partitions (low N)) ->
  lawful (rule_F top low).
Proof. by move=> e p h; split=> // N; have [] := h N. Qed.

(** What a bucket is in each: with tt for "nothing below", its classes are those of a group N
    of parts, at the places D. *)
Lemma bucket_E m (M : mergelaw R X Aux m) (o : outcome (rule_E M)) N :
  N \in o.1.1 -> bucket o [set e : 'I_m * unit | e.1 \in N] show (o.2 N).
Proof.
move=> NQ; exists N, setT; split=> //; apply/setP=> -[a []].
by rewrite !inE andbT.
Qed.
Lemma bucket_F c s (top : mergelaw R X Aux c) (low : {set 'I_c} -> mergelaw R X Aux s)
    (o : outcome (rule_F top low)) N D :
  N \in o.1.1 -> D \in (o.2 N).1.1 ->
  bucket o [set e : 'I_c * ('I_s * unit) | (e.1 \in N) && (e.2.1 \in D)] show ((o.2 N).2 D).
Proof.
move=> NQ DQ; exists N, [set e : 'I_s * unit | e.1 \in D]; split=> //.
  by exists D, setT; split=> //; apply/setP=> -[a []]; rewrite !inE andbT.
by apply/setP=> -[a [d []]]; rewrite !inE.
Qed.
Lemma bucket_levels_joined c s (top : mergelaw R X Aux c) (low : {set 'I_c} -> mergelaw R X Aux s)
    (o : outcome (rule_levels top low)) N :
  N \in o.1.1 -> #|N| != 1%N ->
  exists y, bucket o [set e : 'I_c * ('I_s * unit) | e.1 \in N] show y.
Proof.
case: o => [[Q x] kids] /= NQ nN; have : exists y, bucket (kids N) [set: 'I_s * unit] show y.
  by move: (kids N); rewrite (negPf nN) => y; exists y.
case=> y b; exists y; exists N, setT; split=> //; apply/setP=> -[a d].
by rewrite !inE andbT.
Qed.

(** The people of a bucket: k for each class. *)
Lemma bucket_size (P : finType) (Z : Type) (p : pool R P X Y Z Aux) (A : {set addr (widths p)}) :
  injective (seat (p := p)) -> #|sitting A| = (#|A| * k p)%N.
Proof. exact: card_sitting. Qed.
End Rules.

(** ** Linear requirements are closed under union (Lemma R): so "all parts are one bucket" is
    eligible if any division is. *)
Section Linear.
Variables (R : realFieldType) (X : finType).
Definition linear (f : X -> R) (b : bag X) : Prop := \sum_v (b v)%:R * f v <= 0.
Theorem linear_union f (I : finType) (A : {set I}) (b : I -> bag X) :
  (forall i, i \in A -> linear f (b i)) -> linear f (union A b).
Proof.
move=> h; rewrite /linear.
rewrite (eq_bigr (fun v => \sum_(i in A) (b i v)%:R * f v)); last first.
  by move=> v _; rewrite ffunE natr_sum mulr_suml.
rewrite exchange_big /= -oppr_ge0 -sumrN; apply: sumr_ge0 => i iA.
by rewrite oppr_ge0; apply: h.
Qed.

(** A cap "at most num of den people have a value in S" is linear. *)
Theorem cap_linear (S : pred X) (num den : nat) (b : bag X) :
  linear (fun v => (S v)%:R * den%:R - num%:R) b <-> (number S b * den <= num * number predT b)%N.
Proof.
rewrite /linear (_ : \sum_v _ = (number S b * den)%:R - (num * number predT b)%:R).
  by rewrite subr_le0 ler_nat.
rewrite !natrM /number !natr_sum mulr_suml mulr_sumr [X in _ = X - _]big_mkcond -sumrB /=.
by apply: eq_bigr => v _; rewrite mulrBr [num%:R * _]mulrC; case: (S v); rewrite ?mul1r ?mul0r ?mulr0.
Qed.

(** [gain c]: the cap c q / (1 - q + c q) says that the odds p / (1-p) are at most c times the
    reference odds q / (1-q). *)
Theorem gain (c q p : R) : 0 < 1 - q + c * q ->
  (p <= c * q / (1 - q + c * q)) = (p * (1 - q) <= c * (q * (1 - p))).
Proof.
move=> pos; rewrite ler_pdivl_mulr // -subr_ge0 -[RHS]subr_ge0; congr (0 <= _).
rewrite [p * (1 - q + c * q)]mulrDr opprD addrA addrAC.
by rewrite [q * (1 - p)]mulrBr mulr1 [c * (q - q * p)]mulrBr [p * (c * q)]mulrCA [p * q]mulrC.
Qed.
End Linear.

(** ** Views and windows (Theorem W). What is shown later, or by somebody else, may be any
    function of the transcript, with draws of its own: then whoever sees only that knows
    less. Let [tr i] be the transcripts that may have been, and [v i] the probability that
    they show what was seen. *)
Section Views.
Variables (R : realFieldType) (P X : finType) (Y Z Aux : Type).
Variables (prior : world P X -> R) (pr : program R P X Y Z Aux).
Variables (I : finType) (tr : I -> transcript pr) (v : I -> R).
Hypothesis v_ge0 : forall i, 0 <= v i.
Hypothesis positive : forall i x, 0 <= prior x * run x (tr i).

Definition view_weight (e : pred (world P X)) : R := \sum_i v i * weight prior (tr i) e.
Definition view_posterior e : R := view_weight e / view_weight predT.
Hypothesis seen : view_weight predT != 0.

Lemma weight_le i e : weight prior (tr i) e <= weight prior (tr i) predT.
Proof.
rewrite /weight [X in _ <= X](bigID e) /= ler_addl; apply: sumr_ge0 => x _; exact: positive.
Qed.
Lemma weight_pos i e : 0 <= weight prior (tr i) e.
Proof. by apply: sumr_ge0 => x _; apply: positive. Qed.
Lemma view_gt0 : 0 < view_weight predT.
Proof. by rewrite lt0r seen; apply: sumr_ge0 => i _; apply: mulr_ge0; rewrite ?v_ge0 ?weight_pos. Qed.

Theorem view_bounded e c :
  (forall i, v i != 0 -> weight prior (tr i) predT != 0 -> posterior prior (tr i) e <= c) ->
  view_posterior e <= c.
Proof.
move=> h; rewrite /view_posterior ler_pdivr_mulr ?view_gt0 // mulr_sumr; apply: ler_sum => i _.
case: (eqVneq (v i) 0) => [->|vi]; first by rewrite !mul0r mulr0.
rewrite mulrCA ler_wpmul2l //.
case: (eqVneq (weight prior (tr i) predT) 0) => [w0|wi].
  by rewrite w0 mulr0 -w0; apply: weight_le.
have := h i vi wi; rewrite /posterior ler_pdivr_mulr // lt0r wi; exact: weight_pos.
Qed.

Theorem view_exact e c :
  (forall i, v i != 0 -> weight prior (tr i) predT != 0 -> posterior prior (tr i) e = c) ->
  view_posterior e = c.
Proof.
move=> h; apply/(mulIf seen); rewrite /view_posterior divfK // mulr_sumr; apply: eq_bigr => i _.
case: (eqVneq (v i) 0) => [->|vi]; first by rewrite !mul0r mulr0.
rewrite mulrCA; congr (_ * _).
case: (eqVneq (weight prior (tr i) predT) 0) => [w0|wi]; last by rewrite -(h i vi wi) divfK.
by rewrite w0 mulr0; apply/le_anti; rewrite weight_pos -w0 weight_le.
Qed.

(** Theorem W: all releases together are a function of the transcript (parts that leave on a
    public clock leave a function of what was there), and the adversary kept them all. *)
Theorem W (L : eqType) (releases : I -> L) (kept : L) e c :
  (forall i, v i = (releases i == kept)%:R) ->
  (forall i, releases i = kept -> weight prior (tr i) predT != 0 -> posterior prior (tr i) e = c) ->
  view_posterior e = c.
Proof.
move=> ve h; apply: view_exact => i; rewrite ve pnatr_eq0 eqb0 negbK => /eqP; exact: h.
Qed.
End Views.

(** ** Theorem G (erasure by buckets). What a person has is a value and what they will ask for.
    They ask after the decision, and nobody is told who. What happens to a bucket may
    depend on the number of requests in it, at any time and in any way ([Later]). *)
Section Erasure.
Variables (R : realFieldType) (P V D : finType) (Y Z Aux : Type) (St : eqType) (stratum : P -> St).
Variables (prior : world P [finType of V * D] -> R) (pr : program R P [finType of V * D] Y Z Aux) (t : transcript pr).

(** A decision about a bucket that sees the number of its people whose request is in A. *)
Definition by_number (A : pred D) (law : nat -> Z -> R) : bag [finType of V * D] -> Z -> R :=
  fun b => law (number (fun x => A x.2) b).

Theorem G (B : {set P}) show y (S : pred V) (count : Y -> nat) u :
  exchangeable stratum prior -> dutiful stratum pr set0 (fun _ => False) ->
  weight prior t predT != 0 -> published t B show y ->
  tells show (fun x => S x.1) count -> u \in B ->
  posterior prior t (has u (fun x => S x.1)) = (count y)%:R / #|B|%:R.
Proof. move=> e d p b; exact: (T e d p b). Qed.
End Erasure.

(** ** Theorem DS (dossiers). *)
Section Dossiers.
Variables (R : realFieldType) (P V : finType) (n : nat) (Y Z Aux : Type) (A : eqType).

(** A history has at most n records. *)
Definition history := [finType of {ffun 'I_n -> option V}].
Definition ever (v : V) : pred history := fun h => [exists j, h j == Some v].

(** What is known of people before: for each, their attendance (how many records came until
    their closing time, whether an update came, whether one was refused) and their history.
    Nothing is assumed about how attendance depends on the history, but people are
    exchangeable. *)
Variable joint : {ffun P -> A * history} -> R.
Hypothesis alike : forall (s : {perm P}) (x : {ffun P -> A * history}), joint [ffun t => x (s t)] = joint x.

(** Attendance is public: the prior of histories for who knows it. *)
Definition given (attendance : {ffun P -> A}) : world P history -> R :=
  fun h => joint [ffun t => (attendance t, h t)].

(** It is exchangeable inside the strata that attendance makes. *)
Theorem given_exchangeable (attendance : {ffun P -> A}) : exchangeable attendance (given attendance).
Proof.
move=> s same x; rewrite /given -(alike s [ffun t => (attendance t, x t)]); congr joint.
by apply/ffunP=> t; rewrite !ffunE same.
Qed.

Variables (attendance : {ffun P -> A}) (pr : program R P history Y Z Aux) (t : transcript pr).
Hypothesis duty : dutiful attendance pr set0 (fun _ => False).
Hypothesis possible : weight (given attendance) t predT != 0.

Theorem DS (B : {set P}) show y v (count : Y -> nat) u :
  published t B show y -> tells show (ever v) count -> u \in B ->
  posterior (given attendance) t (has u (ever v)) = (count y)%:R / #|B|%:R.
Proof. by move=> isB tell uB; exact: (T (@given_exchangeable attendance) duty possible isB tell uB). Qed.

Theorem DS_promise (B : {set P}) show y (req : Z -> bag history -> bool) v l u :
  (forall h, 0 <= given attendance h * run h t) ->
  published t B show y -> (0 < l)%N -> promises req pr -> u \in B ->
  (forall z b, req z b -> number (ever v) b * l <= 1 * number predT b)%N ->
  posterior (given attendance) t (has u (ever v)) <= 1 / l%:R.
Proof.
move=> pos isB l0 prom uB cap.
exact: (capped (@given_exchangeable attendance) duty possible isB pos l0 prom uB cap).
Qed.
End Dossiers.

(** ** Theorem E, spelled out for one pool

    All definitions are written out, so that this can be read alone, and so that one sees that
    there are programs that keep the duties and transcripts that are possible. *)
Section OnePool.
Variables (R : realFieldType) (m k : nat) (X : finType).
(** A person is the seat a of class i: ((i, tt), a), where tt stands for "nothing below a class". *)
Notation person := [finType of 'I_m * unit * 'I_k].
Notation world := (world person X).
Variables (M : mergelaw R X unit m) (req : bag X -> bool).
Hypotheses (equi : equivariant M) (part : partitions M).

(** A pool that is not eligible is quarantined. The bag of each bucket is published. *)
Definition exactly (b y : bag X) : R := (b == y)%:R.
Definition one_pool : pool R person X (bag X) bool unit :=
  @Pool R person X (bag X) bool unit [:: m] k (fun s => s) (fun b z => (z == req b)%:R)
    (fun z => if z then Some (rule_E exactly M) else None).
Definition one_program : program R person X (bag X) bool unit := Publish (p := one_pool) (fun _ => Stop _ _ _ _ _ _).

(** The transcript in which Merge gave the groups Q, and o N is the bag of the group N. *)
Definition one_transcript (Q : {set {set 'I_m}}) (o : {set 'I_m} -> bag X) : transcript one_program :=
  existT (fun _ : pool_outcome one_pool => unit)
    (existT (fun z => divided (decide one_pool z)) true (Q, tt, o)) tt.

Definition in_classes (N : {set 'I_m}) : {set person} := [set s : person | s.1.1 \in N].

Lemma one_sitting (N : {set 'I_m}) : sitting (p := one_pool) [set e : 'I_m * unit | (e.1 \in N) && (e.2 \in setT)] = in_classes N.
Proof.
apply/setP=> s; rewrite (@sitting_in R person X (bag X) bool unit one_pool _ s) //.
by rewrite !inE andbT.
Qed.

Lemma one_bag (x : world) (N : {set 'I_m}) :
  union setT (fun d : unit => union N (fun a => class_bags one_pool x (a, d))) = bag_of x (in_classes N).
Proof. by rewrite union_union -one_sitting (@sitting_bag R person X (bag X) bool unit one_pool). Qed.

(** Its probability: the pool is eligible, Merge gives Q, and the bags are as published. *)
Theorem one_run (x : world) Q o :
  run x (one_transcript Q o) =
  (req (bag_of x setT))%:R *
  (M [ffun i => bag_of x (in_classes [set i])] Q tt *
   \prod_(N in Q) (bag_of x (in_classes N) == o N)%:R).
Proof.
rewrite /= mulr1 /pool_likelihood /=; congr (_ * (M _ _ _ * _)).
- have -> : people one_pool = setT.
    by apply/setP=> s; rewrite inE; apply/imsetP; exists s; rewrite ?inE.
  by case: (req _).
- apply/ffunP=> i; rewrite !ffunE -one_bag; apply: eq_union_fun => d.
  by apply/ffunP=> v; rewrite [RHS]ffunE big_set1.
- apply: eq_bigr => N _; rewrite /exactly -one_bag; congr (_ == _)%:R.
  by apply: eq_union_fun => d; rewrite ffunE.
Qed.

Lemma one_dutiful : dutiful (fun _ : person => tt) one_program set0 (fun _ => False).
Proof.
split=> //; last by rewrite -setI_eq0 setI0.
by split=> // -[] r //= [<-].
Qed.

Theorem E (prior : world -> R) Q o N v (s : person) :
  (forall (g : {perm person}) x, prior (act g x) = prior x) ->
  weight prior (one_transcript Q o) predT != 0 ->
  N \in Q -> s.1.1 \in N ->
  posterior prior (one_transcript Q o) (has s (pred1 v)) = (o N v)%:R / (#|N| * k)%:R.
Proof.
move=> exch possible NQ sN.
have size : #|in_classes N| = (#|N| * k)%N.
  rewrite -one_sitting card_sitting //; congr (_ * _)%N.
  rewrite (_ : [set e | _] = setX N [set: unit]); last by apply/setP=> -[a d]; rewrite !inE.
  by rewrite cardsX cardsT card_unit muln1.
rewrite -size; apply: (@T R person X (bag X) bool unit _ (fun _ => tt) prior one_program _ (in_classes N) exactly (o N)
  _ one_dutiful possible _ (pred1 v) (fun y => y v)).
- by move=> g _; apply: exch.
- left; exists [set e : 'I_m * unit | (e.1 \in N) && (e.2 \in setT)]; split; first by rewrite one_sitting.
  by exists N, setT.
- by move=> b y; rewrite /exactly pnatr_eq0 eqb0 negbK => /eqP ->; rewrite /number big_pred1_eq.
- by rewrite inE.
Qed.

(** What comes out in some world that is possible is a possible transcript. *)
Theorem E_possible (prior : world -> R) Q x0 :
  (forall x, 0 <= prior x) -> (forall b Q c, 0 <= M b Q c) ->
  0 < prior x0 -> req (bag_of x0 setT) -> 0 < M [ffun i => bag_of x0 (in_classes [set i])] Q tt ->
  weight prior (one_transcript Q (fun N => bag_of x0 (in_classes N))) predT != 0.
Proof.
move=> p0 M0 px rx Mx; rewrite /weight (bigD1 x0) //=; apply: lt0r_neq0; apply: ltr_paddr.
  apply: sumr_ge0 => x _; apply: mulr_ge0 => //.
  rewrite -[X in 0 <= X]/(run x (one_transcript Q (fun N => bag_of x0 (in_classes N)))) one_run.
  by rewrite !mulr_ge0 ?ler0n // prodr_ge0 // => N _; rewrite ler0n.
apply: mulr_gt0 => //.
rewrite -[X in 0 < X]/(run x0 (one_transcript Q (fun N => bag_of x0 (in_classes N)))) one_run rx.
by rewrite big1 ?mulr1 ?mul1r // => N _; rewrite eqxx.
Qed.
End OnePool.
