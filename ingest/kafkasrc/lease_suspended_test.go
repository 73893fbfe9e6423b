package kafkasrc

import (
	"context"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

// A process that was suspended for longer than the group waits notices at once
// that it may have lost the lease, before any broker says so.
func TestSuspendedHolderLosesItsLease(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		a := rig.join("a")
		a.wait()
		time.Sleep(time.Minute)
		require.NoError(t, a.lease.Held())
		asleep := time.Now().Add(-a.lease.doubt() - time.Second)
		a.lease.beat.Store(&asleep)
		require.ErrorIs(t, a.lease.Held(), ErrLeaseLost)
		start := time.Now()
		<-a.lease.Lost()
		require.Less(t, time.Since(start), a.lease.cfg.Membership.Heartbeat)
		require.ErrorIs(t, a.lease.Commit(context.Background(), map[int32]int64{0: 5}), ErrLeaseLost)
		b := rig.join("b")
		b.wait()
		require.NoError(t, b.lease.Held())
		require.Contains(t, a.log.text("source_lease_lost"), "suspended")
		a.leave()
		b.leave()
		time.Sleep(time.Minute)
	})
}

// A process that was starved gives up by Close as soon as it runs again, before anything
// else of it has noticed. It has lost its lease, and does not say that it released it.
func TestStarvedHolderThatClosesHasLostItsLease(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		a := rig.join("a")
		a.wait()
		asleep := time.Now().Add(-a.lease.doubt() - time.Second)
		a.lease.beat.Store(&asleep)
		require.ErrorIs(t, a.lease.Held(), ErrLeaseLost)
		a.leave()
		require.Contains(t, a.log.text("source_lease_lost"), "suspended")
		require.Empty(t, a.log.text("source_lease_released"))
		b := rig.join("b")
		b.wait()
		b.leave()
		require.NotEmpty(t, b.log.text("source_lease_released"))
		time.Sleep(time.Minute)
	})
}

// TestALostLeaseIsNotConfirmed: a generation that confirms a lease which was given up meanwhile
// commits nothing.
func TestALostLeaseIsNotConfirmed(t *testing.T) {
	l := &Lease{balancer: &leaseBalancer{}, lost: make(chan struct{}), generation: &kafka.Generation{}}
	l.lose()
	l.goOn(&kafka.Generation{})
	require.ErrorIs(t, l.Commit(context.Background(), map[int32]int64{0: 5}), ErrLeaseLost)
}
