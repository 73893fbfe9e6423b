(** * What happens without each condition: small worlds, counted.

    Each example drops one condition of Theorem T and counts all worlds and all draws. A pair
    (a, b) says: among b equally likely runs that look the same to the adversary, the person
    has the value in a. Every bucket keeps l = 2, so each a/b should be at most 1/2. The kernel computes
    these; nothing is left to a script.

    The rule of these examples is a plain one: the first group that is not eligible joins the
    first other one with which it is, or the last. With all conditions it is exact
    ([exact_with_all], [exact_levels]). *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** ** Worlds, bags, and a plain Merge *)

(** A world lists who has which value: person 0 first. *)
Definition worlds (n d : nat) : seq (seq nat) :=
  iter n (fun ws => [seq v :: w | v <- iota 0 d, w <- ws]) [:: [::]].
Definition bag_of (d : nat) (vs : seq nat) : seq nat := [seq count (pred1 v) vs | v <- iota 0 d].
Definition add (a b : seq nat) : seq nat := [seq p.1 + p.2 | p <- zip a b].
Definition eligible (b : seq nat) : bool := all (fun c => c * 2 <= sumn b) b.
Fixpoint before (a b : seq nat) : bool :=
  match a, b with x :: a', y :: b' => (x < y) || ((x == y) && before a' b') | _, _ => true end.

(** All worlds with the values of a given one: a prior that is exchangeable. *)
Definition arrangements (d : nat) (x : seq nat) : seq (seq nat) :=
  let same (w : seq nat) := bag_of d w == bag_of d x in [seq w <- worlds (size x) d | same w].

(** All orders of 0..m-1: the draws. *)
Fixpoint everywhere (x : nat) (s : seq nat) : seq (seq nat) :=
  if s is y :: s' then (x :: s) :: [seq y :: r | r <- everywhere x s'] else [:: [:: x]].
Fixpoint orders (m : nat) : seq (seq nat) :=
  if m is m'.+1 then flatten [seq everywhere m' s | s <- orders m'] else [:: [::]].

(** A group: its members and its bag. *)
Definition group := (seq nat * seq nat)%type.
Definition join (g h : group) : group := (g.1 ++ h.1, add g.2 h.2).
Fixpoint plain (fuel : nat) (gs : seq group) : seq group :=
  if fuel is f.+1 then
    let i := find (fun g => ~~ eligible g.2) gs in
    if (i == size gs) || (size gs <= 1) then gs else
    let g := nth ([::], [::]) gs i in
    let rest := take i gs ++ drop i.+1 gs in
    let j := find (fun h => eligible (add g.2 h.2)) rest in
    let j := if j < size rest then j else (size rest).-1 in
    plain f (set_nth ([::], [::]) rest j (join (nth ([::], [::]) rest j) g))
  else gs.
Definition canonical (gs : seq group) : seq group :=
  sort (fun g h => head 0 g.1 <= head 0 h.1) [seq (sort leq g.1, g.2) | g <- gs].

(** Merge of some parts, each with its members: parts in a drawn order, sorted by bag. *)
Definition merge (parts : seq group) (order : seq nat) : seq group :=
  let part i := nth ([::], [::]) parts i in
  let at_ := sort (fun i j => before (part i).2 (part j).2) order in
  canonical (plain (size parts) [seq part i | i <- at_]).
(** The same without sorting: parts in the order they are given. *)
Definition merge_unsorted (parts : seq group) : seq group := canonical (plain (size parts) parts).

(** Classes of given sizes, in the order of people, from one person on. *)
Fixpoint classes (d from : nat) (sizes : seq nat) (x : seq nat) : seq group :=
  if sizes is k :: ks then
    (iota from k, bag_of d (take k (drop from x))) :: classes d (from + k) ks x
  else [::].
Definition whole (d : nat) (parts : seq group) : seq nat := foldr add (nseq d 0) [seq g.2 | g <- parts].

(** ** What the adversary believes *)

