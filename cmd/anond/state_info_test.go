package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"anond/internal/dataset"
)

// TestNoteOnAStatus: a status outlives the process that wrote it; state info says
// what it is worth.
func TestNoteOnAStatus(t *testing.T) {
	now := time.Now()
	by := func(pid int, at time.Time) *dataset.Status { return &dataset.Status{PID: pid, Time: at} }
	for want, i := range map[string]stateInfo{
		"":                  {Held: true, HeldBy: 7, Status: by(7, now)},
		"no process holds":  {Status: by(7, now)},
		"not written":       {Held: true, HeldBy: 7},
		"earlier process":   {Held: true, HeldBy: 7, Status: by(6, now)},
		"its status is old": {Held: true, HeldBy: 7, Status: by(7, now.Add(-time.Minute))},
	} {
		if want == "" {
			assert.Empty(t, i.note(now))
			continue
		}
		assert.Contains(t, i.note(now), want)
	}
	assert.Empty(t, (&stateInfo{}).note(now), "a state that no daemon ever held has no status")
}
