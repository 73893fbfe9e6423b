package publish_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// -rewrite writes the golden files anew: commit the difference only if you can
// explain it, for it changes a public format.
var rewrite = flag.Bool("rewrite", false, "rewrite golden files")

func (m memory) Create(name string) (io.WriteCloser, error) {
	m[name] = &bytes.Buffer{}
	return closer{m[name]}, nil
}

// Keep notes what is taken over.
func (m memory) Keep(name string, _ snapshot.FileEntry) error {
	m[name] = bytes.NewBufferString("kept")
	return nil
}

func (m memory) Open(string) (io.ReadCloser, error) {
	return nil, errors.New("nothing is joined in memory")
}

// text is a file of the release, or of what it gave birth to.
func (m memory) text(name string) string {
	if b, ok := m[name]; ok {
		return b.String()
	}
	last := ""
	for path := range m {
		if filepath.Base(path) == name {
			last = max(last, path)
		}
	}
	return m[last].String()
}

// placed is the class of each record by its number, 0 for none.
func placed(records int, placements []render.Placement) []uint32 {
	out := make([]uint32, records)
	for _, p := range placements {
		for i, r := range p.Records {
			out[r] = p.Classes[i]
		}
	}
	return out
}

// members is who is in which class of what a release gave birth to.
func members(out *render.Rendered, records int) []uint32 {
	return placed(records, out.Placed[len(out.Placed)-1:])
}

func rendering(t testing.TB, v *incremental.View, s *render.Settings, prev *render.Rendered) (memory, *render.Rendered) {
	t.Helper()
	m := memory{}
	out, err := renderBehind(publish.Of(v), s, prev, m)
	require.NoError(t, err)
	return m, out
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	path = filepath.Join("testdata", path)
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, path)
}

func recodings() []render.Recoding {
	return []render.Recoding{render.Generalization(), render.Anatomy(), render.Permutation(testSeed)}
}

func TestGoldenFormats(t *testing.T) {
	for _, r := range recodings() {
		t.Run(r.Name(), func(t *testing.T) {
			files, _ := rendering(t, hospitalView(t), settings(r), nil)
			want := map[string][]string{"generalization": {"data.csv"}, "anatomy": {"qit.csv", "st.csv"},
				"permutation": {"pqt.csv", "pst.csv"}}[r.Name()]
			require.Len(t, files, len(want)+1+len(snapshot.Documents()))
			for _, name := range want {
				golden(t, filepath.Join("golden", r.Name(), "part-000001", name), files.text("part-000001/"+name))
			}
			golden(t, filepath.Join("golden", r.Name(), "manifest.json"), files.text("manifest.json"))
			for _, name := range snapshot.Documents() {
				golden(t, filepath.Join("golden", r.Name(), name), files.text(name))
			}
		})
	}
}

func TestMembersAreClassNumbers(t *testing.T) {
	want := []uint32{2, 2, 2, 2, 1, 1, 1, 0, 3, 3, 3}
	for _, r := range recodings() {
		_, out := rendering(t, hospitalView(t), settings(r), nil)
		assert.Equal(t, want, members(out, len(patients)))
		alone, err := render.NewMembership(publish.Of(hospitalView(t)), settings(r)).Of(1)
		require.NoError(t, err)
		assert.Equal(t, want, placed(len(patients), alone))
	}
}

