package plan

import (
	"fmt"
	"strings"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/internal/fault"
)

// InfeasibleError says that no partition of the first load can satisfy what is
// asked (rule I, infeasible; docs/PROOFS.md, Lemma D). It carries shares, never a value.
type InfeasibleError struct {
	Attribute string
	Records   int     // of the first load
	Share     float64 // of the most frequent value
	L         int
	Reachable int // the largest l that the records allow
	// Principle is the further test that not even all records together satisfy;
	// empty if l fails. Distance is how far they are from the declared reference, if
	// the test is t-closeness.
	Principle string
	Distance  float64
	// Alone says that no class is close to the values of the others.
	Alone bool
	// Failed are the attributes whose promise the pool does not keep, where there are promises by attribute.
	Failed []promise.Verdict
	// Fixed: it is the first pool at level L2, which stays what it is. The run ends.
	Fixed bool
}

func (e *InfeasibleError) Error() string {
	if len(e.Failed) > 0 {
		return "the first pool cannot keep what is promised: " + Unkept(e.Failed)
	}
	if e.Alone {
		return fmt.Sprintf("of the %d records of the first load no class satisfies %s on %q against the values that release 1 would publish",
			e.Records, e.Principle, e.Attribute)
	}
	if e.Principle != "" {
		return fmt.Sprintf("not even all %d records of the first load as one class satisfy %s on %q: no release of them can",
			e.Records, e.Principle, e.Attribute)
	}
	return fmt.Sprintf("the most frequent value of %q has %.1f %% of the first load, more than 1/l = %.1f %%: no release can keep l = %d",
		e.Attribute, 100*e.Share, 100/float64(e.L), e.L)
}

// Unkept says of attributes whose promise a pool does not keep by how much: in counts, which tell an operator what was too frequent, and
// no value (rule V, values). Nothing is promised to the people of such a pool.
func Unkept(failed []promise.Verdict) string {
	why := make([]string, len(failed))
	for i, v := range failed {
		if why[i] = fmt.Sprintf("%d of %d people have the same value of %q, and %s may", v.N, v.People, v.Attribute, v.Cap); v.People == 0 {
			why[i] = fmt.Sprintf("the values of %q do not satisfy policy.diversity", v.Attribute)
		}
	}
	return strings.Join(why, "; ")
}

// Fault implements fault.Fault.
func (e *InfeasibleError) Fault() (fault.Kind, string) { return fault.Privacy, e.hint() }

func (e *InfeasibleError) hint() string {
	const otherwise = ", which anond config apply takes in; or set initial.on_refusal to quarantine or grow " +
		"(docs/POOLS.md, A refused first pool)"
	switch {
	case len(e.Failed) > 0:
		return "promise less of these attributes (schema.attributes[].promise, policy.l)" + otherwise
	case e.Fixed && e.Principle != "":
		return "ask for less in policy.diversity" + otherwise
	case e.Fixed && e.Reachable >= 2:
		return fmt.Sprintf("set policy.l to %d or less", e.Reachable) + otherwise
	case e.Fixed:
		return "not even l = 2 is reachable: promise something else of it (schema.attributes[].promise, such as {gain: 2})" + otherwise
	case e.Alone:
		return "raise t, or k: larger classes are closer to the whole; or declare the reference"
	case e.Distance > 0:
		return fmt.Sprintf("the records are at distance %.3f from the declared reference: correct it, or raise t above that", e.Distance)
	case e.Principle != "":
		return "ask for less in policy.diversity, or wait for more records"
	case e.Reachable < 2:
		return "not even l = 2 is reachable: wait for more records, or divide the most frequent value"
	}
	return fmt.Sprintf("l = %d is reachable with these records; or wait for more, or divide the most frequent value", e.Reachable)
}

// Feasible refuses a load that breaks the requirement as one class: the union of
// classes that satisfy a principle satisfies it, so no partition of all the
// records could.
func Feasible(attribute string, b equivclass.Bag, want equivclass.Requirement) error {
	e := &InfeasibleError{Attribute: attribute, Records: b.Total, Share: float64(b.Max()) / float64(b.Total), L: want.L,
		Reachable: b.Total / b.Max()}
	if !b.Eligible(want.L) {
		return e
	}
	for _, p := range want.Extra {
		if p.Holds(b) {
			continue
		}
		e.Principle = p.Name()
		if t, ok := p.(equivclass.TClose); ok {
			e.Distance = t.Ground.Distance(b, t.Reference)
		}
		return e
	}
	return nil
}

// NothingClose says that every class of release 1 fails t-closeness against the
// values of the classes that would be published with it.
func NothingClose(attribute string, records int, want equivclass.Requirement) error {
	e := &InfeasibleError{Attribute: attribute, Records: records, Alone: true}
	for _, p := range want.Extra {
		if t, ok := p.(equivclass.TClose); ok && t.Reference.Total == 0 {
			e.Principle = t.Name()
		}
	}
	return e
}
