package erase

import (
	"errors"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// rename finds which values nobody has any more, gives the records that are in no class the
// lowest codes that others have, and numbers the values that stay. The order of codes
// stays, so nothing that compares them changes.
func (p *erasing) rename() error {
	c := p.records
	for k, attribute := range append(slices.Clone(c.Stores), c.Schema.SensitiveIndex()) {
		dict := c.Dicts[attribute]
		if dict == nil {
			continue
		}
		used := p.used(k, attribute)
		lowest := slices.Index(used, true)
		if c.Leaves[attribute] != nil || len(dict.Attribute().Buckets) > 0 {
			lowest = max(lowest, 0) // the values are not those of persons
		} else if lowest < 0 {
			return ErrNobodyElse
		} else {
			p.number(attribute, used)
		}
		for _, s := range p.slots {
			if s.class == state.None {
				*s.code(k) = equivclass.Code(lowest)
			}
		}
	}
	return nil
}

// code is the place of the code of columns.stores[k], or behind these of the sensitive value.
func (s *vacancy) code(k int) *equivclass.Code {
	if k == len(s.codes) {
		return &s.value
	}
	return &s.codes[k]
}

// used tells which codes of an attribute stay: those of records, but for slots in no class, and
// of references. A record in a bag with an ownerless row has the value that it was assigned: what only the
// forgotten person had is another one's there.
func (p *erasing) used(k, attribute int) []bool {
	c := p.records
	used := make([]bool, c.Dicts[attribute].Len())
	for r := range c.Len() {
		s := p.slots[r]
		value, dealt := p.values[r]
		switch {
		case s != nil && s.class == state.None:
		case s != nil:
			used[*s.code(k)] = true
		case dealt && k == len(c.Stores):
			used[value] = true
		default:
			used[c.Columns[attribute].At(int(r))] = true
		}
	}
	for _, n := range p.from.Head.References[attribute] {
		used[n.Code] = true
	}
	return used
}

// number gives the codes that stay consecutive numbers.
func (p *erasing) number(attribute int, used []bool) {
	to, next := make([]equivclass.Code, len(used)), equivclass.Code(0)
	for code, stays := range used {
		if to[code] = vanished; stays {
			to[code] = next
			next++
		}
	}
	p.renamed[attribute] = to
	for i := range p.meta.References[attribute] {
		n := &p.meta.References[attribute][i]
		n.Code = to[n.Code]
	}
}

// Head returns the head of the state that has forgotten.
func (e *Erasure) Head() *state.Meta { return e.meta }

// Dictionary returns a function that is asked for all entries in their order, whether they stay.
func (e *Erasure) Dictionary() func(state.DictionaryEntry) bool {
	next := map[int]int{}
	return func(x state.DictionaryEntry) bool {
		n := next[x.Attribute]
		next[x.Attribute]++
		to := e.renamed[x.Attribute]
		return to == nil || n < len(to) && to[n] != vanished
	}
}

// Suppressed returns the list of all who were forgotten.
func (e *Erasure) Suppressed() []state.Digest { return e.list }

// errTakenAway: the plan would take a value out of the dictionary that a record has. A state that was
// written so could not be opened.
var errTakenAway = errors.New("an erasure would take away a value that a record still has; nothing was changed")

// Rewrite changes a run of records, as the store has them, in place. Flags of a row stay: only
// records in no class are erased where there are any. After an error the store must stay what it was.
func (e *Erasure) Rewrite(b *state.RecordBlock) error {
	c := e.records
	for i := range b.SA {
		r := b.First + state.RecordID(i)
		s := e.slots[r]
		if value, dealt := e.values[r]; dealt && s == nil {
			b.SA[i] = e.stored(c.Schema.SensitiveIndex(), value)
			continue
		}
		if s == nil {
			continue
		}
		for k, attribute := range c.Stores {
			b.Columns[k][i] = e.stored(attribute, s.codes[k])
		}
		b.SA[i] = e.stored(c.Schema.SensitiveIndex(), s.value)
		b.Subject[i], b.Origin[i], b.Offset[i] = 0, 0, -1
	}
	for k, attribute := range c.Stores {
		if err := e.renumber(attribute, b.Columns[k]); err != nil {
			return err
		}
	}
	return e.renumber(c.Schema.SensitiveIndex(), b.SA)
}

// stored is the number that the state has for a code, before values vanish.
func (e *Erasure) stored(attribute int, code equivclass.Code) equivclass.Code {
	if l := e.records.Leaves[attribute]; l != nil {
		return l.Stored[code]
	}
	return code
}

func (e *Erasure) renumber(attribute int, codes []equivclass.Code) error {
	to := e.renamed[attribute]
	if to == nil {
		return nil
	}
	for i, code := range codes {
		if codes[i] = to[code]; codes[i] == vanished {
			return errTakenAway
		}
	}
	return nil
}
