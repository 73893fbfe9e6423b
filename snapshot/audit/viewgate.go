package audit

import (
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// ViewGate is the auditor in front of whoever makes a view: it holds each release of the view, before it gets its name, against the chain
// of the view as the gate of any chain does (package gate), and against the release that it has to be a function of (viewed). It is not
// safe for concurrent use.
//
// A view does not tell who is in its classes. Each class gets k members of its own, so that the gate finds that nobody disappears, comes
// twice or comes back but as classes do.
//
// Cost: what is new in a release of the view, and the same of the release; 4 bytes a record.
type ViewGate struct {
	chain   *gate.Gate
	of      comparing
	members uint32
}

// NewViewGate makes the gate of a view of the releases in a directory.
func NewViewGate(releases string, policy format.Policy) *ViewGate {
	return &ViewGate{chain: gate.New(policy), of: comparing{releases: releases}}
}

// Resume puts the gate behind a release of the view that has its name, which is read again; empty: in front of the first.
func (g *ViewGate) Resume(dir string) ([]format.Violation, error) {
	if g.members, g.of.same = 0, nil; dir == "" {
		g.chain = gate.New(g.chain.Policy)
		return nil, nil
	}
	return g.judge(dir, func(man *format.Manifest) ([]format.Violation, error) {
		return g.chain.Resume(dir, g.placed(man, man.Parts), nil)
	})
}

// Check tests a release of the view that has no name yet. A non-empty result means: do not publish. It may be repeated.
func (g *ViewGate) Check(dir string) ([]format.Violation, error) {
	was := g.members
	found, err := g.judge(dir, func(man *format.Manifest) ([]format.Violation, error) {
		born := man.Parts
		if man.Release != man.First() {
			born = slices.DeleteFunc(slices.Clone(born), func(p format.Part) bool { return p.Name != man.Own() })
		}
		return g.chain.Check(dir, g.placed(man, born))
	})
	if err != nil || len(found) > 0 {
		g.members = was
	}
	return found, err
}

// Commit makes the release that passed Check the one before the next.
func (g *ViewGate) Commit() { g.chain.Commit() }

func (g *ViewGate) judge(dir string, alone func(*format.Manifest) ([]format.Violation, error)) ([]format.Violation, error) {
	man, err := chain.LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	found, err := alone(man)
	if err != nil || len(found) > 0 { // files are what the manifest says, or nothing is compared
		return found, err
	}
	g.of.f = format.Faults{}
	err = g.of.release(man, dir)
	return g.of.f.Sorted(), err
}

// placed gives the classes of parts their members.
func (g *ViewGate) placed(man *format.Manifest, parts []format.Part) (out []gate.Placement) {
	for i := range parts {
		p := gate.Placement{Part: parts[i].Name}
		for class := range parts[i].Classes {
			for range man.Policy.K {
				p.Records, p.Classes = append(p.Records, g.members), append(p.Classes, uint32(class)+1)
				g.members++
			}
		}
		out = append(out, p)
	}
	return out
}
