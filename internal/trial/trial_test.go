package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/fault"
	_ "anond/internal/views"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden reports")

var longAgo = time.Unix(1e9, 0)

func nothing(string) (string, bool) { return "", false }

// tried makes a trial with draws that are always the same, in a directory for temporary files that must be empty afterwards.
func tried(t *testing.T, o Options) (*Report, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o.Lookup, o.seed = nothing, &[32]byte{1}
	if len(o.Settings) == 0 {
		o.Settings = []Setting{{}}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	r, err := Run(t.Context(), o)
	left, wrong := os.ReadDir(os.TempDir())
	require.NoError(t, wrong)
	require.Empty(t, left, "something was left behind")
	return r, err
}

func clinic(settings ...Setting) Options {
	return Options{Config: "testdata/anond.yaml", Data: "testdata/people.csv", Settings: settings, PerDay: 50}
}

// TestGoldenReport: what three settings come to on a small table, as text and as JSON. Blocks that a trial does not use need not be
// usable here.
func TestGoldenReport(t *testing.T) {
	r, err := tried(t, clinic(Setting{}, Setting{K: 10}, Setting{L: 5, Promise: `smoker: {gain: 3}`}))
	require.NoError(t, err)
	var text, doc bytes.Buffer
	require.NoError(t, r.Text(&text))
	e := json.NewEncoder(&doc)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(r))
	for name, got := range map[string]string{"report.txt": text.String(), "report.json": doc.String()} {
		path := filepath.Join("testdata", name)
		if *rewrite {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "look at it, then run with -rewrite")
	}
}

// TestFiguresAreThoseOfTheRelease: people add up, and the losses by attribute have the mean that the manifest names.
func TestFiguresAreThoseOfTheRelease(t *testing.T) {
	r, err := tried(t, clinic(Setting{}, Setting{K: 20}))
	require.NoError(t, err)
	assert.Equal(t, 405, r.Records)
	assert.Equal(t, 400, r.Accepted)
	assert.Equal(t, 1, r.Repeats)
	for _, o := range r.Outcomes {
		require.NotNil(t, o.Classes)
		assert.Equal(t, o.Read, o.Published+o.Waiting+o.Refused+o.Beyond)
		assert.Equal(t, 4, o.Refused)
		assert.Equal(t, o.K, o.Classes.Min, "at level L2 classes have exactly k people")
		assert.Equal(t, o.Published, o.K*o.Classes.Count)
		sum := 0.
		for _, l := range o.Losses {
			sum += l.Loss
		}
		assert.InDelta(t, o.Loss, sum/float64(len(o.Losses)), 1e-4)
		for _, s := range o.Sensitive {
			assert.LessOrEqual(t, s.TopShare, s.Allowed, s.Name)
			assert.Positive(t, s.Error.Asked)
		}
	}
	assert.Less(t, r.Outcomes[0].Loss, r.Outcomes[1].Loss, "larger classes lose more")
	lines := map[string]int{}
	for _, x := range r.Refused {
		lines[string(x.Reason)+" "+x.Attribute] = x.Lines
		assert.NotEmpty(t, x.Do, "%s: what to do", x.Reason)
	}
	assert.Equal(t, map[string]int{"value_not_in_hierarchy place": 2, "implausible age": 1, "missing_value age": 1}, lines)
}

// TestStrongRelations: what goes together in the records is shown, with what the release tells of it, which is weaker. Shares of a
// row add up to one, and no two unrelated attributes are shown.
func TestStrongRelations(t *testing.T) {
	r, err := tried(t, clinic())
	require.NoError(t, err)
	require.NotEmpty(t, r.Relations)
	shown := map[string]bool{}
	for _, x := range r.Relations {
		shown[x.Attribute+" "+x.With] = true
		require.Len(t, x.Releases, 1)
		assert.GreaterOrEqual(t, x.Strength, strong)
		assert.Positive(t, x.Releases[0].Strength)
		for _, table := range [][][]float64{x.Shares, x.Releases[0].Shares} {
			require.Len(t, table, len(x.Rows))
			for _, row := range table {
				sum := 0.
				for _, v := range row {
					sum += v
				}
				assert.InDelta(t, 1, sum, .005)
			}
		}
	}
	assert.True(t, shown["age diagnosis"], shown)
	assert.True(t, shown["diagnosis smoker"], shown)
	assert.False(t, shown["place diagnosis"], shown)
}

