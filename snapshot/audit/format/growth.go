package format

import (
	"path/filepath"
	"slices"
)

// A hierarchy may gain leaves from one release to the next; every leaf that was
// there keeps its whole path. Each manifest names the copy of its own. So every
// copy is contained in the newest one, by which the whole chain is read: a label
// covers at least the leaves that it covered, and the lowest common ancestor of
// leaves that were there is the same.

// Grown reports the columns whose hierarchy is another one than in the release
// before, by name.
func Grown(before, after *Manifest) (names []string) {
	for _, c := range after.Schema {
		i := slices.IndexFunc(before.Schema, func(o Column) bool { return o.Name == c.Name })
		if i < 0 || c.Hierarchy == nil || before.Schema[i].Hierarchy == nil {
			continue // sameSchema finds it
		}
		if c.Hierarchy.File != "" && c.Hierarchy.SHA256 != before.Schema[i].Hierarchy.SHA256 {
			names = append(names, c.Name)
		}
	}
	return names
}

// CheckGrowth tests that what changed in the hierarchies of two releases that
// follow each other is growth, unless an era begins between them. dir is the releases directory.
func CheckGrowth(dir string, before, after *Manifest, f *Faults) error {
	if after.Begins(before) {
		return nil
	}
	for _, name := range Grown(before, after) {
		old, err := LoadHierarchy(dir, before, name, f)
		if err != nil {
			return err
		}
		now, err := LoadHierarchy(dir, after, name, f)
		if err != nil {
			return err
		}
		if broken := old.lostIn(now); broken > 0 {
			f.AddN("chain", KindHierarchyMismatch, after.Release, 0, name,
				"leaves of the hierarchy of the release before have another path, or none", broken)
		}
	}
	return nil
}

// LoadHierarchy reads the copy that a manifest names for a column.
func LoadHierarchy(dir string, man *Manifest, column string, f *Faults) (*LabelTree, error) {
	i := slices.IndexFunc(man.Schema, func(c Column) bool { return c.Name == column })
	h := man.Schema[i].Hierarchy
	path := filepath.Join(dir, "hierarchies", hierarchyBase(h.File))
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	if HexSHA(data) != h.SHA256 {
		f.Add("files", KindHierarchyMismatch, man.Release, 0, column, "the hierarchy file is not the one the manifest names")
	}
	return ParseHierarchy(path, data)
}

// lostIn counts the leaves that have another path in a later hierarchy, or none.
// Paths are compared without repeated labels: a deeper tree fills short lines up.
func (h *LabelTree) lostIn(later *LabelTree) (lost int) {
	for leaf, i := range h.Leaf {
		j, found := later.Leaf[leaf]
		if !found || !slices.Equal(slices.Compact(slices.Clone(h.Paths[i])), slices.Compact(slices.Clone(later.Paths[j]))) {
			lost++
		}
	}
	return lost
}

// Grow reads the cells seen so far by a hierarchy that contains the one before.
func (a *Attribute) Grow(h *LabelTree) {
	a.Hier = h
	for i := range a.Cells {
		if c, reason := a.parseLabel(a.Cells[i].Text); reason == "" {
			a.Cells[i] = c
		}
	}
}

// LoadHierarchies reads the copies next to the releases that the manifest names: hierarchies, and declared references, whose counts it
// compares.
func LoadHierarchies(dir string, man *Manifest, f *Faults) (map[string]*LabelTree, error) {
	out := map[string]*LabelTree{}
	for _, c := range man.Schema {
		if c.Hierarchy == nil || c.Hierarchy.File == "" || !man.generalizes(c) {
			continue
		}
		var err error
		if out[c.Name], err = LoadHierarchy(dir, man, c.Name, f); err != nil {
			return nil, err
		}
	}
	return out, checkReferences(dir, man, f)
}
