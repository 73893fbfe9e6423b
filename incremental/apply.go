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
}

// Apply takes in one record at the position after the last one applied in its
// partition. A record whose values do not fit the schema is not taken in: the
// outcome names the reason and the host decides between Refuse and Ignore.
// Cost: d dictionary look-ups and one search in the spatial index.
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
	if why, attribute := m.records.check(row); why != equivclass.Accepted {
		return Outcome{Reason: why, Attribute: attribute}, nil
	}
	origin, err := m.intake.accept(p, offset)
	if err != nil {
		return Outcome{}, err
	}
	m.accept(row, origin, offset)
	return Outcome{}, nil
}

// full reports whether the state holds as many records as it may.
func (m *Machine) full() bool {
	return m.policy.MaxRecords > 0 && int(m.records.len()) >= m.policy.MaxRecords
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

// CountLines counts lines that are no records of their own.
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

// Witness stores the keyed digest of the last record applied in a partition.
func (m *Machine) Witness(p Partition, d Digest) { m.intake.offsets.witness(p, d) }

// Digest is the keyed digest under which state remembers what it must not keep.
// Unlike all else of a machine it is safe for concurrent use.
func (m *Machine) Digest(data []byte) Digest { return m.secrets.digestOf(data) }

// Delivered tells that dead letters up to seq have reached their sink; they
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
	if d.Empty() {
		return nil
	}
	if err := m.store.Commit(d); err != nil {
		m.broken = true
		return err
	}
	m.staged.delta, m.head.changed = Delta{}, false
	m.intake.committed()
	return nil
}

// check tells whether every stored value of a row is admissible.
//
// What the adversary knows is checked first: quasi-identifiers, subject, flags;
// then semi-sensitive values, and the sensitive one last. So the reason of a
// record with a bad quasi-identifier says nothing about its sensitive value, nor
// does what becomes of it later (Readmissible).
func (c *columns) check(row equivclass.Row) (equivclass.Reason, string) {
	attributes := c.schema.Attributes()
	for _, i := range c.schema.Quasi() {
		if why := c.checkValue(i, row[i]); why != equivclass.Accepted {
			return why, attributes[i].Name
		}
	}
	if i := c.schema.SubjectIndex(); i >= 0 && len(row[i]) == 0 {
		return equivclass.ReasonMissing, attributes[i].Name
	}
	if i, ok := c.flags.check(row); !ok {
		return equivclass.ReasonFlag, attributes[i].Name
	}
	for _, i := range c.schema.Semi() {
		if why := c.checkValue(i, row[i]); why != equivclass.Accepted {
			return why, attributes[i].Name
		}
	}
	i := c.schema.SensitiveIndex()
	if why := c.checkValue(i, row[i]); why != equivclass.Accepted {
		return why, attributes[i].Name
	}
	return equivclass.Accepted, ""
}

func (c *columns) checkValue(attribute int, raw []byte) equivclass.Reason {
	d := c.dicts[attribute]
	if raw == nil && (c.schema.Missing() == equivclass.RefuseMissing || d.Attribute().Type.Numeric()) {
		return equivclass.ReasonMissing
	}
	_, _, why := d.Find(raw)
	return why
}

// accept appends a checked row to the columns and to the pending records.
func (m *Machine) accept(row equivclass.Row, origin uint16, offset int64) {
	c := &m.records
	r := c.len()
	for j, i := range m.schema.Quasi() {
		c.qi[j] = append(c.qi[j], c.code(i, row[i], &m.staged))
	}
	for j, i := range m.schema.Semi() {
		c.semi[j] = append(c.semi[j], c.code(i, row[i], &m.staged))
	}
	c.flags.accept(row)
	i := m.schema.SensitiveIndex()
	c.sa = append(c.sa, c.code(i, row[i], &m.staged))
	c.classOf = append(c.classOf, none)
	c.noteArrival(r, m.now)
	first := true
	if i := m.schema.SubjectIndex(); i >= 0 {
		s := m.secrets.subjectOf(row[i])
		c.subject = append(c.subject, s)
		first = c.noteSubject(s, c.sa[r], r)
	}
	m.staged.origin(origin, offset)
	if m.pending.arrive(r, !first && c.isRepeat(r)) && m.head.InitialDone {
		m.planner.place(c, r)
	}
}

// code returns the code of a checked value, taking a new one in.
func (c *columns) code(attribute int, raw []byte, s *staged) equivclass.Code {
	d := c.dicts[attribute]
	code, found, _ := d.Find(raw)
	if found {
		return code
	}
	code = d.Add(raw)
	s.entry(attribute, d.Text(code))
	return code
}
