package publish_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestAuditorAgreesOnLevelL2 is TestAuditorAgrees for chains of level L2 that are long
// enough for parts to be joined, with what a restart finds.
func TestAuditorAgreesOnLevelL2(t *testing.T) {
	tier.NotShort(t, "it renders many chains")
	for trial := range tier.Of(t, 1, 2, 6) {
		for _, recoding := range sharedRecodings() {
			t.Run(fmt.Sprintf("%s/%d", recoding.Name(), trial), func(t *testing.T) {
				c := &sharedChain{r: rand.New(rand.NewPCG(uint64(trial), 7))}
				root, s := t.TempDir(), sharedSettings(recoding)
				p := publisher(newRecorder(root), root)
				policy := format.Policy{K: 3, L: 2, Republication: "append", MaxRegroups: new(int), Level: "L2"}
				p.Gate = auditGate{gate.New(policy)}
				require.NoError(t, p.Open())
				var members [][]render.Placement
				again := map[int]map[string]string{}
				var arrived []int
				for release := 1; release <= 12; release++ {
					c.grow(t, release, (release+trial)%3 == 0)
					for len(arrived) < len(c.persons) {
						arrived = append(arrived, release)
					}
					v := c.view(t, uint32(release))
					out, err := p.Publish(publish.Of(v), s)
					require.NoError(t, err)
					p.Gate.(auditGate).Commit()
					members = append(members, everybody(t, v, s))
					files, err := render.Births(publish.Of(v), s)
					require.NoError(t, err)
					require.Equal(t, out.Manifest.Parts[len(out.Manifest.Parts)-1].Files, files)
					again[release] = map[string]string{}
					for _, f := range files {
						again[release][f.Name] = f.SHA256
					}
					if release != 7 {
						continue
					}
					require.NoError(t, p.Open()) // a restart
					placed, err := p.Resume(publish.Of(v), s)
					require.NoError(t, err)
					auditor := gate.New(policy)
					violations, err := auditor.Resume(filepath.Join(p.Dir, fmt.Sprintf("%06d", out.Manifest.Release)), given(placed), nil)
					require.NoError(t, err)
					require.Empty(t, violations)
					p.Gate = auditGate{auditor}
				}
				o := (&chain{persons: c.persons, arrived: arrived}).exports(t, root, members)
				withBuckets(t, o.Members, members)
				o.Releases, o.Ledger = p.Dir, p.Ledger
				o.Replay = &audit.Replay{Outcome: audit.ReplayCertified, Parts: again}
				report, err := audit.Dir(o)
				require.NoError(t, err)
				require.Empty(t, report.Violations)
				require.Equal(t, "certified", string(report.Verdict))
			})
		}
	}
}

// withBuckets writes the export of members with their buckets.
func withBuckets(t *testing.T, path string, members [][]render.Placement) {
	var m strings.Builder
	m.WriteString("release,record,part,class,bucket\n")
	for i, placed := range members {
		for _, p := range placed {
			for j, record := range p.Records {
				fmt.Fprintf(&m, "%d,s:0:%d,%s,%d,%d\n", i+1, record, p.Part, p.Classes[j], p.Buckets[j])
			}
		}
	}
	require.NoError(t, os.WriteFile(path, []byte(m.String()), 0o600))
}
