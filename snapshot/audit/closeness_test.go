package audit

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// TestClosenessOfTheSensitiveAttribute: a promise t of policy.diversity is tested
// on every class, against release 1's own bag or what was declared.
func TestClosenessOfTheSensitiveAttribute(t *testing.T) {
	own := []format.ValueCount{{Value: "a", Count: 7}, {Value: "b", Count: 6}, {Value: "c", Count: 5}, {Value: "d", Count: 4}, {Value: "e",
		Count: 4}, {Value: "f", Count: 1}}
	for _, c := range []struct {
		name     string
		t        float64
		declared bool
		ref      []format.ValueCount
		want     string
	}{
		{"kept", 0.7, false, nil, ""},
		{"exceeded", 0.1, false, nil, format.KindPrinciple},
		{"another reference", 0.9, false, own, format.KindReference},
		{"declared", 0.9, true, own, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := standard()
			releases := p.render()
			count := map[string]float64{}
			for _, row := range releases[0].rows {
				count[row.value]++
			}
			ref := c.ref
			if ref == nil {
				for v, n := range count {
					ref = append(ref, format.ValueCount{Value: v, Count: n})
				}
				slices.SortFunc(ref, func(a, b format.ValueCount) int { return int(a.Value[0]) - int(b.Value[0]) })
			}
			for _, x := range releases {
				x.policy["diversity"] = []any{map[string]any{"kind": "t", "t": c.t, "distance": "equal", "declared": c.declared, "reference": ref}}
			}
			r, err := Dir(p.write(t, releases))
			require.NoError(t, err)
			if c.want == "" {
				require.Equal(t, VerdictCertified, r.Verdict, r.Violations)
				return
			}
			require.Contains(t, kinds(r.Violations), c.want)
		})
	}
}
