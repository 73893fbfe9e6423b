package audit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// inL2 runs a test on each recoding of level L2.
func inL2(t *testing.T, f func(t *testing.T, recoding string)) {
	for _, recoding := range l2Recodings {
		t.Run(recoding, func(t *testing.T) { f(t, recoding) })
	}
}

// TestL2ChainIsCertified: what the mutations damage is in order. Levels L0 and L1 are
// certified; of L2 the structure is.
func TestL2ChainIsCertified(t *testing.T) {
	inL2(t, func(t *testing.T, recoding string) {
		p := standardL2(recoding)
		o := p.write(t)
		r, refused := p.check(t, o)
		require.Empty(t, r.Violations)
		require.Empty(t, refused)
		require.Equal(t, VerdictCertified, r.Verdict)
		require.Equal(t, Level{L0: "certified", L1: "certified", L2: levelStructure}, r.Level)
		require.NotContains(t, r.NotPromised, knowsProgram)
		require.Equal(t, &Buckets{Buckets: 7, Classes: 11, Largest: 8, Median: 8, TopShare: .5, AchievedL: 2}, r.Buckets)
	})
}