(** What is published: people, and what is said of them. *)
Definition seen := seq group.
(** A scheme: the outcomes of its draws, and what is published. The weight of a world is its prior. *)
Record scheme := Scheme { draws : seq (seq (seq nat)); publish : seq nat -> seq (seq nat) -> seen }.

Section Belief.
Variables (ws : seq (seq nat)) (prior : seq nat -> nat) (s : scheme).
Definition runs : seq (seq nat * seen) := [seq (x, publish s x c) | x <- ws, c <- draws s].
(** Among the runs that look like that in world x with draws c, those where [what] is true of the world. *)
Definition belief (x : seq nat) (c : seq (seq nat)) (what : pred (seq nat)) : nat * nat :=
  let o := publish s x c in
  let same := [seq r.1 | r <- runs & r.2 == o] in
  (sumn [seq prior y | y <- same & what y], sumn [seq prior y | y <- same]).
(** Everyone in every bucket has every value with exactly their share, in all that can be seen. *)
Definition exact (d : nat) : bool :=
  let rs := runs in
  all (fun o : seen =>
    let same := [seq r.1 | r <- rs & r.2 == o] in
    let all_ := sumn [seq prior y | y <- same] in
    all (fun g : group => all (fun t => all (fun v =>
      sumn [seq prior y | y <- same & nth 0 y t == v] * size g.1 == nth 0 g.2 v * all_)
      (iota 0 d)) g.1) o) (undup [seq r.2 | r <- rs]).
(** The highest posterior that anybody may have of anyone in a bucket. *)
Definition higher (a b : nat * nat) : nat * nat :=
  if (N.of_nat b.1 * N.of_nat a.2 <? N.of_nat a.1 * N.of_nat b.2)%num then a else b.
Definition worst (d : nat) : nat * nat :=
  let rs := runs in
  foldl (fun best (o : seen) =>
    let same := [seq r.1 | r <- rs & r.2 == o] in
    let all_ := sumn [seq prior y | y <- same] in
    foldl (fun best (g : group) => foldl (fun best t => foldl (fun best v =>
      higher (sumn [seq prior y | y <- same & nth 0 y t == v], all_) best)
      best (iota 0 d)) best g.1) best o) (0, 1) (undup [seq r.2 | r <- rs]).
End Belief.
Definition uniform (x : seq nat) : nat := 1.
(** An urn: a value that was drawn becomes more likely. It is exchangeable, and not independent. *)
Definition urn (x : seq nat) : nat :=
  (foldl (fun (s : nat * seq nat) v => (s.1 * (nth 0 s.2 v).+1, set_nth 0 s.2 v (nth 0 s.2 v).+1)) (1, [::]) x).1.

Definition one_draw (m : nat) := [seq [:: o] | o <- orders m].
Definition two_draws (m m' : nat) := [seq [:: o; o'] | o <- orders m, o' <- orders m'].
Definition draw (c : seq (seq nat)) i := nth [::] c i.
Definition admitted (d : nat) (parts : seq group) (out : seen) : seen :=
  if eligible (whole d parts) then out else [::].

(** ** With all conditions *)
Definition good (d : nat) (sizes : seq nat) : scheme :=
  Scheme (one_draw (size sizes)) (fun x c =>
    let ps := classes d 0 sizes x in admitted d ps (merge ps (draw c 0))).
Example exact_with_all :
  exact (worlds 4 3) uniform (good 3 [:: 1; 1; 1; 1]) 3 &&
  exact (worlds 4 2) urn (good 2 [:: 1; 1; 1; 1]) 2 && exact (worlds 6 2) urn (good 2 [:: 2; 2; 2]) 2.
Proof. by vm_compute. Qed.

(** Two levels (Theorem F): two sub-pools of two classes of one person each. Sub-pool s has the
    classes s and s + 2. *)
Definition strands (d : nat) (x : seq nat) : seq group :=
  [seq ([:: s; s + 2], bag_of d [:: nth 0 x s; nth 0 x (s + 2)]) | s <- iota 0 2].
