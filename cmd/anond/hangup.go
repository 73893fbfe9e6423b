package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// hangups catches SIGHUP, which would end the process without a drain. Service
// managers and log rotation send it to request a reload, which anond does not have.
func hangups() (caught <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c); close(c) }
}

// ignoreHangups logs each SIGHUP and does nothing else.
func ignoreHangups(caught <-chan os.Signal, log *slog.Logger) {
	for range caught {
		log.Warn("SIGHUP is ignored: a changed configuration needs a restart", "event", "hangup_ignored")
	}
}
