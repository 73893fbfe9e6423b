package audit

import "slices"

// acrossNone marks a release that promises nothing next to others: made once,
// by a recoding that keeps no bound when two of its kind are compared.
const acrossNone = "none"

// Promise is what a semi-sensitive attribute keeps on its own (Li, He and Sun,
// section 2.2: the protections of the attributes are independent): L, no value
// of a local bucket above 1/L, or T, every bucket T-close to the reference.
type Promise struct {
	L         int          `json:"l"`
	T         float64      `json:"t"`
	Distance  string       `json:"distance"` // equal, ordered or hierarchical
	Reference []ValueCount `json:"reference"`
	Declared  bool         `json:"declared"` // the reference is the configuration's, not release 1's own bag
}

// ValueCount is a value and its weight in a reference distribution.
type ValueCount struct {
	Value string  `json:"value"`
	Count float64 `json:"count"`
}

// check tests what any later step relies on.
func (p *Promise) check() string {
	switch {
	case (p.L != 0) == (p.T != 0):
		return "a promise is not one of l and t"
	case p.L < 0 || p.L == 1 || p.T < 0 || p.T > 1:
		return "a promise is out of range"
	case p.L > 0:
		return ""
	case p.Distance != distanceEqual && p.Distance != distanceOrdered && p.Distance != distanceTree:
		return "a ground distance is not one this auditor knows"
	}
	seen := map[string]bool{}
	for _, v := range p.Reference {
		if v.Count <= 0 || seen[v.Value] {
			return "a reference distribution holds a value twice or without weight"
		}
		seen[v.Value] = true
	}
	if len(p.Reference) == 0 {
		return "t-closeness without a reference distribution"
	}
	return ""
}

func (p *Promise) equal(o *Promise) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.L == o.L && p.T == o.T && p.Distance == o.Distance && p.Declared == o.Declared && slices.Equal(p.Reference, o.Reference)
}

// checkSemi tests the schema entry of a semi-sensitive attribute.
func (m *Manifest) checkSemi(c *Column) string {
	switch {
	case m.Recoding != recodingLGB:
		return "a semi-sensitive attribute needs recoding lgb"
	case c.Promise == nil:
		return "a semi-sensitive attribute has no promise"
	}
	return c.Promise.check()
}

// loose reports a release whose rows bind sensitive values to quasi-identifiers
// or whose classes have no common cells. Its files are read and counted, its
// promise is none.
func (m *Manifest) loose() bool {
	return m.Recoding == recodingRandomization || m.Method == methodRing || m.mixedSlice()
}

// mixedSlice reports a slice that holds the sensitive attribute together with others.
func (m *Manifest) mixedSlice() bool {
	for _, s := range m.Slices {
		if len(s) > 1 && slices.Contains(s, m.sensitive()) {
			return true
		}
	}
	return false
}

func (m *Manifest) sensitive() string {
	for _, c := range m.Schema {
		if c.Role == "sensitive" {
			return c.Name
		}
	}
	return ""
}

// whyNothing says, in words for the report, why a release can never be
// certified; empty: it can.
func (m *Manifest) whyNothing() string {
	switch {
	case m.Recoding == recodingRandomization:
		return "sensitive values are replaced at random: a row shows its person's value with a probability that the retention decides, not l"
	case m.Method == methodRing:
		return "each row has cells of its own (method ng): who is in which row can be narrowed down, and no bound 1/l is claimed"
	case m.mixedSlice():
		return "a slice joins the sensitive attribute with quasi-identifiers: who has those values is told more than the share in the group"
	case m.Across == acrossNone:
		return "the manifest promises nothing across releases"
	}
	return ""
}

// methodRing is ring-style non-homogeneous generalization.
const methodRing = "ng"

// Names of the recodings.
const (
	recodingGeneralization = "generalization"
	recodingAnatomy        = "anatomy"
	recodingPermutation    = "permutation"
	recodingSlicing        = "slicing"
	recodingLGB            = "lgb"
	recodingRandomization  = "randomization"
	recodingBuckets        = "buckets" // level L2
)
