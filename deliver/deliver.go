package deliver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"time"

	"anond/internal/fault"
	"anond/internal/pace"
	"anond/internal/retry"
	"anond/snapshot"
)

// Options say what is delivered, and how.
type Options struct {
	FS     snapshot.FS
	Dir    string // of the releases
	Whole  bool   // compare each cell that the sink has first, not only how much it has
	Follow bool   // stay, and deliver each new release
	Poll   time.Duration
	Limit  *pace.Limit // of the bytes that are sent; nil: none
	// Patience is how long a sink may be away if nobody follows.
	Patience  time.Duration
	Reconnect retry.Policy
	Now       func() time.Time
	Log       *slog.Logger
	Board     *Board // is told how it goes; may be nil
}

// Summary is what was delivered: the releases First to Last, none if both are 0. At is the
// newest that the sink has.
type Summary struct {
	First uint32 `json:"first"`
	Last  uint32 `json:"last"`
	At    uint32 `json:"at"`
}

// Run delivers every release that the sink does not have yet, in order. It ends with nil
// when there is none left, or if it follows, when the context ends. A sink that is away is
// tried again.
func Run(ctx context.Context, sink Sink, o Options) (Summary, error) {
	d := &delivery{Options: o, sink: sink, history: NewHistory(o.FS, o.Dir), attempts: o.Reconnect.Attempts()}
	for {
		err := d.pass(ctx)
		d.tried(ctx, err)
		switch {
		case ctx.Err() != nil && o.Follow:
			return d.done, nil
		case ctx.Err() != nil:
			return d.done, ctx.Err()
		case err == nil:
			d.back()
			if !o.Follow {
				return d.done, nil
			}
			wait(ctx, o.Poll)
		case errors.Is(err, ErrFinal), errors.Is(err, snapshot.ErrDamaged):
			return d.done, err
		default:
			if !d.away(err) {
				return d.done, err
			}
			_ = d.attempts.Wait(ctx) // the context is looked at above
		}
	}
}

// tried tells the board how a pass went. One that a stop ended tells nothing.
func (d *delivery) tried(ctx context.Context, err error) {
	if ctx.Err() == nil || err == nil {
		d.Board.tried(d.Now(), err)
	}
	d.Board.does("", 0)
}

type delivery struct {
	Options
	sink     Sink
	history  *history
	attempts *retry.Attempts
	known    bool   // position was read
	first    uint32 // release of the chain
	position Position
	since    time.Time // of the first failure in a row; zero: none
	silence  retry.Silence
	saidText string // the failure that was logged last
	done     Summary
}

// pass delivers what is there.
func (d *delivery) pass(ctx context.Context) error {
	d.Board.does("looking for releases", stepPatience)
	on, err := snapshot.Scan(d.FS, d.Dir)
	newest := on.Current
	if err == nil {
		d.Board.sees(newest)
	}
	if err != nil || newest == 0 || d.known && newest == d.position.Release {
		return err
	}
	if !d.known {
		if err := d.ordinary(newest); err != nil {
			return err
		}
		d.Board.does("asking how far the sink is", stepPatience)
		if d.position, err = d.sink.Position(ctx); err != nil {
			return err
		}
		if err := d.position.agrees(d.history, newest); err != nil {
			return err
		}
		d.Board.does("comparing what the sink has", stepPatience)
		if err := d.sink.Verify(ctx, d.position, d.upTo(d.position.Release, newest), d.Whole); err != nil {
			return err
		}
		d.known, d.done.At = true, d.position.Release
		d.Board.has(d.position.Release)
		d.Log.Info("delivery begins", "event", "delivery_started", "sink", d.sink.Name(), "has", d.position.Release, "newest", newest)
	}
	if newest < d.position.Release {
		return d.position.agrees(d.history, newest)
	}
	for n := max(d.first, d.position.Release+1); n <= newest; n++ {
		if err := d.one(ctx, n, newest); err != nil {
			return err
		}
	}
	return nil
}

// upTo are the releases up to one.
func (d *delivery) upTo(last, newest uint32) iter.Seq2[*Release, error] {
	return func(yield func(*Release, error) bool) {
		for n := d.first; n <= last; n++ {
			r, err := open(d.history, n, newest)
			if r != nil {
				r.paced, r.passed = func(to io.Writer) io.Writer { return to },
					func() { d.Board.goesOn("comparing what the sink has", time.Now()) }
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// ErrUnion: the directory is a union of shards, whose releases are delivered shard by shard.
var ErrUnion = fault.Errorf(fault.Config, "deliver each shard: set release.dir to shards/0 and so on below it, each with a topic or "+
	"a table of its own",
	"the releases are a union of shards")

// ordinary refuses a union, and finds out where the chain begins.
func (d *delivery) ordinary(newest uint32) error {
	m, err := snapshot.Show(d.FS, d.Dir, newest)
	if err != nil {
		return err
	}
	if m.Union != nil {
		return Final(ErrUnion)
	}
	d.first = m.First()
	return nil
}

func (d *delivery) one(ctx context.Context, number, newest uint32) error {
	r, err := open(d.history, number, newest)
	if err != nil {
		return err
	}
	d.Board.lacks(r.Manifest.CreatedAt)
	doing := fmt.Sprintf("delivering release %d", number)
	d.Board.does(doing, stepPatience)
	r.paced = func(to io.Writer) io.Writer {
		return d.Limit.Writer(ctx, io.MultiWriter(to, counting(func(n int) { d.Board.sent(0, n) })))
	}
	r.passed = func() {
		d.Board.sent(1, 0)
		d.Board.goesOn(doing, time.Now())
	}
	began := d.Now()
	if err := d.sink.Deliver(ctx, r); err != nil {
		return err
	}
	d.back()
	if d.done.First == 0 {
		d.done.First = number
	}
	d.done.Last, d.done.At = number, number
	d.position = Position{number, r.SHA256}
	d.Board.took(number, d.Now())
	d.Log.Info("delivered", "event", "release_delivered", "sink", d.sink.Name(), "release", number, "records", r.Manifest.Records,
		"ms", d.Now().Sub(began).Milliseconds())
	return nil
}

// away notes a failure, and reports whether to try again. A file that is gone may have been
// pruned meanwhile: then it is found elsewhere at the next attempt.
func (d *delivery) away(err error) bool {
	now := d.Now()
	if d.since.IsZero() {
		d.since = now
	}
	if !d.Follow && now.Sub(d.since) >= d.Patience {
		return false
	}
	if fault.Line(err) != d.saidText { // its cause, and what helps, may be new
		d.silence = retry.Silence{}
	}
	if d.attempts.Failed() == 0 && errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if _, told := d.silence.Broken(now, retry.FirstSilence); told {
		d.saidText = fault.Line(err)
		d.Log.Warn("not delivered; it is tried again", "event", "delivery_failed", "sink", d.sink.Name(), "error", d.saidText,
			"attempts", d.attempts.Failed()+1)
	}
	return true
}

// back notes that it works.
func (d *delivery) back() {
	if d.saidText != "" {
		d.Log.Info("delivering again", "event", "delivery_resumed", "sink", d.sink.Name())
	}
	d.since, d.silence, d.saidText = time.Time{}, retry.Silence{}, ""
	d.attempts.Succeeded()
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
