package audit

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/audit/table"
)

// inL2 runs a test on recodings of level L2; without names on each.
func inL2(t *testing.T, f func(t *testing.T, recoding string), only ...string) {
	if only == nil {
		only = []string{"buckets", "anatomy", "permutation"}
	}
	for _, recoding := range only {
		t.Run(recoding, func(t *testing.T) { f(t, recoding) })
	}
}

// TestL2ChainIsCertified: what the mutations damage is in order. Levels L0 and L1 are
// certified; of L2 the structure is, with exports; and the report says what is left.
func TestL2ChainIsCertified(t *testing.T) {
	inL2(t, func(t *testing.T, recoding string) {
		p := standardL2(recoding)
		o := p.write(t)
		r, refused := p.check(t, o)
		require.Empty(t, r.Violations)
		require.Empty(t, refused)
		if recoding == "permutation" { // TestDrawsAreCertifiedByReplay
			require.Equal(t, VerdictConsistent, r.Verdict)
			require.Equal(t, Level{L0: "not checked", L1: "not checked", L2: "not checked"}, r.Level)
		} else {
			require.Equal(t, VerdictCertified, r.Verdict)
			require.Equal(t, Level{L0: "certified", L1: "certified", L2: levelStructure}, r.Level)
		}
		require.Equal(t, &table.Buckets{Buckets: 7, Classes: 11, Largest: 8, Median: 8}, r.Buckets)
		require.Equal(t, []attributeRow{{Attribute: "illness", Promise: "no probability above 1/2", TopShare: "1/2", Cap: "1/2", AchievedL: 2,
			TopOdds: r.Attributes[0].TopOdds}}, r.Attributes)
		require.Equal(t, .5, r.Certificates.MaxPosterior)
		require.Equal(t, .25, r.Certificates.RowLink)
		require.Equal(t, 4, r.Certificates.TrajectoryK)
		require.Equal(t, 11, r.Certificates.FrozenClasses)
		require.NotContains(t, r.NotPromised, knowsProgram)
		discloses := func(s string) bool { return strings.Contains(s, "presence") }
		require.Equal(t, recoding == "anatomy", slices.ContainsFunc(r.NotPromised, discloses))
		require.Contains(t, strings.Join(r.NotChecked, "\n"), "anond audit --replay")
		var text bytes.Buffer
		require.NoError(t, r.Text(&text))
		require.Equal(t, recoding != "permutation", strings.Contains(text.String(), "L2: structure holds"))
		require.Contains(t, text.String(), "classes of exactly 4, buckets of whole classes")
		data, err := json.Marshal(r)
		require.NoError(t, err)
		require.NotContains(t, string(data), "waiting_top_share", "rule B: nothing is shown of values that are not decided about")
		require.NotContains(t, text.String(), "the most frequent value among them")
		o.Members, o.Records = "", ""
		r, err = Dir(o)
		require.NoError(t, err)
		require.Empty(t, r.Violations)
		require.Equal(t, Level{L0: "not checked", L1: "not checked", L2: "not checked"}, r.Level)
		text.Reset()
		require.NoError(t, r.Text(&text))
		require.Contains(t, text.String(), "The files have the structure that level L2 needs")
	})
}

// TestL2NotClaimed: with a given seed, or after the first pool grew, level L2 is not
// claimed, and what is promised is what level L1 promises.
func TestL2NotClaimed(t *testing.T) {
	for name, set := range map[string]func(r *testParts){
		"seeded": func(r *testParts) { r.man["seeded"] = true },
		"grown":  func(r *testParts) { privacy(r)["grown"] = true },
	} {
		t.Run(name, func(t *testing.T) {
			p := standardL2("buckets")
			p.edit = since(1, func(r *testParts) {
				set(r)
				privacy(r)["level"] = "L0+L1"
			})
			r, refused := p.check(t, p.write(t))
			require.Empty(t, r.Violations)
			require.Empty(t, refused)
			require.Equal(t, Level{L0: "certified", L1: "certified", L2: "not claimed"}, r.Level)
			require.Contains(t, r.NotPromised, knowsProgram)
			require.Equal(t, []bool{name == "seeded", name == "grown"}, []bool{r.Seeded, r.Grown})
		})
	}
}

// TestL2GateDemandsTheLevel: a gate that holds one level refuses the other.
func TestL2GateDemandsTheLevel(t *testing.T) {
	p := standardL2("buckets")
	o := p.write(t)
	want := l2Policy(p)
	want.Level = ""
	found, err := gate.New(want).Check(filepath.Join(o.Releases, format.DirName(1)), placedNow(1, p.out[0].where))
	require.NoError(t, err)
	require.Equal(t, []string{format.KindClaimFalse}, kinds(found))
	q, _ := standard()
	releases := q.render()
	o = q.write(t, releases)
	want = gatePolicy(q)
	want.Level = "L2"
	found, err = gate.New(want).Check(filepath.Join(o.Releases, format.DirName(1)), placedNow(1, releases[0].where))
	require.NoError(t, err)
	require.Equal(t, []string{format.KindClaimFalse}, kinds(found))
}

