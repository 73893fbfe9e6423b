package dataset

import (
	"anond/incremental/plan"
	"os"
	"path/filepath"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/ops/diskuse"
	"anond/internal/ops/duty"
	"anond/internal/progress"
)

// StatusPath is the status file of a running daemon, which read verbs show.
func StatusPath(c *config.Config) string {
	return filepath.Join(filepath.Dir(c.State.Path), "status.json")
}

// Status is the content of status.json: counts only (rules H, held records, and V,
// values).
type Status struct {
	Time    time.Time          `json:"time"`
	PID     int                `json:"pid"`
	Dataset string             `json:"dataset"`
	Shard   *shardPlace        `json:"shard,omitempty"` // nil: the topic is not sharded
	Counts  incremental.Status `json:"counts"`
	// Counted is when Counts were taken: before Time while long work goes on.
	Counted time.Time `json:"counted"`
	// Doing is what the daemon does when it does not read, Since when it began.
	Doing          string           `json:"doing,omitempty"`
	Since          *time.Time       `json:"since,omitempty"`
	Connected      bool             `json:"connected"`
	Stalled        bool             `json:"stalled"`
	Lag            int64            `json:"lag"`
	LagKnown       bool             `json:"lag_known"` // false: there may be more to read than Lag
	Partitions     []partition      `json:"partitions,omitempty"`
	Unread         ingest.Unread    `json:"unread"`
	Releasing      uint32           `json:"releasing"` // release in progress, 0 if none
	ReleaseFailure string           `json:"release_failure,omitempty"`
	LetterFailure  string           `json:"dead_letter_failure,omitempty"`
	SourceFailure  string           `json:"source_failure,omitempty"` // why it is not connected
	Newest         *Newest          `json:"newest,omitempty"`
	LastRecord     *time.Time       `json:"last_record,omitempty"`        // when the newest record was read
	NextRelease    *time.Time       `json:"next_release,omitempty"`       // when the trigger asks for one
	LettersSince   *time.Time       `json:"dead_letters_since,omitempty"` // when the dead letter came that waits longest
	Updates        plan.Updates     `json:"local_updates"`
	State          ingest.StateSize `json:"state"`
	Verified       bool             `json:"verified"` // the newest release was read again
	// Progress is that of Doing, Rendering that of the release in progress, if it is known.
	Progress  *progress.Progress `json:"progress,omitempty"`
	Rendering *progress.Progress `json:"rendering,omitempty"`
	// Disk is the use of the disks, as measured some minutes ago.
	Disk *diskuse.Use `json:"disk,omitempty"`
	// Paused: an operator has paused the daemon.
	Paused bool `json:"paused,omitempty"`
	// Full: nothing is read, because the state has no room below state.max_bytes.
	Full bool `json:"full,omitempty"`
	// QuarantinedFor are the attributes for which pools of this process were quarantined.
	QuarantinedFor []string `json:"quarantined_for,omitempty"`
	// Reload is how the newest reload went.
	Reload *ingest.Reload `json:"reload,omitempty"`
	// Backup is what is known of copies of the state.
	Backup *ingest.Backup `json:"backup,omitempty"`
	// Views are how far the views of the releases are.
	Views []ingest.View `json:"views,omitempty"`
	// Ledger is what is known of the ledger of subjects.
	Ledger *ingest.Owned `json:"subject_ledger,omitempty"`
	// Certificates in use: when they end, by what they are for.
	Certificates map[string]time.Time `json:"certificates,omitempty"`
	// Damage: published files were changed or are missing.
	Damage *ingest.Damage `json:"damage,omitempty"`
	// Ended says how the process ended; nil: it has not, or could not say so.
	Ended *Ended `json:"ended,omitempty"`
}

// partition says how far one partition was read, and its end as last reported by
// the source (-1: not reported).
type partition struct {
	Source string `json:"source"`
	ID     int32  `json:"partition"`
	Next   int64  `json:"next"`
	End    int64  `json:"end"`
	Lag    int64  `json:"lag"`
}

// shardPlace says which of the processes this is that share a topic.
type shardPlace struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// Newest is the newest release of this process.
type Newest struct {
	Release   uint32    `json:"release"`
	CreatedAt time.Time `json:"created_at"`
	Records   int       `json:"records"`
	Classes   int       `json:"classes"`
	Newcomers int       `json:"newcomers"`
	NCP       float64   `json:"ncp"`
	Millis    int64     `json:"ms"`
}

// Observer writes status.json and passes reports on.
func Observer(c *config.Config, o Options) func(ingest.Report, Status) {
	file := &duty.StatusFile{Path: StatusPath(c), Log: o.Log}
	return func(r ingest.Report, now Status) {
		file.Write(now)
		if o.Observe != nil {
			o.Observe(r)
		}
	}
}

// Samples are those of the disks that a status has.
func (s *Status) Samples() []diskuse.Sample {
	if s == nil || s.Disk == nil {
		return nil
	}
	return s.Disk.Samples
}

// Moment is a time in UTC, nil if there is none.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func StatusOf(c *config.Config, r ingest.Report) Status {
	s := Status{Time: r.Time.UTC(), PID: os.Getpid(), Dataset: c.Dataset, Counts: r.Machine, Counted: r.Counted.UTC(),
		Doing: r.Doing, Connected: r.Source.Connected, Stalled: r.Source.Stalled, Unread: r.Source.Unread,
		Releasing: r.Releasing, ReleaseFailure: r.ReleaseFailure, LetterFailure: r.LetterFailure, Damage: r.Damage,
		SourceFailure: r.Source.Trouble,
		LastRecord:    Moment(r.LastRecord), NextRelease: Moment(r.NextRelease), LettersSince: Moment(r.LettersSince), Updates: r.Updates,
		State: r.State, Verified: r.Verified}
	if c.Shard.Set() {
		s.Shard = &shardPlace{Index: c.Shard.Index, Of: c.Shard.Of}
	}
	if r.Doing != "" {
		s.Since = Moment(r.Since)
	}
	s.Paused, s.Full, s.Reload, s.Backup, s.QuarantinedFor = r.Paused, r.Full, r.Reload, r.Backup, r.QuarantinedFor
	s.Views, s.Ledger = r.Views, r.Owned
	s.Lag, s.LagKnown = r.Source.Lag(r.Time)
	for _, p := range r.Source.Partitions {
		s.Partitions = append(s.Partitions, partition{Source: p.Partition.Source, ID: p.Partition.ID, Next: p.Next, End: p.End, Lag: p.Lag()})
	}
	if n := r.Newest; n != nil {
		s.Newest = &Newest{Release: n.Intent.Release, CreatedAt: time.Unix(n.Intent.CreatedAt, 0).UTC(), Records: n.Intent.Records,
			Classes:   n.Intent.Classes,
			Newcomers: n.Intent.Newcomers, NCP: n.Release.NCP, Millis: n.Took.Milliseconds()}
	}
	return s
}

func WorkText(what string, lasts time.Duration, p *progress.Progress) string {
	switch {
	case p != nil:
		return what + ": " + p.String()
	case lasts > 0:
		return what + " for " + lasts.Truncate(time.Second).String()
	}
	return what
}
