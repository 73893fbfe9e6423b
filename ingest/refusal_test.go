package ingest_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/topdown"
	"anond/incremental"
	"anond/ingest"
)

// alone is a method whose classes are single records, which no principle allows.
type alone struct{ topdown.Mondrian }

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

var errGate = errors.Join(ingest.ErrPermanent, errors.New("gate"))

// TestARefusalTakesOneWayOut: whoever refuses and whenever, the run returns the
// refusal, and its event is logged once. What the machine itself refuses to decide
// has no event: the process ends with it.
// Mutations under which it was seen to fail: the first load's refusal ends the
// run at once; a refusal while a stop is carried out is dropped; a refusal is
// logged where it is found and where the run ends.
func TestARefusalTakesOneWayOut(t *testing.T) {
	infeasible := func(t *testing.T, err error) {
		var e *incremental.InfeasibleError
		require.ErrorAs(t, err, &e)
	}
	is := func(want error) func(*testing.T, error) {
		return func(t *testing.T, err error) { require.ErrorIs(t, err, want) }
	}
	for name, x := range map[string]struct {
		method equivclass.Partitioner // of the first load; nil: the rig's
		set    func(r *rig, h *ingest.Host, p *running)
		err    func(*testing.T, error)
		events []string
	}{
		"the gate": {nil,
			func(r *rig, h *ingest.Host, _ *running) {
				r.press.fail = func(n uint32) error {
					if n == 2 {
						return errGate
					}
					return nil
				}
			}, is(ingest.ErrPermanent), []string{"release_published", "release_refused"}},
		"the gate, while a stop is carried out": {nil,
			func(r *rig, h *ingest.Host, p *running) {
				h.Once, h.Source = false, endless{h.Source.(*feed)}
				r.press.fail = func(uint32) error {
					p.stop()
					p.saying("draining")
					return errGate
				}
			}, is(ingest.ErrPermanent), []string{"draining", "release_refused"}},
		"the first load, at the end of the source": {nil,
			func(r *rig, h *ingest.Host, _ *running) { r.sick() },
			infeasible, []string{"infeasible", "stopped"}},
		"the first load, of a source that goes on": {nil,
			func(r *rig, h *ingest.Host, p *running) {
				r.sick()
				h.Once, h.Source = false, endless{h.Source.(*feed)}
				go func() { p.saying("infeasible"); p.stop() }()
			}, func(t *testing.T, err error) { require.NoError(t, err) }, []string{"infeasible", "draining", "stopped"}},
		"the machine's own check": {alone{},
			func(*rig, *ingest.Host, *running) {}, is(incremental.ErrUnsafe), nil},
		"a disk that stays full": {nil,
			func(r *rig, h *ingest.Host, _ *running) { full(r) }, is(ingest.ErrParked),
			[]string{"release_published", "release_failed", "release_failed", "release_failed", "release_failed", "release_failed",
				"release_parked"}},
	} {
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
