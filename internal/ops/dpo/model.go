package dpo

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/internal/ops/present"
	"anond/snapshot"
	"anond/snapshot/audit"
	auditshares "anond/snapshot/audit/shares"
)

// model is what the template writes.
type model struct {
	*Facts
	Style       template.CSS
	Kind        string
	VerdictSays string
	Checked     []string // what was checked beside the levels
	Group       string   // what a value is counted over
	ClaimsL2    bool
	Predicate   string // the probability that a condition isolates one of a smallest class
	Stale       string // people with a later update or delete; empty: none
	Ever        string // people who were ever published, if some may leave; else empty
	Left        string // buckets that left because somebody asked
	Corruption  string // the largest probability once another person's value is known
	Attacks     []auditshares.Attacker
	Believed    []believed
	Study       study
	Blanks      []string
	Charts      []present.Picture
	K, KMin     int
	promised
	Subject, AtL2, ExactCells bool
	RowBound                  string // the largest probability that a row is a certain person's
	Levels                    []level
	totals
	History    []historyRow
	Attributes []attribute
	Settings   []setting
	Files      []file
	Newest     uint32
	Read       []figure // what became of every record that was read
}

// totals are counts of the release, in words.
type totals struct {
	Waiting, Records, Newcomer string
	Kept, Groups               string // classes that the release before had, and what a class is published as
}

type figure struct{ ID, Name, Value string }

type level struct{ Name, Knows, Claim, Found string }

type historyRow struct {
	Release                                        uint32
	At, Records, New, Waiting, KMin, TopShare, NCP string
	This                                           bool
}

type attribute struct{ Name, Role, Type, Shown string }

type setting struct{ Name, Value string }

// promised is what is promised of sensitive values, and what is reached of it.
type promised struct {
	L, AttackedL       int    // AttackedL is of the first sensitive attribute, which attackers look for; 0: none
	AttackedOf         string // that attribute, if there are others; the corruption score is about it, too
	TopShare, Promised string
	Reached            []reached
}

// reached is what is promised of a sensitive attribute, and what buckets reach.
type reached struct{ Attribute, Promise, Share, Allowed string }

type file struct{ Name, Bytes, SHA256 string }

func modelOf(f *Facts) *model {
	m := f.Manifest
	top, allowed := m.Top()
	out := &model{Facts: f, Style: template.CSS(style + present.ChartStyle), K: m.Policy.K, KMin: m.Least(),
		promised: promised{L: m.Policy.L, AttackedL: m.Policy.L, TopShare: present.Percent(top),
			Promised: present.Percent(allowed)},
		AtL2: m.Policy.Level == "L2", ExactCells: m.Privacy.K1 == "sensitive-only",
		RowBound: present.Percent(1 / float64(max(1, m.Least()))), totals: totals{Waiting: present.Count(m.Pending),
			Records: present.Count(m.Records)}}
	for era, of := range slices.Backward(m.ByEra()) {
		for _, a := range of.Schema {
			out.Subject = out.Subject || a.Role == equivclass.Subject
			out.Attributes = append(out.Attributes, attribute{during(m, era) + a.Name, string(a.Role), string(a.Type), shown(&a, of)})
		}
	}
	for _, a := range f.Audit.Attributes {
		out.Reached = append(out.Reached, reached{a.Attribute, a.Promise, present.Percent(a.TopShare.Float()), present.Percent(a.Cap.Float())})
	}
	if first := slices.IndexFunc(m.Schema, func(a snapshot.SchemaEntry) bool { return a.Role == equivclass.Sensitive }); first >= 0 &&
		m.Schema[first].Promise != nil {
		out.AttackedL = m.Schema[first].Promise.L
	}
	if len(f.Audit.Attributes) > 1 {
		out.AttackedOf = f.Audit.Attributes[0].Attribute
	}
	out.Read, out.Believed, out.Study, out.Blanks = f.Counts.figures(), f.Beliefs.rows(), measured, blanks
	if out.Group = "class"; out.AtL2 {
		out.Group = "bucket"
	}
	out.ClaimsL2 = strings.Contains(m.Privacy.Level, "L2")
	out.Predicate = fmt.Sprintf("%.3f", math.Pow(1-1/float64(max(1, out.KMin)), float64(out.KMin-1)))
	for _, a := range f.Audit.Attackers {
		if a.People > 0 {
			out.Attacks = append(out.Attacks, a)
		}
	}
	stale := 0
	for _, p := range m.Parts {
		for _, s := range p.Stale {
			stale += int(s[1])
		}
	}
	if stale > 0 {
		out.Stale = present.Count(stale)
	}
	if m.PeopleEver > 0 {
		out.Ever = present.Count(m.PeopleEver)
	}
	left := 0
	for _, p := range m.Parts {
		left += len(p.Withdrawn)
	}
	out.Left = present.Count(left)
	if c := f.Audit.Corruption; c != nil && c.ClosedForm > 0 {
		out.Corruption = present.Percent(c.Max)
	}
	out.VerdictSays, out.Checked = verdicts[f.Audit.Verdict], checked(f)
	out.Levels = levels(m, f.Audit)
	out.history()
	for era, of := range slices.Backward(m.ByEra()) {
		for _, s := range settings(of) {
			out.Settings = append(out.Settings, setting{during(m, era) + s.Name, s.Value})
		}
	}
	out.files()
	for _, r := range f.Audit.Releases {
		if uint32(r.Release) == m.Release && m.Release > 1 && m.Union == nil {
			out.Kept = fmt.Sprintf("%s of %s", present.Count(r.ClassesKept), present.Count(r.Classes))
		}
	}
	return out
}

