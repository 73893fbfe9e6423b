package daemon

import (
	"time"

	"anond/ingest"
)

// SystemClock is the clock of the system.
func SystemClock() ingest.Clock { return systemClock{} }

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}
