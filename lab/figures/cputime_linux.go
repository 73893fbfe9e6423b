package figures

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the processor time of the calling thread: what a step costs,
// however busy the machine is with other things. getrusage would do without the
// pointer, but counts in ticks of the scheduler.
func threadTime() time.Duration {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
