package audit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// l2Mutation damages the standard chain of level L2: in the plan (what is born in
// which class and bucket; everything else stays true), or in what a release shows and
// says (hashes follow).
type l2Mutation struct {
	name string
	want string   // kind, reported by the audit of the chain and by the gate
	only []string // recodings; nil: all
	plan func(p *l2Plan)
	edit func(r *testParts) // every release
}

// at edits one release, since all from that one on.
func at(number int, f func(r *testParts)) func(*testParts) {
	return func(r *testParts) {
		if r.number == number {
			f(r)
		}
	}
}

func since(number int, f func(r *testParts)) func(*testParts) {
	return func(r *testParts) {
		if r.number >= number {
			f(r)
		}
	}
}

// early edits the releases whose first part is that of release 1.
func early(number int, f func(r *testParts)) func(*testParts) {
	return since(number, func(r *testParts) {
		if r.number < 4 {
			f(r)
		}
	})
}

func privacy(r *testParts) map[string]any { return r.man["privacy"].(map[string]any) }
func policy(r *testParts) map[string]any  { return r.man["policy"].(map[string]any) }

// rebucket gives rows of data.csv another bucket.
func rebucket(p *testPart, which func(row []string) bool, bucket int) {
	for _, row := range p.tables["data.csv"][1:] {
		if which(row) {
			row[len(row)-1] = strconv.Itoa(bucket)
		}
	}
}

// aged are the rows of people of some age, which tells classes apart in every
// recoding: each has four years of its own.
func aged(from, to int) func(row []string) bool {
	return func(row []string) bool {
		first, _, _ := strings.Cut(strings.Trim(row[0], "[]"), ",")
		n, _ := strconv.Atoi(first)
		return from <= n && n < to
	}
}

// inStrata makes the chain one of people who are observed before they are published.
func inStrata(p *l2Plan) { p.strata = []string{"plain", "updated", "plain", "fault+older"} }

// In part-000001 class 1 has ages 20..23 and class 3 has 28..31; they are bucket 1
// (a x4, b x2, c x2). Class 2 has 24..27 and is bucket 2 (a b c d).
func part1(r *testParts) *testPart { return r.parts[0] }

// swapDrawn exchanges the values of two rows of data.csv and sorts the rows of each class.
func swapDrawn(p *testPart, x, y int) {
	rows := p.tables["data.csv"]
	rows[x][3], rows[y][3] = rows[y][3], rows[x][3]
	slices.SortStableFunc(rows[1:], func(a, b []string) int {
		m, _ := strconv.Atoi(a[4])
		n, _ := strconv.Atoi(b[4])
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a[3], b[3]))
	})
}

// drawnIn finds a row of permutation in a bucket.
func drawnIn(p *testPart, bucket string, which func(row []string) bool) int {
	return slices.IndexFunc(p.tables["data.csv"], func(row []string) bool { return row[5] == bucket && which(row) })
}

