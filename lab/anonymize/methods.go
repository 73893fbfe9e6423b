package anonymize

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/lab/methods"
	"anond/snapshot"
)

// Recodings lists those that a one-off release may have.
func Recodings() []string {
	return []string{snapshot.NameGeneralization, snapshot.NameAnatomy, snapshot.NamePermutation, recodingSlicing,
		recodingRandomization, recodingLGB}
}

// CheckRecoding checks whether a method's classes can be written in a recoding.
func CheckRecoding(m methods.Method, name string) error {
	if known := Recodings(); !slices.Contains(known, name) {
		return fmt.Errorf("recoding %q is not known: use %s", name, strings.Join(known, ", "))
	}
	return m.CheckRecoding(name)
}

// partitioner is that of the method asked for, on all processors.
func (o *Options) partitioner() equivclass.Partitioner {
	p := o.Method.Partitioner(methods.Options{Seed: seedOf(o.Seed), Workers: runtime.GOMAXPROCS(0)})
	if r, can := p.(equivclass.Reporting); can && o.Progress != nil {
		return r.WithProgress(o.Progress)
	}
	return p
}

// CheckSlices checks that slices name each quasi-identifier once, and otherwise
// only the sensitive attribute. Without slices there is nothing to check.
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
			return fmt.Errorf("%q is not a quasi-identifier", name)
		}
		if times[name] > 1 {
			return fmt.Errorf("%q is listed twice", name)
		}
	}
	for _, i := range s.Quasi() {
		if name := s.Attributes()[i].Name; times[name] == 0 {
			return fmt.Errorf("%q is in no slice", name)
		}
	}
	return nil
}
