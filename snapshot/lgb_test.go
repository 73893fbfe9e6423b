package snapshot_test

import (
	"encoding/csv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot"
)

// clinic has a semi-sensitive attribute of each kind between quasi-identifiers.
func clinic(t testing.TB) []equivclass.Attribute {
	return []equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ward", Role: equivclass.Semi, Type: equivclass.Categorical, Flag: "ward_private", Promise: &equivclass.SemiPromise{L: 2}},
		{Name: "weight", Role: equivclass.Semi, Type: equivclass.Decimal, Digits: 4, Promise: &equivclass.SemiPromise{L: 2}},
		{Name: "postcode", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: tree(t, postcodes)},
		{Name: "sex", Role: equivclass.Semi, Type: equivclass.Categorical, Flag: "sex_private", Promise: &equivclass.SemiPromise{T: 0.4,
			Distance: "equal"}},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "ward_private", Role: equivclass.Flag},
		{Name: "sex_private", Role: equivclass.Flag},
	}
}

// clinicContent is a release of LGB as indexes of persons: classes, and buckets
// by attribute (ward, weight, sex, diagnosis).
type clinicContent struct {
	persons []person
	classes []testClass
	local   [4][][]incremental.RecordID
}

func clinicView(t testing.TB, c *clinicContent) *incremental.View {
	t.Helper()
	attributes := clinic(t)
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	v := &incremental.View{Schema: schema, Intent: incremental.Intent{Release: 1, CreatedAt: 1_700_000_001,
		Cut: incremental.RecordID(len(c.persons)), Classes: len(c.classes)}}
	local := 0
	for i, a := range attributes {
		if a.Role == equivclass.Flag {
			v.Dictionaries = append(v.Dictionaries, nil)
			continue
		}
		d, codes := equivclass.NewDictionary(a), make([]equivclass.Code, len(c.persons))
		for r, p := range c.persons {
			code, why := d.Encode([]byte(p[i]))
			require.Equal(t, equivclass.Accepted, why)
			codes[r] = code
		}
		v.Dictionaries = append(v.Dictionaries, d.Frozen())
		switch a.Role {
		case equivclass.Quasi:
			v.QI = append(v.QI, equivclass.ColumnOf(codes))
			continue
		case equivclass.Sensitive:
			v.SA = equivclass.ColumnOf(codes)
		}
		l := incremental.LocalView{Attribute: i, Codes: equivclass.ColumnOf(codes), Buckets: c.local[local]}
		if a.Promise != nil && a.Promise.T > 0 {
			var bag equivclass.Bag
			for _, m := range slices.Concat(c.local[local]...) {
				bag.Add(codes[m], 1)
			}
			v.References = map[int]equivclass.Bag{i: bag}
		}
		v.Local = append(v.Local, l)
		local++
	}
	for _, x := range c.classes {
		v.Classes = append(v.Classes, incremental.ClassView{Regime: x.regime, Born: x.born, Members: x.members})
		v.Intent.Records += len(x.members)
	}
	v.Intent.Pending.Waiting = len(c.persons) - v.Intent.Records
	return v
}

// clinicOfTen has classes {0,1,2} (ward and weight bucketed), {3,4,5} (weight),
// {6,7,8} (all), and a person who waits. Buckets of the diagnosis cross classes.
func clinicOfTen() *clinicContent {
	ids := func(r ...incremental.RecordID) []incremental.RecordID { return r }
	return &clinicContent{
		persons: []person{
			{"34", "ward-e", "70.5", "1011", "F", "flu"}, {"39", "ward-w", "82", "1012", "F", `ulcer, "acute"`}, {"36", "ward-n", "61", "1011",
				"M", "cold"},
			{"52", "ward-e", "71", "2011", "M", "flu"}, {"50", "ward-e", "80", "2011", "M", "gout"}, {"50", "ward-n", "60", "2011", "F", "cold"},
			{"71", "ward-w", "90", "1021", "F", "gout"}, {"70", "ward-n", "70.5", "1021", "M", "flu"}, {"79", "ward-e", "66", "1011", "F", "cold"},
			{"20", "south, new", "99", "1011", "M", "asthma"},
		},
		classes: []testClass{{incremental.Frozen, 1, ids(0, 1, 2)}, {incremental.Frozen, 1, ids(3, 4, 5)}, {incremental.Frozen, 1, ids(6, 7, 8)}},
		local: [4][][]incremental.RecordID{
			{ids(0, 6), ids(2, 1), ids(7, 8)},
			{ids(0, 1, 3), ids(2, 4, 8), ids(5, 6, 7)},
			{ids(6, 7, 8)},
			{ids(0, 2, 4), ids(1, 3, 5), ids(6, 7, 8)},
		},
	}
}

