package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// TestUnionIsCertified: a union of certified chains of different people is certified; the
// report adds up what its shards' say.
func TestUnionIsCertified(t *testing.T) {
	u := standardUnion()
	o := u.write(t)
	o.RequireCertified = true
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	assert.Equal(t, VerdictCertified, r.Verdict)
	assert.Equal(t, 0, r.ExitCode())
	assert.Equal(t, Level{"certified", "certified", "not claimed"}, r.Level)
	assert.Equal(t, len(u.shards[0].people)+len(u.shards[1].people), r.Union.People)
	require.Len(t, r.Releases, 4)
	alone := r.Union.Shards[0].Report
	assert.Equal(t, 2*alone.Releases[2].Records, r.Releases[3].Records)
	assert.Equal(t, 2*alone.Certificates.FrozenRecords, r.Certificates.FrozenRecords)
	assert.Equal(t, alone.Certificates.MaxPosterior, r.Certificates.MaxPosterior)
	assert.Equal(t, r.Releases[0].Records, r.Releases[0].Newcomers)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	assert.Contains(t, text.String(), "The releases are a union of 2 shards")
	noPeople(t, text.String())

	o.Exports = ""
	r, err = Dir(o)
	require.NoError(t, err)
	assert.Equal(t, VerdictConsistent, r.Verdict)
	assert.Equal(t, 3, r.ExitCode())
	assert.Equal(t, -1, r.Union.People)
	assert.Contains(t, strings.Join(r.NotChecked, "\n"), "that nobody is in two shards: 2 shards have no exports")
	for n := 1; n <= 4; n++ {
		v, err := GateUnion(o.Releases, filepath.Join(o.Releases, format.DirName(n)))
		require.NoError(t, err)
		require.Empty(t, v)
	}
}

// TestUnionForgetsNobodyTwice: rows without owner are in several shards, and are nobody.
func TestUnionForgetsNobodyTwice(t *testing.T) {
	o := standardUnion().write(t)
	for _, shard := range []string{"shard-0", "shard-1"} {
		path := filepath.Join(o.Exports, shard, "records.csv")
		rewrite(t, path, func(b []byte) []byte {
			return append(b, "forgotten:0:70,,forgotten-70,20,north-1,clerk,a\n"...)
		})
	}
	r, err := Dir(o)
	require.NoError(t, err)
	assert.NotContains(t, kindsOf(r.Violations), format.KindSubjectShards)
}

// TestUnionWithoutSubjectKey: digests under keys of their own cannot be compared, so that nobody
// knows whether somebody is in two shards.
func TestUnionWithoutSubjectKey(t *testing.T) {
	u := standardUnion()
	for i := range u.shards[1].people {
		u.shards[1].people[i].subject = strings.TrimPrefix(u.shards[1].people[i].subject, "key:")
	}
	r, err := Dir(u.write(t))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	assert.Equal(t, VerdictConsistent, r.Verdict)
	assert.Contains(t, strings.Join(r.NotChecked, "\n"), "1 shards have no subject.key")
	assert.Equal(t, -1, r.Union.People)
}

// pruneUnion removes the directory of a release of a union, as anond does.
func pruneUnion(t testing.TB, o Options, release int) {
	dir := filepath.Join(o.Releases, format.DirName(release))
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(o.Releases, "pruned"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(o.Releases, "pruned", format.DirName(release)+".json"), data, 0o600))
	require.NoError(t, os.RemoveAll(dir))
}

// TestUnionPruned: of pruned releases the manifests are held against the shards' chains.
func TestUnionPruned(t *testing.T) {
	o := standardUnion().write(t)
	pruneUnion(t, o, 1)
	pruneUnion(t, o, 2)
	r, err := Dir(o)
	require.NoError(t, err)
	assert.Empty(t, r.Violations)
	assert.Equal(t, VerdictCertified, r.Verdict)
	assert.Equal(t, []int{1, 2}, r.Pruned)
	assert.Len(t, r.Releases, 4)

	u := standardUnion()
	u.edit = inUnion(2, func(r *testUnion) { r.parts = r.parts[:1] })
	o = u.write(t)
	pruneUnion(t, o, 1)
	pruneUnion(t, o, 2)
	r, err = Dir(o)
	require.NoError(t, err)
	assert.Contains(t, kindsOf(r.Violations), format.KindShardPart, "a part less in a pruned release")

	o = standardUnion().write(t)
	pruneUnion(t, o, 2)
	r, err = Dir(o)
	require.NoError(t, err)
	assert.Contains(t, kindsOf(r.Violations), format.KindReleaseMissing, "not the oldest")
}

