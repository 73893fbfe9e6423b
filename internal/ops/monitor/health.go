package monitor

import (
	"fmt"
	"time"

	"anond/ingest"
	"anond/internal/ops/duty"
)

// StuckAfter is how long the loop may be silent: it reports each second, whatever it
// waits for, except at the end of a run, which takes half a minute at most.
const StuckAfter = time.Minute

// Ready is what /readyz answers of the daemon.
func (m *Monitor) Ready() (duty.Phase, []duty.Part) {
	v := m.Now()
	return v.Phase, v.Parts()
}

// Parts lists the parts. The daemon is ready if each of them is.
func (v *View) Parts() []duty.Part {
	r := &v.Report
	if r.Time.IsZero() {
		return []duty.Part{{Name: "state", State: string(v.Phase)}}
	}
	parts := []duty.Part{{Name: "state", Ready: true, State: "open"}, chain(r), SourcePart(r), sink(r), quota(r), release(r)}
	if v.Behind {
		parts[0] = duty.Part{Name: "state", State: "behind the ledger"}
	}
	return parts
}

func chain(r *ingest.Report) duty.Part {
	switch {
	case r.Damage != nil:
		return duty.Part{Name: "chain", State: "published files are damaged"}
	case !r.Verified:
		return duty.Part{Name: "chain", State: "the newest release is read again"}
	}
	return duty.Part{Name: "chain", Ready: true, State: "the newest release was read again"}
}

// SourcePart is the source of a daemon or of anond repartition.
func SourcePart(r *ingest.Report) duty.Part {
	switch {
	case r.Source.Stalled:
		return duty.Part{Name: "source", State: "stalled"}
	case !r.Source.Connected:
		return duty.Part{Name: "source", State: "not connected"}
	}
	return duty.Part{Name: "source", Ready: true, State: "connected"}
}

func sink(r *ingest.Report) duty.Part {
	if r.LetterFailure != "" {
		return duty.Part{Name: "sink", State: "dead letters cannot be delivered"}
	}
	return duty.Part{Name: "sink", Ready: true, State: "takes dead letters"}
}

func quota(r *ingest.Report) duty.Part {
	switch s := r.State; {
	case r.Full:
		return duty.Part{Name: "quota", State: "full: nothing is read"}
	case s.Quota == 0:
		return duty.Part{Name: "quota", Ready: true, State: "no limit"}
	case float64(s.File-s.Free) >= nearlyFull*float64(s.Quota):
		return duty.Part{Name: "quota", State: "nearly full"}
	}
	return duty.Part{Name: "quota", Ready: true, State: "within its limit"}
}

// nearlyFull is the part of its quota at which a state counts as full: a transaction
// needs some room.
const nearlyFull = .98

func release(r *ingest.Report) duty.Part {
	switch {
	case r.ReleaseFailure != "":
		return duty.Part{Name: "release", State: "publishing fails"}
	case r.Releasing != 0:
		return duty.Part{Name: "release", Ready: true, State: "in progress"}
	}
	return duty.Part{Name: "release", Ready: true, State: "none in progress"}
}

// Sight is how the daemon stands.
func (m *Monitor) Sight() duty.Sight {
	v := m.Now()
	live, _ := m.Live()
	return duty.Sight{Up: up(v), Live: live, Working: v.Phase == duty.Running, Status: statusOf(v)}
}

// up reports whether what can fail at a start has succeeded. A source that does not answer
// is waited for, however long it takes, so a start does not wait for it.
func up(v *View) bool {
	switch v.Phase {
	case duty.Standby:
		return true
	case duty.Running:
		return v.Report.Doing != ingest.DoingOpen && v.Report.Doing != ingest.DoingVerify
	}
	return false
}

// statusOf is one line for people.
func statusOf(v *View) string {
	switch {
	case v.Phase == duty.Standby:
		return "standing by: another member of the group has the lease"
	case v.Phase != duty.Running:
		return string(v.Phase)
	}
	doing := v.Report.Doing
	if doing == "" {
		doing = "reading"
	}
	return fmt.Sprintf("%s; release %d", doing, v.Report.Machine.Release)
}
