package kafkasrc

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/internal/kafkaclient"
	"anond/internal/retry"
)

// watch looks regularly for partitions that were added, asks for the ends of
// partitions that gave no answer of late, and rebuilds the connections when
// reading has stalled. A failure is left to the readers, which meet it
// themselves.
func (s *source) watch() {
	tick := time.NewTicker(min(s.cfg.RefreshInterval, max(s.cfg.StallAfter/4, time.Millisecond)))
	defer tick.Stop()
	refreshed := time.Now()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(refreshed) >= s.cfg.RefreshInterval {
			refreshed = time.Now()
			s.addPartitions(s.ctx)
			s.refreshEnds(s.ctx)
		}
		s.checkStall(time.Now())
	}
}

// addPartitions starts to read partitions that the topic did not have, from
// their first offset.
func (s *source) addPartitions(ctx context.Context) {
	ids, err := s.client.Partitions(ctx)
	if err != nil {
		return
	}
	if s.cfg.Shard.Of > 0 {
		if len(ids) > s.total { // fewer: a broker that is behind the others
			s.fail(s.partitionsChanged(s.total, len(ids)))
		}
		return
	}
	known := s.ids()
	for _, id := range ids {
		if slices.Contains(known, id) {
			continue
		}
		at, e, err := s.locate(ctx, id, place{})
		if err != nil {
			return
		}
		s.log.Info("the topic has a new partition", event("source_partition_added"), partitionAttr(id), slog.Int64("first", e.First))
		p := newPartition(s, id, at, e)
		s.add(p)
		s.launch(p)
	}
}

// refreshEnds asks for the ends of partitions that gave no answer of late: lag
// must show, and a stall be noticed, also where fetches are blocked or lost.
func (s *source) refreshEnds(ctx context.Context) {
	silent := map[int32]*partition{}
	s.mu.Lock()
	for id, p := range s.parts {
		if time.Since(time.Unix(0, p.heard.Load())) >= s.cfg.RefreshInterval {
			silent[id] = p
		}
	}
	s.mu.Unlock()
	for id, p := range silent {
		ends, err := s.client.ListOffsets(ctx, []int32{id}, kafka.LastOffset, kafkaclient.ReadCommitted)
		if err != nil {
			return
		}
		p.sees(ends[id])
	}
}

// checkStall is the watchdog: something to read, nothing blocks us, and nothing
// came for StallAfter. That a broker is away is told already.
func (s *source) checkStall(now time.Time) {
	s.mu.Lock()
	stalled, since := noPartition, now
	for id, p := range s.parts {
		last := time.Unix(0, p.progress.Load())
		if p.end.Load() > p.fetched.Load() && !p.blocked.Load() && now.Sub(last) >= s.cfg.StallAfter && last.Before(since) &&
			!s.health.away(id) {
			stalled, since = int(id), last
		}
	}
	s.stalled = stalled != noPartition
	if !s.stalled {
		s.silence = retry.Silence{}
		s.mu.Unlock()
		return
	}
	_, due := s.silence.Broken(now, s.cfg.StallAfter)
	s.mu.Unlock()
	// If the connections were renewed lately, for whatever reason, nothing more
	// can be done here. That nothing comes is logged nevertheless.
	renewed := s.client.Renew(s.cfg.StallAfter, true)
	if due {
		s.log.Error("there is something to read and nothing comes", event("source_stalled"),
			slog.Int("partition", stalled), slog.String("for", now.Sub(since).Round(time.Second).String()),
			slog.Bool("connections_rebuilt", renewed))
	}
}
