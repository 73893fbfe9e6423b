package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"anond/incremental"
	"anond/incremental/state"
	"anond/internal/fault"
)

// Order names what an operator asks of a running host.
type Order string

// The orders.
const (
	OrderRelease Order = "release" // make a release now, as the trigger would
	OrderPlan    Order = "plan"    // say what such a release would publish
	OrderPause   Order = "pause"   // read nothing, and begin no release by the trigger
	OrderResume  Order = "resume"
	orderTune    Order = "tune"   // take in other Tunables
	orderForget  Order = "forget" // let the state forget a person
	orderReplay  Order = "replay" // judge dead letters again
)

// Tunables are the settings of a host that may change while it runs.
type Tunables struct {
	Trigger Trigger
	// Reschedule: the trigger is another one, and its next moment is looked for anew.
	Reschedule bool
	// CutEvery and OnUpdate are those of the machine's policy.
	CutEvery int
	OnUpdate bool
	Rate     int // records per second; 0: no limit
}

// Answer is what became of an order.
type Answer struct {
	Release *Latest              // of OrderRelease: what was published; nil: nothing, Why says the reason
	Why     string               // one of the reasons of event release_skipped
	Plan    *incremental.Outlook // of OrderPlan
	Changed bool                 // of OrderPause and OrderResume: it was not so before
	Forgot  *Forgot              // of orderForget
}

// Errors of orders.
var (
	// ErrReleasing: an order has to wait for the release in progress.
	ErrReleasing = fault.Errorf(fault.Failed, "ask again when it is published; anond status shows it", "is in progress")
	// ErrBusy: as many orders wait as may.
	ErrBusy = fault.Errorf(fault.Failed, "ask again when it is idle; anond status shows what it does", "too many orders wait for anond")
	// errUndelivered: dead letters are on their way to their sink.
	errUndelivered = fault.Errorf(fault.Failed, "ask again when it is idle; anond status shows what it does", "dead letters are "+
		"not delivered yet")
	// ErrEnding: the host is stopping, or has ended.
	ErrEnding = errors.New("anond is stopping")
)

// Commands carries orders to the loop of a host. The loop executes them in its own
// goroutine, between batches, so that nothing else touches the machine. Safe for
// concurrent use.
type Commands struct {
	orders chan *command
	ended  chan struct{} // closed when the loop takes no more
}

// command is an order on its way.
type command struct {
	order    Order
	tunables Tunables
	subject  []byte        // of orderForget
	replay   replaying     // of orderReplay
	answer   chan answered // has room for one: the loop waits for nobody
}

type answered struct {
	Answer
	err error
}

// NewCommands makes the way to one host.
func NewCommands() *Commands {
	return &Commands{orders: make(chan *command), ended: make(chan struct{})}
}

// Ask gives an order and waits for what becomes of it, or for the end of ctx: an order
// that the loop has taken is then executed nevertheless.
func (c *Commands) Ask(ctx context.Context, o Order) (Answer, error) {
	return c.ask(ctx, &command{order: o})
}

// Forget lets the state forget a person, written as decoders hand subjects on.
func (c *Commands) Forget(ctx context.Context, subject []byte) (Answer, error) {
	return c.ask(ctx, &command{order: orderForget, subject: subject})
}

// replaying judges dead letters again, and commits; its error says that the machine cannot be used any more.
type replaying func(ctx context.Context, m *incremental.Machine) error

// Replay lets replay have the machine, when all dead letters are where it looks for them.
func (c *Commands) Replay(ctx context.Context, replay replaying) error {
	_, err := c.ask(ctx, &command{order: orderReplay, replay: replay})
	return err
}

// Tune changes the settings of the host.
func (c *Commands) Tune(ctx context.Context, t Tunables) error {
	_, err := c.ask(ctx, &command{order: orderTune, tunables: t})
	return err
}

