package ingest_test

import (
	"anond/incremental/plan"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/incremental"
	"anond/ingest"
)

// alone is a method whose classes are single records, which no principle allows.
type alone struct{ cuts.Median }

func (alone) Partition(p *equivclass.Pool, _ equivclass.Requirement) (classes [][]int32, rest []int32) {
	for i := range p.Len() {
		classes = append(classes, []int32{int32(i)})
	}
	return classes, nil
}

var eventName = regexp.MustCompile(`event=(\w+)`)

// events lists the events of the log in order, but for the line about a release
// that is waited for, which comes with the time.
func (r *running) events() (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range eventName.FindAllStringSubmatch(r.log.String(), -1) {
		if m[1] != "release_waits" {
			out = append(out, m[1])
		}
	}
	return out
}

// sick makes everybody ill with the same illness, so that no partition of the
// first load is l-diverse.
func (r *rig) sick() {
	for i := range r.values {
		r.values[i] = []byte(`{"age":30,"ward":"w1","illness":"i1"}`)
	}
}

// refusalCase is one way to refuse, the error of the run, and the events.
type refusalCase struct {
	method equivclass.Partitioner // of the first load; nil: the rig's
	set    func(r *rig, h *ingest.Host, p *running)
	err    func(*testing.T, error)
	events []string
}

// gateRefuses refuses a release as the auditor does.
func gateRefuses(r *rig, release uint32) {
	r.press.fail = func(n uint32) error {
		if n == release {
			return errors.Join(ingest.ErrPermanent, errors.New("gate"))
		}
		return nil
	}
}

// settlingClock tells when a drain begins to wait for the release in progress.
type settlingClock struct {
	wallClock
	settling chan struct{}
}

// settlingFor is a time that nothing else asks the clock for.
const settlingFor = 1234 * time.Second

func (c settlingClock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	if d == settlingFor {
		close(c.settling)
	}
	return c.wallClock.Ticker(d)
}

// goesOn makes the source wait at its end.
func goesOn(h *ingest.Host) { h.Once, h.Source = false, endless{h.Source.(*feed)} }

func endsWith(want error) func(*testing.T, error) {
	return func(t *testing.T, err error) { require.ErrorIs(t, err, want) }
}

func endsInfeasible(t *testing.T, err error) {
	var e *plan.InfeasibleError
	require.ErrorAs(t, err, &e)
}

func endsWell(t *testing.T, err error) { require.NoError(t, err) }

var refusals = map[string]refusalCase{
	"the gate": {
		set: func(r *rig, _ *ingest.Host, _ *running) { gateRefuses(r, 2) },
		err: endsWith(ingest.ErrPermanent), events: []string{"release_published", "release_refused"}},
	"the gate, while a stop is carried out": {
		set: func(r *rig, h *ingest.Host, p *running) {
			goesOn(h)
			clock := settlingClock{settling: make(chan struct{})}
			h.Clock, h.DrainFor = clock, settlingFor
			gateRefuses(r, 1)
			refuse := r.press.fail
			r.press.fail = func(n uint32) error {
				p.stop()
				<-clock.settling
				return refuse(n)
			}
		}, err: endsWith(ingest.ErrPermanent), events: []string{"draining", "release_refused"}},
	"the first load, at the end of the source": {
		set: func(r *rig, _ *ingest.Host, _ *running) { r.sick() },
		err: endsInfeasible, events: []string{"infeasible", "stopped"}},
	"the first load, of a source that goes on": {
		set: func(r *rig, h *ingest.Host, p *running) {
			r.sick()
			goesOn(h)
			go func() { p.saying("infeasible"); p.stop() }()
		}, err: endsWell, events: []string{"infeasible", "draining", "stopped"}},
	"the machine's own check": {method: alone{},
		set: func(*rig, *ingest.Host, *running) {}, err: endsWith(incremental.ErrUnsafe), events: []string{"release_refused"}},
	"a disk that stays full": {
		set: func(r *rig, _ *ingest.Host, _ *running) { full(r) }, err: endsWith(ingest.ErrParked),
		events: []string{"release_published", "release_failed", "release_parked"}},
}

// TestARefusalTakesOneWayOut: whoever refuses and whenever, the run returns the
// refusal, and its event is logged once.
// Mutations under which it was seen to fail: the first load's refusal ends the
// run at once; a refusal while a stop is carried out is dropped; a refusal is
// logged where it is found and where the run ends.
func TestARefusalTakesOneWayOut(t *testing.T) {
	for name, x := range refusals {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 400)
			policy := rigPolicy()
			if x.method != nil {
				policy.Initial = x.method
			}
			h := r.hostUnder(policy, 4, 20)
			p, begin := prepare(t, h)
			x.set(r, h, p)
			begin()
			x.err(t, p.ends())
			require.Equal(t, x.events, p.events())
		})
	}
}
