package topics

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/ops/duty"
	"anond/internal/ops/monitor"
	"anond/shards/repartition"
)

// Status is the content of the status file of anond repartition and of its /status: counts, places
// and times.
type Status struct {
	Time    time.Time `json:"time"`
	PID     int       `json:"pid"`
	Dataset string    `json:"dataset"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Doing   string    `json:"doing,omitempty"`
	// Since the start of this process:
	Read       uint64                       `json:"read"`
	Written    uint64                       `json:"written"`
	Unreadable map[equivclass.Reason]uint64 `json:"unreadable,omitempty"`
	Missing    uint64                       `json:"missing"`
	Retries    uint64                       `json:"retries"`
	Failure    string                       `json:"failure,omitempty"` // of a request that is sent again
	LastWrite  *time.Time                   `json:"last_write,omitempty"`
	Saved      *time.Time                   `json:"saved,omitempty"` // the progress
	Connected  bool                         `json:"connected"`
	Stalled    bool                         `json:"stalled"`
	Lag        int64                        `json:"lag"`
	LagKnown   bool                         `json:"lag_known"`
	Partitions []Partition                  `json:"partitions,omitempty"`
}

// Partition is how far a partition of the source is written.
type Partition struct {
	ID   int32 `json:"partition"`
	Next int64 `json:"next"` // the first offset that is not written
	End  int64 `json:"end"`  // -1: not known
	Lag  int64 `json:"lag"`
}

// Parts are what /readyz lists.
func (s *Status) Parts() []duty.Part {
	source := ingest.Report{Source: ingest.Status{Connected: s.Connected, Stalled: s.Stalled}}
	parts := []duty.Part{monitor.SourcePart(&source), {Name: "target", Ready: s.Failure == "", State: "takes records"}}
	if s.Failure != "" {
		parts[1].State = "takes nothing"
	}
	return parts
}

// Line says it in one line for people.
func (s *Status) Line() string {
	doing := s.Doing
	if doing == "" {
		doing = "starting"
	}
	return fmt.Sprintf("%s; %d records written", doing, s.Written)
}

// view is where the caller finds how a repartitioning stands.
type view struct {
	duty *duty.Duty
	now  atomic.Pointer[Status]
}

// NewView returns one that shows a repartitioning before it has reached its brokers.
func NewView(d *duty.Duty, c *config.Config) *view {
	v := &view{duty: d}
	v.now.Store(&Status{Dataset: c.Dataset})
	return v
}

// Look is the newest status.
func (v *view) Look() *Status { return v.now.Load() }

// statusPath is the status file next to the progress.
func (r *Topics) statusPath() string {
	return strings.TrimSuffix(r.Progress, ".json") + ".status.json"
}

// patience is how long a request, or saving the progress, may take before the process counts as stuck:
// requests end by themselves before that.
const patience = 2 * time.Minute

// follow shows how the work stands until the function that it returns is called.
func (v *view) follow(c *config.Config, o dataset.Options, r *Topics, work *repartition.Work) (end func()) {
	if v == nil {
		return func() {}
	}
	work.Does = func(what string, waits bool) {
		patience := patience
		if waits {
			patience = 0
		}
		v.duty.Does(what, patience)
	}
	path := r.statusPath()
	if o.Once {
		path = ""
	}
	return duty.Watch(v.duty, path, o.Log, func(now time.Time) Status {
		s := statusOf(now, work.Status(), work.Source.Status())
		s.Dataset, s.From, s.To, s.Doing = c.Dataset, r.From, r.To, v.duty.Doing()
		return s
	}, &v.now)
}

func statusOf(now time.Time, w repartition.Status, source ingest.Status) Status {
	s := Status{Time: now.UTC(), PID: os.Getpid(), Read: w.Read, Written: w.Written, Unreadable: w.Unreadable, Missing: w.Missing,
		Retries: w.Retries, LastWrite: dataset.Moment(w.LastWrite), Saved: dataset.Moment(w.Saved), Connected: source.Connected,
		Stalled: source.Stalled}
	if err := w.Failure(); err != nil {
		s.Failure = err.Error()
	}
	_, s.LagKnown = source.Lag(now)
	ends := map[int32]int64{}
	for _, p := range source.Partitions {
		ends[p.Partition.ID] = p.End
		if _, begun := w.Next[p.Partition.ID]; !begun { // nothing of it was written yet
			w.Next[p.Partition.ID] = p.Next
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.Next)) {
		p := Partition{ID: id, Next: w.Next[id], End: -1}
		if end, known := ends[id]; known {
			p.End = end
			p.Lag = max(0, end-p.Next)
		}
		s.Partitions, s.Lag = append(s.Partitions, p), s.Lag+p.Lag
	}
	return s
}
