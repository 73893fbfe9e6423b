// Command play plays plans of package chaos: make chaos SEED=7 PLANS=100. It exits
// with 1 if one of them fails. With -plan it plays those of a file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"anond/internal/testkit/programtest"
	"anond/rig/chaos"
)

func main() {
	c := chaos.Campaign{Out: os.Stdout}
	flag.Uint64Var(&c.Seed, "seed", 1, "the seed of the plans")
	flag.IntVar(&c.Plans, "plans", 10, "how many plans")
	file := flag.String("plan", "", "a `file` with plans to play, as a failure prints them")
	flag.Parse()
	// A signal ends what is played in order: it has mounted disks and started processes.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if started, err := chaos.OwnDisks(ctx); started {
		if err != nil {
			os.Exit(1)
		}
		return
	}
	failures, err := play(ctx, &c, *file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if err != nil || failures > 0 || ctx.Err() != nil {
		os.Exit(1)
	}
}

func play(ctx context.Context, c *chaos.Campaign, file string) (failures int, err error) {
	if c.Dir, err = os.MkdirTemp("", "anond-chaos-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(c.Dir)
	if c.Program, err = programtest.Build(c.Dir, "anond-deliver"); err != nil {
		return 0, err
	}
	if file == "" {
		return c.Run(ctx), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	plans, err := chaos.Parse(string(text))
	if err != nil {
		return 0, err
	}
	return c.Play(ctx, plans), nil
}
