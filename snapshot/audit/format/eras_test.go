package format

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheckEras: eras follow those of the release before, and each part is of one.
func TestCheckEras(t *testing.T) {
	policy := func(k int) Policy { return Policy{K: k, L: 2, Level: LevelTwo} }
	man := func(release, expired, k int, eras []Era, parts ...string) *Manifest {
		m := &Manifest{Release: release, Expired: expired, Policy: policy(k), Eras: eras}
		for _, name := range parts {
			m.Parts = append(m.Parts, Part{Name: name})
		}
		return m
	}
	era := func(until, k int) Era { return Era{Until: until, Policy: policy(k)} }
	const p1, p2, p3, p4 = "part-000001", "part-000002", "part-000003", "part-000004"
	one, two := man(2, 0, 5, nil, p1, p2), man(3, 0, 8, []Era{era(2, 5)}, p1, p2, p3)
	for name, x := range map[string]struct {
		before, after *Manifest
		begins, ok    bool
	}{
		"the first release":                       {nil, man(1, 0, 5, nil, p1), false, true},
		"nothing changes":                         {one, man(3, 0, 5, nil, p1, p2, p3), false, true},
		"an era begins":                           {one, two, true, true},
		"its former one becomes one part":         {one, man(3, 0, 8, []Era{era(2, 5)}, "part-000001-000002", p3), true, true},
		"it goes on":                              {two, man(4, 0, 8, []Era{era(2, 5)}, p1, p2, p3, p4), false, true},
		"the former one leaves":                   {two, man(4, 2, 8, nil, p3, p4), false, true},
		"all leaves, and another era begins":      {one, man(3, 2, 8, nil, p3), true, true},
		"all leaves, and nothing changes":         {one, man(3, 2, 5, nil, p3), false, true},
		"the second ends":                         {two, man(4, 0, 9, []Era{era(2, 5), era(3, 8)}, p1, p2, p3, p4), true, true},
		"the second ends, and the first leaves":   {two, man(4, 2, 9, []Era{era(3, 8)}, p3, p4), true, true},
		"an era begins with nobody":               {one, man(3, 0, 8, []Era{era(2, 5)}, p1, p2), true, false},
		"an era has no parts":                     {two, man(4, 2, 8, []Era{era(2, 5)}, p3, p4), false, false},
		"an era is gone, and its parts are not":   {two, man(4, 1, 8, nil, p2, p3, p4), false, false},
		"a part of two eras":                      {two, man(4, 0, 8, []Era{era(2, 5)}, p1, "part-000002-000003", p4), false, false},
		"an era of long ago":                      {two, man(4, 0, 8, []Era{era(1, 5), era(2, 5)}, p1, p2, p3, p4), false, false},
		"another k of a former era":               {two, man(4, 0, 8, []Era{era(2, 6)}, p1, p2, p3, p4), false, false},
		"another k of the one that ends":          {one, man(3, 0, 8, []Era{era(2, 6)}, p1, p2, p3), true, false},
		"parts of before in the era that begins":  {two, man(4, 0, 9, []Era{era(1, 5), era(3, 8)}, p1, p2, p3, p4), true, false},
		"of another era by itself, of a first":    {nil, man(3, 0, 8, []Era{era(2, 5)}, p1, "part-000002-000003"), false, false},
		"an era without parts, of a first":        {nil, man(3, 0, 8, []Era{era(2, 5)}, p3), false, false},
		"settings change with nobody who is left": {one, man(3, 2, 8, nil), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Faults{}
			require.Equal(t, x.ok, CheckEras(x.before, x.after, f), f.List)
			require.Equal(t, !x.ok, f.N > 0)
			if x.before != nil {
				require.Equal(t, x.begins, x.after.Begins(x.before))
			}
			for _, v := range f.List {
				require.Equal(t, KindEras, v.Kind)
			}
		})
	}
}
