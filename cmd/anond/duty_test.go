package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/ops/events"
	"anond/internal/testkit/programtest"
)

// working is a union or a repartitioning that goes on in this process, with its pages.
type working struct {
	t       *testing.T
	log     programtest.Text
	address string
	ended   chan int
	stop    context.CancelFunc
}

// work starts a command that serves, and waits until it does.
func work(t *testing.T, env map[string]string, args ...string) *working {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &working{t: t, ended: make(chan int, 1), stop: stop}
	t.Cleanup(stop)
	lookup := func(name string) (string, bool) {
		if v, ok := env[name]; ok {
			return v, true
		}
		return os.LookupEnv(name)
	}
	go func() {
		w.ended <- run(ctx, args, cli.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &w.log, Lookup: lookup})
	}()
	listening := regexp.MustCompile(`http_listening.*?address[":=]+([0-9.:]+)`)
	eventually(t, func() bool { return listening.MatchString(w.log.String()) }, "%s serves nothing: %s", args[0], &w.log)
	w.address = "http://" + listening.FindStringSubmatch(w.log.String())[1]
	return w
}

// ends stops the command.
func (w *working) ends(code int) {
	w.t.Helper()
	w.stop()
	require.Equal(w.t, code, <-w.ended, "%s", &w.log)
	for line := range strings.Lines(w.log.String()) {
		if strings.HasPrefix(line, "{") {
			require.NoError(w.t, events.Check([]byte(line)), line)
		}
	}
}

// moment is the status in the file and on the page, and the metrics, of one moment.
func (w *working) moment(file, token, stamp string) (status map[string]string, metrics string) {
	w.t.Helper()
	flat := func(text string) map[string]string {
		lines, err := flatten([]byte(text))
		require.NoError(w.t, err)
		out := map[string]string{}
		for _, l := range lines {
			out[l[0]] = l[1]
		}
		return out
	}
	eventually(w.t, func() bool {
		before := fetch(w.t, w.address+"/metrics", token, 200)
		status = flat(fetch(w.t, w.address+"/status", token, 200))
		written := flat(readIf(file))
		metrics = fetch(w.t, w.address+"/metrics", token, 200)
		at, err := time.Parse(time.RFC3339Nano, status["time"])
		require.NoError(w.t, err)
		moment := float64(at.UnixMilli()) / 1000
		if scraped(w.t, before, stamp) != moment || scraped(w.t, metrics, stamp) != moment || written["time"] != status["time"] {
			return false
		}
		assert.Equal(w.t, status, written, "page and file")
		return true
	}, "no moment lasted long enough")
	return status, metrics
}

// dutyFigures are what the metrics of union and repartition share with their status; # stands for each
// place of a list, whose number the label has.
var dutyFigures = map[string]string{
	"anond_union_status_timestamp_seconds":           "time",
	"anond_union_release_sequence":                   "release",
	"anond_union_release_created_timestamp_seconds":  "created_at",
	"anond_union_release_records":                    "records",
	"anond_union_release_pending_records":            "pending",
	"anond_union_releases_total":                     "composed",
	"anond_union_attempts_total":                     "attempts",
	"anond_union_failures_total":                     "failures",
	"anond_union_last_attempt_timestamp_seconds":     "last_attempt",
	"anond_union_last_success_timestamp_seconds":     "last_success",
	"anond_union_stale_after_seconds":                "stale_after_seconds",
	"anond_union_shard_release_sequence":             "shards.#.release",
	"anond_union_shard_release_age_seconds":          "shards.#.age_seconds",
	"anond_union_shard_stale":                        "shards.#.stale",
	"anond_repartition_status_timestamp_seconds":     "time",
	"anond_repartition_read_records_total":           "read",
	"anond_repartition_written_records_total":        "written",
	"anond_repartition_missing_offsets_total":        "missing",
	"anond_repartition_write_retries_total":          "retries",
	"anond_repartition_last_write_timestamp_seconds": "last_write",
	"anond_repartition_saved_timestamp_seconds":      "saved",
	"anond_repartition_source_connected":             "connected",
	"anond_repartition_source_stalled":               "stalled",
	"anond_repartition_lag_records":                  "lag",
	"anond_repartition_lag_known":                    "lag_known",
	"anond_repartition_partition_lag_records":        "partitions.#.lag",
	"anond_repartition_partition_position":           "partitions.#.next",
	"anond_deliver_status_timestamp_seconds":         "time",
	"anond_deliver_release_sequence":                 "release",
	"anond_deliver_known":                            "known",
	"anond_deliver_current_release_sequence":         "newest",
	"anond_deliver_lag_releases":                     "behind",
	"anond_deliver_lag_seconds":                      "behind_seconds",
	"anond_deliver_releases_total":                   "delivered",
	"anond_deliver_rows_total":                       "rows",
	"anond_deliver_bytes_total":                      "bytes",
	"anond_deliver_failures_total":                   "failures",
	"anond_deliver_last_attempt_timestamp_seconds":   "last_attempt",
	"anond_deliver_last_success_timestamp_seconds":   "last_success",
	"anond_deliver_last_release_timestamp_seconds":   "last_release",
}

