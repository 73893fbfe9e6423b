package incremental

// JournalMark is how far a state follows the journal in which its host writes what it decides, before
// it acts on it (package shards/journal). It is part of the transaction that holds the effects of the
// entries up to it, so that whoever has a copy of the state knows which entries come next.
type JournalMark struct {
	Seq    uint64   // of the newest entry whose effects the state holds; 0: it follows no journal
	Digest [32]byte // of that entry
	Next   int64    // offset in the journal behind it
}

// following is the mark of a machine.
type following struct {
	JournalMark
	changed bool // since the last commit
}

// into enters what changed since the last commit into a delta.
func (f *following) into(d *Delta) {
	if f.changed {
		mark := f.JournalMark
		d.Journal = &mark
	}
}

// Journal is how far the state follows its journal.
func (m *Machine) Journal() JournalMark { return m.journal.JournalMark }

// Follow moves the mark, with the next commit.
func (m *Machine) Follow(mark JournalMark) { m.journal = following{mark, true} }

// Now is the machine's time: that of the newest tick, or what state has seen.
func (m *Machine) Now() int64 { return m.now }

// Arrived is how many records were accepted, those of people who were forgotten since included.
func (m *Machine) Arrived() int { return int(m.records.len()) }
