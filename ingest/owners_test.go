package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/subjectledger"
)

// shared is a dataset that shares a ledger of subjects, and all that outlives its daemon.
type shared struct {
	*rig
	name, dir string
	people    []int // whose records are sent, in order; one that is negative has a record that is refused for its value
}

func sharedSchema(t *testing.T) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// newShared sends the records of n people of whom others send some, in an order of its own.
func newShared(t *testing.T, dir, name string, seed uint64, n int) *shared {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := &shared{rig: newRig(t, 0), name: name, dir: dir}
	x.schema, x.store = sharedSchema(t), memstore.New()
	for range n {
		p := 1 + rng.IntN(n)
		value := fmt.Sprintf(`{"person":"p%d","age":%d,"ward":"w%d","illness":"i%d"}`, p, 20+p%60, p%4, (p/4+rng.IntN(5))%7)
		switch rng.IntN(20) {
		case 0: // the machine refuses the value
			value, p = fmt.Sprintf(`{"person":"p%d","age":%d,"ward":"w%d","illness":"[canary"}`, p, 20+p%60, p%4), -p
		case 1: // the message cannot be read behind the person
			value, p = fmt.Sprintf(`{"person":"p%d","age":%d,"ward":"w%d","illness":"can`, p, 20+p%60, p%4), -p
		}
		x.people, x.values = append(x.people, p), append(x.values, []byte(value))
	}
	return x
}

// stopping is Owners that ends a run at a call, as a kill would: before it does something, or after.
type stopping struct {
	ingest.Owners
	at func() error
}

func (s stopping) Claim(ctx context.Context, people []state.Person) ([]bool, error) {
	if err := s.at(); err != nil {
		return nil, err
	}
	out, err := s.Owners.Claim(ctx, people)
	return out, errors.Join(err, s.at())
}

func (s stopping) BeforeCommit(m *incremental.Machine) error {
	return errors.Join(s.at(), s.Owners.BeforeCommit(m), s.at())
}

// lives runs the dataset to the end of its source, or until it is stopped at a step.
func (x *shared) lives(seed uint64, at func() error) (*incremental.Machine, error) {
	x.t.Helper()
	h := x.host(seed, 23)
	require.NoError(x.t, h.Machine.Commit())
	l, err := subjectledger.Open(x.t.Context(), subjectledger.Options{Dir: x.dir, Key: []byte("key"), KeyName: "key:", Dataset: x.name,
		State: [32]byte([]byte(fmt.Sprintf("%32s", x.name))), Seen: h.Machine.Ledger(), Read: h.Machine.Intake().Sent() > 0})
	require.NoError(x.t, err)
	defer l.Close()
	h.Owners, h.Hook = stopping{l, at}, func(string) error { return at() }
	h.Log = slog.New(slog.DiscardHandler)
	return h.Machine, h.Run(x.t.Context())
}

func never() error { return nil }

// adds requires that the books of a dataset add up, and follow from who owns whom.
func (x *shared) adds(m *incremental.Machine, owner map[int]string) {
	x.t.Helper()
	require.Empty(x.t, m.CheckInvariants())
	s := m.Status()
	require.EqualValues(x.t, len(x.values), s.Sent, x.name)
	require.Equal(x.t, s.Sent, s.Accounted(), x.name)
	var elsewhere, refused, mine uint64
	seen, barred := map[int]bool{}, map[int]bool{}
	for _, p := range x.people {
		switch who := max(p, -p); {
		case owner[who] != x.name:
			elsewhere++
		case barred[who]:
		case p < 0:
			refused++
			barred[who] = true
		case !seen[who]:
			mine, seen[who] = mine+1, true
		}
	}
	require.Equal(x.t, elsewhere, s.Elsewhere, x.name)
	require.GreaterOrEqual(x.t, s.DeadLetter, refused, x.name)
	require.LessOrEqual(x.t, uint64(s.Published+s.Pending.Total()), mine, x.name)
	for _, d := range x.bin.seen {
		require.Equal(x.t, x.name, owner[max(x.people[d.Offset], -x.people[d.Offset])], "a dead letter of a person of another dataset")
	}
}

