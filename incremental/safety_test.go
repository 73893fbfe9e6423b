package incremental_test

import (
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
)

var (
	streamSeed  = flag.Uint64("seed", 1, "first seed of the generated streams")
	streamCount = flag.Int("streams", 0, "number of generated streams; 0: as the tier says")
)

// TestEveryChainIsCertified is the promise as a property: whatever the stream,
// the policy, the batches and the restarts, the auditor, which shares no code
// with the machine, certifies everything that was ever released; no record is
// lost at any moment; the machine's own invariants hold after each cut.
//
// go test -run Certified -seed N -streams M for longer runs.
func TestEveryChainIsCertified(t *testing.T) {
	count := *streamCount
	if count == 0 {
		count = tier.Of(t, 12, 60, 300)
	}
	var all tally
	t.Run("streams", func(t *testing.T) {
		for part := range uint64(2) {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				for i := part; i < uint64(count); i += 2 {
					seed := *streamSeed + i
					if !t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { all.add(runStream(t, newStream(t, seed))) }) {
						return
					}
				}
			})
		}
	})
	t.Logf("seeds from %d: %+v", *streamSeed, all.of)
	if t.Failed() || count < 60 {
		return
	}
	assert.GreaterOrEqual(t, all.of.certified, count*2/3)
	for what, n := range map[string]int{"regrouped records": all.of.regrouped, "pure records": all.of.pure, "frozen records": all.of.frozen,
		"chains with t-closeness": all.of.close, "crashes": all.of.crashes, "repeats held": all.of.repeats,
		"refused records": all.of.refused, "chains of several releases": all.of.long} {
		assert.Positive(t, n, "the streams do not reach %s", what)
	}
}

// tally counts what the streams have reached, so that a generator that no longer
// reaches something is noticed.
type tally struct {
	mu sync.Mutex
	of outcomes
}

type outcomes struct {
	certified, empty, infeasible, long                  int
	close                                               int
	releases, crashes, pure, frozen, regrouped, repeats int
	refused, published, sent, redelivered               int
}

func (a *tally) add(o outcomes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &a.of
	for _, x := range []struct {
		to *int
		n  int
	}{{&s.certified, o.certified}, {&s.empty, o.empty}, {&s.infeasible, o.infeasible}, {&s.long, o.long},
		{&s.releases, o.releases}, {&s.crashes, o.crashes}, {&s.pure, o.pure}, {&s.frozen, o.frozen}, {&s.regrouped, o.regrouped},
		{&s.repeats, o.repeats}, {&s.refused, o.refused}, {&s.published, o.published}, {&s.sent, o.sent},
		{&s.redelivered, o.redelivered}, {&s.close, o.close}} {
		*x.to += x.n
	}
}

// runner feeds a stream to a chain, in the order of arrival, and delivers again
// what a crash took away.
type runner struct {
	*chain
	s    *stream
	sent int // distinct records delivered, those lost in a crash not counted
	o    outcomes
}

func runStream(t *testing.T, s *stream) outcomes {
	r := &runner{chain: newChain(t, s.schema, s.policy, s.recoding, s.files...), s: s}
	at, tick := 0, int64(100)
	for at < len(s.rows) {
		n := 1 + s.rng.IntN(2*s.batch)
		if at == 0 {
			n += s.policy.Requirement.K * s.policy.Requirement.L * 3
		}
		to := min(len(s.rows), at+n)
		r.deliver(at, to)
		at = to
		tick += int64(s.rng.IntN(4))
		r.m.Tick(tick)
		if s.rng.Float64() < s.restarts {
			r.loseAndRestart(at, tick)
		}
		if !r.release(tick) {
			return outcomes{infeasible: 1}
		}
	}
	return r.verdict()
}

// deliver applies the records from..to; some are delivered twice, as a broker may.
func (r *runner) deliver(from, to int) {
	offsets := r.offsets(from)
	for i := from; i < to; i++ {
		p := r.s.of[i]
		r.apply(p, offsets[p], r.s.rows[i])
		r.sent++
		if r.s.rng.IntN(20) == 0 {
			require.True(r.t, r.apply(p, offsets[p], r.s.rows[i]).Known)
			r.o.redelivered++
		}
		offsets[p]++
		if r.s.rng.IntN(30) == 0 {
			require.NoError(r.t, r.m.Commit())
			r.counts(r.sent)
		}
	}
	r.counts(r.sent)
}

// offsets are those of the records from index on.
func (r *runner) offsets(from int) map[incremental.Partition]int64 {
	out := map[incremental.Partition]int64{}
	for _, p := range r.s.of[:from] {
		out[p]++
	}
	return out
}

// loseAndRestart kills the machine; the source goes on at the stored positions.
// Records of several partitions then arrive in another order.
func (r *runner) loseAndRestart(at int, tick int64) {
	r.crash()
	r.o.crashes++
	r.m.Tick(tick)
	have := map[incremental.Partition]int64{}
	for p, pos := range r.m.Positions() {
		have[p] = pos.Next
	}
	seen := map[incremental.Partition]int64{}
	for i, p := range r.s.of[:at] {
		if seen[p]++; seen[p] > have[p] {
			r.apply(p, seen[p]-1, r.s.rows[i])
		}
	}
	r.counts(r.sent)
}

// release cuts; at times the process dies between the intent and its files.
func (r *runner) release(tick int64) bool {
	if r.s.restarts > 0 && r.s.rng.IntN(6) == 0 {
		intent, err := r.m.Cut(1_700_000_000, [32]byte{1})
		if infeasible(err) {
			return false
		}
		require.NoError(r.t, err)
		r.crash()
		r.o.crashes++
		r.m.Tick(tick)
		if intent != nil {
			r.o.releases++
		}
	} else {
		intent, err := r.m.Cut(1_700_000_000, [32]byte{1})
		if infeasible(err) {
			return false
		}
		require.NoError(r.t, err)
		if intent != nil {
			r.publish(intent)
			r.o.releases++
		}
	}
	require.Empty(r.t, r.m.CheckInvariants())
	r.counts(r.sent)
	return true
}

func (r *runner) verdict() outcomes {
	r.o.sent, r.o.refused = r.sent, int(r.m.Status().DeadLetter)
	if r.o.releases == 0 {
		return outcomes{empty: 1}
	}
	report := r.certify()
	r.o.certified = 1
	if r.o.releases > 1 {
		r.o.long = 1
	}
	if v := r.m.All(); len(v.References) > 0 {
		r.o.close = 1
	}
	p := r.m.Status().Pending
	r.o.repeats, r.o.published = p.SubjectRepeat, r.m.Status().Published
	r.o.pure, r.o.frozen = report.Certificates.PureRecords, report.Certificates.FrozenRecords
	for n, records := range report.Regroups {
		if n > 0 {
			r.o.regrouped += records
		}
	}
	if b := r.s.policy.MaxRegroups; b >= 0 && r.s.policy.Republication == incremental.Regroup {
		require.LessOrEqual(r.t, len(report.Regroups), b+1, "rule E")
	}
	return r.o
}
