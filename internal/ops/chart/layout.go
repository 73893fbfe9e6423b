package chart

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// frame has the sizes of a chart, in pixels.
type frame struct {
	width, height            int
	left, top, right, bottom int // of the plot
	legendLeft, legendTop    int
	beside                   bool // the legend is a column to the right of the plot, not a row above it
}

// sheet is the frame of a chart in a file, and inline that of one in a page, which has
// the title itself.
var (
	sheet  = frame{width: 840, height: 480, left: 70, top: 62, right: 600, bottom: 424, legendLeft: 620, legendTop: 72, beside: true}
	inline = frame{width: 420, height: 230, left: 54, top: 26, right: 402, bottom: 190, legendLeft: 54, legendTop: 12}
)

const (
	legendLine  = 20
	legendMore  = 16 // further for a second line
	legendWidth = 23 // characters of a line
	letter      = 7  // about the width of one, in a row
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
	Place            int    // in the palette
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

func (c *Chart) layout(f frame) picture {
	xs, ys := c.values()
	x := newScale(c.X, xs, float64(f.left), float64(f.right))
	y := newScale(c.Y, ys, float64(f.bottom), float64(f.top))
	p := picture{
		Title: escape(c.Title), Note: escape(c.Note), XLabel: escape(c.X.Label), YLabel: escape(c.Y.Label),
		Width: f.width, Height: f.height, Left: float64(f.left), Top: float64(f.top), Right: float64(f.right), Bottom: float64(f.bottom),
		MiddleX: float64(f.left+f.right) / 2, MiddleY: float64(f.top+f.bottom) / 2,
		XTicks: x.ticks(), YTicks: y.ticks(),
	}
	at := spot{float64(f.legendLeft), float64(f.legendTop)}
	for i, s := range c.series {
		d := c.draw(i, s, x, y)
		d.legend(i, s, at, f)
		p.Series = append(p.Series, d)
		at = at.next(d, f)
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

// spot is where the legend goes on.
type spot struct{ x, y float64 }

func (s spot) next(d drawn, f frame) spot {
	switch {
	case !f.beside:
		s.x = d.LegendText + letter*float64(utf8.RuneCountInString(d.Name)) + 12
	case d.More != "":
		s.y += legendLine + legendMore
	default:
		s.y += legendLine
	}
	return s
}

// legend puts the name of series i at a spot.
func (d *drawn) legend(i int, s Series, at spot, f frame) {
	first, second := s.Name, ""
	if f.beside {
		first, second = wrap(s.Name)
	}
	d.Name, d.More = escape(first), escape(second)
	d.LegendX, d.LegendY, d.LegendEnd, d.LegendText = at.x, at.y, at.x+26, at.x+34
	if !f.beside {
		d.LegendEnd, d.LegendText = at.x+18, at.x+24
	}
	if s.Style == Points || s.Style == linePoints {
		m := symbol(i, (at.x+d.LegendEnd)/2, at.y)
		d.LegendMark = &m
	}
}

func (c *Chart) draw(i int, s Series, x, y scale) drawn {
	d := drawn{Place: i % len(palette), Colour: palette[i%len(palette)], HasLine: s.Style != Points}
	if s.Dashed {
		d.Dash = "6 4"
	}
	var path strings.Builder
	for _, p := range s.Points {
		if !c.usable(p, s.Style == Level) {
			continue
		}
		if s.Style == Level {
			path.WriteString("M" + point(x.from, y.at(p.Y)) + "L" + point(x.to, y.at(p.Y)))
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
