package describe

import (
	"slices"
	"strings"

	"anond/equivclass"
	"anond/snapshot"
)

// counts are the columns of the files that have neither cells nor drawn values.
var counts = map[string]string{
	snapshot.ValuesName:  "bucket attribute value count",
	snapshot.PoolsName:   "pool attribute value count",
	snapshot.BucketsName: "bucket pool people",
	snapshot.TablesName:  "pool attribute value with with_value count",
}

// numbers are the columns that hold numbers; cells are texts, since a cell may be a range or a set.
var numbers = strings.Fields("class bucket group pool people count")

// fields are the columns of a file.
func fields(m *snapshot.Manifest, file string) (out []field) {
	add := func(name, says string) {
		f := field{Name: name, Type: "string", Description: says}
		if says == "" && slices.Contains(numbers, name) {
			f.Type = "integer"
		}
		out = append(out, f)
	}
	if known := counts[file]; known != "" {
		for _, name := range strings.Fields(known) {
			add(name, "")
		}
		if file == snapshot.BucketsName && m.Privacy.Settle != "" {
			add("stratum", "what else came of the people while they were observed: plain, nothing; updated, an update; fault, a record that was "+
				"refused for another thing than a sensitive value; older, a hierarchy grew before the time was over")
		}
		return out
	}
	cell := "a value, a range [from,to], a set {a|b}, a label of a hierarchy, or ? (none)"
	if m.Recoding == snapshot.NameAnatomy {
		cell = "an exact value"
	}
	quasi, sensitive := of(m, equivclass.Quasi), of(m, equivclass.Sensitive)
	drawn := func() {
		for _, name := range sensitive {
			add(name, "a value of the bucket that was drawn for the row: it is not this person's")
		}
	}
	cells := func() {
		for _, name := range quasi {
			add(name, cell)
		}
	}
	switch {
	case file == "st.csv":
		add("group", "")
		add(sensitive[0], "a value of the group")
		add("count", "")
	case file == "pst.csv":
		add("group", "")
		add(sensitive[0], "a value of the group")
	case file != snapshot.DataName:
		cells()
		add("group", "")
	case !m.Shared():
		cells()
		add(sensitive[0], "the value of a person of the class")
		add("class", "")
	default:
		cells()
		if m.Values == snapshot.ValuesDrawn {
			drawn()
		}
		add("class", "")
		add("bucket", "")
	}
	return out
}

func of(m *snapshot.Manifest, role equivclass.Role) (out []string) {
	for _, a := range m.Schema {
		if a.Role == role {
			out = append(out, a.Name)
		}
	}
	return out
}
