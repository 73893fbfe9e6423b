package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/duty"
	"anond/internal/ops/monitor"
	"anond/internal/ops/notify"
	"anond/internal/ops/web"
)

// onDuty is what shows operators how anond union, repartition or deliver stands.
type onDuty struct {
	duty    *duty.Duty
	log     *slog.Logger // the duty counts its lines
	metrics http.Handler
	status  func() any
	parts   func() []monitor.Part
	line    func() string // for people
	http    func() (*config.HTTP, error)
}

// standing is how a command that needs no configuration of the daemon shows how it stands.
type standing struct {
	listen, http, status string
	fallback             string // where it listens if nothing else is said
}

// flags adds the flags; when says when they count.
func (s *standing) flags(c *cobra.Command, when string) {
	f := c.Flags()
	f.StringVar(&s.listen, "listen", "", "`address` of metrics, health and status, or off (default \""+s.fallback+"\"; "+when+")")
	f.StringVar(&s.http, "http", "", "`file` with a block http as in a configuration: certificates, token")
	f.StringVar(&s.status, "status", "", "`file` with the status, replaced each second")
}

func (s *standing) asked() bool { return s.listen != "" || s.http != "" || s.status != "" }

// load reads where and how to listen, each time anew; warnings are printed once.
func (s *standing) load(e *environment) func() (*config.HTTP, error) {
	warned := false
	return func() (*config.HTTP, error) {
		h, warnings, err := cli.Abandonable(e.ctx, func() (*config.HTTP, []config.Warning, error) {
			return config.LoadHTTP(s.http, s.listen, s.fallback, e.Lookup, config.ReadRegular)
		})
		if !warned {
			e.warn(warnings)
			warned = true
		}
		return h, err
	}
}

// open and guarded are as those of surfaces.
func (o *onDuty) open() map[string]http.Handler {
	ready := func() (monitor.Phase, []monitor.Part) { return o.duty.Phase(), o.parts() }
	return map[string]http.Handler{"/healthz": web.Liveness(o.duty.Live, o.duty.Phase), "/readyz": web.Readiness(ready)}
}

func (o *onDuty) guarded() map[string]http.Handler {
	return map[string]http.Handler{"/metrics": o.metrics, "/status": web.Status(o.status)}
}

// hintOfListen is for an address that cannot be listened on.
const hintOfListen = "give --listen a free address, or off"

// begin serves, and tells the service manager, until the function that it returns is called.
// once: the command ends by itself.
func (o *onDuty) begin(ctx context.Context, env *environment, once bool) (end func(), err error) {
	h, err := o.http()
	if err != nil {
		return nil, err
	}
	server, err := serve(h, o.log, once, "metrics, health and status", hintOfListen, o.open(), o.guarded())
	if err != nil {
		return nil, err
	}
	manager, err := notify.Open(env.Lookup)
	if err != nil {
		o.log.Warn("the service manager does not listen", "event", "service_manager_away", "error", err.Error())
	}
	told := manager.FollowSight(ctx, o.log, clock.System(), func() notify.Sight { return o.duty.Sight(o.line()) })
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
	ticks, stop := clock.System().Ticker(renewEvery)
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
