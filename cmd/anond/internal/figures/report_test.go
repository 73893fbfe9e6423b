package figures

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures/chart"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden report")

// fake is a report with everything in it: two papers, all verdicts, a timed
// panel, a failed figure, absent data, and texts that must be escaped.
func fake() *Report {
	c := chart.NewChart("Loss by k", chart.Axis{Label: "k"}, chart.Axis{Label: "loss"})
	c.Add(chart.Series{Name: "a < b", Points: []chart.Point{{X: 1, Y: 2}, {X: 2, Y: 3}}})
	panel := func(name string, timed bool) Panel {
		return Panel{Name: name, Chart: c, Header: []string{"k", "a < b"}, Rows: [][]string{{"1", "2"}, {"2", "3"}}, Timed: timed}
	}
	figure := func(id, paper string) Figure {
		return Figure{ID: id, Paper: paper, Title: "Loss of " + id + " & others", Data: "made up"}
	}
	return &Report{Seed: 7, Scale: .5, Version: "anond test", Machine: "2 processors", Outcomes: []Outcome{
		{Figure: figure("one-1", "First <paper>"), Took: 1500 * time.Millisecond, Result: &Result{
			Panels: []Panel{panel("a", false), panel("b", true)},
			Claims: []Claim{
				{Text: "Loss grows with k.", Verdict: Holds, Numbers: "2 at k=1, 3 at k=2"},
				{Text: "A is < B | always.", Verdict: HoldsNot, Numbers: "it is more", Why: "the data\nare made up"},
			},
			Notes: []string{"Nothing is as in the paper."},
		}},
		{Figure: figure("one-2", "First <paper>"), Took: 12 * time.Second, Result: &Result{
			Panels: []Panel{panel("", false)},
			Claims: []Claim{{Text: "It is quick.", Verdict: Undecidable, Numbers: "within the noise"}},
		}},
		{Figure: figure("two-1", "Second paper"), Err: errors.New("no partition: l = 9 is infeasible")},
		{Figure: figure("two-2", "Second paper"), Err: fmt.Errorf("open adult.csv.gz: %w", fs.ErrNotExist)},
	}}
}

func TestGoldenReport(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, fake().Write(dir))
	for _, name := range []string{ReportFile, ClaimsFile, ListFile} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		path := filepath.Join("testdata", name)
		if *rewrite {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(path, got, 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "look at it in a browser, then run with -rewrite")
	}
}

// The page takes nothing from elsewhere, and its tags are balanced.
func TestReportIsSelfContained(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, fake().WriteHTML(&b))
	page := b.String()
	for _, foreign := range []string{"<script", "<link", "<img", "@import", "url(", "src="} {
		assert.NotContains(t, page, foreign)
	}
	for _, href := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		assert.Regexp(t, `^(#[a-z]+-\d+|[a-z]+-\d+(-[a-z]+)?\.csv)$`, href[1])
	}
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!DOCTYPE html>")))
	for {
		if _, err := d.Token(); err != nil {
			require.EqualError(t, err, "EOF")
			break
		}
	}
}

func TestTallyCountsEveryVerdict(t *testing.T) {
	r := fake()
	assert.Equal(t, Tally{Holds: 1, HoldsNot: 1, Undecidable: 1, Figures: 4, Failed: 2}, r.Tally())
	assert.Equal(t, 3, r.Tally().Claims())
	assert.Equal(t, Tally{Figures: 2, Failed: 2}, r.Papers()[1].Tally())
	assert.True(t, r.Outcomes[3].Absent())
	assert.False(t, r.Outcomes[2].Absent())
}

func TestPanelsAreWrittenAsNumbersAndPicture(t *testing.T) {
	dir := t.TempDir()
	for _, o := range fake().Outcomes {
		require.NoError(t, o.WritePanels(dir))
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	assert.Equal(t, []string{"one-1-a.csv", "one-1-a.svg", "one-1-b.csv", "one-1-b.svg", "one-2.csv", "one-2.svg"}, names)
	numbers, err := os.ReadFile(filepath.Join(dir, "one-2.csv"))
	require.NoError(t, err)
	assert.Equal(t, "k,a < b\n1,2\n2,3\n", string(numbers))
}

func TestMeasureSurvivesAPanic(t *testing.T) {
	o := Measure(t.Context(), Figure{Run: func(context.Context, Input) (*Result, error) { panic("index out of range") }}, Input{})
	require.EqualError(t, o.Err, "panic: index out of range")
	require.Nil(t, o.Result)
}

// A figure that looks at no context does not hold an interrupted run up.
func TestMeasureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	o := Measure(ctx, Figure{Run: func(context.Context, Input) (*Result, error) {
		cancel()
		<-release
		return &Result{}, nil
	}}, Input{})
	require.ErrorIs(t, o.Err, context.Canceled)
}
