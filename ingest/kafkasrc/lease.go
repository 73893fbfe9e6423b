package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/internal/kafkaclient"
)

// Lease is the right of one member of a consumer group to read the topic and to
// publish. The others wait in AcquireLease.
//
// Guarantee: as long as clocks run at the same speed and the process is not
// suspended, no two members hold the lease at once. A member whose heartbeats
// do not reach the group gives up before the group gives its lease to another:
// Lost closes at the latest SessionTimeout after the last heartbeat that the
// group has seen. The holder must stop publishing then. The ledger and the
// state's lock guard against what a suspended process might still do.
type Lease struct {
	cfg      Config
	client   *client
	group    *kafka.ConsumerGroup
	balancer *leaseBalancer
	log      *slog.Logger
	lost     chan struct{}
	loseOnce sync.Once
	beat     atomic.Pointer[time.Time] // when this process was last seen awake
	slept    chan struct{}             // closed when it was not, for too long
	refused  atomic.Bool               // Held has said so, before stayAwake could
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu         sync.Mutex
	generation *kafka.Generation // nil once lost

	commitMu  sync.Mutex      // one commit at a time; never held together with mu
	committed map[int32]int64 // highest commits known; nil: not yet read
}

// ErrLeaseLost is returned by commits after the lease was lost.
var ErrLeaseLost = errors.New("the lease of the consumer group was lost")

// AcquireLease joins the group cfg.Group and blocks until this member holds the
// lease. Brokers that are away are waited for; refused credentials are final
// after OpenTimeout.
func AcquireLease(ctx context.Context, cfg Config) (*Lease, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	l := &Lease{cfg: cfg, client: c, balancer: &leaseBalancer{}, lost: make(chan struct{}), slept: make(chan struct{}),
		log: cfg.Logger.With(slog.String("topic", cfg.Topic), slog.String("group", cfg.Group))}
	if l.group, err = joinGroup(cfg, c, l.balancer); err != nil {
		c.Close()
		return nil, err
	}
	gen, err := l.await(ctx)
	if err != nil {
		l.leave()
		return nil, err
	}
	l.balancer.claim.Store(time.Now().UnixNano())
	l.generation = gen
	var keep context.Context
	keep, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	now := time.Now()
	l.beat.Store(&now)
	l.wg.Go(func() { l.keep(keep, gen) })
	l.wg.Go(func() { l.stayAwake(keep) })
	l.log.Info("this instance reads and publishes", event("source_lease_acquired"), slog.Int("generation", int(gen.ID)))
	return l, nil
}

// joinGroup makes a process a member of the group cfg.Group, which a balancer divides.
func joinGroup(cfg Config, c *client, balancer kafka.GroupBalancer) (*kafka.ConsumerGroup, error) {
	if cfg.Group == "" {
		return nil, errors.New("group: a member needs the name of a consumer group")
	}
	m := cfg.Membership
	return kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: cfg.Group, Brokers: cfg.Brokers, Topics: []string{cfg.Topic}, GroupBalancers: []kafka.GroupBalancer{balancer},
		Dialer: &kafka.Dialer{ClientID: cfg.ClientID, Timeout: m.Timeout, DialFunc: c.Dial, SASLMechanism: c.Login()},
		// No watch for partitions: the source has its own, and a rebalance for it
		// would only put the lease at risk.
		HeartbeatInterval: m.Heartbeat, SessionTimeout: m.SessionTimeout, RebalanceTimeout: m.Rebalance, Timeout: m.Timeout,
		JoinGroupBackoff: min(time.Second, m.Heartbeat),
	})
}

// await waits for the generation in which this member holds the lease.
func (l *Lease) await(ctx context.Context) (*kafka.Generation, error) {
	h := health{log: l.log, access: l.cfg.Access}
	var refusedSince time.Time
	for waiting := false; ; {
		gen, err := l.group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && l.holds(gen):
			h.works(noPartition)
			return gen, nil
		case err == nil:
			h.works(noPartition)
			refusedSince = time.Time{}
			if !waiting {
				waiting = true
				l.log.Info("another instance is active, this one stands by", event("source_lease_standby"))
			}
			continue
		case !kafkaclient.IsPermanent(err):
			refusedSince = time.Time{}
		case refusedSince.IsZero():
			refusedSince = time.Now()
		case time.Since(refusedSince) >= l.cfg.OpenTimeout:
			return nil, fmt.Errorf("kafka refuses this client: %w", l.cfg.Access.Explained(err, toRead))
		}
		h.fails(noPartition, err)
	}
}

func (l *Lease) holds(gen *kafka.Generation) bool { return len(gen.Assignments[l.cfg.Topic]) > 0 }

// doubt is how long a member that was removed from a generation may still rely
// on its lease: the group waits SessionTimeout from the last heartbeat it saw,
// and the end of a generation is noticed one heartbeat and its timeout later at
// most.
func (l *Lease) doubt() time.Duration {
	m := l.cfg.Membership
	return m.SessionTimeout - m.Heartbeat - m.Timeout
}