// dutyAlone are figures of one surface, or compared by the test itself.
var dutyAlone = []string{"anond_union_failing", "anond_union_shards", "anond_union_shards_waiting", "anond_repartition_write_failing",
	"anond_deliver_failing", "kind", "sink",
	"anond_repartition_unreadable_records_total", "pid", "dataset", "doing", "failure", "from", "to", "shards.#.shard", "shards.#.created_at",
	"partitions.#.partition", "partitions.#.end", "unreadable.malformed_json", "unreadable.missing_value", "waiting.#"}

// agrees compares every metric of a command with its status.
func agrees(t *testing.T, status map[string]string, metrics string) {
	t.Helper()
	s := &shown{t, status, map[string]bool{}}
	compared := map[string]bool{}
	of := regexp.MustCompile(`(?m)^(anond_(?:union|repartition|deliver)_\w+)\{([^}]*)\} (\S+)$`)
	for _, m := range of.FindAllStringSubmatch(metrics, -1) {
		place, known := dutyFigures[m[1]]
		if !known {
			require.Contains(t, dutyAlone, m[1], "a metric that nothing is compared with")
			continue
		}
		compared[place] = true
		if at := regexp.MustCompile(`(?:shard|partition)="(\d+)"`).FindStringSubmatch(m[2]); at != nil {
			place = strings.Replace(place, "#", at[1], 1)
		}
		assert.InDelta(t, s.num(place), scraped(t, metrics, m[1]+"{"+m[2]+"}"), 2e-3, m[0])
	}
	for name := range status {
		any := regexp.MustCompile(`\.\d+`).ReplaceAllString(name, ".#")
		assert.True(t, compared[any] || slices.Contains(dutyAlone, any), "%s of the status is in no metric", name)
	}
}

// TestUnionOnDuty: a union that goes on shows one set of figures everywhere, says when a
// shard is late and when attempts fail, and tells the service manager.
func TestUnionOnDuty(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	t.Parallel()
	u := newUnited(t, 2, "L1")
	u.admit(800, 0, 1)
	manager := filepath.Join(programtest.TempDir(t), "s")
	heard := hears(t, manager)
	file := filepath.Join(filepath.Dir(u.dir), "status.json")
	guard := filepath.Join(t.TempDir(), "http.yaml")
	require.NoError(t, os.WriteFile(guard, []byte("http: {auth: {token: CANARYTOKEN}}\n"), 0o600))
	w := work(t, map[string]string{"NOTIFY_SOCKET": manager, "WATCHDOG_USEC": "60000000"}, "union", "--dir", u.dir, "--shards", "2",
		"--every", "1s", "--stale-after", "1h", "--listen", "127.0.0.1:0", "--http", guard, "--status", file, "--log-format", "json")
	const stamp = `anond_union_status_timestamp_seconds{dataset="hospital"}`
	eventually(t, func() bool { return strings.Contains(readIf(file), `"composed": 1`) }, "%s", &w.log)
	fetch(t, w.address+"/metrics", "wrong", 401)
	fetch(t, w.address+"/status", "wrong", 401)
	for range 3 {
		status, metrics := w.moment(file, "CANARYTOKEN", stamp)
		agrees(t, status, metrics)
		assert.Equal(t, "1", status["shards.1.release"])
		assert.Equal(t, 2., scraped(t, metrics, `anond_union_shards{dataset="hospital"}`))
	}
	assert.Contains(t, fetch(t, w.address+"/readyz", "", 200), `"ready": true`)
	u.admit(400, 1)
	eventually(t, func() bool { return strings.Contains(readIf(file), `"composed": 2`) }, "%s", &w.log)

	// a shard that cannot be read: attempts fail, the release stays, health says that it goes on
	current := filepath.Join(u.dir, "shards/1/CURRENT")
	was, err := os.ReadFile(current)
	require.NoError(t, err)
	require.NoError(t, os.Remove(current))
	require.NoError(t, os.Mkdir(current, 0o755))
	failing := func() bool {
		status, metrics := w.moment(file, "CANARYTOKEN", stamp)
		agrees(t, status, metrics)
		return scraped(t, metrics, `anond_union_failing{dataset="hospital"}`) == 1 && status["failure"] != ""
	}
	eventually(t, failing, "%s", &w.log)
	assert.Contains(t, fetch(t, w.address+"/readyz", "", 503), "the newest one failed")
	fetch(t, w.address+"/healthz", "", 200)
	require.NoError(t, os.Remove(current))
	require.NoError(t, os.WriteFile(current, was, 0o644))
	eventually(t, func() bool { return !failing() }, "%s", &w.log)
	w.ends(exitOK)
	for _, line := range []string{"READY=1", "WATCHDOG=1", "STATUS=release 2 of 2 shards", "STOPPING=1"} {
		eventually(t, func() bool { return strings.Contains("\n"+heard(), "\n"+line+"\n") }, "%s is not in %s", line, heard())
	}
}

