package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden charts")

func charts() map[string]*Chart {
	lines := NewChart("Loss by time waited", Axis{Label: "batches"}, Axis{Label: "loss"})
	lines.Note = "k < l is refused & never drawn"
	lines.Add(Series{Name: "append", Points: []Point{{0, .17}, {1, .15}, {2, .136}}})
	lines.Add(Series{Name: "regroup", Dashed: true, Style: Line, Points: []Point{{0, .17}, {1, .148}, {2, .14}}})
	lines.Add(Series{Name: "one shot", Style: Level, Points: []Point{{Y: .117}}})
	log := NewChart("Time by size", Axis{Label: "records", Log: true}, Axis{Label: "ns a record", Log: true})
	log.Add(Series{Name: "extract", Style: Points, Points: []Point{{20, 650}, {1e3, 8000}, {1e6, 10300}, {0, 5}, {7, math.NaN()}}})
	return map[string]*Chart{"lines": lines, "log": log, "empty": NewChart("Nothing", Axis{}, Axis{})}
}

func TestGoldenCharts(t *testing.T) {
	for name, c := range charts() {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, c.WriteSVG(&got))
			requireXML(t, got.Bytes())
			path := filepath.Join("testdata", name+".svg")
			if *rewrite {
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String(), "look at the chart, then run with -rewrite")
		})
	}
}

// requireXML holds that a chart is well formed and takes nothing from elsewhere.
func requireXML(t *testing.T, doc []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			require.NotContains(t, []string{"script", "image", "use", "style", "a"}, e.Name.Local)
		}
	}
	require.NotContains(t, string(doc), "NaN")
	require.NotContains(t, string(doc), "Inf")
}

// TestInlineCharts: the same chart as an element of a page.
func TestInlineCharts(t *testing.T) {
	for name, c := range charts() {
		var got bytes.Buffer
		require.NoError(t, c.WriteInline(&got))
		requireXML(t, got.Bytes())
		for _, colour := range append(palette, "style=") { // the page has the colours
			require.NotContains(t, got.String(), colour)
		}
		path := filepath.Join("testdata", name+".inline.svg")
		if *rewrite {
			require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got.String(), "look at the chart, then run with -rewrite")
	}
}

func TestTicksAreRoundAndCoverTheData(t *testing.T) {
	for _, span := range [][2]float64{{0, 1}, {.117, .168}, {-3, 1e6}, {5, 5}, {1e-7, 2e-7}} {
		s := newScale(Axis{}, span[:], 0, 100)
		ticks := s.ticks()
		require.LessOrEqual(t, s.lo, span[0])
		require.GreaterOrEqual(t, s.hi, span[1])
		require.GreaterOrEqual(t, len(ticks), 2, span)
		require.LessOrEqual(t, len(ticks), 10, span)
		require.InDelta(t, 0, ticks[0].At, 1e-9)
		require.InDelta(t, 100, ticks[len(ticks)-1].At, 0.11)
	}
}

// TestTicksOfWholeNumbers: between two releases there is none.
func TestTicksOfWholeNumbers(t *testing.T) {
	for _, span := range [][2]float64{{0, 2}, {1, 3}, {1, 7}, {1, 400}} {
		s := newScale(Axis{Whole: true}, span[:], 0, 100)
		require.LessOrEqual(t, s.lo, span[0])
		require.GreaterOrEqual(t, s.hi, span[1])
		for _, tick := range s.ticks() {
			require.NotContains(t, tick.Label, ".", span)
		}
	}
}

func TestLongNamesTakeTwoLines(t *testing.T) {
	for name, want := range map[string][2]string{
		"extract":                             {"extract", ""},
		"groups of Anatomy(p,k), generalized": {"groups of Anatomy(p,k),", "generalized"},
		"äöü äöü äöü äöü äöü äöü äöü äöü":    {"äöü äöü äöü äöü äöü äöü", "äöü äöü"},
		"aNameWithoutAnySpaceThatIsVeryLong": {"aNameWithoutAnySpaceThatIsVeryLong", ""},
	} {
		first, second := wrap(name)
		require.Equal(t, want, [2]string{first, second})
	}
}

func TestLabels(t *testing.T) {
	require.Equal(t, "0.15", label(.15, .05, false))
	require.Equal(t, "0", label(0, .05, false))
	require.Equal(t, "20k", label(20000, 10000, false))
	require.Equal(t, "1.5M", label(1.5e6, 5e5, false))
	require.Equal(t, "1000", label(1000, 1, true))
	require.Equal(t, "0.01", label(.01, 1, true))
}
