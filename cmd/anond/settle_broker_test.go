package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
)

const settlingConfig = `version: 1
dataset: clinic
source: {type: kafka, format: debezium, kafka: {brokers: [%s], topic: visits}}
dead_letter: {path: ./dead-letter}
schema:
  attributes:
    - {name: visit, role: record}
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: diagnosis, role: sensitive, type: categorical}
subject: {settle: 1h30m, updates: apply, repeat: history, max_records: 2}
policy: {k: 5, l: 2, max_pool: 400}
initial: {min_pool: 100}
release: {dir: ./releases, trigger: {on: records, every: 200}}
`

// visits is a feed of changes of people, each known by the age, and what must be kept of them.
type visits struct {
	events []visitEvent
	keeps  map[string]string // age -> stratum, end of the window and diagnoses
	shown  int               // records of theirs
	beyond int
	dead   int
}

type visitEvent struct {
	at        time.Time
	partition int32
	value     string
}

// comes adds somebody whose first message has a time stamp; what follows depends on the kind.
func (v *visits) comes(age int, partition int32, at time.Time) {
	send := func(after time.Duration, op string, visit int, diagnosis string) {
		row := fmt.Sprintf(`{"visit":"%d-%d","patient":"p%d","age":%d,"diagnosis":"d%s"}`, age, visit, age, age, diagnosis)
		text := fmt.Sprintf(`{"op":%q,"before":null,"after":%s}`, op, row)
		if op == "d" {
			text = fmt.Sprintf(`{"op":"d","before":%s,"after":null}`, row)
		}
		v.events = append(v.events, visitEvent{at.Add(after), partition, text})
	}
	const inside, last, late = 40 * time.Minute, 90*time.Minute - time.Millisecond, 90 * time.Minute
	a, b := fmt.Sprint(age%7), fmt.Sprint(age/7%7)
	stratum, values, beyond, dead := "plain", "d"+a+",", 0, 0
	send(0, "c", 1, a)
	switch age % 9 {
	case 1:
		send(last, "u", 1, b)
		stratum, values, beyond = "updated", "d"+b+",", 1
	case 2:
		send(last, "c", 2, b)
		stratum, values = "2", "d"+a+",d"+b
	case 3:
		send(late, "c", 2, b)
		beyond = 1
	case 4:
		send(late, "u", 1, b)
		beyond = 1
	case 5:
		send(inside, "d", 1, a)
		stratum, beyond = "", 2
	case 6:
		send(late, "d", 1, a)
		dead = 1
	case 7:
		send(inside, "c", 2, b)
		send(inside, "c", 3, a)
		stratum, values, beyond = "2", "d"+a+",d"+b, 1
	case 8:
		send(inside, "c", 2, a)
		send(last, "u", 2, b)
		send(late, "u", 1, b)
		stratum, values, beyond = "2+updated", "d"+a+",d"+b, 2
	}
	v.beyond, v.dead = v.beyond+beyond, v.dead+dead
	if stratum != "" {
		v.keeps[fmt.Sprint(age)] = fmt.Sprintf("%s until %d: %s", stratum, at.Add(late).UnixMilli(), values)
		v.shown += 1 + strings.Count(values, ",d")
	}
}

// TestPeopleSettleOnABroker: people are observed for an hour and a half of the log, whatever happens to the program meanwhile: it is killed
// while windows are open, it stands still for longer than a window and reads what came in one go, and one partition gets nothing any more.
// Of everybody that is kept, and published in the end, which the time stamps say; a late delete or update changes nothing.
func TestPeopleSettleOnABroker(t *testing.T) {
	tier.NotShort(t, "it starts a broker, and the program several times")
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "visits"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("visits"),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	t.Cleanup(client.Close)

	// Time stamps of the busy partition lie ahead of the clock, by less than a day, so that nothing but them ends a window there.
	v, now := &visits{keeps: map[string]string{}}, time.Now()
	const people, idle = 1200, 90
	for i := range people {
		v.comes(i, 0, now.Add(time.Hour+time.Duration(i)*20*time.Second))
	}
	for i := range idle {
		v.comes(people+i, 1, now.Add(-10*time.Hour+time.Duration(i)*time.Second))
	}
	v.comes(people+idle+(9-(people+idle)%9), 0, now.Add(20*time.Hour)) // a plain one, still observed at the end
	last := fmt.Sprint(people + idle + (9 - (people+idle)%9))
	delete(v.keeps, last)
	slices.SortStableFunc(v.events, func(a, b visitEvent) int { return a.at.Compare(b.at) })

	sent := 0
	send := func(n int) {
		var records []*kgo.Record
		for _, e := range v.events[sent : sent+n] {
			records = append(records, &kgo.Record{Partition: e.partition, Timestamp: e.at, Value: []byte(e.value)})
		}
		require.NoError(t, client.ProduceSync(t.Context(), records...).FirstErr())
		sent += n
	}
	s := newSite(t, "", "", "")
	s.write("anond.yaml", fmt.Sprintf(settlingConfig, cluster.ListenAddrs()[0]))
	read := func(p *process) {
		eventually(t, func() bool {
			_, err := os.Stat(s.path("state/status.json"))
			return err == nil && s.status().Counts.Sent == uint64(sent)
		}, "it reads %d: %s", sent, &p.stderr)
	}
	send(len(v.events) / 3)
	rng := rand.New(rand.NewPCG(uint64(now.UnixNano()), 1))
	for range tier.Of(t, 1, 2, 2) { // killed while windows are open
		p := s.start("run")
		p.event("started")
		time.Sleep(time.Duration(rng.Int64N(int64(300 * time.Millisecond))))
		require.NoError(t, p.cmd.Process.Kill())
		p.wait()
		send(50)
	}
	p := s.start("run")
	read(p)
	open := s.status().Counts
	require.NotZero(t, open.Observed)
	require.GreaterOrEqual(t, open.Pending.Settling, open.Observed)
	p.signal(syscall.SIGTERM)
	require.Zero(t, p.wait(), &p.stderr)
	require.Equal(t, open.Pending, s.counts().Counts.Pending, "what is open is in the state")

	from := v.events[sent].at
	send((len(v.events) - sent) * 2 / 3) // an outage of reading
	require.Greater(t, v.events[sent].at.Sub(from), 2*90*time.Minute)
	p = s.start("run")
	read(p)
	p.signal(syscall.SIGTERM)
	require.Zero(t, p.wait(), &p.stderr)
	send(len(v.events) - sent)
	s.must("run --once")

	c := s.counts().Counts
	require.EqualValues(t, len(v.events), c.Sent)
	require.Equal(t, c.Sent, c.Accounted(), "%+v", c)
	require.Equal(t, 1, c.Pending.Settling, "the last one")
	require.Equal(t, v.beyond, c.Beyond)
	require.EqualValues(t, v.dead, c.DeadLetter)
	require.Equal(t, v.shown, c.Published+c.Pending.Total(), "%+v", c)
	require.Greater(t, c.Published, v.shown/2)
	s.must("state records", "--out", s.path("records.csv"))
	rows, err := csv.NewReader(strings.NewReader(s.read("records.csv"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "stratum,observed_until,came,came_2,patient,age,diagnosis,diagnosis_2", strings.Join(rows[0][2:], ","))
	have := map[string]string{}
	for _, row := range rows[1:] {
		have[row[7]] = fmt.Sprintf("%s until %s: %s,%s", row[2], row[3], row[8], row[9])
	}
	require.Equal(t, v.keeps, have)
	s.must("state check")
	assert.Contains(t, s.must("audit --replay 1 --require-certified"), "L2: certified")
}
