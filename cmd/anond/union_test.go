package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/hospital"
	"anond/internal/testkit/programtest"
	"anond/shards/union"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/readback"
)

// united is a union of shards, each a site of its own whose releases are below those of
// the union. The people of the hospital go to shards by a hash.
type united struct {
	t      *testing.T
	dir    string
	shards []*site
	feed   *hospital.Stream
}

func newUnited(t *testing.T, shards int, level string) *united {
	t.Helper()
	u := &united{t: t, dir: filepath.Join(t.TempDir(), "releases"), feed: hospital.New(16)}
	for i := range shards {
		s := newSite(t, "{type: file, format: json, file: {path: in.ndjson}}", "on: update, min_interval: 1s", "")
		s.edit("dir: ./releases", fmt.Sprintf("dir: %s/shards/%d", u.dir, i))
		s.atLevel(level, "")
		s.edit("policy:", "subject: {key: \""+strings.Repeat("0123456789abcdef", 4)+"\"}\npolicy:")
		u.shards = append(u.shards, s)
	}
	return u
}

// admit feeds people and lets the shards that are named publish.
func (u *united) admit(people int, which ...int) {
	u.t.Helper()
	texts := make([]bytes.Buffer, len(u.shards))
	for range people {
		a := u.feed.Next()
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(a.Patient))
		line, err := json.Marshal(a)
		require.NoError(u.t, err)
		to := &texts[hash.Sum32()%uint32(len(u.shards))]
		to.Write(line)
		to.WriteByte('\n')
	}
	for i, s := range u.shards {
		f, err := os.OpenFile(s.path("in.ndjson"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(u.t, err)
		_, err = f.Write(texts[i].Bytes())
		require.NoError(u.t, err)
		require.NoError(u.t, f.Close())
	}
	for _, i := range which {
		r := u.shards[i].run("run --once")
		require.Equal(u.t, exitOK, r.code, r.stderr)
	}
}

// unite makes an attempt.
func (u *united) unite(more ...string) result {
	u.t.Helper()
	r := anond(u.t, append([]string{"union", "--dir", u.dir, "--shards", fmt.Sprint(len(u.shards)), "--once", "--ledger", u.ledger(),
		"--log-format", "json"}, more...)...)
	for line := range strings.Lines(r.stderr) {
		if strings.HasPrefix(line, "{") {
			require.NoError(u.t, eventtest.Check([]byte(line)), line)
		}
	}
	return r
}

func (u *united) ledger() string { return filepath.Join(filepath.Dir(u.dir), "ledger") }

// exports makes the private exports of all shards.
func (u *united) exports() string {
	u.t.Helper()
	dir := u.t.TempDir()
	for i, s := range u.shards {
		for _, what := range []string{"members", "records"} {
			to := filepath.Join(dir, fmt.Sprintf("shard-%d", i), what+".csv")
			require.NoError(u.t, os.MkdirAll(filepath.Dir(to), 0o700))
			r := s.run("state "+what, "--out", to)
			require.Equal(u.t, exitOK, r.code, r.stderr)
		}
	}
	return dir
}

// TestUnionOfShards: two releases of two shards, at both levels, one of them late. The
// union is certified with the exports and consistent without; all readers read it.
func TestUnionOfShards(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	t.Parallel()
	for _, level := range []string{"L1", "L2"}[:tier.Of(t, 1, 2, 2)] {
		t.Run(level, func(t *testing.T) {
			u := newUnited(t, 2, level)
			u.admit(2400, 0)
			r := u.unite()
			require.Equal(t, exitOK, r.code, r.stderr)
			assert.Contains(t, r.stdout, "no release yet")
			assert.Contains(t, r.stderr, `"event":"union_waiting","shards":["1"],"begun":false`)
			u.admit(0, 1)
			require.Contains(t, u.unite().stdout, "release 1: ")
			require.Contains(t, u.unite().stdout, "release 1 is the newest")
			u.admit(1600, 1)
			require.Contains(t, u.unite().stdout, "release 2: ")
			m, err := snapshot.Show(snapshot.OS(), u.dir, 0)
			require.NoError(t, err)
			require.Greater(t, m.Union.Shards[1].Release, m.Union.Shards[0].Release)

			exports := u.exports()
			r = anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger(), "--exports", exports, "--require-certified", "--json")
			require.Equal(t, exitOK, r.code, r.stdout)
			var report audit.Report
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
			assert.Equal(t, audit.VerdictCertified, report.Verdict)
			assert.Len(t, report.Releases, 2)
			assert.Equal(t, m.Records, report.Releases[1].Records)
			assert.Equal(t, m.Records, report.Certificates.FrozenRecords+report.Certificates.PureRecords)
			assert.Positive(t, report.Union.People)
			r = anond(t, "audit", "--releases", u.dir)
			require.Equal(t, exitOK, r.code, r.stdout)
			assert.Contains(t, r.stdout, "Audit of hospital: CONSISTENT")
			assert.Contains(t, r.stdout, "The releases are a union of 2 shards")
			u.readersOf(m, exports, "count where age < 40")
			assert.EqualValues(t, m.Records, asked(t, filepath.Join(u.dir, "000002"), "count").Estimate)
		})
	}
}

