package daemon

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"anond/config"
	"anond/ingest"
	"anond/internal/control"
	"anond/internal/fault"
	"anond/internal/ops/logs"
)

// tunablesOf are the settings of the host that a reload may change.
func tunablesOf(c *config.Config) ingest.Tunables {
	t := ingest.Tunables{Trigger: triggerOf(c), OnUpdate: c.Release.Trigger.On == config.OnUpdate, Rate: c.Source.MaxRate}
	if c.Release.Trigger.On == config.OnRecords {
		t.CutEvery = c.Release.Trigger.Records
	}
	return t
}

// Reload implements control.Daemon: it reads the configuration again and takes in what has
// changed, all of it or nothing. What a running daemon cannot change is refused by name.
func (s *steering) Reload(ctx context.Context) (*control.Changed, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	defer s.o.Manager.Reloading()()
	keys, err := s.reload(ctx)
	s.mu.Lock()
	s.reloaded = &ingest.Reload{OK: err == nil, At: s.o.Clock.Now()}
	s.mu.Unlock()
	if s.o.Monitor != nil {
		s.o.Monitor.Reloaded(err == nil)
	}
	if err != nil {
		s.log.Error("the configuration was not reloaded: all settings stay", "event", "reload_failed", "error", err.Error())
		return nil, err
	}
	s.log.Info("the configuration was reloaded", "event", "reloaded", "keys", append([]string{}, keys...))
	return &control.Changed{Changed: len(keys) > 0, Keys: keys}, nil
}

func (s *steering) reload(ctx context.Context) (keys []string, err error) {
	if s.o.Load == nil {
		return nil, errors.New("this run has no configuration file")
	}
	if err := s.ready(); err != nil {
		return nil, err
	}
	next, err := s.o.Load()
	if err != nil {
		return nil, fault.With(fault.Config, "anond config check shows all faults of the file", err)
	}
	keys = s.cfg.Difference(next) // s.cfg changes here only, and turn is held
	if fixed := slices.DeleteFunc(slices.Clone(keys), config.Reloadable); len(fixed) > 0 {
		return nil, s.notReloadable(fixed)
	}
	defer s.o.Renewal.Hold()()
	use, err := s.prepare(ctx, next)
	if err != nil {
		return nil, err
	}
	before := s.config().State.MaxBytes
	s.quota.set(next.State.MaxBytes)
	if err := s.tune(ctx, next, keys); err != nil { // the last step that may fail
		s.quota.set(before)
		return nil, err
	}
	s.limit.Set(next.Release.MaxRate)
	s.mu.Lock()
	s.cfg = next
	s.mu.Unlock()
	renewed := use()
	s.o.Renewal.Reloaded(next)
	for _, key := range renewed {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if slices.Contains(keys, "log.level") && s.o.Level != nil {
		at, _ := logs.LevelOf(next.Log.Level)
		s.o.Level.Set(at)
	}
	return keys, nil
}

// ofTheLoop reports whether the loop has to take in a changed key.
func ofTheLoop(key string) bool {
	return strings.HasPrefix(key, "release.trigger.") || key == "source.max_records_per_second"
}

// tune gives the loop its settings. A loop whose commit waits for room takes in nothing,
// and would keep a reload with more room from coming through.
func (s *steering) tune(ctx context.Context, next *config.Config, keys []string) error {
	if !slices.ContainsFunc(keys, ofTheLoop) {
		return nil
	}
	if s.quota.Waits() {
		return fault.Errorf(fault.Failed, "raise state.max_bytes by a reload of its own, then reload the other keys",
			"the state is full, and what was read waits to be committed")
	}
	t := tunablesOf(next)
	t.Reschedule = slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, "release.trigger.") })
	return faultOf(s.commands.Tune(ctx, t))
}

// prepare reads certificates and secrets again: what files and programs give may have
// changed although the configuration has not.
func (s *steering) prepare(ctx context.Context, next *config.Config) (use func() []string, err error) {
	brokers, err := s.o.Brokers.Prepare(ctx, next)
	served := func() []string { return nil }
	if err == nil && s.o.Prepare != nil {
		served, err = s.o.Prepare(next)
	}
	if err != nil {
		return nil, fault.With(fault.Config, "what was in use before stays in use", err)
	}
	return func() []string { return append(brokers(), served()...) }, nil
}

// ofAny is what names an attribute in a key.
var ofAny = regexp.MustCompile(`\[.*?\]`)

// notReloadable says which changes a running daemon cannot take in.
func (s *steering) notReloadable(keys []string) error {
	hint := "restore these settings to reload the others, or restart anond"
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(kinds ...config.Change) func(string) bool {
		return func(key string) bool {
			return slices.Contains(kinds, config.ChangeOf(ofAny.ReplaceAllString(key, "[]")))
		}
	}
	grown := func(key string) bool { return strings.HasSuffix(key, "].hierarchy") }
	switch {
	case slices.ContainsFunc(keys, grown):
		hint = "a hierarchy that has only grown is taken in when anond is restarted"
	case s.last.Machine.Release > 0 && slices.ContainsFunc(keys, is(config.Never)):
		hint = "the dataset has a release, so what it was made under stays: restore these settings"
	case s.last.Machine.Release > 0 && slices.ContainsFunc(keys, is(config.NextPool, config.Newcomers)):
		hint = "stop anond and run anond config apply, which takes them in for later pools at level L2; or restore these settings"
	}
	return fault.Errorf(fault.Config, hint, "a running daemon cannot change %s", strings.Join(keys, ", "))
}
