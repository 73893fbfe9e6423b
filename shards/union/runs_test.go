package union

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/snapshottest"
	"anond/snapshot/verify"
)

// TestUnionWithoutLinks: files are copied, and the bytes are the same.
func TestUnionWithoutLinks(t *testing.T) {
	linked, copied := atOS(t), atOS(t)
	copied.fs = snapshottest.NoLinks{FS: copied.fs, Fault: syscall.EXDEV}
	var sums [2][32]byte
	for i, s := range []*shards{linked, copied} {
		s.publish(0, 1)
		s.publish(1, 2)
		mustUnite(t, s.union(2))
		s.publish(1, 3)
		sums[i] = mustUnite(t, s.union(2)).SHA256
		v, err := verify.Dir(s.fs, s.dir, s.union(2).Ledger)
		require.NoError(t, err)
		assert.Empty(t, v.Findings)
	}
	assert.Equal(t, sums[0], sums[1])
}

// TestUnionsAtOnce: many unions on one directory publish the same release, once.
func TestUnionsAtOnce(t *testing.T) {
	defer publishtest.JoinParts(2)()
	s := atOS(t)
	for round, vectorWanted := range [][]int{{1, 1}, {2, 1}, {3, 3}} {
		s.publish(0, vectorWanted[0])
		s.publish(1, vectorWanted[1])
		many := tier.Of(t, 4, 8, 16)
		outs, errs := make([]*result, many), make([]error, many)
		var wg sync.WaitGroup
		for i := range many {
			wg.Go(func() {
				u := s.union(2)
				u.Owner = fmt.Sprint("owner", i)
				outs[i], errs[i] = u.publish(unionTime.Add(time.Duration(round*100+i) * time.Second))
			})
		}
		wg.Wait()
		for i := range many {
			require.NoError(t, errs[i])
			require.Equal(t, outs[0].SHA256, outs[i].SHA256)
			require.Equal(t, uint32(round+1), outs[i].Manifest.Release)
		}
		v, err := verify.Dir(s.fs, s.dir, s.union(2).Ledger)
		require.NoError(t, err)
		require.Empty(t, v.Findings)
		names, err := s.fs.ReadDir(s.dir)
		require.NoError(t, err)
		require.False(t, slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, ".tmp-") }), names)
	}
}

// TestUnionPrunes: with a rule, old releases become manifests, also where several unions
// prune at once; the chain stays whole.
func TestUnionPrunes(t *testing.T) {
	s := atOS(t)
	for release := 1; release <= 3; release++ {
		s.publish(0, release)
		s.publish(1, release)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				u := s.union(2)
				u.Owner, u.Keep = fmt.Sprint("owner", i), publish.KeepRule{Releases: 1}
				_, errs[i] = u.publish(unionTime)
			})
		}
		wg.Wait()
		require.NoError(t, errors.Join(errs...))
	}
	for _, pruned := range []string{"000001", "000002"} {
		_, err := os.Stat(filepath.Join(s.dir, pruned))
		assert.True(t, os.IsNotExist(err), pruned)
	}
	v, err := verify.Dir(s.fs, s.dir, s.union(2).Ledger)
	require.NoError(t, err)
	assert.Empty(t, v.Findings)
	assert.Equal(t, 2, v.Pruned)
	assert.Equal(t, 1, v.Releases)
	_, err = snapshot.Show(s.fs, s.dir, 1)
	assert.NoError(t, err)
}

// TestUnionStopsAnywhere: a union that ends behind any step, and another that goes on,
// leave what one that was not disturbed leaves.
func TestUnionStopsAnywhere(t *testing.T) {
	run := func(stop publish.Step) map[string]string {
		s := newShards(t, snapshottest.New("/d"), "/d/releases")
		s.publish(0, 1)
		s.publish(1, 1)
		mustUnite(t, s.union(2))
		s.publish(1, 2)
		if stop != "" {
			u := s.union(2)
			u.Hook = func(step publish.Step) error {
				if step == stop {
					return snapshottest.ErrCrash
				}
				return nil
			}
			_, err := u.publish(unionTime)
			require.ErrorIs(t, err, snapshottest.ErrCrash, stop)
		}
		u := s.union(2)
		u.Owner = "second"
		later := unionTime
		if stop != "" && stop != publish.StepCheck {
			later = later.Add(time.Hour) // the decision stands
		}
		_, err := u.publish(later)
		require.NoError(t, err, stop)
		return files(s)
	}
	want := run("")
	for _, stop := range []publish.Step{publish.StepCheck, StepIntent, publish.StepRender, publish.StepGate,
		publish.StepSync, publish.StepRename, publish.StepCurrent, publish.StepLedger, StepTrim, StepPrune} {
		require.Equal(t, want, run(stop), stop)
	}
}

// prunedFS calls something when a link is made first, and has nothing to link then.
type prunedFS struct {
	snapshot.FS
	prune func()
}

func (f *prunedFS) Link(from, to string) error {
	if f.prune != nil {
		prune := f.prune
		f.prune = nil
		prune()
	}
	return f.FS.Link(from, to)
}

// TestUnionLooksAgain where a shard prunes the release that was just looked at.
func TestUnionLooksAgain(t *testing.T) {
	s := atOS(t)
	s.publish(0, 1)
	u := s.union(1)
	u.FS = &prunedFS{FS: s.fs, prune: func() {
		s.publish(0, 2)
		p := &publish.Pruning{FS: s.fs, Dir: s.chain(0), Keep: publish.KeepRule{Releases: 1}, Marked: 2,
			Published: func(n uint32) ([32]byte, bool) { return s.intents[0][n-1].Manifest, true }}
		require.NoError(t, p.Run(unionTime))
	}}
	assert.Equal(t, []uint32{2}, vector(mustUnite(t, u).Manifest))
}
