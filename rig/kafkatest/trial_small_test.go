package kafkatest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// TestSmallTrial is a trial on kfake: two shards, each of which is killed once, as are both
// unions. Then the files are spoilt in each way that a trial is there to find.
func TestSmallTrial(t *testing.T) {
	tier.Heavy(t, "it runs and kills the program")
	require.NoError(t, programtest.LookAtSources())
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	defer cluster.Close()
	dir := t.TempDir()
	program, err := programtest.Build(dir)
	require.NoError(t, err)
	var log bytes.Buffer
	o := Options{Program: program, Dir: filepath.Join(dir, "trial"), Brokers: cluster.ListenAddrs(), Shards: 2, Partitions: 6,
		Each: 2500, Every: 400, Pool: 300, Kills: 1, Over: 2 * time.Second, Seed: 16, Worlds: 1, Log: &log}
	tr, err := newTrial(o)
	require.NoError(t, err)
	defer tr.client.Close()
	r, disturbed := tr.report, []string{"ordered, killed", "killed"}
	for _, part := range []func(context.Context) error{tr.ordered, tr.divided} {
		require.NoError(t, part(t.Context()), &log)
	}
	require.NoError(t, r.WriteTable(&log))
	t.Logf("%s%s", &log, r.Summary())
	require.Empty(t, r.Faults)
	for _, site := range disturbed {
		run := r.of(site)
		require.Equal(t, []int{2, 2}, []int{run.Kills, run.UnionKills}, site)
		require.Positive(t, run.Published)
		require.Positive(t, run.DeadLetters)
		require.Equal(t, 5000, run.Published+run.Pending+run.DeadLetters+run.Beyond)
	}
	require.Greater(t, r.Compared.Releases, 4)
	spoiltFiles(t, o.Dir)
}

// spoiltFiles: a byte of a part and a sum of a manifest that differ are found.
func spoiltFiles(t *testing.T, dir string) {
	t.Helper()
	one, other := filepath.Join(dir, "ordered-undisturbed"), filepath.Join(dir, "ordered-killed")
	differs := func(want string) {
		t.Helper()
		_, faults, err := compare(one, other, 2)
		require.NoError(t, err)
		require.NotEmpty(t, faults)
		require.Contains(t, faults[0], want)
	}
	for _, c := range [][3]string{
		{"releases/shards/1/000001/part-000001/data.csv", "\n", "\n1"},
		{"releases/shards/1/000001/manifest.json", `"rows": `, `"rows": 1`},
	} {
		path := filepath.Join(other, c[0])
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		spoilt := bytes.Replace(text, []byte(c[1]), []byte(c[2]), 1)
		require.NotEqual(t, text, spoilt)
		require.NoError(t, os.Remove(path)) // it has other names in later releases
		require.NoError(t, os.WriteFile(path, spoilt, 0o600))
		differs(filepath.Base(c[0]) + " differs")
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(other, "releases/shards/0/CURRENT"), []byte("000001\n"), 0o600))
	differs("releases, and 1 in the other run")
}

// sound is what a trial finds of three people, one of whom came twice, and of a record that was
// refused, in two shards.
func sound() *evidence {
	at := func(partition int, offset int64) position { return position{partition, offset} }
	return &evidence{
		who: [][]int32{{7, 7}, {8, 9}, {nobody}, {}},
		shards: []shardEvidence{
			{records: []position{at(0, 0), at(0, 1)}, persons: map[position]string{at(0, 0): "a", at(0, 1): "a"},
				published: []position{at(0, 0)}, letters: []position{at(2, 0)}, pending: 1},
			{records: []position{at(1, 0), at(1, 1)}, persons: map[position]string{at(1, 0): "b", at(1, 1): "c"},
				published: []position{at(1, 1)}, pending: 1},
		},
		united: 2,
	}
}

// TestFaultsAreFound: each way in which a trial can go wrong is said.
func TestFaultsAreFound(t *testing.T) {
	require.Empty(t, sound().faults())
	for want, spoil := range map[string]func(e *evidence){
		"1 records are lost, such as partition 0, offset 1": func(e *evidence) { e.shards[0].records = e.shards[0].records[:1] },
		"1 records are there twice, such as partition 1, offset 0": func(e *evidence) {
			e.shards[1].records = append(e.shards[1].records, e.shards[1].records[0])
		},
		"1 records are in a shard that does not read their partition": func(e *evidence) {
			e.shards[0].records, e.shards[1].records = append(e.shards[0].records, position{1, 0}), e.shards[1].records[1:]
		},
		"1 records were refused though they can be read": func(e *evidence) {
			e.shards[0].letters = append(e.shards[0].letters, position{0, 1})
			e.shards[0].records = e.shards[0].records[:1]
		},
		"1 records of a shard are not in the topic": func(e *evidence) {
			e.shards[0].letters = append(e.shards[0].letters, position{2, 1})
		},
		"1 people are in two shards":                          func(e *evidence) { e.shards[1].persons[position{1, 0}] = "a" },
		"1 people are published twice, by their digests":      func(e *evidence) { e.shards[0].published = e.shards[0].records },
		"1 people are published twice, by their names":        func(e *evidence) { e.who[1][1] = 7 },
		"1 records are published that no state holds":         func(e *evidence) { e.shards[1].published[0] = position{3, 0} },
		"5 sent, but 2 published + 1 pending + 1 dead":        func(e *evidence) { e.shards[1].pending = 0 },
		"the union has 3 records, and its shards published 2": func(e *evidence) { e.united = 3 },
	} {
		e := sound()
		spoil(e)
		require.Contains(t, joined(e.faults()), want)
	}
}

func joined(faults []string) (out string) {
	for _, f := range faults {
		out += f + "\n"
	}
	return out
}

// TestSchedule: the kills follow from the seed, and lie in the time in which a topic is written.
func TestSchedule(t *testing.T) {
	drawn := func(seed uint64) schedule {
		tr := &trial{Options: Options{Shards: 4, Kills: 5, Over: time.Minute, Seed: seed, Bounce: func(context.Context) error { return nil }}}
		return tr.schedule(&trialSite{topic: &trialTopic{partitions: 12}})
	}
	plan := drawn(1)
	require.Equal(t, plan, drawn(1))
	require.NotEqual(t, plan, drawn(2))
	require.Len(t, plan.kills, 4+unions)
	for _, kills := range plan.kills {
		require.IsIncreasing(t, kills)
		require.Len(t, kills, 5)
		require.GreaterOrEqual(t, kills[0], 6*time.Second)
		require.Less(t, kills[4], time.Minute)
	}
	require.Positive(t, plan.bounce)
}
