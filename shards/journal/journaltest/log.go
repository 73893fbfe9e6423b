// Package journaltest is a replicated log in memory, for tests of what writes a journal.
package journaltest

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"anond/shards/journal"
)

// Log implements journal.Log: what was appended stays, in one order for all who read.
type Log struct {
	mu       sync.Mutex
	messages [][]byte
	more     chan struct{} // closed when there is another message
	// Twice says whether a message is there twice: its acknowledgement was lost. May be nil.
	Twice func() bool
}

var _ journal.Log = (*Log)(nil)

// New returns an empty log.
func New() *Log { return &Log{more: make(chan struct{})} }

// Append implements journal.Log.
func (l *Log) Append(_ context.Context, message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	copies := 1
	if l.Twice != nil && l.Twice() {
		copies = 2
	}
	for range copies {
		l.messages = append(l.messages, bytes.Clone(message))
	}
	close(l.more)
	l.more = make(chan struct{})
	return nil
}

// Next implements journal.Log.
func (l *Log) Next(ctx context.Context, from int64) (int64, []byte, error) {
	for {
		l.mu.Lock()
		more := l.more
		if from < int64(len(l.messages)) {
			defer l.mu.Unlock()
			return from, l.messages[from], nil
		}
		if from > int64(len(l.messages)) {
			l.mu.Unlock()
			return 0, nil, errors.New("the log ends before the offset")
		}
		l.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		}
	}
}

// Extent implements journal.Log.
func (l *Log) Extent(context.Context) (first, end int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return 0, int64(len(l.messages)), nil
}

// Cut keeps the first n messages only, as a cluster that loses what it had acknowledged.
func (l *Log) Cut(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = l.messages[:n]
}
