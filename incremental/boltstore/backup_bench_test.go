package boltstore_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
	"anond/incremental/state"
)

// BenchmarkBackup is a backup of a million records while commits of a thousand go on,
// fsync included: how long the backup takes, and the longest commit without and with it.
func BenchmarkBackup(b *testing.B) {
	dir := b.TempDir()
	s := openAt(b, filepath.Join(dir, "anond.db"), boltstore.Options{})
	defer s.Close()
	fillState(b, s, 1_000_000)
	block := benchBlock(rand.New(rand.NewPCG(2, 2)), 0, 1000)
	at := 1_000_000
	commit := func() time.Duration {
		block.First = state.RecordID(at)
		at += 1000
		began := time.Now()
		require.NoError(b, s.Commit(&state.Delta{Records: []*state.RecordBlock{block}, Positions: benchPositions(at)}))
		return time.Since(began)
	}
	for b.Loop() {
		var alone, meanwhile time.Duration
		commits := 0
		done := make(chan error, 1)
		began := time.Now()
		go func() {
			_, err := s.BackupTo(b.Context(), filepath.Join(b.TempDir(), "copy.db"))
			done <- err
		}()
		for over := false; !over; commits++ {
			meanwhile = max(meanwhile, commit())
			select {
			case err := <-done:
				require.NoError(b, err)
				over = true
			default:
			}
		}
		took := time.Since(began)
		for range commits {
			alone = max(alone, commit())
		}
		b.ReportMetric(took.Seconds()*1e3, "backup-ms")
		b.ReportMetric(meanwhile.Seconds()*1e3, "longest-commit-ms")
		b.ReportMetric(alone.Seconds()*1e3, "longest-alone-ms")
		b.ReportMetric(float64(commits), "commits-meanwhile")
	}
	b.ReportMetric(0, "ns/op")
}
