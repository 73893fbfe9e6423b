package kafkasrc

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/kafkaclient/fetch"
)

// spoiled is a batch that could not be read so far, in one partition.
type spoiled struct {
	at    int64
	since time.Time
	tries int
}

// spoiledTries is how often a batch is fetched, over renewed connections, before
// it counts as one that cannot be read.
const spoiledTries = 4

// giveUp decides what follows a failed attempt. A fault may lie in transit, or
// in a replica that will not be the leader for long. A batch that still cannot
// be read after ConfirmAfter ends the source with an error or is skipped, as
// OnCorrupt says. Before that it is tried again.
func (p *partition) giveUp(ctx context.Context, err error) (passed bool, final error) {
	if !fetch.IsCorrupt(err) {
		return false, nil
	}
	if w := &p.spoiled; w.tries == 0 || w.at != p.at.fetch {
		*w = spoiled{at: p.at.fetch, since: time.Now()}
	}
	p.spoiled.tries++
	if p.spoiled.tries < spoiledTries || time.Since(p.spoiled.since) < p.src.cfg.ConfirmAfter {
		return false, nil
	}
	next, unknown := p.endOfSpoiled(ctx, err)
	if unknown != nil && p.src.cfg.OnCorrupt == corruptSkip {
		return false, nil // the broker gives no answer at present
	}
	if unknown != nil {
		next = -1
	}
	fault := &ingest.CorruptError{Partition: p.src.cfg.partition(p.id), From: p.at.fetch, Next: next, Why: err.Error()}
	p.src.log.Error("a batch cannot be read", event("source_corrupt"), partitionAttr(p.id), slog.Int64("from", fault.From),
		slog.Int64("next", next), slog.Int("tries", p.spoiled.tries), slog.String("on_corrupt", string(p.src.cfg.OnCorrupt)),
		slog.String("error", err.Error()))
	if p.src.cfg.OnCorrupt == corruptStop {
		return false, fault
	}
	p.spoiled = spoiled{}
	// Handed out as missing, so that state counts the offsets with the position.
	c := &ingest.Chunk{From: p.at.fetch, Next: next, Missing: ingest.Missing{Below: next, Reason: decode.ReasonCorruptBatch}}
	return p.hand(ctx, c) == nil, nil
}

// endOfSpoiled returns the offset behind a batch that cannot be read. In this
// order: what a header with a right checksum says; where the sound batch begins
// that follows in the answer; where the broker, asked for higher and higher
// offsets, first gives another batch. A header with a wrong checksum is never
// believed: it could pass over records that can be read.
func (p *partition) endOfSpoiled(ctx context.Context, err error) (int64, error) {
	var b *fetch.CorruptBatch
	if errors.As(err, &b) && b.Last >= p.at.fetch {
		return p.atMost(b.Last + 1), nil
	}
	t, err := p.src.turn(ctx, p)
	if err != nil {
		return 0, err
	}
	defer t.end()
	res, err := t.fetch(p.id, p.at.fetch, 0)
	if err == nil && res.Err() == nil {
		if base, ok := res.SoundBehind(); ok && base > p.at.fetch {
			return p.atMost(base), nil
		}
	} else if !fetch.IsCorrupt(err) && !fetch.IsCorrupt(res.OrErr(err)) {
		return 0, err
	}
	return p.search(t)
}

func (p *partition) atMost(next int64) int64 {
	if p.limit >= 0 {
		return min(next, p.limit)
	}
	return next
}

// search asks the broker for the first offset whose batch is sound. The distance
// doubles until one is found, then the gap is halved. The end of what is
// readable counts as sound.
func (p *partition) search(t *turn) (int64, error) {
	bad, end := p.at.fetch, p.end.Load()
	good := end
	for step := int64(1); bad+step < end; step *= 2 {
		base, sound, err := p.soundAt(t, bad+step)
		if err != nil {
			return 0, err
		}
		if sound {
			good = base
			break
		}
		bad += step
	}
	for good-bad > 1 {
		middle := bad + (good-bad)/2
		base, sound, err := p.soundAt(t, middle)
		switch {
		case err != nil:
			return 0, err
		case sound && base > bad:
			good = min(middle, base)
		case sound:
			good = middle
		default:
			bad = middle
		}
	}
	return p.atMost(max(good, p.at.fetch+1)), nil
}

// soundAt reports whether the broker gives a sound batch for an offset, and
// where that batch begins.
func (p *partition) soundAt(t *turn, offset int64) (base int64, sound bool, err error) {
	res, err := t.fetch(p.id, offset, 0)
	err = res.OrErr(err)
	if fetch.IsCorrupt(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	base, some, err := res.First()
	if err != nil || !some && len(res.Batches) > 0 {
		return 0, false, nil // the first batch of an answer is never cut
	}
	if !some { // compaction left nothing from here on
		return offset, true, nil
	}
	return max(base, p.at.fetch+1), true, nil
}
