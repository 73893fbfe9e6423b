package ingest_test

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/decode"
)

// erasing is ingest.Forgetting over a store in memory. The list outlives the process, as a file does.
type erasing struct {
	mu      sync.Mutex
	store   *memstore.Store
	options incremental.Options
	list    []state.Digest
	cannot  error // of each plan
	noRoom  error // of each removal
}

func (x *erasing) List(m *incremental.Machine) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.list = m.Forgetting().People()
	return nil
}

func (x *erasing) Forget(m *incremental.Machine, subject []byte) (*ingest.Forgot, error) {
	out := &ingest.Forgot{Machine: m, People: m.Forgetting().Due()}
	var people []state.Digest
	if subject != nil {
		out.Person, out.Before = m.Forgetting().DigestOf(subject)
		people = append(people, out.Person)
	}
	return x.forget(m, people, out)
}

func (x *erasing) ForgetAgain(m *incremental.Machine, people []state.Digest) (*ingest.Forgot, error) {
	return x.forget(m, people, &ingest.Forgot{})
}

func (x *erasing) Remove(m *incremental.Machine, r *erase.Removal) (*incremental.Machine, error) {
	if x.noRoom != nil {
		return nil, x.noRoom
	}
	if err := x.store.Remove(r); err != nil {
		return nil, err
	}
	return m.Reopen(x.options)
}

func (x *erasing) forget(m *incremental.Machine, people []state.Digest, out *ingest.Forgot) (*ingest.Forgot, error) {
	if x.cannot != nil {
		return nil, &ingest.ForgetError{Err: x.cannot}
	}
	out.Machine = m
	e, err := m.Forget(people)
	if err != nil {
		return nil, &ingest.ForgetError{Err: err}
	}
	out.Forgotten = e.Forgotten
	if err := x.List(m); err != nil {
		return nil, err
	}
	if e.Empty() {
		return out, m.Forgot(e)
	}
	if err := x.store.ForgetInPlace(e); err != nil {
		return nil, err
	}
	out.Machine, err = m.Reopen(x.options)
	return out, err
}

// start does what a start does before it reads: the state forgets who is due, and whom the list has.
func (x *erasing) start(t *testing.T) {
	m, err := incremental.Open(x.store, x.options)
	require.NoError(t, err)
	missing := slices.DeleteFunc(slices.Clone(x.list), func(d state.Digest) bool { return slices.Contains(m.Forgetting().People(), d) })
	if m.Forgetting().Due()+len(missing) == 0 {
		return
	}
	e, err := m.Forget(missing)
	if errors.Is(err, state.ErrUnpublished) || errors.Is(err, erase.ErrNobodyElse) {
		if len(missing) > 0 {
			due := m.Forgetting().Due() + len(missing)
			d := &state.Delta{Due: &due}
			for _, person := range missing {
				d.Known = append(d.Known, state.Know(person, state.Forgotten))
			}
			require.NoError(t, x.store.Commit(d))
		}
		return
	}
	require.NoError(t, err)
	require.NoError(t, x.store.ForgetInPlace(e))
}

// deleting is a rig whose feed deletes some of its people: one in eight, a while after they came, and
// one of these comes again.
type deleting struct {
	*rig
	x       *erasing
	deleted map[string]bool
	events  int // deletes, and records of people after they were deleted
}

func newDeleting(t *testing.T, n int) *deleting {
	r := newRig(t, 0)
	s, err := equivclass.NewSchema(append([]equivclass.Attribute{{Name: "id", Role: equivclass.Subject}}, r.schema.Attributes()...),
		equivclass.RefuseMissing)
	require.NoError(t, err)
	r.schema = s
	d := &deleting{rig: r, deleted: map[string]bool{}}
	d.x = &erasing{store: r.store, options: incremental.Options{Schema: s, Seed: [32]byte{1}, Policy: rigPolicy()}}
	for i, v := range people(n) {
		d.values = append(d.values, fmt.Appendf(nil, `{"op":"c","after":{"id":"p%d",%s}`, i, v[1:]))
		if gone := i - 20; gone >= 0 && gone%8 == 3 {
			d.values = append(d.values, fmt.Appendf(nil, `{"op":"d","before":{"id":"p%d"}}`, gone))
			d.deleted[fmt.Sprintf("p%d", gone)], d.events = true, d.events+1
			if gone%16 == 3 {
				d.values = append(d.values, fmt.Appendf(nil, `{"op":"c","after":{"id":"p%d","age":44,"ward":"w1","illness":"i1"}}`, gone))
				d.events++
			}
		}
	}
	return d
}

