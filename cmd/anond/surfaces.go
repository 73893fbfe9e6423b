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
	"anond/internal/ops/metrics"
	"anond/internal/ops/monitor"
	"anond/internal/ops/serve"
	"anond/internal/ops/web"
)

// surfaces are what shows operators how things stand: one monitor, and what is served
// of it over HTTP.
type surfaces struct {
	monitor *monitor.Monitor
	metrics *metrics.Metrics
	log     *slog.Logger // remembers events for the monitor
	server  *web.Server  // nil: nothing is served
}

// openSurfaces begins to serve. An address that cannot be listened on is an error if
// the configuration has a block `http`, and an event otherwise.
func openSurfaces(ctx context.Context, cfg *config.Config, log *slog.Logger, once bool) (*surfaces, error) {
	s := &surfaces{monitor: monitor.New(dataset.MonitorSettings(cfg, cli.Release))}
	s.metrics, s.log = metrics.New(s.monitor), s.monitor.Log(log)
	go s.monitor.Watch(ctx)
	var err error
	ends := once || cfg.Source.Type == config.FromStdin
	s.server, err = serve.Start(&cfg.HTTP, s.log, ends, "metrics, health and dashboard", "set http.listen to a free address, or to off",
		s.open(), s.guarded())
	if s.server != nil {
		s.certified()
	}
	return s, err
}

// open are the paths that need no authentication, guarded the others. The canary test asks
// for each.
func (s *surfaces) open() map[string]http.Handler {
	return serve.Health(s.monitor.Duty, s.monitor.Ready)
}

func (s *surfaces) guarded() map[string]http.Handler {
	return map[string]http.Handler{"/metrics": s.metrics.Handler(), "/{$}": dashboard.Handler(s.monitor)}
}

// prepare reads certificates and secrets of another configuration; use puts them in effect,
// and names the keys that give something else than before.
func (s *surfaces) prepare(next *config.Config) (use func() []string, err error) {
	if s.server == nil {
		return func() []string { return nil }, nil
	}
	put, err := s.server.Prepare(serve.WebOptions(&next.HTTP))
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
	at := s.server.Expiries()
	for _, use := range []string{certificate.HTTPServer, certificate.HTTPClientCA} {
		s.monitor.Certified(use, at[use])
	}
}

// close ends serving.
func (s *surfaces) close() {
	if s.server != nil {
		_ = s.server.Close() // nothing is lost with it
	}
}
