package state

import (
	"errors"
	"fmt"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/incremental/retire"
	"anond/incremental/settle"
	"anond/incremental/withdraw"
)

// Republication says what may become of a published class.
type Republication string

// The republication modes.
const (
	Append  Republication = "append"  // births are frozen permanently (rule A, frozen classes)
	Regroup Republication = "regroup" // flat births are pure and may be regrouped (rule P, pure classes)
)

// Level says whom a release is safe against (docs/THREAT_MODEL.md).
type Level uint8

// The levels.
const (
	// L1: an adversary who does not know the program. The value stands in the row of
	// its class (rules A, frozen classes, and P, pure classes).
	L1 Level = iota
	// L2: also one who knows the program and the law of its draws. Values stand in
	// buckets of whole classes (rule B, buckets).
	L2
)

// OnRefusal says what becomes of a first pool at level L2 that is refused.
type OnRefusal uint8

// What may become of it.
const (
	// StopRefused ends the run. The pool stays as it is; the next start may ask for less of it.
	StopRefused OnRefusal = iota
	// QuarantineRefused quarantines the whole pool. The next pool is the first.
	QuarantineRefused
	// GrowRefused lets it take in what follows. Level L2 is no longer promised from then on.
	GrowRefused
)

// Policy is everything that decides which classes are formed and when.
type Policy struct {
	Requirement equivclass.Requirement
	// Promises are those of sensitive attributes at level L2, by attribute of the schema. One without has that of
	// Requirement.
	Promises      map[int]*promise.Promise
	Level         Level
	Republication Republication
	// Threshold is the number of pending updates in a neighbourhood that must be
	// exceeded for a local update (paper: k-1).
	Threshold int
	// MaxHold is the number of ticks after which the loss of a record's class no
	// longer matters for its admission. Privacy is never traded for it.
	MaxHold int64
	// MaxWait is the number of ticks after which a person who is in no fixed pool has lapsed (level L2, with a subject); 0: nobody
	// lapses.
	MaxWait int64
	// HoldInCuts: a tick is one cut tried; else the host gives ticks by Tick.
	HoldInCuts    bool
	MaxRegroups   int // per record (rule E, equality patterns); negative: unlimited (experiments)
	Neighbours    int // classes looked at around the touched one
	NeighbourDims int // dimensions in which REL wants a record inside; 0: d-1
	Similar       int // of them, classes that are re-partitioned
	// OnUpdate: releases follow updates in neighbourhoods (trigger `update`, UpdateDue),
	// so that records are counted there before somebody asks. It has no influence on answers.
	OnUpdate bool
	// Workers is how many goroutines share the search for positions, local updates and a
	// decision at level L2; it has no influence on the result. Less than 2 means one.
	Workers int
	// CutEvery is the number of records read between two cuts (trigger
	// `records`), refused ones included; 0: the host says when.
	CutEvery int
	// References are the declared distributions of t-closeness, by attribute of
	// the schema. An attribute without one has the bag that release 1 publishes.
	References map[int][]equivclass.ValueCount
	// Settle says how long people are observed before one is published, at level L2 with a subject (package settle).
	Settle settle.Rule
	// Window says what leaves the releases, at level L2 (package retire).
	Window retire.Window
	// Initial partitions the first load, Local every later pool, at level L1.
	Initial, Local equivclass.Partitioner
	// InitialMax ends the first load at this number of records read; 0: at the end
	// of the source. InitialMin is the number without which it does not end;
	// at level L2 the people of the first pool, at least.
	InitialMax, InitialMin int
	// MinPool is the least number of records of a pool at level L2, in addition to what the
	// published values ask for (merge.MinPool). MaxPool bounds what they may ask for; 0: nothing does.
	MinPool   int
	MaxPool   int
	OnRefusal OnRefusal
	// Erasure is which buckets leave because their people asked for it, at level L2.
	Erasure withdraw.Rule
	// MaxRecords bounds the state; 0: no bound.
	MaxRecords int
}

