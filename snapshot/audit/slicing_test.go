package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlicedChainIsCertified(t *testing.T) {
	p, _ := standard()
	p.recoding = "slicing"
	o := p.write(t, p.render())
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictCertified, r.Verdict)
	for _, a := range r.Attackers {
		require.Zero(t, a.ExactlyOne, a.Name)
	}
	o.Members, o.Records = "", ""
	r, err = Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictConsistent, r.Verdict, r.Violations)
}

// editLines applies an edit to the data lines of sliced.csv of some releases,
// and to nothing that announces them: the hash is reported in addition to what is meant.
func editSliced(t *testing.T, o Options, edit func(rows [][]string) [][]string, releases ...int) {
	for _, n := range releases {
		rewrite(t, dataPath(&o, n, "sliced.csv"), func(b []byte) []byte {
			var rows [][]string
			for line := range strings.Lines(string(b)) {
				rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), ","))
			}
			var out bytes.Buffer
			for _, row := range append(rows[:1], edit(rows[1:])...) {
				fmt.Fprintln(&out, strings.Join(row, ","))
			}
			return out.Bytes()
		})
	}
}

func TestSlicedMutations(t *testing.T) {
	for _, m := range []struct {
		name, want, public string
		parts              string // the kind in releases in parts, where it is another
		render             func(r []*testRelease)
		files              func(t *testing.T, o Options)
	}{
		{name: "frozen group shuffled anew", parts: kindLinkReplaced, want: kindFrozenCellsChanged, public: kindFrozenVanished,
			files: func(t *testing.T, o Options) {
				editSliced(t, o, func(rows [][]string) [][]string { // two jobs of group 1 exchanged: the group is as a multiset what it was
					rows[2][2], rows[5][2] = rows[5][2], rows[2][2]
					return rows
				}, 2)
			}},
		{name: "frozen group with its values shuffled anew", parts: kindLinkReplaced, want: kindFrozenCellsChanged, public: kindFrozenVanished,
			files: func(t *testing.T, o Options) {
				editSliced(t, o, func(rows [][]string) [][]string {
					rows[0][3], rows[7][3] = rows[7][3], rows[0][3]
					return rows
				}, 2)
			}},
		{name: "slice joins the sensitive attribute", want: kindSliceMixed, public: kindSliceMixed, render: func(r []*testRelease) {
			for _, x := range r {
				x.man["slices"] = [][]string{{"age", "city"}, {"job", "illness"}}
			}
		}},
		{name: "attribute in two slices", want: kindSliceShape, public: kindSliceShape, render: func(r []*testRelease) {
			for _, x := range r {
				x.man["slices"] = [][]string{{"age", "city"}, {"job", "age"}}
			}
		}},
		{name: "attribute in no slice", want: kindSliceShape, public: kindSliceShape, render: func(r []*testRelease) {
			for _, x := range r {
				x.man["slices"] = [][]string{{"age", "city"}}
			}
		}},
		{name: "slice of something unknown", want: kindSliceShape, public: kindSliceShape, render: func(r []*testRelease) {
			for _, x := range r {
				x.man["slices"] = [][]string{{"age", "city"}, {"job"}, {"person"}}
			}
		}},
		{name: "slices changed", want: kindContractChanged, public: kindContractChanged, render: func(r []*testRelease) {
			r[2].man["slices"] = [][]string{{"age"}, {"city"}, {"job"}, {"illness"}}
		}},
		{name: "slice broken up", want: kindRowsNotMembers, files: func(t *testing.T, o Options) {
			editSliced(t, o, func(rows [][]string) [][]string { // ages of two rows exchanged: who is 20 lives elsewhere
				rows[0][1], rows[7][1] = rows[7][1], rows[0][1]
				return rows
			}, 1)
		}},
		{name: "another bag", want: kindBagMismatch, files: func(t *testing.T, o Options) {
			editSliced(t, o, func(rows [][]string) [][]string {
				rows[7][3] = "g"
				return rows
			}, 1)
		}},
		{name: "rows in insertion order", want: kindRowOrder, public: kindRowOrder, files: func(t *testing.T, o Options) {
			editSliced(t, o, func(rows [][]string) [][]string {
				rows[0], rows[1] = rows[1], rows[0]
				return rows
			}, 1)
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			want, public := m.want, m.public
			if m.parts != "" {
				want, public = m.parts, m.parts
			}
			p, _ := standard()
			p.recoding = "slicing"
			releases := p.render()
			if m.render != nil {
				m.render(releases)
			}
			o := p.write(t, releases)
			if m.files != nil {
				m.files(t, o)
			}
			r, err := Dir(o)
			require.NoError(t, err)
			require.Equal(t, VerdictViolated, r.Verdict)
			require.Contains(t, kinds(r.Violations), want)
			if public != "" {
				o.Members, o.Records = "", ""
				r, err = Dir(o)
				require.NoError(t, err)
				require.Contains(t, kinds(r.Violations), public)
			}
		})
	}
}

// TestMixedSliceIsNeverCertified: with the mark that nothing is promised, a slice
// that joins the sensitive attribute is readable, and no more.
func TestMixedSliceIsNeverCertified(t *testing.T) {
	p, _ := standard()
	p.recoding = "slicing"
	p.releases = p.releases[:1]
	releases := p.render()
	releases[0].man["slices"] = [][]string{{"age", "city"}, {"job", "illness"}}
	releases[0].man["across_releases"] = "none"
	releases[0].privacy["level"], releases[0].privacy["certificate"] = "none", "none"
	r, err := Dir(p.write(t, releases))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict)
	require.True(t, slices.ContainsFunc(r.NotChecked, func(s string) bool { return strings.Contains(s, "joins the sensitive attribute") }))
}

// TestNothingAcrossReleasesIsNeverCertified: whatever else is in order.
func TestNothingAcrossReleasesIsNeverCertified(t *testing.T) {
	p, _ := standard()
	releases := p.render()
	for _, x := range releases {
		x.man["across_releases"] = "none"
	}
	r, err := Dir(p.write(t, releases))
	require.NoError(t, err)
	require.Contains(t, kinds(r.Violations), kindClaimFalse, "a certificate of nothing")
	for _, x := range releases {
		x.privacy["certificate"], x.privacy["level"] = "none", "none"
		delete(x.man, "previous")
	}
	r, err = Dir(p.write(t, releases))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict)
	require.Contains(t, r.NotChecked[0], "the manifest promises nothing across releases")
}
