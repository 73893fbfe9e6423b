package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/internal/fault"
)

// OpenMachine loads the state. A stop ends that, and later ends the planning of
// releases.
func OpenMachine(ctx context.Context, store state.Store, c *config.Config, o Options) (*incremental.Machine, error) {
	if err := shardRefused(c); err != nil {
		return nil, err
	}
	options, err := MachineOptions(ctx, c, o)
	if err != nil {
		return nil, err
	}
	m, err := incremental.Open(store, options)
	var shrunk *incremental.GrowthError
	if kind, _ := fault.Of(err); errors.As(err, &shrunk) {
		return nil, fmt.Errorf("%s: %w%s", c.State.Path, err, linesOf(c, shrunk))
	} else if kind == fault.Config {
		return nil, fmt.Errorf("%s: %w", c.State.Path, err)
	}
	if err == nil && m.Journal().Seq > 0 && !c.Shard.Journal.Set() {
		return nil, fmt.Errorf("%s: %w, and shard.journal.topic is missing", c.State.Path, errHasJournal)
	}
	return m, err
}

// MachineOptions are what the configuration opens a machine with.
func MachineOptions(ctx context.Context, c *config.Config, o Options) (incremental.Options, error) {
	seed, seeded, err := seedOf(o)
	if err != nil {
		return incremental.Options{}, err
	}
	out := settingsOf(c)
	out.Seed, out.Seeded, out.SubjectKey, out.Progress = seed, seeded, subjectKey(c), o.Planned
	out.Interrupted, out.Apply, out.Lapse, out.Config = func() bool { return ctx.Err() != nil }, o.Apply, o.Lapse, c.Frozen
	out.Rebuild = func(kept []byte) (incremental.Options, error) {
		before, err := c.Thawed(kept)
		if err != nil {
			return incremental.Options{}, err
		}
		earlier := out
		under := settingsOf(before)
		earlier.Schema, earlier.Policy, earlier.Settings, earlier.Hierarchies = under.Schema, under.Policy, under.Settings, under.Hierarchies
		earlier.Config = func() []byte { return kept }
		return earlier, nil
	}
	return out, nil
}

// settingsOf are the options that an era has.
func settingsOf(c *config.Config) incremental.Options {
	later := map[string]state.Later{}
	blind, caps := c.Later()
	for _, key := range blind {
		later[key] = state.Blind
	}
	for _, key := range caps {
		later[key] = state.Cap
	}
	for _, key := range c.Newcomers() {
		later[key] = state.Newcomer
	}
	return incremental.Options{Schema: c.Schema(), Policy: PolicyOf(c), Settings: c.Digests(), Hierarchies: c.HierarchyKeys(), Later: later}
}

// StateExists reports whether there is a state, with the error if not.
func StateExists(c *config.Config) error {
	_, err := os.Stat(c.State.Path)
	return err
}
