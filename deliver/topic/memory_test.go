package topic

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/internal/kafkaclient"
	"anond/snapshot"
	"anond/snapshot/verify"
)

var errCrash = errors.New("crash")

// memory is a topic in memory: a log, as a broker has it.
type memory struct {
	log   []kafkaclient.Message
	until int // messages until every write fails; < 0: none
}

func (m *memory) Write(_ context.Context, messages []kafkaclient.Message) error {
	for _, x := range messages {
		if m.until == 0 {
			return errCrash
		}
		m.until--
		m.log = append(m.log, x)
	}
	return nil
}

func (m *memory) Settings(context.Context, ...string) (kafkaclient.Settings, error) {
	return kafkaclient.Settings{"cleanup.policy": "compact"}, nil
}

func (m *memory) Close() error { return nil }

// compact removes every message of which a later one has the key.
func (m *memory) compact() {
	last := map[string]int{}
	for i, x := range m.log {
		last[string(x.Key)] = i
	}
	var kept []kafkaclient.Message
	for i, x := range m.log {
		if last[string(x.Key)] == i {
			kept = append(kept, x)
		}
	}
	m.log = kept
}

func (m *memory) read(_ context.Context, _ kafkaclient.Config, c *Collector) error {
	for _, x := range m.log {
		if err := c.Add(x.Key, x.Value); err != nil {
			return err
		}
	}
	return nil
}

// sink is one over the memory, as a new process would have it.
func (m *memory) sink() *sink {
	return &sink{brokers: kafkaclient.Config{Topic: "memory"}, dataset: "wards", most: 1_000_000, writer: m, read: m.read,
		has: map[bornPart]bool{}}
}

// deliverAll delivers a directory once, without patience.
func deliverAll(t testing.TB, s deliver.Sink, dir string) (deliver.Summary, error) {
	t.Helper()
	return deliver.Run(t.Context(), s, deliver.Options{FS: snapshot.OS(), Dir: dir, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
}

// keeping gathers all messages, values too.
func keeping(t testing.TB, read func(context.Context, kafkaclient.Config, *Collector) error, brokers kafkaclient.Config) *Collector {
	t.Helper()
	c, err := NewKeeping()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	require.NoError(t, read(t.Context(), brokers, c))
	return c
}

// requireEqual makes a release again and compares it byte by byte with the files.
func requireEqual(t testing.TB, c *Collector, release uint32, chain *delivertest.Chain) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "again")
	r, err := c.Rebuild(release, out)
	require.NoError(t, err, "release %d", release)
	require.Equal(t, release, r.Release)
	want, got := files(t, filepath.Join(chain.Dir, dirName(release))), files(t, filepath.Join(out, dirName(release)))
	require.Equal(t, want, got, "release %d", release)
	m, err := snapshot.Show(snapshot.OS(), out, release)
	require.NoError(t, err)
	require.Equal(t, len(want), r.Files+1+len(m.Documents), "data files, the manifest, and what describes it")
	v, err := verify.Dir(snapshot.OS(), out, "")
	require.NoError(t, err)
	require.True(t, v.OK(), "%v", v.Findings)
	require.EqualValues(t, release-1, v.Pruned)
}

func dirName(release uint32) string { return keyOf(release, "x", 1, nil).String()[:6] }

// files are the files below a directory, with their content.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(content)
		return err
	}))
	return out
}
