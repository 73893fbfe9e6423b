package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
)

// WithHierarchies gives each categorical attribute a hierarchy, for the paper's
// data has one each that it does not print: the values in order (census codes are
// numbers, and near codes are alike), about the square root of their number under
// each inner node, and those under the root; fewer than four have the root alone.
func WithHierarchies(t *equivclass.Table) (*equivclass.Table, error) {
	out := &equivclass.Table{Codes: make([][]equivclass.Code, len(t.Codes))}
	for j, d := range t.Dicts {
		if d.Kind() != equivclass.Set {
			out.Dicts, out.Codes[j] = append(out.Dicts, d), t.Codes[j]
			continue
		}
		h, err := balanced(d)
		if err != nil {
			return nil, err
		}
		tree := equivclass.NewDictionary(equivclass.Attribute{Name: d.Attribute().Name, Type: equivclass.Categorical, Hierarchy: h})
		leaf := make([]equivclass.Code, d.Len())
		for c := range leaf {
			leaf[c], _ = h.Leaf([]byte(d.Text(equivclass.Code(c))))
		}
		for _, c := range t.Codes[j] {
			out.Codes[j] = append(out.Codes[j], leaf[c])
		}
		out.Dicts = append(out.Dicts, tree)
	}
	return out, nil
}

func balanced(d *equivclass.Dictionary) (*equivclass.Hierarchy, error) {
	n := d.Len()
	order := make([]equivclass.Code, n)
	for c := range order {
		order[c] = equivclass.Code(c)
	}
	slices.SortStableFunc(order, func(a, b equivclass.Code) int {
		x, _ := strconv.Atoi(d.Text(a))
		y, _ := strconv.Atoi(d.Text(b))
		return cmp.Compare(x, y)
	})
	width := int(math.Ceil(math.Sqrt(float64(n))))
	var lines strings.Builder
	for i, c := range order {
		text := d.Text(c)
		if n < 4 {
			fmt.Fprintf(&lines, "%s;*\n", text)
		} else {
			fmt.Fprintf(&lines, "%s;%s-group-%d;*\n", text, d.Attribute().Name, i/width)
		}
	}
	return equivclass.ParseHierarchy(d.Attribute().Name, strings.NewReader(lines.String()))
}
