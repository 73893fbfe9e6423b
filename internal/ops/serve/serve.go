// Package serve shows operators over HTTP and to the service manager how a process stands: what a block http of the
// configuration asks for, and where to find the certificates and secrets that it names. All processes begin by it.
package serve

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/fault"
	"anond/internal/ops/duty"
	"anond/internal/ops/notify"
	"anond/internal/ops/web"
)

// Process is what a process shows of itself: the daemon, and a command that works for long.
type Process struct {
	Duty    *duty.Duty
	Log     *slog.Logger // the duty counts its lines
	Metrics http.Handler
	Ready   func() (duty.Phase, []duty.Part)
	Live    func() (ok bool, why string) // nil: that of the duty
	Sight   func() duty.Sight            // what the service manager hears
	// Pages are served with the same authentication as the metrics: path and content.
	Pages map[string]http.Handler
	// HTTP reads where and how to listen, and the secrets that its files hold now.
	HTTP func() (*config.HTTP, error)
	// What is served besides metrics and health, and the key or flag that says where.
	What, Where string
}

// Of is the process of a command that shows a status: its parts, and one line for people.
func Of(d *duty.Duty, log *slog.Logger, metrics http.Handler, status func() any, parts func() []duty.Part, line func() string) *Process {
	return &Process{Duty: d, Log: log, Metrics: metrics, Ready: func() (duty.Phase, []duty.Part) { return d.Phase(), parts() },
		Sight: func() duty.Sight { return d.Sight(line()) }, Pages: map[string]http.Handler{"/status": web.Status(status)},
		What: "status", Where: "--listen"}
}

// Open are the paths that need no authentication: whether the process makes progress, and whether its parts are ready.
func (p *Process) Open() map[string]http.Handler {
	live := p.Live
	if live == nil {
		live = p.Duty.Live
	}
	return map[string]http.Handler{"/healthz": web.Liveness(live, p.Duty.Phase), "/readyz": web.Readiness(p.Ready)}
}

// Guarded are the others.
func (p *Process) Guarded() map[string]http.Handler {
	all := map[string]http.Handler{"/metrics": p.Metrics}
	maps.Copy(all, p.Pages)
	return all
}

// Served is a process that is shown.
type Served struct {
	*Process
	Server  *web.Server     // nil: nothing is served
	Manager *notify.Manager // nil: there is none
	told    func()
}

// Begin serves, and tells the service manager, until the end of Served. ends: the process ends by itself, and serves what it was
// asked for alone.
func (p *Process) Begin(ctx context.Context, env *cli.Env, ends bool) (*Served, error) {
	h, err := p.HTTP()
	if err != nil {
		return nil, err
	}
	s := &Served{Process: p}
	if s.Server, err = p.start(h, ends); err != nil {
		return nil, err
	}
	if s.Manager, err = notify.Open(env.Lookup); err != nil {
		p.Log.Warn("the service manager does not listen", "event", "service_manager_away", "error", err.Error())
	}
	s.told = s.Manager.Follow(ctx, p.Log, clock.System(), p.Sight)
	return s, nil
}

// End ends it.
func (s *Served) End() {
	s.Duty.Ends()
	s.told()
	if s.Server != nil {
		_ = s.Server.Close() // nothing is lost with it
	}
}

// start begins to serve; the server is nil where nothing is served.
func (p *Process) start(h *config.HTTP, ends bool) (*web.Server, error) {
	if h.Listen == config.HTTPOff || ends && !h.Asked {
		return nil, nil
	}
	what, hint := "metrics, health and "+p.What, "set "+p.Where+" to a free address, or to off"
	server, err := web.Start(WebOptions(h), p.Open(), p.Guarded())
	switch {
	case err == nil:
		p.Log.Info(what+" are served", "event", "http_listening", "address", server.Address())
		return server, nil
	case errors.Is(err, web.ErrTLS):
		return nil, fault.With(fault.Config, "the files must hold a certificate chain and its key in PEM form", err)
	case h.Asked:
		return nil, fault.Errorf(fault.Failed, hint, "serve %s: %w", what, err)
	}
	p.Log.Warn(what+" are not served", "event", "http_unavailable", "error", err.Error(), "hint", hint)
	return nil, nil
}

// WebOptions are what a block http of the configuration asks for.
func WebOptions(h *config.HTTP) web.Options {
	return web.Options{Listen: h.Listen, Cert: h.TLS.Cert, Key: h.TLS.Key, ClientCA: h.TLS.ClientCA,
		Token: h.Auth.Token.Reveal(), Username: h.Auth.Username, Password: h.Auth.Password.Reveal()}
}
