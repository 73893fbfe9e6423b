package main

import (
	"context"
	"log/slog"
	"net/http"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/ops/certificate"
	"anond/internal/ops/dashboard"
	"anond/internal/ops/metrics/loop"
	"anond/internal/ops/monitor"
	"anond/internal/ops/serve"
)

// surfaces are what shows operators how the daemon stands: one monitor, and what is served of it.
type surfaces struct {
	*serve.Served
	monitor *monitor.Monitor
	metrics *loop.Metrics
}

// openSurfaces begins to serve. An address that cannot be listened on is an error if
// the configuration has a block `http`, and an event otherwise.
func openSurfaces(ctx context.Context, env *cli.Env, cfg *config.Config, log *slog.Logger, once bool) (*surfaces, error) {
	s := surfacesOf(monitor.New(dataset.MonitorSettings(cfg, cli.Release)), log)
	s.HTTP = func() (*config.HTTP, error) { return &cfg.HTTP, nil }
	go s.monitor.Watch(ctx)
	var err error
	if s.Served, err = s.Begin(ctx, env, once || cfg.Source.Type == config.FromStdin); err == nil && s.Server != nil {
		s.certified()
	}
	return s, err
}

// surfacesOf are those of a monitor, which are not served yet.
func surfacesOf(m *monitor.Monitor, log *slog.Logger) *surfaces {
	shown := loop.New(m)
	return &surfaces{monitor: m, metrics: shown, Served: &serve.Served{Process: &serve.Process{Duty: m.Duty, Log: m.Log(log),
		Metrics: shown.Handler(), Ready: m.Ready, Sight: m.Sight, Pages: map[string]http.Handler{"/{$}": dashboard.Handler(m)},
		What: "dashboard", Where: "http.listen"}}}
}

// prepare reads certificates and secrets of another configuration; use puts them in effect,
// and names the keys that give something else than before.
func (s *surfaces) prepare(next *config.Config) (use func() []string, err error) {
	if s.Server == nil {
		return func() []string { return nil }, nil
	}
	put, err := s.Server.Prepare(serve.WebOptions(&next.HTTP))
	if err != nil {
		return nil, err
	}
	return func() []string {
		keys := put()
		s.certified()
		return keys
	}, nil
}

// certified shows when the certificates of the server end.
func (s *surfaces) certified() {
	at := s.Server.Expiries()
	for _, use := range []string{certificate.HTTPServer, certificate.HTTPClientCA} {
		s.monitor.Certified(use, at[use])
	}
}
