package lgb

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/flagged"
)

// LGB is local generalization and bucketization (Li, He and Sun, "Local
// Generalization and Bucketization Technique for Personalized Privacy
// Preservation", Algorithm 1).
//
// Guarantee, against an adversary who knows everybody's QI values and flags:
// each record's row is one of K or more (Corollary 1), and each sensitive value
// of an attribute lies in a local bucket that keeps the attribute's promise.
// With l, a bucket has at least l values, no two equal, so that no value is
// more probable than 1/l (Corollary 2). With a principle, the bucket satisfies
// it and a value's probability is its share of the bucket. Corollary 2 counts
// arrangements of people in rows; with Nested the bound also holds if
// assignments of values are counted (level L0), see nested.
//
// Method: records with the same flags are a subset of the QI partition. Each
// subset is cut into local equivalence groups by Local (lgb-mdp: Mondrian,
// lgb-ncp: NCPSplit). The sensitive values of each attribute are cut into local
// buckets on their own. The protections do not depend on each other, so their
// order does not matter.
//
// Difference from the paper: it lists each subset of the QI partition as a
// group whatever its size, so a subset of fewer than K records would break the
// promise (Proposition 2 overlooks it). Here its records either join a larger
// subset by protecting more of their values than they asked (Fold), or are
// withheld.
//
// Fold applies to attributes with a principle only. A folded value stays known,
// because its person said that it is not secret. Buckets of a principle are
// unions of whole groups (groupUnion), so an adversary can remove the known
// value from a bucket that all rows of the group share, and the flagged values
// that remain satisfy the principle. Under l it would do harm in two ways. What
// remains of a bucket may be fewer than l values. And because buckets cross
// groups, the one row of the group whose bucket shows the known value is its
// person's, which breaks promise K1 (TestLGBFoldUnderLWouldBreakK1).
//
// Cost: that of Local, and n log n for each attribute with sensitive values.
type LGB struct {
	K        int
	Promises []LocalPromise // by attribute; needed where a value is sensitive
	Local    equivclass.Partitioner
	Fold     bool
	Nested   bool     // buckets under l do not cross groups: ours, not Algorithm 2
	Seed     [32]byte // of the order in which records of one value are assigned
}

// LocalPromise is what each local bucket of an attribute keeps: L different
// values, none twice, or, for domains too small for that, a principle such as
// t-closeness. A bucket of a principle has at least two flagged records. A
// TClose without reference is compared with all values of the buckets, which
// are published.
type LocalPromise struct {
	L         int
	Principle equivclass.Principle // used if L is 0
}

// Result is a table cut into local equivalence groups and local buckets. A
// release shows a record's QI values generalized as its group's, and in place
// of each sensitive value a random one of its bucket, each once (see Permute).
type Result struct {
	Groups  [][]int32   // local equivalence groups; Rest is in none
	Flags   []uint64    // by group: the attributes that are bucketed
	Buckets [][][]int32 // by attribute: local buckets
	Rest    []int32     // withheld: too few share their QI attributes
}

// InfeasibleError says that the sensitive values of an attribute cannot keep
// its promise: one value has more than 1/l of them. Value is not in the text.
type InfeasibleError struct {
	Attribute int
	Promise   LocalPromise
	Value     equivclass.Code // the most frequent one
	Count     int
	Total     int
}

// Reachable is the largest l that the values allow.
func (e *InfeasibleError) Reachable() int { return e.Total / max(e.Count, 1) }

// Error implements error.
func (e *InfeasibleError) Error() string {
	if e.Promise.L == 0 {
		return fmt.Sprintf("attribute %d: even all %d sensitive values together do not satisfy %s: relax it", e.Attribute, e.Total,
			e.Promise.Principle.Name())
	}
	return fmt.Sprintf("attribute %d: one value has %d of %d sensitive values, more than 1/%d: l = %d is the largest that can be kept",
		e.Attribute, e.Count, e.Total, e.Promise.L, e.Reachable())
}

// Run cuts the table. The table is not changed.
func (m LGB) Run(t *flagged.Table) (*Result, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	held := make([]bool, t.Len())
	for {
		out, misfits, err := m.attempt(t, held)
		if err != nil {
			return nil, err
		}
		if len(misfits) == 0 {
			return out, nil
		}
		for _, r := range misfits {
			held[r] = true
		}
	}
}

// attempt cuts the records that are not held. misfits are folded records that
// keep an attribute from its promise. Everything is then repeated without them,
// because groups and the buckets of other attributes change. There are fewer
// each time.
func (m LGB) attempt(t *flagged.Table, held []bool) (out *Result, misfits []int32, err error) {
	space := equivclass.NewSpace(t.Dicts)
	out = &Result{Buckets: make([][][]int32, len(t.Dicts))}
	subsets, rest := m.subsets(t, held)
	out.Rest = rest
	for _, s := range subsets {
		m.generalize(t, space, s, out)
	}
	for j := range t.Dicts {
		rows := flaggedRows(subsets, j)
		if len(rows) == 0 {
			continue
		}
		if out.Buckets[j], err = m.bucketize(t, space, out, j, rows); err != nil {
			for _, r := range rows {
				if t.Flags[r]>>j&1 == 0 {
					misfits = append(misfits, r)
				}
			}
			if len(misfits) > 0 {
				return nil, misfits, nil
			}
			return nil, nil, err
		}
	}
	return out, nil, nil
}

// bucketize cuts the bucketed values of one attribute into local buckets.
func (m LGB) bucketize(t *flagged.Table, space *equivclass.Space, cut *Result, j int, rows []int32) ([][]int32, error) {
	if len(m.Promises) <= j || (m.Promises[j].L < 1 && m.Promises[j].Principle == nil) {
		return nil, fmt.Errorf("attribute %d has sensitive values but no promise: give it an l or a principle", j)
	}
	promise := m.Promises[j]
	var buckets [][]int32
	if promise.L > 0 && m.Nested {
		buckets = m.nested(t, newGroupUnion(t, space, cut, j, equivclass.FrequencyL{L: promise.L}, 1), promise.L)
	} else if promise.L > 0 {
		buckets = localBuckets(t.Codes[j], flagged.CanonicalOrder(t.Dicts[j]), rows, promise.L, m.draws(j))
	} else {
		want := promise.Principle
		if c, ok := want.(equivclass.TClose); ok && c.Reference.Total == 0 {
			c.Reference = equivclass.BagOf(t.Codes[j], rows)
			want = c
		}
		buckets = newGroupUnion(t, space, cut, j, want, 2).buckets()
	}
	if buckets == nil {
		return nil, infeasible(t, j, rows, promise)
	}
	return buckets, nil
}

// draws are the random draws of one attribute.
func (m LGB) draws(j int) equivclass.Source {
	return rand.NewChaCha8(sha256.Sum256(append(m.Seed[:], byte(j))))
}

func infeasible(t *flagged.Table, j int, rows []int32, promise LocalPromise) error {
	counts := make([]int, t.Dicts[j].Len())
	e := &InfeasibleError{Attribute: j, Promise: promise, Total: len(rows)}
	for _, r := range rows {
		c := t.Codes[j][r]
		if counts[c]++; counts[c] > e.Count {
			e.Count, e.Value = counts[c], c
		}
	}
	return e
}
