package erase

import (
	"errors"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// rename finds which values nobody has any more, gives the records that are in no class, or whose classes never showed the attribute, the
// lowest codes that others have, and numbers the values that stay. The order of codes
// stays, so nothing that compares them changes.
func (p *erasing) rename() error {
	c := p.records
	for k, attribute := range c.Stores {
		dict := c.Dicts[attribute]
		used := p.used(k, attribute)
		lowest := slices.Index(used, true)
		if c.Leaves[attribute] != nil || dict.Bucketed() {
			lowest = max(lowest, 0) // the values are not those of persons
		} else if lowest < 0 && dict.Len() > 0 {
			return ErrNobodyElse
		} else {
			p.renamed.number(attribute, used, p.meta.References)
		}
		for _, s := range p.slots {
			if s.class == state.None || s.codes[k] == vanished {
				s.codes[k] = equivclass.Code(max(lowest, 0))
			}
		}
	}
	return nil
}

// used tells which codes of an attribute stay: those of records, but for slots in no class, and
// of references and of bags at birth. A record in a bag with an ownerless row has the value that it was assigned: what only the
// forgotten person had is another one's there.
func (p *erasing) used(k, attribute int) []bool {
	c := p.records
	used, sensitive := make([]bool, c.Dicts[attribute].Len()), slices.Index(c.Schema.Sensitive(), attribute)
	for r := range c.Len() {
		s := p.slots[r]
		values, dealt := p.values[r]
		switch {
		case s != nil && (s.class == state.None || s.codes[k] == vanished) || c.Lacks(attribute, r):
		case s != nil:
			used[s.codes[k]] = true
		case dealt && sensitive >= 0:
			used[values[sensitive]] = true
		default:
			used[c.Columns[attribute].At(int(r))] = true
		}
	}
	for _, n := range p.from.Head.References[attribute] {
		used[n.Code] = true
	}
	if sensitive >= 0 {
		for code := range p.from.History.Shown(sensitive) {
			used[code] = true
		}
	}
	return used
}

// renaming is, by attribute without hierarchy, the new code of each value by the old one, or vanished.
type renaming map[int][]equivclass.Code

// number gives the codes that stay consecutive numbers, also in references.
func (m renaming) number(attribute int, used []bool, references map[int][]equivclass.Count) {
	to, next := make([]equivclass.Code, len(used)), equivclass.Code(0)
	for code, stays := range used {
		if to[code] = vanished; stays {
			to[code] = next
			next++
		}
	}
	m[attribute] = to
	for i := range references[attribute] {
		n := &references[attribute][i]
		n.Code = to[n.Code]
	}
}

// dictionary returns a function that is asked for all entries in their order, whether they stay.
func (m renaming) dictionary() func(state.DictionaryEntry) bool {
	next := map[int]int{}
	return func(x state.DictionaryEntry) bool {
		n := next[x.Attribute]
		next[x.Attribute]++
		to := m[x.Attribute]
		return to == nil || n < len(to) && to[n] != vanished
	}
}

// apply changes codes in place.
func (m renaming) apply(attribute int, codes []equivclass.Code) error {
	to := m[attribute]
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

// born changes the bag of a release, as the store has it, in place.
func (m renaming) born(b *state.Born, schema *equivclass.Schema) error {
	for i, attribute := range schema.Sensitive()[:len(b.Counts)] {
		for k := range b.Counts[i] {
			one := []equivclass.Code{b.Counts[i][k].Code}
			if err := m.apply(attribute, one); err != nil {
				return err
			}
			b.Counts[i][k].Code = one[0]
		}
	}
	return nil
}

// Head returns the head of the state that has forgotten.
func (e *Erasure) Head() *state.Meta { return e.meta }

// Dictionary returns a function that is asked for all entries in their order, whether they stay.
func (e *Erasure) Dictionary() func(state.DictionaryEntry) bool { return e.renamed.dictionary() }

// Known is what a store has to know of those who were not forgotten before.
func (e *Erasure) Known() (out []state.Known) {
	for _, d := range e.fresh {
		out = append(out, state.Know(d, state.Forgotten))
	}
	return out
}

// errTakenAway: the plan would take a value out of the dictionary that a record has. A state that was
// written so could not be opened.
var errTakenAway = errors.New("an erasure would take away a value that a record still has; nothing was changed")

// Rewrite changes a run of records, as the store has them, in place. Flags of a row stay: only
// records in no class are erased where there are any. After an error the store must stay what it was.
func (e *Erasure) Rewrite(b *state.RecordBlock) error {
	c := e.records
	for i := range b.Len() {
		r := b.First + state.RecordID(i)
		s := e.slots[r]
		if s == nil {
			for k, value := range e.values[r] {
				if attribute := c.Schema.Sensitive()[k]; !c.Lacks(attribute, r) {
					b.Columns[c.StoreOf(attribute)][i] = e.stored(attribute, value)
				}
			}
			continue
		}
		for k, attribute := range c.Stores[:len(b.Columns)] {
			b.Columns[k][i] = e.stored(attribute, s.codes[k])
		}
		b.Disown(i)
	}
	for k, attribute := range c.Stores[:len(b.Columns)] {
		if err := e.renamed.apply(attribute, b.Columns[k]); err != nil {
			return err
		}
	}
	return nil
}

// RewriteBorn changes the bag of a release, as the store has it, in place.
func (e *Erasure) RewriteBorn(b *state.Born) error { return e.renamed.born(b, e.records.Schema) }

// stored is the number that the state has for a code, before values vanish.
func (e *Erasure) stored(attribute int, code equivclass.Code) equivclass.Code {
	if l := e.records.Leaves[attribute]; l != nil {
		return l.Stored[code]
	}
	return code
}
