package incremental_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// shrinker makes a failing life small: fewer steps, fewer records, fewer settings, fewer
// attributes. Each attempt must fail by the same check.
type shrinker struct {
	tb    testing.TB
	kind  string
	hosts []string
	left  int // records that attempts may still read
}

// effort bounds the work for one life: some thousands of attempts, or hundreds if the
// life is large.
const effort = 1_000_000

func (x *shrinker) fails(l *life) bool {
	if x.left <= 0 {
		return false
	}
	x.left -= 100
	for _, s := range l.steps {
		x.left -= len(s.rows)
	}
	return kindOf(l.try(x.tb, x.hosts...).failure) == x.kind
}

// shrink returns the smallest life that it finds.
func shrink(tb testing.TB, l *life, kind string, hosts ...string) *life {
	x := &shrinker{tb, kind, hosts, effort}
	for {
		before := l.size()
		l = x.steps(l)
		l = x.rows(l)
		l = x.settings(l)
		l = x.attributes(l)
		l = x.lines(l)
		if l.size() >= before {
			return l
		}
	}
}

// size is what shrinking makes smaller.
func (l *life) size() int {
	n := len(strings.Join(l.machine, " ")) + 10*len(l.steps)
	for _, s := range l.steps {
		n += len(strings.Join(s.rows, " "))
	}
	return n
}

// less removes items, many at once as long as that works, then one by one.
func less[T any](items []T, fails func([]T) bool) []T {
	for n := len(items); n > 0; n /= 2 {
		for at := 0; at < len(items); {
			fewer := slices.Delete(slices.Clone(items), at, min(at+n, len(items)))
			if fails(fewer) {
				items = fewer
			} else {
				at += n
			}
		}
	}
	return items
}

func (x *shrinker) steps(l *life) *life {
	with := func(steps []step) *life { return &life{l.machine, steps, l.rough} }
	return with(less(l.steps, func(s []step) bool { return x.fails(with(s)) }))
}

// lines leaves the arguments of commands out that have a default.
func (x *shrinker) lines(l *life) *life {
	for i, s := range l.steps {
		word, _, _ := strings.Cut(s.line, " ")
		if s.line == word || word == "tick" {
			continue
		}
		plain := &life{l.machine, slices.Clone(l.steps), l.rough}
		plain.steps[i].line = word
		if x.fails(plain) {
			l = plain
		}
	}
	return l
}

// rows removes records, whatever apply they are in.
func (x *shrinker) rows(l *life) *life {
	type place struct{ step, row int }
	var all []place
	for i, s := range l.steps {
		for j := range s.rows {
			all = append(all, place{i, j})
		}
	}
	with := func(kept []place) *life {
		out := &life{l.machine, slices.Clone(l.steps), l.rough}
		for i := range out.steps {
			out.steps[i].rows = nil
		}
		for _, p := range kept {
			s := &out.steps[p.step]
			s.rows = append(s.rows, l.steps[p.step].rows[p.row])
		}
		return out
	}
	return with(less(all, func(p []place) bool { return x.fails(with(p)) }))
}

// settings removes arguments of the machine, but for k and l, which have no default.
func (x *shrinker) settings(l *life) *life {
	with := func(args []string) *life {
		return &life{append(slices.Clone(l.machine[:2]), args...), l.steps, l.rough}
	}
	// q says what the records look like.
	keep := slices.DeleteFunc(slices.Clone(l.machine[2:]), func(a string) bool { return !describes(a) })
	rest := slices.DeleteFunc(slices.Clone(l.machine[2:]), describes)
	return with(append(keep, less(rest, func(args []string) bool { return x.fails(with(append(slices.Clone(keep), args...))) })...))
}

func describes(arg string) bool {
	key, _, _ := strings.Cut(arg, "=")
	return key == "q" || key == "subject"
}

// attributes removes quasi-identifiers and the subject, with their fields.
func (x *shrinker) attributes(l *life) *life {
	for {
		smaller := slices.IndexFunc(l.narrower(), x.fails)
		if smaller < 0 {
			return l
		}
		l = l.narrower()[smaller]
	}
}

// narrower are the lives with an attribute less.
func (l *life) narrower() (out []*life) {
	_, args, err := datadriven.ParseLine(l.all()[0].line)
	if err != nil {
		panic(err)
	}
	first := 0
	if at := slices.Index(l.machine, "subject"); at >= 0 {
		first = 1
		out = append(out, l.without(0, slices.Delete(slices.Clone(l.machine), at, at+1)))
	}
	for _, a := range args {
		for j := range a.Vals {
			if a.Key == "q" && len(a.Vals) > 1 {
				kinds := slices.Delete(slices.Clone(a.Vals), j, j+1)
				machine := slices.Clone(l.machine)
				at := slices.IndexFunc(machine, func(s string) bool { return strings.HasPrefix(s, "q=") })
				machine[at] = "q=(" + strings.Join(kinds, ",") + ")"
				out = append(out, l.without(first+j, machine))
			}
		}
	}
	return out
}

// without is a life of another machine, whose records lack a field.
func (l *life) without(field int, machine []string) *life {
	out := &life{machine, slices.Clone(l.steps), l.rough}
	named := slices.Contains(l.machine, "subject")
	for i, s := range out.steps {
		if word, _, _ := strings.Cut(s.line, " "); word == "delete" || word == "forget" { // their rows are subjects alone
			if field == 0 && named {
				out.steps[i].rows = nil
			}
			continue
		}
		rows := make([]string, len(s.rows))
		for j, row := range s.rows {
			rows[j] = strings.Join(slices.Delete(strings.Split(row, "/"), field, field+1), "/")
		}
		out.steps[i].rows = rows
	}
	return out
}
