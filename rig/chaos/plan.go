package chaos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// chaosPlan is what happens to one dataset, from its first record to the last check.
type chaosPlan struct {
	Name  string // seed and number
	Real  bool   // the program as processes, against a broker; else inside this process
	World planSetting
	Steps []step
}

// planSetting is what a dataset is configured with.
type planSetting struct {
	Level      string // L1 or L2
	Recoding   string
	Trigger    string // the text of release.trigger
	MaxHold    string
	Partitions int
	Leased     bool   // real plans: a consumer group leases the topic to one of several processes
	Keep       int    // release.keep.releases; 0: all
	Window     string // release.window (level L2); empty: none
	Erasure    string // of subject.erasure with mode bucket: every, a blank, count (level L2); empty: rows stay
	Deletes    bool   // the feed has deletes, which forget people
	Copies     bool   // inside: the daemon copies its state
	Secured    bool   // real plans: the broker asks for a password, which a file has
	Delivered  bool   // real plans: releases go to a topic, too
	Broker     bool   // inside: the source is a topic of a broker in memory, and releases are delivered to it
	Attributes int    // inside, level L2: so many sensitive attributes besides the first
	Promise    bool   // the second one has a promise of its own
	Settle     string // inside, level L2, buckets: subject.settle, a number of records or a time; empty: the first record as it comes
	Updates    bool   // with it: updates are applied
	History    int    // with it: so many records of a person are published; 0: one
	Views      bool   // inside, level L2, buckets: the releases have a view
	Claims     bool   // inside, level L2: a subject ledger is shared with another dataset
	Shards     int    // inside: so many, with a union; 0: one process reads the whole topic
	Journal    bool   // of shards: a journal in a replicated log
}

// erasable says that published people can be forgotten: no row shows them exactly.
func (w *planSetting) erasable() bool {
	return w.Recoding == "generalization" || w.Recoding == "buckets"
}

// forgets says that an operator has people forgotten.
func (w *planSetting) forgets() bool { return w.erasable() && !w.Journal }

// extras are what a setting has besides, in the order of a plan's text: a name, behind it a number or a text if it has one.
func (w *planSetting) extras() []extra {
	return []extra{{"shards", &w.Shards}, {"attributes", &w.Attributes}, {"history", &w.History}, {"window", &w.Window},
		{"erasure", &w.Erasure}, {"settle", &w.Settle}, {"deletes", &w.Deletes}, {"copies", &w.Copies}, {"secured", &w.Secured},
		{"delivered", &w.Delivered}, {"journal", &w.Journal}, {"promise", &w.Promise}, {"broker", &w.Broker}, {"updates", &w.Updates},
		{"views", &w.Views}, {"claims", &w.Claims}}
}

type extra struct {
	name string
	is   any // *bool, *int or *string
}

// text is the extra in a plan; empty: the setting has it not.
func (x extra) text() string {
	switch is := x.is.(type) {
	case *int:
		if *is > 0 {
			return fmt.Sprintf(",%s %d", x.name, *is)
		}
	case *string:
		if *is != "" {
			return "," + x.name + " " + *is
		}
	case *bool:
		if *is {
			return "," + x.name
		}
	}
	return ""
}

// parse reads what text writes, behind the name.
func (x extra) parse(text string) (err error) {
	switch is := x.is.(type) {
	case *int:
		*is, err = strconv.Atoi(text)
	case *string:
		*is = text
	case *bool:
		*is = text == ""
	}
	return err
}

// more is the text of Keep and of the extras.
func (w *planSetting) more() string {
	out := fmt.Sprintf("keep %d", w.Keep)
	for _, x := range w.extras() {
		out += x.text()
	}
	return out
}

func (w *planSetting) parseMore(text string) error {
	parts := strings.Split(text, ",")
	if _, err := fmt.Sscanf(parts[0], "keep %d", &w.Keep); err != nil {
		return fmt.Errorf("%q is no setting: %w", parts[0], err)
	}
	for _, part := range parts[1:] {
		name, is, _ := strings.Cut(part, " ")
		i := slices.IndexFunc(w.extras(), func(x extra) bool { return x.name == name })
		if i < 0 || w.extras()[i].parse(is) != nil {
			return fmt.Errorf("%q is no setting", part)
		}
	}
	return nil
}

// step is one thing that happens. N says how much, or when: the N-th write, the N-th
// commit, or the N-th time that a simulation takes the step At (reach.go). Draw is a random number for what else must
// be chosen, such as a byte.
type step struct {
	Do   string
	N    int
	Draw uint32
	At   string
}

// each does all steps in turn.
func (p *chaosPlan) each(do func(step) error) error {
	for i, s := range p.Steps {
		if err := do(s); err != nil {
			return fmt.Errorf("step %d (%s %d): %w", i+1, s.Do, s.N, err)
		}
	}
	return nil
}

// String is the plan as text, which Parse reads: the setting, then a step a line.
func (p *chaosPlan) String() string {
	var b strings.Builder
	kind := "inside"
	w := p.World
	switch {
	case w.Leased:
		kind = "leased"
	case p.Real:
		kind = "real"
	}
	fmt.Fprintf(&b, "plan|%s|%s|%s|%s|%s|%s|%d|%s\n", p.Name, kind, w.Level, w.Recoding, w.Trigger, w.MaxHold, w.Partitions,
		w.more())
	for _, s := range p.Steps {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%s %d %d %s", s.Do, s.N, s.Draw, s.At)))
	}
	return b.String()
}

