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
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
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

// TestAuditorAgreesOnErasure: the auditor certifies a chain from which buckets leave, in front of each release and afterwards, with
// exports and without, through compactions and a restart.
func TestAuditorAgreesOnErasure(t *testing.T) {
	c := &sharedChain{r: rand.New(rand.NewPCG(3, 7))}
	root, s := t.TempDir(), sharedSettings(render.Buckets())
	s.Erasure = &snapshot.Erasure{Every: 100, Count: 1}
	p := publisher(newRecorder(root), root)
	policy := format.Policy{K: 3, L: 2, Republication: "append", MaxRegroups: new(int), Level: "L2"}
	p.Gate = auditGate{gate.New(policy)}
	require.NoError(t, p.Open())
	died := map[state.BucketID]uint32{}
	var members [][]render.Placement
	var arrived []int
	for release := uint32(1); release <= 13; release++ {
		if release >= 4 && release != 9 {
			for b := range c.byBucket() {
				if died[b] == 0 && uint32(b)%7 == release%7 {
					died[b] = release
				}
			}
		}
		c.grow(t, int(release), release%3 == 0)
		for len(arrived) < len(c.persons) {
			arrived = append(arrived, int(release))
		}
		v := withdrawn(c.view(t, release), died)
		out, err := p.Publish(publish.Of(v), s)
		require.NoError(t, err, "release %d", release)
		p.Gate.(auditGate).Commit()
		members = append(members, everybody(t, v, s))
		if release != 8 {
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
	require.Greater(t, len(died), 10)
	o := (&chain{persons: c.persons, arrived: arrived}).exports(t, root, members)
	withBuckets(t, o.Members, members)
	o.Releases, o.Ledger = p.Dir, p.Ledger
	report, err := audit.Dir(o)
	require.NoError(t, err)
	require.Empty(t, report.Violations)
	require.Equal(t, "certified", string(report.Verdict))
	report, err = audit.Dir(audit.Options{Releases: p.Dir, Ledger: p.Ledger})
	require.NoError(t, err)
	require.Empty(t, report.Violations)
	require.Equal(t, "consistent", string(report.Verdict))
}

// withdrawn is a view without the buckets that have left, at a time of its own.
func withdrawn(v *incremental.View, died map[state.BucketID]uint32) *incremental.View {
	out := *v
	out.Classes, out.Dead = nil, nil
	for _, x := range v.Classes {
		if x.Born == v.Intent.Release {
			out.Intent.Newcomers += len(x.Members)
		}
	}
	out.Intent.CreatedAt = int64(v.Intent.Release) * 100
	for _, x := range v.Classes {
		if x.Died = died[x.Bucket]; x.Died > 0 {
			out.Dead = append(out.Dead, x)
			out.Intent.Records, out.Intent.Classes = out.Intent.Records-len(x.Members), out.Intent.Classes-1
		} else {
			out.Classes = append(out.Classes, x)
		}
	}
	return &out
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
