package figures

import (
	"syscall"
	"time"
)

// threadTime is the processor time of the calling thread: what a step costs,
// however busy the machine is with other things.
func threadTime() time.Duration {
	const rusageThread = 1
	var r syscall.Rusage
	_ = syscall.Getrusage(rusageThread, &r) // fails for a wrong argument only
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
