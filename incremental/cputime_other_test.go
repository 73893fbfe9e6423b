//go:build !linux

package incremental_test

import "time"

var started = time.Now()

// threadTime is the elapsed time, where the thread's own time is not available.
func threadTime() time.Duration { return time.Since(started) }
