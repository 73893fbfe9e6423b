package views_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/snapshottest"
	"anond/snapshot/views"
)

const (
	hierarchy = "flu;lung;*\ncold;lung;*\nulcer;gut;*\n"
	worldSize = 6
)

// openGate lets everything pass.
type openGate struct{}

func (openGate) Check(string, []render.Placement) error { return nil }

// observed is what the releases and the views of a world show, and who is in which class, which all know.
type observed struct {
	releases, views string
	twins           map[string]string // views that look at records, by what they do
}

// play publishes six people, of whom two have each value, by the machine of the daemon, and makes two views of each release.
func play(t *testing.T, world []string, draws byte) observed {
	t.Helper()
	tree, err := equivclass.ParseHierarchy("ill.csv", strings.NewReader(hierarchy))
	require.NoError(t, err)
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "size", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical, Hierarchy: tree}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: schema, Seed: [32]byte{draws}, Seeded: true, Policy: state.Policy{
		Requirement: equivclass.Requirement{K: 2, L: 2}, Level: state.L2, Republication: state.Append, Threshold: 1, HoldInCuts: true,
		Neighbours: 4, Similar: 2, OnRefusal: state.QuarantineRefused, Workers: 1}})
	require.NoError(t, err)
	for i, v := range world {
		_, err := m.Apply(state.Partition{Source: "s"}, int64(i), equivclass.Row{fmt.Append(nil, 7*i%31), fmt.Append(nil, 5*i%11), []byte(v)})
		require.NoError(t, err)
	}
	intent, err := m.Cut(1_700_000_000, [32]byte{})
	require.NoError(t, err)
	require.NotNil(t, intent)
	v, err := m.Releases().View(intent.Release)
	require.NoError(t, err)
	disk := snapshottest.New("/d")
	p := &publish.Publisher{FS: disk, Dir: "/d/releases", Gate: openGate{}}
	require.NoError(t, p.Open())
	out, err := p.Publish(publish.Of(v), &render.Settings{Dataset: "six", Recoding: render.Buckets(), Workers: 1,
		Hierarchies: []render.HierarchyFile{{Attribute: "ill", File: "ill.csv", Content: []byte(hierarchy)}},
		Policy:      snapshot.Policy{K: 2, L: 2, Republication: "append", SubjectRepeat: "first"}})
	require.NoError(t, err)
	for _, d := range []views.Definition{{Name: "ages", Columns: []string{"age", "ill"}, Cells: map[string]string{"age": "10"}},
		{Name: "labels", Columns: []string{"size", "ill"}, Values: map[string]string{"ill": "level 1"}}} {
		view := &views.View{Definition: d, Dir: "/d/" + d.Name, Ledger: "/d/ledger-" + d.Name}
		require.NoError(t, view.Follow(publish.Directory{FS: disk, Dir: "/d/releases"}))
	}
	o := observed{twins: map[string]string{}}
	files := disk.Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, "d/releases/") {
			o.releases += name + "\n" + files[name]
		} else {
			o.views += name + "\n" + files[name]
		}
	}
	for i, member := range out.Placed[0].Records {
		// A view that drops a row for its value, one that widens cells where a value is, and one that shows a label in its class.
		class := out.Placed[0].Classes[i]
		if world[member] != "flu" {
			o.twins["drops rows by value"] += fmt.Sprintf("%d ", class)
		}
		if world[member] == "ulcer" {
			o.twins["cells of records by value"] += fmt.Sprintf("%d:%d ", class, 7*member%31/10)
		}
		if world[member] == "ulcer" {
			o.twins["a label in its class"] += fmt.Sprintf("%d gut ", class)
		}
	}
	return o
}

// TestEveryWorldLearnsNoMoreFromViews: in all worlds of six people, under several draws, what two views show is a function of what the
// releases show. So for every prior, whoever has all of them has the posterior of whoever has the releases, exactly. Views that look at
// records tell worlds apart that the releases do not.
func TestEveryWorldLearnsNoMoreFromViews(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	shown := map[string]string{}
	told := map[string]map[string]map[string]bool{} // by twin, then releases: what it shows
	runs := 0
	for draws := range byte(tier.Of(t, 1, 2, 6)) {
		eachWorld(map[string]int{"flu": 2, "cold": 2, "ulcer": 2}, nil, func(world []string) {
			o := play(t, world, draws)
			runs++
			if was, seen := shown[o.releases]; seen {
				require.Equal(t, was, o.views, "the same releases, and other views: world %v", world)
			}
			shown[o.releases] = o.views
			for name, twin := range o.twins {
				if told[name] == nil {
					told[name] = map[string]map[string]bool{}
				}
				if told[name][o.releases] == nil {
					told[name][o.releases] = map[string]bool{}
				}
				told[name][o.releases][twin] = true
			}
		})
	}
	require.Less(t, len(shown), runs, "no two worlds look alike")
	different := map[string]bool{}
	for _, v := range shown {
		different[v] = true
	}
	t.Logf("%d runs, %d different releases, %d different views", runs, len(shown), len(different))
	require.Len(t, told, 3)
	for name, by := range told {
		most := 0
		for _, twins := range by {
			most = max(most, len(twins))
		}
		require.Greater(t, most, 1, "the twin %q is not told from a view", name)
	}
}

// eachWorld goes through all ways to give people the values of a bag.
func eachWorld(bag map[string]int, world []string, do func([]string)) {
	if len(world) == worldSize {
		do(world)
		return
	}
	for _, v := range slices.Sorted(maps.Keys(bag)) {
		if bag[v] > 0 {
			bag[v]--
			eachWorld(bag, append(slices.Clone(world), v), do)
			bag[v]++
		}
	}
}
