package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/ops/monitor"
	"anond/internal/ops/notify"
	"anond/internal/ops/web"
)

// Duty shows how a command stands that works for long and is not the daemon.
type Duty struct {
	Duty    *monitor.Duty
	Log     *slog.Logger // the duty counts its lines
	Metrics http.Handler
	Status  func() any
	Parts   func() []monitor.Part
	Line    func() string // for people
	HTTP    func() (*config.HTTP, error)
}

// Flags is how a command that needs no configuration of the daemon shows how it stands.
type Flags struct {
	Fallback             string // where it listens if nothing else is said
	listen, http, status string
}

// Add adds the flags; when says when they count.
func (s *Flags) Add(c *cobra.Command, when string) {
	f := c.Flags()
	f.StringVar(&s.listen, "listen", "", "`address` of metrics, health and status, or off (default \""+s.Fallback+"\"; "+when+")")
	f.StringVar(&s.http, "http", "", "`file` with a block http as in a configuration: certificates, token")
	f.StringVar(&s.status, "status", "", "`file` with the status, replaced each second")
}

// Asked reports whether one of them was given.
func (s *Flags) Asked() bool { return s.listen != "" || s.http != "" || s.status != "" }

// StatusFile is where the status is written; empty: nowhere.
func (s *Flags) StatusFile() string { return s.status }

// Load reads where and how to listen, each time anew; warnings are printed once.
func (s *Flags) Load(ctx context.Context, e *cli.Env) func() (*config.HTTP, error) {
	warned := false
	return func() (*config.HTTP, error) {
		h, warnings, err := cli.Abandonable(ctx, func() (*config.HTTP, []config.Warning, error) {
			return config.LoadHTTP(s.http, s.listen, s.Fallback, e.Lookup, config.ReadRegular)
		})
		if !warned {
			cli.Warn(e, warnings)
			warned = true
		}
		return h, err
	}
}

// open are the paths that need no authentication, guarded the others.
func (o *Duty) open() map[string]http.Handler {
	return Health(o.Duty, func() (monitor.Phase, []monitor.Part) { return o.Duty.Phase(), o.Parts() })
}

func (o *Duty) guarded() map[string]http.Handler {
	return map[string]http.Handler{"/metrics": o.Metrics, "/status": web.Status(o.Status)}
}

// Begin serves, and tells the service manager, until the function that it returns is called.
// once: the command ends by itself.
func (o *Duty) Begin(ctx context.Context, env *cli.Env, once bool) (end func(), err error) {
	h, err := o.HTTP()
	if err != nil {
		return nil, err
	}
	server, err := Start(h, o.Log, once, "metrics, health and status", "give --listen a free address, or off", o.open(), o.guarded())
	if err != nil {
		return nil, err
	}
	manager, err := notify.Open(env.Lookup)
	if err != nil {
		o.Log.Warn("the service manager does not listen", "event", "service_manager_away", "error", err.Error())
	}
	told := manager.Follow(ctx, o.Log, clock.System(), func() monitor.Sight { return o.Duty.Sight(o.Line()) })
	renewing, stop := context.WithCancel(ctx)
	if server != nil {
		go o.renew(renewing, server)
	}
	return func() {
		o.Duty.Ends()
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
func (o *Duty) renew(ctx context.Context, server *web.Server) {
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
func (o *Duty) renewOnce(server *web.Server, before string) (failed string) {
	h, err := o.HTTP()
	if err == nil {
		var use func() []string
		if use, err = server.Prepare(WebOptions(h)); err == nil {
			if keys := use(); len(keys) > 0 {
				o.Log.Info("certificates or secrets were replaced", "event", "credentials_renewed", "keys", keys)
			}
			return ""
		}
	}
	if err.Error() != before {
		o.Log.Warn("certificates or secrets cannot be replaced by what their files hold; those before stay in use",
			"event", "credentials_kept", "error", err.Error())
	}
	return err.Error()
}
