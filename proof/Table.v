(** * The table of requirements that the tests of equivclass/merge read (testdata/contract.txt).

    A requirement gives each value the largest share num/den that it may have of a bucket's
    people, or (partial) of those who do not have value 0, which stands for "no value" and has no
    cap. It may ask
    for a number of different values. [holds] is its definition; caps are those of the theorem
    [capped]. A line has the number of values, the caps, whether they are partial, how many
    different values are asked for, and then for each bag of 1 to 18 people whether it holds: by the number of
    people, then by the counts of the values, ascending. *)
From Coq Require Import String Ascii.
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Record requirement := Requirement { caps : seq (nat * nat); partial : bool; distinct : nat }.

Definition holds (r : requirement) (b : seq nat) : bool :=
  let people := sumn b - (if partial r then head 0 b else 0) in
  let capped := zip b (caps r) in
  all (fun p : nat * (nat * nat) => p.1 * p.2.2 <= p.2.1 * people)
    (if partial r then behead capped else capped) &&
  (distinct r <= count (fun n => 0 < n) b).

(** The bags of so many people over so many values. *)
Fixpoint bags (values people : nat) : seq (seq nat) :=
  match values with
  | 0 => [::]
  | 1 => [:: [:: people]]
  | v.+1 => flatten [seq [seq n :: b | b <- bags v (people - n)] | n <- iota 0 people.+1]
  end.
Definition all_bags (values : nat) := flatten [seq bags values n | n <- iota 1 18].

Fixpoint choices (values : nat) (some : seq (nat * nat)) : seq (seq (nat * nat)) :=
  if values is v.+1 then [seq c :: cs | c <- some, cs <- choices v some] else [:: [::]].
Definition shares := [:: (1, 3); (1, 2); (1, 1)].
Definition requirements (values : nat) : seq requirement :=
  [seq Requirement c false 1 | c <- choices values shares] ++
  [seq Requirement c false 2 | c <- [:: nseq values (1, 2); nseq values (1, 1)]] ++
  [seq Requirement ((1, 1) :: c) true 1 | c <- choices values.-1 [:: (1, 2); (2, 3)]].

Local Open Scope string_scope.
Definition digit (n : nat) : string := String (ascii_of_nat (48 + n)) "".
Definition line (values : nat) (r : requirement) : string :=
  digit values ++ "|" ++
  concat " " [seq digit c.1 ++ "/" ++ digit c.2 | c <- caps r] ++ "|" ++
  (if partial r then "partial" else "all") ++ "|" ++ digit (distinct r) ++ "|" ++
  concat "" [seq (if holds r b then "1" else "0") | b <- all_bags values].
Definition table : seq string := flatten [seq [seq line v r | r <- requirements v] | v <- [:: 2; 3]%nat].
Set Printing Depth 1000000. Set Printing Width 1000000.
Eval vm_compute in table.
