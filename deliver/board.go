package deliver

import (
	"os"
	"sync"
	"time"
)

// Board keeps what operators see of a delivery that goes on. Its methods may be called by several
// goroutines; a nil Board keeps nothing.
type Board struct {
	Dataset string
	Kind    string // of the sink: kafka or postgres
	// Does is told what begins, and how long it may take before it counts as stuck; what is empty is a wait.
	Does func(what string, patience time.Duration)

	mu       sync.Mutex
	now      Status // but for what Look fills in
	sink     string
	position uint32
	oldest   time.Time // when the oldest release was decided that the sink lacks; zero: it lacks none
	told     time.Time // when Does was told last that rows go on
}

// Status is the content of the status file and of /status: numbers of releases, counts and times, all
// of which the releases show as well.
type Status struct {
	Time    time.Time `json:"time"`
	PID     int       `json:"pid"`
	Dataset string    `json:"dataset"`
	Kind    string    `json:"kind"`
	Sink    string    `json:"sink"`
	Doing   string    `json:"doing,omitempty"`
	// Known: the sink has said how far it is; Release is the newest that it has whole, with all before it.
	Known   bool   `json:"known"`
	Release uint32 `json:"release"`
	Newest  uint32 `json:"newest"` // of the directory: that of CURRENT; 0: none
	// Behind is how many releases the sink lacks, Age how old the oldest of them is.
	Behind uint32  `json:"behind"`
	Age    float64 `json:"behind_seconds"`
	// Since the start of this process; what was sent again counts again:
	Delivered   uint64     `json:"delivered"`
	Rows        uint64     `json:"rows"`
	Bytes       uint64     `json:"bytes"`
	Failures    uint64     `json:"failures"`
	Failure     string     `json:"failure,omitempty"` // of the newest attempt
	LastAttempt *time.Time `json:"last_attempt,omitempty"`
	LastSuccess *time.Time `json:"last_success,omitempty"` // an attempt that left nothing to deliver
	LastRelease *time.Time `json:"last_release,omitempty"` // when it got a release
}

// Look is how the delivery stands. A release that waits gets older while attempts fail.
func (b *Board) Look(doing func() string) func(now time.Time) Status {
	return func(now time.Time) Status {
		b.mu.Lock()
		defer b.mu.Unlock()
		s := b.now
		s.Time, s.PID, s.Dataset, s.Kind, s.Sink, s.Doing = now.UTC(), os.Getpid(), b.Dataset, b.Kind, b.sink, doing()
		if s.Release = b.position; s.Known && s.Newest > s.Release {
			s.Behind = s.Newest - s.Release
			if !b.oldest.IsZero() {
				s.Age = max(0, now.Sub(b.oldest).Seconds())
			}
		}
		return s
	}
}

// stepPatience is how long reading the position, or sending without a row, may take: brokers and servers
// that do not answer end it before that.
const stepPatience = 10 * time.Minute

func (b *Board) does(what string, patience time.Duration) {
	if b != nil && b.Does != nil {
		b.Does(what, patience)
	}
}

func (b *Board) change(do func(*Status)) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	do(&b.now)
}

// Names takes the name of the sink.
func (b *Board) Names(sink string) { b.change(func(*Status) { b.sink = sink }) }

// sees takes the newest release of the directory.
func (b *Board) sees(newest uint32) { b.change(func(s *Status) { s.Newest = newest }) }

// has takes how far the sink is.
func (b *Board) has(release uint32) {
	b.change(func(s *Status) { s.Known, b.position = true, release })
}

// lacks takes when the oldest release was decided that the sink does not have.
func (b *Board) lacks(decided string) {
	at, err := time.Parse(time.RFC3339, decided)
	if err == nil {
		b.change(func(*Status) { b.oldest = at })
	}
}

// sent counts what a sink was given.
func (b *Board) sent(rows, bytes int) {
	b.change(func(s *Status) { s.Rows, s.Bytes = s.Rows+uint64(rows), s.Bytes+uint64(bytes) })
}

// goesOn tells, once a second, that rows are on their way.
func (b *Board) goesOn(what string, now time.Time) {
	tell := false
	b.change(func(*Status) {
		if tell = now.Sub(b.told) >= time.Second || now.Before(b.told); tell {
			b.told = now
		}
	})
	if tell {
		b.does(what, stepPatience)
	}
}

// took notes that the sink has a release.
func (b *Board) took(release uint32, now time.Time) {
	b.change(func(s *Status) {
		s.Delivered, s.Failure, s.LastRelease = s.Delivered+1, "", moment(now)
		b.position, b.oldest = release, time.Time{}
	})
}

// tried takes how an attempt ended.
func (b *Board) tried(now time.Time, err error) {
	b.change(func(s *Status) {
		s.LastAttempt = moment(now)
		if err != nil {
			s.Failures, s.Failure = s.Failures+1, err.Error()
			return
		}
		s.Failure, s.LastSuccess = "", moment(now)
	})
}

func moment(t time.Time) *time.Time {
	t = t.UTC()
	return &t
}

// counting counts the bytes that are written.
type counting func(bytes int)

func (c counting) Write(p []byte) (int, error) {
	c(len(p))
	return len(p), nil
}
