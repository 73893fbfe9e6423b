package profile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
)

// Pools says how many records have to be published together at level L2, if the
// sensitive values of people are drawn like those of a table. It tells counts and
// shares, never a value (rule V, values).
type Pools struct {
	Records int `json:"records"`  // that the shares are of
	L       int `json:"l"`        // policy.l; 0: every attribute has a promise of its own
	MinPool int `json:"min_pool"` // for all that is promised; 0: no pool is large enough
	// Asks is the attribute that asks for most, or for which no pool is large enough.
	Asks       string      `json:"asks_most,omitempty"`
	Attributes []reachable `json:"attributes"`
	// Need is by l, from 2 on, as far as a pool can be large enough, and at most to
	// one more than the configured l.
	Need []poolNeed `json:"need"`
	// TradeOffs are by k, over so many records.
	TradeOffs []tradeOff `json:"trade_offs,omitempty"`
	Looked    int        `json:"trade_offs_records,omitempty"`
	Histories *Histories `json:"histories,omitempty"` // nil: nobody has several records
	Advice    []Remark   `json:"advice,omitempty"`
}

// reachable is what could be promised of a sensitive attribute with pools of up to so many records.
type reachable struct {
	Name     string  `json:"attribute"`
	Values   int     `json:"values"`                  // different ones
	TopShare float64 `json:"top_share"`               // of the most frequent one
	Open     int     `json:"open_missing,omitempty"`  // records without a value, where nothing is promised of these: shares are of the others
	Promised bool    `json:"promised,omitempty"`      // it has a promise of its own, and does not follow policy.l
	Pool     int     `json:"pool"`                    // of up to so many
	L        int     `json:"reachable_l"`             // the largest; 1: none
	Gain     string  `json:"least_gain,omitempty"`    // with these shares as the declared reference; empty: none
	AtMost   string  `json:"least_at_most,omitempty"` // of the most frequent value alone; empty: none below 1
}

// poolNeed is the size of a pool in which a value exceeds 1/l, or what else is promised of it, with a probability of at
// most one in a million. It has k times l records at least.
type poolNeed struct {
	L       int `json:"l"`
	Records int `json:"records"`
}

// poolsFor measures a table of other people for a configured k and l, which attributes without a promise of their own follow. It says what
// could be promised with pools of up to so many records.
func poolsFor(t *Table, k, l int, promises map[int]*promise.Promise, most int) *Pools {
	out := &Pools{L: l, Need: []poolNeed{}, Attributes: []reachable{}}
	rows := make([]int32, len(t.SA()))
	for i := range rows {
		rows[i] = int32(i)
	}
	all, bag := promised(&t.Table, t.Schema, promises, func(int) []int32 { return rows })
	if out.Records = len(t.SA()); out.Records == 0 {
		return out
	}
	next, follows := uint32(0), false
	for _, a := range all {
		end := next + uint32(len(a.Values))
		own := slices.DeleteFunc(slices.Clone(bag), func(c merge.Count) bool { return c.Value < next || c.Value >= end })
		out.Attributes = append(out.Attributes, reach(a, next, own, out.Records, most))
		next, follows = end, follows || a.Promise == nil
	}
	configured := follow(all, l).Need(bag, out.Records)
	if out.Asks = configured.Attribute; configured.Possible {
		out.MinPool = max(configured.People, k*max(1, l))
	}
	for at := 2; follows && at <= l+1; at++ {
		need := follow(all, at).Need(bag, out.Records)
		if !need.Possible {
			break
		}
		out.Need = append(out.Need, poolNeed{at, max(need.People, k*at)})
	}
	return out
}

// PoolsOf is poolsFor what a configuration promises, with pools as large as it allows.
func PoolsOf(t *Table, c *config.Config) *Pools {
	return poolsFor(t, c.Policy.K, c.Policy.L, c.Promises(), mostPool(c))
}

// mostPool is the size of pools up to which something is said to be reachable.
func mostPool(c *config.Config) int {
	if c.Policy.MaxPool > 0 {
		return c.Policy.MaxPool
	}
	return 20_000 // level L1
}

// Unreachable says why what is configured can be kept with no pool, by the shares of these records; empty: it can be. inRows: values
// stand in the rows of their classes (level L1), so that only the top share counts.
func (p *Pools) Unreachable(inRows bool) string {
	switch {
	case p.Records == 0:
		return ""
	case p.TopShare()*float64(p.L) > 1:
		return fmt.Sprintf("the most frequent value has %.1f %%, and l %d allows %.1f %%", 100*p.TopShare(), p.L, 100/float64(p.L))
	case !inRows && p.MinPool == 0:
		return fmt.Sprintf("no pool is large enough for what is promised of %q", p.Asks)
	}
	return ""
}

// Reachable are the lines of the configuration that promise less, and that pools of these shares can keep; empty: there are none.
func (p *Pools) Reachable() (lines []string) {
	for _, a := range p.Attributes {
		if a.Name != p.Asks {
			continue
		}
		if a.L > 1 && !a.Promised {
			lines = append(lines, fmt.Sprintf("l: %d   # under policy", a.L))
		}
		if a.Gain != "" && a.Values > 1 {
			lines = append(lines, fmt.Sprintf("promise: {gain: %s}   # at attribute %s", a.Gain, yamlText(a.Name)))
		}
	}
	return lines
}

