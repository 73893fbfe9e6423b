package repartition

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/retry"
	"anond/shards/keying"
)

// The model runs the writer against a broker that loses requests, answers late or never, and
// delivers again later, while the writer crashes, goes on from an older progress or from none,
// and is not alone. Readers crash too. What must hold: a reader has each record once and in the
// order of its source, or says that one is missing.

const (
	modelSources = 2
	modelTargets = 3
	modelRecords = 40 // of a source partition, before the last ones
)

// subjects of the last records: one for each target partition, so that a loss at the end shows.
var lastSubjects = func() (out []string) {
	for t := range int32(modelTargets) {
		for i := 0; ; i++ {
			if s := fmt.Sprintf("last%d", i); keying.PartitionOf(modelKey([]byte(s)), modelTargets) == t {
				out = append(out, s)
				break
			}
		}
	}
	return out
}()

// modelLinks is the key of all writers; the readers of the model look at links, not at MACs.
var modelLinks = keying.NewLinkKey([]byte("of the model"), "b")

func modelKey(subject []byte) []byte { return append([]byte("key of "), subject...) }

// variant is what is broken.
type variant struct {
	pipelined bool // five requests in flight, and not one
	blind     bool // readers drop what is not above their mark, and look at no link
	truncates bool // the broker loses acknowledged records
}

// late is a request that arrives behind others.
type late struct {
	records []Record
	after   int // requests
}

// logOf is one target partition: its own faults, so that a seed says all of them.
type logOf struct {
	rng     *rand.Rand
	log     []Record
	late    []late
	pending [][]Record // pipelined: acknowledged to the writer too early
}

type broker struct {
	mu sync.Mutex
	variant
	faults bool
	logs   [modelTargets]*logOf
}

// connection is a writer's; it breaks when the writer crashes.
type connection struct {
	*broker
	left [modelTargets]int // requests to a partition until the crash; negative: never
}

var (
	errLost  = errors.New("no answer")
	errCrash = errors.New("crashed")
)

func (c *connection) Write(_ context.Context, t int32, records []Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left[t] == 0 {
		return errCrash
	}
	c.left[t]--
	l := c.logs[t]
	l.arrive()
	if !c.faults {
		l.flush()
		l.log = append(l.log, records...)
		return nil
	}
	if c.pipelined {
		return l.pipeline(records)
	}
	switch x := l.rng.Float64(); {
	case x < .1: // the request is lost
		return errLost
	case x < .2: // the answer is lost
		l.log = append(l.log, records...)
		return errLost
	case x < .3: // the request is slow: it arrives after others
		l.late = append(l.late, late{records, 1 + l.rng.IntN(6)})
		return errLost
	}
	l.log = append(l.log, records...)
	if c.truncates && l.rng.Float64() < .05 {
		l.log = l.log[:len(l.log)-min(len(l.log), l.rng.IntN(4))]
	}
	return nil
}

// arrive delivers what is late by now.
func (l *logOf) arrive() {
	kept := l.late[:0]
	for _, x := range l.late {
		if x.after--; x.after > 0 {
			kept = append(kept, x)
		} else {
			l.log = append(l.log, x.records...)
		}
	}
	l.late = kept
}

// pipeline is what the broker sees of a client with five requests in flight: a request that
// fails is repeated behind those that follow it.
func (l *logOf) pipeline(records []Record) error {
	l.pending = append(l.pending, records)
	for len(l.pending) >= 5 {
		i := 0
		if l.rng.Float64() < .2 {
			i = l.rng.IntN(len(l.pending))
		}
		l.log = append(l.log, l.pending[i]...)
		l.pending = append(l.pending[:i:i], l.pending[i+1:]...)
	}
	return nil
}

func (l *logOf) flush() {
	for _, p := range l.pending {
		l.log = append(l.log, p...)
	}
	l.pending = nil
}

// plain reads a subject alone.
type plain struct{}

func (p plain) Decode(value []byte, header []string, row equivclass.Row) decode.Outcome {
	return p.DecodeKeyed(nil, value, header, row)
}

func (plain) DecodeKeyed(_, value []byte, _ []string, row equivclass.Row) decode.Outcome {
	if row[0] = nil; string(value) == "unreadable" {
		return decode.Outcome{Reason: decode.ReasonMalformedJSON}
	}
	row[0] = value
	return decode.Outcome{}
}

func (plain) TooLarge([]byte, []string, equivclass.Row) decode.Outcome {
	return decode.Outcome{Reason: decode.ReasonTooLarge}
}

type stopped struct{}

func (stopped) Now() time.Time { return time.Unix(1, 0) }
func (stopped) Ticker(time.Duration) (<-chan time.Time, func()) {
	return nil, func() {}
}

