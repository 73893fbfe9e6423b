package incremental_test

import (
	"anond/incremental/state"
	"bytes"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"

	"anond/equivclass/equivtest/tier"
)

// isLarge: so many records that goroutines share the work.
func isLarge(seed uint64) bool { return seed%250 == 0 }

// onCores are the lives that run with several numbers of processors: those that are large,
// and a few others.
func onCores(seed uint64) bool { return isLarge(seed) || seed%50 == 25 }

// allOnCores runs these lives with 1, 2 and 4 processors, one after the other, since their
// number is that of the whole process. They must print the same and write the same bytes.
// It returns what the large ones must reach, if there are enough of them.
func (r *lifeRun) allOnCores(t *testing.T, first uint64, count int) (reach tally) {
	var seeds []uint64
	for seed := first; seed < first+uint64(count); seed++ {
		if onCores(seed) {
			seeds = append(seeds, seed)
		}
	}
	if *lifeStreams == 0 {
		seeds = append(seeds, []uint64{500, 1000}[:tier.Of(t, 0, 0, 2)]...)
	}
	large := 0
	for _, seed := range seeds {
		if r.going() {
			r.onCores(t, seed)
		}
		if isLarge(seed) {
			large++
		}
	}
	if large < 10 {
		return nil
	}
	return tally{sharedL1: 1, sharedL2: 1, divided: 1}
}

// What large lives reach.
const (
	sharedL1 = "decisions of level L1 whose work goroutines share"
	sharedL2 = "decisions of level L2 whose work goroutines share"
	divided  = "pools of level L2 that divide"
)

func (r *lifeRun) onCores(t *testing.T, seed uint64) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var one outcome
	for _, n := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(n)
		o := r.run(t, seed, newLife(seed), []string{"cores"})
		if o.failure != "" {
			return
		}
		if n == 1 {
			one = o
			r.tally.add(o)
			continue
		}
		if !slices.Equal(one.printed, o.printed) || !bytes.Equal(one.host.seen, o.host.seen) {
			r.failures++
			t.Errorf("seed %d: with %d processors it prints or writes something else than with one", seed, n)
		}
		r.tally.shares(one.host, o.host)
	}
}

// shares counts whose decisions began goroutines. With one processor only the sub-pools of
// a pool of level L2 have some; what begins more with several shares work.
func (a tally) shares(one, several *host) {
	if one.policy.Level == state.L2 && one.begun > 0 {
		a[divided]++
	}
	if several.begun > one.begun+1 {
		a[map[bool]string{true: sharedL2, false: sharedL1}[one.policy.Level == state.L2]]++
	}
}

// goroutinesBegun is how many goroutines the process has ever begun.
func goroutinesBegun() int {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		panic(fmt.Sprint(sample[0].Name, " is not known"))
	}
	return int(sample[0].Value.Uint64())
}
