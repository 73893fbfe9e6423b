package gate

import (
	"slices"

	"anond/snapshot/audit/format"
)

// declared tests that a manifest of an era declares the policy and the promises that the
// gate was given: weaker ones would be kept, and be wrong. Of what is published already those of an earlier era may be.
func (g *Gate) declared(man *format.Manifest, published bool, f *format.Faults) {
	now := Settings{g.Policy, g.Promised}
	key := now.differs(man)
	for i := 0; published && key != "" && i < len(g.Earlier); i++ {
		if g.Earlier[i].differs(man) == "" {
			return
		}
	}
	switch key {
	case "":
	case "policy":
		f.Add("claim", format.KindClaimFalse, man.Release, 0, key, "the manifest declares another policy than the gate holds")
	default:
		f.Add("claim", format.KindClaimFalse, man.Release, 0, key, "the manifest promises something else than the gate holds")
	}
}

// differs names the first key of a manifest that declares something else; empty: none does.
func (s Settings) differs(man *format.Manifest) string {
	if p := man.Policy; p.K != s.Policy.K || p.L != s.Policy.L ||
		p.Republication != s.Policy.Republication || format.Budget(p) != format.Budget(s.Policy) || p.LevelName() != s.Policy.LevelName() {
		return "policy"
	}
	if s.Promised == nil {
		return ""
	}
	return s.Promised.differs(man)
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

// eras are what is known of the eras of a manifest, with hierarchies that contain those that it names; nil: it tells of one that the
// release before does not have. What the gate holds stays as it is.
func (g *Gate) eras(releases string, man *format.Manifest, f *format.Faults) (out []*era, err error) {
	for _, s := range man.ByEra() {
		e := &era{until: s.Until()}
		switch {
		case g.man == nil:
		case s.Until() == g.man.Release, s.Until() == 0 && !man.Begins(g.man):
			*e = g.era
			e.until = s.Until()
		case s.Until() > 0:
			i := slices.IndexFunc(g.former, func(x *era) bool { return x.until == s.Until() })
			if i < 0 {
				return nil, nil
			}
			*e = *g.former[i]
		}
		if err := e.hierarchies(releases, s, f); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// hierarchies reads those that a manifest names, unless they are known, and tests
// that they contain the earlier ones.
func (g *era) hierarchies(releases string, man *format.Manifest, f *format.Faults) error {
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
	for _, e := range append(g.former, &g.era) {
		for a, attr := range e.S.Qi {
			if len(attr.Cells) > HeldCells {
				e.S.Qi[a] = attr.Empty()
			}
		}
		e.S.Bags = format.NewSetDict() // buckets are compared within a check
	}
}

// HeldCells is how many cells of an attribute may stay in memory that no class at
// hand needs: the next release mostly shows them again.
const HeldCells = 1 << 14
