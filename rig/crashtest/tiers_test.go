package crashtest

import (
	"testing"

	"anond/equivclass/equivtest/tier"
)

// chosen are the tests below the full tier: under go test about one of every second file,
// the ones that find loss, disclosure or a wrong exit code in a run or two of the
// program. Those that kill often, wait for time limits or read many records are
// left to the full tier.
var chosen = tier.Choice{
	Short: []string{"TestTheSiteWorks"},
	Plain: []string{
		"TestAHangupReloads",
		"TestAHierarchyThatIsNoTree",
		"TestAKilledAuditLeavesNoExport",
		"TestAKillAroundADelete",
		"TestAKillAtEachStepOfForget",
		"TestAKilledRunCountsLinesOnce",
		"TestAMemberWithoutTheStateIsNoPublisher",
		"TestAPermanentFaultEndsTheDaemon",
		"TestARefusedFirstLoadGrows",
		"TestAPasswordIsNeverEchoed",
		"TestAStrayQuoteCostsItsOwnLine",
		"TestATornLastLineIsLeftUnread",
		"TestForgetBesideADaemon",
		"TestNothingPrivateLiesInTheReleases",
		"TestSteeringTheProgram",
		"TestThePlaceOfAYAMLFaultIsNamed",
		"TestTheServiceManagerIsTold",
		"TestWithoutABroker",
	},
}

// TestChosenTestsExist: the choice names no test that is gone.
func TestChosenTestsExist(t *testing.T) { chosen.Exist(t) }
