package render

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/snapshot"
)

// promises are those of the sensitive attributes of an input, in the order of the schema: one without a promise of its own has
// that of policy.l.
func (s *Settings) promises(of *equivclass.Schema) []*promise.Promise {
	var out []*promise.Promise
	for _, at := range of.Sensitive() {
		p := s.Promises[at]
		if p == nil {
			p = promise.Frequency(s.Policy.L)
		}
		out = append(out, p)
	}
	return out
}

// promiseOf writes a promise for the manifest; nil: there is none.
func promiseOf(p *promise.Promise) *snapshot.Promise {
	if p == nil {
		return nil
	}
	out := &snapshot.Promise{L: p.L, Open: p.Open}
	if p.Gain != (promise.Ratio{}) {
		out.Gain = ratio(p.Gain)
	}
	if p.Most != (promise.Ratio{}) {
		out.Most = ratio(p.Most)
	}
	for value, share := range p.AtMost {
		out.AtMost = append(out.AtMost, snapshot.ValueShare{Value: value, Share: ratio(share)})
	}
	slices.SortFunc(out.AtMost, func(a, b snapshot.ValueShare) int { return strings.Compare(a.Value, b.Value) })
	if p.Reference != nil {
		out.Reference, _ = snapshot.NewReference(p.Reference)
	}
	return out
}

func ratio(r promise.Ratio) snapshot.Ratio {
	return snapshot.NewRatio(uint64(r.Num()), uint64(r.Den()))
}

// judge holds the buckets of a table against the promises, whose caps follow from the bag of the whole pool, and finds what
// they reach. Of an exact number the promise is about its interval.
func (t *table) judge() error {
	for a := range t.sa {
		figures := snapshot.AttributePrivacy{Name: t.sa[a].name, TopShare: "0/1", TopOdds: "0/1", Cap: "0/1"}
		labels, of := t.sa[a].labels()
		for _, p := range t.pools() {
			one, err := t.judged(a, p, labels, of)
			if err != nil {
				return err
			}
			figures = figures.Max(one)
		}
		t.reach = append(t.reach, figures)
	}
	return nil
}

// labels are what is promised of, and by rank which of them a value has: of a sequence each that it has anywhere (rule U, units).
func (c *column) labels() (texts []string, of [][]int) {
	at := map[string]int{}
	for _, code := range c.order {
		var have []int
		for _, label := range equivclass.Ever(c.dict.Label(code)) {
			if _, known := at[label]; !known {
				at[label], texts = len(texts), append(texts, label)
			}
			have = append(have, at[label])
		}
		of = append(of, have)
	}
	return texts, of
}

// judged is judge for an attribute and a pool.
func (t *table) judged(a int, p *pool, labels []string, of [][]int) (out snapshot.AttributePrivacy, err error) {
	made := t.promises[a]
	share, odds, top := largest{0, 1}, largest{0, 1}, largest{0, 1}
	missing := -1
	if made.Open {
		missing = slices.Index(labels, equivclass.MissingText)
	}
	pool, valued := make([]int64, len(labels)), int64(p.people)
	for _, b := range p.buckets {
		for v, n := range runs(b.bags[a]) {
			for _, i := range of[v] {
				pool[i] += int64(n)
			}
		}
	}
	if missing >= 0 {
		valued -= pool[missing]
	}
	caps, reference, total := make([]promise.Ratio, len(labels)), pool, valued
	if made.Reference != nil {
		reference, total = make([]int64, len(labels)), 0
		for _, n := range made.Reference {
			total += n
		}
	}
	for i, n := range pool {
		if made.Reference != nil {
			reference[i] = made.Reference[labels[i]]
		}
		if n > 0 && i != missing {
			caps[i] = made.Cap(labels[i], n, valued)
			top.see(uint64(caps[i].Num()), uint64(caps[i].Den()))
		}
	}
	counts := make([]int64, len(labels))
	for _, b := range p.buckets {
		size := int64(b.people)
		for v, n := range runs(b.bags[a]) {
			for _, i := range of[v] {
				counts[i] += int64(n)
			}
		}
		if missing >= 0 {
			size -= counts[missing]
		}
		for v := range runs(b.bags[a]) {
			for _, i := range of[v] {
				n := counts[i]
				if counts[i] = 0; n == 0 || i == missing {
					continue
				}
				if caps[i].Less(promise.NewRatio(n, size)) {
					return out, fmt.Errorf("%w: in a bucket of the view a value of %q has more people than its cap allows", ErrView, t.sa[a].name)
				}
				share.see(uint64(n), uint64(size))
				if m := reference[i]; m < total { // else nobody can learn more
					odds.see(uint64(n*(total-m)), uint64((size-n)*m))
				}
			}
		}
	}
	out.TopShare, out.TopOdds, out.Cap = share.ratio(), odds.ratio(), top.ratio()
	return out, nil
}

// largest is the largest of some fractions, which become a text once.
type largest struct{ num, den uint64 }

func (l *largest) see(num, den uint64) {
	hi, lo := bits.Mul64(l.num, den)
	otherHi, otherLo := bits.Mul64(num, l.den)
	if hi < otherHi || hi == otherHi && lo < otherLo {
		*l = largest{num, den}
	}
}

func (l largest) ratio() snapshot.Ratio { return snapshot.NewRatio(l.num, l.den) }
