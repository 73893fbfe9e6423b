package incremental

import (
	"anond/incremental/settle"
	"anond/incremental/state"
)

// staged is what has changed in records and classes since the last commit. Head and
// intake keep their own changes and enter them at the commit.
type staged struct {
	delta   state.Delta
	from    state.RecordID // first record that is in no block yet
	origins []uint16       // of the records from there on
	offsets []int64
	windows []settle.Window // where people settle
}

// origin notes where the newest record came from, for its block.
func (s *staged) origin(number uint16, offset int64) {
	s.origins = append(s.origins, number)
	s.offsets = append(s.offsets, offset)
}

// window notes when the person of the newest record was observed.
func (s *staged) window(w settle.Window) { s.windows = append(s.windows, w) }

// closeBlock closes the block of the records that arrived at the present tick.
func (s *staged) closeBlock(c *state.Records, now int64) {
	if s.from == c.Len() {
		return
	}
	s.delta.Records = append(s.delta.Records, c.Block(s.from, now, s.origins, s.offsets, s.windows))
	s.from, s.origins, s.offsets, s.windows = c.Len(), nil, nil, nil
}

// entry notes a value that a dictionary has taken in.
func (s *staged) entry(attribute int, text string) {
	s.delta.Dictionary = append(s.delta.Dictionary, state.DictionaryEntry{Attribute: attribute, Text: text})
}

// cut notes what a decided release changes.
func (s *staged) cut(births []*state.Class, deaths []state.Death, intent state.Intent, born *state.Born) {
	s.delta.Births, s.delta.Deaths, s.delta.Intent, s.delta.Born = births, deaths, &intent, born
}

// following is the mark of a machine.
type following struct {
	state.JournalMark
	changed bool // since the last commit
}

// into enters what changed since the last commit into a delta.
func (f *following) into(d *state.Delta) {
	if f.changed {
		mark := f.JournalMark
		d.Journal = &mark
	}
}

// Journal is how far the state follows its journal.
func (m *Machine) Journal() state.JournalMark { return m.journal.JournalMark }

// Follow moves the mark, with the next commit.
func (m *Machine) Follow(mark state.JournalMark) { m.journal = following{mark, true} }

// ledgered is how far a machine has seen the ledger of subjects.
type ledgered struct {
	state.LedgerMark
	changed bool // since the last commit
}

// into enters what changed since the last commit into a delta.
func (l *ledgered) into(d *state.Delta) {
	if l.changed {
		mark := l.LedgerMark
		d.Ledger = &mark
	}
}

// Ledger is how far the state has seen the ledger of subjects; zero: its dataset has joined none.
func (m *Machine) Ledger() state.LedgerMark { return m.ledger.LedgerMark }

// Saw moves that mark, with the next commit.
func (m *Machine) Saw(mark state.LedgerMark) {
	if mark != m.ledger.LedgerMark {
		m.ledger = ledgered{mark, true}
	}
}

// Now is the machine's time: that of the newest tick, or what state has seen.
func (m *Machine) Now() int64 { return m.s.Now }

// Arrived is how many records were accepted, those of people who were forgotten since included.
func (m *Machine) Arrived() int { return int(m.s.Records.Len()) }
