package monitor

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"anond/internal/ops/duty"
)

// Shards are the monitors of the shards that a process runs. The process is healthy, and ready, if each of them is.
type Shards struct {
	*duty.Duty // of the process

	mu   sync.Mutex
	runs map[int]*running
}

// running is a shard that runs, or has ended with an error.
type running struct {
	*Monitor
	ended bool
}

// NewShards returns those of a process that runs none yet.
func NewShards(d *duty.Duty) *Shards { return &Shards{Duty: d, runs: map[int]*running{}} }

// Begins notes that a shard runs.
func (s *Shards) Begins(shard int, m *Monitor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[shard] = &running{Monitor: m}
}

// Fails notes that a shard has ended with an error, and is this process's still.
func (s *Shards) Fails(shard int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[shard]; r != nil {
		s.runs[shard] = &running{Monitor: r.Monitor, ended: true}
	}
}

// Left notes that a shard is not this process's any more.
func (s *Shards) Left(shard int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, shard)
}

// all are the shards, and their numbers in order.
func (s *Shards) all() ([]int, map[int]*running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.runs)), maps.Clone(s.runs)
}

// Monitors are those of the shards, by number.
func (s *Shards) Monitors() map[int]*Monitor {
	out := map[int]*Monitor{}
	_, runs := s.all()
	for shard, r := range runs {
		out[shard] = r.Monitor
	}
	return out
}

// Ready is what /readyz answers: the parts of each shard.
func (s *Shards) Ready() (duty.Phase, []duty.Part) {
	list, runs := s.all()
	parts := []duty.Part{{Name: "shards", Ready: true, State: fmt.Sprintf("%d in this process", len(list))}}
	for _, shard := range list {
		if runs[shard].ended {
			parts = append(parts, duty.Part{Name: fmt.Sprintf("shard %d", shard), State: "has ended with an error"})
			continue
		}
		for _, p := range runs[shard].Now().Parts() {
			p.Name = fmt.Sprintf("shard %d: %s", shard, p.Name)
			parts = append(parts, p)
		}
	}
	return s.Phase(), parts
}

// Live reports whether every shard that runs makes progress.
func (s *Shards) Live() (ok bool, why string) {
	list, runs := s.all()
	for _, shard := range list {
		if ok, why := runs[shard].Live(); !ok && !runs[shard].ended {
			return false, fmt.Sprintf("shard %d: %s", shard, why)
		}
	}
	return true, ""
}

// Sight is how the process stands. It is up once each of its shards is, and if it has none.
func (s *Shards) Sight() duty.Sight {
	live, _ := s.Live()
	out := duty.Sight{Up: true, Live: live}
	list, runs := s.all()
	for _, shard := range list {
		if r := runs[shard]; !r.ended {
			v := r.Now()
			out.Up, out.Working = out.Up && up(v), out.Working || v.Phase == duty.Running
		}
	}
	out.Status = fmt.Sprintf("shards %v", list)
	return out
}
