package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
)

// changeFeed is a site of level L2 that reads Debezium events from a file and forgets whom they delete.
func changeFeed(t *testing.T) *site {
	s := newSite(t, "{type: file, format: debezium, file: {path: admissions.ndjson}}", "on: records, every: 400", "")
	s.atLevel("L2", "")
	s.edit("policy:", "subject: {deletes: forget}\npolicy:")
	return s
}

// inserts are records as events of a change feed.
func inserts(records string) string {
	var out strings.Builder
	for line := range strings.Lines(records) {
		fmt.Fprintf(&out, `{"op":"c","after":%s}`+"\n", strings.TrimSpace(line))
	}
	return out.String()
}

// deleted is the event that deletes somebody, and the tombstone that follows it, in a file.
func deleted(patient string) string {
	return `{"op":"d","before":{"patient":"` + patient + `"},"after":null}` + "\n" + `null` + "\n"
}

// feedOfDeletes has 2000 records and five people more, of whom four are deleted: one before anybody is
// published, one who is published, one who waits, one who is not known. The first comes again.
func feedOfDeletes() (first, second string) {
	first = inserts(admitted("P-early", 1, "influenza")+admitted("P-published", 2, "influenza")+ndjson(1, 400)) + deleted("P-early") +
		inserts(strings.TrimPrefix(ndjson(1, 2000), ndjson(1, 400)))
	second = deleted("P-published") + inserts(admitted("P-waits", 1, "canary-diagnosis")) + deleted("P-waits") + deleted("P-nobody") +
		inserts(admitted("P-early", 1, "asthma")) + inserts(strings.TrimPrefix(ndjson(1, 3000), ndjson(1, 2000)))
	return first, second
}

// TestDeletesOfAChangeFeed: deletes and their counts, from the feed to the audit; a delete that names
// nobody is a dead letter; without the setting it all is what it was.
func TestDeletesOfAChangeFeed(t *testing.T) {
	tier.NotShort(t, "it starts the program many times")
	t.Parallel()
	s := changeFeed(t)
	first, second := feedOfDeletes()
	s.write("admissions.ndjson", first)
	s.must("run --once")
	assert.EqualValues(t, 2, s.addsUp(2005), "the record of P-early, and the delete; its tombstone names nobody, and is a dead letter")
	s.write("admissions.ndjson", first+second+`{"op":"d","before":{"age":5}}`+"\n")
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, `"event":"state_cleaned"`, "the first run has forgotten in its file")
	assert.Contains(t, r.stderr, `"event":"forgotten","people":`)
	// P-early: record, delete, record. P-published: the repeat, delete. P-waits: record, delete. P-nobody: delete.
	assert.EqualValues(t, 8, s.addsUp(3014))
	assert.Zero(t, s.counts().Counts.ForgetDue)
	letters := s.read("dead-letter/dead-letter.ndjson")
	assert.Equal(t, 4, strings.Count(letters, `"reason":"unsupported_operation"`), "tombstones")
	assert.Equal(t, 1, strings.Count(letters, `"reason":"delete_without_subject","attribute":"patient"`))
	assert.Contains(t, s.must("status"), "+ 8 forgotten")
	s.certified(s.counts().Counts.Release)
	s.must("state check")
	s.must("release verify")
	assert.Contains(t, s.must("audit --replay 1"), "Not replayed: people were forgotten")
	for _, p := range []string{"P-early", "P-published", "P-waits", "P-nobody"} {
		x := s.receipt(p)
		assert.True(t, x.Before, p)
		assert.Zero(t, x.Removed.Published+x.Removed.Unpublished, p)
	}
	assert.NotContains(t, s.read("state/anond.db"), "canary-diagnosis", "anond forget has rewritten the file")

	off := changeFeed(t)
	off.edit("subject: {deletes: forget}\n", "")
	off.write("admissions.ndjson", first+second)
	off.must("run --once")
	assert.Zero(t, off.addsUp(3013))
	assert.Equal(t, 8, strings.Count(off.read("dead-letter/dead-letter.ndjson"), `"reason":"unsupported_operation"`))
}

