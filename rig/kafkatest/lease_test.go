package kafkatest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sessionTimeout is the shortest that brokers accept by default.
const sessionTimeout = "6s"

// leased is a site whose members share a lease.
func leased(t testing.TB, p *topic) *site {
	t.Helper()
	return newSite(t, p).kafka(section{"assignment": "group", "group": unique("lease"), "session_timeout": sessionTimeout})
}

// TestLease runs three members: two share a state, the third has an empty one.
// The active one is killed, then its successor.
func TestLease(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 2)
	feed := startFeed(t, p, 2, 0)
	s := leased(t, p)
	a := s.member("member-a").start()
	a.await("release_published", 2)
	b := s.member("member-b").start()
	c := s.member("member-c").set("state", section{"path": "./empty/anond.db"}).start()
	b.await("source_lease_standby", 1)
	c.await("source_lease_standby", 1)

	a.kill()
	b.await("source_lease_acquired", 1) // before or after c, which gives the lease up
	b.await("release_published", 1)
	if !c.ended() {
		b.kill()
		c.await("source_lease_acquired", 1)
	}
	c.ends(5)
	require.Empty(t, c.events("release_published"))
	c.says("restore the newest state")
	if !b.ended() {
		b.kill()
	}

	sent := feed.stop()
	d := s.member("member-d").start()
	d.await("started", 1)
	s.sent(sent)
	d.stop()
	s.settled(sent, 0)
	onceEach(t, a, b, c, d)
}

// onceEach checks that no release was published by two processes.
func onceEach(t *testing.T, processes ...*process) {
	t.Helper()
	by := map[string]string{}
	for _, p := range processes {
		for _, l := range p.events("release_published") {
			number := fmt.Sprint(l["release"])
			require.Empty(t, by[number], "release %s was published twice", number)
			by[number] = p.site.file
		}
	}
	require.NotEmpty(t, by)
}

// TestLeaseHandedOver stops the active member in order: the standby takes over
// without waiting for the session to end.
func TestLeaseHandedOver(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 300)...)
	s := leased(t, p).kafka(section{"session_timeout": "50s"}) // with a heartbeat each sixth of it
	a := s.member("member-a").start()
	s.sent(300)
	b := s.member("member-b").start()
	b.await("source_lease_standby", 1)
	require.Empty(t, a.events("lease_lost"), "a member that joins takes nothing away")
	a.stop()
	a.await("source_lease_released", 1)
	stopped := time.Now()
	b.await("started", 1)
	require.Less(t, time.Since(stopped), 40*time.Second)
	t.Logf("the standby was active %v after the other had ended", time.Since(stopped).Round(time.Millisecond))
	p.write(0, people(300, 300)...)
	s.sent(600)
	b.stop()
	s.settled(600, 0)
	onceEach(t, a, b)
}
