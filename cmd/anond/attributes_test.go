package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental/state"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
	"anond/snapshot"
)

// clinicOf is a configuration of three sensitive attributes: one that no l allows, with declared counts; one that follows policy.l; and
// numbers as they are.
const clinicOf = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: in.csv}}
dead_letter: {type: file, path: ./dead-letter, max_share: 1}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer, range: [0, 120]}
    - {name: city, role: quasi, type: categorical, hierarchy: city.csv}
    - {name: hiv, role: sensitive, type: categorical, promise: {gain: 4, at_most: {"yes": 0.5}, reference: {file: shares.csv}}}
    - {name: diagnosis, role: sensitive, type: categorical, max_length: 8}
    - {name: income, role: sensitive, type: integer, buckets: [0, 20, 40, 60, 80], values: exact, promise: {l: 2}}
policy: {k: 5, l: 3}
initial: {min_pool: 100, max_records: 200}
release: {dir: ./releases, trigger: {on: records, every: 150}, tables: [[diagnosis, hiv]]}
state: {path: ./state/anond.db}
`

func severalSite(t *testing.T) *site {
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", clinicOf)
	s.write("shares.csv", "value,count\nyes,25\nno,75\n")
	s.write("city.csv", "bern;west;*\nchur;east;*\n")
	s.write("in.csv", "patient,age,city,hiv,diagnosis,income\n")
	return s
}

// patients are those from one number to another; whoever has a diagnosis may tell the other value by it.
func patients(from, to int) string {
	var rows strings.Builder
	for i := from; i < to; i++ {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		d := rng.IntN(8)
		fmt.Fprintf(&rows, "p%d,%d,%s,%s,d%d,%d\n", i, 18+rng.IntN(60), []string{"bern", "chur"}[rng.IntN(2)],
			[]string{"no", "yes"}[max(0, (d+rng.IntN(4))/4-1)], d, rng.IntN(100))
	}
	return rows.String()
}

// TestDeclaredReferenceGoesWithTheReleases: the counts stand next to the releases in their only form, whatever the file looks like;
// audit and check see each damage; and a changed file binds, as the key that names it.
func TestDeclaredReferenceGoesWithTheReleases(t *testing.T) {
	t.Parallel()
	s := severalSite(t)
	s.append("in.csv", patients(0, 400))
	s.must("run --once")
	m, err := snapshot.Show(snapshot.OS(), s.path("releases"), 0)
	require.NoError(t, err)
	of := m.Schema[3].Promise.Reference
	require.Equal(t, "value,count\nno,75\nyes,25\n", s.read("releases/"+of.File))
	assert.Contains(t, s.must("audit --replay 1 --require-certified"), "hiv: no odds above 4 times those that were declared; "+
		"and of \"yes\" none above 1/2")
	s.must("release verify")

	s.write("shares.csv", "value,count\n\"no\",75\nyes,25\n") // the same counts
	s.append("in.csv", patients(400, 600))
	s.must("run --once")
	s.write("shares.csv", "value,count\nno,74\nyes,26\n")
	r := s.run("run --once")
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "schema.attributes[hiv].promise")
	s.write("shares.csv", "value,count\nno,75\nyes,25\n")

	path := s.path("releases/" + of.File)
	for text, want := range map[string]struct {
		code int
		says string
	}{
		"value,count\nno,76\nyes,25\n": {exitPrivacy, "reference_mismatch (rule files) in release"},
		"value,count\nno,75\n":         {exitPrivacy, "reference_mismatch"},
		"":                             {exitFailed, filepath.Base(of.File)},
	} {
		require.NoError(t, os.RemoveAll(path))
		if text != "" {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o444))
		}
		r := s.run("audit")
		assert.Equal(t, want.code, r.code, r.stderr)
		assert.Contains(t, r.stdout+r.stderr, want.says)
		r = s.run("release verify")
		assert.Equal(t, exitFailed, r.code)
		assert.Contains(t, r.stdout+r.stderr, of.File)
	}
}

// TestDamagedPairTables: a table off by one is found by its hash, and by its margins where the manifest was changed with it.
func TestDamagedPairTables(t *testing.T) {
	t.Parallel()
	s := severalSite(t)
	s.append("in.csv", patients(0, 400))
	s.must("run --once")
	const table = "releases/000001/part-000001/tables.csv"
	was, manifest := s.read(table), s.read("releases/000001/manifest.json")
	last := was[strings.LastIndexByte(was, ',')+1 : len(was)-1]
	var n int
	_, err := fmt.Sscan(last, &n)
	require.NoError(t, err)
	now := strings.TrimSuffix(was, last+"\n") + fmt.Sprintln(n+1)
	require.NoError(t, os.RemoveAll(s.path("releases/000002"))) // links of the part
	for name, c := range map[string]struct {
		manifest string
		want     string
	}{
		"alone":             {manifest, "hash_mismatch"},
		"with its manifest": {strings.Replace(manifest, sha(was), sha(now), 1), "pair_table_differs (rule B) in release 1, part-000001, tables"},
	} {
		require.NoError(t, os.Remove(s.path(table)))
		require.NoError(t, os.Remove(s.path("releases/000001/manifest.json")))
		s.write(table, now)
		s.write("releases/000001/manifest.json", c.manifest)
		s.write("releases/CURRENT", "000001\n")
		r := anond(t, "audit", "--releases", s.path("releases"))
		assert.Equal(t, exitPrivacy, r.code, name)
		assert.Contains(t, r.stdout, c.want, name)
	}
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

var errKilled = errors.New("killed")

// mortal is a store in which the process dies at a commit: before it is durable, or just behind it.
type mortal struct {
	state.Store
	at     int
	behind bool
}

func (m *mortal) Commit(d *state.Delta) error {
	if m.at--; m.at > 0 {
		return m.Store.Commit(d)
	}
	if m.at == 0 && m.behind {
		if err := m.Store.Commit(d); err != nil {
			return err
		}
	}
	return errKilled
}

// lives runs the site with a seed to the end of its input; at: the commit at which it dies, 0: it does not.
func (s *site) lives(at int, behind bool) error {
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(s.t, err)
	o := dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true, Seed: &[32]byte{1}}
	if at > 0 {
		o.StandIns.Store = func(opened state.Store) state.Store { return &mortal{opened, at, behind} }
	}
	return daemon.Run(s.t.Context(), cfg, o)
}

// TestSeveralAttributesSurviveKills: wherever the process dies, the releases at the end are those of a run that does not.
func TestSeveralAttributesSurviveKills(t *testing.T) {
	t.Parallel()
	start := func() *site {
		s := severalSite(t)
		s.append("in.csv", patients(0, 400)+"p-bad,40,bern,no,a long diagnosis,1\n"+patients(400, 1200))
		return s
	}
	whole := start()
	require.NoError(t, whole.lives(0, false))
	want := whole.releases()
	require.Contains(t, want, "000002/manifest.json")
	at, died := 1, 0
	for ; ; at++ {
		s := start()
		err := s.lives(at, at%2 == 0)
		if err != nil {
			require.ErrorIs(t, err, errKilled)
			died++
			require.NoError(t, s.lives(0, false), "after a death at commit %d", at)
		}
		require.Equal(t, want, s.releases(), "death at commit %d", at)
		if err == nil {
			break
		}
		s.must("state check")
	}
	require.Greater(t, died, 6)
}

// TestSeveralAttributesOverALife: who is forgotten, who is taken in again, and what a backup brings back keep all values of a person
// together: the chain stays certified, and the counts add up.
func TestSeveralAttributesOverALife(t *testing.T) {
	t.Parallel()
	s := severalSite(t)
	s.append("in.csv", patients(0, 400)+"p-a,40,rome,no,d1,1\np-b,41,bern,no,a long diagnosis,1\np-c,42,bern,perhaps,d1,x\n")
	s.must("run --once")
	require.EqualValues(t, 3, s.counts().Counts.DeadLetter)
	s.write("city.csv", "bern;west;*\nchur;east;*\nrome;east;*\n")
	s.replayed(`{"letters": 1, "admitted": 1, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
	s.must("state backup --out " + s.path("copy.db"))

	x := s.receipt("p7")
	assert.Equal(t, 1, x.Removed.Published)
	assert.Positive(t, x.Removed.Unlinked)
	y := s.receipt("p-a")
	assert.Equal(t, 1, y.Removed.Unpublished)
	s.append("in.csv", "p7,30,bern,yes,d2,5\np-b,41,bern,no,d1,1\n"+patients(400, 600))
	s.must("run --once")
	s.addsUp(605)
	s.certified(s.counts().Counts.Release)

	r := s.run("state restore --from " + s.path("copy.db")) // it lacks a release
	assert.Equal(t, exitBehind, r.code, r.stderr)

	s = severalSite(t)
	s.append("in.csv", patients(0, 400))
	s.must("run --once")
	s.must("state backup --out " + s.path("copy.db"))
	require.NoError(t, os.Remove(s.path("state/anond.db")))
	s.must("state restore --from " + s.path("copy.db"))
	s.append("in.csv", patients(400, 600))
	s.must("run --once")
	s.addsUp(600)
	s.must("audit --replay 1 --require-certified")
	s.must("state check")
}

