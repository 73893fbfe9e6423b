package describe

import (
	"slices"
	"strings"

	"anond/equivclass"
	"anond/snapshot"
)

// counts are the columns of a file that has neither cells nor drawn values; nil of any other.
func counts(m *snapshot.Manifest, file string) []string {
	switch file {
	case snapshot.ValuesName:
		return m.BagColumns("bucket")
	case snapshot.PoolsName:
		return m.BagColumns("pool")
	case snapshot.BucketsName:
		return m.BucketsColumns()
	case snapshot.TablesName:
		return strings.Fields("pool attribute value with with_value count")
	}
	return nil
}

// says are the columns of these files that need words.
var says = map[string]string{
	"stratum": "what else came of the people while they were observed: plain, nothing; a number, so many records; updated, an update; " +
		"fault, a record that was " +
		"refused for another thing than a sensitive value; older, a hierarchy grew before the time was over",
	"records": "how many records the history of each person of the bucket has",
}

// numbers are the columns that hold numbers; cells are texts, since a cell may be a range or a set.
var numbers = strings.Fields("class bucket group pool people count records")

// fields are the columns of a file.
func fields(m *snapshot.Manifest, file string) (out []field) {
	add := func(name, says string) {
		f := field{Name: name, Type: "string", Description: says}
		if (says == "" || name == "records") && slices.Contains(numbers, name) {
			f.Type = "integer"
		}
		out = append(out, f)
	}
	if known := counts(m, file); known != nil {
		for _, name := range known {
			what := says[name]
			if strings.HasPrefix(name, "value_") && m.Privacy.MaxRecords > 0 {
				what = "the value of the next record of a history; empty: it has fewer"
			}
			add(name, what)
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
