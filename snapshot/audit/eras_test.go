package audit

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// TestErasAreCertified: releases whose parts were published under different settings are read, each part by its own.
func TestErasAreCertified(t *testing.T) {
	c := standardEras()
	r, refused := c.check(t, c.write(t))
	require.Empty(t, r.Violations)
	require.Empty(t, refused)
	require.Equal(t, VerdictCertified, r.Verdict)
	require.Equal(t, levelStructure, r.Level.L2)
	require.Equal(t, 44, r.Certificates.FrozenRecords)
	require.Equal(t, []int{4, 3, 4}, []int{r.Eras[0].K, r.Eras[1].K, r.K})
	require.Equal(t, []int{2, 4}, []int{r.Eras[0].Until, r.Eras[1].Until})
	require.Equal(t, "anatomy", r.Eras[1].Recoding)
	require.Equal(t, "1/3", string(r.Eras[1].Attributes[0].TopShare))
	require.Equal(t, 44, r.Attackers[0].People)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "who was published up to release 4: k 3, recoding anatomy, no probability above 1/3")
}

const grownCities = testHierarchy + "west-1;west;*\n"

// former edits what a release tells of an era that has ended, as if no other release told of it.
func former(r *testParts, i int, edit func(e map[string]any)) {
	eras := slices.Clone(r.man["eras"].([]any))
	e := maps.Clone(eras[i].(map[string]any))
	for _, key := range []string{"policy", "privacy"} {
		e[key] = maps.Clone(e[key].(map[string]any))
	}
	edit(e)
	eras[i] = e
	r.man["eras"] = eras
}

