package lgb

import (
	"errors"
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/flagged"
	"anond/lab/figures/dataset"
	"anond/lab/lgb"
	"anond/lab/topdown"
)

// table is a table in the shape of table 1 of Li, He and Sun: attributes 0, 1
// and 7 semi-sensitive (sex, age, industry or occupation), 8 sensitive (income),
// the others QI.
type table struct {
	name string
	*equivclass.Table
	together bool // a person's values are all sensitive or none
}

const sensitive = 8

var (
	semiSensitive   = []int{0, 1, 7}
	askedAttributes = []int{0, 1, 2, 3, 4, 5, 6, 7} // by queries: QI and semi-sensitive
	sexAt           = 0
	ageAt           = 1
	allK            = []int{5, 8, 10}
	allL            = []int{5, 8, 10, 12, 15, 18, 20}
	closeness       = 0.2
	densities       = []float64{0.1, 0.2, 0.3, 0.4}
)

// usualDensity is the share of sensitive values in figures 5 to 7.
const usualDensity = 0.2

// plainACS is the excerpt of ACS without the rows that lack a value, as the paper
// leaves them out: persons without an industry or an income (N, not applicable)
// are 10,929 of 27,253, and kept as one value they would allow no l above 2. The
// income-to-poverty ratio takes the place of hours, the paper's QI attribute of
// many numbers. Categories are published as sets.
func plainACS(s dataset.Source, n int) (table, error) {
	category := equivclass.Categorical
	t, err := s.ACS(n,
		dataset.Column{Name: "SEX", Type: category},
		dataset.Column{Name: "AGEP", Type: equivclass.Integer},
		dataset.Column{Name: "MSP", Type: category, Missing: "N"},
		dataset.Column{Name: "HISP", Type: category},
		dataset.Column{Name: "RAC1P", Type: category},
		dataset.Column{Name: "EDU", Type: category, Missing: "N"},
		dataset.Column{Name: "POVPIP", Type: equivclass.Integer, Missing: "N"},
		dataset.Column{Name: "INDP", Type: category, Missing: "N"},
		dataset.Column{Name: "PINCP", Type: equivclass.Decimal, Missing: "N"})
	return table{name: "ACS without hierarchies", Table: t}, err
}

// treeACS is plainACS with hierarchies.
func treeACS(s dataset.Source, n int) (table, error) {
	t, err := plainACS(s, n)
	if err != nil {
		return t, err
	}
	t.name = "ACS"
	t.Table, err = dataset.WithHierarchies(t.Table)
	return t, err
}

// generatedIPUMS is generated at the paper's size with the cardinalities of its table
// 1, and hierarchies.
func generatedIPUMS(n int, seed uint64) (table, error) {
	t, err := dataset.WithHierarchies(dataset.Generated(dataset.IPUMS(), n, seed))
	return table{name: "generated IPUMS", Table: t}, err
}

// treeAdult is Adult in the shape of table 1, with the hierarchies of ARX; the
// census weight stands for the salary that it lacks. It checks groups only.
func treeAdult(s dataset.Source, n int, seed uint64) (table, error) {
	t, err := s.Adult(0, dataset.AdultTree("sex"), dataset.Column{Name: "age", Type: equivclass.Integer},
		dataset.Column{Name: "relationship", Type: equivclass.Categorical}, dataset.AdultTree("marital-status"), dataset.AdultTree("race"),
		dataset.AdultTree("education"),
		dataset.Column{Name: "hours-per-week", Type: equivclass.Integer}, dataset.AdultTree("occupation"),
		dataset.Column{Name: "fnlwgt", Type: equivclass.Integer})
	if err != nil {
		return table{}, err
	}
	return table{name: "Adult with ARX's hierarchies", Table: dataset.Shuffled(t, n, seed)}, nil
}

// flagged draws which of the semi-sensitive values are sensitive: each by
// itself, or with one draw for a person's three.
func (t table) flagged(density float64, seed uint64) *flagged.Table {
	f := &flagged.Table{Table: t.Table, Flags: make([]uint64, t.Len())}
	rng := rand.New(rand.NewPCG(seed, 11))
	for i := range f.Flags {
		f.Flags[i] = 1 << sensitive
		draw := rng.Float64()
		for n, j := range semiSensitive {
			if n > 0 && !t.together {
				draw = rng.Float64()
			}
			if draw < density {
				f.Flags[i] |= 1 << j
			}
		}
	}
	return f
}

// promises asks for t-closeness of sex and l of the rest, or as much as the
// flagged values allow: the commonest industry of ACS has a nineteenth.
func promises(f *flagged.Table, l int) []lgb.LocalPromise {
	out := make([]lgb.LocalPromise, len(f.Dicts))
	for _, j := range append([]int{sensitive}, semiSensitive...) {
		out[j].L = min(l, reachable(f, j))
	}
	out[sexAt] = lgb.LocalPromise{Principle: equivclass.TClose{T: closeness, Ground: equivclass.EqualGround{}}}
	return out
}

// reachable is the largest l that the flagged values of an attribute allow.
func reachable(f *flagged.Table, j int) int {
	counts, all, most := make([]int, f.Dicts[j].Len()), 0, 1
	for i, flags := range f.Flags {
		if flags>>j&1 == 1 {
			c := f.Codes[j][i]
			counts[c]++
			all, most = all+1, max(most, counts[c])
		}
	}
	return max(1, all/most)
}

// cutter is a way to cut the groups.
type cutter struct {
	name  string
	local func(seed uint64) equivclass.Partitioner
}

const (
	nameMDP   = "LGB_MDP"
	nameNCP   = "LGB_NCP"
	nameFixed = "lgb-fixed (ours)"
	nameBoth  = "lgb-mdp, both sides (ours)"
)

// cutters is the paper's two and ours.
func cutters() []cutter {
	return []cutter{
		{nameMDP, func(uint64) equivclass.Partitioner { return topdown.Mondrian{} }},
		{nameNCP, func(s uint64) equivclass.Partitioner { return topdown.NCPSplit{Seed: s} }},
		{nameFixed, func(s uint64) equivclass.Partitioner { return topdown.NCPSplit{Fixed: true, Seed: s} }},
		{nameBoth, func(uint64) equivclass.Partitioner { return topdown.MondrianBoth{} }},
	}
}

// cut runs LGB. Records withheld take their values along, which may leave less
// than was promised: what is reachable then is asked instead.
func (m cutter) cut(f *flagged.Table, k, l int, seed uint64) (*lgb.Result, error) {
	run := lgb.LGB{K: k, Promises: promises(f, l), Local: m.local(seed), Fold: true, Seed: [32]byte{byte(seed)}}
	for {
		cut, err := run.Run(f)
		var short *lgb.InfeasibleError
		if !errors.As(err, &short) || short.Promise.L == 0 {
			return cut, err
		}
		run.Promises[short.Attribute].L = short.Reachable()
	}
}
