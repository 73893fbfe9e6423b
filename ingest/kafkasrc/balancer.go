package kafkasrc

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/segmentio/kafka-go"
)

// leaseBalancer gives all partitions to one member of the group and none to the
// others, which stand by. It implements kafka.GroupBalancer.
//
// The member that claims the lease keeps it; of several claims the newest
// counts, so that a member that was suspended while the group removed it does
// not take the lease back from its successor. Without a claim the smallest
// member id gets it. All members compute the same assignment, so it does not
// matter which one leads.
type leaseBalancer struct {
	claim atomic.Int64 // Unix nanoseconds at which this member got the lease; 0: it has none
}

const (
	leaseProtocol = "anond-lease"
	claimVersion  = 1
)

// ProtocolName implements kafka.GroupBalancer.
func (*leaseBalancer) ProtocolName() string { return leaseProtocol }

// UserData implements kafka.GroupBalancer: a version byte and the claim.
func (b *leaseBalancer) UserData() ([]byte, error) {
	return binary.BigEndian.AppendUint64([]byte{claimVersion}, uint64(b.claim.Load())), nil
}

// AssignGroups implements kafka.GroupBalancer.
func (*leaseBalancer) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	var owner string
	best := int64(-1)
	for _, m := range members {
		if c := claimOf(m.UserData); c > best || c == best && m.ID < owner {
			owner, best = m.ID, c
		}
	}
	assignments := kafka.GroupMemberAssignments{}
	for _, m := range members {
		assignments[m.ID] = map[string][]int{}
		if m.ID != owner {
			continue
		}
		for _, topic := range m.Topics {
			assignments[m.ID][topic] = partitionsOf(topic, partitions)
		}
	}
	return assignments
}

// partitionsOf lists the topic's partitions. A topic that does not exist yet
// counts as one partition: the assignment is the lease, and the source finds
// partitions by itself.
func partitionsOf(topic string, partitions []kafka.Partition) []int {
	var ids []int
	for _, p := range partitions {
		if p.Topic == topic {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		ids = []int{0}
	}
	return ids
}

func claimOf(userData []byte) int64 {
	if len(userData) != 9 || userData[0] != claimVersion {
		return 0
	}
	return max(0, int64(binary.BigEndian.Uint64(userData[1:])))
}
