package snapshot_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
)

// hospitalSlices names the columns in an order of their own.
var hospitalSlices = [][]string{{"postcode", "ward"}, {"age", "born", "weight"}, {"income"}}

func TestGoldenSingleReleases(t *testing.T) {
	for name, r := range map[string]snapshot.Recoding{
		"mixed":         snapshot.Slicing(testSeed, [][]string{{"ward", "diagnosis"}, {"age", "weight"}, {"born"}, {"postcode"}, {"income"}}),
		"randomization": snapshot.Randomization(0.25, 3),
		"ng":            snapshot.Rings(hospitalCovers()),
	} {
		t.Run(name, func(t *testing.T) {
			files, _ := render(t, hospitalView(t), settings(r), nil)
			require.Len(t, files, 2)
			for file := range files {
				golden(t, filepath.Join("golden", name, file), files.text(file))
			}
		})
	}
}

// hospitalCovers covers two neighbours in the order of each class's members.
func hospitalCovers() [][]incremental.RecordID {
	covers := make([][]incremental.RecordID, len(patients))
	for _, c := range hospitalClasses() {
		for i, m := range c.members {
			covers[m] = []incremental.RecordID{m, c.members[(i+1)%len(c.members)]}
		}
	}
	return covers
}

// TestSlicingKeepsSlicesOnly: in each group, each slice has the tuples of the
// members, and what is not in one slice is joined anew.
func TestSlicingKeepsSlicesOnly(t *testing.T) {
	persons, classes := spread(30)
	v := testView(t, 1, hospital(t), persons, classes)
	files, out := render(t, v, settings(snapshot.Slicing(testSeed, hospitalSlices)), nil)
	rows := parse(t, files.text("sliced.csv"))
	joined := 0
	for _, slice := range [][]int{{3, 4}, {0, 2, 1}, {5}, {6}} {
		var want, got []string
		for r, p := range persons {
			want = append(want, tuple(p, slice)+"@"+strconv.Itoa(int(members(out, len(persons))[r])))
		}
		for _, row := range rows {
			got = append(got, tuple(row, slice)+"@"+row[7])
		}
		assert.ElementsMatch(t, want, got)
	}
	for _, row := range rows {
		if slices.ContainsFunc(persons, func(p person) bool { return tuple(p, []int{0, 5}) == tuple(row, []int{0, 5}) }) {
			joined++
		}
	}
	assert.Less(t, joined, 10, "age and income were torn apart")
	assert.Equal(t, [][]string{{"postcode", "ward"}, {"age", "born", "weight"}, {"income"}, {"diagnosis"}}, out.Manifest.Slices)
	assert.Empty(t, out.Manifest.AcrossReleases)
	assert.Equal(t, "frozen", out.Manifest.Privacy.Certificate)
}

func tuple(row []string, at []int) string {
	var out []string
	for _, j := range at {
		out = append(out, row[j])
	}
	return strings.Join(out, "|")
}

// TestRuleASlicedGroupIsNeverRenderedDifferently, as of a permuted one.
func TestRuleASlicedGroupIsNeverRenderedDifferently(t *testing.T) {
	recoding := snapshot.Slicing(testSeed, hospitalSlices)
	persons, classes := spread(30)
	first, _ := render(t, testView(t, 1, hospital(t), persons, classes), settings(recoding), nil)
	more, both := alongside(persons, classes)
	second, _ := render(t, testView(t, 1, hospital(t), more, both), settings(recoding), nil)
	old := strings.Split(strings.TrimSpace(first.text("sliced.csv")), "\n")[1:]
	now := strings.Split(strings.TrimSpace(second.text("sliced.csv")), "\n")[4:]
	require.Len(t, now, len(old))
	for i := range old {
		assert.Equal(t, strings.TrimSuffix(old[i], ",1"), strings.TrimSuffix(now[i], ",2"))
	}
	other, _ := render(t, testView(t, 1, hospital(t), persons[:30], classes[:1]), settings(snapshot.Slicing([32]byte{9}, hospitalSlices)), nil)
	assert.NotEqual(t, first.text("sliced.csv"), other.text("sliced.csv"))
}

