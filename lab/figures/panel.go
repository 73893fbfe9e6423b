package figures

import (
	"slices"
	"strconv"

	"anond/internal/ops/chart"
)

// Panel is one chart, with the numbers behind it.
type Panel struct {
	Name   string // a, b, …; empty if the figure is one chart
	Chart  *chart.Chart
	Header []string // of the CSV file
	Rows   [][]string
	Timed  bool // the numbers are times: the one thing that differs between runs of a seed
}

// Draw is a panel without its numbers.
func Draw(name, title string, x, y chart.Axis, series []*Series) Panel {
	p := Panel{Name: name, Chart: chart.NewChart(title, x, y)}
	for _, s := range series {
		line := chart.Series{Name: s.Name, Dashed: s.Dashed}
		for i, v := range s.Values() {
			line.Points = append(line.Points, chart.Point{X: s.X[i], Y: v})
		}
		p.Chart.Add(line)
		p.Timed = p.Timed || s.Timed
	}
	return p
}

// Panel draws the lines and lists them side by side, a row a point.
func (l *Lines) Panel(name, title string, x, y chart.Axis) Panel {
	p := Draw(name, title, x, y, l.series)
	p.Header = []string{x.Label}
	columns := make([][]float64, len(l.series))
	for j, s := range l.series {
		p.Header, columns[j] = append(p.Header, s.Name), s.Values()
	}
	for i, at := range l.X {
		row := []string{Number(at, 6)}
		for _, c := range columns {
			row = append(row, Number(c[i], 6))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// PanelOfRuns draws series and lists them one after the other, with the smallest
// and the largest run of each point.
func PanelOfRuns(name, title string, x, y chart.Axis, series []*Series) Panel {
	p := Draw(name, title, x, y, series)
	p.Header = []string{x.Label, "series", y.Label, "smallest run", "largest run", "runs"}
	for _, s := range series {
		for i, v := range s.Values() {
			runs := s.Runs[i]
			p.Rows = append(p.Rows, []string{Number(s.X[i], 4), s.Name, Number(v, 4),
				Number(slices.Min(runs), 4), Number(slices.Max(runs), 4), strconv.Itoa(len(runs))})
		}
	}
	return p
}