func (d *deleting) host(seed uint64, most int) *ingest.Host {
	d.x.start(d.t)
	h := d.rig.host(seed, most)
	h.Forgetting = d.x
	h.NewDecoder = func() (decode.Decoder, error) {
		return decode.New(decode.Debezium, d.schema, decode.Options{Deletes: true})
	}
	return h
}

// forgotten requires that state knows nobody whose delete was read, and that all counts add up.
func (d *deleting) forgotten() incremental.Status {
	d.t.Helper()
	m, err := incremental.Open(d.store, d.x.options)
	require.NoError(d.t, err)
	require.Empty(d.t, m.CheckInvariants())
	require.Zero(d.t, m.Forgetting().Due())
	require.Len(d.t, m.Forgetting().People(), len(d.deleted))
	require.ElementsMatch(d.t, m.Forgetting().People(), d.x.list)
	for person := range d.deleted {
		_, known := m.Forgetting().DigestOf([]byte(person))
		require.True(d.t, known, person)
	}
	s := m.Status()
	require.EqualValues(d.t, len(d.values), s.Sent)
	e, err := m.Forget(nil)
	require.NoError(d.t, err)
	require.True(d.t, e.Empty(), "nothing is left to forget")
	return s
}

// TestDeletesOfTheFeed: whom the feed deletes is forgotten before the next cut; a delete counts once,
// as forgotten; who was deleted stays blocked.
func TestDeletesOfTheFeed(t *testing.T) {
	// How far reading gets while a release is published depends on the machine.
	for wait := 100 * time.Millisecond; !deletesDuringReleases(t, wait); wait *= 4 {
		require.Less(t, wait, patience, "no release was marked together with deletes")
	}
}

// deletesDuringReleases publishes that slowly, and reports whether a release was marked together with
// deletes that were read meanwhile.
func deletesDuringReleases(t *testing.T, wait time.Duration) bool {
	d := newDeleting(t, 400)
	h := d.host(36, 50)
	h.CommitEvery = time.Hour // by counts alone
	var due, most int
	staged := map[string]int{}
	h.Hook = func(step string) error {
		switch step {
		case "before intent":
			due = max(due, h.Machine.Forgetting().Due())
		case "before commit", "before published":
			if h.Machine.Forgetting().Staged() {
				staged[step]++
				require.Subset(t, d.x.list, h.Machine.Forgetting().People(), "the list has everybody first")
			}
		}
		most = max(most, h.Machine.Forgetting().Due())
		return nil
	}
	d.press.fail = func(uint32) error { time.Sleep(wait); return nil } // reading goes on meanwhile
	require.NoError(t, h.Run(t.Context()))
	require.Zero(t, due, "nobody is due when a cut is decided")
	require.Positive(t, most)
	require.Positive(t, staged["before commit"])
	s := d.forgotten()
	require.Greater(t, int(s.Forgotten), d.events, "some had not been published")
	require.Greater(t, len(d.press.releases), 3)
	return staged["before published"] > 0
}

// TestCrashesAroundDeletes: whatever step the process ends at, the state that is left forgets again,
// everybody whose delete was read, and nothing is lost or counted twice.
func TestCrashesAroundDeletes(t *testing.T) {
	killed := errors.New("killed")
	steps := []string{"before list", "before commit", "after commit", "before forget", "after forget", "before intent", "before published"}
	for _, step := range steps {
		for _, nth := range []int{1, 3} {
			d := newDeleting(t, 300)
			at := 0
			h := d.host(uint64(nth), 20)
			h.Hook = func(name string) error {
				if name == step {
					at++
				}
				if name == step && at == nth {
					return killed
				}
				return nil
			}
			require.ErrorIs(t, h.Run(t.Context()), killed, "%s, %d", step, nth)
			d.store = d.store.Crash()
			d.x.store = d.store
			require.NoError(t, d.host(7, 30).Run(t.Context()))
			d.forgotten()
		}
	}
}

