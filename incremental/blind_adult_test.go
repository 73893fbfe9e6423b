package incremental_test

import (
	"anond/incremental/state"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/testdata"
)

// replay is a stream of Adult through the machine, in ten cuts, with restarts.
type replay struct {
	t      testing.TB
	schema *equivclass.Schema
	policy state.Policy
	rows   []equivclass.Row // the value last
	all    []equivclass.Row // of Adult
	// subPool is the least number of classes of a sub-pool.
	subPool int
	aligned int // buckets of sub-pools that were joined and divided again
	// moved says where the place of a class in its Merge has gone; nil: nowhere.
	moved func(k merge.Key, place int32) int32
}

// replayed is what a replay shows: releases, and what the machine says after each batch.
type replayed struct {
	releases []*incremental.View // with the classes that are born in each
	times    []string
}

const adultFirst, adultBatch, adultCuts, adultK = 2400, 400, 10, 5

// adultStream is 6,000 records, occupation being sensitive.
func adultStream(t testing.TB) *replay {
	t.Helper()
	header, all, err := testdata.Rows(testdata.Adult)
	require.NoError(t, err)
	r := &replay{t: t, policy: bucketPolicy(adultK, 3), subPool: merge.SubPoolClasses}
	r.policy.OnUpdate, r.policy.MaxHold = true, 6
	var attributes []equivclass.Attribute
	var at []int
	for _, name := range []string{"age", "workclass", "education-num", "marital-status", "race", "sex", "occupation"} {
		a := equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Categorical}
		switch name {
		case "age", "education-num":
			a.Type = equivclass.Integer
		case "occupation":
			a.Role = equivclass.Sensitive
		}
		attributes, at = append(attributes, a), append(at, slices.Index(header, name))
	}
	r.schema, err = equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	for _, x := range all {
		var row equivclass.Row
		for _, i := range at {
			row = append(row, []byte(x[i]))
		}
		r.all = append(r.all, row)
	}
	r.rows = r.all[:adultFirst+(adultCuts-1)*adultBatch]
	return r
}

// order is drawn for a key; with moved the places are those after an exchange.
func (r *replay) order(k merge.Key, m int) []int32 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v", k)
	out := make([]int32, m)
	for i, p := range rand.New(rand.NewPCG(h.Sum64(), 1)).Perm(m) {
		out[i] = int32(p)
		if r.moved != nil {
			out[i] = r.moved(k, int32(p))
		}
	}
	return out
}

// run plays the stream. Values are by record.
func (r *replay) run(values [][]byte) (out replayed) {
	store := memstore.New()
	var m *incremental.Machine
	open := func() {
		var err error
		m, err = incremental.Open(store, incremental.Options{Schema: r.schema, Policy: r.policy, Seeded: true})
		require.NoError(r.t, err)
		m.Small(func(k merge.Key) merge.Draws { return merge.AllDraws(k, r.order) }, merge.MinPool, r.subPool)
	}
	open()
	due := false
	say := func(what ...any) { out.times = append(out.times, fmt.Sprint(what...)) }
	for at, row := range r.rows {
		row = append(slices.Clone(row[:len(row)-1]), values[at])
		_, err := m.Apply(source, int64(at), row)
		require.NoError(r.t, err)
		if m.Trigger().UpdateDue() != due {
			due = !due
			say(at, due)
		}
		if at+1 < adultFirst || (at+1-adultFirst)%adultBatch != 0 {
			continue
		}
		intent, err := m.Cut(1, [32]byte{})
		require.NoError(r.t, err)
		status, err := json.Marshal(m.Status())
		require.NoError(r.t, err)
		say(at, intent != nil, string(status))
		if intent == nil {
			continue
		}
		require.NoError(r.t, m.Published(intent.Release, [32]byte{1}))
		v, err := m.Releases().Change(intent.Release)
		require.NoError(r.t, err)
		out.releases = append(out.releases, v)
		if len(out.releases)%3 == 0 {
			open()
		}
	}
	return out
}

func (r *replay) values() (out [][]byte) {
	for _, row := range r.rows {
		out = append(out, row[len(row)-1])
	}
	return out
}

// classesOf lists who shares a class, and since when.
func (s replayed) classesOf() (out []string) {
	for _, v := range s.releases {
		for _, c := range v.Classes {
			out = append(out, fmt.Sprint(c.Born, c.Members))
		}
	}
	slices.Sort(out)
	return out
}

// bucketsOf lists which classes share a bucket.
func (s replayed) bucketsOf() (out []string) {
	for _, v := range s.releases {
		for _, c := range v.Classes {
			out = append(out, fmt.Sprint(c.Bucket, c.Members))
		}
	}
	return out
}

// shuffle permutes the values of some records.
func shuffle(rng *rand.Rand, values [][]byte, records []state.RecordID) {
	rng.Shuffle(len(records), func(i, j int) {
		values[records[i]], values[records[j]] = values[records[j]], values[records[i]]
	})
}

// TestAdultClassesIgnoreValues: with the values permuted inside each pool over people,
// every class, the time of every release and what triggers it stay as they are.
func TestAdultClassesIgnoreValues(t *testing.T) {
	t.Parallel()
	tier.NotShort(t, "it replays 6,000 records")
	r := adultStream(t)
	plain := r.run(r.values())
	require.GreaterOrEqual(t, len(plain.releases), 5)
	t.Logf("%d releases, %s", len(plain.releases), plain.times[len(plain.times)-1])
	same := 0
	for seed := range uint64(tier.Of(t, 1, 1, 12)) {
		rng, values := rand.New(rand.NewPCG(seed, 61)), r.values()
		for _, v := range plain.releases {
			var pool []state.RecordID
			for _, c := range v.Classes {
				pool = append(pool, c.Members...)
			}
			shuffle(rng, values, pool)
		}
		permuted := r.run(values)
		require.Equal(t, plain.classesOf(), permuted.classesOf())
		require.Equal(t, plain.times, permuted.times)
		if slices.Equal(plain.bucketsOf(), permuted.bucketsOf()) {
			same++
		}
	}
	require.Zero(t, same, "buckets do depend on values")
}