// TestBoxesAreTight reads data.csv back and holds it against the view.
func TestBoxesAreTight(t *testing.T) {
	v := hospitalView(t)
	files, out := rendering(t, v, settings(render.Generalization()), nil)
	rows, err := csv.NewReader(strings.NewReader(files.text("data.csv"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"age", "weight", "born", "postcode", "ward", "income", "diagnosis", "class"}, rows[0])
	published := map[string][]string{}
	for _, row := range rows[1:] {
		published[row[7]] = append(published[row[7]], row[6])
	}
	bags := map[string][]string{}
	for r, class := range members(out, len(patients)) {
		if class != 0 {
			bags[strconv.Itoa(int(class))] = append(bags[strconv.Itoa(int(class))], patients[r][6])
		}
	}
	for class, bag := range bags {
		slices.Sort(bag)
		assert.Equal(t, bag, published[class], "class %s", class)
	}
	assert.Equal(t, []string{"[34,39]", "[64.25,81]", "[1985-12-01,1990-01-31]", "101*", "{ward-e|ward-n|ward-w}", "[1230,1239]"}, rows[4][:6])
	assert.Equal(t, []string{"[9,10]", "[30,30.5]", "[2014-06-01,2015-06-01]", "*", "ward-e", "[0,299]"}, rows[1][:6])
	assert.Equal(t, []string{"60", "90", "1960-01-01", "1021", "ward-e", "99"}, rows[8][:6])
}

// TestAnatomyKeepsRows reads qit.csv and st.csv back: each group has its members'
// exact values and their counts.
func TestAnatomyKeepsRows(t *testing.T) {
	files, out := rendering(t, hospitalView(t), settings(render.Anatomy()), nil)
	qit, err := csv.NewReader(strings.NewReader(files.text("qit.csv"))).ReadAll()
	require.NoError(t, err)
	want := map[string]int{}
	counts := map[string]int{}
	for r, class := range members(out, len(patients)) {
		if class != 0 {
			group := strconv.Itoa(int(class))
			want[strings.Join(append(slices.Clone(patients[r][:6]), group), "\x00")]++
			counts[group+"\x00"+patients[r][6]]++
		}
	}
	for _, row := range qit[1:] {
		want[strings.Join(row, "\x00")]--
	}
	for _, n := range want {
		assert.Zero(t, n)
	}
	st, err := csv.NewReader(strings.NewReader(files.text("st.csv"))).ReadAll()
	require.NoError(t, err)
	for _, row := range st[1:] {
		assert.Equal(t, strconv.Itoa(counts[row[0]+"\x00"+row[1]]), row[2])
	}
	assert.Len(t, st[1:], len(counts))
}

// TestPermutationKeepsColumnsOnly: a group's columns are its members' values;
// the rows are not (the joint is not published).
func TestPermutationKeepsColumnsOnly(t *testing.T) {
	persons, classes := spread(30)
	v := testView(t, 1, hospital(t), persons, classes)
	files, _ := rendering(t, v, settings(render.Permutation(testSeed)), nil)
	anatomy, _ := rendering(t, v, settings(render.Anatomy()), nil)
	pqt, err := csv.NewReader(strings.NewReader(files.text("pqt.csv"))).ReadAll()
	require.NoError(t, err)
	qit, err := csv.NewReader(strings.NewReader(anatomy.text("qit.csv"))).ReadAll()
	require.NoError(t, err)
	for j := range 6 {
		assert.ElementsMatch(t, column(pqt, j), column(qit, j))
	}
	assert.NotEqual(t, files.text("pqt.csv"), anatomy.text("qit.csv"))
}

func column(rows [][]string, j int) []string {
	var out []string
	for _, r := range rows[1:] {
		out = append(out, r[j]+"@"+r[6])
	}
	return out
}

// spread makes n persons with different values in one class.
func spread(n int) ([]person, []testClass) {
	var persons []person
	c := testClass{Born: 1}
	for i := range n {
		persons = append(persons, person{strconv.Itoa(20 + i), strconv.Itoa(60 + i*7%n), fmt.Sprintf("1990-01-%02d", 1+i%28),
			[]string{"1011", "1012", "1021", "2011"}[i%4], []string{"ward-e", "ward-w", "ward-n"}[i%3], strconv.Itoa(i * 11), []string{"flu",
				"cold", "gout"}[i%3]})
		c.Members = append(c.Members, state.RecordID(i))
	}
	return persons, []testClass{c}
}

// TestRuleAFrozenGroupIsNeverRenderedDifferently: a group that lives on is
// shuffled in the same way next to others, also when dictionaries have grown and its
// number has changed; another seed shuffles it otherwise.
func TestRuleAFrozenGroupIsNeverRenderedDifferently(t *testing.T) {
	persons, classes := spread(30)
	first, _ := rendering(t, testView(t, 1, hospital(t), persons, classes), settings(render.Permutation(testSeed)), nil)
	more, both := alongside(persons, classes)
	second, _ := rendering(t, testView(t, 1, hospital(t), more, both), settings(render.Permutation(testSeed)), nil)
	old := strings.Split(strings.TrimSpace(first.text("pqt.csv")), "\n")[1:]
	now := strings.Split(strings.TrimSpace(second.text("pqt.csv")), "\n")[4:]
	require.Len(t, now, len(old))
	for i := range old {
		assert.Equal(t, strings.TrimSuffix(old[i], ",1"), strings.TrimSuffix(now[i], ",2"))
	}
	other, _ := rendering(t, testView(t, 1, hospital(t), persons[:30], classes[:1]), settings(render.Permutation([32]byte{9})), nil)
	assert.NotEqual(t, first.text("pqt.csv"), other.text("pqt.csv"))
}

// alongside puts three other patients before the persons of a class, in a class of
// their own that comes first in canonical order.
func alongside(persons []person, classes []testClass) ([]person, []testClass) {
	both := []testClass{{Born: 1, Members: []state.RecordID{0, 1, 2}}, {Born: 1}}
	for _, m := range classes[0].Members {
		both[1].Members = append(both[1].Members, m+3)
	}
	return append(slices.Clone(patients[4:7]), persons...), both
}

// TestNothingDependsOnInsertionOrder renders the same content under random
// numberings of records, classes, members and dictionary codes, and with other
// numbers of workers. It includes classes that tie in box and bag.
func TestNothingDependsOnInsertionOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 30 {
		persons, classes := randomContent(r)
		for _, recoding := range recodings() {
			s := settings(recoding)
			want, _ := rendering(t, testView(t, 1, hospital(t), persons, classes), s, nil)
			for range 4 {
				p, c := renumber(r, persons, classes)
				s.Workers = 1 + r.IntN(5)
				got, _ := rendering(t, testView(t, 1, hospital(t), p, c), s, nil)
				for name := range want {
					require.Equal(t, want.text(name), got.text(name), "trial %d %s %s", trial, recoding.Name(), name)
				}
			}
		}
	}
}

