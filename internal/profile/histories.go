package profile

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/promise"
)

// Histories says what a table of other people tells about publishing people with their histories (subject.repeat: history): how many
// people there are by number of records, what pools of them need, and how many records are published if people are observed longer. It
// tells counts and shares, never a value (rule V, values).
type Histories struct {
	Settle     string       `json:"settle"`      // how long they are observed here
	Pool       int          `json:"pool"`        // of up to so many people
	MaxRecords int          `json:"max_records"` // the largest that such pools can keep; 1: none above
	Lengths    []ofLength   `json:"lengths"`
	Published  []ofSettling `json:"published"`
}

// ofLength is what pools of people with so many records need, whose value is all of these.
type ofLength struct {
	Records  int     `json:"records"`
	People   int     `json:"people"`
	More     int     `json:"people_with_more"`
	TopShare float64 `json:"top_share"` // of the value that most of both ever have in so many records
	Pool     int     `json:"pool"`      // 0: no pool is large enough
}

// ofSettling is the share of all records that is published at most if people are observed for so many records, by subject.max_records.
type ofSettling struct {
	Settle string    `json:"settle"`
	Shares []float64 `json:"shares"` // for 1 record, 2, and so on, up to the largest that can be kept
}

// mostRecords is the largest subject.max_records.
const mostRecords = 15

// visits are the records of a table by person, where it knows whose they are, and their sensitive values.
type visits struct {
	person []int // by record
	read   []int // how many records had been read
	equivclass.Table
}

// newVisits keeps sensitive values alone.
func newVisits(schema *equivclass.Schema) *visits {
	attributes := slices.Clone(schema.Attributes())
	for i := range attributes {
		if attributes[i].Role != equivclass.Sensitive {
			attributes[i].Role = equivclass.Drop
		}
	}
	return &visits{Table: *equivclass.NewTable(attributes)}
}

// add takes in a record of a person that the table has accepted.
func (v *visits) add(person, read int, row equivclass.Row) {
	if why, _ := v.Append(row); why == equivclass.Accepted {
		v.person, v.read = append(v.person, person), append(v.read, read)
	}
}

// within are the first records of each person, up to so many, that came while fewer records than a length had been read since the first.
func (v *visits) within(length, most int) [][]int {
	var out [][]int
	for i, p := range v.person {
		if p == len(out) {
			out = append(out, nil)
		}
		if of := out[p]; len(of) < most && (len(of) == 0 || v.read[i]-v.read[of[0]] < length) {
			out[p] = append(of, i)
		}
	}
	return out
}

// HistoriesOf says what a table tells about histories, or nil: nobody has several records, or a configuration has no level L2.
func HistoriesOf(t *Table, c *config.Config) *Histories {
	if t.Repeats == 0 || c.Policy.Level != config.L2 {
		return nil
	}
	return historiesFor(t, int(c.Settle.Records), c.Policy.K, c.Policy.L, c.Promises(), mostPool(c))
}

// historiesFor is HistoriesOf for people who are observed for so many records (0: all), and pools of up to most of them.
func historiesFor(t *Table, length, k, l int, promises map[int]*promise.Promise, most int) *Histories {
	v := t.visits
	out := &Histories{Settle: settled(length, t.Read), MaxRecords: 1, Pool: most}
	if length == 0 {
		length = math.MaxInt
	}
	people, feasible := v.within(length, mostRecords), true
	for n := 1; n <= mostRecords; n++ {
		x := ofLength{Records: n}
		rows := map[int][]int32{} // by attribute: a record for each value that a person ever has
		for _, records := range people {
			if len(records) >= n {
				x.People++
				for _, at := range t.Schema.Sensitive() {
					rows[at] = append(rows[at], v.different(at, records[:n])...)
				}
			}
			if len(records) > n {
				x.More++
			}
		}
		if x.People == 0 {
			break
		}
		x.TopShare = v.topShare(rows, x.People)
		all, bag := promised(&v.Table, t.Schema, promises, func(at int) []int32 { return rows[at] })
		if need := follow(all, l).Need(bag, x.People); need.Possible {
			if x.Pool = max(need.People, k*max(1, l)); n > 1 { // the shares of histories drift more
				x.Pool *= 2
			}
		}
		// With this length as the largest, its stratum has everybody with as many records or more.
		feasible = feasible && x.Pool > 0 && x.Pool <= min(most, x.People)
		if feasible {
			out.MaxRecords = n
		}
		x.People -= x.More
		if out.Lengths = append(out.Lengths, x); !feasible && n > 1 {
			break
		}
	}
	for _, length := range []int{t.Read / 40, t.Read / 20, t.Read / 10, t.Read / 5, t.Read} {
		if length = rounded(length); length == 0 {
			continue
		}
		x := ofSettling{Settle: settled(length, t.Read)}
		if length == rounded(t.Read) {
			x.Settle, length = settled(0, 0), math.MaxInt
		}
		people := v.within(length, mostRecords)
		for most := 1; most <= out.MaxRecords; most++ {
			published := 0
			for _, records := range people {
				published += min(most, len(records))
			}
			x.Shares = append(x.Shares, float64(published)/float64(len(v.person)))
		}
		out.Published = append(out.Published, x)
	}
	return out
}

// different are records of a person, one for each value of an attribute.
func (v *visits) different(attribute int, records []int) (out []int32) {
	column := v.Codes[attribute]
	for i, r := range records {
		if !slices.ContainsFunc(records[:i], func(before int) bool { return column[before] == column[r] }) {
			out = append(out, int32(r))
		}
	}
	return out
}

// topShare is the share of people who ever have the value that most ever have, of any attribute.
func (v *visits) topShare(rows map[int][]int32, people int) (share float64) {
	for at, of := range rows {
		counts := map[equivclass.Code]int{}
		for _, r := range of {
			counts[v.Codes[at][r]]++
			share = max(share, float64(counts[v.Codes[at][r]])/float64(people))
		}
	}
	return share
}

// rounded is a number of two digits and zeros.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// settled says how long people are observed.
func settled(length, read int) string {
	if length == 0 || length >= read {
		return "end"
	}
	return fmt.Sprintf("%d records", length)
}

// Text writes it in words.
func (h *Histories) Text(w io.Writer) {
	if h == nil {
		return
	}
	observed := "until these records end"
	if h.Settle != "end" {
		observed = "for " + h.Settle
	}
	say(w, "Some people have several records. Observed %s (subject.settle), by number of records (subject.repeat: history):", observed)
	for _, x := range h.Lengths {
		pool := fmt.Sprintf("pools of %d", x.Pool)
		if x.Pool == 0 {
			pool = "no pool is large enough"
		}
		say(w, "  of %d: %d people, %d with more; one value is ever that of %.1f %% of all these: %s.", x.Records, x.People, x.More,
			100*x.TopShare, pool)
	}
	if h.MaxRecords == 1 {
		say(w, "Pools of up to %d people cannot keep that for subject.max_records above 1: leave subject.repeat at first.", h.Pool)
		return
	}
	say(w, "Pools of up to %d people can keep that for subject.max_records up to %d. Of all records are published at most:", h.Pool,
		h.MaxRecords)
	for _, x := range h.Published {
		var shares []string
		for i, share := range x.Shares {
			if n := i + 1; n <= 2 || n == 4 || n == len(x.Shares) {
				shares = append(shares, fmt.Sprintf("max_records %d: %.1f %%", n, 100*share))
			}
		}
		say(w, "  settle: %-14s %s", x.Settle, strings.Join(shares, ", "))
	}
	say(w, "Who is observed longer waits longer. People of the last pools wait besides.")
}
