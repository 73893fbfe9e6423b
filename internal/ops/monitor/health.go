package monitor

import (
	"fmt"
	"time"

	"anond/ingest"
)

// StuckAfter is how long the loop may be silent: it reports each second, whatever it
// waits for, except at the end of a run, which takes half a minute at most.
const StuckAfter = time.Minute

// Part is a part of a process on which its work depends.
type Part struct {
	Name  string `json:"name"`
	Ready bool   `json:"ready"`
	State string `json:"state"`
}

// Ready is what /readyz answers of the daemon.
func (m *Monitor) Ready() (Phase, []Part) {
	v := m.Now()
	return v.Phase, v.Parts()
}

// Parts lists the parts. The daemon is ready if each of them is.
func (v *View) Parts() []Part {
	r := &v.Report
	if r.Time.IsZero() {
		return []Part{{"state", false, string(v.Phase)}}
	}
	parts := []Part{{"state", true, "open"}, chain(r), SourcePart(r), sink(r), quota(r), release(r)}
	if v.Behind {
		parts[0] = Part{"state", false, "behind the ledger"}
	}
	return parts
}

func chain(r *ingest.Report) Part {
	switch {
	case r.Damage != nil:
		return Part{"chain", false, "published files are damaged"}
	case !r.Verified:
		return Part{"chain", false, "the newest release is read again"}
	}
	return Part{"chain", true, "the newest release was read again"}
}

// SourcePart is the source of a daemon or of anond repartition.
func SourcePart(r *ingest.Report) Part {
	switch {
	case r.Source.Stalled:
		return Part{"source", false, "stalled"}
	case !r.Source.Connected:
		return Part{"source", false, "not connected"}
	}
	return Part{"source", true, "connected"}
}

func sink(r *ingest.Report) Part {
	if r.LetterFailure != "" {
		return Part{"sink", false, "dead letters cannot be delivered"}
	}
	return Part{"sink", true, "takes dead letters"}
}

func quota(r *ingest.Report) Part {
	switch s := r.State; {
	case r.Full:
		return Part{"quota", false, "full: nothing is read"}
	case s.Quota == 0:
		return Part{"quota", true, "no limit"}
	case float64(s.File-s.Free) >= nearlyFull*float64(s.Quota):
		return Part{"quota", false, "nearly full"}
	}
	return Part{"quota", true, "within its limit"}
}

// nearlyFull is the part of its quota at which a state counts as full: a transaction
// needs some room.
const nearlyFull = .98

func release(r *ingest.Report) Part {
	switch {
	case r.ReleaseFailure != "":
		return Part{"release", false, "publishing fails"}
	case r.Releasing != 0:
		return Part{"release", true, "in progress"}
	}
	return Part{"release", true, "none in progress"}
}

// Sight is how the daemon stands.
func (m *Monitor) Sight() Sight {
	v := m.Now()
	live, _ := m.Live()
	return Sight{Up: up(v), Live: live, Working: v.Phase == Running, Status: statusOf(v)}
}

// up reports whether what can fail at a start has succeeded. A source that does not answer
// is waited for, however long it takes, so a start does not wait for it.
func up(v *View) bool {
	switch v.Phase {
	case Standby:
		return true
	case Running:
		return v.Report.Doing != ingest.DoingOpen && v.Report.Doing != ingest.DoingVerify
	}
	return false
}

// statusOf is one line for people.
func statusOf(v *View) string {
	switch {
	case v.Phase == Standby:
		return "standing by: another member of the group has the lease"
	case v.Phase != Running:
		return string(v.Phase)
	}
	doing := v.Report.Doing
	if doing == "" {
		doing = "reading"
	}
	return fmt.Sprintf("%s; release %d", doing, v.Report.Machine.Release)
}
