package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/dutytest"
	"anond/internal/testkit/programtest"
)

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
}

// dutyAlone are figures of one surface, or compared by the test itself.
var dutyAlone = []string{"anond_union_failing", "anond_union_shards", "anond_union_shards_waiting", "anond_repartition_write_failing",
	"anond_repartition_unreadable_records_total", "pid", "dataset", "doing", "failure", "from", "to", "shards.#.shard", "shards.#.created_at",
	"partitions.#.partition", "partitions.#.end", "unreadable.malformed_json", "unreadable.missing_value", "waiting.#"}

// agrees compares every metric of a command with its status.
func agrees(t *testing.T, status map[string]string, metrics string) {
	t.Helper()
	dutytest.Agrees(t, "anond_(?:union|repartition)_", dutyFigures, dutyAlone, status, metrics)
}

// TestUnionOnDuty: a union that goes on shows one set of figures everywhere, says when a
// shard is late and when attempts fail, and tells the service manager.
func TestUnionOnDuty(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	t.Parallel()
	u := newUnited(t, 2, "L1")
	u.admit(800, 0, 1)
	manager := filepath.Join(programtest.TempDir(t), "s")
	heard := dutytest.Hears(t, manager)
	file := filepath.Join(filepath.Dir(u.dir), "status.json")
	guard := filepath.Join(t.TempDir(), "http.yaml")
	require.NoError(t, os.WriteFile(guard, []byte("http: {auth: {token: CANARYTOKEN}}\n"), 0o600))
	w := dutytest.Start(t, run, map[string]string{"NOTIFY_SOCKET": manager, "WATCHDOG_USEC": "60000000"}, "union", "--dir", u.dir,
		"--shards", "2",
		"--every", "1s", "--stale-after", "1h", "--listen", "127.0.0.1:0", "--http", guard, "--status", file, "--log-format", "json")
	const stamp = `anond_union_status_timestamp_seconds{dataset="hospital"}`
	eventually(t, func() bool { return strings.Contains(readIf(file), `"composed": 1`) }, "%s", &w.Log)
	fetch(t, w.Address+"/metrics", "wrong", 401)
	fetch(t, w.Address+"/status", "wrong", 401)
	for range 3 {
		status, metrics := w.Moment(file, "CANARYTOKEN", stamp)
		agrees(t, status, metrics)
		assert.Equal(t, "1", status["shards.1.release"])
		assert.Equal(t, 2., scraped(t, metrics, `anond_union_shards{dataset="hospital"}`))
	}
	assert.Contains(t, fetch(t, w.Address+"/readyz", "", 200), `"ready": true`)
	u.admit(400, 1)
	eventually(t, func() bool { return strings.Contains(readIf(file), `"composed": 2`) }, "%s", &w.Log)

	// a shard that cannot be read: attempts fail, the release stays, health says that it goes on
	current := filepath.Join(u.dir, "shards/1/CURRENT")
	was, err := os.ReadFile(current)
	require.NoError(t, err)
	require.NoError(t, os.Remove(current))
	require.NoError(t, os.Mkdir(current, 0o755))
	failing := func() bool {
		status, metrics := w.Moment(file, "CANARYTOKEN", stamp)
		agrees(t, status, metrics)
		return scraped(t, metrics, `anond_union_failing{dataset="hospital"}`) == 1 && status["failure"] != ""
	}
	eventually(t, failing, "%s", &w.Log)
	assert.Contains(t, fetch(t, w.Address+"/readyz", "", 503), "the newest one failed")
	fetch(t, w.Address+"/healthz", "", 200)
	require.NoError(t, os.Remove(current))
	require.NoError(t, os.WriteFile(current, was, 0o644))
	eventually(t, func() bool { return !failing() }, "%s", &w.Log)
	w.Ends(exitOK)
	for _, line := range []string{"READY=1", "WATCHDOG=1", "STATUS=release 2 of 2 shards", "STOPPING=1"} {
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
	heard := dutytest.Hears(t, manager)
	w := dutytest.Start(t, run, map[string]string{"NOTIFY_SOCKET": manager}, "repartition", "-c", s.config)
	file := s.path("state/repartition-admissions.status.json")
	eventually(t, func() bool { return strings.Contains(readIf(file), `"written": 90`) }, "%s", &w.Log)
	send(40)
	eventually(t, func() bool { return strings.Contains(readIf(file), `"read": 140`) }, "%s", &w.Log)
	const stamp = `anond_repartition_status_timestamp_seconds{dataset="hospital"}`
	var status map[string]string
	var metrics string
	eventually(t, func() bool {
		status, metrics = w.Moment(file, "CANARYTOKEN", stamp)
		agrees(t, status, metrics)
		return status["written"] == "126" && status["lag"] == "0"
	}, "%s", &w.Log)
	assert.Equal(t, "70", status["partitions.1.next"])
	assert.Equal(t, 14., scraped(t, metrics, `anond_repartition_unreadable_records_total{dataset="hospital",reason="malformed_json"}`))
	pages := metrics + fetch(t, w.Address+"/readyz", "", 200) + fetch(t, w.Address+"/healthz", "", 200) + readIf(file) +
		readIf(s.path("state/repartition-admissions.json"))
	w.Ends(exitOK)
	assert.NotContains(t, pages+w.Log.String()+heard(), "CANARY")
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
	open := filepath.Join(dir, "open.yaml")
	require.NoError(t, os.WriteFile(open, []byte("http: {listen: \":0\"}\n"), 0o600))
	w := dutytest.Start(t, run, nil, "union", "--dir", dir, "--shards", "2", "--http", open)
	assert.Contains(t, w.Log.String(), "can be reached from other machines without authentication")
	w.Ends(exitOK)
}

// TestRepartitionWarnsOfItsAddress: --listen is checked as http.listen is.
func TestRepartitionWarnsOfItsAddress(t *testing.T) {
	tier.NotShort(t, "it runs a repartitioning")
	p := newShardedTopic(t, kfake.SeedTopics(1, "admissions", "admissions.subjects"), byHand)
	s := p.shard("admissions.subjects", 0, 1, "digest")
	for address, warned := range map[string]bool{":0": true, "127.0.0.1:0": false} {
		w := dutytest.Start(t, run, nil, "repartition", "-c", s.config, "--listen", address)
		eventually(t, func() bool { return strings.Contains(w.Log.String(), "repartition_started") }, "%s", &w.Log)
		assert.Equal(t, warned, strings.Contains(w.Log.String(), "can be reached from other machines without authentication"), address)
		w.Ends(exitOK)
	}
}
