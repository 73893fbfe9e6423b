package incremental_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
	"anond/incremental"
	"anond/snapshot"
)

// stream is a generated stream: a schema, a policy that fits it, and records.
type stream struct {
	rng      *rand.Rand
	schema   *equivclass.Schema
	files    []snapshot.HierarchyFile
	policy   incremental.Policy
	recoding snapshot.Recoding
	rows     []equivclass.Row
	of       []incremental.Partition // by row
	batch    int                     // mean number of records between two cuts
	restarts float64                 // chance of a crash after a batch
	declared []equivclass.ValueCount // reference of t-closeness; nil: what release 1 publishes
}

// zones is a hierarchy of 12 leaves in two levels below the root.
const zones = "a1;a;*\na2;a;*\na3;a;*\nb1;b;*\nb2;b;*\nc1;c;*\nc2;c;*\nc3;c;*\nc4;c;*\nd1;d;*\nd2;d;*\nd3;d;*\n"

// newStream draws everything that a stream may vary in: size, skew, correlation
// of sensitive value and quasi-identifiers, batches, k and l, mode, subjects,
// types of attributes, recoding, further principles, restarts.
func newStream(t testing.TB, seed uint64) *stream {
	s := &stream{rng: rand.New(rand.NewPCG(seed, 0x5afe))}
	s.choosePolicy()
	size := s.chooseSize()
	values := s.policy.Requirement.L*2 + s.rng.IntN(12)
	dims := 1 + s.rng.IntN(5)
	if s.rng.IntN(3) == 0 {
		values, dims = s.favourRegrouping(), 1
	}
	kinds := s.attributes(t, dims)
	skew, correlation := s.rng.Float64(), s.rng.Float64()*0.9
	if dims == 1 {
		skew /= 4
	}
	weights := zipf(values, skew)
	people := max(1, int(float64(size)*(0.3+s.rng.Float64()*3)))
	parts := 1 + s.rng.IntN(3)
	for range size {
		var row equivclass.Row
		where := s.rng.Float64()
		for _, kind := range kinds {
			x := where
			if s.rng.IntN(2) == 0 {
				x = s.rng.Float64()
			}
			row = append(row, kind(x))
		}
		v := pickWeighted(s.rng, weights)
		if s.rng.Float64() < correlation/3 {
			v = int(where * float64(values))
		}
		row = append(row, fmt.Appendf(nil, "v%d", v))
		if s.schema.SubjectIndex() >= 0 {
			row = append(row, fmt.Appendf(nil, "p%d", s.rng.IntN(people)))
		}
		s.rows = append(s.rows, row)
		s.of = append(s.of, incremental.Partition{Source: "kafka:test", ID: int32(s.rng.IntN(parts))})
	}
	return s
}

// favourRegrouping makes flat classes likely and waiting ones too few to make
// classes of their own: few values, one dimension, small batches.
func (s *stream) favourRegrouping() (values int) {
	want := &s.policy.Requirement
	want.L, want.Extra = 2, nil
	want.K = 2 * (1 + s.rng.IntN(4))
	s.policy.Republication = incremental.Regroup
	s.batch = 2 + s.rng.IntN(want.K+4)
	return 2 + s.rng.IntN(2)
}

func (s *stream) chooseSize() int {
	switch {
	case s.rng.IntN(30) == 0:
		s.batch = 200 + s.rng.IntN(500)
		return 1000 + s.rng.IntN(2000)
	default:
		s.batch = 5 + s.rng.IntN(80)
		return 30 + s.rng.IntN(400)
	}
}

