// Command anond turns a stream of inserted person records into versioned,
// complete, anonymized tables that stay safe beside one another.
//
// Only this package knows all others: it reads the configuration, builds the
// parts and joins them. Each command stands in a file of its own and registers
// in newRootCommand.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"anond/config"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go watchSignals(signals, cancel, os.Exit)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}

// run is the whole program: it may be called many times in one process, and
// touches nothing of it but the files that the arguments name. It returns the
// exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env config.Lookup) int {
	e := &environment{stdin: stdin, stdout: stdout, stderr: stderr, lookup: env}
	return e.report(e.execute(ctx, args))
}

// watchSignals asks the program to stop in order at the first signal, and ends
// it at once at the second: the state needs no repair either way.
func watchSignals(signals <-chan os.Signal, stop func(), exit func(int)) {
	<-signals
	stop()
	exit(killedBy(<-signals))
}

// killedBy is the exit code by which shells report a signal.
func killedBy(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return exitFailed
}
