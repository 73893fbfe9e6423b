package audit

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

func kinds(list []format.Violation) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Kind)
	}
	return out
}

func TestStandardChainIsCertified(t *testing.T) {
	for _, recoding := range []string{"generalization", "anatomy", "permutation"} {
		t.Run(recoding, func(t *testing.T) {
			p, _ := standard()
			p.recoding = recoding
			r, err := Dir(p.write(t, p.render()))
			require.NoError(t, err)
			require.Empty(t, r.Violations)
			require.Equal(t, VerdictCertified, r.Verdict)
			require.Equal(t, 0, r.ExitCode())
			c := r.Certificates
			require.Equal(t, 8+6+5, c.FrozenRecords)
			require.Equal(t, 15, c.PureRecords)
			require.Zero(t, c.OtherRecords)
			require.InDelta(t, 0.5, c.MaxPosterior, 1e-12) // signature {d,e}
			require.InDelta(t, 1.0/5, c.RowLink, 1e-12)
			require.Equal(t, 3, c.TrajectoryK)
			require.Equal(t, []int{8 + 6 + 5 + 3, 12}, r.Regroups)
			require.Equal(t, 2, r.Releases[2].Waiting)
			require.InDelta(t, 1.0, *r.Releases[2].WaitingTopShare, 1e-12)
			for _, a := range r.Attackers {
				require.Zero(t, a.BelowL, a.Name)
			}
		})
	}
}

func TestEachPureOrFrozenChainIsCertified(t *testing.T) {
	p, g := standard()
	p.releases = [][][]int{{g.frozen, g.q}, {g.frozen, g.q, g.late}}
	for _, i := range g.late {
		p.people[i].arrived = 2
	}
	for _, i := range join(g.p1, g.p2, g.grown, g.waiting) {
		p.people[i].arrived = 0
	}
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Equal(t, VerdictCertified, r.Verdict, r.Violations)
	require.Equal(t, "frozen", r.Releases[1].Certificate)

	p, g = standard()
	p.releases = [][][]int{{g.p1, g.p2, g.q}, {join(g.p1[:3], g.p2[:3]), join(g.p1[3:], g.p2[3:], g.grown), g.q}}
	for _, i := range join(g.frozen, g.late, g.waiting) {
		p.people[i].arrived = 0
	}
	r, err = Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Equal(t, VerdictCertified, r.Verdict, r.Violations)
	require.Equal(t, "pure", r.Releases[1].Certificate)
}

func TestPublicFilesAloneAreAtBestConsistent(t *testing.T) {
	p, _ := standard()
	o := p.write(t, p.render())
	o.Members, o.Records = "", ""
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict)
	require.NotEmpty(t, r.NotChecked)
	require.Equal(t, 0, r.ExitCode())
	o.RequireCertified = true
	r, err = Dir(o)
	require.NoError(t, err)
	require.Equal(t, 3, r.ExitCode())
}

func TestReportHoldsNoValue(t *testing.T) {
	p, g := standard()
	for i := range p.people {
		p.people[i].value = "CANARY-" + p.people[i].value
	}
	p.releases[2][0] = join(g.frozen, g.waiting[:1]) // violations name nobody either
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Equal(t, verdictViolated, r.Verdict)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	asJSON, err := json.Marshal(r)
	require.NoError(t, err)
	for _, s := range []string{"CANARY", "north-", "miner", "topic:"} {
		require.NotContains(t, text.String(), s)
		require.NotContains(t, string(asJSON), s)
	}
	require.Contains(t, text.String(), "Not promised")
}

// TestPartialMembersExport: an export that begins later (--from N) allows the
// microdata checks of its releases and no certificate.
func TestPartialMembersExport(t *testing.T) {
	p, _ := standard()
	o := p.write(t, p.render())
	rewrite(t, o.Members, func(b []byte) []byte {
		var out []byte
		for i, line := range bytes.SplitAfter(b, []byte("\n")) {
			if i == 0 || !bytes.HasPrefix(line, []byte("1,")) {
				out = append(out, line...)
			}
		}
		return out
	})
	r, err := Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictConsistent, r.Verdict, r.Violations)
	require.Contains(t, r.NotChecked[0], "1 of 3 releases")

	rewrite(t, o.Records, func(b []byte) []byte { return bytes.Replace(b, []byte("clerk,a\n"), []byte("clerk,b\n"), 1) })
	r, err = Dir(o)
	require.NoError(t, err)
	require.Contains(t, kinds(r.Violations), format.KindBagMismatch)
}

// TestInterruptedPublication: a crash after the rename leaves CURRENT and ledger
// one behind. The daemon finishes it; it is no violation, and it is listed as not checked.
func TestInterruptedPublication(t *testing.T) {
	p, _ := standard()
	o := p.write(t, p.render())
	rewrite(t, filepath.Join(o.Releases, "CURRENT"), func([]byte) []byte { return []byte("000002\n") })
	rewrite(t, o.Ledger, func(b []byte) []byte { return b[:len(b)-20] })
	r, err := Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictCertified, r.Verdict, r.Violations)
	require.Contains(t, strings.Join(r.NotChecked, "\n"), "release 3 is fully published")
}
