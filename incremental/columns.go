package incremental

import (
	"fmt"
	"slices"
	"sort"

	"anond/equivclass"
)

// columns holds all accepted records, column by column: 4 bytes a
// quasi-identifier or semi-sensitive attribute, 8 for the flags of the latter, 4
// for the sensitive value, 4 for the class, 8 for the subject if there is one.
// Where a record came from stays on disk.
type columns struct {
	schema    *equivclass.Schema
	interrupt interrupt
	dicts     []*equivclass.Dictionary // by attribute; nil where nothing is stored
	leaves    map[int]*leaves          // of attributes with a hierarchy
	bound     bool                     // leaves are complete
	since     []RecordID               // by sensitive value: epochs.go
	qi        [][]equivclass.Code
	semi      [][]equivclass.Code // semi-sensitive attributes
	flags     flagColumns
	sa        []equivclass.Code
	subject   []uint64
	classOf   []ClassID
	firsts    map[uint64]RecordID // first record of each subject
	// firstWith is the first record of each subject with each value; only kept
	// where subject.repeat is sticky.
	firstWith map[subjectValue]RecordID
	arrivals  []arrival
}

type subjectValue struct {
	subject uint64
	value   equivclass.Code
}

// arrival says that records from first on arrived at tick.
type arrival struct {
	first RecordID
	tick  int64
}

func newColumns(s *equivclass.Schema, repeat Repeat) columns {
	c := columns{schema: s, leaves: newLeafTables(s), dicts: make([]*equivclass.Dictionary, len(s.Attributes())), qi: make([][]equivclass.Code, s.D()),
		semi: make([][]equivclass.Code, len(s.Semi())), flags: newFlagColumns(s)}
	for _, i := range slices.Concat(s.Quasi(), s.Semi()) {
		c.dicts[i] = equivclass.NewDictionary(s.Attributes()[i])
	}
	c.dicts[s.SensitiveIndex()] = equivclass.NewDictionary(s.Attributes()[s.SensitiveIndex()])
	if s.SubjectIndex() >= 0 {
		c.firsts = map[uint64]RecordID{}
		if repeat == RepeatSticky {
			c.firstWith = map[subjectValue]RecordID{}
		}
	}
	return c
}

func (c *columns) len() RecordID { return RecordID(len(c.sa)) }

// qiDict returns the dictionary of quasi-identifier j.
func (c *columns) qiDict(j int) *equivclass.Dictionary { return c.dicts[c.schema.Quasi()[j]] }

func (c *columns) restore(attribute int, text string) error {
	if attribute < 0 || attribute >= len(c.dicts) || c.dicts[attribute] == nil {
		return fmt.Errorf("%w: a dictionary entry of attribute %d, which stores none", ErrCorrupt, attribute)
	}
	if l := c.leaves[attribute]; l != nil {
		l.restore(text)
		return nil
	}
	return c.dicts[attribute].Restore(text)
}

// appendBlock takes in a block from the store.
func (c *columns) appendBlock(b *RecordBlock) error {
	if b.First != c.len() || len(b.Columns) != len(c.qi)+len(c.semi)+len(c.flags.attributes) || (b.Subject == nil) != (c.firsts == nil) {
		return fmt.Errorf("%w: block of record %d does not follow record %d", ErrCorrupt, b.First, c.len())
	}
	c.bindLeaves()
	for j, attribute := range slices.Concat(c.schema.Quasi(), c.schema.Semi(), c.flags.attributes) {
		n := equivclass.Code(2) // a flag
		if d := c.dicts[attribute]; d != nil {
			n = equivclass.Code(d.Len())
		}
		if l := c.leaves[attribute]; l != nil {
			n = equivclass.Code(len(l.paths))
		}
		for _, v := range b.Columns[j] {
			if v >= n {
				return fmt.Errorf("%w: block of record %d has a code beyond its dictionary", ErrCorrupt, b.First)
			}
		}
	}
	if err := c.fromStored(b); err != nil {
		return err
	}
	q, s := len(c.qi), len(c.qi)+len(c.semi)
	for j := range c.qi {
		c.qi[j] = append(c.qi[j], b.Columns[j]...)
	}
	for j := range c.semi {
		c.semi[j] = append(c.semi[j], b.Columns[q+j]...)
	}
	c.flags.append(b.Columns[s:], b.Len())
	c.noteArrival(b.First, b.Tick)
	for i, s := range b.Subject {
		c.noteSubject(s, b.SA[i], b.First+RecordID(i))
	}
	c.sa = append(c.sa, b.SA...)
	c.subject = append(c.subject, b.Subject...)
	for range b.SA {
		c.classOf = append(c.classOf, none)
	}
	return nil
}

