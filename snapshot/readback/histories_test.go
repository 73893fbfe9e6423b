package readback

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// historied are people with histories of up to three records, in classes of two and buckets of three classes.
type historied struct {
	in        *render.Input
	settings  render.Settings
	age       []int
	histories [][]string
	buckets   [][]int // people of each
}

// newHistoried makes buckets of one length each. No value is in the histories of more than half of a bucket's people.
func newHistoried(t *testing.T, r *rand.Rand, releases int) *historied {
	t.Helper()
	attributes := []equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	ages, ill := equivclass.NewDictionary(attributes[0]), equivclass.NewSequences(attributes[1], 3)
	p := &historied{in: &render.Input{Shared: true,
		Columns: render.Columns{Schema: schema, QI: make([]equivclass.Column, 1), SA: make([]equivclass.Column, 1)}},
		settings: render.Settings{Dataset: "d", Recoding: render.Buckets(), Seed: [32]byte{1}, Settle: "90d", Updates: "apply", MaxRecords: 3,
			Policy: snapshot.Policy{K: 2, L: 2, Republication: "append", SubjectRepeat: "history"}}}
	bucket := uint32(0)
	for release := uint32(1); release <= uint32(releases); release++ {
		length := 1 + r.IntN(3)
		for range 2 {
			bucket++
			var people []int
			for i := range 6 {
				age := r.IntN(60)
				var history []string
				for range length { // values of one half of the bucket are none of the other's
					history = append(history, []string{"flu", "cold", "gout", "a, \"b\""}[2*(i%2)+r.IntN(2)])
				}
				if i%2 == 0 {
					p.in.Classes = append(p.in.Classes, render.Class{Born: release, Bucket: bucket, Stratum: fmt.Sprint(length)})
				}
				c := &p.in.Classes[len(p.in.Classes)-1]
				c.Members = append(c.Members, equivclass.RecordID(len(p.age)))
				people = append(people, len(p.age))
				p.age, p.histories = append(p.age, age), append(p.histories, history)
				code, why := ages.Encode([]byte(fmt.Sprint(age)))
				require.Equal(t, equivclass.Accepted, why)
				p.in.QI[0].Append(code)
				p.in.SA[0].Append(ill.Sequence(equivclass.Joined(history)))
			}
			p.buckets = append(p.buckets, people)
		}
	}
	p.in.Dictionaries = []*equivclass.Dictionary{ages.Frozen(), ill.Frozen()}
	return p
}

// publish makes the releases up to one.
func (p *historied) publish(t *testing.T, releases int) (dir string, err error) {
	dir = t.TempDir()
	to := &publish.Publisher{FS: snapshot.OS(), Dir: filepath.Join(dir, "releases"), Ledger: filepath.Join(dir, "ledger"), Gate: open{}}
	require.NoError(t, to.Open())
	for n := uint32(1); n <= uint32(releases); n++ {
		in := *p.in
		in.Release = n
		in.Classes = slices.DeleteFunc(slices.Clone(in.Classes), func(c render.Class) bool { return c.Born > n })
		if _, err := to.Publish(&in, &p.settings); err != nil {
			return to.Dir, err
		}
	}
	return to.Dir, nil
}

// TestHistoriesAreReadBack: over several parts, joined ones included, the files say the histories of each bucket, record by record, and
// how long they are; the manifest says what is promised and the largest share of people who have a value anywhere; and counts are those
// of the people.
func TestHistoriesAreReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, releases := range []int{1, 3, 12} {
		p := newHistoried(t, r, releases)
		dir, err := p.publish(t, releases)
		require.NoError(t, err)
		got, err := Open(dir)
		require.NoError(t, err)
		require.NoError(t, got.Load(nil))
		var want, have []string
		top := snapshot.Ratio("0/1")
		for _, people := range p.buckets {
			var texts []string
			ever := map[string]uint64{}
			for _, i := range people {
				texts = append(texts, strings.Join(p.histories[i], ">"))
				for _, v := range slices.Compact(slices.Sorted(slices.Values(p.histories[i]))) {
					ever[v]++
				}
			}
			for _, n := range ever {
				if share := snapshot.NewRatio(n, uint64(len(people))); top.Less(share) {
					top = share
				}
			}
			slices.Sort(texts)
			want = append(want, fmt.Sprint(texts))
		}
		for _, bag := range got.Bags() {
			var texts []string
			for _, c := range bag.Counts {
				texts = append(texts, slices.Repeat([]string{strings.Join(equivclass.Parts(got.Dicts[1].Text(c.Code)), ">")}, c.N)...)
			}
			slices.Sort(texts)
			have = append(have, fmt.Sprint(texts))
		}
		require.ElementsMatch(t, want, have)
		privacy := got.Manifest.Privacy
		require.Equal(t, []any{"person", "ever", 3}, []any{privacy.Unit, privacy.Promise, privacy.MaxRecords})
		require.Equal(t, top, privacy.Attributes[0].TopShare)
		require.InDelta(t, top.Float(), privacy.MaxFrequency, 1e-9)
		p.ask(t, got)
	}
}

