package audit

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// localMutation damages the standard chain of recoding lgb in its plan
// (everything else stays true), in the rendered tables, or in the files.
type localMutation struct {
	name   string
	want   string
	attr   string // that the violation must name
	plan   func(p *localPlan, g *localGroups)
	render func(p *localPlan, r []*localRelease)
	files  func(t *testing.T, o *Options)
	public string // kind that public files alone must show
	parts  string // the kind in releases in parts, where it is another
}

// edit replaces a line of buckets.csv in some releases.
func editBuckets(r []*localRelease, from, to string) {
	n := 0
	for _, x := range r {
		for i, line := range x.buckets {
			if strings.Join(line, ",") == from {
				x.buckets[i] = strings.Split(to, ",")
				n++
			}
		}
	}
	if n == 0 {
		panic("no such line")
	}
}

// rowsOf lists the rows of a person's class.
func rowsOf(r *localRelease, who int) (rows []int) {
	for i, line := range r.lgb[1:] {
		if line[5] == itoa(r.member[who]) {
			rows = append(rows, i+1)
		}
	}
	return rows
}

func itoa(n int) string { return string(rune('0' + n)) }

var localMutations = []localMutation{
	{name: "bucket over 1/l", want: kindBucketAboveL, attr: "job", public: kindBucketAboveL, plan: func(p *localPlan, g *localGroups) {
		p.people[g.late[0]].job = "miner" // its bucket is then miner, miner
		p.people[g.late[1]].job = "miner"
	}},
	{name: "buckets cross classes under the claim of level L0", want: kindBucketCrosses, attr: "job", public: kindBucketCrosses,
		plan: func(p *localPlan, _ *localGroups) {
			p.level = "L0+L1"
		}},
	{name: "a level that is none", want: kindClaimFalse, public: kindClaimFalse,
		plan: func(p *localPlan, _ *localGroups) { p.level = "Rows" }},
	{name: "bucket changed between releases", want: kindBucketChanged, attr: "job", public: kindBucketChanged,
		render: func(_ *localPlan, r []*localRelease) {
			editBuckets(r[1:], "job,1,miner,1", "job,1,nurse,1")
			editBuckets(r[1:], "job,2,nurse,1", "job,2,pilot,1")
		}},
	{name: "rows moved between buckets", want: kindBucketRowsMoved, attr: "job", plan: func(p *localPlan, g *localGroups) {
		j, b := g.job, g.both // clerk of job for clerk of both
		p.releases[1].jobs[0], p.releases[1].jobs[1] = []int{b[2], b[0]}, []int{j[1], j[2], j[0]}
	}},
	{name: "rows moved jointly", want: kindBucketRowsMoved, plan: (*localPlan).crossed},
	{name: "bucket grew", parts: kindPartChanged, want: kindBucketGrown, attr: "job", plan: func(p *localPlan, g *localGroups) {
		s := &p.releases[1]
		s.jobs = [][]int{{g.job[0], g.both[0], g.late[0], g.late[1]}, s.jobs[1], s.jobs[2], s.jobs[4]}
	}},
	{name: "t bucket grew", parts: kindPartChanged, want: kindBucketGrown, attr: "sex", plan: func(p *localPlan, g *localGroups) {
		p.releases[1].sexes = [][]int{join(g.both, g.late), g.sex}
	}},
	{name: "class with mixed flags", want: kindMixedFlags, attr: "job", plan: func(p *localPlan, g *localGroups) {
		p.people[g.job[3]].jobPrints = "no" // still in its bucket
	}},
	{name: "class bucketed in different attributes", want: kindMixedFlags, public: kindMixedFlags,
		render: func(_ *localPlan, r []*localRelease) {
			rows := rowsOf(r[0], 4)
			r[0].lgb[rows[0]] = slices.Clone(r[0].lgb[rows[0]])
			r[0].lgb[rows[0]][3] = "clerk"
		}},
	{name: "unflagged value bucketed", want: kindFlagMissing, attr: "job", plan: func(p *localPlan, g *localGroups) {
		for _, i := range g.job {
			p.people[i].jobPrints = "0"
		}
	}},
	{name: "flagged value shown generalized", want: kindFlagGeneralized, attr: "job", plan: func(p *localPlan, g *localGroups) {
		for _, i := range g.none {
			p.people[i].jobPrints = "Yes"
		}
	}},
	{name: "generalized value in a bucket", want: kindBucketValue, attr: "job", public: kindBucketValue,
		render: func(_ *localPlan, r []*localRelease) {
			editBuckets(r, "job,1,miner,1", "job,1,{miner|nurse},1")
		}},
	{name: "value missing from a bucket", want: kindBucketSize, attr: "job", public: kindBucketSize,
		render: func(_ *localPlan, r []*localRelease) {
			for _, x := range r {
				x.buckets = slices.DeleteFunc(x.buckets, func(l []string) bool { return l[0] == "job" && l[1] == "1" && l[2] == "miner" })
			}
		}},
	{name: "value of nobody in a bucket", want: kindBucketMismatch, attr: "job", render: func(_ *localPlan, r []*localRelease) {
		editBuckets(r, "job,1,miner,1", "job,1,pilot,1")
	}},
	{name: "values of two buckets exchanged", want: kindBucketMismatch, attr: "sex", render: func(_ *localPlan, r []*localRelease) {
		editBuckets(r, "sex,1,M,2", "sex,1,M,3")
		editBuckets(r, "sex,1,F,2", "sex,1,F,1")
		editBuckets(r[:1], "sex,2,M,3", "sex,2,M,2")
		editBuckets(r[:1], "sex,2,F,2", "sex,2,F,3")
	}},
	{name: "wrong reference", want: kindReference, attr: "sex", public: kindReference, render: func(p *localPlan, r []*localRelease) {
		for _, x := range r {
			sexPromise(x)["reference"] = []ValueCount{{"F", 5}, {"M", 5}}
		}
	}},
	{name: "t exceeded", want: kindBucketAboveT, attr: "sex", public: kindBucketAboveT,
		plan: func(p *localPlan, _ *localGroups) { p.sexT = 0.05 }},
	{name: "t bucket splits a class", want: kindBucketSplitsClass, attr: "sex", public: kindBucketSplitsClass,
		plan: func(p *localPlan, g *localGroups) {
			for i := range p.releases {
				s := &p.releases[i]
				s.sexes[0], s.sexes[1] = join(g.both[:2], g.sex[1:3]), join(g.both[2:], g.sex[:1], g.sex[3:])
			}
		}},
	{name: "newly bucketed values share a value", want: kindDifference, attr: "job", public: kindDifference,
		plan: func(p *localPlan, g *localGroups) {
			for _, i := range g.late {
				p.people[i].job = "miner"
			}
		}},
	{name: "newly bucketed values far from the reference", want: kindDifference, attr: "sex", public: kindDifference,
		plan: func(p *localPlan, g *localGroups) {
			for _, i := range g.late {
				p.people[i].sex = "F"
			}
		}},
	{name: "lone newcomer in a class", parts: kindDeadNotPure, want: kindLoneNewcomer, public: kindFrozenVanished,
		plan: func(p *localPlan, g *localGroups) {
			lone := p.add(2, "", "clerk", "F", "b")
			p.releases[1].classes = slices.Clone(p.releases[1].classes)
			p.releases[1].classes[0] = join(g.none, lone)
		}},
	{name: "class grown by a fair set", want: kindClassGrown, plan: func(p *localPlan, g *localGroups) {
		p.releases[1].classes = slices.Clone(p.releases[1].classes)
		p.releases[1].classes[0] = join(g.none, p.add(2, "", "clerk", "F", "b a"))
	}},
	{name: "classes merged", want: kindClassMerged, plan: func(p *localPlan, g *localGroups) {
		s := &p.releases[1]
		for _, i := range g.none { // two flat classes of one signature: lgb has no rule P
			p.people[i].value = string("abab"[i%4])
		}
		fair := p.add(1, "", "nurse", "M", "a b a b")
		p.releases[0].classes = append(p.releases[0].classes, fair)
		s.classes = append([][]int{join(g.none[:2], fair[:2]), join(g.none[2:], fair[2:])}, s.classes[1:]...)
	}},
	{name: "record disappearing", want: kindRecordGone, plan: func(p *localPlan, g *localGroups) {
		p.releases[1].classes = p.releases[1].classes[1:]
	}},
	{name: "bucketed values removed", parts: kindDeadNotPure, want: kindRowsRemoved, attr: "sex", public: kindRowsRemoved,
		plan: func(p *localPlan, g *localGroups) {
			s := &p.releases[1]
			s.classes = [][]int{g.none, g.job, g.both, g.late}
			s.sexes = [][]int{g.both, g.late}
		}},
	{name: "cell wider than its members", want: kindCellNotTight, attr: "job", render: func(_ *localPlan, r []*localRelease) {
		for _, x := range r {
			for _, i := range rowsOf(x, 12) {
				x.lgb[i] = slices.Clone(x.lgb[i])
				x.lgb[i][3] = "{clerk|miner|nurse}"
			}
		}
	}},
	{name: "id that persists as a column", want: kindExtraColumn, public: kindExtraColumn, render: func(_ *localPlan, r []*localRelease) {
		for i := range r[0].lgb {
			r[0].lgb[i] = append(slices.Clone(r[0].lgb[i]), "x")
		}
	}},
	{name: "presence claimed disclosed", want: kindClaimFalse, public: kindClaimFalse, render: func(_ *localPlan, r []*localRelease) {
		r[0].man["privacy"].(map[string]any)["k1"] = "sensitive-only"
	}},
	{name: "promise changed", want: kindContractChanged, public: kindContractChanged, render: func(_ *localPlan, r []*localRelease) {
		sexPromise(r[1])["t"] = 0.4
	}},
	{name: "class below k", want: kindClassBelowK, public: kindClassBelowK, plan: func(p *localPlan, _ *localGroups) { p.k = 5 }},
	{name: "sensitive value above 1/l", want: kindValueAboveL, public: kindValueAboveL, plan: func(p *localPlan, g *localGroups) {
		p.people[g.job[2]].value = "b"
		p.people[g.job[3]].value = "b"
	}},
	{name: "tampered buckets", parts: kindLinkReplaced, want: kindHashMismatch, public: kindHashMismatch,
		files: func(t *testing.T, o *Options) {
			rewrite(t, dataPath(o, 2, "buckets.csv"),
				func(b []byte) []byte { return bytes.Replace(b, []byte("nurse"), []byte("pilot"), 1) })
		}},
	{name: "second rendering next to the first", want: kindUnexpectedFile, public: kindUnexpectedFile, files: func(t *testing.T, o *Options) {
		require.NoError(t, os.WriteFile(dataPath(o, 1, "data.csv"), nil, 0o600))
	}},
}

