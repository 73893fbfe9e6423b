package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
)

// files are the names of all files of a site with their content.
func (s *site) files() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	require.NoError(s.t, filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			out[path] = ""
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	}))
	return out
}

// rehearsed runs anond run --once --dry-run, which must change nothing.
func (s *site) rehearsed(code int) rehearsed {
	s.t.Helper()
	before := s.files()
	r := s.run("run --once --dry-run --json")
	require.Equal(s.t, code, r.code, r.stderr)
	require.Equal(s.t, before, s.files())
	var out rehearsed
	if code == exitOK {
		require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &out), r.stdout)
	}
	return out
}

// TestDryRunIsWhatTheRunDoes: at both levels, before the first release and behind it, a dry run writes
// nothing and says what the run that follows publishes and refuses.
func TestDryRunIsWhatTheRunDoes(t *testing.T) {
	for _, policy := range []string{"{k: 5, l: 3, level: L1}", "{k: 5, l: 3, level: L2}\ninitial: {min_pool: 15}"} {
		t.Run(policy, func(t *testing.T) {
			s := newSite(t, fileSource, "on: interval, every: 24h", "")
			s.edit("{k: 5, l: 3, level: L1}", policy)
			s.write("admissions.ndjson", "")
			published, sent := 0, uint64(0)
			lines := slices.Collect(strings.Lines(ndjson(1, 2400)))
			for ; len(lines) > 0; lines = lines[1200:] {
				s.append("admissions.ndjson", strings.Join(lines[:1200], "")+"no record\n")
				want := s.rehearsed(exitOK)
				s.must("run --once")
				var m snapshot.Manifest
				require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
				now := s.counts()
				assert.Equal(t, m.Release, want.Plan.Release)
				assert.Equal(t, m.Records-published, want.Plan.Newcomers)
				assert.Positive(t, want.Plan.Loss)
				assert.Equal(t, now.Counts.Sent-sent, want.Read)
				refused := uint64(0)
				for _, n := range want.Refused {
					refused += n
				}
				assert.Equal(t, want.Read, want.Accepted+refused)
				published, sent = m.Records, now.Counts.Sent
			}
			assert.Contains(t, s.must("run --once --dry-run"), "dry run: nothing was written\n")
		})
	}
}

// TestDryRunIsBlindToValues (rule B, buckets): at level L2 it says the same of a pool that can be published,
// of one that cannot, and of one in which everybody has one value.
func TestDryRunIsBlindToValues(t *testing.T) {
	said := func(diagnosis string) string {
		s := newSite(t, fileSource, "on: interval, every: 24h", "")
		s.atLevel("L2", "")
		var b strings.Builder
		for line := range strings.Lines(ndjson(3, 600)) {
			var r map[string]any
			if json.Unmarshal([]byte(line), &r) == nil && diagnosis != "" && r["diagnosis"] != nil {
				r["diagnosis"] = diagnosis
				one, err := json.Marshal(r)
				require.NoError(t, err)
				line = string(one) + "\n"
			}
			b.WriteString(line)
		}
		s.write("admissions.ndjson", b.String())
		return s.must("run --once --dry-run") + s.must("run --once --dry-run --json")
	}
	assert.Equal(t, said(""), said("influenza"))
}

// TestDryRunOfALoadThatIsRefused: at level L1 it says what the run would say, with its exit code.
func TestDryRunOfALoadThatIsRefused(t *testing.T) {
	s := newSite(t, fileSource, "on: interval, every: 24h", "")
	var all strings.Builder
	for i := range 20 {
		fmt.Fprintf(&all, `{"patient":"p%d","age":30,"sex":"f","postcode":"1100","admission":"planned","diagnosis":"gout"}`+"\n", i)
	}
	first, _, _ := strings.Cut(all.String(), "\n")
	s.write("admissions.ndjson", first+"\n")
	few := s.rehearsed(exitOK)
	assert.EqualValues(t, 1, few.Accepted)
	assert.Zero(t, few.Plan.Newcomers)
	s.write("admissions.ndjson", all.String())
	s.rehearsed(exitPrivacy)
	dry, run := s.run("run --once --dry-run"), s.run("run --once")
	assert.Equal(t, exitPrivacy, run.code)
	hint := regexp.MustCompile("hint: .*").FindString(run.stderr)
	assert.NotEmpty(t, hint)
	assert.Contains(t, dry.stderr, hint)
}

// TestDryRunNextToADaemon: with a control socket it reads a copy of the state, without one the state is locked.
func TestDryRunNextToADaemon(t *testing.T) {
	tier.NotShort(t, "it runs a daemon as a process")
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: interval, every: 24h", "")
	s.write("admissions.ndjson", ndjson(1, 1200))
	d := s.start("run")
	d.event("release_published")
	assert.Equal(t, exitLocked, s.run("run --once --dry-run").code)
	d.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, d.wait())
	s.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	d = s.start("run")
	d.event("started")
	eventually(t, func() bool { return s.run("release plan").code == exitOK }, "no answer: %s", &d.stderr)
	r := s.run("run --once --dry-run --json")
	require.Equal(t, exitOK, r.code, r.stderr)
	var out rehearsed
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &out))
	assert.EqualValues(t, 2, out.Plan.Release)
	eventually(t, func() bool { return len(s.readingCopies()) == 0 }, "the daemon keeps the copy: %s", &d.stderr)
}

// TestDryRunOfATopic: no group hears of it.
func TestDryRunOfATopic(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "admissions"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("admissions"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	var records []*kgo.Record
	for _, v := range admissions(1, 1000) {
		records = append(records, &kgo.Record{Value: v})
	}
	require.NoError(t, client.ProduceSync(t.Context(), records...).FirstErr())
	var told atomic.Int64
	for _, request := range []kmsg.Key{kmsg.OffsetCommit, kmsg.JoinGroup, kmsg.Produce} {
		cluster.ControlKey(int16(request), func(kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			told.Add(1)
			return nil, nil, false
		})
	}
	s := newSite(t, fmt.Sprintf("{type: kafka, kafka: {brokers: [%s], topic: admissions, group: readers}}", cluster.ListenAddrs()[0]),
		"on: interval, every: 24h", "")
	assert.EqualValues(t, 1000, s.rehearsed(exitOK).Read)
	assert.Zero(t, told.Load())
	s.must("run --once")
	assert.Positive(t, told.Load(), "a run commits for tools that show the lag")
	assert.Zero(t, s.rehearsed(exitOK).Read, "it goes on where the state is")
}

// TestDryRunUsage: the flags that belong together.
func TestDryRunUsage(t *testing.T) {
	s := newSite(t, fileSource, "on: interval, every: 24h", "")
	assert.Equal(t, exitUsage, s.run("run --dry-run").code)
	assert.Equal(t, exitUsage, s.run("run --once --json").code)
}
