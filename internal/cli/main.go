package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// atKill is what is done before a second signal ends the program.
var atKill atomic.Pointer[func()]

// AtKill says what is done before a second signal ends the program, such as removing a directory; nil: nothing.
func AtKill(do func()) { atKill.Store(&do) }

// Main runs a program and ends the process with its exit code. A signal ends the context with
// the cause that it has for the program.
func Main(run func(ctx context.Context, args []string, env Env) int, cause func(signal string) error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go watchSignals(signals, func(s os.Signal) { cancel(cause(nameOf(s))) }, os.Exit)
	os.Exit(run(ctx, os.Args[1:], Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv}))
}

// watchSignals stops the program in an orderly way at the first signal, and ends
// it at once at the second. The state needs no repair in either case.
func watchSignals(signals <-chan os.Signal, stop func(os.Signal), exit func(int)) {
	stop(<-signals)
	again := <-signals
	if do := atKill.Load(); do != nil && *do != nil {
		(*do)()
	}
	exit(killedBy(again))
}

// nameOf is the name of a signal as operators write it.
func nameOf(s os.Signal) string {
	switch s {
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGINT:
		return "SIGINT"
	}
	return s.String()
}

// killedBy is the exit code by which shells report a signal.
func killedBy(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return Failed
}
