package audit

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

const knowsProgram = "a reader who knows the program and the law of its random choices (level L2)"

// TestLevels: level L0+L1 is all that a release of level L1 can claim.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(i int, r *testRelease)
		want   []string // kinds
	}{
		{"L1", func(int, *testRelease) {}, nil},
		{"L2", func(_ int, r *testRelease) { r.privacy["level"] = "L0+L1+L2" }, []string{format.KindClaimFalse, format.KindClaimFalse,
			format.KindClaimFalse}},
		{"no level", func(i int, r *testRelease) {
			if i == 2 {
				r.privacy["level"] = ""
			}
		}, []string{format.KindClaimFalse}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := standard()
			releases := p.render()
			for i, r := range releases {
				c.change(i, r)
			}
			o := p.write(t, releases)
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, c.want, kinds(r.Violations))
			require.Equal(t, "not claimed", r.Level.L2)
			require.Contains(t, r.NotPromised, knowsProgram, "in any case")
			g, refused := gate.New(gatePolicy(p)), []string(nil)
			for i, r := range releases {
				found, err := g.Check(filepath.Join(o.Releases, format.DirName(i+1)), placedNow(r.number, r.where))
				require.NoError(t, err)
				refused = append(refused, kinds(found)...)
				g.Commit()
			}
			if c.want == nil {
				require.Equal(t, VerdictCertified, r.Verdict)
				require.Empty(t, refused)
			} else {
				require.Contains(t, refused, format.KindClaimFalse)
			}
		})
	}
}
