package format

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// View is what the manifest of a view says of it: of which dataset it is, where its chain begins, and what is coarser than there.
type View struct {
	Name   string            `json:"name"`
	Of     string            `json:"of"`
	First  int               `json:"first"`
	Cells  map[string]string `json:"cells"`
	Values map[string]string `json:"values"`
}

// First is the number of the release with which the chain begins.
func (m *Manifest) First() int {
	if m.View == nil {
		return 1
	}
	return m.View.First
}

// sameView compares what two releases say of a view; nil: they are of none.
func sameView(a, b *View) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && a.Of == b.Of && a.First == b.First && maps.Equal(a.Cells, b.Cells) && maps.Equal(a.Values, b.Values)
}

// Coarser makes of each cell of a quasi-identifier what a view shows of it: of a number or date the aligned intervals of a width that hold
// the cell, of a label the one of a level. ok is false for what cannot be coarser so.
func (a *Attribute) Coarser(by string) (of func(text string) string, ok bool) {
	if by == "" {
		return func(text string) string { return text }, true
	}
	if a.Hier != nil {
		return a.Hier.Coarser(by)
	}
	f, err := strconv.ParseFloat(by, 64)
	width, ok := a.Units([]float64{f})
	if err != nil || !ok || width[0] < 1 || a.typ == TypeCategory {
		return nil, false
	}
	return func(text string) string { return a.widened(text, width[0]) }, true
}

// WidenedScale is the scale of a number whose cells are as wide as Coarser makes them: the next multiple of their width.
func (a *Attribute) WidenedScale(scale float64, by string) float64 {
	f, _ := strconv.ParseFloat(by, 64)
	units, ok := a.Units([]float64{scale, f})
	if !ok || units[0] == 0 || units[1] < 1 {
		return scale
	}
	return float64((units[0]+units[1]-1)/units[1]*units[1]) / math.Pow10(a.Digits)
}

// widened is the text of the aligned intervals that hold a cell. What is no cell stays, and is told by that.
func (a *Attribute) widened(text string, width int64) string {
	c, reason := a.parse(text)
	if reason != "" || text == missingValue {
		return text
	}
	lo := floorTo(c.lo, width)
	end := floorTo(c.hi, width) + width // the first number behind
	hi := end - 1
	if !a.Whole {
		if hi = end; c.hi > c.lo && c.hi%width == 0 {
			hi = c.hi
		}
	}
	least, most := int64(-mostUnits), int64(mostUnits)
	if a.typ == TypeDate {
		least, most = -719528, 2932896 // 0000-01-01, 9999-12-31
	}
	lo, hi = max(lo, least), min(hi, most)
	if c.lo == c.hi && width == 1 { // the interval is the number
		lo, hi = c.lo, c.lo
	}
	out := a.printScalar(lo)
	if lo < hi {
		out = fmt.Sprintf("[%s,%s]", out, a.printScalar(hi))
	}
	if c.lacks {
		out += "|" + missingValue
	}
	return out
}

// floorTo is the largest multiple of a width that is not above a number.
func floorTo(v, width int64) int64 {
	q := v / width
	if q*width > v {
		q--
	}
	return q * width
}

// Coarser makes of each label the one of a level above the leaves, which stays if it is of that level or above.
func (h *LabelTree) Coarser(by string) (of func(label string) string, ok bool) {
	level, err := strconv.Atoi(strings.TrimPrefix(by, "level "))
	if err != nil || fmt.Sprintf("level %d", level) != by || level < 1 || level >= len(h.Paths[0])-1 {
		return nil, false
	}
	to := map[string]string{}
	return func(label string) string {
		if out, known := to[label]; known {
			return out
		}
		out := label
		for _, path := range h.Paths {
			if !slices.Contains(path, label) {
				continue
			}
			if !slices.Contains(path[level:], label) {
				out = path[level]
			}
			break
		}
		to[label] = out
		return out
	}, true
}
