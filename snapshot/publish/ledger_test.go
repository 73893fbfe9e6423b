package publish_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// published makes a releases directory with two releases and the intents that
// state would hold.
func published(t *testing.T) (*publish.Publisher, []state.Intent) {
	t.Helper()
	p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
	var intents []state.Intent
	require.NoError(t, publishAll(t, p, &intents))
	return p, intents
}

func reconcile(p *publish.Publisher, intents []state.Intent) error {
	return publish.Reconcile(p.FS, p.Dir, p.Ledger, intents, 1000)
}

// TestStateBehind: every witness alone stops a state that knows less, and the
// error says the way out.
func TestStateBehind(t *testing.T) {
	remove := func(names ...string) func(p *publish.Publisher) {
		return func(p *publish.Publisher) {
			for _, name := range names {
				_ = os.RemoveAll(filepath.Join(p.Dir, name))
			}
		}
	}
	witnesses := map[string]func(p *publish.Publisher){
		"all":      func(*publish.Publisher) {},
		"ledger":   remove("CURRENT", "000001", "000002"),
		"releases": func(p *publish.Publisher) { _ = os.Remove(p.Ledger); remove("CURRENT")(p) },
		"current":  func(p *publish.Publisher) { _ = os.Remove(p.Ledger); remove("000001", "000002")(p) },
	}
	for name, keep := range witnesses {
		t.Run(name, func(t *testing.T) {
			p, intents := published(t)
			keep(p)
			for known := range 2 {
				err := reconcile(p, intents[:known])
				require.ErrorIs(t, err, publish.ErrBehind)
				require.ErrorContains(t, err, "restore the state")
			}
			require.NoError(t, reconcile(p, intents))
		})
	}
}

// TestStateOfAnotherHistory: the same numbers, other contents.
func TestStateOfAnotherHistory(t *testing.T) {
	p, intents := published(t)
	intents[1].Manifest[0] ^= 1
	err := reconcile(p, intents)
	require.ErrorIs(t, err, publish.ErrBehind)
	require.ErrorContains(t, err, "the ledger has another release 2")
	require.NoError(t, os.Remove(p.Ledger))
	require.ErrorContains(t, reconcile(p, intents), "the releases directory has another release 2")
}

// TestLedgerIsRepairedFromState: lost, cut off in a line, or short by a line.
func TestLedgerIsRepairedFromState(t *testing.T) {
	p, intents := published(t)
	whole, err := os.ReadFile(p.Ledger)
	require.NoError(t, err)
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(p.Ledger, whole[:cut], 0o644))
		require.NoError(t, reconcile(p, intents))
		got, err := os.ReadFile(p.Ledger)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(got), "cut at %d", cut)
	}
	require.NoError(t, os.Remove(p.Ledger))
	require.NoError(t, reconcile(p, intents))
	got, err := os.ReadFile(p.Ledger)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(got))

	require.NoError(t, os.Remove(p.Ledger))
	require.NoError(t, os.RemoveAll(filepath.Join(p.Dir, "000001")))
	require.NoError(t, reconcile(p, intents))
	ledger, err := snapshot.ReadLedger(p.FS, p.Ledger)
	require.NoError(t, err)
	require.Len(t, ledger.Entries, 2)
	require.Zero(t, ledger.Entries[0].Parts, "nothing names the parts of a release that is gone")
	require.NotZero(t, ledger.Entries[1].Parts)
}

// TestLedgerSealsReleases: a line has the hash of the data files, as sha256sum has it, and what the state knew; a state that
// knows less than a line counted is behind.
func TestLedgerSealsReleases(t *testing.T) {
	p, intents := published(t)
	ledger, err := snapshot.ReadLedger(p.FS, p.Ledger)
	require.NoError(t, err)
	for i, e := range ledger.Entries {
		dir := snapshot.DirOf(p.Dir, e.Release)
		paths, err := filepath.Glob(filepath.Join(dir, "part-*", "*"))
		require.NoError(t, err)
		var sums strings.Builder
		for _, path := range paths {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			name, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		}
		assert.Equal(t, sha256.Sum256([]byte(sums.String())), e.Parts)
		assert.Equal(t, snapshot.Seal{Parts: e.Parts, Algorithm: intents[i].Algorithm, People: intents[i].Records, Digests: 10 + i}, e.Seal)
	}
	less := func(edit func(newest *state.Intent)) []state.Intent {
		out := slices.Clone(intents)
		edit(&out[1])
		return out
	}
	fewer, lost := less(func(i *state.Intent) { i.Records-- }), less(func(i *state.Intent) { i.Digests-- })
	for _, c := range []struct {
		intents []state.Intent
		digests int
		want    string
	}{{fewer, 11, "published people when it sealed release 2"},
		{lost, 11, "11 people by a digest when it sealed release 2, and the state knows 10"},
		{intents, 10, "11 people by a digest when it sealed release 2, and the state knows 10"}} {
		err := publish.Reconcile(p.FS, p.Dir, p.Ledger, c.intents, c.digests)
		require.ErrorIs(t, err, publish.ErrBehind)
		require.ErrorContains(t, err, c.want)
	}
	require.NoError(t, publish.Reconcile(p.FS, p.Dir, p.Ledger, intents, 11))
	for _, other := range [][]state.Intent{less(func(i *state.Intent) { i.Records++ }), less(func(i *state.Intent) { i.Algorithm++ })} {
		require.ErrorIs(t, publish.Reconcile(p.FS, p.Dir, p.Ledger, other, 11), snapshot.ErrDamaged)
	}
}

