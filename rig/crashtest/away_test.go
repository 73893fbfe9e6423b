package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// topicOfLetters is where dead letters go.
const topicOfLetters = "refused"

// broker is a broker in this process whose topic holds people and two records
// that no schema takes.
func broker(t *testing.T, more ...kfake.Opt) (*kfake.Cluster, string) {
	t.Helper()
	c, err := kfake.NewCluster(append(more, kfake.NumBrokers(1), kfake.SeedTopics(1, "people"))...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	produce(t, c, 0, 60)
	config := clinic(fmt.Sprintf("{type: kafka, format: json, kafka: {brokers: [%q], topic: people}}", c.ListenAddrs()[0]))
	return c, strings.Replace(config, "{type: file, path: ./dead-letter}", "{type: topic, max_share: 1, topic: "+topicOfLetters+"}", 1)
}

// produce writes n people from number first on; each thirtieth is refused.
func produce(t *testing.T, c *kfake.Cluster, first, n int) {
	t.Helper()
	var out []*kgo.Record
	for i := first; i < first+n; i++ {
		age := fmt.Sprint(30 + i%7)
		if i%30 == 7 {
			age = `"none"`
		}
		text := fmt.Appendf(nil, `{"id":"p%d","age":%s,"city":"c%d","ill":"d%d"}`, i, age, i%2, i%5)
		out = append(out, &kgo.Record{Topic: "people", Value: text})
	}
	send(t, c, out)
}

func send(t *testing.T, c *kfake.Cluster, records []*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	require.NoError(t, err)
	defer client.Close()
	require.NoError(t, client.ProduceSync(context.Background(), records...).FirstErr())
}

// silence lets the broker answer so many writes, and none after them: it takes
// the request and goes quiet.
func silence(c *kfake.Cluster, after int) {
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		after--
		return nil, nil, after < 0
	})
}

// liveStatus is what the tests read of status.json.
type liveStatus struct {
	Doing    string `json:"doing"`
	Lag      int64  `json:"lag"`
	LagKnown bool   `json:"lag_known"`
	Counts   struct {
		Sent, Published, Outbox, Release int
	} `json:"counts"`
	Connected     bool   `json:"connected"`
	Releasing     int    `json:"releasing"`
	LetterFailure string `json:"dead_letter_failure"`
	Partitions    []struct{ Next, End int64 }
}

// live reads status.json, which need not be there.
func (s *site) live() (out liveStatus) {
	if text := s.read("state/status.json"); text != "" {
		require.NoError(s.t, json.Unmarshal([]byte(text), &out))
	}
	return out
}

// TestASinkThatIsAwayHoldsUpNothing: the broker takes the first dead letters and
// then answers no write any more. Reading and releases go on, and SIGTERM ends
// the daemon in order.
func TestASinkThatIsAwayHoldsUpNothing(t *testing.T) {
	chosen.Demand(t)
	c, config := broker(t, kfake.SeedTopics(1, topicOfLetters))
	var nonsense []*kgo.Record
	for range 1200 {
		nonsense = append(nonsense, &kgo.Record{Topic: "people", Value: []byte(`{}`)})
	}
	send(t, c, nonsense)
	s := newSite(t, config)
	silence(c, 5) // of 100 letters each: one delivery, not the next
	p := s.start("run")
	p.until("some letters are delivered", func() bool { return c.PartitionInfo(topicOfLetters, 0).HighWatermark > 0 })
	p.until("all is read and published", func() bool {
		now := s.live()
		return now.Counts.Sent == 1260 && now.Counts.Release > 0 && now.Releasing == 0 && now.Counts.Outbox > 0 && now.Counts.Outbox < 1202
	})
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Len(t, events(t, p.log.String(), "stopped"), 1)
	assert.Equal(t, 0, s.run("", "state", "check", "-c", "anond.yaml").code)
}

// TestOnceWithoutATopicOfDeadLetters ends, keeps the letters, and says so; the
// next run delivers them.
func TestOnceWithoutATopicOfDeadLetters(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	c, config := broker(t)
	s := newSite(t, config)
	r := s.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	kept := events(t, r.stderr, "dead_letter_kept")
	require.Len(t, kept, 1, r.stderr)
	assert.EqualValues(t, 2, kept[0]["outbox"])
	assert.Contains(t, kept[0]["error"], "create the topic")
	assert.NotEmpty(t, events(t, r.stderr, "dead_letter_failed"))
	assert.NotContains(t, r.stderr, "reading failed")
	assert.NotEmpty(t, s.read("releases/000001/part-000001/data.csv"))

	require.NoError(t, c.CreateTopic(topicOfLetters, 1, nil))
	r = s.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.Empty(t, events(t, r.stderr, "dead_letter_kept"))
	assert.EqualValues(t, 2, c.PartitionInfo(topicOfLetters, 0).HighWatermark)
}

// TestWithoutABroker: there is a status that says so, state info tells the
// truth, and the lag is not said to be none.
func TestWithoutABroker(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: kafka, format: json, kafka: {brokers: [127.0.0.1:1], topic: people}}"))
	p := s.start("run")
	p.until("the status says what it waits for", func() bool { return s.live().Doing == "connecting" })
	assert.False(t, s.live().Connected)
	assert.False(t, s.live().LagKnown)
	r := s.run("", "state", "info", "--json", "-c", "anond.yaml")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, `"held": true`)
	assert.Contains(t, r.stdout, `"doing": "connecting"`)
	assert.NotContains(t, r.stdout+r.stderr, "stop the other process")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
}

// TestAnOutageIsNoLagOfZero: the broker goes away; the status says that the lag
// is not known.
func TestAnOutageIsNoLagOfZero(t *testing.T) {
	chosen.Demand(t)
	c, config := broker(t, kfake.SeedTopics(1, topicOfLetters))
	s := newSite(t, config)
	p := s.start("run")
	p.until("all is read", func() bool { now := s.live(); return now.Counts.Sent == 60 && now.LagKnown && now.Lag == 0 })
	require.Len(t, s.live().Partitions, 1)
	assert.EqualValues(t, 60, s.live().Partitions[0].End)
	c.Close()
	p.until("the lag is not known", func() bool { now := s.live(); return !now.Connected && !now.LagKnown })
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
}
