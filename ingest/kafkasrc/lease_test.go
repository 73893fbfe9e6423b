package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/ingest"
)

// wire is a member's network. It can be cut (connections closed, dials refused)
// and silenced (bytes vanish, nothing is closed), as a killed process and a lost
// network look from outside.
type wire struct {
	dial func(context.Context, string, string) (net.Conn, error)

	mu          sync.Mutex
	cut, silent bool
	conns       []net.Conn
}

func (w *wire) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	up, err := w.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		up.Close()
		return nil, net.ErrClosed
	}
	w.conns = append(w.conns, near, far, up)
	go w.pump(up, far)
	go w.pump(far, up)
	return near, nil
}

func (w *wire) pump(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		w.mu.Lock()
		silent := w.silent
		w.mu.Unlock()
		if silent {
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (w *wire) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for _, c := range w.conns {
		c.Close()
	}
}

func (w *wire) silence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = true
}

// leaseRig is a virtual cluster and its members.
type leaseRig struct {
	t   *testing.T
	c   *kfake.Cluster
	net *kfake.VirtualNetwork
}

type member struct {
	name  string
	wire  *wire
	log   *events
	got   chan *Lease // receives the lease when it is acquired
	at    time.Time   // of acquisition, once got was read
	lease *Lease
	stop  context.CancelFunc
}

// inVirtualTime runs a test on a virtual network with virtual time: timeouts of
// many seconds take none.
func inVirtualTime(t *testing.T, run func(t *testing.T, rig *leaseRig)) {
	synctest.Test(t, func(t *testing.T) {
		rig := &leaseRig{t: t, net: &kfake.VirtualNetwork{}}
		var err error
		rig.c, err = kfake.NewCluster(kfake.Ports(9092, 9093, 9094), kfake.SeedTopics(3, topic), kfake.ListenFn(rig.net.Listen))
		require.NoError(t, err)
		defer rig.c.Close()
		run(t, rig)
	})
}

func (rig *leaseRig) join(name string) *member {
	m := &member{name: name, wire: &wire{dial: rig.net.DialContext}, log: &events{}, got: make(chan *Lease, 1)}
	var ctx context.Context
	ctx, m.stop = context.WithCancel(context.Background())
	cfg := rig.config(m)
	go func() {
		if l, err := AcquireLease(ctx, cfg); err == nil {
			m.got <- l
		}
	}()
	return m
}

func (rig *leaseRig) config(m *member) Config {
	cfg := config(rig.c, m.log)
	cfg.Group, cfg.Dial = "g", m.wire.Dial
	return cfg
}

func (m *member) wait() {
	m.lease = <-m.got
	m.at = time.Now()
}

// leave ends a member, lease holder or not.
func (m *member) leave() {
	m.stop()
	if m.lease != nil {
		_ = m.lease.Close()
	}
}

func TestLeaseGoesToOneAndThenToTheNext(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		a := rig.join("a")
		a.wait()
		b, c := rig.join("b"), rig.join("c")
		time.Sleep(time.Minute) // joins and rebalances, in virtual time
		require.Empty(t, b.got)
		require.Empty(t, c.got)
		require.Equal(t, 2, b.log.count("source_lease_standby")+c.log.count("source_lease_standby"), "both stand by")
		select {
		case <-a.lease.Lost():
			t.Fatal("a joining standby takes no lease away")
		default:
		}
		start := time.Now()
		a.leave()
		<-a.lease.Lost()
		select {
		case b.lease = <-b.got:
		case c.lease = <-c.got:
		}
		require.Less(t, time.Since(start), 5*time.Second, "a released lease is taken over at the next heartbeat")
		time.Sleep(time.Minute)
		require.Equal(t, 0, len(b.got)+len(c.got), "one holder")
		b.leave()
		c.leave()
		time.Sleep(time.Minute)
	})
}