// In the compaction of release 4, class 4 and 5 (ages 32..35) are bucket 3 and class 6
// (ages 40..43) is bucket 4.
var l2Mutations = []l2Mutation{
	{name: "class of k+1", want: format.KindClassAboveK, plan: func(p *l2Plan) {
		p.births[1][1][0] = append(p.births[1][1][0], p.add(2, "e")...)
		p.alike(p.births[1][1][0][4:], p.births[1][1][0])
	}},
	{name: "class of k-1", want: format.KindClassBelowK, plan: func(p *l2Plan) { p.births[1][0][0] = p.births[1][0][0][1:] }},
	{name: "class of 2k", want: format.KindClassAboveK, plan: func(p *l2Plan) {
		b := &p.births[1][0]
		*b = [][]int{slices.Concat((*b)[0], (*b)[1])}
	}},
	{name: "fewer people than a pool has", want: format.KindBirthBelowPool, edit: since(1, func(r *testParts) { policy(r)["min_pool"] = 8 })},
	{name: "a first pool that is too small", want: format.KindBirthBelowPool, edit: at(1, func(r *testParts) {
		r.man["initial_min_pool"] = 16
	})},
	{name: "l of 1", want: format.KindPromisesNothing, edit: since(1, func(r *testParts) { policy(r)["l"] = 1 })},
	{name: "a time finer than a second", want: format.KindNotCanonical, edit: at(3, func(r *testParts) {
		r.man["created_at"] = "2026-11-20T00:00:00.25Z"
	})},
	{name: "a time of another zone", want: format.KindNotCanonical, edit: at(3, func(r *testParts) {
		r.man["created_at"] = "2026-11-20T02:00:00+02:00"
	})},
	{name: "l broken in a bucket", want: format.KindValueAboveL, plan: func(p *l2Plan) {
		for _, i := range p.births[1][1][0] {
			p.people[i].value = "c"
		}
	}},
	{name: "rule D broken", want: format.KindDifference, plan: func(p *l2Plan) {
		for _, b := range p.births[3] {
			for _, i := range b[0] {
				p.people[i].value = "a"
			}
		}
	}},
	{name: "distinct values", want: format.KindPrinciple, edit: declare(map[string]any{"kind": "distinct", "l": 3})},
	{name: "entropy", want: format.KindPrinciple, edit: declare(map[string]any{"kind": "entropy", "l": 2.5})},
	{name: "recursive", want: format.KindPrinciple, edit: declare(map[string]any{"kind": "recursive", "l": 2, "c": 1.0})},
	{name: "t-closeness", want: format.KindPrinciple, edit: declare(map[string]any{"kind": "t", "t": .2, "distance": "equal", "declared": true,
		"reference": []map[string]any{{"value": "a", "count": 1}, {"value": "b", "count": 1}}})},
	{name: "reference of t-closeness", want: format.KindReference, edit: declare(map[string]any{"kind": "t", "t": 1, "distance": "equal",
		"reference": []map[string]any{{"value": "a", "count": 1}, {"value": "b", "count": 1}}})},
	{name: "count off by one", want: format.KindBucketSize, edit: early(1, func(r *testParts) {
		part1(r).tables["values.csv"][2][3] = "3"
	})},
	{name: "people of a bucket off by one", want: format.KindBucketSize, edit: early(1, func(r *testParts) {
		part1(r).tables["buckets.csv"][1][2] = "9"
	})},
	{name: "a bag moved between buckets", want: format.KindBucketSize, edit: early(1, func(r *testParts) {
		bags(part1(r), "1 a 1", "1 b 1", "1 c 1", "1 d 1", "2 a 4", "2 b 2", "2 c 2")
	})},
	{name: "two values moved between buckets", want: format.KindDrawnValues, only: []string{"permutation"}, edit: early(1, func(r *testParts) {
		bags(part1(r), "1 a 3", "1 b 2", "1 c 2", "1 d 1", "2 a 2", "2 b 1", "2 c 1")
	})},
	{name: "two strata in a pool", want: format.KindStrataMixed, plan: inStrata, edit: early(1, func(r *testParts) {
		part1(r).tables["buckets.csv"][1][3] = "updated"
	})},
	{name: "strata and no time of observation", want: format.KindExtraColumn, plan: inStrata, edit: since(1, func(r *testParts) {
		delete(privacy(r), "settle")
		delete(privacy(r), "updates")
	})},
	{name: "another time of observation", want: format.KindContractChanged, plan: inStrata, edit: since(2, func(r *testParts) {
		privacy(r)["settle"] = "30d"
	})},
	{name: "updates are applied from here on", want: format.KindContractChanged, plan: inStrata, edit: at(1, func(r *testParts) {
		privacy(r)["updates"] = "refuse"
	})},
	{name: "a pool's bag off by one", want: format.KindPoolBag, edit: early(1, func(r *testParts) {
		part1(r).tables["pools.csv"][1][3] = "4"
	})},
	{name: "a sub-pool's bag taken for the pool's", want: format.KindPoolBag, edit: early(1, func(r *testParts) {
		part1(r).tables["pools.csv"] = append(part1(r).tables["pools.csv"][:1:1], strings.Fields("1 illness a 4"),
			strings.Fields("1 illness b 2"), strings.Fields("1 illness c 2"))
	})},
	{name: "pool number that persists", want: format.KindPoolNumbers, edit: since(2, func(r *testParts) {
		own := r.parts[len(r.parts)-1].tables
		for _, row := range own["buckets.csv"][1:] {
			row[1] = "2"
		}
		for _, row := range own["pools.csv"][1:] {
			row[0] = "2"
		}
	})},
	{name: "bucket without class", want: format.KindBucketEmpty, edit: early(1, func(r *testParts) {
		bags(part1(r), "1 a 4", "1 b 2", "1 c 2", "2 a 1", "2 b 1", "2 c 1", "2 d 1", "3 a 1", "3 b 1")
	})},
	{name: "class in two buckets", want: format.KindBucketSplitsClass, edit: early(1, func(r *testParts) {
		row := part1(r).tables["data.csv"][6]
		row[len(row)-1] = "1"
	})},
	{name: "bucket number that persists", want: format.KindBucketNumbers, edit: early(1, func(r *testParts) {
		rebucket(part1(r), aged(24, 28), 9)
		bags(part1(r), "1 a 4", "1 b 2", "1 c 2", "9 a 1", "9 b 1", "9 c 1", "9 d 1")
	})},
	{name: "buckets in another order", want: format.KindBucketOrder, edit: early(1, func(r *testParts) {
		rebucket(part1(r), aged(24, 28), 3)
		rebucket(part1(r), aged(20, 32), 2)
		rebucket(part1(r), aged(24, 28), 1)
		bags(part1(r), "1 a 1", "1 b 1", "1 c 1", "1 d 1", "2 a 4", "2 b 2", "2 c 2")
	})},
	{name: "classes in another order", want: format.KindClassOrder, edit: early(1, func(r *testParts) {
		rows := part1(r).tables["data.csv"][1:]
		for i := range 4 {
			for j := range rows[i] {
				if j != len(rows[i])-2 {
					rows[i][j], rows[i+8][j] = rows[i+8][j], rows[i][j]
				}
			}
		}
	})},
	{name: "rows in insertion order", want: format.KindRowOrder, only: []string{"anatomy", "permutation"}, edit: early(1, func(r *testParts) {
		rows := part1(r).tables["data.csv"]
		for i := range slices.Backward(rows[2:]) {
			if n := len(rows[0]) - 2; rows[i+1][n] == rows[i+2][n] && strings.Join(rows[i+1], ",") != strings.Join(rows[i+2], ",") {
				rows[i+1], rows[i+2] = rows[i+2], rows[i+1]
				return
			}
		}
		panic("nothing to swap")
	})},
	{name: "values of a bucket in insertion order", want: format.KindRowOrder, edit: early(1, func(r *testParts) {
		b := part1(r).tables["values.csv"]
		b[1], b[2] = b[2], b[1]
	})},
	{name: "column of ids", want: format.KindExtraColumn, edit: early(1, func(r *testParts) {
		rows := part1(r).tables["data.csv"]
		for i := range rows {
			rows[i] = append(rows[i], "id"+strconv.Itoa(i))
		}
	})},
	{name: "rows of a class with different cells", want: format.KindMixedCells, only: []string{"buckets"}, edit: early(1, func(r *testParts) {
		part1(r).tables["data.csv"][1][0] = "[19,23]"
	})},

	{name: "bucket divided later", want: format.KindBucketRefined, edit: early(2, func(r *testParts) {
		rebucket(part1(r), aged(28, 32), 3)
		bags(part1(r), "1 a 4", "2 a 1", "2 b 1", "2 c 1", "2 d 1", "3 b 2", "3 c 2")
	})},
	{name: "class moved to another bucket later", want: format.KindBucketRegrouped, edit: early(3, func(r *testParts) {
		rebucket(part1(r), aged(28, 32), 2)
		bags(part1(r), "1 a 4", "2 a 1", "2 b 3", "2 c 3", "2 d 1")
	})},
	{name: "buckets joined later", want: format.KindBucketRegrouped, edit: early(3, func(r *testParts) {
		rebucket(part1(r), aged(20, 32), 1)
		bags(part1(r), "1 a 5", "1 b 3", "1 c 3", "1 d 1")
	})},
	{name: "classes exchange buckets later", want: format.KindBucketRegrouped, edit: early(3, func(r *testParts) {
		rebucket(part1(r), aged(28, 32), 3)
		rebucket(part1(r), aged(24, 28), 1)
		rebucket(part1(r), aged(28, 32), 2)
	})},
	{name: "bag changed later", want: format.KindBucketChanged, edit: early(3, func(r *testParts) {
		bags(part1(r), "1 a 3", "1 b 3", "1 c 2", "2 a 2", "2 c 1", "2 d 1")
	})},
	{name: "value swapped across buckets later", want: format.KindPartChanged, only: []string{"permutation"}, edit: early(3,
		func(r *testParts) {
			swapDrawn(part1(r), drawnIn(part1(r), "2", func(row []string) bool { return row[3] == "d" }), 1)
		})},
	{name: "value swapped across buckets", want: format.KindDrawnValues, only: []string{"permutation"}, edit: early(1,
		func(r *testParts) {
			swapDrawn(part1(r), drawnIn(part1(r), "2", func(row []string) bool { return row[3] == "d" }), 1)
		})},
	{name: "value swapped inside a bucket later", want: format.KindPartChanged, only: []string{"permutation"}, edit: early(3,
		func(r *testParts) {
			x := drawnIn(part1(r), "1", func(row []string) bool { return aged(20, 24)(row) && row[3] != "a" })
			y := drawnIn(part1(r), "1", func(row []string) bool { return aged(28, 32)(row) && row[3] == "a" })
			swapDrawn(part1(r), x, y)
		})},
	{name: "bucket that crosses births", want: format.KindBucketCrossesBirth, edit: at(4, func(r *testParts) {
		rebucket(part1(r), aged(40, 44), 2)
		bags(part1(r), "1 a 4", "1 b 2", "1 c 2", "2 a 1", "2 b 1", "2 c 3", "2 d 3", "3 a 2", "3 b 2", "3 e 2", "3 f 2")
	})},
	{name: "compaction divides a bucket", want: format.KindBucketRefined, edit: at(4, func(r *testParts) {
		rebucket(part1(r), aged(28, 32), 5)
		bags(part1(r), "1 a 4", "2 a 1", "2 b 1", "2 c 1", "2 d 1", "3 a 2", "3 b 2", "3 e 2", "3 f 2", "4 c 2", "4 d 2", "5 b 2", "5 c 2")
	})},
	{name: "compaction changes a bag", want: format.KindBucketChanged, edit: at(4, func(r *testParts) {
		b := part1(r).tables["values.csv"]
		b[1][3], b[2][3] = "3", "3"
	})},
	{name: "compaction changes a drawn value", want: format.KindCompaction, only: []string{"permutation"}, edit: at(4, func(r *testParts) {
		part1(r).tables["data.csv"][1][3] = "b"
	})},
	{name: "compaction changes the bag of a pool", want: format.KindCompaction, edit: at(4, func(r *testParts) {
		part1(r).tables["pools.csv"][1][3] = "9"
	})},
	{name: "compaction joins pools", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		for _, row := range part1(r).tables["buckets.csv"][1:] {
			row[1] = "1"
		}
		var lines []string
		for _, row := range part1(r).tables["values.csv"][1:] {
			lines = append(lines, row[0]+" "+row[2]+" "+row[3])
		}
		bags(part1(r), lines...)
	})},
	{name: "compaction under a wrong first pool", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		part1(r).replaces[1]["first_pool"] = 3
	})},
	{name: "part with another number of pools", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		part1(r).replaces[0]["pools"], part1(r).replaces[1]["first_pool"], part1(r).replaces[1]["pools"] = 2, 3, 0
	})},
	{name: "compaction under a wrong first bucket", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		part1(r).replaces[1]["first_bucket"] = 4
	})},
	{name: "compaction under a wrong number of buckets", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		part1(r).replaces[0]["buckets"], part1(r).replaces[1]["first_bucket"], part1(r).replaces[1]["buckets"] = 3, 4, 1
	})},
	{name: "compaction with a bucket too many", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		part1(r).replaces[1]["buckets"] = 3
	})},
	{name: "compaction that says nothing of buckets", want: format.KindFirstBucket, edit: at(4, func(r *testParts) {
		for _, x := range part1(r).replaces {
			delete(x, "first_bucket")
			delete(x, "buckets")
			delete(x, "first_pool")
			delete(x, "pools")
		}
	})},
	{name: "fewer stale people than before", want: format.KindStale, edit: stale(map[int][][2]int{2: {{1, 2}, {2, 1}}, 3: {{1, 1}, {2, 1}}})},
	{name: "nobody is stale any more", want: format.KindStale, edit: stale(map[int][][2]int{3: {{2, 1}}})},
	{name: "more stale people than the bucket has", want: format.KindStale, edit: stale(map[int][][2]int{3: {{2, 5}}, 4: {{2, 5}}})},
	{name: "stale people of no bucket", want: format.KindStale, edit: stale(map[int][][2]int{3: {{3, 1}}, 4: {{3, 1}}})},
	{name: "stale buckets in another order", want: format.KindStale, edit: stale(map[int][][2]int{3: {{2, 1}, {1, 1}}, 4: {{1, 1}, {2, 1}}})},
	{name: "a bucket of which nobody is stale", want: format.KindStale, edit: stale(map[int][][2]int{3: {{2, 0}}})},
	{name: "dead class", want: format.KindDeadNotPure, edit: at(3, func(r *testParts) { part1(r).dead = []int{1} })},

	{name: "L2 claimed with a given seed", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { r.man["seeded"] = true })},
	{name: "L2 claimed of a pool that grew", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { privacy(r)["grown"] = true })},
	{name: "level of rows", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { privacy(r)["level"] = "rows" })},
	{name: "less claimed than there is", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { privacy(r)["level"] = "L0+L1" })},
	{name: "a seed given later", want: format.KindContractChanged, edit: since(3, func(r *testParts) {
		r.man["seeded"], privacy(r)["level"] = true, "L0+L1"
	})},
	{name: "a pool that grew is forgotten", want: format.KindContractChanged, edit: func(r *testParts) {
		if r.number < 3 {
			privacy(r)["grown"], privacy(r)["level"] = true, "L0+L1"
		}
	}},
	{name: "smaller pools later", want: format.KindContractChanged, edit: since(2, func(r *testParts) { policy(r)["min_pool"] = 1 })},
	{name: "regroup", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { policy(r)["republication"] = "regroup" })},
	{name: "sticky", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { policy(r)["subject_repeat"] = "sticky" })},
	{name: "certificate", want: format.KindCertificateFalse, edit: since(1, func(r *testParts) { privacy(r)["certificate"] = "frozen+pure" })},
	{name: "k1", want: format.KindClaimFalse, edit: since(1, func(r *testParts) { privacy(r)["k1"] = "none" })},
	{name: "values drawn or not", want: format.KindClaimFalse, edit: since(1, func(r *testParts) {
		if r.man["values"] == nil {
			r.man["values"] = "drawn"
		} else {
			delete(r.man, "values")
		}
	})},
	{name: "number of buckets", want: format.KindCountMismatch, edit: since(1, func(r *testParts) { r.man["buckets"] = 1 })},
	{name: "largest share", want: format.KindCountMismatch, edit: since(1, func(r *testParts) { privacy(r)["max_frequency"] = .25 })},
	{name: "other level, and back", want: format.KindContractChanged, edit: at(2, func(r *testParts) {
		delete(policy(r), "level")
		delete(r.man, "buckets")
		delete(r.man, "values")
		r.man["recoding"], privacy(r)["level"] = "generalization", "L0+L1"
	})},
	{name: "other recoding of the level", want: format.KindContractChanged, edit: at(3, func(r *testParts) {
		r.man["recoding"] = map[string]string{"buckets": "anatomy", "anatomy": "buckets", "permutation": "buckets"}[r.man["recoding"].(string)]
	})},
}