// world is one run of the model.
type world struct {
	t       *testing.T
	rng     *rand.Rand
	schema  *equivclass.Schema
	sources [modelSources][]string // values by offset
	broker  *broker
	kept    [][]byte // every progress that was ever durable
}

func newWorld(t *testing.T, schema *equivclass.Schema, seed uint64, v variant) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 1)), schema: schema, broker: &broker{variant: v, faults: true}}
	for i := range w.broker.logs {
		w.broker.logs[i] = &logOf{rng: rand.New(rand.NewPCG(seed, uint64(10+i)))}
	}
	for s := range w.sources {
		for range modelRecords {
			value := fmt.Sprintf("p%d", w.rng.IntN(30))
			if w.rng.Float64() < .05 {
				value = "unreadable"
			}
			w.sources[s] = append(w.sources[s], value)
		}
	}
	return w
}

// writer goes on from a progress that was durable once; nil: from none.
func (w *world) writer(from []byte) *Work {
	p := &Progress{From: "a", To: "b", Targets: modelTargets, Key: "k"}
	if from != nil {
		var err error
		p, err = Decode(from)
		require.NoError(w.t, err)
	}
	c := &connection{broker: w.broker, left: [modelTargets]int{-1, -1, -1}}
	if w.broker.faults && w.rng.Float64() < .7 {
		c.left[w.rng.IntN(modelTargets)] = w.rng.IntN(20)
	}
	work := &Work{Decoder: plain{}, Schema: w.schema, Key: modelKey, Links: modelLinks, Target: c, Progress: p,
		Clock: stopped{}, request: 150, writers: 1,
		Digest: func(b []byte) state.Digest { return state.KeyedDigest(nil, b) }, Log: slog.New(slog.DiscardHandler),
		Retry: retry.Policy{Sleep: func(context.Context, time.Duration) error { return w.crashed(c) }}}
	work.begun()
	work.row = make(equivclass.Row, len(w.schema.Attributes()))
	return work
}

// crashed ends the attempts of a writer that has crashed.
func (w *world) crashed(c *connection) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, left := range c.left {
		if left == 0 {
			return errCrash
		}
	}
	return nil
}

// step writes the next chunk of a source partition; done: there is none.
func (w *world) step(work *Work, s int32) (done bool, err error) {
	from := int64(0)
	if at := work.Progress.Sources[s]; at != nil {
		from = at.Next
	}
	next := min(int64(len(w.sources[s])), from+1+int64(w.rng.IntN(9)))
	if next == from {
		return true, nil
	}
	c := &ingest.Chunk{Partition: state.Partition{Source: "a", ID: s}, From: from, Next: next}
	for o := from; o < next; o++ {
		c.Records = append(c.Records, ingest.Record{Offset: o, Value: []byte(w.sources[s][o])})
	}
	if err := work.pass(w.t.Context(), c); err != nil {
		return false, err
	}
	if w.rng.Float64() < .5 {
		text, err := work.Progress.Encode()
		require.NoError(w.t, err)
		w.kept = append(w.kept, text)
	}
	return false, nil
}

// run lets one to three writers work at once until one has reached the end, then writes the last
// records, without faults.
func (w *world) run() {
	workers := make([]*Work, 1+w.rng.IntN(3))
	for i := range workers {
		workers[i] = w.writer(nil)
	}
	for steps := 0; ; steps++ {
		i := w.rng.IntN(len(workers))
		ends := 0
		for s := range int32(modelSources) {
			done, err := w.step(workers[i], s)
			if err != nil {
				workers[i] = w.writer(w.older())
				break
			}
			if done {
				ends++
			}
		}
		if ends == modelSources || steps > 400 {
			break
		}
	}
	w.broker.faults = false
	for s := range w.sources {
		w.sources[s] = append(w.sources[s], lastSubjects...)
	}
	last := w.writer(w.newest())
	for s := range int32(modelSources) {
		for done := false; !done; {
			var err error
			done, err = w.step(last, s)
			require.NoError(w.t, err)
		}
	}
	for _, l := range w.broker.logs {
		l.flush()
		for _, x := range l.late {
			l.log = append(l.log, x.records...)
		}
	}
}

// older is a progress that a writer may find after a crash: mostly the newest.
func (w *world) older() []byte {
	if x := w.rng.Float64(); x < .1 || len(w.kept) == 0 {
		return nil
	} else if x < .3 {
		return w.kept[w.rng.IntN(len(w.kept))]
	}
	return w.newest()
}

func (w *world) newest() []byte {
	if len(w.kept) == 0 {
		return nil
	}
	return w.kept[len(w.kept)-1]
}
