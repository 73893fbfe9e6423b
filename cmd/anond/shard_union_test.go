package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
	"anond/shards/keying"
	"anond/shards/union"
	"anond/snapshot"
)

// oneDiagnosis has the people of some partitions come with one diagnosis, more than any l allows.
func oneDiagnosis(partitions int, bad func(partition int32) bool) func(int, *kgo.Record) {
	return func(_ int, r *kgo.Record) {
		var a hospital.Admission
		if bad(keying.PartitionOf(r.Key, partitions)) && json.Unmarshal(r.Value, &a) == nil {
			a.Diagnosis = "angina"
			r.Value, _ = json.Marshal(a)
		}
	}
}

// TestAShardThatCannotPublish: what is infeasible in one shard and not in all holds that shard's
// records up and nothing else, before its first release and after it. The union goes on without
// it, and its reports say whose people are not in it. What waits in it is in the counts.
func TestAShardThatCannotPublish(t *testing.T) {
	tier.NotShort(t, "it runs two shards")
	t.Parallel()
	for _, level := range []string{"L2", "L1"}[:tier.Of(t, 1, 1, 2)] {
		t.Run(level, func(t *testing.T) {
			const partitions = 4
			p := newShardedTopic(t, kfake.SeedTopics(partitions, "admissions"))
			dir := filepath.Join(t.TempDir(), "releases")
			u := &united{t: t, dir: dir}
			for i := range 2 {
				s := p.shard("admissions", i, 2, "subject")
				s.edit("dir: ./releases", fmt.Sprintf("dir: %s/shards/%d", dir, i))
				s.atLevel(level, ", max_hold: 1 releases")
				u.shards = append(u.shards, s)
			}
			stream := hospital.New(6)
			ofShard1 := func(partition int32) bool { return partition%2 == 1 }
			p.send("admissions", stream, 1600, oneDiagnosis(partitions, ofShard1))
			u.shards[0].once(exitOK)
			u.shards[1].once(map[string]int{"L2": exitPrivacy}[level]) // its pool is quarantined; at L1 its people wait
			n := u.shards[1].counts().Counts
			assert.Zero(t, n.Published)
			assert.Equal(t, int(n.Sent-n.DeadLetter), n.Pending.Total()+n.Beyond)
			if level == "L2" {
				assert.Positive(t, n.Pending.Quarantined)
			}

			r := u.unite()
			assert.Contains(t, r.stdout, "no release yet")
			assert.Contains(t, r.stderr, `"event":"union_waiting","shards":["1"],"begun":false`)
			r = u.unite("--without", "1")
			require.Contains(t, r.stdout, "release 1: ", r.stderr)
			assert.Contains(t, r.stderr, `"event":"union_waiting","shards":["1"],"begun":true`)
			assert.Regexp(t, `(?m)^ +1 +0 +0 +0 +no release$`, anond(t, "audit", "--releases", dir).stdout)
			assert.Regexp(t, `shard 1 of 2</t.>\s*<td[^>]*>no release<`, anond(t, "release", "report", "--dir", dir).stdout)

			p.send("admissions", stream, 6000, func(int, *kgo.Record) {}) // the shard grows, and its values with it
			for _, s := range u.shards {
				s.once(exitOK)
			}
			require.Contains(t, u.unite().stdout, "release 2: ")
			m, err := snapshot.Show(snapshot.OS(), dir, 0)
			require.NoError(t, err)
			assert.Positive(t, m.Union.Shards[1].Records)
			n = u.shards[1].counts().Counts
			assert.Equal(t, n.Published, m.Union.Shards[1].Records)

			// after its first release: too many of one value wait, the shard goes on
			p.send("admissions", stream, 1200, oneDiagnosis(partitions, ofShard1))
			u.shards[0].once(exitOK)
			u.shards[1].once(map[string]int{"L2": exitPrivacy}[level])
			r = u.unite()
			require.Contains(t, r.stdout, "release 3: ", r.stderr)
			require.Positive(t, u.shards[1].counts().Counts.Pending.Total())
			exports := u.exports()
			r = anond(t, "audit", "--releases", dir, "--ledger", u.ledger(), "--exports", exports)
			assert.Contains(t, r.stdout, "CERTIFIED", r.stdout)
		})
	}
}

// TestAFirstPoolIsOfOneShard: policy.min_pool is judged by each shard for its own people.
func TestAFirstPoolIsOfOneShard(t *testing.T) {
	tier.NotShort(t, "it runs two shards")
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"), byHand)
	stream := hospital.New(9)
	given := map[int32]int{}
	p.send("admissions", stream, 900, func(_ int, r *kgo.Record) {
		r.Partition = keying.PartitionOf(r.Key, 2)
		if given[r.Partition]++; r.Partition == 1 && given[1] > 150 { // the rest of that shard is of shard 0 as well
			for i := 0; keying.PartitionOf(r.Key, 2) != 0; i++ {
				var a hospital.Admission
				if json.Unmarshal(r.Value, &a) != nil {
					a = hospital.Admission{}
				}
				a.Patient = fmt.Sprintf("%s-%d", a.Patient, i)
				r.Key = []byte(a.Patient)
				r.Value, _ = json.Marshal(a)
			}
			r.Partition = 0
		}
	})
	for i, published := range []bool{true, false} {
		s := p.shard("admissions", i, 2, "subject")
		s.edit("level: L1}", "level: L2, max_hold: 1 releases}\ninitial: {min_pool: 300}")
		s.once(exitOK)
		assert.Equal(t, published, s.counts().Counts.Published > 0, "shard %d", i)
	}
}

