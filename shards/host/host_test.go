package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/internal/fault"
	"anond/shards/journal"
)

// stage is a host whose shards do as the test says. What they do is heard in order.
type stage struct {
	*Host
	t        *testing.T
	heard    chan string
	ticks    chan time.Time // ends one wait
	assigned chan []int
	stop     context.CancelFunc
	result   chan error
	mu       sync.Mutex
	run      map[int]chan error // ends the run of a shard
}

func newStage(t *testing.T, change func(*Host)) *stage {
	s := &stage{t: t, heard: make(chan string, 100), ticks: make(chan time.Time), assigned: make(chan []int), result: make(chan error, 1),
		run: map[int]chan error{}}
	s.Host = &Host{Run: s.work, Log: slog.New(slog.DiscardHandler), Clock: s, Shared: true,
		Left: func(shard int) { s.heard <- fmt.Sprint("left ", shard) }}
	if change != nil {
		change(s.Host)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	go func() { s.result <- s.Serve(ctx, s.assigned) }()
	return s
}

func (s *stage) Now() time.Time { return time.Time{} }

func (s *stage) Ticker(d time.Duration) (<-chan time.Time, func()) {
	s.heard <- fmt.Sprint("waits ", d)
	return s.ticks, func() {}
}

func (s *stage) work(ctx context.Context, shard int) error {
	end := make(chan error)
	s.mu.Lock()
	s.run[shard] = end
	s.mu.Unlock()
	s.heard <- fmt.Sprint("runs ", shard)
	select {
	case err := <-end:
		return err
	case <-ctx.Done():
		s.heard <- fmt.Sprint("stops ", shard)
		return <-end
	}
}

// ends ends the run of a shard.
func (s *stage) ends(shard int, err error) {
	s.mu.Lock()
	end := s.run[shard]
	s.mu.Unlock()
	end <- err
}

// hears waits for what happens, in any order.
func (s *stage) hears(want ...string) {
	s.t.Helper()
	var got []string
	for range want {
		select {
		case what := <-s.heard:
			got = append(got, what)
		case <-s.t.Context().Done():
		}
	}
	require.ElementsMatch(s.t, want, got)
}

func (s *stage) returns() error {
	s.t.Helper()
	err := <-s.result
	require.Empty(s.t, s.heard)
	return err
}

var errDisk = errors.New("the disk is full")

// TestAShardThatFailsIsTriedAgain: the others run on, and the waits grow; a stop tells that it did not go on.
func TestAShardThatFailsIsTriedAgain(t *testing.T) {
	s := newStage(t, nil)
	s.assigned <- []int{0, 4}
	s.hears("runs 0", "runs 4")
	for _, wait := range []string{"10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"} {
		s.ends(4, errDisk)
		s.hears("waits " + wait)
		s.ticks <- time.Time{}
		s.hears("runs 4")
	}
	s.ends(4, errDisk)
	s.hears("waits 5m0s")
	s.stop()
	s.hears("stops 0")
	s.ends(0, nil)
	err := s.returns()
	require.ErrorIs(t, err, errDisk)
	require.ErrorContains(t, err, "shard 4: ")
}

// TestWhatAPersonMustSee: a shard whose error cannot pass waits for a person; the process ends once no shard goes on.
func TestWhatAPersonMustSee(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Config, fault.Behind, fault.Usage} {
		s := newStage(t, nil)
		s.assigned <- []int{1, 2}
		s.hears("runs 1", "runs 2")
		s.ends(1, fault.Errorf(kind, "", "wrong"))
		s.ends(2, nil)
		got, _ := fault.Of(s.returns())
		require.Equal(t, kind, got)
	}
}

// TestABrokenPromiseEndsAll: nothing runs on beside a shard whose promise does not hold; with Once the others are read to their end.
func TestABrokenPromiseEndsAll(t *testing.T) {
	broken := fault.Errorf(fault.Privacy, "", "a promise does not hold")
	s := newStage(t, nil)
	s.assigned <- []int{1, 2}
	s.hears("runs 1", "runs 2")
	s.ends(1, broken)
	s.hears("stops 2")
	s.ends(2, nil)
	require.ErrorIs(t, s.returns(), broken)

	s = newStage(t, func(h *Host) { h.Once = true })
	s.assigned <- []int{1, 2}
	s.hears("runs 1", "runs 2")
	s.ends(1, broken)
	s.ends(2, nil)
	require.ErrorIs(t, s.returns(), broken)
}

// TestShardsMove: a shard that is taken away is handed over when it has ended, and not before; one that comes back meanwhile runs
// again here; one that another process has taken is left to it, or tried again if it is still this one's.
func TestShardsMove(t *testing.T) {
	fenced := fmt.Errorf("entry 7: %w", journal.ErrFenced)
	s := newStage(t, nil)
	s.assigned <- []int{1, 2}
	s.hears("runs 1", "runs 2")
	s.assigned <- []int{1}
	s.hears("stops 2")
	s.ends(2, nil)
	s.hears("left 2")

	s.assigned <- []int{1, 2}
	s.hears("runs 2")
	s.assigned <- []int{2}
	s.hears("stops 1")
	s.assigned <- []int{1, 2}
	s.ends(1, nil)
	s.hears("runs 1")

	s.ends(1, fenced)
	s.hears("waits 10s")
	s.ticks <- time.Time{}
	s.hears("runs 1")
	s.ends(1, fenced)
	s.hears("waits 20s")
	s.assigned <- []int{2}
	s.hears("left 1")

	s.assigned <- nil
	s.hears("stops 2")
	s.ends(2, fenced)
	s.hears("left 2")
	s.stop()
	require.NoError(t, s.returns(), "a process without shards stands by")

	s = newStage(t, func(h *Host) { h.Shared = false })
	s.assigned <- []int{1}
	s.hears("runs 1")
	s.ends(1, fenced)
	require.ErrorIs(t, s.returns(), journal.ErrFenced, "nobody but this configuration says who runs it")
}