Definition single (d : nat) (x : seq nat) (t : nat) : group := ([:: t], bag_of d [:: nth 0 x t]).
Definition refine (d : nat) (x : seq nat) (order : seq nat) (g : group) : seq group :=
  if size g.1 == 2 then merge [seq single d x t | t <- g.1] order
  else merge [seq join (single d x i) (single d x i.+1) | i <- [:: 0; 2]] order.
Definition aligned (d : nat) : scheme :=
  Scheme [seq a ++ b | a <- two_draws 2 2, b <- one_draw 2] (fun x c => let ps := strands d x in admitted d ps
    (flatten [seq refine d x (draw c (head 0 g.1).+1) g | g <- merge ps (draw c 0)])).
Example exact_levels : exact (worlds 4 2) urn (aligned 2) 2 && exact (worlds 4 3) uniform (aligned 3) 3.
Proof. by vm_compute. Qed.

(** ** Without one condition *)

(** Equivariance: equal bags in the order of class numbers; groups in the order of class
    numbers; the draws are known. *)
Definition no_draw (d : nat) (sizes : seq nat) : scheme :=
  Scheme [:: [::]] (fun x _ => let ps := classes d 0 sizes x in admitted d ps (merge ps (iota 0 (size ps)))).
Definition unsorted (d : nat) (sizes : seq nat) : scheme :=
  Scheme [:: [::]] (fun x _ => let ps := classes d 0 sizes x in admitted d ps (merge_unsorted ps)).
Definition draws_known (d : nat) (sizes : seq nat) : scheme :=
  Scheme (one_draw (size sizes)) (fun x c => let ps := classes d 0 sizes x in
    admitted d ps (merge ps (draw c 0) ++ [:: ([::], draw c 0)])).
(** Values are numbered by first appearance, as a dictionary does. *)
Definition undup_first (x : seq nat) : seq nat := foldl (fun s v => if v \in s then s else rcons s v) [::] x.
Definition by_code (d : nat) (sizes : seq nat) : scheme :=
  Scheme (one_draw (size sizes)) (fun x c =>
    let y := [seq index v (undup_first x) | v <- x] in
    let ps := classes d 0 sizes x in
    admitted d ps [seq (g.1, bag_of d [seq nth 0 x t | t <- g.1]) | g <- merge (classes d 0 sizes y) (draw c 0)]).
(** Equal sizes of the parts. *)
Definition unequal := good 3 [:: 1; 2; 3].
Example equal_bags_by_number : worst (worlds 4 3) uniform (no_draw 3 [:: 1; 1; 1; 1]) 3 = (1, 1).
Proof. by vm_compute. Qed.
Example groups_by_number : worst (worlds 4 3) uniform (unsorted 3 [:: 1; 1; 1; 1]) 3 = (1, 1).
Proof. by vm_compute. Qed.
Example draws_told : worst (arrangements 3 [:: 0; 1; 1; 2]) uniform (draws_known 3 [:: 1; 1; 1; 1]) 3 = (1, 1).
Proof. by vm_compute. Qed.
Example values_by_code : worst (worlds 4 3) uniform (by_code 3 [:: 1; 1; 1; 1]) 3 = (24, 24).
Proof. by vm_compute. Qed.
Example unequal_sizes : belief (worlds 6 3) uniform unequal [:: 0; 0; 1; 0; 2; 2] [:: [:: 0; 1; 2]]
  (fun x => nth 0 x 0 == 0) = (36, 36).
Proof. by vm_compute. Qed.

(** A group that was merged is not refined: here two sub-pools of two classes, of which one
    is not eligible, are divided by a Merge of all four classes. (What is published of pools
    whose sub-pools stand alone is left out.) With aligned parts it is exact ([exact_levels]). *)
