package incremental_test

import (
	"fmt"
	"strings"

	"anond/snapshot/publish"
)

// row draws a record.
func (g *generator) row() string {
	where := g.rng.Float64()
	fields := make([]string, len(g.fields))
	for i, f := range g.fields {
		fields[i] = f(where)
	}
	return strings.Join(fields, "/")
}

// steps draws what happens: batches, between them commits, restarts and releases.
func (g *generator) steps(regroups bool) (out []step) {
	left, batch := 20+g.rng.IntN(200), 5+g.rng.IntN(50)
	switch {
	case g.large:
		left, batch = 7000+g.rng.IntN(3000), 4000+g.rng.IntN(2000) // more than Extract puts into one bucket
		if g.level2 {
			left += 1000
		}
	case g.rng.IntN(40) == 0:
		left, batch = 400+g.rng.IntN(800), 100+g.rng.IntN(200)
	case regroups:
		batch = 2 + g.rng.IntN(g.k+4)
	case g.level2:
		left, batch = left*2, batch*2
	}
	n := g.k * g.l * 3
	if g.large { // most of them in the first load
		n = 6400
	}
	for left > 0 {
		n += 1 + g.rng.IntN(2*batch)
		n = min(n, left)
		left -= n
		out = append(out, g.batch(n)...)
		out = append(out, g.forgotten()...)
		out = append(out, g.between()...)
		out = append(out, g.changed()...)
		n = 0
	}
	if g.rng.IntN(2) == 0 {
		out = append(out, step{line: "release end"})
	}
	return append(out, step{line: "audit"})
}

// batch delivers n records, in runs of one partition each.
func (g *generator) batch(n int) (out []step) {
	for n > 0 {
		part, s := g.rng.IntN(g.parts), step{}
		s.line = "apply"
		if g.parts > 1 {
			s.line = fmt.Sprintf("apply partition=%d", part)
		}
		run := n
		if g.parts > 1 {
			run = 1 + g.rng.IntN(n)
		}
		for range run {
			s.rows = append(s.rows, g.row())
		}
		out = append(out, s)
		if g.rng.IntN(8) == 0 && g.read[part] > 0 { // as a broker may
			out = append(out, step{line: fmt.Sprintf("apply partition=%d offset=0", part), rows: s.rows[:1]})
		}
		g.read[part] += run
		n -= run
		if g.rng.IntN(8) == 0 {
			out = append(out, step{line: "commit"})
			if g.rng.IntN(3) == 0 { // what is delivered, was committed before
				out = append(out, step{line: "deliver"})
			}
		}
		out = append(out, g.restart()...)
	}
	return out
}

// forgotten has people forgotten: by deletes of the source before the next release, or at once
// by an operator. Many of them were never read.
func (g *generator) forgotten() (out []step) {
	if !g.forgets {
		return nil
	}
	people := func(n int) (rows []string) {
		for range 1 + g.rng.IntN(n) {
			rows = append(rows, fmt.Sprintf("p%d", g.rng.IntN(g.people)))
		}
		return rows
	}
	if g.rng.IntN(3) == 0 {
		part, rows := g.rng.IntN(g.parts), people(4)
		out = append(out, step{line: fmt.Sprintf("delete partition=%d", part), rows: rows})
		g.read[part] += len(rows)
		out = append(out, g.restart()...)
	}
	if g.rng.IntN(4) == 0 {
		line := "forget"
		if g.restarts > 0 && g.rng.IntN(3) == 0 {
			line += " dies=true"
		}
		out = append(out, step{line: line, rows: people(2)})
		out = append(out, g.restart()...)
	}
	return out
}

// changed opens the state under other settings, at their edges: those that a state may be
// opened with later.
func (g *generator) changed() []step {
	if !g.changes || g.rng.IntN(4) > 0 {
		return nil
	}
	line := "settings"
	most := g.maybe(3, "initial_max=%s", g.one("0", "1", "50"))
	if g.least { // it would be above that
		most = nil
	}
	for _, s := range [][]string{most, g.maybe(3, "on_update"),
		g.maybe(3, "cut_every=%d", g.rng.IntN(60)), g.maybe(4, "max_records=%d", 200+g.rng.IntN(400)), g.onRefusal()} {
		for _, text := range s {
			line += " " + text
		}
	}
	return []step{{line: line}}
}

func (g *generator) onRefusal() []string {
	if !g.level2 {
		return nil
	}
	return g.maybe(3, "on_refusal=%s", g.one("quarantine", "grow"))
}

func (g *generator) restart() []step {
	if g.rng.Float64() >= g.restarts {
		return nil
	}
	line := "restart"
	if g.rng.IntN(4) == 0 {
		line += " after=failure"
	}
	if g.rough && g.rng.IntN(2) == 0 {
		line += " by=partition"
	}
	return []step{{line: line}}
}

// between is what happens between two batches.
func (g *generator) between() (out []step) {
	if g.ticks && g.rng.IntN(4) > 0 {
		g.now += int64(g.rng.IntN(4))
		out = append(out, step{line: fmt.Sprintf("tick now=%d", g.now)})
	}
	out = append(out, g.restart()...)
	switch g.rng.IntN(10) {
	case 0:
		return out
	case 1, 2:
		if g.restarts > 0 {
			return append(out, step{line: "release dies=" + g.one(diesBehind...)})
		}
	}
	return append(out, step{line: "release"})
}

// diesBehind are the steps of a release behind which a process may die.
var diesBehind = []string{"intent", string(publish.StepCheck), string(publish.StepHierarchies), string(publish.StepRender),
	string(publish.StepGate), string(publish.StepSync), string(publish.StepRename), string(publish.StepCurrent),
	string(publish.StepLedger)}

// script is the life as a script, with what its commands printed as far as is known.
func (l *life) script(comment string, printed []string) string {
	var b strings.Builder
	b.WriteString(comment)
	for i, s := range l.all() {
		fmt.Fprintf(&b, "\n%s\n", s.line)
		for at, row := range s.rows {
			b.WriteString(row)
			if at%8 == 7 || at == len(s.rows)-1 {
				b.WriteString("\n")
			} else {
				b.WriteString(" ")
			}
		}
		b.WriteString("----\n")
		if i < len(printed) && printed[i] != "" {
			b.WriteString(printed[i] + "\n")
		}
	}
	return b.String()
}

// all are the steps, with the machine first.
func (l *life) all() []step {
	return append([]step{{line: "machine " + strings.Join(l.machine, " ")}}, l.steps...)
}
