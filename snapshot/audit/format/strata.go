package format

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// People who are observed for a time before they are published (privacy.settle) are of a stratum: what kinds of messages came of them in
// that time. All people of a pool are of one (Theorem DS): whoever is corrected, say, is not like others, and whoever has two
// records is not like people with three.

// Stratum is one as it is written, and how many records its people have.
type Stratum struct {
	Text    string
	Records int
}

// MostRecords is how many records a person can be published with at most.
const MostRecords = 15

// strata are all there are, as they are written: the number of records if there are several, and what came besides, in this order; one
// record and nothing else: plain.
var strata = func() map[string]Stratum {
	out := map[string]Stratum{}
	for records := 1; records <= MostRecords; records++ {
		for set := range 1 << 3 {
			var parts []string
			if records > 1 {
				parts = append(parts, strconv.Itoa(records))
			}
			for i, part := range []string{"fault", "updated", "older"} {
				if set>>i&1 == 1 {
					parts = append(parts, part)
				}
			}
			text := cmp.Or(strings.Join(parts, "+"), "plain")
			out[text] = Stratum{text, records}
		}
	}
	return out
}()

// StratumOf is the stratum that a text is, of people with so many records at most; false: it is none.
func StratumOf(text []byte, most int) (Stratum, bool) {
	of, ok := strata[string(text)]
	return of, ok && of.Records <= most
}

// MaxRecords is how many records of a person are published at most, as one value: their history.
func (m *Manifest) MaxRecords() int { return max(1, m.Privacy.MaxRecords) }

// remembers reports whether the manifest says rightly that people are published with their histories, or does not say so. The value of a
// history is the sequence of its records' values, and a person counts at each value that occurs in it ("ever"). What else depends on one
// value a person is not there then: pair tables, values in rows, exact numbers, further principles.
func (m *Manifest) remembers() bool {
	p := m.Privacy
	if p.MaxRecords == 0 {
		return p.Unit == "" && p.Promise == "" && p.Settle != atEnd
	}
	return p.Unit == "person" && p.Promise == "ever" && p.MaxRecords > 1 && p.MaxRecords <= MostRecords && m.Strata() &&
		m.Form() == FormBuckets && len(m.Tables) == 0 && len(m.Policy.Diversity) == 0 &&
		!slices.ContainsFunc(m.Schema, func(c Column) bool { return c.Values == exactValues })
}

// atEnd is how long people are observed whose source is read once: until it ends.
const atEnd = "end"

// Observed is for how long people are observed, in milliseconds of the log's time or in messages read; 0: until the source ends.
func (m *Manifest) Observed() int64 {
	if n, records := strings.CutSuffix(m.Privacy.Settle, " records"); records {
		count, _ := strconv.ParseInt(n, 10, 64)
		return count
	}
	w, _ := parseWindow(m.Privacy.Settle)
	return 1000 * w.age
}

// Silent reports whether nothing came of the people of a stratum but the records that are published.
func Silent(stratum string) bool {
	return !strings.Contains(stratum, "fault") && !strings.Contains(stratum, "updated")
}

// Strata reports whether each bucket says of which stratum its people are.
func (m *Manifest) Strata() bool { return m.Privacy.Settle != "" }

// settles reports whether the manifest says rightly for how long people are observed: so many days, hours, minutes or seconds of the log's
// time, or so many records.
func (m *Manifest) settles() bool {
	p := m.Privacy
	if p.Settle == "" {
		return p.Updates == ""
	}
	if n, records := strings.CutSuffix(p.Settle, " records"); p.Settle == atEnd {
		// remembers tests it.
	} else if records {
		_, err := strconv.ParseUint(n, 10, 63)
		if err != nil || strings.HasPrefix(n, "0") {
			return false
		}
	} else if w, ok := parseWindow(p.Settle); !ok || w.age == 0 {
		return false
	}
	return m.AtL2() && (m.View != nil || m.subjectName() != "") && (p.Updates == "apply" || p.Updates == "refuse")
}
