package audit

import (
	"path/filepath"
	"slices"
)

// A hierarchy may gain leaves from one release to the next; every leaf that was
// there keeps its whole path. Each manifest names the copy of its own. So every
// copy is contained in the newest one, by which the whole chain is read: a label
// covers at least the leaves that it covered, and the lowest common ancestor of
// leaves that were there is the same.

// grown reports the columns whose hierarchy is another one than in the release
// before, by name.
func grown(before, after *Manifest) (names []string) {
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

// checkGrowth tests that what changed in the hierarchies of two releases that
// follow each other is growth. dir is the releases directory.
func checkGrowth(dir string, before, after *Manifest, f *faults) error {
	for _, name := range grown(before, after) {
		old, err := loadHierarchy(dir, before, name, f)
		if err != nil {
			return err
		}
		now, err := loadHierarchy(dir, after, name, f)
		if err != nil {
			return err
		}
		if broken := old.lostIn(now); broken > 0 {
			f.addN("chain", kindHierarchyMismatch, after.Release, 0, name,
				"leaves of the hierarchy of the release before have another path, or none", broken)
		}
	}
	return nil
}

// loadHierarchy reads the copy that a manifest names for a column.
func loadHierarchy(dir string, man *Manifest, column string, f *faults) (*hierarchy, error) {
	i := slices.IndexFunc(man.Schema, func(c Column) bool { return c.Name == column })
	h := man.Schema[i].Hierarchy
	path := filepath.Join(dir, "hierarchies", hierarchyBase(h.File))
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if hexSHA(data) != h.SHA256 {
		f.add("files", kindHierarchyMismatch, man.Release, 0, column, "the hierarchy file is not the one the manifest names")
	}
	return parseHierarchy(path, data)
}

// lostIn counts the leaves that have another path in a later hierarchy, or none.
// Paths are compared without repeated labels: a deeper tree fills short lines up.
func (h *hierarchy) lostIn(later *hierarchy) (lost int) {
	for leaf, i := range h.leaf {
		j, found := later.leaf[leaf]
		if !found || !slices.Equal(slices.Compact(slices.Clone(h.paths[i])), slices.Compact(slices.Clone(later.paths[j]))) {
			lost++
		}
	}
	return lost
}

// grow reads the cells seen so far by a hierarchy that contains the one before.
func (a *attribute) grow(h *hierarchy) {
	a.hier = h
	for i := range a.cells {
		if c, reason := a.parseLabel(a.cells[i].text); reason == "" {
			a.cells[i] = c
		}
	}
}

// loadHierarchies reads the hierarchy copies the manifest names.
func loadHierarchies(dir string, man *Manifest, f *faults) (map[string]*hierarchy, error) {
	out := map[string]*hierarchy{}
	for _, c := range man.Schema {
		if c.Hierarchy == nil || c.Hierarchy.File == "" || !man.generalizes(c) {
			continue
		}
		var err error
		if out[c.Name], err = loadHierarchy(dir, man, c.Name, f); err != nil {
			return nil, err
		}
	}
	return out, nil
}
