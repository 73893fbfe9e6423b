// Package erase plans how a state forgets people: which records stay as rows without owner, and what stands in their place.
//
// Guarantee: whoever keeps every release learns no more than before (Theorem E with erasures, below), and the state no longer says
// which row was whose. Nothing is changed here: a store rewrites itself by an Erasure. Cost: all records.
package erase

import (
	"anond/equivclass"
	"anond/incremental/state"
	"anond/internal/fault"
)

// Erasure: what a state keeps of people who were forgotten.
//
// A record of a forgotten person keeps its number and its place in the order of arrival, as
// other numbers count on it, and its class if it was published. It loses subject,
// quasi-identifiers, sensitive values, and where it came from: subject 0 says so. In a class it is a row
// that has no owner; outside of classes it is nothing but a count (forgotten).
//
// Rule N (insert-only), as amended: no published row ever leaves, also not that of a person who
// is forgotten. What leaves is the link from the person to the row. Rules A (frozen classes) and
// B (buckets) hold because classes, buckets and bags stay as they are, and so do the cells: an
// ownerless row takes codes with which its class shows what it showed (cellKeeper). Rule P (pure
// classes): a class with an ownerless row is closed (Policy.exhausted), since regrouping would
// need the value of a person who is not there any more. Rule S (subjects): no later record of the
// person is taken in (state.People), as a second bucket for the same value would tell it.
//
// Claim (Theorem E goes on to hold). If whom people ask to be forgotten, and when, does not
// depend on sensitive values given quasi-identifiers and arrivals, then for every person t in a
// published bucket B and every value v, P(s(t)=v | all releases, program, law of draws, who was
// forgotten when) = count_B(v)/|B|.
//
// Proof. Add who was forgotten when, as a list F, to what is observed. The weight of a world gets
// one more factor, P(F | world). The permutations g of the proof of Theorem E exchange values
// among records of buckets and keep quasi-identifiers and arrivals; so this factor stays, by the
// assumption. It remains that given F the machine's output has the same probability for a world
// and for g of it. A waiting record that is forgotten is in no later pool: pools, classes and
// their times are functions of quasi-identifiers, arrival, published data and F, and none of
// these is changed by g. That of a pool that loses a record another one is in its place follows from
// these alone, too: no value is looked at before the pool is complete (package pools). A published record
// that is forgotten leaves bag, class and bucket as they are; so what later pools take from
// published values stays. A later record of a person in F is blocked by its subject alone. g moves
// values also from and to ownerless rows, as their values count in the bag like all others. So all
// steps of the proof apply, and the posterior is the share in the bucket. QED
//
// Who is in a pool that is fixed and not decided (fixed_pool.go) is forgotten when it is decided: the request counts as
// made then. A pool without one of its people would be another pool: that one bag was refused and the other is not, or that
// a stop came between, tells about them. Deletions that follow from the value, such as those of people who died
// of it, are outside of the model.
//
// A release that is decided and not published yet is rendered afterwards as it would have been: the
// recoding of level L2 writes cells, classes and bags of buckets, and nothing else of the records. At
// level L1 values stand in rows, so there the release is finished first (ErrUnpublished).
//
// All worlds of a small stream with and without erasures: TestForgettingKeepsTheoremE.

// Errors of Forget. Nothing was changed.
var (
	// ErrNoSubject: records do not say whose they are.
	ErrNoSubject = fault.Errorf(fault.Config, "a dataset that can forget has an attribute with role: subject, from its beginning",
		"no attribute has role subject: the state does not know which records are a person's")
	// ErrNotErasable: state cannot cut the link to a published row under these settings.
	ErrNotErasable = fault.Errorf(fault.Failed, "nothing was changed; docs/RUN.md says what anond forget covers",
		"a published record cannot be forgotten under these settings")
	// ErrNobodyElse: nothing would be left to stand in the place of the records.
	ErrNobodyElse = fault.Errorf(fault.Failed, "nothing was changed; docs/RUN.md says what anond forget covers",
		"the state has no record of anybody else")
)

// Forgotten counts what an erasure changes. It tells nothing that depends on a value (rule H,
// held).
type Forgotten struct {
	Published   int `json:"published"`   // rows that lose their owner and stay
	Unpublished int `json:"unpublished"` // records that were in no release
	Unlinked    int `json:"unlinked"`    // records of others in the same buckets or classes, whose link to their value is cut
	// Derivable are published records whose value follows from what the state has of others: at
	// level L1, where the people of a class were in other classes before.
	Derivable int `json:"derivable"`
	// Bounds are published cells that show a value of the person because nobody else of the
	// class had it: every release shows them.
	Bounds int `json:"bounds"`
	// First is the release that published a row of the person first, 0 if none did.
	First uint32 `json:"first_release"`
	// Last is the newest release that shows the row, of those that were decided then; 0: none does.
	Last uint32 `json:"last_release"`
	// Later are people of a pool that is fixed and not decided: they are forgotten when it is.
	Later int `json:"when_decided"`
	// Departed are people whose rows have left the releases with their parts, and whose records the state has no more.
	Departed int `json:"departed,omitempty"`
}

