package readback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// open is a gate that lets everything pass.
type open struct{}

func (open) Check(string, []render.Placement) error { return nil }

// people are records in classes of three and buckets of level L2.
type people struct {
	in       *render.Input
	age, sa  []int // by record, in no class too
	settings render.Settings
	buckets  map[uint32][]equivclass.RecordID
}

// newPeople makes a chain of some releases; each has buckets of one to three classes.
func newPeople(t *testing.T, r *rand.Rand, recoding render.Recoding, releases int) *people {
	t.Helper()
	attributes := []equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "score", Role: equivclass.Sensitive, Type: equivclass.Categorical}}
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	dicts := []*equivclass.Dictionary{equivclass.NewDictionary(attributes[0]), equivclass.NewDictionary(attributes[1]),
		equivclass.NewDictionary(attributes[2])}
	p := &people{buckets: map[uint32][]equivclass.RecordID{},
		in: &render.Input{Shared: true,
			Columns: render.Columns{Schema: schema, QI: make([]equivclass.Column, 2), SA: make([]equivclass.Column, 1)}},
		settings: render.Settings{Dataset: "d", Recoding: recoding, Seed: [32]byte{1},
			Policy: snapshot.Policy{K: 3, L: 2, Republication: "append"}}}
	encode := func(j int, text string) equivclass.Code {
		code, why := dicts[j].Encode([]byte(text))
		require.Equal(t, equivclass.Accepted, why)
		return code
	}
	settles := r.IntN(2) == 0
	if settles {
		p.settings.Settle, p.settings.Updates = "90d", "apply"
	}
	bucket := uint32(0)
	for release := uint32(1); release <= uint32(releases); release++ {
		for range 1 + r.IntN(4) {
			bucket++
			classes := 1 + r.IntN(3)
			for i := range 3 * classes {
				age, score := r.IntN(60), []int{1, 11, 21, 31}[(i+int(bucket))%4]
				if i%3 == 0 {
					p.in.Classes = append(p.in.Classes, render.Class{Born: release, Bucket: bucket})
					if settles {
						p.in.Classes[len(p.in.Classes)-1].Stratum = []string{"plain", "fault+updated"}[release%2]
					}
				}
				c := &p.in.Classes[len(p.in.Classes)-1]
				c.Members = append(c.Members, equivclass.RecordID(len(p.age)))
				p.buckets[bucket] = append(p.buckets[bucket], equivclass.RecordID(len(p.age)))
				p.age, p.sa = append(p.age, age), append(p.sa, score)
				p.in.QI[0].Append(encode(0, fmt.Sprint(age)))
				p.in.QI[1].Append(encode(1, []string{"a", "b"}[r.IntN(2)]))
				p.in.SA[0].Append(encode(2, fmt.Sprint(score)))
			}
		}
	}
	for _, d := range dicts {
		p.in.Dictionaries = append(p.in.Dictionaries, d.Frozen())
	}
	return p
}

// publish makes the releases up to one, and reads it back.
func (p *people) publish(t *testing.T, releases int) *Release {
	dir := t.TempDir()
	to := &publish.Publisher{FS: snapshot.OS(), Dir: filepath.Join(dir, "releases"), Ledger: filepath.Join(dir, "ledger"), Gate: open{}}
	require.NoError(t, to.Open())
	for n := uint32(1); n <= uint32(releases); n++ {
		in := *p.in
		in.Release = n
		in.Classes = slices.DeleteFunc(slices.Clone(in.Classes), func(c render.Class) bool { return c.Born > n })
		_, err := to.Publish(&in, &p.settings)
		require.NoError(t, err)
	}
	r, err := Open(to.Dir)
	require.NoError(t, err)
	require.NoError(t, r.Load(nil))
	rows := 0
	for i := range r.Manifest.Parts {
		buckets, err := os.ReadFile(filepath.Join(to.Dir, fmt.Sprintf("%06d", releases), r.Manifest.Parts[i].Part, snapshot.BucketsName))
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(buckets)), "\n")
		rows += len(lines) - 1
		require.Equal(t, strings.Join(r.Manifest.BucketsColumns(), ","), lines[0])
		for _, line := range lines[1:] {
			require.Equal(t, p.settings.Settle != "", strings.HasSuffix(line, ",plain") || strings.HasSuffix(line, ",fault+updated"), line)
		}
	}
	require.Equal(t, len(p.buckets), rows)
	return r
}

func sharedRecodings() []render.Recoding {
	return []render.Recoding{render.Buckets(), render.BucketAnatomy(), render.DrawnValues([32]byte{7})}
}

// TestSharedReleasesAreReadBack: classes of k, the bags of all buckets, over several parts,
// joined ones included; and answers whose bounds hold the truth.
func TestSharedReleasesAreReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, releases := range []int{1, 3, 12} {
		for _, recoding := range sharedRecodings() {
			p := newPeople(t, r, recoding, releases)
			got := p.publish(t, releases)
			require.Equal(t, slices.Repeat([]int{3}, len(p.in.Classes)), got.Sizes())
			var want, have []string
			for _, records := range p.buckets {
				var scores []int
				for _, m := range records {
					scores = append(scores, p.sa[m])
				}
				slices.Sort(scores)
				want = append(want, fmt.Sprint(scores))
			}
			for _, bag := range got.Bags() {
				var scores []int
				for _, c := range bag.Counts {
					score, err := strconv.Atoi(got.Dicts[2].Text(c.Code))
					require.NoError(t, err)
					scores = append(scores, slices.Repeat([]int{score}, c.N)...)
				}
				slices.Sort(scores)
				have = append(have, fmt.Sprint(scores))
			}
			require.ElementsMatch(t, want, have)
			p.ask(t, got)
		}
	}
}

