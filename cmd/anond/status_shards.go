package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/fault"
)

// showShards shows how the shards of a file stand that is of several, as far as this host has them, once or each second.
func (e *environment) showShards(ctx context.Context, path string, first *config.Config, watch, asJSON bool) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		shards, err := e.shardStatuses(ctx, path, first)
		if watch && ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = e.printShards(shards, watch, asJSON)
		}
		if err != nil || !watch {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// shardStatuses are those of the shards that have left one on this host.
func (e *environment) shardStatuses(ctx context.Context, path string, first *config.Config) (out []*shownStatus, err error) {
	for _, shard := range first.Shard.Numbers() {
		env := e.Env
		env.Lookup = config.ForShard(e.Lookup, shard)
		cfg, _, err := cli.LoadConfig(ctx, &env, path)
		if err != nil {
			return nil, err
		}
		if s, _ := dataset.ReadStatus(dataset.StatusPath(cfg)); s == nil {
			continue
		}
		s, err := currentStatus(ctx, cfg, time.Now())
		if err != nil {
			return nil, fmt.Errorf("shard %d: %w", shard, err)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fault.Errorf(fault.Failed, "start anond run with this configuration", "no shard has written a status on this host yet")
	}
	return out, nil
}

func (e *environment) printShards(shards []*shownStatus, watch, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(e.Stdout, shards)
	}
	if watch && cli.IsTerminal(e.Stdout) {
		fmt.Fprint(e.Stdout, "\x1b[H\x1b[2J")
	}
	t := cli.NewTable(e.Stdout, cli.Right("shard", 5), cli.Right("release", 7), cli.Right("sent", 12), cli.Right("published", 12),
		cli.Right("pending", 10), cli.Right("lag", 10), cli.Left("", 0))
	t.Header()
	for _, s := range shards {
		c, lag := &s.Counts, grouped(int(s.Lag))
		if !s.LagKnown {
			lag = "?"
		}
		t.Row(strconv.Itoa(s.Shard.Index), strconv.Itoa(int(c.Public)), grouped(int(c.Sent)), grouped(c.Published),
			grouped(c.Pending.Total()), lag, doingLine(s))
	}
	return t.Err
}