// TestAQuarantineSaysForWhich: a pool of which one attribute fails is quarantined whole, and log, status and the run's last line name that
// attribute, with counts; no value is named.
func TestAQuarantineSaysForWhich(t *testing.T) {
	t.Parallel()
	s := severalSite(t)
	s.edit("initial: {min_pool: 100", "initial: {on_refusal: quarantine, min_pool: 100")
	s.append("in.csv", strings.ReplaceAll(patients(0, 400), ",no,", ",yes,"))
	r := s.run("run --once")
	require.Equal(t, exitPrivacy, r.code, r.stderr)
	assert.Contains(t, r.stderr, `"event":"pool_quarantined","records":200,"attributes":["hiv"],`+
		`"error":"200 of 200 people have the same value of \"hiv\", and 0.5 may"`)
	assert.Contains(t, lastLine(r.stderr), `for their values of [\"hiv\"]`)
	assert.Equal(t, []string{"hiv"}, s.counts().QuarantinedFor)
	assert.Contains(t, s.must("status"), "quarantined for hiv")
}

// TestUnionOfSeveralAttributes: shards with a promise of their own, one by policy.l, and a pair table are united; the union is certified
// with the exports, and each reader reads it.
func TestUnionOfSeveralAttributes(t *testing.T) {
	t.Parallel()
	u := &united{t: t, dir: filepath.Join(t.TempDir(), "releases")}
	texts := make([]strings.Builder, 2)
	for line := range strings.Lines(patients(0, 800)) {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(line[:strings.IndexByte(line, ',')]))
		texts[hash.Sum32()%2].WriteString(line)
	}
	for i := range texts {
		s := severalSite(t)
		s.edit("dir: ./releases", fmt.Sprintf("dir: %s/shards/%d", u.dir, i))
		s.edit("policy:", "subject: {key: \""+strings.Repeat("0123456789abcdef", 4)+"\"}\npolicy:")
		s.append("in.csv", texts[i].String())
		s.must("run --once")
		u.shards = append(u.shards, s)
	}
	r := u.unite()
	require.Equal(t, exitOK, r.code, r.stderr)
	m, err := snapshot.Show(snapshot.OS(), u.dir, 0)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(u.dir, m.Schema[3].Promise.Reference.File))
	exports := u.exports()
	r = anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger(), "--exports", exports, "--require-certified")
	require.Equal(t, exitOK, r.code, r.stdout)
	assert.Contains(t, r.stdout, "CERTIFIED")
	assert.Contains(t, r.stdout, "Of hiv the largest share of one value in a bucket is ")
	u.readersOf(m, exports, "count where hiv = yes and diagnosis = d7")

	// What a union copies before it decides is named by the release of a shard that it does not have yet: no stray.
	s := u.shards[0]
	s.write("city.csv", "bern;west;*\nchur;east;*\nrome;east;*\n")
	s.append("in.csv", patients(800, 1600))
	s.must("run --once")
	grown, err := filepath.Glob(filepath.Join(u.dir, "shards/0/hierarchies/city-*.csv"))
	require.NoError(t, err)
	require.Len(t, grown, 1)
	text, err := os.ReadFile(grown[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(u.dir, "hierarchies", filepath.Base(grown[0])), text, 0o444))
	r = anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger())
	require.Equal(t, exitOK, r.code, r.stdout)
	require.NoError(t, os.WriteFile(filepath.Join(u.dir, "hierarchies", "other.csv"), text, 0o444))
	require.Equal(t, exitFailed, anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger()).code)
	require.NoError(t, os.Remove(filepath.Join(u.dir, "hierarchies", "other.csv")))

	require.NoError(t, os.Remove(filepath.Join(u.dir, m.Schema[3].Promise.Reference.File)))
	r = anond(t, "audit", "--releases", u.dir)
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.stderr, "reference-")
}
