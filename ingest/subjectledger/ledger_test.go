package subjectledger

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/state"
	"anond/internal/fault"
)

// of are the options of a dataset.
func of(dir, dataset string) Options {
	return Options{Dir: dir, Key: []byte("key"), KeyName: "name:", Dataset: dataset, State: [32]byte([]byte(fmt.Sprintf("%32s", dataset)))}
}

func opened(t *testing.T, o Options) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func person(n int) (p state.Person) {
	binary.BigEndian.PutUint64(p[:], uint64(n)*0x9e3779b97f4a7c15)
	p[14] = 1
	return p
}

// claimed says for people whether they belong to another dataset.
func claimed(t *testing.T, l *Ledger, people ...int) []bool {
	t.Helper()
	list := make([]state.Person, len(people))
	for i, n := range people {
		if n >= 0 {
			list[i] = person(n)
		}
	}
	out, err := l.Claim(t.Context(), list)
	require.NoError(t, err)
	return append([]bool(nil), out...)
}

// seen is the mark that a state has after a commit.
func seen(t *testing.T, l *Ledger) state.LedgerMark {
	t.Helper()
	l.unsynced = true
	var m incremental.Machine
	require.NoError(t, l.BeforeCommit(&m))
	return m.Ledger()
}

// TestWhoComesFirstOwns, and nobody else does, whoever asks and however often, also after all have begun again.
func TestWhoComesFirstOwns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shared", "people")
	a, b := opened(t, of(dir, "a")), opened(t, of(dir, "b"))
	assert.Equal(t, []bool{false, false, false, false}, claimed(t, a, 1, 2, 2, -1), "nobody has them; -1 is nobody")
	assert.Equal(t, []bool{true, false, true, false}, claimed(t, b, 1, 3, 2, -1))
	assert.Equal(t, []bool{false, true, false}, claimed(t, a, 1, 3, 2))
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	b, a = opened(t, of(dir, "b")), opened(t, of(dir, "a"))
	assert.Equal(t, []bool{true, false, true}, claimed(t, b, 1, 3, 2))
	assert.Equal(t, []bool{false, true, false}, claimed(t, a, 1, 3, 2))
	content, err := Read(t.Context(), dir, seen(t, b))
	require.NoError(t, err)
	require.Len(t, content.Members, 2)
	assert.Equal(t, 2, content.Members[0].Claimed)
	assert.Equal(t, 1, content.Members[1].Claimed)
}

// TestPeopleHaveOneForm whatever form of texts a dataset keeps.
func TestPeopleHaveOneForm(t *testing.T) {
	l := opened(t, of(t.TempDir(), "a"))
	assert.Equal(t, l.Person([]byte("Zo\u00eb")), l.Person([]byte(" Zoe\u0308 ")))
	assert.NotEqual(t, l.Person([]byte("Zoe")), l.Person([]byte("Zo\u00eb")))
	assert.Zero(t, l.Person(nil))
	other := of(t.TempDir(), "a")
	other.Key = []byte("other")
	assert.NotEqual(t, l.Person([]byte("x")), opened(t, other).Person([]byte("x")), "without the key nobody knows a digest")
}

// TestManyDaemonsAtOnce: each person gets exactly one owner, who knows it.
func TestManyDaemonsAtOnce(t *testing.T) {
	dir := t.TempDir()
	const daemons, people, batch = 4, 10000, 5
	var owners [daemons][people]bool
	var wg sync.WaitGroup
	for d := range daemons {
		l := opened(t, of(dir, fmt.Sprint("d", d)))
		wg.Go(func() {
			for from := 0; from < people; from += batch {
				var list []state.Person
				for i := from; i < min(from+batch, people); i++ {
					list = append(list, person((i*7+d*13)%people))
				}
				elsewhere, err := l.Claim(context.Background(), list)
				if !assert.NoError(t, err) {
					return
				}
				for i := range list {
					owners[d][((from+i)*7+d*13)%people] = !elsewhere[i]
				}
			}
		})
	}
	wg.Wait()
	for p := range people {
		n := 0
		for d := range daemons {
			if owners[d][p] {
				n++
			}
		}
		require.Equal(t, 1, n, "person %d", p)
	}
}

