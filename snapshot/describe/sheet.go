package describe

import (
	"fmt"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/snapshot"
)

// sheet is what a receiver should know, in Markdown that reads as plain text.
func sheet(m *snapshot.Manifest) []byte {
	var b strings.Builder
	say := func(format string, of ...any) { fmt.Fprintf(&b, format+"\n", of...) }
	say("# %s, release %d: what it says and what it does not\n", m.Dataset, m.Release)
	say("%d people in %d classes. %s", m.Records, m.Classes, columns(m))
	if a := m.About; a != nil {
		for _, line := range [][2]string{{"Licence", a.Licence}, {"Contact", a.Contact}} {
			if line[1] != "" {
				say("%s: %s", line[0], line[1])
			}
		}
	}
	say("\n## What was done\n")
	done(m, say)
	for i, of := range slices.Backward(m.ByEra()[:len(m.Eras)]) {
		say("\n## What was done until release %d\n", m.Eras[i].Until)
		say("Parts up to %s, %d people in %d classes. %s Other columns are not published there.\n", of.Parts[len(of.Parts)-1].Part, of.Records,
			of.Classes, columns(of))
		done(of, say)
	}
	say("\n## What you can conclude\n")
	say("- Counts, means and tables of groups, with intervals and bounds: `anond-lab query`, or the Python package anond.")
	say("- Counts of values alone, and of buckets, are exact.")
	say("\n## What you cannot conclude\n")
	say("- The value of a person, known or not: what a model says of people like them is often wrong for one of them. Do not act on it.")
	say("- The size of a strong relation: where a value has a larger share of a group than its cap, the release hides that.")
	say("- That two attributes are unrelated because they look so here.")
	say("- Anything about people who are not in it; %d wait for a later release.", m.Pending)
	say("\n## What to keep in mind\n")
	if p := &m.Privacy; p.Settle != "" {
		applied := "is not in it"
		if p.Updates == "apply" {
			applied = "has replaced the record"
		}
		shown, returned, many := "by the first record", "whether an update came", "how many came"
		if p.MaxRecords > 0 {
			shown = fmt.Sprintf("by the first %d records at most", p.MaxRecords)
			many = "how many updates or further records came"
			returned = fmt.Sprintf("how many records up to %d, or whether an update, came", p.MaxRecords)
		}
		observed := "for " + p.Settle + " from the first message on"
		if p.Settle == snapshot.SettledAtEnd {
			observed = "from the first message to the end of the source"
		}
		say("- A person was observed %s, and is shown once, %s: what came later is not in it. "+
			"An update in that time %s; the stratum in buckets.csv says of which people one came.", observed, shown, applied)
		switch {
		case strings.HasSuffix(p.Settle, " records") || p.Settle == snapshot.SettledAtEnd:
			say("- Times of observation differ between people: the promise holds if %s does not depend on the value.", returned)
		default:
			say("- The promise holds even if %s depends on the value, but not if %s, or when, does.", returned, many)
		}
	}
	say("- Use the newest release, and do not add releases up: each has the people of the earlier ones that have not left.")
	if m.Erasure != nil {
		say("- If somebody asks to be erased, later releases lack the whole bucket (parts[].withdrawn of manifest.json): " +
			"delete it from copies, too.")
	}
	say("- Do not join it with another release about the same people, nor try to find anybody in it.")
	say("- The file manifest.json names each file with its hash; datapackage.json describes the columns.")
	return []byte(b.String())
}

// capped is what of an attribute has a cap: a value, or an interval of exact numbers; open: that there is none has no cap.
func capped(m *snapshot.Manifest, name string) (value string, open bool) {
	value = "value"
	for _, a := range m.Schema {
		if a.Name == name {
			if a.Values == snapshot.ValuesExact {
				value = "interval of numbers"
			}
			open = a.Promise != nil && a.Promise.Open
		}
	}
	return value, open
}

// columns names those of an era.
func columns(m *snapshot.Manifest) string {
	return fmt.Sprintf("Columns: %s; to be protected: %s.", strings.Join(of(m, equivclass.Quasi), ", "),
		strings.Join(of(m, equivclass.Sensitive), ", "))
}

// done says what was done to the parts of an era.
func done(m *snapshot.Manifest, say func(format string, of ...any)) {
	if m.Recoding == snapshot.NameAnatomy {
		say("- Cells are exact: the release shows who is in it. Values are known of classes of at least %d people (k = %d).", m.Policy.K,
			m.Policy.K)
	} else {
		say("- Each row is one of at least %d people who look alike in it (k = %d).", m.Policy.K, m.Policy.K)
	}
	if m.Shared() {
		say("- Whose value is which, the files do not say. They say how often each value is in each bucket, which is one or several classes.")
		for _, a := range m.Privacy.Attributes {
			value, open := capped(m, a.Name)
			switch {
			case m.Privacy.MaxRecords > 0 && !open && a.Cap != "1/1":
				say("- %s: no %s is in the histories of a larger share than %s of a bucket, in whatever record.", a.Name, value, a.Cap)
			case a.Cap == "1/1":
				say("- %s: the share that some values may have of a bucket is not bounded.", a.Name)
			case open:
				say("- %s: no %s has a larger share than %s of those of a bucket who have one; how many have none is not bounded.",
					a.Name, value, a.Cap)
			default:
				say("- %s: no %s has a larger share than %s of a bucket.", a.Name, value, a.Cap)
			}
		}
	} else {
		say("- In no class has more than a share of %.3g the same value.", m.Privacy.MaxFrequency)
	}
	if m.Values == snapshot.ValuesDrawn {
		say("- The values in rows were drawn from the bucket. They are not those of the person next to whom they stand.")
	}
}
