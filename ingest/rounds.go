package ingest

import (
	"anond/incremental/state"
	"context"
)

// Ordered is a source of several partitions that hands them out in an order of offsets, so that no pool depends on where
// chunks end, which follows from bytes (incremental: rounds.go). Opened with Resume.Ordered it hands out nothing before
// it is told how far.
type Ordered interface {
	// Until lets the source go on: it hands out what lies below these ends and nothing else, the partitions one
	// after the other as Status lists them. It is called once the ends before are reached. Safe for concurrent use.
	Until(ends map[state.Partition]int64)
}

// roundFor is how many offsets of a partition, and roundLeast how many of all, a round has at most. Cuts by time lie between
// rounds, and what is fetched ahead beyond the end of a round may be fetched again.
const (
	roundFor   = 1 << 12
	roundLeast = 1 << 16
)

// beginRounds goes on with the round in which the process before stopped. Of a partition of which nothing was applied the
// log may have lost what the round had of it.
func (l *cuts) beginRounds() {
	if l.order, _ = l.Source.(Ordered); l.order == nil {
		return
	}
	ends := map[state.Partition]int64{}
	for _, p := range l.Source.Status().Partitions {
		_, known := l.Machine.Intake().Next(p.Partition)
		if end, in := l.Machine.Source().Ends()[p.Partition]; in && (known || p.Next < end) {
			ends[p.Partition] = end
		}
	}
	l.beginRound(ends)
	l.nextRound()
}

// midRound reports whether a round is not complete, so that no cut by time may come.
func (l *cuts) midRound() bool { return l.order != nil && !l.Machine.Source().Reached() }

// endRound makes the cut that is due by time once a round is complete, and begins the next.
func (l *cuts) endRound(ctx context.Context) error {
	if l.order == nil || l.midRound() {
		return nil
	}
	if err := l.cutOnTime(ctx, l.now()); err != nil {
		return err
	}
	l.nextRound()
	return nil
}

// nextRound begins a round with what the partitions have now: up to the ends of the first load before anything else, and
// no more records than to the next cut by count, of every partition as many as the others if it has them. A partition that is
// read as a whole is a round of its own.
func (l *cuts) nextRound() {
	if l.order == nil || l.midRound() {
		return
	}
	parts := l.Source.Status().Partitions
	if len(parts) > 0 && parts[0].Whole {
		l.beginRound(map[state.Partition]int64{parts[0].Partition: WholeEnd})
		return
	}
	from, room := make([]int64, len(parts)), make([]int64, len(parts))
	first := !l.Machine.InitialLoad().Done() && l.Machine.InitialLoad().Ends() != nil && !l.Machine.InitialLoad().Read()
	for i, p := range parts {
		next, _ := l.Machine.Intake().Next(p.Partition)
		from[i] = max(p.Next, next)
		if first {
			p.End = min(p.End, l.Machine.InitialLoad().Ends()[p.Partition])
		}
		room[i] = max(0, p.End-from[i])
	}
	most := max(roundLeast, roundFor*len(parts))
	if l.Rate > 0 {
		most = min(most, l.Rate)
	}
	if left, counted := l.Machine.Trigger().UntilCut(); counted && left > 0 {
		most = min(most, left)
	}
	ends := map[state.Partition]int64{}
	for i, n := range spread(room, int64(most)) {
		if n > 0 {
			ends[parts[i].Partition] = from[i] + n
		}
	}
	if len(ends) > 0 {
		l.beginRound(ends)
	}
}

func (l *cuts) beginRound(ends map[state.Partition]int64) {
	l.Machine.Source().SetEnds(ends)
	l.order.Until(ends)
}

// spread divides so many among those who have room, as evenly as that allows; of a rest the first get one each.
func spread(room []int64, most int64) []int64 {
	out := make([]int64, len(room))
	for most > 0 {
		open := int64(0)
		for i, r := range room {
			if out[i] < r {
				open++
			}
		}
		if open == 0 {
			break
		}
		each := max(1, most/open)
		for i, r := range room {
			n := min(each, r-out[i], most)
			out[i], most = out[i]+n, most-n
		}
	}
	return out
}
