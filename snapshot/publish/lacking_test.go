package publish_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestMissingValuesThatTheManifestRulesOut: a publisher that writes the mark of a missing value, alone, in a cell with others
// or as a sensitive value, where its manifest does not say missing: value, is refused by the gate, and found by the
// audit of what it publishes without one. With the word in the manifest both let it pass.
func TestMissingValuesThatTheManifestRulesOut(t *testing.T) {
	refusing, err := equivclass.NewSchema(hospital(t), equivclass.RefuseMissing)
	require.NoError(t, err)
	lacks := func(persons []person, column int, who ...int) []person {
		out := slices.Clone(persons)
		for _, i := range who {
			out[i] = slices.Clone(out[i])
			out[i][column] = ""
		}
		return out
	}
	level2, level1 := format.Policy{K: 3, L: 2, Republication: "append", MaxRegroups: new(int), Level: "L2"},
		format.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: new(2)}
	for column, a := range hospital(t) {
		if a.Hierarchy != nil { // its file would have to name the value
			continue
		}
		for _, who := range [][]int{{4}, {4, 5, 6, 7}} {
			cases := map[render.Recoding]*incremental.View{}
			for _, r := range recodings() {
				cases[r] = testView(t, 1, hospital(t), lacks(patients, column, who[0]), hospitalClasses())
			}
			for _, r := range sharedRecodings() {
				c := shelter()
				c.persons = lacks(c.persons, column, who...)
				cases[r] = c.view(t, 1)
			}
			for r, v := range cases {
				s, policy := sharedSettings(r), level2
				if v.Level != state.L2 {
					s, policy = settings(r), level1
					s.Policy.Diversity, s.Policy.SubjectRepeat = nil, ""
				}
				release := func(gate publish.Gate) (string, error) {
					p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
					p.Gate = gate
					require.NoError(t, p.Open())
					_, err := p.Publish(publish.Of(v), s)
					return p.Dir, err
				}
				_, err := release(auditGate{gate.New(policy)})
				require.NoError(t, err, "%s %s", r.Name(), a.Name)

				v.Schema = refusing
				_, err = release(auditGate{gate.New(policy)})
				var failure *publish.ReleaseError
				require.True(t, errors.As(err, &failure), "%s %s", r.Name(), a.Name)
				require.Equal(t, publish.StepGate, failure.Step)
				require.ErrorContains(t, err, "attribute "+a.Name+": a missing value, which the manifest rules out")
				dir, err := release(openGate{})
				require.NoError(t, err)
				_, err = audit.Dir(audit.Options{Releases: dir})
				require.ErrorContains(t, err, "attribute "+a.Name+": a missing value, which the manifest rules out")
			}
		}
	}
}
