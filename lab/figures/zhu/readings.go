package zhu

import (
	"slices"

	"anond/equivclass"
	"anond/lab/bucketize"
	"anond/lab/figures"
)

// reading is one way to take the paper's words about the initial partition, on
// which all of its methods but anatomy depend.
type reading struct {
	panel     string // the name of its panel; empty: the reading of METHODS.md
	words     string
	distinct  bool // a block needs l different values, and nothing bounds the share of one
	ascending bool // Algorithm 1 takes the attribute of least correlation first
	added     bool // figure 6 adds the attribute of least correlation first
}

const (
	shares      = "shares of at most 1/l in a block (definition 1), "
	different   = "only l different values in a block, "
	fallingSort = "attributes in descending order (section 4.1)"
	risingSort  = "attributes in ascending order (section 5.3, property 7)"
	mixedSort   = "attributes added in ascending order (section 5.3) and cut in descending order (section 4.1)"
)

// against is what excludes blocks of l different values: "the numbers of the
// different SA values are all not more than |B*|/l".
const against = "definition 1"

// readings are those that figures 2 and 4 have.
func readings() []reading {
	return []reading{
		{words: shares + fallingSort},
		{panel: "ascending", words: shares + risingSort, ascending: true, added: true},
		{panel: "distinct", words: different + fallingSort, distinct: true},
		{panel: "distinct-ascending", words: different + risingSort, distinct: true, ascending: true, added: true},
	}
}

// attributeReadings are those of figure 6, which adds attributes in an order of
// its own.
func attributeReadings() []reading {
	return append(readings(),
		reading{panel: "added", words: shares + mixedSort, added: true},
		reading{panel: "distinct-added", words: different + mixedSort, distinct: true, added: true})
}

// published reports whether it is the reading of METHODS.md.
func (r reading) published() bool { return r.panel == "" }

// methods are the methods under the reading; anatomy knows no blocks, and ours
// are drawn with the first reading only.
func (r reading) methods(l int) []method {
	if r.published() {
		return methods
	}
	want, values := frequency, 0
	if r.distinct {
		want, values = distinct, l
	}
	return []method{
		{name: "arp", want: want, by: func(s uint64) equivclass.Partitioner {
			return bucketize.ARP{Seed: s, Ascending: r.ascending, Values: values}
		}},
		{name: "ng", want: want, ring: true, by: func(s uint64) equivclass.Partitioner {
			return bucketize.Ring{Seed: s, Ascending: r.ascending, Values: values}
		}},
		{name: "aip", want: want, by: func(s uint64) equivclass.Partitioner { return bucketize.AIP{Seed: s, Ascending: r.ascending} }},
		methods[slices.IndexFunc(methods, func(m method) bool { return m.name == "anatomy" })],
	}
}

// lines are the series of the reading.
func (r reading) lines(xs []float64) *figures.Lines {
	paper, ours := namesOf(methods)
	if !r.published() {
		ours = nil
	}
	return figures.NewLines(xs, paper, ours)
}
