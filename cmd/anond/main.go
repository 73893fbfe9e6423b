// Command anond reads a stream of records of persons and publishes versioned,
// complete, anonymized tables that are safe alongside all earlier ones.
//
// Guarantee: a command ends with one of the exit codes of exit.go. An error names
// its cause and, where possible, the next step, and never a person's value.
//
// Method: each command is in a file of its own: it reads its flags, calls one
// package and prints the result. newRootCommand lists the commands. Only this
// package and those below it import package config; internal/daemon connects the
// parts.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"anond/config"
	"anond/internal/daemon"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	stop := func(s os.Signal) { cancel(&daemon.Signalled{Name: nameOf(s)}) }
	go watchSignals(signals, stop, os.Exit)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}

// run is the whole program. It may be called many times in one process, and
// changes only the files that the arguments name. It returns the
// exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env config.Lookup) int {
	e := &environment{stdin: stdin, stdout: stdout, stderr: stderr, lookup: env}
	return e.report(e.execute(ctx, args))
}

// watchSignals stops the program in an orderly way at the first signal, and ends
// it at once at the second. The state needs no repair in either case.
func watchSignals(signals <-chan os.Signal, stop func(os.Signal), exit func(int)) {
	stop(<-signals)
	exit(killedBy(<-signals))
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
	return exitFailed
}