// threeShards have one release each, and one of the union.
func threeShards(t *testing.T) *united {
	u := newUnited(t, 3, "L1")
	u.admit(1500, 0, 1, 2)
	require.Contains(t, u.unite().stdout, "release 1: ")
	return u
}

// TestThreeShardsOneLate: the vector goes on for the shards that have published; one that is late
// keeps its old part and is the only one that the alarm names, and joins when it is back.
func TestThreeShardsOneLate(t *testing.T) {
	tier.NotShort(t, "it runs three shards")
	t.Parallel()
	u := threeShards(t)
	first, err := snapshot.Show(snapshot.OS(), u.dir, 0)
	require.NoError(t, err)
	old, err := time.Parse(time.RFC3339, first.Union.Shards[1].CreatedAt)
	require.NoError(t, err)
	eventually(t, func() bool { return time.Since(old) > 2*time.Second }, "the clock stands")
	u.admit(900, 0, 2)
	out := union.Outcome{}
	r := u.unite("--json")
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &out), r.stderr)
	vector := func(o *union.Outcome) (v []uint32) {
		for _, s := range o.Shards {
			v = append(v, s.Release)
		}
		return v
	}
	assert.Equal(t, []uint32{2, 1, 2}, vector(&out))
	assert.FileExists(t, filepath.Join(u.dir, "000002/shard-1/part-000001/data.csv"))
	assert.NoDirExists(t, filepath.Join(u.dir, "000002/shard-1/part-000002"))

	// the alarm at a moment at which shard 1 alone is too old
	young, err := time.Parse(time.RFC3339, out.Shards[0].CreatedAt)
	require.NoError(t, err)
	require.True(t, young.After(old))
	at := young.Add(time.Hour)
	late, err := union.Run(t.Context(), union.Options{FS: snapshot.OS(), Dir: u.dir, Shards: 3, Once: true, Ledger: u.ledger(),
		StaleAfter: at.Sub(old) - time.Millisecond, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at }})
	require.NoError(t, err)
	assert.Equal(t, []int{1}, late.Late())
	assert.Equal(t, []uint32{2, 1, 2}, vector(late))

	u.admit(0, 1)
	out = union.Outcome{}
	require.NoError(t, json.Unmarshal([]byte(u.unite("--json").stdout), &out))
	assert.Equal(t, []uint32{2, 2, 2}, vector(&out))
	r = anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger(), "--exports", u.exports(), "--require-certified")
	assert.Equal(t, exitOK, r.code, r.stdout)
}

// TestAShardFromAnOldBackup: the first digest for (shard, release) wins. A shard that is restored as a
// whole to an older copy is behind (exit 5), and once it has published the same number again it
// has a second history (exit 3): the union stays what it was.
func TestAShardFromAnOldBackup(t *testing.T) {
	tier.NotShort(t, "it runs three shards")
	t.Parallel()
	u := threeShards(t)
	s, chain := u.shards[2], filepath.Join(u.dir, "shards/2")
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(copied, "chain"), os.DirFS(chain)))
	require.NoError(t, os.CopyFS(filepath.Join(copied, "state"), os.DirFS(s.path("state"))))
	u.admit(900, 0, 1, 2)
	require.Contains(t, u.unite().stdout, "release 2: ")
	was := listing(t, u.dir)

	restore := func(from, to string) {
		require.NoError(t, os.RemoveAll(to))
		require.NoError(t, os.CopyFS(to, os.DirFS(filepath.Join(copied, from))))
	}
	ledger := s.path("state/ledger")
	newest, err := os.ReadFile(ledger)
	require.NoError(t, err)
	restore("state", s.path("state"))
	require.NoError(t, os.WriteFile(ledger, newest, 0o600))
	assert.Equal(t, exitBehind, s.run("run --once").code, "the state alone is old: the shard itself knows")

	restore("chain", chain)
	restore("state", s.path("state"))
	r := u.unite()
	assert.Equal(t, exitBehind, r.code, r.stderr)
	assert.Contains(t, r.stderr, "shard 2 has release 1, and the union was made of its release 2")

	eventually(t, func() bool { // another created_at: a second history of the same records
		first, err := snapshot.Show(snapshot.OS(), filepath.Join(u.dir, "shards/0"), 0)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, first.CreatedAt)
		return err == nil && time.Since(at) > 2*time.Second
	}, "the clock stands")
	require.Equal(t, exitOK, s.run("run --once").code, "restored as a whole: the shard cannot know")
	r = u.unite()
	assert.Equal(t, exitPrivacy, r.code, r.stderr)
	assert.Contains(t, r.stderr, "release 2 of shard 2 is not the one that the union was made of")
	assert.Contains(t, r.stderr, "hint: nothing was published: stop both publishers of the shard")
	assert.Equal(t, was, listing(t, u.dir), "nothing of the union has changed")
	r = anond(t, "audit", "--releases", u.dir)
	assert.Equal(t, exitPrivacy, r.code, r.stdout)
}

// listing are the names of a union's releases and what names them.
func listing(t *testing.T, dir string) string {
	var out strings.Builder
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		fmt.Fprintln(&out, e.Name())
	}
	current, err := os.ReadFile(filepath.Join(dir, "CURRENT"))
	require.NoError(t, err)
	return out.String() + string(current)
}
