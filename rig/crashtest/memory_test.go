package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaTopic is what the sites of this file read.
const kafkaTopic = "admissions"

// startKafka starts a broker in this process.
func startKafka(t *testing.T, partitions int32, more ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(partitions, kafkaTopic)}, more...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// fromKafka is the source of a site that reads a broker's topic.
func fromKafka(c *kfake.Cluster, more string) string {
	return fmt.Sprintf("{type: kafka, format: json, kafka: {brokers: [%q], topic: %s%s}}", c.ListenAddrs()[0], kafkaTopic, more)
}

// produceTo returns a function that writes messages to a partition, each flush
// one batch.
func produceTo(t *testing.T, c *kfake.Cluster, opts ...kgo.Opt) func(partition int32, values ...[]byte) {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ManualFlushing(),
		kgo.ProducerBatchMaxBytes(90 << 20), kgo.MaxBufferedRecords(1 << 20), kgo.MaxBufferedBytes(1 << 30)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return func(partition int32, values ...[]byte) {
		t.Helper()
		errs := make(chan error, len(values))
		for _, v := range values {
			cl.Produce(context.Background(), &kgo.Record{Topic: kafkaTopic, Partition: partition, Value: v},
				func(_ *kgo.Record, err error) { errs <- err })
		}
		require.NoError(t, cl.Flush(context.Background()))
		for range values {
			require.NoError(t, <-errs)
		}
	}
}

// patient is a record of the clinic.
func patient(i int) []byte {
	return fmt.Appendf(nil, `{"id":"p%d","age":%d,"city":"c%d","ill":"d%d"}`, i, 20+i%60, i%3, i%5)
}

// siteStatus is what the tests look at of status.json.
type siteStatus struct {
	Counts struct {
		Sent       int            `json:"sent"`
		Published  int            `json:"published"`
		DeadLetter int            `json:"dead_letter"`
		Beyond     int            `json:"beyond"`
		Outbox     int            `json:"outbox"`
		Pending    map[string]int `json:"pending"`
		Refused    map[string]int `json:"refused"`
		Ignored    map[string]int `json:"ignored"`
	} `json:"counts"`
	Stalled bool `json:"stalled"`
}

func (s *site) status() (out siteStatus) {
	s.t.Helper()
	if text := s.read("state/status.json"); text != "" {
		require.NoError(s.t, json.Unmarshal([]byte(text), &out))
	}
	return out
}

// peak is the most memory that the process has had, in MB.
func (p *process) peak() int {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		p.t.Skip("the system does not report the memory of a process: ", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(p.t, err)
			return kb / 1000
		}
	}
	p.t.Skip("the system does not report the memory of a process")
	return 0
}

// mostOverIdle bounds, in MB, what input that is in flight may take with the
// default memory.max_in_flight.
const mostOverIdle = 300

// TestMemoryStaysBounded feeds what is small on the broker's disk and large in
// memory, and measures the process.
func TestMemoryStaysBounded(t *testing.T) {
	chosen.Demand(t)
	refused := append([]byte(`{"id":"`), append(bytes.Repeat([]byte("x"), 900_000), `"}`...)...)
	cases := map[string]struct {
		sink     string // the section dead_letter, if it is another one than the clinic's
		feed     func(t *testing.T, c *kfake.Cluster)
		letters  int
		accepted int
	}{
		"four messages that decompress to a thousand times their size": {feed: func(t *testing.T, c *kfake.Cluster) {
			write := produceTo(t, c, kgo.ProducerBatchCompression(kgo.GzipCompression()))
			for i := range int32(4) {
				write(i%2, make([]byte, 57_000_000))
			}
		}, letters: 4},
		"many large messages in few batches": {feed: manyLarge(refused, 1000), letters: 1000},
		"the same with payloads": {sink: "{type: file, path: ./dead-letter, payload: true}", feed: manyLarge(refused, 500),
			letters: 500},
		"payloads to a topic": {sink: "{type: topic, topic: refused, payload: true}", feed: manyLarge(refused[:600_000], 300),
			letters: 300},
		"many small records in one large batch": {feed: func(t *testing.T, c *kfake.Cluster) {
			write := produceTo(t, c, kgo.ProducerBatchCompression(kgo.ZstdCompression()))
			values := make([][]byte, 300_000)
			for i := range values {
				values[i] = patient(i)
			}
			write(0, values...)
		}, accepted: 300_000},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := startKafka(t, 2, kfake.SeedTopics(1, "refused"), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000000"}))
			config := clinic(fromKafka(c, ""))
			if tc.sink != "" {
				config = strings.Replace(config, "{type: file, path: ./dead-letter}", tc.sink, 1)
			}
			s := newSite(t, strings.Replace(config, "trigger: {on: update, min_interval: 1s}", "trigger: {on: interval, every: 24h}", 1))
			p := s.start("run")
			p.until("it is idle", func() bool { return s.read("state/status.json") != "" })
			idle := p.peak()
			tc.feed(t, c)
			p.until("all is read and delivered", func() bool {
				st := s.status()
				return st.Counts.DeadLetter == tc.letters && st.Counts.Outbox == 0 && st.Counts.Sent == tc.letters+tc.accepted
			})
			took := p.peak() - idle
			t.Logf("idle %d MB, %d MB more at the peak", idle, took)
			assert.Less(t, took, mostOverIdle)
			p.signal(syscall.SIGTERM)
			assert.Equal(t, 0, p.wait())
		})
	}
}

// manyLarge writes messages that take some 80 bytes each on the broker's disk.
func manyLarge(message []byte, n int) func(t *testing.T, c *kfake.Cluster) {
	return func(t *testing.T, c *kfake.Cluster) {
		write := produceTo(t, c, kgo.ProducerBatchCompression(kgo.ZstdCompression()))
		batch := make([][]byte, 50)
		for i := range batch {
			batch[i] = message
		}
		for i := range int32(n / len(batch)) {
			write(i%2, batch...)
		}
	}
}
