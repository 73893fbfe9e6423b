package audit

// analyse measures the chain as a whole: certificates, attackers, corruption,
// regroupings, subjects.
func (a *auditor) analyse() {
	if !a.linked {
		a.publicNewcomers()
		return
	}
	n := len(a.in.index.ids)
	k := link(a.views, n)
	all, roots := components(a.views, k)
	c := &Certificates{TrajectoryK: k.trajectoryK()}
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
func (a *auditor) certify(c *Certificates, x *component) {
	e := x.classes[0]
	t := a.views[e.view].rel.tab
	switch x.regime() {
	case regimeFrozen: // Theorem A: the posterior is the bag's frequency
		c.FrozenRecords += x.records
		c.FrozenClasses++
		c.MaxPosterior = max(c.MaxPosterior, t.topShare(e.class))
	case regimePure: // Theorem P: the posterior is 1/|S|
		c.PureRecords += x.records
		c.PureComponents++
		c.MaxPosterior = max(c.MaxPosterior, 1/float64(len(a.in.s.sets.sets[x.support])))
	default:
		c.OtherRecords += x.records
		c.OtherComponents++
		return
	}
	for _, e := range x.classes { // K1 is 1/|class| in both regimes
		c.RowLink = max(c.RowLink, 1/float64(a.views[e.view].rel.tab.size(e.class)))
	}
}

// corruption computes the score: top/(|class|-1) for classes that never changed. At
// level L2 the bucket stands for the class: every assignment of its bag to its people
// is equally likely, and which of its classes somebody is in tells nothing more.
func (a *auditor) corruption(all map[uint32]*component, roots []uint32) *Corruption {
	out := &Corruption{}
	for _, root := range roots {
		x := all[root]
		if x.regime() != regimeFrozen {
			out.NotComputed += x.records
			continue
		}
		e := x.classes[0]
		out.ClosedForm += x.records
		top, size := a.views[e.view].rel.tab.most(e.class)
		out.Max = max(out.Max, share(top, size-1))
	}
	return out
}

// regroups is the histogram of regroupings per published record (rule E, equality patterns).
func (a *auditor) regroups() {
	for rec, n := range a.carry.regroups {
		if a.carry.class(rec) > 0 {
			a.report.Regroups = fit(a.report.Regroups, max(len(a.report.Regroups), int(n)+1))
			a.report.Regroups[n]++
		}
	}
}

// attack runs the attackers that know memberships or microdata.
func (a *auditor) attack(k *linkage) {
	s, l := a.in.s, a.report.L
	cand := linkAttack(a.views, k.n, s.sets)
	out := []Attacker{countSets(newAttacker(attackerLink), cand, l, s.sets)}
	if a.in.records != nil {
		published := make([]bool, k.n)
		for rec, t := range k.typ {
			published[rec] = t > 0
		}
		q := newQIAttack(s, a.in.records, published, l)
		for i := range a.views {
			a.attackByQI(q, i)
		}
		out = append(out, countSets(q.qi, q.cand, l, s.sets), q.newQI.shares())
	} else {
		a.skip("attackers who know quasi-identifiers: they need the records export")
	}
	plain, linked := newcomerAttack(a.views, k.n, l, s)
	a.report.Attackers = append(out, plain, linked)
}

func (a *auditor) attackByQI(q *qiAttack, i int) {
	v := &a.views[i]
	arrived := uint32(0)
	if i > 0 {
		values := len(a.in.s.sa.text)
		d := bagDifference(a.views[i-1].rel.tab.histogram(values), v.rel.tab.histogram(values))
		arrived = a.in.s.sets.intern(d.support())
	}
	q.release(v, a.matches[i].kept, i > 0 && len(a.matches[i].vanished) == 0, arrived, i == 0)
}

// publicNewcomers counts attackerNewcomer from the releases alone: every record
// a release adds has the values of the bag difference as candidates.
func (a *auditor) publicNewcomers() {
	at := newAttacker(attackerNewcomer)
	for i, row := range a.report.Releases {
		for range row.Newcomers {
			if i > 0 {
				at.count(a.arrivals[i], a.report.L)
			}
		}
	}
	a.report.Attackers = append(a.report.Attackers, at.shares())
}