// Check reports every contradiction in the policy for the records of a schema.
func (p Policy) Check(of *equivclass.Schema) error {
	var faults []error
	for _, attribute := range of.Sensitive() {
		if declared := p.Promises[attribute]; declared != nil {
			faults = append(faults, declared.Check())
		} else if p.Requirement.L < 2 {
			faults = append(faults, fmt.Errorf("l is %d: at 1 nothing is promised", p.Requirement.L))
		}
	}
	if several := len(of.Sensitive()) > 1; p.Level == L1 && (several || len(p.Promises) > 0) {
		faults = append(faults, errors.New("several sensitive attributes, and promises by attribute, need level L2"))
	} else if several && len(p.Requirement.Extra) > 0 {
		faults = append(faults, errors.New("further tests are of a dataset with one sensitive attribute"))
	}
	if p.Requirement.K < p.Requirement.L {
		faults = append(faults, fmt.Errorf("k is %d, below l = %d: a class with l values has at least l records",
			p.Requirement.K, p.Requirement.L))
	}
	if p.Level == L2 && p.Republication != Append {
		faults = append(faults, errors.New("level L2 needs republication append and buckets of whole classes"))
	}
	if p.MaxWait != 0 && (p.Level != L2 || of.SubjectIndex() < 0 || p.MaxWait <= p.MaxHold) {
		faults = append(faults, errors.New("people lapse at level L2 with a subject, and later than max_hold"))
	}
	if p.Settle.On() && (p.Level != L2 || of.SubjectIndex() < 0) {
		faults = append(faults, errors.New("people settle at level L2 with a subject"))
	}
	if p.Settle.Histories() {
		faults = append(faults, p.checkHistories(of)...)
	}
	if r := p.Erasure; !r.Keeps() && (p.Level != L2 || r.Count < 1 || r.Every < 1 || of.SubjectIndex() < 0) {
		faults = append(faults, errors.New("erasure by buckets needs level L2, a subject, and positive numbers"))
	}
	if p.Level == L1 && (p.Initial == nil || p.Local == nil) {
		faults = append(faults, errors.New("no partitioner"))
	}
	if p.InitialMax > 0 && p.InitialMax < p.InitialMin {
		faults = append(faults, fmt.Errorf("the first load ends after %d records, but needs %d", p.InitialMax, p.InitialMin))
	}
	if p.Threshold < 1 {
		faults = append(faults, fmt.Errorf("threshold is %d, must be at least 1", p.Threshold))
	}
	return errors.Join(faults...)
}

// PromiseOf is what is promised of a sensitive attribute at level L2.
func (p *Policy) PromiseOf(attribute int) *promise.Promise {
	if declared := p.Promises[attribute]; declared != nil {
		return declared
	}
	l := p.Requirement.L
	for _, extra := range p.Requirement.Extra {
		if f, ok := extra.(equivclass.FrequencyL); ok {
			l = max(l, f.L)
		}
	}
	return promise.Frequency(l)
}

// LargestL is what decides how large sub-pools are: the l of the attribute that has the largest one. A promise of another kind
// counts as a large one.
func (p *Policy) LargestL() (l int) {
	l = p.Requirement.L
	for _, of := range p.Promises {
		if l = max(l, of.L); of.L == 0 || of.Gain != (promise.Ratio{}) || len(of.AtMost) > 0 || of.Most != (promise.Ratio{}) {
			return otherL
		}
	}
	return l
}

// otherL is the l that a promise without one counts as.
const otherL = 10

// Exhausted reports whether a member of a class has no regrouping left (rule E). A class with a
// row that has no owner is closed (package erase).
func (p *Policy) Exhausted(c *Class) bool {
	return c.Ownerless || p.MaxRegroups >= 0 && int(c.Regroups) >= p.MaxRegroups
}

// checkHistories refuses what no history can have yet.
func (p *Policy) checkHistories(of *equivclass.Schema) (faults []error) {
	switch s := p.Settle; {
	case !s.On() || s.Max > settle.Most:
		faults = append(faults, errors.New("people have histories if they settle, of 15 records at most"))
	case s.Updates && of.RecordIndex() < 0:
		faults = append(faults, errors.New("an update replaces one of several records if an attribute has role record"))
	}
	if len(p.Requirement.Extra) > 0 {
		faults = append(faults, errors.New("further tests are of single values, not of histories"))
	}
	for _, i := range of.Sensitive() {
		a := of.Attributes()[i]
		if declared := p.Promises[i]; a.Exact || declared != nil && declared.Open {
			faults = append(faults, fmt.Errorf("attribute %q: a history has no exact numbers, and no value without a promise", a.Name))
		}
	}
	return faults
}
