package audit

import (
	"maps"
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
)

// When the hierarchy of the sensitive attribute grows, values become valid that
// nobody could have who arrived before. Whoever knows when people arrived rules
// them out in a class that holds one, at level L2 in a bucket. So such a class may
// hold only people who arrived later. The exports name the first release that covers a record: a record
// covered before the first hierarchy copy with the value arrived before the value
// was valid.

// noteValues notes in which release values became valid.
func (a *auditor) noteValues(before, after *format.Manifest, number int) error {
	e := a.eraOf(after)
	if e.before != nil && e.since == nil {
		e.since = maps.Clone(e.before.since)
	}
	i := slices.IndexFunc(after.Schema, func(c format.Column) bool { return c.Role == "sensitive" })
	if i < 0 || !slices.Contains(format.Grown(before, after), after.Schema[i].Name) {
		return nil
	}
	known := &format.Faults{} // checkGrowth has told them
	old, err := format.LoadHierarchy(a.in.dir, before, after.Schema[i].Name, known)
	if err != nil {
		return err
	}
	now, err := format.LoadHierarchy(a.in.dir, after, after.Schema[i].Name, known)
	if err != nil {
		return err
	}
	if e.since == nil {
		e.since = map[string]int{}
	}
	for leaf := range now.Leaf {
		if _, had := old.Leaf[leaf]; !had && e.since[leaf] == 0 {
			e.since[leaf] = number
		}
	}
	return nil
}

// epochs finds classes that hold a value and somebody who arrived before it was
// valid.
func (e *era) epochs(rel *chain.Release, classOf []uint32) {
	if len(e.since) == 0 || !rel.Tab.WholeBuckets() {
		return
	}
	newest := make([]int, rel.Tab.M)
	for c := range newest {
		values, _, _ := rel.Tab.Bucket(c)
		for _, v := range values {
			for _, text := range e.s.Sa.Texts(v) {
				newest[c] = max(newest[c], e.since[text])
			}
		}
	}
	early := make([]int, rel.Tab.M)
	for rec, c := range classOf {
		if c > 0 && rec < e.records.N && e.records.Known[rec] && int(e.records.Arrived[rec]) < newest[c-1] {
			early[c-1]++
		}
	}
	for c, n := range early {
		e.f.AddN("SA", format.KindBeforeValue, rel.Num, c+1, e.s.Sa.Name,
			"members arrived before a value of their class or bucket was valid: whoever knows that rules it out for them", n)
	}
}
