package state

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
)

// TestAsksMore: what may follow a refusal, and what would only be refused again.
func TestAsksMore(t *testing.T) {
	want := func(l int, extra ...equivclass.Principle) []string {
		return Demands(equivclass.Requirement{K: 5, L: l, Extra: extra})
	}
	closer := func(t float64, g equivclass.Ground) equivclass.Principle { return equivclass.TClose{T: t, Ground: g} }
	equal, ordered := equivclass.EqualGround{}, equivclass.OrderedGround{}
	for _, c := range []struct {
		name        string
		now, before []string
		more        bool
	}{
		{"the same", want(3), want(3), false},
		{"a lower l", want(2), want(3), false},
		{"a higher l", want(4), want(3), true},
		{"one more principle", want(3, equivclass.EntropyL{L: 4}), want(3), true},
		{"one that l implies", want(3, equivclass.EntropyL{L: 2.5}, equivclass.DistinctL{L: 3}), want(3), false},
		{"entropy", want(3, equivclass.EntropyL{L: 4.5}), want(3, equivclass.EntropyL{L: 4}), true},
		{"less entropy", want(3, equivclass.EntropyL{L: 3.5}), want(3, equivclass.EntropyL{L: 4}), false},
		{"entropy for values", want(3, equivclass.EntropyL{L: 5}), want(3, equivclass.DistinctL{L: 5}), true},
		{"values for entropy", want(3, equivclass.DistinctL{L: 5}), want(3, equivclass.EntropyL{L: 5}), false},
		{"more, but a lower l", want(2, equivclass.EntropyL{L: 4}), want(3), false},
		{"another kind", want(3, equivclass.RecursiveL{C: 1, L: 2}), want(3, equivclass.EntropyL{L: 4}), false},
		{"recursive, smaller c", want(3, equivclass.RecursiveL{C: 1, L: 4}), want(3, equivclass.RecursiveL{C: 2, L: 4}), true},
		{"recursive, larger c", want(3, equivclass.RecursiveL{C: 3, L: 4}), want(3, equivclass.RecursiveL{C: 2, L: 4}), false},
		{"closer", want(3, closer(.1, equal)), want(3, closer(.2, equal)), true},
		{"less close", want(3, closer(.3, equal)), want(3, closer(.2, equal)), false},
		{"another distance", want(3, closer(.1, ordered)), want(3, closer(.2, equal)), false},
		{"frequency as a principle", want(2, equivclass.FrequencyL{L: 4}), want(3), true},
	} {
		assert.Equal(t, c.more, AsksMore(c.now, c.before), c.name)
	}
}