// TestALedgerOlderThanAStateIsRefused, whatever became of it.
func TestALedgerOlderThanAStateIsRefused(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, of(dir, "a"))
	claimed(t, l, 1)
	early, err := os.ReadFile(Path(dir))
	require.NoError(t, err)
	claimed(t, l, 2)
	mark := seen(t, l)
	require.NoError(t, l.Close())
	whole, err := os.ReadFile(Path(dir))
	require.NoError(t, err)
	o := of(dir, "a")
	o.Seen, o.Read = mark, true
	again, err := Open(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, again.Close())
	fork := func() { // a copy that went on otherwise
		require.NoError(t, os.WriteFile(Path(dir), early, 0o600))
		x := opened(t, of(dir, "a"))
		claimed(t, x, 3)
		claimed(t, x, 4)
		require.NoError(t, x.Close())
	}
	for name, change := range map[string]func(){
		"a copy":  func() { require.NoError(t, os.WriteFile(Path(dir), early, 0o600)) },
		"fork":    fork,
		"empty":   func() { require.NoError(t, os.WriteFile(Path(dir), nil, 0o600)) },
		"gone":    func() { require.NoError(t, os.Remove(Path(dir))) },
		"torn":    func() { require.NoError(t, os.WriteFile(Path(dir), whole[:len(whole)-1], 0o600)) },
		"another": func() { require.NoError(t, os.Remove(Path(dir))); require.NoError(t, opened(t, of(dir, "a")).Close()) },
	} {
		change()
		_, err := Open(t.Context(), o)
		require.ErrorIs(t, err, ErrBehind, name)
		kind, hint := fault.Of(err)
		assert.Equal(t, fault.Behind, kind, name)
		assert.NotEmpty(t, hint, name)
		require.NoError(t, os.WriteFile(Path(dir), whole, 0o600))
	}
}

// TestAKillBetweenAnyTwoBytes of a claim: the next start claims it again, and what was there before stays.
func TestAKillBetweenAnyTwoBytes(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, of(dir, "a"))
	claimed(t, l, 1, 2)
	before := l.seen.Size
	claimed(t, l, 3, 4)
	require.NoError(t, l.Close())
	whole, err := os.ReadFile(Path(dir))
	require.NoError(t, err)
	for n := before; n < int64(len(whole)); n++ {
		for _, tail := range [][]byte{nil, make([]byte, 4096)} { // of a host that lost its power, zeros may be left
			require.NoError(t, os.WriteFile(Path(dir), append(whole[:n:n], tail...), 0o600))
			b := opened(t, of(dir, "b"))
			require.Equal(t, []bool{true, true, false}, claimed(t, b, 1, 2, 4), "cut at %d", n)
			a := opened(t, of(dir, "a"))
			require.Equal(t, []bool{false, false, false, true}, claimed(t, a, 1, 2, 3, 4), "cut at %d", n)
			require.NoError(t, a.Close())
			require.NoError(t, b.Close())
		}
	}
	for n := range before { // a byte that is lost within is damage, which nobody cuts off
		changed := append([]byte(nil), whole...)
		changed[n] ^= 1
		require.NoError(t, os.WriteFile(Path(dir), changed, 0o600))
		o := of(dir, "a")
		o.Seen = state.LedgerMark{Size: before, Digest: l.seen.Digest}
		_, err := Open(t.Context(), o)
		require.Error(t, err, "byte %d", n)
	}
}

// TestOnlyAResetGivesBack, all of a dataset at once, and a state that it left behind does not go on.
func TestOnlyAResetGivesBack(t *testing.T) {
	dir := t.TempDir()
	a, b := opened(t, of(dir, "a")), opened(t, of(dir, "b"))
	claimed(t, a, 1, 2)
	claimed(t, b, 3)
	old := of(dir, "a")
	old.Seen, old.Read = seen(t, a), true
	require.ErrorIs(t, GiveBack(t.Context(), of(dir, "a")), ErrInUse, "while the daemon runs")
	require.NoError(t, a.Close())
	require.NoError(t, GiveBack(t.Context(), of(dir, "a")))
	require.NoError(t, GiveBack(t.Context(), of(dir, "a")), "again, after a kill")
	_, err := Open(t.Context(), old)
	require.ErrorIs(t, err, ErrGivenBack)
	assert.Equal(t, []bool{false, false}, claimed(t, b, 1, 3), "a daemon that runs takes notice")
	a = opened(t, of(dir, "a"))
	assert.Equal(t, []bool{true, false, true}, claimed(t, a, 1, 2, 3))
	require.NoError(t, GiveBack(t.Context(), of(dir, "c")), "who has nothing gives nothing back")
}

