package audit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// randomPlan is a chain by the rules: frozen and pure births, pure classes of one
// signature cut anew, with newcomers in flat sets. Parts are put together now and
// then.
func randomPlan(r *rand.Rand) *plan {
	p := &plan{k: 4, l: 2, budget: 2, compact: map[int][2]int{},
		recoding: []string{"generalization", "anatomy", "permutation"}[r.IntN(3)]}
	type pure struct {
		signature string
		members   []int
		turns     int
	}
	signatures := []string{"a b", "c d", "a b c"}
	var frozen [][]int
	var classes []pure
	for n := 1; n <= 3+r.IntN(5); n++ {
		for range 1 + r.IntN(2) {
			frozen = append(frozen, p.add(n, "a b c d e f g"[:2*(3+r.IntN(4))+1]))
		}
		for range r.IntN(3) {
			s := signatures[r.IntN(len(signatures))]
			classes = append(classes, pure{s, p.add(n, s+" "+s), 0})
		}
		if n > 1 && r.IntN(2) == 0 {
			s := signatures[r.IntN(len(signatures))]
			var pool []int
			turns := 0
			classes = slices.DeleteFunc(classes, func(c pure) bool {
				if c.signature != s || c.turns == p.budget || r.IntN(3) == 0 {
					return false
				}
				pool, turns = append(pool, c.members...), max(turns, c.turns)
				return true
			})
			if len(pool) > 0 {
				pool = append(pool, p.add(n, s)...)
				half := len(pool) / 2 / len(strings.Fields(s)) * len(strings.Fields(s))
				for _, part := range cutFlat(p, r, pool, half) {
					if len(part) > 0 {
						classes = append(classes, pure{s, part, turns + 1})
					}
				}
			}
		}
		release := slices.Clone(frozen)
		for _, c := range classes {
			release = append(release, c.members)
		}
		p.releases = append(p.releases, release)
	}
	return p
}

// cutFlat cuts people of one signature in two classes that are flat, of at least
// k people, or leaves them in one.
func cutFlat(p *plan, r *rand.Rand, pool []int, half int) [][]int {
	values := map[string][]int{}
	for _, i := range pool {
		values[p.people[i].value] = append(values[p.people[i].value], i)
	}
	n := half / len(values)
	if half < p.k || len(pool)-half < p.k {
		return [][]int{pool}
	}
	var x, y []int
	for _, v := range slices.Sorted(slices.Values(mapKeys(values))) {
		who := values[v]
		r.Shuffle(len(who), func(i, j int) { who[i], who[j] = who[j], who[i] })
		x, y = append(x, who[:n]...), append(y, who[n:]...)
	}
	return [][]int{x, y}
}

func mapKeys[K comparable, V any](m map[K]V) (out []K) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

// compactions draws parts to put together: a is how many stand in a release.
func (p *plan) compactions(r *rand.Rand) {
	standing := 0
	for n := range p.releases {
		number := n + 1
		if number > 1 && standing > 1 && r.IntN(2) == 0 {
			from := r.IntN(standing - 1)
			to := from + 2 + r.IntN(standing-from-1)
			p.compact[number] = [2]int{from, to}
			standing -= to - from - 1
		}
		standing++
	}
}

// damage changes one release in a way that may or may not break a rule.
func (p *plan) damage(r *rand.Rand) string {
	n := r.IntN(len(p.releases))
	classes := make([][]int, len(p.releases[n]))
	for i, c := range p.releases[n] {
		classes[i] = slices.Clone(c)
	}
	x, y := r.IntN(len(classes)), r.IntN(len(classes))
	what := []string{"nothing", "swap", "merge", "split", "drop", "lone", "forget"}[r.IntN(7)]
	switch what {
	case "swap":
		i, j := r.IntN(len(classes[x])), r.IntN(len(classes[y]))
		classes[x][i], classes[y][j] = classes[y][j], classes[x][i]
	case "merge":
		if x != y {
			classes[x] = append(classes[x], classes[y]...)
			classes = slices.Delete(classes, y, y+1)
		}
	case "split":
		cut := 1 + r.IntN(len(classes[x])-1)
		classes = append(classes, classes[x][cut:])
		classes[x] = classes[x][:cut]
	case "drop":
		if len(classes) > 1 {
			classes = slices.Delete(classes, x, x+1)
		}
	case "lone":
		classes[x] = append(classes[x], p.add(n+1, "a")...)
	case "forget":
		classes[x] = classes[x][1:]
	}
	p.releases[n] = classes
	return fmt.Sprint(what, " in ", n+1)
}

