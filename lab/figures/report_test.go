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

	"anond/internal/ops/chart"
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
				NewClaim("Loss grows with k.", "", Found(Holds, "2 at k=1, 3 at k=2")),
				NewClaim("A is < B | always.", "the data\nare made up", Found(HoldsNot, "it is more")).
					NeedsToHold("B would have to be > A.", Found(Holds, "with B doubled, it is less")),
			},
			Notes: []string{"Nothing is as in the paper."},
		}},
		{Figure: figure("one-2", "First <paper>"), Took: 12 * time.Second, Result: &Result{
			Panels: []Panel{panel("", false)},
			Claims: []Claim{NewClaim("It is quick.", "", Found(Undecided, "within the noise"))},
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
	require.NoError(t, fake().writeHTML(&b))
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
	all := r.Tally()
	assert.Equal(t, []int{1, 1, 0, 1, 3}, []int{all.Of(Holds), all.Of(HoldsNot), all.Of(Depends), all.Of(Undecided), all.Claims()})
	assert.Equal(t, []int{4, 2}, []int{all.Figures, all.Failed})
	second := r.Papers()[1].Tally()
	assert.Equal(t, []int{0, 2, 2}, []int{second.Claims(), second.Figures, second.Failed})
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

// A claim that depends on the reading shows what was found under each reading.
func TestReportShowsEveryReading(t *testing.T) {
	r := fake()
	r.Outcomes = r.Outcomes[:1]
	r.Outcomes[0].Result.Claims = []Claim{ClaimUnder("Loss falls.", "one word",
		Reading{Words: "an interval", Finding: Found(HoldsNot, "1.3")}, Reading{Words: "a value", Finding: Found(Holds, "0.9")},
		Reading{Words: "a set", Finding: Found(Holds, "0.8"), Against: "section 2"})}
	var page, tables bytes.Buffer
	require.NoError(t, r.writeHTML(&page))
	for _, want := range []string{
		"<span>◐ depend on the reading</span>", `<th class="n">◐ depends</th>`, `<td class="n depends-on-the-reading">1</td>`,
		`<p class="verdict">◐ depends on the reading</p>`, "<b>✗ does not hold</b>, read as: an interval. 1.3",
		"<b>✓ holds</b>, read as: a value. 0.9", "<b>✓ holds</b>, variant against section 2, a set. 0.8",
	} {
		assert.Contains(t, page.String(), want)
	}
	require.NoError(t, r.writeMarkdown(&tables))
	assert.Contains(t, tables.String(), "0 of 1 claims hold, 0 do not, 1 depend on the reading.")
	assert.Contains(t, tables.String(), "| First <paper> | 1 | 0 | 0 | 1 | 0 |\n| all | 1 | 0 | 0 | 1 | 0 |\n")
	assert.Contains(t, tables.String(), "| **depends on the reading** | an interval: does not hold (1.3); a value: holds (0.9); variant "+
		"against section 2, a set: holds (0.8) |")
}

// A long reason is wrapped, and no line of it begins another item of the list.
func TestItemsAreWrapped(t *testing.T) {
	text := strings.Repeat("word ", 27) + "- 3. # " + strings.Repeat("word ", 40)
	lines := strings.Split(item(text), "\n")
	require.Greater(t, len(lines), 2)
	assert.Equal(t, strings.Fields(text), strings.Fields(strings.TrimPrefix(strings.Join(lines, " "), "- ")))
	for i, line := range lines {
		assert.LessOrEqual(t, len(line), lineWidth+len(" - 3. #"))
		assert.Regexp(t, []string{`^  w`, `^- w`}[max(0, 1-i)], line)
	}
}
