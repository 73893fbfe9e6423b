package permutation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/internal/ops/chart"
	"anond/lab/bucketize"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

// figure5 is the seconds from the records to the two published tables.
// One run each, as a person waits for it; other work on the machine shows.
func figure5(ctx context.Context, in figures.Input) (*figures.Result, error) {
	sizes := allSizes(in)
	whole := dataset.Generated(dataset.Census(), int(sizes[len(sizes)-1]), in.Seed)
	r := &figures.Result{Notes: []string{
		noteDefaults + " d = 5.",
		"Timed are the partition, the permutations (ChaCha8) and the columns in their new order; reading and writing files is not.",
	}}
	var all [][][]float64
	for i, view := range []func(*equivclass.Table, int) paperTable{occ, sal} {
		seconds := make([][]float64, len(timed))
		var name string
		for _, n := range sizes {
			t := view(dataset.First(whole, int(n)), 5)
			name = t.name
			for m, method := range timed {
				in.Step(fmt.Sprintf("%s, n = %v, %s", t.name, n, method.name))
				start := time.Now()
				t.publish(method.partitioner, in.Seed, method.permute)
				seconds[m] = append(seconds[m], time.Since(start).Seconds())
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
		}
		r.Panels = append(r.Panels, timePanel(string(rune('a'+i)), name, sizes, seconds))
		all = append(all, seconds)
	}
	r.Claims = timeClaims(sizes, all)
	return r, nil
}

// timed are the methods that are timed; anatomy first, permutation second.
var timed = []struct {
	name        string
	partitioner equivclass.Partitioner
	permute     bool
}{
	{"anatomy", bucketize.Anatomy{}, false},
	{"permutation", bucketize.Permutation{}, true},
	{"permutation-near (ours)", bucketize.PermutationNear{}, true},
}

// publish makes the published tables of a partition in memory.
func (t paperTable) publish(m equivclass.Partitioner, seed uint64, permute bool) [][]equivclass.Code {
	groups, _ := m.Partition(t.pool, equivclass.Requirement{K: 1, L: usualL})
	if !permute {
		return query.NewBlockRelease(t.table.Dicts, t.table.Codes, groups, anatomyBlocks(t.sensitive()+1)).Codes
	}
	var key [32]byte
	key[0], key[1] = byte(seed), byte(seed>>8)
	places := bucketize.Permute(groups, t.sensitive()+1, rand.NewChaCha8(key))
	out := make([][]equivclass.Code, len(places.From))
	for j, from := range places.From {
		out[j] = make([]equivclass.Code, len(from))
		for i, r := range from {
			out[j][i] = t.table.Codes[j][r]
		}
	}
	return out
}

func timePanel(name, table string, sizes []float64, seconds [][]float64) figures.Panel {
	var lines []*figures.Series
	var rows [][]string
	highest := 0.0
	for m, method := range timed {
		line := &figures.Series{Name: method.name, Timed: true}
		for i, n := range sizes {
			line.Append(n, seconds[m][i])
			highest = max(highest, seconds[m][i])
			rows = append(rows, []string{figures.Number(n, 6), method.name, strconv.FormatFloat(seconds[m][i], 'f', 3, 64)})
		}
		lines = append(lines, line)
	}
	p := figures.Draw(name, table, chart.Axis{Label: "records n"}, chart.Axis{Label: "seconds", Max: highest * 1.02}, lines)
	p.Header, p.Rows = []string{"records n", "method", "seconds"}, rows
	return p
}

// timeClaims judges the seconds, by table, method and size.
func timeClaims(sizes []float64, all [][][]float64) []figures.Claim {
	grows, slower, longest, text := true, true, 0.0, ""
	last := len(sizes) - 1
	for i, seconds := range all {
		for _, method := range []int{byAnatomy, byPermutation} {
			grows = grows && seconds[method][last] > seconds[method][0]
		}
		for n := range sizes {
			slower = slower && seconds[byPermutation][n] > seconds[byAnatomy][n]
			longest = max(longest, seconds[byPermutation][n])
		}
		text += fmt.Sprintf("%s%s at n = %v: anatomy %.2f s, permutation %.2f s (%.1f times), permutation-near %.2f s", separator(text),
			[]string{"OCC-5", "SAL-5"}[i], sizes[last],
			seconds[byAnatomy][last], seconds[byPermutation][last], seconds[byPermutation][last]/seconds[byAnatomy][last], seconds[timedNear][last])
	}
	return []figures.Claim{
		figures.NewClaim("The cost of both methods grows with n.", "",
			figures.Found(figures.If(grows), "Permutation's time goes with n^%.2f from the least n to the greatest, anatomy's with n^%.2f (OCC-5).",
				figures.Exponent(sizes, all[0][byPermutation]), figures.Exponent(sizes, all[0][byAnatomy]))),
		figures.NewClaim("Anatomy is the quicker one.", "", figures.Found(figures.If(slower), "%s.", text)),
		figures.NewClaim("Permutation finishes in less than 80 seconds at every size.", "",
			figures.Found(figures.If(longest < 80), "The longest run took %.1f s (on a newer machine than the paper's of 1.9 GHz).", longest)),
	}
}

// timedNear is the place of permutation-near in timed.
const timedNear = 2
