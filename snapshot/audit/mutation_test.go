package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// mutation damages the standard chain at one of three moments: the plan (what
// is grouped how; everything else stays true), the rendered rows and manifests
// (before hashing, so the damage is not a mere hash mismatch), or the files.
type mutation struct {
	name   string
	want   string // the kind that must be reported
	plan   func(p *plan, g *groups)
	render func(p *plan, r []*testRelease)
	files  func(t *testing.T, o *Options)
}

func swapValues(a, b *testRow) { a.value, b.value = b.value, a.value }

func rowWith(r *testRelease, class int, value string) *testRow {
	for i := range r.rows {
		if r.rows[i].class == class && r.rows[i].value == value {
			return &r.rows[i]
		}
	}
	panic("no such row")
}

func sortClass(r *testRelease) {
	slices.SortStableFunc(r.rows, func(a, b testRow) int {
		if a.class != b.class {
			return a.class - b.class
		}
		return strings.Compare(a.value, b.value)
	})
}

func rewrite(t *testing.T, path string, f func(data []byte) []byte) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	mode := os.FileMode(0o600)
	if strings.Contains(path, "/part-") {
		mode = 0o444
	}
	require.NoError(t, os.Remove(path)) // other releases may have links to it
	require.NoError(t, os.WriteFile(path, f(data), mode))
}

func appendLine(line string) func([]byte) []byte {
	return func(b []byte) []byte { return append(b, line+"\n"...) }
}