// study is what a model learnt from a release of public data: TestWhatAModelLearns measures it.
type study struct{ People, Right, Control, ControlRight string }

var measured = study{"15\u202f%", "63\u202f%", "9\u202f%", "61\u202f%"}

// blanks are what only the owner knows.
var blanks = []string{"Recipients, and under which agreement", "Purpose of the release, and legal basis",
	"Who chose which columns are quasi-identifiers and which are sensitive, and why", "Who chose k and l, and why",
	"Who holds the original records, and until when", "Why the remaining risk is acceptable",
	"Date of the next review", "Name, date, signature"}

// verdicts say what a verdict means.
var verdicts = map[string]string{
	audit.VerdictCertified: "All that was promised was checked and holds.",
	audit.VerdictSealed:    "What is there was checked and holds; of what is gone the ledger says that it passed when it was made.",
	audit.VerdictConsistent: "Nothing was found that breaks the promise, but not everything could be checked; what, is said below. " +
		"With the state (--with-state) it can.",
}

// checked says what was done beside the check of the files.
func checked(f *Facts) (out []string) {
	a := f.Audit
	if f.Private {
		out = append(out, "The files were compared with the records of the state: who is where, and that each value was published as it is.")
	} else {
		out = append(out, "Only public files were audited, so nobody compared them with the records.")
	}
	switch r := a.Replay; {
	case r == nil && strings.Contains(f.Manifest.Privacy.Level, "L2"):
		out = append(out, "Decisions were not made again (replay), so level L2 rests on the structure of the files and on the program.")
	case r != nil && r.Outcome == audit.ReplayCertified:
		worlds := fmt.Sprintf("%d worlds", r.Worlds)
		if r.Worlds == 1 {
			worlds = "a world"
		}
		out = append(out, fmt.Sprintf("All %d decisions were made again, as they were and in %s in which people of a bucket exchange "+
			"their values: classes, buckets, times and every published byte were the same each time.", r.Cuts, worlds))
	case r != nil && r.Outcome == audit.ReplayViolated:
		out = append(out, "Decisions were made again (replay), and differ: "+r.Reason)
	case r != nil:
		out = append(out, "Decisions could not be made again (replay): "+r.Reason)
	}
	if s := a.Sealed; s != nil && len(s.Releases) > 0 {
		out = append(out, fmt.Sprintf("Files of %d earlier releases are gone. The ledger, which was written when they were made, says "+
			"that they passed.", len(s.Releases)))
	}
	return out
}

// figures are the counts in the order of their sum; none without a state.
func (c *Counts) figures() []figure {
	if c == nil {
		return nil
	}
	count := func(n uint64) string { return present.Count(int(n)) }
	return []figure{{"sent", "read", count(c.Sent)}, {"published", "= published", count(c.Published)},
		{"expired", "+ left by age", count(c.Expired)}, {"withdrawn", "+ left by requests", count(c.Withdrawn)},
		{"pending", "+ waiting", count(c.Pending)},
		{"dead_letter", "+ dead letters", count(c.DeadLetter)},
		{"refused", "refused of all", present.Percent(float64(c.DeadLetter) / float64(max(1, c.Sent)))},
		{"forgotten", "+ forgotten", count(c.Forgotten)}, {"beyond", "+ beyond", count(c.Beyond)}}
}

