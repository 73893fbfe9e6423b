package state

import (
	"anond/equivclass"
	"anond/equivclass/promise"
)

// Decision is what a cut changes: classes that are born, and those whose
// records the births take over.
type Decision struct {
	Births []*Class
	Deaths []ClassID
	// References are the distributions of t-closeness that release 1 fixes, by
	// attribute.
	References map[int][]equivclass.Count
	// Pool is the pool that is quarantined, at level L2; then nothing is born. Failed are the attributes for which it is, for the operator.
	Pool   []RecordID
	Failed []promise.Verdict
}

// Empty reports that nothing is born, and nothing leaves.
func (d *Decision) Empty() bool { return len(d.Births)+len(d.Deaths) == 0 }

// Fix notes the reference distribution of an attribute.
func (d *Decision) Fix(attribute int, counts []equivclass.Count) {
	if d.References == nil {
		d.References = map[int][]equivclass.Count{}
	}
	d.References[attribute] = counts
}