// unionMutation damages a union: in its plan, in what a release says, or in the files.
type unionMutation struct {
	name, want string
	ungated    bool // the gate cannot see it: it needs the chains, or follows publication
	plan       func(u *unionPlan)
	files      func(t *testing.T, o Options)
}

// last edits the newest release.
func last(f func(r *testUnion)) func(*unionPlan) {
	return func(u *unionPlan) { u.edit = inUnion(4, f) }
}

func replaceBy(t *testing.T, to, from string) {
	require.NoError(t, os.Remove(to))
	require.NoError(t, os.Link(from, to))
}

var unionMutations = []unionMutation{
	{name: "the vector goes back", want: format.KindVectorBack, plan: func(u *unionPlan) { u.vectors[3] = []int{1, 3} }},
	{name: "a shard disappears", want: format.KindVectorBack, plan: func(u *unionPlan) { u.vectors[3] = []int{3, 0} }},
	{name: "nothing new", want: format.KindVectorShape, plan: func(u *unionPlan) { u.vectors[3] = u.vectors[2] }},
	{name: "a shard listed twice", want: format.KindVectorShape, plan: last(func(r *testUnion) { r.vector[1]["shard"] = 0 })},
	{name: "another number of shards", want: format.KindContractChanged, plan: last(func(r *testUnion) {
		r.man["union"].(map[string]any)["of"] = 3
	})},
	{name: "another manifest of a shard", want: format.KindShardManifest, plan: last(func(r *testUnion) {
		r.vector[0]["sha256"] = strings.Repeat("ab", 32)
	})},
	{name: "a release that the chain does not have", want: format.KindVectorRelease, ungated: true, files: func(t *testing.T, o Options) {
		path := filepath.Join(o.Releases, "shards", "1", format.DirName(3))
		require.NoError(t, os.RemoveAll(path))
		rewrite(t, filepath.Join(o.Releases, "shards", "1", "CURRENT"), func([]byte) []byte { return []byte("000002\n") })
		for _, name := range []string{"members.csv", "records.csv"} {
			rewrite(t, filepath.Join(o.Exports, "shard-1", name), func(b []byte) []byte {
				lines := strings.SplitAfter(string(b), "\n")
				return []byte(strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "3,") }), ""))
			})
		}
	}},
	{name: "the root", want: format.KindVectorRoot, plan: last(func(r *testUnion) {
		r.root = false
		r.man["union"].(map[string]any)["root"] = strings.Repeat("ab", 32)
	})},
	{name: "the records", want: format.KindUnionSum, plan: last(func(r *testUnion) { r.man["records"] = r.man["records"].(int) + 1 })},
	{name: "the classes", want: format.KindUnionSum, plan: last(func(r *testUnion) { r.man["classes"] = r.man["classes"].(int) - 1 })},
	{name: "the pending", want: format.KindUnionSum, plan: last(func(r *testUnion) { r.man["pending"] = 0 })},
	{name: "the count of a shard", want: format.KindUnionSum, plan: last(func(r *testUnion) { r.vector[1]["records"] = 3 })},
	{name: "counts of a shard without release", want: format.KindUnionSum, plan: func(u *unionPlan) {
		u.edit = inUnion(1, func(r *testUnion) { r.vector[1]["pending"] = 3 })
	}, ungated: true},
	{name: "k_min", want: format.KindClaimFalse, plan: last(func(r *testUnion) { r.man["privacy"].(map[string]any)["k_min"] = 7 })},
	{name: "max_frequency", want: format.KindClaimFalse,
		plan: last(func(r *testUnion) { r.man["privacy"].(map[string]any)["max_frequency"] = 0.1 })},
	{name: "the level", want: format.KindClaimFalse,
		plan: last(func(r *testUnion) { r.man["privacy"].(map[string]any)["level"] = "L0+L1+L2" })},
	{name: "the certificate", want: format.KindClaimFalse, plan: last(func(r *testUnion) {
		r.man["privacy"].(map[string]any)["certificate"] = "frozen"
	})},
	{name: "seeded", want: format.KindClaimFalse, plan: last(func(r *testUnion) { r.man["seeded"] = false })},
	{name: "settings of a shard", want: format.KindShardSettings, plan: func(u *unionPlan) { u.shards[1].budget = 3 }},
	{name: "settings of the union", want: format.KindShardSettings, plan: last(func(r *testUnion) { r.man["dataset"] = "other" })},
	{name: "a person in two shards", want: format.KindSubjectShards, ungated: true, plan: func(u *unionPlan) {
		u.shards[1].people[3].subject = u.shards[0].people[5].subject
	}},
	{name: "another subject key", want: format.KindSubjectKeys, ungated: true, plan: func(u *unionPlan) {
		for i := range u.shards[1].people {
			u.shards[1].people[i].subject = "another" + u.shards[1].people[i].subject
		}
	}},
	{name: "a partition in two shards", want: format.KindSourceShards, ungated: true, files: func(t *testing.T, o Options) {
		for _, shard := range []string{"shard-0", "shard-1"} {
			for _, name := range []string{"members.csv", "records.csv"} {
				rewrite(t, filepath.Join(o.Exports, shard, name), func(b []byte) []byte {
					return bytes.ReplaceAll(b, []byte("topic:"), []byte("kafka:t:"))
				})
			}
		}
	}},
	{name: "one chain as two shards", want: format.KindSourceShards, plan: func(u *unionPlan) {
		u.shards[1] = u.shards[0]
		u.vectors = [][]int{{1, 0}, {2, 1}, {2, 2}, {3, 3}}
	}},
	{name: "a part is missing", want: format.KindShardPart, plan: last(func(r *testUnion) { r.parts = slices.Delete(r.parts, 1, 2) })},
	{name: "the last part is missing", want: format.KindShardPart, plan: last(func(r *testUnion) { r.parts = r.parts[:len(r.parts)-1] })},
	{name: "a part too many", want: format.KindShardPart, plan: last(func(r *testUnion) { r.parts = append(r.parts, r.parts[0]) })},
	{name: "a part of another shard", want: format.KindShardPart, plan: last(func(r *testUnion) { r.parts[0]["shard"] = 1 })},
	{name: "a dead class that lives", want: format.KindShardPart, plan: last(func(r *testUnion) { delete(r.parts[0], "dead") })},
	{name: "a link to the file of another shard", want: format.KindHashMismatch, files: func(t *testing.T, o Options) {
		replaceBy(t, filepath.Join(o.Releases, format.DirName(4), "shard-0/part-000003/data.csv"),
			filepath.Join(o.Releases, "shards/1/000001/part-000001/data.csv"))
	}},
	{name: "a link to the file of another release", want: format.KindHashMismatch, files: func(t *testing.T, o Options) {
		replaceBy(t, filepath.Join(o.Releases, format.DirName(4), "shard-0/part-000003/data.csv"),
			filepath.Join(o.Releases, format.DirName(2), "shard-0/part-000002/data.csv"))
	}},
	{name: "a file is missing", want: format.KindPartMissing, files: func(t *testing.T, o Options) {
		require.NoError(t, os.Remove(filepath.Join(o.Releases, format.DirName(4), "shard-1/part-000001/data.csv")))
	}},
	{name: "the directory of a shard is missing", want: format.KindPartMissing, files: func(t *testing.T, o Options) {
		require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, format.DirName(4), "shard-1")))
	}},
	{name: "a file too many", want: format.KindUnexpectedFile, files: func(t *testing.T, o Options) {
		require.NoError(t, os.WriteFile(filepath.Join(o.Releases, format.DirName(4), "shard-1/part-000001/more.csv"), nil, 0o600))
	}},
	{name: "a file among the shards", want: format.KindUnexpectedFile, ungated: true, files: func(t *testing.T, o Options) {
		require.NoError(t, os.WriteFile(filepath.Join(o.Releases, "shards/notes"), nil, 0o600))
	}},
	{name: "a file among the intents", want: format.KindUnexpectedFile, ungated: true, files: func(t *testing.T, o Options) {
		require.NoError(t, os.MkdirAll(filepath.Join(o.Releases, "intents"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(o.Releases, "intents/000001"), nil, 0o600))
	}},
	{name: "a directory too many", want: format.KindUnexpectedFile, files: func(t *testing.T, o Options) {
		require.NoError(t, os.Mkdir(filepath.Join(o.Releases, format.DirName(4), "shard-2"), 0o755))
	}},
	{name: "the manifest of another release of the shard", want: format.KindShardManifest, files: func(t *testing.T, o Options) {
		replaceBy(t, filepath.Join(o.Releases, format.DirName(4), "shard-1/manifest.json"), filepath.Join(o.Releases,
			"shards/1/000002/manifest.json"))
	}},
	{name: "the chain", want: format.KindChainBroken, plan: last(func(r *testUnion) {
		r.man["previous"] = map[string]any{"release": 3, "sha256": strings.Repeat("ab", 32)}
	})},
	{name: "the time", want: format.KindTimeBack, plan: last(func(r *testUnion) { r.man["created_at"] = "2026-11-20T00:00:00Z" })},
	{name: "CURRENT", want: format.KindCurrentMismatch, ungated: true, files: func(t *testing.T, o Options) {
		require.NoError(t, os.WriteFile(filepath.Join(o.Releases, "CURRENT"), []byte("000001\n"), 0o600))
	}},
	{name: "the ledger", want: format.KindLedgerMismatch, ungated: true, files: func(t *testing.T, o Options) {
		rewrite(t, o.Ledger, func(b []byte) []byte { return append([]byte("1 "+strings.Repeat("ab", 32)), b[66:]...) })
	}},
	{name: "a lone newcomer in a shard", want: format.KindLoneNewcomer, ungated: true, plan: func(u *unionPlan) {
		p, g := standard()
		for i := range p.people {
			p.people[i].subject, p.people[i].age = fmt.Sprint("other-", i), p.people[i].age+50
		}
		p.releases[2][0] = join(g.frozen, g.waiting[:1])
		u.shards[1] = p
	}},
}

