package union

import (
	"fmt"
	"os"
	"sync"
	"time"

	"anond/internal/ops/duty"
)

// Board keeps what operators see of a union that goes on. Its methods may be called by several
// goroutines; a nil Board keeps nothing.
type Board struct {
	StaleAfter time.Duration

	mu  sync.Mutex
	now Status // but for what Look fills in
}

// Status is the content of the status file and of /status: numbers of releases and shards, counts
// and times, all of which the releases show as well.
type Status struct {
	Time    time.Time `json:"time"`
	PID     int       `json:"pid"`
	Dataset string    `json:"dataset"` // empty before the first release
	Doing   string    `json:"doing,omitempty"`
	// Composed are the releases that attempts of this process gave their names.
	Composed    uint64     `json:"composed"`
	Attempts    uint64     `json:"attempts"`
	Failures    uint64     `json:"failures"` // of the attempts
	Failure     string     `json:"failure,omitempty"`
	LastAttempt *time.Time `json:"last_attempt,omitempty"`
	LastSuccess *time.Time `json:"last_success,omitempty"`
	Release     uint32     `json:"release"` // the newest; 0: none
	CreatedAt   *time.Time `json:"created_at,omitempty"`
	Records     int        `json:"records"`
	Pending     int        `json:"pending"`
	// Waiting are the shards without a release.
	Waiting    []int        `json:"waiting,omitempty"`
	StaleAfter float64      `json:"stale_after_seconds,omitempty"`
	Shards     []ShardState `json:"shards"`
}

// ShardState is what the newest release of the union has of a shard.
type ShardState struct {
	Shard     int        `json:"shard"`
	Release   uint32     `json:"release"` // 0: none
	CreatedAt *time.Time `json:"created_at,omitempty"`
	Age       float64    `json:"age_seconds,omitempty"` // of that release
	Stale     bool       `json:"stale"`
}

// tried takes in the outcome of an attempt; out is nil after an error.
func (b *Board) tried(at time.Time, out *Outcome, err error) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &b.now
	s.Attempts, s.LastAttempt = s.Attempts+1, moment(at)
	if err != nil {
		s.Failures, s.Failure = s.Failures+1, err.Error()
		return
	}
	s.Failure, s.LastSuccess, s.Waiting = "", moment(at), out.waiting
	s.Release, s.Records, s.Pending, s.Dataset = out.Release, out.Records, out.Pending, out.dataset
	if out.Published {
		s.Composed++
	}
	s.CreatedAt = read(out.createdAt)
	s.Shards = nil
	for _, x := range out.Shards {
		s.Shards = append(s.Shards, ShardState{Shard: x.Shard, Release: x.Release, CreatedAt: read(x.CreatedAt)})
	}
}

// Look is how the union stands. Ages and alarms are of now: a shard gets late between attempts, and
// while they fail.
func (b *Board) Look(d *duty.Duty) func(now time.Time) Status {
	return func(now time.Time) Status {
		b.mu.Lock()
		defer b.mu.Unlock()
		s := b.now
		s.Time, s.PID, s.Doing, s.StaleAfter = now.UTC(), os.Getpid(), d.Doing(), b.StaleAfter.Seconds()
		s.Shards = make([]ShardState, len(b.now.Shards))
		for i, x := range b.now.Shards {
			if x.CreatedAt != nil {
				x.Age = max(0, now.Sub(*x.CreatedAt).Seconds())
			}
			x.Stale = b.StaleAfter > 0 && (x.CreatedAt == nil || now.Sub(*x.CreatedAt) > b.StaleAfter)
			s.Shards[i] = x
		}
		return s
	}
}

// Parts are what /readyz lists.
func (s *Status) Parts() []duty.Part {
	attempt := duty.Part{Name: "attempt", Ready: s.Failure == "" && s.LastSuccess != nil, State: "the newest one succeeded"}
	if !attempt.Ready {
		attempt.State = "the newest one failed"
		if s.LastAttempt == nil {
			attempt.State = "the first one is under way"
		}
	}
	release := duty.Part{Name: "release", Ready: s.Release > 0, State: "published"}
	if !release.Ready {
		release.State = "none yet: shards without a release are waited for"
	}
	return []duty.Part{attempt, release}
}

// Line says it in one line for people.
func (s *Status) Line() string {
	late := 0
	for _, x := range s.Shards {
		if x.Stale {
			late++
		}
	}
	text := fmt.Sprintf("release %d of %d shards", s.Release, len(s.Shards))
	if late > 0 {
		text += fmt.Sprintf(", %d late", late)
	}
	if s.Failure != "" {
		text += "; the newest attempt failed"
	}
	return text
}

// moment is a time in UTC.
func moment(t time.Time) *time.Time {
	t = t.UTC()
	return &t
}

// read is a time as manifests have it, nil if there is none.
func read(text string) *time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return &t
}
