package filesrc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"anond/incremental"
	"anond/ingest"
)

// stream is a source that cannot be read twice: standard input. What a run did
// not bring into state before it ended must be piped in again in the next run.
type stream struct {
	part   incremental.Partition
	pump   *pump
	reader *recordReader
	head   head
	next   int64
	failed error

	mu        sync.Mutex // guards what Status reads
	handedOut int64
	ended     bool
}

func openStream(cfg *Config, resume ingest.Resume) (ingest.Source, error) {
	s := &stream{part: incremental.Partition{Source: "stdin:" + cfg.RunID}}
	if _, known := resume.Positions[s.part]; known {
		return nil, errors.New("standard input: the run id was used before, so that its records would count as known: give each run an " +
			"id of its own")
	}
	s.pump = newPump(cfg.Stdin)
	s.reader = newReader(s.pump, cfg)
	s.reader.final = true
	s.reader.header = s.head.take(cfg, "standard input")
	return s, nil
}

// Ends is unknown for a stream.
func (s *stream) Ends(context.Context) (map[incremental.Partition]int64, error) { return nil, nil }

// Next returns what the stream brought; see ingest.Source. Its error is final.
func (s *stream) Next(ctx context.Context) (*ingest.Chunk, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	b, err := s.reader.next(ctx, noStop, chunkRecords)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	c := &ingest.Chunk{Partition: s.part, From: s.next, Next: b.next, Records: b.records, Header: s.head.header}
	s.next = b.next
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handedOut = b.next
	return c, nil
}

func (s *stream) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != io.EOF && s.head.fault == nil {
		err = fmt.Errorf("standard input: %w", err)
	}
	s.failed = err
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return err
}

// Ack does nothing: a stream cannot go back.
func (s *stream) Ack(map[incremental.Partition]int64) {}

// Status tells how much was handed out.
func (s *stream) Status() ingest.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := int64(-1)
	if s.ended {
		end = s.handedOut
	}
	return ingest.Status{Connected: !s.ended, Partitions: []ingest.PartitionStatus{{Partition: s.part, Next: s.handedOut, End: end}}}
}

// Close stops the reading. A read that is under way ends with the stream.
func (s *stream) Close() error {
	s.failed = os.ErrClosed
	s.pump.close()
	return nil
}

// pump reads a stream in a goroutine of its own, because a read of a terminal or
// pipe cannot be broken off. Two blocks go round, so it is at most one block
// ahead: the reader's pace is the stream's (back-pressure).
type pump struct {
	full  chan block
	free  chan []byte
	stop  chan struct{}
	close func()
	held  []byte // the block received last
	rest  []byte // what is left of it
	err   error
}

// block is what one read brought: bytes or an error.
type block struct {
	text []byte
	err  error
}

const pumpBytes = 64 << 10

func newPump(r io.Reader) *pump {
	p := &pump{full: make(chan block), free: make(chan []byte, 2), stop: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.stop) })
	p.free <- make([]byte, pumpBytes)
	p.free <- make([]byte, pumpBytes)
	go p.run(r)
	return p
}

// run moves blocks until the stream ends or the pump is closed.
func (p *pump) run(r io.Reader) {
	for {
		var b block
		var n int
		select {
		case b.text = <-p.free:
		case <-p.stop:
			return
		}
		n, b.err = io.ReadAtLeast(r, b.text, 1)
		b.text = b.text[:n]
		select {
		case p.full <- b:
		case <-p.stop:
			return
		}
		if b.err != nil {
			return
		}
	}
}

func (p *pump) read(ctx context.Context, to []byte) (int, error) {
	if len(p.rest) == 0 && p.err == nil {
		if p.held != nil {
			p.free <- p.held[:pumpBytes]
			p.held = nil
		}
		select {
		case b := <-p.full:
			p.held, p.rest, p.err = b.text, b.text, b.err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	if len(p.rest) == 0 {
		return 0, p.err
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
