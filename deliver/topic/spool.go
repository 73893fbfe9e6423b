package topic

import (
	"fmt"
	"os"
)

// spool keeps values in a temporary file, which has no name any more and goes with the
// process.
type spool struct {
	file *os.File
	end  int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "anond-consume-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, Close does it
	return &spool{file: f}, nil
}

func (s *spool) put(value []byte) (at int64, err error) {
	at = s.end
	n, err := s.file.WriteAt(value, at)
	s.end += int64(n)
	if err != nil {
		return at, fmt.Errorf("temporary file of messages: %w", err)
	}
	return at, nil
}

func (s *spool) get(at int64, bytes uint32) ([]byte, error) {
	value := make([]byte, bytes)
	if _, err := s.file.ReadAt(value, at); err != nil {
		return nil, fmt.Errorf("temporary file of messages: %w", err)
	}
	return value, nil
}

func (s *spool) close() error {
	err := s.file.Close()
	_ = os.Remove(s.file.Name())
	return err
}

// NewKeeping makes a Collector that keeps values, for Rebuild. Close it.
func NewKeeping() (*Collector, error) {
	s, err := newSpool()
	if err != nil {
		return nil, err
	}
	c := newCollector()
	c.values = s
	return c, nil
}

// Close removes what was kept.
func (c *Collector) Close() error {
	if c.values == nil {
		return nil
	}
	return c.values.close()
}
