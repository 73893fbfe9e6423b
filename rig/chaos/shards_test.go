package chaos

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// TestShardsHold plays plans of shards; make sim plays more.
func TestShardsHold(t *testing.T) {
	hold(t, tier.Of(t, 1, 2, 4), 4, 5, sharded)
}

// TestAJournalDoesNotWaitForRoom: where a state has no room for what its journal has, the start ends and says so,
// since nothing would hear a reload yet.
func TestAJournalDoesNotWaitForRoom(t *testing.T) {
	holdsWith(t, "plan|x|inside|L1|generalization|on: records, every: 25|1 releases|2|keep 0,shards 2,journal\n"+
		"feed 60 1\nquota-pauses 1 1\nlive 1 1\n", "quota-pauses")
}

// TestTheListOfWhoWasForgottenIsOnItsDisk: the power is cut for the disk of a list that was synced before its erasure
// was killed. It is still there, and has the next start forget.
func TestTheListOfWhoWasForgottenIsOnItsDisk(t *testing.T) {
	for _, step := range []string{"2", "3", "4", "5"} { // listed, written, complete, replaced
		holdsWith(t, "plan|x|inside|L1|generalization|on: records, every: 25|0s|2|keep 0,shards 2,deletes\n"+
			"feed 120 1\nrun 1 1\nforget-killed "+step+" 7\nunion-cut 5 1\nrun 1 1\n", "forget-killed", "union-cut")
	}
}

// TestShardsWithAWindow: parts leave each shard by the times of its own releases, also where a shard makes a release without births,
// is killed around its journal, and is taken over from an older copy; the union shows what stands in each, its chain is sealed, and
// whoever alters what a union says has left is found by its gate.
func TestShardsWithAWindow(t *testing.T) {
	plans, err := Parse("plan|x|inside|L2|buckets|on: records, every: 25|1 releases|2|keep 0,window 4h,shards 2,journal\n" +
		"feed 200 1\nrun 1 1\npass 3 1\nbackup 1 1\nfeed 150 1\nrun 1 2\npass 3 1\nfeed 150 1\nkill-after-entry 3 1\nrun 1 1\npass 3 1\n" +
		"feed 100 1\nrestore-old 1 1\nrun 1 1\npass 3 1\nrun 1 1\npass 3 1\nfeed 150 1\nrun 1 1\n")
	require.NoError(t, err)
	d, err := newDivision(plans[0], t.TempDir(), rand.New(rand.NewPCG(seedOf(plans[0]), 1)), planted{}, newTrace(""))
	require.NoError(t, err)
	_, err = d.play()
	require.NoError(t, err, d.log())
	require.Contains(t, d.log(), `"event":"departed"`)
	releases := d.releases()
	on, err := snapshot.Scan(snapshot.OS(), releases)
	require.NoError(t, err)
	newest := on.Newest()
	m, err := snapshot.Show(snapshot.OS(), releases, newest)
	require.NoError(t, err)
	ever := 0
	for _, s := range m.Union.Shards {
		require.Positive(t, s.Expired, "shard %d", s.Shard)
		require.Greater(t, s.PeopleEver, s.Records)
		ever += s.PeopleEver
	}
	require.Equal(t, "4h", m.Window)
	require.Equal(t, ever, m.PeopleEver)
	list, err := snapshot.List(snapshot.OS(), releases)
	require.NoError(t, err)
	newcomers := 0
	for _, i := range list {
		newcomers += i.Newcomers
	}
	require.Equal(t, ever, newcomers)

	before, err := snapshot.Show(snapshot.OS(), releases, 1)
	require.NoError(t, err)
	gone := before.Parts[0]
	for kind, alter := range map[string]func(m *snapshot.Manifest, dir string){
		"": func(*snapshot.Manifest, string) {},
		"expired_part_linked": func(m *snapshot.Manifest, dir string) {
			m.Parts = append([]snapshot.PartEntry{gone}, m.Parts...)
			m.Records += gone.Rows
			require.NoError(t, os.CopyFS(filepath.Join(dir, gone.Dir()), os.DirFS(filepath.Join(releases, "000001", gone.Dir()))))
		},
		"unexpected_file": func(m *snapshot.Manifest, dir string) {
			require.NoError(t, os.CopyFS(filepath.Join(dir, gone.Dir()), os.DirFS(filepath.Join(releases, "000001", gone.Dir()))))
		},
		"expired_falls":         func(m *snapshot.Manifest, _ string) { m.Union.Shards[0].Expired = 0 },
		"union_sum_mismatch":    func(m *snapshot.Manifest, _ string) { m.PeopleEver++ },
		"people_ever_differs":   func(m *snapshot.Manifest, _ string) { m.Union.Shards[0].PeopleEver = 1 },
		"shard_settings_differ": func(m *snapshot.Manifest, _ string) { m.Window = "5h" },
	} {
		altered := filepath.Join(t.TempDir(), "altered")
		require.NoError(t, os.CopyFS(altered, os.DirFS(filepath.Join(releases, snapshot.DirName(newest)))))
		m, err := snapshot.Show(snapshot.OS(), releases, newest)
		require.NoError(t, err)
		alter(m, altered)
		text, err := m.Encode()
		require.NoError(t, err)
		path := filepath.Join(altered, snapshot.ManifestName)
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, text, 0o600))
		found, err := audit.GateUnion(releases, altered)
		require.NoError(t, err)
		var kinds []string
		for _, v := range found {
			kinds = append(kinds, v.Kind)
		}
		if kind == "" {
			require.Empty(t, found)
			continue
		}
		require.Contains(t, kinds, kind)
	}
}
