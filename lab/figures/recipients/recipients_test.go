package recipients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lab/figures"
	"anond/lab/figures/figurestest"
)

// TestRecipientsIsAFigure: at a small scale, too, two datasets leave people with fewer candidates than l, and views leave nobody so.
func TestRecipientsIsAFigure(t *testing.T) {
	tier.NotShort(t, "it publishes two datasets")
	r := figurestest.Run(t, Figures(), "recipients")
	require.Len(t, r.Claims, 4)
	for _, c := range r.Claims {
		require.Equal(t, figures.Holds, c.Verdict(), "%s: %s", c.Text, c.Numbers())
	}
}

// TestClaimsFollowWhatWasMeasured: each claim fails where the numbers refute it.
func TestClaimsFollowWhatWasMeasured(t *testing.T) {
	of := func() *result {
		one := told{[]int{0, 0, 0, 0, 0, 10}, 2}
		return &result{people: 10, one: one, views: one, two: told{[]int{0, 0, 0, 3, 0, 7}, 4},
			loss: []weighted{{1, .1, .03}, {.1, .2, .02}}, own: .01}
	}
	for i, spoil := range []func(r *result){func(r *result) { r.two = r.one }, func(r *result) { r.differs = 1 },
		func(r *result) { r.own = .04 }, func(r *result) { r.loss[1].view = 1 }} {
		require.Equal(t, figures.Holds, of().claims()[i].Verdict())
		r := of()
		spoil(r)
		require.Equal(t, figures.HoldsNot, r.claims()[i].Verdict())
	}
}
