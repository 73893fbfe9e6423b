// Package views gives a program the views of release.views. It registers itself behind the port that a run has for it
// (dataset.Views): whoever imports it has views, and without the import a configuration that names one is refused. What a
// view is and why it is safe: package snapshot/views.
package views

import (
	"anond/config"
	"anond/internal/dataset"
	"anond/snapshot/views"
)

func init() { dataset.RegisterViews(room{}) }

type room struct{}

// Open implements dataset.Views.
func (room) Open(c *config.Config) (out []dataset.Follower) {
	for _, v := range c.Release.Views {
		out = append(out, &views.View{Dir: v.Dir, Ledger: v.Ledger, Mode: v.Mode,
			Definition: views.Definition{Name: v.Name, Columns: v.Columns, Cells: v.Cells, Values: v.Values, Since: v.Since}})
	}
	return out
}