// TopShare is that of the most frequent value of an attribute that follows policy.l.
func (p *Pools) TopShare() (share float64) {
	for _, a := range p.Attributes {
		if !a.Promised {
			share = max(share, a.TopShare)
		}
	}
	return share
}

// promised are the sensitive attributes of a table and their bag, over some rows for each. One without a promise of its own has none yet.
func promised(t *equivclass.Table, schema *equivclass.Schema, promises map[int]*promise.Promise,
	rows func(attribute int) []int32) (all promise.Attributes, bag merge.Bag) {
	for _, i := range schema.Sensitive() {
		d, first := t.Dicts[i], uint32(0)
		for _, a := range all {
			first += uint32(len(a.Values))
		}
		texts := make([]string, d.Len())
		for code := range texts {
			texts[code] = d.Label(equivclass.Code(code))
		}
		bag = append(bag, merge.BagOf(merge.NewOrder(texts).After(first), t.Codes[i], rows(i))...)
		slices.Sort(texts)
		all = append(all, promise.Attribute{Name: d.Attribute().Name, Promise: promises[i], Values: slices.Compact(texts),
			Missing: equivclass.MissingText})
	}
	return all, bag
}

// follow gives attributes without a promise of their own that of an l.
func follow(all promise.Attributes, l int) promise.Attributes {
	all = slices.Clone(all)
	for i := range all {
		if all[i].Promise == nil {
			all[i].Promise = promise.Frequency(l)
		}
	}
	return all
}

// reach says what could be promised of an attribute whose values have these numbers in a bag, the first of them next. Where nothing
// is promised of a missing value, shares are of those who have one, and a pool has as many of these as the table.
func reach(a promise.Attribute, next uint32, bag merge.Bag, people, most int) reachable {
	out := reachable{Name: a.Name, Promised: a.Promise != nil, Pool: most, L: 1}
	if rank, known := slices.BinarySearch(a.Values, a.Missing); known && a.Promise != nil && a.Promise.Open {
		bag = slices.DeleteFunc(bag, func(c merge.Count) bool {
			missing := c.Value == next+uint32(rank)
			if missing {
				out.Open = int(c.N)
			}
			return missing
		})
	}
	valued := people - out.Open
	if valued == 0 {
		return out
	}
	people, most = valued, most*valued/people
	out.Values, out.TopShare, out.L = len(bag), float64(bag.Max())/float64(people), promise.ReachableL(bag, people, most)
	if gain, ok := promise.LeastGain(bag, people, most); ok {
		out.Gain = gain.String()
	}
	if share, ok := promise.LeastCap(bag.Max(), people, 1, most); ok && share.Less(promise.NewRatio(1, 1)) {
		out.AtMost = share.String()
	}
	return out
}

// Text writes it in words.
func (p *Pools) Text(w io.Writer) {
	p.ReachableText(w)
	p.NeedText(w)
}

// ReachableText says what could be promised, before anything is.
func (p *Pools) ReachableText(w io.Writer) {
	if p.Records == 0 {
		say(w, "The data have no record that could be published, so they say nothing about pools.")
	}
	for _, a := range p.Attributes {
		among, values := "", fmt.Sprintf("%d different values", a.Values)
		if a.Open > 0 {
			among = fmt.Sprintf(" of the %d records that have one", p.Records-a.Open)
		}
		if a.Values == 1 {
			values = "1 value"
		}
		say(w, "In these %d records %q has %s, the most frequent one with %.1f %%%s.", p.Records, a.Name, values, 100*a.TopShare, among)
		var may []string
		if a.L > 1 {
			may = append(may, fmt.Sprintf("l = %d", a.L))
		}
		if a.Gain != "" {
			may = append(may, "gain "+a.Gain+" against these shares")
		}
		if a.AtMost != "" {
			may = append(may, "at_most "+a.AtMost+" of the most frequent value")
		}
		if len(may) > 0 {
			say(w, "Pools of up to %d records can keep %s.", a.Pool, strings.Join(may, ", or "))
		}
	}
}

// NeedText says what the configured l needs and the next one, or the way out if no pool is large enough.
func (p *Pools) NeedText(w io.Writer) {
	last := poolNeed{L: 1}
	if len(p.Need) > 0 {
		last = p.Need[len(p.Need)-1]
	}
	const shares, needs = "At level L2 and with these shares, ", "l = %d needs pools of %d records"
	switch {
	case p.Records == 0:
	case p.MinPool == 0 && (len(p.Attributes) > 1 || p.Attributes[0].Promised):
		say(w, shares+"no pool is large enough for what is promised of %q.", p.Asks)
	case p.MinPool == 0:
		say(w, shares+"no pool is large enough for l = %d: a value may have 1/l = %.1f %% at most.", p.L, 100/float64(p.L))
		if last.L == 1 {
			say(w, "Not even l = 2 is reachable: divide the most frequent value.")
		} else {
			say(w, "l = %d is reachable with pools of %d records; or divide the most frequent value.", last.L, last.Records)
		}
	case last.L == 1:
		say(w, shares+"what is promised needs pools of %d records.", p.MinPool)
	case last.L > p.L:
		say(w, shares+needs+"; l = %d of %d.", p.L, p.MinPool, last.L, last.Records)
	default:
		say(w, shares+needs+"; no pool is large enough for l = %d.", p.L, p.MinPool, p.L+1)
	}
	if p.MinPool > 0 && len(p.Attributes) > 1 && p.Asks != "" {
		say(w, "Of the attributes %q asks for most.", p.Asks)
	}
}

// say writes a line.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