// randomContent draws few different values, so that classes often tie.
func randomContent(r *rand.Rand) ([]person, []testClass) {
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	var persons []person
	var classes []testClass
	for range 2 + r.IntN(30) {
		c := testClass{Born: 1}
		for range 2 + r.IntN(3) {
			c.Members = append(c.Members, state.RecordID(len(persons)))
			persons = append(persons, person{pick("9", "10"), pick("1.5", "20"), pick("2001-01-01", "1969-12-31"), pick("1011", "2011"), pick("a",
				"b,"), pick("5", "12"), pick("x", "y", "z")})
		}
		classes = append(classes, c)
	}
	for range r.IntN(5) {
		persons = append(persons, patients[r.IntN(len(patients))])
	}
	return persons, classes
}

func renumber(r *rand.Rand, persons []person, classes []testClass) ([]person, []testClass) {
	to := r.Perm(len(persons))
	p := make([]person, len(persons))
	for i, x := range persons {
		p[to[i]] = x
	}
	c := make([]testClass, len(classes))
	for i, at := range r.Perm(len(classes)) {
		c[at] = testClass{Regime: classes[i].Regime, Born: classes[i].Born}
		for _, m := range classes[i].Members {
			c[at].Members = append(c[at].Members, state.RecordID(to[m]))
		}
		r.Shuffle(len(c[at].Members), func(x, y int) {
			c[at].Members[x], c[at].Members[y] = c[at].Members[y], c[at].Members[x]
		})
	}
	return p, c
}

