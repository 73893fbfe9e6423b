package incremental_test

import (
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/retire"
	"anond/incremental/state"
	"anond/snapshot/render"
)

var (
	reachDays   = flag.Int("reach.days", 0, "days that TestReachOfAWindow simulates; 0: what the tier has")
	reachPeople = flag.Int("reach.people", 1000, "people a day in TestReachOfAWindow")
)

// aPerson is what the state and the process may keep of somebody who has left.
const aPerson = 20

// held is what is held at the end of a day.
type held struct{ heap, file, release, people int64 }

// TestReachOfAWindow: people come day after day, a release a day shows those of the last thirty days, and what is held is level: the heap,
// the state's file and the bytes of a release, but for twenty bytes for everybody who ever came. The clock is the days; machine,
// state and publisher are those of the daemon, and nothing is started anew.
//
//	go test ./incremental -run TestReachOfAWindow -reach.days 400 -v
func TestReachOfAWindow(t *testing.T) {
	tier.Heavy(t, "it simulates months")
	days, window := tier.Of(t, 8, 8, 24), 6
	if *reachDays > 0 {
		days, window = *reachDays, 30
	}
	level := 2 * window // from this day on
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "anond.db"), boltstore.Options{NoSync: true})
	require.NoError(t, err)
	p := bucketPolicy(10, 3)
	p.HoldInCuts, p.MaxHold = false, 2*86400
	p.Window, err = retire.Parse(strconv.Itoa(window) + "d")
	require.NoError(t, err)
	schema := newSchema(t, true)
	dir := newReleaseDir(t, schema, p, render.Buckets(), zoneFile)
	f := &reaching{t: t, store: store, dir: dir, rng: rand.New(rand.NewPCG(1, 2)),
		options: incremental.Options{Schema: schema, Policy: p, Seed: [32]byte{1}}}
	f.m, err = incremental.Open(store, f.options)
	require.NoError(t, err)
	var base, most held
	for day := 1; day <= days; day++ {
		f.day(day)
		now := f.holds()
		if day%30 == 0 || day == days {
			t.Logf("day %d: %d people, heap %d KiB, file %d KiB, release %d KiB, removal at most %v", day, now.people, now.heap>>10,
				now.file>>10, now.release>>10, f.removed.Round(time.Millisecond))
		}
		for _, x := range []struct {
			now        int64
			base, most *int64
			each       int64
		}{{now.heap, &base.heap, &most.heap, aPerson}, {now.file, &base.file, &most.file, aPerson},
			{now.release, &base.release, &most.release, 0}} {
			if less := x.now - x.each*now.people; day <= level {
				*x.base = max(*x.base, less)
			} else {
				*x.most = max(*x.most, less)
			}
		}
	}
	t.Logf("up to day %d at most %+v, later %+v, less %d bytes a person", level, base, most, aPerson)
	const pages = 64 << 10 // of the file, free or not full: in a run of few days they are more than a tenth of it
	for _, x := range [][2]int64{{base.heap, most.heap}, {base.file + pages, most.file}, {base.release, most.release}} {
		require.LessOrEqual(t, x[1], x[0]+x[0]/10)
	}
	require.Positive(t, f.m.Status().Expired)
	require.NoError(t, store.Close())
}

// reaching is a daemon without its loop.
type reaching struct {
	t       *testing.T
	store   *boltstore.Store
	m       *incremental.Machine
	options incremental.Options
	dir     *releaseDir
	rng     *rand.Rand
	offset  int64
	people  int64
	newest  uint32
	removed time.Duration // the longest removal
}

// day has people come, of whom one in twenty has come before, and makes a release.
func (f *reaching) day(n int) {
	f.m.Tick(int64(n) * 86400)
	for range *reachPeople {
		who := f.rng.Int64N(f.people + 1)
		if f.rng.IntN(20) > 0 {
			f.people++
			who = f.people
		}
		_, err := f.m.Apply(source, f.offset, append(zoned(f.rng.IntN(1<<16), "i"+strconv.Itoa(min(f.rng.IntN(9), f.rng.IntN(9)))),
			[]byte(strconv.FormatInt(who, 10))))
		require.NoError(f.t, err)
		f.offset++
	}
	require.NoError(f.t, f.m.Commit())
	if r := f.m.Removal(); r != nil {
		began := time.Now()
		require.NoError(f.t, f.store.Remove(r))
		var err error
		f.m, err = f.m.Reopen(f.options)
		require.NoError(f.t, err)
		f.removed = max(f.removed, time.Since(began))
		f.dir.resume(f.m) // publisher and gate know records by their numbers
	}
	intent, err := f.m.Cut(int64(n)*86400, [32]byte{})
	require.NoError(f.t, err)
	if intent != nil {
		f.dir.publish(f.m, intent)
		f.dir.rendered = nil
		f.newest = intent.Release
	}
}

func (f *reaching) holds() (h held) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap, h.people = int64(m.HeapAlloc), f.people
	h.file, _ = f.store.Bytes()
	if f.newest == 0 {
		return h
	}
	newest := filepath.Join(f.dir.out.Dir, sixDigits(f.newest))
	require.NoError(f.t, filepath.WalkDir(newest, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		h.release += info.Size()
		return err
	}))
	return h
}

func sixDigits(n uint32) string {
	text := strconv.Itoa(int(n))
	return "000000"[len(text):] + text
}

// BenchmarkExpiry is what it costs that a tenth of a million people leave with a release, and then the state.
func BenchmarkExpiry(b *testing.B) {
	store, err := boltstore.Open(filepath.Join(b.TempDir(), "anond.db"), boltstore.Options{NoSync: true})
	require.NoError(b, err)
	p := bucketPolicy(10, 3)
	p.MaxHold, p.Workers = 0, 2
	p.Window, err = retire.Parse("12d")
	require.NoError(b, err)
	o := incremental.Options{Schema: newSchema(b, true), Policy: p, Seed: [32]byte{1}}
	m, err := incremental.Open(store, o)
	require.NoError(b, err)
	rng, who := rand.New(rand.NewPCG(1, 2)), 0
	cut := func(day int64) *state.Intent {
		i, err := m.Cut(day*86400, [32]byte{})
		require.NoError(b, err)
		if i != nil {
			require.NoError(b, m.Published(i.Release, [32]byte{1}))
		}
		return i
	}
	for day := range int64(10) {
		for range 100_000 {
			who++
			_, err := m.Apply(source, int64(who), equivclass.Row(append(zoned(rng.IntN(1<<16), "i"+strconv.Itoa(rng.IntN(9))),
				[]byte(strconv.Itoa(who)))))
			require.NoError(b, err)
		}
		require.NoError(b, m.Commit())
		cut(day)
	}
	for cut(9) != nil { // those who are left over
	}
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		intent := cut(14 + int64(i))
		mark := time.Since(began)
		require.NotNil(b, intent)
		require.Zero(b, intent.Newcomers)
		began = time.Now()
		r := m.Removal()
		plan := time.Since(began)
		if r == nil {
			b.Logf("nobody left")
			continue
		}
		require.NoError(b, store.Remove(r))
		written := time.Since(began)
		m, err = m.Reopen(o)
		require.NoError(b, err)
		b.Logf("%d people: the release %v, the plan %v, written after %v, opened after %v", r.Departed(), mark, plan, written, time.Since(began))
	}
}
