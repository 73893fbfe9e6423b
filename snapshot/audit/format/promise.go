package format

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Ratio is an exact share or number, "n/d" in lowest terms; "1/0" is without bound.
type Ratio string

// Terms are numerator and denominator; false: it is not written as a ratio is.
func (r Ratio) Terms() (num, den uint64, ok bool) {
	n, d, _ := strings.Cut(string(r), "/")
	num, errN := strconv.ParseUint(n, 10, 62)
	den, errD := strconv.ParseUint(d, 10, 62)
	return num, den, errN == nil && errD == nil && RatioOf(num, den) == r
}

// RatioOf is num/den in lowest terms.
func RatioOf(num, den uint64) Ratio {
	a, b := num, den
	for b > 0 {
		a, b = b, a%b
	}
	a = max(a, 1)
	return Ratio(strconv.FormatUint(num/a, 10) + "/" + strconv.FormatUint(den/a, 10))
}

// Less compares fractions. A denominator may be 0: that is without bound.
func Less(num, den, otherNum, otherDen uint64) bool {
	hi, lo := bits.Mul64(num, otherDen)
	otherHi, otherLo := bits.Mul64(otherNum, den)
	return hi < otherHi || hi == otherHi && lo < otherLo
}

// Worse is the larger of two ratios; the empty one is below all.
func (r Ratio) Worse(o Ratio) Ratio {
	a, b, known := r.Terms()
	c, d, ok := o.Terms()
	if ok && (!known || Less(a, b, c, d)) {
		return o
	}
	return r
}

// Promise is what a manifest says that is promised of a sensitive attribute at level L2, where that has a promise of its own.
type Promise struct {
	L         int          `json:"l"`
	Gain      Ratio        `json:"gain"`      // no odds above so many times those of the reference
	AtMost    []ValueShare `json:"at_most"`   // by value
	Most      Ratio        `json:"most"`      // of every value
	Reference []Reference  `json:"reference"` // declared; without it each pool has its own
	Open      bool         `json:"open"`      // a missing value has no cap; shares are of those who have one
}

// Says is the promise in words, without the values that it names.
func (p *Promise) Says() string {
	var says []string
	if p.L > 0 {
		says = append(says, fmt.Sprintf("no probability above 1/%d", p.L))
	}
	if p.Gain != "" {
		of := "that the table of its pool shows"
		if p.Reference != nil {
			of = "that were declared"
		}
		says = append(says, fmt.Sprintf("no odds above %s times those %s", strings.TrimSuffix(string(p.Gain), "/1"), of))
	}
	out := strings.Join(says, ", or, if that is more, ")
	if len(p.AtMost) > 0 || p.Most != "" {
		says = nil
		if p.Most != "" {
			says = append(says, "of no value above "+string(p.Most))
		}
		if len(p.AtMost) > 0 {
			says = append(says, fmt.Sprintf("of %d named values no more than declared", len(p.AtMost)))
		}
		if out != "" {
			out += "; and "
		}
		out += strings.Join(says, ", ")
	}
	if p.Open {
		out += "; among those who have a value, and that one is missing is not bounded"
	}
	return out
}

// Says are the promises of attributes that have one of their own, in words.
func (m *Manifest) Says() (out []string) {
	for i := range m.Schema {
		if c := &m.Schema[i]; c.Role == "sensitive" && c.Promise != nil {
			out = append(out, fmt.Sprintf("%s: %s", c.Name, c.Promise.Says()))
		}
	}
	return out
}

// ValueShare is a value and the share that it may have of a bucket's people.
type ValueShare struct {
	Value string `json:"value"`
	Share Ratio  `json:"share"`
}

// Reference is how often a declared reference has a value.
type Reference struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// AttributePrivacy is what a manifest claims to have reached for a sensitive attribute.
type AttributePrivacy struct {
	Name     string `json:"name"`
	TopShare Ratio  `json:"top_share"`
	TopOdds  Ratio  `json:"top_odds"`
	Cap      Ratio  `json:"cap"`
}

