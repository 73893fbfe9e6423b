package kafkasrc

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/internal/kafkaclient"
)

// Members is the membership of this process in a consumer group that divides the numbers from 0 to of-1 among its members: each
// number has one member, as far as the group can tell. Numbers of a member that goes silent go to the others after SessionTimeout.
//
// Guarantee: a number that changes members by order is given to the next one when the one before has said GaveUp, or has left. Nothing
// else is promised: a member that is suspended, or cut off, goes on with what it had, and whoever shares numbers must bear two
// at a time. (Shards do: package shards/host.) In return no outage of the group stops anybody.
//
// Method: the group's own assignment (JoinGroup and SyncGroup), with a balancer that leaves numbers where they are. The numbers stand
// for partitions of cfg.Topic, of which nothing is read.
type Members struct {
	cfg      Config
	client   *client
	group    *kafka.ConsumerGroup
	balancer *numbers
	again    chan struct{} // a number was given up: the group has to hear of it
}

// JoinMembers prepares to join the group cfg.Group. It connects to nobody.
func JoinMembers(cfg Config, of int) (*Members, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Members{cfg: cfg, client: newClient(cfg), balancer: &numbers{of: of, claims: map[int]int64{}}, again: make(chan struct{}, 1)}
	if m.group, err = joinGroup(cfg, m.client, m.balancer); err != nil {
		m.client.Close()
	}
	return m, err
}

// Serve tells which numbers this member has, each time anew, until ctx ends. Then it leaves the group. Brokers that are away are
// waited for; refused credentials are final after OpenTimeout.
func (m *Members) Serve(ctx context.Context, has func([]int)) error {
	defer leaveGroup(m.group, m.client)
	log := m.cfg.Logger.With(slog.String("group", m.cfg.Group))
	h := health{log: log, access: m.cfg.Access}
	var refusedSince time.Time
	for {
		gen, err := m.group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			h.works(noPartition)
			refusedSince = time.Time{}
			mine := m.balancer.take(gen.Assignments[m.cfg.Topic])
			log.Info("the group has divided the shards", event("shards_assigned"), slog.Any("shards", mine), slog.Int("generation", int(gen.ID)))
			gen.Start(func(ctx context.Context) { // its end has this member join again, with what it claims now
				select {
				case <-ctx.Done():
				case <-m.again:
				}
			})
			has(mine)
			continue
		case !kafkaclient.IsPermanent(err):
			refusedSince = time.Time{}
		case refusedSince.IsZero():
			refusedSince = time.Now()
		case time.Since(refusedSince) >= m.cfg.OpenTimeout:
			return fmt.Errorf("kafka refuses this client: %w", m.cfg.Access.Explained(err, toRead))
		}
		h.fails(noPartition, err)
	}
}

// GaveUp says that this member does nothing more with a number that was taken from it.
func (m *Members) GaveUp(number int) {
	m.balancer.drop(number)
	select {
	case m.again <- struct{}{}:
	default:
	}
}

// numbers is the kafka.GroupBalancer of Members. Each member tells since when it has which number. Of two who have one, it is that
// of the one that got it last: the other was suspended. A member keeps what it has, up to its share; what is beyond goes to
// nobody until it is given up. All members compute the same, so it does not matter which one leads.
type numbers struct {
	of int

	mu     sync.Mutex
	claims map[int]int64 // since when, in Unix nanoseconds
}

// ProtocolName implements kafka.GroupBalancer. Members that divide otherwise cannot join.
func (b *numbers) ProtocolName() string { return fmt.Sprintf("anond-shards-%d", b.of) }

// UserData implements kafka.GroupBalancer: a version byte, and number and time of each claim.
func (b *numbers) UserData() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []byte{claimVersion}
	for n := range b.of {
		if since, has := b.claims[n]; has {
			out = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(out, uint32(n)), uint64(since))
		}
	}
	return out, nil
}

// take notes what this member has got. What it had before stays claimed until it is given up.
func (b *numbers) take(got []kafka.PartitionAssignment) []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	mine, now := []int{}, time.Now().UnixNano()
	for _, p := range got {
		mine = append(mine, p.ID)
		if _, has := b.claims[p.ID]; !has {
			b.claims[p.ID] = now
		}
	}
	slices.Sort(mine)
	return mine
}

func (b *numbers) drop(number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.claims, number)
}

// AssignGroups implements kafka.GroupBalancer.
func (b *numbers) AssignGroups(members []kafka.GroupMember, _ []kafka.Partition) kafka.GroupMemberAssignments {
	out := kafka.GroupMemberAssignments{}
	for id, mine := range b.divide(members) {
		out[id] = map[string][]int{}
		for _, m := range members {
			if m.ID == id {
				out[id][m.Topics[0]] = mine
			}
		}
	}
	return out
}

// divide gives each member its numbers.
func (b *numbers) divide(members []kafka.GroupMember) map[string][]int {
	owner, newest, held := map[int]string{}, map[int]int64{}, map[string]int{}
	members = slices.SortedFunc(slices.Values(members), func(a, b kafka.GroupMember) int { return strings.Compare(a.ID, b.ID) })
	for _, m := range members {
		for n, since := range claimsOf(m.UserData, b.of) {
			if since > newest[n] {
				owner[n], newest[n] = m.ID, since
			}
		}
	}
	for _, id := range owner {
		held[id]++
	}
	slices.SortStableFunc(members, func(a, b kafka.GroupMember) int { return held[b.ID] - held[a.ID] })
	out, share := map[string][]int{}, map[string]int{}
	for i, m := range members {
		out[m.ID], share[m.ID] = []int{}, (b.of+len(members)-1-i)/len(members)
	}
	var free []int
	for n := range b.of {
		switch id, owned := owner[n]; {
		case !owned:
			free = append(free, n)
		case len(out[id]) < share[id]:
			out[id] = append(out[id], n)
		}
	}
	for _, m := range members {
		n := min(len(free), share[m.ID]-len(out[m.ID]))
		out[m.ID] = append(out[m.ID], free[:n]...)
		free = free[n:]
	}
	return out
}

// claimsOf reads what a member tells; what it cannot read is none.
func claimsOf(userData []byte, of int) map[int]int64 {
	out := map[int]int64{}
	if len(userData) == 0 || userData[0] != claimVersion {
		return out
	}
	for rest := userData[1:]; len(rest) >= 12; rest = rest[12:] {
		if n := binary.BigEndian.Uint32(rest); n < uint32(of) {
			out[int(n)] = max(1, int64(binary.BigEndian.Uint64(rest[4:])))
		}
	}
	return out
}
