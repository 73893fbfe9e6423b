// Package promise turns what an owner promises of a sensitive attribute into caps: the share that each value may have of
// the people of a bucket, at level L2.
//
// # What can be promised
//
// Let a pool have people, of whom a share q has a value. A bucket of the pool may have of the value
//
//   - with l: 1/l;
//   - with gain c: the share at which its odds are c times those of the reference share q, c q / (1 - q + c q). With q = m/n and
//     c = r/s that is rm / (rm + s(n-m));
//   - with both: the larger of the two;
//   - and never more than at_most says, of the value or of every value.
//
// The reference is what is declared, or each pool's own bag. Only with a declared one is it true that nobody's odds are more than
// c times those that were known before. With the pool's own they are no more than c times those that the pool's published
// table shows; and a value without at_most may have all of a bucket where the pool has nothing else. A value that a declared
// reference lacks has the cap 0 by gain alone, so gain alone suits closed domains. For two values the odds are bounded on both
// sides.
//
// A missing value is a value like others, or it is open: it has no cap, and shares and references are of those who have a value.
// That it is missing is then published without bound.
//
// # Guarantee (Lemma R)
//
// A requirement {sum of w(v) count(v) <= 0}, for one list of weights or several, is a function of the bag, and the union of
// two bags that keep it keeps it. So a pool can be published as one bucket if and only if it keeps it itself, and Merge finds
// buckets for it. By Theorem T (package merge) it says of each published person that the expectation of w(value), given all
// releases, is at most 0. Caps are such requirements: count <= a x people is w = [value is v] - a; among those who have a
// value, w = [v] - a [not missing]. The caps of a pool are made of the bag of the whole pool, which stays in
// every world that the proof of Theorem T compares: so they may depend on it.
//
// # Numbers
//
// Ratios are exact: they are read from decimal text with at most three digits behind the point, never from floating-point numbers.
// With at most 1000 for gain, and fewer than 2^34 people in a reference, a cap's terms are below 2^55. Comparisons of products
// have 128 bits. An auditor tests count x (rm + s(n-m)) <= rm x size, without logarithms.
//
// # Size of a pool
//
// A pool that is drawn like what is published exceeds a value's cap a with probability exp(-n KL(a, p)) at most, p being the value's
// published share. Need sums that over all capped values of all attributes: how the attributes depend on each other does not matter.
// With the pool's own reference only l and at_most count, since its share never exceeds a cap that is made of itself.
package promise
