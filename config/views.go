package config

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/internal/csvfields"
)

// View is an element of `release.views`: a directory of releases that shows less than release.dir.
type View struct {
	Name          string
	Columns       []string
	Cells, Values map[string]string // by attribute: a width, or a level of its hierarchy
	Since         time.Time
	Dir, Ledger   string
	Mode          fs.FileMode // of Dir; 0: that of release.dir
}

func (v *View) keys() []key {
	return []key{
		{path: "name", value: word(&v.Name), required: true, doc: "Name of the view, in its manifests behind that of the dataset. A view whose " +
			"columns, cells or values change is another one: it gets another name."},
		{path: "columns", value: list[string]{&v.Columns, text}, required: true, doc: "Attributes that it shows: at least one quasi-identifier " +
			"and one sensitive attribute, such as [age, sex, diagnosis]."},
		{path: "cells", value: coarser{&v.Cells}, derived: "none", doc: "Coarser cells of quasi-identifiers, " +
			"{age: 10, postcode: level 2}: of a number the width of aligned intervals, of a date in days, of a category the level of its " +
			"hierarchy, counted from the leaves. A cell of the view contains that of the release."},
		{path: "values", value: coarser{&v.Values}, derived: "none", doc: "Labels in place of values of sensitive attributes, " +
			"{diagnosis: level 1}. Their counts add up, and nothing is promised of a label: its share is shown."},
		{path: "since", value: start{&v.Since}, derived: "the oldest release that is there", doc: "When the view begins: with " +
			"the first release that was made then or later, a day such as 2026-01-15 or a month. Each of its releases has everybody who is " +
			"in the release that it is of."},
		{path: "dir", value: path(&v.Dir), derived: "release.dir-NAME", doc: "Directory of the view's releases, in the format of release.dir."},
		{path: "ledger", value: path(&v.Ledger), derived: "ledger-NAME next to release.ledger", doc: "Append-only list of the view's releases."},
		{path: "mode", value: dirMode{&v.Mode}, derived: "that of other directories", doc: "Permissions of dir, such as \"0750\"."},
	}
}

// checkViews refuses views that show more than the release, or something that it has not.
func checkViews(c *Config, r *reader) {
	const full = "release.views"
	if len(c.Release.Views) == 0 || !r.sound(full, "policy.level", "release.recoding", "schema.attributes") || c.schema == nil {
		return
	}
	switch {
	case c.Policy.Level != L2 || c.Release.Recoding != Buckets:
		r.fault(full, "belongs to level L2 with release.recoding buckets",
			"remove the views, or set policy.level to L2 and release.recoding to buckets")
		return
	case c.Shard.Set():
		r.fault(full, "belongs to releases that are whole, but shard.index is set: a union has no views", "remove the views")
		return
	}
	for i := range c.Release.Views {
		v, at := &c.Release.Views[i], fmt.Sprintf("%s[%d]", full, i)
		if v.Dir == "" {
			v.Dir = c.Release.Dir + "-" + v.Name
		}
		if v.Ledger == "" {
			v.Ledger = filepath.Join(filepath.Dir(c.Release.Ledger), "ledger-"+v.Name)
		}
		if slices.ContainsFunc(c.Release.Views[:i], func(o View) bool {
			return o.Name == v.Name || same(o.Dir, v.Dir) || same(o.Ledger, v.Ledger)
		}) {
			r.fault(at, "has the name, dir or ledger of another view", "give each view its own")
		}
		for key, dir := range map[string]string{"release.dir": c.Release.Dir, "state.path": filepath.Dir(c.State.Path)} {
			if r.sound(key) && (Inside(dir, v.Dir) && key == "release.dir" || Inside(v.Dir, dir)) {
				r.fault(at+".dir", "contains "+key+", or lies in release.dir", "name a directory of its own")
			}
		}
		if Inside(v.Dir, v.Ledger) || same(v.Ledger, c.Release.Ledger) {
			r.fault(at+".ledger", "is in the view's dir, or is release.ledger", "name another file")
		}
		c.checkView(r, at, v)
	}
}

// checkView checks what a view shows against the schema.
func (c *Config) checkView(r *reader, at string, v *View) {
	roles := map[string]equivclass.Role{}
	of := map[string]*equivclass.Attribute{}
	for i := range c.schema.Attributes() {
		a := &c.schema.Attributes()[i]
		roles[a.Name], of[a.Name] = a.Role, a
	}
	shown := map[equivclass.Role]int{}
	for i, name := range v.Columns {
		if !stored(roles[name]) || slices.Contains(v.Columns[:i], name) {
			r.fault(at+".columns", fmt.Sprintf("names %q, which no release shows, or twice", name),
				"name quasi-identifiers and sensitive attributes of schema")
			return
		}
		shown[roles[name]]++
	}
	if shown[equivclass.Quasi] == 0 || shown[equivclass.Sensitive] == 0 {
		r.fault(at+".columns", "has no quasi-identifier or no sensitive attribute", "name at least one of each")
	}
	for _, name := range slices.Sorted(maps.Keys(v.Cells)) {
		if !roles[name].Blind() || !slices.Contains(v.Columns, name) {
			r.fault(at+".cells", fmt.Sprintf("names %q, which is no quasi-identifier among its columns", name),
				"remove it, or add it to columns")
		} else if reason, suggestion := c.coarserCells(of[name], v.Cells[name]); reason != "" {
			r.fault(at+".cells", fmt.Sprintf("of %q %s", name, reason), suggestion)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Values)) {
		if roles[name] != equivclass.Sensitive || !slices.Contains(v.Columns, name) {
			r.fault(at+".values", fmt.Sprintf("names %q, which is no sensitive attribute among its columns", name),
				"remove it, or add it to columns")
		} else if reason, suggestion := c.coarserLevel(of[name], v.Values[name]); reason != "" {
			r.fault(at+".values", fmt.Sprintf("of %q %s", name, reason), suggestion)
		}
	}
}

