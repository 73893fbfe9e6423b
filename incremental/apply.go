package incremental

import (
	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Outcome says what became of one record.
type Outcome struct {
	// Known: its position was applied before; it was dropped and changes nothing.
	Known bool
	// Reason and Attribute say why the record was refused; the host then calls
	// Refuse. Accepted otherwise.
	Reason    equivclass.Reason
	Attribute string
	// Forgotten: the person was forgotten, so nothing of the record is kept.
	Forgotten bool
	// Beyond: the person may not be published any more; the record is counted, and nothing of it is kept.
	Beyond bool
}

// Apply takes in one record at the position after the last one applied in its
// partition. A record whose values do not fit the schema is not taken in: the
// outcome names the reason and the host decides between Refuse and Ignore.
// Cost: d dictionary look-ups; under trigger `update` also one search in the spatial index.
func (m *Machine) Apply(p state.Partition, offset int64, row equivclass.Row) (Outcome, error) {
	return m.ApplyOf(p, offset, row, m.SubjectOf(row))
}

// SubjectOf is the keyed digest by which state knows the person of a record, 0: nobody. Like Digest it is safe for concurrent
// use: those who decode compute it, so that whoever owns the machine need not.
func (m *Machine) SubjectOf(row equivclass.Row) uint64 { return m.s.Subject(row) }

// ApplyOf is Apply of a row whose person is known (SubjectOf).
func (m *Machine) ApplyOf(p state.Partition, offset int64, row equivclass.Row, subject uint64) (Outcome, error) {
	return m.apply(p, offset, row, subject, settle.Insert)
}

// Update takes in what the source has in the place of a record that it sent before, where people settle and updates are applied.
func (m *Machine) Update(p state.Partition, offset int64, row equivclass.Row, subject uint64) (Outcome, error) {
	return m.apply(p, offset, row, subject, settle.Update)
}

func (m *Machine) apply(p state.Partition, offset int64, row equivclass.Row, subject uint64, kind settle.Kind) (Outcome, error) {
	if m.intake.failed {
		return Outcome{}, ErrBroken
	}
	if m.intake.offsets.applied(p, offset) {
		return Outcome{Known: true}, nil
	}
	if m.full() {
		return Outcome{}, ErrStateFull
	}
	if err := m.intake.offsets.numbered(p); err != nil {
		return Outcome{}, err
	}
	if out := m.out(p, offset, subject); out != (Outcome{}) {
		return out, nil
	}
	if m.s.Policy.Settle.On() {
		return m.settle(p, offset, row, kind, subject)
	}
	if why, attribute := m.s.Records.Append(row); why != equivclass.Accepted {
		return Outcome{Reason: why, Attribute: attribute}, nil
	}
	m.accept(subject, m.intake.accept(p, offset), offset)
	return Outcome{}, nil
}

// out passes a message of a person of whom nothing more is taken in, before its values are looked at: they reach no dead letter.
func (m *Machine) out(p state.Partition, offset int64, subject uint64) Outcome {
	switch why := m.seen.Why(subject); {
	case why == 0:
		return Outcome{}
	case why&state.Forgotten != 0:
		m.intake.block(p, offset)
		return Outcome{Forgotten: true}
	}
	m.intake.beyond(p, offset)
	return Outcome{Beyond: true}
}

// Outdate notes that the source has updated or deleted a person, who is stale from here on if published (state.Stale). The host
// then refuses or ignores the message, or deletes the person, with whose position this is committed. An empty subject is nobody's.
func (m *Machine) Outdate(subject []byte) {
	if m.s.Policy.Level != state.L2 || m.s.Records.Firsts == nil || len(subject) == 0 || m.intake.failed {
		return
	}
	if r, known := m.s.Records.Firsts.Of(&m.s.Records, m.s.Secrets.SubjectOf(subject)); known && m.s.Records.ClassOf[r] != state.None {
		m.s.Stale.Add(r)
	}
}

// Refuse puts a record into the dead-letter outbox and passes its position.
func (m *Machine) Refuse(d state.DeadLetter) error { return m.intake.refuse(d) }

// Digest is the keyed digest under which state remembers what it must not keep.
// Unlike the other methods of a machine it is safe for concurrent use.
func (m *Machine) Digest(data []byte) state.Digest { return m.s.Secrets.DigestOf(data) }

// Commit makes everything since the last commit durable in one transaction.
func (m *Machine) Commit() error {
	if m.intake.failed {
		return ErrBroken
	}
	m.staged.closeBlock(&m.s.Records, m.s.Now)
	d := &m.staged.delta
	if m.s.Head.Changed {
		d.Meta = m.s.Head.Stored(m.s.Records.Leaves)
	}
	m.intake.into(d)
	m.seen.into(d)
	m.journal.into(d)
	m.ledger.into(d)
	d.Stale, d.Settling = m.s.Stale.Staged(), m.s.Open.Staged()
	if d.Empty() {
		return nil
	}
	if err := m.store.Commit(d); err != nil {
		m.intake.failed = true
		return err
	}
	m.staged.delta, m.s.Head.Changed, m.journal.changed, m.ledger.changed = state.Delta{}, false, false, false
	m.intake.committed()
	m.seen.committed()
	m.s.Stale.Committed()
	m.s.Open.Committed()
	return nil
}

// accept takes in the record whose row the columns took in last.
func (m *Machine) accept(subject uint64, origin uint16, offset int64) {
	c := &m.s.Records
	r := c.Len() - 1
	for _, i := range c.Grown() {
		m.staged.entry(i, c.Dicts[i].Text(c.Columns[i].At(int(r))))
	}
	c.ClassOf = append(c.ClassOf, state.None)
	c.SettlePlain()
	c.NoteArrival(r, m.s.Now)
	first := true
	if c.Firsts != nil {
		c.Subject = append(c.Subject, subject)
		first = c.Firsts.Note(c, r)
	}
	m.staged.origin(origin, offset)
	m.s.Pending.Arrive(r, c.StratumOf(r), !first)
	if m.s.Head.InitialDone && m.place.Behind() {
		m.place.Count(m.s.Pending.Waiting)
	}
}
