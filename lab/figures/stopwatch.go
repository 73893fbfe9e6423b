package figures

import "runtime"

// Seconds returns the processor seconds that f takes on one thread. Garbage of
// earlier work is collected first, so that f does not pay for it.
func Seconds(f func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	begin := threadTime()
	f()
	return (threadTime() - begin).Seconds()
}
