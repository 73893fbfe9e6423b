package shares

import (
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
)

// Attacker is one row of the attackers' table: how many people an attacker who
// keeps every release narrows down to fewer than l candidate values.
type Attacker struct {
	Name            string  `json:"name"`
	Knows           string  `json:"knows"`
	People          int     `json:"people"`
	BelowL          int     `json:"below_l"`
	ExactlyOne      int     `json:"exactly_one"`
	BelowLShare     float64 `json:"below_l_share"`
	ExactlyOneShare float64 `json:"exactly_one_share"`
	MinCandidates   int     `json:"min_candidates"`
}

// Count adds one person whose candidate set has n values. An empty set means
// that the releases contradict each other about the person; it counts as below
// l but not as disclosed.
func (a *Attacker) Count(n, l int) {
	a.People++
	if n < l {
		a.BelowL++
	}
	if n == 1 {
		a.ExactlyOne++
	}
	if a.People == 1 || n < a.MinCandidates {
		a.MinCandidates = n
	}
}

// With is the attacker who looks for others, too.
func (a Attacker) With(o Attacker) Attacker {
	if a.People == 0 || o.People > 0 && o.MinCandidates < a.MinCandidates {
		a.MinCandidates = o.MinCandidates
	}
	a.People, a.BelowL, a.ExactlyOne = a.People+o.People, a.BelowL+o.BelowL, a.ExactlyOne+o.ExactlyOne
	return a.Shares()
}

func (a *Attacker) Shares() Attacker {
	if a.People > 0 {
		a.BelowLShare = float64(a.BelowL) / float64(a.People)
		a.ExactlyOneShare = float64(a.ExactlyOne) / float64(a.People)
	}
	return *a
}

// The attackers. Each holds all releases; they differ in what they know of the
// person they look for (the target). A candidate is a sensitive value the
// attacker cannot exclude by sets alone; counting arguments are the business of
// the certificates.
const (
	// AttackerLink knows the target's class in each release, from the target's
	// first publication on. Candidates: the values that occur in every one of
	// these classes.
	AttackerLink = "link"
	// attackerQI knows the target's quasi-identifier values and the release of
	// first publication. Per release, the target may be in any class whose cells
	// contain those values (exact recodings: any group with such a row, or with
	// such a value in each column). Candidates: values that occur, in every
	// release, in at least one of these classes.
	attackerQI = "qi_only"
	// AttackerNewcomer knows between which two releases the target arrived.
	// Candidates: the values in the difference of the two releases' bags. Only
	// people first published after release 1 are counted.
	AttackerNewcomer = "newcomer"
	// attackerNewcomerQI is newcomer and qi_only together, and may also leave out
	// every class of the arrival release that was there, identical, before.
	attackerNewcomerQI = "newcomer_qi"
	// AttackerNewcomerLink knows in addition everyone's classes in the two
	// releases around the target's arrival. The classes that share old records
	// form regions; the later bags of a region minus its earlier bags are the
	// values of the region's newcomers. Candidates: those values, as far as the
	// target's own class has them.
	AttackerNewcomerLink = "newcomer_link"
)

func NewAttacker(name string) *Attacker {
	knows := map[string]string{
		AttackerLink:         "the person's class in each release",
		attackerQI:           "the person's quasi-identifier values",
		AttackerNewcomer:     "between which two releases the person arrived",
		attackerNewcomerQI:   "the person's quasi-identifier values and arrival",
		AttackerNewcomerLink: "the person's arrival, and everyone's classes around it",
	}
	return &Attacker{Name: name, Knows: knows[name]}
}

// LinkAttack gives each record's candidate set under attackerLink.
func LinkAttack(views []chain.View, n int, sets *format.SetDict) []uint32 {
	cand := make([]uint32, n)
	for i := range views {
		v := &views[i]
		for rec, class := range v.ClassOf {
			switch {
			case class == 0 || cand[rec] > 0 && v.Fates[class-1] == chain.FateUnchanged:
			case cand[rec] == 0:
				cand[rec] = v.Rel.Tab.Support[class-1] + 1
			default:
				cand[rec] = sets.Intersect(cand[rec]-1, v.Rel.Tab.Support[class-1]) + 1
			}
		}
	}
	return cand
}

// NewcomerAttack counts attackerNewcomer and attackerNewcomerLink.
func NewcomerAttack(views []chain.View, n, l int, s *format.Schema) (plain, linked Attacker) {
	a, b := NewAttacker(AttackerNewcomer), NewAttacker(AttackerNewcomerLink)
	seen := make([]bool, n)
	values := len(s.Sa.Text)
	for i := range views {
		v := &views[i]
		var global uint32
		var regional []uint32
		if i > 0 {
			d := format.BagDifference(v.Before.Tab.Histogram(values), v.Rel.Tab.Histogram(values))
			global = s.Sets.Intern(d.Support())
			regional = regionalSupports(&views[i-1], v, n, s)
		}
		for rec, class := range v.ClassOf {
			if class == 0 || seen[rec] {
				continue
			}
			seen[rec] = true
			if i > 0 {
				a.Count(len(s.Sets.Sets[global]), l)
				both := s.Sets.Intersect(regional[class-1], v.Rel.Tab.Support[class-1])
				b.Count(len(s.Sets.Sets[s.Sets.Intersect(both, global)]), l)
			}
		}
	}
	return a.Shares(), b.Shares()
}

// regionalSupports gives, for each class of the later release, the value set of
// its region's newcomers.
func regionalSupports(before, after *chain.View, n int, s *format.Schema) []uint32 {
	r := chain.NewRegions(before, after, n)
	balance := regionalBalance(&r, before, after)
	old := make([]int, after.Rel.Tab.M) // members published before
	for rec, class := range after.ClassOf {
		if class > 0 && before.Class(rec) > 0 {
			old[class-1]++
		}
	}
	out := make([]uint32, after.Rel.Tab.M)
	for c := range out {
		if old[c] == 0 { // born: the class is its own region
			out[c] = after.Rel.Tab.Support[c]
			continue
		}
		d := format.Difference{Counts: make([]int, len(s.Sa.Text))}
		for v, n := range balance[r.OfAfter(uint32(c)+1)] {
			d.Counts[v] = n
		}
		out[c] = s.Sets.Intern(d.Support())
	}
	return out
}

// regionalBalance counts, per region and value, the later bags minus the
// earlier ones. Regions whose classes are all unchanged have no entry.
func regionalBalance(r *chain.Regions, before, after *chain.View) map[uint32]map[uint32]int {
	balance := map[uint32]map[uint32]int{}
	tally := func(region uint32, bag []uint32, sign int) {
		m := balance[region]
		if m == nil {
			m = map[uint32]int{}
			balance[region] = m
		}
		for _, v := range bag {
			m[v] += sign
		}
	}
	for c := range after.Rel.Tab.M {
		if after.Fates[c] != chain.FateUnchanged {
			tally(r.OfAfter(uint32(c)+1), after.Rel.Tab.Bag(c), 1)
		}
	}
	for c := range before.Rel.Tab.M {
		if region := r.OfBefore(uint32(c) + 1); balance[region] != nil {
			tally(region, before.Rel.Tab.Bag(c), -1)
		}
	}
	return balance
}

// CountSets counts the candidate sets of all published records.
func CountSets(a *Attacker, cand []uint32, l int, sets *format.SetDict) Attacker {
	for _, c := range cand {
		if c > 0 {
			a.Count(len(sets.Sets[c-1]), l)
		}
	}
	return a.Shares()
}
