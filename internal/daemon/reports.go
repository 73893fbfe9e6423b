package daemon

import (
	"sync/atomic"
	"time"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/ops/monitor"
)

// sight completes the reports of the loop with what the loop does not know, and shows
// each to all surfaces: the monitor, status.json and whoever asked for it.
type sight struct {
	shown     func(ingest.Report, dataset.Status)
	steer     *steering
	monitor   *monitor.Monitor
	sizes     *sizes
	standing  *recheck   // nil: it has not begun
	publisher *publisher // nil: it is not open
}

func newSight(c *config.Config, o dataset.Options, sizes *sizes, steer *steering) *sight {
	return &sight{shown: dataset.Observer(c, o), steer: steer, monitor: o.Monitor, sizes: sizes}
}

func (s *sight) observe(r ingest.Report) {
	r.State = *s.sizes.now.Load()
	r.Verified = s.standing != nil && s.standing.ended() && s.standing.err == nil
	if s.publisher != nil {
		s.publisher.views.observe(&r, s.publisher.directory)
	}
	r, now := s.steer.observe(r)
	s.monitor.Observe(r)
	s.shown(r, now)
}

// sizes keeps the size of the state's file. It is asked for next to the loop, since a
// disk may hang.
type sizes struct {
	now  atomic.Pointer[ingest.StateSize]
	stop chan struct{}
}

// watchSizes asks each second until close is called.
func watchSizes(store interface {
	Bytes() (file, free int64)
	MaxBytes() int64
	Stale() bool
}) *sizes {
	s := &sizes{stop: make(chan struct{})}
	look := func() {
		file, free := store.Bytes()
		s.now.Store(&ingest.StateSize{File: file, Free: free, Quota: store.MaxBytes(), Stale: store.Stale()})
	}
	look()
	go func() {
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-ticks.C:
				look()
			}
		}
	}()
	return s
}

func (s *sizes) close() error {
	close(s.stop)
	return nil
}
