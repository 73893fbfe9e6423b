package topic

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/deliver/postgres"
	"anond/internal/daemon"
	"anond/internal/dataset"
)

// BenchmarkDeliver takes 200,000 people in releases of level L2 to a broker in this
// process and to a PostgreSQL, and makes one of them again from the topic.
func BenchmarkDeliver(b *testing.B) {
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, "in.ndjson"))
	require.NoError(b, err)
	for i := range 200_000 {
		_, err := fmt.Fprintf(f, `{"id":%d,"age":%d,"zip":%d,"illness":"v%d"}`+"\n", i, i*7919%90, i*104729%100_000, i*31%20)
		require.NoError(b, err)
	}
	require.NoError(b, f.Close())
	require.NoError(b, os.WriteFile(filepath.Join(dir, "anond.yaml"), []byte(`version: 1
dataset: wards
source: {type: file, format: json, file: {path: ./in.ndjson, complete: true}}
schema:
  attributes: [{name: id, role: subject}, {name: age, role: quasi, type: integer}, {name: zip, role: quasi, type: integer},
    {name: illness, role: sensitive, type: categorical}]
policy: {k: 5, l: 3, max_hold: 0s}
initial: {min_pool: 15, max_records: 100000}
release: {dir: ./releases, ledger: ./ledger, trigger: {on: records, every: 100000}}
`), 0o600))
	cfg, _, err := config.Load(filepath.Join(dir, "anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	require.NoError(b, daemon.Run(b.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
	o := patiently(slog.New(slog.DiscardHandler), cfg.Release.Dir)
	_, brokers := broker(b, 1, map[string]string{"cleanup.policy": "compact"})
	full := openSink(b, brokers)
	_, err = deliver.Run(b.Context(), full, o)
	require.NoError(b, err)

	b.Run("topic", func(b *testing.B) {
		for b.Loop() {
			_, brokers := broker(b, 1, map[string]string{"cleanup.policy": "compact"})
			_, err := deliver.Run(b.Context(), openSink(b, brokers), o)
			require.NoError(b, err)
		}
	})
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			p, err := full.Position(b.Context())
			require.NoError(b, err)
			require.Positive(b, p.Release)
		}
	})
	b.Run("consume", func(b *testing.B) {
		for b.Loop() {
			_, err := keeping(b, Collect, brokers).Rebuild(2, filepath.Join(b.TempDir(), "out"))
			require.NoError(b, err)
		}
	})
	b.Run("postgres", func(b *testing.B) {
		server, n := delivertest.NewServer(b), 0
		for b.Loop() {
			n++
			s, err := postgres.Open(server.URL(), "public", fmt.Sprintf("wards%d", n), "wards")
			require.NoError(b, err)
			_, err = deliver.Run(b.Context(), s, o)
			require.NoError(b, err)
		}
	})
}