// ask holds counts against those of the people.
func (p *historied) ask(t *testing.T, r *Release) {
	t.Helper()
	has := func(history []string, values ...string) bool {
		for i := range len(history) - len(values) + 1 {
			if slices.Equal(history[i:i+len(values)], values) {
				return true
			}
		}
		return false
	}
	for text, holds := range map[string]func(h []string) bool{
		"illness ever = flu":                         func(h []string) bool { return has(h, "flu") },
		"illness ever != flu":                        func(h []string) bool { return !has(h, "flu") },
		"illness ever in {flu, gout}":                func(h []string) bool { return has(h, "flu") || has(h, "gout") },
		"illness ever = flu and illness ever = cold": func(h []string) bool { return has(h, "flu") && has(h, "cold") },
		"illness first = flu":                        func(h []string) bool { return h[0] == "flu" },
		"illness first = flu then cold":              func(h []string) bool { return len(h) > 1 && has(h[:2], "flu", "cold") },
		"illness whole = flu":                        func(h []string) bool { return slices.Equal(h, []string{"flu"}) },
		"illness whole in {flu then cold, gout}": func(h []string) bool {
			return len(h) == 2 && has(h, "flu", "cold") || slices.Equal(h, []string{"gout"})
		},
		"illness ever = flu then cold":                 func(h []string) bool { return has(h, "flu", "cold") },
		`illness ever = "a, \"b\""`:                    func(h []string) bool { return has(h, `a, "b"`) },
		"illness ever = nothing":                       func([]string) bool { return false },
		"illness ever = flu then flu then flu":         func(h []string) bool { return has(h, "flu", "flu", "flu") },
		"illness first = flu and illness ever != cold": func(h []string) bool { return h[0] == "flu" && !has(h, "cold") },
	} {
		truth, young := 0., 0.
		for i, h := range p.histories {
			if holds(h) {
				if truth++; p.age[i] < 30 {
					young++
				}
			}
		}
		a, absent, err := r.Ask("count where " + text)
		require.NoError(t, err, text)
		assert.InDelta(t, truth, a.Estimate, 1e-9, text)
		assert.InDelta(t, truth, a.Lower, 1e-9, text)
		assert.Equal(t, strings.Contains(text, "nothing"), len(absent) == 1 && absent[0].Value == 1, text)
		joint, ok := r.Joint()
		require.True(t, ok)
		bound, err := r.Bind("count where age < 30 and " + text)
		require.NoError(t, err, text)
		whole := joint.Estimate(bound)
		assert.LessOrEqual(t, whole.Lower, young, text)
		assert.GreaterOrEqual(t, whole.Upper, young, text)
		less, lessBound := joint.Seen(bound)
		assert.InDeltaSlice(t, []float64{whole.Estimate, whole.Lower, whole.Upper}, func() []float64 {
			a := less.Estimate(lessBound)
			return []float64{a.Estimate, a.Lower, a.Upper}
		}(), 1e-9, text)
		assert.LessOrEqual(t, less.Dicts[1].Len(), 4, "values and not histories: %s", text)
	}
	for text, says := range map[string]string{"illness = flu": "has histories", "age ever = 3": "no history", "sum(illness)": "summed"} {
		text, sum := "count where "+text, text
		if strings.HasPrefix(sum, "sum") {
			text = sum
		}
		_, _, err := r.Ask(text)
		assert.ErrorContains(t, err, says)
	}
}

