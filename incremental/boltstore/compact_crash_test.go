package boltstore_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/incremental/storetest"
)

// TestACompactionKilledAtRandomMoments: the state opens and is what it was, and the next
// writer removes what is left of the copy.
func TestACompactionKilledAtRandomMoments(t *testing.T) {
	kills, dir := tier.Of(t, 3, 8, 40), t.TempDir()
	path := filepath.Join(dir, "anond.db")
	s, random := openAt(t, path, fast), rand.New(rand.NewPCG(crashSeed, 2))
	want := &storetest.State{}
	for at := 0; at < 60_000; at += 20_000 {
		d := &state.Delta{Records: []*state.RecordBlock{benchBlock(random, at, 20_000)},
			Counters: &state.Counters{Sent: uint64(at)}, Positions: benchPositions(at + 20_000)}
		require.NoError(t, s.Commit(d))
		want.Apply(d)
	}
	require.NoError(t, s.Close())
	for kill := range kills {
		killCompacting(t, path, time.Duration(random.IntN(60))*time.Millisecond)
		faults, err := boltstore.Check(path, boltstore.Options{})
		require.NoError(t, err)
		require.Empty(t, faults, "kill %d", kill)
		got, err := readFile(path)
		require.NoError(t, err)
		require.Equal(t, want, got, "kill %d", kill)
		require.NoError(t, openAt(t, path, fast).Close())
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 1, "kill %d: %v", kill, left)
	}
}

// TestAWriterRemovesWhatIsLeft: of every kind of copy, and nothing else. A reader removes
// nothing.
func TestAWriterRemovesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "anond.db")
	require.NoError(t, openAt(t, path, fast).Close())
	all := []string{".anond.db.compact.incomplete", ".anond.db.rekey.incomplete", ".anond.db.restore.incomplete", "anond.db.bak",
		"anond.db.compact", "anond.db.rekey", "anond.db.restore"}
	for _, name := range all {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	names := func() (out []string) {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range list {
			out = append(out, e.Name())
		}
		return out
	}
	require.NoError(t, openAt(t, path, boltstore.Options{ReadOnly: true}).Close())
	require.Len(t, names(), len(all)+1)
	require.NoError(t, openAt(t, path, fast).Close())
	require.Equal(t, []string{"anond.db", "anond.db.bak"}, names())
}

// killCompacting kills a child some time after it has begun to compact again and again.
func killCompacting(t *testing.T, path string, after time.Duration) {
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), "BOLTSTORE_CHILD=compact", "BOLTSTORE_PATH="+path)
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(stdout)
	require.True(t, lines.Scan())
	time.Sleep(after) // moves the kill about within a compaction
	require.NoError(t, child.Process.Kill())
	for lines.Scan() {
		require.Equal(t, "compacts", lines.Text())
	}
	_ = child.Wait() // killed
}
