package oneoff

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/equivclass/bucketize"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
)

// Method is one way to cut a table into classes.
type Method struct {
	Name      string `json:"name"`
	Recoding  string `json:"recoding"` // the one it was made for
	Guarantee string `json:"guarantee"`
	Source    string `json:"source"`
	// Only: no other recoding can show what the method makes.
	Only bool `json:"only,omitempty"`

	partitioner func(seed uint64) equivclass.Partitioner
	fold        bool // LGB: records of rare flags may protect more than they ask
	nested      bool // LGB: local buckets do not cross classes
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
	Slicing        = "slicing"
	Randomization  = "randomization"
	LGB            = "lgb"
)

// Recodings lists them.
func Recodings() []string {
	return []string{Generalization, Anatomy, Permutation, Slicing, Randomization, LGB}
}

// Methods lists what there is, in the order of docs/METHODS.md.
func Methods() []Method {
	const all = "k, l and the extra principles in every class"
	return append(classMethods(all), []Method{
		{Name: "ng", Recoding: Generalization, Only: true, Guarantee: "l neighbours of different values behind each row; no promise at level L0, none across releases", Source: "Wong, Mamoulis and Cheung, SIGMOD 2010, as in Zhu et al.", partitioner: func(s uint64) equivclass.Partitioner { return bucketize.Ring{Seed: s} }},
		{Name: "lgb-mdp", Recoding: LGB, Only: true, Guarantee: "k in every class; each semi-sensitive attribute its own l or t, l for who counts arrangements of rows (level rows)", Source: "Li, He and Sun, algorithm 3", partitioner: fixed(topdown.Mondrian{})},
		{Name: "lgb-ncp", Recoding: LGB, Only: true, Guarantee: "as lgb-mdp", Source: "Li, He and Sun, algorithm 4", partitioner: func(s uint64) equivclass.Partitioner { return topdown.NCPSplit{Seed: s} }},
		{Name: "lgb-mended", Recoding: LGB, Only: true, Guarantee: "k in every class; each semi-sensitive attribute its own l or t, l at levels L0 and L1; holds fewer records", Source: "ours, on Li, He and Sun", fold: true, nested: true, partitioner: func(s uint64) equivclass.Partitioner { return topdown.NCPSplit{Mend: true, Seed: s} }},
	}...)
}

