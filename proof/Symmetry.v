(** * Proofs: the symmetry of a transcript.

    For two people t, u of a bucket there is a permutation of people that takes t to u and
    changes neither the prior nor the probability of the transcript. So all people of a
    bucket have the same posterior. The statements are in Theorems.v. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Anond Require Import Model.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Trees *)
Section Tree.
Variables (R : realFieldType) (X : finType) (Y Aux : Type).

Lemma fix_tperm (T : finType) (Q : {set {set T}}) N0 i j N :
  trivIset Q -> N0 \in Q -> N \in Q -> i \in N0 -> j \in N0 -> tperm i j @^-1: N = N.
Proof.
move=> disj N0Q NQ iN jN; apply/setP=> l; rewrite inE.
case: (eqVneq N N0) => [->|ne]; first by case: tpermP => [->|->|//]; rewrite ?iN ?jN.
have /pred0P d : [disjoint N & N0] by apply: (trivIsetP disj).
case: tpermP => [->|->|//].
- by move: (d i) (d j); rewrite /= iN jN !andbT => -> ->.
- by move: (d i) (d j); rewrite /= iN jN !andbT => -> ->.
Qed.

(** What exchanging classes of a bucket A does: it keeps the likelihood, whatever the bags,
    and maps each bucket to itself. *)
Definition symmetric cs (r : rule R X Y Aux cs) (o : outcome r) (p : {perm addr cs}) : Prop :=
  (forall b : {ffun addr cs -> bag X}, likelihood [ffun e => b (p e)] o = likelihood b o) /\
  (forall A show y, bucket o A show y -> p @^-1: A = A).

Lemma union_perm (I : finType) (A : {set I}) (b : I -> bag X) (p : {perm I}) :
  p @^-1: A = A -> union A (fun i => b (p i)) = union A b.
Proof.
move=> pA; apply/ffunP=> v; rewrite !ffunE [RHS](reindex_inj (@perm_inj _ p)) /=.
by apply: eq_bigl => i; rewrite -{1}pA inE.
Qed.

Lemma eq_union (I : finType) (A : {set I}) (b b' : I -> bag X) :
  (forall i, i \in A -> b i = b' i) -> union A b = union A b'.
Proof. by move=> e; apply/ffunP=> v; rewrite !ffunE; apply: eq_bigr => i iA; rewrite e. Qed.

Section Step.
Variables (c : nat) (cs : seq nat) (N1 : {set 'I_c}) (a1 a2 : 'I_c) (q : {perm addr cs}).
Hypotheses (h1 : a1 \in N1) (h2 : a2 \in N1).
(** Exchange two strands of a node, and inside of all its strands act by q. *)
Definition stepf (e : 'I_c * addr cs) : 'I_c * addr cs :=
  (tperm a1 a2 e.1, if e.1 \in N1 then q e.2 else e.2).
Lemma tperm_in i : (tperm a1 a2 i \in N1) = (i \in N1).
Proof. by case: tpermP => [->|->|//]; rewrite h1 h2. Qed.
Lemma step_inj : injective stepf.
Proof.
move=> [a d] [a' d']; rewrite /stepf /= => -[/perm_inj ->].
by case: ifP => _ => [/perm_inj ->|->].
Qed.
Definition step : {perm 'I_c * addr cs} := perm step_inj.
Lemma stepE a d : step (a, d) = (tperm a1 a2 a, if a \in N1 then q d else d).
Proof. by rewrite permE. Qed.
End Step.

Lemma likelihoodE c cs (M : mergelaw R X Aux c) (next : {set 'I_c} -> rule R X Y Aux cs) (b : {ffun 'I_c * addr cs -> bag X})
    (o : outcome (Divide M next)) :
  likelihood (r := Divide M next) b o =
  M [ffun a => union setT (fun d => b (a, d))] o.1.1 o.1.2 *
  \prod_(N in o.1.1) likelihood (r := next N) [ffun d => union N (fun a => b (a, d))] (o.2 N).
Proof. by []. Qed.

Lemma tree_symmetric cs (r : rule R X Y Aux cs) (o : outcome r) A show y b0 :
  lawful r -> likelihood b0 o != 0 -> bucket o A show y ->
  forall e e', e \in A -> e' \in A -> exists p : {perm addr cs}, p e = e' /\ symmetric o p.
Proof.
elim: r o A b0 => [cs' sh|c cs' M next IH] o A b0.
  move=> _ _ [-> _ _] e e' _ _; exists (tperm e e'); split; first exact: tpermL.
  split=> [b|A' show' y' [-> _ _]]; last by apply/setP=> i; rewrite !inE.
  rewrite /=; congr (sh _ _).
  rewrite -(union_perm (p := tperm e e') (A := setT) b); last by apply/setP=> i; rewrite !inE.
  by apply: eq_union => i _; rewrite ffunE.
case=> equi part law; rewrite likelihoodE mulf_eq0 negb_or => /andP[M0 /prodf_neq0 kid0].
case=> N1 [D [N1Q bD ->]] [a d] [a' d'].
rewrite !inE /= => /andP[aN dD] /andP[aN' dD'].
have disj : trivIset o.1.1 by case/and3P: (part _ _ _ M0).
have [q [qd [qlik qbuck]]] := IH N1 (o.2 N1) D _ (law N1) (kid0 N1 N1Q) bD d d' dD dD'.
exists (step N1 a a' q); split; first by rewrite stepE aN qd tpermL.
have other N i : N \in o.1.1 -> N != N1 -> i \in N -> (i \in N1 = false) /\ tperm a a' i = i.
  move=> NQ ne iN.
  have /pred0P dj : [disjoint N & N1] by apply: (trivIsetP disj).
  have iN1 : i \in N1 = false by move: (dj i); rewrite /= iN.
  split=> //; case: tpermP => // ii; first by rewrite ii aN in iN1.
  by rewrite ii aN' in iN1.
split=> [b|A2 show2 y2 [N2 [D2 [N2Q bD2 ->]]]].
  rewrite !likelihoodE; congr (_ * _).
    rewrite -[RHS](equi (tperm a a')).
    have -> : [set tperm a a' @^-1: N | N : {set 'I_c} in o.1.1] = o.1.1.
      rewrite -[RHS]imset_id; apply: eq_in_imset => N NQ.
      exact: (fix_tperm disj N1Q).
    congr (M _ _ _); apply/ffunP=> i; rewrite !ffunE.
    case: (boolP (i \in N1)) => iN.
      rewrite -[RHS](union_perm (A := setT) _ (p := q)); last by apply/setP=> l; rewrite !inE.
      apply: eq_union => l _; by rewrite ffunE stepE iN.
    by apply: eq_union => l _; rewrite ffunE stepE (negPf iN).
  apply: eq_bigr => N NQ; case: (eqVneq N N1) => [->|ne].
    rewrite -[RHS]qlik; congr likelihood; apply/ffunP=> l; rewrite !ffunE.
    rewrite -[RHS](union_perm _ (p := tperm a a')); last exact: (fix_tperm disj N1Q).
    by apply: eq_union => i iN; rewrite ffunE stepE iN.
  congr likelihood; apply/ffunP=> l; rewrite !ffunE; apply: eq_union => i iN.
  by rewrite ffunE stepE; have [-> ->] := other N i NQ ne iN.
apply/setP=> -[i l]; rewrite !inE stepE /=.
case: (eqVneq N2 N1) => [e2|ne].
  rewrite e2 in D2 bD2 *; rewrite tperm_in //; case: (boolP (i \in N1)) => //= iN.
  by have /setP/(_ l) := qbuck _ _ _ bD2; rewrite inE.
have /setP/(_ i) := fix_tperm disj N1Q N2Q aN aN'; rewrite inE => ->.
case: (boolP (i \in N2)) => //= iN.
by have [-> _] := other N2 i N2Q ne iN.
Qed.
End Tree.

(** ** Bags of people *)
Section People.
Variables (P X : finType).
Implicit Types (x : world P X) (B : {set P}) (g : {perm P}).

(** Exchanging people of a set keeps the set's bag. *)
Lemma bag_stable g x B : g @^-1: B = B -> bag_of (act g x) B = bag_of x B.
Proof.
move=> gB; apply/ffunP=> v; rewrite !ffunE.
have -> : [set t in B | act g x t == v] = g @^-1: [set t in B | x t == v].
  by apply/setP=> t; rewrite !inE ffunE -{1}gB inE.
by rewrite card_preimset //; apply: perm_inj.
Qed.

Lemma fixed_stable g B : (forall t, t \in B -> g t = t) -> g @^-1: B = B.
Proof.
move=> fix_; apply/setP=> t; rewrite inE; apply/idP/idP => h; last by rewrite fix_.
by have /perm_inj <- : g (g t) = g t by exact: fix_.
Qed.

Lemma bag_fixed g x B : (forall t, t \in B -> g t = t) -> bag_of (act g x) B = bag_of x B.
Proof. by move=> h; apply/bag_stable/fixed_stable. Qed.
End People.

(** ** Pools *)
Section Pools.
Variables (R : realFieldType) (P X : finType) (Y Z Aux : Type).
Variables (St : eqType) (stratum : P -> St).
Implicit Types (p : pool R P X Y Z Aux) (x : world P X).

Section Lift.
Variable p : pool R P X Y Z Aux.
Hypothesis seat_inj : injective (seat (p := p)).
Variable h : {perm addr (widths p) * 'I_(k p)}.

(** A permutation of the seats as a permutation of people. *)
Definition liftf (t : P) : P := if [pick i | seat (p := p) i == t] is Some i then seat (h i) else t.
Lemma liftf_seat i : liftf (seat i) = seat (h i).
Proof.
rewrite /liftf; case: pickP => [j /eqP /seat_inj -> //|/(_ i)].
by rewrite eqxx.
Qed.
Lemma liftf_out t : t \notin people p -> liftf t = t.
Proof.
rewrite /liftf; case: pickP => // j /eqP <- /negP []; apply/imsetP.
by exists j; rewrite ?inE.
Qed.
Lemma lift_inj : injective liftf.
Proof.
move=> t u; case: (boolP (t \in people p)) => [/imsetP [i _ ->]|tn];
  case: (boolP (u \in people p)) => [/imsetP [j _ ->]|un]; rewrite ?liftf_seat ?liftf_out //.
- by move/seat_inj/perm_inj ->.
- by move=> e; case/negP: un; rewrite -e; apply: imset_f; rewrite inE.
- by move=> e; case/negP: tn; rewrite e; apply: imset_f; rewrite inE.
Qed.
Definition lift : {perm P} := perm lift_inj.
Lemma lift_seat i : lift (seat i) = seat (h i). Proof. by rewrite permE liftf_seat. Qed.
Lemma lift_out t : t \notin people p -> lift t = t. Proof. by move/liftf_out; rewrite permE. Qed.
Lemma lift_people : lift @^-1: people p = people p.
Proof.
apply/setP=> t; rewrite inE; case: (boolP (t \in people p)) => [/imsetP [i _ ->]|tn].
  by rewrite lift_seat; apply: imset_f; rewrite inE.
by rewrite lift_out // (negPf tn).
Qed.
End Lift.

Lemma sitting_in p (A : {set addr (widths p)}) i : injective (seat (p := p)) ->
  (seat i \in sitting A) = (i.1 \in A).
Proof.
move=> inj; apply/imsetP/idP => [[j]|iA]; first by rewrite inE => jA /inj ->.
by exists i; rewrite ?inE.
Qed.
Lemma sitting_people p (A : {set addr (widths p)}) t : t \in sitting A -> t \in people p.
Proof. by case/imsetP=> i _ ->; apply: imset_f; rewrite inE. Qed.

(** The permutation of seats that acts on addresses by q and on places in the class by s. *)
Section Seats.
Variables (p : pool R P X Y Z Aux) (q : {perm addr (widths p)}) (s : {perm 'I_(k p)}).
Definition seatf (i : addr (widths p) * 'I_(k p)) := (q i.1, s i.2).
Lemma seatf_inj : injective seatf.
Proof. by move=> [a d] [a' d'] [] /perm_inj -> /perm_inj ->. Qed.
Definition seats : {perm addr (widths p) * 'I_(k p)} := perm seatf_inj.
Lemma seatsE i : seats i = (q i.1, s i.2). Proof. by rewrite permE. Qed.
End Seats.

Lemma lift_sitting p (inj : injective (seat (p := p))) q s (A : {set addr (widths p)}) :
  lift inj (seats q s) @^-1: sitting A = sitting (q @^-1: A).
Proof.
apply/setP=> t; rewrite inE.
case: (boolP (t \in people p)) => [/imsetP [i _ ->]|tn].
  by rewrite lift_seat !sitting_in // seatsE inE.
rewrite lift_out //; apply/idP/idP => /sitting_people; by rewrite (negPf tn).
Qed.

Lemma class_bags_lift p (inj : injective (seat (p := p))) q s x :
  class_bags p (act (lift inj (seats q s)) x) = [ffun d => class_bags p x (q d)].
Proof.
apply/ffunP=> d; rewrite !ffunE; apply/ffunP=> v; rewrite !ffunE.
set g := lift _ _.
have -> : [set t in sitting [set d] | act g x t == v] = g @^-1: [set t in sitting [set q d] | x t == v].
  apply/setP=> t; rewrite !inE ffunE; congr (_ && _).
  have -> : (g t \in sitting [set q d]) = (t \in g @^-1: sitting [set q d]) by rewrite inE.
  rewrite lift_sitting; congr (t \in sitting _); apply/setP=> e; rewrite !inE.
  by rewrite (inj_eq (@perm_inj _ q)).
by rewrite card_preimset //; apply: perm_inj.
Qed.

(** What a symmetry of a published bucket keeps. [inside p g]: it moves nobody outside of
    the pool, and keeps strata. *)
Definition inside p (g : {perm P}) : Prop :=
  (forall t, t \notin people p -> g t = t) /\ (forall t, stratum (g t) = stratum t).

Lemma pool_symmetric p (o : pool_outcome p) B show y x0 :
  well_formed stratum p -> pool_likelihood x0 o != 0 -> pool_bucket o B show y ->
  forall t u, t \in B -> u \in B -> exists g : {perm P},
    [/\ g t = u, inside p g, (forall x, pool_likelihood (act g x) o = pool_likelihood x o),
        g @^-1: people p = people p
      & forall B' show' y', pool_bucket o B' show' y' -> g @^-1: B' = B'].
Proof.
case=> inj same law; case: o => z; rewrite /pool_likelihood /pool_outcome /pool_bucket /=.
case E: (decide p z) => [r|] o; last by move=> _ [A [_ []]].
rewrite mulf_eq0 negb_or /= => /andP[_ l0] [A [-> bA]] t u.
case/imsetP=> -[e i] + -> /imsetP [[e' i'] + ->]; rewrite !inE /= => eA eA'.
have [q [qe [qlik qb]]] := tree_symmetric (law z r E) l0 bA eA eA'.
exists (lift inj (seats q (tperm i i'))); split.
- by rewrite lift_seat seatsE /= qe tpermL.
- split=> [v|v]; first exact: lift_out.
  case: (boolP (v \in people p)) => [/imsetP [j _ ->]|vn]; last by rewrite lift_out.
  by rewrite lift_seat; apply: same.
- by move=> x; rewrite class_bags_lift qlik (bag_stable _ (lift_people _ _)).
- exact: lift_people.
- move=> B' show' y' [A' [-> bA']]; rewrite lift_sitting; congr sitting.
  exact: qb bA'.
Qed.
End Pools.

(** ** Programs *)
Section Programs.
Variables (R : realFieldType) (P X : finType) (Y Z Aux : Type).
Variables (St : eqType) (stratum : P -> St).
Implicit Types (pr : program R P X Y Z Aux) (x : world P X).

Lemma pool_fixed (p : pool R P X Y Z Aux) (o : pool_outcome p) (g : {perm P}) x :
  (forall t, t \in people p -> g t = t) -> pool_likelihood (act g x) o = pool_likelihood x o.
Proof.
move=> fix_; rewrite /pool_likelihood bag_fixed //; congr (_ * divided_likelihood _ _).
apply/ffunP=> d; rewrite !ffunE bag_fixed // => t /sitting_people; exact: fix_.
Qed.

Lemma pool_bucket_in (p : pool R P X Y Z Aux) (o : pool_outcome p) B show y t :
  pool_bucket o B show y -> t \in B -> t \in people p.
Proof. by case=> A [-> _] /sitting_people. Qed.

(** What happens later does not see a symmetry of what was fixed before. *)
Lemma later_symmetric pr used fixed (g : {perm P}) :
  dutiful stratum pr used fixed -> (forall t, t \notin used -> g t = t) ->
  (forall B, fixed B -> g @^-1: B = B) ->
  forall (t : transcript pr) x, run (act g x) t = run x t.
Proof.
elim: pr used fixed => //= [p next IH|B law next IH] used fixed.
  case=> wf dis later out stab [o t] x /=.
  have fixp v : v \in people p -> g v = v.
    by move=> vp; apply: out; move/pred0P: dis => /(_ v) /=; rewrite vp => /= ->.
  rewrite pool_fixed //; congr (_ * _).
  apply: (IH o _ _ (later o)) => [v|C [cB|->|[show [y cB]]]].
  - by rewrite inE negb_or => /andP[vu _]; apply: out.
  - exact: stab.
  - exact: fixed_stable.
  - by apply: fixed_stable => v /(pool_bucket_in cB); apply: fixp.
case=> fB later out stab [z t] x /=.
by rewrite (bag_stable x (stab B fB)) (IH z _ _ (later z)).
Qed.

(** The symmetry of a published bucket. *)
Lemma program_symmetric pr used fixed (t : transcript pr) B show y x0 :
  dutiful stratum pr used fixed -> (forall C v, fixed C -> v \in C -> v \in used) ->
  run x0 t != 0 -> published t B show y ->
  forall v u, v \in B -> u \in B -> exists g : {perm P},
    [/\ g v = u, forall w, w \in used -> g w = w, forall w, stratum (g w) = stratum w
      & forall x, run (act g x) t = run x t].
Proof.
elim: pr used fixed t => //= [p next IH|C law next IH] used fixed.
  case=> o t [wf dis later] fin /=.
  rewrite mulf_eq0 negb_or => /andP[p0 r0] [oB|tB] v u vB uB.
    have [g [gv [gout gst] glik gp gb]] := pool_symmetric wf p0 oB vB uB.
    have gused w : w \in used -> g w = w.
      by move=> wu; apply: gout; move/pred0P: dis => /(_ w) /=; rewrite wu andbT => ->.
    exists g; split=> // x; rewrite glik; congr (_ * _).
    apply: (later_symmetric (later o)) => [w|C [fC|->|[show' [y' fC]]]] //.
    - by rewrite inE negb_or => /andP[_ wp]; apply: gout.
    - by apply: fixed_stable => w wC; apply: gused; apply: fin wC.
    - exact: gb fC.
  have fin' C w : [\/ fixed C, C = people p | exists show' y', pool_bucket o C show' y'] ->
      w \in C -> w \in used :|: people p.
    case=> [fC wC|-> wC|[show' [y' fC]] wC]; rewrite inE ?wC ?orbT //; first by rewrite (fin _ _ fC).
    by rewrite (pool_bucket_in fC) ?orbT.
  have [g [gv gused gst glik]] := IH o _ _ t (later o) fin' r0 tB v u vB uB.
  exists g; split=> // [w wu|x]; first by apply: gused; rewrite inE wu.
  rewrite glik; congr (_ * _); apply: pool_fixed => w wp; apply: gused.
  by rewrite inE wp orbT.
case=> z t [fC later] fin /=; rewrite mulf_eq0 negb_or => /andP[_ r0] tB v u vB uB.
have [g [gv gused gst glik]] := IH z _ _ t (later z) fin r0 tB v u vB uB.
exists g; split=> // x; rewrite glik bag_fixed // => w wC; apply: gused; exact: fin fC wC.
Qed.
End Programs.

(** ** Principle P: from a symmetry to a posterior *)
Section Principle.
Variables (R : realFieldType) (P X : finType).
Implicit Types x : world P X.

Lemma act_bij (s : {perm P}) : bijective (@act P X s).
Proof.
by exists (act s^-1%g) => x; apply/ffunP=> t; rewrite !ffunE ?permKV ?permK.
Qed.

Variables (w : world P X -> R) (B : {set P}).
Hypothesis symmetry : forall t u, t \in B -> u \in B ->
  exists s : {perm P}, s t = u /\ forall x, w (act s x) = w x.

(** The masses of S, summed over the people of B. *)
Lemma sum_mass (S : pred X) t : t \in B ->
  #|B|%:R * (\sum_(x : world P X | S (x t)) w x) = \sum_x w x * (number S (bag_of x B))%:R.
Proof.
move=> tB; have same u : u \in B -> \sum_(x : world P X | S (x u)) w x = \sum_(x : world P X | S (x t)) w x.
  move=> uB; have [s [st inv]] := symmetry tB uB.
  rewrite [RHS](reindex (act s)) /=; last by apply: onW_bij; apply: act_bij.
  by apply: eq_big => [x|x _]; rewrite ?ffunE ?st ?inv.
have -> : #|B|%:R * (\sum_(x : world P X | S (x t)) w x) = \sum_(u in B) \sum_(x : world P X | S (x u)) w x.
  by rewrite (eq_bigr _ same) sumr_const mulr_natl.
rewrite (exchange_big_dep predT) //=; apply: eq_bigr => x _.
rewrite sumr_const -[LHS]mulr_natr; congr (_ * _%:R).
rewrite /number -sum1_card.
rewrite (partition_big (fun u => x u) (fun v => S v)) /=; last by move=> u /andP[].
apply: eq_bigr => v Sv; rewrite ffunE -sum1_card; apply: eq_bigl => u.
by rewrite !inE -andbA; case: eqP => [->|]; rewrite ?Sv ?andbF ?andbT.
Qed.

(** The same of a number that is a function of what a person has. *)
Lemma sum_mean (f : X -> R) t : t \in B ->
  #|B|%:R * (\sum_x w x * f (x t)) = \sum_x w x * (\sum_v (bag_of x B v)%:R * f v).
Proof.
move=> tB; have same u : u \in B -> \sum_x w x * f (x u) = \sum_x w x * f (x t).
  move=> uB; have [s [st inv]] := symmetry tB uB.
  rewrite [RHS](reindex (act s)) /=; last by apply: onW_bij; apply: act_bij.
  by apply: eq_bigr => x _; rewrite ffunE st inv.
have -> : #|B|%:R * (\sum_x w x * f (x t)) = \sum_(u in B) \sum_x w x * f (x u).
  by rewrite (eq_bigr _ same) sumr_const mulr_natl.
rewrite exchange_big /=; apply: eq_bigr => x _; rewrite -mulr_sumr; congr (_ * _).
rewrite (partition_big (fun u => x u) predT) //=; apply: eq_bigr => v _.
rewrite (eq_bigr (fun _ => f v)); last by move=> u /andP[_ /eqP ->].
by rewrite sumr_const -[LHS]mulr_natl ffunE; congr (_%:R * _); apply: eq_card => u; rewrite !inE.
Qed.
End Principle.

(** ** What a transcript tells, and what it promises *)
Section Tells.
Variables (R : realFieldType) (P X : finType) (Y Z Aux : Type).

(** Bags add up. *)
Lemma union_union (I J : finType) (N : {set I}) (D : {set J}) (b : {ffun I * J -> bag X}) :
  union D (fun d => union N (fun a => b (a, d))) = union [set e | (e.1 \in N) && (e.2 \in D)] b.
Proof.
apply/ffunP=> v; rewrite !ffunE.
rewrite (eq_bigr (fun d => \sum_(a in N) b (a, d) v)%N); last by move=> d _; rewrite ffunE.
rewrite exchange_big /= pair_big /=.
by apply: eq_big => [[a d]|[a d] _]; rewrite ?inE.
Qed.

Lemma union_swap (I J : finType) (N : {set I}) (D : {set J}) (b : {ffun I * J -> bag X}) :
  union D (fun d => union N (fun a => b (a, d))) = union N (fun a => union D (fun d => b (a, d))).
Proof.
apply/ffunP=> v; rewrite !ffunE.
rewrite (eq_bigr (fun d => \sum_(a in N) b (a, d) v)%N); last by move=> d _; rewrite ffunE.
by rewrite exchange_big /=; apply: eq_bigr => a _; rewrite ffunE.
Qed.

Lemma eq_union_fun (I : finType) (A : {set I}) (b b' : I -> bag X) : b =1 b' -> union A b = union A b'.
Proof. by move=> e; apply: eq_union => i _. Qed.

Lemma tree_shows cs (r : rule R X Y Aux cs) (o : outcome r) A show y b :
  likelihood b o != 0 -> bucket o A show y -> show (union A b) y != 0.
Proof.
elim: r o A b => [cs' sh|c cs' M next IH] o A b; first by move=> h [-> -> ->].
rewrite likelihoodE mulf_eq0 negb_or => /andP[_ /prodf_neq0 kid0] [N [D [NQ bD ->]]].
rewrite -union_union.
have := IH N (o.2 N) D _ (kid0 N NQ) bD; congr (show _ _ != 0).
by apply: eq_union_fun => d; rewrite ffunE.
Qed.

Lemma tree_keeps req cs (r : rule R X Y Aux cs) (o : outcome r) A show y b :
  careful req r -> likelihood b o != 0 -> req (union setT b) -> bucket o A show y -> req (union A b).
Proof.
elim: r o A b => [cs' sh|c cs' M next IH] o A b; first by move=> _ _ h [-> _ _].
case=> kM knext; rewrite likelihoodE mulf_eq0 negb_or => /andP[M0 /prodf_neq0 kid0] hb [N [D [NQ bD ->]]].
rewrite -union_union.
have <- : union D [ffun d => union N (fun a => b (a, d))] = union D (fun d => union N (fun a => b (a, d))).
  by apply: eq_union_fun => d; rewrite ffunE.
apply: (IH N (o.2 N) D _ (knext N) (kid0 N NQ)) bD.
have -> : union setT [ffun d => union N (fun a => b (a, d))] =
    union N [ffun a => union setT (fun d => b (a, d))].
  rewrite (eq_union_fun setT (b' := fun d => union N (fun a => b (a, d)))); last by move=> d; rewrite ffunE.
  by rewrite union_swap; apply: eq_union_fun => a; rewrite ffunE.
apply: (kM _ _ _ M0) NQ.
rewrite (eq_union_fun setT (b' := fun a => union setT (fun d => b (a, d)))); last by move=> d; rewrite ffunE.
rewrite -union_swap union_union; move: hb; congr (is_true (req _)).
by congr (union _ b); apply/setP=> e; rewrite !inE.
Qed.

Lemma bag_sitting (p : pool R P X Y Z Aux) (A : {set addr (widths p)}) (x : world P X) v :
  injective (seat (p := p)) ->
  bag_of x (sitting A) v = (\sum_(d in A) \sum_(q < k p) (x (seat (d, q)) == v))%N.
Proof.
move=> inj; rewrite ffunE -sum1_card.
rewrite (eq_bigl (fun t => (t \in sitting A) && (x t == v))); last by move=> t; rewrite inE.
rewrite big_mkcondr big_imset /=; last by move=> i j _ _ /inj.
rewrite pair_big_dep /=.
by apply: eq_big => [[d q]|[d q] _]; rewrite ?inE ?andbT //=; case: (_ == v).
Qed.

Lemma sitting_bag (p : pool R P X Y Z Aux) (A : {set addr (widths p)}) (x : world P X) :
  injective (seat (p := p)) -> bag_of x (sitting A) = union A (class_bags p x).
Proof.
move=> inj; apply/ffunP=> v; rewrite bag_sitting // [RHS]ffunE; apply: eq_bigr => d _.
rewrite [in RHS]ffunE bag_sitting // (eq_bigl (fun e => e == d)); last by move=> e; rewrite inE.
by rewrite big_pred1_eq.
Qed.

Lemma people_sitting (p : pool R P X Y Z Aux) : people p = sitting [set: addr (widths p)].
Proof. 
rewrite /people /sitting; have -> // : [set i : addr (widths p) * 'I_(k p) | i.1 \in [set: addr (widths p)]] = setT.
by apply/setP=> i; rewrite !inE.
 Qed.

Lemma card_sitting (p : pool R P X Y Z Aux) (A : {set addr (widths p)}) :
  injective (seat (p := p)) -> #|sitting A| = (#|A| * k p)%N.
Proof.
move=> inj; rewrite card_imset // -[in RHS](card_ord (k p)) -cardsT -cardsX.
by apply: eq_card => -[d q]; rewrite !inE andbT.
Qed.

Variables (St : eqType) (stratum : P -> St).

Lemma published_shows (pr : program R P X Y Z Aux) used fixed (t : transcript pr) B show y x :
  dutiful stratum pr used fixed -> run x t != 0 -> published t B show y ->
  show (bag_of x B) y != 0.
Proof.
elim: pr used fixed t => //= [p next IH|C law next IH] used fixed; last first.
  case=> z t [_ later] /=; rewrite mulf_eq0 negb_or => /andP[_ r0]; exact: (IH z _ _ t (later z)).
case=> o t [[inj _ _] _ later] /=; rewrite mulf_eq0 negb_or => /andP[p0 r0] [|]; last first.
  exact: (IH o _ _ t (later o)).
case=> A [->]; rewrite sitting_bag //; move: o p0 {t later r0} => [z]; rewrite /pool_likelihood /=.
case E: (decide p z) => [r|] o //=; rewrite mulf_eq0 negb_or => /andP[_ l0].
exact: tree_shows.
Qed.

Lemma published_keeps req (pr : program R P X Y Z Aux) used fixed (t : transcript pr) B show y x :
  dutiful stratum pr used fixed -> promises req pr -> run x t != 0 -> published t B show y ->
  exists z, req z (bag_of x B).
Proof.
elim: pr used fixed t => //= [p next IH|C law next IH] used fixed; last first.
  case=> z t [_ later] prom /=; rewrite mulf_eq0 negb_or => /andP[_ r0].
  exact: (IH z _ _ t (later z) (prom z)).
case=> o t [[inj _ _] _ later] [judged prom] /=; rewrite mulf_eq0 negb_or => /andP[p0 r0] [|]; last first.
  exact: (IH o _ _ t (later o) (prom o)).
case=> A [->]; rewrite sitting_bag //; move: o p0 {t later r0} => [z]; rewrite /pool_likelihood /=.
case E: (decide p z) => [r|] o //=; rewrite mulf_eq0 negb_or => /andP[j0 l0] bA.
have [hb car] := judged _ _ _ j0 E; exists z.
apply: (tree_keeps car l0 _ bA); by rewrite -sitting_bag // -people_sitting.
Qed.
End Tells.
