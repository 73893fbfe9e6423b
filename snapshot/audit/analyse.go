package audit

import (
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
)

// analyse measures the chain as a whole: certificates, attackers, corruption,
// regroupings, subjects.
func (a *auditor) analyse() {
	if !a.linked {
		a.publicNewcomers()
		return
	}
	n := len(a.in.index.Ids)
	k := chain.Link(a.views, n)
	all, roots := chain.Components(a.views, k)
	c := &certificates{TrajectoryK: k.TrajectoryK()}
	a.report.Certificates = c
	for _, root := range roots {
		a.certify(c, all[root])
	}
	a.report.Corruption = a.corruption(all, roots)
	a.regroups()
	a.subjects(k)
	a.attack(k)
}

// certify counts a component under its certificate.
func (a *auditor) certify(c *certificates, x *chain.Component) {
	e := x.Classes[0]
	t := a.views[e.View].Rel.Tab
	switch x.Regime() {
	case chain.RegimeFrozen: // Theorem A: the posterior is the bag's frequency
		c.FrozenRecords += x.Records
		c.FrozenClasses++
		c.MaxPosterior = max(c.MaxPosterior, t.TopShare(e.Class))
	case chain.RegimePure: // Theorem P: the posterior is 1/|S|
		c.PureRecords += x.Records
		c.PureComponents++
		c.MaxPosterior = max(c.MaxPosterior, 1/float64(len(a.in.s.Sets.Sets[x.Support])))
	default:
		c.OtherRecords += x.Records
		c.OtherComponents++
		return
	}
	for _, e := range x.Classes { // K1 is 1/|class| in both regimes
		c.RowLink = max(c.RowLink, 1/float64(a.views[e.View].Rel.Tab.Size(e.Class)))
	}
}

// corruption computes the score: top/(|class|-1) for classes that never changed. At
// level L2 the bucket stands for the class: every assignment of its bag to its people
// is equally likely, and which of its classes somebody is in tells nothing more.
func (a *auditor) corruption(all map[uint32]*chain.Component, roots []uint32) *corruption {
	out := &corruption{}
	for _, root := range roots {
		x := all[root]
		if x.Regime() != chain.RegimeFrozen {
			out.NotComputed += x.Records
			continue
		}
		e := x.Classes[0]
		out.ClosedForm += x.Records
		top, size := a.views[e.View].Rel.Tab.Most(e.Class)
		out.Max = max(out.Max, format.Share(top, size-1))
	}
	return out
}

// regroups is the histogram of regroupings per published record (rule E, equality patterns).
func (a *auditor) regroups() {
	for rec, n := range a.carry.Regroups {
		if a.carry.Class(rec) > 0 {
			a.report.Regroups = format.Fit(a.report.Regroups, max(len(a.report.Regroups), int(n)+1))
			a.report.Regroups[n]++
		}
	}
}

// attack runs the attackers that know memberships or microdata.
func (a *auditor) attack(k *chain.Linkage) {
	s, l := a.in.s, a.report.firstL
	cand := shares.LinkAttack(a.views, k.N, s.Sets)
	out := []shares.Attacker{shares.CountSets(shares.NewAttacker(shares.AttackerLink), cand, l, s.Sets)}
	if a.in.records != nil {
		published := make([]bool, k.N)
		for rec, t := range k.Typ {
			published[rec] = t > 0
		}
		q := shares.NewQIAttack(s, a.in.records, published, l)
		for i := range a.views {
			a.attackByQI(q, i)
		}
		out = append(out, shares.CountSets(q.Qi, q.Cand, l, s.Sets), q.NewQI.Shares())
	} else {
		a.skip("attackers who know quasi-identifiers: they need the records export")
	}
	plain, linked := shares.NewcomerAttack(a.views, k.N, l, s)
	a.report.Attackers = append(out, plain, linked)
}

func (a *auditor) attackByQI(q *shares.QiAttack, i int) {
	v := &a.views[i]
	arrived := uint32(0)
	if i > 0 {
		values := len(a.in.s.Sa.Text)
		d := format.BagDifference(v.Before.Tab.Histogram(values), v.Rel.Tab.Histogram(values))
		arrived = a.in.s.Sets.Intern(d.Support())
	}
	match := a.matches[v.Rel.Num]
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
				at.Count(a.arrivals[i], a.report.L)
			}
		}
	}
	a.report.Attackers = append(a.report.Attackers, at.Shares())
}
