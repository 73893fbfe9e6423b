package journal

import (
	"anond/incremental/state"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"anond/internal/fault"
	"anond/internal/sealed"
)

// Errors of a journal, to be tested with errors.Is.
var (
	// ErrFenced: another process has written the next entry: it goes on with the state.
	ErrFenced = fault.Errorf(fault.Behind, "leave the shard to the other process; started again, this one takes it over from that one",
		"another process goes on with this state: the journal has an entry of it")
	// ErrHole: entries are missing, so that what followed the state cannot be repeated.
	ErrHole = fault.Errorf(fault.Behind, "take a newer backup of the state; without one, what was decided cannot be repeated",
		"the journal lacks entries")
	// ErrNoState: there is no state whose draws are those of the journal.
	ErrNoState = fault.Errorf(fault.Behind, "anond state restore --from FILE puts a backup of this shard in place, of any age, the "+
		"first one included",
		"the journal tells of decisions, and there is no state that they can be repeated on")
	// ErrForeign: a message in the journal is not one of this dataset and key.
	ErrForeign = fault.Errorf(fault.Config, "use the subject.key, dataset and shard.of that the journal was written with; nobody "+
		"else may write to the topic",
		"the journal has an entry that this configuration cannot read")
	// ErrForked: what was repeated is not what the journal says was decided.
	ErrForked = fault.Errorf(fault.Privacy, "nothing was published: go on with the state that published what is there, and keep this "+
		"one for a report",
		"the journal tells of another history than this one")
	// ErrUnderOther: entries were written under other settings.
	ErrUnderOther = fault.Errorf(fault.Config, "use the configuration of that time until the state has caught up, or a newer backup",
		"the journal was written under other settings")
)

// Log is one partition of a replicated log. Several processes may write to it. What is
// acknowledged stays, at an offset that all who read agree about.
type Log interface {
	// Append tries to append a message until it is acknowledged by all replicas in sync, or ctx ends, or
	// trying again cannot help. After an error it may be there or not, and after success more than once.
	Append(ctx context.Context, message []byte) error
	// Next returns the first message at or behind an offset. It waits for one.
	Next(ctx context.Context, from int64) (offset int64, message []byte, err error)
	// Extent is the offset of the oldest message, and the one behind the newest.
	Extent(ctx context.Context) (first, end int64, err error)
}

// Journal reads and writes one. Safe for concurrent use.
type Journal struct {
	log    Log
	cipher cipher

	mu   sync.Mutex
	mark state.JournalMark // what was read or written last
	end  int64             // of the log, as it was when it was asked last
}

// Open returns the journal of a name behind a mark; the zero mark: from its beginning. It reads nothing.
func Open(log Log, key sealed.Key, name string, after state.JournalMark, random io.Reader) *Journal {
	return &Journal{log: log, cipher: cipher{key: key, name: name, opener: key.Opener(), random: random}, mark: after}
}

// First reads the first entry of the journal, whatever was read before. nil: the log holds nothing.
// ErrHole: it does not begin with the first entry any more.
func (j *Journal) First(ctx context.Context) (*Entry, error) {
	first, end, err := j.log.Extent(ctx)
	if err != nil || first == end && first == 0 {
		return nil, err
	}
	if first > 0 {
		return nil, fmt.Errorf("%w: those below offset %d were removed", ErrHole, first)
	}
	fresh := &Journal{log: j.log, cipher: j.cipher, end: end}
	e, _, err := fresh.Read(ctx)
	return e, err
}

// Read returns the next entry and the mark behind it, or nil at the end that the log has now.
func (j *Journal) Read(ctx context.Context) (*Entry, state.JournalMark, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		if more, err := j.more(ctx); err != nil || !more {
			return nil, j.mark, err
		}
		e, _, err := j.step(ctx)
		if e != nil || err != nil {
			return e, j.mark, err
		}
	}
}

// more reports whether the log holds messages that were not looked at.
func (j *Journal) more(ctx context.Context) (bool, error) {
	if j.mark.Next < j.end {
		return true, nil
	}
	first, end, err := j.log.Extent(ctx)
	switch {
	case err != nil:
		return false, err
	case end < j.mark.Next:
		return false, fmt.Errorf("%w: it ends at offset %d, and the state knows entry %d at offset %d", ErrHole, end, j.mark.Seq, j.mark.Next-1)
	case j.mark.Next < first:
		return false, fmt.Errorf("%w: those behind entry %d were removed, up to offset %d", ErrHole, j.mark.Seq, first-1)
	}
	j.end = end
	return j.mark.Next < j.end, nil
}

// step looks at the next message. The entry is nil if it is none: a copy, or of a process that was too late.
func (j *Journal) step(ctx context.Context) (*Entry, []byte, error) {
	offset, message, err := j.log.Next(ctx, j.mark.Next)
	if err != nil {
		return nil, nil, err
	}
	seq, known := number(message)
	switch {
	case !known:
		return nil, nil, fmt.Errorf("%w: the message at offset %d is no entry", ErrForeign, offset)
	case seq <= j.mark.Seq:
		j.mark.Next = offset + 1
		return nil, nil, nil
	case seq > j.mark.Seq+1:
		return nil, nil, fmt.Errorf("%w: entry %d follows entry %d", ErrHole, seq, j.mark.Seq)
	}
	e, err := j.cipher.open(j.mark, message)
	if err != nil {
		return nil, nil, err
	}
	j.mark = state.JournalMark{Seq: seq, Digest: sha256.Sum256(message), Next: offset + 1}
	return e, message, nil
}

// Append writes the entry that follows what was read or written last, and returns the mark behind it
// once it is certain that it is the entry of its number. ErrFenced: it is another one, which Read returns next.
// After any other error it may be there or not, and the journal must be opened again.
func (j *Journal) Append(ctx context.Context, e *Entry) (state.JournalMark, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	message, err := j.cipher.seal(j.mark, e)
	if err != nil {
		return j.mark, err
	}
	if err := j.log.Append(ctx, message); err != nil {
		return j.mark, err
	}
	for {
		before := j.mark
		_, have, err := j.step(ctx)
		switch {
		case err != nil:
			return j.mark, err
		case bytes.Equal(have, message):
			return j.mark, nil
		case have != nil:
			j.mark = before
			return j.mark, fmt.Errorf("%w (%d)", ErrFenced, before.Seq+1)
		}
	}
}

// Held reports, as ErrFenced, that another process has written an entry since. Without one, nobody has
// up to now.
func (j *Journal) Held(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		if more, err := j.more(ctx); err != nil || !more {
			return err
		}
		before := j.mark
		e, _, err := j.step(ctx)
		if err != nil {
			return err
		}
		if e != nil {
			j.mark = before
			return fmt.Errorf("%w (%d)", ErrFenced, before.Seq+1)
		}
	}
}
