package ingest_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/retry"
)

// patience bounds each wait of a test, so far away that no busy machine comes near it.
const patience = time.Hour

// endless is a feed that waits at its end for more.
type endless struct{ *feed }

func (f endless) Next(ctx context.Context) (*ingest.Chunk, error) {
	if c, err := f.feed.Next(ctx); err == nil {
		return c, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// running is a host that runs in the background, and what it said.
type running struct {
	t    *testing.T
	stop context.CancelFunc
	done chan error
	// wrote has room for one: there is a line that saying has not seen.
	wrote chan struct{}

	mu      sync.Mutex
	log     bytes.Buffer
	reports []ingest.Report
}

// start runs a host until it ends or the test does.
func start(t *testing.T, h *ingest.Host) *running {
	r, begin := prepare(t, h)
	begin()
	return r
}

// prepare is start for a test whose ports need the running host: it begins when
// told to.
func prepare(t *testing.T, h *ingest.Host) (r *running, begin func()) {
	ctx, cancel := context.WithCancel(context.Background())
	r = &running{t: t, stop: cancel, done: make(chan error, 1), wrote: make(chan struct{}, 1)}
	h.Log, h.Observe = slog.New(slog.NewTextHandler(r, nil)), r.observe
	h.Retry = retry.Policy{Initial: time.Millisecond, Max: 10 * time.Millisecond}
	t.Cleanup(cancel)
	return r, func() { go func() { r.done <- h.Run(ctx) }() }
}

func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.wrote <- struct{}{}:
	default:
	}
	return r.log.Write(p)
}

func (r *running) observe(rep ingest.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = append(r.reports, rep)
}

// said reports whether an event was logged.
func (r *running) said(event string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(r.log.String(), "event="+event)
}

// until waits for an event.
func (r *running) until(event string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return r.said(event) }, patience, 2*time.Millisecond, event)
}

// saying is until for goroutines that are not the test's: it returns in the end,
// whatever was said.
func (r *running) saying(event string) {
	over := time.After(patience)
	for !r.said(event) {
		select {
		case <-r.wrote:
		case <-over:
			return
		}
	}
}

// reported waits for a report.
func (r *running) reported(what string, is func(ingest.Report) bool) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, rep := range r.reports {
			if is(rep) {
				return true
			}
		}
		return false
	}, patience, 2*time.Millisecond, what)
}

// ends waits for the end and returns the error.
func (r *running) ends() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		r.mu.Lock()
		defer r.mu.Unlock()
		r.t.Fatalf("it does not end:\n%s", r.log.String())
		return nil
	}
}