// TestWhoMayJoin: one state for each name, one key, and before the first record.
func TestWhoMayJoin(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, of(dir, "a"))
	_, err := Open(t.Context(), of(dir, "a"))
	require.ErrorIs(t, err, ErrInUse)
	kind, _ := fault.Of(err)
	assert.Equal(t, fault.Locked, kind)
	require.NoError(t, l.Close())
	for name, x := range map[string]struct {
		change func(*Options)
		want   error
		kind   fault.Kind
	}{
		"state":            {func(o *Options) { o.State[0]++ }, ErrOtherState, fault.Behind},
		"key":              {func(o *Options) { o.KeyName = "other:" }, ErrOtherKey, fault.Config},
		"late":             {func(o *Options) { o.Dataset, o.Read = "late", true }, ErrLate, fault.Config},
		"joined elsewhere": {func(o *Options) { o.Dataset, o.Seen = "moved", state.LedgerMark{Size: 1} }, ErrBehind, fault.Behind},
	} {
		o := of(dir, "a")
		x.change(&o)
		_, err := Open(t.Context(), o)
		require.ErrorIs(t, err, x.want, name)
		kind, hint := fault.Of(err)
		assert.Equal(t, x.kind, kind, name)
		assert.NotEmpty(t, hint, name)
	}
	require.NoError(t, os.WriteFile(Path(dir), []byte("something else, and long enough to be read as a frame"), 0o600))
	_, err = Open(t.Context(), of(dir, "a"))
	require.Error(t, err)
}

// TestARehearsalClaimsNobody.
func TestARehearsalClaimsNobody(t *testing.T) {
	dir := t.TempDir()
	r, err := Rehearse(t.Context(), of(filepath.Join(dir, "none"), "a"))
	require.NoError(t, err)
	assert.Equal(t, []bool{false, false}, claimed(t, r, 1, 2))
	require.NoError(t, r.Close())
	a := opened(t, of(dir, "a"))
	claimed(t, a, 1)
	r, err = Rehearse(t.Context(), of(dir, "b"))
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false}, claimed(t, r, 1, 2))
	claimed(t, a, 3)
	assert.Equal(t, []bool{true, true, false}, claimed(t, r, 1, 3, 2))
	require.NoError(t, r.Close())
	assert.Equal(t, []bool{false, false}, claimed(t, opened(t, of(dir, "b")), 2, 4))
	assert.Equal(t, []bool{true, true}, claimed(t, a, 2, 4))
}

// TestABoundHolds before anything of the batch is written.
func TestABoundHolds(t *testing.T) {
	o := of(t.TempDir(), "a")
	o.Most = 2
	l := opened(t, o)
	claimed(t, l, 1, 2, 1)
	size := l.seen.Size
	_, err := l.Claim(t.Context(), []state.Person{person(1), person(3)})
	require.ErrorIs(t, err, incremental.ErrStateFull)
	info, err := os.Stat(Path(o.Dir))
	require.NoError(t, err)
	assert.Equal(t, size, info.Size())
}

// TestAWaitForTheLockEndsWithTheRun: a process that is suspended may have it.
func TestAWaitForTheLockEndsWithTheRun(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, of(dir, "a"))
	f, err := os.Open(Path(dir))
	require.NoError(t, err)
	defer f.Close()
	taken, err := try(f, false)
	require.False(t, taken)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = l.Claim(ctx, []state.Person{person(1)})
	require.ErrorIs(t, err, context.Canceled)
}

// TestAFileThatWasReplacedIsNoticed: what others claim now would not be seen.
func TestAFileThatWasReplacedIsNoticed(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, of(dir, "a"))
	text, err := os.ReadFile(Path(dir))
	require.NoError(t, err)
	require.NoError(t, os.Remove(Path(dir)))
	_, err = l.Claim(t.Context(), []state.Person{person(1)})
	require.ErrorIs(t, err, ErrBehind)
	require.NoError(t, os.WriteFile(Path(dir), text, 0o600))
	_, err = l.Claim(t.Context(), []state.Person{person(1)})
	require.ErrorIs(t, err, ErrBehind)
	var m incremental.Machine
	require.ErrorIs(t, l.BeforeCommit(&m), ErrBehind)
}

// BenchmarkClaim is the cost of the ledger for each batch of 1,000 records.
func BenchmarkClaim(b *testing.B) {
	for name, fresh := range map[string]int{"new": 1, "known": 0} {
		b.Run(name, func(b *testing.B) {
			l, err := Open(b.Context(), of(b.TempDir(), "a"))
			require.NoError(b, err)
			defer l.Close()
			list := make([]state.Person, 1000)
			for n := 0; b.Loop(); n += fresh {
				for i := range list {
					list[i] = person(n*len(list) + i)
				}
				_, err := l.Claim(b.Context(), list)
				require.NoError(b, err)
			}
		})
	}
}
