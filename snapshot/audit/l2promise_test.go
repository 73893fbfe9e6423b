package audit

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		{"gain of declared shares", map[string]any{"gain": "5/1", "reference": declaredRef(sixThrees)},
			func(string, int64, int64) *big.Rat { return odds(5, 1, 3, 18) }, ""},
		{"less gain of declared shares", map[string]any{"gain": "4/1", "reference": declaredRef(sixThrees)},
			func(string, int64, int64) *big.Rat { return odds(4, 1, 3, 18) }, format.KindValueAboveL},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := standardL2("buckets")
			p.promised(x.promise, x.cap)
			if x.promise["reference"] != nil {
				p.referred = sixThrees
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

var sixThrees = map[string]int64{"a": 3, "b": 3, "c": 3, "d": 3, "e": 3, "f": 3}

// declaredRef is a declared reference as a manifest has it, and referenceText its copy.
func declaredRef(counts map[string]int64) map[string]any {
	var list []any
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, map[string]any{"value": v, "count": counts[v]})
	}
	return map[string]any{"file": "hierarchies/shares.csv", "sha256": format.HexSHA(referenceText(counts)), "counts": list}
}

func referenceText(counts map[string]int64) []byte {
	text := []byte("value,count\n")
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		text = fmt.Appendf(text, "%s,%d\n", v, counts[v])
	}
	return text
}

// TestL2DeclaredReferenceIsThere: the copy of declared counts is read, and has the counts by which the promises of the manifest were
// tested, and its hash.
func TestL2DeclaredReferenceIsThere(t *testing.T) {
	quoted := strings.Replace(string(referenceText(sixThrees)), "f", `"f"`, 1)
	const off = "value,count\na,3\nb,3\nc,3\nd,3\ne,3\nf,4\n"
	for _, x := range []struct {
		name, text string // empty: no file
		says       string // the hash in the manifest is that of this text; empty: of the right one
		renamed    int    // from this release on the manifest names another file
		want       string // kind, or part of an error
	}{
		{"the same", string(referenceText(sixThrees)), "", 0, ""},
		{"a count off by one", off, "", 0, format.KindReference},
		{"a count off by one, with its hash", off, off, 0, format.KindReference},
		{"a value less", strings.TrimSuffix(string(referenceText(sixThrees)), "f,3\n"), "", 0, format.KindReference},
		{"another hash", string(referenceText(sixThrees)), off, 0, format.KindReference},
		{"quoted", quoted, quoted, 0, format.KindNotCanonical},
		{"another name later", string(referenceText(sixThrees)), "", 2, format.KindContractChanged},
		{"missing", "", "", 0, "shares.csv: cannot be read"},
		{"no counts", "value,count\na,three\n", "", 0, "shares.csv:2: a count is not a number"},
		{"other columns", "value,n\na,3\n", "", 0, "shares.csv:1: the columns"},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := standardL2("buckets")
			p.promised(map[string]any{"gain": "5/1", "reference": declaredRef(sixThrees)},
				func(string, int64, int64) *big.Rat { return odds(5, 1, 3, 18) })
			p.referred, p.l = sixThrees, 0
			edit := p.edit
			p.edit = func(r *testParts) {
				edit(r)
				of := declaredRef(sixThrees)
				if x.says != "" {
					of["sha256"] = format.HexSHA([]byte(x.says))
				}
				if x.renamed > 0 && r.number >= x.renamed {
					of["file"] = "hierarchies/others.csv"
				}
				r.man["schema"].([]map[string]any)[4]["promise"].(map[string]any)["reference"] = of
			}
			o := p.write(t)
			at := filepath.Join(o.Releases, "hierarchies")
			require.NoError(t, os.Remove(filepath.Join(at, "shares.csv")))
			if x.text != "" {
				require.NoError(t, os.WriteFile(filepath.Join(at, "shares.csv"), []byte(x.text), 0o444))
			}
			if x.renamed > 0 {
				require.NoError(t, os.WriteFile(filepath.Join(at, "others.csv"), []byte(x.text), 0o444))
			}
			r, err := Dir(o)
			found, refused := gate.New(l2Policy(p)).Check(filepath.Join(o.Releases, format.DirName(1)), placedNow(1, p.out[0].where))
			switch {
			case x.text == "" || strings.Contains(x.want, ".csv"):
				require.ErrorContains(t, err, x.want)
				require.ErrorContains(t, refused, x.want)
			case x.want == "":
				require.NoError(t, errors.Join(err, refused))
				require.Empty(t, r.Violations)
				require.Empty(t, found)
			default:
				require.NoError(t, errors.Join(err, refused))
				require.Contains(t, kinds(r.Violations), x.want)
				if x.renamed == 0 {
					require.Contains(t, kinds(found), x.want)
				}
			}
		})
	}
}

// TestL2MalformedPromises: a promise that is written otherwise than one is, or that no arithmetic of an auditor reaches, is unreadable.
func TestL2MalformedPromises(t *testing.T) {
	for _, promise := range []map[string]any{{}, {"gain": "2"}, {"gain": "4/2"}, {"gain": "1/1"}, {"gain": "2000/1"}, {"most": "3/2"},
		{"l": 1}, {"at_most": []any{map[string]any{"value": "a", "share": "0/1"}}}, {"gain": "2/1", "reference": declaredRef(nil)},
		{"gain": "2/1", "reference": declaredRef(map[string]int64{"a": 1 << 40})}, {"gain": "2/1", "open": true},
		{"gain": "2/1", "reference": map[string]any{"counts": []any{map[string]any{"value": "a", "count": 1}}}}} {
		p := standardL2("buckets")
		p.promised(promise, nil)
		_, err := Dir(p.write(t))
		require.ErrorContains(t, err, map[bool]string{true: "missing values", false: "promise"}[promise["open"] != nil], "%v", promise)
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
	missing := hold(promise("5/1", "3/8"))
	missing.Attributes[0].Missing = "value"
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
			Reference: &format.Declared{Counts: []format.Reference{{Value: "f", Count: 1}}}})},
		{"policy.l", "schema.promise", hold(nil)},
		{"exact numbers", "schema.values", exact},
		{"missing values", "schema.missing", missing},
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

// TestL2MissingValuesAreThoseThatTheManifestAllows: a value of which the manifest says that it is never missing is not, in the values of
// buckets, the bags of pools and the exports; and an attribute is never neither.
func TestL2MissingValuesAreThoseThatTheManifestAllows(t *testing.T) {
	for _, missing := range []string{"", "value", "refuse", "open"} {
		p := standardL2("buckets")
		for i := range p.people {
			if p.people[i].value == "f" {
				p.people[i].value = "?"
			}
		}
		p.edit = since(1, func(r *testParts) {
			if missing != "" {
				r.man["schema"].([]map[string]any)[4]["missing"] = missing
			}
		})
		o := p.write(t)
		r, err := Dir(o)
		_, refused := gate.New(l2Policy(p)).Check(filepath.Join(o.Releases, format.DirName(1)), placedNow(1, p.out[0].where))
		switch missing {
		case "value":
			require.NoError(t, err)
			require.NotContains(t, kinds(r.Violations), format.KindClaimFalse)
		case "":
			require.ErrorContains(t, err, "a missing value, which the manifest rules out")
		default:
			require.ErrorContains(t, err, "neither refused nor values")
			require.ErrorContains(t, refused, "neither refused nor values")
		}
	}
}
