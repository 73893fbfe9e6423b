package snapshot

import (
	"fmt"

	"anond/equivclass/bucketize"
)

type randomization struct {
	single
	retention float64
	values    int
}

// Randomization (Zhu et al., after Chaytor and Wang, VLDB 2010) writes
// randomized.csv: exact quasi-identifiers and the sensitive value that the input
// has for the record, which the caller drew: its own with probability retention,
// else one of its class's values (bucketize.Randomize).
//
// It promises nothing alongside another release, nor 1/l within one (AcrossNone):
// a row shows its own value with probability bucketize.RetentionPosterior, at
// most that of values, the fewest different values that a class had to draw from.
func Randomization(retention float64, values int) Recoding {
	return &randomization{retention: retention, values: values}
}

func (*randomization) Name() string      { return NameRandomization }
func (*randomization) alone(*table) bool { return true }

// Lacks implements Recoding.
func (*randomization) Lacks(m *Manifest) string {
	return fmt.Sprintf("a row shows its own value with a probability of up to %.2f, and two releases of a person "+
		"multiply what is learnt", m.Privacy.MaxFrequency)
}

func (r *randomization) mark(_ *table, m *Manifest) {
	m.Retention = r.retention
}

func (*randomization) rows(t *table, s *scratch, dst []uint32, c *class) []uint32 {
	s.ranks = s.ranks[:0]
	for _, m := range c.members {
		for j := range len(t.cols) + 1 {
			s.ranks = append(s.ranks, t.value(j, int(m)))
		}
	}
	return t.sortRows(s, dst, len(t.cols)+1)
}

func (*randomization) layouts(t *table) []layout { return []layout{t.joinedLayout("randomized.csv")} }

func (r *randomization) risk(*table) float64 {
	return bucketize.RetentionPosterior(r.retention, r.values)
}