// TestErasThatAreWrong damages the chain of eras in one place at a time: in its plan, or in what releases say.
func TestErasThatAreWrong(t *testing.T) {
	class := func(era, number, bucket int, values ...string) func(c *eraChain) {
		return func(c *eraChain) {
			for i, who := range c.eras[era].births[number-1][bucket][0] {
				c.people[who].value = values[i%len(values)]
			}
		}
	}
	for _, m := range []struct {
		name string
		want string
		plan func(c *eraChain)
		edit func(r *testParts)
	}{
		{name: "k of an era is another one later", want: format.KindEras, edit: at(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["policy"].(map[string]any)["k"] = 3 })
		})},
		{name: "an era began with another k than the release before had", want: format.KindEras, edit: since(3, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["policy"].(map[string]any)["k"] = 3 })
		})},
		{name: "a column of an era is another one later", want: format.KindEras, edit: at(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) {
				schema := slices.Clone(e["schema"].([]map[string]any))
				schema[1] = maps.Clone(schema[1])
				schema[1]["type"] = "decimal"
				e["schema"] = schema
			})
		})},
		{name: "the recoding of an era is another one later", want: format.KindEras, edit: at(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["recoding"] = "anatomy" })
		})},
		{name: "the hierarchy of an era grows after it has ended", want: format.KindEras, plan: func(c *eraChain) {
			c.copies = map[string]string{"city-2.csv": grownCities}
		}, edit: at(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) {
				schema := slices.Clone(e["schema"].([]map[string]any))
				schema[2] = maps.Clone(schema[2])
				schema[2]["hierarchy"] = map[string]any{"file": "city-2.csv", "sha256": format.HexSHA([]byte(testHierarchy + "west-1;west;*\n"))}
				e["schema"] = schema
			})
		})},
		{name: "an era ends elsewhere later", want: format.KindEras, edit: at(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["until"] = 1 })
		})},
		{name: "an era ended before the release before", want: format.KindEras, edit: since(3, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["until"] = 1 })
		})},
		{name: "an era is not told of any more", want: format.KindEras, edit: at(6, func(r *testParts) {
			r.man["eras"] = r.man["eras"].([]any)[1:]
		})},
		{name: "no era is told of any more", want: format.KindEras, edit: at(4, func(r *testParts) { delete(r.man, "eras") })},
		{name: "two eras become one", want: format.KindEras, edit: at(6, func(r *testParts) {
			former(r, 1, func(e map[string]any) { maps.Copy(e, r.man["eras"].([]any)[0].(map[string]any)); e["until"] = 4 })
			r.man["eras"] = r.man["eras"].([]any)[1:]
		})},
		{name: "settings change and no era ends", want: format.KindContractChanged, edit: at(4, func(r *testParts) { policy(r)["l"] = 2 })},
		{name: "settings change with the release that ends an era, of that era", want: format.KindContractChanged,
			edit: at(2, func(r *testParts) { policy(r)["l"] = 3 })},
		{name: "another person's attribute from an era on", want: format.KindContractChanged, edit: since(5, func(r *testParts) {
			schema := slices.Clone(r.man["schema"].([]map[string]any))
			schema[0] = map[string]any{"name": "patient", "role": "subject", "type": "categorical"}
			r.man["schema"] = schema
		})},
		{name: "a given seed from an era on", want: format.KindContractChanged, edit: since(5, func(r *testParts) {
			r.man["seeded"] = true
			privacy(r)["level"] = "L0+L1"
		})},
		{name: "a compaction of two eras", want: format.KindEras, plan: func(c *eraChain) { c.compact[5] = [2]int{0, 2} }},
		{name: "a class of the k of the era before", want: format.KindClassAboveK, plan: func(c *eraChain) {
			b := c.eras[1].births[2][0]
			b[0] = append(b[0], c.add(3, "d")...)
		}},
		{name: "a class of the k of the era that is over", want: format.KindClassBelowK, plan: func(c *eraChain) {
			c.eras[2].births[4][0][0] = c.eras[2].births[4][0][0][1:]
		}},
		{name: "l of the era before", want: format.KindValueAboveL, plan: class(1, 3, 0, "a", "a", "b")},
		{name: "a column of the era before", want: format.KindExtraColumn, plan: func(c *eraChain) { c.lacks[1] = "job, which is shown" },
			edit: since(3, func(r *testParts) {
				schema := func(of any) any {
					return slices.DeleteFunc(slices.Clone(of.([]map[string]any)), func(x map[string]any) bool { return x["name"] == "job" })
				}
				if r.number < 5 {
					r.man["schema"] = schema(r.man["schema"])
					return
				}
				former(r, 1, func(e map[string]any) { e["schema"] = schema(e["schema"]) })
			})},
		{name: "people of an era", want: format.KindCountMismatch, edit: since(3, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["records"] = e["records"].(int) + 1 })
		})},
		{name: "people of all", want: format.KindCountMismatch, edit: since(3, func(r *testParts) {
			r.man["records"] = r.man["records"].(int) + 1
		})},
		{name: "classes of an era", want: format.KindCountMismatch, edit: since(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["classes"] = e["classes"].(int) - 1 })
		})},
		{name: "what the buckets of an era reach", want: format.KindCountMismatch, edit: since(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) {
				x := maps.Clone(e["privacy"].(map[string]any)["attributes"].([]any)[0].(map[string]any))
				x["top_share"] = "1/3"
				e["privacy"].(map[string]any)["attributes"] = []any{x}
			})
		})},
		{name: "the smallest class of an era", want: format.KindCountMismatch, edit: since(4, func(r *testParts) {
			former(r, 0, func(e map[string]any) { e["privacy"].(map[string]any)["k_min"] = 3 })
		})},
		{name: "rows that may be somebody's, of exact cells", want: format.KindClaimFalse, edit: since(3, func(r *testParts) {
			if r.number < 5 {
				privacy(r)["k1"] = "rows"
				return
			}
			former(r, 1, func(e map[string]any) { e["privacy"].(map[string]any)["k1"] = "rows" })
		})},
	} {
		t.Run(m.name, func(t *testing.T) {
			c := standardEras()
			if m.plan != nil {
				m.plan(c)
			}
			c.edit = m.edit
			r, refused := c.check(t, c.write(t))
			require.Contains(t, kinds(r.Violations), m.want)
			require.Contains(t, kinds(refused), m.want)
			require.Equal(t, verdictViolated, r.Verdict)
		})
	}
}