// ownersOf asks a ledger who owns each person: a dataset that is new gets nobody who is known.
func ownersOf(t *testing.T, dir string, names []string, n int) map[int]string {
	out := map[int]string{}
	for _, name := range names {
		l, err := subjectledger.Open(t.Context(), subjectledger.Options{Dir: dir, Key: []byte("key"), KeyName: "key:", Dataset: name,
			State: [32]byte([]byte(fmt.Sprintf("%32s", name)))})
		require.NoError(t, err)
		for p := 1; p <= n; p++ {
			elsewhere, err := l.Claim(t.Context(), []state.Person{l.Person(fmt.Appendf(nil, "p%d", p))})
			require.NoError(t, err)
			if !elsewhere[0] {
				require.Empty(t, out[p], "person %d", p)
				out[p] = name
			}
		}
		require.NoError(t, l.Close())
	}
	return out
}

// TestTwoDatasetsOfOneLedger: a person's records are taken in by the dataset where the first arrived, also if that one was refused,
// and by no other.
func TestTwoDatasetsOfOneLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "people")
	a, b := newShared(t, dir, "a", 1, 300), newShared(t, dir, "b", 2, 300)
	ma, err := a.lives(1, never)
	require.NoError(t, err)
	mb, err := b.lives(2, never)
	require.NoError(t, err)
	owner := ownersOf(t, dir, []string{"a", "b"}, 300)
	a.adds(ma, owner)
	b.adds(mb, owner)
	assert.Zero(t, ma.Status().Elsewhere, "it came first")
	assert.Greater(t, mb.Status().Elsewhere, uint64(50))
	for _, p := range a.people {
		assert.Equal(t, "a", owner[max(p, -p)], "refused or not")
	}
	assert.True(t, slices.ContainsFunc(b.people, func(p int) bool {
		return p > 0 && slices.Contains(a.people, -p) && !slices.Contains(a.people, p)
	}), "nobody was refused at the one and would be valid at the other: the test shows nothing")
}

// TestKillsAroundClaims: two daemons are stopped at each step, before and after each claim, synchronization and commit, one after the
// other, and go on. Nothing is lost, nobody is in both, and each record is decided as its person's owner has it.
func TestKillsAroundClaims(t *testing.T) {
	stop := errors.New("stop")
	after := func(n int) func() error {
		return func() error {
			if n--; n < 0 {
				return stop
			}
			return nil
		}
	}
	steps := 0
	probe := newShared(t, filepath.Join(t.TempDir(), "people"), "a", 1, 120)
	_, err := probe.lives(1, func() error { steps++; return nil })
	require.NoError(t, err)
	require.Greater(t, steps, 40)
	apart := 4 // steps
	if tier.Full() {
		apart = 1
	}
	for n := 0; n < steps; n += apart {
		dir := filepath.Join(t.TempDir(), "people")
		a, b := newShared(t, dir, "a", 1, 120), newShared(t, dir, "b", 2, 120)
		_, err := a.lives(1, after(n))
		require.True(t, errors.Is(err, stop) || err == nil && n > steps*3/4, "%d: %v", n, err) // how many commits are due follows from time
		_, err = b.lives(2, after(steps-n))
		require.True(t, err == nil || errors.Is(err, stop), "%v", err)
		_, err = a.lives(3, after(7))
		require.True(t, err == nil || errors.Is(err, stop), "%v", err)
		mb, err := b.lives(4, never)
		require.NoError(t, err)
		ma, err := a.lives(5, never)
		require.NoError(t, err)
		owner := ownersOf(t, dir, []string{"a", "b"}, 120)
		a.adds(ma, owner)
		b.adds(mb, owner)
	}
}
