package chaos

import (
	"fmt"
	"strings"
)

// Plan is what happens to one dataset, from its first record to the last check.
type Plan struct {
	Name  string // seed and number
	Real  bool   // the program as processes, against a broker; else inside this process
	World Setting
	Steps []Step
}

// Setting is what a dataset is configured with.
type Setting struct {
	Level      string // L1 or L2
	Recoding   string
	Trigger    string // the text of release.trigger
	MaxHold    string
	Partitions int
	Leased     bool // real plans: a consumer group leases the topic to one of several processes
}

// Step is one thing that happens. N says how much, or when: the N-th write, the N-th
// commit. Draw is a random number for what else must be chosen, such as a byte.
type Step struct {
	Do   string
	N    int
	Draw uint32
}

// String is the plan as text, which Parse reads: the setting, then a step a line.
func (p *Plan) String() string {
	var b strings.Builder
	kind := "inside"
	w := p.World
	switch {
	case w.Leased:
		kind = "leased"
	case p.Real:
		kind = "real"
	}
	fmt.Fprintf(&b, "plan|%s|%s|%s|%s|%s|%s|%d\n", p.Name, kind, w.Level, w.Recoding, w.Trigger, w.MaxHold, w.Partitions)
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s %d %d\n", s.Do, s.N, s.Draw)
	}
	return b.String()
}

// Parse reads the plans of a text.
func Parse(text string) (plans []*Plan, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "plan|"); ok {
			p, err := parseSetting(strings.Split(rest, "|"))
			if err != nil {
				return nil, err
			}
			plans = append(plans, p)
			continue
		}
		var s Step
		if _, err := fmt.Sscanf(line, "%s %d %d", &s.Do, &s.N, &s.Draw); err != nil || len(plans) == 0 {
			return nil, fmt.Errorf("%q is no step of a plan: %w", line, err)
		}
		last := plans[len(plans)-1]
		if err := last.knows(s.Do); err != nil {
			return nil, err
		}
		last.Steps = append(last.Steps, s)
	}
	return plans, nil
}

func parseSetting(parts []string) (*Plan, error) {
	if len(parts) != 7 {
		return nil, fmt.Errorf("a plan has 7 fields, not %d", len(parts))
	}
	p := &Plan{Name: parts[0], Real: parts[1] != "inside",
		World: Setting{Level: parts[2], Recoding: parts[3], Trigger: parts[4], MaxHold: parts[5], Leased: parts[1] == "leased"}}
	_, err := fmt.Sscan(parts[6], &p.World.Partitions)
	return p, err
}

func (p *Plan) knows(do string) error {
	_, fault := kinds[do]
	if !fault && do != stepFeed && do != stepRun && do != stepLive && do != stepBackup && do != stepPass {
		return fmt.Errorf("there is no step %q", do)
	}
	if fault && !kinds[do].suits(p) {
		return fmt.Errorf("the step %q belongs to the other kind of plan", do)
	}
	return nil
}

// Steps that are no faults.
const (
	stepFeed   = "feed"   // N records
	stepRun    = "run"    // to the end of the source (--once)
	stepLive   = "live"   // until all is read and published, then a stop
	stepBackup = "backup" // a copy of the state
	stepPass   = "pass"   // N hours pass
)

// configuration is the text of anond.yaml. source and sink are its sections.
func (w *Setting) configuration(source, sink string) string {
	return `version: 1
dataset: chaos
source: ` + source + `
dead_letter: ` + sink + `
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: city, role: quasi, type: categorical}
    - {name: ill, role: sensitive, type: categorical}
policy: {k: 3, l: 2, level: ` + w.Level + `, max_hold: ` + w.MaxHold + `}
release: {dir: ./disk/releases, ledger: ./disk/elsewhere/ledger, recoding: ` + w.Recoding + `, trigger: {` + w.Trigger + `}}
state: {path: ./state/anond.db}
log: {format: json}
`
}
