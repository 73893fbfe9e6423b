package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/lgb"
	"anond/incremental"
	"anond/incremental/memstore"
)

// small is a stream with one semi-sensitive attribute, so small that all its
// worlds can be counted.
type small struct {
	m     *incremental.Machine
	l     int
	pay   []int // by record: the semi-sensitive value
	flags []bool
	ill   []int // by record: the sensitive value
}

// smallSchema has a number, a semi-sensitive category with a flag, and a
// sensitive category.
func smallSchema(t testing.TB, promise equivclass.SemiPromise) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "pay", Role: equivclass.Semi, Type: equivclass.Categorical, Flag: "secret", Promise: &promise},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "secret", Role: equivclass.Flag},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// newSmall runs a drawn stream of n records through the machine, a cut after
// every few.
func newSmall(t testing.TB, seed uint64, n int, promise equivclass.SemiPromise, values int) *small {
	rng := rand.New(rand.NewPCG(seed, 41))
	p := policy(2, 2)
	p.Bucketized, p.MaxHold, p.Initial, p.Local = true, int64(rng.IntN(2)), extract.Extract{}, extract.Extract{}
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: smallSchema(t, promise), Policy: p, Seed: [32]byte{byte(seed)},
		Seeded: true})
	require.NoError(t, err)
	s := &small{m: m, l: promise.L}
	first := 4 + rng.IntN(2)
	for i := range n {
		s.pay, s.ill, s.flags = append(s.pay, rng.IntN(values)), append(s.ill, rng.IntN(values)), append(s.flags, rng.IntN(5) > 0)
		row := equivclass.Row{fmt.Append(nil, rng.IntN(6)), fmt.Append(nil, "p", s.pay[i]), fmt.Append(nil, "i", s.ill[i]),
			fmt.Append(nil, s.flags[i])}
		out, err := m.Apply(source, int64(i), row)
		require.NoError(t, err)
		require.Empty(t, out.Reason)
		if i+1 < first || (i+1-first)%2 == 1 && i+1 < n {
			continue
		}
		intent, err := m.Cut(1, [32]byte{})
		if err != nil {
			require.True(t, infeasible(err), "%v", err)
			return nil
		}
		if intent != nil {
			require.NoError(t, m.Published(intent.Release, [32]byte{1}))
		}
		require.Empty(t, m.CheckInvariants())
	}
	return s
}

// a hint is what one release says of one bucket: who is in it, and its values.
type hint struct {
	members []int
	bag     []int
}

// hints are what all releases say of an attribute (0: semi-sensitive, 1:
// sensitive) to someone who knows the row of each record.
func (s *small) hints(t testing.TB, attribute int, truth []int) (out []hint) {
	for _, i := range s.m.Intents() {
		v, err := s.m.View(i.Release)
		require.NoError(t, err)
		for _, b := range v.Local[attribute].Buckets {
			out = append(out, hintOf(b, truth))
		}
	}
	return out
}

func hintOf(bucket []incremental.RecordID, truth []int) (h hint) {
	for _, r := range bucket {
		h.members, h.bag = append(h.members, int(r)), append(h.bag, truth[r])
	}
	slices.Sort(h.bag)
	return h
}

// posteriors counts all assignments of values to n records that fit the hints,
// and returns the share of those in which record r has value v.
func posteriors(hints []hint, n, values int) [][]float64 {
	concerned := make([]bool, n)
	for _, h := range hints {
		for _, r := range h.members {
			concerned[r] = true
		}
	}
	world, count, total := make([]int, n), make([][]float64, n), 0.0
	for r := range count {
		count[r] = make([]float64, values)
	}
	var extend func(r int)
	extend = func(r int) {
		switch {
		case r < n && !concerned[r]:
			extend(r + 1)
		case r < n:
			for world[r] = range values {
				extend(r + 1)
			}
		case fits(hints, world):
			total++
			for r, v := range world {
				count[r][v]++
			}
		}
	}
	extend(0)
	for r := range count {
		for v := range count[r] {
			count[r][v] /= total
		}
		if !concerned[r] {
			count[r] = nil
		}
	}
	return count
}

func fits(hints []hint, world []int) bool {
	for _, h := range hints {
		bag := make([]int, len(h.members))
		for i, r := range h.members {
			bag[i] = world[r]
		}
		slices.Sort(bag)
		if !slices.Equal(bag, h.bag) {
			return false
		}
	}
	return true
}

