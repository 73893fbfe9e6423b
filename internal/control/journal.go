package control

import (
	"bytes"
	"sync"
)

// kept is the number of newest lines that a journal has for whoever begins to listen.
const kept = 200

// behind is how many lines a listener may be behind. One that is slower loses lines: the
// log does not wait for it.
const behind = 1000

// Journal passes the lines of the log, as JSON, on to whoever listens. It is an io.Writer
// for a handler of log/slog, which writes one line at a time. Safe for concurrent use.
type Journal struct {
	mu        sync.Mutex
	newest    [][]byte
	listeners map[chan []byte]bool
}

// NewJournal makes a journal without lines.
func NewJournal() *Journal { return &Journal{listeners: map[chan []byte]bool{}} }

// Write implements io.Writer.
func (j *Journal) Write(line []byte) (int, error) {
	own := bytes.Clone(line)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.newest = append(j.newest, own); len(j.newest) > kept {
		j.newest = j.newest[1:]
	}
	for l := range j.listeners {
		select {
		case l <- own:
		default:
		}
	}
	return len(line), nil
}

// listen returns the newest lines, and the lines that follow until stop is called.
func (j *Journal) listen(before int) (lines [][]byte, following <-chan []byte, stop func()) {
	c := make(chan []byte, behind)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.listeners[c] = true
	lines = append(lines, j.newest[max(0, len(j.newest)-before):]...)
	return lines, c, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.listeners, c)
	}
}