// TestL2PrivateMutations: what only the exports can show.
func TestL2PrivateMutations(t *testing.T) {
	replace := func(from, to string) func(b []byte) []byte {
		return func(b []byte) []byte {
			require.Equal(t, 1, bytes.Count(b, []byte(from)), from)
			return bytes.Replace(b, []byte(from), []byte(to), 1)
		}
	}
	for _, m := range []struct {
		name, want string
		plan       func(p *l2Plan)
		file       func(o *Options) string
		edit       func(b []byte) []byte
	}{
		{name: "bucket of a member", want: format.KindMembersMismatch, file: func(o *Options) string { return o.Members },
			edit: replace("1,topic:0:0,part-000001,1,1\n", "1,topic:0:0,part-000001,1,2\n")},
		{name: "bucket in a compaction", want: format.KindMembersMismatch, file: func(o *Options) string { return o.Members },
			edit: replace("4,topic:0:12,part-000001-000002,4,3\n", "4,topic:0:12,part-000001-000002,4,1\n")},
		{name: "value of a record", want: format.KindBucketMismatch, file: func(o *Options) string { return o.Records },
			edit: replace("topic:0:0,1,person-0,20,north-1,clerk,a\n", "topic:0:0,1,person-0,20,north-1,clerk,d\n")},
		{name: "a person's age", want: format.KindMemberOutside, file: func(o *Options) string { return o.Records },
			edit: replace("topic:0:0,1,person-0,20,north-1,clerk,a\n", "topic:0:0,1,person-0,19,north-1,clerk,a\n")},
		{name: "subject twice in a class", want: format.KindSubjectRepeated, plan: func(p *l2Plan) { p.people[1].subject = p.people[0].subject }},
		{name: "subject twice", want: format.KindSubjectTwice, plan: func(p *l2Plan) {
			p.people[13].subject = p.people[0].subject
			p.edit = since(1, func(r *testParts) { policy(r)["subject_repeat"] = "first" })
		}},
		{name: "before arrival", want: format.KindBeforeArrival, plan: func(p *l2Plan) { p.people[0].arrived = 2 }},
	} {
		t.Run(m.name, func(t *testing.T) {
			inL2(t, func(t *testing.T, recoding string) {
				p := standardL2(recoding)
				if m.plan != nil {
					m.plan(p)
				}
				o := p.write(t)
				if m.file != nil {
					rewrite(t, m.file(&o), m.edit)
				}
				r, err := Dir(o)
				require.NoError(t, err)
				want := m.want
				if want == format.KindMemberOutside && recoding == "anatomy" {
					want = format.KindRowsNotMembers
				}
				require.Contains(t, kinds(r.Violations), want)
			})
		})
	}
}

// TestL2CellsAreTight: a cell wider than the members of its class is found.
func TestL2CellsAreTight(t *testing.T) {
	inL2(t, func(t *testing.T, recoding string) {
		p := standardL2(recoding)
		p.edit = since(1, func(r *testParts) {
			for _, row := range part1(r).tables["data.csv"][1:5] {
				row[0] = "[19,23]"
			}
		})
		r, err := Dir(p.write(t))
		require.NoError(t, err)
		require.Equal(t, []string{format.KindCellNotTight}, kinds(r.Violations))
	}, "buckets", "permutation")
}

// TestL2MembersNameBuckets: an export of another level is refused.
func TestL2MembersNameBuckets(t *testing.T) {
	p := standardL2("buckets")
	o := p.write(t)
	rewrite(t, o.Members, func(b []byte) []byte {
		lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		for i, line := range lines {
			lines[i] = line[:strings.LastIndexByte(line, ',')]
		}
		return []byte(strings.Join(lines, "\n") + "\n")
	})
	_, err := Dir(o)
	require.ErrorContains(t, err, "members.csv:1: names buckets, or does not")
}

// TestL2Corruption counts the ways to give the people of the first bucket its bag:
// whoever knows one value believes of another with probability at most 4/7.
func TestL2Corruption(t *testing.T) {
	p := standardL2("anatomy")
	r, err := Dir(p.write(t))
	require.NoError(t, err)
	require.Equal(t, 44, r.Corruption.ClosedForm)
	require.Zero(t, r.Corruption.NotComputed)
	worst := 0.0
	for _, buckets := range p.births {
		for _, b := range buckets {
			var bag []string
			for _, c := range b {
				bag = append(bag, p.bag(c)...)
			}
			worst = max(worst, worstAfterOne(bag))
		}
	}
	require.InDelta(t, worst, r.Corruption.Max, 1e-12)
}

// worstAfterOne is the largest posterior of the second person once the value of the
// first is known, over all ways to give out the bag.
func worstAfterOne(bag []string) (worst float64) {
	total, both := map[string]int{}, map[[2]string]int{}
	for first := range bag {
		for second := range bag {
			if first != second { // the others follow in as many ways
				total[bag[first]]++
				both[[2]string{bag[first], bag[second]}]++
			}
		}
	}
	for pair, n := range both {
		worst = math.Max(worst, float64(n)/float64(total[pair[0]]))
	}
	return worst
}
