package pgsrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/fault"
	"anond/internal/retry"
)

// end is the position of a table that was read.
const end = ingest.WholeEnd

// table reads the rows of a query.
type table struct {
	cfg           Config
	before, after []byte // what stands around a row in a message
	witness       state.Digest
	from          int64 // the place behind the last row that was handed out
	rows          int   // that were handed out; read once all were

	chunks chan *ingest.Chunk
	err    error // why chunks was closed; read after that
	cancel context.CancelFunc
	wg     sync.WaitGroup
	health health
}

// health is whether the server answers.
type health struct {
	mu      sync.Mutex
	trouble string
	silence retry.Silence
}

// open connects, which it tries without limit, and begins to read.
func (t *table) open(ctx context.Context) error {
	t.before, t.after = envelopeOf(t.cfg.Format)
	t.chunks = make(chan *ingest.Chunk, 1)
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	// What begins under ctx goes on behind it: the statement is one of the whole reading.
	stop := context.AfterFunc(ctx, cancel)
	s, err := t.reach(reading)
	if !stop() {
		if err == nil {
			s.close()
		}
		err = fmt.Errorf("initial.source: %s: %w", cmp.Or(t.problem(), "it has not answered"), ctx.Err())
	}
	if err != nil {
		cancel()
		return err
	}
	t.cancel = cancel
	t.wg.Go(func() {
		defer close(t.chunks)
		t.err = t.read(reading, s)
	})
	return nil
}

// reach begins to read behind the last row, and tries without limit.
func (t *table) reach(ctx context.Context) (stream, error) {
	from := int64(math.MinInt64)
	if t.from > 0 {
		from = t.from - 1 // the row itself, to see whether there is another one at its place
	}
	for attempts := t.cfg.Retry.Attempts(); ; {
		s, err := t.cfg.connect(ctx, from)
		if err == nil {
			t.works()
			return s, nil
		}
		if err := t.fails(ctx, err); err != nil {
			return nil, err
		}
		if err := attempts.Wait(ctx); err != nil {
			return nil, err
		}
	}
}

// read hands out all rows, then the end.
func (t *table) read(ctx context.Context, s stream) error {
	for attempts := t.cfg.Retry.Attempts(); ; {
		was := t.from
		err := t.drain(ctx, s)
		s.close()
		if err == io.EOF {
			return t.hand(ctx, &ingest.Chunk{Partition: Partition, From: t.from, Next: end})
		}
		if err := t.fails(ctx, err); err != nil {
			return err
		}
		if t.from > was {
			attempts.Succeeded()
		}
		if err := attempts.Wait(ctx); err != nil {
			return err
		}
		if s, err = t.reach(ctx); err != nil {
			return err
		}
	}
}

// drain hands out rows until a stream ends, also those before a failure.
func (t *table) drain(ctx context.Context, s stream) error {
	last := t.from - 1  // of the row before
	again := t.from > 0 // that row comes first, if it is still there
	for {
		c := &ingest.Chunk{Partition: Partition, From: t.from, Next: t.from, Witness: func(*ingest.Record) state.Digest { return t.witness }}
		r, err := row{}, error(nil)
		for size := 0; size < t.cfg.Piece; {
			if r, err = s.next(); err != nil {
				break
			}
			if again = again && r.at == last; again {
				again = false
				continue
			}
			if err = fit(r.at, last); err != nil {
				break
			}
			record := t.record(r)
			c.Records, c.Next, last = append(c.Records, record), r.at+1, r.at
			size += record.Weight()
		}
		if len(c.Records) > 0 {
			if err := t.hand(ctx, c); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// fit refuses what cannot be the place of a row behind the last one. It names no place, which may be a person's number.
func fit(at, last int64) error {
	const other = "name a column that increases from row to row, such as the primary key"
	switch {
	case at < 0 || at > end-2:
		return unfit("has a negative value, or one that is too large", other)
	case at == last:
		return unfit("has a value twice", other)
	case at < last:
		return unfit("does not order the rows", other)
	}
	return nil
}

// hand waits until somebody takes a chunk.
func (t *table) hand(ctx context.Context, c *ingest.Chunk) error {
	select {
	case t.chunks <- c:
		t.from = c.Next
		t.rows += len(c.Records)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// record makes a message of a row.
func (t *table) record(r row) ingest.Record {
	value := make([]byte, 0, len(t.before)+len(r.text)+len(t.after))
	value = append(value, t.before...)
	if len(t.before) > 0 && len(t.after) == 0 {
		r.text = r.text[1:] // the brace is in before
	}
	value = append(append(value, r.text...), t.after...)
	if r.cut {
		value = value[:min(len(value), t.cfg.MaxBytes)]
	}
	return ingest.Record{Offset: r.at, Value: value, Cut: r.cut, CutHere: r.cut}
}

// envelopeOf is what stands around a row in a message of a format: Debezium reads it as one of a snapshot.
func envelopeOf(f decode.Format) (before, after []byte) {
	switch f {
	case decode.Debezium:
		return []byte(`{"op":"r","after":`), []byte("}")
	case decode.DebeziumFlat:
		return []byte(`{"__op":"r",`), nil
	}
	return nil, nil
}

// next returns the next chunk, io.EOF behind the last.
func (t *table) next(ctx context.Context) (*ingest.Chunk, error) {
	select {
	case c, open := <-t.chunks:
		switch {
		case open:
			return c, nil
		case t.err == nil:
			return nil, io.EOF
		}
		return nil, t.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *table) close() {
	if t.cancel != nil {
		t.cancel()
		t.wg.Wait()
	}
}

// fails notes a failure that may pass. It returns one that does not.
func (t *table) fails(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, new(fault.Fault)) {
		return err
	}
	h := &t.health
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.trouble == ""
	h.trouble = err.Error()
	tries, told := h.silence.Broken(time.Now(), retry.FirstSilence)
	attrs := []any{slog.Int("tries", tries), slog.String("error", h.trouble)}
	switch {
	case !told:
		t.cfg.Log.Debug("reading initial.source still fails", append(attrs, "event", "initial_source_retry")...)
	case first:
		t.cfg.Log.Warn("reading initial.source failed; it is tried again without limit", append(attrs, "event", "initial_source_away")...)
	default:
		t.cfg.Log.Warn("reading initial.source still fails", append(attrs, "event", "initial_source_retry")...)
	}
	return nil
}

func (t *table) works() {
	h := &t.health
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble, h.silence = "", retry.Silence{}
	t.cfg.Log.Info("reading initial.source", "event", "initial_source_connected")
}

// problem is why the server does not answer; empty: it does.
func (t *table) problem() string {
	t.health.mu.Lock()
	defer t.health.mu.Unlock()
	return t.health.trouble
}
