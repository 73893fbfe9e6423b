package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"anond/equivclass"
)

// table is a release in canonical form, before it is text.
type table struct {
	release  uint32
	cols     []column // quasi-identifiers (lgb: and semi-sensitive attributes), in schema order
	sa       column
	recoding Recoding
	records  int
	classes  []*class // in canonical order: class number = index + 1
	workers  int
	slices   [][]int      // slicing: columns by slice, len(cols) for the sensitive one
	local    []*bucketing // lgb: semi-sensitive attributes in schema order, then the sensitive one
	// wholeClasses: lgb, and each bucket of the sensitive attribute is a class.
	wholeClasses bool
}

// class is one class of the table.
type class struct {
	members []Record
	born    uint32
	cells   []cell   // by quasi-identifier
	bag     []uint32 // ranks of the sensitive values, ascending; lgb: if it is public
	rows    []uint32 // cache of recoding.rows, filled where a tie asks for it
	lines   []line   // rings: the rows, in order
}

// newTable checks the input, finds the cells and bags of its classes, and puts
// the classes in canonical order. Cost: n d + m log m for n records in m
// classes of d quasi-identifiers, spread over the workers.
func newTable(in *Input, r Recoding, workers int) (*table, error) {
	t := &table{release: in.Release, recoding: r, workers: workers, classes: make([]*class, len(in.Classes))}
	if err := t.columns(in); err != nil {
		return nil, err
	}
	if err := t.check(in); err != nil {
		return nil, err
	}
	if err := r.check(t, in); err != nil {
		return nil, err
	}
	t.fill(in)
	r.order(t)
	return t, nil
}

// columns binds the columns to the input's dictionaries and ranks their values
// where the recoding needs an order of single values.
func (t *table) columns(in *Input) error {
	attributes := in.Schema.Attributes()
	bind := func(i int, codes []equivclass.Code) (column, error) {
		if i >= len(in.Dictionaries) || in.Dictionaries[i] == nil || len(codes) < len(in.SA) {
			return column{}, fmt.Errorf("%w: attribute %q has no values", ErrView, attributes[i].Name)
		}
		return newColumn(attributes[i], in.Dictionaries[i], codes), nil
	}
	var err error
	if t.sa, err = bind(in.Schema.SensitiveIndex(), in.SA); err != nil {
		return err
	}
	if len(in.Schema.Semi()) > 0 && !t.recoding.semi() {
		return fmt.Errorf("%w: recoding %s has no place for a semi-sensitive attribute", ErrView, t.recoding.Name())
	}
	quasi := 0
	for i, a := range attributes {
		codes := []equivclass.Code(nil)
		switch a.Role {
		case equivclass.Quasi:
			codes = in.QI[quasi]
			quasi++
		case equivclass.Semi:
			codes = localCodes(in, i)
		default:
			continue
		}
		c, err := bind(i, codes)
		if err != nil {
			return err
		}
		t.cols = append(t.cols, c)
	}
	if err := t.recoding.bind(t, in); err != nil {
		return err
	}
	ranked := []*column{&t.sa}
	for j := range t.cols {
		if t.recoding.exact() || t.cols[j].kind == equivclass.Set || t.cols[j].local != nil {
			ranked = append(ranked, &t.cols[j])
		}
	}
	t.each(len(ranked), func(_, lo, hi int) {
		for _, c := range ranked[lo:hi] {
			c.rankCodes()
		}
	})
	return nil
}

// check demands each record at most once, in classes that are not empty, and, of
// a state, what its intent names: what is rendered is what was committed.
func (t *table) check(in *Input) error {
	seen := make([]bool, len(in.SA))
	for i := range in.Classes {
		members := in.Classes[i].Members
		if len(members) == 0 {
			return fmt.Errorf("%w: class %d of the view is empty", ErrView, i)
		}
		for _, m := range members {
			if int(m) >= len(seen) || in.intent != nil && m >= in.intent.Cut {
				return fmt.Errorf("%w: class %d of the view holds a record behind the cut", ErrView, i)
			}
			if seen[m] {
				return fmt.Errorf("%w: class %d of the view holds a record of another class", ErrView, i)
			}
			seen[m] = true
		}
		t.records += len(members)
	}
	if i := in.intent; i != nil && (t.records != i.Records || len(in.Classes) != i.Classes) {
		return fmt.Errorf("%w: it holds %d records in %d classes, its intent names %d in %d",
			ErrView, t.records, len(in.Classes), i.Records, i.Classes)
	}
	return nil
}

