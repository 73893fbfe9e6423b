package upkeep

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/deadletter"
	"anond/ingest/kafkasrc"
	"anond/internal/dataset"
)

// letterSink is where the dead letters of a configuration are, for reading.
type letterSink struct {
	Places []string // files, or the topic
	topic  *kafkasrc.Config
	limit  int // bytes of a dead letter with its payload
}

// letterPatience is how long brokers have to answer.
const letterPatience = 30 * time.Second

// openLetterSink finds the dead letters: those of a given file, else those of the
// directory, rotated files included, or of the topic.
func openLetterSink(ctx context.Context, c *config.Config, given string) (*letterSink, error) {
	s := &letterSink{limit: 2*int(c.Source.MaxRecordBytes) + deadletter.PrefixBytes}
	var err error
	switch {
	case given != "":
		s.Places = []string{given}
	case c.DeadLetter.Type == config.ToFile:
		s.Places, err = deadletter.Files(c.DeadLetter.Path)
	default:
		o, err := dataset.Unlogged(ctx, c)
		if err != nil {
			return nil, err
		}
		k := dataset.KafkaConfig(c, o)
		k.Topic, k.Group, k.MaxRecord = c.DeadLetter.Topic, "", max(k.MaxRecord, s.limit)
		s.topic, s.Places = &k, []string{"topic " + c.DeadLetter.Topic}
	}
	return s, err
}

// ByOrder reports whether the dead letters come in the order of their numbers. Those of a
// topic need not: its partitions are read next to each other, and a delivery may be repeated.
func (s *letterSink) ByOrder() bool { return s.topic == nil }

// Unread is what a reading left out.
type Unread struct {
	Torn       bool   `json:"torn"`       // the last line is not complete
	Unreadable int    `json:"unreadable"` // lines that are no dead letters
	First      string `json:"first_unreadable,omitempty"`
	Copies     int    `json:"copies"` // deliveries that were repeated (topics)
}

// Each reads the dead letters, oldest first. Without payloads it holds at most
// deadletter.PrefixBytes of each. Lines that are none are counted.
func (s *letterSink) Each(ctx context.Context, payloads bool, do func(deadletter.Delivered) error) (out Unread, err error) {
	limit := deadletter.PrefixBytes
	if payloads {
		limit = s.limit
	}
	if s.topic != nil {
		return out, s.eachOfTopic(ctx, limit, &out, do)
	}
	for _, path := range s.Places {
		if err := eachOfFile(ctx, path, limit, &out, do); err != nil {
			return out, err
		}
	}
	return out, nil
}

func eachOfFile(ctx context.Context, path string, limit int, out *Unread, do func(deadletter.Delivered) error) error {
	f, err := deadletter.Open(path)
	if err != nil {
		return err
	}
	torn, err := deadletter.Read(f, limit, func(line int, d deadletter.Delivered, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			out.note(fmt.Sprintf("%s:%d", path, line))
			return nil
		}
		return do(d)
	})
	out.Torn = out.Torn || torn
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (u *Unread) note(where string) {
	if u.Unreadable++; u.Unreadable == 1 {
		u.First = where
	}
}

func (s *letterSink) eachOfTopic(ctx context.Context, limit int, out *Unread, do func(deadletter.Delivered) error) error {
	seen := newRecent()
	return kafkasrc.ReadTopic(ctx, *s.topic, letterPatience, func(partition int32, r *ingest.Record) error {
		d, err := letterOf(r, limit)
		switch {
		case err != nil:
			out.note(fmt.Sprintf("topic %s partition %d offset %d", s.topic.Topic, partition, r.Offset))
			return nil
		case seen.repeats(d.Seq):
			out.Copies++
			return nil
		}
		return do(d)
	})
}

func letterOf(r *ingest.Record, limit int) (deadletter.Delivered, error) {
	if r.Cut || len(r.Value) > limit {
		return deadletter.DecodePrefix(r.Value[:min(len(r.Value), limit)])
	}
	return deadletter.Decode(r.Value)
}

// recent remembers the newest numbers of dead letters. A delivery that is repeated follows
// soon: it has at most a few hundred of them.
type recent struct {
	ring []uint64
	next int
	has  map[uint64]bool
}

const recentLetters = 20_000

func newRecent() *recent { return &recent{ring: make([]uint64, recentLetters), has: map[uint64]bool{}} }

