package views

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
)

// memoryPart is the files of a part as rows.
type memoryPart map[string][][]string

func (p memoryPart) open(file string) (io.ReadCloser, error) {
	var out []byte
	for _, row := range p[file] {
		out = snapshot.AppendRow(out, row)
	}
	return io.NopCloser(bytes.NewReader(out)), nil
}

type memoryFile struct{ bytes.Buffer }

func (*memoryFile) Close() error { return nil }

// shownPart is a part of a release of which a view shows q1, a and b, and not q2 and hidden: classes, buckets and pools that look alike in
// the view, and differ in what it leaves out. With histories two pools look alike
// but for their strata.
func shownPart(r *rand.Rand, c *columns) (memoryPart, snapshot.PartEntry) {
	p := memoryPart{
		snapshot.DataName:    {{"q1", "q2", "class", "bucket"}},
		snapshot.ValuesName:  {c.of.BagColumns("bucket")},
		snapshot.PoolsName:   {c.of.BagColumns("pool")},
		snapshot.BucketsName: {c.of.BucketsColumns()},
		snapshot.TablesName:  {{"pool", "attribute", "value", "with", "with_value", "count"}},
	}
	buckets, class := 6+r.IntN(4), 0
	pools := map[int]map[string]int{}
	histories := c.of.Privacy.MaxRecords > 0
	if histories {
		buckets = 8
	}
	counted := func(number int, of string, n int) []string {
		row := append([]string{strconv.Itoa(number)}, strings.Split(of, " ")...)
		if histories {
			row = append(row, strings.Repeat("z", len(of)%2)) // a second record of some
		}
		return append(row, strconv.Itoa(n))
	}
	for b := 1; b <= buckets; b++ {
		pool, classes, other := 1+r.IntN(3), 1+r.IntN(2), []string{"y", "z"}[r.IntN(2)]
		if histories {
			pool, classes, other = 1+b/2%2, 1, "y"
		}
		for range classes {
			class++
			for range 2 {
				p[snapshot.DataName] = append(p[snapshot.DataName], []string{strconv.Itoa(10 * (class % 2)), strconv.Itoa(r.IntN(9)),
					strconv.Itoa(class), strconv.Itoa(b)})
			}
		}
		p[snapshot.BucketsName] = append(p[snapshot.BucketsName], []string{strconv.Itoa(b), strconv.Itoa(pool), strconv.Itoa(2 * classes)})
		if histories {
			last := &p[snapshot.BucketsName][b]
			*last = append(*last, []string{"2", "2+updated"}[pool%2], "2")
		}
		if pools[pool] == nil {
			pools[pool] = map[string]int{}
		}
		for _, a := range []string{"a", "b", "hidden"} {
			for v, n := range map[string]int{"x": classes, other: classes} {
				p[snapshot.ValuesName] = append(p[snapshot.ValuesName], counted(b, a+" "+v, n))
				pools[pool][a+" "+v] += n
			}
		}
	}
	numbers := map[int]int{}
	for pool := 1; pool <= 3; pool++ {
		if pools[pool] == nil {
			continue
		}
		numbers[pool] = len(numbers) + 1
		for of, n := range pools[pool] {
			p[snapshot.PoolsName] = append(p[snapshot.PoolsName], counted(numbers[pool], of, n))
		}
		p[snapshot.TablesName] = append(p[snapshot.TablesName], []string{strconv.Itoa(numbers[pool]), "a", "x", "b", "x", "1"},
			[]string{strconv.Itoa(numbers[pool]), "a", "x", "hidden", "x", strconv.Itoa(pool)})
	}
	for _, row := range p[snapshot.BucketsName][1:] {
		pool, _ := strconv.Atoi(row[1])
		row[1] = strconv.Itoa(numbers[pool])
	}
	return p, snapshot.PartEntry{Part: "part-000001", Release: 1, Classes: class, Buckets: buckets, Pools: len(numbers)}
}

// renumbered gives classes, buckets and pools of a part other numbers, and its rows another order: what the view leaves out could be so.
func renumbered(r *rand.Rand, p memoryPart, e snapshot.PartEntry) memoryPart {
	class, bucket, pool := r.Perm(e.Classes), r.Perm(e.Buckets), r.Perm(e.Pools)
	number := func(text string, by []int) string {
		n, _ := strconv.Atoi(text)
		return strconv.Itoa(by[n-1] + 1)
	}
	out := memoryPart{}
	for name, rows := range p {
		for i, row := range rows {
			if row = slices.Clone(row); i > 0 {
				switch name {
				case snapshot.DataName:
					row[2], row[3] = number(row[2], class), number(row[3], bucket)
				case snapshot.ValuesName:
					row[0] = number(row[0], bucket)
				case snapshot.BucketsName:
					row[0], row[1] = number(row[0], bucket), number(row[1], pool)
				default:
					row[0] = number(row[0], pool)
				}
			}
			out[name] = append(out[name], row)
		}
		r.Shuffle(len(rows)-1, func(i, j int) { out[name][i+1], out[name][j+1] = out[name][j+1], out[name][i+1] })
	}
	return out
}

func shownColumns(histories bool) *columns {
	m := &snapshot.Manifest{}
	if histories {
		m.Privacy.Settle, m.Privacy.MaxRecords = "90d", 2
	}
	of := func(name string, role equivclass.Role, typ equivclass.Type, at int) column {
		return column{SchemaEntry: snapshot.SchemaEntry{Name: name, Role: role, Type: typ}, of: equivclass.Attribute{Type: typ}, at: at,
			shown: true}
	}
	return &columns{of: m, quasi: []column{of("q1", equivclass.Quasi, equivclass.Integer, 0)}, sensitive: []column{
		of("a", equivclass.Sensitive, equivclass.Categorical, 0), of("b", equivclass.Sensitive, equivclass.Categorical, 0)}}
}

