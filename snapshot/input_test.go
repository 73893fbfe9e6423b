package snapshot_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
)

// byHand is the hospital's release as a caller without a state fills it in.
func byHand(t *testing.T) *snapshot.Input {
	v := hospitalView(t)
	in := &snapshot.Input{Release: 1, CreatedAt: v.Intent.CreatedAt, Pending: 1, Schema: v.Schema, Dictionaries: v.Dictionaries, QI: v.QI,
		SA: v.SA, Scale: v.Scale}
	for _, c := range hospitalClasses() {
		in.Classes = append(in.Classes, snapshot.Class{Born: c.born, Members: c.members})
	}
	return in
}

// TestATableIsRenderedAsAViewIs: a caller without a state writes the same bytes for the
// same classes.
func TestATableIsRenderedAsAViewIs(t *testing.T) {
	for _, recoding := range []snapshot.Recoding{snapshot.Generalization(), snapshot.Anatomy(), snapshot.Permutation(testSeed)} {
		want, _ := render(t, hospitalView(t), settings(recoding), nil)
		got := memory{}
		_, err := snapshot.RenderBehind(byHand(t), settings(recoding), nil, got)
		require.NoError(t, err)
		assert.Equal(t, want, got, recoding.Name())
	}
}

// TestATableIsChecked: without an intent, too, classes hold records that are
// there, each once.
func TestATableIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(in *snapshot.Input){
		"no number":     func(in *snapshot.Input) { in.Release = 0 },
		"an empty one":  func(in *snapshot.Input) { in.Classes[0].Members = nil },
		"twice":         func(in *snapshot.Input) { in.Classes[1].Members = in.Classes[0].Members },
		"not there":     func(in *snapshot.Input) { in.Classes[0].Members = []equivclass.RecordID{0, 1, 99} },
		"no dictionary": func(in *snapshot.Input) { in.Dictionaries[6] = nil },
	} {
		in := byHand(t)
		spoil(in)
		_, err := snapshot.RenderBehind(in, settings(snapshot.Generalization()), nil, memory{})
		require.ErrorIs(t, err, snapshot.ErrView, name)
	}
}
