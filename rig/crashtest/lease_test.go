package crashtest

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leased is a dataset whose members share state, releases and a lease.
const leased = ", assignment: group, group: anond, session_timeout: 6s"

// TestSuspendedHolder: the process that holds the lease is suspended and keeps
// the lock of the state. The standby gets the lease, says what it waits for, and
// goes on as soon as the lock is free; the suspended one publishes nothing more.
func TestSuspendedHolder(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	c := startKafka(t, 1)
	write := produceTo(t, c)
	for i := range 4 {
		write(0, patient(5*i), patient(5*i+1), patient(5*i+2), patient(5*i+3), patient(5*i+4))
	}
	s := newSite(t, clinic(fromKafka(c, leased)))
	a := s.start("run")
	a.waitFor(`"event":"release_published"`)
	b := s.start("run")
	b.waitFor(`"event":"source_lease_standby"`)
	a.signal(syscall.SIGSTOP)
	for i := range 4 {
		write(0, patient(100+5*i), patient(101+5*i), patient(102+5*i), patient(103+5*i), patient(104+5*i))
	}
	b.waitFor(`"event":"state_locked"`)
	assert.NotContains(t, b.log.String(), `"event":"started"`)

	// The lease is permanently lost before the first one is woken, and the second
	// one is still there, longer than any wait for a lock.
	a.signal(syscall.SIGCONT)
	a.waitFor(`"event":"source_lease_lost"`)
	b.waitFor(`"event":"started"`)
	b.waitFor(`"event":"release_published"`)
	before, after, _ := strings.Cut(a.log.String(), `"event":"source_lease_lost"`)
	assert.Contains(t, before, `"event":"release_published"`)
	assert.NotContains(t, after, `"event":"release_published"`)
	a.waitFor(`"event":"lease_lost"`) // it stands by again
	for _, p := range []*process{b, a} {
		p.signal(syscall.SIGTERM)
		require.Equal(t, 0, p.wait())
	}
	published := map[any]bool{}
	for _, e := range append(events(t, a.log.String(), "release_published"), events(t, b.log.String(), "release_published")...) {
		require.False(t, published[e["release"]], "release %v was published twice", e["release"])
		published[e["release"]] = true
	}
	require.Equal(t, 0, s.run("", "audit", "-c", "anond.yaml").code)
}

// TestStandbyStopsWhileItWaits: a stop asked for while a member waits for the
// state's lock is an orderly one.
func TestStandbyStopsWhileItWaits(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	c := startKafka(t, 1)
	produceTo(t, c)(0, patient(0), patient(1), patient(2))
	s := newSite(t, clinic(fromKafka(c, leased)))
	a := s.start("run")
	a.waitFor(`"event":"started"`)
	a.signal(syscall.SIGSTOP)
	b := s.start("run")
	b.waitFor(`"event":"state_locked"`)
	b.signal(syscall.SIGTERM)
	require.Equal(t, 0, b.wait(), b.log.String())
	a.signal(syscall.SIGCONT)
}

// TestAMemberWithoutTheStateIsNoPublisher: what the group has committed was read
// by a member with another state. Who does not have that state must not read, and
// publish, the same people again.
func TestAMemberWithoutTheStateIsNoPublisher(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	c := startKafka(t, 1)
	produceTo(t, c)(0, patient(0), patient(1), patient(2), patient(3))
	config := clinic(fromKafka(c, leased))
	first, other := newSite(t, config), newSite(t, config)
	a := first.start("run")
	a.waitFor(`"event":"release_published"`)
	a.signal(syscall.SIGTERM)
	require.Equal(t, 0, a.wait())
	b := other.start("run")
	require.Equal(t, 5, b.wait(), b.log.String())
	assert.Contains(t, b.log.String(), "has committed offset")
	assert.Empty(t, other.read("releases/CURRENT"))
}
