package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangups catches SIGHUP, by which service managers ask for a reload. Uncaught it would
// end the process without a drain.
func hangups() (caught <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c); close(c) }
}