// TestCertificateFollowsTheChain: frozen until a class dies, then pure if all
// classes are flat, else frozen+pure, for good.
func TestCertificateFollowsTheChain(t *testing.T) {
	flat := testClass{Regime: state.Pure, Born: 2, Members: []state.RecordID{4, 5, 6}}
	flatOld := testClass{Regime: state.Pure, Born: 1, Members: []state.RecordID{8, 9, 10}}
	mixed := testClass{Regime: state.Frozen, Born: 1, Members: []state.RecordID{0, 1, 2, 3}}
	dead := deadClass{Class: testClass{Regime: state.Pure, Born: 1, Members: []state.RecordID{6, 5, 4}}, Died: 2}
	for name, tc := range map[string]struct {
		classes []testClass
		dead    []deadClass
		before  string
		want    string
	}{
		"nothing died":     {[]testClass{flat, flatOld}, nil, "frozen", "frozen"},
		"a class died":     {[]testClass{flat, flatOld}, []deadClass{dead}, "frozen", "pure"},
		"died, one uneven": {[]testClass{flat, mixed}, []deadClass{dead}, "frozen", "frozen+pure"},
		"died earlier":     {[]testClass{flat, flatOld}, nil, "pure", "pure"},
		"earlier, uneven":  {[]testClass{flat, mixed}, nil, "pure", "frozen+pure"},
	} {
		t.Run(name, func(t *testing.T) {
			first := testView(t, 1, hospital(t), patients, tc.classes[1:])
			for _, c := range tc.dead {
				first.Classes = append(first.Classes, state.ClassView{Born: 1, Members: c.Members})
				first.Intent.Classes, first.Intent.Records = first.Intent.Classes+1, first.Intent.Records+len(c.Members)
			}
			_, out := rendering(t, first, settings(render.Generalization()), nil)
			out.Manifest.Privacy.Certificate = tc.before
			v := buried(testView(t, 2, hospital(t), patients, tc.classes), tc.dead...)
			_, out = rendering(t, v, settings(render.Generalization()), out)
			assert.Equal(t, tc.want, out.Manifest.Privacy.Certificate)
			assert.Equal(t, len(tc.dead), len(out.Manifest.Parts[0].Dead))
		})
	}
}

// TestRuleVQualityIsAFunctionOfTheFiles: a person who waits, however far out, and a
// value hidden inside a step change nothing.
func TestRuleVQualityIsAFunctionOfTheFiles(t *testing.T) {
	_, out := rendering(t, hospitalView(t), settings(render.Generalization()), nil)
	far := slices.Clone(patients)
	far[7] = person{"120", "900", "1890-01-01", "1021", "elsewhere", "99999999", "gout"}
	far[0] = person{"34", "70.5", "1990-01-31", "1011", "ward-e", "1238", "flu"}
	_, other := rendering(t, testView(t, 1, hospital(t), far, hospitalClasses()), settings(render.Generalization()), nil)
	assert.Equal(t, out.Manifest.Quality, other.Manifest.Quality)
	assert.Equal(t, out.SHA256, other.SHA256)
}

// TestQualityByHand works eq. 17 to 19 of Wang et al. and the NCP of the hospital.
func TestQualityByHand(t *testing.T) {
	_, out := rendering(t, hospitalView(t), settings(render.Generalization()), nil)
	q := out.Manifest.Quality
	assert.Equal(t, int64(16+9+9), q.CDM)
	assert.Equal(t, int64(1), q.CMDM)
	assert.InDelta(t, 10.0/3/3, q.CAvg, 1e-6)
	days := 20240.0 // of the scale, as 100 years and kilograms; a step of 299 is wider than all of it
	want := 4*(5.0/100+16.75/100+1522/days+1.0/3+1+9.0/100) + 3*(1.0/100+0.5/100+365/days+1+0+1)
	assert.InDelta(t, want/10/6, q.NCP, 1e-6)
}

// TestRuleVBadViewsAreToldWithoutValues: a view must agree with its intent; what
// is wrong with it is said without a value.
func TestRuleVBadViewsAreToldWithoutValues(t *testing.T) {
	for name, spoil := range map[string]func(v *incremental.View){
		"a record too many":  func(v *incremental.View) { v.Intent.Records-- },
		"a class too many":   func(v *incremental.View) { v.Intent.Classes-- },
		"twice":              func(v *incremental.View) { v.Classes[1].Members = v.Classes[0].Members },
		"behind the cut":     func(v *incremental.View) { v.Intent.Cut = 5 },
		"an empty class":     func(v *incremental.View) { v.Classes[0].Members = nil },
		"no previous":        func(v *incremental.View) { v.Intent.Release = 2 },
		"no number":          func(v *incremental.View) { v.Intent.Release = 0 },
		"no dictionary":      func(v *incremental.View) { v.Dictionaries[6] = nil },
		"a record not known": func(v *incremental.View) { v.Classes[0].Members = []state.RecordID{99}; v.Intent.Cut = 100 },
	} {
		t.Run(name, func(t *testing.T) {
			v := hospitalView(t)
			spoil(v)
			_, err := renderBehind(publish.Of(v), settings(render.Generalization()), nil, memory{})
			require.ErrorIs(t, err, render.ErrView)
			noValues(t, err.Error())
		})
	}
}

