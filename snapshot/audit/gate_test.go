package audit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// placedIn is what a gate is told of a release: who is in the given parts.
func placedIn(where map[int]testAddress, parts func(name string) bool) []Placement {
	at := map[string]int{}
	var out []Placement
	for _, i := range slices.Sorted(maps.Keys(where)) {
		a := where[i]
		if !parts(a.part) {
			continue
		}
		if _, ok := at[a.part]; !ok {
			at[a.part] = len(out)
			out = append(out, Placement{Part: a.part})
		}
		p := &out[at[a.part]]
		p.Records, p.Classes = append(p.Records, uint32(i)), append(p.Classes, uint32(a.class))
	}
	return out
}

// placedNow is for Check: the births.
func placedNow(number int, where map[int]testAddress) []Placement {
	return placedIn(where, func(name string) bool { return name == partName(number) })
}

// placedAll is for Resume.
func placedAll(where map[int]testAddress) []Placement {
	return placedIn(where, func(string) bool { return true })
}

// regroupsOf is what the publisher keeps for Resume.
func regroupsOf(g *Gate) []uint16 {
	return g.held.regroups
}

func gatePolicy(p *plan) Policy {
	return Policy{K: p.k, L: p.l, Republication: "regroup", MaxRegroups: &p.budget}
}

func TestGateFollowsAChain(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	g := NewGate(gatePolicy(p))
	for _, r := range releases {
		dir := filepath.Join(o.Releases, dirName(r.number))
		tmp := filepath.Join(o.Releases, ".tmp-"+dirName(r.number))
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

	gate := NewGate(gatePolicy(p))
	for i := range 2 {
		found, err := gate.Check(filepath.Join(o.Releases, dirName(i+1)), placedNow(good[i].number, good[i].where))
		require.NoError(t, err)
		require.Empty(t, found)
		gate.Commit()
	}
	found, err := gate.Check(filepath.Join(ob.Releases, dirName(3)), placedNow(worse[2].number, worse[2].where))
	require.NoError(t, err)
	require.Contains(t, kinds(found), kindLoneNewcomer)
	gate.Commit() // must do nothing
	found, err = gate.Check(filepath.Join(o.Releases, dirName(3)), placedNow(good[2].number, good[2].where))
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
	full := NewGate(gatePolicy(p))
	var carried []uint16
	for i := range 3 {
		found, err := full.Check(filepath.Join(o.Releases, dirName(i+1)), placedNow(releases[i].number, releases[i].where))
		require.NoError(t, err)
		require.Empty(t, found)
		full.Commit()
		carried = slices.Clone(regroupsOf(full))
	}
	fresh := NewGate(gatePolicy(p))
	found, err := fresh.Resume(filepath.Join(o.Releases, dirName(3)), placedAll(releases[2].where), carried)
	require.NoError(t, err)
	require.Empty(t, found)
	for _, g := range []*Gate{full, fresh} {
		found, err := g.Check(filepath.Join(o.Releases, dirName(4)), placedNow(releases[3].number, releases[3].where))
		require.NoError(t, err)
		require.Contains(t, kinds(found), kindBudget)
	}
}

// TestGateCompacts: dictionaries of a long-lived gate hold what the last
// release needs.
func TestGateCompacts(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	g := NewGate(gatePolicy(p))
	for i, r := range releases {
		found, err := g.Check(filepath.Join(o.Releases, dirName(i+1)), placedNow(r.number, r.where))
		require.NoError(t, err)
		require.Empty(t, found)
		g.Commit()
		for n := range heldCells + 1 {
			_, reason := g.s.qi[0].intern([]byte(strconv.Itoa(-1 - n)))
			require.Empty(t, reason)
		}
		g.compact()
		require.Less(t, len(g.s.qi[0].cells), 20)
	}
}

func TestGateReadsFilesNotMemory(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	rewrite(t, dataPath(&o, 1, "data.csv"), func(b []byte) []byte { return b[:len(b)-1] })
	_, err := NewGate(gatePolicy(p)).Check(filepath.Join(o.Releases, "000001"), placedNow(releases[0].number, releases[0].where))
	var broken *unreadableError
	require.ErrorAs(t, err, &broken)
	require.Positive(t, broken.Line)
}
