package publish_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot/render"
)

// byHand is the hospital's release as a caller without a state fills it in.
func byHand(t *testing.T) *render.Input {
	v := hospitalView(t)
	in := &render.Input{Release: 1, CreatedAt: v.Intent.CreatedAt, Pending: 1,
		Columns: render.Columns{Schema: v.Schema, Dictionaries: v.Dictionaries, QI: v.QI, SA: v.SA, Scale: v.Scale}}
	for _, c := range hospitalClasses() {
		in.Classes = append(in.Classes, render.Class{Born: c.Born, Members: c.Members})
	}
	return in
}

// TestATableIsRenderedAsAViewIs: a caller without a state writes the same bytes for the
// same classes.
func TestATableIsRenderedAsAViewIs(t *testing.T) {
	for _, recoding := range []render.Recoding{render.Generalization(), render.Anatomy(), render.Permutation(testSeed)} {
		want, _ := rendering(t, hospitalView(t), settings(recoding), nil)
		got := memory{}
		_, err := renderBehind(byHand(t), settings(recoding), nil, got)
		require.NoError(t, err)
		assert.Equal(t, want, got, recoding.Name())
	}
}

// TestATableIsChecked: without an intent, too, classes hold records that are
// there, each once.
func TestATableIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(in *render.Input){
		"no number":     func(in *render.Input) { in.Release = 0 },
		"an empty one":  func(in *render.Input) { in.Classes[0].Members = nil },
		"twice":         func(in *render.Input) { in.Classes[1].Members = in.Classes[0].Members },
		"not there":     func(in *render.Input) { in.Classes[0].Members = []equivclass.RecordID{0, 1, 99} },
		"no dictionary": func(in *render.Input) { in.Dictionaries[6] = nil },
	} {
		in := byHand(t)
		spoil(in)
		_, err := renderBehind(in, settings(render.Generalization()), nil, memory{})
		require.ErrorIs(t, err, render.ErrView, name)
	}
}
