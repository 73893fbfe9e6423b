package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/deliver/delivertest"
	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
)

// admissionsTable fills a table with admissions, whose numbers have gaps, and returns where their rows are.
func admissionsTable(server *delivertest.Server, stream *hospital.Stream, n int) (want map[string]int, people []hospital.Admission) {
	server.Psql(`CREATE TABLE admission (id bigint PRIMARY KEY, patient text, age int, sex text, postcode text, admission text,
		diagnosis text)`)
	want = map[string]int{}
	for at := 0; at < n; at += 500 {
		var rows []string
		for i := at; i < at+500; i++ {
			a := stream.Next()
			if i%400 == 399 {
				a.Postcode = "ABCDE" // a dead letter
			}
			people = append(people, a)
			id := 1000 + 3*i + i/777*1e9
			rows = append(rows, fmt.Sprintf("(%d,'%s',%d,'%s','%s','%s','%s')", id, a.Patient, a.Age, a.Sex, a.Postcode, a.Admission, a.Diagnosis))
			want[fmt.Sprintf("postgres:0:%d", id)] = 1
		}
		server.Psql("INSERT INTO admission VALUES " + strings.Join(rows, ","))
	}
	return want, people
}

// withTable has a site read a table first.
func (s *site) withTable(server *delivertest.Server, more string) {
	s.write("url", server.URL()+"&password=hunter2\n")
	s.edit("policy:", "initial: {"+more+
		"source: {type: postgres, url: \"${file:url}\", query: SELECT * FROM admission, order_by: id}}\npolicy:")
}

// TestKillDuringTheLoadOfATable kills the program while it reads a table, and while it reads the topic that follows, of which
// some people are in the table. What is left is what a run without a kill makes of the same records.
func TestKillDuringTheLoadOfATable(t *testing.T) {
	tier.NotShort(t, "it starts a PostgreSQL and kills the program")
	t.Parallel()
	const rows, messages = 8000, 3000
	server, stream := delivertest.NewServer(t), hospital.New(21)
	want, people := admissionsTable(server, stream, rows)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "admissions"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("admissions"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	send := func(i int, value []byte) {
		require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Value: value}).FirstErr())
		want[fmt.Sprintf("kafka:admissions:0:%d", i)] = 1
	}
	for i := range messages {
		value := stream.NextMessage().Value
		if i < 300 {
			value, err = json.Marshal(people[i*7])
			require.NoError(t, err)
		}
		send(i, value)
	}
	site := func() *site {
		s := newSite(t, fmt.Sprintf("{type: kafka, kafka: {brokers: [%s], topic: admissions}, max_records_per_second: %d}",
			cluster.ListenAddrs()[0], rows/2), crashTrigger, "")
		s.withTable(server, fmt.Sprintf("max_records: %d, ", crashFirst))
		return s
	}
	s := site()
	sampled := s.run("doctor --sample 500")
	assert.Contains(t, sampled.stdout, "value_not_in_hierarchy", "doctor reads rows of the table: %s", sampled.stderr)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	var log strings.Builder
	during := 0
	for range tier.Of(t, 3, 3, 12) {
		p := s.start("run")
		p.event("started")
		select {
		case <-p.exited:
			t.Fatalf("the daemon ended by itself: %s", &p.stderr)
		case <-time.After(time.Duration(rng.Int64N(int64(700 * time.Millisecond)))):
		}
		require.NoError(t, p.cmd.Process.Kill())
		require.Equal(t, -1, p.wait(), &p.stderr)
		log.WriteString(p.stderr.String())
		if !strings.Contains(p.stderr.String(), `"initial_source_read"`) {
			during++
		}
	}
	t.Logf("%d kills met the load of the table", during)
	require.NotZero(t, during)
	s.edit(fmt.Sprintf(", max_records_per_second: %d", rows/2), "")
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.NotContains(t, log.String()+r.stderr+s.read("state/status.json"), "hunter2")

	c := s.counts().Counts
	assert.EqualValues(t, len(want), c.Sent)
	assert.EqualValues(t, len(want), c.Accounted())
	assert.GreaterOrEqual(t, int(c.Beyond), 300, "who is in both is one person")
	assert.GreaterOrEqual(t, int(c.DeadLetter), rows/400)
	got := s.positions()
	maps.DeleteFunc(want, func(at string, _ int) bool { return got[at] == 1 })
	assert.Empty(t, want, "records that are lost or there twice")
	s.must("state check")
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")

	calm := site()
	calm.edit(fmt.Sprintf(", max_records_per_second: %d", rows/2), "")
	calm.must("run --once")
	expected, releases := calm.releases(), s.releases()
	assert.Equal(t, slices.Sorted(maps.Keys(expected)), slices.Sorted(maps.Keys(releases)))
	for name, content := range expected {
		assert.True(t, content == releases[name], "%s differs", name)
	}

	// Rows that were refused for a postcode are read again from the table, once the hierarchy has it.
	s.write("hierarchies/postcode.csv", hospital.Hierarchy()+"ABCDE;99xx;9xxx;*\n")
	var judged struct{ Letters, Admitted, Gone, Changed int }
	require.NoError(t, json.Unmarshal([]byte(s.must("state readmit --json --attribute postcode")), &judged))
	assert.Zero(t, judged.Gone+judged.Changed)
	assert.GreaterOrEqual(t, judged.Admitted, rows/400)

	// The query is not run again, and the table may be gone.
	server.Stop()
	value, err := json.Marshal(people[1])
	require.NoError(t, err)
	send(messages, value)
	r = s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.EqualValues(t, c.Sent+1, s.counts().Counts.Sent)
}