// TestUnionMutations: each planted fault is found by its kind, by the audit and, where it
// can see it, by the gate. No report names a person.
func TestUnionMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("it audits many broken unions")
	}
	for _, m := range unionMutations {
		t.Run(m.name, func(t *testing.T) {
			u := standardUnion()
			if m.plan != nil {
				m.plan(u)
			}
			o := u.write(t)
			if m.files != nil {
				m.files(t, o)
			}
			r, err := Dir(o)
			require.NoError(t, err)
			requireVerdict(t, m.want, r)
			require.Contains(t, kindsOf(r.Violations), m.want)
			var text bytes.Buffer
			require.NoError(t, r.Text(&text))
			noPeople(t, text.String())
			v, err := GateUnion(o.Releases, filepath.Join(o.Releases, format.DirName(4)))
			require.NoError(t, err)
			if !m.ungated {
				require.Contains(t, kindsOf(v), m.want)
			}
		})
	}
}

// TestUnionNamesTheShard: what is wrong in the chain of a shard is reported with it.
func TestUnionNamesTheShard(t *testing.T) {
	i := slices.IndexFunc(unionMutations, func(m unionMutation) bool { return m.want == format.KindLoneNewcomer })
	u := standardUnion()
	unionMutations[i].plan(u)
	r, err := Dir(u.write(t))
	require.NoError(t, err)
	at := slices.IndexFunc(r.Violations, func(v format.Violation) bool { return v.Kind == format.KindLoneNewcomer })
	require.GreaterOrEqual(t, at, 0)
	assert.Equal(t, "shard 1, release 3, class 1", strings.Replace(r.Violations[at].Place(), "part-000003, ", "", 1))
}