// Erasure is how a state is rewritten such that it forgets people. A store rewrites itself by
// it into a new file; the machine that made it must be thrown away.
type Erasure struct {
	Forgotten
	records *state.Records
	meta    *state.Meta
	fresh   []state.Person                       // those who were not forgotten before
	slots   map[state.RecordID]*vacancy          // of all who were ever forgotten
	values  map[state.RecordID][]equivclass.Code // sensitive values that are assigned again inside a bag, those of a person together
	renamed renaming
	closed  map[uint64]bool // histories that are open, by number
	held    uint64          // records that these have
}

// Closes reports whether the person of an open history is forgotten, and Closed is how many are.
func (e *Erasure) Closes(history uint64) bool { return e.closed[history] }

// Closed is how many open histories end.
func (e *Erasure) Closed() int { return len(e.closed) }

// Count enters into the counters what leaves with open histories.
func (e *Erasure) Count(c *state.Counters) { c.Blocked += e.held }

// Empty reports whether state has no record of these people, so that only the list of who was
// forgotten changes.
func (e *Erasure) Empty() bool { return e.Published+e.Unpublished+len(e.closed) == 0 }

// vacancy is what stands in the place of a forgotten person's record.
type vacancy struct {
	codes []equivclass.Code // by Records.Stores
	class state.ClassID     // none: it is in no class
	fresh bool              // forgotten by this erasure
}

// vanished is the new code of a value that nobody has any more.
const vanished = ^equivclass.Code(0)

// Asked is who is to be forgotten, besides those who were before.
type Asked struct {
	People   []state.Person
	Unlinked func(state.ClassID) bool // whether the state knows no more who of a class has which value
	Quasi    func(uint32) []int       // the attributes that classes show which were born in a release
}

// Plan plans how a state forgets people, and those whom it has forgotten before. It changes nothing.
func Plan(s *state.State, of Asked) (*Erasure, error) {
	p := &erasing{Erasure: &Erasure{records: &s.Records, slots: map[state.RecordID]*vacancy{},
		values: map[state.RecordID][]equivclass.Code{}, renamed: renaming{}, closed: map[uint64]bool{}}, from: s, of: of}
	if s.Records.Firsts == nil {
		return nil, ErrNoSubject
	}
	p.asked = map[state.Person]bool{}
	for _, d := range of.People {
		if !p.asked[d] && s.Known.Why(d)&state.Forgotten == 0 {
			p.fresh = append(p.fresh, d)
		}
		p.asked[d] = true
	}
	p.meta = s.Head.Stored(s.Records.Leaves)
	if p.gather(); len(p.slots) == 0 { // open histories at most
		return p.Erasure, nil
	}
	if s.History.Unpublished() != nil && s.Policy.Level != state.L2 {
		return nil, state.ErrUnpublished
	}
	p.unlink()
	newCellKeeper(p).keep()
	return p.Erasure, p.rename()
}

// erasing makes an Erasure.
type erasing struct {
	*Erasure
	from  *state.State
	of    Asked
	asked map[state.Person]bool
}

// forgets reports whether somebody is to be forgotten, or was.
func (p *erasing) forgets(d state.Person) bool {
	return p.asked[d] || p.from.Known.Why(d)&state.Forgotten != 0
}

// gather finds the records of forgotten people, also of those who were forgotten before.
func (p *erasing) gather() {
	m, c := p.from, p.records
	later := p.fixed()
	p.Later = len(later)
	for r := range c.Len() {
		fresh := !c.Erased(r)
		if d := m.Secrets.Person(c.Subject[r]); fresh && (!p.forgets(d) || later[d]) {
			continue
		}
		s := &vacancy{codes: c.Codes(c.Stores, r), class: c.ClassOf[r], fresh: fresh}
		p.slots[r] = s
		if fresh {
			p.note(s)
		}
	}
	for h := range m.Open.All {
		if p.forgets(m.Secrets.Person(h.Person)) {
			p.closed[h.Number] = true
			p.held += uint64(len(h.Records))
		}
	}
	p.Unpublished += int(p.held)
}

// fixed are the people to be forgotten who are in a pool that is fixed.
func (p *erasing) fixed() map[state.Digest]bool {
	out := map[state.Digest]bool{}
	if of := p.from.Head.Pools.Open; of != nil {
		for _, r := range of.Members {
			if d := p.from.Secrets.Person(p.records.Subject[r]); p.forgets(d) {
				out[d] = true
			}
		}
	}
	return out
}

func (p *erasing) note(s *vacancy) {
	if s.class == state.None {
		p.Unpublished++
		return
	}
	p.Published++
	if born := p.born(s.class); p.First == 0 || born < p.First {
		p.First = born
	}
	h := &p.from.History
	last := h.Shows(h.Classes[s.class].Born)
	if c := h.Classes[s.class]; c.Died != 0 && c.Bucket != 0 {
		last = min(last, c.Died-1)
	}
	p.Last = max(p.Last, last)
}

// born is the release in which somebody of a class was published first.
func (p *erasing) born(id state.ClassID) uint32 { return p.from.History.Classes[id].Born }
