// Package views gives a program the views of release.views. It registers itself behind the port that a run has for it
// (dataset.Views): whoever imports it has views, and without the import a configuration that names one is refused. What a
// view is and why it is safe: package snapshot/views. In front of each release of one stands the auditor.
package views

import (
	"anond/config"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/publish"
	"anond/snapshot/views"
)

func init() { dataset.RegisterViews(room{}) }

type room struct{}

// Open implements dataset.Views.
func (room) Open(c *config.Config) (out []dataset.Follower) {
	none := 0
	policy := format.Policy{K: c.Policy.K, L: c.Policy.L, Republication: string(c.Policy.Republication), Level: string(c.Policy.Level),
		MaxRegroups: &none}
	for _, v := range c.Release.Views {
		out = append(out, &views.View{Dir: v.Dir, Ledger: v.Ledger, Mode: v.Mode, Gate: gate{audit.NewViewGate(c.Release.Dir, policy)},
			Definition: views.Definition{Name: v.Name, Columns: v.Columns, Cells: v.Cells, Values: v.Values, Since: v.Since}})
	}
	return out
}

// gate is the auditor as views.Gate.
type gate struct{ *audit.ViewGate }

// Resume implements views.Gate.
func (g gate) Resume(dir string) error { return refusal(g.ViewGate.Resume(dir)) }

// Check implements views.Gate.
func (g gate) Check(dir string) error { return refusal(g.ViewGate.Check(dir)) }

func refusal(found []format.Violation, err error) error {
	if err != nil || len(found) == 0 {
		return err
	}
	return fault.With(0, "the releases and other views go on; this is a fault of anond, or of a file that was changed: report it with the "+
		"output of anond audit", publish.Refuse(format.Summary(found)))
}
