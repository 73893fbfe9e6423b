package config

import (
	"fmt"
	"strings"
	"time"

	"anond/equivclass"
)

// Republication says what may become of a published class.
type Republication string

// The republication modes.
const (
	Append  Republication = "append"
	Regroup Republication = "regroup"
)

// repeat says what becomes of further records of a subject.
type repeat string

// The treatments of further records: the first one is published and none of the later ones, or all that came while the person was
// observed, as one value.
const (
	repeatFirst   repeat = "first"
	RepeatHistory repeat = "history"
)

// Hold is how long a record may wait before the loss of its class no longer
// matters for its admission: a time, or a number of attempted releases.
type Hold struct {
	Time     time.Duration
	Releases int  // if Counted
	Counted  bool // Releases is meant, not Time
}

// String writes the hold as the file does.
func (h Hold) String() string {
	switch {
	case !h.Counted:
		return span(h.Time)
	case h.Releases == 1:
		return "1 release"
	default:
		return fmt.Sprintf("%d releases", h.Releases)
	}
}

// policy is the block `policy`.
type policy struct {
	K, L          int
	Diversity     []diversity
	Level         Level
	MinPool       int // L2
	MaxPool       int // L2
	Republication Republication
	Threshold     int
	MaxHold       Hold
	MaxWait       Hold // L2; zero: nobody lapses
	MaxRegroups   int
	Neighbours    int
	NeighbourDims int
	Similar       int
}

// diversity is one element of `policy.diversity`: exactly one field is set.
type diversity struct {
	Distinct  int
	Entropy   float64
	Recursive struct {
		C float64
		L int
	}
	T         float64
	Distance  distance
	Reference []share // of T; empty: what release 1 publishes
}

func (p *policy) keys() []key {
	return []key{
		{path: "policy.k", value: atLeast(2, "at k = 1 a class may be one person", &p.K), required: true,
			doc: "Smallest number of records in a class: the k of k-anonymity. At least l. At level L2 every class has exactly k."},
		{path: "policy.l", value: atLeast(2, "at l = 1 nothing is promised", &p.L),
			derived: "none; not needed if every sensitive attribute has a promise", doc: "No sensitive value has more than 1/l of a class (at " +
				"level L2: of a bucket). At level L2 it serves attributes without a promise " +
				"of their own."},
		{path: "policy.diversity", value: objects[diversity]{&p.Diversity, (*diversity).keys}, def: "[]",
			doc: "Further tests that every class must pass (at level L2: every bucket)."},
		{path: "policy.level", value: oneOf(&p.Level, L2, L1), def: string(defaultLevel), doc: "Whom releases are safe against. L2: also " +
			"someone who reads this program. Who shares a class follows from quasi-identifiers alone, and values are published per bucket of " +
			"whole classes. L1: the value stands in the row of its class. Someone who reads this program learns some values: " +
			"docs/THREAT_MODEL.md. A dataset stays at its level."},
		{path: "policy.min_pool", value: atLeast(0, "0 means what the published values ask for", &p.MinPool), def: "0", doc: "With level L2: " +
			"least number of records that are published together, in addition to what the published values ask for. " +
			"The first pool has `initial.min_pool`, too."},
		{path: "policy.max_pool", value: atLeast(0, "0 means 20 times initial.min_pool", &p.MaxPool), derived: "20 * `initial.min_pool`",
			doc: "With level L2: the most records that a later pool waits for, whatever the published values ask for. A pool of so many may be " +
				"quarantined, which costs the people of that pool their publication, and tells nothing about those who are published."},
		{path: "policy.republication", value: oneOf(&p.Republication, Append, Regroup), derived: "append; regroup at level L1",
			doc: "append: a published class never changes. regroup (level L1): classes whose values are equally frequent may be formed anew from " +
				"records of one signature, which refines old rows."},
		{path: "policy.threshold", value: atLeast(1, "a local update needs at least one pending record", &p.Threshold), derived: "k - 1",
			doc: "A local update runs when more pending records than this are in a neighbourhood."},
		{path: "policy.max_hold", value: hold(&p.MaxHold), derived: "15m; `2 releases` with release.trigger.on records",
			doc: "How long a record may wait for a class of low loss: a duration, or a number of releases such as `2 releases`. After that the " +
				"loss no longer matters, but the privacy rules still hold."},
		{path: "policy.max_wait", value: hold(&p.MaxWait), def: "0s", doc: "With level L2 and a subject: who waits longer than this, and is in " +
			"no pool that is fixed, has lapsed: never published, and later records of the person count as `beyond`. A duration, or a number of " +
			"releases if `policy.max_hold` is one, longer than that; 0s means that people wait without end."},
		{path: "policy.max_regroups", value: atLeast(0, "0 switches regrouping off", &p.MaxRegroups), def: "2", derived: "2; 0 at level L2",
			doc: "With republication regroup: how often a record may be regrouped. Each regrouping reveals which records share a value."},
		{path: "policy.neighbours", value: atLeast(1, "a neighbourhood has at least one class", &p.Neighbours), def: "32",
			doc: "Number of classes around the updated one that a local update considers."},
		{path: "policy.neighbour_dims", value: atLeast(1, "count at least one quasi-identifier", &p.NeighbourDims),
			derived: "all quasi-identifiers but one, at least 1", doc: "Number of quasi-identifiers in which a record must be inside the box of " +
				"a class to count as its neighbour."},
		{path: "policy.similar", value: atLeast(1, "a local update re-partitions at least one class", &p.Similar),
			derived: "8, at most policy.neighbours", doc: "Number of neighbours, the most similar ones, that a local update re-partitions."},
	}
}

