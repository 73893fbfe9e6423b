package audit

import (
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
)

// analyse measures the chain as a whole: certificates, attackers, corruption,
// regroupings, subjects. Of several eras it is the sum, and whoever looks for somebody is taken to know the era of their part.
func (a *auditor) analyse() {
	if !a.linked {
		a.publicNewcomers()
		return
	}
	a.report.Certificates, a.report.Corruption = &certificates{}, &corruption{}
	published := make([]uint8, len(a.in.index.Ids)) // in how many eras
	for _, e := range a.eras {
		if len(e.views) > 0 {
			e.analyse(published)
		}
	}
	a.subjects(published)
}

func (e *era) analyse(published []uint8) {
	k := chain.Link(e.views, len(e.in.index.Ids))
	all, roots := chain.Components(e.views, k)
	c := e.report.Certificates
	if least := k.TrajectoryK(); c.TrajectoryK == 0 || least > 0 && least < c.TrajectoryK {
		c.TrajectoryK = least
	}
	for _, root := range roots {
		e.certify(c, all[root])
	}
	e.corruption(all, roots)
	e.regroups()
	for rec, t := range k.Typ {
		if t > 0 && published[rec] < 2 {
			published[rec]++
		}
	}
	e.attack(k)
}

// certify counts a component under its certificate.
func (e *era) certify(c *certificates, x *chain.Component) {
	at := x.Classes[0]
	t := e.views[at.View].Rel.Tab
	switch x.Regime() {
	case chain.RegimeFrozen: // Theorem A: the posterior is the bag's frequency
		c.FrozenRecords += x.Records
		c.FrozenClasses++
		c.MaxPosterior = max(c.MaxPosterior, t.TopShare(at.Class))
	case chain.RegimePure: // Theorem P: the posterior is 1/|S|
		c.PureRecords += x.Records
		c.PureComponents++
		c.MaxPosterior = max(c.MaxPosterior, 1/float64(len(e.s.Sets.Sets[x.Support])))
	default:
		c.OtherRecords += x.Records
		c.OtherComponents++
		return
	}
	for _, at := range x.Classes { // K1 is 1/|class| in both regimes
		c.RowLink = max(c.RowLink, 1/float64(e.views[at.View].Rel.Tab.Size(at.Class)))
	}
}

// corruption computes the score: top/(|class|-1) for classes that never changed. At
// level L2 the bucket stands for the class: every assignment of its bag to its people
// is equally likely, and which of its classes somebody is in tells nothing more.
func (e *era) corruption(all map[uint32]*chain.Component, roots []uint32) {
	out := e.report.Corruption
	for _, root := range roots {
		x := all[root]
		if x.Regime() != chain.RegimeFrozen {
			out.NotComputed += x.Records
			continue
		}
		at := x.Classes[0]
		out.ClosedForm += x.Records
		top, size := e.views[at.View].Rel.Tab.Most(at.Class)
		out.Max = max(out.Max, format.Share(top, size-1))
	}
}

// regroups is the histogram of regroupings per published record (rule E, equality patterns).
func (e *era) regroups() {
	for rec, n := range e.carry.Regroups {
		if e.carry.Class(rec) > 0 {
			e.report.Regroups = format.Fit(e.report.Regroups, max(len(e.report.Regroups), int(n)+1))
			e.report.Regroups[n]++
		}
	}
}

// attack runs the attackers that know memberships or microdata.
func (e *era) attack(k *chain.Linkage) {
	s, l := e.s, e.first.Promises()[0].L
	cand := shares.LinkAttack(e.views, k.N, s.Sets)
	out := []shares.Attacker{shares.CountSets(shares.NewAttacker(shares.AttackerLink), cand, l, s.Sets)}
	if e.records != nil {
		published := make([]bool, k.N)
		for rec, t := range k.Typ {
			published[rec] = t > 0
		}
		q := shares.NewQIAttack(s, e.records, published, l)
		for i := range e.views {
			e.attackByQI(q, i)
		}
		out = append(out, shares.CountSets(q.Qi, q.Cand, l, s.Sets), q.NewQI.Shares())
	} else if e.before == nil {
		e.skip("attackers who know quasi-identifiers: they need the records export")
	}
	plain, linked := shares.NewcomerAttack(e.views, k.N, l, s)
	for i, x := range append(out, plain, linked) {
		if i < len(e.report.Attackers) {
			e.report.Attackers[i] = e.report.Attackers[i].With(x)
		} else {
			e.report.Attackers = append(e.report.Attackers, x)
		}
	}
}

func (e *era) attackByQI(q *shares.QiAttack, i int) {
	v := &e.views[i]
	arrived := uint32(0)
	if i > 0 {
		values := len(e.s.Sa.Text)
		d := format.BagDifference(v.Before.Tab.Histogram(values), v.Rel.Tab.Histogram(values))
		arrived = e.s.Sets.Intern(d.Support())
	}
	match := e.matches[v.Rel.Num]
	if i == 0 { // of those before, if there are any, nobody is known
		match = chain.Reappearance{Kept: make([]bool, v.Rel.Tab.M)}
	}
	q.Release(v, match.Kept, i > 0 && len(match.Vanished) == 0, arrived, i == 0)
}

// publicNewcomers counts attackerNewcomer from the releases alone: every record
// a release adds has the values of the bag difference as candidates.
func (a *auditor) publicNewcomers() {
	at := shares.NewAttacker(shares.AttackerNewcomer)
	for i, row := range a.report.Releases {
		for range row.Newcomers {
			if i > 0 {
				at.Count(a.arrivals[i].values, a.arrivals[i].l)
			}
		}
	}
	a.report.Attackers = append(a.report.Attackers, at.Shares())
}
