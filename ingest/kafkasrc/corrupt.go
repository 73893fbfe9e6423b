package kafkasrc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/ingest"
	"anond/ingest/decode"
)

// errCorrupt marks data that is not what the producer sent, or that
// decompresses to more than is taken. The fetch is tried again, since the fault
// may lie in transit or in one replica. Config.OnCorrupt says what to do if it
// stays.
var errCorrupt = errors.New("corrupt record batch")

// corruptBatch is an errCorrupt that says which batch it is.
type corruptBatch struct {
	base int64 // first offset, as far as the header can be believed
	last int64 // last offset; -1 if the header cannot be believed
	why  string
}

func (e *corruptBatch) Error() string {
	return fmt.Sprintf("%v at offset %d: %s", errCorrupt, e.base, e.why)
}

// Unwrap makes errors.Is(err, errCorrupt) true.
func (e *corruptBatch) Unwrap() error { return errCorrupt }

// corrupt is a batch with a wrong checksum: its header may be wrong, too.
func corrupt(base int64, format string, args ...any) error {
	return &corruptBatch{base: base, last: -1, why: fmt.Sprintf(format, args...)}
}

// spoiled is a batch whose checksum is right: its header can be believed, its
// content cannot be read.
func (b *batch) spoiled(format string, args ...any) error {
	return &corruptBatch{base: b.base, last: b.last, why: fmt.Sprintf(format, args...)}
}

// isCorrupt is true also where the broker itself reports a corrupt batch.
func isCorrupt(err error) bool {
	return errors.Is(err, errCorrupt) || errors.Is(err, kafka.InvalidMessage)
}

// behind returns what follows the first batch of data, whose content may be
// anything: nil if its length field makes no sense or nothing follows.
func behind(data []byte) []byte {
	if len(data) < lengthEnd {
		return nil
	}
	length := int64(int32(binary.BigEndian.Uint32(data[lengthAt:])))
	if length < headerSize-lengthEnd || lengthEnd+length >= int64(len(data)) {
		return nil
	}
	return data[lengthEnd+length:]
}

// soundBehind returns the first offset of the sound batch that follows the first
// one of data, if there is one.
func soundBehind(data []byte) (base int64, rest []byte, ok bool) {
	rest = behind(data)
	b, _, err := nextBatch(rest)
	if err != nil || b == nil {
		return 0, nil, false
	}
	return b.base, rest, true
}

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
	if !isCorrupt(err) {
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
	var b *corruptBatch
	if errors.As(err, &b) && b.last >= p.at.fetch {
		return p.atMost(b.last + 1), nil
	}
	t, err := p.src.turn(ctx, p)
	if err != nil {
		return 0, err
	}
	defer t.end()
	res, err := t.fetch(p.id, p.at.fetch, 0)
	if err == nil && res.err() == nil {
		if base, _, ok := soundBehind(res.recordData); ok && base > p.at.fetch {
			return p.atMost(base), nil
		}
	} else if !isCorrupt(err) && !isCorrupt(res.orErr(err)) {
		return 0, err
	}
	return p.search(t)
}

// orErr is the error of an exchange or else of its answer.
func (r *fetchResponse) orErr(err error) error {
	if err != nil {
		return err
	}
	return r.err()
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
	err = res.orErr(err)
	if isCorrupt(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	b, _, err := nextBatch(res.recordData)
	if err != nil || b == nil && len(res.recordData) > 0 {
		return 0, false, nil // the first batch of an answer is never cut
	}
	if b == nil { // compaction left nothing from here on
		return offset, true, nil
	}
	return max(b.base, p.at.fetch+1), true, nil
}
