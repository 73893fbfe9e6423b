package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// life is a generated script: what a machine is, and what happens to it.
type life struct {
	machine []string // its arguments
	steps   []step
	rough   bool // what is lost in a restart depends on the commits before
}

// step is a command, and the rows of input of an apply.
type step struct {
	line string
	rows []string
}

// generator draws a life.
type generator struct {
	rng      *rand.Rand
	l, k     int
	level2   bool
	least    bool // the first load has a least size
	large    bool // so many records that goroutines share the work
	waves    bool // at times one value is frequent, so that pools are quarantined
	made     int  // records
	fields   []func(where float64) string
	ticks    bool
	restarts float64
	parts    int
	rough    bool
	now      int64
	read     []int // records delivered, by partition
	people   int   // subjects are p0 to p(people-1); 0: records say nobody's name
	forgets  bool  // people are forgotten: by an operator, and by deletes of the source
	changes  bool  // the state is opened again under other settings
}

// newLife draws everything that a life may vary in: level, k and l, mode, further
// principles, settings at their edges, attributes and their kinds, recoding, size,
// skew, correlation of sensitive value and quasi-identifiers, subjects, values that
// are refused, batches, partitions, ticks, and at which points the process dies.
func newLife(seed uint64) *life {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0x11fe)), now: 100}
	g.level2 = g.rng.IntN(2) == 0
	g.large, g.waves = isLarge(seed), seed%10 == 3
	regroups := !g.level2 && g.rng.IntN(3) == 0 // small and flat
	args := g.size(regroups)
	args = append(args, g.attributes(regroups)...)
	switch {
	case g.level2:
		args = append(args, g.policyOfL2()...)
	default:
		args = append(args, g.policyOfL1(regroups)...)
	}
	args = append(args, g.policyOfBoth(regroups)...)
	g.restarts = []float64{0, 0.1, 0.5}[g.rng.IntN(3)]
	g.parts = 1 + g.rng.IntN(3)
	g.read = make([]int, g.parts)
	g.rough = g.rng.IntN(4) == 0
	g.forgets = g.people > 0 && g.rng.IntN(2) == 0
	g.changes = g.rng.IntN(4) == 0
	if g.people > 0 { // as shards have it
		args = append(args, g.maybe(4, "subject_key=shards")...)
	}
	return &life{machine: args, steps: g.steps(regroups), rough: g.rough}
}

func (g *generator) one(of ...string) string { return of[g.rng.IntN(len(of))] }

// maybe returns the argument once in n times.
func (g *generator) maybe(n int, format string, a ...any) []string {
	if g.rng.IntN(n) > 0 {
		return nil
	}
	return []string{fmt.Sprintf(format, a...)}
}

func (g *generator) size(regroups bool) []string {
	g.l = 2 + g.rng.IntN(4)
	g.k = g.l + g.rng.IntN(6)
	switch {
	case g.level2 && g.large: // small classes: so many that a pool divides into sub-pools
		g.l, g.k = 2, 2
	case g.level2:
		g.l = 2 + g.rng.IntN(2)
		g.k = g.l + g.rng.IntN(3)
	}
	if regroups {
		g.l, g.k = 2, 2*(1+g.rng.IntN(4))
	}
	return []string{fmt.Sprintf("k=%d", g.k), fmt.Sprintf("l=%d", g.l)}
}

func (g *generator) policyOfL1(regroups bool) (out []string) {
	if regroups || g.rng.IntN(3) > 0 {
		out = append(out, "republication=regroup", fmt.Sprintf("max_regroups=%d", []int{0, 1, 2, 2, 5, -1}[g.rng.IntN(6)]))
	}
	out = append(out, g.maybe(3, "initial=mondrian")...)
	if first := g.maybe(12, "initial_min=%d", 20+g.rng.IntN(80)); first != nil {
		g.least, out = true, append(out, first...)
	}
	return append(out, "recoding="+g.one("generalization", "generalization", "anatomy", "permutation"))
}

func (g *generator) policyOfL2() (out []string) {
	out = append(out, "level=L2", "recoding="+g.one("buckets", "buckets", "anatomy", "permutation"))
	out = append(out, g.maybe(4, "min_pool=%d", 1+g.rng.IntN(120))...)
	out = append(out, g.maybe(3, "on_update")...)
	return append(out, g.maybe(2, "on_refusal=%s", g.one("quarantine", "quarantine", "grow"))...)
}

func (g *generator) policyOfBoth(regroups bool) (out []string) {
	out = append(out, fmt.Sprintf("threshold=%d", 1+g.rng.IntN(g.k+3)), fmt.Sprintf("max_hold=%d", g.rng.IntN(6)),
		fmt.Sprintf("neighbours=%d", 1+g.rng.IntN(40)), fmt.Sprintf("similar=%d", 1+g.rng.IntN(10)))
	if g.ticks = g.rng.IntN(2) == 0; g.ticks {
		out = append(out, "hold_in=ticks")
	}
	if !regroups {
		out = append(out, g.maybe(8, "extra=(%s)", g.one("distinct/"+fmt.Sprint(min(g.l+1, g.k)), fmt.Sprintf("entropy/%d", g.l),
			fmt.Sprintf("recursive/3/%d", g.l)))...)
		if g.rng.IntN(6) == 0 {
			out = append(out, fmt.Sprintf("t=%.2f", 0.2+0.5*g.rng.Float64()))
			out = append(out, g.maybe(3, "reference=(v0:9,v1:8,v2:7,v3:6,v4:5,v5:4,v6:3,v7:2)")...)
		}
	}
	if !g.least {
		out = append(out, g.maybe(15, "initial_max=%d", 10+g.rng.IntN(80))...)
	}
	return append(out, g.maybe(25, "max_records=%d", 50+g.rng.IntN(100))...)
}

// attributes draws the schema, and how each field is made of a place in [0,1).
func (g *generator) attributes(regroups bool) (args []string) {
	dims := 1 + g.rng.IntN(4)
	if g.large {
		dims += 3
	}
	values := g.l*2 + g.rng.IntN(12)
	skew := g.rng.Float64()
	switch {
	case regroups:
		dims, values, skew = 1, 2+g.rng.IntN(2), skew/4
	case g.level2 && g.rng.IntN(3) == 0: // near what the promise allows
		values, skew = g.l+g.rng.IntN(3), 2*skew
	}
	if g.rng.IntN(2) == 0 {
		people := 1 + g.rng.IntN(900)
		if g.large {
			people *= 50
		}
		args, g.people = append(args, "subject"), people
		g.fields = append(g.fields, func(float64) string { return fmt.Sprintf("p%d", g.rng.IntN(people)) })
	}
	var kinds []string
	for range dims {
		kind := g.one("int", "int", "steps", "decimal", "date", "zone", "word")
		if g.large { // who is equal in all of them makes classes before the work is shared
			kind = "decimal"
		}
		kinds = append(kinds, kind)
		g.fields = append(g.fields, g.refusable(g.mixed(g.textOf(kind))))
	}
	args = append(args, "q=("+strings.Join(kinds, ",")+")")
	g.fields = append(g.fields, g.refusable(g.illness(values, skew)))
	return args
}
