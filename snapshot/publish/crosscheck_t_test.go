package publish_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// diagnoses is a hierarchy whose lines repeat labels and whose leaves are not
// all equally deep.
const diagnoses = "flu;lung;infection;*\ncold;lung;infection;*\nhepatitis;hepatitis;infection;*\n" +
	"fracture;bone;injury;*\nburn;burn;injury;*\nanxiety;anxiety;anxiety;*\n"

// TestAuditorAgreesOnTheEarthMoversDistance: the greatest distance of a class by
// the library's ground distances is, to 1e-6, where the auditor's own begins to
// find a promise t broken.
func TestAuditorAgreesOnTheEarthMoversDistance(t *testing.T) {
	tier.NotShort(t, "it renders many chains")
	r := rand.New(rand.NewPCG(14, 3))
	tree := tree(t, diagnoses)
	for _, c := range []struct {
		attribute equivclass.Attribute
		distance  string
		values    []string
	}{
		{equivclass.Attribute{Type: equivclass.Categorical, Hierarchy: tree}, "hierarchical", []string{"flu", "cold", "hepatitis", "fracture",
			"burn", "anxiety"}},
		{equivclass.Attribute{Type: equivclass.Categorical, Hierarchy: tree}, "equal", []string{"flu", "cold", "hepatitis", "fracture", "burn",
			"anxiety"}},
		{equivclass.Attribute{Type: equivclass.Integer, Buckets: []int64{-10, 0, 5, 50, 500}}, "ordered", []string{"-3", "2", "7", "60",
			"900"}},
	} {
		c.attribute.Name, c.attribute.Role = "diagnosis", equivclass.Sensitive
		for range 25 {
			var persons []person
			var classes []testClass
			for range 2 + r.IntN(4) {
				x := testClass{Regime: state.Frozen, Born: 1, Members: nil}
				for range 3 + r.IntN(3) {
					x.Members = append(x.Members, state.RecordID(len(persons)))
					persons = append(persons, person{strconv.Itoa(r.IntN(90)), c.values[r.IntN(len(c.values))]})
				}
				classes = append(classes, x)
			}
			v := testView(t, 1, []equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer}, c.attribute}, persons,
				classes)
			bagOf := func(members []state.RecordID) (b equivclass.Bag) {
				for _, m := range members {
					b.Add(v.SA[0].At(int(m)), 1)
				}
				return b
			}
			var all []state.RecordID
			for _, x := range classes {
				all = append(all, x.Members...)
			}
			v.References = map[int]equivclass.Bag{1: bagOf(all)}
			ground, err := equivclass.GroundOf(c.attribute, c.distance)
			require.NoError(t, err)
			greatest := 0.0
			for _, x := range classes {
				greatest = max(greatest, ground.Distance(bagOf(x.Members), bagOf(all)))
			}
			if greatest < 1e-3 {
				continue
			}
			for _, off := range []float64{1e-6, -1e-6} {
				root := t.TempDir()
				p := publisher(newRecorder(root), root)
				p.Gate = openGate{}
				require.NoError(t, p.Open())
				s := settings(render.Generalization())
				s.Policy = snapshot.Policy{K: 3, L: 1, Republication: "append", Diversity: []snapshot.Diversity{{Kind: "t", T: greatest + off,
					Distance: c.distance}}}
				s.Hierarchies = nil
				if c.attribute.Hierarchy != nil {
					s.Hierarchies = []render.HierarchyFile{{Attribute: "diagnosis", File: "diagnosis.csv", Content: []byte(diagnoses)}}
				}
				_, err := p.Publish(publish.Of(v), s)
				require.NoError(t, err)
				report, err := audit.Dir(audit.Options{Releases: p.Dir})
				require.NoError(t, err)
				report.Violations = slices.DeleteFunc(report.Violations, func(x format.Violation) bool { return x.Kind == "l_promises_nothing" })
				broken := slices.ContainsFunc(report.Violations,
					func(x format.Violation) bool { return x.Kind == "principle_violated" && x.Attribute == "t" })
				require.Equal(t, off < 0, broken, "%s %+v", c.distance, report.Violations)
				require.Equal(t, broken, len(report.Violations) > 0)
			}
		}
	}
}
