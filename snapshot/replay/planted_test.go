package replay

import (
	"anond/incremental/settle"
	"anond/incremental/state"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
)

// planted is a machine in which a rule looks at values that must not.
type planted struct {
	engine
	row func(row equivclass.Row) equivclass.Row
	by  func(by state.Occasion) state.Occasion
}

func (p *planted) Accept(from state.Partition, offset int64, row equivclass.Row, of settle.Stratum) (incremental.Outcome, error) {
	return p.engine.Accept(from, offset, p.row(row), of)
}

func (p *planted) Decide(by state.Occasion) (*incremental.Decision, error) {
	return p.engine.Decide(p.by(by))
}

const illness = 2 // the attribute

// TestPlantedRules: a state that a program with such a rule made is what that program
// makes of it, and some world gives the rule away.
func TestPlantedRules(t *testing.T) {
	for name, plant := range map[string]func(p *planted){
		// Values are named in the order of their first appearance, as a dictionary numbers
		// them, so Merge takes them in the order of these numbers.
		"dictionary codes": func(p *planted) {
			names := map[string]byte{}
			p.row = func(row equivclass.Row) equivclass.Row {
				v := string(row[illness])
				if _, known := names[v]; !known {
					names[v] = 'a' + byte(len(names))
				}
				out := append(equivclass.Row{}, row...)
				out[illness] = []byte{names[v]}
				return out
			}
		},
		// Those who have one value seem to live elsewhere.
		"classes by values": func(p *planted) {
			p.row = func(row equivclass.Row) equivclass.Row {
				out := append(equivclass.Row{}, row...)
				if string(row[illness]) == "i2" {
					out[1] = []byte("e")
				}
				return out
			}
		},
		// Nobody waits for a better class while the newest record has one of some values.
		"a hold that looks at values": func(p *planted) {
			newest := ""
			p.row = func(row equivclass.Row) equivclass.Row { newest = string(row[illness]); return row }
			p.by = func(state.Occasion) state.Occasion {
				if newest < "i3" {
					return state.AtEnd
				}
				return state.Triggered
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newStream(t, func(o *incremental.Options) { o.Policy.OnUpdate = false })
			f.open = func(s state.Store, o incremental.Options) (engine, error) {
				m, err := openMachine(s, o)
				p := &planted{engine: m, row: func(row equivclass.Row) equivclass.Row { return row },
					by: func(by state.Occasion) state.Occasion { return by }}
				plant(p)
				return p, err
			}
			f.start()
			f.feed(150, f.mixed)
			f.cut(state.Triggered)
			for range 12 {
				f.feed(90, f.mixed)
				f.cut(state.Triggered)
			}
			out, err := f.read().Run(20, nil)
			require.NoError(t, err)
			require.NotNil(t, out.Difference, "not found")
			require.NotZero(t, out.Difference.World, "the records as they are, go the same way")
		})
	}
}

// TestPlantedNewcomers: newcomers are counted who have one value.
func TestPlantedNewcomers(t *testing.T) {
	tier.NotShort(t, "5,000 people in some worlds")
	f := slots(t, func(f *stream) {
		f.open = func(s state.Store, o incremental.Options) (engine, error) {
			m, err := openMachine(s, o)
			counted := 0
			return &planted{engine: m, row: func(row equivclass.Row) equivclass.Row {
				if string(row[illness]) == "i2" {
					counted++
				}
				return row
			}, by: func(by state.Occasion) state.Occasion {
				if counted > 5 {
					counted, by = 0, state.Asked
				}
				return by
			}}, err
		}
	})
	out, err := f.read().Run(20, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "not found")
	require.NotZero(t, out.Difference.World, "the records as they are, go the same way")
}

// TestPlantedScale: a replay measures numbers anew, and finds a state whose scale does not follow from its records.
func TestPlantedScale(t *testing.T) {
	f := newStream(t, nil).whole()
	out, err := f.altered(func(r *Recording) { r.meta.Scale = slices.Clone(r.meta.Scale); r.meta.Scale[0].Hi++ }).Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference)
	require.Equal(t, "numbers are measured by another scale", out.Difference.What)
}

// rendered is a renderer of files as recoding permutation writes them: the bag of each bucket in an order
// that is drawn by the bucket's number, row by row.
func rendered(v *incremental.View) (map[string]string, error) {
	bags := map[state.BucketID][]string{}
	text := valueText(v)
	for _, c := range v.Classes {
		for _, m := range c.Members {
			bags[c.Bucket] = append(bags[c.Bucket], text(m))
		}
	}
	var out strings.Builder
	for _, b := range slices.Sorted(maps.Keys(bags)) {
		slices.Sort(bags[b])
		rng := rand.New(rand.NewPCG(uint64(b), 1))
		rng.Shuffle(len(bags[b]), func(i, j int) { bags[b][i], bags[b][j] = bags[b][j], bags[b][i] })
		fmt.Fprintln(&out, b, bags[b])
	}
	return map[string]string{"data.csv": fmt.Sprintf("%x", sha256.Sum256([]byte(out.String())))}, nil
}

func valueText(v *incremental.View) func(m state.RecordID) string {
	at := v.Schema.SensitiveIndex()
	return func(m state.RecordID) string { return v.Dictionaries[at].Text(v.SA[0].At(int(m))) }
}

// TestPlantedRenderers: a renderer that looks at whose value is whose, or at the numbers of values, writes
// other bytes in some world, though every decision is the same in all of them.
func TestPlantedRenderers(t *testing.T) {
	each := func(show func(v *incremental.View, c state.ClassView) any) renderer {
		return func(v *incremental.View) (map[string]string, error) {
			sum := sha256.New()
			for _, c := range v.Classes {
				fmt.Fprintln(sum, show(v, c))
			}
			return map[string]string{"data.csv": fmt.Sprintf("%x", sum.Sum(nil))}, nil
		}
	}
	own := func(v *incremental.View, c state.ClassView) (out []string) {
		text := valueText(v)
		for _, m := range c.Members {
			out = append(out, text(m))
		}
		slices.Sort(out)
		return out
	}
	f := newStream(t, func(o *incremental.Options) { o.Policy.OnUpdate = false })
	f.feed(150, f.mixed)
	f.cut(state.Triggered)
	for range 4 {
		f.feed(90, f.mixed)
		f.cut(state.Triggered)
	}
	for name, twin := range map[string]renderer{
		"each class shows its own values": each(func(v *incremental.View, c state.ClassView) any { return own(v, c) }),
		"in the order of records": each(func(v *incremental.View, c state.ClassView) any {
			return valueText(v)(c.Members[0])
		}),
		"a class with one value comes last": each(func(v *incremental.View, c state.ClassView) any {
			return len(slices.Compact(own(v, c))) == 1
		}),
		"numbers of values": each(func(v *incremental.View, c state.ClassView) any {
			least := v.SA[0].At(int(c.Members[0]))
			for i := range v.Classes {
				if v.Classes[i].Bucket == c.Bucket {
					for _, m := range v.Classes[i].Members {
						least = min(least, v.SA[0].At(int(m)))
					}
				}
			}
			return least
		}),
	} {
		r := f.read()
		r.Renderer = twin
		out, err := r.Run(10, nil)
		require.NoError(t, err)
		require.NotNil(t, out.Difference, name)
		require.NotZero(t, out.Difference.World, name)
		require.NotZero(t, out.Difference.Release, name)
	}
	r := f.read()
	r.Renderer = rendered
	out, err := r.Run(10, nil)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
	require.Len(t, out.Parts, out.Releases)
	require.Empty(t, out.Ownerless)
}
