package incremental

import (
	"fmt"

	"anond/equivclass"
)

// CheckInvariants examines the whole state and reports every fault: classes
// disjoint and admissible (rules A and P), pure classes flat, no subject twice
// in a class (rule S), regroupings within budget (rule E), and the counts:
// sent = published + pending + dead-letter. Cost: all records.
func (m *Machine) CheckInvariants() []error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	seen := make([]bool, m.records.len())
	published := 0
	for _, c := range m.classes {
		if c.Died != 0 {
			continue
		}
		for i, r := range c.Members {
			if i > 0 && c.Members[i-1] >= r {
				fault("class %d: members do not ascend", c.ID)
			}
			if seen[r] {
				fault("class %d: record %d is in another class too", c.ID, r)
			}
			seen[r] = true
		}
		published += len(c.Members)
		for _, f := range m.checkClass(c) {
			fault("class %d: %s", c.ID, f)
		}
	}
	s := m.Status()
	if published != s.Published {
		fault("%d records are in classes, but %d count as published", published, s.Published)
	}
	if s.Sent != uint64(s.Published+s.Pending.Total())+s.DeadLetter {
		fault("sent %d is not published %d + pending %d + dead-letter %d", s.Sent, s.Published, s.Pending.Total(), s.DeadLetter)
	}
	for from := 0; from < len(m.classes); {
		to := from
		for to < len(m.classes) && m.classes[to].Born == m.classes[from].Born {
			to++
		}
		for _, f := range m.checkPromises(m.classes[from:to], m.meta.References) {
			fault("release %d: %s", m.classes[from].Born, f)
		}
		from = to
	}
	return append(faults, m.checkHistory()...)
}

func (m *Machine) checkClass(c *Class) (faults []string) {
	b := m.records.bag(c.Members)
	want := m.policy.Requirement
	if !want.Holds(b) {
		faults = append(faults, "breaks the requirement")
	}
	if err := m.records.oneEpoch(c.Members); err != nil {
		faults = append(faults, err.Error())
	}
	if c.Regime == Pure && !b.Flat() {
		faults = append(faults, "is pure but not flat")
	}
	if m.policy.MaxRegroups >= 0 && int(c.Regroups) > m.policy.MaxRegroups {
		faults = append(faults, "was regrouped more often than max_regroups")
	}
	if m.records.firsts != nil {
		subjects := map[uint64]bool{}
		for _, r := range c.Members {
			if subjects[m.records.subject[r]] {
				faults = append(faults, "holds a subject twice")
			}
			subjects[m.records.subject[r]] = true
		}
	}
	return faults
}

// checkHistory holds rule P over time: every class that ever held a record had
// the same signature, and a frozen class never died.
func (m *Machine) checkHistory() (faults []error) {
	signature := map[RecordID]string{}
	for _, c := range m.classes {
		if c.Died != 0 && c.Regime == Frozen {
			faults = append(faults, fmt.Errorf("class %d is frozen but died", c.ID))
		}
		if c.Regime != Pure {
			continue
		}
		sig := signatureKey(m.records.bag(c.Members))
		for _, r := range c.Members {
			if s, ok := signature[r]; ok && s != sig {
				faults = append(faults, fmt.Errorf("class %d: record %d changed its signature", c.ID, r))
			}
			signature[r] = sig
		}
	}
	return faults
}

func signatureKey(b equivclass.Bag) string { return fmt.Sprint(b.Signature()) }
