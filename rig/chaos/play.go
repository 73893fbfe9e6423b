package chaos

import (
	"fmt"
	"slices"
	"strings"
)

// result is what a plan has shown.
type result struct {
	Plan   *chaosPlan
	Faults []string // kinds of those that took effect
	Err    error    // nil: every promise held
	Log    string   // of the daemon
	Reach  reach    // which faults have struck where, of a simulation
	Trace  string   // what the daemon did to its disks, of a simulation
}

// played is what plays are made of in both worlds.
type played struct {
	faults []*fault
	used   map[*fault][]ending // what a fault has explained already
}

func newPlayed() *played { return &played{used: map[*fault][]ending{}} }

// explain finds the fault that an ending comes from: one that took effect, or one
// whose effect shows only now. Each fault explains each ending once.
func (p *played) explain(e ending, at int) bool {
	silent := []string{"flip-state", "flip-newest", "spoil-state", "spoil-newest"}
	if e == behind && p.manifestUnconfirmed() {
		return true
	}
	for _, sure := range []bool{true, false} {
		for _, f := range p.faults {
			if sure != f.took || !sure && !slices.Contains(silent, f.Do) || !slices.Contains(f.endings, e) || slices.Contains(p.used[f], e) {
				continue
			}
			f.take(at)
			return p.use(f, e)
		}
	}
	return false
}

// manifestUnconfirmed finds a changed manifest of the newest release next to a ledger that
// a lying disk, or an older copy of it, has lost: anond must take it for that of another history.
func (p *played) manifestUnconfirmed() bool {
	lied, flip := false, (*fault)(nil)
	for _, f := range p.faults {
		lied = lied || (f.Do == "lie-releases" || f.Do == "ledger-old") && f.took
		if f.Do == "flip-newest" && !f.took {
			flip = f
		}
	}
	return lied && flip != nil && !slices.Contains(p.used[flip], behind) && p.use(flip, behind)
}

func (p *played) use(f *fault, e ending) bool {
	p.used[f] = append(p.used[f], e)
	return true
}

// unnamed returns a fault that took effect and that no line of the log names.
func (p *played) unnamed(log string) error {
	for _, f := range p.faults {
		if f.took && len(f.named) > 0 && !f.isNamed(log) {
			return fmt.Errorf("the fault %s %d %d took effect, and no line of the log names it: none of %q", f.Do, f.N, f.Draw, f.named)
		}
	}
	return nil
}

// overtaken takes back those faults of a run that another fault ended before the daemon
// could react to them: they have had no effect. Nor has an error of a source behind the last
// record that a journal has: it was read ahead, and the source is opened again to go on.
func (p *played) overtaken(of []*fault, e ending, log string) {
	passing := []string{"source-fails", "sink-away", "fail-write", "fail-sync", "full-state", "flip-render"}
	for _, f := range of {
		if f.took && slices.Contains(passing, f.Do) && (e != ended || f.ahead) && !slices.Contains(f.endings, e) && !f.isNamed(log) {
			f.took = false
		}
	}
}

// repaired takes back the damage of older releases that was put right, with all other
// damage, before it was looked at.
func (p *played) repaired(log string) {
	for _, f := range p.faults {
		if f.took && (f.Do == "flip-older" || f.Do == "spoil-older") && !f.isNamed(log) {
			f.took = false
		}
	}
}

func (f *fault) isNamed(log string) bool {
	return slices.ContainsFunc(f.named, func(name string) bool { return strings.Contains(log[f.since:], name) })
}

func (p *played) took() (out []string) {
	for _, f := range p.faults {
		if f.took {
			out = append(out, f.Do)
		}
	}
	return out
}

// attempts is more than any recovery needs.
const attempts = 8

const lettersKept = `"event":"dead_letter_kept"`
