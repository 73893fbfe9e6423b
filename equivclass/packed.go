package equivclass

// Packed is a Table whose columns take one, two or four bytes a value, by the size of
// their dictionary: for a state, which holds its records as long as it lives.
type Packed struct {
	Dicts   []*Dictionary // by attribute; nil where no value is kept
	Columns []Column      // by attribute; empty where no value is kept

	intake intake
	room   int // records that columns have room for where they are made
	first  int // an attribute that is kept, whose column says how many records there are
}

// NewPacked returns an empty table, whose rows are judged as those of NewTable.
func NewPacked(attributes []Attribute, order ...int) *Packed {
	p := &Packed{Dicts: dictionaries(attributes), Columns: make([]Column, len(attributes))}
	p.intake = newIntake(p.Dicts, attributes, order)
	for p.first < len(p.Dicts)-1 && p.Dicts[p.first] == nil {
		p.first++
	}
	return p
}

// Len returns the number of records.
func (p *Packed) Len() int { return p.Columns[p.first].Len() }

// Append is Table.Append.
func (p *Packed) Append(row Row) (Reason, string) {
	in := &p.intake
	if why, attribute := in.take(row); why != Accepted {
		return why, attribute
	}
	for k := range in.steps {
		if s := &in.steps[k]; s.dict != nil {
			p.Columns[s.attribute].Append(in.row[s.attribute].code)
		}
	}
	return Accepted, ""
}

// Check is Table.Check.
func (p *Packed) Check(row Row) (Reason, string) { return p.intake.check(row) }

// Grown is Table.Grown.
func (p *Packed) Grown() []int { return p.intake.grown }

// Room says how many records will be there once Extend has taken in all.
func (p *Packed) Room(records int) { p.room = records }

// Extend takes in records that are encoded already, by attribute: codes of the
// dictionaries.
func (p *Packed) Extend(columns [][]Code) {
	for i, d := range p.Dicts {
		if d != nil {
			p.Columns[i].extend(columns[i], p.room)
		}
	}
}

// Frozen is Table.Frozen.
func (p *Packed) Frozen() []*Dictionary { return frozen(p.Dicts) }