// coarserCells says what is wrong with coarser cells of an attribute; empty: nothing.
func (c *Config) coarserCells(a *equivclass.Attribute, by string) (reason, suggestion string) {
	if !a.Type.Numeric() {
		return c.coarserLevel(a, by)
	}
	f, err := strconv.ParseFloat(by, 64)
	w, ok := a.Units(f)
	switch {
	case err != nil || !ok || w < 1:
		return "has no width of its type", "write a number above 0"
	case len(a.Steps) > 0 && w%a.Steps[0] != 0:
		return fmt.Sprintf("is finer than the releases, whose first step is %s, or no multiple of it", a.FormatNumber(a.Steps[0])),
			"write a multiple of the step"
	}
	return "", ""
}

// coarserLevel says what is wrong with a level of an attribute's hierarchy: 1 is the first above the leaves of the longest line.
func (c *Config) coarserLevel(a *equivclass.Attribute, by string) (reason, suggestion string) {
	if a.Hierarchy == nil {
		return "cannot be coarser: it has no hierarchy", "leave the attribute out of columns, or out of this section"
	}
	most, split := 0, csvfields.Splitter{Delimiter: ';'}
	for _, h := range c.Hierarchies {
		for line := range bytes.Lines(h.Content) {
			if h.Attribute == a.Name {
				path, _ := split.Fields(bytes.TrimRight(line, "\r\n"))
				most = max(most, len(path)-2)
			}
		}
	}
	digits, ok := strings.CutPrefix(by, "level ")
	switch level, err := strconv.Atoi(digits); {
	case most < 1:
		return "cannot be coarser: its hierarchy has no level below the root", "leave the attribute out of columns, or out of this section"
	case !ok || err != nil || level < 1 || level > most:
		return "names no level of its hierarchy below the root", fmt.Sprintf("write level 1 to level %d; 1 is the first above the values", most)
	}
	return "", ""
}

// coarser is a section whose keys are attributes and whose values are widths or levels.
type coarser struct{ to *map[string]string }

func (c coarser) kind() string { return "section of attribute: width or level" }

func (c coarser) json() any {
	if len(*c.to) == 0 {
		return nil
	}
	return *c.to
}

func (c coarser) shape() object {
	return object{{"type", "object"}, {"additionalProperties", object{{"type", []string{"number", "string"}}}}}
}

func (c coarser) read(r *reader, full string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		r.faultAt(n, full, "is "+described(n)+", must be a "+c.kind(), "write it in braces: {age: 10, postcode: level 2}")
		return
	}
	out := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if _, twice := out[name]; twice || n.Content[i].Kind != yaml.ScalarNode {
			r.faultAt(n.Content[i], full, "names an attribute twice, or none", "write each attribute once, followed by a width or a level")
			return
		}
		s, _, ok := r.text(full, n.Content[i+1], "width or level", []string{"!!int", "!!float", "!!str"},
			"write for instance 10 or level 1", false)
		if !ok {
			return
		}
		out[name] = s
	}
	*c.to = out
}

// start is a day, or the first day of a month.
type start struct{ to *time.Time }

func (s start) kind() string  { return "day or month" }
func (s start) shape() object { return object{{"type", "string"}} }

func (s start) json() any {
	if s.to.IsZero() {
		return nil
	}
	return s.to.Format(time.DateOnly)
}

func (s start) read(r *reader, full string, n *yaml.Node) {
	text, _, ok := r.text(full, n, s.kind(), []string{"!!str", "!!timestamp"}, inQuotes, false)
	if !ok {
		return
	}
	for _, form := range []string{time.DateOnly, "2006-01"} {
		if t, err := time.Parse(form, text); err == nil {
			*s.to = t
			return
		}
	}
	r.faultAt(n, full, "is no day or month", "write for instance 2026-01-15 or 2026-01")
}

// dirMode is the permissions of a directory.
type dirMode struct{ to *fs.FileMode }

func (m dirMode) kind() string  { return "permissions" }
func (m dirMode) shape() object { return object{{"type", "string"}, {"pattern", "^0[0-7]{3}$"}} }

func (m dirMode) json() any {
	if *m.to == 0 {
		return nil
	}
	return fmt.Sprintf("%04o", *m.to)
}

func (m dirMode) read(r *reader, full string, n *yaml.Node) {
	text, _, ok := r.text(full, n, m.kind(), []string{"!!str"}, `put it in quotes, such as "0750"`, false)
	if !ok {
		return
	}
	v, err := strconv.ParseUint(text, 8, 9)
	if err != nil || len(text) != 4 || v&0o700 != 0o700 {
		r.faultAt(n, full, "is not four octal digits that let the owner in", `write for instance "0750"`)
		return
	}
	*m.to = fs.FileMode(v)
}
