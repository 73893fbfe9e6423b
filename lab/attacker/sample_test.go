package attacker

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
)

// TestSampleAgainstEnumeration: beliefs are those of all worlds, weighted by what
// they break.
func TestSampleAgainstEnumeration(t *testing.T) {
	tier.Heavy(t, "seconds of sampling")
	for _, by := range Programs() {
		t.Run(by.Name(), func(t *testing.T) {
			informed := false
			releases := append(tinyReleases(t, by, equivclass.Requirement{K: 2, L: 2}, 8, 3, 8),
				tinyReleases(t, by, equivclass.Requirement{K: 3, L: 2}, 9, 3, 5)...)
			for _, r := range releases {
				rules := by.conclude(r.publicView)
				want := enumerated(r.publicView, weightOf(rules(), 2))
				got, err := sample(context.Background(), r.publicView, rules, 2, Effort{Chains: 4, Cycles: 1, Rise: 100, Hold: 400000}, 1)
				require.NoError(t, err)
				requireBeliefs(t, r.publicView, want, got, .04)
				for _, row := range r.rows() {
					for v := range r.values {
						informed = informed || want[row][v] > r.share(r.group[row], value(v))+.05
					}
				}
			}
			_, blind := by.(buckets)
			require.Equal(t, !blind, informed, "the conditions tell something, at level L2 nothing")
		})
	}
}

// TestChangeAgainstBroken: what a chain is told step by step is what counting anew
// says.
func TestChangeAgainstBroken(t *testing.T) {
	for _, by := range Programs() {
		r := Publish(by, adultPool(t, 600, 1), equivclass.Requirement{K: 5, L: 3}, 1)
		rules := by.conclude(r.publicView)()
		require.Positive(t, rules.Conditions(), by.Name())
		rng := rand.New(rand.NewPCG(1, 1))
		w, rows := r.random(rng), r.rows()
		broken := rules.Broken(w)
		require.Positive(t, broken, "%s: a random world breaks some", by.Name())
		changes := 0
		for range 3000 {
			i, j := r.propose(rng, rows)
			if w[i] == w[j] {
				continue
			}
			more := rules.Change(w, i, j)
			if rng.IntN(2) == 0 {
				w[i], w[j] = w[j], w[i]
				rules.Exchanged(w, i, j)
				broken += more
				if more != 0 {
					changes++
				}
			}
		}
		require.Equal(t, by.conclude(r.publicView)().Broken(w), broken, by.Name())
		require.Greater(t, changes, 10, by.Name())
	}
}

// TestConditionsHoldInTruth: what an attacker concludes from a program that works in
// one part is true, and a random world breaks a good part of it.
func TestConditionsHoldInTruth(t *testing.T) {
	for _, by := range []Program{Extract(), mondrian()} {
		for _, want := range []equivclass.Requirement{{K: 10, L: 5}, {K: 5, L: 3}} {
			r := Publish(by, adultPool(t, 3000, 1), want, 1)
			rules := by.conclude(r.publicView)()
			require.Zero(t, rules.Broken(r.truth), "%s, k = %d", by.Name(), want.K)
			require.Greater(t, 20*rules.Broken(r.random(rand.New(rand.NewPCG(2, 2)))), rules.Conditions())
		}
	}
}

func TestSampleStops(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	r := Publish(Extract(), adultPool(t, 200, 1), equivclass.Requirement{K: 5, L: 3}, 1)
	_, err := LocalOptimum(stopped, r, Effort{1, 1, 10, 10}, 1)
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = Replay(stopped, r, Replaying{1, 10}, 1)
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = Unchanged(stopped, r, InClass, 5, 1)
	require.ErrorIs(t, err, context.Canceled)
}