// history is how the releases developed.
func (m *model) history() {
	for _, r := range m.Releases {
		m.Newest = r.Release
		news := "not known"
		if r.Newcomers >= 0 {
			news = present.Count(r.Newcomers)
		}
		this := r.Release == m.Manifest.Release
		if this {
			m.Newcomer = news
		}
		m.History = append(m.History, historyRow{r.Release, r.CreatedAt, present.Count(r.Records), news, present.Count(r.Pending),
			fmt.Sprint(r.KMin), present.Percent(r.MaxFrequency), fmt.Sprintf("%.4f", r.NCP), this})
	}
	m.History = newest(m.History)
}

// rowsShown bounds the table of releases; the charts have them all.
const rowsShown = 30

func newest(rows []historyRow) []historyRow { return rows[max(0, len(rows)-rowsShown):] }

func (m *model) files() {
	add := func(dir string, list []snapshot.FileEntry) {
		for _, x := range list {
			m.Files = append(m.Files, file{dir + x.Name, present.Count(int(x.Bytes)), x.SHA256})
		}
	}
	for _, p := range m.Manifest.Parts {
		add(p.Dir()+"/", p.Files)
	}
}

// levels are the adversaries against whom the manifest claims the bound, with what the
// audit found.
func levels(m *snapshot.Manifest, a *audit.Report) []level {
	claim := func(name string) string {
		if strings.Contains("+"+m.Privacy.Level+"+", "+"+name+"+") {
			return "promised"
		}
		return "not promised"
	}
	signatures := "the same, and of each class that may be formed again the set of values that it and its successors have"
	if m.Policy.Level == "L2" {
		signatures = "the same; what it knows in addition exists where classes are formed again, so not here"
	}
	return []level{
		{"L0", "all releases, and of everybody quasi-identifiers, arrival and class", claim("L0"), a.Level.L0},
		{"L1", signatures, claim("L1"), a.Level.L1},
		{"L2", "the same, and this program with the law of its random draws", claim("L2"), a.Level.L2},
	}
}

// shown says how an attribute is published.
func shown(a *snapshot.SchemaEntry, m *snapshot.Manifest) string {
	switch a.Role {
	case equivclass.Quasi:
	case equivclass.Sensitive:
		if m.Policy.Level == "L2" {
			return "in buckets, apart from the classes"
		}
		return "as it is, in classes"
	default:
		return "not published"
	}
	switch h := a.Hierarchy; {
	case m.Privacy.K1 == "sensitive-only":
		return "exactly"
	case h == nil:
		return "as the range or set of values of the class"
	case h.File != "":
		return "as a label of " + h.File
	default:
		return "in declared steps"
	}
}

// during says until when an era was, if it is a former one.
func during(m *snapshot.Manifest, era int) string {
	if era == len(m.Eras) {
		return ""
	}
	return fmt.Sprintf("until release %d: ", m.Eras[era].Until)
}

func settings(m *snapshot.Manifest) []setting {
	p := &m.Policy
	out := []setting{{"recoding", m.Recoding}, {"policy.k", fmt.Sprint(p.K)}, {"policy.republication", p.Republication}}
	if p.L > 0 {
		out = append(out, setting{"policy.l", fmt.Sprint(p.L)})
	}
	if p.Level != "" {
		out = append(out, setting{"policy.level", p.Level})
	}
	if p.MinPool > 0 {
		out = append(out, setting{"policy.min_pool", fmt.Sprint(p.MinPool)})
	}
	if p.SubjectRepeat != "" {
		out = append(out, setting{"subject.repeat", p.SubjectRepeat})
	}
	for _, d := range p.Diversity {
		text := d.Kind
		for _, x := range []struct {
			name  string
			value float64
		}{{"l", d.L}, {"c", d.C}, {"t", d.T}} {
			if x.value != 0 {
				text += fmt.Sprintf(", %s = %v", x.name, x.value)
			}
		}
		out = append(out, setting{"policy.diversity", text})
	}
	seeded := map[bool]string{true: "yes", false: "no"}[m.Seeded]
	out = append(out, setting{"certificate", m.Privacy.Certificate}, setting{"seed given from outside", seeded},
		setting{"format version", fmt.Sprint(m.FormatVersion)})
	return append(out, shards(m)...)
}

// shards say what each shard of a union has, also one that publishes nothing because its
// pool is not eligible: its people wait.
func shards(m *snapshot.Manifest) (out []setting) {
	if m.Union == nil {
		return nil
	}
	for _, s := range m.Union.Shards {
		text := "no release"
		if s.Release > 0 {
			text = fmt.Sprintf("release %d of %s: %s records, %s wait", s.Release, s.CreatedAt, present.Count(s.Records), present.Count(s.Pending))
		}
		out = append(out, setting{fmt.Sprintf("shard %d of %d", s.Shard, m.Union.Of), text})
	}
	return out
}
