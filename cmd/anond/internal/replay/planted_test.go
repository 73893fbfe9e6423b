package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
)

// planted is a machine in which a rule looks at values that must not.
type planted struct {
	engine
	row   func(row equivclass.Row) equivclass.Row
	flush func(flush bool) bool
}

func (p *planted) Apply(from incremental.Partition, offset int64, row equivclass.Row) (incremental.Outcome, error) {
	return p.engine.Apply(from, offset, p.row(row))
}

func (p *planted) Decide(flush bool) (*incremental.Decision, error) {
	return p.engine.Decide(p.flush(flush))
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
			p.flush = func(bool) bool { return newest < "i3" }
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newStream(t, func(o *incremental.Options) { o.Policy.OnUpdate = false })
			f.open = func(s incremental.Store, o incremental.Options) (engine, error) {
				m, err := openMachine(s, o)
				p := &planted{engine: m, row: func(row equivclass.Row) equivclass.Row { return row }, flush: func(f bool) bool { return f }}
				plant(p)
				return p, err
			}
			f.start()
			f.feed(150, f.mixed)
			f.cut(false)
			for range 12 {
				f.feed(90, f.mixed)
				f.cut(false)
			}
			out, err := f.read().Run(20, nil)
			require.NoError(t, err)
			require.NotNil(t, out.Difference, "not found")
			require.NotZero(t, out.Difference.World, "the records as they are, go the same way")
		})
	}
}