// noValues fails if a text holds a sensitive or categorical value (rule V, values).
func noValues(t *testing.T, text string) {
	t.Helper()
	assert.Empty(t, valuesIn(t, text), text)
}

// valuesIn lists the values of patients that a text holds. The names of directories
// of tests and hashes do not count: they have random digits, which may be those of a postcode.
func valuesIn(t *testing.T, text string) (values []string) {
	t.Helper()
	text = regexp.MustCompile(`\b[0-9a-f]{64}\b`).ReplaceAllString(text, "HASH")
	above := filepath.Dir(filepath.Dir(t.TempDir()))
	text = regexp.MustCompile(regexp.QuoteMeta(above)+`/[^/\s]+/\d{3}\b`).ReplaceAllString(text, "DIR")
	for _, p := range patients {
		for _, i := range []int{3, 4, 6} {
			if strings.Contains(text, p[i]) && !slices.Contains(values, p[i]) {
				values = append(values, p[i])
			}
		}
	}
	return values
}

// TestNoValuesSeesValues: in a path too, unless it is the name of the directory.
func TestNoValuesSeesValues(t *testing.T) {
	dir := filepath.Join(filepath.Dir(filepath.Dir(t.TempDir())), "TestX1021101110122011", "001")
	assert.Empty(t, valuesIn(t, dir+"/releases/000001: "+dir+": no"))
	assert.Equal(t, []string{"1021"}, valuesIn(t, dir+"/hierarchies/1021.csv"))
	assert.Equal(t, []string{"1011", "ward-e", "flu"}, valuesIn(t, `"1011" of ward-e, flu; 1011 in `+dir))
}

// TestRuleRSeedIsNotPrinted: neither by a recoding nor by settings, however they
// are formatted.
func TestRuleRSeedIsNotPrinted(t *testing.T) {
	s := settings(render.Permutation([32]byte{0xde, 0xad, 0xbe, 0xef}))
	for _, format := range []string{"%v", "%+v", "%#v"} {
		text := fmt.Sprintf(format, s.Recoding) + fmt.Sprintf(format, *s)
		showsNoSeed(t, text)
	}
}

// showsNoSeed looks for a seed that begins with 0xde, 0xad. One byte alone may stand
// in an address.
func showsNoSeed(t *testing.T, text string) {
	t.Helper()
	for _, seed := range []string{"222 173", "222, 173", "0xde, 0xad"} {
		assert.NotContains(t, text, seed, "rule R (randomness)")
	}
}

func TestDiversityOf(t *testing.T) {
	assert.Equal(t, []snapshot.Diversity{{Kind: "frequency", L: 2}, {Kind: "distinct", L: 3}, {Kind: "entropy", L: 2.5}, {Kind: "recursive",
		L: 3, C: 2}},
		render.DiversityOf([]equivclass.Principle{equivclass.FrequencyL{L: 2}, equivclass.DistinctL{L: 3}, equivclass.EntropyL{L: 2.5},
			equivclass.RecursiveL{C: 2, L: 3}}))
}

func TestParseRecoding(t *testing.T) {
	for _, name := range []string{"generalization", "anatomy", "permutation"} {
		r, err := render.ParseRecoding(name, render.RecodingOptions{Seed: testSeed})
		require.NoError(t, err)
		assert.Equal(t, name, r.Name())
	}
	_, err := render.ParseRecoding("slicing", render.RecodingOptions{})
	assert.ErrorContains(t, err, "is none of", "no chain of it")
	for _, format := range []string{"%v", "%+v", "%#v"} {
		for _, r := range []render.Recoding{render.Permutation([32]byte{0xde, 0xad}), render.DrawnValues([32]byte{0xde, 0xad})} {
			showsNoSeed(t, fmt.Sprintf(format, r))
		}
	}
}
