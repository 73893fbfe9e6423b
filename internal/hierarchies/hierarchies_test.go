package hierarchies

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

func of(t testing.TB, kind Kind, err error) Kind {
	require.NoError(t, err)
	return kind
}

// kinds are the roll-ups of the tests.
func kinds(t testing.TB) map[string]Kind {
	prefixes, err := Prefixes([]int{3, 1}, "*")
	masked, masking := Prefixes([]int{3, 2}, "**")
	intervals, wrong := Intervals([]int{5, 10, 50})
	return map[string]Kind{"prefix": of(t, prefixes, err), "masked": of(t, masked, masking), "icd10": ICD10, "dates": Dates,
		"intervals": of(t, intervals, wrong)}
}

// TestRollUps: the levels of each kind, one line a code, in order.
func TestRollUps(t *testing.T) {
	for kind, x := range map[string]struct{ in, want string }{
		"prefix": {"8001\n8001\n\n9\n800\n", "800;800*;8*;*\n8001;800*;8*;*\n9;9*;*\n"},
		"masked": {"8001;Zurich\n8105\n", "8001;800**;80**;*\n8105;810**;81**;*\n"},
		"icd10": {"E11.9\nE11\nE119\ne11.9\nZ00\nI21.4\nD49.2\nC50.9\nO80\nO9A\nV00.1\nV01\nU07.1\nD99\nA18.0†\nM01.0*\nU80.0!\n" +
			"J96.-\nE11.90 G\nM54.5GR\nA00.9+0\n",
			"A00.9+0;A00.-;A00-B99;*\nA18.0†;A18.-;A00-B99;*\nC50.9;C50.-;C00-D49;*\nD49.2;D49.-;C00-D49;*\nD99;D99.-;*\n" +
				"E11;E11.-;E00-E90;*\nE11.90 G;E11.-;E00-E90;*\nE119;E11.-;E00-E90;*\nI21.4;I21.-;I00-I99;*\nJ96;J96.-;J00-J99;*\n" +
				"M01.0*;M01.-;M00-M99;*\nM54.5GR;M54.-;M00-M99;*\nO80;O80.-;O00-O9A;*\nO9A;O9A.-;O00-O9A;*\nU07.1;U07.-;U00-U99;*\n" +
				"U80.0!;U80.-;U00-U99;*\nV00.1;V00.-;V00-Y99;*\nV01;V01.-;V00-Y99;*\nZ00;Z00.-;Z00-Z99;*\n"},
		"dates":     {"2024-02-29\n1999-12-31\n", "1999-12-31;1999-12;1999;1990s;*\n2024-02-29;2024-02;2024;2020s;*\n"},
		"intervals": {"37\n-1\n50\n", "-1;-5--1;-10--1;-50--1;*\n37;35-39;30-39;0-49;*\n50;50-54;50-59;50-99;*\n"},
	} {
		var out bytes.Buffer
		n, _, err := Write(&out, strings.NewReader(x.in), "codes", false, kinds(t)[kind])
		require.NoError(t, err, kind)
		assert.Equal(t, x.want, out.String(), kind)
		assert.Equal(t, strings.Count(x.want, "\n"), n)
		_, err = equivclass.ParseHierarchy(kind, &out)
		assert.NoError(t, err, kind)
	}
}

// TestWhatCannotBeRolledUp: the line is named, and no code.
func TestWhatCannotBeRolledUp(t *testing.T) {
	for kind, in := range map[string]string{"icd10": "E11\nsecret\n", "dates": "2024-01-01\n2023-02-29\n", "intervals": "1\n007\n",
		"prefix": "ok\n{x\n", "masked": "abc\n\xff\n"} {
		_, _, err := Write(&bytes.Buffer{}, strings.NewReader(in), "codes", false, kinds(t)[kind])
		require.ErrorIs(t, err, errCode, kind)
		assert.Contains(t, err.Error(), "codes:2:")
		assert.NotContains(t, err.Error(), "secret")
	}
	for _, in := range []string{"", "\n\n", "header\n"} {
		_, _, err := Write(&bytes.Buffer{}, strings.NewReader(in), "codes", true, ICD10)
		assert.ErrorContains(t, err, "no code")
	}
	bare, err := Prefixes([]int{3}, "")
	require.NoError(t, err)
	_, _, err = Write(&bytes.Buffer{}, strings.NewReader("8001\n800\n"), "codes", false, bare)
	assert.ErrorContains(t, err, "another level", "a code may not stand above another one")
	for _, bad := range [][]int{{0}, {1, 3}, {3, 3}, {-1}} {
		_, err := Prefixes(bad, "")
		assert.Error(t, err)
	}
	for _, bad := range [][]int{{1}, {10, 5}, {10, 15}, {0}} {
		_, err := Intervals(bad)
		assert.Error(t, err)
	}
}

// TestEachChapterHasItsCategories: no category is rolled up to a range that it is not in.
func TestEachChapterHasItsCategories(t *testing.T) {
	for letter := 'A'; letter <= 'Z'; letter++ {
		for digit := '0'; digit <= '9'; digit++ {
			for _, last := range "0123456789ABCXZ" {
				category := string([]rune{letter, digit, last})
				levels, err := ICD10.Levels(category)
				require.NoError(t, err)
				if len(levels) == 2 {
					from, to, _ := strings.Cut(levels[1], "-")
					assert.True(t, from <= category && category <= to, "%s is not in %s", category, levels[1])
				}
			}
		}
	}
	_, folded, err := Write(&bytes.Buffer{}, strings.NewReader("E119\nE11.9\ne119\nE11.-\nI10\n"), "codes", false, ICD10)
	require.NoError(t, err)
	assert.Equal(t, 2, folded, "E119 and E11")
}

// FuzzHierarchies: whatever the codes, what is written is a hierarchy with a leaf a line.
func FuzzHierarchies(f *testing.F) {
	f.Add("8001\n800\n", uint8(0))
	f.Add("E11.9\nE11\n", uint8(2))
	f.Add("a;b\n*\n", uint8(1))
	names := []string{"prefix", "masked", "icd10", "dates", "intervals"}
	all := kinds(f)
	f.Fuzz(func(t *testing.T, in string, kind uint8) {
		var out bytes.Buffer
		n, _, err := Write(&out, strings.NewReader(in), "codes", false, all[names[int(kind)%len(names)]])
		if err != nil {
			return
		}
		require.Equal(t, n, bytes.Count(out.Bytes(), []byte("\n")))
		text := out.String()
		_, err = equivclass.Text{Exact: true}.ParseHierarchy("out", &out)
		if err != nil && !strings.ContainsFunc(in, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' }) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