// Parse reads the plans of a text.
func Parse(text string) (plans []*chaosPlan, err error) {
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
		var s step
		if _, err := fmt.Sscanf(line, "%s %d %d", &s.Do, &s.N, &s.Draw); err != nil || len(plans) == 0 {
			return nil, fmt.Errorf("%q is no step of a plan: %w", line, err)
		}
		if words := strings.SplitN(line, " ", 4); len(words) == 4 {
			s.At = words[3]
		}
		last := plans[len(plans)-1]
		if err := last.knows(s.Do); err != nil {
			return nil, err
		}
		last.Steps = append(last.Steps, s)
	}
	return plans, nil
}

func parseSetting(parts []string) (*chaosPlan, error) {
	if len(parts) != 8 {
		return nil, fmt.Errorf("a plan has 8 fields, not %d", len(parts))
	}
	p := &chaosPlan{Name: parts[0], Real: parts[1] != "inside",
		World: planSetting{Level: parts[2], Recoding: parts[3], Trigger: parts[4], MaxHold: parts[5], Leased: parts[1] == "leased"}}
	if _, err := fmt.Sscan(parts[6], &p.World.Partitions); err != nil {
		return nil, err
	}
	return p, p.World.parseMore(parts[7])
}

func (p *chaosPlan) knows(do string) error {
	_, fault := kinds[do]
	if !fault && do != stepFeed && do != stepRun && do != stepLive && do != stepBackup && do != stepPass && do != stepForget &&
		do != stepSpell && do != stepLinger {
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
	stepLinger = "linger" // N hours pass in the next run that goes on
	stepForget = "forget" // an operator has somebody forgotten
	viewName   = "insurer"

	stepSpell = "spell" // N records of new people who all have one value
)

// mostRefused is dead_letter.max_share.
const mostRefused = "max_share: 0.5"

// sections are what differs between the configurations of one setting.
type sections struct {
	source, sink string
	dir, ledger  string   // of the releases
	subject      []string // keys
	more         string
}

// wholeSections are those of a process that reads the whole source.
func wholeSections(source, sink, more string) sections {
	return sections{source: source, sink: sink, dir: "./disk/releases", ledger: "./disk/elsewhere/ledger", more: more}
}

// configuration is the text of anond.yaml.
func (w *planSetting) configuration(s sections) string {
	state, keep := "", ""
	if w.Deletes {
		s.subject = append(s.subject, "deletes: forget")
	}
	record := ""
	if w.Settle != "" {
		s.subject = append(s.subject, "settle: "+w.Settle)
	}
	if w.Updates {
		s.subject = append(s.subject, "updates: apply")
		record = "    - {name: visit, role: record}\n"
	}
	if w.History > 0 {
		s.subject = append(s.subject, fmt.Sprintf("repeat: history, max_records: %d", w.History))
	}
	if w.Claims {
		s.subject = append(s.subject, `key: "`+subjectKey+`", ledger: ./claims`)
	}
	if every, count, ok := strings.Cut(w.Erasure, " "); ok {
		s.subject = append(s.subject, "erasure: {mode: bucket, every: "+every+", count: "+count+"}")
	}
	if len(s.subject) > 0 {
		s.more += "subject: {" + strings.Join(s.subject, ", ") + "}\n"
	}
	if w.Copies {
		state = ", backup: {dir: ./copies, keep: 2}"
	}
	if w.Keep > 0 {
		keep = fmt.Sprintf(", keep: {releases: %d}", w.Keep)
	}
	if w.Window != "" {
		keep += ", window: " + w.Window
	}
	if w.Views {
		keep += ", views: [{name: " + viewName + ", columns: [age, ill], cells: {age: 10}, dir: ./disk/seen, ledger: ./disk/elsewhere/seen}]"
	}
	more := record
	for _, name := range otherAttributes[:w.Attributes] {
		promise := ""
		if w.Promise && name == otherAttributes[0] {
			promise = ", promise: {gain: 4}"
		}
		more += "    - {name: " + name + ", role: sensitive, type: categorical" + promise + "}\n"
	}
	initial := ""
	if w.Level == "L2" {
		initial = "\ninitial: {min_pool: 6}"
	}
	return `version: 1
dataset: chaos
source: ` + s.source + `
dead_letter: ` + s.sink + `
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer, range: [0, 130]}
    - {name: city, role: quasi, type: categorical}
    - {name: ill, role: sensitive, type: categorical}
` + more + `policy: {k: 3, l: 2, level: ` + w.Level + `, max_hold: ` + w.MaxHold + `}` + initial + `
release: {dir: ` + s.dir + `, ledger: ` + s.ledger + `, recoding: ` + w.Recoding + `, trigger: {` + w.Trigger + `}` + keep + `}
state: {path: ./state/anond.db` + state + `}
log: {format: json}
` + s.more
}

// subjectKey is one for all shards; the harness has nothing to hide.
const subjectKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