// TestFilesOfHistories: each record has a column, an empty one behind the last, and rows are in the order of records.
func TestFilesOfHistories(t *testing.T) {
	p := newHistoried(t, rand.New(rand.NewPCG(5, 5)), 4)
	dir, err := p.publish(t, 4)
	require.NoError(t, err)
	lengths := map[string]bool{}
	for n := 1; n <= 4; n++ {
		read := func(name string) []string {
			data, err := os.ReadFile(filepath.Join(dir, "000004", fmt.Sprintf("part-%06d", n), name))
			require.NoError(t, err)
			return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
		values, pools, buckets := read("values.csv"), read("pools.csv"), read("buckets.csv")
		require.Equal(t, "bucket,attribute,value,value_2,value_3,count", values[0])
		require.Equal(t, "pool,attribute,value,value_2,value_3,count", pools[0])
		require.Equal(t, "bucket,pool,people,stratum,records", buckets[0])
		length := len(p.histories[12*(n-1)])
		for _, line := range buckets[1:] {
			require.True(t, strings.HasSuffix(line, fmt.Sprintf(",6,%d,%d", length, length)), line)
		}
		for _, line := range values[1:] {
			require.Equal(t, 3-length, strings.Count(strings.ReplaceAll(line, ",,,", ",,;,"), ",,"), line)
		}
		lengths[fmt.Sprint(length)] = true
	}
	require.Greater(t, len(lengths), 1, "the releases have one length: another seed")
}

// TestHistoriesThatAreNotWritten: buckets of two lengths, more people with a value anywhere than its cap allows, other lengths than the
// settings say, and people who do not settle.
func TestHistoriesThatAreNotWritten(t *testing.T) {
	for name, spoil := range map[string]func(p *historied, ill *equivclass.Dictionary){
		"lengths": func(p *historied, ill *equivclass.Dictionary) {
			p.set(ill, 0, slices.Repeat([]string{"flu"}, 1+len(p.histories[0])%3))
		},
		"ever": func(p *historied, ill *equivclass.Dictionary) { // each position keeps the cap, and the whole does not
			for i := range 6 {
				p.set(ill, i, []string{"x" + fmt.Sprint(i), "y" + fmt.Sprint(i)})
				if i < 4 {
					p.set(ill, i, [][]string{{"flu", "y" + fmt.Sprint(i)}, {"x" + fmt.Sprint(i), "flu"}}[i%2])
				}
			}
		},
		"max":    func(p *historied, _ *equivclass.Dictionary) { p.settings.MaxRecords = 2 },
		"settle": func(p *historied, _ *equivclass.Dictionary) { p.settings.Settle = "" },
		"recoding": func(p *historied, _ *equivclass.Dictionary) {
			p.settings.Recoding = render.BucketAnatomy()
		},
	} {
		p := newHistoried(t, rand.New(rand.NewPCG(6, 6)), 1)
		ill := equivclass.NewSequences(p.in.Schema.Attributes()[1], 3)
		spoil(p, ill)
		_, err := p.publish(t, 1)
		assert.ErrorIs(t, err, render.ErrView, name)
	}
}

// set gives a person another history. The dictionary takes those of all others first.
func (p *historied) set(ill *equivclass.Dictionary, person int, history []string) {
	p.histories[person] = history
	var column equivclass.Column
	for _, h := range p.histories {
		column.Append(ill.Sequence(equivclass.Joined(h)))
	}
	p.in.SA[0], p.in.Dictionaries[1] = column, ill.Frozen()
}

// TestDamagedHistories: a history with a gap, one of another length than its bucket, and a number of records that no bucket has are no
// histories.
func TestDamagedHistories(t *testing.T) {
	const rows, values, buckets = "age,sex,class,bucket\n3,F,1,1\n5,F,1,1\n", "bucket,attribute,value,value_2,count\n",
		"bucket,pool,people,stratum,records\n"
	for text, ok := range map[string]bool{
		values + "1,disease,flu,cold,1\n1,disease,gout,flu,1\n|1,1,2,2,2\n":  true,
		values + "1,disease,flu,cold,1\n1,disease,gout,,1\n|1,1,2,2,2\n":     false,
		values + "1,disease,,cold,1\n1,disease,gout,flu,1\n|1,1,2,2,2\n":     false,
		values + "1,disease,flu,cold,1\n1,disease,gout,flu,1\n|1,1,2,2,1\n":  false,
		values + "1,disease,flu,cold,1\n1,disease,gout,flu,1\n|1,1,2,2,3\n":  false,
		values + "1,disease,flu,,1\n1,disease,gout,,1\n|1,1,2,plain,1\n":     true,
		values + "1,disease,flu,{a,1\n1,disease,gout,flu,1\n|1,1,2,2,2\n":    false,
		values + "1,disease,flu,cold,1\n1,disease,gout,flu,1\n|1,1,2,2,-2\n": false,
	} {
		bags, people, _ := strings.Cut(text, "|")
		r := fuzzRelease(t, snapshot.NameBuckets, map[string][]byte{"data.csv": []byte(rows), "values.csv": []byte(bags),
			"buckets.csv": []byte(buckets + people)})
		r.Manifest.Policy.Level, r.Manifest.Classes, r.Manifest.Buckets = "L2", 1, 1
		r.Manifest.Privacy.Settle, r.Manifest.Privacy.MaxRecords = "90d", 2
		if err := r.Load(nil); ok {
			require.NoError(t, err, text)
		} else {
			require.ErrorIs(t, err, snapshot.ErrDamaged, text)
		}
	}
}
