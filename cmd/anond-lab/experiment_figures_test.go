package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/ops/chart"
	"anond/lab/figures"
	"anond/lab/figures/all"
	"anond/lab/figures/frontier"
)

// fakeFigure is a figure whose one claim holds, or which fails.
func fakeFigure(id string, err error) figures.Figure {
	return figures.Figure{ID: id, Paper: "Somebody, 2001", Title: "Something of " + id, Data: "none",
		Run: func(_ context.Context, in figures.Input) (*figures.Result, error) {
			in.Step("drawing")
			return &figures.Result{
				Panels: []figures.Panel{{Name: "a", Chart: chart.NewChart("Chart", chart.Axis{}, chart.Axis{}), Header: []string{"seed"},
					Rows: [][]string{{fmt.Sprint(in.Seed)}}}},
				Claims: []figures.Claim{figures.NewClaim("It can be drawn.", "", figures.Found(figures.Holds, "1"))},
			}, err
		}}
}

// drawn runs figures into a fresh directory.
func drawn(t *testing.T, asJSON bool, list ...figures.Figure) (r result, dir string) {
	var out, err bytes.Buffer
	env := &environment{Env: cli.Env{Stdout: &out, Stderr: &err}}
	run := figureRun{env: env, figures: list, out: filepath.Join(t.TempDir(), "new", "figures"), seed: 5, scale: 1, asJSON: asJSON}
	code := env.Report(run.run(t.Context()))
	return result{code, out.String(), err.String()}, run.out
}

func TestFiguresAreWritten(t *testing.T) {
	r, dir := drawn(t, false, fakeFigure("one-1", nil), fakeFigure("one-2", nil))
	require.Equal(t, cli.OK, r.code, r.stderr)
	for _, name := range []string{"one-1-a.csv", "one-1-a.svg", "one-2-a.csv", "one-2-a.svg", figures.ReportFile, figures.ClaimsFile,
		figures.ListFile} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
	assert.Contains(t, r.stdout, "one-2       1         0        0            0")
	assert.Contains(t, r.stdout, filepath.Join(dir, "report.html"))
	assert.Contains(t, r.stderr, "[2/2] one-2")
	assert.NotContains(t, r.stderr, "\x1b", "no terminal, no control characters")
}

// A figure that fails, or whose data is absent, leaves the others be and the
// exit code 1.
func TestFiguresGoOnAfterAFailure(t *testing.T) {
	absent := &fs.PathError{Op: "open", Path: "adult.csv.gz", Err: fs.ErrNotExist}
	r, dir := drawn(t, false, fakeFigure("one-1", errors.New("nothing came out")), fakeFigure("one-2", absent), fakeFigure("one-3", nil))
	assert.Equal(t, cli.Failed, r.code)
	assert.Contains(t, r.stderr, "error: 2 of 3 figures not measured\nhint: remove --data")
	assert.FileExists(t, filepath.Join(dir, "one-3-a.csv"))
	report, err := os.ReadFile(filepath.Join(dir, figures.ReportFile))
	require.NoError(t, err)
	assert.Contains(t, string(report), "nothing came out")
	assert.Contains(t, string(report), "the data is not there")
}

func TestFiguresAsJSON(t *testing.T) {
	r, _ := drawn(t, true, fakeFigure("one-1", nil), fakeFigure("one-2", errors.New("nothing came out")))
	assert.Equal(t, cli.Failed, r.code)
	for _, want := range []string{`"id": "one-1"`, `"verdict": "holds"`, `"error": "nothing came out"`, `"rows": [`} {
		assert.Contains(t, r.stdout, want)
	}
}

// An interrupted run keeps the report of what it has measured.
func TestFiguresAreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stops := fakeFigure("one-2", nil)
	stops.Run = func(ctx context.Context, _ figures.Input) (*figures.Result, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var out, stderr bytes.Buffer
	env := &environment{Env: cli.Env{Stdout: &out, Stderr: &stderr}}
	run := figureRun{env: env, figures: []figures.Figure{fakeFigure("one-1", nil), stops, fakeFigure("one-3", nil)}, out: t.TempDir(),
		scale: 1}
	assert.Equal(t, cli.Failed, env.Report(run.run(ctx)))
	assert.Contains(t, stderr.String(), "error: interrupted")
	report, err := os.ReadFile(filepath.Join(run.out, figures.ReportFile))
	require.NoError(t, err)
	assert.Contains(t, string(report), "Something of one-1")
	assert.NotContains(t, string(report), "Something of one-3")
}

func TestFiguresAreSelectedByIDAndByPaper(t *testing.T) {
	all := []figures.Figure{fakeFigure("one-1", nil), fakeFigure("one-2", nil), fakeFigure("two-1", nil)}
	for asked, want := range map[string]string{"two-1 one-1": "two-1 one-1", "one": "one-1 one-2", "one-2 one": "one-2 one-1"} {
		list, err := selectFigures(all, strings.Fields(asked))
		require.NoError(t, err)
		var got []string
		for _, f := range list {
			got = append(got, f.ID)
		}
		assert.Equal(t, want, strings.Join(got, " "), asked)
	}
}

