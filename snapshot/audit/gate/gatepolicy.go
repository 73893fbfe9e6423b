package gate

import (
	"slices"

	"anond/snapshot/audit/format"
)

// declared tests that a manifest declares the policy and the promises that the
// gate was given: weaker ones would be kept, and be wrong.
func (g *Gate) declared(man *format.Manifest, f *format.Faults) {
	if p := man.Policy; p.K != g.Policy.K || p.L != g.Policy.L ||
		p.Republication != g.Policy.Republication || format.Budget(p) != format.Budget(g.Policy) || p.LevelName() != g.Policy.LevelName() {
		f.Add("claim", format.KindClaimFalse, man.Release, 0, "policy", "the manifest declares another policy than the gate holds")
	}
	if g.Promised == nil {
		return
	}
	if key := g.Promised.differs(man); key != "" {
		f.Add("claim", format.KindClaimFalse, man.Release, 0, key, "the manifest promises something else than the gate holds")
	}
}

// Promised is what a manifest has to declare of sensitive attributes: of each its name, promise, values and whether these may be
// missing, in the order of the schema, and the pairs that have tables.
type Promised struct {
	Attributes []format.Column
	Tables     [][]string
	Window     string          // how long a part stays
	Erasure    *format.Erasure // when buckets leave; nil: never
}

// differs names the first key of a manifest that declares something else; empty: none does.
func (p *Promised) differs(man *format.Manifest) string {
	at := 0
	for i := range man.Schema {
		c := &man.Schema[i]
		if c.Role != "sensitive" {
			continue
		}
		if at == len(p.Attributes) || p.Attributes[at].Name != c.Name || !format.SamePromise(p.Attributes[at].Promise, c.Promise) {
			return "schema.promise"
		}
		if p.Attributes[at].Values != c.Values {
			return "schema.values"
		}
		if p.Attributes[at].Missing != c.Missing {
			return "schema.missing"
		}
		at++
	}
	switch {
	case at < len(p.Attributes):
		return "schema.promise"
	case p.Window != man.Window:
		return "window"
	case (p.Erasure == nil) != (man.Erasure == nil) || p.Erasure != nil && *p.Erasure != *man.Erasure:
		return "erasure"
	case !slices.EqualFunc(p.Tables, man.Tables, slices.Equal[[]string]):
		return "tables"
	}
	return ""
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
