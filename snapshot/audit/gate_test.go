package audit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// memberSlice is the gate's view of a release's membership.
func memberSlice(p *plan, r *testRelease) []uint32 {
	out := make([]uint32, len(p.people))
	for i, c := range r.member {
		out[i] = uint32(c)
	}
	return out
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
			found, err := g.Check(tmp, memberSlice(p, r))
			require.NoError(t, err)
			require.Empty(t, found)
		}
		require.NoError(t, os.Rename(tmp, dir))
		g.Commit()
	}
	require.Equal(t, uint16(1), g.carry.regroups[8])
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
		found, err := gate.Check(filepath.Join(o.Releases, dirName(i+1)), memberSlice(p, good[i]))
		require.NoError(t, err)
		require.Empty(t, found)
		gate.Commit()
	}
	found, err := gate.Check(filepath.Join(ob.Releases, dirName(3)), memberSlice(bad, worse[2]))
	require.NoError(t, err)
	require.Contains(t, kinds(found), kindLoneNewcomer)
	gate.Commit() // must do nothing
	found, err = gate.Check(filepath.Join(o.Releases, dirName(3)), memberSlice(p, good[2]))
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
		found, err := full.Check(filepath.Join(o.Releases, dirName(i+1)), memberSlice(p, releases[i]))
		require.NoError(t, err)
		require.Empty(t, found)
		full.Commit()
		carried = full.carry.regroups
	}
	fresh := NewGate(gatePolicy(p))
	found, err := fresh.Resume(filepath.Join(o.Releases, dirName(3)), memberSlice(p, releases[2]), carried)
	require.NoError(t, err)
	require.Empty(t, found)
	for _, g := range []*Gate{full, fresh} {
		found, err := g.Check(filepath.Join(o.Releases, dirName(4)), memberSlice(p, releases[3]))
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
		found, err := g.Check(filepath.Join(o.Releases, dirName(i+1)), memberSlice(p, r))
		require.NoError(t, err)
		require.Empty(t, found)
		g.Commit()
		for n := range 5000 {
			_, reason := g.s.qi[0].intern([]byte(formatNumber(float64(n) + 0.5)))
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
	rewrite(t, filepath.Join(o.Releases, "000001", "data.csv"), func(b []byte) []byte { return b[:len(b)-1] })
	_, err := NewGate(gatePolicy(p)).Check(filepath.Join(o.Releases, "000001"), memberSlice(p, releases[0]))
	var broken *unreadableError
	require.ErrorAs(t, err, &broken)
	require.Positive(t, broken.Line)
}