// TestForgetByOrder: a running host forgets a person at once, and those who are due with it. What cannot
// be forgotten changes nothing, and the host goes on.
func TestForgetByOrder(t *testing.T) {
	d := newDeleting(t, 120)
	d.deleted["p1"] = true
	p := rigPolicy()
	p.CutEvery = 0
	d.x.options.Policy = p
	h := d.hostUnder(p, 4, 20)
	h.NewDecoder = d.host(4, 20).NewDecoder
	h.Forgetting, h.Once, h.Source, h.Commands = d.x, false, endless{h.Source.(*feed)}, ingest.NewCommands()
	run := start(t, h)
	run.reported("all is read", func(r ingest.Report) bool { return int(r.Machine.Sent) == len(d.values) && r.Releasing == 0 })
	d.x.cannot = erase.ErrNobodyElse
	_, err := h.Commands.Forget(bounded(t), []byte("p1"))
	require.ErrorIs(t, err, erase.ErrNobodyElse)
	d.x.cannot = nil
	a, err := h.Commands.Forget(bounded(t), []byte("p1"))
	require.NoError(t, err)
	require.False(t, a.Forgot.Before)
	require.Positive(t, a.Forgot.People-1, "those who are due go with p1")
	again, err := h.Commands.Forget(bounded(t), []byte("p1"))
	require.NoError(t, err)
	require.True(t, again.Forgot.Before)
	require.True(t, again.Forgot.Published+again.Forgot.Unpublished == 0)
	run.reported("the counts follow", func(r ingest.Report) bool { return r.Machine.ForgetDue == 0 && int(r.Machine.Forgotten) > d.events })
	run.stop()
	require.NoError(t, <-run.done)
	d.forgotten()
}

// TestEverybodyDeleted: while the state has nobody else, nothing is decided and the people stay due; with the
// next person they are forgotten.
func TestEverybodyDeleted(t *testing.T) {
	d := newDeleting(t, 0)
	for i := range 8 {
		d.values = append(d.values, fmt.Appendf(nil, `{"op":"c","after":{"id":"p%d","age":%d,"ward":"w1","illness":"i%d"}}`, i, 30+i, i%4))
	}
	for i := range 8 {
		d.values, d.deleted[fmt.Sprintf("p%d", i)] = append(d.values, fmt.Appendf(nil, `{"op":"d","before":{"id":"p%d"}}`, i)), true
	}
	require.NoError(t, d.host(1, 20).Run(t.Context()))
	m, err := incremental.Open(d.store, d.x.options)
	require.NoError(t, err)
	require.Equal(t, 8, m.Forgetting().Due())
	require.Empty(t, d.press.releases, "who was deleted is not published")
	d.values = append(d.values, []byte(`{"op":"c","after":{"id":"q","age":44,"ward":"w1","illness":"i1"}}`))
	require.NoError(t, d.host(1, 20).Run(t.Context()))
	require.EqualValues(t, 16, d.forgotten().Forgotten)
}

// TestDueForAnHour: without a cut, who is due is forgotten after an hour.
func TestDueForAnHour(t *testing.T) {
	d := newDeleting(t, 120)
	p := rigPolicy()
	p.CutEvery = 0
	d.x.options.Policy = p
	h := d.hostUnder(p, 4, 20)
	h.NewDecoder = d.host(4, 20).NewDecoder
	clock := &leaping{}
	h.Forgetting, h.Once, h.Source, h.Clock = d.x, false, endless{h.Source.(*feed)}, clock
	run := start(t, h)
	run.reported("people are due", func(r ingest.Report) bool {
		return int(r.Machine.Sent) == len(d.values) && r.Releasing == 0 && r.Machine.ForgetDue > 0
	})
	clock.leap(2 * time.Hour)
	run.reported("they are forgotten", func(r ingest.Report) bool { return int(r.Machine.Forgotten) > d.events })
	run.stop()
	require.NoError(t, <-run.done)
	d.forgotten()
}

// leaping is a clock that may be set forward.
type leaping struct {
	wallClock
	mu    sync.Mutex
	ahead time.Duration
}

func (c *leaping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *leaping) leap(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}