func sexPromise(r *localRelease) map[string]any {
	return r.man["schema"].([]map[string]any)[2]["promise"].(map[string]any)
}

// crossed makes the buckets of illness cross classes, and in release 2 lets the
// rows of one class be in the same job buckets and the same illness buckets as
// before, but in other pairs of them.
func (p *localPlan) crossed(g *localGroups) {
	j, b := g.job, g.both
	p.people[j[0]].job, p.people[j[1]].job = "clerk", "clerk"
	p.people[b[0]].job, p.people[b[1]].job = "miner", "nurse"
	p.people[j[2]].job, p.people[j[3]].job = "miner", "nurse"
	p.people[b[2]].job, p.people[b[3]].job = "clerk", "clerk"
	jobs := [][]int{{j[0], b[0]}, {j[1], b[1]}, {j[2], b[2]}, {j[3], b[3]}}
	values := "a c b d b d a c"
	for n, v := range strings.Fields(values) {
		p.people[append(slices.Clone(j), b...)[n]].value = v
	}
	ills := [][]int{{j[0], b[0]}, {j[1], b[1]}, {j[2], b[2]}, {j[3], b[3]}}
	moved := [][]int{{j[0], b[0]}, {j[1], b[1]}, {j[2], b[2]}, {j[3], b[3]}}
	moved[0], moved[2] = []int{j[2], b[0]}, []int{j[0], b[2]}
	p.people[j[2]].value, p.people[j[0]].value = "a", "a"
	p.people[b[0]].value, p.people[b[2]].value = "b", "b"
	rest := [][]int{g.none, g.sex}
	p.releases[0].jobs, p.releases[0].ills = jobs, join2(ills, rest)
	p.releases[1].jobs = append(slices.Clone(jobs), []int{g.late[0], g.late[1]}, []int{g.late[2], g.late[3]})
	p.releases[1].ills = join2(moved, rest, [][]int{g.late})
}

