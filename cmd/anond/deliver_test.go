package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"anond/equivclass/equivtest/tier"
)

// TestDeliverCommands: delivery needs the releases and nothing else of a site, and every
// way in which it ends has its exit code.
func TestDeliverCommands(t *testing.T) {
	tier.NotShort(t, "it runs a daemon and a broker")
	t.Parallel()
	s := newFrozen(t, atLevel2, ", recoding: buckets")
	broker, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	for _, name := range []string{"out", "other"} {
		require.NoError(t, broker.CreateTopic(name, 1, map[string]string{"cleanup.policy": "compact"}))
	}
	for _, private := range []string{"state", "admissions.ndjson", "dead-letter"} {
		require.NoError(t, os.RemoveAll(s.path(private)))
	}
	s.config = s.path("deliver.yaml")
	outputs := func(dataset, dir, topic string) {
		s.write("deliver.yaml", fmt.Sprintf("version: 1\ndataset: %s\nrelease: {dir: %s}\noutputs: {kafka: {brokers: [%q], topic: %s}}\n",
			dataset, dir, broker.ListenAddrs()[0], topic))
	}
	ends := func(code int, hint, command string, more ...string) string {
		t.Helper()
		r := s.run(command, more...)
		require.Equal(t, code, r.code, "%s: %s%s", command, r.stdout, r.stderr)
		require.Contains(t, r.stdout+r.stderr, hint)
		return r.stdout
	}
	outputs("hospital", "./releases", "out")
	ends(exitFailed, "no marker", "consume")
	ends(exitOK, "delivered", "deliver kafka")
	ends(exitOK, "it has all releases", "deliver kafka")
	var c consumed
	require.NoError(t, json.Unmarshal([]byte(ends(exitOK, "", "consume --release 2 --json")), &c))
	assert.Equal(t, "releases/000002", strings.TrimPrefix(c.Compared, s.dir+"/"))
	assert.EqualValues(t, 2, c.Release)
	assert.Greater(t, c.Newest, c.Release)
	ends(exitFailed, "whole release", "consume --release 99")
	ends(exitOK, "equal:", "consume", "--out", s.path("again"))
	ends(exitUsage, "is there already", "consume", "--out", s.path("again"))
	ends(exitConfig, "outputs.postgres.url", "deliver postgres")
	var audit, errs bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"audit", "--releases", s.path("again")}, streams(&audit, &errs)), "%s%s", &audit, &errs)
	assert.Contains(t, audit.String(), "CONSISTENT", "from the topic alone")

	require.NoError(t, os.CopyFS(s.path("old/000001"), os.DirFS(s.path("releases/000001"))))
	require.NoError(t, os.CopyFS(s.path("old/hierarchies"), os.DirFS(s.path("releases/hierarchies"))))
	s.write("old/CURRENT", "000001\n")
	outputs("hospital", "./old", "out")
	ends(exitBehind, "hint: restore the newest releases", "deliver kafka")
	ends(exitOK, "equal:", "consume --release 1")
	ends(exitOK, "not compared", "consume")
	outputs("clinic", "./releases", "out")
	ends(exitBehind, "dataset", "deliver kafka")
	outputs("clinic", "./releases", "other")
	ends(exitBehind, "dataset", "deliver kafka")
	outputs("hospital", "./nowhere", "out")
	ends(exitOK, "nowhere yet", "deliver kafka")
	outputs("hospital", "./releases", "missing")
	ends(exitFailed, "create the topic", "deliver kafka", "--patience", "2s") // the first failure may be another one
	damaged := s.read("releases/000001/part-000001/data.csv")
	require.NoError(t, os.Chmod(s.path("releases/000001/part-000001/data.csv"), 0o600))
	s.write("releases/000001/part-000001/data.csv", damaged+"x")
	outputs("hospital", "./releases", "other")
	ends(exitFailed, "anond release verify", "deliver kafka")
}
