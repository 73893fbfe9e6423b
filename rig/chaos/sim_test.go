package chaos

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// What make sim plays.
var (
	simSeed  = flag.Uint64("seed", 1, "the seed of the plans of TestSimulation")
	simFrom  = flag.Int("from", 0, "the number of its first plan")
	simPlans = flag.Int("plans", 0, "how many plans TestSimulation plays; 0: it is skipped")
	simNotes = flag.String("record", "", "a `file` to which a line about what was played is added")
	simFile  = flag.String("plan", "", "a `file` with plans to play, as a failure prints them")
)

// simulated is the plan of a simulation with a number.
func simulated(seed uint64, number int) *chaosPlan {
	if number%4 == 3 {
		return generateErasing(seed, number)
	}
	return generate(seed, number, false)
}

// TestSimulation is make sim.
func TestSimulation(t *testing.T) {
	if *simPlans == 0 && *simFile == "" {
		t.Skip("make sim plays it")
	}
	r, events := newReport(os.Stdout), sha256.New()
	note := func(p *chaosPlan) {
		out := play(t, p, planted{})
		r.note(out)
		if out.Err != nil {
			small := shrunk(p, 300, func(q *chaosPlan) bool { return alike(play(t, q, planted{}).Err, out.Err) })
			fmt.Printf("FAILURE, the smallest plan: %v\n%s", play(t, small, planted{}).Err, small)
		}
		fmt.Fprint(events, out.Trace, out.Log)
	}
	if *simFile != "" {
		text, err := os.ReadFile(*simFile)
		require.NoError(t, err)
		plans, err := Parse(string(text))
		require.NoError(t, err)
		for _, p := range plans {
			note(p)
		}
	}
	for number := *simFrom; number < *simFrom+*simPlans; number++ {
		note(simulated(*simSeed, number))
	}
	r.reach.table(os.Stdout)
	for _, pair := range r.reach.missing() {
		fmt.Println("not reached:", pair)
	}
	r.end("sim", *simSeed)
	fmt.Printf("sim: events %x\n", events.Sum(nil))
	require.NoError(t, record(r, events.Sum(nil)))
	require.Zero(t, r.failures)
}

// alike reports whether two plans fail in one way: with the same words behind the step, but for numbers.
func alike(x, y error) bool {
	words := func(err error) string {
		text := err.Error()
		if _, rest, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(text, "step ") {
			text = rest
		}
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, text[:min(len(text), 100)])
	}
	return x != nil && y != nil && words(x) == words(y)
}

// record notes what was played, of which commit and in how much processor time (make sim RECORD=file).
func record(r *report, events []byte) error {
	if *simNotes == "" {
		return nil
	}
	commit, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12").Output()
	if err != nil {
		return err
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	f, err := os.OpenFile(*simNotes, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s seed %d plans %d to %d faults %d failures %d pairs %d of %d events %x seconds %d\n",
		strings.TrimSpace(string(commit)), *simSeed, *simFrom, *simFrom+*simPlans-1, r.faults, r.failures, r.reach.pairs()-len(r.reach.missing()),
		r.reach.pairs(), events, used.Utime.Sec+used.Stime.Sec)
	return errors.Join(err, f.Close())
}

// TestTheSameSeedGivesTheSameEvents: what a simulation does, says and publishes follows from its plan, on one processor, as make sim has
// it: with several, the goroutines of a client of Kafka take turns as it comes.
func TestTheSameSeedGivesTheSameEvents(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	for number := range tier.Of(t, 2, 6, 12) {
		p := simulated(plantedSeed, number)
		first := play(t, p, planted{})
		require.NotEmpty(t, first.Log)
		second := play(t, p, planted{})
		// A goroutine of a client of Kafka that the system suspends for long takes another turn.
		for again := 0; p.World.Broker && again < 4 && first.Trace+first.Log != second.Trace+second.Log; again++ {
			first, second = second, play(t, p, planted{})
		}
		require.Equal(t, first.Trace, second.Trace, p)
		require.Equal(t, first.Log, second.Log, p)
	}
}
