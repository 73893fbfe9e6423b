package readback

import (
	"fmt"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/snapshot"
)

// loadCells reads data.csv.
func (r *Release) loadCells() error {
	names, d := r.names(), len(r.Dicts)-1
	s, err := r.sheet("data.csv", append(names, "class"), d+1)
	if err != nil {
		return err
	}
	readers := make([]cellReader, d+1)
	for j := range readers {
		readers[j] = newCellReader(r.Dicts[j])
	}
	r.Start = []int32{0}
	last := 0
	for {
		fields, err := s.next()
		if err != nil || fields == nil {
			return err
		}
		class := s.class
		if class > last {
			cells := make([]query.Cell, d+1)
			for j := range d {
				var ok bool
				if cells[j], ok = readers[j].cell(fields[j]); !ok {
					return s.damaged(fmt.Sprintf("has no cell of attribute %q", names[j]))
				}
			}
			r.Cells = append(r.Cells, cells)
		}
		if class > last {
			r.Start, last = append(r.Start, r.Start[last]), class
		}
		code, ok := readers[d].value(fields[d])
		if !ok {
			return s.damaged(fmt.Sprintf("has no value of attribute %q", names[d]))
		}
		r.SA = append(r.SA, code)
		r.Start[last]++
	}
}

// cellReader reads one column.
type cellReader struct {
	dict  *equivclass.Dictionary
	cells *query.CellReader
	twice map[string]bool            // labels that several nodes of the hierarchy have
	fixed map[string]equivclass.Code // buckets by their text
	part  *cellReader                // of a value of a sequence; nil: codes are single values
}

func newCellReader(d *equivclass.Dictionary) cellReader {
	c := cellReader{dict: d, cells: query.NewCellReader(d), twice: map[string]bool{}}
	if h := d.Attribute().Hierarchy; h != nil {
		seen := map[string]bool{}
		for node := range h.Nodes() {
			c.twice[h.Label(node)] = seen[h.Label(node)]
			seen[h.Label(node)] = true
		}
	}
	if d.Records() > 0 {
		part := newCellReader(equivclass.NewDictionary(d.Attribute()))
		c.part = &part
	}
	if d.Bucketed() {
		c.fixed = map[string]equivclass.Code{}
		for code := range equivclass.Code(d.Len()) {
			c.fixed[d.Text(code)] = code
		}
	}
	return c
}

// sequence reads the columns of values of a row, of which so many have a value.
func (c *cellReader) sequence(fields []string, records int) (equivclass.Code, bool) {
	text, ok := snapshot.Sequence(fields)
	if c.part == nil || !ok {
		return c.value(text)
	}
	parts := equivclass.Parts(text)
	for i := range parts {
		code, known := c.part.value(parts[i])
		if !known {
			return 0, false
		}
		parts[i] = c.part.dict.Text(code)
	}
	return c.dict.Sequence(equivclass.Joined(parts)), len(parts) == records
}

// value reads an exact value.
func (c *cellReader) value(text string) (equivclass.Code, bool) {
	if c.fixed != nil {
		code, ok := c.fixed[text]
		return code, ok
	}
	code, why := c.dict.EncodeLabel(text)
	return code, why == equivclass.Accepted
}

// cell reads a generalized cell. A label of several nodes could mean any of
// them, so that no bound would hold: it is refused.
func (c *cellReader) cell(text string) (query.Cell, bool) {
	x, why := c.cells.Read(text)
	return x, why == equivclass.Accepted && !c.twice[text]
}