// fromStored puts the leaves of a block into the numbering of the present trees.
func (c *columns) fromStored(b *RecordBlock) error {
	for j, attribute := range slices.Concat(c.schema.Quasi(), c.schema.Semi()) {
		if l := c.leaves[attribute]; l != nil {
			l.fromStored(b.Columns[j])
		}
	}
	l := c.leaves[c.schema.SensitiveIndex()]
	if l == nil {
		return nil
	}
	for _, v := range b.SA {
		if int(v) >= len(l.paths) {
			return fmt.Errorf("%w: block of record %d has a value beyond its dictionary", ErrCorrupt, b.First)
		}
	}
	l.fromStored(b.SA)
	return nil
}

// stored returns codes of an attribute as state numbers them.
func (c *columns) stored(attribute int, codes []equivclass.Code) []equivclass.Code {
	if l := c.leaves[attribute]; l != nil {
		return l.toStored(codes)
	}
	return codes
}

func (c *columns) noteArrival(first RecordID, tick int64) {
	if n := len(c.arrivals); n == 0 || c.arrivals[n-1].tick != tick {
		c.arrivals = append(c.arrivals, arrival{first, tick})
	}
}

// noteSubject reports whether r is the first record of its subject.
func (c *columns) noteSubject(s uint64, value equivclass.Code, r RecordID) bool {
	if c.firstWith != nil {
		if _, seen := c.firstWith[subjectValue{s, value}]; !seen {
			c.firstWith[subjectValue{s, value}] = r
		}
	}
	if _, seen := c.firsts[s]; seen {
		return false
	}
	c.firsts[s] = r
	return true
}

// arrived returns the tick at which a record arrived.
func (c *columns) arrived(r RecordID) int64 {
	i := sort.Search(len(c.arrivals), func(i int) bool { return c.arrivals[i].first > r })
	return c.arrivals[i-1].tick
}

// block returns the records from first on as a block that shares the columns.
func (c *columns) block(first RecordID, tick int64, origin []uint16, offset []int64) *RecordBlock {
	b := &RecordBlock{First: first, Tick: tick, SA: c.stored(c.schema.SensitiveIndex(), c.sa[first:]), Origin: origin, Offset: offset}
	for _, attribute := range slices.Concat(c.schema.Quasi(), c.schema.Semi()) {
		b.Columns = append(b.Columns, c.stored(attribute, c.column(attribute)[first:]))
	}
	b.Columns = append(b.Columns, c.flags.block(first)...)
	if c.firsts != nil {
		b.Subject = c.subject[first:]
	}
	return b
}

// space returns the geometry over the values of the records below cut: of the
// quasi-identifiers, then of the semi-sensitive attributes (see narrow). It is a
// function of those records alone, whatever has arrived since. Cost: cut x d.
func (c *columns) space(cut RecordID) *equivclass.Space {
	var dicts []*equivclass.Dictionary
	for j, column := range slices.Concat(c.qi, c.semi) {
		known := 0 // no records, no values
		for _, v := range column[:cut] {
			known = max(known, int(v)+1)
		}
		attribute := slices.Concat(c.schema.Quasi(), c.schema.Semi())[j]
		dicts = append(dicts, c.dicts[attribute].Prefix(known))
	}
	return equivclass.NewSpace(dicts)
}

// pool makes the records a pool in the space of the quasi-identifiers.
func (c *columns) pool(space *equivclass.Space, records []RecordID) *equivclass.Pool {
	d := len(c.qi)
	p := &equivclass.Pool{Space: space, X: make([]float32, len(records)*d), SA: make([]equivclass.Code, len(records))}
	if c.firsts != nil {
		p.Subject = make([]uint64, len(records))
	}
	for i, r := range records {
		c.coords(space, r, p.X[i*d:i*d+d])
		p.SA[i] = c.sa[r]
		if p.Subject != nil {
			p.Subject[i] = c.subject[r]
		}
	}
	return p
}

// coords writes the scaled coordinates of a record.
func (c *columns) coords(space *equivclass.Space, r RecordID, x []float32) {
	for j := range c.qi {
		x[j] = space.Coord(j, c.qiDict(j), c.qi[j][r])
	}
}

// bag returns the bag of the records' sensitive values.
func (c *columns) bag(records []RecordID) equivclass.Bag {
	return equivclass.BagOf(c.sa, records)
}