// made are the bytes of a part of the view.
func made(t *testing.T, c *columns, p memoryPart, e snapshot.PartEntry) string {
	t.Helper()
	pairs := [][]string{{"a", "b"}}
	if c.of.Privacy.MaxRecords > 0 {
		pairs = nil
	}
	x, err := load(c, pairs, false, p.open)
	require.NoError(t, err)
	files := map[string]*memoryFile{}
	entry, err := x.write(e, 1, func(name string) (io.WriteCloser, error) {
		files[path.Base(name)] = &memoryFile{}
		return files[path.Base(name)], nil
	})
	require.NoError(t, err)
	out := fmt.Sprint(entry)
	for _, name := range []string{snapshot.DataName, snapshot.ValuesName, snapshot.PoolsName, snapshot.BucketsName, snapshot.TablesName} {
		if files[name] == nil {
			continue
		}
		out += "\n" + name + "\n" + files[name].String()
	}
	return out
}

// TestNumbersFollowFromWhatIsShown: whatever the release's numbers and the order of its rows are, which follow from what the view leaves
// out, a view has the same bytes. So its recipient learns nothing from numbers, order and ties. A view that kept the release's numbers, or
// broke ties of buckets or pools by them, fails here.
func TestNumbersFollowFromWhatIsShown(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 36))
	for round := range 300 {
		c := shownColumns(round%3 == 0)
		p, e := shownPart(r, c)
		want := made(t, c, p, e)
		for range 3 {
			require.Equal(t, want, made(t, c, renumbered(r, p, e), e), "round %d", round)
		}
		if round%3 == 0 {
			require.Contains(t, want, "\nbucket,pool,people,stratum,records\n")
			require.Regexp(t, `\n\d,[ab],[xyz],z,\d\n`, want)
			require.Regexp(t, `\n\d,\d,\d,2(\+updated)?,2\n`, want)
		}
	}
}

// TestPrivateNumbersAreFound: the test above fails for a view that orders by the numbers of the release.
func TestPrivateNumbersAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 36))
	private := func(p memoryPart) string { // as they are in the release
		x, err := load(shownColumns(false), nil, false, p.open)
		require.NoError(t, err)
		out := ""
		for n := 1; n <= len(x.buckets); n++ {
			out += fmt.Sprint(x.lists(x.buckets[n].bags))
		}
		return out
	}
	for range 20 {
		p, e := shownPart(r, shownColumns(false))
		if private(p) != private(renumbered(r, p, e)) {
			return
		}
	}
	require.Fail(t, "no renumbering was seen")
}

// TestCellsContainThoseOfTheRelease: integers, decimals and dates, cells of the release as points and as intervals, at the ends of the
// type, too.
func TestCellsContainThoseOfTheRelease(t *testing.T) {
	for _, x := range []struct {
		typ          equivclass.Type
		digits       int
		by, cell, is string
	}{
		{equivclass.Integer, 0, "10", "42", "[40,49]"}, {equivclass.Integer, 0, "10", "[38,41]", "[30,49]"},
		{equivclass.Integer, 0, "10", "[-3,-1]|?", "[-10,-1]|?"}, {equivclass.Integer, 0, "1", "42", "42"},
		{equivclass.Integer, 0, "10", "?", "?"}, {equivclass.Integer, 0, "10", "7|?", "[0,9]|?"},
		{equivclass.Decimal, 1, "5", "5", "[5,10]"}, {equivclass.Decimal, 1, "5", "[5,10]", "[5,10]"},
		{equivclass.Decimal, 1, "5", "[4.9,10.1]", "[0,15]"}, {equivclass.Date, 0, "3650", "9999-12-30", "[9994-09-02,9999-12-31]"},
	} {
		c := column{SchemaEntry: snapshot.SchemaEntry{Name: "q", Type: x.typ, Digits: x.digits}}
		require.NoError(t, c.open(nil))
		require.True(t, c.coarsen(x.by))
		require.Equal(t, x.is, c.read(x.cell).text, "%s by %s", x.cell, x.by)
		require.Equal(t, x.is, c.read(x.is).text, "a cell of the view is its own")
	}
}

// TestLevelsOfUnevenHierarchies: levels count from the leaves of the longest line; a label of that level or above stays.
func TestLevelsOfUnevenHierarchies(t *testing.T) {
	file := "1010;101x;10xx;*\n1011;101x;10xx;*\n1020;102x;10xx;*\nfar;*\nnear;around;*\n"
	c := column{SchemaEntry: snapshot.SchemaEntry{Name: "zip", Type: equivclass.Categorical,
		Hierarchy: &snapshot.HierarchyEntry{File: "hierarchies/zip.csv"}}, shown: true}
	require.NoError(t, c.open(func(string) ([]byte, error) { return []byte(file), nil }))
	require.True(t, c.lift("level 2"))
	for from, to := range map[string]string{"1010": "10xx", "102x": "10xx", "10xx": "10xx", "*": "*", "far": "far", "near": "around"} {
		require.Equal(t, to, c.read(from).text, from)
	}
	require.False(t, c.lift("level 3"), "below the root there is none")
	require.InDelta(t, 1, c.loss(map[string]int{"*": 1}), 1e-9)
	require.InDelta(t, .5, c.loss(map[string]int{"10xx": 1}), 1e-9)
}