// TestLedgerCatchesUp: a state that is behind, and may repeat what it lacks, gives a ledger what it has; of another history
// it gives nothing.
func TestLedgerCatchesUp(t *testing.T) {
	p, intents := published(t)
	ledger, err := os.ReadFile(p.Ledger)
	require.NoError(t, err)
	catchUp := func(intents []state.Intent) error { return publish.CatchUp(p.FS, p.Dir, p.Ledger, intents) }
	require.NoError(t, catchUp(intents[:1]))
	kept, err := os.ReadFile(p.Ledger)
	require.NoError(t, err)
	require.Equal(t, string(ledger), string(kept), "a ledger that is ahead stays")

	require.NoError(t, os.Remove(p.Ledger))
	other := slices.Clone(intents[:1])
	other[0].Manifest[0] ^= 1
	require.ErrorIs(t, catchUp(other), publish.ErrBehind)
	require.NoFileExists(t, p.Ledger)

	require.NoError(t, catchUp(intents[:1]))
	written, err := snapshot.ReadLedger(p.FS, p.Ledger)
	require.NoError(t, err)
	require.Len(t, written.Entries, 1)
	require.Equal(t, intents[0].Manifest, written.Entries[0].SHA256)
}

// TestReconcileNamesTheNewestRelease: a CURRENT that was lost, or names an earlier
// release, is written again; one that is right is left alone.
func TestReconcileNamesTheNewestRelease(t *testing.T) {
	p, intents := published(t)
	current := filepath.Join(p.Dir, "CURRENT")
	for _, text := range []string{"", "000001\n", "000002\n"} {
		require.NoError(t, os.Remove(current))
		if text != "" {
			require.NoError(t, os.WriteFile(current, []byte(text), 0o644))
		}
		r := &recorder{FS: p.FS}
		require.NoError(t, publish.Reconcile(r, p.Dir, p.Ledger, intents, 1000))
		got, err := os.ReadFile(current)
		require.NoError(t, err)
		assert.Equal(t, "000002\n", string(got))
		assert.Equal(t, text != "000002\n", strings.Contains(strings.Join(r.Log, " "), "CURRENT"), "what is right is not written")
	}
	require.NoError(t, os.RemoveAll(filepath.Join(p.Dir, "000002")))
	require.NoError(t, os.WriteFile(current, []byte("000001\n"), 0o644))
	require.NoError(t, reconcile(p, intents), "that it is gone is found when it is read again")
	got, err := os.ReadFile(current)
	require.NoError(t, err)
	assert.Equal(t, "000001\n", string(got), "CURRENT never names a release that is not there")
}

func TestReconcileWithNothing(t *testing.T) {
	p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
	require.NoError(t, reconcile(p, nil))
	_, err := os.Stat(p.Ledger)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// ledgerLine is a second, simple reader of the ledger.
var ledgerLine = regexp.MustCompile(`(?m)^([1-9][0-9]*) ([0-9a-f]{64}) parts [0-9a-f]{64} algorithm (0|[1-9][0-9]*) people .*\n`)

// FuzzLedger: what is read is what an append would have written, and what a regular
// expression finds.
func FuzzLedger(f *testing.F) {
	seal := " parts " + strings.Repeat("01", 32) + " algorithm 10 people 5 digests 7\n"
	f.Add([]byte("1 " + strings.Repeat("ab", 32) + seal + "2 " + strings.Repeat("0c", 32) + seal + "3 a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "ledger")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		ledger, err := snapshot.ReadLedger(snapshot.OS(), path)
		if err != nil {
			return
		}
		require.Len(t, ledger.Entries, bytes.Count(data, []byte("\n")))
		for i, m := range ledgerLine.FindAllSubmatch(data, -1) {
			require.Equal(t, fmt.Sprintf("%s %s", m[1], m[2]), fmt.Sprintf("%d %x", ledger.Entries[i].Release, ledger.Entries[i].SHA256))
		}
		var intents []state.Intent
		for _, e := range ledger.Entries {
			intents = append(intents, state.Intent{Release: e.Release, Published: true, Manifest: e.SHA256, Algorithm: e.Algorithm,
				Records: e.People, Digests: e.Digests})
		}
		require.NoError(t, publish.Reconcile(snapshot.OS(), t.TempDir(), path, intents, math.MaxInt))
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(data), string(again)))
		require.NotContains(t, string(data[len(again):]), "\n")
	})
}