// TestDeliverOnDuty: a delivery that follows shows one set of figures everywhere, says that its sink is away and how
// many releases it lacks, and goes on when it is back.
func TestDeliverOnDuty(t *testing.T) {
	tier.NotShort(t, "it runs a daemon and a broker")
	t.Parallel()
	s := newFrozen(t, atLevel2, ", recoding: buckets")
	newest := strings.TrimLeft(strings.TrimSpace(s.read("releases/CURRENT")), "0")
	broker, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	s.write("deliver.yaml", fmt.Sprintf("version: 1\ndataset: hospital\nrelease: {dir: ./releases}\nlog: {format: json}\n"+
		"outputs: {poll: 1s, kafka: {brokers: [%q], topic: out}}\n", broker.ListenAddrs()[0]))
	manager, file := filepath.Join(programtest.TempDir(t), "s"), s.path("deliver.status.json")
	heard := hears(t, manager)
	guard := filepath.Join(t.TempDir(), "http.yaml")
	require.NoError(t, os.WriteFile(guard, []byte("http: {auth: {token: CANARYTOKEN}}\n"), 0o600))
	w := work(t, map[string]string{"NOTIFY_SOCKET": manager, "WATCHDOG_USEC": "60000000"}, "deliver", "kafka", "-c", s.path("deliver.yaml"),
		"--follow", "--listen", "127.0.0.1:0", "--http", guard, "--status", file)
	const stamp = `anond_deliver_status_timestamp_seconds{dataset="hospital",sink="kafka"}`
	var status map[string]string
	look := func(done func(metrics string) bool) {
		t.Helper()
		eventually(t, func() bool {
			var metrics string
			status, metrics = w.moment(file, "CANARYTOKEN", stamp)
			agrees(t, status, metrics)
			return done(metrics)
		}, "%s", &w.log)
	}
	failing := func(metrics string) bool {
		return scraped(t, metrics, `anond_deliver_failing{dataset="hospital",sink="kafka"}`) == 1
	}
	look(failing) // there is no topic
	assert.Equal(t, []string{"false", newest}, []string{status["known"], status["newest"]})
	assert.Contains(t, fetch(t, w.address+"/readyz", "", 503), "the newest attempt failed")
	fetch(t, w.address+"/healthz", "", 200)
	fetch(t, w.address+"/metrics", "wrong", 401)
	require.NoError(t, broker.CreateTopic("out", 1, map[string]string{"cleanup.policy": "compact"}))
	look(func(metrics string) bool { return status["release"] == newest && !failing(metrics) })
	assert.Equal(t, []string{"true", newest, "0", "topic out"},
		[]string{status["known"], status["delivered"], status["behind"], status["sink"]})
	assert.NotEqual(t, "0", status["rows"])
	assert.Contains(t, fetch(t, w.address+"/readyz", "", 200), "has all releases")
	w.ends(exitOK)
	for _, line := range []string{"READY=1", "WATCHDOG=1", "STATUS=release " + newest + " of " + newest + " delivered", "STOPPING=1"} {
		eventually(t, func() bool { return strings.Contains("\n"+heard(), "\n"+line+"\n") }, "%s is not in %s", line, heard())
	}
}

