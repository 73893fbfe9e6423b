// Package chart draws line and scatter charts as SVG.
//
// Guarantee: one self-contained file, without script, font or picture from
// elsewhere. The same data give the same bytes, so that a chart can be a golden
// file.
//
// Method: Chart has series of points and two axes; scales map data to pixels,
// rounded to a tenth; a template writes the file.
//
// Cost: linear in the points.
//
// Source: ours; the colours are those of Okabe and Ito, which people with any
// colour vision can tell apart.
package chart

import (
	_ "embed"
	"io"
	"math"
	"text/template"
)

// style says how a series is drawn.
type style int

// The styles.
const (
	linePoints style = iota // a line with a mark at each point
	Line                    // a line alone
	Points                  // marks alone
	Level                   // a horizontal line at the first point's Y, across the chart
)

// Point is one point of a series, in data units.
type Point struct{ X, Y float64 }

// Series is a named set of points.
type Series struct {
	Name   string
	Style  style
	Dashed bool
	Points []Point
}

// Axis describes one axis. Zero Min and Max: from the data.
type Axis struct {
	Label    string
	Log      bool // powers of ten; values must be positive
	Min, Max float64
	Whole    bool // the values are whole numbers, and so are the ticks
}

// Chart is a picture of series over two axes. Points that are no finite number,
// or not positive on a logarithmic axis, are left out.
type Chart struct {
	Title  string
	Note   string // one line below the title; may be empty
	X, Y   Axis
	series []Series
}

// NewChart returns a chart without series.
func NewChart(title string, x, y Axis) *Chart { return &Chart{Title: title, X: x, Y: y} }

// Add appends a series; colours and marks go by its place.
func (c *Chart) Add(s Series) { c.series = append(c.series, s) }

//go:embed chart.svg.tmpl
var source string

var svg = template.Must(template.New("chart").Parse(source))

// WriteSVG draws the chart.
func (c *Chart) WriteSVG(w io.Writer) error { return svg.Execute(w, c.layout(sheet)) }

//go:embed inline.svg.tmpl
var inlineSource string

var inlineSVG = template.Must(template.New("inline").Parse(inlineSource))

// WriteInline draws the chart as an element of a page: small, without its title and
// without colours of its own. The page's style sheet has those of the classes chart,
// grid, axis, words, and s0 to s7 for the series.
func (c *Chart) WriteInline(w io.Writer) error { return inlineSVG.Execute(w, c.layout(inline)) }

// usable reports whether a point can be drawn.
func (c *Chart) usable(p Point, level bool) bool {
	return c.Y.holds(p.Y) && (level || c.X.holds(p.X))
}

func (a Axis) holds(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}
