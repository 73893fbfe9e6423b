package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
)

// place is where a record stands in its source.
type place struct {
	partition incremental.Partition
	offset    int64
}

// maxLetters bounds the dead letters in memory during a readmission: about 200
// bytes each.
const maxLetters = 500_000

// letters holds those dead letters of a state whose records may be readmitted. Of
// several dead letters of one place the newest counts: its record was read again,
// and refused for another reason.
type letters struct {
	machine   *incremental.Machine
	attribute string // only these; empty: all
	open      map[place]incremental.DeadLetter
	more      bool // there were more than maxLetters
}

func (l *letters) add(d incremental.DeadLetter) error {
	at := place{d.Partition, d.Offset}
	next, known := l.machine.Next(d.Partition)
	switch {
	case !l.machine.Readmissible(d) || l.attribute != "" && d.Attribute != l.attribute || !known || d.Offset >= next:
		delete(l.open, at)
	case len(l.open) >= maxLetters:
		l.more = true
	default:
		d.Payload = nil
		l.open[at] = d
	}
	return nil
}

// gather finds the dead letters whose records are not in state.
func (l *letters) gather(path string, store incremental.Store) error {
	if err := l.eachLetter(path, l.add); err != nil {
		return err
	}
	if err := l.readOutbox(store); err != nil {
		return err
	}
	return l.leaveOut(store)
}

// eachLetter reads delivered dead letters, oldest first.
func (l *letters) eachLetter(path string, do func(incremental.DeadLetter) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // none was delivered
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil // a line without line break is not complete yet
		}
		if err != nil {
			return err
		}
		d, err := ingest.DecodeDeadLetter(line)
		if err == nil {
			err = do(d)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
}

// readOutbox reads those that are not delivered yet.
func (l *letters) readOutbox(store incremental.Store) error {
	after := uint64(0)
	for {
		list, err := store.Outbox(after, 500, 16<<20)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, d := range list {
			if err := l.add(d); err != nil {
				return err
			}
		}
		after = list[len(list)-1].Seq
	}
}

// leaveOut drops the dead letters whose records are already in state.
func (l *letters) leaveOut(store incremental.Store) error {
	parts := map[uint16]incremental.Partition{}
	for p, pos := range l.machine.Positions() {
		parts[pos.Number] = p
	}
	v := emptyVisitor()
	v.Records = func(b *incremental.RecordBlock) error {
		for i, n := range b.Origin {
			delete(l.open, place{parts[n], b.Offset[i]})
		}
		return nil
	}
	return store.Load(v)
}

// letterFile is where the dead letters of a configuration are.
func letterFile(c *config.Config, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if c.DeadLetter.Type != config.ToFile {
		return "", &ConfigError{errors.New("dead_letter.type is topic: give its dead letters as a file with one per line (--letters)")}
	}
	return filepath.Join(c.DeadLetter.Path, ingest.DeadLetterFileName), nil
}

// emptyVisitor accepts everything and stores nothing.
func emptyVisitor() incremental.Visitor {
	return incremental.Visitor{
		Records:     func(*incremental.RecordBlock) error { return nil },
		Meta:        func(incremental.Meta) error { return nil },
		Counters:    func(incremental.Counters) error { return nil },
		Dictionary:  func(int, string) error { return nil },
		Class:       func(*incremental.Class) error { return nil },
		Intent:      func(*incremental.Intent) error { return nil },
		Position:    func(incremental.Partition, incremental.Position) error { return nil },
		Quarantined: func([]incremental.RecordID) error { return nil }, Attempt: func(*incremental.Attempt) error { return nil },
		Outbox: func(uint64, int) error { return nil },
	}
}
