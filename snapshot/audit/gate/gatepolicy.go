package gate

import (
	"anond/snapshot/audit/format"
)

// declared tests that a manifest declares the policy that the
// gate was given: a weaker one would be kept, and be wrong.
func (g *Gate) declared(man *format.Manifest, f *format.Faults) {
	if p := man.Policy; p.K != g.Policy.K || p.L != g.Policy.L ||
		p.Republication != g.Policy.Republication || format.Budget(p) != format.Budget(g.Policy) || p.LevelName() != g.Policy.LevelName() {
		f.Add("claim", format.KindClaimFalse, man.Release, 0, "policy", "the manifest declares another policy than the gate holds")
	}
}

// hierarchies reads those that a manifest names, unless they are known, and tests
// that they contain the earlier ones.
func (g *Gate) hierarchies(releases string, man *format.Manifest, f *format.Faults) error {
	if g.S != nil && len(format.Grown(g.from, man)) == 0 {
		return nil
	}
	hier, err := format.LoadHierarchies(releases, man, f)
	if err != nil {
		return err
	}
	if g.S == nil {
		g.S, g.from = format.NewSchema(man, hier), man
		return nil
	}
	broken := f.N
	if err := format.CheckGrowth(releases, g.from, man, f); err != nil || f.N > broken {
		return err
	}
	for _, a := range g.S.Qi {
		if h := hier[a.Name]; h != nil {
			a.Grow(h)
		}
	}
	g.from = man
	return nil
}

// Compact drops cells that no class uses any more, so that a gate which lives
// for years holds none.
func (g *Gate) Compact() {
	for a, attr := range g.S.Qi {
		if len(attr.Cells) > HeldCells {
			g.S.Qi[a] = attr.Empty()
		}
	}
	g.S.Bags = format.NewSetDict() // buckets are compared within a check
}

// HeldCells is how many cells of an attribute may stay in memory that no class at
// hand needs: the next release mostly shows them again.
const HeldCells = 1 << 14
