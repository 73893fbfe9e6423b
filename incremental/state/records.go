package state

import (
	"fmt"
	"slices"
	"sort"

	"anond/equivclass"
	"anond/incremental/settle"
)

// Records holds all accepted records: one, two or four bytes a quasi-identifier and
// sensitive value, by the size of its dictionary, and what the machine knows of them: 4
// bytes for the class, and if there is a subject 8 for it and 6 to 10 to find it
// (firstRecords). Where a record came from stays on disk.
type Records struct {
	equivclass.Packed
	Schema *equivclass.Schema
	// Stores are the attributes in a block of the store: quasi-identifiers, published or kept, and sensitive ones, in the order of the
	// schema. Later settings may have further ones behind them, so that a block has the first ones of these.
	Stores    []int
	Begins    map[int]RecordID // by attribute that records below lack
	width     int              // of the newest block
	Interrupt interrupt
	Leaves    map[int]*Leaves // of attributes with a hierarchy, by PathsOf
	bound     bool            // leaves are complete
	Since     [][]RecordID    // by sensitive attribute and leaf: epochs.go
	Scale     []equivclass.Range
	Subject   []uint64
	// Stratum is that of the person of a record, if people settle or some did; nil otherwise: all are plain.
	Stratum []settle.Stratum
	// Turns are the records from which on people settle, and from which on not, alternately.
	Turns   []RecordID
	ClassOf []ClassID
	// Firsts finds the first record of each subject; nil if there is no subject.
	Firsts *firstRecords
	Vacant int // records of forgotten people that are in no class (package erase)
	more   int // records of the source that people have besides one each
	// vacantMore are those of Vacant.
	vacantMore int
	Arrivals   []arrival
}

// arrival says that records from first on arrived at tick.
type arrival struct {
	First RecordID
	Tick  int64
}

// NewColumns returns the columns of a state without records.
//
// What the adversary knows is judged first: quasi-identifiers and subject, and the
// sensitive values last. So the reason of a
// record with a bad quasi-identifier says nothing about its sensitive value, nor
// does what becomes of it later (Readmissible).
func NewColumns(s *equivclass.Schema) Records {
	order := s.Blind()
	if i := s.SubjectIndex(); i >= 0 {
		order = append(order, i)
	}
	if i := s.RecordIndex(); i >= 0 {
		order = append(order, i)
	}
	order = append(order, s.Sensitive()...)
	c := Records{Packed: *equivclass.NewPacked(s.Attributes(), order...), Schema: s,
		Stores: slices.Sorted(slices.Values(slices.Concat(s.Blind(), s.Sensitive()))), Leaves: newLeafTables(s)}
	if s.SubjectIndex() >= 0 {
		c.Firsts = &firstRecords{}
	}
	return c
}

// Under are the same records as an earlier schema has them, whose attributes are the first ones of this one. It is for those who
// look at people of that time, and for as long as nothing is appended.
func (c *Records) Under(s *equivclass.Schema) *Records {
	out := *c
	out.Schema = s
	return &out
}

// Lacks reports whether a record arrived before records had an attribute. Its code stands for nothing then.
func (c *Records) Lacks(attribute int, r RecordID) bool { return r < c.Begins[attribute] }

// Has is how many of some attributes a record has: the first ones.
func (c *Records) Has(attributes []int, r RecordID) (n int) {
	for n < len(attributes) && !c.Lacks(attributes[n], r) {
		n++
	}
	return n
}

// StoreOf is the place of an attribute in a block of the store.
func (c *Records) StoreOf(attribute int) int { return slices.Index(c.Stores, attribute) }

// Settles says whether the people of the records that follow settle.
func (c *Records) Settles(on bool) {
	if on && c.Stratum == nil {
		c.Stratum = []settle.Stratum{}
		c.settlePlain(int(c.Len()))
	}
	n := len(c.Turns)
	switch {
	case (n%2 == 1) == on:
	case n > 0 && c.Turns[n-1] == c.Len():
		c.Turns = c.Turns[:n-1]
	default:
		c.Turns = append(c.Turns, c.Len())
	}
}

// Settled reports whether the person of a record has settled.
func (c *Records) Settled(r RecordID) bool { return Settled(c.Turns, r) }

// Settled is Records.Settled.
func Settled(turns []RecordID, r RecordID) bool {
	n, found := slices.BinarySearch(turns, r)
	if found {
		n++
	}
	return n%2 == 1
}

// StratumOf is the stratum of the person of a record.
func (c *Records) StratumOf(r RecordID) settle.Stratum {
	if c.Stratum == nil {
		return settle.Plain
	}
	return c.Stratum[r]
}

// Length is how many records of the source a record stands for: of somebody with a history, those that are shown.
func (c *Records) Length(r RecordID) int { return c.StratumOf(r).Inserts() }

// More is how many records of the source some people have besides one each. Cost: none where nobody has a history.
func (c *Records) More(people []RecordID) (n int) {
	if c.more == 0 {
		return 0
	}
	for _, r := range people {
		n += c.Length(r) - 1
	}
	return n
}

