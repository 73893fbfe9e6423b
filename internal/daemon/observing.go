package daemon

import (
	"cmp"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"anond/config"
	"anond/ingest"
	"anond/internal/ops/monitor"
	"anond/snapshot"
)

// MonitorSettings are what the surfaces say about a configuration.
func MonitorSettings(c *config.Config, version string) monitor.Settings {
	s := monitor.Settings{Dataset: c.Dataset, Version: version, Source: c.Source.Name, K: c.Policy.K, L: c.Policy.L,
		Shard: c.Shard.Index, Shards: c.Shard.Of,
		Level: string(c.Policy.Level), Recoding: string(c.Release.Recoding), HoldInCuts: c.Policy.MaxHold.Counted,
		Releases: c.Release.Dir, Ledger: c.Release.Ledger, FS: snapshot.OS(), Trigger: triggerText(&c.Release.Trigger)}
	if c.Source.Type == config.FromKafka {
		s.Topic = c.Source.Kafka.Topic
	}
	return s
}

// triggerText says when a release is due.
func triggerText(t *config.Trigger) string {
	switch t.On {
	case config.OnRecords:
		return fmt.Sprintf("every %d records", t.Records)
	case config.OnInterval:
		return "every " + span(t.Interval)
	case config.OnCron:
		return "cron " + t.At + " (UTC)"
	}
	return "on updates, at most every " + span(t.MinInterval)
}

// span writes a duration without units that are zero: 15m, not 15m0s.
func span(d time.Duration) string {
	text := d.String()
	if d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// sight completes the reports of the loop with what the loop does not know, and shows
// each to all surfaces: the monitor, status.json and whoever asked for it.
type sight struct {
	shown    func(ingest.Report, Status)
	steer    *steering
	monitor  *monitor.Monitor
	sizes    *sizes
	standing *recheck // nil: it has not begun
}

func newSight(c *config.Config, o Options, sizes *sizes, steer *steering) *sight {
	return &sight{shown: observer(c, o), steer: steer, monitor: o.Monitor, sizes: sizes}
}

func (s *sight) observe(r ingest.Report) {
	r.State = *s.sizes.now.Load()
	r.Verified = s.standing != nil && s.standing.ended() && s.standing.err == nil
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

// monitored makes sure that there is a monitor.
func monitored(c *config.Config, o *Options) {
	o.Monitor = cmp.Or(o.Monitor, monitor.New(MonitorSettings(c, "")))
}