func join2(parts ...[][]int) [][]int { return slices.Concat(parts...) }

func (m *localMutation) apply(t *testing.T) Options {
	p, g := standardLocal()
	if m.plan != nil {
		m.plan(p, g)
	}
	releases := p.render()
	if m.render != nil {
		m.render(p, releases)
	}
	o := p.write(t, releases)
	if m.files != nil {
		m.files(t, &o)
	}
	return o
}

// TestLocalMutations: each damage of a chain by recoding lgb is reported under
// its own kind, and the attribute that it names is not certified.
func TestLocalMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: TestMutations is like it; go test without -short runs it")
	}
	for i := range localMutations {
		m := &localMutations[i]
		t.Run(m.name, func(t *testing.T) {
			o, want, public := m.apply(t), m.want, m.public
			if m.parts != "" {
				r, err := Dir(o)
				require.NoError(t, err)
				require.Contains(t, kinds(r.Violations), m.parts)
				return
			}
			r, err := Dir(o)
			require.NoError(t, err)
			requireVerdict(t, want, r)
			found := slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Kind == want && (m.attr == "" || v.Attribute == m.attr) })
			require.True(t, found, "%+v", r.Violations)
			for _, a := range r.Attributes {
				if a.Attribute == m.attr {
					require.Equal(t, VerdictViolated, a.Status)
				}
			}
			if m.public != "" {
				o.Members, o.Records = "", ""
				r, err = Dir(o)
				require.NoError(t, err)
				require.Contains(t, kinds(r.Violations), public)
			}
		})
	}
}

