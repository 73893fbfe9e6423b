package monitor

import (
	"time"

	"anond/ingest"
)

// Sample is what one report says, for charts.
type Sample struct {
	At        time.Time
	Sent      uint64
	Rate      float64 // records a second since the sample before; -1 for the first
	Lag       int64
	Pending   int
	OldestAge float64 // of the record that waits longest: seconds, or releases
	Published int
}

func sampleOf(r ingest.Report, s *Settings) Sample {
	lag, _ := r.Source.Lag(r.Time)
	return Sample{At: r.Time, Sent: r.Machine.Sent, Rate: -1, Lag: lag, Pending: r.Machine.Pending.Total(), OldestAge: OldestAge(r, s),
		Published: r.Machine.Published}
}

// OldestAge is how long the oldest record waits: seconds, or releases if the
// configuration counts in releases.
func OldestAge(r ingest.Report, s *Settings) float64 {
	age := float64(max(0, r.Machine.Now-r.Machine.OldestTick))
	if s.HoldInCuts {
		return age
	}
	return age / 1000
}

// series keeps a sample of each span of time, the newest only.
type series struct {
	every time.Duration
	most  int
	list  []Sample // never changed once it was handed out
}

func (s *series) add(x Sample) {
	n := len(s.list)
	if n > 0 {
		last := s.list[n-1]
		if x.At.Before(last.At) { // the clock was set back
			s.list, n = nil, 0
		} else if x.At.Sub(last.At) < s.every {
			return
		} else if x.Sent >= last.Sent {
			x.Rate = float64(x.Sent-last.Sent) / x.At.Sub(last.At).Seconds()
		}
	}
	list := append(make([]Sample, 0, n+1), s.list...)
	list = append(list, x)
	s.list = list[max(0, len(list)-s.most):]
}