func (s *stream) choosePolicy() {
	rng := s.rng
	l := 2 + rng.IntN(4)
	k := l + rng.IntN(6)
	s.policy = incremental.Policy{Requirement: equivclass.Requirement{K: k, L: l}, Republication: incremental.Append,
		Repeat:    incremental.RepeatFirst,
		Threshold: 1 + rng.IntN(k+3), MaxHold: int64(rng.IntN(6)), HoldInCuts: rng.IntN(2) == 0, MaxRegroups: []int{0, 1, 2, 2, 5,
			-1}[rng.IntN(6)],
		Neighbours: 1 + rng.IntN(40), Similar: 1 + rng.IntN(10), Initial: extract.Extract{}, Local: extract.Extract{}}
	p := &s.policy
	if rng.IntN(3) > 0 {
		p.Republication = incremental.Regroup
	}
	if rng.IntN(3) == 0 {
		p.Initial = topdown.Mondrian{}
	}
	if p.Republication == incremental.Regroup && rng.IntN(3) == 0 {
		p.Repeat = incremental.RepeatSticky
	}
	extra := []equivclass.Principle{equivclass.DistinctL{L: l + 1}, equivclass.EntropyL{L: float64(l)}, equivclass.RecursiveL{C: 3, L: l}}
	if rng.IntN(4) == 0 {
		p.Requirement.Extra = extra[:1+rng.IntN(3)]
		p.Requirement.K = max(p.Requirement.K, l+1)
	}
	if rng.IntN(4) == 0 {
		p.Requirement.Extra = append(p.Requirement.Extra, equivclass.TClose{T: 0.2 + 0.4*rng.Float64(), Ground: equivclass.EqualGround{}})
		if rng.IntN(3) == 0 {
			for v := range 8 {
				p.Requirement.Extra[len(p.Requirement.Extra)-1] = equivclass.TClose{T: 0.7, Ground: equivclass.EqualGround{}, Declared: true}
				s.declared = append(s.declared, equivclass.ValueCount{Value: fmt.Sprintf("v%d", v), Count: 9 - v})
			}
		}
	}
	s.recoding = snapshot.Generalization()
	if rng.IntN(3) == 0 {
		s.recoding = snapshot.Anatomy()
	}
	s.restarts = []float64{0, 0.1, 0.5}[rng.IntN(3)]
}

// attributes makes the schema of quasi-identifiers of all types and
// returns how each is made of a place in [0,1).
func (s *stream) attributes(t testing.TB, dims int) (kinds []func(float64) []byte) {
	var as []equivclass.Attribute
	for j := range dims {
		a, kind := s.attribute(t, j)
		as, kinds = append(as, a), append(kinds, kind)
	}
	as = append(as, equivclass.Attribute{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	if s.policy.Repeat == incremental.RepeatSticky || s.rng.IntN(2) == 0 {
		as = append(as, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
	}
	var err error
	s.schema, err = equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	if s.declared != nil {
		s.policy.References = map[int][]equivclass.ValueCount{s.schema.SensitiveIndex(): s.declared}
	}
	return kinds
}

func (s *stream) attribute(t testing.TB, j int) (equivclass.Attribute, func(float64) []byte) {
	a := equivclass.Attribute{Name: fmt.Sprintf("q%d", j), Role: equivclass.Quasi, Type: equivclass.Categorical}
	n := 2 + s.rng.IntN(90)
	switch s.rng.IntN(6) {
	case 0:
		a.Type = equivclass.Integer
		return a, func(x float64) []byte { return strconv.AppendInt(nil, int64(x*float64(n))-20, 10) }
	case 1:
		a.Type, a.Steps = equivclass.Integer, []float64{5, 20}
		return a, func(x float64) []byte { return strconv.AppendInt(nil, int64(x*float64(n)), 10) }
	case 2:
		a.Type = equivclass.Decimal
		return a, func(x float64) []byte { return strconv.AppendFloat(nil, math.Round(x*float64(n*4))/4, 'f', -1, 64) }
	case 3:
		a.Type = equivclass.Date
		return a, func(x float64) []byte {
			return fmt.Appendf(nil, "20%02d-%02d-%02d", int(x*30), 1+n%12, 1+int(x*1000)%28)
		}
	case 4:
		name := fmt.Sprintf("zones%d.csv", j)
		h, err := equivclass.ParseHierarchy(name, strings.NewReader(zones))
		require.NoError(t, err)
		a.Hierarchy = h
		s.files = append(s.files, snapshot.HierarchyFile{Attribute: a.Name, File: name, Content: []byte(zones)})
		leaves := strings.Split(strings.TrimSpace(zones), "\n")
		return a, func(x float64) []byte {
			if x > 0.999 {
				return []byte("nowhere") // in no hierarchy: refused
			}
			leaf, _, _ := strings.Cut(leaves[int(x*float64(len(leaves)))], ";")
			return []byte(leaf)
		}
	default:
		return a, func(x float64) []byte { return fmt.Appendf(nil, "w%d", int(x*float64(1+n%9))) }
	}
}

func zipf(n int, skew float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Pow(float64(i+1), -skew)
	}
	return out
}

func pickWeighted(rng *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := rng.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}
