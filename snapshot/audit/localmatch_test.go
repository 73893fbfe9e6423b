package audit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown is a release by what matters to the matching: rows[class][row][attribute]
// is a bucket, content[attribute][bucket] names its bag.
type shown struct {
	rows    [][][]int
	content [][]int
}

func (x *shown) table(s *schema) *table {
	t := &table{m: len(x.rows), start: []uint32{0}, local: &localTable{attrs: make([]localBuckets, len(s.local))}}
	for _, rows := range x.rows {
		for _, row := range rows {
			for j := range s.local {
				b := &t.local.attrs[j]
				b.row = append(b.row, uint32(row[j])+1)
			}
		}
		t.start = append(t.start, t.start[len(t.start)-1]+uint32(len(rows)))
	}
	for j, content := range x.content {
		b := &t.local.attrs[j]
		b.m, b.size = len(content), make([]uint32, len(content))
		for _, c := range content {
			b.bag = append(b.bag, uint32(c))
		}
		for _, r := range b.row {
			b.size[r-1]++
		}
	}
	return t
}

// renumber gives the buckets other numbers.
func (x *shown) renumber(r *rand.Rand) *shown {
	out := &shown{}
	perm := make([][]int, len(x.content))
	for j, content := range x.content {
		perm[j] = r.Perm(len(content))
		moved := make([]int, len(content))
		for b, c := range content {
			moved[perm[j][b]] = c
		}
		out.content = append(out.content, moved)
	}
	for _, rows := range x.rows {
		var copied [][]int
		for _, row := range rows {
			fresh := make([]int, len(row))
			for j, b := range row {
				fresh[j] = perm[j][b]
			}
			copied = append(copied, fresh)
		}
		slices.SortFunc(copied, slices.Compare[[]int])
		out.rows = append(out.rows, copied)
	}
	return out
}

// matches tries every matching of buckets.
func (x *shown) matches(y *shown, attr int, to [][]int) bool {
	if attr == len(x.content) {
		for c, rows := range x.rows {
			var mapped [][]int
			for _, row := range rows {
				fresh := make([]int, len(row))
				for j, b := range row {
					fresh[j] = to[j][b]
				}
				mapped = append(mapped, fresh)
			}
			want := slices.Clone(y.rows[c])
			slices.SortFunc(mapped, slices.Compare[[]int])
			slices.SortFunc(want, slices.Compare[[]int])
			if !slices.EqualFunc(mapped, want, slices.Equal[[]int]) {
				return false
			}
		}
		return true
	}
	return x.permute(y, attr, to, nil)
}

func (x *shown) permute(y *shown, attr int, to [][]int, chosen []int) bool {
	if len(chosen) == len(x.content[attr]) {
		return x.matches(y, attr+1, append(slices.Clone(to), slices.Clone(chosen)))
	}
	for b, content := range y.content[attr] {
		if content == x.content[attr][len(chosen)] && !slices.Contains(chosen, b) && x.permute(y, attr, to, append(slices.Clone(chosen), b)) {
			return true
		}
	}
	return false
}

func randomShown(r *rand.Rand) *shown {
	x := &shown{content: make([][]int, 2)}
	n := 0
	for range 1 + r.IntN(3) {
		rows := make([][]int, 2+r.IntN(2))
		x.rows = append(x.rows, rows)
		n += len(rows)
	}
	for j := range x.content {
		var order []int
		for i := range n {
			order = append(order, i/2)
		}
		x.content[j] = make([]int, order[n-1]+1)
		for b := range x.content[j] {
			x.content[j][b] = r.IntN(2) * r.IntN(2)
		}
		r.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, rows := range x.rows {
			for i := range rows {
				rows[i] = append(rows[i], order[0])
				order = order[1:]
			}
		}
	}
	return x
}

// TestLocalMatchAgainstEveryMatching: buckets of few contents and few rows look
// alike all over; the auditor accepts the next release exactly if some matching
// of the buckets explains it.
func TestLocalMatchAgainstEveryMatching(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 5))
	same, other := 0, 0
	for range 3000 {
		s := &schema{local: []*localAttr{{name: "a", bags: newSetDict()}, {name: "b", bags: newSetDict()}}}
		x := randomShown(r)
		y := x.renumber(r)
		if r.IntN(3) > 0 { // rows exchange a bucket
			c, d := r.IntN(len(y.rows)), r.IntN(len(y.rows))
			a, b := y.rows[c][r.IntN(len(y.rows[c]))], y.rows[d][r.IntN(len(y.rows[d]))]
			j := r.IntN(2)
			a[j], b[j] = b[j], a[j]
		}
		want := x.matches(y, 0, nil)
		f := &faults{}
		was, fates := make([]uint32, len(x.rows)), make([]fate, len(x.rows))
		for c := range was {
			was[c], fates[c] = uint32(c)+1, fateUnchanged
		}
		checkLocalFrozen(s, x.table(s), &release{num: 2, tab: y.table(s)}, was, fates, f)
		require.Equal(t, want, len(f.list) == 0, "%+v %+v %+v", x, y, f.list)
		if want {
			same++
		} else {
			other++
		}
	}
	require.Greater(t, same, 500)
	require.Greater(t, other, 500)
}

// TestLocalMatchOfTwins: a large class whose buckets all look alike is matched
// without a search that grows with their number.
func TestLocalMatchOfTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 5))
	x := &shown{content: [][]int{make([]int, 300), make([]int, 200)}, rows: [][][]int{nil}}
	perm := r.Perm(600)
	for i := range 600 {
		x.rows[0] = append(x.rows[0], []int{i / 2, perm[i] / 3})
	}
	s := &schema{local: []*localAttr{{name: "a", bags: newSetDict()}, {name: "b", bags: newSetDict()}}}
	f := &faults{}
	checkLocalFrozen(s, x.table(s), &release{num: 2, tab: x.renumber(r).table(s)}, []uint32{1}, []fate{fateUnchanged}, f)
	require.Empty(t, f.list)
}

// TestLocalMatchOfManyTwins: many small parts, each of buckets that look alike.
func TestLocalMatchOfManyTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 5))
	x := &shown{content: make([][]int, 2)}
	const parts, rows = 300, 12
	for part := range parts {
		perm := r.Perm(rows)
		var class [][]int
		for i := range rows {
			class = append(class, []int{part*rows/2 + i/2, part*rows/3 + perm[i]/3})
		}
		x.rows = append(x.rows, class)
	}
	x.content[0], x.content[1] = make([]int, parts*rows/2), make([]int, parts*rows/3)
	s := &schema{local: []*localAttr{{name: "a", bags: newSetDict()}, {name: "b", bags: newSetDict()}}}
	was, fates := make([]uint32, parts), make([]fate, parts)
	for c := range was {
		was[c], fates[c] = uint32(c)+1, fateUnchanged
	}
	f := &faults{}
	checkLocalFrozen(s, x.table(s), &release{num: 2, tab: x.renumber(r).table(s)}, was, fates, f)
	require.Empty(t, f.list)
}
