package kafkatest

import (
	"testing"

	"anond/equivclass/equivtest/tier"
)

// chosen are the tests below the full tier, which make test-kafka runs as well. The suite has a
// target of its own, so under go test it is what a change of the source breaks first: how records
// are read, are refused and are lost, and how a run stops.
var chosen = tier.Choice{
	Short: []string{"TestStatic"},
	Plain: []string{
		"TestDeadLetterTopic",
		"TestEmptyTopic",
		"TestRetentionGap",
		"TestWrongPassword",
	},
}

// TestChosenTestsExist: the choice names no test that is gone.
func TestChosenTestsExist(t *testing.T) { chosen.Exist(t) }
