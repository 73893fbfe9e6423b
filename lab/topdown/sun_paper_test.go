package topdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// sunTable is table III with the hierarchies that table IV shows: clerk and
// manager are white-collar, worker and technician blue-collar; birth and zip
// code are {value, *}.
type sunTable struct {
	p    *equivclass.Pool
	text [][]string // by row: job, birth, zip code, disease
	job  *equivclass.Hierarchy
}

var sunDiseases = []string{"HIV", "Flu", "Fever"} // by first appearance

func sunTableIII(t testing.TB) sunTable {
	t.Helper()
	h, err := equivclass.ParseHierarchy("job", strings.NewReader("clerk;White-collar;*\nmanager;White-collar;*\n"+
		"worker;Blue-collar;*\ntechnician;Blue-collar;*\n"))
	require.NoError(t, err)
	s := sunTable{job: h, text: [][]string{
		{"clerk", "1975", "4350", "HIV"},
		{"manager", "1955", "4350", "Flu"},
		{"clerk", "1955", "5432", "Flu"},
		{"worker", "1955", "5432", "Fever"},
		{"worker", "1975", "4350", "Flu"},
		{"technician", "1940", "4350", "Fever"},
	}}
	births, zips := map[string]float32{"1940": 0, "1955": 0.5, "1975": 1}, map[string]float32{"4350": 0, "5432": 1}
	s.p = &equivclass.Pool{Space: &equivclass.Space{Dims: []equivclass.Dim{{Kind: equivclass.Tree, Size: 4, Tree: h},
		{Kind: equivclass.Set, Size: 3}, {Kind: equivclass.Set, Size: 2}}}}
	for _, r := range s.text {
		leaf, ok := h.Leaf([]byte(r[0]))
		require.True(t, ok)
		s.p.X = append(s.p.X, float32(leaf)/3, births[r[1]], zips[r[2]])
		for c, d := range sunDiseases {
			if d == r[3] {
				s.p.SA = append(s.p.SA, equivclass.Code(c))
			}
		}
	}
	return s
}

// cells writes the class of a row as a row of table IV.
func (s sunTable) cells(g []int32, r int32) string {
	lo, hi := equivclass.Code(9), equivclass.Code(0)
	birth, zip := s.text[r][1], s.text[r][2]
	for _, q := range g {
		leaf, _ := s.job.Leaf([]byte(s.text[q][0]))
		lo, hi = min(lo, leaf), max(hi, leaf)
		if s.text[q][1] != birth {
			birth = "*"
		}
		if s.text[q][2] != zip {
			zip = "*"
		}
	}
	return strings.Join([]string{s.job.Label(s.job.LCA(lo, hi)), birth, zip, s.text[r][3]}, " ")
}

func sunGroups(t testing.TB, s sunTable) [][]int32 {
	t.Helper()
	groups, rest := PSensitive{P: 2}.Partition(s.p, equivclass.Requirement{K: 2, L: 1})
	require.Empty(t, rest)
	// the paper numbers its groups by their first record
	require.Len(t, groups, 3)
	for i := range groups {
		for k := range i {
			if groups[i][0] < groups[k][0] {
				groups[i], groups[k] = groups[k], groups[i]
			}
		}
	}
	return groups
}

// Tables III to V: the top-down partition makes the paper's three groups.
func TestSunTableIV(t *testing.T) {
	s := sunTableIII(t)
	groups := sunGroups(t, s)
	require.Equal(t, [][]int32{{0, 1}, {2, 3}, {4, 5}}, groups)
	byNCP, _ := PSensitiveNCP{P: 2}.Partition(s.p, equivclass.Requirement{K: 2, L: 1})
	require.ElementsMatch(t, groups, byNCP)
	var rows []string
	for _, g := range groups {
		for _, r := range g {
			rows = append(rows, s.cells(g, r))
		}
	}
	require.Equal(t, []string{
		"White-collar * 4350 HIV",
		"White-collar * 4350 Flu",
		"* 1955 5432 Flu",
		"* 1955 5432 Fever",
		"Blue-collar * 4350 Flu",
		"Blue-collar * 4350 Fever",
	}, rows)
}

// Tables VI to X.
func TestSunTablesVIToX(t *testing.T) {
	s := sunTableIII(t)
	nss, ss := nssTable(s.p, sunGroups(t, s))
	require.Equal(t, []nssRow{{0, 1}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {5, 3}}, nss)
	var sensitive, joined []string
	for _, r := range ss {
		sensitive = append(sensitive, sunDiseases[r.SA]+" "+string(rune('0'+r.Group)))
	}
	require.Equal(t, []string{"HIV 1", "Flu 1", "Flu 2", "Fever 2", "Flu 3", "Fever 3"}, sensitive)
	for _, r := range joinNSS(nss, ss) {
		joined = append(joined, strings.Join([]string{s.text[r.Row][0], s.text[r.Row][1], s.text[r.Row][2], sunDiseases[r.SA],
			string(rune('0' + r.Group))}, " "))
	}
	require.Equal(t, []string{
		"clerk 1975 4350 HIV 1", "manager 1955 4350 HIV 1", "clerk 1975 4350 Flu 1", "manager 1955 4350 Flu 1",
		"clerk 1955 5432 Flu 2", "worker 1955 5432 Flu 2", "clerk 1955 5432 Fever 2", "worker 1955 5432 Fever 2",
		"worker 1975 4350 Flu 3", "technician 1940 4350 Flu 3", "worker 1975 4350 Fever 3", "technician 1940 4350 Fever 3",
	}, joined)
}

// Table II is a 2-sensitive 2-anonymous view of table I. Section I.A asks it for
// fever at age <= 40 and zip code 1000 to 2000. Its estimate, 2 x 0.1 = 0.2, is
// right; "the actual result 1" is not: the two with fever are 37 at 2300 and 58 at
// 5340, neither of them in the range, so the actual result is 0.
func TestSunSectionIA(t *testing.T) {
	type person struct {
		age, zip float64
		disease  string
	}
	all := []person{{23, 1100, "HIV"}, {37, 2300, "Fever"}, {61, 3400, "Flu"}, {69, 4350, "HIV"}, {41, 4435, "Flu"}, {58, 5340, "Fever"}}
	groups := [][]int32{{0, 1, 4, 5}, {2, 3}}
	codes := map[string]equivclass.Code{"HIV": 0, "Flu": 1, "Fever": 2}
	p := &equivclass.Pool{Space: &equivclass.Space{}}
	for _, x := range all {
		p.SA = append(p.SA, codes[x.disease])
	}
	for _, g := range groups {
		require.True(t, sensitiveTo(equivclass.Requirement{K: 2, L: 1}, 2).Holds(p.Bag(g)))
	}
	area := (40.0 - 20) / (60 - 20) * (2000.0 - 1000) / (6000 - 1000)
	require.InDelta(t, 0.1, area, 1e-15)
	require.InDelta(t, 0.2, area*float64(countOf(p.Bag(groups[0]), codes["Fever"])), 1e-15)
	actual := 0
	for _, x := range all {
		if x.disease == "Fever" && x.age <= 40 && x.zip >= 1000 && x.zip <= 2000 {
			actual++
		}
	}
	require.Zero(t, actual)
}
