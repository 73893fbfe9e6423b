package main

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// trace reads what the Go runtime writes with GODEBUG=gctrace=1,scheddetail=1.
type trace struct {
	mu         sync.Mutex
	heap       int64 // bytes that the newest collection found alive
	counting   int64 // goroutines of the list that is being read
	goroutines int64 // of the newest complete list
}

var (
	// The third number is what is alive: gc 7 @0.2s 1%: ..., 4->5->2 MB, 5 MB goal, ...
	collection = regexp.MustCompile(`^gc \d+ @.*\d+->\d+->(\d+) MB`)
	goroutine  = regexp.MustCompile(`G\d+: status=(\d+)`)
	// The runtime's other lines.
	noise = regexp.MustCompile(`^ +[PM]\d+: |^(gc \d+|scvg|GC forced)`)
)

// dead is the status of a goroutine that has ended and whose memory is kept.
const dead = "6"

// take reads a line and reports whether it is one of the runtime.
func (t *trace) take(line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := collection.FindStringSubmatch(line); m != nil {
		mb, _ := strconv.ParseInt(m[1], 10, 64)
		t.heap = mb << 20
		return true
	}
	if strings.HasPrefix(line, "SCHED ") { // a new list begins
		t.goroutines, t.counting = t.counting, 0
		return true
	}
	found := goroutine.FindAllStringSubmatch(line, -1)
	for _, m := range found {
		if m[1] != dead {
			t.counting++
		}
	}
	return len(found) > 0 || noise.MatchString(line)
}

// newest returns the live heap in bytes and the number of goroutines, those of the
// runtime included.
func (t *trace) newest() (heap, goroutines int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heap, t.goroutines
}
