package audit

import (
	"math/big"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// promised declares a promise of the illness, and the cap that it gives.
func (p *l2Plan) promised(promise map[string]any, byValue func(value string, n, of int64) *big.Rat) {
	p.cap = byValue
	p.edit = since(1, func(r *testParts) {
		r.man["schema"].([]map[string]any)[4]["promise"] = promise
		policy(r)["l"] = 0
	})
}

// odds is the cap of gain r/s: the share at which the odds are r/s times those of n in of.
func odds(r, s, n, of int64) *big.Rat {
	if n == of {
		return big.NewRat(1, 1)
	}
	return big.NewRat(r*n, r*n+s*(of-n))
}

func atMost(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// TestL2Promises: a chain that keeps a promise to the last person is certified as far as it was by l, and one that
// has a person too many of a value in a bucket is violated. In release 2 a bucket has 2 of 4 with c, 2 of 12 in its pool; in
// release 3 one has 3 of 8 with f, 4 of 16 in its pool.
func TestL2Promises(t *testing.T) {
	f := func(most string) map[string]any {
		return map[string]any{"gain": "5/1", "at_most": []any{map[string]any{"value": "f", "share": most}}}
	}
	named := func(r, s int64) func(string, int64, int64) *big.Rat {
		return func(v string, n, of int64) *big.Rat {
			if v == "f" {
				return atMost(odds(5, 1, n, of), big.NewRat(r, s))
			}
			return odds(5, 1, n, of)
		}
	}
	declared := []any{map[string]any{"value": "a", "count": 3}, map[string]any{"value": "b", "count": 3},
		map[string]any{"value": "c", "count": 3}, map[string]any{"value": "d", "count": 3}, map[string]any{"value": "e", "count": 3},
		map[string]any{"value": "f", "count": 3}}
	for _, x := range []struct {
		name    string
		promise map[string]any
		cap     func(string, int64, int64) *big.Rat
		want    string // kind; empty: none
	}{
		{"l", map[string]any{"l": 2}, func(string, int64, int64) *big.Rat { return big.NewRat(1, 2) }, ""},
		{"l above the buckets", map[string]any{"l": 3}, func(string, int64, int64) *big.Rat { return big.NewRat(1, 3) }, format.KindValueAboveL},
		{"gain to the last person", map[string]any{"gain": "5/1"}, func(_ string, n, of int64) *big.Rat { return odds(5, 1, n, of) }, ""},
		{"gain, a person too many", map[string]any{"gain": "49/10"}, func(_ string, n, of int64) *big.Rat { return odds(49, 10, n, of) },
			format.KindValueAboveL},
		{"at most by value to the last person", f("3/8"), named(3, 8), ""},
		{"at most by value, a person too many", f("187/500"), named(187, 500), format.KindValueAboveL},
		{"at most of every value", map[string]any{"most": "1/2"}, func(string, int64, int64) *big.Rat { return big.NewRat(1, 2) }, ""},
		{"a whole pool above its cap", map[string]any{"most": "6/25"}, func(string, int64, int64) *big.Rat { return big.NewRat(6, 25) },
			format.KindDifference},
		{"gain of declared shares", map[string]any{"gain": "5/1", "reference": declared},
			func(string, int64, int64) *big.Rat { return odds(5, 1, 3, 18) }, ""},
		{"less gain of declared shares", map[string]any{"gain": "4/1", "reference": declared},
			func(string, int64, int64) *big.Rat { return odds(4, 1, 3, 18) }, format.KindValueAboveL},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := standardL2("buckets")
			p.promised(x.promise, x.cap)
			if x.promise["reference"] != nil {
				p.referred = map[string]int64{"a": 3, "b": 3, "c": 3, "d": 3, "e": 3, "f": 3}
			}
			p.l = 0
			r, refused := p.check(t, p.write(t))
			if x.want == "" {
				require.Empty(t, r.Violations)
				require.Empty(t, refused)
				return
			}
			require.Contains(t, kinds(r.Violations), x.want)
			require.Contains(t, kinds(refused), x.want)
		})
	}
}

