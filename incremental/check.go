package incremental

import (
	"fmt"
	"maps"
	"slices"

	"anond/equivclass"
	"anond/incremental/pools"
	"anond/incremental/state"
)

// inspection examines the classes of a state and their history.
type inspection struct {
	policy  *state.Policy
	records *state.Records
	classes []*state.Class
	under   func(release uint32) *era // that in which a release was decided
}

// CheckInvariants examines the whole state and reports every fault: classes
// disjoint and admissible (rule A, frozen classes), pure classes flat (rule P, pure
// classes), no subject twice in a class (rule S, one record of a subject), regroupings
// within budget (rule E, equality patterns), and the counts:
// sent = published + expired + pending + dead_letter + forgotten + beyond. Cost: all records.
func (m *Machine) CheckInvariants() []error {
	under, unreadable := m.inEras()
	if unreadable != nil {
		return []error{unreadable}
	}
	i := inspection{&m.s.Policy, &m.s.Records, m.s.History.Classes, under}
	published, faults := i.living()
	s := m.Status()
	if published += m.s.History.Newcomers(m.s.Head.Removed); published != m.s.Published()+m.s.History.Left+m.s.History.Withdrawn() {
		faults = append(faults, fmt.Errorf("%d people are in classes, but %d count as published, %d as expired, and %d as withdrawn", published,
			m.s.Published(), m.s.History.Left, m.s.History.Withdrawn()))
	}
	if s.Sent != s.Accounted() {
		faults = append(faults, fmt.Errorf("sent %d is not published %d + expired %d + pending %d + dead_letter %d + forgotten %d + "+
			"withdrawn %d + beyond %d", s.Sent, s.Published, s.Expired, s.Pending.Total(), s.DeadLetter, s.Forgotten, s.Withdrawn, s.Beyond))
	}
	faults = append(faults, i.releases()...)
	faults = append(faults, i.lengths()...)
	faults = append(faults, i.values(&m.s)...)
	return append(faults, i.past()...)
}

// era is what is asked of the classes of an era, and their records as it has them.
type era struct {
	*state.Policy
	records *state.Records
}

// inEras are all of them, by release.
func (m *Machine) inEras() (under func(release uint32) *era, err error) {
	eras := m.s.Head.Eras
	all := make([]*era, len(eras))
	all[len(all)-1] = &era{&m.s.Policy, &m.s.Records}
	for i := len(all) - 2; i >= 0; i-- {
		if next := eras[i+1]; next.Grown || next.Release == eras[i].Release { // the same policy, or of nothing that was published
			all[i] = all[i+1]
			continue
		}
		o, err := m.under(i)
		if err != nil {
			return nil, err
		}
		all[i] = &era{&o.Policy, m.s.Records.Under(o.Schema)}
	}
	return func(release uint32) *era { return all[m.s.Head.EraOf(release)] }, nil
}

// lengths examines that people of a stratum have histories of its length (rule U, units), but those who were forgotten while they waited.
func (i *inspection) lengths() (faults []error) {
	for _, attribute := range i.records.Schema.Sensitive() {
		for r := range i.records.Len() {
			if dict := i.records.Dicts[attribute]; dict.Records() > 0 && !(i.records.Erased(r) && i.records.ClassOf[r] == state.None) &&
				len(equivclass.Parts(dict.Text(i.records.Columns[attribute].At(int(r))))) != i.records.Length(r) {
				return []error{fmt.Errorf("record %d: its history and its stratum differ in length", r)}
			}
		}
	}
	return nil
}

