package kafkasrc

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
)

type digest = state.Digest

// partition reads one partition. Its loop is one goroutine; the atomics are what
// others may see of it.
type partition struct {
	src   *source
	id    int32
	at    place
	limit int64 // where to stop (Once); -1: never
	// doubtful: something failed, or the leader is another one, so the log is
	// compared with the place again before the next fetch.
	doubtful bool
	empties  int  // answers in a row that held nothing though something should be there
	bulky    bool // the newest answer was larger than usual, so the next one may be
	spoiled  spoiled

	handed   atomic.Int64 // offset up to which chunks were taken by Next
	fetched  atomic.Int64 // offset up to which chunks were fetched
	end      atomic.Int64 // last stable offset last seen; -1: unknown
	heard    atomic.Int64 // Unix nanoseconds of the last answer
	progress atomic.Int64 // Unix nanoseconds at which there last was nothing left to read, or something came
	blocked  atomic.Bool  // waits for Next
}

func newPartition(s *source, id int32, at place, e kafkaclient.Extent) *partition {
	p := &partition{src: s, id: id, at: at, limit: -1}
	if s.resume.Once {
		p.limit = e.Stable
	}
	p.handed.Store(at.from)
	p.fetched.Store(at.fetch)
	p.sees(e.Stable)
	p.moved()
	return p
}

// heldUp ends a wait that no fault caused. It counts neither as progress nor as
// time without progress.
func (p *partition) heldUp(since time.Time) {
	p.progress.Add(int64(time.Since(since)))
	p.blocked.Store(false)
}

func (p *partition) moved()            { p.progress.Store(time.Now().UnixNano()) }
func (p *partition) sees(stable int64) { p.end.Store(stable); p.heard.Store(time.Now().UnixNano()) }

// run reads until ctx is done, the limit is reached or an error is final.
func (p *partition) run(ctx context.Context) {
	attempts := p.src.cfg.Reconnect.Attempts()
	for p.limit < 0 || p.at.fetch < p.limit {
		err := p.step(ctx)
		switch {
		case err == nil:
			attempts.Succeeded()
			p.src.health.works(p.id)
		case ctx.Err() != nil:
			return
		case isFinal(err):
			p.src.fail(err)
			return
		default:
			p.doubtful = true
			p.src.health.fails(p.id, err)
			if passed, final := p.giveUp(ctx, err); final != nil {
				p.src.fail(final)
				return
			} else if passed {
				continue
			}
			if attempts.Wait(ctx) != nil {
				return
			}
			// One failure may be a leader that moved; metadata ages by itself.
			if attempts.Failed() > 1 {
				p.src.client.Renew(time.Second, false)
			}
		}
	}
}

// isFinal tells errors that no retry corrects.
func isFinal(err error) bool {
	return errors.Is(err, ingest.ErrGap) || errors.Is(err, ingest.ErrReplaced) || errors.Is(err, ingest.ErrBehind) ||
		errors.Is(err, ingest.ErrCorrupt) || errors.Is(err, ingest.ErrSchema) ||
		errors.Is(err, ingest.ErrPartitionsChanged) || errors.Is(err, fetch.ErrFormat)
}

// step fetches once and hands out what came.
func (p *partition) step(ctx context.Context) error {
	if p.doubtful {
		at, e, err := p.src.locateSurely(ctx, p.id, p.at)
		if err != nil {
			return err
		}
		p.at, p.doubtful = at, false
		p.sees(e.Stable)
	}
	if err := p.passMissing(ctx); err != nil {
		return err
	}
	wait := p.src.cfg.MaxWait
	if p.src.crowded() {
		wait = 0
		if p.at.fetch >= p.end.Load() {
			if err := p.src.idleParts.wait(ctx, p); err != nil {
				return err
			}
		}
		if p.at.fetch < p.end.Load() { // else the fetch meets why nothing is known of it
			if err := p.until(ctx, isOpen); err != nil {
				return err
			}
		}
	}
	t, err := p.src.turn(ctx, p)
	if err != nil {
		return err
	}
	defer t.end()
	if before, _, _ := p.src.place(p); before < 0 && wait == 0 && p.at.fetch < p.end.Load() {
		return nil // a round has ended meanwhile
	}
	return p.read(ctx, t, wait)
}

