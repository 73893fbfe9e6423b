// Package clock is the time as those parts of the program see it that wait or note when something happened. Tests give them
// another clock.
package clock

import "time"

// Clock tells the time.
type Clock interface {
	Now() time.Time
	// Ticker sends the time every d until stop is called.
	Ticker(d time.Duration) (c <-chan time.Time, stop func())
}

// System is the clock of the system.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}
