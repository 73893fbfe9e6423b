package audit

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/audit/table"
)

// randomL2 is a chain of level L2 by the rules: classes of k in buckets whose bags
// hold l values equally often, some classes with equal cells, parts put together now
// and then, also such that hold others.
func randomL2(r *rand.Rand) *l2Plan {
	p := &l2Plan{plan: plan{k: 2 + r.IntN(4), l: 2, recoding: []string{"buckets", "anatomy", "permutation"}[r.IntN(3)],
		compact: map[int][2]int{}}}
	standing := 0
	var last []int
	for n := 1; n <= 3+r.IntN(5); n++ {
		var buckets [][][]int
		for range 1 + r.IntN(3) {
			var b [][]int
			first := r.IntN(5)
			for c := range 2 * (1 + r.IntN(2)) { // an even number of classes with two values in turn
				values := ""
				for i := range p.k {
					values += " " + string(rune('a'+first+(c*p.k+i)%2))
				}
				who := p.add(n, values)
				if last != nil && r.IntN(3) == 0 {
					p.alike(who, last)
				}
				b, last = append(b, who), who
			}
			buckets = append(buckets, b)
		}
		p.births = append(p.births, buckets)
		if standing > 1 && r.IntN(2) == 0 {
			from := r.IntN(standing - 1)
			to := from + 2 + r.IntN(standing-from-1)
			p.compact[n] = [2]int{from, to}
			standing -= to - from - 1
		}
		standing++
	}
	return p
}

// damage changes the plan, or one older part from some release on.
func (p *l2Plan) damage(r *rand.Rand) string {
	n := r.IntN(len(p.births))
	b := p.births[n][r.IntN(len(p.births[n]))]
	c := r.IntN(len(b))
	what := []string{"nothing", "less", "more", "value", "later"}[r.IntN(5)]
	switch what {
	case "less":
		b[c] = b[c][1:]
	case "more":
		b[c] = append(slices.Clone(b[c]), p.add(n+1, "a")...)
		p.alike(b[c][p.k:], b[c])
	case "value":
		x := b[c][0]
		others := "abcdefg"
		p.people[x].value = string(others[r.IntN(len(others))])
	case "later":
		number := 2 + r.IntN(len(p.births)-1)
		p.edit = since(number, func(t *testParts) {
			rows := part1(t).tables["data.csv"]
			row := rows[1+r.IntN(len(rows)-1)]
			row[len(row)-1] = strconv.Itoa(1 + r.IntN(3))
		})
	}
	return what
}

// TestL2GateAgreesWithDir: over random chains of level L2, damaged and not, the gate
// refuses some release exactly if the audit of the whole chain finds it violated; and
// what it carries is what a full reading gives.
func TestL2GateAgreesWithDir(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it audits many chains; go test without -short runs it")
	}
	r := rand.New(rand.NewPCG(6, 2))
	tally := map[string]int{}
	for n := range 60 {
		p, what := randomL2(r), "nothing"
		if n%2 == 0 {
			what = p.damage(r)
		}
		o := p.write(t)
		report, err := Dir(o)
		refused := p.follow(t, o)
		if err != nil { // rows name a bucket that is not there
			require.Contains(t, err.Error(), "names a bucket that buckets.csv does not have")
			require.NotEmpty(t, refused)
			continue
		}
		require.Equal(t, report.Verdict == verdictViolated, len(refused) > 0, "%s: %v\n%v", what, kinds(report.Violations), kinds(refused))
		tally[report.Verdict]++
		if len(refused) == 0 {
			tally["compactions"] += len(p.compact)
		}
	}
	t.Log(tally)
	for _, seen := range []string{VerdictCertified, verdictViolated, "compactions"} {
		require.Greater(t, tally[seen], 10, "the test must reach: %s", seen)
	}
}

// follow lets a gate check release by release, and compares what it carries with what
// a gate that starts behind each release does.
func (p *l2Plan) follow(t *testing.T, o Options) []format.Violation {
	g := gate.New(l2Policy(p))
	for _, x := range p.out {
		dir := filepath.Join(o.Releases, format.DirName(x.number))
		found, err := g.Check(dir, placedNow(x.number, x.where))
		require.NoError(t, err)
		if len(found) > 0 {
			return found
		}
		g.Commit()
		requireCarried(t, g, dir, &testRelease{where: x.where})
	}
	return nil
}

// TestL2Epochs: a bucket with a value that a later copy brought holds nobody who had
// arrived by then, in none of its classes.
func TestL2Epochs(t *testing.T) {
	a := newEra(&auditor{}, &eraInput{s: &format.Schema{Sa: &format.ValueDict{Name: "ill", Text: []string{"flu", "ache"}}},
		records: &chain.Records{N: 4, Known: []bool{true, true, true, true}, Arrived: []uint32{2, 2, 3, 3}}})
	a.since = map[string]int{"ache": 3}
	b := table.BucketTable{M: 1, Size: []uint32{4}, Row: []uint32{1, 1, 1, 1},
		Of: []*table.Bags{{Start: []uint32{0, 2}, Value: []uint32{0, 1}, Count: []uint32{3, 1}}}}
	rel := &chain.Release{Num: 3, Tab: &table.Table{M: 2, Start: []uint32{0, 2, 4}, Sa: make([]uint32, 4),
		Shared: &b}}
	a.epochs(rel, []uint32{1, 1, 2, 2})
	require.Equal(t, []string{format.KindBeforeValue}, kinds(a.f.List))
	require.Equal(t, 2, a.f.List[0].Count)
}

// TestL2RecordsOfOnePerson: a person is published once.
func TestL2RecordsOfOnePerson(t *testing.T) {
	p := standardL2("buckets")
	p.people[p.births[1][0][0][0]].subject = p.people[0].subject
	r, err := Dir(p.write(t))
	require.NoError(t, err)
	require.Equal(t, []string{format.KindSubjectTwice}, kinds(r.Violations))
}
