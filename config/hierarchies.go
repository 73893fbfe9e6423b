package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
)

// HierarchyFile is a hierarchy as its file holds it, its texts normalized, for the
// copy that goes with the releases and for its digest.
type HierarchyFile struct {
	Attribute string
	Path      string
	Content   []byte
}

// loadHierarchies reads and parses each hierarchy file once. The result is by
// path.
func (c *Config) loadHierarchies(r *reader) map[string]*equivclass.Hierarchy {
	trees := map[string]*equivclass.Hierarchy{}
	contents := map[string][]byte{}
	for i, a := range c.Attributes {
		key := fmt.Sprintf("schema.attributes[%d].hierarchy", i)
		if a.Hierarchy == "" || !stored(a.Role) || !r.sound(key) || !c.sameRule(r, i) {
			continue
		}
		content, read := contents[a.Hierarchy]
		if !read {
			var err error
			if content, err = r.expander.read(a.Hierarchy); err != nil {
				r.fault(key, "names a file that cannot be read: "+plain(err), "correct the path; it is relative to "+r.file)
				continue
			}
			tree := r.parseHierarchy(a.Hierarchy, key, content, a.textRule())
			if tree != nil && c.lacks(a.Hierarchy) {
				tree, content = withMissing(a.textRule(), tree, content)
			}
			if tree != nil {
				r.warnOfTwins(a.Hierarchy, key, tree)
				content = a.textRule().NormalizeHierarchy(content)
			}
			trees[a.Hierarchy], contents[a.Hierarchy] = tree, content
		}
		checkCopies(c, r, key, a.Hierarchy)
		c.Hierarchies = append(c.Hierarchies, HierarchyFile{Attribute: a.Name, Path: a.Hierarchy, Content: content})
	}
	return trees
}

// lacks reports whether an attribute with a hierarchy may have no value.
func (c *Config) lacks(hierarchy string) bool {
	return c.Missing == equivclass.MissingValue || slices.ContainsFunc(c.Attributes, func(a attributeSettings) bool {
		return a.Hierarchy == hierarchy && a.Role == equivclass.Sensitive && a.Missing != "" && a.Missing != equivclass.RefuseMissing
	})
}

// withMissing adds the leaf of missing values to a hierarchy that has none, below the root.
func withMissing(rule equivclass.Text, tree *equivclass.Hierarchy, content []byte) (*equivclass.Hierarchy, []byte) {
	if _, has := tree.Leaf([]byte(equivclass.MissingText)); has {
		return tree, content
	}
	content = slices.Concat(bytes.TrimRight(content, "\r\n"), []byte("\n"+equivclass.MissingText+";*\n"))
	tree, err := rule.ParseHierarchy("", bytes.NewReader(content))
	if err != nil {
		panic("config: a hierarchy has no place for a missing value") // one more leaf below the root
	}
	return tree, content
}

// checkCopies refuses two files that would be copied to the releases under one
// name.
func checkCopies(c *Config, r *reader, key, path string) {
	for _, h := range c.Hierarchies {
		if filepath.Base(h.Path) == filepath.Base(path) && !same(h.Path, path) {
			r.fault(key, fmt.Sprintf("has the same file name as the hierarchy of %q, and both are copied to the releases", h.Attribute),
				"rename one of the files")
			return
		}
	}
}

// parseHierarchy turns the errors of a file into Faults, with file name and line.
func (r *reader) parseHierarchy(name, key string, content []byte, rule equivclass.Text) *equivclass.Hierarchy {
	tree, err := rule.ParseHierarchy(name, bytes.NewReader(content))
	if err == nil {
		return tree
	}
	for _, e := range split(err) {
		f := Fault{File: name, Key: key, Reason: strings.TrimPrefix(e.Error(), name+":")}
		if number, rest, ok := strings.Cut(f.Reason, ": "); ok {
			if line, err := strconv.Atoi(number); err == nil {
				f.Line, f.Reason = line, rest
			}
		}
		f.Reason, f.Suggestion, _ = strings.Cut(strings.TrimSpace(f.Reason), ": ")
		r.hierarchyFault(f)
	}
	return nil
}

func (r *reader) hierarchyFault(f Fault) {
	r.failed[f.Key] = true
	r.faults = append(r.faults, f)
}

// split returns the errors that errors.Join joined.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
