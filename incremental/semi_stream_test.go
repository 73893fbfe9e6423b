package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
	"anond/incremental"
	"anond/snapshot"
)

// newSemiStream draws a stream with semi-sensitive attributes of all kinds of
// values and promises, flagged together, one by one, or always.
func newSemiStream(t testing.TB, seed uint64) *stream {
	s := &stream{rng: rand.New(rand.NewPCG(seed, 0x5e31)), recoding: snapshot.LGB([32]byte{9})}
	l := 2 + s.rng.IntN(2)
	s.policy = incremental.Policy{Requirement: equivclass.Requirement{K: l + s.rng.IntN(3), L: l}, Republication: incremental.Append,
		Repeat:    incremental.RepeatFirst,
		Threshold: 1 + s.rng.IntN(5), MaxHold: int64(s.rng.IntN(4)), HoldInCuts: s.rng.IntN(2) == 0, Bucketized: true,
		Neighbours: 1 + s.rng.IntN(40), Similar: 1 + s.rng.IntN(10), Initial: extract.Extract{}, Local: extract.Extract{}}
	if s.rng.IntN(3) == 0 {
		s.policy.Initial = topdown.Mondrian{}
	}
	var as []equivclass.Attribute
	var kinds []func(float64) []byte
	for j := range 1 + s.rng.IntN(3) {
		a, kind := s.attribute(t, j)
		as, kinds = append(as, a), append(kinds, kind)
	}
	for j := range 1 + s.rng.IntN(3) {
		a, kind := s.semi(t, j)
		as, kinds = append(as, a), append(kinds, kind)
	}
	as = append(as, equivclass.Attribute{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	values, rare := 2*l+s.rng.IntN(9), s.rng.Float64()
	kinds = append(kinds, func(x float64) []byte { return fmt.Appendf(nil, "v%d", int(x*float64(values))) })
	for _, name := range []string{"f0", "f1", "f2"} {
		for _, a := range as {
			if a.Flag == name {
				as = append(as, equivclass.Attribute{Name: name, Role: equivclass.Flag})
				kinds = append(kinds, func(x float64) []byte { return strconv.AppendBool(nil, x < rare) })
				break
			}
		}
	}
	if s.rng.IntN(3) == 0 {
		as = append(as, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
		kinds = append(kinds, func(x float64) []byte { return fmt.Appendf(nil, "p%d", int(x*700)) })
	}
	if s.rng.IntN(4) == 0 {
		s.policy.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: 0.5 + s.rng.Float64()/3, Ground: equivclass.EqualGround{}}}
	}
	var err error
	s.schema, err = equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	s.batch = 20 + s.rng.IntN(80)
	for range 150 + s.rng.IntN(350) {
		var row equivclass.Row
		where := s.rng.Float64()
		for _, kind := range kinds {
			x := s.rng.Float64()
			if s.rng.IntN(3) == 0 {
				x = where
			}
			row = append(row, kind(x))
		}
		s.rows = append(s.rows, row)
		s.of = append(s.of, source)
	}
	s.restarts = []float64{0, 0.1, 0.5}[s.rng.IntN(3)]
	return s
}

// semi makes a semi-sensitive attribute.
func (s *stream) semi(t testing.TB, j int) (equivclass.Attribute, func(float64) []byte) {
	a := equivclass.Attribute{Name: fmt.Sprintf("s%d", j), Role: equivclass.Semi, Type: equivclass.Categorical,
		Promise: &equivclass.SemiPromise{L: 2 + s.rng.IntN(2)}}
	if s.rng.IntN(4) > 0 {
		a.Flag = fmt.Sprintf("f%d", s.rng.IntN(3))
	}
	close := func(distances ...string) {
		if s.rng.IntN(2) == 0 {
			a.Promise = &equivclass.SemiPromise{T: 0.1 + s.rng.Float64()/2, Distance: distances[s.rng.IntN(len(distances))]}
		}
	}
	switch s.rng.IntN(3) {
	case 0:
		a.Type = equivclass.Integer
		n := 6 + s.rng.IntN(60)
		if s.rng.IntN(3) == 0 {
			a.Steps = []float64{5, 20}
		}
		close("equal", "ordered")
		return a, func(x float64) []byte { return strconv.AppendInt(nil, int64(x*x*float64(n)), 10) }
	case 1:
		name := fmt.Sprintf("semi%d.csv", j)
		h, err := equivclass.ParseHierarchy(name, strings.NewReader(zones))
		require.NoError(t, err)
		a.Hierarchy = h
		s.files = append(s.files, snapshot.HierarchyFile{Attribute: a.Name, File: name, Content: []byte(zones)})
		close("equal", "ordered", "hierarchical")
		leaves := strings.Split(strings.TrimSpace(zones), "\n")
		return a, func(x float64) []byte {
			leaf, _, _ := strings.Cut(leaves[int(x*float64(len(leaves)))], ";")
			return []byte(leaf)
		}
	default:
		close("equal")
		if a.Promise.L == 0 && s.rng.IntN(2) == 0 {
			a.Promise.Reference = []equivclass.ValueCount{{Value: "w0", Count: 1}, {Value: "w1", Count: 1}, {Value: "w2", Count: 1}}
		}
		return a, func(x float64) []byte { return fmt.Appendf(nil, "w%d", int(x*3)) }
	}
}

// TestEverySemiChainIsCertified is the property of TestEveryChainIsCertified for
// streams with semi-sensitive attributes: the auditor certifies each attribute
// on its own, restarts included.
func TestEverySemiChainIsCertified(t *testing.T) {
	tier.NotShort(t, "it audits many chains")
	var all outcomes
	count := tier.Of(t, 6, 20, 60)
	for seed := range uint64(count) {
		ok := t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			o := runStream(t, newSemiStream(t, seed))
			all.certified += o.certified
			all.infeasible += o.infeasible
			all.long += o.long
			all.crashes += o.crashes
			all.published += o.published
			all.sent += o.sent
		})
		if !ok {
			return
		}
	}
	t.Logf("%+v", all)
	assert.Greater(t, all.long, count/2, "the streams do not reach several releases")
	assert.Positive(t, all.crashes)
}
