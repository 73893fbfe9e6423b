package daemon

import (
	"context"
	"time"

	"anond/config"
	"anond/internal/ops/diskuse"
)

// diskEvery is how often the use of the disks is measured.
const diskEvery = 10 * time.Minute

// watchDisk measures the use of the disks after each release, and now and then, for the
// status. before are the samples of the process before.
func (s *steering) watchDisk(ctx context.Context, c *config.Config, before []diskuse.Sample) {
	ticks, stop := s.o.Clock.Ticker(diskEvery)
	defer stop()
	told := false
	for {
		use, err := diskuse.Measure(c.Release.Dir, c.State.Path, before, s.o.Clock.Now())
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.log.Warn("the use of the disks cannot be measured", "event", "disk_unknown", "error", err.Error())
			return
		}
		s.mu.Lock()
		s.disk, before = use, use.Samples
		s.mu.Unlock()
		warnings := use.Warnings(s.o.Clock.Now())
		if len(warnings) > 0 && !told {
			s.log.Warn(warnings[0], "event", "disk_forecast")
		}
		told = len(warnings) > 0
		select {
		case <-ticks:
		case <-s.written:
		case <-ctx.Done():
			return
		}
	}
}