// TestGateAgreesWithDir: over random chains, damaged and not, the gate, which
// reads what is new, refuses some release exactly if the audit of the whole chain
// finds it violated; and what it carries is what a full reading gives.
func TestGateAgreesWithDir(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it audits many chains; go test without -short runs it")
	}
	r := rand.New(rand.NewPCG(5, 8))
	tally := map[string]int{}
	chains, least := 40, 2
	if full() {
		chains, least = 120, 10
	}
	for n := range chains {
		p := randomPlan(r)
		p.compactions(r)
		what := "nothing"
		if n%2 == 0 {
			what = p.damage(r)
		}
		releases := p.render()
		o := p.write(t, releases)
		report, err := Dir(o)
		require.NoError(t, err, what)
		var found []format.Violation
		g := gate.New(gatePolicy(p))
		for _, rel := range releases {
			dir := filepath.Join(o.Releases, format.DirName(rel.number))
			refused, err := g.Check(dir, placedNow(rel.number, rel.where))
			require.NoError(t, err, what)
			if found = append(found, refused...); len(found) > 0 {
				break
			}
			g.Commit()
			if g.Held != nil {
				requireCarried(t, g, dir, rel)
			}
		}
		require.Equal(t, report.Verdict == verdictViolated, len(found) > 0, "%s: %v\n%v", what, kinds(report.Violations), kinds(found))
		tally[report.Verdict]++
		if len(found) == 0 {
			require.Equal(t, report.Regroups, histogramOfRegroups(g), what)
			tally["compactions"] += len(p.compact)
		}
	}
	t.Log(tally)
	for _, seen := range []string{VerdictCertified, verdictViolated, "compactions"} {
		require.Greater(t, tally[seen], least, "the test must reach: %s", seen)
	}
}

func histogramOfRegroups(g *gate.Gate) []int {
	var out []int
	for rec, at := range g.Held.At {
		if at > 0 {
			n := int(g.Held.Times(uint32(rec)))
			out = format.Fit(out, max(len(out), n+1))
			out[n]++
		}
	}
	return out
}

// requireCarried compares what the gate carries with what a gate that reads the
// release in full would.
func requireCarried(t *testing.T, g *gate.Gate, dir string, rel *testRelease) {
	t.Helper()
	fresh := gate.New(g.Policy)
	found, err := fresh.Resume(dir, placedAll(rel.where), g.Held.Regroups)
	require.NoError(t, err)
	require.Empty(t, found)
	x, y := g.Held, fresh.Held
	require.Equal(t, x.Man, y.Man)
	require.Equal(t, x.Lay, y.Lay)
	require.Equal(t, x.Moved, y.Moved)
	require.Equal(t, y.Figures.Records, x.Figures.Records)
	require.Equal(t, y.Figures.Classes, x.Figures.Classes)
	require.Equal(t, y.Figures.Sizes, x.Figures.Sizes)
	require.Equal(t, y.Figures.Shares, x.Figures.Shares)
	require.Equal(t, y.Figures.Mixed, x.Figures.Mixed)
	require.Equal(t, named(fresh), named(g))
	for rec := range max(len(x.At), len(y.At)) {
		require.Equal(t, y.Class(uint32(rec)), x.Class(uint32(rec)))
	}
	require.Equal(t, y.Facts.N, x.Facts.N)
	for id := range uint32(y.Facts.N) {
		a, b := x.Facts.Of(id), y.Facts.Of(id)
		if x.Lay.Dead[id] {
			continue
		}
		require.Equal(t, []uint32{b.Size, b.Top, b.Flat}, []uint32{a.Size, a.Top, a.Flat})
		if a.Flat > 0 {
			require.Equal(t, values(fresh, b), values(g, a))
		}
	}
}

// named is the histogram by the values' own texts: numbers of values differ.
func named(g *gate.Gate) map[string]int {
	out := map[string]int{}
	for v, n := range g.Held.Figures.Hist {
		if n > 0 {
			out[g.S.Sa.Text[v]] = n
		}
	}
	return out
}

func values(g *gate.Gate, c gate.Fact) (out []string) {
	for _, v := range g.Held.Sets.Sets[c.Support] {
		out = append(out, g.S.Sa.Text[v])
	}
	slices.Sort(out)
	return out
}

