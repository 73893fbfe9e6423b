package equivclass

// Table holds records as codes, attribute by attribute: what a stream's state, a
// single file and the data of an experiment have in common. Attributes that are
// not kept (identifiers, subjects, what is dropped) have no column.
//
// The columns are open: an owner may read them and take some of them along. Not safe for concurrent use while it
// grows; the records below a number never change.
type Table struct {
	Dicts []*Dictionary // by attribute; nil where no value is kept
	Codes [][]Code      // by attribute, then record; nil where no value is kept

	intake intake
}

// NewTable returns an empty table. Append judges the attributes listed in order
// before the others, which follow as they stand: of a record with several faults
// the first one judged is its reason.
func NewTable(attributes []Attribute, order ...int) *Table {
	t := &Table{Dicts: dictionaries(attributes), Codes: make([][]Code, len(attributes))}
	t.intake = newIntake(t.Dicts, attributes, order)
	return t
}

// dictionaries are those of the attributes that are kept.
func dictionaries(attributes []Attribute) []*Dictionary {
	out := make([]*Dictionary, len(attributes))
	for i, a := range attributes {
		if a.kept() {
			out[i] = NewDictionary(a)
		}
	}
	return out
}

// kept reports whether a table keeps the values of the attribute. One without a
// role is that of a data set of which nothing is published yet.
func (a *Attribute) kept() bool {
	return a.Role == "" || a.Role.Blind() || a.Role == Sensitive
}

// Len returns the number of records.
func (t *Table) Len() int {
	for _, column := range t.Codes {
		if column != nil {
			return len(column)
		}
	}
	return 0
}

// Columns returns the table of some attributes, in the order asked. Its columns
// are those of t; nothing can be appended to it.
func (t *Table) Columns(of ...int) *Table {
	out := &Table{}
	for _, i := range of {
		out.Dicts, out.Codes = append(out.Dicts, t.Dicts[i]), append(out.Codes, t.Codes[i])
	}
	return out
}

// Frozen returns read-only views of the dictionaries as they are now (see
// Dictionary.Frozen).
func (t *Table) Frozen() []*Dictionary { return frozen(t.Dicts) }

func frozen(dicts []*Dictionary) []*Dictionary {
	out := make([]*Dictionary, len(dicts))
	for i, d := range dicts {
		if d != nil {
			out[i] = d.Frozen()
		}
	}
	return out
}

// Pool returns the records as points over some attributes, over the domain that
// the table itself has, each with its code of the attribute sa (-1: all 0).
func (t *Table) Pool(quasi []int, sa int) *Pool {
	of := t.Columns(quasi...)
	p := &Pool{Space: NewSpace(of.Dicts), X: make([]float32, 0, t.Len()*len(quasi)), SA: make([]Code, t.Len())}
	for r := range p.SA {
		for j, d := range of.Dicts {
			p.X = append(p.X, p.Space.Coord(j, d, of.Codes[j][r]))
		}
	}
	if sa >= 0 {
		copy(p.SA, t.Codes[sa])
	}
	return p
}