var mutations = []mutation{
	{name: "lone newcomer published", want: format.KindLoneNewcomer, plan: func(p *plan, g *groups) {
		p.releases[2][0] = join(g.frozen, g.waiting[:1])
	}},
	{name: "frozen class grown by a fair set", want: format.KindClassGrown, plan: func(p *plan, g *groups) {
		p.releases[2] = [][]int{join(g.frozen, g.late), p.releases[2][1], p.releases[2][2], g.q}
	}},
	{name: "class re-split", want: format.KindClassResplit, plan: func(p *plan, g *groups) {
		f := g.frozen // a a b b c d e f
		parts := [][]int{{f[0], f[2], f[4], f[6]}, {f[1], f[3], f[5], f[7]}}
		p.releases[2] = append(parts, p.releases[2][1:]...)
	}},
	{name: "frozen classes merged", want: format.KindClassMerged, plan: func(p *plan, g *groups) {
		p.releases = append(p.releases, append([][]int{join(g.frozen, g.late)}, p.releases[2][1:4]...))
	}},
	{name: "signatures mixed", want: format.KindSignaturesMixed, plan: func(p *plan, g *groups) {
		first := p.releases[1][1] // a b c c b a
		p.releases[2][1], p.releases[2][3] = join(first[:3], g.q[:3]), join(first[3:], g.q[3:])
	}},
	{name: "unequal counts in a pure class", want: format.KindUnequalCounts, plan: func(p *plan, g *groups) {
		all := join(p.releases[2][1], p.releases[2][2])
		slices.SortFunc(all, func(x, y int) int { return strings.Compare(p.people[x].value, p.people[y].value) })
		// aaaaa bbbbb ccccc -> aaabbcc and aabbbccc
		p.releases[2][1] = join(all[0:3], all[5:7], all[10:12])
		p.releases[2][2] = join(all[3:5], all[7:10], all[12:15])
	}},
	{name: "row dropped", want: format.KindRowsRemoved, render: func(_ *plan, r []*testRelease) {
		r[2].rows = slices.Delete(r[2].rows, 2, 3) // a value no newcomer brings back
	}},
	{name: "two sensitive values swapped", want: format.KindFrozenBagChanged, render: func(_ *plan, r []*testRelease) {
		swapValues(rowWith(r[2], 1, "a"), rowWith(r[2], r[2].member[20], "d"))
		sortClass(r[2])
	}},
	{name: "interval narrowed", want: format.KindMemberOutside, render: func(p *plan, r []*testRelease) {
		narrowAge(r, "[20,27]", "[20,26]")
	}},
	{name: "interval widened", want: format.KindCellNotTight, render: func(p *plan, r []*testRelease) {
		narrowAge(r, "[20,27]", "[19,27]")
	}},
	{name: "same members written differently", want: format.KindFrozenCellsChanged, render: func(p *plan, r []*testRelease) {
		narrowAge(r[2:], "[20,27]", "[19,27]")
	}},
	{name: "id that persists as a column", want: format.KindExtraColumn, render: func(_ *plan, r []*testRelease) {
		for _, x := range r {
			x.extra = true
		}
	}},
	{name: "rows in insertion order", want: format.KindRowOrder, render: func(_ *plan, r []*testRelease) {
		slices.Reverse(r[1].rows)
	}},
	{name: "rows of one class in insertion order", want: format.KindRowOrder, render: func(_ *plan, r []*testRelease) {
		r[1].rows[0], r[1].rows[7] = r[1].rows[7], r[1].rows[0]
	}},
	{name: "rows of a class with different cells", want: format.KindMixedCells, render: func(_ *plan, r []*testRelease) {
		r[2].rows[1].cells = []string{"[20,25]", "*", "clerk"}
	}},
	{name: "tampered file", want: format.KindLinkReplaced, files: func(t *testing.T, o *Options) {
		rewrite(t, dataPath(o, 2, "data.csv"), func(b []byte) []byte {
			i := bytes.LastIndex(b, []byte(",b,"))
			b[i+1] = 'c'
			return b
		})
	}},
	{name: "file longer than announced", want: format.KindLinkReplaced, files: func(t *testing.T, o *Options) {
		rewrite(t, dataPath(o, 3, "data.csv"), func(b []byte) []byte {
			last := b[bytes.LastIndexByte(b[:len(b)-1], '\n')+1:]
			return append(b, last...)
		})
	}},
	{name: "row announced and missing", want: format.KindLinkReplaced, files: func(t *testing.T, o *Options) {
		rewrite(t, dataPath(o, 3, "data.csv"), func(b []byte) []byte {
			return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1]
		})
	}},
	{name: "subject twice in a class", want: format.KindSubjectRepeated, plan: func(p *plan, g *groups) {
		p.people[g.frozen[1]].subject = p.people[g.frozen[0]].subject
	}},
	{name: "subject published twice", want: format.KindSubjectTwice, plan: func(p *plan, g *groups) {
		p.people[g.frozen[1]].subject = p.people[g.late[0]].subject
	}},
	{name: "chain hash broken", want: format.KindChainBroken, render: func(_ *plan, r []*testRelease) {
		r[2].man["previous"] = map[string]any{"release": 2, "sha256": strings.Repeat("0", 64)}
	}},
	{name: "release missing", want: format.KindReleaseMissing, files: func(t *testing.T, o *Options) {
		require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, "000002")))
	}},
	{name: "manifest under another number", want: format.KindReleaseNumber, files: func(t *testing.T, o *Options) {
		require.NoError(t, os.Rename(filepath.Join(o.Releases, "000003"), filepath.Join(o.Releases, "000004")))
	}},
	{name: "budget exceeded", want: format.KindBudget, plan: func(p *plan, _ *groups) { p.budget = 0 }},
	{name: "record disappearing", want: format.KindRecordGone, plan: func(p *plan, g *groups) {
		p.releases[2][2] = join(g.p1[3:], g.p2[3:]) // the set that joined in release 2 is gone
	}},
	{name: "bag against microdata", want: format.KindBagMismatch, files: func(t *testing.T, o *Options) {
		rewrite(t, o.Records, func(b []byte) []byte { // record 0 has value a
			return bytes.Replace(b, []byte("clerk,a\n"), []byte("clerk,b\n"), 1)
		})
	}},
	{name: "ledger ahead", want: format.KindLedgerAhead, files: func(t *testing.T, o *Options) {
		rewrite(t, o.Ledger, appendLine(strings.TrimSuffix(otherLine(4), "\n")))
	}},
	{name: "ledger behind", want: format.KindLedgerBehind, files: func(t *testing.T, o *Options) {
		rewrite(t, o.Ledger, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }) // two of three releases are unlisted
	}},
	{name: "ledger of another chain", want: format.KindLedgerMismatch, files: func(t *testing.T, o *Options) {
		rewrite(t, o.Ledger, func(b []byte) []byte { return append([]byte("1 "+strings.Repeat("a", 64)), b[66:]...) })
	}},
	{name: "CURRENT behind", want: format.KindCurrentMismatch, files: func(t *testing.T, o *Options) {
		rewrite(t, filepath.Join(o.Releases, "CURRENT"), func([]byte) []byte { return []byte("000001\n") })
	}},
	{name: "file nobody announced", want: format.KindUnexpectedFile, files: func(t *testing.T, o *Options) {
		require.NoError(t, os.WriteFile(filepath.Join(o.Releases, "000001", "data2.csv"), nil, 0o600))
	}},
	{name: "hierarchy replaced", want: format.KindHierarchyMismatch, files: func(t *testing.T, o *Options) {
		rewrite(t, filepath.Join(o.Releases, "hierarchies", "city.csv"), appendLine("east-1;east;*"))
	}},
	{name: "policy changed", want: format.KindContractChanged, render: func(_ *plan, r []*testRelease) { r[2].policy["k"] = 3 }},
	{name: "class below k", want: format.KindClassBelowK, plan: func(p *plan, _ *groups) { p.k = 6 }},
	{name: "value above 1/l", want: format.KindValueAboveL, plan: func(p *plan, g *groups) {
		p.releases[2][4] = join(g.late, g.waiting) // f e d f a d d: three of seven are d at l=3
		p.l = 3
	}},
	{name: "declared principle broken", want: format.KindPrinciple, render: func(_ *plan, r []*testRelease) {
		for _, x := range r {
			x.policy["diversity"] = []any{map[string]any{"kind": "distinct", "l": 3}}
		}
	}},
	{name: "newcomers share a value", want: format.KindDifference, plan: func(p *plan, g *groups) {
		for _, i := range g.late[:3] {
			p.people[i].value = "d"
		}
	}},
	{name: "count in the manifest", want: format.KindCountMismatch, render: func(_ *plan, r []*testRelease) { r[1].man["classes"] = 7 }},
	{name: "certificate claimed falsely", want: format.KindCertificateFalse, render: func(_ *plan, r []*testRelease) {
		r[1].privacy["certificate"] = "frozen"
	}},
	{name: "level claimed falsely", want: format.KindClaimFalse, render: func(_ *plan,
		r []*testRelease) {
		r[1].privacy["level"] = "L0+L1+L2"
	}},
	{name: "member of no class", want: format.KindMembersMismatch, files: func(t *testing.T, o *Options) {
		rewrite(t, o.Members, func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] })
	}},
	{name: "published before it arrived", want: format.KindBeforeArrival, plan: func(p *plan, g *groups) { p.people[g.grown[0]].arrived = 3 }},
}