func (d *diversity) keys() []key {
	return []key{
		{path: "distinct", value: atLeast(2, "every class has one value", &d.Distinct),
			doc: "Distinct l-diversity: at least this many different values."},
		{path: "entropy", value: number(&d.Entropy), doc: "Entropy l-diversity: the entropy of the value shares is at least log of this number."},
		{path: "recursive.c", value: number(&d.Recursive.C), doc: "Recursive (c,l)-diversity: the most frequent value occurs less than c " +
			"times as often as all values from rank l on together."},
		{path: "recursive.l", value: atLeast(2, "rank 1 is the most frequent value itself", &d.Recursive.L),
			doc: "The l of recursive (c,l)-diversity."},
		{path: "t", value: number(&d.T), doc: "t-closeness: the earth mover's distance of the value shares of a class from the reference " +
			"distribution is at most this number, between 0 and 1."},
		{path: "distance", value: oneOf(&d.Distance, distanceEqual, distanceOrdered, distanceHierarchical), derived: "equal; with t",
			doc: "Ground distance of t: equal (all pairs of values have the same distance), ordered (buckets of a number) or hierarchical (the " +
				"attribute's hierarchy)."},
		{path: "reference", value: shares{&d.Reference}, derived: "the values published in release 1; with t",
			doc: "Reference distribution of t, {value: share, ...}, shares summing to 1."},
	}
}

func hold(to *Hold) value {
	return scalar[Hold]{to: to, name: "duration or number of releases", tags: []string{"!!str"},
		suggestion: "write for instance 15m, or 2 releases", show: func(h Hold) any { return h.String() },
		parse: func(s string) (Hold, error) {
			count, unit, found := strings.Cut(s, " ")
			if found && (unit == "releases" || unit == "release") {
				n, err := whole(count)
				if err != nil || n < 0 {
					return Hold{}, complain("is not a number of releases", "write for instance 2 releases")
				}
				return Hold{Releases: n, Counted: true}, nil
			}
			d, err := parseDuration(s)
			if err != nil || d < 0 {
				return Hold{}, complain("is neither a duration nor a number of releases", "write for instance 15m, or 2 releases")
			}
			return Hold{Time: d}, nil
		}}
}

// Requirement returns what every class must satisfy.
func (c *Config) Requirement() equivclass.Requirement {
	want := equivclass.Requirement{K: c.Policy.K, L: c.Policy.L}
	for _, d := range c.Policy.Diversity {
		switch {
		case d.Distinct > 0:
			want.Extra = append(want.Extra, equivclass.DistinctL{L: d.Distinct})
		case d.Entropy > 0:
			want.Extra = append(want.Extra, equivclass.EntropyL{L: d.Entropy})
		case d.T > 0:
			a := c.schema.Attributes()[c.schema.SensitiveIndex()]
			if g, err := equivclass.GroundOf(a, string(d.Distance)); err == nil { // checkCloseness has refused the rest
				want.Extra = append(want.Extra, equivclass.TClose{T: d.T, Ground: g, Declared: c.declared() != nil})
			}
		default:
			want.Extra = append(want.Extra, equivclass.RecursiveL{C: d.Recursive.C, L: d.Recursive.L})
		}
	}
	return want
}

func checkPolicy(c *Config, r *reader) {
	p := &c.Policy
	if r.sound("policy.k", "policy.l") && p.K < p.L {
		r.fault("policy.k", fmt.Sprintf("is %d, below l = %d: a class in which no value has more than 1/l has at least l records", p.K, p.L),
			fmt.Sprintf("raise k to %d or more", p.L))
	}
	if !r.set("policy.threshold") {
		p.Threshold = max(1, p.K-1)
	}
	checkDiversity(c, r)
	checkHold(c, r)
	checkWait(c, r)
	checkNeighbours(c, r)
	if r.sound("policy.republication", "policy.max_regroups") && p.Republication == Append &&
		p.Level != L2 && r.set("policy.max_regroups") {
		r.warn("policy.max_regroups", "is not used, because republication is append", "remove it")
	}
}