// ask holds answers against the truth, and against a count by hand.
func (p *people) ask(t *testing.T, r *Release) {
	all, _, err := r.Ask("count")
	require.NoError(t, err)
	assert.InDelta(t, len(p.age), all.Estimate, 1e-9)
	young, low := 0.0, 0.0
	for i, age := range p.age {
		if age < 20 {
			young++
			if p.sa[i] == 1 {
				low++
			}
		}
	}
	for query, truth := range map[string]float64{"count where age < 20": young, "count where age < 20 and score = 1": low} {
		a, _, err := r.Ask(query)
		require.NoError(t, err)
		assert.LessOrEqual(t, a.Lower, truth, query)
		assert.GreaterOrEqual(t, a.Upper, truth, query)
		if r.QI != nil && query == "count where age < 20" {
			assert.InDelta(t, truth, a.Estimate, 1e-9, "exact cells")
		}
	}
	byHand := 0.0
	for _, records := range p.buckets {
		scores, ages := 0.0, 0.0
		for i, m := range records {
			if p.sa[m] == 1 {
				scores++
			}
			if r.QI != nil {
				if p.age[m] < 20 {
					ages++
				}
			} else if i%3 == 0 {
				lo, hi := p.age[m], p.age[m]
				for _, other := range records[i : i+3] {
					lo, hi = min(lo, p.age[other]), max(hi, p.age[other])
				}
				ages += 3 * float64(max(0, min(20, hi+1)-lo)) / float64(hi+1-lo)
			}
		}
		byHand += scores * ages / float64(len(records))
	}
	a, _, err := r.Ask("count where age < 20 and score = 1")
	require.NoError(t, err)
	assert.InDelta(t, byHand, a.Estimate, 1e-9)
}

// TestDrawnValuesAnswerAsBuckets: what stands in rows by draws is not taken for more.
func TestDrawnValuesAnswerAsBuckets(t *testing.T) {
	p := newPeople(t, rand.New(rand.NewPCG(2, 2)), render.Buckets(), 2)
	want, _, err := p.publish(t, 2).Ask("count where age in [10,30] and score = 1")
	require.NoError(t, err)
	p.settings.Recoding = render.DrawnValues([32]byte{9})
	got, _, err := p.publish(t, 2).Ask("count where age in [10,30] and score = 1")
	require.NoError(t, err)
	assert.InDelta(t, want.Estimate, got.Estimate, 1e-9)
	assert.Equal(t, [2]float64{want.Lower, want.Upper}, [2]float64{got.Lower, got.Upper})
}

// FuzzSharedFiles: whatever the files of level L2 hold, reading them ends in a release
// that answers or in an error.
func FuzzSharedFiles(f *testing.F) {
	const rows, bags, sizes = "age,sex,class,bucket\n", "bucket,attribute,value,count\n", "bucket,pool,people\n"
	f.Add(uint8(0), rows+"\"[1,5]\",F,1,1\n\"[1,5]\",F,1,1\n", bags+"1,disease,flu,1\n1,disease,cold,1\n", sizes+"1,1,2\n", 1, 1)
	f.Add(uint8(1), rows+"1,F,1,1\n2,F,1,1\n4,M,2,1\n5,M,2,1\n", bags+"1,disease,flu,2\n1,disease,cold,2\n", sizes+"1,1,4\n", 2, 1)
	f.Add(uint8(2), "age,sex,disease,class,bucket\n4,F,flu,1,1\n4,F,cold,1,1\n", bags+"1,disease,cold,1\n1,disease,flu,1\n", sizes+"1,1,2\n",
		1, 1)
	f.Add(uint8(0), rows+"4,F,1,2\n", bags+"1,disease,flu,0\n", sizes+"1,1,0\n", 1, 1)
	f.Fuzz(func(t *testing.T, kind uint8, data, values, people string, classes, buckets int) {
		recoding := []string{snapshot.NameBuckets, snapshot.NameAnatomy, snapshot.NamePermutation}[kind%3]
		files := map[string][]byte{"data.csv": []byte(data), "values.csv": []byte(values), "buckets.csv": []byte(people)}
		r := fuzzRelease(t, recoding, files)
		if kind%3 == 2 {
			r.Manifest.Values = snapshot.ValuesDrawn
		}
		r.Manifest.Policy.Level, r.Manifest.Classes, r.Manifest.Buckets = "L2", classes, buckets
		askAll(t, r)
		switch err := r.Load(nil); { // what failed to load is not used
		case err == nil && r.Buckets != nil:
			require.Len(t, r.Bags(), buckets)
		case err != nil && !errors.Is(err, snapshot.ErrDamaged):
			require.NoError(t, err)
		}
	})
}
