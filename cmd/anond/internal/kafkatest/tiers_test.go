package kafkatest

import (
	"testing"

	"anond/equivclass/equivtest/tier"
)

// chosen are the tests below the full tier, which make test-kafka runs as well:
// under go test one of each way to read, to lose and to stop, without those that
// wait for a lease, for a broker that starts again or for retries.
var chosen = tier.Choice{
	Short: []string{"TestStatic"},
	Plain: []string{
		"TestAborted",
		"TestBrokerAway",
		"TestDeadLetterTopic",
		"TestDeliver",
		"TestOutputsDocument",
		"TestEmptyTopic",
		"TestKill",
		"TestMutualTLS",
		"TestReset",
		"TestRetentionGap",
		"TestWrongPassword",
	},
}

// TestChosenTestsExist: the choice names no test that is gone.
func TestChosenTestsExist(t *testing.T) { chosen.Exist(t) }