func checkDiversity(c *Config, r *reader) {
	for i, d := range c.Policy.Diversity {
		at := fmt.Sprintf("policy.diversity[%d]", i)
		if !r.sound(at, at+".distinct", at+".entropy", at+".recursive", at+".recursive.c", at+".recursive.l", at+".t", at+".distance",
			at+".reference") {
			continue
		}
		forms := 0
		for _, form := range []string{"distinct", "entropy", "recursive", "t"} {
			if r.set(at + "." + form) {
				forms++
			}
		}
		switch {
		case forms != 1:
			r.fault(at, fmt.Sprintf("has %d of the keys distinct, entropy, recursive, t", forms),
				"write one test per element: {distinct: 3}, {entropy: 2.5}, {recursive: {c: 3, l: 3}} or {t: 0.2}")
		case r.set(at+".entropy") && d.Entropy <= 1:
			r.fault(at+".entropy", "must be above 1", "at 1 every class passes")
		case r.set(at + ".t"):
			checkCloseness(c, r, i)
		case r.set(at+".distance") || r.set(at+".reference"):
			r.fault(at, "has a distance or a reference without t", "these keys belong to t-closeness: {t: 0.2, distance: equal}")
		case r.set(at+".recursive") && (!r.set(at+".recursive.c") || !r.set(at+".recursive.l")):
			r.fault(at+".recursive", "needs both c and l", "write {recursive: {c: 3, l: 3}}")
		case r.set(at+".recursive") && d.Recursive.C <= 0:
			r.fault(at+".recursive.c", "must be above 0", "at 0 no class passes")
		case r.set(at+".distinct") && d.Distinct <= c.Policy.L && r.sound("policy.l"):
			r.warn(at+".distinct", fmt.Sprintf("is implied by l = %d: a class in which no value has more than 1/l has at least l different ones",
				c.Policy.L), "remove it")
		}
	}
}

func checkHold(c *Config, r *reader) {
	p := &c.Policy
	byCount := c.Release.Trigger.On == OnRecords
	if !r.set("policy.max_hold") {
		p.MaxHold = Hold{Time: 15 * time.Minute}
		if byCount {
			p.MaxHold = Hold{Releases: 2, Counted: true}
		}
		return
	}
	if byCount && !p.MaxHold.Counted && p.MaxHold.Time > 0 && r.sound("policy.max_hold") {
		r.warn("policy.max_hold", "is a duration, but release.trigger.on is records: the content of a release then depends on the speed of "+
			"the feed", "write a number of releases, such as 2 releases")
	}
}

// checkWait refuses a policy.max_wait by which nobody could lapse, or not blindly.
func checkWait(c *Config, r *reader) {
	p := &c.Policy
	if p.MaxWait == (Hold{}) || !r.sound("policy.max_wait", "policy.max_hold", "policy.level", "schema.attributes") {
		return
	}
	fault := func(reason, suggestion string) { r.fault("policy.max_wait", reason, suggestion) }
	subject := false
	for _, a := range c.Attributes {
		subject = subject || a.Role == equivclass.Subject
	}
	switch hold := p.MaxHold; {
	case p.Level != L2:
		fault("belongs to level L2, but policy.level is "+string(p.Level), "remove it; or set policy.level to L2")
	case !subject:
		fault("needs an attribute with role subject: later records of people who have lapsed are not published, and without one nobody knows "+
			"whose they are", "name the column that says whose a record is, with role: subject; or remove the key")
	case hold.Counted != p.MaxWait.Counted:
		fault(fmt.Sprintf("is %s, but policy.max_hold is %s: one of them is a number of releases", p.MaxWait, hold),
			"write both as durations, or both as numbers of releases")
	case p.MaxWait.Time <= hold.Time && p.MaxWait.Releases <= hold.Releases:
		fault(fmt.Sprintf("is %s, not longer than policy.max_hold = %s, for which a person may wait for a better class", p.MaxWait, hold),
			"raise it, or lower policy.max_hold")
	}
}

func checkNeighbours(c *Config, r *reader) {
	p, d := &c.Policy, 0
	for _, a := range c.Attributes {
		if a.Role == equivclass.Quasi {
			d++
		}
	}
	if !r.set("policy.neighbour_dims") {
		p.NeighbourDims = max(1, d-1)
	} else if d > 0 && p.NeighbourDims > d && r.sound("policy.neighbour_dims", "schema.attributes") {
		r.fault("policy.neighbour_dims", fmt.Sprintf("is %d, but there are %d quasi-identifiers", p.NeighbourDims, d),
			fmt.Sprintf("write %d or less", d))
	}
	if !r.set("policy.similar") {
		p.Similar = min(8, max(1, p.Neighbours))
	} else if p.Similar > p.Neighbours && r.sound("policy.similar", "policy.neighbours") {
		r.fault("policy.similar", fmt.Sprintf("is %d, but similar classes are chosen among %d neighbours", p.Similar, p.Neighbours),
			"lower it, or raise policy.neighbours")
	}
}
