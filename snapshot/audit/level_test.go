package audit

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const knowsProgram = "a reader who knows the program and the law of its random choices (level L2)"

// TestTransparentField: manifests of earlier versions have policy.transparent. A
// chain may go on without the field where it was false. Where it was true, the
// chain is read as before, and what it claims is not checked and not vouched for.
// Mutation: notPromised leaves level L2 out where it is claimed.
func TestTransparentField(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(i int, r *testRelease)
		l2     string
		want   []string // kinds
	}{
		{"false, then absent", func(i int, r *testRelease) {
			if i > 0 {
				delete(r.policy, "transparent")
			}
		}, "not claimed", nil},
		{"absent", func(_ int, r *testRelease) { delete(r.policy, "transparent") }, "not claimed", nil},
		{"true", func(_ int, r *testRelease) { r.policy["transparent"], r.privacy["level"] = true, "L0+L1+L2" }, "claimed, not checked", nil},
		{"true, then absent", func(i int, r *testRelease) {
			r.policy["transparent"], r.privacy["level"] = true, "L0+L1+L2"
			if i == 2 {
				delete(r.policy, "transparent")
				r.privacy["level"] = "L0+L1"
			}
		}, "claimed, not checked", []string{kindContractChanged}},
		{"claimed without the policy", func(_ int, r *testRelease) { r.privacy["level"] = "L0+L1+L2" }, "not claimed",
			[]string{kindClaimFalse, kindClaimFalse, kindClaimFalse}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := standard()
			releases := p.render()
			for i, r := range releases {
				c.change(i, r)
			}
			r, err := Dir(p.write(t, releases))
			require.NoError(t, err)
			require.Equal(t, c.want, kinds(r.Violations))
			require.Equal(t, c.l2, r.Level.L2)
			require.Contains(t, r.NotPromised, knowsProgram, "in any case")
			if c.want == nil {
				require.Equal(t, VerdictCertified, r.Verdict)
			}
		})
	}
}

// TestGateAndTheTransparentField: the gate takes a release without the field for
// one that has false, in either order, and refuses one that claims level L2.
func TestGateAndTheTransparentField(t *testing.T) {
	for _, without := range []int{0, 1, 2} {
		p, _ := standard()
		releases := p.render()
		delete(releases[without].policy, "transparent")
		o := p.write(t, releases)
		g := NewGate(gatePolicy(p))
		for i, r := range releases {
			found, err := g.Check(filepath.Join(o.Releases, dirName(i+1)), memberSlice(p, r))
			require.NoError(t, err)
			require.Empty(t, found)
			g.Commit()
		}
	}
	p, _ := standard()
	releases := p.render()
	releases[0].policy["transparent"], releases[0].privacy["level"] = true, "L0+L1+L2"
	o := p.write(t, releases)
	found, err := NewGate(gatePolicy(p)).Check(filepath.Join(o.Releases, dirName(1)), memberSlice(p, releases[0]))
	require.NoError(t, err)
	require.Equal(t, []string{kindClaimFalse}, kinds(found))
}
