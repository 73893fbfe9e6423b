package audit

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

// count adds one person whose candidate set has n values. An empty set means
// that the releases contradict each other about the person; it counts as below
// l but not as disclosed.
func (a *Attacker) count(n, l int) {
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

func (a *Attacker) shares() Attacker {
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
	// attackerLink knows the target's class in each release, from the target's
	// first publication on. Candidates: the values that occur in every one of
	// these classes.
	attackerLink = "link"
	// attackerQI knows the target's quasi-identifier values and the release of
	// first publication. Per release, the target may be in any class whose cells
	// contain those values (exact recodings: any group with such a row, or with
	// such a value in each column). Candidates: values that occur, in every
	// release, in at least one of these classes.
	attackerQI = "qi_only"
	// attackerNewcomer knows between which two releases the target arrived.
	// Candidates: the values in the difference of the two releases' bags. Only
	// people first published after release 1 are counted.
	attackerNewcomer = "newcomer"
	// attackerNewcomerQI is newcomer and qi_only together, and may also leave out
	// every class of the arrival release that was there, identical, before.
	attackerNewcomerQI = "newcomer_qi"
	// attackerNewcomerLink knows in addition everyone's classes in the two
	// releases around the target's arrival. The classes that share old records
	// form regions; the later bags of a region minus its earlier bags are the
	// values of the region's newcomers. Candidates: those values, as far as the
	// target's own class has them.
	attackerNewcomerLink = "newcomer_link"
)

func newAttacker(name string) *Attacker {
	knows := map[string]string{
		attackerLink:         "the person's class in each release",
		attackerQI:           "the person's quasi-identifier values",
		attackerNewcomer:     "between which two releases the person arrived",
		attackerNewcomerQI:   "the person's quasi-identifier values and arrival",
		attackerNewcomerLink: "the person's arrival, and everyone's classes around it",
	}
	return &Attacker{Name: name, Knows: knows[name]}
}

// linkAttack gives each record's candidate set under attackerLink.
func linkAttack(views []view, n int, sets *setDict) []uint32 {
	cand := make([]uint32, n)
	for i := range views {
		v := &views[i]
		for rec, class := range v.classOf {
			switch {
			case class == 0 || cand[rec] > 0 && v.fates[class-1] == fateUnchanged:
			case cand[rec] == 0:
				cand[rec] = v.rel.tab.support[class-1] + 1
			default:
				cand[rec] = sets.intersect(cand[rec]-1, v.rel.tab.support[class-1]) + 1
			}
		}
	}
	return cand
}

// newcomerAttack counts attackerNewcomer and attackerNewcomerLink.
func newcomerAttack(views []view, n, l int, s *schema) (plain, linked Attacker) {
	a, b := newAttacker(attackerNewcomer), newAttacker(attackerNewcomerLink)
	seen := make([]bool, n)
	values := len(s.sa.text)
	for i := range views {
		v := &views[i]
		var global uint32
		var regional []uint32
		if i > 0 {
			d := bagDifference(views[i-1].rel.tab.histogram(values), v.rel.tab.histogram(values))
			global = s.sets.intern(d.support())
			regional = regionalSupports(&views[i-1], v, n, s)
		}
		for rec, class := range v.classOf {
			if class == 0 || seen[rec] {
				continue
			}
			seen[rec] = true
			if i > 0 {
				a.count(len(s.sets.sets[global]), l)
				both := s.sets.intersect(regional[class-1], v.rel.tab.support[class-1])
				b.count(len(s.sets.sets[s.sets.intersect(both, global)]), l)
			}
		}
	}
	return a.shares(), b.shares()
}

// regionalSupports gives, for each class of the later release, the value set of
// its region's newcomers.
func regionalSupports(before, after *view, n int, s *schema) []uint32 {
	r := newRegions(before, after, n)
	balance := regionalBalance(&r, before, after)
	old := make([]int, after.rel.tab.m) // members published before
	for rec, class := range after.classOf {
		if class > 0 && before.class(rec) > 0 {
			old[class-1]++
		}
	}
	out := make([]uint32, after.rel.tab.m)
	for c := range out {
		if old[c] == 0 { // born: the class is its own region
			out[c] = after.rel.tab.support[c]
			continue
		}
		d := difference{counts: make([]int, len(s.sa.text))}
		for v, n := range balance[r.ofAfter(uint32(c)+1)] {
			d.counts[v] = n
		}
		out[c] = s.sets.intern(d.support())
	}
	return out
}

// regionalBalance counts, per region and value, the later bags minus the
// earlier ones. Regions whose classes are all unchanged have no entry.
func regionalBalance(r *regions, before, after *view) map[uint32]map[uint32]int {
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
	for c := range after.rel.tab.m {
		if after.fates[c] != fateUnchanged {
			tally(r.ofAfter(uint32(c)+1), after.rel.tab.bag(c), 1)
		}
	}
	for c := range before.rel.tab.m {
		if region := r.ofBefore(uint32(c) + 1); balance[region] != nil {
			tally(region, before.rel.tab.bag(c), -1)
		}
	}
	return balance
}

// countSets counts the candidate sets of all published records.
func countSets(a *Attacker, cand []uint32, l int, sets *setDict) Attacker {
	for _, c := range cand {
		if c > 0 {
			a.count(len(sets.sets[c-1]), l)
		}
	}
	return a.shares()
}
