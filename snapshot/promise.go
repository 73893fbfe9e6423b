package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Ratio is an exact share or number in the manifest: "n/d", in lowest terms. "1/0" is without bound.
type Ratio string

// NewRatio is num/den in lowest terms.
func NewRatio(num, den uint64) Ratio {
	a, b := num, den
	for b > 0 {
		a, b = b, a%b
	}
	a = max(1, a)
	return Ratio(strconv.FormatUint(num/a, 10) + "/" + strconv.FormatUint(den/a, 10))
}

// Float is the ratio as a number, +Inf without bound.
func (r Ratio) Float() float64 {
	num, den := r.terms()
	return float64(num) / float64(den)
}

// Less reports whether a ratio is below another. Any is above none.
func (r Ratio) Less(o Ratio) bool {
	a, b := r.terms()
	c, d := o.terms()
	hi, lo := bits.Mul64(a, d)
	otherHi, otherLo := bits.Mul64(c, b)
	return hi < otherHi || hi == otherHi && lo < otherLo
}

func (r Ratio) terms() (num, den uint64) {
	n, d, ok := strings.Cut(string(r), "/")
	if !ok {
		return 0, 1
	}
	num, _ = strconv.ParseUint(n, 10, 64)
	den, _ = strconv.ParseUint(d, 10, 64)
	return num, den
}

// Promise is what is promised of a sensitive attribute at level L2, where it has a promise of its own (package
// equivclass/promise).
type Promise struct {
	L         int          `json:"l,omitempty"`
	Gain      Ratio        `json:"gain,omitempty"`
	AtMost    []ValueShare `json:"at_most,omitempty"`   // by value, in the order of their bytes
	Most      Ratio        `json:"most,omitempty"`      // of every value
	Reference *Reference   `json:"reference,omitempty"` // declared; without it each pool has its own
	Open      bool         `json:"open,omitempty"`      // a missing value has no cap, and the others' are of those who have a value
}

// Reference is a declared reference: the copy of its counts in the releases directory, and these.
type Reference struct {
	File   string       `json:"file"`
	SHA256 string       `json:"sha256"`
	Counts []ValueCount `json:"counts"` // in the order of the bytes of values
}

// NewReference describes declared counts, and writes their copy: the line value,count, then a line for each value. The copy has no other
// form, and is called by its content, so that it tells nothing but the counts; those of two attributes may be one.
func NewReference(declared map[string]int64) (*Reference, []byte) {
	r, content := &Reference{}, []byte("value,count\n")
	for _, value := range slices.Sorted(maps.Keys(declared)) {
		n := int(declared[value])
		r.Counts = append(r.Counts, ValueCount{Value: value, Count: n})
		content = AppendRow(content, []string{value, strconv.Itoa(n)})
	}
	sum := sha256.Sum256(content)
	r.SHA256 = hex.EncodeToString(sum[:])
	r.File = HierarchyDir + "/reference-" + r.SHA256[:16] + ".csv"
	return r, content
}

// ValueShare is a value and the share of a bucket's people that it may have.
type ValueShare struct {
	Value string `json:"value"`
	Share Ratio  `json:"share"`
}

// AttributePrivacy is what a release of level L2 reaches for a sensitive attribute: the worst of all buckets of all parts.
type AttributePrivacy struct {
	Name     string `json:"name"`
	TopShare Ratio  `json:"top_share"` // largest share of one value in a bucket
	TopOdds  Ratio  `json:"top_odds"`  // largest factor between the odds of a value in a bucket and in its reference, as a rule its pool
	Cap      Ratio  `json:"cap"`       // largest share that the promise allows a value, in any pool
}

// Max is the worse of two attributes' figures.
func (a AttributePrivacy) Max(b AttributePrivacy) AttributePrivacy {
	for _, x := range []struct{ to, from *Ratio }{{&a.TopShare, &b.TopShare}, {&a.TopOdds, &b.TopOdds}, {&a.Cap, &b.Cap}} {
		if x.to.Less(*x.from) {
			*x.to = *x.from
		}
	}
	return a
}

// Worst gathers the figures of attributes, which are the same in both lists; the first may be empty.
func Worst(a, b []AttributePrivacy) []AttributePrivacy {
	out := slices.Clone(b)
	for i := range b {
		if i < len(a) {
			out[i] = b[i].Max(a[i])
		}
	}
	return out
}
