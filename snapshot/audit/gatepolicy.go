package audit

// declared tests that a manifest declares the policy and the promises that the
// gate was given: a weaker one would be kept, and be wrong.
func (g *Gate) declared(man *Manifest, f *faults) {
	if p := man.Policy; p.K != g.policy.K || p.L != g.policy.L ||
		p.Republication != g.policy.Republication || budget(p) != budget(g.policy) || p.level() != g.policy.level() {
		f.add("claim", kindClaimFalse, man.Release, 0, "policy", "the manifest declares another policy than the gate holds")
	}
	if man.byRows() && !g.policy.Rows {
		f.add("claim", kindClaimFalse, man.Release, 0, "privacy.level",
			"the release claims level rows, which is weaker than what this gate demands: local buckets must not cross classes")
	}
	if g.policy.Promises == nil {
		return
	}
	found := 0
	for _, c := range man.Schema {
		if c.Promise == nil {
			continue
		}
		found++
		if want := g.policy.Promises[c.Name]; c.Promise.L != want.L || c.Promise.T != want.T || c.Promise.Distance != want.Distance {
			f.add("claim", kindClaimFalse, man.Release, 0, c.Name, "the manifest declares another promise than the gate holds")
		}
	}
	if found != len(g.policy.Promises) {
		f.add("claim", kindClaimFalse, man.Release, 0, "schema", "the manifest lacks the promise of an attribute")
	}
}

// hierarchies reads those that a manifest names, unless they are known, and tests
// that they contain the earlier ones.
func (g *Gate) hierarchies(releases string, man *Manifest, f *faults) error {
	if g.s != nil && len(grown(g.from, man)) == 0 {
		return nil
	}
	hier, err := loadHierarchies(releases, man, f)
	if err != nil {
		return err
	}
	if g.s == nil {
		g.s, g.from = newSchema(man, hier), man
		return nil
	}
	broken := f.n
	if err := checkGrowth(releases, g.from, man, f); err != nil || f.n > broken {
		return err
	}
	for _, a := range g.s.qi {
		if h := hier[a.name]; h != nil {
			a.grow(h)
		}
	}
	g.from = man
	return nil
}

// compact drops cells that no class uses any more, so that a gate which lives
// for years holds none.
func (g *Gate) compact() {
	for a, attr := range g.s.qi {
		if len(attr.cells) > heldCells {
			g.s.qi[a] = attr.empty()
		}
	}
	for _, l := range g.s.local { // buckets are compared within a check
		l.bags = newSetDict()
	}
}

// heldCells is how many cells of an attribute may stay in memory that no class at
// hand needs: the next release mostly shows them again.
const heldCells = 1 << 14
