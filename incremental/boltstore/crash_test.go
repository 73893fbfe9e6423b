package boltstore_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/incremental/storetest"
)

const crashSeed = 77

// TestChild is no test: it is the process that other tests start. It holds the
// state until its input ends, or commits a history until it is killed.
func TestChild(t *testing.T) {
	path := os.Getenv("BOLTSTORE_PATH")
	switch os.Getenv("BOLTSTORE_CHILD") {
	case "hold":
		s := openAt(t, path, boltstore.Options{})
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin)
		require.NoError(t, s.Close())
	case "commit":
		commitUntilKilled(t, path)
	case "compact":
		for {
			fmt.Println("compacts")
			require.NoError(t, boltstore.CompactFile(path, boltstore.Options{}))
		}
	default:
		t.Skip("only as a child of another test")
	}
}

// commitUntilKilled goes on from where the state is and says each commit that has
// returned.
func commitUntilKilled(t *testing.T, path string) {
	s := openAt(t, path, boltstore.Options{})
	got, err := storetest.Read(s)
	require.NoError(t, err)
	g := storetest.NewGenerator(crashSeed, 3)
	done := 0
	if got.Counters != nil { // the generator counts its deltas there
		done = int(got.Counters.Sent)
	}
	for range done {
		g.Next()
	}
	for {
		require.NoError(t, s.Commit(g.Next()))
		done++
		fmt.Println("committed", done)
	}
}

// TestKilledAtRandomMoments kills a committing process again and again. What it
// said to be committed is there, at most one commit more, and nothing of an
// incomplete one; opening needs no repair.
func TestKilledAtRandomMoments(t *testing.T) {
	kills := tier.Of(t, 5, 10, 25)
	path := filepath.Join(t.TempDir(), "anond.db")
	random := rand.New(rand.NewPCG(crashSeed, 1))
	model, g, applied := &storetest.State{}, storetest.NewGenerator(crashSeed, 3), 0
	for kill := range kills {
		said := max(applied, runAndKill(t, path, 1+random.IntN(12), random.IntN(200)))
		faults, err := boltstore.Check(path, boltstore.Options{})
		require.NoError(t, err)
		require.Empty(t, faults, "kill %d", kill)
		got, err := readFile(path)
		require.NoError(t, err)
		found := int(got.Counters.Sent)
		require.GreaterOrEqual(t, found, said, "kill %d: a commit that returned is lost", kill)
		require.LessOrEqual(t, found, said+1, "kill %d", kill)
		for ; applied < found; applied++ {
			model.Apply(g.Next())
		}
		require.Equal(t, model, got, "kill %d after %d commits", kill, found)
	}
	require.Greater(t, applied, kills)
}

// runAndKill kills the child some time after it has said so many commits, and
// returns the last that it said. The pause is counted in scheduler turns: it
// only moves the kill about within a commit.
func runAndKill(t *testing.T, path string, lines, pause int) (said int) {
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), "BOLTSTORE_CHILD=commit", "BOLTSTORE_PATH="+path)
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	scanner := bufio.NewScanner(stdout)
	note := func() bool {
		var n string
		more := scanner.Scan()
		if _, err := fmt.Sscanf(scanner.Text(), "committed %s", &n); err == nil {
			said, err = strconv.Atoi(n)
			require.NoError(t, err)
		}
		return more
	}
	for range lines {
		require.True(t, note(), "the child ended by itself: %s", scanner.Text())
	}
	for range pause {
		runtime.Gosched()
	}
	require.NoError(t, child.Process.Kill())
	for note() {
	}
	_ = child.Wait() // killed
	return said
}