// TestReleasesAlone: what promises nothing across releases says so, has no
// certificate, and there is no second release of it.
func TestReleasesAlone(t *testing.T) {
	for name, c := range map[string]struct {
		recoding snapshot.Recoding
		risk     float64
	}{
		"mixed":         {snapshot.Slicing(testSeed, [][]string{{"ward", "diagnosis"}, {"age", "weight", "born", "postcode", "income"}}), 1},
		"randomization": {snapshot.Randomization(0.25, 3), 0.25 + 0.75/3},
		"ng":            {snapshot.Rings(hospitalCovers()), 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			_, out := render(t, hospitalView(t), settings(c.recoding), nil)
			m := out.Manifest
			assert.Equal(t, []string{"none", "none", "none"}, []string{m.AcrossReleases, m.Privacy.Certificate, m.Privacy.Level})
			assert.InDelta(t, c.risk, m.Privacy.MaxFrequency, 1e-9)
			classes := hospitalClasses()
			classes[2].born = 2
			v := testView(t, 2, hospital(t), patients, classes)
			_, err := snapshot.Render(snapshot.Of(v), settings(c.recoding), out, memory{})
			require.ErrorIs(t, err, snapshot.ErrView)
		})
	}
}

// TestRingsCellsAreTheirRows: a row's cells cover exactly the records it names,
// and quality measures those cells.
func TestRingsCellsAreTheirRows(t *testing.T) {
	covers := hospitalCovers()
	files, out := render(t, hospitalView(t), settings(snapshot.Rings(covers)), nil)
	rows := parse(t, files.text("data.csv"))
	for r, class := range members(out, len(patients)) {
		if class == 0 {
			continue
		}
		a, b := covers[r][0], covers[r][1]
		lo, hi := patients[a][0], patients[b][0]
		if x, _ := strconv.Atoi(lo); func() bool { y, _ := strconv.Atoi(hi); return x > y }() {
			lo, hi = hi, lo
		}
		cell := "[" + lo + "," + hi + "]"
		if lo == hi {
			cell = lo
		}
		assert.True(t, slices.ContainsFunc(rows, func(row []string) bool {
			return row[0] == cell && row[6] == patients[r][6] && row[7] == strconv.Itoa(int(class))
		}), "record %d", r)
	}
	assert.Less(t, out.Manifest.Quality.NCP, out.Manifest.Quality.BoxNCP, "two rows span less than their ring")
}

// TestSlicingBadSlices: what does not fit is refused by name.
func TestSlicingBadSlices(t *testing.T) {
	for want, slices := range map[string][][]string{
		`no quasi-identifier is named "nose"`: {{"nose"}},
		`attribute "age" is in 2 slices`:      {{"age", "age"}},
		`attribute "weight" is in 0 slices`:   {{"age"}},
		"a slice is empty":                    {{}},
	} {
		_, err := snapshot.Render(snapshot.Of(hospitalView(t)), settings(snapshot.Slicing(testSeed, slices)), nil, memory{})
		require.ErrorIs(t, err, snapshot.ErrView)
		assert.ErrorContains(t, err, want)
	}
}

func TestParseRecoding(t *testing.T) {
	for _, name := range []string{"generalization", "anatomy", "permutation", "slicing", "lgb"} {
		r, err := snapshot.ParseRecoding(name, snapshot.RecodingOptions{Seed: testSeed, Slices: hospitalSlices})
		require.NoError(t, err)
		assert.Equal(t, name, r.Name())
	}
	_, err := snapshot.ParseRecoding("randomization", snapshot.RecodingOptions{})
	assert.ErrorContains(t, err, "is none of", "no chain of it")
	for _, format := range []string{"%v", "%+v", "%#v"} {
		for _, r := range []snapshot.Recoding{snapshot.LGB([32]byte{0xde, 0xad}), snapshot.Slicing([32]byte{0xde, 0xad}, nil)} {
			showsNoSeed(t, fmt.Sprintf(format, r))
		}
	}
}

// TestNothingFollowsAReleaseWithoutPromise: a directory that holds one is not
// continued, whatever the next recoding would be.
func TestNothingFollowsAReleaseWithoutPromise(t *testing.T) {
	root := t.TempDir()
	p := publisher(newRecorder(root), root)
	require.NoError(t, p.Open())
	_, err := p.Publish(snapshot.Of(hospitalView(t)), settings(snapshot.Randomization(0.25, 3)))
	require.NoError(t, err)
	_, err = p.Publish(snapshot.Of(testView(t, 2, hospital(t), patients, hospitalClasses())), settings(snapshot.Anatomy()))
	require.ErrorIs(t, err, snapshot.ErrView)
	assert.ErrorContains(t, err, "release 1 promises nothing across releases")
}