// read fetches once and hands the answer out, piece by piece.
func (p *partition) read(ctx context.Context, t *turn, wait time.Duration) error {
	if p.bulky && p.at.fetch < p.end.Load() {
		if err := t.beLarge(); err != nil {
			return err
		}
	}
	res, err := t.fetch(p.id, p.at.fetch, wait)
	if err != nil {
		return err
	}
	if err := res.Err(); err != nil {
		return err
	}
	if p.bulky = len(res.Batches) > p.src.cfg.MaxBytes+fetch.AnswerOverhead; !p.bulky {
		t.endLarge()
	}
	p.sees(res.Stable)
	if res.Stable > p.at.fetch { // where there is a turn for everybody, nobody needs this one meanwhile
		if err := p.until(ctx, func(_ int, bound int64) bool { return bound > p.at.fetch || p.src.crowded() }); err != nil {
			return err
		}
	}
	before, bound, _ := p.src.place(p)
	if bound >= 0 && bound <= p.at.fetch && res.Stable > p.at.fetch || before < 0 && p.src.crowded() {
		return nil
	}
	a := fetch.NewAnswer(res, p.at.fetch, bound, p.src.sizes(), t.beLarge, p.src.cfg.Header.take)
	defer a.Close()
	a.Epoch = p.at.epoch
	first, err := a.Piece()
	if led := (*fetch.LeaderError)(nil); errors.As(err, &led) {
		p.doubtful, p.at.epoch = true, led.Epoch // handed out once the log was compared
		return nil
	}
	if err != nil {
		return err
	}
	p.at.epoch = a.Epoch
	if res.Stable <= p.at.fetch {
		p.moved()
	}
	if first.Next == p.at.fetch {
		next, err := p.pastHole(ctx, t, res)
		if err != nil {
			return err
		}
		first.Next = next
		return p.hand(ctx, chunkOf(first))
	}
	p.empties = 0
	for c := first; c.Next > c.From; {
		chunk := chunkOf(c)
		unread := p.src.plain(ctx, chunk)
		if err := p.hand(ctx, chunk); err != nil {
			return err
		}
		if unread != nil {
			return unread
		}
		if c, err = a.Piece(); err != nil {
			return nil // the next fetch meets it at its beginning
		}
	}
	return nil
}

// pastHole returns where to go on after an answer without a batch. Compaction
// may remove everything up to the end of the log, and then no record will ever
// come to explain the hole, so that a first load or a Once run would not end.
//
// A fetch returns the first batch at or behind its offset, so an empty answer
// below the last stable offset says that nothing is left up to there. As empty
// answers have other causes too (quotas, slow tiered storage), it must come twice
// and hold for the end of the hole as well, which never lies in a remote tier.
func (p *partition) pastHole(ctx context.Context, t *turn, res *fetch.Response) (int64, error) {
	at := p.at.fetch
	if !res.Present || res.Throttled || at >= res.Stable {
		p.empties = 0
		return at, nil
	}
	if p.empties++; p.empties < 2 {
		return at, nil
	}
	probe, err := t.fetch(p.id, res.Stable-1, 0)
	if err == nil {
		err = probe.Err()
	}
	if err != nil {
		return at, err
	}
	p.empties = 0
	if !probe.Present || probe.Throttled || len(probe.Batches) > 0 {
		return at, nil
	}
	if p.limit >= 0 {
		return min(res.Stable, p.limit), nil
	}
	return res.Stable, nil
}

// passMissing hands out, as missing, the offsets of a gap that is accepted.
func (p *partition) passMissing(ctx context.Context) error {
	if p.at.from == p.at.fetch {
		return nil
	}
	c := &ingest.Chunk{From: p.at.from, Next: p.at.fetch, Missing: ingest.Missing{Below: p.at.fetch, Reason: decode.ReasonGap}}
	return p.hand(ctx, c)
}

// hand gives the chunk to Next. Blocking here is the back-pressure: while it
// lasts nothing is fetched.
func (p *partition) hand(ctx context.Context, c *ingest.Chunk) error {
	if c.Next == c.From {
		return nil
	}
	c.Partition = p.src.cfg.partition(p.id)
	p.at.fetch, p.at.from = c.Next, c.Next
	if n := len(c.Records); n > 0 {
		p.at.last = c.Records[n-1].Offset
		if last := &c.Records[n-1]; c.Witness != nil {
			p.at.digest = c.Witness(last)
		} else if p.src.resume.Digest != nil {
			p.at.digest = p.src.resume.Digest(last.Value)
		}
	}
	p.fetched.Store(c.Next)
	if err := p.until(ctx, isFirst); err != nil {
		return err
	}
	p.blocked.Store(true)
	defer func() { p.moved(); p.blocked.Store(false) }()
	select {
	case p.src.chunks <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