// fill computes cells and bags, class ranges in parallel.
func (t *table) fill(in *Input) {
	d := len(t.cols)
	cells := make([]cell, d*len(in.Classes))
	bags := make([]uint32, t.records)
	classes := make([]class, len(in.Classes))
	at := 0
	for i := range in.Classes {
		n := len(in.Classes[i].Members)
		classes[i] = class{members: in.Classes[i].Members, born: in.Classes[i].Born,
			cells: cells[i*d : (i+1)*d : (i+1)*d], bag: bags[at : at+n : at+n]}
		t.classes[i] = &classes[i]
		at += n
	}
	t.each(len(t.classes), func(_, lo, hi int) {
		b := boxer{stepped: !t.recoding.exact(), sets: map[string]string{}}
		for i := lo; i < hi; i++ {
			c := t.classes[i]
			for j := range t.cols {
				if l := t.cols[j].local; l != nil && l.of[c.members[0]] >= 0 {
					c.cells[j].bucketed = true
					continue
				}
				c.cells[j] = b.cell(&t.cols[j], c.members)
			}
			if t.local != nil && !t.wholeClasses {
				c.bag = nil
			}
			for k := range c.bag {
				c.bag[k] = t.sa.rank[t.sa.codes[c.members[k]]]
			}
			slices.Sort(c.bag)
			t.recoding.fill(t, &b, c)
		}
	})
}

// order sorts the classes canonically: box attribute by attribute, then the bag
// as a sorted list, then (exact recodings) the rows themselves. Classes equal in
// all of that render to equal lines but for their number, so their order cannot
// be seen in the files; the smallest record decides, for the private export of
// members alone.
func (t *table) order() {
	parts := make([][]*class, t.workers)
	t.each(len(t.classes), func(w, lo, hi int) {
		parts[w] = t.classes[lo:hi]
		slices.SortFunc(parts[w], t.compare)
	})
	for len(parts) > 1 {
		parts = append(parts[2:], t.merge(parts[0], parts[1]))
	}
	t.classes = parts[0]
}

func (t *table) merge(a, b []*class) []*class {
	out := make([]*class, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if t.compare(a[0], b[0]) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// compareContent compares what classes show: the box, then the bag.
func (t *table) compareContent(a, b *class) int {
	for j := range t.cols {
		if c := compareCells(t.cols[j].number(), &a.cells[j], &b.cells[j]); c != 0 {
			return c
		}
	}
	return slices.Compare(a.bag, b.bag)
}

func (t *table) compare(a, b *class) int {
	if c := t.compareContent(a, b); c != 0 {
		return c
	}
	if t.recoding.exact() {
		if c := slices.Compare(t.tieRows(a), t.tieRows(b)); c != 0 {
			return c
		}
	}
	if c := slices.CompareFunc(a.lines, b.lines, t.compareLines); c != 0 {
		return c
	}
	return cmp.Compare(slices.Min(a.members), slices.Min(b.members))
}

// members returns the class number of each record, 0 where it is not published.
func (t *table) members(records int) []uint32 {
	out := make([]uint32, records)
	for i := range t.classes {
		for _, m := range t.classes[i].members {
			out[m] = uint32(i + 1)
		}
	}
	return out
}

// each cuts 0..n into one range a worker and runs them side by side.
func (t *table) each(n int, work func(worker, lo, hi int)) {
	var wg sync.WaitGroup
	for w := range t.workers {
		wg.Go(func() { work(w, n*w/t.workers, n*(w+1)/t.workers) })
	}
	wg.Wait()
}