// TestRowsOfACrosstabHaveEnoughPeople: no range of ages is shown that fewer people have than a class.
func TestRowsOfACrosstabHaveEnoughPeople(t *testing.T) {
	people, err := os.ReadFile("testdata/people.csv")
	require.NoError(t, err)
	lines := strings.SplitAfter(string(people), "\n")[:160]
	o := clinic(Setting{K: 33, L: 2})
	o.Data, o.Stdin = "-", strings.NewReader(strings.Join(lines, ""))
	r, err := tried(t, o)
	require.NoError(t, err)
	rows := 0
	for _, x := range r.Relations {
		for _, row := range x.Rows {
			from, below, held := 0, 1000, map[string]bool{}
			if _, err := fmt.Sscanf(row, "from %d, below %d", &from, &below); from == 0 && err != nil {
				_, _ = fmt.Sscanf(row, "below %d", &below)
			}
			if x.Attribute != "age" || row == rest {
				continue
			}
			for _, line := range lines {
				fields := strings.Split(line, ",")
				if age, err := strconv.Atoi(fields[1]); err == nil && from <= age && age < below {
					held[fields[0]] = true
				}
			}
			assert.GreaterOrEqual(t, len(held), 33, row)
			rows++
		}
	}
	assert.Positive(t, rows)
}

// TestCramer: no relation, and one attribute that tells the other.
func TestCramer(t *testing.T) {
	assert.InDelta(t, 0, cramer([][]float64{{10, 20}, {20, 40}}), 1e-12)
	assert.InDelta(t, 1, cramer([][]float64{{10, 0, 0}, {0, 7, 3}}), 1e-12)
	assert.Zero(t, cramer([][]float64{{10, 0}}))
}

// TestNothingPublished: a table that cannot be published says why, and which key; the other settings are tried all the same.
func TestNothingPublished(t *testing.T) {
	r, err := tried(t, clinic(Setting{L: 5}, Setting{L: 2}, Setting{Promise: "smoker: {l: 2}"}))
	require.NoError(t, err)
	for i, key := range map[int]string{0: "diagnosis", 2: "smoker"} {
		o := r.Outcomes[i]
		assert.Nil(t, o.Classes)
		assert.Contains(t, o.Why+o.Hint, key)
		assert.Zero(t, o.Published)
	}
	assert.NotNil(t, r.Outcomes[1].Classes)
	assert.Empty(t, r.Outcomes[1].Why)
	few := clinic()
	few.Data, few.Stdin = "-", strings.NewReader("patient,age,sex,place,diagnosis,smoker\np1,30,f,north-1,flu,no\n")
	r, err = tried(t, few)
	require.NoError(t, err)
	assert.Equal(t, "1 people are there, and initial.min_pool asks for 100", r.Outcomes[0].Why)
	assert.Nil(t, r.Released())
	bad := clinic()
	bad.Data, bad.Stdin = "-", strings.NewReader("patient,age,sex,place,diagnosis,smoker\n"+strings.Repeat("p,30,f,nowhere,flu,no\n", 200))
	r, err = tried(t, bad)
	require.NoError(t, err, "a run would stop where so many are refused")
	assert.Equal(t, 200, r.Outcomes[0].Refused)
	assert.Equal(t, 200, r.Refused[0].Lines)
	require.NoError(t, r.Text(io.Discard))
}

// TestFaultsLeaveNothing: neither does a fault of configuration or data.
func TestFaultsLeaveNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		kind   fault.Kind
	}{
		"no configuration": {func(o *Options) { o.Config = "testdata/none.yaml" }, fault.Config},
		"no data":          {func(o *Options) { o.Data = "testdata/none.csv" }, fault.Failed},
		"k of one":         {func(o *Options) { o.Settings = []Setting{{K: 1}} }, fault.Config},
		"no promise":       {func(o *Options) { o.Settings = []Setting{{Promise: "gain"}} }, fault.Usage},
		"no attribute":     {func(o *Options) { o.Settings = []Setting{{Promise: "job: {l: 2}"}} }, fault.Config},
	} {
		t.Run(name, func(t *testing.T) {
			o := clinic()
			c.change(&o)
			_, err := tried(t, o)
			kind, _ := fault.Of(err)
			assert.Equal(t, c.kind, kind, "%v", err)
		})
	}
}

