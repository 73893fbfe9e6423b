package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"anond/internal/fault"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// follow is what the flags say of going on.
type follow struct {
	on    bool
	every time.Duration
}

func (f *follow) flags(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "follow", false, "wait for further releases")
	c.Flags().DurationVar(&f.every, "every", 10*time.Second, "with --follow: how often to look")
}

func (f *follow) check() error {
	if f.every <= 0 {
		return fault.Errorf(fault.Usage, "write a duration above zero, such as 10s", "--every waits for no time")
	}
	return nil
}

// run does the work once, or again and again until ctx ends. No release yet is no fault of
// one who waits. As long as CURRENT is the same there is nothing to do, so the manifests of
// all releases are not read each time.
func (f *follow) run(ctx context.Context, releases string, work func() error) error {
	if !f.on {
		return work()
	}
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	seen := ""
	for {
		now, _ := snapshot.OS().ReadFile(filepath.Join(releases, "CURRENT")) // the work says what is wrong with it
		if len(now) == 0 || string(now) != seen {
			if err := work(); err != nil && !errors.Is(err, source.ErrNone) {
				return err
			}
			seen = string(now)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
