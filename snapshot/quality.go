package snapshot

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
)

// Quality says what a release costs in information. It is a function of the
// release's own files: no exact bound that the cells hide, and no value of a
// person who is still waiting, can be told from it (rule V, values).
type Quality struct {
	// NCP is the mean normalized certainty penalty of the published cells, in
	// [0,1], over records and quasi-identifiers: (hi-lo)/range, at most 1, for numbers,
	// (leaves-1)/(all leaves-1) for labels, (values-1)/(all values-1) for sets, and 1
	// where the cell says that there is no value, or may be none.
	// The range is the scale of the schema, the values are those that the cells of this
	// release have; rounded to six digits. 0 where cells are exact.
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
	// BucketMedian, at level L2, is the number of records in the bucket of the median
	// person.
	BucketMedian int `json:"bucket_median,omitempty"`
}

// Certificates of a chain, as privacy.certificate of a manifest names them.
const (
	CertificateFrozen = "frozen"      // rule A (frozen): every class is unchanged since its birth
	CertificatePure   = "pure"        // rule P (pure): every class is flat
	CertificateBoth   = "frozen+pure" // rule C (coexistence)
)

// What privacy.unit and privacy.promise of a release with histories say.
const (
	UnitPerson  = "person"
	PromiseEver = "ever"
)

// MostRecords bounds privacy.max_records.
const MostRecords = 15

// SettledAtEnd is privacy.settle of a finished source that is read to its end: windows differ between people.
const SettledAtEnd = "end"

// Levels: what privacy.level of a release claims.
const (
	// LevelL0L1: no value is likelier than 1/l for someone who holds every
	// assignment of values that fits the releases equally likely, signatures included.
	LevelL0L1 = "L0+L1"
	// LevelL0L1L2: nor for someone who knows the program and the law of its random
	// draws, too (Theorem E).
	LevelL0L1L2 = "L0+L1+L2"
)

// Privacy is what a release reaches.
type Privacy struct {
	// With histories (rule U, units) Unit is "person" and Promise "ever": what is promised of a value is that of anybody's published
	// history, which has up to MaxRecords records. Without them the three are not there: a person is published with one record.
	Unit         string  `json:"unit,omitempty"`
	Promise      string  `json:"promise,omitempty"`
	MaxRecords   int     `json:"max_records,omitempty"`
	KMin         int     `json:"k_min"`         // size of the smallest class
	MaxFrequency float64 `json:"max_frequency"` // largest share of one value in a class; at level L2 in a bucket
	Certificate  string  `json:"certificate"`
	Level        string  `json:"level"`           // one of the levels above
	Grown        bool    `json:"grown,omitempty"` // level L2: the first pool grew after it was refused
	K1           string  `json:"k1"`
	// Settle is how long people were observed before they were published, "90d", "1000 records", or "end" of the source, and Updates
	// whether an update in that time was applied ("apply") or refused ("refuse"); empty: nobody settles, and each person's first record
	// is published. Buckets have people of one stratum each (buckets.csv).
	Settle  string `json:"settle,omitempty"`
	Updates string `json:"updates,omitempty"`
	// Attributes are the figures of the sensitive attributes, at level L2.
	Attributes []AttributePrivacy `json:"attributes,omitempty"`
}

// Allowed is the largest share that is promised at most of a value of the attribute that has MaxFrequency: 1/l, or what
// its own promise says.
func (p *Privacy) Allowed(l int) float64 {
	if len(p.Attributes) == 0 {
		return 1 / float64(max(1, l))
	}
	top := slices.MaxFunc(p.Attributes, func(a, b AttributePrivacy) int { return cmp.Compare(a.TopShare.Float(), b.TopShare.Float()) })
	return min(1, top.Cap.Float())
}

// Reached is what is reached of each sensitive attribute.
func (m *Manifest) Reached() (out []equivclass.Reached) {
	for _, a := range m.Privacy.Attributes {
		out = append(out, equivclass.Reached{Attribute: a.Name, Share: a.TopShare.Float(), Allowed: min(1, a.Cap.Float())})
	}
	for _, a := range m.Schema {
		if len(m.Privacy.Attributes) == 0 && a.Role == equivclass.Sensitive {
			out = append(out, equivclass.Reached{Attribute: a.Name, Share: m.Privacy.MaxFrequency, Allowed: m.Privacy.Allowed(m.Policy.L)})
		}
	}
	return out
}

// Round6 keeps the digits that mean something: the last bits of a sum differ
// between processors, the bytes of a manifest must not.
func Round6(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Sizes are the sizes of the classes of a release and, at level L2, of its buckets: how
// many there are of each number of records. The release's files show the same.
type Sizes struct {
	Release          uint32
	Classes, Buckets map[int]int
}
