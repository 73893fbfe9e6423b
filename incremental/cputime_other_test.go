//go:build !linux

package incremental_test

import "time"

var started = time.Now()

// threadTime and processTime are the elapsed time, where that of the processors is not
// available.
func threadTime() time.Duration  { return time.Since(started) }
func processTime() time.Duration { return time.Since(started) }
