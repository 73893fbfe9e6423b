package chaos

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// most is in how many plans that draw a kind of fault one must take effect.
const most = 60

// oftenTakesEffect are kinds of which nearly each takes effect, so that few plans are played for them.
var oftenTakesEffect = []string{"clock-back", "clock-falls", "clock-leaps", "flood", "restore-old", "restore-unjudged"}

// TestEveryFaultTakesEffect: a kind of fault that is drawn and never takes effect shows nothing.
func TestEveryFaultTakesEffect(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	wanted := oftenTakesEffect
	if tier.Of(t, 0, len(wanted), len(ofPlans(false))) > len(wanted) {
		wanted = ofPlans(false)
	}
	require.Empty(t, neverTakesEffect(wanted, false, func(p *chaosPlan) result { return play(t, p, planted{}) }))
}

// TestEveryFaultOfProcessesTakesEffect: the same of plans with processes.
func TestEveryFaultOfProcessesTakesEffect(t *testing.T) {
	tier.Heavy(t, "it runs the program")
	require.NoError(t, programtest.LookAtSources())
	program, err := programtest.Build(t.TempDir(), "anond-deliver")
	require.NoError(t, err)
	wanted := ofPlans(true)
	if dir := t.TempDir(); mount(dir) {
		unmount(dir)
	} else {
		wanted = slices.DeleteFunc(wanted, func(kind string) bool {
			return slices.Contains([]string{"disk-full", "state-full", "read-only"}, kind)
		})
	}
	require.Empty(t, neverTakesEffect(wanted, true, func(p *chaosPlan) result { return playReal(p, t.TempDir(), program) }))
}

// ofPlans are the kinds of faults of plans with processes, or of those without.
func ofPlans(real bool) (out []string) {
	for name, k := range kinds {
		if k.real == real {
			out = append(out, name)
		}
	}
	return out
}

// neverTakesEffect plays plans until each wanted kind of fault has taken effect, or was drawn by so many of them. It
// returns those that have not, with how often they were drawn.
func neverTakesEffect(wanted []string, real bool, play func(*chaosPlan) result) map[string]int {
	var mu sync.Mutex
	open := map[string]int{}
	for _, kind := range wanted {
		open[kind] = 0
	}
	next := 0
	draw := func() *chaosPlan { // the next plan that has an open kind
		mu.Lock()
		defer mu.Unlock()
		for ; next < 20*most; next++ {
			p, has := generate(plantedSeed, next, real), map[string]bool{}
			for _, s := range p.Steps {
				if drawn, is := open[s.Do]; is && drawn < most {
					has[s.Do] = true
				}
			}
			for kind := range has {
				open[kind]++
			}
			if len(has) > 0 {
				next++
				return p
			}
		}
		return nil
	}
	var all sync.WaitGroup
	for range map[bool]int{true: atOnce, false: 1}[real] {
		all.Go(func() {
			for p := draw(); p != nil; p = draw() {
				r := play(p)
				mu.Lock()
				maps.DeleteFunc(open, func(kind string, _ int) bool { return slices.Contains(r.Faults, kind) })
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return open
}
