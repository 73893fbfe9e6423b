// Package pace limits how many bytes of releases flow per second: to the disk while a
// release is written, to a sink while it is delivered.
//
// Guarantee: over any time, no more bytes flow than the limit allows for it and for a
// quarter of a second besides. The bytes themselves, and their order, are not changed. What
// waits ends as soon as its context does, and heeds another limit within an eighth of a second.
package pace

import (
	"context"
	"io"
	"math"
	"time"

	"golang.org/x/time/rate"

	"anond/internal/clock"
	"anond/snapshot"
)

// Limit is a number of bytes per second that all who use it share. It may be used by
// several goroutines. Nil is no limit.
type Limit struct {
	clock  clock.Clock
	bucket *rate.Limiter
}

// New makes a limit; 0: none.
func New(clock clock.Clock, bytesPerSecond int64) *Limit {
	l := &Limit{clock, rate.NewLimiter(rate.Inf, 0)}
	l.Set(bytesPerSecond)
	return l
}

// slices is how many pieces flow in a second, at least: what waits notices a change of the
// limit after one piece.
const slices = 8

// Set changes the limit; 0: none.
func (l *Limit) Set(bytesPerSecond int64) {
	now := l.clock.Now()
	if bytesPerSecond == 0 {
		l.bucket.SetLimitAt(now, rate.Inf)
		return
	}
	l.bucket.SetBurstAt(now, int(min((bytesPerSecond+slices-1)/slices, math.MaxInt32)))
	l.bucket.SetLimitAt(now, rate.Limit(bytesPerSecond))
}

// piece is how much of n bytes may be asked for at once.
func (l *Limit) piece(n int) int {
	if l.bucket.Limit() == rate.Inf {
		return n
	}
	return min(n, max(1, l.bucket.Burst()))
}

// wait waits until n bytes may flow. What need not wait does not look at the context.
func (l *Limit) wait(ctx context.Context, n int) error {
	for n > 0 {
		piece, now := l.piece(n), l.clock.Now()
		r := l.bucket.ReserveN(now, piece)
		if !r.OK() {
			continue // the limit was lowered meanwhile
		}
		if err := l.sleep(ctx, r.DelayFrom(now)); err != nil {
			r.CancelAt(l.clock.Now())
			return err
		}
		n -= piece
	}
	return nil
}

// sleep waits for a time by the clock of the limit.
func (l *Limit) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	until := l.clock.Now().Add(d)
	ticks, stop := l.clock.Ticker(d)
	defer stop()
	for l.clock.Now().Before(until) {
		select {
		case <-ticks:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Writer writes at the pace of the limit, until ctx ends.
func (l *Limit) Writer(ctx context.Context, to io.Writer) io.Writer {
	if l == nil {
		return to
	}
	return &writer{l, ctx, to}
}

type writer struct {
	limit *Limit
	ctx   context.Context
	to    io.Writer
}

func (w *writer) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		piece := p[:w.limit.piece(len(p))]
		if err := w.limit.wait(w.ctx, len(piece)); err != nil {
			return written, err
		}
		n, err := w.to.Write(piece)
		written += n
		if err != nil {
			return written, err
		}
		p = p[len(piece):]
	}
	return written, nil
}

// Files is a file system whose sealed files, those of a release, are written, and whose files
// are read, at the pace of the limit, until ctx ends. CURRENT, the ledger and copies of
// hierarchies do not wait.
func (l *Limit) Files(ctx context.Context, files snapshot.FS) snapshot.FS {
	if l == nil {
		return files
	}
	return &paced{files, l, ctx}
}

type paced struct {
	snapshot.FS
	limit *Limit
	ctx   context.Context
}

// CreateSealed implements snapshot.FS.
func (f *paced) CreateSealed(path string) (io.WriteCloser, error) {
	w, err := f.FS.CreateSealed(path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Writer
		io.Closer
	}{f.limit.Writer(f.ctx, w), w}, nil
}

// Open implements snapshot.FS.
func (f *paced) Open(path string) (io.ReadCloser, error) {
	r, err := f.FS.Open(path)
	if err != nil {
		return nil, err
	}
	return &reader{f.limit, f.ctx, r}, nil
}

type reader struct {
	limit *Limit
	ctx   context.Context
	io.ReadCloser
}

func (r *reader) Read(p []byte) (int, error) {
	p = p[:r.limit.piece(len(p))]
	n, err := r.ReadCloser.Read(p)
	if n > 0 {
		if failed := r.limit.wait(r.ctx, n); failed != nil {
			return 0, failed
		}
	}
	return n, err
}