// TestExactPosteriorsOfLocalBuckets counts all worlds that fit all releases of
// tiny streams (levels L0 and L1), for someone who knows the row of each record:
// the posterior of each value is its share of the bucket, exactly, hence at most
// 1/l in a bucket of the promise l and in the sensitive attribute.
func TestExactPosteriorsOfLocalBuckets(t *testing.T) {
	const n, values = 9, 3
	several, flagged, close := 0, 0, 0
	for seed := range uint64(1200) {
		promise := equivclass.SemiPromise{L: 2}
		if seed%3 == 0 {
			promise = equivclass.SemiPromise{T: 0.4, Distance: "equal"}
		}
		s := newSmall(t, seed, n, promise, values)
		if s == nil || len(s.m.Intents()) == 0 {
			continue
		}
		if len(s.m.Intents()) > 1 {
			several++
		}
		for attribute, truth := range [][]int{s.pay, s.ill} {
			hints := s.hints(t, attribute, truth)
			post := posteriors(hints, n, values)
			for _, h := range hints {
				for _, r := range h.members {
					for v := range values {
						share := float64(len(slices.DeleteFunc(slices.Clone(h.bag), func(x int) bool { return x != v }))) / float64(len(h.bag))
						require.InDelta(t, share, post[r][v], 1e-12, "seed %d, record %d", seed, r)
						if attribute == 1 || s.l == 2 {
							require.LessOrEqual(t, post[r][v], 0.5, "seed %d, record %d", seed, r)
						}
					}
				}
			}
			if attribute == 0 && s.l > 0 {
				flagged += len(hints)
			} else if attribute == 0 {
				close += len(hints)
			}
		}
	}
	assert.Greater(t, several, 60, "the streams do not reach several releases")
	assert.Greater(t, flagged, 100, "the streams do not reach buckets of l")
	assert.Greater(t, close, 50, "the streams do not reach buckets of t")
}

// classHints are what all releases say of the semi-sensitive attribute to someone
// who knows the class of each record but not the row: the members of the classes
// that share a bucket have the values of their buckets. nested is false if a bucket
// crosses a class: then the hints would be incomplete.
func (s *small) classHints(t testing.TB) (out []hint, nested bool) {
	for _, i := range s.m.Intents() {
		v, err := s.m.View(i.Release)
		require.NoError(t, err)
		class := map[incremental.RecordID]int{}
		for c := range v.Classes {
			for _, r := range v.Classes[c].Members {
				class[r] = c
			}
		}
		cut := map[int][]incremental.RecordID{}
		for _, b := range v.Local[0].Buckets {
			touched, size := map[int]bool{}, 0
			for _, r := range b {
				if !touched[class[r]] {
					size += len(v.Classes[class[r]].Members)
				}
				touched[class[r]] = true
			}
			switch {
			case size == len(b):
				out = append(out, hintOf(b, s.pay))
			case len(touched) == 1:
				cut[class[b[0]]] = append(cut[class[b[0]]], b...)
			default:
				return nil, false
			}
		}
		for _, members := range cut {
			out = append(out, hintOf(members, s.pay))
		}
	}
	return out, true
}

// TestExactPosteriorsByAssignments counts each assignment of values to people
// once, as L0 is written, for someone who knows classes and not rows: buckets
// nest in the classes, so that no value has more than 1/l.
func TestExactPosteriorsByAssignments(t *testing.T) {
	const n, values = 9, 3
	known, unions := 0, 0
	for seed := range uint64(600) {
		s := newSmall(t, seed, n, equivclass.SemiPromise{L: 2}, values)
		if s == nil || len(s.m.Intents()) == 0 {
			continue
		}
		hints, nested := s.classHints(t)
		require.True(t, nested, "seed %d: a bucket crosses a class", seed)
		for _, h := range hints {
			if len(h.members) > 3 {
				unions++
			}
		}
		for r, of := range posteriors(hints, n, values) {
			for _, p := range of {
				known++
				require.LessOrEqual(t, p, 0.5+1e-12, "seed %d, record %d", seed, r)
			}
		}
	}
	require.Greater(t, known, 500)
	require.Positive(t, unions)
}