// TestErasOfArrival damages who is in parts of which era, and what the exports say of it. The gate sees no exports.
func TestErasOfArrival(t *testing.T) {
	for _, m := range []struct {
		name, want string
		plan       func(c *eraChain)
		records    func(rows [][]string, c *eraChain)
	}{
		{name: "somebody of an earlier arrival joins newcomers", want: format.KindEarlierArrival, plan: func(c *eraChain) {
			delete(c.in, c.eras[2].births[5][0][0][0])
		}},
		{name: "all of a pool arrived earlier", want: format.KindEarlierArrival, plan: func(c *eraChain) {
			for _, i := range c.eras[2].births[4][0][0] {
				delete(c.in, i)
			}
		}},
		{name: "a pool of earlier people behind one of newcomers", want: format.KindEarlierArrival, plan: func(c *eraChain) {
			for _, b := range c.eras[2].births[5] {
				for _, i := range b[0] {
					delete(c.in, i)
				}
			}
		}},
		{name: "nothing has changed for people who arrive later, and people are observed", want: format.KindEarlierArrival,
			plan: func(c *eraChain) { clear(c.in) }},
		{name: "a column that somebody has not", want: format.KindColumnLacking, records: func(rows [][]string, c *eraChain) {
			rows[1][10] = ""
			rows[1][9] = "nowhere"
		}},
		{name: "a value that somebody has not", want: format.KindColumnLacking, records: func(rows [][]string, c *eraChain) { rows[1][11] = "" }},
		{name: "another value", want: format.KindBucketMismatch, records: func(rows [][]string, c *eraChain) { rows[1][11] = "z" }},
		{name: "another stratum", want: format.KindStratumMismatch, records: func(rows [][]string, c *eraChain) {
			rows[1+c.eras[2].births[5][0][0][0]][3] = "plain"
		}},
		{name: "a person of two eras", want: format.KindSubjectTwice, plan: func(c *eraChain) {
			c.people[c.eras[1].births[2][0][0][0]].subject = c.people[0].subject
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			c := standardEras()
			if m.plan != nil {
				m.plan(c)
			}
			o := c.write(t)
			if m.records != nil {
				rows := c.records()
				m.records(rows, c)
				require.NoError(t, os.WriteFile(o.Records, testCSV(t, rows), 0o600))
			}
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, []string{m.want}, slices.Compact(kinds(r.Violations)))
		})
	}
	t.Run("what an era does not publish is not looked at", func(t *testing.T) {
		c := standardEras()
		o := c.write(t)
		rows := c.records()
		for _, i := range c.eras[1].births[3][0][0] {
			rows[1+i][10] = "" // they have no job
		}
		require.NoError(t, os.WriteFile(o.Records, testCSV(t, rows), 0o600))
		r, err := Dir(o)
		require.NoError(t, err)
		require.Equal(t, VerdictCertified, r.Verdict)
	})
	t.Run("the export does not say when people arrived", func(t *testing.T) {
		c := standardEras()
		o := c.write(t)
		require.NoError(t, os.WriteFile(o.Records, testCSV(t, c.plan.records()), 0o600))
		_, err := Dir(o)
		require.ErrorContains(t, err, "header lacks arrived_in_era")
	})
}

// TestErasNobodyTwice: the gate and the audit find somebody in parts of two eras.
func TestErasNobodyTwice(t *testing.T) {
	c := standardEras()
	o := c.write(t)
	g := c.gate(1)
	for _, x := range c.out {
		next := c.gate(x.number)
		g.Policy, g.Earlier = next.Policy, next.Earlier
		placed := placedNow(x.number, x.where)
		if x.number == 4 {
			placed[0].Records[0] = 0 // of the first era
		}
		found, err := g.Check(filepath.Join(o.Releases, format.DirName(x.number)), placed)
		require.NoError(t, err)
		if x.number == 4 {
			require.Contains(t, kinds(found), format.KindRecordTwice)
			return
		}
		require.Empty(t, found)
		g.Commit()
	}
}

// TestErasAreKnownToTheGate: a gate takes up a release that was published under settings of which its host knows, and no other; what is
// new is of the newest ones.
func TestErasAreKnownToTheGate(t *testing.T) {
	c := standardEras()
	o := c.write(t)
	at := func(number int) string { return filepath.Join(o.Releases, format.DirName(number)) }
	g := c.gate(3)
	found, err := g.Resume(at(2), placedAll(c.out[1].where), nil)
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = g.Check(at(3), placedNow(3, c.out[2].where))
	require.NoError(t, err)
	require.Empty(t, found)

	g = c.gate(3)
	g.Earlier = nil
	found, err = g.Resume(at(2), placedAll(c.out[1].where), nil)
	require.NoError(t, err)
	require.Equal(t, []string{format.KindClaimFalse}, kinds(found))
	found, err = g.Resume(at(3), placedAll(c.out[2].where), nil)
	require.NoError(t, err)
	require.Equal(t, []string{format.KindClaimFalse}, kinds(found))

	g = c.gate(1)
	_, err = g.Resume(at(2), placedAll(c.out[1].where), nil)
	require.NoError(t, err)
	found, err = g.Check(at(3), placedNow(3, c.out[2].where))
	require.NoError(t, err)
	require.Equal(t, []string{format.KindClaimFalse}, kinds(found))
}

