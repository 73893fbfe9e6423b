package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"anond/cmd/anond/internal/daemon"
	"anond/cmd/anond/internal/duty"
	"anond/cmd/anond/internal/monitor"
	"anond/cmd/anond/internal/notify"
	"anond/cmd/anond/internal/web"
	"anond/config"
)

// onDuty is what shows operators how anond union or anond rekey stands.
type onDuty struct {
	duty    *duty.Duty
	log     *slog.Logger // the duty counts its lines
	metrics http.Handler
	status  func() any
	parts   func() []monitor.Part
	line    func() string // for people
	http    func() (*config.HTTP, error)
}

// open and guarded are as those of surfaces.
func (o *onDuty) open() map[string]http.Handler {
	ready := func() (monitor.Phase, []monitor.Part) { return o.duty.Phase(), o.parts() }
	return map[string]http.Handler{"/healthz": web.Liveness(o.duty.Live, o.duty.Phase), "/readyz": web.Readiness(ready)}
}

func (o *onDuty) guarded() map[string]http.Handler {
	return map[string]http.Handler{"/metrics": o.metrics, "/status": web.Status(o.status)}
}

// begin serves, and tells the service manager, until the function that it returns is called.
// once: the command ends by itself.
func (o *onDuty) begin(ctx context.Context, env *environment, once bool) (end func(), err error) {
	h, err := o.http()
	if err != nil {
		return nil, err
	}
	server, err := serve(h, o.log, once, "metrics, health and status", o.open(), o.guarded())
	if err != nil {
		return nil, err
	}
	manager, err := notify.Open(env.lookup)
	if err != nil {
		o.log.Warn("the service manager does not listen", "event", "service_manager_away", "error", err.Error())
	}
	told := manager.FollowSight(ctx, o.log, daemon.SystemClock(), func() notify.Sight { return o.duty.Sight(o.line()) })
	renewing, stop := context.WithCancel(ctx)
	if server != nil {
		go o.renew(renewing, server)
	}
	return func() {
		o.duty.Ends()
		stop()
		told()
		if server != nil {
			_ = server.Close() // nothing is lost with it
		}
	}, nil
}

// renewEvery is how often certificates and secrets of the server are read again.
const renewEvery = time.Minute

// renew takes in certificates and secrets whose files have changed. What cannot be used
// changes nothing and is logged once for each cause.
func (o *onDuty) renew(ctx context.Context, server *web.Server) {
	ticks, stop := daemon.SystemClock().Ticker(renewEvery)
	defer stop()
	before := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		before = o.renewOnce(server, before)
	}
}

// renewOnce returns why nothing could be taken in; empty: it could.
func (o *onDuty) renewOnce(server *web.Server, before string) (failed string) {
	h, err := o.http()
	if err == nil {
		var use func() []string
		if use, err = server.Prepare(webOptions(h)); err == nil {
			if keys := use(); len(keys) > 0 {
				o.log.Info("certificates or secrets were replaced", "event", "credentials_renewed", "keys", keys)
			}
			return ""
		}
	}
	if err.Error() != before {
		o.log.Warn("certificates or secrets cannot be replaced by what their files hold; those before stay in use",
			"event", "credentials_kept", "error", err.Error())
	}
	return err.Error()
}
