(** * What the theorems speak of: definitions only, no proofs.

    People have something sensitive, a program publishes pools of people, someone
    reads all that is published. Read this file and Theorems.v; the other files are
    proofs that the machine has checked. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Bags *)

(** A bag says how many people have each value. *)
Definition bag (X : finType) := {ffun X -> nat}.

(** How many people of a bag have a value in S. *)
Definition number (X : finType) (S : pred X) (b : bag X) : nat := (\sum_(v | S v) b v)%N.

(** The union of the bags of the parts in A. *)
Definition union (X I : finType) (A : {set I}) (b : I -> bag X) : bag X :=
  [ffun v => \sum_(i in A) b i v]%N.

(** ** Merge

    A law of Merge gives, for a list of m bags, the probability of each set of groups
    of the positions, together with what else comes to light of type C, such as how long it
    took. The draws of the program are inside of it: they are what makes it a probability. *)
Definition mergelaw (R : realFieldType) (X : finType) (C : Type) (m : nat) :=
  {ffun 'I_m -> bag X} -> {set {set 'I_m}} -> C -> R.

(** Renaming the positions of the list renames those of the groups, with the same
    probability: position i of the new list is position p i of the old one. *)
Definition equivariant R X C m (M : mergelaw R X C m) : Prop :=
  forall (p : {perm 'I_m}) (b : {ffun 'I_m -> bag X}) (Q : {set {set 'I_m}}) (c : C),
    M [ffun i => b (p i)] [set p @^-1: N | N : {set 'I_m} in Q] c = M b Q c.

(** The groups that come out do not overlap and leave nobody out. *)
Definition partitions R X C m (M : mergelaw R X C m) : Prop :=
  forall b Q c, M b Q c != 0 -> partition Q [set: 'I_m].

(** If the requirement holds for the bag of all parts, it holds for that of each group. *)
Definition keeps R X C m (req : bag X -> bool) (M : mergelaw R X C m) : Prop :=
  forall b Q c, M b Q c != 0 -> req (union setT b) -> forall N, N \in Q -> req (union N b).

(** ** How a pool is divided (Theorems E and F)

    A pool is a tree of equal parts: c parts of c' parts each of c'' parts and so on.
    [widths] are c, c', c'', and so on. A class has an address: its part, its part's part, ... *)
Fixpoint addr (widths : seq nat) : finType :=
  if widths is c :: cs then [finType of 'I_c * addr cs] else [finType of unit].

Section Model.
Variable R : realFieldType.  (* probabilities *)
Variables P X : finType.     (* people; what is sensitive of one person: a value, a tuple, a history *)
Variables Y Z C : Type.      (* what is published of a bucket, otherwise, and of a Merge besides its groups *)

(** How a node is divided is a public rule. [Whole show]: all classes of the node are one
    bucket, and of its bag b the text y is published with probability [show b y].
    [Divide M next]: Merge groups the parts of the node, and the group N, which may have
    several parts ("strands"), is a node that is divided by [next N].
    A rule contains no world: it cannot look at who has what. *)
Inductive rule : seq nat -> Type :=
| Whole cs (show : bag X -> Y -> R) : rule cs
| Divide c cs (M : mergelaw R X C c) (next : {set 'I_c} -> rule cs) : rule (c :: cs).

(** What comes out: the groups of each division and what is published of each bucket. *)
Fixpoint outcome cs (r : rule cs) : Type :=
  match r with
  | Whole _ _ => Y
  | Divide c cs M next => ({set {set 'I_c}} * C * (forall N, outcome (next N)))%type
  end.

(** Its probability, given the bags b of the classes. Of a part, Merge sees the bag of all
    its classes. In a node of several strands the classes at the same place of all strands
    are one (aligned refinement): their bags are added. *)
Fixpoint likelihood cs (r : rule cs) : {ffun addr cs -> bag X} -> outcome r -> R :=
  match r as r in rule w return {ffun addr w -> bag X} -> outcome r -> R with
  | Whole cs show => fun b y => show (union setT b) y
  | Divide c cs M next => fun (b : {ffun 'I_c * addr cs -> bag X}) o =>
      M [ffun a => union setT (fun d => b (a, d))] o.1.1 o.1.2 *
      \prod_(N in o.1.1) @likelihood cs (next N) [ffun d => union N (fun a => b (a, d))] (o.2 N)
  end.

(** [bucket o A show y]: the classes with addresses in A are a bucket of the outcome o, of
    which the law [show] published y. *)
Fixpoint bucket cs (r : rule cs) : outcome r -> {set addr cs} -> (bag X -> Y -> R) -> Y -> Prop :=
  match r as r in rule w return outcome r -> {set addr w} -> (bag X -> Y -> R) -> Y -> Prop with
  | Whole cs show => fun y A show' y' => [/\ A = setT, show' = show & y' = y]
  | Divide c cs M next => fun o A show y =>
      exists N (D : {set addr cs}),
        [/\ N \in o.1.1, @bucket cs (next N) (o.2 N) D show y
          & A = [set e : 'I_c * addr cs | (e.1 \in N) && (e.2 \in D)]]
  end.

(** Every Merge of a rule keeps its contract. *)
Fixpoint lawful cs (r : rule cs) : Prop :=
  match r with
  | Whole _ _ => True
  | Divide c cs M next => [/\ equivariant M, partitions M & forall N, lawful (next N)]
  end.

(** Every Merge of a rule keeps a requirement. *)
Fixpoint careful (req : bag X -> bool) cs (r : rule cs) : Prop :=
  match r with
  | Whole _ _ => True
  | Divide c cs M next => keeps req M /\ forall N, careful req (next N)
  end.

(** ** Pools

    Each class of a pool has exactly k seats, and each seat has one person. First the pool
    is judged by the bag of all its people: the verdict z has probability [judge b z].
    The verdict decides how the pool is divided, or that it is not published
    ([None]: quarantined as a whole). The verdict is published. *)
Record pool := Pool {
  widths : seq nat;
  k : nat;
  seat : addr widths * 'I_k -> P;
  judge : bag X -> Z -> R;
  decide : Z -> option (rule widths)
}.

Definition world := {ffun P -> X}.

(** The bag of a set of people. *)
Definition bag_of (x : world) (B : {set P}) : bag X := [ffun v => #|[set t in B | x t == v]|].

Definition people (p : pool) : {set P} := [set seat i | i in [set: addr (widths p) * 'I_(k p)]].

(** The people on the seats of some classes. *)
Definition sitting (p : pool) (A : {set addr (widths p)}) : {set P} :=
  [set seat i | i in [set i : addr (widths p) * 'I_(k p) | i.1 \in A]].

Definition class_bags (p : pool) (x : world) : {ffun addr (widths p) -> bag X} :=
  [ffun d => bag_of x (sitting [set d])].

Definition divided cs (d : option (rule cs)) : Type := if d is Some r then outcome r else unit.
Definition pool_outcome (p : pool) : Type := {z : Z & divided (decide p z)}.

Definition divided_likelihood cs (d : option (rule cs)) : {ffun addr cs -> bag X} -> divided d -> R :=
  match d return {ffun addr cs -> bag X} -> divided d -> R with
  | Some r => @likelihood cs r
  | None => fun _ _ => 1
  end.

Definition pool_likelihood (p : pool) (x : world) (o : pool_outcome p) : R :=
  judge p (bag_of x (people p)) (projT1 o) * divided_likelihood (class_bags p x) (projT2 o).

Definition divided_bucket cs (d : option (rule cs)) :
    divided d -> {set addr cs} -> (bag X -> Y -> R) -> Y -> Prop :=
  match d return divided d -> {set addr cs} -> (bag X -> Y -> R) -> Y -> Prop with
  | Some r => @bucket cs r
  | None => fun _ _ _ _ => False
  end.

(** [pool_bucket o B show y]: the people B are a bucket of the pool's outcome o. *)
Definition pool_bucket (p : pool) (o : pool_outcome p) (B : {set P}) show y : Prop :=
  exists A : {set addr (widths p)}, B = sitting A /\ divided_bucket (projT2 o) A show y.

(** ** The program

    A program is a tree of what it does next, depending on what has been published and on
    nothing else: pools are functions of earlier outcomes, and of quasi-identifiers and
    arrivals, which are constants here. Worlds do not occur in it, so it cannot look at
    values but through the laws of its pools and through [Later].

    [Later B law next]: at any later time something about a set of people B that was fixed
    before (a bucket, a pool) is published or decided, with a law that sees the bag of B:
    that a bucket leaves since so many of its people asked for it, how many of them sent
    an update, and so on. *)
Inductive program :=
| Stop
| Publish (p : pool) (next : pool_outcome p -> program)
| Later (B : {set P}) (law : bag X -> Z -> R) (next : Z -> program).

(** A transcript is all that is published: what the adversary knows. *)
Fixpoint transcript (pr : program) : Type :=
  match pr with
  | Stop => unit
  | Publish p next => {o : pool_outcome p & transcript (next o)}
  | Later B law next => {z : Z & transcript (next z)}
  end.

(** Its probability in a world. The draws of different Merges are independent. *)
Fixpoint run (pr : program) : world -> transcript pr -> R :=
  match pr return world -> transcript pr -> R with
  | Stop => fun _ _ => 1
  | Publish p next => fun x t => pool_likelihood x (projT1 t) * run x (projT2 t)
  | Later B law next => fun x t => law (bag_of x B) (projT1 t) * run x (projT2 t)
  end.

(** [published t B show y]: B is a bucket of the transcript t, of which y was published. *)
Fixpoint published (pr : program) : transcript pr -> {set P} -> (bag X -> Y -> R) -> Y -> Prop :=
  match pr return transcript pr -> {set P} -> (bag X -> Y -> R) -> Y -> Prop with
  | Stop => fun _ _ _ _ => False
  | Publish p next => fun t B show y =>
      pool_bucket (projT1 t) B show y \/ published (projT2 t) B show y
  | Later B0 law next => fun t B show y => published (projT2 t) B show y
  end.

(** ** Duties of the program

    Strata are a public function of people: pools hold one stratum each. *)
Variable St : eqType.
Variable stratum : P -> St.

Definition well_formed (p : pool) : Prop :=
  [/\ injective (seat (p := p)),                                 (* each person has one seat *)
      forall i j, stratum (@seat p i) = stratum (@seat p j)      (* one stratum *)
    & forall z r, decide p z = Some r -> lawful r].              (* Merge keeps its contract *)

(** [dutiful pr used fixed]: nobody of [used] is in a pool of the program ([used] grows by
    every pool, whether it is published or quarantined: so nobody is in two pools), and
    [Later] asks only about sets that were [fixed] before: buckets and whole pools. *)
Fixpoint dutiful (pr : program) (used : {set P}) (fixed : {set P} -> Prop) : Prop :=
  match pr with
  | Stop => True
  | Publish p next =>
      [/\ well_formed p, [disjoint people p & used]
        & forall o, dutiful (next o) (used :|: people p)
            (fun B => [\/ fixed B, B = people p | exists show y, pool_bucket o B show y])]
  | Later B law next => fixed B /\ forall z, dutiful (next z) used fixed
  end.

(** The promise of a program: of every pool, the verdict that admits it says that its bag
    satisfies the requirement of that verdict, and every Merge keeps this. So a requirement
    may depend on the bag of the pool (a reference that is the pool's own shares). *)
Fixpoint promises (req : Z -> bag X -> bool) (pr : program) : Prop :=
  match pr with
  | Stop => True
  | Publish p next =>
      (forall b z r, judge p b z != 0 -> decide p z = Some r -> req z b /\ careful (req z) r)
      /\ forall o, promises req (next o)
  | Later B law next => forall z, promises req (next z)
  end.

(** ** The adversary *)

(** A prior is exchangeable inside strata if exchanging all that is sensitive of people of
    one stratum does not change it. Any law of what a single person has is allowed, any
    correlation of attributes and over time, and any differences between strata. *)
Definition act (s : {perm P}) (x : world) : world := [ffun t => x (s t)].
Definition exchangeable (prior : world -> R) : Prop :=
  forall s : {perm P}, (forall t, stratum (s t) = stratum t) -> forall x, prior (act s x) = prior x.

(** The event that what u has is in S. *)
Definition has (u : P) (S : pred X) : pred world := fun x => S (x u).

(** The weight of the worlds where an event is true and the transcript is t. *)
Definition weight (prior : world -> R) pr (t : transcript pr) (event : pred world) : R :=
  \sum_(x | event x) prior x * run x t.

(** The probability of an event for someone who has the transcript t and knows the program
    and the law of its draws. *)
Definition posterior (prior : world -> R) pr (t : transcript pr) (event : pred world) : R :=
  weight prior t event / weight prior t predT.

(** The expected value of a function of the world, likewise. *)
Definition expectation (prior : world -> R) pr (t : transcript pr) (f : world -> R) : R :=
  (\sum_x prior x * run x t * f x) / weight prior t predT.

(** What is published of a bucket tells how many of its people have a value in S. *)
Definition tells (show : bag X -> Y -> R) (S : pred X) (f : Y -> nat) : Prop :=
  forall b y, show b y != 0 -> number S b = f y.
End Model.