// TestErasThatCannotBeRead: what no later step could rely on ends the audit.
func TestErasThatCannotBeRead(t *testing.T) {
	first := func(edit func(e map[string]any)) func(r *testParts) {
		return at(3, func(r *testParts) { former(r, 0, edit) })
	}
	for want, edit := range map[string]func(r *testParts){
		"the eras do not end one after the other": first(func(e map[string]any) { e["until"] = 3 }),
		"it is of another level than L2":          first(func(e map[string]any) { e["policy"].(map[string]any)["level"] = "L1" }),
		"of an era: policy.k or policy.l":         first(func(e map[string]any) { delete(e["policy"].(map[string]any), "k") }),
		"schema has no sensitive attribute":       first(func(e map[string]any) { delete(e, "schema") }),
		"unknown field":                           first(func(e map[string]any) { e["window"] = "12" }),
	} {
		t.Run(want, func(t *testing.T) {
			c := standardEras()
			c.edit = edit
			_, err := Dir(c.write(t))
			require.ErrorContains(t, err, want)
		})
	}
}

// TestErasArePrunedAndSealed: what was pruned of eras that have ended is seen in what is left of them, and what is gone is sealed.
func TestErasArePrunedAndSealed(t *testing.T) {
	samePruned(t, standardEras().write(t), 6)
	o := standardEras().write(t)
	o.RequireCertified = true
	for _, n := range []int{1, 2, 3} {
		removed(n)(t, &o)
	}
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictSealed, r.Verdict)
	require.Equal(t, []int{2, 4}, []int{r.Eras[0].Until, r.Eras[1].Until})
}

// TestErasOfAReference: a reference of t-closeness that nobody declared is what the first release of its era publishes, or that of the
// era before. Any other would tell of people who are not in it.
func TestErasOfAReference(t *testing.T) {
	of := func(counts ...any) []any {
		var reference []map[string]any
		for i := 0; i < len(counts); i += 2 {
			reference = append(reference, map[string]any{"value": counts[i], "count": counts[i+1]})
		}
		return []any{map[string]any{"kind": "t", "t": 1, "distance": "equal", "reference": reference}}
	}
	first, third := of("a", 4, "b", 4, "c", 3, "d", 1), of("a", 1, "b", 1, "c", 1, "d", 1, "e", 1, "f", 1)
	for _, x := range []struct {
		name        string
		first, then []any
		fits        bool
	}{
		{"that of the era before", first, first, true},
		{"of whom it publishes", []any{}, third, true},
		{"of whom the era before has published, and had none", []any{}, first, false},
		{"of nobody", first, of("a", 1, "b", 2), false},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := standardEras()
			c.edit = func(r *testParts) {
				if r.number < 3 {
					policy(r)["diversity"] = x.first
					return
				}
				former(r, 0, func(e map[string]any) { e["policy"].(map[string]any)["diversity"] = x.first })
				if r.number < 5 {
					policy(r)["diversity"] = x.then
				} else {
					former(r, 1, func(e map[string]any) { e["policy"].(map[string]any)["diversity"] = x.then })
				}
			}
			r, refused := c.check(t, c.write(t))
			if x.fits {
				require.Empty(t, r.Violations)
				require.Empty(t, refused)
				return
			}
			require.Equal(t, []string{format.KindReference}, kinds(r.Violations))
			require.Equal(t, []string{format.KindReference}, kinds(refused))
		})
	}
}

// TestErasOfAUnion: a union is of shards whose settings have never changed.
func TestErasOfAUnion(t *testing.T) {
	o, shard := standardUnion().write(t), standardEras().write(t)
	data, err := os.ReadFile(filepath.Join(o.Releases, format.DirName(2), "manifest.json"))
	require.NoError(t, err)
	text := bytes.Replace(data, []byte(`"records":`), []byte(`"eras": [{"until": 1}], "records":`), 1)
	_, err = format.ParseAs("manifest.json", text, (*format.Manifest).CheckUnion)
	require.ErrorContains(t, err, "those of a union or of level L1 have any")

	of := filepath.Join(o.Releases, "shards", "0")
	require.NoError(t, os.RemoveAll(of))
	require.NoError(t, os.Rename(shard.Releases, of))
	_, err = Dir(Options{Releases: o.Releases})
	require.ErrorContains(t, err, "the settings of the shard have changed")
}
