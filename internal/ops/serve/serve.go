// Package serve shows operators over HTTP and to the service manager how a process stands: what a block http of the
// configuration asks for, and where to find the certificates and secrets that it names.
package serve

import (
	"errors"
	"log/slog"
	"net/http"

	"anond/config"
	"anond/internal/fault"
	"anond/internal/ops/monitor"
	"anond/internal/ops/web"
)

// Start begins to serve what a process shows; the server is nil where nothing is served.
// ends: the process ends by itself, and serves what it was asked for alone.
func Start(h *config.HTTP, log *slog.Logger, ends bool, what, hint string, open, guarded map[string]http.Handler) (*web.Server, error) {
	if h.Listen == config.HTTPOff || ends && !h.Asked {
		return nil, nil
	}
	server, err := web.Start(WebOptions(h), open, guarded)
	switch {
	case err == nil:
		log.Info(what+" are served", "event", "http_listening", "address", server.Address())
		return server, nil
	case errors.Is(err, web.ErrTLS):
		return nil, fault.With(fault.Config, "the files must hold a certificate chain and its key in PEM form", err)
	case h.Asked:
		return nil, fault.Errorf(fault.Failed, hint, "serve %s: %w", what, err)
	}
	log.Warn(what+" are not served", "event", "http_unavailable", "error", err.Error(), "hint", hint)
	return nil, nil
}

// WebOptions are what a block http of the configuration asks for.
func WebOptions(h *config.HTTP) web.Options {
	return web.Options{Listen: h.Listen, Cert: h.TLS.Cert, Key: h.TLS.Key, ClientCA: h.TLS.ClientCA,
		Token: h.Auth.Token.Reveal(), Username: h.Auth.Username, Password: h.Auth.Password.Reveal()}
}

// Health are the paths that need no authentication: whether a process makes progress, and whether its parts are ready.
func Health(d *monitor.Duty, ready func() (monitor.Phase, []monitor.Part)) map[string]http.Handler {
	return map[string]http.Handler{"/healthz": web.Liveness(d.Live, d.Phase), "/readyz": web.Readiness(ready)}
}