func TestLeaseOfADeadMember(t *testing.T) {
	for name, die := range map[string]func(*wire){"killed": (*wire).kill, "cut off": (*wire).silence} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
				a := rig.join("a")
				a.wait()
				b, c := rig.join("b"), rig.join("c")
				time.Sleep(time.Minute)
				died := time.Now()
				die(a.wire)
				lost := make(chan time.Time, 1)
				go func() { <-a.lease.Lost(); lost <- time.Now() }()
				select {
				case b.lease = <-b.got:
				case c.lease = <-c.got:
				}
				acquired := time.Now()
				require.Len(t, lost, 1, "the old holder knows before there is a new one")
				require.True(t, (<-lost).Before(acquired))
				require.Less(t, acquired.Sub(died), 15*time.Second, "session timeout and a heartbeat")
				require.ErrorIs(t, a.lease.Commit(context.Background(), map[int32]int64{0: 5}), ErrLeaseLost)
				time.Sleep(time.Minute)
				require.Equal(t, 0, len(b.got)+len(c.got), "one holder")
				for _, m := range []*member{a, b, c} {
					m.leave()
				}
				time.Sleep(2 * time.Minute)
			})
		})
	}
}

// TestCommitsGiveAHeartbeatNoMoreTime: kafka-go has one deadline for all requests of a connection. Wherever
// between two heartbeats the network falls silent, the holder knows that its lease is lost before there is a new one,
// although it goes on to commit. (Commits on the connection of the heartbeats hang here: they wait for a lock, for which
// virtual time does not go on.)
func TestCommitsGiveAHeartbeatNoMoreTime(t *testing.T) {
	const steps = 12
	for step := range steps {
		inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
			a := rig.join("a")
			a.wait()
			b := rig.join("b")
			defer gone(a, b)
			time.Sleep(time.Minute)
			require.NoError(t, a.lease.Commit(context.Background(), map[int32]int64{0: 1}))
			a.wire.silence()
			time.Sleep(time.Duration(step) * (a.lease.cfg.Membership.Heartbeat + a.lease.cfg.Membership.Timeout) / steps)
			go func() { // each takes flushTimeout, since nobody answers
				var err error
				for n := int64(2); !errors.Is(err, ErrLeaseLost); n++ {
					time.Sleep(100 * time.Millisecond)
					ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
					err = a.lease.Commit(ctx, map[int32]int64{0: n})
					cancel()
				}
			}()
			lost := make(chan time.Time, 1)
			go func() { <-a.lease.Lost(); lost <- time.Now() }()
			b.wait()
			require.Len(t, lost, 1, "the old holder knows before there is a new one")
			require.True(t, (<-lost).Before(b.at))
		})
	}
}

// TestALostLeaseIsClosedInTime: a stop waits neither for a join that the coordinator does not answer, which may take
// half a minute, nor for what comes after that; and the source under the lease ends as fast.
func TestALostLeaseIsClosedInTime(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		a := rig.join("a")
		a.wait()
		cfg := rig.config(a)
		cfg.Lease, cfg.RequestTimeout = a.lease, time.Minute
		s, err := Open(context.Background(), cfg, ingest.Resume{Digest: sum})
		require.NoError(t, err)
		s.Ack(map[state.Partition]int64{{Source: "kafka:" + topic}: 0})
		member := a.lease.generation.MemberID
		rig.c.ControlKey(int16(kmsg.JoinGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
			rig.c.KeepControl()
			if r.(*kmsg.JoinGroupRequest).MemberID == member {
				a.wire.silence() // its answer is lost
			}
			return nil, nil, false
		})
		b := rig.join("b")
		defer gone(a, b)
		<-a.lease.Lost()
		began := time.Now()
		_, err = s.Next(context.Background())
		require.ErrorIs(t, err, ErrLeaseLost)
		require.NoError(t, s.Close())
		a.leave()
		require.LessOrEqual(t, time.Since(began), 2*flushTimeout)
		b.wait()
	})
}

// gone ends members, and waits for what they leave behind.
func gone(members ...*member) {
	for _, m := range members {
		m.leave()
	}
	time.Sleep(2 * time.Minute)
}