// most people that a declared reference may have: products of counts and terms stay below 2^62.
const mostReferred = 1 << 34

// wellFormed tests that the arithmetic of caps cannot overflow, and that there is one way to write a promise.
func (p *Promise) wellFormed() bool {
	share := func(r Ratio) bool {
		num, den, ok := r.Terms()
		return ok && num > 0 && num <= den && den <= 1000
	}
	gain := p.Gain == ""
	if num, den, ok := p.Gain.Terms(); ok {
		gain = den > 0 && num > den && den <= 1000 && num <= 1000*den
	}
	total, last := 0, ""
	for i, c := range p.Reference {
		if c.Count < 0 || c.Count >= mostReferred || i > 0 && c.Value <= last {
			return false
		}
		if total += c.Count; total >= mostReferred {
			return false
		}
		last = c.Value
	}
	sorted := slices.IsSortedFunc(p.AtMost, func(a, b ValueShare) int { return strings.Compare(a.Value, b.Value) })
	return gain && (p.L == 0 || p.L >= 2 && p.L <= 1_000_000) && (p.Most == "" || share(p.Most)) && sorted &&
		(p.Reference == nil || total > 0) &&
		!slices.ContainsFunc(p.AtMost, func(v ValueShare) bool { return !share(v.Share) }) &&
		(p.L > 0 || p.Gain != "" || p.Most != "" || len(p.AtMost) > 0)
}

// Cap is the share that a value may have of a bucket's people, where in its pool n of so many have it: 1/l, or if that is
// larger the share at which its odds are gain times those of its reference; and no more than what is said of it besides.
func (p *Promise) Cap(value string, n, of uint64) (num, den uint64) {
	if p.Reference != nil {
		n, of = p.Referred(value)
	}
	num, den = 1, 1
	if r, s, ok := p.Gain.Terms(); ok {
		if n < of {
			num, den = r*n, r*n+s*(of-n)
		}
		if p.L > 0 && Less(num, den, 1, uint64(p.L)) {
			num, den = 1, uint64(p.L)
		}
	} else if p.L > 0 {
		den = uint64(p.L)
	}
	least := func(r Ratio) {
		if a, b, ok := r.Terms(); ok && Less(a, b, num, den) {
			num, den = a, b
		}
	}
	for _, v := range p.AtMost {
		if v.Value == value {
			least(v.Share)
		}
	}
	least(p.Most)
	return num, den
}

// Referred is how often a declared reference has a value, and all values.
func (p *Promise) Referred(value string) (n, of uint64) {
	for _, c := range p.Reference {
		if of += uint64(c.Count); c.Value == value {
			n = uint64(c.Count)
		}
	}
	return n, of
}

// Promises are those of the sensitive attributes, in the order of the manifest: one without a promise of its own has that of policy.l.
func (m *Manifest) Promises() (out []*Promise) {
	for i := range m.Schema {
		c := &m.Schema[i]
		switch {
		case c.Role == "sensitive" && c.Promise != nil:
			out = append(out, c.Promise)
		case c.Role == "sensitive":
			out = append(out, &Promise{L: m.Policy.L})
		}
	}
	return out
}

// Several reports whether there are several sensitive attributes.
func (m *Manifest) Several() bool { return m.AtL2() && len(m.Promises()) > 1 }

// allPromised reports that policy.l serves no attribute.
func (m *Manifest) allPromised() bool {
	return !slices.ContainsFunc(m.Schema, func(c Column) bool { return c.Role == "sensitive" && c.Promise == nil })
}

// SamePromise compares two promises; nil: there is none.
func SamePromise(a, b *Promise) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.L == b.L && a.Gain == b.Gain && a.Most == b.Most && a.Open == b.Open && slices.Equal(a.AtMost, b.AtMost) &&
		slices.Equal(a.Reference, b.Reference) && (a.Reference == nil) == (b.Reference == nil)
}
