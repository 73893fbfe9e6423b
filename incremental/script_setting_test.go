package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/extract"
	"anond/snapshot/render"
)

// design is what the arguments of `machine` ask for.
type design struct {
	schema   *equivclass.Schema
	policy   state.Policy
	recoding render.Recoding // nil: no files are written
	files    []render.HierarchyFile
	// subjectKey is that of subjects, which shards share; nil: one of the seed.
	subjectKey []byte
}

// setting reads the arguments of `machine`. All have a default but k and l:
//
//	dims=1              quasi-identifiers, whole numbers: x, y, ...
//	q=(int,zone)        instead of dims: their kinds (script_shape_test.go)
//	subject             a subject attribute comes first
//	level=L1|L2   min_pool=0   on_refusal=stop|quarantine|grow   on_update
//	republication=append|regroup   max_regroups=2
//	threshold=k-1   max_hold=4   hold_in=cuts|ticks   neighbours=32   similar=8
//	cut_every=0   initial_max=0   initial_min=0   max_records=0   initial=extract|mondrian
//	t=0.2               t-closeness, equal distance
//	reference=(flu:2,cold:1)   its declared reference
//	extra=(distinct/3,entropy/2,recursive/3/2)   further principles
//	subject_key=key     the key of subjects, which shards share
//	recoding=buckets    releases are written, and checked by the gate
//	hosts=(steady)      further hosts (script_hosts_test.go)
func setting(t testing.TB, d *datadriven.TestData) design {
	t.Helper()
	p := policy(0, 0)
	p.Initial, p.Local = extract.Extract{}, extract.Extract{}
	d.ScanArgs(t, "k", &p.Requirement.K)
	d.ScanArgs(t, "l", &p.Requirement.L)
	p.Threshold = p.Requirement.K - 1
	var s shape
	for _, arg := range d.CmdArgs {
		if !s.read(t, arg) && !readPolicy(t, arg, &p) && !readMode(t, arg, &p) {
			d.Fatalf(t, "machine has no argument %q", arg.Key)
		}
	}
	out := design{policy: p, files: s.files()}
	out.schema = s.schema(t)
	if arg, ok := d.Arg("reference"); ok {
		out.policy.References = map[int][]equivclass.ValueCount{out.schema.SensitiveIndex(): distribution(t, arg)}
		for i, x := range p.Requirement.Extra {
			if c, ok := x.(equivclass.TClose); ok {
				c.Declared = true
				p.Requirement.Extra[i] = c
			}
		}
	}
	if arg, ok := d.Arg("subject_key"); ok {
		out.subjectKey = []byte(arg.SingleVal(t))
	}
	if arg, ok := d.Arg("recoding"); ok {
		out.recoding = s.recoding(t, arg.SingleVal(t), p.Level)
	}
	return out
}

// readPolicy takes an argument of the policy; false: it is none.
func readPolicy(t testing.TB, arg datadriven.CmdArg, p *state.Policy) bool {
	number := map[string]any{"threshold": &p.Threshold, "max_hold": &p.MaxHold, "max_regroups": &p.MaxRegroups, "cut_every": &p.CutEvery,
		"initial_max": &p.InitialMax, "initial_min": &p.InitialMin, "max_records": &p.MaxRecords, "min_pool": &p.MinPool,
		"neighbours": &p.Neighbours, "similar": &p.Similar}
	switch arg.Key {
	case "k", "l", "reference", "recoding", "hosts", "subject_key":
	case "t":
		limit, err := strconv.ParseFloat(arg.SingleVal(t), 64)
		require.NoError(t, err)
		p.Requirement.Extra = append(p.Requirement.Extra, equivclass.TClose{T: limit, Ground: equivclass.EqualGround{}})
	case "extra":
		for _, text := range arg.Vals {
			p.Requirement.Extra = append(p.Requirement.Extra, principle(t, text))
		}
	default:
		to, ok := number[arg.Key]
		if ok {
			arg.Scan(t, 0, to)
		}
		return ok
	}
	return true
}

// readMode takes an argument that is a word of the policy; false: it is none.
func readMode(t testing.TB, arg datadriven.CmdArg, p *state.Policy) bool {
	switch arg.Key {
	case "republication":
		p.Republication = state.Republication(arg.SingleVal(t))
	case "hold_in":
		p.HoldInCuts = arg.SingleVal(t) == "cuts"
	case "on_update":
		p.OnUpdate = true
	case "level":
		p.Level = map[string]state.Level{"L1": state.L1, "L2": state.L2}[arg.SingleVal(t)]
	case "on_refusal":
		p.OnRefusal = map[string]state.OnRefusal{"stop": state.StopRefused, "quarantine": state.QuarantineRefused,
			"grow": state.GrowRefused}[arg.SingleVal(t)]
	case "initial":
		if arg.SingleVal(t) == "mondrian" {
			p.Initial = cuts.Median{}
		}
	default:
		return false
	}
	return true
}

// principle reads a name and its numbers.
func principle(t testing.TB, text string) equivclass.Principle {
	name, numbers, _ := strings.Cut(text, "/")
	var n [2]float64
	for i, part := range strings.Split(numbers, "/") {
		_, err := fmt.Sscan(part, &n[i])
		require.NoError(t, err, text)
	}
	switch name {
	case "distinct":
		return equivclass.DistinctL{L: int(n[0])}
	case "entropy":
		return equivclass.EntropyL{L: n[0]}
	}
	return equivclass.RecursiveL{C: n[0], L: int(n[1])}
}

// distribution reads value:count pairs.
func distribution(t testing.TB, arg datadriven.CmdArg) (out []equivclass.ValueCount) {
	for _, pair := range arg.Vals {
		value, n, ok := strings.Cut(pair, ":")
		require.True(t, ok, "%q is no value:count", pair)
		count, err := strconv.Atoi(n)
		require.NoError(t, err, fmt.Sprint(arg))
		out = append(out, equivclass.ValueCount{Value: value, Count: count})
	}
	return out
}
