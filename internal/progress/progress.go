// Package progress tells how far long work is, and when it will be done.
package progress

import (
	"fmt"
	"sync"
	"time"
)

// Meter is told how far work is. The zero Meter knows of none. Safe for concurrent use.
type Meter struct {
	mu          sync.Mutex
	done, total int64
	since       time.Time
}

// Begin starts the count of other work.
func (m *Meter) Begin(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.total, m.since = 0, 0, now
}

// Set notes that so much of all is done.
func (m *Meter) Set(done, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.total = done, total
}

// At is how far the work is at a moment; nil: that is not known.
func (m *Meter) At(now time.Time) *Progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.total <= 0 || m.done < 0 {
		return nil
	}
	p := &Progress{Done: min(m.done, m.total), Total: m.total}
	if passed := now.Sub(m.since); p.Done > 0 && passed > 0 {
		left := int64((passed.Seconds()*float64(p.Total)/float64(p.Done) - passed.Seconds()) + 0.5)
		p.SecondsLeft = &left
	}
	return p
}

// Progress is how far work is.
type Progress struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
	// SecondsLeft is how long it will take if it goes on as before; nil: not known yet.
	SecondsLeft *int64 `json:"seconds_left,omitempty"`
}

// String writes it for people.
func (p *Progress) String() string {
	out := fmt.Sprintf("%d %%", 100*p.Done/max(1, p.Total))
	if p.SecondsLeft != nil {
		out += ", about " + (time.Duration(*p.SecondsLeft) * time.Second).String() + " left"
	}
	return out
}
