package ingest

import "time"

// limiter bounds the records taken per second, on average. It knows the time only by
// what it is told, so that it follows the host's clock.
//
// A batch is taken as a whole, whatever its size, and the time that it costs is waited
// for after it. At most one second is saved up while nothing comes.
type limiter struct {
	rate   int       // records per second; 0: no limit
	budget float64   // records that may be taken now; negative: taken in advance
	at     time.Time // when the budget was counted
}

// set changes the limit. Nothing is saved up, and nothing is owed.
func (m *limiter) set(rate int) {
	if rate != m.rate {
		*m = limiter{rate: rate}
	}
}

// open reports whether a batch may be taken.
func (m *limiter) open(now time.Time) bool {
	if m.rate == 0 {
		return true
	}
	rate := float64(m.rate)
	if m.at.IsZero() {
		m.budget = rate
	} else if passed := now.Sub(m.at).Seconds(); passed > 0 {
		m.budget = min(rate, m.budget+passed*rate)
	}
	m.at = now
	return m.budget > 0
}

// took counts the records of a batch.
func (m *limiter) took(records int) { m.budget -= float64(records) }
