package state_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
)

// TestDeathsAreInTheOrderOfClasses: a history that decided tells of a release what one tells that was read, whatever the order in
// which a planner names the classes that die.
func TestDeathsAreInTheOrderOfClasses(t *testing.T) {
	var h state.History
	var born []*state.Class
	for id := range state.RecordID(3) {
		born = append(born, &state.Class{Members: []state.RecordID{id}})
	}
	h.Enter(state.Decision{Births: born})
	h.Intents = append(h.Intents, state.Intent{Release: 1})
	deaths := h.Enter(state.Decision{Deaths: []state.ClassID{2, 0}})
	require.Equal(t, []state.Death{{ID: 0, Release: 2}, {ID: 2, Release: 2}}, deaths)
	_, died := h.Change(2)
	require.Len(t, died, 2)
	require.Equal(t, []state.RecordID{0}, died[0].Members)
	require.Equal(t, []state.RecordID{2}, died[1].Members)
}
