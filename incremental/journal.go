package incremental

import "anond/incremental/state"

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

// Now is the machine's time: that of the newest tick, or what state has seen.
func (m *Machine) Now() int64 { return m.s.Now }

// Arrived is how many records were accepted, those of people who were forgotten since included.
func (m *Machine) Arrived() int { return int(m.s.Records.Len()) }