func TestGoldenLGB(t *testing.T) {
	files, out := render(t, clinicView(t, clinicOfTen()), settings(snapshot.LGB(testSeed)), nil)
	require.Len(t, files, 3)
	for _, name := range []string{"part-000001/lgb.csv", "part-000001/buckets.csv", "manifest.json"} {
		golden(t, filepath.Join("golden", "lgb", name), files.text(name))
	}
	assert.InDelta(t, 1.0/3, out.Manifest.Privacy.MaxFrequency, 1e-9)
	assert.Equal(t, 3, out.Manifest.Privacy.KMin)
	alone, err := snapshot.NewMembership(snapshot.Of(clinicView(t, clinicOfTen())), settings(snapshot.LGB(testSeed))).Of(1)
	require.NoError(t, err)
	assert.Equal(t, members(out, 10), placed(10, alone))
}

// TestLGBFilesSayWhatTheViewSays reads both files back: each row of a class shows
// a record's buckets, each bucket its members' values, and cells are tight.
func TestLGBFilesSayWhatTheViewSays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 40 {
		c := randomClinic(r)
		files, out := render(t, clinicView(t, c), settings(snapshot.LGB(testSeed)), nil)
		buckets := map[string][]string{} // attribute and number: values
		for _, row := range parse(t, files.text("buckets.csv")) {
			n, err := strconv.Atoi(row[3])
			require.NoError(t, err)
			buckets[row[0]+"*"+row[1]] = append(buckets[row[0]+"*"+row[1]], slices.Repeat([]string{row[2]}, n)...)
		}
		// What each class shows, as multisets of rows with buckets spelled out.
		spelled := func(class string, row []string) string {
			out := []string{class}
			for j, name := range []string{"age", "ward", "weight", "postcode", "sex", "diagnosis"} {
				if n, ok := strings.CutPrefix(row[j], "*"); ok && n != "" {
					out = append(out, name+"="+strings.Join(buckets[name+"*"+n], "|"))
				} else if name != "age" && name != "postcode" {
					out = append(out, name)
				}
			}
			return strings.Join(out, " ")
		}
		got := map[string]int{}
		for _, row := range parse(t, files.text("lgb.csv")) {
			got[spelled(row[6], row)]++
		}
		for record, class := range members(out, len(c.persons)) {
			if class == 0 {
				continue
			}
			want := []string{strconv.Itoa(int(class))}
			for at, j := range []int{1, 2, 4, 5} {
				name := clinic(t)[j].Name
				i := slices.IndexFunc(c.local[at], func(b []incremental.RecordID) bool { return slices.Contains(b, incremental.RecordID(record)) })
				if i < 0 {
					want = append(want, name)
					continue
				}
				var values []string
				for _, m := range c.local[at][i] {
					values = append(values, c.persons[m][j])
				}
				slices.SortFunc(values, func(a, b string) int {
					if j == 2 {
						x, _ := strconv.ParseFloat(a, 64)
						y, _ := strconv.ParseFloat(b, 64)
						return int(100 * (x - y))
					}
					return strings.Compare(a, b)
				})
				want = append(want, name+"="+strings.Join(values, "|"))
			}
			got[strings.Join(want, " ")]--
		}
		for row, n := range got {
			require.Zero(t, n, row)
		}
	}
}

