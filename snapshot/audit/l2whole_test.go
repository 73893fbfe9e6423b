package audit

import (
	"cmp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// wholeL2 joins the tables of all parts to one: classes and buckets in canonical order
// and renumbered, everything else as the parts show it. regroup may move classes.
func (p *l2Plan) wholeL2(parts []*testPart, regroup func(classes []*l2Class)) map[string][][]string {
	var classes []*l2Class
	var buckets []*l2Bucket
	for _, x := range parts {
		c, b := p.unrender(x)
		classes, buckets = append(classes, c...), append(buckets, b...)
	}
	if regroup != nil {
		regroup(classes)
	}
	slices.SortStableFunc(classes, compareL2Classes)
	for _, b := range buckets {
		b.classes = nil
	}
	for _, c := range classes {
		c.bucket.classes = append(c.bucket.classes, c)
	}
	slices.SortStableFunc(buckets, func(x, y *l2Bucket) int {
		return cmp.Or(slices.CompareFunc(x.classes, y.classes, compareL2Classes), slices.Compare(x.bag, y.bag))
	})
	for i, b := range buckets {
		b.number = i + 1
	}
	slices.SortStableFunc(classes, func(x, y *l2Class) int {
		return cmp.Or(compareL2Classes(x, y), cmp.Compare(x.bucket.number, y.bucket.number))
	})
	out := &testPart{tables: map[string][][]string{}}
	if p.recoding != "permutation" {
		p.tables(out, classes, buckets)
		return out.tables
	}
	table := [][]string{{"age", "city", "job", "illness", "bucket"}}
	for _, c := range classes {
		for i, row := range c.rows {
			table = append(table, slices.Concat(row, []string{c.values[i], strconv.Itoa(c.bucket.number)}))
		}
	}
	sortDrawn(table[1:])
	return map[string][][]string{"data.csv": table}
}

// unrender reads a part back.
func (p *l2Plan) unrender(x *testPart) (classes []*l2Class, buckets []*l2Bucket) {
	for range bucketsOf(x) {
		buckets = append(buckets, &l2Bucket{})
	}
	at := func(text string) *l2Bucket {
		n, _ := strconv.Atoi(text)
		return buckets[n-1]
	}
	for i, row := range x.tables["data.csv"][1:] {
		if i%p.k == 0 {
			classes = append(classes, &l2Class{bucket: at(row[4])})
		}
		c := classes[len(classes)-1]
		c.rows = append(c.rows, row[:3])
		if p.recoding == "permutation" {
			c.values = append(c.values, row[3])
			at(row[4]).bag = append(at(row[4]).bag, row[3])
		}
	}
	for _, row := range x.tables["buckets.csv"][min(1, len(x.tables["buckets.csv"])):] {
		n, _ := strconv.Atoi(row[2])
		for range n {
			at(row[0]).bag = append(at(row[0]).bag, row[1])
		}
	}
	for _, b := range buckets {
		slices.Sort(b.bag)
	}
	return classes, buckets
}

// TestL2WholeTable: the table over all parts shows the classes and buckets of the
// parts. A table that puts classes in other buckets of the same bag is another
// rendering (rule F, forbidden).
func TestL2WholeTable(t *testing.T) {
	inL2(t, func(t *testing.T, recoding string) {
		for _, wrong := range []bool{false, true} {
			p := standardL2(recoding)
			p.compact = nil
			twins := [][]int{p.add(4, "a b a b"), p.add(4, "a b a b"), p.add(4, "a b a b"), p.add(4, "a b a b")}
			p.births[3] = [][][]int{{twins[0], twins[1]}, {twins[2], twins[3]}}
			p.edit = at(4, func(r *testParts) {
				r.whole = p.wholeL2(r.parts, func(classes []*l2Class) {
					if n := len(classes); wrong {
						x, y := classes[n-3], classes[n-2]
						if recoding == "permutation" {
							x, y = classes[n-4], classes[n-2]
						}
						x.bucket, y.bucket = y.bucket, x.bucket
					}
				})
			})
			r, refused := p.check(t, p.write(t))
			if !wrong {
				require.Empty(t, r.Violations)
				require.Empty(t, refused)
				require.Equal(t, VerdictCertified, r.Verdict)
				continue
			}
			require.Contains(t, kinds(r.Violations), kindWholeDiffers)
			require.Contains(t, kinds(refused), kindWholeDiffers)
		}
	})
}
