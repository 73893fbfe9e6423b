package methods_test

import (
	"slices"
	"testing"

	"anond/equivclass/equivtest"
	"anond/lab/methods"
)

// byValue are the methods that tell rows apart by their values alone, so that it does not
// matter in which order these come (lab/docs/METHODS.md).
var byValue = []string{"wang-close-k", "wang-median", "mondrian", "mondrian-both", "single-dimensional", "multi", "org", "aip"}

// TestConformance: every method keeps the promise of a partitioner. All but extract, which
// takes classes out one by one, leave nobody over where all may be one class.
func TestConformance(t *testing.T) {
	for _, m := range methods.All() {
		if m.By != "" {
			continue // another method cuts its classes
		}
		t.Run(m.Name, func(t *testing.T) {
			var traits []equivtest.Trait
			if m.Name != "extract" {
				traits = append(traits, equivtest.Everybody)
			}
			if slices.Contains(byValue, m.Name) {
				traits = append(traits, equivtest.AnyOrder)
			}
			equivtest.Run(t, m.Partitioner(methods.Options{Seed: 5, Workers: 2}), traits...)
		})
	}
}