// readersOf runs every command that reads releases on the union.
func (u *united) readersOf(m *snapshot.Manifest, exports, query string) {
	t := u.t
	rows := func(r result) int {
		require.Equal(t, exitOK, r.code, r.stderr)
		return strings.Count(r.stdout, "\n") - 1
	}
	assert.Equal(t, m.Records, rows(anond(t, "release", "cat", "--dir", u.dir)))
	assert.EqualValues(t, m.Release, rows(anond(t, "release", "list", "--dir", u.dir)))
	assert.Positive(t, rows(anond(t, "release", "show", "--dir", u.dir)))
	r := anond(t, "release", "verify", "--dir", u.dir, "--ledger", u.ledger())
	assert.Equal(t, exitOK, r.code, r.stdout)
	assert.Contains(t, r.stdout, fmt.Sprintf("ok: %d release", m.Release))
	u.sums(query)
	r = anond(t, "release", "report", "--dir", u.dir, "--exports", exports)
	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "shard-1/part-000001/")
	assert.Contains(t, r.stdout, "shard 1 of 2")
}

// sums requires that an answer over the union is the sum of those over its shards.
func (u *united) sums(query string) {
	u.t.Helper()
	sum := 0.0
	for _, dir := range []string{u.dir, filepath.Join(u.dir, "shards/0"), filepath.Join(u.dir, "shards/1")} {
		answer := asked(u.t, dir, query)
		require.Positive(u.t, answer.Estimate, query)
		if dir == u.dir {
			sum = answer.Estimate
		} else {
			sum -= answer.Estimate
		}
	}
	assert.InDelta(u.t, 0, sum, 1e-6, query)
}

// TestUnionAlarms: a shard that is late is named in the log and by the exit code, and its
// old parts stay; settings that differ are bad configuration.
func TestUnionAlarms(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	u := newUnited(t, 2, "L1")
	u.admit(800, 0, 1)
	r := u.unite("--stale-after", "1ns", "--json")
	assert.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, `"event":"shard_stale","shard":1,"release":1`)
	var out union.Outcome
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &out))
	assert.True(t, out.Published && out.Shards[0].Stale)
	assert.Equal(t, exitOK, u.unite("--stale-after", "1h").code)

	other := newUnited(t, 2, "L1")
	other.shards[1].edit("k: 5", "k: 6")
	other.admit(800, 0, 1)
	r = other.unite()
	assert.Equal(t, exitConfig, r.code, r.stderr)
	assert.Contains(t, r.stderr, "shard 1 published in other settings than shard 0: their manifests differ in policy")
	assert.Contains(t, r.stderr, "hint: give all shards one configuration")

	nowhere := filepath.Join(t.TempDir(), "releases")
	r = anond(t, "union", "--dir", nowhere, "--shards", "2", "--once")
	assert.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "is the path right?")
	assert.NoDirExists(t, nowhere, "a wrong path leaves nothing")

	for _, args := range []string{"", "--dir x", "--dir x --shards 2 --once --every 1m", "--dir x --shards 2 --without 2",
		"--dir x --shards 2 --every 0s", "--dir x --shards 2 --log-format csv", "--dir x --shards 2 --ledger x/ledger"} {
		assert.Equal(t, exitUsage, anond(t, append([]string{"union"}, strings.Fields(args)...)...).code, args)
	}
}

