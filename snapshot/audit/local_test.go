package audit

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocalChainIsCertified(t *testing.T) {
	p := nestedLocal()
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictCertified, r.Verdict)
	require.Len(t, r.Attributes, 3)
	sex, job, ill := r.Attributes[0], r.Attributes[1], r.Attributes[2]
	for _, a := range r.Attributes {
		require.Equal(t, VerdictCertified, a.Status, a)
	}
	// sex: F F M M and F M M M F: 4 of 9 F; the second release adds M F M F.
	require.InDelta(t, 0.5-4.0/9, *sex.AchievedT, 1e-12)
	require.InDelta(t, 0.6, sex.Posterior, 1e-12)
	require.Equal(t, 2, job.AchievedL)
	require.Equal(t, 2, ill.AchievedL)
	require.Equal(t, "sensitive", ill.Role)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "sex (semi): promised t = 0.3 (equal), achieved t = 0.0556, share 0.6000, posterior 0.6000, "+
		"13 values in 3 buckets: certified (posterior is the share in the bucket; no 1/l is claimed)")
	require.Contains(t, text.String(), "job (semi): promised l = 2, achieved l = 2")
}

// TestLocalCrossingIsConsistent: a chain whose buckets cross classes and that
// says so is no violation and never certified; the report says which attribute's
// cross, and judges the others on their own.
func TestLocalCrossingIsConsistent(t *testing.T) {
	p, _ := standardLocal()
	o := p.write(t, p.render())
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict)
	require.True(t, r.ByRows)
	require.Equal(t, Level{L0: "not claimed", L1: "not claimed", L2: "not claimed"}, r.Level)
	sex, job, ill := r.Attributes[0], r.Attributes[1], r.Attributes[2]
	require.Equal(t, []string{VerdictCertified, VerdictConsistent, VerdictCertified}, []string{sex.Status, job.Status, ill.Status})
	require.Equal(t, []int{0, 3, 0}, []int{sex.Crossing, job.Crossing, ill.Crossing})
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "13 values in 3 buckets: certified")
	require.Contains(t, text.String(), "3 of its buckets cross classes")
	require.Contains(t, text.String(), "level rows")

	o.RequireCertified = true
	r, err = Dir(o)
	require.NoError(t, err)
	require.Equal(t, 3, r.ExitCode())
}

// TestGateDemandsNestedBuckets: the gate of a chain passes neither buckets that
// cross classes under the claim of level L0 nor the claim of level rows.
func TestGateDemandsNestedBuckets(t *testing.T) {
	for level, want := range map[string]string{"L0+L1": kindBucketCrosses, "rows": kindClaimFalse} {
		p, _ := standardLocal()
		p.level = level
		releases := p.render()
		o := p.write(t, releases)
		policy := localGatePolicy(p)
		policy.Rows = false
		found, err := NewGate(policy).Check(filepath.Join(o.Releases, dirName(1)), placedNow(releases[0].number, releases[0].where))
		require.NoError(t, err)
		require.Equal(t, []string{want}, kinds(found))
	}
	p := nestedLocal()
	releases := p.render()
	o := p.write(t, releases)
	policy := localGatePolicy(p)
	policy.Rows = false
	found, err := NewGate(policy).Check(filepath.Join(o.Releases, dirName(1)), placedNow(releases[0].number, releases[0].where))
	require.NoError(t, err)
	require.Empty(t, found)
}
