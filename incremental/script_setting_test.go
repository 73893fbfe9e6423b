package incremental_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
)

// setting reads the arguments of `machine`. All have a default but k and l:
//
//	dims=1              quasi-identifiers, whole numbers: x, y, ...
//	subject             a subject attribute comes first
//	pay_l=2             a semi-sensitive attribute pay with this promise, its flag last
//	republication=append|regroup   repeat=first|sticky   max_regroups=2
//	threshold=k-1   max_hold=4   hold_in=cuts|ticks
//	cut_every=0   initial_max=0   max_records=0
//	t=0.2               t-closeness, equal distance
//	reference=(flu:2,cold:1)   its declared reference
func setting(t *testing.T, d *datadriven.TestData) (*equivclass.Schema, incremental.Policy) {
	t.Helper()
	p := policy(0, 0)
	p.Initial, p.Local = extract.Extract{}, extract.Extract{}
	d.ScanArgs(t, "k", &p.Requirement.K)
	d.ScanArgs(t, "l", &p.Requirement.L)
	p.Threshold = p.Requirement.K - 1
	var s shape
	for _, arg := range d.CmdArgs {
		if !s.read(t, arg) && !readPolicy(t, arg, &p) {
			d.Fatalf(t, "machine has no argument %q", arg.Key)
		}
	}
	p.Bucketized = s.pay > 0
	schema := s.schema(t)
	if arg, ok := d.Arg("reference"); ok {
		p.References = map[int][]equivclass.ValueCount{schema.SensitiveIndex(): distribution(t, arg)}
	}
	return schema, p
}

// readPolicy takes an argument of the policy; false: it is none.
func readPolicy(t *testing.T, arg datadriven.CmdArg, p *incremental.Policy) bool {
	number := map[string]any{"threshold": &p.Threshold, "max_hold": &p.MaxHold, "max_regroups": &p.MaxRegroups, "cut_every": &p.CutEvery,
		"initial_max": &p.InitialMax, "max_records": &p.MaxRecords}
	switch arg.Key {
	case "k", "l", "reference":
	case "republication":
		p.Republication = incremental.Republication(arg.SingleVal(t))
	case "repeat":
		p.Repeat = incremental.Repeat(arg.SingleVal(t))
	case "hold_in":
		p.HoldInCuts = arg.SingleVal(t) == "cuts"
	case "t":
		limit, err := strconv.ParseFloat(arg.SingleVal(t), 64)
		require.NoError(t, err)
		p.Requirement.Extra = append(p.Requirement.Extra, equivclass.TClose{T: limit, Ground: equivclass.EqualGround{}})
	default:
		to, ok := number[arg.Key]
		if ok {
			arg.Scan(t, 0, to)
		}
		return ok
	}
	return true
}

// shape is what the records of a script look like.
type shape struct {
	dims, pay int
	subject   bool
}

func (s *shape) read(t *testing.T, arg datadriven.CmdArg) bool {
	switch arg.Key {
	case "dims":
		arg.Scan(t, 0, &s.dims)
	case "subject":
		s.subject = true
	case "pay_l":
		arg.Scan(t, 0, &s.pay)
	default:
		return false
	}
	return true
}

func (s *shape) schema(t *testing.T) *equivclass.Schema {
	var as []equivclass.Attribute
	if s.subject {
		as = append(as, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
	}
	for j := range max(1, s.dims) {
		as = append(as, equivclass.Attribute{Name: string(rune('x' + j)), Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	if s.pay > 0 {
		as = append(as, equivclass.Attribute{Name: "pay", Role: equivclass.Semi, Type: equivclass.Categorical, Flag: "secret",
			Promise: &equivclass.SemiPromise{L: s.pay}})
	}
	as = append(as, equivclass.Attribute{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	if s.pay > 0 {
		as = append(as, equivclass.Attribute{Name: "secret", Role: equivclass.Flag})
	}
	out, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	return out
}

// distribution reads value:count pairs.
func distribution(t *testing.T, arg datadriven.CmdArg) (out []equivclass.ValueCount) {
	for _, pair := range arg.Vals {
		value, n, ok := strings.Cut(pair, ":")
		require.True(t, ok, "%q is no value:count", pair)
		count, err := strconv.Atoi(n)
		require.NoError(t, err, fmt.Sprint(arg))
		out = append(out, equivclass.ValueCount{Value: value, Count: count})
	}
	return out
}
