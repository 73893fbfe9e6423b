//go:build !linux

package figures

import "time"

var started = time.Now()

// threadTime is the time that passes, where that of the thread is not to be had.
func threadTime() time.Duration { return time.Since(started) }
