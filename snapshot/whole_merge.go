package snapshot

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"strconv"
)

// merge writes the living classes of all runs in canonical order.
func (w *WholeTable) merge(outs []*wholeFile) (err error) {
	parts := make([]*wholePart, len(w.manifest.Parts))
	defer func() {
		for _, p := range parts {
			err = errors.Join(err, p.close())
		}
	}()
	runs := 0
	for i := range parts {
		if parts[i], err = w.part(i); err != nil {
			return err
		}
		if err = w.findRuns(parts[i]); err != nil {
			return err
		}
		runs += len(parts[i].runs)
	}
	for i, out := range outs {
		if err := out.put(parts[0].header[i]); err != nil {
			return err
		}
	}
	h := &runHeap{w: w, keyed: runs > 1}
	for _, p := range parts {
		for i := range p.runs {
			if err := h.start(p, p.runs[i], bufferOf(runs*len(outs))); err != nil {
				return err
			}
		}
	}
	heap.Init(h)
	return w.drain(h, outs)
}

// bufferOf is the buffer of each of so many readers: together they keep within
// memory that does not grow with the releases, down to a page each.
func bufferOf(readers int) int { return min(max((32<<20)/max(readers, 1), 4<<10), 256<<10) }

// drain writes the classes as the heap gives them.
func (w *WholeTable) drain(h *runHeap, outs []*wholeFile) error {
	var number []byte
	classes := 0
	for len(h.runs) > 0 {
		r := h.runs[0]
		if !r.dead() {
			classes++
			number = strconv.AppendInt(number[:0], int64(classes), 10)
			for i, out := range outs {
				if err := r.files[i].emit(out, number); err != nil {
					return err
				}
			}
		}
		more, err := h.advance(r)
		if err != nil {
			return err
		}
		if more {
			heap.Fix(h, 0)
		} else {
			heap.Pop(h)
		}
	}
	if classes != w.manifest.Classes {
		return fmt.Errorf("%w: the parts of release %d have %d living classes, its manifest says %d", ErrDamaged, w.manifest.Release,
			classes, w.manifest.Classes)
	}
	return nil
}

// emit writes the rows of the class at hand, under another number.
func (f *fileReader) emit(out *wholeFile, number []byte) error {
	from := 0
	for _, end := range f.ends {
		record := f.rows[from:end]
		lo, hi := f.numberAt(record)
		for _, text := range [][]byte{record[:lo], number, record[hi:]} {
			if err := out.put(text); err != nil {
				return err
			}
		}
		from = end
	}
	out.entry.Rows += len(f.ends)
	return nil
}

// runHeap has the runs that are not at their end, the one whose class is next on
// top.
type runHeap struct {
	w     *WholeTable
	runs  []*runReader
	keyed bool // several runs: the order of their classes is asked
}

// start adds a run, at its first class.
func (h *runHeap) start(p *wholePart, from runStart, buffer int) error {
	r := newRunReader(p, from, buffer)
	more, err := h.advance(r)
	if more {
		h.runs = append(h.runs, r)
	}
	return err
}

// advance puts a run at its next class.
func (h *runHeap) advance(r *runReader) (more bool, err error) {
	more, err = r.next()
	if err == nil && more && h.keyed {
		err = h.w.key(r)
	}
	return more, err
}

func (h *runHeap) Len() int      { return len(h.runs) }
func (h *runHeap) Swap(i, j int) { h.runs[i], h.runs[j] = h.runs[j], h.runs[i] }
func (h *runHeap) Push(x any)    { h.runs = append(h.runs, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := h.runs[len(h.runs)-1]
	h.runs = h.runs[:len(h.runs)-1]
	return last
}

// Less: classes that look alike come in order of birth, which their rows, equal
// but for the number, do not show.
func (h *runHeap) Less(i, j int) bool {
	a, b := h.runs[i], h.runs[j]
	return cmp.Or(h.w.compareKeys(&a.key, &b.key), cmp.Compare(a.part.at, b.part.at), cmp.Compare(a.number, b.number)) < 0
}