// records is how many records a history has at most; 0: nobody has one.
func (c *Records) records() int { return c.Dicts[c.Schema.Sensitive()[0]].Records() }

// VacantRecords is how many records of the source forgotten people had who are in no class.
func (c *Records) VacantRecords() int { return c.Vacant + c.vacantMore }

// settlePlain notes that of records of people who do not settle.
func (c *Records) settlePlain(n int) {
	if c.Stratum != nil {
		c.Stratum = append(c.Stratum, slices.Repeat([]settle.Stratum{settle.Plain}, n)...)
	}
}

// SettlePlain notes it of the record that is appended, unless its stratum is known.
func (c *Records) SettlePlain() {
	if len(c.Stratum) < int(c.Len()) {
		c.settlePlain(1)
	}
}

// Settle notes the stratum of the record that is appended.
func (c *Records) Settle(s settle.Stratum) {
	c.Stratum, c.more = append(c.Stratum, s), c.more+s.Inserts()-1
}

func (c *Records) Len() RecordID { return RecordID(c.Columns[c.Schema.Sensitive()[0]].Len()) }

// Qi returns the column of quasi-identifier j.
func (c *Records) Qi(j int) *equivclass.Column { return &c.Columns[c.Schema.Quasi()[j]] }

// Value is the sensitive value of a record, at level L1.
func (c *Records) Value(r RecordID) equivclass.Code {
	return c.Columns[c.Schema.SensitiveIndex()].At(int(r))
}

// Codes are those that a record has of some attributes.
func (c *Records) Codes(attributes []int, r RecordID) []equivclass.Code {
	out := make([]equivclass.Code, len(attributes))
	for k, attribute := range attributes {
		out[k] = c.Columns[attribute].At(int(r))
	}
	return out
}

// QiDict returns the dictionary of quasi-identifier j.
func (c *Records) QiDict(j int) *equivclass.Dictionary { return c.Dicts[c.Schema.Quasi()[j]] }

func (c *Records) Restore(attribute int, text string) error {
	if l := c.Leaves[attribute]; l != nil {
		l.Restore(text)
		return nil
	}
	if attribute < 0 || attribute >= len(c.Dicts) || c.Dicts[attribute] == nil {
		return fmt.Errorf("%w: a dictionary entry of attribute %d, which stores none", ErrCorrupt, attribute)
	}
	return c.Dicts[attribute].Restore(text)
}

// Room makes room for so many records of the store, and for some that come after them.
func (c *Records) Room(records int) {
	records += records / 64
	c.Packed.Room(records)
	c.ClassOf = make([]ClassID, 0, records)
	if c.Firsts != nil {
		c.Subject = make([]uint64, 0, records)
	}
}

// AppendBlock takes in a block from the store.
func (c *Records) AppendBlock(b *RecordBlock) error {
	if b.First != c.Len() || len(b.Columns) > len(c.Stores) || len(b.Columns) < max(c.width, 1) || (b.Subject == nil) != (c.Firsts == nil) {
		return fmt.Errorf("%w: block of record %d does not follow record %d", ErrCorrupt, b.First, c.Len())
	}
	if slices.ContainsFunc(b.Stratum, func(s settle.Stratum) bool { return s.Inserts() > max(1, c.records()) }) {
		return fmt.Errorf("%w: block of record %d has histories that are too long", ErrCorrupt, b.First)
	}
	c.BindLeaves()
	codes := make([][]equivclass.Code, len(c.Dicts))
	c.width = len(b.Columns)
	for _, attribute := range c.Stores[c.width:] {
		if codes[attribute] = make([]equivclass.Code, b.Len()); c.Begins == nil {
			c.Begins = map[int]RecordID{}
		}
		c.Begins[attribute] = b.First + RecordID(b.Len())
	}
	for k, attribute := range c.Stores[:c.width] {
		codes[attribute] = b.Columns[k]
		n := c.storedCodes(attribute)
		for _, v := range b.Columns[k] {
			if v >= n {
				return fmt.Errorf("%w: block of record %d has a code beyond its dictionary", ErrCorrupt, b.First)
			}
		}
	}
	c.fromStored(b)
	c.Settles(b.Stratum != nil)
	c.Extend(codes)
	c.NoteArrival(b.First, b.Tick)
	c.Subject = append(c.Subject, b.Subject...)
	for _, s := range b.Stratum {
		c.Settle(s)
	}
	if b.Stratum == nil {
		c.settlePlain(b.Len())
	}
	for range b.Len() {
		c.ClassOf = append(c.ClassOf, None)
	}
	return nil
}

// Loaded completes the columns when the store has handed out all blocks.
func (c *Records) Loaded() {
	if c.Firsts != nil {
		c.Firsts.load(c)
	}
}

// storedCodes returns how many codes state has for an attribute.
func (c *Records) storedCodes(attribute int) equivclass.Code {
	if l := c.Leaves[attribute]; l != nil {
		return equivclass.Code(len(l.Paths))
	}
	return equivclass.Code(c.Dicts[attribute].Len())
}