// TestL2MalformedPromises: a promise that is written otherwise than one is, or that no arithmetic of an auditor reaches, is unreadable.
func TestL2MalformedPromises(t *testing.T) {
	for _, promise := range []map[string]any{{}, {"gain": "2"}, {"gain": "4/2"}, {"gain": "1/1"}, {"gain": "2000/1"}, {"most": "3/2"},
		{"l": 1}, {"at_most": []any{map[string]any{"value": "a", "share": "0/1"}}}, {"gain": "2/1", "reference": []any{}},
		{"gain": "2/1", "reference": []any{map[string]any{"value": "a", "count": 1 << 40}}}} {
		p := standardL2("buckets")
		p.promised(promise, nil)
		_, err := Dir(p.write(t))
		require.ErrorContains(t, err, "promise", "%v", promise)
	}
}

// TestL2PrivacyOfAttributes: figures that the files do not have.
func TestL2PrivacyOfAttributes(t *testing.T) {
	for _, edit := range []func(x map[string]any){
		func(x map[string]any) { x["top_share"] = "1/4" },
		func(x map[string]any) { x["top_odds"] = "9/2" },
		func(x map[string]any) { x["cap"] = "1/3" },
		func(x map[string]any) { x["name"] = "age" },
	} {
		p := standardL2("anatomy")
		p.edit = since(1, func(r *testParts) { edit(privacy(r)["attributes"].([]any)[0].(map[string]any)) })
		r, refused := p.check(t, p.write(t))
		require.Contains(t, kinds(r.Violations), format.KindCountMismatch)
		require.Contains(t, kinds(refused), format.KindCountMismatch)
	}
}

// TestL2GateDemandsThePromises: a gate refuses a manifest that keeps its own word, but promises something else of an attribute, its
// numbers or pairs than the gate was told to hold.
func TestL2GateDemandsThePromises(t *testing.T) {
	promise := func(gain format.Ratio, most string) *format.Promise {
		return &format.Promise{Gain: gain, AtMost: []format.ValueShare{{Value: "f", Share: format.Ratio(most)}}}
	}
	hold := func(p *format.Promise) gate.Promised {
		return gate.Promised{Attributes: []format.Column{{Name: "illness", Promise: p}}}
	}
	exact, tables, named := hold(promise("5/1", "3/8")), hold(promise("5/1", "3/8")), hold(promise("5/1", "3/8"))
	exact.Attributes[0].Values = "exact"
	tables.Tables = [][]string{{"illness", "other"}}
	named.Attributes[0].Name = "other"
	for _, x := range []struct {
		name, key string
		hold      gate.Promised
	}{
		{"the same", "", hold(promise("5/1", "3/8"))},
		{"less gain", "schema.promise", hold(promise("4/1", "3/8"))},
		{"a lower end", "schema.promise", hold(promise("5/1", "1/4"))},
		{"l besides", "schema.promise", hold(&format.Promise{L: 2, Gain: "5/1", AtMost: promise("", "3/8").AtMost})},
		{"declared shares", "schema.promise", hold(&format.Promise{Gain: "5/1", AtMost: promise("", "3/8").AtMost,
			Reference: []format.Reference{{Value: "f", Count: 1}}})},
		{"policy.l", "schema.promise", hold(nil)},
		{"exact numbers", "schema.values", exact},
		{"another attribute", "schema.promise", named},
		{"a pair", "tables", tables},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := standardL2("buckets")
			p.promised(map[string]any{"gain": "5/1", "at_most": []any{map[string]any{"value": "f", "share": "3/8"}}},
				func(v string, n, of int64) *big.Rat {
					if v == "f" {
						return atMost(odds(5, 1, n, of), big.NewRat(3, 8))
					}
					return odds(5, 1, n, of)
				})
			p.l = 0
			o := p.write(t)
			at := filepath.Join(o.Releases, format.DirName(1))
			g, resumed := gate.New(l2Policy(p)), gate.New(l2Policy(p))
			g.Promised, resumed.Promised = &x.hold, &x.hold
			found, err := g.Check(at, placedNow(1, p.out[0].where))
			require.NoError(t, err)
			again, err := resumed.Resume(at, placedAll(p.out[0].where), nil)
			require.NoError(t, err)
			for _, found := range [][]format.Violation{found, again} {
				if x.key == "" {
					require.Empty(t, found)
					continue
				}
				require.Equal(t, []string{format.KindClaimFalse}, kinds(found))
				require.Equal(t, x.key, found[0].Attribute)
			}
		})
	}
}
