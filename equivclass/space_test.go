package equivclass_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestWeightsScaleDistancesAndLosses: in each kind of dimension a weight multiplies what cells lose and how far values are apart,
// missing numbers and ends of steps too, and leads back to the same codes. Where there is none, nothing changes.
func TestWeightsScaleDistancesAndLosses(t *testing.T) {
	tree, err := equivclass.ParseHierarchy("t", strings.NewReader("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n"))
	require.NoError(t, err)
	number := equivclass.Attribute{Name: "n", Role: equivclass.Quasi, Type: equivclass.Integer, Optional: true}
	steps, set, labels := number, equivclass.Attribute{Name: "s", Role: equivclass.Quasi, Type: equivclass.Categorical},
		equivclass.Attribute{Name: "t", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: tree}
	steps.Steps = []int64{10, 20}
	for _, a := range []equivclass.Attribute{number, steps, set, labels} {
		heavy, light := a, a
		light.Weight = .25
		var dicts []*equivclass.Dictionary
		for _, of := range []equivclass.Attribute{heavy, light} {
			d := equivclass.NewDictionary(of)
			for _, text := range []string{"0", "7", "40", "100", "?"} {
				if a.Type == equivclass.Categorical {
					text = map[string]string{"0": "a", "7": "b", "40": "c", "100": "d", "?": "a"}[text]
				}
				if a.Type == equivclass.Categorical || text != "?" {
					_, fault := d.Encode([]byte(text))
					require.Equal(t, equivclass.Accepted, fault)
				}
			}
			dicts = append(dicts, d)
		}
		space := equivclass.NewSpace(dicts)
		for j := range space.Dims {
			space.Dims[j].ScaleBy(equivclass.Range{Lo: 0, Hi: 100})
		}
		one, quarter := &space.Dims[0], &space.Dims[1]
		for c := range equivclass.Code(dicts[0].Len()) {
			x, y := space.Coord(0, dicts[0], c), space.Coord(1, dicts[1], c)
			assert.InDelta(t, x/4, y, 1e-6)
			for b := range c + 1 {
				from, to := space.Coord(0, dicts[0], b), space.Coord(1, dicts[1], b)
				want, have := one.RangeLoss(min(from, x), max(from, x))/4, quarter.RangeLoss(min(to, y), max(to, y))
				assert.InDelta(t, want, have, 1e-6, "%s %d..%d", a.Name, b, c)
			}
			if a.Type == equivclass.Categorical {
				assert.Equal(t, c, quarter.Code(y))
			}
			assert.InDelta(t, one.SetLoss(int(c)+1)/4, quarter.SetLoss(int(c)+1), 1e-6)
		}
	}
}
