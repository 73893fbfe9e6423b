package figures

import (
	"runtime"
	"slices"
)

// timed returns the processor seconds that f takes on one thread. Garbage of
// what ran before is cleared first, so that f does not pay for it.
func timed(f func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	begin := threadTime()
	f()
	return (threadTime() - begin).Seconds()
}

// median is the middle of some times.
func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