func parse(t *testing.T, text string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

// randomClinic draws persons of few different values, so that classes and buckets
// often tie, in classes of two or three; buckets cross classes at random.
func randomClinic(r *rand.Rand) *clinicContent {
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	c := &clinicContent{}
	var bucketed [4][]incremental.RecordID
	for range 2 + r.IntN(12) {
		x := testClass{born: 1}
		in := [4]bool{r.IntN(2) == 0, true, r.IntN(3) == 0, true}
		for range 2 + r.IntN(2) {
			m := incremental.RecordID(len(c.persons))
			x.members = append(x.members, m)
			c.persons = append(c.persons, person{pick("9", "10", "20"), pick("a", "b,", "c"), pick("1.5", "20"), pick("1011", "2011"), pick("F",
				"M"), pick("x", "y", "z")})
			for at := range in {
				if in[at] {
					bucketed[at] = append(bucketed[at], m)
				}
			}
		}
		c.classes = append(c.classes, x)
	}
	whole := r.IntN(2) == 0
	for at, rows := range bucketed {
		if at == 3 && whole {
			for _, x := range c.classes {
				c.local[at] = append(c.local[at], slices.Clone(x.members))
			}
			continue
		}
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for len(rows) > 0 {
			n := min(len(rows), 2+r.IntN(3))
			c.local[at] = append(c.local[at], rows[:n:n])
			rows = rows[n:]
		}
	}
	return c
}

// again numbers records, classes, buckets and members of a clinic otherwise.
func (c *clinicContent) again(r *rand.Rand) *clinicContent {
	to := r.Perm(len(c.persons))
	moved := func(ids []incremental.RecordID) []incremental.RecordID {
		out := make([]incremental.RecordID, len(ids))
		for i, at := range r.Perm(len(ids)) {
			out[at] = incremental.RecordID(to[ids[i]])
		}
		return out
	}
	out := &clinicContent{persons: make([]person, len(c.persons)), classes: make([]testClass, len(c.classes))}
	for i, p := range c.persons {
		out.persons[to[i]] = p
	}
	for i, at := range r.Perm(len(c.classes)) {
		out.classes[at] = testClass{c.classes[i].regime, c.classes[i].born, moved(c.classes[i].members)}
	}
	for j := range c.local {
		out.local[j] = make([][]incremental.RecordID, len(c.local[j]))
		for i, at := range r.Perm(len(c.local[j])) {
			out.local[j][at] = moved(c.local[j][i])
		}
	}
	return out
}

// TestRuleFNothingOfLGBDependsOnInsertionOrder: the bytes are the same whatever the
// numbers of records, classes, buckets and dictionary codes, and the workers.
func TestRuleFNothingOfLGBDependsOnInsertionOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for trial := range 120 {
		c := randomClinic(r)
		s := settings(snapshot.LGB(testSeed))
		want, _ := render(t, clinicView(t, c), s, nil)
		for range 4 {
			s.Workers = 1 + r.IntN(4)
			got, _ := render(t, clinicView(t, c.again(r)), s, nil)
			for name := range want {
				require.Equal(t, want.text(name), got.text(name), "trial %d %s", trial, name)
			}
		}
	}
}

// TestRuleFTwinsOfLGB: a content that is there many times over, as classes and
// buckets that know nothing of each other, is numbered alike copy by copy.
func TestRuleFTwinsOfLGB(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	one := clinicOfTen()
	many := &clinicContent{}
	for range 7 {
		shift := incremental.RecordID(len(many.persons))
		move := func(ids []incremental.RecordID) (out []incremental.RecordID) {
			for _, m := range ids {
				out = append(out, m+shift)
			}
			return out
		}
		many.persons = append(many.persons, one.persons...)
		for _, x := range one.classes {
			many.classes = append(many.classes, testClass{x.regime, x.born, move(x.members)})
		}
		for j := range one.local {
			for _, b := range one.local[j] {
				many.local[j] = append(many.local[j], move(b))
			}
		}
	}
	want, _ := render(t, clinicView(t, many), settings(snapshot.LGB(testSeed)), nil)
	for seed := range byte(5) {
		got, _ := render(t, clinicView(t, many.again(r)), settings(snapshot.LGB([32]byte{seed})), nil)
		for name := range want {
			require.Equal(t, want.text(name), got.text(name), "copies cannot be told apart, so neither ids nor draws show")
		}
	}
}

// TestLGBRetry: the same view gives the same bytes, ties included.
func TestLGBRetry(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	c := randomClinic(r)
	for range 3 {
		want, a := render(t, clinicView(t, c), settings(snapshot.LGB(testSeed)), nil)
		got, b := render(t, clinicView(t, c), settings(snapshot.LGB(testSeed)), nil)
		assert.Equal(t, want, got)
		assert.Equal(t, a.Placed, b.Placed)
	}
}

