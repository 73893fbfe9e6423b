package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"

	"anond/config"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/control"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/ops/dashboard"
	"anond/internal/ops/duty"
	"anond/internal/ops/logs"
	"anond/internal/ops/metrics/loop"
	"anond/internal/ops/monitor"
	"anond/internal/ops/serve"
)

// hosted is a run of several shards. Each is the run of a daemon, with a monitor, metrics and lines of the log of its own.
type hosted struct {
	*environment
	path        string
	once, trust bool
	out         io.Writer
	level       *slog.LevelVar
	served      *serve.Served
	shards      *monitor.Shards

	mu      sync.Mutex
	shown   map[int]*surfaces
	reloads map[int]chan os.Signal // of the shards that run
}

// oneLog lets several logs write to one place, a line at a time.
type oneLog struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *oneLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}

// runShards runs the shards of a file that is of several, until ctx ends.
func (e *environment) runShards(ctx context.Context, path string, cfg *config.Config, warnings []config.Warning, once, trust bool) error {
	if once && cfg.Shard.Group != "" {
		return cli.Usage("SHARD=0 anond run --once", "shard.group divides the shards of processes that run on; --once reads one that is named")
	}
	h := &hosted{environment: e, path: path, once: once, trust: trust, out: &oneLog{w: e.Stderr}, level: new(slog.LevelVar),
		shards: monitor.NewShards(duty.NewDuty(cli.Release, clock.System())), shown: map[int]*surfaces{}, reloads: map[int]chan os.Signal{}}
	caught, stop := hangups()
	defer stop()
	go func() {
		for s := range caught {
			h.reload(s)
		}
	}()
	p := &serve.Process{Duty: h.shards.Duty, Log: h.shards.Log(h.log(cfg.Log, nil)), Metrics: loop.OfShards(h.metrics), Ready: h.shards.Ready,
		Live: h.shards.Live, Sight: h.shards.Sight, Pages: dashboard.OfShards(cfg.Dataset, h.shards),
		HTTP: func() (*config.HTTP, error) { return &cfg.HTTP, nil }, What: "dashboard", Where: "http.listen"}
	var err error
	if h.served, err = p.Begin(ctx, &e.Env, once); err != nil {
		return err
	}
	defer h.served.End()
	warned(p.Log, warnings)
	err = dataset.Host(ctx, cfg, dataset.Options{Log: p.Log, Once: once}, h.run, h.left)
	failed(p.Log, err)
	return err
}

// log writes the log of the process, or that of a shard, which has a journal. The level is one, as the newest of them has read it.
func (h *hosted) log(settings config.Log, journal io.Writer) *slog.Logger {
	return logs.NewSteered(h.out, settings, cli.IsTerminal(h.Stderr), h.level, journal)
}

// metrics are those of the shards of this process.
func (h *hosted) metrics() map[int]*loop.Metrics {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[int]*loop.Metrics{}
	for shard, s := range h.shown {
		out[shard] = s.metrics
	}
	return out
}

// reload has each shard read the configuration again.
func (h *hosted) reload(signal os.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, to := range h.reloads {
		select {
		case to <- signal:
		default: // it has not looked at the one before
		}
	}
}

// run runs a shard as anond run does where the variable SHARD names it.
func (h *hosted) run(ctx context.Context, shard int) error {
	env := h.Env
	env.Lookup = config.ForShard(h.Lookup, shard)
	cfg, _, err := cli.LoadConfig(ctx, &env, h.path)
	if err != nil {
		return err
	}
	journal, reloads := control.NewJournal(), make(chan os.Signal, 1)
	s := h.begins(shard, cfg, reloads)
	log := s.monitor.Log(h.log(cfg.Log, journal))
	load := func() (*config.Config, error) {
		c, warnings, err := cli.LoadConfig(ctx, &env, h.path)
		warned(log, warnings)
		return c, err
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	go s.monitor.Watch(watched)
	var last *ingest.Report
	err = daemon.RunShard(ctx, cfg, dataset.Options{Log: log, Level: h.level, Journal: journal, Load: load, Reloads: reloads,
		Manager: h.served.Manager, Prepare: s.prepare, Lookup: env.Lookup, Once: h.once, TrustClock: h.trust, Monitor: s.monitor,
		Meter: s.metrics, Observe: func(r ingest.Report) { last = &r }, StandIns: dataset.StandIns{Forgetting: afterForgetStep}})
	h.mu.Lock()
	delete(h.reloads, shard)
	h.mu.Unlock()
	if err != nil {
		h.shards.Fails(shard)
	} else if h.once && last != nil && ctx.Err() == nil {
		peopleWait(log.With("shard", shard), reported(cfg, last))
	}
	return err
}

// begins shows a shard. One that runs again goes on with its figures.
func (h *hosted) begins(shard int, cfg *config.Config, reloads chan os.Signal) *surfaces {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.shown[shard]
	if s == nil {
		m := monitor.New(dataset.MonitorSettings(cfg, cli.Release))
		s = &surfaces{Served: h.served, monitor: m, metrics: loop.New(m)}
		if s.Server != nil {
			s.certified()
		}
		h.shown[shard] = s
	}
	h.reloads[shard] = reloads
	h.shards.Begins(shard, s.monitor)
	return s
}

// left forgets a shard that has gone to another process.
func (h *hosted) left(shard int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.shown, shard)
	h.shards.Left(shard)
}
