package incremental

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"anond/equivclass"
)

// A hierarchy may grow. Leaves may be added anywhere; every leaf that state knows
// keeps its whole path. So every cell that was ever published keeps its label: it
// is that of the lowest common ancestor of the same leaves. Before release 1 any
// change will do that leaves no record without its leaf.
//
// A new leaf of a quasi-identifier tells nothing that the adversary does not know.
// One of the sensitive attribute does: who arrived before it cannot have the new
// value. So it shares a class with those only who arrived after it (epochs.go).

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
	return fmt.Sprintf("the hierarchy of attribute %q was changed: of the leaves that state knows, %d have another path and %d are gone. New leaves may be added; what is there keeps its whole path",
		e.Attribute, len(e.Moved), len(e.Lost))
}

// adoptHierarchies takes the present hierarchies into state, or refuses them.
func (m *Machine) adoptHierarchies(o Options) error {
	m.records.bindLeaves()
	for _, key := range slices.Sorted(maps.Keys(o.Hierarchies)) {
		a := o.Hierarchies[key]
		versions := m.meta.Hierarchies[a]
		if n := len(versions); n > 0 && versions[n-1].SHA256 == o.Settings[key] {
			continue
		}
		if had, known := m.meta.Settings[key]; known && had != o.Settings[key] && m.records.leaves[a].fresh {
			return &SettingsError{Keys: []string{key}, Released: !m.beforeRelease()} // state knows no paths to compare with
		}
		if err := m.adoptHierarchy(a, o.Settings[key]); err != nil {
			return err
		}
	}
	m.meta.References = m.references(func(l *leaves, c equivclass.Code) equivclass.Code { return l.now[c] })
	m.records.findEpochs(m.meta.Hierarchies[m.schema.SensitiveIndex()])
	return nil
}

func (m *Machine) adoptHierarchy(a int, digest [32]byte) error {
	l := m.records.leaves[a]
	var entries []string
	if l.fresh {
		entries = slices.Clone(l.paths)
	} else {
		var err error
		if entries, err = m.growth(a); err != nil {
			return err
		}
		for _, e := range entries {
			l.restore(e)
		}
		l.bind()
	}
	for _, e := range entries {
		m.staged.delta.Dictionary = append(m.staged.delta.Dictionary, DictionaryEntry{a, e})
	}
	version := HierarchyVersion{SHA256: digest, Leaves: uint32(len(l.paths)), Records: m.records.len(), Release: uint32(len(m.intents))}
	if len(m.meta.Hierarchies[a]) == 0 {
		version.Records, version.Release = 0, 0 // valid from the beginning
	}
	if m.meta.Hierarchies == nil {
		m.meta.Hierarchies = map[int][]HierarchyVersion{}
	}
	m.meta.Hierarchies[a] = append(m.meta.Hierarchies[a], version)
	m.staged.delta.Meta = &m.meta
	l.fresh = false
	return nil
}

// growth returns the entries that a changed hierarchy adds to state, or why it
// may not change like that.
func (m *Machine) growth(a int) ([]string, error) {
	l, refused := m.records.leaves[a], &GrowthError{Attribute: m.schema.Attributes()[a].Name}
	entries, moved, lost := l.change()
	if m.beforeRelease() {
		lost, moved = m.used(a), nil
	}
	refused.Moved, refused.Lost = moved, lost
	switch i := m.Latest(); {
	case len(moved)+len(lost) > 0:
		return nil, refused
	case i != nil && !i.Published:
		refused.Reason = fmt.Sprintf("release %d is decided under the earlier file and not published yet: start once with that file (releases/hierarchies has its copy), then with this one", i.Release)
		return nil, refused
	case len(entries) == 0:
		return nil, nil // only the order of lines or their notation
	case slices.Contains(m.schema.Semi(), a) && m.records.len() > 0:
		refused.Reason = "that of a semi-sensitive attribute may not: a later leaf would tell about the values of those who came before it"
		return nil, refused
	case a == m.schema.SensitiveIndex() && m.treeGround() && !m.beforeRelease():
		refused.Reason = "with a hierarchical distance in policy.diversity that of the sensitive attribute may not: distances of published classes would change"
		return nil, refused
	}
	return entries, nil
}

// used lists the leaves that records have and the present tree has not.
func (m *Machine) used(a int) (lost []string) {
	if !slices.Contains(m.records.Codes[a], gone) {
		return nil
	}
	return []string{""} // one stands for all: the column no longer tells them apart
}

// treeGround reports whether t-closeness measures along the hierarchy.
func (m *Machine) treeGround() bool {
	return slices.ContainsFunc(m.policy.Requirement.Extra, func(p equivclass.Principle) bool {
		t, ok := p.(equivclass.TClose)
		return ok && t.Ground.Name() == equivclass.TreeGround{}.Name()
	})
}

// references returns the reference distributions in another numbering of leaves.
func (m *Machine) references(number func(*leaves, equivclass.Code) equivclass.Code) map[int][]equivclass.Count {
	if m.meta.References == nil {
		return nil
	}
	out := make(map[int][]equivclass.Count, len(m.meta.References))
	for a, counts := range m.meta.References {
		out[a] = slices.Clone(counts)
		if l := m.records.leaves[a]; l != nil && !l.same {
			for i, c := range counts {
				out[a][i].Code = number(l, c.Code)
			}
			slices.SortFunc(out[a], func(x, y equivclass.Count) int { return cmp.Compare(x.Code, y.Code) })
		}
	}
	return out
}

// storedMeta is the head of the state as the store keeps it.
func (m *Machine) storedMeta() *Meta {
	meta := m.meta
	meta.References = m.references(func(l *leaves, c equivclass.Code) equivclass.Code { return l.stored[c] })
	return &meta
}

// Hierarchies returns the versions of each attribute's hierarchy, oldest first.
func (m *Machine) Hierarchies() map[int][]HierarchyVersion { return m.meta.Hierarchies }
