package incremental_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

var (
	lifeSeed    = flag.Uint64("seed", 1, "first seed of the generated lives")
	lifeStreams = flag.Int("streams", 0, "number of generated lives; 0: as the tier says")
	lifeEnough  = flag.Int("failures", 5, "failures that end a run of lives: a fault is often found by many")
	lifeScripts = flag.String("scripts", filepath.Join("testdata", "scripts"), "where a life that fails is written as a script")
)

// ways are the hosts next to the first, of which each life has one.
var ways = []string{"bbolt", "restarted", "steady", "eager", "many"}

// hostsOf are the hosts of a life. Where what is lost depends on the commits, all
// hosts have the same ones.
func hostsOf(seed uint64, l *life) []string {
	second := ways[seed%uint64(len(ways))]
	if l.rough && (second == "steady" || second == "eager") {
		second = "restarted"
	}
	return []string{"memory", second}
}

// TestLife is the promise as a property: whatever the stream, the policy, the batches
// and the restarts, the auditor, which shares no code with the machine, certifies
// everything that was ever released; no record is lost at any moment; the machine's own
// invariants hold after each step. A second host does the same in another way (way) and
// must write the same bytes. Some lives run with 1, 2 and 4 processors (allOnCores).
//
// A life that fails is shrunk and written as a script of TestScripts.
//
//	make life STREAMS=10000 SEED=1
func TestLife(t *testing.T) {
	count := *lifeStreams
	if count == 0 {
		count = tier.Of(t, 16, 40, 200)
	}
	run := lifeRun{tally: tally{}}
	t.Run("lives", func(t *testing.T) {
		const lanes = 2
		for lane := range uint64(lanes) {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				for i := lane; i < uint64(count) && run.going(); i += lanes {
					if !onCores(*lifeSeed + i) {
						run.one(t, *lifeSeed+i)
					}
				}
			})
		}
	})
	shared := run.allOnCores(t, *lifeSeed, count)
	fmt.Printf("life: seed %d streams %d releases %d failures %d\n", *lifeSeed, run.tally["lives"], run.tally["releases"], run.failures)
	t.Logf("%v", run.tally)
	if t.Failed() || count < 80 {
		return
	}
	for _, what := range []string{"regrouped records", "pure records", "frozen records", "chains with t-closeness", "records beyond",
		"refused records", "quarantined records", "forgotten records that waited",
		"forgotten records that are published", "blocked records", "people barred", "lives under other settings later",
		"refused cuts or records", "chains of several releases of level L1",
		"chains of several releases of level L2"} {
		assert.Positive(t, run.tally[what], "the lives do not reach %s", what)
	}
	for what := range shared {
		assert.Positive(t, run.tally[what], "the lives do not reach %s", what)
	}
	assert.Greater(t, run.tally["chains of level L1"]+run.tally["chains of level L2"], count/2)
}

// lifeRun gathers what several lives do at the same time.
type lifeRun struct {
	mu       sync.Mutex
	tally    tally
	failures int
}

func (r *lifeRun) going() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures < *lifeEnough
}

func (r *lifeRun) one(t *testing.T, seed uint64) {
	l := newLife(seed)
	o := r.run(t, seed, l, hostsOf(seed, l))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.add(o)
}

func (r *lifeRun) run(t *testing.T, seed uint64, l *life, names []string) outcome {
	o := l.try(t, names...)
	if o.failure != "" {
		r.mu.Lock()
		r.failures++
		r.mu.Unlock()
		t.Errorf("seed %d on %v: %s", seed, names, o.failure)
		small, path := l.keep(t, seed, o, names)
		t.Errorf("it is now %s:\n%s", path, small)
	}
	return o
}

// keep shrinks a life that failed and writes it as a script.
func (l *life) keep(t *testing.T, seed uint64, o outcome, names []string) (text, path string) {
	l.machine = append(l.machine, fmt.Sprintf("hosts=(%s)", names[len(names)-1]))
	small := shrink(t, l, kindOf(o.failure), "memory")
	again := small.try(t, "memory")
	comment := fmt.Sprintf("# Found by TestLife with seed %d: %s. Say here which rule is shown.\n", seed, kindOf(again.failure))
	text, path = small.script(comment, again.printed), filepath.Join(*lifeScripts, fmt.Sprintf("life_%d.txt", seed))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return text, path
}