// TestRepartitionOnDuty: a repartitioning shows one set of figures everywhere, and no value of a record
// anywhere.
func TestRepartitionOnDuty(t *testing.T) {
	tier.NotShort(t, "it runs a repartitioning")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(3, "admissions", "admissions.subjects"), byHand)
	s := p.shard("admissions.subjects", 0, 1, "digest")
	s.edit("policy:", "http: {listen: \"127.0.0.1:0\", auth: {token: CANARYTOKEN}}\npolicy:")
	send := func(n int) {
		for i := range n {
			r := &kgo.Record{Topic: "admissions", Partition: int32(i % 2), Value: fmt.Appendf(nil, `{"patient":"CANARY%d","age":4}`, i)}
			if i%10 == 9 {
				r.Value = []byte(`{"CANARY`)
			}
			p.put(r)
		}
	}
	send(100)
	manager := filepath.Join(programtest.TempDir(t), "s")
	heard := hears(t, manager)
	w := work(t, map[string]string{"NOTIFY_SOCKET": manager}, "repartition", "-c", s.config)
	file := s.path("state/repartition-admissions.status.json")
	eventually(t, func() bool { return strings.Contains(readIf(file), `"written": 90`) }, "%s", &w.log)
	send(40)
	eventually(t, func() bool { return strings.Contains(readIf(file), `"read": 140`) }, "%s", &w.log)
	const stamp = `anond_repartition_status_timestamp_seconds{dataset="hospital"}`
	var status map[string]string
	var metrics string
	eventually(t, func() bool {
		status, metrics = w.moment(file, "CANARYTOKEN", stamp)
		agrees(t, status, metrics)
		return status["written"] == "126" && status["lag"] == "0"
	}, "%s", &w.log)
	assert.Equal(t, "70", status["partitions.1.next"])
	assert.Equal(t, 14., scraped(t, metrics, `anond_repartition_unreadable_records_total{dataset="hospital",reason="malformed_json"}`))
	pages := metrics + fetch(t, w.address+"/readyz", "", 200) + fetch(t, w.address+"/healthz", "", 200) + readIf(file) +
		readIf(s.path("state/repartition-admissions.json"))
	w.ends(exitOK)
	assert.NotContains(t, pages+w.log.String()+heard(), "CANARY")
	eventually(t, func() bool {
		return strings.Contains(heard(), "READY=1") && strings.Contains(heard(), " records written\n")
	},
		"the manager did not hear how it stands")
}

// TestWhereADutyListens: on this machine alone unless it is told otherwise; what is asked for must be
// free, and what is not need not.
func TestWhereADutyListens(t *testing.T) {
	tier.NotShort(t, "it runs a union")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	dir := t.TempDir()
	for args, code := range map[string]int{"--listen " + taken.Addr().String(): exitFailed, "--listen nowhere": exitConfig,
		"--http " + filepath.Join(dir, "none.yaml"): exitConfig, "--once --listen off": exitUsage} {
		r := anond(t, append([]string{"union", "--dir", dir, "--shards", "2"}, strings.Fields(args)...)...)
		assert.Equal(t, code, r.code, "%s: %s", args, r.stderr)
		assert.NotContains(t, r.stderr, "http.listen", "%s: the command line has --listen", args)
	}
	assert.Equal(t, exitUsage, anond(t, "deliver", "kafka", "--listen", "off").code, "it does not follow")
	open := filepath.Join(dir, "open.yaml")
	require.NoError(t, os.WriteFile(open, []byte("http: {listen: \":0\"}\n"), 0o600))
	w := work(t, nil, "union", "--dir", dir, "--shards", "2", "--http", open)
	assert.Contains(t, w.log.String(), "can be reached from other machines without authentication")
	w.ends(exitOK)
	assert.Equal(t, "127.0.0.1:9465", unionListen)
}

// TestRepartitionWarnsOfItsAddress: --listen is checked as http.listen is.
func TestRepartitionWarnsOfItsAddress(t *testing.T) {
	tier.NotShort(t, "it runs a repartitioning")
	p := newShardedTopic(t, kfake.SeedTopics(1, "admissions", "admissions.subjects"), byHand)
	s := p.shard("admissions.subjects", 0, 1, "digest")
	for address, warned := range map[string]bool{":0": true, "127.0.0.1:0": false} {
		w := work(t, nil, "repartition", "-c", s.config, "--listen", address)
		eventually(t, func() bool { return strings.Contains(w.log.String(), "repartition_started") }, "%s", &w.log)
		assert.Equal(t, warned, strings.Contains(w.log.String(), "can be reached from other machines without authentication"), address)
		w.ends(exitOK)
	}
}

// hears listens as a service manager, and returns what it has heard so far.
func hears(t *testing.T, path string) (heard func() string) {
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	var text programtest.Text
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := make([]byte, 1<<12)
		for {
			n, err := socket.Read(buffer)
			if err != nil {
				return
			}
			_, _ = text.Write(append(buffer[:n:n], '\n'))
		}
	}()
	t.Cleanup(func() { _ = socket.Close(); <-ended })
	return text.String
}
