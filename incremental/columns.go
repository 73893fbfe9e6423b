package incremental

import (
	"fmt"
	"slices"
	"sort"

	"anond/equivclass"
)

// columns holds all accepted records: one, two or four bytes a quasi-identifier and
// sensitive value, by the size of its dictionary, and what the machine knows of them: 4
// bytes for the class, and if there is a subject 8 for it and 6 to 10 to find it
// (firstRecords). Where a record came from stays on disk.
type columns struct {
	equivclass.Packed
	schema    *equivclass.Schema
	stores    []int // attributes in a block of the store, but for the sensitive one
	interrupt interrupt
	leaves    map[int]*leaves // of attributes with a hierarchy
	bound     bool            // leaves are complete
	since     []RecordID      // by sensitive value: epochs.go
	scale     []equivclass.Range
	subject   []uint64
	classOf   []ClassID
	// firsts finds the first record of each subject; nil if there is no subject.
	firsts   *firstRecords
	vacant   int // records of forgotten people that are in no class (forget.go)
	arrivals []arrival
}

// arrival says that records from first on arrived at tick.
type arrival struct {
	first RecordID
	tick  int64
}

// newColumns returns the columns of a state without records.
//
// What the adversary knows is judged first: quasi-identifiers and subject, and the
// sensitive value last. So the reason of a
// record with a bad quasi-identifier says nothing about its sensitive value, nor
// does what becomes of it later (Readmissible).
func newColumns(s *equivclass.Schema) columns {
	order := slices.Clone(s.Quasi())
	if i := s.SubjectIndex(); i >= 0 {
		order = append(order, i)
	}
	order = append(order, s.SensitiveIndex())
	c := columns{Packed: *equivclass.NewPacked(s.Attributes(), order...), schema: s,
		stores: s.Quasi(), leaves: newLeafTables(s)}
	if s.SubjectIndex() >= 0 {
		c.firsts = &firstRecords{}
	}
	return c
}

func (c *columns) len() RecordID { return RecordID(c.sa().Len()) }

// qi returns the column of quasi-identifier j, sa that of the sensitive attribute.
func (c *columns) qi(j int) *equivclass.Column { return &c.Columns[c.schema.Quasi()[j]] }
func (c *columns) sa() *equivclass.Column      { return &c.Columns[c.schema.SensitiveIndex()] }

// value is the sensitive value of a record.
func (c *columns) value(r RecordID) equivclass.Code { return c.sa().At(int(r)) }

// qiDict returns the dictionary of quasi-identifier j.
func (c *columns) qiDict(j int) *equivclass.Dictionary { return c.Dicts[c.schema.Quasi()[j]] }

func (c *columns) restore(attribute int, text string) error {
	if attribute < 0 || attribute >= len(c.Dicts) || c.Dicts[attribute] == nil {
		return fmt.Errorf("%w: a dictionary entry of attribute %d, which stores none", ErrCorrupt, attribute)
	}
	if l := c.leaves[attribute]; l != nil {
		l.restore(text)
		return nil
	}
	return c.Dicts[attribute].Restore(text)
}

// appendBlock takes in a block from the store.
func (c *columns) appendBlock(b *RecordBlock) error {
	if b.First != c.len() || len(b.Columns) != len(c.stores) || (b.Subject == nil) != (c.firsts == nil) {
		return fmt.Errorf("%w: block of record %d does not follow record %d", ErrCorrupt, b.First, c.len())
	}
	c.bindLeaves()
	codes := make([][]equivclass.Code, len(c.Dicts))
	for k, attribute := range c.stores {
		codes[attribute] = b.Columns[k]
		n := c.storedCodes(attribute)
		for _, v := range b.Columns[k] {
			if v >= n {
				return fmt.Errorf("%w: block of record %d has a code beyond its dictionary", ErrCorrupt, b.First)
			}
		}
	}
	codes[c.schema.SensitiveIndex()] = b.SA
	if err := c.fromStored(b); err != nil {
		return err
	}
	c.Extend(codes)
	c.noteArrival(b.First, b.Tick)
	c.subject = append(c.subject, b.Subject...)
	for range b.SA {
		c.classOf = append(c.classOf, none)
	}
	return nil
}

// loaded completes the columns when the store has handed out all blocks.
func (c *columns) loaded() {
	if c.firsts != nil {
		c.firsts.load(c)
	}
}

// storedCodes returns how many codes state has for an attribute.
func (c *columns) storedCodes(attribute int) equivclass.Code {
	if l := c.leaves[attribute]; l != nil {
		return equivclass.Code(len(l.paths))
	}
	return equivclass.Code(c.Dicts[attribute].Len())
}

// fromStored puts the leaves of a block into the numbering of the present trees.
func (c *columns) fromStored(b *RecordBlock) error {
	for j, attribute := range c.schema.Quasi() {
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

// arrived returns the tick at which a record arrived.
func (c *columns) arrived(r RecordID) int64 {
	i := sort.Search(len(c.arrivals), func(i int) bool { return c.arrivals[i].first > r })
	return c.arrivals[i-1].tick
}

// block returns the records from first on as a block.
func (c *columns) block(first RecordID, tick int64, origin []uint16, offset []int64) *RecordBlock {
	b := &RecordBlock{First: first, Tick: tick, SA: c.stored(c.schema.SensitiveIndex(), c.sa().AppendTo(nil, int(first))), Origin: origin,
		Offset: offset}
	for _, attribute := range c.stores {
		b.Columns = append(b.Columns, c.stored(attribute, c.Columns[attribute].AppendTo(nil, int(first))))
	}
	if c.firsts != nil {
		b.Subject = c.subject[first:]
	}
	return b
}

// space returns the geometry of the quasi-identifiers over the values of the records
// below cut. It is a
// function of those records alone, whatever has arrived since. Cost: cut x d; that of the
// dictionaries if these are all records.
func (c *columns) space(cut RecordID) *equivclass.Space {
	var dicts []*equivclass.Dictionary
	for _, attribute := range c.schema.Quasi() {
		known := 0
		if cut == c.len() { // a value is taken in with its first record
			known = c.Dicts[attribute].Len()
		} else if most, any := c.Columns[attribute].Most(int(cut)); any {
			known = int(most) + 1
		}
		dicts = append(dicts, c.Dicts[attribute].Prefix(known))
	}
	s := equivclass.NewSpace(dicts)
	for j, r := range c.scale {
		s.Dims[j].ScaleBy(r)
	}
	return s
}

// pool makes the records a pool in the space of the quasi-identifiers.
func (c *columns) pool(space *equivclass.Space, records []RecordID) *equivclass.Pool {
	d := c.schema.D()
	p := &equivclass.Pool{Space: space, X: make([]float32, len(records)*d), SA: make([]equivclass.Code, len(records))}
	if c.firsts != nil {
		p.Subject = make([]uint64, len(records))
	}
	for i, r := range records {
		c.coords(space, r, p.X[i*d:i*d+d])
		p.SA[i] = c.value(r)
		if p.Subject != nil {
			p.Subject[i] = c.subject[r]
		}
	}
	return p
}

// coords writes the scaled coordinates of a record.
func (c *columns) coords(space *equivclass.Space, r RecordID, x []float32) {
	for j := range c.schema.D() {
		x[j] = space.Coord(j, c.qiDict(j), c.qi(j).At(int(r)))
	}
}

// bag returns the bag of the records' sensitive values.
func (c *columns) bag(records []RecordID) equivclass.Bag {
	return equivclass.BagIn(c.sa(), records)
}
