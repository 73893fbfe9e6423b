package serve

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/clock"
)

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
		h, warnings, err := cli.Load(ctx, func() (*config.HTTP, []config.Warning, error) {
			return config.LoadHTTP(s.http, s.listen, s.Fallback, e.Lookup, config.ReadRegular)
		})
		if !warned {
			cli.Warn(e, warnings)
			warned = true
		}
		return h, err
	}
}

// renewEvery is how often certificates and secrets of the server are read again.
const renewEvery = time.Minute

// Renew takes in certificates and secrets whose files have changed, until ctx ends.
func (s *Served) Renew(ctx context.Context) {
	if s.Server != nil {
		go s.renew(ctx)
	}
}

// renew takes in certificates and secrets whose files have changed. What cannot be used
// changes nothing and is logged once for each cause.
func (s *Served) renew(ctx context.Context) {
	ticks, stop := clock.System().Ticker(renewEvery)
	defer stop()
	before := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		before = s.renewOnce(before)
	}
}

// renewOnce returns why nothing could be taken in; empty: it could.
func (s *Served) renewOnce(before string) (failed string) {
	h, err := s.HTTP()
	if err == nil {
		var use func() []string
		if use, err = s.Server.Prepare(WebOptions(h)); err == nil {
			if keys := use(); len(keys) > 0 {
				s.Log.Info("certificates or secrets were replaced", "event", "credentials_renewed", "keys", keys)
			}
			return ""
		}
	}
	if err.Error() != before {
		s.Log.Warn("certificates or secrets cannot be replaced by what their files hold; those before stay in use",
			"event", "credentials_kept", "error", err.Error())
	}
	return err.Error()
}
