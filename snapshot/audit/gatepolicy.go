package audit

// declared tests that a manifest declares the policy that the
// gate was given: a weaker one would be kept, and be wrong.
func (g *Gate) declared(man *Manifest, f *faults) {
	if p := man.Policy; p.K != g.policy.K || p.L != g.policy.L ||
		p.Republication != g.policy.Republication || budget(p) != budget(g.policy) || p.level() != g.policy.level() {
		f.add("claim", kindClaimFalse, man.Release, 0, "policy", "the manifest declares another policy than the gate holds")
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
	g.s.bags = newSetDict() // buckets are compared within a check
}

// heldCells is how many cells of an attribute may stay in memory that no class at
// hand needs: the next release mostly shows them again.
const heldCells = 1 << 14
