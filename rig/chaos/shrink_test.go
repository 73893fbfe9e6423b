package chaos

import (
	"slices"
	"testing"
)

// shrunk is a plan that fails as another one does, and of which nothing can be left out: no step, no part of the setting, no half
// of the records. It plays at most so many plans.
func shrunk(p *chaosPlan, plays int, fails func(*chaosPlan) bool) *chaosPlan {
	try := func(change func(*chaosPlan)) bool {
		smaller := *p
		smaller.Steps = slices.Clone(p.Steps)
		change(&smaller)
		if smaller.String() == p.String() || plays == 0 {
			return false
		}
		plays--
		if !fails(&smaller) {
			return false
		}
		p = &smaller
		return true
	}
	for again := true; again; {
		again = false
		for n := len(p.Steps) / 2; n > 0; n /= 2 { // the later steps first
			for at := len(p.Steps) - n; at >= 0; at-- {
				again = try(func(q *chaosPlan) { q.Steps = slices.Delete(q.Steps, at, at+n) }) || again
				at = min(at, len(p.Steps)-n+1)
			}
		}
		for _, plainer := range []func(*planSetting){
			func(w *planSetting) { w.Shards, w.Journal = 0, false }, func(w *planSetting) { w.Journal = false },
			func(w *planSetting) { w.Partitions = max(1, w.Shards) }, func(w *planSetting) { w.Keep = 0 },
			func(w *planSetting) { w.Window = "" }, func(w *planSetting) { w.Erasure = "" }, func(w *planSetting) { w.Deletes = false },
			func(w *planSetting) { w.Copies = false }, func(w *planSetting) { w.Attributes, w.Promise = 0, false },
			func(w *planSetting) { w.Promise = false },
		} {
			again = try(func(q *chaosPlan) {
				plainer(&q.World)
				q.Steps = slices.DeleteFunc(q.Steps, func(s step) bool { return q.knows(s.Do) != nil })
			}) || again
		}
		for i, s := range p.Steps {
			if s.Do == stepFeed && s.N > 6 {
				again = try(func(q *chaosPlan) { q.Steps[i].N /= 2 }) || again
			}
		}
	}
	return p
}

// TestShrinkingLeavesWhatFails: of a plan that fails because of two of its steps, these two are left.
func TestShrinkingLeavesWhatFails(t *testing.T) {
	p := generate(1, 4, false)
	p.Steps = append(p.Steps, step{Do: "flood", N: 1}, step{Do: stepRun, N: 1})
	p.Steps = append([]step{{Do: "sink-away", N: 2}}, p.Steps...)
	has := func(q *chaosPlan, do string) bool {
		return slices.ContainsFunc(q.Steps, func(s step) bool { return s.Do == do })
	}
	small := shrunk(p, 10_000, func(q *chaosPlan) bool { return has(q, "flood") && has(q, "sink-away") })
	if len(small.Steps) != 2 || small.World.Shards != 0 || small.World.Partitions != 1 {
		t.Fatalf("not the smallest:\n%s", small)
	}
}
