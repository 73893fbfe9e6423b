package incremental

import "anond/equivclass"

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
func (m *Machine) Apply(p Partition, offset int64, row equivclass.Row) (Outcome, error) {
	if m.broken {
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
	if m.isBlocked(row) { // before its values are looked at: they reach no dead letter
		m.intake.block(p, offset)
		return Outcome{Forgotten: true}, nil
	}
	if m.isBarred(row) { // likewise
		m.intake.beyond(p, offset)
		return Outcome{Beyond: true}, nil
	}
	if why, attribute := m.records.Append(row); why != equivclass.Accepted {
		return Outcome{Reason: why, Attribute: attribute}, nil
	}
	m.accept(row, m.intake.accept(p, offset), offset)
	return Outcome{}, nil
}

// full reports whether the state holds as many records as it may, those of people who are barred included.
func (m *Machine) full() bool {
	return m.policy.MaxRecords > 0 && int(m.records.len())+len(m.barred.list) >= m.policy.MaxRecords
}

// Refuse puts a record into the dead-letter outbox and passes its position.
func (m *Machine) Refuse(d DeadLetter) error {
	if m.broken {
		return ErrBroken
	}
	return m.intake.refuse(d)
}

// Ignore passes a record that the configuration leaves out, and counts it.
func (m *Machine) Ignore(p Partition, offset int64, why equivclass.Reason) error {
	if m.broken {
		return ErrBroken
	}
	return m.intake.ignore(p, offset, why)
}

// PassLine passes a line that holds no record, from offset up to next, and counts
// it once. The last record applied stays what it was.
func (m *Machine) PassLine(p Partition, offset, next int64, why equivclass.Reason) error {
	if m.broken {
		return ErrBroken
	}
	return m.intake.passLine(p, offset, next, why)
}

// CountLines counts lines that are not records of their own.
func (m *Machine) CountLines(why equivclass.Reason, lines int) error {
	if m.broken {
		return ErrBroken
	}
	m.intake.count(why, uint64(lines))
	return nil
}

// Miss passes the offsets from one up to below, which were given up for a reason,
// and counts those that are not passed yet: once, whatever is read again.
func (m *Machine) Miss(p Partition, from, below int64, why equivclass.Reason) error {
	if m.broken {
		return ErrBroken
	}
	m.intake.miss(p, from, below, why)
	return nil
}

// Pass moves the position of a partition over offsets that hold no record.
func (m *Machine) Pass(p Partition, next int64) { m.intake.offsets.pass(p, next) }

// Mark moves the position of a partition that is read through another one.
func (m *Machine) Mark(p Partition, next int64) error {
	if err := m.intake.offsets.numbered(p); err != nil {
		return err
	}
	m.intake.offsets.pass(p, next)
	return nil
}

// Witness stores the keyed digest of the last record applied in a partition.
func (m *Machine) Witness(p Partition, d Digest) { m.intake.offsets.witness(p, d) }

// Digest is the keyed digest under which state remembers what it must not keep.
// Unlike all other methods of a machine it is safe for concurrent use.
func (m *Machine) Digest(data []byte) Digest { return m.secrets.digestOf(data) }

// Delivered notes that dead letters up to seq have reached their sink; they
// leave the outbox with the next commit.
func (m *Machine) Delivered(seq uint64, letters int) { m.intake.deliver(seq, letters) }

// Commit makes everything since the last commit durable in one transaction.
func (m *Machine) Commit() error {
	if m.broken {
		return ErrBroken
	}
	m.staged.closeBlock(&m.records, m.now)
	d := &m.staged.delta
	if m.head.changed {
		d.Meta = m.head.stored(m.records.leaves)
	}
	m.intake.into(d)
	m.blocked.into(d)
	m.journal.into(d)
	d.Barred = m.barred.list[m.barred.from:]
	if d.Empty() {
		return nil
	}
	if err := m.store.Commit(d); err != nil {
		m.broken = true
		return err
	}
	m.staged.delta, m.head.changed, m.blocked.changed, m.journal.changed = Delta{}, false, false, false
	m.intake.committed()
	m.barred.from = len(m.barred.list)
	return nil
}

// accept takes in the record whose row the columns took in last.
func (m *Machine) accept(row equivclass.Row, origin uint16, offset int64) {
	c := &m.records
	r := c.len() - 1
	for _, i := range c.Grown() {
		m.staged.entry(i, c.Dicts[i].Text(c.Columns[i].At(int(r))))
	}
	c.classOf = append(c.classOf, none)
	c.noteArrival(r, m.now)
	first := true
	if i := m.schema.SubjectIndex(); i >= 0 {
		c.subject = append(c.subject, m.secrets.subjectOf(row[i]))
		first = c.firsts.note(c, r)
	}
	m.staged.origin(origin, offset)
	m.pending.arrive(r, !first)
	if m.head.InitialDone && m.planner.behind() {
		m.planner.count(m.pending.waiting)
	}
}
