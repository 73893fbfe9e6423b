package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"anond/deliver/delivertest"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/testkit/dutytest"
	"anond/internal/testkit/programtest"
)

// figures are what the metrics of a delivery share with its status.
var figures = map[string]string{
	"anond_deliver_status_timestamp_seconds":       "time",
	"anond_deliver_release_sequence":               "release",
	"anond_deliver_known":                          "known",
	"anond_deliver_current_release_sequence":       "newest",
	"anond_deliver_lag_releases":                   "behind",
	"anond_deliver_lag_seconds":                    "behind_seconds",
	"anond_deliver_releases_total":                 "delivered",
	"anond_deliver_rows_total":                     "rows",
	"anond_deliver_bytes_total":                    "bytes",
	"anond_deliver_failures_total":                 "failures",
	"anond_deliver_last_attempt_timestamp_seconds": "last_attempt",
	"anond_deliver_last_success_timestamp_seconds": "last_success",
	"anond_deliver_last_release_timestamp_seconds": "last_release",
}

// alone are figures of one surface, or compared by the test itself.
var alone = []string{"anond_deliver_failing", "kind", "sink", "pid", "dataset", "doing", "failure"}

// TestADeliveryThatFollows: a delivery that follows shows one set of figures everywhere, says that its sink is away and how
// many releases it lacks, and goes on when it is back.
func TestADeliveryThatFollows(t *testing.T) {
	tier.NotShort(t, "it runs a daemon and a broker")
	t.Parallel()
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 2)
	newest := fmt.Sprint(chain.Newest())
	broker, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	dir := programtest.TempDir(t) // a socket has a short path
	manager, file, config := filepath.Join(dir, "s"), filepath.Join(dir, "status.json"), filepath.Join(dir, "deliver.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "version: 1\ndataset: wards\nrelease: {dir: %q}\nlog: {format: json}\n"+
		"outputs: {poll: 1s, kafka: {brokers: [%q], topic: out}}\n", chain.Dir, broker.ListenAddrs()[0]), 0o600))
	heard := dutytest.Hears(t, manager)
	guard := filepath.Join(t.TempDir(), "http.yaml")
	require.NoError(t, os.WriteFile(guard, []byte("http: {auth: {token: CANARYTOKEN}}\n"), 0o600))
	w := dutytest.Start(t, run, map[string]string{"NOTIFY_SOCKET": manager, "WATCHDOG_USEC": "60000000"}, "kafka", "-c", config,
		"--follow", "--listen", "127.0.0.1:0", "--http", guard, "--status", file)
	const stamp = `anond_deliver_status_timestamp_seconds{dataset="wards",sink="kafka"}`
	var status map[string]string
	look := func(done func(metrics string) bool) {
		t.Helper()
		dutytest.Await(t, func() bool {
			var metrics string
			status, metrics = w.Moment(file, "CANARYTOKEN", stamp)
			dutytest.Agrees(t, "anond_deliver_", figures, alone, status, metrics)
			return done(metrics)
		}, "%s", &w.Log)
	}
	failing := func(metrics string) bool {
		return dutytest.Scraped(t, metrics, `anond_deliver_failing{dataset="wards",sink="kafka"}`) == 1
	}
	look(failing) // there is no topic
	assert.Equal(t, []string{"false", newest}, []string{status["known"], status["newest"]})
	assert.Contains(t, dutytest.Fetch(t, w.Address+"/readyz", "", 503), "the newest attempt failed")
	dutytest.Fetch(t, w.Address+"/healthz", "", 200)
	dutytest.Fetch(t, w.Address+"/metrics", "wrong", 401)
	require.NoError(t, broker.CreateTopic("out", 1, map[string]string{"cleanup.policy": "compact"}))
	look(func(metrics string) bool { return status["release"] == newest && !failing(metrics) })
	assert.Equal(t, []string{"true", newest, "0", "topic out"},
		[]string{status["known"], status["delivered"], status["behind"], status["sink"]})
	assert.NotEqual(t, "0", status["rows"])
	assert.Contains(t, dutytest.Fetch(t, w.Address+"/readyz", "", 200), "has all releases")
	w.Ends(cli.OK)
	for _, line := range []string{"READY=1", "WATCHDOG=1", "STATUS=release " + newest + " of " + newest + " delivered", "STOPPING=1"} {
		dutytest.Await(t, func() bool { return strings.Contains("\n"+heard(), "\n"+line+"\n") }, "%s is not in %s", line, heard())
	}
}