// TestDeletesAreInterrupted: a run that ends at any step of an erasure leaves a state that the next
// start lets forget, whatever the level.
func TestDeletesAreInterrupted(t *testing.T) {
	tier.NotShort(t, "it makes a dataset for each step")
	t.Parallel()
	killed := errors.New("killed")
	first, second := feedOfDeletes()
	for _, level := range []string{"L2", "L1"}[:tier.Of(t, 1, 1, 2)] {
		for _, step := range []string{"planned", "listed", "rewritten"} {
			s := changeFeed(t)
			if level == "L1" {
				s.edit("level: L2}\ninitial: {min_pool: 15}", "level: L1}")
			}
			s.write("admissions.ndjson", first)
			s.must("run --once")
			s.write("admissions.ndjson", first+second)
			cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
			require.NoError(t, err)
			err = daemon.Run(t.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true, StandIns: dataset.StandIns{
				Forgetting: func(at string) error {
					if at == step {
						return killed
					}
					return nil
				}}})
			require.ErrorIs(t, err, killed, "%s, %s", level, step)
			s.must("run --once")
			s.addsUp(3013)
			assert.Zero(t, s.counts().Counts.ForgetDue)
			assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
			s.must("state check")
			for _, p := range []string{"P-early", "P-published", "P-waits", "P-nobody"} {
				x := s.receipt(p)
				assert.True(t, x.Before, p)
				assert.Zero(t, x.Removed.Published+x.Removed.Unpublished, p)
			}
			assert.NotContains(t, s.read("state/anond.db"), "canary-diagnosis")
		}
	}
}

// TestTombstonesOfATopic: null values with a key, as compacted topics have them.
func TestTombstonesOfATopic(t *testing.T) {
	tier.NotShort(t, "it starts a broker")
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "admissions"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("admissions"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	source := fmt.Sprintf("{type: kafka, kafka: {brokers: [%s], topic: admissions}}", cluster.ListenAddrs()[0])
	s := newSite(t, source, "on: records, every: 400", "")
	s.atLevel("L2", "")
	s.edit("policy:", "subject: {deletes: forget}\npolicy:")
	send := func(records ...*kgo.Record) {
		require.NoError(t, client.ProduceSync(context.Background(), records...).FirstErr())
	}
	for line := range strings.Lines(admitted("P-published", 2, "influenza") + ndjson(1, 1000)) {
		send(&kgo.Record{Value: []byte(strings.TrimSpace(line))})
	}
	s.must("run --once")
	send(&kgo.Record{Key: []byte("P-published")}, &kgo.Record{Key: []byte(`{"patient":"P-other"}`)}, &kgo.Record{})
	s.must("run --once")
	assert.EqualValues(t, 3, s.addsUp(1005), "the repeat, and two tombstones")
	assert.EqualValues(t, 1, s.counts().Counts.Refused["unsupported_operation"], "a tombstone without a key names nobody")
	s.certified(s.counts().Counts.Release)
	assert.True(t, s.receipt("P-other").Before)
}

// TestForgetRefusesAlike: what cannot be forgotten has the same words, hint and exit code alongside a daemon and
// without one, and the daemon goes on.
func TestForgetRefusesAlike(t *testing.T) {
	s := forgetful(t)
	s.edit("release: {dir: ./releases", "control: {socket: ./c.sock}\nrelease: {dir: ./releases, recoding: anatomy")
	s.edit("admissions.ndjson}", "admissions.ndjson, follow: true}")
	s.write("admissions.ndjson", admitted("P-published", 1, "influenza")+ndjson(1, 1000))
	s.must("run --once")
	alone := s.pipe("P-published", "forget --from -")
	require.Equal(t, exitFailed, alone.code, alone.stderr)
	unknown := s.pipe("P-\tx", "forget --from -")
	ctx, stop := context.WithCancel(t.Context())
	var out, log programtest.Text
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "-c", s.config}, streams(&out, &log))
	}()
	t.Cleanup(stop)
	require.Eventually(t, func() bool { return s.run("release plan").code == exitOK }, patience, 20*time.Millisecond, "%s", &log)
	beside := s.pipe("P-published", "forget --from -")
	assert.Equal(t, alone.code, beside.code)
	_, hint, _ := strings.Cut(alone.stderr, "hint: ")
	_, reason, _ := strings.Cut(alone.stderr, "anond.db: ")
	assert.Contains(t, beside.stderr, "hint: "+hint)
	assert.Contains(t, beside.stderr, "error: "+reason)
	assert.Equal(t, unknown, s.pipe("P-\tx", "forget --from -"))
	waiting := s.receipt("P-nobody")
	assert.False(t, waiting.Before)
	assert.NotContains(t, log.String(), "P-published")
	stop()
	require.Equal(t, exitOK, <-ended, "%s", &log)
}
