package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"anond/internal/testkit/programtest"
)

// run is a whole run, from an empty directory to the chart. An interrupted run is
// drawn as far as it came.
func run(ctx context.Context, o options, out io.Writer) error {
	dir, err := prepare(o.out)
	if err != nil {
		return err
	}
	if o.program == "" {
		if o.program, err = programtest.Build(dir, "anond-deliver"); err != nil {
			return err
		}
	}
	f, err := newFeed(o)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.write(ctx, int(float64(o.records)*o.first)); err != nil {
		return err
	}
	d, err := startDaemon(o, dir, f.address())
	if err != nil {
		return err
	}
	var m *month
	if o.month {
		if m, err = startMonth(ctx, o, f, d); err != nil {
			return errors.Join(err, d.stop())
		}
	}
	table, err := newTable(filepath.Join(dir, "longrun.csv"))
	if err != nil {
		return errors.Join(err, d.stop())
	}
	err = follow(ctx, o, f, d, func(r row) error {
		fmt.Fprintf(out, "%7.0f s: %d sent, %d applied, release %d, %d MB resident\n", r.Seconds, r.Fed, r.Sent, r.Release, r.RSS>>20)
		return errors.Join(table.add(r), m.due(ctx, r))
	})
	err = errors.Join(err, d.stop(), m.end(ctx), table.close())
	if len(table.rows) > 0 {
		err = errors.Join(err, drawFile(filepath.Join(dir, "longrun.svg"), table.rows))
	}
	return err
}

// follow feeds and samples until all is sent and published as far as it can be.
func follow(ctx context.Context, o options, f *feed, d *process, add func(row) error) error {
	ctx, cancel := context.WithCancel(ctx)
	fed := make(chan error, 1)
	go func() { fed <- f.send(ctx, o.records, o.over) }()
	stopped := func(err error) error {
		cancel()
		if fed != nil {
			err = errors.Join(err, <-fed)
		}
		return err
	}
	beat := time.NewTicker(o.sample)
	defer beat.Stop()
	end := ending{release: o.release}
	for {
		select {
		case err := <-fed:
			if fed = nil; err != nil {
				return stopped(err)
			}
		case <-ctx.Done():
			return stopped(ctx.Err())
		case <-d.ended:
			return stopped(d.failure())
		case <-beat.C:
			r, ends, err := d.sample(f.sent())
			if err == nil {
				err = errors.Join(add(r), f.trim(ctx, ends))
			}
			if err != nil {
				return stopped(err)
			}
			if fed == nil && end.reached(r) {
				return stopped(end.sum(r))
			}
		}
	}
}

// ending finds out when a run is over: everything is applied, and what can be
// published of it is. A cut that has nothing to publish makes no release, so the
// time of two cuts without a release is an end as well.
type ending struct {
	release time.Duration // between two cuts
	applied bool
	at      float64
	last    uint32
}

func (e *ending) reached(r row) bool {
	if !e.applied {
		e.applied, e.at, e.last = r.Sent == r.Fed, r.Seconds, r.Release
		return false
	}
	return r.Releasing == 0 && (r.Release > e.last || r.Seconds > e.at+2*e.release.Seconds())
}

// sum checks that no record is lost.
func (e *ending) sum(r row) error {
	if got := r.Published + r.Left + r.Pending + r.DeadLetter + r.Beyond + r.Forgotten; got != r.Sent {
		return fmt.Errorf("%d records were applied; what became of them is told of %d", r.Sent, got)
	}
	return nil
}

func drawFile(path string, rows []row) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(draw(f, rows), f.Close())
}