func TestFigureFaultsOfUsage(t *testing.T) {
	t.Setenv(frontier.Elsewhere, "")
	for args, want := range map[string]string{
		"experiment run":                       "error: run needs the ID of a figure\nhint: anond-lab experiment list shows them\n",
		"experiment run nobody-3":              "error: there is no figure \"nobody-3\"\nhint: anond-lab experiment list shows them\n",
		"experiment all --scale 0":             "error: scale 0 is not above 0 and at most 1\nhint: 1 stands for the papers' sizes\n",
		"experiment all --scale 1.5":           "error: scale 1.5 is not above 0 and at most 1\nhint: 1 stands for the papers' sizes\n",
		"experiment frontier --k 4 --l 5":      "error: k = 4 and l = 5 make no promise\nhint: l is at least 2, k at least l\n",
		"experiment frontier --seeds 0":        "error: --seeds 0\nhint: 1 is the least\n",
		"experiment frontier --dataset census": "error: there is no dataset \"census\"\nhint: the datasets are adult, acs, diabetes130\n",
		"experiment frontier --policy L2,L3": "error: there is no policy \"L3\"\nhint: the policies are L2, append, regroup x0, " +
			"regroup x1, regroup x2, regroup unlimited\n",
		"experiment frontier --dataset diabetes130": "error: the program does not contain diabetes130, and the environment variable " +
			"ANOND_DATA is not set\nhint: set ANOND_DATA to the directory of diabetes130.csv.gz, or name the file with --data\n",
		"experiment list something": "error: unknown command \"something\" for \"anond-lab experiment list\"\nhint: anond-lab experiment list " +
			"--help shows its arguments and flags\n",
		"experiment all --out x extras": "error: unknown command \"extras\" for \"anond-lab experiment all\"\nhint: " +
			"anond-lab experiment all --help " +
			"shows its arguments and flags\n",
	} {
		assert.Equal(t, result{cli.Misused, "", want}, lab(t, strings.Fields(args)...), args)
	}
}

func TestFigureListNamesEveryFigure(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(lab(t, "experiment", "list").stdout), "\n")
	require.Len(t, lines, 1+len(all.Papers()))
	for i, f := range all.Papers() {
		assert.True(t, strings.HasPrefix(lines[i+1], f.ID+" "), lines[i+1])
	}
	assert.Contains(t, lab(t, "experiment", "list", "--json").stdout, `"id": "pa-5"`)
}

// A claim that was judged under several readings prints each of them.
func TestReadingsAreJSON(t *testing.T) {
	two := fakeFigure("one-1", nil)
	run := two.Run
	two.Run = func(ctx context.Context, in figures.Input) (*figures.Result, error) {
		r, err := run(ctx, in)
		r.Claims = append(r.Claims, figures.ClaimUnder("It is below.", "",
			figures.Reading{Words: "an interval", Finding: figures.Found(figures.HoldsNot, "1.3")},
			figures.Reading{Words: "a value", Finding: figures.Found(figures.Holds, "0.9"), Against: "section 2"},
			figures.Reading{Words: "a set", Finding: figures.Found(figures.Holds, "0.8")}).NeedsToHold("More would do."))
		return r, err
	}
	r, _ := drawn(t, true, two)
	require.Equal(t, cli.OK, r.code, r.stderr)
	var out []figureResult
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &out))
	require.Len(t, out[0].Claims, 2)
	assert.Empty(t, out[0].Claims[0].Readings, "one reading is the claim itself")
	assert.Equal(t, figures.Depends, out[0].Claims[1].Verdict)
	want := []figureReading{{Words: "an interval", Verdict: figures.HoldsNot, Numbers: "1.3"},
		{Words: "a value", Verdict: figures.Holds, Numbers: "0.9", Against: "section 2"},
		{Words: "a set", Verdict: figures.Holds, Numbers: "0.8"}}
	assert.Equal(t, want, out[0].Claims[1].Readings)
	assert.Equal(t, "More would do.", out[0].Claims[1].ToHold)

	r, _ = drawn(t, false, two)
	assert.Contains(t, r.stdout, "id      holds  does not  depends  not decided  seconds  what is measured\n"+
		"one-1       1         0        1            0")
	assert.Contains(t, r.stderr, "1 hold, 0 do not, 1 depend on the reading, 0 not decided")
}

// The frontier is a figure as the papers' are, and read by its ID.
func TestFrontierIsDrawnAsAFigure(t *testing.T) {
	dir := t.TempDir()
	r := lab(t, "experiment", "run", "frontier", "--scale", frozenScale, "--out", dir)
	require.Equal(t, cli.OK, r.code, r.stderr)
	for _, name := range []string{"frontier.csv", "frontier.svg", figures.ReportFile} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
}

// TestFigureAtSmallScale: a figure of a paper through the command, at a fiftieth
// of the paper's sizes.
func TestFigureAtSmallScale(t *testing.T) {
	tier.NotShort(t, "it draws figures")
	t.Parallel()
	dir := t.TempDir()
	r := lab(t, "experiment", "run", "pa-4", "--scale", "0.02", "--out", dir)
	require.Equal(t, cli.OK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "measured at 0.02 of the papers' sizes")
	for _, name := range []string{"pa-4-a.csv", "pa-4-a.svg", "pa-4-b.csv", "pa-4-b.svg", figures.ReportFile, figures.ClaimsFile,
		figures.ListFile} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
	report, err := os.ReadFile(filepath.Join(dir, figures.ReportFile))
	require.NoError(t, err)
	assert.Contains(t, string(report), "verdicts count at scale 1 only")
}