// TestLGBBadViews: what contradicts itself is not rendered, and said without a value.
func TestLGBBadViews(t *testing.T) {
	for name, spoil := range map[string]func(v *incremental.View){
		"no buckets":               func(v *incremental.View) { v.Local = nil },
		"an attribute too few":     func(v *incremental.View) { v.Local = v.Local[1:] },
		"out of order":             func(v *incremental.View) { v.Local[0], v.Local[1] = v.Local[1], v.Local[0] },
		"members differ":           func(v *incremental.View) { v.Local[0].Buckets = v.Local[0].Buckets[1:] },
		"not in the SA's":          func(v *incremental.View) { v.Local[3].Buckets = v.Local[3].Buckets[1:] },
		"an empty bucket":          func(v *incremental.View) { v.Local[1].Buckets[0] = nil },
		"twice":                    func(v *incremental.View) { v.Local[1].Buckets[0] = v.Local[1].Buckets[1] },
		"somebody not published":   func(v *incremental.View) { v.Local[2].Buckets[0] = append(slices.Clone(v.Local[2].Buckets[0]), 9) },
		"no reference of the t":    func(v *incremental.View) { v.References = nil },
		"a record that is not one": func(v *incremental.View) { v.Local[2].Buckets[0] = []incremental.RecordID{6, 7, 99} },
	} {
		t.Run(name, func(t *testing.T) {
			v := clinicView(t, clinicOfTen())
			spoil(v)
			_, err := snapshot.Render(snapshot.Of(v), settings(snapshot.LGB(testSeed)), nil, memory{})
			require.ErrorIs(t, err, snapshot.ErrView)
			noValues(t, err.Error())
		})
	}
	_, err := snapshot.Render(snapshot.Of(clinicView(t, clinicOfTen())), settings(snapshot.Generalization()), nil, memory{})
	require.ErrorIs(t, err, snapshot.ErrView, "nobody publishes a semi-sensitive value by leaving its attribute out of sight")
}

// rings6and3 has twelve classes that look alike, two records each, which the
// buckets of the ward join to a ring of six and two rings of three. No colour
// tells them apart: each class neighbours two of its kind.
func rings6and3() *clinicContent {
	c := &clinicContent{}
	for _, ring := range []int{6, 3, 3} {
		first := len(c.classes)
		for range ring {
			m := incremental.RecordID(len(c.persons))
			pair := []incremental.RecordID{m, m + 1}
			c.persons = append(c.persons, person{"9", "a", "1.5", "1011", "F", "x"}, person{"10", "b", "20", "1011", "M", "y"})
			c.classes = append(c.classes, testClass{incremental.Frozen, 1, pair})
			c.local[1], c.local[3] = append(c.local[1], pair), append(c.local[3], pair)
		}
		for i := range ring {
			from, to := c.classes[first+i].members, c.classes[first+(i+1)%ring].members
			c.local[0] = append(c.local[0], []incremental.RecordID{from[1], to[0]})
		}
	}
	return c
}

// TestRuleFTiesFallByDraws: what content cannot tell apart is put in order by
// draws: over seeds the ring of six comes first as often as it has classes, one
// half, though its records have the smallest ids; and a seed says it for good.
func TestRuleFTiesFallByDraws(t *testing.T) {
	v := clinicView(t, rings6and3())
	first := 0
	const seeds = 400
	for seed := range uint16(seeds) {
		s := settings(snapshot.LGB([32]byte{byte(seed), byte(seed >> 8), 1}))
		numbered, err := snapshot.NewMembership(snapshot.Of(v), s).Of(v.Intent.Release)
		require.NoError(t, err)
		again, err := snapshot.NewMembership(snapshot.Of(v), s).Of(v.Intent.Release)
		require.NoError(t, err)
		require.Equal(t, numbered, again)
		if slices.Contains(placed(v.SA.Len(), numbered)[:12], 1) {
			first++
		}
	}
	// Binomial with p = 1/2: 60 off the mean is six deviations.
	assert.InDelta(t, seeds/2, first, 60)
}
