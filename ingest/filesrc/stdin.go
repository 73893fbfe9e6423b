package filesrc

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"anond/ingest"
)

// stream is standard input. The state keeps how far it was committed, and a digest of all records up to there. An input that
// begins with exactly these is resumed behind them, after its end as after a stop; another one is new, however it begins. So
// an input that is fed again counts nobody twice (rule S, one record of a subject), also where people have no subject.
//
// Until it is known which of the two it is, what was read is held, at most mostHeld bytes. Only an input that has header and first
// record in common with one that was read has to wait for that.
type stream struct {
	cfg    *Config
	resume ingest.Resume
	pump   *pump
	reader *recordReader
	head   head
	name   string // of a new input; empty: the first record is not known
	part   state.Partition
	sum    hash.Hash // of the records read
	like   []fed     // that this one may be, the longest first
	same   fed       // the longest that it is so far
	held   []piece   // read, and not handed out
	bytes  int       // of held
	over   bool      // more was read than may be held
	next   int64
	failed error

	mu        sync.Mutex // guards what Status reads
	known     state.Partition
	handedOut int64
	ended     bool
}

// fed is an input that the state has read.
type fed struct {
	part state.Partition
	pos  state.Position
}

// piece is what was read at once, and the sum of what came before it.
type piece struct {
	batch
	before hash.Hash
}

// mostHeld bounds what is held of an input that may be a known one.
const mostHeld = 64 << 20

var errAgain = errors.New("it begins like one that was read, and is another one, or holds less: give --again if nobody is in both")

func openStream(cfg *Config, resume ingest.Resume) (ingest.Source, error) {
	s := &stream{cfg: cfg, resume: resume, pump: newPump(cfg.Form.Encoding.Reader(cfg.Stdin)), sum: sha256.New(),
		same: fed{pos: state.Position{Last: -1}}}
	s.reader = newReader(s.pump, cfg)
	s.reader.final = true
	s.reader.header, s.reader.look = s.head.take(cfg, "standard input"), s.head.look(cfg, "standard input")
	return s, nil
}

// Ends is unknown for a stream.
func (s *stream) Ends(context.Context) (map[state.Partition]int64, error) { return nil, nil }

// Next returns what the stream brought; see ingest.Source. Its error is final.
func (s *stream) Next(ctx context.Context) (*ingest.Chunk, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	for {
		for s.part.Source != "" && len(s.held) > 0 {
			if c := s.chunk(); c.Next > c.From {
				return c, nil
			}
		}
		b, err := s.reader.next(ctx, noStop, chunkRecords)
		switch {
		case err == nil:
			err = s.hold(b)
		case err == io.EOF && s.part.Source == "":
			err = s.settle()
		}
		if err != nil {
			return nil, s.fail(ctx, err)
		}
	}
}

// hold takes in what was read, and looks whether the input is a known one.
func (s *stream) hold(b batch) error {
	p := piece{b, clone(s.sum)}
	last := int64(-1)
	for i := range b.records {
		r := &b.records[i]
		if r.Passed != "" {
			continue
		}
		if s.name == "" {
			s.begin(r.Value)
		}
		add(s.sum, r)
		last = r.Offset
		for _, k := range s.like {
			if k.pos.Last == r.Offset && k.pos.Digest == s.resume.Digest(s.sum.Sum(nil)) {
				s.same = k
			}
		}
		s.bytes += r.Weight()
	}
	if s.part.Source == "" && s.bytes > mostHeld {
		s.over, s.held = true, nil
	}
	s.held = append(s.held, p)
	if s.part.Source == "" && s.name != "" && (len(s.like) == 0 || last >= s.like[0].pos.Last) {
		return s.settle()
	}
	return nil
}

// begin finds the inputs that begin like this one.
func (s *stream) begin(first []byte) {
	d := s.resume.Digest(append(binary.AppendUvarint(nil, uint64(len(s.head.line))), append(s.head.line, first...)...))
	prefix, n := "stdin:"+hex.EncodeToString(d[:])+":", 1
	for p, pos := range s.resume.Positions {
		if strings.HasPrefix(p.Source, prefix) {
			if n++; pos.Last >= 0 && !s.cfg.Again {
				s.like = append(s.like, fed{p, pos})
			}
		}
	}
	slices.SortFunc(s.like, func(a, b fed) int {
		return cmp.Or(cmp.Compare(b.pos.Last, a.pos.Last), cmp.Compare(a.part.Source, b.part.Source))
	})
	s.name = prefix + strconv.Itoa(n)
}

// settle says which input it is.
func (s *stream) settle() error {
	if s.name == "" {
		s.begin(nil)
	}
	s.part, s.next = s.same.part, s.same.pos.Next
	if s.part.Source == "" {
		if s.over {
			return errAgain
		}
		s.part.Source = s.name
	}
	s.like = nil
	return nil
}

// chunk hands out the first piece that is held.
func (s *stream) chunk() *ingest.Chunk {
	p := s.held[0]
	s.held = s.held[1:]
	records := p.records
	for len(records) > 0 && records[0].Offset < s.next {
		records = records[1:]
	}
	c := &ingest.Chunk{Partition: s.part, From: s.next, Next: max(s.next, p.next), Records: records, Header: s.head.header}
	c.Witness = func(r *ingest.Record) state.Digest {
		sum := clone(p.before)
		for i := range p.records {
			if p.records[i].Offset <= r.Offset {
				add(sum, &p.records[i])
			}
		}
		return s.resume.Digest(sum.Sum(nil))
	}
	s.next = c.Next
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.handedOut = s.part, c.Next
	return c
}

// add adds a record to a sum.
func add(sum hash.Hash, r *ingest.Record) {
	if r.Passed == "" {
		_, _ = sum.Write(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(r.Offset)), uint64(len(r.Value)))) // never fails
		_, _ = sum.Write(r.Value)
	}
}

func clone(sum hash.Hash) hash.Hash {
	c, err := sum.(hash.Cloner).Clone()
	if err != nil {
		panic("filesrc: a sum that cannot be copied: " + err.Error()) // SHA-256 can
	}
	return c
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
func (s *stream) Ack(map[state.Partition]int64) {}

// Status tells how much was handed out.
func (s *stream) Status() ingest.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, end := ingest.Status{Connected: !s.ended}, int64(-1)
	if s.ended {
		end = s.handedOut
	}
	if s.known.Source != "" {
		st.Partitions = []ingest.PartitionStatus{{Partition: s.known, Next: s.handedOut, End: end}}
	}
	return st
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
