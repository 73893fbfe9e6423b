// Command longrun feeds the real program for hours and records what it uses over
// time: memory, descriptors, goroutines, files, the time and the loss of releases.
// It is a tool for this repository and not part of the program:
//
//	go run ./rig/longrun -records 20000000 -over 2h -release 1m -out DIR
//	go run ./rig/longrun -records 300000 -over 2m -release 10s -sample 2s -hold 30s -out DIR
//
// The second command is a trial of two minutes. With -month the dataset has what a dataset has that runs for long: a window of releases,
// two sensitive attributes, people who are forgotten and whose buckets leave, backups that a command takes elsewhere, a delivery to a
// topic, and at even times a stop and a start, with the binary of -other if it is given and with the first one, in turns.
//
// Guarantee: the daemon is the binary that users have, as a process of its own, with
// the defaults of the configuration. Nothing in it is changed for the measurement.
// The run fails if the daemon ends, or if the counts do not add up at the end.
//
// Method: a broker of the Kafka protocol in this process (kfake) holds the topic. A
// feeder writes admissions of the synthetic hospital at an even rate, and deletes
// what the daemon has read long ago, as a broker's retention does. A sampler reads
// status.json and /proc, so it runs on Linux only. The number of goroutines and the
// live heap come from the trace that the Go runtime writes if GODEBUG asks for it.
// DIR gets longrun.csv, longrun.svg, daemon.log, and the daemon's own directory. At the end of -month
// an audit reads all releases.
//
// Cost: a few per cent of a core for the feed at 3,000 records a second.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// options of a run.
type options struct {
	records int           // to be sent, in total
	first   float64       // share of them that is there before the daemon starts: its first load
	over    time.Duration // in which the others are sent, at an even rate
	release time.Duration // between two releases
	sample  time.Duration // between two samples
	hold    time.Duration // policy.max_hold; 0: the default, 15 minutes
	seed    uint64        // of the stream
	out     string        // a directory that does not exist, or is empty
	program string        // the binary; empty: it is built
	other   string        // the binary of another build; empty: the same
	month   bool          // see the command
	redraw  string        // a table of an earlier run: draw it and do nothing else
}

func main() {
	var o options
	flag.IntVar(&o.records, "records", 20_000_000, "records to send")
	flag.Float64Var(&o.first, "first", 0.01, "share of them that is there before the daemon starts")
	flag.DurationVar(&o.over, "over", 2*time.Hour, "time in which the others are sent")
	flag.DurationVar(&o.release, "release", time.Minute, "time between two releases")
	flag.DurationVar(&o.sample, "sample", 10*time.Second, "time between two samples")
	flag.DurationVar(&o.hold, "hold", 0, "policy.max_hold, for short runs; without it the default")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the stream")
	flag.StringVar(&o.out, "out", "", "directory for the results; it must be new or empty")
	flag.StringVar(&o.program, "program", "", "binary to run, with anond-deliver next to it; without it, those of this source tree are built")
	flag.BoolVar(&o.month, "month", false, "with window, two sensitive attributes, forgetting, backups, a delivery, restarts")
	flag.StringVar(&o.other, "other", "", "binary of another build, for every second start of -month")
	flag.StringVar(&o.redraw, "redraw", "", "draw the chart of this longrun.csv again, to standard output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "longrun:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, o options) error {
	if o.redraw != "" {
		rows, err := readTable(o.redraw)
		if err != nil {
			return err
		}
		return draw(os.Stdout, rows)
	}
	if o.out == "" {
		return errors.New("-out is missing")
	}
	return run(ctx, o, os.Stdout)
}

// prepare makes the directory of the results and returns its absolute path.
func prepare(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("%s is not empty", dir)
	}
	return dir, os.MkdirAll(filepath.Join(dir, "hierarchies"), 0o755)
}
