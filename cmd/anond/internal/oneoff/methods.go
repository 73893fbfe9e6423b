package oneoff

import (
	"fmt"
	"strings"

	"anond/equivclass"
)

// Method is one way to cut a table into classes.
type Method struct {
	Name      string `json:"name"`
	Recoding  string `json:"recoding"` // the one it was made for
	Guarantee string `json:"guarantee"`
	Source    string `json:"source"`

	partitioner func(seed uint64) equivclass.Partitioner
}

// fixed is a method that draws nothing.
func fixed(p equivclass.Partitioner) func(uint64) equivclass.Partitioner {
	return func(uint64) equivclass.Partitioner { return p }
}

// Names of the recodings of a one-off release.
const (
	Generalization = "generalization"
	Anatomy        = "anatomy"
	Permutation    = "permutation"
)

// Methods lists what there is, in the order of docs/METHODS.md.
func Methods() []Method {
	const all = "k, l and the extra principles in every class"
	return []Method{
		{"extract", Generalization, all + "; the daemon's default", "ours, on k-member clustering (Byun et al., DASFAA 2007)", fixed(equivclass.Extract{})},
		{"wang-close-k", Generalization, all + "; classes of hardly more than k", "Wang, Xu and Sun, eq. 8", fixed(equivclass.WangCloseK{})},
		{"wang-median", Generalization, all, "Wang, Xu and Sun, eq. 7", fixed(equivclass.WangMedian{})},
		{"mondrian", Generalization, all + "; equal rows share a class", "LeFevre et al., ICDE 2006, strict", fixed(equivclass.Mondrian{})},
		{"mondrian-relaxed", Generalization, all + "; with k alone, classes of k to 2k-1", "LeFevre et al., ICDE 2006, relaxed", fixed(equivclass.MondrianRelaxed{})},
		{"mondrian-both", Generalization, all + "; cuts on either side of the median", "ours, on strict Mondrian", fixed(equivclass.MondrianBoth{})},
		{"single-dimensional", Generalization, all + "; a value has one interval in the whole table", "LeFevre et al., ICDE 2006, definition 4", fixed(equivclass.SingleDimensional{})},
		{"multi", Generalization, all + "; cuts along hierarchies", "Sun et al., ICEBE 2009, Multi(p,k)", fixed(equivclass.Multi{})},
		{"org", Generalization, all + "; one depth of each hierarchy in the whole table", "Truta and Vinay 2006, after Samarati; Org(p,k) of Sun et al.", fixed(equivclass.FullDomain{})},
		{"ncp-split", Generalization, all, "Xu et al., KDD 2006, as in lgb-ncp of Li, He and Sun", func(s uint64) equivclass.Partitioner { return equivclass.NCPSplit{Seed: s} }},
		{"ncp-split-mended", Generalization, all + "; cuts on where ncp-split stops", "ours, on Xu et al.", func(s uint64) equivclass.Partitioner { return equivclass.NCPSplit{Mend: true, Seed: s} }},
		{"anatomy", Anatomy, all + "; if k <= l, no value twice in a group", "Xiao and Tao, VLDB 2006", func(s uint64) equivclass.Partitioner { return equivclass.Anatomy{Seed: s} }},
		{"aip", Anatomy, all + "; blocks that follow the correlated attributes", "Zhu et al., ComSIS 2015, algorithm 1", func(s uint64) equivclass.Partitioner { return equivclass.AIP{Seed: s} }},
		{"arp", Anatomy, all + "; if k <= l, no value twice in a group", "Zhu et al., ComSIS 2015, algorithm 2", func(s uint64) equivclass.Partitioner { return equivclass.ARP{Seed: s} }},
		{"arp-up", Anatomy, all + "; if k <= l, no value twice in a group", "ours, on Zhu et al.", fixed(equivclass.ARPUp{})},
		{"p-sensitive", Anatomy, all + "; ask for -p", "Sun et al., ICEBE 2009", fixed(equivclass.PSensitive{})},
		{"p-sensitive-ncp", Anatomy, all + "; ask for -p", "ours, on Sun et al.", fixed(equivclass.PSensitiveNCP{})},
		{"permutation", Permutation, all + "; with l alone, groups of l to 2l-1 and no value twice", "Li, He, Cao and Chen, J. Intell. Inf. Syst. 2016", func(s uint64) equivclass.Partitioner { return equivclass.Permutation{Seed: s} }},
	}
}

// Partitioner returns the method's partitioner; seed fixes what it draws.
func (m Method) Partitioner(seed uint64) equivclass.Partitioner { return m.partitioner(seed) }

// FindMethod returns the method of a name.
func FindMethod(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("method %q is not known: use %s", name, strings.Join(names, ", "))
}

// CheckRecoding tells whether a one-off release can be written in a recoding.
func CheckRecoding(name string) error {
	switch name {
	case Generalization, Anatomy, Permutation:
		return nil
	case "lgb", "slicing", "randomization":
		return fmt.Errorf("recoding %s cannot be written to files in this version: use generalization, anatomy or permutation", name)
	default:
		return fmt.Errorf("recoding %q is not known: use generalization, anatomy or permutation", name)
	}
}