// TestLocalAttributesAreJudgedApart: a promise that one attribute breaks leaves
// the others as they are (the job's buckets cross classes), a broken class none.
func TestLocalAttributesAreJudgedApart(t *testing.T) {
	status := func(name string) map[string]string {
		i := slices.IndexFunc(localMutations, func(m localMutation) bool { return m.name == name })
		r, err := Dir(localMutations[i].apply(t))
		require.NoError(t, err)
		out := map[string]string{}
		for _, a := range r.Attributes {
			out[a.Attribute] = a.Status
		}
		return out
	}
	require.Equal(t, map[string]string{"sex": VerdictCertified, "job": VerdictViolated, "illness": VerdictCertified},
		status("bucket over 1/l"))
	require.Equal(t, map[string]string{"sex": VerdictViolated, "job": VerdictConsistent, "illness": VerdictCertified}, status("t exceeded"))
	require.Equal(t, map[string]string{"sex": VerdictCertified, "job": VerdictConsistent, "illness": VerdictViolated},
		status("sensitive value above 1/l"))
	require.Equal(t, map[string]string{"sex": statusUnknown, "job": statusUnknown, "illness": statusUnknown},
		status("class grown by a fair set"))
}

// TestLocalJointMove: each attribute alone is as before; only the rows tell. The
// buckets that are exchanged look alike to colour refinement, so it takes the
// search.
func TestLocalJointMove(t *testing.T) {
	p, g := standardLocal()
	p.crossed(g)
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	i := slices.IndexFunc(r.Violations, func(v Violation) bool { return v.Kind == kindBucketRowsMoved })
	require.GreaterOrEqual(t, i, 0, "%v", r.Violations)
	require.Empty(t, r.Violations[i].Attribute)

	p.releases[1].ills = join2(p.releases[0].ills, [][]int{g.late})
	r, err = Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict, "buckets of the sensitive attribute cross classes, and the manifest says so")
}
