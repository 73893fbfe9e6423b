package incremental

import (
	"fmt"
	"maps"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
	"anond/internal/fault"
)

// A hierarchy may grow. Leaves may be added anywhere; every leaf that state knows
// keeps its whole path. So every cell that was ever published keeps its label, which
// is that of the lowest common ancestor of the same leaves. Before release 1 any
// change is accepted that leaves no record without its leaf.
//
// A new leaf of a quasi-identifier tells nothing that adversaries do not know. A new
// leaf of a sensitive attribute does: whoever arrived before it cannot have the new
// value. So records with a new value share classes only with records that arrived
// after it became valid (state/epochs.go).

// GrowthError says that a hierarchy changed in a way that is not growth.
type GrowthError struct {
	Attribute string
	// Moved leaves have another path; Lost leaves are there no longer. They are
	// values of a public file, but an error names their lines instead.
	Moved, Lost []string
	Reason      string // any other cause; empty if it is the leaves
}

func (e *GrowthError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("the hierarchy of attribute %q was changed: %s", e.Attribute, e.Reason)
	}
	return fmt.Sprintf("the hierarchy of attribute %q was changed: of the leaves that state knows, %d have another path and %d are gone. "+
		"New leaves may be added; what is there keeps its whole path", e.Attribute, len(e.Moved), len(e.Lost))
}

// Fault implements fault.Fault.
func (e *GrowthError) Fault() (fault.Kind, string) {
	if e.Reason == "" {
		return fault.Config, "restore the earlier lines, and only add new ones"
	}
	return fault.Config, elsewhere
}

// hierarchies takes the present hierarchies into state, or refuses them.
func (a *adoption) hierarchies() error {
	a.records.BindLeaves()
	grew := false
	for _, key := range slices.Sorted(maps.Keys(a.Hierarchies)) {
		attribute := a.Hierarchies[key]
		versions := a.head.Hierarchies[attribute]
		if n := len(versions); n > 0 && versions[n-1].SHA256 == a.Settings[key] {
			continue
		}
		if had, known := a.head.Settings[key]; known && had != a.Settings[key] && a.records.LeavesOf(attribute).Fresh {
			return &SettingsError{Keys: []string{key}, Released: a.bound} // state knows no paths to compare with
		}
		known := len(a.records.LeavesOf(attribute).Paths)
		if err := a.hierarchy(attribute, a.Settings[key]); err != nil {
			return err
		}
		grew = grew || len(versions) > 0 && len(a.records.LeavesOf(attribute).Paths) > known && slices.Contains(a.Schema.Sensitive(), attribute)
	}
	if grew {
		a.head.Epoch++
	}
	now := func(l *state.Leaves, c equivclass.Code) equivclass.Code { return l.Now[c] }
	a.head.References = state.Renumber(a.head.References, a.records.Leaves, now)
	a.records.FindEpochs(a.head.Hierarchies)
	return nil
}

// hierarchy takes in one version of the hierarchy of an attribute.
func (a *adoption) hierarchy(attribute int, digest [32]byte) error {
	l := a.records.LeavesOf(attribute)
	var entries []string
	if l.Fresh {
		entries = slices.Clone(l.Paths)
	} else {
		var err error
		if entries, err = a.growth(attribute); err != nil {
			return err
		}
		for _, e := range entries {
			l.Restore(e)
		}
		l.Bind()
	}
	for _, e := range entries {
		a.staged.entry(a.records.PathsOf(attribute), e)
	}
	version := state.HierarchyVersion{SHA256: digest, Leaves: uint32(len(l.Paths)), Records: a.records.Len(), Release: a.history.Releases()}
	if len(a.head.Hierarchies[attribute]) == 0 {
		version.Records, version.Release = 0, 0 // valid from the beginning
	}
	if a.head.Hierarchies == nil {
		a.head.Hierarchies = map[int][]state.HierarchyVersion{}
	}
	a.head.Hierarchies[attribute] = append(a.head.Hierarchies[attribute], version)
	a.head.Changed = true
	l.Fresh = false
	return nil
}

// growth returns the entries that a changed hierarchy adds to state, or why it
// may not change like that.
func (a *adoption) growth(attribute int) ([]string, error) {
	refused := &GrowthError{Attribute: a.Schema.Attributes()[attribute].Name}
	entries, moved, lost := a.records.LeavesOf(attribute).Change()
	if !a.bound {
		lost, moved = leafless(a.records, attribute), nil
	}
	refused.Moved, refused.Lost = moved, lost
	sensitive := slices.Contains(a.Schema.Sensitive(), attribute)
	switch i := a.history.Unpublished(); {
	case len(moved)+len(lost) > 0:
		return nil, refused
	case i != nil:
		refused.Reason = fmt.Sprintf("release %d is decided under the earlier file and not published yet: "+
			"start once with that file (releases/hierarchies has its copy), then with this one", i.Release)
		return nil, refused
	case len(entries) == 0:
		return nil, nil // only the order of lines or their notation
	case sensitive && a.Schema.SubjectIndex() < 0 && a.sent:
		refused.Reason = "that of a sensitive attribute may only gain leaves where an attribute has role subject: else nobody knows whose " +
			"records were refused before, and who comes again with one has a new value"
		return nil, refused
	case sensitive && treeGround(&a.Policy) && a.bound:
		refused.Reason = "with a hierarchical distance in policy.diversity that of a sensitive attribute may not: " +
			"distances of published classes would change"
		return nil, refused
	}
	return entries, nil
}

// leafless lists the leaves that records have and the present tree has not.
func leafless(c *state.Records, attribute int) (lost []string) {
	column, dict := &c.Columns[attribute], c.Dicts[attribute]
	most, any := column.Most(column.Len())
	gone := any && most == state.Gone // the largest code there is
	if dict.Records() > 0 && any {
		counts := make([]int, dict.Len())
		for _, code := range column.Codes() {
			counts[code]++
		}
		for code, n := range counts {
			gone = gone || n > 0 && slices.ContainsFunc(equivclass.Ever(dict.Text(equivclass.Code(code))), func(value string) bool {
				_, found := dict.Attribute().Hierarchy.Leaf([]byte(value))
				return !found
			})
		}
	}
	if !gone {
		return nil
	}
	return []string{""} // one stands for all: the column no longer distinguishes them
}

// treeGround reports whether t-closeness measures along the hierarchy.
func treeGround(p *state.Policy) bool {
	return slices.ContainsFunc(p.Requirement.Extra, func(extra equivclass.Principle) bool {
		t, ok := extra.(equivclass.TClose)
		return ok && t.Ground.Name() == equivclass.TreeGround{}.Name()
	})
}
