package audit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// placedIn is what a gate is told of a release: who is in the given parts.
func placedIn(where map[int]testAddress, parts func(name string) bool) []gate.Placement {
	at := map[string]int{}
	var out []gate.Placement
	for _, i := range slices.Sorted(maps.Keys(where)) {
		a := where[i]
		if !parts(a.part) {
			continue
		}
		if _, ok := at[a.part]; !ok {
			at[a.part] = len(out)
			out = append(out, gate.Placement{Part: a.part})
		}
		p := &out[at[a.part]]
		p.Records, p.Classes = append(p.Records, uint32(i)), append(p.Classes, uint32(a.class))
	}
	return out
}

// placedNow is for Check: the births.
func placedNow(number int, where map[int]testAddress) []gate.Placement {
	return placedIn(where, func(name string) bool { return name == format.PartName(number) })
}

// placedAll is for Resume.
func placedAll(where map[int]testAddress) []gate.Placement {
	return placedIn(where, func(string) bool { return true })
}

// regroupsOf is what the publisher keeps for Resume.
func regroupsOf(g *gate.Gate) []uint16 {
	return g.Held.Regroups
}

func gatePolicy(p *plan) format.Policy {
	return format.Policy{K: p.k, L: p.l, Republication: "regroup", MaxRegroups: &p.budget}
}

func TestGateFollowsAChain(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	g := gate.New(gatePolicy(p))
	for _, r := range releases {
		dir := filepath.Join(o.Releases, format.DirName(r.number))
		tmp := filepath.Join(o.Releases, ".tmp-"+format.DirName(r.number))
		require.NoError(t, os.Rename(dir, tmp))
		for range 2 { // a check may be repeated
			found, err := g.Check(tmp, placedNow(r.number, r.where))
			require.NoError(t, err)
			require.Empty(t, found)
		}
		require.NoError(t, os.Rename(tmp, dir))
		g.Commit()
	}
	require.Equal(t, uint16(1), regroupsOf(g)[8])
}

func TestGateRefusesAndKeepsItsState(t *testing.T) {
	p, g := standard()
	good := p.render()
	o := p.write(t, good)
	bad, gb := standard()
	bad.releases[2][0] = join(gb.frozen, g.waiting[:1])
	worse := bad.render()
	ob := bad.write(t, worse)

	gate := gate.New(gatePolicy(p))
	for i := range 2 {
		found, err := gate.Check(filepath.Join(o.Releases, format.DirName(i+1)), placedNow(good[i].number, good[i].where))
		require.NoError(t, err)
		require.Empty(t, found)
		gate.Commit()
	}
	found, err := gate.Check(filepath.Join(ob.Releases, format.DirName(3)), placedNow(worse[2].number, worse[2].where))
	require.NoError(t, err)
	require.Contains(t, kinds(found), format.KindLoneNewcomer)
	gate.Commit() // must do nothing
	found, err = gate.Check(filepath.Join(o.Releases, format.DirName(3)), placedNow(good[2].number, good[2].where))
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestGateResumes(t *testing.T) {
	p, _ := standard()
	p.budget = 1
	p.releases = append(p.releases, [][]int{p.releases[2][0], // release 4 regroups the pure records again
		join(p.releases[2][1], p.releases[2][2]), p.releases[2][3], p.releases[2][4]})
	releases := p.render()
	o := p.write(t, releases)
	full := gate.New(gatePolicy(p))
	var carried []uint16
	for i := range 3 {
		found, err := full.Check(filepath.Join(o.Releases, format.DirName(i+1)), placedNow(releases[i].number, releases[i].where))
		require.NoError(t, err)
		require.Empty(t, found)
		full.Commit()
		carried = slices.Clone(regroupsOf(full))
	}
	fresh := gate.New(gatePolicy(p))
	found, err := fresh.Resume(filepath.Join(o.Releases, format.DirName(3)), placedAll(releases[2].where), carried)
	require.NoError(t, err)
	require.Empty(t, found)
	for _, g := range []*gate.Gate{full, fresh} {
		found, err := g.Check(filepath.Join(o.Releases, format.DirName(4)), placedNow(releases[3].number, releases[3].where))
		require.NoError(t, err)
		require.Contains(t, kinds(found), format.KindBudget)
	}
}

// TestGateCompacts: dictionaries of a long-lived gate hold what the last
// release needs.
func TestGateCompacts(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	g := gate.New(gatePolicy(p))
	for i, r := range releases {
		found, err := g.Check(filepath.Join(o.Releases, format.DirName(i+1)), placedNow(r.number, r.where))
		require.NoError(t, err)
		require.Empty(t, found)
		g.Commit()
		for n := range gate.HeldCells + 1 {
			_, reason := g.S.Qi[0].Intern([]byte(strconv.Itoa(-1 - n)))
			require.Empty(t, reason)
		}
		g.Compact()
		require.Less(t, len(g.S.Qi[0].Cells), 20)
	}
}

func TestGateReadsFilesNotMemory(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	rewrite(t, dataPath(&o, 1, "data.csv"), func(b []byte) []byte { return b[:len(b)-1] })
	_, err := gate.New(gatePolicy(p)).Check(filepath.Join(o.Releases, "000001"), placedNow(releases[0].number, releases[0].where))
	var broken *format.UnreadableError
	require.ErrorAs(t, err, &broken)
	require.Positive(t, broken.Line)
}
