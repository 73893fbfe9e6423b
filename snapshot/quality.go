package snapshot

import (
	"math"

	"anond/equivclass"
)

// Quality says what a release costs in information. It is a function of the
// release's own files: no exact bound that the cells hide, and no value of a
// person who is still waiting, can be told from it (rule V, values).
type Quality struct {
	// NCP is the mean normalized certainty penalty of the published cells, in
	// [0,1], over records and quasi-identifiers: (hi-lo)/range for numbers,
	// (leaves-1)/(all leaves-1) for labels, (values-1)/(all values-1) for sets.
	// The range and the values are those that the cells of this release span;
	// rounded to six digits. 0 where cells are exact.
	NCP float64 `json:"ncp"`
	// BoxNCP is the same of the boxes that the members span; equal to NCP under
	// generalization, what a group blurs under anatomy and permutation.
	BoxNCP float64 `json:"box_ncp"`
	// CDM is the discernability metric, eq. 17 of Wang et al.: the sum of the
	// squared class sizes (no published record is suppressed).
	CDM int64 `json:"c_dm"`
	// CAvg is eq. 18: mean class size over k; 1 is best.
	CAvg float64 `json:"c_avg"`
	// CMDM is eq. 19: the sum of (class size - k) squared.
	CMDM int64 `json:"c_mdm"`
}

// Certificates of a chain, as privacy.certificate of a manifest names them.
const (
	CertificateFrozen = "frozen"      // rule A (frozen): every class is unchanged since its birth
	CertificatePure   = "pure"        // rule P (pure): every class is flat
	CertificateBoth   = "frozen+pure" // rule C (coexistence)
	CertificateNone   = "none"        // AcrossNone: nothing is certified
)

// Levels: what privacy.level of a release claims.
const (
	// LevelL0L1: no value is likelier than 1/l for someone who holds every
	// assignment of values that fits the releases equally likely, signatures included.
	LevelL0L1 = "L0+L1"
	// LevelRows is weaker: recoding lgb with local buckets that cross classes
	// (Lemma 2 of Li, He and Sun). Someone who counts arrangements of people in rows
	// finds no value likelier than 1/l; someone who counts assignments of values may
	// (level L0).
	LevelRows = "rows"
	// LevelNone claims nothing.
	LevelNone = "none"
)

// Privacy is what a release reaches.
type Privacy struct {
	KMin         int     `json:"k_min"`         // size of the smallest class
	MaxFrequency float64 `json:"max_frequency"` // largest share of one value in a class
	Certificate  string  `json:"certificate"`
	Level        string  `json:"level"` // one of the levels above
	K1           string  `json:"k1"`
}

// quality measures the table. Cost: m d for m classes, in canonical order, so
// that the sums are the same each time.
func (t *table) quality(k int) Quality {
	var q Quality
	for _, c := range t.classes {
		n, over := int64(len(c.members)), int64(len(c.members)-k)
		q.CDM += n * n
		q.CMDM += over * over
	}
	if t.records == 0 {
		return q
	}
	q.CAvg = round6(float64(t.records) / float64(len(t.classes)) / float64(k))
	var sum, cells float64
	for j := range t.cols {
		of, n := t.loss(j)
		sum, cells = sum+of, cells+n
	}
	q.BoxNCP = round6(sum / max(1, cells))
	q.NCP = t.recoding.ncp(t, q.BoxNCP, cells)
	return q
}

// round6 keeps the digits that mean something: the last bits of a sum differ
// between processors, the bytes of a manifest must not.
func round6(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// loss is the sum over the records of the NCP of their cell in a column, with the
// number of records that have a cell there: bucketed values are exact.
func (t *table) loss(j int) (sum, cells float64) {
	domain := t.domain(j)
	for _, c := range t.classes {
		if c.cells[j].bucketed {
			continue
		}
		n := float64(len(c.members))
		cells += n
		if domain > 0 {
			sum += n * (t.width(j, &c.cells[j]) / domain)
		}
	}
	return sum, cells
}

// width is what a cell covers beyond a single value.
func (t *table) width(j int, x *cell) float64 {
	if t.cols[j].number() {
		return x.hi - x.lo
	}
	return float64(x.more)
}

// domain is the width that an NCP of 1 stands for: of the hierarchy (a public
// file), or of what the published cells span together.
func (t *table) domain(j int) float64 {
	switch c := &t.cols[j]; c.kind {
	case equivclass.Tree:
		return float64(c.tree.Leaves() - 1)
	case equivclass.Number:
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, class := range t.classes {
			if !class.cells[j].bucketed {
				lo, hi = min(lo, class.cells[j].lo), max(hi, class.cells[j].hi)
			}
		}
		return max(0, hi-lo)
	default:
		return float64(t.published(j) - 1)
	}
}

// published counts the different values of a column in the cells of the release.
func (t *table) published(j int) int {
	c := &t.cols[j]
	seen, n := make([]bool, c.dict.Len()), 0
	for _, class := range t.classes {
		if class.cells[j].bucketed {
			continue
		}
		for _, m := range class.members {
			if code := c.codes[m]; !seen[code] {
				seen[code] = true
				n++
			}
		}
	}
	return n
}

// privacy says what the table reaches and by which rules it is safe.
func (t *table) privacy(prev *Previous) Privacy {
	out := Privacy{Certificate: CertificateFrozen, Level: LevelL0L1, K1: t.recoding.K1()}
	if !t.nests() {
		out.Level = LevelRows
	}
	for i, c := range t.classes {
		if n := len(c.members); i == 0 || n < out.KMin {
			out.KMin = n
		}
	}
	if t.recoding.alone(t) {
		out.Certificate, out.Level, out.MaxFrequency = CertificateNone, LevelNone, t.recoding.risk(t)
		return out
	}
	flat := true
	for bag := range t.bags() {
		n := len(bag)
		first, high := 0, 0
		for _, count := range runs(bag) {
			if first == 0 {
				first = count
			}
			flat = flat && count == first
			high = max(high, count)
		}
		out.MaxFrequency = max(out.MaxFrequency, float64(high)/float64(n))
	}
	switch {
	case !t.regrouped(prev):
	case flat:
		out.Certificate = CertificatePure
	default:
		out.Certificate = CertificateBoth
	}
	return out
}

// bags yields the bags of which no value may exceed 1/l: those of the classes, or
// of the local buckets of the sensitive attribute.
func (t *table) bags() func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		if t.local != nil {
			for _, b := range t.local[len(t.local)-1].buckets {
				if !yield(b.bag) {
					return
				}
			}
			return
		}
		for _, c := range t.classes {
			if !yield(c.bag) {
				return
			}
		}
	}
}

// regrouped reports whether a class of this or an earlier release of the chain
// has died. Nothing leaves (rule N, insert-only), so the classes born before this release
// hold all records of the release before unless one of its classes died.
func (t *table) regrouped(prev *Previous) bool {
	if prev == nil {
		return false
	}
	old := 0
	for _, c := range t.classes {
		if c.born < t.release {
			old += len(c.members)
		}
	}
	return !prev.Frozen || old != prev.Records
}