// classMethods cut a table into classes that any recoding of classes can show.
func classMethods(all string) []Method {
	rows := []struct {
		name, recoding, guarantee, source string
		partitioner                       func(seed uint64) equivclass.Partitioner
	}{
		{"extract", Generalization, all + "; the daemon's default", "ours, on k-member clustering (Byun et al., DASFAA 2007)", fixed(extract.Extract{Workers: runtime.GOMAXPROCS(0)})},
		{"wang-close-k", Generalization, all + "; classes of hardly more than k", "Wang, Xu and Sun, eq. 8", fixed(topdown.WangCloseK{})},
		{"wang-median", Generalization, all, "Wang, Xu and Sun, eq. 7", fixed(topdown.WangMedian{})},
		{"mondrian", Generalization, all + "; equal rows share a class", "LeFevre et al., ICDE 2006, strict", fixed(topdown.Mondrian{})},
		{"mondrian-relaxed", Generalization, all + "; with k alone, classes of k to 2k-1", "LeFevre et al., ICDE 2006, relaxed", fixed(topdown.MondrianRelaxed{})},
		{"mondrian-both", Generalization, all + "; cuts on either side of the median", "ours, on strict Mondrian", fixed(topdown.MondrianBoth{})},
		{"single-dimensional", Generalization, all + "; a value has one interval in the whole table", "LeFevre et al., ICDE 2006, definition 4", fixed(topdown.SingleDimensional{})},
		{"multi", Generalization, all + "; cuts along hierarchies", "Sun et al., ICEBE 2009, Multi(p,k)", fixed(topdown.Multi{})},
		{"org", Generalization, all + "; one depth of each hierarchy in the whole table", "Truta and Vinay 2006, after Samarati; Org(p,k) of Sun et al.", fixed(topdown.FullDomain{})},
		{"ncp-split", Generalization, all, "Xu et al., KDD 2006, as in lgb-ncp of Li, He and Sun", func(s uint64) equivclass.Partitioner { return topdown.NCPSplit{Seed: s} }},
		{"ncp-split-mended", Generalization, all + "; cuts on where ncp-split stops", "ours, on Xu et al.", func(s uint64) equivclass.Partitioner { return topdown.NCPSplit{Mend: true, Seed: s} }},
		{"anatomy", Anatomy, all + "; if k <= l, no value twice in a group", "Xiao and Tao, VLDB 2006", func(s uint64) equivclass.Partitioner { return bucketize.Anatomy{Seed: s} }},
		{"aip", Anatomy, all + "; blocks that follow the correlated attributes", "Zhu et al., ComSIS 2015, algorithm 1", func(s uint64) equivclass.Partitioner { return bucketize.AIP{Seed: s} }},
		{"arp", Anatomy, all + "; if k <= l, no value twice in a group", "Zhu et al., ComSIS 2015, algorithm 2", func(s uint64) equivclass.Partitioner { return bucketize.ARP{Seed: s} }},
		{"arp-up", Anatomy, all + "; if k <= l, no value twice in a group", "ours, on Zhu et al.", fixed(bucketize.ARPUp{})},
		{"p-sensitive", Anatomy, all + "; ask for -p", "Sun et al., ICEBE 2009", fixed(topdown.PSensitive{})},
		{"p-sensitive-ncp", Anatomy, all + "; ask for -p", "ours, on Sun et al.", fixed(topdown.PSensitiveNCP{})},
		{"permutation", Permutation, all + "; with l alone, groups of l to 2l-1 and no value twice", "Li, He, Cao and Chen, J. Intell. Inf. Syst. 2016", func(s uint64) equivclass.Partitioner { return bucketize.Permutation{Seed: s} }},
		{"permutation-near", Permutation, all + "; with l alone, groups of l records or a few more and no value twice", "ours, beside Li, He, Cao and Chen", fixed(bucketize.PermutationNear{})},
	}
	out := make([]Method, len(rows))
	for i, r := range rows {
		out[i] = Method{Name: r.name, Recoding: r.recoding, Guarantee: r.guarantee, Source: r.source, partitioner: r.partitioner}
	}
	return out
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

// CheckRecoding tells whether a method's classes can be written in a recoding.
func CheckRecoding(m Method, name string) error {
	known := Recodings()
	switch {
	case !slices.Contains(known, name):
		return fmt.Errorf("recoding %q is not known: use %s", name, strings.Join(known, ", "))
	case m.Only && name != m.Recoding:
		return fmt.Errorf("method %s is written in recoding %s alone", m.Name, m.Recoding)
	case name == LGB && m.Recoding != LGB:
		return fmt.Errorf("recoding lgb is written by the methods lgb-mdp, lgb-ncp and lgb-mended: %s makes no local buckets", m.Name)
	}
	return nil
}

// CheckSlices tells whether slices name each quasi-identifier once, and nothing
// else but the sensitive attribute. No slices are none of slicing's.
func CheckSlices(s *equivclass.Schema, named [][]string) error {
	if named == nil {
		return nil
	}
	times := map[string]int{}
	for _, name := range slices.Concat(named...) {
		times[name]++
		known := func(a equivclass.Attribute) bool {
			return a.Name == name && (a.Role == equivclass.Quasi || a.Role == equivclass.Sensitive)
		}
		if !slices.ContainsFunc(s.Attributes(), known) {
			return fmt.Errorf("%q is no quasi-identifier", name)
		}
		if times[name] > 1 {
			return fmt.Errorf("%q stands twice", name)
		}
	}
	for _, i := range s.Quasi() {
		if name := s.Attributes()[i].Name; times[name] == 0 {
			return fmt.Errorf("%q is in no slice", name)
		}
	}
	return nil
}