// apply writes the standard chain with one mutation.
func (m *mutation) apply(t *testing.T) Options {
	p, g := standard()
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

// TestMutations proves that the auditor can fail: the standard chain audits
// clean (TestStandardChainIsCertified), and each damage is reported under its
// own name.
func TestMutations(t *testing.T) {
	for i := range mutations {
		m := &mutations[i]
		t.Run(m.name, func(t *testing.T) {
			want := m.want
			r, err := Dir(m.apply(t))
			require.NoError(t, err)
			requireVerdict(t, want, r)
			require.Contains(t, kinds(r.Violations), want)
		})
	}
}

// TestPublicMutations: what public files alone must still find.
func TestPublicMutations(t *testing.T) {
	want := map[string]string{
		"frozen class grown by a fair set": format.KindFrozenVanished,
		"class re-split":                   format.KindFrozenVanished,
		"signatures mixed":                 format.KindSignatureShrank,
		"record disappearing":              format.KindSignatureShrank,
		"lone newcomer published":          format.KindFrozenVanished,
		"row dropped":                      format.KindRowsRemoved,
		"two sensitive values swapped":     format.KindFrozenVanished,
		"same members written differently": format.KindFrozenVanished,
		"tampered file":                    format.KindLinkReplaced,
		"rows in insertion order":          format.KindRowOrder,
		"certificate claimed falsely":      format.KindCertificateFalse,
		"unequal counts in a pure class":   format.KindSignatureShrank,
	}
	for i := range mutations {
		m := &mutations[i]
		if want[m.name] == "" {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			public := want[m.name]
			o := m.apply(t)
			o.Members, o.Records = "", ""
			r, err := Dir(o)
			require.NoError(t, err)
			require.Contains(t, kinds(r.Violations), public)
		})
	}
}

func narrowAge(releases []*testRelease, from, to string) {
	for _, r := range releases {
		for i := range r.rows {
			if r.rows[i].cells[0] == from {
				r.rows[i].cells = slices.Clone(r.rows[i].cells)
				r.rows[i].cells[0] = to
			}
		}
	}
}

// TestBucketMutations: what only the exact recodings can get wrong.
func TestBucketMutations(t *testing.T) {
	for recoding, qi := range map[string]string{"anatomy": "qit.csv", "permutation": "pqt.csv"} {
		sa := map[string]string{"qit.csv": "st.csv", "pqt.csv": "pst.csv"}[qi]
		for _, m := range []struct {
			name, file, want string
			edit             func(b []byte) []byte
		}{
			{"row of another person", qi, format.KindRowsNotMembers,
				func(b []byte) []byte { return bytes.Replace(b, []byte("\n20,"), []byte("\n19,"), 1) }},
			{"rows in insertion order", qi, format.KindRowOrder, swapLines},
			{"values in insertion order", sa, format.KindRowOrder, swapLines},
			{"another bag", sa, format.KindBagMismatch, func(b []byte) []byte { return bytes.Replace(b, []byte("1,f"), []byte("1,g"), 1) }},
		} {
			t.Run(recoding+" "+m.name, func(t *testing.T) {
				p, _ := standard()
				p.recoding = recoding
				o := p.write(t, p.render())
				rewrite(t, dataPath(&o, 1, m.file), func(b []byte) []byte {
					out := m.edit(b)
					require.NotEqual(t, string(b), string(out))
					return out
				})
				r, err := Dir(o)
				require.NoError(t, err)
				require.Contains(t, kinds(r.Violations), m.want)
			})
		}
	}
}

// swapLines exchanges the first two different neighbours below the header.
func swapLines(b []byte) []byte {
	lines := bytes.SplitAfter(slices.Clone(b), []byte("\n"))
	for i := 2; i < len(lines)-1; i++ {
		if !bytes.Equal(lines[i-1], lines[i]) {
			lines[i-1], lines[i] = lines[i], lines[i-1]
			break
		}
	}
	return bytes.Join(lines, nil)
}
