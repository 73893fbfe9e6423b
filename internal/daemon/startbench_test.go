package daemon

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
	"anond/snapshot"
)

const startConfig = `version: 1
dataset: census
source: {type: file, format: csv, file: {path: in.csv}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: workclass, role: quasi, type: categorical}
    - {name: education, role: quasi, type: integer}
    - {name: marital, role: quasi, type: categorical}
    - {name: race, role: quasi, type: categorical}
    - {name: sex, role: quasi, type: categorical}
    - {name: country, role: quasi, type: categorical}
    - {name: occupation, role: sensitive, type: categorical}
policy: {k: 10, l: 5, level: %s}
initial: {max_records: 20000}
release: {dir: ./releases, trigger: {on: records, every: 20000}, recoding: %s}
state: {path: ./state/anond.db}
`

// startDataset publishes a million records in 50 releases and leaves none waiting.
func startDataset(b *testing.B, level config.Level, recoding string) *config.Config {
	dir := b.TempDir()
	path := filepath.Join(dir, "anond.yaml")
	require.NoError(b, os.WriteFile(path, fmt.Appendf(nil, startConfig, level, recoding), 0o600))
	in, err := os.Create(filepath.Join(dir, "in.csv"))
	require.NoError(b, err)
	w := bufio.NewWriter(in)
	startPeople(w, 1_000_000)
	require.NoError(b, w.Flush())
	require.NoError(b, in.Close())
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	require.NoError(b, Run(context.Background(), c, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
	return c
}

// startPeople writes so many people as CSV.
func startPeople(w io.Writer, n int) {
	rng := rand.New(rand.NewPCG(1, 1))
	skewed := func(n int) int { return min(rng.IntN(n), rng.IntN(n), rng.IntN(n)) }
	fmt.Fprintln(w, "age,workclass,education,marital,race,sex,country,occupation")
	for range n {
		education := 1 + rng.IntN(16)
		fmt.Fprintf(w, "%d,work-%d,%d,marital-%d,race-%d,sex-%d,country-%02d,occupation-%02d\n", 17+skewed(74), skewed(8), education,
			rng.IntN(7), skewed(5), rng.IntN(2), skewed(41), (education/3+rng.IntN(11))%14)
	}
}

// BenchmarkStart: a start on a million records in the parts of 50 releases, none
// waiting: open-ms until the state is loaded, start-ms until it reads, recheck-ms
// until it may publish.
func BenchmarkStart(b *testing.B) {
	for _, of := range []struct {
		level    config.Level
		recoding string
	}{{config.L1, "generalization"}, {config.L1, "anatomy"}, {config.L2, "buckets"}} {
		b.Run(of.recoding, func(b *testing.B) {
			c := startDataset(b, of.level, of.recoding)
			var open, start, recheck time.Duration
			for b.Loop() {
				began := time.Now()
				store, err := boltstore.Open(c.State.Path, boltstore.Options{})
				require.NoError(b, err)
				machine, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
				require.NoError(b, err)
				open += time.Since(began)
				p, err := newPublisher(b.Context(), c, machine, unseen(snapshot.OS()), nil)
				require.NoError(b, err)
				start += time.Since(began)
				<-p.standing.done
				require.NoError(b, p.standing.err)
				recheck += time.Since(began)
				require.NoError(b, store.Close())
			}
			for name, spent := range map[string]time.Duration{"open-ms": open, "start-ms": start, "recheck-ms": recheck} {
				b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), name)
			}
		})
	}
}
