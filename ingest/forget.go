package ingest

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"context"
	"errors"
	"time"

	"anond/incremental"
)

// Forgetting is how a host lets its state forget people: those whose deletes it has read, and
// those whom an operator names.
//
// Order: the list next to the ledger has everybody before the state moves past their deletes, and before
// the state forgets. So whatever a crash leaves, the next start knows whom to forget.
type Forgetting interface {
	// List makes the list of who was forgotten durable, with those whom the machine's next commit has.
	List(m *incremental.Machine) error
	// Forget lets the state forget those who are due, and a subject; nil: nobody else. Everything
	// must be committed. It returns the machine to go on with. A ForgetError has changed nothing; after
	// any other error the machine must not be used.
	Forget(m *incremental.Machine, subject []byte) (*Forgot, error)
	// ForgetAgain is Forget for people whom somebody else was told of (Repeat). The list has them, or gets them from the state later.
	ForgetAgain(m *incremental.Machine, people []state.Digest) (*Forgot, error)
	// Remove lets the state lose people whose parts have left the releases, and returns the machine to go on with. Everything must be
	// committed. After an error the machine must not be used.
	Remove(m *incremental.Machine, r *erase.Removal) (*incremental.Machine, error)
}

// Forgot is what an erasure came to. Nothing in it depends on a value of a record that waited.
type Forgot struct {
	erase.Forgotten
	Machine *incremental.Machine
	People  int          // who were due, and the subject
	Person  state.Digest // of the subject: how the list has it
	Before  bool         // it was on the list
	Letters int          // dead letters that are still in the state
}

// ErrPoolFixed: people are in a pool that is fixed and not decided, which loses nobody (rule B, buckets).
var ErrPoolFixed = errors.New("they are in a pool that is fixed: they are forgotten when it is decided")

// ForgetError: people cannot be forgotten now, or not at all. Nothing was changed.
type ForgetError struct{ Err error }

func (e *ForgetError) Error() string { return e.Err.Error() }
func (e *ForgetError) Unwrap() error { return e.Err }

// forgetWithin is how long people whose deletes were read are in the state at most, if no release
// is due: a cut lets the state forget them, and so does the next start.
const forgetWithin = time.Hour

// erasure has the state forget people.
type erasure struct {
	*loop
	// since is since when people are due to be forgotten, as the clock has seen it; zero: nobody is.
	since time.Time
}

// list makes the list of who was forgotten durable, if the next commit adds to it.
func (l *transaction) list() error {
	if l.Forgetting == nil || !l.Machine.Forgetting().Staged() {
		return nil
	}
	if err := l.Hook("before list"); err != nil {
		return err
	}
	return l.Forgetting.List(l.Machine)
}

// forget lets the state forget. The machine is another one afterwards.
func (l *erasure) forget(ctx context.Context, subject []byte) (done *Forgot, err error) {
	if err := l.remove(ctx); err != nil {
		return nil, err
	}
	if !l.transaction.staged.since.IsZero() {
		if err := l.transaction.commit(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.transaction.fenced(); err != nil {
		return nil, err
	}
	if err := l.Hook("before forget"); err != nil {
		return nil, err
	}
	if err := l.transaction.tell(ctx, l.Steps.BeforeErasure(l.Machine, subject)); err != nil {
		return nil, err
	}
	began := l.now()
	err = l.reporting.work(ctx, DoingForget, true, func() (err error) { done, err = l.Forgetting.Forget(l.Machine, subject); return err })
	if err != nil {
		return nil, err
	}
	l.Machine = done.Machine
	l.tick()
	if done.Later > 0 {
		l.Log.Warn("people are to be forgotten who cannot be now; their records are blocked", "event", "forget_deferred", "people", done.Later,
			"error", ErrPoolFixed.Error())
	}
	l.Log.Info("people were forgotten", "event", "forgotten", "people", done.People-done.Later, "published", done.Published,
		"unpublished", done.Unpublished, "ms", l.now().Sub(began).Milliseconds())
	l.reporting.report(l.now())
	return done, l.Hook("after forget")
}

// forgetDue lets the state forget those whose deletes were read. If that cannot be now, they stay due:
// alone says that the state has nobody else.
func (l *erasure) forgetDue(ctx context.Context) (alone bool, err error) {
	if l.Forgetting == nil || l.Machine.Forgetting().Due() == 0 {
		return false, nil
	}
	_, err = l.forget(ctx, nil)
	var refused *ForgetError
	if errors.As(err, &refused) {
		return errors.Is(err, erase.ErrNobodyElse), nil
	}
	return false, err
}

// forgetOnTime is forgetDue where no cut has come for a while.
func (l *erasure) forgetOnTime(ctx context.Context, now time.Time) error {
	switch {
	case l.Machine.Forgetting().Due() == 0:
		l.since = time.Time{}
		return nil
	case l.since.IsZero() || l.since.After(now):
		l.since = now
	}
	if l.publishing.releases.current != 0 || now.Sub(l.since) < forgetWithin {
		return nil
	}
	l.since = now // if it cannot be now: again after as long
	_, err := l.forgetDue(ctx)
	return err
}

// forgetOrdered executes the order of an operator.
func (l *erasure) forgetOrdered(ctx context.Context, subject []byte) (a Answer, err error) {
	if l.Forgetting == nil {
		return a, &ForgetError{erase.ErrNoSubject}
	}
	a.Forgot, err = l.forget(ctx, subject)
	return a, err
}

// remove lets the state lose people whose parts have left the releases, if there are any: as soon as the release without them is
// published, and before anything else is decided, so that no decision depends on when it was done. It takes about as long as a start.
func (l *erasure) remove(ctx context.Context) error {
	if l.Forgetting == nil || l.rehearses() || l.publishing.releases.current != 0 || !l.Machine.Departing() {
		return nil
	}
	if !l.transaction.staged.since.IsZero() {
		if err := l.transaction.commit(ctx); err != nil {
			return err
		}
	}
	if err := l.transaction.fenced(); err != nil {
		return err
	}
	if err := l.Hook("before removal"); err != nil {
		return err
	}
	if err := l.transaction.tell(ctx, l.Steps.BeforeRemoval(l.Machine)); err != nil {
		return err
	}
	began, people := l.now(), 0
	err := l.reporting.work(ctx, DoingRemove, true, func() error {
		r := l.Machine.Removal()
		people = r.Departed()
		without, err := l.Forgetting.Remove(l.Machine, r)
		if err == nil {
			l.Machine = without
		}
		return err
	})
	if err != nil {
		return err
	}
	l.tick()
	l.Log.Info("people whose parts have left the releases have left the state", "event", "departed", "people", people,
		"ms", l.now().Sub(began).Milliseconds())
	l.reporting.report(l.now())
	return l.Hook("after removal")
}