Definition refined (d : nat) : scheme :=
  Scheme (one_draw 4) (fun x c =>
    let ps := classes d 0 [:: 2; 2; 2; 2] x in
    let pick i := nth ([::], [::]) ps i in
    let alone := eligible (whole d [:: pick 0; pick 2]) && eligible (whole d [:: pick 1; pick 3]) in
    if alone then [::] else admitted d ps (merge ps (draw c 0))).
Example merged_group_refined : belief (arrangements 3 [:: 0; 0; 1; 2; 0; 1; 1; 2]) uniform (refined 3)
  [:: 0; 0; 1; 2; 0; 1; 1; 2] [:: [:: 0; 1; 2; 3]] (fun x => nth 0 x 0 == 0) = (96, 96).
Proof. by vm_compute. Qed.

(** A pool that is not eligible is quarantined whole: here it waits for the next people. *)
Definition carried (d : nat) : scheme :=
  Scheme (two_draws 2 4) (fun x c =>
    let first := classes d 0 [:: 1; 1] x in let second := classes d 2 [:: 1; 1] x in
    if eligible (whole d first) then merge first (draw c 0) ++ admitted d second (merge second (draw c 0))
    else admitted d (first ++ second) (merge (first ++ second) (draw c 1))).
Example pool_carried_over : belief (arrangements 3 [:: 0; 0; 1; 2]) uniform (carried 3)
  [:: 0; 0; 1; 2] [:: [:: 0; 1]; [:: 0; 1; 2; 3]] (fun x => nth 0 x 0 == 0) = (96, 96).
Proof. by vm_compute. Qed.

(** The people of a pool are committed before its bag is looked at: here a pool that is eligible
    is stopped, and decided with newcomers; one that is not is quarantined at once. *)
Definition stopped (d : nat) : scheme :=
  Scheme (one_draw 4) (fun x c =>
    let first := classes d 0 [:: 1; 1] x in let all_ := classes d 0 [:: 1; 1; 1; 1] x in
    if eligible (whole d first) then admitted d all_ (merge all_ (draw c 0)) else [:: ([:: 9], [::])]).
Example eligible_pool_planned_anew : worst (worlds 4 2) uniform (stopped 2) 2 = (192, 192).
Proof. by vm_compute. Qed.

(** Admission sees the bag alone: here it sees who has a value. *)
Definition first_decides (d : nat) : scheme :=
  Scheme (one_draw 2) (fun x c => let ps := classes d 0 [:: 1; 1] x in
    if nth 0 x 0 == 0 then [::] else admitted d ps (merge ps (draw c 0))).
Example admission_by_a_person : worst (worlds 2 2) uniform (first_decides 2) 2 = (2, 2).
Proof. by vm_compute. Qed.

(** All or nothing: here the surplus of a frequent value is held back. *)
Definition held_back (d : nat) : scheme :=
  Scheme [:: [::]] (fun x _ =>
    let fits i := count (pred1 (nth 0 x i)) (take i x) < 1 in
    let who := [seq i <- iota 0 3 | fits i] in
    if size who == 2 then [:: (who, bag_of d [seq nth 0 x i | i <- who])] else [::]).
Example surplus_held_back : belief (worlds 3 2) uniform (held_back 2) [:: 0; 0; 1] [::]
  (fun x => nth 0 x 1 == nth 0 x 0) = (2, 2).
Proof. by vm_compute. Qed.

(** Nobody is in two pools: here everyone sends the same value twice, and is published in a
    fresh bucket the second time. *)
Definition second_records (d : nat) : scheme :=
  Scheme [:: [::]] (fun x _ =>
    let pair i j := ([:: i; j], bag_of d [:: nth 0 x i; nth 0 x j]) in
    let first := [:: pair 0 1; pair 2 3] in let second := [:: pair 0 2; pair 1 3] in
    if all (fun g => eligible g.2) (first ++ second) then first ++ second else [::]).
Example published_twice : worst (worlds 4 3) uniform (second_records 3) 3 = (1, 1).
Proof. by vm_compute. Qed.