// values examines the bags that pools had at birth: they are those of the classes (rule W, what may leave), of which some may
// have left the state.
func (i *inspection) values(s *state.State) (faults []error) {
	if i.policy.Level != state.L2 {
		return nil
	}
	sensitive, want := i.records.Schema.Sensitive(), map[state.Group]*state.Values{}
	people, removed := s.History.Newcomers(s.Head.Removed), s.History.Newcomers(s.Head.Removed) > 0
	for _, c := range i.classes {
		of := state.Group{Stratum: i.records.StratumOf(c.Members[0]), Sensitive: i.records.Has(sensitive, c.Members[0])}
		if want[of] == nil {
			want[of] = &state.Values{Counts: make([][]int, of.Sensitive)}
		}
		for k, attribute := range sensitive[:of.Sensitive] {
			want[of].Counts[k] = append(want[of].Counts[k], make([]int, i.records.Dicts[attribute].Len()-len(want[of].Counts[k]))...)
			equivclass.Tally(&i.records.Columns[attribute], c.Members, want[of].Counts[k])
		}
		people += len(c.Members)
	}
	for of, have := range s.History.Values {
		people -= have.People
		for k := range have.Counts {
			for code, n := range have.Counts[k] {
				known := 0
				if v := want[of]; v != nil {
					known = v.Counts[k][code]
				}
				if n < known || !removed && n > known {
					faults = append(faults, fmt.Errorf("sensitive attribute %d: bags at birth and classes differ in how often a value occurs", k))
					break
				}
			}
		}
	}
	if people != 0 {
		faults = append(faults, fmt.Errorf("bags at birth are of %d people fewer than classes have", people))
	}
	return faults
}

// living examines the classes that hold their people, and counts these.
func (i *inspection) living() (published int, faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	seen := make([]bool, i.records.Len())
	for _, c := range i.classes {
		if !c.Holds() {
			continue
		}
		for n, r := range c.Members {
			if n > 0 && c.Members[n-1] >= r {
				fault("class %d: members do not ascend", c.ID)
			}
			if seen[r] {
				fault("class %d: record %d is in another class too", c.ID, r)
			}
			seen[r] = true
		}
		published += len(c.Members)
		for _, f := range i.class(c) {
			fault("class %d: %s", c.ID, f)
		}
	}
	return published, faults
}

// class examines one class.
func (i *inspection) class(c *state.Class) (faults []string) {
	b := i.records.Bag(c.Members)
	if i.policy.Level == state.L2 {
		if len(c.Members) != i.under(c.Born).Requirement.K || c.Regime != state.Frozen || c.Bucket == 0 {
			faults = append(faults, "is no frozen class of exactly k records in a bucket")
		}
	} else if !i.policy.Requirement.Holds(b) {
		faults = append(faults, "breaks the requirement")
	}
	if err := i.records.OneEpoch(c.Members); err != nil {
		faults = append(faults, err.Error())
	}
	if c.Regime == state.Pure && !b.Flat() {
		faults = append(faults, "is pure but not flat")
	}
	if i.policy.MaxRegroups >= 0 && int(c.Regroups) > i.policy.MaxRegroups {
		faults = append(faults, "was regrouped more often than max_regroups")
	}
	if i.records.Firsts != nil {
		subjects := map[uint64]bool{}
		for _, r := range c.Members {
			if i.records.Erased(r) {
				continue
			}
			if subjects[i.records.Subject[r]] {
				faults = append(faults, "holds a subject twice")
			}
			subjects[i.records.Subject[r]] = true
		}
	}
	return faults
}

// releases examines, for each release, what its births keep together.
func (i *inspection) releases() (faults []error) {
	for from := 0; from < len(i.classes); {
		to, born := from, i.classes[from].Born
		for to < len(i.classes) && i.classes[to].Born == born {
			to++
		}
		if i.policy.Level == state.L2 {
			faults = append(faults, i.buckets(i.classes[from:to])...)
		}
		from = to
	}
	return faults
}

// buckets examines the buckets of one release (rule B, buckets).
func (i *inspection) buckets(births []*state.Class) (faults []error) {
	members := map[state.BucketID][]state.RecordID{}
	for _, c := range births {
		members[c.Bucket] = append(members[c.Bucket], c.Members...)
	}
	under := i.under(births[0].Born)
	judge := pools.Judge(under.records, under.Policy, under.Requirement.Extra, slices.Concat(slices.Collect(maps.Values(members))...))
	for _, id := range slices.Sorted(maps.Keys(members)) {
		if err := judge(members[id]); err != nil {
			faults = append(faults, fmt.Errorf("bucket %d: %w", id, err))
		}
	}
	return faults
}

// past checks rule P over time: every class that ever held a record had the same
// signature, and a frozen class never died.
func (i *inspection) past() (faults []error) {
	signature := map[state.RecordID]string{}
	for _, c := range i.classes {
		if !c.Holds() && c.Regime == state.Frozen {
			faults = append(faults, fmt.Errorf("class %d is frozen but died", c.ID))
		}
		if c.Regime != state.Pure {
			continue
		}
		sig := signatureKey(i.records.Bag(c.Members))
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
