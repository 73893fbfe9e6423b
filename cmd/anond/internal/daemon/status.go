package daemon

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"anond/cmd/anond/internal/outfile"
	"anond/config"
	"anond/incremental"
	"anond/ingest"
)

// Status is the content of status.json: counts only (rules H and V).
type Status struct {
	Time      time.Time          `json:"time"`
	PID       int                `json:"pid"`
	Dataset   string             `json:"dataset"`
	Counts    incremental.Status `json:"counts"`
	Connected bool               `json:"connected"`
	Stalled   bool               `json:"stalled"`
	Lag       int64              `json:"lag"`
	Unread    ingest.Unread      `json:"unread"`
	Releasing uint32             `json:"releasing"` // release in the making, 0 if none
	Newest    *Newest            `json:"newest,omitempty"`
	// Damage: published files are not what was published any more.
	Damage *ingest.Damage `json:"damage,omitempty"`
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

// observer writes status.json and passes reports on.
func observer(c *config.Config, o Options) func(ingest.Report) {
	path, failed := StatusPath(c), false
	return func(r ingest.Report) {
		if err := writeStatus(path, statusOf(c, r)); err != nil && !failed {
			o.Log.Warn("the status file cannot be written", "event", "status_failed", "error", err.Error())
			failed = true
		}
		if o.Observe != nil {
			o.Observe(r)
		}
	}
}

func statusOf(c *config.Config, r ingest.Report) Status {
	s := Status{Time: r.Time.UTC(), PID: os.Getpid(), Dataset: c.Dataset, Counts: r.Machine, Connected: r.Source.Connected, Stalled: r.Source.Stalled,
		Lag: r.Source.Lag(), Unread: r.Source.Unread, Releasing: r.Releasing, Damage: r.Damage}
	if n := r.Newest; n != nil {
		s.Newest = &Newest{Release: n.Intent.Release, CreatedAt: time.Unix(n.Intent.CreatedAt, 0).UTC(), Records: n.Intent.Records, Classes: n.Intent.Classes,
			Newcomers: n.Intent.Newcomers, NCP: n.Release.NCP, Millis: n.Took.Milliseconds()}
	}
	return s
}

// writeStatus replaces the file in one step, so that a reader never sees half.
// It is not synced: after a power cut the next second writes it anew.
func writeStatus(path string, s Status) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return outfile.Replace(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}
