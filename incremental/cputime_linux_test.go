package incremental_test

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the processor time of the calling thread: what a step costs,
// however busy the machine is with other things.
func threadTime() time.Duration {
	return clock(3) // CLOCK_THREAD_CPUTIME_ID
}

// processTime is that of all threads.
func processTime() time.Duration {
	return clock(2) // CLOCK_PROCESS_CPUTIME_ID
}

func clock(id uintptr) time.Duration {
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