func (r *recent) repeats(seq uint64) bool {
	if r.has[seq] {
		return true
	}
	delete(r.has, r.ring[r.next])
	r.ring[r.next], r.has[seq] = seq, true
	r.next = (r.next + 1) % len(r.ring)
	return false
}

// place is where a record stands in its source.
type place struct {
	partition state.Partition
	offset    int64
}

// maxLetters bounds the dead letters in memory during a replay: about 200 bytes each.
const maxLetters = 500_000

// letters holds those dead letters of a state whose records may be judged again. Of
// several dead letters of one place the newest counts: its record was read again,
// and refused for another reason.
type letters struct {
	machine   *incremental.Machine
	may       func(*state.DeadLetter) bool
	reason    string // only these; empty: all
	attribute string
	open      map[place]state.DeadLetter
	more      bool // there were more than maxLetters
}

func (l *letters) wants(d *state.DeadLetter) bool {
	next, known := l.machine.Intake().Next(d.Partition)
	return l.may(d) && l.machine.Readmission().Possible(*d) && (l.reason == "" || string(d.Reason) == l.reason) &&
		(l.attribute == "" || d.Attribute == l.attribute) && known && d.Offset < next
}

func (l *letters) add(d state.DeadLetter) {
	at := place{d.Partition, d.Offset}
	_, known := l.open[at]
	switch {
	case !l.wants(&d):
		delete(l.open, at)
	case !known && len(l.open) >= maxLetters:
		l.more = true
	default:
		d.Payload = nil
		l.open[at] = d
	}
}

// superseded drops the dead letters whose place has a newer one, wherever that came.
func (l *letters) superseded(d *state.DeadLetter) {
	at := place{d.Partition, d.Offset}
	if have, known := l.open[at]; known && have.Seq < d.Seq && !l.wants(d) {
		delete(l.open, at)
	}
}

// gather finds the dead letters whose records are not in state.
func (l *letters) gather(ctx context.Context, sink *letterSink, store state.Store) error {
	if err := sink.all(ctx, false, func(d deadletter.Delivered) error { l.add(d.DeadLetter); return nil }); err != nil {
		return err
	}
	if !sink.ByOrder() && len(l.open) > 0 {
		err := sink.all(ctx, false, func(d deadletter.Delivered) error { l.superseded(&d.DeadLetter); return nil })
		if err != nil {
			return err
		}
	}
	if err := l.readOutbox(store); err != nil {
		return err
	}
	return l.leaveOut(store)
}

// all reads the dead letters, and takes a line that is none for damage.
func (s *letterSink) all(ctx context.Context, payloads bool, do func(deadletter.Delivered) error) error {
	unread, err := s.Each(ctx, payloads, do)
	if err == nil && unread.Unreadable > 0 {
		err = fmt.Errorf("%s: %w", unread.First, deadletter.ErrNoLetter)
	}
	return err
}

// readOutbox reads those that are not delivered yet.
func (l *letters) readOutbox(store state.Store) error {
	after := uint64(0)
	for {
		list, err := store.Outbox(after, 500, 16<<20)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, d := range list {
			l.add(d)
		}
		after = list[len(list)-1].Seq
	}
}

// leaveOut drops the dead letters whose records are already in state.
func (l *letters) leaveOut(store state.Store) error {
	parts := map[uint16]state.Partition{}
	for p, pos := range l.machine.Intake().Positions() {
		parts[pos.Number] = p
	}
	v := emptyVisitor()
	v.Records = func(b *state.RecordBlock) error {
		for i, n := range b.Origin {
			delete(l.open, place{parts[n], b.Offset[i]})
		}
		return nil
	}
	return store.Load(v)
}

// emptyVisitor accepts everything and stores nothing.
func emptyVisitor() state.Visitor {
	return state.Visitor{
		Records:     func(*state.RecordBlock) error { return nil },
		Meta:        func(state.Meta) error { return nil },
		Counters:    func(state.Counters) error { return nil },
		Dictionary:  func(int, string) error { return nil },
		Class:       func(*state.Class) error { return nil },
		Intent:      func(*state.Intent) error { return nil },
		Position:    func(state.Partition, state.Position) error { return nil },
		Quarantined: func([]state.RecordID) error { return nil }, Attempt: func(*state.Attempt) error { return nil },
		Outbox: func(uint64, int) error { return nil },
	}
}