(** Draws of two Merges are independent: here two pools share an order. *)
Definition shared (d : nat) : scheme :=
  Scheme (one_draw 4) (fun x c =>
    let first := classes d 0 [:: 1; 1; 1; 1] x in let second := classes d 4 [:: 1; 1; 1; 1] x in
    if eligible (whole d first) && eligible (whole d second)
    then merge first (draw c 0) ++ [seq ([seq t + 4 | t <- g.1], g.2) | g <- merge [seq ([seq t - 4 | t <- g.1], g.2) | g <- second] (draw c 0)]
    else [::]).
Example shared_draws : belief (arrangements 3 [:: 1; 0; 1; 2; 1; 1; 0; 2]) uniform (shared 3)
  [:: 1; 0; 1; 2; 1; 1; 0; 2] [:: [:: 1; 0; 2; 3]] (fun x => nth 0 x 0 == 2) = (58, 96).
Proof. by vm_compute. Qed.

(** One Merge over all attributes: here each has its own, and the second value follows from the
    first. Both bags of each person are told. *)
Definition two_merges (d : nat) : scheme :=
  Scheme (two_draws 4 4) (fun x c => let ps := classes d 0 [:: 1; 1; 1; 1] x in
    admitted d ps (merge ps (draw c 0) ++ merge ps (draw c 1))).
Example merge_for_each_attribute : belief (arrangements 3 [:: 0; 1; 1; 2]) uniform (two_merges 3)
  [:: 0; 1; 1; 2] [:: [:: 0; 1; 2; 3]; [:: 0; 2; 1; 3]] (fun x => nth 0 x 1 == 1) = (144, 144).
Proof. by vm_compute. Qed.

(** Caps on the values that are promised: here l holds for the pair (illness, drug) alone. The
    pairs 0 and 1 are one illness with two drugs. *)
Example joined_fields : belief (worlds 2 4) uniform (good 4 [:: 1; 1]) [:: 0; 1] [:: [:: 0; 1]] (fun x => nth 0 x 0 < 2) = (4, 4).
Proof. by vm_compute. Qed.

(** The prior is exchangeable inside a pool. Strata: the first person came twice, and whoever
    has value 0 comes twice. Windows: the first was observed longer, came once, and whoever has value 0
    comes again. Attendance that tells the value, quasi-identifiers likewise. *)
Definition comes_twice (x : seq nat) : nat := if (nth 0 x 0 == 0) && (nth 0 x 1 != 0) then 1 else 0.
Definition observed_longer (x : seq nat) : nat := if nth 0 x 0 != 0 then 1 else 0.
Example strata_mixed : worst (worlds 2 2) comes_twice (good 2 [:: 1; 1]) 2 = (2, 2).
Proof. by vm_compute. Qed.
Example windows_unequal : worst (worlds 2 2) observed_longer (good 2 [:: 1; 1]) 2 = (2, 2).
Proof. by vm_compute. Qed.

(** What happens later to a bucket sees its bag alone. Whoever has value 0 asks to be erased.
    Here the row of who asked leaves, or the class of who asked; if the bucket leaves whole,
    it is exact. *)
Definition row_leaves : scheme := Scheme (one_draw 2) (fun x c =>
  let ps := classes 2 0 [:: 1; 1] x in let out := admitted 2 ps (merge ps (draw c 0)) in
  out ++ [:: ([::], [seq t <- iota 0 2 | (out != [::]) && (nth 0 x t == 0)])]).
Definition bucket_leaves : scheme := Scheme (one_draw 2) (fun x c =>
  let ps := classes 2 0 [:: 1; 1] x in let out := admitted 2 ps (merge ps (draw c 0)) in
  out ++ [:: ([::], [:: nat_of_bool ((out != [::]) && (0 \in x))])]).
Example row_leaves_with_its_value : worst (worlds 2 2) uniform row_leaves 2 = (2, 2).
Proof. by vm_compute. Qed.
Example bucket_leaves_whole : exact (worlds 2 2) uniform bucket_leaves 2 = true.
Proof. by vm_compute. Qed.
