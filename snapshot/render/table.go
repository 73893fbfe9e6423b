package render

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"anond/equivclass"
	"anond/snapshot"
)

// table is classes of an input that are numbered together, in canonical form,
// before they are text: the births of a release, or all that a chain had before
// its first release in parts.
type table struct {
	*source
	records int
	classes []*class                    // in canonical order: class number = index + 1
	shared  []*sharedBucket             // level L2: in canonical order, bucket number = index + 1
	reach   []snapshot.AttributePrivacy // level L2: of the buckets
	keys    cellKeys                    // none before order
	held    []*class                    // as they lie in memory, once classes are in order
}

// class is one class of the table.
type class struct {
	members []equivclass.RecordID
	born    uint32
	died    uint32   // from this release on its records are in other classes; 0: it lives
	cells   []cell   // by quasi-identifier
	bag     []uint32 // ranks of the sensitive values, ascending; level L1, where one attribute is sensitive
	rows    []uint32 // cache of recoding.rows, filled where a tie asks for it
	drawn   uint64   // cache of table.draw
	at      uint32   // where its cells are among table.keys
	// Level L2, where bag is nil: no order and no number may depend on it.
	given   uint32 // the bucket, as the input numbers it
	bucket  *sharedBucket
	stratum string
	place   uint32   // in the order of what classes show, equal where that is
	values  []uint32 // permutation: of its rows, as drawn, one of each sensitive attribute a row
}

// table finds the cells and bags of classes and puts them in canonical order.
// Cost: n d + m log m for n records in m classes of d quasi-identifiers, spread
// over the workers. A record is in one table of a source at most.
func (s *source) table(classes []Class) (*table, error) {
	t, err := s.unordered(classes)
	if err != nil {
		return nil, err
	}
	s.recoding.order(t)
	return t, nil
}

// unordered is table without the order, for sums over the classes.
func (s *source) unordered(classes []Class) (*table, error) {
	t := &table{source: s, classes: make([]*class, len(classes))}
	t.hold(classes)
	if err := s.recoding.check(t); err != nil {
		return nil, err
	}
	t.fill()
	return t, nil
}

// left is a table of classes of level L2 whose buckets leave, for sums over them.
func (s *source) left(classes []Class) (*table, error) {
	t := &table{source: s, classes: make([]*class, len(classes))}
	t.hold(classes)
	if err := t.gatherBuckets(); err != nil {
		return nil, err
	}
	t.fill()
	return t, nil
}

// hold takes the classes in, with room for what fill finds.
func (t *table) hold(in []Class) {
	for i := range in {
		t.records += len(in[i].Members)
	}
	d := len(t.cols)
	cells := make([]cell, d*len(in))
	var bags []uint32
	if !t.recoding.Shared() { // there bags are of buckets
		bags = make([]uint32, t.records)
	}
	classes := make([]class, len(in))
	at := 0
	for i := range in {
		n := len(in[i].Members)
		classes[i] = class{members: in[i].Members, born: in[i].Born, died: in[i].Died,
			cells: cells[i*d : (i+1)*d : (i+1)*d], given: in[i].Bucket, stratum: in[i].Stratum}
		if t.classes[i] = &classes[i]; bags != nil {
			classes[i].bag = bags[at : at+n : at+n]
		}
		at += n
	}
}

// fill computes cells and bags, class ranges in parallel.
func (t *table) fill() {
	t.each(len(t.classes), func(_, lo, hi int) {
		b := boxer{stepped: !t.recoding.exact(), sets: map[string]string{}, few: map[fewValues]cell{}}
		for i := lo; i < hi; i++ {
			c := t.classes[i]
			for j := range t.cols {
				c.cells[j] = b.cell(&t.cols[j], c.members)
			}
			if t.shared != nil {
				c.bag = nil
			}
			for k := range c.bag {
				c.bag[k] = t.sa[0].rank[t.sa[0].codes.At(int(c.members[k]))]
			}
			slices.Sort(c.bag)
		}
	})
}

// order sorts the classes canonically: box attribute by attribute, then the bag
// as a sorted list, then (exact recodings) the rows themselves. Classes equal in
// all of that render to equal lines but for their number, so their order cannot
// be seen in the files of their birth. It shows once one of them is regrouped and
// listed as dead: so random draws decide, and no order of arrival is told (rule
// F, forbidden).
func (t *table) order() {
	if t.shared == nil || !t.recoding.exact() { // there rows are compared, not cells
		t.rankCells()
	}
	parts := make([][]keyed, t.workers)
	t.each(len(t.classes), func(w, lo, hi int) {
		parts[w] = make([]keyed, hi-lo)
		for i, c := range t.classes[lo:hi] {
			parts[w][i] = keyed{t.key(c), c}
		}
		slices.SortFunc(parts[w], t.compareKeyed)
	})
	for len(parts) > 1 {
		parts = append(parts[2:], t.merge(parts[0], parts[1]))
	}
	t.held, t.classes = t.classes, make([]*class, len(parts[0]))
	for i, k := range parts[0] {
		t.classes[i] = k.class
	}
}

// keyed is a class and the first word of its cells.
type keyed struct {
	key   uint64
	class *class
}

func (t *table) compareKeyed(a, b keyed) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return t.compare(a.class, b.class)
}

func (t *table) merge(a, b []keyed) []keyed {
	out := make([]keyed, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if t.compareKeyed(a[0], b[0]) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// inMemory are the classes as they lie in memory, for what asks each of them in any order.
func (t *table) inMemory() []*class {
	if t.held != nil {
		return t.held
	}
	return t.classes
}

// compareContent compares what classes show: the box, then the bag.
func (t *table) compareContent(a, b *class) int {
	if c := t.compareBoxes(a, b); c != 0 {
		return c
	}
	return slices.Compare(a.bag, b.bag)
}

func (t *table) compare(a, b *class) int {
	if t.shared != nil {
		if c := t.compareShared(a, b); c != 0 {
			return c
		}
		return t.compareDraws(a, b)
	}
	if c := t.compareContent(a, b); c != 0 {
		return c
	}
	if t.recoding.exact() {
		if c := slices.Compare(t.tieRows(a), t.tieRows(b)); c != 0 {
			return c
		}
	}
	return t.compareDraws(a, b)
}

// compareDraws is the order of classes that look alike.
func (t *table) compareDraws(a, b *class) int {
	return cmp.Or(cmp.Compare(t.draw(a), t.draw(b)), cmp.Compare(t.least(a.members), t.least(b.members)))
}

// draw is a random number of a class that looks like another. The key names the
// class by its smallest record, so that a retry and a restart draw the same; at level L2 by its bucket, as records
// have other numbers once people have left the state (erase.Removal), and buckets have not. Classes of one bucket that look alike keep
// the order of their records, which no file shows.
func (t *table) draw(c *class) uint64 {
	if c.drawn == 0 {
		mac := hmac.New(sha256.New, t.seed[:])
		name, number := "anond class 1\x00", uint32(t.least(c.members))
		if c.given != 0 {
			name, number = "anond bucket 1\x00", c.given
		}
		mac.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte(name), c.born), number))
		c.drawn = binary.BigEndian.Uint64(mac.Sum(nil)) | 1
	}
	return c.drawn
}

// placement is who is in which class, by record and number.
func (t *table) placement(part string) Placement {
	p := Placement{Part: part}
	p.add(t, 0, 0, all)
	return p
}

// each cuts 0..n into one range a worker and runs them side by side.
func (s *source) each(n int, work func(worker, lo, hi int)) { each(s.workers, n, work) }

func each(workers, n int, work func(worker, lo, hi int)) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(w, n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}