func TestLeaseSurvivesRebalancesAndCoordinatorMoves(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		a := rig.join("a")
		a.wait()
		for range 3 {
			b := rig.join("b")
			time.Sleep(30 * time.Second)
			b.leave()
			time.Sleep(30 * time.Second)
			require.Empty(t, b.got)
			rig.c.RehashCoordinators()
			time.Sleep(30 * time.Second)
		}
		select {
		case <-a.lease.Lost():
			t.Fatal("lost: " + a.log.text("source_lease_lost"))
		default:
		}
		require.NoError(t, a.lease.Commit(context.Background(), map[int32]int64{1: 7}), "commits go through the newest generation")
		a.leave()
		time.Sleep(time.Minute)
	})
}

func TestLeaseCommitsNeverMoveBack(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		a := rig.join("a")
		a.wait()
		ctx := context.Background()
		commits, err := a.lease.Committed(ctx)
		require.NoError(t, err)
		require.Empty(t, commits)
		require.NoError(t, a.lease.Commit(context.Background(), map[int32]int64{0: 50, 1: 10}))
		require.NoError(t, a.lease.Commit(context.Background(), map[int32]int64{0: 10, 1: 20}))
		want := map[state.Partition]int64{{Source: "kafka:" + topic, ID: 0}: 50, {Source: "kafka:" + topic, ID: 1}: 20}
		commits, err = a.lease.Committed(ctx)
		require.NoError(t, err)
		require.Equal(t, want, commits)
		a.leave()
		time.Sleep(time.Minute)

		b := rig.join("b") // another process with another history of commits
		b.wait()
		require.NoError(t, b.lease.Commit(context.Background(), map[int32]int64{0: 5, 2: 1}))
		commits, err = b.lease.Committed(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(50), commits[state.Partition{Source: "kafka:" + topic}])
		b.leave()
		time.Sleep(time.Minute)
	})
}

func TestSourceCommitsThroughItsLease(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	cfg := config(c, &events{})
	cfg.Group = "g"
	l, err := AcquireLease(background(t), cfg)
	require.NoError(t, err)
	cfg.Lease = l
	s, err := Open(background(t), cfg, ingest.Resume{Digest: sum})
	require.NoError(t, err)
	got := newReceived()
	got.readN(t, s, 10)
	s.Ack(map[state.Partition]int64{{Source: "kafka:" + topic}: 10, {Source: "file:other"}: 99})
	require.NoError(t, s.Close())
	commits, err := l.Committed(background(t))
	require.NoError(t, err)
	require.Equal(t, map[state.Partition]int64{{Source: "kafka:" + topic}: 10}, commits)
	require.NoError(t, l.Close())
}

func TestSourceEndsWithItsLease(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cfg := config(c, &events{})
	cfg.Group = "g"
	l, err := AcquireLease(background(t), cfg)
	require.NoError(t, err)
	cfg.Lease = l
	s := open(t, cfg, ingest.Resume{})
	require.NoError(t, l.Close())
	_, err = s.Next(background(t))
	require.ErrorIs(t, err, ErrLeaseLost)
}

