package daemon

import (
	"context"
	"log/slog"

	"anond/config"
	"anond/internal/control"
	"anond/internal/fault"
	"anond/internal/ops/logs"
)

func levelName(at slog.Level) string {
	for _, name := range []config.LogLevel{config.Debug, config.Info, config.Warn, config.Error} {
		if l, _ := logs.LevelOf(name); l == at {
			return string(name)
		}
	}
	return at.String()
}

// LogLevel implements control.Daemon.
func (s *steering) LogLevel(_ context.Context, l control.Level) (*control.Leveled, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if _, known := logs.LevelOf(config.LogLevel(l.Level)); !known || s.o.Level == nil {
		return nil, fault.Errorf(fault.Failed, "debug, info, warn or error", "there is no such level")
	}
	out := &control.Leveled{Before: levelName(s.o.Level.Level()), Level: l.Level}
	change := s.setLevel(l.Level)
	if l.For > 0 {
		until := s.o.Clock.Now().Add(l.For)
		out.Until = &until
		over, stop := s.o.Clock.Ticker(l.For)
		go func() {
			defer stop()
			<-over
			s.restoreLevel(change)
		}()
	}
	s.log.Warn("the level of the log was changed", "event", "log_level", "before", out.Before, "now", out.Level, "for", l.For.String())
	return out, nil
}

// setLevel changes the level and returns the number of this change.
func (s *steering) setLevel(name string) int {
	if at, known := logs.LevelOf(config.LogLevel(name)); known && s.o.Level != nil {
		s.o.Level.Set(at)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.levels++
	return s.levels
}

// restoreLevel goes back to the level of the configuration, unless the level has been
// changed again since.
func (s *steering) restoreLevel(change int) {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.mu.Lock()
	level, newest := s.cfg.Log.Level, s.levels
	s.mu.Unlock()
	if newest != change {
		return
	}
	s.setLevel(string(level))
	s.log.Warn("the level of the log is that of the configuration again", "event", "log_level", "now", string(level))
}
