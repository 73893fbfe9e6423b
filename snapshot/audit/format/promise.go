package format

import (
	"fmt"
	"math/bits"
	"path/filepath"
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

// Float is the ratio as a number, +Inf without bound.
func (r Ratio) Float() float64 {
	num, den, _ := r.Terms()
	return float64(num) / float64(den)
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
	Reference *Declared    `json:"reference"` // without it each pool has its own
	Open      bool         `json:"open"`      // a missing value has no cap; shares are of those who have one
}

// mostNamed bounds the named values that a text lists.
const mostNamed = 8

// Says is the promise in words. The values that it names are public: the manifest has them.
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
		for i, v := range p.AtMost {
			if i == mostNamed {
				says = append(says, fmt.Sprintf("of %d more named values no more than the manifest says", len(p.AtMost)-i))
				break
			}
			says = append(says, fmt.Sprintf("of %q none above %s", v.Value, v.Share))
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

// Declared is a declared reference: the copy of its counts next to the releases, and these.
type Declared struct {
	File   string      `json:"file"`
	SHA256 string      `json:"sha256"`
	Counts []Reference `json:"counts"`
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
	sorted := slices.IsSortedFunc(p.AtMost, func(a, b ValueShare) int { return strings.Compare(a.Value, b.Value) })
	return gain && (p.L == 0 || p.L >= 2 && p.L <= 1_000_000) && (p.Most == "" || share(p.Most)) && sorted &&
		(p.Reference == nil || p.Reference.wellFormed()) &&
		!slices.ContainsFunc(p.AtMost, func(v ValueShare) bool { return !share(v.Share) }) &&
		(p.L > 0 || p.Gain != "" || p.Most != "" || len(p.AtMost) > 0)
}

// wellFormed tests that counts are in order and not too large, and that a copy is named.
func (d *Declared) wellFormed() bool {
	total := 0
	for i, c := range d.Counts {
		if total += c.Count; c.Count < 0 || c.Count >= mostReferred || total >= mostReferred || i > 0 && c.Value <= d.Counts[i-1].Value {
			return false
		}
	}
	return total > 0 && isFileName(d.File) && IsSHA(d.SHA256)
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
	for _, c := range p.Reference.Counts {
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
		(a.Reference == nil) == (b.Reference == nil) && (a.Reference == nil || slices.Equal(a.Reference.Counts, b.Reference.Counts))
}

// sameCopy compares the copies of the counts of promises that are the same.
func sameCopy(a, b *Promise) bool {
	return a == nil || a.Reference == nil || a.Reference.File == b.Reference.File && a.Reference.SHA256 == b.Reference.SHA256
}

// checkReferences tests that the copies of declared references are there, and have the counts by which the promises of the manifest are
// tested. dir is the releases directory.
func checkReferences(dir string, man *Manifest, f *Faults) error {
	for i := range man.Schema {
		c := &man.Schema[i]
		if c.Promise == nil || c.Promise.Reference == nil {
			continue
		}
		d := c.Promise.Reference
		path := filepath.Join(dir, "hierarchies", hierarchyBase(d.File))
		data, err := ReadFile(path)
		if err != nil {
			return err
		}
		counts, spare, err := readReference(path, data)
		if err != nil {
			return err
		}
		differs := func(is bool, detail string) {
			if is {
				f.Add("files", KindReference, man.Release, 0, c.Name, detail)
			}
		}
		differs(!slices.Equal(counts, d.Counts), "the file of the declared reference has other counts than the manifest")
		differs(HexSHA(data) != d.SHA256, "the file of the declared reference is not the one the manifest names")
		f.AddN("order", KindNotCanonical, man.Release, 0, c.Name, "a field is quoted without need", spare)
	}
	return nil
}

// readReference reads declared counts, and how many fields are quoted without need.
func readReference(file string, data []byte) (counts []Reference, spare int, err error) {
	csv, header, err := NewCSV(file, data)
	if err != nil {
		return nil, 0, err
	}
	if !slices.Equal(header, []string{"value", "count"}) {
		return nil, 0, Unreadable(file, 1, "the columns are not value and count")
	}
	for {
		ok, err := csv.Next()
		if err != nil || !ok {
			return counts, csv.Spare, err
		}
		text := string(csv.Fields[1])
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= mostReferred || strconv.Itoa(n) != text {
			return nil, 0, csv.Fail("a count is not a number in its only form")
		}
		counts = append(counts, Reference{string(csv.Fields[0]), n})
	}
}
