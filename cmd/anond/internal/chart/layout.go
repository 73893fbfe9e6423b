package chart

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The sizes of a chart, in pixels.
const (
	width, height = 840, 480
	plotLeft      = 70
	plotTop       = 62
	plotRight     = 600 // the legend is to the right of it
	plotBottom    = height - 56
	legendLeft    = plotRight + 20
	legendLine    = 20
	legendMore    = 16 // further for a second line
	legendWidth   = 23 // characters of a line
)

// palette holds colours that people with any colour vision tell apart (Okabe
// and Ito), black last.
var palette = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#000000"}

// picture is the chart in pixels, as the template draws it.
type picture struct {
	Title, Note, XLabel, YLabel string
	Width, Height               int
	Left, Top, Right, Bottom    float64
	MiddleX, MiddleY            float64
	XTicks, YTicks              []tick
	Series                      []drawn
}

// drawn is one series in pixels.
type drawn struct {
	Name, More       string // the legend's text, and its second line if it is long
	Colour, Dash     string
	Path             string // of the line; empty: none
	Marks            []mark
	LegendX, LegendY float64
	LegendEnd        float64
	LegendText       float64
	LegendMark       *mark
	HasLine          bool
}

// mark is one symbol: a circle, square or triangle by the series' place.
type mark struct{ Shape string }

func (c *Chart) layout() picture {
	xs, ys := c.values()
	x := newScale(c.X, xs, plotLeft, plotRight)
	y := newScale(c.Y, ys, plotBottom, plotTop)
	p := picture{
		Title: escape(c.Title), Note: escape(c.Note), XLabel: escape(c.X.Label), YLabel: escape(c.Y.Label),
		Width: width, Height: height, Left: plotLeft, Top: plotTop, Right: plotRight, Bottom: plotBottom,
		MiddleX: (plotLeft + plotRight) / 2, MiddleY: (plotTop + plotBottom) / 2,
		XTicks: x.ticks(), YTicks: y.ticks(),
	}
	legend := float64(plotTop + 10)
	for i, s := range c.series {
		d := c.draw(i, s, x, y, legend)
		p.Series = append(p.Series, d)
		if legend += legendLine; d.More != "" {
			legend += legendMore
		}
	}
	return p
}

// values collects what the axes must span.
func (c *Chart) values() (xs, ys []float64) {
	for _, s := range c.series {
		for _, p := range s.Points {
			if !c.usable(p, s.Style == Level) {
				continue
			}
			ys = append(ys, p.Y)
			if s.Style != Level {
				xs = append(xs, p.X)
			}
		}
	}
	return xs, ys
}

func (c *Chart) draw(i int, s Series, x, y scale, legend float64) drawn {
	first, second := wrap(s.Name)
	d := drawn{Name: escape(first), More: escape(second), Colour: palette[i%len(palette)], LegendX: legendLeft, LegendY: legend,
		LegendEnd: legendLeft + 26, LegendText: legendLeft + 34, HasLine: s.Style != Points}
	if s.Dashed {
		d.Dash = "6 4"
	}
	var path strings.Builder
	for _, p := range s.Points {
		if !c.usable(p, s.Style == Level) {
			continue
		}
		if s.Style == Level {
			path.WriteString("M" + point(plotLeft, y.at(p.Y)) + "L" + point(plotRight, y.at(p.Y)))
			break
		}
		path.WriteString(map[bool]string{true: "M", false: "L"}[path.Len() == 0] + point(x.at(p.X), y.at(p.Y)))
		if s.Style != Line {
			d.Marks = append(d.Marks, symbol(i, x.at(p.X), y.at(p.Y)))
		}
	}
	if d.HasLine {
		d.Path = path.String()
	}
	if s.Style == Points || s.Style == LinePoints {
		m := symbol(i, legendLeft+13, legend)
		d.LegendMark = &m
	}
	return d
}

// wrap breaks a long name at a space, so that the legend has room for it.
func wrap(name string) (first, second string) {
	if utf8.RuneCountInString(name) <= legendWidth {
		return name, ""
	}
	at, width := -1, 0
	for i, r := range name {
		if width > legendWidth {
			break
		}
		if r == ' ' && width > legendWidth/3 {
			at = i
		}
		width++
	}
	if at < 0 {
		return name, ""
	}
	return name[:at], name[at+1:]
}

// symbol draws the mark of series i as a path.
func symbol(i int, x, y float64) mark {
	const r = 4
	switch i % 3 {
	case 1:
		return mark{"M" + point(x-r, y-r) + "H" + number(x+r) + "V" + number(y+r) + "H" + number(x-r) + "Z"}
	case 2:
		return mark{"M" + point(x, y-r-1) + "L" + point(x+r+1, y+r) + "H" + number(x-r-1) + "Z"}
	default:
		return mark{"M" + point(x-r, y) + "a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"}
	}
}

func point(x, y float64) string { return number(x) + " " + number(y) }

func number(v float64) string { return strconv.FormatFloat(pixel(v), 'f', -1, 64) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escaper.Replace(s) }