// TestUnionOfEveryRecoding: the whole table and counts of a union are those of its shards.
func TestUnionOfEveryRecoding(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	t.Parallel()
	all := []string{"L2 permutation", "L1 permutation", "L1 anatomy", "L2 anatomy"}
	for _, which := range all[:tier.Of(t, 1, 2, 4)] {
		t.Run(which, func(t *testing.T) {
			level, recoding, _ := strings.Cut(which, " ")
			u := newUnited(t, 2, level)
			for _, s := range u.shards {
				s.edit("trigger:", "recoding: "+recoding+", trigger:")
			}
			u.admit(2400, 0, 1)
			require.Equal(t, exitOK, u.unite().code)
			u.admit(1600, 0, 1)
			r := u.unite()
			require.Contains(t, r.stdout, "release 2: ", r.stderr)
			r = anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger(), "--exports", u.exports())
			require.Equal(t, exitOK, r.code, r.stdout)
			require.Equal(t, which != "L2 permutation", strings.Contains(r.stdout, "CERTIFIED"), "only a replay shows draws")
			m, err := snapshot.Show(snapshot.OS(), u.dir, 0)
			require.NoError(t, err)
			r = anond(t, "release", "cat", "--dir", u.dir)
			require.Equal(t, exitOK, r.code, r.stderr)
			require.Equal(t, m.Records+1, strings.Count(r.stdout, "\n"))
			u.sums("count where age < 40")
			u.sums("count where sex = F and diagnosis = " + someValue(t, u.dir))
		})
	}
}

// someValue is a sensitive value of a release.
func someValue(t *testing.T, dir string) string {
	t.Helper()
	r, err := readback.OpenNumber(dir, 0)
	require.NoError(t, err)
	require.NoError(t, r.Load(nil))
	return fmt.Sprintf("%q", r.Dicts[len(r.Dicts)-1].Text(r.SA[0]))
}

// TestUnionGoesOn: without --once it publishes what shards publish until it is stopped.
func TestUnionGoesOn(t *testing.T) {
	tier.NotShort(t, "it waits")
	t.Parallel()
	u := newUnited(t, 2, "L1")
	u.admit(800, 0, 1)
	ctx, stop := context.WithCancel(t.Context())
	var out, log programtest.Text
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"union", "--dir", u.dir, "--shards", "2", "--every", "1s", "--log-format", "json"},
			streams(&out, &log))
	}()
	published := func(n int) func() bool {
		return func() bool {
			return strings.Contains(log.String(), fmt.Sprintf(`"event":"union_published","release":%d`, n))
		}
	}
	eventually(t, published(1), "%s", &log)
	u.admit(400, 1)
	eventually(t, published(2), "%s", &log)
	require.NoError(t, os.Rename(filepath.Join(u.dir, "shards/0/CURRENT"), filepath.Join(u.dir, "away")))
	require.Equal(t, exitBehind, <-ended, "%s", &log)
	stop()
	for line := range strings.Lines(log.String()) {
		if strings.HasPrefix(line, "{") {
			require.NoError(t, eventtest.Check([]byte(line)), line)
		}
	}
}
