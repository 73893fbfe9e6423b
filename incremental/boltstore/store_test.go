package boltstore_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
	"anond/incremental/state"
)

// fast leaves fsync out: a test's process does not lose its machine.
var fast = boltstore.Options{NoSync: true}

func openAt(t testing.TB, path string, o boltstore.Options) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, o)
	require.NoError(t, err)
	return s
}

// TestOutboxRunsBesideCommits reads dead letters in one goroutine while the owner
// commits: each read is a prefix of what is waiting, in order and without a gap.
func TestOutboxRunsBesideCommits(t *testing.T) {
	const letters = 400
	s := openAt(t, filepath.Join(t.TempDir(), "anond.db"), fast)
	done := make(chan error, 1)
	go func() {
		for after := uint64(0); after < letters; {
			batch, err := s.Outbox(after, 7, 1<<30)
			if err != nil {
				done <- err
				return
			}
			for _, l := range batch {
				if after++; l.Seq != after {
					done <- fmt.Errorf("letter %d after %d", l.Seq, after-1)
					return
				}
			}
		}
		done <- nil
	}()
	random := rand.New(rand.NewPCG(1, 1))
	for i := range letters { // with records, so that the mapping grows meanwhile
		require.NoError(t, s.Commit(&state.Delta{DeadLetters: []state.DeadLetter{{Seq: uint64(i) + 1}},
			Records: []*state.RecordBlock{benchBlock(random, i*1000, 1000)}}))
	}
	require.NoError(t, <-done)
	require.NoError(t, s.Close())
}

// TestSizesWhileTheFileGrows: whoever watches the size of the state may ask while a commit makes the
// file larger, which maps it anew, and after it was closed.
func TestSizesWhileTheFileGrows(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "anond.db"), boltstore.Options{MaxBytes: 1 << 30})
	stop := make(chan struct{})
	var watching sync.WaitGroup
	for range 2 {
		watching.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.Bytes()
					s.Room()
				}
			}
		})
	}
	random, at := rand.New(rand.NewPCG(1, 2)), 0
	for n := 100; n < 200_000; n *= 2 {
		b := benchBlock(random, at, n)
		require.NoError(t, s.Commit(&state.Delta{Records: []*state.RecordBlock{b}, Positions: benchPositions(at + n)}))
		at += n
	}
	require.NoError(t, s.Close())
	s.Bytes()
	s.Room()
	close(stop)
	watching.Wait()
}
