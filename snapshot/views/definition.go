package views

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
	"anond/internal/fault"
	"anond/snapshot"
)

// Definition says what a view shows.
type Definition struct {
	Name    string
	Columns []string          // of the release, in any order
	Cells   map[string]string // by quasi-identifier: a width such as 10, or "level 2" of its hierarchy
	Values  map[string]string // by sensitive attribute: "level 1" of its hierarchy
	Since   time.Time         // of the first release; zero: from the oldest that there is
}

// levelOf reads "level 2".
func levelOf(text string) (level int, ok bool) {
	digits, ok := strings.CutPrefix(text, "level ")
	level, err := strconv.Atoi(digits)
	return level, ok && err == nil && level > 0 && strconv.Itoa(level) == digits
}

// same reports that a release of a view was made by this definition: of each era it shows the columns that the release has, which is of.
// nil: that is not there any more.
func (d *Definition) same(m, of *snapshot.Manifest) bool {
	v := m.View
	if v == nil || v.Name != d.Name || !maps.Equal(v.Cells, d.Cells) || !maps.Equal(v.Values, d.Values) {
		return false
	}
	for _, name := range schemaOf(m) {
		if !slices.Contains(d.Columns, name) {
			return false
		}
	}
	return of == nil || slices.Equal(schemaOf(m), slices.DeleteFunc(schemaOf(of), func(name string) bool {
		return !slices.Contains(d.Columns, name)
	}))
}

// schemaOf are the attributes that are published, of all eras of a manifest: one may be in one era, and not in another (role kept).
func schemaOf(m *snapshot.Manifest) (names []string) {
	for _, of := range m.ByEra() {
		for _, e := range of.Schema {
			if e.Role == equivclass.Quasi || e.Role == equivclass.Sensitive {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// ErrDefinition: the release has not what a view is to show, or the view's directory is another view.
var ErrDefinition = fault.Errorf(fault.Config, "correct release.views; a changed definition is a new view: give it another name",
	"a view cannot be made")

func (d *Definition) wrong(format string, args ...any) error {
	return fmt.Errorf("%w: view %s %s", ErrDefinition, d.Name, fmt.Sprintf(format, args...))
}

// eras find what the view shows of a release, by its eras: of its columns those that an era has. One that no era has is wrong in the
// first release; later it has left with its era. The directory of copies is open to read.
func (d *Definition) eras(m *snapshot.Manifest, first bool, read func(file string) ([]byte, error)) (out []*columns, err error) {
	known := map[string]bool{}
	for _, of := range m.ByEra() {
		c, err := d.columns(of, known, read)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	for _, name := range slices.Concat(d.Columns, slices.Sorted(maps.Keys(d.Cells)), slices.Sorted(maps.Keys(d.Values))) {
		if first && !known[name] || !slices.Contains(d.Columns, name) {
			return nil, d.wrong("names %q, which is no column that it shows of the release", name)
		}
	}
	for _, c := range out {
		if len(c.quasi) == 0 || len(c.sensitive) == 0 {
			return nil, d.wrong("shows no quasi-identifier, or no sensitive attribute: readers need one of each")
		}
	}
	return out, nil
}

// columns finds what the view shows of an era, and notes what it knows.
func (d *Definition) columns(m *snapshot.Manifest, known map[string]bool, read func(file string) ([]byte, error)) (*columns, error) {
	if !m.Shared() || m.Recoding != snapshot.NameBuckets || m.Union != nil || m.View != nil {
		return nil, d.wrong("is of a release that is not of level L2 and recoding buckets, or is a union or a view itself")
	}
	out, at := &columns{of: m}, 0
	for i := range m.Schema {
		e := m.Schema[i]
		shown := slices.Contains(d.Columns, e.Name)
		known[e.Name] = known[e.Name] || e.Role == equivclass.Quasi || e.Role == equivclass.Sensitive
		c := column{SchemaEntry: e, at: at, shown: shown}
		if err := c.open(read); err != nil {
			return nil, err
		}
		ok := true
		switch {
		case e.Role == equivclass.Quasi && shown:
			ok = c.coarsen(d.Cells[e.Name])
			out.quasi = append(out.quasi, c)
		case e.Role == equivclass.Sensitive && shown:
			ok = c.label(d.Values[e.Name])
			out.sensitive = append(out.sensitive, c)
		}
		if e.Role == equivclass.Quasi {
			at++
		}
		if !ok {
			return nil, d.wrong("has a width or a level of %q that is not coarser than the release, or that its hierarchy does not have", e.Name)
		}
	}
	return out, nil
}

// columns are what a view shows of an era, in the order of the schema.
type columns struct {
	of               *snapshot.Manifest // the release as one of the era, whose files have the view's columns but in data.csv
	quasi, sensitive []column
}

// named is the place of a sensitive attribute; -1: it is not shown.
func (c *columns) named(name string) int {
	return slices.IndexFunc(c.sensitive, func(s column) bool { return s.Name == name })
}

// tables are the pairs that keep their tables: of attributes that are both shown. Tables with exact numbers, which have the intervals of
// these, are left out.
func (c *columns) tables() (out [][]string) {
	for _, pair := range c.of.Tables {
		kept := true
		for _, name := range pair {
			i := c.named(name)
			kept = kept && i >= 0 && c.sensitive[i].Values != snapshot.ValuesExact
		}
		if kept {
			out = append(out, pair)
		}
	}
	return out
}