func TestStaticSourceCommitsByBestEffort(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	cfg := config(c, &events{})
	cfg.Group = "lag"
	s := open(t, cfg, ingest.Resume{}).(*source)
	got := newReceived()
	got.readN(t, s, 10)
	part := state.Partition{Source: "kafka:" + topic}
	committed := func() int64 {
		m, err := s.client.committed(background(t), "lag", []int32{0})
		require.NoError(t, err)
		if offset, ok := m[0]; ok {
			return offset
		}
		return -1
	}
	s.Ack(map[state.Partition]int64{part: 10})
	eventually(t, "the commit", func() bool { return committed() == 10 })
	for range 2 { // by the source that committed 10, and by the next one
		s.Ack(map[state.Partition]int64{part: 3})
		require.NoError(t, s.Close()) // commits what is left to commit
		s = open(t, cfg, got.resume(false)).(*source)
		require.Equal(t, int64(10), committed())
	}

	// The commit is a witness: state that is behind it is an older copy.
	_, err := Open(background(t), cfg, ingest.Resume{Digest: sum, Positions: map[state.Partition]state.Position{
		part: {Next: 4, Last: 3, Digest: sum(value(0, 3))}}})
	require.ErrorIs(t, err, ingest.ErrBehind)
	_, err = Open(background(t), cfg, ingest.Resume{Digest: sum})
	require.ErrorIs(t, err, ingest.ErrBehind, "an empty state although there are commits")
	_, err = Open(background(t), cfg, ingest.Resume{Digest: sum, Read: map[state.Partition]int64{part: 9}})
	require.ErrorIs(t, err, ingest.ErrBehind, "a state that was reset before the newest commit")
	reset, err := Open(background(t), cfg, ingest.Resume{Digest: sum, Read: map[state.Partition]int64{part: 10}})
	require.NoError(t, err, "a state that was reset knows what it had read")
	require.NoError(t, reset.Close())
	again, err := Open(background(t), cfg, got.resume(false))
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestFailedCommitsAreOnlyLogged(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	write(t, cl, 0, 0, 10)
	log := &events{}
	cfg := config(c, log)
	cfg.Group = "taken"
	s := open(t, cfg, ingest.Resume{})
	// A consumer of the same group, so that commits from outside are refused.
	other, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumerGroup("taken"), kgo.ConsumeTopics(topic))
	require.NoError(t, err)
	defer other.Close()
	_, err = c.WaitGroupStable(background(t), "taken", 1)
	require.NoError(t, err)
	got := newReceived()
	got.readN(t, s, 10)
	s.Ack(map[state.Partition]int64{{Source: "kafka:" + topic}: 10})
	eventually(t, "it is logged", func() bool { return log.count("source_commit_failed") == 1 })
	write(t, cl, 0, 10, 20)
	got.readN(t, s, 20)
}

func TestBalancerAgreesOnOneOwner(t *testing.T) {
	at := func(claim int64) []byte {
		b := &leaseBalancer{}
		b.claim.Store(claim)
		data, err := b.UserData()
		require.NoError(t, err)
		return data
	}
	m := func(id string, data []byte) kafka.GroupMember {
		return kafka.GroupMember{ID: id, Topics: []string{topic}, UserData: data}
	}
	parts := []kafka.Partition{{Topic: topic, ID: 0}, {Topic: topic, ID: 1}, {Topic: "other", ID: 0}}
	cases := map[string]struct {
		members []kafka.GroupMember
		owner   string
	}{
		"alone":                 {[]kafka.GroupMember{m("a", at(0))}, "a"},
		"no claim: least id":    {[]kafka.GroupMember{m("c", at(0)), m("a", at(0)), m("b", at(0))}, "a"},
		"the claim holds":       {[]kafka.GroupMember{m("a", at(0)), m("b", at(7)), m("c", at(0))}, "b"},
		"the youngest claim":    {[]kafka.GroupMember{m("a", at(7)), m("b", at(9)), m("c", at(8))}, "b"},
		"equal claims":          {[]kafka.GroupMember{m("b", at(7)), m("a", at(7))}, "a"},
		"foreign data no claim": {[]kafka.GroupMember{m("b", []byte("garbage!!")), m("a", nil), m("c", at(1))}, "c"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := (&leaseBalancer{}).AssignGroups(c.members, parts)
			require.Len(t, got, len(c.members))
			for id, topics := range got {
				if id == c.owner {
					require.Equal(t, map[string][]int{topic: {0, 1}}, topics)
				} else {
					require.Empty(t, topics)
				}
			}
		})
	}
	none := (&leaseBalancer{}).AssignGroups([]kafka.GroupMember{m("a", at(0))}, nil)
	require.NotEmpty(t, none["a"][topic], "the lease does not wait for the topic")
}