// TestSampleIsBounded: of an endless input the first bytes are tried, and the report says so.
func TestSampleIsBounded(t *testing.T) {
	rng, lines := rand.New(rand.NewPCG(1, 1)), 0
	read, write := io.Pipe()
	go func() {
		for _, err := fmt.Fprintln(write, "patient,age,sex,place,diagnosis,smoker"); err == nil; lines++ {
			smokes := []string{"no", "no", "no", "yes"}[rng.IntN(4)]
			_, err = fmt.Fprintf(write, "q%d,%d,f,south-1,d%d,%s\n", lines, 18+rng.IntN(60), rng.IntN(8), smokes)
		}
	}()
	o := clinic()
	o.Data, o.Stdin, o.most = "-", read, 20_000
	r, err := tried(t, o)
	require.NoError(t, errors.Join(err, read.Close()))
	assert.False(t, r.Whole)
	assert.Less(t, r.Records, 1000)
	assert.Greater(t, r.Records, 500)
	assert.Contains(t, r.Looked(), "only the first")
	assert.Empty(t, r.Refused, "the record that the bound cuts is no record")
}

// TestKilledTrial: what is done before a second signal ends the process removes the directory, at whatever moment.
func TestKilledTrial(t *testing.T) {
	for moment := range 3 {
		o, kill, seen := clinic(), func() {}, 0
		o.AtKill = func(do func()) { kill = do }
		o.Progress = func(string) {
			if seen == moment {
				kill()
				left, err := os.ReadDir(os.TempDir())
				require.NoError(t, err)
				require.Empty(t, left)
			}
			seen++
		}
		_, err := tried(t, o)
		require.Greater(t, seen, moment)
		if moment < 2 {
			require.Error(t, err, "its directory is gone")
		}
		require.Nil(t, kill, "nothing is left to do")
	}
}

// TestDirectoriesOfKilledTrialsGo: the next trial removes what one left that could not, and no directory of one that is at work.
func TestDirectoriesOfKilledTrialsGo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	at, remove, err := place()
	require.NoError(t, err)
	killed := filepath.Join(os.TempDir(), prefix+"1")
	for _, dir := range []string{at, killed} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sample"), []byte("x"), 0o600))
		require.NoError(t, os.Chtimes(dir, longAgo, longAgo))
	}
	_, again, err := place()
	require.NoError(t, err)
	assert.NoDirExists(t, killed)
	assert.DirExists(t, at)
	require.NoError(t, remove())
	require.NoError(t, again())
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestNoRoomForATrial: a full disk is that of temporary files, and not one that has a decision about a release.
func TestNoRoomForATrial(t *testing.T) {
	parked := fault.With(0, "run it again", fmt.Errorf("write part: %w", syscall.ENOSPC))
	assert.Contains(t, fault.Hint(noRoom(parked)), "set TMPDIR")
	other := errors.New("else")
	assert.Equal(t, other, noRoom(other))
}

// TestTrialShowsWhatViewsLose: over their own columns, and with the largest share of a label. Nothing is written where the configuration
// has views, whose directories are those of real releases.
func TestTrialShowsWhatViewsLose(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/anond.yaml")
	require.NoError(t, err)
	with := strings.Replace(string(text), "release: {", "release: {views: [{name: few, columns: [age, smoker], cells: {age: 20}, "+
		"dir: "+filepath.Join(dir, "real")+", ledger: "+filepath.Join(dir, "real-ledger")+", since: 2031-01}], ", 1)
	require.NotEqual(t, string(text), with)
	o := clinic(Setting{}, Setting{K: 10})
	o.Config = filepath.Join(dir, "anond.yaml")
	require.NoError(t, os.WriteFile(o.Config, []byte(with), 0o600))
	place, err := os.ReadFile("testdata/place.csv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "place.csv"), place, 0o600))
	r, err := tried(t, o)
	require.NoError(t, err)
	for _, out := range r.Outcomes {
		require.Len(t, out.Views, 1)
		v := out.Views[0]
		require.Equal(t, "few", v.Name)
		require.Len(t, v.Losses, 1)
		require.InDelta(t, v.Loss, v.Losses[0].Loss, 1e-4)
		require.Greater(t, v.Loss, out.Losses[0].Loss, "a cell of the view contains the cell of the release")
		require.Positive(t, v.Shares[0].TopShare)
	}
	var shown bytes.Buffer
	require.NoError(t, r.Text(&shown))
	require.Contains(t, shown.String(), "view few: loss")
	require.NoDirExists(t, filepath.Join(dir, "real"))
	require.NoFileExists(t, filepath.Join(dir, "real-ledger"))
}
