package kafkasrc

import (
	"context"
	"sync"
	"time"

	"github.com/segmentio/kafka-go/protocol/metadata"

	"anond/internal/kafkaclient/fetch"
)

// idleParts waits for records of the partitions that have none to read, with one
// request a broker for all of them. It is used where there are more partitions
// than turns: a request, connection and turn of its own for every idle
// partition would keep those out that have something to read.
//
// It only says that a fetch is worth it. The records in its answers are not
// looked at; brokers send one batch at most, since one byte is asked for.
type idleParts struct {
	s       *source
	mu      sync.Mutex
	waiting map[int32]*watched
	arrived chan struct{} // there may be a partition to wait for
}

type watched struct {
	p    *partition
	from int64
	news chan struct{} // closed when a fetch is worth it
}

func newIdleParts(s *source) *idleParts {
	return &idleParts{s: s, waiting: map[int32]*watched{}, arrived: make(chan struct{}, 1)}
}

// wait blocks until there is a reason to fetch from a partition.
func (l *idleParts) wait(ctx context.Context, p *partition) error {
	w := &watched{p: p, from: p.at.fetch, news: make(chan struct{})}
	l.mu.Lock()
	l.waiting[p.id] = w
	l.mu.Unlock()
	select {
	case l.arrived <- struct{}{}:
	default:
	}
	select {
	case <-w.news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wake ends the wait of a partition.
func (l *idleParts) wake(w *watched) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[w.p.id] == w {
		delete(l.waiting, w.p.id)
		close(w.news)
	}
}

// run asks round by round until ctx is done. The pause bounds the requests that
// a few busy partitions among many idle ones cause.
func (l *idleParts) run(ctx context.Context) {
	pause := time.NewTicker(max(l.s.cfg.MaxWait/10, time.Millisecond))
	defer pause.Stop()
	for {
		select {
		case <-l.arrived:
			l.round(ctx)
		case <-ctx.Done():
			return
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

// round asks all brokers once about what waits now.
func (l *idleParts) round(ctx context.Context) {
	leaders, err := l.s.client.leaders(ctx)
	groups := map[int32][]*watched{}
	l.mu.Lock()
	for _, w := range l.waiting {
		leader, known := leaders[w.p.id]
		if err != nil || !known {
			leader = noLeader
		}
		groups[leader] = append(groups[leader], w)
	}
	l.mu.Unlock()
	var wg sync.WaitGroup
	for leader, group := range groups {
		wg.Go(func() { l.ask(ctx, leader, group) })
	}
	wg.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		select {
		case l.arrived <- struct{}{}:
		default:
		}
	}
}

// noLeader stands for a broker that is not known. A fetch finds out why.
const noLeader = -1

// ask waits, with one request, for something to read in any partition of the
// group. A failure is told, since a connection that hangs can take a minute to fail, and the fetches of the
// partitions, over another one, may not meet it.
func (l *idleParts) ask(ctx context.Context, leader int32, group []*watched) {
	var ends map[int32]*fetch.Response
	if leader != noLeader {
		from := make(map[int32]int64, len(group))
		for _, w := range group {
			from[w.p.id] = w.from
		}
		var err error
		if ends, err = l.s.client.poll(ctx, from); err != nil && ctx.Err() == nil {
			for _, w := range group {
				l.s.health.fails(w.p.id, err) // until the fetch works
			}
		}
	}
	for _, w := range group {
		e := ends[w.p.id]
		if e != nil && e.Err() == nil && e.Stable <= w.from && len(e.Batches) == 0 {
			w.p.sees(e.Stable)
			w.p.moved()
			continue
		}
		if e != nil && e.Err() == nil {
			w.p.sees(e.Stable)
		}
		l.wake(w)
	}
}

// leaders returns the partitions' leaders as the newest metadata have them.
func (c *client) leaders(ctx context.Context) (map[int32]int32, error) {
	m, err := c.Do(ctx, &metadata.Request{TopicNames: []string{c.cfg.Topic}}, 0)
	if err != nil {
		return nil, err
	}
	leaders := map[int32]int32{}
	for _, p := range m.(*metadata.Response).Topics[0].Partitions {
		if p.LeaderID >= 0 {
			leaders[p.PartitionIndex] = p.LeaderID
		}
	}
	return leaders, nil
}

// poll asks about partitions of one leader. The broker answers when one of them
// has something to read, at the latest after MaxWait.
func (c *client) poll(ctx context.Context, from map[int32]int64) (map[int32]*fetch.Response, error) {
	return fetch.Poll(ctx, c.Client, c.ask(c.cfg.MaxWait, c.cfg.MaxBytes+fetch.AnswerOverhead), from)
}
