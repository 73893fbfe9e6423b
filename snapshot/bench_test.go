package snapshot_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot"
)

// benchView is a release of n records with seven quasi-identifiers in classes
// of ten: two numbers, a date, a hierarchy of a thousand leaves, three sets.
// Members are far apart in the columns, as they are in a stream.
func benchView(b *testing.B, n int) *incremental.View {
	r := rand.New(rand.NewPCG(7, 7))
	quasi := func(name string, t equivclass.Type, h *equivclass.Hierarchy) equivclass.Attribute {
		return equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: t, Hierarchy: h}
	}
	leaves := ""
	for i := range 1000 {
		leaves += fmt.Sprintf("%04d;%03d*;%02d**;%d***;*\n", i, i/10, i/100, i/500)
	}
	attributes := []equivclass.Attribute{
		quasi("age", equivclass.Integer, nil), quasi("income", equivclass.Decimal, nil), quasi("admitted", equivclass.Date, nil),
		quasi("postcode", equivclass.Categorical, tree(b, leaves)), quasi("ward", equivclass.Categorical, nil),
		quasi("sex", equivclass.Categorical, nil), quasi("country", equivclass.Categorical, nil),
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}
	sizes := []int{74, 5000, 3650, 1000, 8, 2, 41, 20}
	v := testView(b, 1, attributes, nil, nil)
	v.Dictionaries = v.Dictionaries[:0]
	for i, a := range attributes {
		d := equivclass.NewDictionary(a)
		for code := range sizes[i] {
			switch {
			case a.Type == equivclass.Date:
				d.Add([]byte(equivclass.FormatValue(a.Type, float64(18000+code))))
			case a.Type == equivclass.Decimal:
				d.Add([]byte(strconv.FormatFloat(float64(code)*12.25, 'f', -1, 64)))
			case a.Type == equivclass.Integer:
				d.Add([]byte(strconv.Itoa(17 + code)))
			case a.Hierarchy == nil:
				d.Add(fmt.Appendf(nil, "%s-%d", a.Name, code))
			}
		}
		v.Dictionaries = append(v.Dictionaries, d.Frozen())
		codes := make([]equivclass.Code, n)
		for k := range codes {
			codes[k] = equivclass.Code(r.IntN(d.Len()))
		}
		if a.Role == equivclass.Sensitive {
			v.SA = codes
		} else {
			v.QI[i] = codes
		}
	}
	order := r.Perm(n)
	for at := 0; at+10 <= n; at += 10 {
		c := incremental.ClassView{Regime: incremental.Pure, Born: 1}
		for _, m := range order[at : at+10] {
			c.Members = append(c.Members, incremental.RecordID(m))
		}
		v.Classes = append(v.Classes, c)
	}
	v.Intent.Cut, v.Intent.Records, v.Intent.Classes = incremental.RecordID(n), len(v.Classes)*10, len(v.Classes)
	return v
}

// BenchmarkRender: cells, order, text, SHA-256 and writing to files, without
// the gate and fsync.
func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		v := benchView(b, n)
		for _, recoding := range recodings() {
			b.Run(fmt.Sprintf("%s/records=%d", recoding.Name(), n), func(b *testing.B) {
				s := settings(recoding)
				dir := b.TempDir()
				b.ReportAllocs()
				for b.Loop() {
					out, err := snapshot.Render(v, s, nil, diskFiles{dir})
					require.NoError(b, err)
					b.SetBytes(out.Manifest.Files[0].Bytes)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}
