package kafkatest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The tests of this file run on a cluster of several nodes (make
// test-kafka-cluster). Most of them kill or suspend a node, so they do not run in
// parallel with others.

// everywhere are the replicas of n partitions on all nodes; partition i prefers
// node i+1.
func everywhere(n int) (replicas [][]int32) {
	for i := range int32(n) {
		replicas = append(replicas, []int32{i%3 + 1, (i+1)%3 + 1, (i+2)%3 + 1})
	}
	return replicas
}

// noLoss: an acknowledged record is on two nodes at least.
const noLoss = "min.insync.replicas=2"

// more waits until a running anond has read n records more than now.
func (s *site) more(n int) {
	s.t.Helper()
	s.sent(s.counts().Sent + n)
}

// noFalseAlarm requires that no process took the log for another one, for one with a gap,
// or for one that cannot be read.
func noFalseAlarm(t *testing.T, processes ...*process) {
	t.Helper()
	for _, p := range processes {
		for _, name := range []string{"source_replaced", "source_gap", "source_corrupt", "source_unverified"} {
			require.Empty(t, p.events(name), p.log())
		}
	}
}

// TestClusterLeaderKilled kills the leader of one partition under load. Another node
// leads, until the first one has returned and leads again. Dead letters go to a
// topic of the same cluster.
func TestClusterLeaderKilled(t *testing.T) {
	chosen.Demand(t)
	c := nodes(t)
	p, letters := newTopicOn(t, everywhere(2), noLoss), newTopicOn(t, everywhere(1), noLoss)
	feed := startFeed(t, p, 2, 5)
	s := newSite(t, p).kafka(section{"group": unique("group")})
	s.config["dead_letter"] = section{"type": "topic", "topic": letters.name}
	s.save()
	run := s.start()
	run.await("release_published", 1)

	leader := p.ledBy(0, anyone)
	require.NoError(t, c.node(leader).Kill())
	p.ledBy(0, not(leader))
	s.more(200)
	require.NoError(t, c.node(leader).Start())
	p.inSync(0, 1, 2, 3)
	p.elect(0, preferred, leader)
	s.more(200)

	sent, refused := feed.stop(), int(feed.refused.Load())
	s.sent(sent)
	require.Eventually(t, func() bool { return s.counts().Outbox == 0 }, patience, poll, "letters delivered")
	run.stop()
	require.NotEmpty(t, run.eventsOf("source_disconnected", p))
	noFalseAlarm(t, run)
	s.settled(sent, refused)
	keys, _ := letters.values()
	require.Len(t, distinct(keys), refused)
}

// TestClusterLeaderSuspended suspends the leader of the only partition under load, so that
// its connections stay and nobody answers, and lets it go on when another node
// leads.
func TestClusterLeaderSuspended(t *testing.T) {
	chosen.Demand(t)
	c := nodes(t)
	p := newTopicOn(t, everywhere(1), noLoss)
	feed := startFeed(t, p, 1, 0)
	s := newSite(t, p)
	run := s.start()
	run.await("release_published", 1)

	leader := p.ledBy(0, anyone)
	require.NoError(t, c.node(leader).suspend())
	away := time.Now()
	p.ledBy(0, not(leader))
	s.more(400)
	t.Logf("reads again %v after the leader was suspended", time.Since(away).Round(time.Second))
	require.NoError(t, c.node(leader).resume())
	p.inSync(0, 1, 2, 3)
	p.elect(0, preferred, leader)
	s.more(200)

	sent := feed.stop()
	s.sent(sent)
	run.stop()
	require.NotEmpty(t, run.eventsOf("source_disconnected", p))
	noFalseAlarm(t, run)
	s.settled(sent, 0)
}

// TestClusterReassigned moves partitions to other nodes, under load and while anond is
// stopped.
func TestClusterReassigned(t *testing.T) {
	chosen.Demand(t)
	nodes(t)
	t.Parallel()
	p := newTopicOn(t, [][]int32{{1, 2}, {2, 3}})
	feed := startFeed(t, p, 2, 0)
	s := newSite(t, p)
	run := s.start()
	run.await("release_published", 1)
	p.reassign(0, 3)
	s.more(200)
	p.reassign(1, 1, 3)
	p.reassign(0, 2, 1)
	s.more(200)
	run.stop()

	p.reassign(0, 3, 2)
	p.reassign(1, 2)
	again := s.start()
	again.await("started", 1)
	s.sent(feed.stop())
	again.stop()
	noFalseAlarm(t, run, again)
	s.settled(s.counts().Sent, 0)
}

// TestClusterRetention has retention delete records that a stopped anond has not
// read.
func TestClusterRetention(t *testing.T) {
	chosen.Demand(t)
	nodes(t)
	t.Parallel()
	p := newTopicOn(t, everywhere(1))
	p.write(0, people(0, 300)...)
	s := newSite(t, p)
	s.once().ends(0)
	p.write(0, people(300, 300)...)
	p.configure("retention.ms", "1")
	require.Eventually(t, func() bool { return p.firstOffset() == 600 }, patience, poll, "retention deletes")
	p.configure("retention.ms", "-1")
	p.write(0, people(600, 50)...)
	run := s.start().ends(1)
	require.Equal(t, 300., run.await("source_gap", 1)["want"])
	run.says("hint: the records are permanently lost")
	s.settled(300, 0)
}

// TestClusterLease kills the node that coordinates the group of a lease, with a
// standby alongside the holder.
func TestClusterLease(t *testing.T) {
	chosen.Demand(t)
	c := nodes(t)
	p := newTopicOn(t, everywhere(1), noLoss)
	feed := startFeed(t, p, 1, 0)
	s := leased(t, p)
	a := s.member("member-a").start()
	a.await("release_published", 1)
	b := s.member("member-b").start()
	b.await("source_lease_standby", 1)

	offsets := &topic{t: t, name: "__consumer_offsets", c: p.c}
	coordinator := offsets.ledBy(0, anyone)
	require.NoError(t, c.node(coordinator).Kill())
	offsets.ledBy(0, not(coordinator))
	s.more(200)
	require.NoError(t, c.node(coordinator).Start())
	p.inSync(0, 1, 2, 3)
	offsets.inSync(0, 1, 2, 3)
	sent := feed.stop()
	s.sent(sent)
	a.stop()
	b.stop()
	noFalseAlarm(t, a, b)
	s.settled(sent, 0)
	onceEach(t, a, b)
}