// fromStored puts the leaves of a block into the numbering of the present trees.
func (c *Records) fromStored(b *RecordBlock) {
	for k := range b.Columns {
		if l := c.Leaves[c.Stores[k]]; l != nil {
			l.fromStored(b.Columns[k])
		}
	}
}

// stored returns codes of an attribute as state numbers them.
func (c *Records) stored(attribute int, codes []equivclass.Code) []equivclass.Code {
	if l := c.Leaves[attribute]; l != nil {
		return l.toStored(codes)
	}
	return codes
}

func (c *Records) NoteArrival(first RecordID, tick int64) {
	if n := len(c.Arrivals); n == 0 || c.Arrivals[n-1].Tick != tick {
		c.Arrivals = append(c.Arrivals, arrival{first, tick})
	}
}

// Arrived returns the tick at which a record arrived.
func (c *Records) Arrived(r RecordID) int64 {
	i := sort.Search(len(c.Arrivals), func(i int) bool { return c.Arrivals[i].First > r })
	return c.Arrivals[i-1].Tick
}

// Block returns the records from first on as a block.
func (c *Records) Block(first RecordID, tick int64, origin []uint16, offset []int64, window []settle.Window) *RecordBlock {
	b := &RecordBlock{First: first, Tick: tick, Origin: origin, Offset: offset, Window: window}
	for _, attribute := range c.Stores {
		b.Columns = append(b.Columns, c.stored(attribute, c.Columns[attribute].AppendTo(nil, int(first))))
	}
	if c.Firsts != nil {
		b.Subject = c.Subject[first:]
	}
	if c.Settled(first) {
		b.Stratum = c.Stratum[first:]
	}
	return b
}

// Space returns the geometry of the quasi-identifiers over the values of the records
// below cut. It is a
// function of those records alone, whatever has arrived since. Cost: cut x d; that of the
// dictionaries if these are all records.
func (c *Records) Space(cut RecordID) *equivclass.Space {
	var dicts []*equivclass.Dictionary
	for _, attribute := range c.Schema.Quasi() {
		known := 0
		if cut == c.Len() { // a value is taken in with its first record
			known = c.Dicts[attribute].Len()
		} else if most, any := c.Columns[attribute].Most(int(cut)); any && !c.Lacks(attribute, cut-1) {
			known = int(most) + 1
		}
		dicts = append(dicts, c.Dicts[attribute].Prefix(known))
	}
	s := equivclass.NewSpace(dicts)
	for j, r := range c.Scale {
		s.Dims[j].ScaleBy(r)
	}
	return s
}

// Pool makes the records a pool in the space of the quasi-identifiers.
func (c *Records) Pool(space *equivclass.Space, records []RecordID) *equivclass.Pool {
	d := c.Schema.D()
	p := &equivclass.Pool{Space: space, X: make([]float32, len(records)*d), SA: make([]equivclass.Code, len(records))}
	if c.Firsts != nil {
		p.Subject = make([]uint64, len(records))
	}
	for i, r := range records {
		c.Coords(space, r, p.X[i*d:i*d+d])
		p.SA[i] = c.Value(r)
		if p.Subject != nil {
			p.Subject[i] = c.Subject[r]
		}
	}
	return p
}

// Coords writes the scaled coordinates of a record.
func (c *Records) Coords(space *equivclass.Space, r RecordID, x []float32) {
	for j := range c.Schema.D() {
		x[j] = space.Coord(j, c.QiDict(j), c.Qi(j).At(int(r)))
	}
}

// Bag returns the bag of the records' sensitive values, at level L1.
func (c *Records) Bag(records []RecordID) equivclass.Bag {
	return c.BagOf(c.Schema.SensitiveIndex(), records)
}

// BagOf returns the bag of the records' values of an attribute.
func (c *Records) BagOf(attribute int, records []RecordID) equivclass.Bag {
	return equivclass.BagIn(&c.Columns[attribute], records)
}

// Erased reports whether a record is one of a person who was forgotten.
func (c *Records) Erased(r RecordID) bool { return c.Firsts != nil && c.Subject[r] == 0 }

// Vacate finds what follows from erased records: which classes have a row without owner, and
// how many records are in no class.
func (c *Records) Vacate(classes []*Class) {
	c.Vacant, c.vacantMore = 0, 0
	if c.Firsts == nil {
		return
	}
	for r, subject := range c.Subject {
		switch class := c.ClassOf[r]; {
		case subject != 0:
		case class == None:
			c.Vacant++
			c.vacantMore += c.Length(RecordID(r)) - 1
		default:
			classes[class].Ownerless = true
		}
	}
}

// isBeyond reports whether an earlier record of the subject exists, so that this one is never published (rule S, one record of
// a subject). Safe: that follows from who sends when, and from no value.
func (c *Records) isBeyond(r RecordID) bool {
	return c.Firsts != nil && c.Firsts.first(c, r) != r
}
