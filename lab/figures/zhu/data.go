package zhu

import (
	"anond/equivclass"
	"anond/lab/bucketize"
	"anond/lab/figures/dataset"
)

// adult reads the training part of Adult over the attributes of section 5,
// the sensitive one last.
func adult(s dataset.Source) (*equivclass.Table, error) {
	number, category := equivclass.Integer, equivclass.Categorical
	return s.Adult(30162,
		dataset.Column{Name: "age", Type: number}, dataset.Column{Name: "sex", Type: category},
		dataset.Column{Name: "education-num", Type: number}, dataset.Column{Name: "marital-status", Type: category},
		dataset.Column{Name: "race", Type: category}, dataset.Column{Name: "workclass", Type: category},
		dataset.Column{Name: "relationship", Type: category}, dataset.Column{Name: "occupation", Type: category})
}

// allAttributes are the places of the attributes but the sensitive one, which is last.
var allAttributes = []int{0, 1, 2, 3, 4, 5, 6}

// pool is a table over some of the attributes.
func pool(t *equivclass.Table, quasi []int) *equivclass.Pool {
	return t.Pool(quasi, len(allAttributes))
}

// method is one series of the figures.
type method struct {
	name string
	by   func(seed uint64) equivclass.Partitioner
	want func(l int) equivclass.Requirement
	ring bool // published as rings of l neighbours
	ours bool // not in the paper
}

func frequency(l int) equivclass.Requirement { return equivclass.Requirement{K: l, L: l} }

// distinct asks for l different values alone, which bounds nobody's risk by 1/l.
func distinct(l int) equivclass.Requirement {
	return equivclass.Requirement{K: l, L: 1, Extra: []equivclass.Principle{equivclass.DistinctL{L: l}}}
}

// methods are those of the paper, and ours.
var methods = []method{
	{name: "arp", by: func(s uint64) equivclass.Partitioner { return bucketize.ARP{Seed: s} }, want: frequency},
	{name: "ng", by: func(s uint64) equivclass.Partitioner { return bucketize.Ring{Seed: s} }, want: frequency, ring: true},
	{name: "aip", by: func(s uint64) equivclass.Partitioner { return bucketize.AIP{Seed: s} }, want: frequency},
	{name: "anatomy", by: func(s uint64) equivclass.Partitioner { return bucketize.Anatomy{Seed: s} }, want: frequency},
	{name: "arp-up", by: func(uint64) equivclass.Partitioner { return bucketize.ARPUp{} }, want: frequency, ours: true},
}

// namesOf returns the series of the paper, and those that are not.
func namesOf(methods []method) (paper, ours []string) {
	for _, m := range methods {
		if m.ours {
			ours = append(ours, m.name)
		} else {
			paper = append(paper, m.name)
		}
	}
	return paper, ours
}