func (c *Commands) ask(ctx context.Context, cmd *command) (Answer, error) {
	cmd.answer = make(chan answered, 1)
	select {
	case c.orders <- cmd:
	case <-c.ended:
		return Answer{}, ErrEnding
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	select {
	case a := <-cmd.answer:
		return a.Answer, a.err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// operator executes what operators ask.
type operator struct {
	*loop
	waiting []*command // orders for which the machine must be free
	release *command   // whose release is in progress
	why     string     // the newest cut decided nothing, for this reason
	paused  bool
}

// orders is where orders come from: nowhere, if nobody may give any.
func (l *operator) orders() <-chan *command {
	if l.Commands == nil {
		return nil
	}
	return l.Commands.orders
}

// obey takes an order. It touches nothing of the machine, so that it may be called while
// long work has it; what needs the machine waits for obeyWaiting.
func (l *operator) obey(c *command) {
	switch c.order {
	case OrderPause, OrderResume:
		if l.Once {
			c.answer <- answered{err: errors.New("a run that has to end cannot be paused")}
			return
		}
		pause := c.order == OrderPause
		if !pause {
			l.intake.refusals.resume()
		}
		changed := l.paused != pause
		if l.paused = pause; changed {
			l.pausedOrNot()
			l.reporting.report(l.now()) // whoever looks after the answer sees what it says
		}
		c.answer <- answered{Answer: Answer{Changed: changed}}
	default:
		if len(l.waiting) >= mostWaiting {
			c.answer <- answered{err: ErrBusy}
			return
		}
		l.waiting = append(l.waiting, c)
	}
}

// mostWaiting bounds the orders that wait while long work has the machine.
const mostWaiting = 64

func (l *operator) pausedOrNot() {
	if l.paused {
		l.Log.Warn("paused: nothing is read, and no release begins by itself", "event", "paused")
		return
	}
	l.cuts.schedule.resume(l.now())
	l.Log.Info("reading goes on", "event", "resumed")
}

// obeyWaiting executes the orders for which the machine had to be free.
func (l *operator) obeyWaiting(ctx context.Context) error {
	for len(l.waiting) > 0 {
		c := l.waiting[0]
		l.waiting = l.waiting[1:]
		a, err := l.execute(ctx, c)
		if l.release == c {
			continue // it is answered once the release is published
		}
		c.answer <- answered{a, err}
		var kept *ForgetError
		if err != nil && !errors.Is(err, ErrReleasing) && !errors.Is(err, errUndelivered) && !errors.As(err, &kept) {
			return err
		}
	}
	return nil
}

func (l *operator) execute(ctx context.Context, c *command) (Answer, error) {
	if c.order == orderTune {
		l.tune(c.tunables)
		return Answer{}, nil
	}
	if n := l.publishing.releases.current; n != 0 {
		return Answer{}, fmt.Errorf("release %d %w", n, ErrReleasing)
	}
	if c.order == orderForget {
		return l.erasure.forgetOrdered(ctx, c.subject)
	}
	if c.order == orderReplay {
		return Answer{}, l.replay(ctx, c.replay)
	}
	if !l.Machine.InitialLoad().Done() && !l.Machine.InitialLoad().Growing() && !l.Machine.InitialLoad().Reached() {
		return Answer{Why: "first_load"}, nil
	}
	if c.order == OrderPlan {
		return l.outlook(ctx)
	}
	l.why = ""
	if err := l.cuts.cut(ctx, cutting{scheduled: true, by: state.Asked}); err != nil {
		return Answer{}, errors.Join(ErrEnding, err)
	}
	if l.publishing.releases.current != 0 {
		l.release = c
	}
	return Answer{Why: l.why}, nil
}

// replay lets dead letters be judged again. What was applied is committed first, as before a cut. The
// newest dead letter of a place counts, so none may be between the state and its sink meanwhile.
func (l *operator) replay(ctx context.Context, do replaying) error {
	if err := l.transaction.commit(ctx); err != nil {
		return err
	}
	if l.outbox.take(l.Machine); l.Machine.Status().Outbox > 0 {
		return errUndelivered
	}
	if err := l.reporting.work(ctx, DoingReplay, true, func() error { return do(ctx, l.Machine) }); err != nil {
		return err
	}
	if err := l.transaction.judged(); err != nil {
		return err
	}
	return l.transaction.committed()
}

// outlook says what a release would publish. What was applied is committed first, as
// before a cut, so that a stop meanwhile loses nothing.
func (l *operator) outlook(ctx context.Context) (a Answer, err error) {
	if !l.transaction.staged.since.IsZero() {
		if err := l.transaction.commit(ctx); err != nil {
			return a, err
		}
	}
	err = l.reporting.work(ctx, DoingPlan, false, func() (err error) { a.Plan, err = l.Machine.Outlook(state.Asked); return err })
	return a, err
}

// tune takes in settings.
func (l *operator) tune(t Tunables) {
	l.Machine.Trigger().Set(t.CutEvery, t.OnUpdate)
	l.intake.limit.set(t.Rate)
	l.Trigger, l.Rate = t.Trigger, t.Rate
	l.cuts.schedule.trigger = t.Trigger
	if now := l.now(); t.Reschedule {
		l.cuts.schedule.begin(cmp.Or(l.cuts.schedule.lastCut, now))
		l.cuts.schedule.resume(now)
	}
}

// releaseAnswered tells whoever asked for the release that it is published, or why not.
func (l *operator) releaseAnswered(err error) {
	c := l.release
	if c == nil {
		return
	}
	l.release = nil
	a := answered{err: err}
	if err == nil {
		a.Release = l.reporting.latest
	}
	c.answer <- a
}

// endCommands answers the orders that are left when the loop ends, and takes no more.
func (l *operator) endCommands(err error) {
	if l.Commands == nil {
		return
	}
	close(l.Commands.ended)
	if err = errors.Join(ErrEnding, err); l.release != nil {
		l.releaseAnswered(err)
	}
	for _, c := range l.waiting {
		c.answer <- answered{err: err}
	}
}
