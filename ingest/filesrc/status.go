package filesrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"anond/ingest"
)

// Ends returns the present end of every file that has a record. With Once it is
// the end at which Next stops.
func (s *source) Ends(ctx context.Context) (map[state.Partition]int64, error) {
	ends := make(map[state.Partition]int64, len(s.files))
	for _, f := range s.files {
		if !f.identified {
			continue
		}
		end, err := f.present(ctx)
		if errors.Is(err, os.ErrNotExist) && f.next > 0 {
			end, err = f.next, nil // gone since it was opened
		}
		if err != nil {
			return nil, err
		}
		if s.resume.Once {
			end = min(end, f.stop)
		}
		ends[f.part] = end
	}
	return ends, nil
}

// Ack does nothing: a file has no place for it.
func (s *source) Ack(map[state.Partition]int64) {}

// publish brings Status up to date.
func (s *source) publish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = s.status[:0]
	for _, f := range s.files {
		if f.identified {
			s.status = append(s.status, ingest.PartitionStatus{Partition: f.part, Next: f.next, End: f.whole()})
		}
	}
	s.unread = s.countUnread()
	s.connected = s.failed == nil || s.failed == io.EOF
}

// Status tells how far the files are read. They are never stalled: what is
// there can be read.
func (s *source) Status() ingest.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ingest.Status{Connected: s.connected, Partitions: slices.Clone(s.status), Unread: s.unread}
}
