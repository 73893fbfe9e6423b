package daemon

import (
	"anond/incremental/state"
	"errors"
	"sync/atomic"
	"time"

	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/dataset"
)

// quota is the store of a run, and the limit of its file. The loop stops reading before
// the limit is reached (ingest.Quota). A commit that is larger than what is left
// nevertheless waits here with all that it holds, until the limit is raised, pages become
// free, or the run is told to stop: then nothing of it is stored, and the source is read
// again.
type quota struct {
	state.Store // what commits go to
	file        *boltstore.Store
	clock       clock.Clock
	patient     bool            // a commit waits
	stop        <-chan struct{} // nothing waits any more
	waits       atomic.Bool
	raised      chan struct{} // has room for one: the limit is another one
}

func newQuota(to state.Store, file *boltstore.Store, o dataset.Options, patient bool, stop <-chan struct{}) *quota {
	return &quota{Store: to, file: file, clock: o.Clock, patient: patient && !o.Once, stop: stop, raised: make(chan struct{}, 1)}
}

var _ ingest.Quota = (*quota)(nil)

// Room implements ingest.Quota.
func (q *quota) Room() (left, limit int64) {
	left, limited := q.file.Room()
	if !limited {
		return 0, 0
	}
	return left, q.file.MaxBytes()
}

// Waits implements ingest.Quota.
func (q *quota) Waits() bool { return q.waits.Load() }

// set changes the limit.
func (q *quota) set(limit int64) {
	q.file.SetMaxBytes(limit)
	select {
	case q.raised <- struct{}{}:
	default:
	}
}

// hurry has commits fail where there is no room, until what it returns is called: before the loop
// runs nobody would be told that one waits, or could raise the limit by a reload.
func (q *quota) hurry() (over func()) {
	before := q.patient
	q.patient = false
	return func() { q.patient = before }
}

// againAfter is how often a commit looks for room that nobody has announced: the end of a
// backup frees pages.
const againAfter = 5 * time.Second

// Commit implements state.Store. What does not fit is rolled back as a whole
// (boltstore), so that the same delta may be tried again.
func (q *quota) Commit(d *state.Delta) error {
	return q.patiently(func() error { return q.Store.Commit(d) })
}

// patiently writes, and waits where there is no room.
func (q *quota) patiently(write func() error) error {
	defer q.waits.Store(false)
	for {
		err := write()
		if !q.patient || !errors.Is(err, state.ErrQuota) {
			return err
		}
		q.waits.Store(true)
		if !q.wait() {
			return err
		}
	}
}

// wait reports whether it is worth another attempt.
func (q *quota) wait() bool {
	again, stop := q.clock.Ticker(againAfter)
	defer stop()
	select {
	case <-q.raised:
		return true
	case <-again:
		return true
	case <-q.stop:
		return false
	}
}
