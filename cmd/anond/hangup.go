package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// hangups catches SIGHUP, which would end the process without a drain. Service
// managers and log rotation send it to ask for a reload, which there is none of.
func hangups() (caught <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c); close(c) }
}

// ignoreHangups says of each SIGHUP that nothing follows from it.
func ignoreHangups(caught <-chan os.Signal, log *slog.Logger) {
	for range caught {
		log.Warn("SIGHUP is ignored: a changed configuration needs a restart", "event", "hangup_ignored")
	}
}
