package publish_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// benchTree is a hierarchy of a thousand leaves in ARX's format.
func benchTree() string {
	var out strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&out, "%04d;%03d*;%02d**;%d***;*\n", i, i/10, i/100, i/500)
	}
	return out.String()
}

// benchSettings are settings with the hierarchy of benchView.
func benchSettings(recoding render.Recoding) *render.Settings {
	s := settings(recoding)
	s.Policy.K, s.Policy.L, s.Policy.Diversity, s.Policy.SubjectRepeat = 10, 2, nil, ""
	s.Hierarchies[0].Content = []byte(benchTree())
	return s
}

// benchView is a release of n records with seven quasi-identifiers in classes
// of ten, flat over five values: two numbers, a date, a hierarchy of a thousand leaves, three sets.
// Members are far apart in the columns, as they are in a stream.
func benchView(b *testing.B, n int) *incremental.View {
	r := rand.New(rand.NewPCG(7, 7))
	quasi := func(name string, t equivclass.Type, h *equivclass.Hierarchy) equivclass.Attribute {
		return equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: t, Hierarchy: h}
	}
	attributes := []equivclass.Attribute{
		quasi("age", equivclass.Integer, nil), quasi("income", equivclass.Decimal, nil), quasi("admitted", equivclass.Date, nil),
		quasi("postcode", equivclass.Categorical, tree(b, benchTree())), quasi("ward", equivclass.Categorical, nil),
		quasi("sex", equivclass.Categorical, nil), quasi("country", equivclass.Categorical, nil),
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}
	sizes := []int{74, 5000, 3650, 1000, 8, 2, 41, 20}
	v := testView(b, 1, attributes, nil, nil)
	v.Dictionaries = v.Dictionaries[:0]
	var sa []equivclass.Code
	for i, a := range attributes {
		d := equivclass.NewDictionary(a)
		for code := range sizes[i] {
			switch {
			case a.Type == equivclass.Date:
				d.Encode([]byte(a.FormatNumber(int64(18000 + code))))
			case a.Type == equivclass.Decimal:
				d.Encode([]byte(strconv.FormatFloat(float64(code)*12.25, 'f', -1, 64)))
			case a.Type == equivclass.Integer:
				d.Encode([]byte(strconv.Itoa(17 + code)))
			case a.Hierarchy == nil:
				d.Encode(fmt.Appendf(nil, "%s-%d", a.Name, code))
			}
		}
		v.Dictionaries = append(v.Dictionaries, d.Frozen())
		codes := make([]equivclass.Code, n)
		for k := range codes {
			codes[k] = equivclass.Code(r.IntN(d.Len()))
		}
		if a.Role == equivclass.Sensitive {
			sa, v.SA = codes, []equivclass.Column{equivclass.ColumnOf(codes)}
		} else {
			v.QI[i] = equivclass.ColumnOf(codes)
		}
	}
	order := r.Perm(n)
	for at := 0; at+10 <= n; at += 10 {
		c := state.ClassView{Regime: state.Pure, Born: 1}
		first := r.IntN(20)
		for i, m := range order[at : at+10] {
			c.Members = append(c.Members, state.RecordID(m))
			sa[m] = equivclass.Code((first + i%5) % 20) // five values, each twice
		}
		v.Classes = append(v.Classes, c)
	}
	v.Intent.Cut, v.Intent.Records, v.Intent.Classes = state.RecordID(n), len(v.Classes)*10, len(v.Classes)
	return v
}

// BenchmarkRender: cells, order, text, SHA-256 and writing to files, without
// the gate and fsync.
func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		v := benchView(b, n)
		for _, recoding := range benchRecodings() {
			b.Run(fmt.Sprintf("%s/records=%d", benchName(recoding), n), func(b *testing.B) {
				v, s := benchForm(recoding, v), benchSettings(recoding)
				dir := b.TempDir()
				b.ReportAllocs()
				for b.Loop() {
					out, err := renderBehind(publish.Of(v), s, nil, diskFiles{dir: dir})
					require.NoError(b, err)
					b.SetBytes(out.Manifest.Parts[0].Files[0].Bytes)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}

// BenchmarkPublish: all durable steps on a real file system, with the auditor as
// the gate; fsync included.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		v := benchView(b, n)
		for _, gated := range []bool{false, true} {
			b.Run(fmt.Sprintf("gate=%t/records=%d", gated, n), func(b *testing.B) {
				s := benchSettings(render.Generalization())
				for b.Loop() {
					p := publisher(snapshot.OS(), b.TempDir())
					p.Gate = openGate{}
					if gated {
						p.Gate = auditGate{gate.New(format.Policy{K: 10, L: 2, Republication: "regroup", MaxRegroups: &s.Policy.MaxRegroups})}
					}
					require.NoError(b, p.Open())
					_, err := p.Publish(publish.Of(v), s)
					require.NoError(b, err)
				}
			})
		}
	}
}

// benchRecodings are those of chains.
func benchRecodings() []render.Recoding {
	return slices.Concat(recodings(), sharedRecodings())
}

// benchName tells the recodings of level L2 from those of level L1.
func benchName(r render.Recoding) string {
	if r.Shared() {
		return sharedName(r)
	}
	return r.Name()
}

// benchForm makes a view of classes one of a recoding.
func benchForm(r render.Recoding, v *incremental.View) *incremental.View {
	if r.Shared() {
		return sharedView(v)
	}
	return v
}

// sharedView makes a view of level L2 of another: a bucket is three classes.
func sharedView(v *incremental.View) *incremental.View {
	out := *v
	out.Level, out.Classes = state.L2, slices.Clone(v.Classes)
	for i := range out.Classes {
		c := &out.Classes[i]
		c.Regime, c.Bucket = state.Frozen, state.BucketID(1_000_000*c.Born+uint32(i)/3)
	}
	return &out
}