// stale has the first part of releases say who is stale.
func stale(by map[int][][2]int) func(*testParts) {
	return func(r *testParts) { part1(r).stale = by[r.number] }
}

// TestStaleIsSound: numbers that only grow, and go on with the buckets into a compaction, are no fault.
func TestStaleIsSound(t *testing.T) {
	inL2(t, func(t *testing.T, recoding string) {
		p := standardL2(recoding)
		p.edit = stale(map[int][][2]int{2: {{1, 2}}, 3: {{1, 8}, {2, 1}}, 4: {{1, 8}, {2, 1}, {4, 1}}, 5: {{1, 8}, {2, 1}, {4, 1}}})
		r, refused := p.check(t, p.write(t))
		require.Empty(t, r.Violations)
		require.Empty(t, refused)
	}, "buckets")
}

func declare(principle map[string]any) func(*testParts) {
	return since(1, func(r *testParts) { policy(r)["diversity"] = []any{principle} })
}

// TestL2Mutations: each damage is reported under its own kind, by the audit of the
// chain, with exports and without, and by the gate.
func TestL2Mutations(t *testing.T) {
	if testing.Short() {
		t.Skip("it audits many broken chains")
	}
	for _, m := range l2Mutations {
		t.Run(m.name, func(t *testing.T) {
			inL2(t, func(t *testing.T, recoding string) {
				p := standardL2(recoding)
				if m.plan != nil {
					m.plan(p)
				}
				p.edit = m.edit
				o := p.write(t)
				r, refused := p.check(t, o)
				require.Equal(t, verdictViolated, r.Verdict)
				require.Contains(t, kinds(r.Violations), m.want)
				require.Contains(t, kinds(refused), m.want)
				o.Members, o.Records = "", ""
				public, err := Dir(o)
				require.NoError(t, err)
				require.Contains(t, kinds(public.Violations), m.want)
			}, m.only...)
		})
	}
}