// keep follows the lease from generation to generation. When a member joins or
// leaves, the group starts a new one, in which the balancer confirms the claim.
func (l *Lease) keep(ctx context.Context, gen *kafka.Generation) {
	for {
		ended := make(chan struct{})
		gen.Start(func(ctx context.Context) { <-ctx.Done(); close(ended) })
		select {
		case <-ctx.Done():
			l.giveUp()
			return
		case <-l.slept:
			l.giveIn(whySuspended)
			return
		case <-ended:
		}
		next, why := l.confirm(ctx)
		switch {
		case next == nil && why == "":
			l.giveUp()
			return
		case next == nil:
			l.giveIn(why)
			return
		}
		gen = next
		l.goOn(gen)
	}
}

// goOn has commits go through a generation, unless the lease was lost since that confirmed it.
func (l *Lease) goOn(gen *kafka.Generation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.lost:
	default:
		l.generation = gen
	}
}

// giveUp releases the lease because it was closed.
func (l *Lease) giveUp() {
	if l.overslept() { // both are known, and the run ended for the other
		l.giveIn(whySuspended)
		return
	}
	l.lose()
	l.log.Info("this instance gives up its lease", event("source_lease_released"))
}

// whySuspended is also said of a process that got no processor time.
const whySuspended = "this process was suspended for longer than the group waits"

func (l *Lease) giveIn(why string) {
	l.lose()
	l.log.Error("this instance must no longer publish", event("source_lease_lost"), slog.String("why", why))
	// A member that has stopped reading must not get the lease again. It leaves next to the stop: with a
	// coordinator that is away that takes as long as the join under way, which is bounded by Rebalance.
	go func() { _ = l.group.Close() }()
}

// confirm waits, not longer than doubt allows, for a generation that says
// whether the lease is still ours. It does not say why not if the lease was closed:
// that ends a generation as well, and either may be seen first.
func (l *Lease) confirm(closed context.Context) (*kafka.Generation, string) {
	ctx, cancel := context.WithTimeout(closed, l.doubt())
	defer cancel()
	why := "the group did not confirm it in time"
	for {
		gen, err := l.group.Next(ctx)
		switch {
		case err == nil && l.holds(gen):
			return gen, ""
		case err == nil:
			return nil, "the group gave it to another instance"
		case closed.Err() != nil:
			return nil, ""
		case ctx.Err() != nil || errors.Is(err, kafka.ErrGroupClosed):
			return nil, why
		}
		why = "the group did not confirm it in time: " + err.Error()
	}
}

// lose gives the lease up. Whoever is told so by Lost commits nothing any more.
func (l *Lease) lose() {
	l.balancer.claim.Store(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.generation = nil
	l.loseOnce.Do(func() { close(l.lost) })
}

// Lost is closed when the lease is lost or released. A lost lease is not
// acquired again; close it and acquire a new one.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Close releases the lease, so that a standby takes it over at once.
func (l *Lease) Close() error {
	l.cancel()
	l.leave()
	l.wg.Wait()
	return nil
}

func (l *Lease) leave() { leaveGroup(l.group, l.client) }

// leaveGroup leaves the group, for flushTimeout at most: a coordinator that is away
// must not hold up a stop, and drops the member by itself. What is left behind of
// a join that the coordinator answers later, leaves then: it takes no part.
func leaveGroup(group *kafka.ConsumerGroup, c *client) {
	left := make(chan struct{})
	go func() { _ = group.Close(); close(left) }()
	t := time.NewTimer(flushTimeout)
	defer t.Stop()
	select {
	case <-left:
	case <-t.C:
	}
	c.Close()
}

// stayAwake notices that the process was suspended: the group may have given
// the lease to another member in that time, and this process could not see it.
func (l *Lease) stayAwake(ctx context.Context) {
	tick := time.NewTicker(max(l.cfg.Membership.Heartbeat/2, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lost:
			return
		case <-tick.C:
		}
		now := time.Now()
		if now.Sub(*l.beat.Load()) > l.doubt() {
			close(l.slept)
			l.lose()
			return
		}
		l.beat.Store(&now)
	}
}

// Held returns ErrLeaseLost if this member must neither commit nor publish any
// more. It is stricter than Lost: after a suspension it says so at once.
func (l *Lease) Held() error {
	select {
	case <-l.lost:
		return ErrLeaseLost
	default:
	}
	if time.Since(*l.beat.Load()) > l.doubt() {
		l.refused.Store(true)
		return ErrLeaseLost
	}
	return nil
}

// overslept reports whether somebody was told that the process had been suspended.
func (l *Lease) overslept() bool {
	select {
	case <-l.slept:
		return true
	default:
		return l.refused.Load()
	}
}