// TestGateLooksAtFiles: an old part is hashed again when one of its files is not
// the file that was read; what cannot be seen so is found at the next start.
func TestGateLooksAtFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, path string)
		want   []string // kinds
	}{
		{"copy", func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, data, 0o444))
		}, nil},
		{"time", func(t *testing.T, path string) {
			require.NoError(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}, nil},
		{"other bytes of the same length and time", func(t *testing.T, path string) { replaceFile(t, path, false) },
			[]string{format.KindLinkReplaced}},
		{"other bytes in place, and another time", func(t *testing.T, path string) {
			replaceFile(t, path, true)
			require.NoError(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}, []string{format.KindLinkReplaced}},
		{"other bytes in place, and the time set back", func(t *testing.T, path string) { replaceFile(t, path, true) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := partsChain()
			releases := p.render()
			o := p.write(t, releases)
			g := gate.New(gatePolicy(p))
			at := func(number int) string { return filepath.Join(o.Releases, format.DirName(number)) }
			for _, x := range releases[:2] {
				found, err := g.Check(at(x.number), placedNow(x.number, x.where))
				require.NoError(t, err)
				require.Empty(t, found)
				g.Commit()
			}
			c.change(t, dataPath(&o, 3, "data.csv"))
			for range 2 {
				found, err := g.Check(at(3), placedNow(3, releases[2].where))
				require.NoError(t, err)
				require.Equal(t, c.want, kinds(found))
			}
			found, err := gate.New(gatePolicy(p)).Resume(at(3), placedAll(releases[2].where), g.Held.Regroups)
			require.NoError(t, err)
			if changed := strings.HasPrefix(c.name, "other bytes"); changed {
				require.Contains(t, kinds(found), format.KindHashMismatch)
			} else {
				require.Empty(t, found)
			}
		})
	}
}

// TestGateWhoIsWhere: what the caller says of people must fit what the files show.
func TestGateWhoIsWhere(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(p *gate.Placement)
	}{
		{"nothing", "", func(*gate.Placement) {}},
		{"class that is not there", format.KindMembersMismatch, func(p *gate.Placement) { p.Classes[0] = 9 }},
		{"class 0", format.KindMembersMismatch, func(p *gate.Placement) { p.Classes[0] = 0 }},
		{"another part", format.KindMembersMismatch, func(p *gate.Placement) { p.Part = "part-000001" }},
		{"one too few", format.KindMembersMismatch, func(p *gate.Placement) { p.Records, p.Classes = p.Records[1:], p.Classes[1:] }},
		{"a record twice", format.KindRecordTwice, func(p *gate.Placement) { p.Records[0] = p.Records[1] }},
		{"a record of a class that lives on", format.KindDeadOmitted, func(p *gate.Placement) { p.Records[0] = 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := partsChain()
			releases := p.render()
			o := p.write(t, releases)
			g := gate.New(gatePolicy(p))
			for _, x := range releases[:3] {
				placed := placedNow(x.number, x.where)
				if x.number == 3 {
					c.change(&placed[0])
				}
				found, err := g.Check(filepath.Join(o.Releases, format.DirName(x.number)), placed)
				require.NoError(t, err)
				if x.number < 3 || c.want == "" {
					require.Empty(t, found)
				} else {
					require.Contains(t, kinds(found), c.want)
				}
				g.Commit()
			}
		})
	}
}

// TestGateResumesBehindPureDeadOnly: a class that is dead when the gate first sees
// it must have been pure.
func TestGateResumesBehindPureDeadOnly(t *testing.T) {
	p, _ := partsChain()
	p.edit = func(r *testParts) {
		if r.number == 3 {
			r.parts[0].dead = []int{1, 2, 3}
		}
	}
	releases := p.render()
	o := p.write(t, releases)
	found, err := gate.New(gatePolicy(p)).Resume(filepath.Join(o.Releases, format.DirName(3)), placedAll(releases[2].where), nil)
	require.NoError(t, err)
	require.Contains(t, kinds(found), format.KindDeadNotPure)
}

// TestGateResumesWithWhoIsWhere: a start counts the members of every class.
func TestGateResumesWithWhoIsWhere(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	o := p.write(t, releases)
	for want, change := range map[string]func(p *gate.Placement){
		format.KindMembersMismatch: func(p *gate.Placement) { p.Records, p.Classes = p.Records[1:], p.Classes[1:] },
		format.KindRecordTwice: func(p *gate.Placement) {
			p.Records, p.Classes = append(p.Records, p.Records[0]), append(p.Classes, p.Classes[0])
		},
	} {
		placed := placedAll(releases[2].where)
		change(&placed[0])
		found, err := gate.New(gatePolicy(p)).Resume(filepath.Join(o.Releases, format.DirName(3)), placed, nil)
		require.NoError(t, err)
		require.Contains(t, kinds(found), want)
	}
}
