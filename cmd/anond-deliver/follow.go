package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"anond/deliver"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/ops/duty"
	"anond/internal/ops/metrics"
	"anond/internal/ops/serve"
)

// Where deliveries serve if nothing else is said: next to a daemon, a union and each other.
const (
	kafkaListen    = "127.0.0.1:9467"
	postgresListen = "127.0.0.1:9468"
)

// deliverOnDuty shows how a delivery stands, until end is called. The log of o counts its lines from then on.
func (e *environment) deliverOnDuty(ctx context.Context, f *serve.Flags, o *deliver.Options) (end func(), err error) {
	d := duty.NewDuty(cli.Release, clock.System())
	o.Log, o.Board.Does = d.Log(o.Log), d.Does
	now := new(atomic.Pointer[deliver.Status])
	watched := duty.Watch(d, f.StatusFile(), o.Log, o.Board.Look(d.Doing), now)
	shown := serve.Of(d, o.Log, metrics.Handler(metrics.Of(d, deliver.Metrics, now.Load, func(s *deliver.Status) string { return s.Dataset })),
		func() any { return now.Load() }, func() []duty.Part { return deliveryParts(now.Load()) },
		func() string { return deliveryLine(now.Load()) })
	shown.HTTP = f.Load(ctx, &e.Env)
	served, err := shown.Begin(ctx, &e.Env, false)
	if err != nil {
		watched()
		return nil, err
	}
	served.Renew(ctx)
	return func() { served.End(); watched() }, nil
}

// deliveryParts are what /readyz lists. A sink that lacks releases is ready as long as it takes them.
func deliveryParts(s *deliver.Status) []duty.Part {
	sink := duty.Part{Name: "sink", Ready: s.Failure == "", State: "takes releases"}
	if !sink.Ready {
		sink.State = "the newest attempt failed"
	}
	position := duty.Part{Name: "position", Ready: s.Known, State: "has all releases"}
	switch {
	case s.LastAttempt == nil:
		position.State = "the first attempt is under way"
	case s.Newest == 0 && !s.Known:
		position.Ready, position.State = true, "there is no release yet"
	case !s.Known:
		position.State = "not known"
	case s.Behind > 0:
		position.State = "lacks " + cli.Count(int(s.Behind), "release")
	}
	return []duty.Part{sink, position}
}

// deliveryLine says it in one line for people.
func deliveryLine(s *deliver.Status) string {
	text := "no release yet"
	if s.Known {
		text = fmt.Sprintf("release %d of %d delivered", s.Release, s.Newest)
	}
	if s.Failure != "" {
		text += "; the newest attempt failed"
	}
	return text
}