// TestUnionAmongOthers: a union in the chain of one publisher, or the reverse, cannot be
// read as either.
func TestUnionAmongOthers(t *testing.T) {
	o := standardUnion().write(t)
	single := Options{Releases: filepath.Join(o.Releases, "shards", "0")}
	data, err := os.ReadFile(filepath.Join(o.Releases, format.DirName(2), "manifest.json"))
	require.NoError(t, err)
	rewrite(t, filepath.Join(single.Releases, format.DirName(2), "manifest.json"), func([]byte) []byte { return data })
	_, err = Dir(single)
	require.ErrorContains(t, err, "is the manifest of a union, among releases that are none")
	_, err = Dir(o)
	require.Error(t, err)
}

// FuzzUnionManifest: whatever the manifest of a union holds, reading and testing it ends.
func FuzzUnionManifest(f *testing.F) {
	o := standardUnion().write(f)
	for n := 1; n <= 4; n++ {
		data, err := os.ReadFile(filepath.Join(o.Releases, format.DirName(n), "manifest.json"))
		require.NoError(f, err)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := format.ParseAs("manifest.json", data, (*format.Manifest).CheckUnion)
		checkError(t, data, err)
		if err != nil {
			return
		}
		settings, err := settingsOf("manifest.json", data)
		require.NoError(t, err)
		require.Equal(t, format.FormatVersion, m.FormatVersion)
		agreesWithJSON(t, data, m)
		unionAgreesWithJSON(t, data, m, settings)
		r := &unionRelease{number: m.Release, man: m, shards: map[int]*shardManifest{}}
		found := &format.Faults{}
		checkUnionRelease(nil, r, found)
		checkUnionRelease(r, r, found)
		require.Positive(t, found.N, "a union of no manifests cannot be right")
	})
}
