package kafkatest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests of this file kill the shared broker, so they do not run in parallel
// with others.

// restart kills the broker, waits until the process has noticed, starts the
// broker, and waits until the process reads again.
func restart(t *testing.T, p *topic, run *process) {
	t.Helper()
	lost, found := len(run.eventsOf("source_disconnected", p)), len(run.eventsOf("source_connected", p))
	require.NoError(t, broker.Kill())
	noticed := assert.Eventually(t, func() bool { return len(run.eventsOf("source_disconnected", p)) > lost }, patience, poll, "noticed")
	require.NoError(t, broker.Start())
	require.True(t, noticed)
	require.Eventually(t, func() bool { return len(run.eventsOf("source_connected", p)) > found }, patience, poll, "reads again")
}

// TestBrokerRestart kills the broker twice under a running process and a feed
// that wait for it, with refused records for its dead-letter topic.
func TestBrokerRestart(t *testing.T) {
	chosen.Demand(t)
	needs(t, Restart)
	p, letters := newTopic(t, 2), newTopic(t, 1)
	feed := startFeed(t, p, 2, 5)
	s := newSite(t, p)
	s.config["dead_letter"] = section{"type": "topic", "topic": letters.name}
	s.save()
	run := s.start()
	run.await("release_published", 1)
	for range 2 {
		restart(t, p, run)
		s.sent(s.counts().Sent + 200)
	}
	sent, refused := feed.stop(), int(feed.refused.Load())
	s.sent(sent)
	require.Eventually(t, func() bool { return s.counts().Outbox == 0 }, patience, poll, "letters delivered")
	run.stop()
	s.settled(sent, refused)
	keys, _ := letters.values()
	require.Len(t, distinct(keys), refused)
}

// TestBrokerAway starts anond before its broker.
func TestBrokerAway(t *testing.T) {
	chosen.Demand(t)
	needs(t, Restart)
	p := newTopic(t, 1)
	p.write(0, people(0, 200)...)
	s := newSite(t, p)
	require.NoError(t, broker.Kill())
	run := s.start()
	noticed := assert.Eventually(t, func() bool { return len(run.events("source_disconnected")) > 0 }, patience, poll, "noticed")
	require.NoError(t, broker.Start())
	require.True(t, noticed)
	run.await("source_connected", 1)
	s.sent(200)
	run.stop()
	s.settled(200, 0)
}

// TestBrokerRestartLease kills the broker under the holder of a lease and a
// standby. Whichever member reads afterwards, nothing is lost and no release is
// published twice.
func TestBrokerRestartLease(t *testing.T) {
	chosen.Demand(t)
	needs(t, Restart)
	p := newTopic(t, 1)
	feed := startFeed(t, p, 1, 0)
	s := leased(t, p)
	a := s.member("member-a").start()
	a.await("release_published", 1)
	b := s.member("member-b").start()
	b.await("source_lease_standby", 1)
	require.NoError(t, broker.Kill())
	noticed := assert.Eventually(t, func() bool { return len(a.eventsOf("source_disconnected", p)) > 0 }, patience, poll, "noticed")
	require.NoError(t, broker.Start())
	require.True(t, noticed)
	sent := feed.stop()
	s.sent(sent)
	a.stop()
	b.stop()
	s.settled(sent, 0)
	onceEach(t, a, b)
	t.Logf("lease lost: %d times by the holder, %d by the standby", len(a.events("lease_lost")), len(b.events("lease_lost")))
}
