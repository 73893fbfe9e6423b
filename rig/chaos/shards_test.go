package chaos

import (
	"testing"

	"anond/equivclass/equivtest/tier"
)

// TestShardsHold plays plans of shards; make chaos plays more.
func TestShardsHold(t *testing.T) {
	hold(t, tier.Of(t, 1, 2, 4), 4, 5, sharded)
}

// TestAJournalDoesNotWaitForRoom: where a state has no room for what its journal has, the start ends and says so,
// since nothing would hear a reload yet.
func TestAJournalDoesNotWaitForRoom(t *testing.T) {
	holdsWith(t, "plan|x|inside|L1|generalization|on: records, every: 25|1 releases|2|keep 0,shards 2,journal\n"+
		"feed 60 1\nquota-pauses 1 1\nlive 1 1\n", "quota-pauses")
}

// TestTheListOfWhoWasForgottenIsOnItsDisk: the power is cut for the disk of a list that was synced before its erasure
// was killed. It is still there, and has the next start forget.
func TestTheListOfWhoWasForgottenIsOnItsDisk(t *testing.T) {
	for _, step := range []string{"2", "3", "4", "5"} { // listed, written, complete, replaced
		holdsWith(t, "plan|x|inside|L1|generalization|on: records, every: 25|0s|2|keep 0,shards 2,deletes\n"+
			"feed 120 1\nrun 1 1\nforget-killed "+step+" 7\nunion-cut 5 1\nrun 1 1\n", "forget-killed", "union-cut")
	}
}