// TestThawedBucketsWouldBreakThePromise: the same count over buckets that are cut
// anew in each release, out of all that is published by then, as a batch tool
// would. Each release alone keeps l = 2; together they do not. So the test above
// can fail.
func TestThawedBucketsWouldBreakThePromise(t *testing.T) {
	const n, values = 9, 3
	worst := 0.0
	for seed := range uint64(300) {
		s := newSmall(t, seed, n, equivclass.SemiPromise{L: 2}, values)
		if s == nil {
			continue
		}
		var hints []hint
		for _, i := range s.m.Intents() {
			v, err := s.m.View(i.Release)
			require.NoError(t, err)
			var rows []int32
			column := make([]equivclass.Code, n)
			for _, b := range v.Local[0].Buckets {
				for _, r := range b {
					rows, column[r] = append(rows, int32(r)), equivclass.Code(s.pay[r])
				}
			}
			slices.Sort(rows)
			for _, b := range lgb.LocalBuckets(column, []int32{0, 1, 2}, rows, 2, rand.NewPCG(seed, uint64(i.Release))) {
				members := make([]incremental.RecordID, len(b))
				for k, r := range b {
					members[k] = incremental.RecordID(r)
				}
				hints = append(hints, hintOf(members, s.pay))
			}
		}
		for _, of := range posteriors(hints, n, values) {
			for _, p := range of {
				worst = max(worst, p)
			}
		}
	}
	require.InDelta(t, 1, worst, 1e-12, "somebody's value is certain")
}

// TestAttributesAreIndependent: what is known of one attribute shows nothing of
// another. Over all pairs of worlds that fit, the joint posterior of two values
// of a record is the product of their posteriors.
func TestAttributesAreIndependent(t *testing.T) {
	const n, values = 6, 2
	checked := 0
	for seed := range uint64(400) {
		s := newSmall(t, seed, n, equivclass.SemiPromise{L: 2}, values)
		if s == nil || len(s.m.Intents()) == 0 {
			continue
		}
		pay, ill := s.hints(t, 0, s.pay), s.hints(t, 1, s.ill)
		both := make([]hint, 0, len(pay)+len(ill))
		truth := slices.Concat(s.pay, s.ill)
		both = append(both, pay...)
		for _, h := range ill {
			moved := hint{bag: h.bag}
			for _, r := range h.members {
				moved.members = append(moved.members, n+r)
			}
			both = append(both, moved)
		}
		require.True(t, fits(both, truth))
		joint := posteriors(both, 2*n, values)
		for r, of := range posteriors(pay, n, values) {
			require.Equal(t, of, joint[r])
			checked += len(of)
		}
		for r, of := range posteriors(ill, n, values) {
			require.Equal(t, of, joint[n+r])
		}
	}
	assert.Greater(t, checked, 40)
}

// TestRowsOfAClassAreAlike is K1 for someone who knows the class of each record
// but not its row: over all ways to assign the rows of a class to its members, and
// values to rows, each row of a class is equally likely each member's, and no value
// of a member has more than 1/l.
func TestRowsOfAClassAreAlike(t *testing.T) {
	const n, values = 6, 3
	seen := 0
	for seed := range uint64(400) {
		s := newSmall(t, seed, n, equivclass.SemiPromise{L: 2}, values)
		if s == nil || len(s.m.Intents()) == 0 {
			continue
		}
		hints := s.hints(t, 0, s.pay)
		post := posteriors(hints, n, values) // of rows: row r is the one that record r has
		v, err := s.m.View(s.m.Latest().Release)
		require.NoError(t, err)
		for _, c := range v.Classes {
			if post[c.Members[0]] == nil {
				continue
			}
			seen++
			for _, value := range []int{0, 1, 2} {
				mean, ways := 0.0, 0.0
				eachOrder(len(c.Members), func(row []int) {
					mean += post[c.Members[row[0]]][value] // what the first member has if that row is the member's
					ways++
				})
				require.LessOrEqual(t, mean/ways, 0.5+1e-12, "seed %d", seed)
			}
			for _, r := range c.Members {
				require.Equal(t, s.flags[c.Members[0]], s.flags[r], "flags tell rows of a class apart")
			}
		}
	}
	assert.Greater(t, seen, 20)
}

// eachOrder calls see with every order of 0..n-1.
func eachOrder(n int, see func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var from func(int)
	from = func(i int) {
		if i == n {
			see(order)
			return
		}
		for j := i; j < n; j++ {
			order[i], order[j] = order[j], order[i]
			from(i + 1)
			order[i], order[j] = order[j], order[i]
		}
	}
	from(0)
}
